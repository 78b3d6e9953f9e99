/*
 * Notation, sections 5 to 7, except accelerations: one test an equation, on random moving frames and every kind of
 * number.
 */
#include "notation_frames.h"

/* V^ = H⁻¹ dH/dt */
static void test_21(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        num H[16], dH[16], W[16], V[16];
        pose_matrix(pose_inverse(H_AB(&M, K(0))), H);
        rate(curve_pose, &M, 16, dH);
        matrix_product(4, H, dH, W);
        twist_hat_matrix(left_of(&M, K(0)), V);
        CHECK_ARRAY(W, V, 16, RATE_TOL);
    }
}

/* V^ = dH/dt H⁻¹ for the right-trivialized twist, whose parts are (23), (24) */
static void test_26(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        pose H = H_AB(&M, K(0));
        vec3 w = mat3_mul_vec(H.R, path_omega(&M.B, K(0)));
        twist parts = twist_of(vec3_sub(path_velocity(&M.B, K(0)), vec3_cross(w, H.p)), w);
        num I[16], dH[16], W[16], V[16];
        pose_matrix(pose_inverse(H), I);
        rate(curve_pose, &M, 16, dH);
        matrix_product(4, dH, I, W);
        twist_hat_matrix(parts, V);
        CHECK_ARRAY(W, V, 16, RATE_TOL);
    }
}

/* right = X left; the matrix and the function are the same map, and the inverse undoes it */
static void test_28(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        pose H = H_AB(&M, K(0));
        vec3 w = mat3_mul_vec(H.R, path_omega(&M.B, K(0)));
        twist right = twist_of(vec3_sub(path_velocity(&M.B, K(0)), vec3_cross(w, H.p)), w), left = left_of(&M, K(0));
        twist mapped = pose_ad(H, left), back = pose_ad_inverse(H, right);
        CHECK(mapped, right, TOL);
        CHECK(back, left, TOL);

        num X[36], Y[36], XY[36], one[36], V[6], XV[6];
        pose_ad_matrix(H, X);
        pose_ad_matrix(pose_inverse(H), Y);
        matrix_product(6, X, Y, XY);
        for (int k = 0; k < 36; k++) one[k] = K(k % 7 == 0);
        CHECK_ARRAY(XY, one, 36, TOL);
        store_twist(left, V);
        for (int r = 0; r < 6; r++) {
            XV[r] = K(0);
            for (int c = 0; c < 6; c++) XV[r] += X[6 * r + c] * V[c];
        }
        CHECK_ARRAY(XV, (const num *)&right, 6, TOL);
    }
}

/* C_X_A v_A = C_X_B v_B: the twist in a third frame is the same from either side */
static void test_33(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        twist from_A = pose_ad_inverse(path_pose(&M.C, K(0)), right_of(&M, K(0))), from_B = in_C(&M, K(0));
        CHECK(from_A, from_B, TOL);
    }
}

/* the angular part turns with the rotation alone */
static void test_34(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        vec3 w = in_C(&M, K(0)).w;
        vec3 from_B = mat3_mul_vec(H_CB(&M, K(0)).R, path_omega(&M.B, K(0)));
        vec3 from_A = mat3_tmul_vec(path_pose(&M.C, K(0)).R, right_of(&M, K(0)).w);
        CHECK(w, from_B, TOL);
        CHECK(w, from_A, TOL);
    }
}

/* the mixed twist is the twist in B[A], and its parts are dp/dt and the angular velocity in A */
static void test_35(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        pose turn = pose_of(H_AB(&M, K(0)).R, vec3_zero());
        twist mixed = pose_ad(turn, left_of(&M, K(0))), parts = mixed_of(&M, K(0));
        CHECK(mixed, parts, TOL);
        num dH[16];
        rate(curve_pose, &M, 16, dH);
        vec3 dp = vec3_of(dH[3], dH[7], dH[11]);
        CHECK(mixed.v, dp, RATE_TOL);
    }
}

/* dX/dt = X (v×) */
static void test_37(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        num X[36], dX[36], ad[36], W[36];
        pose_ad_matrix(H_AB(&M, K(0)), X);
        rate(curve_ad, &M, 36, dX);
        twist_cross_matrix(left_of(&M, K(0)), ad);
        matrix_product(6, X, ad, W);
        CHECK_ARRAY(dX, W, 36, RATE_TOL);
    }
}

/* V × U = −U × V, and the matrix (38) is the same map */
static void test_39(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist V = draw_twist(), U = draw_twist(), a = twist_cross(V, U), b = twist_neg(twist_cross(U, V));
        CHECK(a, b, TOL);
        num ad[36], u[6], r[6];
        twist_cross_matrix(V, ad);
        store_twist(U, u);
        for (int k = 0; k < 6; k++) {
            r[k] = K(0);
            for (int c = 0; c < 6; c++) r[k] += ad[6 * k + c] * u[c];
        }
        CHECK_ARRAY(r, (const num *)&a, 6, TOL);
    }
}

/* V × V = 0 */
static void test_40(void **state)
{
    (void)state;
    twist zero = twist_zero();
    for (int i = 0; i < DRAWS; i++) {
        twist V = draw_twist(), r = twist_cross(V, V);
        CHECK(r, zero, TOL);
    }
}

/* X (v×) = (X v)× X */
static void test_41(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        pose H = draw_pose();
        twist V = draw_twist();
        num X[36], left[36], right[36], a[36], b[36];
        pose_ad_matrix(H, X);
        twist_cross_matrix(V, left);
        twist_cross_matrix(pose_ad(H, V), right);
        matrix_product(6, X, left, a);
        matrix_product(6, right, X, b);
        CHECK_ARRAY(a, b, 36, TOL);
    }
}

