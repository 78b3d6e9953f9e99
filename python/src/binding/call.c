/*
 * The call: rows to threads, results to arrays.
 *
 * The interpreter's lock is released while a model computes. Nothing is kept from call to call but the model's
 * workspaces.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

enum { ROWS_WORTH_A_RELEASE = 64 };

/* ---- results ---- */

static int overlaps(const call *c, PyArrayObject *out)
{
    const char *begin = PyArray_DATA(out), *end = begin + PyArray_NBYTES(out);
    for (int i = 0; i < c->f->nparameters; i++) {
        if (!c->held[i]) continue;
        const char *other = PyArray_DATA(c->held[i]);
        if (other < end && begin < other + PyArray_NBYTES(c->held[i])) return 1;
    }
    return 0;
}

static PyArrayObject *given_output(const call *c, const output *o, PyObject *object, int ndim, const npy_intp *dims)
{
    PyArrayObject *array = (PyArrayObject *)object;
    PyObject *wrong = hamel_errors[HML_INVALID_ARGUMENT];
    if (!PyArray_Check(object) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_TypeError, "out for %U is not an array of float64", o->name);
    } else if (PyArray_NDIM(array) != ndim || !PyArray_CompareLists(PyArray_DIMS(array), dims, ndim)) {
        PyObject *has = PyObject_GetAttrString(object, "shape"), *wanted = PyArray_IntTupleFromIntp(ndim, dims);
        if (has && wanted) PyErr_Format(wrong, "out for %U has shape %S, expected %S", o->name, has, wanted);
        Py_XDECREF(has);
        Py_XDECREF(wanted);
    } else if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array)) {
        PyErr_Format(wrong, "out for %U is not contiguous", o->name);
    } else if (!PyArray_ISWRITEABLE(array)) {
        PyErr_Format(wrong, "out for %U is read-only", o->name);
    } else if (overlaps(c, array)) {
        PyErr_Format(wrong, "out for %U overlaps an argument", o->name);
    } else {
        Py_INCREF(array);
        return array;
    }
    return NULL;
}

static int make_output(call *c, int k, PyObject *given)
{
    const output *o = &c->f->outputs[k];
    npy_intp dims[MAX_LEAD + MAX_CORE], core = 1;
    int ndim = c->nlead + o->shape.ncore;
    for (int i = 0; i < c->f->nparameters; i++) {
        if (o->needs >> i & 1 && !c->held[i]) return 0;
    }
    for (int i = 0; i < o->shape.ncore; i++) core *= dims[c->nlead + i] = core_size(c, &o->shape.core[i]);
    c->out_size[k] = (size_t)core;
    if (ndim == 0 && !given) {
        c->r.out[k] = &c->number[k];
        return 0;
    }
    memcpy(dims, c->lead, (size_t)c->nlead * sizeof *dims);
    c->made[k] = given && given != Py_None ? given_output(c, o, given, ndim, dims)
                                           : (PyArrayObject *)PyArray_SimpleNew(ndim, dims, NPY_DOUBLE);
    if (!c->made[k]) return -1;
    c->r.out[k] = PyArray_DATA(c->made[k]);
    return 0;
}

static int make_outputs(call *c)
{
    int several = c->f->noutputs > 1;
    if (several && c->out && (!PyTuple_Check(c->out) || PyTuple_GET_SIZE(c->out) != c->f->noutputs)) {
        PyErr_Format(PyExc_TypeError, "out is a tuple of %d arrays", c->f->noutputs);
        return -1;
    }
    for (int k = 0; k < c->f->noutputs; k++) {
        PyObject *given = several && c->out ? PyTuple_GET_ITEM(c->out, k) : c->out;
        if (make_output(c, k, given)) return -1;
    }
    return 0;
}

static PyObject *hand_over(call *c, int k)
{
    PyArrayObject *array = c->made[k];
    c->made[k] = NULL;
    if (array) return (PyObject *)array;
    if (c->r.out[k]) return PyFloat_FromDouble(c->number[k]);
    Py_RETURN_NONE;
}

/* ---- the work ---- */

static void point_at(const call *c, row *r, npy_intp i)
{
    for (int k = 0; k < c->f->nparameters; k++) {
        if (c->r.in[k]) r->in[k] = c->r.in[k] + (size_t)i * c->r.stride[k];
    }
    for (int k = 0; k < c->f->noutputs; k++) {
        if (c->r.out[k]) r->out[k] = c->r.out[k] + (size_t)i * c->out_size[k];
    }
}

