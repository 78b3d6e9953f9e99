/*
 * Other generalized velocities, ū = B(q) u: against systems that are known in both, against the representations of a
 * free base, and by a robot whose motion with the new velocities is integrated and compared with the old ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/random.h"
#include "hamel/representation.h"

#define OK(call)              assert_int_equal(call, HML_OK)
#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance)) /* also false for NaN */

enum { MOST = 24, SQUARE = MOST * MOST };

/* ---- a point mass on a circle: two velocities become one, and the string's force is gone ---- */

static void test_pendulum_from_a_point_mass(void **state)
{
    (void)state;
    const double mass = 1.7, length = 0.6, g = 9.81;
    for (double angle = -3; angle < 3; angle += 0.4) {
        const double rate = 1 + angle * angle, c = cos(angle), s = sin(angle); /* from the lowest point */
        const double Mbar[4] = {mass, 0, 0, mass}, hbar[2] = {0, mass * g};
        const double B[2] = {length * c, length * s}, Bdot[2] = {-length * s * rate, length * c * rate};
        const double string[2] = {-s, c}; /* towards the pivot */
        double M, h, none, velocity[2], acceleration[2];
        OK(hml_substitute_dynamics(2, 1, B, Bdot, &rate, Mbar, hbar, &M, &h));
        near(M, mass * length * length, 1e-14);
        near(h, mass * g * length * s, 1e-13);
        OK(hml_substitute_force(2, 1, B, string, &none));
        near(none, 0, 1e-15);
        OK(hml_substitute_velocity(2, 1, B, &rate, velocity));
        near(hypot(velocity[0], velocity[1]), length * fabs(rate), 1e-14);
        const double second = -h / M;
        OK(hml_substitute_acceleration(2, 1, B, Bdot, &rate, &second, acceleration));
        /* towards the pivot: centripetal; along the circle: L θ̈ */
        near(-acceleration[0] * s + acceleration[1] * c, length * rate * rate, 1e-13);
        near(acceleration[0] * c + acceleration[1] * s, length * second, 1e-13);
    }
}

/* ---- a free robot: B = T⁻¹ is what the representations do ---- */

typedef struct robot {
    hml_model *model;
    hml_work *work;
    int32_t n;
    double q[MOST + 8], v[MOST];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.seed = seed, spec.nbodies = 5;
    hml_rng_seed(&rng, seed);
    OK(hml_model_random(&spec, &r->model));
    OK(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_ALL, &r->work));
    OK(hml_configuration_random(r->model, &rng, r->q));
    r->n = hml_model_nv(r->model);
    assert_true(r->n <= MOST);
    for (int32_t i = 0; i < r->n; i++) r->v[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static void dynamics_at(const robot *r, const double *q, const double *v, double *M, double *h)
{
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
    OK(hml_dynamics(r->model, r->work, q, v, NULL, NULL, &d));
}

/* T(q)⁻¹, column by column */
static void inverse_T(const robot *r, hml_representation rep, const double *q, double *B)
{
    for (int32_t k = 0; k < r->n; k++) {
        double unit[MOST] = {0}, column[MOST];
        unit[k] = 1;
        OK(hml_velocity_from_representation(r->model, rep, q, unit, column));
        for (int32_t i = 0; i < r->n; i++) B[i * r->n + k] = column[i];
    }
}

/* and its derivative along ν, eighth order */
static void inverse_T_rate(const robot *r, hml_representation rep, double *Bdot)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static double A[SQUARE], C[SQUARE];
    const double h = 1.0 / 256;
    memset(Bdot, 0, sizeof(double[SQUARE]));
    for (int k = 1; k <= 4; k++) {
        double q[MOST + 8], step[MOST];
        for (int32_t i = 0; i < r->n; i++) step[i] = k * h * r->v[i];
        OK(hml_configuration_integrate(r->model, r->q, step, q)), inverse_T(r, rep, q, A);
        for (int32_t i = 0; i < r->n; i++) step[i] = -step[i];
        OK(hml_configuration_integrate(r->model, r->q, step, q)), inverse_T(r, rep, q, C);
        for (int32_t i = 0; i < r->n * r->n; i++) Bdot[i] += weight[k - 1] / h * (A[i] - C[i]);
    }
}

