/* What a device does for batch.c: one implementation for GPUs (device.cu), one that emulates them (the tests). */
#ifndef HML_CUDA_DEVICE_H
#define HML_CUDA_DEVICE_H

#include "cuda/call.h"
#include "hamel/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

hml_status hmli_device_find(int device, hml_cuda_device_info *info, hml_error *error);
hml_status hmli_device_allocate(int device, size_t bytes, void **memory, hml_error *error);
void hmli_device_release(int device, void *memory);

/* 1 where kernels read the memory of the host, as the emulated device does */
int hmli_device_is_host(void);

hml_status hmli_device_copy(int device, void *to, const void *from, size_t bytes, int to_device, hml_error *error);
hml_status hmli_device_copy_within(int device, void *to, const void *from, size_t bytes, void *stream,
                                   hml_error *error);
hml_status hmli_device_wait(int device, void *stream, hml_error *error);

/* memory of the host that the device reads and writes by itself, for copies that do not wait */
hml_status hmli_device_stage(int device, size_t bytes, void **memory, hml_error *error);
void hmli_device_unstage(int device, void *memory);
hml_status hmli_device_copy_in_stream(int device, void *to, const void *from, size_t bytes, int to_device, void *stream,
                                      hml_error *error);

/* streams that wait for no other, unless they follow it: what is put into `then` from now on begins after all in `first` */
hml_status hmli_device_stream_new(int device, void **stream, hml_error *error);
void hmli_device_stream_free(int device, void *stream);
hml_status hmli_device_follow(int device, void *first, void *then, hml_error *error);

/* work(context, part, parts) for every part, by several threads of the host; at most `most` parts */
void hmli_device_share(void (*work)(const void *context, int part, int parts), const void *context, int most);

/* bytes of workspace in global memory that the kernels need; 0 where it fits the multiprocessors */
size_t hmli_device_workspace(int device, int type, const cuda_model *model);

hml_status hmli_device_linearize(int device, int type, const cuda_call *call, void *stream, hml_error *error);

/* joints.h; tangent: the Jacobians of a step, after the step itself */
hml_status hmli_device_joints(int device, int type, const cuda_joints *call, int tangent, void *stream,
                              hml_error *error);

/* motion.h and held.h */
hml_status hmli_device_motion(int device, int type, const cuda_motion *motion, void *stream, hml_error *error);
hml_status hmli_device_held(int device, int type, const cuda_held *held, void *stream, hml_error *error);

#ifdef __cplusplus
}
#endif

#endif
