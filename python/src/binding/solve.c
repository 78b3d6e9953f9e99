/* What iterates or counts: inverse kinematics, base parameters, singular coordinates, the tree of coordinates; and
 * robots for the reference tables (hamel/reference/bos.h). */
#include <string.h>

#include "objects.h"

/* ---- inverse kinematics ---- */

/* (frame, pose) or (frame, pose, {reference, position, rotation}) */
static int read_target(const hml_model *model, PyObject *object, hml_ik_target *target)
{
    PyObject *frame, *pose, *options = NULL;
    npy_intp dims[2] = {4, 4};
    *target = (hml_ik_target){.reference = HML_WORLD, .position = 1, .rotation = 1};
    if (!PyTuple_Check(object) || !PyArg_ParseTuple(object, "OO|O!", &frame, &pose, &PyDict_Type, &options)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a target is a tuple (frame, pose) or (frame, pose, options)");
        return -1;
    }
    target->frame = find_frame(model, frame, 0);
    if (target->frame == INT32_MIN) return -1;
    PyArrayObject *H = array_shaped(pose, "pose", 2, dims);
    if (!H) return -1;
    memcpy(target->pose, PyArray_DATA(H), sizeof target->pose);
    Py_DECREF(H);
    PyObject *reference = options ? PyDict_GetItemString(options, "reference") : NULL;
    PyObject *position = options ? PyDict_GetItemString(options, "position") : NULL;
    PyObject *rotation = options ? PyDict_GetItemString(options, "rotation") : NULL;
    if (reference && reference != Py_None) target->reference = find_frame(model, reference, 1);
    if (position) target->position = PyFloat_AsDouble(position);
    if (rotation) target->rotation = PyFloat_AsDouble(rotation);
    return PyErr_Occurred() ? -1 : 0;
}

static PyTypeObject *ik_type;

static PyObject *ik_answer(PyArrayObject *q, const hml_ik_result *result, hml_status status)
{
    PyObject *answer = PyStructSequence_New(ik_type);
    if (!answer) return NULL;
    PyStructSequence_SetItem(answer, 0, Py_NewRef((PyObject *)q));
    PyStructSequence_SetItem(answer, 1, PyBool_FromLong(status == HML_OK));
    PyStructSequence_SetItem(answer, 2, PyFloat_FromDouble(result->error));
    PyStructSequence_SetItem(answer, 3, PyLong_FromLong(result->iterations));
    PyStructSequence_SetItem(answer, 4, PyLong_FromLong(result->attempts));
    PyStructSequence_SetItem(answer, 5, PyBool_FromLong(result->stationary));
    return answer;
}

static hml_status solve(model_object *self, const hml_ik_problem *problem, double *q, hml_ik_result *result)
{
    hml_status status = HML_OUT_OF_MEMORY;
    Py_BEGIN_ALLOW_THREADS workspace *space = workspace_take(self);
    double *memory = malloc((hml_ik_scratch_doubles(self->model) + 1) * sizeof *memory);
    if (space && memory) status = hml_inverse_kinematics(self->model, space->work, problem, memory, q, result);
    free(memory);
    if (space) workspace_give(self, space);
    Py_END_ALLOW_THREADS return status;
}

/* coordinates that stay, as nv marks; None: none does */
static int read_locked(const hml_model *model, PyObject *object, int *marks)
{
    npy_intp nv = hml_model_nv(model);
    PyArrayObject *array =
        (PyArrayObject *)PyArray_FROM_OTF(object, NPY_BOOL, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
    if (!array) return -1;
    int ok = PyArray_NDIM(array) == 1 && PyArray_DIM(array, 0) == nv;
    for (npy_intp i = 0; ok && i < nv; i++) marks[i] = ((npy_bool *)PyArray_DATA(array))[i];
    if (!ok)
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "locked is one mark a coordinate, %zd of them",
                     (Py_ssize_t)nv);
    Py_DECREF(array);
    return ok ? 0 : -1;
}