static void test_representations_are_substitutions(void **state)
{
    (void)state;
    static double B[SQUARE], Bdot[SQUARE], Mbar[SQUARE], M[SQUARE], M2[SQUARE], J[6 * MOST], Jd[6 * MOST], J2[6 * MOST],
        J2d[6 * MOST];
    for (uint64_t seed = 1; seed < 5; seed++) {
        robot r;
        robot_open(&r, seed);
        for (int rep_ = HML_RIGHT; rep_ <= HML_SPLIT; rep_++) {
            const hml_representation rep = (hml_representation)rep_;
            double hbar[MOST], h[MOST], h2[MOST], u[MOST], force[MOST], tau[MOST], tau2[MOST];
            const int32_t n = r.n;
            inverse_T(&r, rep, r.q, B), inverse_T_rate(&r, rep, Bdot);
            dynamics_at(&r, r.q, r.v, Mbar, hbar);
            OK(hml_velocity_to_representation(r.model, rep, r.q, r.v, u));
            OK(hml_substitute_dynamics(n, n, B, Bdot, u, Mbar, hbar, M, h));
            memcpy(M2, Mbar, sizeof M2), memcpy(h2, hbar, sizeof h2);
            OK(hml_dynamics_to_representation(r.model, rep, r.q, r.v, M2, h2));
            double size = 1;
            for (int32_t i = 0; i < n * n; i++) size = fmax(size, fabs(M2[i]));
            for (int32_t i = 0; i < n * n; i++) near(M[i], M2[i], 1e-13 * size);
            for (int32_t i = 0; i < n; i++) near(h[i], h2[i], 1e-10 * size); /* Ḃ by differences */
            for (int32_t i = 0; i < n; i++) force[i] = sin(i + 1.0);
            OK(hml_substitute_force(n, n, B, force, tau));
            OK(hml_force_to_representation(r.model, rep, r.q, force, tau2));
            for (int32_t i = 0; i < n; i++) near(tau[i], tau2[i], 1e-13);
            hml_frame_motion m = {.struct_size = sizeof m, .J = J, .Jdot = Jd};
            OK(hml_frame(r.model, r.work, hml_model_nbodies(r.model) - 1, HML_MIXED, r.q, r.v, NULL, &m));
            OK(hml_substitute_jacobian(n, n, B, Bdot, 6, J, Jd, J2, J2d));
            OK(hml_jacobian_to_representation(r.model, rep, r.q, r.v, 6, J, Jd));
            for (int32_t i = 0; i < 6 * n; i++) near(J2[i], J[i], 1e-12), near(J2d[i], Jd[i], 1e-10);
        }
        robot_close(&r);
    }
}

/* ---- fewer velocities: joints that are geared together by a law that changes with the configuration ---- */

enum { NEW = 2 };

/* three joint angles q follow two parameters x: q = φ(x); ū = q̇ = φ'(x) ẋ */
static void law(const double x[NEW], double q[3])
{
    q[0] = x[0] + 0.3 * sin(x[1]), q[1] = x[0] * x[1] - 0.2, q[2] = cos(x[0]) + x[1];
}

static void law_rate(const double x[NEW], const double u[NEW], double B[3 * NEW], double Bdot[3 * NEW])
{
    const double b[6] = {1, 0.3 * cos(x[1]), x[1], x[0], -sin(x[0]), 1};
    const double d[6] = {0, -0.3 * sin(x[1]) * u[1], u[1], u[0], -cos(x[0]) * u[0], 0};
    memcpy(B, b, sizeof b), memcpy(Bdot, d, sizeof d);
}

static hml_model *arm(hml_work **work)
{
    hml_builder *b = hml_builder_new();
    hml_model *model = NULL;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"a", "b", "c"}, *const joints[] = {"ja", "jb", "jc"};
        hml_joint_spec joint;
        hml_inertia_spec solid = {1 + i, {0.2, 0.1, -0.3}, {0.4, 0, 0, 0, 0.5, 0, 0, 0, 0.6}};
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.name = joints[i];
        joint.position[0] = 0.5 * i;
        joint.axis[0] = i == 0, joint.axis[1] = i == 1, joint.axis[2] = i == 2;
        OK(hml_builder_add_body(b, names[i], i ? names[i - 1] : NULL, &joint, &solid, NULL));
    }
    OK(hml_builder_build(b, 0, &model, NULL));
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, work));
    hml_builder_free(b);
    return model;
}

/* kinetic energy and potential as functions of x and u, by the robot's own */
static void energies(const hml_model *model, hml_work *work, const double x[NEW], const double u[NEW], double *kinetic,
                     double *potential)
{
    double q[3], v[3], B[6], Bdot[6], M[9], h[3];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
    law(x, q), law_rate(x, u, B, Bdot);
    OK(hml_substitute_velocity(3, NEW, B, u, v));
    OK(hml_dynamics(model, work, q, v, NULL, NULL, &d));
    *kinetic = d.kinetic_energy, *potential = d.potential_energy;
}

/*
 * Lagrange's equations in x, d/dt ∂T/∂u − ∂T/∂x + ∂V/∂x, by differences of T and V alone, at u̇ = 0: that is h. M is
 * ∂²T/∂u². Central differences of second and mixed order, h = 1e-3: 1e-6 times fourth derivatives, and 1e-14/h².
 */
