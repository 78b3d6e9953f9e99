/*
 * hml_linearize and hml_linearize_batch as a caller sees them: the structure of A and B, strides and leading
 * dimensions, packs of every width, states that fail among states that do not.
 */
#include "dynamics_check.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/linearize.h"

/* [v; w] × as a matrix, straight from Notation (38) */
static void cross6(const double *v, double *ad)
{
    const double *w = v + 3;
    const double hat_v[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    const double hat_w[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memset(ad, 0, 36 * sizeof *ad);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            ad[6 * r + c] = ad[6 * (r + 3) + c + 3] = hat_w[3 * r + c];
            ad[6 * r + c + 3] = hat_v[3 * r + c];
        }
    }
}

/* which of the six coordinates of SE(3) a joint has: its ad is that part of the twist's */
static void joint_rows(hml_joint_type type, int rows[6])
{
    static const int translation3[] = {0, 1, 2}, planar[] = {0, 1, 5}, spherical[] = {3, 4, 5};
    static const int schoenflies[] = {0, 1, 2, 5}, all[] = {0, 1, 2, 3, 4, 5};
    const int *from = type == HML_JOINT_PLANAR         ? planar
                      : type == HML_JOINT_SPHERICAL    ? spherical
                      : type == HML_JOINT_TRANSLATION3 ? translation3
                      : type == HML_JOINT_SCHOENFLIES  ? schoenflies
                                                       : all;
    memcpy(rows, from, (size_t)hml_joint_type_nv(type) * sizeof *rows);
}

static void expected_ad(hml_joint_type type, const double *v, double *ad)
{
    int m = hml_joint_type_nv(type), rows[6];
    double twist6[6] = {0}, whole[36];
    joint_rows(type, rows);
    for (int k = 0; k < m; k++) twist6[rows[k]] = v[k];
    cross6(twist6, whole);
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < m; c++) ad[r * m + c] = whole[6 * rows[r] + rows[c]];
    }
}

static void test_A_and_B_are_put_together_from_the_blocks(void **state)
{
    (void)state;
    static blocks x;
    static double A[4 * NV * NV], B[2 * NV * NV];
    uint64_t seed = 11;
    unsigned seen = 0;
    for (int i = 0; i < 3 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        size_t nv = r.nv, ld = 2 * nv;
        hml_linearization call = {.struct_size = sizeof call};
        call.q.data = r.q, call.v.data = r.v, call.tau.data = r.tau, call.wrenches.data = r.wrenches;
        call.A.data = A, call.B.data = B;
        assert_int_equal(robot_linearize(&r, &x), HML_OK);
        assert_int_equal(hml_linearize(r.model, r.work, &call), HML_OK);

        static double expected[4 * NV * NV];
        memset(expected, 0, sizeof expected);
        for (size_t k = 0; k < nv; k++) {
            expected[k * ld + nv + k] = 1;
            memcpy(&expected[(nv + k) * ld], &x.Dq[k * nv], nv * sizeof(double));
            memcpy(&expected[(nv + k) * ld + nv], &x.Dv[k * nv], nv * sizeof(double));
        }
        for (int32_t j = 0; j < hml_model_njoints(r.model); j++) {
            hml_joint_info info = {.struct_size = sizeof info};
            double ad[36];
            assert_int_equal(hml_model_joint(r.model, j, &info), HML_OK);
            seen |= 1u << info.type;
            if (info.nv < 3) continue; /* two coordinates commute in every joint there is */
            expected_ad(info.type, &r.v[info.v], ad);
            for (int a = 0; a < info.nv; a++) {
                for (int b = 0; b < info.nv; b++)
                    expected[(size_t)(info.v + a) * ld + (size_t)(info.v + b)] = -ad[a * info.nv + b];
            }
        }
        for (size_t k = 0; k < ld * ld; k++) assert_true(A[k] == expected[k]);
        for (size_t k = 0; k < nv * nv; k++) assert_true(B[k] == 0 && B[nv * nv + k] == x.Minv[k]);
        robot_close(&r);
    }
    const hml_joint_type nonabelian[] = {HML_JOINT_FREE, HML_JOINT_SPHERICAL, HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES};
    for (size_t k = 0; k < 4; k++) assert_true(seen >> nonabelian[k] & 1);
}