static void not_a_number(const call *c, const row *r)
{
    for (int k = 0; k < c->f->noutputs; k++) {
        for (size_t i = 0; r->out[k] && i < c->out_size[k]; i++) r->out[k][i] = NAN;
    }
}

/* all at once; 1 if that did it */
static int run_batch(const call *c, row *r, npy_intp begin, npy_intp end)
{
    point_at(c, r, begin);
    r->n = (size_t)(end - begin);
    if (c->f->batch(r)) return 0;
    if (c->tolerant) return 1; /* it has seen to the bad ones itself */
    for (size_t i = 0; c->out_size[0] && i < r->n; i++) {
        if (isnan(r->out[0][i * c->out_size[0]])) return 0;
    }
    return 1;
}

static void run_rows(void *user, int thread, npy_intp begin, npy_intp end)
{
    call *c = user;
    row r = c->r;
    hml_status status = HML_OK;
    npy_intp i = begin;
    if (c->model) {
        r.space = workspace_take(c->model);
        if (!r.space) status = HML_OUT_OF_MEMORY;
        if (r.space) r.work = r.space->work;
        r.compiled = c->model->compiled;
    }
    /* an array with leading dimensions is a batch, even of one row or cut into such: a row's bits do not depend on that
     */
    int packs = c->f->batch && c->nlead > 0 && end > begin;
    if (!status && !(packs && run_batch(c, &r, begin, end))) {
        for (r.n = 1; i < end; i++) {
            point_at(c, &r, i);
            status = c->f->run(&r);
            if (!status) continue;
            if (!c->tolerant) break;
            not_a_number(c, &r);
            status = HML_OK;
        }
    }
    if (r.space) workspace_give(c->model, r.space);
    c->bad_row[thread] = i;
    c->bad_status[thread] = status;
}

/* the q of the bad row, if the function has one */
static const double *bad_q(const call *c, npy_intp bad)
{
    int q = 0;
    while (q < c->f->nparameters && PyUnicode_CompareWithASCIIString(c->f->parameters[q].name, "q")) q++;
    if (!c->model || q == c->f->nparameters || !c->r.in[q]) return NULL;
    return c->r.in[q] + (size_t)bad * c->r.stride[q];
}

/* entries beyond the largest double: elimination then finds no pivot, as where there is no inertia */
static int mass_overflows(const call *c, npy_intp bad)
{
    const double *q = bad_q(c, bad);
    const size_t nv = q ? (size_t)hml_model_nv(c->r.model) : 0;
    double *M = PyMem_Malloc((nv * nv + 1) * sizeof *M);
    workspace *space = q ? workspace_take(c->model) : NULL;
    const int far = M && space && hml_mass_matrix(c->r.model, space->work, q, M) == HML_NOT_FINITE;
    if (space) workspace_give(c->model, space);
    PyMem_Free(M);
    return far;
}

/* names of the coordinates that nothing gives any inertia */
static PyObject *singular_names(const call *c, npy_intp bad)
{
    const double *q = bad_q(c, bad);
    if (!q) return NULL;
    const hml_model *model = c->r.model;
    int32_t nv = hml_model_nv(model);
    int *marks = PyMem_Malloc(((size_t)nv + 1) * sizeof *marks);
    workspace *space = workspace_take(c->model);
    PyObject *names = PyUnicode_FromString("");
    if (marks && space && names && !hml_singular_coordinates(model, space->work, q, marks)) {
        for (int32_t i = 0; names && i < nv; i++) {
            char name[512];
            if (!marks[i] || hml_model_velocity_name(model, i, name, sizeof name)) continue;
            PyObject *longer = PyUnicode_FromFormat("%U%s%s", names, PyUnicode_GET_LENGTH(names) ? ", " : "", name);
            Py_DECREF(names);
            names = longer;
        }
    }
    if (space) workspace_give(c->model, space);
    PyMem_Free(marks);
    return names;
}

