/* Model.trim (hamel/trim.h): equilibria and steady motions. */
#include <math.h>
#include <string.h>

#include "objects.h"

static PyTypeObject *trim_type;

/* everything that a call brings or makes; arrays are references, NULL where there is none */
typedef struct trim_call {
    model_object *self;
    hml_trim_problem problem;
    hml_trim_report report;
    hml_constraints holds;
    hml_error error;
    hml_status status;
    void *hold_items;
    hml_thruster *thrusters;
    int *free, *actuated; /* nv marks */
    PyArrayObject *given[5];
    PyArrayObject *q, *tau, *forces, *thrust, *residual;
} trim_call;

/* ---- reading ---- */

/* (frame, wrench) or (frame, wrench, lower, upper) */
static int read_thruster(const hml_model *model, PyObject *object, hml_thruster *thruster)
{
    PyObject *frame, *wrench;
    npy_intp six = 6;
    *thruster = (hml_thruster){.lower = -HUGE_VAL, .upper = HUGE_VAL};
    if (!PyTuple_Check(object) ||
        !PyArg_ParseTuple(object, "OO|dd", &frame, &wrench, &thruster->lower, &thruster->upper)) {
        PyErr_SetString(PyExc_TypeError, "a thruster is a tuple (frame, wrench) or (frame, wrench, lower, upper)");
        return -1;
    }
    thruster->frame = find_frame(model, frame, 0);
    if (thruster->frame == INT32_MIN) return -1;
    PyArrayObject *array = array_shaped(wrench, "wrench", 1, &six);
    if (!array) return -1;
    memcpy(thruster->wrench, PyArray_DATA(array), sizeof thruster->wrench);
    Py_DECREF(array);
    return 0;
}

static int read_thrusters(trim_call *c, PyObject *object)
{
    PyObject *list = PySequence_Fast(object, "thrusters is a list of (frame, wrench, lower, upper)");
    if (!list) return -1;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
    c->thrusters = PyMem_Calloc((size_t)n + 1, sizeof *c->thrusters);
    int failed = !c->thrusters || n > INT32_MAX;
    for (Py_ssize_t i = 0; i < n && !failed; i++)
        failed = read_thruster(c->self->model, PySequence_Fast_GET_ITEM(list, i), &c->thrusters[i]);
    Py_DECREF(list);
    c->problem.thrusters = c->thrusters;
    c->problem.nthrusters = (int32_t)n;
    return failed ? -1 : 0;
}

/* marks of one joint's coordinates; −1: there is no such joint */
static int mark_joint(const hml_model *model, PyObject *name, int *marks)
{
    hml_joint_info info = {.struct_size = sizeof info};
    const int32_t joint = find_part(model, name, JOINT_PART);
    if (joint < 0) return -1;
    hml_model_joint(model, joint, &info);
    for (int32_t k = 0; k < info.nv; k++) marks[info.v + k] = 1;
    return 0;
}

int read_joint_marks(const hml_model *model, PyObject *object, const char *name, int **marks)
{
    const npy_intp nv = hml_model_nv(model);
    *marks = PyMem_Calloc((size_t)nv + 1, sizeof **marks);
    if (!*marks) return -1;
    PyObject *list = PySequence_Fast(object, "a list of marks of coordinates, or of names of joints");
    if (!list) return -1;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
    int failed = 0, names = 0;
    for (Py_ssize_t i = 0; i < n; i++) names += PyUnicode_Check(PySequence_Fast_GET_ITEM(list, i)) ? 1 : 0;
    if (names < n || (n == 0 && nv == 0)) {
        failed = names > 0 || n != nv;
        if (failed)
            PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT],
                         "%s is one mark for each coordinate, %zd of them, or names of joints", name, (Py_ssize_t)nv);
    }
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(list, i);
        if (names) {
            failed = mark_joint(model, item, *marks);
        } else {
            const int mark = PyObject_IsTrue(item);
            failed = mark < 0;
            (*marks)[i] = mark;
        }
    }
    Py_DECREF(list);
    return failed ? -1 : 0;
}

static int read_array(trim_call *c, int index, PyObject *object, const char *name, int ndim, const npy_intp *dims,
                      const double **out)
{
    if (object == Py_None) return 0;
    c->given[index] = array_shaped(object, name, ndim, dims);
    if (!c->given[index]) return -1;
    *out = PyArray_DATA(c->given[index]);
    return 0;
}

static PyArrayObject *new_array(npy_intp n) { return (PyArrayObject *)PyArray_ZEROS(1, &n, NPY_DOUBLE, 0); }

