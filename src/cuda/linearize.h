/* The linearization of a batch on lanes: the stages in order, and the results of a state on their way to memory. */
#ifndef HML_CUDA_LINEARIZE_H
#define HML_CUDA_LINEARIZE_H

#include "cuda/output.h"
#include "cuda/trunk_columns.h"

LANE_CODE column_tile column_tile_of(const lane_state *s, const lane_column *col, const num *y)
{
    const cuda_tree *t = s->tree;
    column_tile tile;
    if (col->root >= 0) { /* y of the angular velocity is in Z, and zeros behind it */
        const num *from = s->work + t->at.Z + Z_ROW * 6;
        tile.begin = 6, tile.end = col->root < 3 ? 6 : t->columns;
        tile.q = tile.m = from + 10, tile.v = from + (col->root < 3 ? 10 : 6 + col->root - 3);
        tile.q_step = tile.v_step = tile.m_step = Z_ROW;
    } else {
        tile.begin = col->block, tile.end = col->block + col->size;
        tile.q = y, tile.v = y + s->width;
        tile.m = s->work + t->at.N + t->block_ld * col->block + col->c - col->block;
        tile.q_step = tile.v_step = 2 * s->width;
        tile.m_step = t->block_ld;
    }
    return tile;
}

/* rows `begin` … `end` − 1 of a column; dq0 and dv0: closed forms in the first three rows, added where `closed` is set */
LANE_CODE num column_rows(const lane_state *s, const lane_column *col, column_tile *tile, const lane_outputs *o,
                          int begin, int end, int closed, vec3 dq0, vec3 dv0)
{
    const cuda_tree *t = s->tree;
    const int at = t->begin + begin, c = t->begin + col->c;
    num *Dq = o->Dq.data ? o->Dq.data + at * o->Dq.ld + c : NULL;
    num *Dv = o->Dv.data ? o->Dv.data + at * o->Dv.ld + c : NULL;
    num *Minv = o->Minv.data ? o->Minv.data + at * o->Minv.ld + c : NULL;
    const int wants_q = Dq != NULL, wants_v = Dv != NULL, wants_m = Minv != NULL;
    const num *G = s->work + t->at.G + 8 * begin;
    num wrong = K(0);
    ROLLED for (int r = begin; r < end; r++, G += 8)
    {
        num dq = K(0), dv = K(0), m = K(0);
        if (t->base) {
            const twist row = work_twist(G);
            dq = -dot6(row, col->sq), dv = -dot6(row, col->sv), m = dot6(row, col->sm);
        }
        if (r >= tile->begin && r < tile->end) {
            dq += work_get(tile->q), dv += work_get(tile->v), m -= work_get(tile->m);
            tile->q += tile->q_step, tile->v += tile->v_step, tile->m += tile->m_step;
        }
        if (closed) dq += vec3_get(dq0, r), dv += vec3_get(dv0, r);
        if (wants_q) global_put(Dq, dq), Dq += o->Dq.ld;
        if (wants_v) global_put(Dv, dv), Dv += o->Dv.ld;
        if (wants_m) global_put(Minv, m), Minv += o->Minv.ld;
        wrong += K(0) * dq + K(0) * dv + K(0) * m;
    }
    return wrong;
}

LANE_CODE void column_write(lane_state *s, const lane_column *col, const num *y, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const int k = col->root, three = t->base ? 3 : 0;
    column_tile tile = column_tile_of(s, col, y);
    vec3 dq0 = vec3_zero(), dv0 = vec3_zero();
    num wrong = K(0);
    if (k >= 0) {
        const base_motion base = root_motion(s);
        const vec3 e = unit3(k % 3);
        if (k >= 3) dq0 = vec3_cross(base.gravity, e);
        dv0 = k < 3 ? vec3_cross(e, root_omega(s)) : vec3_cross(base.u, e);
    }
    if (three) wrong = column_rows(s, col, &tile, o, 0, three, 1, dq0, dv0);
    wrong += column_rows(s, col, &tile, o, three, t->columns, 0, dq0, dv0);
    if (not_finite(wrong)) s->flags |= FLAG_OVERFLOW;
}

/* the columns of a free root's position and linear velocity, where they need no work */
LANE_CODE void root_write(const lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const vec3 omega = root_omega(s);
    FOR_LANES(s, task, 3 * t->columns)
    {
        const int r = task / 3, k = task % 3;
        const num dv = r < 3 ? vec3_get(vec3_cross(unit3(k), omega), r) : K(0);
        output_put(o->Dq, t->begin + r, t->begin + k, K(0));
        output_put(o->Dv, t->begin + r, t->begin + k, dv);
        output_put(o->Minv, t->begin + r, t->begin + k, work_get(s->work + t->at.G + 8 * r + k));
    }
}

/* zeros where rows of this tree meet columns of other trees */
LANE_CODE void tree_clear(const lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const int nv = s->call->model.nv, others = nv - t->columns;
    ROLLED for (int r = t->begin; r < t->begin + t->columns; r++)
    {
        FOR_LANES(s, i, others)
        {
            const int c = i < t->begin ? i : i + t->columns;
            output_put(o->Dq, r, c, K(0));
            output_put(o->Dv, r, c, K(0));
            output_put(o->Minv, r, c, K(0));
        }
    }
}

/* the upper halves of A and B, [ −ad_ν  1 ] and 0; ad_ν comes later, tree by tree */
LANE_CODE void upper_halves(const lane_state *s, const lane_outputs *o)
{
    const int nv = s->call->model.nv;
    ROLLED for (int r = 0; o->A.data && r < nv; r++)
    {
        FOR_LANES(s, c, 2 * nv) o->A.data[r * o->A.ld + c] = one_if(c == nv + r);
    }
    ROLLED for (int r = 0; o->B.data && r < nv; r++) { FOR_LANES(s, c, nv) o->B.data[r * o->B.ld + c] = K(0); }
}

