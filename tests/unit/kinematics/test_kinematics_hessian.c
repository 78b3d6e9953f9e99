/*
 * Hessians against any base velocity and of points, and points that move in their frame: differences of eighth order
 * of Jacobians and of positions, on trees with every joint type and mimic joints.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "any_robot.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/representation.h"
#include "worst.h"

#define OK(call) assert_int_equal(call, HML_OK)

enum { MAX_NV = 48, MAX_NQ = 64 };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    int32_t nv, nframes;
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec = any_robot(seed, 0.4);
    hml_rng rng;
    spec.nbodies = 6;
    spec.nframes = 4;
    hml_rng_seed(&rng, seed);
    OK(hml_model_random(&spec, &r->model));
    OK(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_TREE, &r->work));
    OK(hml_configuration_random(r->model, &rng, r->q));
    r->nv = hml_model_nv(r->model), r->nframes = hml_model_nframes(r->model);
    assert_true(r->nv <= MAX_NV && hml_model_nq(r->model) <= MAX_NQ);
    for (int32_t i = 0; i < r->nv; i++) r->v[i] = hml_rng_normal(&rng), r->a[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* q ⊕ t d */
static void moved(const robot *r, double t, const double *d, double *q)
{
    double step[MAX_NV];
    for (int32_t i = 0; i < r->nv; i++) step[i] = t * d[i];
    OK(hml_configuration_integrate(r->model, r->q, step, q));
}

/* ---- what is differentiated ---- */

typedef struct what {
    int32_t frame;
    hml_representation rep, base;
    const double *point; /* or NULL: the frame, in rep */
} what;

static const double none[MAX_NV];

/* J of the frame or the point at q, against the base's velocity; J̇ if v is there */
static void jacobian_at(const robot *r, const what *x, const double *q, const double *v, double *J, double *Jdot)
{
    if (x->point) {
        hml_point_motion m = {.struct_size = sizeof m, .J = J, .Jdot = v ? Jdot : NULL};
        OK(hml_point(r->model, r->work, x->frame, x->point, q, v, NULL, &m));
        OK(hml_jacobian_to_representation(r->model, x->base, q, v ? v : none, 3, J, v ? Jdot : NULL));
        return;
    }
    hml_frame_motion m = {.struct_size = sizeof m, .J = J, .Jdot = v ? Jdot : NULL};
    OK(hml_frame(r->model, r->work, x->frame, x->rep, q, v, NULL, &m));
    OK(hml_jacobian_to_representation(r->model, x->base, q, v ? v : none, 6, J, v ? Jdot : NULL));
}

/* the derivative of J along the k-th number of the base's velocity */
static void differences(const robot *r, const what *x, int32_t k, int32_t rows, double *D)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static double ahead[6 * MAX_NV], behind[6 * MAX_NV];
    const double h = 1.0 / 128;
    double unit[MAX_NV] = {0}, d[MAX_NV], q[MAX_NQ];
    unit[k] = 1;
    OK(hml_velocity_from_representation(r->model, x->base, r->q, unit, d));
    memset(D, 0, (size_t)(rows * r->nv) * sizeof *D);
    for (int s = 1; s <= 4; s++) {
        moved(r, s * h, d, q), jacobian_at(r, x, q, NULL, ahead, NULL);
        moved(r, -s * h, d, q), jacobian_at(r, x, q, NULL, behind, NULL);
        for (int32_t i = 0; i < rows * r->nv; i++) D[i] += weight[s - 1] / h * (ahead[i] - behind[i]);
    }
}

/* J̇ = Σ H[k] u_k, Kindr (18), and every H[k] by differences */
static void check(const robot *r, const what *x, const double *H)
{
    static double D[6 * MAX_NV], J[6 * MAX_NV], Jdot[6 * MAX_NV];
    const int32_t rows = x->point ? 3 : 6, slab = rows * r->nv;
    double u[MAX_NV], size = 1;
    for (int32_t i = 0; i < slab * r->nv; i++) size = fmax(size, fabs(H[i]));
    for (int32_t k = 0; k < r->nv; k++) {
        differences(r, x, k, rows, D);
        assert_true(worst(D, H + slab * k, slab) < 1e-10 * size); /* 1e-14 over h = 1/128 and a few terms */
    }
    OK(hml_velocity_to_representation(r->model, x->base, r->q, r->v, u));
    jacobian_at(r, x, r->q, r->v, J, Jdot);
    memset(D, 0, sizeof D);
    for (int32_t k = 0; k < r->nv; k++) {
        for (int32_t i = 0; i < slab; i++) D[i] += H[slab * k + i] * u[k];
    }
    assert_true(worst(D, Jdot, slab) < 1e-11 * size * (1 + r->nv));
}

