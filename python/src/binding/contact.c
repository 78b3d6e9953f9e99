/* Contact: contact with Coulomb friction by time stepping (hamel/contact.h), and collision shapes (hamel/model.h). */
#include <string.h>

#include "objects.h"

typedef struct contact_object {
    PyObject_HEAD model_object *model;
    void *memory;
    hml_contact *contact;
    int busy;
} contact_object;

static PyTypeObject contact_type;
static PyTypeObject *step_type, *point_type, *shape_type;

/* ---- planes: hamel/_contact.py ---- */

static hml_plane *read_planes(PyObject *list, int32_t *count)
{
    PyObject *sequence = PySequence_Fast(list, "planes is a list of hamel.Plane");
    if (!sequence) return NULL;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
    hml_plane *planes = PyMem_Calloc((size_t)n + 1, sizeof *planes);
    int failed = !planes;
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        PyObject *given = PySequence_Fast_GET_ITEM(sequence, i);
        hml_plane *p = &planes[i];
        const npy_intp three = 3, two = 2;
        failed = attribute_numbers(given, "point", 1, &three, p->point) ||
                 attribute_numbers(given, "normal", 1, &three, p->normal) ||
                 attribute_numbers(given, "axis", 1, &three, p->axis) ||
                 attribute_numbers(given, "size", 1, &two, p->size) ||
                 attribute_numbers(given, "depth", 0, NULL, &p->depth) ||
                 attribute_numbers(given, "friction", 0, NULL, &p->friction) ||
                 attribute_numbers(given, "restitution", 0, NULL, &p->restitution);
    }
    Py_DECREF(sequence);
    *count = (int32_t)n;
    if (!failed) return planes;
    PyMem_Free(planes);
    return NULL;
}

/* ---- grids of heights: hamel/_contact.py ---- */

/* heights point into arrays that `kept` owns */
static hml_heightfield *read_heightfields(PyObject *list, int32_t *count, PyObject **kept)
{
    PyObject *sequence = PySequence_Fast(list, "heightfields is a list of hamel.Heightfield");
    *kept = PyList_New(0);
    if (!sequence || !*kept) {
        Py_XDECREF(sequence);
        return NULL;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
    hml_heightfield *fields = PyMem_Calloc((size_t)n + 1, sizeof *fields);
    int failed = !fields;
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        PyObject *given = PySequence_Fast_GET_ITEM(sequence, i), *heights = PyObject_GetAttrString(given, "heights");
        hml_heightfield *f = &fields[i];
        const npy_intp three = 3, two = 2, square[2] = {3, 3};
        PyObject *array = heights ? PyArray_FROMANY(heights, NPY_DOUBLE, 2, 2, NPY_ARRAY_IN_ARRAY) : NULL;
        Py_XDECREF(heights);
        failed = !array || PyList_Append(*kept, array) || attribute_numbers(given, "spacing", 1, &two, f->spacing) ||
                 attribute_numbers(given, "position", 1, &three, f->position) ||
                 attribute_numbers(given, "rotation", 2, square, f->rotation) ||
                 attribute_numbers(given, "friction", 0, NULL, &f->friction) ||
                 attribute_numbers(given, "restitution", 0, NULL, &f->restitution);
        if (!failed) {
            f->heights = PyArray_DATA((PyArrayObject *)array);
            f->rows = PyArray_DIM((PyArrayObject *)array, 0) > INT32_MAX
                          ? INT32_MAX
                          : (int32_t)PyArray_DIM((PyArrayObject *)array, 0);
            f->columns = PyArray_DIM((PyArrayObject *)array, 1) > INT32_MAX
                             ? INT32_MAX
                             : (int32_t)PyArray_DIM((PyArrayObject *)array, 1);
        }
        Py_XDECREF(array);
    }
    Py_DECREF(sequence);
    *count = (int32_t)n;
    if (!failed) return fields;
    PyMem_Free(fields);
    return NULL;
}

/* ---- life ---- */

