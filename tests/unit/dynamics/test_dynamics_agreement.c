/*
 * Every pair of algorithms that compute the same thing, on a thousand random trees with all types of joints and up to
 * sixty bodies: one table of worst differences.
 */
#include "dynamics_check.h"
#include "hamel/parameters.h"
#include "hamel/reference/textbook.h"

enum { TREES = 1000, MOST = 60 };

/* a robot of up to `bodies` bodies, fewer where it has too many coordinates for the arrays here */
static void some_robot(robot *r, uint64_t *seed, int index)
{
    draw_tree_spec spec = robot_specs[index % ROBOT_SPECS];
    int bodies = 1 + index % MOST;
    for (hml_model *m = NULL; !m; bodies--) {
        spec.nbodies = bodies;
        m = draw_tree(seed, &spec);
        assert_non_null(m);
        if (m->nv > NV || m->nbodies > ORACLE_BODIES) {
            hml_model_free(m);
            m = NULL;
            continue;
        }
        robot_take(r, m, HML_ISA_BEST);
    }
    robot_state(r, seed);
}

typedef struct row {
    const char *what, *one, *other;
} row;

/*
 * The bound is 1e-11. Forces and M are sums of products: round-off. Accelerations were divided by M; of chains of
 * dozens of bodies with random inertias it has condition numbers up to 1e7, so they are compared where that does not
 * show, as forces M ν̇.
 */
enum {
    RNEA_RIGHT,
    RNEA_MIXED,
    RNEA_SPLIT,
    RNEA_KERNEL,
    RNEA_ORACLE,
    REGRESSOR,
    RATES,
    CRBA_ROOT,
    CRBA_KERNEL,
    CRBA_ORACLE,
    ABA_KERNEL,
    ABA_FORCE,
    HYBRID_ABA,
    HYBRID_MIXED,
    CORIOLIS_BIAS,
    ENERGY,
    POTENTIAL,
    MOMENTUM,
    ROWS
};

static double worst[ROWS];
static int trees[ROWS];
static const row table[ROWS] = {
    [RNEA_RIGHT] = {"forces", "rnea left", "rnea right"},
    [RNEA_MIXED] = {"forces", "rnea left", "rnea mixed"},
    [RNEA_SPLIT] = {"forces", "rnea left", "rnea split"},
    [RNEA_KERNEL] = {"forces", "rnea left", "hml_inverse_dynamics"},
    [RNEA_ORACLE] = {"forces", "rnea left", "brute force M a + h"},
    [REGRESSOR] = {"forces", "rnea left", "regressor"},
    [RATES] = {"forces", "rnea left", "force rates"},
    [CRBA_ROOT] = {"M", "crba body", "crba root"},
    [CRBA_KERNEL] = {"M", "crba body", "hml_dynamics"},
    [CRBA_ORACLE] = {"M", "crba body", "brute force"},
    [ABA_KERNEL] = {"M a", "aba", "hml_forward_dynamics"},
    [ABA_FORCE] = {"forces", "aba, then rnea", "what was given"},
    [HYBRID_ABA] = {"M a", "aba", "hybrid, none prescribed"},
    [HYBRID_MIXED] = {"forces", "hybrid, then rnea", "what was given"},
    [CORIOLIS_BIAS] = {"forces", "C v + gravity", "h"},
    [ENERGY] = {"energy", "kinetic regressor", "hml_dynamics"},
    [POTENTIAL] = {"energy", "potential regressor", "hml_dynamics"},
    [MOMENTUM] = {"momentum", "regressor", "hml_dynamics"},
};

/* against the largest entry of y, or of scale where that is larger */
static void note(int which, const double *x, const double *y, size_t n, double scale)
{
    double size = scale, off = 0;
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fabs(y[i]));
        double d = fabs(x[i] - y[i]);
        if (!(d <= off)) off = d;
    }
    if (!(off / size <= worst[which])) worst[which] = off / size;
    trees[which]++;
}

static void times(size_t n, const double *M, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t k = 0; k < n; k++) y[i] += M[i * n + k] * x[k];
    }
}

