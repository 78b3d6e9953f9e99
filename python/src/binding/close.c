/* Model.close (hml_configuration_close of hamel/constraint.h): configurations that keep loops and holds. */
#include <string.h>

#include "objects.h"

static PyTypeObject *closing_type;

typedef struct close_call {
    model_object *self;
    hml_closing closing;
    hml_closing_report report;
    hml_constraints set;
    hml_error error;
    hml_status status;
    void *items;
    int *locked; /* nv marks */
    PyArrayObject *given, *q;
} close_call;

static int read_all(close_call *c, PyObject *holds, PyObject *q, PyObject *locked)
{
    const hml_model *model = c->self->model;
    npy_intp nq = hml_model_nq(model);
    if (read_holds(model, holds, &c->set, &c->items)) return -1;
    if (locked != Py_None && read_joint_marks(model, locked, "locked", &c->locked)) return -1;
    c->q = (PyArrayObject *)PyArray_ZEROS(1, &nq, NPY_DOUBLE, 0);
    if (!c->q) return -1;
    hml_configuration_neutral(model, PyArray_DATA(c->q));
    if (q != Py_None) {
        c->given = array_shaped(q, "q", 1, &nq);
        if (!c->given) return -1;
        memcpy(PyArray_DATA(c->q), PyArray_DATA(c->given), (size_t)nq * sizeof(double));
    }
    c->closing.guess = c->closing.q = PyArray_DATA(c->q);
    c->closing.locked = c->locked;
    c->closing.report = &c->report;
    return 0;
}

static void solve(close_call *c)
{
    c->status = HML_OUT_OF_MEMORY;
    Py_BEGIN_ALLOW_THREADS workspace *space = workspace_take(c->self);
    const size_t doubles = hml_closing_scratch_doubles(c->self->model, &c->set);
    double *scratch = malloc((doubles + 1) * sizeof *scratch);
    if (space && scratch)
        c->status = hml_configuration_close(c->self->model, space->work, &c->set, scratch, &c->closing, &c->error);
    free(scratch);
    if (space) workspace_give(c->self, space);
    Py_END_ALLOW_THREADS
}

static PyObject *answer(const close_call *c)
{
    PyObject *record = PyStructSequence_New(closing_type);
    if (!record) return NULL;
    const hml_closing_report *r = &c->report;
    Py_ssize_t at = 0;
    PyStructSequence_SetItem(record, at++, Py_NewRef((PyObject *)c->q));
    PyStructSequence_SetItem(record, at++, PyBool_FromLong(c->status == HML_OK));
    PyStructSequence_SetItem(record, at++, PyUnicode_FromString(c->status ? c->error.message : ""));
    PyStructSequence_SetItem(record, at++, PyFloat_FromDouble(r->error));
    PyStructSequence_SetItem(record, at++, PyLong_FromLong(r->worst));
    PyStructSequence_SetItem(record, at++, PyFloat_FromDouble(r->change));
    PyStructSequence_SetItem(record, at++, PyLong_FromLong(r->iterations));
    PyStructSequence_SetItem(record, at++, PyLong_FromLong(r->attempts));
    PyStructSequence_SetItem(record, at++, PyBool_FromLong(r->nearest));
    return PyErr_Occurred() ? (Py_DECREF(record), NULL) : record;
}

static PyObject *close_configuration(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"holds",     "q",      "locked", "ignore_limits", "iterations", "attempts",
                            "tolerance", "strict", NULL};
    close_call c = {.self = self, .report = {.struct_size = sizeof c.report}};
    hml_closing *x = &c.closing;
    PyObject *holds, *q = Py_None, *locked = Py_None, *record = NULL;
    int strict = 1;
    x->struct_size = sizeof *x;
    if (!parse_arguments(arguments, names, "O|O$Opiidp", words, &holds, &q, &locked, &x->ignore_limits, &x->iterations,
                         &x->attempts, &x->tolerance, &strict))
        return NULL;
    if (!read_all(&c, holds, q, locked)) {
        solve(&c);
        const int refused = c.status == HML_INCONSISTENT || c.status == HML_NOT_CONVERGED;
        if (!c.status || (refused && !strict))
            record = answer(&c);
        else if (refused)
            raise_error(&c.error);
        else
            raise_status(c.status, "close");
    }
    Py_XDECREF(c.given);
    Py_XDECREF(c.q);
    PyMem_Free(c.items);
    PyMem_Free(c.locked);
    return record;
}

PyMethodDef close_methods[] = {
    {"close", (PyCFunction)(void (*)(void))close_configuration, METH_VARARGS | METH_KEYWORDS,
     "close($self, holds, q=None, *, locked=None, ignore_limits=False, iterations=0, attempts=0, tolerance=0.0, "
     "strict=True)\n--\n\n"
     "A configuration near q, neutral if not given, in which loops are closed and holds kept.\n\n"
     "holds: a list of hamel.Hold; those with stiffness go to their pose, others without another frame stay where "
     "they\n"
     "are in q. locked: coordinates that stay, as marks or as names of joints. The answer has q, error (the largest of "
     "a\n"
     "row: m, rad), worst (its constraint, holds first), change (|q ⊖ guess|, which is least if nearest), iterations "
     "and\n"
     "attempts.\n\n"
     "InconsistentError says which frames stay apart and how far; with strict=False the answer has ok and message\n"
     "instead, and q is where the least is left."},
    {NULL, NULL, 0, NULL},
};

int close_ready(PyObject *module)
{
    static const char *const NAMES[] = {"q",      "ok",         "message",  "error",   "worst",
                                        "change", "iterations", "attempts", "nearest", NULL};
    closing_type = record_type(module, "hamel._core.Closing", "What Model.close found.", NAMES);
    return closing_type ? 0 : -1;
}