static int make(contact_object *self, const hml_contact_settings *settings)
{
    size_t size = hml_contact_size(self->model->model, settings);
    if (!size) {
        raise_status(HML_INVALID_ARGUMENT, "the settings of contact");
        return -1;
    }
    self->memory = PyMem_Malloc(size);
    hml_status status = HML_OUT_OF_MEMORY;
    if (self->memory) status = hml_contact_init(self->memory, size, self->model->model, settings, &self->contact);
    if (status) raise_status(status, NULL);
    return status ? -1 : 0;
}

static PyObject *contact_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"model",   "planes",       "limits", "pairs",     "joint_friction", "max_contacts",
                            "slop",    "correction",   "bounce", "tolerance", "iterations",     "strict",
                            "balance", "heightfields", "loops",  NULL};
    PyObject *model, *planes, *friction = Py_None, *fields = NULL, *kept = NULL;
    int limits = 1, pairs = 0, strict = 0, balance = 0, loops = 1;
    hml_contact_settings s = {.struct_size = sizeof s};
    if (!parse_arguments(arguments, names, "O!O|$ppOiddddippOp", words, &model_type, &model, &planes, &limits, &pairs,
                         &friction, &s.max_contacts, &s.slop, &s.correction, &s.bounce, &s.tolerance, &s.iterations,
                         &strict, &balance, &fields, &loops)) {
        return NULL;
    }
    npy_intp nv = hml_model_nv(((model_object *)model)->model);
    PyArrayObject *f = friction == Py_None ? NULL : array_shaped(friction, "joint_friction", 1, &nv);
    if (friction != Py_None && !f) return NULL;
    s.joint_friction = f ? PyArray_DATA(f) : NULL;
    s.options = (limits ? 0u : HML_CONTACT_NO_LIMITS) | (pairs ? HML_CONTACT_PAIRS : 0u);
    if (strict) s.options |= HML_CONTACT_STRICT;
    if (balance) s.options |= HML_CONTACT_BALANCE;
    if (!loops) s.options |= HML_CONTACT_OPEN_LOOPS;
    hml_plane *read = read_planes(planes, &s.nplanes);
    s.planes = read;
    hml_heightfield *grids = read && fields ? read_heightfields(fields, &s.nheightfields, &kept) : NULL;
    s.heightfields = grids;
    contact_object *self = read && (grids || !fields) ? (contact_object *)type->tp_alloc(type, 0) : NULL;
    if (self) {
        self->model = (model_object *)Py_NewRef(model);
        if (make(self, &s)) Py_CLEAR(self);
    }
    PyMem_Free(read);
    PyMem_Free(grids);
    Py_XDECREF(kept);
    Py_XDECREF(f);
    return (PyObject *)self;
}

