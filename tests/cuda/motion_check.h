/*
 * Inverse dynamics, M, frames and held feet of a device beside the CPU, state by state: shared by the test in the
 * emulator and the one on a GPU. Errors are relative to the largest entry of an output.
 */
#ifndef HML_TESTS_CUDA_MOTION_CHECK_H
#define HML_TESTS_CUDA_MOTION_CHECK_H

#include "cuda_check.h"

/* an output of the device: where it is there, and its numbers per state */
typedef struct device_output {
    void *there;
    size_t size;
    double *here;
} device_output;

static inline device_output output_new(hml_cuda_batch *batch, hml_cuda_type type, size_t n, size_t size)
{
    device_output o = {NULL, size, numbers(n * size)};
    for (size_t i = 0; i < n * size; i++) o.here[i] = 7;
    o.there = send(batch, type, o.here, n * size);
    return o;
}

static inline void output_fetch(hml_cuda_batch *batch, hml_cuda_type type, size_t n, device_output *o)
{
    receive(batch, type, o->there, o->here, n * o->size);
    hml_cuda_release(batch, o->there);
    o->there = NULL;
}

/* the largest difference of state i from `want`, of the largest entry */
static inline double output_error(const device_output *o, size_t i, const double *want)
{
    double largest = 1e-300, error = 0;
    for (size_t j = 0; j < o->size; j++) {
        const double d = fabs(o->here[i * o->size + j] - want[j]);
        largest = fmax(largest, fabs(want[j]));
        if (!(d <= error)) error = isnan(d) ? INFINITY : d;
    }
    return error / fmax(largest, 1e-6);
}

static inline void keep_worst(double *worst, double error)
{
    if (!(error <= *worst)) *worst = error;
}

/* the inputs of states on the device; statuses behind them */
typedef struct device_inputs {
    void *q, *v, *tau, *wrenches, *status;
} device_inputs;

static inline device_inputs inputs_send(const cuda_states *s, hml_cuda_batch *batch, hml_cuda_type type)
{
    device_inputs in = {send(batch, type, s->q, s->n * s->nq), send(batch, type, s->v, s->n * s->nv),
                        send(batch, type, s->tau, s->n * s->nv), NULL, NULL};
    if (s->wrenches) in.wrenches = send(batch, type, s->wrenches, s->n * s->nw);
    if (hml_cuda_allocate(batch, (s->n + 1) * sizeof(int32_t), &in.status, NULL)) abort();
    return in;
}

static inline void inputs_release(cuda_states *s, hml_cuda_batch *batch, const device_inputs *in)
{
    void *const all[] = {in->q, in->v, in->tau, in->wrenches, in->status};
    if (hml_cuda_download(batch, s->status, in->status, s->n * sizeof(int32_t), NULL)) abort();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hml_cuda_release(batch, all[k]);
}

static inline hml_work *work_of(const hml_model *model)
{
    hml_work *work = NULL;
    if (hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work)) abort();
    return work;
}

/* ---- inverse dynamics and M; τ of the states is taken as ν̇ ---- */

static inline double check_dynamics(cuda_states *s, hml_cuda_batch *batch, hml_cuda_type type)
{
    const size_t nv = s->nv;
    const device_inputs in = inputs_send(s, batch, type);
    device_output torque = output_new(batch, type, s->n, nv), M = output_new(batch, type, s->n, nv * nv);
    const hml_cuda_dynamics_arguments a = {.struct_size = sizeof a,
                                           .q = {in.q, s->nq},
                                           .v = {in.v, nv},
                                           .a = {in.tau, nv},
                                           .wrenches = {in.wrenches, s->nw},
                                           .torque = {.data = torque.there},
                                           .M = {.data = M.there},
                                           .status = in.status};
    if (hml_cuda_dynamics(batch, s->n, &a, NULL) || hml_cuda_wait(batch, NULL, NULL)) return INFINITY;
    inputs_release(s, batch, &in);
    output_fetch(batch, type, s->n, &torque), output_fetch(batch, type, s->n, &M);
    hml_work *work = work_of(s->model);
    double *want = numbers(nv), *mass = numbers(nv * nv), worst = 0;
    for (size_t i = 0; i < s->n; i++) {
        const hml_dynamics_states one = {.struct_size = sizeof one,
                                         .q = {s->q + i * s->nq, 0},
                                         .v = {s->v + i * nv, 0},
                                         .a = {s->tau + i * nv, 0},
                                         .wrenches = {s->wrenches ? s->wrenches + i * s->nw : NULL, 0},
                                         .torque = {.data = want},
                                         .M = {.data = mass}};
        const hml_status status = hml_dynamics_batch(s->model, work, 1, &one, NULL);
        if ((hml_status)s->status[i] != status) worst = INFINITY;
        if (status) continue;
        keep_worst(&worst, output_error(&torque, i, want));
        keep_worst(&worst, output_error(&M, i, mass));
    }
    hml_work_free(work);
    free(want), free(mass), free(torque.here), free(M.here);
    return worst;
}

