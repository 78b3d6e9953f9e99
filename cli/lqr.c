/* hamel lqr: the linear-quadratic regulator about a state, also of a robot whose feet are held. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/control.h"
#include "hamel/discrete.h"
#include "linear.h"
#include "loops.h"
#include "simulate.h"
#include "system.h"
#include "table.h"

/* the system that is solved: that of linearize, or in the coordinates that the holds leave */
typedef struct regulator {
    linear_state s;
    size_t n, m;       /* states, inputs */
    double *Q, *R;     /* n × n, m × m */
    double *K, *poles; /* m × n, n × 2 */
    double *Ad, *Bd;   /* discrete */
    double *full;      /* m × 2nv: K for the perturbation of all coordinates */
    double *frequency; /* n: in Hz */
    double *damping;   /* n: ratio */
    double *memory, *scratch;
    hml_margin *margins; /* m */
    hml_disk disks[3];   /* of S, T and (S − T)/2 */
    hml_lqr_report report;
} regulator;

/* ---- room ---- */

static int allocate(const robot *r, regulator *g)
{
    const size_t nv = (size_t)r->nv, n = g->n = g->s.n, m = g->m = g->s.m;
    double **const parts[] = {&g->Q, &g->R, &g->K, &g->poles, &g->Ad, &g->Bd, &g->full, &g->frequency, &g->damping};
    const size_t sizes[] = {n * n, m * m, m * n, 2 * n, n * n, n * m, m * 2 * nv, n, n};
    size_t total = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) total += sizes[i];
    g->memory = calloc(total, sizeof *g->memory);
    g->margins = calloc(m + 1, sizeof *g->margins);
    if (!g->memory || !g->margins) return robot_fail(r, HML_OUT_OF_MEMORY);
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
    free(g->margins);
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
    for (size_t i = 0; !Z && i < n; i++) g->Q[i * n + i] = i < f ? wq : wv;
    if (!Z) return;
    add_gram(r, g, wq, Z, Z, g->Q);
    add_gram(r, g, wv, X, X, g->Q);
    add_gram(r, g, wv, X, Z, g->Q + f);
    add_gram(r, g, wv, Z, X, g->Q + f * n);
    add_gram(r, g, wv, Z, Z, g->Q + f * n + f);
}

/* ---- its solution ---- */

