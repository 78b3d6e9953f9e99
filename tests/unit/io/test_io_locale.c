/*
 * Programs that call setlocale: a comma for the point (German), or a sign of two bytes (Pashto). Reading, writing and
 * every message stay as they are. The locales are made when the tests are built, where localedef has their sources.
 */
#define _XOPEN_SOURCE 700
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

#ifndef HAMEL_LOCALES
#define HAMEL_LOCALES "" /* the build made none */
#endif

/* warnings with numbers in them: an axis and a quaternion that are not of length 1, an inertia that no body has */
static const char urdf[] =
    "<robot name='drone' version='1.1'><link name='a'><inertial><mass value='1.5'/>"
    "<inertia ixx='0.5' ixy='0' ixz='0' iyy='0.25' iyz='0' izz='2.5'/></inertial></link><link name='b'/>"
    "<joint name='j' type='continuous'><axis xyz='0 0.5 0'/><parent link='a'/><child link='b'/>"
    "<origin quat_xyzw='0 0 0 1.5'/></joint></robot>";
static const char mjcf[] =
    "<mujoco><compiler boundmass='0.125' boundinertia='0.5'/><worldbody><body pos='0.5 0 0'><joint axis='0 0 0.5'/>"
    "<geom type='box' size='.5 .25 .125' contype='1'/><body pos='.5 .5 0'/></body></worldbody></mujoco>";
static const char json[] =
    "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"revolute\", "
    "\"axis\": [0.25, 0, 0.5], \"damping\": 1e-3, \"origin\": {\"quaternion\": [1.5, 0, 0, 0]}}, "
    "\"inertia\": {\"mass\": 2.5, \"com\": [0.1, 0.2, 0.3], "
    "\"moment\": [[0.5, 0, 0], [0, -0.25, 0], [0, 0, 0.125]]}}]}";
static const char *const texts[] = {urdf, mjcf, json}, *const names[] = {"a.urdf", "a.xml", "a.json"};

/* refused with numbers in the message */
static const char *const wrong[] = {
    "{\"hamel\": 2.5, \"bodies\": []}",
    "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"fixed\"}}], "
    "\"shapes\": [{\"body\": \"b\", \"type\": \"sphere\", \"size\": -0.5}]}",
};

enum { FILES = sizeof texts / sizeof *texts, WRONG = sizeof wrong / sizeof *wrong };

/* everything that text has to do with */
typedef struct outcome {
    char block[FILES][1 << 14], saved[FILES][1 << 14], message[WRONG][256], state[256], difference[256];
    char result[2][1 << 14];
    double q[2];
} outcome;

static void write_result(hml_result_format format, char *text, size_t size)
{
    char path[] = "/tmp/hamel-locale-XXXXXX";
    const double x[] = {0.1, -2.5e-300, 1e22, 3};
    const size_t four = 4;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    hml_result *r = hml_result_new();
    hml_result_add_numbers(r, "x", 1, &four, x);
    hml_result_add_number(r, "y", 0.125);
    assert_int_equal(hml_result_write(r, path, format, NULL), HML_OK);
    hml_result_free(r);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    text[fread(text, 1, size - 1, stream)] = 0;
    fclose(stream);
    remove(path);
}

static void read_and_write(outcome *o)
{
    hml_error error;
    hml_model *model[FILES];
    memset(o, 0, sizeof *o);
    for (int i = 0; i < FILES; i++) {
        assert_int_equal(hml_load_memory(texts[i], strlen(texts[i]), names[i], NULL, &model[i], &error), HML_OK);
        assert_true(hml_model_nwarnings(model[i]) > 0);
        assert_true(hml_model_size(model[i]) <= sizeof o->block[i]);
        memcpy(o->block[i], hml_model_data(model[i]), hml_model_size(model[i])); /* the warnings are in it */
        char *text;
        size_t size;
        assert_int_equal(hml_write_json(model[i], &text, &size, NULL), HML_OK);
        assert_true(size < sizeof o->saved[i]);
        memcpy(o->saved[i], text, size);
        hml_text_free(text);
    }
    hml_model *other = NULL;
    static const double gravity[3] = {0, 0, -1.5};
    hml_load_options options;
    hml_load_options_init(&options);
    options.gravity = gravity;
    assert_int_equal(hml_load_memory(json, strlen(json), "a.json", &options, &other, NULL), HML_OK);
    assert_false(hml_model_equal(model[2], other, 0, o->difference, sizeof o->difference));
    hml_model_free(other);
    for (int i = 0; i < WRONG; i++) {
        assert_int_not_equal(hml_load_memory(wrong[i], strlen(wrong[i]), "a.json", NULL, &other, &error), HML_OK);
        snprintf(o->message[i], sizeof o->message[i], "%.*s", (int)sizeof o->message[i] - 1, error.message);
    }
    hml_state *s = NULL;
    static const char state[] = "{\"joints\": {\"j\": {\"position\": [0.625], \"velocity\": [-1.5e-3]}}}";
    assert_int_equal(hml_state_load_memory(state, strlen(state), "s", model[2], &s, &error), HML_OK);
    o->q[0] = s->q[0], o->q[1] = s->v[0];
    hml_state_free(s);
    static const char bad[] = "{\"joints\": {\"base\": {\"position\": [0, 0, 0, 1.5, 0, 0, 0]}}}";
    assert_int_not_equal(hml_state_load_memory(bad, strlen(bad), "s", model[0], &s, &error), HML_OK);
    snprintf(o->state, sizeof o->state, "%.*s", (int)sizeof o->state - 1, error.message);
    for (int i = 0; i < FILES; i++) hml_model_free(model[i]);
    write_result(HML_RESULT_JSON, o->result[0], sizeof o->result[0]);
    write_result(HML_RESULT_CSV, o->result[1], sizeof o->result[1]);
}

static void same_in(const char *name, const char *sign)
{
    static outcome plain, here;
    setlocale(LC_ALL, "C");
    read_and_write(&plain);
    assert_non_null(strstr(plain.state, "1.5"));
    assert_non_null(strstr(plain.message[0], "2.5"));
    assert_non_null(strstr(plain.difference, "-9.81"));
    setenv("LOCPATH", HAMEL_LOCALES, 1);
    int there = setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, sign) == 0;
    if (there) read_and_write(&here);
    setlocale(LC_ALL, "C");
    if (!there) skip();
    assert_memory_equal(&plain, &here, sizeof plain);
}

static void test_comma(void **state)
{
    (void)state;
    same_in("de_DE.UTF-8", ",");
}

static void test_sign_of_two_bytes(void **state)
{
    (void)state;
    same_in("ps_AF.UTF-8", "\xd9\xab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comma), cmocka_unit_test(test_sign_of_two_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
