/*
 * Products with A and B: against the matrices of hml_linearize on every kind of joint, against each other through
 * ⟨y, A z + B w⟩ = ⟨Aᵀ y, z⟩ + ⟨Bᵀ y, w⟩, with springs, wrenches, forests and mimic joints; on a chain of 2000 bodies
 * against differences of inverse dynamics.
 */
#include "dynamics_check.h"
#include "hamel/configuration.h"
#include "hamel/linearize.h"

static double A[4 * NV * NV], B[2 * NV * NV];

typedef struct product {
    double *point, *scratch;
    double z[2 * NV], w[NV], y[2 * NV];
    double rate[2 * NV], ATy[2 * NV], BTy[NV], acceleration[NV];
} product;

static void product_open(product *p, const robot *r, uint64_t *seed)
{
    p->point = calloc(hml_directional_doubles(r->model), sizeof *p->point);
    p->scratch = calloc(hml_directional_scratch_doubles(r->model), sizeof *p->scratch);
    for (size_t i = 0; i < 2 * r->nv; i++) p->z[i] = draw(seed), p->y[i] = draw(seed);
    for (size_t i = 0; i < r->nv; i++) p->w[i] = draw(seed);
}

static void product_close(product *p)
{
    free(p->point);
    free(p->scratch);
}

static void product_run(product *p, const robot *r)
{
    size_t n = r->nv;
    assert_int_equal(
        hml_directional_update(r->model, r->work, r->q, r->v, r->tau, r->wrenches, p->point, p->acceleration), HML_OK);
    assert_int_equal(
        hml_directional_forward(r->model, r->work, p->point, p->z, p->z + n, p->w, p->scratch, p->rate, p->rate + n),
        HML_OK);
    assert_int_equal(
        hml_directional_reverse(r->model, r->work, p->point, p->y, p->y + n, p->scratch, p->ATy, p->ATy + n, p->BTy),
        HML_OK);
}

/* both sides lose the digits that M's condition number (about 1e4) and a dozen bodies take */
static const double tolerance = 1e-11;

static void check_against_matrices(robot *r, uint64_t *seed)
{
    static product p;
    size_t n = r->nv, N = 2 * n;
    double rate[2 * NV] = {0}, ATy[2 * NV] = {0}, BTy[NV] = {0}, a[NV], left = 0, right = 0, size = 0;
    hml_linearization call = {.struct_size = sizeof call};
    call.q.data = r->q, call.v.data = r->v, call.tau.data = r->tau, call.wrenches.data = r->wrenches;
    call.A.data = A, call.B.data = B, call.acceleration.data = a;
    assert_int_equal(hml_linearize(r->model, r->work, &call), HML_OK);
    product_open(&p, r, seed);
    product_run(&p, r);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) rate[i] += A[i * N + j] * p.z[j], ATy[j] += A[i * N + j] * p.y[i];
        for (size_t j = 0; j < n; j++) rate[i] += B[i * n + j] * p.w[j], BTy[j] += B[i * n + j] * p.y[i];
    }
    assert_near("the acceleration", p.acceleration, a, n, tolerance);
    assert_near("A z + B w", p.rate, rate, N, tolerance);
    assert_near("A' y", p.ATy, ATy, N, tolerance);
    assert_near("B' y", p.BTy, BTy, n, tolerance);
    for (size_t i = 0; i < N; i++) {
        left += p.y[i] * p.rate[i], right += p.ATy[i] * p.z[i];
        size += fabs(p.y[i] * p.rate[i]) + fabs(p.ATy[i] * p.z[i]);
    }
    for (size_t i = 0; i < n; i++) right += p.BTy[i] * p.w[i];
    assert_true(fabs(left - right) < tolerance * size);
    product_close(&p);
}

static void test_products_are_those_of_the_matrices(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < 4 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        check_against_matrices(&r, &seed);
        robot_close(&r);
    }
}

/* every byte of a point is one that the update wrote */
static void check_whole(const robot *r)
{
    const size_t size = hml_directional_doubles(r->model) * sizeof(double);
    unsigned char *zeros = malloc(size), *ones = malloc(size);
    memset(zeros, 0, size);
    memset(ones, 0xff, size);
    assert_int_equal(hml_directional_update(r->model, r->work, r->q, r->v, r->tau, NULL, (double *)(void *)zeros, NULL),
                     HML_OK);
    assert_int_equal(hml_directional_update(r->model, r->work, r->q, r->v, r->tau, NULL, (double *)(void *)ones, NULL),
                     HML_OK);
    assert_memory_equal(zeros, ones, size);
    free(zeros);
    free(ones);
}

