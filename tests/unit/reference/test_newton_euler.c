/*
 * Newton and Euler for one body, against Newton for the points it is made of. A body is a cloud of point masses; its
 * motion is o(t) and R(t) with Ṙ = ω^R, R̈ = ω̇^R + ω^Ṙ. What acts on it is Σ m p̈ and Σ (p − x) × m p̈, and the numbers of
 * a twist are differentiated by the product rule. Nothing of this knows a spatial inertia or a bracket.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/rigid_body.h"

enum { POINTS = 7, BODIES = 200 };

static const double rounding = 1e-13; /* sums of some hundred products that cancel to a tenth of the largest */

typedef struct body {
    double m[POINTS], p[POINTS][3]; /* in the body */
    double o[3], v[3], a[3];        /* of its frame's origin, in the world, with derivatives */
    double R[9], w[3], dw[3];       /* ω and ω̇ in the world */
} body;

/* a point x and axes Q, each with its velocity, all in the world */
typedef struct place {
    double x[3], dx[3], Q[9], w[3];
} place;

/* what is seen from there */
typedef struct view {
    double V[6], dV[6], W[6], I[10], frame[6], momentum[6], momentum_rate[6];
} view;

static void cross_add(double s, const double *a, const double *b, double *y)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] += s * (a[j] * b[k] - a[k] * b[j]);
    }
}

/* y = Qᵀ x */
static void turn_back(const double *Q, const double *x, double *y)
{
    double out[3] = {0};
    for (int i = 0; i < 9; i++) out[i % 3] += Q[i] * x[i / 3];
    memcpy(y, out, sizeof out);
}

/* y = d/dt(Qᵀ x), the axes turning at w: columns of Q̇ are w × columns of Q */
static void turn_back_rate(const double *Q, const double *w, const double *x, const double *dx, double *y)
{
    double Qx[3], rate[3];
    turn_back(Q, dx, rate);
    for (int c = 0; c < 3; c++) {
        double column[3] = {Q[c], Q[3 + c], Q[6 + c]}, moved[3] = {0};
        cross_add(1, w, column, moved);
        Qx[c] = moved[0] * x[0] + moved[1] * x[1] + moved[2] * x[2];
    }
    for (int c = 0; c < 3; c++) y[c] = rate[c] + Qx[c];
}

/* position, velocity and acceleration of a point: o + R p and its derivatives, by Ṙ and R̈ */
static void point_motion(const body *b, const double *p, double x[3], double v[3], double a[3])
{
    double r[3] = {0}, dr[3] = {0}, ddr[3] = {0};
    for (int i = 0; i < 9; i++) r[i / 3] += b->R[i] * p[i % 3];
    cross_add(1, b->w, r, dr);
    cross_add(1, b->dw, r, ddr);
    cross_add(1, b->w, dr, ddr);
    for (int i = 0; i < 3; i++) x[i] = b->o[i] + r[i], v[i] = b->v[i] + dr[i], a[i] = b->a[i] + ddr[i];
}

static void look(const body *b, const place *from, view *out)
{
    double arm[3], darm[3], u[3], du[3], f[3] = {0}, t[3] = {0}, P[3] = {0}, L[3] = {0}, dL[3] = {0};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++)
        arm[i] = from->x[i] - b->o[i], darm[i] = from->dx[i] - b->v[i], u[i] = b->v[i], du[i] = b->a[i];
    cross_add(1, b->w, arm, u);
    cross_add(1, b->dw, arm, du);
    cross_add(1, b->w, darm, du);
    turn_back(from->Q, u, out->V), turn_back(from->Q, b->w, out->V + 3);
    turn_back_rate(from->Q, from->w, u, du, out->dV), turn_back_rate(from->Q, from->w, b->w, b->dw, out->dV + 3);
    turn_back(from->Q, from->dx, out->frame), turn_back(from->Q, from->w, out->frame + 3);
    for (int k = 0; k < POINTS; k++) {
        double x[3], v[3], a[3], c[3], dc[3], J = 0;
        point_motion(b, b->p[k], x, v, a);
        for (int i = 0; i < 3; i++)
            c[i] = x[i] - from->x[i], dc[i] = v[i] - from->dx[i], f[i] += b->m[k] * a[i], P[i] += b->m[k] * v[i];
        cross_add(b->m[k], c, a, t);
        cross_add(b->m[k], c, v, L);
        cross_add(b->m[k], dc, v, dL);
        turn_back(from->Q, c, c);
        for (int i = 0; i < 3; i++) out->I[1 + i] += b->m[k] * c[i], J += b->m[k] * c[i] * c[i];
        const int at[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
        for (int i = 0; i < 6; i++) {
            int r = at[i][0], s = at[i][1];
            out->I[4 + i] += (r == s ? J : 0) - b->m[k] * c[r] * c[s];
        }
        out->I[0] += b->m[k];
    }
    for (int i = 0; i < 3; i++) dL[i] += t[i];
    turn_back(from->Q, f, out->W), turn_back(from->Q, t, out->W + 3);
    turn_back(from->Q, P, out->momentum), turn_back(from->Q, L, out->momentum + 3);
    turn_back_rate(from->Q, from->w, P, f, out->momentum_rate);
    turn_back_rate(from->Q, from->w, L, dL, out->momentum_rate + 3);
}

