/* Are two models the same? Whatever differs must be seen, and said. */
#include <stdlib.h>

#include "model_fixture.h"

#include "hamel/edit.h"
#include "hamel/random.h"

static hml_model *robot(uint64_t seed)
{
    hml_random_spec spec;
    hml_model *m = NULL;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.nbodies = 25;
    spec.joint_types = (2 << HML_JOINT_FREE) - 1;
    spec.mimic = 0.3;
    spec.nframes = 6;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    return m;
}

static void test_equal_sees_everything(void **state)
{
    (void)state;
    hml_model *m = robot(3), *other = NULL;
    char difference[512];
    assert_true(hml_model_equal(m, m, 0, NULL, 0));
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j_extra");
    struct {
        const char *says;
    } const cases[] = {{"gravity"}, {"bodies"}, {"frames"}, {"mass"}, {"called"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hml_builder *b = NULL;
        const double g[3] = {0, 0, 1}, zero[3] = {0};
        assert_int_equal(hml_model_to_builder(m, &b), HML_OK);
        if (i == 0) assert_int_equal(hml_builder_set_gravity(b, g), HML_OK);
        if (i == 1) add_spec(b, "extra", "body3", &joint);
        if (i == 2) assert_int_equal(hml_builder_add_frame(b, "extra", NULL, zero, identity9, NULL), HML_OK);
        if (i == 4) assert_int_equal(hml_builder_set_name(b, "renamed"), HML_OK);
        other = finish(b, 0);
        if (i == 3) {
            hml_inertia_spec I = some_inertia(3);
            assert_int_equal(hml_model_set_inertias(other, 2, 1, &I), HML_OK);
        }
        assert_false(hml_model_equal(m, other, 1e-9, difference, sizeof difference));
        assert_says(difference, cases[i].says);
        hml_model_free(other);
    }
    assert_int_equal(hml_model_scale(m, 1 + 1e-6, 1, &other), HML_OK);
    assert_true(hml_model_equal(m, other, 1e-4, difference, sizeof difference));
    assert_false(hml_model_equal(m, other, 1e-9, difference, sizeof difference));
    assert_false(hml_model_equal(m, NULL, 1, difference, sizeof difference));
    hml_model_free(other);
    hml_model_free(m);
}

/* two bodies, every number of which may be changed */
typedef struct numbers {
    hml_joint_spec joints[2];
    hml_inertia_spec inertias[2], still; /* the latter is fixed to the world */
    double gravity[3], frame[3];
} numbers;

static hml_model *build_numbers(const numbers *n)
{
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    assert_int_equal(hml_builder_set_gravity(b, n->gravity), HML_OK);
    for (int i = 0; i < 2; i++) {
        if (hml_builder_add_body(b, i ? "two" : "one", i ? "one" : NULL, &n->joints[i], &n->inertias[i], &error))
            fail_msg("%s", error.message);
    }
    assert_int_equal(hml_builder_add_frame(b, "tip", "two", n->frame, identity9, NULL), HML_OK);
    hml_joint_spec fixed = some_joint(HML_JOINT_FIXED, "bolts");
    if (hml_builder_add_body(b, "still", NULL, &fixed, &n->still, &error)) fail_msg("%s", error.message);
    return finish(b, 0);
}

/* each number by itself: the first of three is as good as the last */
static void test_equal_sees_every_number(void **state)
{
    (void)state;
    numbers n = {.inertias = {some_inertia(1), some_inertia(2)}, .gravity = {1, 2, 3}, .frame = {1, 2, 3}};
    n.still = some_inertia(3);
    n.joints[0] = some_joint(HML_JOINT_CYLINDRICAL, "first"), n.joints[1] = some_joint(HML_JOINT_HELICAL, "second");
    n.joints[1].pitch = 0.1;
    hml_joint_spec *j = n.joints;
    const struct {
        double *at;
        int count;
        const char *says;
    } all[] = {{j[0].position, 3, "position"},
               {j[1].position, 3, "position"},
               {j[0].axis, 3, "axis"},
               {j[1].axis, 3, "axis"},
               {j[0].point, 3, "point"},
               {j[1].point, 3, "point"},
               {&j[1].pitch, 1, "pitch"},
               {j[0].armature, 2, "armature"},
               {j[0].damping, 2, "damping"},
               {j[0].stiffness, 2, "stiffness"},
               {j[1].stiffness, 1, "stiffness"},
               {j[0].rest, 2, "rest"},
               {j[0].lower, 2, "lower"},
               {j[1].upper, 1, "upper"},
               {j[0].velocity_limit, 2, "velocity"},
               {j[1].effort_limit, 1, "effort"},
               {&n.inertias[0].mass, 1, "mass"},
               {&n.inertias[1].mass, 1, "mass"},
               {n.inertias[1].com, 3, "centre"},
               {n.gravity, 3, "gravity"},
               {n.frame, 3, "position"},
               {&n.still.mass, 1, "fixed to the world: its mass"},
               {n.still.com, 3, "fixed to the world: its centre"},
               {&n.still.moment[8], 1, "fixed to the world: its moment"}};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            j[i].armature[k] = 0.1, j[i].damping[k] = 0.2, j[i].stiffness[k] = 0.3, j[i].rest[k] = 0.4;
            j[i].lower[k] = -1, j[i].upper[k] = 1, j[i].velocity_limit[k] = 5, j[i].effort_limit[k] = 6;
        }
        for (int k = 0; k < 3; k++) j[i].axis[k] = 1 + k, j[i].point[k] = 0.1 * k, j[i].position[k] = 0.2 * k;
    }
    hml_model *m = build_numbers(&n);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int k = 0; k < all[i].count; k++) {
            char difference[512] = "";
            const double was = all[i].at[k];
            all[i].at[k] += 1e-3;
            hml_model *other = build_numbers(&n);
            assert_false(hml_model_equal(m, other, 1e-7, difference, sizeof difference));
            assert_says(difference, all[i].says);
            assert_false(hml_model_equal(other, m, 1e-7, NULL, 0));
            hml_model_free(other);
            all[i].at[k] = was;
        }
    }
    char difference[512] = "";
    hml_model *again = build_numbers(&n);
    if (!hml_model_equal(m, again, 0, difference, sizeof difference)) fail_msg("%s", difference);
    hml_model_free(again);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_sees_everything),
        cmocka_unit_test(test_equal_sees_every_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
