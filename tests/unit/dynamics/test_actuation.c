/* What actuators do: forces, the map and A, B against differences of eighth order; limits; in steps of motion. */
#include <math.h>
#include <stdlib.h>

#include "contact_check.h"
#include "difference.h"

enum { NV = 12, NQ = 14, NU = 6, NB = 5 };

static hml_model *model;
static hml_work *work;

static void add_actuator(hml_builder *b, const char *name, const char *joint, const char *frame, const double *gear,
                         double gain, const double *bias)
{
    hml_actuator a;
    hml_actuator_init(&a);
    a.name = name, a.gain = gain, a.transmission = joint ? HML_TRANSMISSION_JOINT : HML_TRANSMISSION_FRAME;
    memcpy(a.gear, gear, sizeof a.gear);
    memcpy(a.bias, bias, sizeof a.bias);
    OK(hml_builder_add_actuator(b, joint ? joint : frame, &a, NULL));
}

/* a free trunk with a thruster, a hinge with a follower, a ball, a slide with a jet */
static int open_robot(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "trunk", NULL, HML_JOINT_FREE);
    add_link(b, "leg", "trunk", HML_JOINT_REVOLUTE);
    add_link(b, "ball", "leg", HML_JOINT_SPHERICAL);
    add_link(b, "rod", "ball", HML_JOINT_PRISMATIC);
    hml_joint_spec toe = some_joint(HML_JOINT_REVOLUTE, "toe");
    toe.mimic = "j_leg", toe.multiplier = -2, toe.offset = 0.3;
    add_spec(b, "toe", "leg", &toe);
    add_tool(b, "nozzle", "rod");
    add_tool(b, "rotor", "trunk");
    const double one[6] = {2}, thrust[6] = {0, 0.1, 1, 0, 0.02, 0.3}, turning[6] = {1, -2, 0.5}, none[3] = {0};
    const double servo[3] = {0.1, -8, -0.7}, drag[3] = {0.2, 0, -0.4};
    add_actuator(b, "thruster", NULL, "rotor", thrust, 1.5, none);
    add_actuator(b, "servo", "j_leg", NULL, one, 8, servo);
    add_actuator(b, "toe", "toe", NULL, one, 3, servo);
    add_actuator(b, "neck", "j_ball", NULL, turning, 2, drag);
    add_actuator(b, "jet", NULL, "nozzle", thrust, 4, drag);
    add_actuator(b, "winch", "j_rod", NULL, one, 1, drag);
    model = finish(b, 0);
    assert_true(hml_model_nv(model) == NV - 1 && hml_model_nq(model) == NQ - 1);
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    return 0;
}

static int close_robot(void **state)
{
    (void)state;
    hml_work_free(work);
    hml_model_free(model);
    return 0;
}

typedef struct at {
    double q[NQ], v[NV], u[NU];
    int what, index; /* 0: q, 1: v, 2: u */
} at;

static at some_state(int seed)
{
    at x = {.what = 0};
    double move[NV];
    for (int i = 0; i < NV; i++) move[i] = sin(3 * i + seed), x.v[i] = cos(5 * i + seed);
    for (int i = 0; i < NU; i++) x.u[i] = sin(7 * i + seed);
    OK(hml_configuration_neutral(model, x.q));
    OK(hml_configuration_integrate(model, x.q, move, x.q));
    return x;
}

static void acceleration(const void *context, double t, double *out)
{
    at x = *(const at *)context;
    double move[NV] = {0}, tau[NV], wrenches[6 * NB];
    move[x.index] = t;
    if (x.what == 0) OK(hml_configuration_integrate(model, x.q, move, x.q));
    if (x.what == 1) x.v[x.index] += t;
    if (x.what == 2) x.u[x.index] += t;
    const hml_actuation a = {.struct_size = sizeof a, .q = x.q, .v = x.v, .u = x.u, .tau = tau, .wrenches = wrenches};
    OK(hml_actuation_compute(model, work, &a));
    OK(hml_forward_dynamics(model, work, x.q, x.v, tau, wrenches, out));
}

