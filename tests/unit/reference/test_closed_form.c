/*
 * Closed forms of the equations of motion: (78) and (79) of Müller against the recursions, the momenta against their
 * own rates along a motion, and (84) as it is printed.
 */
#include "dynamics_check.h"
#include "hamel/closed_form.h"
#include "hamel/coriolis.h"
#include "hamel/recursive.h"

static void test_euler_jourdain_is_newton_euler(void **state)
{
    (void)state;
    uint64_t seed = 61;
    double worst = 0;
    for (int i = 0; i < 20 * ROBOT_SPECS; i++) {
        robot r;
        double expected[NV], tau[NV];
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        const double *wrenches = i % 2 ? r.wrenches : NULL;
        assert_int_equal(hml_rnea(r.model, scratch, HML_LEFT, r.q, r.v, r.tau, wrenches, expected), HML_OK);
        assert_int_equal(hml_euler_jourdain(r.model, scratch, r.q, r.v, r.tau, wrenches, tau), HML_OK);
        worst = fmax(worst, off_by(tau, expected, r.nv));
        free(scratch);
        robot_close(&r);
    }
    printf("Euler-Jourdain: off by %.1e\n", worst);
    assert_true(worst < 1e-13); /* some dozen products of poses and sums over the tree */
}

/* momenta of all bodies after the time t, with ν̇ = a held */
static void momenta_at(const robot *r, void *scratch, const double *a, double t, double *momenta)
{
    double q[NQ], v[NV], z[NV];
    for (size_t i = 0; i < r->nv; i++) v[i] = r->v[i] + t * a[i], z[i] = t * (r->v[i] + t / 2 * a[i]);
    for (int b = 0; b < r->model->nbodies; b++) { /* Magnus: [ν, ν̇] t³/12 besides */
        const model_body *m = &model_bodies(r->model)[b];
        double ad[36];
        joint_ad(m->type, &r->v[m->v], ad);
        for (int k = 0; k < m->nv * m->nv; k++) z[m->v + k / m->nv] += t * t * t / 12 * ad[k] * a[m->v + k % m->nv];
    }
    assert_int_equal(hml_configuration_integrate(r->model, r->q, z, q), HML_OK);
    assert_int_equal(hml_body_momenta(r->model, scratch, q, v, momenta), HML_OK);
}

/* Π̇ by central differences of order four; then the first line of (79) gives the forces */
static void test_rates_of_momenta_give_forces(void **state)
{
    (void)state;
    const double step = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    uint64_t seed = 62;
    double worst = 0;
    for (int i = 0; i < 5 * ROBOT_SPECS; i++) {
        robot r;
        double a[NV], expected[NV], tau[NV], rates[6 * ORACLE_BODIES] = {0}, momenta[6 * ORACLE_BODIES];
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        spec.passive = 0;
        robot_open(&r, &seed, &spec);
        void *scratch = malloc(hml_recursive_size(r.model));
        size_t numbers = 6 * (size_t)r.model->nbodies;
        memcpy(a, r.tau, sizeof a);
        for (int k = 0; k < 4; k++) {
            momenta_at(&r, scratch, a, at[k] * step, momenta);
            for (size_t j = 0; j < numbers; j++) rates[j] += weight[k] * momenta[j] / (12 * step);
        }
        assert_int_equal(hml_rnea(r.model, scratch, HML_LEFT, r.q, r.v, a, r.wrenches, expected), HML_OK);
        assert_int_equal(hml_momentum_forces(r.model, scratch, r.q, rates, r.wrenches, tau), HML_OK);
        worst = fmax(worst, off_by(tau, expected, r.nv));
        free(scratch);
        robot_close(&r);
    }
    printf("forces from momenta: off by %.1e\n", worst);
    assert_true(worst < 1e-8); /* step⁴, and round-off over the step */
}

static void test_momenta_add_up(void **state)
{
    (void)state;
    static double M[NV * NV], h[NV];
    uint64_t seed = 63;
    for (int i = 0; i < 2 * ROBOT_SPECS; i++) {
        robot r;
        double momenta[6 * ORACLE_BODIES], sum[6] = {0}, total[6];
        hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h, .momentum = total};
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        assert_int_equal(hml_body_momenta(r.model, scratch, r.q, r.v, momenta), HML_OK);
        assert_int_equal(hml_dynamics(r.model, r.work, r.q, r.v, NULL, NULL, &x), HML_OK);
        for (int k = 0; k < 6 * r.model->nbodies; k++) sum[k % 6] += momenta[k];
        assert_near("momentum", sum, total, 6, 1e-13);
        free(scratch);
        robot_close(&r);
    }
}

/* a joint that moves nothing with a mass is the cross of a universal joint */
static int has_crosses(const hml_model *m)
{
    for (int i = 0; i < m->nbodies; i++)
        if (!(model_bodies(m)[i].mass > 0)) return 1;
    return 0;
}

static void test_velocities_from_momenta(void **state)
{
    (void)state;
    uint64_t seed = 66;
    double worst = 0;
    int crosses = 0;
    for (int i = 0; i < 5 * ROBOT_SPECS; i++) {
        robot r;
        double momenta[6 * ORACLE_BODIES], v[NV];
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        assert_int_equal(hml_body_momenta(r.model, scratch, r.q, r.v, momenta), HML_OK);
        hml_status status = hml_momentum_velocities(r.model, scratch, r.q, momenta, v);
        assert_int_equal(status, has_crosses(r.model) ? HML_SINGULAR : HML_OK);
        crosses += status == HML_SINGULAR;
        if (!status) worst = fmax(worst, off_by(v, r.v, r.nv));
        momenta[3] = NAN;
        assert_int_equal(hml_momentum_velocities(r.model, scratch, r.q, momenta, v), HML_NOT_FINITE);
        assert_int_equal(hml_momentum_velocities(r.model, scratch, r.q, NULL, v), HML_INVALID_ARGUMENT);
        free(scratch);
        robot_close(&r);
    }
    printf("velocities from momenta: off by %.1e, %d robots with crosses refused\n", worst, crosses);
    assert_true(worst < 1e-11 && crosses > 0); /* momenta about the world's origin, some metres away */
}

