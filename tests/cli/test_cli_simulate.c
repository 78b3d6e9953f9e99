/* hamel simulate: its contract, its files, what it refuses, and a robot that stands. */
#include <math.h>

#include <expat.h>

#include "run.h"

enum { MOST = 1 << 17 };

static double numbers[MOST];

/* runs it and parses out.json */
static json_t *simulate(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "simulate %s --out out.json", arguments);
    assert_int_equal(run(command), 0);
    assert_string_equal(run_out, "");
    return run_json("out.json");
}

static void shape_is(json_t *result, const char *name, size_t rows, size_t columns)
{
    json_t *array = json_object_get(result, name);
    assert_int_equal(json_array_size(array), rows);
    if (columns) assert_int_equal(json_array_size(json_array_get(array, 0)), columns);
}

static int exists(const char *name) { return access(run_path(name), F_OK) == 0; }

/* ---- the contract ---- */

static void momentum_and_energy_are_kept(void **state)
{
    (void)state;
    run_save("tumble.json", "{\"joints\": {\"base\": {\"velocity\": [0.3, -0.2, 0.5, 1, -2, 0.7]}, \"revolute_x\": "
                            "{\"velocity\": [2]}, \"helical_z\": {\"velocity\": [-3]}, \"prismatic_x\": {\"velocity\": "
                            "[0.1]}}}");
    json_t *out = simulate("--state tumble.json --gravity 0,0,0 --time 5");
    size_t rows = json_array_size(json_object_get(out, "time"));
    assert_int_equal(rows, 501);
    shape_is(out, "position", rows, 16);
    shape_is(out, "velocity", rows, 15);
    shape_is(out, "energy", rows, 0);
    shape_is(out, "momentum", rows, 6);
    run_numbers(out, "time", numbers, MOST);
    assert_true(numbers[0] == 0 && numbers[rows - 1] == 5);
    run_numbers(out, "energy", numbers, MOST);
    for (size_t k = 0; k < rows; k++) near(numbers[k], numbers[0], 1e-6 * numbers[0]);
    run_numbers(out, "momentum", numbers, MOST);
    double size = 0;
    for (int i = 0; i < 6; i++) size = fmax(size, fabs(numbers[i]));
    assert_true(size > 1);
    for (size_t k = 0; k < 6 * rows; k++) near(numbers[k], numbers[k % 6], 1e-9 * size);
    assert_true(json_real_value(json_object_get(out, "energy_drift")) < 1e-6);
    json_decref(out);
}

