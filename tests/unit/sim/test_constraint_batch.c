/* Held robots in batches: as single calls, at any place in a pack, on any number of workers; bad states stay alone. */
#include "dynamics_check.h"

#include "hamel/hamel.h"

enum { STATES = 18, FEET = 2, ROWS = 6, WORKERS = 3 };

static const draw_tree_spec spec = {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1};

typedef struct results {
    double *a, *lambda, *Dq, *Dv, *Dtau, *Lq, *Lv, *Ltau, *A, *B, *memory;
    size_t all;
} results;

typedef struct held {
    robot r;
    hml_constraint items[FEET];
    hml_constraints set;
    double *q, *v, *tau, *wrenches, *scratch;
    hml_work *works[WORKERS];
    size_t nq, nv, six;
} held;

static double *take(double **at, size_t n)
{
    double *first = *at;
    *at += n;
    return first;
}

static results results_new(const held *h, size_t n)
{
    const size_t nv = h->nv, nn = nv * nv, mn = ROWS * nv;
    results x = {.all = n * (nv + ROWS + 9 * nn + 3 * mn)};
    double *at = x.memory = malloc(x.all * sizeof *at);
    assert_non_null(at);
    memset(at, 0xff, x.all * sizeof *at);
    x.a = take(&at, n * nv), x.lambda = take(&at, n * ROWS);
    x.Dq = take(&at, n * nn), x.Dv = take(&at, n * nn), x.Dtau = take(&at, n * nn);
    x.Lq = take(&at, n * mn), x.Lv = take(&at, n * mn), x.Ltau = take(&at, n * mn);
    x.A = take(&at, n * 4 * nn), x.B = take(&at, n * 2 * nn);
    return x;
}

/* state by state what single calls give */
static results one_by_one(held *h, hml_status *status)
{
    const size_t nv = h->nv, nn = nv * nv, mn = ROWS * nv;
    results x = results_new(h, STATES);
    for (size_t s = 0; s < STATES; s++) {
        const hml_constrained_linearization l = {.struct_size = sizeof l,
                                                 .q = h->q + s * h->nq,
                                                 .v = h->v + s * nv,
                                                 .tau = h->tau + s * nv,
                                                 .wrenches = h->wrenches + s * h->six,
                                                 .acceleration = x.a + s * nv,
                                                 .lambda = x.lambda + s * ROWS,
                                                 .Dq = x.Dq + s * nn,
                                                 .Dv = x.Dv + s * nn,
                                                 .Dtau = x.Dtau + s * nn,
                                                 .lambda_q = x.Lq + s * mn,
                                                 .lambda_v = x.Lv + s * mn,
                                                 .lambda_tau = x.Ltau + s * mn,
                                                 .A = x.A + s * 4 * nn,
                                                 .B = x.B + s * 2 * nn};
        status[s] = hml_constrained_linearize(h->r.model, h->r.work, &h->set, h->scratch, &l);
    }
    return x;
}

static hml_constrained_states arguments(const held *h, const results *x)
{
    hml_constrained_states l = {.struct_size = sizeof l};
    l.q = (hml_input){h->q, h->nq}, l.v = (hml_input){h->v, h->nv}, l.tau = (hml_input){h->tau, h->nv};
    l.wrenches = (hml_input){h->wrenches, h->six};
    l.acceleration.data = x->a, l.lambda.data = x->lambda;
    l.Dq.data = x->Dq, l.Dv.data = x->Dv, l.Dtau.data = x->Dtau;
    l.lambda_q.data = x->Lq, l.lambda_v.data = x->Lv, l.lambda_tau.data = x->Ltau;
    l.A.data = x->A, l.B.data = x->B;
    return l;
}

static void open_held(held *h)
{
    uint64_t seed = 12;
    memset(h, 0, sizeof *h);
    robot_open(&h->r, &seed, &spec);
    h->nq = h->r.nq, h->nv = h->r.nv, h->six = 6 * (size_t)hml_model_nbodies(h->r.model);
    h->items[0] = (hml_constraint){.kind = HML_HOLD_POINT, .frame = 9};
    h->items[1] = (hml_constraint){.kind = HML_HOLD_POINT, .frame = 11, .damping = 2};
    h->set = (hml_constraints){.struct_size = sizeof h->set, .items = h->items, .count = FEET};
    h->q = malloc(STATES * (h->nq + 2 * h->nv + h->six) * sizeof *h->q);
    h->scratch = malloc(WORKERS * hml_constraint_scratch_doubles(h->r.model, &h->set) * sizeof *h->scratch);
    assert_true(h->q && h->scratch);
    h->v = h->q + STATES * h->nq, h->tau = h->v + STATES * h->nv, h->wrenches = h->tau + STATES * h->nv;
    for (size_t s = 0; s < STATES; s++) {
        robot_state(&h->r, &seed);
        memcpy(h->q + s * h->nq, h->r.q, h->nq * sizeof *h->q);
        memcpy(h->v + s * h->nv, h->r.v, h->nv * sizeof *h->v);
        memcpy(h->tau + s * h->nv, h->r.tau, h->nv * sizeof *h->tau);
        memcpy(h->wrenches + s * h->six, h->r.wrenches, h->six * sizeof *h->wrenches);
    }
    for (int k = 0; k < WORKERS; k++)
        assert_int_equal(hml_work_new(h->r.model, HML_ISA_BEST, HML_USE_ALL, &h->works[k]), HML_OK);
}

