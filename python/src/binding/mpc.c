/* Behind hamel.control.MPC: predictive control (hamel/control/mpc.h). */
#include <string.h>

#include "solver.h"

typedef struct mpc_object {
    solver_object base; /* its solver stays NULL */
    hml_mpc *mpc;
    hml_gait_slot *gait;
    hml_constraints *holds; /* one per slot */
    void **hold_items;
    size_t nslots;
} mpc_object;

static void dealloc(mpc_object *self)
{
    hml_mpc_free(self->mpc);
    for (size_t i = 0; self->hold_items && i < self->nslots; i++) PyMem_Free(self->hold_items[i]);
    PyMem_Free(self->hold_items);
    PyMem_Free(self->holds);
    PyMem_Free(self->gait);
    solver_clear(&self->base);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* a tuple of (seconds, holds) */
static int read_gait(mpc_object *self, PyObject *gait)
{
    self->nslots = (size_t)PyTuple_GET_SIZE(gait);
    self->gait = PyMem_Calloc(self->nslots + 1, sizeof *self->gait);
    self->holds = PyMem_Calloc(self->nslots + 1, sizeof *self->holds);
    self->hold_items = PyMem_Calloc(self->nslots + 1, sizeof *self->hold_items);
    if (!self->gait || !self->holds || !self->hold_items) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < self->nslots; i++) {
        PyObject *holds;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(gait, (Py_ssize_t)i), "dO", &self->gait[i].seconds, &holds)) return -1;
        if (read_holds(self->base.model->model, holds, &self->holds[i], &self->hold_items[i])) return -1;
        if (self->holds[i].count || self->holds[i].loop_count) self->gait[i].holds = &self->holds[i];
    }
    return 0;
}

static int open_mpc(mpc_object *self, double begin)
{
    hml_error error = {0};
    const hml_mpc_settings settings =
        HML_STRUCT(hml_mpc_settings, .workers = (size_t)self->base.threads, .gait = self->nslots ? self->gait : NULL,
                   .nslots = self->nslots, .begin = begin);
    if (!hml_mpc_new(&self->base.problem, &settings, &self->mpc, &error)) return 0;
    raise_error(&error);
    return -1;
}