static void draw_vector(uint64_t *seed, double *x)
{
    for (int i = 0; i < 3; i++) x[i] = 2 * draw(seed);
}

/* at_com: the frame's origin is the centre of mass */
static void draw_body(uint64_t *seed, int at_com, body *b)
{
    double mass = 0, first[3] = {0};
    draw_vector(seed, b->o), draw_vector(seed, b->v), draw_vector(seed, b->a);
    draw_vector(seed, b->w), draw_vector(seed, b->dw);
    draw_rotation(seed, b->R);
    for (int k = 0; k < POINTS; k++) {
        b->m[k] = 0.1 + fabs(draw(seed));
        draw_vector(seed, b->p[k]);
        mass += b->m[k];
        for (int i = 0; i < 3; i++) first[i] += b->m[k] * b->p[k][i];
    }
    for (int k = 0; at_com && k < POINTS; k++) {
        for (int i = 0; i < 3; i++) b->p[k][i] -= first[i] / mass;
    }
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* the view of a body in a representation; split's two halves are seen from two places */
static void look_as(const body *b, hml_representation representation, view *out)
{
    place here = {.dx = {0}}, body_axes = {.dx = {0}};
    memcpy(here.Q, identity, sizeof here.Q);
    if (representation != HML_RIGHT) memcpy(here.x, b->o, sizeof here.x), memcpy(here.dx, b->v, sizeof here.dx);
    body_axes = here;
    memcpy(body_axes.Q, b->R, sizeof b->R), memcpy(body_axes.w, b->w, sizeof b->w);
    look(b, representation == HML_LEFT ? &body_axes : &here, out);
    if (representation == HML_SPLIT) {
        view in_body;
        look(b, &body_axes, &in_body);
        memcpy(out->V + 3, in_body.V + 3, 3 * sizeof *out->V);
        memcpy(out->dV + 3, in_body.dV + 3, 3 * sizeof *out->dV);
        memcpy(out->W + 3, in_body.W + 3, 3 * sizeof *out->W);
    }
}

static void pose_of_body(const body *b, double H[16])
{
    memset(H, 0, 16 * sizeof *H);
    for (int i = 0; i < 9; i++) H[4 * (i / 3) + i % 3] = b->R[i];
    for (int i = 0; i < 3; i++) H[4 * i + 3] = b->o[i];
    H[15] = 1;
}

/* the inertia in the body's own frame */
static void own_inertia(const body *b, double I[10])
{
    view own;
    look_as(b, HML_LEFT, &own);
    memcpy(I, own.I, sizeof own.I);
}

static double off(const double *x, const double *y)
{
    double most = 0, size = 0;
    for (int i = 0; i < 6; i++) most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    return most / size;
}

static void test_four_representations(void **state)
{
    (void)state;
    uint64_t seed = 31;
    double worst = 0;
    for (int t = 0; t < BODIES; t++) {
        body b;
        double H[16], I[10], power[4];
        draw_body(&seed, 0, &b);
        pose_of_body(&b, H);
        own_inertia(&b, I);
        for (int r = HML_LEFT; r <= HML_SPLIT; r++) {
            view seen;
            double W[6];
            look_as(&b, (hml_representation)r, &seen);
            assert_int_equal(hml_newton_euler((hml_representation)r, H, I, seen.V, seen.dV, W), HML_OK);
            worst = fmax(worst, off(W, seen.W));
            power[r] = 0;
            for (int i = 0; i < 6; i++) power[r] += W[i] * seen.V[i];
        }
        for (int r = HML_RIGHT; r <= HML_SPLIT; r++) /* the same motion: the same power */
            assert_true(fabs(power[r] - power[0]) <= 1e-11 * (1 + fabs(power[0])));
    }
    printf("four representations: off by %.1e\n", worst);
    assert_true(worst < rounding);
}

static void test_at_the_com(void **state)
{
    (void)state;
    uint64_t seed = 32;
    double worst = 0;
    for (int t = 0; t < BODIES; t++) {
        body b;
        double H[16], I[10];
        draw_body(&seed, 1, &b);
        pose_of_body(&b, H);
        own_inertia(&b, I);
        const double moment[9] = {I[4], I[5], I[6], I[5], I[7], I[8], I[6], I[8], I[9]};
        for (int r = HML_LEFT; r <= HML_SPLIT; r++) {
            view seen;
            double W[6];
            look_as(&b, (hml_representation)r, &seen);
            assert_int_equal(hml_newton_euler_com((hml_representation)r, H, I[0], moment, seen.V, seen.dV, W), HML_OK);
            worst = fmax(worst, off(W, seen.W));
        }
    }
    printf("at the com: off by %.1e\n", worst);
    assert_true(worst < rounding);
}

static void draw_place(uint64_t *seed, place *x)
{
    draw_vector(seed, x->x), draw_vector(seed, x->dx), draw_vector(seed, x->w);
    draw_rotation(seed, x->Q);
}

/* (60) and (63); as printed they are wrong by more than the tenth part */
static void test_any_frame(void **state)
{
    (void)state;
    uint64_t seed = 33;
    double worst = 0, without_transpose = INFINITY, both_twists = INFINITY;
    for (int t = 0; t < BODIES; t++) {
        body b;
        place k;
        view seen;
        double W[6], other[6], printed[6], frame[6];
        draw_body(&seed, 0, &b);
        draw_place(&seed, &k);
        look(&b, &k, &seen);
        assert_int_equal(hml_newton_euler_frame(seen.I, seen.frame, seen.V, seen.dV, W), HML_OK);
        worst = fmax(worst, off(W, seen.W));

        /* (60) as printed has −ad_V (L, P) for −ad_Vᵀ (L, P): −(ω × L, v × L + ω × P) for (ω × L + v × P, ω × P) */
        const double *v = seen.V, *w = seen.V + 3, *P = seen.momentum, *L = seen.momentum + 3;
        memcpy(printed, W, sizeof printed);
        cross_add(-2, w, P, printed), cross_add(-1, v, L, printed);
        cross_add(-2, w, L, printed + 3), cross_add(-1, v, P, printed + 3);
        without_transpose = fmin(without_transpose, off(printed, seen.W));

        /* (63) as printed adds all of V_j to all of V_k; here j turns at another rate, k's origin being at x, too */
        draw_vector(&seed, other), draw_vector(&seed, other + 3);
        for (int i = 0; i < 3; i++)
            frame[i] = seen.frame[i] + other[i], frame[3 + i] = seen.frame[3 + i] + other[3 + i];
        assert_int_equal(hml_newton_euler_frame(seen.I, frame, seen.V, seen.dV, printed), HML_OK);
        both_twists = fmin(both_twists, off(printed, seen.W));
    }
    printf("any frame: off by %.1e; as printed (60) at least %.1e, (63) at least %.1e\n", worst, without_transpose,
           both_twists);
    assert_true(worst < rounding);
    assert_true(without_transpose > 0.05 && both_twists > 0.05);
}

/* (52): about a point that moves, the momentum's rate is not the wrench; Π̇ + (ṙ × P, 0) is */
static void test_momentum_about_a_moving_point(void **state)
{
    (void)state;
    uint64_t seed = 34;
    double worst = 0, printed = INFINITY;
    for (int t = 0; t < BODIES; t++) {
        body b;
        view seen;
        draw_body(&seed, 0, &b);
        look_as(&b, HML_MIXED, &seen);
        printed = fmin(printed, off(seen.momentum_rate, seen.W));
        cross_add(1, b.v, seen.momentum, seen.momentum_rate + 3);
        worst = fmax(worst, off(seen.momentum_rate, seen.W));
        look_as(&b, HML_RIGHT, &seen); /* (36) */
        worst = fmax(worst, off(seen.momentum_rate, seen.W));
    }
    printf("momentum: off by %.1e; (52) as printed at least %.1e\n", worst, printed);
    assert_true(worst < rounding);
    assert_true(printed > 1e-3);
}

static void test_refusals(void **state)
{
    (void)state;
    double H[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, I[10] = {1}, V[6] = {0}, dV[6] = {0}, W[6];
    assert_int_equal(hml_newton_euler(HML_LEFT, NULL, I, V, dV, W), HML_OK);
    assert_int_equal(hml_newton_euler(HML_RIGHT, NULL, I, V, dV, W), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_newton_euler((hml_representation)4, H, I, V, dV, W), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_newton_euler(HML_MIXED, H, I, V, dV, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_newton_euler_com(HML_MIXED, H, 1, NULL, V, dV, W), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_newton_euler_frame(I, NULL, V, dV, W), HML_INVALID_ARGUMENT);
    dV[5] = NAN;
    assert_int_equal(hml_newton_euler(HML_MIXED, H, I, V, dV, W), HML_NOT_FINITE);
    assert_int_equal(hml_newton_euler_frame(I, V, V, dV, W), HML_NOT_FINITE);
    dV[5] = 0, I[3] = INFINITY;
    assert_int_equal(hml_newton_euler(HML_MIXED, H, I, V, dV, W), HML_NOT_FINITE);
    assert_int_equal(hml_newton_euler_frame(I, V, V, dV, W), HML_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_representations),
        cmocka_unit_test(test_at_the_com),
        cmocka_unit_test(test_any_frame),
        cmocka_unit_test(test_momentum_about_a_moving_point),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
