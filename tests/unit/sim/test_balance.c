/* Balances of energy and momentum, part by part, against closed forms; and that they close on robots. */
#include "contact_check.h"

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g, off by %g", x, y, x - y);
}

static double work_of(const hml_balance *b)
{
    return b->forces + b->servos + b->wrenches + b->damping + b->contacts + b->limits + b->friction + b->displacement +
           b->removed + b->actuators;
}

static double energy_of(const hml_model *model, hml_work *work, const double *q, const double *v, double *momentum)
{
    static double M[64 * 64], h[64];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h, .momentum = momentum};
    OK(hml_dynamics(model, work, q, v, NULL, NULL, &d));
    return d.kinetic_energy + d.potential_energy;
}

/* ---- smooth motions ---- */

/* a wheel of 3 kg m² about z with a damper of 0.5 */
static hml_model *wheel(double damping)
{
    hml_model *model;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec I = {1, {0}, {3, 0, 0, 0, 3, 0, 0, 0, 3}};
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "turn", joint.axis[2] = 1, joint.damping[0] = damping;
    OK(hml_builder_add_body(b, "wheel", NULL, &joint, &I, NULL));
    OK(hml_builder_build(b, 0, &model, NULL));
    hml_builder_free(b);
    return model;
}

static hml_balance balance_after(const hml_model *model, hml_work *work, hml_scheme scheme, const hml_forces *forces,
                                 double time, double *q, double *v)
{
    hml_motion *motion;
    hml_motion_options o;
    hml_balance b = {.struct_size = sizeof b};
    hml_motion_options_init(&o);
    o.scheme = scheme, o.balance = 1;
    OK(hml_motion_new(model, work, &o, forces, 0, q, v, &motion));
    OK(hml_motion_advance(motion, time));
    OK(hml_motion_get_balance(motion, &b));
    memcpy(q, hml_motion_position(motion), (size_t)hml_model_nq(model) * sizeof *q);
    memcpy(v, hml_motion_velocity(motion), (size_t)hml_model_nv(model) * sizeof *v);
    hml_motion_free(motion);
    return b;
}

static void parts_have_closed_forms(void **state)
{
    (void)state;
    hml_model *model = wheel(0.5);
    hml_work *work;
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    double q = 0, v = 2; /* v = 2 exp(−t/6) */
    hml_balance b = balance_after(model, work, HML_SCHEME_DOPRI5, NULL, 1.5, &q, &v);
    near(b.damping, -6 * (1 - exp(-0.5)), 1e-11);
    near(b.forces + b.servos + b.wrenches, 0, 0);
    hml_model_free(model), hml_work_free(work);

    model = wheel(0);
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    const double tau = 0.6, k = 12, zero = 0;
    hml_forces pushed = {.struct_size = sizeof pushed, .tau = &tau};
    q = 0, v = 1; /* turns by t + t²/10 */
    b = balance_after(model, work, HML_SCHEME_DOPRI5, &pushed, 2, &q, &v);
    near(b.forces, 0.6 * 2.4, 1e-12);
    hml_forces held = {.struct_size = sizeof held, .target = &zero, .stiffness = &k};
    q = 0.5, v = 0; /* ω = 2: at rest again after a quarter of a turn, with all of the spring's energy */
    b = balance_after(model, work, HML_SCHEME_DOPRI5, &held, acos(0) / 2, &q, &v);
    near(b.servos, 0.5 * 12 * 0.25, 1e-10);
    hml_model_free(model), hml_work_free(work);
}

/* a wrench in the world's axes on a free body: work F·Δx, impulse F t, and its moment about the origin */
static void wrenches_push(void **state)
{
    (void)state;
    hml_model *model;
    hml_work *work;
    hml_builder *b = hml_builder_new();
    add_solid(b, "one", HML_JOINT_FREE, 0.1, 0.2, 0.3);
    OK(hml_builder_build(b, 0, &model, NULL));
    hml_builder_free(b);
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    double q[7] = {1, 2, 3, 1}, v[6] = {0.1, 0, 0, 0.3, -2, 1}, before[6], after[6];
    const hml_frame_wrench push = {.frame = 0, .in_world = 1, .wrench = {4, -1, 2, 0.3, 0.1, -0.2}};
    const hml_forces forces = {.struct_size = sizeof forces, .nframe_wrenches = 1, .frame_wrenches = &push};
    const double E = energy_of(model, work, q, v, before);
    hml_balance x = balance_after(model, work, HML_SCHEME_DOPRI5, &forces, 0.7, q, v);
    near(energy_of(model, work, q, v, after), E + work_of(&x), 1e-10);
    assert_true(fabs(x.wrenches) > 1 && x.forces == 0 && x.servos == 0);
    for (int k = 0; k < 3; k++) near(x.wrench_impulse[k], 0.7 * push.wrench[k], 1e-12);
    near(x.gravity_impulse[2], -0.7 * 2 * 9.81, 1e-12);
    for (int k = 0; k < 6; k++) near(after[k], before[k] + x.gravity_impulse[k] + x.wrench_impulse[k], 1e-10);
    hml_model_free(model), hml_work_free(work);
}

