/*
 * One way to call them all.
 *
 * A function of the library is one line in a table (*.def): a name, a signature, a sentence, the call. The signature
 * says which arrays go in and come out:
 *
 *     "q:q v:v wrenches?:b,6 representation=left frame@ > tau:v"
 *
 *   name:dims     an array of doubles; dims are numbers, symbols or multiples of symbols: 3  v  2v  10b
 *   name?:dims    may be None, and NULL goes to C
 *   name:         a number; arrays of them are fine
 *   name%dims     an array of integers, one for the whole call
 *   name=word     a choice; its parameter's name says from which words
 *   name@         a frame, by name or index; name@world: the world if it is not given; name@base: the free base itself
 *   name#5        an integer; without a number it must be given
 *   name&         a list of constraints; the symbol l is the number of their rows, d that of the motions they leave at the
 *                 first row of q, which is the next parameter
 *   > name:dims   one output; > Type( name:dims name:dims!v ) several, made only where the input v is there
 *
 * Arrays may have leading dimensions; they are broadcast against each other and every combination is one row.
 *
 *   symbols of a model: q nq, v nv, b nbodies, f nframes, c coordinates of the tree, p directional point, h 6 (njoints
 * + 1), x y sizes in another layout, z coordinates with rotations of
 * another kind; symbols of a group: g its dimension          symbols that the inputs decide: n m k
 */
#ifndef HAMEL_PYTHON_ENGINE_H
#define HAMEL_PYTHON_ENGINE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hamel/hamel.h" /* before NumPy, which includes complex.h and its I */
#include "hamel/io.h"

#define NPY_NO_DEPRECATED_API  NPY_1_20_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL hamel_numpy
#ifndef HAMEL_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#if PY_VERSION_HEX < 0x030A0000 /* Python 3.9 */
static inline PyObject *Py_NewRef(PyObject *object)
{
    Py_INCREF(object);
    return object;
}
#endif

enum { MAX_PARAMETERS = 10, MAX_OUTPUTS = 10, MAX_CORE = 3, MAX_LEAD = 8, SYMBOLS = 26 };

/* ---- what a signature says ---- */

typedef enum parameter_kind { DOUBLES, INTEGERS, CHOICE, FRAME, INTEGER, HOLDS } parameter_kind;

typedef struct dimension {
    npy_intp factor;
    int symbol; /* 0 … 25, or −1: the factor alone */
} dimension;

typedef struct shape {
    int ncore;
    dimension core[MAX_CORE];
} shape;

typedef struct parameter {
    PyObject *name;
    parameter_kind kind;
    int optional;
    int fallback;             /* of choices, frames and integers */
    const char *const *words; /* of choices, ended by NULL */
    shape shape;
} parameter;

typedef struct output {
    PyObject *name;
    unsigned needs; /* bits of the parameters without which it is None */
    shape shape;
} output;

/* ---- one row, as the call in a table sees it ---- */

typedef struct workspace workspace;

typedef struct row {
    const hml_model *model;
    const hml_subgroup *group;
    workspace *space;
    hml_work *work;
    const struct hml_compiled *compiled; /* code of this model alone, or NULL */
    const hml_constraints *constraints;
    size_t n; /* rows; 1 unless the function takes batches */
    const double *in[MAX_PARAMETERS];
    size_t stride[MAX_PARAMETERS]; /* doubles from row to row */
    const int *marks[MAX_PARAMETERS];
    int choice[MAX_PARAMETERS];
    double *out[MAX_OUTPUTS];
    const npy_intp *symbol;
} row;

