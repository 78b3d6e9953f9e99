/*
 * Trim: its derivatives, its cost, its limits, and what it refuses.
 *
 * Derivatives against differences of eighth order: equations are of size 1, so that 1e-10 is some hundred roundings of
 * a difference over 2^-7.
 */
#include "difference.h"
#include "hamel/random.h"
#include "sim/trim.h"
#include "trim_check.h"

/* ---- derivatives ---- */

typedef struct way {
    trim_system *s;
    size_t unknown;
} way;

/* the equations along one unknown */
static void equations_along(const void *context, double t, double *out)
{
    const way *w = context;
    trim_system *s = w->s;
    double z[MOST] = {0};
    memcpy(s->trial.f, s->now.f, s->nf * sizeof(double));
    if (w->unknown < s->nz)
        z[s->free_at[w->unknown]] = t;
    else
        s->trial.f[w->unknown - s->nz] += t;
    OK(hml_configuration_integrate(s->model, s->now.q, z, s->trial.q));
    OK(hmli_trim_evaluate(s, &s->trial));
    memcpy(out, s->trial.c, s->ne * sizeof(double));
}

static void check_derivatives(stage *s)
{
    hml_rng rng;
    trim_system t;
    double column[DIFFERENCE_MAX];
    hml_rng_seed(&rng, 7);
    for (int i = 0; i < s->nv; i++) s->v[i] = 0.3 * hml_rng_normal(&rng);
    prepare(s);
    double *scratch = malloc(hml_trim_scratch_doubles(s->model, &s->problem) * sizeof *scratch);
    OK(hmli_trim_open(s->model, s->work, &s->problem, &s->holds, scratch, &t));
    assert_true(t.ne <= DIFFERENCE_MAX);
    for (size_t i = 0; i < t.n; i++) t.z[i] = 0.3 * hml_rng_normal(&rng);
    OK(hml_configuration_integrate(s->model, t.now.q, t.z, t.now.q));
    for (size_t i = 0; i < t.nf; i++) t.now.f[i] = t.force_scale * hml_rng_normal(&rng);
    OK(hmli_trim_evaluate(&t, &t.now));
    OK(hmli_trim_differentiate(&t, &t.now));
    for (size_t k = 0; k < t.nx; k++) {
        difference(equations_along, &(way){&t, k}, t.ne, column);
        for (size_t r = 0; r < t.ne; r++) {
            if (fabs(t.C[r * t.nx + k] - column[r]) > 1e-10)
                fail_msg("equation %zu, unknown %zu: %.15g, not %.15g", r, k, t.C[r * t.nx + k], column[r]);
        }
    }
    free(scratch);
}

static void test_derivatives(void **state)
{
    (void)state;
    stage s = dog(2, 0.5);
    add_hold(&s, HML_HOLD_FRAME, "fr_foot", 0);
    add_hold(&s, HML_TOUCH_PLANE, "hl_foot", 0);
    add_hold(&s, HML_HOLD_PLANE, "camera", 0);
    s.items[4].normal[0] = 0.7;
    check_derivatives(&s);
    close_stage(&s);
    s = open_stage("drone_arm");
    add_rotors(&s);
    check_derivatives(&s);
    close_stage(&s);
}

/* ---- cost ---- */

