/* What the tests of dynamics share: a random robot with its workspace and a state, and a way to compare arrays. */
#ifndef HAMEL_TESTS_DYNAMICS_CHECK_H
#define HAMEL_TESTS_DYNAMICS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/linearize.h"
#include "oracle.h"

enum { NV = ORACLE_NV, NQ = 2 * ORACLE_NV };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    size_t nv, nq;
    double q[NQ], v[NV], tau[NV], wrenches[6 * ORACLE_BODIES];
} robot;

static inline void robot_state(robot *r, uint64_t *seed)
{
    draw_configuration(seed, r->model, 1.0, r->q);
    for (size_t i = 0; i < r->nv; i++) r->v[i] = draw(seed), r->tau[i] = 5 * draw(seed);
    for (int i = 0; i < 6 * r->model->nbodies; i++) r->wrenches[i] = 3 * draw(seed);
}

/* takes the model */
static inline void robot_take(robot *r, hml_model *model, hml_isa isa)
{
    memset(r, 0, sizeof *r);
    assert_non_null(model);
    r->model = model;
    r->nv = (size_t)hml_model_nv(model);
    r->nq = (size_t)hml_model_nq(model);
    assert_true(r->nv <= NV && r->nq <= NQ && hml_model_nbodies(model) <= ORACLE_BODIES);
    assert_int_equal(hml_work_new(model, isa, HML_USE_ALL, &r->work), HML_OK);
}

static inline void robot_open(robot *r, uint64_t *seed, const draw_tree_spec *spec)
{
    robot_take(r, draw_tree(seed, spec), HML_ISA_BEST);
    robot_state(r, seed);
}

static inline void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* linearization of the robot's own state, with packed blocks */
typedef struct blocks {
    double a[NV], Dq[NV * NV], Dv[NV * NV], Minv[NV * NV];
} blocks;

static inline hml_status robot_linearize(robot *r, blocks *out)
{
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = r->q;
    x.v.data = r->v;
    x.tau.data = r->tau;
    x.wrenches.data = r->wrenches;
    x.acceleration.data = out->a;
    x.Dq.data = out->Dq;
    x.Dv.data = out->Dv;
    x.Minv.data = out->Minv;
    return hml_linearize(r->model, r->work, &x);
}

/* A of the robot's own state, 2nv × 2nv, packed */
static inline hml_status robot_A(robot *r, double *A)
{
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = r->q;
    x.v.data = r->v;
    x.tau.data = r->tau;
    x.wrenches.data = r->wrenches;
    x.A.data = A;
    return hml_linearize(r->model, r->work, &x);
}

/* worst difference against the largest entry of y */
static inline double off_by(const double *x, const double *y, size_t n)
{
    double size = 0, off = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(y[i]) > size) size = fabs(y[i]);
        double d = fabs(x[i] - y[i]);
        if (!(d <= off) && !isnan(off)) off = d; /* NaN stays */
    }
    return off / (size + 1e-300);
}

static inline void assert_near(const char *what, const double *x, const double *y, size_t n, double tolerance)
{
    double off = off_by(x, y, n);
    if (!(off <= tolerance)) fail_msg("%s is off by %g, more than %g", what, off, tolerance);
}

#endif
