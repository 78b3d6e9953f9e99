/* The tests of struct_size: the robot that they call for, and room for everything. */
#ifndef HML_TESTS_STRUCT_SIZE_ROBOT_H
#define HML_TESTS_STRUCT_SIZE_ROBOT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/cuda.h"
#include "hamel/generate.h"
#include "hamel/hamel.h"
#include "hamel/io.h"
#include "hamel/plan.h"
#include "hamel/states.h"
#include "hamel/view.h"

#define OK(call) assert_int_equal(call, HML_OK)

/* ---- the robot, and room for everything ---- */

enum { NV = 18, NQ = 19, NB = 13, MEMORY = 1 << 20 };

static hml_model *model;
static hml_work *work;
static hml_motion *motion;
static hml_contact *contact;
static double q[NQ], v[NV], tau[NV], *scratch, *out[12], lambda[6];
static float single_q[NQ], single_v[NV], single_out[3][4 * NV * NV];
static void *memory, *contact_memory;

static int open_all(void **state)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    OK(hml_model_random(&spec, &model));
    assert_true(hml_model_nv(model) == NV && hml_model_nq(model) == NQ && hml_model_nbodies(model) == NB);
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    OK(hml_configuration_neutral(model, q));
    for (int i = 0; i < NV; i++) v[i] = 0.1 * i, tau[i] = 1 - 0.2 * i;
    for (int i = 0; i < NQ; i++) single_q[i] = (float)q[i];
    for (int i = 0; i < NV; i++) single_v[i] = (float)v[i];
    scratch = calloc(MEMORY, sizeof *scratch);
    memory = calloc(MEMORY, sizeof(double));
    contact_memory = calloc(MEMORY, sizeof(double));
    for (int i = 0; i < 12; i++) out[i] = calloc((6 * NB) * (6 * NB) + 16, sizeof(double));
    hml_motion_options options;
    hml_motion_options_init(&options);
    options.balance = 1;
    OK(hml_motion_new(model, work, &options, NULL, 0, q, v, &motion));
    hml_contact_settings settings = {.struct_size = sizeof settings, .options = HML_CONTACT_BALANCE};
    OK(hml_contact_init(contact_memory, MEMORY, model, &settings, &contact));
    return state == NULL;
}

static int close_all(void **state)
{
    for (int i = 0; i < 12; i++) free(out[i]);
    free(contact_memory), free(memory), free(scratch);
    hml_motion_free(motion);
    hml_work_free(work);
    hml_model_free(model);
    return state == NULL;
}

#endif
