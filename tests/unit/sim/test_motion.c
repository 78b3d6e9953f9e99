/* Motions: what is kept, what is between the steps, what stops them, and what they do with bad input. */
#include "group/joint.h"
#include "hamel/configuration.h"
#include "hamel/discrete.h"
#include "motion_check.h"

static const draw_tree_spec floating = {.nbodies = 6, .root = HML_JOINT_FREE};

static mover floating_robot(uint64_t seed)
{
    mover m = mover_draw(&seed, &floating);
    const double none[3] = {0, 0, 0};
    assert_int_equal(hml_model_set_gravity(m.model, none), HML_OK);
    return m;
}

static double drift(const totals *now, const totals *start)
{
    double change = 0, size = 0;
    for (int i = 0; i < 6; i++) {
        change = fmax(change, fabs(now->momentum[i] - start->momentum[i]));
        size = fmax(size, fabs(start->momentum[i]));
    }
    return change / size;
}

/* ---- what is kept ---- */

/* the defaults, on trees of every joint type: the contract of the command */
static void test_the_defaults_keep_momentum_and_energy(void **state)
{
    (void)state;
    for (uint64_t seed = 31; seed < 35; seed++) {
        mover m = floating_robot(seed);
        totals start = mover_totals(&m, m.q, m.v);
        hml_motion *motion = NULL;
        assert_int_equal(hml_motion_new(m.model, m.work, NULL, NULL, 0, m.q, m.v, &motion), HML_OK);
        assert_int_equal(hml_motion_advance(motion, 5), HML_OK);
        totals end = mover_totals(&m, hml_motion_position(motion), hml_motion_velocity(motion));
        assert_true(drift(&end, &start) < 1e-9);
        assert_true(fabs(end.energy / start.energy - 1) < 1e-6);
        hml_motion_free(motion);
        mover_close(&m);
    }
}

/* the spatial momentum does not change by a bit; what is left is the rounding of v = M⁻¹ μ and of the sum */
static void test_the_variational_scheme_keeps_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = 31; seed < 33; seed++) {
        mover m = floating_robot(seed);
        totals start = mover_totals(&m, m.q, m.v);
        hml_motion *motion = mover_start(&m, HML_SCHEME_VARIATIONAL, 2e-3, 0, NULL);
        double worst = 0, low = start.energy, high = start.energy;
        for (int k = 1; k <= 50; k++) {
            assert_int_equal(hml_motion_advance(motion, 0.1 * k), HML_OK);
            totals now = mover_totals(&m, hml_motion_position(motion), hml_motion_velocity(motion));
            worst = fmax(worst, drift(&now, &start));
            low = fmin(low, now.energy), high = fmax(high, now.energy);
        }
        assert_true(worst < 1e-13);
        assert_true((high - low) / start.energy < 1e-3); /* it breathes with h² */
        hml_motion_free(motion);
        mover_close(&m);
    }
}

/*
 * By momenta: the same Runge-Kutta scheme as rk4, the same order of its energy, but nothing is lost of the momentum,
 * not even in steps so long that rk4 loses a visible part of it
 */
static void test_the_momentum_scheme_keeps_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = 31; seed < 34; seed++) {
        double worst[2] = {0}, energy[2] = {0};
        mover m = floating_robot(seed);
        for (int k = 0; k < 2; k++) {
            totals start = mover_totals(&m, m.q, m.v);
            hml_motion *motion = mover_start(&m, k ? HML_SCHEME_RK4 : HML_SCHEME_MOMENTUM, 1e-2, 0, NULL);
            for (int s = 1; s <= 50; s++) {
                assert_int_equal(hml_motion_advance(motion, 0.1 * s), HML_OK);
                totals now = mover_totals(&m, hml_motion_position(motion), hml_motion_velocity(motion));
                worst[k] = fmax(worst[k], drift(&now, &start));
                energy[k] = fmax(energy[k], fabs(now.energy / start.energy - 1));
            }
            hml_motion_free(motion);
        }
        printf("momentum: drift %.1e, rk4 %.1e; energy %.1e, rk4 %.1e\n", worst[0], worst[1], energy[0], energy[1]);
        assert_true(worst[0] < 1e-13 && worst[1] > 1e4 * worst[0]);
        assert_true(energy[0] < 10 * energy[1] + 1e-12);
        mover_close(&m);
    }
}

