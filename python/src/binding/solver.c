/* Behind hamel.control.Solver: optimal control problems (hamel/control/problem.h) and their solver. */
#include <math.h>
#include <string.h>

#include "solver.h"

static PyTypeObject solver_type;

/* ---- callbacks ---- */

static void keep_error(solver_object *self)
{
    if (self->error[0])
        PyErr_Clear();
    else
        PyErr_Fetch(&self->error[0], &self->error[1], &self->error[2]);
}

/* an array of a result; nothing where out is NULL */
static int take(PyObject *object, const char *name, int ndim, const npy_intp *dims, double *out)
{
    if (!out) return 0;
    PyArrayObject *array = array_shaped(object, name, ndim, dims);
    if (!array) return -1;
    memcpy(out, PyArray_DATA(array), (size_t)PyArray_NBYTES(array));
    Py_DECREF(array);
    return 0;
}

/* r, r_x and r_u out of what an own term returned, whose reference it takes; arrays have leading dimensions before the
   term's own */
static hml_status take_answer(const own_term *own, PyObject *answer, int leading, const npy_intp *by_r,
                              const npy_intp *by_x, const npy_intp *by_u, double *r, double *r_x, double *r_u)
{
    solver_object *self = own->solver;
    PyObject *list = answer ? PySequence_Fast(answer, "an own term returns r, r_x and r_u") : NULL;
    if (list && PySequence_Fast_GET_SIZE(list) != 3)
        PyErr_SetString(PyExc_TypeError, "an own term returns r, r_x and r_u");
    else if (list && !take(PySequence_Fast_GET_ITEM(list, 0), "r", leading + 1, by_r, r) &&
             !take(PySequence_Fast_GET_ITEM(list, 1), "r_x", leading + 2, by_x, r_x))
        (void)take(PySequence_Fast_GET_ITEM(list, 2), "r_u", leading + 2, by_u, r_u);
    Py_XDECREF(list);
    Py_XDECREF(answer);
    const int failed = PyErr_Occurred() || self->error[0];
    if (PyErr_Occurred()) keep_error(self);
    return failed ? HML_INVALID_ARGUMENT : HML_OK;
}

static hml_status call_own(void *context, size_t knot, const double *q, const double *v, const double *u, double *r,
                           double *r_x, double *r_u)
{
    const own_term *own = context;
    solver_object *self = own->solver;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *qs = array_copy(1, &self->nq, q), *vs = array_copy(1, &self->nv, v);
    PyObject *us = u ? array_copy(1, &self->inputs, u) : Py_NewRef(Py_None), *answer = NULL;
    const npy_intp by_x[2] = {own->rows, 2 * self->nv}, by_u[2] = {own->rows, self->inputs};
    if (qs && vs && us && !self->error[0])
        answer = PyObject_CallFunction(own->function, "nOOO", (Py_ssize_t)knot, qs, vs, us);
    const hml_status status = take_answer(own, answer, 0, &own->rows, by_x, by_u, r, r_x, r_u);
    Py_XDECREF(us);
    Py_XDECREF(vs);
    Py_XDECREF(qs);
    PyGILState_Release(gil);
    return status;
}

/* the same at many knots: arrays have a dimension more, and knot is an array */
static hml_status call_knots(void *context, size_t knot, size_t count, const double *q, const double *v,
                             const double *u, double *r, double *r_x, double *r_u)
{
    const own_term *own = context;
    solver_object *self = own->solver;
    const size_t N = (size_t)hml_problem_knots(&self->problem);
    const npy_intp all = (npy_intp)count, with = u ? (npy_intp)(knot + count > N ? N - knot : count) : 0;
    const npy_intp q_dims[2] = {all, self->nq}, v_dims[2] = {all, self->nv}, u_dims[2] = {with, self->inputs};
    const npy_intp by_r[2] = {all, own->rows}, by_x[3] = {all, own->rows, 2 * self->nv};
    const npy_intp by_u[3] = {with, own->rows, self->inputs};
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *qs = array_copy(2, q_dims, q), *vs = array_copy(2, v_dims, v), *answer = NULL;
    PyObject *us = u ? array_copy(2, u_dims, u) : PyArray_ZEROS(2, (npy_intp *)u_dims, NPY_DOUBLE, 0);
    PyObject *knots = PyArray_Arange((double)knot, (double)(knot + count), 1, NPY_INTP);
    if (qs && vs && us && knots && !self->error[0])
        answer = PyObject_CallFunction(own->function, "OOOO", knots, qs, vs, us);
    const hml_status status = take_answer(own, answer, 1, by_r, by_x, by_u, r, r_x, r_u);
    Py_XDECREF(knots);
    Py_XDECREF(us);
    Py_XDECREF(vs);
    Py_XDECREF(qs);
    PyGILState_Release(gil);
    return status;
}

