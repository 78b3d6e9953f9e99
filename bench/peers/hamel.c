/* Hamel as a contender of itself: one state a call, and batches. An algorithm is a line of the tables at the end. */
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "measure.h"

typedef struct hamel {
    const bench_robot *robot;
    const hml_model *model;
    hml_work *work;
    void *scratch;    /* of the reference; NULL: it does not have this robot */
    void *recursive;  /* of textbook.h and parameters.h; NULL: mimic followers */
    int32_t *parents; /* of the coordinates */
    size_t nq, nv, nn, states;
    int failed;
    double *memory, *q, *v, *u; /* inputs: q of every state, … */
    double *out, *Dq, *Dv, *Minv, *A, *B;
    hml_constraint feet[BENCH_FEET];
    hml_constraints held;
    double *constraint_scratch, *lambda[4]; /* λ, and its derivatives, which the peers compute as well */
    double *step_scratch;
    double *next; /* nv of every state: ν⁺ */
    double *Y;    /* the regressor, or A and Ȧ, or derivatives of the momentum */
} hamel;

typedef hml_status call(hamel *h, size_t s);

/* ---- one state ---- */

static hml_status linearize(hamel *h, size_t s)
{
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = h->q + s * h->nq, x.v.data = h->v + s * h->nv, x.tau.data = h->u + s * h->nv;
    x.acceleration.data = h->out, x.A.data = h->A, x.B.data = h->B;
    return hml_linearize(h->model, h->work, &x);
}

static hml_status held_linearize(hamel *h, size_t s)
{
    hml_constrained_linearization x = {.struct_size = sizeof x};
    x.q = h->q + s * h->nq, x.v = h->v + s * h->nv, x.tau = h->u + s * h->nv;
    x.acceleration = h->out, x.Dq = h->Dq, x.Dv = h->Dv, x.Dtau = h->Minv; /* what the peers compute */
    x.lambda = h->lambda[0], x.lambda_q = h->lambda[1], x.lambda_v = h->lambda[2], x.lambda_tau = h->lambda[3];
    if (!h->held.count) return HML_UNSUPPORTED;
    return hml_constrained_linearize(h->model, h->work, &h->held, h->constraint_scratch, &x);
}

static hml_status take_step(hamel *h, size_t s, hml_scheme scheme)
{
    hml_discrete_step x = {.struct_size = sizeof x, .scheme = scheme, .h = BENCH_STEP};
    x.q.data = h->q + s * h->nq, x.v.data = h->v + s * h->nv, x.tau.data = h->u + s * h->nv;
    x.q_next.data = h->out, x.v_next.data = h->next, x.Ad.data = h->A, x.Bd.data = h->B;
    return hml_step(h->model, h->work, h->step_scratch, &x);
}

static hml_status step_linearize(hamel *h, size_t s) { return take_step(h, s, HML_SCHEME_EULER); }
static hml_status step_rk4(hamel *h, size_t s) { return take_step(h, s, HML_SCHEME_RK4); }

static hml_status inverse_dynamics_derivatives(hamel *h, size_t s)
{
    return hml_inverse_dynamics_derivatives(h->model, h->work, h->q + s * h->nq, h->v + s * h->nv, h->u + s * h->nv,
                                            NULL, h->Dq, h->Dv, NULL);
}

static hml_status coriolis(hamel *h, size_t s)
{
    if (!h->recursive) return HML_UNSUPPORTED;
    return hml_coriolis_matrix(h->model, h->recursive, h->q + s * h->nq, h->v + s * h->nv, h->Dq, NULL);
}

static hml_status regressor(hamel *h, size_t s)
{
    if (!h->recursive) return HML_UNSUPPORTED;
    return hml_regressor(h->model, h->recursive, h->q + s * h->nq, h->v + s * h->nv, h->u + s * h->nv, h->Y);
}

static hml_status centroidal(hamel *h, size_t s)
{
    const hml_centroidal_motion x = {.struct_size = sizeof x, .A = h->Y, .Adot = h->Y + 6 * h->nv};
    return hml_centroidal(h->model, h->work, h->q + s * h->nq, h->v + s * h->nv, NULL, &x);
}

