/*
 * Notation through the public functions, number by number: twists, transforms, accelerations and inertias of two frames
 * that move along elementary functions of time. Rates are differences of eighth order of the 4x4 matrices themselves,
 * and the matrix arithmetic is that of this file and of arrays.h: nothing is proved by itself.
 *
 * A is fixed, B and C move. Where the report has a slip, the printed form must fail.
 */
#include "arrays.h"
#include "difference.h"
#include "hamel/rigid_body.h"
#include "hamel/se3.h"

#define TOL        (500 * EPS) /* a few dozen roundings of numbers up to about 10 */
#define RATE_TOL   1e-11       /* of a difference, see difference.h; numbers up to about 10 */
#define SECOND_TOL 1e-9        /* of the difference of one: 1e-12 over a step of 1/128 */
#define FINITE     0.1         /* a formula that is off by this much is wrong, not inexact */

/* ---- frames in motion ---- */

/* turns about z, then about x, and moves along a curve; shape makes the frames differ */
static void frame_at(double t, double shape, double H[16])
{
    double a = sin(0.7 * t + shape), b = 0.3 * t * t - 0.5 * t * shape;
    const double Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    const double X[9] = {1, 0, 0, 0, cos(b), -sin(b), 0, sin(b), cos(b)};
    const double p[3] = {cos(t) - shape, 0.5 * sin(t + shape), 0.2 * t * t * t + shape * t};
    double R[9];
    multiply(3, 3, 3, Z, X, R);
    memset(H, 0, 16 * sizeof *H);
    for (int i = 0; i < 3; i++) memcpy(H + 4 * i, R + 3 * i, 3 * sizeof *H), H[4 * i + 3] = p[i];
    H[15] = 1;
}

static double now; /* the time about which curves are differentiated */

static void B(double t, double *H) { frame_at(t, 0.4, H); }
static void C(double t, double *H) { frame_at(t, -0.9, H); }

static void parts_of(const double H[16], double R[9], double o[3])
{
    for (int i = 0; i < 9; i++) R[i] = H[4 * (i / 3) + i % 3];
    for (int i = 0; i < 3; i++) o[i] = H[4 * i + 3];
}

/* [Rᵀ −Rᵀo; 0 1] */
static void inverse_of(const double H[16], double I[16])
{
    memset(I, 0, 16 * sizeof *I);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) I[4 * i + j] = H[4 * j + i], I[4 * i + 3] -= H[4 * j + i] * H[4 * j + 3];
    }
    I[15] = 1;
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    const double y[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, y, sizeof y);
}

static void vee3(const double W[9], double w[3]) { w[0] = W[7], w[1] = W[2], w[2] = W[3]; }

typedef void place(double t, double *H);
typedef struct {
    place *frame, *other;
} scene;

static void pose_curve(const void *context, double t, double *out) { ((const scene *)context)->frame(now + t, out); }

/* the twist of a moving frame in itself, (17)-(19): v = Rᵀȯ, ω^ = RᵀṘ */
static void left_twist(place *frame, double t, double V[6])
{
    scene s = {frame, NULL};
    double before = now, H[16], dH[16], R[9], dR[9], Rt[9], o[3], rate[3], W[9];
    now = t;
    frame(t, H);
    difference(pose_curve, &s, 16, dH);
    now = before;
    parts_of(H, R, o), parts_of(dH, dR, rate);
    transpose(3, R, Rt);
    multiply(3, 3, 3, Rt, dR, W);
    multiply(3, 3, 1, Rt, rate, V);
    vee3(W, V + 3);
}

static const double times[] = {-1, -0.6, -0.1, 0.3, 0.8, 1.1};
enum { TIMES = sizeof times / sizeof *times };

/* ---- section 5: twists ---- */

