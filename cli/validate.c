/* hamel validate: the derivatives of forward dynamics against geometric differences (Bos, section 5). */
#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/linearize.h"
#include "term.h"

/* the best step of a forward difference leaves about the square root of the rounding error, 1e-8, times the ratio of
 * second to first derivatives; a wrong term in the linearization would leave itself, at every step */
static const double AGREEMENT = 1e-5;

typedef struct scratch {
    int32_t nq, nv;
    int *is_base;                                         /* nv */
    double *q, *v, *tau, *a, *q2, *v2, *a2, *z, *Dq, *Dv; /* vectors, and nv × nv */
    double *memory;
} scratch;

static int scratch_new(const robot *r, scratch *b)
{
    size_t nq = (size_t)r->nq, n = (size_t)r->nv;
    *b = (scratch){.nq = r->nq, .nv = r->nv};
    b->is_base = calloc(n + 1, sizeof *b->is_base);
    b->memory = calloc(2 * nq + 6 * n + 2 * n * n + 1, sizeof *b->memory);
    if (!b->is_base || !b->memory) return 0;
    b->q = b->memory, b->q2 = b->q + nq, b->v = b->q2 + nq, b->v2 = b->v + n, b->tau = b->v2 + n;
    b->a = b->tau + n, b->a2 = b->a + n, b->z = b->a2 + n, b->Dq = b->z + n, b->Dv = b->Dq + n * n;
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_joint(r->model, i, &joint);
        hml_model_body(r->model, joint.body, &body);
        for (int32_t k = 0; k < joint.nv; k++) {
            b->is_base[joint.v + k] = joint.type == HML_JOINT_FREE && body.parent < 0;
        }
    }
    return 1;
}

static void scratch_free(scratch *b)
{
    free(b->is_base);
    free(b->memory);
}

/* H and v are the base's, s and r the joints'; first the configuration, then the velocity */
static int part_of(const scratch *b, int32_t column, int velocity)
{
    return (velocity ? 2 : 0) + (b->is_base[column] ? 0 : 1);
}

static hml_status differentiate(const hml_model *model, hml_work *work, scratch *b, validate_sums *sums)
{
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {b->q, 0},
                           .v = {b->v, 0},
                           .tau = {b->tau, 0},
                           .acceleration = {b->a, 0, 0},
                           .Dq = {b->Dq, 0, 0},
                           .Dv = {b->Dv, 0, 0}};
    hml_status status = hml_linearize(model, work, &x);
    if (status) return status;
    for (int32_t c = 0; c < b->nv; c++) {
        int H = part_of(b, c, 0), v = part_of(b, c, 1);
        sums->entries[H] += b->nv;
        sums->entries[v] += b->nv;
        sums->accelerations++;
        sums->acceleration += fabs(b->a[c]);
        for (int32_t i = 0; i < b->nv; i++) {
            sums->exact[H] += fabs(b->Dq[i * b->nv + c]);
            sums->exact[v] += fabs(b->Dv[i * b->nv + c]);
        }
    }
    return hml_forward_dynamics(model, work, b->q, b->v, b->tau, NULL, b->a);
}

/* column c of D_q (velocity 0) or D_ν (1) against (FD(x ⊕ δ e_c) − FD(x))/δ, Bos (82)-(85) */
static hml_status compare(const hml_model *model, hml_work *work, scratch *b, int32_t c, int velocity, double step,
                          double largest[VALIDATE_PARTS], double deviation[VALIDATE_PARTS])
{
    memcpy(b->v2, b->v, (size_t)b->nv * sizeof *b->v);
    memset(b->z, 0, (size_t)b->nv * sizeof *b->z);
    if (velocity)
        b->v2[c] += step;
    else
        b->z[c] = step;
    hml_status status = hml_configuration_integrate(model, b->q, b->z, b->q2);
    if (!status) status = hml_forward_dynamics(model, work, b->q2, b->v2, b->tau, NULL, b->a2);
    int part = part_of(b, c, velocity);
    const double *exact = velocity ? b->Dv : b->Dq;
    for (int32_t i = 0; i < b->nv && !status; i++) {
        double error = fabs(exact[i * b->nv + c] - (b->a2[i] - b->a[i]) / step);
        deviation[part] += error;
        if (!(error <= largest[part])) largest[part] = error; /* keeps a NaN */
    }
    return status;
}

static hml_status sample(const hml_model *model, hml_work *work, hml_representation drawn, scratch *b, hml_rng *rng,
                         validate_sums *sums)
{
    hml_status status = validate_state(model, work, b->is_base, drawn, rng, b->q, b->v, b->tau);
    if (!status) status = differentiate(model, work, b, sums);
    for (int k = 0; k < VALIDATE_STEPS && !status; k++) {
        for (int32_t c = 0; c < 2 * b->nv && !status; c++) {
            status =
                compare(model, work, b, c % b->nv, c >= b->nv, pow(10, -1 - k), sums->largest[k], sums->deviation[k]);
        }
    }
    return status;
}

