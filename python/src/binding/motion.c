/*
 * Motion: a robot's equations of motion integrated on its group (hamel/motion.h).
 *
 * A motion has a workspace of its own and belongs to one thread at a time. Without Python functions in it, it releases
 * the interpreter's lock while it moves.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "objects.h"

enum { TAU, WRENCHES, TIMES, SAMPLES, TARGET, STIFFNESS, DAMPING, INPUTS, ARRAYS };

typedef struct motion_object {
    PyObject_HEAD model_object *model;
    workspace *space;
    hml_motion *motion;
    PyArrayObject *arrays[ARRAYS]; /* what the forces point to */
    PyObject *force, *event;       /* functions, or NULL */
    hml_constraints constraints;   /* holds and loops */
    void *holds;                   /* their memory */
    double *scratch;
    int busy;
} motion_object;

static PyTypeObject motion_type;
static PyTypeObject *info_type, *balance_type;

/* ---- Python functions in C; HML_NOT_CONVERGED stands for an exception that is set ---- */

static PyObject *ask(const motion_object *self, PyObject *whom, double t, const double *q, const double *v)
{
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    return PyObject_CallFunction(whom, "dNN", t, array_copy(1, &nq, q), array_copy(1, &nv, v));
}

static int add(PyObject *object, const char *name, int ndim, const npy_intp *dims, double *sum)
{
    PyArrayObject *array = array_shaped(object, name, ndim, dims);
    if (!array) return -1;
    const double *data = PyArray_DATA(array);
    for (npy_intp i = 0; i < PyArray_SIZE(array); i++) sum[i] += data[i];
    Py_DECREF(array);
    return 0;
}

static hml_status push(void *context, double t, const double *q, const double *v, double *tau, double *wrenches)
{
    motion_object *self = context;
    if (PyErr_Occurred()) return HML_NOT_CONVERGED; /* a shorter step will not help */
    npy_intp nv = hml_model_nv(self->model->model), dims[2] = {hml_model_nbodies(self->model->model), 6};
    PyObject *answer = ask(self, self->force, t, q, v);
    int both = answer && PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == 2;
    int failed = !answer || add(both ? PyTuple_GET_ITEM(answer, 0) : answer, "force", 1, &nv, tau);
    if (!failed && both) failed = add(PyTuple_GET_ITEM(answer, 1), "wrenches", 2, dims, wrenches);
    Py_XDECREF(answer);
    return failed ? HML_NOT_CONVERGED : HML_OK;
}

static hml_status value_of(void *context, double t, const double *q, const double *v, double *value)
{
    motion_object *self = context;
    if (PyErr_Occurred()) return HML_NOT_CONVERGED;
    PyObject *answer = ask(self, self->event, t, q, v);
    *value = answer ? PyFloat_AsDouble(answer) : 0;
    Py_XDECREF(answer);
    return PyErr_Occurred() ? HML_NOT_CONVERGED : HML_OK;
}

/* ---- life ---- */

/* None leaves NULL */
static int keep(motion_object *self, int which, PyObject *object, const char *name, int ndim, const npy_intp *dims)
{
    if (!object || object == Py_None) return 0;
    PyArrayObject *array = array_shaped(object, name, ndim, dims);
    if (!array) return -1;
    self->arrays[which] = (PyArrayObject *)PyArray_NewCopy(array, NPY_CORDER); /* the caller may change his */
    Py_DECREF(array);
    return self->arrays[which] ? 0 : -1;
}

static double *data_of(const motion_object *self, int which)
{
    return self->arrays[which] ? PyArray_DATA(self->arrays[which]) : NULL;
}

static int keep_samples(motion_object *self, PyObject *samples, hml_forces *forces)
{
    PyObject *times, *values;
    if (samples == Py_None) return 0;
    if (!PyTuple_Check(samples) || !PyArg_ParseTuple(samples, "OO", &times, &values)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "samples is a tuple (times, forces)");
        return -1;
    }
    Py_ssize_t n = PyObject_Size(times);
    npy_intp dims[2] = {n, hml_model_nv(self->model->model)};
    if (n < 0 || keep(self, TIMES, times, "times", 1, dims) || keep(self, SAMPLES, values, "forces", 2, dims))
        return -1;
    forces->nsamples = (size_t)n;
    return 0;
}

