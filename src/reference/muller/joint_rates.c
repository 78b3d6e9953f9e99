/*
 * From the motion of the bodies back to that of the joints, Müller (11), for joints that are groups:
 *
 *   S_i ν_i = V_i − Ad V_p          S_i ν̇_i = V̇_i − Ad V̇_p + ad(S_i ν_i) V_i          p the parent of i
 *
 * in the bodies' frames, whatever the representation of the twists that are given: for twists that no motion has, the
 * answer must not depend on it. Each line is solved in the sense of least squares, (SᵀS)⁻¹Sᵀ.
 */
#include <string.h>

#include "base/dense.h"
#include "base/overflow.h"
#include "group/motion.h"
#include "hamel/kinematics_derivatives.h"
#include "reference/muller/body_frames.h"

/* x with S x nearest to U. SᵀS is small and regular: columns of a joint are independent */
static void joint_solve(int32_t m, const twist *S, twist U, double *x)
{
    double G[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    for (int32_t r = 0; r < m; r++) {
        x[r] = vec3_dot(S[r].v, U.v) + vec3_dot(S[r].w, U.w);
        for (int32_t c = 0; c < m; c++) G[r * m + c] = vec3_dot(S[r].v, S[c].v) + vec3_dot(S[r].w, S[c].w);
    }
    if (!dense_factor((size_t)m, G, NULL)) dense_solve((size_t)m, G, x);
}

/* what a body does, in its own frame */
typedef struct body_motion {
    twist V, A;
} body_motion;

/* A NULL: twists alone; body −1: the world, which rests */
static body_motion motion_of(hml_representation rep, const body_frame *bodies, int32_t body, const double *V,
                             const double *A)
{
    body_motion x = {twist_zero(), twist_zero()};
    if (body < 0) return x;
    const pose H = bodies[body].H;
    x.V = twist_to_left(rep, H, twist_at(V + 6 * (size_t)body));
    if (A) x.A = acceleration_to_left(rep, H, x.V, twist_at(A + 6 * (size_t)body));
    return x;
}

/* V: twists of the bodies, or A their derivatives as well */
static hml_status solve_joints(const hml_model *model, hml_work *work, hml_representation rep, const double *q,
                               const double *V, const double *A, double *out)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !V || !out || rep < HML_LEFT || rep > HML_SPLIT) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hmli_work_check_state(model, q, NULL, NULL, V));
    TRY(hmli_work_check_state(model, q, NULL, NULL, A));
    const unsigned before = overflow_watch();
    body_frame *bodies = (body_frame *)work->scratch;
    body_frames(model, q, NULL, bodies);
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        const body_coordinates c = coordinates_of(model, i);
        twist S[HML_JOINT_MAX_NV], vJ = twist_zero();
        double rate[HML_JOINT_MAX_NV];
        if (c.follower) continue;
        const pose X = joint_at(model, i, q, S);
        const body_motion own = motion_of(rep, bodies, i, V, A), up = motion_of(rep, bodies, b->parent, V, A);
        joint_solve(b->nv, S, twist_sub(own.V, pose_ad_inverse(X, up.V)), rate);
        for (int32_t k = 0; A && k < b->nv; k++) vJ = twist_axpy(rate[k], S[k], vJ);
        twist rest = twist_sub(own.A, pose_ad_inverse(X, up.A));
        if (A) joint_solve(b->nv, S, twist_add(rest, twist_cross(vJ, own.V)), rate);
        memcpy(out + c.v, rate, (size_t)b->nv * sizeof *rate);
    }
    return OVERFLOW_STATUS(before, {out, (size_t)model->nv});
}

hml_status hml_joint_velocities(const hml_model *model, hml_work *work, hml_representation representation,
                                const double *q, const double *V, double *v)
{
    return solve_joints(model, work, representation, q, V, NULL, v);
}

hml_status hml_joint_accelerations(const hml_model *model, hml_work *work, hml_representation representation,
                                   const double *q, const double *V, const double *A, double *a)
{
    return A ? solve_joints(model, work, representation, q, V, A, a) : HML_INVALID_ARGUMENT;
}
