/* What the tests of struct_size call: for every public struct that may grow, how it is filled and who takes it. */
#ifndef HML_TESTS_STRUCT_SIZE_CALLS_H
#define HML_TESTS_STRUCT_SIZE_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/cuda.h"
#include "hamel/generate.h"
#include "hamel/hamel.h"
#include "hamel/io.h"
#include "hamel/plan.h"
#include "hamel/states.h"
#include "hamel/view.h"

#define OK(call) assert_int_equal(call, HML_OK)

/* ---- the robot, and room for everything ---- */

enum { NV = 18, NQ = 19, NB = 13, MEMORY = 1 << 20 };

static hml_model *model;
static hml_work *work;
static hml_motion *motion;
static hml_contact *contact;
static double q[NQ], v[NV], tau[NV], *scratch, *out[12], lambda[6];
static void *memory, *contact_memory;

static int open_all(void **state)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    OK(hml_model_random(&spec, &model));
    assert_true(hml_model_nv(model) == NV && hml_model_nq(model) == NQ && hml_model_nbodies(model) == NB);
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    OK(hml_configuration_neutral(model, q));
    for (int i = 0; i < NV; i++) v[i] = 0.1 * i, tau[i] = 1 - 0.2 * i;
    scratch = calloc(MEMORY, sizeof *scratch);
    memory = calloc(MEMORY, sizeof(double));
    contact_memory = calloc(MEMORY, sizeof(double));
    for (int i = 0; i < 12; i++) out[i] = calloc((6 * NB) * (6 * NB) + 16, sizeof(double));
    hml_motion_options options;
    hml_motion_options_init(&options);
    options.balance = 1;
    OK(hml_motion_new(model, work, &options, NULL, 0, q, v, &motion));
    hml_contact_settings settings = {.struct_size = sizeof settings, .options = HML_CONTACT_BALANCE};
    OK(hml_contact_init(contact_memory, MEMORY, model, &settings, &contact));
    return state == NULL;
}

static int close_all(void **state)
{
    for (int i = 0; i < 12; i++) free(out[i]);
    free(contact_memory), free(memory), free(scratch);
    hml_motion_free(motion);
    hml_work_free(work);
    hml_model_free(model);
    return state == NULL;
}

/* ---- what is given where ---- */

