/* The functions of hamel/cuda.h: arguments are checked here, and handed to a device. */
#include "hamel/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "cuda/batch.h"
#include "cuda/device.h"
#include "cuda/tables.h"
#include "model/model.h"

hml_status hmli_cuda_fail(hml_error *error, hml_status status, const char *sentence)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", sentence);
    }
    return status;
}

hml_status hml_cuda_device(int device, hml_cuda_device_info *info, hml_error *error)
{
    hml_cuda_device_info all = {.struct_size = sizeof all};
    if (info && !struct_is_writable(info, STRUCT_END(hml_cuda_device_info, memory)))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "struct_size of the device's info is not set");
    const hml_status status = hmli_device_find(device, &all, error);
    if (!status) struct_give(info, &all, sizeof all);
    return status;
}

/* an array of the tables on the device */
static hml_status upload(hml_cuda_batch *b, const void *from, size_t bytes, void **to, hml_error *error)
{
    hml_status status = hmli_device_allocate(b->device, bytes, to, error);
    return status ? status : hmli_device_copy(b->device, *to, from, bytes, 1, error);
}

static hml_status fill(hml_cuda_batch *b, const cuda_tables *t, hml_error *error)
{
    const size_t workspace = hmli_device_workspace(b->device, b->type, &t->model);
    b->model = t->model;
    hml_status status = upload(b, t->integers, t->ninteger * sizeof(int32_t), &b->integers, error);
    if (!status) status = upload(b, t->numbers, t->nnumber * (size_t)b->type, &b->numbers, error);
    if (!status && workspace) status = hmli_device_allocate(b->device, workspace, &b->workspace, error);
    b->model.integers = b->integers, b->model.numbers = b->numbers;
    b->motion = hmli_cuda_motion_model(&b->model, NULL);
    const size_t room = hmli_device_workspace(b->device, b->type, &b->motion);
    if (!status && room) status = hmli_device_allocate(b->device, room, &b->motion_workspace, error);
    const size_t frames = FRAME_INTEGERS * (size_t)t->model.frames * sizeof(int32_t);
    b->frame = malloc(frames + 1);
    if (!status && !b->frame) status = hmli_cuda_fail(error, HML_OUT_OF_MEMORY, hml_status_message(HML_OUT_OF_MEMORY));
    if (b->frame) memcpy(b->frame, t->integers + t->model.frame, frames);
    return status;
}

hml_status hml_cuda_batch_new(const hml_model *model, hml_cuda_type type, int device, hml_cuda_batch **batch,
                              hml_error *error)
{
    cuda_tables tables;
    hml_cuda_device_info info = {.struct_size = sizeof info};
    if (!model || !batch || (type != HML_CUDA_FLOAT32 && type != HML_CUDA_FLOAT64))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the model, the batch or the type is missing");
    if (memcmp(model->magic, HML_MODEL_MAGIC, sizeof model->magic) != 0 || model->version != HML_MODEL_VERSION)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the model comes from another version of the library");
    hml_status status = hmli_cuda_tables_new(model, (int)type, &tables, error);
    if (status == HML_OUT_OF_MEMORY) return hmli_cuda_fail(error, status, hml_status_message(status));
    if (status) return status;
    status = hmli_device_find(device, &info, error);
    hml_cuda_batch *b = status ? NULL : calloc(1, sizeof *b);
    if (!status && !b) status = hmli_cuda_fail(error, HML_OUT_OF_MEMORY, hml_status_message(HML_OUT_OF_MEMORY));
    if (b) {
        b->type = (int)type, b->device = device;
        status = fill(b, &tables, error);
        if (status) hml_cuda_batch_free(b);
    }
    hmli_cuda_tables_free(&tables);
    if (!status) *batch = b;
    return status;
}

