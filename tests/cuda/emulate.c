/* The kernel of the GPU on the host, for one type of number; compiled for each. See emulator.h and device_emulated.c. */
#include "emulate.h"

#include <stdlib.h>

#include "cuda/held_write.h"
#include "cuda/joints.h"
#include "cuda/limbs_write.h"

#define NAME2(a, b) a##b
#define NAME(a, b)  NAME2(a, b)

typedef struct warp {
    const cuda_call *call;
    num *memory;
    size_t index, count; /* this warp, and how many there are */
    int general;
} warp;

/* as run_warp of kernel.cu */
static void run_lane(void *argument, int l)
{
    const warp *w = argument;
    const cuda_model *m = &w->call->model;
    const size_t per_warp = (size_t)cuda_states_per_warp(m), group = (size_t)(l / m->width);
    num *work = w->memory + group * (size_t)m->state_numbers;
    const lane_kernel kernel = {m->width, m->one && w->general < 2, m->trunk};
    lane_state s = lanes_begin(w->call, work, l % m->width, kernel);
    for (size_t first = w->index * per_warp; first < w->call->n; first += w->count * per_warp) {
        if (m->trunk) lanes_prefetch(&s, first + w->count);
        lanes_linearize(&s, first + group);
    }
}

/* as linearize_limbs of kernel.cu */
static void run_limb(void *argument, int l)
{
    const warp *w = argument;
    const cuda_model *m = &w->call->model;
    const size_t per_warp = (size_t)(CUDA_WARP / m->limb_width);
    num *memory = w->memory + m->block_numbers;
    limb_lane x = limbs_begin(w->call, w->memory, memory, l, m->limb_width, m->limb_joints, m->limbs);
    limbs_table(w->call, w->memory, l, CUDA_WARP); /* a warp alone needs no barrier before that of its inputs */
    limbs_fetch(&x, w->index * per_warp);
    for (size_t first = w->index * per_warp; first < w->call->n; first += w->count * per_warp)
        limbs_linearize(&x, first, first + w->count * per_warp);
}

int NAME(emulate_linearize_, HML_TYPE)(const cuda_call *call, size_t warps, const emulator_options *options)
{
    cuda_call chosen = *call;
    if (options->general) chosen.model.limb_joints = chosen.model.block_numbers = chosen.model.trunk = 0;
    const size_t shared = (size_t)chosen.model.block_numbers;
    const size_t bytes = (shared + cuda_warp_numbers(&chosen.model)) * sizeof(num);
    char *memory = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
    if (!memory) return 0;
    for (size_t i = 0; i < warps; i++) {
        warp w = {&chosen, (num *)(memory + options->shift), i, warps, options->general};
        emulator_warp(chosen.model.limb_joints ? run_limb : run_lane, &w, memory + options->shift, bytes);
    }
    free(memory);
    return 1;
}

/* ---- motion.h and held.h ---- */

typedef struct motion_warp {
    const cuda_call *call;
    const cuda_motion *motion; /* or */
    const cuda_held *held;
    num *memory;
    size_t index, count;
} motion_warp;

/* as compute_motion and compute_held of motion.cu */
static void run_motion(void *argument, int l)
{
    const motion_warp *w = argument;
    const cuda_model *m = &w->call->model;
    const size_t per_warp = (size_t)(CUDA_WARP / m->width), group = (size_t)(l / m->width);
    num *work = w->memory + group * (size_t)m->state_numbers;
    lane_state s = motion_begin(w->call, work, l % m->width);
    lane_held x = {.h = NULL};
    if (w->held) x = held_begin(w->held, work, l % m->width);
    for (size_t first = w->index * per_warp; first < w->call->n; first += w->count * per_warp) {
        if (w->held)
            lanes_held(&x, first + group);
        else
            lanes_motion(&s, w->motion, first + group);
    }
}

static int run_motions(motion_warp w, size_t warps, const emulator_options *options)
{
    const size_t bytes = cuda_warp_numbers(&w.call->model) * sizeof(num);
    char *memory = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
    if (!memory) return 0;
    w.memory = (num *)(memory + options->shift), w.count = warps;
    for (w.index = 0; w.index < warps; w.index++) emulator_warp(run_motion, &w, memory + options->shift, bytes);
    free(memory);
    return 1;
}

int NAME(emulate_motion_, HML_TYPE)(const cuda_motion *motion, size_t warps, const emulator_options *options)
{
    return run_motions((motion_warp){.call = &motion->call, .motion = motion}, warps, options);
}

int NAME(emulate_held_, HML_TYPE)(const cuda_held *held, size_t warps, const emulator_options *options)
{
    return run_motions((motion_warp){.call = &held->call, .held = held}, warps, options);
}

void NAME(emulate_joints_, HML_TYPE)(const cuda_joints *call, int tangent)
{
    const size_t threads = tangent ? 3 * (size_t)call->model.nv * call->n : call->n;
    for (size_t i = threads; i-- > 0;) {
        if (tangent)
            joints_tangent(call, i);
        else
            joints_compute(call, i);
    }
}
