/*
 * The change of representation as a matrix, and of what else is made of velocities: the Coriolis matrix, the Jacobians
 * of a discrete step and of an impulse, the linearization under constraints. Blocks T, K and L: roots.h. With Y = T⁻¹,
 * the ᴮY_C of Notation (76), and Ẏ = −L Y:
 *
 *   M_rep = Yᵀ M Y      C_rep = Yᵀ (C Y + M Ẏ) = Yᵀ (C − M L) Y      Ṁ_rep − 2 C_rep = Yᵀ (Ṁ − 2C) Y + Ẏᵀ M Y − Yᵀ M Ẏ
 *
 * which is skew where Ṁ − 2C is. Perturbations z = P z_rep with P = [I 0; K T⁻¹] at the step's start, P⁺ at its end:
 *
 *   A_d,rep = P⁺⁻¹ A_d P      B_d,rep = P⁺⁻¹ B_d
 */
#include "hamel/constraint.h"
#include "hamel/representation.h"

#include "algo/linearize/roots.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"

/* ---- Y ---- */

hml_status hml_velocity_transform(const hml_model *model, hml_representation representation, const double *q,
                                  const double *v, double *Y, double *Ydot)
{
    if (Ydot && !v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, q, Y ? Y : Ydot));
    const size_t n = (size_t)model->nv;
    if (Ydot) memset(Ydot, 0, n * n * sizeof *Ydot);
    for (size_t i = 0; Y && i < n * n; i++) Y[i] = i % (n + 1) == 0;
    double inverse[BLOCK], L[BLOCK], product[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        const size_t at = (size_t)r.v * n + (size_t)r.v;
        hmli_representation_inverse_block(representation, r.H, inverse);
        for (size_t k = 0; Y && k < SIX; k++) memcpy(Y + at + k * n, inverse + SIX * k, SIX * sizeof *Y);
        if (!Ydot) continue;
        hmli_representation_rate_block(representation, v + r.v, L);
        block_multiply(L, inverse, product);
        block_add(Ydot + at, n, -1, product);
    }
    return FINITE_STATUS({Y, n * n}, {Ydot, n * n});
}

/* ---- Coriolis ---- */

/* C += s M X, and Ṁ += s (Xᵀ M + M X), for a block X of the root; M symmetric */
static void coriolis_add(double s, size_t n, size_t at, const double X[BLOCK], const double *M, double *C, double *Mdot)
{
    columns_add(s, M + at, X, C + at, n, n);
    if (!Mdot) return;
    columns_add(s, M + at, X, Mdot + at, n, n);
    double transposed[BLOCK];
    for (int i = 0; i < BLOCK; i++) transposed[i] = X[i % SIX * SIX + i / SIX];
    rows_add(s, transposed, M + at * n, Mdot + at * n, n, n);
}

/* Xᵀ A X */
static void congruence(size_t n, size_t at, const double X[BLOCK], double *A)
{
    columns_apply(X, A + at, n, n);
    rows_apply(X, 1, A + at * n, n, n);
}

hml_status hml_coriolis_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, const double *M, double *C, double *Mdot)
{
    if (!v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, M, C));
    const size_t n = (size_t)model->nv;
    double inverse[BLOCK], L[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        hmli_representation_rate_block(representation, v + r.v, L);
        coriolis_add(-1, n, (size_t)r.v, L, M, C, Mdot);
    }
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        hmli_representation_inverse_block(representation, r.H, inverse);
        congruence(n, (size_t)r.v, inverse, C);
        if (Mdot) congruence(n, (size_t)r.v, inverse, Mdot);
    }
    return FINITE_STATUS({C, n * n}, {Mdot, n * n});
}

/* C = Tᵀ (C_rep + M_rep X) T with X = T L T⁻¹ */
hml_status hml_coriolis_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                            const double *v, const double *M, double *C, double *Mdot)
{
    if (!v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, M, C));
    const size_t n = (size_t)model->nv;
    double T[BLOCK], inverse[BLOCK], L[BLOCK], X[BLOCK], half[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        hmli_representation_block(representation, r.H, T);
        hmli_representation_inverse_block(representation, r.H, inverse);
        hmli_representation_rate_block(representation, v + r.v, L);
        block_multiply(T, L, half);
        block_multiply(half, inverse, X);
        coriolis_add(1, n, (size_t)r.v, X, M, C, Mdot);
    }
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        hmli_representation_block(representation, r.H, T);
        congruence(n, (size_t)r.v, T, C);
        if (Mdot) congruence(n, (size_t)r.v, T, Mdot);
    }
    return FINITE_STATUS({C, n * n}, {Mdot, n * n});
}