static void dealloc(contact_object *self)
{
    PyMem_Free(self->memory);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* ---- stepping ---- */

static PyObject *step_answer(PyArrayObject *q, PyArrayObject *v, PyArrayObject *torque, const hml_contact_result *r)
{
    PyObject *answer = PyStructSequence_New(step_type);
    if (!answer) return NULL;
    PyStructSequence_SetItem(answer, 0, Py_NewRef((PyObject *)q));
    PyStructSequence_SetItem(answer, 1, Py_NewRef((PyObject *)v));
    PyStructSequence_SetItem(answer, 2, PyLong_FromLong(r->contacts));
    PyStructSequence_SetItem(answer, 3, PyLong_FromLong(r->limits));
    PyStructSequence_SetItem(answer, 4, PyLong_FromLong(r->bounces));
    PyStructSequence_SetItem(answer, 5, PyLong_FromLong(r->iterations));
    PyStructSequence_SetItem(answer, 6, PyBool_FromLong(r->relaxed));
    PyStructSequence_SetItem(answer, 7, PyBool_FromLong(r->massless));
    PyStructSequence_SetItem(answer, 8, PyLong_FromLong(r->substeps));
    PyStructSequence_SetItem(answer, 9, PyLong_FromLong(r->left_out));
    PyStructSequence_SetItem(answer, 10, PyFloat_FromDouble(r->residual));
    PyStructSequence_SetItem(answer, 11, PyFloat_FromDouble(r->penetration));
    PyStructSequence_SetItem(answer, 12, PyFloat_FromDouble(r->work));
    PyStructSequence_SetItem(answer, 13, PyFloat_FromDouble(r->removed));
    PyStructSequence_SetItem(answer, 14, Py_NewRef((PyObject *)torque));
    return answer;
}

static hml_status run(contact_object *self, const hml_contact_motion *motion)
{
    hml_status status = HML_OUT_OF_MEMORY;
    Py_BEGIN_ALLOW_THREADS workspace *space = workspace_take(self->model);
    if (space) {
        status = hml_contact_step(self->model->model, space->work, self->contact, motion);
        workspace_give(self->model, space);
    }
    Py_END_ALLOW_THREADS return status;
}

static PyObject *step(contact_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"q", "v", "h", "tau", "wrenches", "inputs", NULL};
    PyObject *given[5] = {NULL, NULL, Py_None, Py_None, Py_None};
    double h;
    if (!parse_arguments(arguments, names, "OOd|OOO", words, &given[0], &given[1], &h, &given[2], &given[3],
                         &given[4])) {
        return NULL;
    }
    const hml_model *model = self->model->model;
    npy_intp nq = hml_model_nq(model), nv = hml_model_nv(model), bodies[2] = {hml_model_nbodies(model), 6};
    npy_intp nu = hml_model_nactuators(model);
    const npy_intp *dims[5] = {&nq, &nv, &nv, bodies, &nu};
    static const char *const NAMES[5] = {"q", "v", "tau", "wrenches", "inputs"};
    PyArrayObject *in[5] = {NULL};
    PyObject *answer = NULL;
    int failed = 0;
    for (int i = 0; i < 5 && !failed; i++) {
        if (given[i] == Py_None && i >= 2) continue; /* only these may be left out */
        in[i] = array_shaped(given[i], NAMES[i], i == 3 ? 2 : 1, dims[i]);
        failed = !in[i];
    }
    PyArrayObject *q = (PyArrayObject *)PyArray_SimpleNew(1, &nq, NPY_DOUBLE);
    PyArrayObject *v = (PyArrayObject *)PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
    PyArrayObject *torque = (PyArrayObject *)PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
    if (self->busy) PyErr_SetString(PyExc_RuntimeError, "another thread steps this contact");
    if (!failed && q && v && torque && in[0] && in[1] && !self->busy) {
        hml_contact_result result = {.struct_size = sizeof result};
        hml_contact_motion motion = {.struct_size = sizeof motion,
                                     .h = h,
                                     .q = PyArray_DATA(in[0]),
                                     .v = PyArray_DATA(in[1]),
                                     .tau = in[2] ? PyArray_DATA(in[2]) : NULL,
                                     .wrenches = in[3] ? PyArray_DATA(in[3]) : NULL,
                                     .q_next = PyArray_DATA(q),
                                     .v_next = PyArray_DATA(v),
                                     .result = &result,
                                     .torque = PyArray_DATA(torque),
                                     .inputs = in[4] ? PyArray_DATA(in[4]) : NULL};
        self->busy = 1;
        hml_status status = run(self, &motion);
        self->busy = 0;
        if (status)
            raise_status(status, h > 0 ? NULL : "the step h is not a positive time");
        else
            answer = step_answer(q, v, torque, &result);
    }
    for (int i = 0; i < 5; i++) Py_XDECREF(in[i]);
    Py_XDECREF(q);
    Py_XDECREF(v);
    Py_XDECREF(torque);
    return answer;
}

static hml_status run_linearize(contact_object *self, double *scratch, PyObject *A, PyObject *B)
{
    hml_status status = HML_OUT_OF_MEMORY;
    Py_BEGIN_ALLOW_THREADS workspace *space = workspace_take(self->model);
    if (space) {
        status = hml_contact_linearize(self->model->model, space->work, self->contact, scratch,
                                       PyArray_DATA((PyArrayObject *)A), PyArray_DATA((PyArrayObject *)B));
        workspace_give(self->model, space);
    }
    Py_END_ALLOW_THREADS return status;
}

