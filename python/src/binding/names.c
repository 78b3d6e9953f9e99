/* Names that people mistype, and arguments by their names in what is said about them. */
#include <stdarg.h>
#include <string.h>

#include "objects.h"

PyObject *did_you_mean(PyObject *name, PyObject *known)
{
    PyObject *module = known ? PyImport_ImportModule("difflib") : NULL, *near = NULL, *words = NULL;
    if (module) near = PyObject_CallMethod(module, "get_close_matches", "OOi", name, known, 1);
    if (near && PyList_Check(near) && PyList_GET_SIZE(near) > 0)
        words = PyUnicode_FromFormat("; did you mean %R?", PyList_GET_ITEM(near, 0));
    Py_XDECREF(near);
    Py_XDECREF(module);
    PyErr_Clear(); /* a hint that fails is no hint */
    return words ? words : PyUnicode_FromString("");
}

PyObject *list_of_words(const char *const *words)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && words[i]; i++) {
        PyObject *one = PyUnicode_FromString(words[i]);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

void raise_unknown(PyObject *class, const char *what, PyObject *name, PyObject *known)
{
    PyObject *hint = did_you_mean(name, known);
    if (hint) PyErr_Format(class, "%s %R%U", what, name, hint);
    Py_XDECREF(hint);
}

/* ---- parts of a model ---- */

static const char *part_name(const hml_model *model, model_part kind, int32_t i)
{
    hml_frame_info frame = {.struct_size = sizeof frame};
    hml_joint_info joint = {.struct_size = sizeof joint};
    hml_body_info body = {.struct_size = sizeof body};
    switch (kind) {
    case FRAME_PART: return hml_model_frame(model, i, &frame) ? "" : frame.name;
    case JOINT_PART: return hml_model_joint(model, i, &joint) ? "" : joint.name;
    default: return hml_model_body(model, i, &body) ? "" : body.name;
    }
}

static int32_t part_count(const hml_model *model, model_part kind)
{
    return kind == FRAME_PART   ? hml_model_nframes(model)
           : kind == JOINT_PART ? hml_model_njoints(model)
                                : hml_model_nbodies(model);
}

static void no_such_part(const hml_model *model, model_part kind, PyObject *name)
{
    static const char *const what[] = {"no frame, body or link is called", "no joint is called", "no body is called"};
    PyObject *known = PyList_New(0);
    for (int32_t i = 0; known && i < part_count(model, kind); i++) {
        PyObject *one = PyUnicode_FromString(part_name(model, kind, i));
        if (!one || PyList_Append(known, one)) Py_CLEAR(known);
        Py_XDECREF(one);
    }
    raise_unknown(hamel_errors[HML_NOT_FOUND], what[kind], name, known);
    Py_XDECREF(known);
}

/* lowest: the least index there is; INT32_MIN with an exception */
static int32_t find(const hml_model *model, PyObject *object, model_part kind, int32_t lowest)
{
    static const char *const words[] = {"frame", "joint", "body"};
    if (PyUnicode_Check(object)) {
        const char *name = PyUnicode_AsUTF8(object);
        if (!name) return INT32_MIN;
        const int32_t index = kind == FRAME_PART   ? hml_model_find_frame(model, name)
                              : kind == JOINT_PART ? hml_model_find_joint(model, name)
                                                   : hml_model_find_body(model, name);
        if (index >= 0 || (lowest < 0 && !strcmp(name, "world"))) return index;
        no_such_part(model, kind, object);
        return INT32_MIN;
    }
    PyObject *number = PyNumber_Index(object);
    const Py_ssize_t index = number ? PyLong_AsSsize_t(number) : -1;
    if (!number)
        PyErr_Format(PyExc_TypeError, "a %s is given by its name or index, not by %R", words[kind],
                     (PyObject *)Py_TYPE(object));
    Py_XDECREF(number);
    if (PyErr_Occurred()) return INT32_MIN;
    if (index >= lowest && index < part_count(model, kind)) return (int32_t)index;
    PyErr_Format(hamel_errors[HML_NOT_FOUND], "there is no %s %zd", words[kind], index);
    return INT32_MIN;
}

int32_t find_frame(const hml_model *model, PyObject *object, int world)
{
    return find(model, object, FRAME_PART, world ? -1 : 0);
}

int32_t find_part(const hml_model *model, PyObject *object, model_part kind)
{
    const int32_t index = find(model, object, kind, 0);
    return index < 0 ? -1 : index;
}

/* ---- arguments ---- */

/* words end with NULL; 0 and an exception for a keyword that is none of them */
static int known_words(char *const *words, PyObject *names)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (names && PyDict_Next(names, &at, &key, &value)) {
        int i = 0;
        while (words[i] && PyUnicode_CompareWithASCIIString(key, words[i])) i++;
        if (words[i]) continue;
        PyObject *known = list_of_words((const char *const *)words);
        raise_unknown(PyExc_TypeError, "no argument is called", key, known);
        Py_XDECREF(known);
        return 0;
    }
    return 1;
}

/* "argument 2 must be …" with the argument's name instead of its number */
static void name_the_argument(char *const *words)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *said = value ? PyObject_Str(value) : NULL;
    const char *text = said ? PyUnicode_AsUTF8(said) : NULL, *place = text ? strstr(text, "argument ") : NULL;
    char *end = NULL;
    const long number = place ? strtol(place + strlen("argument "), &end, 10) : 0;
    long count = 0;
    while (words[count]) count++;
    if (number > 0 && number <= count && type == PyExc_TypeError) {
        PyErr_Format(type, "%s%s", words[number - 1], end);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    } else {
        PyErr_Restore(type, value, trace);
    }
    Py_XDECREF(said);
}

/* Python's "must be real number, not str" does not say where: the first value that is no number where one is wanted */
static int name_the_number(PyObject *arguments, PyObject *names, const char *format, char *const *words)
{
    int i = 0;
    for (; *format; format++) {
        if (strchr("|$!", *format)) continue;
        PyObject *value = i < PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, i)
                          : names                         ? PyDict_GetItemString(names, words[i])
                                                          : NULL;
        const int wrong = value && ((*format == 'd' && !PyFloat_Check(value) && !PyNumber_Check(value)) ||
                                    (*format == 'i' && !PyIndex_Check(value)));
        if (wrong) {
            PyErr_Format(PyExc_TypeError, "%s is %s, not %R", words[i], *format == 'd' ? "a number" : "an integer",
                         (PyObject *)Py_TYPE(value));
            return 1;
        }
        i++;
    }
    return 0;
}

int parse_arguments(PyObject *arguments, PyObject *names, const char *format, char **words, ...)
{
    va_list list;
    if (!known_words(words, names)) return 0;
    va_start(list, words);
    const int parsed = PyArg_VaParseTupleAndKeywords(arguments, names, format, words, list);
    va_end(list);
    if (!parsed && PyErr_ExceptionMatches(PyExc_TypeError) && !name_the_number(arguments, names, format, words))
        name_the_argument(words);
    return parsed;
}
