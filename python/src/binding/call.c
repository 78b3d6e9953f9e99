/*
 * The call: arguments to rows, rows to threads, results to arrays.
 *
 * Arrays that are float64 and in C order are read and written where they lie. The interpreter's lock is released while
 * a model computes. Nothing is kept from call to call but the model's workspaces.
 */
#include <math.h>
#include <string.h>

#include "objects.h"

enum { MAX_THREADS = 64, ROWS_WORTH_A_RELEASE = 64 };

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

static PyObject *word_out, *word_threads;

/* ---- arguments ---- */

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
    return PyUnicode_Compare(word, word_threads) ? -1 : f->nparameters + 1;
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
        else {
            PyErr_Format(PyExc_TypeError, "%s() has %s argument %R", f->name, i < 0 ? "no" : "two values for its",
                         name);
            return -1;
        }
    }
    for (int i = 0; i < f->nparameters; i++) {
        if (c->given[i] && c->given[i] != Py_None) continue;
        if (!f->parameters[i].optional) {
            PyErr_Format(PyExc_TypeError, "%s() misses its argument %R", f->name, f->parameters[i].name);
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
    if (words) PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U is one of %U, not %R", p->name, words, object);
    Py_XDECREF(words);
    return -1;
}

static int read_integer(const parameter *p, PyObject *object, int *number)
{
    PyObject *index = PyNumber_Index(object);
    long value = index ? PyLong_AsLong(index) : -1;
    Py_XDECREF(index);
    if (PyErr_Occurred()) return -1;
    if (value < INT_MIN || value > INT_MAX) {
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U is out of range", p->name);
        return -1;
    }
    *number = (int)value;
    return 0;
}

int32_t find_frame(const hml_model *model, PyObject *object, int world)
{
    if (PyUnicode_Check(object)) {
        const char *name = PyUnicode_AsUTF8(object);
        if (!name) return INT32_MIN;
        int32_t index = hml_model_find_frame(model, name);
        if (index >= 0 || (world && !strcmp(name, "world"))) return index;
        PyErr_Format(hamel_errors[HML_NOT_FOUND], "no frame, body or link is called %R", object);
        return INT32_MIN;
    }
    PyObject *number = PyNumber_Index(object);
    long index = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    if (PyErr_Occurred()) return INT32_MIN;
    if (index >= (world ? -1 : 0) && index < hml_model_nframes(model)) return (int32_t)index;
    PyErr_Format(hamel_errors[HML_NOT_FOUND], "there is no frame %ld", index);
    return INT32_MIN;
}

static npy_intp core_size(const call *c, const dimension *d)
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
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%U has shape %S, wanted is (%U)", name, has, wanted);
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
        PyErr_Format(PyExc_TypeError, "%U holds %R, wanted are integers", p->name, (PyObject *)PyArray_DESCR(any));
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
    hml_status status = hml_layout_size(c->r.model, (hml_layout)c->r.choice[i], options, &nq, &nv);
    if (status) raise_status(status, NULL);
    c->symbol['x' - 'a'] = nq;
    c->symbol['y' - 'a'] = nv;
    return status ? -1 : 0;
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
        if (has && wanted) PyErr_Format(wrong, "out for %U has shape %S, wanted is %S", o->name, has, wanted);
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
    }
    if (!status && !(c->f->batch && run_batch(c, &r, begin, end))) {
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

/* names of the coordinates that nothing gives any inertia; the q of the bad row, if the function has one */
static PyObject *singular_names(const call *c, npy_intp bad)
{
    int q = 0;
    while (q < c->f->nparameters && PyUnicode_CompareWithASCIIString(c->f->parameters[q].name, "q")) q++;
    if (!c->model || q == c->f->nparameters || !c->r.in[q]) return NULL;
    const hml_model *model = c->r.model;
    int32_t nv = hml_model_nv(model);
    int *marks = PyMem_Malloc(((size_t)nv + 1) * sizeof *marks);
    workspace *space = workspace_take(c->model);
    PyObject *names = PyUnicode_FromString("");
    if (marks && space && names &&
        !hml_singular_coordinates(model, space->work, c->r.in[q] + (size_t)bad * c->r.stride[q], marks)) {
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
    if (status == HML_SINGULAR) {
        PyObject *names = singular_names(c, bad);
        if (names && PyUnicode_GET_LENGTH(names)) {
            PyErr_Format(hamel_errors[status], "%s%sthe mass matrix is singular: nothing gives %U any inertia", where,
                         *where ? ": " : "", names);
        }
        Py_XDECREF(names);
    }
    if (!PyErr_Occurred()) raise_status(status, *where ? where : NULL);
}

static int compute(call *c)
{
    npy_intp wanted = 0;
    if (c->threads) {
        wanted = PyLong_AsSsize_t(c->threads);
        if (wanted < 1) {
            if (!PyErr_Occurred()) PyErr_SetString(hamel_errors[HML_INVALID_ARGUMENT], "threads is at least 1");
            return -1;
        }
    }
    int threads = c->n > 1 ? thread_count(wanted, c->n) : 1;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
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

static int read_call(call *c, function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *names)
{
    memset(c, 0, offsetof(call, lead));
    return prepare(c, f, self) || sort_arguments(c, arguments, count, names) || read_arguments(c) ? -1 : 0;
}

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
        memcpy(x->lead, c.lead, sizeof x->lead);
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