static PyObject *linearize(contact_object *self, PyObject *none)
{
    const npy_intp n = hml_model_nv(self->model->model), square[] = {2 * n, 2 * n}, tall[] = {2 * n, n};
    (void)none;
    if (self->busy) return PyErr_SetString(PyExc_RuntimeError, "another thread steps this contact"), NULL;
    double *scratch = PyMem_Malloc(hml_contact_linearize_scratch_doubles(self->contact) * sizeof *scratch);
    if (!scratch) return PyErr_NoMemory();
    PyObject *A = PyArray_SimpleNew(2, square, NPY_DOUBLE), *B = PyArray_SimpleNew(2, tall, NPY_DOUBLE), *result = NULL;
    if (A && B) {
        self->busy = 1;
        const hml_status status = run_linearize(self, scratch, A, B);
        self->busy = 0;
        if (status)
            raise_status(status, status == HML_INVALID_ARGUMENT ? "there was no step to linearize" : NULL);
        else
            result = PyTuple_Pack(2, A, B);
    }
    PyMem_Free(scratch);
    Py_XDECREF(A);
    Py_XDECREF(B);
    return result;
}

static PyObject *wrap_point(const hml_contact_point *p)
{
    npy_intp three = 3;
    PyObject *one = PyStructSequence_New(point_type);
    if (!one) return NULL;
    PyStructSequence_SetItem(one, 0, PyLong_FromLong(p->shape));
    PyStructSequence_SetItem(one, 1, PyLong_FromLong(p->other));
    PyStructSequence_SetItem(one, 2, array_copy(1, &three, p->position));
    PyStructSequence_SetItem(one, 3, array_copy(1, &three, p->normal));
    PyStructSequence_SetItem(one, 4, PyFloat_FromDouble(p->gap));
    PyStructSequence_SetItem(one, 5, array_copy(1, &three, p->impulse));
    return one;
}

static PyObject *points(contact_object *self, PyObject *none)
{
    (void)none;
    int32_t n = hml_contact_count(self->contact);
    PyObject *list = PyTuple_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        hml_contact_point p;
        PyObject *one = hml_contact_get(self->contact, i, &p) ? NULL : wrap_point(&p);
        if (!one) {
            Py_CLEAR(list);
            break;
        }
        PyTuple_SET_ITEM(list, i, one);
    }
    return list;
}

/* ---- where to start ---- */

/* the lowest point at q where `point` is given, otherwise q is changed so that it is `height` over the plane */
static int start_at(contact_object *self, PyArrayObject *q, int plane, double height, hml_contact_point *point)
{
    hml_status status = HML_OUT_OF_MEMORY;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread steps this contact");
        return -1;
    }
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS workspace *space = workspace_take(self->model);
    if (space) {
        double *data = PyArray_DATA(q);
        const hml_model *model = self->model->model;
        status = point ? hml_contact_lowest(model, space->work, self->contact, data, plane, point)
                       : hml_contact_place(model, space->work, self->contact, plane, height, data);
        workspace_give(self->model, space);
    }
    Py_END_ALLOW_THREADS self->busy = 0;
    if (status == HML_INVALID_ARGUMENT)
        raise_status(status, "there is no plane with this number");
    else if (status == HML_UNSUPPORTED)
        raise_status(status, "no joint on the world can move the robot, or none of its shapes is over the plane");
    else if (status)
        raise_status(status, NULL);
    return status ? -1 : 0;
}

static PyObject *lowest(contact_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"q", "plane", NULL};
    PyObject *given;
    int plane = 0;
    if (!parse_arguments(arguments, names, "O|i", words, &given, &plane)) return NULL;
    npy_intp nq = hml_model_nq(self->model->model);
    PyArrayObject *q = array_shaped(given, "q", 1, &nq);
    hml_contact_point point;
    PyObject *answer = q && !start_at(self, q, plane, 0, &point) ? wrap_point(&point) : NULL;
    Py_XDECREF(q);
    return answer;
}

