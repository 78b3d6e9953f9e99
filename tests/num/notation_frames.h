/*
 * Frames for the identities of Notation: A fixed; B moves along `B` (pose H_AB), C along `C` (pose H_AC). The curves
 * are rational functions that know no exponential, and their twists come from the parts (18), (19), so that nothing is
 * proved by itself.
 */
#ifndef HML_TESTS_NOTATION_FRAMES_H
#define HML_TESTS_NOTATION_FRAMES_H

#include "se3_check.h"

/* round-off of a few dozen operations on numbers up to about 30 */
#define TOL      (500 * NUM_EPS)
#define RATE_TOL (200 * RATE_EPS)

typedef struct {
    path B, C;
} motion;

static inline motion draw_motion(void)
{
    motion M;
    M.B = draw_path(), M.C = draw_path();
    return M;
}

static inline pose H_AB(const motion *M, num t) { return path_pose(&M->B, t); }
static inline pose H_CB(const motion *M, num t) { return pose_between(path_pose(&M->C, t), path_pose(&M->B, t)); }

/* twist of B relative to C, in B: the difference of their twists relative to A */
static inline twist relative_twist(const motion *M, num t)
{
    return twist_sub(path_left(&M->B, t), pose_ad_inverse(H_CB(M, t), path_left(&M->C, t)));
}

static inline void matrix_product(int n, const num *A, const num *B, num *out)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            num sum = K(0);
            for (int k = 0; k < n; k++) sum += A[n * i + k] * B[n * k + j];
            out[n * i + j] = sum;
        }
    }
}

static inline void matrix_transpose(int n, const num *A, num *out)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) out[n * j + i] = A[n * i + j];
    }
}

/* the curves whose rates are needed */
static inline void curve_pose(const void *M, num t, num *out) { pose_matrix(H_AB(M, t), out); }
static inline void curve_ad(const void *M, num t, num *out) { pose_ad_matrix(H_AB(M, t), out); }
static inline void curve_ad_dual(const void *M, num t, num *out) { pose_ad_dual_matrix(H_AB(M, t), out); }
static inline void store_twist(twist V, num *out)
{
    out[0] = V.v.x, out[1] = V.v.y, out[2] = V.v.z, out[3] = V.w.x, out[4] = V.w.y, out[5] = V.w.z;
}
static inline twist load_twist(const num *x) { return twist_at(x); }
static inline twist left_of(const motion *M, num t) { return path_left(&M->B, t); }
static inline twist right_of(const motion *M, num t) { return pose_ad(H_AB(M, t), path_left(&M->B, t)); }
static inline twist in_C(const motion *M, num t) { return pose_ad(H_CB(M, t), path_left(&M->B, t)); }
static inline twist mixed_of(const motion *M, num t)
{
    return twist_of(path_velocity(&M->B, t), mat3_mul_vec(H_AB(M, t).R, path_omega(&M->B, t)));
}
static inline void curve_left(const void *M, num t, num *out) { store_twist(left_of(M, t), out); }
static inline void curve_right(const void *M, num t, num *out) { store_twist(right_of(M, t), out); }
static inline void curve_in_C(const void *M, num t, num *out) { store_twist(in_C(M, t), out); }
static inline void curve_mixed(const void *M, num t, num *out) { store_twist(mixed_of(M, t), out); }

static inline twist twist_rate(curve f, const motion *M)
{
    num d[6];
    rate(f, M, 6, d);
    return load_twist(d);
}

#endif
