/*
 * Another base for a tree. Let P carry C by a joint with placement O, H_PC = O·T(p)·g·T(−p). Turned round, C carries P,
 *
 *   H_CP = T(p)·g⁻¹·T(−p)·O⁻¹ = O⁻¹ · [ O·T(p)·g⁻¹·T(−p)·O⁻¹ ]
 *
 * so the placement is O⁻¹ and the motion is g⁻¹ carried along by O: about an axis a through p, it turns about −R_O a
 * through O(p), by the same angle. The frame of P stays where it was, and so does its inertia.
 */
#include <stdlib.h>
#include <string.h>

#include "model/check_item.h"
#include "model/coordinates.h"
#include "model/edit.h"

#include "hamel/configuration.h"

static int has_passive_or_limits(const hml_joint_spec *joint)
{
    for (int k = 0; k < hml_joint_type_nv(joint->type); k++) {
        if (joint->armature[k] != 0 || joint->damping[k] != 0 || joint->stiffness[k] != 0 || joint->friction[k] != 0)
            return 1;
        if (!isinf(joint->lower[k]) || !isinf(joint->upper[k]) || !isinf(joint->velocity_limit[k]) ||
            !isinf(joint->effort_limit[k]))
            return 1;
    }
    return 0;
}

static hml_status reverse(hml_joint_spec *joint, const char *name, hml_error *error)
{
    switch (joint->type) {
    case HML_JOINT_FIXED:
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_HELICAL:
    case HML_JOINT_CYLINDRICAL: break;
    case HML_JOINT_SPHERICAL:
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_FREE:
        if (has_passive_or_limits(joint))
            return hmli_fail(error, HML_UNSUPPORTED,
                             "joint " NAMED " cannot be reversed: it has armature, damping, springs or limits, "
                             "which belong to the coordinates it has now",
                             name);
        break;
    default:
        return hmli_fail(error, HML_UNSUPPORTED,
                         "joint " NAMED " cannot be reversed: the inverse of a %s joint is not a %s joint", name,
                         hml_joint_type_name(joint->type), hml_joint_type_name(joint->type));
    }
    pose O = pose_of_arrays(joint->rotation, joint->position);
    vec3_put(vec3_neg(mat3_mul_vec(O.R, vec3_at(joint->axis))), joint->axis);
    vec3_put(hmli_joint_uses_point(joint->type) ? pose_act(O, vec3_at(joint->point)) : vec3_zero(), joint->point);
    pose_to_arrays(pose_inverse(O), joint->rotation, joint->position);
    return HML_OK;
}

static hml_status check_root(const hml_model *m, const builder_link *link, const model_joint *j, hml_error *error)
{
    const char *name = joint_text(m, j);
    if (j->type != HML_JOINT_FREE && j->type != HML_JOINT_FIXED)
        return hmli_fail(error, HML_UNSUPPORTED,
                         "the base cannot change: the %s joint " NAMED " on the world would be lost",
                         hml_joint_type_name((hml_joint_type)j->type), name);
    if (has_passive_or_limits(&link->joint))
        return hmli_fail(error, HML_UNSUPPORTED,
                         "the base cannot change: joint " NAMED
                         " has armature, damping, springs or limits, which would "
                         "be lost",
                         name);
    return HML_OK;
}

/* links lie in the order of the joints; from the new base down to the old one, each takes the joint of the one above */
static hml_status turn_path(const hml_model *m, int32_t body, hml_joint_type root, pose place, hml_builder *b,
                            hml_error *error)
{
    const model_body *bodies = model_bodies(m);
    int32_t old_root = bodies[bodies[body].root].joint, index = bodies[body].joint;
    uint32_t root_name = b->links[old_root].joint_name;
    hml_status status = check_root(m, &b->links[old_root], &model_joints(m)[old_root], error);
    if (status) return status;
    builder_link above = b->links[index];
    hml_joint_spec base;
    hml_joint_spec_init(&base, root);
    base.actuated = (int32_t)root == model_joints(m)[old_root].type && model_joints(m)[old_root].actuated;
    if (root == HML_JOINT_FIXED) pose_to_arrays(place, base.rotation, base.position);
    b->links[index].parent = b->links[index].mimic = NO_TEXT;
    b->links[index].joint_name = root_name;
    b->links[index].joint = base;
    while (index != old_root) {
        int32_t parent = bodies[bodies[model_joints(m)[index].body].parent].joint;
        builder_link next = b->links[parent], *link = &b->links[parent];
        if ((status = reverse(&above.joint, builder_text(b, above.joint_name), error))) return status;
        link->parent = above.name;
        link->joint_name = above.joint_name;
        link->mimic = above.mimic;
        link->joint = above.joint;
        above = next;
        index = parent;
    }
    return HML_OK;
}

