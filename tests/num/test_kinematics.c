/*
 * Frames on every kind of number: poses, twists and Jacobians against brute force, their time derivatives against
 * complex steps and, to high orders, against differences of smooth motions in 113 bits.
 */
#include "kernel/pack/jacobians.h"
#include "kinematics_check.h"

static oracle o;

/* Jacobians of all orders of one frame */
typedef struct jets {
    num J[SERIES_LENGTH][6 * ORACLE_NV];
    twist V[SERIES_LENGTH];
    pose H;
} jets;

static void run(const robot *r, int body, hml_representation rep, int order, const num *const *rates, jets *out)
{
    state_series state = {.q = r->q};
    jacobian_series j = {.order = order, .nv = r->nv};
    for (int n = 0; n <= order; n++) j.J[n] = out->J[n], state.rates[n] = rates[n];
    out->H = frame_series(r->model, body, HML_WORLD, rep, &state, order, out->V, &j);
}

static void test_values_against_brute_force(void **unused)
{
    (void)unused;
    static jets x;
    uint64_t seed = 11;
    for (int s = 0; s < 3 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int b = 0; b < r.model->nbodies; b++) {
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                const num *rates[] = {r.v, r.a};
                run(&r, b, (hml_representation)rep, 1, rates, &x);
                ASSERT_NEAR(twist_of(x.H.p, x.H.R.y), twist_of(o.H[b].p, o.H[b].R.y), 1, TOLERANCE);
                ASSERT_NEAR(x.V[0], oracle_twist(&o, b, (hml_representation)rep), 10, TOLERANCE);
                for (int c = 0; c < r.nv; c++) {
                    twist J = oracle_column(&o, b, (hml_representation)rep, c);
                    ASSERT_NEAR(matrix_column(x.J[0], r.nv, c), J, 10, TOLERANCE);
                }
                /* what J and J̇ say about twist and acceleration */
                twist V = twist_zero(), A = twist_zero();
                for (int c = 0; c < r.nv; c++) {
                    V = twist_axpy(r.v[c], matrix_column(x.J[0], r.nv, c), V);
                    A = twist_axpy(r.a[c], matrix_column(x.J[0], r.nv, c), A);
                    A = twist_axpy(r.v[c], matrix_column(x.J[1], r.nv, c), A);
                }
                ASSERT_NEAR(x.V[0], V, 10, TOLERANCE);
                ASSERT_NEAR(x.V[1], A, 100, TOLERANCE);
            }
        }
        robot_close(&r);
    }
}

/* the kernel of all columns: another state in every lane */
static void test_all_columns_against_brute_force(void **unused)
{
    (void)unused;
    static lane q[LANES][2 * ORACLE_NV], J[LANES][6 * ORACLE_NV], H[LANES][16 * ORACLE_BODIES];
    static _Alignas(64) char scratch[sizeof(num) * (8 * ORACLE_NV + 16 * ORACLE_BODIES) + 4096];
    uint64_t seed = 14;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        for (int l = 0; l < LANES; l++) {
            double x[2 * ORACLE_NV];
            draw_configuration(&seed, r.model, 1.0, x);
            for (int i = 0; i < r.nq; i++) q[l][i] = (lane)x[i], num_set(&r.q[i], l, (lane)x[i]);
        }
        oracle_run(r.model, r.q, r.v, NULL, &o);
        jacobian_call call = {.plan = model_plan(r.model), .scratch = scratch, .count = LANES};
        call.q.data = q[0], call.q.stride = 2 * ORACLE_NV;
        call.J.data = J[0], call.J.ld = (size_t)r.nv + (size_t)(s % 2), call.J.stride = 6 * ORACLE_NV;
        call.H.data = s % 3 ? H[0] : NULL, call.H.stride = 16 * ORACLE_BODIES;
        if (call.J.ld > ORACLE_NV) call.J.ld = ORACLE_NV;
        assert_int_equal(pack_jacobians(&call), 0);
        for (int l = 0; l < LANES; l++) {
            for (int c = 0; c < r.nv; c++) {
                num x[6];
                int body = 0;
                while (c >= model_bodies(r.model)[body].v + model_bodies(r.model)[body].nv) body++;
                twist_numbers(oracle_column(&o, body, HML_RIGHT, c), x);
                for (size_t i = 0; i < 6; i++) {
                    lane off = J[l][i * call.J.ld + (size_t)c] - num_get(x[i], l);
                    assert_true(fabs(real_part(K(0) + off)) < 10 * TOLERANCE);
                }
            }
            for (int b = 0; call.H.data && b < r.model->nbodies; b++) {
                assert_true(fabs(real_part(K(0) + (H[l][16 * b + 3] - num_get(o.H[b].p.x, l)))) < 10 * TOLERANCE);
                assert_true(fabs(real_part(K(0) + (H[l][16 * b + 6] - num_get(o.H[b].R.z.y, l)))) < 10 * TOLERANCE);
            }
        }
        q[LANES - 1][0] = (lane)NAN; /* the other lanes do not notice */
        assert_int_equal(pack_jacobians(&call), 1u << (LANES - 1));
        robot_close(&r);
    }
}

