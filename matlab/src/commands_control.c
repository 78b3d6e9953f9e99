/* Commands of the gateway: motions, regulators, equilibria. */
#include <math.h>

#include "gateway.h"

/* ---- simulate ---- */

/* the rows of a motion, a column each */
static void fill_rows(gateway_robot *r, hml_motion *motion, size_t rows, double end, mxArray *s)
{
    mxArray *time = mxCreateDoubleMatrix(rows, 1, mxREAL), *position = mxCreateDoubleMatrix(r->nq, rows, mxREAL);
    mxArray *velocity = mxCreateDoubleMatrix(r->nv, rows, mxREAL), *energy = mxCreateDoubleMatrix(rows, 1, mxREAL);
    double *M = gateway_room(r->nv * r->nv), *h = gateway_room(r->nv);
    hml_status status = HML_OK;
    for (size_t k = 0; k < rows && !status; k++) {
        const double until = k + 1 == rows ? end : end * (double)k / (double)(rows - 1);
        if (k > 0) status = hml_motion_advance(motion, until);
        const double *q = hml_motion_position(motion), *v = hml_motion_velocity(motion);
        hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
        if (!status) status = hml_dynamics(r->model, r->work, q, v, NULL, NULL, &d);
        mxGetPr(time)[k] = until;
        mxGetPr(energy)[k] = d.kinetic_energy + d.potential_energy;
        memcpy(mxGetPr(position) + k * r->nq, q, r->nq * sizeof *q);
        memcpy(mxGetPr(velocity) + k * r->nv, v, r->nv * sizeof *v);
    }
    hml_motion_free(motion);
    gateway_check(status);
    gateway_set(s, "time", time);
    gateway_set(s, "position", position);
    gateway_set(s, "velocity", velocity);
    gateway_set(s, "energy", energy);
}

/* simulate(q, v, tau or [], time, step, integrator): steps of dopri5 are its own, `step` is then the time of a row */
void command_simulate(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t n = 1;
    const double *q = gateway_states(in[0], "q", r->nq, &n), *v = gateway_states(in[1], "v", r->nv, &n);
    const double *tau = gateway_states_or_none(in[2], "tau", r->nv, &n);
    const double time = gateway_number(in[3], "the time"), step = gateway_number(in[4], "the step");
    hml_motion_options options;
    hml_motion_options_init(&options);
    if (!(time > 0) || !(step > 0) || !(time / step < 1e7))
        gateway_fail(HML_INVALID_ARGUMENT, "time and step must be positive, with at most 1e7 rows");
    if (hml_scheme_from_name(gateway_text(in[5], "the integrator"), &options.scheme))
        gateway_fail(HML_INVALID_ARGUMENT, "the integrator is dopri5, euler, rk2, rk4, variational, alpha or momentum");
    const size_t rows = (size_t)fmax(1, ceil(time / step * (1 - 1e-12))) + 1;
    options.step = options.scheme == HML_SCHEME_DOPRI5 ? 0 : time / (double)(rows - 1);
    const hml_forces forces = {.struct_size = sizeof forces, .tau = tau};
    hml_motion *motion = NULL;
    gateway_check(hml_motion_new(r->model, r->work, &options, &forces, 0, q, v, &motion));
    *out = mxCreateStructMatrix(1, 1, 0, NULL);
    fill_rows(r, motion, rows, time, *out);
}

/* ---- lqr ---- */

/* a weight: a number for all, or a symmetric matrix */
static double *weight(const mxArray *array, const char *name, size_t n)
{
    double *W = gateway_room(n * n);
    if (mxGetNumberOfElements(array) == 1) {
        const double w = gateway_number(array, name);
        for (size_t i = 0; i < n; i++) W[i * n + i] = w;
        return W;
    }
    size_t columns = n;
    memcpy(W, gateway_states(array, name, n, &columns), n * n * sizeof *W); /* symmetric: rows are columns */
    return W;
}

/* what is regulated: all coordinates, or the motions that held frames leave (hml_constrained_reduce) */
typedef struct plant {
    size_t nv, n, m; /* n: of A; 2nv, or less with held frames */
    double *A, *B, *Z, *X, *P;
    size_t *columns; /* of the inputs */
} plant;

