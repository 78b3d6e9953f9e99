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

/* lqr(q, v, tau or [], Q, R): weights are numbers or matrices; inputs are the actuated coordinates */
void command_lqr(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t one = 1, *columns = mxCalloc(r->nv + 1, sizeof *columns);
    const size_t nv = r->nv, n = 2 * nv, m = gateway_inputs(r, 0, columns);
    const double *q = gateway_states(in[0], "q", r->nq, &one), *v = gateway_states(in[1], "v", nv, &one);
    const double *tau = gateway_states_or_none(in[2], "tau", nv, &one);
    if (m == 0) gateway_fail(HML_INVALID_ARGUMENT, "no joint of this robot is actuated");
    double *A = gateway_room(n * n), *all = gateway_room(n * nv), *B = gateway_room(n * m);
    const hml_linearization x = {
        .struct_size = sizeof x, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}, .A = {A, 0, 0}, .B = {all, 0, 0}};
    gateway_check(hml_linearize(r->model, r->work, &x));
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < m; c++) B[i * m + c] = all[i * nv + columns[c]];
    }
    double *K = gateway_room(m * n), *P = gateway_room(n * n), *poles = gateway_room(2 * n);
    const hml_lqr problem = {.struct_size = sizeof problem,
                             .n = n,
                             .m = m,
                             .A = A,
                             .B = B,
                             .Q = weight(in[3], "Q", n),
                             .R = weight(in[4], "R", m),
                             .K = K,
                             .P = P,
                             .poles = poles};
    hml_lqr_report report = {.struct_size = sizeof report};
    gateway_check(hml_lqr_solve(&problem, gateway_room(hml_lqr_scratch_doubles(n, m)), &report));
    mxArray *s = *out = mxCreateStructMatrix(1, 1, 0, NULL);
    gateway_set_matrices(s, "K", m, n, 1, K);
    gateway_set_matrices(s, "P", n, n, 1, P);
    gateway_set_matrices(s, "poles", n, 2, 1, poles);
    gateway_set_number(s, "residual", report.residual);
    gateway_set_input_names(s, r, m, columns);
}

/* ---- trim ---- */

/* trim(guess, v or [], names of frames that are held as points, 1: every coordinate has a motor) */
void command_trim(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t one = 1;
    const double *guess = gateway_states(in[0], "q", r->nq, &one);
    const double *v = gateway_states_or_none(in[1], "v", r->nv, &one);
    if (!mxIsCell(in[2])) gateway_fail(HML_INVALID_ARGUMENT, "the held frames must be a cell array of names");
    const size_t count = mxGetNumberOfElements(in[2]);
    const int all = gateway_number(in[3], "inputs") != 0;
    hml_constraint *items = mxCalloc(count + 1, sizeof *items);
    int *actuated = mxCalloc(r->nv + 1, sizeof *actuated);
    for (size_t i = 0; i < count; i++) {
        items[i] = (hml_constraint){.kind = HML_HOLD_POINT, .normal = {0, 0, 1}};
        items[i].frame = gateway_frame(r, gateway_text(mxGetCell(in[2], (mwIndex)i), "a held frame"));
    }
    for (size_t i = 0; i < r->nv; i++) actuated[i] = 1;
    const hml_constraints holds = {.struct_size = sizeof holds, .items = items, .count = (int32_t)count};
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
