/*
 * Joints for every type and kind of number: pose, columns, ⊕ and ⊖ belong together, whatever axis, point and pitch.
 * The judge is a rate: g⁻¹ ġ along q ⊕ t·v must be (S v)^.
 */
#include "group/joint.h"
#include "subgroup_check.h"

static const int types[] = {HML_JOINT_FIXED,        HML_JOINT_REVOLUTE,     HML_JOINT_PRISMATIC, HML_JOINT_HELICAL,
                            HML_JOINT_CYLINDRICAL,  HML_JOINT_TRANSLATION2, HML_JOINT_PLANAR,    HML_JOINT_SPHERICAL,
                            HML_JOINT_TRANSLATION3, HML_JOINT_SCHOENFLIES,  HML_JOINT_FREE};
enum { TYPES = sizeof types / sizeof *types };

typedef struct {
    int type;
    vec3 axis, point;
    num pitch;
    num q[HML_JOINT_MAX_NQ], v[HML_JOINT_MAX_NV];
} joint;

static joint draw_joint(int i)
{
    joint J = {.type = types[i % TYPES]};
    J.axis = draw_axis(), J.point = draw_vec3(1), J.pitch = draw(-1, 1);
    for (int j = 0; j < HML_JOINT_MAX_NQ; j++) J.q[j] = draw(-4, 4); /* angles beyond π */
    quat r = draw_quat();
    if (J.type == HML_JOINT_SPHERICAL) quat_put(r, J.q);
    if (J.type == HML_JOINT_FREE) quat_put(r, J.q + 3);
    draw_numbers(HML_JOINT_MAX_NV, J.v);
    return J;
}

static pose pose_of_joint(const joint *J, const num q[]) { return joint_pose(J->type, J->axis, J->point, J->pitch, q); }

static void test_sizes(void **state)
{
    (void)state;
    static const int nq[] = {0, 1, 1, 1, 2, 2, 3, 4, 3, 4, 7}, nv[] = {0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 6};
    for (int i = 0; i < TYPES; i++) {
        assert_int_equal(joint_nq(types[i]), nq[i]);
        assert_int_equal(joint_nv(types[i]), nv[i]);
    }
}

static void test_neutral_is_the_identity(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        joint J = draw_joint(i);
        num q[HML_JOINT_MAX_NQ];
        joint_neutral(J.type, q);
        pose H = pose_of_joint(&J, q), one = pose_identity();
        CHECK(H, one, TOL);
        int real = J.type == HML_JOINT_SPHERICAL ? 0 : J.type == HML_JOINT_FREE ? 3 : -1; /* of a unit quaternion */
        for (int j = 0; j < joint_nq(J.type); j++) {
            num expected = K(j == real);
            CHECK(q[j], expected, 0);
        }
    }
}

static void pose_along(const void *context, num t, num *out)
{
    const joint *J = context;
    num q[HML_JOINT_MAX_NQ], step[HML_JOINT_MAX_NV] = {K(0)};
    for (int i = 0; i < joint_nv(J->type); i++) step[i] = t * J->v[i];
    joint_integrate(J->type, J->q, step, q);
    pose_matrix(pose_of_joint(J, q), out);
}

/* g⁻¹ ġ = (S v)^ with the constant S of joint_columns */
static void test_columns_are_the_motion(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i);
        twist S[HML_JOINT_MAX_NV], V = twist_zero();
        num Hdot[16], inverse[16], left[16], hat[16];
        rate(pose_along, &J, 16, Hdot);
        pose_matrix(pose_inverse(pose_of_joint(&J, J.q)), inverse);
        matrix_product(4, inverse, Hdot, left);
        joint_columns(J.type, J.axis, J.point, J.pitch, S);
        for (int j = 0; j < joint_nv(J.type); j++) V = twist_axpy(J.v[j], S[j], V);
        twist_hat_matrix(V, hat);
        CHECK_ARRAY(left, hat, 16, 5 * RATE_TOL); /* positions of up to 10 m */
    }
}

