/*
 * D_q, D_ν and M⁻¹: a lane has a column. ∂τ/∂q and ∂τ/∂ν of the column in the rows of its block (b), the product with
 * the block's −N (y), and six numbers s for the root; then row by row
 *
 *   D = −G s + y in its own block, −G s elsewhere      M⁻¹ = G T_c + N_c
 *
 * so that neighbouring lanes write neighbouring numbers. Of a free root without passive forces, the columns of the
 * position and of the linear velocity need no work (kernel/composite.h); the lanes of its angular velocity write them.
 */
#ifndef HML_CUDA_COLUMNS_H
#define HML_CUDA_COLUMNS_H

#include "cuda/inverse.h"

typedef struct lane_column {
    int on;          /* 0: this lane has none */
    int root;        /* k of a free root's column, or −1 */
    int c;           /* in the tree */
    int first, end;  /* of its joint's subtree */
    int block, size; /* of its block */
    twist S, Pd, Pdd, PS;
    twist sq, sv, sm; /* what the root does: G s; at first U of kernel/composite.h */
} lane_column;

LANE_CODE twist twist_of_wrench(wrench F) { return twist_of(F.f, F.t); }

/* a column below a free root, or of any other tree */
LANE_CODE void column_motion(const lane_state *s, lane_column *col)
{
    const cuda_tree *t = s->tree;
    const int i = own_column(s, COLUMN_BODY, col->c);
    composite b = work_composite(s->work + t->at.sum + i, t->at.sum_ld);
    const twist S = work_twist(s->work + t->at.S + 8 * col->c), v = work_twist(s->work + t->at.v + 8 * i);
    twist vp = twist_zero(), ap;
    if (i > 0) {
        const int p = own_column(s, COLUMN_PARENT, col->c);
        const twist da = work_twist_at(s->work + t->at.H + 12 * p);
        const twist y = work_twist_at(s->work + t->at.H + 12 * i + 6);
        vp = work_twist(s->work + t->at.v + 8 * p);
        ap = twist_add(work_twist(s->work + t->at.a + 8 * p), da);
        b.f = wrench_add(b.f, wrench_add(inertia_mul(b.I, da), wrench_of(y.v, y.w)));
    } else {
        ap = work_twist(s->work + t->at.a);
    }
    col->S = S;
    col->Pd = twist_cross(vp, S);
    col->Pdd = twist_add(twist_cross(ap, S), twist_cross(vp, col->Pd));
    col->PS = twist_cross(twist_add(vp, v), S);
    col->sq = twist_of_wrench(composite_Uq(&b, S, col->Pd, col->Pdd));
    col->sv = twist_of_wrench(composite_Uv(&b, S, col->PS));
    col->sm = t->base ? work_twist(s->work + t->at.Z + Z_ROW * col->c) : twist_zero();
}

LANE_CODE num twist_get(twist x, int k) { return k < 3 ? vec3_get(x.v, k) : vec3_get(x.w, k - 3); }

LANE_CODE twist twist_from(const num x[6]) { return twist_of(vec3_of(x[0], x[1], x[2]), vec3_of(x[3], x[4], x[5])); }

/* column k of a free root; with passive forces: what springs, damping and armature add to its right-hand sides */
LANE_CODE void column_of_root(const lane_state *s, lane_column *col)
{
    const cuda_tree *t = s->tree;
    const int k = col->root;
    num q[6], v[6];
    vec3 dq = vec3_zero(), dv = vec3_zero();
    col->sm = unit_twist(k);
    if (t->k0 == 0) {
        const base_motion base = root_motion(s);
        const vec3 e = unit3(k % 3);
        dq = k < 3 ? vec3_zero() : vec3_cross(base.gravity, e);
        dv = k < 3 ? vec3_cross(e, root_omega(s)) : vec3_cross(base.u, e);
    }
    for (int i = 0; i < 6; i++) {
        q[i] = K(0);
        v[i] = k < 3 ? K(0) : work_get(s->work + t->at.root + ROOT_S_OMEGA + 3 * i + k - 3);
        if (t->k0) continue;
        const num armature = i < 3 ? column_armature(s, i) : K(0);
        if (t->elastic) q[i] += work_get(s->work + t->at.springs + 6 * i + k);
        q[i] += armature * vec3_get(dq, i < 3 ? i : 0);
        v[i] += armature * vec3_get(dv, i < 3 ? i : 0);
        if (i == k) v[i] += column_damping(s, k);
    }
    col->sq = twist_from(q);
    col->sv = twist_from(v);
}

/* the column of trip `trip` of this lane */
LANE_CODE lane_column column_load(const lane_state *s, int trip)
{
    const cuda_tree *t = s->tree;
    lane_column col;
    col.c = s->lane + trip * s->width + t->k0;
    col.on = col.c < t->columns;
    col.root = col.c < t->base ? col.c : -1;
    col.first = col.end = col.block = col.size = 0;
    col.S = col.Pd = col.Pdd = col.PS = col.sq = col.sv = col.sm = twist_zero();
    if (!col.on) return col;
    if (col.root >= 0) {
        column_of_root(s, &col);
        return col;
    }
    col.first = own_column(s, COLUMN_FIRST, col.c);
    col.end = own_column(s, COLUMN_END, col.c);
    col.block = own_column(s, COLUMN_BLOCK, col.c);
    col.size = own_column(s, COLUMN_SIZE, col.c);
    column_motion(s, &col);
    return col;
}

