/* Configurations that close loops, from bad guesses: against closed forms, and where there is none. */
#include "linkage.h"

typedef struct closing {
    hml_model *model;
    hml_work *work;
    hml_constraint item;
    hml_loop loops[8];
    hml_constraints set;
    int locked[MOST];
    double guess[MOST], q[MOST];
    hml_closing_report report;
    hml_error error;
} closing;

static void open_closing(closing *s, hml_model *model, int nloops)
{
    s->model = model;
    s->set = HML_STRUCT(hml_constraints, .loops = s->loops, .loop_count = nloops);
    ASSERT_OK(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &s->work));
    ASSERT_OK(hml_configuration_neutral(model, s->guess));
}

static void close_closing(closing *s)
{
    hml_work_free(s->work);
    hml_model_free(s->model);
}

static hml_status run(closing *s)
{
    const size_t size = hml_closing_scratch_doubles(s->model, &s->set);
    double *scratch = malloc((size + 1) * sizeof *scratch);
    scratch[size] = 1234;
    s->report = HML_STRUCT(hml_closing_report, .error = -1);
    const hml_closing x = {
        .struct_size = sizeof x, .guess = s->guess, .locked = s->locked, .q = s->q, .report = &s->report};
    const hml_status status = hml_configuration_close(s->model, s->work, &s->set, scratch, &x, &s->error);
    assert_true(scratch[size] == 1234);
    free(scratch);
    return status;
}

static const four_bar good = {0.3, 0.9, 0.7, 1};

static void open_four_bar(closing *s, four_bar lengths)
{
    open_closing(s, four_bar_model(lengths), 1);
    s->loops[0] = loop(s->model, HML_HOLD_POINT, "coupler_end", "rocker_end");
}

/* the crank is turned and stays; coupler and rocker follow from the law of cosines */
static void test_four_bar(void **state)
{
    (void)state;
    closing s = {.locked = {1}};
    open_four_bar(&s, good);
    for (int k = 0; k < 40; k++) {
        double coupler, rocker, other_coupler, other_rocker;
        s.guess[0] = 0.3 * k, s.guess[1] = draw(-2, 2), s.guess[2] = draw(-2, 2);
        ASSERT_OK(run(&s));
        four_bar_solve(good, s.guess[0], 1, &coupler, &rocker);
        four_bar_solve(good, s.guess[0], -1, &other_coupler, &other_rocker);
        const double miss = fmax(fabs(turns(s.q[1] - coupler)), fabs(turns(s.q[2] - rocker)));
        const double other = fmax(fabs(turns(s.q[1] - other_coupler)), fabs(turns(s.q[2] - other_rocker)));
        assert_true(fmin(miss, other) < 1e-9);
        assert_true(s.q[0] == s.guess[0] && s.report.error <= 1e-10 && s.report.nearest);
    }
    close_closing(&s);
}

/* all bars in one line: a dead centre, from which the gradient of the gap leads nowhere */
static void test_dead_centre(void **state)
{
    (void)state;
    closing s = {.locked = {0}};
    open_four_bar(&s, (four_bar){0.5, 1, 0.8, 0.9});
    ASSERT_OK(run(&s));
    assert_true(s.report.attempts > 1);
    assert_true(s.report.error <= 1e-10);
    close_closing(&s);
}

/* bars that are too short: what is left is what is missing in a straight line, and the sentence says so */
static void test_too_short(void **state)
{
    (void)state;
    closing s = {.locked = {0}};
    open_four_bar(&s, (four_bar){0.2, 0.3, 0.1, 1});
    s.guess[0] = 0.4, s.guess[1] = -0.9, s.guess[2] = 2;
    assert_int_equal(run(&s), HML_INCONSISTENT);
    assert_close(s.report.error, 0.4, 1e-6);
    assert_int_equal(s.report.worst, 0);
    assert_says(s.error.message, "the loop of 'coupler_end' and 'rocker_end' cannot be closed: 0.4 m are left");
    assert_close(turns(s.q[0]), 0, 1e-3);
    close_closing(&s);
}

