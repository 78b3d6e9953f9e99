/*
 * D_q, D_ν and M⁻¹ of robots with a trunk, a lane per column, as columns.h and the end of linearize.h. What the core does
 * are nine numbers s instead of six. ∂τ of a column of the trunk reaches into the limbs that it carries: their lanes
 * compute it, one row each.
 */
#ifndef HML_CUDA_TRUNK_COLUMNS_H
#define HML_CUDA_TRUNK_COLUMNS_H

#include "cuda/output.h"
#include "cuda/trunk.h"

/* six numbers and those of the trunk */
LANE_CODE num9 num9_of(twist a, const num t[TRUNK_MOST])
{
    num9 x;
    x.x = num4_of(a.v.x, a.v.y, a.v.z, a.w.x), x.y = num4_of(a.w.y, a.w.z, t[0], t[1]), x.z = t[2];
    return x;
}

LANE_CODE num9 unit9(int k)
{
    num9 x;
    x.x = num4_of(one_if(k == 0), one_if(k == 1), one_if(k == 2), one_if(k == 3));
    x.y = num4_of(one_if(k == 4), one_if(k == 5), one_if(k == 6), one_if(k == 7)), x.z = one_if(k == 8);
    return x;
}

/* what the core does in a lane's column; of a free root's columns, closed forms in the first three rows */
typedef struct trunk_sums {
    num9 q, v, m;
    vec3 q0, v0, omega; /* omega: 1 in the lane of that angular velocity */
} trunk_sums;

/* a lane's part of the scratch: a pair per row of its limb, and a step that keeps lanes out of each other's banks */
enum { TRUNK_SCRATCH = 2 * TRUNK_LIMB + 2 };

/* ∂τ/∂q and ∂τ/∂ν in a row at or below the joint of a column, or what comes of them */
typedef struct num2 {
    num q, v;
} num2;

LANE_CODE num2 work_get2(const num *p)
{
    num2 x;
    x.q = work_get(p), x.v = work_get(p + 1);
    return x;
}

/* the row's numbers with those of the column: Pdd, PS, and angular parts of Pd and S */
LANE_CODE num2 row_product(const num *row, twist Pdd, twist PS, vec3 Pd, vec3 S)
{
    const num4 x = work_get4(row), y = work_get4(row + 4);
    const vec3 f = vec3_of(x.a, x.b, x.c), m = vec3_of(x.d, y.a, y.b), g = vec3_of(y.c, y.d, work_get(row + 8));
    num2 b;
    b.q = vec3_dot(f, Pdd.v) + vec3_dot(m, Pdd.w) + vec3_dot(g, Pd);
    b.v = vec3_dot(f, PS.v) + vec3_dot(m, PS.w) + vec3_dot(g, S);
    return b;
}

/* ∂τ of a column in row `row` of its limb or of the trunk; above: whether that row's column comes before it and carries it */
LANE_CODE num2 column_entry(const lane_state *s, const lane_column *col, int row, int above)
{
    const cuda_tree *t = s->tree;
    num2 b;
    b.q = b.v = K(0);
    if (row >= col->first && row < col->end) {
        b = row_product(s->work + t->at.row + ROW * row, col->Pdd, col->PS, col->Pd.w, col->S.w);
        if (s->call->model.passive) column_passive(s, col, row, &b.q, &b.v);
    } else if (above) {
        const twist x = work_twist(s->work + t->at.S + 8 * row);
        b.q = dot6(x, col->sq), b.v = dot6(x, col->sv);
    }
    return b;
}

/* the core's part of s: of a free root U itself, of the trunk as in any row */
LANE_CODE void core_sums(const lane_state *s, const trunk_lane *x, const lane_column *col, trunk_sums *to)
{
    num q[TRUNK_MOST], v[TRUNK_MOST];
    UNROLLED for (int k = 0; k < TRUNK_MOST; k++)
    {
        const int row = s->call->model.trunk_columns[k];
        q[k] = v[k] = K(0);
        if (row < 0) continue;
        const num2 b = column_entry(s, col, row, x->carriers >> k & 1);
        q[k] = b.q, v[k] = b.v;
    }
    to->q = num9_of(col->sq, q);
    to->v = num9_of(col->sv, v);
}

