/*
 * Batches of SE(3) and inertia: every instruction set against the single calls, at every length around its width; bad
 * rows; the same bits whatever the place.
 */
#include <stdlib.h>

#include "arrays.h"
#include "hamel/rigid_body.h"
#include "hamel/se3.h"

/* between instruction sets: FMA or not, and another atan2; a few roundings of numbers up to about 10 */
#define TOL     (100 * EPS)
#define TOL_F32 (100 * 0x1p-23)

enum { MOST = 41, ROW_MOST = 36 };

static const hml_isa sets[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512, HML_ISA_BEST};
enum { SETS = sizeof sets / sizeof *sets };

/* ---- one description a function: b is NULL where there is one input ---- */

typedef struct {
    const char *name;
    int first, second, outs;
    hml_status (*batch)(hml_isa isa, size_t n, const double *a, const double *b, double *out);
    hml_status (*batch_f32)(size_t n, const float *a, const float *b, float *out);
    hml_status (*single)(const double *a, const double *b, double *out);
} function;

#define ONE(name)                                                                                                      \
    static hml_status name##_b(hml_isa isa, size_t n, const double *a, const double *b, double *out)                   \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return hml_##name##_batch(isa, n, a, out);                                                                     \
    }                                                                                                                  \
    static hml_status name##_f(size_t n, const float *a, const float *b, float *out)                                   \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return hml_##name##_batch_f32(n, a, out);                                                                      \
    }                                                                                                                  \
    static hml_status name##_s(const double *a, const double *b, double *out)                                          \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return hml_##name(a, out);                                                                                     \
    }
ONE(se3_exp)
ONE(se3_log)
ONE(se3_dexp_left)
ONE(se3_dexp_left_inverse)

static const function functions[] = {
    {"se3_exp", 6, 0, 16, se3_exp_b, se3_exp_f, se3_exp_s},
    {"se3_log", 16, 0, 6, se3_log_b, se3_log_f, se3_log_s},
    {"se3_dexp_left", 6, 0, 36, se3_dexp_left_b, se3_dexp_left_f, se3_dexp_left_s},
    {"se3_dexp_left_inverse", 6, 0, 36, se3_dexp_left_inverse_b, se3_dexp_left_inverse_f, se3_dexp_left_inverse_s},
    {"twist_transform", 16, 6, 6, hml_twist_transform_batch, hml_twist_transform_batch_f32, hml_twist_transform},
    {"twist_cross", 6, 6, 6, hml_twist_cross_batch, hml_twist_cross_batch_f32, hml_twist_cross},
    {"inertia_mul", 10, 6, 6, hml_inertia_mul_batch, hml_inertia_mul_batch_f32, hml_inertia_mul},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- rows ---- */

static const double sizes[] = {1e-300, 1e-9, 1e-3, 0.4, 1, 1.7};

static void draw_row(int numbers, int i, double *row)
{
    if (numbers == 16) {
        draw_pose(row);
        return;
    }
    draw_array(row, numbers, 1);
    if (numbers == 6) {
        for (int k = 3; k < 6; k++) row[k] *= sizes[i % 6];
    }
}

/* the arrays end where the rows end, so that a sanitizer sees every read and write beyond */
static double *array_of(int rows, int numbers) { return malloc((size_t)(rows * numbers + (rows * numbers == 0)) * 8); }

static void test_every_set_and_length(void **state)
{
    (void)state;
    int seen = 0;
    for (int f = 0; f < FUNCTIONS; f++) {
        const function *F = &functions[f];
        for (int s = 0; s < SETS; s++) {
            if (!hml_isa_available(sets[s])) continue;
            for (int n = 0; n <= MOST; n++) {
                double *a = array_of(n, F->first), *b = array_of(n, F->second), *out = array_of(n, F->outs);
                for (int i = 0; i < n; i++) draw_row(F->first, i, a + i * F->first);
                for (int i = 0; i < n; i++) draw_row(F->second, i, b + i * F->second);
                ASSERT_OK(F->batch(sets[s], (size_t)n, a, b, out));
                for (int i = 0; i < n; i++) {
                    double one[ROW_MOST];
                    ASSERT_OK(F->single(a + i * F->first, b + i * F->second, one));
                    CHECK(out + i * F->outs, one, F->outs, TOL);
                    seen++;
                }
                free(a), free(b), free(out);
            }
        }
    }
    assert_true(seen > FUNCTIONS * MOST);
}

static void test_float(void **state)
{
    (void)state;
    for (int f = 0; f < FUNCTIONS; f++) {
        const function *F = &functions[f];
        for (int i = 0; i < 100; i++) {
            double a[16], b[6], rounded[ROW_MOST];
            float fa[16], fb[6], out[ROW_MOST];
            draw_row(F->first, 2 + i % 4, a), draw_row(6, 2 + i % 4, b);
            for (int k = 0; k < F->first; k++) fa[k] = (float)a[k], a[k] = (double)fa[k];
            for (int k = 0; k < 6; k++) fb[k] = (float)b[k], b[k] = (double)fb[k];
            ASSERT_OK(F->batch_f32(1, fa, fb, out));
            ASSERT_OK(F->single(a, b, rounded));
            for (int k = 0; k < F->outs; k++) {
                double x = (double)out[k];
                CHECK(&x, &rounded[k], 1, TOL_F32);
            }
        }
    }
}

/* one row among others, at every place and length: its bits do not change */
static void test_place_does_not_matter(void **state)
{
    (void)state;
    for (int f = 0; f < FUNCTIONS; f++) {
        const function *F = &functions[f];
        for (int s = 0; s < SETS; s++) {
            if (!hml_isa_available(sets[s])) continue;
            double mark_a[16], mark_b[6], alone[ROW_MOST];
            draw_row(F->first, 4, mark_a), draw_row(6, 4, mark_b);
            ASSERT_OK(F->batch(sets[s], 1, mark_a, mark_b, alone));
            for (int n = 1; n <= 20; n++) {
                for (int place = 0; place < n; place++) {
                    double a[20 * 16], b[20 * 6], out[20 * ROW_MOST];
                    for (int i = 0; i < n; i++) draw_row(F->first, i, a + i * F->first), draw_row(6, i, b + i * 6);
                    memcpy(a + place * F->first, mark_a, (size_t)F->first * sizeof *a);
                    memcpy(b + place * 6, mark_b, sizeof mark_b);
                    ASSERT_OK(F->batch(sets[s], (size_t)n, a, b, out));
                    assert_memory_equal(out + place * F->outs, alone, (size_t)F->outs * sizeof *out);
                }
            }
        }
    }
}

/* a bad row is NaN from end to end, and only that row */
static void test_bad_rows(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int f = 0; f < FUNCTIONS; f++) {
        const function *F = &functions[f];
        for (int s = 0; s < SETS; s++) {
            if (!hml_isa_available(sets[s])) continue;
            for (int entry = 0; entry < F->first + F->second; entry++) {
                if (F->first == 16 && entry >= 12 && entry < 16) continue; /* the last row of a pose is not read */
                double a[9 * 16], b[9 * 6], out[9 * ROW_MOST];
                for (int i = 0; i < 9; i++) draw_row(F->first, i, a + i * F->first), draw_row(6, i, b + i * 6);
                *(entry < F->first ? &a[4 * F->first + entry] : &b[4 * 6 + entry - F->first]) = bad[entry % 3];
                ASSERT_OK(F->batch(sets[s], 9, a, b, out));
                for (int i = 0; i < 9 * F->outs; i++) {
                    int spoilt = i / F->outs == 4;
                    if ((isnan(out[i]) != 0) != spoilt) print_error("%s, entry %d, output %d\n", F->name, entry, i);
                    assert_true(isnan(out[i]) ? spoilt : !spoilt);
                }
            }
        }
    }
}

