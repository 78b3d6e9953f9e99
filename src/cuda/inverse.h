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

/* twelve numbers of Z or R */
typedef struct num12 {
    num4 x, y, z;
} num12;

LANE_CODE num12 work_get12(const num *p)
{
    num12 a;
    a.x = work_get4(p), a.y = work_get4(p + 4), a.z = work_get4(p + 8);
    return a;
}

LANE_CODE void work_put12(num *p, num12 a) { work_put4(p, a.x), work_put4(p + 4, a.y), work_put4(p + 8, a.z); }

/* s a − f b */
LANE_CODE num4 num4_combine(num s, num4 a, num f, num4 b)
{
    return num4_of(s * a.a - f * b.a, s * a.b - f * b.b, s * a.c - f * b.c, s * a.d - f * b.d);
}

/* rows of a lane's own column; see blocks_sweep */
LANE_CODE void sweep_column(num *at, int ld, int size, const num *pivot, num keep, num f)
{
    int i = 0;
    ROLLED for (; i + 4 <= size; i += 4, at += 4 * ld, pivot += 4)
    {
        const num4 a = num4_of(work_get(at), work_get(at + ld), work_get(at + 2 * ld), work_get(at + 3 * ld));
        const num4 x = num4_combine(keep, a, f, work_get4(pivot));
        work_put(at, x.a), work_put(at + ld, x.b), work_put(at + 2 * ld, x.c), work_put(at + 3 * ld, x.d);
    }
    ROLLED for (; i < size; i++, at += ld, pivot++) work_put(at, keep * work_get(at) - f * work_get(pivot));
}

/*
 * Lane of a column: all blocks at once, M to −M⁻¹ by the sweep operator; x holds M's diagonal. Right-hand sides go along:
 * Z becomes M⁻¹ Z, and R keeps what a row of it was when its pivot came, with 1/pivot behind it. Lanes lay the row of the
 * pivot down in a buffer; there are two, in turns, so that one barrier a step is enough.
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
            num *pivot = pivots + own_column(s, COLUMN_PIVOT, c);
            if (k >= 0) work_put(pivot + (c - block), work_get(s->work + t->at.N + ld * (block + k) + (c - block)));
            if (c == block + k) work_put12(pivot + ld, work_get12(s->work + t->at.Z + Z_ROW * c));
        }
        lanes_sync();
        FOR_COLUMNS(s, c)
        {
            const int block = own_column(s, COLUMN_BLOCK, c), size = own_column(s, COLUMN_SIZE, c), k = size - 1 - step;
            const num *pivot = pivots + own_column(s, COLUMN_PIVOT, c);
            num *N = s->work + t->at.N + ld * block + (c - block), *Z = s->work + t->at.Z + Z_ROW * c;
            const int own = c == block + k;
            if (k < 0) continue;
            const num original = work_get(s->work + s->call->model.x + t->begin + block + k);
            const num d = inverse_of_pivot(s, work_get(pivot + k), original);
            const num f = own ? -d : d * work_get(pivot + c - block), keep = one_if(!own);
            num12 z = work_get12(pivot + ld), a = work_get12(Z);
            a.x = num4_combine(keep, a.x, f, z.x);
            a.y = num4_combine(keep, a.y, f, z.y);
            a.z = num4_combine(keep, a.z, f, z.z);
            work_put12(Z, a);
            sweep_column(N, ld, size, pivot, keep, f);
            work_put(N + ld * k, f);
            z.z.c = d;
            if (own) work_put12(s->work + t->at.R + Z_ROW * c, z);
        }
    }
    lanes_sync();
}

/* lane of a column below a free root: T = −N F, and y = −N b of the root's angular velocity, in place of Z */
LANE_CODE void columns_T(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_COLUMNS(s, c)
    {
        num *Z = s->work + t->at.Z + Z_ROW * c;
        const num12 z = work_get12(Z);
        work_put4(Z, num4_of(-z.x.a, -z.x.b, -z.x.c, -z.x.d));
        work_put4(Z + 4, num4_of(-z.y.a, -z.y.b, -z.y.c, -z.y.d));
        work_put(Z + 8, -z.z.a);
    }
}

/*
 * Lane of a row of the root's and of four right-hand sides: the root's block and both s, less Σ R_a R_z / pivot over all
 * columns. These are the steps of the elimination, so no digits are lost where the root's block almost vanishes.
 */
LANE_CODE void root_eliminate(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *root = s->work + t->at.root, *G = s->work + t->at.G;
    FOR_LANES(s, task, 18)
    {
        const int a = task / 3, z = task % 3;
        const num *R = s->work + t->at.R + Z_ROW * 6;
        num4 x = num4_of(K(0), K(0), K(0), K(0));
        ROLLED for (int j = 6; j < t->columns; j++, R += Z_ROW)
        {
            const num f = work_get(R + a) * work_get(R + 10);
            x = num4_combine(K(1), x, f, work_get4(R + 4 * z));
        }
        num *to = z == 0 ? G + 8 * a : z == 1 ? root + ROOT_S_OMEGA + 3 * a : root + ROOT_S_OMEGA + 3 * a + 2;
        if (z == 0) {
            work_put4(to, num4_combine(K(1), work_get4(to), K(-1), x));
        } else if (z == 1) {
            work_put(G + 8 * a + 4, work_get(G + 8 * a + 4) + x.a);
            work_put(G + 8 * a + 5, work_get(G + 8 * a + 5) + x.b);
            work_put(to, work_get(to) + x.c);
            work_put(to + 1, work_get(to + 1) + x.d);
        } else {
            work_put(to, work_get(to) + x.a);
            work_put(root + ROOT_S + a, work_get(root + ROOT_S + a) + x.b);
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
        const num d = inverse_of_pivot(s, r[k], (k < 3 ? mass : J) + column_armature(s, k));
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
        const twist T = work_twist(s->work + t->at.Z + Z_ROW * c);
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
        x += work_get(s->work + t->at.Z + Z_ROW * c + 9);
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
    chains_out(s, numbers_of(da, 12, 1, 6));
    chains_back(s, numbers_of(da + 6, 12, 1, 6));
}

#endif
