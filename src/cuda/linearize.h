/* The linearization of a batch on lanes: the stages in order, and the results of a state on their way to memory. */
#ifndef HML_CUDA_LINEARIZE_H
#define HML_CUDA_LINEARIZE_H

#include "cuda/columns.h"

/* where the results of one state go; NULL: not wanted */
typedef struct lane_outputs {
    num *x, *Dq, *Dv, *Minv, *A, *B;
    int Dq_ld, Dv_ld, Minv_ld, A_ld, B_ld; /* batch.c sees to it that they are small */
} lane_outputs;

LANE_CODE num *output_of(cuda_output o, size_t state) { return o.data ? (num *)o.data + state * o.stride : NULL; }

/* `there` 0: a group of lanes behind the last state, which computes that one again and writes nothing */
LANE_CODE lane_outputs outputs_of(const cuda_call *call, size_t state, int there)
{
    lane_outputs o;
    o.x = there ? output_of(call->acceleration, state) : NULL;
    o.Dq = there ? output_of(call->Dq, state) : NULL;
    o.Dv = there ? output_of(call->Dv, state) : NULL;
    o.Minv = there ? output_of(call->Minv, state) : NULL;
    o.A = there ? output_of(call->A, state) : NULL;
    o.B = there ? output_of(call->B, state) : NULL;
    o.Dq_ld = (int)call->Dq.ld, o.Dv_ld = (int)call->Dv.ld, o.Minv_ld = (int)call->Minv.ld;
    o.A_ld = (int)call->A.ld, o.B_ld = (int)call->B.ld;
    return o;
}

/* entry (row, column) of D_q, D_ν and M⁻¹, and of A and B that contain them */
LANE_CODE void outputs_put(const lane_outputs *o, int nv, int row, int column, num dq, num dv, num m)
{
    if (o->Dq) o->Dq[row * o->Dq_ld + column] = dq;
    if (o->Dv) o->Dv[row * o->Dv_ld + column] = dv;
    if (o->Minv) o->Minv[row * o->Minv_ld + column] = m;
    if (o->A) {
        num *to = o->A + (nv + row) * o->A_ld + column;
        to[0] = dq;
        to[nv] = dv;
    }
    if (o->B) o->B[(nv + row) * o->B_ld + column] = m;
}

/* the rows of a column */
LANE_CODE void column_write(lane_state *s, const lane_column *col, const num *y, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const int nv = s->call->model.nv, w = s->width, k = col->root;
    const vec3 zero = vec3_zero(), e = unit3(k < 0 ? 0 : k % 3);
    vec3 dq0 = zero, dv0 = zero, linear = zero; /* closed forms in the rows of the root's position */
    num wrong = K(0);
    if (k >= 0) {
        const base_motion base = root_motion(s);
        const vec3 by_velocity = vec3_cross(e, root_omega(s));
        dq0 = k < 3 ? zero : vec3_cross(base.gravity, e);
        dv0 = k < 3 ? by_velocity : vec3_cross(base.u, e);
        linear = by_velocity;
    }
    for (int r = 0; r < t->columns; r++) {
        num dq = K(0), dv = K(0), m = K(0);
        twist G = twist_zero();
        if (t->base) {
            G = work_twist(s->work + t->at.G + 8 * r);
            dq = -dot6(G, col->sq);
            dv = -dot6(G, col->sv);
            m = dot6(G, col->sm);
        }
        const int at = r - col->block;
        if (at >= 0 && at < col->size) {
            dq += work_get(y + 2 * at * w);
            dv += work_get(y + (2 * at + 1) * w);
            m -= work_get(s->work + t->at.N + t->block_ld * r + col->c - col->block);
        }
        if (k >= 0) {
            if (r < 3) dq += vec3_get(dq0, r), dv += vec3_get(dv0, r);
            if (r >= 6 && k >= 3) dv += work_get(s->work + t->at.y_root + 4 * r + k - 3);
            if (t->k0)
                outputs_put(o, nv, t->begin + r, t->begin + k - 3, K(0), r < 3 ? vec3_get(linear, r) : K(0),
                            vec3_get(G.v, k - 3));
        }
        outputs_put(o, nv, t->begin + r, t->begin + col->c, dq, dv, m);
        wrong += K(0) * dq + K(0) * dv + K(0) * m;
    }
    if (not_finite(wrong)) s->flags |= FLAG_OVERFLOW;
}

/* zeros where rows of this tree meet columns of other trees */
LANE_CODE void tree_clear(const lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const int nv = s->call->model.nv, others = nv - t->columns;
    for (int r = 0; r < t->columns; r++) {
        FOR_LANES(s, i, others)
        {
            outputs_put(o, nv, t->begin + r, i < t->begin ? i : i + t->columns, K(0), K(0), K(0));
        }
    }
}

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

