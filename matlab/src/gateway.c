/*
 * hamel_mex(command, …): the gateway that the functions of +hamel call. Robots are numbers in a table, never pointers:
 * a number that is wrong, or freed, is an error and not a crash.
 */
#include "gateway.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROBOTS = 1024, NAME_ROOM = 512 };

static gateway_robot robots[ROBOTS];
static uint32_t generations[ROBOTS];

static void release(gateway_robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
    memset(r, 0, sizeof *r);
}

static void release_all(void)
{
    for (int i = 0; i < ROBOTS; i++) {
        if (robots[i].model) release(&robots[i]);
    }
}

/* ---- errors ---- */

static const char *status_name(hml_status status)
{
    switch (status) {
#define GATEWAY_NAME(name, value, message)                                                                             \
    case HML_##name: return #name;
        HML_STATUS_LIST(GATEWAY_NAME)
#undef GATEWAY_NAME
    }
    return "UNKNOWN";
}

void gateway_fail(hml_status status, const char *sentence)
{
    char identifier[64];
    snprintf(identifier, sizeof identifier, "hamel:%s", status_name(status));
    mexErrMsgIdAndTxt(identifier, "%s", sentence ? sentence : hml_status_message(status));
}

void gateway_check(hml_status status)
{
    if (status) gateway_fail(status, NULL);
}

/* ---- loading ---- */

/* load(path or text, base ('', 'free', 'fixed')) */
static void load(int nin, const mxArray **in, mxArray **out)
{
    hml_load_options options;
    hml_error error = {0};
    int slot = 0;
    char sentence[1024];
    if (nin < 2) gateway_fail(HML_INVALID_ARGUMENT, "load needs a file, or the text of one, and the base");
    char *path = gateway_text(in[0], "the file"), *base = gateway_text(in[1], "base");
    hml_load_options_init(&options);
    if (strcmp(base, "free") == 0) options.base = HML_BASE_FREE;
    if (strcmp(base, "fixed") == 0) options.base = HML_BASE_FIXED;
    if (*base && options.base == HML_BASE_AUTO) gateway_fail(HML_INVALID_ARGUMENT, "base is 'free' or 'fixed'");
    while (slot < ROBOTS && robots[slot].model) slot++;
    if (slot == ROBOTS) gateway_fail(HML_OUT_OF_MEMORY, "there are 1024 robots; clear some");
    gateway_robot *r = &robots[slot];
    const int text = *path == '{' || *path == '<';
    hml_status status = text ? hml_load_memory(path, strlen(path), NULL, &options, &r->model, &error)
                             : hml_load(path, &options, &r->model, &error);
    if (!status) status = hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &r->work);
    if (status) {
        r->work = NULL;
        if (r->model) release(r);
        snprintf(sentence, sizeof sentence, "%s%s%s", error.file, *error.file ? ": " : "",
                 *error.message ? error.message : hml_status_message(status));
        gateway_fail(status, sentence);
    }
    r->nq = (size_t)hml_model_nq(r->model);
    r->nv = (size_t)hml_model_nv(r->model);
    *out = mxCreateDoubleScalar((double)slot + ROBOTS * (double)++generations[slot]);
}

static gateway_robot *find(const mxArray *array)
{
    const double number = gateway_number(array, "the robot");
    if (number >= ROBOTS && number < ROBOTS * (double)UINT32_MAX) { /* before it becomes a whole number */
        const uint32_t generation = (uint32_t)(number / ROBOTS);
        const double slot = number - ROBOTS * (double)generation;
        gateway_robot *r = &robots[(int)slot];
        if (slot == (double)(int)slot && r->model && generations[(int)slot] == generation) return r;
    }
    gateway_fail(HML_INVALID_ARGUMENT, "there is no such robot; it may have been cleared");
    return NULL;
}

/* ---- the table of commands ---- */

static const struct {
    const char *name;
    gateway_command *run;
    int least, most; /* arguments after the robot */
} commands[] = {
    {"info", command_info, 0, 0},           {"neutral", command_neutral, 0, 0},
    {"integrate", command_integrate, 2, 2}, {"linearize", command_linearize, 5, 5},
    {"dynamics", command_dynamics, 4, 4},   {"jacobian", command_jacobian, 4, 4},
    {"simulate", command_simulate, 6, 6},   {"lqr", command_lqr, 6, 6},
    {"trim", command_trim, 4, 4},
};

void mexFunction(int nlhs, mxArray **plhs, int nrhs, const mxArray **prhs)
{
    mexAtExit(release_all);
    if (nrhs < 1) gateway_fail(HML_INVALID_ARGUMENT, "hamel_mex needs a command; use the functions of +hamel");
    const char *name = gateway_text(prhs[0], "the command");
    if (strcmp(name, "version") == 0) {
        plhs[0] = mxCreateString(hml_version());
        return;
    }
    if (strcmp(name, "load") == 0) {
        load(nrhs - 1, prhs + 1, plhs);
        return;
    }
    if (nrhs < 2) gateway_fail(HML_INVALID_ARGUMENT, "this command needs a robot");
    gateway_robot *r = find(prhs[1]);
    if (strcmp(name, "free") == 0) {
        release(r);
        return;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        if (nrhs - 2 < commands[i].least || nrhs - 2 > commands[i].most)
            gateway_fail(HML_INVALID_ARGUMENT, "wrong number of arguments; use the functions of +hamel");
        commands[i].run(r, nlhs, plhs, nrhs - 2, prhs + 2);
        return;
    }
    gateway_fail(HML_NOT_FOUND, "there is no such command");
}
