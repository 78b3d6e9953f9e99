/*
 * A block that came from somewhere: is it a model? After this an algorithm may trust every index and every number. The
 * layout has been checked; here it is the contents.
 */
#include <math.h>
#include <string.h>

#include "model/block.h"
#include "model/check_item.h"

/*
 * Every name has its own text, so that all of them together are no longer than the section: *left is what the others
 * leave. Else a block of a megabyte could have ten thousand names of a megabyte.
 */
static int name_valid(const hml_model *m, uint32_t name, uint64_t *left)
{
    if (name >= m->names_size) return 0;
    uint64_t length = strlen(model_text(m, name)) + 1;
    if (length > *left || !hmli_text_is_plain(model_text(m, name))) return 0;
    *left -= length;
    return 1;
}

static int placement_valid(const double R[9], const double p[3])
{
    double copy[9];
    if (!all_finite(R, 9) || !all_finite(p, 3)) return 0;
    for (int i = 0; i < 9; i++) copy[i] = R[i];
    return hmli_normalize_rotation(copy);
}

static int unit(const double axis[3])
{
    return fabs(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] - 1) < 1e-12;
}

static int elementary(int32_t type) { return hml_joint_type_name((hml_joint_type)type) && type != HML_JOINT_UNIVERSAL; }

/*
 * Depth first: the first child of i is i + 1, the next sibling begins where a subtree ends, and a subtree ends within
 * its parent's. Then the children's ranges tile their parent's.
 */
static int topology_valid(const hml_model *m, int32_t i)
{
    const model_body *bodies = model_bodies(m), *b = &bodies[i];
    if (b->parent < -1 || b->parent >= i || b->subtree_end <= i || b->subtree_end > m->nbodies) return 0;
    int32_t limit = b->parent < 0 ? m->nbodies : bodies[b->parent].subtree_end;
    if (b->subtree_end > limit) return 0;
    if (b->subtree_end < limit && bodies[b->subtree_end].parent != b->parent) return 0;
    if (b->subtree_end > i + 1 && bodies[i + 1].parent != i) return 0;
    if (b->parent < 0) return b->depth == 0 && b->root == i;
    return b->depth == bodies[b->parent].depth + 1 && b->root == bodies[b->parent].root;
}

static int bodies_valid(const hml_model *m, uint64_t *left)
{
    int32_t q = 0, v = 0, depth = 0;
    if (m->nbodies > 0 && model_bodies(m)[0].parent != -1) return 0;
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        hml_joint_type type = (hml_joint_type)b->type;
        if (!elementary(b->type) || b->q != q || b->v != v || b->nq != hml_joint_type_nq(type) ||
            b->nv != hml_joint_type_nv(type) || !topology_valid(m, i))
            return 0;
        if (b->joint < 0 || b->joint >= m->njoints || !name_valid(m, b->name, left)) return 0;
        if (!placement_valid(b->R, b->p) || !all_finite(b->axis, 3) || !all_finite(b->point, 3) ||
            !isfinite(b->pitch) || !isfinite(b->mass) || b->mass < 0 || !all_finite(b->com, 3) ||
            !all_finite(b->moment, 6))
            return 0;
        if (hmli_joint_uses_axis(type) && !unit(b->axis)) return 0;
        q += b->nq;
        v += b->nv;
        if (b->depth + 1 > depth) depth = b->depth + 1;
    }
    return q == m->tree_nq && v == m->tree_nv && depth == m->depth;
}

static int leader_valid(const hml_model *m, const model_joint *j)
{
    if (j->leader < -1 || j->leader >= m->njoints) return 0;
    if (j->leader < 0) return 1;
    const model_joint *l = &model_joints(m)[j->leader];
    return l->leader < 0 && hml_joint_type_nv((hml_joint_type)l->type) == 1 &&
           hml_joint_type_nv((hml_joint_type)j->type) == 1;
}

