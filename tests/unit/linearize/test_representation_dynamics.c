/*
 * Dynamics in other representations than left: the Coriolis matrix, the matrix Y, steps, constraints and impulses, and
 * the way back. Judges: differences of the functions themselves in the representation's own numbers, and round trips.
 */
#include "representation_check.h"

static stage s;

static int setup(void **state)
{
    (void)state;
    s.model = creature();
    s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
    s.items[1] = hold(s.model, HML_HOLD_PLANE, "hook");
    s.items[1].damping = 2;
    open_stage(&s, 2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close_stage(&s);
    return 0;
}

static void random_matrix(double *A, int n)
{
    for (int i = 0; i < n; i++) A[i] = draw(-1, 1);
}

/* ---- Y ---- */

static void Y_along_the_motion(const void *context, double t, double *out)
{
    const hml_representation *representation = context;
    double step[MOST], q[MOST], Y[MOST * MOST];
    for (int i = 0; i < s.nv; i++) step[i] = t * s.v[i];
    ASSERT_OK(hml_configuration_integrate(s.model, s.q, step, q));
    ASSERT_OK(hml_velocity_transform(s.model, *representation, q, NULL, Y, NULL));
    for (int i = 0; i < 36; i++) out[i] = Y[i / 6 * s.nv + i % 6]; /* the base's block; the rest is constant */
}

static void Y_is_the_change_of_representation(void **state)
{
    (void)state;
    const int n = s.nv;
    for (int k = 0; k < 4; k++) {
        double Y[MOST * MOST], Ydot[MOST * MOST], rep[MOST], back[MOST], rate[36];
        ASSERT_OK(hml_velocity_transform(s.model, ALL[k], s.q, s.v, Y, Ydot));
        ASSERT_OK(hml_velocity_to_representation(s.model, ALL[k], s.q, s.v, rep));
        multiply(n, n, 1, Y, rep, back);
        CHECK(back, s.v, n, ROUND_OFF);
        difference(Y_along_the_motion, &ALL[k], 36, rate);
        for (int i = 0; i < n * n; i++) {
            double expected = i / n < 6 && i % n < 6 ? rate[i / n * 6 + i % n] : 0;
            CHECK(&Ydot[i], &expected, 1, DIFFERENCE_TOL);
        }
        /* J_rep = J Y and M_rep = Yᵀ M Y, Notation (75) and section 9 */
        double J[3 * MOST], JY[3 * MOST], M[MOST * MOST], h[MOST] = {0}, MY[MOST * MOST], Yt[MOST * MOST],
                                                          YMY[MOST * MOST];
        random_matrix(J, 3 * n);
        multiply(3, n, n, J, Y, JY);
        ASSERT_OK(hml_jacobian_to_representation(s.model, ALL[k], s.q, s.v, 3, J, NULL));
        CHECK(J, JY, 3 * n, ROUND_OFF);
        ASSERT_OK(hml_mass_matrix(s.model, s.work, s.q, M));
        multiply(n, n, n, M, Y, MY);
        transpose(n, Y, Yt);
        multiply(n, n, n, Yt, MY, YMY);
        ASSERT_OK(hml_dynamics_to_representation(s.model, ALL[k], s.q, s.v, M, h));
        CHECK(M, YMY, n * n, ROUND_OFF);
    }
}

/* ---- Coriolis ---- */

typedef struct entry {
    hml_representation representation;
    int row;
} entry;

static void mass_row_along_the_motion(const void *context, double t, double *out)
{
    const entry *e = context;
    double step[MOST], q[MOST], M[MOST * MOST], h[MOST] = {0};
    for (int i = 0; i < s.nv; i++) step[i] = t * s.v[i];
    ASSERT_OK(hml_configuration_integrate(s.model, s.q, step, q));
    ASSERT_OK(hml_mass_matrix(s.model, s.work, q, M));
    ASSERT_OK(hml_dynamics_to_representation(s.model, e->representation, q, s.v, M, h));
    memcpy(out, M + e->row * s.nv, (size_t)s.nv * sizeof *out);
}

/* Ṁ_rep by differences of M_rep; Ṁ − 2C skew, that is Ṁ = C + Cᵀ; C ν + G = h; and back to left */
static void coriolis_in_every_representation(void **state)
{
    (void)state;
    const int n = s.nv;
    void *memory = malloc(hml_recursive_size(s.model));
    double M[MOST * MOST], h[MOST], gravity[MOST], C[MOST * MOST], Mdot[MOST * MOST];
    hml_dynamics_result result = {.struct_size = sizeof result, .M = M, .h = h, .gravity = gravity};
    ASSERT_OK(hml_dynamics(s.model, s.work, s.q, s.v, NULL, NULL, &result));
    ASSERT_OK(hml_coriolis_matrix(s.model, memory, s.q, s.v, C, Mdot));
    for (int k = 0; k < 4; k++) {
        double Mk[MOST * MOST], hk[MOST], Ck[MOST * MOST], Mdotk[MOST * MOST], G[MOST], v[MOST], Cv[MOST], sum[MOST];
        memcpy(Mk, M, sizeof M), memcpy(hk, h, sizeof h), memcpy(Ck, C, sizeof C), memcpy(Mdotk, Mdot, sizeof Mdot);
        ASSERT_OK(hml_coriolis_to_representation(s.model, ALL[k], s.q, s.v, M, Ck, Mdotk));
        ASSERT_OK(hml_dynamics_to_representation(s.model, ALL[k], s.q, s.v, Mk, hk));
        ASSERT_OK(hml_force_to_representation(s.model, ALL[k], s.q, gravity, G));
        ASSERT_OK(hml_velocity_to_representation(s.model, ALL[k], s.q, s.v, v));
        multiply(n, n, 1, Ck, v, Cv);
        for (int i = 0; i < n; i++) sum[i] = Cv[i] + G[i];
        CHECK(sum, hk, n, ROUND_OFF);
        for (int i = 0; i < n; i++) {
            entry e = {ALL[k], i};
            double rate[MOST];
            difference(mass_row_along_the_motion, &e, (size_t)n, rate);
            CHECK(Mdotk + i * n, rate, n, DIFFERENCE_TOL);
            for (int j = 0; j < n; j++) {
                double skew = Mdotk[i * n + j] - 2 * Ck[i * n + j] + Mdotk[j * n + i] - 2 * Ck[j * n + i], zero = 0;
                CHECK(&skew, &zero, 1, ROUND_OFF);
            }
        }
        double alone[MOST * MOST];
        memcpy(alone, C, sizeof C);
        ASSERT_OK(hml_coriolis_to_representation(s.model, ALL[k], s.q, s.v, M, alone, NULL));
        CHECK(alone, Ck, n * n, 0);
        ASSERT_OK(hml_coriolis_from_representation(s.model, ALL[k], s.q, s.v, Mk, Ck, Mdotk));
        CHECK(Ck, C, n * n, ROUND_OFF);
        CHECK(Mdotk, Mdot, n * n, ROUND_OFF);
    }
    free(memory);
}

/* ---- there and back ---- */

static void from_undoes_to(void **state)
{
    (void)state;
    const int n = s.nv, m = 3;
    static double A[4 * MOST * MOST], A0[4 * MOST * MOST], B[2 * MOST * 3], B0[2 * MOST * 3];
    double a[MOST], M[MOST * MOST], M0[MOST * MOST], h[MOST], h0[MOST], J[3 * MOST], J0[3 * MOST];
    double Jdot[3 * MOST], Jdot0[3 * MOST], q_next[MOST], v_next[MOST];
    draw_array(a, n, 1);
    draw_array(v_next, n, 1);
    ASSERT_OK(hml_configuration_integrate(s.model, s.q, a, q_next));
    for (int k = 0; k < 4; k++) {
        double rep[MOST], back[MOST];
        ASSERT_OK(hml_acceleration_to_representation(s.model, ALL[k], s.q, s.v, a, rep));
        ASSERT_OK(hml_acceleration_from_representation(s.model, ALL[k], s.q, s.v, rep, back));
        CHECK(back, a, n, ROUND_OFF);

        random_matrix(M, n * n), random_matrix(h, n), random_matrix(J, 3 * n), random_matrix(Jdot, 3 * n);
        memcpy(M0, M, sizeof M), memcpy(h0, h, sizeof h), memcpy(J0, J, sizeof J), memcpy(Jdot0, Jdot, sizeof Jdot);
        ASSERT_OK(hml_dynamics_to_representation(s.model, ALL[k], s.q, s.v, M, h));
        ASSERT_OK(hml_dynamics_from_representation(s.model, ALL[k], s.q, s.v, M, h));
        CHECK(M, M0, n * n, ROUND_OFF);
        CHECK(h, h0, n, ROUND_OFF);
        ASSERT_OK(hml_jacobian_to_representation(s.model, ALL[k], s.q, s.v, 3, J, Jdot));
        ASSERT_OK(hml_jacobian_from_representation(s.model, ALL[k], s.q, s.v, 3, J, Jdot));
        CHECK(J, J0, 3 * n, ROUND_OFF);
        CHECK(Jdot, Jdot0, 3 * n, ROUND_OFF);

        random_matrix(A, 4 * n * n), random_matrix(B, 2 * n * m);
        for (int i = 0; i < n * n; i++) { /* the upper half of a linearization is block diagonal */
            int same = (i / n < 6) == (i % n < 6);
            if (!same) A[i / n * 2 * n + i % n] = A[i / n * 2 * n + n + i % n] = 0;
        }
        memcpy(A0, A, sizeof A), memcpy(B0, B, sizeof B);
        ASSERT_OK(hml_linearization_to_representation(s.model, ALL[k], s.q, s.v, a, m, A, B));
        if (k) assert_true(fabs(A[n * 2 * n] - A0[n * 2 * n]) > 1e-3); /* it did something */
        ASSERT_OK(hml_linearization_from_representation(s.model, ALL[k], s.q, s.v, a, m, A, B));
        CHECK(A, A0, 4 * n * n, ROUND_OFF);
        CHECK(B, B0, 2 * n * m, ROUND_OFF);
        ASSERT_OK(hml_step_to_representation(s.model, ALL[k], s.q, s.v, q_next, v_next, m, A, B));
        ASSERT_OK(hml_step_from_representation(s.model, ALL[k], s.q, s.v, q_next, v_next, m, A, B));
        CHECK(A, A0, 4 * n * n, ROUND_OFF);
        CHECK(B, B0, 2 * n * m, ROUND_OFF);
    }
}

/* ---- a step ---- */

static const hml_scheme schemes[] = {HML_SCHEME_EULER, HML_SCHEME_RK4};
static hml_scheme scheme;
static double q_end[MOST];

/* (q⁺ ⊖ nominal, ν⁺_rep) */
static void step_along(const void *context, double t, double *out)
{
    const direction *d = context;
    double q[MOST], v[MOST], tau[MOST], q_next[MOST], v_next[MOST];
    double *scratch = malloc(hml_step_scratch_doubles(s.model) * sizeof *scratch);
    move_along(d, t, q, v, tau);
    ASSERT_OK(hml_step(s.model, s.work, scratch,
                       &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = 0.05, .q.data = q, .v.data = v,
                                   .tau.data = tau, .q_next.data = q_next, .v_next.data = v_next)));
    if (d->global)
        ASSERT_OK(hml_configuration_difference_global(s.model, q_end, q_next, out));
    else
        ASSERT_OK(hml_configuration_difference(s.model, q_end, q_next, out));
    ASSERT_OK(hml_velocity_to_representation(s.model, d->representation, q_next, v_next, out + s.nv));
    free(scratch);
}

