/*
 * What joints carry: every body cut out and balanced with the rate of its own momentum, by differences along a motion;
 * reactions that do no work; a pendulum by hand; what the ground carries.
 */
#include "group/motion.h"
#include "hamel/reference/textbook.h"
#include "hamel/se3.h"
#include "motion_of_state.h"

enum { NB6 = 6 * ORACLE_BODIES };

typedef struct loads {
    double wrenches[NB6], reactions[NB6], forces[NV], components[NB6], frames[16 * ORACLE_BODIES], ground[6];
} loads;

static void loads_of(const robot *r, void *scratch, hml_representation rep, const double *a, const double *wrenches,
                     loads *x)
{
    hml_joint_loads out = {sizeof out, x->wrenches, x->reactions, x->forces, x->components, x->frames, x->ground};
    assert_int_equal(hml_joint_wrenches(r->model, scratch, rep, r->q, r->v, a, wrenches, &out), HML_OK);
}

static wrench body_wrench(const double *x, int i) { return wrench_of(vec3_at(x + 6 * i), vec3_at(x + 6 * i + 3)); }

static void put_wrench(wrench f, double *x)
{
    const double numbers[6] = {f.f.x, f.f.y, f.f.z, f.t.x, f.t.y, f.t.z};
    memcpy(x, numbers, sizeof numbers);
}

/* momenta of all bodies in the world, by brute force: the oracle shares the joints' poses and nothing else */
static void momenta_at(const robot *r, double rates[4][NV], double t, double *momenta)
{
    static oracle o;
    double q[NQ], v[NV], a[NV];
    configuration_at(r, rates, t, q);
    velocity_at(r, rates, t, v, a);
    oracle_run(r->model, q, v, NULL, &o);
    for (int i = 0; i < r->model->nbodies; i++) {
        inertia I = oracle_inertia(&model_bodies(r->model)[i]);
        put_wrench(pose_ad_dual(o.H[i], inertia_mul(I, o.v[i])), momenta + 6 * i);
    }
}

/*
 * Newton and Euler for body i, cut out, in the world: Π̇_i = W_i − Σ W_children + weight + external wrench. Π̇ comes from
 * differences of momenta; W from each of the four recursions.
 */
static void test_balance_of_every_body(void **state)
{
    (void)state;
    static loads x;
    static oracle o;
    const double step = 1e-3;
    uint64_t seed = 201;
    double worst[4] = {0};
    for (int i = 0; i < 5 * ROBOT_SPECS; i++) {
        robot r;
        double rates[4][NV], slope[NB6] = {0}, momenta[NB6];
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        int n = r.model->nbodies;
        for (size_t k = 0; k < 4 * NV; k++) rates[k / NV][k % NV] = draw(&seed);
        memcpy(r.v, rates[0], sizeof r.v);
        for (int k = 0; k < 4; k++) {
            momenta_at(&r, rates, difference_at[k] * step, momenta);
            for (int e = 0; e < 6 * n; e++) slope[e] += difference_first[k] * momenta[e] / (12 * step);
        }
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int k = HML_LEFT; k <= HML_SPLIT; k++) {
            double left_over[NB6] = {0}, size = 0;
            loads_of(&r, scratch, (hml_representation)k, rates[1], r.wrenches, &x);
            for (int b = 0; b < n; b++) {
                const model_body *m = &model_bodies(r.model)[b];
                double H[16], W[6];
                vec3 g = oracle_vec3(r.model->gravity), c = pose_act(o.H[b], oracle_vec3(m->com));
                pose_matrix(o.H[b], H);
                hml_wrench_convert(H, (hml_representation)k, x.wrenches + 6 * b, HML_RIGHT, W);
                wrench weight = wrench_of(vec3_scale(m->mass, g), vec3_cross(c, vec3_scale(m->mass, g)));
                wrench outer = pose_ad_dual(o.H[b], body_wrench(r.wrenches, b));
                double others[6];
                put_wrench(wrench_add(weight, outer), others);
                for (int e = 0; e < 6; e++) {
                    left_over[6 * b + e] += slope[6 * b + e] - W[e] - others[e];
                    if (m->parent >= 0) left_over[6 * m->parent + e] += W[e];
                    size = fmax(size, fabs(W[e]));
                }
            }
            for (int e = 0; e < 6 * n; e++) worst[k] = fmax(worst[k], fabs(left_over[e]) / size);
        }
        free(scratch);
        robot_close(&r);
    }
    printf("balance of cut-out bodies: off by %.1e %.1e %.1e %.1e\n", worst[0], worst[1], worst[2], worst[3]);
    for (int k = 0; k < 4; k++) assert_true(worst[k] < 1e-9); /* step⁴, and round-off over the step */
}

