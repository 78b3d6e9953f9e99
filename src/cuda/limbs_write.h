/*
 * The results of robots with a lane per limb: a matrix at a time is laid out in the memory of the multiprocessor, and
 * written by the whole warp, whose states are neighbours.
 */
#ifndef HML_CUDA_LIMBS_WRITE_H
#define HML_CUDA_LIMBS_WRITE_H

#include "cuda/limbs.h"

enum { RESULT_DQ, RESULT_DV, RESULT_MINV, RESULTS };

LANE_CODE num limb_put(const limb_lane *x, int row, int column, num a)
{
    work_put(x->tile + row * x->nv + column, a);
    return K(0) * a;
}

LANE_CODE void limb_put_mat3(const limb_lane *x, int row, int column, mat3 A)
{
    const vec3 columns[3] = {A.x, A.y, A.z};
    UNROLLED for (int k = 0; k < 3; k++)
    {
        limb_put(x, row, column + k, columns[k].x);
        limb_put(x, row + 1, column + k, columns[k].y);
        limb_put(x, row + 2, column + k, columns[k].z);
    }
}

/* rows of −S⁻¹ and G where all lanes find them, and ν̇ in place of τ */
LANE_CODE void limb_share(limb_lane *x, const limb_root *r, const limb *l)
{
    const vec3 a = vec3_add(r->b.v, vec3_sub(r->gravity, vec3_cross(r->w, r->u))), b = r->b.w;
    num wrong = K(0) * (a.x + a.y + a.z) + K(0) * (b.x + b.y + b.z);
    UNROLLED for (int j = 0; x->on && j < x->joints; j++)
    {
        work_put_twist(x->rows + LIMB_ROW * limb_column(x, j), l->G[j]);
        work_put(x->b + limb_column(x, j), l->b[j]);
        wrong += K(0) * l->b[j];
    }
    if (x->on && x->limb == 0) {
        work_put_twist_at(x->b, twist_of(a, b));
        UNROLLED for (int i = 0; i < 6; i++)
        {
            num row[6];
            UNROLLED for (int k = 0; k < 6; k++) row[k] = r->S[at21(i, k)];
            work_put_twist(x->rows + LIMB_ROW * i, twist_from(row));
        }
    }
    if (not_finite(wrong)) x->s.flags |= FLAG_OVERFLOW;
}

/* c = −S⁻¹ s, n of them at once */
LANE_CODE void limb_root_rows(const limb_lane *x, twist *c, int n)
{
    num y[LIMB_MOST][6];
    UNROLLED for (int i = 0; i < 6; i++)
    {
        const twist row = work_twist(x->rows + LIMB_ROW * i);
        UNROLLED for (int j = 0; j < n; j++) y[j][i] = dot6(row, c[j]);
    }
    UNROLLED for (int j = 0; j < n; j++) c[j] = twist_from(y[j]);
}

/* the limb's own columns: c in the root's rows, −G c in all others, and `own` added in those of the limb */
LANE_CODE void limb_columns(limb_lane *x, const twist c[LIMB_MOST], num own[LIMB_MOST][LIMB_MOST])
{
    const int at = limb_column(x, 0);
    num wrong = K(0);
    UNROLLED for (int j = 0; j < x->joints; j++)
    {
        UNROLLED for (int k = 0; k < 6; k++) wrong += limb_put(x, k, at + j, twist_get(c[j], k));
    }
    UNROLLED for (int i = 0; i < x->joints; i++)
    {
        const twist row = work_twist(x->rows + LIMB_ROW * (at + i));
        UNROLLED for (int j = 0; j < x->joints; j++) wrong += limb_put(x, at + i, at + j, own[i][j] - dot6(row, c[j]));
    }
    ROLLED for (int step = 1; step < x->s.width; step++)
    {
        const int other = x->limb ^ step, from = 6 + other * x->joints;
        if (other >= x->limbs) continue;
        UNROLLED for (int i = 0; i < x->joints; i++)
        {
            const twist row = work_twist(x->rows + LIMB_ROW * (from + i));
            UNROLLED for (int j = 0; j < x->joints; j++) wrong += limb_put(x, from + i, at + j, -dot6(row, c[j]));
        }
    }
    if (not_finite(wrong)) x->s.flags |= FLAG_OVERFLOW;
}

/* ---- columns of the root ---- */

LANE_CODE void root_Dq(const limb_lane *x, const limb_root *r)
{
    const int at = limb_column(x, 0);
    UNROLLED for (int i = 0; i < x->joints; i++) { UNROLLED for (int k = 0; k < 6; k++) limb_put(x, at + i, k, K(0)); }
    if (x->limb == 0) {
        limb_put_mat3(x, 0, 0, mat3_zero());
        limb_put_mat3(x, 3, 0, mat3_zero());
        limb_put_mat3(x, 0, 3, mat3_hat(r->gravity));
        limb_put_mat3(x, 3, 3, mat3_zero());
    }
}

