/*
 * The reference linearization (Bos, Tables 4 to 9) against the fast kernels, which share no formula with it, and
 * against integrated flows; and what becomes of the flow when Table 5 is taken as it is printed.
 */
#include "flow.h"
#include "hamel/linearize.h"
#include "hamel/reference/bos.h"

static const draw_tree_spec spec = {.nbodies = 10, .root = HML_JOINT_FREE, .one_dof = 1, .points = 1};

static void *scratch_for(const robot *r)
{
    size_t size = hml_reference_size(r->model);
    assert_true(size > 0);
    void *scratch = malloc(size);
    memset(scratch, 0xff, size); /* NaN: nothing may be read before it is written */
    return scratch;
}

static void test_linearization_against_the_fast_one(void **state)
{
    (void)state;
    static double A[4 * NV * NV], B[2 * NV * NV], A2[4 * NV * NV], B2[2 * NV * NV];
    uint64_t seed = 61;
    double worst_A = 0, worst_B = 0, worst_a = 0;
    for (int i = 0; i < 100; i++) {
        robot r;
        draw_tree_spec some = spec;
        double a[NV], a2[NV];
        some.nbodies = 1 + i % 20;
        robot_open(&r, &seed, &some);
        void *scratch = scratch_for(&r);
        hml_linearization x = {.struct_size = sizeof x};
        x.q.data = r.q, x.v.data = r.v, x.tau.data = r.tau;
        x.A.data = A2, x.B.data = B2, x.acceleration.data = a2;
        assert_int_equal(hml_linearize(r.model, r.work, &x), HML_OK);
        assert_int_equal(hml_reference_linearize(r.model, scratch, r.q, r.v, r.tau, a, A, B), HML_OK);
        worst_A = fmax(worst_A, off_by(A, A2, 4 * r.nv * r.nv));
        worst_B = fmax(worst_B, off_by(B, B2, 2 * r.nv * r.nv));
        worst_a = fmax(worst_a, off_by(a, a2, r.nv));
        free(scratch);
        robot_close(&r);
    }
    printf("reference against fast: A %.1e, B %.1e, acceleration %.1e\n", worst_A, worst_B, worst_a);
    assert_true(worst_A < 1e-11 && worst_B < 1e-11 && worst_a < 1e-11);
}

static void test_extended_inverse_dynamics_and_its_derivatives(void **state)
{
    (void)state;
    static double dq[NV * NV], dv[NV * NV], dq2[NV * NV], dv2[NV * NV];
    uint64_t seed = 62;
    for (int i = 0; i < 50; i++) {
        robot r;
        double a[NV], tau[NV], tau2[NV];
        robot_open(&r, &seed, &spec);
        void *scratch = scratch_for(&r);
        for (size_t k = 0; k < r.nv; k++) a[k] = draw(&seed); /* not consistent: τ_b is not zero */
        assert_int_equal(hml_reference_inverse_dynamics(r.model, scratch, r.q, r.v, a, tau), HML_OK);
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, a, NULL, tau2), HML_OK);
        assert_near("EIDAmb", tau, tau2, r.nv, 1e-13);
        assert_int_equal(hml_reference_inverse_dynamics_derivatives(r.model, scratch, HML_LEFT, r.q, r.v, a, dq, dv),
                         HML_OK);
        assert_int_equal(hml_inverse_dynamics_derivatives(r.model, r.work, r.q, r.v, a, NULL, dq2, dv2, NULL), HML_OK);
        assert_near("Tables 5 and 6", dq, dq2, r.nv * r.nv, 1e-12);
        assert_near("Tables 7 and 8", dv, dv2, r.nv * r.nv, 1e-12);
        free(scratch);
        robot_close(&r);
    }
}

static void test_consistent_accelerations_need_no_force_at_the_base(void **state)
{
    (void)state;
    uint64_t seed = 63;
    for (int i = 0; i < 50; i++) {
        robot r;
        double a[NV], tau[NV], again[NV], size = 0;
        robot_open(&r, &seed, &spec);
        void *scratch = scratch_for(&r);
        for (size_t k = 0; k < r.nv; k++) a[k] = k < 6 ? NAN : draw(&seed); /* the base's are written, not read */
        assert_int_equal(hml_reference_consistent_dynamics(r.model, scratch, r.q, r.v, a, tau), HML_OK);
        for (size_t k = 6; k < r.nv; k++) size = fmax(size, fabs(tau[k]));
        for (int k = 0; k < 6; k++) assert_true(fabs(tau[k]) < 1e-11 * size);
        /* and forward dynamics under these forces give these accelerations */
        for (int k = 0; k < 6; k++) tau[k] = 0;
        assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, tau, NULL, again), HML_OK);
        assert_near("consistent acceleration", again, a, r.nv, 1e-11);
        free(scratch);
        robot_close(&r);
    }
}

