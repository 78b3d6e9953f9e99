/* What a model answers about itself: sizes, names, bodies, joints, frames. */
#include <math.h>
#include <string.h>

#include "objects.h"

enum { BODIES, JOINTS, FRAMES, NAMES };

static PyTypeObject *body_type, *joint_type, *frame_type, *actuator_type;

static PyObject *numbers(npy_intp rows, npy_intp columns, const double *data)
{
    npy_intp dims[2] = {rows, columns};
    PyObject *array = array_copy(columns ? 2 : 1, dims, data);
    if (array) PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE); /* the model will not change */
    return array;
}

static void put(PyObject *tuple, Py_ssize_t *at, PyObject *value) { PyStructSequence_SetItem(tuple, (*at)++, value); }

static PyObject *text(const char *words) { return words ? PyUnicode_FromString(words) : Py_NewRef(Py_None); }

static PyObject *body(const hml_model *model, int32_t index)
{
    hml_body_info b = {.struct_size = sizeof b};
    PyObject *tuple = hml_model_body(model, index, &b) ? NULL : PyStructSequence_New(body_type);
    Py_ssize_t at = 0;
    if (!tuple) return NULL;
    put(tuple, &at, text(b.name));
    put(tuple, &at, PyLong_FromLong(b.parent));
    put(tuple, &at, PyLong_FromLong(b.joint));
    put(tuple, &at, PyLong_FromLong(b.subtree_end));
    put(tuple, &at, PyLong_FromLong(b.depth));
    put(tuple, &at, PyFloat_FromDouble(b.mass));
    put(tuple, &at, numbers(3, 0, b.com));
    put(tuple, &at, numbers(3, 3, b.moment));
    return tuple;
}

static PyObject *joint(const hml_model *model, int32_t index)
{
    hml_joint_info j = {.struct_size = sizeof j};
    PyObject *tuple = hml_model_joint(model, index, &j) ? NULL : PyStructSequence_New(joint_type);
    Py_ssize_t at = 0;
    if (!tuple) return NULL;
    npy_intp nq = hml_joint_type_nq(j.type), nv = hml_joint_type_nv(j.type);
    put(tuple, &at, text(j.name));
    put(tuple, &at, text(hml_joint_type_name(j.type)));
    put(tuple, &at, PyLong_FromLong(j.body));
    put(tuple, &at, PyLong_FromLong(j.q));
    put(tuple, &at, PyLong_FromLong(j.nq));
    put(tuple, &at, PyLong_FromLong(j.v));
    put(tuple, &at, PyLong_FromLong(j.nv));
    put(tuple, &at, PyBool_FromLong(j.actuated));
    put(tuple, &at, PyLong_FromLong(j.leader));
    put(tuple, &at, PyFloat_FromDouble(j.multiplier));
    put(tuple, &at, PyFloat_FromDouble(j.offset));
    put(tuple, &at, numbers(3, 0, j.position));
    put(tuple, &at, numbers(3, 3, j.rotation));
    put(tuple, &at, numbers(3, 0, j.axis));
    put(tuple, &at, numbers(3, 0, j.axis2));
    put(tuple, &at, numbers(3, 0, j.point));
    put(tuple, &at, PyFloat_FromDouble(j.pitch));
    put(tuple, &at, numbers(nv, 0, j.armature));
    put(tuple, &at, numbers(nv, 0, j.damping));
    put(tuple, &at, numbers(nv, 0, j.stiffness));
    put(tuple, &at, numbers(nq, 0, j.rest));
    put(tuple, &at, numbers(nv, 0, j.lower));
    put(tuple, &at, numbers(nv, 0, j.upper));
    put(tuple, &at, numbers(nv, 0, j.velocity_limit));
    put(tuple, &at, numbers(nv, 0, j.effort_limit));
    put(tuple, &at, numbers(nv, 0, j.friction));
    return tuple;
}