static hml_status frame_jacobian(hamel *h, size_t s)
{
    const hml_frame_motion x = {.struct_size = sizeof x, .pose = h->Y, .J = h->out};
    const int32_t last = (int32_t)h->robot->nbodies - 1;
    return hml_frame(h->model, h->work, last, HML_LEFT, h->q + s * h->nq, NULL, NULL, &x);
}

static hml_status frame_rate(hamel *h, size_t s)
{
    const hml_frame_motion x = {.struct_size = sizeof x, .pose = h->Y, .J = h->out, .Jdot = h->Y + 16};
    const int32_t last = (int32_t)h->robot->nbodies - 1;
    return hml_frame(h->model, h->work, last, HML_LEFT, h->q + s * h->nq, h->v + s * h->nv, NULL, &x);
}

static hml_status frame_derivatives(hamel *h, size_t s)
{
    const size_t n = 6 * h->nv;
    const hml_frame_derivative x = {.struct_size = sizeof x,
                                    .twist_q = h->Y,
                                    .acceleration_q = h->Y + n,
                                    .acceleration_v = h->Y + 2 * n,
                                    .acceleration_a = h->Y + 3 * n};
    return hml_frame_derivatives(h->model, h->work, (int32_t)h->robot->nbodies - 1, HML_LEFT, h->q + s * h->nq,
                                 h->v + s * h->nv, h->u + s * h->nv, &x);
}

static hml_status com_derivative(hamel *h, size_t s)
{
    const hml_centroidal_derivative x = {.struct_size = sizeof x, .com_velocity_q = h->out};
    return hml_centroidal_derivatives(h->model, h->work, h->q + s * h->nq, h->v + s * h->nv, NULL, &x);
}

static hml_status static_torque(hamel *h, size_t s)
{
    return hml_static_torque(h->model, h->work, h->q + s * h->nq, h->robot->wrenches, NULL, h->Dq);
}

static hml_status com_jacobian(hamel *h, size_t s)
{
    const hml_centroidal_motion x = {.struct_size = sizeof x, .com = h->Y, .com_J = h->out};
    return hml_centroidal(h->model, h->work, h->q + s * h->nq, NULL, NULL, &x);
}

static hml_status gravity(hamel *h, size_t s)
{
    return hml_gravity_torque(h->model, h->work, h->q + s * h->nq, h->out, h->Dq);
}

/* what is asked for of ∂h/∂q, ∂ḣ/∂q, ∂ḣ/∂ν and A, one after the other in Y */
static hml_status centroidal_derivatives(hamel *h, size_t s)
{
    const size_t n = 6 * h->nv;
    const double *q = h->q + s * h->nq, *v = h->v + s * h->nv, *a = h->u + s * h->nv;
    const hml_centroidal_motion x = {.struct_size = sizeof x, .A = h->Y + 3 * n};
    const hml_centroidal_derivative d = {
        .struct_size = sizeof d, .momentum_q = h->Y, .momentum_rate_q = h->Y + n, .momentum_rate_v = h->Y + 2 * n};
    const hml_status status = hml_centroidal_derivatives(h->model, h->work, q, v, a, &d);
    return status ? status : hml_centroidal(h->model, h->work, q, v, a, &x);
}

static hml_status inverse_mass_matrix(hamel *h, size_t s)
{
    return hml_inverse_mass_matrix(h->model, h->work, h->q + s * h->nq, h->Minv);
}

