/*
 * The linearization in awkward places, each against an exact twin of the same robot: far from the origin, with the base
 * pitched by a right angle, with a spherical joint turned by π, with joints of several coordinates written as cascades
 * of simple ones (Bos, section 2.2), with followers.
 */
#include "dynamics_check.h"

#include "hamel/configuration.h"
#include "hamel/random.h"

static double A[4 * NV * NV], A2[4 * NV * NV];

static void test_a_thousand_kilometres_away_nothing_changes(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < 10; i++) {
        robot r;
        robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 12, .root = HML_JOINT_FREE, .points = 1});
        assert_int_equal(robot_A(&r, A), HML_OK);
        r.q[0] += 1e6, r.q[1] -= 1e6, r.q[2] += 1e6;
        assert_int_equal(robot_A(&r, A2), HML_OK);
        assert_near("A at 1e6 m", A2, A, 4 * r.nv * r.nv, 1e-12);
        robot_close(&r);
    }
}

/* the same where the free robots hang on bodies that are fixed to the world, and kept */
static void test_nothing_changes_far_away_on_kept_bodies(void **state)
{
    (void)state;
    static const struct {
        const char *name, *parent;
        hml_joint_type type;
    } bodies[] = {
        {"world link", NULL, HML_JOINT_FIXED},  {"trunk", "world link", HML_JOINT_FREE},
        {"leg", "trunk", HML_JOINT_REVOLUTE},   {"foot", "leg", HML_JOINT_FIXED},
        {"arm", "trunk", HML_JOINT_SPHERICAL},  {"pole", "world link", HML_JOINT_FIXED},
        {"crane", "pole", HML_JOINT_REVOLUTE},  {"drone", "pole", HML_JOINT_FREE},
        {"gripper", "drone", HML_JOINT_PLANAR}, {"stone", NULL, HML_JOINT_FIXED},
    };
    uint64_t seed = 24;
    hml_builder *b = hml_builder_new();
    hml_model *model;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        hml_joint_spec j;
        hml_inertia_spec I;
        hml_joint_spec_init(&j, bodies[i].type);
        j.name = bodies[i].name, j.axis[1] = 1, j.axis[2] = 0;
        for (int k = 0; k < 3; k++) j.position[k] = draw(&seed);
        draw_rotation(&seed, j.rotation);
        draw_inertia(&seed, &I);
        assert_int_equal(hml_builder_add_body(b, bodies[i].name, bodies[i].parent, &j, &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, HML_BUILD_KEEP_FIXED, &model, NULL), HML_OK);
    hml_builder_free(b);
    robot r;
    robot_take(&r, model, HML_ISA_BEST);
    robot_state(&r, &seed);
    assert_int_equal(robot_A(&r, A), HML_OK);
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        assert_int_equal(hml_model_joint(model, i, &j), HML_OK);
        if (j.type == HML_JOINT_FREE) r.q[j.q] += 1e6, r.q[j.q + 1] -= 1e6, r.q[j.q + 2] += 1e6;
    }
    assert_int_equal(robot_A(&r, A2), HML_OK);
    assert_near("A at 1e6 m, on a kept body", A2, A, 4 * r.nv * r.nv, 1e-12);
    robot_close(&r);
}

/* A free root's pose enters through gravity in its frame alone: turning the base by R is turning gravity by Rᵀ. */
static void test_a_pitch_of_ninety_degrees(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (int i = 0; i < 10; i++) {
        robot r;
        double sign = i % 2 ? -1 : 1, half = sqrt(0.5);
        robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 10, .root = HML_JOINT_FREE});
        r.q[3] = half, r.q[4] = 0, r.q[5] = sign * half, r.q[6] = 0;
        assert_int_equal(robot_A(&r, A), HML_OK);
        r.q[3] = 1, r.q[5] = 0;
        /* gravity in the predecessor frame, turned back by ±90° about y, and out into the world again */
        hml_joint_info base = {.struct_size = sizeof base};
        assert_int_equal(hml_model_joint(r.model, 0, &base), HML_OK);
        const double *R = base.rotation, g[3] = {-9.81 * R[6], -9.81 * R[7], -9.81 * R[8]};
        const double turned[3] = {-sign * g[2], g[1], sign * g[0]};
        double gravity[3];
        for (int k = 0; k < 3; k++)
            gravity[k] = R[3 * k] * turned[0] + R[3 * k + 1] * turned[1] + R[3 * k + 2] * turned[2];
        assert_int_equal(hml_model_set_gravity(r.model, gravity), HML_OK);
        assert_int_equal(robot_A(&r, A2), HML_OK);
        assert_near("A at a pitch of 90°", A, A2, 4 * r.nv * r.nv, 1e-12); /* √½ is rounded */
        robot_close(&r);
    }
}

