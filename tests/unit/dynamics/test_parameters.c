/*
 * Derivatives by the model's numbers: against complex steps of brute-force dynamics whose model is changed by i·1e-200,
 * number by number and on every kind of joint. The library's own numbers stay double; only the oracle is complex.
 */
#define HML_NUM_C64
#include "dynamics_check.h"
#include "hamel/configuration.h"
#include "hamel/parameters.h"
#include "model/mimic.h"

enum { COUNT = 10 * ORACLE_BODIES };

static const double step = 1e-200;

/* both sides lose the digits that M's condition number (about 1e4) and a dozen bodies take */
static const double tolerance = 1e-11;

typedef struct all_derivatives {
    double inertia[NV * COUNT], gravity[NV * 3], placement[NV * COUNT], screw[NV * COUNT];
    double armature[NV * NV], damping[NV * NV], stiffness[NV * NV];
} all_derivatives;

static all_derivatives inverse, forward;

static hml_parameter_derivatives pointers(all_derivatives *x)
{
    hml_parameter_derivatives d = {.struct_size = sizeof d};
    d.inertia = x->inertia, d.gravity = x->gravity, d.placement = x->placement, d.screw = x->screw;
    d.armature = x->armature, d.damping = x->damping, d.stiffness = x->stiffness;
    return d;
}

/* number `index` of a kind, changed by i·step */
typedef enum kind { INERTIA, GRAVITY, PLACEMENT, SCREW, ARMATURE, DAMPING, STIFFNESS, KINDS } kind;

static int kind_count(const hml_model *m, kind k)
{
    const int counts[KINDS] = {10 * m->nbodies, 3, 6 * m->nbodies, 7 * m->nbodies, m->tree_nv, m->tree_nv, m->tree_nv};
    return counts[k];
}

static const double *kind_data(const all_derivatives *x, kind k)
{
    const double *data[KINDS] = {x->inertia, x->gravity, x->placement, x->screw, x->armature, x->damping, x->stiffness};
    return data[k];
}

static vec3 small_unit(int k)
{
    num i = __builtin_complex(0.0, step);
    return vec3_of(k == 0 ? i : 0, k == 1 ? i : 0, k == 2 ? i : 0);
}

static oracle_change change_of(kind k, int index)
{
    oracle_change c;
    num i = __builtin_complex(0.0, step);
    memset(&c, 0, sizeof c);
    switch (k) {
    case INERTIA: {
        int n = index % 10;
        c.body = index / 10;
        c.I.m = n == 0 ? i : 0;
        c.I.h = small_unit(n - 1);
        num J[6];
        for (int e = 0; e < 6; e++) J[e] = e == n - 4 ? i : 0;
        c.I.J = sym3_of(J[0], J[1], J[2], J[3], J[4], J[5]);
        break;
    }
    case GRAVITY: c.gravity = small_unit(index); break;
    case PLACEMENT:
        c.body = index / 6;
        c.placement = twist_of(small_unit(index % 6), small_unit(index % 6 - 3));
        break;
    case SCREW:
        c.body = index / 7;
        c.point = small_unit(index % 7);
        c.turn = small_unit(index % 7 - 3);
        c.pitch = index % 7 == 6 ? i : 0;
        break;
    case ARMATURE: c.coordinate = index, c.armature = i; break;
    case DAMPING: c.coordinate = index, c.damping = i; break;
    default: c.coordinate = index, c.stiffness = i; break;
    }
    return c;
}

/* a robot's state in the tree's numbers, complex; a: ν̇ of inverse dynamics */
static num qc[NQ], vc[NV], ac[NV], tauc[NV], wc[6 * ORACLE_BODIES];

static void complex_state(const robot *r, const double *a)
{
    static double q[NQ], v[NV], ta[NV];
    model_expand_q(r->model, r->q, q);
    model_expand_v(r->model, r->v, v);
    model_expand_v(r->model, a, ta);
    for (int i = 0; i < r->model->tree_nq; i++) qc[i] = q[i];
    for (int i = 0; i < r->model->tree_nv; i++) vc[i] = v[i], ac[i] = ta[i], tauc[i] = i < (int)r->nv ? r->tau[i] : 0;
    for (int i = 0; i < 6 * r->model->nbodies; i++) wc[i] = r->wrenches[i];
}