/* the state's forces and wrenches act all the time: a drone whose weight is carried by a wrench in the world hangs */
static void forces_of_the_state_act(void **state)
{
    (void)state;
    json_t *out = simulate(ROBOTS "drone_arm.json --time 1");
    run_numbers(out, "position", numbers, MOST);
    size_t nq = (size_t)json_integer_value(json_object_get(out, "nq"));
    near(numbers[100 * nq + 2], -0.5 * 9.81, 1e-10); /* all of it falls alike */
    json_decref(out);
    run_save("push.json", "{\"wrenches\": [{\"frame\": \"rod\", \"wrench\": [0, 0, 19.62, 0, 0, 0], \"expressed\": "
                          "\"world\"}]}");
    run_save("rod.json",
             "{\"name\": \"rod\", \"bodies\": [{\"name\": \"rod\", \"parent\": null, \"joint\": {\"name\": "
             "\"base\", \"type\": \"free\"}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": [[1, "
             "0, 0], [0, 1, 0], [0, 0, 1]]}}]}");
    static const char *const schemes[] = {"euler", "rk2", "rk4", "dopri5", "variational", "alpha", "momentum"};
    for (int k = 0; k < 6; k++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "rod.json --state push.json --time 1 --integrator %s", schemes[k]);
        out = simulate(arguments);
        size_t rows = json_array_size(json_object_get(out, "time"));
        run_numbers(out, "position", numbers, MOST);
        near(numbers[7 * (rows - 1) + 2], 0.5 * 9.81, k == 0 ? 0.01 : 1e-10); /* euler: h/2 too far */
        assert_string_equal(json_string_value(json_object_get(out, "integrator")), schemes[k]);
        json_decref(out);
    }
}

/* in another representation only the base's velocity is written otherwise */
static void representations(void **state)
{
    (void)state;
    json_t *left = simulate("--state " HAMEL_SOURCE_DIR "/examples/states/nine.json --time 0.1");
    run_numbers(left, "velocity", numbers, MOST);
    double joint = numbers[15 * 10 + 7], base = numbers[15 * 10];
    json_decref(left);
    json_t *mixed = simulate("--state " HAMEL_SOURCE_DIR "/examples/states/nine.json --time 0.1 -r mixed");
    run_numbers(mixed, "velocity", numbers, MOST);
    near(numbers[15 * 10 + 7], joint, 0);
    assert_true(fabs(numbers[15 * 10] - base) > 1e-3);
    json_decref(mixed);
}

/* ---- a robot that stands ---- */

static void a_quadruped_lands_and_stands(void **state)
{
    (void)state;
    json_t *out = simulate(ROBOTS "quadruped.json --state " HAMEL_SOURCE_DIR
                                  "/examples/states/quadruped_drop.json --time 1.5 --ground --controller hold --step "
                                  "0.002");
    size_t rows = json_array_size(json_object_get(out, "time"));
    shape_is(out, "contact_forces", rows, 4);
    run_numbers(out, "contact_forces", numbers, MOST);
    double up = 0;
    for (int i = 0; i < 4; i++) {
        const double *f = numbers + 12 * (rows - 1) + 3 * i;
        up += f[2];
        assert_true(f[2] > 0 && hypot(f[0], f[1]) <= 0.8 * f[2] * (1 + 1e-9));
    }
    near(up, 14.24 * 9.81, 0.01 * 14.24 * 9.81); /* the mass in robots/README.md, rounded; it still settles */
    run_numbers(out, "position", numbers, MOST);
    const double *last = numbers + 19 * (rows - 1);
    assert_true(last[2] > 0.27 && last[2] < 0.34); /* on its feet, with bent knees */
    assert_true(fabs(last[3]) > 0.99);             /* upright */
    json_decref(out);
}

static void without_servos_an_arm_falls(void **state)
{
    (void)state;
    json_t *held = simulate(ROBOTS "arm7.json --time 1 --controller hold"),
           *loose = simulate(ROBOTS "arm7.json --time 1 "
                                    "-g 1,0,-9.81");
    run_numbers(held, "position", numbers, MOST);
    for (int i = 0; i < 7; i++) assert_true(fabs(numbers[7 * 100 + i]) < 0.1);
    run_numbers(loose, "position", numbers, MOST);
    double most = 0;
    for (int i = 0; i < 7; i++) most = fmax(most, fabs(numbers[7 * 100 + i]));
    assert_true(most > 0.1);
    json_decref(held);
    json_decref(loose);
    run_save("fling.json",
             "{\"joints\": {\"fl_knee\": {\"position\": [-1], \"velocity\": [-30]}, \"fr_knee\": {\"position\": "
             "[-1]}, \"hl_knee\": {\"position\": [-1]}, \"hr_knee\": {\"position\": [-1]}}}");
    assert_int_equal(run("simulate " ROBOTS "quadruped.json --state fling.json --time 0.2"), 0);
    assert_non_null(strstr(run_out, "joint limits            fl_knee is beyond its own at 0.0"));
}

/* ---- what was put in and taken out ---- */

/* gravity changes the momentum: that is not a drift. A robot on a pivot is held by the world, and nothing drifts */
static void gravity_is_not_a_drift(void **state)
{
    (void)state;
    json_t *out = simulate(ROBOTS "drone_arm.json --time 1");
    assert_true(json_real_value(json_object_get(out, "linear_momentum_drift")) < 1e-12);
    assert_true(json_real_value(json_object_get(out, "angular_momentum_drift")) < 1e-12);
    assert_true(json_real_value(json_object_get(out, "energy_drift")) < 1e-12);
    run_numbers(out, "impulse_gravity", numbers, MOST);
    run_numbers(out, "momentum", numbers + 6, MOST - 6);
    near(numbers[2], numbers[6 + 6 * 100 + 2], 1e-10);
    assert_null(json_object_get(out, "impulse_support"));
    json_decref(out);
    out = simulate(ROBOTS "pendulum.json --time 1");
    assert_true(json_is_null(json_object_get(out, "linear_momentum_drift")));
    run_numbers(out, "impulse_support", numbers, MOST);
    near(numbers[2], 1 * 9.81, 1e-9); /* the pendulum hangs */
    json_decref(out);
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --time 1"), 0);
    assert_null(strstr(run_out, "momentum drift"));
    assert_non_null(strstr(run_out, "support"));
}

/* work of servos, dampers and contacts adds up to the change of energy; the torques are there */
static void the_balance_closes(void **state)
{
    (void)state;
    static const char *const works[] = {"work_forces",   "work_servos",       "work_wrenches",
                                        "work_damping",  "work_contacts",     "work_limits",
                                        "work_friction", "work_displacement", "work_removed"};
    json_t *out = simulate(ROBOTS "quadruped.json --state " HAMEL_SOURCE_DIR
                                  "/examples/states/quadruped_drop.json --time 0.5 --ground --controller hold");
    double sum = 0;
    for (int k = 0; k < 9; k++) sum += json_real_value(json_object_get(out, works[k]));
    run_numbers(out, "energy", numbers, MOST);
    near(numbers[500] - numbers[0], sum, 1e-4);
    assert_true(json_real_value(json_object_get(out, "work_contacts")) < -1);
    assert_true(json_real_value(json_object_get(out, "work_servos")) < -1);
    shape_is(out, "torque", 501, 18);
    run_numbers(out, "torque", numbers, MOST);
    for (int k = 0; k < 6; k++) near(numbers[500 * 18 + k], 0, 0); /* no servo on the base */
    assert_true(fabs(numbers[500 * 18 + 8]) > 1);                  /* a knee carries */
    json_decref(out);
    run_save("turn.json", "{\"joints\": {\"pivot\": {\"force\": [0.25]}}}");
    out = simulate(ROBOTS "pendulum.json --state turn.json --time 1");
    run_numbers(out, "position", numbers, MOST);
    near(json_real_value(json_object_get(out, "work_forces")), 0.25 * numbers[100], 1e-10);
    run_numbers(out, "torque", numbers, MOST);
    near(numbers[0], 0.25, 0);
    near(numbers[100], 0.25, 0);
    json_decref(out);
}

/* ---- actuators ---- */

#define DRONE                                                                                                          \
    "<mujoco model='drone'><worldbody><body name='trunk' pos='0 0 1'><freejoint/>"                                     \
    "<inertial pos='0 0 0' mass='2' diaginertia='0.1 0.1 0.1'/><site name='a' pos='0.2 0 0'/>"                         \
    "<site name='b' pos='-0.2 0 0'/><body name='arm'><joint name='hip' axis='0 1 0' ref='20'/>"                        \
    "<inertial pos='0 0 0' mass='1' diaginertia='0.1 0.1 0.1'/></body></body></worldbody><actuator>"                   \
    "<motor name='left' site='a' gear='0 0 1 0 0 0'/><motor name='right' site='b' gear='0 0 1 0 0 0'/>"                \
    "<position name='servo' joint='hip' kp='5' kv='1'/></actuator></mujoco>"

/* thrusters of a state carry a drone, and its servo holds the arm where it is; B has a column for each of them */
static void actuators_of_the_file(void **state)
{
    (void)state;
    run_save("drone.xml", DRONE);
    run_save("hover.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 1, 1, 0, 0, 0]}, \"hip\": {\"position\": "
                           "[0.3]}}, \"actuators\": {\"left\": 14.715, \"right\": 14.715}}");
    static const char *const how[] = {"", "--integrator euler", "--integrator alpha", "--ground"};
    for (int k = 0; k < 4; k++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "drone.xml --state hover.json --controller actuators --time 0.5 %s",
                 how[k]);
        json_t *out = simulate(arguments);
        size_t rows = json_array_size(json_object_get(out, "time"));
        run_numbers(out, "position", numbers, MOST);
        near(numbers[8 * (rows - 1) + 2], 1, 1e-9);
        near(numbers[8 * (rows - 1) + 7], 0.3, 1e-9);
        run_numbers(out, "inputs", numbers, MOST);
        near(numbers[2], 0.3, 1e-12);
        assert_string_equal(json_string_value(json_array_get(json_object_get(out, "input_names"), 1)), "right");
        assert_true(fabs(json_real_value(json_object_get(out, "work_actuators"))) < 1e-9);
        assert_true(json_real_value(json_object_get(out, "linear_momentum_drift")) < 1e-9);
        json_decref(out);
    }
    assert_int_equal(run("linearize drone.xml --state hover.json --inputs actuators --out out.json"), 0);
    json_t *out = run_json("out.json");
    assert_string_equal(json_string_value(json_array_get(json_object_get(out, "input_names"), 0)), "left");
    run_numbers(out, "acceleration", numbers, MOST);
    for (int i = 0; i < 7; i++) near(numbers[i], 0, 1e-12);
    run_numbers(out, "B", numbers, MOST); /* 14 × 3: up, and nose down by 0.2 m on 0.1 kg m² */
    near(numbers[(7 + 2) * 3], 1.0 / 3, 1e-12);
    near(numbers[(7 + 4) * 3], -2, 1e-12);
    near(numbers[(7 + 4) * 3 + 1], 2, 1e-12);
    near(numbers[(7 + 6) * 3 + 2], 5 * 20, 1e-10);
    run_numbers(out, "A", numbers, MOST);
    near(numbers[(7 + 6) * 14 + 6], -5 * 20, 1e-10);
    near(numbers[(7 + 6) * 14 + 13], -1 * 20, 1e-10);
    json_decref(out);
    /* more actuators than coordinates, with all that the summary says about them */
    static char many[16384];
    size_t used = (size_t)snprintf(many, sizeof many,
                                   "<mujoco><worldbody><body name='arm'><joint name='hip' axis='0 1 0'/>"
                                   "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
                                   "</worldbody><actuator>");
    for (int i = 0; i < 300; i++) used += (size_t)snprintf(many + used, sizeof many - used, "<motor joint='hip'/>");
    snprintf(many + used, sizeof many - used, "</actuator></mujoco>");
    run_save("many.xml", many);
    assert_int_equal(run("linearize many.xml --inputs actuators"), 0);
    assert_non_null(strstr(run_out, "B is 2 x 300, 300 of 600"));
    assert_int_equal(run("linearize drone.xml --states s.npz --inputs actuators --out o.npz"), 2);
    assert_non_null(strstr(run_err, "--inputs actuators is for one state"));
    assert_int_equal(run("linearize " ROBOTS "pendulum.json --inputs actuators"), 1);
    assert_non_null(strstr(run_err, "there are no actuators"));
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --time 1 --controller actuators"), 1);
    assert_non_null(strstr(run_err, "there are no actuators"));
    run_save("odd.json", "{\"actuators\": {\"middle\": 1}}");
    assert_int_equal(run("simulate drone.xml --state odd.json --time 1"), 1);
    assert_non_null(strstr(run_err, "/actuators/middle: the model has no actuator 'middle'"));
    assert_int_equal(run("info drone.xml"), 0);
    assert_non_null(strstr(run_out, "servo"));
    assert_int_equal(run("info drone.xml --out info.json"), 0);
    out = run_json("info.json");
    assert_int_equal(json_array_size(json_object_get(out, "actuators")), 3);
    json_decref(out);
}

