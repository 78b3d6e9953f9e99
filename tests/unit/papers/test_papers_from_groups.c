/*
 * From, the groups themselves through the public functions: exponential coordinates and S(φ) against matrix
 * exponentials, power series and differences, brackets, and the Coriolis matrix of Table 2, for every group.
 */
#include "arrays.h"
#include "from_check.h"
#include "hamel/se3.h"
#include "hamel/so3.h"

static const double slanted[3] = {0.48, 0.6, 0.64};

/* a group about z or, where it may be any, about a slanted axis; pitch 0.3 */
static hml_subgroup group_of(int group)
{
    hml_subgroup G;
    int any = group == HML_GROUP_CYLINDRICAL || group == HML_GROUP_R || group == HML_GROUP_H || group == HML_GROUP_SO2;
    ASSERT_OK(hml_subgroup_make((hml_group)group, any ? slanted : NULL, 0.3, &G));
    return G;
}

/* 1 + s ad/2! + s² ad²/3! + … */
static void series(int m, const double *ad, double sign, double *S)
{
    double term[36], next[36];
    identity(m, S), identity(m, term);
    for (int n = 1; n < 40; n++) {
        multiply(m, m, m, term, ad, next);
        for (int k = 0; k < m * m; k++) term[k] = sign * next[k] / (n + 1), S[k] += term[k];
    }
}

typedef struct {
    const hml_subgroup *G;
    const double *phi, *rate;
} curve;

static void element(const void *context, double t, double *H)
{
    const curve *c = context;
    double phi[6];
    for (int k = 0; k < hml_group_dimension(c->G->group); k++) phi[k] = c->phi[k] + t * c->rate[k];
    ASSERT_OK(hml_subgroup_exp(c->G, phi, H));
}

/*
 * (12), (28), (29), (34), (55), (59), (64), (72), (100), Table 2: exp(φ^), and S(φ) with v = S(φ) φ̇, v^ = g⁻¹ġ, which
 * is I − ½ad_φ + ⅙ad_φ² − …; its inverse, (40)
 */
static void test_exponential_coordinates(void **state)
{
    (void)state;
    for (int i = 0; i < 20 * HML_GROUP_COUNT; i++) {
        const hml_subgroup G = group_of(i % HML_GROUP_COUNT);
        int m = hml_group_dimension(G.group);
        double phi[6], rate[6], hat[16], E[16], H[16], dH[16], inverse[16], W[16], S[36], T[36], one[36], ad[36], v[6];
        draw_array(phi, m, 1.5), draw_array(rate, m, 1);
        ASSERT_OK(hml_subgroup_hat(&G, phi, hat));
        matrix_exponential(4, hat, E);
        ASSERT_OK(hml_subgroup_exp(&G, phi, H));
        CHECK(H, E, 16, 500 * EPS);
        ASSERT_OK(hml_subgroup_ad(&G, phi, ad));
        series(m, ad, -1, T);
        ASSERT_OK(hml_subgroup_jacobian(&G, phi, S));
        CHECK(S, T, m * m, 500 * EPS);
        curve c = {&G, phi, rate};
        difference(element, &c, 16, dH);
        ASSERT_OK(hml_se3_inverse(H, inverse));
        multiply(4, 4, 4, inverse, dH, W);
        multiply(m, m, 1, S, rate, v);
        ASSERT_OK(hml_subgroup_hat(&G, v, hat));
        CHECK(W, hat, 16, DIFFERENCE_TOL);
        ASSERT_OK(hml_subgroup_jacobian_inverse(&G, phi, T));
        multiply(m, m, m, S, T, one);
        double expected[36];
        identity(m, expected);
        CHECK(one, expected, m * m, 1000 * EPS);
        if (G.group == HML_GROUP_SO3) {
            ASSERT_OK(hml_so3_dexp_right(phi, T));
            CHECK(S, T, 9, 100 * EPS);
        } else if (G.group == HML_GROUP_SE3) {
            ASSERT_OK(hml_se3_dexp_right(phi, T));
            CHECK(S, T, 36, 100 * EPS);
        }
    }
}