hml_status hml_cuda_batch_from_data(const void *data, size_t size, hml_cuda_type type, int device,
                                    hml_cuda_batch **batch, hml_error *error)
{
    hml_model *model = NULL;
    hml_status status = data ? hml_model_from_data(data, size, &model) : HML_INVALID_ARGUMENT;
    if (status) return hmli_cuda_fail(error, status, "the block is no model of this version of the library");
    status = hml_cuda_batch_new(model, type, device, batch, error);
    hml_model_free(model);
    return status;
}

void hml_cuda_batch_free(hml_cuda_batch *batch)
{
    if (!batch) return;
    hmli_cuda_xla_forget(batch);
    hmli_cuda_host_free(batch);
    hmli_device_release(batch->device, batch->integers);
    hmli_device_release(batch->device, batch->numbers);
    hmli_device_release(batch->device, batch->workspace);
    hmli_device_release(batch->device, batch->motion_workspace);
    free(batch->frame);
    free(batch);
}

hml_status hmli_cuda_linearize(hml_cuda_batch *batch, size_t n, const hml_cuda_linearization *arguments, double h,
                               hml_error *error)
{
    hml_cuda_linearization room;
    const hml_cuda_linearization *x = STRUCT_TAKE(hml_cuda_linearization, arguments, &room, v);
    if (!batch || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or struct_size is not set");
    if (!x->q.data || !x->v.data) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q or v is missing");
    const size_t nv = (size_t)batch->model.nv;
    cuda_call call;
    memset(&call, 0, sizeof call);
    call.model = batch->model;
    call.n = n, call.h = h;
    call.q = input_of(x->q), call.v = input_of(x->v), call.tau = input_of(x->tau);
    call.wrenches = input_of(x->wrenches);
    const int fit = output_of(x->acceleration, 1, nv, &call.acceleration) & output_of(x->Dq, nv, nv, &call.Dq) &
                    output_of(x->Dv, nv, nv, &call.Dv) & output_of(x->Minv, nv, nv, &call.Minv) &
                    output_of(x->A, 2 * nv, 2 * nv, &call.A) & output_of(x->B, 2 * nv, nv, &call.B);
    if (!fit)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT,
                              "a leading dimension is smaller than a row, or larger than 2^20");
    call.status = x->status;
    call.workspace = batch->workspace;
    return n ? hmli_device_linearize(batch->device, batch->type, &call, x->stream, error) : HML_OK;
}

hml_status hml_cuda_linearize(hml_cuda_batch *batch, size_t n, const hml_cuda_linearization *arguments,
                              hml_error *error)
{
    return hmli_cuda_linearize(batch, n, arguments, 0, error);
}

hml_status hml_cuda_allocate(hml_cuda_batch *batch, size_t bytes, void **memory, hml_error *error)
{
    if (!batch || !memory)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch or the place for the result is missing");
    return hmli_device_allocate(batch->device, bytes, memory, error);
}

void hml_cuda_release(hml_cuda_batch *batch, void *memory)
{
    if (batch) hmli_device_release(batch->device, memory);
}

static hml_status copy(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, int to_device, hml_error *error)
{
    if (!batch || ((!to || !from) && bytes)) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "an array is missing");
    return bytes ? hmli_device_copy(batch->device, to, from, bytes, to_device, error) : HML_OK;
}

hml_status hml_cuda_upload(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, hml_error *error)
{
    return copy(batch, to, from, bytes, 1, error);
}

hml_status hml_cuda_download(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, hml_error *error)
{
    return copy(batch, to, from, bytes, 0, error);
}

hml_status hml_cuda_copy(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, void *stream,
                         hml_error *error)
{
    if (!batch || ((!to || !from) && bytes)) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "an array is missing");
    return bytes ? hmli_device_copy_within(batch->device, to, from, bytes, stream, error) : HML_OK;
}

hml_status hml_cuda_wait(hml_cuda_batch *batch, void *stream, hml_error *error)
{
    if (!batch) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing");
    return hmli_device_wait(batch->device, stream, error);
}