/* frames that are held as points, from a cell array of their names */
static hml_constraints held_points(gateway_robot *r, const mxArray *names)
{
    if (!mxIsCell(names)) gateway_fail(HML_INVALID_ARGUMENT, "the held frames must be a cell array of names");
    const size_t count = mxGetNumberOfElements(names);
    hml_constraint *items = mxCalloc(count + 1, sizeof *items);
    for (size_t i = 0; i < count; i++) {
        items[i] = (hml_constraint){.kind = HML_HOLD_POINT, .normal = {0, 0, 1}};
        items[i].frame = gateway_frame(r, gateway_text(mxGetCell(names, (mwIndex)i), "a held frame"));
    }
    return (hml_constraints){.struct_size = sizeof(hml_constraints), .items = items, .count = (int32_t)count};
}

static plant linearize_plant(gateway_robot *r, const double *q, const double *v, const double *tau,
                             const hml_constraints *held)
{
    const size_t nv = r->nv;
    plant p = {.nv = nv, .n = 2 * nv, .columns = mxCalloc(nv + 1, sizeof *p.columns)};
    double *scratch = held->count ? gateway_room(hml_constraint_scratch_doubles(r->model, held)) : NULL;
    int32_t freedom = 0;
    if (scratch) {
        gateway_check(hml_constrained_freedom(r->model, r->work, held, scratch, q, &freedom));
        if (freedom < 1) gateway_fail(HML_INVALID_ARGUMENT, "the held frames leave no motion");
        p.n = 2 * (size_t)freedom;
    }
    p.m = gateway_inputs(r, 0, p.columns);
    if (p.m == 0) gateway_fail(HML_INVALID_ARGUMENT, "no joint of this robot is actuated");
    double *all = gateway_room(p.n * nv);
    p.A = gateway_room(p.n * p.n), p.B = gateway_room(p.n * p.m);
    if (scratch) {
        p.Z = gateway_room(nv * p.n / 2), p.X = gateway_room(nv * p.n / 2), p.P = gateway_room(nv * p.n / 2);
        const hml_constrained_reduction x = {.struct_size = sizeof x,
                                             .q = q,
                                             .v = v,
                                             .tau = tau,
                                             .freedom = freedom,
                                             .Z = p.Z,
                                             .X = p.X,
                                             .P = p.P,
                                             .A = p.A,
                                             .B = all};
        gateway_check(hml_constrained_reduce(r->model, r->work, held, scratch, &x));
    } else {
        const hml_linearization x = {
            .struct_size = sizeof x, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}, .A = {p.A, 0, 0}, .B = {all, 0, 0}};
        gateway_check(hml_linearize(r->model, r->work, &x));
    }
    for (size_t i = 0; i < p.n; i++) {
        for (size_t c = 0; c < p.m; c++) p.B[i * p.m + c] = all[i * nv + p.columns[c]];
    }
    return p;
}

/* entry of T, 2nv × n: (z, w) = T (y, u) with z = Z y, w = X y + Z u */
static double motion(const plant *p, size_t i, size_t c)
{
    const size_t r = p->n / 2, nv = p->nv;
    if (i < nv) return c < r ? p->Z[i * r + c] : 0;
    return c < r ? p->X[(i - nv) * r + c] : p->Z[(i - nv) * r + c - r];
}

/* Tᵀ Q T of a weight of all coordinates */
static double *reduce_weight(const plant *p, double *Q)
{
    if (!p->Z) return Q;
    const size_t all = 2 * p->nv, n = p->n;
    double *QT = gateway_room(all * n), *reduced = gateway_room(n * n);
    for (size_t i = 0; i < all * n; i++) {
        for (size_t k = 0; k < all; k++) QT[i] += Q[i / n * all + k] * motion(p, k, i % n);
    }
    for (size_t i = 0; i < n * n; i++) {
        for (size_t k = 0; k < all; k++) reduced[i] += motion(p, k, i / n) * QT[k * n + i % n];
    }
    return reduced;
}