/* a limb's column: b in the rows of its limb, s, and y = −N b into the lane's scratch */
LANE_CODE void limb_products(const lane_state *s, const trunk_lane *x, const lane_column *col, trunk_sums *to)
{
    const cuda_tree *t = s->tree;
    num *y = s->work + t->at.scratch + TRUNK_SCRATCH * s->lane;
    num2 b[TRUNK_LIMB];
    UNROLLED for (int j = 0; j < TRUNK_LIMB; j++)
    {
        b[j].q = b[j].v = K(0);
        if (j >= x->size) continue;
        b[j] = column_entry(s, col, x->limb + j, x->mass >> j & 1);
        const num9 T = work_get9(s->work + t->at.Z + TRUNK_ROW * (x->limb + j));
        to->q = num9_axpy(b[j].q, T, to->q);
        to->v = num9_axpy(b[j].v, T, to->v);
    }
    ROLLED for (int r = 0; r < x->size; r++)
    {
        const num *N = s->work + t->at.N + 8 * (x->limb + r);
        const num4 a = work_get4(N), c = work_get4(N + 4);
        work_put(y + 2 * r, a.a * b[0].q + a.b * b[1].q + a.c * b[2].q + a.d * b[3].q +
                                (c.a * b[4].q + c.b * b[5].q + c.c * b[6].q + c.d * b[7].q));
        work_put(y + 2 * r + 1, a.a * b[0].v + a.b * b[1].v + a.c * b[2].v + a.d * b[3].v +
                                    (c.a * b[4].v + c.b * b[5].v + c.c * b[6].v + c.d * b[7].v));
    }
}

/* ---- columns of the trunk ---- */

/* the lane of such a column says how it moves, and that it has no row in a limb */
LANE_CODE void trunk_motion(const lane_state *s, const trunk_lane *x, const lane_column *col)
{
    num *to = s->work + s->tree->at.motion + 20 * (x->core - 6);
    const num4 zero = num4_of(K(0), K(0), K(0), K(0));
    work_put_twist(to, col->Pdd);
    work_put_twist(to + 8, col->PS);
    work_put(to + 6, col->Pd.w.x), work_put(to + 7, col->Pd.w.y), work_put(to + 14, col->Pd.w.z);
    work_put(to + 15, col->S.w.x), work_put(to + 16, col->S.w.y), work_put(to + 17, col->S.w.z);
    for (int k = 0; k < 8; k += 4) {
        work_put4(s->work + s->tree->at.below + 8 * x->c + k, zero);
        work_put4(s->work + s->tree->at.y + 8 * x->c + k, zero);
    }
}

/* lane of a limb's column: ∂τ of the trunk's columns in its row */
LANE_CODE void limb_below(const lane_state *s, const trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    num *to = s->work + t->at.below + 8 * x->c;
    UNROLLED for (int k = 0; k < 4; k++)
    {
        num2 b;
        b.q = b.v = K(0);
        if (k < TRUNK_MOST && x->carriers >> k & 1) {
            const num *from = s->work + t->at.motion + 20 * k;
            const num4 w = work_get4(from + 12);
            b = row_product(s->work + t->at.row + ROW * x->c, work_twist(from), work_twist(from + 8),
                            vec3_of(work_get(from + 6), work_get(from + 7), w.c),
                            vec3_of(w.d, work_get(from + 16), work_get(from + 17)));
        }
        work_put(to + 2 * k, b.q), work_put(to + 2 * k + 1, b.v);
    }
}

/* lane of a limb's column: its row of y = −N b of the trunk's columns */
LANE_CODE void limb_y(const lane_state *s, const trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    num4 y = num4_of(K(0), K(0), K(0), K(0)), z = y;
    UNROLLED for (int j = 0; j < TRUNK_LIMB; j++)
    {
        if (j >= x->size) continue;
        const num *b = s->work + t->at.below + 8 * (x->limb + j);
        y = num4_combine(K(1), y, -x->N[j], work_get4(b));
        z = num4_combine(K(1), z, -x->N[j], work_get4(b + 4));
    }
    work_put4(s->work + t->at.y + 8 * x->c, y);
    work_put4(s->work + t->at.y + 8 * x->c + 4, z);
}