static void steps_in_every_representation(void **state)
{
    (void)state;
    const int n = s.nv;
    static double Ad[4 * MOST * MOST], Bd[2 * MOST * MOST];
    double v_end[MOST], *scratch = malloc(hml_step_scratch_doubles(s.model) * sizeof *scratch);
    for (int c = 0; c < 16; c++) {
        hml_representation representation = ALL[c % 4];
        int global = c / 4 % 2;
        scheme = schemes[c / 8];
        ASSERT_OK(hml_step(s.model, s.work, scratch,
                           &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = 0.05, .q.data = s.q, .v.data = s.v,
                                       .tau.data = s.tau, .q_next.data = q_end, .v_next.data = v_end, .Ad.data = Ad,
                                       .Bd.data = Bd)));
        ASSERT_OK(hml_step_to_representation(s.model, representation, s.q, s.v, q_end, v_end, n, Ad, Bd));
        if (global) ASSERT_OK(hml_step_to_global(s.model, s.q, q_end, n, Ad, Bd));
        check_columns(&s, representation, global, step_along, 2 * n, 0, 2 * n, Ad, 2 * n, DIFFERENCE_TOL);
        check_columns(&s, representation, global, step_along, 2 * n, 2 * n, 3 * n, Bd, n, DIFFERENCE_TOL);
    }
    free(scratch);
}

