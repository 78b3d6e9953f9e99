/*
 * Fields on products of groups: A and B against flows on the group, against derivatives found by hand, and against
 * hml_linearize, whose robots are the field λ = (ν, ν̇) on G × ℝⁿ.
 */
#include "dynamics_check.h"
#include "hamel/field.h"
#include "hamel/linearize.h"

enum { M = 32, INPUTS = 4 };

/* ---- groups by hand: ⊕ and ⊖ factor by factor ---- */

static void field_plus(const hml_field *f, const double *g, const double *z, double *out)
{
    for (size_t i = 0; i < f->nfactors; i++) {
        int type = (int)f->factors[i];
        joint_integrate(type, g, z, out);
        g += joint_nq(type), out += joint_nq(type), z += joint_nv(type);
    }
}

static void field_minus(const hml_field *f, const double *g1, const double *g0, double *z)
{
    for (size_t i = 0; i < f->nfactors; i++) {
        int type = (int)f->factors[i];
        joint_difference(type, g0, g1, z);
        g0 += joint_nq(type), g1 += joint_nq(type), z += joint_nv(type);
    }
}

static void move(const hml_field *f, double *g, double h, const double w[4], double F[4][M])
{
    double z[M];
    for (int i = 0; i < M; i++) z[i] = h * (w[0] * F[0][i] + w[1] * F[1][i] + w[2] * F[2][i] + w[3] * F[3][i]);
    field_plus(f, g, z, g);
}

/* a step of order four, commutator-free (see flow.h); z, if not NULL, is carried along by A and B under the input w */
static void flow_step(const hml_field *f, double t, double h, const double *u, double *g, const double *w, double *z,
                      double *scratch)
{
    static const double first[4] = {0.25, 1.0 / 6, 1.0 / 6, -1.0 / 12}, last[4] = {-1.0 / 12, 1.0 / 6, 1.0 / 6, 0.25};
    static const double stage[4][4] = {{0}, {0.5}, {0, 0.5}, {-0.5, 0, 1}}, part[4] = {0, 0.5, 0.5, 1};
    double F[4][M] = {{0}}, zdot[4][M] = {{0}}, second[M], A[M * M], B[M * INPUTS];
    size_t m = hml_field_nv(f), nq = hml_field_nq(f);
    for (int s = 0; s < 4; s++) {
        double y[M];
        memcpy(y, s == 3 ? second : g, nq * sizeof *y);
        if (s) move(f, y, h, stage[s], F);
        if (s == 1) memcpy(second, y, nq * sizeof *y);
        assert_int_equal(f->velocity(f->user, y, u, t + part[s] * h, F[s]), HML_OK);
        if (!z) continue;
        assert_int_equal(hml_field_linearize(f, y, u, t + part[s] * h, scratch, NULL, A, B), HML_OK);
        for (size_t i = 0; i < m; i++) {
            for (size_t k = 0; k < m; k++) zdot[s][i] += A[i * m + k] * (z[k] + (s ? part[s] * h * zdot[s - 1][k] : 0));
            for (size_t k = 0; k < f->ninputs; k++) zdot[s][i] += B[i * f->ninputs + k] * w[k];
        }
    }
    move(f, g, h, first, F);
    move(f, g, h, last, F);
    for (size_t i = 0; z && i < m; i++) z[i] += h / 6 * (zdot[0][i] + 2 * zdot[1][i] + 2 * zdot[2][i] + zdot[3][i]);
}

/* ---- a field that uses everything: all groups, inputs and time ---- */

static const hml_joint_type everything[] = {
    HML_JOINT_FREE,         HML_JOINT_SPHERICAL, HML_JOINT_PLANAR,   HML_JOINT_SCHOENFLIES,
    HML_JOINT_TRANSLATION3, HML_JOINT_FIXED,     HML_JOINT_REVOLUTE, HML_JOINT_TRANSLATION2,
};

