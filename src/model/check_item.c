/* What may enter a model. See check.h. */
#include "model/check_item.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/pose.h"

#include "hamel/rigid_body.h"

hml_status hmli_fail(hml_error *error, hml_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        error->line = 0;
        error->file[0] = 0;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

int hmli_text_is_plain(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) return 0;
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) return 0;
        if (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe) return 0;
    }
    return 1;
}

int hmli_joint_uses_axis(hml_joint_type type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_PRISMATIC || type == HML_JOINT_HELICAL ||
           type == HML_JOINT_CYLINDRICAL || type == HML_JOINT_UNIVERSAL;
}

int hmli_joint_uses_point(hml_joint_type type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_HELICAL || type == HML_JOINT_CYLINDRICAL ||
           type == HML_JOINT_UNIVERSAL || type == HML_JOINT_PLANAR || type == HML_JOINT_SPHERICAL ||
           type == HML_JOINT_SCHOENFLIES || type == HML_JOINT_FREE;
}

double hmli_normalize_axis(double axis[3])
{
    double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (length == 0 || fabs(length - 1) <= 1e-15) return length;
    for (int i = 0; i < 3; i++) axis[i] /= length;
    return length;
}

/* Newton-Schulz: R ← R (3 − RᵀR)/2 doubles the digits of orthonormality in each step; from 1e-3, three are enough */
int hmli_normalize_rotation(double R[9])
{
    mat3 A = mat3_at(R, 3);
    double off = INFINITY;
    for (int step = 0; step < 4; step++) {
        mat3 E = mat3_sub(mat3_identity(), mat3_tmul(A, A));
        double e[9], largest = 0;
        mat3_put(E, e, 3);
        for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(e[i]));
        if (step == 0) {
            off = largest;
            if (!(off <= 2e-3) || vec3_dot(A.x, vec3_cross(A.y, A.z)) <= 0) return 0; /* RᵀR doubles the deviation */
            if (off <= 1e-9) return 1;
        }
        A = mat3_add(A, mat3_scale(0.5, mat3_mul(A, E)));
    }
    mat3_put(A, R, 3);
    return 1;
}

double hmli_normalize_rest(hml_joint_type type, double rest[HML_JOINT_MAX_NQ])
{
    if (type != HML_JOINT_SPHERICAL && type != HML_JOINT_FREE) return 1;
    double *q = type == HML_JOINT_FREE ? rest + 3 : rest;
    double norm = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
    if (norm > 0 && fabs(norm - 1) > 1e-15)
        for (int i = 0; i < 4; i++) q[i] /= norm;
    return norm;
}

hml_status hmli_check_placement(const char *what, const char *name, const double position[3], double rotation[9],
                                hml_error *error)
{
    if (!all_finite(position, 3) || !all_finite(rotation, 9))
        return hmli_fail(error, HML_NOT_FINITE, "%s " NAMED ": its placement holds NaN or infinity", what, name);
    if (!hmli_normalize_rotation(rotation))
        return hmli_fail(error, HML_NOT_NORMALIZED, "%s " NAMED ": the rotation of its placement is not orthonormal",
                         what, name);
    return HML_OK;
}

static hml_status check_axis(const char *name, const char *which, const double axis[3], hml_error *error)
{
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return hmli_fail(error, HML_BAD_MODEL, "joint " NAMED ": its %s is zero", name, which);
    return HML_OK;
}

static hml_status check_limits(const char *name, const char *which, const double *limit, int nv, hml_error *error)
{
    for (int i = 0; i < nv; i++)
        if (isnan(limit[i])) return hmli_fail(error, HML_NOT_FINITE, "joint " NAMED ": its %s is NaN", name, which);
    return HML_OK;
}

static hml_status check_numbers(const char *name, const char *which, const double *x, int n, hml_error *error)
{
    if (!all_finite(x, (size_t)n))
        return hmli_fail(error, HML_NOT_FINITE, "joint " NAMED ": its %s holds NaN or infinity", name, which);
    return HML_OK;
}