static void test_hessians_of_frames(void **state)
{
    (void)state;
    static double H[MAX_NV * 6 * MAX_NV];
    for (uint64_t seed = 1; seed < 9; seed++) {
        robot r;
        robot_open(&r, seed);
        for (int32_t f = r.nframes - 1; f > 0; f -= 4) {
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                for (int base = HML_LEFT; base <= HML_SPLIT; base++) {
                    const what x = {f, (hml_representation)rep, (hml_representation)base, NULL};
                    OK(hml_frame_hessian(r.model, r.work, f, x.rep, x.base, r.q, H));
                    check(&r, &x, H);
                }
            }
        }
        robot_close(&r);
    }
}

static void test_hessians_of_points(void **state)
{
    (void)state;
    static double H[MAX_NV * 6 * MAX_NV], whole[MAX_NV * 6 * MAX_NV];
    const double point[3] = {0.3, -0.8, 0.5}, origin[3] = {0};
    for (uint64_t seed = 1; seed < 9; seed++) {
        robot r;
        robot_open(&r, seed);
        for (int32_t f = r.nframes - 1; f > 0; f -= 3) {
            for (int base = HML_LEFT; base <= HML_SPLIT; base++) {
                const what x = {f, HML_MIXED, (hml_representation)base, point};
                OK(hml_point_hessian(r.model, r.work, f, point, x.base, r.q, H));
                check(&r, &x, H);
                OK(hml_point_hessian(r.model, r.work, f, origin, x.base, r.q, H)); /* the upper half of mixed */
                OK(hml_frame_hessian(r.model, r.work, f, HML_MIXED, x.base, r.q, whole));
                for (int32_t k = 0; k < r.nv; k++) {
                    assert_true(worst(H + 3 * r.nv * k, whole + 6 * r.nv * k, 3 * r.nv) < 1e-13 * (1 + r.nv));
                }
            }
        }
        robot_close(&r);
    }
}

/*
 * Kindr (15) on a floating base, its u: rows mixed, base split. The columns of ω_B follow J_Rj × J_i in both orders of
 * i and j, angular part included, where (15) prints 0 for i < j.
 */
static void test_kindr_15_on_a_floating_base(void **state)
{
    (void)state;
    static double H[MAX_NV * 6 * MAX_NV], J[6 * MAX_NV];
    double against_print = 0;
    for (uint64_t seed = 2; seed < 10; seed += 2) {
        robot r;
        robot_open(&r, seed); /* its root is free, and first */
        const int32_t f = r.nframes - 1, n = r.nv;
        hml_frame_info info = {.struct_size = sizeof info};
        OK(hml_model_frame(r.model, f, &info));
        const what x = {f, HML_MIXED, HML_SPLIT, NULL};
        OK(hml_frame_hessian(r.model, r.work, f, HML_MIXED, HML_SPLIT, r.q, H));
        jacobian_at(&r, &x, r.q, NULL, J, NULL);
        for (int32_t j = 3; j < 6; j++) {
            const double *Hj = H + 6 * n * j, w[3] = {J[3 * n + j], J[4 * n + j], J[5 * n + j]};
            for (int32_t i = 3; i < 6; i++) {
                for (int half = 0; half < 2; half++) {
                    const double *c = J + 3 * half * n + i, u[3] = {c[0], c[n], c[2 * n]};
                    const double cross[3] = {w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2],
                                             w[0] * u[1] - w[1] * u[0]};
                    const double *got = Hj + 3 * half * n + i, column[3] = {got[0], got[n], got[2 * n]};
                    assert_true(worst(column, cross, 3) < 1e-12 * (1 + n));
                    if (half && i < j) against_print = fmax(against_print, fabs(cross[0]));
                }
            }
        }
        robot_close(&r);
    }
    assert_true(against_print > 0.1);
}

