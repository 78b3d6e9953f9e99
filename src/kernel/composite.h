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
 * A free root moves Galilei-invariantly: its linear velocity and gravity are left out of the passes (base_motion keeps
 * them) and put back at the end.
 */
#ifndef HML_KERNEL_COMPOSITE_H
#define HML_KERNEL_COMPOSITE_H

#include "group/spatial.h"
#include "model/plan.h"

/* a body in motion, then its whole subtree: the sum of such */
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

/* turns a frame about its own z, by an angle of which sine and cosine are given */
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
    case HML_JOINT_SPHERICAL: P.R = mat3_mul(P.R, quat_to_mat3(quat_normalize(quat_of(q[0], q[1], q[2], q[3])))); break;
    case HML_JOINT_TRANSLATION3: P.p = pose_act(P, vec3_of(q[0], q[1], q[2])); break;
    case HML_JOINT_SCHOENFLIES:
        P.p = pose_act(P, vec3_of(q[0], q[1], q[2]));
        P.R = turn_z(P.R, q[3]);
        break;
    case HML_JOINT_FREE:
        P.p = pose_act(P, vec3_of(q[0], q[1], q[2]));
        P.R = mat3_mul(P.R, quat_to_mat3(quat_normalize(quat_of(q[3], q[4], q[5], q[6]))));
        break;
    default: break;
    }
    return P;
}

static inline twist column_slide(vec3 axis) { return twist_of(axis, vec3_zero()); }
static inline twist column_turn(vec3 p, vec3 axis) { return twist_of(vec3_cross(p, axis), axis); }

/* S of a joint whose successor frame is H, column by column */
static inline void joint_columns_at(int type, pose H, num pitch, twist *c)
{
    switch (type) {
    case HML_JOINT_REVOLUTE: c[0] = column_turn(H.p, H.R.z); break;
    case HML_JOINT_PRISMATIC: c[0] = column_slide(H.R.z); break;
    case HML_JOINT_HELICAL: c[0] = twist_axpy(pitch, column_slide(H.R.z), column_turn(H.p, H.R.z)); break;
    case HML_JOINT_CYLINDRICAL:
        c[0] = column_slide(H.R.z);
        c[1] = column_turn(H.p, H.R.z);
        break;
    case HML_JOINT_SPHERICAL:
        c[0] = column_turn(H.p, H.R.x);
        c[1] = column_turn(H.p, H.R.y);
        c[2] = column_turn(H.p, H.R.z);
        break;
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_PLANAR:
        c[0] = column_slide(H.R.x);
        c[1] = column_slide(H.R.y);
        if (type == HML_JOINT_PLANAR) c[2] = column_turn(H.p, H.R.z);
        break;
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE:
        c[0] = column_slide(H.R.x);
        c[1] = column_slide(H.R.y);
        c[2] = column_slide(H.R.z);
        if (type == HML_JOINT_SCHOENFLIES) c[3] = column_turn(H.p, H.R.z);
        if (type != HML_JOINT_FREE) break;
        c[3] = column_turn(H.p, H.R.x);
        c[4] = column_turn(H.p, H.R.y);
        c[5] = column_turn(H.p, H.R.z);
        break;
    default: break;
    }
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

/* what a motion of column S does to the forces of its ancestors, per unit: 2B Ψ̇ + I Ψ̈ + [f] S and 2B S + I (Ψ̇ + Ṡ) */
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

/*
 * Root to leaves: poses, columns, velocities, accelerations with ν̇ = 0, own inertias and forces. q and v are the
 * tree's, one num a number. gravity is in the world.
 */
static inline void tree_forward(const hml_plan *plan, const plan_tree *tree, const double gravity[3], const num *q,
                                const num *v, body_state *bodies, column_state *columns, base_motion *base)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        const plan_body *p = &pb[i];
        body_state *b = &bodies[i];
        column_state *c = &columns[p->v];
        const num *nu = &v[p->v];
        num pitch = K(p->pitch);
        int root = p->parent < 0, free_root = root && tree->base;
        twist vp = twist_zero(), vJ = twist_zero();

        if (root) {
            pose W = joint_move(p->type, plan_pose(p->X), pitch, &q[p->q]);
            base->H = W;
            base->gravity = mat3_tmul_vec(W.R, vec3_of(K(gravity[0]), K(gravity[1]), K(gravity[2])));
            base->u = free_root ? vec3_of(nu[0], nu[1], nu[2]) : vec3_zero();
            b->H = pose_identity();
            b->a = free_root ? twist_zero() : twist_of(vec3_neg(base->gravity), vec3_zero());
        } else {
            const body_state *parent = &bodies[p->parent];
            b->H = joint_move(p->type, pose_mul(parent->H, plan_pose(p->X)), pitch, &q[p->q]);
            vp = parent->v;
            b->a = parent->a;
        }
        twist S[HML_JOINT_MAX_NV];
        joint_columns_at(p->type, b->H, pitch, S);
        for (int32_t k = 0; k < p->nv; k++) c[k].S = S[k];
        for (int32_t k = free_root ? 3 : 0; k < p->nv; k++) vJ = twist_axpy(nu[k], c[k].S, vJ);
        b->v = twist_add(vp, vJ);
        b->a = twist_add(b->a, twist_cross(vp, vJ));
        for (int32_t k = 0; k < p->nv; k++) {
            c[k].Pd = root ? twist_zero() : twist_cross(vp, c[k].S);
            c[k].PS = twist_add(c[k].Pd, c[k].Pd);
            if (p->nv > 1) c[k].PS = twist_add(c[k].PS, twist_cross(vJ, c[k].S)); /* S × S is zero */
        }
        b->sum = composite_of(inertia_transform(b->H, plan_inertia(p->I)), b->v, b->a);
    }
}

