/*
 * From a builder to a model: tree, mimic, merging, numbering, then one block filled from front to back.
 *
 * A fixed joint is merged: the link's inertia is lumped into the body that carries it, its children hang on that body
 * with composed placements, its name lives on as a frame. A link fixed to the world becomes a frame of the world; its
 * inertia never moves and is dropped.
 */
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "model/block.h"
#include "model/check_item.h"
#include "model/merge_inertia.h"

static size_t lay_out(build *w, void *memory)
{
    const size_t n = (size_t)w->n + 1;
    layout_cursor c = layout_begin(memory);
    w->place = layout_array(&c, n, sizeof *w->place);
    w->multiplier = layout_doubles(&c, n);
    w->offset = layout_doubles(&c, n);
    w->parent = layout_array(&c, n, sizeof *w->parent);
    w->child = layout_array(&c, n, sizeof *w->child);
    w->sibling = layout_array(&c, n, sizeof *w->sibling);
    w->body = layout_array(&c, n, sizeof *w->body);
    w->joint = layout_array(&c, n, sizeof *w->joint);
    w->leader = layout_array(&c, n, sizeof *w->leader);
    w->order = layout_array(&c, n, sizeof *w->order);
    w->merged = layout_array(&c, n, sizeof *w->merged);
    return c.used;
}

/* one allocation for all arrays */
static void *scratch(build *w)
{
    const size_t size = lay_out(w, NULL);
    void *memory = size < SIZE_MAX ? calloc(1, size) : NULL;
    if (memory) lay_out(w, memory);
    return memory;
}

static pose joint_origin(const builder_link *link)
{
    return pose_of_arrays(link->joint.rotation, link->joint.position);
}

/* which body carries each link, and where */
static void number_bodies(build *w)
{
    for (int32_t k = 0; k < w->n; k++) {
        int32_t i = w->order[k], parent = w->parent[i];
        w->joint[i] = -1;
        if (build_merges(w, i)) {
            pose origin = joint_origin(build_link(w, i));
            w->body[i] = parent < 0 ? -1 : w->body[parent];
            w->place[i] = parent < 0 ? origin : pose_mul(w->place[parent], origin);
            w->merged[i] = w->nmerged++;
        } else {
            w->nbodies += build_link(w, i)->joint.type == HML_JOINT_UNIVERSAL ? 2 : 1;
            w->body[i] = w->nbodies - 1;
            w->place[i] = pose_identity();
            w->joint[i] = w->njoints++;
        }
    }
}

static uint64_t text_size(const hml_builder *b, uint32_t text) { return strlen(builder_text(b, text)) + 1; }

static void count(const build *w, hml_model *m)
{
    const hml_builder *b = w->b;
    m->nbodies = w->nbodies;
    m->njoints = w->njoints;
    m->nframes = w->nbodies + w->nmerged + (int32_t)b->nframes;
    m->nshapes = (int32_t)b->nshapes;
    m->nvertices = (int32_t)b->nvertices;
    m->nloops = (int32_t)b->nloops;
    m->nexclusions = (int32_t)b->nexclusions;
    m->nkeyframes = (int32_t)b->nkeyframes;
    m->nkeys = w->nkeys;
    m->nactuators = w->nactuators;
    m->nwarnings = (int32_t)w->nwarnings;
    m->names_size = b->name == NO_TEXT ? 1 : text_size(b, b->name);
    m->names_size += w->text.size;
    for (int32_t i = 0; i < w->n; i++) {
        const builder_link *link = build_link(w, i);
        int follows = w->leader[i] >= 0;
        int32_t nq = hml_joint_type_nq(link->joint.type), nv = hml_joint_type_nv(link->joint.type);
        m->names_size += text_size(b, link->name);
        if (w->joint[i] >= 0) m->names_size += text_size(b, link->joint_name);
        if (link->joint.type == HML_JOINT_UNIVERSAL) m->names_size += text_size(b, link->name) + strlen(CROSS);
        m->tree_nq += nq;
        m->tree_nv += nv;
        m->nq += follows ? 0 : nq;
        m->nv += follows ? 0 : nv;
        m->nfollowers += follows;
    }
    for (size_t i = 0; i < b->nframes; i++) m->names_size += text_size(b, b->frames[i].name);
    for (size_t i = 0; i < b->nloops; i++)
        m->names_size += b->loops[i].name == NO_TEXT ? 1 : text_size(b, b->loops[i].name);
    for (size_t i = 0; i < b->nkeyframes; i++) m->names_size += text_size(b, b->keyframes[i]);
    for (int32_t i = 0; i < w->nactuators; i++) m->names_size += text_size(b, b->actuators[w->actuators[i]].name);
}