/* does column j of the block, which comes before the joint of this one, carry it? */
LANE_CODE int column_above(const lane_state *s, const lane_column *col, int j)
{
    return s->one ? s->column[COLUMN_ABOVE] >> j & 1 : col->c < column_integer(s, COLUMN_END, col->block + j);
}

/* what springs and damping add in a row of the column's own joint */
LANE_CODE void column_passive(const lane_state *s, const lane_column *col, int row, num *q, num *v)
{
    const cuda_tree *t = s->tree;
    if (column_integer(s, COLUMN_FIRST, row) != col->first) return;
    if (t->elastic) *q += work_get(s->work + t->at.springs + 6 * row + col->c - col->first);
    if (row == col->c) *v += column_damping(s, row);
}

/* b of row j of the block: into the scratch, and times T into what the root does */
LANE_CODE void column_put(const lane_state *s, const lane_column *col, int j, num q, num v, twist *sq, twist *sv,
                          num *scratch)
{
    work_put(scratch + 2 * j * s->width, q);
    work_put(scratch + (2 * j + 1) * s->width, v);
    if (s->tree->base) {
        const twist T = work_twist(s->work + s->tree->at.Z + Z_ROW * (col->block + j));
        *sq = twist_axpy(q, T, *sq);
        *sv = twist_axpy(v, T, *sv);
    }
}

/*
 * b = ∂τ/∂q and ∂τ/∂ν in the rows of the block, two numbers each: rows of ancestors, then of the joint and of what it
 * carries; those behind are zero. Returns how many are
 * not behind.
 */
LANE_CODE int column_rhs(const lane_state *s, lane_column *col, num *scratch)
{
    const cuda_tree *t = s->tree;
    const twist Uq = col->sq, Uv = col->sv;
    twist sq = Uq, sv = Uv;
    const int first = col->first - col->block, rows = col->end - col->block;
    const num *S = s->work + t->at.S + 8 * col->block, *row = s->work + t->at.row + ROW * col->first;
    ROLLED for (int j = 0; j < first; j++, S += 8)
    {
        num q = K(0), v = K(0);
        if (column_above(s, col, j)) {
            const twist x = work_twist(S);
            q = dot6(x, Uq), v = dot6(x, Uv);
        }
        column_put(s, col, j, q, v, &sq, &sv, scratch);
    }
    ROLLED for (int j = first; j < rows; j++, row += ROW)
    {
        const num4 x = work_get4(row), y = work_get4(row + 4);
        const vec3 f = vec3_of(x.a, x.b, x.c), m = vec3_of(x.d, y.a, y.b), g = vec3_of(y.c, y.d, work_get(row + 8));
        num q = vec3_dot(f, col->Pdd.v) + vec3_dot(m, col->Pdd.w) + vec3_dot(g, col->Pd.w);
        num v = vec3_dot(f, col->PS.v) + vec3_dot(m, col->PS.w) + vec3_dot(g, col->S.w);
        if (s->call->model.passive) column_passive(s, col, col->block + j, &q, &v);
        column_put(s, col, j, q, v, &sq, &sv, scratch);
    }
    col->sq = sq;
    col->sv = sv;
    return rows;
}

/* b and s of a column, and y = −N b; scratch of the lane: b, then y, two numbers per row of the block */
LANE_CODE void column_solve(const lane_state *s, lane_column *col, num *scratch)
{
    const cuda_tree *t = s->tree;
    const int w = s->width, rows = col->size ? column_rhs(s, col, scratch) : 0;
    num *y = scratch + 2 * t->block * w;
    ROLLED for (int r = 0; r < col->size; r += 4)
    {
        const num *N = s->work + t->at.N + t->block_ld * col->block + r;
        num4 x = num4_of(K(0), K(0), K(0), K(0)), z = x;
        const num *from = scratch;
        ROLLED for (int j = 0; j < rows; j++, N += t->block_ld, from += 2 * w)
        {
            const num4 a = work_get4(N);
            const num b = work_get(from), c = work_get(from + w);
            x = num4_of(x.a + a.a * b, x.b + a.b * b, x.c + a.c * b, x.d + a.d * b);
            z = num4_of(z.a + a.a * c, z.b + a.b * c, z.c + a.c * c, z.d + a.d * c);
        }
        const num xs[4] = {x.a, x.b, x.c, x.d}, zs[4] = {z.a, z.b, z.c, z.d};
        for (int k = 0; k < 4; k++) {
            if (r + k >= col->size) continue;
            work_put(y + 2 * (r + k) * w, xs[k]);
            work_put(y + (2 * (r + k) + 1) * w, zs[k]);
        }
    }
}

#endif