static void test_strides_and_leading_dimensions(void **state)
{
    (void)state;
    uint64_t seed = 12;
    robot r;
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 5, .root = HML_JOINT_FREE});
    enum { N = 3 };
    size_t nv = r.nv, ld = 2 * nv + 3, stride = 2 * nv * ld + 7;
    double *A = malloc(N * stride * sizeof *A), *packed = malloc(4 * nv * nv * sizeof *A);
    double *q = malloc(N * (r.nq + 2) * sizeof *q);
    for (size_t i = 0; i < N * stride; i++) A[i] = 42;
    for (size_t s = 0; s < N; s++) memcpy(q + s * (r.nq + 2), r.q, r.nq * sizeof *q);
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = q, x.q.stride = r.nq + 2;
    x.v.data = r.v; /* stride 0: the same for every state */
    x.A.data = A, x.A.ld = ld, x.A.stride = stride;
    assert_int_equal(hml_linearize_batch(r.model, r.work, N, &x, NULL), HML_OK);
    x.A.data = packed, x.A.ld = x.A.stride = 0;
    assert_int_equal(hml_linearize_batch(r.model, r.work, 1, &x, NULL), HML_OK);
    for (size_t s = 0; s < N; s++) {
        for (size_t i = 0; i < stride; i++) {
            size_t row = i / ld, column = i % ld;
            double expected = row < 2 * nv && column < 2 * nv ? packed[row * 2 * nv + column] : 42;
            assert_true(A[s * stride + i] == expected);
        }
    }
    free(A), free(packed), free(q);
    robot_close(&r);
}

/* ---- batches ---- */

enum { MOST = 20 };

typedef struct batch {
    double *q, *v, *tau, *out;
    size_t size; /* doubles a state in out */
} batch;

static void batch_open(batch *b, const robot *r, uint64_t *seed)
{
    b->size = 4 * r->nv * r->nv + r->nv;
    b->q = calloc(MOST * r->nq + 1, sizeof(double));
    b->v = calloc(MOST * r->nv + 1, sizeof(double));
    b->tau = calloc(MOST * r->nv + 1, sizeof(double));
    b->out = calloc(MOST * b->size, sizeof(double));
    for (size_t s = 0; s < MOST; s++) {
        draw_configuration(seed, r->model, 1.0, b->q + s * r->nq);
        for (size_t i = 0; i < r->nv; i++) b->v[s * r->nv + i] = draw(seed), b->tau[s * r->nv + i] = draw(seed);
    }
}

static void batch_close(batch *b) { free(b->q), free(b->v), free(b->tau), free(b->out); }

/* states first … first + n − 1 of the batch into out: a state is [A; ν̇] */
static hml_status batch_run(const batch *b, const robot *r, size_t first, size_t n, double *out, hml_status *status)
{
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = b->q + first * r->nq, x.q.stride = r->nq;
    x.v.data = b->v + first * r->nv, x.v.stride = r->nv;
    x.tau.data = b->tau + first * r->nv, x.tau.stride = r->nv;
    x.A.data = out, x.A.stride = b->size;
    x.acceleration.data = out + 4 * r->nv * r->nv, x.acceleration.stride = b->size;
    return hml_linearize_batch(r->model, r->work, n, &x, status);
}

static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

/* any N, and shifted, so that every state meets every lane: the same bits; how far single calls are from them */
static double batches_against_single_calls(const robot *r, uint64_t *seed)
{
    batch b;
    double worst = 0;
    batch_open(&b, r, seed);
    double *other = calloc(MOST * b.size, sizeof *other);
    assert_int_equal(batch_run(&b, r, 0, MOST, b.out, NULL), HML_OK);
    for (size_t n = 1; n <= MOST; n++) {
        size_t first = n % 3;
        if (first + n > MOST) continue;
        memset(other, 0xff, MOST * b.size * sizeof *other);
        assert_int_equal(batch_run(&b, r, first, n, other, NULL), HML_OK);
        assert_memory_equal(other, b.out + first * b.size, n * b.size * sizeof *other);
    }
    for (size_t s = 0; s < MOST; s++) {
        hml_linearization x = {.struct_size = sizeof x};
        x.q.data = b.q + s * r->nq, x.v.data = b.v + s * r->nv, x.tau.data = b.tau + s * r->nv;
        x.A.data = other, x.acceleration.data = other + 4 * r->nv * r->nv;
        assert_int_equal(hml_linearize(r->model, r->work, &x), HML_OK);
        worst = fmax(worst, off_by(b.out + s * b.size, other, 4 * r->nv * r->nv));
        worst = fmax(worst, off_by(b.out + s * b.size + 4 * r->nv * r->nv, x.acceleration.data, r->nv));
    }
    free(other);
    batch_close(&b);
    return worst;
}

