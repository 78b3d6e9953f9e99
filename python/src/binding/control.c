/* Linear systems (hamel/control.h), and Model.lqr, which hamel/control.py computes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/control.h"
#include "objects.h"

#define SIZE_OF(letter) (size_t) r->symbol[(letter) - 'a']

static void put_report(hml_status status, const hml_lqr_report *x, double *report)
{
    const double all[] = {(double)status,
                          x->residual,
                          (double)x->iterations,
                          (double)x->refinements,
                          (double)x->uncontrollable,
                          (double)x->unseen,
                          x->mode[0],
                          x->mode[1]};
    for (size_t i = 0; i < COUNT(all); i++) report[i] = all[i];
}

/* a status that needs an explanation goes into the report: Python says it */
static hml_status regulate(const row *r)
{
    const size_t n = SIZE_OF('n'), m = SIZE_OF('m'), doubles = hml_lqr_scratch_doubles(n, m);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL,
           *report = r->out[4];
    if (!scratch) return HML_OUT_OF_MEMORY;
    hml_lqr problem =
        HML_STRUCT(hml_lqr, .n = n, .m = m, .A = r->in[0], .B = r->in[1], .Q = r->in[2], .R = r->in[3], .N = r->in[4],
                   .K = r->out[0], .P = r->out[1], .closed = r->out[2], .poles = r->out[3]);
    hml_lqr_report x = {.struct_size = sizeof x};
    const hml_status status = (r->choice[5] ? hml_lqr_solve_discrete : hml_lqr_solve)(&problem, scratch, &x);
    free(scratch);
    put_report(status, &x, report);
    const size_t sizes[] = {m * n, n * n, n * n, 2 * n};
    for (size_t k = 0; status && k < COUNT(sizes); k++)
        for (size_t i = 0; i < sizes[k]; i++) r->out[k][i] = NAN;
    return HML_OK;
}

/* P and the poles are cut into pieces whose sizes the table knows */
static hml_status integrate(const row *r)
{
    const size_t n = SIZE_OF('n'), m = SIZE_OF('m'), p = SIZE_OF('k'), all = n + p;
    const size_t doubles = hml_lqr_integral_scratch_doubles(n, m, p);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL;
    double *P = malloc((all * all + 2 * all) * sizeof *P), *poles = P ? P + all * all : NULL;
    hml_status status = scratch && P ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        hml_lqr_report x = {.struct_size = sizeof x};
        const hml_lqr_integral problem = HML_STRUCT(
            hml_lqr_integral, .n = n, .m = m, .p = p, .A = r->in[0], .B = r->in[1], .C = r->in[2], .Q = r->in[3],
            .Qi = r->in[4], .R = r->in[5], .step = *r->in[6], .K = r->out[0], .Ki = r->out[1], .P = P, .poles = poles);
        const hml_status answer = hml_lqr_integral_solve(&problem, scratch, &x);
        put_report(answer, &x, r->out[7]);
        const size_t sizes[] = {m * n, m * p};
        for (size_t k = 0; answer && k < COUNT(sizes); k++)
            for (size_t i = 0; i < sizes[k]; i++) r->out[k][i] = NAN;
        for (size_t i = 0; i < all * all; i++) {
            const size_t row = i / all, column = i % all;
            double *to = row < n && column < n     ? r->out[2] + row * n + column
                         : row < n                 ? r->out[3] + row * p + column - n
                         : row >= n && column >= n ? r->out[4] + (row - n) * p + column - n
                                                   : NULL;
            if (to) *to = answer ? NAN : P[i];
        }
        for (size_t i = 0; i < 2 * all; i++)
            *(i < 2 * n ? r->out[5] + i : r->out[6] + i - 2 * n) = answer ? NAN : poles[i];
    }
    free(P);
    free(scratch);
    return status;
}