static void fill_parallel(void *x) { *(hml_parallel *)x = HML_STRUCT(hml_parallel, .nworks = 1, .works = &work); }
static void fill_linearization(void *x)
{
    *(hml_linearization *)x = HML_STRUCT(hml_linearization, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0},
                                         .acceleration = {out[0], 0, 0}, .Dq = {out[1], 0, 0}, .Dv = {out[2], 0, 0},
                                         .Minv = {out[3], 0, 0}, .A = {out[4], 0, 0}, .B = {out[5], 0, 0});
}
static const double lqr_A[4] = {0, 1, 0, 0}, lqr_B[2] = {0, 1}, lqr_Q[4] = {1, 0, 0, 1};
static void fill_lqr(void *x)
{
    *(hml_lqr *)x = HML_STRUCT(hml_lqr, .n = 2, .m = 1, .A = lqr_A, .B = lqr_B, .Q = lqr_Q, .R = lqr_Q, .K = out[0],
                               .P = out[1], .closed = out[2], .poles = out[3]);
}
static void fill_lqr_horizon(void *x)
{
    *(hml_lqr_horizon *)x = HML_STRUCT(hml_lqr_horizon, .n = 2, .m = 1, .steps = 3, .A = {lqr_A, 0}, .B = {lqr_B, 0},
                                       .Q = {lqr_Q, 0}, .R = {lqr_Q, 0}, .Q_end = lqr_Q, .K = out[0], .P = out[1]);
}
static hml_status call_lqr_horizon(void *x) { return hml_lqr_horizon_solve(x, scratch, NULL); }
static hml_status call_lqr(void *x) { return hml_lqr_solve(x, scratch, NULL); }
static hml_status call_lqr_discrete(void *x) { return hml_lqr_solve_discrete(x, scratch, NULL); }
static void fill_lqr_report(void *x) { ((hml_lqr_report *)x)->struct_size = sizeof(hml_lqr_report); }
static hml_status call_lqr_report(void *x)
{
    hml_lqr problem;
    fill_lqr(&problem);
    return hml_lqr_solve(&problem, scratch, x);
}
static hml_mode modes[2];
static void fill_modes(void *x)
{
    *(hml_modes *)x = HML_STRUCT(hml_modes, .n = 2, .m = 1, .A = lqr_A, .B = lqr_B, .eigenvalues = out[0],
                                 .right = out[1], .left = out[2], .participation = out[3], .modes = modes);
}
static hml_status call_modes(void *x) { return hml_modes_solve(x, scratch, NULL); }
static void fill_problem(void *x)
{
    static const hml_phase phase = {.knots = 2, .h = 0.01};
    static const hml_term term = {.kind = HML_TERM_INPUT, .last = 1, .weight = 1};
    *(hml_problem *)x =
        HML_STRUCT(hml_problem, .model = model, .phases = &phase, .nphases = 1, .terms = &term, .nterms = 1, .q = q);
}
static hml_status call_problem(void *x) { return hml_problem_check(x, NULL); }
static void fill_solver_settings(void *x) { *(hml_solver_settings *)x = HML_STRUCT(hml_solver_settings, .workers = 1); }
/* a solver of that problem for one call */
static hml_status call_solver(const hml_solver_settings *settings, const hml_solve_options *options,
                              hml_solve_report *report)
{
    hml_problem problem;
    hml_solver *solver = NULL;
    fill_problem(&problem);
    hml_status status = hml_solver_new(&problem, settings, &solver, NULL);
    if (!status) status = hml_solver_solve(solver, options, report);
    hml_solver_free(solver);
    return status;
}
static hml_status call_solver_settings(void *x) { return call_solver(x, NULL, NULL); }
static void fill_solve_options(void *x) { *(hml_solve_options *)x = HML_STRUCT(hml_solve_options, .iterations = 20); }
static hml_status call_solve_options(void *x) { return call_solver(NULL, x, NULL); }
static void fill_solve_report(void *x) { ((hml_solve_report *)x)->struct_size = sizeof(hml_solve_report); }
static hml_status call_solve_report(void *x)
{
    const hml_status status = call_solver(NULL, NULL, x);
    hml_solve_report *report = x;
    const int known = report->struct_size >= offsetof(hml_solve_report, seconds) + sizeof report->seconds;
    if (!status && known) report->seconds = 0; /* differs from call to call */
    return status;
}
static void fill_solution(void *x) { ((hml_solution *)x)->struct_size = sizeof(hml_solution); }
/* of one solver, since the struct points into it */
static hml_status call_solution(void *x)
{
    static hml_solver *solver;
    hml_problem problem;
    fill_problem(&problem);
    const hml_status status = solver ? HML_OK : hml_solver_new(&problem, NULL, &solver, NULL);
    return status ? status : hml_solver_solution(solver, x);
}
static hml_status call_parallel(void *x)
{
    hml_linearization full;
    fill_linearization(&full);
    return hml_linearize_parallel(model, x, 1, &full, NULL);
}
static hml_status call_linearize(void *x) { return hml_linearize(model, work, x); }
static hml_status call_linearize_batch(void *x) { return hml_linearize_batch(model, work, 1, x, NULL); }
static hml_status call_linearize_parallel(void *x)
{
    hml_parallel one;
    fill_parallel(&one);
    return hml_linearize_parallel(model, &one, 1, x, NULL);
}
static hml_status call_observer(void *x)
{
    const hml_observer still = {{0}, {0}};
    return hml_observer_linearize(model, work, &still, scratch, x);
}

/* on the emulated device, whose memory is the host's */
static void fill_cuda_linearization(void *x)
{
    *(hml_cuda_linearization *)x = HML_STRUCT(
        hml_cuda_linearization, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}, .acceleration = {out[0], 0, 0},
        .Dq = {out[1], 0, 0}, .Dv = {out[2], 0, 0}, .Minv = {out[3], 0, 0}, .A = {out[4], 0, 0}, .B = {out[5], 0, 0});
}
static hml_status call_cuda_linearize(void *x)
{
    hml_cuda_batch *batch;
    hml_status status = hml_cuda_batch_new(model, HML_CUDA_FLOAT64, 0, &batch, NULL);
    if (status) return status;
    status = hml_cuda_linearize(batch, 1, x, NULL);
    hml_cuda_batch_free(batch);
    return status;
}
static void fill_cuda_device_info(void *x)
{
    *(hml_cuda_device_info *)x = HML_STRUCT(hml_cuda_device_info, .multiprocessors = 0);
}
static hml_status call_cuda_device(void *x) { return hml_cuda_device(0, x, NULL); }

