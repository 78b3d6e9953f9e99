/* Model: one block of memory, shared by threads, and the workspaces of the threads that use it. */
#include <string.h>

#include "objects.h"

#include "hamel/generate.h"

/* ---- workspaces ---- */

workspace *workspace_take(model_object *self)
{
    workspace *space = atomic_exchange(&self->spare, NULL);
    if (space) return space;
    pthread_mutex_lock(&self->lock);
    space = self->free;
    if (space) self->free = space->next;
    pthread_mutex_unlock(&self->lock);
    if (space) return space;
    space = calloc(1, sizeof *space);
    if (space && !hml_work_new(self->model, HML_ISA_BEST, HML_USE_ALL, &space->work)) return space;
    free(space);
    return NULL;
}

void workspace_give(model_object *self, workspace *space)
{
    workspace *none = NULL;
    if (atomic_compare_exchange_strong(&self->spare, &none, space)) return;
    pthread_mutex_lock(&self->lock);
    space->next = self->free;
    self->free = space;
    pthread_mutex_unlock(&self->lock);
}

void *row_scratch(const row *r, size_t bytes)
{
    workspace *space = r->space;
    bytes += sizeof(double); /* never nothing */
    if (bytes > space->scratch_size) {
        free(space->scratch);
        space->scratch = malloc(bytes);
        space->scratch_size = space->scratch ? bytes : 0;
    }
    return space->scratch;
}

/* ---- life ---- */

PyObject *model_wrap(hml_model *model)
{
    model_object *self = PyObject_New(model_object, &model_type);
    if (!self) {
        hml_model_free(model);
        return NULL;
    }
    self->model = model;
    self->free = NULL;
    atomic_init(&self->spare, NULL);
    self->weak = NULL;
    self->compiled = NULL;
    memset(self->parts, 0, sizeof self->parts);
    pthread_mutex_init(&self->lock, NULL);
    for (int i = 0; i < SYMBOLS; i++) self->symbol[i] = -1;
    self->symbol['q' - 'a'] = hml_model_nq(model);
    self->symbol['v' - 'a'] = hml_model_nv(model);
    self->symbol['b' - 'a'] = hml_model_nbodies(model);
    self->symbol['u' - 'a'] = hml_model_nactuators(model);
    self->symbol['f' - 'a'] = hml_model_nframes(model);
    self->symbol['c' - 'a'] = hml_parameters_coordinates(model);
    self->symbol['p' - 'a'] = (npy_intp)hml_directional_doubles(model);
    self->symbol['h' - 'a'] = 6 * (hml_model_njoints(model) + 1);
    return (PyObject *)self;
}

PyObject *model_or_error(hml_status status, hml_model *model, hml_error *error)
{
    if (!status) return model_wrap(model);
    error->status = status;
    raise_error(error);
    return NULL;
}

static void discard(workspace *space)
{
    if (!space) return;
    hml_work_free(space->work);
    free(space->scratch);
    free(space);
}

static void model_dealloc(model_object *self)
{
    if (self->weak) PyObject_ClearWeakRefs((PyObject *)self);
    discard(atomic_load(&self->spare));
    while (self->free) {
        workspace *space = self->free;
        self->free = space->next;
        discard(space);
    }
    for (size_t i = 0; i < COUNT(self->parts); i++) Py_XDECREF(self->parts[i]);
    pthread_mutex_destroy(&self->lock);
    hml_compiled_free(self->compiled);
    hml_model_free(self->model);
    PyObject_Free(self);
}

static PyObject *model_repr(model_object *self)
{
    return PyUnicode_FromFormat("<hamel.Model '%s': %d bodies, nq %d, nv %d>", hml_model_name(self->model),
                                (int)hml_model_nbodies(self->model), (int)hml_model_nq(self->model),
                                (int)hml_model_nv(self->model));
}

static PyObject *to_bytes(model_object *self, PyObject *none)
{
    (void)none;
    return PyBytes_FromStringAndSize(hml_model_data(self->model), (Py_ssize_t)hml_model_size(self->model));
}

static PyObject *from_bytes(PyObject *class, PyObject *bytes)
{
    (void)class;
    Py_buffer view;
    hml_model *model;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE)) return NULL;
    hml_status status = hml_model_from_data(view.buf, (size_t)view.len, &model);
    PyBuffer_Release(&view);
    if (!status) return model_wrap(model);
    raise_status(status, NULL);
    return NULL;
}