PyObject *solver_report(const hml_solve_report *x)
{
    return Py_BuildValue("(iidddddddd i n)", (int)x->end, (int)x->iterations, x->cost, x->gap, x->violation, x->slope,
                         x->step, x->regularization, x->penalty, x->seconds, (int)x->worst_term,
                         (Py_ssize_t)x->worst_knot);
}

int solver_progress(void *context, const hml_solve_report *report)
{
    solver_object *self = context;
    PyGILState_STATE gil = PyGILState_Ensure();
    int stop = self->error[0] != NULL;
    if (!stop && self->progress) {
        PyObject *words = solver_report(report),
                 *answer = words ? PyObject_CallFunctionObjArgs(self->progress, words, NULL) : NULL;
        stop = answer ? PyObject_IsTrue(answer) : 1;
        Py_XDECREF(answer);
        Py_XDECREF(words);
    }
    if (!PyErr_Occurred() && PyErr_CheckSignals()) stop = 1;
    if (PyErr_Occurred()) keep_error(self), stop = 1;
    PyGILState_Release(gil);
    return stop;
}

/* ---- threads ---- */

typedef struct loop {
    hml_parallel_task *task;
    void *data;
} loop;

static void run_pieces(void *user, int thread, npy_intp begin, npy_intp end)
{
    const loop *l = user;
    for (npy_intp i = begin; i < end; i++) l->task(l->data, (size_t)i, (size_t)thread);
}

void solver_parallel(void *context, size_t count, hml_parallel_task *task, void *data)
{
    loop l = {task, data};
    const solver_object *self = context;
    in_pieces(self->threads, (npy_intp)count, run_pieces, &l);
}

/* ---- reading ---- */

/* an array of doubles that the solver keeps; None: NULL. *size, if not NULL, is how many there are, −1 of None */
static int keep_array(solver_object *self, PyObject *object, const double **data, npy_intp *size)
{
    *data = NULL;
    if (size) *size = -1;
    if (object == Py_None) return 0;
    PyObject *name = PyUnicode_FromString("array");
    PyArrayObject *array = name ? array_of(object, name) : NULL;
    Py_XDECREF(name);
    if (!array || PyList_Append(self->keep, (PyObject *)array)) {
        Py_XDECREF(array);
        return -1;
    }
    *data = PyArray_DATA(array);
    if (size) *size = PyArray_SIZE(array);
    Py_DECREF(array);
    return 0;
}

static int read_phase(solver_object *self, PyObject *object, size_t i)
{
    hml_phase *phase = &self->phases[i];
    PyObject *holds;
    Py_ssize_t knots;
    const char *scheme;
    if (!PyArg_ParseTuple(object, "ndOps", &knots, &phase->h, &holds, &phase->impact, &scheme)) return -1;
    if (hml_scheme_from_name(scheme, &phase->scheme)) {
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "/phases/%zu/scheme: %s is not a scheme: euler, rk2 or rk4", i,
                     scheme);
        return -1;
    }
    phase->knots = knots > 0 ? (size_t)knots : 0;
    if (read_holds(self->model->model, holds, &self->holds[i], &self->hold_items[i])) return -1;
    if (self->holds[i].count || self->holds[i].loop_count) phase->holds = &self->holds[i];
    return 0;
}

