/*
 * Limits of positions in the user's numbering: each belongs to one number of q, and to the coordinate of ν with the same
 * place in its joint. Quaternions have none.
 */
#ifndef HML_MODEL_LIMITS_H
#define HML_MODEL_LIMITS_H

#include "model/coordinates.h"

/* does coordinate k of a joint belong to a number of q that can have limits? */
static inline int limit_has_number(const model_joint *j, int32_t k)
{
    int at = quaternion_at(j->type);
    return at < 0 || k < at;
}

/* limits of the coordinates without a mark in `locked` (NULL: of all), ±infinity elsewhere; a follower's limits are its
 * leader's as well */
static inline void limits_read(const hml_model *m, const int *locked, double *lower, double *upper)
{
    for (int32_t i = 0; i < m->nv; i++) lower[i] = -HUGE_VAL, upper[i] = HUGE_VAL;
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i], *from = j->leader < 0 ? j : &model_joints(m)[j->leader];
        const model_coordinate *c = &model_coordinates(m)[model_bodies(m)[j->body].v];
        for (int32_t k = 0; k < from->nv && limit_has_number(from, k); k++) {
            const int32_t at = from->v + k;
            double a = c[k].lower, b = c[k].upper;
            if (j->leader >= 0) a = (a - j->offset) / j->multiplier, b = (b - j->offset) / j->multiplier;
            if ((locked && locked[at]) || (j->leader >= 0 && j->multiplier == 0)) continue;
            lower[at] = fmax(lower[at], fmin(a, b));
            upper[at] = fmin(upper[at], fmax(a, b));
        }
    }
}

/* does a coordinate's number of q change with it alone? x and y of a plane turn with its angle */
static inline int limit_moves_alone(const model_joint *j, int32_t k)
{
    switch (j->type) {
    case HML_JOINT_FREE: return 0;
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: return k >= 2;
    default: return 1;
    }
}

/* marks (1) coordinates that are locked, or at a limit and pushed further; push: nv, where a step would go */
static inline void limits_hold(const hml_model *m, const int *locked, const double *lower, const double *upper,
                               const double *q, const double *push, double *held)
{
    for (int32_t i = 0; i < m->nv; i++) held[i] = locked && locked[i];
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        for (int32_t k = 0; k < j->nv && limit_has_number(j, k); k++) {
            const int32_t at = j->v + k;
            const double x = q[j->q + k];
            const int out = (x <= lower[at] && push[at] < 0) || (x >= upper[at] && push[at] > 0);
            if (out && limit_moves_alone(j, k)) held[at] = 1;
        }
    }
}

static inline void limits_clamp(const hml_model *m, const double *lower, const double *upper, double *q)
{
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        for (int32_t k = 0; k < j->nv && limit_has_number(j, k); k++) {
            q[j->q + k] = fmin(fmax(q[j->q + k], lower[j->v + k]), upper[j->v + k]);
        }
    }
}

#endif
