/* hamel trim: equilibria from the shell, checked by hamel's own dynamics, and what it says where there are none. */
#include <math.h>

#include "run.h"

enum { MOST = 1 << 10 };

static double position[MOST], torque[MOST], force[MOST], residual[MOST], velocity[MOST];

static const char *const bent =
    "{\"joints\": {\"fl_hip_pitch\": {\"position\": [0.8]}, \"fl_knee\": {\"position\": [-1.6]}, \"fr_hip_pitch\": "
    "{\"position\": [0.8]}, \"fr_knee\": {\"position\": [-1.6]}, \"hl_hip_pitch\": {\"position\": [0.8]}, \"hl_knee\": "
    "{\"position\": [-1.6]}, \"hr_hip_pitch\": {\"position\": [0.8]}, \"hr_knee\": {\"position\": [-1.6]}}}";

/* the numbers of t.json */
static void read_result(size_t nq, size_t nv, size_t rows)
{
    json_t *out = run_json("t.json");
    assert_int_equal(run_numbers(out, "position", position, MOST), nq);
    assert_int_equal(run_numbers(out, "velocity", velocity, MOST), nv);
    assert_int_equal(run_numbers(out, "torque", torque, MOST), nv);
    assert_int_equal(run_numbers(out, "residual", residual, MOST), nv);
    assert_int_equal(run_numbers(out, "force", force, MOST), rows);
    assert_int_equal(json_integer_value(json_object_get(out, "optimal")), 1);
    json_decref(out);
}

static void a_dog_stands_on_three_feet(void **state)
{
    (void)state;
    run_save("bent.json", bent);
    assert_int_equal(run("trim " ROBOTS "quadruped.json --state bent.json --hold fl_foot:point --hold fr_foot --hold "
                         "hl_foot:point --friction 0.7 --out t.json"),
                     0);
    read_result(19, 18, 9);
    double up = 0;
    for (int i = 0; i < 3; i++) {
        const double *f = force + 3 * i;
        up += f[2];
        assert_true(hypot(f[0], f[1]) <= 0.7 * f[2] + 1e-8);
    }
    near(up, 9.81 * 14.24, 1e-9);
    for (int i = 0; i < 18; i++) near(residual[i], 0, 1e-10);
    for (int i = 0; i < 6; i++) near(torque[i], 0, 0);
    assert_int_equal(run("trim " ROBOTS "quadruped.json --state bent.json --hold fl_foot --hold hr_foot"), 0);
    assert_non_null(strstr(run_out, "hr_foot"));
    assert_non_null(strstr(run_out, "largest residual"));
}

/* without friction the ground pushes straight up; it does not hold both ways, and nothing has friction that is not held */
static void a_dog_stands_on_ice(void **state)
{
    (void)state;
    run_save("bent.json", bent);
    if (run("trim " ROBOTS "quadruped.json --state bent.json --hold fl_foot:point --hold fr_foot --hold hl_foot "
            "--hold hr_foot --friction 0 --out t.json"))
        fail_msg("%s", run_err);
    read_result(19, 18, 4);
    for (int i = 0; i < 4; i++) assert_true(force[i] >= -1e-9);
    near(force[0] + force[1] + force[2] + force[3], 9.81 * 14.24, 1e-9);
    assert_int_equal(run("trim " ROBOTS "quadruped.json --state bent.json --hold fl_foot:plane --friction 0.5"), 2);
    assert_non_null(strstr(run_err, "--friction is that of held points"));
    assert_int_equal(run("trim " ROBOTS "arm7.json --friction 0"), 2);
}

/* torques at a locked pose are the generalized gravity forces, which hamel dynamics prints */
static void an_arm_carries_itself(void **state)
{
    (void)state;
    double gravity[MOST];
    run_save("arm.json",
             "{\"joints\": {\"shoulder_pitch\": {\"position\": [0.5]}, \"elbow\": {\"position\": [-0.7]}}}");
    int named = run("dynamics " ROBOTS "arm7.json --state arm.json --out d.json");
    if (named) fail_msg("%s", run_err);
    assert_int_equal(run("trim " ROBOTS "arm7.json --state arm.json --lock all --out t.json"), 0);
    read_result(7, 7, 0);
    json_t *out = run_json("d.json");
    assert_int_equal(run_numbers(out, "gravity", gravity, MOST), 7);
    json_decref(out);
    for (int i = 0; i < 7; i++) near(torque[i], gravity[i], 1e-12);
}

