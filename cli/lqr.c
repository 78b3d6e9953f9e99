/* hamel lqr: the linear-quadratic regulator about a state, also of a robot whose feet are held. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/control.h"
#include "hamel/discrete.h"
#include "linear.h"
#include "loops.h"
#include "margins.h"
#include "outputs.h"
#include "simulate.h"
#include "system.h"
#include "table.h"

/* the system that is solved: that of linearize, or in the coordinates that the holds leave */
typedef struct regulator {
    linear_state s;
    size_t n, m, all;       /* states, inputs, states with integrals */
    output_set outputs;     /* whose integrals are states too */
    double *Q, *R, *Qi;     /* n × n, m × m, and of the integrals */
    double *K, *Ki, *poles; /* m × n, m × outputs, all × 2 */
    double *C;              /* outputs × n */
    double *Ad, *Bd;        /* discrete */
    double *A, *B, *both;   /* all × all, all × m, m × all: the system and the gain with the integrals */
    double *full;           /* m × 2nv: K for the perturbation of all coordinates */
    double *frequency;      /* all: in Hz */
    double *damping;        /* all: ratio */
    double *memory, *scratch;
    margin_set margins;
    hml_lqr_report report;
} regulator;

/* ---- room ---- */

static int allocate(const robot *r, regulator *g)
{
    const size_t nv = (size_t)r->nv, n = g->n = g->s.n, m = g->m = g->s.m, p = g->outputs.count, all = g->all = n + p;
    double **const parts[] = {&g->Q,  &g->R, &g->Qi, &g->K,    &g->Ki,   &g->poles,     &g->C,      &g->Ad,
                              &g->Bd, &g->A, &g->B,  &g->both, &g->full, &g->frequency, &g->damping};
    const size_t sizes[] = {n * n, m * m,     p * p,   m * n,   m * p,      2 * all, p * n, n * n,
                            n * m, all * all, all * m, m * all, m * 2 * nv, all,     all};
    size_t total = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) total += sizes[i];
    g->memory = calloc(total, sizeof *g->memory);
    if (!g->memory) return robot_fail(r, HML_OUT_OF_MEMORY);
    double *next = g->memory;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *parts[i] = next, next += sizes[i];
    return CLI_OK;
}

static int make_scratch(const robot *r, size_t doubles, regulator *g)
{
    free(g->scratch);
    g->scratch = malloc((doubles + 1) * sizeof *g->scratch);
    return g->scratch ? CLI_OK : robot_fail(r, HML_OUT_OF_MEMORY);
}

static void release(regulator *g)
{
    free(g->scratch);
    margins_free(&g->margins);
    outputs_free(&g->outputs);
    free(g->memory);
    system_free(&g->s);
}

/* ---- weights ---- */

static int no_inputs(const robot *r)
{
    return cli_fail(CLI_INPUT, "%s: no joint is actuated; --inputs all gives every coordinate an input", r->file);
}

/* C += w AᵀB of columns of matrices of nv rows and r columns, into a block of Q that begins at `at` */
static void add_gram(const robot *r, const regulator *g, double w, const double *A, const double *B, double *at)
{
    const size_t f = g->n / 2;
    for (size_t i = 0; i < f; i++)
        for (size_t j = 0; j < f; j++)
            for (size_t k = 0; k < (size_t)r->nv; k++) at[i * g->n + j] += w * A[k * f + i] * B[k * f + j];
}

