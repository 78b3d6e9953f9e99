/*
 * Constrained motion and its derivatives by the kernels for held robots (kernel/held.h) against the plain steps of
 * constraint_linearize.c, which share no walk, no rows and no solver with them: joints and roots of every type,
 * forests, springs, wrenches, feet of every kind, on every instruction set with lanes for one state. How far the two
 * may be apart follows from the conditions of J M⁻¹ Jᵀ and of M. That the kernels did the work is asserted as well.
 */
#include "dynamics_check.h"

#include "hamel/hamel.h"
#include "model_fixture.h"
#include "sim/constraint.h"
#include "sim/constraint_held.h"

enum { ROWS = 32, FEET = 5 };

typedef struct results {
    double a[NV], lambda[ROWS], Dq[NV * NV], Dv[NV * NV], Dtau[NV * NV];
    double Lq[ROWS * NV], Lv[ROWS * NV], Ltau[ROWS * NV];
} results;

static results kernel, plain, loose;

typedef struct held_robot {
    robot r;
    hml_constraint items[FEET];
    hml_loop loops[2];
    hml_constraints set;
    double *scratch;
    size_t m;
} held_robot;

static hml_constrained_linearization arguments(const held_robot *h, int wrenches, results *to)
{
    hml_constrained_linearization x = {.struct_size = sizeof x, .q = h->r.q, .v = h->r.v, .tau = h->r.tau};
    if (wrenches) x.wrenches = h->r.wrenches;
    x.acceleration = to->a, x.lambda = to->lambda;
    x.Dq = to->Dq, x.Dv = to->Dv, x.Dtau = to->Dtau;
    x.lambda_q = to->Lq, x.lambda_v = to->Lv, x.lambda_tau = to->Ltau;
    return x;
}

/* a foot near the place where its goal has it */
static hml_constraint draw_foot(uint64_t *seed, robot *r, hml_constraint_kind kind, int32_t frame, int springs)
{
    hml_constraint c = {.kind = kind, .frame = frame};
    hml_frame_motion place = {.struct_size = sizeof place, .pose = c.pose};
    const double turn = 0.3 * draw(seed), cosine = cos(turn), sine = sin(turn);
    for (int k = 0; k < 3; k++) c.normal[k] = k + draw(seed);
    assert_int_equal(hml_frame(r->model, r->work, frame, HML_LEFT, r->q, NULL, NULL, &place), HML_OK);
    for (int k = 0; k < 3; k++) {
        const double x = c.pose[4 * k], y = c.pose[4 * k + 1];
        c.pose[4 * k] = cosine * x + sine * y, c.pose[4 * k + 1] = cosine * y - sine * x;
        c.pose[4 * k + 3] += 0.3 * draw(seed);
    }
    c.damping = springs & 1 ? 3 : 0;
    c.stiffness = springs & 2 ? 7 : 0;
    return c;
}

/* a loop that is almost closed */
static hml_loop draw_loop(uint64_t *seed, robot *r, hml_constraint_kind kind, int32_t frame, int32_t other, int springs)
{
    hml_loop c = {.kind = kind, .frame = frame, .other = other};
    hml_frame_motion place = {.struct_size = sizeof place, .pose = c.pose};
    assert_int_equal(hml_frame_relative(r->model, r->work, frame, other, HML_LEFT, r->q, NULL, NULL, &place), HML_OK);
    for (int k = 0; k < 3; k++) c.pose[4 * k + 3] += 0.3 * draw(seed);
    c.damping = springs & 1 ? 3 : 0;
    c.stiffness = springs & 2 ? 7 : 0;
    return c;
}

static void held_open_loops(held_robot *h, int count, int loop_count)
{
    h->set = (hml_constraints){.struct_size = sizeof h->set, .items = h->items, .count = count};
    h->set.loops = h->loops, h->set.loop_count = loop_count;
    h->m = (size_t)hml_constraint_rows(&h->set);
    assert_in_range(h->m, 0, ROWS);
    h->scratch = malloc((hml_constraint_scratch_doubles(h->r.model, &h->set)) * sizeof(double));
    assert_non_null(h->scratch);
}

