/*
 * The laws of a step on the Delassus matrix: w = K P + base, row by row, contact by contact.
 *
 *   normal    P_n = max(0, P_n − ρ w_n)                  for every ρ > 0
 *   tangents  P_t = projection of P_t − ρ w_t on the disk of radius μ P_n
 *   limit     as a normal
 *   friction  P = projection of P − ρ w on [−bound, bound]
 *
 * These fixed points are Signorini's and Coulomb's laws themselves, not their convex relaxation: what slides does not
 * lift off. In this order:
 *
 *   1. A guess (contact_guess.c): what touches sticks. It is the solution whenever its impulses lie within their bounds,
 *      and costs one small factorization; redundant contacts take the impulses of least norm.
 *   2. Whole steps of Newton's method from the impulses of the last step: what slides goes on sliding. Before the guess
 *      if something slid.
 *   3. The proximal method (contact_proximal.c) from the impulses of the last step: a sequence of softer problems that
 *      tends to this one.
 *   4. Exact sweeps, contact by contact with the others held, and Newton's method with shortened steps; then the proximal
 *      method from zero.
 *   5. The convex relaxation of friction, by a descent that cannot cycle (contact_relax.c). Its impulses, or those that
 *      the proximal method came to, are the answer then, and the report says so.
 *
 * All aim at a hundredth of the tolerance; what meets the tolerance when 3 or 4 end is a solution.
 */
#include <math.h>
#include <string.h>

#include "sim/contact_laws.h"

enum { ROUNDS = 30, FEW_PROBLEMS = 8, MANY_PROBLEMS = 80 };

/* ---- from the last step ---- */

/* P: zero if NULL */
static void start_from(hml_contact *c, const double *P)
{
    if (P)
        memcpy(c->P, P, (size_t)c->nrows * sizeof(double));
    else
        memset(c->P, 0, (size_t)c->nrows * sizeof(double));
    update_velocities(c);
}

/*
 * Whole Newton steps from the impulses of the last step: what slides goes on sliding. Redundant contacts share a load in
 * many ways; with this much on the diagonal a step does not leave the way they share it for another.
 */
static double resume(hml_contact *c, int32_t *iterations)
{
    const double extra = 1e-6;
    start_from(c, c->warm);
    ++*iterations;
    return hmli_contact_finish(c, extra);
}

/* did a contact slide in the last step? */
static int slid(const hml_contact *c)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind != ROW_CONTACT || !(c->warm[i] > 0)) continue;
        const double most = c->now.items[c->rows[i].index].friction * c->warm[i];
        const double *t = c->warm + i + 1;
        if (most > 0 && t[0] * t[0] + t[1] * t[1] >= (1 - 1e-9) * most * most) return 1;
    }
    return 0;
}

/* ---- all of it ---- */

/* what velocities of the rows are measured against: contact_laws.h. Cancelled parts of base count: they leave rounding */
static void measure(hml_contact *c)
{
    double largest = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const double *J = c->J + (size_t)i * c->n, scale = sqrt(K_row(c, i)[i]);
        double parts = fabs(c->base[i]);
        for (int32_t k = 0; k < c->lengths[i]; k++) parts += fabs(J[k] * c->free[k]);
        largest = larger(largest, parts / scale);
        c->speed[i] = scale;
    }
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_CONTACT) c->speed[i] = fmax(c->speed[i], fmax(c->speed[i + 1], c->speed[i + 2]));
        c->speed[i] *= largest;
    }
}

contact_answer hmli_contact_solve(hml_contact *c)
{
    contact_answer answer = {0};
    measure(c);
    take_back(c); /* friction may have changed since the last step */
    memcpy(c->warm, c->P, (size_t)c->nrows * sizeof(double));
    update_velocities(c);
    for (int n = 0, slides = slid(c); n < 2; n++) {
        answer.residual = n == slides ? hmli_contact_guess(c, contact_goal(c)) : resume(c, &answer.iterations);
        if (answer.residual <= contact_goal(c)) return answer;
    }
    start_from(c, c->warm);
    answer.residual = hmli_contact_proximal(c, 1e-4, FEW_PROBLEMS, &answer.iterations);
    if (answer.residual <= c->tolerance) return answer;
    start_from(c, c->warm);
    answer.residual = hmli_contact_alternate(c, answer.iterations + ROUNDS, &answer.iterations);
    if (answer.residual <= c->tolerance) return answer;
    start_from(c, NULL);
    answer.residual = hmli_contact_proximal(c, 1e-2, MANY_PROBLEMS, &answer.iterations);
    if (answer.residual <= c->tolerance) return answer;
    answer.relaxed = 1;
    answer.residual = hmli_contact_relax(c, answer.residual);
    return answer;
}
