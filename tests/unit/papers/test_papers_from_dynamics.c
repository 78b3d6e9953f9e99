/*
 * From, the dynamics through the public functions: one rigid body on every group against Newton and Euler of the whole
 * twist, and the way from a Lagrangian with a potential to the Boltzmann-Hamel equations, step by step, by differences
 * of the Lagrangian alone.
 */
#include "arrays.h"
#include "from_check.h"
#include "hamel/rigid_body.h"

/*
 * (1), (5), (7), (9)-(11), (32), (48), (70), (71), (75), (76), (84), (85), (94), (95), (104), (107): M v̇ − ad_vᵀ M v =
 * τ is Sᵀ of the body's Newton-Euler equations, which test_newton_euler.c proves for clouds of points; and back
 */
static void test_one_body_on_every_group(void **state)
{
    (void)state;
    double I[10];
    ASSERT_OK(hml_inertia_from_matrix(body, 1e-12, I));
    for (int i = 0; i < 10 * HML_GROUP_COUNT; i++) {
        const hml_subgroup G = group_about_z((hml_group)(i % HML_GROUP_COUNT));
        int m = hml_group_dimension(G.group);
        double S[36], M[36], v[6], vdot[6], V[6], dV[6], W[6], tau[6], projected[6], back[6], C[36], sum[6], Cv[6];
        draw_array(v, m, 1.5), draw_array(vdot, m, 1.5);
        ASSERT_OK(hml_subgroup_selection(&G, S));
        ASSERT_OK(hml_subgroup_mass(&G, body, M));
        multiply(6, m, 1, S, v, V), multiply(6, m, 1, S, vdot, dV);
        ASSERT_OK(hml_newton_euler(HML_LEFT, NULL, I, V, dV, W));
        for (int k = 0; k < m; k++) {
            projected[k] = 0;
            for (int l = 0; l < 6; l++) projected[k] += S[l * m + k] * W[l];
        }
        ASSERT_OK(hml_subgroup_inverse_dynamics(&G, M, v, vdot, NULL, tau));
        CHECK(tau, projected, m, 500 * EPS);
        ASSERT_OK(hml_subgroup_forward_dynamics(&G, M, v, tau, NULL, back));
        CHECK(back, vdot, m, 1e-12);                   /* M's condition is below 100 */
        ASSERT_OK(hml_subgroup_coriolis(&G, M, v, C)); /* M v̇ + C v */
        multiply(m, m, 1, M, vdot, sum), multiply(m, m, 1, C, v, Cv);
        for (int k = 0; k < m; k++) sum[k] += Cv[k];
        CHECK(sum, tau, m, 500 * EPS);
    }
}

/* ---- a Lagrangian with a potential ---- */

enum { N = 6 };

/* exponential coordinates of SE(3) */
static void exponential_numbers(const double *q, double *S)
{
    const hml_subgroup G = group_about_z(HML_GROUP_SE3);
    ASSERT_OK(hml_subgroup_jacobian(&G, q, S));
}

/* any smooth potential */
static double potential(const double *q)
{
    return 9.81 * q[2] + sin(q[0] + 2 * q[4]) + 0.5 * q[1] * q[1] * cos(q[5]) + q[3] * q[4] * q[5];
}

typedef void numbers(const double *q, double *S);

static numbers *map;
static const double place[N] = {0.3, -1.1, 0.7, -0.4, 0.9, 1.3}, qdot[N] = {0.5, 0.2, -0.6, 0.4, -0.3, 0.1},
                    qddot[N] = {-0.2, 0.4, 0.3, 0.1, 0.5, -0.4};

static double quadratic(const double *v)
{
    double sum = 0;
    for (int k = 0; k < 36; k++) sum += 0.5 * v[k / N] * body[k] * v[k % N];
    return sum;
}

/* (13) and (17), (25) */
static double L(const double *q, const double *v) { return quadratic(v) - potential(q); }

static double L_bar(const double *q, const double *rate)
{
    double S[36], v[N];
    map(q, S), multiply(N, N, 1, S, rate, v);
    return L(q, v);
}