/* the joint table of the builder, after joints have changed places */
static void index_joints(hml_builder *b)
{
    hmli_names_clear(&b->joints);
    for (size_t i = 0; i < b->nlinks; i++) hmli_names_add(&b->joints, &b->text, b->links[i].joint_name, (int32_t)i + 1);
}

/* twist of a body relative to the world, in its own frame, and its pose; by walking down to its root */
static hml_status motion_in_world(const hml_model *m, int32_t body, const double *q, const double *v, pose *H, twist *V)
{
    *H = pose_identity(); /* of the body, seen from the bodies on the way */
    *V = twist_zero();
    while (body >= 0) {
        const model_body *b = &model_bodies(m)[body];
        const model_joint *j = &model_joints(m)[b->joint], *leader = j->leader < 0 ? j : &model_joints(m)[j->leader];
        vec3 axis = vec3_at(b->axis), point = vec3_at(b->point);
        double g[HML_JOINT_MAX_NQ], scale = j->leader < 0 ? 1 : j->multiplier;
        twist S[HML_JOINT_MAX_NV];
        int32_t second = body - j->body; /* of a universal joint */
        hml_status status = hmli_joint_position(m, j, q, g);
        if (status) return status;
        joint_columns(b->type, axis, point, b->pitch, S);
        for (int32_t k = 0; v && k < b->nv; k++)
            *V = twist_axpy(scale * v[leader->v + second + k], pose_ad_inverse(*H, S[k]), *V);
        pose local = pose_mul(pose_of_arrays(b->R, b->p), joint_pose(b->type, axis, point, b->pitch, g + second));
        *H = pose_mul(local, *H);
        body = b->parent;
    }
    return HML_OK;
}

static hml_status carry_keyframe(const hml_model *turned, const char *name, const double *q, const double *v,
                                 hml_builder *b, hml_error *error)
{
    hml_status status = hml_builder_add_keyframe(b, name, NULL, 0, NULL, 0, NULL, error);
    for (const model_joint *j = first_joint(turned); !status && j; j = next_joint(turned, j))
        if (j->nq > 0)
            status = hml_builder_add_keyframe(b, name, joint_text(turned, j), j->nq, q + j->q, j->nv, v + j->v, error);
    return status;
}

/* keyframes of a model as those of its turned version, which the builder makes: the bodies are where they were */
static hml_status carry_keyframes(const hml_model *m, const hml_model *turned, hml_builder *b, hml_error *error)
{
    hml_status status = HML_OK;
    double *q = malloc(((size_t)m->nq + (size_t)m->nv + (size_t)turned->nq + (size_t)turned->nv + 1) * sizeof *q);
    if (!q) return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory");
    double *v = q + m->nq, *q_turned = v + m->nv, *v_turned = q_turned + turned->nq;
    for (int32_t i = 0; !status && i < m->nkeyframes; i++) {
        const char *name = hml_model_keyframe_name(m, i);
        status = hml_model_keyframe(m, i, q, v);
        if (!status) status = hml_model_reroot_state(m, q, v, turned, q_turned, v_turned);
        if (status)
            hmli_fail(error, status, "keyframe " NAMED ": %s", name, hml_status_message(status));
        else
            status = carry_keyframe(turned, name, q_turned, v_turned, b, error);
    }
    free(q);
    return status;
}

hml_status hml_model_reroot(const hml_model *m, int32_t body, hml_joint_type root, const double *q, hml_model **result,
                            hml_error *error)
{
    if (!m || !result || body < 0 || body >= m->nbodies || (root != HML_JOINT_FREE && root != HML_JOINT_FIXED))
        return hmli_fail(error, HML_INVALID_ARGUMENT, "a new base needs a model, one of its bodies, and free or fixed");
    if (body != joint_link(&model_joints(m)[model_bodies(m)[body].joint]))
        return hmli_fail(error, HML_INVALID_ARGUMENT, "the cross of a universal joint cannot be a base");
    pose place;
    twist still;
    hml_builder *b;
    hml_status status = motion_in_world(m, body, q, NULL, &place, &still);
    if (!status) status = hml_model_to_builder(m, &b);
    if (status) return hmli_fail(error, status, "%s", hml_status_message(status));
    status = turn_path(m, body, root, place, b, error);
    if (status) {
        hml_builder_free(b);
        return status;
    }
    index_joints(b);
    if ((status = hmli_prune_actuators(b))) {
        hml_builder_free(b);
        return hmli_fail(error, status, "%s", hml_status_message(status));
    }
    b->nkeyframes = b->nkeys = 0; /* they belong to the joints as they were */
    hmli_names_clear(&b->keyframe_names);
    if (m->nkeyframes == 0) return hmli_rebuild(b, m, result, error);
    hml_model *turned = NULL;
    status = hml_builder_build(b, hmli_rebuild_options(m), &turned, error);
    if (!status) status = carry_keyframes(m, turned, b, error);
    hml_model_free(turned);
    if (!status) return hmli_rebuild(b, m, result, error);
    hml_builder_free(b);
    return status;
}

