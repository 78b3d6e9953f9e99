/*
 * Robots with a trunk: a free root, columns of the bodies that carry large limbs, and limbs of TRUNK_LIMB columns at most,
 * with a lane per column. The core is the root and the trunk. With N = M_ll⁻¹ of a limb and F its columns' rows against
 * the core, as in inverse.h,
 *
 *   T = −N F      S = M_core + Fᵀ T      G = [1; T] S⁻¹
 *
 * but limbs are small: a lane has its column of −N in registers, and lanes meet only at the pivots' rows. Small limbs are
 * also small products in trunk_columns.h.
 *
 * A row of right-hand sides: 0 … 8 F, 9 … 11 ∂τ by the root's angular velocity, 12 τ − h; in a limb's row behind them the
 * inverse of its pivot. The core's rows have M_core in place of F; of the part below the diagonal nothing is kept.
 */
#ifndef HML_CUDA_TRUNK_H
#define HML_CUDA_TRUNK_H

#include "cuda/columns.h"

enum { TRUNK_OMEGA = TRUNK_CORE, TRUNK_B = TRUNK_CORE + 3, TRUNK_RHS = TRUNK_B + 1, TRUNK_PIVOT = TRUNK_RHS };

/* in the root's memory, behind gravity: two zeros, and the pivots' rows of the core, two in turns */
enum { ROOT_ZERO = 4, ROOT_PIVOTS = 8 };

/* what a lane knows of its column, which is below the root where `below` is set */
typedef struct trunk_lane {
    int c, below;
    int core;                 /* its place in the core, or −1: a limb's */
    int limb, size, own;      /* first column of its limb, how many that has, and which of them it is */
    int end, mass, carriers;  /* of its subtree; columns of the limb, and of the trunk, that carry it: bits */
    num N[TRUNK_LIMB];        /* column of M, then of −N */
    num Z[TRUNK_RHS];         /* right-hand sides, then N times them */
    num diagonal, core_pivot; /* of M; of M_core in the row of the lane's number */
} trunk_lane;

LANE_CODE trunk_lane trunk_begin(const lane_state *s)
{
    trunk_lane x;
    x.c = s->lane + s->tree->k0;
    x.below = x.c >= s->tree->base && x.c < s->tree->columns;
    x.core = x.below ? s->column[COLUMN_CORE] : -1;
    x.limb = s->column[COLUMN_LIMB];
    x.size = x.below && x.core < 0 ? s->column[COLUMN_LIMB_SIZE] : 0;
    x.own = x.c - x.limb;
    x.end = s->column[COLUMN_END];
    x.mass = s->column[COLUMN_LIMB_ABOVE];
    x.carriers = s->column[COLUMN_TRUNK_ABOVE];
    x.diagonal = x.core_pivot = K(0);
    for (int i = 0; i < TRUNK_LIMB; i++) x.N[i] = K(0);
    for (int i = 0; i < TRUNK_RHS; i++) x.Z[i] = K(0);
    return x;
}

LANE_CODE num *core_at(const lane_state *s, int row, int column)
{
    return s->work + s->tree->at.core + TRUNK_WIDE * row + column;
}

LANE_CODE const num *trunk_S(const lane_state *s, int t)
{
    return s->work + s->tree->at.S + 8 * s->call->model.trunk_columns[t];
}

/* ---- M and right-hand sides ---- */

LANE_CODE root_rows trunk_root_rows(const lane_state *s)
{
    root_rows to;
    to.M = core_at(s, 0, 0), to.omega = core_at(s, 0, TRUNK_OMEGA), to.rhs = core_at(s, 0, TRUNK_B);
    to.M_ld = to.omega_ld = to.rhs_ld = TRUNK_WIDE;
    return to;
}

