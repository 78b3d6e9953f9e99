/* What the tests of From's paper share: a group about z, derivatives of S(φ) by differences, a body and its motion. */
#ifndef HML_TESTS_FROM_CHECK_H
#define HML_TESTS_FROM_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "difference.h"
#include "hamel/subgroup.h"

#define DIFFERENCE_TOL 1e-11 /* differences leave 1e-13 of numbers up to 10 */
#define ROUND_OFF      1e-14
#define FINITE         0.1 /* a formula that is off by this much is wrong, not inexact */

static inline hml_subgroup group_about_z(hml_group group)
{
    hml_subgroup G;
    assert_int_equal(hml_subgroup_make(group, NULL, 1, &G), HML_OK);
    return G;
}

static inline double distance(const double *a, const double *b, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++) d = fabs(a[i] - b[i]) > d ? fabs(a[i] - b[i]) : d;
    return d;
}

static inline void assert_near(const double *a, const double *b, int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("entry %d: %.17g is not %.17g", i, a[i], b[i]);
    }
}

/* ---- derivatives of S(φ) ---- */

typedef struct {
    const hml_subgroup *G;
    const double *phi;
    int l;
} ray;

static inline void jacobian_on_ray(const void *context, double t, double *out)
{
    const ray *r = context;
    double phi[6];
    memcpy(phi, r->phi, (size_t)hml_group_dimension(r->G->group) * sizeof *phi);
    phi[r->l] += t;
    assert_int_equal(hml_subgroup_jacobian(r->G, phi, out), HML_OK);
}

/* dS[(i·m + j)·m + l] = ∂S_ij/∂φ_l */
static inline void derivative_of_jacobian(const hml_subgroup *G, const double *phi, double *dS)
{
    int m = hml_group_dimension(G->group);
    for (int l = 0; l < m; l++) {
        ray r = {G, phi, l};
        double column[36];
        difference(jacobian_on_ray, &r, (size_t)(m * m), column);
        for (int i = 0; i < m * m; i++) dS[i * m + l] = column[i];
    }
}

/* a body whose centre of mass is off the frame's origin, and a motion */
static const double body[36] = {3,   0, 0,    0,   0.6,  -0.9, 0,    3,    0,   -0.6, 0,   1.2,
                                0,   0, 3,    0.9, -1.2, 0,    0,    -0.6, 0.9, 1.5,  0.1, -0.2,
                                0.6, 0, -1.2, 0.1, 2.5,  0.3,  -0.9, 1.2,  0,   -0.2, 0.3, 3.5};
static const double motion[6] = {0.7, -1.1, 0.4, 0.9, -0.5, 1.3};

static inline void momentum_of(const hml_subgroup *G, double M[36], double p[6])
{
    int m = hml_group_dimension(G->group);
    assert_int_equal(hml_subgroup_mass(G, body, M), HML_OK);
    for (int i = 0; i < m; i++) {
        p[i] = 0;
        for (int j = 0; j < m; j++) p[i] += M[i * m + j] * motion[j];
    }
}

/* position and Euler angles of a body: q = (x, y, z, roll, pitch, yaw), v its left twist */
static inline void pose_numbers(const double *q, double *S)
{
    double sr = sin(q[3]), cr = cos(q[3]), sp = sin(q[4]), cp = cos(q[4]), sy = sin(q[5]), cy = cos(q[5]);
    const double Rt[9] = {cy * cp,
                          sy * cp,
                          -sp,
                          cy * sp * sr - sy * cr,
                          sy * sp * sr + cy * cr,
                          cp * sr,
                          cy * sp * cr + sy * sr,
                          sy * sp * cr - cy * sr,
                          cp * cr};
    const double E[9] = {1, 0, -sp, 0, cr, sr * cp, 0, -sr, cr * cp};
    memset(S, 0, 36 * sizeof *S);
    for (int k = 0; k < 9; k++) S[6 * (k / 3) + k % 3] = Rt[k], S[6 * (k / 3 + 3) + k % 3 + 3] = E[k];
}

#endif
