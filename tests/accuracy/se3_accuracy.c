/*
 * How exact SE(3) is: the library's functions over double against 113-bit references that share no code with them.
 * exp: Taylor series of the 4x4 matrix ξ^, scaled and squared. dexp: the series Σ adⁿ/(n+1)! of the 6x6 matrix ad_ξ;
 * inverses by elimination; derivatives by the series' own derivative, term by term.
 *
 *   accuracy_se3          prints the page docs/accuracy/se3.md
 *   accuracy_se3 quick    fewer samples; both fail if a bound does not hold
 *
 * Inputs are taken as exact; a NaN is an infinite error.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hamel/se3.h"
#include "num/num.h"

/* ---- what is measured ---- */

typedef struct {
    const char *what, *measure;
    double bound;
} row;

enum {
    EXP,
    EXP_R,
    EXP_P,
    EXP_SKEW,
    LOG,
    LOG_PI,
    LOG_W,
    LOG_V,
    LEFT,
    RIGHT,
    LEFT_J,
    LEFT_Q,
    LEFT_INVERSE,
    RIGHT_INVERSE,
    INVERSE_J,
    INVERSE_Q,
    DERIVATIVE,
    INVERSE_DERIVATIVE,
    BATCH_EXP,
    BATCH_LOG,
    BATCH_LEFT,
    BATCH_INVERSE,
    ROWS
};

static const row table[ROWS] = {
    [EXP] = {"hml_se3_exp", "norm", 2e-15},
    [EXP_R] = {"hml_se3_exp, rotation", "norm", 2e-15},
    [EXP_P] = {"hml_se3_exp, position", "norm", 2e-15},
    [EXP_SKEW] = {"hml_se3_exp, R − Rᵀ, θ < 1", "norm", 2e-15},
    [LOG] = {"hml_se3_log, θ < π − 1e-3", "norm", 1e-14},
    [LOG_PI] = {"hml_se3_log, θ > π − 1e-3", "norm", 1e-12},
    [LOG_W] = {"hml_se3_log, angular part", "norm", 1e-14},
    [LOG_V] = {"hml_se3_log, linear part", "norm", 1e-14},
    [LEFT] = {"hml_se3_dexp_left", "norm", 2e-15},
    [RIGHT] = {"hml_se3_dexp_right", "norm", 2e-15},
    [LEFT_J] = {"hml_se3_dexp_left, diagonal block", "norm", 2e-15},
    [LEFT_Q] = {"hml_se3_dexp_left, upper right block", "norm", 2e-15},
    [LEFT_INVERSE] = {"hml_se3_dexp_left_inverse", "norm", 2e-15},
    [RIGHT_INVERSE] = {"hml_se3_dexp_right_inverse", "norm", 2e-15},
    [INVERSE_J] = {"hml_se3_dexp_left_inverse, diagonal block", "norm", 2e-15},
    [INVERSE_Q] = {"hml_se3_dexp_left_inverse, upper right block", "norm", 2e-15},
    [DERIVATIVE] = {"hml_se3_dexp_left_derivative", "scale", 2e-15},
    [INVERSE_DERIVATIVE] = {"hml_se3_dexp_left_inverse_derivative", "scale", 4e-15},
    [BATCH_EXP] = {"hml_se3_exp_batch, all instruction sets", "norm", 2e-15},
    [BATCH_LOG] = {"hml_se3_log_batch, all instruction sets", "norm", 1e-14},
    [BATCH_LEFT] = {"hml_se3_dexp_left_batch, all instruction sets", "norm", 2e-15},
    [BATCH_INVERSE] = {"hml_se3_dexp_left_inverse_batch, all instruction sets", "norm", 2e-15},
};

static struct {
    double error, angle;
} worst[ROWS];

static void note(int which, num error, double angle)
{
    double e = (double)error;
    if (isnan(e)) e = HUGE_VAL;
    if (e > worst[which].error) worst[which].error = e, worst[which].angle = angle;
}

static void must(hml_status status, int which)
{
    if (status != HML_OK) note(which, K(HUGE_VAL), 0);
}

/* ---- 113-bit matrices, row-major; the range is that of 15 exponent bits, so squares of 1e-300 are fine ---- */

static void multiply(int n, const num *A, const num *B, num *out)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            num sum = K(0);
            for (int k = 0; k < n; k++) sum += A[n * i + k] * B[n * k + j];
            out[n * i + j] = sum;
        }
    }
}

static void apply(const num A[36], const num x[6], num out[6])
{
    for (int i = 0; i < 6; i++) {
        out[i] = K(0);
        for (int k = 0; k < 6; k++) out[i] += A[6 * i + k] * x[k];
    }
}

