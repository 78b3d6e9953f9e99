/*
 * libhamel-cuda: linearizations of very many states on a GPU of NVIDIA. A library of its own, on top of the core, which
 * never needs it; built with the option HAMEL_CUDA of CMake. See docs/gpu.md.
 *
 *   hml_cuda_device            which GPU there is, or a sentence that says what is missing
 *   hml_cuda_batch_new         a model on a GPU, in float or double
 *   hml_cuda_linearize         ν̇, D_q, D_ν, M⁻¹, A, B of n states whose arrays are on the GPU
 *   hml_cuda_dynamics          τ and M of n states
 *   hml_cuda_kinematics        poses, Jacobians and twists of bodies and frames
 *   hml_cuda_constrained_linearize   ν̇, λ, and their derivatives, of n states under the same holds
 *   hml_cuda_step              a step of semi-implicit Euler of n states, and its exact Jacobians
 *   hml_cuda_rollout           many steps, without coming back from the GPU
 *   hml_cuda_integrate, hml_cuda_difference   q ⊕ v and q₁ ⊖ q₀ of n states
 *   hml_cuda_linearize_host, …   the same functions on arrays of the host
 *   hml_cuda_xla               the same functions for programs that XLA, the compiler of JAX, has compiled
 *   hml_cuda_allocate, …       memory of the GPU, copies, waiting: for programs that have nothing else for that
 *
 * Conventions, outputs and statuses of states are those of hml_linearize_batch (linearize.h). Arrays are those of the
 * GPU, of the batch's type, row-major; strides and leading dimensions count numbers. Calls return as soon as the work is
 * in the stream; what a state's status says is known when the stream has come there. Results do not depend on n or on
 * where in the batch a state is, and are the same from run to run.
 *
 * A batch may be used by one stream at a time. Streams are cudaStream_t as pointers; NULL is the default stream.
 */
#ifndef HAMEL_CUDA_H
#define HAMEL_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/constraint.h"
#include "hamel/model.h"

/* what numbers are; the value is their size in bytes */
typedef enum hml_cuda_type { HML_CUDA_FLOAT32 = 4, HML_CUDA_FLOAT64 = 8 } hml_cuda_type;

typedef struct hml_cuda_device_info {
    size_t struct_size;
    char name[256];
    int32_t multiprocessors;
    int32_t capability; /* 10 · major + minor */
    size_t memory;      /* bytes */
    size_t memory_free; /* bytes that nobody uses now */
} hml_cuda_device_info;

/* device: counted from 0. HML_NOT_FOUND and a sentence where there is no driver or no such GPU */
HML_API hml_status hml_cuda_device(int device, hml_cuda_device_info *info, hml_error *error);

/* ---- a model on a GPU ---- */

typedef struct hml_cuda_batch hml_cuda_batch;

/*
 * HML_UNSUPPORTED and a sentence where the model has joints that follow others. The model may be freed afterwards.
 * error may be NULL.
 */
HML_API hml_status hml_cuda_batch_new(const hml_model *model, hml_cuda_type type, int device, hml_cuda_batch **batch,
                                      hml_error *error);
/* the same from a block of hml_model_data, for programs that have a copy of the core of their own */
HML_API hml_status hml_cuda_batch_from_data(const void *data, size_t size, hml_cuda_type type, int device,
                                            hml_cuda_batch **batch, hml_error *error);
HML_API void hml_cuda_batch_free(hml_cuda_batch *batch);

/* ---- linearization ---- */

/* data NULL: zeros. stride: numbers from one state to the next; 0: the same for all */
typedef struct hml_cuda_input {
    const void *data;
    size_t stride;
} hml_cuda_input;

/* data NULL: not wanted. ld and stride 0: packed */
typedef struct hml_cuda_output {
    void *data;
    size_t ld, stride;
} hml_cuda_output;

typedef struct hml_cuda_linearization {
    size_t struct_size;
    hml_cuda_input q, v, tau, wrenches; /* tau and wrenches may be NULL: zero */
    hml_cuda_output acceleration;       /* nv */
    hml_cuda_output Dq, Dv, Minv;       /* nv × nv */
    hml_cuda_output A;                  /* 2nv × 2nv: [ −ad_ν  I ; D_q  D_ν ] */
    hml_cuda_output B;                  /* 2nv × nv: [ 0 ; M⁻¹ ] */
    int32_t *status;                    /* n: an hml_status per state; NULL: not wanted */
    void *stream;
} hml_cuda_linearization;

/* A state that fails becomes NaN and does not affect the others. The return value is about the call, not the states */
HML_API hml_status hml_cuda_linearize(hml_cuda_batch *batch, size_t n, const hml_cuda_linearization *arguments,
                                      hml_error *error);

