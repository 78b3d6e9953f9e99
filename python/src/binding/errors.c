/* Exceptions: one a status. The classes are Python's (hamel/_errors.py), so that a person can read them. */
#include "engine.h"

/* the numbers have gaps: as many as the largest asks for */
#define IS_STATUS(name, value, message) [value] = 1,
static const char statuses[] = {HML_STATUS_LIST(IS_STATUS)};
enum { STATUSES = sizeof statuses };

PyObject *hamel_errors[STATUSES];

int errors_ready(void)
{
    PyObject *module = PyImport_ImportModule("hamel._errors");
    PyObject *classes = module ? PyObject_GetAttrString(module, "BY_STATUS") : NULL;
    for (int i = 0; classes && i < STATUSES; i++) {
        hamel_errors[i] = PySequence_GetItem(classes, i); /* kept for good */
        if (!hamel_errors[i]) break;
    }
    Py_XDECREF(classes);
    Py_XDECREF(module);
    return PyErr_Occurred() ? -1 : 0;
}

void raise_status(hml_status status, const char *where)
{
    const char *message = hml_status_message(status);
    if (where)
        PyErr_Format(hamel_errors[status], "%s: %s", where, message);
    else
        PyErr_SetString(hamel_errors[status], message);
}

/* "file:line: sentence", and the parts as attributes */
void raise_error(const hml_error *error)
{
    PyObject *class = hamel_errors[error->status];
    const char *sentence = error->message[0] ? error->message : hml_status_message(error->status);
    PyObject *message;
    if (error->file[0] && error->line > 0)
        message = PyUnicode_FromFormat("%s:%d: %s", error->file, error->line, sentence);
    else if (error->file[0])
        message = PyUnicode_FromFormat("%s: %s", error->file, sentence);
    else
        message = PyUnicode_FromString(sentence);
    PyObject *exception = message ? PyObject_CallFunctionObjArgs(class, message, NULL) : NULL;
    PyObject *file = error->file[0] ? PyUnicode_FromString(error->file) : Py_NewRef(Py_None);
    PyObject *line = error->line > 0 ? PyLong_FromLong(error->line) : Py_NewRef(Py_None);
    if (exception && file && line && PyObject_SetAttrString(exception, "file", file) == 0 &&
        PyObject_SetAttrString(exception, "line", line) == 0) {
        PyErr_SetObject(class, exception);
    }
    Py_XDECREF(line);
    Py_XDECREF(file);
    Py_XDECREF(exception);
    Py_XDECREF(message);
}