/* λ must be a function on the group: of a rotation, not of its quaternion's sign, so quaternions come in pairs */
static hml_status everything_velocity(void *user, const double *g, const double *u, double t, double *lambda)
{
    const hml_field *f = user;
    double x[M];
    size_t nq = hml_field_nq(f), m = hml_field_nv(f);
    memcpy(x, g, nq * sizeof *x);
    for (size_t i = 0; i < 4; i++) x[3 + i] = g[3] * g[3 + i] + g[4] * g[3 + (i + 1) % 4];
    for (size_t i = 0; i < 4; i++) x[7 + i] = g[7] * g[7 + i] + g[8] * g[7 + (i + 1) % 4];
    for (size_t i = 0; i < m; i++) {
        double a = x[i % nq], b = x[(3 * i + 5) % nq];
        lambda[i] = sin(a + 0.7 * b + 0.3 * t) + 0.5 * a * b + u[i % 2] * cos(b) + 0.2 * u[1] * u[1];
    }
    return HML_OK;
}

/*
 * ε-differences of two flows against ż = A z + B w: ε² of a central difference and h⁴ of the integrator, both near 1e-8
 * times a few; with the wrong sign of ad the prediction is off by a third.
 */
static void test_flow(void **state)
{
    (void)state;
    hml_field f = {.struct_size = sizeof f, .factors = everything, .ninputs = 2, .velocity = everything_velocity};
    f.nfactors = sizeof everything / sizeof *everything;
    f.user = &f;
    size_t m = hml_field_nv(&f), nq = hml_field_nq(&f);
    assert_true(m <= M && nq <= M);
    assert_int_equal(m, 22);
    assert_int_equal(nq, 24);
    double *scratch = calloc(hml_field_scratch_doubles(&f), sizeof *scratch);
    const double e = 1e-4, T = 0.25;
    const int steps = 50;
    uint64_t seed = 41;
    for (int trial = 0; trial < 3; trial++) {
        double g0[M], z[M], w[2], u[2], g[M], ends[2][M], away[2][M], flown[M], predicted[M];
        for (size_t i = 0; i < nq; i++) g0[i] = draw(&seed);
        for (size_t i = 0; i < m; i++) z[i] = predicted[i] = draw(&seed);
        for (size_t i = 0; i < 2; i++) u[i] = draw(&seed), w[i] = draw(&seed);
        for (size_t at = 3; at <= 7; at += 4) {
            double n =
                sqrt(g0[at] * g0[at] + g0[at + 1] * g0[at + 1] + g0[at + 2] * g0[at + 2] + g0[at + 3] * g0[at + 3]);
            for (size_t i = 0; i < 4; i++) g0[at + i] /= n;
        }
        memcpy(g, g0, sizeof g);
        for (int s = 0; s < steps; s++) flow_step(&f, s * T / steps, T / steps, u, g, w, predicted, scratch);
        for (int side = 0; side < 2; side++) {
            double d[M], pushed[2], sign = side ? -e : e;
            for (size_t i = 0; i < m; i++) d[i] = sign * z[i];
            for (size_t i = 0; i < 2; i++) pushed[i] = u[i] + sign * w[i];
            field_plus(&f, g0, d, ends[side]);
            for (int s = 0; s < steps; s++) {
                flow_step(&f, s * T / steps, T / steps, pushed, ends[side], NULL, NULL, scratch);
            }
            field_minus(&f, ends[side], g, away[side]);
        }
        for (size_t i = 0; i < m; i++) flown[i] = (away[0][i] - away[1][i]) / (2 * e);
        assert_near("the prediction", predicted, flown, m, 1e-7);
    }
    free(scratch);
}

/* ---- the heavy top on SO(3) × ℝ³: λ = (ω, J⁻¹(u + J ω × ω + c × Rᵀn)) ---- */

static const hml_joint_type top[] = {HML_JOINT_SPHERICAL, HML_JOINT_TRANSLATION3};
static const double J[3] = {1, 1.5, 0.7};

static vec3 times_J(vec3 a) { return vec3_of(J[0] * a.x, J[1] * a.y, J[2] * a.z); }
static vec3 weight_arm(void) { return vec3_of(0.1, -0.2, 0.4); }