/* those of z = Z y and w = X y + Z u, as those of y and u; without holds z and w are the states themselves */
static void set_weights(const cli_options *options, const robot *r, regulator *g)
{
    const size_t n = g->n, f = n / 2;
    const double wq = options->weight_position, wv = options->weight_velocity, *Z = g->s.Z, *X = g->s.X;
    for (size_t i = 0; i < g->m; i++) g->R[i * g->m + i] = options->weight_input;
    for (size_t i = 0; i < g->outputs.count; i++) g->Qi[i * g->outputs.count + i] = options->weight_integral;
    for (size_t i = 0; !Z && i < n; i++) g->Q[i * n + i] = i < f ? wq : wv;
    if (!Z) return;
    add_gram(r, g, wq, Z, Z, g->Q);
    add_gram(r, g, wv, X, X, g->Q);
    add_gram(r, g, wv, X, Z, g->Q + f);
    add_gram(r, g, wv, Z, X, g->Q + f * n);
    add_gram(r, g, wv, Z, Z, g->Q + f * n + f);
}

/* ---- does the state stay? ---- */

static const double STAYS = 1e-3; /* m/s² or rad/s²: what a state file with few digits leaves */

/* the regulator is that of perturbations of a motion: where the robot does not rest, it is driven away from the state */
static void warn_of_motion(const cli_options *options, const robot *r, const linear_state *s)
{
    char sentence[256];
    if (options->quiet || !(s->acceleration > STAYS)) return;
    snprintf(sentence, sizeof sentence,
             "the state does not stay: the largest acceleration is %.3g (%s); hamel trim finds a state that does",
             s->acceleration, r->labels[s->fastest]);
    robot_warn(r->file, sentence);
}

/* ---- its solution ---- */

/*
 * What helps where no input moves a mode: a robot that floats keeps its momentum, and its modes are 0, or 1 in discrete
 * time. Others that a step multiplies are lost in its rounding if it is long.
 */
static const char *advice(const cli_options *options, const robot *r, const double mode[2])
{
    const int discrete = options->discrete > 0;
    const int still = hypot(mode[0] - discrete, mode[1]) < 1e-3;
    if (still && strcmp(r->base, "free") == 0 && !options->nholds && !options->all_inputs)
        return "; forces of the joints cannot change the momentum of a robot that floats: --hold its feet, or take "
               "--inputs all";
    return discrete && !still ? " in one step: the step of --discrete is too long for it" : "";
}

static int explain(const cli_options *options, const robot *r, hml_status status, const hml_lqr_report *x)
{
    const int outputs = options->integral != NULL, discrete = options->discrete > 0;
    if (status == HML_NOT_STABILIZABLE && x->unseen)
        return cli_fail(CLI_COMPUTE, "%s: the weights do not see the mode %.6g%+.6gi on the border of stability",
                        r->file, x->mode[0], x->mode[1]);
    if (status == HML_NOT_STABILIZABLE && outputs && hypot(x->mode[0] - (discrete ? 1 : 0), x->mode[1]) < 1e-6)
        return cli_fail(CLI_COMPUTE,
                        "%s: --integral: no constant input holds all these outputs, or no input moves the mode %.6g",
                        r->file, x->mode[0]);
    if (status == HML_NOT_STABILIZABLE)
        return cli_fail(CLI_COMPUTE, "%s: not stabilizable: no input moves the mode %.6g%+.6gi%s", r->file, x->mode[0],
                        x->mode[1], advice(options, r, x->mode));
    return robot_fail(r, status);
}

