/* Building models and asking them: order, numbering, merging, universal joints, mimic. */
#include <math.h>
#include <stdlib.h>

#include "model_fixture.h"

#include "hamel/edit.h"

/*
 *   base ─┬─ hip ─── knee
 *         └─ neck ── head      added out of order: parents later than children, branches interleaved
 */
static hml_builder *interleaved(void)
{
    hml_builder *b = hml_builder_new();
    add_link(b, "knee", "hip", HML_JOINT_HELICAL);
    add_link(b, "base", NULL, HML_JOINT_FREE);
    add_link(b, "hip", "base", HML_JOINT_SPHERICAL);
    add_link(b, "neck", "base", HML_JOINT_REVOLUTE);
    add_link(b, "head", "neck", HML_JOINT_PLANAR);
    return b;
}

static void test_depth_first(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "hip", "knee", "neck", "head"};
    static const int32_t parents[] = {-1, 0, 1, 0, 3}, ends[] = {5, 3, 3, 5, 5}, depths[] = {0, 1, 2, 1, 2};
    static const int32_t qs[] = {0, 7, 11, 12, 13}, vs[] = {0, 6, 9, 10, 11};
    hml_model *m = finish(interleaved(), 0);
    assert_int_equal(hml_model_nbodies(m), 5);
    assert_int_equal(hml_model_njoints(m), 5);
    assert_int_equal(hml_model_nframes(m), 5);
    assert_int_equal(hml_model_nq(m), 16);
    assert_int_equal(hml_model_nv(m), 14);
    for (int32_t i = 0; i < 5; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_joint_info joint = {.struct_size = sizeof joint};
        assert_int_equal(hml_model_body(m, i, &body), HML_OK);
        assert_string_equal(body.name, names[i]);
        assert_int_equal(hml_model_find_body(m, names[i]), i);
        assert_int_equal(hml_model_find_frame(m, names[i]), i);
        assert_int_equal(body.parent, parents[i]);
        assert_int_equal(body.subtree_end, ends[i]);
        assert_int_equal(body.depth, depths[i]);
        assert_int_equal(hml_model_joint(m, body.joint, &joint), HML_OK);
        assert_int_equal(joint.body, i);
        assert_int_equal(joint.q, qs[i]);
        assert_int_equal(joint.v, vs[i]);
        assert_int_equal(joint.leader, -1);
    }
    assert_int_equal(hml_model_find_body(m, "tail"), -1);
    assert_int_equal(hml_model_find_joint(m, "hip"), -1);
    assert_int_equal(hml_model_find_body(m, NULL), -1);
    hml_model_free(m);
}

