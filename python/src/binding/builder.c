/* Builder: a model body by body (hamel/model.h). */
#include <math.h>
#include <string.h>

#include "objects.h"

static PyObject *builder_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"name", "gravity", "model", NULL};
    const char *name = NULL;
    PyObject *gravity = Py_None, *model = Py_None;
    if (!parse_arguments(arguments, names, "|zOO", words, &name, &gravity, &model)) return NULL;
    if (model != Py_None && Py_TYPE(model) != &model_type) {
        return PyErr_Format(PyExc_TypeError, "model is a hamel.Model, not %R", (PyObject *)Py_TYPE(model));
    }
    npy_intp three = 3;
    PyArrayObject *g = gravity == Py_None ? NULL : array_shaped(gravity, "gravity", 1, &three);
    if (gravity != Py_None && !g) return NULL;
    builder_object *self = (builder_object *)type->tp_alloc(type, 0);
    if (self) {
        hml_status status = HML_OK;
        if (model == Py_None)
            self->builder = hml_builder_new();
        else
            status = hml_model_to_builder(((model_object *)model)->model, &self->builder);
        if (!status && !self->builder) status = HML_OUT_OF_MEMORY;
        if (!status && name) status = hml_builder_set_name(self->builder, name);
        if (!status && g) status = hml_builder_set_gravity(self->builder, PyArray_DATA(g));
        if (status) {
            raise_status(status, NULL);
            Py_CLEAR(self);
        }
    }
    Py_XDECREF(g);
    return (PyObject *)self;
}

