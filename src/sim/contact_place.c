/*
 * Where a motion with contacts starts: the lowest point over a plane, and the robot put on it (hamel/contact.h).
 *
 * A joint on the world that can go in every direction has its translation first among its numbers, in the axes of its
 * predecessor, whatever its rotation. So the way δ n of the whole robot is R⁰ᵀ δ n there, and gaps grow by δ exactly.
 */
#include <math.h>

#include "group/arrays.h"
#include "hamel/kinematics.h"
#include "sim/contact.h"

static int goes_everywhere(int32_t type)
{
    return type == HML_JOINT_FREE || type == HML_JOINT_TRANSLATION3 || type == HML_JOINT_SCHOENFLIES;
}

/* the first body on the way from the world to this one that moves; −1: none does */
static int32_t first_moving(const hml_model *model, int32_t body)
{
    int32_t first = -1;
    for (int32_t i = body; i >= 0; i = model_bodies(model)[i].parent)
        if (model_bodies(model)[i].type != HML_JOINT_FIXED) first = i;
    return first;
}

/* does a joint that goes everywhere carry the body? */
static int is_carried(const hml_model *model, int32_t body)
{
    const int32_t first = first_moving(model, body);
    return first >= 0 && goes_everywhere(model_bodies(model)[first].type);
}

/* which way is up: the normal of a plane, z of a field */
static vec3 up(const hml_contact *c, int32_t ground)
{
    return ground < c->nplanes ? c->planes[ground].normal : c->fields[ground - c->nplanes].place.R.z;
}

/* over a plane or a field, of the shapes that are carried or of all; poses are in c->H */
static touch lowest_of(const hml_contact *c, int32_t ground, int carried)
{
    const int32_t field = ground - c->nplanes;
    touch lowest = {.shape = -1, .gap = INFINITY, .normal = up(c, ground)};
    lowest.point = vec3_zero();
    for (int32_t i = 0; i < c->nshapes; i++) {
        const collision_shape *s = &c->shapes[i];
        if (s->body < 0 || (carried && !is_carried(c->model, s->body))) continue;
        touch t = field < 0 ? hmli_collide_lowest(s, &c->planes[ground], c->H)
                            : hmli_heightfield_lowest(s, &c->fields[field], c->H);
        if (!(t.gap < lowest.gap)) continue;
        lowest = t;
        lowest.shape = i;
    }
    return lowest;
}

static hml_status check(const hml_model *model, const hml_contact *c, int32_t plane)
{
    return !model || !c || c->model != model || plane < 0 || plane >= c->nplanes + c->nfields ? HML_INVALID_ARGUMENT
                                                                                              : HML_OK;
}

hml_status hml_contact_lowest(const hml_model *model, hml_work *work, hml_contact *contact, const double *q,
                              int32_t plane, hml_contact_point *point)
{
    TRY(check(model, contact, plane));
    if (!point) return HML_INVALID_ARGUMENT;
    TRY(hml_body_poses(model, work, q, contact->H));
    const touch t = lowest_of(contact, plane, 0);
    point->shape = t.shape;
    point->other = -1 - plane;
    point->gap = t.gap;
    write_vec3(vec3_zero(), point->impulse);
    write_vec3(t.normal, point->normal);
    return write_vec3(t.point, point->position);
}

/* by `way` in the world */
static void move(const hml_contact *c, vec3 way, double *q)
{
    for (int32_t i = 0; i < c->model->nbodies; i++) {
        const model_body *body = &model_bodies(c->model)[i];
        if (first_moving(c->model, i) != i || !goes_everywhere(body->type)) continue;
        const double *above = c->H + 16 * (size_t)(body->parent < 0 ? 0 : body->parent);
        const vec3 seen = body->parent < 0 ? way : mat3_tmul_vec(mat3_at(above, 4), way);
        const vec3 own = mat3_tmul_vec(mat3_at(body->R, 3), seen);
        double *p = q + model_joints(c->model)[body->joint].q;
        vec3_put(vec3_add(vec3_at(p), own), p);
    }
}

hml_status hml_contact_place(const hml_model *model, hml_work *work, hml_contact *contact, int32_t plane, double height,
                             double *q)
{
    TRY(check(model, contact, plane));
    if (!isfinite(height)) return HML_NOT_FINITE;
    TRY(hml_body_poses(model, work, q, contact->H));
    const touch t = lowest_of(contact, plane, 1);
    if (t.shape < 0) return HML_UNSUPPORTED;
    if (!isfinite(height - t.gap)) return HML_NOT_FINITE;
    move(contact, vec3_scale(height - t.gap, up(contact, plane)), q);
    return HML_OK;
}
