/* All Jacobians at once: the columns of every frame, in every instruction set, in batches with bad states among them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/kinematics.h"

enum { N = 21, MAX_NV = 64, MAX_NQ = 96, MAX_BODIES = 40 };

static double q[N * MAX_NQ], J[N * 6 * MAX_NV], H[N * 16 * MAX_BODIES], J1[6 * MAX_NV], H1[16 * MAX_BODIES];

static hml_model *open_model(uint64_t seed, unsigned types, double mimic)
{
    hml_random_spec spec;
    hml_model *model;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = types;
    spec.mimic = mimic;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    assert_true(hml_model_nv(model) <= MAX_NV && hml_model_nbodies(model) <= MAX_BODIES);
    return model;
}

static double worst(const double *x, const double *y, size_t n)
{
    double off = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= off)) off = fabs(x[i] - y[i]);
    return off;
}

/* does coordinate c move body b? */
static int moves(const hml_model *model, int32_t c, int32_t b)
{
    for (int32_t i = b; i >= 0;) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_body(model, i, &body);
        hml_model_joint(model, body.joint, &joint);
        if (c >= joint.v && c < joint.v + joint.nv) return 1;
        i = body.parent;
    }
    return 0;
}

static void test_columns_make_the_jacobians_of_all_bodies(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        hml_model *model = open_model(seed, 0xffeu & ~(1u << HML_JOINT_UNIVERSAL), 0);
        hml_work *work;
        hml_rng rng;
        int32_t nv = hml_model_nv(model), nb = hml_model_nbodies(model);
        hml_rng_seed(&rng, seed);
        assert_int_equal(hml_work_new(model, HML_ISA_SCALAR, HML_USE_TREE, &work), HML_OK);
        assert_int_equal(hml_configuration_random(model, &rng, q), HML_OK);
        hml_jacobian_columns x = {.struct_size = sizeof x, .q = {q, 0}, .H = {.data = H}, .J = {.data = J}};
        assert_int_equal(hml_all_jacobians(model, work, &x), HML_OK);
        assert_int_equal(hml_body_poses(model, work, q, H1), HML_OK);
        assert_true(worst(H, H1, 16 * (size_t)nb) < 1e-13);
        for (int32_t b = 0; b < nb; b++) {
            hml_frame_motion m = {.struct_size = sizeof m, .J = J1};
            assert_int_equal(hml_frame(model, work, b, HML_RIGHT, q, NULL, NULL, &m), HML_OK);
            for (int32_t c = 0; c < nv; c++) {
                for (int32_t r = 0; r < 6; r++) {
                    double expected = moves(model, c, b) ? J[r * nv + c] : 0;
                    assert_true(fabs(J1[r * nv + c] - expected) < 1e-13);
                }
            }
        }
        hml_work_free(work);
        hml_model_free(model);
    }
}

static void test_packs_agree_and_bad_states_stay_alone(void **state)
{
    (void)state;
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    for (uint64_t seed = 1; seed < 6; seed++) {
        hml_model *model = open_model(seed, seed % 2 ? 1u << HML_JOINT_REVOLUTE : 0xffeu, 0);
        hml_rng rng;
        size_t nq = (size_t)hml_model_nq(model), nv = (size_t)hml_model_nv(model);
        size_t poses = 16 * (size_t)hml_model_nbodies(model);
        hml_rng_seed(&rng, seed);
        for (size_t i = 0; i < N; i++) assert_int_equal(hml_configuration_random(model, &rng, q + i * nq), HML_OK);
        q[5 * nq + 8] = NAN;
        q[7 * nq + 4] = 3; /* of the base's quaternion */
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            hml_work *work;
            hml_status status[N];
            if (!hml_isa_available(all[k])) continue;
            assert_int_equal(hml_work_new(model, all[k], HML_USE_TREE, &work), HML_OK);
            hml_jacobian_columns x = {.struct_size = sizeof x, .q = {q, nq}, .H = {.data = H}, .J = {.data = J}};
            assert_int_equal(hml_all_jacobians_batch(model, work, N, &x, status), HML_NOT_FINITE);
            for (size_t i = 0; i < N; i++) {
                hml_jacobian_columns one = {
                    .struct_size = sizeof one, .q = {q + i * nq, 0}, .H = {.data = H1}, .J = {.data = J1}};
                hml_status expected = i == 5 ? HML_NOT_FINITE : i == 7 ? HML_NOT_NORMALIZED : HML_OK;
                assert_int_equal(hml_all_jacobians(model, work, &one), expected);
                assert_int_equal(status[i], expected);
                if (expected) {
                    assert_true(isnan(J[i * 6 * nv]) && isnan(H[i * poses]));
                } else {
                    assert_true(worst(J + i * 6 * nv, J1, 6 * nv) < 1e-13);
                    assert_true(worst(H + i * poses, H1, poses) < 1e-13);
                }
            }
            hml_work_free(work);
        }
        hml_model_free(model);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    hml_model *model = open_model(3, 1u << HML_JOINT_REVOLUTE, 0.9);
    hml_work *work;
    assert_int_equal(hml_work_new(model, HML_ISA_SCALAR, HML_USE_TREE, &work), HML_OK);
    assert_int_equal(hml_configuration_neutral(model, q), HML_OK);
    hml_jacobian_columns x = {.struct_size = sizeof x, .q = {q, 0}, .J = {.data = J}};
    assert_int_equal(hml_all_jacobians(model, work, &x), HML_UNSUPPORTED); /* it has mimic joints */
    x.q.data = NULL;
    assert_int_equal(hml_all_jacobians(model, work, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_all_jacobians(model, work, NULL), HML_INVALID_ARGUMENT);
    hml_work_free(work);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_make_the_jacobians_of_all_bodies),
        cmocka_unit_test(test_packs_agree_and_bad_states_stay_alone),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