static void identity(int n, num *A)
{
    for (int i = 0; i < n * n; i++) A[i] = K(i % (n + 1) == 0);
}

/* Gauss and Jordan, with pivots of largest size in the column */
static void invert(const num A[36], num out[36])
{
    num W[36];
    memcpy(W, A, sizeof W);
    identity(6, out);
    for (int c = 0; c < 6; c++) {
        int pivot = c;
        for (int r = c + 1; r < 6; r++) {
            if (W[6 * r + c] * W[6 * r + c] > W[6 * pivot + c] * W[6 * pivot + c]) pivot = r;
        }
        for (int k = 0; k < 6; k++) {
            num a = W[6 * c + k], b = out[6 * c + k];
            W[6 * c + k] = W[6 * pivot + k], W[6 * pivot + k] = a;
            out[6 * c + k] = out[6 * pivot + k], out[6 * pivot + k] = b;
        }
        num scale = K(1) / W[6 * c + c];
        for (int k = 0; k < 6; k++) W[6 * c + k] *= scale, out[6 * c + k] *= scale;
        for (int r = 0; r < 6; r++) {
            num factor = W[6 * r + c];
            if (r == c) continue;
            for (int k = 0; k < 6; k++) {
                W[6 * r + k] -= factor * W[6 * c + k], out[6 * r + k] -= factor * out[6 * c + k];
            }
        }
    }
}

/* |given − reference| / |reference| over a block of rows and columns; the reference alone where it is zero */
static num block_error(const double *given, const num *reference, int ld, int row0, int rows, int column0, int columns)
{
    num d = K(0), size = K(0);
    for (int i = row0; i < row0 + rows; i++) {
        for (int j = column0; j < column0 + columns; j++) {
            num r = reference[ld * i + j], e = K(given[ld * i + j]) - r;
            d += e * e, size += r * r;
        }
    }
    return num_sqrt(d) / num_sqrt(size > K(0) ? size : K(1));
}

static num error_of(const double *given, const num *reference, int n)
{
    return block_error(given, reference, n, 0, 1, 0, n);
}

static num norm(const num *x, int n)
{
    num sum = K(0);
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return num_sqrt(sum);
}

/* ---- references ---- */

static void hat4(const double xi[6], num M[16])
{
    num v0 = K(xi[0]), v1 = K(xi[1]), v2 = K(xi[2]), x = K(xi[3]), y = K(xi[4]), z = K(xi[5]), o = K(0);
    num H[16] = {o, -z, y, v0, z, o, -x, v1, -y, x, o, v2, o, o, o, o};
    memcpy(M, H, sizeof H);
}

/* [ω^ v^; 0 ω^] */
static void ad6(const double xi[6], num A[36])
{
    for (int i = 0; i < 36; i++) A[i] = K(0);
    for (int block = 0; block < 3; block++) {
        const double *w = block == 1 ? xi : xi + 3;
        num *a = A + (block == 0 ? 0 : block == 1 ? 3 : 21);
        a[1] = -K(w[2]), a[2] = K(w[1]), a[6] = K(w[2]), a[8] = -K(w[0]), a[12] = -K(w[1]), a[13] = K(w[0]);
    }
}

/* Taylor series of ξ^/2⁸, squared eight times; the linear part enters every term once, however large it is */
static void reference_exp(const double xi[6], num H[16])
{
    num M[16], P[16];
    hat4(xi, M);
    for (int i = 0; i < 16; i++) M[i] *= K(0x1p-8);
    identity(4, H);
    for (int k = 20; k >= 1; k--) {
        multiply(4, M, H, P);
        for (int i = 0; i < 16; i++) H[i] = P[i] / K(k) + K(i % 5 == 0);
    }
    for (int k = 0; k < 8; k++) {
        multiply(4, H, H, P);
        memcpy(H, P, sizeof P);
    }
}

/* J = Σ adⁿ/(n+1)! and, where wanted, its derivative when ξ moves by δ */
static void reference_dexp(const double xi[6], const double *delta, num J[36], num D[36])
{
    num A[36], B[36], T[36], dT[36], P[36], Q[36];
    ad6(xi, A);
    identity(6, T), identity(6, J);
    for (int i = 0; i < 36; i++) dT[i] = K(0);
    if (delta) ad6(delta, B), memcpy(D, dT, sizeof dT);
    for (int n = 1; n < 60; n++) {
        if (delta) {
            multiply(6, dT, A, P), multiply(6, T, B, Q);
            for (int i = 0; i < 36; i++) dT[i] = (P[i] + Q[i]) / K(n + 1), D[i] += dT[i];
        }
        multiply(6, T, A, P);
        for (int i = 0; i < 36; i++) T[i] = P[i] / K(n + 1), J[i] += T[i];
    }
}

