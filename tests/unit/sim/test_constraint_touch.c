/*
 * Constraints that push and never pull. Known solutions by hand; every choice of open and closed rows tried out with
 * constraints that hold; Gauss's principle; derivatives by differences; impulses that never make energy.
 *
 * Tolerance 1e-9: accelerations and forces here are below 1e3, and K's condition number below 1e5.
 */
#include "constraint_check.h"
#include "difference.h"

static const double tight = 1e-9;

static hml_constraint touch(const hml_model *model, const char *frame, double x, double y, double z)
{
    hml_constraint c = hold(model, HML_TOUCH_PLANE, frame);
    c.normal[0] = x, c.normal[1] = y, c.normal[2] = z;
    return c;
}

/* ---- a rod, by hand ---- */

static const double mass = 3, half = 0.7, moment = 0.4, g = 9.81;

/* along x, with a frame at each end and one between */
static hml_model *rod(void)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec solid = {mass, {0, 0, 0}, {0.1, 0, 0, 0, moment, 0, 0, 0, moment}};
    const double ends[3][3] = {{-half, 0, 0}, {half, 0, 0}, {0, 0, 0}}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hml_joint_spec_init(&joint, HML_JOINT_FREE), joint.name = "base";
    ASSERT_OK(hml_builder_add_body(b, "rod", NULL, &joint, &solid, NULL));
    ASSERT_OK(hml_builder_add_frame(b, "left", "rod", ends[0], one, NULL));
    ASSERT_OK(hml_builder_add_frame(b, "right", "rod", ends[1], one, NULL));
    ASSERT_OK(hml_builder_add_frame(b, "middle", "rod", ends[2], one, NULL));
    return finish(b, 0);
}

/* the rod lies at rest on its two ends; a force F lifts the right one */
static void test_rod_that_is_lifted(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    hml_constraint_report report = {.struct_size = sizeof report};
    s.items[0] = touch(s.model, "left", 0, 0, 1);
    s.items[1] = touch(s.model, "right", 0, 0, 2); /* need not be unit */
    open_stage(&s, 2);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    memset(s.v, 0, sizeof s.v);
    for (double F = 0; F < 60; F += 1) {
        double wrenches[6] = {0, 0, F, 0, -half * F, 0}, left, right, lift, turn; /* turn: ω̇ about y */
        if (fabs(F - mass * g / 2) < 0.6) continue;                               /* where it just begins */
        s.wrenches = wrenches;
        memset(s.tau, 0, sizeof s.tau);
        ASSERT_OK(forward(&s, &report));
        /* both ends, one end, or none: m z̈ = F + λ − m g, I ω̇ = half (λ − F) for the left end alone */
        left = mass * g / 2, right = mass * g / 2 - F, lift = 0, turn = 0;
        if (right < 0) {
            right = 0;
            left = (g - F / mass + half * half * F / moment) / (1 / mass + half * half / moment);
            if (left < 0) left = 0;
            lift = (F + left) / mass - g, turn = half * (left - F) / moment;
        }
        assert_close(s.lambda[0], left, tight);
        assert_close(s.lambda[1], right, tight);
        assert_close(s.a[2], lift, tight);
        assert_close(s.a[4], turn, tight);
        assert_int_equal(report.carrying, (left > 0) + (right > 0));
        assert_true(report.violation < 1e-12 && report.complementarity < 1e-10);
        assert_int_equal(report.grazing, 0);
    }
    close_stage(&s);
}

/* three in a row on the floor: redundant, and the shortest λ is the answer, all of them pushing */
static void test_redundant_rods(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    hml_constraint_report report = {.struct_size = sizeof report};
    s.items[0] = touch(s.model, "left", 0, 0, 1);
    s.items[1] = touch(s.model, "right", 0, 0, 1);
    s.items[2] = touch(s.model, "middle", 0, 0, 1);
    open_stage(&s, 3);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    memset(s.v, 0, sizeof s.v), memset(s.tau, 0, sizeof s.tau);
    ASSERT_OK(forward(&s, &report));
    for (int i = 0; i < 3; i++) assert_close(s.lambda[i], mass * g / 3, tight);
    assert_int_equal(report.rank, 2);
    /* and 3 m g more at −0.9 half: the shortest of all λ has −m g/60 on the right, the shortest with λ ≥ 0 has 0 */
    double wrenches[6] = {0, 0, -3 * mass * g, 0, -3 * mass * g * 0.9 * half, 0};
    s.wrenches = wrenches;
    ASSERT_OK(forward(&s, &report));
    assert_close(s.lambda[0], 2.7 * mass * g, tight);
    assert_close(s.lambda[1], 0, tight);
    assert_close(s.lambda[2], 1.3 * mass * g, tight);
    for (int i = 0; i < s.nv; i++) assert_close(s.a[i], 0, tight);
    close_stage(&s);
}

