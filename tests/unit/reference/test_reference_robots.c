/*
 * Which robots the tables of Bos take, why they refuse the others, and the robots that hml_reference_model makes of
 * those: the bodies stand where they stood, and the tables agree with the fast kernels, which share no formula.
 */
#include "dynamics_check.h"
#include "hamel/configuration.h"
#include "hamel/io.h"
#include "hamel/kinematics.h"
#include "hamel/reference/bos.h"
#include "hamel/so3.h"
#include "model/edit.h"

/* ---- the tables on a model ---- */

static void assert_tables(const hml_model *model, const double *q, const double *v, const double *tau, double tolerance)
{
    static double A[4 * NV * NV], B[2 * NV * NV], A2[4 * NV * NV], B2[2 * NV * NV], d[4][NV * NV];
    double a[NV], a2[NV];
    const size_t nv = (size_t)hml_model_nv(model);
    hml_work *work = NULL;
    void *scratch = malloc(hml_reference_size(model));
    hml_linearization x = {.struct_size = sizeof x, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}};
    x.A.data = A2, x.B.data = B2, x.acceleration.data = a2;
    assert_true(nv <= NV);
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    assert_int_equal(hml_linearize(model, work, &x), HML_OK);
    assert_int_equal(hml_reference_linearize(model, scratch, q, v, tau, a, A, B), HML_OK);
    assert_near("acceleration", a, a2, nv, tolerance);
    assert_near("A", A, A2, 4 * nv * nv, tolerance);
    assert_near("B", B, B2, 2 * nv * nv, tolerance);
    assert_int_equal(hml_reference_inverse_dynamics_derivatives(model, scratch, HML_LEFT, q, v, v, d[0], d[1]), HML_OK);
    assert_int_equal(hml_inverse_dynamics_derivatives(model, work, q, v, v, NULL, d[2], d[3], NULL), HML_OK);
    assert_near("Tables 5 and 6", d[0], d[2], nv * nv, tolerance);
    assert_near("Tables 7 and 8", d[1], d[3], nv * nv, tolerance);
    free(scratch);
    hml_work_free(work);
}

/* ---- a free root whose centre is not the origin of its body ---- */

static void test_a_base_that_turns_about_a_point(void **state)
{
    (void)state;
    const draw_tree_spec spec = {.nbodies = 9, .root = HML_JOINT_FREE, .one_dof = 1, .points = 1};
    uint64_t seed = 71;
    for (int i = 0; i < 20; i++) {
        hml_model *model = draw_tree(&seed, &spec);
        hml_builder *b = NULL;
        double q[NQ], v[NV], tau[NV];
        assert_int_equal(hml_model_to_builder(model, &b), HML_OK);
        for (int k = 0; k < 3; k++) b->links[0].joint.point[k] = 0.4 * draw(&seed);
        hml_model_free(model);
        assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
        hml_builder_free(b);
        draw_configuration(&seed, model, 2, q);
        for (int k = 0; k < hml_model_nv(model); k++) v[k] = draw(&seed), tau[k] = draw(&seed);
        assert_int_equal(hml_reference_check(model, NULL), HML_OK);
        assert_tables(model, q, v, tau, 1e-11);
        hml_model_free(model);
    }
}

/* ---- why not ---- */

static void assert_refused(const hml_model *model, const char *why)
{
    hml_error error = {0};
    double scratch[1], x[NV] = {0};
    assert_int_equal(hml_reference_check(model, &error), HML_UNSUPPORTED);
    if (!strstr(error.message, why)) print_error("'%s' does not say '%s'\n", error.message, why);
    assert_non_null(strstr(error.message, why));
    assert_int_equal(hml_reference_size(model), 0);
    assert_int_equal(hml_reference_inverse_dynamics(model, scratch, x, x, x, x), HML_UNSUPPORTED);
}

static void assert_builtin_refused(const char *name, const char *why)
{
    hml_model *model = NULL;
    assert_int_equal(hml_load_builtin(name, NULL, &model, NULL), HML_OK);
    assert_refused(model, why);
    hml_model_free(model);
}

