/*
 * Müller, sections 3, 5 and 7 and appendix B, number by number: the Newton-Euler equations in their parts, inertias in
 * any frame, the closed form of the equations of motion as products of his system matrices, exponentials in time,
 * brackets. Where the paper has a slip, the printed form must fail. Linear first.
 */
#include "difference.h"
#include "hamel/rigid_body.h"
#include "muller_check.h"

#define TOL      (1000 * EPS) /* some dozen roundings of numbers up to about 20 */
#define RATE_TOL 1e-10        /* of a difference, numbers up to about 20 */
#define FINITE   0.05         /* a formula that is off by this much is wrong, not inexact */

/* ---- one body ---- */

static void apply3(const double A[9], const double x[3], double out[3])
{
    double y[3];
    multiply(3, 3, 1, A, x, y);
    memcpy(out, y, sizeof y);
}

/* A → R A Rᵀ */
static void turn3(const double R[9], const double A[9], double out[9])
{
    double Rt[9], left[9];
    transpose(3, R, Rt), multiply(3, 3, 3, R, A, left), multiply(3, 3, 3, left, Rt, out);
}

/* mass, centre d in the body's axes, Θ_c about it, Θ_b about the origin; pose, motion in three representations */
typedef struct {
    double m, d[3], com_moment[9], moment[9], I[10];
    double H[16], R[9], Rt[9];
    double V[4][6], A[4][6];
} body;

static void draw_body(body *b, int at_com)
{
    static const double zero[3] = {0};
    double a = draw(0.2, 1), c = draw(0.2, 1), e = draw(0.2, 1), G[16], T[9], hat[9], square[9];
    const double principal[9] = {c + e, 0, 0, 0, a + e, 0, 0, 0, a + c};
    draw_pose(b->H), draw_pose(G);
    for (int k = 0; k < 9; k++) b->R[k] = b->H[4 * (k / 3) + k % 3], T[k] = G[4 * (k / 3) + k % 3];
    transpose(3, b->R, b->Rt);
    b->m = draw(0.5, 3);
    draw_array(b->d, 3, 0.7);
    if (at_com) memcpy(b->d, zero, sizeof zero);
    turn3(T, principal, b->com_moment);
    const double h[9] = {0, -b->d[2], b->d[1], b->d[2], 0, -b->d[0], -b->d[1], b->d[0], 0};
    memcpy(hat, h, sizeof h), multiply(3, 3, 3, hat, hat, square);
    for (int k = 0; k < 9; k++) b->moment[k] = b->com_moment[k] - b->m * square[k]; /* after (40) */
    ASSERT_OK(hml_inertia_from_com(b->m, b->d, b->com_moment, b->I));
    draw_array(b->V[HML_LEFT], 6, 1.5), draw_array(b->A[HML_LEFT], 6, 2);
    for (int rep = HML_RIGHT; rep <= HML_SPLIT; rep++) {
        ASSERT_OK(hml_twist_convert(b->H, HML_LEFT, b->V[HML_LEFT], (hml_representation)rep, b->V[rep]));
        ASSERT_OK(hml_acceleration_convert(b->H, HML_LEFT, b->V[HML_LEFT], b->A[HML_LEFT], (hml_representation)rep,
                                           b->A[rep]));
    }
}

/* Θ ω̇ + ω × Θ ω + m d × a */
static void torque(const double moment[9], double m, const double d[3], const double w[3], const double dw[3],
                   const double a[3], double t[3])
{
    double y[3], z[3];
    apply3(moment, dw, t), apply3(moment, w, y), cross3(w, y, y), cross3(d, a, z);
    for (int k = 0; k < 3; k++) t[k] += y[k] + m * z[k];
}

/* m (a + ω̇ × d + ω × (ω × d)) */
static void force(double m, const double d[3], const double w[3], const double dw[3], const double a[3], double f[3])
{
    double y[3], z[3];
    cross3(dw, d, y), cross3(w, d, z), cross3(w, z, z);
    for (int k = 0; k < 3; k++) f[k] = m * (a[k] + y[k] + z[k]);
}

/*
 * (42)-(43), (54)-(57) with any frame, (45)-(46), (49)-(50), (58) at the centre of mass. In the text we had the tilde
 * of (42) stands on the wrong factor and (50) has ṙ for r̈: both fail.
 */