static void test_numbers_arrive_unchanged(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_HELICAL, "screw");
    const double c = cos(0.3), s = sin(0.3), rotation[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(joint.rotation, rotation, sizeof rotation);
    joint.position[1] = 1.0 / 3;
    joint.axis[0] = 0.6, joint.axis[1] = 0, joint.axis[2] = 0.8;
    joint.point[0] = 0.7;
    joint.pitch = -0.25;
    joint.actuated = 0;
    joint.armature[0] = 0.01, joint.damping[0] = 0.02, joint.stiffness[0] = 3, joint.rest[0] = 0.4;
    joint.lower[0] = -1, joint.upper[0] = 2, joint.velocity_limit[0] = 5, joint.effort_limit[0] = 50;
    hml_inertia_spec I = some_inertia(3);
    const double gravity[3] = {0, 1, 2};
    assert_int_equal(hml_builder_add_body(b, "nut", NULL, &joint, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_set_name(b, "vice"), HML_OK);
    assert_int_equal(hml_builder_set_gravity(b, gravity), HML_OK);
    hml_model *m = finish(b, 0);
    hml_joint_info j = joint_info(m, "screw");
    hml_body_info body = body_info(m, "nut");
    double g[3];
    hml_model_gravity(m, g);
    assert_memory_equal(g, gravity, sizeof g);
    assert_string_equal(hml_model_name(m), "vice");
    assert_int_equal(j.type, HML_JOINT_HELICAL);
    assert_memory_equal(j.rotation, rotation, sizeof rotation);
    assert_memory_equal(j.position, joint.position, sizeof j.position);
    assert_memory_equal(j.axis, joint.axis, sizeof j.axis);
    assert_memory_equal(j.point, joint.point, sizeof j.point);
    assert_true(j.pitch == -0.25 && j.actuated == 0);
    assert_true(j.armature[0] == 0.01 && j.damping[0] == 0.02 && j.stiffness[0] == 3 && j.rest[0] == 0.4);
    assert_true(j.lower[0] == -1 && j.upper[0] == 2 && j.velocity_limit[0] == 5 && j.effort_limit[0] == 50);
    assert_true(body.mass == I.mass);
    assert_memory_equal(body.com, I.com, sizeof I.com);
    assert_memory_equal(body.moment, I.moment, sizeof I.moment);
    assert_true(hml_model_mass(m) == I.mass);
    assert_int_equal(hml_model_nwarnings(m), 0);
    hml_model_free(m);
}

static void test_velocity_names(void **state)
{
    (void)state;
    hml_model *m = finish(interleaved(), 0);
    char name[32];
    assert_int_equal(hml_model_velocity_name(m, 0, name, sizeof name), HML_OK);
    assert_string_equal(name, "j_base.0");
    assert_int_equal(hml_model_velocity_name(m, 5, name, sizeof name), HML_OK);
    assert_string_equal(name, "j_base.5");
    assert_int_equal(hml_model_velocity_name(m, 9, name, sizeof name), HML_OK);
    assert_string_equal(name, "j_knee");
    assert_int_equal(hml_model_velocity_name(m, 13, name, sizeof name), HML_OK);
    assert_string_equal(name, "j_head.2");
    assert_int_equal(hml_model_velocity_name(m, 14, name, sizeof name), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_velocity_name(m, 13, name, strlen("j_head.2")), HML_INVALID_ARGUMENT);
    hml_model_free(m);
}

/* moment of inertia about the frame's origin, by the parallel-axis theorem, in plain arrays */
static void about_origin(double m, const double c[3], const double I[9], const double R[9], const double p[3],
                         double out[9])
{
    double at[3], cc = 0;
    for (int i = 0; i < 3; i++) {
        at[i] = p[i];
        for (int j = 0; j < 3; j++) at[i] += R[3 * i + j] * c[j];
        cc += at[i] * at[i];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = m * ((i == j ? cc : 0) - at[i] * at[j]);
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) sum += R[3 * i + k] * I[3 * k + l] * R[3 * j + l];
            out[3 * i + j] += sum;
        }
    }
}

static void test_fixed_joints_are_merged(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    const double c = cos(0.7), s = sin(0.7);
    const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, zero[3] = {0};
    add_link(b, "arm", NULL, HML_JOINT_REVOLUTE);
    hml_joint_spec weld = some_joint(HML_JOINT_FIXED, "weld"), weightless = some_joint(HML_JOINT_FIXED, "glue");
    memset(weld.axis, 0, sizeof weld.axis); /* a fixed joint may have any axis */
    memcpy(weld.rotation, turn, sizeof turn);
    add_spec(b, "hand", "arm", &weld);
    hml_inertia_spec moment_only = {0, {1, 2, 3}, {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.15}};
    assert_int_equal(hml_builder_add_body(b, "rotor", "hand", &weightless, &moment_only, NULL), HML_OK);
    add_link(b, "finger", "rotor", HML_JOINT_PRISMATIC);
    add_tool(b, "tip", "rotor");
    hml_model *m = finish(b, 0);

    assert_int_equal(hml_model_nbodies(m), 2);
    assert_int_equal(hml_model_njoints(m), 2);
    assert_int_equal(hml_model_nframes(m), 5);
    assert_int_equal(hml_model_find_joint(m, "weld"), -1);
    assert_int_equal(hml_model_find_body(m, "hand"), -1);
    hml_frame_info hand = frame_info(m, "hand"), rotor = frame_info(m, "rotor"), tip = frame_info(m, "tip");
    assert_int_equal(hand.body, 0);
    assert_int_equal(hand.kind, HML_FRAME_LINK);
    assert_int_equal(tip.kind, HML_FRAME_NAMED);
    assert_int_equal(frame_info(m, "arm").kind, HML_FRAME_BODY);
    assert_memory_equal(hand.rotation, turn, sizeof turn);
    const double at_rotor[3] = {0.5 + 0.5 * c, 0.5 * s, 0}, at_tip[3] = {at_rotor[0], at_rotor[1], 0.3};
    assert_all_close(rotor.position, at_rotor, 3, 1e-15);
    assert_all_close(tip.position, at_tip, 3, 1e-15);
    hml_joint_info finger = joint_info(m, "j_finger"); /* half a metre further along the turned x axis */
    const double at_finger[3] = {0.5 + c, s, 0};
    assert_all_close(finger.position, at_finger, 3, 1e-15);
    assert_all_close(finger.rotation, turn, 9, 1e-15);
    assert_int_equal(body_info(m, "finger").parent, 0);

    hml_inertia_spec arm_I = some_inertia(3), hand_I = some_inertia(4);
    double expected[9] = {0}, got[9] = {0};
    about_origin(arm_I.mass, arm_I.com, arm_I.moment, identity9, zero, expected);
    about_origin(hand_I.mass, hand_I.com, hand_I.moment, turn, hand.position, expected);
    about_origin(0, zero, moment_only.moment, turn, zero, expected);
    hml_body_info arm = body_info(m, "arm");
    about_origin(arm.mass, arm.com, arm.moment, identity9, zero, got);
    assert_close(arm.mass, arm_I.mass + hand_I.mass, 1e-15);
    assert_all_close(got, expected, 9, 1e-14); /* entries are about 10 */
    for (int i = 0; i < 3; i++) {
        double com = hand.position[i];
        for (int k = 0; k < 3; k++) com += turn[3 * i + k] * hand_I.com[k];
        assert_close(arm.mass * arm.com[i], arm_I.mass * arm_I.com[i] + hand_I.mass * com, 1e-15);
    }
    hml_model_free(m);
}