/* lane of a row of the core and of a column of the trunk: Σ T b over all limbs */
LANE_CODE void trunk_products(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_LANES(s, task, TRUNK_CORE * TRUNK_MOST)
    {
        const int a = task / TRUNK_MOST, k = task % TRUNK_MOST;
        const num *T = s->work + t->at.Z + TRUNK_ROW * 6 + a, *b = s->work + t->at.below + 8 * 6 + 2 * k;
        num q = K(0), v = K(0);
        BY_FOUR for (int j = 6; j < t->columns; j++, T += TRUNK_ROW, b += 8)
        {
            const num f = work_get(T);
            q += f * work_get(b), v += f * work_get(b + 1);
        }
        num *to = s->work + t->at.sums + 2 * TRUNK_ROW * k + a;
        work_put(to, q), work_put(to + TRUNK_ROW, v);
    }
}

/* ---- all columns ---- */

/* s of every column; y of the limbs' columns in the scratch, of the trunk's in `y`, of the root's behind G */
LANE_CODE trunk_sums trunk_solve(lane_state *s, const trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    lane_column col;
    trunk_sums sums;
    sums.q = sums.v = sums.m = num9_zero();
    sums.q0 = sums.v0 = sums.omega = vec3_zero();
    if (x->below) {
        col.c = x->c, col.root = -1;
        col.first = own_column(s, COLUMN_FIRST, x->c), col.end = x->end;
        column_motion(s, &col);
    }
    lanes_sync(); /* what follows lies over what was read here */
    if (x->core >= 0) trunk_motion(s, x, &col);
    lanes_sync();
    if (x->below) core_sums(s, x, &col, &sums);
    if (x->size) {
        limb_below(s, x);
        limb_products(s, x, &col, &sums);
    }
    lanes_sync();
    if (x->size) limb_y(s, x);
    trunk_products(s);
    lanes_sync();
    if (x->core >= 0) {
        const num *from = s->work + t->at.sums + 2 * TRUNK_ROW * (x->core - 6);
        sums.q = num9_axpy(K(1), work_get9(from), sums.q);
        sums.v = num9_axpy(K(1), work_get9(from + TRUNK_ROW), sums.v);
        sums.m = unit9(x->core);
    } else if (x->below) {
        sums.m = work_get9(s->work + t->at.Z + TRUNK_ROW * x->c);
    } else {
        const base_motion base = root_motion(s);
        const vec3 e = unit3(x->c - 3);
        sums.q0 = vec3_cross(base.gravity, e), sums.v0 = vec3_cross(base.u, e);
        sums.v.x = num4_of(x->Z[0], x->Z[1], x->Z[2], x->Z[3]), sums.v.y = num4_of(x->Z[4], x->Z[5], x->Z[6], x->Z[7]);
        sums.v.z = x->Z[8];
        sums.m = unit9(x->c);
        sums.omega = e;
    }
    return sums;
}

/* ---- rows of the results ---- */

/*
 * What a lane adds to G s in the rows of its limb, or in all of them if it is the trunk's: a pair of D_q and D_ν, and −M⁻¹.
 * `row` counts from the first such row; outside there are zeros to read, so that no lane waits for another.
 */
typedef struct trunk_tile {
    int row, size, pair_step, N_step;
    const num *pair, *N, *zero;
} trunk_tile;

LANE_CODE trunk_tile trunk_tile_of(const lane_state *s, const trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    trunk_tile tile;
    tile.zero = s->work + t->at.root + ROOT_ZERO;
    tile.row = tile.size = tile.pair_step = tile.N_step = 0;
    tile.pair = tile.N = tile.zero;
    if (x->size) {
        tile.row = -x->limb, tile.size = x->size, tile.pair_step = 2, tile.N_step = 8;
        tile.pair = s->work + t->at.scratch + TRUNK_SCRATCH * s->lane;
        tile.N = s->work + t->at.N + 8 * x->limb + x->own;
    } else if (x->core >= 0) {
        tile.row = -6, tile.size = t->columns - 6, tile.pair_step = 8;
        tile.pair = s->work + t->at.y + 8 * 6 + 2 * (x->core - 6);
    }
    return tile;
}

/* a row of the lane's column: D_q, D_ν, M⁻¹ */
typedef struct trunk_row {
    num q, v, m;
} trunk_row;

