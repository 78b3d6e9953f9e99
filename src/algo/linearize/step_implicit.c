/*
 * Semi-implicit Euler with dampers C and springs K(q) = k S⁻¹(log(rest⁻¹ q)) at the end of the step: ν⁺ = ν + h a,
 *
 *   (M + h C + h² K(q)) a = τ − h(q, ν) − h K(q) ν
 *
 * to first order the forces −C ν⁺ − k log(rest⁻¹ (q ⊕ h ν⁺)), so that no damper and no spring is too stiff for a step.
 * Without dampers and springs a is ν̇. Its tangent, with ID(q, ν, a) = M a + h(q, ν) and ν⁺ held in the last term:
 *
 *   (M + h C + h² K) da = w − (∂ID/∂q + h ∂(K ν⁺)/∂q) z_q − (∂ID/∂ν + h K) z_ν
 *
 * Where every spring is on a joint whose group commutes, C and K are diagonal and constant. Then a and its tangent are
 * those of forward dynamics with h C + h² K more armature and h K more damping: no other code is needed. Springs of
 * other joints take the equations above.
 */
#include <math.h>
#include <string.h>

#include "algo/linearize/step.h"
#include "base/dense.h"
#include "group/joint.h"
#include "hamel/dynamics.h"
#include "hamel/linearize.h"
#include "model/mimic.h"

/*
 * X ← A⁻¹ X. Rows and columns are scaled to ones on the diagonal first, so that a pivot that is rounding shows, whatever
 * the units of its coordinate. A is destroyed; d: n, scratch.
 */
static hml_status solve(size_t n, double *A, double *d, size_t columns, double *X)
{
    for (size_t i = 0; i < n; i++) d[i] = A[i * n + i] != 0 ? 1 / sqrt(fabs(A[i * n + i])) : 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) A[i * n + k] *= d[i] * d[k];
        for (size_t c = 0; c < columns; c++) X[i * columns + c] *= d[i];
    }
    if (dense_eliminate(n, A, 0x1p-46, columns, X)) return HML_SINGULAR;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < columns; c++) X[i * columns + c] *= d[i];
    }
    return HML_OK;
}

/* left = M + h C + h² K at q0, and h K in its own matrix */
static hml_status left_side(const one_step *s, double *left, double *springs)
{
    const size_t n = s->n;
    hml_status status = hml_mass_matrix(s->model, s->work, s->q0, left);
    if (status) return status;
    hmli_add_stiffness(&s->map, s->q0, s->h, s->h * s->h, left);
    memset(springs, 0, n * n * sizeof *springs);
    hmli_add_stiffness(&s->map, s->q0, 0, s->h, springs);
    return HML_OK;
}

/* right sides of the tangent in K; springs: h K */
static hml_status tangent(const one_step *s, const double *springs)
{
    const size_t n = s->n, columns = 3 * n;
    const double h = s->h, *v = s->v;
    const double *a = s->rate + n;
    double *next = s->sum; /* ν⁺ */
    hml_status status = hml_inverse_dynamics_derivatives(s->model, s->work, s->q0, v, a, NULL, s->dq, s->dv, NULL);
    if (status) return status;
    for (size_t i = 0; i < n; i++) next[i] = v[i] + h * a[i];
    hmli_add_stiffness_derivative(&s->map, s->q0, next, h, s->dq);
    memset(s->K, 0, n * columns * sizeof(double));
    for (size_t r = 0; r < n; r++) {
        double *row = s->K + r * columns;
        for (size_t k = 0; k < n; k++) {
            row[k] = -s->dq[r * n + k];
            row[n + k] = -(s->dv[r * n + k] + springs[r * n + k]);
        }
        row[2 * n + r] = 1;
    }
    return HML_OK;
}

step_kind hmli_step_elastic(const hml_model *model, double h, model_coordinate *coordinates)
{
    const model_coordinate *c = model_coordinates(model);
    if (!hmli_is_elastic(model)) return STEP_EXPLICIT;
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        for (int32_t k = b->v; k < b->v + b->nv; k++) {
            if (c[k].stiffness != 0 && !joint_commutes(b->type)) return STEP_GENERAL;
            coordinates[k] = c[k];
            coordinates[k].armature += h * (c[k].damping + h * c[k].stiffness);
            coordinates[k].damping += h * c[k].stiffness;
        }
    }
    return STEP_DIAGONAL;
}

hml_status hmli_step_implicit(const one_step *s)
{
    const size_t n = s->n;
    double *a = s->rate + n, *left = s->left, *springs = s->springs;
    model_mimic_map(s->model, s->map.user, s->map.factor);
    hml_status status = left_side(s, left, springs);
    if (!status) status = hml_inverse_dynamics(s->model, s->work, s->q0, s->v, NULL, NULL, a);
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
        a[i] = (s->tau ? s->tau[i] : 0) - a[i];
        for (size_t k = 0; k < n; k++) a[i] -= springs[i * n + k] * s->v[k];
    }
    memcpy(s->factor, left, n * n * sizeof *left);
    status = solve(n, s->factor, s->sum, 1, a);
    if (status || !s->wanted) return status;
    status = tangent(s, springs);
    return status ? status : solve(n, left, s->sum, 3 * n, s->K);
}