/* two loops that want one frame in two places: the worst is named */
static void test_contradiction(void **state)
{
    (void)state;
    closing s = {.locked = {0}};
    open_four_bar(&s, good);
    s.set.loop_count = 2;
    s.loops[1] = s.loops[0];
    ASSERT_OK(run(&s)); /* the same loop twice is no contradiction */
    for (int i = 0; i < 4; i++) s.loops[1].pose[5 * i] = 1;
    s.loops[1].pose[3] = 0.5;
    assert_int_equal(run(&s), HML_INCONSISTENT);
    assert_close(s.report.error, 0.25, 1e-4); /* halfway between the two */
    assert_says(s.error.message, "2 of 2 stay open");
    close_closing(&s);
}

/* legs of a platform: their lengths are distances of two points */
static void test_stewart(void **state)
{
    (void)state;
    closing s = {.locked = {1, 1, 1, 1, 1, 1}};
    open_closing(&s, stewart_model(), 0);
    s.set.loop_count = stewart_loops(s.model, s.loops);
    for (int k = 0; k < 10; k++) {
        double z[MOST] = {0};
        ASSERT_OK(hml_configuration_neutral(s.model, s.guess));
        draw_array(z, 6, 0.25);
        ASSERT_OK(hml_configuration_integrate(s.model, s.guess, z, s.guess));
        ASSERT_OK(run(&s));
        for (int leg = 0; leg < 6; leg++) {
            char ball[32], slide[32];
            double H[16], base[3], top[3], square = 0;
            hml_frame_motion x = {.struct_size = sizeof x, .pose = H};
            snprintf(ball, sizeof ball, "ball%d", leg), snprintf(slide, sizeof slide, "slide%d", leg);
            stewart_points(leg, base, top);
            ASSERT_OK(hml_frame(s.model, s.work, hml_model_find_frame(s.model, ball), HML_LEFT, s.q, NULL, NULL, &x));
            for (int i = 0; i < 3; i++) square += (H[4 * i + 3] - base[i]) * (H[4 * i + 3] - base[i]);
            assert_close(fabs(s.q[joint_info(s.model, slide).q]), sqrt(square), 1e-9);
        }
        for (int i = 0; i < 7; i++) assert_close(s.q[i], s.guess[i], 1e-14);
    }
    close_closing(&s);
}

/* least change: no closed configuration nearby is nearer to the guess */
static void test_nearest(void **state)
{
    (void)state;
    closing s = {.locked = {0}}, t = {.locked = {1}};
    double way[MOST];
    open_four_bar(&s, good), open_four_bar(&t, good);
    for (int k = 0; k < 10; k++) {
        four_bar_solve(good, 0.6 * k, 1, &s.guess[1], &s.guess[2]);
        s.guess[0] = 0.6 * k + draw(-0.3, 0.3), s.guess[1] += draw(-0.3, 0.3), s.guess[2] += draw(-0.3, 0.3);
        ASSERT_OK(run(&s));
        assert_true(s.report.nearest);
        ASSERT_OK(hml_configuration_difference(s.model, s.guess, s.q, way));
        assert_close(s.report.change, sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), 1e-12);
        for (int side = -1; side <= 1; side += 2) {
            memcpy(t.guess, s.q, sizeof s.q);
            t.guess[0] += side * 0.01;
            ASSERT_OK(run(&t));
            ASSERT_OK(hml_configuration_difference(s.model, s.guess, t.q, way));
            assert_true(sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) > s.report.change);
        }
    }
    close_closing(&s), close_closing(&t);
}

/* frames, planes, distances, holds; the guess is not touched where q is elsewhere */
static void test_kinds(void **state)
{
    (void)state;
    static const hml_constraint_kind kinds[] = {HML_HOLD_FRAME, HML_HOLD_POINT, HML_HOLD_PLANE, HML_HOLD_DISTANCE};
    for (int k = 0; k < 4; k++) {
        closing s = {.locked = {0}};
        double e[16], foot[16], before[16];
        open_closing(&s, biped(), 1);
        s.loops[0] = loop(s.model, kinds[k], "foot", "left_foot");
        s.item = hold(s.model, HML_HOLD_POINT, "trunk");
        s.set.items = &s.item, s.set.count = 1;
        hml_frame_motion x = {.struct_size = sizeof x, .pose = before};
        ASSERT_OK(hml_frame(s.model, s.work, s.item.frame, HML_LEFT, s.guess, NULL, NULL, &x));
        ASSERT_OK(run(&s));
        x.pose = foot;
        ASSERT_OK(hml_frame(s.model, s.work, s.item.frame, HML_LEFT, s.q, NULL, NULL, &x));
        for (int i = 3; i < 12; i += 4) assert_close(foot[i], before[i], 1e-9);
        x.pose = e;
        ASSERT_OK(
            hml_frame_relative(s.model, s.work, s.loops[0].frame, s.loops[0].other, HML_LEFT, s.q, NULL, NULL, &x));
        const double *n = s.loops[0].normal, size = sqrt(e[3] * e[3] + e[7] * e[7] + e[11] * e[11]);
        if (k < 2) assert_close(size, 0, 1e-9);
        if (k == 0) assert_close(e[0] + e[5] + e[10], 3, 1e-9);
        if (k == 2) assert_close(n[0] * e[3] + n[1] * e[7] + n[2] * e[11], 0, 1e-9);
        if (k == 3) assert_close(size, 0.4, 1e-9);
        close_closing(&s);
    }
}

