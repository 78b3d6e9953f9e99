/* Model.linearize, and making a Linearization of any kind: linearization.h. */
#include "linearization.h"

#include <string.h>

#include "hamel/generate.h"

enum { Q, V, TAU, WRENCHES, REPRESENTATION, INPUT, ERRORS, SIDE, OUT_A = 0, OUT_B, OUT_ACCELERATION };

static PyTypeObject held_type, step_type;

const linearization_kind linearization_kinds[KINDS] = {
    {&linearization_type, "linearize", OUT_A, OUT_B, OUT_ACCELERATION, REPRESENTATION, INPUT, SIDE, -1},
    {&held_type, "constrained_linearize", 0, 1, 2, 5, 8, 6, -1},
    {&step_type, "step_linearize", 2, 3, -1, 5, 7, 6, 2},
};

/* ---- Model.linearize ---- */

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

function *const linearize_entry = &linearize_function;

static PyObject *from_python(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    return linearization_call(KIND_PLAIN, &linearize_function, self, arguments, count, names);
}

/* ---- making ---- */

static linearization_object *new_linearization(int kind, const function *f, PyObject *model)
{
    linearization_object *self = PyObject_New(linearization_object, linearization_kinds[kind].type);
    if (!self) return NULL;
    memset((char *)self + offsetof(linearization_object, model), 0,
           sizeof *self - offsetof(linearization_object, model));
    self->model = Py_NewRef(model);
    self->kind = &linearization_kinds[kind];
    self->f = f;
    return self;
}

static PyArrayObject *older_of(int kind, PyObject *out)
{
    if (Py_TYPE(out) == linearization_kinds[kind].type) return ((linearization_object *)out)->block;
    PyErr_Format(PyExc_TypeError, "out is a %s, not %R", linearization_kinds[kind].type->tp_name,
                 (PyObject *)Py_TYPE(out));
    return NULL;
}

static PyArrayObject *older_plain(PyObject *out) { return older_of(KIND_PLAIN, out); }
static PyArrayObject *older_held(PyObject *out) { return older_of(KIND_HELD, out); }
static PyArrayObject *older_step(PyObject *out) { return older_of(KIND_STEP, out); }

/* a number, or an array of them */
static PyObject *duration(PyObject *given)
{
    PyObject *array = PyArray_FROMANY(given, NPY_DOUBLE, 0, 0, NPY_ARRAY_ENSURECOPY);
    if (!array || PyArray_NDIM((PyArrayObject *)array) > 0) return array;
    PyObject *number = PyFloat_FromDouble(*(double *)PyArray_DATA((PyArrayObject *)array));
    Py_DECREF(array);
    return number;
}

PyObject *linearization_call(int kind, function *f, PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *names)
{
    static PyArrayObject *(*const older[KINDS])(PyObject *) = {older_plain, older_held, older_step};
    const linearization_kind *k = &linearization_kinds[kind];
    results x;
    if (function_run(f, self, arguments, count, names, older[kind], &x)) return NULL;
    PyObject *h = k->h < 0 ? NULL : duration(x.given[k->h]);
    linearization_object *result = x.out ? (linearization_object *)Py_NewRef(x.out) : new_linearization(kind, f, self);
    if (!result || (k->h >= 0 && !h)) {
        Py_XDECREF(result);
        Py_XDECREF(h);
        Py_DECREF(x.block);
        return NULL;
    }
    if (result->model != self) Py_SETREF(result->model, Py_NewRef(self));
    const int same = result->nlead == x.nlead && result->rows == x.rows &&
                     !memcmp(result->lead, x.lead, (size_t)x.nlead * sizeof *x.lead);
    for (int i = 0; i < f->noutputs && !same; i++) Py_CLEAR(result->array[i]);
    Py_XSETREF(result->block, x.block);
    Py_XSETREF(result->h, h);
    result->representation = x.choice[k->representation];
    result->actuated = x.choice[k->inputs];
    result->side = x.choice[k->side];
    result->rows = x.rows;
    result->nlead = x.nlead;
    memcpy(result->lead, x.lead, (size_t)x.nlead * sizeof *x.lead);
    return (PyObject *)result;
}

