/* Jacobians of frames, links in contact and points: frame_jacobian.h behind hamel/kinematics.h. */
#include "hamel/kinematics.h"

#include <string.h>

#include "algo/kinematics/frame_jacobian.h"
#include "algo/kinematics/scratch.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/representation.h"

/* J and J̇ of six rows each, or J and a velocity at rest */
_Static_assert(12 * sizeof(double) <= sizeof(column_state), "scratch of a column");

static int frame_exists(const hml_model *m, int32_t frame) { return frame >= 0 && frame < m->nframes; }

static hml_status check(const hml_model *model, const hml_work *work, int32_t frame, hml_axes axes,
                        hml_representation base, const double *q, const double *v, const double *Jdot)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || (Jdot && !v) || !frame_exists(model, frame)) {
        return HML_INVALID_ARGUMENT;
    }
    if ((axes != HML_AXES_OF_FRAME && axes != HML_AXES_OF_WORLD) || base < HML_LEFT || base > HML_SPLIT) {
        return HML_INVALID_ARGUMENT;
    }
    return hmli_work_check_state(model, q, v, NULL, NULL);
}

/* where the columns are collected: J, or scratch where J̇ alone is wanted */
static jacobian_series series_of(const hml_model *model, hml_work *work, double *J, double *Jdot)
{
    jacobian_series s = {.order = Jdot != NULL, .nv = model->nv, .J = {J ? J : hmli_work_kinematics(work).J, Jdot}};
    return s;
}

/* the base columns against a velocity in another representation, Notation (76) */
static hml_status turn_base(const hml_model *model, hml_work *work, hml_representation base, const double *q,
                            const double *v, const jacobian_series *j)
{
    size_t nv = (size_t)model->nv;
    double *rest = hmli_work_kinematics(work).rest;
    if (base == HML_LEFT) return HML_OK;
    memset(rest, 0, nv * sizeof *rest); /* the velocity matters to J̇ alone */
    return hml_jacobian_to_representation(model, base, q, v ? v : rest, 6, j->J[0], j->J[1]);
}

hml_status hml_jacobian(const hml_model *model, hml_work *work, int32_t frame, int32_t expressed, hml_axes axes,
                        hml_representation base, const double *q, const double *v, double *J, double *Jdot)
{
    TRY(check(model, work, frame, axes, base, q, v, Jdot));
    if (expressed != HML_WORLD && !frame_exists(model, expressed)) return HML_INVALID_ARGUMENT;
    const unsigned before = overflow_watch();
    state_series state = {.q = q, .rates = {v}};
    jacobian_series j = series_of(model, work, J, Jdot);
    jacobian_in_frame(model, frame, expressed, axes, &state, &j);
    hml_status status = turn_base(model, work, base, q, v, &j),
               large = OVERFLOW_STATUS(before, {J, 6 * (size_t)model->nv}, {Jdot, 6 * (size_t)model->nv});
    return status ? status : large;
}

hml_status hml_jacobian_doubly_left(const hml_model *model, hml_work *work, int32_t frame, const double *q, double *J)
{
    return hml_jacobian(model, work, frame, frame, HML_AXES_OF_FRAME, HML_LEFT, q, NULL, J, NULL);
}

hml_status hml_jacobian_doubly_mixed(const hml_model *model, hml_work *work, int32_t frame, const double *q, double *J)
{
    return hml_jacobian(model, work, frame, frame, HML_AXES_OF_WORLD, HML_MIXED, q, NULL, J, NULL);
}

hml_status hml_link_jacobian(const hml_model *model, hml_work *work, const hml_contact_frame *contact,
                             hml_representation base, const double *q, const double *v, double *J, double *Jdot)
{
    pose H;
    twist slip;
    if (!contact) return HML_INVALID_ARGUMENT;
    TRY(check(model, work, contact->link, contact->axes, base, q, v, Jdot));
    TRY(read_placement(contact->H, &H));
    TRY(read_twist(contact->V, &slip));
    const unsigned before = overflow_watch();
    state_series state = {.q = q, .rates = {v}};
    jacobian_series j = series_of(model, work, J, Jdot);
    jacobian_in_contact(model, contact->link, H, slip, contact->axes, &state, &j);
    hml_status status = turn_base(model, work, base, q, v, &j),
               large = OVERFLOW_STATUS(before, {J, 6 * (size_t)model->nv}, {Jdot, 6 * (size_t)model->nv});
    return status ? status : large;
}

/* ---- points ---- */

static int valid(const hml_point_motion *x, const double *v, const double *a)
{
    if (!x || (x->acceleration && !a)) return 0;
    return v || !(x->Jdot || x->velocity || x->acceleration);
}

hml_status hml_point(const hml_model *model, hml_work *work, int32_t frame, const double point[3], const double *q,
                     const double *v, const double *a, const hml_point_motion *given)
{
    hml_point_motion room;
    const hml_point_motion *motion = STRUCT_TAKE(hml_point_motion, given, &room, position);
    vec3 p, p1 = vec3_zero(), p2 = vec3_zero();
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !valid(motion, v, a) || !frame_exists(model, frame)) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    TRY(read_vec3(point, &p));
    if (motion->rate) TRY(read_vec3(motion->rate, &p1));
    if (motion->second_rate) TRY(read_vec3(motion->second_rate, &p2));
    const unsigned before = overflow_watch();
    size_t half = 3 * (size_t)model->nv;
    const kinematics_scratch k = hmli_work_kinematics(work);
    state_series state = {.q = q, .rates = {v, a}};
    jacobian_series j = {.order = 1, .nv = model->nv, .J = {k.J, k.Jdot}};
    twist V[SERIES_LENGTH];
    pose at = jacobian_of_point(model, frame, p, &state, V, &j);
    p1 = mat3_mul_vec(at.R, p1), p2 = mat3_mul_vec(at.R, p2);
    p2 = vec3_axpy(2, vec3_cross(V[0].w, p1), p2); /* Coriolis */
    if (motion->position) write_vec3(at.p, motion->position);
    if (motion->velocity) write_vec3(vec3_add(V[0].v, p1), motion->velocity);
    if (motion->acceleration) write_vec3(vec3_add(V[1].v, p2), motion->acceleration);
    if (motion->J) memcpy(motion->J, j.J[0], half * sizeof(double));
    if (motion->Jdot) memcpy(motion->Jdot, j.J[1], half * sizeof(double));
    return OVERFLOW_STATUS(before, {motion->position, 3}, {motion->velocity, 3}, {motion->acceleration, 3},
                           {motion->J, half}, {motion->Jdot, half});
}