/* left, right and mixed twist from H and Ḣ, and from each other: (17)-(26), (28), (35), (36), (93), (94) */
static void test_twists_of_a_moving_frame(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        scene s = {B, NULL};
        double H[16], dH[16], I[16], W[16], V[3][6], R[9], dR[9], Rt[9], o[3], rate[3], spin[9], turned[3], r[6];
        now = times[i];
        B(now, H);
        difference(pose_curve, &s, 16, dH);
        inverse_of(H, I);
        parts_of(H, R, o), parts_of(dH, dR, rate), transpose(3, R, Rt);
        multiply(4, 4, 4, I, dH, W); /* (17), (21) */
        ASSERT_OK(hml_se3_vee(W, V[HML_LEFT]));
        left_twist(B, now, r); /* (18), (19) */
        CHECK(V[HML_LEFT], r, 6, RATE_TOL);
        multiply(4, 4, 4, dH, I, W); /* (22), (26) */
        ASSERT_OK(hml_se3_vee(W, V[HML_RIGHT]));
        multiply(3, 3, 3, dR, Rt, spin); /* (24), then (23) */
        vee3(spin, r + 3);
        multiply(3, 3, 1, spin, o, turned);
        for (int k = 0; k < 3; k++) r[k] = rate[k] - turned[k];
        CHECK(V[HML_RIGHT], r, 6, RATE_TOL);
        memcpy(V[HML_MIXED], rate, sizeof rate), vee3(spin, V[HML_MIXED] + 3); /* (35) */
        for (int from = HML_LEFT; from <= HML_MIXED; from++) {
            for (int to = HML_LEFT; to <= HML_MIXED; to++) {
                ASSERT_OK(hml_twist_convert(H, (hml_representation)from, V[from], (hml_representation)to, r));
                CHECK(r, V[to], 6, RATE_TOL);
            }
        }
        double hat[16], back[16];
        ASSERT_OK(hml_twist_transform(H, V[HML_LEFT], r)); /* (28), (31) */
        CHECK(r, V[HML_RIGHT], 6, RATE_TOL);
        ASSERT_OK(hml_se3_hat(V[HML_LEFT], hat)); /* (36) */
        multiply(4, 4, 4, H, hat, back);
        CHECK(back, dH, 16, RATE_TOL);
    }
}

/* Ad and the brackets: (29), (30), (33), (34), (38)-(41), (43) */
static void test_transforms_of_twists(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double H[16], G[16], HG[16], R[9], o[3], V[6], U[6], r[6], s[6], t[6], X[36], left[36], right[36], a[36], b[36];
        draw_pose(H), draw_pose(G), draw_array(V, 6, 1), draw_array(U, 6, 1);
        multiply(4, 4, 4, H, G, HG);
        ASSERT_OK(hml_twist_transform(G, V, r)); /* (33): two transforms are one */
        ASSERT_OK(hml_twist_transform(H, r, s));
        ASSERT_OK(hml_twist_transform(HG, V, t));
        CHECK(s, t, 6, TOL);
        parts_of(H, R, o); /* (34) */
        ASSERT_OK(hml_twist_transform(H, V, r));
        multiply(3, 3, 1, R, V + 3, s);
        CHECK(r + 3, s, 3, TOL);
        cross3(o, s, t); /* and the linear part: R v + o × R ω, (27) */
        multiply(3, 3, 1, R, V, s);
        for (int k = 0; k < 3; k++) s[k] += t[k];
        CHECK(r, s, 3, TOL);

        ASSERT_OK(hml_twist_cross(V, U, r)); /* (39), (40) */
        ASSERT_OK(hml_twist_cross(U, V, s));
        for (int k = 0; k < 6; k++) s[k] = -s[k];
        CHECK(r, s, 6, TOL);
        ASSERT_OK(hml_twist_cross(V, V, r));
        memset(s, 0, sizeof s);
        CHECK(r, s, 6, TOL);

        ASSERT_OK(hml_se3_adjoint(H, X)); /* (41), (43) */
        ASSERT_OK(hml_se3_cross(V, left));
        ASSERT_OK(hml_twist_transform(H, V, r));
        ASSERT_OK(hml_se3_cross(r, right));
        multiply(6, 6, 6, X, left, a), multiply(6, 6, 6, right, X, b);
        CHECK(a, b, 36, TOL);
    }
}