static PyObject *place(contact_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"q", "height", "plane", NULL};
    PyObject *given;
    double height = 0;
    int plane = 0;
    if (!parse_arguments(arguments, names, "O|di", words, &given, &height, &plane)) return NULL;
    npy_intp nq = hml_model_nq(self->model->model);
    PyArrayObject *q = array_shaped(given, "q", 1, &nq);
    PyObject *moved = q ? array_copy(1, &nq, PyArray_DATA(q)) : NULL;
    Py_XDECREF(q);
    if (moved && start_at(self, (PyArrayObject *)moved, plane, height, NULL)) Py_CLEAR(moved);
    return moved;
}

static PyObject *set_servo(contact_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"target", "stiffness", "damping", NULL};
    PyObject *given[3] = {Py_None, Py_None, Py_None};
    if (!parse_arguments(arguments, names, "|OOO", words, &given[0], &given[1], &given[2])) return NULL;
    const hml_model *model = self->model->model;
    npy_intp nq = hml_model_nq(model), nv = hml_model_nv(model);
    const npy_intp *dims[3] = {&nq, &nv, &nv};
    PyArrayObject *in[3] = {NULL};
    const double *data[3] = {NULL};
    int failed = 0;
    for (int i = 0; i < 3 && !failed; i++) {
        if (given[i] == Py_None) continue;
        in[i] = array_shaped(given[i], words[i], 1, dims[i]);
        failed = !in[i];
        if (in[i]) data[i] = PyArray_DATA(in[i]);
    }
    if (!failed && self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread steps this contact");
        failed = 1;
    }
    hml_status status = failed ? HML_OK : hml_contact_set_servo(self->contact, data[0], data[1], data[2]);
    if (status) raise_status(status, NULL);
    for (int i = 0; i < 3; i++) Py_XDECREF(in[i]);
    if (failed || status) return NULL;
    Py_RETURN_NONE;
}

static PyObject *exclude(contact_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"q", NULL};
    PyObject *given;
    int32_t count = 0;
    if (!parse_arguments(arguments, names, "O", words, &given)) return NULL;
    npy_intp nq = hml_model_nq(self->model->model);
    PyArrayObject *q = array_shaped(given, "q", 1, &nq);
    if (!q) return NULL;
    workspace *space = self->busy ? NULL : workspace_take(self->model);
    hml_status status = HML_OUT_OF_MEMORY;
    if (space) {
        status = hml_contact_exclude(self->model->model, space->work, self->contact, PyArray_DATA(q), &count);
        workspace_give(self->model, space);
    }
    if (self->busy)
        PyErr_SetString(PyExc_RuntimeError, "another thread steps this contact");
    else if (status)
        raise_status(status, NULL);
    Py_DECREF(q);
    return status ? NULL : PyLong_FromLong(count);
}

