/*
 * The columns of a free root in the linearization of a pack: G, and the right-hand sides of its angular velocity. See
 * pack/columns.h.
 */
#ifndef HML_KERNEL_PACK_FREE_BASE_H
#define HML_KERNEL_PACK_FREE_BASE_H

#include "kernel/pack/columns.h"

/* G of a tree with a free root */
static inline void base_response(const tree_walk *w, num *G)
{
    const plan_tree *tree = w->tree;
    factor_base_inverse(tree, &w->f, G);
    base6 S0 = base6_load(G), S1 = base6_load(G + BASE6_STRIDE), S2 = base6_load(G + 2 * BASE6_STRIDE);
    base6 S3 = base6_load(G + 3 * BASE6_STRIDE), S4 = base6_load(G + 4 * BASE6_STRIDE),
          S5 = base6_load(G + 5 * BASE6_STRIDE);
    for (int32_t i = tree_below(tree); i < tree->end; i++) {
        const num *T = factor_row(&w->f, i);
        base6 low = base6_axpy(T[2], S2, base6_axpy(T[1], S1, base6_scale(T[0], S0)));
        base6 high = base6_axpy(T[5], S5, base6_axpy(T[4], S4, base6_scale(T[3], S3)));
        base6_store(base6_add(low, high), G + (i - tree->begin) * BASE6_STRIDE);
    }
}

/* the six rows of a free root */
#define BASE_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5)

static inline num vec3_entry(vec3 a, int32_t i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

/*
 * ∂τ by a free root's angular velocity, whose columns are the identity: g_d + F_d × ω, three numbers per row d. s is
 * the sum of the root's rows and Tᵀ b of the others, in rows of six, from the fourth column on.
 */
static inline void base_angular_rhs(const tree_walk *w, num *dtau_domega, num *s)
{
    const plan_tree *tree = w->tree;
    const vec3 omega = w->links[0].v.w;
    vec3 s0, s1, s2, s3, s4, s5;
#define X(d) s##d = vec3_add(w->rows[tree->begin + d].g, vec3_cross(w->rows[tree->begin + d].F.t, omega));
    BASE_ROWS(X)
#undef X
    for (int32_t i = tree_below(tree); i < tree->end; i++) {
        const num *T = factor_row(&w->f, i);
        const vec3 b = vec3_add(w->rows[i].g, vec3_cross(w->rows[i].F.t, omega));
        num *to = dtau_domega + 3 * (i - tree->begin);
        to[0] = b.x, to[1] = b.y, to[2] = b.z;
#define X(d) s##d = vec3_axpy(T[d], b, s##d);
        BASE_ROWS(X)
#undef X
    }
#define X(d) s[6 * d + 3] = s##d.x, s[6 * d + 4] = s##d.y, s[6 * d + 5] = s##d.z;
    BASE_ROWS(X)
#undef X
}

/* −G s of columns k … 5 of a free root, into rows of six */
static inline void base_columns_solve(const tree_walk *w, const num *G, const num *s, int32_t k, num *to)
{
    for (int32_t i = w->tree->begin; i < w->tree->end; i++, G += BASE6_STRIDE, to += 6) {
        for (int32_t j = 0; j < k; j++) to[j] = K(0);
        for (int32_t j = k; j < 6; j++) {
            num low = G[0] * s[j] + G[1] * s[6 + j] + G[2] * s[12 + j];
            num high = G[3] * s[18 + j] + G[4] * s[24 + j] + G[5] * s[30 + j];
            to[j] = -low - high;
        }
    }
}

/* −N b for the angular velocity, added to rows of six */
static inline void base_columns_solve_block(const tree_walk *w, const num *dtau_domega, int32_t block, int32_t stop,
                                            num *to)
{
    const int32_t first = w->tree->begin;
    for (int32_t i = block; i < stop; i++) {
        const num *N = block_row(&w->N, i), *b = dtau_domega + 3 * (block - first);
        num *row = to + 6 * (i - first), x = row[3], y = row[4], z = row[5];
        for (int32_t j = 0; j < stop - block; j++, b += 3) x -= N[j] * b[0], y -= N[j] * b[1], z -= N[j] * b[2];
        row[3] = x, row[4] = y, row[5] = z;
    }
}

/* what springs, damping and armature add to the right-hand sides of a free root's columns, by rows of six */
static inline void base_passive(const tree_walk *w, const num *springs, num *sq, num *sv)
{
    const plan_tree *tree = w->tree;
    for (int32_t k = 0; k < 6; k++) {
        vec3 dq, dv;
        base_derivative(k, w->base, &w->v[tree->begin], &dq, &dv);
        dq = base_armature(w->coordinates, tree, dq), dv = base_armature(w->coordinates, tree, dv);
        for (int32_t i = 0; i < 6; i++) {
            sq[6 * i + k] += springs[(tree->begin + i) * PASSIVE_LD + k];
            if (i < 3) sq[6 * i + k] -= vec3_entry(dq, i), sv[6 * i + k] -= vec3_entry(dv, i);
        }
        sv[6 * k + k] += K(w->coordinates[tree->begin + k].damping);
    }
}

/* the columns of a free root: G, D_q and D_ν, into the staging buffer */
static inline void base_columns(const tree_walk *w, column_rhs *e, int passive)
{
    const plan_tree *tree = w->tree;
    const int32_t n = tree->end - tree->begin;
    staging *s = &e->store;
    num sq[36], sv[36];
    for (int32_t i = 0; i < 36; i++) sq[i] = sv[i] = K(0);
    s->G = staging_reserve(s, n * BASE6_STRIDE);
    s->Dv = staging_reserve(s, n * 6);
    s->Dq_rows = passive ? n : 3;
    s->Dq = staging_reserve(s, s->Dq_rows * 6);
    num *G = s->packs + s->G, *Dv = s->packs + s->Dv, *Dq = s->packs + s->Dq;
    base_response(w, G);
    base_angular_rhs(w, e->dtau_domega, sv);
    if (passive) {
        base_passive(w, e->springs, sq, sv);
        base_columns_solve(w, G, sq, 0, Dq);
        base_columns_solve(w, G, sv, 0, Dv);
    } else {
        for (int32_t i = 0; i < 18; i++) Dq[i] = K(0);
        base_columns_solve(w, G, sv, 3, Dv);
    }
    for (int32_t c = tree_below(tree), end; c < tree->end; c = end) {
        end = plan_block_end(w->plan, tree, c);
        base_columns_solve_block(w, e->dtau_domega, c, end, Dv);
    }
    for (int32_t k = 0; k < 6; k++) {
        vec3 dq, dv;
        base_derivative(k, w->base, &w->v[tree->begin], &dq, &dv);
        Dq[k] += dq.x, Dq[6 + k] += dq.y, Dq[12 + k] += dq.z;
        Dv[k] += dv.x, Dv[6 + k] += dv.y, Dv[12 + k] += dv.z;
    }
}

#endif
