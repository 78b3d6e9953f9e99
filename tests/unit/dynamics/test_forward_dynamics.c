/*
 * Forward dynamics by articulated bodies: what only it can get wrong. A mass matrix that is singular without any body
 * being weightless on its own joint, lane by lane; long chains, forests and fixed bodies, against inverse dynamics.
 */
#include "dynamics_check.h"
#include "hamel/configuration.h"
#include "hamel/linearize.h"
#include "hamel/random.h"

static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
enum { ISAS = sizeof isas / sizeof *isas, STATES = 11 };

/* axes z, y, z; only the last link has inertia. At 0 the outer axes coincide, and nothing says which of them turns */
static hml_model *weightless_wrist(void)
{
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    const char *names[] = {"yaw", "pitch", "roll"};
    hml_inertia_spec I = {1, {0.02, 0.1, 0.3}, {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3}};
    for (int i = 0; i < 3; i++) {
        hml_joint_spec j;
        hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
        j.name = names[i];
        j.axis[0] = 0, j.axis[1] = i == 1, j.axis[2] = i != 1;
        assert_int_equal(hml_builder_add_body(b, names[i], i ? names[i - 1] : NULL, &j, i == 2 ? &I : NULL, NULL),
                         HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
    hml_builder_free(b);
    return m;
}

static void test_a_singular_wrist_spoils_its_own_lane(void **state)
{
    (void)state;
    for (int k = 0; k < ISAS; k++) {
        if (!hml_isa_available(isas[k])) continue;
        robot r;
        double q[3 * STATES], a[3 * STATES], single[3];
        hml_status each[STATES];
        robot_take(&r, weightless_wrist(), isas[k]);
        for (int s = 0; s < STATES; s++) {
            q[3 * s] = 0.1 * s, q[3 * s + 2] = 0.7 - 0.2 * s;
            q[3 * s + 1] = s % 3 == 1 ? 0 : 0.3 + 0.1 * s;
        }
        hml_dynamics_states x = {.struct_size = sizeof x, .q = {q, 3}, .acceleration = {.data = a}};
        assert_int_equal(hml_dynamics_batch(r.model, r.work, STATES, &x, each), HML_SINGULAR);
        for (int s = 0; s < STATES; s++) {
            hml_status status = hml_forward_dynamics(r.model, r.work, q + 3 * s, r.v, NULL, NULL, single);
            assert_int_equal(status, s % 3 == 1 ? HML_SINGULAR : HML_OK);
            assert_int_equal(each[s], status);
            if (!status) assert_near("a lane beside a singular one", a + 3 * s, single, 3, 1e-12);
            for (int i = 0; status && i < 3; i++) assert_true(isnan(a[3 * s + i]));
        }
        robot_close(&r);
    }
}

/* τ → ν̇ → τ, one state in a workspace of the tree alone; the model is freed */
static void check_round_trip(hml_model *m, hml_isa isa, double tolerance)
{
    hml_work *work = NULL;
    hml_rng rng;
    assert_non_null(m);
    assert_int_equal(hml_work_new(m, isa, HML_USE_TREE, &work), HML_OK);
    const size_t n = (size_t)hml_model_nv(m);
    double *q = calloc((size_t)hml_model_nq(m), sizeof *q), *x = calloc(4 * n, sizeof *x);
    double *v = x, *tau = v + n, *a = tau + n, *back = a + n;
    hml_rng_seed(&rng, 1);
    assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
    for (size_t i = 0; i < n; i++) v[i] = hml_rng_uniform(&rng, -0.1, 0.1), tau[i] = hml_rng_uniform(&rng, -5, 5);
    assert_int_equal(hml_forward_dynamics(m, work, q, v, tau, NULL, a), HML_OK);
    assert_int_equal(hml_inverse_dynamics(m, work, q, v, a, NULL, back), HML_OK);
    assert_near("the torque", back, tau, n, tolerance);
    hml_work_free(work);
    hml_model_free(m);
    free(q);
    free(x);
}

static hml_model *chain(int32_t n, hml_joint_type root)
{
    hml_random_spec spec;
    hml_model *m = NULL;
    hml_random_spec_init(&spec);
    spec.shape = HML_RANDOM_CHAIN, spec.nbodies = n, spec.root = root;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    return m;
}

static void test_long_chains(void **state)
{
    (void)state;
    for (int k = 0; k < ISAS; k++) {
        if (!hml_isa_available(isas[k])) continue;
        check_round_trip(chain(100, HML_JOINT_FREE), isas[k], 1e-10); /* gravity's torques are a thousand times τ */
        check_round_trip(chain(10000, HML_JOINT_REVOLUTE), isas[k], 1e-5); /* and here ten million times */
    }
}

/* packs of a chain too long for a factor, in a workspace of the tree alone */
static void test_a_batch_of_long_chains(void **state)
{
    (void)state;
    enum { LINKS = 1000 };
    for (int k = 0; k < ISAS; k++) {
        if (!hml_isa_available(isas[k])) continue;
        hml_model *m = chain(LINKS, HML_JOINT_REVOLUTE);
        hml_work *work = NULL;
        hml_rng rng;
        double *q = calloc(3 * STATES * LINKS, sizeof *q), *a = q + STATES * LINKS, *back = a + STATES * LINKS;
        hml_status each[STATES];
        hml_rng_seed(&rng, 2);
        assert_int_equal(hml_work_new(m, isas[k], HML_USE_TREE, &work), HML_OK);
        for (int s = 0; s < STATES; s++) {
            assert_int_equal(hml_configuration_random(m, &rng, q + s * LINKS), HML_OK);
        }
        hml_dynamics_states x = {.struct_size = sizeof x, .q = {q, LINKS}, .acceleration = {.data = a}};
        assert_int_equal(hml_dynamics_batch(m, work, STATES, &x, each), HML_OK);
        hml_dynamics_states y = {.struct_size = sizeof y, .q = {q, LINKS}, .a = {a, LINKS}, .torque = {.data = back}};
        assert_int_equal(hml_dynamics_batch(m, work, STATES, &y, NULL), HML_OK);
        for (int i = 0; i < STATES * LINKS; i++) assert_true(fabs(back[i]) < 1e-6); /* falling; gravity's are 1e5 */
        y.M.data = back;
        assert_int_equal(hml_dynamics_batch(m, work, STATES, &y, NULL), HML_INVALID_ARGUMENT);
        hml_work_free(work);
        hml_model_free(m);
        free(q);
    }
}

/* joints of one coordinate have a kernel of their own for single states: with all that may be on them and around them
 */
static void test_simple_joints(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, HML_JOINT_HELICAL};
    uint64_t seed = 7;
    for (int i = 0; i < 32; i++) {
        draw_tree_spec spec = {.nbodies = 1 + i % 11, .root = roots[i % 4], .one_dof = 1};
        spec.forest = i >> 2 & 1, spec.passive = i >> 3 & 1, spec.points = i >> 4 & 1;
        for (int k = 0; k < ISAS; k++) {
            uint64_t same = seed;
            if (!hml_isa_available(isas[k])) continue;
            check_round_trip(draw_tree(&same, &spec), isas[k], 1e-12); /* a dozen bodies, M's condition 1e3 */
        }
        draw(&seed);
    }
}

/* bodies on fixed joints that are kept: at the root, in between and at the end */
static hml_model *fixed_parts(hml_joint_type root)
{
    const hml_joint_type types[] = {
        root, HML_JOINT_FIXED, HML_JOINT_REVOLUTE, HML_JOINT_FIXED, HML_JOINT_PRISMATIC, HML_JOINT_FIXED};
    uint64_t seed = 8;
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    for (int i = 0; i < 6; i++) {
        char name[8], parent[8], joint[8];
        hml_joint_spec j;
        hml_inertia_spec I;
        snprintf(name, sizeof name, "b%d", i);
        snprintf(parent, sizeof parent, "b%d", i - 1);
        snprintf(joint, sizeof joint, "j%d", i);
        hml_joint_spec_init(&j, types[i]);
        j.name = joint;
        for (int k = 0; k < 3; k++) j.position[k] = draw(&seed), j.axis[k] = draw(&seed);
        draw_inertia(&seed, &I);
        assert_int_equal(hml_builder_add_body(b, name, i ? parent : NULL, &j, &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, HML_BUILD_KEEP_FIXED, &m, NULL), HML_OK);
    assert_int_equal(hml_model_nbodies(m), 6);
    hml_builder_free(b);
    return m;
}

static void test_fixed_bodies(void **state)
{
    (void)state;
    for (int k = 0; k < ISAS; k++) {
        if (!hml_isa_available(isas[k])) continue;
        check_round_trip(fixed_parts(HML_JOINT_FREE), isas[k], 1e-13);
        check_round_trip(fixed_parts(HML_JOINT_FIXED), isas[k], 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_singular_wrist_spoils_its_own_lane),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_a_batch_of_long_chains),
        cmocka_unit_test(test_simple_joints),
        cmocka_unit_test(test_fixed_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
