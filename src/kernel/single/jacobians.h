/*
 * All Jacobians of one state: the results of pack/jacobians.h for a single call, where lanes are not states.
 *
 * A quad holds a column of a 4x4 matrix: an axis [x; 0] or a position [p; 1] in the world. A frame is four of them, so
 * that products of poses are sums of quads times numbers, and the last row takes care of itself. For instruction sets
 * whose registers hold a quad.
 */
#ifndef HML_KERNEL_SINGLE_JACOBIANS_H
#define HML_KERNEL_SINGLE_JACOBIANS_H

#include "kernel/single/poses.h"

typedef struct frame4 {
    quad x, y, z, p;
} frame4;

/* X: R row-major, then p */
NUM_INLINE quad frame4_turn(const frame4 *A, const double *X, int k)
{
    return A->x * X[k] + A->y * X[3 + k] + A->z * X[6 + k];
}

NUM_INLINE quad frame4_act(const frame4 *A, const double p[3])
{
    return A->x * p[0] + A->y * p[1] + A->z * p[2] + A->p;
}

NUM_INLINE frame4 frame4_mul(const frame4 *A, const double X[12])
{
    frame4 B;
    B.x = frame4_turn(A, X, 0);
    B.y = frame4_turn(A, X, 1);
    B.z = frame4_turn(A, X, 2);
    B.p = frame4_act(A, X + 9);
    return B;
}

NUM_INLINE frame4 frame4_turn_z(frame4 A, double s, double c)
{
    quad x = A.x;
    A.x = x * c + A.y * s;
    A.y = A.y * c - x * s;
    return A;
}

NUM_INLINE frame4 frame4_world(void)
{
    frame4 A;
    const quad x = {1, 0, 0, 0}, y = {0, 1, 0, 0}, z = {0, 0, 1, 0}, p = {0, 0, 0, 1};
    A.x = x, A.y = y, A.z = z, A.p = p;
    return A;
}

/* by the rotation of a quaternion */
NUM_INLINE frame4 frame4_rotate(frame4 A, const double *r)
{
    double g[12];
    frame4 B = A;
    quaternion_rows(r, g);
    B.x = A.x * g[0] + A.y * g[4] + A.z * g[8];
    B.y = A.x * g[1] + A.y * g[5] + A.z * g[9];
    B.z = A.x * g[2] + A.y * g[6] + A.z * g[10];
    return B;
}

/* moves a joint's predecessor frame by its position; s, c: sines and cosines of q's numbers */
static inline frame4 frame4_move(const plan_body *b, frame4 A, const double *q, const double *s, const double *c)
{
    switch (b->type) {
    case HML_JOINT_REVOLUTE: return frame4_turn_z(A, s[0], c[0]);
    case HML_JOINT_PRISMATIC: A.p = A.p + A.z * q[0]; return A;
    case HML_JOINT_HELICAL: A.p = A.p + A.z * (b->pitch * q[0]); return frame4_turn_z(A, s[0], c[0]);
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

/* ---- columns ---- */

/* column `to` of a matrix with rows ld apart: linear v, angular w */
NUM_INLINE void put_quads(double *to, size_t ld, quad v, quad w)
{
    to[0] = v[0], to[ld] = v[1], to[2 * ld] = v[2];
    to[3 * ld] = w[0], to[4 * ld] = w[1], to[5 * ld] = w[2];
}

NUM_INLINE void put_slide(double *to, size_t ld, quad axis)
{
    const quad zero = {0, 0, 0, 0};
    put_quads(to, ld, axis, zero);
}

/* p × axis */
NUM_INLINE quad quad_cross(quad a, quad b)
{
    quad t = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
    return __builtin_shufflevector(t, t, 1, 2, 0, 3);
}

NUM_INLINE void put_turn(double *to, size_t ld, quad p, quad axis) { put_quads(to, ld, quad_cross(p, axis), axis); }

static inline void put_joint(const plan_body *b, const frame4 *A, double *J, size_t ld)
{
    double *to = J + b->v;
    switch (b->type) {
    case HML_JOINT_REVOLUTE: put_turn(to, ld, A->p, A->z); break;
    case HML_JOINT_PRISMATIC: put_slide(to, ld, A->z); break;
    case HML_JOINT_HELICAL: put_quads(to, ld, quad_cross(A->p, A->z) + A->z * b->pitch, A->z); break;
    case HML_JOINT_CYLINDRICAL:
        put_slide(to, ld, A->z);
        put_turn(to + 1, ld, A->p, A->z);
        break;
    case HML_JOINT_SPHERICAL:
        put_turn(to, ld, A->p, A->x);
        put_turn(to + 1, ld, A->p, A->y);
        put_turn(to + 2, ld, A->p, A->z);
        break;
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_PLANAR:
        put_slide(to, ld, A->x);
        put_slide(to + 1, ld, A->y);
        if (b->type == HML_JOINT_PLANAR) put_turn(to + 2, ld, A->p, A->z);
        break;
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE:
        put_slide(to, ld, A->x);
        put_slide(to + 1, ld, A->y);
        put_slide(to + 2, ld, A->z);
        if (b->type == HML_JOINT_SCHOENFLIES) put_turn(to + 3, ld, A->p, A->z);
        if (b->type != HML_JOINT_FREE) break;
        put_turn(to + 3, ld, A->p, A->x);
        put_turn(to + 4, ld, A->p, A->y);
        put_turn(to + 5, ld, A->p, A->z);
        break;
    default: break;
    }
}

static inline void put_frame(double *H, const frame4 *A)
{
    quad a = __builtin_shufflevector(A->x, A->y, 0, 4, 2, 6), b = __builtin_shufflevector(A->x, A->y, 1, 5, 3, 7);
    quad c = __builtin_shufflevector(A->z, A->p, 0, 4, 2, 6), d = __builtin_shufflevector(A->z, A->p, 1, 5, 3, 7);
    *(quad_anywhere *)H = (quad_anywhere)__builtin_shufflevector(a, c, 0, 1, 4, 5);
    *(quad_anywhere *)(H + 4) = (quad_anywhere)__builtin_shufflevector(b, d, 0, 1, 4, 5);
    *(quad_anywhere *)(H + 8) = (quad_anywhere)__builtin_shufflevector(a, c, 2, 3, 6, 7);
    *(quad_anywhere *)(H + 12) = (quad_anywhere)__builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static inline unsigned single_jacobians(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const size_t n = (size_t)plan->nbodies, room = ((size_t)plan->nq + LANES) * sizeof(double);
    const double *q = call->q.data;
    const frame4 world = frame4_world();
    char *at = (char *)call->scratch;
    frame4 *W = (frame4 *)jacobian_room(&at, n * sizeof(frame4));
    double *s = (double *)jacobian_room(&at, room), *c = (double *)jacobian_room(&at, room);
    range_sincos(q, plan->angles_begin, plan->angles_end, s, c);
    for (size_t i = 0; i < n; i++) {
        const plan_body *b = &pb[i];
        W[i] = frame4_move(b, frame4_mul(b->parent < 0 ? &world : &W[b->parent], b->X), q + b->q, s + b->q, c + b->q);
        if (call->J.data) put_joint(b, &W[i], call->J.data, call->J.ld);
        if (call->H.data) {
            frame4 body = frame4_mul(&W[i], b->to_body);
            put_frame(call->H.data + 16 * i, &body);
        }
    }
    return 0;
}

#endif
