/*
 * A robot, what holds and drives it, and its trim; checked by functions that hml_trim does not use: constrained forward
 * dynamics give no acceleration, and an integrated motion stays where it is.
 */
#ifndef HML_TESTS_TRIM_CHECK_H
#define HML_TESTS_TRIM_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/hamel.h"
#include "hamel/io.h"

#define OK(call) assert_int_equal(call, HML_OK)

enum { MOST = 48, HOLDS = 8, THRUSTERS = 4 };

typedef struct stage {
    hml_model *model;
    hml_work *work;
    int nq, nv, m;
    hml_constraint items[HOLDS];
    hml_constraints holds;
    double friction[HOLDS];
    hml_thruster thrusters[THRUSTERS];
    int free[MOST], actuated[MOST];
    double guess[MOST], v[MOST], q[MOST], tau[MOST], lambda[MOST], thrust[THRUSTERS], residual[MOST];
    hml_trim_report report;
    hml_trim_problem problem;
    hml_error error;
} stage;

static inline stage open_stage(const char *robot)
{
    stage s = {0};
    hml_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/robots/%s.json", HAMEL_SOURCE_DIR, robot);
    if (hml_load(path, NULL, &s.model, &error)) fail_msg("%s", error.message);
    OK(hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work));
    s.nq = hml_model_nq(s.model), s.nv = hml_model_nv(s.model);
    assert_true(s.nq <= MOST && s.nv <= MOST);
    OK(hml_configuration_neutral(s.model, s.guess));
    return s;
}

static inline void close_stage(stage *s)
{
    hml_work_free(s->work);
    hml_model_free(s->model);
}

static inline hml_joint_info joint(const stage *s, const char *name)
{
    hml_joint_info info = {.struct_size = sizeof info};
    int32_t index = hml_model_find_joint(s->model, name);
    assert_true(index >= 0);
    OK(hml_model_joint(s->model, index, &info));
    return info;
}

static inline void bend(stage *s, const char *name, double angle) { s->guess[joint(s, name).q] = angle; }

static inline void add_hold(stage *s, hml_constraint_kind kind, const char *frame, double friction)
{
    hml_constraint *c = &s->items[s->holds.count];
    *c = (hml_constraint){.kind = kind, .frame = hml_model_find_frame(s->model, frame), .normal = {0, 0, 1}};
    assert_true(c->frame >= 0);
    s->friction[s->holds.count++] = friction;
}

/* what the problem points at */
static inline void prepare(stage *s)
{
    s->holds.struct_size = sizeof s->holds;
    s->holds.items = s->items;
    s->m = hml_constraint_rows(&s->holds);
    s->report = (hml_trim_report){.struct_size = sizeof s->report};
    hml_trim_problem *p = &s->problem;
    p->struct_size = sizeof *p;
    p->guess = s->guess, p->v = s->v, p->holds = &s->holds, p->friction = s->friction;
    p->q = s->q, p->tau = s->tau, p->lambda = s->lambda, p->thrust = s->thrust, p->residual = s->residual;
    p->report = &s->report;
}

static inline hml_status trim(stage *s)
{
    prepare(s);
    hml_trim_problem *p = &s->problem;
    const size_t doubles = hml_trim_scratch_doubles(s->model, p);
    assert_true(doubles > 0);
    double *scratch = malloc(doubles * sizeof *scratch); /* exactly: a sanitizer sees what is written behind */
    hml_status status = hml_trim(s->model, s->work, p, scratch, &s->error);
    free(scratch);
    return status;
}

/* ---- what shares no code with it ---- */

static inline void accelerate(const stage *s, const double *q, const double *v, double *scratch, double *a)
{
    double wrenches[6 * MOST] = {0};
    for (int t = 0; t < s->problem.nthrusters; t++) {
        double F[6];
        for (int k = 0; k < 6; k++) F[k] = s->thrust[t] * s->thrusters[t].wrench[k];
        OK(hml_wrench_add(s->model, s->work, q, s->thrusters[t].frame, 0, F, wrenches));
    }
    OK(hml_constrained_forward_dynamics(
        s->model, s->work, &s->holds, scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = s->tau, .wrenches = wrenches, .acceleration = a)));
}

