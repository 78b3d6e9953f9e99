/*
 * From other representations of a free root's velocity back to left: the inverses of representation.c, step by step.
 * The blocks T, K and L are in roots.h; q, v and a are those of the state, v and a left-trivialized.
 */
#include "hamel/representation.h"

#include "algo/linearize/roots.h"
#include "base/overflow.h"
#include "group/arrays.h"

hml_status hml_acceleration_from_representation(const hml_model *model, hml_representation representation,
                                                const double *q, const double *v, const double *a_rep, double *a)
{
    if (!v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, a_rep, a));
    copy((size_t)model->nv, a_rep, a);
    double inverse[BLOCK], L[BLOCK], Lv[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* T⁻¹ ν̇_rep − L ν */
        hmli_representation_inverse_block(representation, r.H, inverse);
        hmli_representation_rate_block(representation, v + r.v, L);
        apply(L, v + r.v, Lv);
        apply(inverse, a + r.v, a + r.v);
        for (int k = 0; k < SIX; k++) a[r.v + k] -= Lv[k];
    }
    return finite_array(a, (size_t)model->nv);
}

hml_status hml_dynamics_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                            const double *v, double *M, double *h)
{
    if (!v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, M, h));
    const size_t n = (size_t)model->nv;
    double T[BLOCK], L[BLOCK], Lv[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* Tᵀ M T, Tᵀ h */
        hmli_representation_block(representation, r.H, T);
        columns_apply(T, M + r.v, n, n);
        rows_apply(T, 1, M + (size_t)r.v * n, n, n);
        apply_transposed(T, h + r.v, h + r.v);
    }
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* h += M L ν */
        hmli_representation_rate_block(representation, v + r.v, L);
        apply(L, v + r.v, Lv);
        for (size_t row = 0; row < n; row++) {
            for (size_t k = 0; k < SIX; k++) h[row] += M[row * n + (size_t)r.v + k] * Lv[k];
        }
    }
    return FINITE_STATUS({M, n * n}, {h, n});
}

hml_status hml_jacobian_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                            const double *v, int32_t rows, double *J, double *Jdot)
{
    if (rows < 0) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, v, J));
    const size_t n = (size_t)model->nv, m = (size_t)rows;
    double T[BLOCK], L[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* J T, J̇ T + J T L */
        hmli_representation_block(representation, r.H, T);
        hmli_representation_rate_block(representation, v + r.v, L);
        columns_apply(T, J + r.v, m, n);
        if (!Jdot) continue;
        columns_apply(T, Jdot + r.v, m, n);
        columns_add(1, J + r.v, L, Jdot + r.v, m, n);
    }
    return FINITE_STATUS({J, m * n}, {Jdot, m * n});
}

/* representation.c's linearization_root, backwards */
static void linearization_root(hml_representation representation, const root *r, size_t n, const double *v,
                               const double *a, double *A)
{
    const size_t ld = 2 * n, at = (size_t)r->v;
    double *ad = A + at * ld + at, *unit = ad + n, *Dq = A + n * ld + at, *Dv = Dq + n;
    double T[BLOCK], inverse[BLOCK], K6[BLOCK], Kdot[BLOCK], L[BLOCK];
    hmli_representation_block(representation, r->H, T);
    hmli_representation_inverse_block(representation, r->H, inverse);
    block_K(representation, v + at, K6);
    block_K(representation, a + at, Kdot);
    hmli_representation_rate_block(representation, v + at, L);

    rows_apply(inverse, 0, A + (n + at) * ld, ld, ld);
    columns_apply(T, Dv, n, ld);
    columns_apply(T, unit, SIX, ld);
    block_add(Dv + at * ld, ld, 1, K6);
    block_add(Dv + at * ld, ld, -1, L);
    rows_add(1, K6, ad, Dq + at * ld, SIX, ld);
    block_add(Dq + at * ld, ld, 1, Kdot);
    columns_add(-1, Dv, K6, Dq, n, ld);
    block_add(ad, ld, -1, K6);
}

hml_status hml_linearization_from_representation(const hml_model *model, hml_representation representation,
                                                 const double *q, const double *v, const double *a, int32_t ninputs,
                                                 double *A, double *B)
{
    if (ninputs < 0) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, v, a));
    const size_t n = (size_t)model->nv, m = (size_t)ninputs;
    double inverse[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        if (A) linearization_root(representation, &r, n, v, a, A);
        hmli_representation_inverse_block(representation, r.H, inverse);
        if (B) rows_apply(inverse, 0, B + (n + (size_t)r.v) * m, m, m);
    }
    return FINITE_STATUS({A, 4 * n * n}, {B, 2 * n * m});
}
