/* Dynamics under constraints (hamel/constraint.h), and the list of constraints that Python hands over. */
#include <math.h>
#include <string.h>

#include "linearization.h"

#define HELD          r->constraints
#define SCRATCH       SCRATCH_OF(r)
#define SCRATCH_OF(r) row_scratch(r, hml_constraint_scratch_doubles((r)->model, (r)->constraints) * sizeof(double))

/* a report says what is wrong with rows that contradict each other, so that these are no error here */
static hml_status reported(const row *r, hml_status status, const hml_constraint_report *x)
{
    const double fields[] = {x->rows,    x->rank,      x->residual,        x->carrying,
                             x->grazing, x->violation, x->complementarity, x->restitution};
    for (size_t i = 0; i < COUNT(fields); i++) *r->out[i] = fields[i];
    return status == HML_INCONSISTENT && x->rows ? HML_OK : status; /* no rows: it was not even filled */
}

static hml_status forward_report(const row *r)
{
    hml_constraint_report x = {.struct_size = sizeof x};
    hml_status status =
        hml_constrained_forward_dynamics(r->model, r->work, HELD, SCRATCH,
                                         &HML_STRUCT(hml_constrained_dynamics, .q = r->in[1], .v = r->in[2],
                                                     .tau = r->in[3], .wrenches = r->in[4], .report = &x));
    return reported(r, status, &x);
}

static hml_status inverse_report(const row *r)
{
    hml_constraint_report x = {.struct_size = sizeof x};
    hml_status status =
        hml_constrained_inverse_dynamics(r->model, r->work, HELD, SCRATCH,
                                         &HML_STRUCT(hml_constrained_dynamics, .q = r->in[1], .v = r->in[2],
                                                     .a = r->in[3], .wrenches = r->in[4], .report = &x));
    return reported(r, status, &x);
}

static hml_status impulse_report(const row *r)
{
    hml_constraint_report x = {.struct_size = sizeof x};
    hml_status status = hml_constrained_impulse(r->model, r->work, HELD, SCRATCH,
                                                &HML_STRUCT(hml_constrained_impact, .q = r->in[1], .v = r->in[2],
                                                            .restitution = r->in[3] ? *r->in[3] : 0, .report = &x));
    return reported(r, status, &x);
}

/* to another representation and side, in place: the choices after wrenches are representation, side */
static hml_status turn_linearization(const row *r, const hml_constrained_linearization *x)
{
    const int32_t nv = hml_model_nv(r->model), rows = hml_constraint_rows(r->constraints);
    hml_status status = hml_constrained_to_representation(r->model, (hml_representation)r->choice[5], rows, x);
    if (status || !r->choice[6]) return status;
    status = hml_linearization_to_global(r->model, x->q, x->v, nv, x->A, x->B);
    if (!status) status = hml_gradient_to_global(r->model, x->q, nv, x->Dq);
    return status ? status : hml_gradient_to_global(r->model, x->q, rows, x->lambda_q);
}

static hml_constrained_linearization linearization_at(const row *r, size_t i)
{
    const size_t n = (size_t)hml_model_nv(r->model), m = (size_t)hml_constraint_rows(r->constraints);
    hml_constrained_linearization x = {.struct_size = sizeof x};
    x.q = r->in[1] + i * r->stride[1], x.v = r->in[2] + i * r->stride[2];
    if (r->in[3]) x.tau = r->in[3] + i * r->stride[3];
    if (r->in[4]) x.wrenches = r->in[4] + i * r->stride[4];
    x.A = r->out[0] + 4 * i * n * n, x.B = r->out[1] + 2 * i * n * n;
    x.acceleration = r->out[2] + i * n, x.lambda = r->out[3] + i * m;
    x.Dq = r->out[4] + i * n * n, x.Dv = r->out[5] + i * n * n, x.Dtau = r->out[6] + i * n * n;
    x.lambda_q = r->out[7] + i * m * n, x.lambda_v = r->out[8] + i * m * n, x.lambda_tau = r->out[9] + i * m * n;
    return x;
}

static hml_status linearize(const row *r)
{
    const hml_constrained_linearization x = linearization_at(r, 0);
    const hml_status status = hml_constrained_linearize(r->model, r->work, r->constraints, SCRATCH, &x);
    return status ? status : turn_linearization(r, &x);
}

