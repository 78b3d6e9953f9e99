/*
 * A_d and B_d, which kernels put together by blocks, against the chain rule in full matrices: every product that the
 * blocks leave out is done here, with Jacobians of ⊕ from hamel/configuration.h. Trees of every joint, forests,
 * followers, dampers and springs, real instruction sets.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/configuration.h"
#include "hamel/discrete.h"
#include "hamel/dynamics.h"
#include "hamel/edit.h"

/* clang divides zeros in lanes that nobody reads: only overflow tells there (see test_traps.c) */
#if defined __clang__
enum { FLAGS = FE_OVERFLOW };
#else
enum { FLAGS = FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO };
#endif

enum { NV = 48, NQ = 64, COLUMNS = 3 * NV };

typedef struct dense {
    const hml_model *model;
    hml_work *work;
    size_t n;
    const double *q0, *v, *tau;
    double q[NQ], x[2 * NV], rate[2 * NV], sum[2 * NV];
    double X[2 * NV][COLUMNS], K[2 * NV][COLUMNS], Sum[2 * NV][COLUMNS];
    double Dq[NV * NV], Dv[NV * NV], Minv[NV * NV], E[NV * NV], S[NV * NV];
} dense;

static dense d;

/* S⁻¹ of the whole configuration, by elimination, and its derivative by differences of a complex step's accuracy */
static void invert(size_t n, const double *S, double *inverse)
{
    double A[NV * NV];
    memcpy(A, S, n * n * sizeof *A);
    for (size_t i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0;
    for (size_t p = 0; p < n; p++) { /* blocks near the identity: pivots need no search */
        const double scale = 1 / A[p * n + p];
        for (size_t c = 0; c < n; c++) A[p * n + c] *= scale, inverse[p * n + c] *= scale;
        for (size_t r = 0; r < n; r++) {
            const double a = A[r * n + p];
            for (size_t c = 0; c < n && r != p && a != 0; c++) {
                A[r * n + c] -= a * A[p * n + c], inverse[r * n + c] -= a * inverse[p * n + c];
            }
        }
    }
}

/* S(θ)⁻¹ ν */
static void angle_rates(const double *theta, const double *nu, double *rate)
{
    static double S[NV * NV], inverse[NV * NV];
    hml_configuration_integrate_jacobians(d.model, d.q0, theta, NULL, S);
    invert(d.n, S, inverse);
    for (size_t r = 0; r < d.n; r++) {
        rate[r] = 0;
        for (size_t c = 0; c < d.n; c++) rate[r] += inverse[r * d.n + c] * nu[c];
    }
}

/* rows 0 … n − 1 of K: d(S⁻¹ ν) = S⁻¹ dν + ∂(S⁻¹ ν)/∂θ dθ, the last factor by differences of sixth order */
static void angle_tangent(void)
{
    static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    static double S[NV * NV], inverse[NV * NV];
    const double eps = 1e-3;
    hml_configuration_integrate_jacobians(d.model, d.q0, d.x, NULL, S);
    invert(d.n, S, inverse);
    for (size_t k = 0; k < d.n; k++) {
        double by_theta[NV] = {0};
        for (int i = 0; i < 6; i++) {
            const double step = (i % 2 ? -1 : 1) * (i / 2 + 1) * eps;
            double theta[NV], rate[NV];
            memcpy(theta, d.x, d.n * sizeof *theta);
            theta[k] += step;
            angle_rates(theta, d.x + d.n, rate);
            for (size_t r = 0; r < d.n; r++) by_theta[r] += (i % 2 ? -1 : 1) * weight[i / 2] * rate[r] / eps;
        }
        for (size_t r = 0; r < d.n; r++) {
            for (size_t c = 0; c < 3 * d.n; c++)
                d.K[r][c] += inverse[r * d.n + k] * d.X[d.n + k][c] + by_theta[r] * d.X[k][c];
        }
    }
}

static void stage(void)
{
    const size_t n = d.n;
    hml_linearization at = {.struct_size = sizeof at};
    assert_int_equal(hml_configuration_integrate(d.model, d.q0, d.x, d.q), HML_OK);
    at.q.data = d.q, at.v.data = d.x + n, at.tau.data = d.tau, at.acceleration.data = d.rate + n;
    at.Dq.data = d.Dq, at.Dv.data = d.Dv, at.Minv.data = d.Minv;
    assert_int_equal(hml_linearize(d.model, d.work, &at), HML_OK);
    hml_configuration_integrate_jacobians(d.model, d.q0, d.x, d.E, d.S);
    memset(d.K, 0, sizeof d.K);
    angle_rates(d.x, d.x + n, d.rate);
    angle_tangent();
    for (size_t k = 0; k < n; k++) {
        double moved[COLUMNS] = {0};
        for (size_t i = 0; i < n; i++) {
            moved[i] += d.E[k * n + i];
            for (size_t c = 0; c < 3 * n; c++) moved[c] += d.S[k * n + i] * d.X[i][c];
        }
        for (size_t r = 0; r < n; r++) {
            for (size_t c = 0; c < 3 * n; c++)
                d.K[n + r][c] += d.Dq[r * n + k] * moved[c] + d.Dv[r * n + k] * d.X[n + k][c];
            d.K[n + r][2 * n + k] += d.Minv[r * n + k];
        }
    }
}

static void advance(double h, const double *rate, double (*K)[COLUMNS])
{
    for (size_t i = 0; i < 2 * d.n; i++) {
        d.x[i] = (i < d.n ? 0 : d.v[i - d.n]) + h * rate[i];
        for (size_t c = 0; c < 3 * d.n; c++) d.X[i][c] = h * K[i][c] + (i >= d.n && c == i);
    }
}

/* A_d and B_d side by side */
static void full_step(hml_scheme scheme, double h, double (*out)[COLUMNS])
{
    static const double node[4] = {0, 0.5, 0.5, 1}, two[2] = {0, 1};
    static const double four[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const size_t n = d.n;
    const int stages = scheme == HML_SCHEME_RK4 ? 4 : scheme == HML_SCHEME_RK2 ? 2 : 1;
    const double *weight = stages == 2 ? two : four;
    memset(d.rate, 0, sizeof d.rate), memset(d.sum, 0, sizeof d.sum);
    memset(d.K, 0, sizeof d.K), memset(d.Sum, 0, sizeof d.Sum);
    for (int i = 0; i < stages; i++) {
        advance(node[i] * h, d.rate, d.K);
        stage();
        for (size_t r = 0; r < 2 * n; r++) {
            d.sum[r] += (stages == 1 ? 1 : weight[i]) * d.rate[r];
            for (size_t c = 0; c < 3 * n; c++) d.Sum[r][c] += (stages == 1 ? 1 : weight[i]) * d.K[r][c];
        }
    }
    advance(h, d.sum, d.Sum);
    for (size_t i = 0; i < n && stages == 1; i++) { /* θ = h ν⁺ */
        d.x[i] = h * d.x[n + i];
        for (size_t c = 0; c < 3 * n; c++) d.X[i][c] = h * d.X[n + i][c];
    }
    hml_configuration_integrate_jacobians(d.model, d.q0, d.x, d.E, d.S);
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < 3 * n; c++) {
            out[r][c] = c < n ? d.E[r * n + c] : 0, out[n + r][c] = d.X[n + r][c];
            for (size_t k = 0; k < n; k++) out[r][c] += d.S[r * n + k] * d.X[k][c];
        }
    }
}