static void test_parts_of_newton_euler(void **state)
{
    (void)state;
    double printed_42 = 0, printed_50 = 0;
    for (int i = 0; i < 400; i++) {
        body b;
        double W[6], f[3], t[3], a[3], y[3], d[3], moment[9];
        int at_com = i % 2;
        draw_body(&b, at_com);
        const double *v = b.V[HML_LEFT], *w = v + 3, *dv = b.A[HML_LEFT], *dw = dv + 3;
        cross3(w, v, a);
        for (int k = 0; k < 3; k++) a[k] += dv[k]; /* v̇ + ω × v = Rᵀ r̈ */
        if (at_com)
            ASSERT_OK(hml_newton_euler_com(HML_LEFT, b.H, b.m, b.com_moment, v, dv, W));
        else
            ASSERT_OK(hml_newton_euler(HML_LEFT, b.H, b.I, v, dv, W));
        force(b.m, b.d, w, dw, a, f), torque(b.moment, b.m, b.d, w, dw, a, t);
        CHECK(W, f, 3, TOL);
        CHECK(W + 3, t, 3, TOL);
        cross3(b.d, a, y); /* −m (v̇ + ω^v)·d~ read as a row: the other sign */
        for (int k = 0; k < 3; k++) t[k] -= 2 * b.m * y[k];
        if (!at_com) printed_42 = fmax(printed_42, off(W + 3, t, 3));

        const double *V = b.V[HML_MIXED], *A = b.A[HML_MIXED]; /* hybrid: everything in the world's axes */
        apply3(b.R, b.d, d), turn3(b.R, b.moment, moment);
        if (at_com)
            ASSERT_OK(hml_newton_euler_com(HML_MIXED, b.H, b.m, b.com_moment, V, A, W));
        else
            ASSERT_OK(hml_newton_euler(HML_MIXED, b.H, b.I, V, A, W));
        force(b.m, d, V + 3, A + 3, A, f), torque(moment, b.m, d, V + 3, A + 3, A, t);
        CHECK(W, f, 3, TOL);
        CHECK(W + 3, t, 3, TOL);
        for (int k = 0; k < 3 && at_com; k++) printed_50 = fmax(printed_50, fabs(b.m * V[k] - W[k]));

        V = b.V[HML_SPLIT], A = b.A[HML_SPLIT]; /* mixed, our split: r̈ in the world, the rest in the body */
        if (at_com)
            ASSERT_OK(hml_newton_euler_com(HML_SPLIT, b.H, b.m, b.com_moment, V, A, W));
        else
            ASSERT_OK(hml_newton_euler(HML_SPLIT, b.H, b.I, V, A, W));
        apply3(b.Rt, A, a); /* before (56): r̈ = R(v̇ + ω^v) */
        force(b.m, b.d, V + 3, A + 3, a, f), torque(b.moment, b.m, b.d, V + 3, A + 3, a, t);
        apply3(b.R, f, f);
        CHECK(W, f, 3, TOL);
        CHECK(W + 3, t, 3, TOL);
    }
    assert_true(printed_42 > FINITE && printed_50 > FINITE);
}