/* ---- dynamics and frames ---- */

/* M ν̇ + h: inverse dynamics of a; and M. ν̇ and M⁻¹ are those of hml_cuda_linearize */
typedef struct hml_cuda_dynamics_arguments {
    size_t struct_size;
    hml_cuda_input q, v, a, wrenches; /* v, a and wrenches may be NULL: zero */
    hml_cuda_output torque;           /* nv */
    hml_cuda_output M;                /* nv × nv */
    int32_t *status;                  /* n: an hml_status per state; NULL: not wanted */
    void *stream;
} hml_cuda_dynamics_arguments;

HML_API hml_status hml_cuda_dynamics(hml_cuda_batch *batch, size_t n, const hml_cuda_dynamics_arguments *arguments,
                                     hml_error *error);

/*
 * As hml_frame (kinematics.h), of `count` frames: frames[0] … of the host's memory, 64 at most, or frames 0, 1, …, which
 * begin with the bodies, where frames is NULL. ν of J and of the twist is left-trivialized.
 */
typedef struct hml_cuda_kinematics_arguments {
    size_t struct_size;
    const int32_t *frames;
    int32_t count;
    hml_representation representation; /* of J and the twist */
    hml_cuda_input q, v;               /* v may be NULL: at rest */
    hml_cuda_output pose;              /* count × 16, as one row */
    hml_cuda_output J;                 /* (count · 6) × nv */
    hml_cuda_output twist;             /* count × 6, as one row */
    int32_t *status;
    void *stream;
} hml_cuda_kinematics_arguments;

HML_API hml_status hml_cuda_kinematics(hml_cuda_batch *batch, size_t n, const hml_cuda_kinematics_arguments *arguments,
                                       hml_error *error);

/* ---- held feet ---- */

/*
 * Frames and points that the world holds (constraint.h), the same for all states, 16 at most; with memory of the GPU for
 * some ten thousand states at a time, at most 256 MiB. Planes, one-sided rows and loops are HML_UNSUPPORTED, with a sentence.
 * The batch must outlive it; one stream at a time.
 */
typedef struct hml_cuda_holds hml_cuda_holds;

HML_API hml_status hml_cuda_holds_new(hml_cuda_batch *batch, const hml_constraints *constraints, hml_cuda_holds **holds,
                                      hml_error *error);
HML_API void hml_cuda_holds_free(hml_cuda_holds *holds);

/*
 * As hml_constrained_linearize_batch. Where rows depend on each other, or nearly, the CPU decides about their rank: here
 * such a state is NaN and has HML_UNSUPPORTED as its status. Without matrices among the outputs it is forward dynamics.
 */
typedef struct hml_cuda_constrained {
    size_t struct_size;
    hml_cuda_input q, v, tau, wrenches;             /* tau and wrenches may be NULL: zero */
    hml_cuda_output acceleration;                   /* nv */
    hml_cuda_output lambda;                         /* m */
    hml_cuda_output Dq, Dv, Dtau;                   /* nv × nv */
    hml_cuda_output lambda_q, lambda_v, lambda_tau; /* m × nv */
    hml_cuda_output A;                              /* 2nv × 2nv */
    hml_cuda_output B;                              /* 2nv × nv */
    int32_t *status;
    void *stream;
} hml_cuda_constrained;

HML_API hml_status hml_cuda_constrained_linearize(hml_cuda_holds *holds, size_t n,
                                                  const hml_cuda_constrained *arguments, hml_error *error);

/* ---- steps ---- */

/*
 * As hml_step with HML_SCHEME_EULER: ν⁺ = ν + h a, q⁺ = q ⊕ h ν⁺, where dampers and springs act at the end of the step.
 * HML_UNSUPPORTED and a sentence for springs on joints with several coordinates that do not commute. Forward dynamics alone:
 * hml_cuda_linearize with acceleration alone.
 */
typedef struct hml_cuda_step_arguments {
    size_t struct_size;
    double h;
    hml_cuda_input q, v, tau;       /* tau may be NULL: zero */
    hml_cuda_output q_next, v_next; /* nq and nv; not q and v */
    hml_cuda_output Ad, Bd;         /* 2nv × 2nv and 2nv × nv; both or neither */
    int32_t *status;                /* n: an hml_status per state; NULL: not wanted */
    void *stream;
} hml_cuda_step_arguments;

HML_API hml_status hml_cuda_step(hml_cuda_batch *batch, size_t n, const hml_cuda_step_arguments *arguments,
                                 hml_error *error);

