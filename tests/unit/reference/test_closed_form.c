/*
 * Closed forms of the equations of motion: (78) and (79) of Müller against the recursions, the momenta against their
 * own rates along a motion, and (84) as it is printed.
 */
#include "hamel/configuration.h"
#include "hamel/reference/textbook.h"
#include "motion_of_state.h"

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

static int has_crosses(const hml_model *m)
{
    for (int i = 0; i < m->nbodies; i++)
        if (!(model_bodies(m)[i].mass > 0)) return 1;
    return 0;
}

/* ν from its momenta; crosses of universal joints have none, and do not matter */
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
        assert_int_equal(hml_momentum_velocities(r.model, scratch, r.q, momenta, v), HML_OK);
        crosses += has_crosses(r.model);
        worst = fmax(worst, off_by(v, r.v, r.nv));
        momenta[3] = NAN;
        assert_int_equal(hml_momentum_velocities(r.model, scratch, r.q, momenta, v), HML_NOT_FINITE);
        assert_int_equal(hml_momentum_velocities(r.model, scratch, r.q, NULL, v), HML_INVALID_ARGUMENT);
        free(scratch);
        robot_close(&r);
    }
    printf("velocities from momenta: off by %.1e, %d robots with crosses\n", worst, crosses);
    assert_true(worst < 1e-11 && crosses > 0); /* momenta about the world's origin, some metres away */
}

/* momenta that no motion has: the normal equations, by brute force; a free base keeps their sum */
static void test_velocities_from_any_momenta(void **state)
{
    (void)state;
    static oracle o;
    uint64_t seed = 67;
    double worst = 0, kept = 0;
    for (int i = 0; i < 3 * ROBOT_SPECS; i++) {
        robot r;
        double v[NV], expected[NV], side[NV] = {0}, *momenta = r.wrenches, again[6 * ORACLE_BODIES], sum[2][6] = {{0}};
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        spec.passive = 0;
        robot_open(&r, &seed, &spec);
        int n = r.model->nbodies;
        void *scratch = malloc(hml_recursive_size(r.model));
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int b = 0; b < n; b++) {
            const double *w = momenta + 6 * b;
            wrench p = pose_ad_dual_inverse(o.H[b], wrench_at(w));
            for (size_t c = 0; c < r.nv; c++) side[c] += wrench_dot(p, o.J[b][c]);
        }
        oracle_solve((int)r.nv, o.M, side, expected);
        assert_int_equal(hml_momentum_velocities(r.model, scratch, r.q, momenta, v), HML_OK);
        worst = fmax(worst, off_by(v, expected, r.nv));
        assert_int_equal(hml_body_momenta(r.model, scratch, r.q, v, again), HML_OK);
        for (int k = 0; k < 6 * n; k++) sum[0][k % 6] += momenta[k], sum[1][k % 6] += again[k];
        if (spec.root == HML_JOINT_FREE) kept = fmax(kept, off_by(sum[1], sum[0], 6));
        free(scratch);
        robot_close(&r);
    }
    printf("velocities from any momenta: off by %.1e, their sum by %.1e\n", worst, kept);
    assert_true(worst < 1e-9 && kept < 1e-12); /* M is badly conditioned; the sum does not care */
}