static void adjoint_curve(const void *context, double t, double *out)
{
    double H[16];
    ((const scene *)context)->frame(now + t, H);
    assert_int_equal(hml_se3_adjoint(H, out), HML_OK);
}

static void dual_curve(const void *context, double t, double *out)
{
    double H[16];
    ((const scene *)context)->frame(now + t, H);
    assert_int_equal(hml_se3_adjoint_dual(H, out), HML_OK);
}

/* (37), (42), (61), (66); the line after (42) has ad of the right twist, which is wrong */
static void test_rates_of_transforms(void **state)
{
    (void)state;
    double wrong = 0;
    for (int i = 0; i < TIMES; i++) {
        scene s = {B, NULL};
        double H[16], X[36], dX[36], V[6], right[6], ad[36], product[36];
        now = times[i];
        B(now, H), left_twist(B, now, V);
        ASSERT_OK(hml_se3_adjoint(H, X));
        difference(adjoint_curve, &s, 36, dX);
        ASSERT_OK(hml_se3_cross(V, ad));
        multiply(6, 6, 6, X, ad, product);
        CHECK(product, dX, 36, RATE_TOL);
        ASSERT_OK(hml_twist_transform(H, V, right));
        ASSERT_OK(hml_se3_cross(right, ad));
        multiply(6, 6, 6, X, ad, product);
        for (int k = 0; k < 36; k++) wrong = fmax(wrong, fabs(product[k] - dX[k]));
        ASSERT_OK(hml_se3_adjoint_dual(H, X));
        difference(dual_curve, &s, 36, dX);
        ASSERT_OK(hml_se3_cross_dual(V, ad));
        multiply(6, 6, 6, X, ad, product);
        CHECK(product, dX, 36, RATE_TOL);
    }
    assert_true(wrong > FINITE);
}

/* ---- section 5.4: accelerations ---- */

static void left_curve(const void *context, double t, double *out)
{
    left_twist(((const scene *)context)->frame, now + t, out);
}

/* the twist of `frame` in A, expressed in `other` */
static void seen_curve(const void *context, double t, double *out)
{
    const scene *s = context;
    double H[16], G[16], I[16], HG[16], V[6];
    s->frame(now + t, H), s->other(now + t, G), inverse_of(G, I);
    multiply(4, 4, 4, I, H, HG);
    left_twist(s->frame, now + t, V);
    assert_int_equal(hml_twist_transform(HG, V, out), HML_OK);
}

/* B[A]: the origin of B with the axes of A */
static void mixed_frame(double t, double *H)
{
    double G[16];
    B(t, G);
    identity(4, H);
    for (int i = 0; i < 3; i++) H[4 * i + 3] = G[4 * i + 3];
}

