/* Notation, section 5.4, accelerations: one test an equation, on random moving frames and every kind of number. */
#include "notation_frames.h"

/* apparent acceleration in C: d/dt C_v_AB = C_X_B (B_v_CB × B_v_AB + d/dt B_v_AB) */
static void test_45(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        twist apparent = twist_rate(curve_in_C, &M), dV = twist_rate(curve_left, &M);
        twist cross = twist_cross(relative_twist(&M, K(0)), left_of(&M, K(0)));
        twist formula = pose_ad(H_CB(&M, K(0)), twist_add(cross, dV));
        CHECK(apparent, formula, RATE_TOL);
    }
}

/* in A itself no cross product is left: d/dt A_v = A_X_B d/dt B_v */
static void test_46(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        twist right = twist_rate(curve_right, &M);
        twist mapped = pose_ad(H_AB(&M, K(0)), twist_rate(curve_left, &M));
        CHECK(right, mapped, RATE_TOL);
    }
}

/* intrinsic acceleration in C, from A and from B */
static void test_47(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        twist from_A = pose_ad_inverse(path_pose(&M.C, K(0)), twist_rate(curve_right, &M));
        twist from_B = pose_ad(H_CB(&M, K(0)), twist_rate(curve_left, &M));
        CHECK(from_A, from_B, RATE_TOL);
    }
}

static vec3 linear_part(const num *x) { return vec3_of(x[0], x[1], x[2]); }
static vec3 angular_part(const num *x) { return vec3_of(x[3], x[4], x[5]); }

/* the parts of the intrinsic acceleration are not the rates of the twist's parts, those of the apparent one are */
static void curve_angular_in_C(const void *context, num t, num *out)
{
    const motion *M = context;
    vec3 w = mat3_mul_vec(H_CB(M, t).R, path_omega(&M->B, t));
    out[0] = w.x, out[1] = w.y, out[2] = w.z;
}
static void test_48(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        num apparent[6], dw[3];
        rate(curve_in_C, &M, 6, apparent);
        rate(curve_angular_in_C, &M, 3, dw);
        vec3 w = angular_part(apparent);
        CHECK_ARRAY((const num *)&w, dw, 3, RATE_TOL);
        twist a = pose_ad(H_CB(&M, K(0)), twist_rate(curve_left, &M));
        vec3 turned = mat3_mul_vec(H_CB(&M, K(0)).R, twist_rate(curve_left, &M).w);
        CHECK(a.w, turned, RATE_TOL);
    }
}

/* intrinsic and apparent acceleration in C, and the twists between them */
typedef struct {
    twist a, apparent, V_AC, V_AB;
} in_frame;

static in_frame draw_in_frame(void)
{
    motion M = draw_motion();
    num d[6];
    in_frame f;
    rate(curve_in_C, &M, 6, d);
    f.apparent = twist_of(linear_part(d), angular_part(d));
    f.a = pose_ad(H_CB(&M, K(0)), twist_rate(curve_left, &M));
    f.V_AC = path_left(&M.C, K(0)), f.V_AB = in_C(&M, K(0));
    return f;
}

/* intrinsic = apparent + C_v_AC × C_v_AB */
static void test_49(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        in_frame f = draw_in_frame();
        twist formula = twist_add(f.apparent, twist_cross(f.V_AC, f.V_AB));
        CHECK(f.a, formula, RATE_TOL);
    }
}

/* its linear part */
static void test_50(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        in_frame f = draw_in_frame();
        vec3 cross = vec3_add(vec3_cross(f.V_AC.w, f.V_AB.v), vec3_cross(f.V_AC.v, f.V_AB.w));
        vec3 formula = vec3_add(f.apparent.v, cross);
        CHECK(f.a.v, formula, RATE_TOL);
    }
}

/* its angular part */
static void test_51(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        in_frame f = draw_in_frame();
        vec3 formula = vec3_add(f.apparent.w, vec3_cross(f.V_AC.w, f.V_AB.w));
        CHECK(f.a.w, formula, RATE_TOL);
    }
}

/* the mixed apparent acceleration is the second derivative of the position, and the rate of the angular velocity */
static void test_52(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        twist dm = twist_rate(curve_mixed, &M);
        vec3 ddp = vec3_scale(K(2), M.B.p2);
        CHECK(dm.v, ddp, RATE_TOL);
        twist right = twist_rate(curve_right, &M);
        CHECK(dm.w, right.w, RATE_TOL);
    }
}

/* the intrinsic acceleration in B[A], the mixed twist and its rate */
typedef struct {
    twist a, V, rate;
} in_mixed;

static in_mixed draw_in_mixed(void)
{
    motion M = draw_motion();
    in_mixed m;
    m.a = pose_ad(pose_of(H_AB(&M, K(0)).R, vec3_zero()), twist_rate(curve_left, &M));
    m.V = mixed_of(&M, K(0)), m.rate = twist_rate(curve_mixed, &M);
    return m;
}

/* mixed apparent = intrinsic in B[A] − v_A,B[A] × v_AB, where B[A] slides and does not turn */
static void test_53(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        in_mixed m = draw_in_mixed();
        twist formula = twist_sub(m.a, twist_cross(twist_of(m.V.v, vec3_zero()), m.V));
        CHECK(m.rate, formula, RATE_TOL);
    }
}

/* its linear part */
static void test_54(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        in_mixed m = draw_in_mixed();
        vec3 formula = vec3_sub(m.a.v, vec3_cross(m.V.v, m.V.w));
        CHECK(m.rate.v, formula, RATE_TOL);
    }
}

/* its angular part */
static void test_55(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        in_mixed m = draw_in_mixed();
        CHECK(m.rate.w, m.a.w, RATE_TOL);
    }
}

/* d/dt (Ad_g ξ) = Ad_g (ad_{g⁻¹ġ} ξ + ξ̇), with a ξ(t) of its own: the twist of C */
static void curve_carried(const void *context, num t, num *out)
{
    const motion *M = context;
    store_twist(pose_ad(H_AB(M, t), path_left(&M->C, t)), out);
}
static void curve_carrier(const void *context, num t, num *out)
{
    const motion *M = context;
    store_twist(path_left(&M->C, t), out);
}
static void test_56(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        motion M = draw_motion();
        twist xi = path_left(&M.C, K(0)),
              sum = twist_add(twist_cross(left_of(&M, K(0)), xi), twist_rate(curve_carrier, &M));
        twist formula = pose_ad(H_AB(&M, K(0)), sum), carried = twist_rate(curve_carried, &M);
        CHECK(carried, formula, RATE_TOL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_45), cmocka_unit_test(test_46), cmocka_unit_test(test_47), cmocka_unit_test(test_48),
        cmocka_unit_test(test_49), cmocka_unit_test(test_50), cmocka_unit_test(test_51), cmocka_unit_test(test_52),
        cmocka_unit_test(test_53), cmocka_unit_test(test_54), cmocka_unit_test(test_55), cmocka_unit_test(test_56),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
