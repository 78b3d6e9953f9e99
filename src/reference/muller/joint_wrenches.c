/*
 * What joints carry: Müller (67a), (71b), (76b) for the whole wrench W_i of a joint, (77) for the reaction in it.
 *
 *   W_i^c = W_i − Σ_k T_k (S_kᵀ W_i)        S_k the joint's columns, T_k the wrench that drive k applies, T_kᵀ S_l =
 * δ_kl
 *
 * Müller leaves open how the drive's force enters, since it drops out of his equations of motion. With T_k a pure force
 * along a sliding axis or a pure torque about a turning one, the reaction is what the bearing feels.
 */
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "group/motion.h"
#include "model/pose.h"
#include "reference/featherstone/tree.h"

/* T_k in the body's frame: the joint's point has S = (e, 0), (0, e) or, helical, (pitch e, e) */
static wrench drive(vec3 point, twist S)
{
    int turns = vec3_dot(S.w, S.w) > 0;
    wrench at_point = turns ? wrench_of(vec3_zero(), S.w) : wrench_of(S.v, vec3_zero());
    return pose_ad_dual(pose_of(mat3_identity(), point), at_point);
}

static int has_axis(int32_t type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_PRISMATIC || type == HML_JOINT_HELICAL ||
           type == HML_JOINT_CYLINDRICAL;
}

/* z along the unit axis; x perpendicular to it, nearest to that axis of the body which is the least parallel to z */
static mat3 axes_about(vec3 z)
{
    double a[3] = {z.x * z.x, z.y * z.y, z.z * z.z};
    int least = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    vec3 e = vec3_of(least == 0, least == 1, least == 2), x = vec3_axpy(-vec3_dot(e, z), z, e);
    x = vec3_scale(1 / vec3_norm(x), x);
    return mat3_of(x, vec3_cross(z, x), z);
}

/* the joint's own frame, in the body */
static pose joint_frame(const model_body *m)
{
    return pose_of(has_axis(m->type) ? axes_about(vec3_at(m->axis)) : mat3_identity(), vec3_at(m->point));
}

hml_status hml_joint_wrenches(const hml_model *model, void *scratch, hml_representation representation, const double *q,
                              const double *v, const double *a, const double *wrenches, const hml_joint_loads *given)
{
    hml_joint_loads room;
    const hml_joint_loads *loads = STRUCT_TAKE(hml_joint_loads, given, &room, wrenches);
    tree t;
    if (!v || !a || !loads || representation < HML_LEFT || representation > HML_SPLIT) {
        return HML_INVALID_ARGUMENT;
    }
    hml_status status = hmli_tree_open(model, scratch, q, v, a, wrenches, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    hmli_tree_wrenches(&t, representation, v, a, wrenches);
    wrench ground = wrench_zero();
    for (int i = 0; i < t.n; i++) {
        const tree_body *b = &t.body[i];
        const model_body *m = &model_bodies(model)[i];
        const pose frame = joint_frame(m);
        const wrench own = wrench_to_left(representation, b->H, b->f);
        wrench driven = wrench_zero();
        for (int k = 0; k < b->nv; k++) {
            double force = wrench_dot(own, b->S[k]);
            driven = wrench_add(driven, wrench_scale(force, drive(vec3_at(m->point), b->S[k])));
            if (loads->forces) loads->forces[b->at + k] = force;
        }
        if (loads->wrenches) write_wrench(b->f, loads->wrenches + 6 * i);
        if (loads->reactions) {
            wrench reaction = b->nv == 6 ? wrench_zero() : wrench_sub(own, driven);
            write_wrench(wrench_from_left(representation, b->H, reaction), loads->reactions + 6 * i);
        }
        if (loads->components) write_wrench(pose_ad_dual_inverse(frame, own), loads->components + 6 * i);
        if (loads->frames) write_pose(pose_mul(b->H, frame), loads->frames + 16 * i);
        if (b->parent < 0) ground = wrench_add(ground, pose_ad_dual(b->H, own));
    }
    if (loads->ground) write_wrench(ground, loads->ground);
    const size_t n6 = 6 * (size_t)t.n;
    return OVERFLOW_STATUS(before, {loads->wrenches, n6}, {loads->reactions, n6}, {loads->components, n6},
                           {loads->forces, (size_t)model->nv}, {loads->frames, 16 * (size_t)t.n}, {loads->ground, 6});
}