/* ---- samples ---- */

static uint64_t seed = 1;

static double uniform(double low, double high)
{
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static const double pi = 0x1.921fb54442d18p+1;

/* every fourth angle from each of: all magnitudes, the ordinary range, around borders of series, close to π */
static double sample_angle(int i)
{
    switch (i % 4) {
    case 0: return pow(10, uniform(-300, 0.49));
    case 1: return uniform(0, pi);
    case 2: return uniform(0.9, 2.1);
    default: return pi - pow(10, uniform(-12, 0));
    }
}

/* random axes and translations, some along or across the axis or almost so, of all sizes from 1e-6 to 1e6 */
static void sample_twist(int i, double angle, double xi[6])
{
    double n[3], v[3], size = 0, along = 0, scale = i % 3 == 0 ? pow(10, uniform(-6, 6)) : 1;
    for (int k = 0; k < 3; k++) n[k] = uniform(-1, 1), v[k] = uniform(-1, 1);
    if (i % 7 == 0) n[i % 3] = 0;
    if (i % 11 == 0) n[i % 3] *= 1e-9, n[(i + 1) % 3] *= 1e-14;
    for (int k = 0; k < 3; k++) size += n[k] * n[k];
    for (int k = 0; k < 3; k++) n[k] /= sqrt(size), along += n[k] * v[k];
    for (int k = 0; k < 3; k++) {
        if (i % 5 == 0) v[k] = n[k];
        if (i % 5 == 1) v[k] -= along * n[k];
        xi[k] = scale * v[k], xi[k + 3] = angle * n[k];
    }
}

/* ---- measurements ---- */

static void measure_exp_and_log(double angle, const double xi[6])
{
    num H[16], exact[6];
    double given[16], out[6];
    for (int k = 0; k < 6; k++) exact[k] = K(xi[k]);
    reference_exp(xi, H);
    must(hml_se3_exp(xi, given), EXP);
    note(EXP, error_of(given, H, 16), angle);
    note(EXP_R, block_error(given, H, 4, 0, 3, 0, 3), angle);
    note(EXP_P, block_error(given, H, 4, 0, 3, 3, 1), angle);

    double skew[3] = {given[9] - given[6], given[2] - given[8], given[4] - given[1]};
    num exact_skew[3] = {H[9] - H[6], H[2] - H[8], H[4] - H[1]}; /* the linear order of a small rotation */
    if (angle < 1) note(EXP_SKEW, error_of(skew, exact_skew, 3), angle);

    for (int k = 0; k < 16; k++) given[k] = (double)H[k]; /* the nearest doubles */
    must(hml_se3_log(given, out), LOG);
    note(angle > pi - 1e-3 ? LOG_PI : LOG, error_of(out, exact, 6), angle);
    note(LOG_W, error_of(out + 3, exact + 3, 3), angle);
    note(LOG_V, error_of(out, exact, 3), angle);
}

static void measure_jacobians(double angle, const double xi[6])
{
    double minus[6], J[36], delta[6], eta[6], out[6];
    num D[36], G[36], V[36], u[6], w[6], r[6];
    for (int k = 0; k < 6; k++) minus[k] = -xi[k], delta[k] = uniform(-1, 1), eta[k] = uniform(-1, 1), u[k] = K(eta[k]);
    num size = norm(u, 6) * (K(1) + K(fabs(xi[0])) + K(fabs(xi[1])) + K(fabs(xi[2])));

    reference_dexp(xi, delta, G, D);
    must(hml_se3_dexp_left(xi, J), LEFT);
    note(LEFT, error_of(J, G, 36), angle);
    note(LEFT_J, block_error(J, G, 6, 0, 3, 0, 3), angle);
    note(LEFT_Q, block_error(J, G, 6, 0, 3, 3, 3), angle);
    must(hml_se3_dexp_left_derivative(xi, delta, eta, out), DERIVATIVE);
    apply(D, u, r);
    note(DERIVATIVE, error_of(out, r, 6) * norm(r, 6) / size, angle);

    invert(G, V);
    must(hml_se3_dexp_left_inverse(xi, J), LEFT_INVERSE);
    note(LEFT_INVERSE, error_of(J, V, 36), angle);
    note(INVERSE_J, block_error(J, V, 6, 0, 3, 0, 3), angle);
    note(INVERSE_Q, block_error(J, V, 6, 0, 3, 3, 3), angle);
    must(hml_se3_dexp_left_inverse_derivative(xi, delta, eta, out), INVERSE_DERIVATIVE);
    apply(V, u, w), apply(D, w, r), apply(V, r, w);
    for (int k = 0; k < 6; k++) w[k] = -w[k];
    note(INVERSE_DERIVATIVE, error_of(out, w, 6) * norm(w, 6) / (size * size), angle);

    reference_dexp(minus, NULL, G, NULL);
    must(hml_se3_dexp_right(xi, J), RIGHT);
    note(RIGHT, error_of(J, G, 36), angle);
    invert(G, V);
    must(hml_se3_dexp_right_inverse(xi, J), RIGHT_INVERSE);
    note(RIGHT_INVERSE, error_of(J, V, 36), angle);
}

static void measure_batches(double angle, const double xi[6])
{
    enum { N = 11 };
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    double x[N][6], H[N][16], out[N][16], log[N][6], J[N][36];
    num exact[N][6], reference[N][16], G[36], V[36];
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < 6; k++) { /* the same vectors in other axes, a little shorter each time */
            x[j][k] = xi[3 * (k / 3) + (k + j) % 3] * (1 - 0.01 * j), exact[j][k] = K(x[j][k]);
        }
        reference_exp(x[j], reference[j]);
        for (int k = 0; k < 16; k++) H[j][k] = (double)reference[j][k];
    }
    reference_dexp(x[7], NULL, G, NULL);
    invert(G, V);
    for (int s = 0; s < 4; s++) {
        if (!hml_isa_available(all[s])) continue;
        must(hml_se3_exp_batch(all[s], N, x[0], out[0]), BATCH_EXP);
        must(hml_se3_log_batch(all[s], N, H[0], log[0]), BATCH_LOG);
        for (int j = 0; j < N; j++) {
            note(BATCH_EXP, error_of(out[j], reference[j], 16), angle);
            note(BATCH_LOG, error_of(log[j], exact[j], 6), angle);
        }
        must(hml_se3_dexp_left_batch(all[s], N, x[0], J[0]), BATCH_LEFT);
        note(BATCH_LEFT, error_of(J[7], G, 36), angle);
        must(hml_se3_dexp_left_inverse_batch(all[s], N, x[0], J[0]), BATCH_INVERSE);
        note(BATCH_INVERSE, error_of(J[7], V, 36), angle);
    }
}

