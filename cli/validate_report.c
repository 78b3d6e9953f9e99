/* hamel validate: tables, the study as CSV and as a plot, and the result. */
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "table.h"
#include "term.h"
#include "validate.h"

/* Bos (88)-(91) */
static const double PAPER_MAX[VALIDATE_PARTS] = {4.1023e-5, 4.6853e-3, 1.8230e-5, 1.5693e-4};
static const double PAPER_AVERAGE[VALIDATE_PARTS] = {2.3560e-6, 1.3604e-4, 1.3021e-6, 1.3766e-6};

static const char *const LETTERS[VALIDATE_PARTS] = {"H", "s", "v", "r"};
static const char *const MEANINGS[VALIDATE_PARTS] = {"pose of the base", "joint positions", "velocity of the base",
                                                     "joint velocities"};

static void error_cell(table *t, const validate_errors *errors, int part, double x)
{
    if (errors->present[part])
        table_format(t, "%.2e", x);
    else
        table_cell(t, "-");
}

static void print_errors(const validate_errors *errors, int built_in)
{
    static const char *const heading[] = {"derivative by", "", "e_max", "paper", "e_avg", "paper"};
    table *t = table_new(6, "llrrrr");
    for (int i = 0; i < 6; i++) table_cell(t, (i == 3 || i == 5) && !built_in ? "" : heading[i]);
    for (int p = 0; p < VALIDATE_PARTS; p++) {
        table_cell(t, LETTERS[p]);
        table_cell(t, MEANINGS[p]);
        error_cell(t, errors, p, errors->max[VALIDATE_STEP][p]);
        if (built_in)
            table_format(t, "%.2e", PAPER_MAX[p]);
        else
            table_cell(t, "");
        error_cell(t, errors, p, errors->average[VALIDATE_STEP][p]);
        if (built_in)
            table_format(t, "%.2e", PAPER_AVERAGE[p]);
        else
            table_cell(t, "");
    }
    char title[200];
    snprintf(title, sizeof title, "Forward dynamics, exact against forward differences with step 1e-6, %ld samples%s",
             errors->samples, errors->redrawn ? " of placements, inertias and states" : " of states");
    table_heading(stdout, title);
    table_print(t, stdout);
    table_free(t);
    for (int p = 0; p < VALIDATE_PARTS; p++) {
        if (!errors->vanishes[p]) continue;
        printf("%s: this derivative is zero; its errors are divided by the mean entry of the others, %.2e\n",
               LETTERS[p], errors->scale[p]);
    }
}

void validate_print(const validate_errors *errors, int built_in)
{
    print_errors(errors, built_in);
    table *t = table_new(1 + 2 * VALIDATE_PARTS, "rrrrrrrrr");
    table_cell(t, "step");
    for (int i = 0; i < 2 * VALIDATE_PARTS; i++) {
        table_format(t, "%s %s", i < VALIDATE_PARTS ? "e_max" : "e_avg", LETTERS[i % VALIDATE_PARTS]);
    }
    for (int k = 0; k < VALIDATE_STEPS; k++) {
        table_format(t, "%.0e", errors->step[k]);
        for (int p = 0; p < VALIDATE_PARTS; p++) error_cell(t, errors, p, errors->max[k][p]);
        for (int p = 0; p < VALIDATE_PARTS; p++) error_cell(t, errors, p, errors->average[k][p]);
    }
    table_heading(stdout, "The same for other steps");
    table_print(t, stdout);
    table_free(t);
}

void validate_add(const validate_errors *errors, hml_result *result)
{
    const size_t parts = VALIDATE_PARTS, steps = VALIDATE_STEPS, shape[2] = {steps, parts};
    hml_result_add_integer(result, "samples", errors->samples);
    hml_result_add_integer(result, "random", errors->redrawn);
    hml_result_add_number(result, "step", errors->step[VALIDATE_STEP]);
    hml_result_add_texts(result, "derivatives", parts, LETTERS);
    hml_result_add_numbers(result, "e_max", 1, &parts, errors->max[VALIDATE_STEP]);
    hml_result_add_numbers(result, "e_avg", 1, &parts, errors->average[VALIDATE_STEP]);
    hml_result_add_numbers(result, "scale", 1, &parts, errors->scale);
    hml_result_add_numbers(result, "paper_e_max", 1, &parts, PAPER_MAX);
    hml_result_add_numbers(result, "paper_e_avg", 1, &parts, PAPER_AVERAGE);
    hml_result *study = hml_result_add_table(result, "study", steps);
    hml_result_add_numbers(study, "delta", 1, &steps, errors->step);
    hml_result_add_numbers(study, "e_max", 2, shape, errors->max[0]);
    hml_result_add_numbers(study, "e_avg", 2, shape, errors->average[0]);
}

/* ---- files ---- */

static int write_csv(const validate_errors *errors, const char *path)
{
    memory_file file;
    hml_error error = {0};
    if (!memory_file_begin(&file)) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    FILE *out = file.out;
    fputs("delta", out);
    for (int p = 0; p < VALIDATE_PARTS; p++) fprintf(out, ",e_max_%s", LETTERS[p]);
    for (int p = 0; p < VALIDATE_PARTS; p++) fprintf(out, ",e_avg_%s", LETTERS[p]);
    fputc('\n', out);
    for (int k = 0; k < VALIDATE_STEPS; k++) {
        fprintf(out, "%.0e", errors->step[k]);
        for (int p = 0; p < VALIDATE_PARTS; p++) fprintf(out, ",%.17g", errors->max[k][p]);
        for (int p = 0; p < VALIDATE_PARTS; p++) fprintf(out, ",%.17g", errors->average[k][p]);
        fputc('\n', out);
    }
    if (!memory_file_end(&file))
        error.status = HML_OUT_OF_MEMORY;
    else
        error.status = hml_file_write(path, file.text, file.size, &error);
    free(file.text);
    return error.status ? cli_fail_error(&error) : CLI_OK;
}

static int write_plot(const validate_errors *errors, const char *path)
{
    static const char *const colours[VALIDATE_PARTS] = {"#1d4ed8", "#c2410c", "#15803d", "#7e22ce"};
    double values[2 * VALIDATE_PARTS][VALIDATE_STEPS];
    svg_curve curves[2 * VALIDATE_PARTS];
    char labels[2 * VALIDATE_PARTS][16];
    for (int i = 0; i < 2 * VALIDATE_PARTS; i++) {
        int p = i % VALIDATE_PARTS, average = i >= VALIDATE_PARTS;
        for (int k = 0; k < VALIDATE_STEPS; k++) values[i][k] = average ? errors->average[k][p] : errors->max[k][p];
        snprintf(labels[i], sizeof labels[i], "%s, %s", average ? "e_avg" : "e_max", LETTERS[p]);
        curves[i] = (svg_curve){labels[i], colours[p], average, values[i]};
    }
    return svg_plot(path, "Exact derivatives against forward differences", "step of the difference",
                    "error / mean absolute entry", VALIDATE_STEPS, errors->step, 2 * VALIDATE_PARTS, curves);
}

int validate_write_study(const validate_errors *errors, const char *prefix)
{
    size_t size = strlen(prefix) + sizeof ".csv";
    char *path = malloc(size);
    if (!path) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    snprintf(path, size, "%s.csv", prefix);
    int status = write_csv(errors, path);
    snprintf(path, size, "%s.svg", prefix);
    if (status == CLI_OK) status = write_plot(errors, path);
    free(path);
    return status;
}