/* between a floor that comes up and a ceiling that comes down */
static void test_no_motion_at_all(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    s.items[0] = touch(s.model, "middle", 0, 0, 1);
    s.items[1] = touch(s.model, "middle", 0, 0, -1);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 16; k++) s.items[i].pose[k] = k % 5 == 0;
        s.items[i].stiffness = 100;
    }
    open_stage(&s, 2);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    memset(s.v, 0, sizeof s.v);
    ASSERT_OK(forward(&s, NULL)); /* where they meet: z̈ = 0 */
    assert_close(s.a[2], 0, tight);
    s.items[0].pose[11] = 0.1, s.items[1].pose[11] = -0.1;
    assert_int_equal(forward(&s, NULL), HML_INCONSISTENT);
    s.items[0].pose[11] = -0.1, s.items[1].pose[11] = 0.1; /* room: it falls until the floor's spring says no */
    ASSERT_OK(forward(&s, NULL));
    assert_true(s.a[2] < 0);
    close_stage(&s);
}

/* ---- every choice of open and closed rows ---- */

static const char *const FRAMES[] = {"foot", "left_foot", "trunk", "shank", "left_thigh"};
enum { TOUCHES = 4 };

static void draw_touches(stage *s)
{
    for (int i = 0; i < TOUCHES; i++) {
        s->items[i] = touch(s->model, FRAMES[i], draw(-1, 1), draw(-1, 1), draw(0.2, 1));
        if (i == 2) s->items[i].kind = HML_HOLD_PLANE;
    }
}

/* complementarity by trying all 2³ choices with rows that hold; returns how many fit, and the motion of the last */
static int try_all(const stage *s, double *a)
{
    int found = 0;
    for (int choice = 0; choice < 1 << TOUCHES; choice++) {
        hml_constraint items[TOUCHES];
        hml_constraints set = {.struct_size = sizeof set, .items = items};
        double lambda[TOUCHES], x[MOST];
        if (!(choice >> 2 & 1)) continue; /* the third is held */
        for (int i = 0; i < TOUCHES; i++) {
            if (!(choice >> i & 1)) continue;
            items[set.count] = s->items[i];
            items[set.count++].kind = HML_HOLD_PLANE;
        }
        double *scratch = calloc(hml_constraint_scratch_doubles(s->model, &set), sizeof(double));
        ASSERT_OK(hml_constrained_forward_dynamics(s->model, s->work, &set, scratch,
                                                   &HML_STRUCT(hml_constrained_dynamics, .q = s->q, .v = s->v,
                                                               .tau = s->tau, .acceleration = x, .lambda = lambda)));
        free(scratch);
        int fits = 1;
        for (int i = 0, k = 0; i < TOUCHES; i++) {
            if (choice >> i & 1) {
                fits &= i == 2 || lambda[k] >= 0;
                k++;
                continue;
            }
            double A[6], size = 0, c = 0;
            hml_frame_motion m = {.struct_size = sizeof m, .acceleration = A};
            ASSERT_OK(hml_frame(s->model, s->work, s->items[i].frame, HML_MIXED, s->q, s->v, x, &m));
            for (int r = 0; r < 3; r++) size += s->items[i].normal[r] * s->items[i].normal[r];
            for (int r = 0; r < 3; r++) c += s->items[i].normal[r] * A[r] / sqrt(size);
            fits &= c >= 0;
        }
        if (!fits) continue;
        found++;
        memcpy(a, x, (size_t)s->nv * sizeof *a);
    }
    return found;
}

static void test_against_all_choices(void **state)
{
    (void)state;
    int open = 0, carrying = 0;
    for (int n = 0; n < 300; n++) {
        stage s = {.model = biped()};
        hml_constraint_report report = {.struct_size = sizeof report};
        double a[MOST];
        draw_touches(&s);
        open_stage(&s, TOUCHES);
        hml_rng rng;
        hml_rng_seed(&rng, (uint64_t)n + 1);
        ASSERT_OK(hml_configuration_random(s.model, &rng, s.q));
        draw_array(s.v, s.nv, 1), draw_array(s.tau, s.nv, 30);
        ASSERT_OK(forward(&s, &report));
        assert_int_equal(try_all(&s, a), 1); /* strictly convex: one and only one fits */
        for (int i = 0; i < s.nv; i++) assert_close(s.a[i], a[i], 1e-7 * (1 + fabs(a[i])));
        for (int i = 0; i < TOUCHES; i++) assert_true(i == 2 || s.lambda[i] >= 0);
        assert_true(report.violation < 1e-9 && report.complementarity < 1e-6 && report.residual < 1e-9);
        open += TOUCHES - 1 - report.carrying;
        carrying += report.carrying;
        close_stage(&s);
    }
    assert_true(open > 100 && carrying > 100); /* both were seen, often */
}

