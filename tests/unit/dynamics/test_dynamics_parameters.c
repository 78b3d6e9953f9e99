/* Base parameters: their number is known for simple robots. Parameters put into a model, and what it does then. */
#include "dynamics_check.h"
#include "hamel/edit.h"
#include "hamel/parameters.h"
#include "hamel/reference/textbook.h"
#include "hamel/rigid_body.h"

static int32_t count_of(const hml_model *m, int *marks)
{
    hml_rng rng;
    int32_t count = -1;
    void *scratch = malloc(hml_base_parameters_size(m));
    hml_rng_seed(&rng, 7);
    assert_int_equal(hml_base_parameters(m, scratch, &rng, marks, &count), HML_OK);
    free(scratch);
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

/* the inertia of one body as ten numbers */
static void draw_parameters(uint64_t *seed, double p[HML_INERTIA_PARAMETERS])
{
    hml_inertia_spec I;
    draw_inertia(seed, &I);
    assert_int_equal(hml_inertia_from_com(I.mass, I.com, I.moment, p), HML_OK);
}

/* after the change the model moves as the regressor says, in the textbook recursion and in the kernels' plan */
static void test_changed_parameters_change_the_forces(void **state)
{
    (void)state;
    static double Y[NV * 10 * ORACLE_BODIES];
    uint64_t seed = 122;
    for (int i = 0; i < 3 * ROBOT_SPECS; i++) {
        robot r;
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        double p[10 * ORACLE_BODIES], back[10 * ORACLE_BODIES], tau[NV], fast[NV], slow[NV], before[NV];
        spec.passive = 0;
        robot_open(&r, &seed, &spec);
        void *scratch = malloc(hml_recursive_size(r.model));
        size_t columns = 10 * (size_t)r.model->nbodies;
        int32_t first = i % 2 ? r.model->nbodies / 2 : 0, count = r.model->nbodies - first;
        const double *a = r.tau;
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, a, NULL, before), HML_OK);
        assert_int_equal(hml_model_parameters(r.model, p), HML_OK);
        for (int32_t b = first; b < first + count; b++) draw_parameters(&seed, p + 10 * b);
        assert_int_equal(hml_model_set_parameters(r.model, first, count, p + 10 * first), HML_OK);

        assert_int_equal(hml_model_parameters(r.model, back), HML_OK);
        assert_near("parameters", back, p, columns, 1e-15);
        assert_int_equal(hml_regressor(r.model, scratch, r.q, r.v, a, Y), HML_OK);
        for (size_t row = 0; row < r.nv; row++) {
            tau[row] = 0;
            for (size_t c = 0; c < columns; c++) tau[row] += Y[row * columns + c] * p[c];
        }
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, a, NULL, fast), HML_OK);
        assert_int_equal(hml_rnea(r.model, scratch, HML_LEFT, r.q, r.v, a, NULL, slow), HML_OK);
        assert_near("hml_inverse_dynamics", fast, tau, r.nv, 1e-13);
        assert_near("hml_rnea", slow, tau, r.nv, 1e-13);
        assert_true(off_by(fast, before, r.nv) > 1e-3); /* something has changed */
        free(scratch);
        robot_close(&r);
    }
}

static void test_parameters_no_body_has(void **state)
{
    (void)state;
    uint64_t seed = 123;
    hml_model *m = draw_tree(&seed, &robot_specs[2]);
    double good[20], bad[20], before[10 * ORACLE_BODIES], after[10 * ORACLE_BODIES];
    draw_parameters(&seed, good), draw_parameters(&seed, good + 10);
    assert_int_equal(hml_model_parameters(m, before), HML_OK);
    memcpy(bad, good, sizeof bad);
    bad[10] = -1;
    assert_int_equal(hml_model_set_parameters(m, 0, 2, bad), HML_BAD_MODEL);
    bad[10] = 0; /* m c without m */
    assert_int_equal(hml_model_set_parameters(m, 0, 2, bad), HML_BAD_MODEL);
    bad[19] = NAN;
    assert_int_equal(hml_model_set_parameters(m, 0, 2, bad), HML_NOT_FINITE);
    assert_int_equal(hml_model_set_parameters(m, m->nbodies - 1, 2, good), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_set_parameters(m, -1, 2, good), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_set_parameters(m, 0, 1, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_parameters(m, after), HML_OK);
    assert_memory_equal(before, after, (size_t)m->nbodies * 10 * sizeof *after);

    const double rotor[10] = {0, 0, 0, 0, 1, 0, 0, 2, 0, 3}; /* a moment alone, as files give rotors */
    assert_int_equal(hml_model_set_parameters(m, 1, 1, rotor), HML_OK);
    assert_int_equal(hml_model_parameters(m, after), HML_OK);
    assert_memory_equal(after + 10, rotor, sizeof rotor);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_floating_trees),
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_changed_parameters_change_the_forces),
        cmocka_unit_test(test_parameters_no_body_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
