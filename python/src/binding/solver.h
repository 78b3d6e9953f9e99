/* What the solver of optimal control problems and the predictive controller share. */
#ifndef HAMEL_PYTHON_SOLVER_H
#define HAMEL_PYTHON_SOLVER_H

#include "hamel/control.h"
#include "hamel/plan.h"
#include "objects.h"

/* an own term: a Python function(knot, q, v, u) that returns r, r_x, r_u; of one knot, or of all with a dimension more */
typedef struct own_term {
    struct solver_object *solver;
    PyObject *function;
    npy_intp rows;
} own_term;

/* how many doubles a term's arrays hold; −1: it has none */
typedef struct term_sizes {
    npy_intp reference, weights, knot_weights, lower, upper;
} term_sizes;

typedef struct solver_object {
    PyObject_HEAD model_object *model;
    hml_problem problem;
    hml_solver *solver;
    hml_phase *phases;
    hml_constraints *holds; /* one per phase */
    void **hold_items;
    hml_term *terms;
    own_term *own;
    term_sizes *sizes;
    PyObject *keep;      /* what the problem's arrays belong to, */
    hml_plan_file *file; /* or the file that it is from */
    npy_intp nq, nv, knots, inputs;
    int threads, busy;
    const hml_constraints *slots; /* of a gait, which has nslots; its terms of forces name their frames */
    size_t nslots;
    PyObject *progress;
    PyObject *error[3]; /* the exception of a callback, to be raised when the solver has ended */
} solver_object;

/* phases, terms, and q, v, inputs, actuation, lower, upper: what a Problem says */
typedef struct problem_arguments {
    PyObject *phases, *terms, *others[6];
} problem_arguments;

/* reads them into self, whose model is set; −1: an exception */
int solver_read_problem(solver_object *self, const problem_arguments *x);

void solver_clear(solver_object *self); /* all but the object itself */

int solver_is_busy(const solver_object *self);

/* the exception of a callback, if there was one: −1 */
int solver_raise(solver_object *self);

/* those of hml_solve_options */
int solver_progress(void *context, const hml_solve_report *report);
void solver_parallel(void *context, size_t count, hml_parallel_task *task, void *data);

PyObject *solver_report(const hml_solve_report *x);
PyObject *solver_motion(const solver_object *self, const hml_solution *x);

#endif
