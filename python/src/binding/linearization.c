/*
 * Model.linearize, and Linearization, what it returns.
 *
 * A holds D_q and D_ν, B holds M⁻¹: they are computed once, into A and B, and seen through views.
 */
#include <string.h>

#include "objects.h"

typedef struct linearization_object {
    PyObject_HEAD PyObject *model;
    PyArrayObject *A, *B, *acceleration; /* (…, 2nv, 2nv), (…, 2nv, nv), (…, nv) */
    int representation, actuated;
} linearization_object;

static const char *const REPRESENTATIONS[] = {"left", "right", "mixed", "split"};
static const char *const INPUTS[] = {"all", "actuated"};

enum { Q, V, TAU, WRENCHES, REPRESENTATION, INPUT, ERRORS, OUT_A = 0, OUT_B, OUT_ACCELERATION };

static hml_status to_representation(const row *r, size_t i)
{
    hml_representation representation = (hml_representation)r->choice[REPRESENTATION];
    size_t n = (size_t)hml_model_nv(r->model);
    const double *q = r->in[Q] + i * r->stride[Q], *v = r->in[V] + i * r->stride[V];
    double *A = r->out[OUT_A] + i * 4 * n * n, *B = r->out[OUT_B] + i * 2 * n * n;
    double *a = r->out[OUT_ACCELERATION] + i * n;
    hml_status status = hml_linearization_to_representation(r->model, representation, q, v, a, (int32_t)n, A, B);
    return status ? status : hml_acceleration_to_representation(r->model, representation, q, v, a, a);
}

static hml_status linearize(const row *r)
{
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {r->in[Q], r->stride[Q]},
                                 .v = {r->in[V], r->stride[V]},
                                 .tau = {r->in[TAU], r->stride[TAU]},
                                 .wrenches = {r->in[WRENCHES], r->stride[WRENCHES]},
                                 .acceleration = {r->out[OUT_ACCELERATION], 0, 0},
                                 .A = {r->out[OUT_A], 0, 0},
                                 .B = {r->out[OUT_B], 0, 0}};
    hml_status status =
        r->n == 1 ? hml_linearize(r->model, r->work, &x) : hml_linearize_batch(r->model, r->work, r->n, &x, NULL);
    int tolerant = r->choice[ERRORS] && r->n > 1; /* what failed is NaN already, and stays that */
    for (size_t i = 0; i < r->n && (tolerant || !status) && r->choice[REPRESENTATION] != HML_LEFT; i++) {
        status = to_representation(r, i);
    }
    return tolerant ? HML_OK : status;
}

static entry from_python;
static function linearize_function = {
    "Model",
    "linearize",
    "q:q v:v tau?:v wrenches?:b,6 representation=left inputs=all errors=raise > A:2v,2v B:2v,v acceleration:v",
    "ż = A z + B w, exactly, at q, ν, τ: A = [−ad_ν I; D_q D_ν], B = [0; M⁻¹], z = (z_q, z_ν) with q ⊕ z_q, ν + "
    "z_ν.\n\n"
    "Returns a Linearization: A, B, Dq, Dv, Minv, acceleration and names. With leading dimensions all of them have\n"
    "these. representation: of the results' velocities. inputs: B's columns, one for every coordinate, or for the\n"
    "actuated ones. errors: 'nan' lets a state that fails become NaN instead of raising. out: an older Linearization\n"
    "of the same shape, which is filled again.",
    linearize,
    linearize,
    from_python,
    0,
    0,
    {{0}},
    {{0}},
    NULL,
    -1,
};

/* ---- making ---- */

static linearization_object *new_linearization(PyObject *model)
{
    linearization_object *self = PyObject_New(linearization_object, &linearization_type);
    if (!self) return NULL;
    self->model = Py_NewRef(model);
    self->A = self->B = self->acceleration = NULL;
    self->representation = self->actuated = 0;
    return self;
}

/* out=Linearization becomes the tuple that function_run takes */
static PyObject *from_python(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *filled = NULL, *tuple = NULL, *copy[MAX_PARAMETERS + 2];
    row r;
    PyArrayObject *made[MAX_OUTPUTS] = {NULL};
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *value = arguments[count + k];
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, k), "out") || value == Py_None) continue;
        if (Py_TYPE(value) != &linearization_type) {
            return PyErr_Format(PyExc_TypeError, "out is a hamel.Linearization, not %R", (PyObject *)Py_TYPE(value));
        }
        if (count + PyTuple_GET_SIZE(names) > (Py_ssize_t)COUNT(copy)) break; /* too many: function_run says so */
        linearization_object *old = (linearization_object *)value;
        tuple = PyTuple_Pack(3, old->A, old->B, old->acceleration);
        if (!tuple) return NULL;
        memcpy(copy, arguments, (size_t)(count + PyTuple_GET_SIZE(names)) * sizeof *copy);
        copy[count + k] = tuple;
        arguments = copy;
        filled = value;
    }
    int failed = function_run(&linearize_function, self, arguments, count, names, &r, made);
    Py_XDECREF(tuple);
    if (failed) return NULL;
    linearization_object *result = filled ? (linearization_object *)Py_NewRef(filled) : new_linearization(self);
    if (result) {
        if (filled) Py_SETREF(result->model, Py_NewRef(self));
        Py_XSETREF(result->A, made[OUT_A]);
        Py_XSETREF(result->B, made[OUT_B]);
        Py_XSETREF(result->acceleration, made[OUT_ACCELERATION]);
        result->representation = r.choice[REPRESENTATION];
        result->actuated = r.choice[INPUT];
    }
    return (PyObject *)result;
}

