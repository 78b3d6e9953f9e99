/* ∂(M⁻¹ b)/∂q against fourth-order differences of M⁻¹ b on the group, for every joint type, springs and armature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/linearize.h"

enum { NV = 64, NQ = 80 };

/* M(q ⊕ eps e_c)⁻¹ b */
static void solved(const hml_model *m, hml_work *work, const double *q, size_t c, double eps, const double *b,
                   double *x)
{
    static double Minv[NV * NV];
    double z[NV] = {0}, moved[NQ], v[NV] = {0};
    size_t n = (size_t)hml_model_nv(m);
    z[c] = eps;
    assert_int_equal(hml_configuration_integrate(m, q, z, moved), HML_OK);
    hml_linearization at = {.struct_size = sizeof at, .q.data = moved, .v.data = v, .Minv.data = Minv};
    assert_int_equal(hml_linearize(m, work, &at), HML_OK);
    for (size_t r = 0; r < n; r++) {
        x[r] = 0;
        for (size_t k = 0; k < n; k++) x[r] += Minv[r * n + k] * b[k];
    }
}

static void test_against_differences(void **state)
{
    (void)state;
    static const draw_tree_spec specs[] = {
        {.nbodies = 6, .root = HML_JOINT_FREE},
        {.nbodies = 6, .root = HML_JOINT_SPHERICAL, .points = 1},
        {.nbodies = 6, .root = HML_JOINT_FREE, .passive = 1, .forest = 1},
    };
    static double D[NV * NV];
    const double eps = 1e-3;
    uint64_t seed = 31;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        hml_model *m = draw_tree(&seed, &specs[s]);
        hml_work *work;
        double q[NQ], b[NV], worst = 0, size = 0;
        size_t n = (size_t)hml_model_nv(m);
        assert_true(n <= NV);
        assert_int_equal(hml_work_new(m, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
        draw_configuration(&seed, m, 1.0, q);
        for (size_t i = 0; i < n; i++) b[i] = draw(&seed);
        assert_int_equal(hml_inverse_mass_derivative(m, work, q, b, D), HML_OK);
        for (size_t c = 0; c < n; c++) {
            double p1[NV], m1[NV], p2[NV], m2[NV];
            solved(m, work, q, c, eps, b, p1);
            solved(m, work, q, c, -eps, b, m1);
            solved(m, work, q, c, 2 * eps, b, p2);
            solved(m, work, q, c, -2 * eps, b, m2);
            for (size_t r = 0; r < n; r++) {
                double difference = (8 * (p1[r] - m1[r]) - (p2[r] - m2[r])) / (12 * eps);
                size = fmax(size, fabs(D[r * n + c]));
                if (!(fabs(D[r * n + c] - difference) <= worst)) worst = fabs(D[r * n + c] - difference);
            }
        }
        assert_true(worst < 1e-9 * size); /* eps⁴ and round-off over eps, with two digits for the curvature */
        b[0] = NAN;
        assert_int_equal(hml_inverse_mass_derivative(m, work, q, b, D), HML_NOT_FINITE);
        assert_int_equal(hml_inverse_mass_derivative(m, work, q, NULL, D), HML_INVALID_ARGUMENT);
        hml_work_free(work);
        hml_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