static hml_status horizon(const row *r)
{
    const size_t n = SIZE_OF('n'), m = SIZE_OF('m'), steps = SIZE_OF('k');
    const size_t doubles = hml_lqr_horizon_scratch_doubles(n, m), last = (steps + 1) * n * n;
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL;
    double *P = malloc((last + 1) * sizeof *P); /* one more than the array has: the end */
    hml_status status = scratch && P ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        size_t step = 0;
        hml_lqr_horizon problem = HML_STRUCT(hml_lqr_horizon, .n = n, .m = m, .steps = steps, .A = {r->in[0], n * n},
                                             .B = {r->in[1], n * m}, .Q = {r->in[2], n * n}, .R = {r->in[3], m * m},
                                             .N = {r->in[5], n * m}, .Q_end = r->in[4], .K = r->out[0], .P = P);
        const hml_status answer = hml_lqr_horizon_solve(&problem, scratch, &step);
        r->out[2][0] = (double)answer, r->out[2][1] = (double)step;
        for (size_t i = 0; i < steps * n * n; i++) r->out[1][i] = answer ? NAN : P[i];
        for (size_t i = 0; answer && i < steps * m * n; i++) r->out[0][i] = NAN;
    }
    free(P);
    free(scratch);
    return status;
}

/* P of the end is that of the beginning; the last number of the report is the step at fault */
static hml_status periodic(const row *r)
{
    const size_t n = SIZE_OF('n'), m = SIZE_OF('m'), steps = SIZE_OF('k');
    const size_t doubles = hml_lqr_periodic_scratch_doubles(n, m), last = (steps + 1) * n * n;
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL;
    double *P = malloc((last + 1) * sizeof *P);
    const hml_status status = scratch && P ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        size_t step = 0;
        hml_lqr_report x = {.struct_size = sizeof x};
        const hml_lqr_horizon problem =
            HML_STRUCT(hml_lqr_horizon, .n = n, .m = m, .steps = steps, .A = {r->in[0], n * n}, .B = {r->in[1], n * m},
                       .Q = {r->in[2], n * n}, .R = {r->in[3], m * m}, .N = {r->in[4], n * m}, .K = r->out[0], .P = P,
                       .multipliers = r->out[2]);
        const hml_status answer = hml_lqr_periodic_solve(&problem, scratch, &step, &x);
        put_report(answer, &x, r->out[3]);
        r->out[3][8] = (double)step;
        for (size_t i = 0; i < steps * n * n; i++) r->out[1][i] = answer ? NAN : P[i];
        for (size_t i = 0; answer && i < steps * m * n; i++) r->out[0][i] = NAN;
        for (size_t i = 0; answer && i < 2 * n; i++) r->out[2][i] = NAN;
    }
    free(P);
    free(scratch);
    return status;
}

static hml_status lyapunov(const row *r)
{
    const size_t n = SIZE_OF('n'), doubles = hml_lyapunov_scratch_doubles(n);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL;
    if (!scratch) return HML_OUT_OF_MEMORY;
    const hml_status status = (r->choice[2] ? hml_lyapunov_solve_discrete
                                            : hml_lyapunov_solve)(n, r->in[0], r->in[1], scratch, r->out[0], r->out[1]);
    free(scratch);
    return status;
}

/* rows of the table: real and imaginary part, reach, sight, first, multiplicity, chain, unreachable, unseen, kind */
static hml_status modes(const row *r)
{
    const size_t n = SIZE_OF('n'), rows = SIZE_OF('w'), m = r->in[4] ? SIZE_OF('m') : 0,
                 p = r->in[5] ? SIZE_OF('k') : 0;
    const size_t doubles = hml_modes_scratch_doubles(n, m, p, rows);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL;
    hml_mode *found = malloc((n + 1) * sizeof *found);
    size_t count = 0;
    hml_status status = scratch && found ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) {
        const hml_modes problem =
            HML_STRUCT(hml_modes, .n = n, .m = m, .p = p, .rows = rows, .A = r->in[0], .onto = r->in[1],
                       .back = r->in[2], .B = r->in[4], .C = r->in[5], .tolerance = *r->in[3], .eigenvalues = r->out[0],
                       .right = r->out[1], .left = r->out[2], .participation = r->out[3], .modes = found);
        status = hml_modes_solve(&problem, scratch, &count);
    }
    for (size_t i = 0; !status && i < n; i++) {
        const hml_mode x = i < count ? found[i] : (hml_mode){.multiplicity = 0};
        const double all[10] = {x.eigenvalue[0],  x.eigenvalue[1],        x.reach,         x.sight,
                                (double)x.first,  (double)x.multiplicity, (double)x.chain, (double)x.unreachable,
                                (double)x.unseen, (double)x.kind};
        for (size_t k = 0; k < COUNT(all); k++) r->out[4][COUNT(all) * i + k] = all[k];
    }
    r->out[5][0] = (double)count;
    free(found);
    free(scratch);
    return status;
}

