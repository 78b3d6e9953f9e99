/*
 * Frames seen from frames: relative motion, Jacobians expressed elsewhere, contact frames that roll, points, the centre
 * of mass and the centroidal momentum. Values against brute force, rates against complex steps of it.
 */
#include "algo/kinematics/centroidal.h"
#include "algo/kinematics/frame_jacobian.h"
#include "kinematics_check.h"

static oracle o;
static num J[6 * ORACLE_NV], Jdot[6 * ORACLE_NV];

/* a column of E relative to D, or the twist for c = −1, by brute force */
static twist oracle_relative(int E, int D, hml_representation rep, int c)
{
    pose H = pose_between(o.H[D], o.H[E]);
    twist e = c < 0 ? o.v[E] : o.J[E][c], d = c < 0 ? o.v[D] : o.J[D][c];
    return twist_from_left(rep, H, twist_sub(e, pose_ad_inverse(H, d)));
}

/* a column of E expressed in D or D[A] */
static twist oracle_expressed(int E, int D, hml_axes axes, int c)
{
    twist U = pose_ad(pose_between(o.H[D], o.H[E]), o.J[E][c]);
    return axes == HML_AXES_OF_FRAME ? U : twist_from_left(HML_MIXED, o.H[D], U);
}

/* a contact frame on a link that has moved over it by exp of t·slip */
static pose contact_at(pose contact, twist slip, num t) { return pose_mul(contact, se3_exp(twist_scale(t, slip))); }

static twist oracle_contact(int L, pose contact, hml_axes axes, int c)
{
    twist U = pose_ad_inverse(contact, o.J[L][c]);
    return axes == HML_AXES_OF_FRAME ? U : twist_from_left(HML_MIXED, pose_mul(o.H[L], contact), U);
}

static vec3 draw_vec3(uint64_t *seed) { return vec3_of(K(draw(seed)), K(draw(seed)), K(draw(seed))); }

/* com and momentum about it, in the world's axes; c >= 0: for a unit velocity of coordinate c */
static wrench oracle_momentum(const robot *r, int c, vec3 *com)
{
    vec3 first = vec3_zero();
    num mass = K(0);
    wrench sum = wrench_zero();
    for (int i = 0; i < r->model->nbodies; i++) {
        inertia I = oracle_inertia(&model_bodies(r->model)[i]), W = inertia_transform(o.H[i], I);
        mass += W.m;
        first = vec3_add(first, W.h);
        sum = wrench_add(sum, pose_ad_dual(o.H[i], inertia_mul(I, c < 0 ? o.v[i] : o.J[i][c])));
    }
    *com = vec3_scale(K(1) / mass, first);
    sum.t = vec3_sub(sum.t, vec3_cross(*com, sum.f));
    return sum;
}

static twist as_twist(wrench F) { return twist_of(F.f, F.t); }

