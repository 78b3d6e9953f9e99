/*
 * Observers that move. The judge is an inertial frame: the same robot is simulated there, without any of the functions
 * under test, and seen from the observer afterwards. Further: what is known in closed form, and eighth-order
 * differences.
 */
#include "representation_check.h"

/* ---- robots ---- */

/* a free trunk with its frame at the joint, so that a pose is position and quaternion; ball, hinge, plane */
static hml_model *rider(double gravity)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec base = some_joint(HML_JOINT_FREE, "base");
    const double down[3] = {0, 0, gravity};
    base.position[0] = 0;
    add_spec(b, "trunk", NULL, &base);
    add_link(b, "thigh", "trunk", HML_JOINT_SPHERICAL);
    add_link(b, "shank", "thigh", HML_JOINT_REVOLUTE);
    add_link(b, "cart", "trunk", HML_JOINT_PLANAR);
    ASSERT_OK(hml_builder_set_gravity(b, down));
    return finish(b, 0);
}

static stage s;

static int setup(void **state)
{
    (void)state;
    s.model = rider(-9.81);
    open_stage(&s, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close_stage(&s);
    return 0;
}

/* ---- an observer: a ship that turns, rolls and heaves ---- */

static void ship_log(double t, double xi[6])
{
    const double numbers[6] = {0.4 * t + 0.3 * sin(t), 0.2 - 0.5 * t * t, 0.3 * cos(2 * t),
                               0.5 * sin(1.3 * t),     0.4 * t,           0.3 + 0.6 * t * t};
    memcpy(xi, numbers, sizeof numbers);
}

static void ship_pose(double t, double H[16])
{
    double xi[6];
    ship_log(t, xi);
    ASSERT_OK(hml_se3_exp(xi, H));
}

static void ship_pose_after(const void *context, double t, double *H) { ship_pose(*(const double *)context + t, H); }

static void ship_twist(double t, double V[6])
{
    double H[16], dH[16];
    ship_pose(t, H);
    difference(ship_pose_after, &t, 16, dH);
    ASSERT_OK(hml_se3_velocity(H, HML_LEFT, dH, V));
}

static void ship_twist_after(const void *context, double t, double *V) { ship_twist(*(const double *)context + t, V); }

/* with gravity that the inertial frame has and the ship's model has not: six numbers of acceleration take it in */
static hml_observer ship_at(double t, double gravity)
{
    hml_observer A;
    double H[16];
    ship_twist(t, A.velocity);
    difference(ship_twist_after, &t, 6, A.acceleration);
    ship_pose(t, H);
    for (int i = 0; i < 3; i++) A.acceleration[i] -= H[8 + i] * gravity; /* Rᵀ (0, 0, gravity) */
    return A;
}

/* ---- Runge-Kutta of fourth order on the position numbers ---- */

typedef struct flow {
    hml_model *model;
    hml_work *work;
    int ship; /* is the world of the model the ship? */
} flow;

static void rates(const flow *f, double t, const double *q, const double *v, const double *tau, double *qdot, double *a)
{
    double wrenches[6 * 8] = {0}, unit[MOST];
    memcpy(unit, q, (size_t)hml_model_nq(f->model) * sizeof *q);
    ASSERT_OK(hml_configuration_normalize(f->model, unit));
    if (f->ship) {
        hml_observer A = ship_at(t, -9.81);
        ASSERT_OK(hml_observer_wrenches(f->model, f->work, &A, unit, v, wrenches));
    }
    ASSERT_OK(hml_configuration_rate(f->model, unit, v, qdot));
    ASSERT_OK(hml_forward_dynamics(f->model, f->work, unit, v, tau, f->ship ? wrenches : NULL, a));
}

static void simulate(const flow *f, double duration, int steps, const double *tau, double *q, double *v)
{
    const int nq = hml_model_nq(f->model), nv = hml_model_nv(f->model);
    const double h = duration / steps, ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int k = 0; k < steps; k++) {
        double qs[MOST], vs[MOST], dq[MOST] = {0}, dv[MOST] = {0}, q1[MOST], v1[MOST];
        memcpy(q1, q, sizeof q1), memcpy(v1, v, sizeof v1);
        for (int stage_of = 0; stage_of < 4; stage_of++) {
            for (int i = 0; i < nq; i++) qs[i] = q[i] + h * ahead[stage_of] * dq[i];
            for (int i = 0; i < nv; i++) vs[i] = v[i] + h * ahead[stage_of] * dv[i];
            rates(f, (k + ahead[stage_of]) * h, qs, vs, tau, dq, dv);
            for (int i = 0; i < nq; i++) q1[i] += h * weight[stage_of] * dq[i];
            for (int i = 0; i < nv; i++) v1[i] += h * weight[stage_of] * dv[i];
        }
        memcpy(q, q1, sizeof q1), memcpy(v, v1, sizeof v1);
        ASSERT_OK(hml_configuration_normalize(f->model, q));
    }
}

