/* Models from files, from memory, from the library, from chance; models and states to and from files. */
#include <string.h>

#include "objects.h"

/* ---- reading ---- */

static const struct {
    const char *name;
    int value;
} BASES[] = {{"auto", HML_BASE_AUTO}, {"free", HML_BASE_FREE}, {"fixed", HML_BASE_FIXED}},
  FORMATS[] = {
      {"auto", HML_FORMAT_AUTO}, {"urdf", HML_FORMAT_URDF}, {"mjcf", HML_FORMAT_MJCF}, {"json", HML_FORMAT_JSON}};

#define WORD_OF(list, word, result)                                                                                    \
    for (size_t i_ = 0; i_ < COUNT(list); i_++) {                                                                      \
        if (!strcmp(list[i_].name, word)) (result) = list[i_].value;                                                   \
    }

int load_settings_read(const char *format, const char *base, const char *base_name, PyObject *gravity, unsigned build,
                       load_settings *s)
{
    int kind = -1, root = -1;
    hml_load_options_init(&s->options);
    WORD_OF(FORMATS, format, kind)
    WORD_OF(BASES, base, root)
    if (kind < 0 || root < 0) {
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT],
                     kind < 0 ? "format is one of auto, urdf, mjcf, json, not '%s'"
                              : "base is one of auto, free, fixed, not '%s'",
                     kind < 0 ? format : base);
        return -1;
    }
    s->options.format = (hml_model_format)kind;
    s->options.base = (hml_base_kind)root;
    s->options.base_name = base_name;
    s->options.build = build;
    if (gravity == Py_None) return 0;
    npy_intp three = 3;
    PyArrayObject *g = array_shaped(gravity, "gravity", 1, &three);
    if (!g) return -1;
    memcpy(s->gravity, PyArray_DATA(g), sizeof s->gravity);
    Py_DECREF(g);
    s->options.gravity = s->gravity;
    return 0;
}