/* a free base, and a second body with this joint on this parent */
static hml_model *two_bodies(hml_joint_type type, const char *parent, const char *mimic)
{
    hml_builder *b = hml_builder_new();
    hml_inertia_spec I = {1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec j;
    hml_model *model = NULL;
    hml_joint_spec_init(&j, HML_JOINT_FREE);
    j.name = "fly";
    assert_int_equal(hml_builder_add_body(b, "base", NULL, &j, &I, NULL), HML_OK);
    hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
    j.name = "elbow", j.axis[0] = 1;
    if (mimic) assert_int_equal(hml_builder_add_body(b, "arm", "base", &j, &I, NULL), HML_OK);
    hml_joint_spec_init(&j, type);
    j.name = "second", j.axis[0] = 1, j.mimic = mimic;
    assert_int_equal(hml_builder_add_body(b, "other", parent, &j, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, HML_BUILD_KEEP_FIXED, &model, NULL), HML_OK);
    hml_builder_free(b);
    return model;
}

static void test_every_refusal_says_why(void **state)
{
    (void)state;
    const struct {
        hml_joint_type type;
        const char *parent, *mimic, *why;
    } cases[] = {
        {HML_JOINT_SPHERICAL, "base", NULL, "joint 'second' is spherical; the tables have joints of one coordinate"},
        {HML_JOINT_FIXED, "base", NULL, "joint 'second' is fixed; the tables have joints of one coordinate"},
        {HML_JOINT_REVOLUTE, NULL, NULL, "bodies 'base' and 'other' both hang on the world"},
        {HML_JOINT_REVOLUTE, "base", "elbow", "joint 'second' follows another"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hml_model *model = two_bodies(cases[i].type, cases[i].parent, cases[i].mimic);
        assert_refused(model, cases[i].why);
        hml_model_free(model);
    }
    assert_builtin_refused("pendulum", "joint 'pivot' on the world is revolute; the tables want a free base");
    assert_builtin_refused("quadruped", "has armature; the tables have no such forces");
    assert_int_equal(hml_reference_check(NULL, NULL), HML_INVALID_ARGUMENT);
}

/* ---- the nearest robot ---- */

static const char *const robots[] = {"nine",      "quadruped",  "drone_arm", "humanoid",
                                     "satellite", "ship_crane", "arm7",      "pendulum"};

/* q of the converted robot with every body where the original has it at q0 */
static void same_place(const hml_model *from, const double *q0, const hml_model *to, double *q)
{
    assert_int_equal(hml_configuration_neutral(to, q), HML_OK);
    for (int32_t i = 0; i < hml_model_njoints(from); i++) {
        hml_joint_info old = {.struct_size = sizeof old}, one = {.struct_size = sizeof one};
        hml_model_joint(from, i, &old);
        double x[HML_JOINT_MAX_NQ], angles[3];
        if (old.leader >= 0) { /* it is a joint of its own now */
            hml_joint_info leader = {.struct_size = sizeof leader};
            hml_model_joint(from, old.leader, &leader);
            x[0] = old.multiplier * q0[leader.q] + old.offset;
        } else {
            memcpy(x, q0 + old.q, (size_t)old.nq * sizeof *x);
        }
        hml_model_joint(to, hml_model_find_joint(to, old.name), &one);
        if (one.type == old.type) {
            memcpy(q + one.q, x, (size_t)one.nq * sizeof *x);
            continue;
        }
        if (old.type == HML_JOINT_SPHERICAL || old.type == HML_JOINT_FREE) {
            double *turn = old.type == HML_JOINT_FREE ? x + 3 : x;
            assert_int_equal(hml_quat_to_euler_xyz(turn, angles), HML_OK);
            memcpy(turn, angles, sizeof angles);
        }
        const int n = hml_joint_type_nv(old.type);
        for (int k = 0; k < n; k++) {
            char name[128];
            snprintf(name, sizeof name, k + 1 < n ? "%s.%d" : "%s", old.name, k);
            assert_true(hml_model_find_joint(to, name) >= 0);
            hml_model_joint(to, hml_model_find_joint(to, name), &one);
            q[one.q] = x[k];
        }
    }
}

static void assert_same_bodies(const hml_model *from, const double *q0, const hml_model *to, const double *q)
{
    static double H0[64 * 16], H[64 * 16];
    hml_work *work0 = NULL, *work = NULL;
    assert_true(hml_model_nbodies(from) <= 64 && hml_model_nbodies(to) <= 64);
    assert_int_equal(hml_work_new(from, HML_ISA_BEST, HML_USE_TREE, &work0), HML_OK);
    assert_int_equal(hml_work_new(to, HML_ISA_BEST, HML_USE_TREE, &work), HML_OK);
    assert_int_equal(hml_body_poses(from, work0, q0, H0), HML_OK);
    assert_int_equal(hml_body_poses(to, work, q, H), HML_OK);
    for (int32_t i = 0; i < hml_model_nbodies(from); i++) {
        hml_body_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
        hml_model_body(from, i, &a);
        if (strstr(a.name, ".cross")) continue;
        int32_t k = hml_model_find_body(to, a.name);
        assert_true(k >= 0);
        hml_model_body(to, k, &b);
        assert_near(a.name, H + 16 * k, H0 + 16 * i, 16, 1e-13);
        assert_true(a.mass == b.mass && !memcmp(a.com, b.com, sizeof a.com) &&
                    !memcmp(a.moment, b.moment, sizeof a.moment));
    }
    hml_work_free(work0);
    hml_work_free(work);
}

static void test_every_robot_of_the_library(void **state)
{
    (void)state;
    const hml_inertia_spec block = {3, {0.1, 0, 0.2}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    uint64_t seed = 72;
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        hml_model *model = NULL, *plain = NULL;
        hml_error error = {0};
        hml_rng rng;
        double q0[NQ], q[NQ], v[NV], tau[NV];
        assert_int_equal(hml_load_builtin(robots[i], NULL, &model, NULL), HML_OK);
        const int massless = i >= 6; /* nothing is fixed to the world of these two */
        if (massless) {
            assert_int_equal(hml_reference_model(model, NULL, &plain, &error), HML_UNSUPPORTED);
            assert_non_null(strstr(error.message, "nothing with a mass is fixed to it"));
        }
        assert_int_equal(hml_reference_model(model, massless ? &block : NULL, &plain, &error), HML_OK);
        assert_int_equal(hml_reference_check(plain, &error), HML_OK);
        hml_rng_seed(&rng, 5 + i);
        assert_int_equal(hml_configuration_random(model, &rng, q0), HML_OK);
        same_place(model, q0, plain, q);
        assert_same_bodies(model, q0, plain, q);
        for (int k = 0; k < hml_model_nv(plain); k++) v[k] = draw(&seed), tau[k] = draw(&seed);
        assert_tables(plain, q, v, tau, 1e-9); /* condition of M of a ship with a hook: 1e7 */
        hml_model_free(plain);
        hml_model_free(model);
    }
}

/* joints of every type with their axes and centres anywhere, on every kind of root, with springs and dampers */
static void test_any_robot(void **state)
{
    (void)state;
    const hml_inertia_spec block = {3, {0.1, 0, 0.2}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_PLANAR, HML_JOINT_SPHERICAL, HML_JOINT_REVOLUTE};
    uint64_t seed = 73;
    for (int i = 0; i < 40; i++) {
        const draw_tree_spec spec = {
            .nbodies = 6, .root = roots[i % 4], .passive = i % 3 == 0, .points = 1, .forest = i % 4 == 3};
        hml_model *model = draw_tree(&seed, &spec), *plain = NULL;
        double q0[NQ], q[NQ];
        hml_rng rng;
        if (i % 4 == 3) { /* several roots, none of them free */
            int found = 0;
            for (int32_t b = 0; b < model->nbodies; b++)
                found |= model_bodies(model)[b].parent < 0 && model_bodies(model)[b].type == HML_JOINT_FREE;
            if (found) {
                hml_model_free(model);
                continue;
            }
        }
        assert_int_equal(hml_reference_model(model, i % 4 ? &block : NULL, &plain, NULL), HML_OK);
        assert_int_equal(hml_reference_check(plain, NULL), HML_OK);
        hml_rng_seed(&rng, 90 + (uint64_t)i);
        assert_int_equal(hml_configuration_random(model, &rng, q0), HML_OK);
        same_place(model, q0, plain, q);
        assert_same_bodies(model, q0, plain, q);
        hml_model_free(plain);
        hml_model_free(model);
    }
}

/* the body of the new base is what was fixed to the world, and the robot falls as a whole */
static void test_the_world_becomes_the_base(void **state)
{
    (void)state;
    const hml_inertia_spec block = {3, {0, 0, 0.5}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_model *arm = NULL, *plain = NULL;
    hml_builder *b = hml_builder_new();
    hml_joint_spec j;
    hml_body_info base = {.struct_size = sizeof base};
    double gravity[3], q[NQ], v[NV] = {0}, a[NV], six = 6;
    hml_work *work = NULL;
    hml_joint_spec_init(&j, HML_JOINT_FIXED);
    j.name = "floor", j.position[2] = 1;
    assert_int_equal(hml_builder_add_body(b, "pedestal", NULL, &j, &block, NULL), HML_OK);
    hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
    j.name = "base", j.axis[1] = 1; /* the name is taken */
    assert_int_equal(hml_builder_add_body(b, "arm", "pedestal", &j, &block, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &arm, NULL), HML_OK);
    hml_builder_free(b);
    assert_int_equal(hml_reference_model(arm, NULL, &plain, NULL), HML_OK);
    assert_int_equal(hml_model_body(plain, 0, &base), HML_OK);
    assert_string_equal(base.name, "base_");
    assert_true(base.mass == 3 && fabs(base.com[2] - 1.5) < 1e-15);
    hml_model_free(plain);
    assert_int_equal(hml_reference_model(arm, &block, &plain, NULL), HML_OK); /* one on top of the other */
    assert_int_equal(hml_model_body(plain, 0, &base), HML_OK);
    assert_near("mass of the base", &base.mass, &six, 1, 1e-15);
    assert_true(fabs(base.com[2] - 1) < 1e-15);
    assert_int_equal(hml_work_new(plain, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    assert_int_equal(hml_configuration_neutral(plain, q), HML_OK);
    assert_int_equal(hml_forward_dynamics(plain, work, q, v, NULL, NULL, a), HML_OK);
    hml_model_gravity(arm, gravity);
    assert_near("it falls", a, gravity, 3, 1e-12);
    for (int k = 3; k < hml_model_nv(plain); k++) assert_true(fabs(a[k]) < 1e-10);
    hml_work_free(work);
    hml_model_free(plain);
    hml_model_free(arm);
}

static void test_what_cannot_be_converted(void **state)
{
    (void)state;
    const hml_inertia_spec block = {1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_model *model = two_bodies(HML_JOINT_REVOLUTE, NULL, NULL), *plain = NULL;
    hml_error error = {0};
    assert_int_equal(hml_reference_model(model, NULL, &plain, &error), HML_UNSUPPORTED);
    assert_non_null(strstr(error.message, "2 bodies hang on the world, 1 of them freely"));
    hml_model_free(model);
    model = two_bodies(HML_JOINT_REVOLUTE, "base", NULL);
    assert_int_equal(hml_reference_model(model, &block, &plain, &error), HML_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "a free base of its own"));
    assert_int_equal(hml_reference_model(NULL, NULL, &plain, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_reference_model(model, NULL, NULL, NULL), HML_INVALID_ARGUMENT);
    hml_model_free(model);
}

/* a follower is a joint of its own; limits and motors stay with their coordinates */
static void test_followers_limits_and_motors(void **state)
{
    (void)state;
    hml_model *model = two_bodies(HML_JOINT_REVOLUTE, "base", "elbow"), *plain = NULL;
    hml_joint_info slide = {.struct_size = sizeof slide}, turn = {.struct_size = sizeof turn};
    hml_builder *b = NULL;
    assert_int_equal(hml_reference_model(model, NULL, &plain, NULL), HML_OK);
    assert_int_equal(hml_model_nv(plain), hml_model_nv(model) + 1);
    assert_int_equal(hml_reference_check(plain, NULL), HML_OK);
    hml_model_free(plain);
    hml_model_free(model);

    model = two_bodies(HML_JOINT_CYLINDRICAL, "base", NULL);
    assert_int_equal(hml_model_to_builder(model, &b), HML_OK);
    hml_model_free(model);
    hml_joint_spec *joint = &b->links[1].joint;
    joint->actuated = 0;
    for (int k = 0; k < 2; k++) {
        joint->lower[k] = -1 - k, joint->upper[k] = 3 + k;
        joint->velocity_limit[k] = 5 + k, joint->effort_limit[k] = 7 + k;
    }
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    assert_int_equal(hml_reference_model(model, NULL, &plain, NULL), HML_OK);
    assert_int_equal(hml_model_joint(plain, hml_model_find_joint(plain, "second.0"), &slide), HML_OK);
    assert_int_equal(hml_model_joint(plain, hml_model_find_joint(plain, "second"), &turn), HML_OK);
    assert_true(slide.type == HML_JOINT_PRISMATIC && turn.type == HML_JOINT_REVOLUTE);
    assert_true(!slide.actuated && !turn.actuated);
    assert_true(slide.lower[0] == -1 && slide.upper[0] == 3 && turn.lower[0] == -2 && turn.upper[0] == 4);
    assert_true(slide.velocity_limit[0] == 5 && turn.velocity_limit[0] == 6);
    assert_true(slide.effort_limit[0] == 7 && turn.effort_limit[0] == 8);
    hml_model_free(plain);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_base_that_turns_about_a_point), cmocka_unit_test(test_every_refusal_says_why),
        cmocka_unit_test(test_every_robot_of_the_library),      cmocka_unit_test(test_the_world_becomes_the_base),
        cmocka_unit_test(test_what_cannot_be_converted),        cmocka_unit_test(test_any_robot),
        cmocka_unit_test(test_followers_limits_and_motors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
