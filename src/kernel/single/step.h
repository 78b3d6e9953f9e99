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
 * those joints are replaced. single/step_product.h has this product, single/step_limbs.h a stage limb by limb.
 */
#ifndef HML_KERNEL_SINGLE_STEP_H
#define HML_KERNEL_SINGLE_STEP_H

#include "kernel/single/step_product.h"

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

/* y += a x */
NUM_INLINE void add_row(size_t n, double a, const lane *x, lane *y)
{
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) step_store(y + c, step_load(y + c) + K(a) * step_load(x + c));
    if (c < n) step_store_rest(y + c, n - c, step_load_rest(y + c, n - c) + K(a) * step_load_rest(x + c, n - c));
}

/* a block of a matrix += a S, m × m */
static inline void add_joint_block(size_t m, double a, const lane *S, lane *to, size_t ld)
{
    for (size_t i = 0; i < m; i++) add_row(m, a, S + i * m, to + i * ld);
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

/*
 * Rows of dθ̇, of its sum and of E z_q + S dθ but for the blocks of z_q and z_ν: dν is a K of the stage before, dθ a dθ̇. The
 * first stage has θ = 0 and dθ̇ = z_ν, which are such blocks, so the second stage begins the rows.
 */
NUM_INLINE void joint_rows(const step_call *s, const step_joint *j, const int m, const int second, double a)
{
    const size_t ld = s->ld;
    const num weight = K(s->weight[s->stage]);
    const lane *before = s->K[s->stage - 1] + j->first * ld;
    for (size_t c = 0; c < ld; c += LANES) {
        num theta[HML_JOINT_MAX_NV], velocity[HML_JOINT_MAX_NV];
        for (int k = 0; k < m; k++) {
            velocity[k] = K(a) * step_load(before + (size_t)k * ld + c);
            theta[k] = second ? K(0) : K(a) * step_load(j->rate + (size_t)k * ld + c);
        }
        for (int i = 0; i < m; i++) {
            const size_t at = (size_t)i * ld + c;
            num rate = joint_row(m, j->inverse, i, velocity);
            if (!second) rate += joint_row(m, j->T, i, theta);
            step_store(j->rate + at, rate);
            step_store(j->sum + at, second ? weight * rate : step_load(j->sum + at) + weight * rate);
            step_store(j->moved + at, second ? K(0) : joint_row(m, j->S, i, theta));
        }
    }
}

NUM_INLINE void joint_rows_any(const step_call *s, const step_joint *j, const int second, double a)
{
    switch (j->m) {
    case 6: joint_rows(s, j, 6, second, a); break;
    case 4: joint_rows(s, j, 4, second, a); break;
    default: joint_rows(s, j, 3, second, a); break;
    }
}

/* how the rows of a joint that does not commute move with the stage before this one */
static inline void joint_stage(const step_call *s, const step_joint *j, double a)
{
    const size_t ld = s->ld, at = s->begin + s->n + j->first;
    const double weight = s->weight[s->stage];
    if (s->stage == 1) {
        joint_rows_any(s, j, 1, a);
        add_joint_block(j->m, a, j->T, j->rate + at, ld);
        add_joint_block(j->m, a * weight, j->T, j->sum + at, ld);
        add_joint_block(j->m, a, j->S, j->moved + at, ld);
        for (size_t i = 0; i < j->m; i++) j->sum[i * ld + at + i] += s->weight[0];
    } else {
        joint_rows_any(s, j, 0, a);
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

/* y ← a x */
NUM_INLINE void scaled_row(size_t n, double a, const lane *x, lane *y)
{
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) step_store(y + c, K(a) * step_load(x + c));
    if (c < n) step_store_rest(y + c, n - c, K(a) * step_load_rest(x + c, n - c));
}

/* linear columns of D_ν that come right behind the root's columns of D_q: see above */
static inline size_t step_lead(const step_call *s) { return s->begin ? 3 : 0; }

/* joints that do not commute from coordinate c on */
static inline const step_joint *joints_from(const step_call *s, size_t c)
{
    const step_joint *j = s->joints, *end = j + s->njoints;
    while (j < end && j->first < c) j++;
    return j;
}

/* coordinates of all of them */
static inline size_t moved_columns(const step_call *s)
{
    size_t n = 0;
    for (size_t k = 0; k < s->njoints; k++) n += s->joints[k].m;
    return n;
}

/*
 * Columns from … stop − 1 of D_q in a row of K: their factors in `to`, and a D_q in the columns of z_ν. Columns of joints that
 * do not commute come through the product alone; the factors of the others are left out if joints_only
 */
static inline void angle_factors(const step_call *s, size_t from, size_t stop, double a, double b, int joints_only,
                                 lane *row, lane *to)
{
    const step_joint *j = joints_from(s, from), *end = s->joints + s->njoints;
    lane *angle = row + s->n;
    while (from < stop) {
        const size_t next = j < end && j->first < stop ? j->first : stop, count = next - from;
        if (joints_only) {
            add_row(count, a, row + from, angle + from);
        } else {
            spread_row(count, a, b, row + from, angle + from, to);
            to += count;
        }
        from = next;
        if (next == stop) break;
        for (size_t c = 0; c < j->m; c++, from++) *to++ = row[from], row[from] = 0;
        j++;
    }
}

/*
 * The factors of a stage's product, and what stands beside it in K: D_q in its own columns and a D_q in those of z_ν.
 * The second stage has no K_{i−2}: `joints_only` puts columns of joints that do not commute first.
 */
static inline void stage_row(const step_call *s, size_t r, double a, double b, int joints_only)
{
    const size_t n = s->n, lead = joints_only ? 0 : step_lead(s), root = lead ? 6 : 0;
    const size_t angles = joints_only ? moved_columns(s) : n;
    lane *row = s->K[s->stage] + r * s->ld + s->begin, *to = s->factor + r * 2 * n;
    scaled_row(lead, a, row + n, to + root); /* before a D_q is added */
    scaled_row(n - lead, a, row + n + lead, to + angles + lead);
    angle_factors(s, 0, root, a, b, joints_only, row, to);
    angle_factors(s, root, n, a, b, joints_only, row, to + root + lead);
}

/* the rows that angle_factors multiply, in the same order; returns where they end */
static inline const lane **angle_rows(const step_call *s, size_t from, size_t stop, int joints_only, const lane **row)
{
    const size_t ld = s->ld;
    const step_joint *j = joints_from(s, from), *end = s->joints + s->njoints;
    for (;; j++) {
        const size_t next = j < end && j->first < stop ? j->first : stop;
        for (; !joints_only && from < next; from++) *row++ = s->K[s->stage - 2] + from * ld;
        if (next == stop) return row;
        for (size_t i = 0; i < j->m; i++) *row++ = j->moved + i * ld;
        from = next + j->m;
    }
}

/* the same for rows of dν */
static inline const lane **velocity_rows(const step_call *s, size_t from, size_t stop, const lane **row)
{
    for (; from < stop; from++) *row++ = s->K[s->stage - 1] + from * s->ld;
    return row;
}

/* the rows that the factors of a whole row multiply; returns their number */
static inline size_t stage_rows(const step_call *s, int joints_only)
{
    const size_t n = s->n, lead = joints_only ? 0 : step_lead(s), root = lead ? 6 : 0;
    const lane **row = angle_rows(s, 0, root, joints_only, s->rows);
    row = velocity_rows(s, 0, lead, row);
    row = angle_rows(s, root, n, joints_only, row);
    row = velocity_rows(s, lead, n, row);
    return (size_t)(row - s->rows);
}

/* K of a stage behind the first, complete */
static inline unsigned single_step_stage(const step_call *s)
{
    const int stage = s->stage, second = stage == 1;
    const double a = s->node[stage] * s->h, b = s->node[stage - 1] * s->h * a;
    for (size_t k = 0; k < s->njoints; k++) joint_stage(s, &s->joints[k], a);
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
