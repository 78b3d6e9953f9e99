/*
 * D_q, D_ν, D_τ and ∂λ of a pack of states whose feet the world holds. With the right-hand sides b of a column
 *
 *   E = ∂c − Wᵀ b     Y = −K⁻¹ E     D = tile − G s + W Y     ∂λ = Y, of a point turned with its body
 *
 * E and Y are made in packs. W stands beside G and −Y below s, so that pack/assemble.h adds W Y on its way.
 */
#ifndef HML_KERNEL_PACK_HELD_COLUMNS_H
#define HML_KERNEL_PACK_HELD_COLUMNS_H

#include "kernel/pack/held.h"

enum { FEET_ROWS = LANES == 8 ? 6 : 4 }; /* rows at once, of three columns each */
#if !defined __cplusplus
_Static_assert(sizeof(foot_state) <= HELD_FOOT_PACKS * sizeof(num), "memory of a foot");
_Static_assert(sizeof(foot_place) <= HELD_PLACE_BYTES, "memory of a foot");
_Static_assert(sizeof(tile_row) <= HELD_TILE_BYTES && (int)STAGING_PANELS <= (int)HELD_PANELS, "memory of panels");
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

/* ∂c of column c below a free root into E, and how λ turns */
static inline void feet_rates(const tree_feet *p, const tree_walk *w, int32_t c)
{
    const int32_t m = p->m, own = c - tree_below(w->tree);
    held_columns column;
    column.S = w->rows[c].S, column.Pd = w->columns[c].Pd, column.Pdd = w->columns[c].Pdd;
    column.PS = column_PS(w, c, plan_bodies(w->plan)[plan_columns(w->plan)[c].body].nv > 1);
    column.g = w->base->gravity, column.u = w->base->u;
    for (int32_t r = 0; r < m; r++) p->E[r] = p->E[m + r] = p->turn[r] = K(0);
    for (int32_t i = 0; i < p->nfeet; i++) {
        const int32_t row = p->places[i].row;
        if (!p->on[i * p->n + own]) continue;
        column.v = p->feet[i].v;
        feet_column_rates(feet_foot(p, i), &p->feet[i], &column, p->E + row, p->E + m + row, p->turn + row);
    }
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

/* R rows of E less those of Wᵀ b, for two b at once */
NUM_INLINE void feet_less(const int R, num *q, num *v, const num *W, num bq, num bv)
{
    for (int r = 0; r < R; r++) q[r] -= W[r] * bq, v[r] -= W[r] * bv;
}

/* R rows of E from row r on: right-hand sides b of a column, in the rows of its tree that have any */
NUM_INLINE void feet_residual(const int R, const tree_feet *p, const tree_walk *w, const block_rows *rows, int32_t c,
                              const num *b, int32_t r)
{
    const plan_tree *tree = w->tree;
    const int32_t m = p->m;
    const num *W = p->W + r;
    num q[FEET_ROWS], v[FEET_ROWS];
    for (int k = 0; k < R; k++) q[k] = p->E[r + k], v[k] = p->E[m + r + k];
    if (tree->base) {
        const num *Uq = &w->columns[c].Uq.f.x, *Uv = &w->columns[c].Uv.f.x;
        for (int32_t d = 0; d < 6; d++) feet_less(R, q, v, W + d * m, Uq[d], Uv[d]);
    }
    for (int32_t d = 0; d < rows->above; d++, b += 2)
        feet_less(R, q, v, W + (rows->path[d] - tree->begin) * m, b[0], b[1]);
    W += (rows->first - tree->begin) * m;
    for (int32_t d = 0; d < rows->n; d++, b += 2, W += m) feet_less(R, q, v, W, b[0], b[1]);
    for (int k = 0; k < R; k++) p->E[r + k] = q[k], p->E[m + r + k] = v[k];
}

/* R rows of Y = −K⁻¹ E, of three columns */
NUM_INLINE void feet_forces(const int R, const tree_feet *p, int32_t r)
{
    const int32_t m = p->m;
    const num *inverse = p->K + r * m, *E = p->E;
    num q[FEET_ROWS], v[FEET_ROWS], t[FEET_ROWS];
    for (int k = 0; k < R; k++) q[k] = v[k] = t[k] = K(0);
    for (int32_t s = 0; s < m; s++) {
        const num x = E[s], y = E[m + s], z = E[2 * m + s];
        for (int k = 0; k < R; k++) {
            const num a = inverse[k * m + s];
            q[k] -= a * x, v[k] -= a * y, t[k] -= a * z;
        }
    }
    for (int k = 0; k < R; k++) p->Y[r + k] = q[k], p->Y[m + r + k] = v[k], p->Y[2 * m + r + k] = t[k];
}

static inline void feet_solve(const tree_feet *p)
{
    int32_t r = 0;
    for (; r + FEET_ROWS <= p->m; r += FEET_ROWS) feet_forces(FEET_ROWS, p, r);
    for (; r < p->m; r++) feet_forces(1, p, r);
}

/* the rows of s that the feet have, of columns begin … end − 1, from their right-hand sides in e->b */
static void feet_columns(const tree_walk *w, const column_rhs *e, const column_panel *panel, int32_t begin, int32_t end,
                         const block_rows *rows)
{
    const tree_feet *p = e->held;
    const int32_t m = p->m, width = panel->width, base = w->tree->base;
    for (int32_t c = begin; c < end; c++) {
        const num *b = e->b + (int64_t)(c - begin) * e->b_ld, *W = p->W + (c - w->tree->begin) * m;
        const int32_t at = c - w->tree->begin - panel->begin;
        int32_t r = 0;
        feet_rates(p, w, c);
        for (; r + FEET_ROWS <= m; r += FEET_ROWS) feet_residual(FEET_ROWS, p, w, &rows[c - begin], c, b, r);
        for (; r < m; r++) feet_residual(1, p, w, &rows[c - begin], c, b, r);
        for (r = 0; r < m; r++) p->E[2 * m + r] = W[r];
        feet_solve(p);
        num *s = e->store.packs + panel->s + 3 * base * width + at, *turn = e->store.packs + panel->turn + at;
        for (r = 0; r < m; r++, s += 3 * width, turn += width) {
            s[0] = -p->Y[r], s[width] = -p->Y[m + r], s[2 * width] = p->Y[2 * m + r];
            *turn = p->turn[r];
        }
    }
}

/* ---- the columns of a free root ---- */

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

/* W Y of three columns, added to R rows of six from row i on */
NUM_INLINE void feet_base_rows(const int R, const tree_feet *p, int32_t i, num *to_q, num *to_v, num *to_m)
{
    const int32_t m = p->m;
    const num *W = p->W + i * m, *Y = p->Y;
    num q[FEET_ROWS], v[FEET_ROWS], t[FEET_ROWS];
    for (int k = 0; k < R; k++) q[k] = to_q[6 * (i + k)], v[k] = to_v[6 * (i + k)], t[k] = to_m[6 * (i + k)];
    for (int32_t r = 0; r < m; r++) {
        const num x = Y[r], y = Y[m + r], z = Y[2 * m + r];
        for (int k = 0; k < R; k++) {
            const num a = W[k * m + r];
            q[k] += a * x, v[k] += a * y, t[k] += a * z;
        }
    }
    for (int k = 0; k < R; k++) to_q[6 * (i + k)] = q[k], to_v[6 * (i + k)] = v[k], to_m[6 * (i + k)] = t[k];
}

/* column k of a free root: D_q, D_ν, D_τ in rows of six, and ∂λ in rows of 18 */
static inline void feet_base_column(const tree_feet *p, const tree_walk *w, const staging *s, const num *G,
                                    const num *Dq, int32_t k, num *forces)
{
    const int32_t m = p->m, n = w->tree->end - w->tree->begin;
    num *to_q = s->packs + s->Dq + k, *to_v = s->packs + s->Dv + k, *to_m = s->packs + s->Dm + k;
    feet_base_rates(p, w, k);
    feet_add_motion(p, w, Dq + k, s->Dq_rows, p->E);
    feet_add_motion(p, w, to_v, n, p->E + m);
    for (int32_t r = 0; r < m; r++) p->E[2 * m + r] = p->W[k * m + r];
    feet_solve(p);
    for (int32_t i = 0; i < n; i++) {
        to_q[6 * i] = i < s->Dq_rows ? Dq[6 * i + k] : K(0);
        to_m[6 * i] = G[i * BASE6_STRIDE + k];
    }
    int32_t i = 0;
    for (; i + FEET_ROWS <= n; i += FEET_ROWS) feet_base_rows(FEET_ROWS, p, i, to_q, to_v, to_m);
    for (; i < n; i++) feet_base_rows(1, p, i, to_q, to_v, to_m);
    for (int32_t r = 0; r < m; r++, forces += 18) {
        forces[k] = p->Y[r] + p->turn[r];
        forces[6 + k] = p->Y[m + r], forces[12 + k] = p->Y[2 * m + r];
    }
}

/* ---- ∂λ ---- */

enum { FORCE_Q = 0, FORCE_V = 1, FORCE_TAU = 2 };

/* one of the matrices: rows of all staged columns of state l; base: of those of a free root */
NUM_INLINE void feet_force_rows(const int which, const tree_feet *p, const tree_walk *w, const staging *s, int l,
                                const entry *base, kernel_output out)
{
    const entry *x = s->states + (size_t)l * s->stride;
    if (!out.data) return;
    for (int32_t r = 0; r < p->m; r++) {
        lane *to = out.data + (size_t)l * out.stride + (size_t)p->out[r] * out.ld + w->tree->begin;
        if (base) memcpy(to, base + 18 * r + 6 * which, 6 * sizeof *base);
        for (const column_panel *c = s->panels; c < s->panels + s->npanels; c++) {
            const int32_t width = c->width;
            const colreg y = colreg_load(x + c->s + 3 * (w->tree->base + r) * width + which * width);
            if (which == FORCE_Q)
                colreg_store(to + c->begin, c->n, colreg_load(x + c->turn + r * width) - y);
            else
                colreg_store(to + c->begin, c->n, which == FORCE_V ? -y : y);
        }
    }
}

/* of all staged columns of state l; base: those of a free root */
static inline void feet_forces_out(const tree_feet *p, const tree_walk *w, const staging *s, int l, const entry *base)
{
    feet_force_rows(FORCE_Q, p, w, s, l, base, p->h->force_q);
    feet_force_rows(FORCE_V, p, w, s, l, base, p->h->force_v);
    feet_force_rows(FORCE_TAU, p, w, s, l, base, p->h->force_tau);
}

/* ---- a tree ---- */

/* G of a free root, six numbers per row, beside W; returns where they are. The columns of the root are complete */
static inline int32_t feet_base(const held_pack_call *h, const tree_feet *p, const tree_walk *w, column_rhs *e,
                                const num *G)
{
    staging *s = &e->store;
    const int32_t n = w->tree->end - w->tree->begin, m = p->m, rank = w->tree->base + m;
    const int32_t both = staging_reserve(s, n * rank), forces = staging_reserve(s, 18 * m);
    num *to = s->packs + both;
    if (h->derivatives && w->tree->base) {
        const num *Dq = s->packs + s->Dq;
        s->Dq = staging_reserve(s, 6 * n), s->Dm = staging_reserve(s, 6 * n);
        for (int32_t k = 0; k < 6; k++) feet_base_column(p, w, s, G, Dq, k, s->packs + forces);
        s->Dq_rows = n;
    }
    for (int32_t i = 0; i < n; i++, to += rank) {
        for (int32_t d = 0; d < w->tree->base; d++) to[d] = G[i * BASE6_STRIDE + d];
        for (int32_t r = 0; r < m; r++) to[w->tree->base + r] = p->W[i * m + r];
    }
    s->G = both, s->rank = rank;
    return forces;
}

static inline void feet_matrices(const held_pack_call *h, const tree_feet *p, const tree_walk *w, column_rhs *e,
                                 int32_t forces)
{
    const plan_tree *tree = w->tree;
    staging *s = &e->store;
    int32_t c = tree_below(tree), begin = 0;
    const int32_t fixed = s->used;
    do {
        s->used = fixed, s->npanels = 0;
        for (; s->npanels < STAGING_PANELS && c < tree->end; c += COLREG_WIDTH) {
            const int32_t n = tree->end - c < COLREG_WIDTH ? tree->end - c : COLREG_WIDTH;
            panel_columns(w, e, h->call.passive, c, n, feet_columns);
        }
        const int first = begin == 0 && tree->base;
        staging_transpose(s, begin);
        assemble_states(ASSEMBLE_HELD, &h->call, tree, s, first);
        for (int l = 0; l < h->call.count; l++)
            feet_forces_out(p, w, s, l, first ? s->states + (size_t)l * s->stride + forces : NULL);
        begin = fixed;
    } while (c < tree->end);
}

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
    feet_matrices(h, p, w, &k->e, feet_base(h, p, w, &k->e, G));
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
    k.e.store.packs = (num *)memory.packs, k.e.store.states = memory.states, k.e.store.stride = memory.stride;
    k.e.store.rows = (tile_row *)memory.tiles;
    k.e.held = &p;
    if (plan->ntrees > 1) {
        clear_between(call, call->Dq);
        clear_between(call, call->Dv);
        clear_between(call, call->Minv);
    }
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const tree_walk w = pack_walk(call, &k, t);
        feet_begin(h, &memory, &w, &p);
        k.e.held_rows = p.m;
        failed |= feet_tree(h, &p, &w, &k);
        if (w.tree->base) add_vec3(&k.kept.x[w.tree->begin], base_acceleration(w.base, &k.kept.v[w.tree->begin]));
        feet_lambda_out(h, &p);
    }
    if (call->acceleration.data) kernel_store_run(call->acceleration, call->count, 0, 0, plan->nv, k.kept.x);
    return num_lanes(failed);
}

#endif
