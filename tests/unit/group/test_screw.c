/* Screws: lines one can see, round trips, Chasles, Poinsot, reciprocity, and the ends of the number range. */
#include "arrays.h"
#include "hamel/se3.h"

#define TOL (100 * EPS)
#define PI  3.14159265358979323846

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* a door: hinge along z through (1, 0, 0), opening at 2 rad/s, rising 0.5 m a radian */
static void test_a_door(void **state)
{
    (void)state;
    hml_screw door = {{0, 0, 3}, {1, 0, 7}, 0.5, 2}, back;
    double V[6], twist[6] = {0, -2, 1, 0, 0, 2}, axis[3] = {0, 0, 1}, nearest[3] = {1, 0, 0};
    ASSERT_OK(hml_screw_to_twist(&door, V));
    CHECK(V, twist, 6, TOL); /* the hinge's point at the origin's height moves with −ω × p = (0, −2, 0) */
    ASSERT_OK(hml_screw_from_twist(V, &back));
    CHECK(back.axis, axis, 3, TOL);
    CHECK(back.point, nearest, 3, TOL);
    CHECK(&back.pitch, &door.pitch, 1, TOL);
    CHECK(&back.magnitude, &door.magnitude, 1, TOL);
}

static void test_twists_and_wrenches_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double V[6], back[6], moment[3], along[3];
        hml_screw S;
        draw_array(V, 6, 2);
        ASSERT_OK(hml_screw_from_twist(V, &S));
        double perpendicular = dot(S.axis, S.point), none = 0;
        CHECK(&perpendicular, &none, 1, 20 * TOL); /* the nearest point; it can be far */
        cross(S.point, S.axis, moment);
        for (int k = 0; k < 3; k++) {
            along[k] = S.magnitude * (moment[k] + S.pitch * S.axis[k]);
        }
        CHECK(along, V, 3, 10 * TOL);
        ASSERT_OK(hml_screw_to_twist(&S, back));
        CHECK(back, V, 6, 10 * TOL);
        ASSERT_OK(hml_screw_from_wrench(V, &S));
        ASSERT_OK(hml_screw_to_wrench(&S, back));
        CHECK(back, V, 6, 10 * TOL);
    }
}

/* Poinsot: along its axis a wrench is a force and a parallel couple, seen from a frame on the axis */
static void test_poinsot(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double F[6], H[16], there[6], parallel[3];
        hml_screw S;
        draw_array(F, 6, 1);
        ASSERT_OK(hml_screw_from_wrench(F, &S));
        identity(4, H);
        for (int k = 0; k < 3; k++) H[4 * k + 3] = -S.point[k];
        ASSERT_OK(hml_wrench_transform(H, F, there));
        for (int k = 0; k < 3; k++) parallel[k] = S.pitch * there[k];
        CHECK(there + 3, parallel, 3, 100 * TOL); /* the axis can be ten metres away and more */
    }
}

/* Chasles: the points of the axis move along it, by pitch times angle; everything else turns about it */
static void test_chasles(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double H[16], again[16], moved[3], expected[3], reach = 1;
        hml_screw S;
        draw_pose(H);
        ASSERT_OK(hml_screw_from_pose(H, &S));
        assert_true(S.magnitude >= 0 && S.magnitude <= PI);
        for (int k = 0; k < 3; k++) reach += fabs(S.point[k]);
        ASSERT_OK(hml_se3_act_point(H, S.point, moved));
        for (int k = 0; k < 3; k++) expected[k] = S.point[k] + S.magnitude * S.pitch * S.axis[k];
        CHECK(moved, expected, 3, reach * TOL);
        double trace = H[0] + H[5] + H[10], cosine = 1 + 2 * cos(S.magnitude);
        CHECK(&trace, &cosine, 1, TOL);
        ASSERT_OK(hml_screw_to_pose(&S, again));
        CHECK(again, H, 16, reach * TOL);
    }
}

static void test_translations_and_couples(void **state)
{
    (void)state;
    double H[16], V[6] = {0, 3, 4, 0, 0, 0}, back[6], axis[3] = {0, 0.6, 0.8}, five = 5;
    hml_screw S;
    ASSERT_OK(hml_screw_from_twist(V, &S));
    assert_true(isinf(S.pitch));
    CHECK(S.axis, axis, 3, TOL);
    CHECK(&S.magnitude, &five, 1, TOL);
    ASSERT_OK(hml_screw_to_twist(&S, back));
    CHECK(back, V, 6, TOL);

    identity(4, H);
    H[7] = 3, H[11] = 4;
    ASSERT_OK(hml_screw_from_pose(H, &S));
    assert_true(isinf(S.pitch));
    CHECK(S.axis, axis, 3, TOL);
    CHECK(&S.magnitude, &five, 1, TOL);

    double couple[6] = {0, 0, 0, 0, 3, 4};
    ASSERT_OK(hml_screw_from_wrench(couple, &S));
    assert_true(isinf(S.pitch));
    S.pitch = -S.pitch; /* either sign of infinity */
    ASSERT_OK(hml_screw_to_wrench(&S, back));
    CHECK(back, couple, 6, TOL);

    double zero[6] = {0}, z[3] = {0, 0, 1};
    ASSERT_OK(hml_screw_from_twist(zero, &S));
    CHECK(S.axis, z, 3, 0);
    CHECK(&S.magnitude, zero, 1, 0);
    ASSERT_OK(hml_screw_to_twist(&S, back));
    CHECK(back, zero, 6, 0);
}

