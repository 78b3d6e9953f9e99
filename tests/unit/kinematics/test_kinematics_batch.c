/*
 * Poses, q ⊕ v and q1 ⊖ q0 of many states: every instruction set against single calls and against other code, any
 * number of states, strides, results in place of arguments, bad states among good ones.
 */
#include <math.h>
#include <stdlib.h>

#include "model_fixture.h"

#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/linearize.h"

enum { N = 21, SEEDS = 8, GAP = 3 };

static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
enum { NISAS = sizeof isas / sizeof *isas };

/* a robot, N states with gaps between them, and a workspace */
typedef struct robot {
    hml_model *model;
    hml_work *work;
    size_t nq, nv, poses, sq, sv, sp; /* numbers, and strides */
    double *q, *q1, *v, *out, *H;
} robot;

static double *room(size_t n)
{
    double *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i <= n; i++) x[i] = -77; /* what nobody writes stays */
    return x;
}

static void draw(robot *r, uint64_t seed)
{
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    for (size_t i = 0; i < N; i++) {
        const double size = i % 3 == 0 ? 1e-4 : i % 3 == 1 ? 0.8 : 3; /* ⊕: near the identity, on and far */
        assert_int_equal(hml_configuration_random(r->model, &rng, r->q + i * r->sq), HML_OK);
        assert_int_equal(hml_configuration_random(r->model, &rng, r->q1 + i * r->sq), HML_OK);
        for (size_t k = 0; k < r->nv; k++) r->v[i * r->sv + k] = hml_rng_uniform(&rng, -size, size);
    }
}

/* odd seeds: revolute joints alone behind the base, as most robots; even ones: all types, and followers */
static robot robot_open(uint64_t seed, hml_isa isa)
{
    robot r;
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.nbodies = 17;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = seed % 2 ? 1u << HML_JOINT_REVOLUTE : (2u << HML_JOINT_FREE) - 2;
    spec.mimic = seed % 4 == 2 ? 0.8 : 0;
    assert_int_equal(hml_model_random(&spec, &r.model), HML_OK);
    assert_int_equal(hml_work_new(r.model, isa, HML_USE_TREE, &r.work), HML_OK);
    r.nq = (size_t)hml_model_nq(r.model), r.nv = (size_t)hml_model_nv(r.model);
    r.poses = 16 * (size_t)hml_model_nbodies(r.model);
    r.sq = r.nq + GAP, r.sv = r.nv + GAP, r.sp = r.poses + GAP;
    r.q = room(N * r.sq), r.q1 = room(N * r.sq), r.v = room(N * r.sv), r.out = room(N * r.sq), r.H = room(N * r.sp);
    draw(&r, seed);
    return r;
}

static void robot_close(robot *r)
{
    free(r->q), free(r->q1), free(r->v), free(r->out), free(r->H);
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static void assert_near(const double *x, const double *y, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) <= tolerance);
}

static void assert_gap(const double *x, size_t n)
{
    for (size_t i = 0; i < GAP; i++) assert_true(x[n + i] == -77);
}

/* ---- the three batches under one roof ---- */

typedef enum kind { POSES, INTEGRATE, DIFFERENCE, KINDS } kind;

static size_t result_size(const robot *r, kind k) { return k == POSES ? r->poses : k == INTEGRATE ? r->nq : r->nv; }

static hml_status run(const robot *r, kind k, size_t first, size_t n, hml_output out, hml_status *status)
{
    const hml_input q = {r->q + first * r->sq, r->sq}, q1 = {r->q1 + first * r->sq, r->sq};
    const hml_input v = {r->v + first * r->sv, r->sv};
    switch (k) {
    case POSES: return hml_body_poses_batch(r->model, r->work, n, q, out, status);
    case INTEGRATE: return hml_configuration_integrate_batch(r->model, r->work, n, q, v, out, status);
    default: return hml_configuration_difference_batch(r->model, r->work, n, q, q1, out, status);
    }
}

static hml_status run_single(const robot *r, kind k, size_t i, double *out)
{
    const double *q = r->q + i * r->sq;
    switch (k) {
    case POSES: return hml_body_poses(r->model, r->work, q, out);
    case INTEGRATE: return hml_configuration_integrate(r->model, q, r->v + i * r->sv, out);
    default: return hml_configuration_difference(r->model, q, r->q1 + i * r->sq, out);
    }
}

