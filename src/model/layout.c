/*
 * States as other programs write them. One joint at a time: sizes, then numbers there and back. See
 * hamel/interchange.h.
 */
#include "hamel/interchange.h"

#include <string.h>

#include "group/rotation.h"
#include "model/check_item.h"
#include "model/coordinates.h"
#include "model/pose.h"

static const char *const NAMES[] = {"hamel", "pinocchio", "mujoco", "drake", "rbdl", "idyntree"};

const char *hml_layout_name(hml_layout layout)
{
    return (int)layout >= 0 && layout <= HML_LAYOUT_IDYNTREE ? NAMES[layout] : NULL;
}

hml_status hml_layout_from_name(const char *name, hml_layout *layout)
{
    if (!name || !layout) return HML_INVALID_ARGUMENT;
    for (int i = HML_LAYOUT_HAMEL; i <= HML_LAYOUT_IDYNTREE; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *layout = (hml_layout)i;
            return HML_OK;
        }
    }
    return HML_NOT_FOUND;
}

/* ---- sizes ---- */

typedef struct shape {
    int32_t nq, nv, tail; /* tail: numbers at the very end of q */
} shape;

static int is_circle(const hml_model *m, const model_joint *j, hml_layout layout, unsigned options)
{
    const model_coordinate *c = &model_coordinates(m)[model_bodies(m)[j->body].v];
    return layout == HML_LAYOUT_PINOCCHIO && (options & HML_LAYOUT_CIRCLES) && j->type == HML_JOINT_REVOLUTE &&
           isinf(c->lower) && isinf(c->upper);
}

static hml_status joint_shape(const hml_model *m, const model_joint *j, hml_layout layout, unsigned options, shape *s)
{
    hml_joint_type type = (hml_joint_type)j->type;
    int quaternion = quaternion_at(j->type) >= 0;
    s->nq = hml_joint_type_nq(type);
    s->nv = hml_joint_type_nv(type);
    s->tail = 0;
    if (j->leader >= 0 && !(options & HML_LAYOUT_FOLLOWERS)) {
        s->nq = s->nv = 0;
        return HML_OK;
    }
    if (is_circle(m, j, layout, options)) s->nq = 2;
    if (layout == HML_LAYOUT_PINOCCHIO && type == HML_JOINT_PLANAR) s->nq = 4;
    if (layout == HML_LAYOUT_DRAKE && type == HML_JOINT_SPHERICAL) s->nq = 3;
    if (layout == HML_LAYOUT_RBDL && quaternion) s->nq--, s->tail = 1;
    if ((layout == HML_LAYOUT_MUJOCO || layout == HML_LAYOUT_IDYNTREE) && type == HML_JOINT_HELICAL)
        return HML_UNSUPPORTED;
    if (layout == HML_LAYOUT_IDYNTREE) {
        int base = type == HML_JOINT_FREE && j->body == 0;
        if (base) s->nq = 16;
        if (!base && s->nv > 1) return HML_UNSUPPORTED;
    }
    return HML_OK;
}

static hml_status places(const hml_model *m, hml_layout layout, unsigned options, int32_t joint, hml_layout_place *at,
                         shape *total)
{
    memset(total, 0, sizeof *total);
    for (int32_t i = 0; i < m->njoints; i++) {
        shape s;
        hml_status status = joint_shape(m, &model_joints(m)[i], layout, options, &s);
        if (status) return status;
        if (i == joint) {
            int none = model_joints(m)[i].leader >= 0 && !(options & HML_LAYOUT_FOLLOWERS);
            hml_layout_place place = {none ? -1 : total->nq, s.nq, none ? -1 : total->nv, s.nv, total->tail};
            *at = place;
            if (!s.tail) at->w = -1;
        }
        total->nq += s.nq;
        total->nv += s.nv;
        total->tail += s.tail;
    }
    if (joint >= 0 && at->w >= 0) at->w += total->nq;
    return HML_OK;
}