static PyObject *forget(contact_object *self, PyObject *none)
{
    (void)none;
    hml_contact_forget(self->contact);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"step", (PyCFunction)(void (*)(void))step, METH_VARARGS | METH_KEYWORDS,
     "step($self, q, v, h, tau=None, wrenches=None, inputs=None)\n--\n\n"
     "M (u⁺ − u) = h f + Jᵀ P with 0 <= P_n ⊥ w_n⁺ >= 0 and |P_t| <= μ P_n: one step of length h. Returns q and v "
     "after it,\n"
     "how many contacts and limits were in force, by how much the laws are violated, and the mean forces of the "
     "joints."},
    {"linearize", (PyCFunction)linearize, METH_NOARGS,
     "linearize($self, /)\n--\n\n(Ad, Bd), the exact derivatives of the last step by q, v and tau, while everything "
     "that "
     "touches goes on\nas it does: contacts are open, stick or slide, limits carry or not."},
    {"points", (PyCFunction)points, METH_NOARGS,
     "points($self, /)\n--\n\nWhat touched in the last step: shape, other (−1 − ground), position, normal, gap, "
     "impulse."},
    {"lowest", (PyCFunction)(void (*)(void))lowest, METH_VARARGS | METH_KEYWORDS,
     "lowest($self, q, plane=0)\n--\n\n"
     "The point of all shapes that lies lowest over a plane at q, as points() describes it; its gap is negative below "
     "the plane.\nWithout shapes over the plane shape is -1 and gap infinite. Grids of heights are counted after the "
     "planes: their gap is the way straight down."},
    {"place", (PyCFunction)(void (*)(void))place, METH_VARARGS | METH_KEYWORDS,
     "place($self, q, height=0.0, plane=0)\n--\n\n"
     "q with the robot moved along the plane's normal until its lowest point is height over the plane."},
    {"exclude", (PyCFunction)(void (*)(void))exclude, METH_VARARGS | METH_KEYWORDS,
     "exclude($self, q)\n--\n\n"
     "With pairs=True: pairs of shapes that touch each other at q do not do so any more. Returns how many were left "
     "out."},
    {"set_servo", (PyCFunction)(void (*)(void))set_servo, METH_VARARGS | METH_KEYWORDS,
     "set_servo($self, target=None, stiffness=None, damping=None)\n--\n\n"
     "A servo -stiffness·(q ⊖ target) - damping·ν in all steps from now on, taken at the end of each step: no gain is "
     "too high.\nWithout a target there is none any more."},
    {"forget", (PyCFunction)forget, METH_NOARGS, "forget($self, /)\n--\n\nForgets the impulses of the last step."},
    {NULL, NULL, 0, NULL},
};

static PyObject *get_balance(contact_object *self, void *closure)
{
    (void)closure;
    hml_balance b = {.struct_size = sizeof b};
    if (!hml_contact_get_balance(self->contact, &b)) return wrap_balance(&b);
    raise_status(HML_INVALID_ARGUMENT, "the books are not kept: Contact(…, balance=True)");
    return NULL;
}

static PyObject *get_memory(contact_object *self, void *closure)
{
    (void)closure;
    npy_intp n = (npy_intp)hml_contact_memory_doubles(self->contact);
    PyObject *memory = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    if (memory) hml_contact_get_memory(self->contact, PyArray_DATA((PyArrayObject *)memory));
    return memory;
}

static int set_memory(contact_object *self, PyObject *given, void *closure)
{
    (void)closure;
    if (!given || self->busy) {
        PyErr_SetString(PyExc_RuntimeError, given ? "another thread steps this contact" : "memory cannot be deleted");
        return -1;
    }
    npy_intp n = (npy_intp)hml_contact_memory_doubles(self->contact);
    PyArrayObject *memory = array_shaped(given, "memory", 1, &n);
    if (!memory) return -1;
    hml_status status = hml_contact_set_memory(self->contact, PyArray_DATA(memory));
    Py_DECREF(memory);
    if (status) raise_status(status, "this is not the memory of such a contact");
    return status ? -1 : 0;
}

