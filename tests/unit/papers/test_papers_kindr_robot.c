/*
 * Kindr's formulas for robots as printed: Jacobians of a floating base block by block (appendix II), their derivatives
 * (appendix III), and the projected Newton-Euler equations body by body. Where the sheet has a slip, the printed form
 * must fail.
 */
#include "arrays.h"
#include "difference.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/random.h"
#include "hamel/se3.h"

enum { NB = 8, NV = 6 + NB, NQ = 8 + NB };

#define TOL      1e-12 /* some dozen roundings of numbers of size one */
#define RATE_TOL 1e-10 /* of a difference, second and third derivatives of some dozen */
#define FINITE   0.05  /* a formula that is off by this much is wrong, not inexact */

typedef struct {
    hml_model *model;
    hml_work *work;
    int nb, nv;
    double q[NQ], v[NV], a[NV];
} robot;

static void robot_open(robot *r, uint64_t seed, hml_joint_type root)
{
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.seed = seed, spec.shape = root == HML_JOINT_FREE ? HML_RANDOM_ANY : HML_RANDOM_CHAIN, spec.nbodies = NB - 1;
    spec.root = root, spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &r->model), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_ALL, &r->work), HML_OK);
    r->nb = hml_model_nbodies(r->model), r->nv = hml_model_nv(r->model);
    assert_true(r->nb <= NB && r->nv <= NV);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    for (int i = 0; i < r->nv; i++) r->v[i] = hml_rng_normal(&rng), r->a[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    const double y[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, y, sizeof y);
}

static void parts_of(const double H[16], double R[9], double o[3])
{
    for (int i = 0; i < 9; i++) R[i] = H[4 * (i / 3) + i % 3];
    for (int i = 0; i < 3; i++) o[i] = H[4 * i + 3];
}

static double off(const double *x, const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= most)) most = fabs(x[i] - y[i]);
    return most;
}

/* ---- appendix II ---- */

/* (9)-(11), (13), (14): the Jacobian of a frame Q for u = (v_I, ω_B, q̇), from r_BQ, C_IB and what the arm does in the
 * base */
static void test_jacobian_in_blocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        robot r;
        double base[16], there[16], arm[16], C[9], D[9], CD[9], A[9], o[3], p[3], b[3], x[3], Jarm[6 * NV], J[6 * NV];
        double blocks[6 * NV] = {0};
        robot_open(&r, seed, HML_JOINT_FREE);
        int Q = r.nb - 1, n = r.nv;
        hml_frame_motion of_base = {.struct_size = sizeof of_base, .pose = base};
        hml_frame_motion of_Q = {.struct_size = sizeof of_Q, .pose = there};
        hml_frame_motion in_base = {.struct_size = sizeof in_base, .pose = arm, .J = Jarm};
        assert_int_equal(hml_frame(r.model, r.work, 0, HML_LEFT, r.q, NULL, NULL, &of_base), HML_OK);
        assert_int_equal(hml_frame(r.model, r.work, Q, HML_LEFT, r.q, NULL, NULL, &of_Q), HML_OK);
        assert_int_equal(hml_frame_relative(r.model, r.work, Q, 0, HML_MIXED, r.q, NULL, NULL, &in_base), HML_OK);
        parts_of(base, C, o), parts_of(there, D, p), parts_of(arm, A, b);
        multiply(3, 3, 1, C, b, x); /* (9) */
        for (int k = 0; k < 3; k++) x[k] += o[k];
        CHECK(x, p, 3, TOL);
        multiply(3, 3, 3, C, A, CD); /* (11) */
        CHECK(CD, D, 9, TOL);
        const double hat[9] = {0, -b[2], b[1], b[2], 0, -b[0], -b[1], b[0], 0};
        double Chat[9];
        multiply(3, 3, 3, C, hat, Chat);
        for (int k = 0; k < 9; k++) { /* [1, −C r^, C J_P; 0, C, C J_R] */
            int row = k / 3, column = k % 3;
            blocks[row * n + column] = row == column;
            blocks[row * n + 3 + column] = -Chat[k], blocks[(row + 3) * n + 3 + column] = C[k];
        }
        for (int c = 6; c < n; c++) {
            double linear[3], angular[3], y[3];
            for (int k = 0; k < 3; k++) linear[k] = Jarm[k * n + c], angular[k] = Jarm[(k + 3) * n + c];
            multiply(3, 3, 1, C, linear, y);
            for (int k = 0; k < 3; k++) blocks[k * n + c] = y[k];
            multiply(3, 3, 1, C, angular, y);
            for (int k = 0; k < 3; k++) blocks[(k + 3) * n + c] = y[k];
        }
        assert_int_equal(hml_jacobian(r.model, r.work, Q, Q, HML_AXES_OF_WORLD, HML_SPLIT, r.q, NULL, J, NULL), HML_OK);
        CHECK(J, blocks, 6 * n, TOL);
        robot_close(&r);
    }
}

