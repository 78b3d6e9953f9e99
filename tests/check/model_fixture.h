/* Small helpers of the model tests: links in one line, failures with their sentence. */
#ifndef HML_TEST_MODEL_FIXTURE_H
#define HML_TEST_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/model.h"

static const double identity9[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* a box-like inertia that depends on a seed, physical for every seed */
static inline hml_inertia_spec some_inertia(int seed)
{
    double s = 1 + 0.1 * seed;
    hml_inertia_spec I = {s, {0.1 * seed, -0.2, 0.05 * s}, {2 * s, 0.1, -0.05, 0.1, 2.5 * s, 0.02, -0.05, 0.02, 3 * s}};
    return I;
}

/* joint named after the body: j_body; axis z, offset along x */
static inline hml_joint_spec some_joint(hml_joint_type type, const char *name)
{
    hml_joint_spec joint;
    hml_joint_spec_init(&joint, type);
    joint.name = name;
    joint.axis[2] = 1;
    joint.axis2[0] = 1;
    joint.position[0] = 0.5;
    joint.pitch = type == HML_JOINT_HELICAL ? 0.1 : 0;
    return joint;
}

static inline void add_spec(hml_builder *b, const char *name, const char *parent, hml_joint_spec *joint)
{
    hml_error error = {0};
    hml_inertia_spec I = some_inertia((int)strlen(name));
    if (hml_builder_add_body(b, name, parent, joint, &I, &error)) fail_msg("%s", error.message);
}

static inline void add_link(hml_builder *b, const char *name, const char *parent, hml_joint_type type)
{
    char joint_name[128];
    snprintf(joint_name, sizeof joint_name, "j_%s", name);
    hml_joint_spec joint = some_joint(type, joint_name);
    add_spec(b, name, parent, &joint);
}

static inline void add_tool(hml_builder *b, const char *name, const char *body)
{
    const double position[3] = {0, 0, 0.3};
    hml_error error = {0};
    if (hml_builder_add_frame(b, name, body, position, identity9, &error)) fail_msg("%s", error.message);
}

/* builds and frees the builder */
static inline hml_model *finish(hml_builder *b, unsigned options)
{
    hml_error error = {0};
    hml_model *model = NULL;
    if (hml_builder_build(b, options, &model, &error)) fail_msg("%s", error.message);
    hml_builder_free(b);
    return model;
}

static inline hml_body_info body_info(const hml_model *m, const char *name)
{
    hml_body_info info = {.struct_size = sizeof info};
    assert_int_equal(hml_model_body(m, hml_model_find_body(m, name), &info), HML_OK);
    return info;
}

static inline hml_joint_info joint_info(const hml_model *m, const char *name)
{
    hml_joint_info info = {.struct_size = sizeof info};
    assert_int_equal(hml_model_joint(m, hml_model_find_joint(m, name), &info), HML_OK);
    return info;
}

static inline hml_frame_info frame_info(const hml_model *m, const char *name)
{
    hml_frame_info info = {.struct_size = sizeof info};
    assert_int_equal(hml_model_frame(m, hml_model_find_frame(m, name), &info), HML_OK);
    return info;
}

static inline void assert_close(double a, double b, double tolerance)
{
    if (!(a - b <= tolerance && b - a <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

static inline void assert_all_close(const double *a, const double *b, int n, double tolerance)
{
    for (int i = 0; i < n; i++) assert_close(a[i], b[i], tolerance);
}

static inline void assert_says(const char *sentence, const char *part)
{
    if (!strstr(sentence, part)) fail_msg("'%s' does not say '%s'", sentence, part);
}

#endif
