/*
 * Perturbations exp(z)·g instead of g·exp(z), joint by joint: right-trivialized, in the predecessor's frame.
 *
 *   g exp(z) = exp(Ad_g z) g,      z_local = Ad_g⁻¹ z_global,      d/dt Ad_g⁻¹ = −ad_ν Ad_g⁻¹       Notation (42), (56)
 *
 * With X = Ad_g, block diagonal, and matrices in the local form on the right:
 *
 *   ∂f/∂q          D X⁻¹
 *   A, B           [ X (A₁₁ + ad_ν) X⁻¹   X A₁₂ ;  A₂₁ X⁻¹   A₂₂ ],   [ X B₁ ; B₂ ]
 *   A_d, B_d       diag(X⁺, 1) A_d diag(X⁻¹, 1),   diag(X⁺, 1) B_d
 *
 * Of a robot A₁₁ = −ad_ν, so that the upper left block of the global form is zero.
 */
#include "hamel/representation.h"

#include "base/overflow.h"
#include "group/arrays.h"
#include "group/joint_product.h"
#include "model/coordinates.h"

enum { MOST = HML_JOINT_MAX_NV };

/* a joint's place among the velocities, Ad_g and its inverse */
typedef struct side_block {
    size_t v, m;
    double X[MOST * MOST], inverse[MOST * MOST];
} side_block;

static side_block side_of(const model_joint *j, const double *q)
{
    side_block b = {.v = (size_t)j->v, .m = (size_t)j->nv};
    double g[HML_JOINT_MAX_NQ];
    joint_numbers(j, q, g);
    joint_adjoint(group_type(j->type), g, b.X);
    joint_inverse(group_type(j->type), g, g);
    joint_adjoint(group_type(j->type), g, b.inverse);
    return b;
}

/* columns v … v+m−1 of n rows: D = D X */
static void columns_times(const side_block *b, const double *X, size_t n, double *D, size_t ld)
{
    for (size_t i = 0; i < n; i++) {
        double *row = D + i * ld + b->v, sum[MOST] = {0};
        for (size_t k = 0; k < b->m; k++) {
            for (size_t j = 0; j < b->m; j++) sum[j] += row[k] * X[k * b->m + j];
        }
        memcpy(row, sum, b->m * sizeof *row);
    }
}

/* rows v … v+m−1 of width n: D = X D, or Xᵀ D */
static void rows_times(const side_block *b, const double *X, int transposed, size_t n, double *D, size_t ld)
{
    double *at = D + b->v * ld;
    for (size_t j = 0; j < n; j++) {
        double sum[MOST] = {0};
        for (size_t i = 0; i < b->m; i++) {
            for (size_t k = 0; k < b->m; k++) sum[i] += X[transposed ? k * b->m + i : i * b->m + k] * at[k * ld + j];
        }
        for (size_t i = 0; i < b->m; i++) at[i * ld + j] = sum[i];
    }
}

static void add_ad(const model_joint *j, double sign, const double *v, double *A, size_t ld)
{
    double ad[MOST * MOST] = {0};
    joint_ad(group_type(j->type), v + j->v, ad);
    for (int32_t i = 0; i < j->nv; i++) {
        for (int32_t k = 0; k < j->nv; k++) A[(size_t)(j->v + i) * ld + (size_t)(j->v + k)] += sign * ad[i * j->nv + k];
    }
}

static hml_status check(const hml_model *model, const double *q, int32_t count)
{
    if (!model || !q || count < 0) return HML_INVALID_ARGUMENT;
    return configuration_status(model, q);
}

/* ---- derivatives by q ---- */

static hml_status gradient(const hml_model *model, const double *q, int32_t rows, int back, double *D)
{
    TRY(check(model, q, rows));
    if (!D) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        side_block b = side_of(j, q);
        columns_times(&b, back ? b.X : b.inverse, (size_t)rows, D, (size_t)model->nv);
    }
    return finite_array(D, (size_t)rows * (size_t)model->nv);
}

hml_status hml_gradient_to_global(const hml_model *model, const double *q, int32_t rows, double *D)
{
    return gradient(model, q, rows, 0, D);
}

hml_status hml_gradient_from_global(const hml_model *model, const double *q, int32_t rows, double *D)
{
    return gradient(model, q, rows, 1, D);
}

static hml_status hessian(const hml_model *model, const double *q, int32_t size, int back, double *H)
{
    TRY(check(model, q, size));
    if (!H) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        side_block b = side_of(j, q);
        rows_times(&b, back ? b.X : b.inverse, 1, (size_t)size, H, (size_t)size);
    }
    return finite_array(H, (size_t)size * (size_t)model->nv);
}

hml_status hml_hessian_to_global(const hml_model *model, const double *q, int32_t size, double *H)
{
    return hessian(model, q, size, 0, H);
}

hml_status hml_hessian_from_global(const hml_model *model, const double *q, int32_t size, double *H)
{
    return hessian(model, q, size, 1, H);
}

/* ---- A and B ---- */

static hml_status linearization(const hml_model *model, const double *q, const double *v, int32_t ninputs, int back,
                                double *A, double *B)
{
    TRY(check(model, q, ninputs));
    if (!v) return HML_INVALID_ARGUMENT;
    if (finite_numbers(v, model->nv)) return HML_NOT_FINITE;
    const size_t n = (size_t)model->nv, m = (size_t)ninputs, ld = 2 * n;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        side_block b = side_of(j, q);
        const double *X = back ? b.inverse : b.X, *inverse = back ? b.X : b.inverse;
        if (A && !back) add_ad(j, 1, v, A, ld);
        if (A) rows_times(&b, X, 0, ld, A, ld);
        if (A) columns_times(&b, inverse, ld, A, ld);
        if (A && back) add_ad(j, -1, v, A, ld);
        if (B) rows_times(&b, X, 0, m, B, m);
    }
    return FINITE_STATUS({A, 4 * n * n}, {B, 2 * n * m});
}

hml_status hml_linearization_to_global(const hml_model *model, const double *q, const double *v, int32_t ninputs,
                                       double *A, double *B)
{
    return linearization(model, q, v, ninputs, 0, A, B);
}

hml_status hml_linearization_from_global(const hml_model *model, const double *q, const double *v, int32_t ninputs,
                                         double *A, double *B)
{
    return linearization(model, q, v, ninputs, 1, A, B);
}

/* ---- a step ---- */

static hml_status step(const hml_model *model, const double *q, const double *q_next, int32_t ninputs, int back,
                       double *Ad, double *Bd)
{
    TRY(check(model, q, ninputs));
    TRY(check(model, q_next, ninputs));
    const size_t n = (size_t)model->nv, m = (size_t)ninputs, ld = 2 * n;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        side_block start = side_of(j, q), end = side_of(j, q_next);
        const double *X = back ? end.inverse : end.X;
        if (Ad) columns_times(&start, back ? start.X : start.inverse, ld, Ad, ld);
        if (Ad) rows_times(&end, X, 0, ld, Ad, ld);
        if (Bd) rows_times(&end, X, 0, m, Bd, m);
    }
    return FINITE_STATUS({Ad, 4 * n * n}, {Bd, 2 * n * m});
}

hml_status hml_step_to_global(const hml_model *model, const double *q, const double *q_next, int32_t ninputs,
                              double *Ad, double *Bd)
{
    return step(model, q, q_next, ninputs, 0, Ad, Bd);
}

hml_status hml_step_from_global(const hml_model *model, const double *q, const double *q_next, int32_t ninputs,
                                double *Ad, double *Bd)
{
    return step(model, q, q_next, ninputs, 1, Ad, Bd);
}
