/* Reconstruction: known curves are found again from their body and spatial twists, to fourth order; screws exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/motion.h"
#include "hamel/se3.h"

enum { MOST = 1025 };

static double t[MOST], V[MOST * 6], H[MOST * 16];

/* a curve in closed form: C = Rz(a) Ry(b) with a = sin t, b = t²/2, r = (cos t, t, sin 2t) */
static void curve(double s, double C[16])
{
    double ca = cos(sin(s)), sa = sin(sin(s)), cb = cos(s * s / 2), sb = sin(s * s / 2);
    const double out[16] = {ca * cb, -sa, ca * sb, cos(s), sa * cb, ca, sa * sb, s, -sb, 0, cb, sin(2 * s), 0, 0, 0, 1};
    memcpy(C, out, sizeof out);
}

/* its twist by hand: ω = ȧ e_z + ḃ Rz e_y in the world, ṙ; then to the body, or to the world's origin */
static void curve_twist(double s, int spatial, double out[6])
{
    double C[16], da = cos(s), db = s, a = sin(s);
    const double w[3] = {-db * sin(a), db * cos(a), da}, dr[3] = {-sin(s), 1, 2 * cos(2 * s)};
    curve(s, C);
    const double r[3] = {C[3], C[7], C[11]};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = spatial ? dr[i] - (w[j] * r[k] - w[k] * r[j]) : C[i] * dr[0] + C[4 + i] * dr[1] + C[8 + i] * dr[2];
        out[3 + i] = spatial ? w[i] : C[i] * w[0] + C[4 + i] * w[1] + C[8 + i] * w[2];
    }
}

/* worst entry of the last pose, n steps; the spacing is uneven */
static double error_of(int n, int spatial, hml_pose_update update)
{
    double start[16], end[16], worst = 0;
    for (int k = 0; k <= n; k++) {
        double s = (double)k / n;
        t[k] = 2 * (s + 0.1 * s * (1 - s));
        curve_twist(t[k], spatial, V + 6 * k);
    }
    curve(0, start);
    curve(2, end);
    assert_int_equal(hml_reconstruct((size_t)n + 1, t, V, spatial, update, start, H), HML_OK);
    for (int i = 0; i < 16; i++) worst = fmax(worst, fabs(H[16 * n + i] - end[i]));
    return worst;
}

static void test_fourth_order(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        for (int update = 0; update < 2; update++) {
            double e1 = error_of(256, spatial, (hml_pose_update)update),
                   e2 = error_of(512, spatial, (hml_pose_update)update);
            print_message("%s %s: %.2e %.2e, order %.3f\n", spatial ? "spatial" : "body", update ? "SO(3)xR3" : "SE(3)",
                          e1, e2, log2(e1 / e2));
            assert_true(fabs(log2(e1 / e2) - 4) < 0.1);
        }
    }
}

/* a screw of three turns in four steps: SE(3) does not notice, SO(3)×ℝ³ does */
static void test_screws_are_exact_on_se3(void **state)
{
    (void)state;
    const double twist[6] = {0.3, -0.2, 0.5, 0, 3, 4}, start[16] = {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
    double whole[6], E[16], end[16];
    for (int spatial = 0; spatial < 2; spatial++) {
        for (int k = 0; k < 5; k++) {
            t[k] = k;
            memcpy(V + 6 * k, twist, sizeof twist);
        }
        for (int i = 0; i < 6; i++) whole[i] = 4 * twist[i];
        assert_int_equal(hml_se3_exp(whole, E), HML_OK);
        assert_int_equal(spatial ? hml_se3_compose(E, start, end) : hml_se3_compose(start, E, end), HML_OK);
        for (int update = 0; update < 2; update++) {
            double worst = 0;
            assert_int_equal(hml_reconstruct(5, t, V, spatial, (hml_pose_update)update, start, H), HML_OK);
            for (int i = 0; i < 16; i++) worst = fmax(worst, fabs(H[64 + i] - end[i]));
            assert_true(update == HML_UPDATE_SE3 ? worst < 1e-14 * 20 : worst > 0.01);
        }
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    const double one[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, skewed[16] = {2, 0, 0, 0, 0, 1};
    const double when[2] = {1, 0}, nan[12] = {NAN}, rest[12] = {0}, later[2] = {0, 1};
    assert_int_equal(hml_reconstruct(2, when, rest, 0, HML_UPDATE_SE3, one, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_reconstruct(2, later, nan, 0, HML_UPDATE_SE3, one, H), HML_NOT_FINITE);
    assert_int_equal(hml_reconstruct(2, later, rest, 0, HML_UPDATE_SE3, skewed, H), HML_NOT_NORMALIZED);
    assert_int_equal(hml_reconstruct(2, later, rest, 0, (hml_pose_update)2, one, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_reconstruct(0, later, rest, 0, HML_UPDATE_SE3, one, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_reconstruct(1, later, rest, 0, HML_UPDATE_SE3, one, H), HML_OK);
    assert_memory_equal(H, one, sizeof one);
    assert_int_equal(hml_reconstruct(2, later, rest, 0, HML_UPDATE_SE3, one, H), HML_OK);
    assert_memory_equal(H + 16, one, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fourth_order),
        cmocka_unit_test(test_screws_are_exact_on_se3),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
