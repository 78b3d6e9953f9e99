/*
 * MuJoCo as a contender: the robot as one of its specifications, and for every algorithm the stages of its pipeline
 * that compute the same, no more. Its free joint has the linear velocity in the world's axes and the angular one in the
 * body's: states are turned on the way in, results on the way out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "contender.h"

typedef struct robot {
    mjModel *m;
    mjData *d;
    size_t nq, nv;
    int floating;
    double *q, *v, *u, *a; /* states, theirs; a: ν̇ where that is given */
    double *M, *Minv, *identity, *A, *B, *next;
    double R[9], omega[3], linear[3]; /* of the first state: its base's attitude and twist, ours */
} robot;

/* ---- the model ---- */

static int add_body(mjSpec *spec, mjsBody *parent, const hml_body_info *b, const hml_joint_info *j, mjsBody **body)
{
    static const mjtJoint types[] = {[HML_JOINT_REVOLUTE] = mjJNT_HINGE,
                                     [HML_JOINT_PRISMATIC] = mjJNT_SLIDE,
                                     [HML_JOINT_SPHERICAL] = mjJNT_BALL,
                                     [HML_JOINT_FREE] = mjJNT_FREE};
    if (j->type != HML_JOINT_REVOLUTE && j->type != HML_JOINT_PRISMATIC && j->type != HML_JOINT_SPHERICAL &&
        j->type != HML_JOINT_FREE)
        return 0;
    *body = mjs_addBody(parent, NULL);
    mjs_setName((*body)->element, b->name);
    memcpy((*body)->pos, j->position, sizeof j->position);
    mju_mat2Quat((*body)->quat, j->rotation);
    (*body)->mass = b->mass;
    memcpy((*body)->ipos, b->com, sizeof b->com);
    const double *I = b->moment, full[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    memcpy((*body)->fullinertia, full, sizeof full);
    (*body)->explicitinertial = 1;
    mjsJoint *joint = mjs_addJoint(*body, NULL);
    mjs_setName(joint->element, j->name);
    joint->type = types[j->type];
    memcpy(joint->axis, j->axis, sizeof j->axis);
    memcpy(joint->pos, j->point, sizeof j->point);
    if (j->nv == 1) { /* inputs of its linearization: the joints of one coordinate */
        mjsActuator *motor = mjs_addActuator(spec, NULL);
        mjs_setToMotor(motor);
        motor->trntype = mjTRN_JOINT;
        mjs_setString(motor->target, j->name);
    }
    return 1;
}

static mjModel *model_of(const bench_robot *r)
{
    mjSpec *spec = mj_makeSpec();
    mjsBody **bodies = calloc(r->nbodies, sizeof(mjsBody *));
    mjModel *m = NULL;
    int ok = bodies != NULL;
    memcpy(spec->option.gravity, r->gravity, sizeof r->gravity);
    spec->option.timestep = 1e-3;
    spec->option.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    for (size_t i = 0; i < r->nbodies && ok; i++) {
        const int32_t p = r->bodies[i].parent;
        mjsBody *parent = p < 0 ? mjs_findBody(spec, "world") : bodies[p];
        ok = add_body(spec, parent, &r->bodies[i], &r->joints[i], &bodies[i]);
    }
    if (ok) m = mj_compile(spec, NULL); /* NULL: an inertia it does not believe */
    free(bodies);
    mj_deleteSpec(spec);
    return m;
}

/* ---- states ---- */

static void robot_close(void *self)
{
    robot *r = self;
    if (r->d) mj_deleteData(r->d);
    if (r->m) mj_deleteModel(r->m);
    free(r->q), free(r->v), free(r->u), free(r->a), free(r->M), free(r->Minv), free(r->identity), free(r->A);
    free(r->B), free(r->next), free(r);
}

/* a base's velocity, force and acceleration as MuJoCo has them; d/dt(R v) = R(v̇ + ω × v) */
static void turn_state(robot *r, size_t s)
{
    double R[9], cross[3], *v = r->v + s * r->nv, *u = r->u + s * r->nv, *a = r->a + s * r->nv;
    mju_quat2Mat(R, r->q + s * r->nq + 3);
    if (s == 0) {
        memcpy(r->R, R, sizeof R);
        memcpy(r->linear, v, sizeof r->linear);
        memcpy(r->omega, v + 3, sizeof r->omega);
    }
    mju_cross(cross, v + 3, v);
    for (int i = 0; i < 3; i++) a[i] += cross[i];
    mju_mulMatVec3(cross, R, v), memcpy(v, cross, sizeof cross);
    mju_mulMatVec3(cross, R, u), memcpy(u, cross, sizeof cross);
    mju_mulMatVec3(cross, R, a), memcpy(a, cross, sizeof cross);
}

static double *copy_of(const double *from, size_t n)
{
    double *to = malloc((n + 1) * sizeof *to);
    if (to) memcpy(to, from, n * sizeof *to);
    return to;
}

static void *robot_open(const bench_robot *ours)
{
    robot *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    const size_t nv = ours->nv, nq = ours->nq;
    r->nq = nq, r->nv = nv;
    r->m = model_of(ours);
    r->floating = ours->joints[0].type == HML_JOINT_FREE;
    r->q = copy_of(ours->q, BENCH_STATES * nq), r->v = copy_of(ours->v, BENCH_STATES * nv);
    r->u = copy_of(ours->u, BENCH_STATES * nv), r->a = copy_of(ours->u, BENCH_STATES * nv);
    r->M = calloc(nv * nv, sizeof(double)), r->Minv = calloc(nv * nv, sizeof(double));
    r->identity = calloc(nv * nv, sizeof(double)), r->next = calloc(nq, sizeof(double));
    r->A = calloc(4 * nv * nv, sizeof(double)), r->B = calloc(2 * nv * nv, sizeof(double));
    if (r->m) r->d = mj_makeData(r->m);
    if (!r->d || (size_t)r->m->nv != nv || (size_t)r->m->nq != nq || !r->q || !r->v || !r->u || !r->a || !r->M ||
        !r->Minv || !r->identity || !r->A || !r->B || !r->next) {
        robot_close(r);
        return NULL;
    }
    for (size_t i = 0; i < nv; i++) r->identity[i * nv + i] = 1;
    for (size_t s = 0; s < BENCH_STATES && r->floating; s++) turn_state(r, s);
    return r;
}

/* ---- calls ---- */

static void mass_matrix(robot *r)
{
    mj_kinematics(r->m, r->d);
    mj_comPos(r->m, r->d);
    mj_makeM(r->m, r->d);
}

static int call(robot *r, bench_algorithm algorithm, size_t s)
{
    mjModel *m = r->m;
    mjData *d = r->d;
    const size_t nv = r->nv;
    memcpy(d->qpos, r->q + s * r->nq, r->nq * sizeof(double));
    memcpy(d->qvel, r->v + s * nv, nv * sizeof(double));
    switch (algorithm) {
    case BENCH_LINEARIZE:
        memcpy(d->qfrc_applied, r->u + s * nv, nv * sizeof(double));
        mjd_transitionFD(m, d, 1e-6, 0, r->A, r->B, NULL, NULL);
        return 1;
    case BENCH_INVERSE_DYNAMICS:
        memcpy(d->qacc, r->a + s * nv, nv * sizeof(double));
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 1, r->M);
        return 1;
    case BENCH_FORWARD_DYNAMICS:
        mass_matrix(r);
        mj_factorM(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 0, d->qfrc_bias);
        for (size_t i = 0; i < nv; i++) d->qfrc_smooth[i] = r->u[s * nv + i] - d->qfrc_bias[i];
        mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
        return 1;
    case BENCH_MASS_MATRIX: mass_matrix(r); return 1;
    case BENCH_INVERSE_MASS_MATRIX:
        mass_matrix(r);
        mj_factorM(m, d);
        mj_solveM(m, d, r->Minv, r->identity, (int)nv);
        return 1;
    case BENCH_KINEMATICS: mj_kinematics(m, d); return 1;
    case BENCH_JACOBIANS: /* cdof: all columns, about the centre of mass of the tree */
        mj_kinematics(m, d);
        mj_comPos(m, d);
        return 1;
    case BENCH_INTEGRATE:
        memcpy(r->next, r->q + s * r->nq, r->nq * sizeof(double));
        mj_integratePos(m, r->next, d->qvel, 1);
        return 1;
    default: return 0;
    }
}

