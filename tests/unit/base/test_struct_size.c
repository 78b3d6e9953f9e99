/*
 * Structs that may grow: every public struct with struct_size, given as an older or a newer program gives it. The struct
 * lies at the end of a page, and the page behind it can be neither read nor written: whoever touches a byte that the
 * caller does not have dies.
 *
 * scripts/check-api.py compares the table with the headers: no struct is forgotten.
 */
#define _DEFAULT_SOURCE

#include <sys/mman.h>
#include <unistd.h>

#include "struct_size_calls.h"

enum { MOST = 4096 }; /* bytes, as the library bounds them */

/* ---- the table ---- */

/* ASKED: what the caller asks for, and perhaps results. RESULTS: nothing else */
typedef enum { ASKED, RESULTS } role;

typedef struct {
    const char *name;
    role role;
    size_t size, least; /* least: up to the last mandatory field */
    void (*fill)(void *);
    hml_status (*call)(void *);
} entry;

#define ENTRY(type, last, role, fill, call)                                                                            \
    {                                                                                                                  \
#type, role, sizeof(type), offsetof(type, last) + sizeof(((const type *)0)->last), fill, call                  \
    }

static const entry entries[] = {
    ENTRY(hml_parallel, works, ASKED, fill_parallel, call_parallel),
    ENTRY(hml_linearization, v, ASKED, fill_linearization, call_linearize),
    ENTRY(hml_linearization, v, ASKED, fill_linearization, call_linearize_batch),
    ENTRY(hml_linearization, v, ASKED, fill_linearization, call_linearize_parallel),
    ENTRY(hml_linearization, v, ASKED, fill_linearization, call_observer),
    ENTRY(hml_dynamics_result, h, ASKED, fill_dynamics_result, call_dynamics),
    ENTRY(hml_dynamics_states, q, ASKED, fill_dynamics_states, call_dynamics_batch),
    ENTRY(hml_linearization_f32, v, ASKED, fill_linearization_f32, call_linearize_batch_f32),
    ENTRY(hml_dynamics_states_f32, q, ASKED, fill_dynamics_states_f32, call_dynamics_batch_f32),
    ENTRY(hml_jacobian_columns_f32, q, ASKED, fill_jacobian_columns_f32, call_jacobians_batch_f32),
    ENTRY(hml_parameter_derivatives, inertia, ASKED, fill_parameters, call_inverse_parameters),
    ENTRY(hml_parameter_derivatives, inertia, ASKED, fill_parameters, call_forward_parameters),
    ENTRY(hml_frame_motion, pose, ASKED, fill_frame_motion, call_frame),
    ENTRY(hml_frame_motion, pose, ASKED, fill_frame_motion, call_frame_in),
    ENTRY(hml_point_motion, position, ASKED, fill_point_motion, call_point),
    ENTRY(hml_centroidal_motion, com, ASKED, fill_centroidal_motion, call_centroidal),
    ENTRY(hml_centroidal_derivative, com_J_q, ASKED, fill_centroidal_derivative, call_centroidal_derivatives),
    ENTRY(hml_centroidal_states, a, ASKED, fill_centroidal_states, call_centroidal_batch),
    ENTRY(hml_frame_states, a, ASKED, fill_frame_states, call_frame_batch),
    ENTRY(hml_jacobian_columns, q, ASKED, fill_jacobian_columns, call_jacobians),
    ENTRY(hml_jacobian_columns, q, ASKED, fill_jacobian_columns, call_jacobians_batch),
    ENTRY(hml_frame_derivative, placement_q, ASKED, fill_frame_derivative, call_frame_derivatives),
    ENTRY(hml_system, A, ASKED, fill_system, call_system),
    ENTRY(hml_joint_loads, wrenches, ASKED, fill_joint_loads, call_joint_wrenches),
    ENTRY(hml_ik_problem, targets, ASKED, fill_ik_problem, call_ik_problem),
    ENTRY(hml_ik_result, error, RESULTS, fill_ik_result, call_ik_result),
    ENTRY(hml_trim_problem, guess, ASKED, fill_trim_problem, call_trim_problem),
    ENTRY(hml_trim_report, residual, RESULTS, fill_trim_report, call_trim_report),
    ENTRY(hml_field, velocity, ASKED, fill_field, call_field),
    ENTRY(hml_field, velocity, ASKED, fill_field, call_field_sizes),
    ENTRY(hml_motion_options, scheme, ASKED, fill_motion_options, call_motion_options),
    ENTRY(hml_forces, tau, ASKED, fill_forces, call_forces),
    ENTRY(hml_motion_info, steps, RESULTS, fill_motion_info, call_motion_info),
    ENTRY(hml_balance, forces, RESULTS, fill_balance, call_motion_balance),
    ENTRY(hml_actuator, force_upper, ASKED, fill_actuator, call_actuator),
    ENTRY(hml_actuation, q, ASKED, fill_actuation, call_actuation),
    ENTRY(hml_actuated_linearization, q, ASKED, fill_actuated, call_actuated),
    ENTRY(hml_balance, forces, RESULTS, fill_balance, call_contact_balance),
    ENTRY(hml_discrete_step, v_next, ASKED, fill_discrete_step, call_step),
    ENTRY(hml_discrete_step, Bd.data, ASKED, fill_step_matrices, call_step_batch),
    ENTRY(hml_constraints, count, ASKED, fill_constraints, call_constraints),
    ENTRY(hml_constrained_dynamics, v, ASKED, fill_constrained_dynamics, call_constrained_forward),
    ENTRY(hml_constrained_impact, v, ASKED, fill_constrained_impact, call_constrained_impulse),
    ENTRY(hml_constrained_impact, v_next, ASKED, fill_impulse_to, call_impulse_to),
    ENTRY(hml_constrained_linearization, v, ASKED, fill_constrained_linearization, call_constrained_linearize),
    ENTRY(hml_constrained_discrete_step, v_next, ASKED, fill_constrained_step, call_constrained_step),
    ENTRY(hml_constrained_states, v, ASKED, fill_constrained_states, call_constrained_batch),
    ENTRY(hml_constrained_states, v, ASKED, fill_constrained_states, call_constrained_parallel),
    ENTRY(hml_constrained_reduction, freedom, ASKED, fill_constrained_reduction, call_constrained_reduce),
    ENTRY(hml_constrained_linearization, acceleration, ASKED, fill_constrained_to, call_constrained_to),
    ENTRY(hml_closing, q, ASKED, fill_closing, call_closing),
    ENTRY(hml_closing_report, error, RESULTS, fill_closing_report, call_closing_report),
    ENTRY(hml_constraint_report, rank, RESULTS, fill_constraint_report, call_constraint_report),
    ENTRY(hml_constraint_report, rank, RESULTS, fill_constraint_report, call_impulse_report),
    ENTRY(hml_contact_settings, planes, ASKED, fill_contact_settings, call_contact_settings),
    ENTRY(hml_contact_motion, v_next, ASKED, fill_contact_motion, call_contact_step),
    ENTRY(hml_contact_collision, v, ASKED, fill_contact_collision, call_contact_impulse),
    ENTRY(hml_contact_result, limits, RESULTS, fill_contact_result, call_contact_result),
    ENTRY(hml_contact_impact, closed, RESULTS, fill_contact_impact, call_contact_impact),
    ENTRY(hml_body_info, name, RESULTS, fill_body_info, call_body_info),
    ENTRY(hml_joint_info, name, RESULTS, fill_joint_info, call_joint_info),
    ENTRY(hml_frame_info, name, RESULTS, fill_frame_info, call_frame_info),
    ENTRY(hml_joint_spec, type, ASKED, fill_joint_spec, call_joint_spec),
    ENTRY(hml_random_spec, seed, ASKED, fill_random_spec, call_random_spec),
    ENTRY(hml_load_options, format, ASKED, fill_load_options, call_load_options),
    ENTRY(hml_locus, crossings, ASKED, fill_locus, call_locus),
    ENTRY(hml_lqr, poles, ASKED, fill_lqr, call_lqr),
    ENTRY(hml_lqr, poles, ASKED, fill_lqr, call_lqr_discrete),
    ENTRY(hml_lqr_horizon, P, ASKED, fill_lqr_horizon, call_lqr_horizon),
    ENTRY(hml_lqr_integral, poles, ASKED, fill_lqr_integral, call_lqr_integral),
    ENTRY(hml_lqr_report, mode, RESULTS, fill_lqr_report, call_lqr_report),
    ENTRY(hml_margins, balanced, ASKED, fill_margins, call_margins),
    ENTRY(hml_modes, modes, ASKED, fill_modes, call_modes),
    ENTRY(hml_table_settings, columns, ASKED, fill_table_settings, call_table_open),
    ENTRY(hml_problem, v, ASKED, fill_problem, call_problem),
    ENTRY(hml_solver_settings, struct_size, ASKED, fill_solver_settings, call_solver_settings),
    ENTRY(hml_solve_options, struct_size, ASKED, fill_solve_options, call_solve_options),
    ENTRY(hml_solve_report, end, RESULTS, fill_solve_report, call_solve_report),
    ENTRY(hml_solution, knots, RESULTS, fill_solution, call_solution),
    ENTRY(hml_mpc_settings, struct_size, ASKED, fill_mpc_settings, call_mpc_settings),
    ENTRY(hml_mpc_result, u, RESULTS, fill_mpc_result, call_mpc_result),
    ENTRY(hml_mpc_statistics, ticks, RESULTS, fill_mpc_statistics, call_mpc_statistics),
    ENTRY(hml_cuda_linearization, v, ASKED, fill_cuda_linearization, call_cuda_linearize),
    ENTRY(hml_cuda_step_arguments, v_next, ASKED, fill_cuda_step, call_cuda_step),
    ENTRY(hml_cuda_rollout_arguments, v, ASKED, fill_cuda_rollout, call_cuda_rollout),
    ENTRY(hml_cuda_configurations, result, ASKED, fill_cuda_configurations, call_cuda_integrate),
    ENTRY(hml_cuda_dynamics_arguments, M, ASKED, fill_cuda_dynamics, call_cuda_dynamics),
    ENTRY(hml_cuda_kinematics_arguments, twist, ASKED, fill_cuda_kinematics, call_cuda_kinematics),
    ENTRY(hml_cuda_constrained, v, ASKED, fill_cuda_constrained, call_cuda_constrained),
    ENTRY(hml_cuda_device_info, memory, RESULTS, fill_cuda_device_info, call_cuda_device),
    ENTRY(hml_page_options, title, ASKED, fill_page_options, call_page_options),
    ENTRY(hml_generate_options, functions, ASKED, fill_generate_options, call_generate_estimate),
    ENTRY(hml_generate_options, functions, ASKED, fill_generate_options, call_generate_text),
    ENTRY(hml_compile_options, compiler, ASKED, fill_compile_options, call_compile),
};