static void held_open(held_robot *h, int count) { held_open_loops(h, count, 0); }

static void held_close(held_robot *h)
{
    free(h->scratch);
    robot_close(&h->r);
}

/* of J M⁻¹ Jᵀ, from the factors of the plain steps; 0: they find it singular */
static double condition(held_robot *h, int wrenches)
{
    constraint_system s;
    hml_constraint_report report = {.struct_size = sizeof report};
    const robot *r = &h->r;
    if (h->m == 0) return 1;
    assert_int_equal(hmli_constraint_open(r->model, r->work, &h->set, r->q, r->v, r->tau, wrenches ? r->wrenches : NULL,
                                          h->scratch, &s),
                     HML_OK);
    if (hmli_constraint_motion(&s, r->q, r->v, r->tau, wrenches ? r->wrenches : NULL, &report)) return 0;
    if (report.rank < report.rows) return 0;
    const double ratio = s.K.diagonal[0] / s.K.diagonal[h->m - 1];
    return ratio * ratio;
}

/* where all motion is held the results are round-off: then the free motion's are what they are compared with */
static void assert_near_free(const char *what, const double *x, const double *y, size_t n, const double *free_motion,
                             size_t nfree, double tolerance)
{
    double size = 0, off = 0;
    for (size_t i = 0; i < nfree; i++) size = fmax(size, fabs(free_motion[i]));
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - y[i]);
        if (!(d <= off)) off = d; /* NaN stays */
    }
    if (!(off <= tolerance * size)) fail_msg("%s is off by %g of %g, more than %g", what, off, size, tolerance);
}

static void assert_same(held_robot *h, double tolerance)
{
    static blocks b;
    const size_t n = h->r.nv, m = h->m;
    assert_int_equal(robot_linearize(&h->r, &b), HML_OK);
    assert_near_free("acceleration", kernel.a, plain.a, n, b.a, n, tolerance);
    assert_near_free("lambda", kernel.lambda, plain.lambda, m, plain.lambda, m, tolerance);
    assert_near_free("D_q", kernel.Dq, plain.Dq, n * n, b.Dq, n * n, tolerance);
    assert_near_free("D_v", kernel.Dv, plain.Dv, n * n, b.Dv, n * n, tolerance);
    assert_near_free("D_tau", kernel.Dtau, plain.Dtau, n * n, b.Minv, n * n, tolerance);
    assert_near_free("lambda_q", kernel.Lq, plain.Lq, m * n, plain.lambda, m, tolerance);
    assert_near_free("lambda_v", kernel.Lv, plain.Lv, m * n, plain.lambda, m, tolerance);
    assert_near_free("lambda_tau", kernel.Ltau, plain.Ltau, m * n, plain.lambda, m, tolerance);
}