static void dealloc(linearization_object *self)
{
    Py_XDECREF(self->model);
    Py_XDECREF(self->A);
    Py_XDECREF(self->B);
    Py_XDECREF(self->acceleration);
    PyObject_Free(self);
}

/* ---- looking ---- */

/* rows first … first + rows − 1 and columns alike of the last two dimensions, without a copy */
static PyObject *view(PyArrayObject *array, npy_intp row0, npy_intp rows, npy_intp column0, npy_intp columns)
{
    int n = PyArray_NDIM(array);
    npy_intp dims[NPY_MAXDIMS];
    memcpy(dims, PyArray_DIMS(array), (size_t)n * sizeof *dims);
    dims[n - 2] = rows;
    dims[n - 1] = columns;
    char *data = PyArray_BYTES(array) + row0 * PyArray_STRIDE(array, n - 2) + column0 * PyArray_STRIDE(array, n - 1);
    PyObject *made =
        PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(NPY_DOUBLE), n, dims, PyArray_STRIDES(array), data,
                             PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, NULL);
    Py_INCREF(array);
    if (made && PyArray_SetBaseObject((PyArrayObject *)made, (PyObject *)array) < 0) Py_CLEAR(made);
    return made;
}

static npy_intp nv_of(const linearization_object *self) { return hml_model_nv(((model_object *)self->model)->model); }

static PyObject *get_A(linearization_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->A);
}

static PyObject *get_acceleration(linearization_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->acceleration);
}

static PyObject *get_Dq(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return view(self->A, nv, nv, 0, nv);
}

static PyObject *get_Dv(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return view(self->A, nv, nv, nv, nv);
}

static PyObject *get_Minv(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return view(self->B, nv, nv, 0, nv);
}

/* the columns of actuated coordinates: a view where they stand together, as they do behind a free base */
static PyObject *get_B(linearization_object *self, void *closure)
{
    (void)closure;
    if (!self->actuated) return Py_NewRef((PyObject *)self->B);
    PyObject *marks = PyObject_GetAttrString(self->model, "actuated");
    if (!marks) return NULL;
    const npy_bool *mark = PyArray_DATA((PyArrayObject *)marks);
    npy_intp nv = nv_of(self), first = 0, last = nv, count = 0;
    while (first < nv && !mark[first]) first++;
    while (last > first && !mark[last - 1]) last--;
    for (npy_intp i = first; i < last; i++) count += mark[i];
    PyObject *B = NULL;
    if (count == last - first) {
        B = view(self->B, 0, 2 * nv, first, count);
    } else {
        PyObject *columns = PyObject_CallMethod(marks, "nonzero", NULL);
        if (columns)
            B = PyArray_TakeFrom(self->B, PyTuple_GET_ITEM(columns, 0), PyArray_NDIM(self->B) - 1, NULL, NPY_RAISE);
        Py_XDECREF(columns);
    }
    Py_DECREF(marks);
    return B;
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

static PyObject *get_velocity_names(linearization_object *self, void *closure)
{
    (void)closure;
    return PyObject_GetAttrString(self->model, "velocity_names");
}

/* what Python says better: hamel/_labels.py */
static PyObject *in_python(linearization_object *self, const char *name, PyObject *argument)
{
    PyObject *module = PyImport_ImportModule("hamel._labels"), *result = NULL;
    PyObject *call = module ? PyObject_GetAttrString(module, name) : NULL;
    if (call) result = PyObject_CallFunctionObjArgs(call, (PyObject *)self, argument, NULL);
    Py_XDECREF(call);
    Py_XDECREF(module);
    return result;
}

static PyObject *get_named(linearization_object *self, void *closure) { return in_python(self, closure, NULL); }
static PyObject *to_pandas(linearization_object *self, PyObject *none)
{
    return (void)none, in_python(self, "to_pandas", NULL);
}
static PyObject *to_xarray(linearization_object *self, PyObject *none)
{
    return (void)none, in_python(self, "to_xarray", NULL);
}
static PyObject *discretize(linearization_object *self, PyObject *h) { return in_python(self, "discretize", h); }
static PyObject *repr(linearization_object *self) { return in_python(self, "describe", NULL); }

static PyObject *reduce(linearization_object *self, PyObject *none)
{
    (void)none;
    PyObject *make = PyObject_GetAttrString((PyObject *)&linearization_type, "_make");
    return make ? Py_BuildValue("N(OOOOii)", make, self->model, self->A, self->B, self->acceleration,
                                self->representation, self->actuated)
                : NULL;
}

static PyObject *make(PyObject *class, PyObject *arguments)
{
    (void)class;
    PyObject *model;
    PyArrayObject *A, *B, *a;
    int representation, actuated;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!ii", &model_type, &model, &PyArray_Type, &A, &PyArray_Type, &B,
                          &PyArray_Type, &a, &representation, &actuated)) {
        return NULL;
    }
    npy_intp nv = hml_model_nv(((model_object *)model)->model);
    int n = PyArray_NDIM(A);
    if (n < 2 || PyArray_NDIM(B) != n || PyArray_NDIM(a) != n - 1 || PyArray_DIM(A, n - 1) != 2 * nv ||
        PyArray_DIM(A, n - 2) != 2 * nv || PyArray_DIM(B, n - 1) != nv || PyArray_DIM(B, n - 2) != 2 * nv ||
        PyArray_DIM(a, n - 2) != nv || PyArray_TYPE(A) != NPY_DOUBLE || PyArray_TYPE(B) != NPY_DOUBLE ||
        representation < 0 || representation > HML_SPLIT) {
        raise_status(HML_INVALID_ARGUMENT, NULL);
        return NULL;
    }
    linearization_object *self = new_linearization(model);
    if (!self) return NULL;
    self->A = (PyArrayObject *)Py_NewRef((PyObject *)A);
    self->B = (PyArrayObject *)Py_NewRef((PyObject *)B);
    self->acceleration = (PyArrayObject *)Py_NewRef((PyObject *)a);
    self->representation = representation;
    self->actuated = actuated != 0;
    return (PyObject *)self;
}