static vec3 weight(const double *g)
{
    return mat3_tmul_vec(quat_to_mat3(quat_of(g[0], g[1], g[2], g[3])), vec3_of(0, 0, -9.81));
}

static void put(vec3 a, double *out, size_t stride) { out[0] = a.x, out[stride] = a.y, out[2 * stride] = a.z; }

static hml_status top_velocity(void *user, const double *g, const double *u, double t, double *lambda)
{
    (void)user, (void)t;
    vec3 w = vec3_at(g + 4), torque = vec3_add(vec3_cross(times_J(w), w), vec3_cross(weight_arm(), weight(g)));
    put(w, lambda, 1);
    torque = vec3_add(torque, vec3_at(u));
    put(vec3_of(torque.x / J[0], torque.y / J[1], torque.z / J[2]), lambda + 3, 1);
    return HML_OK;
}

/* D(Rᵀn) z = Rᵀn × z */
static hml_status top_derivatives(void *user, const double *g, const double *u, double t, double *Dg, double *Du)
{
    (void)user, (void)t, (void)u;
    vec3 w = vec3_at(g + 4);
    for (size_t k = 0; k < 3; k++) {
        vec3 e = vec3_of(k == 0, k == 1, k == 2), a = vec3_cross(weight_arm(), vec3_cross(weight(g), e));
        vec3 b = vec3_add(vec3_cross(times_J(e), w), vec3_cross(times_J(w), e));
        if (Dg) {
            Dg[k * 6 + 3 + k] = 1;
            put(vec3_of(a.x / J[0], a.y / J[1], a.z / J[2]), &Dg[18 + k], 6);
            put(vec3_of(b.x / J[0], b.y / J[1], b.z / J[2]), &Dg[18 + 3 + k], 6);
        }
        if (Du) Du[(3 + k) * 3 + k] = 1 / J[k];
    }
    return HML_OK;
}

/* thirteen digits are promised where nothing changes over less than one; gravity is ten times that */
static void test_differences_against_derivatives(void **state)
{
    (void)state;
    hml_field by_hand = {.struct_size = sizeof by_hand, .nfactors = 2, .factors = top, .ninputs = 3};
    by_hand.velocity = top_velocity;
    by_hand.derivatives = top_derivatives;
    hml_field differences = by_hand;
    differences.derivatives = NULL;
    const double g[7] = {0.5, -0.5, 0.5, 0.5, 0.3, -1.2, 2}, u[3] = {0.1, 20, -0.4};
    double scratch[64], A1[36], B1[18], A2[36], B2[18], lambda[6];
    assert_true(hml_field_scratch_doubles(&by_hand) <= 64);
    assert_int_equal(hml_field_linearize(&by_hand, g, u, 0, scratch, lambda, A1, B1), HML_OK);
    assert_int_equal(hml_field_linearize(&differences, g, u, 0, scratch, NULL, A2, B2), HML_OK);
    assert_near("A", A2, A1, 36, 1e-12);
    assert_near("B", B2, B1, 18, 1e-12);
    assert_true(lambda[0] == 0.3 && lambda[1] == -1.2 && lambda[2] == 2);
    const double ad[9] = {0, -2, -1.2, 2, 0, -0.3, 1.2, 0.3, 0}; /* ω^ */
    for (size_t i = 0; i < 9; i++) assert_true(A1[i / 3 * 6 + i % 3] == -ad[i]);
}

/* ---- a robot ---- */

static hml_status robot_velocity(void *user, const double *g, const double *u, double t, double *lambda)
{
    const robot *r = user;
    (void)t;
    memcpy(lambda, g + r->nq, r->nv * sizeof *lambda);
    return hml_forward_dynamics(r->model, r->work, g, g + r->nq, u, r->wrenches, lambda + r->nv);
}