static void fill_dynamics_result(void *x)
{
    *(hml_dynamics_result *)x =
        HML_STRUCT(hml_dynamics_result, .M = out[0], .h = out[1], .gravity = out[2], .acceleration = out[3],
                   .com = out[4], .centroidal_momentum = out[5], .momentum = out[6]);
}
static hml_status call_dynamics(void *x) { return hml_dynamics(model, work, q, v, tau, NULL, x); }
static void fill_dynamics_states(void *x)
{
    *(hml_dynamics_states *)x =
        HML_STRUCT(hml_dynamics_states, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}, .acceleration = {out[0], 0, 0},
                   .torque = {out[1], 0, 0}, .M = {out[2], 0, 0}, .Minv = {out[3], 0, 0}, .dtau_dq = {out[4], 0, 0});
}
static hml_status call_dynamics_batch(void *x) { return hml_dynamics_batch(model, work, 1, x, NULL); }
static void fill_parameters(void *x)
{
    *(hml_parameter_derivatives *)x =
        HML_STRUCT(hml_parameter_derivatives, .inertia = out[0], .gravity = out[1], .armature = out[2]);
}
static hml_status call_inverse_parameters(void *x)
{
    return hml_inverse_dynamics_parameters(model, work, q, v, tau, NULL, scratch, x);
}
static hml_status call_forward_parameters(void *x)
{
    return hml_forward_dynamics_parameters(model, work, q, v, tau, NULL, scratch, x);
}

static void fill_frame_motion(void *x)
{
    *(hml_frame_motion *)x = HML_STRUCT(hml_frame_motion, .pose = out[0], .J = out[1], .Jdot = out[2], .twist = out[3],
                                        .acceleration = out[4]);
}
static hml_status call_frame(void *x) { return hml_frame(model, work, 3, HML_LEFT, q, v, tau, x); }
static hml_status call_frame_in(void *x)
{
    return hml_frame_in(model, work, 3, HML_WORLD, (hml_place){1, 2}, q, v, tau, x);
}
static void fill_point_motion(void *x)
{
    *(hml_point_motion *)x = HML_STRUCT(hml_point_motion, .position = out[0], .J = out[1], .Jdot = out[2],
                                        .velocity = out[3], .acceleration = out[4], .rate = v, .second_rate = v);
}
static hml_status call_point(void *x)
{
    const double point[3] = {0.1, 0.2, 0.3};
    return hml_point(model, work, 3, point, q, v, tau, x);
}
static void fill_centroidal_motion(void *x)
{
    *(hml_centroidal_motion *)x = HML_STRUCT(hml_centroidal_motion, .com = out[0], .com_J = out[1], .com_Jdot = out[2],
                                             .com_velocity = out[3], .com_acceleration = out[4], .A = out[5],
                                             .Adot = out[6], .momentum = out[7], .momentum_rate = out[8]);
}
static hml_status call_centroidal(void *x) { return hml_centroidal(model, work, q, v, tau, x); }
static void fill_jacobian_columns(void *x)
{
    *(hml_jacobian_columns *)x =
        HML_STRUCT(hml_jacobian_columns, .q = {q, 0}, .H = {out[0], 0, 0}, .J = {out[1], 0, 0});
}
static hml_status call_jacobians(void *x) { return hml_all_jacobians(model, work, x); }
static hml_status call_jacobians_batch(void *x) { return hml_all_jacobians_batch(model, work, 1, x, NULL); }
static void fill_frame_derivative(void *x)
{
    *(hml_frame_derivative *)x =
        HML_STRUCT(hml_frame_derivative, .placement_q = out[0], .twist_q = out[1], .twist_v = out[2],
                   .acceleration_q = out[3], .acceleration_v = out[4], .acceleration_a = out[5]);
}
static hml_status call_frame_derivatives(void *x)
{
    return hml_frame_derivatives(model, work, 3, HML_LEFT, q, v, tau, x);
}
static void fill_system(void *x)
{
    *(hml_system *)x = HML_STRUCT(hml_system, .A = out[0], .X = out[1], .a = out[2], .J = out[3], .Jdot = out[4],
                                  .Adot = out[5], .D = out[6]);
}
static hml_status call_system(void *x) { return hml_system_matrices(model, work, HML_LEFT, q, v, x); }
static void fill_joint_loads(void *x)
{
    *(hml_joint_loads *)x = HML_STRUCT(hml_joint_loads, .wrenches = out[0], .reactions = out[1], .forces = out[2],
                                       .components = out[3], .frames = out[4], .ground = out[5]);
}
static hml_status call_joint_wrenches(void *x)
{
    return hml_joint_wrenches(model, memory, HML_LEFT, q, v, tau, NULL, x);
}

