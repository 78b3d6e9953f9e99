/*
 * A variational scheme on the group: the midpoint discrete Lagrangian
 *
 *   L_d(q₀, q₁) = h L(q_m, ξ),   q₁ = q₀ ∘ g,   q_m = q₀ ∘ m,
 *
 * whose discrete Euler-Lagrange equations are symplectic, symmetric (so of second order), and keep what a symmetry of L
 * keeps (Marsden, West, "Discrete mechanics and variational integrators", 2001). θ = hξ are a joint's coordinates of
 * the step, (Δ, φ) of a joint that moves and turns:
 *
 *   g = (exp φ, A Δ),   m = (A, A Δ/2),   A = exp(φ/2).
 *
 * That is the chord in the axes of the middle, not the screw: a body that flies freely keeps to its straight line. With
 * the screw (g = exp θ) its speed would be wrong by a factor h²ω²/12, and the errors of a tumbling robot a hundred
 * times as large. For joints that commute it is q₀ + θ and q₀ + θ/2.
 *
 * With p = ∂L/∂ν and D, all that changes a momentum, both at (q_m, ξ) (motion_momentum.c), and μ the momentum of a
 * joint from the left at the step's start:
 *
 *   Ad(g)⁻ᵀ T⁻ᵀ (p + h Nᵀ D) − h Ad(m)⁻ᵀ D = μ                     solved for ξ
 *   π⁺ = π + h Ad(g_m)⁻ᵀ D,   μ = Ad(g₀)ᵀ π                        π: the same momentum seen from the predecessor
 *
 * T and N say how g and m move with θ, g⁻¹δg = T δθ, m⁻¹δm = N δθ; with J the right Jacobian of exp on SO(3) and
 * w = ½ J(φ/2) δφ,
 *
 *   T δθ = (Aᵀ(δΔ + w × Δ), J(φ) δφ),   N δθ = (½(δΔ + w × Δ), w).
 *
 * The second line of the scheme is Müller's (36) and (79), carried joint by joint: where nothing pushes, π does not
 * change by a bit. For a free base it is the robot's spatial momentum. The first line is solved by Newton's method with
 * the matrix M(q₀) + h/2 C + h²/4 K, C the dampers and K the springs; what it leaves out is smaller by a factor h|ν|.
 *
 * A robot with a free base falls and flies as if it were at rest. Its step is made in the frame of its centre of mass,
 * which begins with the velocity u = P/m and has the acceleration a = F/m of the middle: M(q) (Rᵀu, 0) is taken off the
 * momenta at the start and M(q) (Rᵀa, 0) off D; the centre of mass itself moves by h u + h²a/2. Without this the joints
 * of a falling robot would have errors h²|u| that are not theirs. The scheme stays symplectic: in these coordinates
 * kinetic energy is that of the centre of mass plus that of the rest. π of the base is then P, and the angular momentum
 * about the centre of mass: nothing in a step depends on how far from the origin the robot is.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "hamel/configuration.h"
#include "sim/motion_chord.h"
#include "sim/motion_floating.h"

/* ---- the equations of a joint ---- */

/* the left side of the first line of a curved joint; p and D are its own */
static void joint_balance(int type, double h, const double *theta, const double *p, const double *D, double *out)
{
    twist x = chord_embed(type, theta), P = chord_embed(type, p), F = chord_embed(type, D);
    vec3 half = vec3_scale(0.5, x.w);
    mat3 A = so3_exp(half);
    /* y = p + h Nᵀ D */
    vec3 turn = vec3_axpy(0.5, vec3_cross(x.v, F.v), F.w);
    vec3 y_linear = vec3_axpy(0.5 * h, F.v, P.v);
    vec3 y_angular = vec3_axpy(0.5 * h, so3_dexp_left_apply(half, turn), P.w);
    /* T⁻ᵀ y */
    vec3 lever = so3_dexp_left_apply(half, vec3_cross(x.v, y_linear));
    wrench end =
        wrench_of(mat3_tmul_vec(A, y_linear), so3_dexp_left_inverse_apply(x.w, vec3_axpy(-0.5, lever, y_angular)));
    wrench middle = wrench_of(F.v, F.w);
    vec3 chord = mat3_mul_vec(A, x.v);
    end = pose_ad_dual(pose_of(mat3_mul(A, A), chord), end);
    middle = pose_ad_dual(pose_of(A, vec3_scale(0.5, chord)), middle);
    chord_project(type, vec3_axpy(-h, middle.f, end.f), vec3_axpy(-h, middle.t, end.t), out);
}

/* ---- the frame that moves along ---- */

/* x += M (Rᵀu, 0), M that at q */
static void add_boost(const hml_motion *m, const double *q, vec3 u, double *x)
{
    vec3 e = motion_seen(q, u);
    for (size_t i = 0; i < m->n; i++) {
        const double *row = m->M + i * m->n;
        x[i] += row[0] * e.x + row[1] * e.y + row[2] * e.z;
    }
}

