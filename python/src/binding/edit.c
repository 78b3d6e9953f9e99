/* Models from models (hamel/edit.h), models and states to and from files (hamel/io.h). */
#include <string.h>

#include "objects.h"

static PyObject *fail(hml_status status)
{
    raise_status(status, NULL);
    return NULL;
}

/* None: NULL data */
static int optional_array(PyObject *object, const char *name, npy_intp size, PyArrayObject **array)
{
    *array = NULL;
    if (!object || object == Py_None) return 0;
    *array = array_shaped(object, name, 1, &size);
    return *array ? 0 : -1;
}

static double *data_of(PyArrayObject *array) { return array ? PyArray_DATA(array) : NULL; }

static PyObject *append(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"other", "frame", "prefix", NULL};
    model_object *other;
    PyObject *where = Py_None;
    const char *prefix = NULL;
    if (!parse_arguments(arguments, names, "O!|Oz", words, &model_type, &other, &where, &prefix)) return NULL;
    int32_t frame = where == Py_None ? HML_WORLD : find_frame(self->model, where, 1);
    if (frame == INT32_MIN) return NULL;
    hml_model *model = NULL;
    hml_error error = {0};
    hml_status status = hml_model_append(self->model, frame, other->model, prefix, &model, &error);
    return model_or_error(status, model, &error);
}

/* what a builder adds to a copy of the model */
static PyObject *with(PyObject *self, const char *method, PyObject *arguments, PyObject *names)
{
    PyObject *none = PyTuple_New(0), *words = Py_BuildValue("{sO}", "model", self), *kept = NULL, *made = NULL;
    PyObject *builder = none && words ? PyObject_Call((PyObject *)&builder_type, none, words) : NULL;
    PyObject *add = builder ? PyObject_GetAttrString(builder, method) : NULL;
    PyObject *added = add ? PyObject_Call(add, arguments, names) : NULL;
    PyObject *build = added ? PyObject_GetAttrString(builder, "build") : NULL;
    if (build) kept = Py_BuildValue("{sO}", "keep_fixed", Py_True);
    if (kept) made = PyObject_Call(build, none, kept);
    Py_XDECREF(kept);
    Py_XDECREF(build);
    Py_XDECREF(added);
    Py_XDECREF(add);
    Py_XDECREF(builder);
    Py_XDECREF(words);
    Py_XDECREF(none);
    return made;
}

static PyObject *add_frame(PyObject *self, PyObject *arguments, PyObject *names)
{
    return with(self, "add_frame", arguments, names);
}

static PyObject *add_shape(PyObject *self, PyObject *arguments, PyObject *names)
{
    return with(self, "add_shape", arguments, names);
}

static PyObject *lock(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"joints", "q", NULL};
    PyObject *joints, *at = NULL;
    if (!parse_arguments(arguments, names, "O|O", words, &joints, &at)) return NULL;
    PyArrayObject *q;
    if (optional_array(at, "q", hml_model_nq(self->model), &q)) return NULL;
    PyObject *list = PySequence_Fast(joints, "joints is a list of names or indices"), *result = NULL;
    Py_ssize_t n = list ? PySequence_Fast_GET_SIZE(list) : 0;
    int32_t *indices = PyMem_Calloc((size_t)n + 1, sizeof *indices);
    for (Py_ssize_t i = 0; list && indices && i < n; i++) {
        indices[i] = find_part(self->model, PySequence_Fast_GET_ITEM(list, i), JOINT_PART);
        if (indices[i] < 0) break;
    }
    if (list && indices && !PyErr_Occurred()) {
        hml_model *model = NULL;
        hml_error error = {0};
        hml_status status = hml_model_lock(self->model, indices, (int32_t)n, data_of(q), &model, &error);
        result = model_or_error(status, model, &error);
    }
    PyMem_Free(indices);
    Py_XDECREF(list);
    Py_XDECREF(q);
    return result;
}