/* Leaves to root: inertia, momentum, k and force of every subtree; F and g of every column. */
static inline void tree_composite(const hml_plan *plan, const plan_tree *tree, body_state *bodies,
                                  column_state *columns)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_end - 1; i >= tree->body_begin; i--) {
        const composite *b = &bodies[i].sum;
        for (int32_t k = 0; k < pb[i].nv; k++) {
            column_state *c = &columns[pb[i].v + k];
            c->F = inertia_mul(b->I, c->S);
            c->g = composite_2B_transposed(b, c->S);
        }
        if (pb[i].parent < 0) continue;
        body_state *p = &bodies[pb[i].parent];
        p->sum = composite_add(p->sum, *b);
    }
}

/*
 * With ν̇ known: accelerations and Ψ̈ root to leaves, then the forces of the subtrees leaves to root. A subtree's force
 * grows by I Δa_i + Σ F ν̇ over the columns it carries, so no body's own inertia is needed again. G is scratch.
 */
static inline void tree_accelerate(const hml_plan *plan, const plan_tree *tree, const num *vd, body_state *bodies,
                                   column_state *columns, wrench *G)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        body_state *b = &bodies[i];
        int32_t p = pb[i].parent;
        twist ap = p < 0 ? b->a : bodies[p].a; /* of a root before Δa: that of the world, its ν̇-free part */
        twist vp = p < 0 ? twist_zero() : bodies[p].v;
        b->da = p < 0 ? twist_zero() : bodies[p].da;
        for (int32_t k = 0; k < pb[i].nv; k++) {
            column_state *c = &columns[pb[i].v + k];
            c->Pdd = twist_cross(ap, c->S);
            if (p >= 0) c->Pdd = twist_add(c->Pdd, twist_cross(vp, c->Pd));
            b->da = twist_axpy(vd[pb[i].v + k], c->S, b->da);
        }
        b->a = twist_add(b->a, b->da);
        G[i] = wrench_zero();
    }
    for (int32_t i = tree->body_end - 1; i >= tree->body_begin; i--) {
        body_state *b = &bodies[i];
        b->sum.f = wrench_add(b->sum.f, wrench_add(inertia_mul(b->sum.I, b->da), G[i]));
        if (pb[i].parent < 0) continue;
        wrench sum = G[i];
        for (int32_t k = 0; k < pb[i].nv; k++) {
            sum = wrench_add(sum, wrench_scale(vd[pb[i].v + k], columns[pb[i].v + k].F));
        }
        G[pb[i].parent] = wrench_add(G[pb[i].parent], sum);
    }
}

#endif