/* the same state, seen from the ship: the base's pose and twist are relative to it, joints stay */
static void seen_from_the_ship(double t, const double *q, const double *v, double *qs, double *vs)
{
    double A[16], B[16], H[16], inverse[16], V[6], U[6];
    memcpy(qs, q, (size_t)hml_model_nq(s.model) * sizeof *q), memcpy(vs, v, (size_t)s.nv * sizeof *v);
    ship_pose(t, A), ship_twist(t, V);
    ASSERT_OK(hml_se3_from_quaternion(q + 3, q, B));
    ASSERT_OK(hml_se3_between(A, B, H));
    ASSERT_OK(hml_se3_to_quaternion(H, qs + 3, qs));
    ASSERT_OK(hml_se3_inverse(H, inverse));
    ASSERT_OK(hml_twist_transform(inverse, V, U));
    for (int i = 0; i < 6; i++) vs[i] -= U[i];
}

static void test_a_ship_against_an_inertial_frame(void **state)
{
    (void)state;
    flow earth = {s.model, s.work, 0}, ship = {rider(0), NULL, 1};
    double q[MOST], v[MOST], qs[MOST], vs[MOST], expected_q[MOST], expected_v[MOST], distance, zero = 0, tau[MOST];
    ASSERT_OK(hml_work_new(ship.model, HML_ISA_SCALAR, HML_USE_ALL, &ship.work));
    memcpy(q, s.q, sizeof q), memcpy(v, s.v, sizeof v), memcpy(tau, s.tau, sizeof tau);
    seen_from_the_ship(0, q, v, qs, vs);
    simulate(&earth, 0.5, 500, tau, q, v);
    simulate(&ship, 0.5, 500, tau, qs, vs);
    seen_from_the_ship(0.5, q, v, expected_q, expected_v);
    ASSERT_OK(hml_configuration_distance(s.model, expected_q, qs, &distance));
    CHECK(&distance, &zero, 1, 1e-9); /* h⁴ of Runge and Kutta with h = 1 ms, and accelerations up to 100 */
    CHECK(vs, expected_v, s.nv, 1e-8);
    double moved;
    ASSERT_OK(hml_configuration_distance(s.model, s.q, q, &moved));
    assert_true(moved > 0.5); /* it did move */
    hml_work_free(ship.work);
    hml_model_free(ship.model);
}

/* ---- six numbers of acceleration ---- */

/* a lift that accelerates is gravity: accelerations and derivatives are those of a model with gravity − a */
static void test_a_lift_is_gravity(void **state)
{
    (void)state;
    const int n = s.nv;
    const hml_observer lift = {.acceleration = {0.7, -1.1, 3}};
    const double other[3] = {-0.7, 1.1, -9.81 - 3};
    hml_model *model;
    hml_work *work;
    static double Dq[MOST * MOST], Dv[MOST * MOST], A[4 * MOST * MOST], E[MOST * MOST], F[MOST * MOST],
        G[4 * MOST * MOST];
    double a[MOST], b[MOST], *scratch = malloc(hml_observer_scratch_doubles(s.model) * sizeof *scratch);
    ASSERT_OK(hml_model_copy(s.model, &model));
    ASSERT_OK(hml_model_set_gravity(model, other));
    ASSERT_OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    hml_linearization x = {.struct_size = sizeof x, .q = {s.q, 0}, .v = {s.v, 0}, .tau = {s.tau, 0}};
    hml_linearization y = x;
    x.acceleration.data = a, x.Dq.data = Dq, x.Dv.data = Dv, x.A.data = A;
    y.acceleration.data = b, y.Dq.data = E, y.Dv.data = F, y.A.data = G;
    ASSERT_OK(hml_observer_linearize(s.model, s.work, &lift, scratch, &x));
    ASSERT_OK(hml_linearize(model, work, &y));
    CHECK(a, b, n, 1e-11);
    CHECK(Dq, E, n * n, 1e-10);
    CHECK(Dv, F, n * n, 1e-10);
    CHECK(A, G, 4 * n * n, 1e-10);
    free(scratch);
    hml_work_free(work);
    hml_model_free(model);
}