static const hml_ik_target target = {
    .frame = 3, .reference = HML_WORLD, .position = 1, .pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
static void fill_ik_problem(void *x)
{
    *(hml_ik_problem *)x =
        HML_STRUCT(hml_ik_problem, .ntargets = 1, .targets = &target, .iterations = 200, .attempts = 2, .seed = 5);
}
static hml_status call_ik_problem(void *x)
{
    double here[NQ];
    memcpy(here, q, sizeof here);
    return hml_inverse_kinematics(model, work, x, scratch, here, NULL);
}
static void fill_ik_result(void *x) { *(hml_ik_result *)x = HML_STRUCT(hml_ik_result, .error = -1); }
static hml_status call_ik_result(void *x)
{
    double here[NQ];
    hml_ik_problem problem;
    fill_ik_problem(&problem);
    memcpy(here, q, sizeof here);
    return hml_inverse_kinematics(model, work, &problem, scratch, here, x);
}

static hml_status turning(void *user, const double *g, const double *u, double t, double *rate)
{
    (void)user, (void)g, (void)u, (void)t;
    rate[0] = 1;
    return HML_OK;
}
static const hml_joint_type factors[] = {HML_JOINT_REVOLUTE};
static void fill_field(void *x)
{
    *(hml_field *)x = HML_STRUCT(hml_field, .nfactors = 1, .factors = factors, .velocity = turning, .step = 0.01);
}
static hml_status call_field(void *x) { return hml_field_linearize(x, q, NULL, 0, scratch, out[0], out[1], NULL); }
static hml_status call_field_sizes(void *x)
{
    return hml_field_nv(x) == 1 && hml_field_nq(x) == 1 && hml_field_scratch_doubles(x) ? HML_OK : HML_INVALID_ARGUMENT;
}

static void fill_motion_options(void *x) { hml_motion_options_init(x); }
static hml_status call_motion_options(void *x)
{
    hml_motion *m;
    return hml_motion_init(memory, MEMORY, model, work, x, NULL, 0, q, v, &m);
}
static void fill_forces(void *x) { *(hml_forces *)x = HML_STRUCT(hml_forces, .tau = tau, .target = q, .stiffness = v); }
static hml_status call_forces(void *x)
{
    hml_motion *m;
    hml_status status = hml_motion_init(memory, MEMORY, model, work, NULL, x, 0, q, v, &m);
    return status ? status : hml_motion_step(m, 1e-3);
}
static void fill_motion_info(void *x) { *(hml_motion_info *)x = HML_STRUCT(hml_motion_info, .steps = -1); }
static hml_status call_motion_info(void *x) { return hml_motion_get_info(motion, x); }
static void fill_actuator(void *x)
{
    hml_actuator_init(x);
    ((hml_actuator *)x)->name = "motor";
}
static hml_status call_actuator(void *x)
{
    hml_builder *b = hml_builder_new();
    hml_status status = hml_builder_add_actuator(b, "joint", x, NULL);
    hml_builder_free(b);
    return status;
}
static void fill_actuation(void *x)
{
    *(hml_actuation *)x = HML_STRUCT(hml_actuation, .q = q, .v = v, .tau = out[0], .wrenches = out[1]);
}
static hml_status call_actuation(void *x) { return hml_actuation_compute(model, work, x); }
static void fill_actuated(void *x)
{
    *(hml_actuated_linearization *)x =
        HML_STRUCT(hml_actuated_linearization, .q = q, .v = v, .tau = tau, .acceleration = out[0], .A = out[1]);
}
static hml_status call_actuated(void *x) { return hml_actuation_linearize(model, work, scratch, x); }
static void fill_balance(void *x) { *(hml_balance *)x = HML_STRUCT(hml_balance, .forces = -1); }
static hml_status call_motion_balance(void *x) { return hml_motion_get_balance(motion, x); }
static hml_status call_contact_balance(void *x) { return hml_contact_get_balance(contact, x); }
static void fill_discrete_step(void *x)
{
    *(hml_discrete_step *)x = HML_STRUCT(hml_discrete_step, .h = 1e-3, .q.data = q, .v.data = v, .tau.data = tau,
                                         .q_next.data = out[0], .v_next.data = out[1]);
}
static hml_status call_step(void *x) { return hml_step(model, work, scratch, x); }
static void fill_step_matrices(void *x)
{
    fill_discrete_step(x);
    ((hml_discrete_step *)x)->Ad.data = out[2], ((hml_discrete_step *)x)->Bd.data = out[3];
}
static hml_status call_step_batch(void *x) { return hml_step_linearize_batch(model, work, scratch, 1, x, NULL); }

static const hml_constraint held = {.kind = HML_HOLD_POINT, .frame = 5};
static const hml_constraints holds = {.struct_size = sizeof holds, .items = &held, .count = 1};
static void fill_constraints(void *x)
{
    *(hml_constraints *)x = HML_STRUCT(hml_constraints, .items = &held, .count = 1, .tolerance = 1e-9);
}
static hml_status call_constraints(void *x)
{
    if (hml_constraint_rows(x) != 3 || !hml_constraint_scratch_doubles(model, x)) return HML_INVALID_ARGUMENT;
    return hml_constrained_forward_dynamics(model, work, x, scratch,
                                            &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v));
}
static void fill_constrained_dynamics(void *x)
{
    *(hml_constrained_dynamics *)x = HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau, .a = tau,
                                                .acceleration = out[0], .torque = out[1], .lambda = lambda);
}
static hml_status call_constrained_forward(void *x)
{
    return hml_constrained_forward_dynamics(model, work, &holds, scratch, x);
}
/* a base with motors and without holds: every prefix of the problem is one, though without the motors there is no trim */
static int all_motors[NV];
static void fill_trim_problem(void *x)
{
    for (int i = 0; i < NV; i++) all_motors[i] = 1;
    *(hml_trim_problem *)x = HML_STRUCT(hml_trim_problem, .guess = q, .actuated = all_motors, .ignore_limits = 1,
                                        .iterations = 20, .q = out[0], .tau = out[1], .residual = out[2]);
}
static hml_status call_trim_problem(void *x)
{
    hml_status status = hml_trim(model, work, x, scratch, NULL);
    return status == HML_INCONSISTENT || status == HML_NOT_CONVERGED ? HML_OK : status;
}
static void fill_trim_report(void *x) { *(hml_trim_report *)x = HML_STRUCT(hml_trim_report, .residual = -1); }
static hml_status call_trim_report(void *x)
{
    hml_trim_problem problem;
    fill_trim_problem(&problem);
    problem.report = x;
    return hml_trim(model, work, &problem, scratch, NULL);
}

