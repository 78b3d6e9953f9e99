/*
 * Functions of hamel/cuda.h as a custom call of XLA: what a program that XLA has compiled calls while it runs, with its
 * arrays, in its stream. A call names its batch by a key, not by an address, since XLA keeps programs in files and other
 * processes run them.
 */
#include "cuda/xla.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/batch.h"

/* ---- batches by their keys: one list of the process, as XLA has one list of handlers ---- */

typedef struct offer {
    uint64_t key;
    hml_cuda_batch *batch;
    struct offer *next;
} offer;

static offer *offers;
/* held while a call puts its work into a stream, too: a batch is not freed meanwhile */
static pthread_mutex_t offers_mutex = PTHREAD_MUTEX_INITIALIZER;

hml_status hml_cuda_xla_offer(hml_cuda_batch *batch, uint64_t key, hml_error *error)
{
    if (!batch) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing");
    offer *made = malloc(sizeof *made);
    if (!made) return hmli_cuda_fail(error, HML_OUT_OF_MEMORY, hml_status_message(HML_OUT_OF_MEMORY));
    pthread_mutex_lock(&offers_mutex);
    *made = (offer){key, batch, offers};
    offers = made;
    pthread_mutex_unlock(&offers_mutex);
    return HML_OK;
}

void hmli_cuda_xla_forget(const hml_cuda_batch *batch)
{
    pthread_mutex_lock(&offers_mutex);
    for (offer **at = &offers; *at;) {
        offer *const one = *at;
        if (one->batch == batch) {
            *at = one->next;
            free(one);
        } else {
            at = &one->next;
        }
    }
    pthread_mutex_unlock(&offers_mutex);
}

static hml_cuda_batch *find(uint64_t key)
{
    const offer *one = offers;
    while (one && one->key != key) one = one->next;
    return one ? one->batch : NULL;
}

/* ---- functions ---- */

enum { MOST_BUFFERS = 4 };

/* one call: n states, packed arrays */
typedef struct xla_call {
    hml_cuda_batch *batch;
    size_t n;
    double h;
    void *in[MOST_BUFFERS], *out[MOST_BUFFERS], *stream;
} xla_call;

static hml_cuda_input configurations_of(const xla_call *c, int k)
{
    return (hml_cuda_input){c->in[k], (size_t)c->batch->model.nq};
}

static hml_cuda_input vectors_of(const xla_call *c, int k)
{
    return (hml_cuda_input){c->in[k], (size_t)c->batch->model.nv};
}

/* ν̇ alone, or with D_q, D_ν and M⁻¹ */
static hml_status forward_dynamics(const xla_call *c, hml_error *error)
{
    hml_cuda_linearization a;
    memset(&a, 0, sizeof a);
    a.struct_size = sizeof a;
    a.q = configurations_of(c, 0), a.v = vectors_of(c, 1), a.tau = vectors_of(c, 2);
    a.acceleration.data = c->out[0];
    a.Dq.data = c->out[1], a.Dv.data = c->out[2], a.Minv.data = c->out[3];
    a.stream = c->stream;
    return hml_cuda_linearize(c->batch, c->n, &a, error);
}

/* the state after a step alone, or with A_d and B_d */
static hml_status step(const xla_call *c, hml_error *error)
{
    hml_cuda_step_arguments a;
    memset(&a, 0, sizeof a);
    a.struct_size = sizeof a, a.h = c->h;
    a.q = configurations_of(c, 0), a.v = vectors_of(c, 1), a.tau = vectors_of(c, 2);
    a.q_next.data = c->out[0], a.v_next.data = c->out[1];
    a.Ad.data = c->out[2], a.Bd.data = c->out[3];
    a.stream = c->stream;
    return hml_cuda_step(c->batch, c->n, &a, error);
}

static hml_status inverse_dynamics(const xla_call *c, hml_error *error)
{
    hml_cuda_dynamics_arguments a;
    memset(&a, 0, sizeof a);
    a.struct_size = sizeof a;
    a.q = configurations_of(c, 0), a.v = vectors_of(c, 1), a.a = vectors_of(c, 2);
    a.torque.data = c->out[0], a.M.data = c->out[1];
    a.stream = c->stream;
    return hml_cuda_dynamics(c->batch, c->n, &a, error);
}

/* what its arrays hold per state: q: nq; v: nv; M: nv × nv; A: 2nv × 2nv; B: 2nv × nv */
typedef struct xla_function {
    const char *name, *in, *out;
    hml_status (*run)(const xla_call *c, hml_error *error);
} xla_function;

static const xla_function FUNCTIONS[] = {
    {"forward_dynamics", "qvv", "v", forward_dynamics},
    {"linearize", "qvv", "vMMM", forward_dynamics},
    {"step", "qvv", "qv", step},
    {"step_linearize", "qvv", "qvAB", step},
    {"inverse_dynamics", "qvv", "v", inverse_dynamics},
    {"inverse_dynamics_and_mass", "qvv", "vM", inverse_dynamics},
};

/* ---- what XLA gives ---- */

static const void *attribute(const xla_attributes *a, const char *name, xla_attribute_kind kind)
{
    for (int64_t k = 0; k < a->count; k++) {
        const xla_span *own = a->names[k];
        if (own->length == strlen(name) && !memcmp(own->data, name, own->length))
            return a->kinds[k] == kind ? a->at[k] : NULL;
    }
    return NULL;
}

/* the eight bytes of a scalar, or 0 where there is none of that type */
static int scalar(const xla_attributes *a, const char *name, xla_type type, void *to)
{
    const xla_scalar *x = attribute(a, name, XLA_SCALAR);
    if (!x || x->type != type) return 0;
    memcpy(to, x->value, 8);
    return 1;
}

