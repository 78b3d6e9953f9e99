/*
 * The subgroups of SE(3) at every angle and for every kind of number, against matrices: brackets and power series of
 * the 4×4 matrices of Table 1, rates of exp, and Newton's law.
 */
#include "subgroup_check.h"

/* ---- the algebra ---- */

/* From, Table 1, corrected: V^ entry by entry, the axis along z */
static void test_hat_is_table_1(void **state)
{
    (void)state;
    const num o = K(0), u = K(2), v = K(3), w = K(5), p = K(7), q = K(11), r = K(13), h = K(17);
    const num zero[4] = {o, o, o, o};
    struct {
        int group;
        num coordinates[6];
        num rows[3][4];
    } table[] = {
        {HML_GROUP_SE3, {u, v, w, p, q, r}, {{o, -r, q, u}, {r, o, -p, v}, {-q, p, o, w}}},
        {HML_GROUP_X, {u, v, w, r, o, o}, {{o, -r, o, u}, {r, o, o, v}, {o, o, o, w}}},
        {HML_GROUP_R3, {u, v, w, o, o, o}, {{o, o, o, u}, {o, o, o, v}, {o, o, o, w}}},
        {HML_GROUP_SE2, {u, v, r, o, o, o}, {{o, -r, o, u}, {r, o, o, v}, {o, o, o, o}}},
        {HML_GROUP_SO3, {p, q, r, o, o, o}, {{o, -r, q, o}, {r, o, -p, o}, {-q, p, o, o}}},
        {HML_GROUP_R2, {u, v, o, o, o, o}, {{o, o, o, u}, {o, o, o, v}, {o, o, o, o}}},
        {HML_GROUP_CYLINDRICAL, {w, r, o, o, o, o}, {{o, -r, o, o}, {r, o, o, o}, {o, o, o, w}}},
        {HML_GROUP_R, {w, o, o, o, o, o}, {{o, o, o, o}, {o, o, o, o}, {o, o, o, w}}},
        {HML_GROUP_H, {r, o, o, o, o, o}, {{o, -r, o, o}, {r, o, o, o}, {o, o, o, h * r}}},
        {HML_GROUP_SO2, {r, o, o, o, o, o}, {{o, -r, o, o}, {r, o, o, o}, {o, o, o, o}}},
    };
    for (int i = 0; i < HML_GROUP_COUNT; i++) {
        num hat[16];
        hat_of(subgroup_frame(table[i].group, 2, h), table[i].coordinates, hat);
        for (int row = 0; row < 3; row++) CHECK_ARRAY(hat + 4 * row, table[i].rows[row], 4, 0);
        CHECK_ARRAY(hat + 12, zero, 4, 0);
    }
}

/* another frame axis is the same group, turned: x, y, z → y, z, x for each step */
static void test_frame_axes_are_cyclic(void **state)
{
    (void)state;
    static const int groups[] = {HML_GROUP_X, HML_GROUP_SE2, HML_GROUP_R2};
    for (int i = 0; i < 9; i++) {
        int k = i % 3, shift = (k + 1) % 3; /* z moves to the axis k */
        subgroup about_z = subgroup_frame(groups[i / 3], 2, K(0)), about_k = subgroup_frame(groups[i / 3], k, K(0));
        num v[6], moved[6], A[16], B[16];
        draw_numbers(6, v);
        for (int j = 0; j < 6; j++) moved[j] = v[j];
        if (groups[i / 3] == HML_GROUP_X) {
            for (int j = 0; j < 3; j++) moved[(j + shift) % 3] = v[j];
        }
        hat_of(about_z, v, A);
        hat_of(about_k, moved, B);
        for (int row = 0; row < 3; row++) {
            int to = (row + shift) % 3;
            for (int column = 0; column < 3; column++) {
                CHECK(A[4 * row + column], B[4 * to + (column + shift) % 3], 0);
            }
            CHECK(A[4 * row + 3], B[4 * to + 3], 0);
        }
    }
}

/* (ad_v w)^ = v^ w^ − w^ v^: ad is the bracket, and the subgroup is closed under it */
static void test_ad_is_the_bracket(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num v[6], w[6], ad[36], advw[6], A[16], B[16], AB[16], BA[16], bracket[16];
        draw_numbers(m, v), draw_numbers(m, w);
        subgroup_ad(G, v, ad);
        matrix_times(m, ad, w, advw);
        hat_of(G, v, A), hat_of(G, w, B);
        matrix_product(4, A, B, AB), matrix_product(4, B, A, BA);
        for (int j = 0; j < 16; j++) AB[j] -= BA[j];
        hat_of(G, advw, bracket);
        CHECK_ARRAY(AB, bracket, 16, TOL);
    }
}

