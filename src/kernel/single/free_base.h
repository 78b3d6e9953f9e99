/*
 * The columns of a free root in the linearization of one state. Only its angular velocity has right-hand sides: three
 * columns. They are too few for lanes, so here a lane is a row of the results.
 */
#ifndef HML_KERNEL_SINGLE_FREE_BASE_H
#define HML_KERNEL_SINGLE_FREE_BASE_H

#include "kernel/single/columns.h"

/* three packs, each a column of a matrix, to LANES rows of it or fewer */
NUM_INLINE void store_three_columns(vec3 x, double *to, size_t ld, int32_t rows)
{
#if LANES < 4
    for (int32_t l = 0; l < LANES && l < rows; l++, to += ld) to[0] = x.x[l], to[1] = x.y[l], to[2] = x.z[l];
#else
    num t[LANES];
    for (int l = 0; l < LANES; l++) t[l] = K(0);
    t[0] = x.x, t[1] = x.y, t[2] = x.z;
    num_transpose(t);
    if (rows >= LANES) {
        for (int l = 0; l < LANES; l++) num_store_part(to + (size_t)l * ld, 3, t[l]);
    } else {
        for (int32_t l = 0; l < rows; l++) num_store_part(to + (size_t)l * ld, 3, t[l]);
    }
#endif
}

/* G s for LANES rows of G from `from` on; s: three columns, stored as rows */
NUM_INLINE vec3 base_rows_product(const double *from, double (*s)[ROW8])
{
    num G[ROW8];
    vec3 x = vec3_zero();
    rows8_in(from, ROW8, G);
    for (int d = 0; d < 6; d++) {
        const int e = row8_index(d);
        x.x += s[0][e] * G[e], x.y += s[1][e] * G[e], x.z += s[2][e] * G[e];
    }
    return x;
}

/* zeros in the first six columns of D_q and the first three of D_ν */
static inline void base_clear_rows(const single_solver *m, output_rows Dq, output_rows Dv)
{
    const quad zero = {0, 0, 0, 0};
    for (int32_t i = 0; i < 6 + m->t.n; i++, Dq.to += Dq.ld, Dv.to += Dv.ld) {
        *(quad_anywhere *)Dq.to = zero, *(quad_anywhere *)(Dq.to + 2) = zero;
        Dv.to[0] = Dv.to[1] = Dv.to[2] = 0;
    }
}

/* gravity × e, e × ω and u × e: what the passes left out, three columns each */
static inline void base_motion_columns(const single_tree *t, output_rows Dq, output_rows Dv)
{
    const double *w = t->v + ROW8 + 4, *g = t->gravity, *u = t->velocity;
    double *q0 = Dq.to + 3, *q1 = q0 + Dq.ld, *q2 = q1 + Dq.ld, *v0 = Dv.to, *v1 = v0 + Dv.ld, *v2 = v1 + Dv.ld;
    q0[0] = 0, q0[1] = -g[2], q0[2] = g[1];
    q1[0] = g[2], q1[1] = 0, q1[2] = -g[0];
    q2[0] = -g[1], q2[1] = g[0], q2[2] = 0;
    v0[0] = 0, v0[1] = w[2], v0[2] = -w[1], v0[4] -= u[2], v0[5] += u[1];
    v1[0] = -w[2], v1[1] = 0, v1[2] = w[0], v1[3] += u[2], v1[5] -= u[0];
    v2[0] = w[1], v2[1] = -w[0], v2[2] = 0, v2[3] -= u[1], v2[4] += u[0];
}

/* columns of a symmetric matrix from its six numbers */
NUM_INLINE void quads_of_sym(const double *x, quad c[3])
{
    const quad low = quad_from(x), high = quad_from(x + 2);
    c[0] = low;
    c[1] = __builtin_shufflevector(low, high, 1, 3, 6, 6);
    c[2] = __builtin_shufflevector(high, high, 0, 2, 3, 3);
}

/* −(2B + I ω^): what the angular velocity does to the forces on the root itself; three columns, stored as rows */
static inline void base_root_rhs(const double *sum, const double *omega, double s[3][ROW8])
{
    const quad h = quad_from(sum + 1), n = quad_from(sum + 10), t = quad_from(sum + 13), w = quad_from(omega);
    quad J[3], K[3]; /* their fourth entries are unused, as those of h, n, t */
    quads_of_sym(sum + 4, J);
    quads_of_sym(sum + 16, K);
    for (int e = 0; e < 3; e++) {
        const quad turned = quad_cross(w, unit4[e]);
        quads_put(s[e], 2 * quad_cross(n, unit4[e]) + quad_cross(h, turned),
                  quad_cross(t, unit4[e]) - K[e] - J[0] * turned[0] - J[1] * turned[1] - J[2] * turned[2]);
    }
}

/* three columns of numbers, `ld` apart: right-hand sides below the root; then s of the three, as rows */
typedef struct base_three_rhs {
    double *b;
    size_t ld;
    double root[3][ROW8], s[3][ROW8]; /* root: right-hand sides in its own rows */
} base_three_rhs;