static void test_batches_equal_single_calls_and_do_not_depend_on_n(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!hml_isa_available(isas[k])) continue;
        uint64_t seed = 13;
        double worst = 0;
        for (int i = 0; i < ROBOT_SPECS; i++) {
            robot r;
            robot_take(&r, draw_tree(&seed, &robot_specs[i]), isas[k]);
            worst = fmax(worst, batches_against_single_calls(&r, &seed));
            robot_close(&r);
        }
        printf("%-6s batch against single call: %.1e of the largest entry\n", hml_isa_name(isas[k]), worst);
        /* fused multiply-adds round differently: ε times a condition number of M, here up to 1e4 */
        assert_true(worst < 1e-11);
    }
}

/* adds a body with a random placement and inertia */
static void add_body(hml_builder *b, uint64_t *seed, const char *name, const char *parent, hml_joint_type type)
{
    hml_joint_spec j;
    hml_inertia_spec I;
    hml_joint_spec_init(&j, type);
    j.name = name, j.axis[1] = 1;
    for (int k = 0; k < 3; k++) j.position[k] = draw(seed);
    draw_inertia(seed, &I);
    assert_int_equal(hml_builder_add_body(b, name, parent, &j, &I, NULL), HML_OK);
}

/*
 * Fixed bodies that are kept have no columns. One on a free root that carries several limbs, or another such body,
 * begins no block of M; the limbs do.
 */
static void test_kept_fixed_bodies_that_carry_limbs(void **state)
{
    (void)state;
    uint64_t seed = 17;
    hml_builder *b = hml_builder_new();
    hml_model *model;
    add_body(b, &seed, "trunk", NULL, HML_JOINT_FREE);
    add_body(b, &seed, "tail", "trunk", HML_JOINT_REVOLUTE);
    add_body(b, &seed, "plate", "trunk", HML_JOINT_FIXED);
    add_body(b, &seed, "left", "plate", HML_JOINT_REVOLUTE);
    add_body(b, &seed, "left foot", "left", HML_JOINT_FIXED);
    add_body(b, &seed, "right", "plate", HML_JOINT_SPHERICAL);
    add_body(b, &seed, "right knee", "right", HML_JOINT_PRISMATIC);
    add_body(b, &seed, "neck", "plate", HML_JOINT_FIXED);
    add_body(b, &seed, "head", "neck", HML_JOINT_REVOLUTE);
    add_body(b, &seed, "antenna", "neck", HML_JOINT_REVOLUTE);
    add_body(b, &seed, "stone", "trunk", HML_JOINT_FIXED);
    assert_int_equal(hml_builder_build(b, HML_BUILD_KEEP_FIXED, &model, NULL), HML_OK);
    hml_builder_free(b);
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!hml_isa_available(isas[k])) continue;
        robot r;
        hml_model *copy;
        assert_int_equal(hml_model_copy(model, &copy), HML_OK);
        robot_take(&r, copy, isas[k]);
        assert_true(batches_against_single_calls(&r, &seed) < 1e-11); /* as above */
        robot_close(&r);
    }
    hml_model_free(model);
}

static void test_a_bad_state_does_not_disturb_its_neighbours(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!hml_isa_available(isas[k])) continue;
        uint64_t seed = 14;
        robot r;
        batch b;
        hml_status status[MOST];
        robot_take(&r, draw_tree(&seed, &(draw_tree_spec){.nbodies = 8, .root = HML_JOINT_FREE}), isas[k]);
        batch_open(&b, &r, &seed);
        double *broken = calloc(MOST * b.size, sizeof *broken);
        assert_int_equal(batch_run(&b, &r, 0, MOST, b.out, status), HML_OK);
        for (size_t s = 0; s < MOST; s++) assert_int_equal(status[s], HML_OK);
        b.v[2 * r.nv + 1] = NAN;
        b.tau[5 * r.nv] = INFINITY;
        b.q[9 * r.nq] = -INFINITY;
        for (int i = 3; i < 7; i++) b.q[11 * r.nq + (size_t)i] *= 1.01;   /* 1 % from unit */
        for (int i = 3; i < 7; i++) b.q[13 * r.nq + (size_t)i] *= 1.0005; /* taken, and normalized */
        for (int i = 3; i < 7; i++) b.q[17 * r.nq + (size_t)i] = 0;
        assert_int_equal(batch_run(&b, &r, 0, MOST, broken, status), HML_NOT_FINITE);
        for (size_t s = 0; s < MOST; s++) {
            hml_status expected = s == 2 || s == 5 || s == 9 ? HML_NOT_FINITE
                                  : s == 11 || s == 17       ? HML_NOT_NORMALIZED
                                                             : HML_OK;
            assert_int_equal(status[s], expected);
            if (expected) {
                for (size_t i = 0; i < b.size; i++) assert_true(isnan(broken[s * b.size + i]));
            } else if (s == 13) { /* the quaternion itself was rounded */
                assert_near("normalized", broken + s * b.size, b.out + s * b.size, b.size, 1e-12);
            } else {
                assert_memory_equal(broken + s * b.size, b.out + s * b.size, b.size * sizeof *broken);
            }
        }
        free(broken);
        batch_close(&b);
        robot_close(&r);
    }
}

