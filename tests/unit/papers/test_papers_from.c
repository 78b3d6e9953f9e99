/*
 * From, the steps between his starting point and his results: selection matrices as printed, kinetic energy in both
 * frames, γ_k in its two parts, the sums over ∂S/∂φ group by group, and the exchange of factors behind Proposition 5.1.
 * Derivatives are differences of eighth order.
 */
#include "from_check.h"
#include "hamel/rigid_body.h"
#include "hamel/se3.h"

static void product(int n, int m, int k, const double *A, const double *B, double *out) /* n×m times m×k */
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int l = 0; l < m; l++) sum += A[i * m + l] * B[l * k + j];
            out[i * k + j] = sum;
        }
    }
}

static void transposed(int n, int m, const double *A, double *out)
{
    for (int i = 0; i < n * m; i++) out[i % m * n + i / m] = A[i];
}

/* ---- section 4: selection, mass, energy ---- */

/* (58) with the matrices (62), (77), (88), here transposed as the last two are printed, and with the identity of SE(3)
 */
static void test_selection_matrices_as_printed(void **state)
{
    (void)state;
    static const struct {
        hml_group group;
        double rows[6][6];
    } printed[] = {
        {HML_GROUP_SO3, {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}}},
        {HML_GROUP_SE2, {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1}}},
        {HML_GROUP_X, {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1}}},
        {HML_GROUP_SE3,
         {{1, 0, 0, 0, 0, 0},
          {0, 1, 0, 0, 0, 0},
          {0, 0, 1, 0, 0, 0},
          {0, 0, 0, 1, 0, 0},
          {0, 0, 0, 0, 1, 0},
          {0, 0, 0, 0, 0, 1}}},
    };
    for (size_t g = 0; g < sizeof printed / sizeof *printed; g++) {
        const hml_subgroup G = group_about_z(printed[g].group);
        int m = hml_group_dimension(G.group);
        double S[36], St[36];
        assert_int_equal(hml_subgroup_selection(&G, S), HML_OK);
        transposed(6, m, S, St);
        assert_near(St, printed[g].rows[0], 6 * m, 0);
    }
}

/* (60): ½vᵀMv with M = HᵀIH is the energy of the whole twist, for every group; (63): M of SO(3) */
static void test_kinetic_energy_of_every_group(void **state)
{
    (void)state;
    double I[10], M[36], turning[9];
    assert_int_equal(hml_inertia_from_matrix(body, 1e-12, I), HML_OK);
    for (int group = 0; group < HML_GROUP_COUNT; group++) {
        const hml_subgroup G = group_about_z((hml_group)group);
        int m = hml_group_dimension(G.group);
        double S[36], V[6], energy = 0, whole;
        assert_int_equal(hml_subgroup_selection(&G, S), HML_OK);
        product(6, m, 1, S, motion, V);
        assert_int_equal(hml_inertia_kinetic_energy(I, V, &whole), HML_OK);
        assert_int_equal(hml_subgroup_mass(&G, body, M), HML_OK);
        for (int k = 0; k < m * m; k++) energy += 0.5 * motion[k / m] * M[k] * motion[k % m];
        assert_near(&energy, &whole, 1, ROUND_OFF);
    }
    const hml_subgroup G = group_about_z(HML_GROUP_SO3);
    double principal[36] = {0};
    const double expected[9] = {0.5, 0, 0, 0, 0.8, 0, 0, 0, 1.1};
    for (int k = 0; k < 3; k++) principal[7 * k] = 2, principal[7 * (k + 3)] = expected[4 * k];
    assert_int_equal(hml_subgroup_mass(&G, principal, turning), HML_OK);
    assert_near(turning, expected, 9, 0);
}

/* (61): with the spatial twist M(g) = Ad_(g⁻¹)ᵀ I Ad_(g⁻¹), and the energy is the same */
static void test_kinetic_energy_in_the_world(void **state)
{
    (void)state;
    const double xi[6] = {0.4, -1.2, 0.7, 0.9, -0.3, 1.1};
    double H[16], inverse[16], X[36], Xt[36], left[36], M[36], I[10], matrix[36], spatial[6], there, here, sum = 0;
    assert_int_equal(hml_se3_exp(xi, H), HML_OK);
    assert_int_equal(hml_se3_inverse(H, inverse), HML_OK);
    assert_int_equal(hml_se3_adjoint(inverse, X), HML_OK);
    transposed(6, 6, X, Xt);
    product(6, 6, 6, Xt, body, left), product(6, 6, 6, left, X, M);
    assert_int_equal(hml_inertia_from_matrix(body, 1e-12, I), HML_OK);
    assert_int_equal(hml_inertia_kinetic_energy(I, motion, &here), HML_OK);
    assert_int_equal(hml_inertia_transform(H, I, I), HML_OK);
    assert_int_equal(hml_inertia_matrix(I, matrix), HML_OK);
    assert_near(matrix, M, 36, 100 * ROUND_OFF); /* entries up to 20 */
    assert_int_equal(hml_twist_convert(H, HML_LEFT, motion, HML_RIGHT, spatial), HML_OK);
    assert_int_equal(hml_inertia_kinetic_energy(I, spatial, &there), HML_OK);
    assert_near(&there, &here, 1, 100 * ROUND_OFF);
    for (int k = 0; k < 36; k++) sum += 0.5 * spatial[k / 6] * M[k] * spatial[k % 6];
    assert_near(&sum, &here, 1, 100 * ROUND_OFF);
}

