/* From tables to methods and modules. */
#include <string.h>

#include "engine.h"

static size_t method_count(const PyMethodDef *methods)
{
    size_t n = 0;
    while (methods && methods[n].ml_name) n++;
    return n;
}

PyMethodDef *table_methods(function *const *table, size_t count, PyMethodDef *extra, PyObject *module)
{
    size_t others = method_count(extra);
    PyMethodDef *methods = PyMem_Calloc(count + others + 1, sizeof *methods); /* lives as long as the type */
    if (!methods) return (PyMethodDef *)PyErr_NoMemory();
    for (size_t i = 0; i < count; i++) {
        if (function_ready(table[i], module, &methods[i])) return NULL;
    }
    if (others) memcpy(methods + count, extra, others * sizeof *methods);
    return methods;
}

/* hamel.so3 and its kin: made here, found by `import hamel.so3` because they are registered */
static PyObject *submodule(const char *name, PyObject *module)
{
    PyObject *known = PyObject_GetAttrString(module, name);
    if (known) return known;
    PyErr_Clear();
    char full[64];
    snprintf(full, sizeof full, "hamel.%s", name);
    PyObject *made = PyImport_AddModule(full);
    if (!made || PyObject_SetAttrString(module, name, made) < 0) return NULL;
    Py_INCREF(made);
    return made;
}

int table_modules(function *const *table, size_t count, PyObject *module)
{
    PyMethodDef *methods = PyMem_Calloc(count, sizeof *methods);
    if (!methods) return PyErr_NoMemory() ? 0 : -1;
    for (size_t i = 0; i < count; i++) {
        PyObject *place = strcmp(table[i]->module, "_core") ? submodule(table[i]->module, module) : Py_NewRef(module);
        PyObject *name = place ? PyModule_GetNameObject(place) : NULL;
        int failed = !name || function_ready(table[i], module, &methods[i]);
        PyObject *made = failed ? NULL : PyCFunction_NewEx(&methods[i], place, name);
        failed = !made || PyObject_SetAttrString(place, table[i]->name, made) < 0;
        Py_XDECREF(made);
        Py_XDECREF(name);
        Py_XDECREF(place);
        if (failed) return -1;
    }
    return 0;
}
