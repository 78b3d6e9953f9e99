/*
 * Dampers and springs as matrices, n × n in the user's coordinates: what they add to h has the derivatives
 *
 *   C = damping                              by ν
 *   K(q) = stiffness · S⁻¹(log(rest⁻¹ q))    by a perturbation of q; see kernel/passive.h
 *
 * S⁻¹ is the inverse right Jacobian of exp, the identity for joints whose group commutes. A mimic follower that moves f
 * times as far counts f² times in its leader's coordinate.
 */
#ifndef HML_ALGO_STIFFNESS_H
#define HML_ALGO_STIFFNESS_H

#include "model/model.h"

/* is there a damper or a spring? Armature is none of them */
int hmli_is_elastic(const hml_model *model);

/* where coordinates of the tree are among the user's, and room for q of the tree: model_mimic_map */
typedef struct stiffness_map {
    const hml_model *model;
    int32_t *user;  /* tree_nv */
    double *factor; /* tree_nv */
    double *tree_q; /* tree_nq */
} stiffness_map;

/* A += c·C + k·K(q) */
void hmli_add_stiffness(const stiffness_map *map, const double *q, double c, double k, double *A);

/* A += k·∂(K(q) x)/∂q, x held: zero but for joints whose group does not commute */
void hmli_add_stiffness_derivative(const stiffness_map *map, const double *q, const double *x, double k, double *A);

/* one joint's block, nv × nv: c·damping + k·stiffness·S⁻¹(log(rest⁻¹ q)) */
void hmli_joint_stiffness(int type, const double *rest, const double *q, const double *stiffness, const double *damping,
                          double c, double k, double block[]);

#endif