/* ---- frames ---- */

static inline double check_frames(cuda_states *s, hml_cuda_batch *batch, hml_cuda_type type,
                                  hml_representation representation)
{
    const size_t nv = s->nv, count = (size_t)hml_model_nframes(s->model);
    const device_inputs in = inputs_send(s, batch, type);
    device_output pose = output_new(batch, type, s->n, 16 * count), J = output_new(batch, type, s->n, 6 * nv * count);
    device_output twist = output_new(batch, type, s->n, 6 * count);
    const hml_cuda_kinematics_arguments a = {.struct_size = sizeof a,
                                             .count = (int32_t)count,
                                             .representation = representation,
                                             .q = {in.q, s->nq},
                                             .v = {in.v, nv},
                                             .pose = {.data = pose.there},
                                             .J = {.data = J.there},
                                             .twist = {.data = twist.there},
                                             .status = in.status};
    if (hml_cuda_kinematics(batch, s->n, &a, NULL) || hml_cuda_wait(batch, NULL, NULL)) return INFINITY;
    inputs_release(s, batch, &in);
    output_fetch(batch, type, s->n, &pose), output_fetch(batch, type, s->n, &J);
    output_fetch(batch, type, s->n, &twist);
    hml_work *work = work_of(s->model);
    double *H = numbers(16 * count), *columns = numbers(6 * nv * count), *V = numbers(6 * count), worst = 0;
    for (size_t i = 0; i < s->n; i++) {
        hml_status status = HML_OK;
        for (size_t k = 0; k < count && !status; k++) {
            const hml_frame_motion one = {
                .struct_size = sizeof one, .pose = H + 16 * k, .J = columns + 6 * nv * k, .twist = V + 6 * k};
            status = hml_frame(s->model, work, (int32_t)k, representation, s->q + i * s->nq, s->v + i * nv, NULL, &one);
        }
        if ((hml_status)s->status[i] != status) worst = INFINITY;
        if (status) continue;
        keep_worst(&worst, output_error(&pose, i, H));
        keep_worst(&worst, output_error(&J, i, columns));
        keep_worst(&worst, output_error(&twist, i, V));
    }
    hml_work_free(work);
    free(H), free(columns), free(V), free(pose.here), free(J.here), free(twist.here);
    return worst;
}

/* ---- held feet ---- */

enum { HELD_OUTPUTS = 10 };

static inline int32_t parent_of(const hml_model *model, int32_t body)
{
    hml_body_info info = {.struct_size = sizeof info};
    if (hml_model_body(model, body, &info)) abort();
    return info.parent;
}

/* up to `most` holds of frames that no other of them carries, kinds in turns: the leaves, from the last body on */
static inline int32_t draw_holds(const hml_model *model, int32_t most, unsigned kinds, double gain,
                                 hml_constraint *items)
{
    const int32_t bodies = hml_model_nbodies(model);
    int32_t n = 0;
    for (int32_t i = bodies - 1; i >= 0 && n < most; i--) {
        int leaf = 1;
        for (int32_t k = i + 1; k < bodies; k++) leaf &= parent_of(model, k) != i;
        if (!leaf) continue;
        hml_constraint c = {.kind = kinds >> n % 2 & 1 ? HML_HOLD_FRAME : HML_HOLD_POINT, .frame = i};
        if (gain > 0) {
            c.damping = 3 * gain, c.stiffness = n % 2 ? gain : 0;
            const double pose[16] = {1, 0, 0, 0.3, 0, 0, -1, 0.2, 0, 1, 0, -0.1, 0, 0, 0, 1};
            memcpy(c.pose, pose, sizeof pose);
        }
        items[n++] = c;
    }
    return n;
}

