/* hamel trim: an equilibrium, or a steady motion, near a state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/representation.h"
#include "hamel/trim.h"
#include "holds.h"
#include "loops.h"
#include "table.h"
#include "trim.h"

typedef struct trim {
    hml_constraint items[CLI_HOLDS];
    hml_constraints holds;
    double friction[CLI_HOLDS];
    double *force; /* rows of the holds, then of the loops */
    double *q, *tau, *residual, *scratch, *memory;
    int *free, *motors;
    size_t rows;
    hml_trim_report report;
} trim;

/* ---- asking ---- */

/* joints with commas between their names stay; "all" stands for all */
static int lock(const cli_options *options, const robot *r, int *free)
{
    const char *text = options->lock;
    const int all = text && strcmp(text, "all") == 0;
    for (int32_t i = 0; i < r->nv; i++) free[i] = !all;
    while (text && !all && *text) {
        char name[256];
        const size_t length = strcspn(text, ",");
        hml_joint_info joint = {.struct_size = sizeof joint};
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        if (hml_model_joint(r->model, hml_model_find_joint(r->model, name), &joint))
            return cli_fail(CLI_INPUT, "%s: --lock: there is no joint '%s'", r->file, name);
        for (int32_t k = 0; k < joint.nv; k++) free[joint.v + k] = 0;
        text += length + (text[length] == ',');
    }
    return CLI_OK;
}

static int allocate(const robot *r, trim *t)
{
    const size_t n = (size_t)r->nv;
    t->memory = calloc((size_t)r->nq + 2 * n + 1, sizeof *t->memory);
    t->free = calloc(2 * n + 1, sizeof *t->free);
    if (!t->memory || !t->free) return robot_fail(r, HML_OUT_OF_MEMORY);
    t->q = t->memory, t->tau = t->q + r->nq, t->residual = t->tau + n;
    t->motors = t->free + n;
    return CLI_OK;
}

/*
 * hml_trim has wrenches move with their bodies. Those in the world's axes keep their direction: they are turned to what was
 * found, from where it is looked for again, until nothing changes any more.
 */
static hml_status settle(const robot *r, const trim *t, const hml_trim_problem *problem, hml_error *error)
{
    enum { MOST = 100 };
    const size_t nq = (size_t)r->nq;
    double *before = malloc((nq + (size_t)r->nv) * sizeof *before), most = HUGE_VAL;
    int in_world = 0;
    for (int32_t i = 0; i < r->state->nwrenches; i++) in_world |= r->state->wrenches[i].in_world;
    hml_status status = before ? hml_trim(r->model, r->work, problem, t->scratch, error) : HML_OUT_OF_MEMORY;
    for (int k = 0; !status && in_world && most > 1e-10; k++) {
        memcpy(before, t->q, nq * sizeof *before);
        status = robot_put_wrenches(r, t->q);
        if (!status) status = hml_trim(r->model, r->work, problem, t->scratch, error);
        if (!status) status = hml_configuration_difference(r->model, before, t->q, before + nq);
        most = 0;
        for (int32_t i = 0; !status && i < r->nv; i++) most = fmax(most, fabs(before[nq + (size_t)i]));
        if (!status && most > 1e-10 && k == MOST) {
            snprintf(
                error->message, sizeof error->message,
                "wrenches in the axes of the world change with the configuration, and it does not settle; a larger "
                "--posture keeps it nearer to the guess");
            status = HML_NOT_CONVERGED;
        }
    }
    free(before);
    return status;
}

/*
 * Where a posture that costs little lets the robot turn away from a large wrench again and again, one that costs more keeps it
 * nearer to the guess: tried one after the other, unless --posture says how much.
 */
static hml_status find(const cli_options *options, const robot *r, const trim *t, const hml_trim_problem *given,
                       hml_error *error)
{
    hml_trim_problem problem = *given;
    hml_status status = settle(r, t, &problem, error);
    for (double posture = 0.1;
         status == HML_NOT_CONVERGED && r->state->nwrenches > 0 && !(options->posture > 0) && posture < 1e5;
         posture *= 10) {
        problem.posture = posture;
        status = robot_put_wrenches(r, r->state->q);
        if (!status) status = settle(r, t, &problem, error);
    }
    return status;
}