/* far away, and with gravity: the linear momentum is that of a fall, to rounding */
static void test_the_momentum_scheme_far_away(void **state)
{
    (void)state;
    const double g[3] = {0.3, -0.2, -9.81};
    mover m = floating_robot(35);
    assert_int_equal(hml_model_set_gravity(m.model, g), HML_OK);
    double q[2][NQ], v[2][NV];
    for (int far = 0; far < 2; far++) {
        if (far) m.q[0] += 1024, m.q[1] -= 2048; /* powers of two: the same bits below */
        totals start = mover_totals(&m, m.q, m.v);
        hml_motion *motion = mover_start(&m, HML_SCHEME_MOMENTUM, 1e-2, 0, NULL);
        assert_int_equal(hml_motion_advance(motion, 1), HML_OK);
        memcpy(q[far], hml_motion_position(motion), m.nq * sizeof(double));
        memcpy(v[far], hml_motion_velocity(motion), m.n * sizeof(double));
        totals now = mover_totals(&m, q[far], v[far]);
        for (int k = 0; k < 3; k++) {
            double expected = start.momentum[k] + hml_model_mass(m.model) * g[k];
            assert_true(fabs(now.momentum[k] - expected) < 1e-12 * (1 + fabs(expected)));
        }
        hml_motion_free(motion);
    }
    for (size_t i = 0; i < m.n; i++) assert_true(fabs(v[1][i] - v[0][i]) < 1e-10); /* positions of 2 km have 2e-13 */
    mover_close(&m);
}

/*
 * Symplectic: the two-form of two tangent vectors is the same before and after. Tangents by central differences in
 * (q, p), ω(a, b) = a_q·b_p − b_q·a_p + p·ad_(a_q) b_q from the left. Differences leave 1e-8 of it; the other schemes
 * of the second order change it by a hundred times that.
 */
static void momenta(const mover *m, const double *q, const double *v, double *p)
{
    static double M[NV * NV], h[NV];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
    assert_int_equal(hml_dynamics(m->model, m->work, q, v, NULL, NULL, &d), HML_OK);
    for (size_t i = 0; i < m->n; i++) {
        p[i] = 0;
        for (size_t k = 0; k < m->n; k++) p[i] += M[i * m->n + k] * v[k];
    }
}

static double two_form(const mover *m, const double *p, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) sum += a[i] * b[m->n + i] - b[i] * a[m->n + i];
    for (int32_t j = 0; j < m->model->njoints; j++) {
        const model_joint *joint = &model_joints(m->model)[j];
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        if (joint->type == HML_JOINT_UNIVERSAL) continue;
        joint_ad(joint->type, a + joint->v, ad);
        for (int32_t r = 0; r < joint->nv; r++) {
            for (int32_t c = 0; c < joint->nv; c++) {
                sum += p[joint->v + r] * ad[r * joint->nv + c] * b[joint->v + c];
            }
        }
    }
    return sum;
}

