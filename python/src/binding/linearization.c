/*
 * Model.linearize, and Linearization, what it returns.
 *
 * A holds D_q and D_ν, B holds M⁻¹: they are computed once, into A and B, and seen through views. A, B and the
 * acceleration lie in one block; a call makes that and nothing else, the arrays are made when they are looked at.
 */
#include <string.h>

#include "objects.h"

#include "hamel/generate.h"

typedef struct linearization_object {
    PyObject_HEAD PyObject *model;
    PyArrayObject *block;     /* A, B, acceleration, each for all states */
    PyArrayObject *matrix[3]; /* the same as arrays, once somebody asked: (…, 2nv, 2nv), (…, 2nv, nv), (…, nv) */
    int representation, actuated, side, nlead;
    npy_intp lead[MAX_LEAD];
} linearization_object;

static const char *const REPRESENTATIONS[] = {"left", "right", "mixed", "split"};
static const char *const INPUTS[] = {"all", "actuated"};
static const char *const SIDES[] = {"local", "global"};

enum { Q, V, TAU, WRENCHES, REPRESENTATION, INPUT, ERRORS, SIDE, OUT_A = 0, OUT_B, OUT_ACCELERATION };

static hml_status to_representation(const row *r, size_t i)
{
    hml_representation representation = (hml_representation)r->choice[REPRESENTATION];
    size_t n = (size_t)hml_model_nv(r->model);
    const double *q = r->in[Q] + i * r->stride[Q], *v = r->in[V] + i * r->stride[V];
    double *A = r->out[OUT_A] + i * 4 * n * n, *B = r->out[OUT_B] + i * 2 * n * n;
    double *a = r->out[OUT_ACCELERATION] + i * n;
    hml_status status = hml_linearization_to_representation(r->model, representation, q, v, a, (int32_t)n, A, B);
    if (!status && r->choice[SIDE]) status = hml_linearization_to_global(r->model, q, v, (int32_t)n, A, B);
    return status ? status : hml_acceleration_to_representation(r->model, representation, q, v, a, a);
}

static hml_linearization arguments(const row *r)
{
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {r->in[Q], r->stride[Q]},
                                 .v = {r->in[V], r->stride[V]},
                                 .tau = {r->in[TAU], r->stride[TAU]},
                                 .wrenches = {r->in[WRENCHES], r->stride[WRENCHES]},
                                 .acceleration = {r->out[OUT_ACCELERATION], 0, 0},
                                 .A = {r->out[OUT_A], 0, 0},
                                 .B = {r->out[OUT_B], 0, 0}};
    return x;
}

/* is anything to be done after the linearization itself? */
static int changed(const row *r) { return r->choice[REPRESENTATION] != HML_LEFT || r->choice[SIDE]; }

static hml_status linearize_one(const row *r)
{
    const hml_linearization x = arguments(r);
    hml_status status =
        r->compiled ? hml_compiled_linearize(r->compiled, r->work, 1, &x, NULL) : hml_linearize(r->model, r->work, &x);
    return status || !changed(r) ? status : to_representation(r, 0);
}

static hml_status linearize_many(const row *r)
{
    const hml_linearization x = arguments(r);
    hml_status status = r->compiled ? hml_compiled_linearize(r->compiled, r->work, r->n, &x, NULL)
                                    : hml_linearize_batch(r->model, r->work, r->n, &x, NULL);
    int tolerant = r->choice[ERRORS]; /* what failed is NaN already, and stays that */
    for (size_t i = 0; i < r->n && (tolerant || !status) && changed(r); i++) {
        status = to_representation(r, i);
    }
    return tolerant ? HML_OK : status;
}

