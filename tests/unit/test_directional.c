/*
 * Products with A and B: against the matrices of hml_linearize on every kind of joint, against each other through
 * ⟨y, A z + B w⟩ = ⟨Aᵀ y, z⟩ + ⟨Bᵀ y, w⟩, with springs, wrenches, forests and mimic joints.
 */
#include "dynamics_check.h"
#include "hamel/directional.h"

static double A[4 * NV * NV], B[2 * NV * NV];

typedef struct product {
    double *point, *scratch;
    double z[2 * NV], w[NV], y[2 * NV];
    double rate[2 * NV], ATy[2 * NV], BTy[NV], acceleration[NV];
} product;

static void product_open(product *p, const robot *r, uint64_t *seed)
{
    p->point = calloc(hml_directional_size(r->model), sizeof *p->point);
    p->scratch = calloc(hml_directional_scratch_size(r->model), sizeof *p->scratch);
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
    assert_int_equal(hml_directional_size(NULL), 0);
    assert_int_equal(hml_directional_scratch_size(NULL), 0);
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
        cmocka_unit_test(test_a_point_stays),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