/* where the results go; q holds the guess */
static int make_results(trim_call *c)
{
    const hml_model *model = c->self->model;
    const npy_intp nv = hml_model_nv(model);
    c->q = new_array(hml_model_nq(model));
    c->tau = new_array(nv);
    c->forces = new_array(hml_constraint_rows(&c->holds));
    c->thrust = new_array(c->problem.nthrusters);
    c->residual = new_array(nv);
    if (!c->q || !c->tau || !c->forces || !c->thrust || !c->residual) return -1;
    hml_trim_problem *p = &c->problem;
    if (p->guess)
        memcpy(PyArray_DATA(c->q), p->guess, (size_t)hml_model_nq(model) * sizeof(double));
    else
        hml_configuration_neutral(model, PyArray_DATA(c->q));
    p->guess = p->q = PyArray_DATA(c->q);
    p->tau = PyArray_DATA(c->tau);
    p->lambda = PyArray_DATA(c->forces);
    p->thrust = PyArray_DATA(c->thrust);
    p->residual = PyArray_DATA(c->residual);
    p->report = &c->report;
    return 0;
}

/* ---- the call ---- */

static void solve(trim_call *c)
{
    c->status = HML_OUT_OF_MEMORY;
    Py_BEGIN_ALLOW_THREADS workspace *space = workspace_take(c->self);
    const size_t doubles = hml_trim_scratch_doubles(c->self->model, &c->problem);
    double *scratch = malloc((doubles + 1) * sizeof *scratch);
    if (space && scratch) c->status = hml_trim(c->self->model, space->work, &c->problem, scratch, &c->error);
    free(scratch);
    if (space) workspace_give(c->self, space);
    Py_END_ALLOW_THREADS
}

static PyObject *answer(const trim_call *c)
{
    PyObject *record = PyStructSequence_New(trim_type);
    if (!record) return NULL;
    PyArrayObject *const arrays[] = {c->q, c->tau, c->forces, c->thrust, c->residual};
    const hml_trim_report *r = &c->report;
    Py_ssize_t at = 0;
    for (size_t i = 0; i < COUNT(arrays); i++) PyStructSequence_SetItem(record, at++, Py_NewRef((PyObject *)arrays[i]));
    PyStructSequence_SetItem(record, at++, PyBool_FromLong(c->status == HML_OK));
    PyStructSequence_SetItem(record, at++, PyUnicode_FromString(c->status ? c->error.message : ""));
    PyStructSequence_SetItem(record, at++, PyFloat_FromDouble(r->relative));
    PyStructSequence_SetItem(record, at++, PyFloat_FromDouble(r->position));
    PyStructSequence_SetItem(record, at++, PyFloat_FromDouble(r->cost));
    PyStructSequence_SetItem(record, at++, PyLong_FromLong(r->iterations));
    PyStructSequence_SetItem(record, at++, PyLong_FromLong(r->coordinate));
    PyStructSequence_SetItem(record, at++, PyLong_FromLong(r->at_limit));
    PyStructSequence_SetItem(record, at++, PyBool_FromLong(r->optimal));
    return PyErr_Occurred() ? (Py_DECREF(record), NULL) : record;
}

static void let_go(trim_call *c)
{
    for (size_t i = 0; i < COUNT(c->given); i++) Py_XDECREF(c->given[i]);
    Py_XDECREF(c->q);
    Py_XDECREF(c->tau);
    Py_XDECREF(c->forces);
    Py_XDECREF(c->thrust);
    Py_XDECREF(c->residual);
    PyMem_Free(c->hold_items);
    PyMem_Free(c->thrusters);
    PyMem_Free(c->free);
    PyMem_Free(c->actuated);
}

enum {
    GIVEN_Q,
    GIVEN_V,
    GIVEN_HOLDS,
    GIVEN_FRICTION,
    GIVEN_FREE,
    GIVEN_ACTUATED,
    GIVEN_THRUSTERS,
    GIVEN_WRENCHES,
    GIVEN_WEIGHTS,
    OBJECTS
};

static int read_all(trim_call *c, PyObject *const *x)
{
    const hml_model *model = c->self->model;
    hml_trim_problem *p = &c->problem;
    const npy_intp nq = hml_model_nq(model), nv = hml_model_nv(model), bodies[2] = {hml_model_nbodies(model), 6};
    if (read_array(c, 0, x[GIVEN_Q], "q", 1, &nq, &p->guess) || read_array(c, 1, x[GIVEN_V], "v", 1, &nv, &p->v) ||
        read_array(c, 2, x[GIVEN_WRENCHES], "wrenches", 2, bodies, &p->wrenches) ||
        read_array(c, 3, x[GIVEN_WEIGHTS], "weights", 1, &nv, &p->weights) ||
        read_holds(model, x[GIVEN_HOLDS], &c->holds, &c->hold_items))
        return -1;
    const npy_intp count = c->holds.count;
    if (read_array(c, 4, x[GIVEN_FRICTION], "friction", 1, &count, &p->friction) ||
        read_thrusters(c, x[GIVEN_THRUSTERS]))
        return -1;
    if (x[GIVEN_FREE] != Py_None && read_joint_marks(model, x[GIVEN_FREE], "free", &c->free)) return -1;
    if (x[GIVEN_ACTUATED] != Py_None && read_joint_marks(model, x[GIVEN_ACTUATED], "actuated", &c->actuated)) return -1;
    p->holds = &c->holds;
    p->free = c->free;
    p->actuated = c->actuated;
    return make_results(c);
}