/* ---- files ---- */

static void files_are_whole_or_not_there(void **state)
{
    (void)state;
    static const char *const endings[] = {"json", "npz", "mat", "csv"};
    for (int k = 0; k < 4; k++) {
        char command[256], file[32];
        snprintf(file, sizeof file, "run.%s", endings[k]);
        snprintf(command, sizeof command, "simulate --time 0.1 --out %s", file);
        assert_int_equal(run(command), 0);
        assert_true(exists(file));
    }
    if (access("/dev/full", F_OK) == 0) {
        assert_int_equal(run("simulate --time 0.1 --out /dev/full"), 4);
        assert_non_null(strstr(run_err, "/dev/full"));
        assert_int_equal(run("simulate --time 0.1 >/dev/full"), 4);
        assert_int_equal(run("simulate --time 0.1 --plot /dev/full"), 4);
    }
    assert_int_equal(run("simulate --time 0.1 --out nowhere/run.npz"), 4);
    assert_true(!exists("nowhere"));
    char command[1024]; /* killed on the way */
    snprintf(command, sizeof command,
             "cd '%s' && timeout -s KILL 0.2 '%s' simulate -t 9e4 --step 1e-3 --out killed.npz", run_folder,
             HAMEL_COMMAND);
    assert_true(system(command) != 0);
    assert_true(!exists("killed.npz"));
}

