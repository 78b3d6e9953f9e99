/* hamel modes: how a robot shakes near a state, who moves in each mode, and which modes no input reaches. */
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/control.h"
#include "locus.h"
#include "loops.h"
#include "table.h"

static const char *const KINDS[] = {[HML_MODE_INTEGRATOR] = "integrator",
                                    [HML_MODE_UNSTABLE] = "unstable",
                                    [HML_MODE_UNDAMPED] = "undamped",
                                    [HML_MODE_OSCILLATION] = "oscillation",
                                    [HML_MODE_DECAY] = "decay"};

double mode_frequency(const double value[2]) { return fabs(value[1]) / (2 * acos(-1)); }

/* ---- computation ---- */

static int allocate(const robot *r, mode_set *m)
{
    const size_t n = m->n = m->s.n, rows = m->rows = 2 * (size_t)r->nv;
    m->memory = calloc(4 * n + 2 * rows * n + n * rows + n * (size_t)r->nbodies + 1, sizeof *m->memory);
    m->modes = calloc(n + 1, sizeof *m->modes);
    if (!m->memory || !m->modes) return robot_fail(r, HML_OUT_OF_MEMORY);
    m->values = m->memory;
    m->frequency = m->values + 2 * n;
    m->damping = m->frequency + n;
    m->right = m->damping + n;
    m->share = m->right + 2 * rows * n;
    m->energy = m->share + n * rows;
    return CLI_OK;
}

/* x = onto y with onto = [Z 0; X Z], and y = back x with back = [P 0; 0 P] */
static void show_all_coordinates(const robot *r, const linear_state *s, double *onto, double *back)
{
    const size_t nv = (size_t)r->nv, f = s->n / 2;
    memset(onto, 0, 2 * nv * s->n * sizeof *onto);
    memset(back, 0, 2 * nv * s->n * sizeof *back);
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < f; j++) {
            onto[i * s->n + j] = onto[(nv + i) * s->n + f + j] = s->Z[i * f + j];
            onto[(nv + i) * s->n + j] = s->X[i * f + j];
            back[j * 2 * nv + i] = back[(f + j) * 2 * nv + nv + i] = s->P[j * nv + i];
        }
    }
}

static hml_status share_energy(const robot *r, mode_set *m)
{
    double *scratch = malloc((hml_modes_energy_scratch_doubles(r->model, m->n) + 1) * sizeof *scratch);
    const hml_status status = scratch
                                  ? hml_modes_energy(r->model, r->work, r->state->q, m->n, m->right, scratch, m->energy)
                                  : HML_OUT_OF_MEMORY;
    free(scratch);
    return status;
}

static hml_status solve(const robot *r, mode_set *m)
{
    const linear_state *s = &m->s;
    const size_t nv = (size_t)r->nv, doubles = hml_modes_scratch_doubles(s->n, s->m, 0, m->rows);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc((doubles + 1) * sizeof *scratch) : NULL;
    double *room = malloc((2 * m->rows * s->n + nv * nv + 1) * sizeof *room), *mass = room;
    hml_status status = scratch && room ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        hml_modes problem = HML_STRUCT(hml_modes, .n = s->n, .m = s->m, .A = s->A, .B = s->B, .eigenvalues = m->values,
                                       .right = m->right, .participation = m->share, .modes = m->modes);
        if (s->Z) {
            double *onto = room, *back = onto + m->rows * s->n;
            show_all_coordinates(r, s, onto, back);
            problem.rows = m->rows, problem.onto = onto, problem.back = back;
        } else {
            status = hml_mass_matrix(r->model, r->work, r->state->q, mass);
            problem.mass = mass;
        }
        if (!status) status = hml_modes_solve(&problem, scratch, &m->count);
    }
    free(room);
    free(scratch);
    if (!status) status = share_energy(r, m);
    for (size_t i = 0; !status && i < m->n; i++) {
        const double *z = m->values + 2 * i, size = hypot(z[0], z[1]);
        m->frequency[i] = mode_frequency(z);
        m->damping[i] = size > 0 ? 0 - z[0] / size : 0;
    }
    return status;
}

/* ---- answers ---- */

/* the share of a coordinate, its position and its velocity together, in the mode of an eigenvalue */
static double share_of(const robot *r, const mode_set *m, size_t value, int32_t coordinate)
{
    const double *row = m->share + value * m->rows;
    return row[coordinate] + row[coordinate + r->nv];
}

