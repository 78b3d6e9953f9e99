/*
 * The functions of libhamel-cuda on arrays of the host, beside the same ones on arrays of the device: to the bit, in slots so
 * small that states take many rounds. Streams do everything as late as they may (streams_emulated.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda/batch.h"
#include "hamel/io.h"
#include "motion_check.h"
#include "streams_emulated.h"

enum { N = 11, OUTPUTS = 16 };

/* outputs of both ways: [0] on arrays of the device, which are those of the host here, [1] on arrays of the host */
typedef struct pair {
    void *data[2][OUTPUTS];
    size_t bytes[OUTPUTS];
    int count;
    int32_t status[2][N];
} pair;

/* two arrays for results, which begin alike, without gaps or with `gap` numbers behind each row */
static hml_cuda_output pair_add(pair *p, int way, size_t type, size_t rows, size_t columns, size_t gap)
{
    const size_t ld = columns + gap, stride = rows * ld + gap;
    if (way == 0) {
        p->bytes[p->count] = N * stride * type;
        for (int k = 0; k < 2; k++) {
            p->data[k][p->count] = malloc(p->bytes[p->count]);
            if (!p->data[k][p->count]) abort();
            memset(p->data[k][p->count], 0x55, p->bytes[p->count]);
        }
    }
    return (hml_cuda_output){p->data[way][p->count++], gap ? ld : 0, gap ? stride : 0};
}

static int pair_is_same(const pair *p)
{
    int same = memcmp(p->status[0], p->status[1], sizeof p->status[0]) == 0;
    for (int k = 0; k < p->count; k++) same &= memcmp(p->data[0][k], p->data[1][k], p->bytes[k]) == 0;
    return same;
}

static void pair_free(pair *p)
{
    for (int k = 0; k < p->count; k++) free(p->data[0][k]), free(p->data[1][k]);
    memset(p, 0, sizeof *p);
}

/* a robot, its states in the batch's type, and a batch with slots for about `states` linearizations */
typedef struct fixture {
    hml_model *model;
    hml_cuda_batch *batch;
    size_t type, nq, nv, nw;
    void *q, *v, *tau, *wrenches;
    cuda_states s;
} fixture;

static fixture fixture_new(const char *name, hml_cuda_type type, size_t states)
{
    fixture f = {.type = (size_t)type};
    hml_error error = {0};
    if (hml_load_builtin(name, NULL, &f.model, &error)) fail_msg("%s", error.message);
    if (hml_cuda_batch_new(f.model, type, 0, &f.batch, &error)) fail_msg("%s", error.message);
    f.s = states_draw(f.model, N, 5, 1);
    f.nq = f.s.nq, f.nv = f.s.nv, f.nw = f.s.nw;
    f.batch->slot_bytes = states * 9 * f.nv * f.nv * f.type;
    f.q = send(f.batch, type, f.s.q, N * f.nq), f.v = send(f.batch, type, f.s.v, N * f.nv);
    f.tau = send(f.batch, type, f.s.tau, N * f.nv), f.wrenches = send(f.batch, type, f.s.wrenches, N * f.nw);
    return f;
}

static void fixture_free(fixture *f)
{
    void *const all[] = {f->q, f->v, f->tau, f->wrenches};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hml_cuda_release(f->batch, all[k]);
    hml_cuda_batch_free(f->batch);
    hml_model_free(f->model);
    states_free(&f->s);
    assert_int_equal(emulated_streams_left(), 0);
}

/* all outputs; gap: behind the rows; alone: tau is that of one state, for all */
static void linearize_both(const fixture *f, pair *p, size_t gap, int alone, hml_status wanted)
{
    for (int way = 0; way < 2; way++) {
        hml_cuda_linearization a = {.struct_size = sizeof a, .q = {f->q, f->nq}, .v = {f->v, f->nv}};
        hml_error error = {0};
        p->count = 0;
        a.tau = (hml_cuda_input){f->tau, alone ? 0 : f->nv}, a.wrenches = (hml_cuda_input){f->wrenches, f->nw};
        a.acceleration = pair_add(p, way, f->type, 1, f->nv, gap);
        a.Dq = pair_add(p, way, f->type, f->nv, f->nv, gap), a.Dv = pair_add(p, way, f->type, f->nv, f->nv, 0);
        a.Minv = pair_add(p, way, f->type, f->nv, f->nv, gap);
        a.A = pair_add(p, way, f->type, 2 * f->nv, 2 * f->nv, gap),
        a.B = pair_add(p, way, f->type, 2 * f->nv, f->nv, 0);
        a.status = p->status[way];
        const hml_status status =
            way ? hml_cuda_linearize_host(f->batch, N, &a, &error) : hml_cuda_linearize(f->batch, N, &a, &error);
        if (status != wanted) fail_msg("%s", error.message);
    }
}