/* a chain of several bodies bends the field: two digits less than a field that changes over lengths of one */
static void test_robots_are_fields(void **state)
{
    (void)state;
    static double A[4 * NV * NV], B[2 * NV * NV], expected_A[4 * NV * NV], expected_B[2 * NV * NV];
    uint64_t seed = 43;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        static robot r;
        draw_tree_spec spec = robot_specs[i];
        if (spec.nbodies > 6) spec.nbodies = 6;
        robot_open(&r, &seed, &spec);
        hml_joint_type factors[ORACLE_BODIES + NV];
        double g[NQ + NV];
        hml_field f = {.struct_size = sizeof f, .factors = factors, .ninputs = r.nv, .velocity = robot_velocity};
        for (int b = 0; b < r.model->nbodies; b++)
            factors[f.nfactors++] = (hml_joint_type)model_bodies(r.model)[b].type;
        for (size_t k = 0; k < r.nv; k++) factors[f.nfactors++] = HML_JOINT_PRISMATIC;
        f.user = &r;
        f.step = 1.0 / 128;
        memcpy(g, r.q, r.nq * sizeof *g);
        memcpy(g + r.nq, r.v, r.nv * sizeof *g);
        double *scratch = calloc(hml_field_scratch_doubles(&f), sizeof *scratch);
        assert_int_equal(hml_field_nv(&f), 2 * r.nv);
        assert_int_equal(hml_field_linearize(&f, g, r.tau, 0, scratch, NULL, A, B), HML_OK);
        hml_linearization x = {.struct_size = sizeof x};
        x.q.data = r.q, x.v.data = r.v, x.tau.data = r.tau, x.wrenches.data = r.wrenches;
        x.A.data = expected_A, x.B.data = expected_B;
        assert_int_equal(hml_linearize(r.model, r.work, &x), HML_OK);
        assert_near("A", A, expected_A, 4 * r.nv * r.nv, 1e-10);
        assert_near("B", B, expected_B, 2 * r.nv * r.nv, 1e-10);
        free(scratch);
        robot_close(&r);
    }
}

static hml_status failing(void *user, const double *g, const double *u, double t, double *lambda)
{
    int *calls = user;
    (void)g, (void)u, (void)t;
    memset(lambda, 0, 6 * sizeof *lambda);
    return --*calls < 0 ? HML_SINGULAR : HML_OK;
}

static void test_bad_input(void **state)
{
    (void)state;
    hml_joint_type universal = HML_JOINT_UNIVERSAL;
    hml_field f = {.struct_size = sizeof f, .nfactors = 2, .factors = top, .ninputs = 3, .velocity = top_velocity};
    double scratch[64], A[36], B[18], g[7] = {1, 0, 0, 0, 0, 0, 0}, u[3] = {0};
    assert_int_equal(hml_field_linearize(NULL, g, u, 0, scratch, NULL, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_field_linearize(&f, g, NULL, 0, scratch, NULL, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_field_linearize(&f, g, u, NAN, scratch, NULL, A, B), HML_INVALID_ARGUMENT);
    g[0] = 0.9;
    assert_int_equal(hml_field_linearize(&f, g, u, 0, scratch, NULL, A, B), HML_NOT_NORMALIZED);
    g[0] = 1, u[1] = INFINITY;
    assert_int_equal(hml_field_linearize(&f, g, u, 0, scratch, NULL, A, B), HML_NOT_FINITE);
    u[1] = 0;
    for (int calls = 0; calls < 1 + 8 * 9; calls++) { /* whichever call fails, its status comes back */
        int left = calls;
        f.velocity = failing, f.user = &left;
        assert_int_equal(hml_field_linearize(&f, g, u, 0, scratch, NULL, A, B), HML_SINGULAR);
    }
    f.step = -1;
    assert_int_equal(hml_field_linearize(&f, g, u, 0, scratch, NULL, A, B), HML_INVALID_ARGUMENT);
    f.step = 0, f.factors = &universal, f.nfactors = 1;
    assert_int_equal(hml_field_linearize(&f, g, u, 0, scratch, NULL, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_field_scratch_doubles(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_differences_against_derivatives),
        cmocka_unit_test(test_robots_are_fields),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
