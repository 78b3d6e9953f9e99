/* Calls of compiled code: single states, batches, and A and B around what the code writes. */
#include "generate/compile.h"

#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "group/joint.h"
#include "model/model.h"

enum { BATCH_FROM = 8 }; /* states that the library computes side by side, and that A and B are made of at a time */

static const hml_status statuses[] = {HML_OK, HML_NOT_FINITE, HML_NOT_NORMALIZED, HML_SINGULAR};

static int is_packed(hml_output out, size_t columns) { return out.data && (out.ld == 0 || out.ld == columns); }
static size_t stride_of(size_t given, size_t packed) { return given ? given : packed; }

/* A of a state, from D_q and D_ν, which may be its first half */
static void fill_A(const hml_model *m, const double *v, const double *Dq, const double *Dv, double *A)
{
    const size_t n = (size_t)m->nv;
    for (size_t r = n; r-- > 0;) {
        memcpy(A + (n + r) * 2 * n, Dq + r * n, n * sizeof *A);
        memcpy(A + (n + r) * 2 * n + n, Dv + r * n, n * sizeof *A);
    }
    memset(A, 0, 2 * n * n * sizeof *A);
    for (size_t r = 0; r < n; r++) A[r * 2 * n + n + r] = 1;
    for (int32_t j = 0; j < m->njoints; j++) {
        const model_joint *joint = &model_joints(m)[j];
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        const size_t first = (size_t)joint->v, k = (size_t)joint->nv;
        if (joint_commutes(joint->type)) continue;
        joint_ad(joint->type, &v[first], ad);
        for (size_t r = 0; r < k * k; r++) A[(first + r / k) * 2 * n + first + r % k] = -ad[r];
    }
}

static void fill_nan(double *x, size_t n)
{
    for (size_t k = 0; x && k < n; k++) x[k] = NAN;
}

/* one state; A and B, or the three blocks, as the caller wants them */
static hml_status run(const hml_compiled *c, const hml_linearization *x, size_t i)
{
    const size_t n = (size_t)c->model->nv;
    const double *q = x->q.data + i * x->q.stride, *v = x->v.data + i * x->v.stride;
    const double *tau = x->tau.data ? x->tau.data + i * x->tau.stride : NULL;
    double *a = x->acceleration.data + i * stride_of(x->acceleration.stride, n);
    double *A = x->A.data ? x->A.data + i * stride_of(x->A.stride, 4 * n * n) : NULL;
    double *B = x->B.data ? x->B.data + i * stride_of(x->B.stride, 2 * n * n) : NULL;
    double *Dq = A ? A : x->Dq.data + i * stride_of(x->Dq.stride, n * n);
    double *Dv = A ? A + n * n : x->Dv.data + i * stride_of(x->Dv.stride, n * n);
    double *Minv = B ? B + n * n : x->Minv.data + i * stride_of(x->Minv.stride, n * n);
    const int code = c->linearize(q, v, tau, a, Dq, Dv, Minv);
    if (A && code) fill_nan(A, 4 * n * n), fill_nan(B, 2 * n * n);
    if (A && !code) {
        fill_A(c->model, v, Dq, Dv, A);
        memset(B, 0, n * n * sizeof *B);
    }
    return statuses[code & 3];
}

/* ---- batches ---- */

/*
 * A and B of n states where the code has left D_q at the beginning of A, and D_ν and M⁻¹ one behind the other in B. The
 * last state comes first, so that its A does not cover what the others need; of B, which is then free of D_ν, the first one.
 */
static void unfold(const hml_model *m, size_t n, const double *v, const double *a, double *A, double *B)
{
    const size_t nv = (size_t)m->nv, square = nv * nv;
    for (size_t i = n; i-- > 0;) {
        double *to = A + i * 4 * square;
        if (isnan(a[i * nv]))
            fill_nan(to, 4 * square);
        else
            fill_A(m, v + i * nv, A + i * square, B + i * square, to);
    }
    for (size_t i = 0; i < n; i++) {
        double *to = B + i * 2 * square;
        memmove(to + square, B + (n + i) * square, square * sizeof *B);
        if (isnan(a[i * nv]))
            fill_nan(to, square);
        else
            memset(to, 0, square * sizeof *B);
    }
}

/* the states from `first` on, whose arguments are packed; how many of them failed */
static int run_many(const hml_compiled *c, const hml_linearization *x, size_t first, size_t n)
{
    const size_t nv = (size_t)c->model->nv, square = nv * nv;
    const double *q = x->q.data + first * x->q.stride, *v = x->v.data + first * nv;
    const double *tau = x->tau.data ? x->tau.data + first * nv : NULL;
    double *a = x->acceleration.data + first * nv;
    if (!x->A.data)
        return c->batch((int)n, q, v, tau, a, x->Dq.data + first * square, x->Dv.data + first * square,
                        x->Minv.data + first * square);
    double *A = x->A.data + first * 4 * square, *B = x->B.data + first * 2 * square;
    const int failed = c->batch((int)n, q, v, tau, a, A, B, B + n * square);
    unfold(c->model, n, v, a, A, B);
    return failed;
}

/* do the states of all arguments follow each other without gaps? */
static int is_dense(const hml_compiled *c, const hml_linearization *x)
{
    const size_t n = (size_t)c->model->nv;
    return n > 0 && x->q.stride == (size_t)c->model->nq && x->v.stride == n && (!x->tau.data || x->tau.stride == n) &&
           stride_of(x->acceleration.stride, n) == n && stride_of(x->A.stride, 4 * n * n) == 4 * n * n &&
           stride_of(x->B.stride, 2 * n * n) == 2 * n * n && stride_of(x->Dq.stride, n * n) == n * n &&
           stride_of(x->Dv.stride, n * n) == n * n && stride_of(x->Minv.stride, n * n) == n * n;
}

/* is the code faster for this many states, and are the results what it can write? */
static int can_run(const hml_compiled *c, const hml_linearization *x, size_t states)
{
    if (!(c->choice & (states < BATCH_FROM ? COMPILED_SINGLE : COMPILED_BATCH))) return 0;
    const size_t n = (size_t)c->model->nv;
    const int blocks = is_packed(x->Dq, n) && is_packed(x->Dv, n) && is_packed(x->Minv, n) && !x->A.data && !x->B.data;
    const int whole = is_packed(x->A, 2 * n) && is_packed(x->B, n) && !x->Dq.data && !x->Dv.data && !x->Minv.data;
    return c->linearize && x->q.data && x->v.data && x->acceleration.data && !x->wrenches.data && (blocks || whole);
}

hml_status hml_compiled_linearize(const hml_compiled *c, hml_work *work, size_t n, const hml_linearization *arguments,
                                  hml_status *status)
{
    hml_linearization room;
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    hml_status worst = HML_OK;
    if (!c || !x) return HML_INVALID_ARGUMENT;
    if (!can_run(c, x, n)) return hml_linearize_batch(c->model, work, n, arguments, status);
    const int dense = n >= BATCH_FROM && is_dense(c, x);
    for (size_t first = 0, count; first < n; first += count) {
        count = !dense ? 1 : n - first < BATCH_FROM ? n - first : BATCH_FROM;
        const int failed = !dense || run_many(c, x, first, count);
        for (size_t i = first; i < first + count; i++) {
            /* the code says how many states failed, not why: such a state is computed once more */
            const int again = failed && (!dense || isnan(x->acceleration.data[i * (size_t)c->model->nv]));
            const hml_status each = again ? run(c, x, i) : HML_OK;
            if (status) status[i] = each;
            if (!worst) worst = each;
        }
    }
    return worst;
}