static void builder_dealloc(builder_object *self)
{
    hml_builder_free(self->builder);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *answer(builder_object *self, hml_error *error)
{
    if (!error->status) return Py_NewRef((PyObject *)self);
    raise_error(error);
    return NULL;
}

/* the names of an enum, NULL behind the last */
static const char *joint_type(int i) { return hml_joint_type_name((hml_joint_type)i); }
static const char *shape_kind(int i) { return hml_shape_kind_name((hml_shape_kind)i); }
static const char *loop_kind(int i) { return hml_constraint_kind_name((hml_constraint_kind)i); }

static PyObject *unknown_kind(const char *what, const char *name, const char *(*word)(int))
{
    const char *words[32] = {NULL};
    for (int i = 0; i < 31 && word(i); i++) words[i] = word(i);
    PyObject *known = list_of_words(words), *text = PyUnicode_FromString(name);
    if (text) raise_unknown(hamel_errors[HML_NOT_FOUND], what, text, known);
    Py_XDECREF(text);
    Py_XDECREF(known);
    return NULL;
}

/* fixed-size numbers into a field of a spec: size of them, or one for all */
static int numbers(PyObject *given, const char *name, double *field, npy_intp size)
{
    PyObject *text = PyUnicode_FromString(name);
    PyArrayObject *array = text ? array_of(given, text) : NULL;
    Py_XDECREF(text);
    if (!array) return -1;
    npy_intp count = PyArray_SIZE(array);
    const double *data = PyArray_DATA(array);
    int ok = count == size || PyArray_NDIM(array) == 0;
    for (npy_intp i = 0; ok && i < size; i++) field[i] = data[count == size ? i : 0];
    if (!ok) PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%s has %zd numbers, expected %zd", name, count, size);
    Py_DECREF(array);
    return ok ? 0 : -1;
}

static int set_field(hml_joint_spec *spec, const char *name, PyObject *value)
{
    npy_intp nq = hml_joint_type_nq(spec->type), nv = hml_joint_type_nv(spec->type);
    const struct {
        const char *name;
        double *field;
        npy_intp size;
    } fields[] = {
        {"position", spec->position, 3},
        {"rotation", spec->rotation, 9},
        {"axis", spec->axis, 3},
        {"axis2", spec->axis2, 3},
        {"point", spec->point, 3},
        {"pitch", &spec->pitch, 1},
        {"armature", spec->armature, nv},
        {"damping", spec->damping, nv},
        {"friction", spec->friction, nv},
        {"stiffness", spec->stiffness, nv},
        {"rest", spec->rest, nq},
        {"lower", spec->lower, nv},
        {"upper", spec->upper, nv},
        {"velocity_limit", spec->velocity_limit, nv},
        {"effort_limit", spec->effort_limit, nv},
        {"multiplier", &spec->multiplier, 1},
        {"offset", &spec->offset, 1},
    };
    for (size_t i = 0; i < COUNT(fields); i++) {
        if (!strcmp(fields[i].name, name)) return numbers(value, name, fields[i].field, fields[i].size);
    }
    if (!strcmp(name, "name") || !strcmp(name, "mimic")) {
        const char *words = value == Py_None ? NULL : PyUnicode_AsUTF8(value);
        *(name[0] == 'n' ? &spec->name : &spec->mimic) = words;
        return PyErr_Occurred() ? -1 : 0;
    }
    if (!strcmp(name, "actuated")) {
        spec->actuated = PyObject_IsTrue(value);
        return spec->actuated < 0 ? -1 : 0;
    }
    const char *words[COUNT(fields) + 12] = {"name", "mimic",  "actuated", "parent",  "type", "mass",
                                             "com",  "moment", "screw",    "spatial", "joint"};
    for (size_t i = 0; i < COUNT(fields); i++) words[11 + i] = fields[i].name;
    PyObject *known = list_of_words(words), *text = PyUnicode_FromString(name);
    if (text) raise_unknown(PyExc_TypeError, "add_body() has no argument", text, known);
    Py_XDECREF(text);
    Py_XDECREF(known);
    return -1;
}

/* the screw instead of axis and point; position and rotation place the body where the joint is neutral */
static int set_screw(hml_joint_spec *spec, PyObject *screw, int spatial)
{
    double numbers6[6], position[3], rotation[9];
    if (numbers(screw, "screw", numbers6, 6)) return -1;
    memcpy(position, spec->position, sizeof position);
    memcpy(rotation, spec->rotation, sizeof rotation);
    hml_status status = hml_joint_spec_set_screw(spec, position, rotation, numbers6, spatial);
    if (status) raise_status(status, "screw");
    return status ? -1 : 0;
}

/* the text that stands at this place or has this name; otherwise, or for None, text stays what it is. 0, or −1 */
static int text_argument(PyObject *arguments, PyObject *names, Py_ssize_t place, const char *word, const char **text)
{
    PyObject *given = names ? PyDict_GetItemString(names, word) : NULL;
    if (place < PyTuple_GET_SIZE(arguments)) given = PyTuple_GET_ITEM(arguments, place);
    if (!given || given == Py_None) return 0;
    if (PyUnicode_Check(given)) return (*text = PyUnicode_AsUTF8(given)) ? 0 : -1;
    PyErr_Format(PyExc_TypeError, "%s is a text, not %R", word, (PyObject *)Py_TYPE(given));
    return -1;
}

/* name, parent and type of a body; beyond them there are keywords only */
static int body_texts(PyObject *arguments, PyObject *names, const char *texts[3])
{
    static const char *const words[] = {"name", "parent", "type"};
    if (PyTuple_GET_SIZE(arguments) > 3) {
        PyErr_SetString(PyExc_TypeError, "after name, parent and type, add_body takes its arguments by their names");
        return -1;
    }
    for (int i = 0; i < 3; i++)
        if (text_argument(arguments, names, i, words[i], &texts[i])) return -1;
    if (!texts[0]) PyErr_SetString(PyExc_TypeError, "name is a text: what the body is called");
    return texts[0] ? 0 : -1;
}

static PyObject *add_body(builder_object *self, PyObject *arguments, PyObject *names)
{
    const char *texts[3] = {NULL, NULL, "revolute"};
    if (body_texts(arguments, names, texts)) return NULL;
    const char *name = texts[0], *parent = texts[1], *type_name = texts[2];
    const int named = PyTuple_GET_SIZE(arguments) == 0; /* otherwise a keyword "name" is that of the joint */
    hml_joint_type type;
    if (hml_joint_type_from_name(type_name, &type)) {
        return unknown_kind("there is no joint type", type_name, joint_type);
    }
    hml_joint_spec spec;
    hml_inertia_spec inertia = {0};
    PyObject *key, *value, *screw = NULL;
    Py_ssize_t at = 0;
    int massive = 0, spatial = 0, failed = 0;
    hml_joint_spec_init(&spec, type);
    while (names && !failed && PyDict_Next(names, &at, &key, &value)) {
        const char *word = PyUnicode_AsUTF8(key);
        if (!word) return NULL;
        if (!strcmp(word, "parent") || !strcmp(word, "type") || (named && !strcmp(word, "name"))) continue;
        if (!strcmp(word, "mass")) {
            failed = numbers(value, word, &inertia.mass, 1);
            massive = 1;
        } else if (!strcmp(word, "com")) {
            failed = numbers(value, word, inertia.com, 3);
        } else if (!strcmp(word, "moment")) {
            failed = numbers(value, word, inertia.moment, 9);
        } else if (!strcmp(word, "screw")) {
            screw = value;
        } else if (!strcmp(word, "spatial")) {
            spatial = PyObject_IsTrue(value);
            failed = spatial < 0;
        } else {
            failed = set_field(&spec, strcmp(word, "joint") ? word : "name", value);
        }
    }
    if (failed || (screw && set_screw(&spec, screw, spatial))) return NULL;
    if (!spec.name) spec.name = name;
    hml_error error = {0};
    error.status = hml_builder_add_body(self->builder, name, parent, &spec, massive ? &inertia : NULL, &error);
    return answer(self, &error);
}

static PyObject *add_frame(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"name", "body", "position", "rotation", NULL};
    const char *name, *body = NULL;
    PyObject *p = Py_None, *R = Py_None;
    double position[3] = {0}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!parse_arguments(arguments, names, "s|zOO", words, &name, &body, &p, &R)) return NULL;
    if (p != Py_None && numbers(p, "position", position, 3)) return NULL;
    if (R != Py_None && numbers(R, "rotation", rotation, 9)) return NULL;
    hml_error error = {0};
    error.status = hml_builder_add_frame(self->builder, name, body, position, rotation, &error);
    return answer(self, &error);
}