static PyObject *reroot(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"body", "root", "q", NULL};
    PyObject *which, *at = NULL;
    const char *root = "free";
    if (!parse_arguments(arguments, names, "O|sO", words, &which, &root, &at)) return NULL;
    hml_joint_type type;
    hml_status status = hml_joint_type_from_name(root, &type);
    if (status) return fail(status);
    int32_t body = find_part(self->model, which, BODY_PART);
    PyArrayObject *q;
    if (body < 0 || optional_array(at, "q", hml_model_nq(self->model), &q)) return NULL;
    hml_model *model = NULL;
    hml_error error = {0};
    status = hml_model_reroot(self->model, body, type, data_of(q), &model, &error);
    Py_XDECREF(q);
    return model_or_error(status, model, &error);
}

/* q and v of one model as numbers of another: by reroot, or by the joints' names */
typedef hml_status mover(const hml_model *from, const double *q, const double *v, const hml_model *to, double *q_out,
                         double *v_out);

static PyObject *moved(model_object *self, PyObject *arguments, PyObject *names, mover *move)
{
    static char *words[] = {"other", "q", "v", NULL};
    model_object *other;
    PyObject *from_q, *from_v = NULL;
    if (!parse_arguments(arguments, names, "O!O|O", words, &model_type, &other, &from_q, &from_v)) return NULL;
    PyArrayObject *q, *v, *q_out = NULL, *v_out = NULL;
    npy_intp nq = hml_model_nq(other->model), nv = hml_model_nv(other->model);
    if (optional_array(from_q, "q", hml_model_nq(self->model), &q)) return NULL;
    if (optional_array(from_v, "v", hml_model_nv(self->model), &v)) {
        Py_XDECREF(q);
        return NULL;
    }
    PyObject *result = NULL;
    q_out = (PyArrayObject *)PyArray_SimpleNew(1, &nq, NPY_DOUBLE);
    v_out = v ? (PyArrayObject *)PyArray_ZEROS(1, &nv, NPY_DOUBLE, 0) : NULL;
    if (q_out && (v_out || !v)) {
        hml_status status = hml_configuration_neutral(other->model, PyArray_DATA(q_out));
        if (!status) {
            status = move(self->model, data_of(q), data_of(v), other->model, PyArray_DATA(q_out), data_of(v_out));
        }
        result = status ? fail(status) : Py_BuildValue("OO", q_out, v_out ? (PyObject *)v_out : Py_None);
    }
    Py_XDECREF(q);
    Py_XDECREF(v);
    Py_XDECREF(q_out);
    Py_XDECREF(v_out);
    return result;
}

static hml_status by_names(const hml_model *from, const double *q, const double *v, const hml_model *to, double *q_out,
                           double *v_out)
{
    hml_status status = hml_configuration_transfer(from, q, to, q_out);
    return status || !v ? status : hml_velocity_transfer(from, v, to, v_out);
}

static PyObject *transfer(model_object *self, PyObject *arguments, PyObject *names)
{
    return moved(self, arguments, names, by_names);
}

static PyObject *reroot_state(model_object *self, PyObject *arguments, PyObject *names)
{
    return moved(self, arguments, names, hml_model_reroot_state);
}

static PyObject *scale(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"length", "mass", NULL};
    double length = 1, mass = 1;
    if (!parse_arguments(arguments, names, "|dd", words, &length, &mass)) return NULL;
    hml_model *model = NULL;
    hml_status status = hml_model_scale(self->model, length, mass, &model);
    return status ? fail(status) : model_wrap(model);
}

static PyObject *differs(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"other", "tolerance", NULL};
    model_object *other;
    double tolerance = 0;
    char sentence[512] = "";
    if (!parse_arguments(arguments, names, "O!|d", words, &model_type, &other, &tolerance)) return NULL;
    if (hml_model_equal(self->model, other->model, tolerance, sentence, sizeof sentence)) Py_RETURN_NONE;
    return PyUnicode_FromString(sentence);
}