/* what holds for a mode, said for each of its eigenvalues */
static void add_by_eigenvalue(const mode_set *m, hml_result *result)
{
    const size_t n = m->n;
    int *controllable = calloc(n + 1, sizeof *controllable);
    int64_t *numbers = calloc(4 * n + 1, sizeof *numbers);
    double *reach = calloc(n + 1, sizeof *reach);
    if (!controllable || !numbers || !reach) cli_lose_memory();
    for (size_t k = 0; controllable && numbers && reach && k < m->count; k++) {
        const hml_mode *x = &m->modes[k];
        const size_t end = k + 1 < m->count ? (size_t)x[1].first : n;
        for (size_t i = (size_t)x->first; i < end; i++) {
            controllable[i] = x->unreachable == 0;
            reach[i] = x->reach;
            numbers[i] = (int64_t)k, numbers[n + i] = x->multiplicity;
            numbers[2 * n + i] = x->chain, numbers[3 * n + i] = x->unreachable;
        }
    }
    if (controllable && numbers && reach) {
        static const char *const names[] = {"mode", "multiplicity", "chain", "unreachable"};
        hml_result_add_flags(result, "controllable", n, controllable);
        hml_result_add_numbers(result, "reach", 1, &n, reach);
        for (size_t i = 0; i < 4; i++) hml_result_add_integers(result, names[i], 1, &n, numbers + i * n);
    }
    free(reach);
    free(numbers);
    free(controllable);
}

static void add_body_names(const robot *r, hml_result *result)
{
    const char **names = calloc((size_t)r->nbodies + 1, sizeof *names);
    if (!names) cli_lose_memory();
    for (int32_t i = 0; names && i < r->nbodies; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        names[i] = hml_model_body(r->model, i, &body) ? "" : body.name;
    }
    if (names) hml_result_add_texts(result, "body_names", (size_t)r->nbodies, names);
    free(names);
}

static hml_result *result_of(const robot *r, const mode_set *m)
{
    const size_t n = m->n, nv = (size_t)r->nv, pairs[2] = {n, 2}, by_joint[2] = {n, nv}, all[3] = {n, m->rows, 2};
    const size_t by_body[2] = {n, (size_t)r->nbodies};
    hml_result *result = hml_result_new();
    double *room = malloc((2 * n * m->rows + 1) * sizeof *room);
    robot_add_common(r, HML_LEFT, result);
    hml_result_add_numbers(result, "eigenvalues", 2, pairs, m->values);
    hml_result_add_numbers(result, "frequency_hz", 1, &n, m->frequency);
    hml_result_add_numbers(result, "damping_ratio", 1, &n, m->damping);
    add_by_eigenvalue(m, result);
    if (!room) cli_lose_memory();
    for (size_t i = 0; room && i < n * nv; i++) room[i] = share_of(r, m, i / nv, (int32_t)(i % nv));
    if (room) hml_result_add_numbers(result, "participation", 2, by_joint, room);
    hml_result_add_numbers(result, "energy", 2, by_body, m->energy);
    add_body_names(r, result);
    for (size_t i = 0; room && i < n * m->rows; i++) {
        const double *z = m->right + 2 * (i % m->rows * n + i / m->rows);
        room[2 * i] = z[0], room[2 * i + 1] = z[1];
    }
    if (room) hml_result_add_numbers(result, "shapes", 3, all, room);
    hml_result_add_texts(result, "input_names", m->s.m, m->s.inputs);
    robot_add_state(r, result);
    free(room);
    return result;
}

/* "hip 61%, knee 30%": those with the largest shares */
static void table_who(table *t, const robot *r, const mode_set *m, size_t value)
{
    enum { SHOWN = 3, TEXT = 512 };
    char text[TEXT] = "";
    int32_t seen[SHOWN];
    for (int k = 0; k < SHOWN; k++) {
        int32_t best = -1;
        for (int32_t c = 0; c < r->nv; c++) {
            int known = 0;
            for (int i = 0; i < k; i++) known |= seen[i] == c;
            if (!known && (best < 0 || share_of(r, m, value, c) > share_of(r, m, value, best) + 1e-9)) best = c;
        }
        seen[k] = best;
        if (best < 0 || share_of(r, m, value, best) < 0.005) break;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %.0f%%", used ? ", " : "", r->labels[best],
                 100 * share_of(r, m, value, best));
    }
    table_cell(t, text);
}

/* "forearm 61%": the body with most of the kinetic energy */
static void table_carrier(table *t, const robot *r, const mode_set *m, size_t value)
{
    const double *row = m->energy + value * (size_t)r->nbodies;
    hml_body_info body = {.struct_size = sizeof body};
    int32_t best = 0;
    for (int32_t i = 1; i < r->nbodies; i++)
        if (row[i] > row[best] + 1e-9) best = i;
    if (r->nbodies < 1 || !(row[best] > 0) || hml_model_body(r->model, best, &body))
        table_cell(t, "");
    else
        table_format(t, "%s %.0f%%", body.name, 100 * row[best]);
}

