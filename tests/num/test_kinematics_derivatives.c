/*
 * Derivatives of frames: every one of them against complex steps of the brute-force motion, in every representation, on
 * trees with every joint.
 */
#include "algo/kinematics/frame_derivatives.h"
#include "kinematics_check.h"

static oracle o;
static num J[6 * ORACLE_NV], Vq[6 * ORACLE_NV], Aq[6 * ORACLE_NV], Av[6 * ORACLE_NV];
static path_column path[ORACLE_NV];

/* ∂V/∂ν times ν is V; ∂A/∂ν̇ is J; J̇ is the Hessian along ν */
static void test_sums(void **unused)
{
    (void)unused;
    static num H[6 * ORACLE_NV * ORACLE_NV], Jdot[6 * ORACLE_NV];
    uint64_t seed = 21;
    for (int s = 0; s < NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s]);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        state_series state = {.q = r.q, .rates = {r.v, r.a}};
        for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
            int b = r.model->nbodies - 1;
            derivative_matrices out = {r.nv, J, Vq, Aq, Av};
            twist twists[SERIES_LENGTH];
            num again[6 * ORACLE_NV];
            jacobian_series j = {.order = 1, .nv = r.nv, .J = {again, Jdot}};
            frame_derivatives(r.model, b, (hml_representation)rep, &state, path, &out);
            frame_series(r.model, b, HML_WORLD, (hml_representation)rep, &state, 1, twists, &j);
            frame_hessian(r.model, b, (hml_representation)rep, r.q, path, H);
            for (int c = 0; c < r.nv; c++) {
                twist sum = twist_zero();
                for (int k = 0; k < r.nv; k++) sum = twist_axpy(r.v[k], matrix_column(H + 6 * r.nv * k, r.nv, c), sum);
                ASSERT_NEAR(matrix_column(Jdot, r.nv, c), sum, 10, TOLERANCE);
                ASSERT_NEAR(matrix_column(J, r.nv, c), matrix_column(again, r.nv, c), 1, TOLERANCE);
            }
            /* A is quadratic in ν but for J ν̇: by Euler's theorem ∂A/∂ν ν = 2 J̇ ν */
            twist sum = twist_zero(), Jdotv = twist_zero();
            for (int k = 0; k < r.nv; k++) {
                sum = twist_axpy(r.v[k], matrix_column(Av, r.nv, k), sum);
                Jdotv = twist_axpy(r.v[k], matrix_column(Jdot, r.nv, k), Jdotv);
            }
            ASSERT_NEAR(sum, twist_scale(K(2), Jdotv), 100, TOLERANCE);
        }
        robot_close(&r);
    }
}

#if defined HML_NUM_C64

static twist oracle_acceleration(const robot *r, int body, hml_representation rep)
{
    twist a = o.bias[body];
    for (int c = 0; c < r->nv; c++) a = twist_axpy(r->a[c], o.J[body][c], a);
    return acceleration_from_left(rep, o.H[body], o.v[body], a);
}

/* to 4.5e-13 of its size, and of 1 where that is smaller */
static void assert_column(const num *matrix, int nv, int k, twist expected)
{
    ASSERT_NEAR(matrix_column(matrix, nv, k), expected, 1 + twist_size(expected), TOLERANCE);
}

static void test_against_complex_steps(void **unused)
{
    (void)unused;
    uint64_t seed = 22;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        state_series state = {.q = r.q, .rates = {r.v, r.a}};
        derivative_matrices out = {r.nv, J, Vq, Aq, Av};
        for (int b = r.model->nbodies - 1; b >= 0; b -= 2) {
            for (int rep_ = HML_LEFT; rep_ <= HML_SPLIT; rep_++) {
                hml_representation rep = (hml_representation)rep_;
                frame_derivatives(r.model, b, rep, &state, path, &out);
                for (int k = 0; k < r.nv; k++) {
                    num e[ORACLE_NV], q[2 * ORACLE_NV], v[ORACLE_NV];
                    unit_vector(r.nv, k, e);
                    complex_move(&r, e, q);
                    complex_add(&r, r.v, e, v);
                    oracle_run(r.model, q, r.v, NULL, &o);
                    assert_column(Vq, r.nv, k, imaginary(oracle_twist(&o, b, rep)));
                    assert_column(Aq, r.nv, k, imaginary(oracle_acceleration(&r, b, rep)));
                    oracle_run(r.model, r.q, v, NULL, &o);
                    assert_column(J, r.nv, k, imaginary(oracle_twist(&o, b, rep)));
                    assert_column(Av, r.nv, k, imaginary(oracle_acceleration(&r, b, rep)));
                }
            }
        }
        robot_close(&r);
    }
}