static int solve(const cli_options *options, const robot *r, regulator *g)
{
    const size_t n = g->n, m = g->m, nv = (size_t)r->nv;
    const double *A = g->s.A, *B = g->s.B;
    if (options->discrete > 0) {
        const int made = make_scratch(r, hml_discretize_scratch_doubles(n, m), g);
        if (made != CLI_OK) return made;
        const hml_status status = hml_discretize(n, m, A, B, options->discrete, g->scratch, g->Ad, g->Bd);
        if (status) return robot_fail(r, status);
        A = g->Ad, B = g->Bd;
    }
    const size_t p = g->outputs.count;
    const int made = make_scratch(r, p ? hml_lqr_integral_scratch_doubles(n, m, p) : hml_lqr_scratch_doubles(n, m), g);
    if (made != CLI_OK) return made;
    g->report.struct_size = sizeof g->report;
    hml_status status;
    if (p) {
        const hml_lqr_integral problem =
            HML_STRUCT(hml_lqr_integral, .n = n, .m = m, .p = p, .A = A, .B = B, .C = g->C, .Q = g->Q, .Qi = g->Qi,
                       .R = g->R, .step = options->discrete, .K = g->K, .Ki = g->Ki, .A_all = g->A, .B_all = g->B,
                       .K_all = g->both, .poles = g->poles);
        status = hml_lqr_integral_solve(&problem, g->scratch, &g->report);
    } else {
        const hml_lqr problem =
            HML_STRUCT(hml_lqr, .n = n, .m = m, .A = A, .B = B, .Q = g->Q, .R = g->R, .K = g->K, .poles = g->poles);
        status = (options->discrete > 0 ? hml_lqr_solve_discrete : hml_lqr_solve)(&problem, g->scratch, &g->report);
    }
    if (status) return explain(options, r, status, &g->report);
    g->margins.names = g->s.inputs;
    const int found =
        margins_find(r, g->all, m, p ? g->A : A, p ? g->B : B, p ? g->both : g->K, options->discrete, &g->margins);
    if (found != CLI_OK) return found;
    /* y = P z and u = P w: the gain for perturbations of all coordinates */
    const size_t f = n / 2;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < 2 * nv; j++) {
            const size_t half = j / nv, at = i * 2 * nv + j;
            g->full[at] = g->s.P ? 0 : g->K[i * n + j];
            for (size_t k = 0; g->s.P && k < f; k++)
                g->full[at] += g->K[i * n + half * f + k] * g->s.P[k * nv + j % nv];
        }
    }
    return CLI_OK;
}

/* natural frequency and damping of each pole; of a discrete one, those of log(z)/h */
static void look_at_poles(double h, regulator *g)
{
    for (size_t i = 0; i < g->all; i++) {
        double re = g->poles[2 * i], im = g->poles[2 * i + 1], size = hypot(re, im);
        if (h > 0) {
            const double angle = atan2(im, re);
            re = log(fmax(size, 1e-300)) / h, im = angle / h;
            size = hypot(re, im);
        }
        g->frequency[i] = size / (2 * acos(-1));
        g->damping[i] = size > 0 ? -re / size : 1;
    }
}

/* ---- answers ---- */

static hml_result *result_of(const cli_options *options, const robot *r, const regulator *g)
{
    const size_t n = g->all, nv = (size_t)r->nv, K[2] = {g->m, 2 * nv}, poles[2] = {n, 2},
                 Ki[2] = {g->m, g->outputs.count};
    hml_result *result = hml_result_new();
    robot_add_common(r, HML_LEFT, result);
    hml_result_add_numbers(result, "K", 2, K, g->full);
    if (g->outputs.count) {
        hml_result_add_numbers(result, "Ki", 2, Ki, g->Ki);
        hml_result_add_texts(result, "integral_names", g->outputs.count, (const char *const *)g->outputs.names);
    }
    hml_result_add_numbers(result, "poles", 2, poles, g->poles);
    hml_result_add_numbers(result, "frequency_hz", 1, &n, g->frequency);
    hml_result_add_numbers(result, "damping_ratio", 1, &n, g->damping);
    margins_add(&g->margins, result);
    hml_result_add_number(result, "residual", g->report.residual);
    hml_result_add_texts(result, "input_names", g->m, g->s.inputs);
    hml_result_add_numbers(result, "torque", 1, &nv, r->state->tau);
    hml_result_add_number(result, "step", options->discrete);
    return result;
}

