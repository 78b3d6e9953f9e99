/* hml_cuda_xla, called as XLA would call it: results to the bit those of hamel/cuda.h, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/xla.h"
#include "hamel/cuda.h"
#include "hamel/hamel.h"
#include "hamel/io.h"

enum { N = 3, KEY = 77, MOST = 4 };

/* ---- an XLA that is none ---- */

struct xla_error {
    xla_code code;
    char message[600];
};
static struct xla_error last;
static int made, destroyed, on_host;
static int32_t ordinal;

static xla_error *error_create(xla_error_arguments *a)
{
    assert_true(a->struct_size >= offsetof(xla_error_arguments, code) + sizeof a->code);
    assert_true(strlen(a->message) < sizeof last.message);
    snprintf(last.message, sizeof last.message, "%s", a->message);
    last.code = a->code;
    made++;
    return &last;
}

static void error_destroy(xla_destroy_arguments *a)
{
    assert_ptr_equal(a->error, &last);
    destroyed++;
}

static xla_error *stream_get(xla_stream_arguments *a)
{
    a->stream = NULL;
    return on_host ? &last : NULL;
}

static xla_error *ordinal_get(xla_ordinal_arguments *a)
{
    a->ordinal = ordinal;
    return NULL;
}

/* a call with its arrays: of q, of v, and so on, N states each */
typedef struct fake {
    xla_api api;
    xla_frame frame;
    xla_buffer in[3], out[MOST];
    xla_buffer *ins[3], *outs[MOST];
    int64_t dims[3 + MOST][3];
    xla_span names[3], *name[3], function;
    xla_attribute_kind kinds[3];
    xla_scalar h, key;
    void *values[3];
    double step;
    int64_t number;
} fake;

static xla_buffer buffer_of(fake *f, int k, double *data, int64_t rows, int64_t columns)
{
    int64_t *d = f->dims[k];
    d[0] = N, d[1] = rows ? rows : columns, d[2] = columns;
    return (xla_buffer){
        .struct_size = sizeof(xla_buffer), .type = XLA_F64, .data = data, .rank = rows ? 3 : 2, .dims = d};
}

static void fake_begin(fake *f, const char *function)
{
    memset(f, 0, sizeof *f);
    f->api = (xla_api){.struct_size = sizeof f->api,
                       .error_create = error_create,
                       .error_destroy = error_destroy,
                       .stream_get = stream_get,
                       .ordinal_get = ordinal_get};
    static const char *const words[] = {"function", "h", "key"};
    for (int k = 0; k < 3; k++) {
        f->names[k] = (xla_span){words[k], strlen(words[k])};
        f->name[k] = &f->names[k];
        f->kinds[k] = k ? XLA_SCALAR : XLA_STRING;
        f->ins[k] = &f->in[k];
    }
    for (int k = 0; k < MOST; k++) f->outs[k] = &f->out[k];
    f->step = 0.01, f->number = KEY;
    f->function = (xla_span){function, strlen(function)};
    f->h = (xla_scalar){XLA_F64, &f->step}, f->key = (xla_scalar){XLA_S64, &f->number};
    f->values[0] = &f->function, f->values[1] = &f->h, f->values[2] = &f->key;
    f->frame = (xla_frame){.struct_size = sizeof f->frame, .api = &f->api, .stage = XLA_EXECUTE};
    f->frame.arguments = (xla_buffers){.count = 3, .at = f->ins};
    f->frame.results.at = f->outs;
    f->frame.attributes = (xla_attributes){.count = 3, .kinds = f->kinds, .names = f->name, .at = f->values};
    made = destroyed = on_host = ordinal = 0;
}

/* ---- states ---- */

typedef struct states {
    hml_model *model;
    hml_cuda_batch *batch;
    size_t nq, nv;
    double *q, *v, *u, *out[MOST], *want[MOST];
} states;

