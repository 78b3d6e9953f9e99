/* The emulated kernels, and what the device that emulates a GPU shall do next. */
#ifndef HML_TESTS_CUDA_EMULATE_H
#define HML_TESTS_CUDA_EMULATE_H

#include "cuda/call.h"
#include "emulator.h"

/* a batch on so many warps; 0: out of memory */
int emulate_linearize_f32(const cuda_call *call, size_t warps, const emulator_options *options);
int emulate_linearize_f64(const cuda_call *call, size_t warps, const emulator_options *options);

/* the same of motion.h and held.h */
int emulate_motion_f32(const cuda_motion *motion, size_t warps, const emulator_options *options);
int emulate_motion_f64(const cuda_motion *motion, size_t warps, const emulator_options *options);
int emulate_held_f32(const cuda_held *held, size_t warps, const emulator_options *options);
int emulate_held_f64(const cuda_held *held, size_t warps, const emulator_options *options);

/* joints.h, thread by thread */
void emulate_joints_f32(const cuda_joints *call, int tangent);
void emulate_joints_f64(const cuda_joints *call, int tangent);

/* how the emulated device runs, and what it has seen since the options were set */
void emulated_device_set(const emulator_options *options);
const emulator_report *emulated_device_report(void);

#endif