static int read_term(solver_object *self, PyObject *object, size_t i)
{
    hml_term *t = &self->terms[i];
    term_sizes *sizes = &self->sizes[i];
    PyObject *frame, *other, *reference, *weights, *knot_weights, *lower, *upper, *normal, *own;
    const double *n;
    npy_intp size;
    int kind, role, representation, vectorized;
    Py_ssize_t first, last, stride, rows;
    if (!PyArg_ParseTuple(object, "ziinnOOiiOndOOOOdOinOp", &t->name, &kind, &role, &first, &last, &frame, &other,
                          &t->hold, &representation, &reference, &stride, &t->weight, &weights, &knot_weights, &lower,
                          &upper, &t->friction, &normal, &t->facets, &rows, &own, &vectorized))
        return -1;
    t->kind = (hml_term_kind)kind, t->role = (hml_term_role)role;
    t->representation = (hml_representation)representation;
    t->first = (size_t)first, t->last = (size_t)last, t->reference.stride = (size_t)stride, t->rows = (size_t)rows;
    t->frame = frame == Py_None ? -1 : find_frame(self->model->model, frame, 0);
    if (t->frame == INT32_MIN) return -1;
    t->other = other == Py_None ? -1 : find_frame(self->model->model, other, 0);
    if (t->other == INT32_MIN || PyList_Append(self->keep, object)) return -1; /* the name is the tuple's */
    if (keep_array(self, reference, &t->reference.data, &sizes->reference) ||
        keep_array(self, weights, &t->weights, &sizes->weights) ||
        keep_array(self, knot_weights, &t->knot_weights, &sizes->knot_weights) ||
        keep_array(self, lower, &t->lower, &sizes->lower) || keep_array(self, upper, &t->upper, &sizes->upper) ||
        keep_array(self, normal, &n, &size))
        return -1;
    for (int k = 0; n && size == 3 && k < 3; k++) t->normal[k] = n[k];
    if (own != Py_None) {
        self->own[i] = (own_term){self, own, rows};
        t->context = &self->own[i];
        if (vectorized)
            t->knots_function = call_knots;
        else
            t->function = call_own;
    }
    return 0;
}

/* a list of tuples, by `read` */
static int read_list(solver_object *self, PyObject *list, int (*read)(solver_object *, PyObject *, size_t))
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list); i++)
        if (read(self, PyTuple_GET_ITEM(list, i), (size_t)i)) return -1;
    return 0;
}

