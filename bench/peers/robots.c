/* Robots for the dynamics benchmark: from files, from the library, and made for the purpose. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "hamel/io.h"
#include "measure.h"

void robot_close(bench_robot *r)
{
    hml_model_free((hml_model *)r->model); /* it was ours all along */
    free(r->bodies), free(r->joints), free(r->q), free(r->v), free(r->u);
    free(r->wrenches);
    *r = (bench_robot){0};
}

/* within the limits, and within half a turn: a rotor's limits are no place to be */
static hml_status random_state(const bench_robot *r, hml_rng *rng, double *q)
{
    const double half = 3.14159265358979;
    const hml_status status = hml_configuration_random(r->model, rng, q);
    for (size_t i = 0; i < r->nbodies; i++) {
        const hml_joint_info *j = &r->joints[i];
        if (j->nq == 1) q[j->q] = hml_rng_uniform(rng, fmax(j->lower[0], -half), fmin(j->upper[0], half));
    }
    return status;
}

/* the frame on a body that is farthest from its origin: where a URDF has its foot or hand */
static bench_foot end_of(const hml_model *m, size_t body)
{
    bench_foot foot = {.body = body, .frame = (int32_t)body};
    double farthest = 0;
    for (int32_t i = 0; i < hml_model_nframes(m); i++) {
        hml_frame_info f = {.struct_size = sizeof f};
        if (hml_model_frame(m, i, &f) || f.body != (int32_t)body) continue;
        const double *p = f.position, far = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        if (far <= farthest) continue;
        farthest = far, foot.frame = i;
        memcpy(foot.position, p, sizeof foot.position);
    }
    return foot;
}

/* the height of every body at rest, or NULL */
static double *heights(const bench_robot *r)
{
    double *z = calloc(r->nbodies * 17 + r->nq, sizeof *z), *poses = z + r->nbodies, *q = poses + 16 * r->nbodies;
    hml_work *work = NULL;
    int bad = !z || hml_configuration_neutral(r->model, q) ||
              hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &work) || hml_body_poses(r->model, work, q, poses);
    for (size_t i = 0; i < r->nbodies && !bad; i++) z[i] = poses[16 * i + 11];
    hml_work_free(work);
    if (!bad) return z;
    free(z);
    return NULL;
}

/*
 * Limbs with three joints or more on a free base that end in the lowest quarter of the robot, as it stands in its
 * neutral configuration: its feet. A limb with six joints or more can hold its foot in all directions: six rows.
 */
static void find_feet(bench_robot *r)
{
    double low = INFINITY, high = -INFINITY, *z = r->joints[0].type == HML_JOINT_FREE ? heights(r) : NULL;
    for (size_t i = 0; z && i < r->nbodies; i++) low = fmin(low, z[i]), high = fmax(high, z[i]);
    for (size_t i = 1; z && i < r->nbodies && r->nfeet < BENCH_FEET; i++) {
        int leaf = 1, joints = 0;
        for (size_t k = i + 1; k < r->nbodies; k++) leaf &= r->bodies[k].parent != (int32_t)i;
        for (int32_t k = (int32_t)i; k > 0; k = r->bodies[k].parent) joints += r->joints[k].nv;
        if (!leaf || joints < 3 || z[i] > low + 0.25 * (high - low)) continue;
        r->feet[r->nfeet] = end_of(r->model, i);
        r->feet[r->nfeet++].rows = joints >= 6 ? 6 : 3;
    }
    free(z);
}

/* what the peers are told, and states */
static int describe(bench_robot *r)
{
    const hml_model *m = r->model;
    r->nbodies = (size_t)hml_model_nbodies(m), r->nq = (size_t)hml_model_nq(m), r->nv = (size_t)hml_model_nv(m);
    r->bodies = calloc(r->nbodies, sizeof *r->bodies);
    r->joints = calloc(r->nbodies, sizeof *r->joints);
    r->q = calloc(BENCH_STATES * r->nq, sizeof *r->q);
    r->v = calloc(BENCH_STATES * r->nv, sizeof *r->v);
    r->u = calloc(BENCH_STATES * r->nv, sizeof *r->u);
    r->wrenches = calloc(6 * r->nbodies, sizeof *r->wrenches);
    if (!r->bodies || !r->joints || !r->q || !r->v || !r->u || !r->wrenches) return 0;
    hml_model_gravity(m, r->gravity);
    for (size_t i = 0; i < r->nbodies; i++) {
        r->bodies[i].struct_size = sizeof *r->bodies, r->joints[i].struct_size = sizeof *r->joints;
        if (hml_model_body(m, (int32_t)i, &r->bodies[i])) return 0;
        if (hml_model_joint(m, r->bodies[i].joint, &r->joints[i])) return 0;
    }
    find_feet(r);
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    for (size_t s = 0; s < BENCH_STATES; s++) {
        if (random_state(r, &rng, r->q + s * r->nq)) return 0;
        for (size_t i = 0; i < r->nv; i++) {
            r->v[s * r->nv + i] = hml_rng_uniform(&rng, -1, 1);
            r->u[s * r->nv + i] = hml_rng_uniform(&rng, -1, 1);
        }
    }
    for (size_t i = 0; i < 6 * r->nbodies; i++) r->wrenches[i] = hml_rng_uniform(&rng, -1, 1);
    return 1;
}