/* column `index` of ∂τ/∂p of the tree, and of ∂ν̇/∂p where wanted */
static void complex_column(const hml_model *m, kind k, int index, double *dtau, double *da)
{
    static oracle o;
    oracle_change c = change_of(k, index);
    num b[NV], a[NV];
    oracle_run_changed(m, qc, vc, wc, &c, &o);
    for (int i = 0; i < m->tree_nv; i++) {
        num sum = o.h[i];
        for (int j = 0; j < m->tree_nv; j++) sum += o.M[i][j] * ac[j];
        dtau[i] = cimag(sum) / step;
        b[i] = tauc[i] - o.h[i];
    }
    if (!da) return;
    oracle_solve(m->tree_nv, o.M, b, a);
    for (int i = 0; i < m->tree_nv; i++) da[i] = cimag(a[i]) / step;
}

static void run_library(const robot *r, const double *a)
{
    double *scratch = calloc(hml_parameters_scratch_doubles(r->model), sizeof *scratch);
    hml_parameter_derivatives di = pointers(&inverse), df = pointers(&forward);
    assert_int_equal(hml_inverse_dynamics_parameters(r->model, r->work, r->q, r->v, a, r->wrenches, scratch, &di),
                     HML_OK);
    assert_int_equal(hml_forward_dynamics_parameters(r->model, r->work, r->q, r->v, r->tau, r->wrenches, scratch, &df),
                     HML_OK);
    free(scratch);
}

static void check_robot(const robot *r, const double *a)
{
    static double expected[NV * COUNT], expected_a[NV * COUNT];
    static const char *names[KINDS] = {"inertia", "gravity", "placement", "screw", "armature", "damping", "stiffness"};
    const hml_model *m = r->model;
    size_t n = r->nv;
    int followers = m->nfollowers > 0;
    complex_state(r, a);
    run_library(r, a);
    for (kind k = 0; k < KINDS; k++) {
        int count = kind_count(m, k);
        for (int c = 0; c < count; c++) {
            double tree[NV], user[NV], da[NV];
            complex_column(m, k, c, tree, followers ? NULL : da);
            model_reduce_force(m, tree, user);
            for (size_t i = 0; i < n; i++) expected[i * (size_t)count + (size_t)c] = user[i];
            for (size_t i = 0; i < n && !followers; i++) expected_a[i * (size_t)count + (size_t)c] = da[i];
        }
        assert_near(names[k], kind_data(&inverse, k), expected, n * (size_t)count, tolerance);
        if (!followers) assert_near(names[k], kind_data(&forward, k), expected_a, n * (size_t)count, tolerance);
    }
}

static void test_derivatives_against_complex_steps(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int i = 0; i < 2 * ROBOT_SPECS; i++) {
        static robot r;
        double a[NV];
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        for (size_t k = 0; k < r.nv; k++) a[k] = draw(&seed);
        check_robot(&r, a);
        robot_close(&r);
    }
}

/* M ∂ν̇/∂p = −∂τ/∂p at the ν̇ of forward dynamics: the reduction by followers without its own solver */
static void check_followers(const robot *r)
{
    static double M[NV * NV], h[NV], a[NV], sum[NV * COUNT];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h, .acceleration = a};
    size_t n = r->nv;
    assert_int_equal(hml_dynamics(r->model, r->work, r->q, r->v, r->tau, r->wrenches, &x), HML_OK);
    run_library(r, a);
    for (kind k = 0; k < KINDS; k++) {
        size_t count = (size_t)kind_count(r->model, k);
        const double *da = kind_data(&forward, k), *dtau = kind_data(&inverse, k);
        for (size_t i = 0; i < n; i++) {
            for (size_t c = 0; c < count; c++) {
                sum[i * count + c] = 0;
                for (size_t j = 0; j < n; j++) sum[i * count + c] -= M[i * n + j] * da[j * count + c];
            }
        }
        assert_near("-M times the derivative of the acceleration", sum, dtau, n * count, tolerance);
    }
}

