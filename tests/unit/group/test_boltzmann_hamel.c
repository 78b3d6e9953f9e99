/*
 * The Boltzmann-Hamel equations for velocity variables of every sort: exponential coordinates, Euler angles, position
 * numbers of a joint. Judges: ãd_(Mv) of the group, and Lagrange's equations differentiated numerically.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "difference.h"
#include "hamel/subgroup.h"

/* differences leave 1e-13; S⁻¹ enters twice and is at most 10 here */
#define DIFFERENCE_TOL 1e-11
#define ROUND_OFF      1e-14

static void assert_near(const double *a, const double *b, int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("entry %d: %.17g is not %.17g", i, a[i], b[i]);
    }
}

/* ---- maps v = S(q) q̇ ---- */

typedef struct {
    int n;
    void (*S)(const double *q, double *S);
    hml_group group; /* whose left-trivialized velocity v is */
} map;

/* roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll), v the angular velocity in the body */
static void euler_rates(const double *q, double *S)
{
    double sr = sin(q[0]), cr = cos(q[0]), sp = sin(q[1]), cp = cos(q[1]);
    const double rows[9] = {1, 0, -sp, 0, cr, sr * cp, 0, -sr, cr * cp};
    memcpy(S, rows, sizeof rows);
}

/* x, y, angle of a planar joint: v = [Rᵀ ṗ; angle rate] */
static void planar_numbers(const double *q, double *S)
{
    const double rows[9] = {cos(q[2]), sin(q[2]), 0, -sin(q[2]), cos(q[2]), 0, 0, 0, 1};
    memcpy(S, rows, sizeof rows);
}

/* position in the world, then Euler angles; v the left-trivialized twist: v = Rᵀ ṗ, ω as above */
static void pose_numbers(const double *q, double *S)
{
    double E[9], sr = sin(q[3]), cr = cos(q[3]), sp = sin(q[4]), cp = cos(q[4]), sy = sin(q[5]), cy = cos(q[5]);
    const double Rt[9] = {cy * cp,
                          sy * cp,
                          -sp,
                          cy * sp * sr - sy * cr,
                          sy * sp * sr + cy * cr,
                          cp * sr,
                          cy * sp * cr + sy * sr,
                          sy * sp * cr - cy * sr,
                          cp * cr};
    euler_rates(q + 3, E);
    memset(S, 0, 36 * sizeof *S);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) S[6 * i + j] = Rt[3 * i + j], S[6 * (i + 3) + j + 3] = E[3 * i + j];
    }
}

static hml_subgroup exponential_group;

static void exponential_coordinates(const double *q, double *S)
{
    assert_int_equal(hml_subgroup_jacobian(&exponential_group, q, S), HML_OK);
}

static const map maps[] = {
    {3, euler_rates, HML_GROUP_SO3},
    {3, planar_numbers, HML_GROUP_SE2},
    {6, pose_numbers, HML_GROUP_SE3},
};

/* ---- derivatives of S ---- */

typedef struct {
    const map *map;
    const double *q;
    int l;
} ray;

static void map_on_ray(const void *context, double t, double *out)
{
    const ray *r = context;
    double q[6];
    memcpy(q, r->q, (size_t)r->map->n * sizeof *q);
    q[r->l] += t;
    r->map->S(q, out);
}

static void derivative_of(const map *f, const double *q, double *dS)
{
    int n = f->n;
    for (int l = 0; l < n; l++) {
        ray r = {f, q, l};
        double column[36];
        difference(map_on_ray, &r, (size_t)(n * n), column);
        for (int i = 0; i < n * n; i++) dS[i * n + l] = column[i];
    }
}

static const double place[6] = {0.3, -1.1, 0.7, -0.4, 0.9, 2.1};
static const double momentum[6] = {1.3, -0.2, 0.8, -2.1, 0.5, 1.7};

static void check_against_group(const map *f, const double *q, const hml_subgroup *G)
{
    int n = f->n;
    double S[36], dS[216], work[72], C[36], gamma[216], tilde[36], unit[6], ad[36];
    assert_int_equal(hml_boltzmann_hamel_scratch_doubles(n), 2 * n * n + 3 * n);
    f->S(q, S);
    derivative_of(f, q, dS);

    assert_int_equal(hml_boltzmann_hamel_coriolis(n, S, dS, momentum, work, C), HML_OK);
    assert_int_equal(hml_subgroup_ad_tilde(G, momentum, tilde), HML_OK);
    assert_near(C, tilde, n * n, DIFFERENCE_TOL);

    /* Σ γ_k v_k p = −ad_vᵀ p for every v and p: γ_k = −ad_{e_k}ᵀ, the same at every q */
    assert_int_equal(hml_boltzmann_hamel_gamma(n, S, dS, work, gamma), HML_OK);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) unit[j] = j == k;
        assert_int_equal(hml_subgroup_ad(G, unit, ad), HML_OK);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double expected = -ad[j * n + i];
                assert_near(&gamma[(k * n + i) * n + j], &expected, 1, DIFFERENCE_TOL);
            }
        }
    }
}

