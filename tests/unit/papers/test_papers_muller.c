/*
 * Müller, section 2: partial derivatives of poses and Jacobians in his own letters, against differences of the poses
 * and columns themselves. Where the paper has a slip, the printed form must fail. test_kinematics_muller.c has the sums
 * that make accelerations and jerks of them.
 */
#include "difference.h"
#include "hamel/kinematics_derivatives.h"
#include "muller_check.h"

#define TINY     1e-12 /* some dozen roundings of numbers of size one */
#define RATE_TOL 1e-10 /* of a difference, numbers of size one and third derivatives of some dozen */
#define FINITE   0.05  /* a formula that is off by this much is wrong, not inexact */

typedef struct {
    const chain *x;
    int i, j, k;
    hml_representation rep;
} moved;

static void configuration(const moved *m, double t, double *q)
{
    memcpy(q, m->x->q, N * sizeof *q);
    q[m->k] += t;
}

/* C_i⁻¹ C_j while q_k moves */
static void relative_pose(const void *context, double t, double *out)
{
    const moved *m = context;
    double q[N], C[N + 1][16];
    configuration(m, t, q);
    chain_place(m->x, q, C);
    relative(C, m->i, m->j, out);
}

/* column j of body i */
static void column(const void *context, double t, double *out)
{
    const moved *m = context;
    double q[N], J[6 * N];
    hml_frame_motion f = {.struct_size = sizeof f, .J = J};
    configuration(m, t, q);
    assert_int_equal(hml_frame(m->x->model, m->x->work, m->i - 1, m->rep, q, NULL, NULL, &f), HML_OK);
    for (int k = 0; k < 6; k++) out[k] = J[k * N + m->j];
}

static void hat(const double x[6], double out[16]) { assert_int_equal(hml_se3_hat(x, out), HML_OK); }

static void product3(const double *A, const double *B, const double *C, double *out)
{
    double AB[16];
    multiply(4, 4, 4, A, B, AB), multiply(4, 4, 4, AB, C, out);
}

/* (2), the second of that number, (3)-(5) and (7); joints count from 0, so that body j + 1 is on joint j */
static void test_derivatives_of_relative_poses(void **state)
{
    (void)state;
    double printed_2 = 0, printed_3 = 0, printed_4 = 0;
    for (uint64_t seed = 1; seed < 4; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int index = 0; index < N * N * N; index++) {
            int i = 1 + index / N / N, j = 1 + index / N % N, k = 1 + index % N;
            if (j > i || k > i) continue;
            double(*J)[6] = x.J[HML_LEFT][i];
            double H[16], G[16], dH[16], dG[16], Jk[16], Jj[16], right[16] = {0}, zero[16] = {0}, own[16];
            moved m = {&x, i, j, k - 1, HML_LEFT};
            difference(relative_pose, &m, 16, dH);
            m.i = j, m.j = i;
            difference(relative_pose, &m, 16, dG);
            relative(x.C, i, j, H), relative(x.C, j, i, G);
            hat(J[k - 1], Jk), hat(J[j - 1], Jj);
            multiply(4, 4, 4, Jk, H, right);
            for (int e = 0; e < 16; e++) right[e] = -right[e];
            if (k > j) {
                CHECK(dH, right, 16, RATE_TOL); /* (3) */
            } else {
                CHECK(dH, zero, 16, RATE_TOL);
                if (k == j) printed_3 = fmax(printed_3, off(dH, right, 16));
            }
            multiply(4, 4, 4, G, Jk, right);
            if (k > j) {
                CHECK(dG, right, 16, RATE_TOL); /* (4) */
                multiply(4, 4, 4, G, Jj, right);
                printed_4 = fmax(printed_4, off(dG, right, 16));
            }
            /* Ĵ_ij = C_i⁻¹C_j X̂_j C_j⁻¹C_i; A_j⁻¹ Ŷ_j A_j = X̂_j. The product rule, (2), against differences and (5) */
            double a[16], b[16], rate[6], y[6], z[6], sum[16], vector[6];
            hat(x.X[j - 1], own);
            product3(dH, own, G, a), product3(H, own, dG, b);
            for (int e = 0; e < 16; e++) sum[e] = a[e] + b[e];
            assert_int_equal(hml_se3_vee(sum, vector), HML_OK);
            m = (moved){&x, i, j - 1, k - 1, HML_LEFT};
            difference(column, &m, 6, rate);
            CHECK(vector, rate, 6, RATE_TOL);
            product3(dH, own, H, a); /* the first term as printed ends in C_i⁻¹C_j */
            for (int e = 0; e < 16; e++) sum[e] = a[e] + b[e];
            assert_int_equal(hml_se3_vee(sum, vector), HML_OK);
            if (k > j) printed_2 = fmax(printed_2, off(vector, rate, 6));
            if (k <= j) continue;
            bracket(J[j - 1], J[k - 1], y);
            CHECK(y, rate, 6, RATE_TOL); /* (5) */
            relative(x.C, i, k, H);
            bracket(x.X[k - 1], x.J[HML_LEFT][k][j - 1], y);
            transform(H, y, z), scaled(-1, z, z);
            CHECK(z, rate, 6, RATE_TOL); /* (7) */
        }
        chain_close(&x);
    }
    assert_true(printed_2 > FINITE && printed_3 > FINITE && printed_4 > FINITE);
}

