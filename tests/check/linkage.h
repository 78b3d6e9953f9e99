/* Linkages that tests share: a four-bar, cut at the joint of coupler and rocker, and a Stewart platform. */
#ifndef HML_TESTS_LINKAGE_H
#define HML_TESTS_LINKAGE_H

#include "constraint_check.h"

/* lengths of crank, coupler, rocker, and of the ground between the axes of crank and rocker */
typedef struct four_bar {
    double crank, coupler, rocker, ground;
} four_bar;

static inline void add_bar(hml_builder *b, const char *name, const char *parent, double x, double length)
{
    char joint_name[32];
    const double middle = length / 2, I = length * length / 12;
    const hml_inertia_spec inertia = {1, {middle, 0, 0}, {0.001, 0, 0, 0, I, 0, 0, 0, I}};
    hml_error error = {0};
    snprintf(joint_name, sizeof joint_name, "j_%s", name);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, joint_name);
    joint.axis[0] = joint.axis[2] = 0, joint.axis[1] = -1; /* a positive angle lifts the bar from x towards z */
    joint.position[0] = x;
    if (hml_builder_add_body(b, name, parent, &joint, &inertia, &error)) fail_msg("%s", error.message);
}

static inline void add_end(hml_builder *b, const char *name, const char *body, double x)
{
    const double position[3] = {x, 0, 0};
    hml_error error = {0};
    if (hml_builder_add_frame(b, name, body, position, identity9, &error)) fail_msg("%s", error.message);
}

/* in the plane of x and z; bars of mass 1 with their centres in the middle */
static inline hml_builder *four_bar_builder(four_bar s)
{
    hml_builder *b = hml_builder_new();
    add_bar(b, "crank", NULL, 0, s.crank);
    add_bar(b, "coupler", "crank", s.crank, s.coupler);
    add_bar(b, "rocker", NULL, s.ground, s.rocker);
    add_end(b, "coupler_end", "coupler", s.coupler);
    add_end(b, "rocker_end", "rocker", s.rocker);
    return b;
}

static inline hml_model *four_bar_model(four_bar s) { return finish(four_bar_builder(s), 0); }

/* the closed form: angle of the coupler against the crank, and of the rocker; side ±1: of the two ways to assemble it */
static inline void four_bar_solve(four_bar s, double angle, double side, double *coupler, double *rocker)
{
    const double x = s.ground - s.crank * cos(angle), z = -s.crank * sin(angle), d = sqrt(x * x + z * z);
    const double along = (s.coupler * s.coupler - s.rocker * s.rocker + d * d) / (2 * d);
    const double height = side * sqrt(s.coupler * s.coupler - along * along);
    const double px = along * x / d - height * z / d,
                 pz = along * z / d + height * x / d; /* of the end, from the pin */
    *coupler = atan2(pz, px) - angle;
    *rocker = atan2(pz - z, px - x);
}

static inline double turns(double angle) { return remainder(angle, 2 * acos(-1)); }

/* a platform with a free joint over a base on the world, six legs: universal joint, prismatic joint, ball (the cut) */
static inline void stewart_points(int leg, double base[3], double top[3])
{
    const double pi = acos(-1);
    const int pair = leg / 2, side = leg % 2 ? 1 : -1;
    const double low = 2 * pi / 3 * pair + side * 0.3, high = 2 * pi / 3 * pair + side * (pi / 3 - 0.25);
    base[0] = cos(low), base[1] = sin(low), base[2] = 0;
    top[0] = 0.6 * cos(high), top[1] = 0.6 * sin(high), top[2] = -0.05;
}

static inline hml_model *stewart_model(void)
{
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    hml_joint_spec joint = some_joint(HML_JOINT_FREE, "platform");
    const hml_inertia_spec plate = {5, {0, 0, 0}, {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.9}};
    const hml_inertia_spec rod = {0.3, {0, 0, 0.2}, {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.001}};
    joint.position[0] = 0, joint.position[2] = 1;
    if (hml_builder_add_body(b, "plate", NULL, &joint, &plate, &error)) fail_msg("%s", error.message);
    for (int leg = 0; leg < 6; leg++) {
        char name[32], tilt[32], slide[32], end[32];
        double base[3], top[3];
        stewart_points(leg, base, top);
        snprintf(name, sizeof name, "cylinder%d", leg), snprintf(tilt, sizeof tilt, "tilt%d", leg);
        joint = some_joint(HML_JOINT_UNIVERSAL, tilt);
        joint.axis[0] = 1, joint.axis[2] = 0, joint.axis2[0] = 0, joint.axis2[1] = 1;
        memcpy(joint.position, base, sizeof base);
        joint.actuated = 0;
        if (hml_builder_add_body(b, name, NULL, &joint, &rod, &error)) fail_msg("%s", error.message);
        snprintf(end, sizeof end, "rod%d", leg), snprintf(slide, sizeof slide, "slide%d", leg);
        joint = some_joint(HML_JOINT_PRISMATIC, slide); /* along z */
        joint.position[0] = 0;
        if (hml_builder_add_body(b, end, name, &joint, &rod, &error)) fail_msg("%s", error.message);
        snprintf(end, sizeof end, "ball%d", leg);
        if (hml_builder_add_frame(b, end, "plate", top, identity9, &error)) fail_msg("%s", error.message);
    }
    return finish(b, 0);
}

static inline int32_t stewart_loops(const hml_model *model, hml_loop *loops)
{
    for (int leg = 0; leg < 6; leg++) {
        char rod[32], ball[32];
        snprintf(rod, sizeof rod, "rod%d", leg), snprintf(ball, sizeof ball, "ball%d", leg);
        loops[leg] = loop(model, HML_HOLD_POINT, rod, ball);
    }
    return 6;
}

#endif
