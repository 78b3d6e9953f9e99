/*
 * Small spatial algebra over num: vectors, rotations, poses, twists, wrenches, inertias.
 *
 *   vec3     x y z
 *   sym3     xx xy xz yy yz zz                 symmetric 3x3
 *   mat3     columns x y z                     R.x is the image of the first basis vector
 *   quat     w x y z                           Hamilton, unit
 *   pose     R p                               H_ab: coordinates in b to coordinates in a
 *   twist    v w                               linear first, angular second (Notation (7))
 *   wrench   f t                               force first, torque second (Notation (57))
 *   inertia  m h J                             mass, first moment m·c, rotational inertia about the origin
 *
 * All functions take and return values; a compiler keeps them in registers. Functions are grouped by type, in this
 * order; the name begins with the type it works on. x_at reads an x from an array of numbers, x_put writes it there,
 * in the order above; matrices are row-major there, and a pose is the first three rows of a 4x4 matrix.
 */
#ifndef HML_GROUP_SPATIAL_H
#define HML_GROUP_SPATIAL_H

#include "num/num.h"

typedef struct {
    num x, y, z;
} vec3;
typedef struct {
    num xx, xy, xz, yy, yz, zz;
} sym3;
typedef struct {
    vec3 x, y, z;
} mat3;
typedef struct {
    num w, x, y, z;
} quat;
typedef struct {
    mat3 R;
    vec3 p;
} pose;
typedef struct {
    vec3 v, w;
} twist;
typedef struct {
    vec3 f, t;
} wrench;
typedef struct {
    num m;
    vec3 h;
    sym3 J;
} inertia;

/* ---- vec3 ---- */

NUM_INLINE vec3 vec3_of(num x, num y, num z)
{
    vec3 a;
    a.x = x, a.y = y, a.z = z;
    return a;
}

NUM_INLINE vec3 vec3_at(const num *x) { return vec3_of(x[0], x[1], x[2]); }
NUM_INLINE void vec3_put(vec3 a, num *x) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }
NUM_INLINE vec3 vec3_zero(void) { return vec3_of(K(0), K(0), K(0)); }
NUM_INLINE vec3 vec3_add(vec3 a, vec3 b) { return vec3_of(a.x + b.x, a.y + b.y, a.z + b.z); }
NUM_INLINE vec3 vec3_sub(vec3 a, vec3 b) { return vec3_of(a.x - b.x, a.y - b.y, a.z - b.z); }
NUM_INLINE vec3 vec3_neg(vec3 a) { return vec3_of(-a.x, -a.y, -a.z); }
NUM_INLINE vec3 vec3_scale(num s, vec3 a) { return vec3_of(s * a.x, s * a.y, s * a.z); }
NUM_INLINE vec3 vec3_axpy(num s, vec3 a, vec3 b) { return vec3_of(s * a.x + b.x, s * a.y + b.y, s * a.z + b.z); }
NUM_INLINE num vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

