/*
 * How exact the dynamics of long robots is: functions of the library that cost O(n), on chains and trees of up to
 * 10,000 bodies, against Newton-Euler in 113 bits. The reference is the recursion in the bodies' frames, written here;
 * it shares the joints' poses and columns with the library.
 *
 *   accuracy_recursive          prints the page docs/accuracy/recursive.md
 *   accuracy_recursive quick    2,000 bodies; both fail if a bound does not hold
 *
 * Inputs are taken as exact; a NaN is an infinite error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/random.h"
#include "hamel/reference/textbook.h"
#include "oracle.h"

enum { LEFT, RIGHT, MIXED, SPLIT, FAST, RESIDUAL, RETURN, POSE, MOMENTUM, ROWS };

/* a bound is for 2,000 bodies; it grows with the square of their number: velocities and forces add up, and errors */
typedef struct row {
    const char *what;
    double bound[2]; /* chain, tree */
} row;

static const row table[ROWS] = {
    [LEFT] = {"`hml_rnea`, left", {1e-13, 1e-14}},
    [RIGHT] = {"`hml_rnea`, right", {1e-13, 1e-14}},
    [MIXED] = {"`hml_rnea`, mixed", {1e-13, 1e-14}},
    [SPLIT] = {"`hml_rnea`, split", {1e-13, 1e-14}},
    [FAST] = {"`hml_inverse_dynamics`", {1e-13, 1e-14}},
    [RESIDUAL] = {"`hml_aba`: forces its ν̇ needs", {1e-13, 1e-14}},
    [RETURN] = {"`hml_aba`: ν̇ again from its τ", {1e-5, 1e-11}},
    [POSE] = {"`hml_body_poses`", {1e-13, 1e-14}},
    [MOMENTUM] = {"`hml_centroidal`, momentum", {1e-13, 1e-14}},
};

static void *need(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) exit(2);
    return p;
}

/* ---- the reference ---- */

typedef struct link {
    pose X, H;
    twist S[6], v, a;
    inertia I;
    wrench f;
} link;

typedef struct robot {
    hml_model *model;
    size_t n, nv;
    double *q, *v, *a, *tau, *H, *result;
    num *exact; /* tau */
    link *links;
    num momentum[6]; /* linear; angular about the centre of mass; world's axes */
} robot;

/* r->exact = inverse dynamics of q, v, a in 113 bits; poses and momentum besides */
static void reference(robot *r, const double *a)
{
    const model_body *m = model_bodies(r->model);
    vec3 g = oracle_vec3(r->model->gravity), first = vec3_zero();
    wrench total = wrench_zero();
    num mass = K(0);
    for (size_t i = 0; i < r->n; i++) {
        link *l = &r->links[i];
        vec3 axis = oracle_vec3(m[i].axis), point = oracle_vec3(m[i].point);
        const link *up = m[i].parent < 0 ? NULL : &r->links[m[i].parent];
        num q[HML_JOINT_MAX_NQ];
        for (int k = 0; k < m[i].nq; k++) q[k] = K(r->q[m[i].q + k]);
        if (m[i].type == HML_JOINT_FREE) quat_put(quat_normalize(quat_at(q + 3)), q + 3);
        pose origin = pose_of(oracle_mat3(m[i].R), oracle_vec3(m[i].p));
        l->X = pose_mul(origin, joint_pose(m[i].type, axis, point, K(m[i].pitch), q));
        l->H = up ? pose_mul(up->H, l->X) : l->X;
        joint_columns(m[i].type, axis, point, K(m[i].pitch), l->S);
        l->I = oracle_inertia(&m[i]);
        twist vJ = twist_zero(), aJ = twist_zero();
        for (int k = 0; k < m[i].nv; k++) {
            vJ = twist_axpy(K(r->v[m[i].v + k]), l->S[k], vJ);
            aJ = twist_axpy(K(a[m[i].v + k]), l->S[k], aJ);
        }
        l->v = twist_add(pose_ad_inverse(l->X, up ? up->v : twist_zero()), vJ);
        l->a = pose_ad_inverse(l->X, up ? up->a : twist_of(vec3_neg(g), vec3_zero()));
        l->a = twist_add(l->a, twist_add(aJ, twist_cross(l->v, vJ)));
        wrench p = inertia_mul(l->I, l->v);
        l->f = wrench_add(inertia_mul(l->I, l->a), twist_cross_dual(l->v, p));
        total = wrench_add(total, pose_ad_dual(l->H, p));
        first = vec3_add(first, vec3_axpy(l->I.m, l->H.p, mat3_mul_vec(l->H.R, l->I.h)));
        mass += l->I.m;
    }
    for (size_t i = r->n; i-- > 0;) {
        const link *l = &r->links[i];
        for (int k = 0; k < m[i].nv; k++) r->exact[m[i].v + k] = wrench_dot(l->f, l->S[k]);
        if (m[i].parent < 0) continue;
        link *up = &r->links[m[i].parent];
        up->f = wrench_add(up->f, pose_ad_dual(l->X, l->f));
    }
    total.t = vec3_sub(total.t, vec3_scale(K(1) / mass, vec3_cross(first, total.f)));
    const num momentum[6] = {total.f.x, total.f.y, total.f.z, total.t.x, total.t.y, total.t.z};
    memcpy(r->momentum, momentum, sizeof momentum);
}