static PyObject *reduce(model_object *self, PyObject *none)
{
    PyObject *from = PyObject_GetAttrString((PyObject *)&model_type, "from_bytes"), *bytes = to_bytes(self, none);
    if (from && bytes) return Py_BuildValue("N(N)", from, bytes);
    Py_XDECREF(from);
    Py_XDECREF(bytes);
    return NULL;
}

static PyObject *copy(model_object *self, PyObject *none)
{
    (void)none;
    hml_model *model;
    hml_status status = hml_model_copy(self->model, &model);
    if (!status) return model_wrap(model);
    raise_status(status, NULL);
    return NULL;
}

/* a model's block is its value */
static PyObject *compare(PyObject *a, PyObject *b, int operation)
{
    if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(b) != &model_type) Py_RETURN_NOTIMPLEMENTED;
    const hml_model *x = ((model_object *)a)->model, *y = ((model_object *)b)->model;
    size_t size = hml_model_size(x);
    int same = size == hml_model_size(y) && !memcmp(hml_model_data(x), hml_model_data(y), size);
    return PyBool_FromLong(same == (operation == Py_EQ));
}

static Py_hash_t model_hash(model_object *self)
{
    const unsigned char *data = hml_model_data(self->model);
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < hml_model_size(self->model); i++) hash = (hash ^ data[i]) * 1099511628211u;
    return (Py_hash_t)(hash >> 1);
}

/* ---- numbers ---- */

static PyObject *neutral(model_object *self, PyObject *none)
{
    (void)none;
    npy_intp nq = hml_model_nq(self->model);
    PyArrayObject *q = (PyArrayObject *)PyArray_SimpleNew(1, &nq, NPY_DOUBLE);
    hml_status status = q ? hml_configuration_neutral(self->model, PyArray_DATA(q)) : HML_OK;
    if (!status) return (PyObject *)q;
    Py_DECREF(q);
    raise_status(status, NULL);
    return NULL;
}

static PyObject *random_configuration(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"seed", "n", NULL};
    unsigned long long seed = 0;
    PyObject *count = Py_None;
    if (!parse_arguments(arguments, names, "|KO", words, &seed, &count)) return NULL;
    npy_intp dims[2] = {1, hml_model_nq(self->model)};
    if (count != Py_None) dims[0] = PyNumber_AsSsize_t(count, PyExc_OverflowError);
    if (PyErr_Occurred()) return NULL;
    int single = count == Py_None;
    PyArrayObject *q = (PyArrayObject *)PyArray_SimpleNew(single ? 1 : 2, single ? dims + 1 : dims, NPY_DOUBLE);
    if (!q) return NULL;
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    double *data = PyArray_DATA(q);
    for (npy_intp i = 0; i < dims[0]; i++) {
        hml_status status = hml_configuration_random(self->model, &rng, data + i * dims[1]);
        if (!status) continue;
        Py_DECREF(q);
        raise_status(status, NULL);
        return NULL;
    }
    return (PyObject *)q;
}

static PyObject *check(model_object *self, PyObject *object)
{
    npy_intp nq = hml_model_nq(self->model);
    PyArrayObject *q = array_shaped(object, "q", 1, &nq);
    if (!q) return NULL;
    hml_status status = hml_configuration_check(self->model, PyArray_DATA(q));
    Py_DECREF(q);
    if (!status) Py_RETURN_NONE;
    raise_status(status, NULL);
    return NULL;
}

static PyObject *parameters(model_object *self, PyObject *none)
{
    (void)none;
    npy_intp size = HML_INERTIA_PARAMETERS * (npy_intp)hml_model_nbodies(self->model);
    PyArrayObject *p = (PyArrayObject *)PyArray_SimpleNew(1, &size, NPY_DOUBLE);
    hml_status status = p ? hml_model_parameters(self->model, PyArray_DATA(p)) : HML_OK;
    if (!status) return (PyObject *)p;
    Py_DECREF(p);
    raise_status(status, NULL);
    return NULL;
}

static PyObject *frame_index(model_object *self, PyObject *name)
{
    int32_t index = find_frame(self->model, name, 0);
    return index == INT32_MIN ? NULL : PyLong_FromLong(index);
}

