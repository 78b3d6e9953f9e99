/*
 * What the tests of kinematics share: a random tree with a state, the motion of a body by brute force (oracle.h) in any
 * representation, complex steps, and differences of smooth motions.
 */
#ifndef HAMEL_TESTS_KINEMATICS_CHECK_H
#define HAMEL_TESTS_KINEMATICS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/kinematics/motion_series.h"
#include "draw.h"
#include "group/motion.h"
#include "oracle.h"

/* a plan is double, whatever the number; a dozen bodies of about a metre */
#define TOLERANCE ((NUM_EPS > 0x1p-52 ? NUM_EPS : 0x1p-52) * 0x1p11)

static const draw_tree_spec specs[] = {
    {.nbodies = 1, .root = HML_JOINT_FREE},
    {.nbodies = 6, .root = HML_JOINT_REVOLUTE, .one_dof = 1},
    {.nbodies = 10, .root = HML_JOINT_FREE, .one_dof = 1, .points = 1},
    {.nbodies = 10, .root = HML_JOINT_FREE, .points = 1},
    {.nbodies = 10, .root = HML_JOINT_PLANAR, .points = 1},
    {.nbodies = 10, .root = HML_JOINT_SPHERICAL},
    {.nbodies = 10, .root = HML_JOINT_SCHOENFLIES, .forest = 1, .points = 1},
    {.nbodies = 10, .root = HML_JOINT_FREE, .forest = 1},
};
enum { NSPECS = sizeof specs / sizeof *specs };

typedef struct robot {
    hml_model *model;
    int nq, nv;
    num q[2 * ORACLE_NV], v[ORACLE_NV], a[ORACLE_NV];
} robot;

static void robot_open(robot *r, uint64_t *seed, const draw_tree_spec *spec)
{
    double q[2 * ORACLE_NV];
    r->model = draw_tree(seed, spec);
    assert_non_null(r->model);
    r->nq = r->model->tree_nq, r->nv = r->model->tree_nv;
    assert_true(r->nv <= ORACLE_NV && r->model->nbodies <= ORACLE_BODIES);
    draw_configuration(seed, r->model, 1.0, q);
    for (int i = 0; i < r->nq; i++) r->q[i] = K(q[i]);
    for (int i = 0; i < r->nv; i++) r->v[i] = K(draw(seed)), r->a[i] = K(draw(seed));
}

static void robot_close(robot *r) { hml_model_free(r->model); }

static inline double real_part(num x)
{
#if defined HML_NUM_C64
    return creal(x);
#else
    return (double)num_get(x, 0);
#endif
}

static inline void twist_numbers(twist V, num x[6])
{
    x[0] = V.v.x, x[1] = V.v.y, x[2] = V.v.z, x[3] = V.w.x, x[4] = V.w.y, x[5] = V.w.z;
}

/* the largest difference of two twists, against a size */
static inline double twist_distance(twist A, twist B)
{
    num x[6];
    double off = 0;
    twist_numbers(twist_sub(A, B), x);
    for (int i = 0; i < 6; i++) {
        double d = fabs(real_part(x[i]));
        if (!(d <= off)) off = d;
    }
    return off;
}

static inline double twist_size(twist A) { return twist_distance(A, twist_zero()); }

/* column c of a body's Jacobian and its twist in a representation, by brute force */
static inline twist oracle_column(const oracle *o, int body, hml_representation rep, int c)
{
    return twist_from_left(rep, o->H[body], o->J[body][c]);
}

static inline twist oracle_twist(const oracle *o, int body, hml_representation rep)
{
    return twist_from_left(rep, o->H[body], o->v[body]);
}

#define ASSERT_NEAR(A, B, scale, tolerance)                                                                            \
    do {                                                                                                               \
        double off_ = twist_distance(A, B), bound_ = (scale) * (tolerance);                                            \
        if (!(off_ <= bound_)) fail_msg("%s:%d: off by %g, allowed %g", __FILE__, __LINE__, off_, bound_);             \
    } while (0)

