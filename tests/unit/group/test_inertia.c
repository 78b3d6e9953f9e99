/* Spatial inertia: bodies made of points, whose momentum and energy are sums; the worked example; the check. */
#include "arrays.h"
#include "hamel/rigid_body.h"
#include "hamel/se3.h"

/* roundings of sums of a dozen products of numbers up to about 100 */
#define TOL (2000 * EPS)

enum { POINTS = 5 };

typedef struct {
    double m[POINTS], p[POINTS][3];
} cloud;

static cloud draw_cloud(void)
{
    cloud C;
    for (int i = 0; i < POINTS; i++) C.m[i] = draw(0.1, 2), draw_array(C.p[i], 3, 1);
    return C;
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* ten sums over the points: ∫dm, ∫p dm, ∫(p·p 1 − p pᵀ) dm */
static void cloud_inertia(const cloud *C, double I[10])
{
    for (int k = 0; k < 10; k++) I[k] = 0;
    for (int i = 0; i < POINTS; i++) {
        const double m = C->m[i], *p = C->p[i];
        I[0] += m, I[1] += m * p[0], I[2] += m * p[1], I[3] += m * p[2];
        I[4] += m * (p[1] * p[1] + p[2] * p[2]), I[5] -= m * p[0] * p[1], I[6] -= m * p[0] * p[2];
        I[7] += m * (p[0] * p[0] + p[2] * p[2]), I[8] -= m * p[1] * p[2], I[9] += m * (p[0] * p[0] + p[1] * p[1]);
    }
}

/* mass, centre and moment about it, also as sums */
static void cloud_com(const cloud *C, double *mass, double c[3], double moment[9])
{
    *mass = c[0] = c[1] = c[2] = 0;
    for (int i = 0; i < POINTS; i++) {
        *mass += C->m[i];
        for (int k = 0; k < 3; k++) c[k] += C->m[i] * C->p[i][k];
    }
    for (int k = 0; k < 3; k++) c[k] /= *mass;
    for (int k = 0; k < 9; k++) moment[k] = 0;
    for (int i = 0; i < POINTS; i++) {
        double r[3] = {C->p[i][0] - c[0], C->p[i][1] - c[1], C->p[i][2] - c[2]};
        double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int k = 0; k < 9; k++) moment[k] += C->m[i] * ((k % 4 == 0) * rr - r[k / 3] * r[k % 3]);
    }
}

