/*
 * The tangent of one step: A_d and B_d from D_q, D_ν and M⁻¹ by operations on rows, whose lanes are columns.
 *
 *   θ, ν           integrated from (0, ν) with θ̇ = S(θ)⁻¹ ν; q = q₀ ⊕ θ; columns are z_q, z_ν, w
 *   Euler          ν⁺ = ν + h ν̇, θ = h ν⁺: dν = [h D_q, I + h D_ν, h M⁻¹]
 *   Munthe-Kaas    K_i = D_q (E z_q + S dθ_i) + D_ν dν_i + M⁻¹ w, dν_i = z_ν + c_i h K_{i−1}, dθ_i = c_i h dθ̇_{i−1},
 *                  dθ̇ = S⁻¹ dν + T dθ; c = 0, ½, ½, 1
 *   both           z_q⁺ = E z_q + S dθ
 *
 * E, S and T are the identity, the identity and zero but for joints whose group does not commute. So dθ_i is
 * c_i h (z_ν + c_{i−1} h K_{i−2}) in all other rows, and a stage is one product with K_{i−2} and K_{i−1}, whose rows of
 * those joints are replaced.
 */
#ifndef HML_KERNEL_SINGLE_STEP_H
#define HML_KERNEL_SINGLE_STEP_H

#include "kernel/call.h"

/* rows and packs of columns that a product keeps in registers, at most */
#if defined __AVX512VL__ || defined __aarch64__
enum { STEP_ROWS = 6, STEP_PACKS = 4 };
#else
enum { STEP_ROWS = 4, STEP_PACKS = 3 };
#endif

NUM_INLINE num step_load(const lane *x)
{
    num y;
    memcpy(&y, x, sizeof y);
    return y;
}

NUM_INLINE void step_store(lane *x, num y) { memcpy(x, &y, sizeof y); }

/* what is left of n numbers behind whole packs */
NUM_INLINE num step_load_rest(const lane *x, size_t n)
{
#if LANES > 1
    return num_load_part(x, (int)n);
#else
    (void)n;
    return *x;
#endif
}

NUM_INLINE void step_store_rest(lane *x, size_t n, num y)
{
#if LANES > 1
    num_store_part(x, (int)n, y);
#else
    (void)n;
    *x = y;
#endif
}

/* ---- Euler ---- */

/* x ← h x, y ← h² x */
NUM_INLINE void scale_rows(size_t n, double h, lane *x, lane *y)
{
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        const num a = step_load(x + c) * K(h);
        step_store(x + c, a), step_store(y + c, a * K(h));
    }
    if (c < n) {
        const num a = step_load_rest(x + c, n - c) * K(h);
        step_store_rest(x + c, n - c, a), step_store_rest(y + c, n - c, a * K(h));
    }
}

/* rows y = a S x, n columns of m rows each */
NUM_INLINE void map_rows(size_t n, const int m, double a, const lane *S, const lane *x, size_t ldx, lane *y, size_t ldy)
{
    for (size_t c = 0; c < n; c += LANES) {
        const size_t left = n - c;
        num in[HML_JOINT_MAX_NV];
        for (int k = 0; k < m; k++) {
            const lane *from = x + (size_t)k * ldx + c;
            in[k] = left < LANES ? step_load_rest(from, left) : step_load(from);
            in[k] *= K(a);
        }
        for (int i = 0; i < m; i++) {
            num sum = K(S[i * m]) * in[0];
            for (int k = 1; k < m; k++) sum += K(S[i * m + k]) * in[k];
            lane *to = y + (size_t)i * ldy + c;
            if (left < LANES)
                step_store_rest(to, left, sum);
            else
                step_store(to, sum);
        }
    }
}

static inline void map_joint_rows(size_t n, size_t m, double a, const lane *S, const lane *x, size_t ldx, lane *y,
                                  size_t ldy)
{
    switch (m) {
    case 6: map_rows(n, 6, a, S, x, ldx, y, ldy); break;
    case 4: map_rows(n, 4, a, S, x, ldx, y, ldy); break;
    default: map_rows(n, 3, a, S, x, ldx, y, ldy); break;
    }
}

/* a block of a matrix += a S, m × m */
static inline void add_joint_block(size_t m, double a, const lane *S, lane *to, size_t ld)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) to[i * ld + k] += a * S[i * m + k];
    }
}