static PyObject *with_gravity(model_object *self, PyObject *object)
{
    npy_intp three = 3;
    PyArrayObject *g = array_shaped(object, "gravity", 1, &three);
    hml_model *model = NULL;
    if (!g) return NULL;
    hml_status status = hml_model_copy(self->model, &model);
    if (!status) status = hml_model_set_gravity(model, PyArray_DATA(g));
    Py_DECREF(g);
    if (!status) return model_wrap(model);
    hml_model_free(model);
    return fail(status);
}

static PyObject *with_parameters(model_object *self, PyObject *object)
{
    npy_intp size = HML_INERTIA_PARAMETERS * (npy_intp)hml_model_nbodies(self->model);
    PyArrayObject *p = array_shaped(object, "parameters", 1, &size);
    hml_model *model = NULL;
    if (!p) return NULL;
    hml_status status = hml_model_copy(self->model, &model);
    if (!status) status = hml_model_set_parameters(model, 0, hml_model_nbodies(model), PyArray_DATA(p));
    Py_DECREF(p);
    if (!status) return model_wrap(model);
    hml_model_free(model);
    return fail(status);
}

static PyObject *with_armature(model_object *self, PyObject *object)
{
    npy_intp nv = hml_model_nv(self->model);
    PyArrayObject *armature = array_shaped(object, "armature", 1, &nv);
    hml_model *model = NULL;
    if (!armature) return NULL;
    hml_status status = hml_model_with_armature(self->model, PyArray_DATA(armature), &model);
    Py_DECREF(armature);
    return status ? fail(status) : model_wrap(model);
}

static PyObject *realign(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"tolerance", NULL};
    double tolerance = 1e-9;
    hml_model *model = NULL;
    if (!parse_arguments(arguments, names, "|d", words, &tolerance)) return NULL;
    if (!(tolerance > 0 && tolerance <= 1e-3))
        return PyErr_Format(PyExc_ValueError, "tolerance must be above 0 and at most 1e-3, in rad");
    const hml_status status = hml_model_realign(self->model, tolerance, &model, NULL);
    return status ? fail(status) : model_wrap(model);
}

static PyObject *limit_margin(model_object *self, PyObject *object)
{
    npy_intp nq = hml_model_nq(self->model);
    PyArrayObject *q = array_shaped(object, "q", 1, &nq);
    double margin;
    int32_t coordinate;
    if (!q) return NULL;
    hml_status status = hml_limit_margin(self->model, PyArray_DATA(q), &margin, &coordinate);
    Py_DECREF(q);
    return status ? fail(status) : Py_BuildValue("di", margin, (int)coordinate);
}

static PyObject *with_inertias(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"mass", "com", "moment", NULL};
    PyObject *given[3];
    if (!parse_arguments(arguments, names, "OOO", words, &given[0], &given[1], &given[2])) return NULL;
    npy_intp n = hml_model_nbodies(self->model), dims[3] = {n, 3, 3};
    PyArrayObject *arrays[3] = {NULL};
    hml_inertia_spec *specs = PyMem_Calloc((size_t)n + 1, sizeof *specs);
    PyObject *result = NULL;
    int ok = specs != NULL;
    for (int i = 0; ok && i < 3; i++) ok = (arrays[i] = array_shaped(given[i], words[i], i + 1, dims)) != NULL;
    for (npy_intp i = 0; ok && i < n; i++) {
        specs[i].mass = data_of(arrays[0])[i];
        memcpy(specs[i].com, data_of(arrays[1]) + 3 * i, sizeof specs[i].com);
        memcpy(specs[i].moment, data_of(arrays[2]) + 9 * i, sizeof specs[i].moment);
    }
    if (ok) {
        hml_model *model = NULL;
        hml_status status = hml_model_copy(self->model, &model);
        if (!status) status = hml_model_set_inertias(model, 0, (int32_t)n, specs);
        result = status ? fail(status) : model_wrap(model);
        if (status) hml_model_free(model);
    }
    for (int i = 0; i < 3; i++) Py_XDECREF(arrays[i]);
    PyMem_Free(specs);
    return result;
}

