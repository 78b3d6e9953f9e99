/* What a Linearization shows: arrays over its block, names, and the settings of the call. See linearization.h. */
#include <string.h>

#include "linearization.h"

static const char *const REPRESENTATIONS[] = {"left", "right", "mixed", "split"};
static const char *const INPUTS[] = {"all", "actuated"};
static const char *const SIDES[] = {"local", "global"};

static const hml_model *model_of(const linearization_object *self) { return ((model_object *)self->model)->model; }
static npy_intp nv_of(const linearization_object *self) { return hml_model_nv(model_of(self)); }

int linearization_core(const linearization_object *self, int k, npy_intp dims[MAX_CORE])
{
    const shape *s = &self->f->outputs[k].shape;
    for (int i = 0; i < s->ncore; i++) {
        const int symbol = s->core[i].symbol + 'a';
        const npy_intp size = symbol == 'v'   ? nv_of(self)
                              : symbol == 'q' ? hml_model_nq(model_of(self))
                              : symbol == 'l' ? self->rows
                                              : 1;
        dims[i] = s->core[i].factor * size;
    }
    return s->ncore;
}

static PyObject *over(PyArrayObject *base, int ndim, const npy_intp *dims, const npy_intp *strides, void *data)
{
    PyObject *made = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(NPY_DOUBLE), ndim, dims, strides, data,
                                          NPY_ARRAY_CARRAY, NULL);
    if (!made) return NULL;
    PyArray_UpdateFlags((PyArrayObject *)made, NPY_ARRAY_UPDATE_ALL);
    Py_INCREF(base);
    if (PyArray_SetBaseObject((PyArrayObject *)made, (PyObject *)base) < 0) Py_CLEAR(made);
    return made;
}

/* output k; borrowed */
static PyArrayObject *array(linearization_object *self, int k)
{
    if (self->array[k]) return self->array[k];
    npy_intp n = 1, before = 0, dims[MAX_LEAD + MAX_CORE];
    for (int i = 0; i < self->nlead; i++) n *= dims[i] = self->lead[i];
    int ncore = 0;
    for (int j = 0; j <= k; j++) {
        npy_intp core = 1;
        ncore = linearization_core(self, j, dims + self->nlead);
        for (int i = 0; i < ncore; i++) core *= dims[self->nlead + i];
        if (j < k) before += n * core;
    }
    double *data = (double *)PyArray_DATA(self->block) + before;
    self->array[k] = (PyArrayObject *)over(self->block, self->nlead + ncore, dims, NULL, data);
    return self->array[k];
}

static PyObject *new_array(linearization_object *self, int k)
{
    PyArrayObject *made = array(self, k);
    return made ? Py_NewRef((PyObject *)made) : NULL;
}

/* rows row0 … row0 + rows − 1 and columns alike of the last two dimensions, without a copy */
static PyObject *part(PyArrayObject *of, npy_intp row0, npy_intp rows, npy_intp column0, npy_intp columns)
{
    if (!of) return NULL;
    int n = PyArray_NDIM(of);
    npy_intp dims[MAX_LEAD + 2];
    memcpy(dims, PyArray_DIMS(of), (size_t)n * sizeof *dims);
    dims[n - 2] = rows;
    dims[n - 1] = columns;
    char *data = PyArray_BYTES(of) + row0 * PyArray_STRIDE(of, n - 2) + column0 * PyArray_STRIDE(of, n - 1);
    return over(of, n, dims, PyArray_STRIDES(of), data);
}

static PyObject *get_A(linearization_object *self, void *closure)
{
    (void)closure;
    return new_array(self, self->kind->A);
}

static PyObject *get_acceleration(linearization_object *self, void *closure)
{
    (void)closure;
    return new_array(self, self->kind->acceleration);
}

static PyObject *get_Dq(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return part(array(self, self->kind->A), nv, nv, 0, nv);
}

static PyObject *get_Dv(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return part(array(self, self->kind->A), nv, nv, nv, nv);
}

static PyObject *get_Minv(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return part(array(self, self->kind->B), nv, nv, 0, nv);
}

/* the columns of actuated coordinates: a view where they stand together, as they do behind a free base */
static PyObject *get_B(linearization_object *self, void *closure)
{
    (void)closure;
    PyArrayObject *all = array(self, self->kind->B);
    if (!self->actuated || !all) return new_array(self, self->kind->B);
    PyObject *marks = PyObject_GetAttrString(self->model, "actuated");
    if (!marks) return NULL;
    const npy_bool *mark = PyArray_DATA((PyArrayObject *)marks);
    npy_intp nv = nv_of(self), first = 0, last = nv, count = 0;
    while (first < nv && !mark[first]) first++;
    while (last > first && !mark[last - 1]) last--;
    for (npy_intp i = first; i < last; i++) count += mark[i];
    PyObject *B = NULL;
    if (count == last - first) {
        B = part(all, 0, 2 * nv, first, count);
    } else {
        PyObject *columns = PyObject_CallMethod(marks, "nonzero", NULL);
        if (columns) B = PyArray_TakeFrom(all, PyTuple_GET_ITEM(columns, 0), PyArray_NDIM(all) - 1, NULL, NPY_RAISE);
        Py_XDECREF(columns);
    }
    Py_DECREF(marks);
    return B;
}

/* an output by its name */
static PyObject *get_output(linearization_object *self, void *closure)
{
    for (int k = 0; k < self->f->noutputs; k++) {
        if (!PyUnicode_CompareWithASCIIString(self->f->outputs[k].name, closure)) return new_array(self, k);
    }
    return PyErr_Format(PyExc_AttributeError, "%s", (const char *)closure);
}

