/* Are two models the same? The first difference, as a sentence. See edit.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/check_item.h"
#include "model/edit.h"

typedef struct comparison {
    const hml_model *a, *b;
    double tolerance;
    char *sentence;
    size_t size;
} comparison;

static int differ(const comparison *c, const char *format, ...) PRINTF_LIKE(2, 3);

static int differ(const comparison *c, const char *format, ...)
{
    if (c->sentence && c->size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(c->sentence, c->size, format, arguments);
        va_end(arguments);
    }
    return 0;
}

static int same_count(const comparison *c, const char *what, int32_t a, int32_t b)
{
    return a == b || differ(c, "one has %d %s, the other %d", (int)a, what, (int)b);
}

static int same_text(const comparison *c, const char *what, int32_t index, uint32_t a, uint32_t b)
{
    const char *x = model_text(c->a, a), *y = model_text(c->b, b);
    return strcmp(x, y) == 0 ||
           differ(c, "%s %d is " NAMED " in one and " NAMED " in the other", what, (int)index, x, y);
}

static int same_int(const comparison *c, const char *what, uint32_t name, const char *which, int32_t a, int32_t b)
{
    return a == b || differ(c, "%s " NAMED ": its %s is %d in one and %d in the other", what, model_text(c->a, name),
                            which, (int)a, (int)b);
}

static int close_enough(const comparison *c, double a, double b)
{
    if (a == b) return 1; /* infinite limits too */
    return fabs(a - b) <= c->tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

static int same_numbers(const comparison *c, const char *what, uint32_t name, const char *which, const double *a,
                        const double *b, int n)
{
    char one[DECIMAL_SIZE], other[DECIMAL_SIZE];
    for (int i = 0; i < n; i++)
        if (!close_enough(c, a[i], b[i]))
            return differ(c, "%s " NAMED ": its %s is %s in one and %s in the other", what, model_text(c->a, name),
                          which, decimal_text(one, DECIMAL_EXACT, a[i]), decimal_text(other, DECIMAL_EXACT, b[i]));
    return 1;
}

static int same_body(const comparison *c, int32_t i)
{
    const model_body *a = &model_bodies(c->a)[i], *b = &model_bodies(c->b)[i];
    uint32_t n = a->name;
    return same_text(c, "body", i, n, b->name) && same_int(c, "body", n, "parent", a->parent, b->parent) &&
           same_int(c, "body", n, "joint type", a->type, b->type) &&
           same_int(c, "body", n, "joint", a->joint, b->joint) &&
           same_numbers(c, "body", n, "placement's rotation", a->R, b->R, 9) &&
           same_numbers(c, "body", n, "placement's position", a->p, b->p, 3) &&
           same_numbers(c, "body", n, "joint's axis", a->axis, b->axis, 3) &&
           same_numbers(c, "body", n, "joint's point", a->point, b->point, 3) &&
           same_numbers(c, "body", n, "joint's pitch", &a->pitch, &b->pitch, 1) &&
           same_numbers(c, "body", n, "mass", &a->mass, &b->mass, 1) &&
           same_numbers(c, "body", n, "centre of mass", a->com, b->com, 3) &&
           same_numbers(c, "body", n, "moment of inertia", a->moment, b->moment, 6);
}

static int same_coordinates(const comparison *c, const model_joint *j)
{
    const model_body *body = &model_bodies(c->a)[j->body];
    hml_joint_type type = (hml_joint_type)j->type;
    for (int32_t k = body->v; k < body->v + hml_joint_type_nv(type); k++) {
        const model_coordinate *a = &model_coordinates(c->a)[k], *b = &model_coordinates(c->b)[k];
        if (!same_numbers(c, "joint", j->name, "armature", &a->armature, &b->armature, 1) ||
            !same_numbers(c, "joint", j->name, "damping", &a->damping, &b->damping, 1) ||
            !same_numbers(c, "joint", j->name, "friction", &a->friction, &b->friction, 1) ||
            !same_numbers(c, "joint", j->name, "stiffness", &a->stiffness, &b->stiffness, 1) ||
            !same_numbers(c, "joint", j->name, "lower limit", &a->lower, &b->lower, 1) ||
            !same_numbers(c, "joint", j->name, "upper limit", &a->upper, &b->upper, 1) ||
            !same_numbers(c, "joint", j->name, "velocity limit", &a->velocity, &b->velocity, 1) ||
            !same_numbers(c, "joint", j->name, "effort limit", &a->effort, &b->effort, 1))
            return 0;
    }
    return same_numbers(c, "joint", j->name, "rest position", model_rest(c->a) + body->q, model_rest(c->b) + body->q,
                        hml_joint_type_nq(type));
}