/* power does not depend on the frame; (59) is the transposed inverse of (27) */
static void test_60(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        pose H = draw_pose();
        twist V = draw_twist();
        wrench F = draw_wrench(), back = pose_ad_dual_inverse(H, pose_ad_dual(H, F));
        num in_B = wrench_dot(F, V), in_A = wrench_dot(pose_ad_dual(H, F), pose_ad(H, V));
        CHECK(in_A, in_B, TOL);
        CHECK(back, F, TOL);
        num Xs[36], X[36], Xt[36];
        pose_ad_dual_matrix(H, Xs);
        pose_ad_matrix(pose_inverse(H), X);
        matrix_transpose(6, X, Xt);
        CHECK_ARRAY(Xs, Xt, 36, TOL);
    }
}

/* the rate of the wrench transform is itself times the dual cross product, which is −(v×)ᵀ, (62) */
static void test_61(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        num X[36], dX[36], ad[36], W[36];
        pose_ad_dual_matrix(H_AB(&M, K(0)), X);
        rate(curve_ad_dual, &M, 36, dX);
        twist_cross_dual_matrix(left_of(&M, K(0)), ad);
        matrix_product(6, X, ad, W);
        CHECK_ARRAY(dX, W, 36, RATE_TOL);
        num cross[36], transposed[36];
        twist_cross_matrix(twist_neg(left_of(&M, K(0))), cross);
        matrix_transpose(6, cross, transposed);
        CHECK_ARRAY(ad, transposed, 36, 0);
    }
}

/* X* (v×*) = (X v)×* X* */
static void test_63(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        pose H = draw_pose();
        twist V = draw_twist();
        num X[36], left[36], right[36], a[36], b[36];
        pose_ad_dual_matrix(H, X);
        twist_cross_dual_matrix(V, left);
        twist_cross_dual_matrix(pose_ad(H, V), right);
        matrix_product(6, X, left, a);
        matrix_product(6, right, X, b);
        CHECK_ARRAY(a, b, 36, TOL);
    }
}

static sym3 draw_moment(void)
{
    vec3 a = draw_vec3(1), b = draw_vec3(1), c = draw_vec3(1); /* three pairs of points */
    return sym3_add(sym3_point_mass(K(1), a), sym3_add(sym3_point_mass(K(1), b), sym3_point_mass(K(1), c)));
}

/* M_B = B_X^C M_C C_X_B for M_C = diag(m I, moment), the centre of mass in C's origin, (67) */
static void test_68(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        pose H = draw_pose(); /* H_BC */
        num m = draw(0.1, 5), MC[36], Xs[36], X[36], a[36], b[36], MB[36];
        sym3 moment = draw_moment();
        mat6_store(mat3_diagonal(m, m, m), mat3_zero(), mat3_zero(), mat3_of_sym(moment), MC);
        pose_ad_dual_matrix(H, Xs);
        pose_ad_matrix(pose_inverse(H), X);
        matrix_product(6, Xs, MC, a);
        matrix_product(6, a, X, b);
        inertia at_com = inertia_of_com(m, vec3_zero(), moment);
        inertia_matrix(inertia_transform(H, at_com), MB);
        CHECK_ARRAY(b, MB, 36, 20 * TOL); /* entries up to 100 */

        pose G = draw_pose(); /* and on from there, where the centre of mass is no longer the origin */
        pose_ad_dual_matrix(G, Xs);
        pose_ad_matrix(pose_inverse(G), X);
        matrix_product(6, Xs, MB, a);
        matrix_product(6, a, X, b);
        inertia_matrix(inertia_transform(G, inertia_transform(H, at_com)), MB);
        CHECK_ARRAY(b, MB, 36, 100 * TOL); /* entries up to 500 */

        twist V = draw_twist();
        wrench momentum = inertia_mul(inertia_transform(H, at_com), V);
        wrench carried = pose_ad_dual(H, inertia_mul(at_com, pose_ad_inverse(H, V)));
        CHECK(momentum, carried, 20 * TOL);
    }
}

/* parallel axes: I_B = R I_C Rᵀ − m o^ o^, and o^ o^ = o oᵀ − (o·o) I (not + as the remark is printed) */
static void test_69(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        pose H = draw_pose(); /* H_BC */
        num m = draw(0.1, 5), oo = vec3_dot(H.p, H.p);
        sym3 moment = draw_moment();
        mat3 o = mat3_hat(H.p), square = mat3_mul(o, o);
        mat3 turned = mat3_mul(mat3_mul(H.R, mat3_of_sym(moment)), mat3_transpose(H.R));
        mat3 formula = mat3_sub(turned, mat3_scale(m, square));
        mat3 code = mat3_of_sym(inertia_transform(H, inertia_of_com(m, vec3_zero(), moment)).J);
        CHECK(code, formula, 20 * TOL);
        mat3 remark = mat3_sub(mat3_outer(H.p, H.p), mat3_diagonal(oo, oo, oo));
        CHECK(square, remark, TOL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_21), cmocka_unit_test(test_26), cmocka_unit_test(test_28), cmocka_unit_test(test_33),
        cmocka_unit_test(test_34), cmocka_unit_test(test_35), cmocka_unit_test(test_37), cmocka_unit_test(test_39),
        cmocka_unit_test(test_40), cmocka_unit_test(test_41), cmocka_unit_test(test_60), cmocka_unit_test(test_61),
        cmocka_unit_test(test_63), cmocka_unit_test(test_68), cmocka_unit_test(test_69),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