hml_status hml_layout_count(const hml_model *m, hml_layout layout, unsigned options, int32_t *nq, int32_t *nv)
{
    shape total;
    if (!m || !hml_layout_name(layout)) return HML_INVALID_ARGUMENT;
    hml_status status = places(m, layout, options, -1, NULL, &total);
    if (status) return status;
    if (nq) *nq = total.nq + total.tail;
    if (nv) *nv = total.nv;
    return HML_OK;
}

hml_status hml_layout_joint(const hml_model *m, hml_layout layout, unsigned options, int32_t joint,
                            hml_layout_place *place)
{
    shape total;
    if (!m || !hml_layout_name(layout) || !place || joint < 0 || joint >= m->njoints) return HML_INVALID_ARGUMENT;
    return places(m, layout, options, joint, place, &total);
}

/* ---- rotations ---- */

static mat3 rotation_of(const double wxyz[4]) { return quat_to_mat3(quat_at(wxyz)); }

static void turn(mat3 R, int back, const double in[3], double out[3])
{
    vec3 a = vec3_at(in);
    vec3_put(back ? mat3_tmul_vec(R, a) : mat3_mul_vec(R, a), out);
}

static void put_xyzw(const double wxyz[4], double out[4])
{
    for (int k = 0; k < 3; k++) out[k] = wxyz[k + 1];
    out[3] = wxyz[0];
}

static void put_wxyz(double w, const double xyz[3], double out[4])
{
    out[0] = w;
    for (int k = 0; k < 3; k++) out[k + 1] = xyz[k];
}

/* cos, sin within 1e-3 of the circle → angle */
static hml_status angle_of(const double cs[2], double *angle)
{
    if (!isfinite(cs[0]) || !isfinite(cs[1])) return HML_NOT_FINITE;
    if (!(fabs(hypot(cs[0], cs[1]) - 1) <= 1e-3)) return HML_NOT_NORMALIZED;
    *angle = atan2(cs[1], cs[0]);
    return HML_OK;
}

/* ---- positions: g are Hamel's numbers of one joint, w RBDL's place ---- */

static void base_to(hml_layout layout, const double *g, double *out, double *w)
{
    switch (layout) {
    case HML_LAYOUT_PINOCCHIO:
        memcpy(out, g, 3 * sizeof *g);
        put_xyzw(g + 3, out + 3);
        break;
    case HML_LAYOUT_DRAKE:
        memcpy(out, g + 3, 4 * sizeof *g);
        memcpy(out + 4, g, 3 * sizeof *g);
        break;
    case HML_LAYOUT_RBDL:
        memcpy(out, g, 3 * sizeof *g);
        memcpy(out + 3, g + 4, 3 * sizeof *g);
        *w = g[3];
        break;
    case HML_LAYOUT_IDYNTREE: {
        double R[9];
        mat3_put(rotation_of(g + 3), R, 3);
        for (int i = 0; i < 3; i++) {
            memcpy(out + 4 * i, R + 3 * i, 3 * sizeof *R);
            out[4 * i + 3] = g[i];
            out[12 + i] = 0;
        }
        out[15] = 1;
        break;
    }
    default: memcpy(out, g, 7 * sizeof *g); break;
    }
}

static hml_status base_from(hml_layout layout, const double *in, double w, double *g)
{
    switch (layout) {
    case HML_LAYOUT_PINOCCHIO:
        memcpy(g, in, 3 * sizeof *g);
        put_wxyz(in[6], in + 3, g + 3);
        break;
    case HML_LAYOUT_DRAKE:
        memcpy(g + 3, in, 4 * sizeof *g);
        memcpy(g, in + 4, 3 * sizeof *g);
        break;
    case HML_LAYOUT_RBDL:
        memcpy(g, in, 3 * sizeof *g);
        put_wxyz(w, in + 3, g + 3);
        break;
    case HML_LAYOUT_IDYNTREE: {
        double R[9];
        if (finite_numbers(in, 12)) return HML_NOT_FINITE;
        for (int i = 0; i < 3; i++) {
            memcpy(R + 3 * i, in + 4 * i, 3 * sizeof *R);
            g[i] = in[4 * i + 3];
        }
        if (!hmli_normalize_rotation(R)) return HML_NOT_NORMALIZED;
        quat_put(quat_normalize(mat3_to_quat(mat3_at(R, 3))), g + 3);
        break;
    }
    default: memcpy(g, in, 7 * sizeof *g); break;
    }
    return HML_OK;
}