static void a_plot_is_a_picture(void **state)
{
    (void)state;
    static char text[1 << 18];
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --time 2 --plot plot.svg"), 0);
    assert_non_null(strstr(run_out, "energy drift"));
    assert_non_null(strstr(run_out, "height of com"));
    run_read("plot.svg", text, sizeof text);
    XML_Parser parser = XML_ParserCreate(NULL);
    assert_int_equal(XML_Parse(parser, text, (int)strlen(text), 1), XML_STATUS_OK);
    XML_ParserFree(parser);
    assert_non_null(strstr(text, "height / m"));
    assert_non_null(strstr(text, "joints / rad"));
    assert_null(strstr(text, "joint forces"));
    assert_int_equal(run("simulate " ROBOTS "quadruped.json --ground --controller hold --time 0.1 --plot plot.svg"), 0);
    run_read("plot.svg", text, sizeof text);
    assert_non_null(strstr(text, "joint forces / N, N m"));
    assert_non_null(strstr(text, "forces of the ground, up / N"));
    assert_non_null(strstr(text, ">fl_shank<"));
}

/* ---- what it refuses ---- */

static void bad_usage(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"", "give --time T"},
        {"--time 0", "positive time"},
        {"--time nan", "positive time"},
        {"--time 1 --step 0", "positive time"},
        {"--time 1 --step 1e-300", "too many"},
        {"--time 1e9 --integrator rk4", "a larger --max-steps"},
        {"--time 1e9 --ground --step 1e-4", "1e+13, the most are 100000000"},
        {"--time 1 --integrator rk4 --max-steps 999", "1e+03, the most are 999"},
        {"--time 1 --max-steps 0", "from 1 to 1000000000"},
        {"--time 1 --integrator heun", "euler, rk2, rk4, dopri5"},
        {"--time 1 --integrator rk4 --tolerance 1e-9", "--tolerance belongs to dopri5"},
        {"--time 1 --ground --integrator rk4", "leave --integrator out"},
        {"--time 1 --contact tip5", "--contact needs --ground"},
        {"--time 1 --friction 1", "--friction needs --ground"},
        {"--time 1 --stiffness 5", "--controller hold"},
        {"--time 1 --controller walk", "none, hold or actuators"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[256];
        snprintf(command, sizeof command, "simulate %s", cases[i].arguments);
        assert_int_equal(run(command), 2);
        assert_non_null(strstr(run_err, cases[i].says));
    }
    assert_int_equal(run("simulate --time 1 --ground --contact nobody"), 1);
    assert_non_null(strstr(run_err, "'nobody'"));
}