static double cost_of(const stage *s, const double *guess, const double *q, const double *tau)
{
    double z[MOST], cost = 0;
    OK(hml_configuration_difference(s->model, guess, q, z));
    for (int i = 0; i < s->nv; i++) cost += 0.5 * 0.01 * z[i] * z[i];
    for (int32_t i = 0; i < hml_model_njoints(s->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        OK(hml_model_joint(s->model, i, &j));
        if (j.actuated) cost += 0.5 * tau[j.v] * tau[j.v] / (j.effort_limit[0] * j.effort_limit[0]);
    }
    return cost;
}

/* trims nearby are dearer; they are made by the same function, from guesses that they may hardly leave */
static void test_least_cost(void **state)
{
    (void)state;
    stage s = dog(4, 0);
    hml_rng rng;
    double guess[MOST], z[MOST];
    hml_rng_seed(&rng, 3);
    OK(trim(&s));
    const double least = cost_of(&s, s.guess, s.q, s.tau);
    assert_true(fabs(least - s.report.cost) < 1e-5 * least); /* without the share of the contact forces */
    memcpy(guess, s.guess, sizeof guess);
    stage near = s;
    near.problem.posture = 1e6;
    for (int i = 0; i < 4; i++) { /* the feet stay where they were */
        near.items[i].stiffness = 1;
        hml_frame_motion m = {.struct_size = sizeof m, .pose = near.items[i].pose};
        OK(hml_frame(s.model, s.work, s.items[i].frame, HML_LEFT, guess, NULL, NULL, &m));
    }
    for (int draw = 0; draw < 10; draw++) {
        for (int i = 0; i < s.nv; i++) z[i] = 0.02 * hml_rng_normal(&rng);
        OK(hml_configuration_integrate(s.model, s.q, z, near.guess));
        OK(trim(&near));
        assert_true(cost_of(&s, guess, near.q, near.tau) > least);
    }
    close_stage(&s);
}

/* ---- limits ---- */

/* 150 N on the trunk, twice the weight: the legs stretch until the knees are at their limit */
static void test_limits(void **state)
{
    (void)state;
    stage s = dog(4, 0.4);
    double wrenches[6 * MOST] = {0, 0, -150};
    s.problem.wrenches = wrenches;
    OK(trim(&s));
    check_limits(&s);
    assert_int_equal(s.report.at_limit, 4);
    for (int i = 0; i < 4; i++) {
        const double *f = s.lambda + 3 * i;
        assert_true(hypot(f[0], f[1]) <= 0.4 * f[2] && f[2] > 0);
    }
    close_stage(&s);
}

/* cones are kept, and they matter: without them the feet press against each other */
static void test_contacts(void **state)
{
    (void)state;
    stage s = dog(4, 0.15);
    s.problem.free = s.free; /* nothing moves */
    OK(trim(&s));
    for (int i = 0; i < 4; i++) {
        const double *f = s.lambda + 3 * i;
        assert_true(hypot(f[0], f[1]) <= 0.15 * f[2] + 1e-10 * 9.81 * hml_model_mass(s.model));
    }
    for (int i = 0; i < 4; i++) s.friction[i] = 0;
    OK(trim(&s));
    int slides = 0;
    for (int i = 0; i < 4; i++) slides += hypot(s.lambda[3 * i], s.lambda[3 * i + 1]) > 0.15 * s.lambda[3 * i + 2];
    assert_true(slides > 0);
    close_stage(&s);
}

/* ---- refusals ---- */

static void refuse(stage *s, const char *words)
{
    assert_int_equal(trim(s), HML_INCONSISTENT);
    assert_int_equal(s->error.status, HML_INCONSISTENT);
    if (!strstr(s->error.message, words)) fail_msg("'%s' is not in: %s", words, s->error.message);
}

static void test_nothing_carries(void **state)
{
    (void)state;
    stage s = open_stage("drone_arm");
    refuse(&s, "the force of base.2 (vz) cannot be balanced");
    assert_non_null(strstr(s.error.message, "no motor, no thruster and no hold acts on it"));
    assert_int_equal(s.report.coordinate, 2);
    const double *r = s.residual; /* the weight, in the axes of a base that may turn */
    assert_true(fabs(hypot(hypot(r[0], r[1]), r[2]) - 9.81 * hml_model_mass(s.model)) < 1e-6);
    close_stage(&s);
}

static void test_moved_by_velocity(void **state)
{
    (void)state;
    stage s = dog(4, 0);
    s.v[0] = 0.1;
    refuse(&s, "the velocity moves the hold of");
    close_stage(&s);
}

static void test_too_heavy(void **state)
{
    (void)state;
    stage s = dog(4, 0);
    double wrenches[6 * MOST] = {0, 0, -3000};
    s.problem.wrenches = wrenches;
    s.problem.free = s.free;
    refuse(&s, "torque of");
    s.problem.ignore_limits = 1;
    OK(trim(&s));
    close_stage(&s);
}

static void test_slippery(void **state)
{
    (void)state;
    stage s = dog(4, 0.3);
    double wrenches[6 * MOST] = {0, 50}; /* more than 0.3 of the weight, across */
    s.problem.wrenches = wrenches;
    s.problem.free = s.free; /* or else the trunk would roll until the load points down */
    refuse(&s, "contact");
    for (int i = 0; i < 4; i++) s.friction[i] = 1;
    OK(trim(&s));
    close_stage(&s);
}

static void test_out_of_reach(void **state)
{
    (void)state;
    stage s = dog(4, 0);
    for (int i = 0; i < 2; i++) {
        double *H = s.items[i].pose;
        s.items[i].stiffness = 1;
        H[0] = H[5] = H[10] = H[15] = 1;
        H[3] = i ? -3 : 3; /* two feet six metres apart */
        H[11] = -0.3;
    }
    refuse(&s, "the hold of");
    close_stage(&s);
}

/* a pendulum without a motor hangs, wherever it begins: sideways its linearization has no solution */
static void test_pendulum(void **state)
{
    (void)state;
    const double starts[] = {0.3, 1.2, 2, 1.5707963267948966};
    for (int i = 0; i < 4; i++) {
        stage s = open_stage("pendulum");
        s.problem.actuated = s.actuated;
        s.guess[0] = starts[i];
        OK(trim(&s));
        assert_true(fabs(sin(s.q[0])) < 1e-10);
        s.problem.free = s.free;
        refuse(&s, "no motor");
        close_stage(&s);
    }
}

/* ---- arguments ---- */

static void test_arguments(void **state)
{
    (void)state;
    stage s = dog(2, 0);
    double scratch[1], bad[MOST] = {0};
    OK(trim(&s));
    hml_trim_problem p = s.problem;
    assert_int_equal(hml_trim(NULL, s.work, &p, scratch, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_trim(s.model, s.work, NULL, scratch, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_trim(s.model, s.work, &p, NULL, NULL), HML_INVALID_ARGUMENT);
    p.guess = NULL;
    assert_int_equal(hml_trim(s.model, s.work, &p, scratch, NULL), HML_INVALID_ARGUMENT);
    p = s.problem, bad[0] = NAN, p.v = bad;
    assert_int_equal(hml_trim(s.model, s.work, &p, scratch, NULL), HML_NOT_FINITE);
    p = s.problem, p.tolerance = -1;
    assert_int_equal(hml_trim(s.model, s.work, &p, scratch, NULL), HML_INVALID_ARGUMENT);
    p = s.problem, p.weights = s.residual; /* some are not positive */
    assert_int_equal(hml_trim(s.model, s.work, &p, scratch, NULL), HML_INVALID_ARGUMENT);
    p = s.problem, p.nthrusters = 1;
    assert_int_equal(hml_trim(s.model, s.work, &p, scratch, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_trim_scratch_doubles(s.model, &p), 0);
    assert_int_equal(hml_trim_scratch_doubles(NULL, &s.problem), 0);
    s.items[0].kind = HML_HOLD_FRAME, s.friction[0] = 0.5;
    assert_int_equal(hml_trim(s.model, s.work, &s.problem, scratch, &s.error), HML_UNSUPPORTED);
    assert_int_equal(s.error.status, HML_UNSUPPORTED);
    s.items[0].kind = HML_HOLD_POINT, s.friction[0] = -1;
    assert_int_equal(hml_trim(s.model, s.work, &s.problem, scratch, NULL), HML_INVALID_ARGUMENT);
    close_stage(&s);
}

/* the output may be the guess, and one iteration is too few */
static void test_in_place(void **state)
{
    (void)state;
    stage s = dog(3, 0);
    double q[MOST], guess[MOST];
    OK(trim(&s));
    memcpy(q, s.q, sizeof q);
    memcpy(guess, s.guess, sizeof guess);
    s.problem.iterations = 1;
    assert_int_equal(trim(&s), HML_NOT_CONVERGED);
    assert_non_null(strstr(s.error.message, "after all iterations"));
    assert_int_equal(s.report.iterations, 1);
    s.problem.iterations = 0;
    prepare(&s);
    double *scratch = malloc(hml_trim_scratch_doubles(s.model, &s.problem) * sizeof *scratch);
    s.problem.q = guess, s.problem.guess = guess;
    OK(hml_trim(s.model, s.work, &s.problem, scratch, NULL));
    for (int i = 0; i < s.nq; i++) assert_true(guess[i] == q[i]);
    free(scratch);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),     cmocka_unit_test(test_least_cost),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_nothing_carries), cmocka_unit_test(test_moved_by_velocity),
        cmocka_unit_test(test_too_heavy),       cmocka_unit_test(test_slippery),
        cmocka_unit_test(test_out_of_reach),    cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
