/* hamel simulate --ground: where the robot starts. */
#include <math.h>
#include <stdlib.h>

#include "simulate.h"

enum { SENTENCE = 512 };

static const double most_depth = 1e-3; /* metres inside the ground that a step takes out without a jump */

/* can the joint go in every direction, and does nothing that moves carry it? */
static int places_robot(const robot *r, const hml_joint_info *joint)
{
    hml_body_info body = {.struct_size = sizeof body};
    if (joint->type != HML_JOINT_FREE && joint->type != HML_JOINT_TRANSLATION3 && joint->type != HML_JOINT_SCHOENFLIES)
        return 0;
    hml_model_body(r->model, joint->body, &body);
    while (body.parent >= 0) {
        hml_joint_info above = {.struct_size = sizeof above};
        hml_model_body(r->model, body.parent, &body);
        if (hml_model_joint(r->model, body.joint, &above) || above.type != HML_JOINT_FIXED) return 0;
    }
    return 1;
}

/* the body of the first joint that places the robot, and whether the state file gives the position of any; −1: none */
static int32_t find_base(const robot *r, int *given)
{
    int32_t body = -1;
    *given = 0;
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_joint(r->model, i, &joint) || !places_robot(r, &joint)) continue;
        if (body < 0) body = joint.body;
        *given |= r->state->given[i];
    }
    return body;
}

static hml_status height_of(const robot *r, int32_t body, double *height)
{
    double H[16];
    const hml_frame_motion motion = {.struct_size = sizeof motion, .pose = H};
    hml_status status = hml_frame(r->model, r->work, body, HML_LEFT, r->state->q, NULL, NULL, &motion);
    if (!status) *height = H[11];
    return status;
}

/* "'left_foot' (a box on body 'left_ankle') is 0.12 m below the ground" */
static void describe(const robot *r, const scene *s, const hml_contact_point *point, char text[SENTENCE])
{
    const hml_shape *shape = &s->points[point->shape];
    hml_frame_info frame = {.struct_size = sizeof frame};
    hml_body_info body = {.struct_size = sizeof body, .name = "world"};
    hml_model_frame(r->model, shape->frame, &frame);
    if (frame.body >= 0) hml_model_body(r->model, frame.body, &body);
    snprintf(text, SENTENCE, "'%.160s' (a %s on body '%.160s') is %.3g m below the ground",
             s->point_names[point->shape], hml_shape_kind_name(shape->kind), body.name, -point->gap);
}

/* on the ground or over it; what cannot be moved stays */
static int place(const cli_options *options, const robot *r, int32_t base, scene *s)
{
    const double height = options->height > 0 ? options->height : 0;
    double before = 0, after = 0;
    hml_contact_point point;
    hml_status status = base < 0 ? HML_UNSUPPORTED : height_of(r, base, &before);
    if (!status) status = hml_contact_place(r->model, r->work, s->contact, 0, height, r->state->q);
    if (status == HML_UNSUPPORTED) {
        if (options->terrain && base >= 0)
            return cli_fail(CLI_INPUT, "%s: no shape of the robot is over the grid of %s", r->file, options->terrain);
        if (options->height >= 0) return cli_fail(CLI_INPUT, "%s: --height: no base that can be lifted", r->file);
        return CLI_OK;
    }
    if (!status) status = height_of(r, base, &after);
    if (!status) status = hml_contact_lowest(r->model, r->work, s->contact, r->state->q, 0, &point);
    if (status) return robot_fail(r, status);
    s->touching = point.shape;
    s->lifted = after - before;
    return CLI_OK;
}

static int has_shape(const robot *r, const scene *s, int32_t body)
{
    for (int32_t i = 0; i < s->npoints; i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        if (!hml_model_frame(r->model, s->points[i].frame, &frame) && frame.body == body) return 1;
    }
    return 0;
}

/* files without shapes on the feet are common: meshes are left out. Names the lowest frame that nothing keeps up */
static hml_status warn_below(const robot *r, const scene *s)
{
    const int32_t frames = hml_model_nframes(r->model);
    char sentence[SENTENCE];
    hml_frame_info lowest = {.struct_size = sizeof lowest};
    double *H = malloc((16 * (size_t)frames + 1) * sizeof *H), depth = most_depth;
    if (!H) return HML_OUT_OF_MEMORY;
    hml_status status = hml_frame_motions(r->model, r->work, frames, HML_LEFT, r->state->q, NULL, NULL, H, NULL, NULL);
    for (int32_t i = 0; !status && i < frames; i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        const double z = H[16 * (size_t)i + 11];
        if (-z <= depth || hml_model_frame(r->model, i, &frame) || frame.body < 0 || has_shape(r, s, frame.body))
            continue;
        depth = -z;
        lowest = frame;
    }
    free(H);
    if (lowest.name) {
        snprintf(sentence, SENTENCE, "'%.200s' is %.3g m below the ground, and its body has no collision shape",
                 lowest.name, depth);
        robot_warn(r->file, sentence);
    }
    return status;
}

bounded scene_keep_limits(const cli_options *options, const robot *r)
{
    bounded moved = {0, -1, 0};
    for (int32_t j = 0; !options->state && !options->keyframe && j < hml_model_njoints(r->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (r->state->given[j] || hml_model_joint(r->model, j, &joint) || joint.nq != joint.nv) continue;
        for (int32_t k = 0; k < joint.nq; k++) {
            double *q = &r->state->q[joint.q + k], before = *q;
            *q = fmin(fmax(*q, joint.lower[k]), joint.upper[k]);
            const double by = fabs(*q - before);
            moved.count += by > 0;
            if (by > moved.by) moved.by = by, moved.farthest = joint.v + k;
        }
    }
    return moved;
}

int scene_place(const cli_options *options, const robot *r, scene *s)
{
    char sentence[SENTENCE];
    hml_contact_point point;
    int given;
    const int32_t base = find_base(r, &given);
    int exit_status = given && options->height < 0 ? CLI_OK : place(options, r, base, s);
    if (exit_status != CLI_OK) return exit_status;
    hml_status below = options->quiet || options->contacts || options->terrain ? HML_OK : warn_below(r, s);
    hml_status status = below ? below : hml_contact_lowest(r->model, r->work, s->contact, r->state->q, 0, &point);
    if (status) return robot_fail(r, status);
    if (!(point.gap < -most_depth)) return CLI_OK;
    if (given && options->lift) return place(options, r, base, s);
    describe(r, s, &point, sentence);
    if (given) {
        return cli_fail(CLI_INPUT,
                        "%s: the robot starts inside the ground: %s; use --lift, or leave the position of the base out",
                        options->state ? options->state : r->file, sentence);
    }
    if (!options->quiet) robot_warn(r->file, sentence);
    return CLI_OK;
}