static void test_clouds(void **state)
{
    (void)state;
    for (int n = 0; n < DRAWS; n++) {
        cloud C = draw_cloud(), D = draw_cloud(), moved = C;
        double I[10], sums[10], J[10], mass, c[3], moment[9], m, c2[3], moment2[9];
        cloud_inertia(&C, sums), cloud_com(&C, &mass, c, moment);
        ASSERT_OK(hml_inertia_from_com(mass, c, moment, I));
        CHECK(I, sums, 10, TOL);
        ASSERT_OK(hml_inertia_to_com(sums, &m, c2, moment2));
        CHECK(&m, &mass, 1, TOL);
        CHECK(c2, c, 3, TOL);
        CHECK(moment2, moment, 9, TOL);

        /* momentum and energy are sums over the points */
        double V[6], momentum[6] = {0}, P[6], energy = 0, T, M[36], MV[6];
        draw_array(V, 6, 1);
        for (int i = 0; i < POINTS; i++) {
            double v[3], l[3];
            cross(V + 3, C.p[i], v);
            for (int k = 0; k < 3; k++) v[k] += V[k];
            cross(C.p[i], v, l);
            for (int k = 0; k < 3; k++) momentum[k] += C.m[i] * v[k], momentum[k + 3] += C.m[i] * l[k];
            energy += 0.5 * C.m[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
        ASSERT_OK(hml_inertia_mul(sums, V, P));
        CHECK(P, momentum, 6, TOL);
        ASSERT_OK(hml_inertia_kinetic_energy(sums, V, &T));
        CHECK(&T, &energy, 1, TOL);
        ASSERT_OK(hml_inertia_matrix(sums, M));
        multiply(6, 6, 1, M, V, MV);
        CHECK(MV, momentum, 6, TOL);
        ASSERT_OK(hml_inertia_from_matrix(M, 4 * EPS, J));
        CHECK(J, sums, 10, TOL);

        /* in another frame: the points' coordinates there */
        double H[16], seen[10];
        draw_pose(H);
        for (int i = 0; i < POINTS; i++) ASSERT_OK(hml_se3_act_point(H, C.p[i], moved.p[i]));
        cloud_inertia(&moved, seen);
        ASSERT_OK(hml_inertia_transform(H, sums, J));
        CHECK(J, seen, 10, 10 * TOL);

        /* two clouds are one */
        double other[10], sum[10];
        cloud_inertia(&D, other);
        for (int k = 0; k < 10; k++) sum[k] = sums[k] + other[k];
        ASSERT_OK(hml_inertia_add(sums, other, J));
        CHECK(J, sum, 10, 0);
    }
}

/* the matrix and the energy printed in docs/conventions.md */
static void test_worked_example(void **state)
{
    (void)state;
    double com[3] = {0.1, 0, 0.2}, moment[9] = {0.03, 0, 0, 0, 0.04, 0, 0, 0, 0.05}, I[10], M[36], T;
    static const double rows[6][6] = {{2, 0, 0, 0, 0.4, 0},       {0, 2, 0, -0.4, 0, 0.2},
                                      {0, 0, 2, 0, -0.2, 0},      {0, -0.4, 0, 0.11, 0, -0.04},
                                      {0.4, 0, -0.2, 0, 0.14, 0}, {0, 0.2, 0, -0.04, 0, 0.07}};
    ASSERT_OK(hml_inertia_from_com(2, com, moment, I));
    ASSERT_OK(hml_inertia_matrix(I, M));
    CHECK(M, rows[0], 36, TOL);
    double V[6] = {2, -1, 0.5, 1, 2, -1}, energy = 7.66;
    ASSERT_OK(hml_inertia_kinetic_energy(I, V, &T));
    CHECK(&T, &energy, 1, TOL);
}

static unsigned problems_of(double mass, double xx, double yy, double zz)
{
    double com[3] = {0.3, -0.2, 0.5}, moment[9] = {xx, 0, 0, 0, yy, 0, 0, 0, zz}, I[10];
    unsigned problems = 99;
    ASSERT_OK(hml_inertia_from_com(mass, com, moment, I));
    ASSERT_OK(hml_inertia_check(I, HML_INERTIA_TOLERANCE, &problems, NULL, NULL));
    return problems;
}

static void test_check_says_what_fails(void **state)
{
    (void)state;
    assert_int_equal(problems_of(2, 0.1, 0.2, 0.25), 0);
    assert_int_equal(problems_of(2, 0.1, 0.2, 0.3), 0); /* a plate */
    assert_int_equal(problems_of(2, 0.1, 0.2, 0.31), HML_INERTIA_TRIANGLE);
    assert_int_equal(problems_of(2, 0.31, 0.1, 0.2), HML_INERTIA_TRIANGLE);
    assert_true(problems_of(2, 0, 0, 0) & HML_INERTIA_MOMENT); /* a point; what rounding leaves is no triangle either */
    assert_int_equal(problems_of(2, 0, 1, 1), HML_INERTIA_MOMENT); /* a line */
    assert_int_equal(problems_of(2, -0.1, 0.2, 0.2), HML_INERTIA_MOMENT | HML_INERTIA_TRIANGLE);
    assert_int_equal(problems_of(0, 1, 1, 1), HML_INERTIA_MASS);
    assert_int_equal(problems_of(-1, 1, 1, 1) & HML_INERTIA_MASS, HML_INERTIA_MASS);

    assert_string_equal(hml_inertia_problem_message(0), "no problem");
    assert_string_equal(hml_inertia_problem_message(HML_INERTIA_MASS | 4), "the mass is not positive");
    assert_non_null(strstr(hml_inertia_problem_message(HML_INERTIA_MOMENT), "positive definite"));
    assert_non_null(strstr(hml_inertia_problem_message(HML_INERTIA_TRIANGLE), "sum of the other two"));
    assert_string_equal(hml_inertia_problem_message(8), "an unknown problem");
}

/* principal moments and axes: A E = E Λ, E a rotation, ascending; and every real body passes */
static void test_principal_moments(void **state)
{
    (void)state;
    for (int n = 0; n < DRAWS; n++) {
        cloud C = draw_cloud();
        double I[10], mass, c[3], A[9], L[3], E[9], AE[9], EL[9], Et[9], one[9], EtE[9];
        unsigned problems;
        cloud_inertia(&C, I), cloud_com(&C, &mass, c, A);
        ASSERT_OK(hml_inertia_check(I, HML_INERTIA_TOLERANCE, &problems, L, E));
        assert_int_equal(problems, 0);
        assert_true(L[0] <= L[1] && L[1] <= L[2]);
        multiply(3, 3, 3, A, E, AE);
        for (int k = 0; k < 9; k++) EL[k] = E[k] * L[k % 3];
        CHECK(AE, EL, 9, TOL);
        transpose(3, E, Et), identity(3, one);
        multiply(3, 3, 3, Et, E, EtE);
        CHECK(EtE, one, 9, TOL);
        double H[16] = {E[0], E[1], E[2], 0, E[3], E[4], E[5], 0, E[6], E[7], E[8], 0, 0, 0, 0, 1};
        ASSERT_OK(hml_se3_check(H)); /* right-handed */
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    double I[10] = {0}, out[36], c[6] = {0}, A[9] = {0}, number, M[36] = {0};
    unsigned problems;
    assert_int_equal(hml_inertia_to_com(I, &number, c, A), HML_SINGULAR);
    I[0] = 1;
    assert_int_equal(hml_inertia_to_com(I, &number, c, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_inertia_matrix(I, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_inertia_check(I, 0, NULL, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_inertia_check(I, -1, &problems, NULL, NULL), HML_INVALID_ARGUMENT);
    ASSERT_OK(hml_inertia_check(I, 0, &problems, NULL, NULL)); /* no tolerance at all is one */
    assert_int_equal(hml_inertia_from_com((double)NAN, c, A, out), HML_NOT_FINITE);
    assert_int_equal(hml_inertia_add(I, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_inertia_add(I, I, NULL), HML_INVALID_ARGUMENT);
    I[9] = INFINITY;
    assert_int_equal(hml_inertia_mul(I, c, out), HML_NOT_FINITE);

    M[0] = M[7] = M[14] = 1, M[21] = M[28] = M[35] = 2;
    assert_int_equal(hml_inertia_from_matrix(M, 1e-12, out), HML_OK);
    M[7] = 1.1; /* three masses are not one */
    assert_int_equal(hml_inertia_from_matrix(M, 1e-3, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_inertia_from_matrix(M, 0.1, out), HML_OK);
    M[7] = 1, M[3] = 0.2; /* h^ is skew */
    assert_int_equal(hml_inertia_from_matrix(M, 1e-3, out), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_check_says_what_fails),
        cmocka_unit_test(test_principal_moments),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