/* the next row; G: that of it */
LANE_CODE trunk_row trunk_next(const num *G, const trunk_sums *sums, trunk_tile *tile)
{
    const num4 a = work_get4(G), b = work_get4(G + 4), c = work_get4(G + 8);
    const int in = (unsigned)tile->row < (unsigned)tile->size;
    const num2 y = work_get2(in ? tile->pair : tile->zero);
    const num N = work_get(in ? tile->N : tile->zero);
    num9 row;
    trunk_row x;
    row.x = a, row.y = b, row.z = c.a;
    x.q = y.q - dot9(row, sums->q);
    x.v = y.v - dot9(row, sums->v) - (c.b * sums->omega.x + c.c * sums->omega.y + c.d * sums->omega.z);
    x.m = dot9(row, sums->m) - N;
    tile->pair += in ? tile->pair_step : 0;
    tile->N += in ? tile->N_step : 0;
    tile->row++;
    return x;
}

/* rows that are laid out in the workspace before they are written, so that neighbours leave together */
LANE_CODE void trunk_stage(const lane_state *s, const trunk_lane *x, num *to, trunk_row row)
{
    const int columns = s->tree->columns, size = TRUNK_CHUNK * columns;
    if (x->c < columns)
        work_put(to + x->c, row.q), work_put(to + size + x->c, row.v), work_put(to + 2 * size + x->c, row.m);
}

/* the columns of the root's position and linear velocity: lanes 0 … 2 */
LANE_CODE void trunk_stage_free(const lane_state *s, num *to, const num *G, vec3 v0, int r)
{
    const int size = TRUNK_CHUNK * s->tree->columns;
    if (s->lane >= 3) return;
    work_put(to + s->lane, K(0));
    work_put(to + size + s->lane, r < 3 ? vec3_get(v0, r) : K(0));
    work_put(to + 2 * size + s->lane, work_get(G + s->lane));
}

/* `rows` rows from row r on: a warp writes whole lines of 128 bytes where rows are packed */
LANE_CODE void trunk_flush(const lane_state *s, const num *from, lane_output o, int r, int rows)
{
    const int columns = s->tree->columns, n = rows * columns, line = 128 / (int)sizeof(num);
    if (!o.data) return;
    num *to = o.data + r * o.ld;
    if (o.ld == columns) {
        const int shift = (int)((uintptr_t)to / sizeof(num) % (unsigned)line);
        BY_FOUR for (int i = s->lane - shift; i < n; i += CUDA_WARP)
        {
            if (i >= 0) global_put(to + i, work_get(from + i));
        }
        return;
    }
    ROLLED for (int k = 0; k < rows; k++)
    {
        FOR_LANES(s, c, columns) global_put(to + k * o.ld + c, work_get(from + k * columns + c));
    }
}

/* all rows of all columns; the root's first three have closed forms */
LANE_CODE void trunk_write(lane_state *s, const trunk_lane *x, const trunk_sums *sums, const lane_outputs *o)
{
    const int columns = s->tree->columns, size = TRUNK_CHUNK * columns;
    const num *G = s->work + s->tree->at.G;
    num *stage = s->work + s->tree->at.stage, wrong = K(0);
    trunk_tile tile = trunk_tile_of(s, x);
    const vec3 v0 = vec3_cross(unit3(s->lane), root_omega(s));
    ROLLED for (int first = 0; first < columns; first += TRUNK_CHUNK)
    {
        const int rows = columns - first < TRUNK_CHUNK ? columns - first : TRUNK_CHUNK;
        lanes_sync(); /* until what was there is read */
        BY_TWO for (int k = 0; k < rows; k++, G += TRUNK_ROW)
        {
            const int r = first + k;
            trunk_row row = trunk_next(G, sums, &tile);
            if (r < 3) row.q += vec3_get(sums->q0, r), row.v += vec3_get(sums->v0, r);
            trunk_stage(s, x, stage + k * columns, row);
            trunk_stage_free(s, stage + k * columns, G, v0, r);
            wrong += K(0) * row.q, wrong += K(0) * row.v, wrong += K(0) * row.m;
        }
        lanes_sync();
        trunk_flush(s, stage, o->Dq, first, rows);
        trunk_flush(s, stage + size, o->Dv, first, rows);
        trunk_flush(s, stage + 2 * size, o->Minv, first, rows);
    }
    if (not_finite(wrong)) s->flags |= FLAG_OVERFLOW;
}

#endif
