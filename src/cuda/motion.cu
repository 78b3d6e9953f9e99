/*
 * The kernels of inverse dynamics, M, frames and held feet, compiled once for each type of number, as those of kernel.cu.
 */
#include <cuda_runtime.h>

#include "cuda/held_write.h"
#include "cuda/kernel.h"

#if defined HML_NUM_F32
#define NAME(name)    name##_f32
#define MOTION_BLOCKS 4
#else
#define NAME(name)    name##_f64
#define MOTION_BLOCKS 2
#endif

extern __shared__ __align__(16) char shared_memory[];

/* which lanes these are: their workspace, and the states that they have */
struct lane_place {
    num *work;
    size_t first, step;
    int lane, group;
};

static __device__ __forceinline__ lane_place place_of(const cuda_call *call)
{
    const size_t per_block = blockDim.x / CUDA_WARP, own = (size_t)__shfl_sync(0xffffffffu, threadIdx.x / CUDA_WARP, 0);
    const size_t warp = blockIdx.x * per_block + own;
    const int l = (int)threadIdx.x % CUDA_WARP, width = call->model.width;
    num *memory = call->workspace ? (num *)call->workspace + warp * cuda_warp_numbers(&call->model)
                                  : (num *)shared_memory + own * cuda_warp_numbers(&call->model);
    lane_place p;
    p.lane = l % width, p.group = l / width;
    p.work = memory + (size_t)p.group * (size_t)call->model.state_numbers;
    p.first = warp * (size_t)(CUDA_WARP / width);
    p.step = gridDim.x * per_block * (size_t)(CUDA_WARP / width);
    return p;
}

__global__ static void __launch_bounds__(KERNEL_THREADS, MOTION_BLOCKS)
    compute_motion(const __grid_constant__ cuda_motion motion)
{
    const lane_place p = place_of(&motion.call);
    lane_state s = motion_begin(&motion.call, p.work, p.lane);
    for (size_t first = p.first; first < motion.call.n; first += p.step)
        lanes_motion(&s, &motion, first + (size_t)p.group);
}

__global__ static void __launch_bounds__(KERNEL_THREADS, MOTION_BLOCKS)
    compute_held(const __grid_constant__ cuda_held held)
{
    const lane_place p = place_of(&held.call);
    lane_held x = held_begin(&held, p.work, p.lane);
    for (size_t first = p.first; first < held.call.n; first += p.step) lanes_held(&x, first + (size_t)p.group);
}

/* how many blocks there are, once the kernel may have its memory */
static cudaError_t blocks_of(const void *kernel, const cuda_call *call, const kernel_shape *shape, unsigned *blocks)
{
    const size_t per_block = (size_t)shape->threads / CUDA_WARP * (size_t)cuda_states_per_warp(&call->model);
    const size_t needed = (call->n + per_block - 1) / per_block;
    size_t most = (size_t)shape->blocks;
    if (!call->workspace) {
        int resident = 0;
        cudaError_t fault =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape->shared_bytes);
        if (!fault)
            fault =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, shape->threads, shape->shared_bytes);
        if (fault) return fault;
        most = (size_t)shape->multiprocessors * (size_t)(resident > 0 ? resident : 1);
    }
    *blocks = (unsigned)(needed < most ? needed : most);
    return cudaSuccess;
}

extern "C" cudaError_t NAME(kernel_motion)(const cuda_motion *motion, const kernel_shape *shape, cudaStream_t stream)
{
    unsigned blocks = 0;
    const cudaError_t fault = blocks_of((const void *)compute_motion, &motion->call, shape, &blocks);
    if (fault) return fault;
    compute_motion<<<blocks, shape->threads, motion->call.workspace ? 0 : shape->shared_bytes, stream>>>(*motion);
    return cudaGetLastError();
}

extern "C" cudaError_t NAME(kernel_held)(const cuda_held *held, const kernel_shape *shape, cudaStream_t stream)
{
    unsigned blocks = 0;
    const cudaError_t fault = blocks_of((const void *)compute_held, &held->call, shape, &blocks);
    if (fault) return fault;
    compute_held<<<blocks, shape->threads, held->call.workspace ? 0 : shape->shared_bytes, stream>>>(*held);
    return cudaGetLastError();
}