/* what is unstable has no margins: the status says it, as all its entries are NaN */
static hml_status margins(const row *r)
{
    const size_t n = SIZE_OF('n'), m = SIZE_OF('m'), doubles = hml_margins_scratch_doubles(n, m);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc(doubles * sizeof *scratch) : NULL;
    hml_margin *found = malloc((m + 1) * sizeof *found);
    hml_disk disks[3];
    hml_status status = scratch && found ? HML_OK : HML_OUT_OF_MEMORY, answer = HML_OK;
    if (!status) {
        const hml_margins problem =
            HML_STRUCT(hml_margins, .n = n, .m = m, .A = r->in[0], .B = r->in[1], .K = r->in[2], .step = *r->in[3],
                       .scale = r->in[4], .inputs = found, .sensitivity = &disks[0], .complementary = &disks[1],
                       .balanced = &disks[2]);
        answer = hml_margins_solve(&problem, scratch);
        *r->out[2] = (double)answer;
    }
    for (size_t i = 0; !status && i < m; i++) {
        const hml_margin *x = &found[i];
        const double all[8] = {x->gain[0],         x->gain[1], x->gain_frequency[0], x->gain_frequency[1], x->phase,
                               x->phase_frequency, x->delay,   x->delay_frequency};
        for (size_t k = 0; k < 8; k++) r->out[0][8 * i + k] = answer ? NAN : all[k];
    }
    for (size_t i = 0; !status && i < 3; i++) {
        const hml_disk *x = &disks[i];
        const double all[5] = {x->peak, x->frequency, x->gain[0], x->gain[1], x->phase};
        for (size_t k = 0; k < 5; k++) r->out[1][5 * i + k] = answer ? NAN : all[k];
    }
    free(found);
    free(scratch);
    return status;
}

#define TABLE           "control.def"
#define TABLE_FUNCTIONS control_table
#include "table.h"

/* hamel.control.NAME(self, ...): what is written in Python */
static PyObject *in_python(const char *name, PyObject *self, PyObject *arguments, PyObject *names)
{
    PyObject *module = PyImport_ImportModule("hamel.control"), *result = NULL;
    PyObject *of_model = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *first = PyTuple_Pack(1, self), *all = first ? PySequence_Concat(first, arguments) : NULL;
    if (of_model && all) result = PyObject_Call(of_model, all, names);
    Py_XDECREF(all);
    Py_XDECREF(first);
    Py_XDECREF(of_model);
    Py_XDECREF(module);
    return result;
}

static PyObject *model_lqr(PyObject *self, PyObject *arguments, PyObject *names)
{
    return in_python("_of_model", self, arguments, names);
}

static PyObject *model_modes(PyObject *self, PyObject *arguments, PyObject *names)
{
    return in_python("_modes_of_model", self, arguments, names);
}

PyMethodDef control_methods[] = {
    {"lqr", (PyCFunction)(void (*)(void))model_lqr, METH_VARARGS | METH_KEYWORDS,
     "lqr($self, q, v=None, tau=None, *, Q=1, R=1, N=None, actuated=None, dt=None, holds=(), "
     "hold=(), integral=(), Qi=1)\n--\n\n"
     "The linear-quadratic regulator about a state: δτ = −K (q ⊖ q₀, ν − ν₀), a hamel.control.Regulator.\n\n"
     "Q weighs the 2nv perturbations of configuration and velocity, R the forces: a number, one number for each, or a\n"
     "matrix; N is the cross term. actuated: which coordinates have an input, as names of joints or one mark for each\n"
     "coordinate; without it the model's actuated joints. dt: a zero-order hold over dt, and the sum of the costs of\n"
     "the steps. holds, or hold: hamel.Hold or names of frames, whose origins are held then, as for feet on the "
     "ground.\n"
     "integral: outputs whose integrals are fed back too, weighed by Qi: names of joints, or of frames, whose "
     "positions in\n"
     "the world are taken; Regulator.integrating is the controller then.\n"
     "NotStabilizableError says why the inputs do not suffice."},
    {"modes", (PyCFunction)(void (*)(void))model_modes, METH_VARARGS | METH_KEYWORDS,
     "modes($self, q, v=None, tau=None, *, actuated=None, holds=(), hold=(), tolerance=1e-9)\n--\n\n"
     "The modes of the robot near a state: how it shakes, and which modes no input reaches, as hamel.control.Modes.\n\n"
     "They are those of A of Model.linearize, or of Model.constrained_reduce with holds, or hold (hamel.Hold or names\n"
     "of frames, whose origins are held then). actuated: which coordinates have an input, as for Model.lqr. "
     "tolerance:\n"
     "below which margin of control.modes a mode counts as not reachable. Away from an equilibrium they are the modes\n"
     "of this moment."},
    {NULL, NULL, 0, NULL},
};

