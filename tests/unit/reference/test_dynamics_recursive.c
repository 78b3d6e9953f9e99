/*
 * The Coriolis matrix, Christoffel's symbols, rates of forces and singular joints against differences and identities;
 * test_dynamics_agreement.c has the pairs of algorithms.
 */
#include "hamel/configuration.h"
#include "hamel/parameters.h"
#include "hamel/reference/textbook.h"
#include "motion_of_state.h"

static const double step = 1e-3;

/* dM along the direction z by central differences of order four */
static void mass_rate(robot *r, void *scratch, const double *z, double *rate)
{
    static double M[NV * NV];
    memset(rate, 0, r->nv * r->nv * sizeof *rate);
    for (int k = 0; k < 4; k++) {
        double q[NQ], move[NV];
        for (size_t i = 0; i < r->nv; i++) move[i] = difference_at[k] * step * z[i];
        assert_int_equal(hml_configuration_integrate(r->model, r->q, move, q), HML_OK);
        assert_int_equal(hml_crba(r->model, scratch, HML_CRBA_BODY, q, M), HML_OK);
        for (size_t i = 0; i < r->nv * r->nv; i++) rate[i] += difference_first[k] * M[i] / (12 * step);
    }
}

static void test_the_rate_of_M_is_C_plus_its_transpose(void **state)
{
    (void)state;
    static double C[NV * NV], Mdot[NV * NV], rate[NV * NV];
    uint64_t seed = 91;
    for (int i = 0; i < 5 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        assert_int_equal(hml_coriolis_matrix(r.model, scratch, r.q, r.v, C, Mdot), HML_OK);
        mass_rate(&r, scratch, r.v, rate);
        double off = 0, wrong = 0, size = 0; /* Ṁ − 2C + (Ṁ − 2C)ᵀ with Ṁ from differences */
        for (size_t k = 0; k < r.nv * r.nv; k++) {
            size_t t = k % r.nv * r.nv + k / r.nv;
            off = fmax(off, fabs(rate[k] - 2 * C[k] + rate[t] - 2 * C[t]));
            wrong = fmax(wrong, fabs(rate[k] - Mdot[k]));
            size = fmax(size, fabs(C[k]));
        }
        assert_true(off <= 1e-8 * size); /* h⁴, and round-off over h */
        assert_true(wrong <= 1e-8 * size);
        free(scratch);
        robot_close(&r);
    }
}

/* bracket[l + m·(j + m·k)] = component l of [E_k, E_j] within the joint of k and j; zero elsewhere */
static double structure(const hml_model *m, int l, int k, int j)
{
    for (int i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        if (k < b->v || k >= b->v + b->nv) continue;
        if (j < b->v || j >= b->v + b->nv || l < b->v || l >= b->v + b->nv) return 0;
        double e[6] = {0}, ad[36];
        e[k - b->v] = 1;
        joint_ad(b->type, e, ad);
        return ad[(l - b->v) * b->nv + j - b->v];
    }
    return 0;
}

/*
 * Koszul's formula for the left-invariant fields E: 2⟨∇_k E_j, E_i⟩ = E_k M_ij + E_j M_ik − E_i M_kj
 * + ⟨[E_k, E_j], E_i⟩ − ⟨[E_k, E_i], E_j⟩ − ⟨[E_j, E_i], E_k⟩. Armature is a number on the diagonal of M and nothing
 * else: rotors have no part in the metric.
 */
static void test_christoffel_symbols_are_those_of_levi_civita(void **state)
{
    (void)state;
    uint64_t seed = 92;
    for (int i = 0; i < 2 * ROBOT_SPECS; i++) {
        robot r;
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        if (spec.nbodies > 5) spec.nbodies = 5;
        robot_open(&r, &seed, &spec);
        void *scratch = malloc(hml_recursive_size(r.model));
        int n = (int)r.nv;
        size_t square = r.nv * r.nv;
        double *Gamma = malloc(square * r.nv * sizeof *Gamma), *expected = malloc(square * r.nv * sizeof *expected);
        double *dM = malloc(square * r.nv * sizeof *dM), *M = malloc(square * sizeof *M);
        double c[NV];
        assert_int_equal(hml_crba(r.model, scratch, HML_CRBA_BODY, r.q, M), HML_OK);
        for (int k = 0; k < n; k++) M[k * n + k] -= model_coordinates(r.model)[k].armature;
        for (int k = 0; k < n; k++) {
            memset(c, 0, sizeof c);
            c[k] = 1;
            mass_rate(&r, scratch, c, dM + (size_t)k * square);
        }
        for (int a = 0; a < n * n * n; a++) {
            int k = a % n, j = a / n % n, l = a / n / n; /* Γ_ljk */
            double sum = dM[k * n * n + l * n + j] + dM[j * n * n + l * n + k] - dM[l * n * n + k * n + j];
            for (int s = 0; s < n; s++) {
                sum += structure(r.model, s, k, j) * M[s * n + l] - structure(r.model, s, k, l) * M[s * n + j] -
                       structure(r.model, s, j, l) * M[s * n + k];
            }
            expected[a] = sum / 2;
        }
        assert_int_equal(hml_christoffel(r.model, scratch, r.q, Gamma), HML_OK);
        assert_near("Christoffel symbols", Gamma, expected, square * r.nv, 1e-8);
        free(Gamma), free(expected), free(dM), free(M), free(scratch);
        robot_close(&r);
    }
}