/* (44)-(51) with C, and (52)-(55) with B[A] in its place */
static void test_accelerations_in_a_third_frame(void **state)
{
    (void)state;
    place *const observers[2] = {C, mixed_frame};
    for (int i = 0; i < 2 * TIMES; i++) {
        scene s = {B, observers[i % 2]};
        double H[16], G[16], I[16], GH[16], V[6], V_C[6], V_AC[6], a[6], apparent[6], r[6], V_CB[6], sum[3], part[3];
        now = times[i / 2];
        B(now, H), s.other(now, G), inverse_of(G, I);
        multiply(4, 4, 4, I, H, GH);
        left_twist(B, now, V), left_twist(s.other, now, V_AC);
        seen_curve(&s, 0, V_C);
        difference(left_curve, &s, 6, a);
        difference(seen_curve, &s, 6, apparent);
        /* the twist of B relative to C, in B */
        inverse_of(GH, I);
        ASSERT_OK(hml_twist_transform(I, V_AC, r));
        for (int k = 0; k < 6; k++) V_CB[k] = V[k] - r[k];
        ASSERT_OK(hml_acceleration_apparent(GH, V_CB, V, a, r)); /* (45), (56) */
        CHECK(r, apparent, 6, SECOND_TOL);
        double intrinsic[6];
        ASSERT_OK(hml_twist_transform(GH, a, intrinsic));              /* (47) */
        ASSERT_OK(hml_acceleration_add_frame(V_AC, V_C, apparent, r)); /* (49) */
        CHECK(r, intrinsic, 6, SECOND_TOL);
        cross3(V_AC + 3, V_C, sum), cross3(V_AC, V_C + 3, part); /* (50) */
        for (int k = 0; k < 3; k++) sum[k] += part[k] + apparent[k];
        CHECK(sum, intrinsic, 3, SECOND_TOL);
        cross3(V_AC + 3, V_C + 3, sum); /* (51) */
        for (int k = 0; k < 3; k++) sum[k] += apparent[3 + k];
        CHECK(sum, intrinsic + 3, 3, SECOND_TOL);
        if (s.other != mixed_frame) continue;
        ASSERT_OK(hml_acceleration_convert(H, HML_LEFT, V, a, HML_MIXED, r)); /* (52) */
        CHECK(r, apparent, 6, SECOND_TOL);
        const double ddo[3] = {-cos(now), -0.5 * sin(now + 0.4), 1.2 * now};
        CHECK(r, ddo, 3, SECOND_TOL);
        ASSERT_OK(hml_acceleration_drop_frame(V_AC, V_C, intrinsic, r)); /* (53) */
        CHECK(r, apparent, 6, SECOND_TOL);
        cross3(V_C, V_C + 3, part); /* (54), (55) */
        for (int k = 0; k < 3; k++) sum[k] = intrinsic[k] - part[k];
        CHECK(sum, apparent, 3, SECOND_TOL);
        CHECK(intrinsic + 3, apparent + 3, 3, SECOND_TOL);
    }
}

static void right_curve(const void *context, double t, double *out)
{
    double H[16], V[6];
    ((const scene *)context)->frame(now + t, H);
    left_twist(((const scene *)context)->frame, now + t, V);
    assert_int_equal(hml_twist_transform(H, V, out), HML_OK);
}

/* (46), (86): the right acceleration is X times the left one, without a cross product; (85) is (47) from A's side */
static void test_left_and_right_accelerations(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        scene s = {B, NULL};
        double H[16], V[6], a[6], right[6], r[6];
        now = times[i];
        B(now, H), left_twist(B, now, V);
        difference(left_curve, &s, 6, a);
        difference(right_curve, &s, 6, right);
        ASSERT_OK(hml_twist_transform(H, a, r));
        CHECK(r, right, 6, SECOND_TOL);
        ASSERT_OK(hml_acceleration_convert(H, HML_LEFT, V, a, HML_RIGHT, r));
        CHECK(r, right, 6, SECOND_TOL);
    }
}

/* ---- section 6: wrenches ---- */

/* (58)-(60), (62)-(65) */
static void test_transforms_of_wrenches(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double H[16], I[16], V[6], F[6], r[6], s[6], X[36], Y[36], Xt[36], ad[36], dual[36], a[36], b[36], power[2];
        draw_pose(H), draw_array(V, 6, 1), draw_array(F, 6, 1);
        inverse_of(H, I);
        ASSERT_OK(hml_se3_adjoint(I, X)); /* (59), (64): the transpose of ᴮX_A */
        ASSERT_OK(hml_se3_adjoint_dual(H, Y));
        transpose(6, X, Xt);
        CHECK(Y, Xt, 36, TOL);
        ASSERT_OK(hml_wrench_transform(H, F, r)); /* (58) */
        multiply(6, 6, 1, Y, F, s);
        CHECK(r, s, 6, TOL);
        ASSERT_OK(hml_twist_transform(H, V, s)); /* (60) */
        ASSERT_OK(hml_wrench_power(F, V, &power[0]));
        ASSERT_OK(hml_wrench_power(r, s, &power[1]));
        CHECK(&power[0], &power[1], 1, TOL);
        ASSERT_OK(hml_se3_cross(V, ad)); /* (62), (65) */
        ASSERT_OK(hml_se3_cross_dual(V, dual));
        transpose(6, ad, a);
        for (int k = 0; k < 36; k++) a[k] = -a[k];
        CHECK(dual, a, 36, 0);
        multiply(6, 6, 6, Y, dual, a); /* (63) */
        ASSERT_OK(hml_se3_cross_dual(s, dual));
        multiply(6, 6, 6, dual, Y, b);
        CHECK(a, b, 36, TOL);
    }
}

