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
 * Gauss-Seidel sweeps over the contacts, each one solved by itself with the others held.
 */
#include <math.h>
#include <string.h>

#include "algo/dense.h"
#include "sim/contact.h"

enum { LOCAL_ITERATIONS = 20, GUESSES = 6, BOUNCES = 50, DISPLACEMENT_SWEEPS = 50 };

static double *K_row(const hml_contact *c, int32_t i) { return c->K + (size_t)i * (size_t)c->nrows; }

/* w += K dP for `count` rows from `first` on; K is symmetric */
static void move(const hml_contact *c, int32_t first, int32_t count, const double *dP)
{
    for (int32_t k = 0; k < count; k++) {
        const double *row = K_row(c, first + k), d = dP[k];
        if (d == 0) continue;
        for (int32_t i = 0; i < c->nrows; i++) c->w[i] += d * row[i];
    }
}

/* ---- one contact ---- */

typedef struct local {
    double B[3][3]; /* its block of K */
    double mu;
} local;

static local local_of(const hml_contact *c, int32_t i)
{
    local l;
    for (int32_t r = 0; r < 3; r++) {
        for (int32_t k = 0; k < 3; k++) l.B[r][k] = K_row(c, i + r)[i + k];
    }
    l.mu = c->now.items[c->rows[i].index].friction;
    return l;
}

static double tangent_scale(const local *l) { return fmax(l->B[1][1], l->B[2][2]) + fabs(l->B[1][2]); }

/* the tangents' projection on the disk of radius r */
static void project(double r, double *t)
{
    double size = hypot(t[0], t[1]);
    if (size <= r) return;
    t[0] *= r / size;
    t[1] *= r / size;
}

/* B x = −w; a direction in which nothing can move stays zero */
static void stick(const local *l, const double w[3], double x[3])
{
    double A[3][3], d[3];
    memcpy(A, l->B, sizeof A);
    for (int i = 0; i < 3; i++) {
        x[i] = -w[i];
        d[i] = A[i][i];
        for (int k = 0; k < i; k++) d[i] -= A[i][k] * A[i][k] * d[k], x[i] -= A[i][k] * x[k];
        int moves = d[i] > 1e-12 * l->B[i][i];
        if (!moves) d[i] = 0, x[i] = 0;
        for (int r = i + 1; r < 3; r++) {
            for (int k = 0; k < i; k++) A[r][i] -= A[r][k] * A[i][k] * d[k];
            A[r][i] = moves ? A[r][i] / d[i] : 0;
        }
    }
    for (int i = 2; i >= 0; i--) {
        x[i] = d[i] > 0 ? x[i] / d[i] : 0;
        for (int r = i + 1; r < 3; r++) x[i] -= d[i] > 0 ? A[r][i] * x[r] : 0;
    }
}

/* P of one contact, the others held; w: its velocity at the P that comes in */
static void solve_local(const local *l, const double w_in[3], double P[3])
{
    double w[3], x[3], alone[3];
    memcpy(w, w_in, sizeof w);
    for (int i = 0; i < 3; i++) alone[i] = w[i] - l->B[i][0] * P[0] - l->B[i][1] * P[1] - l->B[i][2] * P[2];
    if (alone[0] >= 0) { /* without an impulse it opens */
        P[0] = P[1] = P[2] = 0;
        return;
    }
    stick(l, w, x);
    if (P[0] + x[0] >= 0 && hypot(P[1] + x[1], P[2] + x[2]) <= l->mu * (P[0] + x[0])) {
        for (int i = 0; i < 3; i++) P[i] += x[i];
        return;
    }
    const double scale = tangent_scale(l);
    for (int n = 0; n < LOCAL_ITERATIONS && l->B[0][0] > 0; n++) {
        double old[3] = {P[0], P[1], P[2]}, change = 0;
        P[0] = fmax(0, P[0] - w[0] / l->B[0][0]);
        if (scale > 0) {
            for (int i = 1; i < 3; i++) P[i] -= w[i] / scale;
        }
        project(l->mu * P[0], P + 1);
        for (int i = 0; i < 3; i++) {
            double d = P[i] - old[i];
            for (int r = 0; r < 3; r++) w[r] += l->B[r][i] * d;
            change += fabs(d);
        }
        if (change <= 1e-15 * (P[0] + fabs(P[1]) + fabs(P[2]))) break;
    }
}