LANE_CODE void root_Dv(const limb_lane *x, const limb_root *r, const limb *l)
{
    const int at = limb_column(x, 0);
    twist w[3];
    UNROLLED for (int k = 0; k < 3; k++) w[k] = r->omega[k];
    limb_root_rows(x, w, 3);
    UNROLLED for (int i = 0; i < x->joints; i++)
    {
        const twist row = work_twist(x->rows + LIMB_ROW * (at + i));
        UNROLLED for (int k = 0; k < 3; k++)
        {
            limb_put(x, at + i, k, K(0));
            limb_put(x, at + i, 3 + k, -vec3_get(l->w[i], k) - dot6(row, w[k]));
        }
    }
    if (x->limb == 0) {
        limb_put_mat3(x, 0, 0, mat3_scale(K(-1), mat3_hat(r->w)));
        limb_put_mat3(x, 3, 0, mat3_zero());
        limb_put_mat3(x, 0, 3, mat3_add(mat3_of(w[0].v, w[1].v, w[2].v), mat3_hat(r->u)));
        limb_put_mat3(x, 3, 3, mat3_of(w[0].w, w[1].w, w[2].w));
    }
}

/* M⁻¹ is symmetric: the limb's rows are c */
LANE_CODE void root_Minv(const limb_lane *x, const twist c[LIMB_MOST])
{
    const int at = limb_column(x, 0);
    UNROLLED for (int i = 0; i < x->joints; i++)
    {
        UNROLLED for (int k = 0; k < 6; k++) limb_put(x, at + i, k, twist_get(c[i], k));
    }
    for (int i = x->limb; i < 6; i += x->limbs) {
        const twist row = work_twist(x->rows + LIMB_ROW * i);
        UNROLLED for (int k = 0; k < 6; k++) limb_put(x, i, k, -twist_get(row, k));
    }
}

/* one of the three matrices. They share the code of their columns: it would not fit the cache of instructions thrice */
LANE_CODE void limb_result(limb_lane *x, int which, const limb_root *r, const limb *l)
{
    twist c[LIMB_MOST];
    num own[LIMB_MOST][LIMB_MOST];
    UNROLLED for (int j = 0; j < x->joints; j++)
    {
        num y[LIMB_MOST];
        UNROLLED for (int i = 0; i < x->joints; i++) y[i] = one_if(i == j);
        if (which == RESULT_MINV) {
            limb_solve(x, l, y);
            c[j] = work_twist(x->rows + LIMB_ROW * limb_column(x, j));
        } else {
            UNROLLED for (int i = 0; i < x->joints; i++) y[i] = which == RESULT_DQ ? l->q[i][j] : l->v[i][j];
            c[j] = which == RESULT_DQ ? l->sq[j] : l->sv[j];
        }
        UNROLLED for (int i = 0; i < x->joints; i++) own[i][j] = y[i];
    }
    limb_root_rows(x, c, x->joints);
    if (!x->on) return;
    limb_columns(x, c, own);
    if (which == RESULT_DQ)
        root_Dq(x, r);
    else if (which == RESULT_DV)
        root_Dv(x, r, l);
    else
        root_Minv(x, c);
}

/* ---- to memory, by the whole warp ---- */

/* rows × nv numbers of each of the warp's states, to an output from (row, column) of it on */
LANE_CODE void limbs_copy(const limb_lane *x, const num *from, int rows, cuda_output o, size_t first, int row,
                          int column)
{
    const int nv = x->nv, states = x->states, total = states * rows * nv;
    if (!o.data) return;
    num *to = (num *)o.data + first * o.stride + (size_t)row * o.ld + (size_t)column;
    if (o.ld == (uint64_t)nv && o.stride == (uint64_t)(rows * nv) && (uintptr_t)to % 16 == 0) {
        const int whole = total / 4 * 4;
        BY_FOUR for (int i = 4 * x->wide; i < whole; i += 4 * CUDA_WARP) global_put4(to + i, work_get4(from + i));
        ROLLED for (int i = whole + x->wide; i < total; i += CUDA_WARP) to[i] = work_get(from + i);
        return;
    }
    int k = 0, r = 0, c = x->wide;
    ROLLED for (int i = x->wide; i < total; i += CUDA_WARP, c += CUDA_WARP)
    {
        for (; c >= nv; c -= nv) r++;
        for (; r >= rows; r -= rows) k++;
        to[(size_t)k * o.stride + (size_t)r * o.ld + (size_t)c] = work_get(from + i);
    }
}