static size_t run(void *self, bench_algorithm algorithm, size_t states)
{
    for (size_t k = 0; k < states; k++) {
        if (!call(self, algorithm, k % BENCH_STATES)) return 0;
    }
    return states;
}

/* ---- results ---- */

/* X of split coordinates to left ones: Tᵀ X T for M, T⁻¹ X T⁻ᵀ for M⁻¹, and both are with R, block by block */
static void turn_matrix(const robot *r, const double *X, double *out)
{
    const size_t n = r->nv;
    memcpy(out, X, n * n * sizeof *out);
    for (size_t i = 0; i < n && r->floating; i++) {
        double x[3];
        for (size_t k = 0; k < 3; k++) x[k] = out[i * n + k];
        for (size_t k = 0; k < 3; k++) out[i * n + k] = r->R[k] * x[0] + r->R[3 + k] * x[1] + r->R[6 + k] * x[2];
    }
    for (size_t i = 0; i < n && r->floating; i++) {
        double x[3];
        for (size_t k = 0; k < 3; k++) x[k] = out[k * n + i];
        for (size_t k = 0; k < 3; k++) out[k * n + i] = r->R[k] * x[0] + r->R[3 + k] * x[1] + r->R[6 + k] * x[2];
    }
}

static int result(void *self, bench_algorithm algorithm, double *out)
{
    robot *r = self;
    double cross[3], turned[3];
    switch (algorithm) {
    case BENCH_INVERSE_DYNAMICS:
        memcpy(out, r->M, r->nv * sizeof *out);
        if (r->floating) mju_mulMatTVec3(turned, r->R, r->M), memcpy(out, turned, sizeof turned);
        return 1;
    case BENCH_FORWARD_DYNAMICS:
        memcpy(out, r->d->qacc, r->nv * sizeof *out);
        if (!r->floating) return 1;
        mju_mulMatTVec3(turned, r->R, r->d->qacc);
        mju_cross(cross, r->omega, r->linear);
        for (int i = 0; i < 3; i++) out[i] = turned[i] - cross[i];
        return 1;
    case BENCH_MASS_MATRIX:
        mj_fullM(r->m, r->d, r->M);
        turn_matrix(r, r->M, out);
        return 1;
    case BENCH_INVERSE_MASS_MATRIX: turn_matrix(r, r->Minv, out); return 1;
    case BENCH_KINEMATICS:
        for (int i = 1; i < r->m->nbody; i++, out += 12) {
            memcpy(out, r->d->xmat + 9 * i, 9 * sizeof *out);
            memcpy(out + 9, r->d->xpos + 3 * i, 3 * sizeof *out);
        }
        return 1;
    default: return 0;
    }
}

/* without one it writes a log file where it stands */
static void ignore(const char *warning) { (void)warning; }

const bench_contender *bench_peer(void)
{
    static char build[64];
    static const bench_contender contender = {"mujoco", build, robot_open, run, result, robot_close};
    mju_user_warning = ignore;
    snprintf(build, sizeof build, "MuJoCo %s, as shipped", mj_versionString());
    return &contender;
}
