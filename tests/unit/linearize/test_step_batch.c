/* Steps of many states against steps of one: results, statuses of states that are bad, and nothing written outside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/discrete.h"

enum { STATES = 70, BAD = 66, GAP = 3 }; /* more than one round of packs; a gap behind rows and behind states */

static const double untouched = 1234.5;

typedef struct arrays {
    size_t n, nq;
    double *q, *v, *tau;       /* inputs, with gaps */
    double *q1, *v1, *Ad, *Bd; /* of the batch, with gaps */
    double *one_q, *one_v, *one_A, *one_B;
} arrays;

static double *room(size_t count)
{
    double *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) x[i] = untouched;
    return x;
}

static arrays open_arrays(const hml_model *model, uint64_t *seed)
{
    arrays a = {.n = (size_t)hml_model_nv(model), .nq = (size_t)hml_model_nq(model)};
    const size_t n = a.n, nq = a.nq;
    a.q = room(STATES * (nq + GAP)), a.v = room(STATES * (n + GAP)), a.tau = room(STATES * (n + GAP));
    a.q1 = room(STATES * (nq + GAP)), a.v1 = room(STATES * (n + GAP));
    a.Ad = room(STATES * (2 * n * (2 * n + GAP) + GAP)), a.Bd = room(STATES * (2 * n * (n + GAP) + GAP));
    a.one_q = room(nq), a.one_v = room(n), a.one_A = room(4 * n * n), a.one_B = room(2 * n * n);
    for (size_t s = 0; s < STATES; s++) {
        draw_configuration(seed, model, 1.0, a.q + s * (nq + GAP));
        for (size_t i = 0; i < n; i++) a.v[s * (n + GAP) + i] = draw(seed), a.tau[s * (n + GAP) + i] = draw(seed);
    }
    return a;
}

static void close_arrays(arrays *a)
{
    double *all[] = {a->q, a->v, a->tau, a->q1, a->v1, a->Ad, a->Bd, a->one_q, a->one_v, a->one_A, a->one_B};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* rows × columns of a state against one packed, the gaps behind untouched; NULL: all NaN */
static void assert_state(const double *x, size_t ld, size_t rows, size_t columns, size_t behind, const double *one)
{
    double size = 0, worst = 0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            const double e = x[r * ld + c];
            if (!one) {
                assert_true(isnan(e));
                continue;
            }
            size = fmax(size, fabs(one[r * columns + c]));
            if (!(fabs(e - one[r * columns + c]) <= worst)) worst = fabs(e - one[r * columns + c]);
        }
        for (size_t c = columns; c < ld; c++) assert_true(x[r * ld + c] == untouched);
    }
    for (size_t c = 0; c < behind; c++) assert_true(x[rows * ld + c] == untouched);
    assert_true(worst <= 1e-12 * (1 + size));
}

static void compare(hml_model *model, hml_isa isa, hml_scheme scheme, uint64_t *seed)
{
    hml_work *work = NULL;
    assert_non_null(model);
    assert_int_equal(hml_work_new(model, isa, HML_USE_ALL, &work), HML_OK);
    arrays a = open_arrays(model, seed);
    const size_t n = a.n, nq = a.nq, lA = 2 * n + GAP, lB = n + GAP, sA = 2 * n * lA + GAP, sB = 2 * n * lB + GAP;
    double *scratch = room(hml_step_scratch_doubles(model));
    hml_status status[STATES];
    hml_discrete_step x = {.struct_size = sizeof x, .scheme = scheme, .h = 0.02};
    a.v[BAD * (n + GAP)] = NAN;
    x.q = (hml_input){a.q, nq + GAP}, x.v = (hml_input){a.v, n + GAP}, x.tau = (hml_input){a.tau, n + GAP};
    x.q_next = (hml_output){a.q1, 0, nq + GAP}, x.v_next = (hml_output){a.v1, 0, n + GAP};
    x.Ad = (hml_output){a.Ad, lA, sA}, x.Bd = (hml_output){a.Bd, lB, sB};
    assert_int_equal(hml_step_linearize_batch(model, work, scratch, STATES, &x, status), HML_NOT_FINITE);
    for (size_t s = 0; s < STATES; s++) {
        const int bad = s == BAD;
        assert_int_equal(status[s], bad ? HML_NOT_FINITE : HML_OK);
        if (!bad) {
            assert_int_equal(hml_step(model, work, scratch,
                                      &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = 0.02,
                                                  .q.data = a.q + s * (nq + GAP), .v.data = a.v + s * (n + GAP),
                                                  .tau.data = a.tau + s * (n + GAP), .q_next.data = a.one_q,
                                                  .v_next.data = a.one_v, .Ad.data = a.one_A, .Bd.data = a.one_B)),
                             HML_OK);
        }
        assert_state(a.q1 + s * (nq + GAP), nq, 1, nq, GAP, bad ? NULL : a.one_q);
        assert_state(a.v1 + s * (n + GAP), n, 1, n, GAP, bad ? NULL : a.one_v);
        assert_state(a.Ad + s * sA, lA, 2 * n, 2 * n, GAP, bad ? NULL : a.one_A);
        assert_state(a.Bd + s * sB, lB, 2 * n, n, GAP, bad ? NULL : a.one_B);
    }
    free(scratch);
    close_arrays(&a);
    hml_work_free(work);
}

