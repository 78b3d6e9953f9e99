/*
 * Inverse kinematics: a configuration that brings frames to given poses, the centre of mass to a place, and gets there
 * with a given momentum.
 *
 *   hml_ik_scratch_doubles   doubles of scratch that a solution needs
 *   hml_inverse_kinematics   damped least squares on the robot's group, within the limits
 *
 * For every target the error is e = [w_p (o* − o); w_r log(RᵀR*)]: the remaining displacement of the origin, and the
 * remaining rotation. The centre of mass c adds e = w_c (c* − c). Its task of the momentum concerns the way from the
 * start q₀ to q in the time T at the constant velocity ν = (q ⊖ q₀)/T, whose centroidal momentum at the start is A(q₀) ν:
 * e = T/m [w_l (p* − p); w_a (L* − L)], the distance that the centre of mass still has to go, and as much for L. Steps q ⊕ z with (JᵀJ + μ) z = Jᵀe, J the exact Jacobian of e, minimize the sum of squares. The
 * damping μ grows where a step fails, at singular configurations for example, and vanishes near a solution, where the
 * steps are Newton's. Coordinates that are at a limit and would go beyond it are held.
 */
#ifndef HAMEL_INVERSE_KINEMATICS_H
#define HAMEL_INVERSE_KINEMATICS_H

#include "hamel/kinematics.h"

typedef struct hml_ik_target {
    int32_t frame;
    int32_t reference; /* the pose is in this frame; HML_WORLD: in the world */
    double pose[16];
    double position; /* weight of the position; 0: it does not matter */
    double rotation; /* weight of the rotation, metres per radian; 0: it does not matter */
} hml_ik_target;

/* settings that are zero take their defaults */
typedef struct hml_ik_problem {
    size_t struct_size;
    int32_t ntargets;
    const hml_ik_target *targets;
    const int *locked;      /* nv marks, 1: this coordinate stays; NULL: none does */
    int ignore_limits;      /* 1: positions may leave the limits of the model */
    int32_t iterations;     /* of all attempts together; default 200 */
    int32_t attempts;       /* from q, then from random configurations nearby; default 4 */
    double tolerance;       /* on the length of all errors together; default 1e-9 */
    uint64_t seed;          /* of the random configurations */
    const double *com;      /* 3: where the centre of mass shall be, in the world; NULL: anywhere */
    double com_weight;      /* default 1 */
    const double *momentum; /* 6: centroidal momentum of the way from the start, linear, then angular about the centre
                                  of mass, in the world's axes; NULL: any */
    double momentum_weight[2]; /* of the linear and of the angular part; 0: it does not matter; both 0: 1 and 1 */
    double duration;           /* of that way, s; default 1 */
} hml_ik_problem;

typedef struct hml_ik_result {
    size_t struct_size;
    double error;       /* length of all errors together, at the result */
    int32_t iterations; /* steps that were tried */
    int32_t attempts;   /* starts that were made */
    int stationary;     /* 1: no small step makes it better; a target is out of reach, or a limit is in the way */
} hml_ik_result;

HML_API size_t hml_ik_scratch_doubles(const hml_model *model);

/*
 * q: where to start, and on return the best configuration found. Coordinates outside the limits are first moved to
 * them, unless they are locked. HML_OK if the error is within the tolerance, HML_NOT_CONVERGED if it is not,
 * HML_SINGULAR if com or momentum is asked for and there is no mass. scratch: hml_ik_scratch_doubles. result may be NULL.
 */
HML_API hml_status hml_inverse_kinematics(const hml_model *model, hml_work *work, const hml_ik_problem *problem,
                                          double *scratch, double *q, hml_ik_result *result);

#endif