static void close_held(held *h)
{
    for (int k = 0; k < WORKERS; k++) hml_work_free(h->works[k]);
    free(h->q), free(h->scratch);
    robot_close(&h->r);
}

/* n numbers, to 1e-10 of the largest of them */
static void assert_numbers(const double *x, const double *want, size_t n)
{
    double size = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        assert_false(isnan(x[i]) || isnan(want[i]));
        size = fmax(size, fabs(want[i])), worst = fmax(worst, fabs(x[i] - want[i]));
    }
    assert_true(worst <= 1e-10 * size);
}

/* all results of state `from` of x as those of state `to` of want */
static void assert_state(const held *h, const results *x, size_t from, const results *want, size_t to)
{
    const size_t nv = h->nv, nn = nv * nv, mn = ROWS * nv;
    assert_numbers(x->a + from * nv, want->a + to * nv, nv);
    assert_numbers(x->lambda + from * ROWS, want->lambda + to * ROWS, ROWS);
    assert_numbers(x->Dq + from * nn, want->Dq + to * nn, nn);
    assert_numbers(x->Dv + from * nn, want->Dv + to * nn, nn);
    assert_numbers(x->Dtau + from * nn, want->Dtau + to * nn, nn);
    assert_numbers(x->Lq + from * mn, want->Lq + to * mn, mn);
    assert_numbers(x->Lv + from * mn, want->Lv + to * mn, mn);
    assert_numbers(x->Ltau + from * mn, want->Ltau + to * mn, mn);
    assert_numbers(x->A + from * 4 * nn, want->A + to * 4 * nn, 4 * nn);
    assert_numbers(x->B + from * 2 * nn, want->B + to * 2 * nn, 2 * nn);
}

/* batches of every size, on every instruction set: as single calls, and the bits of a state do not depend on its place */
static void test_places(void **state)
{
    (void)state;
    static held h;
    static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    hml_status status[STATES];
    open_held(&h);
    results want = one_by_one(&h, status), whole = results_new(&h, STATES);
    for (size_t s = 0; s < STATES; s++) assert_int_equal(status[s], HML_OK);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        hml_work *work;
        if (!hml_isa_available(isas[i])) continue;
        assert_int_equal(hml_work_new(h.r.model, isas[i], HML_USE_ALL, &work), HML_OK);
        const hml_constrained_states all = arguments(&h, &whole);
        assert_int_equal(hml_constrained_linearize_batch(h.r.model, work, &h.set, h.scratch, STATES, &all, status),
                         HML_OK);
        for (size_t s = 0; s < STATES; s++) assert_state(&h, &whole, s, &want, s);
        for (size_t n = 1; n < STATES; n++) {
            results x = results_new(&h, n);
            hml_constrained_states l = arguments(&h, &x);
            l.q.data += h.nq, l.v.data += h.nv, l.tau.data += h.nv, l.wrenches.data += h.six;
            assert_int_equal(hml_constrained_linearize_batch(h.r.model, work, &h.set, h.scratch, n, &l, status),
                             HML_OK);
            for (size_t s = 0; s < n; s++) {
                const size_t nn = h.nv * h.nv, mn = ROWS * h.nv;
                assert_int_equal(status[s], HML_OK);
                assert_memory_equal(x.A + 4 * s * nn, whole.A + 4 * (s + 1) * nn, 4 * nn * sizeof(double));
                assert_memory_equal(x.Lq + s * mn, whole.Lq + (s + 1) * mn, mn * sizeof(double));
            }
            free(x.memory);
        }
        hml_work_free(work);
    }
    free(want.memory), free(whole.memory);
    close_held(&h);
}

/* rows that depend on each other are left to single calls: their bits */
static void test_doubtful(void **state)
{
    (void)state;
    static held h;
    hml_status single[STATES], status[STATES];
    open_held(&h);
    h.items[1] = h.items[0]; /* twice the same: no pack can tell the rank, in any state */
    results want = one_by_one(&h, single), x = results_new(&h, STATES);
    hml_constrained_states l = arguments(&h, &x);
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, STATES, &l, status),
                     HML_OK);
    for (size_t s = 0; s < STATES; s++) {
        assert_int_equal(single[s], HML_OK);
        assert_memory_equal(x.A + 4 * s * h.nv * h.nv, want.A + 4 * s * h.nv * h.nv, 4 * h.nv * h.nv * sizeof(double));
    }
    free(want.memory), free(x.memory);
    close_held(&h);
}