/* ---- files ---- */

static PyObject *save(model_object *self, PyObject *object,
                      hml_status (*write)(const hml_model *, const char *, hml_error *))
{
    PyObject *path;
    hml_error error = {0};
    if (!PyUnicode_FSConverter(object, &path)) return NULL;
    error.status = write(self->model, PyBytes_AS_STRING(path), &error);
    Py_DECREF(path);
    if (!error.status) Py_RETURN_NONE;
    raise_error(&error);
    return NULL;
}

static PyObject *save_json(model_object *self, PyObject *path) { return save(self, path, hml_save_json); }
static PyObject *save_urdf(model_object *self, PyObject *path) { return save(self, path, hml_save_urdf); }

static PyObject *dump(model_object *self, hml_status (*write)(const hml_model *, char **, size_t *, hml_error *))
{
    char *text = NULL;
    size_t size = 0;
    hml_error error = {0};
    error.status = write(self->model, &text, &size, &error);
    if (error.status) {
        raise_error(&error);
        return NULL;
    }
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, NULL);
    hml_text_free(text);
    return result;
}

static PyObject *to_json(model_object *self, PyObject *none)
{
    (void)none;
    return dump(self, hml_write_json);
}

static PyObject *to_urdf(model_object *self, PyObject *none)
{
    (void)none;
    return dump(self, hml_write_urdf);
}

/* (q, v, tau, wrenches): wrenches are (frame, "frame" or "world", six numbers); takes the state over */
static PyObject *state_wrap(hml_state *s, const hml_error *error)
{
    if (error->status) {
        raise_error(error);
        return NULL;
    }
    npy_intp nq = s->nq, nv = s->nv, six = 6;
    int strict = 0; /* warnings may be errors */
    for (int32_t i = 0; i < s->nwarnings && !strict; i++) strict = PyErr_WarnEx(PyExc_UserWarning, s->warnings[i], 1);
    PyObject *wrenches = strict ? NULL : PyList_New(s->nwrenches);
    for (int32_t i = 0; wrenches && i < s->nwrenches; i++) {
        const hml_frame_wrench *w = &s->wrenches[i];
        PyObject *one =
            Py_BuildValue("isN", (int)w->frame, w->in_world ? "world" : "frame", array_copy(1, &six, w->wrench));
        if (!one) Py_CLEAR(wrenches);
        if (wrenches) PyList_SET_ITEM(wrenches, i, one);
    }
    PyObject *result = wrenches ? Py_BuildValue("NNNN", array_copy(1, &nq, s->q), array_copy(1, &nv, s->v),
                                                array_copy(1, &nv, s->tau), wrenches)
                                : NULL;
    hml_state_free(s);
    return result;
}

static PyObject *load_state(model_object *self, PyObject *object)
{
    PyObject *path;
    hml_state *s = NULL;
    hml_error error = {0};
    if (!PyUnicode_FSConverter(object, &path)) return NULL;
    error.status = hml_state_load(PyBytes_AS_STRING(path), self->model, &s, &error);
    Py_DECREF(path);
    return state_wrap(s, &error);
}

static PyObject *loads_state(model_object *self, PyObject *object)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    hml_state *s = NULL;
    hml_error error = {0};
    if (!text) return NULL;
    error.status = hml_state_load_memory(text, (size_t)size, NULL, self->model, &s, &error);
    return state_wrap(s, &error);
}