static int same_joint(const comparison *c, int32_t i)
{
    const model_joint *a = &model_joints(c->a)[i], *b = &model_joints(c->b)[i];
    return same_text(c, "joint", i, a->name, b->name) && same_int(c, "joint", a->name, "type", a->type, b->type) &&
           same_int(c, "joint", a->name, "leader", a->leader, b->leader) &&
           same_int(c, "joint", a->name, "actuation", a->actuated, b->actuated) &&
           same_numbers(c, "joint", a->name, "mimic multiplier", &a->multiplier, &b->multiplier, 1) &&
           same_numbers(c, "joint", a->name, "mimic offset", &a->offset, &b->offset, 1) && same_coordinates(c, a);
}

static int same_frame(const comparison *c, int32_t i)
{
    const model_frame *a = &model_frames(c->a)[i], *b = &model_frames(c->b)[i];
    return same_text(c, "frame", i, a->name, b->name) && same_int(c, "frame", a->name, "body", a->body, b->body) &&
           same_numbers(c, "frame", a->name, "rotation", a->R, b->R, 9) &&
           same_numbers(c, "frame", a->name, "position", a->p, b->p, 3);
}

static int same_shape(const comparison *c, int32_t i)
{
    const model_shape *a = &model_shapes(c->a)[i], *b = &model_shapes(c->b)[i];
    uint32_t n = a->body < 0 ? c->a->name : model_bodies(c->a)[a->body].name;
    return same_int(c, "shape of", n, "body", a->body, b->body) &&
           same_int(c, "shape of", n, "kind", a->kind, b->kind) &&
           same_numbers(c, "shape of", n, "size", a->size, b->size, 3) &&
           same_numbers(c, "shape of", n, "rotation", a->R, b->R, 9) &&
           same_numbers(c, "shape of", n, "position", a->p, b->p, 3) &&
           same_numbers(c, "shape of", n, "friction", &a->friction, &b->friction, 1) &&
           same_numbers(c, "shape of", n, "restitution", &a->restitution, &b->restitution, 1) &&
           same_int(c, "shape of", n, "contype", (int32_t)a->contype, (int32_t)b->contype) &&
           same_int(c, "shape of", n, "conaffinity", (int32_t)a->conaffinity, (int32_t)b->conaffinity) &&
           same_int(c, "shape of", n, "number of vertices", a->nvertices, b->nvertices) &&
           same_numbers(c, "shape of", n, "vertices", model_vertices(c->a) + 3 * (size_t)a->first,
                        model_vertices(c->b) + 3 * (size_t)b->first, 3 * a->nvertices);
}

static int same_exclusion(const comparison *c, int32_t i)
{
    const model_exclusion *a = &model_exclusions(c->a)[i], *b = &model_exclusions(c->b)[i];
    const uint32_t n = a->body[0] < 0 ? c->a->name : model_bodies(c->a)[a->body[0]].name;
    return same_int(c, "exclusion of", n, "body", a->body[0], b->body[0]) &&
           same_int(c, "exclusion of", n, "other body", a->body[1], b->body[1]);
}

static int same_loop(const comparison *c, int32_t i)
{
    const model_loop *a = &model_loops(c->a)[i], *b = &model_loops(c->b)[i];
    const uint32_t n = model_frames(c->a)[a->frame].name;
    return same_int(c, "loop of", n, "frame", a->frame, b->frame) &&
           same_int(c, "loop of", n, "other frame", a->other, b->other) &&
           same_int(c, "loop of", n, "kind", a->kind, b->kind) &&
           same_numbers(c, "loop of", n, "normal", a->normal, b->normal, 3) &&
           same_numbers(c, "loop of", n, "distance", &a->distance, &b->distance, 1) &&
           same_numbers(c, "loop of", n, "damping", &a->damping, &b->damping, 1) &&
           same_numbers(c, "loop of", n, "stiffness", &a->stiffness, &b->stiffness, 1) &&
           same_numbers(c, "loop of", n, "rotation", a->R, b->R, 9) &&
           same_numbers(c, "loop of", n, "position", a->p, b->p, 3);
}

static int same_keyframe(const comparison *c, int32_t i)
{
    const model_keyframe *a = &model_keyframes(c->a)[i], *b = &model_keyframes(c->b)[i];
    if (!same_text(c, "keyframe", i, a->name, b->name) ||
        !same_int(c, "keyframe", a->name, "number of joints", a->count, b->count))
        return 0;
    for (int32_t k = 0; k < a->count; k++) {
        const model_key *x = &model_keys(c->a)[a->first + k], *y = &model_keys(c->b)[b->first + k];
        if (!same_int(c, "keyframe", a->name, "joint", x->joint, y->joint) ||
            !same_numbers(c, "keyframe", a->name, "position", x->position, y->position, HML_JOINT_MAX_NQ) ||
            !same_numbers(c, "keyframe", a->name, "velocity", x->velocity, y->velocity, HML_JOINT_MAX_NV))
            return 0;
    }
    return 1;
}

