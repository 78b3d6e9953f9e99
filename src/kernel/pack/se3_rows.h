/*
 * Batches of SE(3) and of inertias: bodies of row maps (see pack/so3_rows.h), and maps of two arrays of rows. A row
 * with NaN or infinity gives a row of NaN, and so does the logarithm of a matrix that is not a pose.
 */
#ifndef HML_KERNEL_PACK_SE3_ROWS_H
#define HML_KERNEL_PACK_SE3_ROWS_H

#include "group/se3.h"
#include "kernel/pack/row_map.h"
#include "kernel/table.h"

/* ---- rows of NaN ---- */

/*
 * Zero where all entries are finite, else NaN. Added to an input that every output depends on, it makes all outputs
 * NaN.
 */
NUM_INLINE num row_poison(const num *x, int n)
{
    num z = K(0) * x[0];
    for (int i = 1; i < n; i++) z += K(0) * x[i];
    return z;
}

NUM_INLINE vec3 vec3_spoil(num poison, vec3 a) { return vec3_of(a.x + poison, a.y + poison, a.z + poison); }
NUM_INLINE twist twist_spoil(num poison, twist V) { return twist_of(vec3_spoil(poison, V.v), vec3_spoil(poison, V.w)); }

/* entries of RᵀR within 1e-3 of the identity's, and right-handed, as hml_se3_check */
static inline mask mat3_is_rotation(mat3 R)
{
    num e = K(1e-3), xx = vec3_dot(R.x, R.x) - K(1), yy = vec3_dot(R.y, R.y) - K(1), zz = vec3_dot(R.z, R.z) - K(1);
    num xy = vec3_dot(R.x, R.y), xz = vec3_dot(R.x, R.z), yz = vec3_dot(R.y, R.z);
    num e2 = e * e;
    mask unit = num_lt(xx * xx, e2) & num_lt(yy * yy, e2) & num_lt(zz * zz, e2);
    mask square = num_lt(xy * xy, e2) & num_lt(xz * xz, e2) & num_lt(yz * yz, e2);
    return unit & square & num_lt(K(0), vec3_dot(vec3_cross(R.x, R.y), R.z));
}

/* ---- bodies ---- */

static inline void se3_exp_row(const num *x, num *y)
{
    num poison = row_poison(x, 6);
    pose_matrix(se3_exp(twist_spoil(poison, twist_at(x))), y);
    y[12] = y[13] = y[14] = poison, y[15] = K(1) + poison;
}

static inline void se3_log_row(const num *x, num *y)
{
    pose H = pose_at(x);
    num poison = num_select(mat3_is_rotation(H.R), row_poison(x, 12), K(NAN));
    twist xi = twist_spoil(poison, se3_log(H));
    twist_put(xi, y);
}

/* [J Q; 0 J] with the poison for 0 */
NUM_INLINE void jacobian_to_row(se3_jacobian D, num poison, num *y)
{
    vec3 p = vec3_of(poison, poison, poison);
    mat6_store(D.J, D.Q, mat3_of(p, p, p), D.J, y);
}

static inline void se3_dexp_left_row(const num *x, num *y)
{
    num poison = row_poison(x, 6);
    jacobian_to_row(se3_dexp_left(twist_spoil(poison, twist_at(x))), poison, y);
}

static inline void se3_dexp_left_inverse_row(const num *x, num *y)
{
    num poison = row_poison(x, 6);
    jacobian_to_row(se3_dexp_left_inverse(twist_spoil(poison, twist_at(x))), poison, y);
}

static inline void twist_transform_row(const num *x, num *y)
{
    num poison = row_poison(x, 12) + row_poison(x + 16, 6);
    twist V = pose_ad(pose_at(x), twist_spoil(poison, twist_at(x + 16)));
    twist_put(V, y);
}

static inline void twist_cross_row(const num *x, num *y)
{
    twist V = twist_cross(twist_at(x), twist_spoil(row_poison(x, 12), twist_at(x + 6)));
    twist_put(V, y);
}

static inline void inertia_mul_row(const num *x, num *y)
{
    wrench F = inertia_mul(inertia_at(x), twist_spoil(row_poison(x, 16), twist_at(x + 10)));
    wrench_put(F, y);
}

/* ---- two arrays of rows ---- */

/* x holds a row of the first array, then one of the second */
NUM_INLINE void pairs_pack(int first, int second, int outs, rows_body *body, const lane *a, const lane *b, lane *out)
{
    num x[ROWS_LONGEST + LANES], y[ROWS_LONGEST + LANES];
    rows_load(first, a, x);
    rows_load(second, b, x + first);
    body(x, y);
    rows_store(outs, y, out);
}

/* the last rows go through padded copies, as in rows_map */
NUM_INLINE void pairs_map(size_t n, int first, int second, int outs, rows_body *body, const lane *a, const lane *b,
                          lane *out)
{
    lane one[LANES * (ROWS_LONGEST + 1)], two[LANES * (ROWS_LONGEST + 1)], result[LANES * ROWS_LONGEST];
    size_t fa = (size_t)first, fb = (size_t)second, to = (size_t)outs;
    for (; n >= 2 * LANES; n -= LANES, a += LANES * fa, b += LANES * fb, out += LANES * to) {
        pairs_pack(first, second, outs, body, a, b, out);
    }
    memset(one, 0, sizeof one);
    memset(two, 0, sizeof two);
    while (n > 0) {
        size_t some = n < LANES ? n : LANES;
        for (size_t i = 0; i < LANES; i++) {
            size_t row = i < some ? i : some - 1;
            memcpy(one + i * fa, a + row * fa, fa * sizeof *a);
            memcpy(two + i * fb, b + row * fb, fb * sizeof *b);
        }
        pairs_pack(first, second, outs, body, one, two, result);
        memcpy(out, result, some * to * sizeof *out);
        n -= some, a += some * fa, b += some * fb, out += some * to;
    }
}

#define PAIRS(name, first, second, outs)                                                                               \
    static void name##_pairs(size_t n, const lane *a, const lane *b, lane *out)                                        \
    {                                                                                                                  \
        pairs_map(n, first, second, outs, name##_row, a, b, out);                                                      \
    }
PAIR_MAPS(PAIRS)
#undef PAIRS

#endif
