/*
 * The test of a generated robot: a program with states and the results of this library at them. It compares, prints the
 * largest differences, and exits with 0 if they are small.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generate/emit.h"
#include "hamel/configuration.h"
#include "hamel/discrete.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/linearize.h"
#include "hamel/random.h"
#include "io/common/report.h"

enum { TEST_SEED = 20 };

/* all states, one behind the other */
typedef struct test_states {
    size_t n, nq, nv;
    double *q, *v, *tau, *acceleration, *force, *Dq, *Dv, *Minv, *M; /* force: of tau as an acceleration */
    double *scale;                                                   /* SCALES per state */
} test_states;

/*
 * What may cancel to zero, as the acceleration of a body that is held does, is compared beside what cancels: the largest
 * entry of the same without holds, and of the forces that belong to it. A radian turns an acceleration by its own size, and
 * an acceleration that is quadratic in velocities changes with each as much as the other one is.
 */
enum scale { SCALE_A, SCALE_Q, SCALE_V, SCALE_TAU, SCALE_FORCE, SCALE_FORCE_Q, SCALE_FORCE_V, SCALES };

/* results that only some robots ask for, in one piece of memory; of each: name, entries per state, and where it is */
typedef struct test_extra {
    const char *name;
    unsigned bit;
    size_t size;
    double *x;
} test_extra;

enum extra {
    Q_NEXT,
    V_NEXT,
    STEP_A,
    STEP_B,
    POSES,
    JACOBIANS,
    HELD_ACCELERATION,
    LAMBDA,
    HELD_Q,
    HELD_V,
    HELD_TAU,
    LAMBDA_Q,
    LAMBDA_V,
    LAMBDA_TAU,
    EXTRAS
};

static const double TEST_STEP = 0.01; /* s */

static double *lay_out(const emitter *e, size_t states, test_extra extra[EXTRAS])
{
    const size_t nq = (size_t)e->model->nq, nv = (size_t)e->model->nv, nn = nv * nv, frames = (size_t)e->nframes;
    const size_t rows = (size_t)e->rows;
    const unsigned step = HML_GENERATE_STEP_LINEARIZE, of = HML_GENERATE_FRAMES, held = HML_GENERATE_HELD_LINEARIZE;
    const test_extra all[EXTRAS] = {{"q_next", step, nq, NULL},
                                    {"v_next", step, nv, NULL},
                                    {"Ad", step, 4 * nn, NULL},
                                    {"Bd", step, 2 * nn, NULL},
                                    {"poses", of, 16 * frames, NULL},
                                    {"jacobians", of, 6 * nv * frames, NULL},
                                    {"held_acceleration", held, nv, NULL},
                                    {"lambda", held, rows, NULL},
                                    {"held_Dq", held, nn, NULL},
                                    {"held_Dv", held, nn, NULL},
                                    {"held_Dtau", held, nn, NULL},
                                    {"lambda_q", held, rows * nv, NULL},
                                    {"lambda_v", held, rows * nv, NULL},
                                    {"lambda_tau", held, rows * nv, NULL}};
    size_t sum = 1;
    memcpy(extra, all, sizeof all);
    for (int i = 0; i < EXTRAS; i++) sum += states * extra[i].size;
    double *memory = calloc(sum, sizeof *memory);
    for (int i = 0; memory && i < EXTRAS; i++) extra[i].x = i ? extra[i - 1].x + states * extra[i - 1].size : memory;
    return memory;
}

static double *of_state(const test_extra *x, size_t i) { return x->x + i * x->size; }

static hml_status compute_step(const emitter *e, hml_work *work, const test_states *s, size_t i, test_extra *x)
{
    double *scratch = malloc((hml_step_scratch_doubles(e->model) + 1) * sizeof *scratch);
    const hml_discrete_step step = HML_STRUCT(
        hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = e->options->single ? (double)(float)TEST_STEP : TEST_STEP,
        .q = {.data = s->q + i * s->nq}, .v = {.data = s->v + i * s->nv}, .tau = {.data = s->tau + i * s->nv},
        .q_next = {.data = of_state(&x[Q_NEXT], i)}, .v_next = {.data = of_state(&x[V_NEXT], i)},
        .Ad = {.data = of_state(&x[STEP_A], i)}, .Bd = {.data = of_state(&x[STEP_B], i)});
    const hml_status status = scratch ? hml_step(e->model, work, scratch, &step) : HML_OUT_OF_MEMORY;
    free(scratch);
    return status;
}

static hml_status compute_frames(const emitter *e, hml_work *work, const test_states *s, size_t i, test_extra *x)
{
    hml_status status = HML_OK;
    for (int32_t k = 0; k < e->nframes && !status; k++) {
        const hml_frame_motion m = HML_STRUCT(hml_frame_motion, .pose = of_state(&x[POSES], i) + 16 * (size_t)k,
                                              .J = of_state(&x[JACOBIANS], i) + 6 * s->nv * (size_t)k);
        status = hml_frame(e->model, work, e->frames[k].frame, HML_LEFT, s->q + i * s->nq, NULL, NULL, &m);
    }
    return status;
}

