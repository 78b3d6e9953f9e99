/* The public face of the subgroups: names, making, shapes, statuses, and that nothing is written beyond m×m. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/subgroup.h"

#define TOL 1e-14 /* round-off of numbers near 1 */

static const double nan3[3] = {0, NAN, 1}, some[6] = {0.3, -0.8, 0.5, 0.2, 0.7, -0.4}, many[36] = {0};
static const double sick[6] = {INFINITY, NAN, NAN, NAN, NAN, NAN};

static hml_subgroup group_of(int group)
{
    static const double axis[3] = {0, 2, 0}; /* of any length */
    hml_subgroup G;
    assert_int_equal(hml_subgroup_make((hml_group)group, axis, 0.4, &G), HML_OK);
    return G;
}

static void test_names_and_dimensions(void **state)
{
    (void)state;
    static const char *const names[] = {"SE(3)", "X", "R3", "SE(2)", "SO(3)", "R2", "RxSO(2)", "R", "H", "SO(2)"};
    static const int dimensions[] = {6, 4, 3, 3, 3, 2, 2, 1, 1, 1};
    for (int g = 0; g < HML_GROUP_COUNT; g++) {
        assert_string_equal(hml_group_name((hml_group)g), names[g]);
        assert_int_equal(hml_group_dimension((hml_group)g), dimensions[g]);
    }
    assert_null(hml_group_name((hml_group)HML_GROUP_COUNT));
    assert_int_equal(hml_group_dimension((hml_group)HML_GROUP_COUNT), 0);
}

