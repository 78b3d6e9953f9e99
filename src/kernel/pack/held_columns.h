/*
 * D_q, D_ν, D_τ and ∂λ of a pack of states whose feet the world holds, as single/held_matrices.h has them for one state:
 *
 *   [ D  ]     [ −b ]          [ D_τ   −P ]
 *   [ ∂λ ] = Q [ ∂c ]      Q = [ −Pᵀ   −Λ ]      Λ = K⁻¹    P = W Λ    D_τ = M⁻¹ − P Wᵀ    ∂λ/∂τ = −Pᵀ
 *
 * b and ∂c of a column are sparse: it has a list of the rows that count. Columns of a free root have E = J D⁰ + ∂c for ∂c
 * and begin with D⁰ of the motion with λ given. Results are made in packs, a few rows at a time, and transposed.
 */
#ifndef HML_KERNEL_PACK_HELD_COLUMNS_H
#define HML_KERNEL_PACK_HELD_COLUMNS_H

#include "kernel/pack/held_inverse.h"

#if !defined __cplusplus
_Static_assert(sizeof(foot_state) <= HELD_FOOT_PACKS * sizeof(num), "memory of a foot");
_Static_assert(sizeof(foot_place) <= HELD_PLACE_BYTES, "memory of a foot");
#endif

/* ∂c of a column in the rows of a foot, and how λ of a point turns */
static inline void feet_column_rates(const held_foot *f, const foot_state *x, const held_columns *c, num *q, num *v,
                                     num *turn)
{
    const vec3 p = x->H.p;
    if (f->rows == 3) {
        const held_rates r = held_point_rates(c, p, f->damping, f->stiffness, x->error.v);
        const vec3 turned = vec3_cross(c->S.w, x->force.f);
        for (int d = 0; d < 3; d++) {
            q[d] = vec3_dot(x->axis[d], r.q.v), v[d] = vec3_dot(x->axis[d], r.v.v);
            turn[d] = vec3_dot(x->axis[d], turned);
        }
        return;
    }
    const held_rates r = held_frame_rates(c, p, f->damping);
    const mat3 R = x->H.R;
    twist rate = twist_of(mat3_tmul_vec(R, r.q.v), mat3_tmul_vec(R, r.q.w));
    if (f->stiffness > 0) rate = twist_add(rate, held_frame_stiffness(c, p, R, f->stiffness, x->error));
    const vec3 linear = mat3_tmul_vec(R, r.v.v), angular = mat3_tmul_vec(R, r.v.w);
    vec3_put(rate.v, q), vec3_put(rate.w, q + 3), vec3_put(linear, v), vec3_put(angular, v + 3);
    for (int d = 0; d < 6; d++) turn[d] = K(0);
}

/* ∂c of column c below a free root: pairs into b, their rows to the list, whose end is returned; and how λ turns */
static inline int32_t *feet_rates(const tree_feet *p, const tree_walk *w, int32_t c, num *b, int32_t *list, num *turn)
{
    const int32_t own = c - tree_below(w->tree);
    held_columns column;
    column.S = w->rows[c].S, column.Pd = w->columns[c].Pd, column.Pdd = w->columns[c].Pdd;
    column.PS = column_PS(w, c, plan_bodies(w->plan)[plan_columns(w->plan)[c].body].nv > 1);
    column.g = w->base->gravity, column.u = w->base->u;
    for (int32_t i = 0; i < p->nfeet; i++) {
        const int32_t row = p->places[i].row, rows = feet_foot(p, i)->rows;
        num q[6], v[6];
        if (!p->on[i * p->n + own]) {
            for (int32_t r = row; r < row + rows; r++) turn[r] = K(0);
            continue;
        }
        column.v = p->feet[i].v;
        feet_column_rates(feet_foot(p, i), &p->feet[i], &column, q, v, turn + row);
        for (int32_t r = 0; r < rows; r++, b += 2) {
            b[0] = q[r], b[1] = v[r];
            *list++ = p->columns + row + r;
        }
    }
    return list;
}