/* which option is at fault; NULL: none of these */
static const char *odd_option(const hml_motion_options *o)
{
    const int adaptive = o->scheme == HML_SCHEME_DOPRI5 && o->tolerance > 0;
    if (!(o->step > 0) && !(adaptive && o->step == 0)) return "step is not a positive time; 0 is for dopri5 alone";
    if (!(o->tolerance >= 0)) return "tolerance is negative";
    if (o->max_steps < 0) return "max_steps is negative";
    return NULL;
}

static int start(motion_object *self, const hml_motion_options *options, const hml_forces *forces, double t,
                 PyObject *at, PyObject *with)
{
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    PyArrayObject *q = array_shaped(at, "q", 1, &nq);
    PyArrayObject *v =
        with == Py_None ? (PyArrayObject *)PyArray_ZEROS(1, &nv, NPY_DOUBLE, 0) : array_shaped(with, "v", 1, &nv);
    if (q && v) {
        self->space = workspace_take(self->model);
        hml_status status = HML_OUT_OF_MEMORY;
        if (self->space) {
            status = hml_motion_new(self->model->model, self->space->work, options, forces, t, PyArray_DATA(q),
                                    PyArray_DATA(v), &self->motion);
        }
        const char *odd = status == HML_INVALID_ARGUMENT ? odd_option(options) : NULL;
        if (status && !PyErr_Occurred()) raise_status(status, odd);
    }
    Py_XDECREF(q);
    Py_XDECREF(v);
    return PyErr_Occurred() ? -1 : 0;
}

static int keep_holds(motion_object *self, PyObject *holds, hml_motion_options *options)
{
    if (read_holds(self->model->model, holds, &self->constraints, &self->holds)) return -1;
    if (!hml_constraint_rows(&self->constraints)) return 0;
    const size_t doubles = hml_constraint_scratch_doubles(self->model->model, &self->constraints);
    self->scratch = PyMem_Malloc((doubles + 1) * sizeof *self->scratch);
    if (!self->scratch) return PyErr_NoMemory(), -1;
    options->constraints = &self->constraints;
    options->constraint_scratch = self->scratch;
    return 0;
}

/* an integrator by its name here or in Model.step; scheme is an older word for it */
static int read_scheme(const char *scheme, const char *integrator, hml_scheme *found)
{
    static const char *const same[][2] = {{"semi_implicit_euler", "euler"}, {"munthe_kaas_4", "rk4"}};
    const char *words[HML_SCHEME_COUNT + 1] = {NULL}, *name = integrator ? integrator : scheme ? scheme : "dopri5";
    if (integrator && scheme) {
        PyErr_SetString(PyExc_TypeError, "scheme and integrator are the same thing: give one of them");
        return -1;
    }
    for (size_t i = 0; i < COUNT(same); i++) {
        if (!strcmp(name, same[i][0])) name = same[i][1];
    }
    if (!hml_scheme_from_name(name, found)) return 0;
    for (int i = 0; i < HML_SCHEME_COUNT; i++) words[i] = hml_scheme_name((hml_scheme)i);
    PyObject *known = list_of_words(words), *text = PyUnicode_FromString(name), *hint = NULL;
    PyObject *comma = PyUnicode_FromString(", "), *all = known && comma ? PyUnicode_Join(comma, known) : NULL;
    if (text && all) hint = did_you_mean(text, known);
    if (hint) PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "integrator is one of %U, not %R%U", all, text, hint);
    Py_XDECREF(hint);
    Py_XDECREF(all);
    Py_XDECREF(comma);
    Py_XDECREF(text);
    Py_XDECREF(known);
    return -1;
}