/* (15), (16) */
static void test_derivatives_of_spatial_columns(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int j = 1; j <= N; j++) {
            const double *Jj = x.J[HML_RIGHT][N][j - 1];
            double y[6];
            for (int k = 1; k <= N; k++) {
                double rate[6], z[6] = {0};
                moved m = {&x, N, j - 1, k - 1, HML_RIGHT};
                difference(column, &m, 6, rate);
                if (k < j) bracket(x.J[HML_RIGHT][N][k - 1], Jj, z);
                CHECK(z, rate, 6, RATE_TOL);
            }
            bracket(x.V[HML_RIGHT][j], Jj, y);
            CHECK(y, x.Jd[HML_RIGHT][N][j - 1], 6, 10 * TINY);
        }
        chain_close(&x);
    }
}

/* [… [[J_j, J_β1], J_β2] …] for β rising, or zero */
static void nested_left(double (*J)[6], int j, int n, const int *beta, double out[6])
{
    memcpy(out, J[j], 6 * sizeof *out);
    for (int s = 0; s < n; s++) bracket(out, J[beta[s]], out);
    if (beta[0] <= j) memset(out, 0, 6 * sizeof *out);
}

/* [J_βn, [… [J_β1, J_j]]] for β falling, or zero */
static void nested_right(double (*J)[6], int j, int n, const int *beta, double out[6])
{
    memcpy(out, J[j], 6 * sizeof *out);
    for (int s = n - 1; s >= 0; s--) bracket(J[beta[s]], out, out);
    if (beta[n - 1] >= j) memset(out, 0, 6 * sizeof *out);
}

/* (12), (14), (20), (23): every column, every choice of two and three indices, in any order of differentiation */
static void test_higher_partial_derivatives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 3; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int index = 0; index < N * N * N * N; index++) {
            int j = index / N / N / N, alpha[3] = {index / N / N % N, index / N % N, index % N};
            for (int n = 2; n <= 3; n++) {
                int beta[3];
                double expected[6], got[6];
                memcpy(beta, alpha, sizeof beta);
                for (int a = 0; a < n; a++) { /* β are α in rising order */
                    for (int b = a + 1; b < n; b++) {
                        int keep = beta[a];
                        if (beta[b] < keep) beta[a] = beta[b], beta[b] = keep;
                    }
                }
                const int32_t wanted[3] = {alpha[0], alpha[1], alpha[2]};
                nested_left(x.J[HML_LEFT][N], j, n, beta, expected);
                assert_int_equal(hml_jacobian_partial(x.model, x.work, N - 1, HML_LEFT, x.q, j, n, wanted, got),
                                 HML_OK);
                CHECK(got, expected, 6, 10 * TINY);
                nested_right(x.J[HML_RIGHT][N], j, n, beta, expected);
                assert_int_equal(hml_jacobian_partial(x.model, x.work, N - 1, HML_RIGHT, x.q, j, n, wanted, got),
                                 HML_OK);
                CHECK(got, expected, 6, 10 * TINY);
            }
        }
        chain_close(&x);
    }
}

/* (24), both lines: by the product rule with Ad of R_i, and as a bracket with J_ik less its angular part */
static void test_derivatives_of_hybrid_columns(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        chain x;
        chain_open(&x, seed);
        double(*Jb)[6] = x.J[HML_LEFT][N], (*Jh)[6] = x.J[HML_MIXED][N];
        for (int j = 0; j < N; j++) {
            for (int k = j; k < N; k++) {
                double rate[6], turning[6], y[6], z[6], rest[6];
                moved m = {&x, N, j, k, HML_MIXED};
                difference(column, &m, 6, rate);
                angular_part(Jh[k], turning);
                rotate(x.C[N], Jb[j], y); /* ad_ω Ad_R J^b_ij + Ad_R [J^b_ij, J^b_ik] */
                bracket(turning, y, y);
                bracket(Jb[j], Jb[k], z);
                rotate(x.C[N], z, z);
                add(y, 1, z);
                CHECK(y, rate, 6, RATE_TOL);
                scaled(1, Jh[k], rest), add(rest, -1, turning);
                bracket(Jh[j], rest, z);
                CHECK(z, rate, 6, RATE_TOL);
            }
        }
        chain_close(&x);
    }
}