/* Gauss: of all motions that keep the rows the real one is nearest to the free one, in the metric M */
static void test_least_constraint(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double M[MOST * MOST], h[MOST], free_motion[MOST], least = 0;
    draw_touches(&s);
    s.items[2].kind = HML_TOUCH_PLANE;
    open_stage(&s, TOUCHES);
    draw_array(s.tau, s.nv, 30);
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
    ASSERT_OK(hml_dynamics(s.model, s.work, s.q, s.v, s.tau, NULL, &d));
    ASSERT_OK(hml_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, NULL, free_motion));
    ASSERT_OK(forward(&s, NULL));
    int kept = 0;
    for (int n = 0; n < 4000; n++) {
        double x[MOST], distance = 0;
        for (int i = 0; i < s.nv; i++) x[i] = s.a[i] + (n ? draw(-1, 1) * pow(10, draw(-3, 1)) : 0);
        int keeps = 1;
        for (int i = 0; i < TOUCHES && n; i++) {
            double A[6];
            hml_frame_motion m = {.struct_size = sizeof m, .acceleration = A};
            ASSERT_OK(hml_frame(s.model, s.work, s.items[i].frame, HML_MIXED, s.q, s.v, x, &m));
            keeps &= s.items[i].normal[0] * A[0] + s.items[i].normal[1] * A[1] + s.items[i].normal[2] * A[2] >= 0;
        }
        if (!keeps) continue;
        for (int i = 0; i < s.nv; i++) {
            for (int k = 0; k < s.nv; k++) {
                distance += (x[i] - free_motion[i]) * M[i * s.nv + k] * (x[k] - free_motion[k]);
            }
        }
        if (!n) least = distance;
        assert_true(distance >= least - 1e-9);
        kept++;
    }
    assert_true(kept > 50);
    close_stage(&s);
}

/* ---- derivatives ---- */

typedef struct along {
    stage *s;
    int coordinate;
    char what;
} along;

static void motion_at(const void *context, double t, double *out)
{
    const along *x = context;
    stage *s = x->s;
    double q[MOST], v[MOST], tau[MOST], z[MOST] = {0};
    memcpy(v, s->v, sizeof v), memcpy(tau, s->tau, sizeof tau);
    if (x->what == 'q') z[x->coordinate] = t;
    if (x->what == 'v') v[x->coordinate] += t;
    if (x->what == 't') tau[x->coordinate] += t;
    ASSERT_OK(hml_configuration_integrate(s->model, s->q, z, q));
    ASSERT_OK(hml_constrained_forward_dynamics(
        s->model, s->work, &s->set, s->scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau, .acceleration = out, .lambda = out + s->nv)));
}

static void compare(stage *s, char what, const double *D, const double *F)
{
    double scale = 1;
    for (int i = 0; i < s->nv * s->nv; i++) scale = fmax(scale, fabs(D[i]));
    for (int i = 0; i < s->m * s->nv; i++) scale = fmax(scale, fabs(F[i]));
    for (int k = 0; k < s->nv; k++) {
        double out[DIFFERENCE_MAX];
        along x = {s, k, what};
        difference(motion_at, &x, (size_t)(s->nv + s->m), out);
        for (int i = 0; i < s->nv; i++) assert_close(D[i * s->nv + k] / scale, out[i] / scale, 1e-8);
        for (int i = 0; i < s->m; i++) assert_close(F[i * s->nv + k] / scale, out[s->nv + i] / scale, 1e-8);
    }
}

