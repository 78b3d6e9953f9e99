/* Taking models apart and putting them together. See edit.h. */
#include <stdlib.h>
#include <string.h>

#include "model/check_item.h"
#include "model/coordinates.h"
#include "model/edit.h"
#include "model/merge_inertia.h"
#include "model/near.h"

unsigned hmli_rebuild_options(const hml_model *m)
{
    for (int32_t i = 0; i < m->nbodies; i++)
        if (model_bodies(m)[i].type == HML_JOINT_FIXED) return HML_BUILD_KEEP_FIXED;
    return 0;
}

hml_status hmli_rebuild(hml_builder *b, const hml_model *like, hml_model **result, hml_error *error)
{
    hml_status status = hml_builder_build(b, hmli_rebuild_options(like), result, error);
    hml_builder_free(b);
    return status;
}

hml_status hmli_joint_position(const hml_model *m, const model_joint *j, const double *q, double out[HML_JOINT_MAX_NQ])
{
    if (!q) {
        joint_neutral(group_type(j->type), out);
        if (j->leader >= 0) out[0] = j->offset;
        return HML_OK;
    }
    if (j->leader < 0) return joint_numbers(j, q, out);
    double leader = q[model_joints(m)[j->leader].q];
    out[0] = j->multiplier * leader + j->offset;
    return finite_numbers(out, 1);
}

pose hmli_joint_motion(const hml_model *m, const model_joint *j, const double *q)
{
    pose H = pose_identity();
    for (int32_t i = j->body; i < j->body + j->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        H = pose_mul(H, joint_pose(b->type, vec3_at(b->axis), vec3_at(b->point), b->pitch, q));
        q += b->nq;
    }
    return H;
}

/* ---- names with a prefix ---- */

typedef struct text {
    char *data;
    size_t capacity;
} text;

static const char *prefixed(text *t, const char *prefix, const char *name)
{
    size_t head = strlen(prefix), tail = strlen(name) + 1;
    if (!array_grow(&t->data, &t->capacity, head + tail, 1)) return NULL;
    memcpy(t->data, prefix, head);
    memcpy(t->data + head, name, tail);
    return t->data;
}

typedef struct adding {
    hml_builder *b;
    const hml_model *m;
    const char *prefix, *body; /* what the model's world becomes */
    pose at;
    int moved; /* 0: at is the identity, and numbers stay as they are */
    hml_error *error;
    text name, parent, joint, leader;
} adding;

static void joint_spec_of(const hml_model *m, int32_t index, hml_joint_spec *spec)
{
    hml_joint_info info = {.struct_size = sizeof info};
    hml_model_joint(m, index, &info);
    hml_joint_spec_init(spec, info.type);
    spec->name = info.name;
    memcpy(spec->position, info.position, sizeof spec->position);
    memcpy(spec->rotation, info.rotation, sizeof spec->rotation);
    memcpy(spec->axis, info.axis, sizeof spec->axis);
    memcpy(spec->axis2, info.axis2, sizeof spec->axis2);
    memcpy(spec->point, info.point, sizeof spec->point);
    spec->pitch = info.pitch;
    spec->actuated = info.actuated;
    memcpy(spec->armature, info.armature, sizeof spec->armature);
    memcpy(spec->damping, info.damping, sizeof spec->damping);
    memcpy(spec->friction, info.friction, sizeof spec->friction);
    memcpy(spec->stiffness, info.stiffness, sizeof spec->stiffness);
    memcpy(spec->rest, info.rest, sizeof spec->rest);
    for (int k = 0; k < hml_joint_type_nv(info.type); k++) {
        spec->lower[k] = info.lower[k];
        spec->upper[k] = info.upper[k];
        spec->velocity_limit[k] = info.velocity_limit[k];
        spec->effort_limit[k] = info.effort_limit[k];
    }
    spec->multiplier = info.multiplier;
    spec->offset = info.offset;
}

static hml_status add_link(adding *a, int32_t index)
{
    const hml_model *m = a->m;
    const model_joint *j = &model_joints(m)[index];
    const model_body *first = &model_bodies(m)[j->body], *link = &model_bodies(m)[joint_link(j)];
    hml_joint_spec spec;
    joint_spec_of(m, index, &spec);
    const char *name = prefixed(&a->name, a->prefix, model_text(m, link->name)), *parent = a->body;
    spec.name = prefixed(&a->joint, a->prefix, spec.name);
    if (j->leader >= 0) spec.mimic = prefixed(&a->leader, a->prefix, joint_text(m, &model_joints(m)[j->leader]));
    if (first->parent >= 0)
        parent = prefixed(&a->parent, a->prefix, model_text(m, model_bodies(m)[first->parent].name));
    if (!name || !spec.name || (j->leader >= 0 && !spec.mimic) || (first->parent >= 0 && !parent))
        return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
    if (first->parent < 0 && a->moved) {
        pose origin = pose_mul(a->at, pose_of_arrays(spec.rotation, spec.position));
        pose_to_arrays(origin, spec.rotation, spec.position);
    }
    hml_inertia_spec I = {.mass = link->mass};
    memcpy(I.com, link->com, sizeof I.com);
    sym3_array_to_rows(link->moment, I.moment);
    return hml_builder_add_body(a->b, name, parent, &spec, &I, a->error);
}

