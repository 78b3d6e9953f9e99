/*
 * One contact by itself, the others held: w = B P + alone, rows normal, tangent, tangent.
 *
 * Open, sticking or sliding, found exactly. Sliding: with w_n = 0 the normal impulse is eliminated, which leaves
 * w_t = A P_t + c with A symmetric and positive. Against the sliding velocity means P_t = −λ w_t, λ > 0, so that
 *
 *   P_t(λ) = −λ (1 + λ A)⁻¹ c
 *
 * and the one number λ follows from |P_t| = μ P_n: the difference of both sides is negative at λ = 0 and, since the
 * impulse that sticks lies outside the cone, positive for large λ.
 */
#ifndef HML_SIM_CONTACT_LOCAL_H
#define HML_SIM_CONTACT_LOCAL_H

#include <math.h>
#include <string.h>

typedef struct local {
    double B[3][3]; /* its block of K */
    double mu;
} local;

/* as fmax and hypot, for numbers far from the ends of double; those are calls */
static inline double local_max(double a, double b) { return a > b ? a : b; }
static inline double local_length(double x, double y) { return sqrt(x * x + y * y); }

/* an upper bound of the tangents' eigenvalues */
static inline double local_tangent_scale(const local *l)
{
    return local_max(l->B[1][1], l->B[2][2]) + fabs(l->B[1][2]);
}

/* the tangents' projection on the disk of radius r */
static inline void local_project(double r, double *t)
{
    double size = local_length(t[0], t[1]);
    if (size <= r) return;
    t[0] *= r / size;
    t[1] *= r / size;
}

/* B x = −w; a direction in which nothing can move stays zero */
static inline void local_stick(const local *l, const double w[3], double x[3])
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

/* what sliding needs, in the eigenvectors of A */
typedef struct sliding {
    double a[2], c[2], coupling[2]; /* eigenvalues; c; B_nt / B_nn */
    double normal;                  /* P_n without tangents */
    double mu;
} sliding;

/* |P_t| − μ P_n at λ, P_t in the eigenvectors */
static inline double sliding_excess(const sliding *s, double lambda, double P[2])
{
    for (int i = 0; i < 2; i++) P[i] = -lambda * s->c[i] / (1 + lambda * s->a[i]);
    return local_length(P[0], P[1]) - s->mu * (s->normal - s->coupling[0] * P[0] - s->coupling[1] * P[1]);
}

static inline void local_slide(const local *l, const double alone[3], double P[3])
{
    const double n = l->B[0][0], t[2] = {l->B[1][0] / n, l->B[2][0] / n};
    const double a = l->B[1][1] - t[0] * l->B[1][0], b = l->B[1][2] - t[0] * l->B[2][0];
    const double d = l->B[2][2] - t[1] * l->B[2][0], c[2] = {alone[1] - t[0] * alone[0], alone[2] - t[1] * alone[0]};
    const double angle = 0.5 * atan2(2 * b, a - d), x = cos(angle), y = sin(angle);
    sliding s = {.mu = l->mu, .normal = -alone[0] / n};
    s.a[0] = fmax(0, a * x * x + 2 * b * x * y + d * y * y);
    s.a[1] = fmax(0, a * y * y - 2 * b * x * y + d * x * x);
    s.c[0] = x * c[0] + y * c[1], s.c[1] = x * c[1] - y * c[0];
    s.coupling[0] = x * t[0] + y * t[1], s.coupling[1] = x * t[1] - y * t[0];
    double low = 0, high = 1 / fmax(s.a[0] + s.a[1], 1e-300), Pt[2];
    for (int i = 0; i < 200 && sliding_excess(&s, high, Pt) < 0; i++) low = high, high *= 4;
    double f_low = sliding_excess(&s, low, Pt), f_high = sliding_excess(&s, high, Pt);
    for (int i = 0; i < 100 && high - low > 1e-16 * high; i++) { /* false position, Illinois' way */
        double middle = (low * f_high - high * f_low) / (f_high - f_low);
        if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
        double f = sliding_excess(&s, middle, Pt);
        if (f == 0 || middle == low || middle == high) break;
        if (f < 0) {
            if (i % 2) f_high *= 0.5;
            low = middle, f_low = f;
        } else {
            if (i % 2) f_low *= 0.5;
            high = middle, f_high = f;
        }
    }
    P[0] = local_max(0, s.normal - s.coupling[0] * Pt[0] - s.coupling[1] * Pt[1]);
    P[1] = x * Pt[0] - y * Pt[1];
    P[2] = y * Pt[0] + x * Pt[1];
    local_project(l->mu * P[0], P + 1);
}

/* P of the contact; w: its velocity at the P that comes in */
static inline void local_solve(const local *l, const double w[3], double P[3])
{
    double x[3], alone[3];
    for (int i = 0; i < 3; i++) alone[i] = w[i] - l->B[i][0] * P[0] - l->B[i][1] * P[1] - l->B[i][2] * P[2];
    if (alone[0] >= 0 || !(l->B[0][0] > 0)) { /* without an impulse it opens, or nothing can move it */
        P[0] = P[1] = P[2] = 0;
        return;
    }
    if (!(l->mu > 0)) {
        P[0] = -alone[0] / l->B[0][0];
        P[1] = P[2] = 0;
        return;
    }
    local_stick(l, w, x);
    if (P[0] + x[0] >= 0 && local_length(P[1] + x[1], P[2] + x[2]) <= l->mu * (P[0] + x[0])) {
        for (int i = 0; i < 3; i++) P[i] += x[i];
        return;
    }
    local_slide(l, alone, P);
}

#endif
