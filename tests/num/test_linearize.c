/*
 * The linearization kernel, on every kind of number: forward dynamics against brute force, derivatives against complex
 * steps of that brute force, lanes against each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "kernel/pack/linearize.h"
#include "oracle.h"

/* round-off of a chain of about a dozen bodies whose M has a condition number near 1e4 */
/* a plan is double, whatever the number */
#define TOLERANCE ((NUM_EPS > 0x1p-52 ? NUM_EPS : 0x1p-52) * 0x1p19)

typedef struct bench {
    hml_model *model;
    void *scratch, *lists;
    plan_paths paths;
    lane *q, *v, *tau, *wrenches, *a, *Dq, *Dv, *Minv;
    num *qn, *vn, *taun, *fn, *an; /* the same state as nums, for the oracle */
} bench;

static double real_part(lane x)
{
#if defined HML_NUM_C64
    return creal(x);
#else
    return (double)x;
#endif
}

static void *zeros(size_t n, size_t size) { return calloc(n + 64, size); }

static void *aligned_zeros(size_t bytes)
{
    void *p = NULL;
    assert_int_equal(posix_memalign(&p, 64, bytes + 64), 0);
    memset(p, 0xff, bytes); /* NaN: nothing may be read before it is written */
    return p;
}

static void bench_open(bench *b, uint64_t *seed, const draw_tree_spec *spec, int with_wrenches)
{
    b->model = draw_tree(seed, spec);
    assert_non_null(b->model);
    size_t nv = (size_t)b->model->tree_nv, nq = (size_t)b->model->tree_nq, nb = (size_t)b->model->nbodies;
    assert_true(nv <= ORACLE_NV && nb <= ORACLE_BODIES);
    const hml_plan *plan = model_plan(b->model);
    b->scratch = aligned_zeros(kernel_scratch_size(plan));
    b->lists = aligned_zeros(hmli_paths_size(plan));
    hmli_paths_fill(plan, b->lists, &b->paths);
    double *q = zeros(nq, sizeof *q);
    b->q = zeros(nq * LANES, sizeof(lane)), b->v = zeros(nv * LANES, sizeof(lane));
    b->tau = zeros(nv * LANES, sizeof(lane)), b->wrenches = zeros(6 * nb * LANES, sizeof(lane));
    b->a = zeros(nv * LANES, sizeof(lane)), b->Dq = zeros(nv * nv * LANES, sizeof(lane));
    b->Dv = zeros(nv * nv * LANES, sizeof(lane)), b->Minv = zeros(nv * nv * LANES, sizeof(lane));
    b->qn = aligned_zeros(nq * sizeof(num)), b->vn = aligned_zeros(nv * sizeof(num));
    b->taun = aligned_zeros(nv * sizeof(num)), b->fn = aligned_zeros(6 * nb * sizeof(num));
    b->an = aligned_zeros(nv * sizeof(num));
    draw_configuration(seed, b->model, 1.0, q);
    for (size_t i = 0; i < nq; i++) b->qn[i] = K(q[i]);
    for (size_t i = 0; i < nv; i++) b->vn[i] = K(draw(seed)), b->taun[i] = K(5 * draw(seed));
    for (size_t i = 0; i < 6 * nb; i++) b->fn[i] = K(with_wrenches ? 3 * draw(seed) : 0);
    for (size_t l = 0; l < LANES; l++) {
        for (size_t i = 0; i < nq; i++) b->q[l * nq + i] = num_get(b->qn[i], 0);
        for (size_t i = 0; i < nv; i++)
            b->v[l * nv + i] = num_get(b->vn[i], 0), b->tau[l * nv + i] = num_get(b->taun[i], 0);
        for (size_t i = 0; i < 6 * nb; i++) b->wrenches[l * 6 * nb + i] = num_get(b->fn[i], 0);
    }
    free(q);
}

static void bench_close(bench *b)
{
    hml_model_free(b->model);
    void *all[] = {b->scratch, b->lists, b->q,  b->v,  b->tau,  b->wrenches, b->a, b->Dq,
                   b->Dv,      b->Minv,  b->qn, b->vn, b->taun, b->fn,       b->an};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static unsigned bench_linearize(bench *b)
{
    size_t nv = (size_t)b->model->tree_nv;
    kernel_call call = {0};
    call.plan = model_plan(b->model);
    call.paths = &b->paths;
    call.scratch = b->scratch;
    call.gravity = b->model->gravity;
    call.coordinates = plan_coordinates(call.plan);
    call.passive = call.plan->passive;
    call.count = LANES;
    call.q.data = b->q, call.q.stride = (size_t)b->model->tree_nq;
    call.v.data = b->v, call.v.stride = nv;
    call.tau.data = b->tau, call.tau.stride = nv;
    call.wrenches.data = b->wrenches, call.wrenches.stride = 6 * (size_t)b->model->nbodies;
    call.acceleration.data = b->a, call.acceleration.stride = nv;
    call.Dq.data = b->Dq, call.Dv.data = b->Dv, call.Minv.data = b->Minv;
    call.Dq.ld = call.Dv.ld = call.Minv.ld = nv;
    call.Dq.stride = call.Dv.stride = call.Minv.stride = nv * nv;
    return pack_linearize(&call);
}

/* worst difference of two arrays against the largest entry */
static double worst(const lane *x, const lane *y, size_t n)
{
    double size = 0, off = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(real_part(y[i])) > size) size = fabs(real_part(y[i]));
        double d = fabs(real_part(x[i] - y[i]));
        if (!(d <= off)) off = d;
    }
    return off / (size + 1e-300);
}