static void test_any_coordinates_give_the_groups_coriolis_matrix(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        hml_subgroup G;
        assert_int_equal(hml_subgroup_make(maps[i].group, NULL, 0, &G), HML_OK);
        check_against_group(&maps[i], place, &G);
    }
}

static void test_exponential_coordinates_at_and_away_from_zero(void **state)
{
    (void)state;
    static const double axis[3] = {0, 1, 0}, zero[6] = {0};
    for (int group = 0; group < HML_GROUP_COUNT; group++) {
        map exponential = {hml_group_dimension((hml_group)group), exponential_coordinates, (hml_group)group};
        assert_int_equal(hml_subgroup_make((hml_group)group, axis, 0.3, &exponential_group), HML_OK);
        check_against_group(&exponential, zero, &exponential_group);
        check_against_group(&exponential, place, &exponential_group);
    }
}

/* the sum over γ and the matrix C are the same vector: From (53) */
static void test_gamma_and_coriolis_agree(void **state)
{
    (void)state;
    static const double v[6] = {-0.7, 0.4, 1.9, 0.1, -1.2, 0.6};
    for (size_t s = 0; s < sizeof maps / sizeof *maps; s++) {
        int n = maps[s].n;
        double S[36], dS[216], work[72], C[36], gamma[216];
        maps[s].S(place, S);
        for (int i = 0; i < n * n * n; i++) dS[i] = sin(1.0 + i); /* no S has these derivatives; the identity holds */
        assert_int_equal(hml_boltzmann_hamel_coriolis(n, S, dS, momentum, work, C), HML_OK);
        assert_int_equal(hml_boltzmann_hamel_gamma(n, S, dS, work, gamma), HML_OK);
        for (int i = 0; i < n; i++) {
            double left = 0, right = 0;
            for (int k = 0; k < n; k++) {
                left += C[i * n + k] * v[k];
                for (int j = 0; j < n; j++) right += gamma[(k * n + i) * n + j] * v[k] * momentum[j];
            }
            assert_near(&left, &right, 1, 1000 * ROUND_OFF); /* sums of 36 products, S⁻¹ up to 10 */
        }
    }
}

/* ---- Lagrange's equations, From (18)-(26) ---- */

typedef struct {
    const map *map;
    const double *M, *q, *qdot, *qddot;
    int l;
} motion;

/* v = S q̇ */
static void velocity(const motion *x, const double *q, const double *qdot, double *v)
{
    int n = x->map->n;
    double S[36];
    x->map->S(q, S);
    for (int i = 0; i < n; i++) {
        v[i] = 0;
        for (int j = 0; j < n; j++) v[i] += S[i * n + j] * qdot[j];
    }
}

static void point_in_time(const motion *x, double t, double *q, double *qdot)
{
    for (int i = 0; i < x->map->n; i++) {
        q[i] = x->q[i] + t * x->qdot[i] + 0.5 * t * t * x->qddot[i];
        qdot[i] = x->qdot[i] + t * x->qddot[i];
    }
}

/* v(t), then ∂L/∂q̇ = Sᵀ M v, From (19) */
static void velocity_and_momentum(const void *context, double t, double *out)
{
    const motion *x = context;
    int n = x->map->n;
    double q[6] = {0}, qdot[6] = {0}, S[36], p[6];
    point_in_time(x, t, q, qdot);
    velocity(x, q, qdot, out);
    x->map->S(q, S);
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        for (int j = 0; j < n; j++) p[i] += x->M[i * n + j] * out[j];
    }
    for (int i = 0; i < n; i++) {
        out[n + i] = 0;
        for (int j = 0; j < n; j++) out[n + i] += S[j * n + i] * p[j];
    }
}

/* L(q + t e_l, q̇) = ½ vᵀ M v */
static void lagrangian(const void *context, double t, double *out)
{
    const motion *x = context;
    int n = x->map->n;
    double q[6], v[6];
    memcpy(q, x->q, (size_t)n * sizeof *q);
    q[x->l] += t;
    velocity(x, q, x->qdot, v);
    *out = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) *out += 0.5 * v[i] * x->M[i * n + j] * v[j];
    }
}