/* rows of z_q⁺ of joints that do not commute: E z_q + a S x, x: m rows of dθ/a */
NUM_INLINE void upper_joint_rows(const step_call *s, const step_joint *j, double a, const lane *x, size_t ldx,
                                 const lane *xu, size_t ldxu)
{
    lane *A = s->Ad.data + j->first * s->Ad.ld, *B = s->Bd.data + j->first * s->Bd.ld;
    map_joint_rows(2 * s->n, j->m, a, j->S, x, ldx, A, s->Ad.ld);
    map_joint_rows(s->n, j->m, a, j->S, xu, ldxu, B, s->Bd.ld);
    add_joint_block(j->m, 1, j->E, A + j->first, s->Ad.ld);
}

static inline unsigned single_step_euler(const step_call *s)
{
    const size_t n = s->n, la = s->Ad.ld, lb = s->Bd.ld;
    lane *A = s->Ad.data, *B = s->Bd.data, *lower = A + n * la, *lower_B = B + n * lb;
    for (size_t r = 0; r < n; r++) {
        scale_rows(2 * n, s->h, lower + r * la, A + r * la);
        scale_rows(n, s->h, lower_B + r * lb, B + r * lb);
        lower[r * la + n + r] += 1;
        A[r * la + n + r] += s->h;
        A[r * la + r] += 1;
    }
    for (const step_joint *j = s->joints, *end = j + s->njoints; j < end; j++)
        upper_joint_rows(s, j, s->h, lower + j->first * la, la, lower_B + j->first * lb, lb);
    return 0;
}

/* ---- Munthe-Kaas ---- */

/* is the column zero in all R rows? */
NUM_INLINE int step_zeros(const int R, const lane *column, size_t ld)
{
    int zero = 1;
    for (int r = 0; r < R; r++) zero &= column[(size_t)r * ld] == 0;
    return zero;
}

/* R rows and C packs of `to` += factor · rows[0 … inner − 1] */
NUM_INLINE void step_tile(const int R, const int C, size_t inner, const lane *factor, size_t ldf,
                          const lane *const *rows, size_t at, lane *to, size_t ld)
{
    num sum[STEP_ROWS][STEP_PACKS];
    size_t k = 0;
    for (int r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) sum[r][c] = step_load(to + (size_t)r * ld + (size_t)(c * LANES));
    }
    while (k < inner && step_zeros(R, factor + k, ldf)) k++; /* most rows do not feel where a free root is */
    for (; k < inner; k++) {
        const lane *row = rows[k] + at;
        num b[STEP_PACKS];
        for (int c = 0; c < C; c++) b[c] = step_load(row + c * LANES);
        for (int r = 0; r < R; r++) {
            const num a = K(factor[(size_t)r * ldf + k]);
            for (int c = 0; c < C; c++) sum[r][c] += a * b[c];
        }
    }
    for (int r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) step_store(to + (size_t)r * ld + (size_t)(c * LANES), sum[r][c]);
    }
}

/* rows are shared out evenly, so that no tile is small */
NUM_INLINE void step_panel(const int C, const step_call *s, size_t inner, size_t at)
{
    const size_t ld = s->ld, ldf = 2 * s->n;
    const lane *factor = s->factor;
    lane *to = s->K[s->stage] + at;
    size_t left = s->n;
    for (size_t tiles = (left + STEP_ROWS - 1) / STEP_ROWS, R; tiles > 0; tiles--) {
        R = (left + tiles - 1) / tiles;
        switch (R) {
#if defined __AVX512VL__ || defined __aarch64__
        case 6: step_tile(6, C, inner, factor, ldf, s->rows, at, to, ld); break;
        case 5: step_tile(5, C, inner, factor, ldf, s->rows, at, to, ld); break;
#endif
        case 4: step_tile(4, C, inner, factor, ldf, s->rows, at, to, ld); break;
        case 3: step_tile(3, C, inner, factor, ldf, s->rows, at, to, ld); break;
        case 2: step_tile(2, C, inner, factor, ldf, s->rows, at, to, ld); break;
        default: step_tile(1, C, inner, factor, ldf, s->rows, at, to, ld); break;
        }
        left -= R, factor += R * ldf, to += R * ld;
    }
}

