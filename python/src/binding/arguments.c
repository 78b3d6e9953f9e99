/*
 * Arguments to rows: which is which, what they hold, how they are broadcast.
 *
 * Arrays that are float64 and in C order are read where they lie; others are copied, if they can be.
 */
#include <math.h>
#include <string.h>

#include "call.h"

static PyObject *word_out, *word_threads;

/* ---- which is which ---- */

/* names for the same thing, all of which are taken */
static const char *const SYNONYMS[][2] = {{"acceleration", "a"}, {"scheme", "integrator"}, {"hold", "holds"}};

/* which parameter a keyword names; nparameters: out, nparameters + 1: threads, −1: none. Words are mostly the same
 * objects, so that looking at the pointers is enough */
static int find_word(const function *f, PyObject *word)
{
    if (word == word_out) return f->nparameters;
    if (word == word_threads) return f->nparameters + 1;
    for (int i = 0; i < f->nparameters; i++) {
        if (word == f->parameters[i].name) return i;
    }
    for (int i = 0; i < f->nparameters; i++) {
        if (!PyUnicode_Compare(word, f->parameters[i].name)) return i;
    }
    if (!PyUnicode_Compare(word, word_out)) return f->nparameters;
    if (!PyUnicode_Compare(word, word_threads)) return f->nparameters + 1;
    for (size_t k = 0; k < COUNT(SYNONYMS); k++) {
        if (PyUnicode_CompareWithASCIIString(word, SYNONYMS[k][0])) continue;
        for (int i = 0; i < f->nparameters; i++) {
            if (!PyUnicode_CompareWithASCIIString(f->parameters[i].name, SYNONYMS[k][1])) return i;
        }
    }
    return -1;
}

static int no_such_argument(const function *f, PyObject *name)
{
    PyObject *known = Py_BuildValue("[OO]", word_out, word_threads);
    char what[128];
    for (int i = 0; known && i < f->nparameters; i++) {
        if (PyList_Append(known, f->parameters[i].name)) Py_CLEAR(known);
    }
    snprintf(what, sizeof what, "%s() has no argument", f->name);
    raise_unknown(PyExc_TypeError, what, name, known);
    Py_XDECREF(known);
    return -1;
}

static int sort_arguments(call *c, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    const function *f = c->f;
    if (count > f->nparameters) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d arguments, %zd were given", f->name, f->nparameters, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) c->given[i] = arguments[i];
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *value = arguments[count + k];
        int i = find_word(f, name);
        if (i == f->nparameters)
            c->out = value == Py_None ? NULL : value;
        else if (i == f->nparameters + 1)
            c->threads = value == Py_None ? NULL : value;
        else if (i >= 0 && !c->given[i])
            c->given[i] = value;
        else if (i >= 0) {
            PyErr_Format(PyExc_TypeError, "%s() has two values for its argument %R", f->name, name);
            return -1;
        } else {
            return no_such_argument(f, name);
        }
    }
    for (int i = 0; i < f->nparameters; i++) {
        if (c->given[i] && c->given[i] != Py_None) continue;
        if (!f->parameters[i].optional) {
            PyErr_Format(PyExc_TypeError, "%s() is missing its argument %R", f->name, f->parameters[i].name);
            return -1;
        }
        c->given[i] = NULL;
    }
    return 0;
}

static int read_choice(const parameter *p, PyObject *object, int *choice)
{
    for (int i = 0; PyUnicode_Check(object) && p->words[i]; i++) {
        if (PyUnicode_CompareWithASCIIString(object, p->words[i]) == 0) {
            *choice = i;
            return 0;
        }
    }
    PyObject *words = PyUnicode_FromString(p->words[0]);
    for (int i = 1; words && p->words[i]; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U, %s", words, p->words[i]);
        Py_DECREF(words);
        words = longer;
    }
    PyObject *known = list_of_words(p->words), *hint = did_you_mean(object, known);
    if (words && hint)
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U is one of %U, not %R%U", p->name, words, object, hint);
    Py_XDECREF(hint);
    Py_XDECREF(known);
    Py_XDECREF(words);
    return -1;
}

