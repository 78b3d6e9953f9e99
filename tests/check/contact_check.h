/* What the tests of contact share: a problem on the heap, single bodies, a run of steps. */
#ifndef HML_TESTS_CONTACT_CHECK_H
#define HML_TESTS_CONTACT_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "hamel/hamel.h"
#include "model_fixture.h"

#define OK(call) assert_int_equal(call, HML_OK)

typedef struct scene {
    hml_model *model;
    hml_work *work;
    hml_contact *contact;
    hml_contact_settings settings;
    hml_contact_result result; /* of the last step */
    double q[80], v[80];
} scene;

/* one body on the world, of mass 2, a box of half lengths a, b, c */
static inline void add_solid(hml_builder *b, const char *name, hml_joint_type type, double x, double y, double z)
{
    const double k = 2.0 / 3;
    char joint_name[64];
    hml_joint_spec joint;
    hml_error error = {0};
    hml_inertia_spec I = {2, {0}, {k * (y * y + z * z), 0, 0, 0, k * (x * x + z * z), 0, 0, 0, k * (x * x + y * y)}};
    hml_joint_spec_init(&joint, type);
    snprintf(joint_name, sizeof joint_name, "j_%s", name);
    joint.name = joint_name;
    joint.axis[0] = 1;
    if (hml_builder_add_body(b, name, NULL, &joint, &I, &error)) fail_msg("%s", error.message);
}

static inline hml_shape shape_on(int32_t frame, hml_shape_kind kind, double a, double b, double c)
{
    hml_shape s = {.frame = frame, .kind = kind, .size = {a, b, c}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    s.friction = -1;
    return s;
}

static inline hml_plane floor_plane(double friction, double restitution)
{
    hml_plane p = {.normal = {0, 0, 1}, .friction = friction, .restitution = restitution};
    return p;
}

static inline void open_scene(scene *s)
{
    s->settings.struct_size = sizeof s->settings;
    OK(hml_work_new(s->model, HML_ISA_SCALAR, HML_USE_ALL, &s->work));
    size_t size = hml_contact_size(s->model, &s->settings);
    assert_true(size > 0);
    OK(hml_contact_init(malloc(size + 1), size, s->model, &s->settings, &s->contact));
    OK(hml_configuration_neutral(s->model, s->q));
    memset(s->v, 0, sizeof s->v);
}

static inline void close_scene(scene *s)
{
    free(s->contact);
    hml_work_free(s->work);
    hml_model_free(s->model);
}

static inline hml_status one_step(scene *s, double h, const double *tau)
{
    const hml_contact_motion x = {.struct_size = sizeof x,
                                  .h = h,
                                  .q = s->q,
                                  .v = s->v,
                                  .tau = tau,
                                  .q_next = s->q,
                                  .v_next = s->v,
                                  .result = &s->result};
    s->result.struct_size = sizeof s->result;
    return hml_contact_step(s->model, s->work, s->contact, &x);
}

static inline void run(scene *s, double h, int steps, const double *tau)
{
    for (int i = 0; i < steps; i++) {
        hml_status status = one_step(s, h, tau);
        if (status) fail_msg("step %d: %s, residual %g", i, hml_status_message(status), s->result.residual);
    }
}

#endif
