/*
 * Batches in single precision against those in double, on the same rounded states: every instruction set, every kind of
 * joint, packs that are not full, followers (which go by doubles), states that fail, strides.
 */
#include "dynamics_check.h"

#include "algo/work.h"
#include "hamel/random.h"
#include "hamel/single_precision.h"

enum { N = 37, NB = ORACLE_BODIES }; /* two packs of sixteen and a part of one */

/* worst differences that pass, against the largest entry: 64 to 512 roundings of 6e-8, and those where M is inverted */
static const double FORCES = 2e-5, INVERTED = 2e-3;

static float q[N * NQ], v[N * NV], tau[N * NV], w[N * 6 * NB], results[8][N * NV * NV * 4];
static double Q[N * NQ], V[N * NV], TAU[N * NV], W[N * 6 * NB], expected[8][N * NV * NV * 4];

static const hml_isa sets[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

static void round_array(double *x, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = (float)x[i], x[i] = (double)to[i];
}

static void draw_states(robot *r, uint64_t *seed)
{
    const size_t nw = 6 * (size_t)r->model->nbodies;
    for (size_t i = 0; i < N; i++) {
        robot_state(r, seed);
        memcpy(Q + i * r->nq, r->q, r->nq * sizeof *Q);
        memcpy(V + i * r->nv, r->v, r->nv * sizeof *V);
        memcpy(TAU + i * r->nv, r->tau, r->nv * sizeof *TAU);
        memcpy(W + i * nw, r->wrenches, nw * sizeof *W);
    }
    round_array(Q, q, N * r->nq), round_array(V, v, N * r->nv), round_array(TAU, tau, N * r->nv);
    round_array(W, w, N * nw);
}

/* state by state, since one with small entries must not hide behind another */
static void compare(const char *what, int k, size_t size, double tolerance)
{
    double row[4 * NV * NV];
    for (size_t i = 0; i < N; i++) {
        for (size_t e = 0; e < size; e++) row[e] = (double)results[k][i * size + e];
        assert_near(what, row, expected[k] + i * size, size, tolerance);
    }
}

static void compare_linearizations(robot *r)
{
    const size_t nv = r->nv, nq = r->nq, nw = 6 * (size_t)r->model->nbodies, n2 = nv * nv;
    const hml_linearization_f32 x = {.struct_size = sizeof x,
                                     .q = {q, nq},
                                     .v = {v, nv},
                                     .tau = {tau, nv},
                                     .wrenches = {w, nw},
                                     .acceleration = {results[0], 0, 0},
                                     .Dq = {results[1], 0, 0},
                                     .Dv = {results[2], 0, 0},
                                     .Minv = {results[3], 0, 0},
                                     .A = {results[4], 0, 0},
                                     .B = {results[5], 0, 0}};
    const hml_linearization y = {.struct_size = sizeof y,
                                 .q = {Q, nq},
                                 .v = {V, nv},
                                 .tau = {TAU, nv},
                                 .wrenches = {W, nw},
                                 .acceleration = {expected[0], 0, 0},
                                 .Dq = {expected[1], 0, 0},
                                 .Dv = {expected[2], 0, 0},
                                 .Minv = {expected[3], 0, 0},
                                 .A = {expected[4], 0, 0},
                                 .B = {expected[5], 0, 0}};
    assert_int_equal(hml_linearize_batch(r->model, r->work, N, &y, NULL), HML_OK);
    assert_int_equal(hml_linearize_batch_f32(r->model, r->work, N, &x, NULL), HML_OK);
    compare("acceleration", 0, nv, INVERTED);
    compare("Dq", 1, n2, INVERTED);
    compare("Dv", 2, n2, INVERTED);
    compare("Minv", 3, n2, INVERTED);
    compare("A", 4, 4 * n2, INVERTED);
    compare("B", 5, 2 * n2, INVERTED);
}

static void compare_dynamics(robot *r)
{
    const size_t nv = r->nv, nq = r->nq, nw = 6 * (size_t)r->model->nbodies;
    const hml_dynamics_states_f32 x = {.struct_size = sizeof x,
                                       .q = {q, nq},
                                       .v = {v, nv},
                                       .tau = {tau, nv},
                                       .a = {tau, nv},
                                       .wrenches = {w, nw},
                                       .acceleration = {results[0], 0, 0},
                                       .torque = {results[1], 0, 0},
                                       .M = {results[2], 0, 0},
                                       .Minv = {results[3], 0, 0},
                                       .dtau_dq = {results[4], 0, 0},
                                       .dtau_dv = {results[5], 0, 0}};
    const hml_dynamics_states y = {.struct_size = sizeof y,
                                   .q = {Q, nq},
                                   .v = {V, nv},
                                   .tau = {TAU, nv},
                                   .a = {TAU, nv},
                                   .wrenches = {W, nw},
                                   .acceleration = {expected[0], 0, 0},
                                   .torque = {expected[1], 0, 0},
                                   .M = {expected[2], 0, 0},
                                   .Minv = {expected[3], 0, 0},
                                   .dtau_dq = {expected[4], 0, 0},
                                   .dtau_dv = {expected[5], 0, 0}};
    assert_int_equal(hml_dynamics_batch(r->model, r->work, N, &y, NULL), HML_OK);
    assert_int_equal(hml_dynamics_batch_f32(r->model, r->work, N, &x, NULL), HML_OK);
    compare("forward dynamics", 0, nv, INVERTED);
    compare("inverse dynamics", 1, nv, FORCES);
    compare("M", 2, nv * nv, FORCES);
    compare("M⁻¹", 3, nv * nv, INVERTED);
    compare("∂τ/∂q", 4, nv * nv, FORCES);
    compare("∂τ/∂ν", 5, nv * nv, FORCES);
}

static void compare_kinematics(robot *r)
{
    const size_t nv = r->nv, nq = r->nq, row = 16 * (size_t)r->model->nbodies;
    const hml_input_f32 in = {q, nq};
    const hml_output_f32 out = {results[0], 0, 0};
    const hml_input wide_in = {Q, nq};
    const hml_output wide_out = {expected[0], 0, 0};
    assert_int_equal(hml_body_poses_batch_f32(r->model, r->work, N, in, out, NULL), HML_OK);
    assert_int_equal(hml_body_poses_batch(r->model, r->work, N, wide_in, wide_out, NULL), HML_OK);
    compare("poses", 0, row, FORCES);
    const hml_jacobian_columns_f32 x = {
        .struct_size = sizeof x, .q = in, .H = {results[1], 0, 0}, .J = {results[2], 0, 0}};
    const hml_jacobian_columns y = {
        .struct_size = sizeof y, .q = wide_in, .H = {expected[1], 0, 0}, .J = {expected[2], 0, 0}};
    const hml_status status = hml_all_jacobians_batch(r->model, r->work, N, &y, NULL);
    assert_int_equal(hml_all_jacobians_batch_f32(r->model, r->work, N, &x, NULL), status);
    if (status) return; /* mimic followers */
    compare("poses beside columns", 1, row, FORCES);
    compare("columns", 2, 6 * nv, FORCES);
}

static void compare_all(robot *r, uint64_t *seed)
{
    draw_states(r, seed);
    compare_linearizations(r);
    compare_dynamics(r);
    compare_kinematics(r);
}

static void test_every_robot_on_every_instruction_set(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        if (!hml_isa_available(sets[s])) continue;
        uint64_t seed = 77;
        for (size_t i = 0; i < sizeof robot_specs / sizeof *robot_specs; i++) {
            robot r;
            robot_take(&r, draw_tree(&seed, &robot_specs[i]), sets[s]);
            compare_all(&r, &seed);
            robot_close(&r);
        }
    }
}

