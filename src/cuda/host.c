/*
 * The functions of hamel/cuda.h on arrays of the host. States go in chunks through slots: memory of the host that the GPU
 * reads and writes by itself, and memory of the GPU of the same layout. A slot has a stream for its copies; kernels have
 * one for all slots, since they share the workspace of the batch. While a chunk is computed, others travel to the GPU and
 * back, and the processor copies between slots and the caller's arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "cuda/batch.h"

enum { SLOTS = 3, ALIGNMENT = 256, FIELDS = 16 };
enum { SLOT_BYTES = 16 << 20, PART_BYTES = 1 << 20 }; /* a part: what is worth a thread of its own */

typedef struct slot {
    void *staging, *device, *stream;
    size_t bytes;
    size_t first, count; /* of the states under way; count 0: none */
} slot;

struct cuda_host {
    slot slots[SLOTS];
    void *stream; /* of the kernels */
};

/* an array of the arguments: where the caller has it, and where slots have it. Sizes in bytes */
typedef struct field {
    hml_cuda_input *in; /* one of the three */
    hml_cuda_output *out;
    int32_t **status;
    char *data;
    size_t row, rows, ld, stride; /* of a state, of the caller; stride 0: the same for all */
    size_t at;                    /* in a slot, packed */
} field;

typedef struct transfer {
    hml_cuda_batch *batch;
    size_t n, each; /* states: all, in a slot */
    field fields[FIELDS];
    int count, fit;
    hml_status (*start)(void *handle, size_t n, const void *arguments, hml_error *error);
    void *handle, *arguments;
    void **stream; /* of the arguments */
} transfer;

/* ---- what a call has ---- */

static transfer transfer_of(hml_cuda_batch *batch, size_t n, void *arguments, void **stream, int32_t **status)
{
    transfer t;
    memset(&t, 0, sizeof t);
    t.batch = batch, t.handle = batch, t.n = n, t.fit = 1;
    t.arguments = arguments, t.stream = stream;
    if (*status) {
        const size_t size = sizeof **status;
        t.fields[t.count++] =
            (field){.status = status, .data = (char *)*status, .row = size, .rows = 1, .ld = size, .stride = size};
    }
    return t;
}

static void add_input(transfer *t, hml_cuda_input *in, size_t size)
{
    const size_t type = (size_t)t->batch->type;
    if (!in->data || !size) return;
    t->fields[t->count++] = (field){.in = in,
                                    .data = (char *)(uintptr_t)in->data,
                                    .row = size * type,
                                    .rows = 1,
                                    .ld = size * type,
                                    .stride = in->stride * type};
    in->stride = in->stride ? size : 0;
}

static void add_output(transfer *t, hml_cuda_output *out, size_t rows, size_t columns)
{
    const size_t type = (size_t)t->batch->type;
    cuda_output given;
    t->fit &= output_of(*out, rows, columns, &given);
    if (!out->data || !rows || !columns) return;
    t->fields[t->count++] = (field){.out = out,
                                    .data = out->data,
                                    .row = columns * type,
                                    .rows = rows,
                                    .ld = given.ld * type,
                                    .stride = given.stride * type};
    out->ld = 0, out->stride = 0;
}

static size_t bytes_of(const field *f, size_t states) { return f->row * f->rows * (f->stride ? states : 1); }

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* where the fields of so many states are in a slot; what they need */
static size_t lay_out(transfer *t, size_t states)
{
    size_t at = 0;
    for (int k = 0; k < t->count; k++) t->fields[k].at = at, at += aligned(bytes_of(&t->fields[k], states));
    return at;
}

/* ---- slots ---- */

static void slot_empty(const hml_cuda_batch *batch, slot *s)
{
    hmli_device_unstage(batch->device, s->staging);
    hmli_device_release(batch->device, s->device);
    s->staging = NULL, s->device = NULL, s->bytes = 0;
}

void hmli_cuda_host_free(hml_cuda_batch *batch)
{
    cuda_host *host = batch->host;
    if (!host) return;
    for (int k = 0; k < SLOTS; k++) {
        slot_empty(batch, &host->slots[k]);
        hmli_device_stream_free(batch->device, host->slots[k].stream);
    }
    hmli_device_stream_free(batch->device, host->stream);
    free(host);
    batch->host = NULL;
}

