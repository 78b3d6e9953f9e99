/*
 * hml_dynamics, hml_inverse_dynamics, hml_forward_dynamics and the derivatives: against brute force, against each
 * other, and against the balance of energy and momentum along a motion.
 */
#include "dynamics_check.h"

static oracle o;

/* energies and momentum by sums over the bodies of the oracle */
typedef struct sums {
    double kinetic, potential, mass, com[3], momentum[6], centroidal[6];
} sums;

static void put(double *out, vec3 a) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

static sums sum_bodies(const robot *r)
{
    const model_body *b = model_bodies(r->model);
    const model_coordinate *c = model_coordinates(r->model);
    const double *g = r->model->gravity;
    sums s = {0};
    vec3 first = vec3_zero();
    wrench p = wrench_zero();
    for (int i = 0; i < r->model->nbodies; i++) {
        inertia I = oracle_inertia(&b[i]);
        wrench n = inertia_mul(I, o.v[i]);
        vec3 at = vec3_axpy(b[i].mass, o.H[i].p, mat3_mul_vec(o.H[i].R, I.h));
        s.kinetic += 0.5 * wrench_dot(n, o.v[i]);
        s.potential -= g[0] * at.x + g[1] * at.y + g[2] * at.z;
        s.mass += b[i].mass;
        first = vec3_add(first, at);
        p = wrench_add(p, pose_ad_dual(o.H[i], n));
        double log[6];
        joint_difference(b[i].type, &model_rest(r->model)[b[i].q], &r->q[b[i].q], log);
        for (int k = 0; k < b[i].nv; k++) {
            const model_coordinate *ck = &c[b[i].v + k];
            s.kinetic += 0.5 * ck->armature * r->v[b[i].v + k] * r->v[b[i].v + k];
            s.potential += 0.5 * ck->stiffness * log[k] * log[k];
        }
    }
    vec3 com = vec3_scale(1 / s.mass, first);
    put(s.com, com);
    put(s.momentum, p.f), put(s.momentum + 3, p.t);
    put(s.centroidal, p.f), put(s.centroidal + 3, vec3_sub(p.t, vec3_cross(com, p.f)));
    return s;
}

/* round-off of M, h: a few hundred roundings of numbers that cancel by a digit or two */
#define ROUND_OFF 1e-12
/* and of what was divided by M, whose condition number here is up to 1e4 */
#define SOLVED    1e-10

typedef struct everything {
    double M[NV * NV], h[NV], gravity[NV], a[NV], com[3], momentum[6], centroidal[6];
    hml_dynamics_result result;
} everything;

static void robot_dynamics(robot *r, everything *e)
{
    memset(&e->result, 0, sizeof e->result);
    e->result.struct_size = sizeof e->result;
    e->result.M = e->M, e->result.h = e->h, e->result.gravity = e->gravity, e->result.acceleration = e->a;
    e->result.com = e->com, e->result.momentum = e->momentum, e->result.centroidal_momentum = e->centroidal;
    assert_int_equal(hml_dynamics(r->model, r->work, r->q, r->v, r->tau, r->wrenches, &e->result), HML_OK);
}