static void a_drone_hovers_by_a_wrench_on_its_base(void **state)
{
    (void)state;
    assert_int_equal(run("trim " ROBOTS "drone_arm.json --inputs all --lock base,arm_yaw --ignore-limits --posture 5 "
                         "--representation mixed --out t.json"),
                     0);
    read_result(12, 11, 0);
    near(torque[2], 9.81 * 3.11, 0.02);
    near(torque[0], 0, 1e-12);
}

/* positions have their own names: a quaternion has one number more than there are torques */
static void tables_name_positions_and_torques(void **state)
{
    (void)state;
    assert_int_equal(run("trim " ROBOTS "drone_arm.json --inputs all --lock all --ignore-limits"), 0);
    assert_non_null(strstr(run_out, "\nbase.qw           1         1\n"));
    assert_non_null(strstr(run_out, "\nbase.qz           0         0\n"));
    const char *torques = strstr(run_out, "\nForces and torques of the motors\n");
    assert_non_null(torques);
    assert_non_null(strstr(torques, "\nbase.vz "));
    assert_null(strstr(torques, "\nbase.q"));
}

/* what is saved replaces no input and no result */
static void nothing_is_overwritten(void **state)
{
    (void)state;
    static char before[1 << 12], after[1 << 12];
    run_save("elbow.json", "{\"joints\": {\"elbow\": {\"position\": [0.5]}}}");
    run_read("elbow.json", before, sizeof before);
    assert_int_equal(run("trim " ROBOTS "arm7.json --state elbow.json --save elbow.json"), 2);
    assert_non_null(strstr(run_err, "--save elbow.json would overwrite the state, elbow.json"));
    run_read("elbow.json", after, sizeof after);
    assert_string_equal(before, after);
    assert_int_equal(run("trim " ROBOTS "arm7.json --state elbow.json --save both.json --out ./both.json"), 2);
    assert_non_null(strstr(run_err, "--out and --save are the same file"));
    assert_int_not_equal(access(run_path("both.json"), F_OK), 0);
    assert_int_equal(run("trim " ROBOTS "arm7.json --state elbow.json --save /dev/null --out one.json"), 0);
}

/* a wrench in the world's axes keeps its direction while the robot turns to where it is in equilibrium */
static void world_wrenches_keep_their_direction(void **state)
{
    (void)state;
    static const char *const names[7] = {"shoulder_yaw", "shoulder_pitch", "upper_arm_roll", "elbow",
                                         "forearm_roll", "wrist_pitch",    "wrist_roll"};
#define LOAD "\"wrenches\": [{\"frame\": \"tool\", \"wrench\": [30, 40, 50, 0, 0, 0], \"expressed\": \"world\"}]}"
    double a[7], gone = 0;
    char text[2048];
    run_save("guess.json", "{\"joints\": {\"elbow\": {\"position\": [0.5]}}, " LOAD);
    if (run("trim " ROBOTS "arm7.json --state guess.json --posture 1 --out t.json")) fail_msg("%s", run_err);
    read_result(7, 7, 0);
    size_t used = (size_t)snprintf(text, sizeof text, "{\"joints\": {");
    for (int i = 0; i < 7; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\": {\"position\": [%.17g], \"force\": [%.17g]}",
                             i ? ", " : "", names[i], position[i], torque[i]);
        gone = fmax(gone, fabs(position[i] - (i == 3 ? 0.5 : 0)));
    }
    snprintf(text + used, sizeof text - used, "}, " LOAD);
    assert_true(gone > 0.05);
    run_save("found.json", text);
    assert_int_equal(run("dynamics " ROBOTS "arm7.json --state found.json --out d.json"), 0);
    json_t *out = run_json("d.json");
    assert_int_equal(run_numbers(out, "acceleration", a, 7), 7);
    for (int i = 0; i < 7; i++) near(a[i], 0, 1e-5);
    json_decref(out);
}