hml_status hmli_check_joint(hml_joint_spec *joint, hml_error *error)
{
    const char *name = joint->name;
    if (!hml_joint_type_name(joint->type))
        return hmli_fail(error, HML_INVALID_ARGUMENT, "joint " NAMED ": there is no joint type %d", name,
                         (int)joint->type);
    int nq = hml_joint_type_nq(joint->type), nv = hml_joint_type_nv(joint->type);
    int two = joint->type == HML_JOINT_UNIVERSAL;
    if (!hmli_joint_uses_axis(joint->type)) memset(joint->axis, 0, sizeof joint->axis);
    if (!hmli_joint_uses_point(joint->type)) memset(joint->point, 0, sizeof joint->point);
    if (!two) memset(joint->axis2, 0, sizeof joint->axis2);
    if (joint->type != HML_JOINT_HELICAL) joint->pitch = 0;

    hml_status status = hmli_check_placement("joint", name, joint->position, joint->rotation, error);
    if (!status) status = check_numbers(name, "axis", joint->axis, 3, error);
    if (!status) status = check_numbers(name, "axis2", joint->axis2, 3, error);
    if (!status) status = check_numbers(name, "point", joint->point, 3, error);
    if (!status) status = check_numbers(name, "pitch", &joint->pitch, 1, error);
    if (!status) status = check_numbers(name, "armature", joint->armature, nv, error);
    if (!status) status = check_numbers(name, "damping", joint->damping, nv, error);
    if (!status) status = check_numbers(name, "friction", joint->friction, nv, error);
    if (!status) status = check_numbers(name, "stiffness", joint->stiffness, nv, error);
    if (!status) status = check_numbers(name, "rest position", joint->rest, nq, error);
    if (!status) status = check_limits(name, "lower limit", joint->lower, nv, error);
    if (!status) status = check_limits(name, "upper limit", joint->upper, nv, error);
    if (!status) status = check_limits(name, "velocity limit", joint->velocity_limit, nv, error);
    if (!status) status = check_limits(name, "effort limit", joint->effort_limit, nv, error);
    if (!status) status = check_numbers(name, "mimic multiplier", &joint->multiplier, 1, error);
    if (!status) status = check_numbers(name, "mimic offset", &joint->offset, 1, error);
    if (!status && hmli_joint_uses_axis(joint->type)) status = check_axis(name, "axis", joint->axis, error);
    if (!status && two) status = check_axis(name, "axis2", joint->axis2, error);
    double rest[HML_JOINT_MAX_NQ];
    memcpy(rest, joint->rest, sizeof rest);
    double norm = hmli_normalize_rest(joint->type, rest);
    if (!status && (norm == 0 || isinf(norm)))
        status = hmli_fail(error, HML_BAD_MODEL, "joint " NAMED ": the quaternion of its rest position is %s", name,
                           norm == 0 ? "zero" : "too large");
    return status;
}

hml_status hmli_check_inertia(const char *link, const hml_inertia_spec *body, hml_error *error)
{
    if (!isfinite(body->mass) || !all_finite(body->com, 3) || !all_finite(body->moment, 9))
        return hmli_fail(error, HML_NOT_FINITE, "body " NAMED ": its inertia holds NaN or infinity", link);
    char mass[DECIMAL_SIZE];
    if (body->mass < 0)
        return hmli_fail(error, HML_BAD_MODEL, "body " NAMED ": its mass is negative (%s)", link,
                         decimal_text(mass, DECIMAL_SHORT, body->mass));
    return HML_OK;
}

int hmli_odd_inertia(const char *link, const hml_inertia_spec *body, char *sentence, size_t size)
{
    const double *I = body->moment, slack = HML_INERTIA_TOLERANCE;
    double about_com[10] = {1}, lambda[3], largest = 0;
    char number[3][DECIMAL_SIZE];
    unsigned problems;
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(I[i]));
    if (largest == 0) return 0;
    if (body->mass == 0) {
        snprintf(sentence, size, "link " NAMED " has a moment of inertia but no mass", link);
        return 1;
    }
    if (largest <= 1e-12 * body->mass) return 0; /* rounding about a point mass: less than a micrometre across */
    double skew = fmax(fabs(I[1] - I[3]), fmax(fabs(I[2] - I[6]), fabs(I[5] - I[7])));
    if (skew > slack * largest) {
        snprintf(sentence, size, "link " NAMED ": its moment of inertia is not symmetric; the symmetric part is used",
                 link);
        return 1;
    }
    sym3_to_array(sym3_of_rows(I), about_com + 4);
    if (hml_inertia_check(about_com, slack, &problems, lambda, NULL)) return 0;
    if (lambda[0] < -slack * largest) {
        snprintf(sentence, size, "link " NAMED ": its moment of inertia has a negative eigenvalue (%s)", link,
                 decimal_text(number[0], DECIMAL_SHORT, lambda[0]));
        return 1;
    }
    if (lambda[0] + lambda[1] < lambda[2] - slack * largest) {
        snprintf(sentence, size,
                 "link " NAMED
                 ": its principal moments %s, %s, %s violate the triangle inequality: no body can have them",
                 link, decimal_text(number[0], DECIMAL_SHORT, lambda[0]),
                 decimal_text(number[1], DECIMAL_SHORT, lambda[1]), decimal_text(number[2], DECIMAL_SHORT, lambda[2]));
        return 1;
    }
    return 0;
}
