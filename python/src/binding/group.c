/* Subgroup: a subgroup of SE(3), its algebra, and one rigid body that moves on it (From). */
#include <string.h>

#include "objects.h"

#define GROUP           r->group
#define TABLE           "group.def"
#define TABLE_FUNCTIONS table
#include "table.h"

static int find_group(const char *name)
{
    for (int i = 0; i < HML_GROUP_COUNT; i++) {
        if (!strcmp(hml_group_name((hml_group)i), name)) return i;
    }
    return -1;
}

/* what hml_subgroup_make refuses: the axis or, not finite, axis and pitch */
static PyObject *refuse(hml_status status, const char *name)
{
    if (status == HML_INVALID_ARGUMENT)
        PyErr_Format(hamel_errors[status], "the axis of %s is any vector of three numbers but zero; not given, it is z",
                     name);
    else if (status == HML_NOT_FINITE)
        PyErr_Format(hamel_errors[status], "the axis or pitch of %s holds NaN or infinity", name);
    else
        raise_status(status, name);
    return NULL;
}

static PyObject *group_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"name", "axis", "pitch", NULL};
    const char *name;
    PyObject *axis = Py_None;
    double pitch = 0;
    if (!parse_arguments(arguments, names, "s|Od", words, &name, &axis, &pitch)) return NULL;
    int group = find_group(name);
    if (group < 0) {
        return PyErr_Format(hamel_errors[HML_NOT_FOUND],
                            "no group is called '%s'; there are SE(3), X, R3, SE(2), SO(3), R2, RxSO(2), R, H, SO(2)",
                            name);
    }
    npy_intp three = 3;
    PyArrayObject *direction = axis == Py_None ? NULL : array_shaped(axis, "axis", 1, &three);
    if (axis != Py_None && !direction) return NULL;
    group_object *self = (group_object *)type->tp_alloc(type, 0);
    hml_status status = HML_OK;
    if (self)
        status = hml_subgroup_make((hml_group)group, direction ? PyArray_DATA(direction) : NULL, pitch, &self->group);
    Py_XDECREF(direction);
    if (!status) return (PyObject *)self;
    Py_DECREF(self);
    return refuse(status, name);
}

static PyObject *group_repr(group_object *self)
{
    return PyUnicode_FromFormat("<hamel.Subgroup '%s'>", hml_group_name(self->group.group));
}

static PyObject *selection(group_object *self, PyObject *none)
{
    (void)none;
    npy_intp dims[2] = {6, hml_group_dimension(self->group.group)};
    PyArrayObject *S = (PyArrayObject *)PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    hml_status status = S ? hml_subgroup_selection(&self->group, PyArray_DATA(S)) : HML_OK;
    if (!status) return (PyObject *)S;
    Py_DECREF(S);
    raise_status(status, NULL);
    return NULL;
}

static PyObject *of_joint(PyObject *class, PyObject *arguments, PyObject *names)
{
    (void)class;
    static char *words[] = {"type", "axis", "pitch", NULL};
    const char *type_name;
    PyObject *axis = Py_None;
    double pitch = 0, z[3] = {0, 0, 1};
    hml_joint_type type;
    if (!parse_arguments(arguments, names, "s|Od", words, &type_name, &axis, &pitch)) return NULL;
    npy_intp three = 3;
    PyArrayObject *direction = axis == Py_None ? NULL : array_shaped(axis, "axis", 1, &three);
    if (axis != Py_None && !direction) return NULL;
    if (hml_joint_type_from_name(type_name, &type) || type == HML_JOINT_FIXED || type == HML_JOINT_UNIVERSAL) {
        Py_XDECREF(direction);
        return PyErr_Format(hamel_errors[HML_NOT_FOUND],
                            "a joint of type '%s' moves on no group; revolute, prismatic, helical, cylindrical, "
                            "translation2, planar, spherical, translation3, schoenflies and free ones do",
                            type_name);
    }
    group_object *self = (group_object *)group_type.tp_alloc(&group_type, 0);
    hml_status status = HML_OK;
    if (self) status = hml_subgroup_of_joint(type, direction ? PyArray_DATA(direction) : z, pitch, &self->group);
    Py_XDECREF(direction);
    if (!status) return (PyObject *)self;
    Py_XDECREF(self);
    return refuse(status, type_name);
}

static PyObject *reduce(group_object *self, PyObject *none)
{
    (void)none;
    npy_intp three = 3;
    return Py_BuildValue("O(sNd)", (PyObject *)&group_type, hml_group_name(self->group.group),
                         array_copy(1, &three, self->group.axis), self->group.pitch);
}

static PyObject *get_name(group_object *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(hml_group_name(self->group.group));
}

static PyObject *get_dimension(group_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(hml_group_dimension(self->group.group));
}

static PyObject *get_axis(group_object *self, void *closure)
{
    (void)closure;
    npy_intp three = 3;
    return array_copy(1, &three, self->group.axis);
}

static PyObject *get_pitch(group_object *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(self->group.pitch);
}

static PyMethodDef own_methods[] = {
    {"selection", (PyCFunction)selection, METH_NOARGS,
     "selection($self, /)\n--\n\nS, (6, m), constant: the twist of the body is S v (From, Definition 4.2)."},
    {"of_joint", (PyCFunction)(void (*)(void))of_joint, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "of_joint(type, axis=None, pitch=0.0)\n--\n\nThe subgroup a joint of that type moves on; axis z if not given."},
    {"__reduce__", (PyCFunction)reduce, METH_NOARGS, "For pickle."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"name", (getter)get_name, NULL, "'SE(3)', 'X', 'R3', 'SE(2)', 'SO(3)', 'R2', 'RxSO(2)', 'R', 'H' or 'SO(2)'.",
     NULL},
    {"dimension", (getter)get_dimension, NULL, "How many coordinates it has: m.", NULL},
    {"axis", (getter)get_axis, NULL, "The unit axis, where the group has one.", NULL},
    {"pitch", (getter)get_pitch, NULL, "Metres per radian, of H alone.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject group_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Subgroup",
    .tp_basicsize = sizeof(group_object),
    .tp_new = group_new,
    .tp_repr = (reprfunc)group_repr,
    .tp_getset = getset,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "Subgroup(name, axis=None, pitch=0.0)\n--\n\n"
        "A subgroup of SE(3): SE(3), X, R3, SE(2), SO(3), R2, RxSO(2), R, H or SO(2).\n"
        "axis: any vector but zero, z if not given; SE(3), R3 and SO(3) do not use it. pitch: of H, metres per radian.",
};

int group_ready(PyObject *module)
{
    group_type.tp_methods = table_methods(table, COUNT(table), own_methods, module);
    if (!group_type.tp_methods || PyType_Ready(&group_type) < 0) return -1;
    Py_INCREF(&group_type);
    return PyModule_AddObject(module, "Subgroup", (PyObject *)&group_type);
}
