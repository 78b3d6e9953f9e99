#include "control/mode_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

static cplx *take(layout_cursor *c, size_t count) { return layout_array(c, count, sizeof(cplx)); }

void hmli_mode_spaces_lay_out(size_t n, layout_cursor *c, mode_spaces *s)
{
    cplx **const squares[] = {&s->A, &s->right, &s->left, &s->T, &s->Q, &s->T2, &s->Q2, &s->rest};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) *squares[i] = take(c, n * n);
    s->values = take(c, n);
    s->radius = layout_doubles(c, n);
    s->sizes = layout_doubles(c, n);
    s->found = layout_array(c, n, sizeof *s->found);
    s->steps = layout_array(c, n, sizeof *s->steps);
    s->group = layout_array(c, n, sizeof *s->group);
    s->n = n;
}

/* ---- zeros ---- */

/* marks in group which of k singular values count as zero: those up to small, or the `wanted` smallest ones */
static size_t mark_zeros(mode_spaces *s, size_t k, double small, size_t wanted)
{
    size_t zeros = 0;
    for (size_t j = 0; j < k; j++) {
        size_t below = 0; /* how many are smaller; of equal ones the first counts first */
        for (size_t i = 0; i < k; i++) below += s->sizes[i] < s->sizes[j] || (s->sizes[i] == s->sizes[j] && i < j);
        s->group[j] = small < 0 ? below < wanted : s->sizes[j] <= small;
        zeros += s->group[j];
    }
    return zeros;
}

/* columns of basis (n × k) · V (k × k) with this mark, to `to` (n × width) from column `at` on */
static size_t move_columns(const mode_spaces *s, size_t k, const cplx *basis, size_t mark, cplx *to, size_t width,
                           size_t at)
{
    for (size_t j = 0; j < k; j++) {
        if (s->group[j] != mark) continue;
        for (size_t i = 0; i < s->n; i++) {
            cplx sum = 0;
            for (size_t l = 0; l < k; l++) sum += basis[i * k + l] * s->Q[l * k + j];
            to[i * width + at] = sum;
        }
        at++;
    }
    return at;
}

/* Qᴴ M Q for the columns of Q (n × k) into T (k × k); uses T2 */
static void compress(size_t n, size_t k, const cplx *M, const cplx *Q, cplx *T2, cplx *T)
{
    cplx_multiply(n, n, k, M, Q, T2);
    cplx_multiply_hn(k, n, k, Q, T2, T);
}

/*
 * Orthonormal bases of the generalized null space of M, into null (n × n, its first columns), and of its complement, into
 * rest (n × k, packed): step by step the null vectors are split off. With steps given (small negative), as many as they say.
 * Returns the dimension k of the complement.
 */
static size_t stairs(mode_spaces *s, const cplx *M, double small, size_t *nsteps, cplx *null, cplx *rest)
{
    const size_t n = s->n, wanted = *nsteps;
    size_t k = n, found = 0, step = 0;
    for (size_t i = 0; i < n * n; i++) rest[i] = i % (n + 1) == 0;
    for (; k > 0 && (small >= 0 || step < wanted); step++) {
        compress(n, k, M, rest, s->T2, s->T);
        hmli_singular(k, k, s->T, s->Q, s->sizes);
        const size_t zeros = mark_zeros(s, k, small, small < 0 ? s->steps[step] : 0);
        if (zeros == 0) break;
        if (small >= 0) s->steps[step] = zeros;
        if (null) found = move_columns(s, k, rest, 1, null, n, found);
        (void)move_columns(s, k, rest, 0, s->T2, k - zeros, 0);
        k -= zeros;
        memcpy(rest, s->T2, n * k * sizeof *rest);
    }
    *nsteps = step;
    return k;
}

/* ---- the others ---- */