static PyObject *frame(const hml_model *model, int32_t index)
{
    static const char *const KINDS[] = {"body", "link", "named"};
    hml_frame_info f = {.struct_size = sizeof f};
    PyObject *tuple = hml_model_frame(model, index, &f) ? NULL : PyStructSequence_New(frame_type);
    Py_ssize_t at = 0;
    if (!tuple) return NULL;
    put(tuple, &at, text(f.name));
    put(tuple, &at, PyLong_FromLong(f.body));
    put(tuple, &at, numbers(3, 0, f.position));
    put(tuple, &at, numbers(3, 3, f.rotation));
    put(tuple, &at, text(KINDS[f.kind]));
    return tuple;
}

static PyObject *name(const hml_model *model, int32_t index)
{
    char words[512];
    return hml_model_velocity_name(model, index, words, sizeof words) ? NULL : PyUnicode_FromString(words);
}

static PyObject *part(const hml_model *model, int32_t which, int32_t index)
{
    switch (which) {
    case BODIES: return body(model, index);
    case JOINTS: return joint(model, index);
    case FRAMES: return frame(model, index);
    default: return name(model, index);
    }
}

/* made once; closure says which */
static PyObject *parts(model_object *self, void *closure)
{
    int32_t which = (int32_t)(intptr_t)closure;
    const hml_model *model = self->model;
    int32_t counts[] = {hml_model_nbodies(model), hml_model_njoints(model), hml_model_nframes(model),
                        hml_model_nv(model)};
    if (self->parts[which]) return Py_NewRef(self->parts[which]);
    PyObject *tuple = PyTuple_New(counts[which]);
    for (int32_t i = 0; tuple && i < counts[which]; i++) {
        PyObject *one = part(model, which, i);
        if (!one || PyErr_Occurred()) {
            Py_XDECREF(one);
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, one);
    }
    self->parts[which] = tuple;
    return tuple ? Py_NewRef(tuple) : NULL;
}

static PyObject *size(model_object *self, void *closure)
{
    int32_t (*ask)(const hml_model *) = *(int32_t(**)(const hml_model *))closure;
    return PyLong_FromLong(ask(self->model));
}

static PyObject *model_name(model_object *self, void *closure)
{
    (void)closure;
    return text(hml_model_name(self->model));
}

static PyObject *gravity(model_object *self, void *closure)
{
    (void)closure;
    double g[3];
    hml_model_gravity(self->model, g);
    return numbers(3, 0, g);
}

static PyObject *mass(model_object *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(hml_model_mass(self->model));
}

static PyObject *world_inertia(model_object *self, void *closure)
{
    (void)closure;
    hml_inertia_spec spec;
    double inertia[10];
    npy_intp ten = 10;
    hml_model_world_inertia(self->model, &spec);
    if (!hml_inertia_from_com(spec.mass, spec.com, spec.moment, inertia)) return array_copy(1, &ten, inertia);
    raise_status(HML_BAD_MODEL, NULL);
    return NULL;
}

static PyObject *warnings(model_object *self, void *closure)
{
    (void)closure;
    int32_t n = hml_model_nwarnings(self->model);
    PyObject *tuple = PyTuple_New(n);
    for (int32_t i = 0; tuple && i < n; i++) {
        PyObject *sentence = PyUnicode_DecodeUTF8(hml_model_warning(self->model, i),
                                                  (Py_ssize_t)strlen(hml_model_warning(self->model, i)), "replace");
        if (!sentence) Py_CLEAR(tuple);
        if (tuple) PyTuple_SET_ITEM(tuple, i, sentence);
    }
    return tuple;
}

static PyObject *loops(model_object *self, void *closure)
{
    (void)closure;
    return model_loops(self->model);
}

static PyObject *exclusions(model_object *self, void *closure)
{
    (void)closure;
    return model_exclusions(self->model);
}

static PyObject *shapes(model_object *self, void *closure)
{
    (void)closure;
    return model_shapes(self->model);
}