static void test_linearized(void **state)
{
    (void)state;
    static double Dq[MOST * MOST], Dv[MOST * MOST], Dt[MOST * MOST], Lq[MOST * MOST], Lv[MOST * MOST], Lt[MOST * MOST];
    int mixed = 0, compared = 0;
    for (int n = 0; n < 12; n++) {
        stage s = {.model = biped()};
        draw_touches(&s);
        open_stage(&s, TOUCHES);
        draw_array(s.v, s.nv, 1), draw_array(s.tau, s.nv, 30);
        hml_constraint_report report = {.struct_size = sizeof report};
        hml_constrained_linearization x = {.struct_size = sizeof x,
                                           .q = s.q,
                                           .v = s.v,
                                           .tau = s.tau,
                                           .lambda = s.lambda,
                                           .Dq = Dq,
                                           .Dv = Dv,
                                           .Dtau = Dt,
                                           .lambda_q = Lq,
                                           .lambda_v = Lv,
                                           .lambda_tau = Lt,
                                           .report = &report};
        ASSERT_OK(hml_constrained_linearize(s.model, s.work, &s.set, s.scratch, &x));
        double least = 1e9; /* far enough from a change of the active rows for differences over 4/128 */
        for (int i = 0; i < TOUCHES; i++) least = fmin(least, i == 2 || s.lambda[i] == 0 ? least : s.lambda[i]);
        mixed += report.carrying > 0 && report.carrying < TOUCHES - 1;
        if (least > 8) {
            compare(&s, 't', Dt, Lt), compare(&s, 'v', Dv, Lv), compare(&s, 'q', Dq, Lq);
            compared += report.carrying > 0 && report.carrying < TOUCHES - 1;
        }
        close_stage(&s);
    }
    assert_true(mixed > 3 && compared > 1);
}

/* at the very moment of leaving there is no derivative */
static void test_grazing(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    static double Dq[MOST * MOST];
    double wrenches[6] = {0, 0, mass * g, 0, 0, 0}; /* exactly its weight */
    s.items[0] = touch(s.model, "middle", 0, 0, 1);
    open_stage(&s, 1);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    memset(s.v, 0, sizeof s.v), memset(s.tau, 0, sizeof s.tau);
    hml_constraint_report report = {.struct_size = sizeof report};
    hml_constrained_linearization x = {
        .struct_size = sizeof x, .q = s.q, .v = s.v, .tau = s.tau, .wrenches = wrenches, .Dq = Dq, .report = &report};
    assert_int_equal(hml_constrained_linearize(s.model, s.work, &s.set, s.scratch, &x), HML_SINGULAR);
    assert_int_equal(report.grazing, 1);
    wrenches[2] = 0;
    ASSERT_OK(hml_constrained_linearize(s.model, s.work, &s.set, s.scratch, &x));
    close_stage(&s);
}

/* ---- inverse dynamics: feet do not pull ---- */

static void test_inverse(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    double tau[MOST], lambda[3];
    s.items[0] = touch(s.model, "left", 0, 0, 1);
    s.items[1] = touch(s.model, "right", 0, 0, 1);
    s.items[2] = touch(s.model, "middle", 0, 0, 1);
    open_stage(&s, 3);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    memset(s.v, 0, sizeof s.v), memset(s.a, 0, sizeof s.a);
    /* turning about y as fast as a force of m g at the left end alone makes it, and the least norm would pull */
    s.a[4] = mass * g * half / moment;
    ASSERT_OK(hml_constrained_inverse_dynamics(
        s.model, s.work, &s.set, s.scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = s.v, .a = s.a, .torque = tau, .lambda = lambda)));
    assert_close(lambda[0], mass * g, 1e-8);
    assert_close(lambda[1], 0, 1e-8);
    assert_close(lambda[2], 0, 1e-8);
    s.a[4] *= 1.01; /* faster needs a pull */
    assert_int_equal(hml_constrained_inverse_dynamics(s.model, s.work, &s.set, s.scratch,
                                                      &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = s.v,
                                                                  .a = s.a, .torque = tau, .lambda = lambda)),
                     HML_INCONSISTENT);
    s.a[4] = 0, s.a[2] = -g - 0.1; /* and so does falling faster than free */
    assert_int_equal(hml_constrained_inverse_dynamics(s.model, s.work, &s.set, s.scratch,
                                                      &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = s.v,
                                                                  .a = s.a, .torque = tau, .lambda = lambda)),
                     HML_INCONSISTENT);
    close_stage(&s);
}

/* ---- impulses ---- */

static double kinetic(const stage *s, const double *v)
{
    double M[MOST * MOST], h[MOST];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
    ASSERT_OK(hml_dynamics(s->model, s->work, s->q, v, NULL, NULL, &d));
    return d.kinetic_energy;
}

