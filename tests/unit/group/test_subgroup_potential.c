/*
 * One rigid body in a potential, on every subgroup and with any velocity variables. Judge: d'Alembert's principle for
 * the body's point masses, Σ m (p̈ − γ)·δp = τ·δ, with positions from exp or from Euler angles and all of their
 * derivatives by eighth-order differences. Nothing in it knows M, ad, γ_k or S.
 */
#include "from_check.h"

enum { POINTS = 5, ANY = 2 };

static const double mass[POINTS] = {0.7, 1.1, 0.4, 0.9, 0.5};
static const double place[POINTS][3] = {
    {0.3, -0.2, 0.5}, {-0.4, 0.6, 0.1}, {0.2, 0.2, -0.7}, {0.5, 0.4, 0.3}, {-0.1, -0.5, -0.2}};
static const double down[3] = {0.4, -1.3, -9.6}; /* gravity need not be along z */
static const double slanted[ANY][3] = {{0, 0, 1}, {0.48, 0.6, 0.64}};
static const double here[16] = {0.6, -0.48, 0.64, 1, 0.8, 0.36, -0.48, 2, 0, 0.8, 0.6, 3, 0, 0, 0, 1};

/* second differences of numbers near 10 leave 1e-13 · 128 · 10 */
#define SECOND_TOL 1e-9

static double total_mass(void)
{
    double sum = 0;
    for (int k = 0; k < POINTS; k++) sum += mass[k];
    return sum;
}

static void centre(double com[3])
{
    for (int i = 0; i < 3; i++) {
        com[i] = 0;
        for (int k = 0; k < POINTS; k++) com[i] += mass[k] * place[k][i] / total_mass();
    }
}

/* Σ m [1 −r^; r^ −r^r^] */
static void spatial_inertia(double I[36])
{
    memset(I, 0, 36 * sizeof *I);
    for (int k = 0; k < POINTS; k++) {
        const double *r = place[k], hat[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
        for (int i = 0; i < 3; i++) {
            I[7 * i] += mass[k];
            for (int j = 0; j < 3; j++) {
                I[6 * i + j + 3] -= mass[k] * hat[3 * i + j];
                I[6 * (i + 3) + j] += mass[k] * hat[3 * i + j];
                for (int l = 0; l < 3; l++) I[6 * (i + 3) + j + 3] -= mass[k] * hat[3 * i + l] * hat[3 * l + j];
            }
        }
    }
}

/* ---- a body that moves somehow: coordinates x(t), points p_k(x) ---- */

typedef void places_of(const void *system, const double *x, double p[3 * POINTS]);

typedef struct {
    places_of *places;
    const void *system;
    const double *x, *xdot, *xddot;
    int n, l;
} trajectory;

static void at_time(const trajectory *T, double t, double p[3 * POINTS])
{
    double x[6] = {0};
    for (int i = 0; i < T->n; i++) x[i] = T->x[i] + t * T->xdot[i] + 0.5 * t * t * T->xddot[i];
    T->places(T->system, x, p);
}

typedef struct {
    const trajectory *T;
    double t;
} instant;

static void moved(const void *context, double t, double *p)
{
    const instant *now = context;
    at_time(now->T, now->t + t, p);
}

static void velocities(const void *context, double t, double *v)
{
    const instant now = {context, t};
    difference(moved, &now, 3 * POINTS, v);
}

static void along_l(const void *context, double t, double *p)
{
    const trajectory *T = context;
    double x[6];
    memcpy(x, T->x, (size_t)T->n * sizeof *x);
    x[T->l] += t;
    T->places(T->system, x, p);
}

/* the generalized forces of the coordinates x: Σ m (p̈ − γ)·∂p/∂x_l */
static void dalembert(trajectory *T, double *force)
{
    double a[3 * POINTS], dp[3 * POINTS];
    difference(velocities, T, 3 * POINTS, a);
    for (T->l = 0; T->l < T->n; T->l++) {
        difference(along_l, T, 3 * POINTS, dp);
        force[T->l] = 0;
        for (int i = 0; i < 3 * POINTS; i++) force[T->l] += mass[i / 3] * (a[i] - down[i % 3]) * dp[i];
    }
}

static void place_points(const double H[16], double p[3 * POINTS])
{
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < 3; i++) {
            p[3 * k + i] = H[4 * i + 3];
            for (int j = 0; j < 3; j++) p[3 * k + i] += H[4 * i + j] * place[k][j];
        }
    }
}

