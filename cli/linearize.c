/* hamel linearize: the exact linearization of one state. */
#include "batch.h"
#include "linear.h"
#include "picture.h"
#include "table.h"

static hml_result *result_of(const robot *r, hml_representation representation, const linearized *l)
{
    const size_t n = (size_t)r->nv, m = (size_t)l->ninputs, A[2] = {2 * n, 2 * n}, B[2] = {2 * n, m};
    hml_result *result = hml_result_new();
    robot_add_common(r, representation, result);
    hml_result_add_numbers(result, "acceleration", 1, &n, l->acceleration);
    hml_result_add_numbers(result, "A", 2, A, l->A);
    hml_result_add_numbers(result, "B", 2, B, l->B);
    hml_result_add_texts(result, "input_names", m, l->input_names);
    hml_result_add_numbers(result, "velocity", 1, &n, r->v_rep);
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
    if (l->ninputs > 0) table_matrix(stdout, "B", n, l->ninputs, l->B, (size_t)l->ninputs, rows, l->input_names);
    linear_free_names(names, n);
}

static int show(const robot *r, const cli_options *options, const linearized *l)
{
    const linear_system s = {l->A, l->B, l->ninputs, l->input_names};
    int status = CLI_OK;
    if (options->picture) status = picture_write(r, &s, options->picture);
    if (status == CLI_OK && options->out) status = robot_write(options, result_of(r, options->representation, l));
    if (status != CLI_OK || options->out) return status;
    robot_print_header(r, options->representation);
    if (options->spy)
        picture_spy(r, &s);
    else
        print_matrices(r, l);
    return CLI_OK;
}

int cli_linearize(const cli_options *options)
{
    robot r;
    linearized l = {0};
    int status = batch_check(options);
    if (status != CLI_OK) return status;
    if (options->states) return batch_run(options, &batch_linearize);
    status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) {
        hml_status computed = linear_compute(&r, options->representation, options->all_inputs, &l);
        if (computed) status = robot_fail(&r, computed);
    }
    if (status == CLI_OK) status = show(&r, options, &l);
    linear_free(&l);
    robot_free(&r);
    return status;
}
