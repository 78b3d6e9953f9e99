/* Base parameters: their number is known for simple robots. */
#include "dynamics_check.h"
#include "hamel/recursive.h"
#include "hamel/regressor.h"

static int32_t count_of(const hml_model *m, int *marks)
{
    hml_rng rng;
    int32_t count = -1;
    void *scratch = malloc(hml_recursive_size(m));
    double *memory = malloc(hml_base_parameters_size(m) * sizeof *memory);
    hml_rng_seed(&rng, 7);
    assert_int_equal(hml_base_parameters(m, scratch, &rng, memory, marks, &count), HML_OK);
    free(scratch), free(memory);
    return count;
}

/*
 * A free body shows all ten. What hangs on it hides what its joint cannot move: of a revolute joint a rod along the
 * axis (mass, first moment along it, two equal moments across), of a prismatic one all moments, of a helical one the
 * two equal moments alone.
 */
static void test_numbers_of_floating_trees(void **state)
{
    (void)state;
    static int marks[10 * ORACLE_BODIES];
    uint64_t seed = 121;
    for (int i = 0; i < 12; i++) {
        draw_tree_spec spec = {.nbodies = 1 + i % 6, .root = HML_JOINT_FREE, .one_dof = 1, .points = 1};
        hml_model *m = draw_tree(&seed, &spec);
        int32_t expected = 10;
        for (int b = 1; b < m->nbodies; b++) {
            int type = model_bodies(m)[b].type;
            expected += type == HML_JOINT_REVOLUTE ? 7 : type == HML_JOINT_PRISMATIC ? 4 : 9;
        }
        assert_int_equal(count_of(m, marks), expected);
        for (int k = 0; k < 10; k++) assert_int_equal(marks[k], 1);
        hml_model_free(m);
    }
}

static hml_model *pendulum(const double axis[3])
{
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    hml_joint_spec j;
    const hml_inertia_spec I = {1, {0.1, 0.2, 0.3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
    j.name = "pivot";
    memcpy(j.axis, axis, sizeof j.axis);
    assert_int_equal(hml_builder_add_body(b, "rod", NULL, &j, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
    hml_builder_free(b);
    return m;
}

/* about a vertical axis: the moment; about a level one: two first moments, too */
static void test_pendulums(void **state)
{
    (void)state;
    const double up[3] = {0, 0, 1}, level[3] = {1, 0, 0};
    int marks[10];
    hml_model *m = pendulum(up);
    assert_int_equal(count_of(m, marks), 1);
    assert_int_equal(marks[9], 1); /* Jzz */
    hml_model_free(m);
    m = pendulum(level);
    assert_int_equal(count_of(m, marks), 3);
    assert_true(marks[2] && marks[3] && marks[4]); /* m cy, m cz, Jxx */
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_floating_trees),
        cmocka_unit_test(test_pendulums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