/* ---- errors ---- */

/* the largest difference against the largest number of y */
static double off(size_t n, const double *x, const num *y)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)(K(x[i]) - y[i])), s = fabs((double)y[i]);
        if (!(d <= most)) most = isnan(d) ? INFINITY : d;
        size = fmax(size, s);
    }
    return most / size;
}

/* entries of rotations are judged against 1, positions against the largest of them */
static double poses_off(const robot *r)
{
    double turned = 0, moved = 0, size = 0;
    for (size_t i = 0; i < r->n; i++) {
        const pose *H = &r->links[i].H;
        const double *x = r->H + 16 * i;
        const num R[9] = {H->R.x.x, H->R.y.x, H->R.z.x, H->R.x.y, H->R.y.y, H->R.z.y, H->R.x.z, H->R.y.z, H->R.z.z};
        const num p[3] = {H->p.x, H->p.y, H->p.z};
        for (int k = 0; k < 9; k++) turned = fmax(turned, fabs((double)(K(x[4 * (k / 3) + k % 3]) - R[k])));
        for (int k = 0; k < 3; k++) {
            moved = fmax(moved, fabs((double)(K(x[4 * k + 3]) - p[k])));
            size = fmax(size, fabs((double)p[k]));
        }
    }
    return fmax(turned, moved / size);
}