/* ---- a singular M ---- */

static hml_model *weightless_hand(void)
{
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    hml_inertia_spec I = {1, {0, 0, 0.1}, {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}};
    const char *names[] = {"trunk", "arm", "hand", "finger", "leg"};
    const char *parents[] = {NULL, "trunk", "arm", "hand", "trunk"};
    for (int i = 0; i < 5; i++) {
        hml_joint_spec j;
        hml_joint_spec_init(&j, i == 0 ? HML_JOINT_FREE : HML_JOINT_REVOLUTE);
        j.name = names[i];
        j.axis[i % 3] = 1;
        j.position[0] = 0.3 * i;
        assert_int_equal(hml_builder_add_body(b, names[i], parents[i], &j, i == 2 || i == 3 ? NULL : &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
    hml_builder_free(b);
    return m;
}

static void test_a_singular_mass_matrix_is_a_status_and_names_its_coordinates(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!hml_isa_available(isas[k])) continue;
        robot r;
        blocks *x = malloc(sizeof *x);
        int marks[NV];
        hml_status status[3];
        robot_take(&r, weightless_hand(), isas[k]);
        assert_int_equal(hml_configuration_neutral(r.model, r.q), HML_OK);
        assert_int_equal(robot_linearize(&r, x), HML_SINGULAR);
        for (size_t i = 0; i < r.nv * r.nv; i++) assert_true(isnan(x->Dq[i]) && isnan(x->Dv[i]) && isnan(x->Minv[i]));
        hml_linearization call = {.struct_size = sizeof call};
        call.q.data = r.q, call.v.data = r.v, call.Dq.data = x->Dq;
        assert_int_equal(hml_linearize_batch(r.model, r.work, 3, &call, status), HML_SINGULAR);
        for (int s = 0; s < 3; s++) assert_int_equal(status[s], HML_SINGULAR);
        assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, r.tau, NULL, x->a), HML_SINGULAR);
        assert_int_equal(hml_singular_coordinates(r.model, r.work, r.q, marks), HML_OK);
        for (size_t c = 0; c < r.nv; c++) {
            char name[64];
            assert_int_equal(hml_model_velocity_name(r.model, (int32_t)c, name, sizeof name), HML_OK);
            assert_int_equal(marks[c], !strcmp(name, "hand") || !strcmp(name, "finger"));
        }
        free(x);
        robot_close(&r);
    }
}

static void test_a_regular_mass_matrix_marks_nothing(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        robot r;
        int marks[NV];
        robot_open(&r, &seed, &robot_specs[i]);
        memset(marks, 0xff, sizeof marks);
        assert_int_equal(hml_singular_coordinates(r.model, r.work, r.q, marks), HML_OK);
        for (size_t c = 0; c < r.nv; c++) assert_int_equal(marks[c], 0);
        robot_close(&r);
    }
}

