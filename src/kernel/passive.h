/*
 * Damping and springs, over num: what they add to h and to its derivatives.
 *
 *   h += damping·ν + stiffness·log(rest⁻¹ q)      ∂h/∂q += stiffness·S⁻¹(log(rest⁻¹ q))      ∂h/∂ν += damping
 *
 * S⁻¹ is the inverse right Jacobian of the joint's exp (From, Table 2): a block of the joint, not only a diagonal,
 * where the group does not commute. Armature is on M's diagonal (pack/ltdl.h).
 */
#ifndef HML_KERNEL_PASSIVE_H
#define HML_KERNEL_PASSIVE_H

#include "group/joint.h"
#include "model/plan.h"

enum { PASSIVE_LD = HML_JOINT_MAX_NV };

/* subtracts the passive part of h from b; springs[c·PASSIVE_LD + k]: ∂h_c/∂q of coordinate k of c's joint */
static inline void passive_forces(const hml_plan *plan, const plan_tree *tree, const model_coordinate *passive,
                                  const num *q, const num *v, num *b, num *springs)
{
    const plan_body *pb = plan_bodies(plan);
    const double *rest = plan_rest(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        int32_t m = pb[i].nv, first = pb[i].v, nq = joint_nq(pb[i].type);
        num at_rest[HML_JOINT_MAX_NQ], now[HML_JOINT_MAX_NQ], log[HML_JOINT_MAX_NV];
        num block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        int elastic = 0;
        for (int32_t k = 0; k < m; k++) elastic |= passive[first + k].stiffness != 0;
        for (int32_t k = 0; k < m; k++) b[first + k] -= K(passive[first + k].damping) * v[first + k];
        for (int32_t k = 0; k < m * PASSIVE_LD; k++) springs[first * PASSIVE_LD + k] = K(0);
        if (!elastic) continue;

        for (int32_t k = 0; k < nq; k++) at_rest[k] = K(rest[pb[i].q + k]), now[k] = q[pb[i].q + k];
        joint_difference(pb[i].type, at_rest, now, log);
        joint_jacobian_inverse(pb[i].type, log, block);
        for (int32_t k = 0; k < m; k++) {
            num stiffness = K(passive[first + k].stiffness);
            b[first + k] -= stiffness * log[k];
            for (int32_t j = 0; j < m; j++) springs[(first + k) * PASSIVE_LD + j] = stiffness * block[k * m + j];
        }
    }
}

#endif
