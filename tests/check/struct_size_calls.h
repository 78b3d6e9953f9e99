/* What the tests of struct_size call: for every public struct that may grow, how it is filled and who takes it. */
#ifndef HML_TESTS_STRUCT_SIZE_CALLS_H
#define HML_TESTS_STRUCT_SIZE_CALLS_H

#include "struct_size_control.h"
#include "struct_size_robot.h"
#include "struct_size_sim.h"

static void fill_parallel(void *x) { *(hml_parallel *)x = HML_STRUCT(hml_parallel, .nworks = 1, .works = &work); }
static void fill_linearization(void *x)
{
    *(hml_linearization *)x = HML_STRUCT(hml_linearization, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0},
                                         .acceleration = {out[0], 0, 0}, .Dq = {out[1], 0, 0}, .Dv = {out[2], 0, 0},
                                         .Minv = {out[3], 0, 0}, .A = {out[4], 0, 0}, .B = {out[5], 0, 0});
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
#define ON_CUDA(name)                                                                                                  \
    static hml_status call_cuda_##name(void *x)                                                                        \
    {                                                                                                                  \
        hml_cuda_batch *batch;                                                                                         \
        hml_status status = hml_cuda_batch_new(model, HML_CUDA_FLOAT64, 0, &batch, NULL);                              \
        if (status) return status;                                                                                     \
        status = hml_cuda_##name(batch, 1, x, NULL);                                                                   \
        hml_cuda_batch_free(batch);                                                                                    \
        return status;                                                                                                 \
    }
static void fill_cuda_linearization(void *x)
{
    *(hml_cuda_linearization *)x = HML_STRUCT(
        hml_cuda_linearization, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}, .acceleration = {out[0], 0, 0},
        .Dq = {out[1], 0, 0}, .Dv = {out[2], 0, 0}, .Minv = {out[3], 0, 0}, .A = {out[4], 0, 0}, .B = {out[5], 0, 0});
}
ON_CUDA(linearize)
static void fill_cuda_step(void *x)
{
    *(hml_cuda_step_arguments *)x = HML_STRUCT(hml_cuda_step_arguments, .h = 0.01, .q = {q, 0}, .v = {v, 0},
                                               .tau = {tau, 0}, .q_next = {out[0], 0, 0}, .v_next = {out[1], 0, 0});
}
ON_CUDA(step)
static void fill_cuda_rollout(void *x)
{
    *(hml_cuda_rollout_arguments *)x =
        HML_STRUCT(hml_cuda_rollout_arguments, .h = 0.01, .steps = 0, .q = out[0], .v = out[1], .tau = {tau, 0});
}
ON_CUDA(rollout)
static void fill_cuda_configurations(void *x)
{
    *(hml_cuda_configurations *)x =
        HML_STRUCT(hml_cuda_configurations, .q = {q, 0}, .other = {v, 0}, .result = {out[0], 0, 0});
}
ON_CUDA(integrate)
static void fill_cuda_dynamics(void *x)
{
    *(hml_cuda_dynamics_arguments *)x = HML_STRUCT(hml_cuda_dynamics_arguments, .q = {q, 0}, .v = {v, 0}, .a = {tau, 0},
                                                   .torque = {out[0], 0, 0}, .M = {out[1], 0, 0});
}
ON_CUDA(dynamics)
static void fill_cuda_kinematics(void *x)
{
    *(hml_cuda_kinematics_arguments *)x =
        HML_STRUCT(hml_cuda_kinematics_arguments, .count = 1, .q = {q, 0}, .v = {v, 0}, .pose = {out[0], 0, 0},
                   .J = {out[1], 0, 0}, .twist = {out[2], 0, 0});
}
ON_CUDA(kinematics)
static void fill_cuda_constrained(void *x)
{
    *(hml_cuda_constrained *)x =
        HML_STRUCT(hml_cuda_constrained, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0}, .acceleration = {out[0], 0, 0},
                   .lambda = {out[1], 0, 0}, .Dq = {out[2], 0, 0}, .Dv = {out[3], 0, 0}, .Dtau = {out[4], 0, 0});
}
static hml_status call_cuda_constrained(void *x)
{
    hml_cuda_batch *batch;
    hml_cuda_holds *held_there = NULL;
    hml_status status = hml_cuda_batch_new(model, HML_CUDA_FLOAT64, 0, &batch, NULL);
    if (status) return status;
    status = hml_cuda_holds_new(batch, &holds, &held_there, NULL);
    if (!status) status = hml_cuda_constrained_linearize(held_there, 1, x, NULL);
    hml_cuda_holds_free(held_there);
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
static void fill_frame_states(void *x)
{
    *(hml_frame_states *)x =
        HML_STRUCT(hml_frame_states, .q = {q, 0}, .v = {v, 0}, .a = {tau, 0}, .J = {out[0], 0, 0},
                   .Jdot = {out[1], 0, 0}, .acceleration = {out[2], 0, 0}, .acceleration_v = {out[3], 0, 0});
}
static hml_status call_frame_batch(void *x) { return hml_frame_batch(model, work, 0, HML_LEFT, 1, x, NULL); }
static void fill_centroidal_states(void *x)
{
    *(hml_centroidal_states *)x =
        HML_STRUCT(hml_centroidal_states, .q = {q, 0}, .v = {v, 0}, .a = {tau, 0}, .A = {out[0], 0, 0},
                   .Adot = {out[1], 0, 0}, .momentum_rate_v = {out[2], 0, 0});
}
static hml_status call_centroidal_batch(void *x) { return hml_centroidal_batch(model, work, 1, x, NULL); }
static void fill_linearization_f32(void *x)
{
    *(hml_linearization_f32 *)x =
        HML_STRUCT(hml_linearization_f32, .q = {single_q, 0}, .v = {single_v, 0}, .A = {single_out[0], 0, 0});
}
static hml_status call_linearize_batch_f32(void *x) { return hml_linearize_batch_f32(model, work, 1, x, NULL); }
static void fill_dynamics_states_f32(void *x)
{
    *(hml_dynamics_states_f32 *)x =
        HML_STRUCT(hml_dynamics_states_f32, .q = {single_q, 0}, .torque = {single_out[1], 0, 0});
}
static hml_status call_dynamics_batch_f32(void *x) { return hml_dynamics_batch_f32(model, work, 1, x, NULL); }
static void fill_jacobian_columns_f32(void *x)
{
    *(hml_jacobian_columns_f32 *)x =
        HML_STRUCT(hml_jacobian_columns_f32, .q = {single_q, 0}, .J = {single_out[2], 0, 0});
}
static hml_status call_jacobians_batch_f32(void *x) { return hml_all_jacobians_batch_f32(model, work, 1, x, NULL); }
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
static void fill_centroidal_derivative(void *x)
{
    *(hml_centroidal_derivative *)x =
        HML_STRUCT(hml_centroidal_derivative, .com_J_q = out[0], .com_velocity_q = out[1], .momentum_q = out[2],
                   .momentum_rate_q = out[3], .momentum_rate_v = out[4]);
}
static hml_status call_centroidal_derivatives(void *x) { return hml_centroidal_derivatives(model, work, q, v, tau, x); }
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
        HML_STRUCT(hml_ik_problem, .ntargets = 1, .targets = &target, .iterations = 200, .attempts = 2, .seed = 5,
                   .com_weight = 1, .momentum_weight = {1, 1}, .duration = 1);
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
