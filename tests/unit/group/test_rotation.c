/* Rotation parameterizations: every conversion, unique forms, singular and special rotations, projection, random draws.
 */
#include "rotation_check.h"

enum { DRAWS = 3000 };

/* a few roundings of numbers up to 1 on both sides, and sin, cos of angles up to 7 in the plain formulas */
static const double TOL = 1e-14;

/* is it the unique form? */
static void check_range(int kind, const double *x)
{
    double size;
    switch (kind) {
    case QUAT: assert_true(x[0] >= 0); return;
    case ANGLE_AXIS:
        assert_true(x[0] >= 0 && x[0] <= PI);
        size = sqrt(x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        assert_true(fabs(size - 1) < 1e-15);
        return;
    case ROTVEC: assert_true(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) <= PI * (1 + 1e-15)); return;
    case ZYX:
    case XYZ:
        assert_true(x[0] >= -PI && x[0] < PI && x[2] >= -PI && x[2] < PI);
        assert_true(x[1] >= -PI / 2 && x[1] <= PI / 2);
        return;
    default: return;
    }
}

/* x, of a kind, and everything it is converted to describe the same rotation */
static void check_all(int kind, const double *x)
{
    double C[9], D[9], y[9];
    matrix_of(kind, x, C);
    for (int to = 0; to < KINDS; to++) {
        if (!convert[kind][to]) continue;
        OK(convert[kind][to](x, y));
        check_range(to, y);
        matrix_of(to, y, D);
        NEAR(D, C, 9, TOL);
    }
}

static void test_every_pair(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double x[9];
            draw_kind(kind, x);
            check_all(kind, x);
        }
    }
}

/* there and back: the unique form, not only the same rotation */
static void test_round_trips(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double C[9];
        draw_kind(MATRIX, C);
        for (int from = 1; from < KINDS; from++) {
            double x[9], y[9], back[9];
            OK(convert[MATRIX][from](C, x));
            for (int to = 0; to < KINDS; to++) {
                OK(convert[from][to](x, y));
                if (to == from) {
                    NEAR(y, x, lengths[from], from <= ANGLE_AXIS ? 2.3e-16 : 0); /* normalized again */
                    continue;
                }
                OK(convert[to][from](y, back));
                NEAR(back, x, lengths[from], 1e-10); /* a draw near a singularity may lose four digits */
            }
        }
    }
}

static void test_outputs_may_be_inputs(void **state)
{
    (void)state;
    for (int from = 0; from < KINDS; from++) {
        for (int to = 0; to < KINDS; to++) {
            double x[9], y[9];
            if (!convert[from][to]) continue;
            draw_kind(from, x);
            OK(convert[from][to](x, y));
            OK(convert[from][to](x, x));
            NEAR(x, y, lengths[to], 0);
        }
    }
}

/* numbers anyone can check by hand */
static void test_known_rotations(void **state)
{
    (void)state;
    const double h = sqrt(0.5), quarter_z[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    double q[4], C[9], v[3];
    OK(hml_euler_zyx_to_matrix((double[]){PI / 2, 0, 0}, C));
    NEAR(C, quarter_z, 9, 1e-15);
    OK(hml_matrix_to_quat(quarter_z, q));
    NEAR(q, ((double[]){h, 0, 0, h}), 4, 1e-15);
    OK(hml_matrix_to_euler_xyz(quarter_z, v));
    NEAR(v, ((double[]){0, 0, PI / 2}), 3, 1e-15);
    OK(hml_quat_to_rotvec((double[]){h, 0, 0, -h}, v));
    NEAR(v, ((double[]){0, 0, -PI / 2}), 3, 1e-15);
    OK(hml_quat_to_angle_axis((double[]){-h, 0, 0, h}, q));
    NEAR(q, ((double[]){PI / 2, 0, 0, -1}), 4, 1e-15);
    /* x → y → z → x: 120° about (1, 1, 1) */
    OK(hml_matrix_to_rotvec((double[]){0, 0, 1, 1, 0, 0, 0, 1, 0}, v));
    NEAR(v, ((double[]){2 * PI / 3 / sqrt(3), 2 * PI / 3 / sqrt(3), 2 * PI / 3 / sqrt(3)}), 3, 1e-15);
    /* nose up: the body's x axis points to −z */
    OK(hml_euler_zyx_to_quat((double[]){0, PI / 2, 0}, q));
    OK(hml_quat_rotate(q, (double[]){1, 0, 0}, v));
    NEAR(v, ((double[]){0, 0, -1}), 3, 1e-15);
}

static void test_identity(void **state)
{
    (void)state;
    const double one[KINDS][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0}, {0}, {0}};
    for (int from = 0; from < KINDS; from++) {
        for (int to = 0; to < KINDS; to++) {
            double y[9];
            if (!convert[from][to]) continue;
            OK(convert[from][to](one[from], y));
            NEAR(y, one[to], lengths[to], 0);
        }
    }
    double a[4];
    OK(hml_angle_axis_unique((double[]){0, 0, 0.6, 0.8}, a)); /* no angle: the axis is x */
    NEAR(a, one[ANGLE_AXIS], 4, 0);
    OK(hml_quat_to_matrix((double[]){-1, 0, 0, 0}, (double[9]){0}));
}

