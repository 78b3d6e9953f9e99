/*
 * The structured Riccati step: against hml_lqr_horizon_solve with the matrices A_d, B_d written out; Bellman's equation at
 * random states, with gaps, gradients and cross terms; inputs in a box against the conditions of the least; and what is not
 * positive definite. On every instruction set of the processor.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "control/backward.h"
#include "hamel/control.h"
#include "hamel/random.h"

enum { MOST_N = 12, MOST_M = 9, X = 2 * MOST_N, LD = 40, STEPS = 5, ROOM = 1 << 16 };

static _Alignas(64) char memory[ROOM * 8];
static double scratch[ROOM];
static const curved_joint JOINTS[2] = {{0, 6}, {8, 3}};

typedef struct step {
    double F[MOST_N * LD], E[2 * BLOCK_MOST], H[2 * BLOCK_MOST], h, gap[X], lx[X], lxx[X * X], lu[MOST_M * LD];
    double K[MOST_M * X], k[MOST_M];
    int full; /* D is given, in the place of E and H */
    double D[MOST_N * LD];
    double A[X * X], B[X * MOST_M], Q[X * X], R[MOST_M * MOST_M], N[X * MOST_M]; /* the same, dense */
} step;

static step steps[STEPS];

static void fill(hml_rng *rng, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = hml_rng_uniform(rng, -1, 1);
}

/* A_d and B_d from E, H and F, or from D and F */
static void write_out(const backward_size *z, step *t)
{
    const size_t n = z->n, m = z->m, x = 2 * n;
    double E[MOST_N * MOST_N] = {0}, H[MOST_N * MOST_N] = {0};
    for (size_t i = 0; i < n; i++) E[i * n + i] = 1, H[i * n + i] = t->h;
    for (size_t j = 0; j < z->curved; j++) {
        const curved_joint c = z->joints[j];
        for (size_t i = 0; i < c.m * c.m; i++) {
            const size_t at = (c.first + i / c.m) * n + c.first + i % c.m;
            E[at] = t->E[j * BLOCK_MOST + i], H[at] = t->H[j * BLOCK_MOST + i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < x + m; c++) {
            double sum = c < n ? E[i * n + c] : 0;
            for (size_t k = 0; k < n; k++) sum += H[i * n + k] * t->F[k * z->ld + c];
            if (t->full) sum = t->D[i * z->ld + c];
            if (c < x)
                t->A[i * x + c] = sum, t->A[(n + i) * x + c] = t->F[i * z->ld + c];
            else
                t->B[i * m + c - x] = sum, t->B[(n + i) * m + c - x] = t->F[i * z->ld + c];
        }
    }
}

/* positive definite costs [Q N; Nᵀ R] */
static void draw(hml_rng *rng, const backward_size *z, step *t)
{
    const size_t x = 2 * z->n, all = x + z->m;
    double W[(X + MOST_M) * (X + MOST_M)], S[(X + MOST_M) * (X + MOST_M)];
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < z->n; i++) fill(rng, all, t->F + i * z->ld), fill(rng, all, t->D + i * z->ld);
    t->full = hml_rng_uniform(rng, 0, 1) > 0.5;
    fill(rng, 2 * BLOCK_MOST, t->E);
    fill(rng, 2 * BLOCK_MOST, t->H);
    fill(rng, x, t->gap);
    fill(rng, x, t->lx);
    fill(rng, all * all, W);
    t->h = 0.3;
    for (size_t i = 0; i < all; i++) {
        for (size_t j = 0; j < all; j++) {
            double sum = i == j ? 0.1 : 0;
            for (size_t k = 0; k < all; k++) sum += W[i * all + k] * W[j * all + k];
            S[i * all + j] = sum;
        }
    }
    for (size_t i = 0; i < all; i++) {
        for (size_t j = 0; j < all; j++) {
            const double s = S[i * all + j];
            if (i < x && j < x) t->Q[i * x + j] = s, t->lxx[i * z->ldx + j] = j <= i ? s : 77; /* above: not read */
            if (i < x && j >= x) t->N[i * z->m + j - x] = s;
            if (i >= x) t->lu[(i - x) * z->ld + j] = s;
            if (i >= x && j >= x) t->R[(i - x) * z->m + j - x] = s;
        }
    }
    for (size_t i = 0; i < z->m; i++) t->lu[i * z->ld + all] = hml_rng_uniform(rng, -1, 1);
    write_out(z, t);
}

static backward_size size_of(size_t n, size_t m, size_t curved, hml_isa isa)
{
    const backward_size z = {n, m, product_pad(2 * n + m + 1), product_pad(2 * n), curved, JOINTS, hmli_products(isa)};
    assert_true(z.ld <= LD && z.ldx <= X && hmli_backward_lay_out(&z, NULL, &(backward_space){0}) <= sizeof memory);
    return z;
}

