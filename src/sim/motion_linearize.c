/*
 * The exact derivatives of a motion's last step: hml_motion_linearize of hamel/motion.h.
 *
 * Explicit steps and Euler's are those of hml_step; variational ones are in motion_variational_linearize.c. Generalized-α
 * (motion_alpha.c) has the auxiliary acceleration α as a state of its own. With κ = (1 − α_f)/(1 − α_m), α⁺ = κ a⁺ + (α_f a − α_m α)/(1 − α_m), so that with a = ν̇ at the start
 *
 *   dν⁺ = z_ν + h γ c da + h (1 − γ + γ d) z_α + h γ κ da⁺
 *   dθ  = h z_ν + h² β c da + h² (½ − β + β d) z_α + h² β κ da⁺,    z_q⁺ = E z_q + S dθ
 *
 * where c = α_f/(1 − α_m), d = −α_m/(1 − α_m), da = D_q z_q + D_ν z_ν + M⁻¹ w, and E and S are those of q ⊕ θ. The
 * equations of motion at the end, ID(q⁺, ν⁺, a⁺) = τ, give da⁺: ∂ID/∂q z_q⁺ + ∂ID/∂ν dν⁺ + M da⁺ = w.
 */
#include <string.h>

#include "base/dense.h"
#include "base/layout.h"
#include "hamel/configuration.h"
#include "hamel/discrete.h"
#include "hamel/dynamics.h"
#include "model/model.h"
#include "sim/motion.h"

typedef struct alpha_tangent {
    double *start; /* n × 4n: da by z_q, z_ν, z_α and w; then dθ */
    double *end;   /* n × 4n: da⁺ */
    double *E, *S; /* n × n */
} alpha_tangent;

static size_t lay_out(size_t n, double *at, alpha_tangent *a)
{
    layout_cursor c = layout_begin(at);
    a->start = layout_doubles(&c, 4 * n * n);
    a->end = layout_doubles(&c, 4 * n * n);
    a->E = layout_doubles(&c, n * n);
    a->S = layout_doubles(&c, n * n);
    return layout_count(&c);
}

size_t hml_motion_linearize_scratch_doubles(const hml_model *model)
{
    alpha_tangent a;
    if (!model) return 0;
    const size_t alpha = lay_out((size_t)model->nv, NULL, &a);
    const size_t step = hml_step_scratch_doubles(model) + (size_t)model->nq + (size_t)model->nv;
    const size_t variational = hmli_motion_variational_scratch(model), most = step > alpha ? step : alpha;
    return most > variational ? most : variational;
}

int32_t hml_motion_states(const hml_motion *m)
{
    return m ? (m->options.scheme == HML_SCHEME_ALPHA ? 3 : 2) * m->model->nv : 0;
}

/* ---- generalized-α ---- */

/* da at the start; E and S; ∂ID and M at the end, in dq, dv and M of the motion */
static hml_status derivatives(hml_motion *m, const alpha_tangent *a)
{
    const size_t n = m->n, ld = 4 * n;
    const double *wrenches = m->forces.wrenches;
    hml_linearization at;
    memset(&at, 0, sizeof at);
    at.struct_size = sizeof at;
    at.q.data = m->q0, at.v.data = m->v0, at.tau.data = m->forces.tau, at.wrenches.data = wrenches;
    at.Dq = (hml_output){a->start, ld, 0};
    at.Dv = (hml_output){a->start + n, ld, 0};
    at.Minv = (hml_output){a->start + 3 * n, ld, 0};
    hml_status status = hml_linearize(m->model, m->work, &at);
    if (!status) status = hml_configuration_integrate_jacobians(m->model, m->q0, m->theta, a->E, a->S);
    if (status) return status;
    for (size_t i = 0; i < n; i++) memset(a->start + i * ld + 2 * n, 0, n * sizeof(double));
    return hml_inverse_dynamics_derivatives(m->model, m->work, m->q, m->v, m->a, wrenches, m->dq, m->dv, m->M);
}

