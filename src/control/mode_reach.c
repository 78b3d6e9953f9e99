#include "control/mode_reach.h"

#include <math.h>

void hmli_mode_reach_lay_out(size_t n, size_t inputs, layout_cursor *c, mode_reach *w)
{
    cplx **const squares[] = {&w->L, &w->T, &w->AL, &w->basis};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) *squares[i] = layout_array(c, n * n, sizeof(cplx));
    w->inputs = layout_array(c, n * inputs, sizeof(cplx));
    w->driven = layout_array(c, n * (n > inputs ? n : inputs), sizeof(cplx));
    w->both = layout_array(c, (n + inputs) * n, sizeof(cplx));
    w->sizes = layout_doubles(c, n);
}

/* column j of M (n × k) less its parts along the first `count` columns of basis, twice; its length then */
static double remove_parts(size_t n, size_t k, cplx *M, size_t j, size_t width, const cplx *basis, size_t count)
{
    double length = 0;
    for (int twice = 0; twice < 2; twice++) {
        for (size_t c = 0; c < count; c++) {
            cplx sum = 0;
            for (size_t i = 0; i < n; i++) sum += conj(basis[i * width + c]) * M[i * k + j];
            for (size_t i = 0; i < n; i++) M[i * k + j] -= sum * basis[i * width + c];
        }
    }
    for (size_t i = 0; i < n; i++) length += cplx_square(M[i * k + j]);
    return sqrt(length);
}

/* the left subspace (dual: the conjugate of the right one), orthonormal: n × k */
static void left_basis(const mode_spaces *s, const mode_space *e, int dual, cplx *L)
{
    const size_t n = s->n, k = e->count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            L[i * k + j] = conj(dual ? s->right[i * n + e->first + j] : s->left[(e->first + j) * n + i]);
    for (size_t j = 0; j < k; j++) {
        double length = 0;
        for (size_t i = 0; i < n; i++) length += cplx_square(L[i * k + j]);
        for (size_t i = 0; i < n && length > 0; i++) L[i * k + j] /= sqrt(length);
        length = remove_parts(n, k, L, j, k, L, j);
        for (size_t i = 0; i < n && length > 0; i++) L[i * k + j] /= length;
    }
}

/* T = Lᴴ A L − λ, or Lᴴ Aᵀ L − λ */
static void restrict_to(const mode_spaces *s, const mode_space *e, int dual, mode_reach *w)
{
    const size_t n = s->n, k = e->count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++) {
            cplx sum = 0;
            for (size_t l = 0; l < n; l++) sum += (dual ? s->A[l * n + i] : s->A[i * n + l]) * w->L[l * k + j];
            w->AL[i * k + j] = sum;
        }
    }
    cplx_multiply_hn(k, n, k, w->L, w->AL, w->T);
    for (size_t i = 0; i < k; i++) w->T[i * k + i] -= e->value;
}

/* smallest singular value of [T, inputs], k × (k + m), through its conjugate transpose */
static double margin_of(size_t k, size_t m, mode_reach *w)
{
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++) w->both[j * k + i] = conj(w->T[i * k + j]);
        for (size_t j = 0; j < m; j++) w->both[(k + j) * k + i] = conj(w->inputs[i * m + j]);
    }
    hmli_singular(k + m, k, w->both, NULL, w->sizes);
    double least = w->sizes[0];
    for (size_t i = 1; i < k; i++) least = fmin(least, w->sizes[i]);
    return least;
}

/* the largest of the m columns in driven joins the basis (k × k, rank columns so far), where it is larger than least */
static size_t add_largest(size_t k, size_t m, cplx *driven, cplx *basis, size_t rank, double least)
{
    size_t best = 0;
    double most = -1;
    for (size_t j = 0; j < m; j++) {
        const double length = remove_parts(k, m, driven, j, k, basis, rank);
        if (length > most) most = length, best = j;
    }
    if (!(most > least) || rank == k) return rank;
    for (size_t i = 0; i < k; i++) basis[i * k + rank] = driven[i * m + best] / most;
    return rank + 1;
}

/* the dimension of what the inputs and T reach: a basis that grows step by step */
static size_t reached(size_t k, size_t m, double tolerance, mode_reach *w)
{
    size_t begin = 0, rank = 0, width = m;
    double size = 0;
    for (size_t i = 0; i < k * k; i++) size += cplx_square(w->T[i]);
    size = sqrt(size);
    for (size_t i = 0; i < k * m; i++) w->driven[i] = w->inputs[i];
    while (width > 0 && rank < k) {
        for (size_t next = rank, last = SIZE_MAX; next != last;) {
            last = next;
            rank = next = add_largest(k, width, w->driven, w->basis, rank, tolerance);
        }
        width = rank - begin;
        if (!(size > tolerance)) break;
        for (size_t i = 0; i < k; i++) { /* T / size of the vectors that are new */
            for (size_t j = 0; j < width; j++) {
                cplx sum = 0;
                for (size_t l = 0; l < k; l++) sum += w->T[i * k + l] * w->basis[l * k + begin + j];
                w->driven[i * width + j] = sum / size;
            }
        }
        begin = rank;
    }
    return rank;
}

double hmli_mode_reach(const mode_spaces *s, const mode_space *e, int dual, size_t m, const cplx *B, double tolerance,
                       mode_reach *w, int32_t *lost)
{
    const size_t n = s->n, k = e->count;
    *lost = (int32_t)k;
    if (m == 0) return 0;
    left_basis(s, e, dual, w->L);
    restrict_to(s, e, dual, w);
    cplx_multiply_hn(k, n, m, w->L, B, w->inputs);
    const double margin = margin_of(k, m, w);
    *lost = 0;
    if (margin > tolerance) return margin;
    const size_t rank = reached(k, m, tolerance, w);
    *lost = rank < k ? (int32_t)(k - rank) : 1;
    return 0;
}