/* Sᵀ (M v̇ + C v) = d/dt ∂L/∂q̇ − ∂L/∂q */
static void test_lagranges_equations(void **state)
{
    (void)state;
    static const double qdot[6] = {0.5, 0.2, -0.6, 0.4, -0.3, 0.1}, qddot[6] = {-0.2, 0.4, 0.3, 0.1, 0.5, -0.4};
    for (size_t s = 0; s < sizeof maps / sizeof *maps; s++) {
        int n = maps[s].n;
        double M[36], S[36], dS[216], work[72], C[36], v[6], p[6], rates[12];
        for (int i = 0; i < n * n; i++) M[i] = (i % (n + 1) == 0) * (2 + i / n) + 0.1 * (i / n + i % n); /* symmetric */
        motion x = {&maps[s], M, place, qdot, qddot, 0};
        maps[s].S(place, S);
        derivative_of(&maps[s], place, dS);
        velocity(&x, place, qdot, v);
        for (int i = 0; i < n; i++) {
            p[i] = 0;
            for (int j = 0; j < n; j++) p[i] += M[i * n + j] * v[j];
        }
        difference(velocity_and_momentum, &x, 2 * (size_t)n, rates);
        assert_int_equal(hml_boltzmann_hamel_coriolis(n, S, dS, p, work, C), HML_OK);
        for (int l = 0; l < n; l++) {
            double lagrange, hamel = 0;
            x.l = l;
            difference(lagrangian, &x, 1, &lagrange);
            lagrange = rates[n + l] - lagrange;
            for (int i = 0; i < n; i++) {
                double force = 0;
                for (int j = 0; j < n; j++) force += M[i * n + j] * rates[j] + C[i * n + j] * v[j];
                hamel += S[i * n + l] * force;
            }
            assert_near(&hamel, &lagrange, 1, DIFFERENCE_TOL);
        }
    }
}

/* ---- refusals ---- */

static void test_gimbal_lock_is_named(void **state)
{
    (void)state;
    static const double locked[3] = {0.3, 1.5707963267948966, 0.2};
    double S[9], dS[27], work[18], C[9], gamma[27];
    euler_rates(locked, S);
    derivative_of(&maps[0], locked, dS);
    assert_int_equal(hml_boltzmann_hamel_coriolis(3, S, dS, momentum, work, C), HML_SINGULAR_PARAMETERIZATION);
    assert_int_equal(hml_boltzmann_hamel_gamma(3, S, dS, work, gamma), HML_SINGULAR_PARAMETERIZATION);
}

/* zeros on the diagonal are no reason to give up: S any of the 120 permutations of five, S⁻¹ = Sᵀ */
static void test_rows_are_exchanged(void **state)
{
    (void)state;
    double dS[125];
    for (int i = 0; i < 125; i++) dS[i] = (i * 7 + 3) % 11;
    for (int code = 0; code < 3125; code++) {
        const int to[5] = {code % 5, code / 5 % 5, code / 25 % 5, code / 125 % 5, code / 625};
        double S[25] = {0}, work[50], C[25], expected[25] = {0};
        unsigned seen = 0;
        for (int i = 0; i < 5; i++) seen |= 1u << to[i], S[5 * i + to[i]] = 1;
        if (seen != 31) continue;
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < 5; k++) {
                int l = to[i], m = to[k];
                for (int j = 0; j < 5; j++) {
                    expected[5 * i + k] += (dS[(5 * j + l) * 5 + m] - dS[(5 * j + m) * 5 + l]) * momentum[j];
                }
            }
        }
        assert_int_equal(hml_boltzmann_hamel_coriolis(5, S, dS, momentum, work, C), HML_OK);
        assert_near(C, expected, 25, 10 * ROUND_OFF); /* sums of five products up to 23 */
    }
}

static void test_bad_arguments(void **state)
{
    (void)state;
    const double one = 1, zero = 0, nan_ = NAN, inf = INFINITY;
    double work[2], out;
    assert_int_equal(hml_boltzmann_hamel_scratch_doubles(0), 0);
    assert_int_equal(hml_boltzmann_hamel_coriolis(0, &one, &zero, &one, work, &out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, NULL, &zero, &one, work, &out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &one, NULL, &one, work, &out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &one, &zero, NULL, work, &out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &one, &zero, &one, NULL, &out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &one, &zero, &one, work, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &nan_, &zero, &one, work, &out), HML_NOT_FINITE);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &one, &inf, &one, work, &out), HML_NOT_FINITE);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &one, &zero, &nan_, work, &out), HML_NOT_FINITE);
    assert_int_equal(hml_boltzmann_hamel_coriolis(1, &zero, &zero, &one, work, &out), HML_SINGULAR_PARAMETERIZATION);
    assert_int_equal(hml_boltzmann_hamel_gamma(1, &one, &zero, work, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_gamma(1, &one, &nan_, work, &out), HML_NOT_FINITE);
    assert_int_equal(hml_boltzmann_hamel_gamma(1, &one, &one, work, &out), HML_OK);
    assert_true(out == 0); /* one coordinate: the order of differentiation cannot matter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_coordinates_give_the_groups_coriolis_matrix),
        cmocka_unit_test(test_exponential_coordinates_at_and_away_from_zero),
        cmocka_unit_test(test_gamma_and_coriolis_agree),
        cmocka_unit_test(test_lagranges_equations),
        cmocka_unit_test(test_gimbal_lock_is_named),
        cmocka_unit_test(test_rows_are_exchanged),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
