/* Asking a model. */
#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "model/block.h"
#include "model/pose.h"

const char *hml_model_name(const hml_model *m) { return model_text(m, m->name); }
int32_t hml_model_nq(const hml_model *m) { return m->nq; }
int32_t hml_model_nv(const hml_model *m) { return m->nv; }
int32_t hml_model_nbodies(const hml_model *m) { return m->nbodies; }
int32_t hml_model_njoints(const hml_model *m) { return m->njoints; }
int32_t hml_model_nframes(const hml_model *m) { return m->nframes; }
int32_t hml_model_nwarnings(const hml_model *m) { return m->nwarnings; }
void hml_model_gravity(const hml_model *m, double gravity[3]) { memcpy(gravity, m->gravity, sizeof m->gravity); }

double hml_model_mass(const hml_model *m)
{
    double mass = 0;
    for (int32_t i = 0; i < m->nbodies; i++) mass += model_bodies(m)[i].mass;
    return mass;
}

void hml_model_world_inertia(const hml_model *m, hml_inertia_spec *inertia_of_world)
{
    inertia_of_world->mass = m->world_mass;
    memcpy(inertia_of_world->com, m->world_com, sizeof m->world_com);
    sym3_array_to_rows(m->world_moment, inertia_of_world->moment);
}

const char *hml_model_warning(const hml_model *m, int32_t index)
{
    return index >= 0 && index < m->nwarnings ? model_text(m, model_warnings(m)[index]) : NULL;
}

static hml_status give(const void *all, size_t size, void *info)
{
    const size_t least = STRUCT_END(hml_body_info, name); /* every info begins with a name */
    if (!struct_is_writable(info, least)) return HML_INVALID_ARGUMENT;
    struct_give(info, all, size);
    return HML_OK;
}

hml_status hml_model_body(const hml_model *m, int32_t index, hml_body_info *info)
{
    if (!m || !info || index < 0 || index >= m->nbodies) return HML_INVALID_ARGUMENT;
    const model_body *b = &model_bodies(m)[index];
    hml_body_info all = {.name = model_text(m, b->name),
                         .parent = b->parent,
                         .joint = b->joint,
                         .subtree_end = b->subtree_end,
                         .depth = b->depth,
                         .mass = b->mass};
    memcpy(all.com, b->com, sizeof all.com);
    sym3_array_to_rows(b->moment, all.moment);
    return give(&all, sizeof all, info);
}

hml_status hml_model_joint(const hml_model *m, int32_t index, hml_joint_info *info)
{
    if (!m || !info || index < 0 || index >= m->njoints) return HML_INVALID_ARGUMENT;
    const model_joint *j = &model_joints(m)[index];
    const model_body *b = &model_bodies(m)[j->body], *last = b + j->nbodies - 1;
    hml_joint_info all = {.name = model_text(m, j->name),
                          .type = (hml_joint_type)j->type,
                          .body = j->body + j->nbodies - 1,
                          .q = j->q,
                          .nq = j->nq,
                          .v = j->v,
                          .nv = j->nv,
                          .actuated = j->actuated,
                          .leader = j->leader,
                          .multiplier = j->multiplier,
                          .offset = j->offset,
                          .pitch = b->pitch};
    memcpy(all.position, b->p, sizeof all.position);
    memcpy(all.rotation, b->R, sizeof all.rotation);
    memcpy(all.axis, b->axis, sizeof all.axis);
    memcpy(all.point, b->point, sizeof all.point);
    if (last != b) memcpy(all.axis2, last->axis, sizeof all.axis2);
    int32_t nq = hml_joint_type_nq(all.type), nv = hml_joint_type_nv(all.type);
    for (int32_t k = 0; k < nq; k++) all.rest[k] = model_rest(m)[b->q + k];
    for (int32_t k = 0; k < nv; k++) {
        const model_coordinate *c = &model_coordinates(m)[b->v + k];
        all.armature[k] = c->armature;
        all.damping[k] = c->damping;
        all.friction[k] = c->friction;
        all.stiffness[k] = c->stiffness;
        all.lower[k] = c->lower;
        all.upper[k] = c->upper;
        all.velocity_limit[k] = c->velocity;
        all.effort_limit[k] = c->effort;
    }
    return give(&all, sizeof all, info);
}

hml_status hml_model_frame(const hml_model *m, int32_t index, hml_frame_info *info)
{
    if (!m || !info || index < 0 || index >= m->nframes) return HML_INVALID_ARGUMENT;
    const model_frame *f = &model_frames(m)[index];
    hml_frame_info all = {.name = model_text(m, f->name), .body = f->body, .kind = (hml_frame_kind)f->kind};
    memcpy(all.position, f->p, sizeof all.position);
    memcpy(all.rotation, f->R, sizeof all.rotation);
    return give(&all, sizeof all, info);
}

/* ---- by name ---- */

int32_t hml_model_find_body(const hml_model *m, const char *name)
{
    return hmli_block_find(m, hmli_block_lookup(m).bodies, m->nbodies, model_body_name, name);
}

int32_t hml_model_find_joint(const hml_model *m, const char *name)
{
    return hmli_block_find(m, hmli_block_lookup(m).joints, m->njoints, model_joint_name, name);
}

int32_t hml_model_find_frame(const hml_model *m, const char *name)
{
    return hmli_block_find(m, hmli_block_lookup(m).frames, m->nframes, model_frame_name, name);
}

hml_status hml_model_velocity_name(const hml_model *m, int32_t index, char *name, size_t size)
{
    if (!m || !name || index < 0 || index >= m->nv) return HML_INVALID_ARGUMENT;
    const model_joint *j = &model_joints(m)[hmli_block_lookup(m).velocity_joint[index]];
    const char *joint = model_text(m, j->name);
    int length = j->nv == 1 ? snprintf(name, size, "%s", joint) : snprintf(name, size, "%s.%d", joint, index - j->v);
    return length >= 0 && (size_t)length < size ? HML_OK : HML_INVALID_ARGUMENT;
}
