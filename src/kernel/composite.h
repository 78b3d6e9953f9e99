/*
 * First passes of the fast dynamics, over num: kinematics root to leaves, composite bodies leaves to root.
 *
 * All quantities are in the plan frame of the tree's root body at this instant, so that distance from the world's
 * origin costs no digits. Formulas: Singh, Russo, Wensing, "Efficient analytical derivatives of rigid-body dynamics
 * using spatial vector algebra", written for left-trivialized group joints. For body i with parent p and columns S:
 *
 *   v_i = v_p + S ν      a_i = a_p + S ν̇ + v_p × S ν      Ψ̇ = v_p × S      Ṡ = v_i × S
 *   f_i = I a_i + v_i ×* I v_i
 *   2B = v ×* I − I v × + [I v],  [f] m = m ×* f.  Of a rigid body, and so of any sum of them, 2B is
 *   2B [x; w] = [ −2 n × w ; K w ]  with  K = k − t^,
 *   n, t linear and angular momentum, k = ω^J + (ω^J)ᵀ + 2 (u·h) 1 − h uᵀ − u hᵀ symmetric, for v = [u; ω].
 *
 * The dynamics do not change in a frame that falls freely or moves uniformly (Galilei). So gravity and the linear
 * velocity of a free root are left out of the passes; base_motion keeps them, and they are added at the end.
 */
#ifndef HML_KERNEL_COMPOSITE_H
#define HML_KERNEL_COMPOSITE_H

#include "group/joint.h"
#include "model/plan.h"

/* a body in motion; summed over bodies: a subtree in motion */
typedef struct composite {
    inertia I;
    vec3 n;   /* linear momentum */
    vec3 t;   /* angular momentum */
    sym3 k;   /* symmetric part of K */
    wrench f; /* force that the motion needs */
} composite;

typedef struct body_state {
    pose H;   /* plan frame of the body in the root frame */
    twist v;  /* velocity */
    twist a;  /* acceleration; with ν̇ = 0 until the acceleration is known */
    twist da; /* what ν̇ adds to it */
    composite sum;
} body_state;

typedef struct column_state {
    twist S;
    twist Pd;  /* Ψ̇ */
    twist Pdd; /* Ψ̈ = a_p × S + v_p × Ψ̇ */
    twist PS;  /* Ψ̇ + Ṡ */
    wrench F;  /* I S of the subtree */
    vec3 g;    /* angular part of (2B)ᵀ S; the linear part is zero */
} column_state;

typedef struct base_motion {
    pose H;       /* root frame in the world */
    vec3 gravity; /* in the root frame */
    vec3 u;       /* linear velocity of a free root, left out of the passes */
} base_motion;

static inline pose plan_pose(const double X[12])
{
    return pose_of(mat3_of(vec3_of(K(X[0]), K(X[3]), K(X[6])), vec3_of(K(X[1]), K(X[4]), K(X[7])),
                           vec3_of(K(X[2]), K(X[5]), K(X[8]))),
                   vec3_of(K(X[9]), K(X[10]), K(X[11])));
}

static inline inertia plan_inertia(const double I[10])
{
    return inertia_of(K(I[0]), vec3_of(K(I[1]), K(I[2]), K(I[3])),
                      sym3_of(K(I[4]), K(I[5]), K(I[6]), K(I[7]), K(I[8]), K(I[9])));
}

/* turns a frame about its own z, by the angle with the given sine and cosine */
static inline mat3 turn_z_by(mat3 R, num s, num c)
{
    return mat3_of(vec3_axpy(s, R.y, vec3_scale(c, R.x)), vec3_axpy(-s, R.x, vec3_scale(c, R.y)), R.z);
}

static inline mat3 turn_z(mat3 R, num angle)
{
    num s, c;
    num_sincos(angle, &s, &c);
    return turn_z_by(R, s, c);
}

/* moves the predecessor frame P by the joint's position q: P g(q), every axis being z */
static inline pose joint_move(int type, pose P, num pitch, const num q[])
{
    switch (type) {
    case HML_JOINT_REVOLUTE: P.R = turn_z(P.R, q[0]); break;
    case HML_JOINT_PRISMATIC: P.p = vec3_axpy(q[0], P.R.z, P.p); break;
    case HML_JOINT_HELICAL:
        P.p = vec3_axpy(pitch * q[0], P.R.z, P.p);
        P.R = turn_z(P.R, q[0]);
        break;
    case HML_JOINT_CYLINDRICAL:
        P.p = vec3_axpy(q[0], P.R.z, P.p);
        P.R = turn_z(P.R, q[1]);
        break;
    case HML_JOINT_TRANSLATION2: P.p = pose_act(P, vec3_of(q[0], q[1], K(0))); break;
    case HML_JOINT_PLANAR:
        P.p = pose_act(P, vec3_of(q[0], q[1], K(0)));
        P.R = turn_z(P.R, q[2]);
        break;
    case HML_JOINT_SPHERICAL: P.R = mat3_mul(P.R, quat_to_mat3(quat_normalize(quat_at(q)))); break;
    case HML_JOINT_TRANSLATION3: P.p = pose_act(P, vec3_at(q)); break;
    case HML_JOINT_SCHOENFLIES:
        P.p = pose_act(P, vec3_at(q));
        P.R = turn_z(P.R, q[3]);
        break;
    case HML_JOINT_FREE:
        P.p = pose_act(P, vec3_at(q));
        P.R = mat3_mul(P.R, quat_to_mat3(quat_normalize(quat_at(q + 3))));
        break;
    default: break;
    }
    return P;
}