static PyObject *set_world_inertia(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"mass", "com", "moment", NULL};
    PyObject *com = Py_None, *moment = Py_None;
    hml_inertia_spec inertia = {0};
    if (!parse_arguments(arguments, names, "d|OO", words, &inertia.mass, &com, &moment)) return NULL;
    if (com != Py_None && numbers(com, "com", inertia.com, 3)) return NULL;
    if (moment != Py_None && numbers(moment, "moment", inertia.moment, 9)) return NULL;
    hml_status status = hml_builder_set_world_inertia(self->builder, &inertia);
    if (!status) return Py_NewRef((PyObject *)self);
    raise_status(status, "the inertia of the world");
    return NULL;
}

/* vertices of a hull, (n, 3); what holds them, or NULL */
static PyArrayObject *take_points(PyObject *points, hml_shape *shape)
{
    PyArrayObject *held = (PyArrayObject *)PyArray_FROM_OTF(points, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!held) return NULL;
    if (PyArray_NDIM(held) != 2 || PyArray_DIM(held, 1) != 3 || PyArray_DIM(held, 0) > INT32_MAX) {
        PyErr_SetString(hamel_errors[HML_INVALID_ARGUMENT], "vertices are points: (n, 3)");
        Py_DECREF(held);
        return NULL;
    }
    shape->nvertices = (int32_t)PyArray_DIM(held, 0);
    shape->vertices = PyArray_DATA(held);
    return held;
}