static void test_arguments_are_checked(void **state)
{
    (void)state;
    uint64_t seed = 16;
    robot r, other;
    hml_work *tree = NULL;
    double A[4 * 6 * 6];
    robot_open(&r, &seed, &robot_specs[0]);
    robot_open(&other, &seed, &robot_specs[0]);
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = r.q, x.v.data = r.v, x.A.data = A;
    assert_int_equal(hml_linearize(r.model, r.work, &x), HML_OK);
    assert_int_equal(hml_linearize(r.model, other.work, &x), HML_INVALID_ARGUMENT); /* another model's workspace */
    assert_int_equal(hml_linearize(NULL, r.work, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_linearize(r.model, NULL, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_linearize(r.model, r.work, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_work_new(r.model, HML_ISA_BEST, HML_USE_TREE, &tree), HML_OK);
    assert_int_equal(hml_linearize(r.model, tree, &x), HML_INVALID_ARGUMENT); /* too small for that */
    x.struct_size--;
    assert_int_equal(hml_linearize(r.model, r.work, &x), HML_INVALID_ARGUMENT);
    x.struct_size++;
    x.v.data = NULL;
    assert_int_equal(hml_linearize(r.model, r.work, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_linearize_batch(r.model, r.work, 4, &x, NULL), HML_INVALID_ARGUMENT);
    hml_work_free(tree);
    robot_close(&r);
    robot_close(&other);
}

/* rows nearer to each other than they are long would end outside of what they were given: nothing is written */
static void test_rows_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 41;
    const draw_tree_spec spec = {.nbodies = 3, .root = HML_JOINT_FREE, .one_dof = 1};
    hml_model *model = draw_tree(&seed, &spec);
    hml_work *work = NULL;
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    const size_t nv = (size_t)hml_model_nv(model), nq = (size_t)hml_model_nq(model);
    static double q[64], v[64], out[4096], poses[4096];
    assert_true(nv <= 16 && nq <= 17);
    draw_configuration(&seed, model, 1, q);
    for (int k = 0; k < 6; k++) {
        hml_linearization x = {.struct_size = sizeof x, .q = {q, nq}, .v = {v, nv}};
        hml_output *outputs[] = {&x.acceleration, &x.Dq, &x.Dv, &x.Minv, &x.B, &x.A};
        const size_t columns = k < 5 ? nv : 2 * nv;
        for (size_t ld = columns - 1; ld <= columns; ld++) {
            memset(out, 0, sizeof out);
            *outputs[k] = (hml_output){out, ld, 0};
            hml_status expected = ld < columns ? HML_INVALID_ARGUMENT : HML_OK;
            hml_work *works[] = {work};
            hml_parallel parallel = {.struct_size = sizeof parallel, .nworks = 1, .works = works};
            assert_int_equal(hml_linearize(model, work, &x), expected);
            assert_int_equal(hml_linearize_batch(model, work, 1, &x, NULL), expected);
            assert_int_equal(hml_linearize_parallel(model, &parallel, 1, &x, NULL), expected);
            for (size_t i = 0; expected && i < 4096; i++) assert_true(out[i] == 0);
        }
    }
    for (int k = 0; k < 4; k++) {
        hml_dynamics_states x = {.struct_size = sizeof x, .q = {q, nq}, .v = {v, nv}, .tau = {v, nv}, .a = {v, nv}};
        hml_output *outputs[] = {&x.acceleration, &x.torque, &x.M, &x.Minv};
        *outputs[k] = (hml_output){out, nv - 1, 0};
        assert_int_equal(hml_dynamics_batch(model, work, 1, &x, NULL), HML_INVALID_ARGUMENT);
        outputs[k]->ld = nv;
        assert_int_equal(hml_dynamics_batch(model, work, 1, &x, NULL), HML_OK);
    }
    const hml_input from = {q, nq}, by = {v, nv};
    const size_t row = 16 * (size_t)hml_model_nbodies(model);
    for (size_t less = 0; less < 2; less++) {
        hml_status expected = less ? HML_INVALID_ARGUMENT : HML_OK;
        const hml_output moved = {out, nq - less, 0}, change = {out, nv - less, 0}, H = {poses, row - less, 0};
        hml_jacobian_columns x = {.struct_size = sizeof x, .q = from, .J = {out, nv - less, 0}};
        assert_int_equal(hml_configuration_integrate_batch(model, work, 1, from, by, moved, NULL), expected);
        assert_int_equal(hml_configuration_difference_batch(model, work, 1, from, from, change, NULL), expected);
        assert_int_equal(hml_body_poses_batch(model, work, 1, from, H, NULL), expected);
        assert_int_equal(hml_all_jacobians(model, work, &x), expected);
        assert_int_equal(hml_all_jacobians_batch(model, work, 1, &x, NULL), expected);
    }
    hml_work_free(work);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_do_not_fit_are_refused),
        cmocka_unit_test(test_A_and_B_are_put_together_from_the_blocks),
        cmocka_unit_test(test_strides_and_leading_dimensions),
        cmocka_unit_test(test_batches_equal_single_calls_and_do_not_depend_on_n),
        cmocka_unit_test(test_kept_fixed_bodies_that_carry_limbs),
        cmocka_unit_test(test_a_bad_state_does_not_disturb_its_neighbours),
        cmocka_unit_test(test_a_singular_mass_matrix_is_a_status_and_names_its_coordinates),
        cmocka_unit_test(test_a_regular_mass_matrix_marks_nothing),
        cmocka_unit_test(test_arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