/* a motion that cannot go on says where it stopped, and leaves no file */
static void a_failed_motion(void **state)
{
    (void)state;
    run_save("fast.json", "{\"joints\": {\"base\": {\"velocity\": [9, 9, 9, 90, 90, 90]}, \"revolute_x\": "
                          "{\"velocity\": [300]}, \"revolute_z\": {\"velocity\": [-300]}}}");
    assert_int_equal(run("simulate --state fast.json --time 10 --integrator variational --step 1 --out failed.json"),
                     3);
    assert_non_null(strstr(run_err, "the motion ends at 0 s: the iteration did not converge"));
    assert_true(!exists("failed.json"));
    assert_non_null(strstr(run_err, "fastest is joint 'revolute_x' with 300 rad/s; try --step 0.1 instead of 1, or a"));
    run_save("whirl.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 0.4395, 1, 0, 0, 0]}, \"fl_knee\": "
                           "{\"velocity\": [1e160]}}}");
    assert_int_equal(run("simulate " ROBOTS "quadruped.json --state whirl.json --time 1 --ground"), 3);
    assert_non_null(strstr(run_err, "the motion ends at 0 s: the numbers overflow; fastest is joint 'fl_knee' with "
                                    "1e+160 rad/s; try --step 0.0001 instead of 0.001, or a slower start"));
    run_save("hang.json", "{\"joints\": {\"pivot\": {\"velocity\": [1e160]}}}");
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --state hang.json --time 1 --ground --quiet"), 3);
    assert_non_null(strstr(run_err, "1e+160 rad/s; 'tip' is 1.2 m inside the ground; try --step"));
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --state hang.json --time 1"), 3);
    assert_non_null(strstr(run_err, "1e+160 rad/s; try a slower start"));
}