static PyObject *add_shape(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"body",        "kind",     "size",    "position",    "rotation", "friction",
                            "restitution", "vertices", "contype", "conaffinity", NULL};
    const char *body, *kind;
    PyObject *size = Py_None, *p = Py_None, *R = Py_None, *points = Py_None;
    long long bits[2] = {0, 0};
    hml_shape made = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .friction = -1};
    if (!parse_arguments(arguments, names, "zs|OOOddO$LL", words, &body, &kind, &size, &p, &R, &made.friction,
                         &made.restitution, &points, &bits[0], &bits[1])) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (bits[i] >= 0 && bits[i] <= UINT32_MAX) continue;
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "%s is not within 0 and 4294967295", words[8 + i]);
        return NULL;
    }
    made.contype = (uint32_t)bits[0], made.conaffinity = (uint32_t)bits[1];
    if (hml_shape_kind_from_name(kind, &made.kind)) {
        return unknown_kind("there is no shape", kind, shape_kind);
    }
    npy_intp sizes = hml_shape_kind_sizes(made.kind);
    if (sizes && numbers(size, "size", made.size, sizes)) return NULL;
    if (p != Py_None && numbers(p, "position", made.position, 3)) return NULL;
    if (R != Py_None && numbers(R, "rotation", made.rotation, 9)) return NULL;
    hml_error error = {0};
    PyArrayObject *held = NULL;
    if (points != Py_None && !(held = take_points(points, &made))) return NULL;
    error.status = hml_builder_add_shape(self->builder, body, &made, &error);
    Py_XDECREF(held);
    return answer(self, &error);
}

static PyObject *add_exclusion(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"body", "other", NULL};
    const char *body, *other;
    hml_error error = {0};
    if (!parse_arguments(arguments, names, "zz", words, &body, &other)) return NULL;
    error.status = hml_builder_add_exclusion(self->builder, body, other, &error);
    return answer(self, &error);
}

static PyObject *add_actuator(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"name",  "joint", "frame",       "gear",        "gain", "bias",
                            "lower", "upper", "force_lower", "force_upper", NULL};
    const char *joint = NULL, *frame = NULL;
    PyObject *gear = Py_None, *bias = Py_None;
    hml_actuator a;
    hml_actuator_init(&a);
    if (!parse_arguments(arguments, names, "s|zz$OdOdddd", words, &a.name, &joint, &frame, &gear, &a.gain, &bias,
                         &a.lower, &a.upper, &a.force_lower, &a.force_upper)) {
        return NULL;
    }
    if (!joint == !frame) {
        PyErr_SetString(PyExc_TypeError, "an actuator acts on a joint or on a frame");
        return NULL;
    }
    if (PyFloat_Check(gear) || PyLong_Check(gear)) {
        a.gear[0] = PyFloat_AsDouble(gear);
        if (PyErr_Occurred()) return NULL;
    } else if (gear != Py_None && numbers(gear, "gear", a.gear, 6)) {
        return NULL;
    }
    if (bias != Py_None && numbers(bias, "bias", a.bias, 3)) return NULL;
    a.transmission = joint ? HML_TRANSMISSION_JOINT : HML_TRANSMISSION_FRAME;
    hml_error error = {0};
    error.status = hml_builder_add_actuator(self->builder, joint ? joint : frame, &a, &error);
    return answer(self, &error);
}

