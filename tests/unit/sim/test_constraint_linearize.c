/* The derivatives of held robots against differences: see constraint_differences.h. */
#include "constraint_differences.h"

/* everything gentle enough for the differences: a foot near its goal, slow */
static void calm(stage *s)
{
    for (int i = 0; i < s->nv; i++) s->v[i] *= 0.3;
    for (int i = 0; i < s->set.count; i++) {
        hml_constraint *c = &s->items[i];
        double pose[16];
        hml_frame_motion x = {.struct_size = sizeof x, .pose = pose};
        ASSERT_OK(hml_frame(s->model, s->work, c->frame, HML_LEFT, s->q, NULL, NULL, &x));
        memcpy(c->pose, pose, sizeof pose);
        c->pose[3] += 0.1;
        c->pose[11] -= 0.2;
    }
}

static void test_frame(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[0].damping = 4;
    s.items[0].stiffness = 9;
    open_stage(&s, 1);
    calm(&s);
    check_all(&s);
    close_stage(&s);
}

static void test_point_and_plane(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double wrenches[6 * MOST];
    draw_array(wrenches, 6 * MOST, 2);
    s.wrenches = wrenches;
    s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
    s.items[1] = hold(s.model, HML_HOLD_PLANE, "left_foot");
    s.items[1].damping = 2;
    s.items[1].stiffness = 5;
    open_stage(&s, 2);
    calm(&s);
    check_all(&s);
    close_stage(&s);
}

/* one hip follows the other's lead: M is dense, columns are shared */
static void test_mimic(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "trunk", NULL, HML_JOINT_FREE);
    add_link(b, "leg", "trunk", HML_JOINT_REVOLUTE);
    add_link(b, "shin", "leg", HML_JOINT_PRISMATIC);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j_other");
    joint.mimic = "j_leg";
    joint.multiplier = -0.7;
    add_spec(b, "other", "shin", &joint);
    add_tool(b, "foot", "other");
    stage s = {.model = finish(b, 0)};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    open_stage(&s, 1);
    calm(&s);
    check_all(&s);
    close_stage(&s);
}

/* the same frame twice: the motion's derivatives are those of one */
static void test_redundant(void **state)
{
    (void)state;
    static results one, two;
    stage a = {.model = biped()}, b = {.model = biped()};
    a.items[0] = b.items[0] = b.items[1] = hold(a.model, HML_HOLD_FRAME, "foot");
    open_stage(&a, 1);
    open_stage(&b, 2);
    memcpy(b.v, a.v, sizeof a.v);
    memcpy(b.tau, a.tau, sizeof a.tau);
    linearize(&a, &one);
    linearize(&b, &two);
    const double scale = largest(one.Dq, a.nv * a.nv);
    for (int i = 0; i < a.nv * a.nv; i++) {
        assert_close(two.Dq[i] / scale, one.Dq[i] / scale, 1e-11);
        assert_close(two.Dv[i] / scale, one.Dv[i] / scale, 1e-11);
        assert_close(two.Dtau[i], one.Dtau[i], 1e-11);
    }
    close_stage(&a);
    close_stage(&b);
}

static void test_impulse(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[1] = hold(s.model, HML_HOLD_POINT, "left_foot");
    s.items[2] = hold(s.model, HML_HOLD_PLANE, "trunk");
    open_stage(&s, 3);
    calm(&s);
    check_impulse(&s, 0.4);
    close_stage(&s);
}

int main(void)
{
    int failed = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),     cmocka_unit_test(test_point_and_plane), cmocka_unit_test(test_mimic),
        cmocka_unit_test(test_redundant), cmocka_unit_test(test_impulse),
    };
    /* the kernels for held robots, and the plain steps: a scalar workspace has no such kernels */
    static const hml_isa sets[] = {HML_ISA_BEST, HML_ISA_128, HML_ISA_SCALAR};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        stage_isa = hml_isa_available(sets[i]) ? sets[i] : HML_ISA_BEST;
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