/* {name: (q, v)} */
static PyObject *keyframes(model_object *self, void *closure)
{
    (void)closure;
    npy_intp nq = hml_model_nq(self->model), nv = hml_model_nv(self->model);
    PyObject *module = PyImport_ImportModule("hamel._names"), *all = NULL; /* a dict that says what was perhaps meant */
    if (module) all = PyObject_CallMethod(module, "Keyframes", NULL);
    Py_XDECREF(module);
    for (int32_t i = 0; all && i < hml_model_nkeyframes(self->model); i++) {
        PyObject *q = PyArray_SimpleNew(1, &nq, NPY_DOUBLE), *v = PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
        PyObject *both = q && v ? PyTuple_Pack(2, q, v) : NULL;
        if (both) {
            hml_model_keyframe(self->model, i, PyArray_DATA((PyArrayObject *)q), PyArray_DATA((PyArrayObject *)v));
        }
        int failed = !both || PyDict_SetItemString(all, hml_model_keyframe_name(self->model, i), both);
        Py_XDECREF(q);
        Py_XDECREF(v);
        Py_XDECREF(both);
        if (failed) Py_CLEAR(all);
    }
    return all;
}

static PyObject *actuators(model_object *self, void *closure)
{
    (void)closure;
    const int32_t n = hml_model_nactuators(self->model);
    PyObject *all = PyTuple_New(n);
    for (int32_t i = 0; all && i < n; i++) {
        hml_actuator a = {.struct_size = sizeof a};
        PyObject *one = hml_model_actuator(self->model, i, &a) ? NULL : PyStructSequence_New(actuator_type);
        Py_ssize_t at = 0;
        if (!one) {
            Py_CLEAR(all);
            break;
        }
        put(one, &at, text(a.name));
        put(one, &at, text(a.transmission == HML_TRANSMISSION_JOINT ? "joint" : "frame"));
        put(one, &at, PyLong_FromLong(a.target));
        put(one, &at, numbers(6, 0, a.gear));
        put(one, &at, PyFloat_FromDouble(a.gain));
        put(one, &at, numbers(3, 0, a.bias));
        put(one, &at, PyFloat_FromDouble(a.lower));
        put(one, &at, PyFloat_FromDouble(a.upper));
        put(one, &at, PyFloat_FromDouble(a.force_lower));
        put(one, &at, PyFloat_FromDouble(a.force_upper));
        PyTuple_SET_ITEM(all, i, one);
    }
    return all;
}

