/* For tests of readers and writers: models from text, refusals, and whether two models are the same. */
#ifndef IO_CHECK_H
#define IO_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/io.h"

static inline hml_model *load_with(const char *name, const char *text, const hml_load_options *options)
{
    hml_model *model = NULL;
    hml_error error = {0};
    if (hml_load_memory(text, strlen(text), name, options, &model, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    assert_non_null(model);
    return model;
}

static inline hml_model *load_text(const char *name, const char *text) { return load_with(name, text, NULL); }

/* line 0: none is wanted */
static inline void assert_refused_with(const char *name, const char *text, const hml_load_options *options,
                                       hml_status status, int line, const char *word)
{
    hml_model *model = NULL;
    hml_error error = {0};
    assert_int_equal(hml_load_memory(text, strlen(text), name, options, &model, &error), status);
    assert_null(model);
    assert_int_equal(error.status, status);
    assert_int_equal(error.line, line);
    if (!strstr(error.message, word)) fail_msg("'%s' is not in '%s'", word, error.message);
    assert_int_equal(hml_load_memory(text, strlen(text), name, options, &model, NULL), status); /* error may be NULL */
}

static inline void assert_refused(const char *name, const char *text, hml_status status, int line, const char *word)
{
    assert_refused_with(name, text, NULL, status, line, word);
}

static inline void assert_near(const double *a, const double *b, int n, double tolerance, const char *what)
{
    for (int i = 0; i < n; i++) {
        int same = a[i] == b[i] || (isnan(a[i]) && isnan(b[i]));
        if (!same && !(fabs(a[i] - b[i]) <= tolerance)) fail_msg("%s[%d]: %.17g is not %.17g", what, i, a[i], b[i]);
    }
}

static inline void assert_has_warning(const hml_model *model, const char *word)
{
    for (int32_t i = 0; i < hml_model_nwarnings(model); i++)
        if (strstr(hml_model_warning(model, i), word)) return;
    fail_msg("no warning has '%s'", word);
}

static inline hml_joint_info joint_of(const hml_model *model, const char *name)
{
    hml_joint_info joint = {.struct_size = sizeof joint};
    int32_t index = hml_model_find_joint(model, name);
    if (index < 0) fail_msg("there is no joint '%s'", name);
    assert_int_equal(hml_model_joint(model, index, &joint), HML_OK);
    return joint;
}

static inline hml_body_info body_of(const hml_model *model, const char *name)
{
    hml_body_info body = {.struct_size = sizeof body};
    int32_t index = hml_model_find_body(model, name);
    if (index < 0) fail_msg("there is no body '%s'", name);
    assert_int_equal(hml_model_body(model, index, &body), HML_OK);
    return body;
}

static inline hml_frame_info frame_of(const hml_model *model, const char *name)
{
    hml_frame_info frame = {.struct_size = sizeof frame};
    int32_t index = hml_model_find_frame(model, name);
    if (index < 0) fail_msg("there is no frame '%s'", name);
    assert_int_equal(hml_model_frame(model, index, &frame), HML_OK);
    return frame;
}

static inline void assert_same_joints(const hml_model *a, const hml_model *b, double tolerance)
{
    assert_int_equal(hml_model_njoints(a), hml_model_njoints(b));
    for (int32_t i = 0; i < hml_model_njoints(a); i++) {
        hml_joint_info x = {.struct_size = sizeof x}, y = {.struct_size = sizeof y};
        hml_model_joint(a, i, &x);
        hml_model_joint(b, i, &y);
        int nq = hml_joint_type_nq(x.type), nv = hml_joint_type_nv(x.type);
        assert_string_equal(x.name, y.name);
        assert_int_equal(x.type, y.type);
        assert_int_equal(x.body, y.body);
        assert_int_equal(x.q, y.q);
        assert_int_equal(x.v, y.v);
        assert_int_equal(x.actuated, y.actuated);
        assert_int_equal(x.leader, y.leader);
        assert_near(&x.multiplier, &y.multiplier, 1, 0, "multiplier");
        assert_near(&x.offset, &y.offset, 1, 0, "offset");
        assert_near(x.position, y.position, 3, tolerance, x.name);
        assert_near(x.rotation, y.rotation, 9, tolerance, x.name);
        assert_near(x.axis, y.axis, 3, tolerance, x.name);
        assert_near(x.axis2, y.axis2, 3, tolerance, x.name);
        assert_near(x.point, y.point, 3, tolerance, x.name);
        assert_near(&x.pitch, &y.pitch, 1, tolerance, x.name);
        assert_near(x.armature, y.armature, nv, 0, "armature");
        assert_near(x.damping, y.damping, nv, 0, "damping");
        assert_near(x.stiffness, y.stiffness, nv, 0, "stiffness");
        assert_near(x.rest, y.rest, nq, tolerance, "rest");
        assert_near(x.lower, y.lower, nv, 0, "lower");
        assert_near(x.upper, y.upper, nv, 0, "upper");
        assert_near(x.velocity_limit, y.velocity_limit, nv, 0, "velocity");
        assert_near(x.effort_limit, y.effort_limit, nv, 0, "effort");
    }
}

/* every public number and name, but for warnings; frames of `a` must be in `b`, which may have more */
static inline void assert_same_model(const hml_model *a, const hml_model *b, double tolerance)
{
    double x[3], y[3];
    hml_model_gravity(a, x);
    hml_model_gravity(b, y);
    assert_near(x, y, 3, 0, "gravity");
    assert_string_equal(hml_model_name(a), hml_model_name(b));
    assert_int_equal(hml_model_nq(a), hml_model_nq(b));
    assert_int_equal(hml_model_nv(a), hml_model_nv(b));
    assert_int_equal(hml_model_nbodies(a), hml_model_nbodies(b));
    for (int32_t i = 0; i < hml_model_nbodies(a); i++) {
        hml_body_info p = {.struct_size = sizeof p}, q = {.struct_size = sizeof q};
        hml_model_body(a, i, &p);
        hml_model_body(b, i, &q);
        assert_string_equal(p.name, q.name);
        assert_int_equal(p.parent, q.parent);
        assert_near(&p.mass, &q.mass, 1, 0, "mass");
        assert_near(p.com, q.com, 3, tolerance, "com");
        assert_near(p.moment, q.moment, 9, tolerance, "moment");
    }
    assert_same_joints(a, b, tolerance);
    for (int32_t i = 0; i < hml_model_nframes(a); i++) {
        hml_frame_info p = {.struct_size = sizeof p};
        hml_model_frame(a, i, &p);
        hml_frame_info q = frame_of(b, p.name);
        assert_int_equal(p.body, q.body);
        assert_near(p.position, q.position, 3, tolerance, p.name);
        assert_near(p.rotation, q.rotation, 9, tolerance, p.name);
    }
}

#endif