typedef struct {
    const robot *r;
    int frame, k;
    hml_representation rep;
} moving;

static void along(const robot *r, const double *z, double t, double *q)
{
    double step[NV];
    for (int i = 0; i < r->nv; i++) step[i] = t * z[i];
    assert_int_equal(hml_configuration_integrate(r->model, r->q, step, q), HML_OK);
}

/* position and rotation of a frame along ν */
static void pose_in_time(const void *context, double t, double *out)
{
    const moving *m = context;
    double q[NQ];
    hml_frame_motion f = {.struct_size = sizeof f, .pose = out};
    along(m->r, m->r->v, t, q);
    assert_int_equal(hml_frame(m->r->model, m->r->work, m->frame, HML_LEFT, q, NULL, NULL, &f), HML_OK);
}

/* (10), (12), (13): v_Q and ω_IQ = J u are the rates of position and rotation */
static void test_velocity_of_a_frame(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        robot r;
        double H[16], dH[16], R[9], dR[9], Rt[9], W[9], o[3], v[3], u[NV], J[6 * NV], V[6];
        robot_open(&r, seed, HML_JOINT_FREE);
        moving m = {&r, r.nb - 1, 0, HML_LEFT};
        pose_in_time(&m, 0, H), difference(pose_in_time, &m, 16, dH);
        parts_of(H, R, o), parts_of(dH, dR, v);
        transpose(3, R, Rt), multiply(3, 3, 3, dR, Rt, W);
        double base[16], C[9]; /* u: the base's velocity in I, its angular velocity in B */
        hml_frame_motion f = {.struct_size = sizeof f, .pose = base};
        assert_int_equal(hml_frame(r.model, r.work, 0, HML_LEFT, r.q, NULL, NULL, &f), HML_OK);
        memcpy(u, r.v, sizeof u);
        parts_of(base, C, o), multiply(3, 3, 1, C, r.v, u);
        assert_int_equal(
            hml_jacobian(r.model, r.work, m.frame, m.frame, HML_AXES_OF_WORLD, HML_SPLIT, r.q, NULL, J, NULL), HML_OK);
        multiply(6, r.nv, 1, J, u, V);
        const double expected[6] = {v[0], v[1], v[2], W[7], W[2], W[3]};
        CHECK(V, expected, 6, RATE_TOL);
        robot_close(&r);
    }
}

/* ---- appendix III ---- */

/* the Jacobian of a frame of an arm while coordinate k moves */
static void jacobian_moved(const void *context, double t, double *out)
{
    const moving *m = context;
    double q[NQ], z[NV] = {0};
    hml_frame_motion f = {.struct_size = sizeof f, .J = out};
    z[m->k] = 1;
    along(m->r, z, t, q);
    assert_int_equal(hml_frame(m->r->model, m->r->work, m->frame, m->rep, q, NULL, NULL, &f), HML_OK);
}

/* (15)-(18) for an arm: columns that turn about earlier ones, and J_Ri × J_Pj where j comes later; Σ H_k q̇_k = J̇ */
static void test_hessian_of_an_arm(void **state)
{
    (void)state;
    double printed = 0;
    for (uint64_t seed = 1; seed < 8; seed++) {
        robot r;
        double J[6 * NV], Jdot[6 * NV], sum[6 * NV] = {0};
        robot_open(&r, seed, HML_JOINT_REVOLUTE);
        int n = r.nv, last = r.nb - 1;
        hml_frame_motion f = {.struct_size = sizeof f, .J = J, .Jdot = Jdot};
        for (int frame = last - 2; frame <= last;
             frame++) { /* the later joints are not on the way to the first of these */
            assert_int_equal(hml_frame(r.model, r.work, frame, HML_MIXED, r.q, r.v, NULL, &f), HML_OK);
            memset(sum, 0, sizeof sum);
            for (int j = 0; j < n; j++) {
                moving m = {&r, frame, j, HML_MIXED};
                double H[6 * NV];
                difference(jacobian_moved, &m, (size_t)(6 * n), H);
                for (int i = 0; i < n; i++) {
                    double PI[3], RI[3], PJ[3], RJ[3], column[6] = {0}, rate[6], wrong[3];
                    for (int k = 0; k < 3; k++) {
                        PI[k] = J[k * n + i], RI[k] = J[(k + 3) * n + i], PJ[k] = J[k * n + j],
                        RJ[k] = J[(k + 3) * n + j];
                    }
                    for (int k = 0; k < 6; k++) rate[k] = H[k * n + i], sum[k * n + i] += rate[k] * r.v[j];
                    if (i >= j) {
                        cross3(RJ, PI, column), cross3(RJ, RI, column + 3);
                    } else {
                        cross3(RI, PJ, column), cross3(RJ, PI, wrong);
                        printed = fmax(printed, off(wrong, rate, 3));
                    }
                    CHECK(column, rate, 6, RATE_TOL);
                }
            }
            CHECK(sum, Jdot, 6 * n, 10 * RATE_TOL); /* (17), (18) */
        }
        robot_close(&r);
    }
    assert_true(printed > FINITE);
}

