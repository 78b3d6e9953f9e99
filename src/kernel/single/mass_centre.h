/*
 * The centre of mass of one state and its velocity, the Jacobian of both, its derivative by time, and the derivative of
 * the velocity by q. First moments are enough: no moment of inertia enters.
 *
 * Everything of a tree is in the world's axes, seen from the origin of its root's frame, so that no column needs to be
 * turned and distance from the world's origin costs no digits. Of the subtree that a joint at p carries, m is the mass,
 * h the first moment, n the linear momentum, d = h − m p. For an axis z of the joint, ω the angular velocity of its body,
 * v the velocity of p, and ω_p and v_p those of the parent there:
 *
 *                          turn                                   slide
 *   Jacobian × mass        z × d                                  m z
 *   its time derivative    z × (n − m v) + (ω × z) × d            m ω × z
 *   by q                   z × (n − m v_p) + (ω_p × z) × d        m ω_p × z
 *
 * The last line: what is carried turns about z by what it moves relative to the parent, and meets the parent's motion at
 * other places; Jacobi's identity puts the two together.
 */
#ifndef HML_KERNEL_SINGLE_MASS_CENTRE_H
#define HML_KERNEL_SINGLE_MASS_CENTRE_H

#include "kernel/single/poses.h"

typedef struct centre_body {
    frame4 H;
    quad first; /* h, and m in the last lane; of the body, then of its subtree */
    quad n;     /* the same way */
    quad v, w;  /* v and ω */
    quad up;    /* v_p */
} centre_body;

/* what a table's line needs beside z, over the mass of the whole robot */
typedef struct centre_line {
    quad d, e; /* e: n − m v */
    quad w;
    double m;
} centre_line;

/* the whole robot, seen from the first root */
typedef struct centre_whole {
    quad root;  /* origin of the first root's frame */
    quad first; /* h and m */
    quad n;
} centre_whole;

/* ---- out ---- */

NUM_INLINE void centre_pose(const plan_body *p, const double *q, const double *s, const double *c, centre_body *bodies,
                            centre_body *own, centre_whole *all, quad *shift)
{
    const frame4 world = frame4_world();
    if (p->parent >= 0) {
        frame_behind_joint(p, q, s, c, &bodies[p->parent].H, &own->H);
    } else {
        frame_behind_joint(p, q, s, c, &world, &own->H);
        if (own == bodies) all->root = own->H.p;
        *shift = own->H.p - all->root;
        own->H.p = world.p;
    }
    own->first = own->H.x * p->I[1] + own->H.y * p->I[2] + own->H.z * p->I[3] + own->H.p * p->I[0];
    all->first += own->first + *shift * p->I[0];
}

NUM_INLINE void centre_motion(const plan_body *p, const double *nu, const centre_body *bodies, centre_body *own,
                              centre_whole *all)
{
    const quad zero = {0, 0, 0, 0}, axes[3] = {own->H.x, own->H.y, own->H.z};
    quad v = zero, w = zero;
    if (p->parent >= 0) {
        const centre_body *up = &bodies[p->parent];
        w = up->w;
        v = up->v + quad_cross(w, own->H.p - up->H.p);
    }
    own->up = v;
    if (p->type == HML_JOINT_REVOLUTE) {
        w += own->H.z * nu[0];
    } else if (p->type == HML_JOINT_HELICAL) {
        v += own->H.z * (p->pitch * nu[0]), w += own->H.z * nu[0];
    } else {
        const joint_axes j = joint_axes_of(p->type);
        for (int k = 0; k < 3; k++)
            if (j.slides >> k & 1) v += axes[k] * *nu++;
        for (int k = 0; k < 3; k++)
            if (j.turns >> k & 1) w += axes[k] * *nu++;
    }
    own->v = v, own->w = w;
    own->n = v * p->I[0] + quad_cross(w, own->first - own->H.p * p->I[0]);
    all->n += own->n;
}

/* ---- back ---- */

NUM_INLINE void centre_put(double *to, size_t ld, quad x) { to[0] = x[0], to[ld] = x[1], to[2 * ld] = x[2]; }