static void dealloc(linearization_object *self)
{
    Py_XDECREF(self->model);
    Py_XDECREF(self->block);
    Py_XDECREF(self->h);
    for (int i = 0; i < MAX_OUTPUTS; i++) Py_XDECREF(self->array[i]);
    PyObject_Free(self);
}

/* ---- pickle ---- */

static PyObject *reduce(linearization_object *self, PyObject *none)
{
    (void)none;
    PyObject *make = PyObject_GetAttrString((PyObject *)&linearization_type, "_make");
    PyObject *lead = make ? PyArray_IntTupleFromIntp(self->nlead, self->lead) : NULL;
    if (lead)
        return Py_BuildValue("N(OONiiiinO)", make, self->model, self->block, lead, self->representation, self->actuated,
                             self->side, (int)(self->kind - linearization_kinds), self->rows,
                             self->h ? self->h : Py_None);
    Py_XDECREF(make);
    return NULL;
}

/* the function of a kind: it has been parsed when the module was made */
static const function *function_of(int kind)
{
    const char *name = linearization_kinds[kind].function;
    for (size_t i = 0; i < constraints_count; i++) {
        if (!strcmp(constraints_table[i]->name, name)) return constraints_table[i];
    }
    for (size_t i = 0; i < dynamics_count; i++) {
        if (!strcmp(dynamics_table[i]->name, name)) return dynamics_table[i];
    }
    return &linearize_function;
}

/* whether the block has what the shapes say */
static int fits(const linearization_object *self, npy_intp n, PyArrayObject *block)
{
    npy_intp each = 0, size = PyArray_SIZE(block);
    for (int k = 0; k < self->f->noutputs; k++) {
        npy_intp dims[MAX_CORE], core = 1;
        const int ncore = linearization_core(self, k, dims);
        for (int i = 0; i < ncore; i++) core *= dims[i];
        each += core;
    }
    return PyArray_TYPE(block) == NPY_DOUBLE && PyArray_ISCARRAY(block) &&
           (each ? size % each == 0 && size / each == n : size == 0);
}

static PyObject *make(PyObject *class, PyObject *arguments)
{
    (void)class;
    PyObject *model, *lead, *h = Py_None;
    PyArrayObject *block;
    int representation, actuated, side, kind = KIND_PLAIN;
    Py_ssize_t rows = 0;
    if (!PyArg_ParseTuple(arguments, "O!O!O!iii|inO", &model_type, &model, &PyArray_Type, &block, &PyTuple_Type, &lead,
                          &representation, &actuated, &side, &kind, &rows, &h)) {
        return NULL;
    }
    int good = kind >= 0 && kind < KINDS && rows >= 0 && rows < INT32_MAX && (h == Py_None) == (kind != KIND_STEP);
    linearization_object *self = new_linearization(good ? kind : KIND_PLAIN, function_of(good ? kind : 0), model);
    if (!self) return NULL;
    npy_intp n = 1;
    Py_ssize_t nlead = PyTuple_GET_SIZE(lead);
    self->rows = rows;
    good = good && nlead <= MAX_LEAD && representation >= 0 && representation <= HML_SPLIT;
    for (int i = 0; good && i < nlead; i++) {
        npy_intp length = PyNumber_AsSsize_t(PyTuple_GET_ITEM(lead, i), PyExc_OverflowError);
        good = length >= 0 && (n == 0 || length <= NPY_MAX_INTP / n); /* a product that wraps fits nothing */
        if (good) n *= self->lead[i] = length;
    }
    self->nlead = good ? (int)nlead : 0;
    if (!good || !fits(self, n, block)) {
        if (!PyErr_Occurred()) raise_status(HML_INVALID_ARGUMENT, NULL);
        Py_DECREF(self);
        return NULL;
    }
    self->block = (PyArrayObject *)Py_NewRef((PyObject *)block);
    self->h = h == Py_None ? NULL : Py_NewRef(h);
    self->representation = representation;
    self->actuated = actuated != 0;
    self->side = side != 0;
    return (PyObject *)self;
}

/* ---- what Python says better: hamel/_labels.py ---- */

