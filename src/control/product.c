/*
 * See product.h. A tile of C stays in registers while the depth runs: entries of A are broadcast, rows of B are loaded.
 * PRODUCT_KIND names the table; PRODUCT_ROWS and PRODUCT_WIDE are the tile, in rows and in vectors of PRODUCT_LANES.
 */
#include "control/product.h"

#include <math.h>

#include "base/finite.h"

#ifndef PRODUCT_KIND
#define PRODUCT_KIND hmli_products_plain
#define PRODUCT_STEP hmli_backward_step_plain
#define PRODUCT_ROWS 2
#define PRODUCT_WIDE 1
#endif

typedef double lanes __attribute__((vector_size(8 * PRODUCT_LANES)));
typedef double lanes_anywhere __attribute__((vector_size(8 * PRODUCT_LANES), aligned(8), may_alias));

#define TILE static inline __attribute__((always_inline)) void

TILE tile(const product_call *x, size_t r, size_t c, size_t rows, size_t wide)
{
    lanes sum[PRODUCT_ROWS][PRODUCT_WIDE] = {{{0}}};
    const double *a = x->A + r, *b = x->B + c;
    for (size_t k = 0; k < x->depth; k++, a += x->lda, b += x->ldb) {
        for (size_t j = 0; j < wide; j++) {
            const lanes row = *(const lanes_anywhere *)(b + j * PRODUCT_LANES);
            for (size_t i = 0; i < rows; i++) sum[i][j] += a[i] * row;
        }
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < wide; j++) {
            lanes_anywhere *to = (lanes_anywhere *)(x->C + (r + i) * x->ldc + c + j * PRODUCT_LANES);
            *to += x->sign * sum[i][j];
        }
    }
}

/* all columns of some rows */
TILE band(const product_call *x, size_t r, size_t rows)
{
    const size_t wanted = x->lower && r + rows < x->columns ? r + rows : x->columns, end = product_pad(wanted);
    size_t c = 0;
    for (; c + PRODUCT_WIDE * PRODUCT_LANES <= end; c += PRODUCT_WIDE * PRODUCT_LANES)
        tile(x, r, c, rows, PRODUCT_WIDE);
    for (; c < end; c += PRODUCT_LANES) tile(x, r, c, rows, 1);
}

static void add(const product_call *x)
{
    size_t r = 0;
    for (; r + PRODUCT_ROWS <= x->rows; r += PRODUCT_ROWS) band(x, r, PRODUCT_ROWS);
    switch (x->rows - r) {
#if PRODUCT_ROWS > 2
    case 7: band(x, r, 4), band(x, r + 4, 3); break;
    case 6: band(x, r, 4), band(x, r + 4, 2); break;
    case 5: band(x, r, 4), band(x, r + 4, 1); break;
    case 4: band(x, r, 4); break;
    case 3: band(x, r, 3); break;
    case 2: band(x, r, 2); break;
#endif
    case 1: band(x, r, 1); break;
    default: break;
    }
}

/* y ← y + a x, `size` doubles, a multiple of PRODUCT_LANES */
TILE add_row(size_t size, double a, const double *x, double *y)
{
    for (size_t c = 0; c < size; c += PRODUCT_LANES) *(lanes_anywhere *)(y + c) += a * *(const lanes_anywhere *)(x + c);
}

TILE scale_row(size_t size, double a, double *x)
{
    for (size_t c = 0; c < size; c += PRODUCT_LANES) *(lanes_anywhere *)(x + c) *= a;
}

/* row by row from above: what lies left of a pivot is not read again */
static int factor(const product_rows *x)
{
    for (size_t i = 0; i < x->rows; i++) {
        double *row = x->X + i * x->ld;
        const double original = row[x->pivot[i]];
        for (size_t k = 0; k < i; k++) {
            const double *above = x->X + k * x->ld;
            add_row(x->ld, -above[x->pivot[i]], above, row);
        }
        const double pivot = row[x->pivot[i]];
        if (!(pivot > 0x1p-46 * original) || !(pivot > 0)) return 1;
        scale_row(x->ld, 1 / sqrt(pivot), row);
    }
    return 0;
}

static void substitute(const product_rows *x, size_t columns, size_t last)
{
    const size_t whole = columns / PRODUCT_LANES * PRODUCT_LANES;
    for (size_t i = x->rows; i-- > 0;) {
        double *row = x->X + i * x->ld;
        const double inverse = 1 / row[x->pivot[i]];
        for (size_t k = i + 1; k < x->rows; k++) {
            const double *below = x->X + k * x->ld, r = row[x->pivot[k]];
            add_row(whole, -r, below, row);
            for (size_t c = whole; c < columns; c++) row[c] -= r * below[c];
            row[last] -= r * below[last];
        }
        scale_row(whole, inverse, row);
        for (size_t c = whole; c < columns; c++) row[c] *= inverse;
        row[last] *= inverse;
    }
}

static int finite(const double *x, size_t n) { return all_finite(x, n); }

const product_table PRODUCT_KIND = {add, factor, substitute, finite, PRODUCT_STEP};
