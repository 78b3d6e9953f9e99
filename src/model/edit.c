/* Edits that change numbers: locking, scaling, other inertias; and numbers from one model to another. See edit.h. */
#include "model/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/check_item.h"
#include "model/coordinates.h"
#include "model/plan.h"

/* ---- locking ---- */

static void freeze(builder_link *link, pose motion)
{
    hml_joint_spec *joint = &link->joint, frozen;
    pose origin = pose_mul(pose_of_arrays(joint->rotation, joint->position), motion);
    hml_joint_spec_init(&frozen, HML_JOINT_FIXED);
    pose_to_arrays(origin, frozen.rotation, frozen.position);
    *joint = frozen;
    link->mimic = NO_TEXT;
}

/* which joints are to be locked: those asked for, and the followers of those */
static hml_status mark(const hml_model *m, const int32_t *joints, int32_t count, char *locked, hml_error *error)
{
    for (int32_t k = 0; k < count; k++) {
        if (joints[k] < 0 || joints[k] >= m->njoints)
            return hmli_fail(error, HML_INVALID_ARGUMENT, "there is no joint %d to lock", (int)joints[k]);
        locked[joints[k]] = 1;
    }
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        if (j->leader < 0 || locked[j->leader] == locked[i]) continue;
        if (locked[i])
            return hmli_fail(error, HML_BAD_MODEL, "joint " NAMED " cannot be locked, it follows joint " NAMED,
                             joint_text(m, j), joint_text(m, &model_joints(m)[j->leader]));
        locked[i] = 1;
    }
    return HML_OK;
}

hml_status hml_model_lock(const hml_model *m, const int32_t *joints, int32_t count, const double *q, hml_model **result,
                          hml_error *error)
{
    if (!m || !result || count < 0 || (count > 0 && !joints))
        return hmli_fail(error, HML_INVALID_ARGUMENT, "locking needs a model and its joints");
    hml_builder *b = NULL;
    char *locked = calloc((size_t)m->njoints + 1, 1);
    hml_status status = locked ? mark(m, joints, count, locked, error) : HML_OUT_OF_MEMORY;
    if (!status) status = hml_model_to_builder(m, &b);
    for (int32_t i = 0; !status && i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        double g[HML_JOINT_MAX_NQ];
        if (!locked[i]) continue;
        if ((status = hmli_joint_position(m, j, q, g)))
            hmli_fail(error, status, "joint " NAMED ": the position to lock it at is not valid", joint_text(m, j));
        else
            freeze(&b->links[i], hmli_joint_motion(m, j, g));
    }
    free(locked);
    if (!status) return hmli_rebuild(b, m, result, error);
    if (status == HML_OUT_OF_MEMORY) hmli_fail(error, status, "out of memory");
    hml_builder_free(b);
    return status;
}

/* ---- scaling ---- */

static void scale3(double a[3], double s)
{
    for (int k = 0; k < 3; k++) a[k] *= s;
}

static void scale_inertia(hml_inertia_spec *I, double length, double mass)
{
    I->mass *= mass;
    scale3(I->com, length);
    for (int k = 0; k < 9; k++) I->moment[k] *= mass * length * length;
}

/* energy goes with mass·length², a coordinate with s = length or 1: then inertia with energy/s², force with energy/s */
static void scale_joint(hml_joint_spec *joint, double length, double mass)
{
    double energy = mass * length * length;
    scale3(joint->position, length);
    scale3(joint->point, length);
    joint->pitch *= length;
    for (int k = 0; k < hml_joint_type_nv(joint->type); k++) {
        double s = joint_is_length((int32_t)joint->type, k) ? length : 1;
        joint->armature[k] *= energy / (s * s);
        joint->damping[k] *= energy / (s * s);
        joint->friction[k] *= energy / s;
        joint->stiffness[k] *= energy / (s * s);
        joint->lower[k] *= s;
        joint->upper[k] *= s;
        joint->velocity_limit[k] *= s;
        joint->effort_limit[k] *= energy / s;
        if (joint_is_length((int32_t)joint->type, k))
            joint->rest[k] *= s; /* lengths come first among the numbers as well */
    }
}