/* 0.1 s by the midpoint rule: accelerations stay zero, held frames stay, the velocity stays */
static inline void check_rest(const stage *s, double tolerance)
{
    double *scratch = malloc(hml_constraint_scratch_doubles(s->model, &s->holds) * sizeof *scratch);
    double q[MOST], v[MOST], half[MOST], z[MOST], a[MOST];
    const double h = 1e-3;
    memcpy(q, s->q, sizeof q);
    memcpy(v, s->v, sizeof v);
    for (int step = 0; step < 100; step++) {
        accelerate(s, q, v, scratch, a);
        for (int i = 0; i < s->nv; i++) {
            if (step == 0) assert_true(fabs(a[i]) <= tolerance);
            z[i] = 0.5 * h * v[i];
            v[i] += 0.5 * h * a[i];
        }
        OK(hml_configuration_integrate(s->model, q, z, half));
        accelerate(s, half, v, scratch, a);
        for (int i = 0; i < s->nv; i++) z[i] = h * v[i], v[i] += 0.5 * h * a[i];
        OK(hml_configuration_integrate(s->model, q, z, q));
    }
    for (int i = 0; i < s->nv; i++) assert_true(fabs(v[i] - s->v[i]) <= 10 * tolerance);
    for (int i = 0; i < s->nv; i++) z[i] = 0.1 * s->v[i];
    OK(hml_configuration_integrate(s->model, s->q, z, half));
    double way;
    OK(hml_configuration_distance(s->model, half, q, &way));
    assert_true(way <= tolerance);
    free(scratch);
}

static inline void check_limits(const stage *s)
{
    for (int32_t i = 0; i < hml_model_njoints(s->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        OK(hml_model_joint(s->model, i, &j));
        if (j.nv != 1) continue;
        assert_true(s->q[j.q] >= j.lower[0] - 1e-10 && s->q[j.q] <= j.upper[0] + 1e-10);
        assert_true(fabs(s->tau[j.v]) <= j.effort_limit[0] * (1 + 1e-10));
    }
}

static inline void check_trim(stage *s, double tolerance)
{
    hml_status status = trim(s);
    if (status) fail_msg("%s", s->error.message);
    assert_true(s->report.relative <= 1e-10 && s->report.position <= 1e-10);
    assert_true(s->report.optimal);
    check_limits(s);
    check_rest(s, tolerance);
}

/* ---- robots ---- */

static inline void stretch_arm(stage *s)
{
    bend(s, "arm_shoulder", -1.4);
    bend(s, "arm_elbow", 0.1);
}

static inline void add_rotors(stage *s)
{
    static const char *const names[] = {"rotor1", "rotor2", "rotor3", "rotor4"};
    for (int t = 0; t < 4; t++) {
        s->thrusters[t] = (hml_thruster){.frame = hml_model_find_frame(s->model, names[t]),
                                         .wrench = {0, 0, 1, 0, 0, t < 2 ? 0.02 : -0.02},
                                         .lower = 0,
                                         .upper = 18};
        assert_true(s->thrusters[t].frame >= 0);
    }
    s->problem.thrusters = s->thrusters;
    s->problem.nthrusters = 4;
}

static inline stage dog(int feet, double friction)
{
    static const char *const legs[] = {"fl", "hr", "fr", "hl"};
    stage s = open_stage("quadruped");
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_hip_pitch", legs[i]);
        bend(&s, name, 0.8);
        snprintf(name, sizeof name, "%s_knee", legs[i]);
        bend(&s, name, -1.6);
        snprintf(name, sizeof name, "%s_foot", legs[i]);
        if (i < feet) add_hold(&s, HML_HOLD_POINT, name, friction);
    }
    return s;
}

#endif