static void compare_forces(robot *r, void *scratch, const double *a, const double *M)
{
    static oracle o;
    static double Y[NV * 10 * ORACLE_BODIES], pi[10 * ORACLE_BODIES];
    double left[NV], other[NV], none[NV] = {0};
    const int forms[3] = {RNEA_RIGHT, RNEA_MIXED, RNEA_SPLIT};
    assert_int_equal(hml_rnea(r->model, scratch, HML_LEFT, r->q, r->v, a, r->wrenches, left), HML_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(hml_rnea(r->model, scratch, (hml_representation)(k + 1), r->q, r->v, a, r->wrenches, other),
                         HML_OK);
        note(forms[k], other, left, r->nv, 0);
    }
    assert_int_equal(hml_inverse_dynamics(r->model, r->work, r->q, r->v, a, r->wrenches, other), HML_OK);
    note(RNEA_KERNEL, other, left, r->nv, 0);
    oracle_run(r->model, r->q, r->v, r->wrenches, &o);
    times(r->nv, M, a, other);
    for (size_t k = 0; k < r->nv; k++) other[k] += o.h[k];
    note(RNEA_ORACLE, other, left, r->nv, 0);
    static double pushed[18 * ORACLE_BODIES]; /* wrenches that do not change in their bodies */
    memset(pushed, 0, sizeof pushed);
    memcpy(pushed, r->wrenches, 6 * (size_t)r->model->nbodies * sizeof *pushed);
    assert_int_equal(hml_force_rates(r->model, scratch, r->q, r->v, a, none, none, pushed, other, NULL, NULL), HML_OK);
    note(RATES, other, left, r->nv, 0);
    assert_int_equal(hml_rnea(r->model, scratch, HML_LEFT, r->q, r->v, a, NULL, left), HML_OK);
    if (r->model->passive) return;
    size_t columns = 10 * (size_t)r->model->nbodies;
    assert_int_equal(hml_regressor(r->model, scratch, r->q, r->v, a, Y), HML_OK);
    assert_int_equal(hml_model_parameters(r->model, pi), HML_OK);
    for (size_t i = 0; i < r->nv; i++) {
        other[i] = 0;
        for (size_t k = 0; k < columns; k++) other[i] += Y[i * columns + k] * pi[k];
    }
    note(REGRESSOR, other, left, r->nv, 0);
}

static void compare_accelerations(robot *r, void *scratch, const double *M)
{
    double aba[NV], a[NV], tau[NV], x[NV], y[NV];
    int prescribed[ORACLE_BODIES] = {0};
    assert_int_equal(hml_aba(r->model, scratch, r->q, r->v, r->tau, r->wrenches, aba), HML_OK);
    times(r->nv, M, aba, x);
    assert_int_equal(hml_forward_dynamics(r->model, r->work, r->q, r->v, r->tau, r->wrenches, a), HML_OK);
    times(r->nv, M, a, y);
    note(ABA_KERNEL, y, x, r->nv, 0);
    assert_int_equal(hml_rnea(r->model, scratch, HML_LEFT, r->q, r->v, aba, r->wrenches, tau), HML_OK);
    double size = 0; /* forces that cancel to what was given */
    for (size_t k = 0; k < r->nv; k++) size = fmax(size, fabs(x[k]));
    note(ABA_FORCE, tau, r->tau, r->nv, size);

    memcpy(tau, r->tau, sizeof tau);
    assert_int_equal(hml_hybrid_dynamics(r->model, scratch, prescribed, r->q, r->v, r->wrenches, a, tau), HML_OK);
    times(r->nv, M, a, y);
    note(HYBRID_ABA, y, x, r->nv, 0);

    /* every third joint prescribed: its acceleration stays, the others' forces stay, and the motion needs them */
    double given_a[NV], given_tau[NV], needed[NV];
    for (size_t k = 0; k < r->nv; k++)
        a[k] = given_a[k] = 0.3 + 0.1 * (double)(k % 7), tau[k] = given_tau[k] = r->tau[k];
    for (int b = 0; b < r->model->nbodies; b++) prescribed[b] = b % 3 == 1;
    assert_int_equal(hml_hybrid_dynamics(r->model, scratch, prescribed, r->q, r->v, r->wrenches, a, tau), HML_OK);
    assert_int_equal(hml_rnea(r->model, scratch, HML_LEFT, r->q, r->v, a, r->wrenches, needed), HML_OK);
    for (int b = 0; b < r->model->nbodies; b++) {
        const model_body *m = &model_bodies(r->model)[b];
        for (int k = m->v; k < m->v + m->nv; k++) {
            if (prescribed[b])
                assert_true(a[k] == given_a[k]);
            else
                assert_true(tau[k] == given_tau[k]);
        }
    }
    times(r->nv, M, a, y);
    for (size_t k = 0; k < r->nv; k++) size = fmax(size, fabs(y[k]));
    note(HYBRID_MIXED, needed, tau, r->nv, size);
}