/* ---- section 7: inertia ---- */

/* (67)-(69) for a body of seven points, whose matrix about any frame is a sum over the points; and the remark after
 * (69) */
static void test_inertia_of_points(void **state)
{
    (void)state;
    enum { POINTS = 7 };
    double wrong = INFINITY;
    for (int i = 0; i < 200; i++) {
        double m[POINTS], p[POINTS][3], H[16], R[9], o[3], com[3] = {0}, mass = 0, moment[9] = {0}, I[10], M[36];
        draw_pose(H); /* H_BC, C's origin the centre of mass */
        parts_of(H, R, o);
        for (int k = 0; k < POINTS; k++) {
            m[k] = draw(0.1, 2), draw_array(p[k], 3, 1), mass += m[k];
            for (int r = 0; r < 3; r++) com[r] += m[k] * p[k][r];
        }
        double at_com[36] = {0}, in_B[36] = {0};
        for (int k = 0; k < POINTS; k++) {
            double turned[3];
            for (int r = 0; r < 3; r++) p[k][r] -= com[r] / mass;
            multiply(3, 3, 1, R, p[k], turned);
            for (int r = 0; r < 3; r++) turned[r] += o[r];
            for (int at = 0; at < 2; at++) { /* m [1 −x^; x^ −x^x^] */
                const double *x = at ? turned : p[k];
                const double hat[9] = {0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0};
                double square[9], *into = at ? in_B : at_com;
                multiply(3, 3, 3, hat, hat, square);
                for (int e = 0; e < 9; e++) {
                    int r = e / 3, c = e % 3;
                    into[6 * r + c] += m[k] * (r == c), into[6 * r + c + 3] -= m[k] * hat[e];
                    into[6 * (r + 3) + c] += m[k] * hat[e], into[6 * (r + 3) + c + 3] -= m[k] * square[e];
                }
            }
        }
        for (int e = 0; e < 9; e++) moment[e] = at_com[6 * (e / 3 + 3) + e % 3 + 3];
        const double zero[3] = {0};
        ASSERT_OK(hml_inertia_from_com(mass, zero, moment, I)); /* (67) */
        ASSERT_OK(hml_inertia_matrix(I, M));
        CHECK(M, at_com, 36, 20 * TOL);            /* sums of entries up to about 20 */
        ASSERT_OK(hml_inertia_transform(H, I, I)); /* (68), (69) */
        ASSERT_OK(hml_inertia_matrix(I, M));
        CHECK(M, in_B, 36, 100 * TOL); /* and up to 100 here */
        /* parallel axes with o^o^ = o⊗o − (o·o)1, and with the remark's + */
        double oo = o[0] * o[0] + o[1] * o[1] + o[2] * o[2], turned[9], left[9], Rt[9], off[2] = {0};
        transpose(3, R, Rt), multiply(3, 3, 3, R, moment, left), multiply(3, 3, 3, left, Rt, turned);
        for (int e = 0; e < 9; e++) {
            double outer = o[e / 3] * o[e % 3], one = e % 4 == 0;
            for (int k = 0; k < 2; k++) {
                double axes = turned[e] - mass * (outer + (k ? oo : -oo) * one);
                off[k] = fmax(off[k], fabs(axes - M[6 * (e / 3 + 3) + e % 3 + 3]));
            }
        }
        assert_true(off[0] < 100 * TOL);
        wrong = fmin(wrong, off[1] / (mass * oo));
    }
    assert_true(wrong > FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twists_of_a_moving_frame),
        cmocka_unit_test(test_transforms_of_twists),
        cmocka_unit_test(test_rates_of_transforms),
        cmocka_unit_test(test_accelerations_in_a_third_frame),
        cmocka_unit_test(test_left_and_right_accelerations),
        cmocka_unit_test(test_transforms_of_wrenches),
        cmocka_unit_test(test_inertia_of_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
