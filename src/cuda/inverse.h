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

/*
 * Lane of a column: all blocks at once, M to −M⁻¹ by the sweep operator; x holds M's diagonal. Lanes lay the row of the
 * pivot down in a buffer; there are two, in turns, so that one barrier a step is enough. Rows are
 * taken four at a time.
 */
LANE_CODE void blocks_sweep(lane_state *s)
{
    const cuda_tree *t = s->tree;
    const int ld = t->block_ld;
    ROLLED for (int step = 0; step < t->block; step++)
    {
        num *pivots = s->work + t->at.pivot + (step & 1) * t->at.pivot_size;
        FOR_COLUMNS(s, c)
        {
            const int block = own_column(s, COLUMN_BLOCK, c), k = own_column(s, COLUMN_SIZE, c) - 1 - step;
            const num *row = s->work + t->at.N + ld * (block + k) + (c - block);
            if (k >= 0) work_put(pivots + own_column(s, COLUMN_PIVOT, c) + (c - block), work_get(row));
        }
        lanes_sync();
        FOR_COLUMNS(s, c)
        {
            const int block = own_column(s, COLUMN_BLOCK, c), size = own_column(s, COLUMN_SIZE, c), k = size - 1 - step;
            const num *pivot = pivots + own_column(s, COLUMN_PIVOT, c);
            const int own = c == block + k;
            if (k < 0) continue;
            const num original = work_get(s->work + s->call->model.x + t->begin + block + k);
            const num d = inverse_of_pivot(s, work_get(pivot + k), original);
            const num f = own ? -d : d * work_get(pivot + c - block), keep = one_if(!own);
            num *at = s->work + t->at.N + ld * block + (c - block);
            int i = 0;
            ROLLED for (; i + 4 <= size; i += 4, at += 4 * ld, pivot += 4)
            {
                const num4 r = work_get4(pivot);
                const num a[4] = {work_get(at), work_get(at + ld), work_get(at + 2 * ld), work_get(at + 3 * ld)};
                work_put(at, keep * a[0] - f * r.a);
                work_put(at + ld, keep * a[1] - f * r.b);
                work_put(at + 2 * ld, keep * a[2] - f * r.c);
                work_put(at + 3 * ld, keep * a[3] - f * r.d);
            }
            ROLLED for (; i < size; i++, at += ld, pivot++) work_put(at, keep * work_get(at) - f * work_get(pivot));
            work_put(s->work + t->at.N + ld * (block + k) + (c - block), f);
        }
    }
    lanes_sync();
}

/* lane of a column below a free root: T, and −N b of the root's angular velocity */
LANE_CODE void columns_T(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_COLUMNS(s, c)
    {
        const int block = own_column(s, COLUMN_BLOCK, c), size = own_column(s, COLUMN_SIZE, c);
        const num *N = s->work + t->at.N + t->block_ld * c, *row = s->work + t->at.row + ROW * block;
        twist T = twist_zero();
        vec3 y = vec3_zero();
        ROLLED for (int j = 0; j < size; j++, row += ROW)
        {
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

/* lane of a row of the root's and of four numbers of the columns' rows: Fᵀ T into the root's block, and Tᵀ b into both s */
LANE_CODE void root_eliminate(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *root = s->work + t->at.root, *G = s->work + t->at.G;
    FOR_LANES(s, task, 24)
    {
        const int a = task >> 2, z = task & 3;
        const num *T = s->work + t->at.T + 8 * 6 + a, *row = s->work + t->at.row + ROW * 6 + 4 * z;
        num4 x = num4_of(K(0), K(0), K(0), K(0));
        ROLLED for (int j = 6; j < t->columns; j++, T += 8, row += ROW)
        {
            const num f = work_get(T);
            const num4 y = work_get4(row);
            x = num4_of(x.a + f * y.a, x.b + f * y.b, x.c + f * y.c, x.d + f * y.d);
        }
        if (z == 3) {
            work_put(root + ROOT_S + a, work_get(root + ROOT_S + a) + x.a);
        } else if (z == 2) {
            num *to = root + ROOT_S_OMEGA + 3 * a;
            work_put(to, work_get(to) + x.b);
            work_put(to + 1, work_get(to + 1) + x.c);
            work_put(to + 2, work_get(to + 2) + x.d);
        } else {
            num *to = G + 8 * a + 4 * z;
            work_put(to, work_get(to) + x.a);
            work_put(to + 1, work_get(to + 1) + x.b);
            if (z == 0) work_put(to + 2, work_get(to + 2) + x.c);
            if (z == 0) work_put(to + 3, work_get(to + 3) + x.d);
        }
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
    UNROLLED for (int k = 0; k < 6; k++)
    {
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

/* lane of a column below a free root: its row of G, which the lane itself needs next */
LANE_CODE void columns_G(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const num *G = s->work + t->at.G;
    FOR_COLUMNS(s, c)
    {
        const twist T = work_twist(s->work + t->at.T + 8 * c);
        const num a[6] = {T.v.x, T.v.y, T.v.z, T.w.x, T.w.y, T.w.z};
        twist sum = twist_zero();
        for (int k = 0; k < 6; k++) {
            sum = twist_axpy(a[k], work_twist(G + 8 * k), sum);
        }
        work_put_twist(s->work + t->at.G + 8 * c, sum);
    }
}

/* ν̇ without what the passes left out of a free root's acceleration: lanes of the root's columns, then of the others */
LANE_CODE void columns_acceleration(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *to = s->work + s->call->model.x + t->begin;
    const twist r = t->base ? work_twist(s->work + t->at.root + ROOT_S) : twist_zero();
    FOR_LANES(s, k, t->base) work_put(to + k, dot6(work_twist(s->work + t->at.G + 8 * k), r));
    FOR_COLUMNS(s, c)
    {
        num x = K(0);
        if (t->base) x = dot6(work_twist(s->work + t->at.G + 8 * c), r);
        const int block = own_column(s, COLUMN_BLOCK, c), size = own_column(s, COLUMN_SIZE, c);
        const num *N = s->work + t->at.N + t->block_ld * c, *b = s->work + t->at.row + ROW * block + ROW_B;
        ROLLED for (int j = 0; j < size; j++) x -= work_get(N + j) * work_get(b + ROW * j);
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
    FOR_BODIES(s, i)
    {
        const int first = own_body(s, BODY_V, i), n = own_body(s, BODY_NV, i);
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
