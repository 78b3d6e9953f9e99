/* hamel jacobian: where a frame is, how it moves, and how the robot moves it. */
#include <stdlib.h>

#include "hamel/representation.h"
#include "loops.h"
#include "robot.h"
#include "table.h"

typedef struct motion {
    double pose[16], twist[6], acceleration[6];
    double *J, *Jdot, *nu_dot; /* nu_dot: left-trivialized, from forward dynamics */
} motion;

static const char *frame_name(const void *model, int i)
{
    hml_frame_info info = {.struct_size = sizeof info};
    hml_model_frame(model, i, &info);
    return info.name;
}

static int no_such_frame(const robot *r, const char *name)
{
    const char *nearest = cli_nearest(name, hml_model_nframes(r->model), frame_name, r->model);
    if (!nearest) return cli_fail(CLI_INPUT, "%s: there is no frame '%s'; hamel info lists them", r->file, name);
    return cli_fail(CLI_INPUT, "%s: there is no frame '%s'; did you mean '%s'?", r->file, name, nearest);
}

/* J and Jdot are asked for against the left velocity, then turned to the representation's */
static hml_status compute(const robot *r, int32_t frame, hml_representation representation, motion *m)
{
    const hml_state *s = r->state;
    hml_frame_motion out = {.struct_size = sizeof out,
                            .pose = m->pose,
                            .J = m->J,
                            .Jdot = m->Jdot,
                            .twist = m->twist,
                            .acceleration = m->acceleration};
    hml_status status = r->nloops ? loops_accelerate(r, m->nu_dot)
                                  : hml_forward_dynamics(r->model, r->work, s->q, s->v, s->tau, r->wrenches, m->nu_dot);
    if (!status) status = hml_frame(r->model, r->work, frame, representation, s->q, s->v, m->nu_dot, &out);
    if (status) return status;
    return hml_jacobian_to_representation(r->model, representation, s->q, s->v, 6, m->J, m->Jdot);
}

static hml_result *result_of(const robot *r, const cli_options *options, const motion *m)
{
    const size_t n = (size_t)r->nv, pose[2] = {4, 4}, wide[2] = {6, n}, six = 6;
    hml_result *result = hml_result_new();
    robot_add_common(r, options->representation, result);
    hml_result_add_text(result, "frame", options->frame);
    hml_result_add_numbers(result, "pose", 2, pose, m->pose);
    hml_result_add_numbers(result, "J", 2, wide, m->J);
    hml_result_add_numbers(result, "Jdot", 2, wide, m->Jdot);
    hml_result_add_numbers(result, "twist", 1, &six, m->twist);
    hml_result_add_numbers(result, "acceleration", 1, &six, m->acceleration);
    hml_result_add_numbers(result, "velocity", 1, &n, r->v_rep);
    return result;
}

static void print_all(const robot *r, const char *frame, const motion *m)
{
    static const char *const axes[] = {"x", "y", "z", "position"}, *const none[] = {"", "", "", ""};
    static const char *const parts[] = {"linear x", "linear y", "linear z", "angular x", "angular y", "angular z"};
    static const char *const heading[] = {"", "twist", "acceleration"};
    char text[600];
    snprintf(text, sizeof text, "Pose of %s in the world", frame);
    table_matrix(stdout, text, 3, 4, m->pose, 4, none, axes);
    table *t = table_new(3, "lrr");
    for (int i = 0; i < 3; i++) table_cell(t, heading[i]);
    for (int i = 0; i < 6; i++) {
        table_cell(t, parts[i]);
        table_number(t, m->twist[i]);
        table_number(t, m->acceleration[i]);
    }
    table_heading(stdout, "Motion");
    table_print(t, stdout);
    table_free(t);
    const char *const *names = (const char *const *)r->labels;
    table_matrix(stdout, "J, twist = J velocity", 6, r->nv, m->J, (size_t)r->nv, parts, names);
    table_matrix(stdout, "dJ/dt", 6, r->nv, m->Jdot, (size_t)r->nv, parts, names);
}

int cli_jacobian(const cli_options *options)
{
    robot r;
    motion m = {{0}, {0}, {0}, NULL, NULL, NULL};
    double *memory = NULL;
    int32_t frame = -1;
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) frame = hml_model_find_frame(r.model, options->frame);
    if (status == CLI_OK && frame < 0) status = no_such_frame(&r, options->frame);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK) {
        size_t n = (size_t)r.nv;
        memory = malloc((13 * n + 1) * sizeof *memory);
        if (memory) m.J = memory, m.Jdot = m.J + 6 * n, m.nu_dot = m.Jdot + 6 * n;
        hml_status computed = memory ? compute(&r, frame, options->representation, &m) : HML_OUT_OF_MEMORY;
        if (computed) status = robot_fail(&r, computed);
    }
    if (status == CLI_OK && options->out) {
        status = robot_write(options, result_of(&r, options, &m));
    } else if (status == CLI_OK) {
        robot_print_header(&r, options->representation);
        print_all(&r, options->frame, &m);
    }
    free(memory);
    robot_free(&r);
    return status;
}
