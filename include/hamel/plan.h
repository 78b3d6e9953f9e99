/*
 * Optimal control problems from files (libhamel-io): docs/files.md says what a file may hold.
 *
 *   hml_plan_load, hml_plan_load_memory   a problem, its model, the solver's options and a guess
 *   hml_plan_free
 *
 * Solve it with hml_solver_new of libhamel-control. On failure *error (which may be NULL) has the file and a sentence that
 * begins with the place: "/terms/3/weight: …".
 */
#ifndef HAMEL_PLAN_H
#define HAMEL_PLAN_H

#include "hamel/control/solver.h"
#include "hamel/io.h"

typedef struct hml_plan_file {
    size_t struct_size;
    hml_model *model;
    const char *model_name;           /* a built-in robot, or the path of its file */
    int builtin;                      /* 1: a built-in robot */
    const hml_problem *problem;       /* its arrays belong to this */
    const hml_solve_options *options; /* as far as the file gives them */
    const double *u;                  /* N × m: the guess of the inputs; NULL: none */
} hml_plan_file;

/* options: how to load the model; what they say goes before what the file says. NULL: as the file says */
HML_API hml_status hml_plan_load(const char *path, const hml_load_options *options, hml_plan_file **plan,
                                 hml_error *error);

/* name: for messages, and the folder that the path of a model begins at; may be NULL: built-in robots and absolute paths */
HML_API hml_status hml_plan_load_memory(const void *data, size_t size, const char *name,
                                        const hml_load_options *options, hml_plan_file **plan, hml_error *error);

HML_API void hml_plan_free(hml_plan_file *plan);

#endif