static void compare(hml_model *model, hml_isa isa, hml_scheme scheme, double h, uint64_t *seed)
{
    static double q[NQ], v[NV], tau[NV], q1[NQ], v1[NV], A[4 * NV * NV], B[2 * NV * NV], full[2 * NV][COLUMNS];
    const size_t n = (size_t)hml_model_nv(model);
    hml_work *work = NULL;
    assert_true(n <= NV);
    assert_int_equal(hml_work_new(model, isa, HML_USE_ALL, &work), HML_OK);
    double *scratch = malloc(hml_step_scratch_doubles(model) * sizeof *scratch), worst = 0, size = 0;
    draw_configuration(seed, model, 1.0, q);
    for (size_t i = 0; i < n; i++) v[i] = draw(seed), tau[i] = draw(seed);
    for (size_t i = 0; i < hml_step_scratch_doubles(model); i++) scratch[i] = 1.5e308; /* what nobody wrote overflows */
    feclearexcept(FE_ALL_EXCEPT);
    assert_int_equal(
        hml_step(model, work, scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = h, .q.data = q, .v.data = v, .tau.data = tau,
                             .q_next.data = q1, .v_next.data = v1, .Ad.data = A, .Bd.data = B)),
        HML_OK);
    assert_false(fetestexcept(FLAGS));
    d.model = model, d.work = work, d.n = n, d.q0 = q, d.v = v, d.tau = tau;
    full_step(scheme, h, full);
    for (size_t r = 0; r < 2 * n; r++) {
        for (size_t c = 0; c < 3 * n; c++) {
            const double x = c < 2 * n ? A[r * 2 * n + c] : B[r * n + c - 2 * n];
            size = fmax(size, fabs(full[r][c]));
            if (!(fabs(x - full[r][c]) <= worst)) worst = fabs(x - full[r][c]);
        }
        assert_true(fabs(d.x[n + r % n] - v1[r % n]) <= 1e-12 * (1 + fabs(v1[r % n])));
    }
    assert_true(worst <= 1e-12 * size);
    free(scratch);
    hml_work_free(work);
}