/* the same of a robot with other placements and inertias */
static hml_status sample_redrawn(const robot *r, hml_representation drawn, scratch *b, hml_rng *rng,
                                 validate_sums *sums)
{
    hml_model *model = NULL;
    hml_work *work = NULL;
    hml_status status = validate_redraw(r->model, rng, &model);
    if (!status) status = hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work);
    if (!status) status = sample(model, work, drawn, b, rng, sums);
    hml_work_free(work);
    hml_model_free(model);
    return status;
}

/* a derivative this much smaller than the others is not there: differences have eight digits of them at best */
static const double VANISHING = 1e-8;

static void divide(const validate_sums *sums, validate_errors *errors)
{
    double entries = 0, exact = 0;
    for (int p = 0; p < VALIDATE_PARTS; p++) entries += (double)sums->entries[p], exact += sums->exact[p];
    double all = entries > 0 ? exact / entries : 0;
    double acceleration = sums->accelerations > 0 ? sums->acceleration / (double)sums->accelerations : 0;
    double otherwise = all > VANISHING * acceleration ? all : acceleration > 0 ? acceleration : 1;
    for (int p = 0; p < VALIDATE_PARTS; p++) {
        double n = (double)sums->entries[p], mean = n > 0 ? sums->exact[p] / n : 0;
        errors->present[p] = n > 0;
        errors->vanishes[p] = n > 0 && !(mean > VANISHING * otherwise);
        errors->scale[p] = errors->vanishes[p] ? otherwise : mean;
        for (int k = 0; k < VALIDATE_STEPS; k++) {
            errors->max[k][p] = n > 0 ? sums->largest[k][p] / errors->scale[p] : 0;
            errors->average[k][p] = n > 0 ? sums->deviation[k][p] / n / errors->scale[p] : 0;
        }
    }
    for (int k = 0; k < VALIDATE_STEPS; k++) errors->step[k] = pow(10, -1 - k);
}

/* the robot of the file itself, at rest: a singular one is said to be that, though what is drawn from it is not */
static hml_status try_model(const robot *r)
{
    double *a = calloc((size_t)r->nv + 1, sizeof *a);
    hml_status status = HML_OUT_OF_MEMORY;
    if (a) status = hml_forward_dynamics(r->model, r->work, r->state->q, r->state->v, NULL, NULL, a);
    free(a);
    return status;
}

static hml_status measure(const robot *r, const cli_options *options, validate_errors *errors)
{
    scratch b;
    hml_rng rng;
    const hml_representation drawn = options->left_twist ? HML_LEFT : HML_RIGHT;
    errors->redrawn = options->random || options->nmodels == 0;
    hml_status status = scratch_new(r, &b) ? HML_OK : HML_OUT_OF_MEMORY;
    validate_sums *sums = calloc(1, sizeof *sums);
    if (!sums) status = HML_OUT_OF_MEMORY;
    hml_rng_seed(&rng, options->seed);
    for (long i = 0; i < options->samples && !status; i++) {
        if (!options->quiet) term_progress("validate", "", i, options->samples);
        status = errors->redrawn ? sample_redrawn(r, drawn, &b, &rng, sums)
                                 : sample(r->model, r->work, drawn, &b, &rng, sums);
    }
    term_progress_end();
    errors->samples = options->samples;
    if (!status) divide(sums, errors);
    free(sums);
    scratch_free(&b);
    return status;
}

/* at its best step every derivative agrees with its difference */
static int agrees(const validate_errors *errors)
{
    for (int p = 0; p < VALIDATE_PARTS; p++) {
        double best = INFINITY;
        for (int k = 0; k < VALIDATE_STEPS; k++) best = fmin(best, errors->average[k][p]);
        if (!(best < AGREEMENT)) return 0;
    }
    return 1;
}

/* results.json → results-study */
static int study_beside(const char *out, const validate_errors *errors)
{
    size_t size = strlen(out) + sizeof "-study";
    char *prefix = malloc(size);
    if (!prefix) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
    int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - out) : strlen(out));
    snprintf(prefix, size, "%.*s-study", stem, out);
    int status = validate_write_study(errors, prefix);
    free(prefix);
    return status;
}

static int write_all(const robot *r, const cli_options *options, const validate_errors *errors)
{
    int status = options->study ? validate_write_study(errors, options->study) : CLI_OK;
    if (status != CLI_OK || !options->out) return status;
    hml_result *result = hml_result_new();
    robot_add_common(r, HML_LEFT, result);
    validate_add(errors, result);
    status = robot_write(options, result);
    int has_ending = strrchr(options->out, '.') != NULL; /* not so for /dev/stdout */
    if (status == CLI_OK && !options->study && has_ending) status = study_beside(options->out, errors);
    return status;
}

int cli_validate(const cli_options *options)
{
    robot r;
    validate_errors errors = {.samples = 0};
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_must_move(&r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) {
        hml_status measured = try_model(&r);
        if (!measured) measured = measure(&r, options, &errors);
        if (measured) status = robot_fail(&r, measured);
    }
    if (status == CLI_OK) status = write_all(&r, options, &errors);
    if (status == CLI_OK && !options->out) {
        robot_print_header(&r, HML_LEFT);
        validate_print(&errors, options->nmodels == 0);
    }
    if (status == CLI_OK && !agrees(&errors)) {
        status = cli_fail(CLI_COMPUTE, "%s: the linearization disagrees with the differences", r.file);
    }
    robot_free(&r);
    return status;
}