static hml_status add_frame(adding *a, const model_frame *f)
{
    const hml_model *m = a->m;
    double R[9], p[3];
    const char *name = prefixed(&a->name, a->prefix, model_text(m, f->name)), *body = a->body;
    if (f->body >= 0) body = prefixed(&a->parent, a->prefix, model_text(m, model_bodies(m)[f->body].name));
    if (!name || (f->body >= 0 && !body)) return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
    memcpy(R, f->R, sizeof R);
    memcpy(p, f->p, sizeof p);
    if (f->body < 0 && a->moved) pose_to_arrays(pose_mul(a->at, pose_of_arrays(R, p)), R, p);
    hml_status status = hml_builder_add_frame(a->b, name, body, p, R, a->error);
    if (!status) a->b->frames[a->b->nframes - 1].kind = f->kind;
    return status;
}

static hml_status add_shape(adding *a, int32_t index)
{
    hml_shape shape;
    hml_model_shape(a->m, index, &shape);
    const char *body = a->body;
    if (shape.frame >= 0) {
        body = prefixed(&a->parent, a->prefix, model_text(a->m, model_bodies(a->m)[shape.frame].name));
        if (!body) return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
    } else if (a->moved) {
        pose place = pose_mul(a->at, pose_of_arrays(shape.rotation, shape.position));
        pose_to_arrays(place, shape.rotation, shape.position);
    }
    return hml_builder_add_shape(a->b, body, &shape, a->error);
}

/* the model's world becomes a body, or stays the world */
static hml_status add_exclusion(adding *a, const model_exclusion *e)
{
    const char *names[2];
    for (int i = 0; i < 2; i++) {
        names[i] = a->body;
        if (e->body[i] < 0) continue;
        names[i] =
            prefixed(i ? &a->parent : &a->name, a->prefix, model_text(a->m, model_bodies(a->m)[e->body[i]].name));
        if (!names[i]) return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
    }
    return hml_builder_add_exclusion(a->b, names[0], names[1], a->error);
}

/* the model's world becomes a body, or another place in the world: a goal there moves along */
static hml_status add_loop(adding *a, int32_t index)
{
    hml_loop loop;
    hml_model_loop(a->m, index, &loop);
    const char *own = hml_model_loop_name(a->m, index), *other = a->body;
    const char *frame = prefixed(&a->name, a->prefix, model_text(a->m, model_frames(a->m)[loop.frame].name));
    const char *name = *own ? prefixed(&a->joint, a->prefix, own) : NULL;
    if (loop.other >= 0) other = prefixed(&a->parent, a->prefix, model_text(a->m, model_frames(a->m)[loop.other].name));
    if (!frame || (*own && !name) || (loop.other >= 0 && !other))
        return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
    if (loop.other < 0 && a->moved) {
        if (loop.kind == HML_HOLD_DISTANCE && vec3_dot(a->at.p, a->at.p) > 0)
            return hmli_fail(a->error, HML_UNSUPPORTED,
                             "the loop of frame " NAMED " keeps a distance from the world's origin, which moves",
                             frame);
        vec3_put(mat3_mul_vec(a->at.R, vec3_at(loop.normal)), loop.normal);
        const pose goal = pose_mul(a->at, pose_at(loop.pose));
        mat3_put(goal.R, loop.pose, 4);
        loop.pose[3] = goal.p.x, loop.pose[7] = goal.p.y, loop.pose[11] = goal.p.z;
    }
    return hml_builder_add_loop(a->b, name, frame, other, &loop, a->error);
}

/* keyframes keep their names, so that those of two models become one */
static hml_status add_keyframe(adding *a, const model_keyframe *f)
{
    const char *name = model_text(a->m, f->name);
    hml_status status = hml_builder_add_keyframe(a->b, name, NULL, 0, NULL, 0, NULL, a->error);
    for (int32_t k = f->first; !status && k < f->first + f->count; k++) {
        const model_key *key = &model_keys(a->m)[k];
        const model_joint *j = &model_joints(a->m)[key->joint];
        const char *joint = prefixed(&a->joint, a->prefix, joint_text(a->m, j));
        if (!joint) return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
        status = hml_builder_add_keyframe(a->b, name, joint, j->nq, key->position, j->nv, key->velocity, a->error);
    }
    return status;
}