/* ---- complex steps ---- */

#if defined HML_NUM_C64

#define STEP 1e-200

static inline twist imaginary(twist V)
{
    num x[6];
    twist_numbers(V, x);
    for (int i = 0; i < 6; i++) x[i] = cimag(x[i]) / STEP;
    return twist_at(x);
}

/* q ⊕ i·step·z */
static inline void complex_move(const robot *r, const num *z, num *q)
{
    num iz[ORACLE_NV];
    for (int i = 0; i < r->nv; i++) iz[i] = __builtin_complex(0.0, STEP * creal(z[i]));
    oracle_integrate(r->model, r->q, iz, q);
}

static inline void complex_add(const robot *r, const num *x, const num *dx, num *out)
{
    for (int i = 0; i < r->nv; i++) out[i] = x[i] + __builtin_complex(0.0, STEP * creal(dx[i]));
}

static inline void unit_vector(int n, int k, num *e)
{
    for (int i = 0; i < n; i++) e[i] = i == k;
}

#endif

/* ---- smooth motions ---- */

#if defined HML_NUM_F128

/*
 * q(t) = q ⊕ ξ₁t ⊕ ξ₂t²/2 ⊕ …, sampled at t = k·GRID_STEP, |k| <= GRID. Derivatives are taken by the 8th-order central
 * difference, again and again: with 113 bits and a step of 1e-3 the n-th is good to about 1e-24, and 1e-31/1e-3ⁿ.
 */
enum { MOTION_TERMS = 7, GRID = 28 };
#define GRID_STEP K(0x1p-10)

typedef struct motion {
    num xi[MOTION_TERMS][ORACLE_NV];
    num q[2 * GRID + 1][2 * ORACLE_NV]; /* q[GRID + k] */
} motion;

static inline void motion_sample(motion *m, const robot *r, uint64_t *seed)
{
    for (int n = 0; n < MOTION_TERMS; n++)
        for (int i = 0; i < r->nv; i++) m->xi[n][i] = K(draw(seed));
    for (int k = -GRID; k <= GRID; k++) {
        num t = K(k) * GRID_STEP, power = K(1), *q = m->q[GRID + k];
        for (int i = 0; i < r->nq; i++) q[i] = r->q[i];
        for (int n = 0; n < MOTION_TERMS; n++) {
            num z[ORACLE_NV];
            power = power * t / K(n + 1);
            for (int i = 0; i < r->nv; i++) z[i] = power * m->xi[n][i];
            oracle_integrate(r->model, q, z, q);
        }
    }
}

/* d/dt of samples at −n … n: the result stands at −n + 4 … n − 4 */
static void difference_once(num *f, int n)
{
    static const double w[4] = {672, -168, 32, -3}; /* over 840 h */
    for (int k = 0; k <= 2 * n - 8; k++) {
        num sum = K(0);
        for (int j = 1; j <= 4; j++) sum += K(w[j - 1]) * (f[k + 4 + j] - f[k + 4 - j]);
        f[k] = sum / (K(840) * GRID_STEP); /* entries below k + 4 − 4 are not needed any more */
    }
}

/* ν at grid point k */
static inline void motion_velocity(const motion *m, const robot *r, int k, num *v)
{
    num f[9][ORACLE_NV], samples[9];
    for (int j = -4; j <= 4; j++) {
        for (int i = 0; i < r->model->nbodies; i++) {
            const model_body *b = &model_bodies(r->model)[i];
            joint_difference(b->type, &m->q[GRID + k][b->q], &m->q[GRID + k + j][b->q], &f[j + 4][b->v]);
        }
    }
    for (int i = 0; i < r->nv; i++) {
        for (int j = 0; j < 9; j++) samples[j] = f[j][i];
        difference_once(samples, 4);
        v[i] = samples[0];
    }
}

#endif

#endif
