/*
 * Linkages as a whole: a four-bar against its own equation of motion, which is that of one angle; motions of ten seconds;
 * a Stewart platform that its legs carry.
 */
#include "difference.h"
#include "linkage.h"

static const four_bar bars = {0.3, 0.9, 0.7, 1};

typedef struct linkage {
    hml_model *model;
    hml_work *work;
    hml_loop loops[6];
    hml_constraints set;
    double *scratch;
    int nv;
} linkage;

static void open_linkage(linkage *s, hml_model *model)
{
    s->model = model;
    s->nv = hml_model_nv(model);
    s->set = HML_STRUCT(hml_constraints, .loops = s->loops, .loop_count = 1);
    ASSERT_OK(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &s->work));
}

static void make_scratch(linkage *s)
{
    s->scratch = malloc(hml_constraint_scratch_doubles(s->model, &s->set) * sizeof(double));
    assert_non_null(s->scratch);
}

static void close_linkage(linkage *s)
{
    free(s->scratch);
    hml_work_free(s->work);
    hml_model_free(s->model);
}

/* ---- the closed form: angles of the bars against the ground, as functions of the crank's ---- */

/* next to those at t = 0, not a turn away from them */
static void angles(const void *context, double t, double *out)
{
    const double theta = *(const double *)context;
    double here[2], there[2];
    four_bar_solve(bars, theta, 1, &here[0], &here[1]);
    four_bar_solve(bars, theta + t, 1, &there[0], &there[1]);
    out[0] = theta + t;
    for (int i = 0; i < 2; i++) out[1 + i] = here[i] + turns(there[i] - here[i]);
}

static void rates(const void *context, double t, double *out)
{
    const double theta = *(const double *)context + t;
    difference(angles, &theta, 3, out);
}

/* ½ m(θ) θ̇² + V(θ): bars of mass 1, centres in the middle; m in out[0], V in out[1] */
static void one_angle(const void *context, double t, double *out)
{
    const double theta = *(const double *)context + t, l1 = bars.crank, l2 = bars.coupler, l3 = bars.rocker;
    double q[3], d[3], at = theta;
    angles(&at, 0, q), rates(&at, 0, d);
    const double two = q[0] + q[1], w2 = d[0] + d[1];
    const double vx = -l1 * sin(q[0]) - l2 / 2 * w2 * sin(two), vz = l1 * cos(q[0]) + l2 / 2 * w2 * cos(two);
    out[0] = l1 * l1 / 3 + vx * vx + vz * vz + l2 * l2 / 12 * w2 * w2 + l3 * l3 / 3 * d[2] * d[2];
    out[1] = 9.81 * (l1 / 2 * sin(q[0]) + l1 * sin(q[0]) + l2 / 2 * sin(two) + l3 / 2 * sin(q[2]));
}

/* θ̈ of the crank at θ with θ̇ and a torque on the crank */
static double acceleration(double theta, double speed, double torque)
{
    double now[2], change[2];
    one_angle(&theta, 0, now);
    difference(one_angle, &theta, 2, change);
    return (torque - change[0] * speed * speed / 2 - change[1]) / now[0];
}

typedef struct crank {
    double theta, speed;
    char what;
} crank;

static void moved_crank(const void *context, double t, double *out)
{
    const crank *c = context;
    *out = acceleration(c->theta + (c->what == 'q' ? t : 0), c->speed + (c->what == 'v' ? t : 0), 2);
}

/* ν̇ of the crank, and its derivatives along the motions that the loop allows */
static void test_four_bar(void **state)
{
    (void)state;
    linkage s = {.nv = 0};
    open_linkage(&s, four_bar_model(bars));
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "coupler_end", "rocker_end");
    make_scratch(&s);
    for (int k = 0; k < 20; k++) {
        const double theta = 0.37 * k, speed = 0.2 * k - 1;
        double q[3], z[3], w[3], v[3], a[3], lambda[3], tau[3] = {2, 0, 0}, Dq[9], Dv[9], by_q, by_v;
        angles(&theta, 0, q), rates(&theta, 0, z);
        difference(rates, &theta, 3, w);
        for (int i = 0; i < 3; i++) v[i] = z[i] * speed, w[i] *= speed;
        hml_constraint_report report = {.struct_size = sizeof report};
        ASSERT_OK(hml_constrained_linearize(s.model, s.work, &s.set, s.scratch,
                                            &HML_STRUCT(hml_constrained_linearization, .q = q, .v = v, .tau = tau,
                                                        .acceleration = a, .lambda = lambda, .Dq = Dq, .Dv = Dv,
                                                        .report = &report)));
        assert_int_equal(report.rows, 3);
        assert_int_equal(report.rank, 2); /* it is flat: nothing moves across the plane */
        assert_close(a[0], acceleration(theta, speed, 2), 1e-8 * (1 + fabs(a[0])));
        crank c = {theta, speed, 'q'};
        difference(moved_crank, &c, 1, &by_q);
        c.what = 'v';
        difference(moved_crank, &c, 1, &by_v);
        double one = 0, two = 0;
        for (int i = 0; i < 3; i++) one += Dq[i] * z[i] + Dv[i] * w[i], two += Dv[i] * z[i];
        assert_close(one, by_q, 1e-8 * (1 + fabs(by_q)));
        assert_close(two, by_v, 1e-8 * (1 + fabs(by_v)));
    }
    close_linkage(&s);
}

