/* How device.cu starts the kernels of kernel.cu. */
#ifndef HML_CUDA_KERNEL_H
#define HML_CUDA_KERNEL_H

#include <cuda_runtime.h>

#include "cuda/call.h"

enum { KERNEL_THREADS = 128 }; /* of a block, at most */

typedef struct kernel_shape {
    int threads, blocks; /* blocks: as many as there are workspaces, where these are in the GPU's memory */
    int multiprocessors;
    size_t shared_bytes; /* of a block */
} kernel_shape;

extern "C" cudaError_t kernel_linearize_f32(const cuda_call *call, const kernel_shape *shape, cudaStream_t stream);
extern "C" cudaError_t kernel_linearize_f64(const cuda_call *call, const kernel_shape *shape, cudaStream_t stream);

/* joints.h; tangent: that of a step, after the step itself */
extern "C" cudaError_t kernel_joints_f32(const cuda_joints *call, int tangent, cudaStream_t stream);
extern "C" cudaError_t kernel_joints_f64(const cuda_joints *call, int tangent, cudaStream_t stream);

/* motion.h and held.h */
extern "C" cudaError_t kernel_motion_f32(const cuda_motion *motion, const kernel_shape *shape, cudaStream_t stream);
extern "C" cudaError_t kernel_motion_f64(const cuda_motion *motion, const kernel_shape *shape, cudaStream_t stream);
extern "C" cudaError_t kernel_held_f32(const cuda_held *held, const kernel_shape *shape, cudaStream_t stream);
extern "C" cudaError_t kernel_held_f64(const cuda_held *held, const kernel_shape *shape, cudaStream_t stream);

#endif
