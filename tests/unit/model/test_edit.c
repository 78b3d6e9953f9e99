/* Editing models: whatever is done, every frame must be where it was, and nothing may get lost on the way. */
#include <math.h>
#include <stdlib.h>

#include "model_fixture.h"
#include "rigid.h"

#include "hamel/configuration.h"
#include "hamel/edit.h"
#include "model/builder.h"

enum {
    MAX = 256,
    ALL = (2 << HML_JOINT_FREE) - 1,
    TURNABLE = 1 << HML_JOINT_REVOLUTE | 1 << HML_JOINT_PRISMATIC | 1 << HML_JOINT_HELICAL |
               1 << HML_JOINT_CYLINDRICAL | 1 << HML_JOINT_SPHERICAL | 1 << HML_JOINT_TRANSLATION3 | 1 << HML_JOINT_FREE
};

static hml_model *robot(uint64_t seed, unsigned types, hml_random_shape shape)
{
    hml_random_spec spec;
    hml_model *m = NULL;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.nbodies = 25;
    spec.shape = shape;
    spec.joint_types = types;
    spec.mimic = 0.3;
    spec.nframes = 6;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    assert_true(hml_model_nq(m) < MAX);
    return m;
}

static const char *frame_name(const hml_model *m, int32_t index)
{
    hml_frame_info f = {.struct_size = sizeof f};
    assert_int_equal(hml_model_frame(m, index, &f), HML_OK);
    return f.name;
}

static int is_cross(const char *name) { return strstr(name, ".cross") != NULL; }

/* every frame of a is in b, at the same place */
static void expect_same_poses(const hml_model *a, const double *qa, const hml_model *b, const double *qb,
                              double tolerance)
{
    for (int32_t i = 0; i < hml_model_nframes(a); i++) {
        double A[16], B[16];
        const char *name = frame_name(a, i);
        if (is_cross(name)) continue;
        frame4(a, name, qa, A);
        frame4(b, name, qb, B);
        assert_all_close(A, B, 16, tolerance);
    }
}

/* mass, first moment and moment of inertia of everything that moves, about the world's origin */
static void total_inertia(const hml_model *m, const double *q, double total[13])
{
    memset(total, 0, 13 * sizeof *total);
    for (int32_t i = 0; i < hml_model_nbodies(m); i++) {
        hml_body_info b = {.struct_size = sizeof b};
        double H[16], c[3], cc = 0;
        assert_int_equal(hml_model_body(m, i, &b), HML_OK);
        if (b.mass == 0 || is_cross(b.name)) continue;
        body4(m, i, q, H);
        for (int k = 0; k < 3; k++) {
            c[k] = H[4 * k + 3];
            for (int l = 0; l < 3; l++) c[k] += H[4 * k + l] * b.com[l];
            cc += c[k] * c[k];
        }
        total[0] += b.mass;
        for (int k = 0; k < 3; k++) {
            total[1 + k] += b.mass * c[k];
            for (int l = 0; l < 3; l++) {
                double sum = b.mass * ((k == l ? cc : 0) - c[k] * c[l]);
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++) sum += H[4 * k + r] * b.moment[3 * r + s] * H[4 * l + s];
                total[4 + 3 * k + l] += sum;
            }
        }
    }
}

static void expect_equal(const hml_model *a, const hml_model *b, double tolerance)
{
    char difference[512] = "";
    if (!hml_model_equal(a, b, tolerance, difference, sizeof difference)) fail_msg("%s", difference);
}

static void test_apart_and_together(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        hml_model *m = robot(seed, ALL, HML_RANDOM_ANY);
        hml_builder *b = NULL;
        assert_int_equal(hml_model_to_builder(m, &b), HML_OK);
        hml_model *again = finish(b, 0);
        assert_int_equal(hml_model_size(m), hml_model_size(again));
        assert_memory_equal(m, again, hml_model_size(m));
        hml_model_free(m);
        hml_model_free(again);
    }
}