/* here · exp(φ) */
static void pose_on_group(const hml_subgroup *G, const double *phi, double H[16])
{
    double E[16];
    assert_int_equal(hml_subgroup_exp(G, phi, E), HML_OK);
    for (int i = 0; i < 16; i++) {
        H[i] = 0;
        for (int k = 0; k < 4; k++) H[i] += here[i / 4 * 4 + k] * E[4 * k + i % 4];
    }
}

static void exponential_places(const void *system, const double *phi, double p[3 * POINTS])
{
    double H[16];
    pose_on_group(system, phi, H);
    place_points(H, p);
}

static hml_subgroup draw_group(int c)
{
    hml_subgroup G;
    assert_int_equal(hml_subgroup_make((hml_group)(c % HML_GROUP_COUNT), slanted[c / HML_GROUP_COUNT], 0.3, &G),
                     HML_OK);
    return G;
}

/* φ starts at zero, where v = φ̇ and v̇ = φ̈ */
static void test_bodies_fall_as_their_points_do(void **state)
{
    (void)state;
    static const double zero[6] = {0}, vdot[6] = {-0.3, 0.8, 1.1, 0.2, -0.9, 0.6};
    double I[36], com[3];
    spatial_inertia(I), centre(com);
    for (int c = 0; c < ANY * HML_GROUP_COUNT; c++) {
        const hml_subgroup G = draw_group(c);
        int m = hml_group_dimension(G.group);
        trajectory T = {exponential_places, &G, zero, motion, vdot, m, 0};
        double M[36], force[6], tau[6], expected[6], back[6];
        dalembert(&T, expected);
        assert_int_equal(hml_subgroup_mass(&G, I, M), HML_OK);
        assert_int_equal(hml_subgroup_gravity(&G, total_mass(), com, here, down, NULL, force), HML_OK);
        assert_int_equal(hml_subgroup_inverse_dynamics(&G, M, motion, vdot, force, tau), HML_OK);
        assert_near(tau, expected, m, SECOND_TOL);
        assert_int_equal(hml_subgroup_forward_dynamics(&G, M, motion, tau, force, back), HML_OK);
        assert_near(back, vdot, m, 1e-12);
        double without[6], with[6] = {0}; /* NULL is no potential */
        assert_int_equal(hml_subgroup_inverse_dynamics(&G, M, motion, vdot, NULL, without), HML_OK);
        for (int i = 0; i < m; i++) with[i] = without[i] + force[i];
        assert_near(tau, with, m, ROUND_OFF * 100);
    }
}

/* the potential is the points'; S(φ)⁻ᵀ ∂U/∂φ is the force of gravity at here · exp(φ) */
typedef struct {
    const hml_subgroup *G;
    const double *phi;
    int l;
} step;

static double potential_of(const double H[16])
{
    double p[3 * POINTS], U = 0;
    place_points(H, p);
    for (int i = 0; i < 3 * POINTS; i++) U -= mass[i / 3] * down[i % 3] * p[i];
    return U;
}

static void potential_along(const void *context, double t, double *U)
{
    const step *s = context;
    double phi[6], H[16];
    memcpy(phi, s->phi, (size_t)hml_group_dimension(s->G->group) * sizeof *phi);
    phi[s->l] += t;
    pose_on_group(s->G, phi, H);
    *U = potential_of(H);
}