static void test_mimic_joints(void **state)
{
    (void)state;
    uint64_t seed = 32;
    int followers = 0;
    for (uint64_t i = 0; i < 4; i++) {
        static robot r;
        double a[NV];
        hml_rng rng;
        hml_random_spec spec;
        hml_model *model = NULL;
        hml_random_spec_init(&spec);
        spec.seed = i + 1;
        spec.nbodies = 12;
        spec.joint_types = (2u << HML_JOINT_FREE) - 2;
        spec.passive = 0.5;
        spec.mimic = 0.8;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        robot_take(&r, model, HML_ISA_BEST);
        hml_rng_seed(&rng, i);
        assert_int_equal(hml_configuration_random(model, &rng, r.q), HML_OK);
        for (size_t k = 0; k < r.nv; k++) r.v[k] = draw(&seed), r.tau[k] = draw(&seed), a[k] = draw(&seed);
        for (int32_t k = 0; k < 6 * hml_model_nbodies(model); k++) r.wrenches[k] = draw(&seed);
        followers += model->nfollowers;
        assert_int_equal(hml_parameters_coordinates(model), model->tree_nv);
        check_robot(&r, a);
        check_followers(&r);
        robot_close(&r);
    }
    assert_true(followers > 4);
}

/* the regressor times the model's own inertias is the torque, where there is nothing else */
static void test_regressor(void **state)
{
    (void)state;
    uint64_t seed = 33;
    static robot r;
    double a[NV], tau[NV], product[NV] = {0};
    robot_open(&r, &seed, &robot_specs[6]);
    for (size_t k = 0; k < r.nv; k++) a[k] = draw(&seed);
    double *scratch = calloc(hml_parameters_scratch_doubles(r.model), sizeof *scratch);
    hml_parameter_derivatives d = {.struct_size = sizeof d, .inertia = inverse.inertia};
    assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, a, NULL, tau), HML_OK);
    assert_int_equal(hml_inverse_dynamics_parameters(r.model, r.work, r.q, r.v, a, NULL, scratch, &d), HML_OK);
    size_t count = 10 * (size_t)r.model->nbodies;
    for (int b = 0; b < r.model->nbodies; b++) {
        inertia I = oracle_inertia(&model_bodies(r.model)[b]);
        const double p[10] = {creal(I.m),    creal(I.h.x),  creal(I.h.y),  creal(I.h.z),  creal(I.J.xx),
                              creal(I.J.xy), creal(I.J.xz), creal(I.J.yy), creal(I.J.yz), creal(I.J.zz)};
        for (size_t i = 0; i < r.nv; i++) {
            for (size_t k = 0; k < 10; k++) product[i] += inverse.inertia[i * count + 10 * (size_t)b + k] * p[k];
        }
    }
    assert_near("the regressor times the inertias", product, tau, r.nv, tolerance);
    free(scratch);
    robot_close(&r);
}

static void test_bad_input(void **state)
{
    (void)state;
    uint64_t seed = 34;
    static robot r;
    robot_open(&r, &seed, &robot_specs[1]);
    double *scratch = calloc(hml_parameters_scratch_doubles(r.model), sizeof *scratch);
    hml_parameter_derivatives d = pointers(&inverse), odd = {0};
    assert_int_equal(hml_parameters_scratch_doubles(NULL), 0);
    assert_int_equal(hml_parameters_coordinates(NULL), 0);
    assert_int_equal(hml_inverse_dynamics_parameters(r.model, r.work, r.q, r.v, NULL, NULL, scratch, &odd),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_forward_dynamics_parameters(r.model, r.work, r.q, r.v, NULL, NULL, NULL, &d),
                     HML_INVALID_ARGUMENT);
    r.v[0] = INFINITY;
    assert_int_equal(hml_inverse_dynamics_parameters(r.model, r.work, r.q, r.v, NULL, NULL, scratch, &d),
                     HML_NOT_FINITE);
    assert_int_equal(hml_forward_dynamics_parameters(r.model, r.work, r.q, r.v, NULL, NULL, scratch, &d),
                     HML_NOT_FINITE);
    free(scratch);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_against_complex_steps),
        cmocka_unit_test(test_mimic_joints),
        cmocka_unit_test(test_regressor),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
