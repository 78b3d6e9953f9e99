/*
 * Derivatives of the extended inverse dynamics with respect to H, v and r: Bos, Tables 5, 7 and 8. Symbols in
 * quantities.h; ∂x/∂y of body i is the block rates(i).x, one column for each coordinate of y. The quantities of Table 4
 * are there already.
 *
 * Deviations from print
 * - Table 5, line 1. The state's velocity is v = ⁰v, which does not change with H: ∂v_0/∂H = 0. The table
 * differentiates ⁰X_A ᴬv with ᴬv held, which is v_0 ×. That belongs to the right-trivialized twist as state, where the
 * first block row of A is another one; in the A of (22) and (42) it is wrong by 3e-4 and more over a millisecond of
 * motion.
 * - Table 5, line 12. The first term on the right is the parent's.
 * - Table 7 begins with ∂a_0^r/∂v = 0, Table 8 with ∂v_0/∂r = ∂a_0^r/∂r = 0 and ∂b_B0^c/∂r = 0; the tables leave it
 * out.
 * - The output is base first.
 */
#include "reference/bos/quantities.h"

/* a block of rows of ∂τ: row i of the six or of the joints, columns first … first + c − 1 */
static double *output_row(const reference *r, double *out, int row, int first)
{
    return out + (size_t)row * (size_t)(r->n + 6) + first;
}

/* ∂b^c_B/∂y = 𝕄 ∂a/∂y + ∂v/∂y ×* m + v ×* ∂m/∂y: line 9 of Table 5, 8 of Tables 7 and 8, 11 and 12 of Table 6 */
static void bias_rate(int c, const reference_body *x, const reference_rates *d, const double *da, double *db)
{
    block_product(c, db, x->M, da);
    block_add_cross_dual_of(c, db, d->v, x->m);
    block_add_cross_dual_by(c, db, x->v, d->m);
}

/* lines 11-17 of Table 5, 10-16 of Tables 7 and 8: composite bodies, then the forces they make */
static void collect(int c, int first, const reference *r, double *out)
{
    for (int i = r->n; i >= 1; i--) {
        reference_rates d = hmli_reference_rates_of(r, i), p = hmli_reference_rates_of(r, r->body[i].parent);
        block_add_tproduct(c, p.bc, r->body[i].X, d.bc);
    }
    for (int i = 1; i <= r->n; i++) {
        reference_rates d = hmli_reference_rates_of(r, i);
        block_row(c, r->body[i].Gamma, d.bc, output_row(r, out, 5 + i, first));
    }
    reference_rates base = hmli_reference_rates_of(r, 0);
    for (int k = 0; k < 6; k++) memcpy(output_row(r, out, k, first), base.bc + k * c, (size_t)c * sizeof *out);
}

void hmli_reference_derivative_H(hml_representation held, const reference *r, double *out)
{
    const reference_body *b = r->body;
    reference_rates d = hmli_reference_rates_of(r, 0);
    block_zero(6, d.v);                             /* 1 */
    if (held == HML_RIGHT) mat6_cross(d.v, b[0].v); /*   as printed: (67) is v_0 × */
    mat6_cross(d.ar, b[0].ar);                      /* 2: (68) is a_0^r × */
    block_product(6, d.m, b[0].M, d.v);             /* 3 */
    bias_rate(6, &b[0], &d, d.ar, d.bc);            /* 4 */
    for (int i = 1; i <= r->n; i++) {               /* 5 */
        reference_rates p = hmli_reference_rates_of(r, b[i].parent);
        d = hmli_reference_rates_of(r, i);
        block_product(6, d.v, b[i].X, p.v);                                           /* 6 */
        block_product(6, d.ar, b[i].X, p.ar), block_add_cross(6, d.ar, d.v, b[i].vJ); /* 7 */
        block_product(6, d.m, b[i].M, d.v);                                           /* 8 */
        bias_rate(6, &b[i], &d, d.ar, d.bc);                                          /* 9 */
    }                                                                                 /* 10 */
    collect(6, 0, r, out);                                                            /* 11-17 */
}

void hmli_reference_derivative_v(const reference *r, double *out)
{
    const reference_body *b = r->body;
    reference_rates d = hmli_reference_rates_of(r, 0);
    block_zero(6, d.v), block_zero(6, d.ar);
    for (int k = 0; k < 6; k++) d.v[7 * k] = 1; /* 1 */
    memcpy(d.m, b[0].M, sizeof b[0].M);         /* 2 */
    bias_rate(6, &b[0], &d, d.ar, d.bc);        /* 3 */
    for (int i = 1; i <= r->n; i++) {           /* 4 */
        reference_rates p = hmli_reference_rates_of(r, b[i].parent);
        d = hmli_reference_rates_of(r, i);
        block_product(6, d.v, b[i].X, p.v);                                           /* 5 */
        block_product(6, d.ar, b[i].X, p.ar), block_add_cross(6, d.ar, d.v, b[i].vJ); /* 6 */
        block_product(6, d.m, b[i].M, d.v);                                           /* 7 */
        bias_rate(6, &b[i], &d, d.ar, d.bc);                                          /* 8 */
    }                                                                                 /* 9 */
    collect(6, 0, r, out);                                                            /* 10-16 */
}

void hmli_reference_derivative_r(const reference *r, double *out)
{
    const reference_body *b = r->body;
    int n = r->n;
    reference_rates d = hmli_reference_rates_of(r, 0);
    block_zero(n, d.v), block_zero(n, d.ar), block_zero(n, d.bc);
    for (int i = 1; i <= n; i++) { /* 1 */
        reference_rates p = hmli_reference_rates_of(r, b[i].parent);
        double turn[6] = {0};
        d = hmli_reference_rates_of(r, i);
        block_product(n, d.v, b[i].X, p.v);                                           /* 3 */
        block_add_column(n, d.v, i - 1, b[i].Gamma);                                  /* 2, 4 */
        block_product(n, d.ar, b[i].X, p.ar), block_add_cross(n, d.ar, d.v, b[i].vJ); /* 5 */
        vec6_add_cross(turn, b[i].v, b[i].Gamma);
        block_add_column(n, d.ar, i - 1, turn); /* 6 */
        block_product(n, d.m, b[i].M, d.v);     /* 7 */
        bias_rate(n, &b[i], &d, d.ar, d.bc);    /* 8 */
    }                                           /* 9 */
    collect(n, 6, r, out);                      /* 10-16 */
}