/* slots as large as a call needs them; they stay with the batch */
static hml_status prepare(transfer *t, hml_error *error)
{
    hml_cuda_batch *b = t->batch;
    const size_t least = lay_out(t, 1), two = lay_out(t, 2), wanted = b->slot_bytes ? b->slot_bytes : SLOT_BYTES;
    const size_t bytes = least > wanted ? least : wanted;
    t->each = 1 + (two > least ? (bytes - least) / (two - least) : t->n);
    if (t->each > t->n) t->each = t->n;
    while (t->each > 1 && lay_out(t, t->each) > bytes) t->each--;
    lay_out(t, t->each);
    hml_status status = HML_OK;
    if (!b->host) b->host = calloc(1, sizeof *b->host);
    if (!b->host) return hmli_cuda_fail(error, HML_OUT_OF_MEMORY, hml_status_message(HML_OUT_OF_MEMORY));
    if (!b->host->stream) status = hmli_device_stream_new(b->device, &b->host->stream, error);
    for (int k = 0; k < SLOTS && !status; k++) {
        slot *s = &b->host->slots[k];
        if (!s->stream) status = hmli_device_stream_new(b->device, &s->stream, error);
        if (status || s->bytes >= bytes) continue;
        slot_empty(b, s);
        status = hmli_device_stage(b->device, bytes, &s->staging, error);
        if (!status) status = hmli_device_allocate(b->device, bytes, &s->device, error);
        if (status)
            slot_empty(b, s);
        else
            s->bytes = bytes;
    }
    return status;
}

/* ---- copies within the host ---- */

typedef struct copying {
    const transfer *t;
    const slot *s;
    int inputs; /* into the slot, or results out of it */
} copying;

static void copy_states(const field *f, char *caller, char *staged, size_t n, int inputs)
{
    const size_t size = f->row * f->rows;
    const int packed = f->ld == f->row && f->stride == size;
    const size_t pieces = packed ? 1 : n * f->rows, bytes = packed ? n * size : f->row;
    for (size_t k = 0; k < pieces; k++) {
        char *there = caller + k / f->rows * f->stride + k % f->rows * f->ld, *here = staged + k * f->row;
        memcpy(inputs ? here : there, inputs ? there : here, bytes);
    }
}

/* one of the parts that the states of a slot are divided into */
static void copy_part(const void *context, int part, int parts)
{
    const copying *c = context;
    const size_t from = c->s->count * (size_t)part / (size_t)parts,
                 to = c->s->count * ((size_t)part + 1) / (size_t)parts;
    for (int k = 0; k < c->t->count; k++) {
        const field *f = &c->t->fields[k];
        char *staged = (char *)c->s->staging + f->at;
        if ((f->in != NULL) != c->inputs) continue;
        if (f->stride)
            copy_states(f, f->data + (c->s->first + from) * f->stride, staged + from * f->row * f->rows, to - from,
                        c->inputs);
        else if (part == 0)
            memcpy(staged, f->data, f->row);
    }
}

static void copy_on_host(const transfer *t, const slot *s, int inputs)
{
    const copying c = {t, s, inputs};
    size_t bytes = 0;
    for (int k = 0; k < t->count; k++)
        bytes += (t->fields[k].in != NULL) == inputs ? bytes_of(&t->fields[k], s->count) : 0;
    hmli_device_share(copy_part, &c, (int)(bytes / PART_BYTES) + 1);
}

/* ---- the way of a chunk ---- */

/* between a slot's two memories, in its stream */
static hml_status travel(const transfer *t, const slot *s, int inputs, hml_error *error)
{
    hml_status status = HML_OK;
    for (int k = 0; k < t->count && !status; k++) {
        const field *f = &t->fields[k];
        if ((f->in != NULL) != inputs) continue;
        char *here = (char *)s->staging + f->at, *there = (char *)s->device + f->at;
        status = hmli_device_copy_in_stream(t->batch->device, inputs ? there : here, inputs ? here : there,
                                            bytes_of(f, s->count), inputs, s->stream, error);
    }
    return status;
}

static hml_status send(const transfer *t, const slot *s, hml_error *error)
{
    const int device = t->batch->device;
    void *kernels = t->batch->host->stream;
    copy_on_host(t, s, 1);
    hml_status status = travel(t, s, 1, error);
    if (!status) status = hmli_device_follow(device, s->stream, kernels, error);
    for (int k = 0; k < t->count; k++) {
        const field *f = &t->fields[k];
        void *there = (char *)s->device + f->at;
        if (f->in) f->in->data = there;
        if (f->out) f->out->data = there;
        if (f->status) *f->status = there;
    }
    *t->stream = kernels;
    if (!status) status = t->start(t->handle, s->count, t->arguments, error);
    if (!status) status = hmli_device_follow(device, kernels, s->stream, error);
    return status ? status : travel(t, s, 0, error);
}