/* bad rows are NaN afterwards, and stay so in any representation */
static hml_status linearize_rows(const row *r)
{
    hml_constrained_states x = {.struct_size = sizeof x,
                                .q = {r->in[1], r->stride[1]},
                                .v = {r->in[2], r->stride[2]},
                                .tau = {r->in[3], r->stride[3]},
                                .wrenches = {r->in[4], r->stride[4]},
                                .A.data = r->out[0],
                                .B.data = r->out[1],
                                .acceleration.data = r->out[2],
                                .lambda.data = r->out[3],
                                .Dq.data = r->out[4],
                                .Dv.data = r->out[5],
                                .Dtau.data = r->out[6],
                                .lambda_q.data = r->out[7],
                                .lambda_v.data = r->out[8],
                                .lambda_tau.data = r->out[9]};
    const int tolerant = r->choice[7];
    hml_status status = hml_constrained_linearize_batch(r->model, r->work, r->constraints, SCRATCH, r->n, &x, NULL);
    if (status && !tolerant) return status;
    for (size_t i = 0; (r->choice[5] || r->choice[6]) && i < r->n; i++) {
        const hml_constrained_linearization at = linearization_at(r, i);
        if (isnan(*at.acceleration)) continue;
        status = turn_linearization(r, &at);
        if (status) return status;
    }
    return HML_OK;
}

static hml_status constrained_step(const row *r, int derivatives)
{
    double *scratch = row_scratch(r, hml_constrained_step_scratch_doubles(r->model, r->constraints) * sizeof *scratch);
    hml_constrained_discrete_step x = {.struct_size = sizeof x, .h = *r->in[3]};
    x.q.data = r->in[1], x.v.data = r->in[2], x.tau.data = r->in[4], x.wrenches.data = r->in[5];
    x.q_next.data = r->out[0], x.v_next.data = r->out[1], x.lambda.data = r->out[2];
    if (derivatives) {
        x.Ad.data = r->out[3], x.Bd.data = r->out[4];
        x.lambda_q.data = r->out[5], x.lambda_v.data = r->out[6], x.lambda_tau.data = r->out[7];
    }
    return hml_constrained_step(r->model, r->work, r->constraints, scratch, 1, &x, NULL);
}

static hml_status freedom(const row *r)
{
    int32_t count = 0;
    const hml_status status = hml_constrained_freedom(r->model, r->work, HELD, SCRATCH, r->in[1], &count);
    *r->out[0] = count;
    return status;
}

/* InconsistentError: a row of a batch with another number of motions than the first */
static hml_status reduce(const row *r)
{
    const hml_constrained_reduction x = {.struct_size = sizeof x,
                                         .q = r->in[1],
                                         .v = r->in[2],
                                         .tau = r->in[3],
                                         .wrenches = r->in[4],
                                         .freedom = (int32_t)r->symbol['d' - 'a'],
                                         .A = r->out[0],
                                         .B = r->out[1],
                                         .Z = r->out[2],
                                         .X = r->out[3],
                                         .P = r->out[4]};
    const hml_status status = hml_constrained_reduce(r->model, r->work, HELD, SCRATCH, &x);
    return status == HML_INVALID_ARGUMENT ? HML_INCONSISTENT : status;
}

static hml_status impulse_linearize(const row *r)
{
    const double *q = r->in[1], *v = r->in[2], restitution = r->in[3] ? *r->in[3] : 0;
    const int32_t nv = hml_model_nv(r->model), rows = hml_constraint_rows(r->constraints);
    hml_status status =
        hml_constrained_impulse(r->model, r->work, r->constraints, SCRATCH,
                                &HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .restitution = restitution,
                                            .v_next = r->out[0], .impulse = r->out[1], .next_q = r->out[2],
                                            .next_v = r->out[3], .impulse_q = r->out[4], .impulse_v = r->out[5]));
    if (!status)
        status = hml_impulse_to_representation(r->model, (hml_representation)r->choice[4], rows,
                                               &HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .v_next = r->out[0],
                                                           .next_q = r->out[2], .next_v = r->out[3],
                                                           .impulse_q = r->out[4], .impulse_v = r->out[5]));
    if (status || !r->choice[5]) return status;
    status = hml_gradient_to_global(r->model, q, nv, r->out[2]);
    return status ? status : hml_gradient_to_global(r->model, q, rows, r->out[4]);
}

enum { MOST_SITES = 256 };