enum { ENTRIES = sizeof entries / sizeof *entries };

/* ---- the test ---- */

static char *page; /* two pages; the second is out of bounds */
static size_t page_size;

/* a struct of this size at the end of the page, aligned: the fields of the full one, then zeros */
static void *place(const entry *e, size_t size, size_t says)
{
    static char full[MOST], again[MOST];
    static const entry *filled;
    memset(again, 0, sizeof again);
    e->fill(again);                                                /* also what the struct points to */
    if (filled != e) memcpy(full, again, sizeof full), filled = e; /* once: its padding may be anything */
    char *x = page + page_size - (size + sizeof size - 1) / sizeof size * sizeof size;
    memcpy(x, full, size);
    memcpy(x, &says, sizeof says);
    return x;
}

static void expect(const entry *e, size_t size, hml_status is, hml_status should)
{
    if (is != should) fail_msg("%s of %zu bytes (ours: %zu): %s", e->name, size, e->size, hml_status_message(is));
}

static void test_older_programs(void **state)
{
    (void)state;
    static char exact[MOST];
    for (int i = 0; i < ENTRIES; i++) {
        const entry *e = &entries[i];
        memcpy(exact, place(e, e->size, e->size), e->size);
        expect(e, e->size, e->call(exact), HML_OK);
        for (size_t size = sizeof size; size <= e->size; size++) {
            const int good = size >= e->least && size % sizeof size == 0;
            void *x = place(e, size, size);
            expect(e, size, e->call(x), good ? HML_OK : HML_INVALID_ARGUMENT);
            if (!good) continue;
            /* whatever is in it by value, results too, is what it is in the full struct */
            if (memcmp((char *)x + sizeof size, exact + sizeof size, size - sizeof size))
                fail_msg("%s of %zu bytes: other results", e->name, size);
            assert_memory_equal(x, &size, sizeof size);
        }
    }
}