static inline void step_product(const step_call *s, size_t inner)
{
    size_t packs = s->ld / LANES, at = 0;
    for (size_t panels = (packs + STEP_PACKS - 1) / STEP_PACKS, C; panels > 0; panels--) {
        C = (packs + panels - 1) / panels;
        switch (C) {
#if defined __AVX512VL__ || defined __aarch64__
        case 4: step_panel(4, s, inner, at); break;
#endif
        case 3: step_panel(3, s, inner, at); break;
        case 2: step_panel(2, s, inner, at); break;
        default: step_panel(1, s, inner, at); break;
        }
        packs -= C, at += C * LANES;
    }
}

/* the sum over k of row i of an m × m matrix times x[k] */
NUM_INLINE num joint_row(const int m, const lane *S, int i, const num *x)
{
    num sum = K(S[i * m]) * x[0];
    for (int k = 1; k < m; k++) sum += K(S[i * m + k]) * x[k];
    return sum;
}

/* rows of dθ̇ and of E z_q + S dθ but for the blocks of z_q and z_ν: dν is a K of the stage before, dθ a dθ̇ */
NUM_INLINE void joint_rows(const step_call *s, const step_joint *j, const int m, double a, double weight)
{
    const size_t ld = s->ld;
    const lane *before = s->K[s->stage - 1] + j->first * ld;
    for (size_t c = 0; c < ld; c += LANES) {
        num theta[HML_JOINT_MAX_NV], velocity[HML_JOINT_MAX_NV];
        for (int k = 0; k < m; k++) {
            theta[k] = K(a) * step_load(j->rate + (size_t)k * ld + c);
            velocity[k] = K(a) * step_load(before + (size_t)k * ld + c);
        }
        for (int i = 0; i < m; i++) {
            const size_t at = (size_t)i * ld + c;
            const num rate = joint_row(m, j->inverse, i, velocity) + joint_row(m, j->T, i, theta);
            step_store(j->rate + at, rate);
            step_store(j->sum + at, step_load(j->sum + at) + K(weight) * rate);
            step_store(j->moved + at, joint_row(m, j->S, i, theta));
        }
    }
}

/* how the rows of a joint that does not commute move with the stage before this one */
static inline void joint_stage(const step_call *s, const step_joint *j, double a)
{
    const size_t ld = s->ld, at = s->n + j->first;
    const double weight = s->stage % 3 ? 1.0 / 3 : 1.0 / 6;
    if (s->stage == 0) { /* θ = 0: dθ̇ = dν = z_ν */
        memset(j->rate, 0, j->m * ld * sizeof *j->rate), memset(j->sum, 0, j->m * ld * sizeof *j->sum);
        for (size_t i = 0; i < j->m; i++) j->rate[i * ld + at + i] = 1, j->sum[i * ld + at + i] = weight;
        return;
    }
    switch (j->m) {
    case 6: joint_rows(s, j, 6, a, weight); break;
    case 4: joint_rows(s, j, 4, a, weight); break;
    default: joint_rows(s, j, 3, a, weight); break;
    }
    add_joint_block(j->m, 1, j->inverse, j->rate + at, ld);
    add_joint_block(j->m, weight, j->inverse, j->sum + at, ld);
    add_joint_block(j->m, 1, j->E, j->moved + j->first, ld);
}

/* y ← y + a x, where z ← b x */
NUM_INLINE void spread_row(size_t n, double a, double b, const lane *x, lane *y, lane *z)
{
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        const num u = step_load(x + c);
        step_store(y + c, step_load(y + c) + K(a) * u), step_store(z + c, K(b) * u);
    }
    if (c < n) {
        const num u = step_load_rest(x + c, n - c);
        step_store_rest(y + c, n - c, step_load_rest(y + c, n - c) + K(a) * u);
        step_store_rest(z + c, n - c, K(b) * u);
    }
}

/*
 * The factors of a stage's product, and what stands beside it in K: D_q in its own columns and a D_q in those of z_ν.
 * Columns of joints that do not commute come through the product alone. The second stage has no K_{i−2}: `joints_only`
 * puts their columns first.
 */
