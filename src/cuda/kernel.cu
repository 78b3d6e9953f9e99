/*
 * The kernels, compiled once for each type of number (HML_NUM_F32, HML_NUM_F64). A warp works by itself: it takes the
 * next states of the batch, as many as it has groups of lanes, until there are none. Workspaces are in the memory of the
 * multiprocessor, or, for robots too large for it, in that of the GPU.
 */
#include <cuda_runtime.h>

#include "cuda/joints.h"
#include "cuda/kernel.h"
#include "cuda/limbs_write.h"

#if defined HML_NUM_F32
#define NAME(name) name##_f32
#ifndef KERNEL_BLOCKS
#define KERNEL_BLOCKS 4 /* of a multiprocessor, for which there are registers enough; measured */
#endif
#ifndef LIMB_BLOCKS
#define LIMB_BLOCKS 3
#endif
#ifndef TRUNK_BLOCKS
#define TRUNK_BLOCKS 4
#endif
#else
#define NAME(name) name##_f64
#ifndef LIMB_BLOCKS
#define LIMB_BLOCKS 2
#endif
#ifndef TRUNK_BLOCKS
#define TRUNK_BLOCKS 2
#endif
#ifndef KERNEL_BLOCKS
#define KERNEL_BLOCKS 2
#endif
#endif

/* which warp of its block this is; the compiler sees that all lanes agree, and that branches on it do not part them */
static __device__ __forceinline__ size_t own_warp()
{
    return (size_t)__shfl_sync(0xffffffffu, threadIdx.x / CUDA_WARP, 0);
}

static __device__ __forceinline__ void run_warp(const cuda_call *call, num *memory, size_t warp, size_t warps,
                                                lane_kernel kernel)
{
    const int l = (int)threadIdx.x % CUDA_WARP, group = l / kernel.width;
    const size_t per_warp = (size_t)(CUDA_WARP / kernel.width);
    num *work = memory + (size_t)group * (size_t)call->model.state_numbers;
    lane_state s = lanes_begin(call, work, l % kernel.width, kernel);
    for (size_t first = warp * per_warp; first < call->n; first += warps * per_warp)
        lanes_linearize(&s, first + (size_t)group);
}

extern __shared__ __align__(16) char shared_memory[];

/* WIDTH lanes a state, each with one body and one column; WIDTH 0: any model */
template <int WIDTH>
__global__ static void __launch_bounds__(KERNEL_THREADS, KERNEL_BLOCKS)
    linearize_shared(const __grid_constant__ cuda_call call)
{
    const size_t per_block = blockDim.x / CUDA_WARP, own = own_warp();
    num *memory = (num *)shared_memory + own * cuda_warp_numbers(&call.model);
    const lane_kernel kernel = {WIDTH ? WIDTH : call.model.width, WIDTH != 0, 0};
    run_warp(&call, memory, blockIdx.x * per_block + own, gridDim.x * per_block, kernel);
}

/* a robot with a trunk: a lane per column of one state. Warps of a block go together, as in linearize_limbs */
__global__ static void __launch_bounds__(KERNEL_THREADS, TRUNK_BLOCKS)
    linearize_trunk(const __grid_constant__ cuda_call call)
{
    const size_t per_block = blockDim.x / CUDA_WARP, own = own_warp();
    num *memory = (num *)shared_memory + own * (size_t)call.model.trunk_numbers;
    const lane_kernel kernel = {CUDA_WARP, 1, 1};
    lane_state s = lanes_begin(&call, memory, (int)threadIdx.x % CUDA_WARP, kernel);
    const size_t step = gridDim.x * per_block;
    size_t state = blockIdx.x * per_block + own;
    for (size_t first = blockIdx.x * per_block; first < call.n; first += step, state += step) {
        __syncthreads();
        if (state < call.n) {
            lanes_prefetch(&s, state + step);
            lanes_linearize(&s, state);
        }
    }
}

/* any model, with workspaces in the memory of the GPU */
__global__ static void __launch_bounds__(KERNEL_THREADS) linearize_global(const __grid_constant__ cuda_call call)
{
    const size_t per_block = blockDim.x / CUDA_WARP;
    const size_t warp = blockIdx.x * per_block + own_warp();
    num *memory = (num *)call.workspace + warp * cuda_warp_numbers(&call.model);
    const lane_kernel kernel = {call.model.width, 0, 0};
    run_warp(&call, memory, warp, gridDim.x * per_block, kernel);
}