typedef hml_status runner(const row *r);
typedef PyObject *entry(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

typedef struct function {
    const char *module, *name, *signature, *text;
    runner *run;   /* one row */
    runner *batch; /* many at once, or NULL */
    entry *from_python;
    /* filled by function_ready */
    int nparameters, noutputs;
    parameter parameters[MAX_PARAMETERS];
    output outputs[MAX_OUTPUTS];
    PyTypeObject *result; /* of several outputs */
    int errors;           /* the parameter that says what becomes of bad rows, or −1 */
} function;

/* parses the signature, makes the type of the result and the documentation; NULL with an exception */
int function_ready(function *f, PyObject *module, PyMethodDef *definition);

/* the call from Python. self: a model, a group or NULL */
PyObject *function_call(function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* the same, but all outputs lie in one block, one after the other, each for all rows */
typedef struct results {
    PyArrayObject *block;            /* a reference of the caller's */
    PyObject *out;                   /* what the caller gave as out, borrowed, or NULL */
    PyObject *given[MAX_PARAMETERS]; /* the arguments, borrowed, or NULL */
    int choice[MAX_PARAMETERS];
    npy_intp rows; /* of the constraints */
    int nlead;
    npy_intp lead[MAX_LEAD];
} results;

/* older: the block of an object given as out, borrowed, or NULL with an exception */
int function_run(function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                 PyArrayObject *(*older)(PyObject *out), results *x);

/* the same with a Linearization as result; kind: linearization.h */
PyObject *linearization_call(int kind, function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *names);

/* adds the functions of a table: methods of a type, or functions of a module called name beside the package */
PyMethodDef *table_methods(function *const *table, size_t count, PyMethodDef *extra, PyObject *module);
int table_modules(function *const *table, size_t count, PyObject *module);

/* ---- workspaces: one a thread at a time, kept by the model ---- */

struct workspace {
    hml_work *work;
    void *scratch;
    size_t scratch_size;
    workspace *next;
};

/* memory that lives as long as the row's workspace; NULL when there is none */
void *row_scratch(const row *r, size_t bytes);

/* a list of hamel.Hold; memory: to be freed with PyMem_Free, also after a failure */
/* motions that they leave at q; −1 with an exception */
npy_intp holds_freedom(PyObject *model, const hml_constraints *constraints, const double *q);
/* nv marks from as many marks, or from names of joints */
int read_joint_marks(const hml_model *model, PyObject *object, const char *name, int **marks);
/* the loops of a model, a hamel.Hold each */
PyObject *model_loops(const hml_model *model);
PyObject *model_exclusions(const hml_model *model);
int read_holds(const hml_model *model, PyObject *list, hml_constraints *constraints, void **memory);

/* ---- exceptions ---- */

extern PyObject *hamel_errors[]; /* by status */
int errors_ready(void);
void raise_status(hml_status status, const char *where);
void raise_error(const hml_error *error);

/* ---- names (names.c) ---- */

/* "; did you mean 'fl_foot'?", or an empty text; known: a list of names, or NULL */
PyObject *did_you_mean(PyObject *name, PyObject *known);
PyObject *list_of_words(const char *const *words);
/* raises "WHAT 'name'; did you mean …?" */
void raise_unknown(PyObject *class, const char *what, PyObject *name, PyObject *known);
/* PyArg_ParseTupleAndKeywords with messages that name the argument and, of a mistyped one, what was meant */
int parse_arguments(PyObject *arguments, PyObject *names, const char *format, char **words, ...);

/* ---- threads ---- */

enum { MAX_THREADS = 64 };

/*
 * How many threads for n rows: what the caller of Python wants, or, of NULL and None, hml_threads_default if there are
 * rows to keep them busy. 0 with an exception.
 */
int threads_for(PyObject *wanted, npy_intp n);

typedef void piece(void *user, int thread, npy_intp begin, npy_intp end);
void in_pieces(int threads, npy_intp n, piece *work, void *user);

/* ---- arrays ---- */

/* a float64 array in C order: the same object where it is one, a copy where it can be one, NULL with an exception */
PyArrayObject *array_of(PyObject *object, PyObject *name);
PyArrayObject *array_shaped(PyObject *object, const char *name, int ndim, const npy_intp *dims);
/* the numbers of an attribute; None leaves out alone */
int attribute_numbers(PyObject *object, const char *name, int ndim, const npy_intp *dims, double *out);
PyObject *array_copy(int ndim, const npy_intp *dims, const double *data);

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