/* the core's row of a column of the trunk, and its column above that */
LANE_CODE void trunk_core_row(const lane_state *s, const trunk_lane *x)
{
    for (int i = 0; i < 6; i++) work_put(core_at(s, i, x->core), x->Z[i]);
    for (int t = 0; t < TRUNK_MOST; t++) {
        if (6 + t < x->core) work_put(core_at(s, 6 + t, x->core), x->Z[6 + t]);
    }
    work_put(core_at(s, x->core, x->core), x->diagonal);
    for (int k = TRUNK_OMEGA; k < TRUNK_RHS; k++) work_put(core_at(s, x->core, k), x->Z[k]);
}

/* rows of the core that no column of the trunk has: those of the identity */
LANE_CODE void trunk_core_pad(const lane_state *s)
{
    for (int t = 0; t < TRUNK_MOST; t++) {
        if (s->call->model.trunk_columns[t] >= 0) continue;
        const int k = 6 + t;
        FOR_LANES(s, i, k + 1) work_put(core_at(s, i, k), one_if(i == k));
        FOR_LANES(s, i, TRUNK_RHS - TRUNK_OMEGA) work_put(core_at(s, k, TRUNK_OMEGA + i), K(0));
    }
}

/* lane of a column: F, g and its right-hand sides */
LANE_CODE void trunk_rows(const lane_state *s, trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    num *row = s->work + t->at.row + ROW * x->c;
    const composite sum = work_composite(s->work + t->at.sum + own_column(s, COLUMN_BODY, x->c), t->at.sum_ld);
    const twist S = work_twist(s->work + t->at.S + 8 * x->c);
    const wrench F = inertia_mul(sum.I, S);
    const vec3 g = composite_2B_transposed(&sum, S), w = vec3_add(g, vec3_cross(F.t, root_omega(s)));
    work_put4(row, num4_of(F.f.x, F.f.y, F.f.z, F.t.x));
    work_put4(row + 4, num4_of(F.t.y, F.t.z, g.x, g.y));
    work_put(row + 8, g.z);
    x->diagonal = wrench_dot(F, S) + column_armature(s, x->c);
    x->Z[0] = F.f.x, x->Z[1] = F.f.y, x->Z[2] = F.f.z, x->Z[3] = F.t.x, x->Z[4] = F.t.y, x->Z[5] = F.t.z;
    UNROLLED for (int k = 0; k < TRUNK_MOST; k++) x->Z[6 + k] =
        x->carriers >> k & 1 ? wrench_dot(F, work_twist(trunk_S(s, k))) : K(0);
    x->Z[TRUNK_OMEGA] = w.x, x->Z[TRUNK_OMEGA + 1] = w.y, x->Z[TRUNK_OMEGA + 2] = w.z;
    x->Z[TRUNK_B] = work_get(s->work + s->call->model.b + t->begin + x->c) - wrench_dot(sum.f, S);
}

/* rows of right-hand sides and of T that a column of the trunk has none of */
LANE_CODE void trunk_clear(const lane_state *s, const trunk_lane *x)
{
    const num4 zero = num4_of(K(0), K(0), K(0), K(0));
    for (int k = 0; k < TRUNK_WIDE; k += 4) work_put4(s->work + s->tree->at.R + TRUNK_WIDE * x->c + k, zero);
    for (int k = 0; k < TRUNK_ROW; k += 4) work_put4(s->work + s->tree->at.Z + TRUNK_ROW * x->c + k, zero);
}

/* lane of a limb's column: that of M. Both of two lanes compute an entry by the same products: M is symmetric to the bit */
LANE_CODE void limb_mass(const lane_state *s, trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    const twist F = twist_of(vec3_of(x->Z[0], x->Z[1], x->Z[2]), vec3_of(x->Z[3], x->Z[4], x->Z[5]));
    const twist S = work_twist(s->work + t->at.S + 8 * x->c);
    UNROLLED for (int i = 0; i < TRUNK_LIMB; i++)
    {
        const int above = i < x->own, meets = above ? x->mass >> i & 1 : x->limb + i < x->end;
        num m = K(0);
        if (i < x->size && meets && i != x->own)
            m = dot6(work_twist(s->work + (above ? t->at.S + 8 * (x->limb + i) : t->at.row + ROW * (x->limb + i))),
                     above ? F : S);
        x->N[i] = i == x->own && x->size ? x->diagonal : m;
    }
}