/* some outputs alone, states apart from each other, the same torque for all */
static void test_strides(void **state)
{
    (void)state;
    static held h;
    open_held(&h);
    const size_t nv = h.nv, nn = nv * nv, stride = 2 * nn + 5;
    double *B = malloc(3 * stride * sizeof *B), *one = malloc(2 * nn * sizeof *one);
    assert_true(B && one);
    for (size_t i = 0; i < 3 * stride; i++) B[i] = 12345;
    hml_constrained_states l = {.struct_size = sizeof l, .q = {h.q, h.nq}, .v = {h.v, nv}, .tau = {h.tau, 0}};
    l.B = (hml_output){B, 0, stride};
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, 3, &l, NULL), HML_OK);
    for (size_t s = 0; s < 3; s++) {
        const hml_constrained_linearization at = {
            .struct_size = sizeof at, .q = h.q + s * h.nq, .v = h.v + s * nv, .tau = h.tau, .B = one};
        assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &at), HML_OK);
        assert_numbers(B + s * stride, one, 2 * nn);
        for (size_t i = 2 * nn; i < stride; i++) assert_true(B[s * stride + i] == 12345);
    }
    l.B.ld = nv + 1; /* rows are not packed */
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, 3, &l, NULL),
                     HML_INVALID_ARGUMENT);
    free(B), free(one);
    close_held(&h);
}

static void assert_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_true(isnan(x[i]));
}

/* workers take turns, the last task first */
static void backwards(void *context, size_t count, hml_parallel_task *task, void *data)
{
    (void)context;
    for (size_t i = count; i-- > 0;) task(data, i, i % WORKERS);
}

static void test_bad_states(void **state)
{
    (void)state;
    static held h;
    hml_status single[STATES], status[STATES];
    open_held(&h);
    const size_t nv = h.nv, nn = nv * nv, mn = ROWS * nv;
    h.q[3 * h.nq + 4] = 7; /* no unit quaternion */
    h.v[8 * nv + 2] = NAN;
    h.tau[12 * nv] = INFINITY;
    results want = one_by_one(&h, single);
    assert_int_equal(single[3], HML_NOT_NORMALIZED);
    for (int way = 0; way < 2; way++) {
        results x = results_new(&h, STATES);
        const hml_constrained_states l = arguments(&h, &x);
        hml_parallel p = {.struct_size = sizeof p, .nworks = WORKERS, .works = h.works, .parallel_for = backwards};
        p.chunk = 2;
        const hml_status first =
            way ? hml_constrained_linearize_parallel(h.r.model, &p, &h.set, h.scratch, STATES, &l, status)
                : hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, STATES, &l, status);
        assert_int_equal(first, HML_NOT_NORMALIZED);
        for (size_t s = 0; s < STATES; s++) {
            assert_int_equal(status[s], single[s]);
            if (!status[s]) {
                assert_state(&h, &x, s, &want, s);
                continue;
            }
            assert_nan(x.a + s * nv, nv), assert_nan(x.lambda + s * ROWS, ROWS);
            assert_nan(x.Dq + s * nn, nn), assert_nan(x.Dv + s * nn, nn), assert_nan(x.Dtau + s * nn, nn);
            assert_nan(x.Lq + s * mn, mn), assert_nan(x.Lv + s * mn, mn), assert_nan(x.Ltau + s * mn, mn);
            assert_nan(x.A + 4 * s * nn, 4 * nn), assert_nan(x.B + 2 * s * nn, 2 * nn);
        }
        free(x.memory);
    }
    assert_int_equal(status[8], HML_NOT_FINITE);
    free(want.memory);
    close_held(&h);
}

static void test_arguments(void **state)
{
    (void)state;
    static held h;
    open_held(&h);
    results x = results_new(&h, STATES);
    hml_constrained_states l = arguments(&h, &x), none = l;
    hml_parallel p = {.struct_size = sizeof p, .nworks = 0, .works = h.works};
    none.v.data = NULL;
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, 2, &none, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, NULL, 2, &l, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, NULL, h.scratch, 2, &l, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_linearize_parallel(h.r.model, &p, &h.set, h.scratch, 2, &l, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, 0, &l, NULL), HML_OK);
    p.nworks = 1; /* without a parallel_for: one after the other */
    assert_int_equal(hml_constrained_linearize_parallel(h.r.model, &p, &h.set, h.scratch, 2, &l, NULL), HML_OK);
    h.items[0].damping = -1;
    assert_int_equal(hml_constrained_linearize_batch(h.r.model, h.r.work, &h.set, h.scratch, 2, &l, NULL),
                     HML_INVALID_ARGUMENT);
    free(x.memory);
    close_held(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),     cmocka_unit_test(test_doubtful),  cmocka_unit_test(test_strides),
        cmocka_unit_test(test_bad_states), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
