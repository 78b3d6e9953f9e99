/*
 * The Coriolis matrix, Christoffel's symbols, rates of forces and singular joints against differences and identities;
 * test_dynamics_agreement.c has the pairs of algorithms.
 */
#include "dynamics_check.h"
#include "hamel/coriolis.h"
#include "hamel/recursive.h"
#include "hamel/regressor.h"

static const double step = 1e-3, at[4] = {-2, -1, 1, 2}, first[4] = {1, -8, 8, -1};

/* dM along the direction z by central differences of order four */
static void mass_rate(robot *r, void *scratch, const double *z, double *rate)
{
    static double M[NV * NV];
    memset(rate, 0, r->nv * r->nv * sizeof *rate);
    for (int k = 0; k < 4; k++) {
        double q[NQ], move[NV];
        for (size_t i = 0; i < r->nv; i++) move[i] = at[k] * step * z[i];
        assert_int_equal(hml_configuration_integrate(r->model, r->q, move, q), HML_OK);
        assert_int_equal(hml_crba(r->model, scratch, HML_CRBA_BODY, q, M), HML_OK);
        for (size_t i = 0; i < r->nv * r->nv; i++) rate[i] += first[k] * M[i] / (12 * step);
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

/* ν and its derivatives at time t when snap is constant */
static void velocity_at(const robot *r, double rate[4][NV], double t, double *v, double *a)
{
    for (size_t i = 0; i < r->nv; i++) {
        v[i] = rate[0][i] + t * (rate[1][i] + t / 2 * (rate[2][i] + t / 3 * rate[3][i]));
        a[i] = rate[1][i] + t * (rate[2][i] + t / 2 * rate[3][i]);
    }
}

/* q(t) with q̇ = q ν(t), in four steps of a method of order four (Magnus: two Gauss points and their bracket) */
static void configuration_at(const robot *r, double rate[4][NV], double t, double *q)
{
    memcpy(q, r->q, sizeof r->q);
    for (int s = 0; s < 4; s++) {
        double h = t / 4, v1[NV], v2[NV], z[NV], a[NV], root = sqrt(3.0) / 6;
        velocity_at(r, rate, h * (s + 0.5 - root), v1, a);
        velocity_at(r, rate, h * (s + 0.5 + root), v2, a);
        for (size_t i = 0; i < r->nv; i++) z[i] = h / 2 * (v1[i] + v2[i]);
        for (int b = 0; b < r->model->nbodies; b++) { /* q·exp: + √3/12 h² [ν(c₁), ν(c₂)] */
            const model_body *m = &model_bodies(r->model)[b];
            double ad[36];
            joint_ad(m->type, &v1[m->v], ad);
            for (int k = 0; k < m->nv * m->nv; k++)
                z[m->v + k / m->nv] += sqrt(3.0) / 12 * h * h * ad[k] * v2[m->v + k % m->nv];
        }
        assert_int_equal(hml_configuration_integrate(r->model, q, z, q), HML_OK);
    }
}

static void test_rates_of_forces_along_motions(void **state)
{
    (void)state;
    const double second[4] = {-1, 16, 16, -1};
    uint64_t seed = 93;
    for (int i = 0; i < 5 * ROBOT_SPECS; i++) {
        robot r;
        double rate[4][NV], tau[NV], dtau[NV], ddtau[NV], expected[NV], dexpected[NV] = {0}, ddexpected[NV];
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        if (spec.passive) spec.one_dof = 1, spec.root = HML_JOINT_CYLINDRICAL; /* springs on joints that commute */
        robot_open(&r, &seed, &spec);
        void *scratch = malloc(hml_recursive_size(r.model));
        for (int k = 0; k < 4; k++) {
            for (size_t l = 0; l < r.nv; l++) rate[k][l] = draw(&seed);
        }
        assert_int_equal(hml_force_rates(r.model, scratch, r.q, rate[0], rate[1], rate[2], rate[3], tau, dtau, ddtau),
                         HML_OK);
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, rate[0], rate[1], NULL, expected), HML_OK);
        assert_near("force", tau, expected, r.nv, 1e-12);
        for (size_t l = 0; l < r.nv; l++) ddexpected[l] = -30 * expected[l] / (12 * step * step);
        for (int k = 0; k < 4; k++) {
            double q[NQ], v[NV], a[NV];
            configuration_at(&r, rate, at[k] * step, q);
            velocity_at(&r, rate, at[k] * step, v, a);
            assert_int_equal(hml_inverse_dynamics(r.model, r.work, q, v, a, NULL, expected), HML_OK);
            for (size_t l = 0; l < r.nv; l++) {
                dexpected[l] += first[k] * expected[l] / (12 * step);
                ddexpected[l] += second[k] * expected[l] / (12 * step * step);
            }
        }
        assert_near("rate of force", dtau, dexpected, r.nv, 1e-8);
        assert_near("second rate of force", ddtau, ddexpected, r.nv, 1e-6); /* round-off over h² */
        free(scratch);
        robot_close(&r);
    }
}

static void test_springs_on_joints_that_do_not_commute_have_no_rates(void **state)
{
    (void)state;
    uint64_t seed = 94;
    robot r;
    double x[3][NV];
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 1, .root = HML_JOINT_SPHERICAL, .passive = 1});
    void *scratch = malloc(hml_recursive_size(r.model));
    assert_int_equal(hml_force_rates(r.model, scratch, r.q, r.v, r.v, r.v, r.v, x[0], x[1], x[2]), HML_UNSUPPORTED);
    free(scratch);
    robot_close(&r);
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
        cmocka_unit_test(test_springs_on_joints_that_do_not_commute_have_no_rates),
        cmocka_unit_test(test_singular_and_bad_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
