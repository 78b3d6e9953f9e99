/*
 * Poses of bodies by products of exponentials, Müller (66a), (93):
 *
 *   C_i = exp(Y₁ φ₁) … exp(Y_i φ_i) A_i      along the way from the root to body i
 *
 *   A_i   pose of the body at the neutral configuration
 *   Y_i   the joint's screws there, in the world: Ad of A_i on S, Müller (94)
 *   φ_i   logarithm of the joint's position: its angle, its displacement, its rotation vector
 *
 * Plain reference code in the bodies' own frames; it knows nothing of the plan.
 */
#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "model/pose.h"

static const double pi = 3.14159265358979323846;

typedef struct exponential {
    pose A; /* at the neutral configuration */
    pose E; /* exp(Y₁ φ₁) … exp(Y_i φ_i) */
} exponential;

_Static_assert(sizeof(exponential) <= sizeof(body_state), "scratch of a body");

hml_status hml_body_poses_exponential(const hml_model *model, hml_work *work, const double *q, double *H)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !H) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, NULL, NULL, NULL));
    const unsigned before = overflow_watch();
    exponential *x = (exponential *)work->scratch;
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        const vec3 axis = vec3_at(b->axis), point = vec3_at(b->point);
        double room, neutral[HML_JOINT_MAX_NQ] = {0}, at[HML_JOINT_MAX_NQ] = {0}, phi[HML_JOINT_MAX_NV] = {0};
        twist S[HML_JOINT_MAX_NV], Y = twist_zero();
        pose A = pose_of_arrays(b->R, b->p), E = pose_identity();
        if (b->parent >= 0) {
            A = pose_mul(x[b->parent].A, A);
            E = x[b->parent].E;
        }
        joint_neutral(b->type, neutral);
        memcpy(at, body_position(model, i, q, &room), (size_t)b->nq * sizeof *at);
        if (b->type == HML_JOINT_PLANAR || b->type == HML_JOINT_SCHOENFLIES) /* near full turns there is no logarithm */
            at[b->nq - 1] = remainder(at[b->nq - 1], 2 * pi);
        joint_difference(b->type, neutral, at, phi);
        joint_columns(b->type, axis, point, b->pitch, S);
        for (int32_t k = 0; k < b->nv; k++) Y = twist_axpy(phi[k], pose_ad(A, S[k]), Y);
        x[i].A = A;
        x[i].E = pose_mul(E, se3_exp(Y));
        write_pose(pose_mul(x[i].E, A), H + 16 * (size_t)i);
    }
    return OVERFLOW_STATUS(before, {H, 16 * (size_t)model->nbodies});
}