/* every scheme, a robot with a damper, a servo and a force: the error falls as that of the scheme does */
static void balances_close(void **state)
{
    (void)state;
    static const double most[HML_SCHEME_COUNT] = {3e-2, 5e-5, 1e-9, 1e-12, 2e-5, 2e-5, 1e-9};
    hml_random_spec spec;
    hml_model *model;
    hml_work *work;
    hml_random_spec_init(&spec);
    spec.passive = 1;
    OK(hml_model_random(&spec, &model));
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    const int32_t nv = hml_model_nv(model);
    assert_true(nv <= 64);
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        double q[64], v[64], target[64], stiffness[64], damping[64], tau[64], before[6], after[6];
        OK(hml_configuration_neutral(model, q));
        memcpy(target, q, sizeof q);
        for (int i = 0; i < nv; i++)
            v[i] = 0.1 * (i % 5), stiffness[i] = 1, damping[i] = 0.1, tau[i] = 0.3 - 0.1 * (i % 4);
        const hml_forces f = {
            .struct_size = sizeof f, .tau = tau, .target = target, .stiffness = stiffness, .damping = damping};
        const double E = energy_of(model, work, q, v, before);
        hml_balance b = balance_after(model, work, (hml_scheme)scheme, &f, 0.3, q, v);
        assert_true(fabs(b.forces) > 1e-3 && b.servos < -1 && b.damping < -1);
        near(energy_of(model, work, q, v, after), E + work_of(&b), most[scheme] * fabs(E));
        for (int k = 0; k < 6; k++) /* the force and the servo of the base push the whole */
            near(after[k], before[k] + b.gravity_impulse[k] + b.wrench_impulse[k], most[scheme] * fabs(E));
    }
    hml_model_free(model), hml_work_free(work);
}

static hml_status fails_late(void *context, double t, const double *q, const double *v, double *tau, double *wrenches)
{
    (void)q, (void)v, (void)tau, (void)wrenches;
    return t > *(const double *)context && t < 0.99 ? HML_NOT_CONVERGED : HML_OK;
}

/* books that nobody asked for, and those that cannot be kept */
static void what_is_refused(void **state)
{
    (void)state;
    hml_model *model = wheel(0);
    hml_work *work;
    hml_motion *motion;
    hml_balance b = {.struct_size = sizeof b};
    double q = 0, v = 1, tau = 7, late = 0.5;
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    OK(hml_motion_new(model, work, NULL, NULL, 0, &q, &v, &motion));
    assert_int_equal(hml_motion_get_balance(motion, &b), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_motion_torque(motion, 0, NULL, &v, &tau), HML_INVALID_ARGUMENT);
    OK(hml_motion_torque(motion, 0, &q, &v, &tau));
    near(tau, 0, 0);
    hml_motion_free(motion);
    hml_motion_options o;
    hml_motion_options_init(&o);
    o.balance = 1, o.scheme = HML_SCHEME_VARIATIONAL, o.step = 1; /* asks for forces at the middle alone */
    const hml_forces f = {.struct_size = sizeof f, .function = fails_late, .context = &late};
    OK(hml_motion_new(model, work, &o, &f, 0, &q, &v, &motion));
    OK(hml_motion_step(motion, 1));
    OK(hml_motion_get_balance(motion, &b));
    assert_true(isnan(b.forces));
    hml_motion_free(motion);
    hml_model_free(model), hml_work_free(work);
}

/* ---- contact ---- */

static void open_solid(scene *s, hml_plane *plane, hml_shape *shape, hml_shape_kind kind, double restitution)
{
    hml_builder *b = hml_builder_new();
    add_solid(b, "box", HML_JOINT_FREE, 0.1, 0.1, 0.1);
    OK(hml_builder_build(b, 0, &s->model, NULL));
    hml_builder_free(b);
    *plane = floor_plane(0.5, restitution);
    *shape = shape_on(0, kind, 0.1, 0.1, 0.1);
    s->settings = (hml_contact_settings){.planes = plane, .nplanes = 1, .shapes = shape, .nshapes = 1};
    s->settings.options = HML_CONTACT_BALANCE;
    open_scene(s);
}

/* a box that slides until it stands: friction takes all of ½ m v², and the ground carries the weight */
static void a_box_slides(void **state)
{
    (void)state;
    scene s;
    hml_plane plane;
    hml_shape shape;
    hml_balance b = {.struct_size = sizeof b};
    open_solid(&s, &plane, &shape, HML_SHAPE_BOX, 0);
    s.q[2] = 0.1, s.v[0] = 1;
    run(&s, 1e-3, 500, NULL);
    OK(hml_contact_get_balance(s.contact, &b));
    near(s.v[0], 0, 1e-9);
    near(b.contacts, -1, 2 * 9.81 * 1e-4); /* the box settles by the slop */
    near(b.contact_impulse[0], -2, 1e-9);
    near(b.contact_impulse[2], 2 * 9.81 * 0.5, 1e-6);
    near(b.gravity_impulse[2], -2 * 9.81 * 0.5, 1e-9);
    assert_true(b.forces == 0 && b.servos == 0 && b.damping == 0 && b.limits == 0 && b.friction == 0);
    close_scene(&s);
}