/* power of a wrench screw on a twist screw: m₁ m₂ times their reciprocal product; zero where two pure axes meet */
static void test_reciprocal(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double V[6], W[6], F[6], product, power, p[3], none = 0;
        draw_array(V, 6, 1), draw_array(W, 6, 1);
        memcpy(F, W + 3, 3 * sizeof *F), memcpy(F + 3, W, 3 * sizeof *F); /* the same screw as a wrench */
        ASSERT_OK(hml_screw_reciprocal(V, W, &product));
        ASSERT_OK(hml_wrench_power(F, V, &power));
        CHECK(&product, &power, 1, TOL);

        hml_screw a = {{0}, {0}, 0, 1}, b = {{0}, {0}, 0, 1};
        draw_array(p, 3, 1), draw_array(a.axis, 3, 1), draw_array(b.axis, 3, 1);
        memcpy(a.point, p, sizeof p), memcpy(b.point, p, sizeof p);
        ASSERT_OK(hml_screw_to_twist(&a, V));
        ASSERT_OK(hml_screw_to_twist(&b, W));
        ASSERT_OK(hml_screw_reciprocal(V, W, &product));
        CHECK(&product, &none, 1, TOL);
    }
}

/* the same line and pitch, whatever the magnitude */
static void test_range(void **state)
{
    (void)state;
    static const double sizes[] = {1e-320, 1e-200, 1e-100, 1e100, 1e200, 1e300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double V[6] = {0, 0, 0, 0, 0, sizes[i]}, point[3] = {1, 0, 0}, z[3] = {0, 0, 1}, half = 0.5;
        V[1] = -V[5], V[2] = 0.5 * V[5]; /* the door again */
        hml_screw S;
        ASSERT_OK(hml_screw_from_twist(V, &S));
        CHECK(S.axis, z, 3, TOL);
        CHECK(S.point, point, 3, 1e-3); /* 1e-320 has four digits */
        CHECK(&S.pitch, &half, 1, 1e-3);
        CHECK(&S.magnitude, &V[5], 1, TOL * V[5]);
        double F[6] = {V[3], V[4], V[5], V[0], V[1], V[2]};
        ASSERT_OK(hml_screw_from_wrench(F, &S));
        CHECK(S.axis, z, 3, TOL);
    }
    double slow[6] = {1, 0, 0, 0, 1e-320, 0}; /* an axis at 1e320 metres is none */
    hml_screw S;
    ASSERT_OK(hml_screw_from_twist(slow, &S));
    assert_true(isinf(S.pitch));
    assert_true(S.magnitude == 1 && S.axis[0] == 1);
}

static void test_bad_input(void **state)
{
    (void)state;
    double V[6] = {0}, H[16], number;
    hml_screw S = {{0, 0, 0}, {0, 0, 0}, 0, 1};
    identity(4, H);
    assert_int_equal(hml_screw_to_twist(&S, V), HML_INVALID_ARGUMENT); /* no axis */
    assert_int_equal(hml_screw_to_twist(NULL, V), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_screw_from_twist(V, NULL), HML_INVALID_ARGUMENT);
    S.axis[0] = 1, S.pitch = NAN;
    assert_int_equal(hml_screw_to_wrench(&S, V), HML_NOT_FINITE);
    S.pitch = 0, S.magnitude = INFINITY;
    assert_int_equal(hml_screw_to_pose(&S, H), HML_NOT_FINITE);
    H[0] = 2;
    assert_int_equal(hml_screw_from_pose(H, &S), HML_NOT_NORMALIZED);
    assert_int_equal(hml_screw_reciprocal(V, NULL, &number), HML_INVALID_ARGUMENT);
    V[0] = NAN;
    assert_int_equal(hml_screw_from_wrench(V, &S), HML_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_door),
        cmocka_unit_test(test_twists_and_wrenches_round_trip),
        cmocka_unit_test(test_poinsot),
        cmocka_unit_test(test_chasles),
        cmocka_unit_test(test_translations_and_couples),
        cmocka_unit_test(test_reciprocal),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