static void test_batches(void **state)
{
    (void)state;
    static const hml_isa every_isa[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    static const draw_tree_spec specs[] = {
        {.nbodies = 6, .root = HML_JOINT_FREE},
        {.nbodies = 5, .root = HML_JOINT_PLANAR, .forest = 1, .points = 1},
        {.nbodies = 6, .root = HML_JOINT_REVOLUTE, .one_dof = 1, .passive = 1}, /* springs on M's diagonal */
        {.nbodies = 4, .root = HML_JOINT_SPHERICAL, .passive = 1},              /* and not */
        {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1},
    };
    uint64_t seed = 91;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        hml_model *model = draw_tree(&seed, &specs[i]);
        for (size_t k = 0; k < sizeof every_isa / sizeof *every_isa; k++) {
            if (!hml_isa_available(every_isa[k])) continue;
            compare(model, every_isa[k], HML_SCHEME_EULER, &seed);
            compare(model, every_isa[k], HML_SCHEME_RK4, &seed);
            compare(model, every_isa[k], HML_SCHEME_RK2, &seed);
        }
        hml_model_free(model);
    }
}

static void test_bad_arguments(void **state)
{
    (void)state;
    uint64_t seed = 92;
    const draw_tree_spec spec = {.nbodies = 2, .root = HML_JOINT_REVOLUTE, .one_dof = 1};
    hml_model *model = draw_tree(&seed, &spec);
    hml_work *work = NULL;
    double q[2] = {0}, v[2] = {0}, q1[2], v1[2], A[16], B[8], *scratch = room(hml_step_scratch_doubles(model));
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    const hml_discrete_step good = {sizeof good, HML_SCHEME_EULER, 0.1,        {q, 0},    {v, 0},
                                    {NULL, 0},   {q1, 0, 0},       {v1, 0, 0}, {A, 0, 0}, {B, 0, 0}};
    hml_discrete_step x[] = {good, good, good, good, good, good, good, good};
    assert_int_equal(hml_step_linearize_batch(model, work, scratch, 1, &good, NULL), HML_OK);
    assert_int_equal(hml_step_linearize_batch(model, work, scratch, 0, &good, NULL), HML_OK);
    assert_int_equal(hml_step_linearize_batch(model, work, NULL, 1, &good, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_step_linearize_batch(model, work, scratch, 1, NULL, NULL), HML_INVALID_ARGUMENT);
    x[0].struct_size = 1, x[1].h = INFINITY, x[2].q.data = NULL, x[3].Ad.data = NULL;
    x[4].Ad.ld = 3, x[5].Bd.ld = 1, x[6].scheme = (hml_scheme)99, x[7].v_next.data = NULL;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        assert_int_equal(hml_step_linearize_batch(model, work, scratch, 1, &x[i], NULL), HML_INVALID_ARGUMENT);
    x[0] = good, x[0].scheme = HML_SCHEME_VARIATIONAL;
    assert_int_equal(hml_step_linearize_batch(model, work, scratch, 1, &x[0], NULL), HML_UNSUPPORTED);
    free(scratch);
    hml_work_free(work);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches), cmocka_unit_test(test_bad_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