/* bodies whose inertia is singular: what joints and masses together determine, and what they do not */
static void test_velocities_where_inertias_are_singular(void **state)
{
    (void)state;
    enum { CASES = 6 };
    static const struct {
        hml_joint_type type[3];
        double axis[3][3], com, moment; /* of the last body; the others have no inertia at all */
        hml_status status;
    } cases[CASES] = {
        /* two crossed slides without mass, then a turning body */
        {{HML_JOINT_PRISMATIC, HML_JOINT_PRISMATIC, HML_JOINT_REVOLUTE}, {{1}, {0, 1}, {0, 0, 1}}, 0.3, 0.1, HML_OK},
        /* a point mass on an arm of two revolutes: a wrist that turns nothing by itself */
        {{HML_JOINT_REVOLUTE, HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC}, {{0, 0, 1}, {0, 1}, {1}}, 0.7, 0, HML_OK},
        /* slides along one line: only their sum moves the mass */
        {{HML_JOINT_PRISMATIC, HML_JOINT_PRISMATIC, HML_JOINT_REVOLUTE}, {{1}, {1}, {0, 0, 1}}, 0.3, 0.1, HML_SINGULAR},
        /* a point mass on a ball joint: it may turn about the line to the mass */
        {{HML_JOINT_PRISMATIC, HML_JOINT_PRISMATIC, HML_JOINT_SPHERICAL}, {{1}, {0, 1}, {0}}, 0.3, 0, HML_SINGULAR},
        /* a point mass in its own joint's axis */
        {{HML_JOINT_PRISMATIC, HML_JOINT_PRISMATIC, HML_JOINT_REVOLUTE}, {{1}, {0, 1}, {0, 0, 1}}, 0, 0, HML_SINGULAR},
        /* a rigid body on a ball joint, on two slides */
        {{HML_JOINT_PRISMATIC, HML_JOINT_PRISMATIC, HML_JOINT_SPHERICAL}, {{1}, {0, 1}, {0}}, 0.3, 0.1, HML_OK},
    };
    for (int c = 0; c < CASES; c++) {
        const char *names[3] = {"a", "b", "c"};
        const double m = cases[c].moment;
        const hml_inertia_spec I = {2, {cases[c].com, 0, 0}, {m, 0, 0, 0, m, 0, 0, 0, m}};
        hml_builder *b = hml_builder_new();
        hml_model *model = NULL;
        for (int i = 0; i < 3; i++) {
            hml_joint_spec j;
            hml_joint_spec_init(&j, cases[c].type[i]);
            j.name = names[i], j.position[1] = 0.1 * i;
            memcpy(j.axis, cases[c].axis[i], sizeof j.axis);
            assert_int_equal(hml_builder_add_body(b, names[i], i ? names[i - 1] : NULL, &j, i < 2 ? NULL : &I, NULL),
                             HML_OK);
        }
        assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
        hml_builder_free(b);
        double q[NQ], v[NV] = {0.4, -0.3, 0.7, 0.2, -0.5}, found[NV], momenta[18];
        void *scratch = malloc(hml_recursive_size(model));
        assert_int_equal(hml_configuration_neutral(model, q), HML_OK);
        q[0] = 0.2, q[1] = -0.4;
        assert_int_equal(hml_body_momenta(model, scratch, q, v, momenta), HML_OK);
        assert_int_equal(hml_momentum_velocities(model, scratch, q, momenta, found), cases[c].status);
        if (!cases[c].status) assert_near("velocity", found, v, (size_t)hml_model_nv(model), 1e-13);
        free(scratch);
        hml_model_free(model);
    }
}

/* ---- (79) as a system of first order ---- */

/* Π̇ of every body against differences of its momentum along a motion */
static void test_rates_of_momenta(void **state)
{
    (void)state;
    const double step = 1e-3;
    uint64_t seed = 68;
    double worst = 0, solved = 0;
    for (int i = 0; i < 3 * ROBOT_SPECS; i++) {
        robot r;
        double rates[4][NV], slope[6 * ORACLE_BODIES] = {0}, at[6 * ORACLE_BODIES], found[6 * ORACLE_BODIES];
        double a[NV], v[NV];
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        size_t numbers = 6 * (size_t)r.model->nbodies;
        void *scratch = malloc(hml_recursive_size(r.model));
        for (int k = 0; k < 4 * NV; k++) rates[k / NV][k % NV] = draw(&seed);
        memcpy(r.v, rates[0], sizeof r.v);
        for (int k = 0; k < 4; k++) {
            double q[NQ];
            configuration_at(&r, rates, difference_at[k] * step, q);
            velocity_at(&r, rates, difference_at[k] * step, v, a);
            assert_int_equal(hml_body_momenta(r.model, scratch, q, v, at), HML_OK);
            for (size_t e = 0; e < numbers; e++) slope[e] += difference_first[k] * at[e] / (12 * step);
        }
        assert_int_equal(hml_body_momentum_rates(r.model, scratch, r.q, r.v, rates[1], found), HML_OK);
        worst = fmax(worst, off_by(found, slope, numbers));
        /* and with ν̇ from forces: the fast forward dynamics instead of the solved system */
        assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, r.tau, r.wrenches, a), HML_OK);
        assert_int_equal(hml_body_momentum_rates(r.model, scratch, r.q, r.v, a, slope), HML_OK);
        assert_int_equal(hml_body_momenta(r.model, scratch, r.q, r.v, at), HML_OK);
        assert_int_equal(hml_momentum_dynamics(r.model, scratch, r.q, at, r.tau, r.wrenches, v, found), HML_OK);
        solved = fmax(solved, off_by(found, slope, numbers));
        assert_near("velocity", v, r.v, r.nv, 1e-10);
        free(scratch);
        robot_close(&r);
    }
    printf("rates of momenta: off by %.1e; (79) solved: %.1e\n", worst, solved);
    assert_true(worst < 1e-9);  /* step⁴, and round-off over the step */
    assert_true(solved < 1e-9); /* M is badly conditioned */
}

typedef struct phase {
    double q[NQ], momenta[6 * ORACLE_BODIES];
} phase;