static PyObject *load(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *path, *gravity;
    const char *format, *base, *base_name;
    unsigned build;
    load_settings s;
    hml_model *model = NULL;
    hml_error error = {0};
    hml_status status;
    if (!PyArg_ParseTuple(arguments, "O&sszOI", PyUnicode_FSConverter, &path, &format, &base, &base_name, &gravity,
                          &build)) {
        return NULL;
    }
    if (load_settings_read(format, base, base_name, gravity, build, &s)) {
        Py_DECREF(path);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = hml_load(PyBytes_AS_STRING(path), &s.options, &model, &error);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    return model_or_error(status, model, &error);
}

static PyObject *loads(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer text;
    PyObject *gravity;
    const char *name, *format, *base, *base_name;
    unsigned build;
    load_settings s;
    hml_model *model = NULL;
    hml_error error = {0};
    if (!PyArg_ParseTuple(arguments, "s*zsszOI", &text, &name, &format, &base, &base_name, &gravity, &build))
        return NULL;
    PyObject *result = NULL;
    if (!load_settings_read(format, base, base_name, gravity, build, &s)) {
        hml_status status = hml_load_memory(text.buf, (size_t)text.len, name, &s.options, &model, &error);
        result = model_or_error(status, model, &error);
    }
    PyBuffer_Release(&text);
    return result;
}

static PyObject *builtin(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *gravity;
    const char *name, *base, *base_name;
    unsigned build;
    load_settings s;
    hml_model *model = NULL;
    hml_error error = {0};
    if (!PyArg_ParseTuple(arguments, "sszOI", &name, &base, &base_name, &gravity, &build)) return NULL;
    if (load_settings_read("auto", base, base_name, gravity, build, &s)) return NULL;
    hml_status status = hml_load_builtin(name, &s.options, &model, &error);
    return model_or_error(status, model, &error);
}

/* heights, spacing, position, rotation, friction, restitution */
static PyObject *load_heightfield(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *path = NULL;
    hml_heightfield f;
    hml_error error = {0};
    if (!PyArg_ParseTuple(arguments, "O&", PyUnicode_FSConverter, &path)) return NULL;
    hml_status status = HML_OK;
    Py_BEGIN_ALLOW_THREADS status = hml_heightfield_load(PyBytes_AS_STRING(path), &f, &error);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    if (status) {
        error.status = status;
        raise_error(&error);
        return NULL;
    }
    npy_intp size[2] = {f.rows, f.columns}, three = 3, two = 2, square[2] = {3, 3};
    PyObject *answer =
        Py_BuildValue("(NNNNdd)", array_copy(2, size, f.heights), array_copy(1, &two, f.spacing),
                      array_copy(1, &three, f.position), array_copy(2, square, f.rotation), f.friction, f.restitution);
    hml_heightfield_free(&f);
    return answer;
}

static PyObject *builtin_names(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    int32_t n = hml_builtin_count();
    PyObject *tuple = PyTuple_New(n);
    for (int32_t i = 0; tuple && i < n; i++) PyTuple_SET_ITEM(tuple, i, PyUnicode_FromString(hml_builtin_name(i)));
    return tuple;
}

static PyObject *random_model(PyObject *module, PyObject *arguments, PyObject *names)
{
    (void)module;
    static char *words[] = {"seed",   "nbodies", "shape",   "branches", "root",  "joints",  "aligned",
                            "length", "mass",    "passive", "limited",  "mimic", "nframes", NULL};
    static const char *const SHAPES[] = {"any", "chain", "bushy", "legged", "star"};
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    unsigned long long seed = spec.seed;
    const char *form = NULL, *root = NULL;
    PyObject *joints = Py_None;
    if (!parse_arguments(arguments, names, "|K$isizOddddddi", words, &seed, &spec.nbodies, &form, &spec.branches, &root,
                         &joints, &spec.aligned, &spec.length, &spec.mass, &spec.passive, &spec.limited, &spec.mimic,
                         &spec.nframes)) {
        return NULL;
    }
    spec.seed = seed;
    hml_status status = HML_OK;
    if (form) {
        size_t i = 0;
        while (i < COUNT(SHAPES) && strcmp(SHAPES[i], form)) i++;
        spec.shape = (hml_random_shape)i;
        if (i == COUNT(SHAPES)) status = HML_INVALID_ARGUMENT;
    }
    if (root && !status) status = hml_joint_type_from_name(root, &spec.root);
    if (joints != Py_None) {
        PyObject *list = PySequence_Fast(joints, "joints is a list of joint types");
        if (!list) return NULL;
        spec.joint_types = 0;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list) && !status; i++) {
            const char *name = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(list, i));
            hml_joint_type type = HML_JOINT_FIXED;
            if (name) status = hml_joint_type_from_name(name, &type);
            spec.joint_types |= 1u << type;
        }
        Py_DECREF(list);
        if (PyErr_Occurred()) return NULL;
    }
    hml_model *model = NULL;
    if (!status) status = hml_model_random(&spec, &model);
    if (!status) return model_wrap(model);
    raise_status(status, NULL);
    return NULL;
}

PyMethodDef load_methods[] = {
    {"_load", load, METH_VARARGS, "Behind hamel.load."},
    {"_loads", loads, METH_VARARGS, "Behind hamel.loads."},
    {"_load_heightfield", load_heightfield, METH_VARARGS, "Behind hamel.Heightfield.load."},
    {"_builtin", builtin, METH_VARARGS, "Behind hamel.builtin."},
    {"builtin_names", builtin_names, METH_NOARGS, "builtin_names()\n--\n\nThe robots that come with the library."},
    {"random_model", (PyCFunction)(void (*)(void))random_model, METH_VARARGS | METH_KEYWORDS,
     "random_model(seed=1, *, nbodies=13, shape='any', branches=4, root='free', joints=None, aligned=0.5, length=0.3, "
     "mass=1.0, passive=0.0, limited=0.0, mimic=0.0, nframes=0)\n--\n\n"
     "A robot with physically consistent inertias. shape: any, chain, bushy, legged or star. joints: types to draw "
     "from\n"
     "(revolute if not given). passive, limited, mimic: chances. The same arguments give the same robot."},
    {NULL, NULL, 0, NULL},
};