typedef struct {
    const double *q, *rate;
    int k;
} partial;

static void by_rate(const void *context, double t, double *out)
{
    const partial *p = context;
    double rate[N];
    memcpy(rate, p->rate, sizeof rate), rate[p->k] += t;
    *out = L_bar(p->q, rate);
}

static void by_place(const void *context, double t, double *out)
{
    const partial *p = context;
    double q[N];
    memcpy(q, p->q, sizeof q), q[p->k] += t;
    *out = L_bar(q, p->rate);
}

/* L(q, v): by v, and by q with v held */
static void by_velocity(const void *context, double t, double *out)
{
    const partial *p = context;
    double v[N];
    memcpy(v, p->rate, sizeof v), v[p->k] += t;
    *out = L(p->q, v);
}

static void by_place_alone(const void *context, double t, double *out)
{
    const partial *p = context;
    double q[N];
    memcpy(q, p->q, sizeof q), q[p->k] += t;
    *out = L(q, p->rate);
}

static void potential_by_place(const void *context, double t, double *out)
{
    const partial *p = context;
    double q[N];
    memcpy(q, p->q, sizeof q), q[p->k] += t;
    *out = potential(q);
}

/* v(t), then ∂L̄/∂q̇ (t), along q with constant q̈ */
static void in_time(const void *context, double t, double *out)
{
    double q[N], rate[N], S[36];
    (void)context;
    for (int k = 0; k < N; k++) q[k] = place[k] + t * (qdot[k] + t / 2 * qddot[k]), rate[k] = qdot[k] + t * qddot[k];
    map(q, S), multiply(N, N, 1, S, rate, out);
    for (int k = 0; k < N; k++) {
        partial p = {q, rate, k};
        difference(by_rate, &p, 1, out + N + k);
    }
}

static void S_in_time(const void *context, double t, double *out)
{
    double q[N];
    (void)context;
    for (int k = 0; k < N; k++) q[k] = place[k] + t * qdot[k];
    map(q, out);
}

/* S(q) q̇ with q̇ held, by coordinate k */
static void velocity_by_place(const void *context, double t, double *out)
{
    double q[N], S[36];
    memcpy(q, place, sizeof q), q[*(const int *)context] += t;
    map(q, S), multiply(N, N, 1, S, qdot, out);
}

static void S_by_place(const void *context, double t, double *out)
{
    double q[N];
    memcpy(q, place, sizeof q), q[*(const int *)context] += t;
    map(q, out);
}