static void print_all(const cli_options *options, const robot *r, const regulator *g)
{
    const int n = 2 * r->nv;
    char **names = linear_state_names(r);
    if (!names) {
        cli_lose_memory();
        return;
    }
    table_matrix(stdout, "K", (int)g->m, n, g->full, (size_t)n, g->s.inputs, (const char *const *)names);
    linear_free_names(names, n);
    if (g->outputs.count)
        table_matrix(stdout, "Ki", (int)g->m, (int)g->outputs.count, g->Ki, g->outputs.count, g->s.inputs,
                     (const char *const *)g->outputs.names);
    table *t = table_new(4, "rrrr");
    static const char *const heading[] = {"real", "imaginary", "frequency (Hz)", "damping ratio"};
    for (int i = 0; i < 4; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < g->all; i++) {
        table_number(t, g->poles[2 * i]);
        table_number(t, g->poles[2 * i + 1]);
        table_number(t, g->frequency[i]);
        table_number(t, g->damping[i]);
    }
    table_heading(stdout,
                  options->discrete > 0 ? "Poles of the closed loop, in discrete time" : "Poles of the closed loop");
    table_print(t, stdout);
    table_free(t);
    margins_print(&g->margins);
    table_heading(stdout, "Solution");
    printf("relative residual    %.2g\ndoubling steps       %d\nrefinements          %d\n", g->report.residual,
           (int)g->report.iterations, (int)g->report.refinements);
}

/* ---- does it hold? ---- */

static int check_options(const cli_options *options)
{
    const int given = options->ground || options->lift || options->height >= 0 || options->friction >= 0 ||
                      options->contacts || options->terrain || options->plot || options->view ||
                      !isnan(options->push[0]) || !isnan(options->disturb[0]);
    if (!(options->recovery > 0) && given)
        return cli_fail(CLI_USAGE,
                        "--push, --disturb, --ground, --plot, --view and what belongs to them need --simulate T");
    if (options->recovery > 0 && options->nholds && !options->ground)
        return cli_fail(CLI_USAGE, "--simulate of a robot whose feet are held needs --ground, on which they stand");
    return simulate_check_ground(options);
}

/* digital control: the forces are held over every step */
static int recover(const cli_options *options, robot *r, regulator *g)
{
    cli_options o = *options;
    feedback f;
    o.out = NULL;
    o.time = options->recovery;
    o.step = options->discrete > 0 ? options->discrete : 1e-3;
    if (!o.ground) o.integrator = HML_SCHEME_RK4;
    if (o.ground && o.nholds && !o.lift && o.height < 0) o.height = 0; /* feet that are held stand on it */
    int status = feedback_make(options, r, g->full, &g->outputs, g->Ki, &f);
    if (status == CLI_OK) status = simulate_robot(&o, r, &f);
    if (status == CLI_OK && !options->out) feedback_print(r, &f);
    feedback_free(&f);
    return status;
}

int cli_lqr(const cli_options *options)
{
    robot r = {.file = NULL};
    regulator g = {0};
    int status = check_options(options);
    if (status == CLI_OK) status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_must_move(&r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK) status = system_read(options, &r, &g.s);
    if (status == CLI_OK && g.s.m == 0) status = no_inputs(&r);
    if (status == CLI_OK) warn_of_motion(options, &r, &g.s);
    if (status == CLI_OK) status = outputs_read(options, &r, &g.outputs);
    if (status == CLI_OK) status = allocate(&r, &g);
    if (status == CLI_OK) outputs_reduce(&r, &g.s, &g.outputs, g.C);
    if (status == CLI_OK) set_weights(options, &r, &g);
    if (status == CLI_OK) status = solve(options, &r, &g);
    if (status == CLI_OK) look_at_poles(options->discrete, &g);
    if (status == CLI_OK && options->out) {
        status = robot_write(options, result_of(options, &r, &g));
    } else if (status == CLI_OK) {
        robot_print_header(&r, HML_LEFT);
        print_all(options, &r, &g);
    }
    if (status == CLI_OK && options->recovery > 0) status = recover(options, &r, &g);
    release(&g);
    robot_free(&r);
    return status;
}