static void test_single_poses_are_those_of_products_of_exponentials(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        for (size_t k = 0; k < NISAS; k++) {
            if (!hml_isa_available(isas[k])) continue;
            robot r = robot_open(seed, isas[k]);
            double *other = room(r.poses);
            for (size_t i = 0; i < N; i++) {
                assert_int_equal(hml_body_poses(r.model, r.work, r.q + i * r.sq, r.H), HML_OK);
                assert_int_equal(hml_body_poses_exponential(r.model, r.work, r.q + i * r.sq, other), HML_OK);
                assert_near(r.H, other, r.poses, 1e-12); /* metres; chains of up to 17 joints */
            }
            free(other);
            robot_close(&r);
        }
    }
}

static void test_batches_are_single_calls(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        for (size_t k = 0; k < NISAS; k++) {
            if (!hml_isa_available(isas[k])) continue;
            for (kind what = 0; what < KINDS; what++) {
                robot r = robot_open(seed, isas[k]);
                const size_t size = result_size(&r, what), stride = size + GAP;
                double *out = room(N * stride), *one = room(size);
                hml_status status[N];
                memset(status, -1, sizeof status);
                hml_output to = {.data = out, .stride = stride};
                assert_int_equal(run(&r, what, 0, N, to, status), HML_OK);
                for (size_t i = 0; i < N; i++) {
                    assert_int_equal(status[i], HML_OK);
                    assert_int_equal(run_single(&r, what, i, one), HML_OK);
                    assert_near(out + i * stride, one, size, 1e-13); /* rounding of sums of a few dozen terms */
                    assert_gap(out + i * stride, size);
                }
                free(out), free(one);
                robot_close(&r);
            }
        }
    }
}

/* a state's bits do not depend on n nor on its place; nothing is written beyond n states, packed as they are */
static void test_any_number_of_states(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        for (size_t k = 0; k < NISAS; k++) {
            if (!hml_isa_available(isas[k])) continue;
            for (kind what = 0; what < KINDS; what++) {
                robot r = robot_open(seed, isas[k]);
                const size_t size = result_size(&r, what);
                double *all = room(N * size), *some = room(N * size);
                assert_int_equal(run(&r, what, 0, N, (hml_output){.data = all}, NULL), HML_OK);
                for (size_t n = 0; n + 2 <= N; n++) {
                    for (size_t i = 0; i < N * size; i++) some[i] = -77;
                    assert_int_equal(run(&r, what, 2, n, (hml_output){.data = some}, NULL), HML_OK);
                    assert_memory_equal(some, all + 2 * size, n * size * sizeof *all);
                    assert_true(some[n * size] == -77);
                }
                free(all), free(some);
                robot_close(&r);
            }
        }
    }
}

static void test_bad_states_stay_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        for (size_t k = 0; k < NISAS; k++) {
            if (!hml_isa_available(isas[k])) continue;
            for (kind what = 0; what < KINDS; what++) {
                robot r = robot_open(seed, isas[k]);
                const size_t size = result_size(&r, what);
                double *good = room(N * size), *out = room(N * size);
                hml_status status[N];
                assert_int_equal(run(&r, what, 0, N, (hml_output){.data = good}, NULL), HML_OK);
                r.q[4 * r.sq + 4] = 3; /* of the base's quaternion */
                r.q[9 * r.sq + r.nq - 1] = -INFINITY;
                r.v[10 * r.sv + r.nv - 1] = NAN;
                r.q1[11 * r.sq] = NAN;
                r.q1[12 * r.sq + 5] = 3;
                assert_int_equal(run(&r, what, 0, N, (hml_output){.data = out}, status), HML_NOT_NORMALIZED);
                for (size_t i = 0; i < N; i++) {
                    hml_status expected = i == 4 ? HML_NOT_NORMALIZED : i == 9 ? HML_NOT_FINITE : HML_OK;
                    if (i == 10 && what == INTEGRATE) expected = HML_NOT_FINITE;
                    if (i == 11 && what == DIFFERENCE) expected = HML_NOT_FINITE;
                    if (i == 12 && what == DIFFERENCE) expected = HML_NOT_NORMALIZED;
                    assert_int_equal(status[i], expected);
                    if (expected) {
                        for (size_t c = 0; c < size; c++) assert_true(isnan(out[i * size + c]));
                    } else {
                        assert_memory_equal(out + i * size, good + i * size, size * sizeof *out);
                    }
                }
                free(good), free(out);
                robot_close(&r);
            }
        }
    }
}