static void test_making(void **state)
{
    (void)state;
    static const double slanted[3] = {3, 0, 4}, huge[3] = {0, 1e300, 1e300}, tiny[3] = {0, 0, 1e-310};
    static const double zero[3] = {0}, down[3] = {0, 0, -1};
    hml_subgroup G;
    assert_int_equal(hml_subgroup_make(HML_GROUP_SO2, slanted, 5, &G), HML_OK);
    assert_true(fabs(G.axis[0] - 0.6) < TOL && G.axis[1] == 0 && fabs(G.axis[2] - 0.8) < TOL);
    assert_true(G.pitch == 0); /* SO(2) has none */
    assert_int_equal(hml_subgroup_make(HML_GROUP_H, NULL, 5, &G), HML_OK);
    assert_true(G.axis[2] == 1 && G.pitch == 5);
    assert_int_equal(hml_subgroup_make(HML_GROUP_R, huge, 0, &G), HML_OK);
    assert_true(fabs(G.axis[1] - sqrt(0.5)) < TOL);
    assert_int_equal(hml_subgroup_make(HML_GROUP_SE2, tiny, 0, &G), HML_OK);
    assert_int_equal(hml_subgroup_make(HML_GROUP_SE3, zero, 0, &G), HML_OK); /* its axis is not asked for */

    assert_int_equal(hml_subgroup_make(HML_GROUP_SE2, slanted, 0, &G), HML_OK);
    assert_int_equal(hml_subgroup_make(HML_GROUP_X, down, 0, &G), HML_OK);
    assert_true(G.axis[2] == -1);
    assert_int_equal(hml_subgroup_make(HML_GROUP_R2, huge, 0, &G), HML_OK);

    assert_int_equal(hml_subgroup_make(HML_GROUP_X, zero, 0, &G), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_make(HML_GROUP_R, zero, 0, &G), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_make(HML_GROUP_R, slanted, 0, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_make((hml_group)-1, slanted, 0, &G), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_make(HML_GROUP_R, nan3, 0, &G), HML_NOT_FINITE);
    assert_int_equal(hml_subgroup_make(HML_GROUP_H, slanted, NAN, &G), HML_NOT_FINITE);
}

static void test_joints_are_subgroups(void **state)
{
    (void)state;
    static const struct {
        hml_joint_type type;
        hml_group group;
    } table[] = {
        {HML_JOINT_REVOLUTE, HML_GROUP_SO2},    {HML_JOINT_PRISMATIC, HML_GROUP_R},
        {HML_JOINT_HELICAL, HML_GROUP_H},       {HML_JOINT_CYLINDRICAL, HML_GROUP_CYLINDRICAL},
        {HML_JOINT_TRANSLATION2, HML_GROUP_R2}, {HML_JOINT_PLANAR, HML_GROUP_SE2},
        {HML_JOINT_SPHERICAL, HML_GROUP_SO3},   {HML_JOINT_TRANSLATION3, HML_GROUP_R3},
        {HML_JOINT_SCHOENFLIES, HML_GROUP_X},   {HML_JOINT_FREE, HML_GROUP_SE3},
    };
    static const double x[3] = {1, 0, 0};
    hml_subgroup G;
    for (int i = 0; i < HML_GROUP_COUNT; i++) {
        assert_int_equal(hml_subgroup_of_joint(table[i].type, x, 0.2, &G), HML_OK);
        assert_int_equal(G.group, table[i].group);
        int turns_about_z = table[i].type >= HML_JOINT_TRANSLATION2; /* planar joints use their own frame */
        assert_true(G.axis[turns_about_z ? 2 : 0] == 1);
        assert_true(G.pitch == (table[i].type == HML_JOINT_HELICAL ? 0.2 : 0));
    }
    assert_int_equal(hml_subgroup_of_joint(HML_JOINT_FIXED, x, 0, &G), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_of_joint(HML_JOINT_UNIVERSAL, x, 0, &G), HML_INVALID_ARGUMENT);
}

/* an output of `size` numbers is filled and its neighbours are not touched */
static void assert_filled(const double *out, int size)
{
    for (int i = 0; i < size; i++) assert_true(isfinite(out[i]));
    for (int i = size; i < 40; i++) assert_true(isnan(out[i]));
}

static double *unfilled(double *out)
{
    for (int i = 0; i < 40; i++) out[i] = NAN;
    return out;
}

static void test_shapes(void **state)
{
    (void)state;
    for (int g = 0; g < HML_GROUP_COUNT; g++) {
        const hml_subgroup G = group_of(g);
        int m = hml_group_dimension(G.group);
        double out[40], H[40], M[40], tau[40], I[36] = {0};
        for (int i = 0; i < 6; i++) I[7 * i] = 1 + i;
        assert_int_equal(hml_subgroup_selection(&G, unfilled(out)), HML_OK);
        assert_filled(out, 6 * m);
        assert_int_equal(hml_subgroup_hat(&G, some, unfilled(out)), HML_OK);
        assert_filled(out, 16);
        assert_int_equal(hml_subgroup_ad(&G, some, unfilled(out)), HML_OK);
        assert_filled(out, m * m);
        assert_int_equal(hml_subgroup_ad_tilde(&G, some, unfilled(out)), HML_OK);
        assert_filled(out, m * m);
        assert_int_equal(hml_subgroup_jacobian(&G, some, unfilled(out)), HML_OK);
        assert_filled(out, m * m);
        assert_int_equal(hml_subgroup_jacobian_inverse(&G, some, unfilled(out)), HML_OK);
        assert_filled(out, m * m);
        assert_int_equal(hml_subgroup_exp(&G, some, unfilled(H)), HML_OK);
        assert_filled(H, 16);
        assert_int_equal(hml_subgroup_log(&G, H, unfilled(out)), HML_OK);
        assert_filled(out, m);
        for (int i = 0; i < m; i++) assert_true(fabs(out[i] - some[i]) < TOL);
        assert_int_equal(hml_subgroup_mass(&G, I, unfilled(M)), HML_OK);
        assert_filled(M, m * m);
        assert_int_equal(hml_subgroup_coriolis(&G, M, some, unfilled(out)), HML_OK);
        assert_filled(out, m * m);
        assert_int_equal(hml_subgroup_inverse_dynamics(&G, M, some, some, NULL, unfilled(tau)), HML_OK);
        assert_filled(tau, m);
        assert_int_equal(hml_subgroup_forward_dynamics(&G, M, some, tau, NULL, unfilled(out)), HML_OK);
        assert_filled(out, m);
        for (int i = 0; i < m; i++) assert_true(fabs(out[i] - some[i]) < TOL);
    }
}

/* S and M of a group along a slanted axis, by hand */
static void test_selection_and_mass(void **state)
{
    (void)state;
    static const double slanted[3] = {3, 0, 4};
    const double helix[6] = {0.3, 0, 0.4, 0.6, 0, 0.8};
    double S[6], I[36] = {0}, M;
    hml_subgroup G;
    assert_int_equal(hml_subgroup_make(HML_GROUP_H, slanted, 0.5, &G), HML_OK);
    assert_int_equal(hml_subgroup_selection(&G, S), HML_OK);
    for (int i = 0; i < 6; i++) assert_true(fabs(S[i] - helix[i]) < TOL);
    I[0] = I[7] = I[14] = 2, I[21] = 1, I[28] = 5, I[35] = 3, I[4] = I[24] = 0.25;
    I[5] = I[30] = -0.5; /* couples sliding along x to turning about z */
    assert_int_equal(hml_subgroup_mass(&G, I, &M), HML_OK);
    assert_true(fabs(M - (2 * 0.25 + 0.36 + 3 * 0.64 - 2 * 0.5 * 0.3 * 0.8)) < TOL);
}

/* every function refuses the same things with the same statuses */
static void test_refusals(void **state)
{
    (void)state;
    typedef hml_status (*one_input)(const hml_subgroup *, const double *, double *);
    static const one_input functions[] = {hml_subgroup_hat, hml_subgroup_ad,       hml_subgroup_ad_tilde,
                                          hml_subgroup_exp, hml_subgroup_jacobian, hml_subgroup_jacobian_inverse,
                                          hml_subgroup_log, hml_subgroup_mass};
    const hml_subgroup good = group_of(HML_GROUP_SE2), unknown = {.group = (hml_group)77};
    const hml_subgroup bent = {.group = HML_GROUP_SO2, .axis = {0, 0, 1.1}},
                       lost = {.group = HML_GROUP_SO2, .axis = {0, NAN, 1}};
    const hml_subgroup endless = {.group = HML_GROUP_H, .axis = {0, 0, 1}, .pitch = INFINITY};
    double out[36], bad[36];
    for (int i = 0; i < 36; i++) bad[i] = i < 6 ? sick[i] : 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        assert_int_equal(functions[i](NULL, many, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&good, NULL, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&good, many, NULL), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&unknown, many, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&bent, many, out), HML_NOT_NORMALIZED);
        assert_int_equal(functions[i](&lost, many, out), HML_NOT_FINITE);
        assert_int_equal(functions[i](&endless, many, out), HML_NOT_FINITE);
        assert_int_equal(functions[i](&good, bad, out), HML_NOT_FINITE);
    }
    assert_int_equal(hml_subgroup_selection(&good, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_selection(&unknown, out), HML_INVALID_ARGUMENT);
}