static void test_linearize(void **state)
{
    (void)state;
    static const char *const robots[] = {"quadruped", "arm7", "drone_arm", "satellite"};
    for (size_t k = 0; k < sizeof robots / sizeof *robots; k++) {
        for (int type = 4; type <= 8; type += 4) {
            /* one at a time, three rounds of the slots, all at once */
            static const size_t states[] = {0, 1, 2, 100};
            fixture f = fixture_new(robots[k], (hml_cuda_type)type, states[(k + (size_t)type / 4) % 4]);
            pair p = {0};
            linearize_both(&f, &p, k % 2 ? 3 : 0, k > 1, HML_OK);
            for (int i = 0; i < N; i++) assert_int_equal(p.status[1][i], HML_OK);
            if (!pair_is_same(&p)) fail_msg("%s, %d bytes: arrays of the host have other results", robots[k], type);
            pair_free(&p);
            f.batch->slot_bytes *= 3; /* slots grow */
            linearize_both(&f, &p, 0, 1, HML_OK);
            assert_true(pair_is_same(&p));
            pair_free(&p);
            fixture_free(&f);
        }
    }
}

static void test_the_order_matters(void **state)
{
    (void)state;
    fixture f = fixture_new("arm7", HML_CUDA_FLOAT64, 2);
    pair p = {0};
    emulated_streams_forget(1);
    linearize_both(&f, &p, 0, 0, HML_OK);
    emulated_streams_forget(0);
    assert_false(pair_is_same(&p));
    pair_free(&p);
    hmli_cuda_host_free(f.batch); /* what was forgotten is still in the streams */
    linearize_both(&f, &p, 0, 0, HML_OK);
    assert_true(pair_is_same(&p));
    pair_free(&p);
    fixture_free(&f);
}

static void test_a_faulty_state(void **state)
{
    (void)state;
    fixture f = fixture_new("quadruped", HML_CUDA_FLOAT64, 2);
    pair good = {0}, bad = {0};
    linearize_both(&f, &good, 0, 0, HML_OK);
    ((double *)f.q)[5 * f.nq + 9] = NAN;
    linearize_both(&f, &bad, 0, 0, HML_OK);
    assert_true(pair_is_same(&bad));
    for (int i = 0; i < N; i++) assert_int_equal(bad.status[1][i], i == 5 ? HML_NOT_FINITE : HML_OK);
    const double *Dq = bad.data[1][1], *was = good.data[1][1];
    const size_t size = f.nv * f.nv;
    for (size_t k = 0; k < size; k++) assert_true(isnan(Dq[5 * size + k]));
    assert_memory_equal(Dq, was, 5 * size * sizeof *Dq);
    assert_memory_equal(Dq + 6 * size, was + 6 * size, (N - 6) * size * sizeof *Dq);
    pair_free(&good), pair_free(&bad);
    fixture_free(&f);
}

static void test_dynamics_and_frames(void **state)
{
    (void)state;
    fixture f = fixture_new("ship_crane", HML_CUDA_FLOAT64, 1);
    const int32_t frames[] = {2, 0, 5};
    pair p = {0}, r = {0};
    for (int way = 0; way < 2; way++) {
        hml_cuda_dynamics_arguments a = {
            .struct_size = sizeof a, .q = {f.q, f.nq}, .v = {f.v, f.nv}, .a = {f.tau, f.nv}};
        p.count = 0;
        a.wrenches = (hml_cuda_input){f.wrenches, f.nw}, a.status = p.status[way];
        a.torque = pair_add(&p, way, f.type, 1, f.nv, 0), a.M = pair_add(&p, way, f.type, f.nv, f.nv, 1);
        assert_int_equal((way ? hml_cuda_dynamics_host : hml_cuda_dynamics)(f.batch, N, &a, NULL), HML_OK);
        hml_cuda_kinematics_arguments b = {.struct_size = sizeof b, .q = {f.q, f.nq}, .v = {f.v, f.nv}};
        r.count = 0;
        b.frames = frames, b.count = 3, b.representation = HML_MIXED, b.status = r.status[way];
        b.pose = pair_add(&r, way, f.type, 1, 48, 0), b.J = pair_add(&r, way, f.type, 18, f.nv, 2);
        b.twist = pair_add(&r, way, f.type, 1, 18, 0);
        assert_int_equal((way ? hml_cuda_kinematics_host : hml_cuda_kinematics)(f.batch, N, &b, NULL), HML_OK);
        b.count = -1;
        assert_int_equal((way ? hml_cuda_kinematics_host : hml_cuda_kinematics)(f.batch, N, &b, NULL),
                         HML_INVALID_ARGUMENT);
    }
    assert_true(pair_is_same(&p) && pair_is_same(&r));
    pair_free(&p), pair_free(&r);
    fixture_free(&f);
}