/* HML_INCONSISTENT if the holds are redundant, which the generated code cannot take */
static hml_status compute_held(const emitter *e, hml_work *work, const test_states *s, size_t i, test_extra *x)
{
    const hml_constraints holds =
        HML_STRUCT(hml_constraints, .items = e->options->holds, .count = e->options->hold_count);
    double *scratch = malloc((hml_constraint_scratch_doubles(e->model, &holds) + 1) * sizeof *scratch);
    hml_constraint_report report = {.struct_size = sizeof report};
    const hml_constrained_linearization at =
        HML_STRUCT(hml_constrained_linearization, .q = s->q + i * s->nq, .v = s->v + i * s->nv,
                   .tau = s->tau + i * s->nv, .acceleration = of_state(&x[HELD_ACCELERATION], i),
                   .lambda = of_state(&x[LAMBDA], i), .Dq = of_state(&x[HELD_Q], i), .Dv = of_state(&x[HELD_V], i),
                   .Dtau = of_state(&x[HELD_TAU], i), .lambda_q = of_state(&x[LAMBDA_Q], i),
                   .lambda_v = of_state(&x[LAMBDA_V], i), .lambda_tau = of_state(&x[LAMBDA_TAU], i), .report = &report);
    const hml_status status =
        scratch ? hml_constrained_linearize(e->model, work, &holds, scratch, &at) : HML_OUT_OF_MEMORY;
    free(scratch);
    return status || report.rank == report.rows ? status : HML_INCONSISTENT;
}

static hml_status compute_extra(const emitter *e, hml_work *work, const test_states *s, test_extra *x)
{
    const unsigned functions = e->options->functions;
    hml_status status = HML_OK;
    for (size_t i = 0; i < s->n && !status; i++) {
        if (functions & HML_GENERATE_STEP_LINEARIZE) status = compute_step(e, work, s, i, x);
        if (!status && (functions & HML_GENERATE_FRAMES)) status = compute_frames(e, work, s, i, x);
        if (!status && (functions & HML_GENERATE_HELD_LINEARIZE)) status = compute_held(e, work, s, i, x);
    }
    return status;
}

static int allocate(test_states *s, const hml_model *m, int32_t n)
{
    s->n = (size_t)n;
    s->nq = (size_t)hml_model_nq(m);
    s->nv = (size_t)hml_model_nv(m);
    const size_t vector = s->n * s->nv, matrix = vector * s->nv;
    s->q = calloc(s->n * (s->nq + SCALES) + 4 * vector + 4 * matrix + 1, sizeof *s->q);
    if (!s->q) return 0;
    s->v = s->q + s->n * s->nq;
    s->tau = s->v + vector;
    s->acceleration = s->tau + vector;
    s->force = s->acceleration + vector;
    s->Dq = s->force + vector;
    s->Dv = s->Dq + matrix;
    s->Minv = s->Dv + matrix;
    s->M = s->Minv + matrix;
    s->scale = s->M + matrix;
    return 1;
}

/* the largest entry of x, m rows of n; with M, of M x */
static double largest(const double *M, const double *x, size_t m, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < m * n; i++) {
        double sum = M ? 0 : x[i];
        for (size_t k = 0; M && k < m; k++) sum += M[i / n * m + k] * x[k * n + i % n];
        most = fmax(most, fabs(sum));
    }
    return most;
}

static void compute_scales(const test_states *s, size_t i)
{
    const size_t n = s->nv, at = i * n * n;
    const double *M = s->M + at, *v = s->v + i * n, *a = s->acceleration + i * n;
    double *scale = s->scale + i * SCALES;
    scale[SCALE_A] = largest(NULL, a, n, 1);
    scale[SCALE_Q] = fmax(scale[SCALE_A], largest(NULL, s->Dq + at, n, n));
    scale[SCALE_V] = fmax(largest(NULL, v, n, 1), largest(NULL, s->Dv + at, n, n));
    scale[SCALE_TAU] = largest(NULL, s->Minv + at, n, n);
    scale[SCALE_FORCE] = largest(M, a, n, 1);
    scale[SCALE_FORCE_Q] = fmax(scale[SCALE_FORCE], largest(M, s->Dq + at, n, n));
    scale[SCALE_FORCE_V] = fmax(largest(M, v, n, 1), largest(M, s->Dv + at, n, n));
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
        if (!status) compute_scales(s, i);
    }
    return status;
}

static void put_array(const emitter *e, writer *w, const char *name, const double *x, size_t n)
{
    hmli_writer_print(w, "static const real expected_%s[] = {", name);
    for (size_t i = 0; i < n; i++) {
        hmli_writer_put(w, i % 8 ? ", " : i ? ",\n    " : "\n    ");
        hmli_emit_number(e, w, x[i]);
    }
    hmli_writer_put(w, "};\n");
}