/* out is q; a bad state is named although its numbers are gone */
static void test_integration_in_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        for (size_t k = 0; k < NISAS; k++) {
            if (!hml_isa_available(isas[k])) continue;
            robot r = robot_open(seed, isas[k]);
            double *out = room(N * r.sq);
            hml_status status[N];
            r.q[N / 2 * r.sq + 4] = 3;
            hml_output apart = {.data = out, .stride = r.sq}, same = {.data = r.q, .stride = r.sq};
            assert_int_equal(run(&r, INTEGRATE, 0, N, apart, NULL), HML_NOT_NORMALIZED);
            assert_int_equal(run(&r, INTEGRATE, 0, N, same, status), HML_NOT_NORMALIZED);
            for (size_t i = 0; i < N; i++) {
                assert_int_equal(status[i], i == N / 2 ? HML_NOT_NORMALIZED : HML_OK);
                if (i == N / 2) continue;
                assert_memory_equal(r.q + i * r.sq, out + i * r.sq, r.nq * sizeof *out);
            }
            free(out);
            robot_close(&r);
        }
    }
}

/* one state, many velocities; without gaps, and for a robot whose numbers all add up */
static void test_a_stride_of_zero_repeats(void **state)
{
    (void)state;
    for (size_t k = 0; k < NISAS; k++) {
        if (!hml_isa_available(isas[k])) continue;
        robot r = robot_open(5, isas[k]);
        double *out = room(N * r.nq), *one = room(r.nq);
        assert_int_equal(hml_configuration_integrate_batch(r.model, r.work, N, (hml_input){r.q, 0},
                                                           (hml_input){r.v, r.sv}, (hml_output){.data = out}, NULL),
                         HML_OK);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(hml_configuration_integrate(r.model, r.q, r.v + i * r.sv, one), HML_OK);
            assert_near(out + i * r.nq, one, r.nq, 1e-14);
        }
        free(out), free(one);
        robot_close(&r);
    }
}

static void test_an_arm_is_one_sum(void **state)
{
    (void)state;
    enum { JOINTS = 5 };
    double q[N * JOINTS], v[N * JOINTS], out[N * JOINTS];
    hml_builder *builder = hml_builder_new();
    for (int i = 0; i < JOINTS; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e"};
        add_link(builder, names[i], i ? names[i - 1] : NULL, i == 2 ? HML_JOINT_PRISMATIC : HML_JOINT_REVOLUTE);
    }
    hml_model *model = finish(builder, 0);
    for (size_t i = 0; i < N * JOINTS; i++) q[i] = 0.25 * (double)i, v[i] = 3 - 0.5 * (double)i;
    const hml_input in_q = {q, JOINTS}, in_v = {v, JOINTS}, in_out = {out, JOINTS};
    for (size_t k = 0; k < NISAS; k++) {
        hml_work *work;
        hml_status status[N];
        if (!hml_isa_available(isas[k])) continue;
        assert_int_equal(hml_work_new(model, isas[k], HML_USE_TREE, &work), HML_OK);
        const hml_output to = {.data = out}, back = {.data = v};
        assert_int_equal(hml_configuration_integrate_batch(model, work, N, in_q, in_v, to, NULL), HML_OK);
        for (size_t i = 0; i < N * JOINTS; i++) assert_true(out[i] == q[i] + v[i]);
        assert_int_equal(hml_configuration_difference_batch(model, work, N, in_q, in_out, back, NULL), HML_OK);
        for (size_t i = 0; i < N * JOINTS; i++) assert_true(v[i] == 3 - 0.5 * (double)i);
        q[7 * JOINTS] = NAN;
        assert_int_equal(hml_configuration_integrate_batch(model, work, N, in_q, in_v, to, status), HML_NOT_FINITE);
        for (size_t i = 0; i < N; i++) assert_int_equal(status[i], i == 7 ? HML_NOT_FINITE : HML_OK);
        for (size_t c = 0; c < JOINTS; c++) assert_true(isnan(out[7 * JOINTS + c]));
        q[7 * JOINTS] = 0.25 * 7 * JOINTS;
        hml_work_free(work);
    }
    hml_model_free(model);
}