static PyObject *motion_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"model",     "q",      "v",          "t",         "scheme",   "step",
                            "tolerance", "radius", "iterations", "tau",       "wrenches", "samples",
                            "hold",      "target", "stiffness",  "damping",   "force",    "balance",
                            "inputs",    "holds",  "integrator", "max_steps", NULL};
    PyObject *model, *q, *v = Py_None, *tau = NULL, *wrenches = NULL, *samples = Py_None, *target = NULL,
                         *stiffness = NULL, *damping = NULL, *force = Py_None, *inputs = NULL, *holds = NULL;
    const char *scheme = NULL, *integrator = NULL;
    double t = 0;
    long long max_steps = 0;
    hml_motion_options options;
    hml_forces forces = {.struct_size = sizeof forces};
    hml_motion_options_init(&options);
    if (!parse_arguments(arguments, names, "O!O|Od$zdddiOOOpOOOOpOOzL", words, &model_type, &model, &q, &v, &t, &scheme,
                         &options.step, &options.tolerance, &options.radius, &options.iterations, &tau, &wrenches,
                         &samples, &forces.hold, &target, &stiffness, &damping, &force, &options.balance, &inputs,
                         &holds, &integrator, &max_steps)) {
        return NULL;
    }
    options.max_steps = max_steps;
    if (read_scheme(scheme, integrator, &options.scheme)) return NULL;
    motion_object *self = (motion_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->model = (model_object *)Py_NewRef(model);
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    npy_intp bodies[2] = {hml_model_nbodies(self->model->model), 6}, nu = hml_model_nactuators(self->model->model);
    int failed = keep(self, TAU, tau, "tau", 1, &nv) || keep(self, WRENCHES, wrenches, "wrenches", 2, bodies) ||
                 keep(self, TARGET, target, "target", 1, &nq) ||
                 keep(self, STIFFNESS, stiffness, "stiffness", 1, &nv) ||
                 keep(self, DAMPING, damping, "damping", 1, &nv) || keep(self, INPUTS, inputs, "inputs", 1, &nu) ||
                 keep_samples(self, samples, &forces);
    forces.tau = data_of(self, TAU);
    forces.wrenches = data_of(self, WRENCHES);
    forces.sample_times = data_of(self, TIMES);
    forces.samples = data_of(self, SAMPLES);
    forces.target = data_of(self, TARGET);
    forces.stiffness = data_of(self, STIFFNESS);
    forces.damping = data_of(self, DAMPING);
    forces.inputs = data_of(self, INPUTS);
    if (force != Py_None) {
        self->force = Py_NewRef(force);
        forces.function = push;
        forces.context = self;
    }
    if (!failed && holds) failed = keep_holds(self, holds, &options);
    if (!failed && !start(self, &options, &forces, t, q, v)) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static int traverse(motion_object *self, visitproc visit, void *arg)
{
    Py_VISIT(self->force);
    return 0;
}

static int clear(motion_object *self)
{
    Py_CLEAR(self->force);
    return 0;
}

static void dealloc(motion_object *self)
{
    PyObject_GC_UnTrack(self);
    clear(self);
    hml_motion_free(self->motion);
    if (self->space) workspace_give(self->model, self->space);
    for (int i = 0; i < ARRAYS; i++) Py_XDECREF(self->arrays[i]);
    PyMem_Free(self->holds);
    PyMem_Free(self->scratch);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* ---- moving ---- */

static int enter(motion_object *self)
{
    if (self->busy) PyErr_SetString(PyExc_RuntimeError, "another thread moves this motion");
    return self->busy++ ? (self->busy--, -1) : 0;
}

static PyObject *leave(motion_object *self, hml_status status, PyObject *result)
{
    self->busy--;
    if (!status) return result;
    if (!PyErr_Occurred()) raise_status(status, NULL);
    return NULL;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t tried(const hml_motion *motion)
{
    hml_motion_info info = {.struct_size = sizeof info};
    return hml_motion_get_info(motion, &info) ? 0 : info.steps + info.rejected;
}

/* steps for a twentieth of a second, one alone if `one`, none after `last` of them were tried, and not beyond `until` */
static hml_status go(hml_motion *motion, double until, int64_t last, int one)
{
    double end = seconds() + 0.05;
    hml_status status = HML_OK;
    for (long i = 0; !status && hml_motion_time(motion) < until; i++) {
        status = tried(motion) < last ? hml_motion_step(motion, until) : HML_TOO_MANY_STEPS;
        if (one || (i % 16 == 15 && seconds() > end)) break;
    }
    return status;
}

/* what is raised says how far the motion came */
static PyObject *stopped(motion_object *self, hml_status status, double until)
{
    hml_error error;
    if (!PyErr_Occurred() && !hml_motion_explain(self->motion, status, until, &error)) raise_error(&error);
    return leave(self, status, NULL);
}

/* a long way is gone in pieces, between which the interpreter hears what its user wants: Ctrl-C stops it in between */
static PyObject *move(motion_object *self, PyObject *object, int one)
{
    double until = PyFloat_AsDouble(object);
    if (PyErr_Occurred() || enter(self)) return NULL;
    int ahead = isfinite(until) && until > hml_motion_time(self->motion);
    hml_status status = isfinite(until) && (ahead || !one) ? HML_OK : HML_INVALID_ARGUMENT;
    if (!one && until < hml_motion_time(self->motion)) status = HML_INVALID_ARGUMENT;
    if (status) return stopped(self, status, until);
    const int64_t last = one ? INT64_MAX : tried(self->motion) + hml_motion_most_steps(self->motion, until);
    while (!status && hml_motion_time(self->motion) < until) {
        if (self->force) {
            status = go(self->motion, until, last, one);
        } else {
            Py_BEGIN_ALLOW_THREADS status = go(self->motion, until, last, one);
            Py_END_ALLOW_THREADS
        }
        if (!status && PyErr_CheckSignals()) status = HML_NOT_CONVERGED;
        if (one) break;
    }
    return status ? stopped(self, status, until) : leave(self, status, Py_NewRef((PyObject *)self));
}

static PyObject *step(motion_object *self, PyObject *until) { return move(self, until, 1); }
static PyObject *advance(motion_object *self, PyObject *until) { return move(self, until, 0); }

static PyObject *state_at(motion_object *self, PyObject *object)
{
    double t = PyFloat_AsDouble(object);
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    if (PyErr_Occurred() || enter(self)) return NULL;
    PyObject *q = PyArray_SimpleNew(1, &nq, NPY_DOUBLE), *v = PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
    hml_status status = HML_OUT_OF_MEMORY;
    if (q && v) {
        status = hml_motion_at(self->motion, t, PyArray_DATA((PyArrayObject *)q), PyArray_DATA((PyArrayObject *)v));
    }
    PyObject *result = status ? NULL : PyTuple_Pack(2, q, v);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return leave(self, status, result);
}

static PyObject *find(motion_object *self, PyObject *event)
{
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    if (enter(self)) return NULL;
    PyObject *q = PyArray_SimpleNew(1, &nq, NPY_DOUBLE), *v = PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
    hml_status status = HML_OUT_OF_MEMORY;
    int found = 0;
    double t = 0;
    if (q && v) {
        self->event = event;
        status = hml_motion_find(self->motion, value_of, self, &found, &t, PyArray_DATA((PyArrayObject *)q),
                                 PyArray_DATA((PyArrayObject *)v));
        self->event = NULL;
    }
    PyObject *result = status ? NULL : found ? Py_BuildValue("dOO", t, q, v) : Py_NewRef(Py_None);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return leave(self, status, result);
}

static PyObject *restart(motion_object *self, PyObject *arguments)
{
    double t;
    PyObject *at, *with;
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    if (!PyArg_ParseTuple(arguments, "dOO", &t, &at, &with)) return NULL;
    PyArrayObject *q = array_shaped(at, "q", 1, &nq), *v = q ? array_shaped(with, "v", 1, &nv) : NULL;
    PyObject *result = NULL;
    if (v && !enter(self)) {
        hml_status status = hml_motion_restart(self->motion, t, PyArray_DATA(q), PyArray_DATA(v));
        result = leave(self, status, status ? NULL : Py_NewRef((PyObject *)self));
    }
    Py_XDECREF(q);
    Py_XDECREF(v);
    return result;
}

/* ---- looking ---- */

static PyObject *get_time(motion_object *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(hml_motion_time(self->motion));
}

static PyObject *get_q(motion_object *self, void *closure)
{
    (void)closure;
    npy_intp nq = hml_model_nq(self->model->model);
    return array_copy(1, &nq, hml_motion_position(self->motion));
}

static PyObject *get_v(motion_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = hml_model_nv(self->model->model);
    return array_copy(1, &nv, hml_motion_velocity(self->motion));
}

static PyObject *get_info(motion_object *self, void *closure)
{
    (void)closure;
    hml_motion_info info = {.struct_size = sizeof info};
    PyObject *answer = hml_motion_get_info(self->motion, &info) ? NULL : PyStructSequence_New(info_type);
    if (!answer) return NULL;
    PyStructSequence_SetItem(answer, 0, PyLong_FromLongLong(info.steps));
    PyStructSequence_SetItem(answer, 1, PyLong_FromLongLong(info.rejected));
    PyStructSequence_SetItem(answer, 2, PyLong_FromLongLong(info.evaluations));
    PyStructSequence_SetItem(answer, 3, PyLong_FromLongLong(info.iterations));
    PyStructSequence_SetItem(answer, 4, PyFloat_FromDouble(info.last_step));
    return answer;
}

PyObject *wrap_balance(const hml_balance *b)
{
    const npy_intp six = 6;
    const double works[] = {b->forces, b->servos,   b->wrenches,     b->damping, b->contacts,
                            b->limits, b->friction, b->displacement, b->removed, b->actuators};
    PyObject *answer = PyStructSequence_New(balance_type);
    if (!answer) return NULL;
    for (int i = 0; i < 10; i++) PyStructSequence_SetItem(answer, i, PyFloat_FromDouble(works[i]));
    PyStructSequence_SetItem(answer, 10, array_copy(1, &six, b->gravity_impulse));
    PyStructSequence_SetItem(answer, 11, array_copy(1, &six, b->wrench_impulse));
    PyStructSequence_SetItem(answer, 12, array_copy(1, &six, b->contact_impulse));
    return answer;
}

static PyObject *get_balance(motion_object *self, void *closure)
{
    (void)closure;
    hml_balance b = {.struct_size = sizeof b};
    if (!hml_motion_get_balance(self->motion, &b)) return wrap_balance(&b);
    raise_status(HML_INVALID_ARGUMENT, "the books are not kept: Motion(…, balance=True)");
    return NULL;
}

static PyObject *torque(motion_object *self, PyObject *arguments)
{
    double t;
    PyObject *at, *with;
    npy_intp nq = hml_model_nq(self->model->model), nv = hml_model_nv(self->model->model);
    if (!PyArg_ParseTuple(arguments, "dOO", &t, &at, &with)) return NULL;
    PyArrayObject *q = array_shaped(at, "q", 1, &nq), *v = q ? array_shaped(with, "v", 1, &nv) : NULL;
    PyObject *tau = v ? PyArray_SimpleNew(1, &nv, NPY_DOUBLE) : NULL, *result = NULL;
    if (tau && !enter(self)) {
        hml_status status =
            hml_motion_torque(self->motion, t, PyArray_DATA(q), PyArray_DATA(v), PyArray_DATA((PyArrayObject *)tau));
        result = leave(self, status, status ? NULL : Py_NewRef(tau));
    }
    Py_XDECREF(q);
    Py_XDECREF(v);
    Py_XDECREF(tau);
    return result;
}

static PyObject *linearize(motion_object *self, PyObject *none)
{
    const hml_model *model = self->model->model;
    const npy_intp n = hml_motion_states(self->motion), square[] = {n, n}, tall[] = {n, hml_model_nv(model)};
    (void)none;
    double *scratch = PyMem_Malloc(hml_motion_linearize_scratch_doubles(model) * sizeof *scratch);
    if (!scratch) return PyErr_NoMemory();
    PyObject *A = PyArray_SimpleNew(2, square, NPY_DOUBLE), *B = PyArray_SimpleNew(2, tall, NPY_DOUBLE), *result = NULL;
    if (A && B && !enter(self)) {
        const hml_status status = hml_motion_linearize(self->motion, scratch, PyArray_DATA((PyArrayObject *)A),
                                                       PyArray_DATA((PyArrayObject *)B));
        result = leave(self, status, status ? NULL : PyTuple_Pack(2, A, B));
    }
    PyMem_Free(scratch);
    Py_XDECREF(A);
    Py_XDECREF(B);
    return result;
}

static PyObject *schemes(PyObject *none, PyObject *nothing)
{
    (void)none;
    (void)nothing;
    PyObject *orders = PyDict_New();
    for (int i = 0; orders && i < HML_SCHEME_COUNT; i++) {
        PyObject *order = PyLong_FromLong(hml_scheme_order((hml_scheme)i));
        if (!order || PyDict_SetItemString(orders, hml_scheme_name((hml_scheme)i), order)) Py_CLEAR(orders);
        Py_XDECREF(order);
    }
    return orders;
}

static PyMethodDef methods[] = {
    {"step", (PyCFunction)step, METH_O,
     "step($self, until, /)\n--\n\nOne step, not beyond the time until. Returns the motion. A step that fails raises "
     "and "
     "leaves it where it was."},
    {"advance", (PyCFunction)advance, METH_O,
     "advance($self, until, /)\n--\n\nSteps up to the time until, which is hit exactly. Returns the motion. If one "
     "fails, or Ctrl-C\ninterrupts them, it stands where the last good step ended. TooManyStepsError after max_steps "
     "of "
     "them."},
    {"at", (PyCFunction)state_at, METH_O, "at($self, t, /)\n--\n\n(q, v) at a time within the last step."},
    {"find", (PyCFunction)find, METH_O,
     "find($self, event, /)\n--\n\n(t, q, v) where event(t, q, v) changes its sign within the last step; None if "
     "nowhere."},
    {"linearize", (PyCFunction)linearize, METH_NOARGS,
     "linearize($self, /)\n--\n\n(Ad, Bd), the exact derivatives of the last step of euler, rk2, rk4, alpha or "
     "variational by\n"
     "q, v and tau; of alpha by its auxiliary acceleration, too, a third block of states."},
    {"schemes", (PyCFunction)schemes, METH_NOARGS | METH_STATIC,
     "schemes()\n--\n\nThe names of the integrators, and the order of each."},
    {"torque", (PyCFunction)torque, METH_VARARGS,
     "torque($self, t, q, v, /)\n--\n\nThe forces of the joints at a state: tau, samples, servo and force together, "
     "(nv,)."},
    {"restart", (PyCFunction)restart, METH_VARARGS,
     "restart($self, t, q, v, /)\n--\n\nGoes on from another state, after an impact for instance. Returns the motion."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"time", (getter)get_time, NULL, "Now.", NULL},
    {"q", (getter)get_q, NULL, "The configuration now, (nq,): a copy.", NULL},
    {"v", (getter)get_v, NULL, "The velocity now, (nv,): a copy.", NULL},
    {"info", (getter)get_info, NULL, "Steps, rejected steps, evaluations, iterations, the last step's length.", NULL},
    {"balance", (getter)get_balance, NULL,
     "What forces have put into the robot and taken out of it since the start; with balance=True.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject motion_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Motion",
    .tp_basicsize = sizeof(motion_object),
    .tp_new = motion_new,
    .tp_dealloc = (destructor)dealloc,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc =
        "Motion(model, q, v=None, t=0.0, *, integrator='dopri5', step=0.001, tolerance=1e-12, radius=0.8, "
        "iterations=50, "
        "tau=None, wrenches=None, samples=None, hold=False, target=None, stiffness=None, damping=None, "
        "force=None, balance=False, inputs=None, holds=(), max_steps=0)\n--\n\n"
        "A robot's equations of motion, integrated on its group: q ⊕ θ in every step.\n\n"
        "integrator: euler, rk2, rk4, dopri5 (adaptive), variational, alpha, momentum. Forces add up: tau and wrenches "
        "are\n"
        "constant; samples is (times, forces), held or joined by straight lines; target, stiffness and damping are a\n"
        "servo; force(t, q, v) returns τ or (τ, wrenches). With balance=True the motion keeps the books of energy "
        "and momentum; inputs are those of the model's actuators.\nholds: a list of hamel.Hold, loops too (rk2, rk4 "
        "and "
        "dopri5); their damping and stiffness take back errors of positions.\nmax_steps: of one advance, rejected "
        "steps "
        "included; 0: a million more than steps of `step` take, at most a hundred million.",
};

int motion_ready(PyObject *module)
{
    static const char *const NAMES[] = {"steps", "rejected", "evaluations", "iterations", "last_step", NULL};
    static const char *const BALANCE[] = {
        "forces",       "servos",  "wrenches",  "damping",         "contacts",       "limits",          "friction",
        "displacement", "removed", "actuators", "gravity_impulse", "wrench_impulse", "contact_impulse", NULL};
    balance_type = record_type(module, "hamel._core.Balance",
                               "Work in joules, and what was added to the momentum (linear, then angular about the "
                               "world's origin).",
                               BALANCE);
    info_type = record_type(module, "hamel._core.MotionInfo", "What Motion.info says.", NAMES);
    if (!info_type || !balance_type || PyType_Ready(&motion_type) < 0) return -1;
    Py_INCREF(&motion_type);
    return PyModule_AddObject(module, "Motion", (PyObject *)&motion_type);
}