static void table_mode(table *t, const robot *r, const mode_set *m, size_t index)
{
    const hml_mode *x = &m->modes[index];
    const double *z = x->eigenvalue;
    char real[TABLE_NUMBER_SIZE], imaginary[TABLE_NUMBER_SIZE];
    table_number_text(z[0], real), table_number_text(z[1], imaginary);
    table_format(t, "%zu", index + 1);
    if (z[1] > 0)
        table_format(t, "%s ± %si", real, imaginary);
    else
        table_cell(t, real);
    if (x->multiplicity > 1)
        table_format(t, "×%d", (int)x->multiplicity);
    else
        table_cell(t, "");
    table_cell(t, KINDS[x->kind]);
    for (int k = 0; k < 2; k++) {
        if (z[1] > 0)
            table_number(t, k ? m->damping[x->first] : m->frequency[x->first]);
        else
            table_cell(t, "");
    }
    if (z[0] != 0)
        table_number(t, 1 / fabs(z[0]));
    else
        table_cell(t, "");
    if (x->unreachable == 0)
        table_cell(t, "yes");
    else if (x->multiplicity > 1 && x->unreachable < x->multiplicity)
        table_format(t, "not %d of %d", (int)x->unreachable, (int)x->multiplicity);
    else
        table_cell(t, "no");
    table_who(t, r, m, (size_t)x->first);
    table_carrier(t, r, m, (size_t)x->first);
}

void modes_print(const robot *r, const mode_set *m, size_t most)
{
    static const char *const heading[] = {"mode",           "eigenvalue (1/s)", "",         "kind",
                                          "frequency (Hz)", "damping ratio",    "time (s)", "moved by inputs",
                                          "who moves",      "most energy"};
    enum { COLUMNS = sizeof heading / sizeof *heading };
    int kinds[5] = {0}, lost = 0;
    table *t = table_new(COLUMNS, "rrllrrrlll");
    for (int i = 0; i < COLUMNS; i++) table_cell(t, heading[i]);
    for (size_t k = 0; k < m->count; k++) {
        if (k < most) table_mode(t, r, m, k);
        kinds[m->modes[k].kind] += m->modes[k].multiplicity * (m->modes[k].eigenvalue[1] > 0 ? 2 : 1);
        lost += m->modes[k].unreachable * (m->modes[k].eigenvalue[1] > 0 ? 2 : 1);
    }
    table_heading(stdout, "Modes, from slow to fast");
    table_print(t, stdout);
    table_free(t);
    if (m->count > most) {
        const size_t more = m->count - most;
        printf("… and %zu faster one%s: hamel modes shows all\n", more, more == 1 ? "" : "s");
    }
    table_heading(stdout, "Summary");
    printf("eigenvalues          %zu: %d grow, %d are zero, %d swing for ever, %d die out\n", m->n,
           kinds[HML_MODE_UNSTABLE], kinds[HML_MODE_INTEGRATOR], kinds[HML_MODE_UNDAMPED],
           kinds[HML_MODE_OSCILLATION] + kinds[HML_MODE_DECAY]);
    printf("inputs               %zu; they reach %zu of %zu directions\n", m->s.m, m->n - (size_t)lost, m->n);
    printf("time                 in which a mode shrinks or grows by the factor e = 2.718\n");
}

/* ---- the command ---- */

static int view(const cli_options *options, const robot *r, const mode_set *m)
{
    if (!options->view) return CLI_OK;
    const size_t index = options->mode > 0 ? (size_t)options->mode - 1 : modes_choose(m);
    if (index >= m->count) return cli_fail(CLI_USAGE, "--mode: there are %zu modes, not %ld", m->count, options->mode);
    return modes_view(options, r, m, index);
}

int modes_find(const cli_options *options, const robot *r, mode_set *m)
{
    int status = system_read(options, r, &m->s);
    if (status == CLI_OK) status = allocate(r, m);
    const hml_status computed = status == CLI_OK ? solve(r, m) : HML_OK;
    return computed ? robot_fail(r, computed) : status;
}

void modes_free(mode_set *m)
{
    free(m->modes);
    free(m->memory);
    system_free(&m->s);
}

int cli_modes(const cli_options *options)
{
    robot r;
    mode_set m = {0};
    if (options->mode > 0 && !options->view)
        return cli_fail(CLI_USAGE, "--mode chooses what --view shows; give both or none");
    if (options->plot && !options->locus)
        return cli_fail(CLI_USAGE, "--plot shows what --locus finds; give both or none");
    if (options->view && options->locus) return cli_fail(CLI_USAGE, "--view shows one mode; leave out --locus");
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_must_move(&r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK && options->locus) {
        status = locus_run(options, &r);
        robot_free(&r);
        return status;
    }
    if (status == CLI_OK) status = modes_find(options, &r, &m);
    if (status == CLI_OK) status = view(options, &r, &m);
    if (status == CLI_OK && options->out) {
        status = robot_write(options, result_of(&r, &m));
    } else if (status == CLI_OK) {
        robot_print_header(&r, HML_LEFT);
        modes_print(&r, &m, m.count);
    }
    modes_free(&m);
    robot_free(&r);
    return status;
}
