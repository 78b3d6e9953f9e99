/* Trim: robots at rest and in steady motion, to round-off. */
#include "trim_check.h"

/* the base's six coordinates are inputs: the arm stays where it is, and the base carries everything */
static void test_drone_base_wrench(void **state)
{
    (void)state;
    stage s = open_stage("drone_arm");
    stretch_arm(&s);
    for (int i = 0; i < s.nv; i++) s.actuated[i] = 1;
    s.problem.actuated = s.actuated;
    s.problem.free = s.free; /* nothing moves */
    check_trim(&s, 1e-9);
    assert_true(s.report.residual <= 1e-10);
    for (int i = 0; i < s.nq; i++) assert_true(s.q[i] == s.guess[i]);
    assert_true(fabs(s.tau[2] - 9.81 * hml_model_mass(s.model)) < 1e-10); /* level: the thrust is the weight */
    close_stage(&s);
}

static void test_drone_rotors(void **state)
{
    (void)state;
    stage s = open_stage("drone_arm");
    stretch_arm(&s);
    add_rotors(&s);
    check_trim(&s, 1e-9);
    assert_true(s.report.residual <= 1e-10);
    double sum = 0;
    for (int t = 0; t < 4; t++) sum += s.thrust[t];
    assert_true(sum >= 9.81 * hml_model_mass(s.model) - 1e-9);
    close_stage(&s);
}

static void test_quadruped(void **state)
{
    (void)state;
    for (int feet = 4; feet >= 2; feet--) {
        stage s = dog(feet, feet == 4 ? 0.6 : 0);
        check_trim(&s, 1e-8);
        assert_true(s.report.residual <= 1e-10);
        double up = 0;
        for (int i = 0; i < feet; i++) up += s.lambda[3 * i + 2];
        assert_true(fabs(up - 9.81 * hml_model_mass(s.model)) < 1e-9);
        close_stage(&s);
    }
}

static void test_humanoid_on_one_foot(void **state)
{
    (void)state;
    stage s = open_stage("humanoid");
    bend(&s, "l_knee", 0.4);
    bend(&s, "r_knee", 0.8);
    add_hold(&s, HML_HOLD_FRAME, "l_sole", 0);
    check_trim(&s, 1e-8);
    close_stage(&s);
}

static const double along_x[3] = {1, 0, 0}, along_y[3] = {0, 1, 0};

/*
 * The ship's water pushes along the hull's own vertical, so that a pitched ship slides away: two mooring lines hold it,
 * and nothing is moved about on deck.
 */
static void moor(stage *s)
{
    for (int i = 0; i < s->nv; i++) s->free[i] = 1;
    for (int i = 6; i < 13; i++) s->free[i] = 0;
    s->problem.free = s->free;
    add_hold(s, HML_HOLD_PLANE, "hull", 0);
    add_hold(s, HML_HOLD_PLANE, "hull", 0);
    memcpy(s->items[0].normal, along_x, sizeof along_x);
    memcpy(s->items[1].normal, along_y, sizeof along_y);
}

static void test_ship_crane(void **state)
{
    (void)state;
    stage s = open_stage("ship_crane");
    moor(&s);
    check_trim(&s, 1e-8);
    assert_true(fabs(s.q[4]) + fabs(s.q[5]) > 1e-3); /* it heels and trims, as ships say */
    close_stage(&s);
}