/* ---- a step ---- */

/* what a root's perturbations become where a step begins: columns (z_q, z_ν) of a matrix whose rows are ld wide */
static void start_columns(hml_representation representation, const root *r, const double *v, int back, size_t rows,
                          double *by_q, double *by_v, size_t ld)
{
    double X[BLOCK], K6[BLOCK];
    block_K(representation, v + r->v, K6);
    if (back) {
        hmli_representation_block(representation, r->H, X);
        columns_apply(X, by_v + r->v, rows, ld);
        columns_add(-1, by_v + r->v, K6, by_q + r->v, rows, ld);
    } else {
        hmli_representation_inverse_block(representation, r->H, X);
        columns_add(1, by_v + r->v, K6, by_q + r->v, rows, ld);
        columns_apply(X, by_v + r->v, rows, ld);
    }
}

/* and where it ends: rows (z_q, z_ν) of width `columns` */
static void end_rows(hml_representation representation, const root *r, const double *v, int back, size_t columns,
                     const double *of_q, double *of_v, size_t ld)
{
    double X[BLOCK], K6[BLOCK];
    const size_t at = (size_t)r->v * ld;
    block_K(representation, v + r->v, K6);
    if (back) {
        hmli_representation_inverse_block(representation, r->H, X);
        rows_apply(X, 0, of_v + at, columns, ld);
        rows_add(1, K6, of_q + at, of_v + at, columns, ld);
    } else {
        hmli_representation_block(representation, r->H, X);
        rows_add(-1, K6, of_q + at, of_v + at, columns, ld);
        rows_apply(X, 0, of_v + at, columns, ld);
    }
}

static hml_status step_change(const hml_model *model, hml_representation representation, const double *q,
                              const double *v, const double *q_next, const double *v_next, int32_t ninputs, int back,
                              double *Ad, double *Bd)
{
    if (ninputs < 0) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, v, q_next));
    TRY(root_check(model, representation, q_next, v_next, v_next, q_next));
    const size_t n = (size_t)model->nv, m = (size_t)ninputs, ld = 2 * n;
    root r;
    for (int32_t i = 0; Ad && representation != HML_LEFT && root_next(model, q, &i, &r);) {
        start_columns(representation, &r, v, back, ld, Ad, Ad + n, ld);
    }
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q_next, &i, &r);) {
        if (Ad) end_rows(representation, &r, v_next, back, ld, Ad, Ad + n * ld, ld);
        if (Bd) end_rows(representation, &r, v_next, back, m, Bd, Bd + n * m, m);
    }
    return FINITE_STATUS({Ad, 4 * n * n}, {Bd, 2 * n * m});
}

hml_status hml_step_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                      const double *v, const double *q_next, const double *v_next, int32_t ninputs,
                                      double *Ad, double *Bd)
{
    return step_change(model, representation, q, v, q_next, v_next, ninputs, 0, Ad, Bd);
}

hml_status hml_step_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                        const double *v, const double *q_next, const double *v_next, int32_t ninputs,
                                        double *Ad, double *Bd)
{
    return step_change(model, representation, q, v, q_next, v_next, ninputs, 1, Ad, Bd);
}

/* ---- constraints ---- */

/* D_q + D_ν K − K̇ − K (K − ad), then T in front; D_ν + L − K between T and T⁻¹ */
static void derivatives_root(hml_representation representation, const root *r, size_t n, const double *v,
                             const double *a, double *Dq, double *Dv)
{
    const size_t at = (size_t)r->v, block = at * n + at;
    double T[BLOCK], inverse[BLOCK], K6[BLOCK], Kdot[BLOCK], L[BLOCK], upper[BLOCK], product[BLOCK];
    hmli_representation_block(representation, r->H, T);
    hmli_representation_inverse_block(representation, r->H, inverse);
    block_K(representation, v + at, K6);
    block_K(representation, a + at, Kdot);
    hmli_representation_rate_block(representation, v + at, L);
    block_K(HML_RIGHT, v + at, upper); /* ad_ν */
    for (int i = 0; i < BLOCK; i++) upper[i] = K6[i] - upper[i];
    block_multiply(K6, upper, product);
    if (Dq) {
        columns_add(1, Dv + at, K6, Dq + at, n, n);
        block_add(Dq + block, n, -1, Kdot);
        block_add(Dq + block, n, -1, product);
        rows_apply(T, 0, Dq + at * n, n, n);
    }
    block_add(Dv + block, n, 1, L);
    block_add(Dv + block, n, -1, K6);
    columns_apply(inverse, Dv + at, n, n);
    rows_apply(T, 0, Dv + at * n, n, n);
}

