/*
 * Sets of constraints that nobody means and everybody makes: a foot held twice, by a hold and by a loop to the world, more
 * rows than coordinates, loops that contradict each other, what is no number. Every function answers with a status or
 * with the motion of the set without its repetitions, and writes nothing outside its outputs, each of which has exactly
 * the size that it needs.
 */
#include "constraint_check.h"

enum { GUARD = 8, BLOCKS = 32, STATES = 9 };

/* ---- arrays with a guard on either side ---- */

static const double untouched = 12345.678;

typedef struct guards {
    double *memory[BLOCKS];
    size_t n[BLOCKS];
    int count;
} guards;

static double *guarded(guards *g, size_t n)
{
    double *memory = malloc((n + 2 * GUARD) * sizeof *memory);
    assert_non_null(memory);
    assert_true(g->count < BLOCKS);
    for (size_t i = 0; i < n + 2 * GUARD; i++) memory[i] = untouched;
    g->memory[g->count] = memory, g->n[g->count++] = n;
    return memory + GUARD;
}

static void close_guards(guards *g)
{
    for (int k = 0; k < g->count; k++) {
        for (size_t i = 0; i < GUARD; i++) {
            assert_true(g->memory[k][i] == untouched);
            assert_true(g->memory[k][GUARD + g->n[k] + i] == untouched);
        }
        free(g->memory[k]);
    }
    g->count = 0;
}

/* ---- every function ---- */

typedef struct answers {
    hml_status forward, impulse, linearize, batch;
} answers;

static hml_status run_forward(stage *s, guards *g)
{
    return hml_constrained_forward_dynamics(s->model, s->work, &s->set, s->scratch,
                                            &HML_STRUCT(hml_constrained_dynamics, .q = s->q, .v = s->v, .tau = s->tau,
                                                        .acceleration = guarded(g, (size_t)s->nv),
                                                        .lambda = guarded(g, (size_t)s->m)));
}

static hml_status run_impulse(stage *s, guards *g)
{
    const size_t n = (size_t)s->nv, m = (size_t)s->m;
    return hml_constrained_impulse(s->model, s->work, &s->set, s->scratch,
                                   &HML_STRUCT(hml_constrained_impact, .q = s->q, .v = s->v, .v_next = guarded(g, n),
                                               .impulse = guarded(g, m), .next_q = guarded(g, n * n),
                                               .next_v = guarded(g, n * n), .impulse_q = guarded(g, m * n),
                                               .impulse_v = guarded(g, m * n)));
}

static hml_constrained_linearization linearization(const stage *s, guards *g)
{
    const size_t n = (size_t)s->nv, m = (size_t)s->m;
    hml_constrained_linearization x = {.struct_size = sizeof x, .q = s->q, .v = s->v, .tau = s->tau};
    x.acceleration = guarded(g, n), x.lambda = guarded(g, m);
    x.Dq = guarded(g, n * n), x.Dv = guarded(g, n * n), x.Dtau = guarded(g, n * n);
    x.lambda_q = guarded(g, m * n), x.lambda_v = guarded(g, m * n), x.lambda_tau = guarded(g, m * n);
    x.A = guarded(g, 4 * n * n), x.B = guarded(g, 2 * n * n);
    return x;
}

/* the same state many times: each has the status of the whole, and a state that failed is NaN */
static hml_status run_batch(stage *s, guards *g)
{
    const size_t n = (size_t)s->nv, m = (size_t)s->m;
    hml_constrained_states x = {.struct_size = sizeof x, .q.data = s->q, .v.data = s->v, .tau.data = s->tau};
    hml_status each[STATES];
    x.acceleration.data = guarded(g, STATES * n), x.lambda.data = guarded(g, STATES * m);
    x.Dq.data = guarded(g, STATES * n * n), x.Dv.data = guarded(g, STATES * n * n);
    x.Dtau.data = guarded(g, STATES * n * n), x.lambda_q.data = guarded(g, STATES * m * n);
    x.lambda_v.data = guarded(g, STATES * m * n), x.lambda_tau.data = guarded(g, STATES * m * n);
    for (int k = 0; k < STATES; k++) each[k] = HML_OK;
    const hml_status status = hml_constrained_linearize_batch(s->model, s->work, &s->set, s->scratch, STATES, &x, each);
    for (size_t k = 0; k < STATES && (status == HML_OK || status == HML_INCONSISTENT); k++) {
        assert_int_equal(each[k], status);
        for (size_t i = 0; i < n; i++) assert_true(!isnan(x.acceleration.data[k * n + i]) == (status == HML_OK));
    }
    return status;
}

static answers run_all(stage *s)
{
    guards g = {.count = 0};
    answers a;
    a.forward = run_forward(s, &g);
    a.impulse = run_impulse(s, &g);
    close_guards(&g);
    const hml_constrained_linearization x = linearization(s, &g);
    a.linearize = hml_constrained_linearize(s->model, s->work, &s->set, s->scratch, &x);
    if (a.linearize == HML_OK) memcpy(s->a, x.acceleration, (size_t)s->nv * sizeof *s->a);
    close_guards(&g);
    a.batch = run_batch(s, &g);
    close_guards(&g);
    return a;
}

static void assert_answers(stage *s, hml_status motion, hml_status impulse)
{
    const answers a = run_all(s);
    assert_int_equal(a.forward, motion);
    assert_int_equal(a.impulse, impulse);
    assert_int_equal(a.linearize, motion);
    assert_int_equal(a.batch, motion);
}