/* da⁺ in a->end. v, q: factors of da, z_α and da⁺ in dν⁺ and dθ */
static hml_status solve_end(hml_motion *m, double h, const double v[3], const double q[3], const alpha_tangent *a)
{
    const size_t n = m->n, ld = 4 * n;
    double *J = m->J, *G = m->L, *X = a->end;
    memset(J, 0, n * n * sizeof *J);
    memset(X, 0, n * ld * sizeof *X);
    dense_add_product(n, n, 1, m->dq, a->S, n, J, n); /* ∂ID/∂q S */
    dense_add_product(n, n, -1, m->dq, a->E, n, X, ld);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const size_t at = i * n + k;
            double *to = X + i * ld + k;
            to[n] = -m->dv[at] - h * J[at];
            to[2 * n] = -(v[1] * m->dv[at] + q[1] * J[at]);
            to[3 * n] = i == k;
            G[at] = v[0] * m->dv[at] + q[0] * J[at];
            J[at] = m->M[at] + v[2] * m->dv[at] + q[2] * J[at];
        }
    }
    dense_add_product(n, ld, -1, G, a->start, ld, X, ld);
    return dense_eliminate(n, J, 0, ld, X) ? HML_SINGULAR : HML_OK;
}

static hml_status alpha_linearize(hml_motion *m, double *scratch, double *A, double *B)
{
    alpha_tangent a;
    const alpha_parameters p = alpha_parameters_of(m->options.radius);
    const size_t n = m->n, ld = 4 * n, w = 3 * n;
    const double h = m->h, kappa = (1 - p.af) / (1 - p.am), c = p.af / (1 - p.am), d = -p.am / (1 - p.am);
    const double v[3] = {h * p.gamma * c, h * (1 - p.gamma + p.gamma * d), h * p.gamma * kappa};
    const double q[3] = {h * h * p.beta * c, h * h * (0.5 - p.beta + p.beta * d), h * h * p.beta * kappa};
    lay_out(n, scratch, &a);
    hml_status status = derivatives(m, &a);
    if (!status) status = solve_end(m, h, v, q, &a);
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < ld; k++) {
            const double da = a.start[i * ld + k], end = a.end[i * ld + k], own = k == 2 * n + i;
            double *velocity = k < w ? A + (n + i) * w + k : B + (n + i) * n + k - w;
            double *auxiliary = k < w ? A + (2 * n + i) * w + k : B + (2 * n + i) * n + k - w;
            *velocity = v[0] * da + v[1] * own + v[2] * end + (k == n + i);
            *auxiliary = c * da + d * own + kappa * end;
            a.start[i * ld + k] = q[0] * da + q[1] * own + q[2] * end + (k == n + i ? h : 0);
        }
        memset(A + i * w, 0, w * sizeof *A);
        memset(B + i * n, 0, n * sizeof *B);
        memcpy(A + i * w, a.E + i * n, n * sizeof *A);
    }
    dense_add_product(n, w, 1, a.S, a.start, ld, A, w);
    dense_add_product(n, n, 1, a.S, a.start + w, ld, B, n);
    return HML_OK;
}

/* ---- all ---- */

static hml_status step_linearize(hml_motion *m, double *scratch, double *A, double *B)
{
    const size_t step = hml_step_scratch_doubles(m->model);
    double *q = scratch + step, *v = q + m->nq;
    if (m->forces.wrenches) return HML_UNSUPPORTED;
    return hml_step(m->model, m->work, scratch,
                    &HML_STRUCT(hml_discrete_step, .scheme = m->options.scheme, .h = m->h, .q.data = m->q0,
                                .v.data = m->v0, .tau.data = m->forces.tau, .q_next.data = q, .v_next.data = v,
                                .Ad.data = A, .Bd.data = B));
}

hml_status hml_motion_linearize(hml_motion *m, double *scratch, double *Ad, double *Bd)
{
    if (!m || !scratch || !Ad || !Bd || !(m->h > 0)) return HML_INVALID_ARGUMENT;
    const hml_forces *f = &m->forces;
    if (m->options.constraints || f->nframe_wrenches || f->nsamples || f->target || f->function || f->inputs)
        return HML_UNSUPPORTED;
    switch (m->options.scheme) {
    case HML_SCHEME_EULER:
    case HML_SCHEME_RK2:
    case HML_SCHEME_RK4: return step_linearize(m, scratch, Ad, Bd);
    case HML_SCHEME_ALPHA: return alpha_linearize(m, scratch, Ad, Bd);
    case HML_SCHEME_VARIATIONAL: return hmli_motion_variational_linearize(m, scratch, Ad, Bd);
    default: return HML_UNSUPPORTED;
    }
}