/* held points as contacts with this friction; without any, the ground holds them along its normal only, and pushes */
static int set_friction(const cli_options *options, trim *t)
{
    int points = 0;
    for (int i = 0; i < options->nholds; i++) {
        t->friction[i] = 0;
        if (t->items[i].kind != HML_HOLD_POINT || options->friction < 0) continue;
        points++;
        t->friction[i] = options->friction;
        if (!(options->friction > 0)) t->items[i].kind = HML_TOUCH_PLANE;
    }
    if (options->friction >= 0 && !points)
        return cli_fail(CLI_USAGE, "--friction is that of held points, and there are none: --hold FRAME:point");
    return CLI_OK;
}

static int compute(const cli_options *options, const robot *r, trim *t)
{
    hml_error error = {0};
    int status = allocate(r, t);
    if (status == CLI_OK) status = holds_read(options, r, t->items);
    if (status == CLI_OK) status = lock(options, r, t->free);
    if (status != CLI_OK) return status;
    for (int32_t i = 0; i < r->nv; i++) t->motors[i] = 1;
    status = set_friction(options, t);
    if (status != CLI_OK) return status;
    t->holds = loops_with(r, t->items, options->nholds);
    t->rows = (size_t)hml_constraint_rows(&t->holds);
    t->force = calloc(t->rows + 1, sizeof *t->force);
    if (!t->force) return robot_fail(r, HML_OUT_OF_MEMORY);
    t->report.struct_size = sizeof t->report;
    const hml_trim_problem problem =
        HML_STRUCT(hml_trim_problem, .guess = r->state->q, .v = r->state->v, .holds = &t->holds,
                   .friction = t->friction, .free = t->free, .actuated = options->all_inputs ? t->motors : NULL,
                   .wrenches = r->wrenches, .posture = options->posture, .ignore_limits = options->ignore_limits,
                   .q = t->q, .tau = t->tau, .lambda = t->force, .residual = t->residual, .report = &t->report);
    t->scratch = malloc((hml_trim_scratch_doubles(r->model, &problem) + 1) * sizeof *t->scratch);
    if (!t->scratch) return robot_fail(r, HML_OUT_OF_MEMORY);
    hml_status found = find(options, r, t, &problem, &error);
    if (found == HML_INCONSISTENT || found == HML_NOT_CONVERGED)
        return cli_fail(cli_status_of(found), "%s: %s", r->file, error.message);
    if (!found && options->save) status = trim_save(options->save, r, t->q, t->tau);
    if (status != CLI_OK) return status;
    if (!found) found = hml_velocity_to_representation(r->model, options->representation, t->q, r->state->v, r->v_rep);
    if (!found) found = hml_force_to_representation(r->model, options->representation, t->q, t->tau, t->tau);
    if (!found) found = hml_force_to_representation(r->model, options->representation, t->q, t->residual, t->residual);
    return found ? robot_fail(r, found) : CLI_OK;
}

/* ---- answering ---- */

static const char *hold_name(const robot *r, const hml_constraint *c)
{
    hml_frame_info info = {.struct_size = sizeof info};
    return hml_model_frame(r->model, c->frame, &info) ? "" : info.name;
}

static hml_result *result_of(const robot *r, hml_representation representation, const trim *t)
{
    const size_t n = (size_t)r->nv, nq = (size_t)r->nq;
    const char *frames[CLI_HOLDS], *kinds[CLI_HOLDS];
    hml_result *result = hml_result_new();
    robot_add_common(r, representation, result);
    for (int32_t i = 0; i < t->holds.count; i++) {
        frames[i] = hold_name(r, &t->items[i]);
        kinds[i] = hold_kind_name(t->items[i].kind);
    }
    hml_result_add_numbers(result, "position", 1, &nq, t->q);
    hml_result_add_numbers(result, "velocity", 1, &n, r->v_rep);
    hml_result_add_numbers(result, "torque", 1, &n, t->tau);
    hml_result_add_numbers(result, "force", 1, &t->rows, t->force);
    hml_result_add_numbers(result, "residual", 1, &n, t->residual);
    hml_result_add_texts(result, "hold_frames", (size_t)t->holds.count, frames);
    hml_result_add_texts(result, "hold_kinds", (size_t)t->holds.count, kinds);
    hml_result_add_number(result, "cost", t->report.cost);
    hml_result_add_integer(result, "iterations", t->report.iterations);
    hml_result_add_integer(result, "at_limit", t->report.at_limit);
    hml_result_add_integer(result, "optimal", t->report.optimal);
    return result;
}

