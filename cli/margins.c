/* See margins.h. */
#include "margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

int margins_find(const robot *r, size_t n, size_t m, const double *A, const double *B, const double *K, double step,
                 margin_set *x)
{
    const size_t doubles = hml_margins_scratch_doubles(n, m);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc((doubles + 1) * sizeof *scratch) : NULL;
    x->m = m;
    x->inputs = calloc(m + 1, sizeof *x->inputs);
    hml_status status = scratch && x->inputs ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        const hml_margins problem =
            HML_STRUCT(hml_margins, .n = n, .m = m, .A = A, .B = B, .K = K, .step = step, .inputs = x->inputs,
                       .sensitivity = &x->disks[0], .complementary = &x->disks[1], .balanced = &x->disks[2]);
        status = hml_margins_solve(&problem, scratch);
    }
    free(scratch);
    return status ? robot_fail(r, status) : CLI_OK;
}

void margins_free(margin_set *x) { free(x->inputs); }

/* infinite numbers, which JSON does not have, are null there */
void margins_add(const margin_set *set, hml_result *result)
{
    static const char *const names[] = {"gain_margin", "phase_margin_deg", "delay_margin", "margin_frequency"};
    const size_t m = set->m, widths[] = {2, 1, 1, 4};
    const double degrees = 180 / acos(-1);
    double *room = malloc((8 * m + 1) * sizeof *room), *parts[4] = {room};
    if (!room) {
        cli_lose_memory();
        return;
    }
    for (int k = 1; k < 4; k++) parts[k] = parts[k - 1] + widths[k - 1] * m;
    for (size_t i = 0; i < m; i++) {
        const hml_margin *x = &set->inputs[i];
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
        const hml_disk *x = &set->disks[k];
        const double all[] = {x->peak, x->frequency, x->gain[0], x->gain[1], x->phase * degrees};
        memcpy(disks + 5 * k, all, sizeof all);
    }
    hml_result_add_numbers(result, "disk_margins", 2, shape, disks);
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
void margins_print(const margin_set *set)
{
    static const char *const heading[] = {"input",       "least gain", "at Hz",     "most gain", "at Hz",
                                          "phase (deg)", "at Hz",      "delay (s)", "at Hz"};
    static const char *const names[] = {"sensitivity S", "T = 1 - S", "balanced, (S - T)/2"};
    static const char *const head[] = {"all inputs at once", "peak", "at Hz", "least gain", "most gain", "phase (deg)"};
    const double degrees = 180 / acos(-1);
    table *t = table_new(9, "lrrrrrrrr");
    for (int i = 0; i < 9; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < set->m; i++) {
        const hml_margin *x = &set->inputs[i];
        table_cell(t, set->names[i]);
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
        const hml_disk *x = &set->disks[k];
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
