/*
 * Any observer F, any place D = O[C], any base velocity: against the definitions. Poses of frames are all that is taken
 * from the library; twists are ḢH⁻¹ by eighth-order differences along a motion, moved by 6x6 matrices written out here,
 * and accelerations are differences of these numbers again.
 */
#include "any_robot.h"
#include "representation_check.h"

#define SECOND_TOL 1e-8 /* differences of differences: 1e-13 · 128² */

static stage s;
static double a[MOST];

static int setup(void **state)
{
    (void)state;
    s.model = creature();
    open_stage(&s, 0);
    draw_array(a, s.nv, 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close_stage(&s);
    return 0;
}

/* ---- definitions ---- */

/* a motion through the state at t = 0, with ν = v and ν̇ = a there */
typedef struct motion {
    const double *v, *a;
    int32_t frame, observer;
    hml_place place;
    double t;
} motion;

static void configuration_at(const motion *m, double t, double *q)
{
    double step[MOST];
    for (int i = 0; i < s.nv; i++) step[i] = t * m->v[i] + (m->a ? 0.5 * t * t * m->a[i] : 0);
    ASSERT_OK(hml_configuration_integrate(s.model, s.q, step, q));
}

static void pose_of_frame(const double *q, int32_t frame, double H[16])
{
    identity(4, H);
    hml_frame_motion pose = {.struct_size = sizeof pose, .pose = H};
    if (frame != HML_WORLD) ASSERT_OK(hml_frame(s.model, s.work, frame, HML_LEFT, q, NULL, NULL, &pose));
}

/* H_ab⁻¹ H_ac */
static void between(const double A[16], const double B[16], double out[16])
{
    double inverse[16] = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inverse[4 * i + j] = A[4 * j + i];
            inverse[4 * i + 3] -= A[4 * j + i] * A[4 * j + 3];
        }
    }
    inverse[15] = 1;
    multiply(4, 4, 4, inverse, B, out);
}

static void pose_of_place(const double *q, hml_place place, double H[16])
{
    double C[16];
    pose_of_frame(q, place.origin, H);
    pose_of_frame(q, place.axes, C);
    for (int i = 0; i < 9; i++) H[4 * (i / 3) + i % 3] = C[4 * (i / 3) + i % 3];
}

/* [R p^R; 0 R] V */
static void transform(const double H[16], const double V[6], double out[6])
{
    double R[9], v[3], w[3];
    for (int i = 0; i < 9; i++) R[i] = H[4 * (i / 3) + i % 3];
    multiply(3, 3, 1, R, V, v);
    multiply(3, 3, 1, R, V + 3, w);
    const double p[3] = {H[3], H[7], H[11]};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = v[i] + p[j] * w[k] - p[k] * w[j], out[3 + i] = w[i];
    }
}

static void relative_pose(const void *context, double t, double *H)
{
    const motion *m = context;
    double q[MOST], F[16], E[16];
    configuration_at(m, m->t + t, q);
    pose_of_frame(q, m->observer, F);
    pose_of_frame(q, m->frame, E);
    between(F, E, H);
}

/* ᶠv_{F,E} = ḢH⁻¹ at time t of the motion */
static void observed_twist(const void *context, double t, double *V)
{
    motion m = *(const motion *)context;
    double H[16], dH[16], one[16], inverse[16], W[16];
    m.t += t;
    relative_pose(&m, 0, H);
    difference(relative_pose, &m, 16, dH);
    identity(4, one);
    between(H, one, inverse);
    multiply(4, 4, 4, dH, inverse, W);
    const double twist[6] = {W[3], W[7], W[11], W[9], W[2], W[4]};
    memcpy(V, twist, sizeof twist);
}

/* ᴰv_{F,E} at time t of the motion */
static void expressed_twist(const void *context, double t, double *V)
{
    const motion *m = context;
    double q[MOST], F[16], D[16], H[16], U[6];
    configuration_at(m, m->t + t, q);
    pose_of_frame(q, m->observer, F);
    pose_of_place(q, m->place, D);
    between(D, F, H);
    observed_twist(context, t, U);
    transform(H, U, V);
}

static void position_in_observer(const void *context, double t, double *p)
{
    double H[16];
    relative_pose(context, t, H);
    p[0] = H[3], p[1] = H[7], p[2] = H[11];
}

static void velocity_in_observer(const void *context, double t, double *v)
{
    motion m = *(const motion *)context;
    m.t += t;
    difference(position_in_observer, &m, 3, v);
}

static void angular_in_observer(const void *context, double t, double *w)
{
    double V[6];
    observed_twist(context, t, V);
    memcpy(w, V + 3, 3 * sizeof *w);
}

