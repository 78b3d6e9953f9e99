/*
 * Linearization and its kinds: what Model.linearize, constrained_linearize and step_linearize return.
 *
 * All results of a call lie in one block, one after the other, each for all states; the call makes that and nothing
 * else. The arrays are made when somebody looks at them (linearization_views.c).
 */
#ifndef HAMEL_PYTHON_LINEARIZATION_H
#define HAMEL_PYTHON_LINEARIZATION_H

#include "objects.h"

/* where things are among the outputs and the parameters of the function; −1: there is no such thing */
typedef struct linearization_kind {
    PyTypeObject *type;
    const char *function;
    int A, B, acceleration;
    int representation, inputs, side, h;
} linearization_kind;

enum { KIND_PLAIN, KIND_HELD, KIND_STEP, KINDS };
extern const linearization_kind linearization_kinds[KINDS];

typedef struct linearization_object {
    PyObject_HEAD PyObject *model;
    const linearization_kind *kind;
    const function *f;
    PyArrayObject *block;
    PyArrayObject *array[MAX_OUTPUTS]; /* the outputs as arrays, once somebody asked */
    PyObject *h;                       /* of a step: a number or an array, else NULL */
    npy_intp rows;                     /* of holds */
    int representation, actuated, side, nlead;
    npy_intp lead[MAX_LEAD];
} linearization_object;

/* the dimensions of output k of one state */
int linearization_core(const linearization_object *self, int k, npy_intp dims[MAX_CORE]);

extern PyGetSetDef linearization_getset[], held_getset[], step_getset[];
extern PySequenceMethods linearization_sequence; /* of the kinds that were tuples: they can still be unpacked */

#endif