static void test_refusals_of_the_dynamics(void **state)
{
    (void)state;
    typedef hml_status (*dynamics)(const hml_subgroup *, const double *, const double *, const double *, const double *,
                                   double *);
    static const dynamics functions[] = {hml_subgroup_inverse_dynamics, hml_subgroup_forward_dynamics};
    const hml_subgroup G = group_of(HML_GROUP_SE2);
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, indefinite[9] = {1, 2, 0, 2, 1, 0, 0, 0, 1}, sick_M[9] = {NAN};
    double out[9];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(functions[i](NULL, M, some, some, NULL, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&G, NULL, some, some, NULL, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&G, M, NULL, some, NULL, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&G, M, some, NULL, NULL, out), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&G, M, some, some, NULL, NULL), HML_INVALID_ARGUMENT);
        assert_int_equal(functions[i](&G, sick_M, some, some, NULL, out), HML_NOT_FINITE);
        assert_int_equal(functions[i](&G, M, sick, some, NULL, out), HML_NOT_FINITE);
        assert_int_equal(functions[i](&G, M, some, sick, NULL, out), HML_NOT_FINITE);
        assert_int_equal(functions[i](&G, M, some, some, sick, out), HML_NOT_FINITE);
    }
    assert_int_equal(hml_subgroup_coriolis(&G, NULL, some, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_coriolis(&G, M, sick, out), HML_NOT_FINITE);
    assert_int_equal(hml_subgroup_forward_dynamics(&G, many, some, some, NULL, out), HML_SINGULAR);
    assert_int_equal(hml_subgroup_forward_dynamics(&G, indefinite, some, some, NULL, out), HML_SINGULAR);
    /* a feather that turns a flywheel: small beside the others is not singular */
    const double light[9] = {1e-20, 0, 0, 0, 1, 0, 0, 0, 1e-20};
    assert_int_equal(hml_subgroup_forward_dynamics(&G, light, many, some, NULL, out), HML_OK);
    assert_true(fabs(out[2] * 1e-20 - some[2]) < TOL);
}