/* (13)-(27), Proposition 2.1; with exponential coordinates (30), (31), (38) */
static void from_lagrangian(void)
{
    const double tolerance = 1e-9; /* differences of differences, of numbers up to twenty */
    double S[36], St[36], v[N], p[N], rates[2 * N], Sdot[36], gradient[36], dS[216], dU[N], tau[N], work[128], left[N];
    double by_parts[N], Sdot_t[36], Mvdot[N], y[N], z[N], gradient_t[36], generalized[N], back[N];
    assert_true(hml_boltzmann_hamel_scratch_doubles(N) <= 128);
    map(place, S), transpose(N, S, St), multiply(N, N, 1, S, qdot, v), multiply(N, N, 1, body, v, p);
    difference(in_time, NULL, 2 * N, rates);
    difference(S_in_time, NULL, 36, Sdot), transpose(N, Sdot, Sdot_t);
    multiply(N, N, 1, body, rates, Mvdot);
    for (int k = 0; k < N; k++) {
        double slope, column[36];
        partial at = {place, v, k};
        difference(by_velocity, &at, 1, &slope); /* (14) */
        assert_near(&slope, &p[k], 1, DIFFERENCE_TOL);
        difference(potential_by_place, &at, 1, &dU[k]);
        difference(by_place_alone, &at, 1, &slope);
        slope = -slope; /* (16) */
        assert_near(&slope, &dU[k], 1, 10 * DIFFERENCE_TOL);
        at.rate = qdot;
        difference(by_rate, &at, 1, &left[k]);
        difference(velocity_by_place, &k, N, column);
        for (int i = 0; i < N; i++) gradient[N * i + k] = column[i];
        difference(S_by_place, &k, 36, column);
        for (int i = 0; i < 36; i++) dS[i * N + k] = column[i];
    }
    multiply(N, N, 1, St, p, y);
    assert_near(left, y, N, 10 * DIFFERENCE_TOL); /* (19): ∂L̄/∂q̇ = Sᵀ M v */
    multiply(N, N, 1, Sdot_t, p, y), multiply(N, N, 1, St, Mvdot, z);
    for (int k = 0; k < N; k++) by_parts[k] = y[k] + z[k];
    assert_near(rates + N, by_parts, N, tolerance); /* (15), (20), (30) */
    transpose(N, gradient, gradient_t), multiply(N, N, 1, gradient_t, p, y);
    for (int k = 0; k < N; k++) {
        double slope, expected = y[k] - dU[k];
        partial at = {place, qdot, k};
        difference(by_place, &at, 1, &slope);
        assert_near(&slope, &expected, 1, 10 * DIFFERENCE_TOL); /* (21), (31) */
        generalized[k] = rates[N + k] - slope;                  /* (18), (22), (23) */
    }
    /* (26), (27), (38): the equations in v; Sᵀτ is what Lagrange's equations want, (24) */
    ASSERT_OK(hml_boltzmann_hamel_inverse_dynamics(N, S, dS, body, v, rates, dU, work, tau));
    multiply(N, N, 1, St, tau, y);
    assert_near(y, generalized, N, tolerance);
    double power = 0, power_bar = 0;
    for (int k = 0; k < N; k++) power += v[k] * tau[k], power_bar += qdot[k] * y[k];
    assert_near(&power, &power_bar, 1, tolerance);
    ASSERT_OK(hml_boltzmann_hamel_forward_dynamics(N, S, dS, body, v, tau, dU, work, back));
    assert_near(back, rates, N, tolerance);
    double gamma[216], force[N], sum[N] = {0}; /* M v̇ + Σ γ_k v_k M v + S⁻ᵀ ∂U/∂q, term by term */
    ASSERT_OK(hml_boltzmann_hamel_gamma(N, S, dS, work, gamma));
    ASSERT_OK(hml_boltzmann_hamel_potential(N, S, dU, work, force));
    multiply(N, N, 1, St, force, y);
    assert_near(y, dU, N, 10 * DIFFERENCE_TOL);
    for (int k = 0; k < N; k++) {
        sum[k] += Mvdot[k] + force[k];
        for (int i = 0; i < 36; i++) sum[k] += gamma[(i / N * N + k) * N + i % N] * v[i / N] * p[i % N];
    }
    assert_near(sum, tau, N, 10 * DIFFERENCE_TOL);
}

static void test_from_a_lagrangian_in_pose_numbers(void **state)
{
    (void)state;
    map = pose_numbers;
    from_lagrangian();
}

/* the same in exponential coordinates, where dS and S⁻ᵀ ∂U/∂φ have functions of their own */
static void test_from_a_lagrangian_in_exponential_coordinates(void **state)
{
    (void)state;
    const hml_subgroup G = group_about_z(HML_GROUP_SE3);
    double dS[216], expected[216], dU[N], force[N], S[36], St[36], y[N];
    map = exponential_numbers;
    from_lagrangian();
    derivative_of_jacobian(&G, place, expected);
    ASSERT_OK(hml_subgroup_jacobian_derivative(&G, place, dS));
    assert_near(dS, expected, 216, DIFFERENCE_TOL);
    for (int k = 0; k < N; k++) {
        partial at = {place, qdot, k};
        difference(potential_by_place, &at, 1, &dU[k]);
    }
    ASSERT_OK(hml_subgroup_potential_force(&G, place, dU, force));
    map(place, S), transpose(N, S, St), multiply(N, N, 1, St, force, y);
    assert_near(y, dU, N, 10 * DIFFERENCE_TOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_body_on_every_group),
        cmocka_unit_test(test_from_a_lagrangian_in_pose_numbers),
        cmocka_unit_test(test_from_a_lagrangian_in_exponential_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
