/*
 * Who carries the energy of a mode: against mass matrices of robots in which one body alone has a mass, a closed form with an
 * armature, and what is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/edit.h"
#include "hamel/hamel.h"
#include "hamel/random.h"

enum { BODIES = 6, MOST = 40, MODES = 5 };

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

/* of mode j, whose first row is `first`: wᴴ M w */
static double form(size_t nv, const double *M, const double *right, size_t first, size_t j)
{
    double sum = 0;
    for (size_t i = 0; i < nv; i++)
        for (size_t k = 0; k < nv; k++)
            for (size_t side = 0; side < 2; side++)
                sum += M[i * nv + k] * right[2 * ((first + i) * MODES + j) + side] *
                       right[2 * ((first + k) * MODES + j) + side];
    return sum;
}

static void test_random_robots(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static double M[MOST * MOST], right[2 * MOST * MODES * 2], energy[MODES * BODIES], q[2 * MOST];
        hml_random_spec spec;
        hml_model *model;
        hml_work *work;
        hml_rng rng;
        double whole[MODES];
        hml_inertia_spec all[BODIES];
        hml_random_spec_init(&spec);
        spec.seed = seed, spec.nbodies = BODIES, spec.mimic = seed % 3 ? 0 : 0.5;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
        const size_t nv = (size_t)hml_model_nv(model);
        assert_true(nv <= MOST && hml_model_nbodies(model) == BODIES);
        hml_rng_seed(&rng, seed);
        assert_int_equal(hml_configuration_random(model, &rng, q), HML_OK);
        for (size_t i = 0; i < 4 * nv * MODES; i++) right[i] = hml_rng_uniform(&rng, -1, 1);
        for (size_t i = 0; i < 2 * nv; i++) right[2 * ((nv * MODES) + i / 2 * MODES) + i % 2] = 0; /* an integrator */
        double *scratch = malloc(hml_modes_energy_scratch_doubles(model, MODES) * sizeof *scratch);
        assert_int_equal(hml_modes_energy(model, work, q, MODES, right, scratch, energy), HML_OK);
        assert_int_equal(hml_mass_matrix(model, work, q, M), HML_OK);
        for (size_t j = 0; j < MODES; j++) whole[j] = form(nv, M, right, j ? nv : 0, j);
        for (int32_t b = 0; b < BODIES; b++) {
            hml_body_info body = {.struct_size = sizeof body};
            assert_int_equal(hml_model_body(model, b, &body), HML_OK);
            all[b].mass = body.mass;
            for (int i = 0; i < 3; i++) all[b].com[i] = body.com[i];
            for (int i = 0; i < 9; i++) all[b].moment[i] = body.moment[i];
        }
        for (int32_t b = 0; b < BODIES; b++) { /* all but one are without a mass */
            hml_inertia_spec one[BODIES] = {0};
            one[b] = all[b];
            assert_int_equal(hml_model_set_inertias(model, 0, BODIES, one), HML_OK);
            assert_int_equal(hml_mass_matrix(model, work, q, M), HML_OK);
            for (size_t j = 0; j < MODES; j++)
                near(energy[j * BODIES + (size_t)b], form(nv, M, right, j ? nv : 0, j) / whole[j], 1e-10);
        }
        free(scratch);
        hml_work_free(work);
        hml_model_free(model);
    }
}

/* a rod of 3 kg whose end is 1 m away, on a cart of 2 kg; each joint has an armature, which belongs to its body */
static void test_armature(void **state)
{
    (void)state;
    hml_builder *builder = hml_builder_new();
    hml_model *model = NULL;
    hml_work *work;
    hml_joint_spec slide, hinge;
    const hml_inertia_spec cart = {.mass = 2, .moment = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                           rod = {.mass = 3, .com = {0, 0, 1}};
    hml_joint_spec_init(&slide, HML_JOINT_PRISMATIC), hml_joint_spec_init(&hinge, HML_JOINT_REVOLUTE);
    slide.name = "rail", slide.axis[0] = 1, slide.axis[2] = 0, slide.armature[0] = 0.5;
    hinge.name = "pin", hinge.axis[1] = 1, hinge.axis[2] = 0, hinge.armature[0] = 0.25;
    assert_int_equal(hml_builder_add_body(builder, "cart", NULL, &slide, &cart, NULL), HML_OK);
    assert_int_equal(hml_builder_add_body(builder, "rod", "cart", &hinge, &rod, NULL), HML_OK);
    assert_int_equal(hml_builder_build(builder, 0, &model, NULL), HML_OK);
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    /* velocities (1, 2i): the rod's centre moves with 1 + 2i, since its way is along x */
    const double q[2] = {0, 0}, right[8] = {0, 0, 0, 0, 1, 0, 0, 2};
    double scratch[64], energy[2];
    assert_true(hml_modes_energy_scratch_doubles(model, 1) <= 64);
    assert_int_equal(hml_modes_energy(model, work, q, 1, right, scratch, energy), HML_OK);
    const double first = 2 + 0.5, second = 3 * 5 + 0.25 * 4;
    near(energy[0], first / (first + second), 1e-14), near(energy[1], second / (first + second), 1e-14);
    const double still[8] = {0}, broken[8] = {NAN};
    assert_int_equal(hml_modes_energy(model, work, q, 1, still, scratch, energy), HML_OK);
    near(energy[0], 0, 0), near(energy[1], 0, 0);
    assert_int_equal(hml_modes_energy(model, work, q, 1, broken, scratch, energy), HML_NOT_FINITE);
    assert_int_equal(hml_modes_energy(model, work, q, 1, NULL, scratch, energy), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_modes_energy(NULL, work, q, 1, right, scratch, energy), HML_INVALID_ARGUMENT);
    hml_work_free(work);
    hml_model_free(model);
    hml_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_robots), cmocka_unit_test(test_armature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