/* of column k of a free root, which is the identity; its parent, the world, does not move */
static inline void feet_base_rates(const tree_feet *p, const tree_walk *w, int32_t k)
{
    const int32_t m = p->m;
    const vec3 u = w->base->u;
    held_columns column;
    column.S = w->rows[w->tree->begin + k].S;
    column.Pd = column.Pdd = twist_zero();
    column.PS = twist_cross(twist_of(u, w->links[0].v.w), column.S);
    column.g = column.u = vec3_zero();
    for (int32_t i = 0; i < p->nfeet; i++) {
        const int32_t row = p->places[i].row;
        column.v = twist_of(vec3_add(p->feet[i].v.v, u), p->feet[i].v.w);
        feet_column_rates(feet_foot(p, i), &p->feet[i], &column, p->E + row, p->E + m + row, p->turn + row);
    }
}

/* J times a column of numbers, which stand in rows of six, added to E; count: rows that are not zero */
static inline void feet_add_motion(const tree_feet *p, const tree_walk *w, const num *D, int32_t count, num *E)
{
    const int32_t begin = w->tree->begin, below = tree_below(w->tree);
    for (int32_t f = 0; f < p->nfeet; f++) {
        const foot_place *place = &p->places[f];
        for (int32_t r = place->row; r < place->row + feet_foot(p, f)->rows; r++) {
            const num *x = &p->X[r].f.x, *J = p->J + r * p->n;
            num sum = E[r];
            for (int32_t d = 0; d < 6 && d < count; d++) sum += x[d] * D[6 * d];
            for (int32_t k = 0; k < place->depth && count > 6; k++)
                sum += J[place->path[k] - below] * D[6 * (place->path[k] - begin)];
            E[r] = sum;
        }
    }
}

/* ---- columns ---- */

/* without stiffness nothing depends on where it is; without damping points do not notice how fast it moves along */
static inline int feet_notice_place(const tree_feet *p)
{
    for (int32_t i = 0; i < p->nfeet; i++) {
        const held_foot *f = feet_foot(p, i);
        if (f->rows == 6 || f->stiffness > 0 || f->damping > 0) return 1;
    }
    return 0;
}

/* right-hand sides of a column of a free root; Dq: rows of six, Dq_rows of them */
static inline void feet_base_rhs(const tree_feet *p, const tree_walk *w, const staging *s, int32_t k, feet_column *c)
{
    const int32_t m = p->m, n = p->columns;
    c->count = 0;
    if (k < 3 && !feet_notice_place(p)) {
        for (int32_t r = 0; r < m; r++) c->turn[r] = K(0);
        return;
    }
    feet_base_rates(p, w, k);
    feet_add_motion(p, w, s->packs + s->Dq + k, s->Dq_rows, p->E);
    feet_add_motion(p, w, s->packs + s->Dv + k, n, p->E + m);
    for (int32_t r = 0; r < m; r++) {
        c->list[r] = n + r;
        c->b[2 * r] = p->E[r], c->b[2 * r + 1] = p->E[m + r];
        c->turn[r] = p->turn[r];
    }
    c->count = m;
}

/* of a column below it, in the plan's numbering */
static inline void feet_column_rhs(const tree_feet *p, const tree_walk *w, const column_rhs *e, int32_t column,
                                   feet_column *c)
{
    const int32_t base = w->tree->base, begin = w->tree->begin;
    const plan_column *pc = &plan_columns(w->plan)[column];
    const block_rows rows = {column_path(w->paths, column) + base, pc->depth - (column - pc->first) - base, pc->first,
                             pc->subtree_end - pc->first, 0};
    num *b = c->b;
    int32_t *list = c->list;
    for (int32_t d = 0; d < base; d++, b += 2) {
        b[0] = -(&w->columns[column].Uq.f.x)[d], b[1] = -(&w->columns[column].Uv.f.x)[d];
        *list++ = d;
    }
    column_rhs_of(w, e, 0, p->h->call.passive, &rows, column, b);
    for (int32_t d = 0; d < rows.above; d++) *list++ = rows.path[d] - begin;
    for (int32_t d = 0; d < rows.n; d++) *list++ = rows.first + d - begin;
    for (int32_t d = 0; d < rows.above + rows.n; d++, b += 2) b[0] = -b[0], b[1] = -b[1];
    list = feet_rates(p, w, column, b, list, c->turn);
    c->count = (int32_t)(list - c->list);
}