static void fill_constrained_impact(void *x)
{
    *(hml_constrained_impact *)x =
        HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .restitution = 0.5, .v_next = out[0], .impulse = lambda,
                   .next_q = out[1], .next_v = out[2], .impulse_q = out[3], .impulse_v = out[4]);
}
static hml_status call_constrained_impulse(void *x) { return hml_constrained_impulse(model, work, &holds, scratch, x); }
static void fill_constrained_linearization(void *x)
{
    *(hml_constrained_linearization *)x =
        HML_STRUCT(hml_constrained_linearization, .q = q, .v = v, .tau = tau, .acceleration = out[0], .lambda = lambda,
                   .Dq = out[1], .Dv = out[2], .Dtau = out[3], .lambda_q = out[4], .lambda_v = out[5],
                   .lambda_tau = out[6], .A = out[7], .B = out[8]);
}
static hml_status call_constrained_linearize(void *x)
{
    return hml_constrained_linearize(model, work, &holds, scratch, x);
}
static void fill_constrained_states(void *x)
{
    *(hml_constrained_states *)x = HML_STRUCT(
        hml_constrained_states, .q.data = q, .v.data = v, .tau.data = tau, .acceleration.data = out[0],
        .lambda.data = lambda, .Dq.data = out[1], .Dv.data = out[2], .Dtau.data = out[3], .lambda_q.data = out[4],
        .lambda_v.data = out[5], .lambda_tau.data = out[6], .A.data = out[7], .B.data = out[8]);
}
static hml_status call_constrained_batch(void *x)
{
    return hml_constrained_linearize_batch(model, work, &holds, scratch, 1, x, NULL);
}
static hml_status call_constrained_parallel(void *x)
{
    return hml_constrained_linearize_parallel(model, &HML_STRUCT(hml_parallel, .nworks = 1, .works = &work), &holds,
                                              scratch, 1, x, NULL);
}
static void fill_constrained_reduction(void *x)
{
    static const double still[NV];
    *(hml_constrained_reduction *)x = HML_STRUCT(hml_constrained_reduction, .q = q, .v = still, .tau = tau, .Z = out[0],
                                                 .X = out[1], .P = out[2], .A = out[3], .B = out[4]);
    hml_constrained_freedom(model, work, &holds, scratch, q, &((hml_constrained_reduction *)x)->freedom);
}
static hml_status call_constrained_reduce(void *x) { return hml_constrained_reduce(model, work, &holds, scratch, x); }
/* without what needs a later field: no version of the struct ends between the two */
static void fill_constrained_to(void *x)
{
    fill_constrained_linearization(x);
    ((hml_constrained_linearization *)x)->Dq = ((hml_constrained_linearization *)x)->lambda_q = NULL;
}
static hml_status call_constrained_to(void *x) { return hml_constrained_to_representation(model, HML_MIXED, 3, x); }
static void fill_impulse_to(void *x)
{
    fill_constrained_impact(x);
    ((hml_constrained_impact *)x)->next_q = ((hml_constrained_impact *)x)->impulse_q = NULL;
}
static hml_status call_impulse_to(void *x) { return hml_impulse_to_representation(model, HML_MIXED, 3, x); }
static hml_status close_with(const hml_closing *x)
{
    static double closing_scratch[1 << 14];
    if (hml_closing_scratch_doubles(model, &holds) > sizeof closing_scratch / sizeof *closing_scratch)
        return HML_INVALID_ARGUMENT;
    return hml_configuration_close(model, work, &holds, closing_scratch, x, NULL);
}

