/* device.h on a GPU of NVIDIA, by the runtime of CUDA, which looks for the driver when it is first called. */
#include "cuda/device.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>
#include <system_error>
#include <thread>

#include "cuda/kernel.h"

enum { GLOBAL_BLOCKS = 264 }; /* workspaces in the GPU's memory: one warp each */
enum { COPYING_THREADS = 8 }; /* as many as keep the memory of the host busy */

static hml_status fail(hml_error *error, hml_status status, const char *what, const char *why)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s: %s", what, why);
    }
    return status;
}

/* an error of CUDA as a status and a sentence */
static hml_status explain(hml_error *error, cudaError_t fault, const char *what)
{
    if (fault == cudaSuccess) return HML_OK;
    cudaGetLastError(); /* the next call starts afresh */
    return fail(error, fault == cudaErrorMemoryAllocation ? HML_OUT_OF_MEMORY : HML_UNSUPPORTED, what,
                cudaGetErrorString(fault));
}

static hml_status choose(int device, hml_error *error)
{
    return explain(error, cudaSetDevice(device), "the GPU cannot be used");
}

hml_status hmli_device_find(int device, hml_cuda_device_info *info, hml_error *error)
{
    int count = 0;
    const cudaError_t fault = cudaGetDeviceCount(&count);
    if (fault) {
        cudaGetLastError();
        return fail(error, HML_NOT_FOUND, "there is no GPU that CUDA can use", cudaGetErrorString(fault));
    }
    if (device < 0 || device >= count)
        return fail(error, HML_NOT_FOUND, "there is no GPU of this number", "they are counted from 0");
    cudaDeviceProp p;
    const hml_status status = explain(error, cudaGetDeviceProperties(&p, device), "the GPU does not answer");
    if (status) return status;
    snprintf(info->name, sizeof info->name, "%s", p.name);
    info->multiprocessors = p.multiProcessorCount;
    info->capability = 10 * p.major + p.minor;
    info->memory = p.totalGlobalMem;
    size_t all = 0;
    const hml_status chosen = choose(device, error);
    return chosen ? chosen : explain(error, cudaMemGetInfo(&info->memory_free, &all), "the GPU does not answer");
}

hml_status hmli_device_allocate(int device, size_t bytes, void **memory, hml_error *error)
{
    const hml_status status = choose(device, error);
    return status ? status : explain(error, cudaMalloc(memory, bytes ? bytes : 1), "memory of the GPU");
}

void hmli_device_release(int device, void *memory)
{
    if (memory && !choose(device, NULL)) cudaFree(memory);
}

int hmli_device_is_host(void) { return 0; }

hml_status hmli_device_copy(int device, void *to, const void *from, size_t bytes, int to_device, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    cudaError_t fault = cudaMemcpy(to, from, bytes, to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    /* from pageable memory it may return before all is there, and streams of others do not wait for the default one */
    if (!fault && to_device) fault = cudaStreamSynchronize(NULL);
    return explain(error, fault, "a copy to or from the GPU");
}

hml_status hmli_device_copy_within(int device, void *to, const void *from, size_t bytes, void *stream, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    return explain(error, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream),
                   "a copy on the GPU");
}

hml_status hmli_device_wait(int device, void *stream, hml_error *error)
{
    const hml_status status = choose(device, error);
    return status ? status : explain(error, cudaStreamSynchronize((cudaStream_t)stream), "the kernels on the GPU");
}

hml_status hmli_device_stage(int device, size_t bytes, void **memory, hml_error *error)
{
    const hml_status status = choose(device, error);
    return status ? status : explain(error, cudaHostAlloc(memory, bytes, cudaHostAllocDefault), "pinned memory");
}

void hmli_device_unstage(int device, void *memory)
{
    if (memory && !choose(device, NULL)) cudaFreeHost(memory);
}

hml_status hmli_device_copy_in_stream(int device, void *to, const void *from, size_t bytes, int to_device, void *stream,
                                      hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    const cudaMemcpyKind kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    return explain(error, cudaMemcpyAsync(to, from, bytes, kind, (cudaStream_t)stream), "a copy to or from the GPU");
}

hml_status hmli_device_stream_new(int device, void **stream, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    return explain(error, cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking), "a stream");
}

void hmli_device_stream_free(int device, void *stream)
{
    if (stream && !choose(device, NULL)) cudaStreamDestroy((cudaStream_t)stream);
}