/* the upper halves of A and B, every state by the whole warp; −ad_ν of the root comes behind a barrier */
LANE_CODE void limbs_upper(const limb_lane *x, size_t first)
{
    lane_state all = x->s;
    all.lane = x->wide, all.width = CUDA_WARP;
    for (int k = 0; k < x->states; k++) {
        const lane_outputs o = outputs_of(x->s.call, first + (size_t)k, 1);
        upper_halves(&all, &o);
    }
}

LANE_CODE void limb_ad(const limb_lane *x, const limb_root *r, lane_output A)
{
    const num v[6] = {r->u.x, r->u.y, r->u.z, r->w.x, r->w.y, r->w.z};
    num ad[36];
    if (!A.data || x->s.lane) return;
    joint_ad(HML_JOINT_FREE, v, ad);
    for (int i = 0; i < 36; i++) A.data[(i / 6) * A.ld + i % 6] = -ad[i];
}

/* ---- the whole ---- */

/* what stays the same for all states of a warp */
LANE_CODE limb_lane limbs_begin(const cuda_call *call, const num *table, num *memory, int wide, int width, int joints,
                                int limbs)
{
    const int states = CUDA_WARP / width, group = wide / width, nv = 6 + limbs * joints;
    const limb_layout at = cuda_limb_layout(joints, limbs, width);
    limb_lane x;
    const lane_kernel kernel = {width, 0, 0};
    x.s = lanes_begin(call, memory, wide % width, kernel);
    x.joints = joints, x.limbs = limbs, x.nv = nv;
    x.on = width == limbs || x.s.lane < limbs;
    x.limb = x.on ? x.s.lane : 0;
    x.wide = wide;
    x.table = table;
    x.inputs = memory;
    x.q = memory + group * (nv + 1);
    x.v = memory + states * (nv + 1) + group * nv;
    x.taus = memory + at.b;
    x.b = x.taus + group * nv;
    x.rows = memory + at.rows + group * (LIMB_ROW * nv + 4);
    x.stage = memory + at.stage;
    x.tile = x.stage + group * nv * nv;
    x.states = states;
    x.bad = K(0);
    return x;
}

/* matrix by matrix: laid out, then written wherever it is wanted */
LANE_CODE void limbs_results(limb_lane *x, const limb_root *r, const limb *l, size_t first)
{
    const cuda_call *call = x->s.call;
    const int nv = x->nv;
    ROLLED for (int k = 0; k < RESULTS; k++)
    {
        const cuda_output alone = k == RESULT_DQ ? call->Dq : k == RESULT_DV ? call->Dv : call->Minv;
        const cuda_output inside = k == RESULT_MINV ? call->B : call->A;
        if (!alone.data && !inside.data) continue;
        limb_result(x, k, r, l);
        lanes_sync();
        limbs_copy(x, x->stage, nv, alone, first, 0, 0);
        if (inside.data) limbs_copy(x, x->stage, nv, inside, first, nv, k == RESULT_DV ? nv : 0);
        lanes_sync();
    }
}

/* the states from `first` on, as many as a warp has; they are fetched, and those from `next` on are fetched meanwhile */
LANE_CODE void limbs_linearize(limb_lane *x, size_t first, size_t next)
{
    const cuda_call *call = x->s.call;
    const int states = CUDA_WARP / x->s.width;
    const size_t state = first + (size_t)(x->wide / x->s.width);
    limb_root r;
    limb l;
    x->states = call->n - first < (uint64_t)states ? (int)(call->n - first) : states;
    x->s.state = state < call->n ? state : call->n - 1;
    x->s.flags = 0;
    x->bad = K(0);
    if (call->wrenches.data) check_wrenches(&x->s);
    lanes_fetched();
    lanes_sync();
    limb_compute(x, &r, &l);
    lanes_sync(); /* results begin to take the place of slots and inputs */
    limb_share(x, &r, &l);
    if (call->A.data || call->B.data) limbs_upper(x, first);
    lanes_sync();
    limbs_copy(x, x->taus, 1, call->acceleration, first, 0, 0);
    limb_ad(x, &r, output_of(call->A, x->s.state, state < call->n));
    lanes_sync(); /* the next inputs come where ν̇ was */
    limbs_fetch(x, next);
    limbs_results(x, &r, &l, first);
    const int flags = lanes_or(x->s.flags, x->s.width);
    if (flags) { /* behind the barrier at the end of the results */
        const lane_outputs o = outputs_of(call, x->s.state, state < call->n);
        outputs_nan(&x->s, &o);
    }
    if (x->s.lane == 0 && state < call->n && call->status) call->status[state] = status_of_flags(flags);
}

#endif