/* everything of one robot; `rates`: o holds a complex step along the motion, and its imaginary parts are compared */
static void compare(const robot *r, uint64_t *seed, int rates)
{
    const state_series state = {.q = r->q, .rates = {r->v, r->a}};
    const jacobian_series j = {.order = 1, .nv = r->nv, .J = {J, Jdot}};
    const num *matrix = rates ? Jdot : J;
    int E = r->model->nbodies - 1;
#if defined HML_NUM_C64
#define SEEN(U) (rates ? imaginary(U) : (U))
    const num t = rates ? __builtin_complex(0.0, STEP) : 0;
#else
#define SEEN(U) (U)
    const num t = K(0);
#endif
    for (int D = 0; D < r->model->nbodies; D += 2) {
        for (int rep_ = HML_LEFT; rep_ <= HML_SPLIT; rep_++) {
            hml_representation rep = (hml_representation)rep_;
            twist V[SERIES_LENGTH];
            pose H = frame_series(r->model, E, D, rep, &state, 1, V, &j), X = pose_between(o.H[D], o.H[E]);
            if (!rates) ASSERT_NEAR(twist_of(H.p, H.R.x), twist_of(X.p, X.R.x), 10, TOLERANCE);
            ASSERT_NEAR(V[rates], SEEN(oracle_relative(E, D, rep, -1)), 100, TOLERANCE);
            for (int c = 0; c < r->nv; c++) {
                ASSERT_NEAR(matrix_column(matrix, r->nv, c), SEEN(oracle_relative(E, D, rep, c)), 10, TOLERANCE);
            }
        }
        for (int axes_ = 0; axes_ < 2; axes_++) {
            hml_axes axes = (hml_axes)axes_;
            pose contact = se3_exp(twist_of(draw_vec3(seed), draw_vec3(seed)));
            twist slip = twist_of(draw_vec3(seed), draw_vec3(seed));
            jacobian_in_frame(r->model, E, D, axes, &state, &j);
            for (int c = 0; c < r->nv; c++) {
                ASSERT_NEAR(matrix_column(matrix, r->nv, c), SEEN(oracle_expressed(E, D, axes, c)), 10, TOLERANCE);
            }
            jacobian_in_contact(r->model, D, contact, slip, axes, &state, &j);
            for (int c = 0; c < r->nv; c++) {
                twist U = oracle_contact(D, contact_at(contact, slip, t), axes, c);
                ASSERT_NEAR(matrix_column(matrix, r->nv, c), SEEN(U), 20, TOLERANCE);
            }
        }
        vec3 point = draw_vec3(seed);
        twist V[SERIES_LENGTH];
        vec3 at = jacobian_of_point(r->model, D, point, &state, V, &j).p;
        twist V0 = twist_of(point_velocity(o.H[D], o.v[D], point, vec3_zero()), vec3_zero());
        V[rates].w = vec3_zero();
        if (!rates)
            ASSERT_NEAR(twist_of(at, vec3_zero()), twist_of(pose_act(o.H[D], point), vec3_zero()), 10, TOLERANCE);
        ASSERT_NEAR(V[rates], SEEN(V0), 100, TOLERANCE);
        for (int c = 0; c < r->nv; c++) {
            twist U = twist_of(point_velocity(o.H[D], o.J[D][c], point, vec3_zero()), vec3_zero());
            twist column = matrix_column(matrix, r->nv, c);
            column.w = vec3_zero();
            ASSERT_NEAR(column, SEEN(U), 10, TOLERANCE);
        }
    }
    static centroidal_body bodies[ORACLE_BODIES];
    static centroidal_column columns[ORACLE_NV];
    centroidal x;
    vec3 com, unused;
    centroidal_run(r->model, &state, bodies, columns, &j, &x);
    wrench h = oracle_momentum(r, -1, &com);
    ASSERT_NEAR(as_twist(x.momentum[rates]), SEEN(as_twist(h)), 1000, TOLERANCE);
    twist where = twist_of(rates ? x.velocity : x.com, vec3_zero());
    ASSERT_NEAR(where, SEEN(twist_of(com, vec3_zero())), 10, TOLERANCE);
    for (int c = 0; c < r->nv; c++) {
        wrench F = oracle_momentum(r, c, &unused);
        ASSERT_NEAR(matrix_column(matrix, r->nv, c), SEEN(as_twist(F)), 100, TOLERANCE);
    }
}

static void test_values(void **unused)
{
    (void)unused;
    uint64_t seed = 31;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        compare(&r, &seed, 0);
        robot_close(&r);
    }
}

#if defined HML_NUM_C64

static void test_rates(void **unused)
{
    (void)unused;
    uint64_t seed = 32;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        num q[2 * ORACLE_NV], v[ORACLE_NV];
        robot_open(&r, &seed, &specs[s % NSPECS]);
        complex_move(&r, r.v, q);
        complex_add(&r, r.v, r.a, v);
        oracle_run(r.model, q, v, NULL, &o);
        compare(&r, &seed, 1);
        robot_close(&r);
    }
}

#endif

/* intrinsic, apparent and classical acceleration of E, expressed in C and in the world */
static void test_named_accelerations(void **unused)
{
    (void)unused;
    uint64_t seed = 33;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        state_series state = {.q = r.q, .rates = {r.v, r.a}};
        int E = r.model->nbodies - 1;
        twist a = o.bias[E]; /* left, which is intrinsic in E */
        for (int c = 0; c < r.nv; c++) a = twist_axpy(r.a[c], o.J[E][c], a);
        twist classical = acceleration_from_left(HML_MIXED, o.H[E], o.v[E], a);
        for (int C = HML_WORLD; C < r.model->nbodies; C++) {
            pose H = C < 0 ? pose_identity() : o.H[C], H_CE = pose_between(H, o.H[E]);
            twist V_CE = twist_sub(o.v[E], C < 0 ? twist_zero() : pose_ad_inverse(H_CE, o.v[C]));
            path_walk e, c;
            walk_start(&e, 1);
            walk_to(&e, r.model, E, &state, K(1), NULL);
            walk_start_beside(&c, &e);
            walk_to(&c, r.model, C, &state, K(1), NULL);
            ASSERT_NEAR(frame_acceleration(HML_INTRINSIC, &e, &c), pose_ad(H_CE, a), 100, TOLERANCE);
            ASSERT_NEAR(frame_acceleration(HML_APPARENT, &e, &c), acceleration_apparent(H_CE, V_CE, o.v[E], a), 100,
                        TOLERANCE);
            ASSERT_NEAR(frame_acceleration(HML_CLASSICAL, &e, &c),
                        twist_of(mat3_tmul_vec(H.R, classical.v), mat3_tmul_vec(H.R, classical.w)), 100, TOLERANCE);
        }
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
#if defined HML_NUM_C64
        cmocka_unit_test(test_rates),
#endif
        cmocka_unit_test(test_named_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