static void test_lagrange_of_fewer_velocities(void **state)
{
    (void)state;
    hml_work *work;
    hml_model *model = arm(&work);
    const double e = 1e-3;
    for (int s = 0; s < 10; s++) {
        const double x[NEW] = {0.3 * s - 1, 0.7 - 0.2 * s}, u[NEW] = {1 - 0.1 * s, 0.4 * s - 1};
        double q[3], v[3], B[6], Bdot[6], Mbar[9], hbar[3], M[4], h[2], T[4], V[2];
        law(x, q), law_rate(x, u, B, Bdot);
        OK(hml_substitute_velocity(3, NEW, B, u, v));
        hml_dynamics_result d = {.struct_size = sizeof d, .M = Mbar, .h = hbar};
        OK(hml_dynamics(model, work, q, v, NULL, NULL, &d));
        OK(hml_substitute_dynamics(3, NEW, B, Bdot, u, Mbar, hbar, M, h));
        for (int i = 0; i < NEW; i++) {
            double lagrange = 0;
            for (int sign = -1; sign <= 1; sign += 2) { /* ∂V/∂x − ∂T/∂x */
                double y[NEW] = {x[0], x[1]};
                y[i] += sign * e;
                energies(model, work, y, u, T, V);
                lagrange += sign * (V[0] - T[0]) / (2 * e);
            }
            for (int k = 0; k < NEW; k++) { /* (∂²T/∂u_i ∂x_k) u_k, and M_ik */
                double mixed = 0, second = 0;
                for (int a = -1; a <= 1; a += 2) {
                    for (int b = -1; b <= 1; b += 2) {
                        double y[NEW] = {x[0], x[1]}, w[NEW] = {u[0], u[1]}, z[NEW] = {u[0], u[1]};
                        w[i] += a * e, y[k] += b * e;
                        energies(model, work, y, w, T, V);
                        mixed += a * b * T[0] / (4 * e * e);
                        z[i] += a * e, z[k] += b * e;
                        energies(model, work, x, z, T, V);
                        second += a * b * T[0] / (4 * e * e);
                    }
                }
                lagrange += mixed * u[k];
                near(M[NEW * i + k], second, 1e-6);
            }
            near(h[i], lagrange, 1e-4);
        }
    }
    hml_work_free(work);
    hml_model_free(model);
}

/* Kindr's print with its h on the right: −h = Bᵀ(−h̄) − Bᵀ M̄ Ḃ u; read with h on the left it would miss by 2 BᵀM̄Ḃu */
static void test_the_sign_in_print(void **state)
{
    (void)state;
    const double B[4] = {1, 2, 0.5, -1}, Bdot[4] = {0.3, -0.2, 0.7, 0.4}, Mbar[4] = {2, 0.1, 0.1, 3};
    const double hbar[2] = {1, -4}, u[2] = {0.6, -0.9};
    double M[4], h[2];
    OK(hml_substitute_dynamics(2, 2, B, Bdot, u, Mbar, hbar, M, h));
    double Bu[2], MB[2];
    for (int i = 0; i < 2; i++) Bu[i] = Bdot[2 * i] * u[0] + Bdot[2 * i + 1] * u[1];
    for (int i = 0; i < 2; i++) MB[i] = Mbar[2 * i] * Bu[0] + Mbar[2 * i + 1] * Bu[1];
    for (int i = 0; i < 2; i++) {
        const double right = -(B[i] * hbar[0] + B[2 + i] * hbar[1]) - (B[i] * MB[0] + B[2 + i] * MB[1]);
        near(h[i], -right, 1e-15);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    const double B[4] = {1, 0, 0, 1}, bad[4] = {0, NAN, 0, 0};
    double M[4], h[2];
    assert_int_equal(hml_substitute_velocity(0, 2, B, B, h), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_substitute_velocity(2, 2, bad, B, h), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_velocity(2, 2, B, B, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_substitute_acceleration(2, 2, B, bad, B, B, h), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_acceleration(2, 2, B, NULL, B, NULL, h), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_substitute_force(2, 2, B, bad, h), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_dynamics(2, -1, B, B, B, B, B, M, h), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_substitute_dynamics(2, 2, B, B, bad, B, B, M, h), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_dynamics(2, 2, B, B, B, bad, B, M, h), HML_NOT_FINITE);
    OK(hml_substitute_dynamics(2, 2, B, NULL, B, B, B, NULL, NULL));
    const double huge[4] = {1e200, 1e200, 1e200, 1e200};
    assert_int_equal(hml_substitute_dynamics(2, 2, huge, NULL, B, huge, B, M, h), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_velocity(2, 2, huge, huge, h), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_jacobian(2, 2, huge, NULL, 2, huge, NULL, M, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_jacobian(2, 2, B, B, 2, bad, NULL, M, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_substitute_jacobian(2, 2, B, B, 2, B, NULL, M, M), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_from_a_point_mass),
        cmocka_unit_test(test_representations_are_substitutions),
        cmocka_unit_test(test_lagrange_of_fewer_velocities),
        cmocka_unit_test(test_the_sign_in_print),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