static void test_force_of_a_potential(void **state)
{
    (void)state;
    static const double phi[6] = {0.4, -0.7, 0.9, 1.1, -0.6, 0.8};
    double com[3];
    centre(com);
    for (int c = 0; c < ANY * HML_GROUP_COUNT; c++) {
        const hml_subgroup G = draw_group(c);
        int m = hml_group_dimension(G.group);
        double H[16], U, expected, gravity[6], dU[6], force[6], S[36], other[6], work[90];
        pose_on_group(&G, phi, H);
        assert_int_equal(hml_subgroup_gravity(&G, total_mass(), com, H, down, &U, gravity), HML_OK);
        expected = potential_of(H);
        assert_near(&U, &expected, 1, 1e-12);
        for (int l = 0; l < m; l++) {
            step s = {&G, phi, l};
            difference(potential_along, &s, 1, &dU[l]);
        }
        assert_int_equal(hml_subgroup_potential_force(&G, phi, dU, force), HML_OK);
        assert_near(force, gravity, m, 100 * DIFFERENCE_TOL);
        assert_int_equal(hml_subgroup_jacobian(&G, phi, S), HML_OK);
        assert_int_equal(hml_boltzmann_hamel_potential(m, S, dU, work, other), HML_OK);
        assert_near(other, force, m, 1e-12);
    }
}

/* ---- Euler angles ---- */

/* position, then roll, pitch, yaw */
static void euler_pose(const double *q, double H[16])
{
    double sr = sin(q[3]), cr = cos(q[3]), sp = sin(q[4]), cp = cos(q[4]), sy = sin(q[5]), cy = cos(q[5]);
    const double rows[16] = {cy * cp,
                             cy * sp * sr - sy * cr,
                             cy * sp * cr + sy * sr,
                             q[0],
                             sy * cp,
                             sy * sp * sr + cy * cr,
                             sy * sp * cr - cy * sr,
                             q[1],
                             -sp,
                             cp * sr,
                             cp * cr,
                             q[2],
                             0,
                             0,
                             0,
                             1};
    memcpy(H, rows, sizeof rows);
}

static void euler_places(const void *system, const double *q, double p[3 * POINTS])
{
    double H[16];
    (void)system;
    euler_pose(q, H);
    place_points(H, p);
}

/* v = [Rᵀ ṗ; ω] = S(q) q̇ */
static void euler_map(const double *q, double S[36])
{
    double H[16], sr = sin(q[3]), cr = cos(q[3]), sp = sin(q[4]), cp = cos(q[4]);
    const double E[9] = {1, 0, -sp, 0, cr, sr * cp, 0, -sr, cr * cp};
    euler_pose(q, H);
    memset(S, 0, 36 * sizeof *S);
    for (int i = 0; i < 9; i++) S[6 * (i / 3) + i % 3] = H[4 * (i % 3) + i / 3], S[6 * (i / 3 + 3) + i % 3 + 3] = E[i];
}

static void euler_map_along(const void *context, double t, double *S)
{
    const trajectory *T = context;
    double q[6];
    memcpy(q, T->x, sizeof q);
    q[T->l] += t;
    euler_map(q, S);
}

static void euler_velocity(const void *context, double t, double *v)
{
    const trajectory *T = context;
    double q[6], qdot[6], S[36];
    for (int i = 0; i < 6; i++) {
        q[i] = T->x[i] + t * T->xdot[i] + 0.5 * t * t * T->xddot[i];
        qdot[i] = T->xdot[i] + t * T->xddot[i];
    }
    euler_map(q, S);
    for (int i = 0; i < 6; i++) {
        v[i] = 0;
        for (int j = 0; j < 6; j++) v[i] += S[6 * i + j] * qdot[j];
    }
}

static void euler_potential(const void *context, double t, double *U)
{
    const trajectory *T = context;
    double q[6], H[16];
    memcpy(q, T->x, sizeof q);
    q[T->l] += t;
    euler_pose(q, H);
    *U = potential_of(H);
}

