/* hamel linearize: the exact linearization of one state. */
#include "batch.h"
#include <math.h>
#include <sys/stat.h>

#include "linear.h"
#include "loops.h"
#include "modes.h"
#include "picture.h"
#include "table.h"

static hml_result *result_of(const robot *r, hml_representation representation, const linearized *l)
{
    const size_t n = (size_t)r->nv, m = (size_t)l->ninputs, A[2] = {2 * n, 2 * n}, B[2] = {2 * n, m},
                 nq = (size_t)r->nq;
    hml_result *result = hml_result_new();
    robot_add_common(r, representation, result);
    hml_result_add_numbers(result, "acceleration", 1, &n, l->acceleration);
    hml_result_add_numbers(result, "A", 2, A, l->A);
    hml_result_add_numbers(result, "B", 2, B, l->B);
    hml_result_add_texts(result, "input_names", m, l->input_names);
    hml_result_add_numbers(result, "velocity", 1, &n, r->v_rep);
    hml_result_add_numbers(result, "position", 1, &nq, r->state->q);
    hml_result_add_numbers(result, "force", 1, &n, r->state->tau);
    return result;
}

static void print_matrices(const robot *r, const linearized *l)
{
    const int nv = r->nv, n = 2 * nv;
    char **names = linear_state_names(r);
    const char *const *rows = (const char *const *)names;
    static const char *const heading[] = {"acceleration"};
    if (!names) {
        cli_lose_memory();
        return;
    }
    table_matrix(stdout, "Acceleration", nv, 1, l->acceleration, 1, (const char *const *)r->labels, heading);
    table_matrix(stdout, "A", n, n, l->A, (size_t)n, rows, rows);
    if (l->ninputs > 0) table_matrix(stdout, "B", n, l->ninputs, l->B, (size_t)l->ninputs, rows, l->input_labels);
    linear_free_names(names, n);
}

/* ---- the summary ---- */

/* eigenvalues of more coordinates take seconds: who writes a file does not wait for them */
enum { COUPLINGS = 8, MODES = 12, QUICK = 100 };

/* is entry `at` among the first `n` of these? */
static int is_taken(const size_t *taken, int n, size_t at)
{
    for (int i = 0; i < n; i++)
        if (taken[i] == at) return 1;
    return 0;
}

/* the largest entries of a matrix with `columns` columns, from row `first` on: dv/dt of whom, by whom, how much */
static void print_largest(const robot *r, const char *heading, const char *unit, int columns, const double *M,
                          const char *const *names)
{
    const size_t nv = (size_t)r->nv, wide = (size_t)columns;
    size_t taken[COUPLINGS];
    table *t = table_new(3, "llr");
    table_cell(t, "acceleration of"), table_cell(t, "by"), table_cell(t, unit);
    for (int k = 0; k < COUPLINGS; k++) {
        size_t best = 0;
        double most = 0;
        for (size_t i = nv * wide; i < 2 * nv * wide; i++) {
            if (fabs(M[i]) <= most || is_taken(taken, k, i)) continue;
            best = i, most = fabs(M[i]);
        }
        if (!(most > 0)) break;
        taken[k] = best;
        table_cell(t, r->labels[best / wide - nv]);
        table_cell(t, names[best % wide]);
        table_number(t, M[best]);
        if (k == 0) table_heading(stdout, heading);
    }
    table_print(t, stdout);
    table_free(t);
}

static int print_summary(const cli_options *options, const robot *r, const linear_system *s, const linearized *l)
{
    char text[200], **names = linear_state_names(r);
    mode_set m = {0};
    if (!names) return robot_fail(r, HML_OUT_OF_MEMORY);
    picture_describe(r, s, text, sizeof text);
    printf("%s\n", text);
    print_largest(r, "Largest couplings in A", "per unit", 2 * r->nv, l->A, (const char *const *)names);
    print_largest(r, "Strongest inputs in B", "per unit", l->ninputs, l->B, l->input_labels);
    linear_free_names(names, 2 * r->nv);
    const int modes = r->nv > 0 && (!options->out || r->nv <= QUICK);
    const int status = modes ? modes_find(options, r, &m) : CLI_OK;
    if (status == CLI_OK && modes) modes_print(r, &m, MODES);
    modes_free(&m);
    return status == CLI_INPUT ? CLI_OK : status; /* a sentence has said why there are no modes; A and B are there */
}

/* where the matrices are */
static void print_places(const cli_options *options)
{
    if (options->out)
        printf("matrices             %s\n", options->out);
    else
        printf("matrices             --full prints them, --out FILE.npz writes them, --spy shows their zeros\n");
    if (options->picture) printf("picture              %s\n", options->picture);
}

/* did the results go where the summary would, to /dev/stdout or a pipe of the shell's? */
static int is_stream(const char *file)
{
    struct stat out;
    return stat(file, &out) || !S_ISREG(out.st_mode);
}

static int show(const robot *r, const cli_options *options, const linearized *l)
{
    const linear_system s = {l->A, l->B, l->ninputs, l->input_names, l->input_labels};
    int status = CLI_OK;
    if (options->picture) status = picture_write(r, &s, options->picture);
    if (status == CLI_OK && options->out) status = robot_write(options, result_of(r, options->representation, l));
    if (status != CLI_OK || (options->out && (options->quiet || is_stream(options->out)))) return status;
    robot_print_header(r, options->representation);
    if (options->spy)
        picture_spy(r, &s);
    else if (options->full)
        print_matrices(r, l);
    else if ((status = print_summary(options, r, &s, l)) == CLI_OK)
        print_places(options);
    return status;
}

int cli_linearize(const cli_options *options)
{
    robot r;
    linearized l = {0};
    int status = batch_check(options);
    if (status != CLI_OK) return status;
    if (options->states && options->all_inputs == LINEAR_ACTUATORS)
        return cli_fail(CLI_USAGE, "--inputs actuators is for one state; leave --states out");
    if (options->states) return batch_run(options, &batch_linearize);
    status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK && options->all_inputs == LINEAR_ACTUATORS && hml_model_nactuators(r.model) == 0) {
        status = cli_fail(CLI_INPUT, "%s: there are no actuators; leave --inputs out", r.file);
    }
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK && r.nloops && options->all_inputs == LINEAR_ACTUATORS) {
        status =
            cli_fail(CLI_INPUT, "%s: --inputs actuators does not go with loops; --loops off leaves them open", r.file);
    }
    if (status == CLI_OK) {
        hml_status computed = linear_compute(&r, options->representation, options->all_inputs, &l);
        if (computed) status = robot_fail(&r, computed);
    }
    if (status == CLI_OK) status = show(&r, options, &l);
    linear_free(&l);
    robot_free(&r);
    return status;
}
