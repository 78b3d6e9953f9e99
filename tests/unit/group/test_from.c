/*
 * From's worked cases as explicit equations, printed by a printer that knows no formula, and the Coriolis matrix that
 * the paper quotes to refute.
 */
#include "from_check.h"

/* ---- explicit equations ---- */

/* the four numbers of a body whose frame sits in its centre, along its principal axes */
enum { PARAMETERS = 4 };
static const char *const parameter_names[PARAMETERS] = {"m", "Ix", "Iy", "Iz"};

static const char coordinate_names[] = "uvwpqr"; /* From's: sliding along x, y, z, turning about them */
static const char *const rate_names[] = {"u̇", "v̇", "ẇ", "ṗ", "q̇", "ṙ"};

/* spatial inertia with one of them 1 and the others 0 */
static void unit_inertia(int parameter, double I[36])
{
    memset(I, 0, 36 * sizeof *I);
    if (parameter == 0)
        I[0] = I[7] = I[14] = 1;
    else
        I[7 * (2 + parameter)] = 1;
}

/* appends to text of 256 characters */
static void append(char *text, const char *more)
{
    assert_true(strlen(text) + strlen(more) < 256);
    strcat(text, more);
}

/* ± (Iy − Iz)·rest, from coefficients that are −1, 0 or 1 */
static void append_term(char *text, const double coefficient[PARAMETERS], const char *rest)
{
    int count = 0;
    double sign = 0;
    for (int a = 0; a < PARAMETERS; a++) {
        assert_true(coefficient[a] == 0 || fabs(coefficient[a]) == 1);
        if (coefficient[a] == 0) continue;
        if (count++ == 0) sign = coefficient[a];
    }
    if (count == 0) return;
    if (*text)
        append(text, sign < 0 ? " − " : " + ");
    else
        assert_true(sign > 0);
    if (count > 1) append(text, "(");
    for (int a = 0, written = 0; a < PARAMETERS; a++) {
        if (coefficient[a] == 0) continue;
        if (written++) append(text, coefficient[a] * sign < 0 ? " − " : " + ");
        append(text, parameter_names[a]);
    }
    append(text, count > 1 ? ")·" : "·");
    append(text, rest);
}

/* τ_i of the equation of motion, where one inertia parameter is 1 */
static double force(const hml_subgroup *G, int parameter, const double v[], const double vdot[], int i)
{
    double I[36], M[36], tau[6];
    unit_inertia(parameter, I);
    assert_int_equal(hml_subgroup_mass(G, I, M), HML_OK);
    assert_int_equal(hml_subgroup_inverse_dynamics(G, M, v, vdot, NULL, tau), HML_OK);
    return tau[i];
}

/*
 * Row i of M v̇ + C(v) v = τ as text. The force is linear in v̇ and in the inertia and quadratic in v, so its values on
 * basis vectors and on sums of two are its coefficients. `names`: one letter a coordinate; p, q, r are rotations.
 */
static void print_equation(hml_group group, const char *names, int i, char text[256])
{
    const hml_subgroup G = group_about_z(group);
    const int m = (int)strlen(names);
    const double zero[6] = {0};
    char factor[16];
    text[0] = '\0';
    assert_int_equal(m, hml_group_dimension(group));
    for (int j = 0; j < m; j++) {
        double unit[6] = {0}, coefficient[PARAMETERS];
        unit[j] = 1;
        for (int a = 0; a < PARAMETERS; a++) coefficient[a] = force(&G, a, zero, unit, i);
        snprintf(factor, sizeof factor, "%s", rate_names[strchr(coordinate_names, names[j]) - coordinate_names]);
        append_term(text, coefficient, factor);
        for (int a = 0; a < PARAMETERS; a++) assert_true(force(&G, a, unit, zero, i) == 0); /* no squares */
    }
    for (int j = 0; j < m; j++) {
        for (int k = j + 1; k < m; k++) {
            double both[6] = {0}, coefficient[PARAMETERS];
            both[j] = both[k] = 1;
            for (int a = 0; a < PARAMETERS; a++) coefficient[a] = force(&G, a, both, zero, i);
            int swap = strchr("pqr", names[k]) && !strchr("pqr", names[j]); /* r·v, as the paper writes it */
            snprintf(factor, sizeof factor, "%c·%c", names[swap ? k : j], names[swap ? j : k]);
            append_term(text, coefficient, factor);
        }
    }
    append(text, " = τ_");
    snprintf(factor, sizeof factor, "%c", names[i]);
    append(text, factor);
}

static void assert_equations(hml_group group, const char *names, const char *const *expected)
{
    for (int i = 0; i < (int)strlen(names); i++) {
        char text[256];
        print_equation(group, names, i, text);
        print_message("    %s\n", text);
        assert_string_equal(text, expected[i]);
    }
}

/* Euler's equations, From (2)-(4); the second reads −(I_z − I_x) r p there, which is the same */
static void test_equations_of_so3(void **state)
{
    (void)state;
    static const char *const expected[] = {"Ix·ṗ − (Iy − Iz)·q·r = τ_p", "Iy·q̇ + (Ix − Iz)·p·r = τ_q",
                                           "Iz·ṙ − (Ix − Iy)·p·q = τ_r"};
    assert_equations(HML_GROUP_SO3, "pqr", expected);
}