/* the derivative of the placement: H⁻¹ ∂H = (J_left)^ */
static void test_placements_against_complex_steps(void **unused)
{
    (void)unused;
    uint64_t seed = 23;
    for (int s = 0; s < NSPECS; s++) {
        robot r;
        static oracle moved;
        robot_open(&r, &seed, &specs[s]);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        state_series state = {.q = r.q};
        derivative_matrices out = {r.nv, J, NULL, NULL, NULL};
        int b = r.model->nbodies - 1;
        frame_derivatives(r.model, b, HML_LEFT, &state, path, &out);
        for (int k = 0; k < r.nv; k++) {
            num e[ORACLE_NV], q[2 * ORACLE_NV];
            unit_vector(r.nv, k, e);
            complex_move(&r, e, q);
            oracle_run(r.model, q, r.v, NULL, &moved);
            pose X = pose_between(o.H[b], moved.H[b]);
            twist xi = twist_of(X.p, vec3_of(X.R.y.z, X.R.z.x, X.R.x.y));
            ASSERT_NEAR(matrix_column(J, r.nv, k), imaginary(xi), 10, TOLERANCE);
        }
        robot_close(&r);
    }
}

static void test_hessian_against_complex_steps(void **unused)
{
    (void)unused;
    static num H[6 * ORACLE_NV * ORACLE_NV];
    uint64_t seed = 24;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        int b = r.model->nbodies - 1;
        for (int rep_ = HML_LEFT; rep_ <= HML_SPLIT; rep_++) {
            hml_representation rep = (hml_representation)rep_;
            frame_hessian(r.model, b, rep, r.q, path, H);
            for (int k = 0; k < r.nv; k++) {
                num e[ORACLE_NV], q[2 * ORACLE_NV];
                unit_vector(r.nv, k, e);
                complex_move(&r, e, q);
                oracle_run(r.model, q, r.v, NULL, &o);
                for (int c = 0; c < r.nv; c++) {
                    ASSERT_NEAR(matrix_column(H + 6 * r.nv * k, r.nv, c), imaginary(oracle_column(&o, b, rep, c)), 10,
                                TOLERANCE);
                }
            }
        }
        robot_close(&r);
    }
}

/* the n-th derivative is the complex step of the one before; the first is that of brute force */
static void test_partials_of_any_order(void **unused)
{
    (void)unused;
    enum { ORDER = 6 };
    uint64_t seed = 25;
    int seen[ORDER + 1][4] = {{0}};
    for (int s = 0; s < 600 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        int b = r.model->nbodies - 1;
        hml_representation rep = (hml_representation)(s / NSPECS % 4);
        int32_t column = (int32_t)((draw(&seed) + 1) / 2 * r.nv), indices[ORDER];
        state_series state = {.q = r.q};
        derivative_matrices out = {r.nv, J, NULL, NULL, NULL};
        frame_derivatives(r.model, b, HML_LEFT, &state, path, &out);
        for (int n = 0; n < ORDER; n++) { /* mostly on the path, where there is something to see */
            do indices[n] = (int32_t)((draw(&seed) + 1) / 2 * r.nv);
            while (draw(&seed) < 0.8 && twist_size(matrix_column(J, r.nv, indices[n])) == 0);
            num e[ORACLE_NV], q[2 * ORACLE_NV];
            unit_vector(r.nv, indices[n], e);
            complex_move(&r, e, q);
            twist step, D;
            assert_int_equal(jacobian_partial(r.model, b, rep, q, column, n, indices, path, &step), 0);
            step = imaginary(step);
            if (n == 0) {
                oracle_run(r.model, q, r.v, NULL, &o);
                step = imaginary(oracle_column(&o, b, rep, column));
            }
            assert_int_equal(jacobian_partial(r.model, b, rep, r.q, column, n + 1, indices, path, &D), 0);
            ASSERT_NEAR(D, step, 10 + 10 * twist_size(step), TOLERANCE);
            if (twist_size(D) > 0) seen[n + 1][rep]++;
        }
        robot_close(&r);
    }
    for (int n = 1; n <= ORDER; n++) { /* enough of them do not vanish */
        assert_true(seen[n][HML_LEFT] + seen[n][HML_RIGHT] > 5);
        assert_true(seen[n][HML_MIXED] > 10 && seen[n][HML_SPLIT] > 10);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
#if defined HML_NUM_C64
        cmocka_unit_test(test_against_complex_steps),
        cmocka_unit_test(test_placements_against_complex_steps),
        cmocka_unit_test(test_hessian_against_complex_steps),
        cmocka_unit_test(test_partials_of_any_order),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