static int joints_valid(const hml_model *m, uint64_t *left)
{
    int32_t body = 0, q = 0, v = 0, followers = 0;
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        hml_joint_type type = (hml_joint_type)j->type;
        int follows = j->leader >= 0, universal = type == HML_JOINT_UNIVERSAL;
        if (!hml_joint_type_name(type) || !name_valid(m, j->name, left) || !leader_valid(m, j)) return 0;
        if (j->body != body || j->nbodies != 1 + universal || j->nbodies > m->nbodies - body) return 0;
        for (int32_t k = body; k < body + j->nbodies; k++)
            if (model_bodies(m)[k].joint != i ||
                model_bodies(m)[k].type != (int32_t)(universal ? HML_JOINT_REVOLUTE : type))
                return 0;
        if (universal && model_bodies(m)[body + 1].parent != body) return 0;
        if (j->q != (follows ? -1 : q) || j->nq != (follows ? 0 : hml_joint_type_nq(type)) ||
            j->v != (follows ? -1 : v) || j->nv != (follows ? 0 : hml_joint_type_nv(type)))
            return 0;
        if (!isfinite(j->multiplier) || !isfinite(j->offset)) return 0;
        body += j->nbodies;
        q += j->nq;
        v += j->nv;
        followers += follows;
    }
    return body == m->nbodies && q == m->nq && v == m->nv && followers == m->nfollowers;
}

static int frames_valid(const hml_model *m, uint64_t *left)
{
    if (m->nframes < m->nbodies) return 0;
    for (int32_t i = 0; i < m->nframes; i++) {
        const model_frame *f = &model_frames(m)[i];
        int named = i < m->nbodies ? f->name == model_bodies(m)[i].name : name_valid(m, f->name, left);
        if (!named || f->body < -1 || f->body >= m->nbodies || !placement_valid(f->R, f->p)) return 0;
        if (i < m->nbodies ? f->kind != HML_FRAME_BODY || f->body != i
                           : f->kind != HML_FRAME_LINK && f->kind != HML_FRAME_NAMED)
            return 0;
    }
    return 1;
}

static int shapes_valid(const hml_model *m)
{
    for (int32_t i = 0; i < m->nshapes; i++) {
        const model_shape *s = &model_shapes(m)[i];
        int32_t sizes = hml_shape_kind_sizes((hml_shape_kind)s->kind);
        if (s->body < -1 || s->body >= m->nbodies || sizes < 0 || !placement_valid(s->R, s->p)) return 0;
        for (int32_t k = 0; k < sizes; k++)
            if (!isfinite(s->size[k]) || !(s->size[k] > 0)) return 0;
        if (!isfinite(s->friction) || !(s->restitution >= 0 && s->restitution <= 1)) return 0;
        const int hull = s->kind == HML_SHAPE_HULL;
        if (s->nvertices < hull || s->nvertices > (hull ? HML_SHAPE_MAX_VERTICES : 0)) return 0;
        if (s->first < 0 || s->first > m->nvertices - s->nvertices) return 0;
    }
    return all_finite(model_vertices(m), 3 * (size_t)m->nvertices);
}

static int exclusions_valid(const hml_model *m)
{
    for (int32_t i = 0; i < m->nexclusions; i++)
        for (int k = 0; k < 2; k++) {
            const int32_t body = model_exclusions(m)[i].body[k];
            if (body < -1 || body >= m->nbodies) return 0;
        }
    return 1;
}

static int loops_valid(const hml_model *m, uint64_t *left)
{
    for (int32_t i = 0; i < m->nloops; i++) {
        const model_loop *c = &model_loops(m)[i];
        hml_loop loop;
        if (!name_valid(m, c->name, left) || c->frame < 0 || c->frame >= m->nframes || c->other < -1 ||
            c->other >= m->nframes || c->other == c->frame || !placement_valid(c->R, c->p))
            return 0;
        if (hml_model_loop(m, i, &loop) || hmli_check_loop("", &loop, NULL)) return 0;
    }
    return 1;
}