/* the results of a slot, once they are there */
static hml_status fetch(const transfer *t, slot *s, hml_error *error)
{
    if (!s->count) return HML_OK;
    const hml_status status = hmli_device_wait(t->batch->device, s->stream, error);
    if (!status) copy_on_host(t, s, 0);
    s->count = 0;
    return status;
}

/* nothing is under way any more when the caller has his arrays back, whatever has failed */
static void abandon(const transfer *t)
{
    cuda_host *host = t->batch->host;
    for (int k = 0; host && k < SLOTS; k++) {
        if (host->slots[k].stream) hmli_device_wait(t->batch->device, host->slots[k].stream, NULL);
        host->slots[k].count = 0;
    }
    if (host && host->stream) hmli_device_wait(t->batch->device, host->stream, NULL);
}

static hml_status pass(transfer *t, hml_error *error)
{
    if (!t->fit)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT,
                              "a leading dimension is smaller than a row, or larger than 2^20");
    if (!t->n || !t->count) return t->start(t->handle, t->n, t->arguments, error);
    hml_status status = prepare(t, error);
    if (!status) status = hmli_device_follow(t->batch->device, *t->stream, t->batch->host->stream, error);
    size_t k = 0;
    for (size_t first = 0; first < t->n && !status; first += t->each, k++) {
        slot *s = &t->batch->host->slots[k % SLOTS];
        status = fetch(t, s, error);
        s->first = first, s->count = t->n - first < t->each ? t->n - first : t->each;
        if (!status) status = send(t, s, error);
    }
    for (size_t last = k + SLOTS; k < last && !status; k++) status = fetch(t, &t->batch->host->slots[k % SLOTS], error);
    if (status) abandon(t);
    return status;
}

/* ---- the functions ---- */

static hml_status missing(hml_error *error)
{
    return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch or the holds are missing, or struct_size is not set");
}

static hml_status start_linearize(void *batch, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_linearize(batch, n, arguments, error);
}

hml_status hml_cuda_linearize_host(hml_cuda_batch *batch, size_t n, const hml_cuda_linearization *arguments,
                                   hml_error *error)
{
    hml_cuda_linearization x;
    const hml_cuda_linearization *given = STRUCT_TAKE(hml_cuda_linearization, arguments, &x, v);
    if (!batch || !given) return missing(error);
    if (given != &x) x = *given;
    const size_t nv = (size_t)batch->model.nv;
    transfer t = transfer_of(batch, n, &x, &x.stream, &x.status);
    t.start = start_linearize;
    add_input(&t, &x.q, (size_t)batch->model.nq), add_input(&t, &x.v, nv), add_input(&t, &x.tau, nv);
    add_input(&t, &x.wrenches, 6 * (size_t)batch->model.bodies);
    add_output(&t, &x.acceleration, 1, nv);
    add_output(&t, &x.Dq, nv, nv), add_output(&t, &x.Dv, nv, nv), add_output(&t, &x.Minv, nv, nv);
    add_output(&t, &x.A, 2 * nv, 2 * nv), add_output(&t, &x.B, 2 * nv, nv);
    return pass(&t, error);
}

static hml_status start_dynamics(void *batch, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_dynamics(batch, n, arguments, error);
}

hml_status hml_cuda_dynamics_host(hml_cuda_batch *batch, size_t n, const hml_cuda_dynamics_arguments *arguments,
                                  hml_error *error)
{
    hml_cuda_dynamics_arguments x;
    const hml_cuda_dynamics_arguments *given = STRUCT_TAKE(hml_cuda_dynamics_arguments, arguments, &x, M);
    if (!batch || !given) return missing(error);
    if (given != &x) x = *given;
    const size_t nv = (size_t)batch->model.nv;
    transfer t = transfer_of(batch, n, &x, &x.stream, &x.status);
    t.start = start_dynamics;
    add_input(&t, &x.q, (size_t)batch->model.nq), add_input(&t, &x.v, nv), add_input(&t, &x.a, nv);
    add_input(&t, &x.wrenches, 6 * (size_t)batch->model.bodies);
    add_output(&t, &x.torque, 1, nv), add_output(&t, &x.M, nv, nv);
    return pass(&t, error);
}

static hml_status start_kinematics(void *batch, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_kinematics(batch, n, arguments, error);
}