/* (model, phases, terms, q, v, inputs, actuation, lower, upper, threads, gait, begin) */
static PyObject *mpc_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    PyObject *model, *gait;
    problem_arguments x;
    int threads;
    double begin;
    (void)names;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OOOOOOiO!d", &model_type, &model, &PyTuple_Type, &x.phases, &PyTuple_Type,
                          &x.terms, &x.others[0], &x.others[1], &x.others[2], &x.others[3], &x.others[4], &x.others[5],
                          &threads, &PyTuple_Type, &gait, &begin))
        return NULL;
    mpc_object *self = (mpc_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    solver_object *base = &self->base;
    base->model = (model_object *)Py_NewRef(model);
    base->nq = hml_model_nq(base->model->model), base->nv = hml_model_nv(base->model->model);
    base->threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
    int failed = read_gait(self, gait);
    base->slots = self->holds, base->nslots = self->nslots;
    failed = failed || solver_read_problem(base, &x) || open_mpc(self, begin);
    if (!failed) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

/* ---- methods ---- */

static PyObject *result_of(const mpc_object *self, const hml_mpc_result *x, const hml_solve_report *report)
{
    const npy_intp m = (npy_intp)x->ninputs, f = (npy_intp)x->nforces;
    return Py_BuildValue("(NNNnN)", array_copy(1, &m, x->u), array_copy(2, (npy_intp[]){m, 2 * self->base.nv}, x->K),
                         array_copy(1, &f, x->force), (Py_ssize_t)x->slot, solver_report(report));
}

static PyObject *tick(mpc_object *self, PyObject *arguments)
{
    solver_object *base = &self->base;
    hml_solve_options o = {.struct_size = sizeof o, .progress = solver_progress, .context = base};
    hml_solve_report report = {.struct_size = sizeof report};
    hml_mpc_result x = {.struct_size = sizeof x};
    PyObject *given[2];
    double time;
    hml_status status;
    if (!PyArg_ParseTuple(arguments, "dOOidddd", &time, &given[0], &given[1], &o.iterations, &o.seconds, &o.tolerance,
                          &o.violation, &o.penalty) ||
        solver_is_busy(base))
        return NULL;
    PyArrayObject *q = array_shaped(given[0], "q", 1, &base->nq);
    PyArrayObject *v = q && given[1] != Py_None ? array_shaped(given[1], "v", 1, &base->nv) : NULL;
    PyObject *answer = NULL;
    if (PyErr_Occurred()) goto end;
    if (base->threads > 1) o.parallel_for = solver_parallel;
    base->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = hml_mpc_tick(self->mpc, time, PyArray_DATA(q), v ? PyArray_DATA(v) : NULL, &o, &x, &report);
    Py_END_ALLOW_THREADS;
    base->busy = 0;
    if (solver_raise(base)) goto end;
    if (status)
        raise_status(status, NULL);
    else
        answer = result_of(self, &x, &report);
end:
    Py_XDECREF(v);
    Py_XDECREF(q);
    return answer;
}

static PyObject *slot(mpc_object *self, PyObject *number)
{
    const double time = PyFloat_AsDouble(number);
    double seconds;
    if (PyErr_Occurred()) return NULL;
    const int32_t found = hml_mpc_slot(self->mpc, time, &seconds);
    if (found < 0) return raise_status(HML_NOT_FINITE, NULL), NULL;
    return Py_BuildValue("(id)", (int)found, seconds);
}

static PyObject *solution(mpc_object *self, PyObject *none)
{
    (void)none;
    hml_solution x = {.struct_size = sizeof x};
    return solver_is_busy(&self->base) || hml_mpc_solution(self->mpc, &x) ? NULL : solver_motion(&self->base, &x);
}

static PyObject *statistics(mpc_object *self, PyObject *none)
{
    (void)none;
    hml_mpc_statistics x = {.struct_size = sizeof x};
    if (solver_is_busy(&self->base) || hml_mpc_get_statistics(self->mpc, &x)) return NULL;
    return Py_BuildValue("(nnnddddd)", (Py_ssize_t)x.ticks, (Py_ssize_t)x.rejected, (Py_ssize_t)x.failed, x.p50, x.p90,
                         x.p99, x.mean, x.most);
}

static PyObject *reset(mpc_object *self, PyObject *none)
{
    (void)none;
    if (solver_is_busy(&self->base) || hml_mpc_reset(self->mpc)) return NULL;
    Py_RETURN_NONE;
}

/* (term, name, array): into the memory that the term points to, which is a copy of what it was given */
static PyObject *write_term(mpc_object *self, PyObject *arguments)
{
    Py_ssize_t term;
    const char *name;
    PyObject *given;
    if (!PyArg_ParseTuple(arguments, "nsO", &term, &name, &given) || solver_is_busy(&self->base)) return NULL;
    if (term < 0 || (size_t)term >= self->base.problem.nterms) {
        raise_status(HML_INVALID_ARGUMENT, "there is no such term");
        return NULL;
    }
    const hml_term *t = &self->base.terms[term];
    const term_sizes *sizes = &self->base.sizes[term];
    const int weights = !strcmp(name, "knot_weights");
    const double *to = weights ? t->knot_weights : t->reference.data;
    const npy_intp size = weights ? sizes->knot_weights : sizes->reference;
    PyArrayObject *array =
        (PyArrayObject *)PyArray_FROMANY(given, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
    if (!array) return NULL;
    if (!to || PyArray_SIZE(array) != size) {
        Py_DECREF(array);
        raise_status(HML_INVALID_ARGUMENT, "the term was added with another number of values, or none");
        return NULL;
    }
    memcpy((double *)(uintptr_t)to, PyArray_DATA(array), (size_t)size * sizeof *to);
    Py_DECREF(array);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"tick", (PyCFunction)tick, METH_VARARGS, "Behind hamel.control.MPC."},
    {"slot", (PyCFunction)slot, METH_O, "Behind hamel.control.MPC."},
    {"solution", (PyCFunction)solution, METH_NOARGS, "Behind hamel.control.MPC."},
    {"statistics", (PyCFunction)statistics, METH_NOARGS, "Behind hamel.control.MPC."},
    {"reset", (PyCFunction)reset, METH_NOARGS, "Behind hamel.control.MPC."},
    {"write", (PyCFunction)write_term, METH_VARARGS, "Behind hamel.control.MPC."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject mpc_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel._core._MPC",
    .tp_basicsize = sizeof(mpc_object),
    .tp_new = mpc_new,
    .tp_dealloc = (destructor)dealloc,
    .tp_methods = methods,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Behind hamel.control.MPC.",
};

int mpc_ready(PyObject *module)
{
    if (PyType_Ready(&mpc_type) < 0) return -1;
    Py_INCREF(&mpc_type);
    return PyModule_AddObject(module, "_MPC", (PyObject *)&mpc_type);
}