/* how far rounding may move each eigenvalue of the triangular T (k × k), by its condition number; uses T2 as room */
static void find_radii(mode_spaces *s, size_t k)
{
    const cplx *T = s->T;
    cplx *x = s->T2;
    for (size_t e = 0; e < k; e++) {
        double right = 1, left = 1;
        for (size_t i = e; i-- > 0;) { /* (T − λ) x = 0 with x_e = 1 */
            cplx sum = -T[i * k + e], d = T[i * k + i] - T[e * k + e];
            for (size_t j = i + 1; j < e; j++) sum -= T[i * k + j] * x[j];
            x[i] = sum / (cabs(d) > DBL_EPSILON ? d : DBL_EPSILON);
            right += fmin(cplx_square(x[i]), 1e300);
        }
        for (size_t i = e + 1; i < k; i++) { /* y (T − λ) = 0 with y_e = 1 */
            cplx sum = -T[e * k + i], d = T[i * k + i] - T[e * k + e];
            for (size_t j = e + 1; j < i; j++) sum -= x[j] * T[j * k + i];
            x[i] = sum / (cabs(d) > DBL_EPSILON ? d : DBL_EPSILON);
            left += fmin(cplx_square(x[i]), 1e300);
        }
        /* a chain of k eigenvalues is split by the k-th root of a rounding; with more than four we cannot tell */
        s->radius[e] = fmin(MODE_ROUNDING * DBL_EPSILON * sqrt(right) * sqrt(left), pow(DBL_EPSILON, 0.25));
    }
}

/* rounding leaves conjugate pairs, and real eigenvalues, only nearly so; uses group as marks */
static void pair_up(mode_spaces *s, size_t k)
{
    for (size_t i = 0; i < k; i++) s->group[i] = 0;
    for (;;) {
        size_t i = k, best;
        for (size_t j = 0; j < k; j++)
            if (!s->group[j] && (i == k || fabs(cimag(s->values[j])) > fabs(cimag(s->values[i])))) i = j;
        if (i == k) return;
        best = i; /* itself: a real one */
        double near = 2 * fabs(cimag(s->values[i]));
        for (size_t j = 0; j < k; j++) {
            const double distance = cabs(conj(s->values[i]) - s->values[j]);
            if (j != i && !s->group[j] && distance < near) near = distance, best = j;
        }
        const cplx mean = (s->values[i] + conj(s->values[best])) / 2;
        s->values[i] = mean, s->values[best] = conj(mean);
        s->radius[i] = s->radius[best] = fmax(s->radius[i], s->radius[best]);
        s->group[i] = s->group[best] = 1;
    }
}

/* groups of count values that are the same within the errors of both, numbered from 0; how many there are */
static size_t join(size_t count, const cplx *values, const double *radius, size_t *group)
{
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) group[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (group[i] != SIZE_MAX) continue;
        group[i] = groups;
        for (int grown = 1; grown;) {
            grown = 0;
            for (size_t a = 0; a < count; a++) {
                for (size_t b = 0; group[a] == groups && b < count; b++) {
                    if (group[b] != SIZE_MAX || cabs(values[a] - values[b]) > 2 * fmin(radius[a], radius[b])) continue;
                    group[b] = groups;
                    grown = 1;
                }
            }
        }
        groups++;
    }
    return groups;
}

/* the members of a group to the front of a copy of the Schur form; their subspace is then the first columns of Q2 */
static size_t bring_forward(mode_spaces *s, size_t k, size_t wanted)
{
    size_t front = 0;
    memcpy(s->T2, s->T, k * k * sizeof *s->T);
    memcpy(s->Q2, s->Q, k * k * sizeof *s->Q);
    for (size_t i = 0; i < k; i++) {
        if (s->group[i] != wanted) continue;
        for (size_t j = i; j > front; j--) hmli_schur_exchange(k, s->T2, s->Q2, j - 1);
        front++;
    }
    return front;
}

/* the mean of a group, which rounding spoils less than its members */
static cplx mean_of(const mode_spaces *s, size_t k, size_t wanted)
{
    cplx sum = 0;
    double count = 0;
    int closed = 0; /* under conjugation: real, then */
    for (size_t i = 0; i < k; i++) {
        if (s->group[i] != wanted) continue;
        sum += s->values[i], count++;
        for (size_t j = 0; j < k; j++) closed |= s->group[j] == wanted && s->values[j] == conj(s->values[i]);
    }
    sum /= count;
    return closed || fabs(cimag(sum)) <= 8 * DBL_EPSILON * cabs(sum) ? creal(sum) : sum;
}