/* ---- filling ---- */

typedef struct fill {
    const build *w;
    hml_model *m;
    model_body *bodies;
    model_joint *joints;
    model_frame *frames;
    model_coordinate *coordinates;
    double *rest;
    model_shape *shapes;
    double *vertices;
    model_loop *loops;
    model_keyframe *keyframes;
    model_key *keys;
    model_actuator *actuators;
    uint32_t *warnings;
    uint64_t text; /* names so far, bytes */
    int32_t frame; /* the next merged link's */
    int32_t q, v;  /* the user's so far */
    int32_t tree_q, tree_v;
} fill;

static void *section(hml_model *m, uint64_t offset) { return (char *)m + offset; }

static uint32_t put_text(fill *f, const char *head, const char *tail)
{
    size_t head_size = strlen(head), tail_size = strlen(tail) + 1;
    char *to = (char *)section(f->m, f->m->names) + f->text;
    uint32_t name = (uint32_t)f->text;
    memcpy(to, head, head_size);
    memcpy(to + head_size, tail, tail_size);
    f->text += head_size + tail_size;
    return name;
}

static void put_frame(fill *f, int32_t index, uint32_t name, int32_t body, int32_t kind, pose place)
{
    model_frame *frame = &f->frames[index];
    frame->name = name;
    frame->body = body;
    frame->kind = kind;
    pose_to_arrays(place, frame->R, frame->p);
}

/* a body on its parent; depth and root follow from the parent, which is there already */
static model_body *put_body(fill *f, int32_t index, int32_t parent, int32_t joint, hml_joint_type type, uint32_t name)
{
    model_body *body = &f->bodies[index];
    body->parent = parent;
    body->type = (int32_t)type;
    body->q = f->tree_q;
    body->v = f->tree_v;
    body->nq = hml_joint_type_nq(type);
    body->nv = hml_joint_type_nv(type);
    body->subtree_end = index + 1;
    body->depth = parent < 0 ? 0 : f->bodies[parent].depth + 1;
    body->root = parent < 0 ? index : f->bodies[parent].root;
    body->joint = joint;
    body->name = name;
    body->R[0] = body->R[4] = body->R[8] = 1;
    f->tree_q += body->nq;
    f->tree_v += body->nv;
    if (body->depth + 1 > f->m->depth) f->m->depth = body->depth + 1;
    put_frame(f, index, name, index, HML_FRAME_BODY, pose_identity());
    return body;
}

static void set_axis(model_body *body, const double axis[3], const double point[3])
{
    memcpy(body->axis, axis, sizeof body->axis);
    memcpy(body->point, point, sizeof body->point);
    hmli_normalize_axis(body->axis);
}

static void put_coordinates(fill *f, const hml_joint_spec *joint, int32_t q, int32_t v)
{
    int passive = !(f->w->options & HML_BUILD_NO_PASSIVE);
    double rest[HML_JOINT_MAX_NQ];
    memcpy(rest, joint->rest, sizeof rest);
    hmli_normalize_rest(joint->type, rest);
    for (int32_t k = 0; k < hml_joint_type_nq(joint->type); k++) f->rest[q + k] = rest[k];
    for (int32_t k = 0; k < hml_joint_type_nv(joint->type); k++) {
        model_coordinate *c = &f->coordinates[v + k];
        c->armature = passive ? joint->armature[k] : 0;
        c->damping = passive ? joint->damping[k] : 0;
        c->friction = passive ? joint->friction[k] : 0;
        c->stiffness = passive ? joint->stiffness[k] : 0;
        c->lower = joint->lower[k];
        c->upper = joint->upper[k];
        c->velocity = joint->velocity_limit[k];
        c->effort = joint->effort_limit[k];
        if (c->armature != 0 || c->damping != 0 || c->stiffness != 0) f->m->passive = 1;
    }
}