/* g(q ⊕ v) = g(q) · exp(Σ S v), exp of SE(3), however far */
static void test_integrate_is_exp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i);
        twist S[HML_JOINT_MAX_NV], V = twist_zero();
        num q[HML_JOINT_MAX_NQ];
        for (int j = 0; j < joint_nv(J.type); j++) J.v[j] = K(3) * J.v[j];
        joint_columns(J.type, J.axis, J.point, J.pitch, S);
        for (int j = 0; j < joint_nv(J.type); j++) V = twist_axpy(J.v[j], S[j], V);
        joint_integrate(J.type, J.q, J.v, q);
        pose there = pose_of_joint(&J, q), expected = pose_mul(pose_of_joint(&J, J.q), se3_exp(V));
        CHECK(there, expected, TOL);
        joint_integrate(J.type, J.q, J.v, J.q); /* in place */
        CHECK_ARRAY(J.q, q, (size_t)joint_nq(J.type), 0);
    }
}

/* conjugation by the point: the element alone is the pose for the point 0 */
static void test_point_conjugates(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i);
        pose g = joint_element(J.type, J.axis, J.pitch, J.q), H = pose_of_joint(&J, J.q);
        pose there = pose_of(mat3_identity(), J.point), back = pose_of(mat3_identity(), vec3_neg(J.point));
        pose expected = pose_mul(there, pose_mul(g, back));
        CHECK(H, expected, TOL);
    }
}

/* (q ⊕ v) ⊖ q = v; rotations by a quaternion up to π, angles of ten turns and more */
static void test_difference_inverts_integrate(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i);
        num q[HML_JOINT_MAX_NQ], back[HML_JOINT_MAX_NV];
        int m = joint_nv(J.type), by_quaternion = J.type == HML_JOINT_SPHERICAL || J.type == HML_JOINT_FREE;
        if (!by_quaternion && m) J.v[m - 1] = K(i % 10) * K(2) * num_pi() + draw(0.5, 5.8); /* up to ten turns */
        if (by_quaternion) {
            vec3 w = vec3_scale(K(angles[i % (ANGLES - 3)]), draw_axis());
            vec3_put(w, J.v + m - 3);
        }
        joint_integrate(J.type, J.q, J.v, q);
        joint_difference(J.type, J.q, q, back);
        /* Γ⁻¹ of a planar joint changes by δ/(4 sin²(δ/2)) with the angle, which carries 70 ε: 1e5 ε in all */
        CHECK_ARRAY(back, J.v, (size_t)m, 1000 * TOL);
    }
}

/* a wheel that turned ten times is ten turns away */
static void test_angles_are_never_wrapped(void **state)
{
    (void)state;
    static const int turning[] = {HML_JOINT_REVOLUTE, HML_JOINT_HELICAL, HML_JOINT_CYLINDRICAL, HML_JOINT_PLANAR,
                                  HML_JOINT_SCHOENFLIES};
    for (int i = 0; i < 5; i++) {
        int m = joint_nv(turning[i]);
        num q0[4] = {K(0), K(0), K(0), K(0)}, q1[4] = {K(0), K(0), K(0), K(0)}, v[4], ten = K(62.5);
        q1[m - 1] = K(62.5);
        joint_difference(turning[i], q0, q1, v);
        CHECK(v[m - 1], ten, 0);
    }
}

static void difference_along(const void *context, num t, num *out)
{
    const joint *J = context;
    num q[HML_JOINT_MAX_NQ], step[HML_JOINT_MAX_NV] = {K(0)}, neutral[HML_JOINT_MAX_NQ];
    for (int i = 0; i < joint_nv(J->type); i++) step[i] = t * J->v[i];
    joint_integrate(J->type, J->q, step, q);
    joint_neutral(J->type, neutral);
    joint_difference(J->type, neutral, q, out);
}