/* poses of batches against exponentials and single calls, on every instruction set; takes the model */
static void assert_poses_agree(hml_model *model)
{
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    const size_t nq = (size_t)hml_model_nq(model), poses = 16 * (size_t)hml_model_nbodies(model);
    double *q = room(N * nq), *H = room(N * poses), *other = room(poses);
    for (size_t i = 0; i < N; i++) assert_int_equal(hml_configuration_random(model, &rng, q + i * nq), HML_OK);
    for (size_t k = 0; k < NISAS; k++) {
        hml_work *work;
        if (!hml_isa_available(isas[k])) continue;
        assert_int_equal(hml_work_new(model, isas[k], HML_USE_TREE, &work), HML_OK);
        assert_int_equal(hml_body_poses_batch(model, work, N, (hml_input){q, nq}, (hml_output){.data = H}, NULL),
                         HML_OK);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(hml_body_poses_exponential(model, work, q + i * nq, other), HML_OK);
            assert_near(H + i * poses, other, poses, 1e-12);
            assert_int_equal(hml_body_poses(model, work, q + i * nq, other), HML_OK);
            assert_near(H + i * poses, other, poses, 1e-13);
        }
        hml_work_free(work);
    }
    free(q), free(H), free(other);
    hml_model_free(model);
}

/* the logarithm of a motion in the plane has no digits near a full turn; its pose has */
static void test_exponentials_near_full_turns(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_model *model;
    hml_work *work;
    hml_joint_spec planar, arm;
    const hml_inertia_spec I = {1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&planar, HML_JOINT_PLANAR), hml_joint_spec_init(&arm, HML_JOINT_SCHOENFLIES);
    planar.name = "planar", arm.name = "arm", arm.position[0] = 0.5;
    assert_int_equal(hml_builder_add_body(b, "cart", NULL, &planar, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_add_body(b, "arm", "cart", &arm, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_TREE, &work), HML_OK);
    const double turn = 6.283185307179586, q[7] = {-0.94, 0.35, -354 * turn + 1e-7, 0.2, 0.3, 0.4, 2 * turn - 1e-9};
    double H[32], other[32];
    assert_int_equal(hml_body_poses(model, work, q, H), HML_OK);
    assert_int_equal(hml_body_poses_exponential(model, work, q, other), HML_OK);
    assert_near(H, other, 32, 1e-12);
    hml_builder_free(b);
    hml_work_free(work);
    hml_model_free(model);
}

/* axes along the frame's own, placements by quarter turns: what most files hold, and a path of its own */
static void test_quarter_turns(void **state)
{
    (void)state;
    enum { JOINTS = 24 };
    hml_builder *builder = hml_builder_new();
    char name[2] = "a", above[2] = "a";
    add_link(builder, "base", NULL, HML_JOINT_FREE);
    for (int i = 0; i < JOINTS; i++, name[0]++) {
        hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, name);
        const int turn = i / 6 % 4, x = i % 3, y = (x + 1 + turn / 2) % 3;
        memset(joint.axis, 0, sizeof joint.axis);
        memset(joint.rotation, 0, sizeof joint.rotation);
        joint.axis[i % 3] = i % 6 < 3 ? 1 : -1;
        joint.rotation[3 * x] = turn % 2 ? -1 : 1; /* columns: ±e_x, e_y and their product */
        joint.rotation[3 * y + 1] = 1;
        joint.rotation[3 * (3 - x - y) + 2] = ((y - x + 3) % 3 == 1 ? 1 : -1) * (turn % 2 ? -1 : 1);
        joint.position[1] = 0.1 * i;
        above[0] = (char)(name[0] - 3);
        add_spec(builder, name, i < 3 ? "base" : above, &joint);
    }
    assert_poses_agree(finish(builder, 0));
}

