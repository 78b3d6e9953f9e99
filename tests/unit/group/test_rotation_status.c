/* What the rotations answer to bad input: a missing array, NaN and infinity, lengths that are not 1, unknown sides. */
#include "rotation_check.h"

static const double good[KINDS][9] = {{1, 0, 0, 0, 0.6, -0.8, 0, 0.8, 0.6},
                                      {0.6, 0, 0.8, 0},
                                      {1, 0.6, 0, 0.8},
                                      {0.1, 0.2, 0.3},
                                      {1, 0.5, 2},
                                      {1, 0.5, 2}};

/* ---- one function of one input ---- */

static void check_input(conversion *f, int kind)
{
    double x[9], y[16];
    memcpy(x, good[kind], sizeof x);
    OK(f(x, y));
    assert_int_equal(f(NULL, y), HML_INVALID_ARGUMENT);
    assert_int_equal(f(x, NULL), HML_INVALID_ARGUMENT);
    for (int k = 0; k < lengths[kind]; k++) {
        x[k] = NAN;
        assert_int_equal(f(x, y), HML_NOT_FINITE);
        x[k] = -INFINITY;
        assert_int_equal(f(x, y), HML_NOT_FINITE);
        x[k] = good[kind][k];
    }
    if (kind == ROTVEC) {
        x[1] = 1e151; /* its square, 1e302, is still a number, but not for long */
        assert_int_equal(f(x, y), HML_INVALID_ARGUMENT);
    }
    if (kind == MATRIX || kind == QUAT || kind == ANGLE_AXIS) {
        int from = kind == ANGLE_AXIS;
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int k = from; k < lengths[kind]; k++) x[k] = good[kind][k] * (1 + sign * 2e-3);
            assert_int_equal(f(x, y), HML_NOT_NORMALIZED);
            for (int k = from; k < lengths[kind]; k++) x[k] = good[kind][k] * (1 + sign * 4e-4);
            OK(f(x, y));
        }
        for (int k = from; k < lengths[kind]; k++) x[k] = 0;
        assert_int_equal(f(x, y), HML_NOT_NORMALIZED);
    }
}

static void test_conversions(void **state)
{
    (void)state;
    for (int from = 0; from < KINDS; from++) {
        for (int to = 0; to < KINDS; to++) {
            if (convert[from][to]) check_input(convert[from][to], from);
        }
    }
}

static void test_matrices_that_are_no_rotations(void **state)
{
    (void)state;
    double phi[3];
    const double mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, sheared[9] = {1, 0.01, 0, 0, 1, 0, 0, 0, 1};
    assert_int_equal(hml_so3_log(mirror, phi), HML_NOT_NORMALIZED);
    assert_int_equal(hml_so3_log(sheared, phi), HML_NOT_NORMALIZED);
}

static void test_group(void **state)
{
    (void)state;
    check_input(hml_so3_exp, ROTVEC);
    check_input(hml_so3_log, MATRIX);
    check_input(hml_so3_dexp_left, ROTVEC);
    check_input(hml_so3_dexp_right, ROTVEC);
    check_input(hml_so3_dexp_left_inverse, ROTVEC);
    check_input(hml_so3_dexp_right_inverse, ROTVEC);
    check_input(hml_quat_invert, QUAT);
}

/* ---- functions of two inputs, three inputs, a side ---- */

typedef hml_status binary(const double *, const double *, double *);

static void check_binary(binary *f, int first, int second)
{
    double bad[9], y[9];
    OK(f(good[first], good[second], y));
    assert_int_equal(f(NULL, good[second], y), HML_INVALID_ARGUMENT);
    assert_int_equal(f(good[first], NULL, y), HML_INVALID_ARGUMENT);
    assert_int_equal(f(good[first], good[second], NULL), HML_INVALID_ARGUMENT);
    memcpy(bad, good[first], sizeof bad), bad[2] = NAN;
    assert_int_equal(f(bad, good[second], y), HML_NOT_FINITE);
    memcpy(bad, good[second], sizeof bad), bad[2] = INFINITY;
    assert_int_equal(f(good[first], bad, y), HML_NOT_FINITE);
}

static void test_two_inputs(void **state)
{
    (void)state;
    check_binary(hml_so3_dexp_left_apply, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_left_gradient, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_right_apply, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_right_gradient, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_left_inverse_apply, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_left_inverse_gradient, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_right_inverse_apply, ROTVEC, ROTVEC);
    check_binary(hml_so3_dexp_right_inverse_gradient, ROTVEC, ROTVEC);
    check_binary(hml_quat_compose, QUAT, QUAT);
    check_binary(hml_quat_rotate, QUAT, ROTVEC);
    check_binary(hml_quat_rotate_inverse, QUAT, ROTVEC);
    check_binary(hml_quat_distance, QUAT, QUAT);
}

static void test_three_inputs(void **state)
{
    (void)state;
    typedef hml_status ternary(const double[3], const double[3], const double[3], double[3]);
    static ternary *const all[] = {hml_so3_dexp_left_derivative, hml_so3_dexp_right_derivative,
                                   hml_so3_dexp_left_inverse_derivative, hml_so3_dexp_right_inverse_derivative};
    const double x[3] = {0.1, 0.2, 0.3}, bad[3] = {0, NAN, 0};
    for (int i = 0; i < COUNT(all); i++) {
        double y[3];
        OK(all[i](x, x, x, y));
        assert_int_equal(all[i](bad, x, x, y), HML_NOT_FINITE);
        assert_int_equal(all[i](x, bad, x, y), HML_NOT_FINITE);
        assert_int_equal(all[i](x, x, bad, y), HML_NOT_FINITE);
        assert_int_equal(all[i](x, x, NULL, y), HML_INVALID_ARGUMENT);
        assert_int_equal(all[i](x, x, x, NULL), HML_INVALID_ARGUMENT);
    }
}