static entry from_python;
static function linearize_function = {
    "Model",
    "linearize",
    "q:q v:v tau?:v wrenches?:b,6 representation=left inputs=all errors=raise side=local > A:2v,2v B:2v,v "
    "acceleration:v",
    "ż = A z + B w, exactly, at q, ν, τ: A = [−ad_ν I; D_q D_ν], B = [0; M⁻¹], z = (z_q, z_ν) with q ⊕ z_q, ν + "
    "z_ν.\n\n"
    "Returns a Linearization: A, B, Dq, Dv, Minv, acceleration and names. With leading dimensions all of them have\n"
    "these. representation: of the results' velocities. inputs: B's columns, one for every coordinate, or for the\n"
    "actuated ones. errors: 'nan' lets a state that fails become NaN instead of raising. out: an older Linearization\n"
    "of the same shape, which is filled again. side: 'global' takes the perturbation of q to be exp(z)·g instead of\n"
    "g·exp(z) = q ⊕ z.",
    linearize_one,
    linearize_many,
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
    memset((char *)self + offsetof(linearization_object, model), 0,
           sizeof *self - offsetof(linearization_object, model));
    self->model = Py_NewRef(model);
    return self;
}

static PyArrayObject *older(PyObject *out)
{
    if (Py_TYPE(out) == &linearization_type) return ((linearization_object *)out)->block;
    PyErr_Format(PyExc_TypeError, "out is a hamel.Linearization, not %R", (PyObject *)Py_TYPE(out));
    return NULL;
}

static PyObject *from_python(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    results x;
    if (function_run(&linearize_function, self, arguments, count, names, older, &x)) return NULL;
    linearization_object *result = x.out ? (linearization_object *)Py_NewRef(x.out) : new_linearization(self);
    if (!result) {
        Py_DECREF(x.block);
        return NULL;
    }
    if (result->model != self) Py_SETREF(result->model, Py_NewRef(self));
    for (int i = 0;
         i < 3 && (result->nlead != x.nlead || memcmp(result->lead, x.lead, (size_t)x.nlead * sizeof *x.lead)); i++) {
        Py_CLEAR(result->matrix[i]);
    }
    Py_XSETREF(result->block, x.block);
    result->representation = x.choice[REPRESENTATION];
    result->actuated = x.choice[INPUT];
    result->side = x.choice[SIDE];
    result->nlead = x.nlead;
    memcpy(result->lead, x.lead, (size_t)x.nlead * sizeof *x.lead);
    return (PyObject *)result;
}

static void dealloc(linearization_object *self)
{
    Py_XDECREF(self->model);
    Py_XDECREF(self->block);
    for (int i = 0; i < 3; i++) Py_XDECREF(self->matrix[i]);
    PyObject_Free(self);
}

/* ---- looking ---- */

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

static npy_intp nv_of(const linearization_object *self) { return hml_model_nv(((model_object *)self->model)->model); }

/* A, B or the acceleration; borrowed */
static PyArrayObject *matrix(linearization_object *self, int which)
{
    if (self->matrix[which]) return self->matrix[which];
    npy_intp nv = nv_of(self), n = 1, dims[MAX_LEAD + 2], places[3];
    for (int i = 0; i < self->nlead; i++) n *= dims[i] = self->lead[i];
    places[OUT_A] = 0;
    places[OUT_B] = n * 4 * nv * nv;
    places[OUT_ACCELERATION] = places[OUT_B] + n * 2 * nv * nv;
    dims[self->nlead] = which == OUT_ACCELERATION ? nv : 2 * nv;
    dims[self->nlead + 1] = which == OUT_A ? 2 * nv : nv;
    double *data = PyArray_DATA(self->block);
    int ndim = self->nlead + (which == OUT_ACCELERATION ? 1 : 2);
    self->matrix[which] = (PyArrayObject *)over(self->block, ndim, dims, NULL, data + places[which]);
    return self->matrix[which];
}