static void test_everything_against_brute_force(void **state)
{
    (void)state;
    static everything e;
    uint64_t seed = 51;
    for (int i = 0; i < 20 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        int nv = (int)r.nv;
        double M[NV * NV], a[NV], rest[NV] = {0}, bare[NV];
        robot_dynamics(&r, &e);

        oracle_run(r.model, r.q, r.v, r.wrenches, &o);
        for (int k = 0; k < nv * nv; k++) M[k] = o.M[k / nv][k % nv];
        assert_near("M", e.M, M, r.nv * r.nv, ROUND_OFF);
        assert_near("h", e.h, o.h, r.nv, ROUND_OFF);
        sums s = sum_bodies(&r);
        assert_near("kinetic energy", &e.result.kinetic_energy, &s.kinetic, 1, ROUND_OFF);
        assert_true(fabs(e.result.potential_energy - s.potential) < ROUND_OFF * (1 + 9.81 * 10 * s.mass));
        assert_near("com", e.com, s.com, 3, ROUND_OFF);
        assert_near("momentum", e.momentum, s.momentum, 6, ROUND_OFF);
        assert_near("centroidal momentum", e.centroidal, s.centroidal, 6, ROUND_OFF);
        oracle_forward_dynamics(r.model, r.q, r.v, r.tau, r.wrenches, a);
        assert_near("acceleration", e.a, a, r.nv, SOLVED);

        /* gravity is what is left at rest, minus what is left without gravity: springs */
        const double none[3] = {0}, down[3] = {0, 0, -9.81};
        oracle_run(r.model, r.q, rest, NULL, &o);
        memcpy(a, o.h, sizeof a);
        assert_int_equal(hml_model_set_gravity(r.model, none), HML_OK);
        oracle_run(r.model, r.q, rest, NULL, &o);
        for (int k = 0; k < nv; k++) bare[k] = a[k] - o.h[k];
        assert_int_equal(hml_model_set_gravity(r.model, down), HML_OK);
        assert_near("gravity", e.gravity, bare, r.nv, ROUND_OFF);
        robot_close(&r);
    }
}

static void test_inverse_after_forward_is_the_identity(void **state)
{
    (void)state;
    uint64_t seed = 52;
    double worst = 0;
    for (int i = 0; i < 40 * ROBOT_SPECS; i++) {
        robot r;
        double a[NV], tau[NV];
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, r.tau, r.wrenches, a), HML_OK);
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, a, r.wrenches, tau), HML_OK);
        double off = 0, size = 0;
        for (size_t k = 0; k < r.nv; k++) {
            off = fmax(off, fabs(tau[k] - r.tau[k]));
            size = fmax(size, fabs(r.tau[k]));
        }
        worst = fmax(worst, off / size);
        robot_close(&r);
    }
    printf("inverse after forward dynamics: %.1e\n", worst);
    assert_true(worst < 1e-11); /* backward stable: M times the error of ν̇, not the error itself */
}

static void check_derivatives(robot *r)
{
    static blocks x;
    static double dq[NV * NV], dv[NV * NV], M[NV * NV], left[NV * NV];
    static everything e;
    size_t nv = r->nv;
    assert_int_equal(robot_linearize(r, &x), HML_OK);
    assert_int_equal(hml_inverse_dynamics_derivatives(r->model, r->work, r->q, r->v, x.a, r->wrenches, dq, dv, M),
                     HML_OK);
    robot_dynamics(r, &e);
    assert_near("M", M, e.M, nv * nv, ROUND_OFF); /* one in lanes, one body after the other */
    const double *D[2] = {x.Dq, x.Dv}, *d[2] = {dq, dv};
    for (int k = 0; k < 2; k++) { /* M D = −∂τ */
        for (size_t a = 0; a < nv * nv; a++) {
            left[a] = 0;
            for (size_t l = 0; l < nv; l++) left[a] -= M[a / nv * nv + l] * D[k][l * nv + a % nv];
        }
        assert_near("M D", left, d[k], nv * nv, 1e-11);
    }
    /* any of the outputs alone gives the same bits */
    memset(left, 0xff, sizeof left);
    assert_int_equal(
        hml_inverse_dynamics_derivatives(r->model, r->work, r->q, r->v, x.a, r->wrenches, NULL, left, NULL), HML_OK);
    assert_memory_equal(left, dv, nv * nv * sizeof *left);
}

static void test_derivatives_of_inverse_and_forward_dynamics_belong_together(void **state)
{
    (void)state;
    uint64_t seed = 53;
    for (int i = 0; i < 10 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        check_derivatives(&r);
        robot_close(&r);
    }
}

