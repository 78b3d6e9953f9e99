/* Commands of the gateway: what a robot is, where its frames are, its dynamics and linearization. */
#include "gateway.h"

/* ---- the robot ---- */

void command_info(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin, (void)in;
    mxArray *s = mxCreateStructMatrix(1, 1, 0, NULL);
    const size_t nframes = (size_t)hml_model_nframes(r->model), njoints = (size_t)hml_model_njoints(r->model);
    const char **frames = mxCalloc(nframes + 1, sizeof *frames), **joints = mxCalloc(njoints + 1, sizeof *joints);
    size_t *columns = mxCalloc(r->nv + 1, sizeof *columns);
    for (size_t i = 0; i < nframes; i++) {
        hml_frame_info info = {.struct_size = sizeof info};
        gateway_check(hml_model_frame(r->model, (int32_t)i, &info));
        frames[i] = info.name;
    }
    for (size_t i = 0; i < njoints; i++) {
        hml_joint_info info = {.struct_size = sizeof info};
        gateway_check(hml_model_joint(r->model, (int32_t)i, &info));
        joints[i] = info.name;
    }
    for (size_t i = 0; i < r->nv; i++) columns[i] = i;
    gateway_set(s, "name", mxCreateString(hml_model_name(r->model)));
    gateway_set_number(s, "nq", (double)r->nq);
    gateway_set_number(s, "nv", (double)r->nv);
    gateway_set_number(s, "nbodies", (double)hml_model_nbodies(r->model));
    gateway_set_number(s, "mass", hml_model_mass(r->model));
    gateway_set_names(s, "joints", njoints, joints);
    gateway_set_names(s, "frames", nframes, frames);
    gateway_set_input_names(s, r, r->nv, columns);
    gateway_set(s, "velocity_names", mxDuplicateArray(mxGetField(s, 0, "input_names")));
    mxDestroyArray(mxGetField(s, 0, "input_names"));
    mxSetField(s, 0, "input_names", NULL);
    gateway_set_input_names(s, r, gateway_inputs(r, 0, columns), columns);
    *out = s;
}

void command_neutral(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin, (void)in;
    *out = mxCreateDoubleMatrix(r->nq, 1, mxREAL);
    gateway_check(hml_configuration_neutral(r->model, mxGetPr(*out)));
}

/* integrate(q, v): q ⊕ v */
void command_integrate(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t n = 0;
    const double *q = gateway_states(in[0], "q", r->nq, &n), *v = gateway_states(in[1], "v", r->nv, &n);
    *out = mxCreateDoubleMatrix(r->nq, n, mxREAL);
    for (size_t i = 0; i < n; i++) {
        gateway_check(hml_configuration_integrate(r->model, q + i * r->nq, v + i * r->nv, mxGetPr(*out) + i * r->nq));
    }
}

/* ---- linearization ---- */

/* what is computed, row-major, for n states */
typedef struct linear_rooms {
    double *A, *B, *acceleration;
    hml_status *status;
} linear_rooms;

static void linearize_all(gateway_robot *r, size_t n, const double *q, const double *v, const double *tau,
                          linear_rooms *x)
{
    const size_t nv = r->nv;
    x->A = gateway_room(n * 4 * nv * nv);
    x->B = gateway_room(n * 2 * nv * nv);
    x->acceleration = gateway_room(n * nv);
    x->status = mxCalloc(n + 1, sizeof *x->status);
    const hml_linearization arguments = {.struct_size = sizeof arguments,
                                         .q = {q, r->nq},
                                         .v = {v, nv},
                                         .tau = {tau, nv},
                                         .acceleration = {x->acceleration, 0, 0},
                                         .A = {x->A, 0, 0},
                                         .B = {x->B, 0, 0}};
    const hml_status whole = hml_linearize_batch(r->model, r->work, n, &arguments, x->status);
    if (whole == HML_INVALID_ARGUMENT || whole == HML_OUT_OF_MEMORY || n == 1) gateway_check(whole);
}