/* joints without a placement, which most are not: the flag that says so means something else for revolute joints */
static void test_joints_without_a_placement(void **state)
{
    (void)state;
    hml_builder *builder = hml_builder_new();
    char name[2] = "a", above[2] = "";
    for (int type = HML_JOINT_FIXED; type <= HML_JOINT_FREE; type++, name[0]++) {
        hml_joint_spec joint = some_joint((hml_joint_type)type, name);
        joint.position[0] = 0;
        add_spec(builder, name, *above ? above : NULL, &joint);
        above[0] = name[0];
    }
    assert_poses_agree(finish(builder, HML_BUILD_KEEP_FIXED));
}

/* a single ⊕ that fails leaves its result alone, also where it is its argument */
static void test_failure_writes_nothing(void **state)
{
    (void)state;
    robot r = robot_open(4, HML_ISA_SCALAR);
    double *before = room(r.nq);
    r.q[r.nq - 1] = NAN;
    memcpy(before, r.q, r.nq * sizeof *before);
    assert_int_equal(hml_configuration_integrate(r.model, r.q, r.v, r.q), HML_NOT_FINITE);
    assert_memory_equal(r.q, before, r.nq * sizeof *before);
    free(before);
    robot_close(&r);
}

static void test_refusals(void **state)
{
    (void)state;
    robot r = robot_open(1, HML_ISA_SCALAR), other = robot_open(2, HML_ISA_SCALAR);
    const hml_input q = {r.q, r.sq}, v = {r.v, r.sv}, none = {NULL, 0};
    const hml_output out = {.data = r.out}, H = {.data = r.H}, nowhere = {.data = NULL};
    assert_int_equal(hml_body_poses_batch(r.model, other.work, 1, q, H, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_poses_batch(r.model, r.work, 1, none, H, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_poses_batch(r.model, r.work, 1, q, nowhere, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_configuration_integrate_batch(r.model, NULL, 1, q, v, out, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_configuration_integrate_batch(r.model, r.work, 1, q, none, out, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_configuration_difference_batch(NULL, r.work, 1, q, q, out, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_configuration_difference_batch(r.model, r.work, 1, q, q, nowhere, NULL), HML_INVALID_ARGUMENT);
    robot_close(&r);
    robot_close(&other);
}

/* memory that a caller gives may hold anything, NaN as well: a slider before the first angle read what nobody wrote */
static void test_workspaces_on_memory_full_of_nan(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "slider", NULL, HML_JOINT_PRISMATIC);
    add_link(b, "arm", "slider", HML_JOINT_REVOLUTE);
    add_link(b, "tip", "arm", HML_JOINT_PRISMATIC);
    hml_model *m = finish(b, 0);
    const double q[3] = {0.4, 0, -0.3};
    for (size_t i = 0; i < NISAS; i++) {
        if (!hml_isa_available(isas[i])) continue;
        const size_t size = hml_work_size(m, isas[i], HML_USE_TREE);
        void *memory = aligned_alloc(HML_WORK_ALIGN, (size + HML_WORK_ALIGN - 1) / HML_WORK_ALIGN * HML_WORK_ALIGN);
        hml_work *work = NULL;
        double H[3 * 16];
        memset(memory, 0xff, size); /* as doubles: NaN */
        assert_int_equal(hml_work_init(memory, size, m, isas[i], HML_USE_TREE, &work), HML_OK);
        assert_int_equal(hml_body_poses(m, work, q, H), HML_OK);
        /* joints half a metre apart along x, axes along z */
        for (int body = 0; body < 3; body++) {
            assert_close(H[16 * body + 3], 0.5 * (body + 1), 1e-15);
            assert_close(H[16 * body + 7], 0, 1e-15);
            assert_close(H[16 * body + 11], body < 2 ? 0.4 : 0.4 - 0.3, 1e-15);
        }
        free(memory);
    }
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_poses_are_those_of_products_of_exponentials),
        cmocka_unit_test(test_batches_are_single_calls),
        cmocka_unit_test(test_any_number_of_states),
        cmocka_unit_test(test_bad_states_stay_alone),
        cmocka_unit_test(test_integration_in_place),
        cmocka_unit_test(test_a_stride_of_zero_repeats),
        cmocka_unit_test(test_an_arm_is_one_sum),
        cmocka_unit_test(test_exponentials_near_full_turns),
        cmocka_unit_test(test_quarter_turns),
        cmocka_unit_test(test_joints_without_a_placement),
        cmocka_unit_test(test_failure_writes_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_workspaces_on_memory_full_of_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