/* d/dt (q ⊕ t v ⊖ 0) = S(φ)⁻¹ v: what a spring's linearization needs */
static void test_jacobian_inverse_is_the_rate_of_the_difference(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i);
        int m = joint_nv(J.type);
        num phi[6], phidot[6], inverse[36], expected[6];
        joint_neutral(J.type, J.q);
        for (int j = 0; j < m; j++) phi[j] = K(1.4) * J.v[j]; /* 2.4 rad at most: no step of the rate passes π */
        joint_integrate(J.type, J.q, phi, J.q);
        draw_numbers(m, J.v);
        difference_along(&J, K(0), phi);
        rate(difference_along, &J, (size_t)m, phidot);
        joint_jacobian_inverse(J.type, phi, inverse);
        matrix_times(m, inverse, J.v, expected);
        CHECK_ARRAY(phidot, expected, (size_t)m, RATE_TOL);
    }
}

/* ad, S(φ) and its inverse are those of the subgroup the type stands for */
static void test_structure_is_the_subgroups(void **state)
{
    (void)state;
    static const int group[] = {-1,           HML_GROUP_SO2, HML_GROUP_R,   HML_GROUP_H,  HML_GROUP_CYLINDRICAL,
                                HML_GROUP_R2, HML_GROUP_SE2, HML_GROUP_SO3, HML_GROUP_R3, HML_GROUP_X,
                                HML_GROUP_SE3};
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i);
        if (J.type == HML_JOINT_FIXED) continue;
        int planar = J.type == HML_JOINT_PLANAR || J.type == HML_JOINT_SCHOENFLIES || J.type == HML_JOINT_TRANSLATION2;
        vec3 axis = planar ? frame_axis(2) : J.axis;
        subgroup G = subgroup_along(group[i % TYPES], axis, J.pitch);
        size_t mm = (size_t)(joint_nv(J.type) * joint_nv(J.type));
        num A[36], B[36];
        twist S[6], T[6];
        joint_ad(J.type, J.v, A), subgroup_ad(G, J.v, B);
        CHECK_ARRAY(A, B, mm, 0);
        joint_jacobian(J.type, J.v, A), subgroup_jacobian(G, J.v, B);
        CHECK_ARRAY(A, B, mm, TOL);
        joint_jacobian_inverse(J.type, J.v, A), subgroup_jacobian_inverse(G, J.v, B);
        CHECK_ARRAY(A, B, mm, TOL);
        joint_columns(J.type, J.axis, vec3_zero(), J.pitch, S), subgroup_selection(G, T);
        CHECK_ARRAY((const num *)S, (const num *)T, 6 * (size_t)joint_nv(J.type), 0);
    }
}

/* a quaternion and its negative are the same place */
static void test_both_quaternions_are_one_place(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        joint J = draw_joint(i), L = draw_joint(i);
        if (J.type != HML_JOINT_SPHERICAL && J.type != HML_JOINT_FREE) continue;
        int first = J.type == HML_JOINT_FREE ? 3 : 0;
        num v[6], w[6];
        joint_difference(J.type, J.q, L.q, v);
        for (int j = first; j < first + 4; j++) L.q[j] = -L.q[j];
        joint_difference(J.type, J.q, L.q, w);
        CHECK_ARRAY(v, w, (size_t)joint_nv(J.type), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_neutral_is_the_identity),
        cmocka_unit_test(test_columns_are_the_motion),
        cmocka_unit_test(test_integrate_is_exp),
        cmocka_unit_test(test_point_conjugates),
        cmocka_unit_test(test_difference_inverts_integrate),
        cmocka_unit_test(test_angles_are_never_wrapped),
        cmocka_unit_test(test_jacobian_inverse_is_the_rate_of_the_difference),
        cmocka_unit_test(test_structure_is_the_subgroups),
        cmocka_unit_test(test_both_quaternions_are_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