static inline void held_sizes(size_t nv, size_t m, size_t sizes[HELD_OUTPUTS])
{
    const size_t all[HELD_OUTPUTS] = {nv,     m,      nv * nv, nv * nv,     nv * nv,
                                      m * nv, m * nv, m * nv,  4 * nv * nv, 2 * nv * nv};
    memcpy(sizes, all, sizeof all);
}

/* one state on the CPU, every output into `want` */
static inline hml_status held_one(const cuda_states *s, hml_work *work, const hml_constraints *set, double *scratch,
                                  size_t i, double *want[HELD_OUTPUTS])
{
    const hml_constrained_linearization one = {.struct_size = sizeof one,
                                               .q = s->q + i * s->nq,
                                               .v = s->v + i * s->nv,
                                               .tau = s->tau + i * s->nv,
                                               .wrenches = s->wrenches ? s->wrenches + i * s->nw : NULL,
                                               .acceleration = want[0],
                                               .lambda = want[1],
                                               .Dq = want[2],
                                               .Dv = want[3],
                                               .Dtau = want[4],
                                               .lambda_q = want[5],
                                               .lambda_v = want[6],
                                               .lambda_tau = want[7],
                                               .A = want[8],
                                               .B = want[9]};
    return hml_constrained_linearize(s->model, work, set, scratch, &one);
}

/* the worst error of the wanted outputs (a bit each); states that the device leaves to the CPU are counted in *left */
static inline double check_held(cuda_states *s, hml_cuda_batch *batch, hml_cuda_type type, const hml_constraints *set,
                                unsigned wanted, size_t *left, hml_error *error)
{
    size_t sizes[HELD_OUTPUTS];
    hml_cuda_holds *holds = NULL;
    device_output out[HELD_OUTPUTS];
    double *want[HELD_OUTPUTS], worst = 0;
    if (hml_cuda_holds_new(batch, set, &holds, error)) return INFINITY;
    held_sizes(s->nv, (size_t)hml_constraint_rows(set), sizes);
    const device_inputs in = inputs_send(s, batch, type);
    for (int k = 0; k < HELD_OUTPUTS; k++) {
        out[k] = output_new(batch, type, s->n, sizes[k]);
        want[k] = numbers(sizes[k]);
    }
#define WANTED(k)                                                                                                      \
    {                                                                                                                  \
        .data = wanted & 1u << (k) ? out[k].there : NULL                                                               \
    }
    const hml_cuda_constrained a = {.struct_size = sizeof a,
                                    .q = {in.q, s->nq},
                                    .v = {in.v, s->nv},
                                    .tau = {in.tau, s->nv},
                                    .wrenches = {in.wrenches, s->nw},
                                    .acceleration = WANTED(0),
                                    .lambda = WANTED(1),
                                    .Dq = WANTED(2),
                                    .Dv = WANTED(3),
                                    .Dtau = WANTED(4),
                                    .lambda_q = WANTED(5),
                                    .lambda_v = WANTED(6),
                                    .lambda_tau = WANTED(7),
                                    .A = WANTED(8),
                                    .B = WANTED(9),
                                    .status = in.status};
#undef WANTED
    const hml_status called = hml_cuda_constrained_linearize(holds, s->n, &a, error);
    if (called || hml_cuda_wait(batch, NULL, error)) worst = INFINITY;
    inputs_release(s, batch, &in);
    for (int k = 0; k < HELD_OUTPUTS; k++) output_fetch(batch, type, s->n, &out[k]);
    hml_work *work = work_of(s->model);
    double *scratch = numbers(hml_constraint_scratch_doubles(s->model, set));
    for (size_t i = 0; i < s->n; i++) {
        const hml_status status = held_one(s, work, set, scratch, i, want);
        const int is_left = s->status[i] == HML_UNSUPPORTED;
        *left += (size_t)is_left;
        if (!is_left && (hml_status)s->status[i] != status) worst = INFINITY;
        for (int k = 0; k < HELD_OUTPUTS; k++) {
            if (!(wanted & 1u << k)) continue;
            if (!s->status[i]) keep_worst(&worst, output_error(&out[k], i, want[k]));
            if (s->status[i] && !isnan(out[k].here[i * sizes[k]])) worst = INFINITY;
        }
    }
    hml_work_free(work), hml_cuda_holds_free(holds);
    free(scratch);
    for (int k = 0; k < HELD_OUTPUTS; k++) free(out[k].here), free(want[k]);
    return worst;
}

#endif