static inline void stage_row(const step_call *s, size_t r, double a, double b, int joints_only)
{
    const size_t n = s->n;
    lane *row = s->K[s->stage] + r * s->ld, *to = s->factor + r * 2 * n;
    lane *velocity = joints_only ? to : to + n;
    for (size_t k = 0; k < s->njoints && joints_only; k++) velocity += s->joints[k].m;
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) step_store(velocity + c, K(a) * step_load(row + n + c));
    if (c < n) step_store_rest(velocity + c, n - c, K(a) * step_load_rest(row + n + c, n - c));
    lane *joint_column = to;
    size_t from = 0;
    for (size_t k = 0; k <= s->njoints; k++) {
        const step_joint *j = s->joints + k;
        const size_t stop = k < s->njoints ? j->first : n;
        if (joints_only) {
            for (c = from; c < stop; c++) row[n + c] += a * row[c];
        } else {
            spread_row(stop - from, a, b, row + from, row + n + from, to + from);
            joint_column = to + stop;
        }
        if (k == s->njoints) break;
        for (c = 0; c < j->m; c++) *joint_column++ = row[stop + c], row[stop + c] = 0;
        from = stop + j->m;
    }
}

/* K of a stage, complete */
static inline unsigned single_step_stage(const step_call *s)
{
    static const double node[4] = {0, 0.5, 0.5, 1};
    const size_t n = s->n, ld = s->ld;
    const int stage = s->stage, second = stage == 1;
    for (size_t k = 0; k < s->njoints; k++) joint_stage(s, &s->joints[k], node[stage] * s->h);
    if (stage == 0) return 0;
    const double a = node[stage] * s->h, b = node[stage - 1] * s->h * a;
    for (size_t r = 0; r < n; r++) stage_row(s, r, a, b, second);
    const lane **row = s->rows;
    for (size_t r = 0; !second && r < n; r++) row[r] = s->K[stage - 2] + r * ld;
    for (size_t k = 0, at = 0; k < s->njoints; k++) {
        const step_joint *j = &s->joints[k];
        if (!second) at = j->first;
        for (size_t i = 0; i < j->m; i++) row[at++] = j->moved + i * ld;
    }
    if (second)
        for (size_t k = 0; k < s->njoints; k++) row += s->joints[k].m;
    else
        row += n;
    for (size_t r = 0; r < n; r++) *row++ = s->K[stage - 1] + r * ld;
    step_product(s, (size_t)(row - s->rows));
    return 0;
}

/* lower ← h/6 (K₁ + 2 K₂ + 2 K₃ + K₄), upper ← h²/6 (K₁ + K₂ + K₃) */
NUM_INLINE void sum_row(const step_call *s, size_t at, size_t n, lane *lower, lane *upper)
{
    const lane *k0 = s->K[0] + at, *k1 = s->K[1] + at, *k2 = s->K[2] + at, *k3 = s->K[3] + at;
    const num a = K(s->h / 6), b = K(s->h * s->h / 6);
    for (size_t c = 0; c < n; c += LANES) { /* rows of K may be read beyond n */
        const num middle = step_load(k1 + c) + step_load(k2 + c), first = step_load(k0 + c) + middle;
        const num x = a * (first + middle + step_load(k3 + c)), y = b * first;
        if (n - c < LANES)
            step_store_rest(lower + c, n - c, x), step_store_rest(upper + c, n - c, y);
        else
            step_store(lower + c, x), step_store(upper + c, y);
    }
}

/* A_d and B_d; E and S of the joints are those of the whole step */
static inline unsigned single_step_sum(const step_call *s)
{
    const size_t n = s->n, ld = s->ld, la = s->Ad.ld, lb = s->Bd.ld;
    lane *A = s->Ad.data, *B = s->Bd.data;
    for (size_t r = 0; r < n; r++) {
        sum_row(s, r * ld, 2 * n, A + (n + r) * la, A + r * la);
        sum_row(s, r * ld + 2 * n, n, B + (n + r) * lb, B + r * lb);
        A[(n + r) * la + n + r] += 1;
        A[r * la + n + r] += s->h;
        A[r * la + r] += 1;
    }
    for (const step_joint *j = s->joints, *end = j + s->njoints; j < end; j++)
        upper_joint_rows(s, j, s->h, j->sum, ld, j->sum + 2 * n, ld);
    return 0;
}

#endif