static double loop_error(const linkage *s, const double *q)
{
    double most = 0;
    for (int32_t i = 0; i < s->set.loop_count; i++) {
        double H[16];
        hml_frame_motion x = {.struct_size = sizeof x, .pose = H};
        ASSERT_OK(
            hml_frame_relative(s->model, s->work, s->loops[i].frame, s->loops[i].other, HML_LEFT, q, NULL, NULL, &x));
        most = fmax(most, sqrt(H[3] * H[3] + H[7] * H[7] + H[11] * H[11]));
    }
    return most;
}

/* ten seconds of a four-bar that gravity swings: the loop stays closed, and its energy stays */
static void test_ten_seconds(void **state)
{
    (void)state;
    linkage s = {.nv = 0};
    const double theta = 0.4;
    double q[3], v[3] = {0}, drift = 0, most = 0, z[3], now[2], start[2];
    open_linkage(&s, four_bar_model(bars));
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "coupler_end", "rocker_end");
    s.loops[0].damping = 40, s.loops[0].stiffness = 400;
    make_scratch(&s);
    angles(&theta, 0, q);
    hml_motion *motion = NULL;
    hml_motion_options o;
    hml_motion_options_init(&o);
    o.step = 0, o.tolerance = 1e-11;
    o.constraints = &s.set, o.constraint_scratch = s.scratch;
    ASSERT_OK(hml_motion_new(s.model, s.work, &o, NULL, 0, q, v, &motion));
    one_angle(&theta, 0, start);
    for (int k = 1; k <= 100; k++) {
        ASSERT_OK(hml_motion_advance(motion, 0.1 * k));
        const double *at = hml_motion_position(motion), speed = hml_motion_velocity(motion)[0];
        most = fmax(most, loop_error(&s, at));
        one_angle(&at[0], 0, now);
        drift = fmax(drift, fabs(now[0] * speed * speed / 2 + now[1] - start[1]));
        angles(&at[0], 0, z);
        assert_close(turns(at[1] - z[1]), 0, 1e-7); /* still on the side on which it was assembled */
    }
    assert_true(most < 1e-9);  /* m */
    assert_true(drift < 1e-6); /* J, of 3 that go to and fro */
    hml_motion_free(motion);
    o.scheme = HML_SCHEME_ALPHA, o.step = 1e-3;
    assert_int_equal(hml_motion_new(s.model, s.work, &o, NULL, 0, q, v, &motion), HML_UNSUPPORTED);
    o.scheme = HML_SCHEME_RK4, o.constraint_scratch = NULL;
    assert_int_equal(hml_motion_new(s.model, s.work, &o, NULL, 0, q, v, &motion), HML_INVALID_ARGUMENT);
    close_linkage(&s);
}

/* legs that carry a plate: trim closes the loops, and with its torques nothing accelerates */
static void test_stewart(void **state)
{
    (void)state;
    linkage s = {.nv = 0};
    static double guess[MOST], q[MOST], tau[MOST], lambda[MOST], a[MOST], v[MOST];
    hml_error error = {0};
    int32_t freedom = 0;
    open_linkage(&s, stewart_model());
    s.set.loop_count = stewart_loops(s.model, s.loops);
    make_scratch(&s);
    ASSERT_OK(hml_configuration_neutral(s.model, guess));
    hml_trim_report report = {.struct_size = sizeof report};
    const hml_trim_problem p = HML_STRUCT(hml_trim_problem, .guess = guess, .holds = &s.set, .q = q, .tau = tau,
                                          .lambda = lambda, .report = &report);
    double *scratch = malloc(hml_trim_scratch_doubles(s.model, &p) * sizeof *scratch);
    if (hml_trim(s.model, s.work, &p, scratch, &error)) fail_msg("%s", error.message);
    free(scratch);
    assert_true(loop_error(&s, q) < 1e-8);
    ASSERT_OK(hml_constrained_freedom(s.model, s.work, &s.set, s.scratch, q, &freedom));
    assert_int_equal(freedom, 6);
    ASSERT_OK(hml_constrained_forward_dynamics(
        s.model, s.work, &s.set, s.scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau, .acceleration = a)));
    for (int i = 0; i < s.nv; i++) assert_close(a[i], 0, 1e-7);
    double H[16], sum[3] = {0}; /* λ pushes the rods, in axes of the plate: what is against it carries the plate */
    hml_frame_motion x = {.struct_size = sizeof x, .pose = H};
    ASSERT_OK(hml_frame(s.model, s.work, hml_model_find_frame(s.model, "plate"), HML_LEFT, q, NULL, NULL, &x));
    for (int i = 0; i < 18; i++)
        for (int r = 0; r < 3; r++) sum[r] -= H[4 * r + i % 3] * lambda[i];
    assert_all_close(sum, (double[]){0, 0, 5 * 9.81}, 3, 1e-7);
    close_linkage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_ten_seconds),
        cmocka_unit_test(test_stewart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