static void test_fixed_joints_can_be_kept(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "ground", NULL, HML_JOINT_FIXED);
    add_link(b, "arm", "ground", HML_JOINT_REVOLUTE);
    add_link(b, "hand", "arm", HML_JOINT_FIXED);
    add_link(b, "finger", "hand", HML_JOINT_REVOLUTE);
    hml_model *m = finish(b, HML_BUILD_KEEP_FIXED);
    assert_int_equal(hml_model_nbodies(m), 4);
    assert_int_equal(hml_model_njoints(m), 4);
    assert_int_equal(hml_model_nv(m), 2);
    hml_joint_info hand = joint_info(m, "j_hand");
    assert_int_equal(hand.type, HML_JOINT_FIXED);
    assert_int_equal(hand.nv, 0);
    assert_int_equal(body_info(m, "finger").parent, 2);
    assert_int_equal(joint_info(m, "j_finger").v, 1);
    hml_model_free(m);
}

/* inertia of the world without a body: it adds to that of the bodies, and takes the place of what was set */
static void check_set_world(const hml_model *m, hml_inertia_spec still)
{
    hml_builder *b = NULL;
    hml_inertia_spec sum, more = some_inertia(2), bad = more;
    assert_int_equal(hml_model_to_builder(m, &b), HML_OK);
    assert_int_equal(hml_builder_set_world_inertia(b, &still), HML_OK);
    assert_int_equal(hml_builder_set_world_inertia(b, &more), HML_OK);
    bad.moment[4] = NAN;
    assert_int_equal(hml_builder_set_world_inertia(b, &bad), HML_NOT_FINITE);
    bad = more, bad.mass = -1;
    assert_int_equal(hml_builder_set_world_inertia(b, &bad), HML_BAD_MODEL);
    assert_int_equal(hml_builder_set_world_inertia(b, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_builder_set_world_inertia(NULL, &more), HML_INVALID_ARGUMENT);
    hml_joint_spec fixed = some_joint(HML_JOINT_FIXED, "glue");
    fixed.position[0] = 0;
    assert_int_equal(hml_builder_add_body(b, "pad", NULL, &fixed, &still, NULL), HML_OK);
    hml_model *with = finish(b, 0);
    hml_model_world_inertia(with, &sum);
    assert_true(sum.mass == more.mass + still.mass);
    for (int k = 0; k < 3; k++)
        assert_close(sum.com[k], (more.mass * more.com[k] + still.mass * still.com[k]) / sum.mass, 1e-15);
    hml_model_free(with);
}

static void test_fixed_to_the_world(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "floor", NULL, HML_JOINT_FIXED);
    add_link(b, "table", "floor", HML_JOINT_FIXED);
    add_link(b, "arm", "table", HML_JOINT_REVOLUTE);
    add_tool(b, "corner", "table");
    add_tool(b, "origin", NULL);
    hml_model *m = finish(b, 0);
    assert_int_equal(hml_model_nbodies(m), 1);
    assert_true(hml_model_mass(m) == some_inertia(3).mass);
    assert_int_equal(body_info(m, "arm").parent, -1);
    hml_inertia_spec still, floor = some_inertia(5), table = some_inertia(5);
    hml_model_world_inertia(m, &still); /* both have the same weight: their common centre is half way */
    assert_true(still.mass == floor.mass + table.mass);
    assert_close(still.com[0], 0.75 + floor.com[0], 1e-15);
    check_set_world(m, still);
    assert_true(joint_info(m, "j_arm").position[0] == 1.5);
    assert_int_equal(frame_info(m, "table").body, -1);
    assert_true(frame_info(m, "corner").position[0] == 1 && frame_info(m, "corner").position[2] == 0.3);
    assert_int_equal(frame_info(m, "origin").body, -1);
    hml_model_free(m);

    b = hml_builder_new();
    add_link(b, "rock", NULL, HML_JOINT_FIXED);
    m = finish(b, 0);
    assert_int_equal(hml_model_nbodies(m), 0);
    assert_int_equal(hml_model_nv(m), 0);
    assert_int_equal(hml_model_nwarnings(m), 1);
    assert_int_equal(hml_model_find_body(m, "rock"), -1);
    assert_int_equal(hml_model_find_frame(m, "rock"), 0);
    hml_model_free(m);
}

