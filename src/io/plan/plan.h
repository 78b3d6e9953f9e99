/* Reading optimal control problems: what the parts share. */
#ifndef HML_IO_PLAN_PLAN_H
#define HML_IO_PLAN_PLAN_H

#include "hamel/plan.h"
#include "io/json/read.h"

typedef struct plan_reader {
    json_reader json;
    arena *memory; /* of what the problem points to */
    hml_model *model;
    hml_problem *problem;
    hml_state *start;
    hml_work *work;
    hml_loop *loops; /* of the model, in force in every phase */
    size_t nq, nv, knots, ninputs;
} plan_reader;

/* memory of the plan; NULL after a message */
void *hmli_plan_room(plan_reader *r, size_t count, size_t size);

/* fails at the first key of an object that is not known */
hml_status hmli_plan_keys(const plan_reader *r, const place *object, const char *const known[]);

/* n numbers from a list, lists of lists too; *x NULL where nothing is there */
hml_status hmli_plan_numbers(plan_reader *r, const place *at, size_t n, const double **x);

/* the same, or one number for all; null: infinity of that sign */
hml_status hmli_plan_each(plan_reader *r, const place *at, size_t n, double infinity, const double **x);

/* a whole number from least to most; what is not there stays */
hml_status hmli_plan_count(const plan_reader *r, const place *at, double least, double most, size_t *x);

/* one of some words; what is not there stays */
hml_status hmli_plan_word(const plan_reader *r, const place *at, const char *const words[], int *x);

/* a frame of the model, which must be there */
hml_status hmli_plan_frame(const plan_reader *r, const place *at, int32_t *frame);

/* loops of the model, which the start must close */
hml_status hmli_plan_loops(plan_reader *r, const place *start);

hml_status hmli_plan_phases(plan_reader *r, const place *list);
hml_status hmli_plan_inputs(plan_reader *r, const place *at);
hml_status hmli_plan_bounds(plan_reader *r, const place *at);
hml_status hmli_plan_terms(plan_reader *r, const place *list);

/* a state that stands inside a file: state.c */
hml_status hmli_state_read(const json_reader *json, const place *at, const hml_model *model, hml_state **state);

#endif