hml_status hmli_device_follow(int device, void *first, void *then, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    cudaEvent_t event;
    cudaError_t fault = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (fault) return explain(error, fault, "an event");
    fault = cudaEventRecord(event, (cudaStream_t)first);
    if (!fault) fault = cudaStreamWaitEvent((cudaStream_t)then, event, 0);
    cudaEventDestroy(event); /* once it has happened */
    return explain(error, fault, "an event");
}

void hmli_device_share(void (*work)(const void *context, int part, int parts), const void *context, int most)
{
    const int half = (int)std::thread::hardware_concurrency() / 2,
              cores = half < COPYING_THREADS ? half : COPYING_THREADS;
    const int parts = most < cores ? most : cores < 1 ? 1 : cores;
    std::thread crew[COPYING_THREADS];
    int started = 1;
    try {
        for (; started < parts; started++) crew[started] = std::thread(work, context, started, parts);
    } catch (const std::system_error &) { /* no more threads: the rest is done here */
    }
    work(context, 0, parts);
    for (int k = started; k < parts; k++) work(context, k, parts);
    for (int k = 1; k < started; k++) crew[k].join();
}

static int attribute(int device, cudaDeviceAttr which)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) ? 0 : value;
}

static size_t warp_bytes(int type, const cuda_model *m) { return cuda_warp_numbers(m) * (size_t)type; }

size_t hmli_device_workspace(int device, int type, const cuda_model *model)
{
    const size_t bytes = warp_bytes(type, model);
    const int most = attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return bytes + (size_t)model->block_numbers * (size_t)type <= (size_t)most ? 0 : bytes * GLOBAL_BLOCKS;
}

/* as many warps in a block as share a multiprocessor's memory without a remainder worth having */
static kernel_shape shape_of(int device, int type, const cuda_call *call)
{
    const size_t bytes = warp_bytes(type, &call->model), shared = (size_t)call->model.block_numbers * (size_t)type;
    const size_t block = (size_t)attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const size_t all = (size_t)attribute(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    const size_t reserved = (size_t)attribute(device, cudaDevAttrReservedSharedMemoryPerBlock);
    kernel_shape shape;
    int best = 1;
    size_t most = 0;
    for (int warps = 1; warps <= KERNEL_THREADS / CUDA_WARP; warps++) {
        const size_t needs = shared + (size_t)warps * bytes;
        if (needs > block) break;
        const size_t resident = all / (needs + reserved) * (size_t)warps;
        if (resident >= most) most = resident, best = warps;
    }
    shape.threads = call->workspace ? CUDA_WARP : best * CUDA_WARP;
    shape.blocks = GLOBAL_BLOCKS;
    shape.multiprocessors = attribute(device, cudaDevAttrMultiProcessorCount);
    shape.shared_bytes = shared + (size_t)best * bytes;
    return shape;
}

hml_status hmli_device_linearize(int device, int type, const cuda_call *call, void *stream, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    const kernel_shape shape = shape_of(device, type, call);
    const cudaError_t fault = type == HML_CUDA_FLOAT32 ? kernel_linearize_f32(call, &shape, (cudaStream_t)stream)
                                                       : kernel_linearize_f64(call, &shape, (cudaStream_t)stream);
    return explain(error, fault, "the kernel does not start");
}

hml_status hmli_device_joints(int device, int type, const cuda_joints *call, int tangent, void *stream,
                              hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    const cudaError_t fault = type == HML_CUDA_FLOAT32 ? kernel_joints_f32(call, tangent, (cudaStream_t)stream)
                                                       : kernel_joints_f64(call, tangent, (cudaStream_t)stream);
    return explain(error, fault, "the kernel does not start");
}

hml_status hmli_device_motion(int device, int type, const cuda_motion *motion, void *stream, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    const kernel_shape shape = shape_of(device, type, &motion->call);
    const cudaError_t fault = type == HML_CUDA_FLOAT32 ? kernel_motion_f32(motion, &shape, (cudaStream_t)stream)
                                                       : kernel_motion_f64(motion, &shape, (cudaStream_t)stream);
    return explain(error, fault, "the kernel does not start");
}

hml_status hmli_device_held(int device, int type, const cuda_held *held, void *stream, hml_error *error)
{
    const hml_status status = choose(device, error);
    if (status) return status;
    const kernel_shape shape = shape_of(device, type, &held->call);
    const cudaError_t fault = type == HML_CUDA_FLOAT32 ? kernel_held_f32(held, &shape, (cudaStream_t)stream)
                                                       : kernel_held_f64(held, &shape, (cudaStream_t)stream);
    return explain(error, fault, "the kernel does not start");
}