/* the rod comes down flat, or on one end: by hand */
static void test_rod_that_falls(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    double after[MOST], impulse[2];
    s.items[0] = touch(s.model, "left", 0, 0, 1);
    s.items[1] = touch(s.model, "right", 0, 0, 1);
    open_stage(&s, 2);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    for (double e = 0; e <= 1; e += 0.25) {
        memset(s.v, 0, sizeof s.v), s.v[2] = -2, s.v[0] = 1;
        ASSERT_OK(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                          &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = e,
                                                      .v_next = after, .impulse = impulse)));
        assert_close(after[2], 2 * e, tight);
        assert_close(after[0], 1, tight); /* no friction */
        assert_close(impulse[0], mass * (1 + e), tight);
        memset(s.v, 0, sizeof s.v), s.v[2] = 2; /* it leaves: nothing holds it back */
        ASSERT_OK(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                          &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = e,
                                                      .v_next = after, .impulse = impulse)));
        assert_close(after[2], 2, tight);
        assert_true(impulse[0] == 0 && impulse[1] == 0);
    }
    close_stage(&s);
}

static void test_impulses_make_no_energy(void **state)
{
    (void)state;
    int lowered = 0, bounced = 0;
    for (int n = 0; n < 2000; n++) {
        stage s = {.model = n % 2 ? rod() : biped()};
        hml_constraint_report report = {.struct_size = sizeof report};
        double after[MOST], impulse[MOST];
        if (n % 2) {
            s.items[0] = touch(s.model, "left", 0, draw(-0.3, 0.3), 1);
            s.items[1] = touch(s.model, "right", 0, draw(-0.3, 0.3), 1);
            s.items[2] = touch(s.model, "middle", draw(-1, 1), draw(-1, 1), 1);
            open_stage(&s, 3);
        } else {
            draw_touches(&s);
            s.items[2].kind = n % 4 ? HML_TOUCH_PLANE : HML_HOLD_PLANE;
            open_stage(&s, TOUCHES);
        }
        draw_array(s.v, s.nv, 2);
        const double e = n % 3 ? draw(0, 1) : 1, before = kinetic(&s, s.v);
        ASSERT_OK(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                          &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = e,
                                                      .v_next = after, .impulse = impulse, .report = &report)));
        assert_true(kinetic(&s, after) <= before * (1 + 1e-12)); /* round-off of two sums */
        assert_true(report.restitution >= 0 && report.restitution <= 1);
        assert_true(report.violation < 1e-9 && report.complementarity < 1e-8);
        for (int i = 0; i < s.m; i++) assert_true(s.items[i].kind == HML_HOLD_PLANE || impulse[i] >= 0);
        lowered += report.restitution<1, bounced += report.carrying> 0;
        close_stage(&s);
    }
    assert_true(lowered > 0 && lowered < 400 && bounced > 1000); /* the guard is needed, and rarely */
}

static void test_bad_input(void **state)
{
    (void)state;
    stage s = {.model = rod()};
    static double D[MOST * MOST];
    double out[MOST];
    s.items[0] = touch(s.model, "middle", 0, 0, 0);
    open_stage(&s, 1);
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT); /* no normal */
    s.items[0].normal[2] = NAN;
    assert_int_equal(forward(&s, NULL), HML_NOT_FINITE);
    s.items[0].normal[2] = 1;
    ASSERT_OK(forward(&s, NULL));
    double fast[MOST];
    for (int i = 0; i < s.nv; i++) fast[i] = i % 2 ? 1e200 : -1e200;
    assert_int_equal(hml_constrained_forward_dynamics(
                         s.model, s.work, &s.set, s.scratch,
                         &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = fast, .tau = s.tau, .acceleration = out)),
                     HML_NOT_FINITE);
    ASSERT_OK(hml_configuration_neutral(s.model, s.q));
    for (int i = 0; i < s.nv; i++) fast[i] = i == 2 ? -1.7e308 : 0; /* down, and back up twice as fast */
    assert_int_equal(hml_constrained_impulse(
                         s.model, s.work, &s.set, s.scratch,
                         &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = fast, .restitution = 1, .v_next = out)),
                     HML_NOT_FINITE);
    assert_int_equal(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                             &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .next_v = D)),
                     HML_UNSUPPORTED);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_that_is_lifted),
        cmocka_unit_test(test_redundant_rods),
        cmocka_unit_test(test_no_motion_at_all),
        cmocka_unit_test(test_against_all_choices),
        cmocka_unit_test(test_least_constraint),
        cmocka_unit_test(test_linearized),
        cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_rod_that_falls),
        cmocka_unit_test(test_impulses_make_no_energy),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