static void linearization_is_exact(void **state)
{
    (void)state;
    const int n = hml_model_nv(model);
    double *scratch = malloc((hml_actuation_doubles(model) + 1) * sizeof *scratch);
    for (int seed = 0; seed < 5; seed++) {
        at x = some_state(seed);
        double A[4 * NV * NV], B[2 * NV * NU], a[NV], column[NV];
        const hml_actuated_linearization l = {
            .struct_size = sizeof l, .q = x.q, .v = x.v, .u = x.u, .acceleration = a, .A = A, .B = B};
        OK(hml_actuation_linearize(model, work, scratch, &l));
        acceleration(&x, 0, column);
        assert_all_close(a, column, n, 1e-11);
        for (x.what = 0; x.what < 3; x.what++) {
            for (x.index = 0; x.index < (x.what == 2 ? NU : n); x.index++) {
                difference(acceleration, &x, (size_t)n, column);
                for (int i = 0; i < n; i++) {
                    const double is =
                        x.what == 2 ? B[(n + i) * NU + x.index] : A[(n + i) * 2 * n + x.what * n + x.index];
                    assert_close(is, column[i], 2e-8); /* accelerations are up to 100 */
                }
            }
        }
        for (int i = 0; i < n * NU; i++) assert_true(B[i] == 0);
    }
    free(scratch);
}

/* N f has the power of the forces: f·speed, for every velocity; and it is τ and the wrenches together */
static void the_map_is_that_of_power(void **state)
{
    (void)state;
    const at x = some_state(3), y = some_state(8);
    const int n = hml_model_nv(model);
    double force[NU], map[NU * NV], tau[NV], wrenches[6 * NB], a[NV], b[NV], all[NV] = {0}, slopes[3 * NU];
    const hml_actuation c = {.struct_size = sizeof c,
                             .q = x.q,
                             .v = y.v,
                             .u = x.u,
                             .force = force,
                             .tau = tau,
                             .wrenches = wrenches,
                             .map = map,
                             .slopes = slopes};
    OK(hml_actuation_compute(model, work, &c));
    for (int i = 0; i < NU; i++)
        for (int k = 0; k < n; k++) all[k] += map[i * n + k] * force[i];
    OK(hml_forward_dynamics(model, work, x.q, y.v, all, NULL, a));
    OK(hml_forward_dynamics(model, work, x.q, y.v, tau, wrenches, b));
    assert_all_close(a, b, n, 1e-10);
    double twist[6], speed = 0;
    const hml_frame_motion motion = {.struct_size = sizeof motion, .twist = twist};
    OK(hml_frame(model, work, hml_model_find_frame(model, "nozzle"), HML_LEFT, x.q, y.v, NULL, &motion));
    hml_actuator jet = {.struct_size = sizeof jet};
    OK(hml_model_actuator(model, hml_model_find_actuator(model, "jet"), &jet));
    for (int k = 0; k < 6; k++) speed += jet.gear[k] * twist[k];
    assert_close(force[4], 4 * x.u[4] + 0.2 - 0.4 * speed, 1e-13);
    for (int k = 0; k < n; k++) speed -= map[4 * n + k] * y.v[k];
    assert_close(speed, 0, 1e-13);
    assert_close(force[2], 3 * x.u[2] + 0.1 - 8 * 2 * (-2 * x.q[7] + 0.3) - 0.7 * 2 * -2 * y.v[6], 1e-12); /* follows */
    assert_true(slopes[3] == 8 && slopes[4] == -8 && slopes[5] == -0.7);
}

static void servos_hold(void **state)
{
    (void)state;
    const at x = some_state(1);
    double u[NU], force[NU];
    OK(hml_actuation_hold(model, x.q, u));
    const hml_actuation c = {.struct_size = sizeof c, .q = x.q, .u = u, .force = force};
    OK(hml_actuation_compute(model, work, &c));
    assert_close(force[1], 0, 1e-12);
    assert_close(force[2], 0, 1e-12);
    assert_true(u[0] == 0 && u[3] == 0 && force[0] == 0);
    assert_int_equal(hml_actuation_hold(model, NULL, u), HML_INVALID_ARGUMENT);
}

