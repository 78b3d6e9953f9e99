/* One call on its way: what arguments.c reads, call.c computes. */
#ifndef HAMEL_PYTHON_CALL_H
#define HAMEL_PYTHON_CALL_H

#include "objects.h"

typedef struct call {
    function *f;
    row r;
    model_object *model; /* or NULL */
    PyObject *given[MAX_PARAMETERS];
    PyObject *out, *threads;
    PyArrayObject *held[MAX_PARAMETERS]; /* references */
    PyArrayObject *made[MAX_OUTPUTS];    /* references */
    npy_intp n;
    void *holds;
    int nlead, tolerant;
    /* from here on nothing is zero in the beginning */
    npy_intp lead[MAX_LEAD], symbol[SYMBOLS];
    size_t out_size[MAX_OUTPUTS];
    double number[MAX_OUTPUTS]; /* outputs that are one number */
    npy_intp bad_row[MAX_THREADS];
    hml_status bad_status[MAX_THREADS];
    hml_constraints constraints;
} call;

/* arguments to rows: everything but the outputs; −1 with an exception. let_go is due either way */
int read_call(call *c, function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* a dimension of this call; negative while nobody has said it */
npy_intp core_size(const call *c, const dimension *d);

#endif