/* tiny rotations keep all their digits wherever their size is an entry */
static void test_tiny(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double size = pow(10, draw(-300, -9)), phi[3], back[3], C[9], q[4], a[4], e[3];
        draw_vector(size, phi);
        OK(hml_rotvec_to_quat(phi, q));
        OK(hml_quat_to_rotvec(q, back));
        NEAR(back, phi, 3, 1e-15 * size);
        OK(hml_rotvec_to_matrix(phi, C));
        OK(hml_matrix_to_rotvec(C, back));
        NEAR(back, phi, 3, 1e-15 * size);
        OK(hml_rotvec_to_angle_axis(phi, a));
        for (int k = 0; k < 3; k++) back[k] = a[0] * a[k + 1];
        NEAR(back, phi, 3, 1e-15 * size);
        OK(hml_rotvec_to_euler_xyz(phi, e)); /* of first order: the angles are the vector's entries */
        NEAR(e, phi, 3, size * size + 1e-15 * size);
        OK(hml_euler_xyz_to_rotvec(e, back));
        NEAR(back, phi, 3, 1e-15 * size);
    }
}

/* half turns about coordinate axes and about any axis, exact and almost */
static void test_half_turns(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double q[4] = {0}, a[4] = {PI}, x[9];
        draw_unit(3, q + 1);
        if (i < 7) { /* the seven axes with entries 0 and 1 */
            const double n[3] = {(i + 1) % 2, (i + 1) / 2 % 2, (i + 1) / 4 % 2}, size = sqrt(n[0] + n[1] + n[2]);
            for (int k = 0; k < 3; k++) q[k + 1] = n[k] / size;
        }
        if (i % 3 == 0) q[0] = draw(-1e-15, 1e-15);
        check_all(QUAT, q);
        matrix_of(QUAT, q, x);
        check_all(MATRIX, x);
        memcpy(a + 1, q + 1, 3 * sizeof *q);
        check_all(ANGLE_AXIS, a);
        for (int k = 0; k < 3; k++) x[k] = PI * q[k + 1];
        check_all(ROTVEC, x);
    }
    /* q and −q of a half turn are one rotation and have one answer */
    double one[3], other[3];
    OK(hml_quat_to_rotvec((double[]){0, 0, -0.6, 0.8}, one));
    OK(hml_quat_to_rotvec((double[]){0, 0, 0.6, -0.8}, other));
    NEAR(one, other, 3, 0);
    assert_true(one[1] > 0);
}