static void put_joint(fill *f, int32_t i)
{
    const build *w = f->w;
    const builder_link *link = build_link(w, i);
    const hml_joint_spec *spec = &link->joint;
    int universal = spec->type == HML_JOINT_UNIVERSAL, follows = w->leader[i] >= 0;
    int32_t parent = w->parent[i], index = w->joint[i], last = w->body[i], first = last - universal;
    model_joint *joint = &f->joints[index];
    joint->name = put_text(f, build_joint_name(w, i), "");
    joint->type = (int32_t)spec->type;
    joint->body = first;
    joint->nbodies = 1 + universal;
    joint->nq = follows ? 0 : hml_joint_type_nq(spec->type);
    joint->nv = follows ? 0 : hml_joint_type_nv(spec->type);
    joint->q = follows ? -1 : f->q;
    joint->v = follows ? -1 : f->v;
    joint->actuated = spec->actuated != 0;
    joint->leader = follows ? w->joint[w->leader[i]] : -1;
    joint->multiplier = w->multiplier[i];
    joint->offset = w->offset[i];
    f->q += joint->nq;
    f->v += joint->nv;
    put_coordinates(f, spec, f->tree_q, f->tree_v);

    /* the first body hangs on the parent's body, which may carry the parent somewhere else than at its origin */
    int32_t carrier = parent < 0 ? -1 : w->body[parent];
    uint32_t name = put_text(f, build_link_name(w, i), "");
    uint32_t first_name = universal ? put_text(f, build_link_name(w, i), CROSS) : name;
    hml_joint_type type = universal ? HML_JOINT_REVOLUTE : spec->type;
    model_body *body = put_body(f, first, carrier, index, type, first_name);
    pose origin = joint_origin(link);
    if (parent >= 0 && build_merges(w, parent)) origin = pose_mul(w->place[parent], origin);
    pose_to_arrays(origin, body->R, body->p);
    set_axis(body, spec->axis, spec->point);
    body->pitch = spec->pitch;
    if (universal) set_axis(put_body(f, last, first, index, type, name), spec->axis2, spec->point);
}

static void put_inertia(fill *f, int32_t i)
{
    const hml_inertia_spec *add = &build_link(f->w, i)->inertia;
    const pose *H = build_merges(f->w, i) ? &f->w->place[i] : NULL;
    if (f->w->body[i] < 0) {
        lump(add, H, &f->m->world_mass, f->m->world_com, f->m->world_moment);
    } else {
        model_body *body = &f->bodies[f->w->body[i]];
        lump(add, H, &body->mass, body->com, body->moment);
    }
}

static void put_links(fill *f)
{
    const build *w = f->w;
    for (int32_t k = 0; k < w->n; k++) {
        int32_t i = w->order[k];
        if (!build_merges(w, i)) put_joint(f, i);
        put_inertia(f, i);
    }
    for (int32_t i = f->m->nbodies - 1; i >= 0; i--) { /* a subtree ends where its last child's does */
        int32_t parent = f->bodies[i].parent;
        if (parent >= 0 && f->bodies[parent].subtree_end < f->bodies[i].subtree_end)
            f->bodies[parent].subtree_end = f->bodies[i].subtree_end;
    }
    for (int32_t k = 0; k < w->n; k++) {
        int32_t i = w->order[k];
        if (!build_merges(w, i)) continue;
        put_frame(f, f->frame++, put_text(f, build_link_name(w, i), ""), w->body[i], HML_FRAME_LINK, w->place[i]);
    }
}

static void put_frames(fill *f)
{
    const hml_builder *b = f->w->b;
    for (size_t i = 0; i < b->nframes; i++) {
        const builder_frame *given = &b->frames[i];
        pose place = pose_of_arrays(given->rotation, given->position);
        int32_t body = -1;
        if (given->body != NO_TEXT) {
            int32_t link = hmli_names_find(&b->places, &b->text, builder_text(b, given->body)) - 1;
            body = f->w->body[link];
            if (build_merges(f->w, link)) place = pose_mul(f->w->place[link], place);
        }
        put_frame(f, f->frame++, put_text(f, builder_text(b, given->name), ""), body, given->kind, place);
    }
}

