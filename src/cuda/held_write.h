/* The second stage of held.h: derivatives of a held robot, from those with λ given. */
#ifndef HML_CUDA_HELD_WRITE_H
#define HML_CUDA_HELD_WRITE_H

#include "cuda/held.h"

/* lane of a column: E += J D. The lane has the whole column of E, so that it waits for nobody */
LANE_CODE void held_add_rows(lane_held *x, lane_output D, num *E, int c)
{
    const int nv = x->s.call->model.nv;
    ROLLED for (int r = 0; r < x->h->all; r += HELD_ROWS)
    {
        held_six sum = six_zero();
        BY_FOUR for (int j = 0; j < nv; j++) six_add(&sum, D.data[j * D.ld + c], x->J + r * nv + j, nv);
        UNROLLED for (int k = 0; k < HELD_ROWS; k++)
        {
            num *to = E + (r + k) * nv + c;
            work_put(to, work_get(to) + sum.x[k]);
        }
    }
}

/* six rows of Y = −K⁻¹ E of a column; step: from one row of E to the next */
LANE_CODE held_six held_solve(const lane_held *x, const num *E, int step, int r)
{
    held_six y = six_zero();
    ROLLED for (int k = 0; k < x->h->rows; k++)
        six_add(&y, work_get(E + k * step), x->K + r * x->h->all + k, x->h->all);
    return y;
}

/* rows r … r + 5 of ∂λ in column c; `add` 1: to what is there */
LANE_CODE void held_put_lambda(const lane_held *x, cuda_output o, num *to, const held_six *y, int r, int c, int add)
{
    UNROLLED for (int k = 0; k < HELD_ROWS; k++)
    {
        if (!to || r + k >= x->h->rows) continue;
        num *entry = to + (size_t)(r + k) * o.ld + (size_t)c;
        *entry = add ? *entry + y->x[k] : y->x[k];
    }
}

/* D += W Y for six rows, from one place to another; returns NaN where anything is not finite */
LANE_CODE num held_add_columns(const lane_held *x, const held_six *y, int r, lane_output from, lane_output to, int c)
{
    const int nv = x->s.call->model.nv, all = x->h->all;
    num wrong = K(0);
    BY_TWO for (int j = 0; j < nv; j++)
    {
        num d = from.data[j * from.ld + c];
        UNROLLED for (int k = 0; k < HELD_ROWS; k++) d += work_get(x->W + j * all + r + k) * y->x[k];
        wrong += K(0) * d;
        to.data[j * to.ld + c] = d;
    }
    return wrong;
}

/* where a matrix comes from, where it goes, and its copy in A or B; data NULL: not wanted */
typedef struct held_matrix {
    lane_output from, to, copy;
    cuda_output lambda_at;
    num *lambda;
    int add;
} held_matrix;

/* lane of a column c: all rows of D and of ∂λ */
LANE_CODE void held_column(lane_held *x, const held_matrix *m, const num *E, int step, int c)
{
    const int nv = x->s.call->model.nv;
    num wrong = K(0);
    ROLLED for (int r = 0; r < x->h->all; r += HELD_ROWS)
    {
        const held_six y = held_solve(x, E, step, r);
        held_put_lambda(x, m->lambda_at, m->lambda, &y, r, c, m->add);
        UNROLLED for (int k = 0; k < HELD_ROWS; k++) wrong += K(0) * y.x[k];
        if (m->to.data) wrong += held_add_columns(x, &y, r, r ? m->to : m->from, m->to, c);
    }
    for (int j = 0; j < nv && m->copy.data; j++) m->copy.data[j * m->copy.ld + c] = m->to.data[j * m->to.ld + c];
    if (not_finite(wrong)) x->s.flags |= FLAG_OVERFLOW;
}

/* D_q or D_ν: corrected where it is */
LANE_CODE void held_derivative(lane_held *x, lane_output D, lane_output copy, cuda_output lambda_at, num *lambda,
                               num *E, int add)
{
    const int nv = x->s.call->model.nv;
    held_matrix m;
    m.from = m.to = D, m.copy = copy, m.lambda_at = lambda_at, m.lambda = lambda, m.add = add;
    FOR_LANES(&x->s, c, D.data ? nv : 0)
    {
        held_add_rows(x, D, E, c);
        held_column(x, &m, E + c, nv, c);
    }
}

/* D_τ from M⁻¹, and ∂λ/∂τ = −K⁻¹ Wᵀ */
LANE_CODE void held_response_write(lane_held *x, const lane_outputs *o, num *lambda)
{
    const int nv = x->s.call->model.nv, all = x->h->all;
    held_matrix m;
    m.from.data = (num *)(uintptr_t)x->h->Minv.data + x->s.state * x->h->Minv.stride, m.from.ld = nv;
    m.to = o->Minv, m.copy.data = NULL, m.copy.ld = 0;
    if (o->copy_Minv) m.copy = output_block(o->B, nv, 0);
    m.lambda_at = x->h->lambda_tau, m.lambda = lambda, m.add = 0;
    FOR_LANES(&x->s, c, nv)
    {
        held_column(x, &m, x->W + c * all, 1, c);
        for (int j = 0; j < nv && o->B.data; j++) o->B.data[j * o->B.ld + c] = K(0);
    }
}

LANE_CODE void lambda_nan(const lane_held *x, cuda_output o, int there)
{
    num *to = held_output(x, o, there);
    for (int r = 0; r < x->h->rows && to; r++) lanes_fill(&x->s, to + (size_t)r * o.ld, (size_t)x->s.call->model.nv);
}

LANE_CODE void held_second(lane_held *x, size_t state, int there)
{
    lane_state *s = &x->s;
    const cuda_held *h = x->h;
    const int nv = s->call->model.nv;
    const lane_outputs o = outputs_of(s->call, s->state, there);
    lane_output none;
    none.data = NULL, none.ld = 0;
    const num *lambda = (const num *)h->lambda.data + s->state * h->lambda.stride;
    num *lambda_q = held_output(x, h->lambda_q, there), *lambda_v = held_output(x, h->lambda_v, there);
    FOR_LANES(s, r, h->rows) work_put(x->lambda + r, lambda[r]);
    lanes_sync();
    held_prepare(x, lambda_q);
    held_derivative(x, o.Dq, o.copy_Dq ? output_block(o.A, nv, 0) : none, h->lambda_q, lambda_q, x->E, 1);
    held_derivative(x, o.Dv, o.copy_Dv ? output_block(o.A, nv, nv) : none, h->lambda_v, lambda_v, x->E + h->all * nv,
                    0);
    held_response_write(x, &o, held_output(x, h->lambda_tau, there));
    lanes_sync();
    const int flags = lanes_or(s->flags, s->width);
    const int32_t before = held_before(x), status = before ? before : status_of_flags(flags);
    if (status) {
        outputs_nan(s, &o);
        lambda_nan(x, h->lambda_q, there), lambda_nan(x, h->lambda_v, there), lambda_nan(x, h->lambda_tau, there);
        lanes_fill(s, held_output(x, h->lambda_out, there), (size_t)h->rows);
    }
    if (s->lane == 0 && there && s->call->status) s->call->status[state] = status;
}

/* one state of a batch */
LANE_CODE void lanes_held(lane_held *x, size_t state)
{
    const cuda_call *call = &x->h->call;
    const int there = state < call->n;
    x->s.state = there ? state : call->n - 1;
    x->s.flags = 0;
    load_state(&x->s);
    if (x->h->stage == 1)
        held_first(x, state, there);
    else
        held_second(x, state, there);
    lanes_sync(); /* the next state uses the same workspace */
}

#endif