static void test_apart_keeps_fixed_joints_and_warnings(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new(), *apart = NULL;
    add_link(b, "floor", NULL, HML_JOINT_FIXED);
    add_link(b, "arm", "floor", HML_JOINT_REVOLUTE);
    add_link(b, "hand", "arm", HML_JOINT_FIXED);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "bare");
    assert_int_equal(hml_builder_add_body(b, "bare", "hand", &joint, NULL, NULL), HML_OK); /* warns when built */
    assert_int_equal(hml_builder_add_warning(b, "from a file"), HML_OK);
    for (int keep = 0; keep < 2; keep++) {
        hml_model *m = NULL;
        assert_int_equal(hml_builder_build(b, keep ? HML_BUILD_KEEP_FIXED : 0, &m, NULL), HML_OK);
        assert_int_equal(hml_model_nwarnings(m), 2);
        assert_int_equal(hml_model_to_builder(m, &apart), HML_OK);
        hml_model *again = finish(apart, keep ? HML_BUILD_KEEP_FIXED : 0);
        assert_int_equal(hml_model_size(m), hml_model_size(again));
        assert_memory_equal(m, again, hml_model_size(m));
        hml_model_free(m);
        hml_model_free(again);
    }
    hml_builder_free(b);
}

static void test_lock(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 2);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        hml_model *m = robot(seed, ALL - 1, HML_RANDOM_ANY), *locked = NULL;
        double q[MAX], p[MAX], before[13], after[13];
        int32_t joints[MAX], count = 0, freedom = hml_model_nv(m);
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        for (int32_t i = 1; i < hml_model_njoints(m); i++) { /* the base stays free */
            hml_joint_info j = {.struct_size = sizeof j};
            assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
            if (j.leader >= 0 || hml_rng_below(&rng, 2)) continue;
            joints[count++] = i;
            freedom -= j.nv;
        }
        hml_error error = {0};
        assert_int_equal(hml_model_lock(m, joints, count, q, &locked, &error), HML_OK);
        assert_int_equal(hml_model_nv(locked), freedom);
        assert_int_equal(hml_configuration_transfer(m, q, locked, p), HML_OK);
        expect_same_poses(m, q, locked, p, 1e-13); /* a few dozen products of numbers up to 10 */
        total_inertia(m, q, before);
        total_inertia(locked, p, after);
        assert_all_close(after, before, 13, 1e-11);

        /* and where the others move, the locked ones ride along: what is locked in q stays the same in any other */
        double other[MAX], moved[MAX];
        assert_int_equal(hml_configuration_random(locked, &rng, moved), HML_OK);
        memcpy(other, q, sizeof q);
        assert_int_equal(hml_configuration_transfer(locked, moved, m, other), HML_OK);
        expect_same_poses(m, other, locked, moved, 1e-13);
        hml_model_free(locked);
        hml_model_free(m);
    }
}

static void test_lock_refuses(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "a", NULL, HML_JOINT_REVOLUTE);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "second");
    joint.mimic = "j_a";
    add_spec(b, "b", "a", &joint);
    hml_model *m = finish(b, 0), *locked = NULL;
    hml_error error;
    const int32_t first = 0, second = 1, third = 2;
    const double nowhere = NAN;
    assert_int_equal(hml_model_lock(m, &second, 1, NULL, &locked, &error), HML_BAD_MODEL);
    assert_says(error.message, "'second' cannot be locked, it follows joint 'j_a'");
    assert_int_equal(hml_model_lock(m, &third, 1, NULL, &locked, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_lock(m, &first, 1, &nowhere, &locked, &error), HML_NOT_FINITE);
    assert_null(locked);
    assert_int_equal(hml_model_lock(m, &first, 1, NULL, &locked, &error), HML_OK);
    assert_int_equal(hml_model_nv(locked), 0); /* the follower with it */
    hml_model_free(locked);
    hml_model_free(m);
}

