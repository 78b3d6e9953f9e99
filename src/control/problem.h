/* What problem.c knows about a problem, for those who solve it. */
#ifndef HML_CONTROL_PROBLEM_H
#define HML_CONTROL_PROBLEM_H

#include "base/printf_like.h"
#include "hamel/control/problem.h"

enum { PROBLEM_MOST = 1 << 20 }; /* knots, terms, inputs: what memory is counted for */

/* a coordinate with limits: of a joint whose group commutes, where perturbations just add */
typedef struct limited_coordinate {
    size_t q, v;
    double lower, upper;
} limited_coordinate;

/* how many there are; `all` NULL: only counted */
size_t hmli_limited_coordinates(const hml_model *model, limited_coordinate *all);

/* rows of λ of a phase */
size_t hmli_phase_forces(const hml_phase *phase);

/* the first row of hold number `hold`, and its kind's rows */
size_t hmli_hold_row(const hml_constraints *holds, int32_t hold, size_t *rows);

/* the number of the hold of a frame; −1: there is none, or more than one */
int32_t hmli_hold_of_frame(const hml_constraints *holds, int32_t frame);

/* the phase of a knot; nphases: the end */
size_t hmli_phase_of(const hml_problem *problem, size_t knot, size_t *first);

/* coordinates that inputs push, ninputs of them; problem has been checked. columns may be NULL */
size_t hmli_problem_columns(const hml_problem *problem, int32_t *columns);

size_t hmli_term_rows(const hml_problem *problem, const hml_term *term);

/* doubles of one reference of the term */
size_t hmli_term_reference(const hml_problem *problem, const hml_term *term);

int hmli_term_needs_force(const hml_term *term);

/* writes the sentence and returns the status */
hml_status hmli_problem_fault(hml_error *error, hml_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* the terms' part of hml_problem_check */
hml_status hmli_terms_check(const hml_problem *problem, hml_error *error);

#endif