NUM_INLINE vec3 vec3_cross(vec3 a, vec3 b)
{
    return vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

NUM_INLINE num vec3_norm(vec3 a) { return num_sqrt(vec3_dot(a, a)); }

/* ---- sym3 ---- */

NUM_INLINE sym3 sym3_of(num xx, num xy, num xz, num yy, num yz, num zz)
{
    sym3 A;
    A.xx = xx, A.xy = xy, A.xz = xz, A.yy = yy, A.yz = yz, A.zz = zz;
    return A;
}

NUM_INLINE sym3 sym3_at(const num *x) { return sym3_of(x[0], x[1], x[2], x[3], x[4], x[5]); }

NUM_INLINE sym3 sym3_add(sym3 A, sym3 B)
{
    return sym3_of(A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yy + B.yy, A.yz + B.yz, A.zz + B.zz);
}

NUM_INLINE vec3 sym3_mul(sym3 A, vec3 a)
{
    return vec3_of(A.xx * a.x + A.xy * a.y + A.xz * a.z, A.xy * a.x + A.yy * a.y + A.yz * a.z,
                   A.xz * a.x + A.yz * a.y + A.zz * a.z);
}

/* ---- mat3 ---- */

NUM_INLINE mat3 mat3_of(vec3 x, vec3 y, vec3 z)
{
    mat3 A;
    A.x = x, A.y = y, A.z = z;
    return A;
}

/* a 3x3 block of a matrix whose rows are ld apart */
NUM_INLINE mat3 mat3_at(const num *x, int ld)
{
    return mat3_of(vec3_of(x[0], x[ld], x[2 * ld]), vec3_of(x[1], x[ld + 1], x[2 * ld + 1]),
                   vec3_of(x[2], x[ld + 2], x[2 * ld + 2]));
}

NUM_INLINE void mat3_put(mat3 A, num *x, int ld)
{
    x[0] = A.x.x, x[1] = A.y.x, x[2] = A.z.x;
    x[ld] = A.x.y, x[ld + 1] = A.y.y, x[ld + 2] = A.z.y;
    x[2 * ld] = A.x.z, x[2 * ld + 1] = A.y.z, x[2 * ld + 2] = A.z.z;
}

NUM_INLINE mat3 mat3_diagonal(num x, num y, num z)
{
    return mat3_of(vec3_of(x, K(0), K(0)), vec3_of(K(0), y, K(0)), vec3_of(K(0), K(0), z));
}

NUM_INLINE mat3 mat3_identity(void) { return mat3_diagonal(K(1), K(1), K(1)); }
NUM_INLINE mat3 mat3_zero(void) { return mat3_of(vec3_zero(), vec3_zero(), vec3_zero()); }

NUM_INLINE mat3 mat3_add(mat3 A, mat3 B) { return mat3_of(vec3_add(A.x, B.x), vec3_add(A.y, B.y), vec3_add(A.z, B.z)); }
NUM_INLINE mat3 mat3_sub(mat3 A, mat3 B) { return mat3_of(vec3_sub(A.x, B.x), vec3_sub(A.y, B.y), vec3_sub(A.z, B.z)); }
NUM_INLINE mat3 mat3_scale(num s, mat3 A)
{
    return mat3_of(vec3_scale(s, A.x), vec3_scale(s, A.y), vec3_scale(s, A.z));
}

NUM_INLINE mat3 mat3_transpose(mat3 A)
{
    return mat3_of(vec3_of(A.x.x, A.y.x, A.z.x), vec3_of(A.x.y, A.y.y, A.z.y), vec3_of(A.x.z, A.y.z, A.z.z));
}

/* A a */
NUM_INLINE vec3 mat3_mul_vec(mat3 A, vec3 a)
{
    return vec3_of(A.x.x * a.x + A.y.x * a.y + A.z.x * a.z, A.x.y * a.x + A.y.y * a.y + A.z.y * a.z,
                   A.x.z * a.x + A.y.z * a.y + A.z.z * a.z);
}

/* Aᵀ a */
NUM_INLINE vec3 mat3_tmul_vec(mat3 A, vec3 a) { return vec3_of(vec3_dot(A.x, a), vec3_dot(A.y, a), vec3_dot(A.z, a)); }

/* A B */
NUM_INLINE mat3 mat3_mul(mat3 A, mat3 B)
{
    return mat3_of(mat3_mul_vec(A, B.x), mat3_mul_vec(A, B.y), mat3_mul_vec(A, B.z));
}

/* Aᵀ B */
NUM_INLINE mat3 mat3_tmul(mat3 A, mat3 B)
{
    return mat3_of(mat3_tmul_vec(A, B.x), mat3_tmul_vec(A, B.y), mat3_tmul_vec(A, B.z));
}

/* a^: the matrix with a^ b = a × b, Notation (5) */
NUM_INLINE mat3 mat3_hat(vec3 a)
{
    return mat3_of(vec3_of(K(0), a.z, -a.y), vec3_of(-a.z, K(0), a.x), vec3_of(a.y, -a.x, K(0)));
}

/* a bᵀ */
NUM_INLINE mat3 mat3_outer(vec3 a, vec3 b)
{
    return mat3_of(vec3_scale(b.x, a), vec3_scale(b.y, a), vec3_scale(b.z, a));
}

NUM_INLINE mat3 mat3_of_sym(sym3 A)
{
    return mat3_of(vec3_of(A.xx, A.xy, A.xz), vec3_of(A.xy, A.yy, A.yz), vec3_of(A.xz, A.yz, A.zz));
}

/* R A Rᵀ */
NUM_INLINE sym3 sym3_rotate(mat3 R, sym3 A)
{
    mat3 B = mat3_transpose(mat3_mul(R, mat3_of_sym(A))); /* columns of B are the rows of R A */
    mat3 r = mat3_transpose(R);                           /* columns of r are the rows of R */
    return sym3_of(vec3_dot(B.x, r.x), vec3_dot(B.x, r.y), vec3_dot(B.x, r.z), vec3_dot(B.y, r.y), vec3_dot(B.y, r.z),
                   vec3_dot(B.z, r.z));
}

/* ---- quat ---- */

NUM_INLINE quat quat_of(num w, num x, num y, num z)
{
    quat q;
    q.w = w, q.x = x, q.y = y, q.z = z;
    return q;
}

NUM_INLINE quat quat_at(const num *x) { return quat_of(x[0], x[1], x[2], x[3]); }
NUM_INLINE void quat_put(quat q, num *x) { x[0] = q.w, x[1] = q.x, x[2] = q.y, x[3] = q.z; }
NUM_INLINE num quat_square(quat q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }

/* is what has this squared length unit within 1e-3? Not where there is NaN */
NUM_INLINE mask square_is_unit(num square)
{
    return num_lt(K(0.999 * 0.999), square) & num_lt(square, K(1.001 * 1.001));
}

NUM_INLINE mask quat_is_unit(quat q) { return square_is_unit(quat_square(q)); }

NUM_INLINE quat quat_conj(quat q) { return quat_of(q.w, -q.x, -q.y, -q.z); }

NUM_INLINE quat quat_mul(quat a, quat b)
{
    return quat_of(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

NUM_INLINE quat quat_normalize(quat q)
{
    num s = K(1) / num_sqrt(quat_square(q));
    return quat_of(s * q.w, s * q.x, s * q.y, s * q.z);
}

/* of a product of unit quaternions: takes back what rounding did to its length, d = ½ (1 − |q|²) of it */
NUM_INLINE quat quat_tidy(quat q)
{
    num d = K(0.5) * (K(1) - quat_square(q));
    return quat_of(q.w + d * q.w, q.x + d * q.x, q.y + d * q.y, q.z + d * q.z);
}

/* rotation matrix of a unit quaternion */
NUM_INLINE mat3 quat_to_mat3(quat q)
{
    num x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    num xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    num xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    num wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return mat3_of(vec3_of(K(1) - (yy + zz), xy + wz, xz - wy), vec3_of(xy - wz, K(1) - (xx + zz), yz + wx),
                   vec3_of(xz + wy, yz - wx, K(1) - (xx + yy)));
}

/* ---- pose ---- */

NUM_INLINE pose pose_of(mat3 R, vec3 p)
{
    pose H;
    H.R = R, H.p = p;
    return H;
}

NUM_INLINE pose pose_at(const num *x) { return pose_of(mat3_at(x, 4), vec3_of(x[3], x[7], x[11])); }
NUM_INLINE pose pose_identity(void) { return pose_of(mat3_identity(), vec3_zero()); }

/* H_ac = H_ab H_bc */
NUM_INLINE pose pose_mul(pose A, pose B) { return pose_of(mat3_mul(A.R, B.R), vec3_add(mat3_mul_vec(A.R, B.p), A.p)); }

NUM_INLINE pose pose_inverse(pose A) { return pose_of(mat3_transpose(A.R), vec3_neg(mat3_tmul_vec(A.R, A.p))); }

/* H_ab⁻¹ H_ac = H_bc */
NUM_INLINE pose pose_between(pose A, pose B)
{
    return pose_of(mat3_tmul(A.R, B.R), mat3_tmul_vec(A.R, vec3_sub(B.p, A.p)));
}

NUM_INLINE vec3 pose_act(pose A, vec3 a) { return vec3_add(mat3_mul_vec(A.R, a), A.p); }
NUM_INLINE vec3 pose_act_inverse(pose A, vec3 a) { return mat3_tmul_vec(A.R, vec3_sub(a, A.p)); }

/* ---- twist ---- */

NUM_INLINE twist twist_of(vec3 v, vec3 w)
{
    twist V;
    V.v = v, V.w = w;
    return V;
}

NUM_INLINE twist twist_at(const num *x) { return twist_of(vec3_at(x), vec3_at(x + 3)); }
NUM_INLINE void twist_put(twist V, num *x) { vec3_put(V.v, x), vec3_put(V.w, x + 3); }
NUM_INLINE twist twist_zero(void) { return twist_of(vec3_zero(), vec3_zero()); }
NUM_INLINE twist twist_add(twist A, twist B) { return twist_of(vec3_add(A.v, B.v), vec3_add(A.w, B.w)); }
NUM_INLINE twist twist_sub(twist A, twist B) { return twist_of(vec3_sub(A.v, B.v), vec3_sub(A.w, B.w)); }
NUM_INLINE twist twist_scale(num s, twist A) { return twist_of(vec3_scale(s, A.v), vec3_scale(s, A.w)); }
NUM_INLINE twist twist_axpy(num s, twist A, twist B)
{
    return twist_of(vec3_axpy(s, A.v, B.v), vec3_axpy(s, A.w, B.w));
}

/* Ad: X_ab V, twist in b to twist in a, Notation (27) */
NUM_INLINE twist pose_ad(pose A, twist V)
{
    vec3 w = mat3_mul_vec(A.R, V.w);
    return twist_of(vec3_add(mat3_mul_vec(A.R, V.v), vec3_cross(A.p, w)), w);
}

/* Ad⁻¹: X_ba V, twist in a to twist in b */
NUM_INLINE twist pose_ad_inverse(pose A, twist V)
{
    return twist_of(mat3_tmul_vec(A.R, vec3_sub(V.v, vec3_cross(A.p, V.w))), mat3_tmul_vec(A.R, V.w));
}

/* ad: A × B, Notation (38) */
NUM_INLINE twist twist_cross(twist A, twist B)
{
    return twist_of(vec3_add(vec3_cross(A.w, B.v), vec3_cross(A.v, B.w)), vec3_cross(A.w, B.w));
}

/* ---- wrench ---- */

NUM_INLINE wrench wrench_of(vec3 f, vec3 t)
{
    wrench F;
    F.f = f, F.t = t;
    return F;
}

NUM_INLINE wrench wrench_at(const num *x) { return wrench_of(vec3_at(x), vec3_at(x + 3)); }
NUM_INLINE void wrench_put(wrench F, num *x) { vec3_put(F.f, x), vec3_put(F.t, x + 3); }
NUM_INLINE wrench wrench_zero(void) { return wrench_of(vec3_zero(), vec3_zero()); }
NUM_INLINE wrench wrench_add(wrench A, wrench B) { return wrench_of(vec3_add(A.f, B.f), vec3_add(A.t, B.t)); }
NUM_INLINE wrench wrench_sub(wrench A, wrench B) { return wrench_of(vec3_sub(A.f, B.f), vec3_sub(A.t, B.t)); }
NUM_INLINE wrench wrench_scale(num s, wrench A) { return wrench_of(vec3_scale(s, A.f), vec3_scale(s, A.t)); }

/* power of a wrench on a twist */
NUM_INLINE num wrench_dot(wrench F, twist V) { return vec3_dot(F.f, V.v) + vec3_dot(F.t, V.w); }

/* wrench in b to wrench in a, Notation (59) */
NUM_INLINE wrench pose_ad_dual(pose A, wrench F)
{
    vec3 f = mat3_mul_vec(A.R, F.f);
    return wrench_of(f, vec3_add(mat3_mul_vec(A.R, F.t), vec3_cross(A.p, f)));
}

/* wrench in a to wrench in b */
NUM_INLINE wrench pose_ad_dual_inverse(pose A, wrench F)
{
    return wrench_of(mat3_tmul_vec(A.R, F.f), mat3_tmul_vec(A.R, vec3_sub(F.t, vec3_cross(A.p, F.f))));
}

/* dual cross product V ×* F = −ad_Vᵀ F, Notation (62) */
NUM_INLINE wrench twist_cross_dual(twist V, wrench F)
{
    return wrench_of(vec3_cross(V.w, F.f), vec3_add(vec3_cross(V.w, F.t), vec3_cross(V.v, F.f)));
}

/* ---- inertia ---- */

NUM_INLINE inertia inertia_of(num m, vec3 h, sym3 J)
{
    inertia I;
    I.m = m, I.h = h, I.J = J;
    return I;
}

NUM_INLINE inertia inertia_at(const num *x) { return inertia_of(x[0], vec3_at(x + 1), sym3_at(x + 4)); }

NUM_INLINE inertia inertia_add(inertia A, inertia B)
{
    return inertia_of(A.m + B.m, vec3_add(A.h, B.h), sym3_add(A.J, B.J));
}

/* m·(p·p I − p pᵀ): rotational inertia of a mass at p */
NUM_INLINE sym3 sym3_point_mass(num m, vec3 p)
{
    num xx = m * p.x * p.x, yy = m * p.y * p.y, zz = m * p.z * p.z;
    return sym3_of(yy + zz, -m * p.x * p.y, -m * p.x * p.z, xx + zz, -m * p.y * p.z, xx + yy);
}

/* mass, centre of mass and moment about the centre of mass */
NUM_INLINE inertia inertia_of_com(num m, vec3 c, sym3 at_com)
{
    return inertia_of(m, vec3_scale(m, c), sym3_add(at_com, sym3_point_mass(m, c)));
}

/* I V: momentum of the body whose twist is V */
NUM_INLINE wrench inertia_mul(inertia I, twist V)
{
    return wrench_of(vec3_sub(vec3_scale(I.m, V.v), vec3_cross(I.h, V.w)),
                     vec3_add(sym3_mul(I.J, V.w), vec3_cross(I.h, V.v)));
}

/*
 * The same inertia in frame a, given in b. With c' = R h, the rotated first moment,
 * J_a = R J Rᵀ + [2 (c'·p) + m p·p] I − (c' pᵀ + p c'ᵀ) − m p pᵀ.
 */
NUM_INLINE inertia inertia_transform(pose A, inertia I)
{
    vec3 c = mat3_mul_vec(A.R, I.h), p = A.p;
    sym3 J = sym3_rotate(A.R, I.J);
    vec3 d = vec3_axpy(I.m, p, c); /* first moment seen from a, c' + m p */
    num cx = c.x * p.x + p.x * d.x, cy = c.y * p.y + p.y * d.y, cz = c.z * p.z + p.z * d.z;
    return inertia_of(I.m, d,
                      sym3_of(J.xx + cy + cz, J.xy - c.x * p.y - p.x * d.y, J.xz - c.x * p.z - p.x * d.z,
                              J.yy + cx + cz, J.yz - c.y * p.z - p.y * d.z, J.zz + cx + cy));
}

#endif
