/* The tests of struct_size: motions, actuators, constraints, equilibria and contact. */
#ifndef HML_TESTS_STRUCT_SIZE_SIM_H
#define HML_TESTS_STRUCT_SIZE_SIM_H

#include "struct_size_robot.h"

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
static void fill_constrained_step(void *x)
{
    *(hml_constrained_discrete_step *)x =
        HML_STRUCT(hml_constrained_discrete_step, .h = 1e-3, .q.data = q, .v.data = v, .tau.data = tau,
                   .q_next.data = out[0], .v_next.data = out[1], .lambda.data = lambda, .lambda_q.data = out[2],
                   .lambda_v.data = out[3], .lambda_tau.data = out[4]);
}
static hml_status call_constrained_step(void *x)
{
    return hml_constrained_step(model, work, &holds, scratch, 1, x, NULL);
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

#endif