/* rows row0 … row0 + rows − 1 and columns alike of the last two dimensions, without a copy */
static PyObject *part(PyArrayObject *array, npy_intp row0, npy_intp rows, npy_intp column0, npy_intp columns)
{
    if (!array) return NULL;
    int n = PyArray_NDIM(array);
    npy_intp dims[MAX_LEAD + 2];
    memcpy(dims, PyArray_DIMS(array), (size_t)n * sizeof *dims);
    dims[n - 2] = rows;
    dims[n - 1] = columns;
    char *data = PyArray_BYTES(array) + row0 * PyArray_STRIDE(array, n - 2) + column0 * PyArray_STRIDE(array, n - 1);
    return over(array, n, dims, PyArray_STRIDES(array), data);
}

static PyObject *new_matrix(linearization_object *self, int which)
{
    PyArrayObject *array = matrix(self, which);
    return array ? Py_NewRef((PyObject *)array) : NULL;
}

static PyObject *get_A(linearization_object *self, void *closure) { return (void)closure, new_matrix(self, OUT_A); }

static PyObject *get_acceleration(linearization_object *self, void *closure)
{
    (void)closure;
    return new_matrix(self, OUT_ACCELERATION);
}

static PyObject *get_Dq(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return part(matrix(self, OUT_A), nv, nv, 0, nv);
}

static PyObject *get_Dv(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return part(matrix(self, OUT_A), nv, nv, nv, nv);
}

static PyObject *get_Minv(linearization_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = nv_of(self);
    return part(matrix(self, OUT_B), nv, nv, 0, nv);
}

/* the columns of actuated coordinates: a view where they stand together, as they do behind a free base */
static PyObject *get_B(linearization_object *self, void *closure)
{
    (void)closure;
    PyArrayObject *all = matrix(self, OUT_B);
    if (!self->actuated || !all) return new_matrix(self, OUT_B);
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
    PyObject *lead = make ? PyArray_IntTupleFromIntp(self->nlead, self->lead) : NULL;
    if (lead)
        return Py_BuildValue("N(OONiii)", make, self->model, self->block, lead, self->representation, self->actuated,
                             self->side);
    Py_XDECREF(make);
    return NULL;
}

static PyObject *make(PyObject *class, PyObject *arguments)
{
    (void)class;
    PyObject *model, *lead;
    PyArrayObject *block;
    int representation, actuated, side;
    if (!PyArg_ParseTuple(arguments, "O!O!O!iii", &model_type, &model, &PyArray_Type, &block, &PyTuple_Type, &lead,
                          &representation, &actuated, &side)) {
        return NULL;
    }
    linearization_object *self = new_linearization(model);
    if (!self) return NULL;
    npy_intp nv = nv_of(self), n = 1, each = 6 * nv * nv + nv, size = PyArray_SIZE(block);
    Py_ssize_t nlead = PyTuple_GET_SIZE(lead);
    int good = nlead <= MAX_LEAD && representation >= 0 && representation <= HML_SPLIT;
    for (int i = 0; good && i < nlead; i++) {
        npy_intp length = PyNumber_AsSsize_t(PyTuple_GET_ITEM(lead, i), PyExc_OverflowError);
        good = length >= 0 && (n == 0 || length <= NPY_MAX_INTP / n); /* a product that wraps fits nothing */
        if (good) n *= self->lead[i] = length;
    }
    self->nlead = good ? (int)nlead : 0;
    if (!good || PyArray_TYPE(block) != NPY_DOUBLE || !PyArray_ISCARRAY(block) ||
        (each ? size % each != 0 || size / each != n : size != 0)) {
        if (!PyErr_Occurred()) raise_status(HML_INVALID_ARGUMENT, NULL);
        Py_DECREF(self);
        return NULL;
    }
    self->block = (PyArrayObject *)Py_NewRef((PyObject *)block);
    self->representation = representation;
    self->actuated = actuated != 0;
    self->side = side != 0;
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
    {"side", (getter)get_side, NULL, "local: perturbations g·exp(z); global: exp(z)·g.", NULL},
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