static backward_knot knot_of(step *t, int gap)
{
    return (backward_knot){.F = t->F,
                           .D = t->full ? t->D : NULL,
                           .E = t->E,
                           .H = t->H,
                           .h = t->h,
                           .gap = gap ? t->gap : NULL,
                           .lx = t->lx,
                           .lxx = t->lxx,
                           .lu = t->lu,
                           .K = t->K,
                           .k = t->k};
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * (1 + fabs(b)))) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

static const struct {
    size_t n, m, curved;
} SIZES[] = {{12, 9, 2}, {12, 4, 2}, {8, 3, 1}, {7, 7, 1}, {6, 1, 1}, {3, 2, 0}, {1, 1, 0}};

static void against_horizon(hml_isa isa)
{
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    for (size_t c = 0; c < sizeof SIZES / sizeof *SIZES; c++) {
        const backward_size z = size_of(SIZES[c].n, SIZES[c].m, SIZES[c].curved, isa);
        const size_t x = 2 * z.n;
        static double K[STEPS * MOST_M * X], P[(STEPS + 1) * X * X];
        backward_space s;
        hmli_backward_lay_out(&z, memory, &s);
        for (int i = 0; i < STEPS; i++) draw(&rng, &z, &steps[i]);
        const size_t stride = sizeof(step) / sizeof(double);
        const hml_lqr_horizon dense =
            HML_STRUCT(hml_lqr_horizon, .n = x, .m = z.m, .steps = STEPS, .A = {steps->A, stride},
                       .B = {steps->B, stride}, .Q = {steps->Q, stride}, .R = {steps->R, stride},
                       .N = {steps->N, stride}, .Q_end = steps->Q, .K = K, .P = P);
        assert_true(hml_lqr_horizon_scratch_doubles(x, z.m) <= ROOM);
        assert_int_equal(hml_lqr_horizon_solve(&dense, scratch, NULL), HML_OK);
        hmli_backward_begin(&z, steps->lx, steps->lxx, &s);
        for (size_t i = STEPS; i-- > 0;) {
            const backward_knot knot = knot_of(&steps[i], 0);
            assert_int_equal(hmli_backward_step(&z, &knot, 0, &s), HML_OK);
            double most = 0;
            for (size_t j = 0; j < x * x; j++) most = fmax(most, fabs(P[i * x * x + j]));
            for (size_t j = 0; j < z.m * x; j++) near(steps[i].K[j], -K[i * z.m * x + j], 1e-9);
            for (size_t j = 0; j < x * x; j++) near(s.V[j / x * z.ldx + j % x] / most, P[i * x * x + j] / most, 1e-11);
        }
    }
}

static double form(size_t n, size_t m, const double *W, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) sum += a[i] * W[i * m + j] * b[j];
    return sum;
}

/* ½ zᵀVz + V_xᵀz of a value */
static double value_at(const backward_size *z, const double *V, const double *Vx, const double *at)
{
    double sum = 0;
    for (size_t i = 0; i < 2 * z->n; i++) {
        sum += Vx[i] * at[i];
        for (size_t j = 0; j < 2 * z->n; j++) sum += 0.5 * at[i] * V[i * z->ldx + j] * at[j];
    }
    return sum;
}

/* what an input w at z costs, with the value of the next step */
static double costs(const backward_size *z, const step *t, const double *V, const double *Vx, const double *at,
                    const double *w)
{
    const size_t x = 2 * z->n, m = z->m;
    double next[X], sum = 0.5 * form(x, x, t->Q, at, at) + form(x, m, t->N, at, w) + 0.5 * form(m, m, t->R, w, w);
    for (size_t i = 0; i < x; i++) {
        next[i] = t->gap[i];
        sum += t->lx[i] * at[i];
        for (size_t k = 0; k < x; k++) next[i] += t->A[i * x + k] * at[k];
        for (size_t k = 0; k < m; k++) next[i] += t->B[i * m + k] * w[k];
    }
    for (size_t i = 0; i < m; i++) sum += t->lu[i * z->ld + x + m] * w[i];
    return sum + value_at(z, V, Vx, next);
}

