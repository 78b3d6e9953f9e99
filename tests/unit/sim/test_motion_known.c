/*
 * Motions that are known otherwise: references of 20 digits from Taylor series of the textbook's equations (Euler's,
 * with a quaternion's rate; the pendulum's), computed with mpmath in 30 digits. Nothing of Hamel is in them.
 */
#include "motion_check.h"

static const double none[3] = {0, 0, 0}, earth[3] = {0, 0, -9.81};

/* distance of a spherical joint's state from ω and a quaternion, the sign of which does not matter */
static double distance_from(const hml_motion *motion, const double w[3], const double r[4])
{
    const double *q = hml_motion_position(motion), *v = hml_motion_velocity(motion);
    double same = 0, other = 0, worst = 0;
    for (int i = 0; i < 4; i++) same = fmax(same, fabs(q[i] - r[i])), other = fmax(other, fabs(q[i] + r[i]));
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(v[i] - w[i]));
    return fmax(worst, fmin(same, other));
}

/*
 * Dzhanibekov's nut: the axis of the middle moment turns over, and over. While it leaves that axis errors grow by
 * e^(1.15 t): three digits more than the rounding of a few hundred steps are given away.
 */
static void test_tennis_racket(void **state)
{
    (void)state;
    static const double w[2][3] = {{-0.39244685692515938042, 1.9611186767989242427, 0.22658738969798276423},
                                   {-0.12536722429821424424, -1.9960671479366021669, 0.072406125266303172539}};
    static const double r[2][4] = {
        {0.28225461638414600081, 0.023142316748542266744, -0.95418165239545833165, -0.096613347614195873634},
        {-0.027075348842405812864, 0.99815385900421458245, -0.017145769179116813892, -0.051592846784345963966}};
    mover m = mover_body(HML_JOINT_SPHERICAL, 1, none, (const double[3]){1, 2, 3}, none);
    m.v[0] = 1e-3, m.v[1] = 2, m.v[2] = 2e-3;
    hml_motion *motion = mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-13, NULL);
    assert_int_equal(hml_motion_advance(motion, 5), HML_OK);
    assert_true(distance_from(motion, w[0], r[0]) < 1e-10);
    assert_int_equal(hml_motion_advance(motion, 10), HML_OK);
    assert_true(distance_from(motion, w[1], r[1]) < 1e-10);
    hml_motion_free(motion);
    mover_close(&m);
}

static void test_heavy_top(void **state)
{
    (void)state;
    static const double w[2][3] = {{-0.05592734984120045354, -1.4790261527101874487, 25.0},
                                   {2.2665628500833000831, -1.8462201095701382602, 25.0}};
    static const double r[2][4] = {
        {0.88728091234311431772, -0.20480628418020124459, 0.1649162778405796335, 0.37893217052010519254},
        {0.67913210493095390576, -0.14394526627167935246, -0.38157162660137535275, 0.61029700813850277757}};
    mover m =
        mover_body(HML_JOINT_SPHERICAL, 1, (const double[3]){0, 0, 0.5}, (const double[3]){0.05, 0.05, 0.1}, earth);
    m.q[0] = cos(0.2), m.q[1] = sin(0.2);
    m.v[0] = 0.4, m.v[1] = -0.3, m.v[2] = 25;
    hml_motion *motion = mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-13, NULL);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hml_motion_advance(motion, k + 1), HML_OK);
        assert_true(distance_from(motion, w[k], r[k]) < 1e-10);
    }
    hml_motion_free(motion);
    mover_close(&m);
}

/*
 * A spherical pendulum that turns over: it passes through the lowest and the highest point, where angles of latitude
 * and longitude fail, and knows nothing of it. In the plane it is the textbook's pendulum.
 */
static void test_pendulum_through_its_poles(void **state)
{
    (void)state;
    const double angle = 10.253635850582586989, rate = 9.4447878493726334483; /* after one second */
    mover m =
        mover_body(HML_JOINT_SPHERICAL, 1, (const double[3]){0, 0, -0.5}, (const double[3]){0.05, 0.05, 0.1}, earth);
    m.v[0] = 12;
    for (int k = 0; k < 2; k++) {
        hml_motion *motion = k ? mover_start(&m, HML_SCHEME_VARIATIONAL, 1e-4, 0, NULL)
                               : mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-13, NULL);
        const double w[3] = {rate, 0, 0}, r[4] = {cos(angle / 2), sin(angle / 2), 0, 0};
        assert_int_equal(hml_motion_advance(motion, 1), HML_OK);
        assert_true(distance_from(motion, w, r) < (k ? 1e-5 : 1e-10)); /* the second: h², and a factor of a thousand */
        hml_motion_free(motion);
    }
    mover_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tennis_racket),
        cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_pendulum_through_its_poles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