/* ---- constraints ---- */

/* ν̇_rep, then λ */
static void constrained_along(const void *context, double t, double *out)
{
    const direction *d = context;
    double q[MOST], v[MOST], tau[MOST], a[MOST];
    move_along(d, t, q, v, tau);
    ASSERT_OK(hml_constrained_forward_dynamics(
        s.model, s.work, &s.set, s.scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau, .acceleration = a, .lambda = out + s.nv)));
    ASSERT_OK(hml_acceleration_to_representation(s.model, d->representation, q, v, a, out));
}

static void constraints_in_every_representation(void **state)
{
    (void)state;
    const int n = s.nv, m = s.m;
    static double A[4 * MOST * MOST], B[2 * MOST * MOST], Dq[MOST * MOST], Dv[MOST * MOST], Dtau[MOST * MOST];
    static double lambda_q[MOST * MOST], lambda_v[MOST * MOST], lambda_tau[MOST * MOST], D[MOST * MOST * 4];
    for (int k = 0; k < 4; k++) {
        double a[MOST], lambda[MOST], expected[MOST], zero[MOST] = {0};
        hml_constrained_linearization x = {.struct_size = sizeof x,
                                           .q = s.q,
                                           .v = s.v,
                                           .tau = s.tau,
                                           .acceleration = a,
                                           .lambda = lambda,
                                           .Dq = Dq,
                                           .Dv = Dv,
                                           .Dtau = Dtau,
                                           .lambda_q = lambda_q,
                                           .lambda_v = lambda_v,
                                           .lambda_tau = lambda_tau,
                                           .A = A,
                                           .B = B};
        ASSERT_OK(hml_constrained_linearize(s.model, s.work, &s.set, s.scratch, &x));
        ASSERT_OK(hml_constrained_to_representation(s.model, ALL[k], m, &x));
        direction nowhere = {.s = &s, .representation = ALL[k]};
        constrained_along(&nowhere, 0, expected);
        CHECK(a, expected, n, DIFFERENCE_TOL);
        CHECK(lambda, expected + n, m, DIFFERENCE_TOL);
        for (int i = 0; i < n + m; i++) { /* all derivatives in one matrix */
            for (int j = 0; j < n; j++) {
                D[i * 3 * n + j] = i < n ? Dq[i * n + j] : lambda_q[(i - n) * n + j];
                D[i * 3 * n + n + j] = i < n ? Dv[i * n + j] : lambda_v[(i - n) * n + j];
                D[i * 3 * n + 2 * n + j] = i < n ? Dtau[i * n + j] : lambda_tau[(i - n) * n + j];
            }
        }
        check_columns(&s, ALL[k], 0, constrained_along, n + m, 0, 3 * n, D, 3 * n, 10 * DIFFERENCE_TOL);
        for (int i = 0; i < n; i++) { /* the lower halves of A and B are these */
            CHECK(A + (n + i) * 2 * n, Dq + i * n, n, ROUND_OFF * 100);
            CHECK(A + (n + i) * 2 * n + n, Dv + i * n, n, ROUND_OFF * 100);
            CHECK(B + (n + i) * n, Dtau + i * n, n, ROUND_OFF * 100);
            CHECK(B + i * n, zero, n, 0);
        }
    }
}