#define KEYWORDS(f) (PyCFunction)(void (*)(void))(f), METH_VARARGS | METH_KEYWORDS
PyMethodDef edit_methods[] = {
    {"append", KEYWORDS(append),
     "append($self, other, frame=None, prefix=None)\n--\n\nA model with another one put on a frame (the world if not "
     "given). Its names get the prefix."},
    {"add_frame", KEYWORDS(add_frame),
     "add_frame($self, name, body=None, position=None, rotation=None)\n--\n\nThis model with one more frame; body "
     "None: "
     "on the world."},
    {"add_shape", KEYWORDS(add_shape),
     "add_shape($self, body, kind, size=None, position=None, rotation=None, friction=-1.0, "
     "restitution=0.0)\n--\n\nThis "
     "model with one more collision shape; see Builder.add_shape."},
    {"lock", KEYWORDS(lock),
     "lock($self, joints, q=None)\n--\n\nA model whose joints, by name or index, are rigid where q says (neutral if "
     "not "
     "given)."},
    {"reroot", KEYWORDS(reroot),
     "reroot($self, body, root='free', q=None)\n--\n\nA model whose base is another body; root: free or fixed."},
    {"reroot_state", KEYWORDS(reroot_state),
     "reroot_state($self, other, q, v=None)\n--\n\n(q, v) of the rerooted model `other` with every body where it is "
     "here."},
    {"transfer", KEYWORDS(transfer),
     "transfer($self, other, q, v=None)\n--\n\n(q, v) of another model: joints of the same name and type keep their "
     "numbers, the rest is neutral and at rest."},
    {"scale", KEYWORDS(scale),
     "scale($self, length=1.0, mass=1.0)\n--\n\nAll lengths times length, all masses times mass; time stays."},
    {"differs", KEYWORDS(differs),
     "differs($self, other, tolerance=0.0)\n--\n\nThe first difference as a sentence, None if the models are equal."},
    {"with_gravity", (PyCFunction)with_gravity, METH_O,
     "with_gravity($self, gravity, /)\n--\n\nThe same robot elsewhere."},
    {"with_inertias", KEYWORDS(with_inertias),
     "with_inertias($self, mass, com, moment)\n--\n\nThe same robot with other inertias: (nbodies,), (nbodies, 3), "
     "(nbodies, 3, 3), moments about the com."},
    {"with_parameters", (PyCFunction)with_parameters, METH_O,
     "with_parameters($self, parameters, /)\n--\n\nThe same robot with other inertial parameters, ten per body, as "
     "parameters() "
     "gives them."},
    {"with_armature", (PyCFunction)with_armature, METH_O,
     "with_armature($self, armature, /)\n--\n\nThe same robot with this much more armature, (nv,)."},
    {"realign", KEYWORDS(realign),
     "realign($self, tolerance=1e-09)\n--\n\nThe same robot with right angles where its file writes them with few "
     "digits: sines "
     "of placements below the tolerance become zero."},
    {"limit_margin", (PyCFunction)limit_margin, METH_O,
     "limit_margin($self, q, /)\n--\n\n(margin, coordinate): the smallest distance from a joint limit, negative beyond "
     "it; "
     "(inf, −1) if there are none."},
    {"save_json", (PyCFunction)save_json, METH_O, "save_json($self, path, /)\n--\n\nWrites Hamel's own format."},
    {"save_urdf", (PyCFunction)save_urdf, METH_O,
     "save_urdf($self, path, /)\n--\n\nWrites URDF; UnsupportedError if URDF cannot express the model."},
    {"to_json", (PyCFunction)to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe text that save_json writes."},
    {"to_urdf", (PyCFunction)to_urdf, METH_NOARGS, "to_urdf($self, /)\n--\n\nThe text that save_urdf writes."},
    {"load_state", (PyCFunction)load_state, METH_O,
     "load_state($self, path, /)\n--\n\n(q, v, tau, wrenches) from a state file; wrenches are (frame, axes, [force; "
     "torque]), as wrench_at takes them."},
    {"loads_state", (PyCFunction)loads_state, METH_O,
     "loads_state($self, text, /)\n--\n\nThe same from the text of such a file."},
    {NULL, NULL, 0, NULL},
};
