/*
 * Compiled code beside the library: trust, but verify, and measure. The four contenders take turns, and of each the best
 * turn counts, so that other programs on the machine do not decide.
 */
#include "generate/compile.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/struct_size.h"
#include "hamel/configuration.h"
#include "hamel/random.h"

enum { STATES = 32, TURNS = 9 };

typedef struct contest {
    const hml_model *model;
    linearize_code *code;
    linearize_batch_code *batch;
    hml_work *work;
    size_t nq, nv;
    double *q, *v, *tau;
    double *a[2],
        *D[2]; /* of the library and of the code: acceleration; D_q, D_ν and M⁻¹ of all states, one after another */
} contest;

static int prepare(contest *t, const hml_model *model)
{
    t->model = model;
    t->nq = (size_t)hml_model_nq(model);
    t->nv = (size_t)hml_model_nv(model);
    const size_t vector = STATES * t->nv, matrix = 3 * vector * t->nv;
    t->q = calloc(STATES * t->nq + 4 * vector + 2 * matrix + 1, sizeof *t->q);
    if (!t->q || hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &t->work)) return 0;
    t->v = t->q + STATES * t->nq;
    t->tau = t->v + vector;
    for (int k = 0; k < 2; k++) {
        t->a[k] = t->tau + vector + (size_t)k * vector;
        t->D[k] = t->tau + 3 * vector + (size_t)k * matrix;
    }
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    for (size_t i = 0; i < STATES; i++) {
        if (hml_configuration_random(model, &rng, t->q + i * t->nq)) return 0;
    }
    for (size_t i = 0; i < vector; i++)
        t->v[i] = hml_rng_uniform(&rng, -1, 1), t->tau[i] = hml_rng_uniform(&rng, -1, 1);
    return 1;
}

static hml_linearization arguments(const contest *t, size_t i)
{
    const size_t v = i * t->nv, m = v * t->nv, all = STATES * t->nv * t->nv;
    double *D = t->D[0] + m;
    return HML_STRUCT(hml_linearization, .q = {t->q + i * t->nq, t->nq}, .v = {t->v + v, t->nv},
                      .tau = {t->tau + v, t->nv}, .acceleration = {.data = t->a[0] + v}, .Dq = {.data = D},
                      .Dv = {.data = D + all}, .Minv = {.data = D + 2 * all});
}

/* ---- the contenders: all states once; 1 if all went well ---- */

static int library_single(const contest *t)
{
    int good = 1;
    for (size_t i = 0; i < STATES; i++) {
        const hml_linearization l = arguments(t, i);
        good &= hml_linearize(t->model, t->work, &l) == HML_OK;
    }
    return good;
}

static int library_batch(const contest *t)
{
    const hml_linearization l = arguments(t, 0);
    return hml_linearize_batch(t->model, t->work, STATES, &l, NULL) == HML_OK;
}

static int code_single(const contest *t)
{
    const size_t all = STATES * t->nv * t->nv;
    int good = 1;
    for (size_t i = 0; i < STATES; i++) {
        const size_t v = i * t->nv;
        double *D = t->D[1] + v * t->nv;
        good &= t->code(t->q + i * t->nq, t->v + v, t->tau + v, t->a[1] + v, D, D + all, D + 2 * all) == 0;
    }
    return good;
}

static int code_batch(const contest *t)
{
    const size_t all = STATES * t->nv * t->nv;
    double *D = t->D[1];
    return t->batch(STATES, t->q, t->v, t->tau, t->a[1], D, D + all, D + 2 * all) == 0;
}

/* ---- ---- */

/* the largest difference of n numbers, against their largest */
static int are_near(const double *x, const double *y, size_t n)
{
    double largest = 0, difference = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
        if (!(fabs(x[i] - y[i]) <= difference) && !isnan(difference)) difference = fabs(x[i] - y[i]);
    }
    return difference <= 1e-6 * largest;
}

static int agrees(const contest *t, int (*code)(const contest *))
{
    const size_t nn = t->nv * t->nv;
    int good = library_single(t) && code(t);
    for (size_t i = 0; good && i < STATES; i++) good = are_near(t->a[0] + i * t->nv, t->a[1] + i * t->nv, t->nv);
    for (size_t i = 0; good && i < 3 * STATES; i++) good = are_near(t->D[0] + i * nn, t->D[1] + i * nn, nn);
    return good;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(const contest *t)
{
    int (*const contenders[])(const contest *) = {library_single, code_single, library_batch, code_batch};
    double best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < 4; k++) {
            const double start = now();
            contenders[k](t);
            best[k] = fmin(best[k], now() - start);
        }
    }
    return (best[1] < best[0] ? COMPILED_SINGLE : 0) | (best[3] < best[2] ? COMPILED_BATCH : 0);
}

int hmli_compiled_choose(const hml_model *model, linearize_code *code, linearize_batch_code *batch, int choice)
{
    contest t = {.code = code, .batch = batch};
    int result = -1;
    if (prepare(&t, model) && agrees(&t, code_single) && agrees(&t, code_batch)) result = choice ? measure(&t) : 0;
    hml_work_free(t.work);
    free(t.q);
    return result;
}