/* W = M V̇ + ad_ω M V with V's angular part alone: (48), (53), and (44) in the body; with all of V they are wrong */
static void test_hybrid_balance(void **state)
{
    (void)state;
    double printed = 0;
    for (int i = 0; i < 200; i++) {
        body b;
        double turned[10], M[36], MA[6], MV[6], W[6], omega[6], part[6], y[6], H[16];
        draw_body(&b, i % 2);
        memcpy(H, b.H, sizeof H), H[3] = H[7] = H[11] = 0;
        const double *V = b.V[HML_MIXED], *A = b.A[HML_MIXED];
        ASSERT_OK(hml_inertia_transform(H, b.I, turned)); /* (47), (51): M^h */
        ASSERT_OK(hml_inertia_matrix(turned, M));
        double d[3], moment[9], blocks[36] = {0};
        apply3(b.R, b.d, d), turn3(b.R, b.moment, moment);
        const double hat[9] = {0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0};
        for (int k = 0; k < 9; k++) {
            int r = k / 3, c = k % 3;
            blocks[6 * r + c] = b.m * (r == c), blocks[6 * (r + 3) + c + 3] = moment[k];
            blocks[6 * r + c + 3] = -b.m * hat[k], blocks[6 * (r + 3) + c] = b.m * hat[k];
        }
        CHECK(M, blocks, 36, TOL);
        multiply(6, 6, 1, M, A, MA);
        angular_part(V, omega);
        ASSERT_OK(hml_newton_euler(HML_MIXED, b.H, b.I, V, A, W));
        for (int all = 0; all < 2; all++) {
            multiply(6, 6, 1, M, all ? V : omega, MV);
            cross3(omega + 3, MV, part), cross3(omega + 3, MV + 3, part + 3); /* ad_ω = −ad_ωᵀ */
            for (int k = 0; k < 6; k++) y[k] = MA[k] + part[k];
            if (all)
                printed = fmax(printed, off(y, W, 6));
            else
                CHECK(y, W, 6, TOL);
        }
        if (i % 2) { /* (44): M_c V̇ − ad_ωᵀ M_c V, which may have all of V, the frame turning with the body */
            ASSERT_OK(hml_inertia_matrix(b.I, M));
            multiply(6, 6, 1, M, b.A[HML_LEFT], MA), multiply(6, 6, 1, M, b.V[HML_LEFT], MV);
            cross3(b.V[HML_LEFT] + 3, MV, part), cross3(b.V[HML_LEFT] + 3, MV + 3, part + 3);
            for (int k = 0; k < 6; k++) y[k] = MA[k] + part[k];
            ASSERT_OK(hml_newton_euler_com(HML_LEFT, b.H, b.m, b.com_moment, b.V[HML_LEFT], b.A[HML_LEFT], W));
            CHECK(y, W, 6, TOL);
        }
    }
    assert_true(printed > FINITE);
}

/* ---- a body along a curve ---- */

typedef struct {
    double at;
    const double *I;
} moment_in_time;

static void pose_curve(const void *context, double t, double *out)
{
    moving_pose(((const moment_in_time *)context)->at + t, out);
}

static void spatial_twist(double t, double V[6])
{
    double H[16], inverse[16], dH[16], W[16];
    moment_in_time m = {t, NULL};
    moving_pose(t, H), difference(pose_curve, &m, 16, dH);
    assert_int_equal(hml_se3_inverse(H, inverse), HML_OK);
    multiply(4, 4, 4, dH, inverse, W); /* (97) */
    assert_int_equal(hml_se3_vee(W, V), HML_OK);
}

static void spatial_inertia(const void *context, double t, double *M)
{
    const moment_in_time *m = context;
    double H[16], I[10];
    moving_pose(m->at + t, H);
    assert_int_equal(hml_inertia_transform(H, m->I, I), HML_OK); /* (34) */
    assert_int_equal(hml_inertia_matrix(I, M), HML_OK);
}

static void twist_and_momentum(const void *context, double t, double *out)
{
    double M[36];
    spatial_twist(((const moment_in_time *)context)->at + t, out);
    spatial_inertia(context, t, M);
    multiply(6, 6, 1, M, out, out + 6); /* (35) */
}