/* shape i's body and its place there */
static int32_t shape_body(const build *w, const builder_shape *given, pose *place)
{
    const hml_builder *b = w->b;
    *place = pose_of_arrays(given->shape.rotation, given->shape.position);
    if (given->body == NO_TEXT) return -1;
    int32_t link = hmli_names_find(&b->places, &b->text, builder_text(b, given->body)) - 1;
    if (build_merges(w, link)) *place = pose_mul(w->place[link], *place);
    return w->body[link];
}

/* body after body, those of the world first; on a body in the order they came */
static hml_status put_shapes(fill *f)
{
    const hml_builder *b = f->w->b;
    int32_t *next = calloc((size_t)f->m->nbodies + 2, sizeof *next);
    pose place;
    if (!next) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->nshapes; i++) next[shape_body(f->w, &b->shapes[i], &place) + 2]++;
    for (int32_t i = 0; i <= f->m->nbodies; i++) next[i + 1] += next[i];
    for (size_t i = 0; i < b->nshapes; i++) {
        const hml_shape *given = &b->shapes[i].shape;
        int32_t body = shape_body(f->w, &b->shapes[i], &place);
        model_shape *shape = &f->shapes[next[body + 1]++];
        shape->body = body;
        shape->kind = (int32_t)given->kind;
        memcpy(shape->size, given->size, sizeof shape->size);
        pose_to_arrays(place, shape->R, shape->p);
        shape->friction = given->friction;
        shape->restitution = given->restitution;
        shape->first = (int32_t)b->shapes[i].first;
        shape->nvertices = given->nvertices;
        shape->contype = given->contype;
        shape->conaffinity = given->conaffinity;
    }
    if (b->nvertices) memcpy(f->vertices, b->vertices, 3 * b->nvertices * sizeof *f->vertices);
    free(next);
    return HML_OK;
}

static hml_status put_loops(fill *f)
{
    const hml_builder *b = f->w->b;
    hml_status status = hmli_build_loops(f->w, f->loops);
    for (size_t i = 0; i < b->nloops; i++)
        f->loops[i].name = put_text(f, b->loops[i].name == NO_TEXT ? "" : builder_text(b, b->loops[i].name), "");
    return status;
}

static void put_keyframes(fill *f)
{
    const hml_builder *b = f->w->b;
    int32_t k = 0;
    for (int32_t i = 0; i < f->m->nkeyframes; i++) {
        model_keyframe *keyframe = &f->keyframes[i];
        keyframe->name = put_text(f, builder_text(b, b->keyframes[i]), "");
        keyframe->first = k;
        for (; k < f->w->nkeys && f->w->keys[k].keyframe == i; k++) {
            const builder_key *given = &b->keys[f->w->keys[k].index];
            f->keys[k].joint = f->w->keys[k].joint;
            memcpy(f->keys[k].position, given->position, sizeof given->position);
            memcpy(f->keys[k].velocity, given->velocity, sizeof given->velocity);
        }
        keyframe->count = k - keyframe->first;
    }
}

static void put_actuators(fill *f)
{
    for (int32_t i = 0; i < f->m->nactuators; i++) {
        const builder_actuator *given = &f->w->b->actuators[f->w->actuators[i]];
        model_actuator *a = &f->actuators[i];
        a->name = put_text(f, builder_text(f->w->b, given->name), "");
        a->transmission = (int32_t)given->spec.transmission;
        a->target = hmli_build_target(f->w, given);
        memcpy(a->gear, given->spec.gear, sizeof a->gear);
        memcpy(a->bias, given->spec.bias, sizeof a->bias);
        a->gain = given->spec.gain;
        a->lower = given->spec.lower;
        a->upper = given->spec.upper;
        a->force_lower = given->spec.force_lower;
        a->force_upper = given->spec.force_upper;
    }
}