/* R rows of Q, from Q on, times the right-hand sides of a column, added to x and y, into q and v */
NUM_INLINE void feet_product(const int R, const num *Q, size_t ld, const feet_column *c, num *x, num *y, num *q, num *v)
{
    const num *b = c->b;
    for (const int32_t *at = c->list, *end = at + c->count; at < end; at++, b += 2) {
        const num bq = b[0], bv = b[1], *e = Q + *at;
        for (int k = 0; k < R; k++, e += ld) {
            const num a = num_keep(*e);
            x[k] += a * bq, y[k] += a * bv;
        }
    }
    for (int k = 0; k < R; k++) q[k * FEET_COLUMNS] = x[k], v[k * FEET_COLUMNS] = y[k];
}

/* R rows of D from row i on, in the columns first … first + count − 1 of the tree */
NUM_INLINE void feet_motion_rows(const int R, const tree_feet *p, const tree_walk *w, const staging *s, int32_t i,
                                 int32_t first, int32_t count, num *q, num *v)
{
    const int32_t base = w->tree->base;
    const size_t ld = (size_t)(p->columns + p->m);
    for (int32_t c = 0; c < count; c++) {
        num x[FEET_ROWS], y[FEET_ROWS];
        for (int k = 0; k < R; k++) x[k] = y[k] = K(0);
        for (int k = 0; k < R && first + c < base; k++) {
            const int32_t at = 6 * (i + k) + first + c;
            if (i + k < s->Dq_rows) x[k] = s->packs[s->Dq + at];
            y[k] = s->packs[s->Dv + at];
        }
        feet_product(R, p->Q + (size_t)i * ld, ld, &p->column[c], x, y, q + c, v + c);
    }
}

/* the same of ∂λ */
NUM_INLINE void feet_force_rows(const int R, const tree_feet *p, int32_t r, int32_t count, num *q, num *v)
{
    const size_t ld = (size_t)(p->columns + p->m);
    for (int32_t c = 0; c < count; c++) {
        num x[FEET_ROWS], y[FEET_ROWS];
        for (int k = 0; k < R; k++) x[k] = p->column[c].turn[r + k], y[k] = K(0);
        feet_product(R, p->Q + (size_t)(p->columns + r) * ld, ld, &p->column[c], x, y, q + c, v + c);
    }
}

/* that many rows in the columns of a panel, to rows `row` … or, where there is a list, to those that it names */
static inline void feet_rows_out(kernel_output out, int states, int32_t rows, int32_t row, const int32_t *list,
                                 int32_t column, int32_t count, const num *x)
{
    for (int32_t k = 0; k < rows; k++)
        feet_store(out, states, list ? list[k] : row + k, column, count, x + k * FEET_COLUMNS);
}

/* D_q and D_ν in the columns first … first + count − 1 of the tree */
static inline void feet_panel_motion(const tree_feet *p, const tree_walk *w, const staging *s, int32_t first,
                                     int32_t count)
{
    const kernel_call *call = &p->h->call;
    const int32_t n = p->columns, begin = w->tree->begin, at = begin + first;
    num q[FEET_ROWS * FEET_COLUMNS], v[FEET_ROWS * FEET_COLUMNS];
    if (!call->Dq.data && !call->Dv.data) return;
    int32_t i = 0;
#define X(R)                                                                                                           \
    feet_motion_rows(R, p, w, s, i, first, count, q, v);                                                               \
    feet_rows_out(call->Dq, call->count, R, begin + i, NULL, at, count, q);                                            \
    feet_rows_out(call->Dv, call->count, R, begin + i, NULL, at, count, v)
    FEET_EACH_ROWS(n, i, X)
#undef X
}

/* their ∂λ */
static inline void feet_panel_forces(const tree_feet *p, const tree_walk *w, int32_t first, int32_t count)
{
    const held_pack_call *h = p->h;
    const int32_t at = w->tree->begin + first;
    num q[FEET_ROWS * FEET_COLUMNS], v[FEET_ROWS * FEET_COLUMNS];
    if (!h->force_q.data && !h->force_v.data) return;
    int32_t i = 0;
#define X(R)                                                                                                           \
    feet_force_rows(R, p, i, count, q, v);                                                                             \
    feet_rows_out(h->force_q, h->call.count, R, 0, p->out + i, at, count, q);                                          \
    feet_rows_out(h->force_v, h->call.count, R, 0, p->out + i, at, count, v)
    FEET_EACH_ROWS(p->m, i, X)
#undef X
}

