/* Poses of all bodies, and what a frame does: the first two orders of motion_series.h behind hamel/kinematics.h. */
#include "hamel/kinematics.h"

#include "algo/motion_series.h"
#include "algo/work.h"
#include "group/arrays.h"

/* a workspace has room for the states of dynamics, which are larger than those of kinematics */
_Static_assert(sizeof(pose) <= sizeof(body_state), "scratch of a body");
_Static_assert(6 * sizeof(double) <= sizeof(column_state), "scratch of a column");

hml_status hml_body_poses(const hml_model *model, hml_work *work, const double *q, double *H)
{
    if (work_check(model, work, HML_USE_TREE) || !q || !H) return HML_INVALID_ARGUMENT;
    TRY(work_check_state(model, q, NULL, NULL, NULL));
    const plan_body *bodies = plan_bodies(model_plan(model));
    pose *relative = (pose *)work->scratch; /* plan frames in the plan frame of their root */
    state_series state = {.q = q};
    walk w;
    for (int32_t i = 0; i < model->nbodies; i++) {
        if (bodies[i].parent < 0)
            walk_start(&w, 0);
        else
            w.H = relative[bodies[i].parent];
        walk_step(&w, model, i, &state);
        relative[i] = w.H;
        write_pose(pose_mul(w.world, pose_mul(w.H, plan_pose(bodies[i].to_body))), H + 16 * (size_t)i);
    }
    return HML_OK;
}

static int valid(const hml_frame_motion *motion, const double *v, const double *a)
{
    if (!motion || motion->struct_size != sizeof *motion) return 0;
    if (motion->acceleration && !a) return 0;
    return v || !(motion->Jdot || motion->twist || motion->acceleration);
}

hml_status hml_frame(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                     const double *q, const double *v, const double *a, hml_frame_motion *motion)
{
    if (work_check(model, work, HML_USE_TREE) || !q || !valid(motion, v, a)) return HML_INVALID_ARGUMENT;
    if (frame < 0 || frame >= model->nframes || representation < HML_LEFT || representation > HML_SPLIT) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(work_check_state(model, q, v, a, NULL));
    state_series state = {.q = q, .rates = {v, a}};
    twist twists[SERIES_LENGTH];
    jacobian_series J = {.order = motion->Jdot != NULL, .nv = model->nv, .J = {motion->J, motion->Jdot}};
    if (!motion->J) J.J[0] = (double *)work->scratch; /* J̇ grows out of J */
    pose H = frame_series(model, frame, representation, &state, motion->Jdot || motion->acceleration, twists,
                          motion->J || motion->Jdot ? &J : NULL);
    if (motion->pose) write_pose(H, motion->pose);
    if (motion->twist) write_twist(twists[0], motion->twist);
    if (motion->acceleration) write_twist(twists[1], motion->acceleration);
    return HML_OK;
}