/* the upper halves of A and B, [ −ad_ν  1 ] and 0; ad_ν comes later, tree by tree */
LANE_CODE void upper_halves(const lane_state *s, const lane_outputs *o)
{
    const int nv = s->call->model.nv;
    for (int r = 0; o->A && r < nv; r++) {
        FOR_LANES(s, c, 2 * nv) o->A[r * o->A_ld + c] = K(c == nv + r);
    }
    for (int r = 0; o->B && r < nv; r++) {
        FOR_LANES(s, c, nv) o->B[r * o->B_ld + c] = K(0);
    }
}

/* lane of a body: −ad_ν of its joint, behind a barrier that follows upper_halves */
LANE_CODE void tree_ad(const lane_state *s, const lane_outputs *o)
{
    const num *v = s->work + s->call->model.v;
    FOR_LANES(s, i, o->A ? s->tree->bodies : 0)
    {
        const int type = body_integer(s, BODY_TYPE, i), first = body_integer(s, BODY_V, i), n = joint_nv(type);
        num ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV], own[HML_JOINT_MAX_NV];
        if (joint_commutes(type)) continue;
        for (int k = 0; k < n; k++) own[k] = work_get(v + first + k);
        joint_ad(type, own, ad);
        for (int r = 0; r < n; r++) {
            for (int c = 0; c < n; c++) o->A[(first + r) * o->A_ld + first + c] = -ad[r * n + c];
        }
    }
}

LANE_CODE void tree_linearize(lane_state *s, const lane_outputs *o)
{
    const cuda_tree *t = s->tree;
    const int trips = (t->extended + s->width - 1) / s->width;
    num *scratch = s->work + t->at.scratch + s->lane;
    bodies_move(s);
    chains_poses(s);
    columns_twists(s);
    bodies_velocities(s);
    bodies_composites(s);
    if (s->call->model.passive) bodies_passive(s);
    if (t->base) root_columns(s);
    columns_rows(s);
    columns_mass(s);
    tree_inverse(s);
    tree_acceleration(s, o);
    bodies_acceleration(s);
    for (int trip = 0; trip < trips; trip++) {
        lane_column col = column_load(s, trip);
        lanes_sync(); /* the scratch overlaps what other lanes have just read */
        column_solve(s, &col, scratch);
        if (col.on) column_write(s, &col, scratch + 2 * t->block * s->width, o);
    }
    if (t->columns < s->call->model.nv) tree_clear(s, o);
    tree_ad(s, o);
}

/* NaN in everything, since the state failed */
LANE_CODE void outputs_nan(const lane_state *s, const lane_outputs *o)
{
    const int nv = s->call->model.nv;
    const num nan = K(NAN);
    for (int r = 0; r < nv; r++) {
        FOR_LANES(s, c, nv)
        {
            outputs_put(o, nv, r, c, nan, nan, nan);
            if (o->A) o->A[r * o->A_ld + c] = o->A[r * o->A_ld + nv + c] = nan;
            if (o->B) o->B[r * o->B_ld + c] = nan;
        }
    }
    FOR_LANES(s, c, nv)
    {
        if (o->x) o->x[c] = nan;
    }
}

/* the first that is set */
LANE_CODE int32_t status_of_flags(int flags)
{
    if (flags & FLAG_NOT_FINITE) return HML_NOT_FINITE;
    if (flags & FLAG_NOT_NORMALIZED) return HML_NOT_NORMALIZED;
    if (flags & FLAG_SINGULAR) return HML_SINGULAR;
    return flags & FLAG_OVERFLOW ? HML_NOT_FINITE : HML_OK;
}

/* one state of a batch, on the lanes of its group */
LANE_CODE void lanes_linearize(const cuda_call *call, num *work, int l, size_t state)
{
    const cuda_model *m = &call->model;
    const int there = state < call->n;
    lane_state s;
    s.call = call;
    s.integers = m->integers;
    s.numbers = (const num *)m->numbers;
    s.work = work;
    s.lane = l;
    s.width = m->width;
    s.state = there ? state : call->n - 1;
    s.flags = 0;
    const lane_outputs o = outputs_of(call, s.state, there);
    load_state(&s);
    upper_halves(&s, &o);
    for (int i = 0; i < m->trees; i++) {
        s.tree = &m->tree[i];
        tree_linearize(&s, &o);
        lanes_sync(); /* the next tree, or the next state, uses the same workspace */
    }
    const int flags = lanes_or(s.flags, s.width);
    if (flags) outputs_nan(&s, &o);
    if (l == 0 && there && call->status) call->status[state] = status_of_flags(flags);
}

#endif