static void test_held_feet(void **state)
{
    (void)state;
    fixture f = fixture_new("quadruped", HML_CUDA_FLOAT64, 2);
    hml_constraint items[4];
    const hml_constraints set = {
        .struct_size = sizeof set, .items = items, .count = draw_holds(f.model, 4, 0, 2, items)};
    const size_t rows = (size_t)hml_constraint_rows(&set), nv = f.nv;
    hml_cuda_holds *holds;
    pair p = {0};
    assert_int_equal(hml_cuda_holds_new(f.batch, &set, &holds, NULL), HML_OK);
    for (int way = 0; way < 2; way++) {
        hml_cuda_constrained a = {.struct_size = sizeof a, .q = {f.q, f.nq}, .v = {f.v, nv}, .tau = {f.tau, nv}};
        p.count = 0;
        a.acceleration = pair_add(&p, way, f.type, 1, nv, 0), a.lambda = pair_add(&p, way, f.type, 1, rows, 0);
        a.Dq = pair_add(&p, way, f.type, nv, nv, 0), a.Dv = pair_add(&p, way, f.type, nv, nv, 1);
        a.Dtau = pair_add(&p, way, f.type, nv, nv, 0), a.lambda_q = pair_add(&p, way, f.type, rows, nv, 2);
        a.lambda_v = pair_add(&p, way, f.type, rows, nv, 0), a.lambda_tau = pair_add(&p, way, f.type, rows, nv, 0);
        a.A = pair_add(&p, way, f.type, 2 * nv, 2 * nv, 0), a.B = pair_add(&p, way, f.type, 2 * nv, nv, 0);
        a.status = p.status[way];
        const hml_status status = way ? hml_cuda_constrained_linearize_host(holds, N, &a, NULL)
                                      : hml_cuda_constrained_linearize(holds, N, &a, NULL);
        assert_int_equal(status, HML_OK);
    }
    assert_true(pair_is_same(&p));
    pair_free(&p);
    hml_cuda_holds_free(holds);
    fixture_free(&f);
}

static void test_steps_and_configurations(void **state)
{
    (void)state;
    fixture f = fixture_new("quadruped", HML_CUDA_FLOAT64, 1);
    const size_t nq = f.nq, nv = f.nv;
    pair p = {0}, r = {0};
    for (int way = 0; way < 2; way++) {
        hml_cuda_step_arguments a = {
            .struct_size = sizeof a, .h = 0.01, .q = {f.q, nq}, .v = {f.v, nv}, .tau = {f.tau, nv}};
        p.count = 0, r.count = 0;
        a.q_next = pair_add(&p, way, f.type, 1, nq, 0), a.v_next = pair_add(&p, way, f.type, 1, nv, 0);
        a.Ad = pair_add(&p, way, f.type, 2 * nv, 2 * nv, 0), a.Bd = pair_add(&p, way, f.type, 2 * nv, nv, 0);
        a.status = p.status[way];
        assert_int_equal((way ? hml_cuda_step_host : hml_cuda_step)(f.batch, N, &a, NULL), HML_OK);
        hml_cuda_configurations c = {.struct_size = sizeof c, .q = {f.q, nq}, .other = {f.v, nv}};
        c.result = pair_add(&r, way, f.type, 1, nq, 0), c.status = r.status[way];
        assert_int_equal((way ? hml_cuda_integrate_host : hml_cuda_integrate)(f.batch, N, &c, NULL), HML_OK);
        c.other = (hml_cuda_input){c.result.data, nq}, c.result = pair_add(&r, way, f.type, 1, nv, 0);
        assert_int_equal((way ? hml_cuda_difference_host : hml_cuda_difference)(f.batch, N, &c, NULL), HML_OK);
    }
    assert_true(pair_is_same(&p) && pair_is_same(&r));
    pair_free(&p), pair_free(&r);
    fixture_free(&f);
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    fixture f = fixture_new("arm7", HML_CUDA_FLOAT64, 1);
    hml_error error = {0};
    double out[7 * 7];
    hml_cuda_linearization a = {.struct_size = sizeof a, .q = {f.q, f.nq}, .Dq = {.data = out}};
    assert_int_equal(hml_cuda_linearize_host(f.batch, 1, &a, &error), HML_INVALID_ARGUMENT);
    assert_string_equal(error.message, "q or v is missing");
    a.v = (hml_cuda_input){f.v, f.nv};
    assert_int_equal(hml_cuda_linearize_host(f.batch, 0, &a, &error), HML_OK);
    a.Dq.ld = 6;
    assert_int_equal(hml_cuda_linearize_host(f.batch, 1, &a, &error), HML_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "leading dimension"));
    assert_int_equal(hml_cuda_linearize_host(NULL, 1, &a, &error), HML_INVALID_ARGUMENT);
    a.struct_size = 3;
    assert_int_equal(hml_cuda_linearize_host(f.batch, 1, &a, &error), HML_INVALID_ARGUMENT);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linearize),       cmocka_unit_test(test_the_order_matters),
        cmocka_unit_test(test_a_faulty_state),  cmocka_unit_test(test_dynamics_and_frames),
        cmocka_unit_test(test_held_feet),       cmocka_unit_test(test_steps_and_configurations),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
