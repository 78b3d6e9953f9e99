/*
 * Nanoseconds a call in the group layer: a single public call, checks and all, and a row of a batch in packs of each
 * instruction set. One line a measurement: operation, column, nanoseconds. group.sh makes the table.
 *
 * 256 rows, so that everything stays in L1; angles on both sides of every border between series and
 * closed form. A measurement repeats the rows for about 2 ms; the best of 25 counts, the others were disturbed.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "hamel/rigid_body.h"
#include "hamel/se3.h"
#include "hamel/so3.h"

enum { ROWS = 256, ROUNDS = 25, LONGEST = 36 };

typedef hml_status single(const double *a, const double *b, double *out);
typedef hml_status batch(hml_isa isa, size_t n, const double *a, const double *b, double *out);

#define ONE(name)                                                                                                      \
    static hml_status name##_single(const double *a, const double *b, double *out)                                     \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return hml_##name(a, out);                                                                                     \
    }                                                                                                                  \
    static hml_status name##_rows(hml_isa isa, size_t n, const double *a, const double *b, double *out)                \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return hml_##name##_batch(isa, n, a, out);                                                                     \
    }
ONE(so3_exp)
ONE(quat_to_rotvec)
ONE(so3_dexp_left)
ONE(quat_to_matrix)
ONE(se3_exp)
ONE(se3_log)
ONE(se3_dexp_left)
ONE(se3_dexp_left_inverse)

typedef enum { VECTOR, QUATERNION, TWIST, POSE, INERTIA, NOTHING } kind;
static const int numbers[] = {3, 4, 6, 16, 10, 0};

typedef struct {
    const char *name;
    kind a, b;
    int outs;
    single *single;
    batch *batch;
} operation;

static const operation operations[] = {
    {"SO(3) exp", VECTOR, NOTHING, 9, so3_exp_single, so3_exp_rows},
    {"SO(3) log of a quaternion", QUATERNION, NOTHING, 3, quat_to_rotvec_single, quat_to_rotvec_rows},
    {"SO(3) dexp", VECTOR, NOTHING, 9, so3_dexp_left_single, so3_dexp_left_rows},
    {"quaternion to matrix", QUATERNION, NOTHING, 9, quat_to_matrix_single, quat_to_matrix_rows},
    {"SE(3) exp", TWIST, NOTHING, 16, se3_exp_single, se3_exp_rows},
    {"SE(3) log", POSE, NOTHING, 6, se3_log_single, se3_log_rows},
    {"SE(3) dexp", TWIST, NOTHING, 36, se3_dexp_left_single, se3_dexp_left_rows},
    {"SE(3) dexp inverse", TWIST, NOTHING, 36, se3_dexp_left_inverse_single, se3_dexp_left_inverse_rows},
    {"Ad times twist", POSE, TWIST, 6, hml_twist_transform, hml_twist_transform_batch},
    {"ad times twist", TWIST, TWIST, 6, hml_twist_cross, hml_twist_cross_batch},
    {"inertia times twist", INERTIA, TWIST, 6, hml_inertia_mul, hml_inertia_mul_batch},
};

static double uniform(double low, double high)
{
    static uint64_t seed = 1;
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static void draw(kind of, double *row)
{
    for (int i = 0; i < numbers[of]; i++) row[i] = uniform(-1.7, 1.7);
    if (of == QUATERNION) {
        double n = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
        for (int i = 0; i < 4; i++) row[i] /= n;
    }
    if (of == POSE) {
        double xi[6];
        draw(TWIST, xi);
        if (hml_se3_exp(xi, row) != HML_OK) fputs("a pose could not be made\n", stderr);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* ours alone, whatever else runs */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double a[ROWS * 16], b[ROWS * 16], out[ROWS * LONGEST];

/* isa < 0: single calls */
static int run(const operation *o, int isa)
{
    if (isa >= 0) return o->batch((hml_isa)isa, ROWS, a, b, out) != HML_OK;
    int failed = 0;
    for (int i = 0; i < ROWS; i++) {
        failed |= o->single(a + i * numbers[o->a], b + i * numbers[o->b], out + i * o->outs) != HML_OK;
    }
    return failed;
}

static void measure(const operation *o, const char *column, int isa)
{
    double best = INFINITY, start = seconds();
    if (run(o, isa)) fprintf(stderr, "%s failed\n", o->name);
    int repeats = 1 + (int)(0.002 / (seconds() - start + 1e-9));
    for (int round = 0; round < ROUNDS; round++) {
        start = seconds();
        for (int i = 0; i < repeats; i++) run(o, isa);
        best = fmin(best, (seconds() - start) / repeats);
    }
    printf("%s\t%s\t%.2f\n", o->name, column, 1e9 * best / ROWS);
}

int main(void)
{
    static const hml_isa sets[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const operation *o = &operations[i];
        for (int r = 0; r < ROWS; r++) draw(o->a, a + r * numbers[o->a]), draw(o->b, b + r * numbers[o->b]);
        measure(o, "call", -1);
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
            if (hml_isa_available(sets[s])) measure(o, hml_isa_name(sets[s]), (int)sets[s]);
        }
    }
    return 0;
}