/* everything that the elimination needs */
LANE_CODE void trunk_mass(const lane_state *s, trunk_lane *x)
{
    root_columns(s, trunk_root_rows(s));
    trunk_core_pad(s);
    FOR_LANES(s, i, 2) work_put(s->work + s->tree->at.root + ROOT_ZERO + i, K(0));
    if (x->below) trunk_rows(s, x);
    if (x->core >= 0) trunk_core_row(s, x), trunk_clear(s, x);
    lanes_sync();
    if (s->lane < TRUNK_CORE) x->core_pivot = work_get(core_at(s, s->lane, s->lane));
    limb_mass(s, x);
}

/* ---- the limbs ---- */

/* the row of the pivot, which its lane lays down: N, and the right-hand sides with 1/pivot behind them */
LANE_CODE void limb_pivot(lane_state *s, trunk_lane *x, num pivot)
{
    num *N = s->work + s->tree->at.N + 8 * x->c, *R = s->work + s->tree->at.R + TRUNK_WIDE * x->c;
    const num d = inverse_of_pivot(s, pivot, x->diagonal);
    work_put4(N, num4_of(x->N[0], x->N[1], x->N[2], x->N[3]));
    work_put4(N + 4, num4_of(x->N[4], x->N[5], x->N[6], x->N[7]));
    work_put4(R, num4_of(x->Z[0], x->Z[1], x->Z[2], x->Z[3]));
    work_put4(R + 4, num4_of(x->Z[4], x->Z[5], x->Z[6], x->Z[7]));
    work_put4(R + 8, num4_of(x->Z[8], x->Z[9], x->Z[10], x->Z[11]));
    work_put4(R + 12, num4_of(x->Z[12], d, K(0), K(0)));
    UNROLLED for (int i = 0; i < TRUNK_LIMB; i++) x->N[i] = K(0);
    UNROLLED for (int i = 0; i < TRUNK_RHS; i++) x->Z[i] = K(0);
}

/* a −= f b */
LANE_CODE void subtract4(num *a, num f, num4 b) { a[0] -= f * b.a, a[1] -= f * b.b, a[2] -= f * b.c, a[3] -= f * b.d; }

/* lane of a limb's column: M to −M⁻¹ by the sweep operator, as blocks_sweep of inverse.h */
LANE_CODE void limbs_sweep(lane_state *s, trunk_lane *x)
{
    const int most = s->call->model.limb_most;
    UNROLLED for (int k = TRUNK_LIMB - 1; k >= 0; k--)
    {
        const int own = x->size && x->own == k;
        if (k >= most) continue;
        if (own) limb_pivot(s, x, x->N[k]);
        lanes_sync();
        if (k < x->size) {
            const num *N = s->work + s->tree->at.N + 8 * (x->limb + k);
            const num *R = s->work + s->tree->at.R + TRUNK_WIDE * (x->limb + k);
            const num4 last = work_get4(R + 12);
            const num f = own ? -last.b : last.b * x->N[k];
            subtract4(x->N, f, work_get4(N));
            subtract4(x->N + 4, f, work_get4(N + 4));
            subtract4(x->Z, f, work_get4(R));
            subtract4(x->Z + 4, f, work_get4(R + 4));
            subtract4(x->Z + 8, f, work_get4(R + 8));
            x->Z[TRUNK_B] -= f * last.a;
            x->N[k] = f;
        }
    }
    lanes_sync();
    if (x->size) {
        num *N = s->work + s->tree->at.N + 8 * x->c, *T = s->work + s->tree->at.Z + TRUNK_ROW * x->c;
        work_put4(N, num4_of(x->N[0], x->N[1], x->N[2], x->N[3]));
        work_put4(N + 4, num4_of(x->N[4], x->N[5], x->N[6], x->N[7]));
        for (int k = 0; k < TRUNK_ROW; k += 4)
            work_put4(T + k, num4_of(-x->Z[k], -x->Z[k + 1], -x->Z[k + 2], -x->Z[k + 3]));
    }
}