static double *numbers(size_t n)
{
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static states states_new(void)
{
    states s = {.model = NULL};
    assert_int_equal(hml_load_builtin("quadruped", NULL, &s.model, NULL), HML_OK);
    assert_int_equal(hml_cuda_batch_new(s.model, HML_CUDA_FLOAT64, 0, &s.batch, NULL), HML_OK);
    assert_int_equal(hml_cuda_xla_offer(s.batch, KEY, NULL), HML_OK);
    s.nq = (size_t)hml_model_nq(s.model), s.nv = (size_t)hml_model_nv(s.model);
    s.q = numbers(N * s.nq), s.v = numbers(N * s.nv), s.u = numbers(N * s.nv);
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    for (size_t i = 0; i < N; i++) assert_int_equal(hml_configuration_random(s.model, &rng, s.q + i * s.nq), HML_OK);
    for (size_t k = 0; k < N * s.nv; k++) s.v[k] = 0.1 * (double)(k % 7) - 0.3, s.u[k] = 0.2 * (double)(k % 5) - 0.4;
    for (int k = 0; k < MOST; k++) s.out[k] = numbers(N * 4 * s.nv * s.nv), s.want[k] = numbers(N * 4 * s.nv * s.nv);
    return s;
}

static void states_free(states *s)
{
    for (int k = 0; k < MOST; k++) free(s->out[k]), free(s->want[k]);
    free(s->q), free(s->v), free(s->u);
    hml_cuda_batch_free(s->batch);
    hml_model_free(s->model);
}

/* shapes by letters, as in xla.c */
static void fill(fake *f, const states *s, const char *function, const char *out)
{
    const int64_t nq = (int64_t)s->nq, nv = (int64_t)s->nv;
    fake_begin(f, function);
    f->in[0] = buffer_of(f, 0, s->q, 0, nq), f->in[1] = buffer_of(f, 1, s->v, 0, nv);
    f->in[2] = buffer_of(f, 2, s->u, 0, nv);
    f->frame.results.count = (int64_t)strlen(out);
    for (int k = 0; out[k]; k++) {
        const int64_t rows = strchr("AB", out[k]) ? 2 * nv : out[k] == 'M' ? nv : 0;
        f->out[k] = buffer_of(f, 3 + k, s->out[k], rows, out[k] == 'q' ? nq : out[k] == 'A' ? 2 * nv : nv);
    }
}

/* ---- tests ---- */

static void same(const states *s, const char *function, const char *out)
{
    fake f;
    fill(&f, s, function, out);
    for (int k = 0; k < MOST; k++) memset(s->out[k], 0, N * 4 * s->nv * s->nv * sizeof(double));
    assert_null(hml_cuda_xla(&f.frame));
    for (int k = 0; k < MOST; k++) assert_memory_equal(s->out[k], s->want[k], N * 4 * s->nv * s->nv * sizeof(double));
}

static void clear(const states *s, int from)
{
    for (int k = from; k < MOST; k++) memset(s->want[k], 0, N * 4 * s->nv * s->nv * sizeof(double));
}

static void functions(void **state)
{
    (void)state;
    states s = states_new();
    const hml_cuda_input q = {s.q, s.nq}, v = {s.v, s.nv}, u = {s.u, s.nv};
    hml_cuda_linearization x = HML_STRUCT(hml_cuda_linearization, .q = q, .v = v, .tau = u);
    x.acceleration.data = s.want[0], x.Dq.data = s.want[1], x.Dv.data = s.want[2], x.Minv.data = s.want[3];
    assert_int_equal(hml_cuda_linearize(s.batch, N, &x, NULL), HML_OK);
    same(&s, "linearize", "vMMM");
    clear(&s, 0);
    x.Dq.data = x.Dv.data = x.Minv.data = NULL;
    assert_int_equal(hml_cuda_linearize(s.batch, N, &x, NULL), HML_OK);
    same(&s, "forward_dynamics", "v");
    hml_cuda_step_arguments step = HML_STRUCT(hml_cuda_step_arguments, .h = 0.01, .q = q, .v = v, .tau = u);
    step.q_next.data = s.want[0], step.v_next.data = s.want[1], step.Ad.data = s.want[2], step.Bd.data = s.want[3];
    assert_int_equal(hml_cuda_step(s.batch, N, &step, NULL), HML_OK);
    same(&s, "step_linearize", "qvAB");
    clear(&s, 0);
    step.Ad.data = step.Bd.data = NULL;
    assert_int_equal(hml_cuda_step(s.batch, N, &step, NULL), HML_OK);
    same(&s, "step", "qv");
    clear(&s, 0);
    hml_cuda_dynamics_arguments d = HML_STRUCT(hml_cuda_dynamics_arguments, .q = q, .v = v, .a = u);
    d.torque.data = s.want[0], d.M.data = s.want[1];
    assert_int_equal(hml_cuda_dynamics(s.batch, N, &d, NULL), HML_OK);
    same(&s, "inverse_dynamics_and_mass", "vM");
    clear(&s, 1);
    same(&s, "inverse_dynamics", "v");
    states_free(&s);
}

static void expect(fake *f, xla_code code, const char *sentence)
{
    assert_ptr_equal(hml_cuda_xla(&f->frame), &last);
    assert_int_equal(last.code, code);
    assert_non_null(strstr(last.message, sentence));
    assert_memory_equal(last.message, "hamel: ", 7);
}

static void refusals(void **state)
{
    (void)state;
    static const char shape[] = "another shape or type", word[] = "function, key or h";
    states s = states_new();
    fake f;
    fill(&f, &s, "fly", "v"), expect(&f, XLA_INVALID_ARGUMENT, word);
    fill(&f, &s, "step", "qv"), f.kinds[0] = XLA_SCALAR, expect(&f, XLA_INVALID_ARGUMENT, word);
    fill(&f, &s, "step", "qv"), f.h.type = XLA_F32, expect(&f, XLA_INVALID_ARGUMENT, word);
    fill(&f, &s, "step", "qv"), f.frame.attributes.count = 2, expect(&f, XLA_INVALID_ARGUMENT, word);
    fill(&f, &s, "step", "qv"), f.number++, expect(&f, XLA_NOT_FOUND, "not on the GPU");
    fill(&f, &s, "step", "q"), expect(&f, XLA_INVALID_ARGUMENT, shape);
    fill(&f, &s, "step", "vq"), expect(&f, XLA_INVALID_ARGUMENT, shape);
    fill(&f, &s, "step", "qv"), f.in[1].type = XLA_F32, expect(&f, XLA_INVALID_ARGUMENT, shape);
    fill(&f, &s, "step", "qv"), f.in[1].rank = 0, expect(&f, XLA_INVALID_ARGUMENT, shape);
    fill(&f, &s, "step", "qv"), f.dims[2][0] = N + 1, expect(&f, XLA_INVALID_ARGUMENT, shape);
    fill(&f, &s, "linearize", "vMMM"), f.dims[4][1]--, expect(&f, XLA_INVALID_ARGUMENT, shape);
    fill(&f, &s, "step", "qv"), ordinal = 1, expect(&f, XLA_INVALID_ARGUMENT, "another GPU");
    fill(&f, &s, "step", "qv"), f.step = 1. / 0., expect(&f, XLA_INVALID_ARGUMENT, "not finite");
    assert_int_equal(made, 1); /* since the last call began */
    assert_int_equal(hml_cuda_xla_offer(NULL, KEY, NULL), HML_INVALID_ARGUMENT);
    states_free(&s);
}

/* nothing to do, other stages, arrays of the host, an XLA without ordinals, and what a handler says of itself */
static void frames(void **state)
{
    (void)state;
    states s = states_new();
    fake f;
    fill(&f, &s, "step", "qv");
    for (int k = 0; k < 5; k++) f.dims[k][0] = 0;
    for (int k = 0; k < 2; k++) f.in[k].data = f.out[k].data = NULL;
    assert_null(hml_cuda_xla(&f.frame));
    fill(&f, &s, "fly", "v"), f.frame.stage = XLA_PREPARE;
    assert_null(hml_cuda_xla(&f.frame));
    fill(&f, &s, "step", "qv"), on_host = 1; /* which is where the emulated device has its arrays */
    assert_null(hml_cuda_xla(&f.frame));
    assert_int_equal(destroyed, 1);
    fill(&f, &s, "step", "qv"), f.api.struct_size = offsetof(xla_api, ordinal_get), f.api.ordinal_get = NULL;
    assert_null(hml_cuda_xla(&f.frame));
    xla_metadata metadata = {.traits = 7};
    xla_metadata_question question = {{sizeof question, XLA_METADATA, NULL}, &metadata};
    f.frame.extensions = &question.base;
    assert_null(hml_cuda_xla(&f.frame));
    assert_int_equal(metadata.version.major, XLA_MAJOR);
    assert_int_equal(metadata.version.minor, XLA_MINOR);
    assert_int_equal(metadata.traits, 0);
    states_free(&s);
}

/* a batch is found under all of its keys, the newest of a key first, and under none when it is freed */
static void keys(void **state)
{
    (void)state;
    states s = states_new(), other = states_new();
    fake f;
    assert_int_equal(hml_cuda_xla_offer(other.batch, KEY + 1, NULL), HML_OK);
    fill(&f, &s, "step", "qv"), f.number = KEY + 1;
    assert_null(hml_cuda_xla(&f.frame));
    states_free(&other);
    fill(&f, &s, "step", "qv"), f.number = KEY + 1, expect(&f, XLA_NOT_FOUND, "not on the GPU");
    fill(&f, &s, "step", "qv");
    assert_null(hml_cuda_xla(&f.frame));
    hml_cuda_batch_free(s.batch);
    s.batch = NULL;
    fill(&f, &s, "step", "qv"), expect(&f, XLA_NOT_FOUND, "not on the GPU");
    states_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions), cmocka_unit_test(refusals),
                                       cmocka_unit_test(frames), cmocka_unit_test(keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
