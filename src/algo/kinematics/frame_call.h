/* The call of the kernels for a frame: kernel/pack/frame.h, kernel/single/frame.h. */
#ifndef HML_ALGO_KINEMATICS_FRAME_CALL_H
#define HML_ALGO_KINEMATICS_FRAME_CALL_H

#include "algo/work.h"

/* without states and outputs; the placement as single_frame wants it */
static inline void frame_call_begin(const hml_work *work, int32_t frame, hml_representation representation,
                                    frame_call *call)
{
    const model_frame *f = &model_frames(work->model)[frame];
    memset(call, 0, sizeof *call);
    call->plan = model_plan(work->model);
    call->scratch = work->scratch;
    call->count = 1;
    call->body = f->body, call->R = f->R, call->p = f->p;
    call->representation = (int32_t)representation;
}

#endif