/* S of a joint whose successor frame is H, column by column; every axis is z */
static inline void joint_columns_at(int type, pose H, num pitch, twist *S)
{
    joint_columns_in(type, H.R, H.R.z, H.p, pitch, S);
}

/* a rigid body in motion, from its inertia in the root frame */
NUM_INLINE composite composite_of(inertia I, twist v, twist a)
{
    composite b;
    wrench m = inertia_mul(I, v);
    vec3 u = v.v, w = v.w, h = I.h;
    sym3 J = I.J;
    num uh = K(2) * vec3_dot(u, h);
    mat3 P = mat3_of(vec3_cross(w, vec3_of(J.xx, J.xy, J.xz)), vec3_cross(w, vec3_of(J.xy, J.yy, J.yz)),
                     vec3_cross(w, vec3_of(J.xz, J.yz, J.zz))); /* ω^J */
    b.I = I;
    b.n = m.f;
    b.t = m.t;
    b.k = sym3_of(K(2) * (P.x.x - h.x * u.x) + uh, P.y.x + P.x.y - h.x * u.y - h.y * u.x,
                  P.z.x + P.x.z - h.x * u.z - h.z * u.x, K(2) * (P.y.y - h.y * u.y) + uh,
                  P.z.y + P.y.z - h.y * u.z - h.z * u.y, K(2) * (P.z.z - h.z * u.z) + uh);
    b.f = wrench_add(inertia_mul(I, a), twist_cross_dual(v, m));
    return b;
}

NUM_INLINE composite composite_add(composite a, composite b)
{
    a.I = inertia_add(a.I, b.I);
    a.n = vec3_add(a.n, b.n);
    a.t = vec3_add(a.t, b.t);
    a.k = sym3_add(a.k, b.k);
    a.f = wrench_add(a.f, b.f);
    return a;
}

/* 2B m */
NUM_INLINE wrench composite_2B(const composite *b, twist m)
{
    return wrench_of(vec3_scale(K(-2), vec3_cross(b->n, m.w)), vec3_sub(sym3_mul(b->k, m.w), vec3_cross(b->t, m.w)));
}

/* what a unit motion of column S does to the forces of its ancestors: 2B Ψ̇ + I Ψ̈ + [f] S and 2B S + I (Ψ̇ + Ṡ) */
NUM_INLINE wrench composite_Uq(const composite *b, twist S, twist Pd, twist Pdd)
{
    return wrench_add(composite_2B(b, Pd), wrench_add(inertia_mul(b->I, Pdd), twist_cross_dual(S, b->f)));
}

NUM_INLINE wrench composite_Uv(const composite *b, twist S, twist PS)
{
    return wrench_add(composite_2B(b, S), inertia_mul(b->I, PS));
}

/* angular part of (2B)ᵀ m; the linear part is zero */
NUM_INLINE vec3 composite_2B_transposed(const composite *b, twist m)
{
    return vec3_add(vec3_scale(K(2), vec3_cross(b->n, m.v)), vec3_add(sym3_mul(b->k, m.w), vec3_cross(b->t, m.w)));
}

/* ---- a free root ---- */

/* what the passes left out of a free root's acceleration: gravity − ω × u */
static inline vec3 base_acceleration(const base_motion *base, const num *v)
{
    return vec3_sub(base->gravity, vec3_cross(vec3_of(v[3], v[4], v[5]), base->u));
}

/* its derivatives by column k of a free root's position and velocity */
static inline void base_derivative(int32_t k, const base_motion *base, const num *v, vec3 *dq, vec3 *dv)
{
    vec3 e = vec3_of(K(k % 3 == 0), K(k % 3 == 1), K(k % 3 == 2));
    *dq = k < 3 ? vec3_zero() : vec3_cross(base->gravity, e);
    *dv = k < 3 ? vec3_cross(e, vec3_of(v[3], v[4], v[5])) : vec3_cross(base->u, e);
}

/* the force of armature on a free root's linear coordinates against base_acceleration */
static inline vec3 base_armature(const model_coordinate *passive, const plan_tree *tree, vec3 a)
{
    passive += tree->begin;
    return vec3_of(K(-passive[0].armature) * a.x, K(-passive[1].armature) * a.y, K(-passive[2].armature) * a.z);
}

static inline void add_vec3(num *x, vec3 a) { x[0] += a.x, x[1] += a.y, x[2] += a.z; }

#endif