/* a space for each of the groups, its basis as columns of right from `first` on; k: those that are not zero */
static void add_groups(mode_spaces *s, size_t k, size_t groups, size_t first)
{
    const size_t n = s->n;
    for (size_t g = 0; g < groups; g++) {
        const size_t count = bring_forward(s, k, g);
        mode_space *space = &s->found[s->count++];
        *space = (mode_space){mean_of(s, k, g), 0, first, count, count == 1};
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < count; j++) {
                cplx sum = 0;
                for (size_t l = 0; l < k; l++) sum += s->rest[i * k + l] * s->Q2[l * k + j];
                s->right[i * n + first + j] = sum;
            }
        }
        first += count;
    }
}

/* left, and how far rounding may have moved the means */
static hml_status find_errors(mode_spaces *s)
{
    const size_t n = s->n;
    memcpy(s->T2, s->right, n * n * sizeof *s->T2);
    if (hmli_inverse(n, s->T2, s->left)) return HML_NOT_CONVERGED;
    for (size_t e = 0; e < s->count; e++) {
        mode_space *space = &s->found[e];
        double right = 0, left = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = space->first; j < space->first + space->count; j++) {
                right += cplx_square(s->right[i * n + j]);
                left += cplx_square(s->left[j * n + i]);
            }
        }
        if (!isfinite(left)) return HML_NOT_CONVERGED;
        if (space->value != 0)
            space->error = MODE_ROUNDING * DBL_EPSILON * sqrt(right) * sqrt(left) / (double)space->count;
    }
    return HML_OK;
}

/* groups whose means are the same within their errors, such as a chain and a single eigenvalue, become one */
static size_t join_groups(mode_spaces *s, size_t k, size_t groups, const mode_space *of)
{
    size_t *joined = s->steps;
    cplx *means = s->T2;
    for (size_t g = 0; g < groups; g++) means[g] = of[g].value, s->sizes[g] = of[g].error;
    const size_t count = join(groups, means, s->sizes, joined);
    for (size_t i = 0; i < k; i++) s->group[i] = joined[s->group[i]];
    return count;
}

hml_status hmli_mode_spaces_find(mode_spaces *s)
{
    const size_t n = s->n;
    size_t nsteps = 0;
    double largest = 0;
    memcpy(s->T, s->A, n * n * sizeof *s->T);
    hmli_singular(n, n, s->T, NULL, s->sizes);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, s->sizes[i]);
    if (!isfinite(largest)) return HML_NOT_FINITE;
    s->norm = largest;
    for (size_t i = 0; i < n * n && largest > 0; i++) s->A[i] /= largest;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) s->Q2[i * n + j] = s->A[j * n + i];
    (void)stairs(s, s->Q2, MODE_ROUNDING * (double)n * DBL_EPSILON, &nsteps, NULL, s->rest);
    const size_t k = stairs(s, s->A, -1, &nsteps, s->right, s->Q2);
    s->count = 0;
    if (nsteps) s->found[s->count++] = (mode_space){0, 0, 0, n - k, nsteps};
    const size_t zeros = s->count;
    compress(n, k, s->A, s->rest, s->T2, s->T);
    hml_status status = k ? hmli_schur(k, s->T, s->Q) : HML_OK;
    if (status) return status;
    for (size_t i = 0; i < k; i++) s->values[i] = s->T[i * k + i];
    find_radii(s, k);
    pair_up(s, k);
    size_t groups = join(k, s->values, s->radius, s->group);
    add_groups(s, k, groups, n - k);
    status = find_errors(s);
    if (status) return status;
    const size_t fewer = join_groups(s, k, groups, s->found + zeros);
    if (fewer == groups) return HML_OK;
    s->count = zeros;
    add_groups(s, k, fewer, n - k);
    return find_errors(s);
}