/* ---- rates of forces ---- */

/* wrenches in the bodies' frames at time t: W + t W' + t²/2 W'' */
static void wrenches_at(const robot *r, const double *series, double t, double *W)
{
    int n = 6 * r->model->nbodies;
    for (int k = 0; k < n; k++) W[k] = series[k] + t * (series[n + k] + t / 2 * series[2 * n + k]);
}

/* every joint type with springs, and wrenches that change: τ, τ', τ'' against differences of inverse dynamics */
static void test_rates_of_forces_along_motions(void **state)
{
    (void)state;
    uint64_t seed = 93;
    double worst[2] = {0};
    int springs = 0;
    for (int i = 0; i < 12 * ROBOT_SPECS; i++) {
        robot r;
        double rate[4][NV], tau[NV], dtau[NV], ddtau[NV], expected[NV], dexpected[NV] = {0}, ddexpected[NV];
        double series[18 * ORACLE_BODIES], W[6 * ORACLE_BODIES];
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        if (i % 4 == 0) spec.passive = 1;
        robot_open(&r, &seed, &spec);
        void *scratch = malloc(hml_recursive_size(r.model));
        for (int k = 0; k < 4; k++) {
            for (size_t l = 0; l < r.nv; l++) rate[k][l] = draw(&seed);
        }
        for (int k = 0; k < 18 * r.model->nbodies; k++) series[k] = 3 * draw(&seed);
        for (int b = 0; spec.passive && b < r.model->nbodies; b++) { /* a log far from π can be differentiated */
            const model_body *m = &model_bodies(r.model)[b];
            double log[HML_JOINT_MAX_NV];
            springs |= 1 << m->type;
            if (quaternion_at(m->type) < 0) continue;
            joint_difference(m->type, &model_rest(r.model)[m->q], &r.q[m->q], log);
            for (int k = 0; k < m->nv; k++) log[k] *= 0.5;
            joint_integrate(m->type, &model_rest(r.model)[m->q], log, &r.q[m->q]);
        }
        const double *outer = i % 3 ? series : NULL;
        assert_int_equal(
            hml_force_rates(r.model, scratch, r.q, rate[0], rate[1], rate[2], rate[3], outer, tau, dtau, ddtau),
            HML_OK);
        wrenches_at(&r, series, 0, W);
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, rate[0], rate[1], outer ? W : NULL, expected),
                         HML_OK);
        assert_near("force", tau, expected, r.nv, 1e-12);
        for (size_t l = 0; l < r.nv; l++) ddexpected[l] = DIFFERENCE_MIDDLE * expected[l] / (12 * step * step);
        for (int k = 0; k < 4; k++) {
            double q[NQ], v[NV], a[NV], t = difference_at[k] * step;
            configuration_at(&r, rate, t, q);
            velocity_at(&r, rate, t, v, a);
            wrenches_at(&r, series, t, W);
            assert_int_equal(hml_inverse_dynamics(r.model, r.work, q, v, a, outer ? W : NULL, expected), HML_OK);
            for (size_t l = 0; l < r.nv; l++) {
                dexpected[l] += difference_first[k] * expected[l] / (12 * step);
                ddexpected[l] += difference_second[k] * expected[l] / (12 * step * step);
            }
        }
        worst[0] = fmax(worst[0], off_by(dtau, dexpected, r.nv));
        worst[1] = fmax(worst[1], off_by(ddtau, ddexpected, r.nv));
        free(scratch);
        robot_close(&r);
    }
    printf("rates of forces: off by %.1e and %.1e\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-8);
    assert_true(worst[1] < 1e-6); /* round-off over h² */
    int groups = 1 << HML_JOINT_PLANAR | 1 << HML_JOINT_SPHERICAL | 1 << HML_JOINT_SCHOENFLIES | 1 << HML_JOINT_FREE;
    assert_int_equal(springs & groups, groups); /* every group that does not commute had springs */
}

