/*
 * M⁻¹ of a tree, by blocks, and ν̇. A free root's tree falls into blocks, the subtrees that hang on it; any other tree is
 * one block. With N = M_bb⁻¹ of a block and F its columns' rows against the root (kernel/pack/columns.h):
 *
 *   T = −N F      S = M_root + Fᵀ T      G = [1; T] S⁻¹      M⁻¹ b = G s + N b_b      s = b_root + Tᵀ b_b
 *
 * The workspace keeps −N, which is what the sweep operator leaves: every step of the elimination
 *
 *   a_ij ← a_ij − a_ik a_kj / a_kk      a_ik ← a_ik / a_kk      a_kk ← −1 / a_kk
 *
 * keeps the matrix symmetric, so that the pivot's column can be read as its row, of which every lane has one entry.
 * Pivots are taken from the leaves to the root.
 */
#ifndef HML_CUDA_INVERSE_H
#define HML_CUDA_INVERSE_H

#include "cuda/composites.h"

/* 1/pivot; 0 where the pivot vanished against the diagonal entry of M, which marks the state as singular */
LANE_CODE num inverse_of_pivot(lane_state *s, num pivot, num original)
{
    const num tiny = K(64 * NUM_EPS);
    if (pivot > tiny * original) return K(1) / pivot;
    s->flags |= FLAG_SINGULAR;
    return K(0);
}

/* one step of an elimination, as a lane sees it */
typedef struct block_step {
    int c, block, size, k; /* the lane's column, its block, and the pivot's place in it; k < 0: that is done */
    num *column;           /* of M */
} block_step;

LANE_CODE block_step block_step_of(const lane_state *s, int e, int step)
{
    const cuda_tree *t = s->tree;
    block_step b;
    b.c = e + t->base;
    b.block = column_integer(s, COLUMN_BLOCK, b.c);
    b.size = column_integer(s, COLUMN_SIZE, b.c);
    b.k = b.size - 1 - step;
    b.column = s->work + t->at.N + t->block_ld * b.block + (b.c - b.block);
    return b;
}

/* where lanes lay the row of the pivot down; two in turns, so that one barrier a step is enough */
LANE_CODE num *pivot_row(const lane_state *s, int step)
{
    return s->work + s->tree->at.pivot + (step & 1) * s->tree->columns;
}

LANE_CODE num pivot_of(lane_state *s, const block_step *b, const num *pivot)
{
    const num original = work_get(s->work + s->call->model.x + s->tree->begin + b->block + b->k);
    return inverse_of_pivot(s, work_get(pivot + b->block + b->k), original);
}

/* lane of a column: all blocks at once, M to −M⁻¹ by the sweep operator; x holds M's diagonal */
LANE_CODE void blocks_sweep(lane_state *s)
{
    const cuda_tree *t = s->tree;
    for (int step = 0; step < t->block; step++) {
        num *pivot = pivot_row(s, step);
        FOR_LANES(s, e, t->columns - t->base)
        {
            const block_step b = block_step_of(s, e, step);
            if (b.k >= 0) work_put(pivot + b.c, work_get(b.column + t->block_ld * b.k));
        }
        lanes_sync();
        FOR_LANES(s, e, t->columns - t->base)
        {
            const block_step b = block_step_of(s, e, step);
            if (b.k < 0) continue;
            const int own = b.c == b.block + b.k;
            const num d = pivot_of(s, &b, pivot), f = own ? -d : d * work_get(pivot + b.c);
            num *at = b.column;
            for (int i = 0; i < b.size; i++, at += t->block_ld) {
                const num a = own ? K(0) : work_get(at);
                work_put(at, i == b.k ? f : a - f * work_get(pivot + b.block + i));
            }
        }
    }
    lanes_sync();
}

/* lane of a column below a free root: T, and −N b of the root's angular velocity */
LANE_CODE void columns_T(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_LANES(s, e, t->columns - 6)
    {
        const int c = e + 6, block = column_integer(s, COLUMN_BLOCK, c), size = column_integer(s, COLUMN_SIZE, c);
        const num *N = s->work + t->at.N + t->block_ld * c, *row = s->work + t->at.row + ROW * block;
        twist T = twist_zero();
        vec3 y = vec3_zero();
        for (int j = 0; j < size; j++, row += ROW) {
            const num4 F = work_get4(row), F2 = work_get4(row + 4), w = work_get4(row + 8);
            const num a = work_get(N + j);
            T.v = vec3_axpy(a, vec3_of(F.a, F.b, F.c), T.v);
            T.w = vec3_axpy(a, vec3_of(F.d, F2.a, F2.b), T.w);
            y = vec3_axpy(a, vec3_of(w.b, w.c, w.d), y);
        }
        work_put_twist(s->work + t->at.T + 8 * c, T);
        work_put4(s->work + t->at.y_root + 4 * c, num4_of(y.x, y.y, y.z, K(0)));
    }
    lanes_sync();
}