/* Bos (61): every body's acceleration gains ⁱX_A a, which for a free base is ν̇ + ⁰X_A a; the angular three too */
static void test_six_numbers_shift_the_bases_acceleration(void **state)
{
    (void)state;
    const hml_observer A = {.acceleration = {0.7, -1.1, 3, 2, -0.6, 1.4}};
    double H[16], inverse[16], b[6], a[MOST], shifted[MOST], tau[MOST], expected[MOST], wrenches[6 * 8] = {0};
    draw_array(a, s.nv, 1);
    memcpy(shifted, a, sizeof a);
    ASSERT_OK(hml_se3_from_quaternion(s.q + 3, s.q, H));
    ASSERT_OK(hml_se3_inverse(H, inverse));
    ASSERT_OK(hml_twist_transform(inverse, A.acceleration, b));
    for (int i = 0; i < 6; i++) shifted[i] += b[i];
    ASSERT_OK(hml_observer_wrenches(s.model, s.work, &A, s.q, s.v, wrenches));
    ASSERT_OK(hml_inverse_dynamics(s.model, s.work, s.q, s.v, a, wrenches, tau));
    ASSERT_OK(hml_inverse_dynamics(s.model, s.work, s.q, s.v, shifted, NULL, expected));
    CHECK(tau, expected, s.nv, 1e-10);
    for (int i = 0; i < 6; i++) wrenches[i] = 1; /* they are added to what is there */
    ASSERT_OK(hml_observer_wrenches(s.model, s.work, &(hml_observer){{0}, {0}}, s.q, s.v, wrenches));
    for (int i = 0; i < 6; i++) CHECK(&wrenches[i], &(double){1}, 1, 1e-12);
}

/* ---- a turntable ---- */

/* a body without forces, its frame at its centre: ö = −2 ω × ȯ − ω × (ω × o) − ω̇ × o in the axes of the table */
static void test_coriolis_centrifugal_euler(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec base = some_joint(HML_JOINT_FREE, "base");
    const hml_inertia_spec I = {2, {0, 0, 0}, {1, 0, 0, 0, 1.5, 0, 0, 0, 2}};
    const double nothing[3] = {0}, w[3] = {0.3, -0.8, 1.7}, dw[3] = {0.9, 0.4, -0.5};
    ASSERT_OK(hml_builder_add_body(b, "puck", NULL, &base, &I, NULL));
    ASSERT_OK(hml_builder_set_gravity(b, nothing));
    hml_model *puck = finish(b, 0);
    hml_work *work;
    hml_rng rng;
    double q[7], v[6], a[6], mixed[6], velocity[6], wrenches[6] = {0}, H[16], expected[3];
    ASSERT_OK(hml_work_new(puck, HML_ISA_SCALAR, HML_USE_ALL, &work));
    hml_rng_seed(&rng, 5);
    ASSERT_OK(hml_configuration_random(puck, &rng, q));
    draw_array(v, 6, 2);
    const hml_observer table = {.velocity = {0, 0, 0, w[0], w[1], w[2]},
                                .acceleration = {0, 0, 0, dw[0], dw[1], dw[2]}};
    ASSERT_OK(hml_observer_wrenches(puck, work, &table, q, v, wrenches));
    ASSERT_OK(hml_forward_dynamics(puck, work, q, v, NULL, wrenches, a));
    ASSERT_OK(hml_acceleration_to_representation(puck, HML_MIXED, q, v, a, mixed));
    ASSERT_OK(hml_velocity_to_representation(puck, HML_MIXED, q, v, velocity));
    hml_frame_motion pose = {.struct_size = sizeof pose, .pose = H};
    ASSERT_OK(hml_frame(puck, work, 0, HML_LEFT, q, NULL, NULL, &pose));
    const double o[3] = {H[3], H[7], H[11]};
    double wo[3];
    for (int i = 0; i < 3; i++) wo[i] = w[(i + 1) % 3] * o[(i + 2) % 3] - w[(i + 2) % 3] * o[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expected[i] = -2 * (w[j] * velocity[k] - w[k] * velocity[j]) - (w[j] * wo[k] - w[k] * wo[j]);
        expected[i] -= dw[j] * o[k] - dw[k] * o[j];
    }
    CHECK(mixed, expected, 3, 1e-13);
    hml_work_free(work);
    hml_model_free(puck);
}

/* ---- derivatives ---- */

static hml_observer somewhere;

