/* Arrays in and out. */
#include "engine.h"

#include <string.h>

/* not exact: numbers, lists, other dtypes, other orders. What cannot be a double without loss is refused. */
static PyArrayObject *converted(PyObject *object, PyObject *name)
{
    PyArrayObject *any = (PyArrayObject *)PyArray_FromAny(object, NULL, 0, 0, 0, NULL);
    if (!any) {
        PyObject *type, *value, *trace; /* lists of lists of different lengths, and the like */
        PyErr_Fetch(&type, &value, &trace);
        if (value) PyErr_Format(type, "%U: %S", name, value);
        if (!PyErr_Occurred()) PyErr_Restore(type, value, trace);
        return NULL;
    }
    PyArray_Descr *wanted = PyArray_DescrFromType(NPY_DOUBLE);
    if (PyArray_SIZE(any) && (!PyArray_ISNUMBER(any) || !PyArray_CanCastArrayTo(any, wanted, NPY_SAFE_CASTING))) {
        if (!PyArray_Check(object) && (PyArray_ISSTRING(any) || PyArray_ISOBJECT(any)))
            PyErr_Format(PyExc_TypeError, "%U must be made of numbers, not %.80R", name, object);
        else
            PyErr_Format(PyExc_TypeError, "%U holds %S, which is not float64", name, (PyObject *)PyArray_DESCR(any));
        Py_DECREF(wanted);
        Py_DECREF(any);
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)PyArray_FromArray(any, wanted, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
    Py_DECREF(any);
    return array;
}

PyArrayObject *array_of(PyObject *object, PyObject *name)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)) {
        return converted(object, name);
    }
    Py_INCREF(array);
    return array;
}

PyArrayObject *array_shaped(PyObject *object, const char *name, int ndim, const npy_intp *dims)
{
    PyObject *text = PyUnicode_FromString(name);
    PyArrayObject *array = text ? array_of(object, text) : NULL;
    if (array && (PyArray_NDIM(array) != ndim || !PyArray_CompareLists(PyArray_DIMS(array), dims, ndim))) {
        PyObject *has = PyObject_GetAttrString((PyObject *)array, "shape"),
                 *wanted = PyArray_IntTupleFromIntp(ndim, dims);
        if (has && wanted) {
            PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%s has shape %S, expected %S", name, has, wanted);
        }
        Py_XDECREF(has);
        Py_XDECREF(wanted);
        Py_CLEAR(array);
    }
    Py_XDECREF(text);
    return array;
}

PyObject *array_copy(int ndim, const npy_intp *dims, const double *data)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(ndim, dims, NPY_DOUBLE);
    if (array) memcpy(PyArray_DATA(array), data, (size_t)PyArray_NBYTES(array));
    return (PyObject *)array;
}

int attribute_numbers(PyObject *object, const char *name, int ndim, const npy_intp *dims, double *out)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    PyArrayObject *array = value && value != Py_None ? array_shaped(value, name, ndim, dims) : NULL;
    if (array) memcpy(out, PyArray_DATA(array), (size_t)PyArray_NBYTES(array));
    Py_XDECREF(array);
    Py_XDECREF(value);
    return PyErr_Occurred() ? -1 : 0;
}