/* velocity of the centre of mass after a part s of the step */
static vec3 boost_after(const hml_motion *m, double s) { return vec3_axpy(s, vec3_at(m->push), vec3_at(m->boost)); }

/*
 * D of the middle q1 in the accelerated frame; its acceleration is found there, too. Returns by how much that changed.
 * s, pi1 and theta1 are scratch here.
 */
static double take_off_acceleration(hml_motion *m, double *D)
{
    vec3 F = motion_turned(m->q1, vec3_at(D));
    vec3 a = vec3_scale(1 / m->mass, F), change = vec3_sub(a, vec3_at(m->push));
    vec3_put(a, m->push);
    if (vec3_dot(a, a) == 0) return 0;
    memset(m->s, 0, m->n * sizeof(double));
    vec3_put(motion_seen(m->q1, a), m->s);
    hmli_motion_momentum(m, m->q1, m->s, m->pi1, m->theta1); /* p is linear in ν: M (Rᵀa, 0) */
    for (size_t i = 0; i < m->n; i++) D[i] -= m->pi1[i];
    return vec3_norm(change);
}

/*
 * p and D at the middle of the step θ, in x; q1 is then the middle, and r what the first line lacks; *change: by how
 * much the frame's acceleration is new. θ, p, D and r are those of the moving frame.
 */
static hml_status residual(hml_motion *m, double h, const double *theta, const double *mu, double *change)
{
    size_t n = m->n;
    double *xi = m->v1, *p = m->x, *D = m->x + n, *r = m->r;
    chord_coordinates(m->model, theta, 1, m->s);
    for (size_t i = 0; i < n; i++) xi[i] = theta[i] / h;
    hml_status status = hml_configuration_integrate(m->model, m->q, m->s, m->q1);
    if (status) return status;
    if (m->mass > 0) {
        vec3_put(vec3_axpy(0.5 * h, boost_after(m, 0.25 * h), vec3_at(m->q1)), m->q1);
        vec3_put(vec3_add(vec3_at(xi), motion_seen(m->q1, boost_after(m, 0.5 * h))), xi);
    }
    status = hmli_motion_forces(m, motion_after(m, 0.5 * h), m->q1, xi, 1);
    if (status) return status;
    for (size_t i = 0; i < n; i++) xi[i] = theta[i] / h;
    hmli_motion_momentum(m, m->q1, xi, p, D);
    *change = m->mass > 0 ? take_off_acceleration(m, D) : 0;
    for (size_t i = 0; i < n; i++) r[i] = p[i] - 0.5 * h * D[i];
    for (const model_joint *j = first_joint(m->model); j; j = next_joint(m->model, j)) {
        if (!joint_commutes(j->type)) joint_balance(j->type, h, theta + j->v, p + j->v, D + j->v, r + j->v);
    }
    for (size_t i = 0; i < n; i++) r[i] -= mu[i];
    return isfinite(motion_norm(n, r)) ? HML_OK : HML_NOT_CONVERGED;
}

/* ---- the step ---- */

hml_status hmli_motion_prepare_variational(hml_motion *m)
{
    size_t n = m->n;
    hml_status status = hmli_motion_factor_mass(m, m->q);
    m->mass = motion_floating_mass(m->model);
    memset(m->push, 0, sizeof m->push);
    for (size_t i = 0; i < n; i++) {
        m->r[i] = 0;
        for (size_t k = 0; k < n; k++) m->r[i] += m->M[i * n + k] * m->v[k];
    }
    hmli_motion_adjoint(m->model, m->q, 1, m->r, m->pi);
    if (m->mass > 0) {
        vec3 c = motion_com_in_base(m);
        vec3_put(vec3_add(vec3_at(m->q), motion_turned(m->q, c)), m->com[0]);
        memset(m->com[1], 0, sizeof m->com[1]);
        vec3_put(motion_turned(m->q, vec3_sub(vec3_at(m->r + 3), vec3_cross(c, vec3_at(m->r)))), m->pi + 3);
    }
    return status;
}