static void test_products_with_mimic_joints(void **state)
{
    (void)state;
    uint64_t seed = 22;
    int followers = 0;
    for (uint64_t i = 0; i < 6; i++) {
        robot r;
        hml_rng rng;
        hml_random_spec spec;
        hml_model *model = NULL;
        hml_random_spec_init(&spec);
        spec.seed = i + 1;
        spec.nbodies = 14;
        spec.joint_types = (2u << HML_JOINT_FREE) - 2;
        spec.root = i % 2 ? HML_JOINT_FREE : HML_JOINT_SPHERICAL;
        spec.passive = 0.5;
        spec.mimic = 0.8;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        robot_take(&r, model, HML_ISA_BEST);
        hml_rng_seed(&rng, i);
        assert_int_equal(hml_configuration_random(model, &rng, r.q), HML_OK);
        for (size_t k = 0; k < r.nv; k++) r.v[k] = draw(&seed), r.tau[k] = draw(&seed);
        for (int32_t k = 0; k < 6 * hml_model_nbodies(model); k++) r.wrenches[k] = draw(&seed);
        followers += model->nfollowers;
        check_against_matrices(&r, &seed);
        check_whole(&r);
        robot_close(&r);
    }
    assert_true(followers > 6);
}

/* a base far away that moves fast costs no digits */
static void test_far_and_fast(void **state)
{
    (void)state;
    uint64_t seed = 23;
    robot r;
    robot_open(&r, &seed, &robot_specs[3]);
    for (int k = 0; k < 3; k++) r.q[k] = 1e6 * draw(&seed), r.v[k] = 1e4 * draw(&seed);
    check_against_matrices(&r, &seed);
    robot_close(&r);
}

/* ---- a chain that no matrix has room for ---- */

enum { LINKS = 2000 };

typedef struct chain {
    hml_model *model;
    hml_work *work;
    size_t n;
    double *q, *v, *tau, *a, *z, *w, *y, *rate, *ATy, *BTy, *at, *point, *scratch;
} chain;

static void chain_open(chain *c)
{
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.nbodies = LINKS, spec.shape = HML_RANDOM_CHAIN, spec.passive = 0.3;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_SPHERICAL;
    assert_int_equal(hml_model_random(&spec, &c->model), HML_OK);
    assert_int_equal(hml_work_new(c->model, HML_ISA_BEST, HML_USE_TREE, &c->work), HML_OK);
    const size_t n = (size_t)hml_model_nv(c->model), nq = (size_t)hml_model_nq(c->model);
    double **all[] = {&c->v, &c->tau, &c->a, &c->z, &c->w, &c->y, &c->rate, &c->ATy, &c->BTy, &c->at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = calloc(5 * n, sizeof(double));
    c->n = n;
    c->q = calloc(nq, sizeof(double));
    c->point = calloc(hml_directional_doubles(c->model), sizeof(double));
    c->scratch = calloc(hml_directional_scratch_doubles(c->model), sizeof(double));
    hml_rng_seed(&rng, 3);
    assert_int_equal(hml_configuration_random(c->model, &rng, c->q), HML_OK);
    for (size_t i = 0; i < 2 * n; i++) c->z[i] = hml_rng_uniform(&rng, -1, 1), c->y[i] = hml_rng_uniform(&rng, -1, 1);
    for (size_t i = 0; i < n; i++) {
        c->v[i] = hml_rng_uniform(&rng, -1, 1);
        c->tau[i] = hml_rng_uniform(&rng, -5, 5);
        c->w[i] = hml_rng_uniform(&rng, -5, 5);
    }
}

static void chain_close(chain *c)
{
    double *all[] = {c->q, c->v, c->tau, c->a, c->z, c->w, c->y, c->rate, c->ATy, c->BTy, c->at, c->point, c->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hml_work_free(c->work);
    hml_model_free(c->model);
}

/* the torque that the motion needs after a step s along z, ν̇ moving with `rate` or, NULL, not at all */
static void torque_at(const chain *c, double s, const double *rate, double *tau)
{
    double *q = c->at, *v = c->at + 2 * c->n, *a = v + c->n, *zq = a + c->n;
    for (size_t i = 0; i < c->n; i++) {
        zq[i] = s * c->z[i];
        v[i] = c->v[i] + s * c->z[c->n + i];
        a[i] = c->a[i] + (rate ? s * rate[i] : 0);
    }
    assert_int_equal(hml_configuration_integrate(c->model, c->q, zq, q), HML_OK);
    assert_int_equal(hml_inverse_dynamics(c->model, c->work, q, v, a, NULL, tau), HML_OK);
}

/* its derivative along z, by differences of sixth order */
static void torque_along(const chain *c, const double *rate, double *derivative)
{
    static const double weights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    const double step = 1e-4; /* far from the origin a unit of z moves bodies by tens of metres */
    double *tau = calloc(c->n, sizeof *tau);
    memset(derivative, 0, c->n * sizeof *derivative);
    for (int k = 0; k < 3; k++) {
        for (int sign = -1; sign < 2; sign += 2) {
            torque_at(c, sign * (k + 1) * step, rate, tau);
            for (size_t i = 0; i < c->n; i++) derivative[i] += sign * weights[k] * tau[i] / step;
        }
    }
    free(tau);
}

static double largest(const double *x, size_t n)
{
    double size = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* inverse dynamics knows nothing of articulated bodies: moving ν̇ with A z + B w, it must ask for w more torque */
static void test_a_long_chain(void **state)
{
    (void)state;
    chain c;
    chain_open(&c);
    const size_t n = c.n, N = 2 * n;
    assert_int_equal(hml_directional_update(c.model, c.work, c.q, c.v, c.tau, NULL, c.point, c.a), HML_OK);
    assert_int_equal(
        hml_directional_forward(c.model, c.work, c.point, c.z, c.z + n, c.w, c.scratch, c.rate, c.rate + n), HML_OK);
    assert_int_equal(
        hml_directional_reverse(c.model, c.work, c.point, c.y, c.y + n, c.scratch, c.ATy, c.ATy + n, c.BTy), HML_OK);

    double *held = calloc(n, sizeof *held), *moved = calloc(n, sizeof *moved), left = 0, right = 0, size = 0;
    torque_along(&c, NULL, held);
    torque_along(&c, c.rate + n, moved);
    for (size_t i = 0; i < n; i++) moved[i] -= c.w[i];
    assert_true(largest(moved, n) < 1e-10 * largest(held, n)); /* what is left of two terms that cancel: 1e-11 */

    memset(c.v, 0, n * sizeof *c.v); /* M λ, from inverse dynamics at rest with and without λ */
    assert_int_equal(hml_inverse_dynamics(c.model, c.work, c.q, c.v, c.BTy, NULL, moved), HML_OK);
    assert_int_equal(hml_inverse_dynamics(c.model, c.work, c.q, c.v, NULL, NULL, held), HML_OK);
    for (size_t i = 0; i < n; i++) moved[i] -= held[i];
    assert_near("M B' y", moved, c.y + n, n, 1e-5); /* held is 2e5, the digits of y end at 1e-10 of it */

    for (size_t i = 0; i < N; i++) {
        left += c.y[i] * c.rate[i], right += c.ATy[i] * c.z[i];
        size += fabs(c.y[i] * c.rate[i]) + fabs(c.ATy[i] * c.z[i]);
    }
    for (size_t i = 0; i < n; i++) right += c.BTy[i] * c.w[i];
    assert_true(fabs(left - right) < 1e-9 * size); /* accelerations of such a chain have lost four digits */
    free(held);
    free(moved);
    chain_close(&c);
}

static void test_a_point_is_written_whole(void **state)
{
    (void)state;
    uint64_t seed = 26;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i]);
        check_whole(&r);
        robot_close(&r);
    }
}