/* the equations after From (76); the last one ends in I_y·r·q there, and it is p·q */
static void test_equations_of_se3(void **state)
{
    (void)state;
    static const char *const expected[] = {"m·u̇ − m·r·v + m·q·w = τ_u",  "m·v̇ + m·r·u − m·p·w = τ_v",
                                           "m·ẇ − m·q·u + m·p·v = τ_w",  "Ix·ṗ − (Iy − Iz)·q·r = τ_p",
                                           "Iy·q̇ + (Ix − Iz)·p·r = τ_q", "Iz·ṙ − (Ix − Iy)·p·q = τ_r"};
    assert_equations(HML_GROUP_SE3, "uvwpqr", expected);
}

/* From (87) */
static void test_equations_of_se2(void **state)
{
    (void)state;
    static const char *const expected[] = {"m·u̇ − m·r·v = τ_u", "m·v̇ + m·r·u = τ_v", "Iz·ṙ = τ_r"};
    assert_equations(HML_GROUP_SE2, "uvr", expected);
}

/* From (96) */
static void test_equations_of_x(void **state)
{
    (void)state;
    static const char *const expected[] = {"m·u̇ − m·r·v = τ_u", "m·v̇ + m·r·u = τ_v", "m·ẇ = τ_w", "Iz·ṙ = τ_r"};
    assert_equations(HML_GROUP_X, "uvwr", expected);
}

/* From, sections 4.5 and 4.6; the helix has a pitch of one metre a radian */
static void test_equations_of_commutative_groups(void **state)
{
    (void)state;
    static const char *const r3[] = {"m·u̇ = τ_u", "m·v̇ = τ_v", "m·ẇ = τ_w"}, *const cylinder[] = {"m·ẇ = τ_w",
                                                                                                  "Iz·ṙ = τ_r"};
    static const char *const helix[] = {"(m + Iz)·ṙ = τ_r"};
    assert_equations(HML_GROUP_R3, "uvw", r3);
    assert_equations(HML_GROUP_R2, "uv", r3);
    assert_equations(HML_GROUP_CYLINDRICAL, "wr", cylinder);
    assert_equations(HML_GROUP_R, "w", cylinder);
    assert_equations(HML_GROUP_SO2, "r", cylinder + 1);
    assert_equations(HML_GROUP_H, "r", helix);
}

/* ---- what the paper refutes ---- */

/*
 * The Coriolis matrix of Duindam and Stramigioli as quoted in (33)-(37): C_ij = Σ_k (∂S_ji/∂φ_k − ∂S_jk/∂φ_i) p_k is
 * −ad_pᵀ, and it is not the one of the Newton-Euler equations (11). It even makes energy of nothing.
 */
static void test_refuted_formula_is_wrong(void **state)
{
    (void)state;
    static const hml_group groups[] = {HML_GROUP_SE3, HML_GROUP_SO3, HML_GROUP_SE2, HML_GROUP_X};
    for (int g = 0; g < 4; g++) {
        const hml_subgroup G = group_about_z(groups[g]);
        const double zero[6] = {0};
        int m = hml_group_dimension(groups[g]);
        double M[36], p[6], dS[216], refuted[36], printed[36], ad[36], wrong[6], right[6], C[36], power[2] = {0};
        momentum_of(&G, M, p);
        derivative_of_jacobian(&G, zero, dS);
        assert_int_equal(hml_subgroup_ad(&G, p, ad), HML_OK);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                refuted[i * m + j] = 0;
                for (int k = 0; k < m; k++) {
                    refuted[i * m + j] += (dS[(j * m + i) * m + k] - dS[(j * m + k) * m + i]) * p[k];
                }
                printed[i * m + j] = -ad[j * m + i];
            }
        }
        assert_near(refuted, printed, m * m, DIFFERENCE_TOL); /* (36) follows from (35) */
        assert_int_equal(hml_subgroup_coriolis(&G, M, motion, C), HML_OK);
        for (int i = 0; i < m; i++) {
            wrong[i] = right[i] = 0;
            for (int j = 0; j < m; j++) {
                wrong[i] += printed[i * m + j] * motion[j];
                right[i] += C[i * m + j] * motion[j];
            }
            power[0] += motion[i] * wrong[i];
            power[1] += motion[i] * right[i];
        }
        assert_true(distance(wrong, right, m) > FINITE);
        assert_true(fabs(power[1]) < ROUND_OFF * 10);                       /* terms of up to 5 cancel */
        if (groups[g] != HML_GROUP_SO3) assert_true(fabs(power[0]) > 0.01); /* 2.1, 0.024, 0.12 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations_of_so3),
        cmocka_unit_test(test_equations_of_se3),
        cmocka_unit_test(test_equations_of_se2),
        cmocka_unit_test(test_equations_of_x),
        cmocka_unit_test(test_equations_of_commutative_groups),
        cmocka_unit_test(test_refuted_formula_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