static void fill_closing(void *x) { *(hml_closing *)x = HML_STRUCT(hml_closing, .guess = q, .q = out[0]); }

static hml_status call_closing(void *x) { return close_with(x); }

static void fill_closing_report(void *x) { *(hml_closing_report *)x = HML_STRUCT(hml_closing_report, .error = -1); }

static hml_status call_closing_report(void *x)
{
    return close_with(&HML_STRUCT(hml_closing, .guess = q, .q = out[0], .report = x));
}

static void fill_constraint_report(void *x)
{
    *(hml_constraint_report *)x = HML_STRUCT(hml_constraint_report, .rows = -1);
}
static hml_status call_constraint_report(void *x)
{
    return hml_constrained_forward_dynamics(model, work, &holds, scratch,
                                            &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .report = x));
}
static hml_status call_impulse_report(void *x)
{
    return hml_constrained_impulse(model, work, &holds, scratch,
                                   &HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .report = x));
}

static const hml_plane ground = {.normal = {0, 0, 1}, .point = {0, 0, -5}};
static void fill_contact_settings(void *x)
{
    *(hml_contact_settings *)x = HML_STRUCT(hml_contact_settings, .planes = &ground, .nplanes = 1, .max_contacts = 9,
                                            .slop = 1e-3, .iterations = 100);
}
static hml_status call_contact_settings(void *x)
{
    hml_contact *c;
    if (!hml_contact_size(model, x)) return HML_INVALID_ARGUMENT;
    return hml_contact_init(memory, MEMORY, model, x, &c);
}
static void fill_contact_motion(void *x)
{
    *(hml_contact_motion *)x =
        HML_STRUCT(hml_contact_motion, .h = 1e-3, .q = q, .v = v, .tau = tau, .q_next = out[0], .v_next = out[1]);
}
static hml_status call_contact_step(void *x) { return hml_contact_step(model, work, contact, x); }
static const hml_contact_site site = {.frame = 5, .other = HML_WORLD, .normal = {0, 0, 1}};
static void fill_contact_collision(void *x)
{
    *(hml_contact_collision *)x = HML_STRUCT(hml_contact_collision, .sites = &site, .count = 1, .q = q, .v = v,
                                             .v_next = out[0], .impulse = out[1]);
}
static void fill_contact_result(void *x) { *(hml_contact_result *)x = HML_STRUCT(hml_contact_result, .contacts = -1); }
static hml_status call_contact_result(void *x)
{
    hml_contact_motion full;
    fill_contact_motion(&full);
    full.result = x;
    return hml_contact_step(model, work, contact, &full);
}
static void fill_contact_impact(void *x) { *(hml_contact_impact *)x = HML_STRUCT(hml_contact_impact, .closed = -1); }
static hml_status call_contact_impact(void *x)
{
    hml_contact_collision full;
    fill_contact_collision(&full);
    full.impact = x;
    return hml_contact_impulse(model, work, memory, MEMORY, &full);
}
static hml_status call_contact_impulse(void *x) { return hml_contact_impulse(model, work, memory, MEMORY, x); }