static void test_newer_programs(void **state)
{
    (void)state;
    const size_t more[] = {sizeof(size_t), 64, 1024};
    for (int i = 0; i < ENTRIES; i++) {
        const entry *e = &entries[i];
        for (size_t k = 0; k <= sizeof more / sizeof *more; k++) {
            const size_t size = k < sizeof more / sizeof *more ? e->size + more[k] : MOST;
            char *x = place(e, size, size);
            expect(e, size, e->call(x), HML_OK);
            for (size_t at = e->size; at < size; at++) assert_int_equal(x[at], 0);
            for (size_t at = e->size; at < size; at += size - e->size - 1) { /* the first and the last byte */
                x = place(e, size, size);
                x[at] = 1;
                expect(e, size, e->call(x), e->role == RESULTS ? HML_OK : HML_INVALID_ARGUMENT);
                assert_int_equal(x[at], 1);
            }
        }
    }
}

static void test_no_struct_at_all(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 7, MOST + sizeof(size_t), SIZE_MAX / 2 + 1, SIZE_MAX - 7, SIZE_MAX};
    for (int i = 0; i < ENTRIES; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            void *x = place(&entries[i], entries[i].size, sizes[k]);
            expect(&entries[i], sizes[k], entries[i].call(x), HML_INVALID_ARGUMENT);
        }
    }
}