/* True where a coordinate's joint is actuated */
static PyObject *actuated(model_object *self, void *closure)
{
    (void)closure;
    npy_intp nv = hml_model_nv(self->model);
    PyArrayObject *marks = (PyArrayObject *)PyArray_ZEROS(1, &nv, NPY_BOOL, 0);
    for (int32_t i = 0; marks && i < hml_model_njoints(self->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        if (hml_model_joint(self->model, i, &j) || !j.actuated) continue;
        for (int32_t k = 0; k < j.nv; k++) ((npy_bool *)PyArray_DATA(marks))[j.v + k] = 1;
    }
    return (PyObject *)marks;
}

static int32_t (*const SIZES[])(const hml_model *) = {hml_model_nq, hml_model_nv, hml_model_nbodies, hml_model_njoints,
                                                      hml_model_nframes};

#define SIZE(name, i, words)                                                                                           \
    {                                                                                                                  \
        name, (getter)size, NULL, words, (void *)(uintptr_t)&SIZES[i]                                                  \
    }
#define PART(name, i, words)                                                                                           \
    {                                                                                                                  \
        name, (getter)parts, NULL, words, (void *)(intptr_t)(i)                                                        \
    }
extern PyGetSetDef query_getset[];
PyGetSetDef query_getset[] = {
    SIZE("nq", 0, "Numbers in a configuration."),
    SIZE("nv", 1, "Degrees of freedom."),
    SIZE("nbodies", 2, "Bodies."),
    SIZE("njoints", 3, "Joints, as the file names them."),
    SIZE("nframes", 4, "Named frames, bodies and merged links included."),
    PART("bodies", BODIES, "Bodies, parents before children."),
    PART("joints", JOINTS, "Joints."),
    PART("frames", FRAMES, "Frames, bodies first."),
    PART("velocity_names", NAMES, "Names of the coordinates of ν: 'knee', or 'base.0' … 'base.5'."),
    {"name", (getter)model_name, NULL, "The robot's name.", NULL},
    {"gravity", (getter)gravity, NULL, "Gravity in the world, (3,). with_gravity makes a model with another.", NULL},
    {"mass", (getter)mass, NULL, "Mass of what can move.", NULL},
    {"world_inertia", (getter)world_inertia, NULL, "Inertia of what is fixed to the world, ten numbers: (10,).", NULL},
    {"warnings", (getter)warnings, NULL, "What was odd but no error when the model was read.", NULL},
    {"keyframes", (getter)keyframes, NULL, "States of the file that have a name, {name: (q, v)}.", NULL},
    {"loops", (getter)loops, NULL, "Frames tied to each other, a hamel.Hold each.", NULL},
    {"exclusions", (getter)exclusions, NULL, "Pairs of bodies whose shapes do not touch each other; None: the world.",
     NULL},
    {"shapes", (getter)shapes, NULL, "Collision shapes.", NULL},
    {"actuators", (getter)actuators, NULL, "Actuators: motors, servos, thrusters.", NULL},
    {"actuated", (getter)actuated, NULL, "True for the coordinates of actuated joints, (nv,).", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject *record_type(PyObject *module, const char *full, const char *words, const char *const *names)
{
    PyStructSequence_Field fields[32] = {{NULL, NULL}};
    int n = 0;
    for (; names[n]; n++) fields[n].name = names[n];
    PyStructSequence_Desc description = {full, words, fields, n};
    PyTypeObject *type = PyStructSequence_NewType(&description);
    if (!type || PyModule_AddObject(module, strrchr(full, '.') + 1, (PyObject *)type) < 0) return NULL;
    Py_INCREF(type);
    return type;
}

int query_ready(PyObject *module)
{
    static const char *const BODY[] = {"name", "parent", "joint",  "subtree_end", "depth",
                                       "mass", "com",    "moment", NULL};
    static const char *const JOINT[] = {"name",         "type",      "body",   "q",          "nq",     "v",
                                        "nv",           "actuated",  "leader", "multiplier", "offset", "position",
                                        "rotation",     "axis",      "axis2",  "point",      "pitch",  "armature",
                                        "damping",      "stiffness", "rest",   "lower",      "upper",  "velocity_limit",
                                        "effort_limit", "friction",  NULL};
    static const char *const FRAMED[] = {"name", "body", "position", "rotation", "kind", NULL};
    body_type = record_type(module, "hamel._core.Body",
                            "A body: com and moment (about the com) in its frame; parent −1 is the world.", BODY);
    joint_type =
        record_type(module, "hamel._core.Joint",
                    "A joint: its numbers begin at q and v (−1 for a mimic follower); placement in the parent.", JOINT);
    frame_type =
        record_type(module, "hamel._core.Frame", "A frame and its placement in a body (−1: the world).", FRAMED);
    static const char *const ACTUATOR[] = {"name",  "transmission", "target",      "gear",        "gain", "bias",
                                           "lower", "upper",        "force_lower", "force_upper", NULL};
    actuator_type =
        record_type(module, "hamel._core.Actuator",
                    "force = gain·u + bias[0] + bias[1]·length + bias[2]·speed, through gear, on a joint or "
                    "a frame.",
                    ACTUATOR);
    return body_type && joint_type && frame_type && actuator_type ? 0 : -1;
}