/* ---- section 3: γ_k ---- */

/* the inverse of that S by its blocks: R, and the rates of the angles */
static void pose_numbers_inverse(const double *q, double *inverse)
{
    double S[36], sr = sin(q[3]), cr = cos(q[3]), tp = tan(q[4]), cp = cos(q[4]);
    const double rates[9] = {1, sr * tp, cr * tp, 0, cr, -sr, 0, sr / cp, cr / cp};
    pose_numbers(q, S);
    memset(inverse, 0, 36 * sizeof *inverse);
    for (int k = 0; k < 9; k++)
        inverse[6 * (k / 3) + k % 3] = S[6 * (k % 3) + k / 3], inverse[6 * (k / 3 + 3) + k % 3 + 3] = rates[k];
}

static const double place[6] = {0.3, -1.1, 0.7, -0.4, 0.9, 2.1};

typedef struct {
    const double *direction, *qdot;
} path;

static void S_on_path(const void *context, double t, double *out)
{
    double q[6];
    for (int k = 0; k < 6; k++) q[k] = place[k] + t * ((const path *)context)->direction[k];
    pose_numbers(q, out);
}

/* S(q) q̇ with q̇ held */
static void velocity_on_path(const void *context, double t, double *out)
{
    double S[36];
    S_on_path(context, t, S);
    product(6, 6, 1, S, ((const path *)context)->qdot, out);
}

/*
 * (39)-(46) at one place and velocity: Ṡ and ∂(S q̇)/∂q by differences of themselves, the sums of (42) and (45) with
 * ∂S_ij/∂q_l, and γ_k from the library.
 */
static void test_gamma_in_two_parts(void **state)
{
    (void)state;
    enum { N = 6, CUBE = 216 };
    double S[36], inverse[36], inverse_t[36], qdot[6], dS[CUBE], Sdot[36], Sdot_t[36], gradient[36], gradient_t[36];
    double first[36], second[36], one[36] = {0}, two[36] = {0}, sum[36] = {0}, gamma[CUBE], work[128];
    pose_numbers(place, S);
    pose_numbers_inverse(place, inverse);
    transposed(N, N, inverse, inverse_t); /* (40) */
    product(N, N, 1, inverse, motion, qdot);
    for (int l = 0; l < N; l++) {
        double unit[6] = {0}, column[36];
        unit[l] = 1;
        path along = {unit, qdot};
        difference(S_on_path, &along, 36, column);
        for (int k = 0; k < 36; k++) dS[k * N + l] = column[k];
        difference(velocity_on_path, &along, N, column); /* (43) */
        for (int i = 0; i < N; i++) gradient[N * i + l] = column[i];
    }
    path along = {qdot, qdot};
    difference(S_on_path, &along, 36, Sdot);
    transposed(N, N, Sdot, Sdot_t), transposed(N, N, gradient, gradient_t);
    for (int k = 0; k < 36; k++) { /* entry (i, j) of Ṡᵀ by (41), of ∂ᵀ(S q̇)/∂q by (44) */
        int i = k / N, j = k % N;
        double rate = 0, entry = 0;
        for (int m = 0; m < N; m++)
            rate += dS[(N * j + i) * N + m] * qdot[m], entry += dS[(N * j + m) * N + i] * qdot[m];
        assert_near(&rate, &Sdot_t[k], 1, DIFFERENCE_TOL);
        assert_near(&entry, &gradient_t[k], 1, DIFFERENCE_TOL);
    }
    product(N, N, N, inverse_t, Sdot_t, first), product(N, N, N, inverse_t, gradient_t, second); /* (39) */
    for (int index = 0; index < 6 * 1296; index++) { /* (42), (45): Σ over l, m, k for every i, j */
        int i = index / 1296, j = index / 216 % N, l = index / 36 % N, m = index / N % N, k = index % N;
        double factor = inverse[N * l + i] * inverse[N * m + k] * motion[k];
        one[N * i + j] += dS[(N * j + l) * N + m] * factor;
        two[N * i + j] -= dS[(N * j + m) * N + l] * factor;
    }
    for (int k = 0; k < 36; k++) second[k] = -second[k];
    assert_near(one, first, 36, 10 * DIFFERENCE_TOL);
    assert_near(two, second, 36, 10 * DIFFERENCE_TOL);
    assert_int_equal(hml_boltzmann_hamel_gamma(N, S, dS, work, gamma), HML_OK); /* (46) */
    for (int k = 0; k < CUBE; k++) sum[k % 36] += gamma[k] * motion[k / 36];
    for (int k = 0; k < 36; k++) first[k] += second[k];
    assert_near(sum, first, 36, 10 * DIFFERENCE_TOL);

    /* (52): C_ij = Σ_s (Σ γ_k v_k)_is M_sj, another matrix than (54), the same C v, (53) */
    double C[36], other[36], p[6], Cv[6], other_v[6];
    product(N, N, 1, body, motion, p);
    product(N, N, N, sum, body, other);
    assert_int_equal(hml_boltzmann_hamel_coriolis(N, S, dS, p, work, C), HML_OK);
    product(N, N, 1, C, motion, Cv), product(N, N, 1, other, motion, other_v);
    assert_near(Cv, other_v, N, 10 * DIFFERENCE_TOL);
    assert_true(distance(C, other, 36) > FINITE);
}