static void assert_freedom(stage *s, int32_t want)
{
    int32_t freedom = -1;
    ASSERT_OK(hml_constrained_freedom(s->model, s->work, &s->set, s->scratch, s->q, &freedom));
    assert_int_equal(freedom, want);
}

/* ---- the sets ---- */

/* the motion of `b` is that of `a`, which holds the same once */
static void assert_as_once(stage *a, int a_count, stage *b, int b_count, int32_t freedom)
{
    open_stage(a, a_count), open_stage(b, b_count);
    memcpy(b->q, a->q, sizeof a->q), memcpy(b->v, a->v, sizeof a->v), memcpy(b->tau, a->tau, sizeof a->tau);
    assert_answers(a, HML_OK, HML_OK);
    assert_answers(b, HML_OK, HML_OK);
    assert_all_close(b->a, a->a, a->nv, 1e-9);
    assert_freedom(a, freedom);
    assert_freedom(b, freedom);
    close_stage(a), close_stage(b);
}

static void test_a_hold_twice(void **state)
{
    static const hml_constraint_kind kinds[] = {HML_HOLD_POINT, HML_HOLD_FRAME, HML_HOLD_PLANE};
    (void)state;
    for (int k = 0; k < 3; k++) {
        stage a = {.model = biped()}, b = {.model = biped()};
        a.items[0] = b.items[0] = b.items[1] = hold(a.model, kinds[k], "foot");
        assert_as_once(&a, 1, &b, 2, 15 - (int32_t[]){3, 6, 1}[k]);
    }
}

static void test_the_world_twice(void **state)
{
    (void)state;
    stage a = {.model = biped()}, b = {.model = biped(), .nloops = 1};
    a.items[0] = b.items[0] = hold(a.model, HML_HOLD_FRAME, "foot");
    b.loops[0] = loop(b.model, HML_HOLD_FRAME, "foot", NULL);
    assert_as_once(&a, 1, &b, 1, 9);
    stage c = {.model = biped(), .nloops = 1}, d = {.model = biped(), .nloops = 2};
    c.loops[0] = d.loops[0] = d.loops[1] = loop(c.model, HML_HOLD_POINT, "foot", NULL);
    assert_as_once(&c, 0, &d, 0, 12);
}

/* trunk and both feet: 18 rows of 15 coordinates, all of which they hold */
static void test_more_rows_than_coordinates(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "trunk");
    s.items[1] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[2] = hold(s.model, HML_HOLD_FRAME, "left_foot");
    open_stage(&s, 3);
    memset(s.v, 0, sizeof s.v);
    assert_answers(&s, HML_OK, HML_OK);
    for (int i = 0; i < s.nv; i++) assert_close(s.a[i], 0, 1e-9);
    close_stage(&s);
}

/* one loop keeps what the other pulls apart; an impulse knows nothing of springs */
static void test_contradictory_loops(void **state)
{
    (void)state;
    stage s = {.model = biped(), .nloops = 2};
    s.loops[0] = s.loops[1] = loop(s.model, HML_HOLD_FRAME, "foot", "left_foot");
    s.loops[1].stiffness = 3;
    open_stage(&s, 0);
    assert_answers(&s, HML_INCONSISTENT, HML_OK);
    assert_freedom(&s, 9);
    close_stage(&s);
    stage t = {.model = biped(), .nloops = 1}; /* a hold and a loop to the world, to two places */
    t.items[0] = hold(t.model, HML_HOLD_POINT, "foot");
    t.loops[0] = loop(t.model, HML_HOLD_POINT, "foot", NULL);
    t.items[0].stiffness = t.loops[0].stiffness = 10;
    for (int i = 0; i < 4; i++) t.loops[0].pose[5 * i] = 1;
    t.loops[0].pose[3] = 1;
    open_stage(&t, 1);
    assert_answers(&t, HML_INCONSISTENT, HML_OK);
    close_stage(&t);
}

static void test_what_is_no_number(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        stage s = {.model = biped(), .nloops = 1};
        s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
        s.loops[0] = loop(s.model, HML_HOLD_POINT, "left_foot", NULL);
        open_stage(&s, 1);
        double *const numbers[] = {&s.q[1], &s.q[8], &s.v[2], &s.v[13]};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const double good = *numbers[i];
            *numbers[i] = bad[k];
            assert_answers(&s, HML_NOT_FINITE, HML_NOT_FINITE);
            *numbers[i] = good;
        }
        s.tau[9] = bad[k]; /* an impulse has no τ */
        assert_answers(&s, HML_NOT_FINITE, HML_OK);
        s.tau[9] = 0;
        s.loops[0].damping = bad[k];
        assert_answers(&s, HML_NOT_FINITE, HML_NOT_FINITE);
        s.loops[0].damping = 0, s.loops[0].pose[3] = bad[k];
        assert_answers(&s, HML_NOT_FINITE, HML_NOT_FINITE);
        s.loops[0].pose[3] = 0, s.items[0].stiffness = 1, s.items[0].pose[7] = bad[k];
        assert_answers(&s, HML_NOT_FINITE, HML_NOT_FINITE);
        s.items[0].pose[7] = 0;
        assert_answers(&s, HML_OK, HML_OK);
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hold_twice),
        cmocka_unit_test(test_the_world_twice),
        cmocka_unit_test(test_more_rows_than_coordinates),
        cmocka_unit_test(test_contradictory_loops),
        cmocka_unit_test(test_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