static int explain(const robot *r, hml_status status, const hml_lqr_report *x)
{
    if (status == HML_NOT_STABILIZABLE && x->unseen)
        return cli_fail(CLI_COMPUTE, "%s: the weights do not see the mode %.6g%+.6gi on the border of stability",
                        r->file, x->mode[0], x->mode[1]);
    if (status == HML_NOT_STABILIZABLE)
        return cli_fail(CLI_COMPUTE, "%s: not stabilizable: no input moves the mode %.6g%+.6gi%s", r->file, x->mode[0],
                        x->mode[1],
                        strcmp(r->base, "free") == 0 ? "; forces of the joints cannot change the momentum of a robot "
                                                       "that floats: --hold its feet, or take --inputs all"
                                                     : "");
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
    const int made = make_scratch(r, hml_lqr_scratch_doubles(n, m), g);
    if (made != CLI_OK) return made;
    const hml_lqr problem =
        HML_STRUCT(hml_lqr, .n = n, .m = m, .A = A, .B = B, .Q = g->Q, .R = g->R, .K = g->K, .poles = g->poles);
    g->report.struct_size = sizeof g->report;
    const hml_status status =
        (options->discrete > 0 ? hml_lqr_solve_discrete : hml_lqr_solve)(&problem, g->scratch, &g->report);
    if (status) return explain(r, status, &g->report);
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

static int find_margins(const cli_options *options, const robot *r, regulator *g)
{
    const int made = make_scratch(r, hml_margins_scratch_doubles(g->n, g->m), g);
    if (made != CLI_OK) return made;
    const int steps = options->discrete > 0;
    const hml_margins problem =
        HML_STRUCT(hml_margins, .n = g->n, .m = g->m, .A = steps ? g->Ad : g->s.A, .B = steps ? g->Bd : g->s.B,
                   .K = g->K, .step = options->discrete, .inputs = g->margins, .sensitivity = &g->disks[0],
                   .complementary = &g->disks[1], .balanced = &g->disks[2]);
    const hml_status status = hml_margins_solve(&problem, g->scratch);
    return status ? robot_fail(r, status) : CLI_OK;
}

/* natural frequency and damping of each pole; of a discrete one, those of log(z)/h */
static void look_at_poles(double h, regulator *g)
{
    for (size_t i = 0; i < g->n; i++) {
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

/* infinite numbers, which JSON does not have, are null there */
static void add_margins(const regulator *g, hml_result *result)
{
    static const char *const names[] = {"gain_margin", "phase_margin_deg", "delay_margin", "margin_frequency"};
    const size_t m = g->m, widths[] = {2, 1, 1, 4};
    const double degrees = 180 / acos(-1);
    double *room = malloc((8 * m + 1) * sizeof *room), *parts[4] = {room};
    if (!room) {
        cli_lose_memory();
        return;
    }
    for (int k = 1; k < 4; k++) parts[k] = parts[k - 1] + widths[k - 1] * m;
    for (size_t i = 0; i < m; i++) {
        const hml_margin *x = &g->margins[i];
        const double all[] = {x->gain_frequency[0], x->gain_frequency[1], x->phase_frequency, x->delay_frequency};
        parts[0][2 * i] = x->gain[0], parts[0][2 * i + 1] = x->gain[1];
        parts[1][i] = x->phase * degrees, parts[2][i] = x->delay;
        memcpy(parts[3] + 4 * i, all, sizeof all);
    }
    for (size_t k = 0; k < 4; k++) {
        const size_t shape[2] = {m, widths[k]};
        hml_result_add_numbers(result, names[k], widths[k] > 1 ? 2 : 1, shape, parts[k]);
    }
    free(room);
    double disks[15];
    const size_t shape[2] = {3, 5};
    for (size_t k = 0; k < 3; k++) {
        const hml_disk *x = &g->disks[k];
        const double all[] = {x->peak, x->frequency, x->gain[0], x->gain[1], x->phase * degrees};
        memcpy(disks + 5 * k, all, sizeof all);
    }
    hml_result_add_numbers(result, "disk_margins", 2, shape, disks);
}

static hml_result *result_of(const cli_options *options, const robot *r, const regulator *g)
{
    const size_t n = g->n, nv = (size_t)r->nv, K[2] = {g->m, 2 * nv}, poles[2] = {n, 2};
    hml_result *result = hml_result_new();
    robot_add_common(r, HML_LEFT, result);
    hml_result_add_numbers(result, "K", 2, K, g->full);
    hml_result_add_numbers(result, "poles", 2, poles, g->poles);
    hml_result_add_numbers(result, "frequency_hz", 1, &n, g->frequency);
    hml_result_add_numbers(result, "damping_ratio", 1, &n, g->damping);
    add_margins(g, result);
    hml_result_add_number(result, "residual", g->report.residual);
    hml_result_add_texts(result, "input_names", g->m, g->s.inputs);
    hml_result_add_numbers(result, "torque", 1, &nv, r->state->tau);
    hml_result_add_number(result, "step", options->discrete);
    return result;
}

static void table_border(table *t, double x, double frequency)
{
    if (isinf(x))
        table_cell(t, "none");
    else
        table_number(t, x);
    if (isnan(frequency) || isinf(frequency))
        table_cell(t, "");
    else
        table_number(t, frequency / (2 * acos(-1)));
}

/* frequencies in Hz, as those of the poles */
static void print_margins(const regulator *g)
{
    static const char *const heading[] = {"input",       "least gain", "at Hz",     "most gain", "at Hz",
                                          "phase (deg)", "at Hz",      "delay (s)", "at Hz"};
    static const char *const names[] = {"sensitivity S", "T = 1 - S", "balanced, (S - T)/2"};
    static const char *const head[] = {"all inputs at once", "peak", "at Hz", "least gain", "most gain", "phase (deg)"};
    const double degrees = 180 / acos(-1);
    table *t = table_new(9, "lrrrrrrrr");
    for (int i = 0; i < 9; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < g->m; i++) {
        const hml_margin *x = &g->margins[i];
        table_cell(t, g->s.inputs[i]);
        table_border(t, x->gain[0], x->gain_frequency[0]);
        table_border(t, x->gain[1], x->gain_frequency[1]);
        table_border(t, x->phase * degrees, x->phase_frequency);
        table_border(t, x->delay, x->delay_frequency);
    }
    table_heading(stdout,
                  "Margins of each input: stable between both factors of its gain, below this phase, below this delay");
    table_print(t, stdout);
    table_free(t);
    printf("\n");
    t = table_new(6, "lrrrrr");
    for (int i = 0; i < 6; i++) table_cell(t, head[i]);
    for (size_t k = 0; k < 3; k++) {
        const hml_disk *x = &g->disks[k];
        table_cell(t, names[k]);
        table_border(t, x->peak, x->frequency);
        table_number(t, x->gain[0]);
        if (isinf(x->gain[1]))
            table_cell(t, "none");
        else
            table_number(t, x->gain[1]);
        table_number(t, x->phase * degrees);
    }
    table_print(t, stdout);
    table_free(t);
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
    table *t = table_new(4, "rrrr");
    static const char *const heading[] = {"real", "imaginary", "frequency (Hz)", "damping ratio"};
    for (int i = 0; i < 4; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < g->n; i++) {
        table_number(t, g->poles[2 * i]);
        table_number(t, g->poles[2 * i + 1]);
        table_number(t, g->frequency[i]);
        table_number(t, g->damping[i]);
    }
    table_heading(stdout,
                  options->discrete > 0 ? "Poles of the closed loop, in discrete time" : "Poles of the closed loop");
    table_print(t, stdout);
    table_free(t);
    print_margins(g);
    table_heading(stdout, "Solution");
    printf("relative residual    %.2g\ndoubling steps       %d\nrefinements          %d\n", g->report.residual,
           (int)g->report.iterations, (int)g->report.refinements);
}

/* ---- does it hold? ---- */

static int check_options(const cli_options *options)
{
    const int given = options->ground || options->lift || options->height >= 0 || options->friction >= 0 ||
                      options->contacts || options->plot || options->view || !isnan(options->push[0]);
    if (!(options->recovery > 0) && given)
        return cli_fail(CLI_USAGE, "--push, --ground, --plot, --view and what belongs to them need --simulate T");
    if (options->recovery > 0 && options->nholds && !options->ground)
        return cli_fail(CLI_USAGE, "--simulate of a robot whose feet are held needs --ground, on which they stand");
    return simulate_check_ground(options);
}

/* digital control: the forces are held over every step */
static int recover(const cli_options *options, robot *r, const regulator *g)
{
    cli_options o = *options;
    feedback f;
    o.out = NULL;
    o.time = options->recovery;
    o.step = options->discrete > 0 ? options->discrete : 1e-3;
    if (!o.ground) o.integrator = HML_SCHEME_RK4;
    if (o.ground && o.nholds && !o.lift && o.height < 0) o.height = 0; /* feet that are held stand on it */
    int status = feedback_make(options, r, g->full, &f);
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
    if (status == CLI_OK) status = allocate(&r, &g);
    if (status == CLI_OK) set_weights(options, &r, &g);
    if (status == CLI_OK) status = solve(options, &r, &g);
    if (status == CLI_OK) look_at_poles(options->discrete, &g);
    if (status == CLI_OK) status = find_margins(options, &r, &g);
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