static void print_positions(const robot *r, const trim *t)
{
    table *rows = table_new(3, "lrr");
    static const char *const heading[] = {"", "guess", "position"};
    for (int i = 0; i < 3; i++) table_cell(rows, heading[i]);
    for (int32_t j = 0; j < hml_model_njoints(r->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_joint(r->model, j, &joint)) continue;
        for (int32_t k = 0; k < joint.nq; k++) {
            char name[ROBOT_NAME_SIZE];
            robot_name_position(&joint, k, name);
            table_cell(rows, name);
            table_number(rows, r->state->q[joint.q + k]);
            table_number(rows, t->q[joint.q + k]);
        }
    }
    table_heading(stdout, "At rest, or in steady motion");
    table_print(rows, stdout);
    table_free(rows);
}

/* a position may have more numbers than forces: a quaternion has four, and three torques */
static void print_torques(const robot *r, const trim *t)
{
    table *rows = table_new(3, "lrr");
    static const char *const heading[] = {"", "torque", "residual"};
    for (int i = 0; i < 3; i++) table_cell(rows, heading[i]);
    for (int32_t i = 0; i < r->nv; i++) {
        table_cell(rows, r->labels[i]);
        table_number(rows, t->tau[i]);
        table_number(rows, t->residual[i]);
    }
    table_heading(stdout, "Forces and torques of the motors");
    table_print(rows, stdout);
    table_free(rows);
}

static void print_holds(const robot *r, const trim *t)
{
    const double *force = t->force;
    if (!t->holds.count) return;
    table *rows = table_new(8, "llrrrrrr");
    static const char *const heading[] = {"hold", "kind", "fx", "fy", "fz", "tx", "ty", "tz"};
    for (int i = 0; i < 8; i++) table_cell(rows, heading[i]);
    for (int32_t i = 0; i < t->holds.count; i++) {
        const hml_constraint_kind kind = t->items[i].kind;
        const int along_z = kind == HML_HOLD_PLANE || kind == HML_TOUCH_PLANE;
        const int count = along_z ? 1 : kind == HML_HOLD_POINT ? 3 : 6, first = along_z ? 2 : 0;
        table_cell(rows, hold_name(r, &t->items[i]));
        table_cell(rows, hold_kind_name(kind));
        for (int k = 0; k < 6; k++) {
            if (k < first || k >= first + count)
                table_cell(rows, "");
            else
                table_number(rows, *force++);
        }
    }
    table_heading(stdout, "Forces of the holds on the robot; of a frame in its axes, of others in the world's");
    table_print(rows, stdout);
    table_free(rows);
}

static void print_all(const robot *r, const trim *t)
{
    const hml_trim_report *x = &t->report;
    print_positions(r, t);
    print_torques(r, t);
    print_holds(r, t);
    table_heading(stdout, "Solution");
    printf("largest residual     %.3g N or N m\n", x->residual);
    printf("quadratic programs   %d\n", (int)x->iterations);
    printf("limits reached       %d\n", (int)x->at_limit);
    printf("cost                 %.6g%s\n", x->cost,
           x->optimal ? "" : ", which could be lower: the iterations ran out");
}

int cli_trim(const cli_options *options)
{
    robot r;
    trim t = {0};
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_must_move(&r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK) status = compute(options, &r, &t);
    if (status == CLI_OK && options->out) {
        status = robot_write(options, result_of(&r, options->representation, &t));
    } else if (status == CLI_OK) {
        robot_print_header(&r, options->representation);
        print_all(&r, &t);
    }
    free(t.scratch);
    free(t.force);
    free(t.free);
    free(t.memory);
    robot_free(&r);
    return status;
}