/* ---- the page ---- */

static void print_page(int samples)
{
    printf(
        "# How exact SE(3) is\n\n"
        "Worst errors of the functions of `hamel/se3.h` against 113-bit references that share no code with them\n"
        "(`tests/accuracy/se3_accuracy.c`), over %d twists. Angles between 1e-300 and π − 1e-12: on a logarithmic\n"
        "scale, in the ordinary range, around the border between series and closed form, and close to π. Random axes,\n"
        "some of them along or almost along coordinate axes; translations of all directions, some along or across\n"
        "the axis, from 1e-6 to 1e6. `ctest` checks the bounds on fewer samples.\n\n"
        "*norm*: Frobenius norm of the error over that of the result, or of the same block of it. *scale*: the same\n"
        "over |η|(1 + |v|₁), for the inverse over its square, because a derivative can vanish. The logarithm is given\n"
        "the doubles nearest to the exact pose. The unit round-off is 1.1e-16.\n\n"
        "| what | measure | worst error | at angle | bound |\n| --- | --- | --- | --- | --- |\n",
        samples);
    for (int i = 0; i < ROWS; i++) {
        const row *r = &table[i];
        printf("| %s | %s | %.1e | %.3g | %.0e |\n", r->what, r->measure, worst[i].error, worst[i].angle, r->bound);
    }
}

int main(int argc, char **argv)
{
    int quick = argc > 1 && strcmp(argv[1], "quick") == 0, samples = quick ? 400 : 20000, broken = 0;
    for (int i = 0; i < samples; i++) {
        double angle = sample_angle(i), xi[6];
        sample_twist(i, angle, xi);
        measure_exp_and_log(angle, xi);
        measure_jacobians(angle, xi);
        if (i % 4 == 0 || i % 7 == 0) measure_batches(angle, xi);
    }
    print_page(samples);
    for (int i = 0; i < ROWS; i++) {
        if (worst[i].error <= table[i].bound) continue;
        fprintf(stderr, "%s: %g exceeds %g\n", table[i].what, worst[i].error, table[i].bound);
        broken = 1;
    }
    return broken;
}