hml_status hml_constrained_to_representation(const hml_model *model, hml_representation representation, int32_t rows,
                                             const hml_constrained_linearization *arguments)
{
    hml_constrained_linearization room;
    const hml_constrained_linearization *x = STRUCT_TAKE(hml_constrained_linearization, arguments, &room, acceleration);
    if (!model || !x || rows < 0) return HML_INVALID_ARGUMENT;
    if ((x->Dq && !x->Dv) || (x->lambda_q && !x->lambda_v) || !x->acceleration || !x->v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, x->q, x->v, x->v, x));
    const size_t n = (size_t)model->nv, m = (size_t)rows;
    const int32_t inputs = model->nv;
    double T[BLOCK], K6[BLOCK], inverse[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, x->q, &i, &r);) {
        hmli_representation_block(representation, r.H, T);
        hmli_representation_inverse_block(representation, r.H, inverse);
        block_K(representation, x->v + r.v, K6);
        if (x->Dv) derivatives_root(representation, &r, n, x->v, x->acceleration, x->Dq, x->Dv);
        if (x->Dtau) rows_apply(T, 0, x->Dtau + (size_t)r.v * n, n, n);
        if (x->lambda_q) columns_add(1, x->lambda_v + r.v, K6, x->lambda_q + r.v, m, n);
        if (x->lambda_v) columns_apply(inverse, x->lambda_v + r.v, m, n);
    }
    TRY(FINITE_STATUS({x->Dq, n * n}, {x->Dv, n * n}, {x->Dtau, n * n}, {x->lambda_q, m * n}, {x->lambda_v, m * n}));
    TRY(hml_linearization_to_representation(model, representation, x->q, x->v, x->acceleration, inputs, x->A, x->B));
    return hml_acceleration_to_representation(model, representation, x->q, x->v, x->acceleration, x->acceleration);
}

hml_status hml_impulse_to_representation(const hml_model *model, hml_representation representation, int32_t rows,
                                         const hml_constrained_impact *arguments)
{
    hml_constrained_impact room;
    const hml_constrained_impact *x = STRUCT_TAKE(hml_constrained_impact, arguments, &room, v_next);
    if (!x || rows < 0 || (x->next_q && !x->next_v) || (x->impulse_q && !x->impulse_v)) return HML_INVALID_ARGUMENT;
    const double *q = x->q, *v = x->v;
    double *v_next = x->v_next, *next_q = x->next_q, *next_v = x->next_v;
    double *impulse_q = x->impulse_q, *impulse_v = x->impulse_v;
    TRY(root_check(model, representation, q, v, v, v_next));
    const size_t n = (size_t)model->nv, m = (size_t)rows;
    double T[BLOCK], inverse[BLOCK], before[BLOCK], after[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        const size_t at = (size_t)r.v;
        hmli_representation_block(representation, r.H, T);
        hmli_representation_inverse_block(representation, r.H, inverse);
        block_K(representation, v + at, before);
        block_K(representation, v_next + at, after);
        if (next_q) columns_add(1, next_v + at, before, next_q + at, n, n);
        if (next_q) block_add(next_q + at * n + at, n, -1, after); /* q does not jump: z_q⁺ = z_q */
        if (next_q) rows_apply(T, 0, next_q + at * n, n, n);
        if (next_v) columns_apply(inverse, next_v + at, n, n);
        if (next_v) rows_apply(T, 0, next_v + at * n, n, n);
        if (impulse_q) columns_add(1, impulse_v + at, before, impulse_q + at, m, n);
        if (impulse_v) columns_apply(inverse, impulse_v + at, m, n);
        apply(T, v_next + at, v_next + at);
    }
    return FINITE_STATUS({v_next, n}, {next_q, n * n}, {next_v, n * n}, {impulse_q, m * n}, {impulse_v, m * n});
}