/* pitch at +90° and −90° exactly, and so near that only half the digits of cos(pitch) are there */
static void test_gimbal_lock(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double off = i % 2 ? 0 : pow(10, draw(-17, -4));
        double e[3] = {draw(-PI, PI), (i % 4 < 2 ? 1 : -1) * (PI / 2 - off), i % 5 ? draw(-PI, PI) : 0};
        for (int kind = ZYX; kind <= XYZ; kind++) {
            double x[9], unique[3];
            check_all(kind, e);
            matrix_of(kind, e, x);
            check_all(MATRIX, x);
            OK(convert[kind][QUAT](e, x));
            check_all(QUAT, x);
            if (off > 0) continue;
            OK(convert[kind][kind](e, unique));
            assert_true(unique[2] == 0);
            OK(convert[QUAT][kind](x, unique));
            assert_true(fabs(unique[2]) == 0 || fabs(fabs(unique[1]) - PI / 2) > 0);
        }
    }
}

static void test_unique_forms(void **state)
{
    (void)state;
    double x[4], y[4];
    OK(hml_quat_unique((double[]){-0.6, 0, 0.8, 0}, x));
    NEAR(x, ((double[]){0.6, 0, -0.8, 0}), 4, 0);
    OK(hml_quat_unique((double[]){0, 0, 0, -1}, x));
    NEAR(x, ((double[]){0, 0, 0, 1}), 4, 0);
    OK(hml_angle_axis_unique((double[]){-1, 0, 0, 1}, x));
    NEAR(x, ((double[]){1, 0, 0, -1}), 4, 1e-15);
    OK(hml_angle_axis_unique((double[]){2 * PI - 1, 0, 0, 1}, x));
    NEAR(x, ((double[]){1, 0, 0, -1}), 4, 1e-15);
    OK(hml_rotvec_unique((double[]){0, 2 * PI + 1, 0}, x));
    NEAR(x, ((double[]){0, 1, 0}), 3, 1e-15);
    OK(hml_euler_zyx_unique((double[]){PI, 3, -PI}, x)); /* over the top: 3 rad of pitch are π − 3 from behind */
    NEAR(x, ((double[]){0, PI - 3, 0}), 3, 1e-15);
    OK(hml_euler_zyx_unique((double[]){PI, 0.1, PI}, x)); /* half open: π is −π */
    NEAR(x, ((double[]){-PI, 0.1, -PI}), 3, 0);
    OK(hml_euler_xyz_unique((double[]){0.1, -2, 20}, x));
    NEAR(x, ((double[]){0.1 - PI, 2 - PI, 20 - 7 * PI}), 3, 1e-14);
    OK(hml_euler_zyx_unique((double[]){1, PI / 2, 0.25}, x)); /* only the difference counts */
    NEAR(x, ((double[]){0.75, PI / 2, 0}), 3, 1e-15);
    OK(hml_euler_xyz_unique((double[]){1, PI / 2, 0.25}, x)); /* only the sum counts */
    NEAR(x, ((double[]){1.25, PI / 2, 0}), 3, 1e-15);
    OK(hml_euler_xyz_unique((double[]){1, -PI / 2, 0.25}, x));
    NEAR(x, ((double[]){0.75, -PI / 2, 0}), 3, 1e-15);
    for (int i = 0; i < DRAWS; i++) { /* unique forms stay as they are, and are those of the quaternion */
        for (int kind = QUAT; kind < KINDS; kind++) {
            double z[9], q[4], again[4];
            draw_kind(kind, z);
            OK(convert[kind][kind](z, x));
            check_range(kind, x);
            OK(convert[kind][kind](x, y));
            NEAR(y, x, lengths[kind], kind <= ANGLE_AXIS ? 2.3e-16 : 0);
            if (kind == QUAT) continue;
            OK(convert[kind][QUAT](z, q));
            OK(convert[QUAT][kind](q, again));
            NEAR(again, x, lengths[kind], 1e-10);
        }
    }
}

/* ---- any matrix ---- */

static double trace_of_product(const double *A, const double *B)
{
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += A[i] * B[i];
    return sum;
}

/* no other rotation is nearer: tr(Cᵀ A) is largest. Small turns probe the slope and the curvature, large ones the rest.
 */
