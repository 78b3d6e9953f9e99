/* The call of the kernels for a frame: kernel/pack/frame.h, kernel/single/frame.h. */
#ifndef HML_ALGO_KINEMATICS_FRAME_CALL_H
#define HML_ALGO_KINEMATICS_FRAME_CALL_H

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"

/* without states and outputs */
static inline frame_call frame_call_of(const hml_work *work, int32_t frame, hml_representation representation)
{
    const model_frame *f = &model_frames(work->model)[frame];
    const pose F = frame_placement(work->model, f);
    frame_call call = {.plan = model_plan(work->model), .scratch = work->scratch, .count = 1, .body = f->body};
    call.representation = (int32_t)representation;
    mat3_put(F.R, call.placement, 3);
    vec3_put(F.p, call.placement + 9);
    return call;
}

#endif