/* the library makes these: a program sees in struct_size which fields there are */
static void test_structs_that_the_library_makes(void **state)
{
    (void)state;
    hml_state *s;
    hml_scene *scene;
    hml_trajectory *t;
    OK(hml_state_new(model, &s));
    assert_int_equal(s->struct_size, sizeof(hml_state));
    hml_state_free(s);
    static const char urdf[] = "<robot name='r'><link name='a'/></robot>";
    hml_load_options options;
    hml_load_options_init(&options);
    options.format = HML_FORMAT_URDF;
    OK(hml_scene_load_memory(urdf, strlen(urdf), NULL, &options, model, &scene, NULL));
    assert_int_equal(scene->struct_size, sizeof(hml_scene));
    hml_scene_free(scene);
    const char *path = "test_struct_size_motion.json";
    hml_result *r = hml_result_new();
    const size_t shape[] = {1, NQ};
    hml_result_add_numbers(r, "position", 2, shape, q);
    OK(hml_result_write(r, path, HML_RESULT_AUTO, NULL));
    hml_result_free(r);
    OK(hml_trajectory_load(path, model, &t, NULL));
    remove(path);
    assert_int_equal(t->struct_size, sizeof(hml_trajectory));
    hml_trajectory_free(t);
    static const char plan[] = "{\"model\": \"arm7\", \"phases\": [{\"knots\": 1, \"step\": 1}], \"terms\": []}";
    hml_plan_file *file;
    OK(hml_plan_load_memory(plan, strlen(plan), NULL, NULL, &file, NULL));
    assert_int_equal(file->struct_size, sizeof(hml_plan_file));
    hml_plan_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_programs),
        cmocka_unit_test(test_newer_programs),
        cmocka_unit_test(test_no_struct_at_all),
        cmocka_unit_test(test_structs_that_the_library_makes),
    };
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + page_size, page_size, PROT_NONE)) return 1;
    return cmocka_run_group_tests(tests, open_all, close_all);
}
