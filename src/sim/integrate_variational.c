/*
 * A variational scheme on the group: the midpoint discrete Lagrangian
 *
 *   L_d(q₀, q₁) = h L(q_m, ξ),   θ = h ξ = q₁ ⊖ q₀,   q_m = q₀ ⊕ θ/2,
 *
 * whose discrete Euler-Lagrange equations are symplectic, symmetric (so of second order), and keep what a symmetry of L
 * keeps (Marsden, West, "Discrete mechanics and variational integrators", 2001). With p = ∂L/∂ν and D, all that changes
 * a momentum, both at (q_m, ξ) (integrate_momentum.c), μ the momentum of a joint from the left at the step's start:
 *
 *   S(−θ)⁻ᵀ (p + h/2 S(θ/2)ᵀ D) − h Ad(exp(−θ/2))ᵀ D = μ         solved for ξ
 *   π⁺ = π + h Ad(g_m)⁻ᵀ D,   μ = Ad(g)ᵀ π                        π: the same momentum seen from the predecessor
 *
 * The second line is Müller's (36) and (79), carried joint by joint: where nothing pushes, π does not change by a bit.
 * For a free base it is the robot's spatial momentum. The first line is solved by Newton's method with the matrix
 * M(q₀) + h/2 C + h²/4 K, C the dampers and K the springs; what it leaves out is smaller than it by a factor h|ν|.
 */
#include <math.h>
#include <string.h>

#include "algo/dense.h"
#include "hamel/configuration.h"
#include "model/coordinates.h"
#include "sim/integrate.h"

/* Ad of a joint's g(q), or of its inverse, on the joint's own coordinates; m × m. Only curved groups come here */
static void joint_adjoint(int type, const double *q, int inverse, double *out)
{
    twist S[HML_JOINT_MAX_NV];
    int m = joint_nv(type);
    pose g = joint_element(type, vec3_of(0, 0, 1), 0, q);
    if (inverse) g = pose_inverse(g);
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    for (int c = 0; c < m; c++) {
        twist V = pose_ad(g, S[c]);
        for (int r = 0; r < m; r++) out[r * m + c] = vec3_dot(S[r].v, V.v) + vec3_dot(S[r].w, V.w);
    }
}

/* out = Ad(g)ᵀ x, or Ad(g)⁻ᵀ x, g the joints' elements at q; out may not be x */
static void adjoint_transposed(const hml_model *model, const double *q, int inverse, const double *x, double *out)
{
    memcpy(out, x, (size_t)model->nv * sizeof *x);
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        double A[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        int m = j->nv;
        if (!motion_curved(j->type)) continue;
        joint_adjoint(j->type, q + j->q, inverse, A);
        for (int c = 0; c < m; c++) {
            double sum = 0;
            for (int r = 0; r < m; r++) sum += A[r * m + c] * x[j->v + r];
            out[j->v + c] = sum;
        }
    }
}

/* p and D at the middle of the step for m->theta1, and in r what is missing of the first line; x, s are scratch */
static hml_status residual(hml_motion *m, double h, const double *mu)
{
    size_t n = m->n;
    double *half = m->a1, *xi = m->v1, *p = m->x, *D = m->x + n, *r = m->r, *s = m->s;
    for (size_t i = 0; i < n; i++) half[i] = 0.5 * m->theta1[i], xi[i] = m->theta1[i] / h;
    hml_status status = hml_configuration_integrate(m->model, m->q, half, m->q1);
    if (!status) status = hml_motion_forces(m, m->t + 0.5 * h, m->q1, xi, 1);
    if (status) return status;
    hml_motion_momentum(m, m->q1, xi, p, D);
    hml_motion_apply(m->model, half, 0, 1, D, s);
    for (size_t i = 0; i < n; i++) p[i] += 0.5 * h * s[i], xi[i] = -m->theta1[i];
    hml_motion_apply(m->model, xi, 1, 1, p, r);
    for (size_t i = 0; i < n; i++) half[i] = -half[i]; /* Ad(exp(−φ)) = S(φ) S(−φ)⁻¹ */
    hml_motion_apply(m->model, half, 1, 1, s, xi);
    for (size_t i = 0; i < n; i++) r[i] -= h * xi[i] + mu[i];
    return isfinite(motion_norm(n, r)) ? HML_OK : HML_NOT_CONVERGED;
}

/* M at q, factored in L */
static hml_status factor_mass(hml_motion *m, const double *q)
{
    size_t n = m->n;
    memset(m->s, 0, n * sizeof(double));
    hml_status status = hml_inverse_dynamics_derivatives(m->model, m->work, q, m->s, m->s, NULL, NULL, NULL, m->M);
    if (status) return status;
    memcpy(m->L, m->M, n * n * sizeof(double));
    return dense_factor(n, m->L, NULL) ? HML_SINGULAR : HML_OK;
}

hml_status hml_motion_prepare_variational(hml_motion *m)
{
    size_t n = m->n;
    hml_status status = factor_mass(m, m->q);
    for (size_t i = 0; i < n; i++) {
        m->r[i] = 0;
        for (size_t k = 0; k < n; k++) m->r[i] += m->M[i * n + k] * m->v[k];
    }
    adjoint_transposed(m->model, m->q, 1, m->r, m->pi);
    return status;
}

/* θ of the step, by Newton's method; mu: the momenta at its start */
static hml_status solve_step(hml_motion *m, double h, const double *mu)
{
    size_t n = m->n;
    const double *L = m->L;
    double before = INFINITY;
    if (hml_motion_is_elastic(m)) {
        memcpy(m->J, m->M, n * n * sizeof(double));
        hml_motion_add_stiffness(m, m->q, 1, 0.5 * h, 0.25 * h * h, m->J);
        if (dense_factor(n, m->J, NULL)) return HML_SINGULAR;
        L = m->J;
    }
    for (int32_t i = 0; i < m->options.iterations; i++) {
        hml_status status = residual(m, h, mu);
        if (status) return status;
        m->info.iterations++;
        dense_solve(n, L, m->r);
        for (size_t k = 0; k < n; k++) m->theta1[k] -= h * m->r[k];
        double change = h * motion_norm(n, m->r), size = motion_norm(n, m->theta1);
        if (change <= 0x1p-52 * size) return HML_OK;
        if (change <= 0x1p-42 * size && change > 0.5 * before) return HML_OK; /* it has come to rounding */
        before = change;
    }
    return HML_NOT_CONVERGED;
}

hml_status hml_motion_variational(hml_motion *m, double h)
{
    size_t n = m->n;
    double *mu = m->alpha;
    adjoint_transposed(m->model, m->q, 0, m->pi, mu);
    for (size_t i = 0; i < n; i++) m->theta1[i] = h * m->v[i];
    for (size_t i = 0; m->h > 0 && i < n; i++) m->theta1[i] += 0.5 * h * h / m->h * (m->v[i] - m->v0[i]);
    hml_status status = solve_step(m, h, mu);
    if (!status) status = residual(m, h, mu); /* D where ξ has come to */
    if (status) return status;
    adjoint_transposed(m->model, m->q1, 1, m->x + n, m->s);
    for (size_t i = 0; i < n; i++) m->pi1[i] = m->pi[i] + h * m->s[i];
    status = hml_configuration_integrate(m->model, m->q, m->theta1, m->q1);
    if (!status) status = factor_mass(m, m->q1);
    if (status) {
        hml_status again = factor_mass(m, m->q); /* as it was, for the next try */
        return again ? again : status;
    }
    adjoint_transposed(m->model, m->q1, 0, m->pi1, m->v1);
    dense_solve(n, m->L, m->v1);
    return HML_OK;
}