/* the saved state is an equilibrium for the other commands */
static void a_state_is_saved(void **state)
{
    (void)state;
    double acceleration[MOST];
    run_save("arm.json", "{\"joints\": {\"shoulder_pitch\": {\"position\": [0.5]}}, \"wrenches\": [{\"frame\": "
                         "\"gripper\", \"wrench\": [0, 3, -20, 0, 0, 1], \"expressed\": \"world\"}]}");
    assert_int_equal(run("trim " ROBOTS "arm7.json --state arm.json --save s.json --out t.json"), 0);
    read_result(7, 7, 0);
    assert_int_equal(run("dynamics " ROBOTS "arm7.json --state s.json --out d.json"), 0);
    json_t *out = run_json("d.json");
    assert_int_equal(run_numbers(out, "acceleration", acceleration, MOST), 7);
    json_decref(out);
    for (int i = 0; i < 7; i++) near(acceleration[i], 0, 1e-11);
    assert_int_equal(
        run("trim " ROBOTS "drone_arm.json --inputs all --representation right --save s.json --out t.json"), 0);
    assert_int_equal(run("dynamics " ROBOTS "drone_arm.json --state s.json --out d.json"), 0);
    out = run_json("d.json");
    assert_int_equal(run_numbers(out, "acceleration", acceleration, MOST), 11);
    json_decref(out);
    for (int i = 0; i < 11; i++) near(acceleration[i], 0, 1e-10);
    assert_int_equal(run("trim " ROBOTS "arm7.json --save nowhere/s.json"), 4);
}

static void what_cannot_be_is_named(void **state)
{
    (void)state;
    run_save("bent.json", bent);
    assert_int_equal(run("trim " ROBOTS "drone_arm.json"), 3);
    assert_non_null(strstr(run_err, "the force of base.2 (vz) cannot be balanced"));
    assert_int_equal(run("trim " ROBOTS "drone_arm.json --out never.json"), 3);
    assert_int_not_equal(access(run_path("never.json"), F_OK), 0);
    assert_int_equal(run("trim " ROBOTS "quadruped.json --hold fl_fot:point"), 1);
    assert_non_null(strstr(run_err, "did you mean 'fl_foot'?"));
    assert_int_equal(run("trim " ROBOTS "quadruped.json --hold fl_foot:glue"), 2);
    assert_non_null(strstr(run_err, "'glue' is not point, frame, plane or touch"));
    assert_int_equal(run("trim " ROBOTS "quadruped.json --lock base,nose"), 1);
    assert_non_null(strstr(run_err, "there is no joint 'nose'"));
    assert_int_equal(run("trim " ROBOTS "quadruped.json --hold ''"), 2);
    assert_int_equal(run("trim " ROBOTS "quadruped.json --posture 0"), 2);
    assert_int_equal(run("linearize " ROBOTS "quadruped.json --hold fl_foot"), 2);
}

/* a drone in a strong wind turns away from it again and again, unless its posture costs more: found without --posture */
static void a_large_wrench_in_the_world(void **state)
{
    (void)state;
    run_save("wind.json", "{\"joints\": {}, \"wrenches\": [{\"frame\": \"airframe\", \"wrench\": [50, 0, 0, 0, 0, 0], "
                          "\"expressed\": \"world\"}]}");
    if (run("trim " ROBOTS "drone_arm.json --inputs all --state wind.json --out t.json")) fail_msg("%s", run_err);
    double rest[16];
    json_t *out = run_json("t.json");
    const size_t count = run_numbers(out, "residual", rest, 16);
    for (size_t i = 0; i < count; i++) assert_true(fabs(rest[i]) < 1e-10);
    json_decref(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_wrench_in_the_world),
        cmocka_unit_test(a_dog_stands_on_three_feet),
        cmocka_unit_test(a_dog_stands_on_ice),
        cmocka_unit_test(an_arm_carries_itself),
        cmocka_unit_test(a_drone_hovers_by_a_wrench_on_its_base),
        cmocka_unit_test(tables_name_positions_and_torques),
        cmocka_unit_test(a_state_is_saved),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(world_wrenches_keep_their_direction),
        cmocka_unit_test(what_cannot_be_is_named),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