static void test_universal_is_two_revolutes(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_UNIVERSAL, "cardan");
    joint.armature[1] = 0.3;
    joint.point[1] = 0.2;
    add_spec(b, "shaft", NULL, &joint);
    add_link(b, "bit", "shaft", HML_JOINT_REVOLUTE);
    hml_model *m = finish(b, 0);
    assert_int_equal(hml_model_nbodies(m), 3);
    assert_int_equal(hml_model_njoints(m), 2);
    assert_int_equal(hml_model_nv(m), 3);
    hml_joint_info j = joint_info(m, "cardan");
    assert_int_equal(j.type, HML_JOINT_UNIVERSAL);
    assert_int_equal(j.nv, 2);
    assert_int_equal(j.body, 1);
    assert_true(j.axis[2] == 1 && j.axis2[0] == 1 && j.armature[1] == 0.3 && j.point[1] == 0.2);
    hml_body_info cross = body_info(m, "shaft.cross");
    assert_true(cross.mass == 0);
    assert_int_equal(cross.parent, -1);
    assert_int_equal(body_info(m, "shaft").parent, 0);
    assert_int_equal(body_info(m, "bit").parent, 1);
    char name[32];
    assert_int_equal(hml_model_velocity_name(m, 1, name, sizeof name), HML_OK);
    assert_string_equal(name, "cardan.1");
    hml_model_free(m);
}

static void test_mimic_chain(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec tip = some_joint(HML_JOINT_PRISMATIC, "tip"), middle = some_joint(HML_JOINT_REVOLUTE, "middle");
    tip.mimic = "middle", tip.multiplier = 3, tip.offset = 0.5;
    middle.mimic = "j_knuckle", middle.multiplier = -2, middle.offset = 0.25;
    tip.damping[0] = 7;
    add_spec(b, "tip", "middle", &tip); /* followers before leaders */
    add_spec(b, "middle", "knuckle", &middle);
    add_link(b, "knuckle", NULL, HML_JOINT_REVOLUTE);
    add_link(b, "thumb", NULL, HML_JOINT_REVOLUTE);
    hml_error error;
    hml_model *m, *free_model;
    assert_int_equal(hml_builder_build(b, 0, &m, &error), HML_OK);
    assert_int_equal(hml_builder_build(b, HML_BUILD_MIMIC_INDEPENDENT | HML_BUILD_NO_PASSIVE, &free_model, &error),
                     HML_OK);
    hml_builder_free(b);

    assert_int_equal(hml_model_nv(m), 2);
    assert_int_equal(hml_model_nq(m), 2);
    hml_joint_info j = joint_info(m, "tip");
    assert_int_equal(j.leader, hml_model_find_joint(m, "j_knuckle"));
    assert_int_equal(j.q, -1);
    assert_int_equal(j.v, -1);
    assert_int_equal(j.nv, 0);
    assert_true(j.multiplier == -6 && j.offset == 1.25 && j.damping[0] == 7);
    assert_int_equal(joint_info(m, "j_thumb").v, 1);
    char name[16];
    assert_int_equal(hml_model_velocity_name(m, 1, name, sizeof name), HML_OK);
    assert_string_equal(name, "j_thumb");

    assert_int_equal(hml_model_nv(free_model), 4);
    j = joint_info(free_model, "tip");
    assert_int_equal(j.leader, -1);
    assert_true(j.damping[0] == 0);
    hml_model_free(m);
    hml_model_free(free_model);
}