/* D_q, D_ν and their ∂λ; the columns of a free root begin with what base_columns left in the staging buffer */
static inline void feet_matrices(const tree_feet *p, const tree_walk *w, const column_rhs *e)
{
    const int32_t n = p->columns, base = w->tree->base;
    for (int32_t first = 0, count; first < n; first += count) {
        count = n - first < FEET_COLUMNS ? n - first : FEET_COLUMNS;
        for (int32_t c = 0; c < count; c++) {
            if (first + c < base)
                feet_base_rhs(p, w, &e->store, first + c, &p->column[c]);
            else
                feet_column_rhs(p, w, e, w->tree->begin + first + c, &p->column[c]);
        }
        feet_panel_motion(p, w, &e->store, first, count);
        feet_panel_forces(p, w, first, count);
    }
}

/* ---- a tree ---- */

/* returns the lanes that failed */
static inline mask feet_tree(const held_pack_call *h, const tree_feet *p, const tree_walk *w, kernel_scratch *k)
{
    const plan_tree *tree = w->tree;
    staging *s = &k->e.store;
    mask failed = walk_first_with(&h->call, k, w, feet_keep);
    feet_solve_free(w);
    s->used = s->G = s->Dq_rows = 0;
    if (tree->base) base_columns(w, &k->e, h->call.passive);
    const num *G = s->packs + s->G;
    if (p->m) {
        int32_t r = 0;
        feet_rows(p, w);
        for (int32_t f = 0; f < p->nfeet; f++) {
            for (int d = 0; d < feet_foot(p, f)->rows; d++) feet_response(p, w, G, f, r++);
        }
        feet_gram(p, w);
        failed |= feet_unmoved(p, w) | feet_inverse(p);
        feet_motion(p, w);
    }
    if (!h->derivatives) return failed;
    feet_walk_second(p, w);
    feet_inverse_matrix(p, w, G);
    feet_inverse_out(p, w);
    feet_matrices(p, w, &k->e);
    return failed;
}

static inline void feet_lambda_out(const held_pack_call *h, const tree_feet *p)
{
    for (int32_t f = 0; h->force.data && f < p->nfeet; f++) {
        const held_foot *foot = feet_foot(p, f);
        num x[HELD_PACK];
        memcpy(x, p->lambda + p->places[f].row, (size_t)foot->rows * sizeof *x);
        kernel_store_run(h->force, h->call.count, 0, foot->out, foot->rows, x);
    }
}

/* Returns the lanes that are left to single calls, one bit each: bad states, a singular M, doubts about the rank */
static inline unsigned pack_held(const held_pack_call *h)
{
    const kernel_call *call = &h->call;
    const hml_plan *plan = call->plan;
    kernel_scratch k;
    held_pack_memory memory;
    tree_feet p;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, plan->nv, k.kept.tau);
    mask failed = kernel_bad_state(plan, k.kept.q, k.kept.v, call->tau.data ? k.kept.tau : NULL);
    sincos_all(plan, k.kept.q, k.kept.sine, k.kept.cosine);
    held_pack_lay_out(plan, LANES, (size_t)h->nfeet, (size_t)h->rows, h->memory, &memory);
    k.e.store.packs = (num *)memory.packs;
    k.e.held = &p;
    if (plan->ntrees > 1) {
        clear_between(call, call->Dq);
        clear_between(call, call->Dv);
        clear_between(call, call->Minv);
    }
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const tree_walk w = pack_walk(call, &k, t);
        feet_begin(h, &memory, &w, &p);
        failed |= feet_tree(h, &p, &w, &k);
        if (w.tree->base) add_vec3(&k.kept.x[w.tree->begin], base_acceleration(w.base, &k.kept.v[w.tree->begin]));
        feet_lambda_out(h, &p);
    }
    if (call->acceleration.data) kernel_store_run(call->acceleration, call->count, 0, 0, plan->nv, k.kept.x);
    return num_lanes(failed);
}

#endif