/* the change of the two-form of two directions over one step */
static double symplectic_defect(mover *m, hml_scheme scheme, double h)
{
    const double eps = 1e-4;
    double q1[NQ], v1[NV], p0[NV], p1[NV], before[2][2 * NV], after[2][2 * NV];
    const mover origin = *m;
    hml_motion *motion = mover_start(m, scheme, h, 0, NULL);
    assert_int_equal(hml_motion_step(motion, h), HML_OK);
    memcpy(q1, hml_motion_position(motion), sizeof(double) * m->nq);
    memcpy(v1, hml_motion_velocity(motion), sizeof(double) * m->n);
    hml_motion_free(motion);
    momenta(m, m->q, m->v, p0);
    momenta(m, q1, v1, p1);
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 77 + (uint64_t)k;
        double z[2 * NV], moved[2][2][2 * NV];
        for (size_t i = 0; i < 2 * m->n; i++) z[i] = draw(&seed);
        for (int side = 0; side < 2; side++) {
            double d[NV], p[NV], e = side ? eps : -eps;
            for (size_t i = 0; i < m->n; i++) d[i] = e * z[i], m->v[i] = origin.v[i] + e * z[m->n + i];
            assert_int_equal(hml_configuration_integrate(m->model, origin.q, d, m->q), HML_OK);
            motion = mover_start(m, scheme, h, 0, NULL);
            assert_int_equal(hml_motion_step(motion, h), HML_OK);
            momenta(m, m->q, m->v, p);
            hml_configuration_difference(m->model, origin.q, m->q, moved[0][side]);
            memcpy(moved[0][side] + m->n, p, sizeof(double) * m->n);
            momenta(m, hml_motion_position(motion), hml_motion_velocity(motion), p);
            hml_configuration_difference(m->model, q1, hml_motion_position(motion), moved[1][side]);
            memcpy(moved[1][side] + m->n, p, sizeof(double) * m->n);
            hml_motion_free(motion);
        }
        for (size_t i = 0; i < 2 * m->n; i++) {
            before[k][i] = (moved[0][1][i] - moved[0][0][i]) / (2 * eps);
            after[k][i] = (moved[1][1][i] - moved[1][0][i]) / (2 * eps);
        }
    }
    *m = origin;
    double w0 = two_form(m, p0, before[0], before[1]), w1 = two_form(m, p1, after[0], after[1]);
    return fabs(w1 - w0) / fabs(w0);
}

static void test_the_variational_scheme_is_symplectic(void **state)
{
    (void)state;
    uint64_t seed = 36;
    const draw_tree_spec spec = {.nbodies = 4, .root = HML_JOINT_FREE};
    mover m = mover_draw(&seed, &spec);
    double variational = symplectic_defect(&m, HML_SCHEME_VARIATIONAL, 0.1);
    double midpoint = symplectic_defect(&m, HML_SCHEME_RK2, 0.1),
           newmark = symplectic_defect(&m, HML_SCHEME_ALPHA, 0.1);
    print_message("defects: variational %.1e, rk2 %.1e, alpha %.1e\n", variational, midpoint, newmark);
    assert_true(variational < 1e-7);
    assert_true(midpoint > 100 * variational && newmark > 100 * variational);
    mover_close(&m);
}

/* the steps are those of hml_step, where both have the scheme */
static void test_agrees_with_single_steps(void **state)
{
    (void)state;
    uint64_t seed = 37;
    mover m = mover_draw(&seed, &floating);
    double *scratch = calloc(hml_step_scratch_doubles(m.model), sizeof *scratch), q[NQ], v[NV], tau[NV];
    for (size_t i = 0; i < m.n; i++) tau[i] = draw(&seed);
    hml_forces forces = {.struct_size = sizeof forces, .tau = tau};
    static const hml_scheme both[] = {HML_SCHEME_EULER, HML_SCHEME_RK2, HML_SCHEME_RK4};
    for (size_t k = 0; k < sizeof both / sizeof *both; k++) {
        hml_motion *motion = mover_start(&m, both[k], 0.01, 0, &forces);
        assert_int_equal(hml_motion_step(motion, 1), HML_OK);
        assert_int_equal(hml_step(m.model, m.work, scratch,
                                  &HML_STRUCT(hml_discrete_step, .scheme = both[k], .h = 0.01, .q.data = m.q,
                                              .v.data = m.v, .tau.data = tau, .q_next.data = q, .v_next.data = v)),
                         HML_OK);
        assert_true(mover_distance(&m, q, v, hml_motion_position(motion), hml_motion_velocity(motion)) < 1e-13);
        hml_motion_free(motion);
    }
    free(scratch);
    mover_close(&m);
}

/* ---- stiffness ---- */