static int read_integer(const parameter *p, PyObject *object, int *number)
{
    PyObject *index = PyNumber_Index(object);
    long value = index ? PyLong_AsLong(index) : -1;
    Py_XDECREF(index);
    if (!index) PyErr_Format(PyExc_TypeError, "%U is an integer, not %R", p->name, (PyObject *)Py_TYPE(object));
    if (PyErr_Occurred()) return -1;
    if (value < INT_MIN || value > INT_MAX) {
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U is out of range", p->name);
        return -1;
    }
    *number = (int)value;
    return 0;
}

npy_intp core_size(const call *c, const dimension *d)
{
    return d->symbol < 0 ? d->factor : d->factor * c->symbol[d->symbol];
}

static int wrong_shape(const call *c, PyObject *name, const shape *s, PyArrayObject *array, const char *lead)
{
    PyObject *wanted = PyUnicode_FromString(lead);
    for (int i = 0; wanted && i < s->ncore; i++) {
        npy_intp size = core_size(c, &s->core[i]);
        PyObject *longer = PyUnicode_FromFormat(size < 0 ? "%U, n" : "%U, %zd", wanted, size);
        Py_DECREF(wanted);
        wanted = longer;
    }
    PyObject *has = PyObject_GetAttrString((PyObject *)array, "shape");
    if (wanted && has)
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U has shape %S, expected (%U)", name, has, wanted);
    Py_XDECREF(wanted);
    Py_XDECREF(has);
    return -1;
}

/* the last dimensions are what the signature says; symbols that are still open take their size here */
static int check_core(call *c, const parameter *p, PyArrayObject *array)
{
    const shape *s = &p->shape;
    int extra = PyArray_NDIM(array) - s->ncore;
    if (extra < 0) return wrong_shape(c, p->name, s, array, "…");
    for (int i = 0; i < s->ncore; i++) {
        const dimension *d = &s->core[i];
        npy_intp size = PyArray_DIM(array, extra + i);
        if (d->symbol >= 0 && c->symbol[d->symbol] < 0 && d->factor == 1) c->symbol[d->symbol] = size;
        if (core_size(c, d) != size) return wrong_shape(c, p->name, s, array, "…");
    }
    return 0;
}

static int broadcast(call *c, const parameter *p, PyArrayObject *array)
{
    int extra = PyArray_NDIM(array) - p->shape.ncore;
    if (extra > MAX_LEAD) {
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U has too many dimensions", p->name);
        return -1;
    }
    while (c->nlead < extra) {
        memmove(c->lead + 1, c->lead, (size_t)c->nlead * sizeof *c->lead);
        c->lead[0] = 1;
        c->nlead++;
    }
    for (int i = 0; i < extra; i++) {
        npy_intp size = PyArray_DIM(array, i), *lead = &c->lead[c->nlead - extra + i];
        if (*lead == 1) *lead = size;
        if (size != *lead && size != 1)
            return wrong_shape(c, p->name, &p->shape, array, "the others' leading dimensions");
    }
    return 0;
}

/* the first number that is NaN or infinity: its exponent is all ones, and one more carries into the sign; −1: none */
static npy_intp not_finite(const double *data, npy_intp n)
{
    const uint64_t exponent = 0x7ff0000000000000u, one = 0x0010000000000000u;
    uint64_t carry = 0, bits;
    for (npy_intp i = 0; i < n; i++) {
        memcpy(&bits, data + i, sizeof bits);
        carry |= (bits & exponent) + one;
    }
    if (!(carry >> 63)) return -1;
    npy_intp i = 0;
    while (isfinite(data[i])) i++;
    return i;
}

/* the same exception for every function; a screw's pitch alone may be infinite, and a directional point is the
 * library's own memory */