/* ãd_p v = −ad_vᵀ p for every v, and ãd_p is skew */
static void test_ad_tilde_swaps_the_factors(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num p[6], v[6], ad[36], tilde[36], left[6], right[6];
        draw_numbers(m, p), draw_numbers(m, v);
        subgroup_ad_tilde(G, p, tilde);
        subgroup_ad(G, v, ad);
        matrix_times(m, tilde, v, left);
        matrix_transposed_times(m, ad, p, right);
        for (int j = 0; j < m; j++) right[j] = -right[j];
        CHECK_ARRAY(left, right, (size_t)m, TOL);
        for (int j = 0; j < m * m; j++) {
            num mirrored = -tilde[j % m * m + j / m];
            CHECK(tilde[j], mirrored, 0);
        }
    }
}

/* ---- the group ---- */

static void test_exp_is_the_series(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        num phi[6], hat[16], series[16], H[16];
        draw_coordinates(G, angles[i % ANGLES], phi);
        hat_of(G, phi, hat);
        matrix_series(4, hat, 0, 1, series);
        pose_matrix(subgroup_exp(G, phi), H);
        CHECK_ARRAY(H, series, 16, TAYLOR_TOL); /* its terms reach 5^5/5! = 26 */
    }
}

/* far beyond a turn: exp(φ) = exp(φ/8)^8 */
static void test_exp_many_turns(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num phi[6], part[6];
        draw_coordinates(G, 2 + 40.0 * i / DRAWS, phi);
        for (int j = 0; j < m; j++) part[j] = K(0.125) * phi[j];
        pose H = subgroup_exp(G, phi), P = subgroup_exp(G, part);
        for (int j = 0; j < 3; j++) P = pose_mul(P, P);
        CHECK(H, P, 10 * TOL); /* an angle of 42 carries 42 ε */
    }
}

/* log(exp(φ)) = φ up to π; a helical displacement counts the turns, so there beyond as well */
static void test_log_returns(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group), helical = G.group == HML_GROUP_H;
        double angle = helical ? 40.0 * i / DRAWS : angles[i / 30 % ANGLES];
        num phi[6], back[6];
        if (helical) G.pitch = num_select(num_lt(G.pitch, K(0)), G.pitch - K(0.1), G.pitch + K(0.1));
        draw_coordinates(G, angle, phi);
        pose H = subgroup_exp(G, phi);
        subgroup_log(G, H, back);
        /* Γ⁻¹ amplifies by up to 1/sinc(θ/2), 1.6 at π; the digits near π are those of the matrix */
        if (helical || angle < 3.14159265) CHECK_ARRAY(back, phi, (size_t)m, 2 * TOL);
        pose again = subgroup_exp(G, back);
        CHECK(again, H, 2 * TOL);
    }
}

/* half a turn exactly: either sense is right, the element is what counts; without a pitch H is SO(2) */
static void test_log_at_half_a_turn(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        if (G.group == HML_GROUP_H) G.pitch = K(0);
        num phi[6], back[6];
        draw_coordinates(G, 1, phi);
        for (int j = first_angular(G.group); j < subgroup_dimension(G.group); j++) phi[j] = num_pi() * phi[j];
        pose H = subgroup_exp(G, phi);
        subgroup_log(G, H, back);
        pose again = subgroup_exp(G, back);
        CHECK(again, H, TOL);
        num turn = vec3_dot(subgroup_twist(G, back).w, subgroup_twist(G, back).w), none = K(0);
        turn = num_select(num_lt(num_pi() * num_pi() * (K(1) + K(TOL)), turn), turn, none);
        CHECK(turn, none, 0); /* never more than half a turn */
    }
}

/* ---- S(φ) ---- */

typedef struct {
    subgroup G;
    num phi[6], direction[6];
} line;

static void element_on_line(const void *context, num t, num *out)
{
    const line *l = context;
    num phi[6];
    for (int i = 0; i < subgroup_dimension(l->G.group); i++) phi[i] = l->phi[i] + t * l->direction[i];
    pose_matrix(subgroup_exp(l->G, phi), out);
}