static int read_inputs(solver_object *self, PyObject *inputs)
{
    if (inputs == Py_None) return 0;
    PyArrayObject *array =
        (PyArrayObject *)PyArray_FROMANY(inputs, NPY_INT32, 1, 1, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
    if (!array || PyList_Append(self->keep, (PyObject *)array)) {
        Py_XDECREF(array);
        return -1;
    }
    self->problem.inputs = PyArray_DATA(array);
    self->problem.ninputs = (size_t)PyArray_SIZE(array);
    Py_DECREF(array);
    return 0;
}

/* one bound per input, or per knot and input */
static int read_bound(solver_object *self, PyObject *object, const char *name, hml_input *bound)
{
    npy_intp size;
    if (keep_array(self, object, &bound->data, &size)) return -1;
    if (size < 0 || size == self->inputs) return 0;
    bound->stride = (size_t)self->inputs;
    if (size == self->knots * self->inputs) return 0;
    hml_error error = {.status = HML_INVALID_ARGUMENT};
    PyOS_snprintf(error.message, sizeof error.message, "/bounds: %s has %zd entries where %zd or %zd are needed", name,
                  (Py_ssize_t)size, (Py_ssize_t)self->inputs, (Py_ssize_t)(self->knots * self->inputs));
    raise_error(&error);
    return -1;
}

static int check_size(size_t term, const char *name, npy_intp size, npy_intp needed)
{
    if (size < 0 || size == needed) return 0;
    hml_error error = {.status = HML_INVALID_ARGUMENT};
    PyOS_snprintf(error.message, sizeof error.message, "/terms/%zu/%s: has %zd entries where %zd are needed", term,
                  name, (Py_ssize_t)size, (Py_ssize_t)needed);
    raise_error(&error);
    return -1;
}

/* rows of the force of a frame that a gait holds; 0: none does */
static npy_intp held_rows(const solver_object *self, int32_t frame)
{
    for (size_t i = 0; i < self->nslots; i++) {
        for (int32_t k = 0; k < self->slots[i].count; k++) {
            const hml_constraint *hold = &self->slots[i].items[k];
            if (hold->frame == frame)
                return hml_constraint_rows(&HML_STRUCT(hml_constraints, .items = hold, .count = 1));
        }
    }
    return 0;
}

/* what hml_problem_check reads must be there: only the library knows the rows of forces and limits */
static int check_sizes(const solver_object *self, size_t i)
{
    const hml_term *t = &self->terms[i];
    const term_sizes *x = &self->sizes[i];
    const int by_frame = self->nslots && t->kind == HML_TERM_FORCE;
    const npy_intp rows = by_frame ? held_rows(self, t->frame) : hml_problem_term_rows(&self->problem, i);
    if (rows < 1 || t->first > t->last || t->last > (size_t)self->knots) return 0; /* refused without its arrays */
    const npy_intp count = (npy_intp)(t->last - t->first) + 1;
    npy_intp one = rows;
    if (t->kind == HML_TERM_CONFIGURATION) one = self->nq;
    if (t->kind == HML_TERM_ORIENTATION) one = 9;
    if (t->kind == HML_TERM_POSE) one = 16;
    if (x->reference >= 0 && t->reference.stride && check_size(i, "reference", (npy_intp)t->reference.stride, one))
        return -1;
    return check_size(i, "reference", x->reference, t->reference.stride ? count * one : one) ||
                   check_size(i, "weights", x->weights, rows) ||
                   check_size(i, "knot_weights", x->knot_weights, count) || check_size(i, "lower", x->lower, rows) ||
                   check_size(i, "upper", x->upper, rows)
               ? -1
               : 0;
}

int solver_read_problem(solver_object *self, const problem_arguments *x)
{
    PyObject *phases = x->phases, *terms = x->terms, *const *others = x->others;
    const size_t np = (size_t)PyTuple_GET_SIZE(phases), nt = (size_t)PyTuple_GET_SIZE(terms);
    npy_intp size;
    hml_problem *p = &self->problem;
    self->keep = PyList_New(0);
    self->phases = PyMem_Calloc(np + 1, sizeof *self->phases);
    self->holds = PyMem_Calloc(np + 1, sizeof *self->holds);
    self->hold_items = PyMem_Calloc(np + 1, sizeof *self->hold_items);
    self->terms = PyMem_Calloc(nt + 1, sizeof *self->terms);
    self->own = PyMem_Calloc(nt + 1, sizeof *self->own);
    self->sizes = PyMem_Calloc(nt + 1, sizeof *self->sizes);
    if (!self->keep || !self->phases || !self->holds || !self->hold_items || !self->terms || !self->own ||
        !self->sizes) {
        PyErr_NoMemory();
        return -1;
    }
    *p = HML_STRUCT(hml_problem, .model = self->model->model, .phases = self->phases, .nphases = np,
                    .terms = self->terms, .nterms = nt);
    if (read_list(self, phases, read_phase) || read_list(self, terms, read_term)) return -1;
    if (keep_array(self, others[0], &p->q, NULL) || keep_array(self, others[1], &p->v, NULL) ||
        read_inputs(self, others[2]) || keep_array(self, others[3], &p->actuation, &size))
        return -1;
    if (p->actuation && self->nv > 0) p->ninputs = (size_t)(size / self->nv);
    self->knots = hml_problem_knots(p);
    self->inputs = hml_problem_inputs(p);
    if (read_bound(self, others[4], "lower", &p->lower) || read_bound(self, others[5], "upper", &p->upper)) return -1;
    for (size_t i = 0; i < nt; i++)
        if (check_sizes(self, i)) return -1;
    return 0;
}

void solver_clear(solver_object *self)
{
    hml_solver_free(self->solver);
    hml_plan_free(self->file);
    for (size_t i = 0; self->hold_items && i < self->problem.nphases; i++) PyMem_Free(self->hold_items[i]);
    PyMem_Free(self->sizes);
    PyMem_Free(self->own);
    PyMem_Free(self->terms);
    PyMem_Free(self->hold_items);
    PyMem_Free(self->holds);
    PyMem_Free(self->phases);
    for (int i = 0; i < 3; i++) Py_XDECREF(self->error[i]);
    Py_XDECREF(self->keep);
    Py_XDECREF(self->model);
}

static void dealloc(solver_object *self)
{
    solver_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* (model, phases, terms, q, v, inputs, actuation, lower, upper, threads) */
static PyObject *solver_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    PyObject *model;
    problem_arguments x;
    int threads;
    (void)names;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OOOOOOi", &model_type, &model, &PyTuple_Type, &x.phases, &PyTuple_Type,
                          &x.terms, &x.others[0], &x.others[1], &x.others[2], &x.others[3], &x.others[4], &x.others[5],
                          &threads))
        return NULL;
    solver_object *self = (solver_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->model = (model_object *)Py_NewRef(model);
    self->nq = hml_model_nq(self->model->model), self->nv = hml_model_nv(self->model->model);
    self->threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
    hml_error error = {0};
    const hml_solver_settings settings = HML_STRUCT(hml_solver_settings, .workers = (size_t)self->threads);
    if (solver_read_problem(self, &x)) {
        Py_DECREF(self);
        return NULL;
    }
    hml_status status = hml_problem_check(&self->problem, &error);
    if (!status) status = hml_solver_new(&self->problem, &settings, &self->solver, &error);
    if (!status) return (PyObject *)self;
    raise_error(&error);
    Py_DECREF(self);
    return NULL;
}