/* (65), (79), (90), (112): near zero S(φ) is I − ½ad_φ; (102): ad is the bracket of the matrices */
static void test_reduced_jacobian_and_bracket(void **state)
{
    (void)state;
    const double zero[6] = {0};
    for (int group = 0; group < HML_GROUP_COUNT; group++) {
        const hml_subgroup G = group_of(group);
        int m = hml_group_dimension(G.group);
        double dS[216], ad[36], x[6], y[6], A[16], B[16], AB[16], BA[16], z[6], hat[16];
        derivative_of_jacobian(&G, zero, dS);
        for (int l = 0; l < m; l++) {
            double unit[6] = {0}, column[36], expected[36];
            unit[l] = 1;
            ASSERT_OK(hml_subgroup_ad(&G, unit, ad));
            for (int k = 0; k < m * m; k++) column[k] = dS[k * m + l], expected[k] = -0.5 * ad[k];
            CHECK(column, expected, m * m, DIFFERENCE_TOL);
        }
        draw_array(x, m, 1), draw_array(y, m, 1);
        ASSERT_OK(hml_subgroup_hat(&G, x, A));
        ASSERT_OK(hml_subgroup_hat(&G, y, B));
        multiply(4, 4, 4, A, B, AB), multiply(4, 4, 4, B, A, BA);
        for (int k = 0; k < 16; k++) AB[k] -= BA[k];
        ASSERT_OK(hml_subgroup_ad(&G, x, ad));
        multiply(m, m, 1, ad, y, z);
        ASSERT_OK(hml_subgroup_hat(&G, z, hat));
        CHECK(AB, hat, 16, 100 * EPS);
    }
}

/*
 * (50)-(57), (68), (74), (82), (93), (105), (106), (109), Proposition 5.1, Table 2: C = ãd_(Mv) is skew, C v = −ad_vᵀ M
 * v, and the sum over ∂S/∂φ is the same matrix at φ = 0 and, with S⁻¹ on both sides, (54), everywhere
 */
static void test_coriolis_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * HML_GROUP_COUNT; i++) {
        const hml_subgroup G = group_of(i / 2);
        int m = hml_group_dimension(G.group);
        double M[36], p[6], C[36], tilde[36], ad[36], adt[36], Cv[6], expected[6], phi[6] = {0}, S[36], dS[216],
                                                                                   work[128];
        double general[36], six[36];
        momentum_of(&G, M, p);
        ASSERT_OK(hml_subgroup_coriolis(&G, M, motion, C));
        ASSERT_OK(hml_subgroup_ad_tilde(&G, p, tilde));
        CHECK(C, tilde, m * m, 100 * EPS);
        for (int k = 0; k < m * m; k++) assert_true(fabs(C[k] + C[k % m * m + k / m]) < 100 * EPS);
        ASSERT_OK(hml_subgroup_ad(&G, motion, ad));
        transpose(m, ad, adt), multiply(m, m, 1, adt, p, expected), multiply(m, m, 1, C, motion, Cv);
        for (int k = 0; k < m; k++) expected[k] = -expected[k];
        CHECK(Cv, expected, m, 200 * EPS);
        if (i % 2) draw_array(phi, m, 1.2);
        ASSERT_OK(hml_subgroup_jacobian(&G, phi, S));
        derivative_of_jacobian(&G, phi, dS);
        ASSERT_OK(hml_boltzmann_hamel_coriolis(m, S, dS, p, work, general));
        CHECK(general, C, m * m, 10 * DIFFERENCE_TOL);
        if (G.group == HML_GROUP_SE3) { /* (73) */
            ASSERT_OK(hml_se3_ad_tilde(p, six));
            CHECK(six, tilde, 36, 0);
        } else if (G.group == HML_GROUP_SO3) { /* (68) */
            const double hat[9] = {0, p[2], -p[1], -p[2], 0, p[0], p[1], -p[0], 0};
            CHECK(C, hat, 9, 100 * EPS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential_coordinates),
        cmocka_unit_test(test_reduced_jacobian_and_bracket),
        cmocka_unit_test(test_coriolis_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