/* reactions do no work on their joint; the rest of W is what the drives give, and τ follows from it */
static void test_reactions_do_no_work(void **state)
{
    (void)state;
    static loads x, left;
    static oracle o;
    uint64_t seed = 202;
    for (int i = 0; i < 4 * ROBOT_SPECS; i++) {
        robot r;
        double tau[NV], expected[NV], size = 0;
        hml_representation rep = (hml_representation)(i % 4);
        robot_open(&r, &seed, &robot_specs[i / 4]);
        const double *a = r.tau;
        void *scratch = malloc(hml_recursive_size(r.model));
        loads_of(&r, scratch, rep, a, r.wrenches, &x);
        loads_of(&r, scratch, HML_LEFT, a, r.wrenches, &left);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int e = 0; e < 6 * r.model->nbodies; e++) size = fmax(size, fabs(left.wrenches[e]));
        for (int b = 0; b < r.model->nbodies; b++) {
            const model_body *m = &model_bodies(r.model)[b];
            twist S[HML_JOINT_MAX_NV];
            vec3 point = oracle_vec3(m->point);
            double log[HML_JOINT_MAX_NV] = {0}, H[16], again[6];
            joint_columns(m->type, oracle_vec3(m->axis), point, m->pitch, S);
            joint_difference(m->type, &model_rest(r.model)[m->q], &r.q[m->q], log);
            wrench W = body_wrench(left.wrenches, b), reaction = body_wrench(left.reactions, b);
            wrench rest = wrench_sub(W, reaction);
            /* about the joint's point: forces along sliding axes and torques about turning ones, nothing else */
            rest.t = vec3_sub(rest.t, vec3_cross(point, rest.f));
            for (int k = 0; k < m->nv; k++) {
                const model_coordinate *c = &model_coordinates(r.model)[m->v + k];
                double f = left.forces[m->v + k];
                assert_true(fabs(wrench_dot(reaction, S[k])) <= 1e-13 * size);
                assert_true(fabs(wrench_dot(W, S[k]) - f) <= 1e-13 * size);
                assert_true(fabs(x.forces[m->v + k] - f) <= 1e-12 * size);
                tau[m->v + k] = f + c->armature * a[m->v + k] + c->damping * r.v[m->v + k] + c->stiffness * log[k];
                int turns = vec3_dot(S[k].w, S[k].w) > 0;
                if (turns) rest.t = vec3_axpy(-f, S[k].w, rest.t);
                if (!turns) rest.f = vec3_axpy(-f, S[k].v, rest.f);
            }
            assert_true(vec3_norm(rest.f) <= 1e-12 * size && vec3_norm(rest.t) <= 1e-12 * size);
            pose_matrix(o.H[b], H); /* the other representation has the same reaction */
            hml_wrench_convert(H, rep, x.reactions + 6 * b, HML_LEFT, again);
            for (int e = 0; e < 6; e++) assert_true(fabs(again[e] - left.reactions[6 * b + e]) <= 1e-12 * size);
        }
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, a, r.wrenches, expected), HML_OK);
        assert_near("forces with what is passive", tau, expected, r.nv, 1e-12);
        free(scratch);
        robot_close(&r);
    }
}