/* a mass on a spring of 1e6 N/m with steps of six of its periods: explicit schemes explode, implicit ones do not */
static void test_stiff_springs(void **state)
{
    (void)state;
    mover m = mover_body(HML_JOINT_PRISMATIC, 1, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1},
                         (const double[3]){0, 0, 0});
    const double target = 0, stiffness = 1e6, damping = 0.1;
    hml_forces forces = {.struct_size = sizeof forces, .target = &target, .stiffness = &stiffness, .damping = &damping};
    static const hml_scheme calm[] = {HML_SCHEME_EULER, HML_SCHEME_VARIATIONAL, HML_SCHEME_ALPHA};
    m.q[0] = 1e-3;
    for (int k = 0; k < 3; k++) {
        hml_motion *motion = mover_start(&m, calm[k], 0.04, 0, &forces);
        assert_int_equal(hml_motion_advance(motion, 4), HML_OK);
        assert_true(fabs(hml_motion_position(motion)[0]) <= 1.01e-3);
        if (calm[k] != HML_SCHEME_VARIATIONAL) assert_true(fabs(hml_motion_position(motion)[0]) < 1e-6);
        hml_motion_free(motion);
    }
    hml_motion *wild = mover_start(&m, HML_SCHEME_RK4, 0.04, 0, &forces);
    hml_motion_advance(wild, 0.4);
    assert_true(!(fabs(hml_motion_position(wild)[0]) < 1));
    hml_motion_free(wild);
    mover_close(&m);
}

/* ---- between the steps ---- */

/* the interpolant is of fourth order for dopri5, of third for the others, and meets both ends */
static void test_dense_output(void **state)
{
    (void)state;
    uint64_t seed = 38;
    mover m = mover_draw(&seed, &floating);
    for (int k = 0; k < 2; k++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            double h = 0.05 / (1 << half), t = 0.4 * h, q[NQ], v[NV];
            hml_motion *coarse = mover_start(&m, k ? HML_SCHEME_RK4 : HML_SCHEME_DOPRI5, h, 0, NULL);
            hml_motion *fine = mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-13, NULL);
            assert_int_equal(hml_motion_step(coarse, 1), HML_OK);
            assert_int_equal(hml_motion_advance(fine, t), HML_OK);
            assert_int_equal(hml_motion_at(coarse, t, q, v), HML_OK);
            error[half] = mover_distance(&m, hml_motion_position(fine), hml_motion_velocity(fine), q, v);
            assert_int_equal(hml_motion_at(coarse, 0, q, v), HML_OK);
            assert_true(mover_distance(&m, m.q, m.v, q, v) < 1e-14);
            assert_int_equal(hml_motion_at(coarse, h, q, NULL), HML_OK);
            assert_memory_equal(q, hml_motion_position(coarse), m.nq * sizeof *q);
            assert_int_equal(hml_motion_at(coarse, 2 * h, q, v), HML_INVALID_ARGUMENT);
            hml_motion_free(coarse);
            hml_motion_free(fine);
        }
        double order = log2(error[0] / error[1]); /* of one step: one more for dopri5, velocities are one less */
        assert_true(order > (k ? 2.8 : 4.7));
    }
    mover_close(&m);
}

/* height of a body above the ground */
static hml_status height(void *context, double t, const double *q, const double *v, double *value)
{
    (void)context, (void)t, (void)v;
    *value = q[2];
    return HML_OK;
}