/* ---- the core ---- */

/* lane of a row of the core and of four numbers, on and above the diagonal: less Σ R_a R_z / pivot over all limbs */
LANE_CODE void core_eliminate(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_LANES(s, task, 30)
    {
        const int low = task < 16, last = task >= 28;
        const int a = low ? task / 4 : last ? 8 : 4 + (task - 16) / 3;
        const int z = low ? task % 4 : last ? task - 26 : 1 + (task - 16) % 3;
        const num *R = s->work + t->at.R + TRUNK_WIDE * 6;
        num4 x = work_get4(core_at(s, a, 4 * z));
        BY_FOUR for (int j = 6; j < t->columns; j++, R += TRUNK_WIDE)
        {
            const num f = work_get(R + a) * work_get(R + TRUNK_PIVOT);
            x = num4_combine(K(1), x, f, work_get4(R + 4 * z));
        }
        work_put4(core_at(s, a, 4 * z), x);
    }
    lanes_sync();
}

/* lanes 0 … 8, a column each: S⁻¹ over M_core, by the sweep operator; the trunk comes first */
LANE_CODE void core_inverse(lane_state *s, const trunk_lane *own_lane)
{
    const int j = s->lane < TRUNK_CORE ? s->lane : 0, on = s->lane < TRUNK_CORE;
    num x[TRUNK_ROW];
    UNROLLED for (int i = 0; i < TRUNK_ROW; i++) x[i] =
        on && i < TRUNK_CORE ? work_get(i < j ? core_at(s, i, j) : core_at(s, j, i)) : K(0);
    UNROLLED for (int step = 0; step < TRUNK_CORE; step++)
    {
        const int k = step < TRUNK_MOST ? TRUNK_CORE - 1 - step : step - TRUNK_MOST, own = on && j == k;
        num *row = s->work + s->tree->at.root + ROOT_PIVOTS + (step & 1) * TRUNK_ROW;
        if (own) {
            const num d = inverse_of_pivot(s, x[k], own_lane->core_pivot);
            for (int i = 0; i < 8; i += 4) work_put4(row + i, num4_of(x[i], x[i + 1], x[i + 2], x[i + 3]));
            work_put4(row + 8, num4_of(x[8], d, K(0), K(0)));
            UNROLLED for (int i = 0; i < TRUNK_ROW; i++) x[i] = K(0);
        }
        lanes_sync();
        const num4 last = work_get4(row + 8);
        const num f = own ? -last.b : last.b * x[k];
        subtract4(x, f, work_get4(row));
        subtract4(x + 4, f, work_get4(row + 4));
        x[8] -= f * last.a;
        x[k] = f;
    }
    if (on) {
        work_put4(core_at(s, j, 0), num4_of(-x[0], -x[1], -x[2], -x[3]));
        work_put4(core_at(s, j, 4), num4_of(-x[4], -x[5], -x[6], -x[7]));
        work_put(core_at(s, j, 8), -x[8]);
    }
    lanes_sync();
}

/* ---- G and ν̇ ---- */

/* nine numbers of a row */
typedef struct num9 {
    num4 x, y;
    num z;
} num9;

LANE_CODE num9 work_get9(const num *p)
{
    num9 a;
    a.x = work_get4(p), a.y = work_get4(p + 4), a.z = work_get(p + 8);
    return a;
}

