/* The results of a state on their way to memory: where they go, and what a lane adds to its column's rows. */
#ifndef HML_CUDA_OUTPUT_H
#define HML_CUDA_OUTPUT_H

#include "cuda/composites.h"

/* an output matrix of one state */
typedef struct lane_output {
    num *data; /* NULL: not wanted */
    int ld;    /* batch.c sees to it that it is small */
} lane_output;

/* where the results of one state go: D_q, D_ν and M⁻¹ wherever they are wanted first, and A and B */
typedef struct lane_outputs {
    num *x;
    lane_output Dq, Dv, Minv, A, B;
    int copy_Dq, copy_Dv, copy_Minv; /* 1: wanted by itself and in A or B */
} lane_outputs;

/* `there` 0: a group of lanes behind the last state, which computes that one again and writes nothing */
LANE_CODE lane_output output_of(cuda_output o, size_t state, int there)
{
    lane_output out;
    out.data = o.data && there ? (num *)o.data + state * o.stride : NULL;
    out.ld = (int)o.ld;
    return out;
}

LANE_CODE lane_output output_block(lane_output o, int row, int column)
{
    if (o.data) o.data += row * o.ld + column;
    return o;
}

LANE_CODE lane_outputs outputs_of(const cuda_call *call, size_t state, int there)
{
    const int nv = call->model.nv;
    lane_outputs o;
    o.x = output_of(call->acceleration, state, there).data;
    o.Dq = output_of(call->Dq, state, there);
    o.Dv = output_of(call->Dv, state, there);
    o.Minv = output_of(call->Minv, state, there);
    o.A = output_of(call->A, state, there);
    o.B = output_of(call->B, state, there);
    o.copy_Dq = o.A.data && o.Dq.data;
    o.copy_Dv = o.A.data && o.Dv.data;
    o.copy_Minv = o.B.data && o.Minv.data;
    if (!o.Dq.data) o.Dq = output_block(o.A, nv, 0);
    if (!o.Dv.data) o.Dv = output_block(o.A, nv, nv);
    if (!o.Minv.data) o.Minv = output_block(o.B, nv, 0);
    return o;
}

/* 0: ν̇ alone; the same for all lanes */
LANE_CODE int wants_matrices(const cuda_call *call)
{
    return call->Dq.data || call->Dv.data || call->Minv.data || call->A.data || call->B.data;
}

LANE_CODE void output_put(lane_output o, int row, int column, num x)
{
    if (o.data) o.data[row * o.ld + column] = x;
}

/* what lane_column adds to the rows of its block: three numbers a row, each with its own step */
typedef struct column_tile {
    int begin, end;
    const num *q, *v, *m;
    int q_step, v_step, m_step;
} column_tile;

/* ν̇, complete */
LANE_CODE void tree_acceleration(lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    FOR_LANES(s, c, t->columns)
    {
        num x = work_get(s->work + s->call->model.x + t->begin + c);
        if (c < 3 && t->base) x += vec3_get(root_acceleration(s), c);
        if (not_finite(x)) s->flags |= FLAG_OVERFLOW;
        if (o->x) o->x[t->begin + c] = x;
    }
}

LANE_CODE void output_nan(const lane_state *s, lane_output o, int rows, int columns)
{
    ROLLED for (int r = 0; o.data && r < rows; r++) { FOR_LANES(s, c, columns) o.data[r * o.ld + c] = K(NAN); }
}

/* NaN in everything, since the state failed */
LANE_CODE void outputs_nan(const lane_state *s, const lane_outputs *o)
{
    const int nv = s->call->model.nv;
    lane_output x;
    x.data = o->x, x.ld = nv;
    output_nan(s, x, 1, nv);
    output_nan(s, o->Dq, nv, nv);
    output_nan(s, o->Dv, nv, nv);
    output_nan(s, o->Minv, nv, nv);
    output_nan(s, o->A, 2 * nv, 2 * nv);
    output_nan(s, o->B, 2 * nv, nv);
}

#endif