/* the definition: exp(φ)⁻¹ d/dt exp(φ) = (S(φ) φ̇)^ */
static void test_jacobian_is_the_rate_of_exp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line l = {.G = draw_subgroup(i)};
        int m = subgroup_dimension(l.G.group);
        num S[36], v[6], Hdot[16], inverse[16], left[16], hat[16];
        draw_coordinates(l.G, angles[i % ANGLES], l.phi);
        draw_numbers(m, l.direction);
        rate(element_on_line, &l, 16, Hdot);
        pose_matrix(pose_inverse(subgroup_exp(l.G, l.phi)), inverse);
        matrix_product(4, inverse, Hdot, left);
        subgroup_jacobian(l.G, l.phi, S);
        matrix_times(m, S, l.direction, v);
        hat_of(l.G, v, hat);
        CHECK_ARRAY(left, hat, 16, RATE_TOL);
    }
}

/* 1 − ad_φ/2 + ad_φ²/6 − …, From (29) */
static void test_jacobian_is_the_series(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num phi[6], ad[36], series[36], S[36];
        draw_coordinates(G, angles[i % ANGLES], phi);
        subgroup_ad(G, phi, ad);
        matrix_series(m, ad, 1, -1, series);
        subgroup_jacobian(G, phi, S);
        CHECK_ARRAY(S, series, (size_t)(m * m), TAYLOR_TOL);
    }
}

static void test_jacobian_inverse(void **state)
{
    (void)state;
    static const double beyond[] = {5.5, 6, 6.2, 6.4, 7, 9, 11, 14};
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num phi[6], S[36], inverse[36], product[36], one[36];
        double angle = i % 4 ? angles[i % ANGLES] : beyond[i / 4 % 8];
        draw_coordinates(G, angle, phi);
        subgroup_jacobian(G, phi, S);
        subgroup_jacobian_inverse(G, phi, inverse);
        matrix_product(m, S, inverse, product);
        matrix_one(m, one);
        /* the inverse grows like 1/(θ − 2π)², to 150 at 6.2 and 6.4; terms of that size cancel */
        CHECK_ARRAY(product, one, (size_t)(m * m), i % 4 ? 10 * TOL : 500 * TOL);
    }
}

/* ---- one rigid body ---- */

static inertia draw_inertia(void)
{
    num a = draw(0.1, 1), b = draw(0.1, 1), c = draw(0.1, 1);
    mat3 R = quat_to_mat3(draw_quat());
    sym3 at_com = sym3_rotate(R, sym3_of(b + c, K(0), K(0), a + c, K(0), a + b));
    num m = draw(0.5, 3);
    return inertia_of_com(m, draw_vec3(0.5), at_com);
}

/* the body held on the subgroup: Sᵀ of the Newton-Euler equations of the free body */
static void test_dynamics_are_newton_euler_projected(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        inertia I = draw_inertia();
        num v[6], vdot[6], M[36], tau[6], projected[6];
        twist S[6];
        draw_numbers(m, v), draw_numbers(m, vdot);
        subgroup_mass(G, I, M);
        subgroup_inverse_dynamics(G, M, v, vdot, tau);
        twist V = subgroup_twist(G, v);
        wrench F = wrench_add(inertia_mul(I, subgroup_twist(G, vdot)), twist_cross_dual(V, inertia_mul(I, V)));
        subgroup_selection(G, S);
        for (int j = 0; j < m; j++) projected[j] = wrench_dot(F, S[j]);
        CHECK_ARRAY(tau, projected, (size_t)m, TOL);
    }
}

typedef struct {
    path P;
    inertia I;
} moving_body;

static void world_momentum(const void *context, num t, num *out)
{
    const moving_body *b = context;
    wrench h = pose_ad_dual(path_pose(&b->P, t), inertia_mul(b->I, path_left(&b->P, t)));
    vec3_put(h.f, out), vec3_put(h.t, out + 3);
}

static void left_velocity(const void *context, num t, num *out)
{
    const moving_body *b = context;
    twist V = path_left(&b->P, t);
    vec3_put(V.v, out), vec3_put(V.w, out + 3);
}

