/* A and B predict integrated flows: random trees with every type of joint, in every representation. */
#include "flow.h"

static hml_representation representation;

static void linear(robot *r, const double *q, const double *v, double *A, double *B)
{
    double a[NV];
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = q, x.v.data = v, x.tau.data = r->tau;
    x.A.data = A, x.B.data = B, x.acceleration.data = a;
    assert_int_equal(hml_linearize(r->model, r->work, &x), HML_OK);
    assert_int_equal(hml_linearization_to_representation(r->model, representation, q, v, a, (int32_t)r->nv, A, B),
                     HML_OK);
}

static const hml_representation all[] = {HML_LEFT, HML_RIGHT, HML_MIXED, HML_SPLIT};

static void test_flows_of_random_trees(void **state)
{
    (void)state;
    uint64_t seed = 71;
    double worst[4] = {0};
    unsigned seen = 0;
    for (int i = 0; i < 4 * ROBOT_SPECS; i++) {
        robot r;
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        if (spec.nbodies > 6) spec.nbodies = 6;
        robot_open(&r, &seed, &spec);
        for (int32_t b = 0; b < r.model->nbodies; b++) seen |= 1u << model_bodies(r.model)[b].type;
        for (int k = 0; k < 4; k++) {
            if (k && spec.root != HML_JOINT_FREE) continue; /* the others are the left one there */
            representation = all[k];
            worst[k] = fmax(worst[k], flow_error(&r, all[k], 5e-3, 10, linear, &seed));
        }
        robot_close(&r);
    }
    for (int k = 0; k < 4; k++)
        printf("%-5s flow over 5 ms against A, B: %.1e\n", hml_representation_name(all[k]), worst[k]);
    for (int k = 0; k < 4; k++) assert_true(worst[k] < 1e-8);
    /* every elementary type: all but fixed and universal */
    const unsigned types = (1u << (HML_JOINT_FREE + 1)) - 1 - (1u << HML_JOINT_FIXED) - (1u << HML_JOINT_UNIVERSAL);
    assert_int_equal(seen & types, types);
}

/* the test can fail: A of one representation does not predict another */
static void test_the_wrong_representation_is_noticed(void **state)
{
    (void)state;
    uint64_t seed = 72;
    robot r;
    robot_open(&r, &seed, &(draw_tree_spec){.nbodies = 4, .root = HML_JOINT_FREE});
    for (int k = 0; k < 4; k++) {
        representation = all[k];
        assert_true(flow_error(&r, all[(k + 1) % 4], 5e-3, 10, linear, &seed) > 1e-4);
    }
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows_of_random_trees),
        cmocka_unit_test(test_the_wrong_representation_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