hml_status hml_model_scale(const hml_model *m, double length, double mass, hml_model **result)
{
    if (!m || !result || !(length > 0) || !(mass > 0)) return HML_INVALID_ARGUMENT;
    if (!isfinite(length) || !isfinite(mass)) return HML_NOT_FINITE;
    hml_builder *b;
    hml_status status = hml_model_to_builder(m, &b);
    if (status) return status;
    scale_inertia(&b->world, length, mass);
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        scale_joint(&b->links[i].joint, length, mass);
        scale_inertia(&b->links[i].inertia, length, mass);
        if (j->leader < 0) continue;
        double own = joint_is_length(j->type, 0) ? length : 1;
        b->links[i].joint.offset *= own;
        b->links[i].joint.multiplier *=
            own / (joint_is_length((int32_t)b->links[j->leader].joint.type, 0) ? length : 1);
    }
    for (size_t i = 0; i < b->nframes; i++) scale3(b->frames[i].position, length);
    for (size_t i = 0; i < b->nshapes; i++) {
        scale3(b->shapes[i].shape.position, length);
        scale3(b->shapes[i].shape.size, length);
    }
    for (size_t i = 0; i < b->nvertices; i++) scale3(b->vertices + 3 * i, length);
    for (size_t i = 0; i < b->nloops; i++) {
        b->loops[i].loop.distance *= length;
        for (int k = 3; k < 12; k += 4) b->loops[i].loop.pose[k] *= length;
    }
    status = hmli_scale_keys(b, length);
    if (!status) status = hmli_scale_actuators(b, length, mass * length * length);
    for (size_t i = 0; i < b->nlinks && !status; i++) { /* products of big numbers may have overflowed */
        status = hmli_check_joint(&b->links[i].joint, NULL);
        if (!status) status = hmli_check_inertia("", &b->links[i].inertia, NULL);
    }
    for (size_t i = 0; i < b->nshapes && !status; i++) {
        hml_shape scaled = b->shapes[i].shape;
        if (scaled.nvertices) scaled.vertices = b->vertices + 3 * b->shapes[i].first;
        status = hmli_check_shape("", &scaled, NULL);
    }
    for (size_t i = 0; i < b->nloops && !status; i++) status = hmli_check_loop("", &b->loops[i].loop, NULL);
    if (!status) return hmli_rebuild(b, m, result, NULL);
    hml_builder_free(b);
    return status;
}

/* ---- inertias ---- */

hml_status hml_model_set_inertias(hml_model *m, int32_t first, int32_t count, const hml_inertia_spec *inertias)
{
    if (!m || first < 0 || count < 0 || first > m->nbodies - count || (count > 0 && !inertias))
        return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < count; i++) {
        hml_status status = hmli_check_inertia("", &inertias[i], NULL);
        if (status) return status;
    }
    for (int32_t i = 0; i < count; i++) {
        model_body *body = (model_body *)((char *)m + m->bodies) + first + i;
        body->mass = inertias[i].mass;
        memcpy(body->com, inertias[i].com, sizeof body->com);
        sym3_to_array(sym3_of_rows(inertias[i].moment), body->moment);
    }
    hmli_plan_fill(m);
    return HML_OK;
}

/* ---- from one model to another ---- */

/* the joint of this name and type that has numbers of its own; NULL: none */
static const model_joint *namesake(const hml_model *from, const hml_model *to, const model_joint *j)
{
    int32_t i = hml_model_find_joint(from, joint_text(to, j));
    const model_joint *found = i < 0 ? NULL : &model_joints(from)[i];
    return found && found->type == j->type && found->leader < 0 ? found : NULL;
}

hml_status hml_configuration_transfer(const hml_model *from, const double *q_from, const hml_model *to, double *q_to)
{
    if (!from || !q_from || !to || !q_to) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(to); j; j = next_joint(to, j)) {
        const model_joint *source = namesake(from, to, j);
        if (source) memcpy(q_to + j->q, q_from + source->q, (size_t)j->nq * sizeof *q_to);
    }
    return HML_OK;
}

hml_status hml_velocity_transfer(const hml_model *from, const double *v_from, const hml_model *to, double *v_to)
{
    if (!from || !v_from || !to || !v_to) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(to); j; j = next_joint(to, j)) {
        const model_joint *source = namesake(from, to, j);
        if (source) memcpy(v_to + j->v, v_from + source->v, (size_t)j->nv * sizeof *v_to);
    }
    return HML_OK;
}