static PyObject *in_python(PyObject *self, const char *name, PyObject *argument)
{
    PyObject *module = PyImport_ImportModule("hamel._labels"), *result = NULL;
    PyObject *call = module ? PyObject_GetAttrString(module, name) : NULL;
    if (call) result = PyObject_CallFunctionObjArgs(call, self, argument, NULL);
    Py_XDECREF(call);
    Py_XDECREF(module);
    return result;
}

static PyObject *to_pandas(PyObject *self, PyObject *none) { return (void)none, in_python(self, "to_pandas", NULL); }
static PyObject *to_xarray(PyObject *self, PyObject *none) { return (void)none, in_python(self, "to_xarray", NULL); }
static PyObject *modes(PyObject *self, PyObject *none) { return (void)none, in_python(self, "modes", NULL); }
static PyObject *discretize(PyObject *self, PyObject *h) { return in_python(self, "discretize", h); }
static PyObject *repr(PyObject *self) { return in_python(self, "describe", NULL); }

static PyObject *to_control(PyObject *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"h", NULL};
    PyObject *h = Py_None;
    if (!parse_arguments(arguments, names, "|O", words, &h)) return NULL;
    return in_python(self, "to_control", h);
}

static PyMethodDef methods[] = {
    {"to_pandas", to_pandas, METH_NOARGS,
     "to_pandas($self, /)\n--\n\n{'A', 'B', 'acceleration'} as labelled pandas objects; of a single state."},
    {"to_xarray", to_xarray, METH_NOARGS,
     "to_xarray($self, /)\n--\n\nAn xarray.Dataset of A, B, acceleration with names as coordinates."},
    {"to_control", (PyCFunction)(void (*)(void))to_control, METH_VARARGS | METH_KEYWORDS,
     "to_control($self, h=None)\n--\n\nA control.StateSpace with all names; with h the zero-order hold over it. See "
     "hamel.interop.to_control."},
    {"modes", modes, METH_NOARGS,
     "modes($self, /)\n--\n\nThe hamel.control.Modes of A and B: frequency, damping, who takes part, what inputs "
     "reach."},
    {"discretize", discretize, METH_O,
     "discretize($self, h, /)\n--\n\n(Ad, Bd) of the zero-order hold over h: exp(h [A B; 0 0])."},
    {"__reduce__", (PyCFunction)reduce, METH_NOARGS, "For pickle."},
    {"_make", make, METH_VARARGS | METH_STATIC, "Behind pickle."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject linearization_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Linearization",
    .tp_basicsize = sizeof(linearization_object),
    .tp_dealloc = (destructor)dealloc,
    .tp_repr = repr,
    .tp_methods = methods,
    .tp_getset = linearization_getset,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "ż = A z + B w at one state, or at many. What Model.linearize returns.",
};

static PyTypeObject held_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.ConstrainedLinearization",
    .tp_basicsize = sizeof(linearization_object),
    .tp_dealloc = (destructor)dealloc,
    .tp_repr = repr,
    .tp_base = &linearization_type,
    .tp_getset = held_getset,
    .tp_as_sequence = &linearization_sequence,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "A Linearization of a robot that is held, with the forces of the holds and their derivatives. What\n"
        "Model.constrained_linearize returns. Model.modes and Model.lqr with hold take the motions that are left.",
};

static PyTypeObject step_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.StepLinearization",
    .tp_basicsize = sizeof(linearization_object),
    .tp_dealloc = (destructor)dealloc,
    .tp_repr = repr,
    .tp_base = &linearization_type,
    .tp_getset = step_getset,
    .tp_as_sequence = &linearization_sequence,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "A Linearization of one step over h, z⁺ = A z + B w: A is Ad and B is Bd. What Model.step_linearize\n"
              "returns.",
};

int linearization_ready(PyObject *module)
{
    for (int i = 0; i < KINDS; i++) {
        PyTypeObject *type = linearization_kinds[i].type;
        if (PyType_Ready(type) < 0) return -1;
        Py_INCREF(type);
        if (PyModule_AddObject(module, strrchr(type->tp_name, '.') + 1, (PyObject *)type) < 0) return -1;
    }
    return 0;
}