/* ---- projected Newton-Euler ---- */

/*
 * M = Σ (J_COMᵀ m J_COM + J_Rᵀ Θ J_R), g = Σ (J_COMᵀ m J̇_COM u + J_Rᵀ (Θ J̇_R u + Ω × Θ Ω)), f = Σ (J_Qᵀ f_Q + J_Rᵀ t):
 * everything in the world's axes. The second line in print is called M and repeats J where J̇ belongs.
 */
static void test_projected_newton_euler(void **state)
{
    (void)state;
    double printed = 0;
    for (uint64_t seed = 1; seed < 12; seed++) {
        robot r;
        double M[NV * NV] = {0}, g[NV] = {0}, g_printed[NV] = {0}, f[NV] = {0}, wrenches[6 * NB] = {0}, tau[NV],
                      bare[NV];
        double expected[NV * NV], rest[NV] = {0}, gravity[3];
        robot_open(&r, seed, HML_JOINT_FREE);
        int n = r.nv;
        hml_model_gravity(r.model, gravity);
        for (int b = 0; b < r.nb; b++) {
            hml_body_info info = {.struct_size = sizeof info};
            double JP[3 * NV], JPdot[3 * NV], J[6 * NV], Jdot[6 * NV], H[16], R[9], Rt[9], o[3], left[9], T[9];
            double aP[3] = {0}, aR[3] = {0}, vP[3] = {0}, w[3] = {0}, Tw[3], gyro[3], Ta[3], W[6];
            assert_int_equal(hml_model_body(r.model, b, &info), HML_OK);
            hml_point_motion p = {.struct_size = sizeof p, .J = JP, .Jdot = JPdot};
            hml_frame_motion m = {.struct_size = sizeof m, .pose = H, .J = J, .Jdot = Jdot};
            assert_int_equal(hml_point(r.model, r.work, b, info.com, r.q, r.v, NULL, &p), HML_OK);
            assert_int_equal(hml_frame(r.model, r.work, b, HML_MIXED, r.q, r.v, NULL, &m), HML_OK);
            const double *JR = J + 3 * n, *JRdot = Jdot + 3 * n;
            parts_of(H, R, o), transpose(3, R, Rt);
            multiply(3, 3, 3, R, info.moment, left), multiply(3, 3, 3, left, Rt, T);
            multiply(3, n, 1, JPdot, r.v, aP), multiply(3, n, 1, JRdot, r.v, aR);
            multiply(3, n, 1, JP, r.v, vP), multiply(3, n, 1, JR, r.v, w);
            multiply(3, 3, 1, T, w, Tw), cross3(w, Tw, gyro), multiply(3, 3, 1, T, aR, Ta);
            for (int k = 0; k < 6; k++) W[k] = sin(1.0 + k + 6 * b); /* a force and a torque at the body's origin */
            for (int i = 0; i < n; i++) {
                for (int k = 0; k < 3; k++) {
                    g[i] += JP[k * n + i] * info.mass * (aP[k] - gravity[k]) + JR[k * n + i] * (Ta[k] + gyro[k]);
                    g_printed[i] +=
                        JP[k * n + i] * info.mass * (vP[k] - gravity[k]) + JR[k * n + i] * (Tw[k] + gyro[k]);
                    f[i] += J[k * n + i] * W[k] + JR[k * n + i] * W[3 + k];
                    for (int c = 0; c < n; c++) {
                        double turned = 0;
                        for (int l = 0; l < 3; l++) turned += T[3 * k + l] * JR[l * n + c];
                        M[i * n + c] += info.mass * JP[k * n + i] * JP[k * n + c] + JR[k * n + i] * turned;
                    }
                }
            }
            for (int k = 0; k < 3; k++) { /* the same in the body's axes, as inverse dynamics take it */
                for (int l = 0; l < 3; l++)
                    wrenches[6 * b + k] += R[3 * l + k] * W[l], wrenches[6 * b + 3 + k] += R[3 * l + k] * W[3 + l];
            }
        }
        assert_int_equal(hml_mass_matrix(r.model, r.work, r.q, expected), HML_OK);
        CHECK(M, expected, n * n, 10 * TOL); /* some kilograms and square metres */
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, rest, NULL, bare), HML_OK);
        CHECK(g, bare, n, 100 * TOL); /* forces of a hundred newtons */
        printed = fmax(printed, off(g_printed, bare, n));
        assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, rest, wrenches, tau), HML_OK);
        for (int i = 0; i < n; i++) bare[i] -= tau[i];
        CHECK(f, bare, n, 100 * TOL);
        robot_close(&r);
    }
    assert_true(printed > FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_in_blocks),
        cmocka_unit_test(test_velocity_of_a_frame),
        cmocka_unit_test(test_hessian_of_an_arm),
        cmocka_unit_test(test_projected_newton_euler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