/* Newton and Euler: the rate of the momentum about the world's origin is the wrench, on SE(3) */
static void test_dynamics_are_newtons_law(void **state)
{
    (void)state;
    subgroup G = subgroup_frame(HML_GROUP_SE3, 2, K(0));
    for (int i = 0; i < DRAWS / 4; i++) {
        moving_body b = {.P = draw_path()};
        b.I = draw_inertia();
        num v[6], vdot[6], hdot[6], M[36], tau[6], expected[6];
        left_velocity(&b, K(0), v);
        rate(left_velocity, &b, 6, vdot);
        rate(world_momentum, &b, 6, hdot);
        subgroup_mass(G, b.I, M);
        subgroup_inverse_dynamics(G, M, v, vdot, tau);
        wrench F = pose_ad_dual_inverse(path_pose(&b.P, K(0)), wrench_at(hdot));
        vec3_put(F.f, expected), vec3_put(F.t, expected + 3);
        CHECK_ARRAY(tau, expected, 6, 5 * RATE_TOL * 20); /* inertia 3 kg at 2 m: moments of 20 */
    }
}

static void test_forward_dynamics_inverts(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num v[6], vdot[6], M[36], tau[6], back[6];
        draw_numbers(m, v), draw_numbers(m, vdot);
        subgroup_mass(G, draw_inertia(), M);
        subgroup_inverse_dynamics(G, M, v, vdot, tau);
        assert_false(num_any(subgroup_forward_dynamics(G, M, v, tau, back)));
        CHECK_ARRAY(back, vdot, (size_t)m, 100 * TOL); /* M's condition is at most about 50 */
    }
}

/* a massless body in one lane is found in that lane, and the others do not notice */
static void test_singular_lanes_are_named(void **state)
{
    (void)state;
    for (int i = 0; i < HML_GROUP_COUNT; i++) {
        subgroup G = draw_subgroup(i);
        int m = subgroup_dimension(G.group);
        num v[6], tau[6], M[36], broken[36], good[6], mixed[6];
        draw_numbers(m, v), draw_numbers(m, tau);
        subgroup_mass(G, draw_inertia(), M);
        for (int j = 0; j < m * m; j++) {
            broken[j] = M[j];
            num_set(&broken[j], LANES - 1, 0);
        }
        assert_false(num_any(subgroup_forward_dynamics(G, M, v, tau, good)));
        mask bad = subgroup_forward_dynamics(G, broken, v, tau, mixed);
        num seen = num_select(bad, K(1), K(0));
        for (int j = 0; j < LANES; j++) {
            assert_true(real_part(num_get(seen, j)) == (j == LANES - 1));
            for (int r = 0; r < m; r++) {
                if (j < LANES - 1) assert_true(num_get(good[r], j) == num_get(mixed[r], j));
            }
        }
    }
}

/* what is no group has no coordinates, and touches nothing */
static void test_unknown_group(void **state)
{
    (void)state;
    subgroup G = subgroup_frame(HML_GROUP_COUNT, 2, K(0));
    num untouched[6] = {K(42)}, expected[6] = {K(42)};
    twist S = twist_zero(), none = twist_zero();
    assert_int_equal(subgroup_dimension(G.group), 0);
    subgroup_selection(G, &S);
    subgroup_log(G, pose_identity(), untouched);
    subgroup_ad(G, expected, untouched);
    CHECK(S, none, 0);
    CHECK(untouched, expected, 0);
    pose H = subgroup_exp(G, untouched), one = pose_identity();
    CHECK(H, one, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hat_is_table_1),
        cmocka_unit_test(test_frame_axes_are_cyclic),
        cmocka_unit_test(test_ad_is_the_bracket),
        cmocka_unit_test(test_ad_tilde_swaps_the_factors),
        cmocka_unit_test(test_exp_is_the_series),
        cmocka_unit_test(test_exp_many_turns),
        cmocka_unit_test(test_log_returns),
        cmocka_unit_test(test_log_at_half_a_turn),
        cmocka_unit_test(test_jacobian_is_the_rate_of_exp),
        cmocka_unit_test(test_jacobian_is_the_series),
        cmocka_unit_test(test_jacobian_inverse),
        cmocka_unit_test(test_dynamics_are_newton_euler_projected),
        cmocka_unit_test(test_dynamics_are_newtons_law),
        cmocka_unit_test(test_forward_dynamics_inverts),
        cmocka_unit_test(test_singular_lanes_are_named),
        cmocka_unit_test(test_unknown_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
