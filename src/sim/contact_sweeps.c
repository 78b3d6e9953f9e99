/*
 * Sweeps over the contacts, and what turns their outcome into a solution.
 *
 * An exact sweep solves each contact by itself, the others held: open, sticking or sliding (contact_local.h). A
 * projected sweep takes a step along −w and puts the impulse back within its bounds. The first is worth more where
 * contacts hardly know of each other; the second goes on where the first hands impulses back and forth for ever.
 */
#include <math.h>
#include <string.h>

#include "sim/contact_laws.h"

enum { SWEEPS = 5, NEWTON_STEPS = 8, WHOLE_STEPS = 10 };

static void sweep_contact(const hml_contact *c, int32_t i)
{
    const local l = local_of(c, i);
    double dP[3], new[3];
    memcpy(new, c->P + i, sizeof new);
    local_solve(&l, c->w + i, new);
    for (int k = 0; k < 3; k++) {
        dP[k] = new[k] - c->P[i + k];
        c->P[i + k] = new[k];
    }
    move(c, i, 3, dP);
}

static void sweep_row(const hml_contact *c, int32_t i)
{
    double P = bounded(&c->rows[i], c->P[i] - c->w[i] / K_row(c, i)[i]), dP = P - c->P[i];
    c->P[i] = P;
    move(c, i, 1, &dP);
}

static void sweep(const hml_contact *c)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_CONTACT) sweep_contact(c, i);
        if (contact_is_joint(&c->rows[i])) sweep_row(c, i);
    }
}

double hmli_contact_alternate(hml_contact *c, int32_t most, int32_t *iterations)
{
    const double goal = contact_goal(c);
    double left = residual(c);
    if (most > c->iterations) most = c->iterations;
    while (!(left <= goal) && *iterations < most) {
        for (int k = 0; k < SWEEPS && *iterations < most; k++, ++*iterations) sweep(c);
        update_velocities(c); /* without what rounding has added up */
        left = residual(c);
        for (int k = 0; k < NEWTON_STEPS && !(left <= goal) && *iterations < most; k++, ++*iterations) {
            double next = hmli_contact_newton(c, left);
            if (!(next < left)) break;
            left = next;
        }
    }
    return left;
}

/* ---- projected sweeps ---- */

/* normals first, then the tangents into the disk that the new normal allows; each by the largest step that is safe */
static void project_contact(const hml_contact *c, int32_t i)
{
    const double mu = c->now.items[c->rows[i].index].friction, *K = K_row(c, i);
    double P = positive(c->P[i] - c->w[i] / K[i]), dP[2] = {P - c->P[i], 0};
    const local l = local_of(c, i);
    const double scale = local_tangent_scale(&l);
    c->P[i] = P;
    move(c, i, 1, dP);
    double t[2] = {c->P[i + 1] - c->w[i + 1] / scale, c->P[i + 2] - c->w[i + 2] / scale};
    local_project(mu * P, t);
    for (int k = 0; k < 2; k++) {
        dP[k] = t[k] - c->P[i + 1 + k];
        c->P[i + 1 + k] = t[k];
    }
    move(c, i + 1, 2, dP);
}

void hmli_contact_project(const hml_contact *c, int32_t count)
{
    for (int32_t n = 0; n < count; n++) {
        for (int32_t i = 0; i < c->nrows; i++) {
            if (c->rows[i].kind == ROW_CONTACT) project_contact(c, i);
            if (contact_is_joint(&c->rows[i])) sweep_row(c, i);
        }
    }
    update_velocities(c);
}

double hmli_contact_finish(hml_contact *c, double extra)
{
    const double goal = contact_goal(c);
    double left = residual(c);
    if (left <= goal || !isfinite(left)) return left;
    memcpy(c->kept, c->P, (size_t)c->nrows * sizeof(double));
    for (int k = 0; k < WHOLE_STEPS; k++) {
        double now = hmli_contact_newton_whole(c, extra);
        if (!isfinite(now)) break;
        if (now > goal && (k < WHOLE_STEPS - 1 || now > c->tolerance)) continue;
        take_back(c); /* what is negative by rounding */
        update_velocities(c);
        now = residual(c);
        if (now <= goal || (now <= c->tolerance && k == WHOLE_STEPS - 1)) return now;
    }
    memcpy(c->P, c->kept, (size_t)c->nrows * sizeof(double));
    update_velocities(c);
    return left;
}