/* by how much the laws are missed, m/s */
static double miss_contact(const hml_contact *c, int32_t i)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, scale = tangent_scale(&l);
    double normal = l.B[0][0] > 0 ? fabs(P[0] - fmax(0, P[0] - w[0] / l.B[0][0])) * l.B[0][0] : 0;
    if (!(scale > 0)) return normal;
    double t[2] = {P[1] - w[1] / scale, P[2] - w[2] / scale};
    project(l.mu * P[0], t);
    return fmax(normal, hypot(P[1] - t[0], P[2] - t[1]) * scale);
}

static double bounded(const contact_row *row, double P)
{
    return row->kind == ROW_LIMIT ? fmax(0, P) : fmin(fmax(P, -row->bound), row->bound);
}

static double miss(const hml_contact *c, int32_t i)
{
    const contact_row *row = &c->rows[i];
    if (row->kind == ROW_TANGENT) return 0;
    if (row->kind == ROW_CONTACT) return miss_contact(c, i);
    double k = K_row(c, i)[i];
    return fabs(c->P[i] - bounded(row, c->P[i] - c->w[i] / k)) * k;
}

static double residual(const hml_contact *c)
{
    double worst = 0;
    for (int32_t i = 0; i < c->nrows; i++) worst = fmax(worst, miss(c, i));
    return worst;
}

static void update_velocities(const hml_contact *c)
{
    memcpy(c->w, c->base, (size_t)c->nrows * sizeof(double));
    move(c, 0, c->nrows, c->P);
}

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
        hml_rank_factor(f, 1e-9);
        hml_rank_solve_gram(f, c->y, c->y);
    } else {
        dense_solve(m, c->A, c->y);
    }
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = c->y[i];
    update_velocities(c);
}

/* takes back what the guess cannot mean: pulling contacts open, friction beyond its bound slips */
static void take_back(const hml_contact *c)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            c->P[i] = fmax(0, c->P[i]);
            project(c->now.items[row->index].friction * c->P[i], c->P + i + 1);
        } else if (row->kind != ROW_TANGENT) {
            c->P[i] = bounded(row, c->P[i]);
        }
    }
}

static double guess(hml_contact *c)
{
    double left = residual(c);
    for (int n = 0; n < GUESSES && left > c->tolerance; n++) {
        solve_active(c, choose(c));
        left = residual(c);
        if (left <= c->tolerance) break;
        take_back(c);
        update_velocities(c);
    }
    return left;
}

/* ---- sweeps ---- */

static double sweep(const hml_contact *c)
{
    double worst = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        double dP[3], new[3];
        if (row->kind == ROW_TANGENT) continue;
        worst = fmax(worst, miss(c, i));
        if (row->kind == ROW_CONTACT) {
            const local l = local_of(c, i);
            memcpy(new, c->P + i, sizeof new);
            solve_local(&l, c->w + i, new);
            for (int k = 0; k < 3; k++) dP[k] = new[k] - c->P[i + k];
            memcpy(c->P + i, new, sizeof new);
            move(c, i, 3, dP);
        } else {
            double k = K_row(c, i)[i], P = k > 0 ? bounded(row, c->P[i] - c->w[i] / k) : c->P[i];
            dP[0] = P - c->P[i];
            c->P[i] = P;
            move(c, i, 1, dP);
        }
    }
    return worst;
}

double hml_contact_solve(hml_contact *c, int32_t *iterations)
{
    take_back(c); /* friction may have changed since the last step */
    update_velocities(c);
    double left = guess(c);
    *iterations = 0;
    while (left > c->tolerance && *iterations < c->iterations) {
        left = sweep(c);
        ++*iterations;
        if (left > c->tolerance) continue;
        update_velocities(c); /* without what rounding has added up */
        left = residual(c);
    }
    return left;
}

/* ---- bounces ---- */

int32_t hml_contact_bounces(hml_contact *c)
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
        const double e = c->now.items[c->rows[fastest].index].restitution;
        double P[3] = {0}, w[3] = {(1 + e) * c->w[fastest], c->w[fastest + 1], c->w[fastest + 2]};
        solve_local(&l, w, P);
        for (int k = 0; k < 3; k++) c->bounced[fastest + k] += P[k];
        move(c, fastest, 3, P);
    }
    if (!count) return 0;
    hml_contact_push(c, c->bounced, c->x);
    for (size_t k = 0; k < c->n; k++) c->v[k] += c->x[k];
    return count;
}

/* ---- displacement ---- */

static int one_sided(const contact_row *row) { return row->kind == ROW_CONTACT || row->kind == ROW_LIMIT; }

int hml_contact_displacement(hml_contact *c)
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
    hml_contact_push(c, c->y, c->x);
    return 1;
}