/* the tasks of the whole robot: com and momentum go to wanted, 3 and 6 */
static int read_whole(PyObject *com, PyObject *momentum, PyObject *weights, double *wanted, hml_ik_problem *problem)
{
    static const char *const names[] = {"com", "momentum", "momentum_weight"};
    PyObject *const given[] = {com, momentum, weights};
    double *const places[] = {wanted, wanted + 3, problem->momentum_weight};
    const npy_intp sizes[] = {3, 6, 2};
    for (int i = 0; i < 3; i++) {
        if (given[i] == Py_None) continue;
        PyArrayObject *array = array_shaped(given[i], names[i], 1, &sizes[i]);
        if (!array) return -1;
        memcpy(places[i], PyArray_DATA(array), (size_t)sizes[i] * sizeof(double));
        Py_DECREF(array);
    }
    if (com != Py_None) problem->com = wanted;
    if (momentum != Py_None) problem->momentum = wanted + 3;
    return 0;
}

static PyObject *inverse_kinematics(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"targets", "q",   "locked",     "ignore_limits", "iterations",      "attempts", "tolerance",
                            "seed",    "com", "com_weight", "momentum",      "momentum_weight", "duration", NULL};
    hml_ik_problem problem = {.struct_size = sizeof problem};
    hml_ik_result result = {.struct_size = sizeof result};
    PyObject *targets, *start = Py_None, *locked = Py_None, *answer = NULL;
    PyObject *com = Py_None, *momentum = Py_None, *weights = Py_None;
    double wanted[9];
    unsigned long long seed = 0;
    if (!parse_arguments(arguments, names, "O|O$OpiidKOdOOd", words, &targets, &start, &locked, &problem.ignore_limits,
                         &problem.iterations, &problem.attempts, &problem.tolerance, &seed, &com, &problem.com_weight,
                         &momentum, &weights, &problem.duration) ||
        read_whole(com, momentum, weights, wanted, &problem)) {
        return NULL;
    }
    problem.seed = seed;
    npy_intp nq = hml_model_nq(self->model);
    PyArrayObject *given = start == Py_None ? NULL : array_shaped(start, "q", 1, &nq);
    if (start != Py_None && !given) return NULL;
    PyArrayObject *q = (PyArrayObject *)PyArray_SimpleNew(1, &nq, NPY_DOUBLE);
    PyObject *list = PySequence_Fast(targets, "targets is a list of (frame, pose)");
    Py_ssize_t n = list ? PySequence_Fast_GET_SIZE(list) : 0;
    hml_ik_target *read = PyMem_Calloc((size_t)n + 1, sizeof *read);
    int *marks = PyMem_Calloc((size_t)hml_model_nv(self->model) + 1, sizeof *marks);
    int failed = !q || !list || !read || !marks;
    if (!failed && given) memcpy(PyArray_DATA(q), PyArray_DATA(given), (size_t)nq * sizeof(double));
    if (!failed && !given) failed = hml_configuration_neutral(self->model, PyArray_DATA(q)) != HML_OK;
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        failed = read_target(self->model, PySequence_Fast_GET_ITEM(list, i), &read[i]);
    }
    if (!failed && locked != Py_None) {
        failed = read_locked(self->model, locked, marks);
        problem.locked = marks;
    }
    if (!failed) {
        problem.ntargets = (int32_t)n;
        problem.targets = read;
        hml_status status = solve(self, &problem, PyArray_DATA(q), &result);
        if (status == HML_OK || status == HML_NOT_CONVERGED)
            answer = ik_answer(q, &result, status);
        else
            raise_status(status, NULL);
    }
    PyMem_Free(marks);
    PyMem_Free(read);
    Py_XDECREF(list);
    Py_XDECREF(q);
    Py_XDECREF(given);
    return answer;
}

/* ---- marks ---- */