/* one step of the classical Runge-Kutta scheme for q and Π; q moves by commutators' rules as in flow.h */
static void phase_step(const robot *r, void *scratch, double h, phase *x)
{
    static const double first[4] = {0.25, 1.0 / 6, 1.0 / 6, -1.0 / 12}, last[4] = {-1.0 / 12, 1.0 / 6, 1.0 / 6, 0.25};
    static const double part[4] = {0, 0.5, 0.5, 1}, sum[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    static double F[4][NV], K[4][6 * ORACLE_BODIES];
    int n = 6 * r->model->nbodies;
    double q2[NQ] = {0}, z[NV];
    for (int s = 0; s < 4; s++) {
        phase y = *x;
        if (s == 3) memcpy(y.q, q2, sizeof q2); /* the fourth stage starts from the second */
        for (size_t i = 0; i < r->nv; i++) {
            z[i] = s == 0 ? 0 : s == 1 ? h / 2 * F[0][i] : s == 2 ? h / 2 * F[1][i] : h * (F[2][i] - F[0][i] / 2);
        }
        if (s) assert_int_equal(hml_configuration_integrate(r->model, y.q, z, y.q), HML_OK);
        if (s == 1) memcpy(q2, y.q, sizeof q2);
        for (int e = 0; s && e < n; e++) y.momenta[e] += part[s] * h * K[s - 1][e];
        assert_int_equal(hml_momentum_dynamics(r->model, scratch, y.q, y.momenta, NULL, NULL, F[s], K[s]), HML_OK);
    }
    for (int half = 0; half < 2; half++) {
        const double *w = half ? last : first;
        for (size_t i = 0; i < r->nv; i++)
            z[i] = h * (w[0] * F[0][i] + w[1] * F[1][i] + w[2] * F[2][i] + w[3] * F[3][i]);
        assert_int_equal(hml_configuration_integrate(r->model, x->q, z, x->q), HML_OK);
    }
    for (int s = 0; s < 4; s++)
        for (int e = 0; e < n; e++) x->momenta[e] += h * sum[s] * K[s][e];
}

/*
 * (79) integrated: a tumbling robot without gravity. The sum of the momenta is the same to rounding, whatever the step,
 * and so is that of the robot's motion; the single momenta leave M_i J_i ν with the fourth power of the step.
 */
static void test_momenta_integrated(void **state)
{
    (void)state;
    uint64_t seed = 69;
    robot r;
    const draw_tree_spec spec = {.nbodies = 5, .root = HML_JOINT_FREE, .points = 1};
    const double none[3] = {0, 0, 0}, duration = 0.5;
    double drift[3], lost = 0, q_end[3][NQ], difference[NV], error[2];
    robot_open(&r, &seed, &spec);
    assert_int_equal(hml_model_set_gravity(r.model, none), HML_OK);
    void *scratch = malloc(hml_recursive_size(r.model));
    int n = 6 * r.model->nbodies;
    for (int k = 0; k < 3; k++) {
        phase x;
        double start[6] = {0}, end[6] = {0}, carried[6] = {0}, own[6 * ORACLE_BODIES], v[NV];
        int steps = 50 << k;
        memcpy(x.q, r.q, sizeof x.q);
        assert_int_equal(hml_body_momenta(r.model, scratch, x.q, r.v, x.momenta), HML_OK);
        for (int e = 0; e < n; e++) start[e % 6] += x.momenta[e];
        for (int s = 0; s < steps; s++) phase_step(&r, scratch, duration / steps, &x);
        assert_int_equal(hml_momentum_velocities(r.model, scratch, x.q, x.momenta, v), HML_OK);
        assert_int_equal(hml_body_momenta(r.model, scratch, x.q, v, own), HML_OK);
        for (int e = 0; e < n; e++) carried[e % 6] += x.momenta[e], end[e % 6] += own[e];
        lost = fmax(lost, fmax(off_by(carried, start, 6), off_by(end, start, 6)));
        drift[k] = off_by(x.momenta, own, (size_t)n);
        memcpy(q_end[k], x.q, sizeof x.q);
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hml_configuration_difference(r.model, q_end[2], q_end[k], difference), HML_OK);
        error[k] = 0;
        for (size_t i = 0; i < r.nv; i++) error[k] = fmax(error[k], fabs(difference[i]));
    }
    printf("(79) integrated: total momentum off by %.1e; single ones by %.1e %.1e %.1e; error of q %.1e %.1e\n", lost,
           drift[0], drift[1], drift[2], error[0], error[1]);
    assert_true(lost < 1e-12);
    assert_true(log2(drift[0] / drift[1]) > 3.5 && log2(drift[1] / drift[2]) > 3.5 && drift[2] > 0);
    assert_true(log2(error[0] / error[1]) > 3.5);
    free(scratch);
    robot_close(&r);
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
    assert_int_equal(hml_body_momentum_rates(r.model, scratch, r.q, r.v, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_momentum_dynamics(r.model, scratch, r.q, rates, NULL, NULL, r.v, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_momentum_dynamics(r.model, scratch, r.q, rates, NULL, NULL, r.tau, out), HML_NOT_FINITE);
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
        cmocka_unit_test(test_velocities_from_any_momenta),
        cmocka_unit_test(test_velocities_where_inertias_are_singular),
        cmocka_unit_test(test_rates_of_momenta),
        cmocka_unit_test(test_momenta_integrated),
        cmocka_unit_test(test_84_as_printed_is_not_skew),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