/* a row of G, and behind it what the root's angular velocity does in that row besides */
LANE_CODE void work_put_G(num *p, num9 a, vec3 omega)
{
    work_put4(p, a.x), work_put4(p + 4, a.y), work_put4(p + 8, num4_of(a.z, omega.x, omega.y, omega.z));
}

LANE_CODE num9 num9_zero(void)
{
    num9 a;
    a.x = a.y = num4_of(K(0), K(0), K(0), K(0)), a.z = K(0);
    return a;
}

/* a + f b */
LANE_CODE num9 num9_axpy(num f, num9 b, num9 a)
{
    a.x = num4_combine(K(1), a.x, -f, b.x), a.y = num4_combine(K(1), a.y, -f, b.y), a.z += f * b.z;
    return a;
}

LANE_CODE num dot9(num9 a, num9 b)
{
    const num x = a.x.a * b.x.a + a.x.b * b.x.b + a.x.c * b.x.c + a.x.d * b.x.d;
    const num y = a.y.a * b.y.a + a.y.b * b.y.b + a.y.c * b.y.c + a.y.d * b.y.d;
    return x + y + a.z * b.z;
}

/* a column of the core's right-hand sides */
LANE_CODE num9 core_column(const lane_state *s, int k)
{
    num9 a;
    a.x = num4_of(work_get(core_at(s, 0, k)), work_get(core_at(s, 1, k)), work_get(core_at(s, 2, k)),
                  work_get(core_at(s, 3, k)));
    a.y = num4_of(work_get(core_at(s, 4, k)), work_get(core_at(s, 5, k)), work_get(core_at(s, 6, k)),
                  work_get(core_at(s, 7, k)));
    a.z = work_get(core_at(s, 8, k));
    return a;
}

/* s of the root's angular velocity, for the lanes of its columns: the core's rows are overwritten afterwards */
LANE_CODE void trunk_omega(const lane_state *s, trunk_lane *x)
{
    if (x->c < 6) {
        UNROLLED for (int i = 0; i < TRUNK_CORE; i++) x->Z[i] = work_get(core_at(s, i, TRUNK_OMEGA + x->c - 3));
    }
}

/* rows of G, which lie over the right-hand sides of the limbs, and ν̇ as columns_acceleration of inverse.h */
LANE_CODE void trunk_G(const lane_state *s, const trunk_lane *x)
{
    const cuda_tree *t = s->tree;
    num *to = s->work + s->call->model.x + t->begin;
    const num9 rhs = core_column(s, TRUNK_B);
    FOR_LANES(s, k, 6)
    {
        const num9 row = work_get9(core_at(s, k, 0));
        work_put_G(s->work + t->at.G + TRUNK_ROW * k, row, vec3_zero());
        work_put(to + k, dot9(row, rhs));
    }
    if (!x->below) return;
    num9 row = num9_zero();
    vec3 omega = vec3_zero();
    if (x->core >= 0) {
        row = work_get9(core_at(s, x->core, 0));
    } else {
        UNROLLED for (int k = 0; k < TRUNK_CORE; k++) row = num9_axpy(-x->Z[k], work_get9(core_at(s, k, 0)), row);
        omega = vec3_of(x->Z[TRUNK_OMEGA], x->Z[TRUNK_OMEGA + 1], x->Z[TRUNK_OMEGA + 2]);
    }
    work_put_G(s->work + t->at.G + TRUNK_ROW * x->c, row, omega);
    work_put(to + x->c, dot9(row, rhs) + (x->core >= 0 ? K(0) : x->Z[TRUNK_B]));
}

/* M⁻¹ as T, G and −N, and ν̇ */
LANE_CODE void trunk_inverse(lane_state *s, trunk_lane *x)
{
    trunk_mass(s, x);
    limbs_sweep(s, x);
    core_eliminate(s);
    core_inverse(s, x);
    trunk_omega(s, x);
    trunk_G(s, x);
    lanes_sync();
}

#endif