typedef hml_status sided(hml_side, const double *, const double *, double *);

static void check_sided(sided *f, int first, int second)
{
    double bad[9], y[9];
    assert_int_equal(f((hml_side)2, good[first], good[second], y), HML_INVALID_ARGUMENT);
    assert_int_equal(f((hml_side)-1, good[first], good[second], y), HML_INVALID_ARGUMENT);
    for (int side = HML_LOCAL; side <= HML_GLOBAL; side++) {
        OK(f((hml_side)side, good[first], good[second], y));
        assert_int_equal(f((hml_side)side, NULL, good[second], y), HML_INVALID_ARGUMENT);
        assert_int_equal(f((hml_side)side, good[first], NULL, y), HML_INVALID_ARGUMENT);
        assert_int_equal(f((hml_side)side, good[first], good[second], NULL), HML_INVALID_ARGUMENT);
        memcpy(bad, good[first], sizeof bad), bad[2] = NAN;
        assert_int_equal(f((hml_side)side, bad, good[second], y), HML_NOT_FINITE);
        memcpy(bad, good[second], sizeof bad), bad[2] = INFINITY;
        assert_int_equal(f((hml_side)side, good[first], bad, y), HML_NOT_FINITE);
    }
}

static void test_sides(void **state)
{
    (void)state;
    check_sided(hml_quat_boxplus, QUAT, ROTVEC);
    check_sided(hml_quat_boxminus, QUAT, QUAT);
    check_sided(hml_matrix_rate, MATRIX, ROTVEC);
    check_sided(hml_matrix_velocity, MATRIX, MATRIX);
    check_sided(hml_quat_rate, QUAT, ROTVEC);
    check_sided(hml_quat_velocity, QUAT, QUAT);
    check_sided(hml_angle_axis_rate, ANGLE_AXIS, ROTVEC);
    check_sided(hml_angle_axis_velocity, ANGLE_AXIS, ANGLE_AXIS);
    check_sided(hml_rotvec_rate, ROTVEC, ROTVEC);
    check_sided(hml_rotvec_velocity, ROTVEC, ROTVEC);
    check_sided(hml_euler_zyx_rate, ZYX, ROTVEC);
    check_sided(hml_euler_zyx_velocity, ZYX, ROTVEC);
    check_sided(hml_euler_xyz_rate, XYZ, ROTVEC);
    check_sided(hml_euler_xyz_velocity, XYZ, ROTVEC);
}

/* ---- the rest ---- */

static void test_others(void **state)
{
    (void)state;
    const double *q = good[QUAT], nan4[4] = {NAN, 0, 0, 0}, r[3] = {1, 2, 3};
    double a[16], b[9];
    const hml_side wrong = (hml_side)7;
    assert_int_equal(hml_quat_slerp(q, q, NAN, a), HML_NOT_FINITE);
    assert_int_equal(hml_quat_slerp(q, q, 1e200, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_slerp(nan4, q, 0.5, a), HML_NOT_FINITE);
    assert_int_equal(hml_quat_slerp(q, NULL, 0.5, a), HML_INVALID_ARGUMENT);

    assert_int_equal(hml_quat_random((double[]){0.5, 1.5, 0.5}, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_random((double[]){0.5, 0.5, -0.1}, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_random((double[]){NAN, 0.5, 0.1}, a), HML_NOT_FINITE);
    assert_int_equal(hml_matrix_project((double[]){1, 0, 0, 0, NAN, 0, 0, 0, 1}, a), HML_NOT_FINITE);
    assert_int_equal(hml_matrix_project(NULL, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_matrix_project(good[MATRIX], NULL), HML_INVALID_ARGUMENT);

    assert_int_equal(hml_quat_compose_derivatives(wrong, q, q, a, b), HML_INVALID_ARGUMENT);
    OK(hml_quat_compose_derivatives(HML_LOCAL, q, q, NULL, b)); /* NULL: not wanted */
    OK(hml_quat_compose_derivatives(HML_LOCAL, q, q, a, NULL));
    assert_int_equal(hml_quat_compose_derivatives(HML_LOCAL, q, nan4, a, b), HML_NOT_FINITE);
    assert_int_equal(hml_quat_invert_derivative(wrong, q, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_invert_derivative(HML_GLOBAL, nan4, a), HML_NOT_FINITE);
    assert_int_equal(hml_quat_rotate_derivatives(wrong, q, r, a, b), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_rotate_derivatives(HML_GLOBAL, nan4, r, a, b), HML_NOT_FINITE);
    assert_int_equal(hml_quat_rotate_derivatives(HML_GLOBAL, q, nan4, a, b), HML_NOT_FINITE);
    OK(hml_quat_rotate_derivatives(HML_GLOBAL, q, r, NULL, b));

    assert_int_equal(hml_quat_left_matrix(NULL, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_left_matrix(q, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_right_matrix(nan4, a), HML_NOT_FINITE);
    assert_int_equal(hml_quat_velocity_matrix(wrong, q, a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_quat_velocity_matrix(HML_LOCAL, nan4, a), HML_NOT_FINITE);
    assert_int_equal(hml_quat_velocity_matrix(HML_LOCAL, q, NULL), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),  cmocka_unit_test(test_matrices_that_are_no_rotations),
        cmocka_unit_test(test_group),        cmocka_unit_test(test_two_inputs),
        cmocka_unit_test(test_three_inputs), cmocka_unit_test(test_sides),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