static hml_status add_actuator(adding *a, int32_t index)
{
    hml_actuator actuator = {.struct_size = sizeof actuator};
    hml_model_actuator(a->m, index, &actuator);
    const char *target = actuator.transmission == HML_TRANSMISSION_JOINT
                             ? joint_text(a->m, &model_joints(a->m)[actuator.target])
                             : model_text(a->m, model_frames(a->m)[actuator.target].name);
    target = prefixed(&a->joint, a->prefix, target);
    actuator.name = prefixed(&a->name, a->prefix, actuator.name);
    if (!target || !actuator.name) return hmli_fail(a->error, HML_OUT_OF_MEMORY, "out of memory");
    return hml_builder_add_actuator(a->b, target, &actuator, a->error);
}

/* what was fixed to the model's world becomes part of the body, or of the builder's world */
static hml_status add_world(adding *a)
{
    const hml_model *m = a->m;
    hml_inertia_spec I = {.mass = m->world_mass}, *to = &a->b->world;
    char near[NEAR_TEXT];
    memcpy(I.com, m->world_com, sizeof I.com);
    sym3_array_to_rows(m->world_moment, I.moment);
    if (a->body) {
        int32_t link = hmli_names_find(&a->b->places, &a->b->text, a->body) - 1;
        if (link < 0)
            return hmli_fail(a->error, HML_NOT_FOUND, "there is no body " NAMED " to put a model on%s", a->body,
                             hmli_near(a->b, NEAR_BODY, a->body, near));
        to = &a->b->links[link].inertia;
    }
    double moment[6];
    sym3_to_array(sym3_of_rows(to->moment), moment);
    lump(&I, a->moved ? &a->at : NULL, &to->mass, to->com, moment);
    sym3_array_to_rows(moment, to->moment);
    return HML_OK;
}

static hml_status add_model(adding *a)
{
    hml_status status = add_world(a);
    for (int32_t i = 0; !status && i < a->m->njoints; i++) status = add_link(a, i);
    for (int32_t i = a->m->nbodies; !status && i < a->m->nframes; i++) status = add_frame(a, &model_frames(a->m)[i]);
    for (int32_t i = 0; !status && i < a->m->nshapes; i++) status = add_shape(a, i);
    for (int32_t i = 0; !status && i < a->m->nloops; i++) status = add_loop(a, i);
    for (int32_t i = 0; !status && i < a->m->nexclusions; i++) status = add_exclusion(a, &model_exclusions(a->m)[i]);
    for (int32_t i = 0; !status && i < a->m->nkeyframes; i++) status = add_keyframe(a, &model_keyframes(a->m)[i]);
    for (int32_t i = 0; !status && i < a->m->nactuators; i++) status = add_actuator(a, i);
    for (int32_t i = 0; !status && i < a->m->nloader_warnings; i++)
        status = hml_builder_add_warning(a->b, model_text(a->m, model_warnings(a->m)[i]));
    free(a->name.data);
    free(a->parent.data);
    free(a->joint.data);
    free(a->leader.data);
    return status;
}

hml_status hml_builder_add_model(hml_builder *b, const hml_model *m, const char *prefix, const char *body,
                                 const double position[3], const double rotation[9], hml_error *error)
{
    if (!b || !m || !position || !rotation)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "adding a model needs a builder, a model and a placement");
    double R[9];
    memcpy(R, rotation, sizeof R);
    hml_status status = hmli_check_placement("model", hml_model_name(m), position, R, error);
    if (status) return status;
    adding a = {.b = b, .m = m, .prefix = prefix ? prefix : "", .body = body, .moved = 1, .error = error};
    a.at = pose_of_arrays(R, position);
    return add_model(&a);
}

hml_status hml_model_to_builder(const hml_model *m, hml_builder **builder)
{
    if (!m || !builder) return HML_INVALID_ARGUMENT;
    hml_builder *b = hml_builder_new();
    if (!b) return HML_OUT_OF_MEMORY;
    adding a = {.b = b, .m = m, .prefix = "", .at = pose_identity()};
    hml_status status = hml_builder_set_name(b, hml_model_name(m));
    if (!status) status = hml_builder_set_gravity(b, m->gravity);
    if (!status) status = add_model(&a);
    if (status)
        hml_builder_free(b);
    else
        *builder = b;
    return status;
}

hml_status hml_model_append(const hml_model *m, int32_t frame, const hml_model *other, const char *prefix,
                            hml_model **result, hml_error *error)
{
    if (!m || !other || !result || frame < -1 || frame >= m->nframes)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "appending needs two models and a frame of the first");
    static const model_frame world = {.body = -1, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const model_frame *f = frame < 0 ? &world : &model_frames(m)[frame];
    hml_builder *b;
    hml_status status = hml_model_to_builder(m, &b);
    if (status) return hmli_fail(error, status, "%s", hml_status_message(status));
    const char *body = f->body < 0 ? NULL : model_text(m, model_bodies(m)[f->body].name);
    status = hml_builder_add_model(b, other, prefix, body, f->p, f->R, error);
    if (!status) return hmli_rebuild(b, hmli_rebuild_options(other) ? other : m, result, error);
    hml_builder_free(b);
    return status;
}