static int same_actuator(const comparison *c, int32_t i)
{
    const model_actuator *a = &model_actuators(c->a)[i], *b = &model_actuators(c->b)[i];
    const double limits[2][4] = {{a->lower, a->upper, a->force_lower, a->force_upper},
                                 {b->lower, b->upper, b->force_lower, b->force_upper}};
    return same_text(c, "actuator", i, a->name, b->name) &&
           same_int(c, "actuator", a->name, "transmission", a->transmission, b->transmission) &&
           same_int(c, "actuator", a->name, "target", a->target, b->target) &&
           same_numbers(c, "actuator", a->name, "gear", a->gear, b->gear, 6) &&
           same_numbers(c, "actuator", a->name, "gain", &a->gain, &b->gain, 1) &&
           same_numbers(c, "actuator", a->name, "bias", a->bias, b->bias, 3) &&
           same_numbers(c, "actuator", a->name, "limits", limits[0], limits[1], 4);
}

static int same_of_world(const comparison *c, const char *which, const double *a, const double *b, int n)
{
    char one[DECIMAL_SIZE], other[DECIMAL_SIZE];
    for (int i = 0; i < n; i++)
        if (!close_enough(c, a[i], b[i]))
            return differ(c, "what is fixed to the world: its %s is %s in one and %s in the other", which,
                          decimal_text(one, DECIMAL_EXACT, a[i]), decimal_text(other, DECIMAL_EXACT, b[i]));
    return 1;
}

static int same_world(const comparison *c)
{
    return same_of_world(c, "mass", &c->a->world_mass, &c->b->world_mass, 1) &&
           same_of_world(c, "centre of mass", c->a->world_com, c->b->world_com, 3) &&
           same_of_world(c, "moment", c->a->world_moment, c->b->world_moment, 6);
}

int hml_model_equal(const hml_model *a, const hml_model *b, double tolerance, char *difference, size_t size)
{
    comparison c = {a, b, tolerance, difference, size};
    char one[DECIMAL_SIZE], other[DECIMAL_SIZE];
    if (!a || !b) return differ(&c, "there is only one model, or none");
    if (strcmp(hml_model_name(a), hml_model_name(b)) != 0)
        return differ(&c, "one is called " NAMED ", the other " NAMED, hml_model_name(a), hml_model_name(b));
    for (int i = 0; i < 3; i++)
        if (!close_enough(&c, a->gravity[i], b->gravity[i]))
            return differ(&c, "the %c of gravity is %s in one and %s in the other", "xyz"[i],
                          decimal_text(one, DECIMAL_EXACT, a->gravity[i]),
                          decimal_text(other, DECIMAL_EXACT, b->gravity[i]));
    if (!same_count(&c, "bodies", a->nbodies, b->nbodies) || !same_count(&c, "joints", a->njoints, b->njoints) ||
        !same_count(&c, "frames", a->nframes, b->nframes) || !same_count(&c, "shapes", a->nshapes, b->nshapes) ||
        !same_count(&c, "loops", a->nloops, b->nloops) || !same_count(&c, "keyframes", a->nkeyframes, b->nkeyframes) ||
        !same_count(&c, "actuators", a->nactuators, b->nactuators) ||
        !same_count(&c, "exclusions", a->nexclusions, b->nexclusions))
        return 0;
    for (int32_t i = 0; i < a->nbodies; i++)
        if (!same_body(&c, i)) return 0;
    for (int32_t i = 0; i < a->njoints; i++)
        if (!same_joint(&c, i)) return 0;
    for (int32_t i = a->nbodies; i < a->nframes; i++)
        if (!same_frame(&c, i)) return 0;
    for (int32_t i = 0; i < a->nshapes; i++)
        if (!same_shape(&c, i)) return 0;
    for (int32_t i = 0; i < a->nloops; i++)
        if (!same_loop(&c, i)) return 0;
    for (int32_t i = 0; i < a->nexclusions; i++)
        if (!same_exclusion(&c, i)) return 0;
    for (int32_t i = 0; i < a->nkeyframes; i++)
        if (!same_keyframe(&c, i)) return 0;
    for (int32_t i = 0; i < a->nactuators; i++)
        if (!same_actuator(&c, i)) return 0;
    return same_world(&c);
}