/* (name, kind) of the terms of a file */
static PyObject *terms_of(const hml_problem *p)
{
    PyObject *list = PyTuple_New((Py_ssize_t)p->nterms);
    for (size_t i = 0; list && i < p->nterms; i++) {
        PyObject *one = Py_BuildValue("(zi)", p->terms[i].name, (int)p->terms[i].kind);
        if (!one) Py_CLEAR(list);
        if (one) PyTuple_SET_ITEM(list, (Py_ssize_t)i, one);
    }
    return list;
}

/* the solver's part of load: a copy of the model, which Python keeps, and the solver with the file's guess */
static hml_status open_file(solver_object *self, hml_error *error)
{
    hml_model *copy = NULL;
    hml_status status = hml_model_copy(self->file->model, &copy);
    if (status) return status;
    self->model = (model_object *)model_wrap(copy);
    if (!self->model) return HML_OUT_OF_MEMORY;
    self->problem = *self->file->problem;
    self->nq = hml_model_nq(self->file->model), self->nv = hml_model_nv(self->file->model);
    self->knots = hml_problem_knots(&self->problem), self->inputs = hml_problem_inputs(&self->problem);
    const hml_solver_settings settings = HML_STRUCT(hml_solver_settings, .workers = (size_t)self->threads);
    status = hml_solver_new(&self->problem, &settings, &self->solver, error);
    if (!status && self->file->u) status = hml_solver_guess(self->solver, NULL, NULL, self->file->u);
    return status;
}

/* (path, threads): the solver, the model, its file or name, the terms, the options of the file */
static PyObject *load(PyObject *none, PyObject *arguments)
{
    const char *path;
    int threads;
    (void)none;
    if (!PyArg_ParseTuple(arguments, "si", &path, &threads)) return NULL;
    solver_object *self = (solver_object *)solver_type.tp_alloc(&solver_type, 0);
    if (!self) return NULL;
    self->threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
    hml_error error = {0};
    hml_status status = hml_plan_load(path, NULL, &self->file, &error);
    if (!status) status = open_file(self, &error);
    if (status) {
        error.status = status;
        if (!error.file[0]) PyOS_snprintf(error.file, sizeof error.file, "%.250s", path);
        if (!PyErr_Occurred()) raise_error(&error);
        Py_DECREF(self);
        return NULL;
    }
    const hml_plan_file *f = self->file;
    const hml_solve_options *o = f->options;
    return Py_BuildValue("(NOsiN(idddd))", self, self->model, f->model_name, f->builtin, terms_of(f->problem),
                         (int)o->iterations, o->seconds, o->tolerance, o->violation, o->penalty);
}

/* ---- methods ---- */

int solver_is_busy(const solver_object *self)
{
    if (self->busy) PyErr_SetString(PyExc_RuntimeError, "another thread uses this solver");
    return self->busy;
}

static PyObject *answer(hml_status status)
{
    if (!status) Py_RETURN_NONE;
    raise_status(status, NULL);
    return NULL;
}

static PyObject *start(solver_object *self, PyObject *arguments)
{
    PyObject *given[2];
    if (!PyArg_ParseTuple(arguments, "OO", &given[0], &given[1]) || solver_is_busy(self)) return NULL;
    PyArrayObject *q = array_shaped(given[0], "q", 1, &self->nq);
    PyArrayObject *v = q && given[1] != Py_None ? array_shaped(given[1], "v", 1, &self->nv) : NULL;
    PyObject *result =
        PyErr_Occurred() ? NULL : answer(hml_solver_start(self->solver, PyArray_DATA(q), v ? PyArray_DATA(v) : NULL));
    Py_XDECREF(v);
    Py_XDECREF(q);
    return result;
}

