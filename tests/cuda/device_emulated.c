/* A device that is none: memory of the host, kernels in the emulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"
#include "emulate.h"

static emulator_options options = {1, -1, 0, 0};
static emulator_report report;

void emulated_device_set(const emulator_options *o)
{
    options = *o;
    memset(&report, 0, sizeof report);
}

const emulator_report *emulated_device_report(void) { return &report; }

hml_status hmli_device_find(int device, hml_cuda_device_info *info, hml_error *error)
{
    if (device != 0) {
        if (error) snprintf(error->message, sizeof error->message, "there is no GPU %d", device);
        return HML_NOT_FOUND;
    }
    snprintf(info->name, sizeof info->name, "emulated");
    info->multiprocessors = 1;
    return HML_OK;
}

hml_status hmli_device_allocate(int device, size_t bytes, void **memory, hml_error *error)
{
    (void)device, (void)error;
    *memory = malloc(bytes ? bytes : 1);
    return *memory ? HML_OK : HML_OUT_OF_MEMORY;
}

void hmli_device_release(int device, void *memory)
{
    (void)device;
    free(memory);
}

hml_status hmli_device_copy(int device, void *to, const void *from, size_t bytes, int to_device, hml_error *error)
{
    (void)device, (void)to_device, (void)error;
    memcpy(to, from, bytes);
    return HML_OK;
}

hml_status hmli_device_copy_within(int device, void *to, const void *from, size_t bytes, void *stream, hml_error *error)
{
    (void)stream;
    return hmli_device_copy(device, to, from, bytes, 1, error);
}

hml_status hmli_device_wait(int device, void *stream, hml_error *error)
{
    (void)device, (void)stream, (void)error;
    return HML_OK;
}

size_t hmli_device_workspace(int device, int type, const cuda_model *model)
{
    (void)device, (void)type, (void)model;
    return 0;
}

/* what the emulator has seen in a run, into the report */
static hml_status gather(int done)
{
    const emulator_report r = emulator_end();
    if (!report.first[0]) memcpy(report.first, r.first, sizeof report.first);
    report.races += r.races, report.misaligned += r.misaligned;
    report.outside += r.outside, report.parted += r.parted;
    report.barriers = r.barriers;
    memcpy(report.skipped, r.skipped, sizeof report.skipped);
    return done ? HML_OK : HML_OUT_OF_MEMORY;
}

hml_status hmli_device_linearize(int device, int type, const cuda_call *call, void *stream, hml_error *error)
{
    (void)device, (void)stream, (void)error;
    emulator_begin(&options);
    return gather(type == HML_CUDA_FLOAT32 ? emulate_linearize_f32(call, 3, &options)
                                           : emulate_linearize_f64(call, 3, &options));
}

hml_status hmli_device_motion(int device, int type, const cuda_motion *motion, void *stream, hml_error *error)
{
    (void)device, (void)stream, (void)error;
    emulator_begin(&options);
    return gather(type == HML_CUDA_FLOAT32 ? emulate_motion_f32(motion, 3, &options)
                                           : emulate_motion_f64(motion, 3, &options));
}

hml_status hmli_device_held(int device, int type, const cuda_held *held, void *stream, hml_error *error)
{
    (void)device, (void)stream, (void)error;
    emulator_begin(&options);
    return gather(type == HML_CUDA_FLOAT32 ? emulate_held_f32(held, 3, &options) : emulate_held_f64(held, 3, &options));
}

hml_status hmli_device_joints(int device, int type, const cuda_joints *call, int tangent, void *stream,
                              hml_error *error)
{
    (void)device, (void)stream, (void)error;
    if (type == HML_CUDA_FLOAT32)
        emulate_joints_f32(call, tangent);
    else
        emulate_joints_f64(call, tangent);
    return HML_OK;
}
