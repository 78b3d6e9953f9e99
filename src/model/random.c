/* Random robots. See random.h. */
#include "hamel/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "model/pose.h"

enum { ALL_TYPES = (2 << HML_JOINT_FREE) - 1 };

void hml_random_spec_init(hml_random_spec *spec)
{
    memset(spec, 0, sizeof *spec);
    spec->struct_size = sizeof *spec;
    spec->seed = 1;
    spec->nbodies = 13;
    spec->shape = HML_RANDOM_LEGGED;
    spec->branches = 4;
    spec->root = HML_JOINT_FREE;
    spec->joint_types = 1u << HML_JOINT_REVOLUTE;
    spec->aligned = 0.5;
    spec->length = 0.3;
    spec->mass = 1;
}

static int chance(hml_rng *rng, double p) { return hml_rng_uniform(rng, 0, 1) < p; }

static int32_t parent_of(const hml_random_spec *spec, hml_rng *rng, int32_t i)
{
    switch (spec->shape) {
    case HML_RANDOM_CHAIN: return i - 1;
    case HML_RANDOM_BUSHY: return (i - 1) / spec->branches;
    case HML_RANDOM_STAR: return 0;
    case HML_RANDOM_LEGGED: {
        int32_t leg = (spec->nbodies - 1 + spec->branches - 1) / spec->branches; /* bodies in each */
        return (i - 1) % leg == 0 ? 0 : i - 1;
    }
    default: return hml_rng_below(rng, i);
    }
}

static hml_joint_type draw_type(hml_rng *rng, unsigned types)
{
    int32_t count = 0;
    for (int t = 0; t <= HML_JOINT_FREE; t++) count += (types >> t & 1) != 0;
    int32_t pick = hml_rng_below(rng, count);
    for (int t = 0; t <= HML_JOINT_FREE; t++)
        if ((types >> t & 1) != 0 && pick-- == 0) return (hml_joint_type)t;
    return HML_JOINT_REVOLUTE;
}

static void draw_rotation(hml_rng *rng, double R[9])
{
    double q[4];
    hml_rng_quaternion(rng, q);
    mat3_put(quat_to_mat3(quat_at(q)), R, 3);
}

/* one of the 24 rotations of a cube */
static void draw_quarter_turns(hml_rng *rng, double R[9])
{
    int x = hml_rng_below(rng, 3), y = (x + 1 + hml_rng_below(rng, 2)) % 3;
    double a[3] = {0}, b[3] = {0};
    a[x] = chance(rng, 0.5) ? 1 : -1;
    b[y] = chance(rng, 0.5) ? 1 : -1;
    vec3 first = vec3_at(a), second = vec3_at(b);
    mat3_put(mat3_of(first, second, vec3_cross(first, second)), R, 3);
}

static void draw_axis(hml_rng *rng, int aligned, double axis[3])
{
    double q[4];
    memset(axis, 0, 3 * sizeof *axis);
    axis[hml_rng_below(rng, 3)] = 1;
    if (aligned) return;
    hml_rng_quaternion(rng, q);
    vec3_put(quat_to_mat3(quat_at(q)).z, axis);
}

static void draw_joint(const hml_random_spec *spec, hml_rng *rng, hml_joint_spec *joint)
{
    int aligned = chance(rng, spec->aligned), nv = hml_joint_type_nv(joint->type);
    int limited = chance(rng, spec->limited), passive = chance(rng, spec->passive);
    for (int k = 0; k < 3; k++) joint->position[k] = spec->length * hml_rng_uniform(rng, -1, 1);
    if (aligned)
        draw_quarter_turns(rng, joint->rotation);
    else
        draw_rotation(rng, joint->rotation);
    draw_axis(rng, aligned, joint->axis);
    draw_axis(rng, aligned, joint->axis2);
    const double *a = joint->axis, *b = joint->axis2, along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (along > 0.999) { /* twice about one axis, a universal joint makes M singular */
        const double x = joint->axis2[2];
        memmove(joint->axis2 + 1, joint->axis2, 2 * sizeof x);
        joint->axis2[0] = x;
    }
    joint->pitch = 0.3 * hml_rng_uniform(rng, -1, 1);
    for (int k = 0; k < 3 && !aligned && joint->type != HML_JOINT_FREE; k++)
        joint->point[k] = 0.3 * spec->length * hml_rng_uniform(rng, -1, 1);
    for (int k = 0; k < nv && limited; k++) {
        joint->lower[k] = hml_rng_uniform(rng, -2, -0.5);
        joint->upper[k] = hml_rng_uniform(rng, 0.5, 2);
        joint->velocity_limit[k] = hml_rng_uniform(rng, 5, 20);
        joint->effort_limit[k] = hml_rng_uniform(rng, 10, 100);
    }
    for (int k = 0; k < nv && passive; k++) {
        joint->armature[k] = 0.1 * spec->mass * hml_rng_uniform(rng, 0, 1);
        joint->damping[k] = hml_rng_uniform(rng, 0, 1);
        joint->stiffness[k] = hml_rng_uniform(rng, 0, 10);
    }
    if (!passive) return;
    if (joint->type == HML_JOINT_FREE)
        hml_rng_quaternion(rng, joint->rest + 3);
    else if (joint->type == HML_JOINT_SPHERICAL)
        hml_rng_quaternion(rng, joint->rest);
    else
        for (int k = 0; k < nv; k++) joint->rest[k] = hml_rng_uniform(rng, -1, 1);
}