/* linearize(q, v, tau or [], all inputs, representation) */
void command_linearize(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t n = 0;
    const size_t nv = r->nv;
    const double *q = gateway_states(in[0], "q", r->nq, &n), *v = gateway_states(in[1], "v", nv, &n);
    const double *tau = gateway_states_or_none(in[2], "tau", nv, &n);
    const int all = gateway_number(in[3], "inputs") != 0;
    const hml_representation to = gateway_representation(in[4]);
    size_t *columns = mxCalloc(nv + 1, sizeof *columns);
    const size_t m = gateway_inputs(r, all, columns);
    linear_rooms x;
    linearize_all(r, n, q, v, tau, &x);
    double *B = gateway_room(n * 2 * nv * m), *status = gateway_room(n);
    for (size_t i = 0; i < n; i++) {
        double *A = x.A + i * 4 * nv * nv, *Bi = B + i * 2 * nv * m, *a = x.acceleration + i * nv;
        for (size_t k = 0; k < 2 * nv; k++) {
            for (size_t c = 0; c < m; c++) Bi[k * m + c] = x.B[(i * 2 * nv + k) * nv + columns[c]];
        }
        status[i] = (double)x.status[i];
        if (x.status[i] || to == HML_LEFT) continue;
        const double *qi = q + i * r->nq, *vi = v + i * nv;
        gateway_check(hml_linearization_to_representation(r->model, to, qi, vi, a, (int32_t)m, A, Bi));
        gateway_check(hml_acceleration_to_representation(r->model, to, qi, vi, a, a));
    }
    mxArray *s = *out = mxCreateStructMatrix(1, 1, 0, NULL);
    gateway_set_matrices(s, "A", 2 * nv, 2 * nv, n, x.A);
    gateway_set_matrices(s, "B", 2 * nv, m, n, B);
    mxArray *acceleration = mxCreateDoubleMatrix(nv, n, mxREAL); /* a column per state: as it is */
    memcpy(mxGetPr(acceleration), x.acceleration, n * nv * sizeof(double));
    gateway_set(s, "acceleration", acceleration);
    gateway_set_vector(s, "status", n, status);
    gateway_set_input_names(s, r, m, columns);
}

/* ---- dynamics ---- */

/* dynamics(q, v, tau or [], representation), of one state */
void command_dynamics(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t n = 1;
    const size_t nv = r->nv;
    const double *q = gateway_states(in[0], "q", r->nq, &n), *v = gateway_states(in[1], "v", nv, &n);
    const double *tau = gateway_states_or_none(in[2], "tau", nv, &n);
    const hml_representation to = gateway_representation(in[3]);
    double com[3], momentum[6];
    double *M = gateway_room(nv * nv), *h = gateway_room(nv), *gravity = gateway_room(nv), *a = gateway_room(nv);
    hml_dynamics_result d = {.struct_size = sizeof d,
                             .M = M,
                             .h = h,
                             .gravity = gravity,
                             .acceleration = a,
                             .com = com,
                             .centroidal_momentum = momentum};
    gateway_check(hml_dynamics(r->model, r->work, q, v, tau, NULL, &d));
    gateway_check(hml_dynamics_to_representation(r->model, to, q, v, M, h));
    gateway_check(hml_force_to_representation(r->model, to, q, gravity, gravity));
    gateway_check(hml_acceleration_to_representation(r->model, to, q, v, a, a));
    mxArray *s = *out = mxCreateStructMatrix(1, 1, 0, NULL);
    gateway_set_matrices(s, "M", nv, nv, 1, M);
    gateway_set_vector(s, "h", nv, h);
    gateway_set_vector(s, "gravity", nv, gravity);
    gateway_set_vector(s, "acceleration", nv, a);
    gateway_set_vector(s, "com", 3, com);
    gateway_set_vector(s, "centroidal_momentum", 6, momentum);
    gateway_set_number(s, "kinetic_energy", d.kinetic_energy);
    gateway_set_number(s, "potential_energy", d.potential_energy);
}

/* ---- frames ---- */

/* jacobian(frame, q, v, representation) */
void command_jacobian(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in)
{
    (void)nout, (void)nin;
    size_t n = 1;
    const int32_t frame = gateway_frame(r, gateway_text(in[0], "the frame"));
    const double *q = gateway_states(in[1], "q", r->nq, &n), *v = gateway_states(in[2], "v", r->nv, &n);
    const hml_representation to = gateway_representation(in[3]);
    double pose[16], twist[6], *J = gateway_room(6 * r->nv), *Jdot = gateway_room(6 * r->nv);
    const hml_frame_motion motion = {.struct_size = sizeof motion, .pose = pose, .J = J, .Jdot = Jdot, .twist = twist};
    gateway_check(hml_frame(r->model, r->work, frame, to, q, v, NULL, &motion));
    gateway_check(hml_jacobian_to_representation(r->model, to, q, v, 6, J, Jdot));
    mxArray *s = *out = mxCreateStructMatrix(1, 1, 0, NULL);
    gateway_set_matrices(s, "pose", 4, 4, 1, pose);
    gateway_set_matrices(s, "J", 6, r->nv, 1, J);
    gateway_set_matrices(s, "Jdot", 6, r->nv, 1, Jdot);
    gateway_set_vector(s, "twist", 6, twist);
}