/* (34)-(38), and Remark 2: with C = −adᵀM, Ṁ − 2C is skew */
static void test_spatial_balance(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        body b;
        draw_body(&b, 0);
        moment_in_time now = {-1 + 0.4 * i, b.I};
        double H[16], inverse[16], X[36], Xt[36], Mb[36], left[36], M[36], expected[36], dM[36], V[6], ad[36], adt[36];
        moving_pose(now.at, H), spatial_twist(now.at, V), spatial_inertia(&now, 0, M);
        ASSERT_OK(hml_se3_inverse(H, inverse)); /* (34): Ad⁻ᵀ M^b Ad⁻¹ */
        ASSERT_OK(hml_se3_adjoint(inverse, X));
        ASSERT_OK(hml_inertia_matrix(b.I, Mb));
        transpose(6, X, Xt), multiply(6, 6, 6, Xt, Mb, left), multiply(6, 6, 6, left, X, expected);
        CHECK(M, expected, 36, TOL);
        difference(spatial_inertia, &now, 36, dM);
        ASSERT_OK(hml_se3_cross(V, ad));
        transpose(6, ad, adt);
        double Mad[36], adtM[36], rest[36];
        multiply(6, 6, 6, M, ad, Mad), multiply(6, 6, 6, adt, M, adtM);
        for (int k = 0; k < 36; k++) expected[k] = -adtM[k] - Mad[k];
        CHECK(dM, expected, 36, RATE_TOL); /* (37) */
        for (int k = 0; k < 36; k++) rest[k] = dM[k] + 2 * adtM[k];
        for (int k = 0; k < 36; k++) assert_true(fabs(rest[k] + rest[k % 6 * 6 + k / 6]) < RATE_TOL); /* Remark 2 */
        double both[12], rates[12], W[6], here[6], body_twist[6], momentum[6];
        twist_and_momentum(&now, 0, both);
        transform(inverse, V, body_twist); /* (35): Π^s = Ad⁻ᵀ Π^b */
        multiply(6, 6, 1, Mb, body_twist, momentum);
        ASSERT_OK(hml_wrench_transform(H, momentum, here));
        CHECK(both + 6, here, 6, TOL);
        difference(twist_and_momentum, &now, 12, rates);
        ASSERT_OK(hml_newton_euler(HML_RIGHT, H, b.I, V, rates, W)); /* (36), (38) */
        CHECK(W, rates + 6, 6, 100 * RATE_TOL);                      /* a difference of a difference */
        double balance[6], adtMV[6];
        multiply(6, 6, 1, M, rates, balance), multiply(6, 6, 1, adtM, V, adtMV);
        for (int k = 0; k < 6; k++) balance[k] -= adtMV[k];
        CHECK(balance, W, 6, TOL);
    }
}

/* (61), (64): the inertia of body i in a frame j, and there in the axes of k; (64) with R_{k,j} as printed fails */
static void test_inertia_in_other_frames(void **state)
{
    (void)state;
    double printed = 0;
    for (int i = 0; i < 200; i++) {
        body b;
        double Cj[16], Rk[16], inverse[16], I[10], M[36], Ms[36], X[36], Xt[36], left[36], expected[36], in_k[10];
        draw_body(&b, 0);
        draw_pose(Cj), draw_pose(Rk);
        Rk[3] = Rk[7] = Rk[11] = 0; /* R_{j,k}: from the axes of k to those of j */
        ASSERT_OK(hml_inertia_transform(b.H, b.I, I));
        ASSERT_OK(hml_inertia_matrix(I, Ms));
        ASSERT_OK(hml_se3_adjoint(Cj, X));
        transpose(6, X, Xt), multiply(6, 6, 6, Xt, Ms, left), multiply(6, 6, 6, left, X, expected);
        ASSERT_OK(hml_se3_inverse(Cj, inverse));
        ASSERT_OK(hml_inertia_transform(inverse, I, I));
        ASSERT_OK(hml_inertia_matrix(I, M));
        CHECK(M, expected, 36, 10 * TOL); /* entries up to 200 */
        for (int wrong = 0; wrong < 2; wrong++) {
            double G[16], R[36], Rt[36];
            ASSERT_OK(hml_se3_inverse(Rk, inverse));
            memcpy(G, wrong ? inverse : Rk, sizeof G);
            ASSERT_OK(hml_se3_adjoint(G, R));
            transpose(6, R, Rt), multiply(6, 6, 6, Rt, M, left), multiply(6, 6, 6, left, R, expected);
            ASSERT_OK(hml_inertia_transform(inverse, I, in_k));
            ASSERT_OK(hml_inertia_matrix(in_k, X));
            if (wrong)
                printed = fmax(printed, off(X, expected, 36));
            else
                CHECK(X, expected, 36, 10 * TOL);
        }
        double energy[2], V[6], V_k[6]; /* and the energy of the same motion is the same */
        draw_array(V, 6, 1), transform(inverse, V, V_k);
        ASSERT_OK(hml_inertia_kinetic_energy(I, V, &energy[0]));
        ASSERT_OK(hml_inertia_kinetic_energy(in_k, V_k, &energy[1]));
        CHECK(&energy[0], &energy[1], 1, 10 * TOL);
    }
    assert_true(printed > FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_newton_euler),
        cmocka_unit_test(test_hybrid_balance),
        cmocka_unit_test(test_spatial_balance),
        cmocka_unit_test(test_inertia_in_other_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