/* a hold with stiffness goes to its pose */
static void test_hold_with_goal(void **state)
{
    (void)state;
    closing s = {.locked = {0}};
    double H[16];
    open_closing(&s, biped(), 0);
    s.item = hold(s.model, HML_HOLD_FRAME, "foot");
    s.item.stiffness = 1, s.item.pose[3] = 0.3, s.item.pose[11] = -0.2;
    s.set.items = &s.item, s.set.count = 1;
    ASSERT_OK(run(&s));
    hml_frame_motion x = {.struct_size = sizeof x, .pose = H};
    ASSERT_OK(hml_frame(s.model, s.work, s.item.frame, HML_LEFT, s.q, NULL, NULL, &x));
    assert_all_close(H, s.item.pose, 16, 1e-9);
    close_closing(&s);
}

static void test_limits(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    closing s = {.locked = {0}};
    hml_joint_spec joint = some_joint(HML_JOINT_PRISMATIC, "slide");
    joint.lower[0] = -0.1, joint.upper[0] = 0.2;
    add_spec(b, "cart", NULL, &joint);
    open_closing(&s, finish(b, 0), 1);
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "cart", NULL); /* 0.5 m aside, along z */
    for (int i = 0; i < 4; i++) s.loops[0].pose[5 * i] = 1;
    s.loops[0].pose[3] = 0.5, s.loops[0].pose[11] = 0.15;
    ASSERT_OK(run(&s));
    assert_close(s.q[0], 0.15, 1e-9);
    s.loops[0].pose[11] = 0.7; /* beyond the limit */
    assert_int_equal(run(&s), HML_INCONSISTENT);
    assert_close(s.q[0], 0.2, 1e-12);
    assert_close(s.report.error, 0.5, 1e-9);
    assert_says(s.error.message, "'cart' and the world cannot be closed: 0.5 m are left");
    close_closing(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    closing s = {.locked = {0}};
    open_four_bar(&s, good);
    s.guess[1] = NAN;
    assert_int_equal(run(&s), HML_NOT_FINITE);
    s.guess[1] = 0;
    s.loops[0].other = 99;
    assert_int_equal(run(&s), HML_INVALID_ARGUMENT);
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "coupler_end", "rocker_end");
    s.item = hold(s.model, HML_TOUCH_PLANE, "crank");
    s.set.items = &s.item, s.set.count = 1;
    assert_int_equal(run(&s), HML_UNSUPPORTED);
    s.set.count = 0;
    double scratch[2000], q[3];
    hml_closing x = {.struct_size = sizeof x, .guess = s.guess, .q = q, .iterations = 1};
    assert_true(hml_closing_scratch_doubles(s.model, &s.set) < 2000);
    s.guess[1] = 1;
    assert_int_equal(hml_configuration_close(s.model, s.work, &s.set, scratch, &x, &s.error), HML_NOT_CONVERGED);
    assert_says(s.error.message, "is after all iterations not closed");
    x.q = NULL;
    assert_int_equal(hml_configuration_close(s.model, s.work, &s.set, scratch, &x, NULL), HML_INVALID_ARGUMENT);
    x.q = q, x.tolerance = -1;
    assert_int_equal(hml_configuration_close(s.model, s.work, &s.set, scratch, &x, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_closing_scratch_doubles(NULL, &s.set), 0);
    close_closing(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar), cmocka_unit_test(test_dead_centre),    cmocka_unit_test(test_too_short),
        cmocka_unit_test(test_stewart),  cmocka_unit_test(test_contradiction),  cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_hold_with_goal), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