static void ball_to(hml_layout layout, const double *g, double *out, double *w)
{
    if (layout == HML_LAYOUT_PINOCCHIO) {
        put_xyzw(g, out);
    } else if (layout == HML_LAYOUT_RBDL) {
        memcpy(out, g + 1, 3 * sizeof *g);
        *w = g[0];
    } else if (layout == HML_LAYOUT_DRAKE) { /* R = R_z(yaw) R_y(pitch) R_x(roll) */
        euler e = euler_of_quat(EULER_ZYX, quat_at(g));
        out[0] = e.last, out[1] = e.middle, out[2] = e.first;
    } else {
        memcpy(out, g, 4 * sizeof *g);
    }
}

static void ball_from(hml_layout layout, const double *in, double w, double *g)
{
    if (layout == HML_LAYOUT_PINOCCHIO)
        put_wxyz(in[3], in, g);
    else if (layout == HML_LAYOUT_RBDL)
        put_wxyz(w, in, g);
    else if (layout == HML_LAYOUT_DRAKE)
        quat_put(quat_of_euler(EULER_ZYX, euler_of(in[2], in[1], in[0])), g);
    else
        memcpy(g, in, 4 * sizeof *g);
}

static void position_to(const model_joint *j, hml_layout layout, int circle, const double *g, double *out, double *w)
{
    if (j->type == HML_JOINT_FREE) {
        base_to(layout, g, out, w);
    } else if (j->type == HML_JOINT_SPHERICAL) {
        ball_to(layout, g, out, w);
    } else if (circle) {
        out[0] = cos(g[0]), out[1] = sin(g[0]);
    } else if (layout == HML_LAYOUT_PINOCCHIO && j->type == HML_JOINT_PLANAR) {
        out[0] = g[0], out[1] = g[1], out[2] = cos(g[2]), out[3] = sin(g[2]);
    } else {
        memcpy(out, g, (size_t)hml_joint_type_nq((hml_joint_type)j->type) * sizeof *g);
    }
}

static hml_status position_from(const model_joint *j, hml_layout layout, int circle, const double *in, double w,
                                double *g)
{
    if (j->type == HML_JOINT_FREE) return base_from(layout, in, w, g);
    if (circle) return angle_of(in, g);
    if (j->type == HML_JOINT_SPHERICAL) {
        ball_from(layout, in, w, g);
    } else if (layout == HML_LAYOUT_PINOCCHIO && j->type == HML_JOINT_PLANAR) {
        g[0] = in[0], g[1] = in[1];
        return angle_of(in + 2, g + 2);
    } else {
        memcpy(g, in, (size_t)j->nq * sizeof *g);
    }
    return HML_OK;
}

/* ---- velocities: there (back = 0) and back (back = 1) ---- */

static void base_velocity(hml_layout layout, const double *g, int back, const double *in, double *out)
{
    mat3 R = rotation_of(g + 3);
    int swap = layout == HML_LAYOUT_DRAKE, mixed = swap || layout == HML_LAYOUT_IDYNTREE;
    const double *linear = in + (swap && back ? 3 : 0), *angular = in + (swap && back ? 0 : 3);
    double *linear_out = out + (swap && !back ? 3 : 0), *angular_out = out + (swap && !back ? 0 : 3);
    if (layout == HML_LAYOUT_HAMEL || layout == HML_LAYOUT_PINOCCHIO) {
        memcpy(out, in, 6 * sizeof *in);
        return;
    }
    turn(R, back, linear, linear_out);
    if (mixed)
        turn(R, back, angular, angular_out);
    else
        memcpy(angular_out, angular, 3 * sizeof *angular);
}

