/*
 * The proximal method: P is found as the limit of solutions of softer problems,
 *
 *   w = K P + base + part·D (P − P_before),
 *
 * where D is K's diagonal, of a contact the largest of its three entries. Each of them has well-conditioned contacts
 * however redundant those of K are, starts at the solution of the one before, and differs the less from the problem
 * itself the less P changes. Without friction the limit is a solution for every sequence of parts (Rockafellar); with
 * friction it was on nearly all problems that all else had failed on. A part that cannot be solved is made larger, one
 * that can smaller.
 */
#include <math.h>
#include <string.h>

#include "sim/contact_laws.h"

enum { FAILURES = 12 };

static const double least_part = 1e-9, most_part = 1;

/* the diagonal of D */
static double softness(const hml_contact *c, int32_t i)
{
    const int32_t first = c->rows[i].kind == ROW_TANGENT ? (c->rows[i - 1].kind == ROW_CONTACT ? i - 1 : i - 2) : i;
    double scale = c->diagonal[first];
    for (int32_t k = 1; k < 3 && c->rows[first].kind == ROW_CONTACT; k++) {
        scale = fmax(scale, c->diagonal[first + k]);
    }
    return scale;
}

/* the problem with a part of D about P, or with 0 the problem itself */
static void set_problem(hml_contact *c, double part)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        const double soft = part > 0 ? part * softness(c, i) : 0;
        K_row(c, i)[i] = c->diagonal[i] + soft;
        c->base[i] = c->true_base[i] - soft * c->P[i];
    }
    update_velocities(c);
}

/* a solution of the problem that is set, from P */
static int solve_problem(hml_contact *c, int32_t *iterations)
{
    double left = hmli_contact_finish(c, 1e-10);
    for (int32_t count = 10; !(left <= c->tolerance) && count <= 40 && isfinite(left); count *= 2) {
        hmli_contact_project(c, count);
        *iterations += count;
        left = hmli_contact_finish(c, 1e-10);
    }
    return left <= c->tolerance;
}

double hmli_contact_proximal(hml_contact *c, double part, int problems, int32_t *iterations)
{
    const size_t bytes = (size_t)c->nrows * sizeof(double);
    double best = INFINITY, last = INFINITY;
    memset(c->best, 0, bytes);
    memcpy(c->true_base, c->base, bytes);
    for (int32_t i = 0; i < c->nrows; i++) c->diagonal[i] = K_row(c, i)[i];
    for (int n = 0, failures = 0;
         n < problems && failures < FAILURES && part <= most_part && *iterations < c->iterations; n++) {
        memcpy(c->before_part, c->P, bytes);
        set_problem(c, part);
        ++*iterations;
        if (!solve_problem(c, iterations)) {
            memcpy(c->P, c->before_part, bytes);
            failures++;
            part *= 10;
            continue;
        }
        set_problem(c, 0);
        const double left = residual(c);
        if (left < best) memcpy(c->best, c->P, bytes), best = left;
        if (left <= contact_goal(c) || (left <= c->tolerance && left > 0.5 * last)) break;
        last = left;
        part = fmax(part / 3, least_part);
    }
    memcpy(c->P, c->best, bytes);
    set_problem(c, 0);
    return best;
}