static void test_inverse_mass_matrix(void **state)
{
    (void)state;
    static double Minv[NV * NV], product[NV * NV], one[NV * NV];
    static oracle o;
    uint64_t seed = 64;
    for (int i = 0; i < 50; i++) {
        robot r;
        robot_open(&r, &seed, &spec);
        void *scratch = scratch_for(&r);
        size_t nv = r.nv;
        assert_int_equal(hml_reference_inverse_mass_matrix(r.model, scratch, r.q, Minv), HML_OK);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (size_t k = 0; k < nv * nv; k++) {
            one[k] = k % (nv + 1) == 0;
            product[k] = 0;
            for (size_t l = 0; l < nv; l++) product[k] += Minv[k / nv * nv + l] * o.M[l][k % nv];
        }
        assert_near("IMMAmb times M", product, one, nv * nv, 1e-10); /* ε times the condition of M */
        free(scratch);
        robot_close(&r);
    }
}

/* ---- flows ---- */

static void *flow_scratch;

static void by_reference(robot *r, const double *q, const double *v, double *A, double *B)
{
    double a[NV];
    assert_int_equal(hml_reference_linearize(r->model, flow_scratch, q, v, r->tau, a, A, B), HML_OK);
}

/* the A of (42) with Table 5 as printed in it */
static void by_table5_as_printed(robot *r, const double *q, const double *v, double *A, double *B)
{
    static double dq[NV * NV], dv[NV * NV];
    double a[NV];
    size_t nv = r->nv;
    assert_int_equal(hml_reference_linearize(r->model, flow_scratch, q, v, r->tau, a, A, B), HML_OK);
    assert_int_equal(hml_reference_inverse_dynamics_derivatives(r->model, flow_scratch, HML_RIGHT, q, v, a, dq, dv),
                     HML_OK);
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < 6; j++) {
            double sum = 0;
            for (size_t k = 0; k < nv; k++) sum -= B[(nv + i) * nv + k] * dq[k * nv + j];
            A[(nv + i) * 2 * nv + j] = sum;
        }
    }
}

static void test_the_flow_tells_table5_as_printed_from_the_right_one(void **state)
{
    (void)state;
    uint64_t seed = 65;
    double right = 0, least = 1;
    for (int i = 0; i < 10; i++) {
        robot r;
        draw_tree_spec small = spec;
        small.nbodies = 5;
        robot_open(&r, &seed, &small);
        flow_scratch = scratch_for(&r);
        uint64_t same = seed;
        right = fmax(right, flow_error(&r, HML_LEFT, 1e-3, 2, by_reference, &seed));
        least = fmin(least, flow_error(&r, HML_LEFT, 1e-3, 2, by_table5_as_printed, &same));
        free(flow_scratch);
        robot_close(&r);
    }
    printf("flow over 1 ms: Table 5 corrected %.1e at most, as printed %.1e at least\n", right, least);
    assert_true(right < 1e-9);
    assert_true(least > 1e-5); /* a term of the order of |v|² times a millisecond is missing */
}

static void test_other_robots_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 66;
    const draw_tree_spec others[] = {
        {.nbodies = 3, .root = HML_JOINT_REVOLUTE, .one_dof = 1},
        {.nbodies = 3, .root = HML_JOINT_FREE, .one_dof = 1, .passive = 1},
        {.nbodies = 12, .root = HML_JOINT_FREE},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        robot r;
        double a[NV], scratch[1];
        robot_open(&r, &seed, &others[i]);
        assert_int_equal(hml_reference_size(r.model), 0);
        assert_int_equal(hml_reference_inverse_dynamics(r.model, scratch, r.q, r.v, r.v, a), HML_UNSUPPORTED);
        robot_close(&r);
    }
    assert_int_equal(hml_reference_size(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linearization_against_the_fast_one),
        cmocka_unit_test(test_extended_inverse_dynamics_and_its_derivatives),
        cmocka_unit_test(test_consistent_accelerations_need_no_force_at_the_base),
        cmocka_unit_test(test_inverse_mass_matrix),
        cmocka_unit_test(test_the_flow_tells_table5_as_printed_from_the_right_one),
        cmocka_unit_test(test_other_robots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