/* the gain of all coordinates, m × 2nv: y = P z, u = P w */
static double *widen_gain(const plant *p, double *K)
{
    if (!p->Z) return K;
    const size_t r = p->n / 2, nv = p->nv;
    double *wide = gateway_room(p->m * 2 * nv);
    for (size_t i = 0; i < p->m; i++) {
        for (size_t c = 0; c < 2 * nv; c++) {
            const size_t half = c / nv;
            for (size_t k = 0; k < r; k++)
                wide[i * 2 * nv + c] += K[i * p->n + half * r + k] * p->P[k * nv + c - half * nv];
        }
    }
    return wide;
}

/* lqr(q, v, tau or [], Q, R, held): weights are numbers or matrices; inputs are the actuated coordinates */
void command_lqr(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t one = 1;
    const double *q = gateway_states(in[0], "q", r->nq, &one), *v = gateway_states(in[1], "v", r->nv, &one);
    const double *tau = gateway_states_or_none(in[2], "tau", r->nv, &one);
    const hml_constraints held = held_points(r, in[5]);
    const plant p = linearize_plant(r, q, v, tau, &held);
    const size_t n = p.n, m = p.m;
    double *K = gateway_room(m * n), *P = gateway_room(n * n), *poles = gateway_room(2 * n);
    const hml_lqr problem = {.struct_size = sizeof problem,
                             .n = n,
                             .m = m,
                             .A = p.A,
                             .B = p.B,
                             .Q = reduce_weight(&p, weight(in[3], "Q", 2 * r->nv)),
                             .R = weight(in[4], "R", m),
                             .K = K,
                             .P = P,
                             .poles = poles};
    hml_lqr_report report = {.struct_size = sizeof report};
    gateway_check(hml_lqr_solve(&problem, gateway_room(hml_lqr_scratch_doubles(n, m)), &report));
    mxArray *s = *out = mxCreateStructMatrix(1, 1, 0, NULL);
    gateway_set_matrices(s, "K", m, 2 * r->nv, 1, widen_gain(&p, K));
    gateway_set_matrices(s, "P", n, n, 1, P);
    gateway_set_matrices(s, "poles", n, 2, 1, poles);
    gateway_set_number(s, "residual", report.residual);
    gateway_set_matrices(s, "A", n, n, 1, p.A);
    gateway_set_matrices(s, "B", n, m, 1, p.B);
    if (p.Z) gateway_set_matrices(s, "basis", r->nv, n / 2, 1, p.Z);
    gateway_set_input_names(s, r, m, p.columns);
}

/* ---- trim ---- */

/* trim(guess, v or [], names of frames that are held as points, 1: every coordinate has a motor) */
void command_trim(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t one = 1;
    const double *guess = gateway_states(in[0], "q", r->nq, &one);
    const double *v = gateway_states_or_none(in[1], "v", r->nv, &one);
    const hml_constraints holds = held_points(r, in[2]);
    const size_t count = (size_t)holds.count;
    const int all = gateway_number(in[3], "inputs") != 0;
    int *actuated = mxCalloc(r->nv + 1, sizeof *actuated);
    for (size_t i = 0; i < r->nv; i++) actuated[i] = 1;
    hml_trim_report report = {.struct_size = sizeof report};
    hml_trim_problem p = {.struct_size = sizeof p, .guess = guess, .v = v, .report = &report};
    if (count) p.holds = &holds;
    if (all) p.actuated = actuated;
    p.q = gateway_room(r->nq), p.tau = gateway_room(r->nv), p.residual = gateway_room(r->nv);
    p.lambda = gateway_room(3 * count);
    hml_error error = {0};
    const hml_status status =
        hml_trim(r->model, r->work, &p, gateway_room(hml_trim_scratch_doubles(r->model, &p)), &error);
    if (status) gateway_fail(status, *error.message ? error.message : NULL);
    mxArray *s = *out = mxCreateStructMatrix(1, 1, 0, NULL);
    gateway_set_vector(s, "position", r->nq, p.q);
    gateway_set_vector(s, "torque", r->nv, p.tau);
    gateway_set_vector(s, "force", 3 * count, p.lambda);
    gateway_set_vector(s, "residual", r->nv, p.residual);
    gateway_set_number(s, "cost", report.cost);
    gateway_set_number(s, "iterations", (double)report.iterations);
}
