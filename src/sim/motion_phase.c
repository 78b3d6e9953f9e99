/*
 * Integration by momenta: the classical Runge-Kutta scheme in phase space, for x = (θ, π) from (0, π₀), q = q₀ ⊕ θ,
 *
 *   θ̇ = S(θ)⁻¹ ν,   π̇ = Ad(g)⁻ᵀ D(t, q, ν),   ν = M(q)⁻¹ Ad(g)ᵀ π.
 *
 * p = Ad(g)ᵀ π is ∂L/∂ν, the momentum of a joint from the left, and D all that changes a momentum (motion_momentum.c).
 * π is the same momentum in the axes of the predecessor: Hamilton's equations, with the momentum of each joint as
 * simple as Müller (36) makes that of a body. It is what his (79) leaves when the momenta of the bodies are summed up
 * over what a joint carries, π = Σ JᵀΠ: as many numbers as velocities, and none that could drift away from the others.
 *
 * Where nothing pushes a robot that floats, its momentum stays as it is to the bit, whatever the step: a Runge-Kutta
 * scheme adds up rates, and these are zero. Energy has the scheme's error, of order four.
 *
 * The momenta of a robot that floats are those in the frame of its centre of mass c, which has the velocity P/m and the
 * acceleration F/m: π of the base is P and the angular momentum about c, θ of its position is the way of c, and the
 * base is where c says. M (Rᵀa, 0), a = F/m, is taken off D. Otherwise an error of a position times P, in a stage on
 * the way, would be an angular momentum: errors were up to two thousand times as large. For other robots the pole of π
 * is where the joint's origin was when the step began, and moves on between two steps.
 */
#include <string.h>

#include "base/dense.h"
#include "hamel/configuration.h"
#include "model/coordinates.h"
#include "sim/motion_floating.h"

static int floats(const hml_motion *m) { return m->mass > 0; }

/* how many of a joint's numbers, its first, are a position that a momentum has a pole at */
static int pole_numbers(int32_t type)
{
    switch (type) {
    case HML_JOINT_PLANAR: return 2;
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE: return 3;
    default: return 0;
    }
}

/* local ← q with all origins seen from the poles: from where they were at the step's start */
static void from_poles(const hml_motion *m, const double *q)
{
    memcpy(m->local, q, m->nq * sizeof(double));
    for (const model_joint *j = first_joint(m->model); j; j = next_joint(m->model, j)) {
        for (int k = 0; k < pole_numbers(j->type); k++) m->local[j->q + k] -= m->q[j->q + k];
    }
}

/* π about the poles of now becomes π about those of q1 */
static void move_poles(const hml_motion *m, double *pi)
{
    hml_configuration_neutral(m->model, m->local);
    for (const model_joint *j = first_joint(m->model); j; j = next_joint(m->model, j)) {
        for (int k = 0; k < pole_numbers(j->type); k++) m->local[j->q + k] = m->q1[j->q + k] - m->q[j->q + k];
    }
    memcpy(m->r, pi, m->n * sizeof(double));
    hmli_motion_adjoint(m->model, m->local, 0, m->r, pi);
    if (floats(m)) memcpy(pi, m->r, 6 * sizeof(double)); /* P and L about c have no pole */
}

/* q1 ← q ⊕ θ, with M there; of a robot that floats θ begins with the way of c */
static hml_status place(hml_motion *m, const double *theta)
{
    hml_status status = hml_configuration_integrate(m->model, m->q, theta, m->q1);
    if (!status) status = hmli_motion_factor_mass(m, m->q1);
    if (status || !floats(m)) return status;
    motion_move_com(m, vec3_at(theta));
    vec3_put(vec3_sub(vec3_at(m->com1[0]), motion_turned(m->q1, motion_com_in_base(m))), m->q1);
    return HML_OK;
}

/* v ← the velocity at q1 of the momenta pi, in the frame of c; local is then q1 seen from the poles */
static void velocity(const hml_motion *m, const double *pi, double *v)
{
    from_poles(m, m->q1);
    hmli_motion_adjoint(m->model, m->local, 0, pi, v);
    if (floats(m)) {
        vec3_put(vec3_zero(), v);
        vec3_put(motion_seen(m->q1, vec3_at(pi + 3)), v + 3);
    }
    dense_solve(m->n, m->L, v);
}

