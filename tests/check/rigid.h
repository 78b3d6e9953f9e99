/*
 * Rigid motions as 4x4 matrices and Taylor series, and forward kinematics by what a model says of itself. Nothing here
 * is shared with the library: it is what the library is compared with.
 */
#ifndef HML_TEST_RIGID_H
#define HML_TEST_RIGID_H

#include <math.h>

#include "model_fixture.h"

static inline void mul4(const double A[16], const double B[16], double C[16])
{
    double sum[16] = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) sum[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    memcpy(C, sum, sizeof sum);
}

/* the pose of a free joint's numbers, with the quaternion product written out on the basis vectors */
static inline void pose4(const double q[7], double H[16])
{
    const double w = q[3], x = q[4], y = q[5], z = q[6];
    const double R[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
                         2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                         2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
    memset(H, 0, 16 * sizeof *H);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) H[4 * i + j] = R[3 * i + j];
        H[4 * i + 3] = q[i];
    }
    H[15] = 1;
}

/* exp of a twist by its Taylor series; 40 terms are exact for |v| < 5 */
static inline void exp4(const double v[6], double H[16])
{
    const double X[16] = {0, -v[5], v[4], v[0], v[5], 0, -v[3], v[1], -v[4], v[3], 0, v[2], 0, 0, 0, 0};
    double term[16] = {0};
    memset(H, 0, 16 * sizeof *H);
    for (int i = 0; i < 4; i++) H[5 * i] = term[5 * i] = 1;
    for (int k = 1; k < 40; k++) {
        mul4(term, X, term);
        for (int i = 0; i < 16; i++) H[i] += term[i] /= k;
    }
}

/* joint numbers as the seven of a free joint, and velocities as its six; 0 if the type has an axis of its own */
static inline int as_free(const hml_joint_info *j, const double *q, const double *v, double q7[7], double v6[6])
{
    const double *a = q + j->q, *b = v + j->v;
    double angle = 0;
    memset(q7, 0, 7 * sizeof *q7);
    memset(v6, 0, 6 * sizeof *v6);
    q7[3] = 1;
    switch (j->type) {
    case HML_JOINT_FREE:
        memcpy(q7, a, 7 * sizeof *a);
        memcpy(v6, b, 6 * sizeof *b);
        return 1;
    case HML_JOINT_SPHERICAL:
        memcpy(q7 + 3, a, 4 * sizeof *a);
        memcpy(v6 + 3, b, 3 * sizeof *b);
        return 1;
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES:
        for (int k = 0; k < j->nv; k++) {
            int turns = k == j->nv - 1 && (j->type == HML_JOINT_PLANAR || j->type == HML_JOINT_SCHOENFLIES);
            if (turns)
                angle = a[k], v6[5] = b[k];
            else
                q7[k] = a[k], v6[k] = b[k];
        }
        q7[3] = cos(angle / 2);
        q7[6] = sin(angle / 2);
        return 1;
    default: return 0;
    }
}

/* a row-major rotation and a position as a 4x4 */
static inline void place4(const double R[9], const double p[3], double H[16])
{
    memset(H, 0, 16 * sizeof *H);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) H[4 * i + j] = R[3 * i + j];
        H[4 * i + 3] = p[i];
    }
    H[15] = 1;
}

static inline void inverse4(const double H[16], double out[16])
{
    double result[16] = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            result[4 * i + j] = H[4 * j + i];
            result[4 * i + 3] -= H[4 * j + i] * H[4 * j + 3];
        }
    }
    result[15] = 1;
    memcpy(out, result, sizeof result);
}

/* exp of an angle about an axis and a slide along it */
static inline void screw4(const double axis[3], double slide, double angle, double H[16])
{
    const double v[6] = {slide * axis[0], slide * axis[1], slide * axis[2],
                         angle * axis[0], angle * axis[1], angle * axis[2]};
    exp4(v, H);
}

/* g(q) of a joint; q: its own numbers */
static inline void element4(const hml_joint_info *j, const double *q, double H[16])
{
    double q7[7], v6[6], zero[6] = {0}, second[16];
    hml_joint_info own = *j;
    own.q = own.v = 0;
    own.nv = hml_joint_type_nv(j->type);
    switch (j->type) {
    case HML_JOINT_FIXED: exp4(zero, H); break;
    case HML_JOINT_REVOLUTE: screw4(j->axis, 0, q[0], H); break;
    case HML_JOINT_PRISMATIC: screw4(j->axis, q[0], 0, H); break;
    case HML_JOINT_HELICAL: screw4(j->axis, j->pitch * q[0], q[0], H); break;
    case HML_JOINT_CYLINDRICAL: screw4(j->axis, q[0], q[1], H); break;
    case HML_JOINT_UNIVERSAL:
        screw4(j->axis, 0, q[0], H);
        screw4(j->axis2, 0, q[1], second);
        mul4(H, second, H);
        break;
    default: assert_true(as_free(&own, q, zero, q7, v6)); pose4(q7, H);
    }
}

/* pose of a body in the world, recursively; crosses of universal joints have none here */
static inline void body4(const hml_model *m, int32_t body, const double *q, double H[16])
{
    hml_body_info info = {.struct_size = sizeof info};
    hml_joint_info j = {.struct_size = sizeof j}, leader = {.struct_size = sizeof leader};
    double g[HML_JOINT_MAX_NQ], up[16], local[16];
    place4(identity9, (const double[3]){0}, H);
    if (body < 0) return;
    assert_int_equal(hml_model_body(m, body, &info), HML_OK);
    assert_int_equal(hml_model_joint(m, info.joint, &j), HML_OK);
    if (j.leader < 0) {
        memcpy(g, q + j.q, (size_t)j.nq * sizeof *q);
    } else {
        assert_int_equal(hml_model_joint(m, j.leader, &leader), HML_OK);
        g[0] = j.multiplier * q[leader.q] + j.offset;
    }
    if (j.type == HML_JOINT_UNIVERSAL) { /* the parent of the cross */
        assert_int_equal(hml_model_body(m, info.parent, &info), HML_OK);
    }
    body4(m, info.parent, q, up);
    place4(j.rotation, j.position, local);
    mul4(up, local, up);
    const double *p = j.point, minus[3] = {-p[0], -p[1], -p[2]};
    place4(identity9, p, local);
    mul4(up, local, up);
    element4(&j, g, local);
    mul4(up, local, up);
    place4(identity9, minus, local);
    mul4(up, local, H);
}

/* pose of a named frame, body or merged link in the world */
static inline void frame4(const hml_model *m, const char *name, const double *q, double H[16])
{
    hml_frame_info f = frame_info(m, name);
    double local[16];
    body4(m, f.body, q, H);
    place4(f.rotation, f.position, local);
    mul4(H, local, H);
}

#endif
