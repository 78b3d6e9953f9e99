/* Random numbers, states and trees for tests: seeded, the same on every machine. */
#ifndef HAMEL_TESTS_DRAW_H
#define HAMEL_TESTS_DRAW_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "hamel/model.h"
#include "model/model.h"

/* uniform in [−1, 1) (splitmix64) */
static double draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static void draw_rotation(uint64_t *state, double R[9])
{
    double w = draw(state), x = draw(state), y = draw(state), z = draw(state), n = sqrt(w * w + x * x + y * y + z * z);
    w /= n, x /= n, y /= n, z /= n;
    const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++) R[i] = out[i];
}

/* mass, com and a moment that some mass distribution has */
static void draw_inertia(uint64_t *state, hml_inertia_spec *I)
{
    double R[9], d[3], a = 0.2 + fabs(draw(state)), b = 0.2 + fabs(draw(state)), c = 0.2 + fabs(draw(state));
    draw_rotation(state, R);
    I->mass = 0.5 + fabs(draw(state));
    d[0] = I->mass * (b * b + c * c) / 3, d[1] = I->mass * (a * a + c * c) / 3, d[2] = I->mass * (a * a + b * b) / 3;
    for (int r = 0; r < 3; r++) {
        I->com[r] = 0.3 * draw(state);
        for (int k = 0; k < 3; k++) {
            I->moment[3 * r + k] =
                R[3 * r] * d[0] * R[3 * k] + R[3 * r + 1] * d[1] * R[3 * k + 1] + R[3 * r + 2] * d[2] * R[3 * k + 2];
        }
    }
}

typedef struct draw_tree_spec {
    int nbodies;
    hml_joint_type root;  /* of the first body; others on the world only if forest */
    int forest;           /* 1: some bodies hang on the world */
    int one_dof;          /* 1: only joints of one coordinate below the root */
    int passive;          /* 1: armature, damping and springs everywhere */
    int points;           /* 1: axes and centres away from the frames' origins */
    const hml_loop *loop; /* or NULL: ties the last body to the first one */
} draw_tree_spec;

/* every kind of root and of joint below it */
static const draw_tree_spec robot_specs[] = {
    {.nbodies = 1, .root = HML_JOINT_FREE},
    {.nbodies = 5, .root = HML_JOINT_REVOLUTE, .one_dof = 1},
    {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1},
    {.nbodies = 12, .root = HML_JOINT_FREE, .points = 1},
    {.nbodies = 12, .root = HML_JOINT_PLANAR, .points = 1},
    {.nbodies = 12, .root = HML_JOINT_SPHERICAL},
    {.nbodies = 12, .root = HML_JOINT_SCHOENFLIES, .forest = 1, .points = 1},
    {.nbodies = 10, .root = HML_JOINT_FREE, .passive = 1, .points = 1},
    {.nbodies = 10, .root = HML_JOINT_HELICAL, .passive = 1, .forest = 1},
};
enum { ROBOT_SPECS = sizeof robot_specs / sizeof *robot_specs };

/* a random tree with joints of every type; NULL on failure */
static inline hml_model *draw_tree(uint64_t *state, const draw_tree_spec *spec)
{
    static const hml_joint_type simple[] = {HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, HML_JOINT_HELICAL};
    static const hml_joint_type all[] = {HML_JOINT_REVOLUTE,     HML_JOINT_PRISMATIC, HML_JOINT_HELICAL,
                                         HML_JOINT_CYLINDRICAL,  HML_JOINT_UNIVERSAL, HML_JOINT_PLANAR,
                                         HML_JOINT_TRANSLATION2, HML_JOINT_SPHERICAL, HML_JOINT_TRANSLATION3,
                                         HML_JOINT_SCHOENFLIES,  HML_JOINT_FREE,      HML_JOINT_REVOLUTE};
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    for (int i = 0; i < spec->nbodies; i++) {
        char name[32], parent[32], joint[32];
        hml_joint_spec j;
        hml_inertia_spec I;
        double pick = (draw(state) + 1) / 2;
        hml_joint_type type = i == 0 ? spec->root : spec->one_dof ? simple[(int)(pick * 3)] : all[(int)(pick * 12)];
        int up = i - 1 - (int)((draw(state) + 1) / 2 * (i < 3 ? i : 3)); /* near the last: long and branching */
        if (up < 0) up = 0;
        snprintf(name, sizeof name, "b%d", i);
        snprintf(parent, sizeof parent, "b%d", up);
        snprintf(joint, sizeof joint, "j%d", i);
        hml_joint_spec_init(&j, type);
        j.name = joint;
        for (int k = 0; k < 3; k++) {
            j.position[k] = 0.5 * draw(state);
            j.axis[k] = draw(state), j.axis2[k] = draw(state);
            if (spec->points && type != HML_JOINT_FREE) j.point[k] = 0.4 * draw(state);
        }
        draw_rotation(state, j.rotation);
        j.pitch = 0.3 * draw(state);
        for (int k = 0; spec->passive && k < HML_JOINT_MAX_NV; k++) {
            j.armature[k] = 0.1 * fabs(draw(state));
            j.damping[k] = fabs(draw(state));
            j.stiffness[k] = 5 * fabs(draw(state));
        }
        draw_inertia(state, &I);
        int on_world = i == 0 || (spec->forest && draw(state) > 0.6);
        if (hml_builder_add_body(b, name, on_world ? NULL : parent, &j, &I, NULL)) break;
    }
    hml_error error = {0};
    if (spec->loop) {
        char last[32];
        snprintf(last, sizeof last, "b%d", spec->nbodies - 1);
        if (hml_builder_add_loop(b, "loop", last, "b0", spec->loop, &error)) printf("draw_tree: %s\n", error.message);
    }
    if (hml_builder_build(b, 0, &m, &error)) printf("draw_tree: %s\n", error.message);
    hml_builder_free(b);
    return m;
}

/* a configuration of the tree: quaternions unit, the rest in [−range, range] */
static inline void draw_configuration(uint64_t *state, const hml_model *m, double range, double *q)
{
    const model_body *b = model_bodies(m);
    for (int i = 0; i < m->nbodies; i++) {
        double *x = &q[b[i].q];
        for (int k = 0; k < b[i].nq; k++) x[k] = range * draw(state);
        if (b[i].type != HML_JOINT_SPHERICAL && b[i].type != HML_JOINT_FREE) continue;
        double *r = b[i].type == HML_JOINT_FREE ? x + 3 : x, n = 0;
        for (int k = 0; k < 4; k++) r[k] = draw(state), n += r[k] * r[k];
        for (int k = 0; k < 4; k++) r[k] /= sqrt(n);
    }
}

#endif