static int check_finite(const call *c, const parameter *p, PyArrayObject *array, npy_intp core)
{
    if (p->shape.ncore && p->shape.core[0].symbol == 'p' - 'a') return 0;
    npy_intp bad = not_finite(PyArray_DATA(array), PyArray_SIZE(array));
    if (bad < 0 ||
        (!PyUnicode_CompareWithASCIIString(p->name, "pitch") && !isnan(((double *)PyArray_DATA(array))[bad]))) {
        return 0;
    }
    if (c->n > 1)
        PyErr_Format(hamel_errors[HML_NOT_FINITE], "row %zd: %U holds NaN or infinity", (Py_ssize_t)(bad / core),
                     p->name);
    else
        PyErr_Format(hamel_errors[HML_NOT_FINITE], "%U holds NaN or infinity", p->name);
    return -1;
}

/* one row after the other, or the same row always: copies where rows repeat in another way */
static int lay_rows(call *c, int i)
{
    const parameter *p = &c->f->parameters[i];
    PyArrayObject *array = c->held[i];
    npy_intp core = 1, rows;
    for (int k = 0; k < p->shape.ncore; k++) core *= core_size(c, &p->shape.core[k]);
    rows = 1;
    for (int k = 0; k < PyArray_NDIM(array) - p->shape.ncore; k++) rows *= PyArray_DIM(array, k);
    if (rows != c->n && (rows != 1 || (c->f->batch && !c->model))) {
        npy_intp dims[MAX_LEAD + MAX_CORE];
        memcpy(dims, c->lead, (size_t)c->nlead * sizeof *dims);
        for (int k = 0; k < p->shape.ncore; k++) dims[c->nlead + k] = core_size(c, &p->shape.core[k]);
        PyArrayObject *full = (PyArrayObject *)PyArray_SimpleNew(c->nlead + p->shape.ncore, dims, NPY_DOUBLE);
        if (!full || PyArray_CopyInto(full, array) < 0) {
            Py_XDECREF(full);
            return -1;
        }
        Py_SETREF(c->held[i], full);
        rows = c->n;
    }
    if (!c->tolerant && check_finite(c, p, c->held[i], core)) return -1;
    c->r.in[i] = PyArray_DATA(c->held[i]);
    c->r.stride[i] = rows == 1 && c->n != 1 ? 0 : (size_t)core;
    return 0;
}