/* ---- sections 4 and 5: sums over ∂S/∂φ ---- */

/*
 * With p = Mv: {Σ ∂S_ki/∂φ_j p_k} = ½ãd_p and {Σ ∂S_kj/∂φ_i p_k} = −½ãd_p at φ = 0, for every group: (66)-(67),
 * (80)-(81), (91)-(92); their difference is twice the first, (101), and is C, (105).
 */
static void test_sums_over_derivatives(void **state)
{
    (void)state;
    const double zero[6] = {0};
    for (int group = 0; group < HML_GROUP_COUNT; group++) {
        const hml_subgroup G = group_about_z((hml_group)group);
        int m = hml_group_dimension(G.group);
        double M[36], p[6], dS[216], first[36] = {0}, second[36] = {0}, half[36], minus[36], difference_[36], twice[36];
        double tilde[36], C[36], exact[216];
        momentum_of(&G, M, p);
        derivative_of_jacobian(&G, zero, dS);
        assert_int_equal(hml_subgroup_jacobian_derivative(&G, zero, exact), HML_OK);
        assert_near(exact, dS, m * m * m, DIFFERENCE_TOL);
        assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
        for (int e = 0; e < m * m; e++) {
            int i = e / m, j = e % m;
            for (int k = 0; k < m; k++)
                first[e] += dS[(k * m + i) * m + j] * p[k], second[e] += dS[(k * m + j) * m + i] * p[k];
            half[e] = 0.5 * tilde[e], minus[e] = -half[e];
            difference_[e] = first[e] - second[e], twice[e] = 2 * first[e];
        }
        assert_near(first, half, m * m, DIFFERENCE_TOL);
        assert_near(second, minus, m * m, DIFFERENCE_TOL);
        assert_near(difference_, twice, m * m, DIFFERENCE_TOL);
        assert_int_equal(hml_subgroup_coriolis(&G, M, motion, C), HML_OK);
        assert_near(difference_, C, m * m, DIFFERENCE_TOL);
    }
    /* the matrices as they are printed */
    const double so3[9] = {0, -5, 3, 5, 0, -2, -3, 2, 0}, se2[9] = {0, 0, 3, 0, 0, -2, -3, 2, 0};
    const double x[16] = {0, 0, 0, 3, 0, 0, 0, -2, 0, 0, 0, 0, -3, 2, 0, 0}, p[4] = {2, 3, 5, 7};
    const struct {
        hml_group group;
        const double *matrix;
    } printed[] = {{HML_GROUP_SO3, so3}, {HML_GROUP_SE2, se2}, {HML_GROUP_X, x}};
    for (int g = 0; g < 3; g++) {
        const hml_subgroup G = group_about_z(printed[g].group);
        int m = hml_group_dimension(G.group);
        double dS[216], sum[16] = {0}, expected[16];
        derivative_of_jacobian(&G, zero, dS);
        for (int e = 0; e < m * m; e++) {
            for (int k = 0; k < m; k++) sum[e] += dS[(k * m + e / m) * m + e % m] * p[k];
            expected[e] = -0.5 * printed[g].matrix[e]; /* (66), (80), (91) */
        }
        assert_near(sum, expected, m * m, 10 * DIFFERENCE_TOL);
    }
}

