/* Inverse dynamics, M and frames of hamel/cuda.h. */
#include <string.h>

#include "base/struct_size.h"
#include "cuda/batch.h"

static const char LEADING[] = "a leading dimension is smaller than a row, or larger than 2^20";

static cuda_motion motion_of(const hml_cuda_batch *batch, size_t n, hml_cuda_input q, hml_cuda_input v, int32_t *status)
{
    cuda_motion m;
    memset(&m, 0, sizeof m);
    m.call.model = batch->motion;
    m.call.n = n;
    m.call.q = input_of(q), m.call.v = input_of(v);
    m.call.status = status;
    m.call.workspace = batch->motion_workspace;
    return m;
}

hml_status hml_cuda_dynamics(hml_cuda_batch *batch, size_t n, const hml_cuda_dynamics_arguments *arguments,
                             hml_error *error)
{
    hml_cuda_dynamics_arguments room;
    const hml_cuda_dynamics_arguments *x = STRUCT_TAKE(hml_cuda_dynamics_arguments, arguments, &room, M);
    if (!batch || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or struct_size is not set");
    if (!x->q.data) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q is missing");
    const size_t nv = (size_t)batch->model.nv;
    cuda_motion m = motion_of(batch, n, x->q, x->v, x->status);
    m.a = input_of(x->a), m.call.wrenches = input_of(x->wrenches);
    if (!(output_of(x->torque, 1, nv, &m.torque) & output_of(x->M, nv, nv, &m.M)))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, LEADING);
    if (!n || (!x->torque.data && !x->M.data)) return HML_OK;
    return hmli_device_motion(batch->device, batch->type, &m, x->stream, error);
}

hml_status hml_cuda_kinematics(hml_cuda_batch *batch, size_t n, const hml_cuda_kinematics_arguments *arguments,
                               hml_error *error)
{
    hml_cuda_kinematics_arguments room;
    const hml_cuda_kinematics_arguments *x = STRUCT_TAKE(hml_cuda_kinematics_arguments, arguments, &room, twist);
    if (!batch || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or struct_size is not set");
    if (!x->q.data) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q is missing");
    if (x->count < 0 || x->count > (x->frames ? CUDA_FRAMES : batch->model.frames))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "so many frames are not there, or more than 64 are listed");
    if (x->representation < HML_LEFT || x->representation > HML_SPLIT)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "there is no such representation");
    const size_t nv = (size_t)batch->model.nv, count = (size_t)x->count;
    cuda_motion m = motion_of(batch, n, x->q, x->v, x->status);
    m.representation = (int32_t)x->representation;
    m.listed = x->frames != NULL, m.count = x->count;
    for (size_t k = 0; x->frames && k < count; k++) {
        m.frame[k] = x->frames[k];
        if (m.frame[k] < 0 || m.frame[k] >= batch->model.frames)
            return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "a frame is not one of the model's");
    }
    if (!(output_of(x->pose, 1, 16 * count, &m.pose) & output_of(x->J, 6 * count, nv, &m.J) &
          output_of(x->twist, 1, 6 * count, &m.twist)))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, LEADING);
    if (!n || !count || (!x->pose.data && !x->J.data && !x->twist.data)) return HML_OK;
    return hmli_device_motion(batch->device, batch->type, &m, x->stream, error);
}