/* what is no rotation has no logarithm */
static void test_log_of_no_pose(void **state)
{
    (void)state;
    for (int s = 0; s < SETS; s++) {
        if (!hml_isa_available(sets[s])) continue;
        double H[3 * 16], xi[18];
        for (int i = 0; i < 3; i++) draw_pose(H + 16 * i);
        H[0] *= 1.1;                                                /* stretched */
        for (int k = 0; k < 3; k++) H[16 + 4 * k] = -H[16 + 4 * k]; /* mirrored */
        ASSERT_OK(hml_se3_log_batch(sets[s], 3, H, xi));
        for (int i = 0; i < 18; i++) assert_true(isnan(xi[i]) ? i < 12 : i >= 12);
    }
}

static void test_bad_arguments(void **state)
{
    (void)state;
    double a[16] = {0}, b[6] = {0}, out[ROW_MOST];
    float fa[16] = {0}, fb[6] = {0}, fout[ROW_MOST];
    for (int f = 0; f < FUNCTIONS; f++) {
        const function *F = &functions[f];
        assert_int_equal(F->batch((hml_isa)3, 1, a, b, out), HML_INVALID_ARGUMENT);
        assert_int_equal(F->batch(HML_ISA_SCALAR, 1, NULL, b, out), HML_INVALID_ARGUMENT);
        assert_int_equal(F->batch(HML_ISA_SCALAR, 1, a, b, NULL), HML_INVALID_ARGUMENT);
        assert_int_equal(F->batch(HML_ISA_SCALAR, 0, NULL, NULL, NULL), HML_OK);
        assert_int_equal(F->batch_f32(1, fa, fb, NULL), HML_INVALID_ARGUMENT);
        assert_int_equal(F->batch_f32(1, NULL, fb, fout), HML_INVALID_ARGUMENT);
        assert_int_equal(F->batch_f32(0, NULL, NULL, NULL), HML_OK);
        if (!F->second) continue;
        assert_int_equal(F->batch(HML_ISA_SCALAR, 1, a, NULL, out), HML_INVALID_ARGUMENT);
        assert_int_equal(F->batch_f32(1, fa, NULL, fout), HML_INVALID_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_set_and_length),  cmocka_unit_test(test_float),
        cmocka_unit_test(test_place_does_not_matter), cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_log_of_no_pose),        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
