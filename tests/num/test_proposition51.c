/*
 * From's general theorem, Proposition 5.1, on every subgroup and every kind of number: the Coriolis matrix made of
 * derivatives of S(φ) is ãd_(Mv), at φ = 0 and away from it. Derivatives of S are rates of subgroup_jacobian: exact by
 * complex steps where numbers are complex.
 */
#include "subgroup_check.h"

typedef struct {
    subgroup G;
    num phi[6];
    int l; /* the coordinate that moves */
} ray;

static void jacobian_on_ray(const void *context, num t, num *out)
{
    const ray *r = context;
    num phi[6];
    for (int i = 0; i < 6; i++) phi[i] = r->phi[i];
    phi[r->l] += t;
    subgroup_jacobian(r->G, phi, out);
}

/* dS[(i·m + j)·m + l] = ∂S_ij/∂φ_l */
static void derivative_of_jacobian(subgroup G, const num phi[], num dS[])
{
    int m = subgroup_dimension(G.group);
    ray r = {.G = G};
    for (int i = 0; i < 6; i++) r.phi[i] = i < m ? phi[i] : K(0);
    for (r.l = 0; r.l < m; r.l++) {
        num column[36];
        rate(jacobian_on_ray, &r, (size_t)(m * m), column);
        for (int i = 0; i < m * m; i++) dS[i * m + r.l] = column[i];
    }
}

/* From (54): C = S⁻ᵀ B S⁻¹ with B_lm = Σ_s (∂S_sl/∂φ_m − ∂S_sm/∂φ_l) p_s */
static void coriolis_54(int m, const num *inverse, const num *dS, const num *p, num *C)
{
    num B[36], product[36], transposed[36];
    for (int l = 0; l < m; l++) {
        for (int n = 0; n < m; n++) {
            B[l * m + n] = K(0);
            for (int s = 0; s < m; s++) B[l * m + n] += (dS[(s * m + l) * m + n] - dS[(s * m + n) * m + l]) * p[s];
            transposed[l * m + n] = inverse[n * m + l];
        }
    }
    matrix_product(m, B, inverse, product);
    matrix_product(m, transposed, product, C);
}

/* (57), where S = 1 */
static void test_at_zero(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS / 4; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num zero[6] = {K(0), K(0), K(0), K(0), K(0), K(0)}, p[6], dS[216], one[36], C[36], tilde[36];
        draw_numbers(m, p);
        derivative_of_jacobian(G, zero, dS);
        matrix_one(m, one);
        coriolis_54(m, one, dS, p, C);
        subgroup_ad_tilde(G, p, tilde);
        CHECK_ARRAY(C, tilde, (size_t)(m * m), RATE_TOL);
    }
}

/* the derivatives of S at zero are −½ times the structure constants: S_r of (65), (79), (90), with a minus everywhere
 */
static void test_reduced_jacobian(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS / 4; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num zero[6] = {K(0), K(0), K(0), K(0), K(0), K(0)}, dS[216], unit[6], ad[36], expected[216];
        derivative_of_jacobian(G, zero, dS);
        for (int l = 0; l < m; l++) {
            for (int j = 0; j < m; j++) unit[j] = K(j == l);
            subgroup_ad(G, unit, ad);
            for (int j = 0; j < m * m; j++) expected[j * m + l] = K(-0.5) * ad[j];
        }
        CHECK_ARRAY(dS, expected, (size_t)(m * m * m), RATE_TOL);
    }
}

/* (54) where S is far from 1 */
static void test_away_from_zero(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS / 2; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num phi[6], p[6], dS[216], inverse[36], C[36], tilde[36];
        draw_coordinates(G, angles[i % ANGLES], phi);
        draw_numbers(m, p);
        derivative_of_jacobian(G, phi, dS);
        subgroup_jacobian_inverse(G, phi, inverse);
        coriolis_54(m, inverse, dS, p, C);
        subgroup_ad_tilde(G, p, tilde);
        CHECK_ARRAY(C, tilde, (size_t)(m * m), 100 * RATE_TOL); /* S⁻¹ twice, up to 8 each at 5 rad */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_zero),
        cmocka_unit_test(test_reduced_jacobian),
        cmocka_unit_test(test_away_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