static PyGetSetDef getset[] = {
    {"A", (getter)get_A, NULL, "(…, 2nv, 2nv): first the configuration's perturbation, then the velocity's.", NULL},
    {"B", (getter)get_B, NULL, "(…, 2nv, inputs).", NULL},
    {"acceleration", (getter)get_acceleration, NULL, "ν̇: (…, nv).", NULL},
    {"Dq", (getter)get_Dq, NULL, "∂ν̇/∂q: (…, nv, nv), a view of A.", NULL},
    {"Dv", (getter)get_Dv, NULL, "∂ν̇/∂ν: (…, nv, nv), a view of A.", NULL},
    {"Minv", (getter)get_Minv, NULL, "∂ν̇/∂τ, that is M⁻¹: (…, nv, nv), a view of B with all its columns.", NULL},
    {"model", (getter)get_model, NULL, "The model.", NULL},
    {"representation", (getter)get_representation, NULL, "left, right, mixed or split.", NULL},
    {"inputs", (getter)get_inputs, NULL, "all or actuated.", NULL},
    {"velocity_names", (getter)get_velocity_names, NULL, "Names of the coordinates of ν.", NULL},
    {"state_names", (getter)get_named, NULL, "Names of A's rows: 'q knee' …, 'v knee' ….", "state_names"},
    {"input_names", (getter)get_named, NULL, "Names of B's columns.", "input_names"},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"to_pandas", (PyCFunction)to_pandas, METH_NOARGS,
     "to_pandas($self, /)\n--\n\n{'A', 'B', 'acceleration'} as labelled pandas objects; of a single state."},
    {"to_xarray", (PyCFunction)to_xarray, METH_NOARGS,
     "to_xarray($self, /)\n--\n\nAn xarray.Dataset of A, B, acceleration with names as coordinates."},
    {"discretize", (PyCFunction)discretize, METH_O,
     "discretize($self, h, /)\n--\n\n(Ad, Bd) of the zero-order hold over h: exp(h [A B; 0 0])."},
    {"__reduce__", (PyCFunction)reduce, METH_NOARGS, "For pickle."},
    {"_make", make, METH_VARARGS | METH_STATIC, "Behind pickle."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject linearization_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Linearization",
    .tp_basicsize = sizeof(linearization_object),
    .tp_dealloc = (destructor)dealloc,
    .tp_repr = (reprfunc)repr,
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "ż = A z + B w at one state, or at many. What Model.linearize returns.",
};

function *const linearize_entry = &linearize_function;

int linearization_ready(PyObject *module)
{
    if (PyType_Ready(&linearization_type) < 0) return -1;
    Py_INCREF(&linearization_type);
    return PyModule_AddObject(module, "Linearization", (PyObject *)&linearization_type);
}
