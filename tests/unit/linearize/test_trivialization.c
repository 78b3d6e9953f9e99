/*
 * Representations against their definition. The dynamics here are any smooth ν̇ = f(q, ν): the change of representation
 * must not care. The references are fourth-order differences along the flow and across it, and use of the library only
 * ⊕ and ⊖: T comes from the positions and rotations themselves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/representation.h"

enum { NQ = 15, NV = 13, INPUTS = 2 }; /* two free roots and a joint between them */

/* two nested differences with step 2e-2: truncation h⁴·f⁽⁵⁾/30 ~ 5e-9 times values of order 30, round-off 1e-15/h² */
static const double H_STEP = 2e-2, TOLERANCE = 2e-6, ROUND_OFF = 1e-12;

static hml_model *model;

/* also false for NaN */
#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void add(hml_builder *b, const char *name, const char *parent, hml_joint_type type, double x, double turn)
{
    hml_joint_spec joint;
    hml_joint_spec_init(&joint, type);
    char text[32];
    strcat(strcpy(text, name), "_joint");
    joint.name = text;
    joint.position[0] = x;
    joint.position[2] = 0.3;
    joint.axis[2] = 1;
    joint.rotation[0] = joint.rotation[4] = cos(turn);
    joint.rotation[1] = -(joint.rotation[3] = sin(turn));
    hml_inertia_spec inertia = {1, {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    assert_int_equal(hml_builder_add_body(b, name, parent, &joint, &inertia, NULL), HML_OK);
}

static int setup(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add(b, "first", NULL, HML_JOINT_FREE, 0.5, 0.7);
    add(b, "arm", "first", HML_JOINT_REVOLUTE, 0.2, 0);
    add(b, "second", NULL, HML_JOINT_FREE, 0, 0);
    hml_status status = hml_builder_build(b, 0, &model, NULL);
    hml_builder_free(b);
    return status != HML_OK || hml_model_nv(model) != NV || hml_model_nq(model) != NQ;
}

static int teardown(void **state)
{
    (void)state;
    hml_model_free(model);
    return 0;
}

static const double Q[NQ] = {0.3, -0.8, 0.5, 0.5, 0.5, -0.1, 0.7, 0.4, -1.2, 0.6, 2, 0.1, -0.7, 0.3, 0.64};
static const double V[NV] = {0.4, -0.7, 0.2, 0.9, -0.3, 0.8, 0.5, 1.1, 0.2, -0.6, 0.3, 0.7, -0.5};

static void point(double q[NQ])
{
    memcpy(q, Q, sizeof Q);
    assert_int_equal(hml_configuration_normalize(model, q), HML_OK);
}

/* ---- the definition ---- */

static void rotation(const double quat[4], double R[9])
{
    double w = quat[0], x = quat[1], y = quat[2], z = quat[3];
    double M[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, M, sizeof M);
}

static void multiply(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* ν_rep of one root that hangs on the world at (x, 0, 0.3), turned about z */
static void represent_root(hml_representation representation, double x, double turn, const double *q, const double *v,
                           double *v_rep)
{
    double c = cos(turn), s = sin(turn), P[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, R[9], o[3], linear[3], w[3], turned[3];
    rotation(q + 3, R);
    multiply(P, q, o);
    o[0] += x, o[2] += 0.3;
    multiply(R, v, turned);
    multiply(P, turned, linear);
    multiply(R, v + 3, turned);
    multiply(P, turned, w);
    memcpy(v_rep, linear, sizeof linear);
    memcpy(v_rep + 3, representation == HML_SPLIT ? v + 3 : w, sizeof w);
    if (representation == HML_RIGHT) { /* ȯ − ω × o */
        v_rep[0] -= w[1] * o[2] - w[2] * o[1];
        v_rep[1] -= w[2] * o[0] - w[0] * o[2];
        v_rep[2] -= w[0] * o[1] - w[1] * o[0];
    }
}

static void represent(hml_representation representation, const double q[NQ], const double v[NV], double v_rep[NV])
{
    memcpy(v_rep, v, NV * sizeof *v);
    if (representation == HML_LEFT) return;
    represent_root(representation, 0.5, 0.7, q, v, v_rep);
    represent_root(representation, 0, 0, q + 8, v + 7, v_rep + 7);
}

/* the inverse, column by column of the definition: it is linear in v */
static void represent_back(hml_representation representation, const double q[NQ], const double v_rep[NV], double v[NV])
{
    double A[NV][NV + 1];
    for (int j = 0; j < NV; j++) {
        double unit[NV] = {0}, column[NV];
        unit[j] = 1;
        represent(representation, q, unit, column);
        for (int i = 0; i < NV; i++) A[i][j] = column[i];
        A[j][NV] = v_rep[j];
    }
    for (int k = 0; k < NV; k++) { /* Gauss-Jordan with row pivots */
        int p = k;
        for (int i = k; i < NV; i++) p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        for (int j = 0; j <= NV; j++) {
            double keep = A[k][j];
            A[k][j] = A[p][j], A[p][j] = keep;
        }
        for (int i = 0; i < NV; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j <= NV && i != k; j++) A[i][j] -= factor * A[k][j];
        }
    }
    for (int k = 0; k < NV; k++) v[k] = A[k][NV] / A[k][k];
}

/* ---- some dynamics, and the state along the flow and across it ---- */

static void acceleration(const double q[NQ], const double v[NV], const double w[INPUTS], double a[NV])
{
    double R[9];
    rotation(q + 3, R);
    for (int i = 0; i < NV; i++) {
        a[i] =
            sin(0.3 * i + q[i % 3]) + R[i % 9] * v[(i + 5) % NV] + 0.4 * v[i] * v[(i + 2) % NV] + q[7] * q[8 + i % 3];
        a[i] += (1 + 0.1 * i) * w[0] + R[(i + 4) % 9] * w[1];
    }
}

/* the state after a short time t, to second order: enough for first derivatives at t = 0 */
static void flow(const double q[NQ], const double v[NV], const double w[INPUTS], double t, double q_t[NQ],
                 double v_t[NV])
{
    double a[NV], step[NV];
    acceleration(q, v, w, a);
    for (int i = 0; i < NV; i++) {
        step[i] = t * v[i];
        v_t[i] = v[i] + t * a[i];
    }
    assert_int_equal(hml_configuration_integrate(model, q, step, q_t), HML_OK);
}

/* rate of the perturbed state (z_q, z_rep, w) in coordinates (q ⊖ nominal, ν_rep): along the flow, fourth order */
static void perturbed_rate(hml_representation representation, const double z[2 * NV], const double w[INPUTS],
                           double rate[2 * NV])
{
    static const double weights[4] = {1, -8, 8, -1}, none[INPUTS] = {0};
    static const int steps[4] = {-2, -1, 1, 2};
    double q0[NQ], q1[NQ], v1[NV], v_rep[NV];
    point(q0);
    represent(representation, q0, V, v_rep);
    for (int i = 0; i < NV; i++) v_rep[i] += z[NV + i];
    assert_int_equal(hml_configuration_integrate(model, q0, z, q1), HML_OK);
    represent_back(representation, q1, v_rep, v1);
    memset(rate, 0, 2 * NV * sizeof *rate);
    for (int k = 0; k < 4; k++) {
        double t = steps[k] * H_STEP, qa[NQ], va[NV], qb[NQ], vb[NV], z_t[NV], rep[NV];
        flow(q0, V, none, t, qa, va);
        flow(q1, v1, w, t, qb, vb);
        assert_int_equal(hml_configuration_difference(model, qa, qb, z_t), HML_OK);
        represent(representation, qb, vb, rep);
        for (int i = 0; i < NV; i++) {
            rate[i] += weights[k] * z_t[i] / (12 * H_STEP);
            rate[NV + i] += weights[k] * rep[i] / (12 * H_STEP);
        }
    }
}

/* column j of [A_rep B_rep]: across the flow, fourth order */
static void reference_column(hml_representation representation, int j, double column[2 * NV])
{
    static const double weights[4] = {1, -8, 8, -1};
    static const int steps[4] = {-2, -1, 1, 2};
    memset(column, 0, 2 * NV * sizeof *column);
    for (int k = 0; k < 4; k++) {
        double z[2 * NV + INPUTS] = {0}, rate[2 * NV];
        z[j] = steps[k] * H_STEP;
        perturbed_rate(representation, z, z + 2 * NV, rate);
        for (int i = 0; i < 2 * NV; i++) column[i] += weights[k] * rate[i] / (12 * H_STEP);
    }
}

/* ---- the tests ---- */

static const hml_representation ALL[] = {HML_LEFT, HML_RIGHT, HML_MIXED, HML_SPLIT};

static void names_go_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        hml_representation back;
        assert_int_equal(hml_representation_from_name(hml_representation_name(ALL[i]), &back), HML_OK);
        assert_int_equal(back, ALL[i]);
    }
    hml_representation back;
    assert_int_equal(hml_representation_from_name("hybrid", &back), HML_NOT_FOUND);
    assert_null(hml_representation_name((hml_representation)4));
}

static void vectors_follow_the_definition(void **state)
{
    (void)state;
    double q[NQ], tau[NV];
    point(q);
    for (int i = 0; i < NV; i++) tau[i] = cos(i);
    for (int k = 0; k < 4; k++) {
        double expected[NV], v_rep[NV], v[NV], tau_rep[NV], back[NV], power = 0, power_rep = 0;
        represent(ALL[k], q, V, expected);
        assert_int_equal(hml_velocity_to_representation(model, ALL[k], q, V, v_rep), HML_OK);
        assert_int_equal(hml_velocity_from_representation(model, ALL[k], q, v_rep, v), HML_OK);
        assert_int_equal(hml_force_to_representation(model, ALL[k], q, tau, tau_rep), HML_OK);
        assert_int_equal(hml_force_from_representation(model, ALL[k], q, tau_rep, back), HML_OK);
        for (int i = 0; i < NV; i++) {
            near(v_rep[i], expected[i], ROUND_OFF);
            near(v[i], V[i], ROUND_OFF);
            near(back[i], tau[i], ROUND_OFF);
            power += tau[i] * V[i];
            power_rep += tau_rep[i] * v_rep[i];
        }
        near(power_rep, power, ROUND_OFF);
    }
}

/* ν̇_rep, A_rep and B_rep from the left ones, which are differences too */
static void linearization_is_that_of_the_flow(void **state)
{
    (void)state;
    double q[NQ], a[NV], none[INPUTS] = {0}, zero[2 * NV] = {0};
    double A[2 * NV * 2 * NV], B[2 * NV * INPUTS], left[2 * NV][2 * NV + INPUTS];
    point(q);
    acceleration(q, V, none, a);
    for (int j = 0; j < 2 * NV + INPUTS; j++) {
        double column[2 * NV];
        reference_column(HML_LEFT, j, column);
        for (int i = 0; i < 2 * NV; i++) left[i][j] = column[i];
    }
    for (int k = 0; k < 4; k++) {
        double a_rep[NV], rate[2 * NV], column[2 * NV];
        for (int i = 0; i < 2 * NV; i++) {
            memcpy(A + i * 2 * NV, left[i], 2 * NV * sizeof *A);
            memcpy(B + i * INPUTS, left[i] + 2 * NV, INPUTS * sizeof *B);
        }
        assert_int_equal(hml_linearization_to_representation(model, ALL[k], q, V, a, INPUTS, A, B), HML_OK);
        assert_int_equal(hml_acceleration_to_representation(model, ALL[k], q, V, a, a_rep), HML_OK);
        perturbed_rate(ALL[k], zero, none, rate);
        for (int i = 0; i < NV; i++) near(a_rep[i], rate[NV + i], TOLERANCE);
        for (int j = 0; j < 2 * NV + INPUTS; j++) {
            reference_column(ALL[k], j, column);
            for (int i = 0; i < 2 * NV; i++) {
                double ours = j < 2 * NV ? A[i * 2 * NV + j] : B[i * INPUTS + j - 2 * NV];
                near(ours, column[i], TOLERANCE);
            }
        }
    }
}

static void equations_of_motion_keep_holding(void **state)
{
    (void)state;
    double q[NQ], a[NV];
    point(q);
    for (int i = 0; i < NV; i++) a[i] = sin(3.0 * i);
    for (int k = 0; k < 4; k++) {
        double M[NV * NV], h[NV], tau[NV], v_rep[NV], a_rep[NV], energy = 0, energy_rep = 0;
        for (int i = 0; i < NV; i++) {
            h[i] = tau[i] = cos(2.0 * i);
            for (int j = 0; j < NV; j++) {
                M[i * NV + j] = (i == j) * 3 + cos((double)(i + j)) / NV;
                tau[i] += M[i * NV + j] * a[j];
                energy += V[i] * M[i * NV + j] * V[j];
            }
        }
        assert_int_equal(hml_velocity_to_representation(model, ALL[k], q, V, v_rep), HML_OK);
        assert_int_equal(hml_acceleration_to_representation(model, ALL[k], q, V, a, a_rep), HML_OK);
        assert_int_equal(hml_dynamics_to_representation(model, ALL[k], q, V, M, h), HML_OK);
        assert_int_equal(hml_force_to_representation(model, ALL[k], q, tau, tau), HML_OK);
        for (int i = 0; i < NV; i++) {
            double sum = h[i];
            for (int j = 0; j < NV; j++) {
                sum += M[i * NV + j] * a_rep[j];
                energy_rep += v_rep[i] * M[i * NV + j] * v_rep[j];
            }
            near(sum, tau[i], 10 * ROUND_OFF);
        }
        near(energy_rep, energy, 10 * ROUND_OFF);
    }
}

static void jacobians_map_the_velocity_they_are_given(void **state)
{
    (void)state;
    double q[NQ], a[NV];
    point(q);
    for (int i = 0; i < NV; i++) a[i] = sin(3.0 * i);
    for (int k = 0; k < 4; k++) {
        double J[2 * NV], Jdot[2 * NV], v_rep[NV], a_rep[NV];
        double twist[2] = {0}, rate[2] = {0}, twist_rep[2] = {0}, rate_rep[2] = {0};
        for (int i = 0; i < 2 * NV; i++) J[i] = cos(i), Jdot[i] = sin(5.0 * i);
        for (int i = 0; i < 2 * NV; i++) twist[i / NV] += J[i] * V[i % NV];
        for (int i = 0; i < 2 * NV; i++) rate[i / NV] += J[i] * a[i % NV] + Jdot[i] * V[i % NV];
        assert_int_equal(hml_velocity_to_representation(model, ALL[k], q, V, v_rep), HML_OK);
        assert_int_equal(hml_acceleration_to_representation(model, ALL[k], q, V, a, a_rep), HML_OK);
        assert_int_equal(hml_jacobian_to_representation(model, ALL[k], q, V, 2, J, Jdot), HML_OK);
        for (int i = 0; i < 2 * NV; i++) twist_rep[i / NV] += J[i] * v_rep[i % NV];
        for (int i = 0; i < 2 * NV; i++) rate_rep[i / NV] += J[i] * a_rep[i % NV] + Jdot[i] * v_rep[i % NV];
        for (int i = 0; i < 2; i++) {
            near(twist_rep[i], twist[i], 10 * ROUND_OFF);
            near(rate_rep[i], rate[i], 10 * ROUND_OFF);
        }
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    double q[NQ], out[NV];
    point(q);
    assert_int_equal(hml_velocity_to_representation(NULL, HML_MIXED, q, V, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_velocity_to_representation(model, (hml_representation)7, q, V, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_force_from_representation(model, HML_MIXED, NULL, V, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_linearization_to_representation(model, HML_MIXED, q, V, NULL, 0, NULL, NULL),
                     HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(vectors_follow_the_definition),
        cmocka_unit_test(linearization_is_that_of_the_flow),
        cmocka_unit_test(equations_of_motion_keep_holding),
        cmocka_unit_test(jacobians_map_the_velocity_they_are_given),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