hml_status hml_cuda_kinematics_host(hml_cuda_batch *batch, size_t n, const hml_cuda_kinematics_arguments *arguments,
                                    hml_error *error)
{
    hml_cuda_kinematics_arguments x;
    const hml_cuda_kinematics_arguments *given = STRUCT_TAKE(hml_cuda_kinematics_arguments, arguments, &x, twist);
    if (!batch || !given) return missing(error);
    if (given != &x) x = *given;
    if (x.count < 0 || x.count > batch->model.frames + CUDA_FRAMES) /* before sizes are made of it */
        return hml_cuda_kinematics(batch, n, given, error);
    const size_t nv = (size_t)batch->model.nv, count = (size_t)x.count;
    transfer t = transfer_of(batch, n, &x, &x.stream, &x.status);
    t.start = start_kinematics;
    add_input(&t, &x.q, (size_t)batch->model.nq), add_input(&t, &x.v, nv);
    add_output(&t, &x.pose, 1, 16 * count), add_output(&t, &x.J, 6 * count, nv), add_output(&t, &x.twist, 1, 6 * count);
    return pass(&t, error);
}

static hml_status start_constrained(void *holds, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_constrained_linearize(holds, n, arguments, error);
}

hml_status hml_cuda_constrained_linearize_host(hml_cuda_holds *holds, size_t n, const hml_cuda_constrained *arguments,
                                               hml_error *error)
{
    hml_cuda_constrained x;
    const hml_cuda_constrained *given = STRUCT_TAKE(hml_cuda_constrained, arguments, &x, v);
    if (!holds || !given) return missing(error);
    if (given != &x) x = *given;
    size_t rows;
    hml_cuda_batch *batch = hmli_cuda_holds_batch(holds, &rows);
    const size_t nv = (size_t)batch->model.nv;
    transfer t = transfer_of(batch, n, &x, &x.stream, &x.status);
    t.start = start_constrained, t.handle = holds;
    add_input(&t, &x.q, (size_t)batch->model.nq), add_input(&t, &x.v, nv), add_input(&t, &x.tau, nv);
    add_input(&t, &x.wrenches, 6 * (size_t)batch->model.bodies);
    add_output(&t, &x.acceleration, 1, nv), add_output(&t, &x.lambda, 1, rows);
    add_output(&t, &x.Dq, nv, nv), add_output(&t, &x.Dv, nv, nv), add_output(&t, &x.Dtau, nv, nv);
    add_output(&t, &x.lambda_q, rows, nv), add_output(&t, &x.lambda_v, rows, nv),
        add_output(&t, &x.lambda_tau, rows, nv);
    add_output(&t, &x.A, 2 * nv, 2 * nv), add_output(&t, &x.B, 2 * nv, nv);
    return pass(&t, error);
}

static hml_status start_step(void *batch, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_step(batch, n, arguments, error);
}

hml_status hml_cuda_step_host(hml_cuda_batch *batch, size_t n, const hml_cuda_step_arguments *arguments,
                              hml_error *error)
{
    hml_cuda_step_arguments x;
    const hml_cuda_step_arguments *given = STRUCT_TAKE(hml_cuda_step_arguments, arguments, &x, v_next);
    if (!batch || !given) return missing(error);
    if (given != &x) x = *given;
    const size_t nq = (size_t)batch->model.nq, nv = (size_t)batch->model.nv;
    transfer t = transfer_of(batch, n, &x, &x.stream, &x.status);
    t.start = start_step;
    add_input(&t, &x.q, nq), add_input(&t, &x.v, nv), add_input(&t, &x.tau, nv);
    add_output(&t, &x.q_next, 1, nq), add_output(&t, &x.v_next, 1, nv);
    add_output(&t, &x.Ad, 2 * nv, 2 * nv), add_output(&t, &x.Bd, 2 * nv, nv);
    return pass(&t, error);
}

static hml_status start_integrate(void *batch, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_integrate(batch, n, arguments, error);
}

static hml_status start_difference(void *batch, size_t n, const void *arguments, hml_error *error)
{
    return hml_cuda_difference(batch, n, arguments, error);
}

static hml_status configurations(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                 int difference, hml_error *error)
{
    hml_cuda_configurations x;
    const hml_cuda_configurations *given = STRUCT_TAKE(hml_cuda_configurations, arguments, &x, result);
    if (!batch || !given) return missing(error);
    if (given != &x) x = *given;
    const size_t nq = (size_t)batch->model.nq, nv = (size_t)batch->model.nv;
    transfer t = transfer_of(batch, n, &x, &x.stream, &x.status);
    t.start = difference ? start_difference : start_integrate;
    add_input(&t, &x.q, nq), add_input(&t, &x.other, difference ? nq : nv);
    add_output(&t, &x.result, 1, difference ? nv : nq);
    return pass(&t, error);
}

hml_status hml_cuda_integrate_host(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                   hml_error *error)
{
    return configurations(batch, n, arguments, 0, error);
}

hml_status hml_cuda_difference_host(hml_cuda_batch *batch, size_t n, const hml_cuda_configurations *arguments,
                                    hml_error *error)
{
    return configurations(batch, n, arguments, 1, error);
}