/* largest sum of a row's magnitudes */
static double norm(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += fabs(x[i * n + k]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/*
 * How far two eliminations may be apart: what the conditions of J M⁻¹ Jᵀ and of M make of a few roundings. The wrenches
 * of a loop cancel each other on the bodies that carry both of its frames, which costs a digit
 */
static double tolerance_of(held_robot *h, double of_gram)
{
    static blocks b;
    static double M[NV * NV];
    assert_int_equal(robot_linearize(&h->r, &b), HML_OK);
    assert_int_equal(hml_mass_matrix(h->r.model, h->r.work, h->r.q, M), HML_OK);
    return 1e-12 + (h->set.loop_count ? 2e-13 : 2e-14) * (of_gram + norm(M, h->r.nv) * norm(b.Minv, h->r.nv));
}

/* returns 1 if the kernels took it */
static int compare(held_robot *h, int wrenches)
{
    hml_constrained_linearization x = arguments(h, wrenches, &kernel), y = arguments(h, wrenches, &plain);
    memset(&kernel, 0xff, sizeof kernel); /* NaN where nothing is written */
    assert_int_equal(hmli_constraint_check(h->r.model, h->r.work, &h->set), HML_OK);
    if (!hmli_held(h->r.work, &h->set, h->scratch, &x, 1)) return 0;
    const double of_gram = condition(h, wrenches);
    assert_true(of_gram > 0);
    hml_constraint_report report = {.struct_size = sizeof report};
    assert_int_equal(hmli_constraint_linearize(h->r.model, h->r.work, &h->set, h->scratch, &y, &report), HML_OK);
    assert_same(h, tolerance_of(h, of_gram));
    memset(&loose, 0xff, sizeof loose); /* and without derivatives */
    x = arguments(h, wrenches, &loose);
    assert_int_equal(hmli_held(h->r.work, &h->set, h->scratch, &x, 0), 1);
    assert_memory_equal(loose.a, kernel.a, h->r.nv * sizeof(double));
    assert_memory_equal(loose.lambda, kernel.lambda, h->m * sizeof(double));
    return 1;
}

/* kinds: of the feet, in base 3 */
static int compare_random(uint64_t *seed, const draw_tree_spec *spec, hml_isa isa, int count, int kinds, int springs)
{
    static held_robot h;
    hml_model *model = draw_tree(seed, spec);
    robot_take(&h.r, model, isa);
    robot_state(&h.r, seed);
    for (int i = 0; i < count; i++, kinds /= 3) {
        const double pick = (draw(seed) + 1) / 2 * hml_model_nframes(model);
        const int32_t last = hml_model_nframes(model) - 1, frame = pick < last ? (int32_t)pick : last;
        h.items[i] = draw_foot(seed, &h.r, (hml_constraint_kind)(kinds % 3), frame, springs);
    }
    held_open(&h, count);
    const int taken = compare(&h, kinds % 2);
    held_close(&h);
    return taken;
}

static const hml_isa sets[] = {HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

static void test_robots_of_every_kind(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int isa = 0; isa < 3; isa++) {
        if (!hml_isa_available(sets[isa])) continue;
        int all = 0;
        for (size_t i = 0; i < ROBOT_SPECS; i++) {
            int taken = 0;
            for (int k = 0; k < 81; k++)
                taken += compare_random(&seed, &robot_specs[i], sets[isa], 1 + k % 3, k, (k / 3 + k / 27) % 4);
            /* most sets on a few joints are redundant; and springs on a free root are not for the kernels */
            const int never = robot_specs[i].passive && robot_specs[i].root == HML_JOINT_FREE;
            assert_in_range(taken, never ? 0 : 1, 81);
            all += taken;
        }
        assert_in_range(all, 250, 81 * ROBOT_SPECS);
    }
}

static int32_t draw_frame(uint64_t *seed, const hml_model *model)
{
    const int32_t n = hml_model_nframes(model), pick = (int32_t)((draw(seed) + 1) / 2 * n);
    return pick < n ? pick : n - 1;
}

/* frames and points that two bodies of a tree hold against each other, and the world, beside a hold or without one */
static int compare_loops(uint64_t *seed, const draw_tree_spec *spec, hml_isa isa, int k)
{
    static held_robot h;
    hml_model *model = draw_tree(seed, spec);
    const int holds = k % 3 == 2, loops = 1 + k / 3 % 2;
    robot_take(&h.r, model, isa);
    robot_state(&h.r, seed);
    if (holds) h.items[0] = draw_foot(seed, &h.r, HML_HOLD_POINT, draw_frame(seed, model), k / 12);
    for (int i = 0; i < loops; i++) {
        const int32_t frame = draw_frame(seed, model), pick = draw_frame(seed, model);
        const int32_t other = pick == frame ? HML_WORLD : pick;
        h.loops[i] = draw_loop(seed, &h.r, (k + i) % 2 ? HML_HOLD_FRAME : HML_HOLD_POINT, frame, other, k / 6 % 4);
    }
    held_open_loops(&h, holds, loops);
    const int taken = compare(&h, k % 2);
    held_close(&h);
    return taken;
}

static void test_loops_of_every_kind(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int isa = 0; isa < 3; isa++) {
        if (!hml_isa_available(sets[isa])) continue;
        int all = 0;
        for (size_t i = 0; i < ROBOT_SPECS; i++) {
            for (int k = 0; k < 48; k++) all += compare_loops(&seed, &robot_specs[i], sets[isa], k);
        }
        assert_in_range(all, 100, 48 * ROBOT_SPECS);
    }
}

/* a chain of frames along a leg: many rows, and chunks of every width */
static void test_many_rows(void **state)
{
    (void)state;
    static held_robot h;
    static const draw_tree_spec spec = {.nbodies = 12, .root = HML_JOINT_FREE, .points = 1};
    uint64_t seed = 5;
    int taken = 0;
    for (int i = 0; i < 240; i++) {
        hml_model *model = draw_tree(&seed, &spec);
        robot_take(&h.r, model, sets[i % 3]);
        robot_state(&h.r, &seed);
        for (int k = 0; k < 5; k++) h.items[k] = draw_foot(&seed, &h.r, (hml_constraint_kind)(k % 2), 2 + 2 * k, i % 4);
        held_open(&h, 5);
        assert_int_equal(h.m, 24);
        taken += hml_isa_available(sets[i % 3]) ? compare(&h, 0) : 1;
        held_close(&h);
    }
    assert_in_range(taken, 5, 240);
}

/* four legs of three joints, and a foot at each end */
static void open_quadruped(held_robot *h, uint64_t *seed, hml_constraint_kind kind)
{
    hml_random_spec spec;
    hml_model *model;
    hml_random_spec_init(&spec);
    spec.nbodies = 13, spec.shape = HML_RANDOM_LEGGED, spec.branches = 4, spec.root = HML_JOINT_FREE;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    robot_take(&h->r, model, HML_ISA_BEST);
    robot_state(&h->r, seed);
    int32_t feet = 0;
    for (int32_t i = 0; i < hml_model_nbodies(model) && feet < 4; i++) {
        int32_t children = 0;
        for (int32_t k = 0; k < model->nbodies; k++) children += plan_bodies(model_plan(model))[k].parent == i;
        if (!children) h->items[feet++] = draw_foot(seed, &h->r, kind, i, 0);
    }
    assert_int_equal(feet, 4);
    held_open(h, 4);
}

static void assert_declined(held_robot *h)
{
    const hml_constrained_linearization x = arguments(h, 0, &kernel);
    assert_int_equal(hmli_held(h->r.work, &h->set, h->scratch, &x, 1), 0);
}

/* rows that depend on each other, or almost: the kernels leave them alone, and the door says what the rank is */
static void test_redundant_rows(void **state)
{
    (void)state;
    static held_robot h;
    uint64_t seed = 3;
    open_quadruped(&h, &seed, HML_HOLD_POINT);
    hml_constraint_report report = {.struct_size = sizeof report};
    hml_constrained_linearization x = arguments(&h, 0, &kernel);
    x.report = &report;
    if (h.r.work->choice.single->single_held) assert_int_equal(compare(&h, 0), 1);
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_OK);
    assert_int_equal(report.rank, 12);
    h.items[3] = h.items[0]; /* a foot twice */
    assert_declined(&h);
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_OK);
    assert_int_equal(report.rank, 9);
    held_close(&h);
    open_quadruped(&h, &seed, HML_HOLD_FRAME); /* 24 rows for 18 coordinates, at rest */
    memset(h.r.v, 0, sizeof h.r.v);
    assert_declined(&h);
    x = arguments(&h, 0, &kernel);
    x.report = &report;
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_OK);
    assert_int_equal(report.rank, 18);
    held_close(&h);
}