/* ---- two robots that are the same ---- */

/* free trunk – the joint under test, body "x" – a forearm; the joint's placement, and the mass of x, are given */
typedef struct twin {
    hml_builder *b;
    uint64_t seed;
} twin;

static twin twin_begin(uint64_t seed)
{
    twin t = {hml_builder_new(), seed};
    hml_joint_spec j;
    hml_inertia_spec I;
    hml_joint_spec_init(&j, HML_JOINT_FREE);
    j.name = "base";
    draw_inertia(&t.seed, &I);
    assert_int_equal(hml_builder_add_body(t.b, "trunk", NULL, &j, &I, NULL), HML_OK);
    return t;
}

static void twin_add(twin *t, const char *name, const char *parent, hml_joint_spec *j, const hml_inertia_spec *I)
{
    j->name = name;
    assert_int_equal(hml_builder_add_body(t->b, name, parent, j, I, NULL), HML_OK);
}

static hml_model *twin_end(twin *t)
{
    hml_model *m = NULL;
    hml_joint_spec j;
    hml_inertia_spec I;
    hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
    j.axis[1] = 1, j.position[0] = 0.3, j.position[2] = -0.2;
    draw_inertia(&t->seed, &I);
    twin_add(t, "forearm", "x", &j, &I);
    hml_error error = {0};
    if (hml_builder_build(t->b, 0, &m, &error)) fail_msg("%s", error.message);
    hml_builder_free(t->b);
    return m;
}

/* a spherical joint turned by π about some axis is one at rest whose predecessor frame is turned so */
static void test_spherical_joints_turned_by_pi(void **state)
{
    (void)state;
    for (uint64_t s = 0; s < 10; s++) {
        robot r[2];
        uint64_t seed = 230 + s;
        double R[9], n[3] = {draw(&seed), draw(&seed), draw(&seed)};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) n[k] /= length;
        for (int k = 0; k < 9; k++) R[k] = 2 * n[k / 3] * n[k % 3] - (k % 4 == 0);
        for (int which = 0; which < 2; which++) {
            twin t = twin_begin(300 + s);
            hml_joint_spec j;
            hml_inertia_spec I;
            hml_joint_spec_init(&j, HML_JOINT_SPHERICAL);
            j.position[1] = 0.4;
            if (which) memcpy(j.rotation, R, sizeof R);
            draw_inertia(&t.seed, &I);
            twin_add(&t, "x", "trunk", &j, &I);
            robot_take(&r[which], twin_end(&t), HML_ISA_BEST);
            uint64_t same = 400 + s;
            robot_state(&r[which], &same);
            double *q = r[which].q + 7;
            q[0] = which, q[1] = which ? 0 : n[0], q[2] = which ? 0 : n[1], q[3] = which ? 0 : n[2];
            assert_int_equal(robot_A(&r[which], which ? A2 : A), HML_OK);
        }
        assert_near("A at an angle of π", A, A2, 4 * r[0].nv * r[0].nv, 1e-13); /* R and n are rounded */
        robot_close(&r[0]);
        robot_close(&r[1]);
    }
}

/*
 * The joint x of type `type` against its cascade of sliders and a revolute. Sliders are in the predecessor frame's axes
 * and the joint's velocity in the successor's: ν_cascade = T ν with T = diag(rot(θ), 1, …). With z_cascade = P z,
 *
 *   P = [ T 0 ; K T ],  K = ∂(T ν)/∂q,  so that  A_cascade P = P A + Ṗ.
 *
 * For a cylindrical joint both are along the axis, for a translation nothing turns: T is the identity. Forces along x
 * and y are zero: held fixed, they would push along different axes in the two robots.
 */