static PyGetSetDef getset[] = {
    {"memory", (getter)get_memory, (setter)set_memory,
     "Impulses of the last step, from which the next one starts: saved with q and v and set again, a motion goes on "
     "with "
     "the same bits.",
     NULL},
    {"balance", (getter)get_balance, NULL,
     "What forces and contacts have put into the robot and taken out of it in all steps; with balance=True.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject contact_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "hamel.Contact",
    .tp_basicsize = sizeof(contact_object),
    .tp_new = contact_new,
    .tp_dealloc = (destructor)dealloc,
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "Contact(model, planes, *, limits=True, pairs=False, joint_friction=None, max_contacts=0, slop=0.0, "
        "correction=0.0, bounce=0.0, tolerance=0.0, iterations=0, strict=False, balance=False, heightfields=(), "
        "loops=True)\n--\n\n"
        "Contact of a robot's shapes with planes (hamel.Plane) and grids of heights (hamel.Heightfield), with Coulomb "
        "friction, by time stepping.\n\n"
        "limits: joint limits are kept; pairs: shapes of the robot touch each other; strict: a step whose laws "
        "are not met"
        "\nfails instead of being `relaxed`; balance: the books of energy and momentum are kept; loops: those of the "
        "model are kept. Zeros take their defaults.",
};

/* ---- shapes ---- */

PyObject *model_shapes(const hml_model *model)
{
    npy_intp three = 3, square[2] = {3, 3};
    int32_t n = hml_model_nshapes(model);
    PyObject *list = PyTuple_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        hml_shape s;
        PyObject *one = hml_model_shape(model, i, &s) ? NULL : PyStructSequence_New(shape_type);
        if (!one) {
            Py_CLEAR(list);
            break;
        }
        npy_intp sizes = hml_shape_kind_sizes(s.kind);
        PyStructSequence_SetItem(one, 0, PyLong_FromLong(s.frame));
        PyStructSequence_SetItem(one, 1, PyUnicode_FromString(hml_shape_kind_name(s.kind)));
        PyStructSequence_SetItem(one, 2, array_copy(1, &sizes, s.size));
        PyStructSequence_SetItem(one, 3, array_copy(1, &three, s.position));
        PyStructSequence_SetItem(one, 4, array_copy(2, square, s.rotation));
        PyStructSequence_SetItem(one, 5, PyFloat_FromDouble(s.friction));
        PyStructSequence_SetItem(one, 6, PyFloat_FromDouble(s.restitution));
        npy_intp points[2] = {s.nvertices, 3};
        PyStructSequence_SetItem(one, 7, array_copy(2, points, s.nvertices ? s.vertices : s.size));
        PyStructSequence_SetItem(one, 8, PyLong_FromUnsignedLong(s.contype));
        PyStructSequence_SetItem(one, 9, PyLong_FromUnsignedLong(s.conaffinity));
        PyTuple_SET_ITEM(list, i, one);
    }
    return list;
}

/* pairs of names of bodies; None: the world */
PyObject *model_exclusions(const hml_model *model)
{
    const int32_t n = hml_model_nexclusions(model);
    PyObject *list = PyTuple_New(n);
    for (int32_t i = 0; list && i < n; i++) {
        int32_t bodies[2];
        const char *names[2] = {NULL, NULL};
        hml_body_info info = {.struct_size = sizeof info};
        hml_model_exclusion(model, i, bodies);
        for (int k = 0; k < 2; k++)
            if (bodies[k] >= 0 && !hml_model_body(model, bodies[k], &info)) names[k] = info.name;
        PyObject *pair = Py_BuildValue("(zz)", names[0], names[1]);
        if (pair)
            PyTuple_SET_ITEM(list, i, pair);
        else
            Py_CLEAR(list);
    }
    return list;
}

int contact_ready(PyObject *module)
{
    static const char *const STEP[] = {"q",       "v",        "contacts", "limits",   "bounces",  "iterations",
                                       "relaxed", "massless", "substeps", "left_out", "residual", "penetration",
                                       "work",    "removed",  "torque",   NULL};
    static const char *const POINT[] = {"shape", "other", "position", "normal", "gap", "impulse", NULL};
    static const char *const SHAPE[] = {"frame",       "kind",     "size",    "position",    "rotation", "friction",
                                        "restitution", "vertices", "contype", "conaffinity", NULL};
    step_type = record_type(module, "hamel._core.ContactStep", "What Contact.step did.", STEP);
    point_type = record_type(module, "hamel._core.ContactPoint", "What touched.", POINT);
    shape_type = record_type(
        module, "hamel._core.Shape",
        "A collision shape: point, sphere, box, capsule, cylinder or hull, and its placement in a frame.", SHAPE);
    if (!step_type || !point_type || !shape_type || PyType_Ready(&contact_type) < 0) return -1;
    Py_INCREF(&contact_type);
    return PyModule_AddObject(module, "Contact", (PyObject *)&contact_type);
}
