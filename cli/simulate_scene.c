/* hamel simulate: what pushes the robot, and what it stands on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/actuation.h"
#include "hamel/kinematics.h"
#include "simulate.h"

enum { NAME_MOST = 256 };

static int failed(const robot *r, hml_status status) { return status ? robot_fail(r, status) : CLI_OK; }

/* ---- forces of the state ---- */

static void add_state(const robot *r, scene *s)
{
    s->forces.tau = r->state->tau;
    s->forces.nframe_wrenches = r->state->nwrenches;
    s->forces.frame_wrenches = r->state->wrenches;
}

/* ---- servos ---- */

/*
 * A servo should carry the robot: with the whole weight at the end of what its joint moves, it gives way by a tenth of
 * a radian; a joint that slides, by a hundredth of a metre. The reach is the longest way from the joint to a frame that
 * it carries, 0.1 m at least; without gravity that of the earth counts.
 */
static double default_stiffness(const robot *r, const double *H, const hml_joint_info *joint, int slides)
{
    double g[3], reach = 0.1;
    hml_body_info body = {.struct_size = sizeof body};
    hml_model_gravity(r->model, g);
    hml_model_body(r->model, joint->body, &body);
    const double *origin = H + 16 * (size_t)joint->body;
    for (int32_t f = 0; f < hml_model_nframes(r->model); f++) {
        hml_frame_info info = {.struct_size = sizeof info};
        hml_model_frame(r->model, f, &info);
        if (info.body < joint->body || info.body >= body.subtree_end) continue;
        const double *at = H + 16 * (size_t)f;
        reach = fmax(reach, hypot(hypot(at[3] - origin[3], at[7] - origin[7]), at[11] - origin[11]));
    }
    double strength = hypot(hypot(g[0], g[1]), g[2]);
    double weight = hml_model_mass(r->model) * (strength > 0 ? strength : 9.81);
    return slides ? weight / 0.01 : weight * reach / 0.1;
}

int simulate_slides(hml_joint_type type, int32_t coordinate)
{
    switch (type) {
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_TRANSLATION3: return 1;
    case HML_JOINT_CYLINDRICAL: return coordinate == 0;
    case HML_JOINT_PLANAR: return coordinate < 2;
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE: return coordinate < 3;
    default: return 0;
    }
}

static hml_status add_servos(const cli_options *options, const robot *r, scene *s)
{
    size_t frames = (size_t)hml_model_nframes(r->model);
    double *H = malloc((16 * frames + 1) * sizeof *H);
    s->stiffness = calloc((size_t)r->nv + 1, sizeof *s->stiffness);
    s->damping = calloc((size_t)r->nv + 1, sizeof *s->damping);
    hml_status status = H && s->stiffness && s->damping ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        status =
            hml_frame_motions(r->model, r->work, (int32_t)frames, HML_MIXED, r->state->q, NULL, NULL, H, NULL, NULL);
    }
    for (int32_t j = 0; !status && j < hml_model_njoints(r->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        status = hml_model_joint(r->model, j, &joint);
        for (int32_t k = 0; !status && joint.actuated && k < joint.nv; k++) {
            double stiffness = options->stiffness, damping = options->damping;
            if (stiffness < 0) stiffness = default_stiffness(r, H, &joint, simulate_slides(joint.type, k));
            s->stiffness[joint.v + k] = stiffness;
            s->damping[joint.v + k] = damping < 0 ? 0.1 * stiffness : damping;
        }
    }
    free(H);
    s->forces.target = r->state->q;
    s->forces.stiffness = s->stiffness;
    s->forces.damping = s->damping;
    return status;
}

/* ---- actuators ---- */

/* inputs of the state; those that it does not give hold the joints where they are, or are 0 */
static hml_status add_actuators(const robot *r, scene *s)
{
    const int32_t n = hml_model_nactuators(r->model);
    s->inputs = calloc((size_t)n + 1, sizeof *s->inputs);
    hml_status status = s->inputs ? hml_actuation_hold(r->model, r->state->q, s->inputs) : HML_OUT_OF_MEMORY;
    for (int32_t i = 0; !status && i < n; i++) {
        if (!isnan(r->state->inputs[i])) s->inputs[i] = r->state->inputs[i];
    }
    s->forces.inputs = s->inputs;
    return status;
}

int scene_check(const cli_options *options, const robot *r)
{
    if (options->hold != 2 || hml_model_nactuators(r->model) > 0) return CLI_OK;
    return cli_fail(CLI_INPUT, "%s: there are no actuators for --controller actuators", r->file);
}

hml_status scene_push(const cli_options *options, const robot *r, scene *s)
{
    *s = (scene){.forces = {.struct_size = sizeof s->forces}, .touching = -1};
    s->field.friction = -1;
    add_state(r, s);
    if (options->hold == 1) return add_servos(options, r, s);
    return options->hold == 2 ? add_actuators(r, s) : HML_OK;
}