static const hml_isa every_isa[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

static void compare_everywhere(hml_model *model, int euler, uint64_t *seed)
{
    assert_non_null(model);
    for (size_t i = 0; i < sizeof every_isa / sizeof *every_isa; i++) {
        if (!hml_isa_available(every_isa[i])) continue;
        if (euler) compare(model, every_isa[i], HML_SCHEME_EULER, 0.1, seed);
        compare(model, every_isa[i], HML_SCHEME_RK2, 0.1, seed);
        compare(model, every_isa[i], HML_SCHEME_RK4, 0.1, seed);
    }
    hml_model_free(model);
}

/* roots and trees of every joint, of one column and of many */
static void test_trees(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE,      HML_JOINT_SPHERICAL,   HML_JOINT_PLANAR,
                                           HML_JOINT_REVOLUTE,  HML_JOINT_SCHOENFLIES, HML_JOINT_PRISMATIC,
                                           HML_JOINT_UNIVERSAL, HML_JOINT_TRANSLATION3};
    uint64_t seed = 71;
    for (int i = 0; i < 24; i++) {
        draw_tree_spec spec = {.nbodies = 1 + i / 2, .root = roots[i % 8], .points = i % 3 == 1, .forest = i % 5 == 4};
        compare_everywhere(draw_tree(&seed, &spec), 1, &seed);
    }
}

/* a free root with legs; springs and dampers in these alone */
static hml_model *draw_legs(int legs, const hml_joint_type *type, int joints, int passive, uint64_t *seed)
{
    hml_builder *b = hml_builder_new();
    hml_model *model = NULL;
    for (int i = 0; i <= legs * joints; i++) {
        char name[32], parent[32], joint[32];
        hml_joint_spec j;
        hml_inertia_spec I;
        const int in_leg = i ? (i - 1) % joints : 0;
        snprintf(name, sizeof name, "b%d", i), snprintf(joint, sizeof joint, "j%d", i);
        snprintf(parent, sizeof parent, "b%d", in_leg ? i - 1 : 0);
        hml_joint_spec_init(&j, i ? type[in_leg] : HML_JOINT_FREE);
        j.name = joint;
        for (int k = 0; k < 3; k++) j.position[k] = 0.5 * draw(seed), j.axis[k] = draw(seed);
        draw_rotation(seed, j.rotation);
        for (int k = 0; i && passive && k < HML_JOINT_MAX_NV; k++)
            j.armature[k] = 0.1 * fabs(draw(seed)), j.damping[k] = fabs(draw(seed)),
            j.stiffness[k] = 5 * fabs(draw(seed));
        draw_inertia(seed, &I);
        assert_int_equal(hml_builder_add_body(b, name, i ? parent : NULL, &j, &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    return model;
}

/* the stages of Munthe-Kaas keep limbs apart: of one column, of more than a register, with joints that do not commute */
static void test_limbs(void **state)
{
    (void)state;
    static const hml_joint_type chain[] = {HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, HML_JOINT_HELICAL,
                                           HML_JOINT_REVOLUTE, HML_JOINT_REVOLUTE,  HML_JOINT_PRISMATIC,
                                           HML_JOINT_REVOLUTE, HML_JOINT_REVOLUTE,  HML_JOINT_HELICAL};
    static const hml_joint_type curved[] = {HML_JOINT_SPHERICAL, HML_JOINT_REVOLUTE, HML_JOINT_PLANAR};
    uint64_t seed = 73;
    for (int passive = 0; passive < 2; passive++) {
        compare_everywhere(draw_legs(4, chain, 1, passive, &seed), 0, &seed);
        compare_everywhere(draw_legs(4, chain, 3, passive, &seed), 0, &seed);
        compare_everywhere(draw_legs(3, chain, 9, passive, &seed), 0, &seed);
        compare_everywhere(draw_legs(3, curved, 3, passive, &seed), 0, &seed);
        compare_everywhere(draw_legs(4, curved + 2, 1, passive, &seed), 0, &seed);
    }
}

/* Munthe-Kaas is explicit: dampers and springs are forces like others */
static void test_springs(void **state)
{
    (void)state;
    uint64_t seed = 72;
    for (int i = 0; i < 4; i++) {
        draw_tree_spec spec = {.nbodies = 5 + i, .root = i % 2 ? HML_JOINT_FREE : HML_JOINT_PLANAR, .passive = 1};
        compare_everywhere(draw_tree(&seed, &spec), 0, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees), cmocka_unit_test(test_limbs),
                                       cmocka_unit_test(test_springs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
