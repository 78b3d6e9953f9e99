/* Joint types by name and size, and what a joint says before it is in a model. */
#include <math.h>
#include <string.h>

#include "model/check_item.h"
#include "model/pose.h"

#include "hamel/model.h"

static const struct {
    const char *name;
    int32_t nq, nv;
} types[] = {
    [HML_JOINT_FIXED] = {"fixed", 0, 0},
    [HML_JOINT_REVOLUTE] = {"revolute", 1, 1},
    [HML_JOINT_PRISMATIC] = {"prismatic", 1, 1},
    [HML_JOINT_HELICAL] = {"helical", 1, 1},
    [HML_JOINT_CYLINDRICAL] = {"cylindrical", 2, 2},
    [HML_JOINT_UNIVERSAL] = {"universal", 2, 2},
    [HML_JOINT_TRANSLATION2] = {"translation2", 2, 2},
    [HML_JOINT_PLANAR] = {"planar", 3, 3},
    [HML_JOINT_SPHERICAL] = {"spherical", 4, 3},
    [HML_JOINT_TRANSLATION3] = {"translation3", 3, 3},
    [HML_JOINT_SCHOENFLIES] = {"schoenflies", 4, 4},
    [HML_JOINT_FREE] = {"free", 7, 6},
};

static const int ntypes = (int)(sizeof types / sizeof *types);

static int known(hml_joint_type type) { return (int)type >= 0 && (int)type < ntypes; }

const char *hml_joint_type_name(hml_joint_type type) { return known(type) ? types[type].name : NULL; }
int32_t hml_joint_type_nq(hml_joint_type type) { return known(type) ? types[type].nq : 0; }
int32_t hml_joint_type_nv(hml_joint_type type) { return known(type) ? types[type].nv : 0; }

hml_status hml_joint_type_from_name(const char *name, hml_joint_type *type)
{
    if (!name || !type) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < ntypes; i++) {
        if (strcmp(name, types[i].name) == 0) {
            *type = (hml_joint_type)i;
            return HML_OK;
        }
    }
    return HML_NOT_FOUND;
}

void hml_joint_spec_init(hml_joint_spec *spec, hml_joint_type type)
{
    memset(spec, 0, sizeof *spec);
    spec->struct_size = sizeof *spec;
    spec->type = type;
    spec->rotation[0] = spec->rotation[4] = spec->rotation[8] = 1;
    spec->actuated = type != HML_JOINT_FREE && type != HML_JOINT_FIXED;
    spec->multiplier = 1;
    if (type == HML_JOINT_SPHERICAL) spec->rest[0] = 1;
    if (type == HML_JOINT_FREE) spec->rest[3] = 1;
    for (int i = 0; i < HML_JOINT_MAX_NV; i++) {
        spec->lower[i] = -INFINITY;
        spec->upper[i] = spec->velocity_limit[i] = spec->effort_limit[i] = INFINITY;
    }
}

/*
 * A screw s = [v; w] with w ≠ 0 turns about the unit axis w/|w| through the point w×v/|w|² and slides w·v/|w|² metres
 * a radian. The coordinate is the angle, so the screw's length does not matter to the joint. It stays in the axis,
 * where the builder finds it and warns: whoever writes exp(s q) with |w| ≠ 1 means another coordinate.
 */
hml_status hml_joint_spec_set_screw(hml_joint_spec *spec, const double position[3], const double rotation[9],
                                    const double screw[6], int spatial)
{
    if (!spec || !position || !rotation || !screw) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < 6; i++)
        if (!isfinite(screw[i])) return HML_NOT_FINITE;

    twist s = twist_at(screw);
    if (spatial) s = pose_ad_inverse(pose_of_arrays(rotation, position), s);
    double turn = vec3_norm(s.w), slide = vec3_norm(s.v);
    if (turn == 0 && slide == 0) return HML_INVALID_ARGUMENT;

    vec3 axis = s.v, point = vec3_zero();
    double pitch = 0;
    spec->type = HML_JOINT_PRISMATIC;
    if (turn > 0) {
        axis = s.w;
        point = vec3_scale(1 / (turn * turn), vec3_cross(s.w, s.v));
        pitch = vec3_dot(s.w, s.v) / (turn * turn);
        /* a pitch below the rounding of the change of frame is none */
        if (fabs(pitch) * turn <= 1e-12 * slide) pitch = 0;
        spec->type = pitch != 0 ? HML_JOINT_HELICAL : HML_JOINT_REVOLUTE;
    }
    memcpy(spec->position, position, sizeof spec->position);
    memcpy(spec->rotation, rotation, sizeof spec->rotation);
    vec3_put(axis, spec->axis);
    vec3_put(point, spec->point);
    spec->pitch = pitch;
    return HML_OK;
}