/* forward differences; in τ the dynamics are affine: step 1 */
static hml_status differences(hamel *h, size_t s)
{
    const double step = 1.5e-8, *q = h->q + s * h->nq; /* the square root of round-off */
    const size_t nv = h->nv;
    double *v = h->A, *tau = v + nv, *z = tau + nv, *a = z + nv, *moved = a + nv; /* A has room for them */
    memcpy(v, h->v + s * nv, nv * sizeof *v);
    memcpy(tau, h->u + s * nv, nv * sizeof *tau);
    memset(z, 0, nv * sizeof *z);
    hml_status status = hml_forward_dynamics(h->model, h->work, q, v, tau, NULL, h->out);
    for (size_t i = 0; i < nv && !status; i++) {
        const double v_i = v[i], tau_i = tau[i];
        z[i] = step;
        status = hml_configuration_integrate(h->model, q, z, moved);
        z[i] = 0;
        if (!status) status = hml_forward_dynamics(h->model, h->work, moved, v, tau, NULL, a);
        for (size_t k = 0; k < nv; k++) h->Dq[k * nv + i] = (a[k] - h->out[k]) / step;
        v[i] += step;
        if (!status) status = hml_forward_dynamics(h->model, h->work, q, v, tau, NULL, a);
        for (size_t k = 0; k < nv; k++) h->Dv[k * nv + i] = (a[k] - h->out[k]) / step;
        v[i] = v_i, tau[i] += 1;
        if (!status) status = hml_forward_dynamics(h->model, h->work, q, v, tau, NULL, a);
        for (size_t k = 0; k < nv; k++) h->Minv[k * nv + i] = a[k] - h->out[k];
        tau[i] = tau_i;
    }
    return status;
}

static hml_status reference(hamel *h, size_t s)
{
    if (!h->scratch) return HML_UNSUPPORTED;
    return hml_reference_linearize(h->model, h->scratch, h->q + s * h->nq, h->v + s * h->nv, h->u + s * h->nv, h->out,
                                   h->A, h->B);
}

static hml_status inverse_dynamics(hamel *h, size_t s)
{
    return hml_inverse_dynamics(h->model, h->work, h->q + s * h->nq, h->v + s * h->nv, h->u + s * h->nv, NULL, h->out);
}

static hml_status forward_dynamics(hamel *h, size_t s)
{
    return hml_forward_dynamics(h->model, h->work, h->q + s * h->nq, h->v + s * h->nv, h->u + s * h->nv, NULL, h->out);
}

static hml_status mass_matrix(hamel *h, size_t s)
{
    return hml_mass_matrix(h->model, h->work, h->q + s * h->nq, h->Minv);
}

static hml_status factorization(hamel *h, size_t s)
{
    hml_status status = mass_matrix(h, s);
    if (!status) status = hml_ltdl_factor((int32_t)h->nv, h->parents, h->Minv);
    for (size_t i = 0; i < h->nv; i++) h->out[i] = h->Minv[i * h->nv + i];
    return status;
}

static hml_status kinematics(hamel *h, size_t s) { return hml_body_poses(h->model, h->work, h->q + s * h->nq, h->out); }

static hml_status jacobians(hamel *h, size_t s)
{
    hml_jacobian_columns x = {.struct_size = sizeof x, .q = {h->q + s * h->nq, h->nq}, .J = {.data = h->out}};
    return hml_all_jacobians(h->model, h->work, &x);
}

static hml_status integrate(hamel *h, size_t s)
{
    return hml_configuration_integrate(h->model, h->q + s * h->nq, h->v + s * h->nv, h->out);
}

/* ---- all states ---- */

static hml_linearization all_states(const hamel *h)
{
    hml_linearization x = {.struct_size = sizeof x};
    x.q = (hml_input){h->q, h->nq}, x.v = (hml_input){h->v, h->nv}, x.tau = (hml_input){h->u, h->nv};
    x.acceleration.data = h->out;
    return x;
}

