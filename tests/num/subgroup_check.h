/*
 * Every subgroup in turn, with a random axis and pitch, random coordinates of a given angle, and small dense matrices.
 * The matrices here are plain loops over hat matrices: they know nothing of the closed forms they judge.
 */
#ifndef HML_TESTS_SUBGROUP_CHECK_H
#define HML_TESTS_SUBGROUP_CHECK_H

#include "group/subgroup.h"
#include "se3_check.h"

/* round-off of the closed forms; a Taylor series of matrices loses a digit more */
#define TOL        (100 * NUM_EPS)
#define TAYLOR_TOL (2000 * NUM_EPS)
#define RATE_TOL   (200 * RATE_EPS)

/* on both sides of every border between series and closed form, near π, beyond it, and towards zero */
static const double angles[] = {0,   1e-300, 1e-160, 1e-30, 1e-12, 1e-8, 1e-6, 1e-4,   1e-3,     1e-2, 0.1, 0.7,
                                1.5, 1.999,  2.001,  2.5,   3,     3.1,  3.14, 3.1415, 3.141592, 3.2,  4,   5};
enum { ANGLES = sizeof angles / sizeof *angles };

static inline vec3 draw_axis(void)
{
    vec3 n = vec3_add(draw_vec3(1), vec3_of(K(0.01), K(0), K(0)));
    return vec3_scale(K(1) / vec3_norm(n), n);
}

/* draw i: group i mod 10; of groups with a plane the three frame axes in turn, then any axis and direction */
static inline subgroup draw_subgroup(int i)
{
    int group = i % HML_GROUP_COUNT, k = i / HML_GROUP_COUNT % 4;
    if (group == HML_GROUP_X || group == HML_GROUP_SE2 || group == HML_GROUP_R2) {
        mat3 R = so3_exp(draw_vec3(3));
        return k < 3 ? subgroup_frame(group, k, K(0)) : subgroup_plane(group, R.z, R.x);
    }
    return subgroup_along(group, draw_axis(), draw(-0.7, 0.7));
}

/* the first angular coordinate; the others follow it */
static inline int first_angular(int group)
{
    switch (group) {
    case HML_GROUP_SE3:
    case HML_GROUP_X: return 3;
    case HML_GROUP_SE2: return 2;
    case HML_GROUP_CYLINDRICAL: return 1;
    case HML_GROUP_SO3:
    case HML_GROUP_H:
    case HML_GROUP_SO2: return 0;
    default: return subgroup_dimension(group);
    }
}

static inline void draw_numbers(int n, num out[])
{
    for (int i = 0; i < n; i++) out[i] = draw(-1, 1);
}

/* coordinates whose rotation is by the angle, about a random axis or in a random sense where there is a choice */
static inline void draw_coordinates(subgroup G, double angle, num phi[])
{
    int m = subgroup_dimension(G.group), first = first_angular(G.group);
    draw_numbers(m, phi);
    num square = K(0);
    for (int i = first; i < m; i++) square += phi[i] * phi[i];
    if (first == m) return;
    num scale = K(angle) / num_sqrt(square);
    for (int i = first; i < m; i++) phi[i] = scale * phi[i];
}

/* C = A B, n×n */
static inline void matrix_product(int n, const num *A, const num *B, num *C)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            num sum = K(0);
            for (int k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
    }
}

/* y = A x, or Aᵀ x */
static inline void matrix_times(int n, const num *A, const num *x, num *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = K(0);
        for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
    }
}

static inline void matrix_transposed_times(int n, const num *A, const num *x, num *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = K(0);
        for (int j = 0; j < n; j++) y[i] += A[j * n + i] * x[j];
    }
}

static inline void matrix_one(int n, num *A)
{
    for (int i = 0; i < n * n; i++) A[i] = K(i % (n + 1) == 0);
}

/* Σ (sign A)ⁿ / (n + shift)!, Horner from the last term: exp(A) for shift 0, the right Jacobian for shift 1, sign −1 */
static inline void matrix_series(int n, const num *A, int shift, double sign, num *sum)
{
    num product[36];
    matrix_one(n, sum);
    for (int k = 60; k >= 1; k--) {
        matrix_product(n, A, sum, product);
        for (int i = 0; i < n * n; i++) sum[i] = K(i % (n + 1) == 0) + product[i] * (K(sign) / K(k + shift));
    }
}

static inline void hat_of(subgroup G, const num v[], num out[16]) { twist_hat_matrix(subgroup_twist(G, v), out); }

#endif