/* ---- the ground ---- */

static int same(int n, const double *a, const double *b)
{
    int equal = 1;
    for (int i = 0; i < n; i++) equal &= a[i] == b[i];
    return equal;
}

/* the name of a frame that lies where the shape does, as readers make it of shapes with names; 0: there is none */
static int named_frame(const robot *r, const hml_shape *shape, hml_frame_info *info)
{
    int beside = 0; /* a shape that is alone on its body has the body's name */
    for (int32_t i = 0; i < hml_model_nshapes(r->model); i++) {
        hml_shape other;
        beside += !hml_model_shape(r->model, i, &other) && other.frame == shape->frame;
    }
    if (beside < 2) return 0;
    for (int32_t f = r->nbodies; f < hml_model_nframes(r->model); f++) {
        hml_model_frame(r->model, f, info);
        if (info->body == shape->frame && info->kind == HML_FRAME_NAMED && same(3, info->position, shape->position) &&
            same(9, info->rotation, shape->rotation))
            return 1;
    }
    return 0;
}

/* named after its body, or after its own frame if it is not alone there; without one, the second is called body#2 */
static int add_shape(const robot *r, const hml_shape *shape, scene *s)
{
    hml_frame_info info = {.struct_size = sizeof info};
    int count = 1;
    if (shape->kind != HML_SHAPE_POINT && named_frame(r, shape, &info)) {
        char *own = malloc(NAME_MOST);
        if (!own) return 0;
        snprintf(own, NAME_MOST, "%s", info.name);
        s->points[s->npoints] = *shape;
        s->point_names[s->npoints++] = own;
        return 1;
    }
    hml_model_frame(r->model, shape->frame, &info);
    for (int32_t i = 0; i < s->npoints; i++) count += s->points[i].frame == shape->frame;
    char *name = malloc(NAME_MOST);
    if (!name) return 0;
    if (count > 1)
        snprintf(name, NAME_MOST, "%s#%d", info.name, count);
    else
        snprintf(name, NAME_MOST, "%s", info.name);
    s->points[s->npoints] = *shape;
    s->point_names[s->npoints++] = name;
    return 1;
}

static int add_point(const robot *r, int32_t frame, scene *s)
{
    const hml_shape point = {
        .frame = frame, .kind = HML_SHAPE_POINT, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .friction = -1};
    return add_shape(r, &point, s);
}

/* those of the model that can move; friction that was asked for takes the place of theirs */
static int add_shapes(const cli_options *options, const robot *r, scene *s)
{
    for (int32_t i = 0; i < hml_model_nshapes(r->model); i++) {
        hml_shape shape;
        if (hml_model_shape(r->model, i, &shape) || shape.frame < 0) continue;
        if (options->friction >= 0) shape.friction = -1;
        if (!add_shape(r, &shape, s)) return 0;
    }
    return 1;
}

/* "a,b,c"; an exit status */
static int add_named_points(const robot *r, const char *names, scene *s)
{
    while (*names) {
        char name[NAME_MOST];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), names);
        int32_t frame = hml_model_find_frame(r->model, name);
        if (frame < 0) return cli_fail(CLI_INPUT, "%s: there is no frame, body or link '%s'", r->file, name);
        if (!add_point(r, frame, s)) return robot_fail(r, HML_OUT_OF_MEMORY);
        names += length + (names[length] == ',');
    }
    return CLI_OK;
}

/* the frames on bodies that carry nothing; their origins if they have none */
static int add_outer_points(const robot *r, scene *s)
{
    for (int32_t i = 0; i < r->nbodies; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_body(r->model, i, &body);
        int32_t before = s->npoints;
        if (body.subtree_end != i + 1) continue;
        for (int32_t f = r->nbodies; f < hml_model_nframes(r->model); f++) {
            hml_frame_info info = {.struct_size = sizeof info};
            hml_model_frame(r->model, f, &info);
            if (info.body == i && !add_point(r, f, s)) return 0;
        }
        if (s->npoints == before && !add_point(r, i, s)) return 0;
    }
    return 1;
}

/* what touches instead of shapes, in one sentence */
static void warn_shapeless(const cli_options *options, const robot *r, const scene *s)
{
    enum { NAMED = 4 };
    char text[(NAMED + 2) * NAME_MOST];
    if (options->quiet) return;
    size_t used = (size_t)snprintf(text, sizeof text, "there are no collision shapes; as points touch the ground: ");
    for (int32_t i = 0; i < s->npoints && i < NAMED && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.100s", i ? ", " : "", s->point_names[i]);
    }
    if (s->npoints > NAMED && used < sizeof text)
        snprintf(text + used, sizeof text - used, " and %d more", (int)s->npoints - NAMED);
    robot_warn(r->file, text);
}