static PyObject *guess(solver_object *self, PyObject *arguments)
{
    static const char *const words[3] = {"q", "v", "u"};
    PyObject *given[3];
    PyArrayObject *in[3] = {NULL};
    const double *data[3] = {NULL};
    const npy_intp dims[3][2] = {{self->knots + 1, self->nq}, {self->knots + 1, self->nv}, {self->knots, self->inputs}};
    if (!PyArg_ParseTuple(arguments, "OOO", &given[0], &given[1], &given[2]) || solver_is_busy(self)) return NULL;
    for (int i = 0; i < 3 && !PyErr_Occurred(); i++) {
        if (given[i] != Py_None) in[i] = array_shaped(given[i], words[i], 2, dims[i]);
        if (in[i]) data[i] = PyArray_DATA(in[i]);
    }
    PyObject *result = PyErr_Occurred() ? NULL : answer(hml_solver_guess(self->solver, data[0], data[1], data[2]));
    for (int i = 0; i < 3; i++) Py_XDECREF(in[i]);
    return result;
}

static PyObject *shift(solver_object *self, PyObject *number)
{
    const size_t knots = PyLong_AsSize_t(number);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "a motion is shifted by 0 knots or more, not by %S", number);
    }
    if (PyErr_Occurred() || solver_is_busy(self)) return NULL;
    return answer(hml_solver_shift(self->solver, knots));
}

int solver_raise(solver_object *self)
{
    if (!self->error[0]) return 0;
    PyErr_Restore(self->error[0], self->error[1], self->error[2]);
    memset(self->error, 0, sizeof self->error);
    return -1;
}

static PyObject *solve(solver_object *self, PyObject *arguments)
{
    hml_solve_options o = {.struct_size = sizeof o, .progress = solver_progress, .context = self};
    hml_solve_report report = {.struct_size = sizeof report};
    PyObject *progress;
    hml_status status;
    if (!PyArg_ParseTuple(arguments, "iddddO", &o.iterations, &o.seconds, &o.tolerance, &o.violation, &o.penalty,
                          &progress) ||
        solver_is_busy(self))
        return NULL;
    self->progress = progress == Py_None ? NULL : progress;
    if (self->threads > 1) o.parallel_for = solver_parallel;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = hml_solver_solve(self->solver, &o, &report);
    Py_END_ALLOW_THREADS;
    self->busy = 0;
    self->progress = NULL;
    if (solver_raise(self)) return NULL;
    const int ended = !status || status == HML_NOT_CONVERGED || status == HML_INCONSISTENT;
    return ended ? solver_report(&report) : answer(status);
}

PyObject *solver_motion(const solver_object *self, const hml_solution *x)
{
    const npy_intp N = (npy_intp)x->knots, m = (npy_intp)x->ninputs, f = (npy_intp)x->nforces;
    return Py_BuildValue(
        "(NNNNNN)", array_copy(1, &(npy_intp){N + 1}, x->time), array_copy(2, (npy_intp[]){N + 1, self->nq}, x->q),
        array_copy(2, (npy_intp[]){N + 1, self->nv}, x->v), array_copy(2, (npy_intp[]){N, m}, x->u),
        array_copy(2, (npy_intp[]){N, f}, x->force), array_copy(3, (npy_intp[]){N, m, 2 * self->nv}, x->K));
}

static PyObject *solution(solver_object *self, PyObject *none)
{
    (void)none;
    hml_solution x = {.struct_size = sizeof x};
    return solver_is_busy(self) || hml_solver_solution(self->solver, &x) ? NULL : solver_motion(self, &x);
}

static PyMethodDef methods[] = {
    {"load", (PyCFunction)load, METH_VARARGS | METH_STATIC, "Behind hamel.control.Solver."},
    {"start", (PyCFunction)start, METH_VARARGS, "Behind hamel.control.Solver."},
    {"guess", (PyCFunction)guess, METH_VARARGS, "Behind hamel.control.Solver."},
    {"shift", (PyCFunction)shift, METH_O, "Behind hamel.control.Solver."},
    {"solve", (PyCFunction)solve, METH_VARARGS, "Behind hamel.control.Solver."},
    {"solution", (PyCFunction)solution, METH_NOARGS, "Behind hamel.control.Solver."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject solver_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel._core._Solver",
    .tp_basicsize = sizeof(solver_object),
    .tp_new = solver_new,
    .tp_dealloc = (destructor)dealloc,
    .tp_methods = methods,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Behind hamel.control.Solver.",
};

int solver_ready(PyObject *module)
{
    if (PyType_Ready(&solver_type) < 0) return -1;
    Py_INCREF(&solver_type);
    return PyModule_AddObject(module, "_Solver", (PyObject *)&solver_type);
}