static void fill_body_info(void *x) { *(hml_body_info *)x = HML_STRUCT(hml_body_info, .name = NULL); }
static hml_status call_body_info(void *x) { return hml_model_body(model, 3, x); }
static void fill_joint_info(void *x) { *(hml_joint_info *)x = HML_STRUCT(hml_joint_info, .name = NULL); }
static hml_status call_joint_info(void *x) { return hml_model_joint(model, 3, x); }
static void fill_frame_info(void *x) { *(hml_frame_info *)x = HML_STRUCT(hml_frame_info, .name = NULL); }
static hml_status call_frame_info(void *x) { return hml_model_frame(model, 3, x); }
static void fill_joint_spec(void *x)
{
    hml_joint_spec_init(x, HML_JOINT_FREE);
    ((hml_joint_spec *)x)->name = "joint";
}
static hml_status call_joint_spec(void *x)
{
    hml_builder *b = hml_builder_new();
    hml_status status = hml_builder_add_body(b, "body", NULL, x, NULL, NULL);
    hml_builder_free(b);
    return status;
}
static void fill_random_spec(void *x) { hml_random_spec_init(x); }
static hml_status call_random_spec(void *x)
{
    hml_model *m = NULL;
    hml_status status = hml_model_random(x, &m);
    if (!status) hml_model_free(m);
    return status;
}
static void fill_load_options(void *x) { hml_load_options_init(x); }
static hml_status call_load_options(void *x)
{
    hml_model *m = NULL;
    hml_status status = hml_load_builtin("pendulum", x, &m, NULL);
    if (!status) hml_model_free(m);
    return status;
}
static const hml_column column_of_numbers = {.name = "x"};
static void fill_table_settings(void *x)
{
    *(hml_table_settings *)x = HML_STRUCT(hml_table_settings, .rows = 3, .chunk = 2, .ncolumns = 1,
                                          .columns = &column_of_numbers, .digest = 7);
}
static hml_status call_table_open(void *x)
{
    hml_table *table = NULL;
    hml_status status = hml_table_open("test_struct_size_table.npz", x, &table, NULL);
    hml_table_free(table);
    remove("test_struct_size_table.npz.part");
    return status;
}
static void fill_page_options(void *x) { hml_page_options_init(x); }
static hml_status call_page_options(void *x)
{
    char *text = NULL;
    size_t size;
    hml_status status = hml_write_page(model, x, &text, &size, NULL);
    hml_text_free(text);
    return status;
}
static void fill_generate_options(void *x)
{
    hml_generate_options *options = x;
    hml_generate_options_init(options);
    options->functions = HML_GENERATE_MASS_MATRIX;
}
static void fill_compile_options(void *x)
{
    hml_compile_options *options = x;
    options->struct_size = sizeof *options;
    options->compiler = "no-such-compiler";
    options->cache = "/dev/null/nowhere"; /* no folder can be made there: the library's kernels do the work */
}
static hml_status call_compile(void *x)
{
    hml_compiled *compiled = NULL;
    hml_status status = hml_model_compile(model, x, &compiled, NULL);
    hml_compiled_free(compiled);
    return status;
}
static hml_status call_generate_estimate(void *x)
{
    int64_t statements;
    return hml_generate_estimate(model, x, &statements);
}
static hml_status call_generate_text(void *x)
{
    char *source = NULL, *header = NULL;
    hml_status status = hml_generate_text(model, x, &source, &header, NULL, NULL);
    hml_text_free(source);
    hml_text_free(header);
    return status;
}

#endif
