/*
 * A_d and B_d of the implicit Euler step against complex steps of the same step by brute force: dynamics of
 * tests/check/oracle.h, whose springs' stiffness K(q) is a difference of eighth order of its own forces. Nothing is
 * shared with the kernels, and a complex step of 1e-200 loses no digits.
 */
#define HML_NUM_C64
#include "dynamics_check.h"
#include "hamel/discrete.h"
#include "hamel/io.h"

static const double tiny = 1e-200;

typedef struct place {
    num q[NQ], v[NV], tau[NV];
} place;

/* ∂/∂z of log(rest⁻¹ (q ⊕ z)) times the stiffness, joint by joint: K(q), as springs of different joints do not meet */
static void spring_matrix(const hml_model *m, const num *q, num K_of[][ORACLE_NV])
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}, width = 0.01;
    for (int r = 0; r < m->tree_nv; r++)
        for (int c = 0; c < m->tree_nv; c++) K_of[r][c] = 0;
    for (int i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        num rest[HML_JOINT_MAX_NQ], here[HML_JOINT_MAX_NQ], to[HML_JOINT_MAX_NV], from[HML_JOINT_MAX_NV];
        for (int k = 0; k < b->nq; k++) rest[k] = model_rest(m)[b->q + k];
        for (int c = 0; c < b->nv; c++) {
            for (int s = 1; s <= 4; s++) {
                num z[HML_JOINT_MAX_NV] = {0};
                z[c] = s * width;
                joint_integrate(b->type, &q[b->q], z, here);
                joint_difference(b->type, rest, here, to);
                z[c] = -s * width;
                joint_integrate(b->type, &q[b->q], z, here);
                joint_difference(b->type, rest, here, from);
                for (int r = 0; r < b->nv; r++) {
                    const double stiffness = model_coordinates(m)[b->v + r].stiffness;
                    K_of[b->v + r][b->v + c] += weight[s - 1] * stiffness / width * (to[r] - from[r]);
                }
            }
        }
    }
}

/* (M + h C + h² K) a = τ − h(q, ν) − h K ν,  ν⁺ = ν + h a,  q⁺ = q ⊕ h ν⁺ */
static void brute_step(const hml_model *m, double h, const place *x, place *next)
{
    static oracle o;
    static num spring[ORACLE_NV][ORACLE_NV];
    num right[NV], a[NV], way[NV];
    oracle_run(m, x->q, x->v, NULL, &o);
    spring_matrix(m, x->q, spring);
    for (int r = 0; r < m->tree_nv; r++) {
        right[r] = x->tau[r] - o.h[r];
        o.M[r][r] += h * model_coordinates(m)[r].damping;
        for (int c = 0; c < m->tree_nv; c++) {
            right[r] -= h * spring[r][c] * x->v[c];
            o.M[r][c] += h * h * spring[r][c];
        }
    }
    oracle_solve(m->tree_nv, o.M, right, a);
    for (int r = 0; r < m->tree_nv; r++) next->v[r] = x->v[r] + h * a[r], way[r] = h * next->v[r];
    oracle_integrate(m, x->q, way, next->q);
}

/* column c of z⁺ by (z_q, z_ν, w): the imaginary parts, seen from the nominal end `at` */
static void complex_column(const hml_model *m, double h, const place *nominal, const place *at, int c, double *z)
{
    static place x, next;
    const int n = m->tree_nv;
    num move[NV] = {0}, apart[HML_JOINT_MAX_NV];
    x = *nominal;
    if (c < n) {
        move[c] = __builtin_complex(0.0, tiny);
        oracle_integrate(m, nominal->q, move, x.q);
    } else {
        num *moved = c < 2 * n ? &x.v[c - n] : &x.tau[c - 2 * n];
        *moved += __builtin_complex(0.0, tiny);
    }
    brute_step(m, h, &x, &next);
    for (int i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        joint_difference(b->type, &at->q[b->q], &next.q[b->q], apart);
        for (int k = 0; k < b->nv; k++) z[b->v + k] = cimag(apart[k]) / tiny;
    }
    for (int k = 0; k < n; k++) z[n + k] = cimag(next.v[k]) / tiny;
}