/* a body screw and the same screw seen from the parent describe the same joint */
static void test_screws(void **state)
{
    (void)state;
    const double c = cos(0.4), s = sin(0.4);
    const double p[3] = {0.1, 0.2, 0.3}, R[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    hml_joint_spec joint;
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    /* about z through (1, 0, 0): point × axis = (0, −1, 0); the screw may have any length, and the axis has it too */
    const double body[6] = {0, -2, 0, 0, 0, 2};
    assert_int_equal(hml_joint_spec_set_screw(&joint, p, R, body, 0), HML_OK);
    assert_int_equal(joint.type, HML_JOINT_REVOLUTE);
    const double axis[3] = {0, 0, 1}, point[3] = {1, 0, 0}, twice[3] = {0, 0, 2};
    assert_all_close(joint.axis, twice, 3, 0);
    assert_all_close(joint.point, point, 3, 0);
    /* the same line in the parent: z through p + R (1, 0, 0), with a pitch of 0.3 this time */
    const double x = 0.1 + c, y = 0.2 + s, spatial[6] = {y, -x, 0.3, 0, 0, 1};
    assert_int_equal(hml_joint_spec_set_screw(&joint, p, R, spatial, 1), HML_OK);
    assert_int_equal(joint.type, HML_JOINT_HELICAL);
    assert_close(joint.pitch, 0.3, 1e-15);
    assert_all_close(joint.axis, axis, 3, 1e-15);
    assert_all_close(joint.point, point, 3, 1e-15);
    const double slide[6] = {0, 3, 4, 0, 0, 0}, nothing[6] = {0};
    assert_int_equal(hml_joint_spec_set_screw(&joint, p, R, slide, 0), HML_OK);
    assert_int_equal(joint.type, HML_JOINT_PRISMATIC);
    assert_true(joint.axis[1] == 3 && joint.axis[2] == 4);
    assert_int_equal(hml_joint_spec_set_screw(&joint, p, R, nothing, 0), HML_INVALID_ARGUMENT);
}

static void test_joint_types(void **state)
{
    (void)state;
    for (int i = HML_JOINT_FIXED; i <= HML_JOINT_FREE; i++) {
        hml_joint_type type = HML_JOINT_FREE;
        assert_int_equal(hml_joint_type_from_name(hml_joint_type_name((hml_joint_type)i), &type), HML_OK);
        assert_int_equal((int)type, i);
        assert_true(hml_joint_type_nq(type) <= HML_JOINT_MAX_NQ && hml_joint_type_nv(type) <= HML_JOINT_MAX_NV);
    }
    hml_joint_type type;
    assert_int_equal(hml_joint_type_from_name("continuous", &type), HML_NOT_FOUND);
    assert_null(hml_joint_type_name((hml_joint_type)12));
    assert_null(hml_joint_type_name((hml_joint_type)-1));
}

/* depth without recursion, size without squares: the time is not asserted, the stack and the patience are */
static void test_long_chain(void **state)
{
    (void)state;
    enum { N = 100000 };
    char name[32], parent[32];
    hml_builder *b = hml_builder_new();
    for (int i = N - 1; i >= 0; i--) { /* the worst order: every parent after its child */
        snprintf(name, sizeof name, "l%d", i);
        snprintf(parent, sizeof parent, "l%d", i - 1);
        add_link(b, name, i ? parent : NULL, i % 3 ? HML_JOINT_REVOLUTE : HML_JOINT_FIXED);
    }
    hml_model *m = finish(b, HML_BUILD_KEEP_FIXED);
    assert_int_equal(hml_model_nbodies(m), N);
    assert_int_equal(body_info(m, "l99999").depth, N - 1);
    assert_int_equal(hml_model_find_body(m, "l777"), 777);
    hml_model_free(m);
}

/* callers compiled against a smaller struct get what they know and nothing beyond it */
static void test_struct_size(void **state)
{
    (void)state;
    hml_model *m = finish(interleaved(), 0);
    hml_body_info info;
    memset(&info, 0x55, sizeof info);
    info.struct_size = offsetof(hml_body_info, mass);
    double before = info.mass;
    assert_int_equal(hml_model_body(m, 1, &info), HML_OK);
    assert_string_equal(info.name, "hip");
    assert_int_equal(info.depth, 1);
    assert_memory_equal(&info.mass, &before, sizeof before);
    info.struct_size = 0;
    assert_int_equal(hml_model_body(m, 1, &info), HML_INVALID_ARGUMENT);
    info.struct_size = sizeof info;
    assert_int_equal(hml_model_body(m, 5, &info), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_body(m, -1, &info), HML_INVALID_ARGUMENT);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth_first),
        cmocka_unit_test(test_numbers_arrive_unchanged),
        cmocka_unit_test(test_velocity_names),
        cmocka_unit_test(test_fixed_joints_are_merged),
        cmocka_unit_test(test_fixed_joints_can_be_kept),
        cmocka_unit_test(test_fixed_to_the_world),
        cmocka_unit_test(test_universal_is_two_revolutes),
        cmocka_unit_test(test_mimic_chain),
        cmocka_unit_test(test_screws),
        cmocka_unit_test(test_joint_types),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_struct_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