/* a box with sides a, b, c: m/12 diag(b²+c², a²+c², a²+b²), turned */
static hml_inertia_spec draw_inertia(const hml_random_spec *spec, hml_rng *rng)
{
    hml_inertia_spec I = {.mass = spec->mass * hml_rng_uniform(rng, 0.5, 1.5)};
    double square[3], R[9];
    for (int k = 0; k < 3; k++) {
        double side = spec->length * hml_rng_uniform(rng, 0.2, 1);
        square[k] = side * side;
        I.com[k] = 0.5 * spec->length * hml_rng_uniform(rng, -1, 1);
    }
    double scale = I.mass / 12;
    draw_rotation(rng, R);
    sym3 J = sym3_of(scale * (square[1] + square[2]), 0, 0, scale * (square[0] + square[2]), 0,
                     scale * (square[0] + square[1]));
    double moment[6];
    sym3_to_array(sym3_rotate(mat3_at(R, 3), J), moment);
    sym3_array_to_rows(moment, I.moment);
    return I;
}

static hml_status fill(const hml_random_spec *spec, hml_rng *rng, hml_builder *b)
{
    char name[24], parent[24], joint_name[24], leader[24] = "";
    hml_status status = hml_builder_set_name(b, "random");
    for (int32_t i = 0; !status && i < spec->nbodies; i++) {
        hml_joint_spec joint;
        int free_root = i == 0 && spec->root == HML_JOINT_FREE;
        hml_joint_spec_init(&joint, i == 0 ? spec->root : draw_type(rng, spec->joint_types));
        snprintf(name, sizeof name, "body%d", (int)i);
        snprintf(joint_name, sizeof joint_name, "joint%d", (int)i);
        joint.name = free_root ? "base" : joint_name;
        if (i > 0) snprintf(parent, sizeof parent, "body%d", (int)parent_of(spec, rng, i));
        if (!free_root) draw_joint(spec, rng, &joint);
        int single = hml_joint_type_nv(joint.type) == 1, follows = chance(rng, spec->mimic) && single && *leader;
        if (follows) {
            joint.mimic = leader;
            joint.multiplier = hml_rng_uniform(rng, -2, 2);
            joint.offset = hml_rng_uniform(rng, -1, 1);
        }
        hml_inertia_spec I = draw_inertia(spec, rng);
        status = hml_builder_add_body(b, name, i > 0 ? parent : NULL, &joint, &I, NULL);
        if (single && !follows) memcpy(leader, joint_name, sizeof leader);
    }
    for (int32_t i = 0; !status && i < spec->nframes; i++) {
        double position[3], R[9];
        for (int k = 0; k < 3; k++) position[k] = spec->length * hml_rng_uniform(rng, -1, 1);
        draw_rotation(rng, R);
        snprintf(name, sizeof name, "frame%d", (int)i);
        snprintf(parent, sizeof parent, "body%d", (int)hml_rng_below(rng, spec->nbodies));
        status = hml_builder_add_frame(b, name, parent, position, R, NULL);
    }
    return status;
}

static int sensible(const hml_random_spec *spec)
{
    const double chances[] = {spec->aligned, spec->passive, spec->limited, spec->mimic};
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++)
        if (!(chances[i] >= 0 && chances[i] <= 1)) return 0;
    return spec->nbodies > 0 && spec->nframes >= 0 && hml_joint_type_name(spec->root) != NULL &&
           (spec->joint_types & ALL_TYPES) != 0 && spec->branches > 0 && isfinite(spec->length) && spec->length > 0 &&
           isfinite(spec->mass) && spec->mass > 0;
}

hml_status hml_model_random(const hml_random_spec *given, hml_model **model)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    if (!given || !model || !struct_read(&spec, given, sizeof spec, STRUCT_END(hml_random_spec, seed))) {
        return HML_INVALID_ARGUMENT;
    }
    if (!sensible(&spec)) return HML_INVALID_ARGUMENT;
    hml_rng rng;
    hml_rng_seed(&rng, spec.seed);
    hml_builder *b = hml_builder_new();
    if (!b) return HML_OUT_OF_MEMORY;
    hml_status status = fill(&spec, &rng, b);
    if (!status) status = hml_builder_build(b, 0, model, NULL);
    hml_builder_free(b);
    return status;
}