/*
 * (84) as printed is C = Σ Jᵀ (M J̇ − ad_Vᵀ M J), with J̇_ij = (Ad V_j − V_i) × J_ij. C ν is right; Ṁ − 2C is not skew,
 * where Ṁ = Σ J̇ᵀ M J + Jᵀ M J̇. hml_coriolis_matrix has the one that is.
 */
static void test_84_as_printed_is_not_skew(void **state)
{
    (void)state;
    static oracle o;
    static double C[NV * NV], right[NV * NV], Mdot[NV * NV];
    uint64_t seed = 64;
    double off = 0, skew = 0, printed = INFINITY;
    for (int t = 0; t < 10; t++) {
        robot r;
        draw_tree_spec spec = {.nbodies = 6, .root = HML_JOINT_REVOLUTE, .one_dof = 1, .points = 1};
        robot_open(&r, &seed, &spec);
        void *scratch = malloc(hml_recursive_size(r.model));
        size_t n = r.nv;
        oracle_run(r.model, r.q, r.v, NULL, &o);
        memset(C, 0, sizeof C), memset(Mdot, 0, sizeof Mdot);
        for (int i = 0; i < r.model->nbodies; i++) {
            inertia I = oracle_inertia(&model_bodies(r.model)[i]);
            twist Jdot[NV];
            for (size_t c = 0; c < n; c++) Jdot[c] = twist_zero();
            for (int j = i; j >= 0; j = model_bodies(r.model)[j].parent) {
                size_t c = (size_t)model_bodies(r.model)[j].v;
                twist V = pose_ad(pose_between(o.H[i], o.H[j]), o.v[j]);
                Jdot[c] = twist_cross(twist_sub(V, o.v[i]), o.J[i][c]);
            }
            for (size_t k = 0; k < n * n; k++) {
                size_t row = k / n, c = k % n;
                wrench own = inertia_mul(I, Jdot[c]), turned = twist_cross_dual(o.v[i], inertia_mul(I, o.J[i][c]));
                C[k] += wrench_dot(wrench_add(own, turned), o.J[i][row]);
                Mdot[k] += wrench_dot(own, o.J[i][row]) + wrench_dot(inertia_mul(I, Jdot[row]), o.J[i][c]);
            }
        }
        double Cv[NV] = {0}, expected[NV] = {0}, size = 0, lack = 0, lack_printed = 0;
        assert_int_equal(hml_coriolis_matrix(r.model, scratch, r.q, r.v, right, NULL), HML_OK);
        for (size_t k = 0; k < n * n; k++) {
            size_t k_t = k % n * n + k / n;
            Cv[k / n] += C[k] * r.v[k % n], expected[k / n] += right[k] * r.v[k % n];
            size = fmax(size, fabs(right[k]));
            lack_printed = fmax(lack_printed, fabs(Mdot[k] - 2 * C[k] + Mdot[k_t] - 2 * C[k_t]));
            lack = fmax(lack, fabs(Mdot[k] - 2 * right[k] + Mdot[k_t] - 2 * right[k_t]));
        }
        off = fmax(off, off_by(Cv, expected, n));
        skew = fmax(skew, lack / size), printed = fmin(printed, lack_printed / size);
        free(scratch);
        robot_close(&r);
    }
    printf("(84): C v off by %.1e; its skewness off by %.1e at least, ours by %.1e at most\n", off, printed, skew);
    assert_true(off < 1e-13 && skew < 1e-13);
    assert_true(printed > 0.05);
}

static void test_refusals(void **state)
{
    (void)state;
    uint64_t seed = 65;
    robot r;
    double out[6 * ORACLE_BODIES], rates[6 * ORACLE_BODIES] = {0};
    robot_open(&r, &seed, &robot_specs[1]);
    void *scratch = malloc(hml_recursive_size(r.model));
    assert_int_equal(hml_euler_jourdain(r.model, scratch, r.q, r.v, NULL, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_euler_jourdain(r.model, NULL, r.q, r.v, r.tau, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_momenta(r.model, scratch, r.q, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_momenta(NULL, scratch, r.q, r.v, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_momentum_forces(r.model, scratch, r.q, NULL, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_momentum_forces(r.model, scratch, NULL, rates, NULL, out), HML_INVALID_ARGUMENT);
    rates[7] = NAN;
    assert_int_equal(hml_momentum_forces(r.model, scratch, r.q, rates, NULL, out), HML_NOT_FINITE);
    r.v[0] = INFINITY;
    assert_int_equal(hml_body_momenta(r.model, scratch, r.q, r.v, out), HML_NOT_FINITE);
    free(scratch);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_euler_jourdain_is_newton_euler),
        cmocka_unit_test(test_rates_of_momenta_give_forces),
        cmocka_unit_test(test_momenta_add_up),
        cmocka_unit_test(test_velocities_from_momenta),
        cmocka_unit_test(test_84_as_printed_is_not_skew),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