static void explain(const call *c, npy_intp bad, hml_status status)
{
    char where[64] = "";
    if (c->n > 1) snprintf(where, sizeof where, "row %zd", (Py_ssize_t)bad);
    if (status == HML_SINGULAR && mass_overflows(c, bad)) {
        PyErr_Format(hamel_errors[HML_NOT_FINITE], "%s%sthe mass matrix overflows: masses or lengths are too large",
                     where, *where ? ": " : "");
    } else if (status == HML_SINGULAR) {
        PyObject *names = singular_names(c, bad);
        if (names && PyUnicode_GET_LENGTH(names)) {
            PyErr_Format(hamel_errors[status], "%s%sthe mass matrix is singular: nothing gives %U any inertia", where,
                         *where ? ": " : "", names);
        }
        Py_XDECREF(names);
    }
    hml_error why = {0};
    if (status == HML_UNSUPPORTED && c->model && !strncmp(c->f->name, "reference_", 10) &&
        hml_reference_check(c->r.model, &why)) {
        raise_error(&why);
    }
    if (!PyErr_Occurred()) raise_status(status, *where ? where : NULL);
}

static int compute(call *c)
{
    int threads = threads_for(c->threads, c->n);
    if (threads < 1) return -1;
    if (c->model || c->n >= ROWS_WORTH_A_RELEASE) {
        Py_BEGIN_ALLOW_THREADS if (threads == 1) run_rows(c, 0, 0, c->n);
        else in_pieces(threads, c->n, run_rows, c);
        Py_END_ALLOW_THREADS
    } else {
        threads = 1;
        run_rows(c, 0, 0, c->n);
    }
    for (int t = 0; t < threads; t++) {
        if (!c->bad_status[t]) continue;
        explain(c, c->bad_row[t], c->bad_status[t]);
        return -1;
    }
    return 0;
}

/* ---- the whole ---- */

static void let_go(call *c)
{
    PyMem_Free(c->holds);
    for (int i = 0; i < c->f->nparameters; i++) Py_XDECREF(c->held[i]);
    for (int i = 0; i < c->f->noutputs; i++) Py_XDECREF(c->made[i]);
}

/* the outputs one after the other in one block of memory, an older one if the caller has one that fits */
static int make_block(call *c, results *x, PyArrayObject *(*older)(PyObject *out))
{
    npy_intp total = 0;
    for (int k = 0; k < c->f->noutputs; k++) {
        const shape *s = &c->f->outputs[k].shape;
        npy_intp core = 1;
        for (int i = 0; i < s->ncore; i++) core *= core_size(c, &s->core[i]);
        c->out_size[k] = (size_t)core;
        total += core * c->n;
    }
    if (c->out) {
        x->block = older(c->out);
        if (!x->block) return -1;
        if (PyArray_SIZE(x->block) != total) {
            PyErr_SetString(hamel_errors[HML_INVALID_ARGUMENT], "out has another shape");
            return -1;
        }
        if (overlaps(c, x->block)) {
            PyErr_SetString(hamel_errors[HML_INVALID_ARGUMENT], "out overlaps an argument");
            return -1;
        }
        x->out = c->out;
        Py_INCREF(x->block);
    } else {
        x->block = (PyArrayObject *)PyArray_SimpleNew(1, &total, NPY_DOUBLE);
        if (!x->block) return -1;
    }
    double *data = PyArray_DATA(x->block);
    for (int k = 0; k < c->f->noutputs; k++) {
        c->r.out[k] = data;
        data += (npy_intp)c->out_size[k] * c->n;
    }
    c->made[0] = x->block;
    return 0;
}

int function_run(function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                 PyArrayObject *(*older)(PyObject *out), results *x)
{
    call c;
    *x = (results){0};
    int failed = read_call(&c, f, self, arguments, count, names) || make_block(&c, x, older) || compute(&c);
    if (!failed) {
        memcpy(x->choice, c.r.choice, sizeof x->choice);
        memcpy(x->given, c.given, sizeof x->given);
        memcpy(x->lead, c.lead, sizeof x->lead);
        x->rows = c.r.constraints ? c.symbol['l' - 'a'] : 0;
        x->nlead = c.nlead;
        c.made[0] = NULL;
    }
    let_go(&c);
    return failed ? -1 : 0;
}

PyObject *function_call(function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    call c;
    PyObject *result = NULL;
    if (!read_call(&c, f, self, arguments, count, names) && !make_outputs(&c) && !compute(&c)) {
        result = f->result ? PyStructSequence_New(f->result) : hand_over(&c, 0);
        for (int k = 0; f->result && result && k < f->noutputs; k++) {
            PyStructSequence_SetItem(result, k, hand_over(&c, k)); /* takes the reference */
        }
    }
    let_go(&c);
    return result;
}