/* the velocity of the base that lets a rigid robot spin about its centre of mass and its axis of largest inertia */
static void spin(stage *s, double speed)
{
    double M[MOST * MOST], com[3], J[9], axis[3] = {0.3, 0.2, 1};
    OK(hml_mass_matrix(s->model, s->work, s->guess, M));
    const double m = M[0];
    const int n = s->nv;
    com[0] = M[5 * n + 1] / m, com[1] = M[3 * n + 2] / m, com[2] = M[4 * n] / m;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double square = com[0] * com[0] + com[1] * com[1] + com[2] * com[2];
            J[3 * i + k] = M[(3 + i) * n + 3 + k] - m * ((i == k ? square : 0) - com[i] * com[k]);
        }
    }
    for (int power = 0; power < 2000; power++) {
        double next[3], size = 0;
        for (int i = 0; i < 3; i++) next[i] = J[3 * i] * axis[0] + J[3 * i + 1] * axis[1] + J[3 * i + 2] * axis[2];
        for (int i = 0; i < 3; i++) size += next[i] * next[i];
        for (int i = 0; i < 3; i++) axis[i] = next[i] / sqrt(size);
    }
    for (int i = 0; i < 3; i++) s->v[3 + i] = speed * axis[i];
    s->v[0] = com[1] * s->v[5] - com[2] * s->v[4];
    s->v[1] = com[2] * s->v[3] - com[0] * s->v[5];
    s->v[2] = com[0] * s->v[4] - com[1] * s->v[3];
}

static void test_satellite(void **state)
{
    (void)state;
    stage s = open_stage("satellite");
    spin(&s, 0.1);
    check_trim(&s, 1e-8);
    assert_true(s.report.residual <= 1e-10);
    double most = 0;
    for (int i = 0; i < s.nq; i++) most = fmax(most, fabs(s.q[i] - s.guess[i]));
    assert_true(most > 1e-6); /* soft mounts and panels give way */
    close_stage(&s);
}

/*
 * Random robots with random holds: what is called a trim is one, and the others are refused with a sentence. More
 * than half of them can be balanced.
 */
static void test_random_robots(void **state)
{
    (void)state;
    int found = 0;
    enum { DRAWS = 60 };
    for (int draw = 1; draw <= DRAWS; draw++) {
        stage s = {0};
        hml_random_spec spec;
        hml_rng rng;
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)draw, spec.nbodies = 2 + draw % 9;
        spec.joint_types = draw % 2 ? 1u << HML_JOINT_SPHERICAL | 1u << HML_JOINT_PLANAR | 1u << HML_JOINT_REVOLUTE : 2;
        spec.limited = 0.5, spec.passive = 0.3, spec.mimic = draw % 5 ? 0 : 0.3;
        OK(hml_model_random(&spec, &s.model));
        OK(hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work));
        s.nq = hml_model_nq(s.model), s.nv = hml_model_nv(s.model);
        assert_true(s.nq <= MOST && s.nv <= MOST);
        hml_rng_seed(&rng, (uint64_t)draw);
        OK(hml_configuration_random(s.model, &rng, s.guess));
        for (int i = 0; i < 1 + draw % 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "body%d", (int)hml_rng_below(&rng, hml_model_nbodies(s.model)));
            add_hold(&s, (hml_constraint_kind)hml_rng_below(&rng, 3), name, 0);
        }
        const hml_status status = trim(&s);
        if (status == HML_OK) {
            assert_true(s.report.relative <= 1e-10 && s.report.position <= 1e-10);
            check_limits(&s);
            double a[MOST], *scratch = malloc(hml_constraint_scratch_doubles(s.model, &s.holds) * sizeof *scratch);
            accelerate(&s, s.q, s.v, scratch, a);
            for (int i = 0; i < s.nv; i++) assert_true(fabs(a[i]) <= 1e-7);
            free(scratch);
            found++;
        } else {
            assert_true(status == HML_INCONSISTENT || status == HML_NOT_CONVERGED);
            assert_true(strlen(s.error.message) > 20);
        }
        close_stage(&s);
    }
    assert_true(2 * found > DRAWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drone_base_wrench), cmocka_unit_test(test_drone_rotors),
        cmocka_unit_test(test_quadruped),         cmocka_unit_test(test_humanoid_on_one_foot),
        cmocka_unit_test(test_ship_crane),        cmocka_unit_test(test_satellite),
        cmocka_unit_test(test_random_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