static void what_is_refused(void **state)
{
    (void)state;
    at x = some_state(1);
    double force[NU], scratch[1];
    hml_actuation c = {.struct_size = sizeof c, .u = x.u, .force = force};
    hml_actuated_linearization l = {.struct_size = sizeof l};
    assert_int_equal(hml_actuation_compute(model, work, &c), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_actuation_linearize(model, work, scratch, &l), HML_INVALID_ARGUMENT);
    c.q = l.q = x.q;
    assert_int_equal(hml_actuation_linearize(model, work, NULL, &l), HML_INVALID_ARGUMENT);
    x.u[2] = NAN;
    assert_int_equal(hml_actuation_compute(model, work, &c), HML_NOT_FINITE);
    assert_int_equal((int)hml_actuation_doubles(NULL), 0);
}

/* ---- motion ---- */

/* a wheel of 2 kg m² with a servo on a gear */
static hml_model *wheel(double kp, double kv, double gear, double most)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_actuator a;
    hml_inertia_spec I = {1, {0}, {2, 0, 0, 0, 2, 0, 0, 0, 2}};
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "turn", joint.axis[2] = 1;
    OK(hml_builder_add_body(b, "wheel", NULL, &joint, &I, NULL));
    hml_actuator_init(&a);
    a.name = "servo", a.gain = kp, a.bias[1] = -kp, a.bias[2] = -kv, a.gear[0] = gear;
    a.force_lower = -most, a.force_upper = most, a.upper = 100;
    OK(hml_builder_add_actuator(b, "turn", &a, NULL));
    return finish(b, 0);
}

/* gears and gains whose products no number can hold */
static void overflow_is_refused(void **state)
{
    (void)state;
    hml_model *m = wheel(1e200, 0, 1e150, INFINITY);
    hml_work *w;
    OK(hml_work_new(m, HML_ISA_SCALAR, HML_USE_ALL, &w));
    const double q = 0, u = 1;
    double tau, A[4], B[2], *scratch = malloc(hml_actuation_doubles(m) * sizeof *scratch);
    assert_non_null(scratch);
    const hml_actuation pushed = {.struct_size = sizeof pushed, .q = &q, .u = &u, .tau = &tau};
    assert_int_equal(hml_actuation_compute(m, w, &pushed), HML_NOT_FINITE);
    const hml_actuated_linearization still = {.struct_size = sizeof still, .q = &q, .A = A, .B = B};
    assert_int_equal(hml_actuation_linearize(m, w, scratch, &still), HML_NOT_FINITE);
    free(scratch), hml_work_free(w), hml_model_free(m);
}

/* in every scheme the servo is the spring that it is: 2 q̈ = 9·(8·(u − 3 q)·… ) with ω² = kp g²/2 = 36 */
static void schemes_agree_with_the_oscillator(void **state)
{
    (void)state;
    hml_model *m = wheel(8, 0, 3, INFINITY);
    hml_work *w;
    OK(hml_work_new(m, HML_ISA_SCALAR, HML_USE_ALL, &w));
    const double u = 0.6, q0 = 0, v0 = 1, time = 0.4, rest = u / 3, omega = 6;
    const double is = rest - rest * cos(omega * time) + v0 / omega * sin(omega * time);
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        hml_motion_options o;
        hml_motion *motion;
        hml_balance b = {.struct_size = sizeof b};
        const hml_forces f = {.struct_size = sizeof f, .inputs = &u};
        hml_motion_options_init(&o);
        o.scheme = (hml_scheme)scheme, o.balance = 1;
        OK(hml_motion_new(m, w, &o, &f, 0, &q0, &v0, &motion));
        OK(hml_motion_advance(motion, time));
        assert_close(*hml_motion_position(motion), is, scheme == HML_SCHEME_EULER ? 1e-2 : 1e-5);
        OK(hml_motion_get_balance(motion, &b));
        const double v = *hml_motion_velocity(motion);
        assert_close(b.actuators, v * v - 1, scheme == HML_SCHEME_EULER ? 5e-2 : 1e-5);
        double tau;
        OK(hml_motion_torque(motion, time, hml_motion_position(motion), &v, &tau));
        assert_close(tau, 3 * 8 * (u - 3 * *hml_motion_position(motion)), 1e-12);
        hml_motion_free(motion);
    }
    hml_work_free(w), hml_model_free(m);
}

