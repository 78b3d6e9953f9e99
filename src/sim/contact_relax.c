/*
 * Friction relaxed to a convex problem: the impulse of a contact lies in its cone |P_t| ≤ μ P_n, and of all such impulses
 * it is the one with the least
 *
 *   E(P) = ½ Pᵀ K P + Pᵀ base,
 *
 * the kinetic energy after the step less that of the free step (Anitescu; "cone complementarity"). The laws that hold
 * then are Coulomb's but for one: what slides with the speed s separates with μ s.
 *
 * Block after block takes the step −w/L of a gradient with L not below the largest eigenvalue of its block of K, and is
 * projected on its cone. No such step makes E grow, so the descent cannot cycle, and from P = 0 every P on the way has
 * E ≤ 0: the step has no more energy than one without contacts. That is why it can always be the answer.
 */
#include <math.h>
#include <string.h>

#include "sim/contact_laws.h"

enum { SWEEPS = 500 };

/* the nearest point of the cone |t| ≤ μ n */
static void project_on_cone(double mu, double P[3])
{
    const double n = P[0], t = local_length(P[1], P[2]);
    if (t <= mu * n) return;
    double along = (n + mu * t) / (1 + mu * mu);
    if (!(along > 0)) along = 0;
    P[0] = along;
    for (int k = 1; k < 3; k++) P[k] = t > 0 ? P[k] * (mu * along / t) : 0;
}

static void step_contact(const hml_contact *c, int32_t i)
{
    const local l = local_of(c, i);
    const double L = l.B[0][0] + l.B[1][1] + l.B[2][2]; /* the trace bounds the eigenvalues */
    double P[3], dP[3];
    for (int k = 0; k < 3; k++) P[k] = c->P[i + k] - c->w[i + k] / L;
    project_on_cone(l.mu, P);
    for (int k = 0; k < 3; k++) {
        dP[k] = P[k] - c->P[i + k];
        c->P[i + k] = P[k];
    }
    move(c, i, 3, dP);
}

static void step_row(const hml_contact *c, int32_t i)
{
    const double P = bounded(&c->rows[i], c->P[i] - c->w[i] / K_row(c, i)[i]), dP = P - c->P[i];
    c->P[i] = P;
    move(c, i, 1, &dP);
}

/* E(P) = ½ Pᵀ (w + base) */
static double energy(const hml_contact *c)
{
    double sum = 0;
    for (int32_t i = 0; i < c->nrows; i++) sum += 0.5 * c->P[i] * (c->w[i] + c->base[i]);
    return sum;
}

static void descend(hml_contact *c)
{
    memset(c->P, 0, (size_t)c->nrows * sizeof(double));
    update_velocities(c);
    for (int n = 0; n < SWEEPS; n++) {
        for (int32_t i = 0; i < c->nrows; i++) {
            if (c->rows[i].kind == ROW_CONTACT) step_contact(c, i);
            if (contact_is_joint(&c->rows[i])) step_row(c, i);
        }
    }
    update_velocities(c);
}

double hmli_contact_relax(hml_contact *c, double left)
{
    const size_t bytes = (size_t)c->nrows * sizeof(double);
    const int allowed = isfinite(left) && energy(c) <= 0;
    memcpy(c->kept, c->P, bytes);
    descend(c);
    const double now = residual(c);
    if (allowed && !(now < left)) {
        memcpy(c->P, c->kept, bytes);
    } else if (!(energy(c) <= 0)) { /* rounding, or what is no number */
        memset(c->P, 0, bytes);
    }
    update_velocities(c);
    return residual(c);
}
