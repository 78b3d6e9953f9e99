/* A device that is none: memory of the host, kernels in the emulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"
#include "emulate.h"
#include "streams_emulated.h"

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

int hmli_device_is_host(void) { return 1; }

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

/* a kernel and its arguments, now or when its stream comes there */
typedef struct launch {
    int type, tangent;
    union {
        cuda_call call;
        cuda_motion motion;
        cuda_held held;
        cuda_joints joints;
    } of;
} launch;

static hml_status run_linearize(const void *context)
{
    const launch *l = context;
    emulator_begin(&options);
    return gather(l->type == HML_CUDA_FLOAT32 ? emulate_linearize_f32(&l->of.call, 3, &options)
                                              : emulate_linearize_f64(&l->of.call, 3, &options));
}

static hml_status run_motion(const void *context)
{
    const launch *l = context;
    emulator_begin(&options);
    return gather(l->type == HML_CUDA_FLOAT32 ? emulate_motion_f32(&l->of.motion, 3, &options)
                                              : emulate_motion_f64(&l->of.motion, 3, &options));
}

static hml_status run_held(const void *context)
{
    const launch *l = context;
    emulator_begin(&options);
    return gather(l->type == HML_CUDA_FLOAT32 ? emulate_held_f32(&l->of.held, 3, &options)
                                              : emulate_held_f64(&l->of.held, 3, &options));
}

static hml_status run_joints(const void *context)
{
    const launch *l = context;
    if (l->type == HML_CUDA_FLOAT32)
        emulate_joints_f32(&l->of.joints, l->tangent);
    else
        emulate_joints_f64(&l->of.joints, l->tangent);
    return HML_OK;
}

static hml_status start(void *stream, emulated_work work, const launch *l)
{
    return emulated_streams_defer(stream, work, l, sizeof *l) ? HML_OK : work(l);
}

hml_status hmli_device_linearize(int device, int type, const cuda_call *call, void *stream, hml_error *error)
{
    (void)device, (void)error;
    const launch l = {.type = type, .of.call = *call};
    return start(stream, run_linearize, &l);
}

hml_status hmli_device_motion(int device, int type, const cuda_motion *motion, void *stream, hml_error *error)
{
    (void)device, (void)error;
    const launch l = {.type = type, .of.motion = *motion};
    return start(stream, run_motion, &l);
}

hml_status hmli_device_held(int device, int type, const cuda_held *held, void *stream, hml_error *error)
{
    (void)device, (void)error;
    const launch l = {.type = type, .of.held = *held};
    return start(stream, run_held, &l);
}

hml_status hmli_device_joints(int device, int type, const cuda_joints *call, int tangent, void *stream,
                              hml_error *error)
{
    (void)device, (void)error;
    const launch l = {.type = type, .tangent = tangent, .of.joints = *call};
    return start(stream, run_joints, &l);
}
