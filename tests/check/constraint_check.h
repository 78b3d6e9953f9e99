/* What the tests of constraints share: a biped with spherical hips, constraints of all kinds, room for everything. */
#ifndef HML_TESTS_CONSTRAINT_CHECK_H
#define HML_TESTS_CONSTRAINT_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "arrays.h"
#include "hamel/hamel.h"
#include "model_fixture.h"

enum { MOST = 64 };

/* a free body with two legs of four coordinates, and frames at the feet */
static inline hml_model *biped(void)
{
    hml_builder *b = hml_builder_new();
    add_link(b, "trunk", NULL, HML_JOINT_FREE);
    add_link(b, "thigh", "trunk", HML_JOINT_SPHERICAL);
    add_link(b, "shank", "thigh", HML_JOINT_REVOLUTE);
    add_link(b, "left_thigh", "trunk", HML_JOINT_SPHERICAL);
    add_link(b, "left_shank", "left_thigh", HML_JOINT_UNIVERSAL);
    add_tool(b, "foot", "shank");
    add_tool(b, "left_foot", "left_shank");
    return finish(b, 0);
}

typedef struct stage {
    hml_model *model;
    hml_work *work;
    hml_constraint items[4];
    hml_loop loops[4];
    int nloops;
    hml_constraints set;
    double *scratch;
    const double *wrenches; /* on the bodies, or NULL */
    int nv, m;
    double q[MOST], v[MOST], tau[MOST], a[MOST], lambda[MOST];
} stage;

static inline hml_constraint hold(const hml_model *model, hml_constraint_kind kind, const char *frame)
{
    hml_constraint c = {.kind = kind, .frame = hml_model_find_frame(model, frame), .normal = {0.3, -0.2, 2}};
    for (int i = 0; i < 4; i++) c.pose[5 * i] = 1;
    return c;
}

static inline hml_loop loop(const hml_model *model, hml_constraint_kind kind, const char *frame, const char *other)
{
    hml_loop c = {.kind = kind, .frame = hml_model_find_frame(model, frame), .normal = {0.3, -0.2, 2}, .distance = 0.4};
    c.other = other ? hml_model_find_frame(model, other) : HML_WORLD;
    return c;
}

static hml_isa stage_isa = HML_ISA_BEST; /* of the workspaces */

/* after the items are in place; state and forces are drawn */
static inline void open_stage(stage *s, int count)
{
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    s->nv = hml_model_nv(s->model);
    s->set = (hml_constraints){.struct_size = sizeof s->set, .items = s->items, .count = count};
    s->set.loops = s->loops, s->set.loop_count = s->nloops;
    s->m = hml_constraint_rows(&s->set);
    s->scratch = calloc(hml_constraint_scratch_doubles(s->model, &s->set), sizeof(double));
    ASSERT_OK(hml_work_new(s->model, stage_isa, HML_USE_ALL, &s->work));
    ASSERT_OK(hml_configuration_random(s->model, &rng, s->q));
    draw_array(s->v, s->nv, 1);
    draw_array(s->tau, s->nv, 3);
}

static inline void close_stage(stage *s)
{
    free(s->scratch);
    hml_work_free(s->work);
    hml_model_free(s->model);
}

static inline hml_status forward(stage *s, hml_constraint_report *report)
{
    return hml_constrained_forward_dynamics(s->model, s->work, &s->set, s->scratch,
                                            &HML_STRUCT(hml_constrained_dynamics, .q = s->q, .v = s->v, .tau = s->tau,
                                                        .wrenches = s->wrenches, .acceleration = s->a,
                                                        .lambda = s->lambda, .report = report));
}

#endif