static void test_append(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "palm", NULL, HML_JOINT_FIXED); /* its weight must not get lost */
    add_link(b, "finger", "palm", HML_JOINT_PRISMATIC);
    hml_joint_spec joint = some_joint(HML_JOINT_PRISMATIC, "mirror");
    joint.mimic = "j_finger", joint.multiplier = -1;
    add_spec(b, "thumb", "palm", &joint);
    add_tool(b, "grasp", "palm");
    hml_model *hand = finish(b, 0), *arm = robot(5, ALL - 1, HML_RANDOM_CHAIN), *both = NULL;
    hml_error error = {0};
    int32_t frame = hml_model_find_frame(arm, "frame2");
    assert_int_equal(hml_model_append(arm, frame, hand, "left_", &both, &error), HML_OK);
    assert_int_equal(hml_model_nv(both), hml_model_nv(arm) + 1);
    assert_string_equal(hml_model_name(both), hml_model_name(arm));
    assert_int_equal(joint_info(both, "left_mirror").leader, hml_model_find_joint(both, "left_j_finger"));
    assert_int_equal(frame_info(both, "left_palm").body, frame_info(both, "frame2").body);
    assert_close(hml_model_mass(both),
                 hml_model_mass(arm) + some_inertia(4).mass + some_inertia(6).mass + some_inertia(5).mass, 1e-12);

    hml_rng rng;
    hml_rng_seed(&rng, 3);
    double q[MAX], q_arm[MAX], q_hand[1] = {0.2}, A[16], B[16], at[16];
    assert_int_equal(hml_configuration_random(both, &rng, q), HML_OK);
    assert_int_equal(hml_configuration_transfer(both, q, arm, q_arm), HML_OK);
    q[joint_info(both, "left_j_finger").q] = q_hand[0];
    expect_same_poses(arm, q_arm, both, q, 1e-13);
    frame4(both, "frame2", q, at);
    static const char *const names[] = {"palm", "finger", "thumb", "grasp"};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "left_%s", names[i]);
        frame4(hand, names[i], q_hand, A);
        mul4(at, A, A);
        frame4(both, name, q, B);
        assert_all_close(A, B, 16, 1e-13);
    }
    hml_model_free(both);
    both = NULL;
    assert_int_equal(hml_model_append(hand, -1, hand, "", &both, &error), HML_BAD_MODEL);
    assert_says(error.message, "'finger'");
    assert_int_equal(hml_model_append(hand, 99, hand, "", &both, &error), HML_INVALID_ARGUMENT);
    assert_null(both);
    assert_int_equal(hml_model_append(hand, -1, arm, NULL, &both, &error), HML_OK); /* beside it, on the world */
    assert_int_equal(body_info(both, "body0").parent, -1);
    hml_model_free(both);
    hml_model_free(hand);
    hml_model_free(arm);
}

static void test_add_model_to_a_builder(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_model *leg = robot(7, 1 << HML_JOINT_REVOLUTE, HML_RANDOM_CHAIN);
    const double p[3] = {1, 0, 0}, bad[9] = {0};
    hml_error error;
    add_link(b, "trunk", NULL, HML_JOINT_FREE);
    assert_int_equal(hml_builder_add_model(b, leg, "a_", "tronk", p, identity9, &error), HML_NOT_FOUND);
    assert_int_equal(hml_builder_add_model(b, leg, "a_", "trunk", p, bad, &error), HML_NOT_NORMALIZED);
    assert_int_equal(hml_builder_add_model(b, leg, "a_", "trunk", p, identity9, &error), HML_OK);
    assert_int_equal(hml_builder_add_model(b, leg, "b_", "trunk", p, identity9, &error), HML_OK);
    hml_model *m = finish(b, 0);
    assert_int_equal(hml_model_nbodies(m), 2 * hml_model_nbodies(leg) + 1);
    hml_model_free(m);
    hml_model_free(leg);
}

/* ---- another base ---- */