/* θ of the step, by Newton's method from a guess; mu: the momenta at its start */
static hml_status solve_step(hml_motion *m, double h, const double *mu, double *theta)
{
    size_t n = m->n;
    const double *L = m->L;
    double before = INFINITY;
    if (hmli_motion_is_elastic(m)) {
        memcpy(m->J, m->M, n * n * sizeof(double));
        hmli_motion_add_stiffness(m, m->q, 1, 0.5 * h, 0.25 * h * h, m->J);
        if (dense_factor(n, m->J, NULL)) return HML_SINGULAR;
        L = m->J;
    }
    for (int32_t i = 0; i < m->options.iterations; i++) {
        double change;
        hml_status status = residual(m, h, theta, mu, &change);
        if (status) return status;
        m->info.iterations++;
        dense_solve(n, L, m->r);
        for (size_t k = 0; k < n; k++) theta[k] -= h * m->r[k];
        change = h * (motion_norm(n, m->r) + h * change);
        double size = motion_norm(n, theta) + h * motion_norm(3, m->boost);
        if (change <= 0x1p-52 * size) return HML_OK;
        if (change <= 0x1p-42 * size && change > 0.5 * before) return HML_OK; /* it has come to rounding */
        before = change;
    }
    return HML_NOT_CONVERGED;
}

/* the first guess: the velocity goes on changing as it did */
static void predict(hml_motion *m, double h, double *theta)
{
    for (size_t i = 0; i < m->n; i++) theta[i] = h * m->v[i];
    for (size_t i = 0; m->h > 0 && i < m->n; i++) theta[i] += 0.5 * h * h / m->h * (m->v[i] - m->v0[i]);
    if (m->mass > 0) vec3_put(vec3_axpy(-h, motion_seen(m->q, boost_after(m, 0.5 * h)), vec3_at(theta)), theta);
}

/* π⁺ of all joints but a base that floats in its own frame: from μ of that frame, and D at the middle q1 */
static void push_momenta(hml_motion *m, double h, const double *mu)
{
    size_t n = m->n;
    hmli_motion_adjoint(m->model, m->q, 1, mu, m->pi1);
    hmli_motion_adjoint(m->model, m->q1, 1, m->x + n, m->s);
    for (size_t i = 0; i < n; i++) m->pi1[i] += h * m->s[i];
    if (!(m->mass > 0)) return;
    vec3 force = vec3_scale(m->mass, vec3_at(m->push)), torque = motion_turned(m->q1, vec3_at(m->x + n + 3));
    vec3_put(vec3_axpy(h, force, vec3_at(m->pi)), m->pi1);
    vec3_put(vec3_axpy(h, torque, vec3_at(m->pi + 3)), m->pi1 + 3);
}

/* where the step ends: q1, theta1, and M there */
static hml_status finish(hml_motion *m, double h, const double *theta)
{
    chord_coordinates(m->model, theta, 0, m->theta1);
    hml_status status = hml_configuration_integrate(m->model, m->q, m->theta1, m->q1);
    if (!status) status = hmli_motion_factor_mass(m, m->q1);
    if (status || !(m->mass > 0)) return status;
    motion_move_com(m, vec3_scale(h, boost_after(m, 0.5 * h)));
    vec3_put(vec3_sub(vec3_at(m->com1[0]), motion_turned(m->q1, motion_com_in_base(m))), m->q1);
    return hml_configuration_difference(m->model, m->q, m->q1, m->theta1);
}

/* μ of the base at q, in the frame of the com if `moving`: there P is zero */
static void base_momentum(const hml_motion *m, const double *q, const double *pi, int moving, double *mu)
{
    vec3 P = moving ? vec3_zero() : motion_seen(q, vec3_at(pi)), L = motion_seen(q, vec3_at(pi + 3));
    vec3_put(P, mu);
    vec3_put(vec3_add(L, vec3_cross(motion_com_in_base(m), P)), mu + 3);
}

hml_status hmli_motion_variational(hml_motion *m, double h)
{
    size_t n = m->n;
    double *mu = m->alpha, *theta = m->a1, change;
    hmli_motion_adjoint(m->model, m->q, 0, m->pi, mu);
    if (m->mass > 0) {
        vec3 u = vec3_scale(1 / m->mass, vec3_at(m->pi));
        vec3_put(u, m->boost);
        add_boost(m, m->q, vec3_neg(u), mu);
        base_momentum(m, m->q, m->pi, 1, mu);
    }
    predict(m, h, theta);
    hml_status status = solve_step(m, h, mu, theta);
    if (!status) status = residual(m, h, theta, mu, &change); /* D where θ has come to */
    if (status) return status;
    push_momenta(m, h, mu);
    status = finish(m, h, theta);
    if (status) {
        hml_status again = hmli_motion_factor_mass(m, m->q); /* as it was, for the next try */
        return again ? again : status;
    }
    hmli_motion_adjoint(m->model, m->q1, 0, m->pi1, m->v1);
    if (m->mass > 0) { /* back from the moving frame */
        add_boost(m, m->q1, boost_after(m, h), m->v1);
        base_momentum(m, m->q1, m->pi1, 0, m->v1);
        hmli_motion_adjoint(m->model, m->q1, 1, m->v1, m->s);
        memcpy(m->pi1 + 6, m->s + 6, (n - 6) * sizeof(double));
    }
    dense_solve(n, m->L, m->v1);
    return HML_OK;
}
