/* The linearization of any field on a product of groups (hamel/field.h), given by Python functions. */
#include <string.h>

#include "objects.h"

typedef struct callbacks {
    PyObject *velocity, *derivatives;
    npy_intp nq, nv, ninputs;
} callbacks;

static int copy_answer(PyObject *object, const char *name, int ndim, const npy_intp *dims, double *out)
{
    PyArrayObject *array = array_shaped(object, name, ndim, dims);
    if (!array) return -1;
    memcpy(out, PyArray_DATA(array), (size_t)PyArray_NBYTES(array));
    Py_DECREF(array);
    return 0;
}

/* HML_NOT_CONVERGED stands for an exception that is already set */
static hml_status velocity(void *user, const double *g, const double *u, double t, double *lambda)
{
    callbacks *c = user;
    PyObject *answer =
        PyObject_CallFunction(c->velocity, "NNd", array_copy(1, &c->nq, g), array_copy(1, &c->ninputs, u ? u : g), t);
    int failed = !answer || copy_answer(answer, "velocity", 1, &c->nv, lambda);
    Py_XDECREF(answer);
    return failed ? HML_NOT_CONVERGED : HML_OK;
}

static hml_status derivatives(void *user, const double *g, const double *u, double t, double *Dg, double *Du)
{
    callbacks *c = user;
    npy_intp square[2] = {c->nv, c->nv}, wide[2] = {c->nv, c->ninputs};
    PyObject *answer = PyObject_CallFunction(c->derivatives, "NNd", array_copy(1, &c->nq, g),
                                             array_copy(1, &c->ninputs, u ? u : g), t);
    int failed = !answer || !PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 2;
    if (answer && failed) PyErr_SetString(PyExc_TypeError, "derivatives returns a tuple (Dg, Du)");
    if (!failed && Dg) failed = copy_answer(PyTuple_GET_ITEM(answer, 0), "Dg", 2, square, Dg);
    if (!failed && Du) failed = copy_answer(PyTuple_GET_ITEM(answer, 1), "Du", 2, wide, Du);
    Py_XDECREF(answer);
    return failed ? HML_NOT_CONVERGED : HML_OK;
}

static int read_factors(PyObject *object, hml_joint_type **factors, size_t *count)
{
    PyObject *list = PySequence_Fast(object, "factors is a list of joint types");
    if (!list) return -1;
    *count = (size_t)PySequence_Fast_GET_SIZE(list);
    *factors = PyMem_Calloc(*count + 1, sizeof **factors);
    for (size_t i = 0; *factors && i < *count && !PyErr_Occurred(); i++) {
        const char *name = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(list, (Py_ssize_t)i));
        if (name && hml_joint_type_from_name(name, &(*factors)[i])) {
            PyErr_Format(hamel_errors[HML_NOT_FOUND], "there is no joint type '%s'", name);
        }
    }
    Py_DECREF(list);
    return PyErr_Occurred() || !*factors ? -1 : 0;
}

static PyObject *compute(hml_field *field, callbacks *c, PyObject *at, PyObject *with, double t)
{
    npy_intp square[2], wide[2], none = 0;
    c->nq = (npy_intp)hml_field_nq(field);
    c->nv = (npy_intp)hml_field_nv(field);
    square[0] = square[1] = wide[0] = c->nv;
    PyArrayObject *g = array_shaped(at, "g", 1, &c->nq);
    PyArrayObject *u = with == Py_None ? (PyArrayObject *)PyArray_ZEROS(1, &none, NPY_DOUBLE, 0) : NULL;
    if (with != Py_None) {
        PyObject *name = PyUnicode_FromString("u");
        u = name ? array_of(with, name) : NULL;
        Py_XDECREF(name);
        if (u && PyArray_NDIM(u) != 1) {
            Py_CLEAR(u);
            raise_status(HML_INVALID_ARGUMENT, "u");
        }
    }
    PyObject *result = NULL, *lambda = NULL, *A = NULL, *B = NULL;
    if (g && u) {
        field->ninputs = (size_t)PyArray_DIM(u, 0);
        wide[1] = c->ninputs = PyArray_DIM(u, 0);
        lambda = PyArray_SimpleNew(1, &c->nv, NPY_DOUBLE);
        A = PyArray_SimpleNew(2, square, NPY_DOUBLE);
        B = PyArray_SimpleNew(2, wide, NPY_DOUBLE);
    }
    double *scratch = PyMem_Malloc((hml_field_scratch_doubles(field) + 1) * sizeof *scratch);
    if (lambda && A && B && scratch) {
        hml_status status = hml_field_linearize(field, PyArray_DATA(g), PyArray_DATA(u), t, scratch,
                                                PyArray_DATA((PyArrayObject *)lambda), PyArray_DATA((PyArrayObject *)A),
                                                PyArray_DATA((PyArrayObject *)B));
        if (status && !PyErr_Occurred()) raise_status(status, NULL);
        if (!status) result = Py_BuildValue("OOO", lambda, A, B);
    }
    PyMem_Free(scratch);
    Py_XDECREF(g);
    Py_XDECREF(u);
    Py_XDECREF(lambda);
    Py_XDECREF(A);
    Py_XDECREF(B);
    return result;
}

static PyObject *linearize_field(PyObject *module, PyObject *arguments, PyObject *names)
{
    (void)module;
    static char *words[] = {"factors", "velocity", "g", "u", "t", "derivatives", "step", NULL};
    PyObject *factors, *at, *with = Py_None, *own = Py_None;
    callbacks c = {0};
    double t = 0, step = 0;
    if (!parse_arguments(arguments, names, "OOO|Od$Od", words, &factors, &c.velocity, &at, &with, &t, &own, &step)) {
        return NULL;
    }
    hml_joint_type *types = NULL;
    hml_field field = {.struct_size = sizeof field, .velocity = velocity, .step = step, .user = &c};
    if (own != Py_None) {
        c.derivatives = own;
        field.derivatives = derivatives;
    }
    PyObject *result = NULL;
    if (!read_factors(factors, &types, &field.nfactors)) {
        field.factors = types;
        result = compute(&field, &c, at, with, t);
    }
    PyMem_Free(types);
    return result;
}

static PyMethodDef methods[] = {
    {"linearize_field", (PyCFunction)(void (*)(void))linearize_field, METH_VARARGS | METH_KEYWORDS,
     "linearize_field(factors, velocity, g, u=None, t=0.0, *, derivatives=None, step=0.0)\n--\n\n"
     "ġ = g λ(g, u, t) on a product of groups: (λ, A, B) with A = Dλ∘DL_g − ad_λ and B = ∂λ/∂u (Bos, (8)-(13)).\n\n"
     "factors: joint types, such as ['free', 'prismatic']; velocity(g, u, t): λ. Without derivatives(g, u, t), which\n"
     "returns (Dg, Du), λ is differenced along exp to eighth order: thirteen digits of a field that changes over\n"
     "lengths and angles near one."},
    {NULL, NULL, 0, NULL},
};

int field_ready(PyObject *module) { return PyModule_AddFunctions(module, methods); }