static void test_reroot(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 4);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        hml_model *m = robot(seed, TURNABLE, seed % 2 ? HML_RANDOM_CHAIN : HML_RANDOM_ANY), *turned = NULL;
        hml_error error = {0};
        int32_t body = hml_model_nbodies(m) - 1 - hml_rng_below(&rng, 3);
        hml_body_info info = {.struct_size = sizeof info}, base = {.struct_size = sizeof base};
        assert_int_equal(hml_model_body(m, body, &info), HML_OK);
        assert_int_equal(hml_model_reroot(m, body, HML_JOINT_FREE, NULL, &turned, &error), HML_OK);
        assert_int_equal(hml_model_nv(turned), hml_model_nv(m));
        assert_int_equal(hml_model_body(turned, 0, &base), HML_OK);
        assert_string_equal(base.name, info.name);
        assert_int_equal(hml_model_find_joint(turned, "base"), 0);

        double q[MAX], v[MAX], q_new[MAX], v_new[MAX], before[13], after[13];
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        for (int i = 0; i < hml_model_nv(m); i++) v[i] = hml_rng_uniform(&rng, -1, 1);
        assert_int_equal(hml_model_reroot_state(m, q, v, turned, q_new, v_new), HML_OK);
        expect_same_poses(m, q, turned, q_new, 1e-12); /* up to 25 joints there and back */
        total_inertia(m, q, before);
        total_inertia(turned, q_new, after);
        assert_all_close(after, before, 13, 1e-10);

        /* velocities: carry two neighbours over and look at their difference */
        const double h = 1e-5;
        double step[MAX], up[MAX], down[MAX], up_new[MAX], down_new[MAX], d[MAX];
        for (int i = 0; i < hml_model_nv(m); i++) step[i] = h * v[i];
        assert_int_equal(hml_configuration_integrate(m, q, step, up), HML_OK);
        for (int i = 0; i < hml_model_nv(m); i++) step[i] = -h * v[i];
        assert_int_equal(hml_configuration_integrate(m, q, step, down), HML_OK);
        assert_int_equal(hml_model_reroot_state(m, up, NULL, turned, up_new, NULL), HML_OK);
        assert_int_equal(hml_model_reroot_state(m, down, NULL, turned, down_new, NULL), HML_OK);
        assert_int_equal(hml_configuration_difference(turned, down_new, up_new, d), HML_OK);
        /* h² times third derivatives of a chain of 25, and rounding 1e-14/h */
        for (int i = 0; i < hml_model_nv(m); i++) assert_close(d[i] / (2 * h), v_new[i], 2e-7);

        /* back again: the same robot. Its old base frame had no placement, so even the numbers agree */
        hml_model *back = NULL;
        int32_t old = hml_model_find_body(turned, "body0");
        assert_int_equal(hml_model_reroot(turned, old, HML_JOINT_FREE, NULL, &back, &error), HML_OK);
        double q_back[MAX], v_back[MAX];
        assert_int_equal(hml_model_reroot_state(turned, q_new, v_new, back, q_back, v_back), HML_OK);
        expect_same_poses(m, q, back, q_back, 1e-12);
        hml_model_free(m);
        hml_model_free(turned);
        hml_model_free(back);
    }
}

/* a robot with a keyframe that says something about every joint, and one that says nothing */
static hml_model *with_keyframes(hml_model *m, hml_rng *rng, double *q, double *v)
{
    hml_builder *b = NULL;
    assert_int_equal(hml_configuration_random(m, rng, q), HML_OK);
    for (int i = 0; i < hml_model_nv(m); i++) v[i] = hml_rng_uniform(rng, -1, 1);
    assert_int_equal(hml_model_to_builder(m, &b), HML_OK);
    assert_int_equal(hml_builder_add_keyframe(b, "still", NULL, 0, NULL, 0, NULL, NULL), HML_OK);
    for (int32_t i = 0; i < hml_model_njoints(m); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
        if (j.leader >= 0) continue;
        assert_int_equal(hml_builder_add_keyframe(b, "jump", j.name, j.nq, q + j.q, j.nv, v + j.v, NULL), HML_OK);
    }
    hml_model_free(m);
    return finish(b, 0);
}

static void test_reroot_keeps_keyframes(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 6);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double q[MAX], v[MAX], q_new[MAX], v_new[MAX], q_key[MAX], v_key[MAX];
        hml_model *m = robot(seed, TURNABLE, seed % 2 ? HML_RANDOM_CHAIN : HML_RANDOM_ANY), *turned = NULL;
        m = with_keyframes(m, &rng, q, v);
        int32_t body = hml_model_nbodies(m) - 1 - hml_rng_below(&rng, 3);
        assert_int_equal(hml_model_reroot(m, body, HML_JOINT_FREE, NULL, &turned, NULL), HML_OK);
        assert_int_equal(hml_model_nkeyframes(turned), 2);
        assert_int_equal(hml_model_keyframe(turned, hml_model_find_keyframe(turned, "jump"), q_key, v_key), HML_OK);
        expect_same_poses(m, q, turned, q_key, 1e-12);
        assert_int_equal(hml_model_reroot_state(m, q, v, turned, q_new, v_new), HML_OK);
        assert_all_close(v_key, v_new, hml_model_nv(m), 1e-14);
        assert_int_equal(hml_configuration_neutral(m, q), HML_OK);
        assert_int_equal(hml_model_keyframe(turned, hml_model_find_keyframe(turned, "still"), q_key, v_key), HML_OK);
        expect_same_poses(m, q, turned, q_key, 1e-12);
        for (int i = 0; i < hml_model_nv(m); i++) assert_true(v_key[i] == 0);
        hml_model_free(turned);
        hml_model_free(m);
    }
}