static PyObject *trim(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {
        "q",       "v",       "holds",         "friction",          "free",       "actuated",  "thrusters", "wrenches",
        "weights", "posture", "ignore_limits", "release_positions", "iterations", "tolerance", "strict",    "hold",
        NULL};
    trim_call c = {.self = self, .report = {.struct_size = sizeof c.report}};
    hml_trim_problem *p = &c.problem;
    PyObject *x[OBJECTS] = {Py_None, Py_None, NULL, Py_None, Py_None, Py_None, NULL, Py_None, Py_None}, *record = NULL;
    PyObject *hold = NULL;
    int strict = 1;
    p->struct_size = sizeof *p;
    if (!parse_arguments(arguments, names, "|OO$OOOOOOOdppidpO", words, &x[GIVEN_Q], &x[GIVEN_V], &x[GIVEN_HOLDS],
                         &x[GIVEN_FRICTION], &x[GIVEN_FREE], &x[GIVEN_ACTUATED], &x[GIVEN_THRUSTERS],
                         &x[GIVEN_WRENCHES], &x[GIVEN_WEIGHTS], &p->posture, &p->ignore_limits, &p->release_positions,
                         &p->iterations, &p->tolerance, &strict, &hold))
        return NULL;
    if (hold && x[GIVEN_HOLDS]) {
        PyErr_SetString(PyExc_TypeError, "trim takes holds or hold, which mean the same, not both");
        return NULL;
    }
    PyObject *none = PyTuple_New(0);
    if (hold) x[GIVEN_HOLDS] = hold;
    if (!x[GIVEN_HOLDS]) x[GIVEN_HOLDS] = none;
    if (!x[GIVEN_THRUSTERS]) x[GIVEN_THRUSTERS] = none;
    if (none && !read_all(&c, x)) {
        solve(&c);
        const int refused = c.status == HML_INCONSISTENT || c.status == HML_NOT_CONVERGED;
        if (!c.status || (refused && !strict))
            record = answer(&c);
        else if (refused)
            raise_error(&c.error);
        else
            raise_status(c.status, "trim");
    }
    Py_XDECREF(none);
    let_go(&c);
    return record;
}

PyMethodDef trim_methods[] = {
    {"trim", (PyCFunction)(void (*)(void))trim, METH_VARARGS | METH_KEYWORDS,
     "trim($self, q=None, v=None, *, holds=(), friction=None, free=None, actuated=None, thrusters=(), wrenches=None, "
     "weights=None, posture=0.0, ignore_limits=False, release_positions=False, iterations=0, tolerance=0.0, "
     "strict=True, hold=())\n--\n\n"
     "A configuration near q at which the robot is at rest, or moves on with v, and the forces that keep it there.\n\n"
     "q: the guess, neutral if not given. holds, or hold: a list of hamel.Hold or of names, which are\n"
     "held points; what is held stays where it is in q. friction: "
     "one\n"
     "number for each hold, a point with μ > 0 pushes and does not slide. free: coordinates that may move, as marks or "
     "as\n"
     "names of joints; all if not given. actuated: those with a motor, the model's if not given. thrusters: a list of\n"
     "(frame, wrench, lower, upper). wrenches: (nbodies, 6), other loads. weights: of τ² in the cost, 1/effort² if "
     "not\n"
     "given; posture: of |q ⊖ guess|², 0.01 if zero. Limits of positions and efforts hold unless ignore_limits.\n\n"
     "InconsistentError names what cannot be balanced; with strict=False the answer has ok, message and residual "
     "instead."},
    {NULL, NULL, 0, NULL},
};

int trim_ready(PyObject *module)
{
    static const char *const NAMES[] = {"q",          "tau",        "forces",   "thrust",   "residual",
                                        "ok",         "message",    "relative", "position", "cost",
                                        "iterations", "coordinate", "at_limit", "optimal",  NULL};
    trim_type = record_type(module, "hamel._core.Trim", "What Model.trim found.", NAMES);
    return trim_type ? 0 : -1;
}