/*
 * Lemma 5.1, (98): x̄ y = ȳ x with ȳ_ij = Σ_k ∂x̄_ik/∂x_j y_k, for x̄ = ad_x, which is linear, so that its derivative by
 * x_j is ad of a unit vector; Lemma 5.2, (99): also for the sum ad_x + 2 ad_xᵀ. (110) and (111) set a vector equal to a
 * matrix: the right-hand sides still have to be multiplied by v, and −(111) is then ãd_(Mv), Proposition 5.1.
 */
static void test_factors_are_exchanged(void **state)
{
    (void)state;
    for (int group = 0; group < HML_GROUP_COUNT; group++) {
        const hml_subgroup G = group_about_z((hml_group)group);
        int m = hml_group_dimension(G.group);
        double M[36], p[6], ad[36], tilde[36], straight[36] = {0}, turned[36] = {0}, both[36], unit_ad[36];
        momentum_of(&G, M, p);
        assert_int_equal(hml_subgroup_ad(&G, motion, ad), HML_OK);
        for (int j = 0; j < m; j++) {
            double unit[6] = {0};
            unit[j] = 1;
            assert_int_equal(hml_subgroup_ad(&G, unit, unit_ad), HML_OK);
            for (int i = 0; i < m; i++) {
                for (int k = 0; k < m; k++) {
                    straight[i * m + j] += unit_ad[i * m + k] * p[k]; /* (110) */
                    turned[i * m + j] += unit_ad[k * m + i] * p[k];   /* (111) */
                }
            }
        }
        double left[6] = {0}, left_t[6] = {0}, right[6], right_t[6], sum[6], sum_right[6];
        for (int e = 0; e < m * m; e++) {
            int i = e / m, k = e % m;
            left[i] += ad[e] * p[k], left_t[i] += ad[k * m + i] * p[k];
            both[e] = straight[e] + 2 * turned[e];
        }
        product(m, m, 1, straight, motion, right), product(m, m, 1, turned, motion, right_t);
        product(m, m, 1, both, motion, sum_right);
        for (int i = 0; i < m; i++) sum[i] = left[i] + 2 * left_t[i];
        assert_near(left, right, m, ROUND_OFF * 10);
        assert_near(left_t, right_t, m, ROUND_OFF * 10);
        assert_near(sum, sum_right, m, ROUND_OFF * 10);
        assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
        for (int e = 0; e < m * m; e++) turned[e] = -turned[e];
        assert_near(turned, tilde, m * m, ROUND_OFF);
    }
}

/* (78), (89) and Table 1: ad_V entry by entry */
static void test_adjoint_maps_as_printed(void **state)
{
    (void)state;
    const double u = 2, v = 3, w = 5, p = 7, q = 11, r = 13;
    const double V[3][6] = {{u, v, w, p, q, r}, {u, v, w, r, 0, 0}, {u, v, r, 0, 0, 0}};
    const double se3[36] = {0, -r, q, 0, -w, v, r, 0, -p, w, 0, -u, -q, p, 0, -v, u, 0,
                            0, 0,  0, 0, -r, q, 0, 0, 0,  r, 0, -p, 0,  0, 0, -q, p, 0};
    const double x[16] = {0, -r, 0, v, r, 0, 0, -u}, se2[9] = {0, -r, v, r, 0, -u};
    const struct {
        hml_group group;
        const double *matrix;
    } printed[] = {{HML_GROUP_SE3, se3}, {HML_GROUP_X, x}, {HML_GROUP_SE2, se2}};
    for (int g = 0; g < 3; g++) {
        const hml_subgroup G = group_about_z(printed[g].group);
        int m = hml_group_dimension(G.group);
        double ad[36];
        assert_int_equal(hml_subgroup_ad(&G, V[g], ad), HML_OK);
        assert_near(ad, printed[g].matrix, m * m, 0);
    }
    const hml_subgroup G = group_about_z(HML_GROUP_SO3); /* and of SO(3): V^ itself */
    const double omega[3] = {p, q, r}, so3[9] = {0, -r, q, r, 0, -p, -q, p, 0};
    double ad[9], hat[16], corner[9];
    assert_int_equal(hml_subgroup_ad(&G, omega, ad), HML_OK);
    assert_near(ad, so3, 9, 0);
    assert_int_equal(hml_subgroup_hat(&G, omega, hat), HML_OK); /* (6) */
    for (int k = 0; k < 9; k++) corner[k] = hat[4 * (k / 3) + k % 3];
    assert_near(corner, so3, 9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selection_matrices_as_printed), cmocka_unit_test(test_kinetic_energy_of_every_group),
        cmocka_unit_test(test_kinetic_energy_in_the_world),   cmocka_unit_test(test_gamma_in_two_parts),
        cmocka_unit_test(test_sums_over_derivatives),         cmocka_unit_test(test_factors_are_exchanged),
        cmocka_unit_test(test_adjoint_maps_as_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