static void check_nearest(const double *A)
{
    double C[9], Ct[9], product[9];
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    OK(hml_matrix_project(A, C));
    transpose(C, Ct);
    multiply(Ct, C, product);
    NEAR(product, one, 9, 4e-15);
    assert_true(determinant(C) > 0);
    double best = trace_of_product(A, C), size = sqrt(trace_of_product(A, A));
    for (int i = 0; i < 60; i++) {
        double phi[3], turn[9], other[9];
        draw_vector(i % 3 == 0 ? PI : i % 3 == 1 ? 1e-2 : 1e-5, phi);
        matrix_of(ROTVEC, phi, turn);
        multiply(turn, C, other);
        assert_true(trace_of_product(A, other) <= best + 4e-15 * size);
    }
}

static void test_projection_is_nearest(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        double A[9], scale = pow(10, draw(-250, 250));
        for (int k = 0; k < 9; k++) A[k] = draw(-1, 1); /* half of them mirror images */
        check_nearest(A);
        for (int k = 0; k < 9; k++) A[k] *= scale;
        double C[9], D[9];
        OK(hml_matrix_project(A, C));
        for (int k = 0; k < 9; k++) A[k] /= scale;
        OK(hml_matrix_project(A, D));
        NEAR(C, D, 9, 1e-12); /* the scale does not matter; a badly conditioned draw loses some digits */
    }
}

static void test_projection_of_rotations(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double A[9], C[9];
        draw_kind(MATRIX, A);
        OK(hml_matrix_project(A, C));
        NEAR(C, A, 9, 2e-15);
    }
}

static void test_projection_of_deficient_matrices(void **state)
{
    (void)state;
    double C[9];
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double zero[9] = {0}, rank_one[9] = {1, 2, 3, 2, 4, 6, 3, 6, 9}, mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    const double rank_two[9] = {1, 0, 0, 0, 2, 0, 0, 0, 0}, unequal_mirror[9] = {3, 0, 0, 0, 2, 0, 0, 0, -1};
    assert_int_equal(hml_matrix_project(zero, C), HML_SINGULAR);
    assert_int_equal(hml_matrix_project(rank_one, C), HML_SINGULAR);
    assert_int_equal(hml_matrix_project(mirror, C), HML_SINGULAR);
    OK(hml_matrix_project(rank_two, C));
    NEAR(C, one, 9, 1e-15);
    OK(hml_matrix_project(unequal_mirror, C));
    NEAR(C, one, 9, 1e-15);
}

/* ---- random rotations ---- */

/* uniform: P(angle < α) = (α − sin α)/π, and turned by a fixed rotation the same holds */
static void test_random_is_uniform(void **state)
{
    (void)state;
    enum { N = 40000 };
    const double fixed[4] = {0.5, -0.5, 0.5, 0.5}, one[4] = {1, 0, 0, 0};
    int below[2][3] = {{0}};
    static const double angles[3] = {1, 2, 2.7};
    for (int i = 0; i < N; i++) {
        double u[3] = {draw(0, 1), draw(0, 1), draw(0, 1)}, q[4], angle;
        OK(hml_quat_random(u, q));
        NEAR(((double[]){q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]}), ((double[]){1}), 1, 1e-15);
        for (int turned = 0; turned < 2; turned++) {
            OK(hml_quat_distance(q, turned ? fixed : one, &angle));
            for (int k = 0; k < 3; k++) below[turned][k] += angle < angles[k];
        }
    }
    for (int turned = 0; turned < 2; turned++) {
        for (int k = 0; k < 3; k++) {
            double expected = (angles[k] - sin(angles[k])) / PI, sigma = sqrt(expected * (1 - expected) / N);
            assert_true(fabs((double)below[turned][k] / N - expected) < 4 * sigma);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_outputs_may_be_inputs),
        cmocka_unit_test(test_known_rotations),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_half_turns),
        cmocka_unit_test(test_gimbal_lock),
        cmocka_unit_test(test_unique_forms),
        cmocka_unit_test(test_projection_is_nearest),
        cmocka_unit_test(test_projection_of_rotations),
        cmocka_unit_test(test_projection_of_deficient_matrices),
        cmocka_unit_test(test_random_is_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
