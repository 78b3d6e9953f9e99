/*
 * C ← C ± AᵀB with both factors row-major: every product of the structured Riccati step is one of these. product.c is
 * compiled once per instruction set; the table of a workspace's set is chosen when a solver is made.
 *
 * Rows are PRODUCT_LANES apart in size: ld of B and C is a multiple of it, and the columns behind the last one, up to that
 * multiple, are read and written. They hold finite numbers that nobody uses.
 */
#ifndef HML_CONTROL_PRODUCT_H
#define HML_CONTROL_PRODUCT_H

#include <stddef.h>

#include "hamel/base.h"

enum { PRODUCT_LANES = 8 };

typedef struct product_call {
    size_t rows, columns, depth; /* A is depth × rows, B is depth × columns */
    const double *A;
    size_t lda;
    const double *B;
    size_t ldb;
    double *C;
    size_t ldc;
    double sign;
    int lower; /* 1: only what is on or below the diagonal is wanted; what lies above it may be anything */
} product_call;

/* rows of length ld, each with its pivot in column pivot[i]: those of a symmetric matrix are columns pivot[0], pivot[1], … */
typedef struct product_rows {
    size_t rows, ld;
    const size_t *pivot;
    double *X;
} product_rows;

struct backward_size;
struct backward_knot;
struct backward_space;

typedef hml_status product_step(const struct backward_size *z, const struct backward_knot *x, double mu,
                                struct backward_space *s);

typedef struct product_table {
    void (*add)(const product_call *call);
    /* [A B] → [R R⁻ᵀB], A = RᵀR; 1 if A is not positive definite to rounding, or holds NaN */
    int (*factor)(const product_rows *rows);
    /* after that: R⁻ᵀB → R⁻¹R⁻ᵀB in the first `columns` columns and in column `last` */
    void (*substitute)(const product_rows *rows, size_t columns, size_t last);
    int (*finite)(const double *x, size_t n); /* all_finite of base/finite.h */
    product_step *step;                       /* of backward.h, with these products */
} product_table;

static inline size_t product_pad(size_t n) { return (n + PRODUCT_LANES - 1) / PRODUCT_LANES * PRODUCT_LANES; }

const product_table *hmli_products(hml_isa isa);

extern const product_table hmli_products_plain, hmli_products_avx2, hmli_products_avx512;
extern product_step hmli_backward_step_plain, hmli_backward_step_avx2, hmli_backward_step_avx512;

#endif
