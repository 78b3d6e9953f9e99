/* Steps of contact of random robots with a loop, against the accelerations of constrained dynamics. */
#include "contact_check.h"
#include "draw.h"

/* what happens to robots of all kinds, at rest and under any forces, in a step that is hardly a time */
static void robots_begin_to_move_as_their_accelerations_say(void **state)
{
    (void)state;
    static const hml_constraint_kind kinds[] = {HML_HOLD_FRAME, HML_HOLD_POINT, HML_HOLD_PLANE, HML_HOLD_DISTANCE};
    const double h = 1e-7, still[80] = {0};
    for (uint64_t trial = 0; trial < 8 * ROBOT_SPECS; trial++) {
        draw_tree_spec spec = robot_specs[trial % ROBOT_SPECS];
        hml_loop loop = {.kind = kinds[trial / ROBOT_SPECS % 4], .normal = {0.3, -0.2, 2}};
        uint64_t seed = trial + 1;
        double q[80], tau[80], a[80], H[16], largest = 0;
        if (spec.nbodies < 2) continue;
        hml_model *open = draw_tree(&seed, &spec);
        hml_work *work;
        draw_configuration(&seed, open, 0.5, q);
        for (int i = 0; i < hml_model_nv(open); i++) tau[i] = draw(&seed);
        OK(hml_work_new(open, HML_ISA_SCALAR, HML_USE_ALL, &work));
        const hml_frame_motion at = {.struct_size = sizeof at, .pose = H};
        char last[32];
        snprintf(last, sizeof last, "b%d", spec.nbodies - 1);
        OK(hml_frame_relative(open, work, hml_model_find_frame(open, last), hml_model_find_frame(open, "b0"), HML_LEFT,
                              q, NULL, NULL, &at));
        memcpy(loop.pose, H, sizeof H);
        loop.distance = sqrt(H[3] * H[3] + H[7] * H[7] + H[11] * H[11]);
        hml_work_free(work);
        hml_model_free(open);
        seed = trial + 1;
        spec.loop = &loop;
        scene s = {.model = draw_tree(&seed, &spec)};
        open_scene(&s);
        memcpy(s.q, q, (size_t)hml_model_nq(s.model) * sizeof *q);
        OK(one_step(&s, h, tau));
        OK(hml_model_loop(s.model, 0, &loop));
        const hml_constraints set = HML_STRUCT(hml_constraints, .loops = &loop, .loop_count = 1);
        double *scratch = malloc(hml_constraint_scratch_doubles(s.model, &set) * sizeof *scratch);
        OK(hml_constrained_forward_dynamics(
            s.model, s.work, &set, scratch,
            &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = still, .tau = tau, .acceleration = a)));
        free(scratch);
        for (int i = 0; i < hml_model_nv(s.model); i++) largest = fmax(largest, fabs(a[i]));
        for (int i = 0; i < hml_model_nv(s.model); i++) assert_close(s.v[i] / h, a[i], 1e-5 * (1 + largest));
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_begin_to_move_as_their_accelerations_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