static PyMethodDef own_methods[] = {
    {"neutral", (PyCFunction)neutral, METH_NOARGS,
     "neutral($self, /)\n--\n\nThe configuration with every joint at the identity: (nq,)."},
    {"random", (PyCFunction)(void (*)(void))random_configuration, METH_VARARGS | METH_KEYWORDS,
     "random($self, seed=0, n=None)\n--\n\nA configuration within the limits, (nq,), or n of them, (n, nq). The same "
     "seed gives the same numbers."},
    {"check", (PyCFunction)check, METH_O,
     "check($self, q, /)\n--\n\nRaises NotFiniteError or NotNormalizedError if q is not a configuration."},
    {"parameters", (PyCFunction)parameters, METH_NOARGS,
     "parameters($self, /)\n--\n\nπ, ten numbers per body: m, m c (3), J about the body's origin (xx xy xz yy yz zz)."},
    {"frame_index", (PyCFunction)frame_index, METH_O,
     "frame_index($self, name, /)\n--\n\nIndex of a frame, body or merged link. NotFoundError if no such name exists."},
    {"to_bytes", (PyCFunction)to_bytes, METH_NOARGS,
     "to_bytes($self, /)\n--\n\nThe model as one block; Model.from_bytes reads it on the same kind of machine."},
    {"from_bytes", from_bytes, METH_O | METH_STATIC, "from_bytes(data, /)\n--\n\nThe model whose to_bytes this is."},
    {"__reduce__", (PyCFunction)reduce, METH_NOARGS, "For pickle: the block."},
    {"__copy__", (PyCFunction)copy, METH_NOARGS, "A copy."},
    {"__deepcopy__", (PyCFunction)copy, METH_O, "A copy."},
    {NULL, NULL, 0, NULL},
};

/* ---- the type ---- */

PyTypeObject model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Model",
    .tp_basicsize = sizeof(model_object),
    .tp_dealloc = (destructor)model_dealloc,
    .tp_repr = (reprfunc)model_repr,
    .tp_richcompare = compare,
    .tp_hash = (hashfunc)model_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_weaklistoffset = offsetof(model_object, weak),
    .tp_doc =
        "A tree of rigid bodies whose joints are Lie groups. Immutable: threads share it, pickle and copy take it.\n\n"
        "Made by hamel.load, hamel.loads, hamel.builtin, hamel.random_model or Builder.build.",
};

extern PyGetSetDef query_getset[];

static PyMethodDef *all_methods(PyObject *module)
{
    size_t counts[] = {1, configuration_count, kinematics_count, dynamics_count, constraints_count}, total = 0, n = 0,
           extras = 0;
    function *const *tables[] = {&linearize_entry, configuration_table, kinematics_table, dynamics_table,
                                 constraints_table};
    PyMethodDef *others[] = {own_methods,   edit_methods,    solve_methods, trim_methods,
                             close_methods, control_methods, view_methods,  generate_methods};
    for (size_t i = 0; i < COUNT(counts); i++) total += counts[i];
    for (size_t i = 0; i < COUNT(others); i++) {
        for (PyMethodDef *m = others[i]; m->ml_name; m++) extras++;
    }
    function **table = PyMem_Calloc(total, sizeof *table);
    PyMethodDef *extra = PyMem_Calloc(extras + 1, sizeof *extra);
    if (!table || !extra) return (PyMethodDef *)PyErr_NoMemory();
    for (size_t i = 0; i < COUNT(counts); i++) {
        for (size_t k = 0; k < counts[i]; k++) table[n++] = tables[i][k];
    }
    n = 0;
    for (size_t i = 0; i < COUNT(others); i++) {
        for (PyMethodDef *m = others[i]; m->ml_name; m++) extra[n++] = *m;
    }
    PyMethodDef *methods = table_methods(table, total, extra, module);
    PyMem_Free(extra);
    PyMem_Free(table);
    return methods;
}

int model_ready(PyObject *module)
{
    model_type.tp_methods = all_methods(module);
    model_type.tp_getset = query_getset;
    if (!model_type.tp_methods || PyType_Ready(&model_type) < 0) return -1;
    Py_INCREF(&model_type);
    return PyModule_AddObject(module, "Model", (PyObject *)&model_type);
}