/* what overlaps at the start would jam the joints */
static hml_status leave_overlaps(const cli_options *options, const robot *r, const scene *s)
{
    char text[120];
    int32_t count;
    hml_status status = hml_contact_exclude(r->model, r->work, s->contact, r->state->q, &count);
    if (!status && count > 0 && !options->quiet) {
        snprintf(text, sizeof text, "pairs of shapes that overlap at the start and are left out of --pairs: %d",
                 (int)count);
        robot_warn(r->file, text);
    }
    return status;
}

/* the file of --terrain; an exit status */
static int load_terrain(const cli_options *options, double friction, hml_heightfield *field)
{
    hml_error error = {0};
    hml_status status = hml_heightfield_load(options->terrain, field, &error);
    if (status) {
        error.status = status;
        return cli_fail_error(&error);
    }
    for (int i = 0; i < 2; i++) {
        if (options->spacing[i] > 0) field->spacing[i] = options->spacing[i];
        if (!(field->spacing[i] > 0))
            return cli_fail(CLI_INPUT,
                            "%s: the file does not say how far apart its heights are; use --spacing, such as "
                            "--spacing 0.05",
                            options->terrain);
        if (!(field->spacing[i] >= 1e-9 && field->spacing[i] <= 1e9))
            return cli_fail(CLI_USAGE, "--spacing %g: heights are 1e-9 to 1e9 m apart", field->spacing[i]);
    }
    if (field->friction < 0 || options->friction >= 0) field->friction = friction;
    return CLI_OK;
}

static int add_ground(const cli_options *options, const robot *r, scene *s)
{
    double friction = options->friction < 0 ? 0.8 : options->friction;
    size_t most = (size_t)hml_model_nframes(r->model) + (size_t)hml_model_nshapes(r->model) + 1;
    if (options->contacts) most += strlen(options->contacts);
    s->points = calloc(most, sizeof *s->points);
    s->point_names = calloc(most, sizeof *s->point_names);
    if (!s->points || !s->point_names) return robot_fail(r, HML_OUT_OF_MEMORY);
    if (options->contacts) {
        int status = add_named_points(r, options->contacts, s);
        if (status != CLI_OK) return status;
    } else if (!add_shapes(options, r, s)) {
        return robot_fail(r, HML_OUT_OF_MEMORY);
    } else if (s->npoints == 0) {
        if (!add_outer_points(r, s)) return robot_fail(r, HML_OUT_OF_MEMORY);
        warn_shapeless(options, r, s);
    }
    if (options->terrain) {
        const int status = load_terrain(options, friction, &s->field);
        if (status != CLI_OK) return status;
    }
    const hml_plane plane = {.normal = {0, 0, 1}, .axis = {1, 0, 0}, .friction = friction};
    hml_contact_settings settings = {
        .struct_size = sizeof settings, .planes = &plane, .nplanes = !options->terrain, .options = HML_CONTACT_BALANCE};
    settings.heightfields = &s->field;
    settings.nheightfields = options->terrain != NULL;
    if (options->pairs) settings.options |= HML_CONTACT_PAIRS;
    if (options->no_loops) settings.options |= HML_CONTACT_OPEN_LOOPS;
    settings.shapes = s->points;
    settings.nshapes = s->npoints;
    size_t size = hml_contact_size(r->model, &settings);
    if (!size)
        return cli_fail(CLI_COMPUTE, "%s: %d shapes%s: too many to touch the ground", r->file, (int)s->npoints,
                        options->terrain ? " and the heights of the grid" : "");
    s->memory = malloc(size);
    if (!s->memory) return robot_fail(r, HML_OUT_OF_MEMORY);
    hml_status status = hml_contact_init(s->memory, size, r->model, &settings, &s->contact);
    int placed = status ? CLI_OK : scene_place(options, r, s);
    if (placed != CLI_OK) return placed;
    if (!status && options->pairs) status = leave_overlaps(options, r, s);
    if (!status) status = hml_contact_set_servo(s->contact, s->forces.target, s->stiffness, s->damping);
    return failed(r, status);
}

int scene_make(const cli_options *options, const robot *r, scene *s)
{
    int checked = scene_check(options, r);
    if (checked != CLI_OK) return checked;
    hml_status status = scene_push(options, r, s);
    if (status) return robot_fail(r, status);
    return options->ground ? add_ground(options, r, s) : CLI_OK;
}

void scene_free(scene *s)
{
    for (int32_t i = 0; i < s->npoints; i++) free(s->point_names[i]);
    free(s->point_names);
    free(s->points);
    free(s->stiffness);
    free(s->damping);
    free(s->inputs);
    free(s->memory);
    hml_heightfield_free(&s->field);
}