static PyObject *add_loop(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"frame",   "other",     "kind",     "name",     "normal", "distance",
                            "damping", "stiffness", "position", "rotation", NULL};
    const char *frame, *other = NULL, *kind = "point", *name = NULL;
    PyObject *normal = Py_None, *p = Py_None, *R = Py_None;
    double position[3] = {0}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hml_loop made = {.normal = {0, 0, 1}};
    if (!parse_arguments(arguments, names, "sz|szOdddOO", words, &frame, &other, &kind, &name, &normal, &made.distance,
                         &made.damping, &made.stiffness, &p, &R))
        return NULL;
    if (hml_constraint_kind_from_name(kind, &made.kind)) return unknown_kind("there is no loop", kind, loop_kind);
    if (normal != Py_None && numbers(normal, "normal", made.normal, 3)) return NULL;
    if (p != Py_None && numbers(p, "position", position, 3)) return NULL;
    if (R != Py_None && numbers(R, "rotation", rotation, 9)) return NULL;
    for (int i = 0; i < 12; i++) made.pose[i] = i % 4 < 3 ? rotation[i / 4 * 3 + i % 4] : position[i / 4];
    hml_error error = {0};
    error.status = hml_builder_add_loop(self->builder, name, frame, other, &made, &error);
    return answer(self, &error);
}

static PyObject *add_keyframe(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"name", "joint", "position", "velocity", NULL};
    const char *name, *joint = NULL;
    PyObject *given[2] = {Py_None, Py_None};
    PyArrayObject *in[2] = {NULL, NULL};
    if (!parse_arguments(arguments, names, "s|zOO", words, &name, &joint, &given[0], &given[1])) return NULL;
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++) {
        PyObject *text = given[i] == Py_None ? NULL : PyUnicode_FromString(words[2 + i]);
        if (text) in[i] = array_of(given[i], text);
        Py_XDECREF(text);
        failed = given[i] != Py_None && !in[i];
    }
    hml_error error = {0};
    if (!failed) {
        const int32_t nq = in[0] ? (int32_t)PyArray_SIZE(in[0]) : 0, nv = in[1] ? (int32_t)PyArray_SIZE(in[1]) : 0;
        error.status = hml_builder_add_keyframe(self->builder, name, joint, nq, in[0] ? PyArray_DATA(in[0]) : NULL, nv,
                                                in[1] ? PyArray_DATA(in[1]) : NULL, &error);
    }
    for (int i = 0; i < 2; i++) Py_XDECREF(in[i]);
    return failed ? NULL : answer(self, &error);
}

static PyObject *add_model(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"model", "body", "prefix", "position", "rotation", NULL};
    model_object *model;
    const char *body = NULL, *prefix = NULL;
    PyObject *p = Py_None, *R = Py_None;
    double position[3] = {0}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!parse_arguments(arguments, names, "O!|zzOO", words, &model_type, &model, &body, &prefix, &p, &R)) {
        return NULL;
    }
    if (p != Py_None && numbers(p, "position", position, 3)) return NULL;
    if (R != Py_None && numbers(R, "rotation", rotation, 9)) return NULL;
    hml_error error = {0};
    error.status = hml_builder_add_model(self->builder, model->model, prefix, body, position, rotation, &error);
    return answer(self, &error);
}

static PyObject *build(builder_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"keep_fixed", "strict", "mimic", "passive", NULL};
    int keep_fixed = 0, strict = 0, passive = 1;
    const char *mimic = "follow";
    if (!parse_arguments(arguments, names, "|$ppsp", words, &keep_fixed, &strict, &mimic, &passive)) return NULL;
    unsigned options = (keep_fixed ? HML_BUILD_KEEP_FIXED : 0u) | (strict ? HML_BUILD_STRICT : 0u) |
                       (strcmp(mimic, "follow") ? HML_BUILD_MIMIC_INDEPENDENT : 0u) |
                       (passive ? 0u : HML_BUILD_NO_PASSIVE);
    hml_model *model = NULL;
    hml_error error = {0};
    error.status = hml_builder_build(self->builder, options, &model, &error);
    if (!error.status) return model_wrap(model);
    raise_error(&error);
    return NULL;
}