static void test_euler_angles_with_gravity(void **state)
{
    (void)state;
    static const double q[6] = {0.2, -0.6, 1.1, 0.7, -0.5, 2.1}, qdot[6] = {0.6, -0.9, 0.3, 1.2, -0.7, 0.8};
    static const double qddot[6] = {-0.4, 0.9, 0.2, -1.1, 0.5, 0.6};
    trajectory T = {euler_places, NULL, q, qdot, qddot, 6, 0};
    double M[36], S[36], dS[216], v[6], vdot[6], dU[6], work[90], tau[6], expected[6], got[6], back[6], column[36];
    spatial_inertia(M);
    euler_map(q, S);
    for (T.l = 0; T.l < 6; T.l++) {
        difference(euler_map_along, &T, 36, column);
        for (int i = 0; i < 36; i++) dS[6 * i + T.l] = column[i];
        difference(euler_potential, &T, 1, &dU[T.l]);
    }
    euler_velocity(&T, 0, v);
    difference(euler_velocity, &T, 6, vdot);
    assert_int_equal(hml_boltzmann_hamel_scratch_doubles(6), 2 * 36 + 3 * 6);
    assert_int_equal(hml_boltzmann_hamel_inverse_dynamics(6, S, dS, M, v, vdot, dU, work, tau), HML_OK);
    dalembert(&T, expected); /* forces of q: Sᵀ τ, From (24) */
    for (int i = 0; i < 6; i++) {
        got[i] = 0;
        for (int j = 0; j < 6; j++) got[i] += S[6 * j + i] * tau[j];
    }
    assert_near(got, expected, 6, SECOND_TOL);
    assert_int_equal(hml_boltzmann_hamel_forward_dynamics(6, S, dS, M, v, tau, dU, work, back), HML_OK);
    assert_near(back, vdot, 6, 1e-11);
}

static void test_refusals(void **state)
{
    (void)state;
    const hml_subgroup G = draw_group(HML_GROUP_SE2);
    const double com[3] = {0}, bent[16] = {1.1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, sick[6] = {0, NAN};
    const double one[4] = {1, 0, 0, 1}, zero[8] = {0};
    double U = 7, force[3] = {7, 7, 7}, work[14], out[2] = {7, 7};
    assert_int_equal(hml_subgroup_gravity(&G, 1, com, bent, down, &U, force), HML_NOT_NORMALIZED);
    assert_int_equal(hml_subgroup_gravity(&G, NAN, com, here, down, &U, force), HML_NOT_FINITE);
    assert_int_equal(hml_subgroup_gravity(&G, 1, NULL, here, down, &U, force), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_gravity(NULL, 1, com, here, down, &U, force), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_potential_force(&G, zero, sick, force), HML_NOT_FINITE);
    assert_int_equal(hml_subgroup_potential_force(&G, NULL, zero, force), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_boltzmann_hamel_potential(2, zero, one, work, out), HML_SINGULAR_PARAMETERIZATION);
    assert_int_equal(hml_boltzmann_hamel_inverse_dynamics(2, one, zero, one, zero, sick, NULL, work, out),
                     HML_NOT_FINITE);
    assert_int_equal(hml_boltzmann_hamel_inverse_dynamics(2, one, zero, one, zero, zero, sick, work, out),
                     HML_NOT_FINITE);
    assert_int_equal(hml_boltzmann_hamel_inverse_dynamics(2, one, zero, NULL, zero, zero, NULL, work, out),
                     HML_INVALID_ARGUMENT);
    assert_true(U == 7 && force[0] == 7 && out[0] == 7);
    assert_int_equal(hml_boltzmann_hamel_forward_dynamics(2, one, zero, zero, zero, zero, NULL, work, out),
                     HML_SINGULAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_fall_as_their_points_do),
        cmocka_unit_test(test_force_of_a_potential),
        cmocka_unit_test(test_euler_angles_with_gravity),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