/* the caller's tolerance of the rank is heard: what he calls dependent is not for the kernels */
static void test_tolerance(void **state)
{
    (void)state;
    static held_robot h;
    uint64_t seed = 3;
    open_quadruped(&h, &seed, HML_HOLD_POINT);
    h.set.tolerance = 0.9;
    assert_declined(&h);
    held_close(&h);
}

/* two frames of one body, a little apart: the nearer, the worse; in between a second step saves the digits */
static void test_nearly_redundant_rows(void **state)
{
    (void)state;
    int taken = 0, declined = 0;
    for (double distance = 0.3; distance > 1e-6; distance *= 0.3) {
        static held_robot h;
        static const double origin[3] = {0.1, 0, 0.2};
        const double beside[3] = {0.1 + distance, 0, 0.2};
        uint64_t seed = 8;
        hml_builder *b = hml_builder_new();
        add_link(b, "body", NULL, HML_JOINT_FREE);
        assert_int_equal(hml_builder_add_frame(b, "one", "body", origin, identity9, NULL), HML_OK);
        assert_int_equal(hml_builder_add_frame(b, "two", "body", beside, identity9, NULL), HML_OK);
        hml_model *model = finish(b, 0);
        robot_take(&h.r, model, HML_ISA_BEST);
        robot_state(&h.r, &seed);
        h.items[0] = draw_foot(&seed, &h.r, HML_HOLD_POINT, hml_model_find_frame(model, "one"), 0);
        h.items[1] = draw_foot(&seed, &h.r, HML_HOLD_PLANE, hml_model_find_frame(model, "two"), 0);
        for (int k = 0; k < 3; k++)
            h.items[1].normal[k] = h.items[0].pose[4 * k + 1]; /* across the line between them */
        held_open(&h, 2);
        const int here = compare(&h, 0);
        taken += here, declined += !here;
        held_close(&h);
    }
    assert_in_range(declined, 1, 8);
    assert_in_range(taken, 4, 12);
}