/* a servo whose frequency no step resolves stays stable where it is implicit, in contact too, and ends at its target */
static void stiff_servos(void **state)
{
    (void)state;
    hml_model *m = wheel(1e8, 1e6, 1, INFINITY);
    hml_work *w;
    const double u = 0.6;
    double q = 0, v = 0;
    OK(hml_work_new(m, HML_ISA_SCALAR, HML_USE_ALL, &w));
    hml_motion_options o;
    hml_motion *motion;
    const hml_forces f = {.struct_size = sizeof f, .inputs = &u};
    hml_motion_options_init(&o);
    o.scheme = HML_SCHEME_EULER;
    OK(hml_motion_new(m, w, &o, &f, 0, &q, &v, &motion));
    OK(hml_motion_advance(motion, 1));
    assert_close(*hml_motion_position(motion), 0.6, 1e-6);
    hml_motion_free(motion);
    scene s = {.model = m, .settings = {.options = HML_CONTACT_BALANCE}};
    open_scene(&s);
    for (int i = 0; i < 1000; i++) {
        const hml_contact_motion x = {
            .struct_size = sizeof x, .h = 1e-3, .q = s.q, .v = s.v, .q_next = s.q, .v_next = s.v, .inputs = &u};
        OK(hml_contact_step(m, s.work, s.contact, &x));
    }
    assert_close(s.q[0], 0.6, 1e-6);
    close_scene(&s);
    hml_work_free(w);
}

/* in contact a force never leaves its limits: the wheel is accelerated by exactly the limit, and brakes softly */
static void limits_are_kept(void **state)
{
    (void)state;
    scene s = {.model = wheel(1e6, 1e6, 2, 0.5), .settings = {.options = HML_CONTACT_BALANCE}};
    open_scene(&s);
    const double u = 1;
    double torque, work_done = 0;
    for (int i = 0; i < 8000; i++) {
        const double before = s.v[0];
        const hml_contact_motion x = {.struct_size = sizeof x,
                                      .h = 1e-3,
                                      .q = s.q,
                                      .v = s.v,
                                      .q_next = s.q,
                                      .v_next = s.v,
                                      .inputs = &u,
                                      .torque = &torque};
        OK(hml_contact_step(s.model, s.work, s.contact, &x));
        assert_true(fabs(torque) <= 1 + 1e-12);
        assert_close(torque, 2 * (s.v[0] - before) / 1e-3, 1e-9);
        if (i == 500) assert_close(s.v[0], 0.5 * 0.501, 1e-9); /* 1 N m on 2 kg m² */
        work_done += 0.5 * 1e-3 * torque * (s.v[0] + before);
    }
    assert_close(s.q[0], 0.5, 1e-3);
    hml_balance b = {.struct_size = sizeof b};
    OK(hml_contact_get_balance(s.contact, &b));
    assert_close(b.actuators, work_done, 1e-12);
    close_scene(&s);
}

/*
 * The force that would bring a stiff servo to its target is 100 before the step, far beyond its limit of 0.5, and at that
 * limit the servo would go far beyond the target: within the step the law is in between, 0.18.
 */
static void limits_do_not_ring(void **state)
{
    (void)state;
    scene s = {.model = wheel(1e8, 1e6, 1, 0.5)};
    open_scene(&s);
    const double u = 1e-6, h = 1e-3;
    for (int i = 0; i < 200; i++) {
        const hml_contact_motion x = {
            .struct_size = sizeof x, .h = h, .q = s.q, .v = s.v, .q_next = s.q, .v_next = s.v, .inputs = &u};
        OK(hml_contact_step(s.model, s.work, s.contact, &x));
        if (i == 0) assert_close(s.v[0], h * 1e8 * u / (2 + h * 1e6 + h * h * 1e8), 1e-12);
        assert_true(s.v[0] > -1e-12 && s.q[0] < 1.001e-6);
    }
    assert_close(s.q[0], 1e-6, 1e-9);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearization_is_exact),
        cmocka_unit_test(the_map_is_that_of_power),
        cmocka_unit_test(servos_hold),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(schemes_agree_with_the_oscillator),
        cmocka_unit_test(stiff_servos),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(limits_do_not_ring),
        cmocka_unit_test(overflow_is_refused),
    };
    return cmocka_run_group_tests(tests, open_robot, close_robot);
}