/*
 * A lane has a limb of JOINTS joints; WIDTH lanes a state. Warps of a block go from state to state together, so that the
 * code that one has fetched is there for the others.
 */
template <int JOINTS, int LIMBS, int WIDTH>
__global__ static void __launch_bounds__(KERNEL_THREADS, LIMB_BLOCKS)
    linearize_limbs(const __grid_constant__ cuda_call call)
{
    const size_t per_block = blockDim.x / CUDA_WARP, own = own_warp(), per_warp = CUDA_WARP / WIDTH;
    num *table = (num *)shared_memory;
    num *memory = table + call.model.block_numbers + own * (size_t)cuda_limb_layout(JOINTS, LIMBS, WIDTH).end;
    limb_lane x = limbs_begin(&call, table, memory, (int)threadIdx.x % CUDA_WARP, WIDTH, JOINTS, LIMBS);
    limbs_table(&call, table, (int)threadIdx.x, (int)blockDim.x);
    const size_t step = gridDim.x * per_block * per_warp;
    size_t first = (blockIdx.x * per_block + own) * per_warp;
    limbs_fetch(&x, first);
    for (size_t left = blockIdx.x * per_block * per_warp; left < call.n; left += step, first += step) {
        __syncthreads();
        if (first < call.n) limbs_linearize(&x, first, first + step);
    }
}

typedef void kernel_function(const cuda_call);

static kernel_function *choose_limbs(const cuda_model *m)
{
    if (m->limbs == 6) return linearize_limbs<3, 6, 8>;
    if (m->limb_joints == 2) return linearize_limbs<2, 4, 4>;
    return m->limb_joints == 3 ? linearize_limbs<3, 4, 4> : linearize_limbs<4, 4, 4>;
}

static kernel_function *choose(const cuda_model *m)
{
    if (m->limb_joints) return choose_limbs(m);
    if (m->trunk) return linearize_trunk;
    if (!m->one) return linearize_shared<0>;
    return m->width == 8 ? linearize_shared<8> : m->width == 16 ? linearize_shared<16> : linearize_shared<32>;
}

extern "C" cudaError_t NAME(kernel_linearize)(const cuda_call *call, const kernel_shape *shape, cudaStream_t stream)
{
    const size_t per_block = (size_t)shape->threads / CUDA_WARP * (size_t)cuda_states_per_warp(&call->model);
    const size_t needed = (call->n + per_block - 1) / per_block;
    if (call->workspace) {
        linearize_global<<<(unsigned)(needed < (size_t)shape->blocks ? needed : (size_t)shape->blocks), shape->threads,
                           0, stream>>>(*call);
        return cudaGetLastError();
    }
    kernel_function *kernel = choose(&call->model);
    cudaError_t fault = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)shape->shared_bytes);
    int resident = 0;
    if (!fault)
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, (const void *)kernel, shape->threads,
                                                              shape->shared_bytes);
    if (fault) return fault;
    const size_t most = (size_t)shape->multiprocessors * (size_t)(resident > 0 ? resident : 1);
    kernel<<<(unsigned)(needed < most ? needed : most), shape->threads, shape->shared_bytes, stream>>>(*call);
    return cudaGetLastError();
}

__global__ static void compute_joints(const __grid_constant__ cuda_joints call)
{
    const size_t state = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (state < call.n) joints_compute(&call, state);
}

__global__ static void compute_tangents(const __grid_constant__ cuda_joints call)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 * (size_t)call.model.nv * call.n) joints_tangent(&call, i);
}

extern "C" cudaError_t NAME(kernel_joints)(const cuda_joints *call, int tangent, cudaStream_t stream)
{
    const size_t threads = tangent ? 3 * (size_t)call->model.nv * call->n : call->n;
    const size_t blocks = (threads + KERNEL_THREADS - 1) / KERNEL_THREADS;
    if (blocks > 2147483647u) return cudaErrorInvalidConfiguration;
    if (tangent)
        compute_tangents<<<(unsigned)blocks, KERNEL_THREADS, 0, stream>>>(*call);
    else
        compute_joints<<<(unsigned)blocks, KERNEL_THREADS, 0, stream>>>(*call);
    return cudaGetLastError();
}
