/*
 * The tangent of one step: A_d and B_d from D_q, D_ν and M⁻¹ by operations on rows, whose lanes are columns.
 *
 *   θ, ν           integrated from (0, ν) with θ̇ = S(θ)⁻¹ ν; q = q₀ ⊕ θ; columns are z_q, z_ν, w
 *   Euler          ν⁺ = ν + h ν̇, θ = h ν⁺: dν = [h D_q, I + h D_ν, h M⁻¹]
 *   Munthe-Kaas    K_i = D_q (E z_q + S dθ_i) + D_ν dν_i + M⁻¹ w, dν_i = z_ν + c_i h K_{i−1}, dθ_i = c_i h dθ̇_{i−1},
 *                  dθ̇ = S⁻¹ dν + T dθ; c are the nodes: 0, ½ of two stages and 0, ½, ½, 1 of four
 *   both           z_q⁺ = E z_q + S dθ
 *
 * E, S and T are the identity, the identity and zero but for joints whose group does not commute. So dθ_i is
 * c_i h (z_ν + c_{i−1} h K_{i−2}) in all other rows, and a stage is one product with K_{i−2} and K_{i−1}, whose rows of
 * those joints are replaced.
 *
 * Joints do not feel where a free robot is, how it is turned (it falls in whatever direction) and how fast it moves as a
 * whole: in their rows D_q has zeros in the root's columns, D_ν in its linear ones, and so K in the root's columns of z_q.
 * The product leaves these out where they are zero in the numbers, which springs and wrenches may prevent: factors of
 * them come first, and the columns have packs of their own.
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

NUM_INLINE num joint_row_from(const int first, const int m, const lane *row, const num *x)
{
    num sum = K(row[first]) * x[first];
    for (int k = first + 1; k < m; k++) sum += K(row[k]) * x[k];
    return sum;
}

/* the sum over k of row i of an m × m matrix times x[k]; angular rows of a free joint have no linear columns */
NUM_INLINE num joint_row(const int m, const lane *S, int i, const num *x)
{
    return m == 6 && i >= 3 ? joint_row_from(3, m, S + i * m, x) : joint_row_from(0, m, S + i * m, x);
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
            const num sum = joint_row(m, S, i, in);
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

/* rows begin … end − 1 are shared out evenly, so that no tile is small */
NUM_INLINE void step_panel(const int C, const step_call *s, size_t inner, size_t begin, size_t end, size_t at)
{
    const size_t ld = s->ld, ldf = 2 * s->n;
    const lane *factor = s->factor + begin * ldf;
    lane *to = s->K[s->stage] + begin * ld + at;
    size_t left = end - begin;
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

/* some rows, and the packs of columns from `at` to `end` */
static inline void step_block(const step_call *s, size_t inner, size_t begin, size_t last, size_t at, size_t end)
{
    size_t packs = (end - at) / LANES;
    for (size_t panels = (packs + STEP_PACKS - 1) / STEP_PACKS, C; panels > 0; panels--) {
        C = (packs + panels - 1) / panels;
        switch (C) {
#if defined __AVX512VL__ || defined __aarch64__
        case 4: step_panel(4, s, inner, begin, last, at); break;
#endif
        case 3: step_panel(3, s, inner, begin, last, at); break;
        case 2: step_panel(2, s, inner, begin, last, at); break;
        default: step_panel(1, s, inner, begin, last, at); break;
        }
        packs -= C, at += C * LANES;
    }
}

/* does the product leave the head of all rows behind the free root as it is? */
static inline int step_head_stays(const step_call *s, size_t inner)
{
    for (size_t k = 0; k < inner; k++) {
        int other = 0;
        for (size_t c = 0; c < STEP_HEAD; c += LANES) {
            const num x = step_load(s->rows[k] + c);
            other |= num_any(num_lt(x, K(0)) | num_lt(K(0), x));
        }
        for (size_t r = 6; other && r < s->n; r++) {
            if (s->factor[r * 2 * s->n + k] != 0) return 0;
        }
    }
    return 1;
}

static inline void step_product(const step_call *s, size_t inner)
{
    const size_t root = s->begin ? 6 : 0, head = s->begin ? STEP_HEAD : 0;
    if (head) {
        step_block(s, inner, 0, root, 0, s->ld);
        if (s->n > root && !step_head_stays(s, inner)) step_block(s, inner, root, s->n, 0, head);
    }
    step_block(s, inner, root, s->n, head, s->ld);
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
    const size_t ld = s->ld, at = s->begin + s->n + j->first;
    const double weight = s->weight[s->stage];
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
    add_joint_block(j->m, 1, j->E, j->moved + s->begin + j->first, ld);
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

/* linear columns of D_ν that come right behind the root's columns of D_q: see above */
static inline size_t step_lead(const step_call *s) { return s->begin ? 3 : 0; }

/*
 * The factors of a stage's product, and what stands beside it in K: D_q in its own columns and a D_q in those of z_ν.
 * Columns of joints that do not commute come through the product alone. The second stage has no K_{i−2}: `joints_only`
 * puts their columns first.
 */
static inline void stage_row(const step_call *s, size_t r, double a, double b, int joints_only)
{
    const size_t n = s->n, lead = joints_only ? 0 : step_lead(s);
    lane *row = s->K[s->stage] + r * s->ld + s->begin, *to = s->factor + r * 2 * n;
    lane *velocity = joints_only ? to : to + n;
    for (size_t k = 0; k < s->njoints && joints_only; k++) velocity += s->joints[k].m;
    size_t c = lead;
    for (; c + LANES <= n; c += LANES) step_store(velocity + c, K(a) * step_load(row + n + c));
    if (c < n) step_store_rest(velocity + c, n - c, K(a) * step_load_rest(row + n + c, n - c));
    lane *joint_column = to;
    size_t from = 0;
    for (size_t k = 0; k <= s->njoints; k++) {
        const step_joint *j = s->joints + k;
        const size_t stop = k < s->njoints ? j->first : n, shift = k ? lead : 0;
        if (joints_only) {
            for (c = from; c < stop; c++) row[n + c] += a * row[c];
        } else {
            spread_row(stop - from, a, b, row + from, row + n + from, to + from + shift);
            joint_column = to + stop + shift;
        }
        if (k == s->njoints) break;
        for (c = 0; c < j->m; c++) *joint_column++ = row[stop + c], row[stop + c] = 0;
        from = stop + j->m;
    }
    for (c = 0; c < lead; c++) to[6 + c] = a * row[n + c];
}

/* the rows that the factors multiply, in the same order; returns their number */
static inline size_t stage_rows(const step_call *s, int joints_only)
{
    const size_t n = s->n, ld = s->ld, lead = joints_only ? 0 : step_lead(s);
    const lane *before = s->K[s->stage - 1], **row = s->rows;
    for (size_t r = 0; !joints_only && r < n; r++) row[r < 6 ? r : r + lead] = s->K[s->stage - 2] + r * ld;
    size_t at = 0;
    for (size_t k = 0; k < s->njoints; k++) {
        const step_joint *j = &s->joints[k];
        if (!joints_only) at = j->first + (k ? lead : 0);
        for (size_t i = 0; i < j->m; i++) row[at++] = j->moved + i * ld;
    }
    if (!joints_only) at = n;
    for (size_t r = 0; r < lead; r++) row[6 + r] = before + r * ld;
    for (size_t r = lead; r < n; r++) row[at + r] = before + r * ld;
    return at + n;
}

/* K of a stage, complete */
static inline unsigned single_step_stage(const step_call *s)
{
    const int stage = s->stage, second = stage == 1;
    for (size_t k = 0; k < s->njoints; k++) joint_stage(s, &s->joints[k], s->node[stage] * s->h);
    if (stage == 0) return 0;
    const double a = s->node[stage] * s->h, b = s->node[stage - 1] * s->h * a;
    for (size_t r = 0; r < s->n; r++) stage_row(s, r, a, b, second);
    step_product(s, stage_rows(s, second));
    return 0;
}

/* lower ← h Σ w_i K_i, upper ← h² Σ w_i c_i K_{i−1} */
NUM_INLINE void sum_row(const int stages, const step_call *s, size_t at, size_t n, lane *lower, lane *upper)
{
    const double h = s->h, *w = s->weight, *node = s->node;
    for (size_t c = 0; c < n; c += LANES) { /* rows of K may be read beyond n */
        num x = K(0), y = K(0);
        for (int i = 0; i < stages; i++) {
            const num k = step_load(s->K[i] + at + c);
            x += K(h * w[i]) * k;
            if (i + 1 < stages) y += K(h * h * w[i + 1] * node[i + 1]) * k;
        }
        if (n - c < LANES)
            step_store_rest(lower + c, n - c, x), step_store_rest(upper + c, n - c, y);
        else
            step_store(lower + c, x), step_store(upper + c, y);
    }
}

NUM_INLINE void sum_rows(const int stages, const step_call *s)
{
    const size_t n = s->n, ld = s->ld, la = s->Ad.ld, lb = s->Bd.ld;
    lane *A = s->Ad.data, *B = s->Bd.data;
    for (size_t r = 0; r < n; r++) {
        sum_row(stages, s, r * ld + s->begin, 2 * n, A + (n + r) * la, A + r * la);
        sum_row(stages, s, r * ld + s->begin + 2 * n, n, B + (n + r) * lb, B + r * lb);
        A[(n + r) * la + n + r] += 1;
        A[r * la + n + r] += s->h;
        A[r * la + r] += 1;
    }
}

/* A_d and B_d; E and S of the joints are those of the whole step */
static inline unsigned single_step_sum(const step_call *s)
{
    const size_t ld = s->ld, begin = s->begin;
    if (s->stages == 4)
        sum_rows(4, s);
    else
        sum_rows(2, s);
    for (const step_joint *j = s->joints, *end = j + s->njoints; j < end; j++)
        upper_joint_rows(s, j, s->h, j->sum + begin, ld, j->sum + begin + 2 * s->n, ld);
    return 0;
}

#endif