static hml_status linearize_batch(hamel *h, size_t s)
{
    hml_linearization x = all_states(h);
    (void)s;
    x.Dq.data = h->Dq, x.Dv.data = h->Dv, x.Minv.data = h->Minv;
    return hml_linearize_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status linearize_stream(hamel *h, size_t s)
{
    hml_linearization x = all_states(h);
    (void)s;
    x.A.data = h->A, x.B.data = h->B;
    return hml_linearize_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status held_linearize_batch(hamel *h, size_t s)
{
    hml_constrained_states x = {.struct_size = sizeof x};
    (void)s;
    x.q = (hml_input){h->q, h->nq}, x.v = (hml_input){h->v, h->nv}, x.tau = (hml_input){h->u, h->nv};
    x.acceleration.data = h->out, x.Dq.data = h->Dq, x.Dv.data = h->Dv, x.Dtau.data = h->Minv;
    x.lambda.data = h->lambda[0], x.lambda_q.data = h->lambda[1];
    x.lambda_v.data = h->lambda[2], x.lambda_tau.data = h->lambda[3];
    if (!h->held.count) return HML_UNSUPPORTED;
    return hml_constrained_linearize_batch(h->model, h->work, &h->held, h->constraint_scratch, h->states, &x, NULL);
}

static hml_status take_steps(hamel *h, hml_scheme scheme)
{
    hml_discrete_step x = {.struct_size = sizeof x, .scheme = scheme, .h = BENCH_STEP};
    x.q = (hml_input){h->q, h->nq}, x.v = (hml_input){h->v, h->nv}, x.tau = (hml_input){h->u, h->nv};
    x.q_next.data = h->out, x.v_next.data = h->next, x.Ad.data = h->A, x.Bd.data = h->B;
    return hml_step_linearize_batch(h->model, h->work, h->step_scratch, h->states, &x, NULL);
}

static hml_status step_linearize_batch(hamel *h, size_t s)
{
    (void)s;
    return take_steps(h, HML_SCHEME_EULER);
}

static hml_status step_rk4_batch(hamel *h, size_t s)
{
    (void)s;
    return take_steps(h, HML_SCHEME_RK4);
}

static hml_status kinematics_batch(hamel *h, size_t s)
{
    (void)s;
    return hml_body_poses_batch(h->model, h->work, h->states, (hml_input){h->q, h->nq}, (hml_output){.data = h->out},
                                NULL);
}

static hml_status integrate_batch(hamel *h, size_t s)
{
    (void)s;
    return hml_configuration_integrate_batch(h->model, h->work, h->states, (hml_input){h->q, h->nq},
                                             (hml_input){h->v, h->nv}, (hml_output){.data = h->out}, NULL);
}

static hml_status jacobians_batch(hamel *h, size_t s)
{
    hml_jacobian_columns x = {.struct_size = sizeof x, .q = {h->q, h->nq}, .J = {.data = h->out}};
    (void)s;
    return hml_all_jacobians_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_dynamics_states all_dynamics(const hamel *h)
{
    hml_dynamics_states x = {.struct_size = sizeof x};
    x.q = (hml_input){h->q, h->nq}, x.v = (hml_input){h->v, h->nv};
    x.tau = (hml_input){h->u, h->nv}, x.a = (hml_input){h->u, h->nv};
    return x;
}

static hml_status inverse_dynamics_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.torque.data = h->out;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status forward_dynamics_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.acceleration.data = h->out;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status inverse_dynamics_derivatives_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.dtau_dq.data = h->Dq, x.dtau_dv.data = h->Dv;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status mass_matrix_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.M.data = h->Minv;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status inverse_mass_matrix_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.Minv.data = h->Minv;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status coriolis_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.coriolis.data = h->Dq;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status regressor_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.regressor.data = h->Y;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status gravity_batch(hamel *h, size_t s)
{
    hml_dynamics_states x = all_dynamics(h);
    (void)s;
    x.gravity.data = h->out, x.gravity_q.data = h->Dq;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_centroidal_states all_centroidal(const hamel *h)
{
    hml_centroidal_states x = {.struct_size = sizeof x};
    x.q = (hml_input){h->q, h->nq}, x.v = (hml_input){h->v, h->nv}, x.a = (hml_input){h->u, h->nv};
    return x;
}

static hml_status centroidal_batch(hamel *h, size_t s)
{
    hml_centroidal_states x = all_centroidal(h);
    const size_t n = 6 * h->nv;
    (void)s;
    x.a.data = NULL;
    x.A = (hml_output){h->Y, 0, 2 * n}, x.Adot = (hml_output){h->Y + n, 0, 2 * n};
    return hml_centroidal_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status com_jacobian_batch(hamel *h, size_t s)
{
    hml_centroidal_states x = all_centroidal(h);
    (void)s;
    x.v.data = x.a.data = NULL;
    x.com.data = h->Y, x.com_J.data = h->out;
    return hml_centroidal_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status centroidal_derivatives_batch(hamel *h, size_t s)
{
    hml_centroidal_states x = all_centroidal(h);
    const size_t n = 6 * h->nv;
    (void)s;
    x.momentum_q = (hml_output){h->Y, 0, 4 * n}, x.momentum_rate_q = (hml_output){h->Y + n, 0, 4 * n};
    x.momentum_rate_v = (hml_output){h->Y + 2 * n, 0, 4 * n}, x.A = (hml_output){h->Y + 3 * n, 0, 4 * n};
    return hml_centroidal_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status frame_jacobian_batch(hamel *h, size_t s)
{
    const hml_frame_states x = {.struct_size = sizeof x, .q = {h->q, h->nq}, .pose.data = h->Y, .J.data = h->out};
    (void)s;
    return hml_frame_batch(h->model, h->work, (int32_t)h->robot->nbodies - 1, HML_LEFT, h->states, &x, NULL);
}

static hml_status frame_rate_batch(hamel *h, size_t s)
{
    const hml_frame_states x = {.struct_size = sizeof x,
                                .q = {h->q, h->nq},
                                .v = {h->v, h->nv},
                                .pose = {h->Y, 0, 16 + 6 * h->nv},
                                .J.data = h->out,
                                .Jdot = {h->Y + 16, 0, 16 + 6 * h->nv}};
    (void)s;
    return hml_frame_batch(h->model, h->work, (int32_t)h->robot->nbodies - 1, HML_LEFT, h->states, &x, NULL);
}

static hml_status frame_derivatives_batch(hamel *h, size_t s)
{
    const size_t n = 6 * h->nv;
    const hml_frame_states x = {.struct_size = sizeof x,
                                .q = {h->q, h->nq},
                                .v = {h->v, h->nv},
                                .a = {h->u, h->nv},
                                .twist_q = {h->Y, 0, 4 * n},
                                .acceleration_q = {h->Y + n, 0, 4 * n},
                                .acceleration_v = {h->Y + 2 * n, 0, 4 * n},
                                .J = {h->Y + 3 * n, 0, 4 * n}};
    (void)s;
    return hml_frame_batch(h->model, h->work, (int32_t)h->robot->nbodies - 1, HML_LEFT, h->states, &x, NULL);
}

static hml_status com_derivative_batch(hamel *h, size_t s)
{
    hml_centroidal_states x = all_centroidal(h);
    (void)s;
    x.a.data = NULL, x.com_velocity_q.data = h->out;
    return hml_centroidal_batch(h->model, h->work, h->states, &x, NULL);
}

static hml_status static_torque_batch(hamel *h, size_t s)
{
    const hml_dynamics_states x = {
        .struct_size = sizeof x, .q = {h->q, h->nq}, .wrenches = {h->robot->wrenches, 0}, .dtau_dq.data = h->Dq};
    (void)s;
    return hml_dynamics_batch(h->model, h->work, h->states, &x, NULL);
}

/* ---- a contender ---- */

size_t hamel_stream_states(size_t nv)
{
    const size_t bytes = (nv + 6 * nv * nv) * sizeof(double), limit = (size_t)512 << 20;
    return bytes * 4096 <= limit ? 4096 : limit / bytes;
}

static void hamel_close(void *self)
{
    hamel *h = self;
    hml_work_free(h->work);
    free(h->scratch), free(h->recursive), free(h->parents), free(h->constraint_scratch), free(h->lambda[0]),
        free(h->memory);
    free(h->step_scratch), free(h->next), free(h->Y), free(h);
}

static int hold_feet(hamel *h, const bench_robot *r)
{
    for (size_t i = 0; i < r->nfeet; i++)
        h->feet[i] =
            (hml_constraint){.kind = r->feet[i].rows == 6 ? HML_HOLD_FRAME : HML_HOLD_POINT, .frame = r->feet[i].frame};
    h->held = (hml_constraints){.struct_size = sizeof h->held, .items = h->feet, .count = (int32_t)r->nfeet};
    h->constraint_scratch = malloc(hml_constraint_scratch_doubles(r->model, &h->held) * sizeof(double));
    h->lambda[0] = calloc(h->states * 6 * (r->nfeet * (1 + 3 * r->nv) + 1), sizeof(double));
    for (size_t k = 1; k < 4; k++) h->lambda[k] = h->lambda[0] + h->states * 6 * r->nfeet * (1 + (k - 1) * r->nv);
    return h->constraint_scratch && h->lambda[0];
}

static int open_rest(hamel *h, const bench_robot *r, size_t stored)
{
    h->step_scratch = malloc(hml_step_scratch_doubles(r->model) * sizeof(double));
    h->next = calloc(h->states * r->nv, sizeof(double));
    h->Y = calloc((stored + 1) * (r->nv * 10 * r->nbodies + 24 * r->nv + 16), sizeof(double));
    return h->step_scratch && h->next && h->Y;
}

/* stored: how many states' results there is room for, of the D matrices and of A and B */
static void *hamel_open(const bench_robot *r, size_t states, size_t stored_D, size_t stored_AB)
{
    hamel *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    *h = (hamel){.robot = r, .model = r->model, .nq = r->nq, .nv = r->nv, .nn = r->nv * r->nv, .states = states};
    const size_t nn = h->nn, most = 16 * r->nbodies + 6 * r->nv + r->nq; /* out: poses, or columns, or less */
    const size_t room_AB = stored_AB * nn + 4 * r->nv + r->nq;           /* differences keep vectors there */
    const size_t reference_size = hml_reference_size(r->model), recursive_size = hml_recursive_size(r->model);
    if (reference_size) h->scratch = malloc(reference_size);
    if (recursive_size) h->recursive = malloc(recursive_size);
    h->parents = malloc((r->nv + 1) * sizeof *h->parents);
    const size_t inputs = (states * (r->nq + 2 * r->nv) + 7) / 8 * 8; /* results begin where a line of the cache does */
    const size_t all = (inputs + states * most + 3 * stored_D * nn + 6 * room_AB + 7) / 8 * 8;
    h->memory = aligned_alloc(64, all * sizeof *h->memory);
    if (!h->memory || !h->parents || hml_coordinate_parents(r->model, h->parents) || (reference_size && !h->scratch) ||
        (recursive_size && !h->recursive) || !hold_feet(h, r) || !open_rest(h, r, stored_D) ||
        hml_work_new(r->model, r->isa, HML_USE_ALL, &h->work)) {
        hamel_close(h);
        return NULL;
    }
    memset(h->memory, 1, all * sizeof *h->memory); /* its pages are there before the clock runs */
    h->q = h->memory, h->v = h->q + states * r->nq, h->u = h->v + states * r->nv, h->out = h->memory + inputs;
    h->Dq = h->out + states * most, h->Dv = h->Dq + stored_D * nn, h->Minv = h->Dv + stored_D * nn;
    h->A = h->Minv + stored_D * nn, h->B = h->A + 4 * room_AB;
    for (size_t s = 0; s < states; s++) {
        const size_t from = s % BENCH_STATES;
        memcpy(h->q + s * r->nq, r->q + from * r->nq, r->nq * sizeof *h->q);
        memcpy(h->v + s * r->nv, r->v + from * r->nv, r->nv * sizeof *h->v);
        memcpy(h->u + s * r->nv, r->u + from * r->nv, r->nv * sizeof *h->u);
    }
    return h;
}

static void *single_open(const bench_robot *r) { return hamel_open(r, BENCH_STATES, 1, 1); }
static void *batch_open(const bench_robot *r) { return hamel_open(r, BENCH_STATES, BENCH_STATES, BENCH_STATES); }

static void *stream_open(const bench_robot *r)
{
    const size_t states = hamel_stream_states(r->nv);
    return states < 1024 ? NULL : hamel_open(r, states, 0, states); /* no stream any more */
}

/* absent: the library has no such call */
static call *const single_calls[BENCH_ALGORITHMS] = {
    [BENCH_LINEARIZE] = linearize,
    [BENCH_HELD] = held_linearize,
    [BENCH_DIFFERENCES] = differences,
    [BENCH_REFERENCE] = reference,
    [BENCH_INVERSE_DYNAMICS] = inverse_dynamics,
    [BENCH_FORWARD_DYNAMICS] = forward_dynamics,
    [BENCH_MASS_MATRIX] = mass_matrix,
    [BENCH_FACTORIZATION] = factorization,
    [BENCH_INVERSE_MASS_MATRIX] = inverse_mass_matrix,
    [BENCH_KINEMATICS] = kinematics,
    [BENCH_JACOBIANS] = jacobians,
    [BENCH_INTEGRATE] = integrate,
    [BENCH_STEP_LINEARIZE] = step_linearize,
    [BENCH_RNEA_DERIVATIVES] = inverse_dynamics_derivatives,
    [BENCH_CORIOLIS] = coriolis,
    [BENCH_REGRESSOR] = regressor,
    [BENCH_CENTROIDAL] = centroidal,
    [BENCH_FRAME_JACOBIAN] = frame_jacobian,
    [BENCH_COM_JACOBIAN] = com_jacobian,
    [BENCH_GRAVITY] = gravity,
    [BENCH_CENTROIDAL_DERIVATIVES] = centroidal_derivatives,
    [BENCH_FRAME_RATE] = frame_rate,
    [BENCH_FRAME_DERIVATIVES] = frame_derivatives,
    [BENCH_COM_DERIVATIVE] = com_derivative,
    [BENCH_STATIC_TORQUE] = static_torque,
    [BENCH_STEP_RK4] = step_rk4,
};
static call *const batch_calls[BENCH_ALGORITHMS] = {
    [BENCH_LINEARIZE] = linearize_batch,
    [BENCH_HELD] = held_linearize_batch,
    [BENCH_INVERSE_DYNAMICS] = inverse_dynamics_batch,
    [BENCH_FORWARD_DYNAMICS] = forward_dynamics_batch,
    [BENCH_MASS_MATRIX] = mass_matrix_batch,
    [BENCH_INVERSE_MASS_MATRIX] = inverse_mass_matrix_batch,
    [BENCH_KINEMATICS] = kinematics_batch,
    [BENCH_JACOBIANS] = jacobians_batch,
    [BENCH_INTEGRATE] = integrate_batch,
    [BENCH_STEP_LINEARIZE] = step_linearize_batch,
    [BENCH_RNEA_DERIVATIVES] = inverse_dynamics_derivatives_batch,
    [BENCH_CORIOLIS] = coriolis_batch,
    [BENCH_REGRESSOR] = regressor_batch,
    [BENCH_CENTROIDAL] = centroidal_batch,
    [BENCH_FRAME_JACOBIAN] = frame_jacobian_batch,
    [BENCH_COM_JACOBIAN] = com_jacobian_batch,
    [BENCH_GRAVITY] = gravity_batch,
    [BENCH_CENTROIDAL_DERIVATIVES] = centroidal_derivatives_batch,
    [BENCH_FRAME_RATE] = frame_rate_batch,
    [BENCH_FRAME_DERIVATIVES] = frame_derivatives_batch,
    [BENCH_COM_DERIVATIVE] = com_derivative_batch,
    [BENCH_STATIC_TORQUE] = static_torque_batch,
    [BENCH_STEP_RK4] = step_rk4_batch,
};
static call *const stream_calls[BENCH_ALGORITHMS] = {[BENCH_LINEARIZE] = linearize_stream};

static size_t single_run(void *self, bench_algorithm algorithm, size_t states)
{
    hamel *h = self;
    for (size_t k = 0; k < states; k++) {
        if (single_calls[algorithm](h, k % BENCH_STATES)) return 0;
    }
    return states;
}

static size_t run_whole(hamel *h, call *batch, size_t states)
{
    size_t done = 0;
    for (; batch && done < states; done += h->states) {
        if (batch(h, 0)) return 0;
    }
    return done;
}

static size_t batch_run(void *self, bench_algorithm algorithm, size_t states)
{
    return run_whole(self, batch_calls[algorithm], states);
}

static size_t stream_run(void *self, bench_algorithm algorithm, size_t states)
{
    return run_whole(self, stream_calls[algorithm], states);
}

/* ---- results of the first state ---- */

static void copy(const double *from, size_t n, double *to) { memcpy(to, from, n * sizeof *to); }

/* the lower half of A, or of B, whose rows are ld long */
static void block(const double *from, size_t ld, size_t column, size_t nv, double *to)
{
    for (size_t i = 0; i < nv; i++) copy(from + (nv + i) * ld + column, nv, to + i * nv);
}

static void multiply(size_t rows, size_t columns, const double *A, const double *x, double *out)
{
    for (size_t i = 0; i < rows; i++) {
        out[i] = 0;
        for (size_t k = 0; k < columns; k++) out[i] += A[i * columns + k] * x[k];
    }
}

/* Y π */
static int torque_of(const hamel *h, double *out)
{
    const size_t count = 10 * h->robot->nbodies;
    double *parameters = malloc(count * sizeof *parameters);
    const int ok = parameters && !hml_model_parameters(h->model, parameters);
    if (ok) multiply(h->nv, count, h->Y, parameters, out);
    free(parameters);
    return ok;
}

static int single_result(void *self, bench_algorithm algorithm, double *out)
{
    const hamel *h = self;
    const size_t nv = h->nv, nn = h->nn;
    switch (algorithm) {
    case BENCH_LINEARIZE:
    case BENCH_REFERENCE:
        copy(h->out, nv, out);
        block(h->A, 2 * nv, 0, nv, out + nv);
        block(h->A, 2 * nv, nv, nv, out + nv + nn);
        block(h->B, nv, 0, nv, out + nv + 2 * nn);
        return 1;
    case BENCH_HELD:
    case BENCH_DIFFERENCES:
        copy(h->out, nv, out);
        copy(h->Dq, nn, out + nv), copy(h->Dv, nn, out + nv + nn), copy(h->Minv, nn, out + nv + 2 * nn);
        return 1;
    case BENCH_MASS_MATRIX:
    case BENCH_INVERSE_MASS_MATRIX: copy(h->Minv, nn, out); return 1;
    case BENCH_KINEMATICS:
        for (size_t i = 0; i < h->robot->nbodies; i++) {
            for (size_t k = 0; k < 3; k++) {
                copy(h->out + 16 * i + 4 * k, 3, out + 12 * i + 3 * k);
                out[12 * i + 9 + k] = h->out[16 * i + 4 * k + 3];
            }
        }
        return 1;
    case BENCH_FRAME_JACOBIAN:
    case BENCH_JACOBIANS: copy(h->out, 6 * nv, out); return 1;
    case BENCH_STEP_RK4:
    case BENCH_STEP_LINEARIZE: copy(h->A, 4 * nn, out), copy(h->B, 2 * nn, out + 4 * nn); return 1;
    case BENCH_RNEA_DERIVATIVES: copy(h->Dq, nn, out), copy(h->Dv, nn, out + nn); return 1;
    case BENCH_CORIOLIS: multiply(nv, nv, h->Dq, h->v, out); return 1;
    case BENCH_REGRESSOR: return torque_of(h, out);
    case BENCH_CENTROIDAL: copy(h->Y, 12 * nv, out); return 1;
    case BENCH_COM_DERIVATIVE:
    case BENCH_COM_JACOBIAN: copy(h->out, 3 * nv, out); return 1;
    case BENCH_FRAME_RATE: copy(h->out, 6 * nv, out), copy(h->Y + 16, 6 * nv, out + 6 * nv); return 1;
    case BENCH_STATIC_TORQUE: copy(h->Dq, nn, out); return 1;
    case BENCH_GRAVITY: copy(h->out, nv, out), copy(h->Dq, nn, out + nv); return 1;
    case BENCH_FRAME_DERIVATIVES:
    case BENCH_CENTROIDAL_DERIVATIVES: copy(h->Y, 24 * nv, out); return 1;
    case BENCH_INTEGRATE: copy(h->out, h->nq, out); return 1;
    default: copy(h->out, nv, out); return 1;
    }
}

static int batch_result(void *self, bench_algorithm algorithm, double *out)
{
    return single_result(self, algorithm == BENCH_LINEARIZE ? BENCH_DIFFERENCES : algorithm, out);
}

const bench_contender hamel_single = {"hamel",    "one call per state", single_open,
                                      single_run, single_result,        hamel_close};
const bench_contender hamel_batch = {"hamel-batch", "64 states per call", batch_open,
                                     batch_run,     batch_result,         hamel_close};
const bench_contender hamel_stream = {"hamel-stream", "4096 states per call", stream_open,
                                      stream_run,     single_result,          hamel_close};