/* lane of a number: Fᵀ T into the root's block, and Tᵀ b into both s */
LANE_CODE void root_eliminate(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *root = s->work + t->at.root;
    FOR_LANES(s, task, 60)
    {
        const int a = task / 10, z = task % 10;
        const num *T = s->work + t->at.T + 8 * 6 + a, *row = s->work + t->at.row + ROW * 6 + (z < 6 ? z : z + 3);
        num *to = z < 6   ? s->work + t->at.G + 8 * a + z
                  : z < 9 ? root + ROOT_S_OMEGA + 3 * a + z - 6
                          : root + ROOT_S + a;
        num sum = work_get(to), more = K(0);
        int j = 6;
        for (; j + 1 < t->columns; j += 2, T += 16, row += 2 * ROW) {
            sum += work_get(T) * work_get(row);
            more += work_get(T + 8) * work_get(row + ROW);
        }
        if (j < t->columns) sum += work_get(T) * work_get(row);
        work_put(to, sum + more);
    }
    lanes_sync();
}

/* lanes 0 … 5, a column each: S⁻¹ into the root's rows of G */
LANE_CODE void root_inverse(lane_state *s)
{
    const cuda_tree *t = s->tree;
    const int j = s->lane; /* lanes from 6 on only come along */
    num *G = s->work + t->at.G + j, x[6];
    const num mass = work_get(s->work + t->at.sum);
    for (int i = 0; i < 6; i++) x[i] = j < 6 ? work_get(G + 8 * i) : K(0);
    for (int k = 0; k < 6; k++) {
        num r[6];
        for (int i = 0; i < 6; i++) r[i] = lanes_get(x[i], k, s->width);
        const num J = work_get(s->work + t->at.sum + t->at.sum_ld * (k == 3 ? 4 : k == 4 ? 7 : 9));
        const num d = inverse_of_pivot(s, r[k], (k < 3 ? mass : J) + column_number(s, COLUMN_ARMATURE, k));
        const num f = d * x[k];
        for (int i = 0; i < 6; i++) x[i] = i == k ? (j == k ? d : f) : j == k ? -d * r[i] : x[i] - r[i] * f;
    }
    if (j < 6) {
        for (int i = 0; i < 6; i++) work_put(G + 8 * i, x[i]);
    }
    lanes_sync();
}

/* Σ G s, a row of G and six numbers */
LANE_CODE num dot6(twist G, twist s) { return vec3_dot(G.v, s.v) + vec3_dot(G.w, s.w); }

/* lane of a column below a free root: its row of G */
LANE_CODE void columns_G(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const num *G = s->work + t->at.G;
    FOR_LANES(s, e, t->columns - 6)
    {
        const twist T = work_twist(s->work + t->at.T + 8 * (e + 6));
        const num a[6] = {T.v.x, T.v.y, T.v.z, T.w.x, T.w.y, T.w.z};
        twist sum = twist_zero();
        for (int k = 0; k < 6; k++) {
            sum = twist_axpy(a[k], work_twist(G + 8 * k), sum);
        }
        work_put_twist(s->work + t->at.G + 8 * (e + 6), sum);
    }
    lanes_sync();
}

/* lane of a column: ν̇ without what the passes left out of a free root's acceleration */
LANE_CODE void columns_acceleration(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *to = s->work + s->call->model.x + t->begin;
    const twist r = t->base ? work_twist(s->work + t->at.root + ROOT_S) : twist_zero();
    FOR_LANES(s, c, t->columns)
    {
        num x = K(0);
        if (t->base) x = dot6(work_twist(s->work + t->at.G + 8 * c), r);
        if (c >= t->base) {
            const int block = column_integer(s, COLUMN_BLOCK, c), size = column_integer(s, COLUMN_SIZE, c);
            const num *N = s->work + t->at.N + t->block_ld * c, *b = s->work + t->at.row + ROW * block + ROW_B;
            for (int j = 0; j < size; j++) x -= work_get(N + j) * work_get(b + ROW * j);
        }
        work_put(to + c, x);
    }
    lanes_sync();
}

/* all of it */
LANE_CODE void tree_inverse(lane_state *s)
{
    blocks_sweep(s);
    if (s->tree->base) {
        columns_T(s);
        root_eliminate(s);
        root_inverse(s);
        columns_G(s);
    }
    columns_acceleration(s);
}

/*
 * What ν̇ adds, into the memory of the poses: Δa = Σ S ν̇ over the ancestors, body included, and y = Σ F ν̇ over the
 * subtree. The force of a subtree gains I Δa_parent + y.
 */
LANE_CODE void bodies_acceleration(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const num *x = s->work + s->call->model.x;
    num *da = s->work + t->at.H;
    FOR_LANES(s, i, t->bodies)
    {
        const int first = body_integer(s, BODY_V, i), n = body_integer(s, BODY_NV, i);
        wrench y = wrench_zero();
        for (int k = i == 0 && t->base ? n : 0; k < n; k++) {
            const wrench F = work_wrench(s->work + t->at.row + ROW * (first + k - t->begin));
            y = wrench_add(y, wrench_scale(work_get(x + first + k), F));
        }
        work_put_twist_at(da + 12 * i, body_columns_sum(s, i, x));
        work_put_twist_at(da + 12 * i + 6, twist_of(y.f, y.t));
    }
    lanes_sync();
    chains_out(s, da, 12, 1, 6);
    chains_back(s, da + 6, 12, 1, 6);
}

#endif