enum { REPEATS = 4 };

static void test_forward_dynamics_against_brute_force(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < ROBOT_SPECS * REPEATS; i++) {
        bench b;
        bench_open(&b, &seed, &robot_specs[i % ROBOT_SPECS], 1);
        assert_int_equal(bench_linearize(&b), 0);
        oracle_forward_dynamics(b.model, b.qn, b.vn, b.taun, b.fn, b.an);
        for (int l = 0; l < LANES; l++) {
            lane expected[ORACLE_NV];
            for (int c = 0; c < b.model->tree_nv; c++) expected[c] = num_get(b.an[c], l);
            assert_true(worst(b.a + l * b.model->tree_nv, expected, (size_t)b.model->tree_nv) < TOLERANCE);
        }
        bench_close(&b);
    }
}

static void test_every_lane_has_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        bench b;
        bench_open(&b, &seed, &robot_specs[i], 1);
        assert_int_equal(bench_linearize(&b), 0);
        size_t nv = (size_t)b.model->tree_nv;
        for (size_t l = 1; l < LANES; l++) {
            assert_memory_equal(b.a, b.a + l * nv, nv * sizeof(lane));
            assert_memory_equal(b.Dq, b.Dq + l * nv * nv, nv * nv * sizeof(lane));
            assert_memory_equal(b.Dv, b.Dv + l * nv * nv, nv * nv * sizeof(lane));
            assert_memory_equal(b.Minv, b.Minv + l * nv * nv, nv * nv * sizeof(lane));
        }
        bench_close(&b);
    }
}

static void test_minv_times_m_is_one(void **state)
{
    (void)state;
    static oracle o;
    uint64_t seed = 3;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        bench b;
        bench_open(&b, &seed, &robot_specs[i], 0);
        assert_int_equal(bench_linearize(&b), 0);
        oracle_run(b.model, b.qn, b.vn, NULL, &o);
        int nv = b.model->tree_nv;
        for (int r = 0; r < nv; r++) {
            for (int c = 0; c < nv; c++) {
                double sum = 0;
                for (int k = 0; k < nv; k++) sum += real_part(b.Minv[r * nv + k]) * real_part(num_get(o.M[k][c], 0));
                assert_true(fabs(sum - (r == c)) < 4 * (TOLERANCE + 0x1p-33)); /* summed in double */
            }
        }
        bench_close(&b);
    }
}

#if defined HML_NUM_C64

/* D_q, D_ν, M⁻¹ column by column: imaginary parts of the brute-force dynamics, perturbed by i·1e-200 */
static void test_derivatives_against_complex_steps(void **state)
{
    (void)state;
    const double step = 1e-200;
    uint64_t seed = 4;
    for (int i = 0; i < ROBOT_SPECS * REPEATS; i++) {
        bench b;
        bench_open(&b, &seed, &robot_specs[i % ROBOT_SPECS], 1);
        assert_int_equal(bench_linearize(&b), 0);
        size_t nv = (size_t)b.model->tree_nv;
        lane *Dq = zeros(nv * nv, sizeof *Dq), *Dv = zeros(nv * nv, sizeof *Dv), *Minv = zeros(nv * nv, sizeof *Minv);
        num *q = zeros((size_t)b.model->tree_nq, sizeof *q), *z = zeros(nv, sizeof *z);
        for (size_t c = 0; c < nv; c++) {
            for (size_t k = 0; k < nv; k++) z[k] = k == c ? __builtin_complex(0.0, step) : 0;
            oracle_integrate(b.model, b.qn, z, q);
            oracle_forward_dynamics(b.model, q, b.vn, b.taun, b.fn, b.an);
            for (size_t r = 0; r < nv; r++) Dq[r * nv + c] = cimag(b.an[r]) / step;

            num v = b.vn[c], tau = b.taun[c];
            b.vn[c] += z[c];
            oracle_forward_dynamics(b.model, b.qn, b.vn, b.taun, b.fn, b.an);
            for (size_t r = 0; r < nv; r++) Dv[r * nv + c] = cimag(b.an[r]) / step;
            b.vn[c] = v;
            b.taun[c] += z[c];
            oracle_forward_dynamics(b.model, b.qn, b.vn, b.taun, b.fn, b.an);
            for (size_t r = 0; r < nv; r++) Minv[r * nv + c] = cimag(b.an[r]) / step;
            b.taun[c] = tau;
        }
        double eq = worst(b.Dq, Dq, nv * nv), ev = worst(b.Dv, Dv, nv * nv), em = worst(b.Minv, Minv, nv * nv);
        if (!(eq < TOLERANCE && ev < TOLERANCE && em < TOLERANCE)) {
            fail_msg("spec %d: D_q %g, D_v %g, Minv %g", i % ROBOT_SPECS, eq, ev, em);
        }
        free(Dq), free(Dv), free(Minv), free(q), free(z);
        bench_close(&b);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward_dynamics_against_brute_force),
        cmocka_unit_test(test_every_lane_has_the_same_bits),
        cmocka_unit_test(test_minv_times_m_is_one),
#if defined HML_NUM_C64
        cmocka_unit_test(test_derivatives_against_complex_steps),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
