/* Batches of rotations: every instruction set, every remainder of a pack, bad rows, bounds. */
#include "rotation_check.h"

enum { MOST = 40, WIDEST = 9 };

static const hml_isa all[] = {HML_ISA_BEST, HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

typedef hml_status batch(hml_isa, size_t, const double *, double *);
typedef hml_status batch_f32(size_t, const float *, float *);

static const struct {
    batch *f;
    batch_f32 *f32;
    conversion *one;
    int kind, outs;
} maps[] = {
    {hml_so3_exp_batch, hml_so3_exp_batch_f32, hml_so3_exp, ROTVEC, 9},
    {hml_quat_to_rotvec_batch, hml_quat_to_rotvec_batch_f32, hml_quat_to_rotvec, QUAT, 3},
    {hml_so3_dexp_left_batch, hml_so3_dexp_left_batch_f32, hml_so3_dexp_left, ROTVEC, 9},
    {hml_quat_to_matrix_batch, hml_quat_to_matrix_batch_f32, hml_quat_to_matrix, QUAT, 9},
};

static void draw_rows(int map, int n, double *in)
{
    int ins = lengths[maps[map].kind];
    for (int i = 0; i < n; i++) draw_kind(maps[map].kind, in + i * ins);
    for (int k = 0; k < ins; k++) in[k] = k == 0 && ins == 4; /* the first row is the identity */
}

static void test_rows_are_the_single_calls(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(maps); m++) {
        for (int i = 0; i < COUNT(all); i++) {
            double in[MOST * 4], out[MOST * WIDEST], one[WIDEST];
            int ins = lengths[maps[m].kind], outs = maps[m].outs;
            if (!hml_isa_available(all[i])) continue;
            draw_rows(m, MOST, in);
            OK(maps[m].f(all[i], MOST, in, out));
            for (int r = 0; r < MOST; r++) {
                OK(maps[m].one(in + r * ins, one));
                NEAR(out + r * outs, one, outs, 4e-15); /* both within 2e-15, up to π in size */
            }
        }
    }
}

/* for every n: nothing is written behind the last row, and the bits are those of the long batch */
static void test_bits_do_not_depend_on_n(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(maps); m++) {
        for (int i = 0; i < COUNT(all); i++) {
            double in[MOST * 4], whole[MOST * WIDEST], out[MOST * WIDEST + 1];
            int ins = lengths[maps[m].kind], outs = maps[m].outs;
            if (!hml_isa_available(all[i])) continue;
            draw_rows(m, MOST, in);
            OK(maps[m].f(all[i], MOST, in, whole));
            for (int n = 0; n < MOST; n++) {
                for (int k = 0; k < COUNT(out); k++) out[k] = 77;
                int from = MOST - n; /* the last n rows, so that each row meets every lane */
                OK(maps[m].f(all[i], (size_t)n, in + from * ins, out));
                assert_memory_equal(out, whole + from * outs, (size_t)(n * outs) * sizeof *out);
                for (int k = n * outs; k < COUNT(out); k++) assert_true(out[k] == 77);
            }
        }
    }
}

/* arrays that end with the last row: under the address sanitizer this also shows that nothing behind is read */
static void test_arrays_of_the_exact_size(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(maps); m++) {
        int ins = lengths[maps[m].kind], outs = maps[m].outs;
        for (int n = 1; n <= 17; n++) {
            double *in = test_malloc((size_t)(n * ins) * sizeof *in);
            double *out = test_malloc((size_t)(n * outs) * sizeof *out);
            draw_rows(m, n, in);
            for (int i = 0; i < COUNT(all); i++) {
                if (hml_isa_available(all[i])) OK(maps[m].f(all[i], (size_t)n, in, out));
            }
            test_free(in), test_free(out);
        }
    }
}

static void test_bad_rows_stay_alone(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(maps); m++) {
        for (int i = 0; i < COUNT(all); i++) {
            double in[MOST * 4], clean[MOST * WIDEST], out[MOST * WIDEST];
            int ins = lengths[maps[m].kind], outs = maps[m].outs;
            if (!hml_isa_available(all[i])) continue;
            draw_rows(m, MOST, in);
            OK(maps[m].f(all[i], MOST, in, clean));
            in[3 * ins] = NAN, in[10 * ins + 1] = INFINITY, in[39 * ins + 2] = NAN;
            OK(maps[m].f(all[i], MOST, in, out));
            for (int r = 0; r < MOST; r++) {
                int bad = r == 3 || r == 10 || r == 39;
                if (!bad) assert_memory_equal(out + r * outs, clean + r * outs, (size_t)outs * sizeof *out);
                for (int k = 0; bad && k < outs; k++) assert_true(isnan(out[r * outs + k]));
            }
        }
    }
}

static void test_quaternions_that_are_none(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(all); i++) {
        const double in[12] = {0, 0, 0, 0, 1.002, 0, 0, 0, 0.9995, 0, 0, 0};
        double out[27], phi[9];
        if (!hml_isa_available(all[i])) continue;
        OK(hml_quat_to_matrix_batch(all[i], 3, in, out));
        for (int k = 0; k < 18; k++) assert_true(isnan(out[k]));
        NEAR(out + 18, ((double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 9, 0);
        OK(hml_quat_to_rotvec_batch(all[i], 3, in, phi));
        for (int k = 0; k < 3; k++) assert_true(isnan(phi[k]));
        NEAR(phi + 3, ((double[]){0, 0, 0, 0, 0, 0}), 6, 0); /* the length does not matter to log */
    }
}

static void test_bad_calls(void **state)
{
    (void)state;
    double x[9] = {0};
    float y[9] = {0};
    for (int m = 0; m < COUNT(maps); m++) {
        assert_int_equal(maps[m].f((hml_isa)3, 1, x, x), HML_INVALID_ARGUMENT);
        assert_int_equal(maps[m].f(HML_ISA_SCALAR, 1, NULL, x), HML_INVALID_ARGUMENT);
        assert_int_equal(maps[m].f(HML_ISA_SCALAR, 1, x, NULL), HML_INVALID_ARGUMENT);
        OK(maps[m].f(HML_ISA_SCALAR, 0, NULL, NULL));
        assert_int_equal(maps[m].f32(1, NULL, y), HML_INVALID_ARGUMENT);
        assert_int_equal(maps[m].f32(1, y, NULL), HML_INVALID_ARGUMENT);
        OK(maps[m].f32(0, NULL, NULL));
    }
}

static void test_floats(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(maps); m++) {
        double in[MOST * 4], one[WIDEST], got[WIDEST];
        float x[MOST * 4], y[MOST * WIDEST];
        int ins = lengths[maps[m].kind], outs = maps[m].outs;
        draw_rows(m, MOST, in);
        for (int k = 0; k < MOST * ins; k++) x[k] = (float)in[k];
        OK(maps[m].f32(MOST, x, y));
        for (int r = 0; r < MOST; r++) {
            for (int k = 0; k < ins; k++) in[r * ins + k] = (double)x[r * ins + k];
            OK(maps[m].one(in + r * ins, one));
            for (int k = 0; k < outs; k++) got[k] = (double)y[r * outs + k];
            NEAR(got, one, outs, 2e-6); /* a few float roundings of numbers up to 4 */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_the_single_calls),
        cmocka_unit_test(test_bits_do_not_depend_on_n),
        cmocka_unit_test(test_arrays_of_the_exact_size),
        cmocka_unit_test(test_bad_rows_stay_alone),
        cmocka_unit_test(test_quaternions_that_are_none),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