#if defined HML_NUM_C64

static void test_rates_against_complex_steps(void **unused)
{
    (void)unused;
    static jets x;
    uint64_t seed = 12;
    for (int s = 0; s < 3 * NSPECS; s++) {
        robot r;
        num q[2 * ORACLE_NV], v[ORACLE_NV];
        robot_open(&r, &seed, &specs[s % NSPECS]);
        complex_move(&r, r.v, q);
        complex_add(&r, r.v, r.a, v);
        oracle_run(r.model, q, v, NULL, &o);
        for (int b = 0; b < r.model->nbodies; b++) {
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                const num *rates[] = {r.v, r.a};
                run(&r, b, (hml_representation)rep, 1, rates, &x);
                twist A = imaginary(oracle_twist(&o, b, (hml_representation)rep));
                ASSERT_NEAR(x.V[1], A, 1 + twist_size(A), TOLERANCE);
                for (int c = 0; c < r.nv; c++) {
                    twist Jd = imaginary(oracle_column(&o, b, (hml_representation)rep, c));
                    ASSERT_NEAR(matrix_column(x.J[1], r.nv, c), Jd, 10, TOLERANCE);
                }
            }
        }
        robot_close(&r);
    }
}

#endif

#if defined HML_NUM_F128

/* acceleration, jerk, jounce, crackle, pop; J̇ … J⁽⁵⁾ */
static void test_orders_against_smooth_motions(void **unused)
{
    (void)unused;
    enum { ORDER = 5, POINTS = 4 * ORDER };
    static jets x;
    static motion m;
    static oracle samples[2 * POINTS + 1];
    static num rates[ORDER + 1][ORACLE_NV];
    uint64_t seed = 13;
    for (int s = 0; s < NSPECS; s++) {
        robot r;
        num v[2 * POINTS + 1][ORACLE_NV], f[2 * POINTS + 1];
        const num *state_rates[ORDER + 1];
        robot_open(&r, &seed, &specs[s]);
        motion_sample(&m, &r, &seed);
        for (int k = -POINTS; k <= POINTS; k++) {
            motion_velocity(&m, &r, k, v[POINTS + k]);
            oracle_run(r.model, m.q[GRID + k], v[POINTS + k], NULL, &samples[POINTS + k]);
        }
        for (int n = 0; n <= ORDER; n++) {
            state_rates[n] = rates[n];
            for (int i = 0; i < r.nv; i++) {
                for (int k = 0; k <= 2 * POINTS; k++) f[k] = v[k][i];
                for (int d = 0; d < n; d++) difference_once(f, POINTS - 4 * d);
                rates[n][i] = f[POINTS - 4 * n];
            }
        }
        for (int b = 0; b < r.model->nbodies; b += 3) {
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                run(&r, b, (hml_representation)rep, ORDER, state_rates, &x);
                for (int n = 0; n <= ORDER; n++) {
                    for (int c = -1; c < r.nv; c++) { /* −1: the twist */
                        num d[6], y[2 * POINTS + 1][6];
                        for (int k = 0; k <= 2 * POINTS; k++) {
                            twist_numbers(c < 0 ? oracle_twist(&samples[k], b, (hml_representation)rep)
                                                : oracle_column(&samples[k], b, (hml_representation)rep, c),
                                          y[k]);
                        }
                        for (int i = 0; i < 6; i++) {
                            for (int k = 0; k <= 2 * POINTS; k++) f[k] = y[k][i];
                            for (int e = 0; e < n; e++) difference_once(f, POINTS - 4 * e);
                            d[i] = f[POINTS - 4 * n];
                        }
                        twist D = twist_at(d);
                        ASSERT_NEAR(c < 0 ? x.V[n] : matrix_column(x.J[n], r.nv, c), D, 1 + twist_size(D), 1e-12);
                    }
                }
            }
        }
        robot_close(&r);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_against_brute_force),
        cmocka_unit_test(test_all_columns_against_brute_force),
#if defined HML_NUM_C64
        cmocka_unit_test(test_rates_against_complex_steps),
#endif
#if defined HML_NUM_F128
        cmocka_unit_test(test_orders_against_smooth_motions),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