static void put_states(emitter *e, writer *w, const test_states *s, const test_extra *extra)
{
    const unsigned functions = e->options->functions;
    const size_t vector = s->n * s->nv, matrix = vector * s->nv;
    put_array(e, w, "q", s->q, s->n * s->nq);
    for (int i = 0; i < EXTRAS; i++) {
        if (functions & extra[i].bit) put_array(e, w, extra[i].name, extra[i].x, s->n * extra[i].size);
    }
    if (functions & ~(unsigned)(HML_GENERATE_MASS_MATRIX | HML_GENERATE_FRAMES)) {
        put_array(e, w, "v", s->v, vector);
        put_array(e, w, "tau", s->tau, vector);
    }
    if (functions & (HML_GENERATE_LINEARIZE | HML_GENERATE_FORWARD_DYNAMICS))
        put_array(e, w, "acceleration", s->acceleration, vector);
    if (functions & HML_GENERATE_INVERSE_DYNAMICS) put_array(e, w, "force", s->force, vector);
    if (functions & HML_GENERATE_LINEARIZE) {
        put_array(e, w, "Dq", s->Dq, matrix);
        put_array(e, w, "Dv", s->Dv, matrix);
        put_array(e, w, "Minv", s->Minv, matrix);
    }
    if (functions & HML_GENERATE_MASS_MATRIX) put_array(e, w, "M", s->M, matrix);
    if (functions & (HML_GENERATE_LINEARIZE | HML_GENERATE_HELD_LINEARIZE)) {
        hmli_template_put(w, &e->values, "test_scales");
        put_array(e, w, "scales", s->scale, s->n * SCALES);
    }
}

static void put_program(emitter *e, writer *w)
{
    static const struct {
        unsigned bit;
        const char *section;
    } calls[] = {{HML_GENERATE_LINEARIZE, "test_linearize"},
                 {HML_GENERATE_FORWARD_DYNAMICS, "test_forward_dynamics"},
                 {HML_GENERATE_INVERSE_DYNAMICS, "test_inverse_dynamics"},
                 {HML_GENERATE_MASS_MATRIX, "test_mass_matrix"},
                 {HML_GENERATE_STEP_LINEARIZE, "test_step_linearize"},
                 {HML_GENERATE_FRAMES, "test_frames"},
                 {HML_GENERATE_HELD_LINEARIZE, "test_held_linearize"}};
    hmli_template_text(&e->values, "test_h", e->options->single ? "0.01f" : "0.01");
    hmli_template_text(&e->values, "tolerance", e->options->single ? "2e-3" : "1e-11");
    hmli_template_put(w, &e->values, "test_begin");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (e->options->functions & calls[i].bit) hmli_template_put(w, &e->values, calls[i].section);
    }
    hmli_template_put(w, &e->values, "test_end");
    if (hmli_emit_batch(e)) hmli_template_put(w, &e->values, "test_batch");
    hmli_template_put(w, &e->values, "test_report");
}

/* "knee, ankle": the coordinates that nothing gives any inertia at the first state that has such */
static void name_singular(const emitter *e, hml_work *work, const test_states *s, writer *names)
{
    int *marks = calloc(s->nv + 1, sizeof *marks), any = 0;
    for (size_t i = 0; marks && i < s->n && !any; i++) {
        if (hml_singular_coordinates(e->model, work, s->q + i * s->nq, marks)) break;
        for (size_t k = 0; k < s->nv; k++) {
            char name[256];
            if (!marks[k] || hml_model_velocity_name(e->model, (int32_t)k, name, sizeof name)) continue;
            hmli_writer_print(names, "%s%s", any++ ? ", " : "", name);
        }
    }
    free(marks);
}

/* why there are no states */
static void report(const emitter *e, hml_work *work, const test_states *s, hml_status status, hml_error *error)
{
    writer singular = {0};
    if (status == HML_SINGULAR) name_singular(e, work, s, &singular);
    if (singular.data)
        hmli_report(error, status, NULL, 0,
                    "the test has no states: the mass matrix is singular: nothing gives %s any inertia", singular.data);
    else
        hmli_report(error, status, NULL, 0, "the test has no states: %s",
                    status == HML_INCONSISTENT ? "the holds are redundant, or contradict each other"
                                               : hml_status_message(status));
    hmli_writer_free(&singular);
}

hml_status hmli_emit_test(emitter *e, writer *w, hml_error *error)
{
    test_states states = {0};
    test_extra extra[EXTRAS];
    hml_work *work = NULL;
    hml_status status = HML_OUT_OF_MEMORY;
    double *more = lay_out(e, (size_t)e->options->test_states, extra);
    if (more && allocate(&states, e->model, e->options->test_states))
        status = hml_work_new(e->model, HML_ISA_BEST, HML_USE_ALL, &work);
    if (!status) status = compute(e->model, work, e->options->single, &states);
    if (!status) status = compute_extra(e, work, &states, extra);
    if (status && status != HML_OUT_OF_MEMORY) report(e, work, &states, status, error);
    if (!status) {
        hmli_template_integer(&e->values, "states", e->options->test_states);
        hmli_template_text(&e->values, "title", "Test: results of the library at random states.");
        hmli_template_put(w, &e->values, "head");
        hmli_template_put(w, &e->values, "test_head");
        put_states(e, w, &states, extra);
        put_program(e, w);
    }
    hml_work_free(work);
    free(states.q);
    free(more);
    return status;
}