/* ---- the root locus: A is what a Python function says ---- */

typedef struct locus_call {
    PyObject *function;
    size_t n;
} locus_call;

/* the function gives the bytes of n × n doubles; its exception ends the walk */
static hml_status locus_matrix(void *context, double value, double *A)
{
    const locus_call *call = context;
    PyObject *bytes = PyObject_CallFunction(call->function, "d", value);
    Py_buffer view;
    if (!bytes || PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE)) {
        Py_XDECREF(bytes);
        return HML_INVALID_ARGUMENT;
    }
    const size_t size = call->n * call->n * sizeof *A;
    const int fits = (size_t)view.len == size;
    if (fits) memcpy(A, view.buf, size);
    PyBuffer_Release(&view);
    Py_DECREF(bytes);
    return fits ? HML_OK : HML_INVALID_ARGUMENT;
}

/* (status, bytes of the eigenvalues, bytes of the crossings: value, real and imaginary part, branch, unstable) */
static PyObject *locus(PyObject *self, PyObject *arguments)
{
    (void)self;
    enum { COLUMNS = 5 };
    Py_buffer values;
    locus_call call;
    int discrete;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(arguments, "Oy*ni", &call.function, &values, &n, &discrete)) return NULL;
    call.n = (size_t)n;
    const size_t points = (size_t)values.len / sizeof(double), doubles = hml_locus_scratch_doubles(call.n);
    PyObject *found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(points * call.n * 2 * sizeof(double))),
             *result = NULL;
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc((doubles + 1) * sizeof *scratch) : NULL;
    hml_locus_crossing *crossings = NULL;
    double *rows = NULL;
    size_t count = 64, room = 0;
    hml_status status = found && scratch ? HML_OK : HML_OUT_OF_MEMORY;
    while (!status && count > room) { /* once more where there are more crossings than room */
        room = count;
        free(crossings);
        crossings = malloc(room * sizeof *crossings);
        if (!crossings) status = HML_OUT_OF_MEMORY;
        const hml_locus problem =
            HML_STRUCT(hml_locus, .n = call.n, .matrix = locus_matrix, .context = &call, .discrete = discrete,
                       .points = points, .values = values.buf,
                       .eigenvalues = (double *)(void *)PyBytes_AS_STRING(found), .room = room, .crossings = crossings);
        if (!status) status = hml_locus_solve(&problem, scratch, &count);
    }
    if (status) count = 0;
    if (!status && !(rows = malloc((count + 1) * COLUMNS * sizeof *rows))) status = HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        const hml_locus_crossing *x = &crossings[i];
        const double row[COLUMNS] = {x->value, x->eigenvalue[0], x->eigenvalue[1], x->branch, x->unstable};
        memcpy(rows + COLUMNS * i, row, sizeof row);
    }
    if (status == HML_OUT_OF_MEMORY && !PyErr_Occurred()) PyErr_NoMemory();
    if (!PyErr_Occurred())
        result = Py_BuildValue("iOy#", (int)status, found, rows ? (const char *)rows : "",
                               (Py_ssize_t)(count * COLUMNS * sizeof *rows));
    free(rows);
    free(crossings);
    free(scratch);
    Py_XDECREF(found);
    PyBuffer_Release(&values);
    return result;
}

static PyMethodDef functions[] = {
    {"_locus", locus, METH_VARARGS, "_locus(function, values, n, discrete, /)\n--\n\nBehind hamel.control.locus."},
    {NULL, NULL, 0, NULL},
};

int control_ready(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) || table_modules(control_table, COUNT(control_table), module);
}