static int32_t frames[5]; /* two frames, a body that carries one of them, one beside, and the world */

static void name_frames(void)
{
    static const char *const names[] = {"hook", "foot", "cart", "trunk"};
    for (int i = 0; i < 4; i++) frames[i] = hml_model_find_frame(s.model, names[i]);
    frames[4] = HML_WORLD;
}

/* case c: frame, observer and place */
static motion motion_of(int c)
{
    name_frames();
    motion m = {.v = s.v, .a = a, .frame = frames[c % 2], .observer = frames[(c + 1 + c / 4) % 5]};
    m.place = (hml_place){frames[(c / 2) % 5], frames[(c / 3 + c) % 5]};
    return m;
}

enum { CASES = 40 };

static void jacobian_along_the_motion(const void *context, double t, double *out)
{
    const motion *m = context;
    double q[MOST], J[6 * MOST];
    configuration_at(m, t, q);
    hml_frame_motion x = {.struct_size = sizeof x, .J = J};
    ASSERT_OK(hml_frame_in(s.model, s.work, m->frame, m->observer, m->place, q, NULL, NULL, &x));
    for (int i = 0; i < 2 * s.nv; i++) out[i] = J[i < s.nv ? i : 4 * s.nv + i % s.nv]; /* one linear row, one angular */
}

static void test_frames_for_any_observer_and_place(void **state)
{
    (void)state;
    const int n = s.nv;
    for (int c = 0; c < CASES; c++) {
        motion m = motion_of(c);
        double pose[16], J[6 * MOST], Jdot[6 * MOST], V[6], A[6], expected[16], q[MOST], E[16], D[16], rate[2 * MOST];
        hml_frame_motion x = {sizeof x, pose, J, Jdot, V, A};
        ASSERT_OK(hml_frame_in(s.model, s.work, m.frame, m.observer, m.place, s.q, s.v, a, &x));
        configuration_at(&m, 0, q);
        pose_of_frame(q, m.frame, E);
        pose_of_place(q, m.place, D);
        between(D, E, expected);
        CHECK(pose, expected, 16, 1e-13);
        expressed_twist(&m, 0, expected);
        CHECK(V, expected, 6, DIFFERENCE_TOL);
        difference(expressed_twist, &m, 6, expected);
        CHECK(A, expected, 6, SECOND_TOL);
        for (int k = 0; k < n; k++) { /* columns: the twist where one coordinate moves */
            double unit[MOST] = {0}, column[6];
            unit[k] = 1;
            motion one = m;
            one.v = unit, one.a = NULL;
            expressed_twist(&one, 0, expected);
            for (int i = 0; i < 6; i++) column[i] = J[i * n + k];
            CHECK(column, expected, 6, DIFFERENCE_TOL);
        }
        difference(jacobian_along_the_motion, &m, (size_t)(2 * n), rate);
        for (int k = 0; k < n; k++) {
            CHECK(&Jdot[k], &rate[k], 1, DIFFERENCE_TOL);
            CHECK(&Jdot[4 * n + k], &rate[n + k], 1, DIFFERENCE_TOL);
        }
        hml_frame_motion alone = {.struct_size = sizeof alone, .Jdot = Jdot}; /* J̇ without J */
        double both[6 * MOST];
        memcpy(both, Jdot, sizeof both);
        ASSERT_OK(hml_frame_in(s.model, s.work, m.frame, m.observer, m.place, s.q, s.v, NULL, &alone));
        CHECK(Jdot, both, 6 * n, 0);
    }
}

static void test_accelerations_for_any_observer_and_place(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        motion m = motion_of(c);
        double A[6], expected[6], U[6], F[16], D[16], H[16], q[MOST], linear[3], angular[3], R[9];
        configuration_at(&m, 0, q);
        pose_of_frame(q, m.observer, F);
        pose_of_place(q, m.place, D);
        between(D, F, H);
        ASSERT_OK(
            hml_frame_acceleration_in(s.model, s.work, m.frame, m.observer, HML_INTRINSIC, m.place, s.q, s.v, a, A));
        difference(observed_twist, &m, 6, U);
        transform(H, U, expected); /* Notation (47) with F for A */
        CHECK(A, expected, 6, SECOND_TOL);
        ASSERT_OK(
            hml_frame_acceleration_in(s.model, s.work, m.frame, m.observer, HML_APPARENT, m.place, s.q, s.v, a, A));
        difference(expressed_twist, &m, 6, expected);
        CHECK(A, expected, 6, SECOND_TOL);
        ASSERT_OK(
            hml_frame_acceleration_in(s.model, s.work, m.frame, m.observer, HML_CLASSICAL, m.place, s.q, s.v, a, A));
        difference(velocity_in_observer, &m, 3, linear);
        difference(angular_in_observer, &m, 3, angular);
        for (int i = 0; i < 9; i++) R[i] = H[4 * (i / 3) + i % 3];
        multiply(3, 3, 1, R, linear, expected);
        multiply(3, 3, 1, R, angular, expected + 3);
        CHECK(A, expected, 6, SECOND_TOL);
    }
}