/* what the report says about a ball that falls on the ground */
/* a rod of a milligram on a damper: dopri5 would take hours; what the sentence advises takes a moment */
static void a_stiff_motion(void **state)
{
    (void)state;
    run_save("stiff.json", "{\"name\": \"stiff\", \"bodies\": [{\"name\": \"rod\", \"parent\": null, \"joint\": "
                           "{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"damping\": 1}, "
                           "\"inertia\": {\"mass\": 1e-6, \"com\": [1, 0, 0], \"moment\": [[1e-8, 0, 0], [0, 1e-8, 0], "
                           "[0, 0, 1e-8]]}}]}");
    assert_int_equal(run("simulate stiff.json --time 3600 --max-steps 5000 --out stiff_out.json"), 3);
    assert_non_null(strstr(run_err, "the motion ends at 0.0"));
    assert_non_null(strstr(run_err, "5000 steps were not enough, the last one was"));
    assert_non_null(strstr(run_err, "try --integrator alpha"));
    assert_false(exists("stiff_out.json"));
    json_t *out = simulate("stiff.json --time 10 --integrator alpha");
    json_decref(out);
    run_save("states.csv", "position.hinge\n0\n1\n");
    out = simulate("rod.json --time 1 --max-steps 5000"); /* a motion that needs fewer does not notice */
    json_decref(out);
}

static void overlaps_are_reported(void **state)
{
    (void)state;
    run_save("ball.json",
             "{\"bodies\": [{\"name\": \"ball\", \"parent\": null, \"joint\": {\"name\": \"base\", \"type\": "
             "\"free\"}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, "
             "1]]}}], \"shapes\": [{\"body\": \"ball\", \"type\": \"sphere\", \"size\": 0.1}]}");
    json_t *out = simulate("ball.json --ground --height 1 --time 0.6 --step 0.01");
    double deep = json_number_value(json_object_get(out, "penetration"));
    assert_true(deep > 0 && deep < 0.01 * sqrt(2 * 9.81)); /* less than it falls in a step */
    assert_int_equal(json_integer_value(json_object_get(out, "left_out")), 0);
    assert_int_equal(json_integer_value(json_object_get(out, "massless")), 0);
    json_decref(out);
    assert_int_equal(run("simulate ball.json --ground --height 1 --time 0.6 --step 0.01"), 0);
    assert_non_null(strstr(run_out, "m, ball at 0.4"));
    assert_non_null(strstr(run_out, "deepest overlap"));
}

/* forces that a double holds, and work that it does not */
static void work_that_overflows_is_an_error(void **state)
{
    (void)state;
    run_save("force.json", "{\"joints\": {\"fl_knee\": {\"force\": [1e308]}, \"fr_knee\": {\"force\": [-1e308]}}}");
    run_save("wrench.json", "{\"wrenches\": [{\"frame\": \"trunk\", \"wrench\": [1e308, 0, 0, 0, 0, 0]}]}");
    assert_int_equal(run("simulate " ROBOTS "quadruped.json --ground --time 0.01 --state force.json"), 3);
    assert_non_null(strstr(run_err, "overflow"));
    assert_int_equal(run("simulate " ROBOTS "quadruped.json --ground --time 0.01 --state wrench.json"), 3);
    assert_non_null(strstr(run_err, "overflow"));
    run_save("far.json", "{\"joints\": {\"shoulder_pitch\": {\"position\": [1e308]}}}");
    assert_int_equal(run("trim " ROBOTS "arm7.json --state far.json"), 1);
    assert_non_null(strstr(run_err, "overflow"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_and_energy_are_kept),
        cmocka_unit_test(forces_of_the_state_act),
        cmocka_unit_test(representations),
        cmocka_unit_test(a_quadruped_lands_and_stands),
        cmocka_unit_test(without_servos_an_arm_falls),
        cmocka_unit_test(gravity_is_not_a_drift),
        cmocka_unit_test(the_balance_closes),
        cmocka_unit_test(actuators_of_the_file),
        cmocka_unit_test(files_are_whole_or_not_there),
        cmocka_unit_test(a_plot_is_a_picture),
        cmocka_unit_test(bad_usage),
        cmocka_unit_test(a_failed_motion),
        cmocka_unit_test(a_stiff_motion),
        cmocka_unit_test(overlaps_are_reported),
        cmocka_unit_test(work_that_overflows_is_an_error),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