static void compare_rest(robot *r, void *scratch, const hml_dynamics_result *d)
{
    static double C[NV * NV], x[10 * ORACLE_BODIES], y[10 * ORACLE_BODIES], pi[10 * ORACLE_BODIES];
    static double P[6 * 10 * ORACLE_BODIES];
    double bias[NV], none[NV] = {0}, energy[2] = {0}, p[6] = {0};
    size_t columns = 10 * (size_t)r->model->nbodies;
    assert_int_equal(hml_model_parameters(r->model, pi), HML_OK);
    if (!r->model->passive) {
        assert_int_equal(hml_coriolis_matrix(r->model, scratch, r->q, r->v, C, NULL), HML_OK);
        times(r->nv, C, r->v, bias);
        double h[NV];
        assert_int_equal(hml_inverse_dynamics(r->model, r->work, r->q, r->v, none, NULL, h), HML_OK);
        for (size_t k = 0; k < r->nv; k++) bias[k] += d->gravity[k];
        note(CORIOLIS_BIAS, bias, h, r->nv, 0);
        assert_int_equal(hml_energy_regressor(r->model, scratch, r->q, r->v, x, y), HML_OK);
        for (size_t k = 0; k < columns; k++) energy[0] += x[k] * pi[k], energy[1] += y[k] * pi[k];
        note(ENERGY, &energy[0], &d->kinetic_energy, 1, 0);
        note(POTENTIAL, &energy[1], &d->potential_energy, 1, 9.81 * hml_model_mass(r->model));
    }
    assert_int_equal(hml_momentum_regressor(r->model, scratch, r->q, r->v, P), HML_OK);
    for (size_t k = 0; k < 6 * columns; k++) p[k / columns] += P[k] * pi[k % columns];
    note(MOMENTUM, p, d->momentum, 6, 0);
}

static void test_agreement(void **state)
{
    (void)state;
    static double M[NV * NV], M2[NV * NV], expected[NV * NV], gravity[NV], h[NV], momentum[6];
    static oracle o;
    uint64_t seed = 81;
    int largest = 0;
    for (int i = 0; i < TREES; i++) {
        robot r;
        double a[NV];
        some_robot(&r, &seed, i);
        if (r.model->nbodies > largest) largest = r.model->nbodies;
        void *scratch = malloc(hml_recursive_size(r.model));
        for (size_t k = 0; k < r.nv; k++) a[k] = draw(&seed);
        assert_int_equal(hml_crba(r.model, scratch, HML_CRBA_BODY, r.q, M), HML_OK);
        assert_int_equal(hml_crba(r.model, scratch, HML_CRBA_ROOT, r.q, M2), HML_OK);
        note(CRBA_ROOT, M2, M, r.nv * r.nv, 0);
        hml_dynamics_result d = {.struct_size = sizeof d};
        d.M = M2, d.h = h, d.gravity = gravity, d.momentum = momentum;
        assert_int_equal(hml_dynamics(r.model, r.work, r.q, r.v, r.tau, r.wrenches, &d), HML_OK);
        note(CRBA_KERNEL, M2, M, r.nv * r.nv, 0);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (size_t k = 0; k < r.nv * r.nv; k++) expected[k] = o.M[k / r.nv][k % r.nv];
        note(CRBA_ORACLE, expected, M, r.nv * r.nv, 0);
        compare_forces(&r, scratch, a, M);
        compare_accelerations(&r, scratch, M);
        compare_rest(&r, scratch, &d);
        free(scratch);
        robot_close(&r);
    }
    printf("%d trees, up to %d bodies\n%-9s %-20s %-24s %6s %9s\n", TREES, largest, "", "one", "other", "trees",
           "worst");
    for (int k = 0; k < ROWS; k++)
        printf("%-9s %-20s %-24s %6d %9.1e\n", table[k].what, table[k].one, table[k].other, trees[k], worst[k]);
    for (int k = 0; k < ROWS; k++) assert_true(trees[k] > 0 && worst[k] <= 1e-11);
    assert_true(largest >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