/* ---- base velocities ---- */

/* the named representations are places */
static void test_representations_are_places(void **state)
{
    (void)state;
    static const hml_place places[3] = {{HML_BASE, HML_BASE}, {HML_WORLD, HML_WORLD}, {HML_BASE, HML_WORLD}};
    const int n = s.nv;
    for (int k = 0; k < 3; k++) {
        double v[MOST], expected[MOST], back[MOST], Y[MOST * MOST], Ydot[MOST * MOST], E[MOST * MOST],
            Edot[MOST * MOST];
        ASSERT_OK(hml_base_velocity_to(s.model, s.work, places[k], s.q, s.v, v));
        ASSERT_OK(hml_velocity_to_representation(s.model, ALL[k], s.q, s.v, expected));
        CHECK(v, expected, n, 1e-13);
        ASSERT_OK(hml_base_velocity_from(s.model, s.work, places[k], s.q, v, back));
        CHECK(back, s.v, n, 1e-13);
        ASSERT_OK(hml_base_transform(s.model, s.work, places[k], s.q, s.v, Y, Ydot));
        ASSERT_OK(hml_velocity_transform(s.model, ALL[k], s.q, s.v, E, Edot));
        CHECK(Y, E, n * n, 1e-13);
        CHECK(Ydot, Edot, n * n, 1e-12);
    }
}

typedef struct base_motion {
    motion m;
    hml_place base;
} base_motion;

static void Y_along_the_motion(const void *context, double t, double *out)
{
    const base_motion *b = context;
    double q[MOST], Y[MOST * MOST];
    configuration_at(&b->m, t, q);
    ASSERT_OK(hml_base_transform(s.model, s.work, b->base, q, NULL, Y, NULL));
    for (int i = 0; i < 36; i++) out[i] = Y[i / 6 * s.nv + i % 6];
}

static void jacobian_in_along_the_motion(const void *context, double t, double *out)
{
    const base_motion *b = context;
    double q[MOST], J[6 * MOST];
    configuration_at(&b->m, t, q);
    ASSERT_OK(hml_jacobian_in(s.model, s.work, b->m.frame, b->m.observer, b->m.place, b->base, q, NULL, J, NULL));
    for (int i = 0; i < 2 * s.nv; i++) out[i] = J[i < s.nv ? i : 4 * s.nv + i % s.nv];
}

/* ᶜv_{A,B} by its definition, Y and Ẏ, and ᴰJ_{F,E/C} with its rate */
static void test_base_velocities_in_any_place(void **state)
{
    (void)state;
    const int n = s.nv;
    for (int c = 0; c < CASES; c++) {
        base_motion b = {.m = motion_of(c)};
        b.base = (hml_place){frames[(c / 2 + 1) % 5], frames[(c / 5 + 2 * c) % 5]};
        motion trunk = b.m;
        trunk.frame = frames[3], trunk.observer = HML_WORLD, trunk.place = b.base;
        double v[MOST], expected[6], back[MOST], Y[MOST * MOST], Ydot[MOST * MOST], rate[2 * MOST];
        ASSERT_OK(hml_base_velocity_to(s.model, s.work, b.base, s.q, s.v, v));
        expressed_twist(&trunk, 0, expected);
        CHECK(v, expected, 6, DIFFERENCE_TOL);
        CHECK(v + 6, s.v + 6, n - 6, 0);
        ASSERT_OK(hml_base_velocity_from(s.model, s.work, b.base, s.q, v, back));
        CHECK(back, s.v, n, 1e-12);
        ASSERT_OK(hml_base_transform(s.model, s.work, b.base, s.q, s.v, Y, Ydot));
        multiply(n, n, 1, Y, v, back);
        CHECK(back, s.v, n, 1e-12);
        difference(Y_along_the_motion, &b, 36, rate);
        for (int i = 0; i < n * n; i++) {
            double entry = i / n < 6 && i % n < 6 ? rate[i / n * 6 + i % n] : 0;
            CHECK(&Ydot[i], &entry, 1, DIFFERENCE_TOL);
        }
        double J[6 * MOST], Jdot[6 * MOST], twist[6], V[6];
        ASSERT_OK(hml_jacobian_in(s.model, s.work, b.m.frame, b.m.observer, b.m.place, b.base, s.q, s.v, J, Jdot));
        multiply(6, n, 1, J, v, V);
        expressed_twist(&b.m, 0, twist);
        CHECK(V, twist, 6, DIFFERENCE_TOL);
        difference(jacobian_in_along_the_motion, &b, (size_t)(2 * n), rate);
        for (int k = 0; k < n; k++) {
            CHECK(&Jdot[k], &rate[k], 1, DIFFERENCE_TOL);
            CHECK(&Jdot[4 * n + k], &rate[n + k], 1, DIFFERENCE_TOL);
        }
    }
}

