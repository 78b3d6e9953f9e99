/* Batches in single precision (hamel/single_precision.h), for hamel/single.py, which makes the arrays. */
#include "objects.h"

#include "hamel/single_precision.h"

enum { INPUTS = 5, OUTPUTS = 6, LINEARIZE = 0, DYNAMICS, POSES, JACOBIANS, KINDS };

typedef struct batch {
    const hml_model *model;
    int kind;
    size_t n;
    hml_input_f32 in[INPUTS]; /* q, v, tau, a, wrenches */
    hml_output_f32 out[OUTPUTS];
    size_t row[OUTPUTS]; /* floats of a state */
    hml_status *status;
} batch;

/* what threads share */
typedef struct job {
    batch whole;
    model_object *object;
    hml_status result[MAX_THREADS];
} job;

/* floats of array k: of every row, or of one row for all of them. −1: an exception */
static int read_array(PyObject *object, int k, npy_intp rows, npy_intp row, int writeable, void **data, size_t *stride)
{
    if (object == Py_None) return 0;
    PyArrayObject *array = (PyArrayObject *)object;
    const int fits = PyArray_Check(object) && PyArray_TYPE(array) == NPY_FLOAT && PyArray_ISCARRAY_RO(array) &&
                     (!writeable || PyArray_ISWRITEABLE(array));
    const npy_intp size = fits ? PyArray_SIZE(array) : -1;
    if (!fits || (size != rows * row && (writeable || size != row))) {
        PyErr_Format(PyExc_ValueError, "array %d is not a contiguous array of float32 with the rows that are wanted",
                     k);
        return -1;
    }
    *data = PyArray_DATA(array);
    *stride = size == rows * row ? (size_t)row : 0;
    return 0;
}

static int read_inputs(batch *b, PyObject *list)
{
    const npy_intp nq = hml_model_nq(b->model), nv = hml_model_nv(b->model), nb = hml_model_nbodies(b->model);
    const npy_intp rows[INPUTS] = {nq, nv, nv, nv, 6 * nb};
    for (int k = 0; k < INPUTS; k++) {
        void *data = NULL;
        if (read_array(PyTuple_GET_ITEM(list, k), k, (npy_intp)b->n, rows[k], 0, &data, &b->in[k].stride)) return -1;
        b->in[k].data = data;
    }
    return 0;
}

static int read_outputs(batch *b, PyObject *list)
{
    const npy_intp nv = hml_model_nv(b->model), nb = hml_model_nbodies(b->model), square = nv * nv;
    const npy_intp rows[KINDS][OUTPUTS] = {{nv, square, square, square, 4 * square, 2 * square},
                                           {nv, nv, square, square, square, square},
                                           {16 * nb, 0, 0, 0, 0, 0},
                                           {16 * nb, 6 * nv, 0, 0, 0, 0}};
    for (int k = 0; k < OUTPUTS; k++) {
        void *data = NULL;
        size_t stride;
        const npy_intp row = rows[b->kind][k];
        if (read_array(PyTuple_GET_ITEM(list, k), INPUTS + k, (npy_intp)b->n, row, 1, &data, &stride)) return -1;
        b->out[k].data = row ? data : NULL;
        b->row[k] = (size_t)row;
    }
    return 0;
}

static hml_status compute(const batch *b, hml_work *work)
{
    const hml_input_f32 *in = b->in;
    const hml_output_f32 *out = b->out;
    const hml_linearization_f32 x = {.struct_size = sizeof x,
                                     .q = in[0],
                                     .v = in[1],
                                     .tau = in[2],
                                     .wrenches = in[4],
                                     .acceleration = out[0],
                                     .Dq = out[1],
                                     .Dv = out[2],
                                     .Minv = out[3],
                                     .A = out[4],
                                     .B = out[5]};
    const hml_dynamics_states_f32 y = {.struct_size = sizeof y,
                                       .q = in[0],
                                       .v = in[1],
                                       .tau = in[2],
                                       .a = in[3],
                                       .wrenches = in[4],
                                       .acceleration = out[0],
                                       .torque = out[1],
                                       .M = out[2],
                                       .Minv = out[3],
                                       .dtau_dq = out[4],
                                       .dtau_dv = out[5]};
    const hml_jacobian_columns_f32 z = {.struct_size = sizeof z, .q = in[0], .H = out[0], .J = out[1]};
    switch (b->kind) {
    case LINEARIZE: return hml_linearize_batch_f32(b->model, work, b->n, &x, b->status);
    case DYNAMICS: return hml_dynamics_batch_f32(b->model, work, b->n, &y, b->status);
    case POSES: return hml_body_poses_batch_f32(b->model, work, b->n, in[0], out[0], b->status);
    default: return hml_all_jacobians_batch_f32(b->model, work, b->n, &z, b->status);
    }
}

static void compute_part(void *user, int thread, npy_intp begin, npy_intp end)
{
    job *j = user;
    batch b = j->whole;
    const size_t first = (size_t)begin;
    for (int k = 0; k < INPUTS; k++)
        if (b.in[k].data) b.in[k].data += first * b.in[k].stride;
    for (int k = 0; k < OUTPUTS; k++)
        if (b.out[k].data) b.out[k].data += first * b.row[k];
    b.status += first;
    b.n = (size_t)(end - begin);
    workspace *space = workspace_take(j->object);
    j->result[thread] = space ? compute(&b, space->work) : HML_OUT_OF_MEMORY;
    if (space) workspace_give(j->object, space);
}

static PyObject *single(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object, *inputs, *outputs, *status, *wanted;
    job j = {.object = NULL};
    batch *b = &j.whole;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(arguments, "O!inO!O!O!O", &model_type, &object, &b->kind, &n, &PyTuple_Type, &inputs,
                          &PyTuple_Type, &outputs, &PyArray_Type, &status, &wanted)) {
        return NULL;
    }
    PyArrayObject *each = (PyArrayObject *)status;
    if (b->kind < 0 || b->kind >= KINDS || n < 0 || PyTuple_GET_SIZE(inputs) != INPUTS ||
        PyTuple_GET_SIZE(outputs) != OUTPUTS || PyArray_TYPE(each) != NPY_INT || !PyArray_ISCARRAY(each) ||
        PyArray_SIZE(each) != n) {
        return PyErr_SetString(PyExc_ValueError, "arguments that hamel.single does not make"), NULL;
    }
    j.object = (model_object *)object;
    b->model = j.object->model;
    b->n = (size_t)n;
    if (read_inputs(b, inputs) || read_outputs(b, outputs)) return NULL;
    b->status = PyArray_DATA(each);
    const int threads = threads_for(wanted, n);
    if (threads < 1) return NULL;
    Py_BEGIN_ALLOW_THREADS in_pieces(threads, n, compute_part, &j);
    Py_END_ALLOW_THREADS for (int t = 0; t < threads; t++)
    {
        if (j.result[t]) return PyLong_FromLong(j.result[t]);
    }
    return PyLong_FromLong(HML_OK);
}

static PyMethodDef methods[] = {
    {"_single", single, METH_VARARGS,
     "_single(model, kind, n, inputs, outputs, status, threads)\n--\n\nFor hamel.single."},
    {NULL, NULL, 0, NULL},
};

int single_ready(PyObject *module) { return PyModule_AddFunctions(module, methods); }