/* ---- states ---- */

/* spherical, translation3 and free: numbers of g with rate V (NULL: not wanted) */
static void put_numbers(int32_t type, pose g, const twist *V, double *q, double *v)
{
    int at = type == HML_JOINT_SPHERICAL ? 0 : 3;
    if (at) {
        vec3_put(g.p, q);
        if (V) vec3_put(V->v, v);
    }
    if (type == HML_JOINT_TRANSLATION3) return;
    quat_put(quat_normalize(mat3_to_quat(g.R)), q + at);
    if (V) vec3_put(V->w, v + at);
}

/*
 * A joint turned round: in its new coordinates the motion is g' = R_O g⁻¹ R_Oᵀ, since T(−O(p))·O·T(p) is the rotation
 * R_O alone; and g'⁻¹ġ' = −Ad of R_O g on its old velocity.
 */
static void turn_numbers(const model_body *old, const double *q, const double *v, double *q_out, double *v_out)
{
    pose g = joint_element(old->type, vec3_zero(), 0, q);
    pose R = pose_of(mat3_at(old->R, 3), vec3_zero());
    pose turned = pose_mul(R, pose_mul(pose_inverse(g), pose_inverse(R)));
    twist V = twist_zero(), S[HML_JOINT_MAX_NV];
    joint_columns(old->type, vec3_zero(), vec3_zero(), 0, S);
    for (int32_t k = 0; v && k < old->nv; k++) V = twist_axpy(-v[k], S[k], V);
    V = pose_ad(R, pose_ad(g, V));
    put_numbers(old->type, turned, v ? &V : NULL, q_out, v_out);
}

static int same_placement(const model_body *a, const model_body *b)
{
    int same = 1;
    for (int k = 0; k < 9; k++) same &= a->R[k] == b->R[k];
    for (int k = 0; k < 3; k++) same &= a->p[k] == b->p[k] && a->point[k] == b->point[k];
    return same;
}

static hml_status carry_joint(const hml_model *m, const double *q, const double *v, const hml_model *turned,
                              const model_joint *j, double *q_out, double *v_out)
{
    const model_body *to = &model_bodies(turned)[j->body];
    int32_t index = hml_model_find_joint(m, joint_text(turned, j));
    int32_t body = hml_model_find_body(m, model_text(turned, model_bodies(turned)[joint_link(j)].name));
    if (body < 0) return HML_NOT_FOUND;
    const model_joint *source = index < 0 ? NULL : &model_joints(m)[index];
    const model_body *from = source ? &model_bodies(m)[source->body] : NULL;
    int known = source && from && source->type == j->type && source->leader < 0;
    int as_it_was = known && joint_link(source) == body && same_placement(from, to);
    if (j->type == HML_JOINT_FREE && to->parent < 0 && (!from || from->parent < 0) && !as_it_was) { /* the new base */
        pose H;
        twist V;
        hml_status status = motion_in_world(m, body, q, v_out ? v : NULL, &H, &V);
        if (!status) put_numbers(j->type, H, v_out ? &V : NULL, q_out, v_out);
        return status;
    }
    if (!known) return j->nq > 0 ? HML_NOT_FOUND : HML_OK;
    double g[HML_JOINT_MAX_NQ];
    hml_status status = joint_numbers(source, q, g);
    if (status) return status;
    if (joint_link(source) != body && j->nq > 0 && !hmli_joint_uses_axis((hml_joint_type)j->type)) {
        turn_numbers(from, g, v_out ? v + source->v : NULL, q_out, v_out);
    } else {
        memcpy(q_out, g, (size_t)j->nq * sizeof *g);
        if (v_out) memcpy(v_out, v + source->v, (size_t)j->nv * sizeof *v);
    }
    return HML_OK;
}

hml_status hml_model_reroot_state(const hml_model *m, const double *q, const double *v, const hml_model *rerooted,
                                  double *q_out, double *v_out)
{
    if (!m || !q || !rerooted || !q_out || (v_out && !v)) return HML_INVALID_ARGUMENT;
    if (v_out && finite_numbers(v, m->nv)) return HML_NOT_FINITE;
    hml_status status = hml_configuration_check(m, q);
    for (const model_joint *j = first_joint(rerooted); !status && j; j = next_joint(rerooted, j))
        status = carry_joint(m, q, v, rerooted, j, q_out + j->q, v_out ? v_out + j->v : NULL);
    return status;
}