/* components belong to the joint's frame: turned back by the frame's pose they are W; z is the axis, x y z orthonormal
 */
static void test_components_are_in_the_joint_frame(void **state)
{
    (void)state;
    static loads x, y;
    static oracle o;
    uint64_t seed = 203;
    for (int i = 0; i < 2 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        loads_of(&r, scratch, HML_MIXED, r.tau, NULL, &x);
        loads_of(&r, scratch, HML_RIGHT, r.tau, NULL, &y);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int b = 0; b < r.model->nbodies; b++) {
            const model_body *m = &model_bodies(r.model)[b];
            const double *F = x.frames + 16 * b;
            pose frame =
                pose_of(mat3_of(vec3_of(F[0], F[4], F[8]), vec3_of(F[1], F[5], F[9]), vec3_of(F[2], F[6], F[10])),
                        vec3_of(F[3], F[7], F[11]));
            mat3 unit = mat3_tmul(frame.R, frame.R);
            double W[6], size = 0;
            put_wrench(pose_ad_dual(frame, body_wrench(x.components, b)), W);
            for (int e = 0; e < 6; e++) size = fmax(size, fabs(y.wrenches[6 * b + e]));
            for (int e = 0; e < 6; e++) assert_true(fabs(W[e] - y.wrenches[6 * b + e]) <= 1e-12 * size);
            assert_true(fabs(unit.x.x - 1) + fabs(unit.x.y) + fabs(unit.x.z) + fabs(unit.y.z) < 1e-14);
            assert_true(fabs(vec3_dot(frame.R.z, vec3_cross(frame.R.x, frame.R.y)) - 1) < 1e-14);
            assert_true(vec3_norm(vec3_sub(frame.p, pose_act(o.H[b], oracle_vec3(m->point)))) < 1e-13);
            double *c = x.components + 6 * b, force = m->nv ? x.forces[m->v] : 0;
            if (m->type == HML_JOINT_REVOLUTE) assert_true(fabs(c[5] - force) <= 1e-12 * size);
            if (m->type == HML_JOINT_PRISMATIC) assert_true(fabs(c[2] - force) <= 1e-12 * size);
            if (m->type == HML_JOINT_HELICAL) assert_true(fabs(c[5] + m->pitch * c[2] - force) <= 1e-12 * size);
        }
        free(scratch);
        robot_close(&r);
    }
}

/* the ground carries the weight of a robot at rest, and of a moving one the rate of its momentum besides */
static void test_ground(void **state)
{
    (void)state;
    static loads x;
    static oracle o;
    const double step = 1e-3;
    uint64_t seed = 204;
    for (int i = 0; i < 3 * ROBOT_SPECS; i++) {
        robot r;
        double rates[4][NV], slope[6] = {0}, momenta[NB6], expected[6], size = 0;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        void *scratch = malloc(hml_recursive_size(r.model));
        int n = r.model->nbodies, moves = i >= ROBOT_SPECS;
        for (size_t k = 0; k < 4 * NV; k++) rates[k / NV][k % NV] = moves ? draw(&seed) : 0;
        memcpy(r.v, rates[0], sizeof r.v);
        for (int k = 0; k < 4; k++) {
            momenta_at(&r, rates, difference_at[k] * step, momenta);
            for (int e = 0; e < 6 * n; e++) slope[e % 6] += difference_first[k] * momenta[e] / (12 * step);
        }
        vec3 mc = vec3_zero(), g = oracle_vec3(r.model->gravity);
        double mass = 0;
        oracle_run(r.model, r.q, r.v, NULL, &o);
        for (int b = 0; b < n; b++) {
            const model_body *m = &model_bodies(r.model)[b];
            mc = vec3_axpy(m->mass, pose_act(o.H[b], oracle_vec3(m->com)), mc);
            mass += m->mass;
        }
        put_wrench(wrench_of(vec3_scale(-mass, g), vec3_neg(vec3_cross(mc, g))), expected);
        loads_of(&r, scratch, (hml_representation)(i % 4), rates[1], NULL, &x);
        for (int e = 0; e < 6; e++) size = fmax(size, fabs(expected[e]));
        for (int e = 0; e < 6; e++)
            assert_true(fabs(x.ground[e] - expected[e] - slope[e]) <= (moves ? 1e-9 : 1e-13) * (size + 10));
        free(scratch);
        robot_close(&r);
    }
}