/* mimic followers, several trees, fixed bodies that are kept: what frames do agrees with the named functions */
static void test_robots_of_all_kinds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        hml_random_spec spec = any_robot(seed, 0.4);
        hml_rng rng;
        hml_model *model;
        hml_work *work;
        double q[96], v[64], J[6 * 64], E[6 * 64], Jdot[6 * 64], Edot[6 * 64];
        spec.nframes = 4;
        ASSERT_OK(hml_model_random(&spec, &model));
        ASSERT_OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_TREE, &work));
        hml_rng_seed(&rng, seed);
        ASSERT_OK(hml_configuration_random(model, &rng, q));
        int n = hml_model_nv(model), last = hml_model_nframes(model) - 1;
        draw_array(v, n, 1);
        ASSERT_OK(hml_jacobian_in(model, work, last, HML_WORLD, (hml_place){last, HML_WORLD},
                                  (hml_place){HML_BASE, HML_WORLD}, q, v, J, Jdot));
        ASSERT_OK(hml_jacobian(model, work, last, last, HML_AXES_OF_WORLD, HML_MIXED, q, v, E, Edot));
        CHECK(J, E, 6 * n, 1e-12);
        CHECK(Jdot, Edot, 6 * n, 1e-11);
        hml_frame_motion x = {.struct_size = sizeof x, .J = J, .Jdot = Jdot},
                         y = {.struct_size = sizeof y, .J = E, .Jdot = Edot};
        ASSERT_OK(hml_frame_in(model, work, last, 1, (hml_place){last, last}, q, v, NULL, &x));
        ASSERT_OK(hml_frame_relative(model, work, last, 1, HML_LEFT, q, v, NULL, &y));
        CHECK(J, E, 6 * n, 1e-12);
        CHECK(Jdot, Edot, 6 * n, 1e-11);
        hml_work_free(work);
        hml_model_free(model);
    }
}

static void test_bad_arguments(void **state)
{
    (void)state;
    const hml_place here = {HML_WORLD, 0}, base = {HML_BASE, 0}, nowhere = {-3, 0}, beyond = {0, 1000};
    double J[6 * MOST], V[6], Y[MOST * MOST], q[MOST];
    hml_frame_motion x = {.struct_size = sizeof x, .twist = V};
    assert_int_equal(hml_frame_in(s.model, s.work, 0, HML_WORLD, base, s.q, s.v, a, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame_in(s.model, s.work, HML_WORLD, 0, here, s.q, s.v, a, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame_in(s.model, s.work, 0, -2, here, s.q, s.v, a, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame_in(s.model, s.work, 0, 0, here, s.q, NULL, NULL, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_base_transform(s.model, s.work, nowhere, s.q, s.v, Y, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_base_transform(s.model, s.work, beyond, s.q, s.v, Y, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_base_transform(s.model, s.work, base, s.q, NULL, NULL, Y), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_base_jacobian(s.model, s.work, base, s.q, NULL, 6, J, J), HML_INVALID_ARGUMENT);
    assert_int_equal(
        hml_frame_acceleration_in(s.model, s.work, 0, HML_WORLD, (hml_acceleration_kind)3, here, s.q, s.v, a, V),
        HML_INVALID_ARGUMENT);
    memcpy(q, s.q, sizeof q);
    q[0] = NAN;
    assert_int_equal(hml_base_velocity_to(s.model, s.work, base, q, s.v, Y), HML_NOT_FINITE);
    assert_int_equal(hml_jacobian_in(s.model, s.work, 0, 0, here, base, q, NULL, J, NULL), HML_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_for_any_observer_and_place),
        cmocka_unit_test(test_accelerations_for_any_observer_and_place),
        cmocka_unit_test(test_representations_are_places),
        cmocka_unit_test(test_base_velocities_in_any_place),
        cmocka_unit_test(test_robots_of_all_kinds),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