#define KEYWORDS(f) (PyCFunction)(void (*)(void))(f), METH_VARARGS | METH_KEYWORDS
static PyMethodDef methods[] = {
    {"add_body", KEYWORDS(add_body),
     "add_body($self, name, parent=None, type='revolute', **joint)\n--\n\n"
     "A body and the joint that carries it; parent None is the world. Returns the builder.\n\n"
     "Of the joint: joint (its name), position (3), rotation (3, 3), axis (3), axis2, point, pitch, actuated, "
     "armature,\n"
     "damping, friction, stiffness, rest, lower, upper, velocity_limit, effort_limit, mimic, multiplier, offset; or "
     "screw (6),\n"
     "[linear; angular] in the body (spatial=True: in the parent). Of the body: mass, com (3), moment (3, 3) about "
     "it."},
    {"add_frame", KEYWORDS(add_frame),
     "add_frame($self, name, body=None, position=None, rotation=None)\n--\n\nA frame on a body, or on the world."},
    {"add_shape", KEYWORDS(add_shape),
     "add_shape($self, body, kind, size=None, position=None, rotation=None, friction=-1.0, restitution=0.0, "
     "vertices=None, *, contype=0, conaffinity=0)\n--\n\n"
     "A collision shape on a body: point, sphere (radius), box (half lengths), capsule or cylinder (radius, half "
     "length), or hull, the convex hull of up to 64 vertices (n, 3).\n\n"
     "Two shapes touch each other if the contype of one and the conaffinity of the other have a bit in common; both 0: "
     "1 and 1."},
    {"add_exclusion", KEYWORDS(add_exclusion),
     "add_exclusion($self, body, other)\n--\n\nShapes of these two bodies do not touch each other; None: the world."},
    {"add_actuator", KEYWORDS(add_actuator),
     "add_actuator($self, name, joint=None, frame=None, *, gear=1.0, gain=1.0, bias=None, lower=-1e999, upper=1e999, "
     "force_lower=-1e999, force_upper=1e999)\n--\n\n"
     "force = gain·u + bias[0] + bias[1]·length + bias[2]·speed on a joint (gear times it) or, as a wrench of 6, on a "
     "frame."},
    {"add_loop", KEYWORDS(add_loop),
     "add_loop($self, frame, other, kind=\"point\", name=None, normal=None, distance=0.0, damping=0.0, stiffness=0.0, "
     "position=None, rotation=None)\n--\n\n"
     "Ties a frame to another, or to the world (None): point, frame, plane or distance, as hamel.Hold says. position "
     "and\nrotation: where the frame belongs in the other; the same place if not given."},
    {"add_keyframe", KEYWORDS(add_keyframe),
     "add_keyframe($self, name, joint=None, position=None, velocity=None)\n--\n\n"
     "What the keyframe of this name says about a joint; without a joint, the keyframe alone. Joints that it does not "
     "name are\nneutral and at rest."},
    {"add_model", KEYWORDS(add_model),
     "add_model($self, model, body=None, prefix=None, position=None, rotation=None)\n--\n\nA whole model on a body."},
    {"set_world_inertia", KEYWORDS(set_world_inertia),
     "set_world_inertia($self, mass, com=None, moment=None)\n--\n\n"
     "Inertia fixed to the world, beside that of bodies fixed to it: com (3) in the world, moment (3, 3) about it. It "
     "moves nothing."},
    {"build", KEYWORDS(build),
     "build($self, *, keep_fixed=False, strict=False, mimic='follow', passive=True)\n--\n\nChecks the whole and makes "
     "the "
     "model. The builder stays usable."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject builder_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Builder",
    .tp_basicsize = sizeof(builder_object),
    .tp_dealloc = (destructor)builder_dealloc,
    .tp_new = builder_new,
    .tp_methods = methods,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Builder(name=None, gravity=None, model=None)\n--\n\nMakes a model body by body; or takes a model apart.",
};

int builder_ready(PyObject *module)
{
    if (PyType_Ready(&builder_type) < 0) return -1;
    Py_INCREF(&builder_type);
    return PyModule_AddObject(module, "Builder", (PyObject *)&builder_type);
}