static void test_reroot_fixed(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    hml_model *m = robot(31, TURNABLE, HML_RANDOM_CHAIN), *turned = NULL;
    hml_error error = {0};
    double q[MAX], q_new[MAX];
    assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
    assert_int_equal(hml_model_reroot(m, 10, HML_JOINT_FIXED, q, &turned, &error), HML_OK);
    assert_int_equal(hml_model_nv(turned), hml_model_nv(m) - 6);
    assert_int_equal(hml_model_reroot_state(m, q, NULL, turned, q_new, NULL), HML_OK);
    expect_same_poses(m, q, turned, q_new, 1e-12);

    /* elsewhere, up to the motion of the base */
    double p[MAX], p_new[MAX], base[16], now[16], Z[16], A[16], B[16];
    char name[24];
    assert_int_equal(hml_configuration_random(m, &rng, p), HML_OK);
    assert_int_equal(hml_model_reroot_state(m, p, NULL, turned, p_new, NULL), HML_OK);
    frame4(m, "body10", p, now);
    frame4(turned, "body10", p_new, base);
    inverse4(now, now);
    mul4(base, now, Z);
    for (int i = 0; i < 25; i++) {
        snprintf(name, sizeof name, "body%d", i);
        frame4(m, name, p, A);
        mul4(Z, A, A);
        frame4(turned, name, p_new, B);
        assert_all_close(A, B, 16, 1e-12);
    }
    hml_model_free(m);
    hml_model_free(turned);
}

/* a fixed base, kept as a body, becomes a moving one: the arm swings its foot */
static void test_reroot_kept_fixed_base(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "foot", NULL, HML_JOINT_FIXED);
    add_link(b, "shin", "foot", HML_JOINT_REVOLUTE);
    add_link(b, "plate", "shin", HML_JOINT_FIXED);
    add_link(b, "trunk", "plate", HML_JOINT_HELICAL);
    hml_model *m = finish(b, HML_BUILD_KEEP_FIXED), *turned = NULL;
    hml_error error = {0};
    const double q[2] = {0.4, -0.9};
    double q_new[9];
    assert_int_equal(hml_model_reroot(m, 3, HML_JOINT_FREE, NULL, &turned, &error), HML_OK);
    assert_int_equal(hml_model_nv(turned), 8);
    assert_int_equal(hml_model_reroot_state(m, q, NULL, turned, q_new, NULL), HML_OK);
    expect_same_poses(m, q, turned, q_new, 1e-14);
    hml_model_free(m);
    hml_model_free(turned);
}

static void refused(hml_joint_type type, int passive, const char *part)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(type, "path");
    joint.damping[0] = passive;
    add_link(b, "base", NULL, HML_JOINT_FREE);
    add_spec(b, "middle", "base", &joint);
    add_link(b, "end", "middle", HML_JOINT_REVOLUTE);
    hml_model *m = finish(b, 0), *turned = NULL;
    hml_error error = {0};
    assert_int_equal(hml_model_reroot(m, hml_model_find_body(m, "end"), HML_JOINT_FREE, NULL, &turned, &error),
                     HML_UNSUPPORTED);
    assert_null(turned);
    assert_says(error.message, "'path'");
    assert_says(error.message, part);
    hml_model_free(m);
}