/* ν⁺_rep, then Λ */
static void impulse_along(const void *context, double t, double *out)
{
    const direction *d = context;
    double q[MOST], v[MOST], tau[MOST], v_next[MOST];
    move_along(d, t, q, v, tau);
    ASSERT_OK(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                      &HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .restitution = 0.3,
                                                  .v_next = v_next, .impulse = out + s.nv)));
    ASSERT_OK(hml_velocity_to_representation(s.model, d->representation, q, v_next, out));
}

static void impulses_in_every_representation(void **state)
{
    (void)state;
    const int n = s.nv, m = s.m;
    static double next_q[MOST * MOST], next_v[MOST * MOST], impulse_q[MOST * MOST], impulse_v[MOST * MOST];
    static double D[MOST * MOST * 4];
    for (int k = 0; k < 4; k++) {
        double v_next[MOST], impulse[MOST], expected[MOST];
        ASSERT_OK(
            hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                    &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = 0.3,
                                                .v_next = v_next, .impulse = impulse, .next_q = next_q,
                                                .next_v = next_v, .impulse_q = impulse_q, .impulse_v = impulse_v)));
        ASSERT_OK(hml_impulse_to_representation(s.model, ALL[k], m,
                                                &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v,
                                                            .v_next = v_next, .next_q = next_q, .next_v = next_v,
                                                            .impulse_q = impulse_q, .impulse_v = impulse_v)));
        direction nowhere = {.s = &s, .representation = ALL[k]};
        impulse_along(&nowhere, 0, expected);
        CHECK(v_next, expected, n, ROUND_OFF);
        for (int i = 0; i < n + m; i++) {
            for (int j = 0; j < n; j++) {
                D[i * 2 * n + j] = i < n ? next_q[i * n + j] : impulse_q[(i - n) * n + j];
                D[i * 2 * n + n + j] = i < n ? next_v[i * n + j] : impulse_v[(i - n) * n + j];
            }
        }
        check_columns(&s, ALL[k], 0, impulse_along, n + m, 0, 2 * n, D, 2 * n, 10 * DIFFERENCE_TOL);
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    double q[MOST], v[MOST], M[MOST * MOST], h[MOST] = {0};
    const hml_representation fifth = (hml_representation)4;
    memcpy(q, s.q, sizeof q), memcpy(v, s.v, sizeof v);
    assert_int_equal(hml_velocity_transform(s.model, fifth, q, v, M, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_velocity_transform(s.model, HML_MIXED, q, NULL, NULL, M), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_velocity_transform(s.model, HML_MIXED, q, v, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_dynamics_from_representation(s.model, HML_MIXED, q, NULL, M, h), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_coriolis_to_representation(s.model, HML_MIXED, q, v, NULL, M, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_step_to_representation(s.model, HML_MIXED, q, v, NULL, v, 0, M, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_jacobian_from_representation(s.model, HML_MIXED, q, v, -1, M, NULL), HML_INVALID_ARGUMENT);
    v[2] = NAN;
    assert_int_equal(hml_acceleration_from_representation(s.model, HML_MIXED, q, v, v, h), HML_NOT_FINITE);
    q[3] = 2; /* of the quaternion */
    assert_int_equal(hml_velocity_transform(s.model, HML_MIXED, q, NULL, M, NULL), HML_NOT_NORMALIZED);
    hml_constrained_linearization x = {.struct_size = sizeof x, .q = s.q, .v = s.v, .acceleration = h, .Dq = M};
    assert_int_equal(hml_constrained_to_representation(s.model, HML_MIXED, s.m, &x), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(Y_is_the_change_of_representation),
        cmocka_unit_test(coriolis_in_every_representation),
        cmocka_unit_test(from_undoes_to),
        cmocka_unit_test(steps_in_every_representation),
        cmocka_unit_test(constraints_in_every_representation),
        cmocka_unit_test(impulses_in_every_representation),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