/* followers: computed in double and rounded once, so within one rounding of float */
static void test_what_goes_by_doubles_is_rounded_once(void **state)
{
    (void)state;
    int seen = 0;
    for (uint64_t seed = 1; seed < 8; seed += 2) {
        hml_random_spec spec;
        hml_random_spec_init(&spec);
        spec.seed = seed, spec.nbodies = 9, spec.mimic = 0.4, spec.shape = HML_RANDOM_ANY;
        hml_model *model;
        uint64_t draws = seed;
        robot r;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        robot_take(&r, model, HML_ISA_BEST);
        draw_states(&r, &draws);
        const size_t nv = r.nv;
        compare_all(&r, &draws);
        if (!r.work->choice.batch_f32) { /* M⁻¹ of compare_dynamics, bit for bit */
            seen++;
            for (size_t i = 0; i < N * nv * nv; i++) assert_true(results[3][i] == (float)expected[3][i]);
        }
        robot_close(&r);
    }
    assert_true(seen > 0);
}

static void test_results_do_not_depend_on_the_place(void **state)
{
    (void)state;
    uint64_t seed = 5;
    robot r;
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1});
    draw_states(&r, &seed);
    const size_t nv = r.nv, n2 = nv * nv;
    hml_linearization_f32 x = {.struct_size = sizeof x, .q = {q, r.nq}, .v = {v, nv}, .Dq = {results[0], 0, 0}};
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, N, &x, NULL), HML_OK);
    for (size_t i = 0; i < N; i++) {
        x.q.data = q + i * r.nq, x.v.data = v + i * nv, x.Dq.data = results[1];
        assert_int_equal(hml_linearize_batch_f32(r.model, r.work, 1, &x, NULL), HML_OK);
        assert_memory_equal(results[1], results[0] + i * n2, n2 * sizeof(float));
    }
    robot_close(&r);
}

