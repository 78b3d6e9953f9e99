/*
 * Random draws, curves and comparisons for the SE(3) tests, over any kind of number.
 *
 * A draw differs from lane to lane. A comparison takes the worst lane and asserts |a − b| <= tolerance·scale, so that
 * NaN fails. A rate is d/dt of a curve: an exact complex step where numbers are complex, otherwise central differences
 * of eighth order, whose error is about RATE_EPS for curves that turn and move by about one unit a second.
 */
#ifndef HML_TESTS_SE3_CHECK_H
#define HML_TESTS_SE3_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "group/se3.h"

enum { DRAWS = 1000 };

/* ---- draws ---- */

static uint64_t draw_state = 20190913;

static inline double draw_double(double low, double high)
{
    uint64_t z = (draw_state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

static inline num draw(double low, double high)
{
    num x = K(0);
    for (int i = 0; i < LANES; i++) num_set(&x, i, (lane)draw_double(low, high));
    return x;
}

static inline vec3 draw_vec3(double size)
{
    num x = draw(-size, size), y = draw(-size, size), z = draw(-size, size);
    return vec3_of(x, y, z);
}

static inline quat draw_quat(void)
{
    vec3 a = draw_vec3(1);
    return quat_normalize(quat_of(draw(0.01, 1), a.x, a.y, a.z));
}

static inline pose draw_pose(void)
{
    mat3 R = quat_to_mat3(draw_quat());
    return pose_of(R, draw_vec3(2));
}

static inline twist draw_twist(void)
{
    vec3 v = draw_vec3(1);
    return twist_of(v, draw_vec3(1));
}

static inline wrench draw_wrench(void)
{
    vec3 f = draw_vec3(1);
    return wrench_of(f, draw_vec3(1));
}

/* a twist that turns by the given angle about a random axis */
static inline twist draw_twist_of_angle(double angle)
{
    vec3 w = draw_vec3(1), v = draw_vec3(1);
    return twist_of(v, vec3_scale(K(angle) / vec3_norm(w), w));
}

/* ---- comparisons ---- */

static inline double real_part(lane x)
{
#if defined HML_NUM_C64
    return creal(x);
#else
    return (double)x;
#endif
}

static inline double gap(const num *a, const num *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        num d = a[i] - b[i];
        for (int k = 0; k < LANES; k++) {
            double e = real_part(num_get(d, k));
            if (!(e <= worst && -e <= worst)) worst = e < 0 ? -e : e > 0 ? e : HUGE_VAL; /* NaN stays */
        }
    }
    return worst;
}

static inline void check_near(const num *a, const num *b, size_t n, double tolerance, const char *file, int line)
{
    double e = gap(a, b, n);
    if (!(e <= tolerance)) print_error("off by %g, allowed %g\n", e, tolerance);
    _assert_true(e <= tolerance, "e <= tolerance", file, line);
}

/* two arrays of n numbers, or two structures of numbers of the same type */
#define CHECK_ARRAY(a, b, n, tolerance) check_near(a, b, n, tolerance, __FILE__, __LINE__)
#define CHECK(a, b, tolerance)                                                                                         \
    check_near((const num *)&(a), (const num *)&(b), sizeof(a) / sizeof(num), tolerance, __FILE__, __LINE__)

/* ---- rates ---- */

typedef void (*curve)(const void *context, num t, num *out);

enum { RATE_MAX = 36 };

/* Balance of round-off, EPS/h, and truncation, about 75 h^8 for these curves. A complex step has neither. */
#if defined HML_NUM_C64
#define RATE_EPS (4 * NUM_EPS)
#elif defined HML_NUM_F128
#define RATE_EPS  1e-29
#define RATE_STEP 0x1p-13
#elif defined HML_NUM_F32
#define RATE_EPS  4e-6
#define RATE_STEP 0x1p-4
#else
#define RATE_EPS  5e-14
#define RATE_STEP 0x1p-7
#endif

static inline void rate(curve f, const void *context, size_t n, num *out)
{
#if defined HML_NUM_C64
    const double h = 1e-150;
    f(context, __builtin_complex(0.0, h), out);
    for (size_t i = 0; i < n; i++) out[i] = cimag(out[i]) / h;
#else
    static const double weight[4][2] = {{4, 5}, {-1, 5}, {4, 105}, {-1, 280}};
    num ahead[RATE_MAX], behind[RATE_MAX];
    for (size_t i = 0; i < n; i++) out[i] = K(0);
    for (int k = 4; k >= 1; k--) {
        num step = K(k * RATE_STEP), w = K(weight[k - 1][0]) / (K(weight[k - 1][1]) * K(RATE_STEP));
        f(context, step, ahead);
        f(context, -step, behind);
        for (size_t i = 0; i < n; i++) out[i] += w * (ahead[i] - behind[i]);
    }
#endif
}

/* ---- curves ---- */

/*
 * A moving frame that does not know the exponential map: R(t) of the quaternion q0 + t·q1, normalized, and
 * p(t) = p0 + t·p1 + t²·p2.
 */
typedef struct {
    quat q0, q1;
    vec3 p0, p1, p2;
} path;

static inline path draw_path(void)
{
    path P;
    vec3 a = draw_vec3(0.4);
    P.q0 = draw_quat();
    P.q1 = quat_of(draw(-0.4, 0.4), a.x, a.y, a.z);
    P.p0 = draw_vec3(2), P.p1 = draw_vec3(1), P.p2 = draw_vec3(1);
    return P;
}

static inline quat path_quat(const path *P, num t, num *norm)
{
    quat q = quat_of(P->q0.w + t * P->q1.w, P->q0.x + t * P->q1.x, P->q0.y + t * P->q1.y, P->q0.z + t * P->q1.z);
    *norm = num_sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return quat_of(q.w / *norm, q.x / *norm, q.y / *norm, q.z / *norm);
}

static inline pose path_pose(const path *P, num t)
{
    num norm;
    quat q = path_quat(P, t, &norm);
    return pose_of(quat_to_mat3(q), vec3_axpy(t * t, P->p2, vec3_axpy(t, P->p1, P->p0)));
}

/* dp/dt */
static inline vec3 path_velocity(const path *P, num t) { return vec3_axpy(t + t, P->p2, P->p1); }

/* angular velocity in the moving frame: 2·vec(q* dq/dt) */
static inline vec3 path_omega(const path *P, num t)
{
    num norm;
    quat q = path_quat(P, t, &norm), u = quat_mul(quat_conj(q), P->q1);
    return vec3_scale(K(2) / norm, vec3_of(u.x, u.y, u.z));
}

/* the left-trivialized twist, from its parts: Notation (18), (19) */
static inline twist path_left(const path *P, num t)
{
    return twist_of(mat3_tmul_vec(path_pose(P, t).R, path_velocity(P, t)), path_omega(P, t));
}

#endif
