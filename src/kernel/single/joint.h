/*
 * Joints of one state, in registers of four: the frame after a joint, its axes, sines and cosines of all angles.
 */
#ifndef HML_KERNEL_SINGLE_JOINT_H
#define HML_KERNEL_SINGLE_JOINT_H

#include "kernel/simd/vec4.h"
#include "model/plan.h"

/* sines and cosines of the entries begin … end − 1 of q */
static inline void sincos_range(const double *q, int32_t begin, int32_t end, double *s, double *c)
{
    for (; begin + LANES <= end; begin += LANES) {
        num angle, sine, cosine;
        memcpy(&angle, q + begin, sizeof angle);
        num_sincos(angle, &sine, &cosine);
        memcpy(s + begin, &sine, sizeof sine);
        memcpy(c + begin, &cosine, sizeof cosine);
    }
#if LANES > 1
    if (begin < end) { /* s and c have room for one pack more */
        num angle = num_load_part(q + begin, end - begin), sine, cosine;
        num_sincos(angle, &sine, &cosine);
        memcpy(s + begin, &sine, sizeof sine);
        memcpy(c + begin, &cosine, sizeof cosine);
    }
#endif
}

/* moves a joint's predecessor frame by its position; s, c: sines and cosines of q's entries */
NUM_INLINE frame4 frame4_joint(int type, double pitch, frame4 A, const double *q, const double *s, const double *c)
{
    switch (type) {
    case HML_JOINT_REVOLUTE: return frame4_turn_z(A, s[0], c[0]);
    case HML_JOINT_PRISMATIC: A.p = A.p + A.z * q[0]; return A;
    case HML_JOINT_HELICAL: A.p = A.p + A.z * (pitch * q[0]); return frame4_turn_z(A, s[0], c[0]);
    case HML_JOINT_CYLINDRICAL: A.p = A.p + A.z * q[0]; return frame4_turn_z(A, s[1], c[1]);
    case HML_JOINT_TRANSLATION2: A.p = A.p + A.x * q[0] + A.y * q[1]; return A;
    case HML_JOINT_PLANAR: A.p = A.p + A.x * q[0] + A.y * q[1]; return frame4_turn_z(A, s[2], c[2]);
    case HML_JOINT_TRANSLATION3: A.p = frame4_act(&A, q); return A;
    case HML_JOINT_SCHOENFLIES: A.p = frame4_act(&A, q); return frame4_turn_z(A, s[3], c[3]);
    case HML_JOINT_SPHERICAL: return frame4_rotate(A, q);
    case HML_JOINT_FREE: A.p = frame4_act(&A, q); return frame4_rotate(A, q + 3);
    default: return A;
    }
}

static inline frame4 frame4_move(const plan_body *b, frame4 A, const double *q, const double *s, const double *c)
{
    return frame4_joint(b->type, b->pitch, A, q, s, c);
}

/* H of a body whose parent is at `up`; revolute joints, which are most, without a call */
NUM_INLINE void frame_behind_joint(const plan_body *p, const double *q, const double *sine, const double *cosine,
                                   const frame4 *up, frame4 *H)
{
    const double *X = p->X;
    if (p->type == HML_JOINT_REVOLUTE) {
        const double s = sine[p->q], c = cosine[p->q];
        quad x = frame4_turn(up, X, 0), y = frame4_turn(up, X, 1);
        H->x = x * c + y * s;
        H->y = y * c - x * s;
        H->z = frame4_turn(up, X, 2);
        H->p = frame4_act(up, X + 9);
    } else {
        *H = frame4_move(p, frame4_mul(up, X), q + p->q, sine + p->q, cosine + p->q);
    }
}

/* S of a joint with one coordinate */
NUM_INLINE pair4 joint_axis8(const plan_body *p, const frame4 *H)
{
    const quad zero = {0, 0, 0, 0};
    pair4 S = {quad_cross(H->p, H->z), H->z};
    if (p->type == HML_JOINT_HELICAL) S.v += H->z * p->pitch;
    if (p->type == HML_JOINT_PRISMATIC) S.v = H->z, S.w = zero;
    return S;
}

#endif