/* free roots that are not the first tree, their columns anywhere among those that wait to be written */
static void test_free_roots_after_other_trees(void **state)
{
    (void)state;
    uint64_t seed = 55;
    for (int before = 0; before < 20; before++) {
        hml_builder *b = hml_builder_new();
        hml_model *m = NULL;
        robot r;
        for (int i = 0; i < before + 2; i++) {
            char name[16];
            hml_joint_spec j;
            hml_inertia_spec I;
            snprintf(name, sizeof name, "b%d", i);
            hml_joint_spec_init(&j, i < before ? HML_JOINT_REVOLUTE : HML_JOINT_FREE);
            j.name = name;
            j.axis[i % 3] = 1;
            draw_inertia(&seed, &I);
            assert_int_equal(hml_builder_add_body(b, name, NULL, &j, &I, NULL), HML_OK);
        }
        assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
        hml_builder_free(b);
        robot_take(&r, m, HML_ISA_BEST);
        robot_state(&r, &seed);
        check_derivatives(&r);
        robot_close(&r);
    }
}

/*
 * Along ν̇, d/dt of the energies is the power of forces, wrenches and dampers; d/dt of the momentum of a free robot is
 * the wrench of gravity and of what pulls on it. Central differences of order four along q ⊕ (ν t + ν̇ t²/2), which
 * meets the motion up to t², all that a first derivative sees. Springs only on joints of one coordinate: −k log of a
 * rotation has a potential only where k is the same about all axes.
 */
static void test_balance_of_energy_and_momentum(void **state)
{
    (void)state;
    static everything e, now;
    const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    uint64_t seed = 54;
    for (int i = 0; i < 5 * ROBOT_SPECS; i++) {
        robot r;
        draw_tree_spec spec = robot_specs[i % ROBOT_SPECS];
        if (spec.passive) spec.one_dof = 1, spec.root = HML_JOINT_REVOLUTE;
        robot_open(&r, &seed, &spec);
        robot_dynamics(&r, &now);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        double power = 0, rate = 0, momentum_rate[6] = {0}, expected[6] = {0}, scale = 1;
        const model_coordinate *c = model_coordinates(r.model);
        for (size_t k = 0; k < r.nv; k++) {
            power += (r.tau[k] - c[k].damping * r.v[k]) * r.v[k];
            scale += fabs(r.tau[k] * r.v[k]);
        }
        wrench pull = wrench_zero();
        for (int b = 0; b < r.model->nbodies; b++) {
            const double *w = &r.wrenches[6 * b];
            wrench f = wrench_at(w);
            power += wrench_dot(f, o.v[b]);
            pull = wrench_add(pull, pose_ad_dual(o.H[b], f));
        }
        for (int k = 0; k < 4; k++) {
            robot there = r;
            double z[NV], t = at[k] * h;
            for (size_t l = 0; l < r.nv; l++) {
                z[l] = t * (r.v[l] + t / 2 * now.a[l]);
                there.v[l] += t * now.a[l];
            }
            assert_int_equal(hml_configuration_integrate(r.model, r.q, z, there.q), HML_OK);
            robot_dynamics(&there, &e);
            rate += weight[k] * (e.result.kinetic_energy + e.result.potential_energy) / (12 * h);
            for (int l = 0; l < 6; l++) momentum_rate[l] += weight[k] * e.momentum[l] / (12 * h);
        }
        assert_true(fabs(rate - power) < 1e-7 * scale);
        if (spec.root == HML_JOINT_FREE) {
            double mass = hml_model_mass(r.model);
            wrench base = pose_ad_dual(
                o.H[0], wrench_of(vec3_of(r.tau[0], r.tau[1], r.tau[2]), vec3_of(r.tau[3], r.tau[4], r.tau[5])));
            vec3 weight_force = vec3_of(0, 0, -9.81 * mass);
            vec3 com = vec3_of(now.com[0], now.com[1], now.com[2]);
            wrench total = wrench_add(wrench_add(pull, base), wrench_of(weight_force, vec3_cross(com, weight_force)));
            put(expected, total.f), put(expected + 3, total.t);
            assert_near("rate of momentum", momentum_rate, expected, 6, 1e-7);
        }
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_against_brute_force),
        cmocka_unit_test(test_inverse_after_forward_is_the_identity),
        cmocka_unit_test(test_derivatives_of_inverse_and_forward_dynamics_belong_together),
        cmocka_unit_test(test_free_roots_after_other_trees),
        cmocka_unit_test(test_balance_of_energy_and_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