/* V(z) − V(0) = Q(z, k + K z) − Q(0, k), and no other input of a try costs less */
static void bellman(hml_isa isa)
{
    hml_rng rng;
    hml_rng_seed(&rng, 6);
    for (int trial = 0; trial < 40; trial++) {
        const int c = trial % (int)(sizeof SIZES / sizeof *SIZES);
        const backward_size z = size_of(SIZES[c].n, SIZES[c].m, SIZES[c].curved, isa);
        static double V[X * X];
        double Vx[X], at[X], w[MOST_M], zero[X] = {0}, bounds[2][MOST_M];
        step *t = &steps[0];
        backward_space s;
        hmli_backward_lay_out(&z, memory, &s);
        draw(&rng, &z, &steps[1]);
        hmli_backward_begin(&z, steps[1].lx, steps[1].lxx, &s);
        draw(&rng, &z, t);
        memcpy(V, s.V, 2 * z.n * z.ldx * sizeof *V);
        memcpy(Vx, s.Vx, sizeof Vx);
        backward_knot knot = knot_of(t, 1);
        for (size_t i = 0; i < z.m; i++) {
            bounds[0][i] = -fabs(hml_rng_uniform(&rng, 0, 0.2)), bounds[1][i] = hml_rng_uniform(&rng, 0, 0.2);
            if (i == 1) bounds[0][i] = bounds[1][i] = 0;
        }
        if (trial % 2) knot.lower = bounds[0], knot.upper = bounds[1];
        assert_int_equal(hmli_backward_step(&z, &knot, 0, &s), HML_OK);
        const double base = costs(&z, t, V, Vx, zero, t->k);
        fill(&rng, 2 * z.n, at);
        for (size_t i = 0; i < z.m; i++) w[i] = t->k[i] + form(1, 2 * z.n, t->K + i * 2 * z.n, &(double){1}, at);
        const double should = costs(&z, t, V, Vx, at, w) - base;
        near(value_at(&z, s.V, s.Vx, at) / (1 + fabs(should)), should / (1 + fabs(should)), 1e-11);
        for (size_t i = 0; i < z.m; i++) {
            for (int side = 0; side < 2; side++) {
                memcpy(w, t->k, sizeof w);
                w[i] += side ? 1e-4 : -1e-4;
                if (knot.lower) {
                    assert_true(t->k[i] >= bounds[0][i] && t->k[i] <= bounds[1][i]);
                    w[i] = fmin(fmax(w[i], bounds[0][i]), bounds[1][i]);
                    if (t->k[i] == bounds[0][i] || t->k[i] == bounds[1][i]) /* held: no feedback */
                        for (size_t j = 0; j < 2 * z.n; j++) near(t->K[i * 2 * z.n + j], 0, 0);
                }
                assert_true(costs(&z, t, V, Vx, zero, w) >= base - 1e-11 * fabs(base));
            }
        }
    }
}

static void test_horizon(void **state)
{
    (void)state;
    for (int isa = 1; isa <= 8; isa *= 2)
        if (hml_isa_available((hml_isa)isa)) against_horizon((hml_isa)isa);
}

static void test_bellman(void **state)
{
    (void)state;
    for (int isa = 1; isa <= 8; isa *= 2)
        if (hml_isa_available((hml_isa)isa)) bellman((hml_isa)isa);
}

static void test_not_definite(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 7);
    const backward_size z = size_of(8, 3, 1, HML_ISA_BEST);
    backward_space s;
    double bound[2][3] = {{-1, -1, -1}, {1, 1, 1}};
    hmli_backward_lay_out(&z, memory, &s);
    for (int box = 0; box < 2; box++) {
        draw(&rng, &z, &steps[0]);
        hmli_backward_begin(&z, steps->lx, steps->lxx, &s);
        backward_knot knot = knot_of(&steps[0], 1);
        if (box) knot.lower = bound[0], knot.upper = bound[1];
        steps[0].lu[16] = -1e6;
        assert_int_equal(hmli_backward_step(&z, &knot, 0, &s), HML_SINGULAR);
        assert_int_equal(hmli_backward_step(&z, &knot, 2e6, &s), HML_OK);
        steps[0].lu[16] = NAN;
        assert_int_not_equal(hmli_backward_step(&z, &knot, 0, &s), HML_OK);
    }
}

/* the least in the box: the gradient is zero inside, and pushes outwards at a bound; coupled coordinates, bounds at the start */
static void test_box(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 8);
    for (int trial = 0; trial < 4000; trial++) {
        const size_t m = 1 + (size_t)trial % MOST_M;
        double W[MOST_M * MOST_M], Q[MOST_M * MOST_M], g[MOST_M], bounds[2][MOST_M], x[MOST_M],
            room[3][MOST_M * MOST_M];
        int is_free[MOST_M];
        fill(&rng, m * m, W);
        fill(&rng, m, g);
        for (size_t i = 0; i < m; i++) {
            bounds[0][i] = -fmax(hml_rng_uniform(&rng, -1, 1), 0), bounds[1][i] = fmax(hml_rng_uniform(&rng, -1, 1), 0);
            for (size_t j = 0; j < m; j++) {
                Q[i * m + j] = i == j ? 1e-3 : 0;
                for (size_t k = 0; k < m; k++) Q[i * m + j] += W[i * m + k] * W[j * m + k];
            }
        }
        const box_problem box = {m, m, Q, g, bounds[0], bounds[1], x, is_free, room[0], room[1], room[2]};
        assert_int_equal(hmli_box_solve(&box), 0);
        for (size_t i = 0; i < m; i++) {
            const double slope = g[i] + form(1, m, Q + i * m, &(double){1}, x);
            assert_true(x[i] >= bounds[0][i] && x[i] <= bounds[1][i]);
            /* Q is as large as 10, and x as 1, times rounding and a condition of 1e4 */
            if (x[i] > bounds[0][i] && !(slope <= 1e-10)) fail_msg("trial %d: slope %g of %zu", trial, slope, i);
            if (x[i] < bounds[1][i] && !(slope >= -1e-10)) fail_msg("trial %d: slope %g of %zu", trial, slope, i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_bellman),
        cmocka_unit_test(test_not_definite),
        cmocka_unit_test(test_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
