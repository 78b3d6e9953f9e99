/* The force of an actuator: what hamel/actuation.h and the steps of motions share. */
#ifndef HML_ALGO_DYNAMICS_ACTUATION_H
#define HML_ALGO_DYNAMICS_ACTUATION_H

#include "hamel/actuation.h"
#include "model/model.h"

/* coordinates of a joint that an actuator drives, those of the leader for a follower */
typedef struct actuated_joint {
    int32_t q, v, n;
    double factor, offset; /* position of the joint: factor · q + offset */
} actuated_joint;

static inline actuated_joint actuation_joint(const hml_model *m, const model_actuator *a)
{
    const model_joint *j = &model_joints(m)[a->target];
    if (j->leader < 0) return (actuated_joint){j->q, j->v, j->nv, 1, 0};
    const model_joint *leader = &model_joints(m)[j->leader];
    return (actuated_joint){leader->q, leader->v, 1, j->multiplier, j->offset};
}

/* length and speed of an actuator on a joint; v NULL: at rest */
static inline void actuation_length(const model_actuator *a, actuated_joint j, const double *q, const double *v,
                                    double *length, double *speed)
{
    *length = *speed = 0;
    for (int32_t k = 0; k < j.n; k++) {
        if (a->bias[1] != 0) *length += a->gear[k] * (j.factor * q[j.q + k] + j.offset);
        if (v) *speed += a->gear[k] * j.factor * v[j.v + k];
    }
}

/* the law without the limits of the force, and its slopes */
static inline double actuation_law(const model_actuator *a, double u, double length, double speed, double slopes[3])
{
    const double input = u < a->lower ? a->lower : u > a->upper ? a->upper : u;
    slopes[0] = input == u ? a->gain : 0;
    slopes[1] = a->bias[1];
    slopes[2] = a->bias[2];
    return a->gain * input + a->bias[0] + a->bias[1] * length + a->bias[2] * speed;
}

/* f, and ∂f by u, length, speed; a force at its limit has no slopes */
static inline double actuation_force(const model_actuator *a, double u, double length, double speed, double slopes[3])
{
    const double f = actuation_law(a, u, length, speed, slopes);
    if (f >= a->force_lower && f <= a->force_upper) return f;
    slopes[0] = slopes[1] = slopes[2] = 0;
    return f < a->force_lower ? a->force_lower : f > a->force_upper ? a->force_upper : f; /* NaN stays */
}

/*
 * hml_actuation_compute without its checks; tau and wrenches are added to. held, if not NULL: nactuators, 1 or −1 where a
 * force is at its upper or lower limit whatever the law says, 0 where the law counts even beyond the limits.
 */
hml_status hmli_actuation_add(const hml_model *model, hml_work *work, const int32_t *held, const hml_actuation *x);

#endif