/*
 * Right-hand sides of the angular velocity: −(g + F × ω) in the rows below, −(2B + I ω^) in those of the root; and
 * what they sum up to
 */
static inline base_three_rhs base_three_rhs_of(const single_solver *m, const single_panel *p)
{
    const single_tree *t = &m->t;
    const double *omega = t->v + ROW8 + 4, *I = t->sum + COMPOSITE_STRIDE;
    const vec3 w = vec3_of(K(omega[0]), K(omega[1]), K(omega[2]));
    base_three_rhs c;
    c.b = (double *)p->b, c.ld = m->ld;
    double *bx = c.b, *by = bx + c.ld, *bz = by + c.ld;
    base_root_rhs(I, omega, c.root);
    for (int32_t k = 0; k < t->packs; k++) {
        const column_pack *pack = &t->pack[k];
        const vec3 r = vec3_neg(vec3_add(pack->g, vec3_cross(pack->F.t, w)));
        pack_put(bx + k * LANES, r.x), pack_put(by + k * LANES, r.y), pack_put(bz + k * LANES, r.z);
    }
    row8 s0 = row8_at(c.root[0]), s1 = row8_at(c.root[1]), s2 = row8_at(c.root[2]);
    const double *R = m->R;
    for (int32_t i = 0; i < t->n; i++, R += ROW8) {
        const row8 x = row8_at(R);
        s0 = row8_less(bx[i], x, s0), s1 = row8_less(by[i], x, s1), s2 = row8_less(bz[i], x, s2);
    }
    row8_put(c.s[0], s0), row8_put(c.s[1], s1), row8_put(c.s[2], s2);
    return c;
}

/* a walk through the rows below the root, LANES at a time: the block of the first of them, and where it ends */
typedef struct base_walk {
    int32_t from, next;
} base_walk;

/* M⁻¹ b, or N b of limbs apart, in LANES rows below the root, from row i on; rows are asked for in order */
NUM_INLINE vec3 base_rows_below(const single_solver *m, base_three_rhs *c, base_walk *walk, int32_t i)
{
    const single_tree *t = &m->t;
    const hml_plan *plan = t->call->plan;
    const int32_t below = t->below, stop = i + LANES < t->n ? i + LANES : t->n;
    const double *bx = c->b, *by = bx + c->ld, *bz = by + c->ld;
    vec3 x = t->call->limbs ? vec3_zero() : base_rows_product(m->response + (6 + i) * ROW8, c->s);
    while (walk->next <= i) {
        walk->from = walk->next;
        walk->next = plan_block_end(plan, t->tree, below + walk->from) - below;
    }
    int32_t end = walk->next; /* of the last one that it reaches */
    while (end < stop) end = plan_block_end(plan, t->tree, below + end) - below;
    const double *N = m->N + (size_t)walk->from * m->ld + i;
    for (int32_t j = walk->from; j < end; j++, N += m->ld) {
        const num y = pack_at(N);
        x.x += bx[j] * y, x.y += by[j] * y, x.z += bz[j] * y;
    }
    return x;
}

/* W = −R, and what the passes left out, by itself */
static inline void limb_results_out(const single_solver *m, limb_results *limbs)
{
    const output_rows Dq = {limbs->motion, 12}, Dv = {limbs->motion + 6, 12};
    const double *R = m->R, *end = R + m->t.n * ROW8;
    for (double *W = limbs->W; R < end; R += ROW8, W += limbs->ld) {
        for (int d = 0; d < 6; d++) W[d] = -R[row8_index(d)];
    }
    memset(limbs->motion, 0, sizeof limbs->motion);
    base_motion_columns(&m->t, Dq, Dv);
}

/* N is symmetric, so a row of N serves as a column */
static inline void base_panel(const single_solver *m, const single_panel *p)
{
    const single_tree *t = &m->t;
    const kernel_call *call = t->call;
    const int32_t begin = t->tree->begin, n = t->n;
    const output_rows Dq = output_rows_at(p, call->Dq, begin, begin);
    const output_rows Dv = output_rows_at(p, call->Dv, begin, begin);
    double *to = Dv.to + 3;
    base_three_rhs c = base_three_rhs_of(m, p);
    base_walk walk = {0, 0};
    base_clear_rows(m, Dq, Dv);
    inverse_base_columns(m, output_rows_at(p, call->Minv, begin, begin), call->limbs ? 6 : 6 + n);
    for (int32_t i = 0; i < 6; i += LANES, to += LANES * Dv.ld)
        store_three_columns(base_rows_product(m->response + i * ROW8, c.s), to, Dv.ld, 6 - i);
    to = Dv.to + 3 + 6 * Dv.ld;
    for (int32_t i = 0; i < n; i += LANES, to += LANES * Dv.ld)
        store_three_columns(base_rows_below(m, &c, &walk, i), to, Dv.ld, n - i);
    if (call->limbs)
        limb_results_out(m, call->limbs);
    else
        base_motion_columns(t, Dq, Dv);
}

#endif