/* gravity, once as the model's and once as external wrenches that keep their direction in the world */
static void test_a_wrench_that_keeps_its_direction(void **state)
{
    (void)state;
    static oracle o;
    uint64_t seed = 95;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        robot r;
        double x[3][NV], y[3][NV], jerk[NV], snap[NV], series[18 * ORACLE_BODIES];
        const double none[3] = {0, 0, 0};
        robot_open(&r, &seed, &robot_specs[i]);
        int n = r.model->nbodies;
        void *scratch = malloc(hml_recursive_size(r.model));
        for (size_t k = 0; k < NV; k++) jerk[k] = draw(&seed), snap[k] = draw(&seed);
        assert_int_equal(hml_force_rates(r.model, scratch, r.q, r.v, r.tau, jerk, snap, NULL, x[0], x[1], x[2]),
                         HML_OK);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int b = 0; b < n; b++) { /* the weights of all bodies */
            inertia I = oracle_inertia(&model_bodies(r.model)[b]);
            vec3 g = mat3_tmul_vec(o.H[b].R, oracle_vec3(r.model->gravity));
            vec3 w = o.v[b].w, dw = o.bias[b].w; /* ω and ω', in the body */
            for (size_t c = 0; c < r.nv; c++) dw = vec3_axpy(r.tau[c], o.J[b][c].w, dw);
            wrench W[3] = {wrench_of(vec3_scale(I.m, g), vec3_cross(I.h, g)), wrench_zero(), wrench_zero()};
            vec3 dg = vec3_neg(vec3_cross(w, g)), ddg = vec3_neg(vec3_add(vec3_cross(dw, g), vec3_cross(w, dg)));
            W[1] = wrench_of(vec3_scale(I.m, dg), vec3_cross(I.h, dg));
            W[2] = wrench_of(vec3_scale(I.m, ddg), vec3_cross(I.h, ddg));
            for (int k = 0; k < 3; k++) {
                const double numbers[6] = {W[k].f.x, W[k].f.y, W[k].f.z, W[k].t.x, W[k].t.y, W[k].t.z};
                memcpy(series + 6 * (k * n + b), numbers, sizeof numbers);
            }
        }
        assert_int_equal(hml_model_set_gravity(r.model, none), HML_OK);
        assert_int_equal(hml_force_rates(r.model, scratch, r.q, r.v, r.tau, jerk, snap, series, y[0], y[1], y[2]),
                         HML_OK);
        for (int k = 0; k < 3; k++) assert_near("weights as wrenches", y[k], x[k], r.nv, 1e-12);
        series[18 * n - 1] = INFINITY;
        assert_int_equal(hml_force_rates(r.model, scratch, r.q, r.v, r.tau, jerk, snap, series, NULL, y[1], NULL),
                         HML_NOT_FINITE);
        free(scratch);
        robot_close(&r);
    }
}

/* ---- what is refused ---- */

static void test_singular_and_bad_inputs(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    robot r;
    const char *names[] = {"trunk", "hand"};
    const hml_inertia_spec I = {1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 2; i++) {
        hml_joint_spec j;
        hml_joint_spec_init(&j, i ? HML_JOINT_REVOLUTE : HML_JOINT_FREE);
        j.name = names[i], j.axis[0] = 1;
        assert_int_equal(hml_builder_add_body(b, names[i], i ? "trunk" : NULL, &j, i ? NULL : &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
    hml_builder_free(b);
    robot_take(&r, m, HML_ISA_BEST);
    void *scratch = malloc(hml_recursive_size(m));
    double a[NV] = {0}, tau[NV] = {0}, bad[NV] = {NAN};
    int prescribed[2] = {0, 1};
    assert_int_equal(hml_configuration_neutral(m, r.q), HML_OK);
    assert_int_equal(hml_aba(m, scratch, r.q, r.v, r.tau, NULL, a), HML_SINGULAR);
    assert_int_equal(hml_hybrid_dynamics(m, scratch, prescribed, r.q, r.v, NULL, a, tau), HML_OK); /* the hand is led */
    prescribed[0] = 1;
    assert_int_equal(hml_hybrid_dynamics(m, scratch, prescribed, r.q, r.v, NULL, bad, tau), HML_NOT_FINITE);
    assert_int_equal(hml_rnea(m, scratch, HML_LEFT, r.q, bad, a, NULL, tau), HML_NOT_FINITE);
    assert_int_equal(hml_rnea(m, scratch, (hml_representation)7, r.q, r.v, a, NULL, tau), HML_INVALID_ARGUMENT);
    r.q[3] = 2;
    assert_int_equal(hml_crba(m, scratch, HML_CRBA_ROOT, r.q, a), HML_NOT_NORMALIZED);
    free(scratch);
    robot_close(&r);
    assert_int_equal(hml_recursive_size(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rate_of_M_is_C_plus_its_transpose),
        cmocka_unit_test(test_christoffel_symbols_are_those_of_levi_civita),
        cmocka_unit_test(test_rates_of_forces_along_motions),
        cmocka_unit_test(test_a_wrench_that_keeps_its_direction),
        cmocka_unit_test(test_singular_and_bad_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
