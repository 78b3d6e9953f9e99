/*
 * Derivatives of the extended inverse dynamics with respect to the shape s: Bos, Table 6. Symbols in quantities.h; the
 * blocks have n columns, one for each s_k, and ∂𝕄_Bi^c/∂s_k is reference_dMc(r, i, k − 1).
 *
 * Deviations from print
 * - Line 18: the last factor is ∂ⁱX_λ(i)/∂s_i.
 * - Line 47: the term of body i is multiplied by the i-th joint acceleration alone.
 * - Everything of body 0 begins at zero, ∂ᵒa_{A,0}/∂s included; the table leaves it out.
 */
#include "reference/bos/quantities.h"

/* lines 1-13: velocities, accelerations and bias wrenches of the bodies, root to leaves */
static void bodies(const reference *r)
{
    const reference_body *b = r->body;
    int n = r->n;
    reference_rates d = hmli_reference_rates_of(r, 0);
    block_zero(n, d.v), block_zero(n, d.ar), block_zero(n, d.avp), block_zero(n, d.bc), block_zero(n, d.bvp);
    for (int i = 1; i <= n; i++) { /* 1; 2, 3: hmli_reference_joints */
        reference_rates p = hmli_reference_rates_of(r, b[i].parent);
        const reference_body *up = &b[b[i].parent];
        double x[6];
        d = hmli_reference_rates_of(r, i);
        block_product(n, d.v, b[i].X, p.v);                                              /* 4 */
        mat6_apply(x, b[i].dX, up->v), block_add_column(n, d.v, i - 1, x);               /* 5 */
        block_product(n, d.ar, b[i].X, p.ar), block_add_cross(n, d.ar, d.v, b[i].vJ);    /* 6 */
        mat6_apply(x, b[i].dX, up->ar), block_add_column(n, d.ar, i - 1, x);             /* 7 */
        block_product(n, d.avp, b[i].X, p.avp), block_add_cross(n, d.avp, d.v, b[i].vJ); /* 8 */
        mat6_apply(x, b[i].dX, up->avp), block_add_column(n, d.avp, i - 1, x);           /* 9 */
        block_product(n, d.m, b[i].M, d.v);                                              /* 10 */
        block_product(n, d.bc, b[i].M, d.ar);                                            /* 11 */
        block_product(n, d.bvp, b[i].M, d.avp);                                          /* 12 */
        double *both[2] = {d.bc, d.bvp};
        for (int k = 0; k < 2; k++) { /* 11, 12: what they share */
            block_add_cross_dual_of(n, both[k], d.v, b[i].m);
            block_add_cross_dual_by(n, both[k], b[i].v, d.m);
        }
    } /* 13 */
}

/* lines 14-23: composite inertias and bias wrenches, leaves to root */
static void composites(const reference *r)
{
    const reference_body *b = r->body;
    int n = r->n;
    memset(r->dMc, 0, (size_t)(n + 1) * (size_t)n * 36 * sizeof *r->dMc);
    for (int i = n; i >= 1; i--) { /* 14 */
        int up = b[i].parent;
        reference_rates d = hmli_reference_rates_of(r, i), p = hmli_reference_rates_of(r, up);
        double x[6], *own = reference_dMc(r, up, i - 1);
        for (int k = 0; k < n; k++) { /* 15-17 */
            mat6_add_sandwich(reference_dMc(r, up, k), b[i].X, reference_dMc(r, i, k), b[i].X);
        }
        mat6_add_sandwich(own, b[i].dX, b[i].Mc, b[i].X); /* 18 */
        mat6_add_sandwich(own, b[i].X, b[i].Mc, b[i].dX);
        block_add_tproduct(n, p.bc, b[i].X, d.bc);                               /* 19 */
        mat6_tapply(x, b[i].dX, b[i].bc), block_add_column(n, p.bc, i - 1, x);   /* 20 */
        block_add_tproduct(n, p.bvp, b[i].X, d.bvp);                             /* 21 */
        mat6_tapply(x, b[i].dX, b[i].bvp), block_add_column(n, p.bvp, i - 1, x); /* 22 */
    }                                                                            /* 23 */
}

/* lines 30-46 for body i: ∂₀F_Bi/∂s, the wrench for a unit acceleration of joint i, carried down to the base */
static void support(const reference *r, int i, double *dF)
{
    const reference_body *b = r->body;
    int n = r->n;
    double F[6], x[6], *next = r->dF + 6 * n;
    mat6_apply(F, b[i].Mc, b[i].Gamma);
    block_zero(n, dF);
    for (int k = 0; k < n; k++) { /* 32 */
        mat6_apply(x, reference_dMc(r, i, k), b[i].Gamma);
        block_add_column(n, dF, k, x);
    }
    for (int j = i; j > 0; j = b[j].parent) { /* 35-46 */
        block_zero(n, next);
        block_add_tproduct(n, next, b[j].X, dF);                         /* 38, 44 */
        mat6_tapply(x, b[j].dX, F), block_add_column(n, next, j - 1, x); /* 40, 46 */
        memcpy(dF, next, 6 * (size_t)n * sizeof *dF);
        mat6_tapply(x, b[j].X, F);
        memcpy(F, x, sizeof F);
    }
}

void hmli_reference_derivative_s(const double *a, const reference *r, double *out)
{
    const reference_body *b = r->body;
    int n = r->n;
    reference_rates base = hmli_reference_rates_of(r, 0);
    bodies(r);           /* 1-13 */
    composites(r);       /* 14-23 */
    double *Fr = base.m; /* ∂(₀F ṙ)/∂s */
    block_zero(n, Fr), block_zero(n, base.a0);
    for (int i = 1; i <= n; i++) { /* 27 */
        reference_rates d = hmli_reference_rates_of(r, i), p = hmli_reference_rates_of(r, b[i].parent);
        double x[6], *f = d.m;                                                          /* ∂(𝕄^c a + b^c)/∂s */
        block_product(n, d.a0, b[i].X, p.a0);                                           /* 28 */
        mat6_apply(x, b[i].dX, b[b[i].parent].a0), block_add_column(n, d.a0, i - 1, x); /* 29 */
        memcpy(f, d.bc, 6 * (size_t)n * sizeof *f);                                     /* 34 */
        block_add_product(n, f, b[i].Mc, d.a0);
        for (int k = 0; k < n; k++) { /* 31 */
            mat6_apply(x, reference_dMc(r, i, k), b[i].a0);
            block_add_column(n, f, k, x);
        }
        block_row(n, b[i].Gamma, f, out + (size_t)(5 + i) * (size_t)(n + 6) + 6); /* 34 */
        support(r, i, r->dF);                                                     /* 30-46 */
        for (int k = 0; k < 6 * n; k++) Fr[k] += r->dF[k] * a[5 + i];             /* 47 */
    }                                                                             /* 48 */
    for (int k = 0; k < n; k++) {                                                 /* 24-26, 49 */
        double x[6];
        mat6_apply(x, reference_dMc(r, 0, k), b[0].a0);
        for (int row = 0; row < 6; row++)
            out[(size_t)row * (size_t)(n + 6) + 6 + (size_t)k] = x[row] + Fr[row * n + k] + base.bvp[row * n + k];
    }
}