/* what the plain kind has and others do not */
static PyObject *get_nothing(linearization_object *self, void *closure)
{
    return PyErr_Format(PyExc_AttributeError, "'%s' has %s", Py_TYPE(self)->tp_name, (const char *)closure);
}

static PyObject *get_h(linearization_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef(self->h);
}

static PyObject *get_model(linearization_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef(self->model);
}

static PyObject *get_representation(linearization_object *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(REPRESENTATIONS[self->representation]);
}

static PyObject *get_inputs(linearization_object *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(INPUTS[self->actuated]);
}

static PyObject *get_side(linearization_object *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(SIDES[self->side]);
}

static PyObject *get_velocity_names(linearization_object *self, void *closure)
{
    (void)closure;
    return PyObject_GetAttrString(self->model, "velocity_names");
}

/* what hamel/_labels.py says */
static PyObject *get_named(linearization_object *self, void *closure)
{
    PyObject *module = PyImport_ImportModule("hamel._labels"), *result = NULL;
    if (module) result = PyObject_CallMethod(module, closure, "O", (PyObject *)self);
    Py_XDECREF(module);
    return result;
}

/* ---- as the tuples that they were: their outputs in order ---- */

static Py_ssize_t length(PyObject *self) { return ((linearization_object *)self)->f->noutputs; }

static PyObject *item(PyObject *self, Py_ssize_t k)
{
    const function *f = ((linearization_object *)self)->f;
    if (k >= 0 && k < f->noutputs) return PyObject_GetAttr(self, f->outputs[k].name);
    PyErr_SetString(PyExc_IndexError, "a linearization has fewer entries");
    return NULL;
}

PySequenceMethods linearization_sequence = {.sq_length = length, .sq_item = item};

static PyObject *get_fields(linearization_object *self, void *closure)
{
    (void)closure;
    PyObject *names = PyTuple_New(self->f->noutputs);
    for (int k = 0; names && k < self->f->noutputs; k++)
        PyTuple_SET_ITEM(names, k, Py_NewRef(self->f->outputs[k].name));
    return names;
}

#define OUTPUT(name, text)                                                                                             \
    {                                                                                                                  \
        name, (getter)get_output, NULL, text, name                                                                     \
    }
#define NONE(name, text)                                                                                               \
    {                                                                                                                  \
        name, (getter)get_nothing, NULL, text, text                                                                    \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, NULL, NULL, NULL, NULL                                                                                   \
    }

PyGetSetDef linearization_getset[] = {
    {"A", (getter)get_A, NULL, "(…, 2nv, 2nv): first the configuration's perturbation, then the velocity's.", NULL},
    {"B", (getter)get_B, NULL, "(…, 2nv, inputs).", NULL},
    {"acceleration", (getter)get_acceleration, NULL, "ν̇: (…, nv).", NULL},
    {"Dq", (getter)get_Dq, NULL, "∂ν̇/∂q: (…, nv, nv), a view of A.", NULL},
    {"Dv", (getter)get_Dv, NULL, "∂ν̇/∂ν: (…, nv, nv), a view of A.", NULL},
    {"Minv", (getter)get_Minv, NULL, "∂ν̇/∂τ, that is M⁻¹: (…, nv, nv), a view of B with all its columns.", NULL},
    {"model", (getter)get_model, NULL, "The model.", NULL},
    {"representation", (getter)get_representation, NULL, "left, right, mixed or split.", NULL},
    {"inputs", (getter)get_inputs, NULL, "all or actuated.", NULL},
    {"side", (getter)get_side, NULL, "local: perturbations g·exp(z); global: exp(z)·g.", NULL},
    {"velocity_names", (getter)get_velocity_names, NULL, "Names of the coordinates of ν.", NULL},
    {"state_names", (getter)get_named, NULL, "Names of A's rows: 'q knee' …, 'v knee' ….", "state_names"},
    {"input_names", (getter)get_named, NULL, "Names of B's columns.", "input_names"},
    {"eigenvalues", (getter)get_named, NULL, "Of A: (…, 2nv), complex.", "eigenvalues"},
    {"_fields", (getter)get_fields, NULL, "Names of what the call computes.", NULL},
    END,
};

PyGetSetDef held_getset[] = {
    OUTPUT("Dq", "∂ν̇/∂q: (…, nv, nv)."),
    OUTPUT("Dv", "∂ν̇/∂ν: (…, nv, nv)."),
    OUTPUT("Dtau", "∂ν̇/∂τ: (…, nv, nv)."),
    OUTPUT("force", "λ, the forces of the holds: (…, rows)."),
    OUTPUT("force_q", "∂λ/∂q: (…, rows, nv)."),
    OUTPUT("force_v", "∂λ/∂ν: (…, rows, nv)."),
    OUTPUT("force_tau", "∂λ/∂τ: (…, rows, nv)."),
    NONE("Minv", "no Minv: ∂ν̇/∂τ of a held robot is Dtau"),
    END,
};

PyGetSetDef step_getset[] = {
    OUTPUT("q", "q after the step: (…, nq)."),
    OUTPUT("v", "ν after the step, left: (…, nv)."),
    {"Ad", (getter)get_A, NULL, "The same as A: (…, 2nv, 2nv).", NULL},
    {"Bd", (getter)get_B, NULL, "The same as B: (…, 2nv, inputs).", NULL},
    {"h", (getter)get_h, NULL, "How long the step is, in seconds.", NULL},
    NONE("acceleration", "no acceleration: it is a step, with q and v at its end"),
    NONE("Dq", "no Dq: it is a step, with Ad"),
    NONE("Dv", "no Dv: it is a step, with Ad"),
    NONE("Minv", "no Minv: it is a step, with Bd"),
    END,
};