static void seen_along(const void *context, double t, double *out)
{
    double q[MOST], v[MOST], tau[MOST], wrenches[6 * 8] = {0};
    move_along(context, t, q, v, tau);
    ASSERT_OK(hml_observer_wrenches(s.model, s.work, &somewhere, q, v, wrenches));
    for (int i = 0; i < 6; i++) wrenches[6 + i] += 0.3 * i; /* a wrench on the second body besides */
    ASSERT_OK(hml_forward_dynamics(s.model, s.work, q, v, tau, wrenches, out));
}

static void test_derivatives_of_what_an_observer_sees(void **state)
{
    (void)state;
    const int n = s.nv;
    const size_t ld = 2 * (size_t)n + 3;
    static double A[2 * MOST * (2 * MOST + 3)], B[2 * MOST * MOST], Dq[MOST * MOST], Dv[MOST * MOST], Minv[MOST * MOST];
    double a[MOST], expected[MOST], wrenches[6 * 8] = {0};
    double *scratch = malloc(hml_observer_scratch_doubles(s.model) * sizeof *scratch);
    draw_array(somewhere.velocity, 6, 1), draw_array(somewhere.acceleration, 6, 2);
    for (int i = 0; i < 6; i++) wrenches[6 + i] = 0.3 * i;
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {s.q, 0},
                           .v = {s.v, 0},
                           .tau = {s.tau, 0},
                           .wrenches = {wrenches, 0},
                           .acceleration = {a, 0, 0},
                           .Dq = {Dq, 0, 0},
                           .Dv = {Dv, 0, 0},
                           .Minv = {Minv, 0, 0},
                           .A = {A, ld, 0},
                           .B = {B, 0, 0}};
    ASSERT_OK(hml_observer_linearize(s.model, s.work, &somewhere, scratch, &x));
    direction nowhere = {.s = &s};
    seen_along(&nowhere, 0, expected);
    CHECK(a, expected, n, 1e-11);
    check_columns(&s, HML_LEFT, 0, seen_along, n, 0, n, Dq, n, 10 * DIFFERENCE_TOL);
    check_columns(&s, HML_LEFT, 0, seen_along, n, n, 2 * n, Dv, n, 10 * DIFFERENCE_TOL);
    check_columns(&s, HML_LEFT, 0, seen_along, n, 2 * n, 3 * n, Minv, n, 10 * DIFFERENCE_TOL);
    check_columns(&s, HML_LEFT, 0, seen_along, n, 0, 2 * n, A + (size_t)n * ld, (int)ld, 10 * DIFFERENCE_TOL);
    check_columns(&s, HML_LEFT, 0, seen_along, n, 2 * n, 3 * n, B + n * n, n, 10 * DIFFERENCE_TOL);
    double upper[4 * MOST * MOST]; /* the upper half of A is as ever */
    hml_linearization y = {.struct_size = sizeof y, .q = {s.q, 0}, .v = {s.v, 0}, .A = {upper, 0, 0}};
    ASSERT_OK(hml_linearize(s.model, s.work, &y));
    for (int i = 0; i < n; i++) CHECK(A + (size_t)i * ld, upper + i * 2 * n, 2 * n, 0);
    free(scratch);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    hml_observer bad = {.velocity = {0, NAN}}, good = {{0}, {0}};
    double wrenches[6 * 8] = {0}, q[MOST];
    hml_linearization x = {.struct_size = sizeof x, .q = {s.q, 0}, .v = {s.v, 0}};
    memcpy(q, s.q, sizeof q);
    assert_int_equal(hml_observer_wrenches(s.model, s.work, &bad, s.q, s.v, wrenches), HML_NOT_FINITE);
    assert_int_equal(hml_observer_wrenches(s.model, s.work, NULL, s.q, s.v, wrenches), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_observer_wrenches(s.model, s.work, &good, s.q, NULL, wrenches), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_observer_wrenches(s.model, s.work, &good, s.q, s.v, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_observer_linearize(s.model, s.work, &good, NULL, &x), HML_INVALID_ARGUMENT);
    q[3] = 2;
    assert_int_equal(hml_observer_wrenches(s.model, s.work, &good, q, s.v, wrenches), HML_NOT_NORMALIZED);
    assert_int_equal(hml_observer_scratch_doubles(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ship_against_an_inertial_frame),
        cmocka_unit_test(test_a_lift_is_gravity),
        cmocka_unit_test(test_six_numbers_shift_the_bases_acceleration),
        cmocka_unit_test(test_coriolis_centrifugal_euler),
        cmocka_unit_test(test_derivatives_of_what_an_observer_sees),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