/* the point does not mind what the workspace does next; halves that are not wanted are left out */
static void test_a_point_stays(void **state)
{
    (void)state;
    static product p;
    uint64_t seed = 24;
    robot r;
    robot_open(&r, &seed, &robot_specs[7]);
    product_open(&p, &r, &seed);
    product_run(&p, &r);
    double q[NQ], again[2 * NV], a[NV];
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    assert_int_equal(hml_configuration_random(r.model, &rng, q), HML_OK);
    assert_int_equal(hml_forward_dynamics(r.model, r.work, q, r.v, NULL, NULL, a), HML_OK);
    assert_int_equal(
        hml_directional_forward(r.model, r.work, p.point, p.z, p.z + r.nv, p.w, p.scratch, NULL, again + r.nv), HML_OK);
    assert_memory_equal(again + r.nv, p.rate + r.nv, r.nv * sizeof(double));
    assert_int_equal(hml_directional_reverse(r.model, r.work, p.point, NULL, p.y + r.nv, p.scratch, NULL, NULL, again),
                     HML_OK);
    assert_memory_equal(again, p.BTy, r.nv * sizeof(double));
    product_close(&p);
    robot_close(&r);
}

static void test_bad_input(void **state)
{
    (void)state;
    static product p;
    uint64_t seed = 25;
    robot r;
    robot_open(&r, &seed, &robot_specs[1]);
    product_open(&p, &r, &seed);
    assert_int_equal(hml_directional_doubles(NULL), 0);
    assert_int_equal(hml_directional_scratch_doubles(NULL), 0);
    assert_int_equal(hml_directional_update(r.model, r.work, NULL, r.v, NULL, NULL, p.point, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_directional_forward(r.model, r.work, NULL, NULL, NULL, NULL, p.scratch, NULL, p.rate),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_directional_reverse(r.model, r.work, p.point, NULL, NULL, NULL, NULL, NULL, p.BTy),
                     HML_INVALID_ARGUMENT);
    r.v[0] = NAN;
    assert_int_equal(hml_directional_update(r.model, r.work, r.q, r.v, NULL, NULL, p.point, NULL), HML_NOT_FINITE);
    product_close(&p);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_those_of_the_matrices),
        cmocka_unit_test(test_products_with_mimic_joints),
        cmocka_unit_test(test_far_and_fast),
        cmocka_unit_test(test_a_long_chain),
        cmocka_unit_test(test_a_point_is_written_whole),
        cmocka_unit_test(test_a_point_stays),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