static int measure(hml_random_shape shape, int32_t n, double error[ROWS])
{
    hml_random_spec spec;
    hml_rng rng;
    hml_work *work;
    robot r = {.n = (size_t)n};
    hml_random_spec_init(&spec);
    spec.nbodies = n, spec.shape = shape, spec.branches = 2;
    if (hml_model_random(&spec, &r.model) || hml_work_new(r.model, HML_ISA_BEST, HML_USE_TREE, &work)) return 1;
    r.nv = (size_t)hml_model_nv(r.model);
    r.q = need((size_t)hml_model_nq(r.model), sizeof *r.q);
    r.v = need(r.nv, sizeof *r.v), r.a = need(r.nv, sizeof *r.a), r.tau = need(r.nv, sizeof *r.tau);
    r.result = need(r.nv, sizeof *r.result), r.exact = need(r.nv, sizeof *r.exact);
    r.H = need(r.n, 16 * sizeof *r.H), r.links = need(r.n, sizeof *r.links);
    void *scratch = need(1, hml_recursive_size(r.model));
    hml_rng_seed(&rng, 5);
    hml_status status = hml_configuration_random(r.model, &rng, r.q);
    for (size_t i = 0; i < r.nv; i++) r.v[i] = hml_rng_uniform(&rng, -1, 1), r.a[i] = hml_rng_uniform(&rng, -1, 1);

    reference(&r, r.a);
    for (int form = HML_LEFT; form <= HML_SPLIT && !status; form++) {
        status = hml_rnea(r.model, scratch, (hml_representation)form, r.q, r.v, r.a, NULL, r.result);
        error[LEFT + form] = off(r.nv, r.result, r.exact);
    }
    if (!status) status = hml_inverse_dynamics(r.model, work, r.q, r.v, r.a, NULL, r.result);
    error[FAST] = off(r.nv, r.result, r.exact);
    if (!status) status = hml_body_poses(r.model, work, r.q, r.H);
    error[POSE] = poses_off(&r);
    double momentum[6];
    hml_centroidal_motion motion = {.struct_size = sizeof motion, .momentum = momentum};
    if (!status) status = hml_centroidal(r.model, work, r.q, r.v, NULL, &motion);
    error[MOMENTUM] = off(6, momentum, r.momentum);

    for (size_t i = 0; i < r.nv; i++) r.tau[i] = (double)r.exact[i];
    if (!status) status = hml_aba(r.model, scratch, r.q, r.v, r.tau, NULL, r.result);
    for (size_t i = 0; i < r.nv; i++) r.exact[i] = K(r.a[i]);
    error[RETURN] = off(r.nv, r.result, r.exact);
    reference(&r, r.result);
    error[RESIDUAL] = off(r.nv, r.tau, r.exact);

    free(r.q), free(r.v), free(r.a), free(r.tau), free(r.result), free(r.exact), free(r.H), free(r.links);
    free(scratch);
    hml_work_free(work);
    hml_model_free(r.model);
    return status != HML_OK;
}

int main(int argc, char **argv)
{
    static const hml_random_shape shapes[2] = {HML_RANDOM_CHAIN, HML_RANDOM_BUSHY};
    static const int32_t all[] = {10, 100, 1000, 10000}, few[] = {2000};
    int quick = argc > 1 && strcmp(argv[1], "quick") == 0, broken = 0, columns = quick ? 1 : 4;
    const int32_t *sizes = quick ? few : all;
    double error[2][4][ROWS];
    for (int s = 0; s < 2; s++) {
        for (int c = 0; c < columns; c++) {
            if (measure(shapes[s], sizes[c], error[s][c])) return 2;
        }
    }
    printf("# How exact the dynamics of long robots is\n\n"
           "Largest error against Newton-Euler in 113 bits, relative to the largest number of the result. Free base, "
           "revolute joints,\nvelocities and accelerations up to 1. A tree has two children a body. Printed by "
           "`accuracy_recursive`.\n\n| |");
    for (int s = 0; s < 2; s++) {
        for (int c = 0; c < columns; c++) printf(" %s, %d |", s ? "tree" : "chain", sizes[c]);
    }
    printf("\n| --- |");
    for (int c = 0; c < 2 * columns; c++) printf(" --: |");
    for (int k = 0; k < ROWS; k++) {
        printf("\n| %s |", table[k].what);
        for (int c = 0; c < 2 * columns; c++) printf(" %.1e |", error[c / columns][c % columns][k]);
    }
    printf("\n\n`hml_aba` gets the τ that the reference needs for ν̇, rounded. The forces its answer needs are near "
           "that τ;\n"
           "how near its answer is to ν̇ is a matter of the robot: M of a long chain is badly conditioned.\n");
    for (int i = 0; i < 2 * columns * ROWS; i++) {
        int s = i / ROWS / columns, c = i / ROWS % columns, k = i % ROWS;
        double bound = table[k].bound[s] * fmax(1, sizes[c] / 2000.0) * fmax(1, sizes[c] / 2000.0);
        if (error[s][c][k] <= bound) continue;
        fprintf(stderr, "%s, %d bodies: %g exceeds %g\n", table[k].what, sizes[c], error[s][c][k], bound);
        broken = 1;
    }
    return broken;
}