static int read_marks(call *c, int i)
{
    const parameter *p = &c->f->parameters[i];
    PyArrayObject *any = (PyArrayObject *)PyArray_FromAny(c->given[i], NULL, 0, 0, 0, NULL);
    if (!any) return -1;
    if (!PyArray_ISINTEGER(any) && !PyArray_ISBOOL(any)) {
        PyErr_Format(PyExc_TypeError, "%U holds %R, expected integers", p->name, (PyObject *)PyArray_DESCR(any));
        Py_DECREF(any);
        return -1;
    }
    c->held[i] = (PyArrayObject *)PyArray_FromArray(any, PyArray_DescrFromType(NPY_INT),
                                                    NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
    Py_DECREF(any);
    if (!c->held[i] || check_core(c, p, c->held[i])) return -1;
    if (PyArray_NDIM(c->held[i]) != p->shape.ncore) return wrong_shape(c, p->name, &p->shape, c->held[i], "");
    c->r.marks[i] = PyArray_DATA(c->held[i]);
    return 0;
}

/* a function with a layout, and options behind it, has sizes of its own */
static int layout_sizes(call *c)
{
    const function *f = c->f;
    int i = 0;
    while (i < f->nparameters && (f->parameters[i].kind != CHOICE || strcmp(f->parameters[i].words[0], "hamel"))) i++;
    if (i == f->nparameters) return 0;
    int32_t nq = 0, nv = 0;
    unsigned options = (unsigned)c->r.choice[i + 1];
    hml_status status = hml_layout_count(c->r.model, (hml_layout)c->r.choice[i], options, &nq, &nv);
    if (status) raise_status(status, NULL);
    c->symbol['x' - 'a'] = nq;
    c->symbol['y' - 'a'] = nv;
    return status ? -1 : 0;
}

/* a function that asks for a rotation by its kind has as many coordinates as that needs */
static void coordinate_size(call *c)
{
    const function *f = c->f;
    for (int i = 0; i < f->nparameters; i++) {
        if (f->parameters[i].kind == CHOICE && !strcmp(f->parameters[i].words[0], "matrix"))
            c->symbol['z' - 'a'] = hml_coordinates_count(c->r.model, (hml_rotation)c->r.choice[i]);
    }
}

/* a result with a dimension for each motion that the holds leave: the first row's */
static int freedom_size(call *c, PyObject *self)
{
    const function *f = c->f;
    const dimension *d = f->noutputs ? f->outputs[0].shape.core : NULL;
    if (!d || !f->outputs[0].shape.ncore || d->symbol != 'd' - 'a') return 0;
    const npy_intp size = c->n > 0 ? holds_freedom(self, c->r.constraints, c->r.in[1]) : 0;
    c->symbol['d' - 'a'] = size;
    return size < 0 ? -1 : 0;
}

static int read_arguments(call *c)
{
    const function *f = c->f;
    for (int i = 0; i < f->nparameters; i++) {
        const parameter *p = &f->parameters[i];
        PyObject *object = c->given[i];
        int failed = 0;
        c->r.choice[i] = p->fallback;
        if (!object) continue;
        switch (p->kind) {
        case CHOICE: failed = read_choice(p, object, &c->r.choice[i]); break;
        case INTEGER: failed = read_integer(p, object, &c->r.choice[i]); break;
        case FRAME:
            c->r.choice[i] = find_frame(c->r.model, object, p->optional);
            failed = c->r.choice[i] == INT32_MIN;
            break;
        case INTEGERS: failed = read_marks(c, i); break;
        case HOLDS:
            failed = read_holds(c->r.model, object, &c->constraints, &c->holds);
            c->r.constraints = &c->constraints;
            if (!failed) c->symbol['l' - 'a'] = hml_constraint_rows(&c->constraints);
            break;
        case DOUBLES:
            c->held[i] = array_of(object, p->name);
            failed = !c->held[i];
            break;
        }
        if (failed) return -1;
    }
    if (layout_sizes(c)) return -1;
    coordinate_size(c);
    for (int i = 0; i < f->nparameters; i++) {
        if (f->parameters[i].kind != DOUBLES || !c->held[i]) continue;
        if (check_core(c, &f->parameters[i], c->held[i])) return -1;
        if (PyArray_NDIM(c->held[i]) > f->parameters[i].shape.ncore && broadcast(c, &f->parameters[i], c->held[i]))
            return -1;
    }
    c->n = 1;
    c->tolerant = f->errors >= 0 && c->r.choice[f->errors];
    for (int k = 0; k < c->nlead; k++) c->n *= c->lead[k];
    for (int i = 0; i < f->nparameters; i++) {
        if (f->parameters[i].kind == DOUBLES && c->held[i] && lay_rows(c, i)) return -1;
    }
    return 0;
}

/* ---- the whole ---- */

static int prepare(call *c, function *f, PyObject *self)
{
    c->f = f;
    c->r.symbol = c->symbol;
    c->r.n = 1;
    if (!word_out) word_out = PyUnicode_InternFromString("out");
    if (!word_threads) word_threads = PyUnicode_InternFromString("threads");
    if (!word_out || !word_threads) return -1;
    if (self && Py_TYPE(self) == &model_type) {
        c->model = (model_object *)self;
        c->r.model = c->model->model;
        memcpy(c->symbol, c->model->symbol, sizeof c->symbol);
        return 0;
    }
    for (int i = 0; i < SYMBOLS; i++) c->symbol[i] = -1;
    if (self && Py_TYPE(self) == &group_type) {
        c->r.group = &((group_object *)self)->group;
        c->symbol['g' - 'a'] = hml_group_dimension(c->r.group->group);
    }
    return 0;
}

int read_call(call *c, function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    memset(c, 0, offsetof(call, lead));
    return prepare(c, f, self) || sort_arguments(c, arguments, count, names) || read_arguments(c) ||
                   freedom_size(c, self)
               ? -1
               : 0;
}