/* any of the results alone is what it is among the others */
static void test_single_results(void **state)
{
    (void)state;
    static held_robot h;
    static double A[4 * NV * NV], B[2 * NV * NV];
    uint64_t seed = 3;
    open_quadruped(&h, &seed, HML_HOLD_POINT);
    const size_t n = h.r.nv, m = h.m, block = n * n * sizeof(double);
    hml_constrained_linearization all = arguments(&h, 0, &kernel);
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &all), HML_OK);
    hml_constrained_linearization x = {.struct_size = sizeof x, .q = h.r.q, .v = h.r.v, .tau = h.r.tau};
    x.A = A, x.B = B;
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_OK);
    for (size_t r = 0; r < n; r++) {
        assert_memory_equal(A + (n + r) * 2 * n, kernel.Dq + r * n, n * sizeof(double));
        assert_memory_equal(A + (n + r) * 2 * n + n, kernel.Dv + r * n, n * sizeof(double));
        for (size_t k = 0; k < n; k++) assert_true(A[r * 2 * n + n + k] == (r == k) && B[r * n + k] == 0);
    }
    assert_true(A[1] == h.r.v[5]); /* −ad of the base: ω_z in the first row */
    assert_memory_equal(B + n * n, kernel.Dtau, block);
    x.A = x.B = NULL;
    x.lambda_q = loose.Lq, x.lambda_tau = loose.Ltau;
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_OK);
    assert_memory_equal(loose.Lq, kernel.Lq, m * n * sizeof(double));
    assert_memory_equal(loose.Ltau, kernel.Ltau, m * n * sizeof(double));
    held_close(&h);
}

/* what is not a number, or leaves them on the way, has the status that the plain steps give it */
static void test_what_is_no_number(void **state)
{
    (void)state;
    static held_robot h;
    uint64_t seed = 3;
    open_quadruped(&h, &seed, HML_HOLD_POINT);
    hml_constrained_linearization x = arguments(&h, 1, &kernel);
    double *const bad[] = {&h.r.q[0], &h.r.q[9], &h.r.v[3], &h.r.tau[17], &h.r.wrenches[5]};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double good = *bad[i];
        *bad[i] = i % 2 ? NAN : INFINITY;
        assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_NOT_FINITE);
        *bad[i] = good;
    }
    h.r.v[4] = 1e200;
    assert_int_equal(hml_constrained_linearize(h.r.model, h.r.work, &h.set, h.scratch, &x), HML_NOT_FINITE);
    held_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robots_of_every_kind),
        cmocka_unit_test(test_loops_of_every_kind),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_nearly_redundant_rows),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_single_results),
        cmocka_unit_test(test_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