static void compare(const robot *r, double h)
{
    static double A[4 * NV * NV], B[2 * NV * NV], exact_A[4 * NV * NV], exact_B[2 * NV * NV];
    static place x, next;
    const hml_model *m = r->model;
    const size_t n = r->nv;
    double q[NQ], v[NV], z[2 * NV];
    double *scratch = calloc(hml_step_scratch_doubles(m), sizeof *scratch);
    assert_int_equal(m->tree_nv, n); /* no followers: the tree's coordinates are the user's */
    assert_int_equal(
        hml_step(m, r->work, scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = h, .q.data = r->q, .v.data = r->v,
                             .tau.data = r->tau, .q_next.data = q, .v_next.data = v, .Ad.data = A, .Bd.data = B)),
        HML_OK);
    free(scratch);
    for (size_t i = 0; i < r->nq; i++) x.q[i] = r->q[i];
    for (size_t i = 0; i < n; i++) x.v[i] = r->v[i], x.tau[i] = r->tau[i];
    brute_step(m, h, &x, &next);
    double size = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(v[i]));
    for (size_t i = 0; i < n; i++) assert_true(fabs(creal(next.v[i]) - v[i]) <= 1e-9 * (size + 1));
    for (size_t c = 0; c < 3 * n; c++) {
        complex_column(m, h, &x, &next, (int)c, z);
        for (size_t row = 0; row < 2 * n; row++) {
            if (c < 2 * n)
                exact_A[row * 2 * n + c] = z[row];
            else
                exact_B[row * n + c - 2 * n] = z[row];
        }
    }
    assert_near("A of the step", A, exact_A, 4 * n * n, 1e-11);
    assert_near("B of the step", B, exact_B, 2 * n * n, 1e-11);
}

/* dampers and springs from those of a door to 1e6 times as strong, on joints of every kind */
static hml_model *stiff_chain(uint64_t *seed, double stiff)
{
    static const hml_joint_type types[] = {HML_JOINT_FREE,    HML_JOINT_SPHERICAL,   HML_JOINT_REVOLUTE,
                                           HML_JOINT_PLANAR,  HML_JOINT_PRISMATIC,   HML_JOINT_SCHOENFLIES,
                                           HML_JOINT_HELICAL, HML_JOINT_TRANSLATION3};
    hml_builder *b = hml_builder_new();
    hml_model *model = NULL;
    char name[2][8] = {"", ""};
    for (int i = 0; i < 8; i++) {
        hml_joint_spec joint;
        hml_inertia_spec I;
        hml_joint_spec_init(&joint, types[i]);
        draw_inertia(seed, &I);
        draw_rotation(seed, joint.rotation);
        joint.pitch = 0.1;
        for (int k = 0; k < 3; k++) joint.axis[k] = draw(seed), joint.position[k] = draw(seed);
        for (int k = 0; k < hml_joint_type_nv(types[i]); k++)
            joint.stiffness[k] = 5 * stiff * fabs(draw(seed)), joint.damping[k] = stiff * fabs(draw(seed));
        snprintf(name[i % 2], sizeof name[0], "b%d", i);
        joint.name = name[i % 2];
        assert_int_equal(hml_builder_add_body(b, name[i % 2], i ? name[(i + 1) % 2] : NULL, &joint, &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    return model;
}

static void test_stiff_chains(void **state)
{
    (void)state;
    static robot r;
    uint64_t seed = 41;
    for (int i = 0; i < 8; i++) {
        robot_take(&r, stiff_chain(&seed, pow(100, i / 2)), HML_ISA_BEST);
        robot_state(&r, &seed);
        compare(&r, i % 2 ? 0.002 : 0.01);
        robot_close(&r);
    }
}

/* robots of the library have dampers as files give them */
static void test_robots(void **state)
{
    (void)state;
    static const char *const names[] = {"quadruped", "humanoid"};
    static robot r;
    uint64_t seed = 42;
    for (int i = 0; i < 2; i++) {
        hml_model *model = NULL;
        assert_int_equal(hml_load_builtin(names[i], NULL, &model, NULL), HML_OK);
        robot_take(&r, model, HML_ISA_BEST);
        robot_state(&r, &seed);
        compare(&r, 0.002);
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stiff_chains), cmocka_unit_test(test_robots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