/* a pose that is no element of the group, or none at all */
static void test_log_refuses_strangers(void **state)
{
    (void)state;
    double H[16], phi[6];
    const hml_subgroup all = group_of(HML_GROUP_SE3);
    assert_int_equal(hml_subgroup_exp(&all, some, H), HML_OK);
    for (int g = HML_GROUP_SE3 + 1; g < HML_GROUP_COUNT; g++) {
        const hml_subgroup G = group_of(g);
        assert_int_equal(hml_subgroup_log(&G, H, phi), HML_INVALID_ARGUMENT);
    }
    H[3] = 1e300; /* whatever comes of it, it is not passed on as an answer of SE(2) */
    assert_int_equal(hml_subgroup_log(&(hml_subgroup){HML_GROUP_SE2, {0, 0, 1}, 0}, H, phi), HML_INVALID_ARGUMENT);
    H[3] = 0, H[12] = 0.1; /* the last row is 0 0 0 1 */
    assert_int_equal(hml_subgroup_log(&all, H, phi), HML_INVALID_ARGUMENT);
    H[12] = 0, H[0] += 1e-5;
    assert_int_equal(hml_subgroup_log(&all, H, phi), HML_NOT_NORMALIZED);
    const double mirror[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1};
    assert_int_equal(hml_subgroup_log(&all, mirror, phi), HML_NOT_NORMALIZED);
}

/* a whole turn: S(φ) of the groups that do not commute has no inverse there */
static void test_singular_turns(void **state)
{
    (void)state;
    static const int angular[] = {5, 3, -1, 2, 2, -1, 1, -1, 0, 0};
    for (int g = 0; g < HML_GROUP_COUNT; g++) {
        const hml_subgroup G = group_of(g);
        int commutes = g != HML_GROUP_SE3 && g != HML_GROUP_X && g != HML_GROUP_SE2 && g != HML_GROUP_SO3;
        for (int turns = 0; turns <= 2; turns++) {
            double phi[6] = {0}, inverse[36];
            if (angular[g] >= 0) phi[angular[g]] = turns * 6.283185307179586;
            hml_status expected = turns == 0 || commutes ? HML_OK : HML_SINGULAR_PARAMETERIZATION;
            assert_int_equal(hml_subgroup_jacobian_inverse(&G, phi, inverse), expected);
            if (angular[g] >= 0) phi[angular[g]] += 1e-3;
            assert_int_equal(hml_subgroup_jacobian_inverse(&G, phi, inverse), HML_OK);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_dimensions),     cmocka_unit_test(test_making),
        cmocka_unit_test(test_joints_are_subgroups),     cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_selection_and_mass),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_of_the_dynamics), cmocka_unit_test(test_log_refuses_strangers),
        cmocka_unit_test(test_singular_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
