/*
 * The laws of a step on the Delassus matrix: w = K P + base, row by row, contact by contact.
 *
 *   normal    P_n = max(0, P_n − ρ w_n)                  for every ρ > 0
 *   tangents  P_t = projection of P_t − ρ w_t on the disk of radius μ P_n
 *   limit     as a normal
 *   friction  P = projection of P − ρ w on [−bound, bound]
 *
 * These fixed points are Signorini's and Coulomb's laws themselves, not their convex relaxation: what slides does not
 * lift off. First a guess is tried: what touches sticks. It is the solution whenever its impulses lie within their
 * bounds, and costs one small factorization; redundant contacts take the impulses of least norm. Where it is not,
 * Gauss-Seidel sweeps over the contacts, each one solved by itself with the others held, find out which ones slide and
 * which ones open, and Newton's method on the equations above, with the cases held, finishes. Sweeps go on where a step
 * of it does not help.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "sim/contact_laws.h"

enum { GUESSES = 6, SWEEPS = 5, NEWTON_STEPS = 8, ATTEMPT = 300, BOUNCES = 50, DISPLACEMENT_SWEEPS = 50 };

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

/* ---- sweeps ---- */

/* part: of the way from the old impulse of a contact to its new one */
static double sweep(const hml_contact *c, double part)
{
    double worst = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        double dP[3], new[3];
        if (row->kind == ROW_TANGENT) continue;
        worst = larger(worst, miss(c, i));
        if (row->kind == ROW_CONTACT) {
            const local l = local_of(c, i);
            memcpy(new, c->P + i, sizeof new);
            local_solve(&l, c->w + i, new);
            for (int k = 0; k < 3; k++) {
                dP[k] = part * (new[k] - c->P[i + k]);
                c->P[i + k] += dP[k];
            }
            move(c, i, 3, dP);
        } else {
            double k = K_row(c, i)[i], P = k > 0 ? bounded(row, c->P[i] - c->w[i] / k) : c->P[i];
            dP[0] = part * (P - c->P[i]);
            c->P[i] += dP[0];
            move(c, i, 1, dP);
        }
    }
    return worst;
}

/* sweeps and Newton's steps in turn, `most` at most; returns the residual */
static double iterate(hml_contact *c, double part, double extra, double enough, int32_t most, int32_t *iterations)
{
    double left = residual(c);
    while (left > enough && *iterations < most) {
        for (int k = 0; k < SWEEPS && left > enough && *iterations < most; k++, ++*iterations) left = sweep(c, part);
        update_velocities(c); /* without what rounding has added up */
        left = residual(c);
        for (int k = 0; k < NEWTON_STEPS && left > enough && *iterations < most; k++, ++*iterations) {
            double next = hmli_contact_newton(c, extra, left);
            if (!(next < left)) break;
            left = next;
        }
    }
    return left;
}

double hmli_contact_solve(hml_contact *c, int32_t *iterations)
{
    double fastest = 1, part = 1, extra = 1e-10;
    for (int32_t i = 0; i < c->nrows; i++) fastest = fmax(fastest, fabs(c->base[i]));
    const double enough = c->tolerance * fastest;
    take_back(c); /* friction may have changed since the last step */
    update_velocities(c);
    double left = guess(c, enough);
    *iterations = 0;
    for (int attempt = 0; !(left <= enough) && *iterations < c->iterations; attempt++) {
        int lost = attempt && !isfinite(left); /* from rest, and yet not a number: no sweep will make it one */
        if (lost) break;
        if (attempt ||
            !isfinite(left)) { /* afresh; later more carefully: contacts may hand an impulse back and forth */
            memset(c->P, 0, (size_t)c->nrows * sizeof(double));
            update_velocities(c);
        }
        if (attempt > 1) part *= 0.25, extra = 1e-4;
        int32_t most = *iterations + ATTEMPT < c->iterations ? *iterations + ATTEMPT : c->iterations;
        left = iterate(c, part, extra, enough, most, iterations);
    }
    return left / fastest;
}

/* ---- bounces ---- */

/* the energy that an impulse brings to a contact by itself: ½ Pᵀ (w + w⁺) */
static double bounce_energy(const local *l, const double w[3], const double P[3])
{
    double energy = 0;
    for (int i = 0; i < 3; i++) {
        energy += P[i] * (w[i] + 0.5 * (l->B[i][0] * P[0] + l->B[i][1] * P[1] + l->B[i][2] * P[2]));
    }
    return energy;
}

/*
 * Newton's law with friction for one contact. Where the sliding turns round, it may make energy (Kane and Levinson):
 * then with the largest part of the restitution that does not. Without restitution it never does.
 */
static void bounce(const local *l, double restitution, const double w[3], double P[3])
{
    double low = 0, high = 1, part = 1;
    for (int halvings = 0; halvings < 60; halvings++) {
        const double closing[3] = {(1 + part * restitution) * w[0], w[1], w[2]};
        memset(P, 0, 3 * sizeof *P);
        local_solve(l, closing, P);
        if (part == low) return;
        if (bounce_energy(l, w, P) <= 1e-13 * fabs(P[0] * w[0])) { /* round-off */
            if (part == 1) return;
            low = part;
        } else {
            high = part;
        }
        part = high - low < 1e-12 ? low : 0.5 * (low + high);
    }
}

int32_t hmli_contact_bounces(hml_contact *c)
{
    const int32_t most = BOUNCES * (c->now.count + 1);
    int32_t count = 0;
    memset(c->bounced, 0, (size_t)c->nrows * sizeof(double));
    memcpy(c->w, c->before, (size_t)c->nrows * sizeof(double));
    for (; count < most; count++) {
        int32_t fastest = -1;
        double speed = -c->bounce;
        for (int32_t i = 0; i < c->nrows; i++) {
            if (c->rows[i].kind != ROW_CONTACT || !(c->now.items[c->rows[i].index].restitution > 0)) continue;
            if (c->w[i] < speed) speed = c->w[i], fastest = i;
        }
        if (fastest < 0) break;
        const local l = local_of(c, fastest);
        double P[3];
        bounce(&l, c->now.items[c->rows[fastest].index].restitution, c->w + fastest, P);
        for (int k = 0; k < 3; k++) c->bounced[fastest + k] += P[k];
        move(c, fastest, 3, P);
    }
    if (!count) return 0;
    hmli_contact_push(c, c->bounced, c->x);
    for (size_t k = 0; k < c->n; k++) c->v[k] += c->x[k];
    return count;
}

/* ---- displacement ---- */

static int one_sided(const contact_row *row) { return row->kind == ROW_CONTACT || row->kind == ROW_LIMIT; }

int hmli_contact_displacement(hml_contact *c)
{
    int deep = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        double depth = one_sided(&c->rows[i]) ? -c->rows[i].gap - c->slop : 0;
        c->w[i] = depth > 0 ? -c->correction * depth : 0;
        c->y[i] = 0;
        deep |= depth > 0;
    }
    if (!deep) return 0;
    for (int n = 0; n < DISPLACEMENT_SWEEPS; n++) {
        for (int32_t i = 0; i < c->nrows; i++) {
            double k = K_row(c, i)[i];
            if (!one_sided(&c->rows[i]) || !(k > 0)) continue;
            double P = fmax(0, c->y[i] - c->w[i] / k), dP = P - c->y[i];
            c->y[i] = P;
            move(c, i, 1, &dP);
        }
    }
    hmli_contact_push(c, c->y, c->x);
    return 1;
}