/* sliding in the plane by body axes or by the predecessor's; the rest is the same */
static void plane_velocity(double angle, int back, int nv, const double *in, double *out)
{
    double s = sin(back ? -angle : angle), c = cos(angle), x = in[0], y = in[1];
    memcpy(out, in, (size_t)nv * sizeof *in);
    out[0] = c * x - s * y;
    out[1] = s * x + c * y;
}

static void velocity(const model_joint *j, hml_layout layout, const double *g, int back, const double *in, double *out)
{
    int nv = hml_joint_type_nv((hml_joint_type)j->type);
    int in_body = layout == HML_LAYOUT_HAMEL || (layout == HML_LAYOUT_PINOCCHIO && j->type == HML_JOINT_PLANAR);
    if (j->type == HML_JOINT_FREE)
        base_velocity(layout, g, back, in, out);
    else if (j->type == HML_JOINT_SPHERICAL && layout == HML_LAYOUT_DRAKE)
        turn(rotation_of(g), back, in, out);
    else if ((j->type == HML_JOINT_PLANAR || j->type == HML_JOINT_SCHOENFLIES) && !in_body)
        plane_velocity(g[nv - 1], back, nv, in, out);
    else
        memcpy(out, in, (size_t)nv * sizeof *in);
}

/* ---- whole states ---- */

hml_status hml_layout_to(const hml_model *m, hml_layout layout, unsigned options, const double *q, const double *v,
                         double *q_out, double *v_out)
{
    shape total, s;
    if (!m || !hml_layout_name(layout) || !q || !q_out || (v_out && !v)) return HML_INVALID_ARGUMENT;
    hml_status status = places(m, layout, options, -1, NULL, &total);
    if (!status && v_out) status = finite_numbers(v, m->nv);
    double *w = q_out + total.nq;
    for (int32_t i = 0; !status && i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i], *leader = j->leader < 0 ? j : &model_joints(m)[j->leader];
        double g[HML_JOINT_MAX_NQ], rate;
        if ((status = joint_numbers(leader, q, g)) || (status = joint_shape(m, j, layout, options, &s))) break;
        if (j->leader >= 0) g[0] = j->multiplier * g[0] + j->offset;
        if (s.nq > 0) position_to(j, layout, is_circle(m, j, layout, options), g, q_out, w);
        if (v_out && j->leader < 0) velocity(j, layout, g, 0, v + j->v, v_out);
        if (v_out && j->leader >= 0 && s.nv > 0) {
            rate = j->multiplier * v[leader->v];
            velocity(j, layout, g, 0, &rate, v_out);
        }
        q_out += s.nq;
        w += s.tail;
        if (v_out) v_out += s.nv;
    }
    return status;
}

hml_status hml_layout_from(const hml_model *m, hml_layout layout, unsigned options, const double *q_in,
                           const double *v_in, double *q, double *v)
{
    shape total, s;
    if (!m || !hml_layout_name(layout) || !q_in || !q || (v && !v_in)) return HML_INVALID_ARGUMENT;
    hml_status status = places(m, layout, options, -1, NULL, &total);
    if (!status && v) status = finite_numbers(v_in, total.nv);
    const double *w = q_in + total.nq;
    for (int32_t i = 0; !status && i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        double g[HML_JOINT_MAX_NQ];
        if ((status = joint_shape(m, j, layout, options, &s))) break;
        if (j->leader < 0) {
            status = position_from(j, layout, is_circle(m, j, layout, options), q_in, s.tail ? *w : 0, q + j->q);
            if (!status) status = joint_numbers(j, q, g);
            if (!status) memcpy(q + j->q, g, (size_t)j->nq * sizeof *q);
            if (!status && v) velocity(j, layout, g, 1, v_in, v + j->v);
        }
        q_in += s.nq;
        w += s.tail;
        if (v) v_in += s.nv;
    }
    return status;
}