/* an impact takes everything, or leaves a quarter with a restitution of ½ */
static void a_ball_falls_and_bounces(void **state)
{
    (void)state;
    for (int bounce = 0; bounce < 2; bounce++) {
        scene s;
        hml_plane plane;
        hml_shape shape;
        hml_balance b = {.struct_size = sizeof b};
        open_solid(&s, &plane, &shape, HML_SHAPE_SPHERE, bounce ? 0.5 : 0);
        s.q[2] = 0.5;
        const double E = energy_of(s.model, s.work, s.q, s.v, NULL);
        run(&s, 1e-3, 350, NULL);
        OK(hml_contact_get_balance(s.contact, &b));
        const double fall = 2 * 9.81 * 0.4;
        near(b.contacts, bounce ? -0.75 * fall : -fall, 0.02 * fall);
        near(energy_of(s.model, s.work, s.q, s.v, NULL), E + work_of(&b), 1e-3 * fall);
        close_scene(&s);
    }
}

/* a robot with springs, dampers, servos (on its base, too), dry friction and wrenches */
static void robots_close(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.passive = 1;
    scene s = {.settings = {.options = HML_CONTACT_BALANCE}};
    OK(hml_model_random(&spec, &s.model));
    const int32_t nv = hml_model_nv(s.model), nbodies = hml_model_nbodies(s.model);
    double gains[64], dampers[64], dry[64], torque[64], wrenches[6 * 64] = {0}, before[6], after[6];
    for (int i = 0; i < nv; i++) gains[i] = 2, dampers[i] = 0.2, dry[i] = i < 6 ? 0 : 0.05;
    s.settings.joint_friction = dry;
    open_scene(&s);
    OK(hml_contact_set_servo(s.contact, s.q, gains, dampers));
    for (int i = 0; i < nv; i++) s.v[i] = 0.2 * (i % 3);
    for (int i = 0; i < 6 * nbodies; i++) wrenches[i] = 0.05 * (i % 4);
    const double E = energy_of(s.model, s.work, s.q, s.v, before);
    const hml_contact_motion x = {.struct_size = sizeof x,
                                  .h = 2e-4,
                                  .q = s.q,
                                  .v = s.v,
                                  .wrenches = wrenches,
                                  .q_next = s.q,
                                  .v_next = s.v,
                                  .torque = torque};
    for (int k = 0; k < 1000; k++) {
        OK(hml_contact_step(s.model, s.work, s.contact, &x));
    }
    hml_balance b = {.struct_size = sizeof b};
    OK(hml_contact_get_balance(s.contact, &b));
    assert_true(b.servos != 0 && b.damping < 0 && b.friction < 0 && b.wrenches != 0);
    near(energy_of(s.model, s.work, s.q, s.v, after), E + work_of(&b), 1e-3 * fabs(E));
    double size = 0;
    for (int k = 0; k < 6; k++) size = fmax(size, fabs(b.gravity_impulse[k]));
    for (int k = 0; k < 6; k++)
        near(after[k], before[k] + b.gravity_impulse[k] + b.wrench_impulse[k] + b.contact_impulse[k], 1e-4 * size);
    close_scene(&s);
}

/* the mean force of a servo over a step is the implicit one: −d u⁺ − k (q + h u⁺ − target) */
static void torques_are_those_of_the_step(void **state)
{
    (void)state;
    scene s = {.settings = {.struct_size = sizeof s.settings}};
    s.model = wheel(0);
    open_scene(&s);
    const double target = 0.4, k = 50, d = 3, tau = 0.7, h = 0.01, q = 0.1, v = 0.2;
    double torque = 0;
    hml_balance b = {.struct_size = sizeof b};
    OK(hml_contact_set_servo(s.contact, &target, &k, &d));
    const hml_contact_motion x = {.struct_size = sizeof x,
                                  .h = h,
                                  .q = &q,
                                  .v = &v,
                                  .tau = &tau,
                                  .q_next = s.q,
                                  .v_next = s.v,
                                  .torque = &torque};
    OK(hml_contact_step(s.model, s.work, s.contact, &x));
    near(torque, tau - d * s.v[0] - k * (q + h * s.v[0] - target), 1e-12);
    near(torque, 3 * (s.v[0] - v) / h, 1e-10);
    assert_int_equal(hml_contact_get_balance(s.contact, &b), HML_INVALID_ARGUMENT);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_closed_forms),
        cmocka_unit_test(wrenches_push),
        cmocka_unit_test(balances_close),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(a_box_slides),
        cmocka_unit_test(a_ball_falls_and_bounces),
        cmocka_unit_test(robots_close),
        cmocka_unit_test(torques_are_those_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