/* items were finite one by one; composed and lumped they may be too large for a double */
static hml_status check_sizes(const build *w, const hml_model *m)
{
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        const model_joint *j = &model_joints(m)[b->joint];
        if (!all_finite(b->p, 3) || !all_finite(&b->mass, 1) || !all_finite(b->com, 3) || !all_finite(b->moment, 6) ||
            !all_finite(&j->multiplier, 1) || !all_finite(&j->offset, 1))
            return hmli_fail(w->error, HML_NOT_FINITE, "body " NAMED ": its values overflow when combined",
                             model_text(m, b->name));
    }
    for (int32_t i = 0; i < m->nframes; i++)
        if (!all_finite(model_frames(m)[i].p, 3))
            return hmli_fail(w->error, HML_NOT_FINITE, "frame " NAMED ": its values overflow when combined",
                             model_text(m, model_frames(m)[i].name));
    for (int32_t i = 0; i < m->nshapes; i++)
        if (!all_finite(model_shapes(m)[i].p, 3))
            return hmli_fail(w->error, HML_NOT_FINITE, "the values of a shape overflow when combined");
    if (!all_finite(&m->world_mass, 1) || !all_finite(m->world_com, 3) || !all_finite(m->world_moment, 6))
        return hmli_fail(w->error, HML_NOT_FINITE, "the inertias fixed to the world overflow when combined");
    return HML_OK;
}

static hml_status make(const build *w, hml_model **model)
{
    hml_model header = {.version = HML_MODEL_VERSION, .header_size = sizeof header};
    memcpy(header.magic, HML_MODEL_MAGIC, sizeof header.magic);
    memcpy(header.gravity, w->b->gravity, sizeof header.gravity);
    count(w, &header);
    if (header.names_size >= UINT32_MAX) return HML_OUT_OF_MEMORY;
    hmli_block_layout(&header);
    hml_model *draft = hmli_block_new(header.size);
    if (!draft) return HML_OUT_OF_MEMORY;
    *draft = header;

    fill f = {.w = w, .m = draft, .frame = w->nbodies};
    f.bodies = section(draft, draft->bodies);
    f.joints = section(draft, draft->joints);
    f.frames = section(draft, draft->frames);
    f.coordinates = section(draft, draft->coordinates);
    f.rest = section(draft, draft->rest);
    f.shapes = section(draft, draft->shapes);
    f.vertices = section(draft, draft->vertices);
    f.loops = section(draft, draft->loops);
    model_exclusion *exclusions = section(draft, draft->exclusions);
    f.keyframes = section(draft, draft->keyframes);
    f.actuators = section(draft, draft->actuators);
    f.keys = section(draft, draft->keys);
    f.warnings = section(draft, draft->warnings);
    draft->name = put_text(&f, w->b->name == NO_TEXT ? "" : builder_text(w->b, w->b->name), "");
    draft->nloader_warnings = (int32_t)w->b->nwarnings;
    lump(&w->b->world, NULL, &draft->world_mass, draft->world_com, draft->world_moment);
    put_links(&f);
    put_frames(&f);
    put_keyframes(&f);
    put_actuators(&f);
    hml_status status = put_shapes(&f);
    if (!status) status = put_loops(&f);
    if (!status) status = hmli_build_exclusions(w, exclusions);
    for (size_t i = 0; i < w->nwarnings; i++) f.warnings[i] = put_text(&f, w->text.data + w->warnings[i], "");
    if (!status) status = check_sizes(w, draft);
    if (!status) status = hmli_block_finish(draft, model);
    hml_model_free(draft);
    return status;
}

hml_status hml_builder_build(const hml_builder *b, unsigned options, hml_model **model, hml_error *error)
{
    if (!b || !model)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "building needs a builder and a place for the model");
    if (b->nlinks == 0) return hmli_fail(error, HML_BAD_MODEL, "the model has no bodies");
    build w = {.b = b, .options = options, .error = error, .n = (int32_t)b->nlinks};
    void *memory = scratch(&w);
    hml_status status = memory ? hmli_build_tree(&w) : HML_OUT_OF_MEMORY;
    if (!status) status = hmli_build_mimic(&w);
    if (!status) {
        number_bodies(&w);
        status = hmli_build_keyframes(&w);
    }
    if (!status) status = hmli_build_actuators(&w);
    if (!status) status = hmli_build_warnings(&w);
    if (!status) status = make(&w, model);
    if (status == HML_OUT_OF_MEMORY) hmli_fail(error, status, "out of memory");
    free(memory);
    free(w.keys);
    free(w.actuators);
    free(w.text.data);
    free(w.warnings);
    return status;
}