/* and with the velocity of c */
static void add_flight(const hml_motion *m, const double *pi, double *v)
{
    if (floats(m)) vec3_put(vec3_axpy(1 / m->mass, motion_seen(m->q1, vec3_at(pi)), vec3_at(v)), v);
}

/*
 * x ← x − M (e, 0), e = the first three of x over m: momenta x in the frame of c, or what changes them there. The first
 * three, in the axes of the world, are returned: P, or F
 */
static vec3 into_flight(const hml_motion *m, const double *q, double *x)
{
    vec3 whole = motion_turned(q, vec3_at(x)), e = vec3_scale(1 / m->mass, vec3_at(x));
    for (size_t i = 0; i < m->n; i++) {
        const double *row = m->M + i * m->n;
        x[i] -= row[0] * e.x + row[1] * e.y + row[2] * e.z;
    }
    return whole;
}

/* the rates of x = (θ, π) in k */
static hml_status evaluate(hml_motion *m, double t, double *k)
{
    size_t n = m->n;
    const double *pi = m->x + n;
    double *D = m->s;
    hml_status status = place(m, m->x);
    if (status) return status;
    velocity(m, pi, m->v1);
    hmli_motion_apply(m->model, m->x, 1, m->v1, k);
    memcpy(m->a1, m->v1, n * sizeof(double));
    add_flight(m, pi, m->a1);
    status = hmli_motion_forces(m, t, m->q1, m->a1, 1);
    if (status) return status;
    hmli_motion_momentum(m, m->q1, m->v1, m->r, D);
    vec3 F = floats(m) ? into_flight(m, m->q1, D) : vec3_zero();
    hmli_motion_adjoint(m->model, m->local, 1, D, k + n);
    if (floats(m)) {
        vec3_put(vec3_scale(1 / m->mass, vec3_at(pi)), k);
        vec3_put(F, k + n);
        vec3_put(motion_turned(m->q1, vec3_at(D + 3)), k + n + 3);
    }
    return finite_numbers(k, 2 * (int32_t)n);
}

/* π of the state (q, ν) */
hml_status hmli_motion_prepare_phase(hml_motion *m)
{
    size_t n = m->n;
    hml_status status = hmli_motion_factor_mass(m, m->q);
    if (status) return status;
    m->mass = motion_floating_mass(m->model);
    for (size_t i = 0; i < n; i++) {
        m->r[i] = 0;
        for (size_t k = 0; k < n; k++) m->r[i] += m->M[i * n + k] * m->v[k];
    }
    vec3 P = floats(m) ? into_flight(m, m->q, m->r) : vec3_zero();
    from_poles(m, m->q);
    hmli_motion_adjoint(m->model, m->local, 1, m->r, m->pi);
    if (floats(m)) {
        vec3 c = motion_com_in_base(m);
        vec3_put(vec3_add(vec3_at(m->q), motion_turned(m->q, c)), m->com[0]);
        memset(m->com[1], 0, sizeof m->com[1]);
        vec3_put(P, m->pi);
        vec3_put(motion_turned(m->q, vec3_at(m->r + 3)), m->pi + 3);
    }
    return HML_OK;
}

hml_status hmli_motion_phase(hml_motion *m, double h)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    size_t n = m->n;
    for (int s = 0; s < 4; s++) {
        const double *before = m->stages + (size_t)(s - (s > 0)) * 2 * n;
        for (size_t i = 0; i < 2 * n; i++) {
            double start = i < n ? 0 : m->pi[i - n];
            m->x[i] = s ? start + node[s] * h * before[i] : start;
        }
        hml_status status = evaluate(m, m->t + node[s] * h, m->stages + (size_t)s * 2 * n);
        if (status) return status;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        double sum = 0;
        for (size_t s = 0; s < 4; s++) sum += weight[s] * m->stages[s * 2 * n + i];
        if (i < n) m->theta1[i] = h * sum;
        if (i >= n) m->pi1[i - n] = m->pi[i - n] + h * sum;
    }
    hml_status status = place(m, m->theta1);
    if (status) return status;
    velocity(m, m->pi1, m->v1);
    add_flight(m, m->pi1, m->v1);
    move_poles(m, m->pi1);
    return floats(m) ? hml_configuration_difference(m->model, m->q, m->q1, m->theta1) : HML_OK;
}
