/*
 * Bodies in their own frames, plain double: pose, twist and what the joint adds, for the dense reference code. It knows
 * nothing of the plan.
 */
#ifndef HML_REFERENCE_MULLER_BODY_FRAMES_H
#define HML_REFERENCE_MULLER_BODY_FRAMES_H

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "model/pose.h"

typedef struct body_frame {
    pose H;   /* in the world */
    pose N;   /* in the world, where every joint is at its identity */
    twist vJ; /* S ν, in the body */
    twist V;  /* left twist */
} body_frame;

_Static_assert(sizeof(body_frame) <= sizeof(body_state), "scratch of a body");

/* the joint's relative pose and columns, in the body's own frame */
static inline pose joint_at(const hml_model *m, int32_t body, const double *q, twist S[HML_JOINT_MAX_NV])
{
    const model_body *b = &model_bodies(m)[body];
    const vec3 axis = vec3_at(b->axis), point = vec3_at(b->point);
    double room;
    joint_columns(b->type, axis, point, b->pitch, S);
    return pose_mul(pose_of_arrays(b->R, b->p),
                    joint_pose(b->type, axis, point, b->pitch, body_position(m, body, q, &room)));
}

/* v NULL: at rest */
static inline void body_frames(const hml_model *m, const double *q, const double *v, body_frame *bodies)
{
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        const body_coordinates c = coordinates_of(m, i);
        const body_frame *p = b->parent < 0 ? NULL : &bodies[b->parent];
        twist S[HML_JOINT_MAX_NV];
        pose X = joint_at(m, i, q, S), N = pose_of_arrays(b->R, b->p);
        bodies[i].vJ = twist_zero();
        for (int32_t k = 0; v && k < b->nv; k++) {
            bodies[i].vJ = twist_axpy(c.factor * v[c.v + k], S[k], bodies[i].vJ);
        }
        bodies[i].H = p ? pose_mul(p->H, X) : X;
        bodies[i].N = p ? pose_mul(p->N, N) : N;
        bodies[i].V = p ? twist_add(bodies[i].vJ, pose_ad_inverse(X, p->V)) : bodies[i].vJ;
    }
}

#endif