/* frames, positions, normals, q, v, friction, restitution */
static hml_status contact_impulse(const row *r)
{
    hml_contact_site sites[MOST_SITES];
    const npy_intp count = r->symbol['k' - 'a'];
    if (count > MOST_SITES) return HML_INVALID_ARGUMENT;
    for (npy_intp i = 0; i < count; i++) {
        sites[i] = (hml_contact_site){.frame = r->marks[0][i], .other = HML_WORLD};
        memcpy(sites[i].position, r->in[1] + 3 * i, sizeof sites[i].position);
        memcpy(sites[i].normal, r->in[2] + 3 * i, sizeof sites[i].normal);
        if (r->in[5]) sites[i].friction = r->in[5][i];
        if (r->in[6]) sites[i].restitution = r->in[6][i];
        if (r->marks[7]) sites[i].other = r->marks[7][i];
    }
    const size_t size = hml_contact_impulse_size(r->model, (int32_t)count);
    void *memory = row_scratch(r, size);
    if (!memory) return HML_OUT_OF_MEMORY;
    hml_contact_impact impact = {.struct_size = sizeof impact};
    const hml_contact_collision x = {.struct_size = sizeof x,
                                     .sites = sites,
                                     .count = (int32_t)count,
                                     .q = r->in[3],
                                     .v = r->in[4],
                                     .v_next = r->out[0],
                                     .impulse = r->out[1],
                                     .impact = &impact};
    hml_status status = hml_contact_impulse(r->model, r->work, memory, size, &x);
    *r->out[2] = impact.work;
    *r->out[3] = impact.restitution;
    *r->out[4] = impact.residual;
    *r->out[5] = impact.closed;
    *r->out[6] = impact.iterations;
    return status;
}

#define TABLE           "constraints.def"
#define TABLE_FUNCTIONS table
#include "table.h"

function *const *const constraints_table = table;
const size_t constraints_count = COUNT(table);

/* ---- hamel.Hold: hamel/_holds.py ---- */

/* the kind of a Hold; −1 with an exception */
static int read_kind(PyObject *hold)
{
    PyObject *kind = PyObject_GetAttrString(hold, "kind");
    hml_constraint_kind known = HML_HOLD_FRAME;
    const char *text = kind && PyUnicode_Check(kind) ? PyUnicode_AsUTF8(kind) : NULL;
    if (kind && (!text || hml_constraint_kind_from_name(text, &known)))
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "kind is one of frame, point, plane, touch, distance, not %R",
                     kind);
    Py_XDECREF(kind);
    return PyErr_Occurred() ? -1 : (int)known;
}

/* a frame of a Hold; `world`: it may be the world, and None stands for a hold, which is *tied = 0 */
static int32_t read_frame(const hml_model *model, PyObject *hold, const char *name, int world, int *tied)
{
    PyObject *frame = PyObject_GetAttrString(hold, name);
    int32_t index = INT32_MIN;
    *tied = frame && frame != Py_None;
    if (frame) index = world && !*tied ? HML_WORLD : find_frame(model, frame, world);
    Py_XDECREF(frame);
    return PyErr_Occurred() ? INT32_MIN : index;
}

/* into items, or into loops where it is tied to another frame or by a distance */
static int read_hold(const hml_model *model, PyObject *hold, hml_constraints *set, hml_constraint *items,
                     hml_loop *loops)
{
    npy_intp dims[2] = {4, 4}, three = 3;
    hml_constraint *c = &items[set->count];
    if (PyUnicode_Check(hold)) { /* a name alone is a point */
        *c = (hml_constraint){.kind = HML_HOLD_POINT, .normal = {0, 0, 1}, .frame = find_frame(model, hold, 0)};
        set->count++;
        return PyErr_Occurred() ? -1 : 0;
    }
    if (!PyObject_HasAttrString(hold, "frame")) {
        PyErr_Format(PyExc_TypeError, "holds has %R in it: it takes hamel.Hold, or names of frames", hold);
        return -1;
    }
    const int kind = read_kind(hold);
    if (kind < 0) return -1;
    int tied;
    hml_loop x = {.kind = (hml_constraint_kind)kind, .frame = read_frame(model, hold, "frame", 0, &tied)};
    if (!PyErr_Occurred()) x.other = read_frame(model, hold, "other", 1, &tied);
    if (PyErr_Occurred() || attribute_numbers(hold, "normal", 1, &three, x.normal) ||
        attribute_numbers(hold, "damping", 0, NULL, &x.damping) ||
        attribute_numbers(hold, "stiffness", 0, NULL, &x.stiffness) ||
        attribute_numbers(hold, "distance", 0, NULL, &x.distance) || attribute_numbers(hold, "pose", 2, dims, x.pose))
        return -1;
    if (tied || x.kind == HML_HOLD_DISTANCE) {
        loops[set->loop_count++] = x;
        return 0;
    }
    *c = (hml_constraint){.kind = x.kind, .frame = x.frame, .damping = x.damping, .stiffness = x.stiffness};
    memcpy(c->normal, x.normal, sizeof c->normal);
    memcpy(c->pose, x.pose, sizeof c->pose);
    set->count++;
    return 0;
}