static PyObject *marks_of(const int *marks, npy_intp n)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_BOOL);
    for (npy_intp i = 0; array && i < n; i++) ((npy_bool *)PyArray_DATA(array))[i] = marks[i] != 0;
    return (PyObject *)array;
}

static PyObject *base_parameters(model_object *self, PyObject *arguments)
{
    unsigned long long seed = 1;
    if (!PyArg_ParseTuple(arguments, "|K", &seed)) return NULL;
    const hml_model *model = self->model;
    npy_intp n = HML_INERTIA_PARAMETERS * (npy_intp)hml_model_nbodies(model);
    int *marks = PyMem_Calloc((size_t)n + 1, sizeof *marks);
    void *scratch = PyMem_Malloc(hml_base_parameters_size(model) + sizeof(double));
    hml_status status = HML_OUT_OF_MEMORY;
    if (marks && scratch) {
        hml_rng rng;
        int32_t count;
        hml_rng_seed(&rng, seed);
        status = hml_base_parameters(model, scratch, &rng, marks, &count);
    }
    PyObject *result = status ? NULL : marks_of(marks, n);
    if (status) raise_status(status, NULL);
    PyMem_Free(scratch);
    PyMem_Free(marks);
    return result;
}

static PyObject *singular_coordinates(model_object *self, PyObject *object)
{
    npy_intp nq = hml_model_nq(self->model), nv = hml_model_nv(self->model);
    PyArrayObject *q = array_shaped(object, "q", 1, &nq);
    if (!q) return NULL;
    int *marks = PyMem_Calloc((size_t)nv + 1, sizeof *marks);
    workspace *space = workspace_take(self);
    hml_status status = HML_OUT_OF_MEMORY;
    if (marks && space) status = hml_singular_coordinates(self->model, space->work, PyArray_DATA(q), marks);
    if (space) workspace_give(self, space);
    PyObject *result = status ? NULL : marks_of(marks, nv);
    if (status) raise_status(status, NULL);
    PyMem_Free(marks);
    Py_DECREF(q);
    return result;
}

static PyObject *coordinate_parents(model_object *self, PyObject *none)
{
    (void)none;
    npy_intp nv = hml_model_nv(self->model);
    PyArrayObject *parents = (PyArrayObject *)PyArray_SimpleNew(1, &nv, NPY_INT32);
    hml_status status = parents ? hml_coordinate_parents(self->model, PyArray_DATA(parents)) : HML_OK;
    if (!status) return (PyObject *)parents;
    Py_DECREF(parents);
    raise_status(status, NULL);
    return NULL;
}

/* where a joint's numbers lie in another program's q and v */
static PyObject *layout_joint(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"joint", "layout", "options", NULL};
    int joint;
    unsigned options = 0;
    const char *name = "pinocchio";
    hml_layout layout;
    hml_layout_place place;
    if (!parse_arguments(arguments, names, "i|sI", words, &joint, &name, &options)) return NULL;
    hml_status status = hml_layout_from_name(name, &layout);
    if (!status) status = hml_layout_joint(self->model, layout, options, joint, &place);
    if (!status) {
        return Py_BuildValue("iiiii", (int)place.q, (int)place.nq, (int)place.v, (int)place.nv, (int)place.w);
    }
    raise_status(status, "layout_joint");
    return NULL;
}

/* ---- robots for the tables of Bos ---- */

static PyObject *reference_check(model_object *self, PyObject *none)
{
    (void)none;
    hml_error error = {0};
    if (!hml_reference_check(self->model, &error)) Py_RETURN_NONE;
    raise_error(&error);
    return NULL;
}