static void test_reroot_refuses(void **state)
{
    (void)state;
    refused(HML_JOINT_PLANAR, 0, "planar");
    refused(HML_JOINT_TRANSLATION2, 0, "translation2");
    refused(HML_JOINT_SCHOENFLIES, 0, "schoenflies");
    refused(HML_JOINT_UNIVERSAL, 0, "universal");
    refused(HML_JOINT_SPHERICAL, 1, "damping");

    hml_builder *b = hml_builder_new();
    add_link(b, "cart", NULL, HML_JOINT_PRISMATIC);
    add_link(b, "pole", "cart", HML_JOINT_UNIVERSAL);
    hml_model *m = finish(b, 0), *turned = NULL;
    hml_error error;
    assert_int_equal(hml_model_reroot(m, 2, HML_JOINT_FREE, NULL, &turned, &error), HML_UNSUPPORTED);
    assert_says(error.message, "prismatic joint 'j_cart' on the world would be lost");
    assert_int_equal(hml_model_reroot(m, 1, HML_JOINT_FREE, NULL, &turned, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_reroot(m, 7, HML_JOINT_FREE, NULL, &turned, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_reroot(m, 0, HML_JOINT_REVOLUTE, NULL, &turned, &error), HML_INVALID_ARGUMENT);
    hml_model_free(m);

    b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_FREE, "water");
    joint.stiffness[2] = 1;
    add_spec(b, "ship", NULL, &joint);
    m = finish(b, 0);
    assert_int_equal(hml_model_reroot(m, 0, HML_JOINT_FIXED, NULL, &turned, &error), HML_UNSUPPORTED);
    assert_says(error.message, "'water'");
    hml_model_free(m);
}

/* ---- scaling and inertias ---- */

static void test_scale(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.nbodies = 25;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = ALL - 1;
    spec.passive = spec.limited = spec.mimic = 0.5;
    spec.nframes = 3;
    hml_model *m = NULL, *big = NULL, *back = NULL;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    assert_int_equal(hml_model_scale(m, 2, 3, &big), HML_OK);
    assert_int_equal(hml_model_scale(big, 0.5, 1.0 / 3, &back), HML_OK);
    expect_equal(m, back, 1e-14);
    assert_close(hml_model_mass(big), 3 * hml_model_mass(m), 1e-12);

    /* the same angles and doubled lengths put every frame twice as far */
    hml_rng rng;
    hml_rng_seed(&rng, 6);
    double q[MAX], p[MAX], A[16], B[16], before[13], after[13];
    assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
    memcpy(p, q, sizeof p);
    for (int32_t i = 0; i < hml_model_njoints(m); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
        static const int lengths[] = {0, 0, 1, 0, 1, 0, 2, 2, 0, 3, 3, 3}; /* by type */
        for (int k = 0; k < lengths[j.type] && j.leader < 0; k++) p[j.q + k] *= 2;
    }
    for (int32_t i = 0; i < hml_model_nframes(m); i++) {
        const char *name = frame_name(m, i);
        if (is_cross(name)) continue;
        frame4(m, name, q, A);
        frame4(big, name, p, B);
        for (int k = 0; k < 3; k++) A[4 * k + 3] *= 2;
        assert_all_close(B, A, 16, 1e-12);
    }
    total_inertia(m, q, before);
    total_inertia(big, p, after);
    for (int k = 4; k < 13; k++) assert_close(after[k], 12 * before[k], 1e-9);

    /* armature is an inertia, an effort a force: 3·2² for angles, 3 and 3·2 for lengths */
    for (int32_t i = 0; i < hml_model_njoints(m); i++) {
        hml_joint_info j = {.struct_size = sizeof j}, k = {.struct_size = sizeof k};
        assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
        assert_int_equal(hml_model_joint(big, i, &k), HML_OK);
        if (j.type == HML_JOINT_REVOLUTE || j.type == HML_JOINT_PRISMATIC) {
            int slides = j.type == HML_JOINT_PRISMATIC;
            assert_close(k.armature[0], (slides ? 3 : 12) * j.armature[0], 1e-14);
            assert_close(k.stiffness[0], (slides ? 3 : 12) * j.stiffness[0], 1e-13);
            assert_close(k.rest[0], (slides ? 2 : 1) * j.rest[0], 1e-15);
            if (isfinite(j.lower[0])) {
                assert_close(k.lower[0], (slides ? 2 : 1) * j.lower[0], 1e-15);
                assert_close(k.effort_limit[0], (slides ? 6 : 12) * j.effort_limit[0], 1e-11);
            }
        }
    }
    hml_model_free(back);
    back = NULL;
    assert_int_equal(hml_model_scale(m, 0, 1, &back), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_scale(m, 1e200, 1, &back), HML_NOT_FINITE);
    assert_null(back);
    hml_model_free(m);
    hml_model_free(big);
}

/* changed in place, the model is the one that would have been built, plan included */
static void test_set_inertias(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j_a");
    hml_inertia_spec I[2] = {some_inertia(1), some_inertia(2)}, odd = some_inertia(1);
    assert_int_equal(hml_builder_add_body(b, "a", NULL, &joint, &I[0], NULL), HML_OK);
    joint.name = "j_b";
    assert_int_equal(hml_builder_add_body(b, "b", "a", &joint, &I[1], NULL), HML_OK);
    hml_model *wanted = finish(b, 0);
    b = hml_builder_new();
    joint.name = "j_a";
    assert_int_equal(hml_builder_add_body(b, "a", NULL, &joint, &I[1], NULL), HML_OK);
    joint.name = "j_b";
    assert_int_equal(hml_builder_add_body(b, "b", "a", &joint, &I[1], NULL), HML_OK);
    hml_model *m = finish(b, 0);
    assert_int_equal(hml_model_set_inertias(m, 0, 2, I), HML_OK);
    assert_memory_equal(m, wanted, hml_model_size(m));
    odd.mass = -1;
    assert_int_equal(hml_model_set_inertias(m, 0, 1, &odd), HML_BAD_MODEL);
    odd.mass = NAN;
    assert_int_equal(hml_model_set_inertias(m, 0, 1, &odd), HML_NOT_FINITE);
    assert_int_equal(hml_model_set_inertias(m, 1, 2, I), HML_INVALID_ARGUMENT);
    assert_memory_equal(m, wanted, hml_model_size(m));
    hml_model_free(m);
    hml_model_free(wanted);
}

static void test_transfer(void **state)
{
    (void)state;
    hml_model *m = robot(40, ALL - 1, HML_RANDOM_ANY), *n = robot(41, ALL - 1, HML_RANDOM_ANY);
    double v[MAX], w[MAX];
    for (int i = 0; i < MAX; i++) v[i] = i, w[i] = -1;
    assert_int_equal(hml_velocity_transfer(m, v, n, w), HML_OK);
    for (int32_t i = 0; i < hml_model_njoints(n); i++) {
        hml_joint_info j = {.struct_size = sizeof j}, same = {.struct_size = sizeof same};
        assert_int_equal(hml_model_joint(n, i, &j), HML_OK);
        int32_t k = hml_model_find_joint(m, j.name);
        assert_int_equal(hml_model_joint(m, k, &same), HML_OK);
        int copied = same.type == j.type && same.leader < 0;
        for (int c = 0; c < j.nv; c++) assert_true(w[j.v + c] == (copied ? v[same.v + c] : -1));
    }
    hml_model_free(m);
    hml_model_free(n);
}

/* ---- round angles ---- */

static void turn_x(double sine, double cosine, double R[9])
{
    const double M[9] = {1, 0, 0, 0, cosine, -sine, 0, sine, cosine};
    memcpy(R, M, sizeof M);
}

/* a chain whose second joint is placed by R and turns about the axis (0, 1e-12, 1) */
static hml_model *placed(const double R[9])
{
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    hml_joint_spec j;
    hml_inertia_spec I = {1, {0.1, 0.2, 0.3}, {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}};
    hml_joint_spec_init(&j, HML_JOINT_FREE);
    j.name = "base";
    assert_int_equal(hml_builder_add_body(b, "trunk", NULL, &j, &I, NULL), HML_OK);
    hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
    j.name = "knee";
    memcpy(j.rotation, R, sizeof j.rotation);
    j.axis[0] = 0, j.axis[1] = 1e-12, j.axis[2] = 1;
    assert_int_equal(hml_builder_add_body(b, "shin", "trunk", &j, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
    hml_builder_free(b);
    return m;
}

static void rotation_of(const hml_model *m, double R[9], double axis[3])
{
    hml_builder *b = NULL;
    assert_int_equal(hml_model_to_builder(m, &b), HML_OK);
    memcpy(R, b->links[1].joint.rotation, 9 * sizeof *R);
    memcpy(axis, b->links[1].joint.axis, 3 * sizeof *axis);
    hml_builder_free(b);
}

static void test_realign(void **state)
{
    (void)state;
    double R[9], right[9], axis[3], angle = -1;
    hml_model *round = NULL;
    /* a quarter turn, written with five digits */
    turn_x(sin(1.5708), cos(1.5708), R);
    hml_model *m = placed(R);
    assert_int_equal(hml_model_realign(m, 1e-5, &round, &angle), HML_OK);
    rotation_of(round, right, axis);
    turn_x(1, 0, R);
    assert_memory_equal(R, right, sizeof R);
    assert_true(axis[0] == 0 && axis[1] == 0 && axis[2] == 1);
    assert_close(angle, 1.5708 - acos(0), 1e-6);
    expect_equal(m, round, 1e-5);
    hml_model_free(round);
    /* too large for this tolerance; but the axis changes */
    assert_int_equal(hml_model_realign(m, 1e-9, &round, &angle), HML_OK);
    rotation_of(m, R, axis);
    rotation_of(round, right, axis);
    assert_memory_equal(R, right, sizeof R);
    assert_close(angle, 1e-12, 1e-3);
    hml_model_free(round), hml_model_free(m);
    /* any angle about x: the other small numbers go, and the turn stays one */
    turn_x(sin(0.7), cos(0.7), R);
    R[1] = 3e-10, R[3] = -3e-10 * cos(0.7), R[6] = -3e-10 * sin(0.7);
    m = placed(R);
    assert_int_equal(hml_model_realign(m, 1e-9, &round, &angle), HML_OK);
    rotation_of(round, right, axis);
    turn_x(sin(0.7), cos(0.7), R);
    for (int i = 0; i < 9; i++) assert_true(fabs(R[i] - right[i]) < (R[i] == 0 ? 1e-300 : 1e-15));
    hml_model_free(round), hml_model_free(m);
}

static void test_realign_leaves_what_is_not_round(void **state)
{
    (void)state;
    /* a rotation about (1, 1, 1) that has no zeros, but one number close to it */
    double right[9], axis[3], angle = -1;
    hml_model *round = NULL;
    const double t = 2 * acos(-1.0) / 3 - 1e-10, c = cos(t), s = sin(t) / sqrt(3.0), d = (1 - c) / 3;
    const double M[9] = {c + d, d - s, d + s, d + s, c + d, d - s, d - s, d + s, c + d};
    hml_model *m = placed(M);
    assert_int_equal(hml_model_realign(m, 1e-9, &round, &angle), HML_OK);
    rotation_of(round, right, axis); /* all diagonals are small: a permutation of the axes */
    const double turn[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    assert_memory_equal(right, turn, sizeof turn);
    hml_model_free(round), hml_model_free(m);
    /* one small number in a rotation about no axis of the frame */
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    for (int k = 0; k < 20; k++) {
        double a = hml_rng_uniform(&rng, 0.3, 1), b = hml_rng_uniform(&rng, 0.3, 1);
        const double N[9] = {cos(a), -sin(a) * cos(b), sin(a) * sin(b), sin(a), cos(a) * cos(b), -cos(a) * sin(b),
                             0,      sin(b),           cos(b)};
        m = placed(N);
        assert_int_equal(hml_model_realign(m, 1e-9, &round, &angle), HML_OK);
        rotation_of(round, right, axis);
        assert_memory_equal(right, N, sizeof N);
        hml_model_free(round), hml_model_free(m);
    }
    /* random robots have no round angles: nothing changes */
    for (uint64_t seed = 1; seed < 6; seed++) {
        m = robot(seed, ALL - 1, HML_RANDOM_ANY);
        assert_int_equal(hml_model_realign(m, 1e-12, &round, &angle), HML_OK);
        expect_equal(m, round, 1e-15);
        hml_model_free(round), hml_model_free(m);
    }
    m = placed(M);
    round = NULL;
    assert_int_equal(hml_model_realign(m, 0, &round, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_realign(m, NAN, &round, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_realign(m, 0.1, &round, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_realign(NULL, 1e-9, &round, NULL), HML_INVALID_ARGUMENT);
    assert_null(round);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart_and_together),
        cmocka_unit_test(test_apart_keeps_fixed_joints_and_warnings),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_lock_refuses),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_add_model_to_a_builder),
        cmocka_unit_test(test_reroot),
        cmocka_unit_test(test_reroot_keeps_keyframes),
        cmocka_unit_test(test_reroot_fixed),
        cmocka_unit_test(test_reroot_kept_fixed_base),
        cmocka_unit_test(test_reroot_refuses),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_set_inertias),
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_realign),
        cmocka_unit_test(test_realign_leaves_what_is_not_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