static const xla_function *function_of(const xla_attributes *a)
{
    const xla_span *name = attribute(a, "function", XLA_STRING);
    for (size_t k = 0; name && k < sizeof FUNCTIONS / sizeof *FUNCTIONS; k++) {
        const char *own = FUNCTIONS[k].name;
        if (name->length == strlen(own) && !memcmp(name->data, own, name->length)) return &FUNCTIONS[k];
    }
    return NULL;
}

/* how many states a buffer holds, or −1 where its type or its last dimensions are not those */
static int64_t states_of(const hml_cuda_batch *batch, const xla_buffer *b, char what)
{
    const int64_t nv = batch->model.nv, rows = what == 'M' ? nv : 2 * nv, columns = what == 'A' ? 2 * nv : nv;
    const int64_t own = what == 'q' || what == 'v' ? 1 : 2, lead = b->rank - own;
    if (b->type != (batch->type == HML_CUDA_FLOAT32 ? XLA_F32 : XLA_F64) || lead < 0) return -1;
    if (b->dims[b->rank - 1] != (what == 'q' ? batch->model.nq : columns)) return -1;
    if (own == 2 && b->dims[lead] != rows) return -1;
    int64_t n = 1;
    for (int64_t k = 0; k < lead; k++) n *= b->dims[k];
    return n;
}

/* the addresses of the buffers; 0 where they are not those of a function's n states. n < 0: not known yet */
static int take(const hml_cuda_batch *batch, const xla_buffers *buffers, const char *what, int64_t *n, void **to)
{
    if (buffers->count != (int64_t)strlen(what)) return 0;
    for (int k = 0; what[k]; k++) {
        const int64_t own = states_of(batch, buffers->at[k], what[k]);
        if (*n < 0) *n = own;
        if (own < 0 || own != *n) return 0;
        to[k] = buffers->at[k]->data;
    }
    return 1;
}

/* 1 if there was an error, which is XLA's to have back */
static int failed(const xla_frame *f, xla_error *fault)
{
    xla_destroy_arguments d = {.struct_size = sizeof d, .error = fault};
    if (fault) f->api->error_destroy(&d);
    return fault != NULL;
}

/* XLA's stream, which is one of the GPU of the batch */
static hml_status stream_of(const xla_frame *f, const hml_cuda_batch *batch, void **stream, hml_error *error)
{
    xla_stream_arguments s = {.struct_size = sizeof s, .context = f->context};
    if (failed(f, f->api->stream_get(&s))) {
        if (hmli_device_is_host()) return HML_OK;
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT,
                              "the arrays are on the host: put them on the GPU (jax.device_put)");
    }
    *stream = s.stream;
    xla_ordinal_arguments o = {.struct_size = sizeof o, .context = f->context};
    if (sizeof *f->api > f->api->struct_size || failed(f, f->api->ordinal_get(&o))) return HML_OK;
    if (o.ordinal == batch->device) return HML_OK;
    return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the arrays are on another GPU than the batch");
}

static hml_status run(const xla_frame *f, hml_error *error)
{
    uint64_t key;
    xla_call c;
    memset(&c, 0, sizeof c);
    const xla_function *function = function_of(&f->attributes);
    if (!function || !scalar(&f->attributes, "key", XLA_S64, &key) || !scalar(&f->attributes, "h", XLA_F64, &c.h))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "function, key or h is missing, or not of this version");
    c.batch = find(key);
    if (!c.batch)
        return hmli_cuda_fail(
            error, HML_NOT_FOUND,
            "the robot of a compiled program is not on the GPU: make its function first, in this process");
    int64_t n = -1;
    if (!take(c.batch, &f->arguments, function->in, &n, c.in) || !take(c.batch, &f->results, function->out, &n, c.out))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "an array has another shape or type than the batch");
    const hml_status status = stream_of(f, c.batch, &c.stream, error);
    c.n = (size_t)n;
    return status || !n ? status : function->run(&c, error);
}

/* ---- the handler ---- */

static xla_code code_of(hml_status status)
{
    switch (status) {
    case HML_INVALID_ARGUMENT: return XLA_INVALID_ARGUMENT;
    case HML_NOT_FOUND: return XLA_NOT_FOUND;
    case HML_OUT_OF_MEMORY: return XLA_RESOURCE_EXHAUSTED;
    case HML_UNSUPPORTED: return XLA_UNIMPLEMENTED;
    default: return XLA_INTERNAL;
    }
}

void *hml_cuda_xla(void *call_frame)
{
    const xla_frame *f = call_frame;
    if (f->extensions && f->extensions->kind == XLA_METADATA) {
        xla_metadata *m = ((xla_metadata_question *)(void *)f->extensions)->metadata;
        m->version.major = XLA_MAJOR, m->version.minor = XLA_MINOR;
        m->traits = 0;
        return NULL;
    }
    if (f->stage != XLA_EXECUTE) return NULL;
    hml_error error;
    memset(&error, 0, sizeof error);
    pthread_mutex_lock(&offers_mutex);
    const hml_status status = run(f, &error);
    pthread_mutex_unlock(&offers_mutex);
    if (!status) return NULL;
    char message[sizeof error.message + 8];
    snprintf(message, sizeof message, "hamel: %s", error.message[0] ? error.message : hml_status_message(status));
    xla_error_arguments a = {.struct_size = sizeof a, .message = message, .code = code_of(status)};
    return f->api->error_create(&a);
}
