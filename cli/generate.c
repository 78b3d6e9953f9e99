/* hamel generate: C source for one robot. */
#include "hamel/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hamel/configuration.h"
#include "hamel/edit.h"
#include "hamel/random.h"

#include "holds.h"
#include "robot.h"

/* "robot.c (84 kB), robot.h" */
static void say(const cli_options *options, int64_t statements)
{
    struct stat about = {0};
    const int length = (int)strlen(options->out) - 2;
    if (options->quiet) return;
    if (stat(options->out, &about) != 0) about.st_size = 0;
    printf("%s (%.0f kB), %.*s.h", options->out, (double)about.st_size / 1e3, length, options->out);
    if (options->test) printf(", %.*s_test.c", length, options->out);
    printf(": about %lld statements\n", (long long)statements);
}

enum { FRAMES_MOST = 256, REALIGN_STATES = 32 };

static const double REALIGN = 1e-9; /* sines below it are those of a round angle */

/* the largest difference of two arrays over the largest entry of the first */
static double difference(const double *a, const double *b, size_t n)
{
    double most = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    return largest > 0 ? most / largest : 0;
}

/* D_q, D_ν and M⁻¹ at a state; zeros where it fails */
static void derivatives(const hml_model *m, hml_work *work, const double *q, const double *v, const double *tau,
                        double *to)
{
    const size_t nv = (size_t)hml_model_nv(m), block = nv * nv;
    const hml_linearization x = HML_STRUCT(hml_linearization, .q.data = q, .v.data = v, .tau.data = tau, .Dq.data = to,
                                           .Dv.data = to + block, .Minv.data = to + 2 * block);
    if (hml_linearize(m, work, &x)) memset(to, 0, 3 * block * sizeof *to);
}

/* how much the linearizations of two versions of a robot differ at random states */
static double largest_difference(const hml_model *const models[2], hml_work *const work[2], double *room)
{
    const size_t nq = (size_t)hml_model_nq(models[0]), nv = (size_t)hml_model_nv(models[0]), block = nv * nv;
    double *q = room, *v = q + nq, *tau = v + nv, *one = tau + nv, *other = one + 3 * block, worst = 0;
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    for (int s = 0; s < REALIGN_STATES; s++) {
        hml_configuration_random(models[0], &rng, q);
        for (size_t i = 0; i < 2 * nv; i++) v[i] = hml_rng_normal(&rng);
        derivatives(models[0], work[0], q, v, tau, one);
        derivatives(models[1], work[1], q, v, tau, other);
        for (size_t k = 0; k < 3; k++) worst = fmax(worst, difference(one + k * block, other + k * block, block));
    }
    return worst;
}

/* the same; negative: there is no memory */
static double compare(const hml_model *one, const hml_model *other)
{
    const size_t nv = (size_t)hml_model_nv(one);
    const hml_model *models[2] = {one, other};
    hml_work *work[2] = {NULL, NULL};
    double *room = calloc((size_t)hml_model_nq(one) + 2 * nv + 6 * nv * nv + 1, sizeof *room), worst = -1;
    if (room && !hml_work_new(one, HML_ISA_BEST, HML_USE_ALL, &work[0]) &&
        !hml_work_new(other, HML_ISA_BEST, HML_USE_ALL, &work[1]))
        worst = largest_difference(models, work, room);
    for (int k = 0; k < 2; k++) hml_work_free(work[k]);
    free(room);
    return worst;
}

/* the robot with round angles, in place of the one that was loaded; says what that changes */
static int realign(const cli_options *options, robot *r)
{
    hml_model *round = NULL;
    double angle = 0;
    const hml_status status = hml_model_realign(r->model, REALIGN, &round, &angle);
    if (status) return cli_fail(CLI_COMPUTE, "--realign: %s", hml_status_message(status));
    const double worst = angle > 0 ? compare(r->model, round) : 0;
    if (worst < 0) {
        hml_model_free(round);
        return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    }
    if (!options->quiet && angle > 0)
        printf("realigned: placements turned by at most %.1e rad; D_q, D_v, M^-1 differ by %.1e of their largest entry "
               "at %d "
               "random states\n",
               angle, worst, REALIGN_STATES);
    else if (!options->quiet)
        printf("realigned: nothing, no angle is round but for rounding\n");
    hml_model_free(r->model);
    r->model = round;
    return CLI_OK;
}

/* what --frames and --hold say; both arrays outlive the options */
static int read_lists(const cli_options *options, const robot *r, hml_constraint *holds, int32_t *frames,
                      hml_generate_options *generate)
{
    int status = holds_read(options, r, holds);
    if (options->nholds) generate->holds = holds, generate->hold_count = options->nholds;
    for (const char *names = options->frames; names && *names && status == CLI_OK;) {
        const size_t length = strcspn(names, ",");
        if (generate->frame_count == FRAMES_MOST)
            return cli_fail(CLI_USAGE, "--frames: more than %d frames", FRAMES_MOST);
        status = holds_frame(r, names, length, &frames[generate->frame_count++]);
        names += length + (names[length] == ',');
        generate->frames = frames;
    }
    return status;
}

/* what is asked for, and would not be in the code */
static int check_functions(const cli_options *options)
{
    const unsigned functions = options->functions;
    if (options->nholds && functions && !(functions & HML_GENERATE_HELD_LINEARIZE))
        return cli_fail(CLI_USAGE, "--hold is about held_linearize, which is not among --functions");
    if (options->frames && functions && !(functions & HML_GENERATE_FRAMES))
        return cli_fail(CLI_USAGE, "--frames is about frames, which are not among --functions");
    return CLI_OK;
}

static void set_options(const cli_options *options, hml_generate_options *generate)
{
    hml_generate_options_init(generate);
    generate->functions = options->functions;
    generate->single = options->single;
    generate->force = options->force;
    generate->target = options->vectors ? HML_TARGET_VECTOR : HML_TARGET_C;
    generate->test = options->test;
    generate->batch = options->generate_batch;
}

int cli_generate(const cli_options *options)
{
    robot r = {.file = NULL};
    hml_error error = {0};
    hml_generate_options generate;
    hml_constraint holds[CLI_HOLDS];
    int32_t frames[FRAMES_MOST];
    int64_t statements = 0;
    if (!options->out) return cli_fail(CLI_USAGE, "generate needs --out FILE.c");
    set_options(options, &generate);
    int status = check_functions(options);
    if (status == CLI_OK) status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK && options->realign) status = realign(options, &r);
    if (status == CLI_OK) status = read_lists(options, &r, holds, frames, &generate);
    if (status == CLI_OK) {
        error.status = hml_generate_estimate(r.model, &generate, &statements);
        if (!error.status && statements > HML_GENERATE_LIMIT && generate.force && !options->quiet)
            fprintf(stderr, "hamel: about %lld statements: this takes a while, and longer to compile\n",
                    (long long)statements);
        if (!error.status) error.status = hml_generate(r.model, &generate, options->out, &error);
        if (error.status) status = cli_fail_error(&error);
    }
    if (status == CLI_OK && !options->quiet && hml_model_nloops(r.model) > 0)
        robot_warn(r.file, "the code is that of the tree: the loops of the model are not in it");
    if (status == CLI_OK) say(options, statements);
    robot_free(&r);
    return status;
}
