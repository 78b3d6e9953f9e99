/* What the tests of motions share: a robot with its workspace and a state, forces that change with everything. */
#ifndef HAMEL_TESTS_MOTION_CHECK_H
#define HAMEL_TESTS_MOTION_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/configuration.h"
#include "hamel/motion.h"

enum { NV = 64, NQ = 80, NB = 32 };

typedef struct mover {
    hml_model *model;
    hml_work *work;
    size_t n, nq;
    double q[NQ], v[NV];
} mover;

static inline void mover_close(mover *m)
{
    hml_work_free(m->work);
    hml_model_free(m->model);
}

/* takes the model */
static inline mover mover_of(hml_model *model)
{
    mover m = {.model = model};
    assert_non_null(model);
    m.n = (size_t)hml_model_nv(model);
    m.nq = (size_t)hml_model_nq(model);
    assert_true(m.n <= NV && m.nq <= NQ && hml_model_nbodies(model) <= NB);
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &m.work), HML_OK);
    assert_int_equal(hml_configuration_neutral(model, m.q), HML_OK);
    return m;
}

static inline mover mover_draw(uint64_t *seed, const draw_tree_spec *spec)
{
    mover m = mover_of(draw_tree(seed, spec));
    draw_configuration(seed, m.model, 1.0, m.q);
    for (size_t i = 0; i < m.n; i++) m.v[i] = draw(seed);
    return m;
}

/* one body on one joint, whose axis is z, on the world; moments about the com */
static inline mover mover_body(hml_joint_type type, double mass, const double com[3], const double moments[3],
                               const double gravity[3])
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec solid = {.mass = mass};
    hml_model *model = NULL;
    hml_joint_spec_init(&joint, type);
    joint.name = "joint";
    joint.axis[0] = joint.axis[1] = 0, joint.axis[2] = 1;
    for (int i = 0; i < 3; i++) solid.com[i] = com[i], solid.moment[4 * i] = moments[i];
    assert_int_equal(hml_builder_set_gravity(b, gravity), HML_OK);
    assert_int_equal(hml_builder_add_body(b, "body", NULL, &joint, &solid, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    return mover_of(model);
}

/* a motion of a robot with options made of these; forces may be NULL */
static inline hml_motion *mover_start(const mover *m, hml_scheme scheme, double step, double tolerance,
                                      const hml_forces *forces)
{
    hml_motion_options options;
    hml_motion *motion = NULL;
    hml_motion_options_init(&options);
    options.scheme = scheme;
    options.step = step;
    options.tolerance = tolerance;
    assert_int_equal(hml_motion_new(m->model, m->work, &options, forces, 0, m->q, m->v, &motion), HML_OK);
    return motion;
}

/* τ and a wrench on every body, smooth functions of time and velocity */
static inline hml_status mover_push(void *context, double t, const double *q, const double *v, double *tau,
                                    double *wrenches)
{
    const mover *m = context;
    (void)q;
    for (size_t i = 0; i < m->n; i++) tau[i] += sin(3 * t + (double)i) - 0.3 * v[i];
    for (int32_t i = 0; i < 6 * hml_model_nbodies(m->model); i++) wrenches[i] += 0.5 * cos(2 * t + i);
    return HML_OK;
}

/* distance of two states, the largest coordinate */
static inline double mover_distance(const mover *m, const double *q0, const double *v0, const double *q1,
                                    const double *v1)
{
    double z[NV], worst = 0;
    assert_int_equal(hml_configuration_difference(m->model, q0, q1, z), HML_OK);
    for (size_t i = 0; i < m->n; i++) worst = fmax(worst, fmax(fabs(z[i]), fabs(v1[i] - v0[i])));
    return worst;
}

typedef struct totals {
    double energy, momentum[6];
} totals;

static inline totals mover_totals(const mover *m, const double *q, const double *v)
{
    static double M[NV * NV], h[NV];
    totals sum;
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h, .momentum = sum.momentum};
    assert_int_equal(hml_dynamics(m->model, m->work, q, v, NULL, NULL, &d), HML_OK);
    sum.energy = d.kinetic_energy + d.potential_energy;
    return sum;
}

#endif