/* a ball from one metre: it arrives after √(2/g), and again after every bounce */
static void test_events(void **state)
{
    (void)state;
    mover m = mover_body(HML_JOINT_FREE, 1, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1},
                         (const double[3]){0, 0, -9.81});
    m.q[2] = 1;
    for (int k = 0; k < 2; k++) {
        double expected = sqrt(2 / 9.81), t = 0, q[NQ], v[NV];
        hml_motion *motion =
            k ? mover_start(&m, HML_SCHEME_RK4, 0.01, 0, NULL) : mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-11, NULL);
        for (int bounce = 0; bounce < 3; expected += 2 * sqrt(2 / 9.81), bounce++) {
            int found = 0;
            while (!found) {
                assert_int_equal(hml_motion_step(motion, 10), HML_OK);
                assert_int_equal(hml_motion_find(motion, height, NULL, &found, &t, q, v), HML_OK);
            }
            assert_true(fabs(t - expected) < 1e-11);
            assert_true(q[2] <= 0 && q[2] > -1e-12);
            q[2] = 0, v[2] = -v[2];
            assert_int_equal(hml_motion_restart(motion, t, q, v), HML_OK);
        }
        hml_motion_free(motion);
    }
    mover_close(&m);
}

static void test_joint_limits(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec cube = {.mass = 1, .moment = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_model *model = NULL;
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.name = "slide", joint.axis[0] = 0, joint.axis[2] = 1, joint.lower[0] = -1, joint.upper[0] = 0.5;
    assert_int_equal(hml_builder_add_body(b, "body", NULL, &joint, &cube, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    mover m = mover_of(model);
    double margin, t;
    int32_t coordinate;
    int found = 0;
    assert_int_equal(hml_limit_margin(m.model, m.q, &margin, &coordinate), HML_OK);
    assert_true(margin == 0.5 && coordinate == 0);
    assert_int_equal(hml_limit_margin(m.model, &(double){NAN}, &margin, &coordinate), HML_NOT_FINITE);
    hml_motion *motion = mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-11, NULL); /* falls a metre */
    while (!found) {
        assert_int_equal(hml_motion_step(motion, 10), HML_OK);
        assert_int_equal(hml_motion_find(motion, hml_limit_event, m.model, &found, &t, NULL, NULL), HML_OK);
    }
    assert_true(fabs(t - sqrt(2 / 9.81)) < 1e-11);
    hml_motion_free(motion);
    mover_close(&m);
}

/* a finger that follows another one at twice its angle meets its limit first */
static void test_limits_of_a_follower(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec leader, follower;
    hml_inertia_spec cube = {.mass = 1, .moment = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_model *model = NULL;
    double margin;
    int32_t coordinate;
    hml_joint_spec_init(&leader, HML_JOINT_REVOLUTE);
    leader.name = "finger", leader.axis[2] = 1, leader.lower[0] = -1, leader.upper[0] = 1;
    hml_joint_spec_init(&follower, HML_JOINT_REVOLUTE);
    follower.name = "thumb", follower.axis[2] = 1, follower.lower[0] = -1, follower.upper[0] = 1;
    follower.mimic = "finger", follower.multiplier = -2, follower.offset = 0.25;
    assert_int_equal(hml_builder_add_body(b, "finger_link", NULL, &leader, &cube, NULL), HML_OK);
    assert_int_equal(hml_builder_add_body(b, "thumb_link", NULL, &follower, &cube, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    assert_int_equal(hml_limit_margin(model, &(double){0.5}, &margin, &coordinate), HML_OK);
    assert_true(margin == 0.25 && coordinate == 0); /* the thumb is at −0.75 */
    assert_int_equal(hml_limit_margin(model, &(double){-0.5}, &margin, &coordinate), HML_OK);
    assert_true(margin == -0.25 && coordinate == 0); /* the thumb is at 1.25 */
    hml_model_free(model);
}

/* ---- bad input ---- */

static hml_status poisoned(void *context, double t, const double *q, const double *v, double *tau, double *wrenches)
{
    (void)q, (void)v, (void)wrenches;
    if (t > *(const double *)context) tau[0] = NAN;
    return HML_OK;
}

static hml_status refuses(void *context, double t, const double *q, const double *v, double *tau, double *wrenches)
{
    (void)context, (void)q, (void)v, (void)tau, (void)wrenches;
    return t > 0.1 ? HML_UNSUPPORTED : HML_OK;
}

/* NaN from a control stops every scheme with the last good state in hand, from which it can go on */
static void test_a_failed_step_keeps_the_state(void **state)
{
    (void)state;
    uint64_t seed = 39;
    mover m = mover_draw(&seed, &floating);
    for (int k = 0; k < HML_SCHEME_COUNT; k++) {
        double when = 0.1, q[NQ], v[NV];
        hml_forces forces = {.struct_size = sizeof forces, .function = poisoned, .context = &when};
        hml_motion *motion = mover_start(&m, (hml_scheme)k, 0.01, 1e-9, &forces);
        assert_int_equal(hml_motion_advance(motion, 1), HML_NOT_FINITE);
        double t = hml_motion_time(motion);
        assert_true(t <= 0.11 && t > 0.08);
        memcpy(q, hml_motion_position(motion), sizeof(double) * m.nq);
        memcpy(v, hml_motion_velocity(motion), sizeof(double) * m.n);
        assert_int_equal(hml_motion_step(motion, 1), HML_NOT_FINITE);
        assert_true(hml_motion_time(motion) == t);
        assert_memory_equal(q, hml_motion_position(motion), sizeof(double) * m.nq);
        assert_memory_equal(v, hml_motion_velocity(motion), sizeof(double) * m.n);
        when = INFINITY; /* mended: it goes on as if nothing had been */
        assert_int_equal(hml_motion_advance(motion, 0.3), HML_OK);
        hml_motion *whole = mover_start(&m, (hml_scheme)k, 0.01, 1e-9, NULL);
        assert_int_equal(hml_motion_advance(whole, 0.3), HML_OK);
        double gap = mover_distance(&m, hml_motion_position(whole), hml_motion_velocity(whole),
                                    hml_motion_position(motion), hml_motion_velocity(motion));
        assert_true(gap < (k == HML_SCHEME_DOPRI5 ? 1e-6 : 1e-12));
        hml_motion_free(whole);
        hml_motion_free(motion);
        forces.function = refuses;
        motion = mover_start(&m, (hml_scheme)k, 0.01, 1e-9, &forces);
        assert_int_equal(hml_motion_advance(motion, 1), HML_UNSUPPORTED);
        assert_true(hml_motion_time(motion) <= 0.11);
        hml_motion_free(motion);
    }
    mover_close(&m);
}

/* a step of two turns is beyond Newton's method, and it says so */
static void test_not_converged(void **state)
{
    (void)state;
    uint64_t seed = 40;
    mover m = mover_draw(&seed, &floating);
    for (size_t i = 0; i < m.n; i++) m.v[i] = 50;
    for (int k = HML_SCHEME_VARIATIONAL; k <= HML_SCHEME_ALPHA; k++) {
        hml_motion *motion = mover_start(&m, (hml_scheme)k, 1, 0, NULL);
        assert_int_equal(hml_motion_step(motion, 1), HML_NOT_CONVERGED);
        assert_true(hml_motion_time(motion) == 0);
        assert_memory_equal(m.v, hml_motion_velocity(motion), sizeof(double) * m.n);
        hml_motion_free(motion);
    }
    mover_close(&m);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    uint64_t seed = 42;
    mover m = mover_draw(&seed, &floating);
    hml_motion_options good, bad;
    hml_motion *motion = NULL;
    hml_motion_options_init(&good);
#define REFUSED(change)                                                                                                \
    bad = good, change,                                                                                                \
    assert_int_equal(hml_motion_new(m.model, m.work, &bad, NULL, 0, m.q, m.v, &motion), HML_INVALID_ARGUMENT),         \
    assert_null(motion)
    REFUSED(bad.step = -1);
    REFUSED(bad.step = NAN);
    REFUSED((bad.scheme = HML_SCHEME_RK4, bad.step = 0));
    REFUSED(bad.tolerance = -1);
    REFUSED(bad.tolerance = NAN);
    REFUSED(bad.radius = 1.5);
    REFUSED(bad.iterations = 0);
    REFUSED(bad.scheme = (hml_scheme)9);
    REFUSED(bad.struct_size = 3);
#undef REFUSED
    const double falling[2] = {1, 0}, samples[2 * NV] = {0};
    hml_forces forces = {.struct_size = sizeof forces, .nsamples = 2, .sample_times = falling, .samples = samples};
    assert_int_equal(hml_motion_new(m.model, m.work, NULL, &forces, 0, m.q, m.v, &motion), HML_INVALID_ARGUMENT);
    const hml_frame_wrench nowhere = {.frame = 1000};
    forces = (hml_forces){.struct_size = sizeof forces, .nframe_wrenches = 1, .frame_wrenches = &nowhere};
    assert_int_equal(hml_motion_new(m.model, m.work, NULL, &forces, 0, m.q, m.v, &motion), HML_INVALID_ARGUMENT);
    m.v[0] = NAN;
    assert_int_equal(hml_motion_new(m.model, m.work, NULL, NULL, 0, m.q, m.v, &motion), HML_NOT_FINITE);
    m.v[0] = 0;
    assert_int_equal(hml_motion_new(m.model, m.work, NULL, NULL, 0, m.q, m.v, &motion), HML_OK);
    assert_int_equal(hml_motion_step(motion, 0), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_motion_step(motion, NAN), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_motion_at(motion, 0, m.q, m.v), HML_INVALID_ARGUMENT); /* there is no step yet */
    assert_int_equal(hml_motion_step(NULL, 1), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_motion_size(NULL), 0);
    assert_null(hml_scheme_name((hml_scheme)HML_SCHEME_COUNT));
    hml_scheme scheme;
    assert_int_equal(hml_scheme_from_name("heun", &scheme), HML_NOT_FOUND);
    assert_int_equal(hml_scheme_from_name("alpha", &scheme), HML_OK);
    assert_int_equal(scheme, HML_SCHEME_ALPHA);
    hml_motion_free(motion);
    mover_close(&m);
}

/* on the caller's memory: as large as it says, and not a byte beyond */
static void test_a_motion_stays_in_its_memory(void **state)
{
    (void)state;
    enum { GUARD = 64 };
    uint64_t seed = 43;
    const draw_tree_spec passive = {.nbodies = 7, .root = HML_JOINT_FREE, .passive = 1};
    mover m = mover_draw(&seed, &passive);
    size_t size = hml_motion_size(m.model);
    unsigned char *memory = malloc(size + GUARD);
    for (int k = 0; k < HML_SCHEME_COUNT; k++) {
        hml_motion_options options;
        hml_motion *motion = NULL;
        double q[NQ], v[NV];
        hml_motion_options_init(&options);
        options.scheme = (hml_scheme)k;
        memset(memory, 0x5a, size + GUARD);
        assert_int_equal(hml_motion_init(memory, size - 1, m.model, m.work, &options, NULL, 0, m.q, m.v, &motion),
                         HML_INVALID_ARGUMENT);
        assert_int_equal(hml_motion_init(memory, size, m.model, m.work, &options, NULL, 0, m.q, m.v, &motion), HML_OK);
        assert_int_equal(hml_motion_advance(motion, 0.01), HML_OK);
        assert_int_equal(hml_motion_at(motion, 0.01, q, v), HML_OK);
        for (size_t i = size; i < size + GUARD; i++) assert_int_equal(memory[i], 0x5a);
    }
    free(memory);
    mover_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_motion_stays_in_its_memory),
        cmocka_unit_test(test_the_defaults_keep_momentum_and_energy),
        cmocka_unit_test(test_the_variational_scheme_keeps_momentum),
        cmocka_unit_test(test_the_momentum_scheme_keeps_momentum),
        cmocka_unit_test(test_the_momentum_scheme_far_away),
        cmocka_unit_test(test_the_variational_scheme_is_symplectic),
        cmocka_unit_test(test_agrees_with_single_steps),
        cmocka_unit_test(test_stiff_springs),
        cmocka_unit_test(test_dense_output),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_joint_limits),
        cmocka_unit_test(test_limits_of_a_follower),
        cmocka_unit_test(test_a_failed_step_keeps_the_state),
        cmocka_unit_test(test_not_converged),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