npy_intp holds_freedom(PyObject *model, const hml_constraints *constraints, const double *q)
{
    model_object *self = (model_object *)model;
    int32_t count = -1;
    workspace *space = workspace_take(self);
    hml_status status = HML_OUT_OF_MEMORY;
    if (space) {
        const row r = {.model = self->model, .work = space->work, .space = space, .constraints = constraints};
        double *scratch = SCRATCH_OF(&r);
        if (scratch) status = hml_constrained_freedom(r.model, r.work, constraints, scratch, q, &count);
        workspace_give(self, space);
    }
    if (status) raise_status(status, NULL);
    return status ? -1 : count;
}

static PyObject *frame_text(const hml_model *model, int32_t frame)
{
    hml_frame_info info = {.struct_size = sizeof info};
    return PyUnicode_FromString(frame == HML_WORLD || hml_model_frame(model, frame, &info) ? "world" : info.name);
}

static PyObject *hold_of(const hml_model *model, PyObject *class, int32_t index)
{
    hml_loop c;
    npy_intp dims[2] = {4, 4};
    hml_model_loop(model, index, &c);
    PyObject *pose = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    if (pose) memcpy(PyArray_DATA((PyArrayObject *)pose), c.pose, sizeof c.pose);
    PyObject *none = PyTuple_New(0), *words = NULL, *hold = NULL;
    if (pose && none)
        words = Py_BuildValue("{sNsss(ddd)sdsdsOsNsd}", "frame", frame_text(model, c.frame), "kind",
                              hml_constraint_kind_name(c.kind), "normal", c.normal[0], c.normal[1], c.normal[2],
                              "damping", c.damping, "stiffness", c.stiffness, "pose", pose, "other",
                              frame_text(model, c.other), "distance", c.distance);
    if (words) hold = PyObject_Call(class, none, words);
    Py_XDECREF(words);
    Py_XDECREF(none);
    Py_XDECREF(pose);
    return hold;
}

PyObject *model_loops(const hml_model *model)
{
    const int32_t n = hml_model_nloops(model);
    PyObject *module = PyImport_ImportModule("hamel._holds");
    PyObject *class = module ? PyObject_GetAttrString(module, "Hold") : NULL, *all = class ? PyTuple_New(n) : NULL;
    for (int32_t i = 0; all && i < n; i++) {
        PyObject *hold = hold_of(model, class, i);
        if (hold)
            PyTuple_SET_ITEM(all, i, hold);
        else
            Py_CLEAR(all);
    }
    Py_XDECREF(class);
    Py_XDECREF(module);
    return all;
}

int read_holds(const hml_model *model, PyObject *list, hml_constraints *constraints, void **memory)
{
    const int alone = PyUnicode_Check(list) || PyObject_HasAttrString(list, "frame"); /* one of them without a list */
    PyObject *sequence =
        alone ? PyTuple_Pack(1, list) : PySequence_Fast(list, "holds is a list of hamel.Hold, or of names of frames");
    if (!sequence) return -1;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
    hml_loop *loops = PyMem_Calloc((size_t)n + 1, sizeof *loops + sizeof(hml_constraint));
    hml_constraint *items = loops ? (hml_constraint *)(loops + n) : NULL;
    int failed = !items;
    *constraints = HML_STRUCT(hml_constraints, .items = items, .loops = loops);
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        failed = read_hold(model, PySequence_Fast_GET_ITEM(sequence, i), constraints, items, loops);
    }
    Py_DECREF(sequence);
    *memory = loops;
    if (!failed && hml_constraint_rows(constraints) < 0) {
        raise_status(HML_INVALID_ARGUMENT, "holds");
        failed = 1;
    }
    return failed ? -1 : 0;
}
