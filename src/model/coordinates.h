/*
 * Walking over the joints of the user's numbering: followers are left out, and a universal joint, which is no group,
 * adds its two angles like the numbers of R².
 */
#ifndef HML_MODEL_COORDINATES_H
#define HML_MODEL_COORDINATES_H

#include <math.h>
#include <string.h>

#include "base/overflow.h"
#include "group/joint.h"
#include "model/plan.h"

/* the joints that have numbers of their own, one after the other; NULL: no more */
static inline const model_joint *next_joint(const hml_model *m, const model_joint *j)
{
    const model_joint *end = model_joints(m) + m->njoints;
    for (j++; j < end; j++)
        if (j->leader < 0) return j;
    return NULL;
}

static inline const model_joint *first_joint(const hml_model *m)
{
    if (m->njoints == 0) return NULL;
    return model_joints(m)->leader < 0 ? model_joints(m) : next_joint(m, model_joints(m));
}

static inline int group_type(int32_t type) { return type == HML_JOINT_UNIVERSAL ? HML_JOINT_TRANSLATION2 : type; }

static inline hml_status finite_numbers(const double *x, int32_t n) { return finite_array(x, (size_t)n); }

/* finite, and on the group */
static inline hml_status configuration_status(const hml_model *m, const double *q)
{
    const hml_plan *plan = model_plan(m);
    if (finite_numbers(q, m->nq)) return HML_NOT_FINITE;
    for (const plan_run *r = plan_runs(plan), *end = r + plan->nruns; r < end; r++) {
        int at = quaternion_at(r->type);
        if (at >= 0 && !quat_is_unit(quat_at(q + r->q + at))) return HML_NOT_NORMALIZED;
    }
    return HML_OK;
}

/* what is unit to rounding stays as it is */
static inline void make_unit(double r[4])
{
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
    if (fabs(square - 1) > 4e-16) quat_put(quat_normalize(quat_at(r)), r);
}

/* a joint's own numbers, checked, its quaternion unit */
static inline hml_status joint_numbers(const model_joint *j, const double *q, double out[HML_JOINT_MAX_NQ])
{
    memcpy(out, q + j->q, (size_t)j->nq * sizeof *q);
    if (finite_numbers(out, j->nq)) return HML_NOT_FINITE;
    int at = quaternion_at(j->type);
    if (at < 0) return HML_OK;
    if (!quat_is_unit(quat_at(out + at))) return HML_NOT_NORMALIZED;
    make_unit(out + at);
    return HML_OK;
}

/* one joint's nq × nv block of F in q̇ = F ν, row-major; its quaternion is unit (configuration_rate.c) */
void hmli_rate_block(int32_t type, const double q[], double F[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV]);

#endif