NUM_INLINE quad centre_turn(const int moving, const centre_line *l, quad z)
{
    if (!moving) return quad_cross(z, l->d);
    return quad_cross(z, l->e) + quad_cross(quad_cross(l->w, z), l->d);
}

NUM_INLINE quad centre_slide(const int moving, const centre_line *l, quad z)
{
    return (moving ? quad_cross(l->w, z) : z) * l->m;
}

/* moving: 0 for the first line of the table */
NUM_INLINE void centre_columns(const int moving, const plan_body *p, const frame4 *H, const centre_line *l,
                               kernel_output out)
{
    double *to = out.data + p->v;
    const quad axes[3] = {H->x, H->y, H->z};
    if (p->type == HML_JOINT_REVOLUTE) {
        centre_put(to, out.ld, centre_turn(moving, l, H->z));
        return;
    }
    if (p->type == HML_JOINT_HELICAL) {
        centre_put(to, out.ld, centre_turn(moving, l, H->z) + centre_slide(moving, l, H->z) * p->pitch);
        return;
    }
    const joint_axes j = joint_axes_of(p->type);
    for (int k = 0; k < 3; k++)
        if (j.slides >> k & 1) centre_put(to++, out.ld, centre_slide(moving, l, axes[k]));
    for (int k = 0; k < 3; k++)
        if (j.turns >> k & 1) centre_put(to++, out.ld, centre_turn(moving, l, axes[k]));
}

/* the columns of a body whose subtree is complete; each: one over the mass of the robot */
NUM_INLINE void centre_back(const int order, const robot_call *call, const plan_body *p, centre_body *bodies,
                            const centre_body *own, double each)
{
    const quad zero = {0, 0, 0, 0};
    const double m = own->first[3];
    centre_line l = {(own->first - own->H.p * m) * each, zero, zero, m * each};
    if (call->com_J.data) centre_columns(0, p, &own->H, &l, call->com_J);
    if (order && call->com_Jdot.data) {
        l.e = (own->n - own->v * m) * each, l.w = own->w;
        centre_columns(1, p, &own->H, &l, call->com_Jdot);
    }
    if (order && call->com_velocity_q.data) {
        l.e = (own->n - own->up * m) * each, l.w = p->parent < 0 ? zero : bodies[p->parent].w;
        centre_columns(1, p, &own->H, &l, call->com_velocity_q);
    }
    if (p->parent < 0) return;
    bodies[p->parent].first += own->first;
    if (order) bodies[p->parent].n += own->n;
}

NUM_INLINE unsigned centre_run(const int order, const robot_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const quad zero = {0, 0, 0, 0};
    double *s, *c;
    layout_cursor at = single_scratch_begin(plan, call->scratch, &s, &c);
    centre_body *bodies = (centre_body *)layout_take(&at, (size_t)plan->nbodies * sizeof(centre_body));
    centre_whole all = {zero, zero, zero};
    quad shift = zero;
    sincos_range(call->q.data, plan->angles_begin, plan->angles_end, s, c);
    for (int32_t i = 0; i < plan->nbodies; i++) {
        centre_pose(&pb[i], call->q.data, s, c, bodies, &bodies[i], &all, &shift);
        if (order) centre_motion(&pb[i], call->v.data + pb[i].v, bodies, &bodies[i], &all);
    }
    if (!(all.first[3] > 0)) return 1;
    const double each = 1 / all.first[3];
    const quad com = all.root + all.first * each, velocity = all.n * each;
    for (int k = 0; k < 3 && call->com.data; k++) call->com.data[k] = com[k];
    for (int k = 0; k < 3 && call->com_velocity.data; k++) call->com_velocity.data[k] = velocity[k];
    if (!call->com_J.data && !call->com_Jdot.data && !call->com_velocity_q.data) return 0;
    for (int32_t i = plan->nbodies - 1; i >= 0; i--) centre_back(order, call, &pb[i], bodies, &bodies[i], each);
    return 0;
}

/* com, com_J, com_velocity, com_Jdot, com_velocity_q of a state that was checked; 1: the robot has no mass */
static inline unsigned single_mass_centre(const robot_call *call)
{
    return call->v.data ? centre_run(1, call) : centre_run(0, call);
}

#endif
