/*
 * Orientations. An element says at most one of quat, axisangle, euler, xyaxes, zaxis; if it says any, no default does.
 * Geoms and sites may instead lie between two points (fromto).
 */
#include <math.h>

#include "io/common/rotation.h"
#include "io/mjcf/mjcf.h"

static const char *const orientations[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis", NULL};

static hml_status too_small(const mjcf *m, const xml_node *node, int which)
{
    return MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> %s is zero%s", node->name, orientations[which],
                     which == 3 ? " or its axes are parallel" : "");
}

/* lower case: about axes that turn along; upper case: about fixed axes */
static mat3 of_euler(const mjcf *m, const double euler[3])
{
    mat3 R = mat3_identity();
    for (int i = 0; i < 3; i++) {
        char c = m->set.eulerseq[i];
        int fixed = c < 'a';
        mat3 turn = rotation_about(c - (fixed ? 'X' : 'x'), euler[i] * m->set.angle);
        R = fixed ? mat3_mul(turn, R) : mat3_mul(R, turn);
    }
    return R;
}

static hml_status of_xy_axes(const mjcf *m, const xml_node *node, const double a[6], mat3 *R)
{
    vec3 x = vec3_at(a), y = vec3_at(a + 3);
    double length = length3(a);
    if (length < 1e-14) return too_small(m, node, 3);
    x = vec3_scale(1 / length, x);
    y = vec3_axpy(-vec3_dot(x, y), x, y);
    if ((length = vec3_norm(y)) < 1e-14) return too_small(m, node, 3);
    y = vec3_scale(1 / length, y);
    *R = mat3_of(x, y, vec3_cross(x, y));
    return HML_OK;
}

static const int sizes[] = {4, 4, 3, 6, 3};

static hml_status read_orientation(const mjcf *m, const xml_node *node, int which, const double a[6], mat3 *R)
{
    double length;
    switch (which) {
    case 0: return rotation_of_quaternion(a, R) > 1e-14 ? HML_OK : too_small(m, node, which);
    case 1:
        if ((length = length3(a)) < 1e-14) return too_small(m, node, which);
        *R = rotation_of_axis_angle(vec3_scale(1 / length, vec3_at(a)), a[3] * m->set.angle);
        return HML_OK;
    case 2: *R = of_euler(m, a); return HML_OK;
    case 3: return of_xy_axes(m, node, a, R);
    default:
        if ((length = length3(a)) < 1e-14) return too_small(m, node, which);
        *R = rotation_of_z_axis(vec3_scale(1 / length, vec3_at(a)));
        return HML_OK;
    }
}

/* how many orientations the element itself gives; *which: the last of them */
static int own(const xml_node *node, int *which)
{
    int n = 0;
    for (int i = 0; orientations[i]; i++) {
        if (!hmli_xml_get(node, orientations[i])) continue;
        *which = i;
        n++;
    }
    return n;
}

/* the same for the nearest default that gives any */
static int by_default(const mjcf *m, const mjcf_element *e, int *which, const xml_node **node)
{
    int n = 0;
    int32_t age = -1;
    for (int i = 0; orientations[i]; i++) {
        const mjcf_value *value = hmli_mjcf_default(m, e, orientations[i]);
        if (!value || value->age < age) continue;
        n = value->age == age ? n + 1 : 1; /* of one age: of one element */
        age = value->age;
        *which = i;
        *node = value->node;
    }
    return n;
}

hml_status hmli_mjcf_orientation(const mjcf *m, const mjcf_element *e, mat3 *R)
{
    const xml_node *node = e->node;
    double a[6];
    int which = 0, n = own(e->node, &which);
    *R = mat3_identity();
    if (n == 0) n = by_default(m, e, &which, &node);
    if (n == 0) return HML_OK;
    if (n > 1)
        return MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> has more than one orientation, among them %s", node->name,
                         orientations[which]);
    hml_status status = hmli_mjcf_numbers(m, e, orientations[which], sizes[which], a);
    return status ? status : read_orientation(m, node, which, a, R);
}

hml_status hmli_mjcf_place(const mjcf *m, const mjcf_element *e, pose *place)
{
    double p[3] = {0};
    hml_status status = hmli_mjcf_numbers(m, e, "pos", 3, p);
    if (!status) status = hmli_mjcf_orientation(m, e, &place->R);
    place->p = vec3_at(p);
    return status;
}

hml_status hmli_mjcf_fromto(const mjcf *m, const mjcf_element *e, int *there, double *half, pose *place)
{
    double a[6];
    const xml_node *node = hmli_mjcf_holder(m, e, "fromto");
    *there = node != NULL;
    if (!node) return HML_OK;
    if (place->p.x != 0 || place->p.y != 0 || place->p.z != 0) /* MuJoCo takes a pos of zeros for none */
        return MJCF_FAIL(m, HML_BAD_FILE, e->node, "<%.80s> has both pos and fromto", e->node->name);
    hml_status status = hmli_mjcf_numbers(m, e, "fromto", 6, a);
    if (status) return status;
    vec3 from = vec3_at(a), to = vec3_at(a + 3), d = vec3_sub(from, to);
    double length = hypot(hypot(d.x, d.y), d.z);
    if (length < 1e-14) return MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> fromto has no length", node->name);
    *half = 0.5 * length;
    place->p = vec3_scale(0.5, vec3_add(from, to));
    place->R = rotation_of_z_axis(vec3_scale(1 / length, d)); /* MuJoCo's z points from the second to the first */
    return HML_OK;
}