static void cascade(hml_joint_type type, uint64_t s)
{
    static double P[4 * NV * NV], Pdot[4 * NV * NV], left[4 * NV * NV], right[4 * NV * NV];
    int m = hml_joint_type_nv(type), cylinder = type == HML_JOINT_CYLINDRICAL;
    int turns = cylinder || type == HML_JOINT_PLANAR || type == HML_JOINT_SCHOENFLIES, turned = turns && !cylinder;
    robot r[2];
    blocks *x = malloc(sizeof *x);
    for (int which = 0; which < 2; which++) {
        twin t = twin_begin(500 + s);
        uint64_t placement = 600 + s;
        hml_joint_spec j;
        hml_inertia_spec I;
        hml_joint_spec_init(&j, type);
        draw_rotation(&placement, j.rotation);
        for (int k = 0; k < 3; k++) j.position[k] = draw(&placement), j.axis[k] = draw(&placement);
        draw_inertia(&t.seed, &I);
        if (which == 0) {
            twin_add(&t, "x", "trunk", &j, &I);
        } else {
            const char *names[] = {"slide0", "slide1", "slide2"}, *parent = "trunk";
            for (int k = 0; k < m - turns; k++) {
                j.type = HML_JOINT_PRISMATIC;
                for (int d = 0; !cylinder && d < 3; d++) j.axis[d] = d == k;
                parent = k == m - 1 ? "x" : names[k]; /* the last is the body itself */
                twin_add(&t, parent, k == 0 ? "trunk" : names[k - 1], &j, k == m - 1 ? &I : NULL);
                memcpy(j.rotation, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof j.rotation);
                memset(j.position, 0, sizeof j.position);
            }
            j.type = HML_JOINT_REVOLUTE;
            for (int d = 0; turned && d < 3; d++) j.axis[d] = d == 2;
            if (turns) twin_add(&t, "x", parent, &j, &I);
        }
        robot_take(&r[which], twin_end(&t), HML_ISA_BEST);
        uint64_t same = 700 + s;
        for (int k = 0; k < 7 + m + 1; k++) r[which].q[k] = draw(&same);
        for (int k = 0; k < 6 + m + 1; k++) r[which].v[k] = draw(&same), r[which].tau[k] = draw(&same);
        assert_int_equal(hml_configuration_normalize(r[which].model, r[which].q), HML_OK);
    }
    size_t nv = r[0].nv, n = 2 * nv, at = 6, turn = 6 + (size_t)m - 1;
    assert_int_equal(r[1].nv, nv);
    double th = r[0].q[7 + m - 1], c = turned ? cos(th) : 1, si = turned ? sin(th) : 0, rate = r[0].v[turn];
    double vx = r[0].v[at], vy = r[0].v[at + 1];
    if (turned) { /* the same motion in the cascade's coordinates */
        r[1].v[at] = c * vx - si * vy, r[1].v[at + 1] = si * vx + c * vy;
        for (int which = 0; which < 2; which++) r[which].tau[at] = r[which].tau[at + 1] = 0;
    }
    assert_int_equal(robot_linearize(&r[0], x), HML_OK);
    assert_int_equal(robot_A(&r[0], A), HML_OK);
    assert_int_equal(robot_A(&r[1], A2), HML_OK);
    memset(P, 0, sizeof P), memset(Pdot, 0, sizeof Pdot);
    for (size_t k = 0; k < n; k++) P[k * n + k] = 1;
    if (turned) {
        double ax = x->a[at], ay = x->a[at + 1];
        for (size_t half = 0; half < 2; half++) {
            size_t o = half * nv + at;
            P[o * n + o] = P[(o + 1) * n + o + 1] = c;
            P[o * n + o + 1] = -si, P[(o + 1) * n + o] = si;
            Pdot[o * n + o] = Pdot[(o + 1) * n + o + 1] = -si * rate;
            Pdot[o * n + o + 1] = -c * rate, Pdot[(o + 1) * n + o] = c * rate;
        }
        P[(nv + at) * n + turn] = -si * vx - c * vy;
        P[(nv + at + 1) * n + turn] = c * vx - si * vy;
        Pdot[(nv + at) * n + turn] = -si * ax - c * ay + rate * (-c * vx + si * vy);
        Pdot[(nv + at + 1) * n + turn] = c * ax - si * ay + rate * (-si * vx - c * vy);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            left[i * n + k] = 0, right[i * n + k] = Pdot[i * n + k];
            for (size_t l = 0; l < n; l++) {
                left[i * n + k] += A2[i * n + l] * P[l * n + k];
                right[i * n + k] += P[i * n + l] * A[l * n + k];
            }
        }
    }
    assert_near(hml_joint_type_name(type), left, right, n * n, 1e-12);
    free(x);
    robot_close(&r[0]);
    robot_close(&r[1]);
}

static void test_joints_of_several_coordinates_are_cascades(void **state)
{
    (void)state;
    for (uint64_t s = 0; s < 10; s++) {
        cascade(HML_JOINT_CYLINDRICAL, s);
        cascade(HML_JOINT_PLANAR, s);
        cascade(HML_JOINT_TRANSLATION2, s);
        cascade(HML_JOINT_TRANSLATION3, s);
        cascade(HML_JOINT_SCHOENFLIES, s);
    }
}

/* ---- followers ---- */

