/*
 * What the parts of the solver share: rows of K, one contact of many, by how much the laws are missed.
 */
#ifndef HML_SIM_CONTACT_LAWS_H
#define HML_SIM_CONTACT_LAWS_H

#include "sim/contact.h"
#include "sim/contact_local.h"

static inline double *K_row(const hml_contact *c, int32_t i) { return c->K + (size_t)i * (size_t)c->nrows; }

/* w += K dP for `count` rows from `first` on; K is symmetric */
static inline void move(const hml_contact *c, int32_t first, int32_t count, const double *dP)
{
    const size_t n = (size_t)c->nrows;
    const double *restrict K = K_row(c, first);
    double *restrict w = c->w;
    int32_t k = 0;
    for (; k + 4 <= count; k += 4, K += 4 * n) { /* w goes through memory once for four of them */
        const double a = dP[k], b = dP[k + 1], d = dP[k + 2], e = dP[k + 3];
        if (a == 0 && b == 0 && d == 0 && e == 0) continue;
        for (size_t i = 0; i < n; i++) w[i] += (a * K[i] + b * K[n + i]) + (d * K[2 * n + i] + e * K[3 * n + i]);
    }
    for (; k < count; k++, K += n) {
        const double d = dP[k];
        if (d == 0) continue;
        for (size_t i = 0; i < n; i++) w[i] += d * K[i];
    }
}

static inline local local_of(const hml_contact *c, int32_t i)
{
    local l;
    for (int32_t r = 0; r < 3; r++) {
        for (int32_t k = 0; k < 3; k++) l.B[r][k] = K_row(c, i + r)[i + k];
    }
    l.mu = c->now.items[c->rows[i].index].friction;
    return l;
}

/* the larger of two, NaN if there is one: fmax would drop it, and nothing would be missed */
static inline double larger(double a, double b) { return a != a || a > b ? a : b; }

static inline double positive(double x) { return x > 0 ? x : 0; }

/* by how much the laws are missed, m/s. K's diagonal is never zero: contact_rows.c */
static inline double miss_contact(const hml_contact *c, int32_t i)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, scale = local_tangent_scale(&l);
    double normal = fabs(P[0] - positive(P[0] - w[0] / l.B[0][0])) * l.B[0][0];
    double t[2] = {P[1] - w[1] / scale, P[2] - w[2] / scale};
    local_project(l.mu * positive(P[0]), t);
    return larger(normal, local_length(P[1] - t[0], P[2] - t[1]) * scale);
}

static inline double bounded(const contact_row *row, double P)
{
    if (row->kind == ROW_LIMIT) return positive(P);
    return P > -row->bound ? (P < row->bound ? P : row->bound) : -row->bound;
}

static inline double miss(const hml_contact *c, int32_t i)
{
    const contact_row *row = &c->rows[i];
    if (row->kind == ROW_TANGENT) return 0;
    if (row->kind == ROW_CONTACT) return miss_contact(c, i);
    double k = K_row(c, i)[i];
    return fabs(c->P[i] - bounded(row, c->P[i] - c->w[i] / k)) * k;
}

/*
 * The largest of them, each against the velocity that the largest energy of the problem would give its row: √K_ii times
 * the largest |base_j| / √K_jj. That knows neither units nor scale, and metres and radians can be compared.
 */
static inline double residual(const hml_contact *c)
{
    double worst = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const double by = miss(c, i);
        if (by != 0) worst = larger(worst, by / c->speed[i]);
    }
    return worst;
}

static inline void update_velocities(const hml_contact *c)
{
    memcpy(c->w, c->base, (size_t)c->nrows * sizeof(double));
    move(c, 0, c->nrows, c->P);
}

/* takes back what the guess cannot mean: pulling contacts open, friction beyond its bound slips */
static inline void take_back(const hml_contact *c)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            c->P[i] = positive(c->P[i]);
            local_project(c->now.items[row->index].friction * c->P[i], c->P + i + 1);
        } else if (row->kind != ROW_TANGENT) {
            c->P[i] = bounded(row, c->P[i]);
        }
    }
}

#endif