/* every key has numbers of a joint that has some, in the order of the joints; the keys of keyframes tile the section */
static int keyframes_valid(const hml_model *m, uint64_t *left)
{
    int32_t next = 0;
    for (int32_t i = 0; i < m->nkeyframes; i++) {
        const model_keyframe *f = &model_keyframes(m)[i];
        int32_t before = -1;
        if (!name_valid(m, f->name, left) || f->first != next || f->count < 0 || f->count > m->nkeys - next) return 0;
        next += f->count;
        for (int32_t k = f->first; k < next; k++) {
            const model_key *key = &model_keys(m)[k];
            double position[HML_JOINT_MAX_NQ];
            if (key->joint <= before || key->joint >= m->njoints) return 0;
            const model_joint *j = &model_joints(m)[key->joint];
            memcpy(position, key->position, sizeof position);
            if (j->nq <= 0 || !all_finite(position, HML_JOINT_MAX_NQ) || !all_finite(key->velocity, HML_JOINT_MAX_NV) ||
                !(fabs(hmli_normalize_rest((hml_joint_type)j->type, position) - 1) < 1e-12))
                return 0;
            before = key->joint;
        }
    }
    return next == m->nkeys;
}

/* what a builder lets through */
static int actuators_valid(const hml_model *m, uint64_t *left)
{
    for (int32_t i = 0; i < m->nactuators; i++) {
        const model_actuator *a = &model_actuators(m)[i];
        const int joint = a->transmission == HML_TRANSMISSION_JOINT;
        if (!name_valid(m, a->name, left) || (!joint && a->transmission != HML_TRANSMISSION_FRAME) || a->target < 0 ||
            a->target >= (joint ? m->njoints : m->nframes) || !all_finite(a->gear, 6) || !all_finite(&a->gain, 1) ||
            !all_finite(a->bias, 3) || !(a->lower <= a->upper) || !(a->force_lower <= a->force_upper))
            return 0;
        if (!joint) continue;
        const int32_t type = model_joints(m)[a->target].type;
        if (type == HML_JOINT_FIXED || (a->bias[1] != 0 && !hmli_joint_has_length(type))) return 0;
    }
    return 1;
}

static int coordinates_valid(const hml_model *m)
{
    int passive = 0;
    for (int32_t i = 0; i < m->tree_nv; i++) {
        const model_coordinate *c = &model_coordinates(m)[i];
        if (!isfinite(c->armature) || !isfinite(c->damping) || !isfinite(c->stiffness)) return 0;
        if (!isfinite(c->friction)) return 0;
        if (isnan(c->lower) || isnan(c->upper) || isnan(c->velocity) || isnan(c->effort)) return 0;
        passive |= c->armature != 0 || c->damping != 0 || c->stiffness != 0;
    }
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        double rest[HML_JOINT_MAX_NQ] = {0};
        for (int32_t k = 0; k < b->nq; k++) rest[k] = model_rest(m)[b->q + k];
        if (!all_finite(rest, (size_t)(b->nq)) ||
            !(fabs(hmli_normalize_rest((hml_joint_type)b->type, rest) - 1) < 1e-12))
            return 0;
    }
    return passive == m->passive;
}

int hmli_block_valid(const hml_model *m)
{
    uint64_t left = m->names_size;
    if (model_text(m, 0)[m->names_size - 1] != 0 || !name_valid(m, m->name, &left) || !all_finite(m->gravity, 3))
        return 0;
    if (!isfinite(m->world_mass) || m->world_mass < 0 || !all_finite(m->world_com, 3) ||
        !all_finite(m->world_moment, 6) || m->nloader_warnings < 0 || m->nloader_warnings > m->nwarnings)
        return 0;
    for (int32_t i = 0; i < m->nwarnings; i++)
        if (model_warnings(m)[i] >= m->names_size) return 0;
    return bodies_valid(m, &left) && joints_valid(m, &left) && frames_valid(m, &left) && shapes_valid(m) &&
           loops_valid(m, &left) && exclusions_valid(m) && keyframes_valid(m, &left) && actuators_valid(m, &left) &&
           coordinates_valid(m);
}
