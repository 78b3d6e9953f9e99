/*
 * The test of a generated robot: a program with states and the results of this library at them. It compares, prints the
 * largest differences, and exits with 0 if they are small.
 */
#include <stdlib.h>
#include <string.h>

#include "generate/emit.h"
#include "hamel/configuration.h"
#include "hamel/linearize.h"
#include "hamel/random.h"

enum { TEST_SEED = 20 };

/* all states, one behind the other */
typedef struct test_states {
    size_t n, nq, nv;
    double *q, *v, *tau, *acceleration, *force, *Dq, *Dv, *Minv, *M; /* force: of tau as an acceleration */
} test_states;

static int allocate(test_states *s, const hml_model *m, int32_t n)
{
    s->n = (size_t)n;
    s->nq = (size_t)hml_model_nq(m);
    s->nv = (size_t)hml_model_nv(m);
    const size_t vector = s->n * s->nv, matrix = vector * s->nv;
    s->q = calloc(s->n * s->nq + 4 * vector + 4 * matrix + 1, sizeof *s->q);
    if (!s->q) return 0;
    s->v = s->q + s->n * s->nq;
    s->tau = s->v + vector;
    s->acceleration = s->tau + vector;
    s->force = s->acceleration + vector;
    s->Dq = s->force + vector;
    s->Dv = s->Dq + matrix;
    s->Minv = s->Dv + matrix;
    s->M = s->Minv + matrix;
    return 1;
}

/* random states; single: rounded to floats first, so that both sides compute with the same */
static hml_status compute(const hml_model *m, hml_work *work, int single, const test_states *s)
{
    hml_rng rng;
    hml_status status = HML_OK;
    hml_rng_seed(&rng, TEST_SEED);
    for (size_t i = 0; i < s->n && !status; i++) {
        double *q = s->q + i * s->nq, *v = s->v + i * s->nv, *tau = s->tau + i * s->nv;
        const size_t at = i * s->nv * s->nv;
        status = hml_configuration_random(m, &rng, q);
        for (size_t k = 0; k < s->nv; k++) v[k] = hml_rng_uniform(&rng, -1, 1);
        for (size_t k = 0; k < s->nv; k++) tau[k] = hml_rng_uniform(&rng, -1, 1);
        for (size_t k = 0; single && k < s->nq; k++) q[k] = (double)(float)q[k];
        for (size_t k = 0; single && k < s->nv; k++) v[k] = (double)(float)v[k], tau[k] = (double)(float)tau[k];
        const hml_linearization l =
            HML_STRUCT(hml_linearization, .q = {.data = q}, .v = {.data = v}, .tau = {.data = tau},
                       .acceleration = {.data = s->acceleration + i * s->nv}, .Dq = {.data = s->Dq + at},
                       .Dv = {.data = s->Dv + at}, .Minv = {.data = s->Minv + at});
        if (!status) status = hml_linearize(m, work, &l);
        if (!status) status = hml_inverse_dynamics(m, work, q, v, tau, NULL, s->force + i * s->nv);
        if (!status) status = hml_mass_matrix(m, work, q, s->M + at);
    }
    return status;
}

static void put_array(const emitter *e, writer *w, const char *name, const double *x, size_t n)
{
    hmli_writer_print(w, "static const real %s[] = {", name);
    for (size_t i = 0; i < n; i++) {
        hmli_writer_put(w, i % 8 ? ", " : i ? ",\n    " : "\n    ");
        hmli_emit_number(e, w, x[i]);
    }
    hmli_writer_put(w, "};\n");
}

static void put_states(const emitter *e, writer *w, const test_states *s)
{
    const unsigned functions = e->options->functions;
    const size_t vector = s->n * s->nv, matrix = vector * s->nv;
    put_array(e, w, "expected_q", s->q, s->n * s->nq);
    if (functions & ~(unsigned)HML_GENERATE_MASS_MATRIX) {
        put_array(e, w, "expected_v", s->v, vector);
        put_array(e, w, "expected_tau", s->tau, vector);
    }
    if (functions & (HML_GENERATE_LINEARIZE | HML_GENERATE_FORWARD_DYNAMICS))
        put_array(e, w, "expected_acceleration", s->acceleration, vector);
    if (functions & HML_GENERATE_INVERSE_DYNAMICS) put_array(e, w, "expected_force", s->force, vector);
    if (functions & HML_GENERATE_LINEARIZE) {
        put_array(e, w, "expected_Dq", s->Dq, matrix);
        put_array(e, w, "expected_Dv", s->Dv, matrix);
        put_array(e, w, "expected_Minv", s->Minv, matrix);
    }
    if (functions & HML_GENERATE_MASS_MATRIX) put_array(e, w, "expected_M", s->M, matrix);
}

static void put_program(emitter *e, writer *w)
{
    static const struct {
        unsigned bit;
        const char *section;
    } calls[] = {{HML_GENERATE_LINEARIZE, "test_linearize"},
                 {HML_GENERATE_FORWARD_DYNAMICS, "test_forward_dynamics"},
                 {HML_GENERATE_INVERSE_DYNAMICS, "test_inverse_dynamics"},
                 {HML_GENERATE_MASS_MATRIX, "test_mass_matrix"}};
    hmli_template_text(&e->values, "tolerance", e->options->single ? "2e-3" : "1e-11");
    hmli_template_put(w, &e->values, "test_begin");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (e->options->functions & calls[i].bit) hmli_template_put(w, &e->values, calls[i].section);
    }
    hmli_template_put(w, &e->values, "test_end");
    if (hmli_emit_batch(e)) hmli_template_put(w, &e->values, "test_batch");
    hmli_template_put(w, &e->values, "test_report");
}

hml_status hmli_emit_test(emitter *e, writer *w)
{
    test_states states = {0};
    hml_work *work = NULL;
    hml_status status = HML_OUT_OF_MEMORY;
    if (allocate(&states, e->model, e->options->test_states))
        status = hml_work_new(e->model, HML_ISA_BEST, HML_USE_ALL, &work);
    if (!status) status = compute(e->model, work, e->options->single, &states);
    if (!status) {
        hmli_template_integer(&e->values, "states", e->options->test_states);
        hmli_template_text(&e->values, "title", "Test: results of the library at random states.");
        hmli_template_put(w, &e->values, "head");
        hmli_template_put(w, &e->values, "test_head");
        put_states(e, w, &states);
        put_program(e, w);
    }
    hml_work_free(work);
    free(states.q);
    return status;
}