/* lane of a body: −ad_ν of its joint, behind a barrier that follows upper_halves */
LANE_CODE void tree_ad(const lane_state *s, const lane_outputs *o)
{
    const num *v = s->work + s->call->model.v;
    FOR_LANES(s, i, o->A.data ? s->tree->bodies : 0)
    {
        const int type = body_integer(s, BODY_TYPE, i), first = body_integer(s, BODY_V, i), n = joint_nv(type);
        num ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV], own[HML_JOINT_MAX_NV];
        if (joint_commutes(type)) continue;
        for (int k = 0; k < n; k++) own[k] = work_get(v + first + k);
        joint_ad(type, own, ad);
        for (int r = 0; r < n; r++) {
            for (int c = 0; c < n; c++) o->A.data[(first + r) * o->A.ld + first + c] = -ad[r * n + c];
        }
    }
}

/* the columns of a tree, from M on: a lane has one, or several one after the other */
LANE_CODE void columns_linearize(lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const int trips = s->one ? 1 : (t->extended + s->width - 1) / s->width;
    num *scratch = s->work + t->at.scratch + s->lane;
    if (t->base) root_columns(s, root_rows_of(s));
    columns_rows(s);
    columns_mass(s);
    tree_inverse(s);
    tree_acceleration(s, o);
    if (!wants_matrices(s->call)) return;
    bodies_acceleration(s);
    for (int trip = 0; trip < trips; trip++) {
        lane_column col = column_load(s, trip);
        lanes_sync(); /* the scratch overlaps what other lanes have just read */
        column_solve(s, &col, scratch);
        if (col.on) column_write(s, &col, scratch + 2 * t->block * s->width, o);
    }
}

/* the same of a robot with a trunk */
LANE_CODE void trunk_linearize(lane_state *s, const lane_outputs *o)
{
    trunk_lane x = trunk_begin(s);
    trunk_inverse(s, &x);
    tree_acceleration(s, o);
    if (!wants_matrices(s->call)) return;
    bodies_acceleration(s);
    const trunk_sums sums = trunk_solve(s, &x);
    trunk_write(s, &x, &sums, o);
}

LANE_CODE void tree_linearize(lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    bodies_move(s);
    chains_poses(s);
    columns_twists(s);
    bodies_velocities(s, NULL);
    bodies_composites(s);
    if (s->call->model.passive) bodies_passive(s);
    if (s->trunk)
        trunk_linearize(s, o);
    else
        columns_linearize(s, o);
    if (!wants_matrices(s->call)) return;
    if (t->k0 && !s->trunk) root_write(s, o);
    if (t->columns < s->call->model.nv) tree_clear(s, o);
    if (o->A.data) tree_ad(s, o);
}

LANE_CODE void output_copy(const lane_state *s, lane_output from, lane_output to)
{
    const int nv = s->call->model.nv;
    ROLLED for (int r = 0; r < nv; r++) { FOR_LANES(s, c, nv) to.data[r * to.ld + c] = from.data[r * from.ld + c]; }
}

/* what is wanted twice, behind a barrier that follows the rest */
LANE_CODE void outputs_copy(const lane_state *s, const lane_outputs *o)
{
    const int nv = s->call->model.nv;
    if (o->copy_Dq) output_copy(s, o->Dq, output_block(o->A, nv, 0));
    if (o->copy_Dv) output_copy(s, o->Dv, output_block(o->A, nv, nv));
    if (o->copy_Minv) output_copy(s, o->Minv, output_block(o->B, nv, 0));
}

/* which kernel: see lane_state; `one` and `trunk` of a model of one tree */
typedef struct lane_kernel {
    int width, one, trunk;
} lane_kernel;

/* what stays the same for all states of a warp */
LANE_CODE lane_state lanes_begin(const cuda_call *call, num *work, int l, lane_kernel kernel)
{
    const cuda_model *m = &call->model;
    lane_state s;
    s.call = call;
    s.tree = &m->tree[kernel.trunk];
    s.integers = m->integers;
    s.numbers = (const num *)m->numbers;
    s.work = work;
    s.lane = l;
    s.width = kernel.width;
    s.one = kernel.one;
    s.trunk = kernel.trunk;
    s.state = 0;
    s.flags = 0;
    if (s.one) load_own(&s);
    return s;
}

/* one state of a batch, on the lanes of its group */
LANE_CODE void lanes_linearize(lane_state *s, size_t state)
{
    const cuda_call *call = s->call;
    const cuda_model *m = &call->model;
    const int there = state < call->n, trees = s->one ? 1 : m->trees;
    s->state = there ? state : call->n - 1;
    s->flags = 0;
    const lane_outputs o = outputs_of(call, s->state, there);
    load_state(s);
    if (o.A.data || o.B.data) upper_halves(s, &o);
    for (int i = 0; i < trees; i++) {
        s->tree = &m->tree[s->one ? s->trunk : i];
        tree_linearize(s, &o);
        lanes_sync(); /* the next tree, or the next state, uses the same workspace */
    }
    const int flags = lanes_or(s->flags, s->width);
    if (o.copy_Dq || o.copy_Dv || o.copy_Minv) outputs_copy(s, &o);
    if (flags) outputs_nan(s, &o);
    if (s->lane == 0 && there && call->status) call->status[state] = status_of_flags(flags);
}

#endif