/* (26), (27), (30) column by column; (31)-(32) for the jerk. As printed they fail */
static void test_rates_of_hybrid_columns(void **state)
{
    (void)state;
    double printed_26 = 0, printed_27 = 0, printed_27_last = 0, printed_31 = 0, printed_32 = 0;
    for (uint64_t seed = 1; seed < 10; seed++) {
        chain x;
        double jerk[6] = {0}, first_printed[6] = {0}, last_printed[6] = {0};
        chain_open(&x, seed);
        const double *d1 = x.d[0], *d2 = x.d[1], *d3 = x.d[2];
        for (int j = 1; j <= N; j++) {
            const double *J = x.J[HML_MIXED][N][j - 1], *rate = x.Jd[HML_MIXED][N][j - 1],
                         *X = x.J[HML_MIXED][j][j - 1];
            double omega[6], alpha[6], before[6], r[6], rd[6], rdd[6], r1[6], delta[6], y[6], z[6], w[6], own[6];
            angular_part(x.V[HML_MIXED][j], omega), angular_part(x.A[HML_MIXED][j], alpha);
            angular_part(x.V[HML_MIXED][j - 1], before);
            offset(&x, N, j, 0, r), offset(&x, N, j, 1, rd), offset(&x, N, j, 2, rdd), offset(&x, N, j - 1, 0, r1);
            /* (26): ΔV = V_i − Ad_{r_i,j−1} V_{j−1}, its linear part; and ad of ω_{j−1}, which is not in print */
            shift(r1, x.V[HML_MIXED][j - 1], y);
            scaled(1, x.V[HML_MIXED][N], delta), add(delta, -1, y), linear_part(delta, delta);
            bracket(J, delta, y);
            printed_26 = fmax(printed_26, off(y, rate, 6));
            bracket(before, J, z), add(y, 1, z);
            CHECK(y, rate, 6, 10 * TINY);
            /* (27): (ad_ṙ + Ad_r ad_ω) X, and Ad_r (ad of V^h_j − ad of ṙ_i) X */
            bracket(omega, X, y);
            bracket(rd, X, z);
            shift(r1, y, w), add(w, 1, z);
            if (j > 1) printed_27 = fmax(printed_27, off(w, rate, 6));
            shift(r, y, w), add(w, 1, z);
            CHECK(w, rate, 6, 10 * TINY);
            linear_part(x.V[HML_MIXED][N], own);
            bracket(x.V[HML_MIXED][j], X, w), bracket(own, X, z), add(w, -1, z), shift(r, w, w);
            CHECK(w, rate, 6, 10 * TINY);
            bracket(x.V[HML_RIGHT][j], X, w), add(w, -1, z), shift(r, w, w);
            printed_27_last = fmax(printed_27_last, off(w, rate, 6));
            /* (30): ad_r̈ + 2 ad_ṙ ad_ω + Ad_r (ad_ω̇ + ad_ω ad_ω) */
            double second[6] = {0}, twice[6], last[6];
            bracket(rdd, X, z), add(second, 1, z);
            bracket(rd, y, z), add(second, 2, z);
            bracket(omega, y, w), bracket(alpha, X, z), add(w, 1, z), shift(r, w, w), add(second, 1, w);
            CHECK(second, x.Jdd[N][j - 1], 6, 100 * TINY); /* of size ten */
            /* (31)-(32) */
            add(jerk, d3[j - 1], J), add(jerk, 2 * d2[j - 1], rate), add(jerk, d1[j - 1], second);
            add(first_printed, d2[j - 1], J), add(first_printed, 2 * d2[j - 1], rate);
            add(first_printed, d1[j - 1], second);
            bracket(alpha, X, z), shift(r, z, twice), shift(r, y, last); /* ad_ω in the place of ad_ω̇ */
            add(last_printed, d3[j - 1], J), add(last_printed, 2 * d2[j - 1], rate);
            add(last_printed, d1[j - 1], second), add(last_printed, -d1[j - 1], twice);
            add(last_printed, d1[j - 1], last);
        }
        CHECK(jerk, x.jerk[N], 6, 1000 * TINY); /* some tens */
        printed_31 = fmax(printed_31, off(first_printed, x.jerk[N], 6));
        printed_32 = fmax(printed_32, off(last_printed, x.jerk[N], 6));
        chain_close(&x);
    }
    assert_true(printed_26 > FINITE && printed_27 > FINITE && printed_27_last > FINITE);
    assert_true(printed_31 > FINITE && printed_32 > FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_of_relative_poses), cmocka_unit_test(test_derivatives_of_spatial_columns),
        cmocka_unit_test(test_higher_partial_derivatives),    cmocka_unit_test(test_derivatives_of_hybrid_columns),
        cmocka_unit_test(test_rates_of_hybrid_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