/* a wider leading dimension: what lies between rows and states stays */
static void test_strides_are_kept(void **state)
{
    (void)state;
    uint64_t seed = 6;
    robot r;
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 7, .root = HML_JOINT_FREE, .one_dof = 1});
    draw_states(&r, &seed);
    const size_t nv = r.nv, ld = nv + 3, stride = ld * nv + 5;
    hml_linearization_f32 x = {.struct_size = sizeof x, .q = {q, r.nq}, .v = {v, nv}, .Dv = {results[0], 0, 0}};
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, N, &x, NULL), HML_OK);
    for (size_t i = 0; i < N * stride; i++) results[1][i] = 7;
    x.Dv.data = results[1], x.Dv.ld = ld, x.Dv.stride = stride;
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, N, &x, NULL), HML_OK);
    for (size_t i = 0; i < N * stride; i++) {
        const size_t s = i / stride, row = i % stride / ld, c = i % stride % ld;
        const int inside = row < nv && c < nv;
        assert_true(results[1][i] == (inside ? results[0][(s * nv + row) * nv + c] : 7));
    }
    robot_close(&r);
}

static void test_states_that_fail_do_not_touch_the_others(void **state)
{
    (void)state;
    uint64_t seed = 8;
    robot r;
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 6, .root = HML_JOINT_FREE, .one_dof = 1});
    draw_states(&r, &seed);
    const size_t nv = r.nv, n2 = nv * nv;
    hml_status status[N];
    hml_linearization_f32 x = {
        .struct_size = sizeof x, .q = {q, r.nq}, .v = {v, nv}, .tau = {tau, nv}, .Dq = {results[0], 0, 0}};
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, N, &x, NULL), HML_OK);
    x.Dq.data = results[1], x.A.data = results[2];
    v[3 * nv] = NAN, tau[9 * nv + 1] = INFINITY;
    q[20 * r.nq + 3] = q[20 * r.nq + 4] = q[20 * r.nq + 5] = q[20 * r.nq + 6] = 0;
    v[30 * nv + 4] = 1e30f; /* its square is beyond a float */
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, N, &x, status), HML_NOT_FINITE);
    for (size_t i = 0; i < N; i++) {
        const hml_status want = i == 3 || i == 9 || i == 30 ? HML_NOT_FINITE : i == 20 ? HML_NOT_NORMALIZED : HML_OK;
        assert_int_equal(status[i], want);
        if (want) {
            for (size_t e = 0; e < n2; e++) assert_true(isnan(results[1][i * n2 + e]));
            for (size_t e = 0; e < 4 * n2; e++) assert_true(isnan(results[2][i * 4 * n2 + e]));
        } else {
            assert_memory_equal(results[1] + i * n2, results[0] + i * n2, n2 * sizeof(float));
        }
    }
    robot_close(&r);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    uint64_t seed = 9;
    robot r;
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 4, .root = HML_JOINT_FREE, .one_dof = 1});
    draw_states(&r, &seed);
    const hml_input_f32 in = {q, r.nq}, none = {NULL, 0};
    const hml_output_f32 out = {results[0], 0, 0}, nowhere = {NULL, 0, 0}, narrow = {results[0], 3, 0};
    hml_linearization_f32 x = {.struct_size = sizeof x, .q = in};
    hml_dynamics_states_f32 y = {.struct_size = sizeof y};
    hml_jacobian_columns_f32 z = {.struct_size = sizeof z, .q = in, .J = narrow};
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, 1, &x, NULL), HML_INVALID_ARGUMENT); /* no ν */
    x.v.data = v, x.Dq = narrow;
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, 1, &x, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_linearize_batch_f32(r.model, r.work, 1, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_linearize_batch_f32(NULL, r.work, 1, &x, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_dynamics_batch_f32(r.model, r.work, 1, &y, NULL), HML_INVALID_ARGUMENT);
    y.q = in, y.M = narrow;
    assert_int_equal(hml_dynamics_batch_f32(r.model, r.work, 1, &y, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_poses_batch_f32(r.model, r.work, 1, none, out, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_poses_batch_f32(r.model, r.work, 1, in, nowhere, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_poses_batch_f32(r.model, r.work, 1, in, narrow, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_all_jacobians_batch_f32(r.model, r.work, 1, &z, NULL), HML_INVALID_ARGUMENT);
    hml_work *tree;
    assert_int_equal(hml_work_new(r.model, HML_ISA_BEST, HML_USE_TREE, &tree), HML_OK);
    y.M = nowhere, y.torque = out;
    assert_int_equal(hml_dynamics_batch_f32(r.model, tree, N, &y, NULL), HML_OK);
    y.Minv.data = results[1];
    assert_int_equal(hml_dynamics_batch_f32(r.model, tree, N, &y, NULL), HML_INVALID_ARGUMENT);
    hml_work_free(tree);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_robot_on_every_instruction_set),
        cmocka_unit_test(test_what_goes_by_doubles_is_rounded_once),
        cmocka_unit_test(test_results_do_not_depend_on_the_place),
        cmocka_unit_test(test_strides_are_kept),
        cmocka_unit_test(test_states_that_fail_do_not_touch_the_others),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