/*
 * By hand: a rod of mass 2 with its centre 0.5 below a bearing along y, turning at 3 rad/s through the lowest point,
 * no drive: the bearing pulls up with m g + m c ω² and nothing else. Accelerated with 4 rad/s² it also pushes along x
 * with m c α, where ω = y and the centre is at −z: a = α × r = −α c x.
 */
static void test_a_pendulum_by_hand(void **state)
{
    (void)state;
    const double g = 9.81, m = 2, c = 0.5, w = 3, alpha = 4, J = 0.3;
    const hml_inertia_spec I = {2, {0, 0, -0.5}, {0.1, 0, 0, 0, 0.3, 0, 0, 0, 0.2}};
    const double q[1] = {0}, v[1] = {3}, a[1] = {4};
    hml_builder *b = hml_builder_new();
    hml_model *model = NULL;
    hml_joint_spec j;
    double W[6], C[6], reaction[6], force, frame[16], ground[6];
    hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
    j.name = "bearing", j.axis[1] = 1;
    assert_int_equal(hml_builder_add_body(b, "rod", NULL, &j, &I, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    void *scratch = malloc(hml_recursive_size(model));
    hml_joint_loads x = {sizeof x, W, reaction, &force, C, frame, ground};
    assert_int_equal(hml_joint_wrenches(model, scratch, HML_LEFT, q, v, a, NULL, &x), HML_OK);
    const double expected[6] = {-m * c * alpha, 0, m * g + m * c * w * w, 0, (J + m * c * c) * alpha, 0};
    for (int e = 0; e < 6; e++) {
        assert_true(fabs(W[e] - expected[e]) < 1e-13);
        assert_true(fabs(ground[e] - expected[e]) < 1e-13);
        assert_true(fabs(reaction[e] - (e == 4 ? 0 : expected[e])) < 1e-13);
    }
    assert_true(fabs(force - expected[4]) < 1e-13 && fabs(C[5] - expected[4]) < 1e-13);
    assert_true(fabs(C[2]) < 1e-13); /* along the axis; the rest is radial */
    assert_true(fabs(hypot(C[0], C[1]) - hypot(expected[0], expected[2])) < 1e-13);
    x.struct_size = 0;
    assert_int_equal(hml_joint_wrenches(model, scratch, HML_LEFT, q, v, a, NULL, &x), HML_INVALID_ARGUMENT);
    x = (hml_joint_loads){.struct_size = sizeof x};
    assert_int_equal(hml_joint_wrenches(model, scratch, HML_LEFT, q, v, a, NULL, &x), HML_OK);
    assert_int_equal(hml_joint_wrenches(model, scratch, (hml_representation)4, q, v, a, NULL, &x),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_joint_wrenches(model, scratch, HML_LEFT, q, NULL, a, NULL, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_joint_wrenches(model, scratch, HML_LEFT, q, v, (double[]){NAN}, NULL, &x), HML_NOT_FINITE);
    free(scratch);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance_of_every_body),
        cmocka_unit_test(test_reactions_do_no_work),
        cmocka_unit_test(test_components_are_in_the_joint_frame),
        cmocka_unit_test(test_ground),
        cmocka_unit_test(test_a_pendulum_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
