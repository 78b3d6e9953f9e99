/*
 * A robot that floats: one root, and that is free. What the schemes share that make its step in the frame of its centre
 * of mass.
 */
#ifndef HML_SIM_MOTION_FLOATING_H
#define HML_SIM_MOTION_FLOATING_H

#include "model/model.h"
#include "sim/motion.h"

/* the mass of a robot whose one root is free and has neither rotors nor dampers; 0: another robot */
static inline double motion_floating_mass(const hml_model *model)
{
    double mass = 0;
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        if ((i == 0) != (b->parent < 0)) return 0;
        mass += b->mass;
    }
    const model_coordinate *c = model_coordinates(model);
    if (model->nbodies == 0 || model_bodies(model)->type != HML_JOINT_FREE) return 0;
    for (int k = 0; k < 6; k++) {
        if (c[k].armature != 0 || c[k].damping != 0) return 0;
    }
    return mass;
}

/* a vector of the predecessor's axes in those of the base at q */
static inline vec3 motion_seen(const double *q, vec3 u) { return mat3_tmul_vec(quat_to_mat3(quat_at(q + 3)), u); }

static inline vec3 motion_turned(const double *q, vec3 u) { return mat3_mul_vec(quat_to_mat3(quat_at(q + 3)), u); }

/* the centre of mass in the frame of the base: M = [m 1, −m c^; …] */
static inline vec3 motion_com_in_base(const hml_motion *m)
{
    return vec3_scale(1 / m->mass, vec3_of(m->M[m->n + 5], -m->M[5], m->M[4]));
}

/* com1 ← com + d, with what rounding takes off (Kahan) */
static inline void motion_move_com(hml_motion *m, vec3 d)
{
    const double step[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++) {
        double y = step[i] + m->com[1][i], sum = m->com[0][i] + y;
        m->com1[1][i] = y - (sum - m->com[0][i]);
        m->com1[0][i] = sum;
    }
}

#endif