static int take(bench_robot *r, const char *name, hml_isa isa, hml_model *model)
{
    *r = (bench_robot){.model = model, .isa = isa};
    snprintf(r->name, sizeof r->name, "%s", name);
    if (describe(r)) return 1;
    fprintf(stderr, "peer_dynamics: %s: out of memory\n", name);
    robot_close(r);
    return 0;
}

int robot_load(const char *text, hml_isa isa, bench_robot *r)
{
    hml_load_options options;
    hml_model *model = NULL;
    hml_error error = {0};
    char name[64] = "", base[8] = "", path[1024] = "";
    hml_load_options_init(&options);
    options.build = HML_BUILD_MIMIC_INDEPENDENT | HML_BUILD_NO_PASSIVE;
    if (sscanf(text, "%63[^,],%7[^,],%1023[^\n]", name, base, path) == 3) {
        options.base = strcmp(base, "free") ? HML_BASE_FIXED : HML_BASE_FREE;
        hml_load(path, &options, &model, &error);
    } else {
        hml_load_builtin(name, &options, &model, &error);
    }
    if (model) return take(r, name, isa, model);
    fprintf(stderr, "peer_dynamics: %s: %s\n", text, error.message);
    return 0;
}

/* a box with a side of about 0.3 m, turned at random, on a joint whose axis is x, y, z or any other with equal chance
 */
static hml_status add_body(hml_builder *builder, hml_rng *rng, int index, int parent, hml_error *error)
{
    hml_joint_spec joint;
    hml_inertia_spec inertia = {.mass = hml_rng_uniform(rng, 0.5, 1.5)};
    double quaternion[4], R[9], side[3];
    char name[32], above[32], joint_name[32];
    snprintf(name, sizeof name, "body%d", index);
    snprintf(above, sizeof above, "body%d", parent);
    snprintf(joint_name, sizeof joint_name, "joint%d", index);
    hml_joint_spec_init(&joint, parent < 0 ? HML_JOINT_FREE : HML_JOINT_REVOLUTE);
    joint.name = joint_name;
    const int32_t axis = hml_rng_below(rng, 4);
    for (int k = 0; k < 3 && parent >= 0; k++) {
        joint.axis[k] = axis < 3 ? (k == axis) : hml_rng_uniform(rng, 0.1, 1);
        joint.position[k] = hml_rng_uniform(rng, -0.3, 0.3);
    }
    for (int k = 0; k < 3; k++) side[k] = hml_rng_uniform(rng, 0.1, 0.4);
    for (int k = 0; k < 3; k++) inertia.com[k] = hml_rng_uniform(rng, -0.1, 0.1);
    hml_rng_quaternion(rng, quaternion);
    hml_quat_to_matrix(quaternion, R);
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            const double others = side[(k + 1) % 3] * side[(k + 1) % 3] + side[(k + 2) % 3] * side[(k + 2) % 3];
            inertia.moment[i] += inertia.mass / 12 * R[3 * (i / 3) + k] * others * R[3 * (i % 3) + k];
        }
    }
    return hml_builder_add_body(builder, name, parent < 0 ? NULL : above, &joint, &inertia, error);
}

int robot_random(const char *shape, int joints, hml_isa isa, const char *folder, bench_robot *r)
{
    enum { LEGS = 4 };
    const int legs = strcmp(shape, "chain") ? LEGS : 1;
    hml_builder *builder = hml_builder_new();
    hml_model *model = NULL;
    hml_error error = {0};
    hml_rng rng;
    char name[64], path[1100];
    hml_status status = builder ? HML_OK : HML_OUT_OF_MEMORY;
    hml_rng_seed(&rng, 1);
    for (int i = 0; i <= joints && !status; i++) {
        const int parent = i == 0 ? -1 : i <= legs ? 0 : i - legs;
        status = add_body(builder, &rng, i, parent, &error);
    }
    if (!status) status = hml_builder_build(builder, 0, &model, &error);
    hml_builder_free(builder);
    snprintf(name, sizeof name, "%s-%d", shape, joints);
    snprintf(path, sizeof path, "%s/%s.urdf", folder, name);
    if (!status) status = hml_save_urdf(model, path, &error);
    if (!status) return take(r, name, isa, model);
    fprintf(stderr, "peer_dynamics: %s: %s\n", name, error.message);
    hml_model_free(model);
    return 0;
}
