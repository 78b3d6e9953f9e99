/*
 * Generalized-α on the group (Brüls, Cardona, Arnold, "Lie group generalized-α time integration of constrained flexible
 * multibody systems", 2012), without constraints:
 *
 *   M ν̇⁺ + h(q⁺, ν⁺) = τ⁺                              the equations of motion hold at the end of the step
 *   θ  = h ν + h² ((½ − β) a + β a⁺),  q⁺ = q ⊕ θ
 *   ν⁺ = ν + h ((1 − γ) a + γ a⁺)
 *   (1 − α_m) a⁺ + α_m a = (1 − α_f) ν̇⁺ + α_f ν̇
 *
 * α_m, α_f, β, γ follow from the spectral radius ρ at infinity: vibrations much faster than the step lose the factor ρ
 * a step. Newton's method on ν⁺ with the exact derivatives of inverse dynamics, S(θ) the right Jacobian of exp:
 *
 *   (1−α_f)⁻¹(1−α_m) M + γ h ∂τ/∂ν + β h² ∂τ/∂q S(θ)     for a change of a⁺.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "hamel/configuration.h"
#include "model/model.h"
#include "sim/motion.h"

hml_status hmli_motion_prepare_alpha(hml_motion *m)
{
    hml_status status = hmli_motion_rate(m, m->t, m->q, m->v, m->a);
    memcpy(m->alpha, m->a, m->n * sizeof(double));
    return status;
}

/* J ← c M + γh ∂τ/∂ν + βh² ∂τ/∂q S(θ), the servo's springs and dampers included; r ← what the equations lack */
static hml_status equations(hml_motion *m, double h, const alpha_parameters *p)
{
    size_t n = m->n;
    const double *S = m->L;
    hml_status status = hml_configuration_integrate(m->model, m->q, m->theta1, m->q1);
    if (!status) status = hmli_motion_forces(m, motion_after(m, h), m->q1, m->v1, 1);
    if (!status) status = hml_inverse_dynamics(m->model, m->work, m->q1, m->v1, m->a1, m->wrenches, m->r);
    if (!status) {
        status =
            hml_inverse_dynamics_derivatives(m->model, m->work, m->q1, m->v1, m->a1, m->wrenches, m->dq, m->dv, m->M);
    }
    if (!status) status = hml_configuration_integrate_jacobians(m->model, m->q, m->theta1, NULL, m->L);
    if (status) return status;
    m->info.evaluations++;
    hmli_motion_add_stiffness(m, m->q1, 0, 1, 0, m->dv);
    hmli_motion_add_stiffness(m, m->q1, 0, 0, 1, m->dq);
    for (size_t i = 0; i < n; i++) {
        m->r[i] = m->tau[i] - m->r[i];
        for (size_t k = 0; k < n; k++) {
            m->J[i * n + k] = (1 - p->am) / (1 - p->af) * m->M[i * n + k] + p->gamma * h * m->dv[i * n + k];
        }
        for (size_t c = 0; c < n; c++) { /* S has a block a joint */
            double a = p->beta * h * h * m->dq[i * n + c];
            for (size_t k = 0; a != 0 && k < n; k++) m->J[i * n + k] += a * S[c * n + k];
        }
    }
    return isfinite(motion_norm(n, m->r)) ? HML_OK : HML_NOT_CONVERGED;
}

hml_status hmli_motion_alpha(hml_motion *m, double h)
{
    const alpha_parameters p = alpha_parameters_of(m->options.radius);
    size_t n = m->n;
    double before = INFINITY;
    for (size_t i = 0; i < n; i++) { /* the prediction: the acceleration stays */
        m->a1[i] = m->a[i];
        m->alpha1[i] = ((1 - p.af) * m->a1[i] + p.af * m->a[i] - p.am * m->alpha[i]) / (1 - p.am);
    }
    for (int32_t k = 0; k < m->options.iterations; k++) {
        for (size_t i = 0; i < n; i++) {
            m->v1[i] = m->v[i] + h * ((1 - p.gamma) * m->alpha[i] + p.gamma * m->alpha1[i]);
            m->theta1[i] = h * m->v[i] + h * h * ((0.5 - p.beta) * m->alpha[i] + p.beta * m->alpha1[i]);
        }
        hml_status status = equations(m, h, &p);
        if (!status) status = dense_eliminate(n, m->J, 0, 1, m->r) ? HML_SINGULAR : HML_OK;
        if (status) return status;
        m->info.iterations++;
        double change = h * motion_norm(n, m->r), size = motion_norm(n, m->v1) + h * motion_norm(n, m->alpha1);
        double round = size + h * motion_norm(3, m->model->gravity); /* forces that cancel leave their rounding */
        for (size_t i = 0; i < n; i++) {
            m->alpha1[i] += m->r[i];
            m->a1[i] += (1 - p.am) / (1 - p.af) * m->r[i];
        }
        if (change <= 0x1p-50 * size || (change <= 0x1p-36 * round && change > 0.5 * before)) {
            for (size_t i = 0; i < n; i++) {
                m->v1[i] += h * p.gamma * m->r[i];
                m->theta1[i] += h * h * p.beta * m->r[i];
            }
            return hml_configuration_integrate(m->model, m->q, m->theta1, m->q1);
        }
        before = change;
    }
    return HML_NOT_CONVERGED;
}
