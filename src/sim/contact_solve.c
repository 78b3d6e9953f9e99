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
 *   1. A guess: what touches sticks. It is the solution whenever its impulses lie within their bounds, and costs one
 *      small factorization; redundant contacts take the impulses of least norm.
 *   2. Whole steps of Newton's method from the impulses of the last step: what slides goes on sliding.
 *   3. Exact sweeps, contact by contact with the others held, and Newton's method with shortened steps.
 *   4. The proximal method (contact_proximal.c): a sequence of softer problems that tends to this one; first from the
 *      impulses of the last step, then from zero.
 *   5. The convex relaxation of friction, by a descent that cannot cycle (contact_relax.c). Its impulses, or those that
 *      the proximal method came to, are the answer then, and the report says so.
 *
 * All aim at a hundredth of the tolerance; what meets the tolerance when 3 or 4 end is a solution.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "sim/contact_laws.h"

enum { GUESSES = 6, ROUNDS = 30, FEW_PROBLEMS = 8, MANY_PROBLEMS = 80 };

/* ---- the guess ---- */

/* rows whose velocity the guess makes zero; the others keep P: zero, or their bound */
static int32_t choose(const hml_contact *c)
{
    int32_t count = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            int touches = c->P[i] > 0 || c->w[i]<0, rough = c->now.items[row->index].friction> 0;
            for (int32_t k = 0; k < 3; k++) {
                if (touches && (k == 0 || rough))
                    c->active[count++] = i + k;
                else
                    c->P[i + k] = 0;
            }
        } else if (row->kind == ROW_LIMIT) {
            if (c->P[i] > 0 || c->w[i] < 0)
                c->active[count++] = i;
            else
                c->P[i] = 0;
        } else if (row->kind == ROW_FRICTION && (fabs(c->P[i]) < row->bound || c->P[i] * c->w[i] > 0)) {
            c->active[count++] = i;
        }
    }
    return count;
}

static void solve_active(hml_contact *c, int32_t count)
{
    const size_t m = (size_t)count;
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = 0;
    update_velocities(c);
    for (int32_t i = 0; i < count; i++) {
        const double *row = K_row(c, c->active[i]);
        c->y[i] = -c->w[c->active[i]];
        for (int32_t k = 0; k <= i; k++) c->A[(size_t)i * m + (size_t)k] = row[c->active[k]];
    }
    if (dense_factor(m, c->A, NULL)) {
        rank_factor *f = &c->rank;
        f->n = c->n;
        f->m = m;
        for (size_t i = 0; i < m; i++) {
            memcpy(f->columns + i * c->n, c->G + (size_t)c->active[i] * c->n, c->n * sizeof(double));
        }
        hmli_rank_factor(f, 1e-9);
        hmli_rank_solve_gram(f, c->y, c->y);
    } else {
        dense_solve(m, c->A, c->y);
    }
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = c->y[i];
    update_velocities(c);
}

static double guess(hml_contact *c, double enough)
{
    double left = residual(c);
    for (int n = 0; n < GUESSES && !(left <= enough); n++) {
        solve_active(c, choose(c));
        left = residual(c);
        if (left <= enough) break;
        take_back(c);
        update_velocities(c);
    }
    return left;
}

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

/* whole Newton steps from the impulses of the last step: what slides goes on sliding */
static double resume(hml_contact *c, int32_t *iterations)
{
    start_from(c, c->warm);
    ++*iterations;
    return hmli_contact_finish(c, 1e-10);
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
    answer.residual = guess(c, contact_goal(c));
    if (answer.residual <= contact_goal(c)) return answer;
    answer.residual = resume(c, &answer.iterations);
    if (answer.residual <= contact_goal(c)) return answer;
    answer.residual = hmli_contact_alternate(c, ROUNDS, &answer.iterations);
    if (answer.residual <= c->tolerance) return answer;
    start_from(c, c->warm);
    answer.residual = hmli_contact_proximal(c, 1e-4, FEW_PROBLEMS, &answer.iterations);
    if (answer.residual <= c->tolerance) return answer;
    start_from(c, NULL);
    answer.residual = hmli_contact_proximal(c, 1e-2, MANY_PROBLEMS, &answer.iterations);
    if (answer.residual <= c->tolerance) return answer;
    answer.relaxed = 1;
    answer.residual = hmli_contact_relax(c, answer.residual);
    return answer;
}
