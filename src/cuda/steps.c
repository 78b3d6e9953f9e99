/* Steps, rollouts, q ⊕ v and q₁ ⊖ q₀ of hamel/cuda.h. */
#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "cuda/batch.h"

static cuda_joints joints_of(const hml_cuda_batch *batch, size_t n, int operation)
{
    cuda_joints call;
    memset(&call, 0, sizeof call);
    call.model = batch->model;
    call.n = n;
    call.h = 1;
    call.operation = operation;
    return call;
}

static hml_status run(const hml_cuda_batch *batch, const cuda_joints *call, int tangent, void *stream, hml_error *error)
{
    return call->n ? hmli_device_joints(batch->device, batch->type, call, tangent, stream, error) : HML_OK;
}

/* ---- configurations ---- */

static hml_status configurations(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                 int operation, hml_error *error)
{
    hml_cuda_configurations room;
    const hml_cuda_configurations *x = STRUCT_TAKE(hml_cuda_configurations, arguments, &room, result);
    if (!batch || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or struct_size is not set");
    if (!x->q.data || !x->other.data || !x->result.data)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "a configuration, a velocity or the result is missing");
    cuda_joints call = joints_of(batch, n, operation);
    const size_t size = (size_t)(operation == JOINTS_DIFFERENCE ? batch->model.nv : batch->model.nq);
    call.q = input_of(x->q), call.v = input_of(x->other);
    if (!output_of(x->result, 1, size, &call.to))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the leading dimension is smaller than a result");
    call.status = x->status;
    return run(batch, &call, 0, x->stream, error);
}

hml_status hml_cuda_integrate(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                              hml_error *error)
{
    return configurations(batch, n, arguments, JOINTS_INTEGRATE, error);
}

hml_status hml_cuda_difference(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                               hml_error *error)
{
    return configurations(batch, n, arguments, JOINTS_DIFFERENCE, error);
}

/* ---- steps ---- */

static hml_status refuse_groups(const hml_cuda_batch *batch, hml_error *error)
{
    if (!batch->model.stiff_groups) return HML_OK;
    return hmli_cuda_fail(
        error, HML_UNSUPPORTED,
        "steps with springs on free, spherical, planar and Schoenflies joints are not supported on the GPU");
}

/* numbers of a batch's type behind a pointer */
static void *behind(const hml_cuda_batch *batch, const void *data, size_t numbers)
{
    return data ? (char *)(uintptr_t)data + numbers * (size_t)batch->type : NULL;
}

/* ν̇ into v_next; D_q, D_ν and M⁻¹ into the lower halves of A_d and B_d */
static hml_status linearize(hml_cuda_batch *batch, const hml_cuda_step_arguments *x, const cuda_joints *call,
                            hml_error *error)
{
    const size_t nv = (size_t)batch->model.nv;
    hml_cuda_linearization a;
    memset(&a, 0, sizeof a);
    a.struct_size = sizeof a;
    a.q = x->q, a.v = x->v, a.tau = x->tau;
    a.acceleration = (hml_cuda_output){call->v_next.data, call->v_next.ld, call->v_next.stride};
    if (x->Ad.data) {
        void *lower = behind(batch, call->Ad.data, nv * call->Ad.ld);
        a.Dq = (hml_cuda_output){lower, call->Ad.ld, call->Ad.stride};
        a.Dv = (hml_cuda_output){behind(batch, lower, nv), call->Ad.ld, call->Ad.stride};
        a.Minv = (hml_cuda_output){behind(batch, call->Bd.data, nv * call->Bd.ld), call->Bd.ld, call->Bd.stride};
    }
    a.status = x->status, a.stream = x->stream;
    return hmli_cuda_linearize(batch, (size_t)call->n, &a, batch->model.passive ? x->h : 0, error);
}

hml_status hml_cuda_step(hml_cuda_batch *batch, size_t n, const hml_cuda_step_arguments *arguments, hml_error *error)
{
    hml_cuda_step_arguments room;
    const hml_cuda_step_arguments *x = STRUCT_TAKE(hml_cuda_step_arguments, arguments, &room, v_next);
    if (!batch || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or struct_size is not set");
    if (!x->q.data || !x->v.data || !x->q_next.data || !x->v_next.data || !x->Ad.data != !x->Bd.data)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q, v, q_next, v_next, or one of Ad and Bd is missing");
    if (x->v.data == x->v_next.data || x->q.data == x->q_next.data)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q_next and v_next are not q and v");
    if (!isfinite(x->h)) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the step h is not finite");
    hml_status status = refuse_groups(batch, error);
    if (status) return status;
    const size_t nv = (size_t)batch->model.nv;
    cuda_joints call = joints_of(batch, n, JOINTS_STEP);
    call.h = x->h, call.q = input_of(x->q), call.v = input_of(x->v), call.status = x->status;
    if (!(output_of(x->q_next, 1, (size_t)batch->model.nq, &call.to) & output_of(x->v_next, 1, nv, &call.v_next) &
          output_of(x->Ad, 2 * nv, 2 * nv, &call.Ad) & output_of(x->Bd, 2 * nv, nv, &call.Bd)))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT,
                              "a leading dimension is smaller than a row, or larger than 2^20");
    status = linearize(batch, x, &call, error);
    if (!status) status = run(batch, &call, 0, x->stream, error);
    return status || !x->Ad.data ? status : run(batch, &call, 1, x->stream, error);
}

hml_status hml_cuda_rollout(hml_cuda_batch *batch, size_t n, const hml_cuda_rollout_arguments *arguments,
                            hml_error *error)
{
    hml_cuda_rollout_arguments room;
    const hml_cuda_rollout_arguments *x = STRUCT_TAKE(hml_cuda_rollout_arguments, arguments, &room, v);
    if (!batch || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or struct_size is not set");
    if (!x->q || !x->v) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q or v is missing");
    const size_t nq = (size_t)batch->model.nq, nv = (size_t)batch->model.nv;
    hml_cuda_step_arguments step;
    memset(&step, 0, sizeof step);
    step.struct_size = sizeof step;
    step.h = x->h, step.status = x->status, step.stream = x->stream;
    hml_status status = HML_OK;
    for (size_t k = 0; k < x->steps && !status; k++) {
        step.q = (hml_cuda_input){behind(batch, x->q, k * n * nq), nq};
        step.v = (hml_cuda_input){behind(batch, x->v, k * n * nv), nv};
        step.tau = (hml_cuda_input){behind(batch, x->tau.data, k * x->tau_step), x->tau.stride};
        step.q_next.data = behind(batch, x->q, (k + 1) * n * nq);
        step.v_next.data = behind(batch, x->v, (k + 1) * n * nv);
        status = n ? hml_cuda_step(batch, n, &step, error) : HML_OK;
    }
    return status;
}
