/* A robot as a page; trajectories out of files. hamel/view.py is in front of it. */
#include <string.h>

#include "hamel/view.h"
#include "objects.h"

/* arrays that a page borrows while it is written */
typedef struct borrowed {
    PyArrayObject *q, *time, *positions, *forces;
    const char **names;
} borrowed;

static void give_back(borrowed *b)
{
    Py_XDECREF(b->q);
    Py_XDECREF(b->time);
    Py_XDECREF(b->positions);
    Py_XDECREF(b->forces);
    PyMem_Free(b->names);
}

static int borrow_contacts(PyObject *names, PyObject *positions, PyObject *forces, borrowed *b, hml_page_options *page)
{
    if (names == Py_None) return 0;
    Py_ssize_t n = PyTuple_GET_SIZE(names);
    npy_intp dims[3] = {page->count, n, 3};
    b->names = PyMem_Calloc((size_t)n + 1, sizeof *b->names);
    if (!b->names) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        b->names[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        if (!b->names[i]) return -1;
    }
    b->positions = array_shaped(positions, "contact positions", 3, dims);
    b->forces = b->positions ? array_shaped(forces, "contact forces", 3, dims) : NULL;
    if (!b->forces) return -1;
    page->ncontacts = (int32_t)n;
    page->contact_names = b->names;
    page->contact_positions = PyArray_DATA(b->positions);
    page->contact_forces = PyArray_DATA(b->forces);
    return 0;
}

static int borrow(const model_object *model, PyObject *q, PyObject *time, borrowed *b, hml_page_options *page)
{
    npy_intp dims[2] = {PyArray_Check(q) ? PyArray_DIM((PyArrayObject *)q, 0) : 1, hml_model_nq(model->model)};
    b->q = array_shaped(q, "q", 2, dims);
    if (!b->q) return -1;
    if (time != Py_None && !(b->time = array_shaped(time, "times", 1, dims))) return -1;
    page->count = (int32_t)dims[0];
    page->q = PyArray_DATA(b->q);
    page->time = b->time ? PyArray_DATA(b->time) : NULL;
    return 0;
}

/* (page, warnings) */
static PyObject *answer(const char *text, size_t size, const hml_scene *scene)
{
    int32_t n = scene ? scene->nwarnings : 0;
    PyObject *warnings = PyTuple_New(n);
    for (int32_t i = 0; warnings && i < n; i++)
        PyTuple_SET_ITEM(warnings, i,
                         PyUnicode_DecodeUTF8(scene->warnings[i], (Py_ssize_t)strlen(scene->warnings[i]), "replace"));
    return warnings ? Py_BuildValue("(s#N)", text, (Py_ssize_t)size, warnings) : NULL;
}

/* model, file or None, format, base, base_name, gravity, build, title, q, time, ground, names, positions, forces */
static PyObject *page(PyObject *module, PyObject *arguments)
{
    (void)module;
    model_object *model;
    PyObject *file, *gravity, *q, *time, *names, *positions, *forces, *path = NULL, *result = NULL;
    const char *format, *base, *base_name;
    unsigned build;
    load_settings s;
    borrowed b = {0};
    hml_page_options options;
    hml_scene *scene = NULL;
    hml_error error = {0};
    char *text = NULL;
    size_t size = 0;
    hml_page_options_init(&options);
    if (!PyArg_ParseTuple(arguments, "O!OsszOIzOOpOOO", &model_type, &model, &file, &format, &base, &base_name,
                          &gravity, &build, &options.title, &q, &time, &options.ground, &names, &positions, &forces) ||
        load_settings_read(format, base, base_name, gravity, build, &s) ||
        (file != Py_None && !PyUnicode_FSConverter(file, &path)) || borrow(model, q, time, &b, &options) ||
        borrow_contacts(names, positions, forces, &b, &options)) {
        Py_XDECREF(path);
        give_back(&b);
        return NULL;
    }
    hml_status status = HML_OK;
    Py_BEGIN_ALLOW_THREADS if (path) status =
        hml_scene_load(PyBytes_AS_STRING(path), &s.options, model->model, &scene, &error);
    options.scene = scene;
    if (!status) status = hml_write_page(model->model, &options, &text, &size, &error);
    Py_END_ALLOW_THREADS error.status = status;
    if (status)
        raise_error(&error);
    else
        result = answer(text, size, scene);
    hml_text_free(text);
    hml_scene_free(scene);
    Py_XDECREF(path);
    give_back(&b);
    return result;
}

static PyObject *numbers(const double *data, int rank, const npy_intp *dims)
{
    PyObject *array = PyArray_SimpleNew(rank, dims, NPY_DOUBLE);
    size_t size = array ? (size_t)PyArray_NBYTES((PyArrayObject *)array) : 0;
    if (size) memcpy(PyArray_DATA((PyArrayObject *)array), data, size);
    return array;
}

/* (time, q, names, positions, forces); the last three None if there are no contacts */
static PyObject *trajectory(PyObject *module, PyObject *arguments)
{
    (void)module;
    model_object *model;
    PyObject *path;
    hml_trajectory *t = NULL;
    hml_error error = {0};
    if (!PyArg_ParseTuple(arguments, "O!O&", &model_type, &model, PyUnicode_FSConverter, &path)) return NULL;
    error.status = hml_trajectory_load(PyBytes_AS_STRING(path), model->model, &t, &error);
    Py_DECREF(path);
    if (error.status) {
        raise_error(&error);
        return NULL;
    }
    npy_intp q[2] = {t->count, t->nq}, three[3] = {t->count, t->ncontacts, 3};
    PyObject *result;
    if (t->ncontacts == 0) {
        result = Py_BuildValue("(NNOOO)", numbers(t->time, 1, q), numbers(t->q, 2, q), Py_None, Py_None, Py_None);
    } else {
        PyObject *names = PyTuple_New(t->ncontacts);
        for (int32_t i = 0; names && i < t->ncontacts; i++)
            PyTuple_SET_ITEM(names, i, PyUnicode_FromString(t->contact_names[i]));
        result = Py_BuildValue("(NNNNN)", numbers(t->time, 1, q), numbers(t->q, 2, q), names,
                               numbers(t->contact_positions, 3, three), numbers(t->contact_forces, 3, three));
    }
    hml_trajectory_free(t);
    return result;
}

/* hamel.view.View(model, …) */
static PyObject *view(PyObject *self, PyObject *arguments, PyObject *names)
{
    PyObject *module = PyImport_ImportModule("hamel.view"), *result = NULL;
    PyObject *make = module ? PyObject_GetAttrString(module, "View") : NULL, *first = PyTuple_Pack(1, self);
    PyObject *all = first ? PySequence_Concat(first, arguments) : NULL;
    if (make && all) result = PyObject_Call(make, all, names);
    Py_XDECREF(all);
    Py_XDECREF(first);
    Py_XDECREF(make);
    Py_XDECREF(module);
    return result;
}

PyMethodDef view_methods[] = {
    {"view", (PyCFunction)(void (*)(void))view, METH_VARARGS | METH_KEYWORDS,
     "view($self, q=None, *, trajectory=None, times=None, contacts=None, file=None, title=None, ground=None)\n--\n\n"
     "The robot as a page, in a notebook, a browser or an HTML file: hamel.view.View says what the arguments are."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef page_methods[] = {
    {"_page", page, METH_VARARGS, "Behind hamel.view.View."},
    {"_trajectory", trajectory, METH_VARARGS, "Behind hamel.view.View."},
    {NULL, NULL, 0, NULL},
};