/* a follower on the same axis with multiplier 1 moves with its leader: together they are one rigid body */
static void test_a_follower_on_its_leaders_axis_is_one_body_with_it(void **state)
{
    (void)state;
    for (uint64_t s = 0; s < 10; s++) {
        robot r[2];
        for (int which = 0; which < 2; which++) {
            twin t = twin_begin(800 + s);
            hml_joint_spec j, fixed;
            hml_inertia_spec I, I2;
            hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
            hml_joint_spec_init(&fixed, HML_JOINT_FIXED);
            j.axis[2] = 1, j.position[1] = 0.4;
            draw_inertia(&t.seed, &I);
            draw_inertia(&t.seed, &I2);
            twin_add(&t, "x", "trunk", &j, &I);
            if (which == 0) {
                j.mimic = "x", j.multiplier = 1, j.offset = 0.7;
                twin_add(&t, "follower", "trunk", &j, &I2);
            } else {
                const double c = cos(0.7), si = sin(0.7), turn[9] = {c, -si, 0, si, c, 0, 0, 0, 1};
                memcpy(fixed.rotation, turn, sizeof turn);
                twin_add(&t, "follower", "x", &fixed, &I2);
            }
            robot_take(&r[which], twin_end(&t), HML_ISA_BEST);
            uint64_t same = 900 + s;
            for (int k = 0; k < 9; k++) r[which].q[k] = draw(&same);
            for (int k = 0; k < 8; k++) r[which].v[k] = draw(&same), r[which].tau[k] = draw(&same);
            assert_int_equal(hml_configuration_normalize(r[which].model, r[which].q), HML_OK);
            assert_int_equal(robot_A(&r[which], which ? A2 : A), HML_OK);
        }
        assert_int_equal(r[0].nv, 8);
        assert_near("A with a follower", A, A2, 4 * 64, 1e-12);
        robot_close(&r[0]);
        robot_close(&r[1]);
    }
}

/* column c of D_q or D_ν by fourth-order central differences of the forward dynamics */
static void difference(robot *r, int velocity, size_t c, double *column)
{
    const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    memset(column, 0, r->nv * sizeof *column);
    for (int k = 0; k < 4; k++) {
        double q[NQ], v[NV], z[NV] = {0}, a[NV];
        memcpy(q, r->q, sizeof q), memcpy(v, r->v, sizeof v);
        z[c] = at[k] * h;
        if (velocity)
            v[c] += z[c];
        else
            assert_int_equal(hml_configuration_integrate(r->model, r->q, z, q), HML_OK);
        assert_int_equal(hml_forward_dynamics(r->model, r->work, q, v, r->tau, r->wrenches, a), HML_OK);
        for (size_t i = 0; i < r->nv; i++) column[i] += weight[k] * a[i] / (12 * h);
    }
}

static void test_robots_with_many_followers(void **state)
{
    (void)state;
    static blocks x;
    static double Dq[NV * NV], Dv[NV * NV];
    int32_t followers = 0;
    for (uint64_t s = 1; s <= 10; s++) {
        robot r;
        hml_model *m = NULL;
        hml_random_spec spec;
        hml_random_spec_init(&spec);
        spec.seed = s, spec.mimic = 0.5, spec.passive = 0.3;
        assert_int_equal(hml_model_random(&spec, &m), HML_OK);
        robot_take(&r, m, HML_ISA_BEST);
        followers += m->nfollowers;
        hml_rng rng;
        hml_rng_seed(&rng, s);
        assert_int_equal(hml_configuration_random(m, &rng, r.q), HML_OK);
        for (size_t i = 0; i < r.nv; i++)
            r.v[i] = hml_rng_uniform(&rng, -1, 1), r.tau[i] = hml_rng_uniform(&rng, -1, 1);
        assert_int_equal(robot_linearize(&r, &x), HML_OK);
        for (size_t c = 0; c < r.nv; c++) {
            double column[NV];
            difference(&r, 0, c, column);
            for (size_t i = 0; i < r.nv; i++) Dq[i * r.nv + c] = column[i];
            difference(&r, 1, c, column);
            for (size_t i = 0; i < r.nv; i++) Dv[i * r.nv + c] = column[i];
        }
        /* h⁴ times fifth derivatives of a robot whose joints are 0.3 m apart, and round-off over h */
        assert_near("D_q with followers", x.Dq, Dq, r.nv * r.nv, 1e-7);
        assert_near("D_v with followers", x.Dv, Dv, r.nv * r.nv, 1e-7);
        robot_close(&r);
    }
    assert_true(followers > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thousand_kilometres_away_nothing_changes),
        cmocka_unit_test(test_nothing_changes_far_away_on_kept_bodies),
        cmocka_unit_test(test_a_pitch_of_ninety_degrees),
        cmocka_unit_test(test_spherical_joints_turned_by_pi),
        cmocka_unit_test(test_joints_of_several_coordinates_are_cascades),
        cmocka_unit_test(test_a_follower_on_its_leaders_axis_is_one_body_with_it),
        cmocka_unit_test(test_robots_with_many_followers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