/*
 * `steps` of them: state i after step k is at q + (k·n + i)·nq and v + (k·n + i)·nv, packed; k = 0 is given, the others are
 * written. tau: that of step k is at tau.data + k·tau_step numbers. status: that of the last step; a state that has failed
 * stays NaN.
 */
typedef struct hml_cuda_rollout_arguments {
    size_t struct_size;
    double h;
    size_t steps;
    void *q, *v;        /* (steps + 1) · n states */
    hml_cuda_input tau; /* NULL: zero */
    size_t tau_step;    /* 0: held over all steps */
    int32_t *status;
    void *stream;
} hml_cuda_rollout_arguments;

HML_API hml_status hml_cuda_rollout(hml_cuda_batch *batch, size_t n, const hml_cuda_rollout_arguments *arguments,
                                    hml_error *error);

/* ---- configurations ---- */

typedef struct hml_cuda_configurations {
    size_t struct_size;
    hml_cuda_input q, other; /* other: v of q ⊕ v, or q₁ of q₁ ⊖ q, from q₀ = q */
    hml_cuda_output result;  /* nq or nv */
    int32_t *status;
    void *stream;
} hml_cuda_configurations;

HML_API hml_status hml_cuda_integrate(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                      hml_error *error);
HML_API hml_status hml_cuda_difference(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                       hml_error *error);

/* ---- arrays of the host ---- */

/*
 * The same functions on arrays of the host. States go to the GPU and back in chunks, through 48 MiB of pinned memory that the
 * batch keeps from the first such call on, while others are computed. Results are there on return; the work begins after what is
 * in the stream. Inputs and outputs must not overlap each other.
 */
HML_API hml_status hml_cuda_linearize_host(hml_cuda_batch *batch, size_t n, const hml_cuda_linearization *arguments,
                                           hml_error *error);
HML_API hml_status hml_cuda_dynamics_host(hml_cuda_batch *batch, size_t n, const hml_cuda_dynamics_arguments *arguments,
                                          hml_error *error);
HML_API hml_status hml_cuda_kinematics_host(hml_cuda_batch *batch, size_t n,
                                            const hml_cuda_kinematics_arguments *arguments, hml_error *error);
HML_API hml_status hml_cuda_constrained_linearize_host(hml_cuda_holds *holds, size_t n,
                                                       const hml_cuda_constrained *arguments, hml_error *error);
HML_API hml_status hml_cuda_step_host(hml_cuda_batch *batch, size_t n, const hml_cuda_step_arguments *arguments,
                                      hml_error *error);
HML_API hml_status hml_cuda_integrate_host(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                           hml_error *error);
HML_API hml_status hml_cuda_difference_host(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                            hml_error *error);

/* ---- XLA, the compiler of JAX ---- */

/*
 * A handler of XLA's typed FFI (XLA_FFI_Handler: it takes an XLA_FFI_CallFrame and returns an XLA_FFI_Error, or NULL), for
 * the platform CUDA. It puts its work into XLA's stream and waits for nothing. Its attributes are
 *
 *   function   a string; n states each, of any leading dimensions, packed
 *              forward_dynamics            q, v, τ → ν̇
 *              linearize                   q, v, τ → ν̇, D_q, D_ν, M⁻¹
 *              step                        q, v, τ → q⁺, v⁺
 *              step_linearize              q, v, τ → q⁺, v⁺, A_d, B_d
 *              inverse_dynamics            q, v, a → τ
 *              inverse_dynamics_and_mass   q, v, a → τ, M
 *   key        int64: of the batch, below
 *   h          double: of steps
 */
HML_API void *hml_cuda_xla(void *call_frame);

/*
 * From now on the handler finds the batch under a key, until it is freed. Two robots must not have the same key, and a robot
 * should have the same in every process, because XLA keeps compiled programs: a hash of hml_model_data will do.
 */
HML_API hml_status hml_cuda_xla_offer(hml_cuda_batch *batch, uint64_t key, hml_error *error);

/* ---- memory ---- */

HML_API hml_status hml_cuda_allocate(hml_cuda_batch *batch, size_t bytes, void **memory, hml_error *error);
HML_API void hml_cuda_release(hml_cuda_batch *batch, void *memory);

/* to the GPU and back; both return when it is done */
HML_API hml_status hml_cuda_upload(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, hml_error *error);
HML_API hml_status hml_cuda_download(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, hml_error *error);

/* from one place of the GPU to another, in the stream */
HML_API hml_status hml_cuda_copy(hml_cuda_batch *batch, void *to, const void *from, size_t bytes, void *stream,
                                 hml_error *error);

/* waits for everything in the stream; errors of the kernels come to light here */
HML_API hml_status hml_cuda_wait(hml_cuda_batch *batch, void *stream, hml_error *error);

#endif