static PyObject *reference_model(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"mass", "com", "moment", NULL};
    hml_inertia_spec base = {0};
    PyObject *given[2] = {Py_None, Py_None};
    npy_intp dims[2] = {3, 3};
    if (!parse_arguments(arguments, names, "|dOO", words, &base.mass, &given[0], &given[1])) return NULL;
    for (int i = 0; i < 2; i++) {
        if (given[i] == Py_None) continue;
        PyArrayObject *array = array_shaped(given[i], words[1 + i], 1 + i, dims);
        if (!array) return NULL;
        memcpy(i ? base.moment : base.com, PyArray_DATA(array), (i ? 9 : 3) * sizeof(double));
        Py_DECREF(array);
    }
    hml_model *model = NULL;
    hml_error error = {0};
    hml_status status = hml_reference_model(self->model, base.mass != 0 ? &base : NULL, &model, &error);
    return model_or_error(status, model, &error);
}

PyMethodDef solve_methods[] = {
    {"reference_check", (PyCFunction)reference_check, METH_NOARGS,
     "reference_check($self, /)\n--\n\nRaises UnsupportedError with the reason if the tables of Bos do not know such a "
     "robot."},
    {"reference_model", (PyCFunction)(void (*)(void))reference_model, METH_VARARGS | METH_KEYWORDS,
     "reference_model($self, mass=0.0, com=None, moment=None)\n--\n\n"
     "The nearest robot that the tables of Bos know: without armature, damping, springs and followers; joints of "
     "several\n"
     "coordinates are chains of joints of one; a robot that stands on the world stands on a free base, which is what "
     "was\n"
     "fixed to the world, and a body of this mass, centre of mass (3) and moment about it (3, 3) on top of it."},
    {"layout_joint", (PyCFunction)(void (*)(void))layout_joint, METH_VARARGS | METH_KEYWORDS,
     "layout_joint($self, joint, layout='pinocchio', options=0)\n--\n\n(q, nq, v, nv, w): where joint number `joint` "
     "lies in "
     "another program's numbers; w: RBDL's index of a quaternion's w, else −1."},
    {"inverse_kinematics", (PyCFunction)(void (*)(void))inverse_kinematics, METH_VARARGS | METH_KEYWORDS,
     "inverse_kinematics($self, targets, q=None, *, locked=None, ignore_limits=False, iterations=0, attempts=0, "
     "tolerance=0.0, seed=0, com=None, com_weight=0.0, momentum=None, momentum_weight=None, duration=0.0)\n--\n\n"
     "A configuration that brings frames to poses: damped least squares on the group, within the limits.\n\n"
     "targets: a list of (frame, pose) or (frame, pose, {'reference': frame, 'position': weight, 'rotation': "
     "weight}).\n"
     "q: where to start, neutral if not given. locked: marks of coordinates that stay. Zeros take their defaults (200\n"
     "iterations, 4 attempts, 1e-9, weights and duration 1). The answer says whether it converged; q is the best one\n"
     "found. com: where the centre of mass shall be, (3,). momentum: centroidal, linear, then angular, (6,), of the "
     "way\n"
     "from the start to q in `duration` seconds, at the velocity (q ⊖ start)/duration; momentum_weight: of the linear "
     "and\n"
     "of the angular part, (2,), 0 where it does not matter."},
    {"base_parameters", (PyCFunction)base_parameters, METH_VARARGS,
     "base_parameters($self, seed=1, /)\n--\n\nTrue for the base parameters among the ten a body: (10 nbodies,)."},
    {"singular_coordinates", (PyCFunction)singular_coordinates, METH_O,
     "singular_coordinates($self, q, /)\n--\n\nTrue for the coordinates that make M singular at q: (nv,)."},
    {"coordinate_parents", (PyCFunction)coordinate_parents, METH_NOARGS,
     "coordinate_parents($self, /)\n--\n\nλ: the coordinate before each one on the way to the root, −1 for the first."},
    {NULL, NULL, 0, NULL},
};

int solve_ready(PyObject *module)
{
    static const char *const NAMES[] = {"q", "converged", "error", "iterations", "attempts", "stationary", NULL};
    ik_type = record_type(module, "hamel._core.InverseKinematics", "What Model.inverse_kinematics found.", NAMES);
    return ik_type ? 0 : -1;
}