/* ---- points that move ---- */

static void walking(double t, double *p) { p[0] = 0.3 + 0.4 * t, p[1] = -0.2 - t + t * t, p[2] = 0.5 * t * t; }

/* where the point is after the time t, of the motion q ⊕ (t ν + ½t² ν̇) */
static void position(const robot *r, int32_t frame, double t, double *p)
{
    double q[MAX_NQ], step[MAX_NV], point[3];
    hml_point_motion m = {.struct_size = sizeof m, .position = p};
    for (int32_t i = 0; i < r->nv; i++) step[i] = t * r->v[i] + t * t / 2 * r->a[i];
    OK(hml_configuration_integrate(r->model, r->q, step, q));
    walking(t, point);
    OK(hml_point(r->model, r->work, frame, point, q, NULL, NULL, &m));
}

static void test_points_that_move(void **state)
{
    (void)state;
    static const double first[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    const double h = 1.0 / 256, rate[3] = {0.4, -1, 0}, second_rate[3] = {0, 2, 1};
    for (uint64_t seed = 1; seed < 14; seed++) {
        robot r;
        robot_open(&r, seed);
        for (int32_t i = 0; i < r.nv; i++) r.v[i] /= 2, r.a[i] /= 2;
        for (int32_t f = 0; f < r.nframes; f += 2) {
            double p[3], v[3], a[3], w[3], b[3], ahead[3], behind[3], v0[3], a0[3], point[3];
            walking(0, point);
            hml_point_motion m = {.struct_size = sizeof m,
                                  .position = p,
                                  .velocity = v,
                                  .acceleration = a,
                                  .rate = rate,
                                  .second_rate = second_rate};
            OK(hml_point(r.model, r.work, f, point, r.q, r.v, r.a, &m));
            for (int i = 0; i < 3; i++) w[i] = 0, b[i] = second[0] / (h * h) * p[i];
            for (int k = 1; k <= 4; k++) {
                position(&r, f, k * h, ahead), position(&r, f, -k * h, behind);
                for (int i = 0; i < 3; i++) {
                    w[i] += first[k - 1] / h * (ahead[i] - behind[i]);
                    b[i] += second[k] / (h * h) * (ahead[i] + behind[i]);
                }
            }
            assert_true(worst(v, w, 3) < 1e-9); /* eighth order, h = 1/256, speeds of a few m/s */
            assert_true(worst(a, b, 3) < 1e-6); /* round-off 1e-15 over h² and arms of several metres */
            hml_point_motion fixed = {.struct_size = sizeof fixed, .velocity = v0, .acceleration = a0};
            OK(hml_point(r.model, r.work, f, point, r.q, r.v, r.a, &fixed));
            if (worst(v, v0, 3) < 0.1) fail_msg("the point did not move");
        }
        robot_close(&r);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    static double H[MAX_NV * 6 * MAX_NV];
    robot r;
    const double bad[3] = {0, NAN, 0}, point[3] = {0};
    const hml_representation fifth = (hml_representation)4;
    robot_open(&r, 2);
    assert_int_equal(hml_frame_hessian(r.model, r.work, 0, HML_LEFT, fifth, r.q, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame_hessian(r.model, r.work, 0, fifth, HML_LEFT, r.q, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame_hessian(r.model, r.work, -1, HML_LEFT, HML_LEFT, r.q, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_point_hessian(r.model, r.work, 0, bad, HML_LEFT, r.q, H), HML_NOT_FINITE);
    assert_int_equal(hml_point_hessian(r.model, r.work, 0, NULL, HML_LEFT, r.q, H), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_point_hessian(r.model, r.work, 0, point, HML_LEFT, NULL, H), HML_INVALID_ARGUMENT);
    double v[3];
    hml_point_motion m = {.struct_size = sizeof m, .velocity = v, .rate = bad};
    assert_int_equal(hml_point(r.model, r.work, 0, point, r.q, r.v, NULL, &m), HML_NOT_FINITE);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hessians_of_frames),
        cmocka_unit_test(test_hessians_of_points),
        cmocka_unit_test(test_kindr_15_on_a_floating_base),
        cmocka_unit_test(test_points_that_move),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
