/*
 * Notation, sections 8 and 9, through the public functions: perturbed poses and Jacobians against differences of the
 * poses, and the equations of motion in the mixed velocity with contact wrenches against forward dynamics.
 */
#include "arrays.h"
#include "difference.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/random.h"
#include "hamel/representation.h"
#include "hamel/se3.h"

enum { NB = 10, NV = 40, NQ = 50 };

#define TOL      1e-11 /* some dozen roundings of numbers up to a hundred */
#define RATE_TOL 1e-10 /* of a difference, numbers of size one */

typedef struct {
    hml_model *model;
    hml_work *work;
    int nb, nv, n_frames;
    double q[NQ], v[NV], a[NV], tau[NV];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.seed = seed, spec.shape = HML_RANDOM_ANY, spec.nbodies = NB - 2, spec.nframes = 3;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_SPHERICAL;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &r->model), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_ALL, &r->work), HML_OK);
    r->nb = hml_model_nbodies(r->model), r->nv = hml_model_nv(r->model), r->n_frames = hml_model_nframes(r->model);
    assert_true(r->nb <= NB && r->nv <= NV);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    for (int i = 0; i < r->nv; i++)
        r->v[i] = hml_rng_normal(&rng), r->a[i] = hml_rng_normal(&rng), r->tau[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static void pose_of(const robot *r, const double *q, int frame, double H[16])
{
    hml_frame_motion m = {.struct_size = sizeof m, .pose = H};
    assert_int_equal(hml_frame(r->model, r->work, frame, HML_LEFT, q, NULL, NULL, &m), HML_OK);
}

typedef struct {
    const robot *r;
    int frame;
    const double *z;
} ray;

/* the pose of a frame at q ⊕ t z: H exp(t Δ^) for the base, s + t δs for the joints */
static void pose_on_ray(const void *context, double t, double *H)
{
    const ray *x = context;
    double step[NV], q[NQ];
    for (int i = 0; i < x->r->nv; i++) step[i] = t * x->z[i];
    assert_int_equal(hml_configuration_integrate(x->r->model, x->r->q, step, q), HML_OK);
    pose_of(x->r, q, x->frame, H);
}

/* (δH in the frame)^ = H⁻¹ δH */
static void perturbation(const robot *r, int frame, const double *z, double delta[6])
{
    ray x = {r, frame, z};
    double H[16], inverse[16], dH[16], W[16];
    difference(pose_on_ray, &x, 16, dH);
    pose_of(r, r->q, frame, H);
    assert_int_equal(hml_se3_inverse(H, inverse), HML_OK);
    multiply(4, 4, 4, inverse, dH, W);
    assert_int_equal(hml_se3_vee(W, delta), HML_OK);
}

/* (70)-(74): columns of the doubly left Jacobian, and D₁H, D₂H of the frame's pose, against differences */
static void test_perturbed_poses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        robot r;
        double J[6 * NV], D[6 * NV], delta[6], column[6], placed[6];
        robot_open(&r, seed);
        for (int frame = 0; frame < r.n_frames; frame += 3) {
            hml_frame_derivative d = {.struct_size = sizeof d, .placement_q = D};
            assert_int_equal(hml_jacobian_doubly_left(r.model, r.work, frame, r.q, J), HML_OK);
            assert_int_equal(hml_frame_derivatives(r.model, r.work, frame, HML_LEFT, r.q, NULL, NULL, &d), HML_OK);
            for (int c = 0; c < r.nv; c++) {
                double z[NV] = {0};
                z[c] = 1;
                perturbation(&r, frame, z, delta);
                for (int k = 0; k < 6; k++) column[k] = J[k * r.nv + c], placed[k] = D[k * r.nv + c];
                CHECK(column, delta, 6, RATE_TOL);
                CHECK(placed, delta, 6, RATE_TOL);
            }
            perturbation(&r, frame, r.v, delta); /* (74), all at once; (73): the base's own is Δ itself */
            multiply(6, r.nv, 1, J, r.v, column);
            CHECK(column, delta, 6, 10 * RATE_TOL);
        }
        perturbation(&r, 0, r.v, delta);
        CHECK(delta, r.v, 6, 10 * RATE_TOL);
        robot_close(&r);
    }
}

/* Y = diag(T⁻¹, 1): from a base velocity in a representation to the left one, (76) */
static void velocity_transform(const robot *r, hml_representation rep, double *Y)
{
    double H[16], inverse[16], T[36];
    pose_of(r, r->q, 0, H);
    identity(r->nv, Y);
    assert_int_equal(hml_se3_inverse(H, inverse), HML_OK);
    if (rep == HML_RIGHT) {
        assert_int_equal(hml_se3_adjoint(inverse, T), HML_OK);
    } else {
        inverse[3] = inverse[7] = inverse[11] = 0;
        assert_int_equal(hml_se3_adjoint(inverse, T), HML_OK); /* mixed: ᴮX_B[A] */
        if (rep == HML_LEFT) identity(6, T);
    }
    for (int k = 0; k < 36; k++) Y[k / 6 * r->nv + k % 6] = T[k];
}

/* (75), (76): ᴰJ_{A,E/C} = ᴰX_E ᴱJ_{A,E/B} ᴮY_C as a product of matrices, for every D and C */
static void test_jacobians_in_any_frame(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        robot r;
        static double Y[NV * NV], J[6 * NV], XJ[6 * NV], XJY[6 * NV], got[6 * NV];
        robot_open(&r, seed);
        int E = r.n_frames - 1;
        double H_E[16], H_D[16], H[16], X[36];
        pose_of(&r, r.q, E, H_E);
        assert_int_equal(hml_jacobian_doubly_left(r.model, r.work, E, r.q, J), HML_OK);
        for (int D = HML_WORLD; D < r.n_frames; D += 2) {
            for (int rep = HML_LEFT; rep <= HML_MIXED; rep++) {
                velocity_transform(&r, (hml_representation)rep, Y);
                for (int world = 0; world < 2; world++) { /* D, and D[A] */
                    if (D == HML_WORLD)
                        identity(4, H_D);
                    else
                        pose_of(&r, r.q, D, H_D);
                    for (int k = 0; k < 9 && world; k++) H_D[4 * (k / 3) + k % 3] = k % 4 == 0;
                    assert_int_equal(hml_se3_between(H_D, H_E, H), HML_OK);
                    assert_int_equal(hml_se3_adjoint(H, X), HML_OK);
                    multiply(6, 6, r.nv, X, J, XJ), multiply(6, r.nv, r.nv, XJ, Y, XJY);
                    assert_int_equal(hml_jacobian(r.model, r.work, E, D, world ? HML_AXES_OF_WORLD : HML_AXES_OF_FRAME,
                                                  (hml_representation)rep, r.q, NULL, got, NULL),
                                     HML_OK);
                    CHECK(got, XJY, 6 * r.nv, TOL);
                }
            }
        }
        velocity_transform(&r, HML_MIXED, Y); /* the doubly mixed one: D = E[A], C = B[A] */
        for (int k = 0; k < 9; k++) H_E[4 * (k / 3) + k % 3] = k % 4 == 0;
        double H_there[16];
        pose_of(&r, r.q, E, H_there);
        assert_int_equal(hml_se3_between(H_E, H_there, H), HML_OK);
        assert_int_equal(hml_se3_adjoint(H, X), HML_OK);
        multiply(6, 6, r.nv, X, J, XJ), multiply(6, r.nv, r.nv, XJ, Y, XJY);
        assert_int_equal(hml_jacobian_doubly_mixed(r.model, r.work, E, r.q, got), HML_OK);
        CHECK(got, XJY, 6 * r.nv, TOL);
        robot_close(&r);
    }
}

/* (77)-(79): Ḣ = H (X v)^ and ṡ = r with the mixed velocity; along q ⊕ t Yν the base moves like that */
static void test_kinematics_in_the_mixed_velocity(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        robot r;
        static double Y[NV * NV];
        double mixed[NV], left[NV], back[NV], H[16], dH[16], rate[16], hat[16];
        robot_open(&r, seed);
        assert_int_equal(hml_velocity_to_representation(r.model, HML_MIXED, r.q, r.v, mixed), HML_OK);
        velocity_transform(&r, HML_MIXED, Y);
        multiply(r.nv, r.nv, 1, Y, mixed, left); /* Y ν */
        CHECK(left, r.v, r.nv, TOL);
        assert_int_equal(hml_velocity_from_representation(r.model, HML_MIXED, r.q, mixed, back), HML_OK);
        CHECK(back, left, r.nv, TOL);
        ray x = {&r, 0, left};
        difference(pose_on_ray, &x, 16, dH);
        pose_of(&r, r.q, 0, H);
        assert_int_equal(hml_se3_hat(left, hat), HML_OK);
        multiply(4, 4, 4, H, hat, rate);
        CHECK(rate, dH, 16, RATE_TOL);
        for (int k = 0; k < 3; k++) assert_true(fabs(dH[4 * k + 3] - mixed[k]) < RATE_TOL); /* its linear part is ȯ */
        robot_close(&r);
    }
}

/*
 * (80)-(83): in the mixed velocity, with a contact wrench f in C[A] on a link: M ν̇ + h = Sτ + Jᵀf, J the contact
 * Jacobian with mixed rows and columns; ν̇ from forward dynamics with the same wrench on the link. (82): f on the link
 * has the power of f in the contact's frame.
 */
static void test_equations_of_motion_with_contacts(void **state)
{
    (void)state;
    const double f[6] = {3, -2, 5, 0.7, 1.1, -0.4}, xi[6] = {0.2, -0.1, 0.3, 0.5, -0.7, 0.4};
    for (uint64_t seed = 1; seed < 8; seed++) {
        robot r;
        static double M[NV * NV], h[NV], J[6 * NV];
        double a[NV], mixed_v[NV], mixed_a[NV], contact[16], wrenches[6 * NB] = {0}, H_L[16], H_C[16], f_C[6], f_L[6];
        robot_open(&r, seed);
        int L = r.nb - 1;
        for (int k = 0; k < 6; k++) r.tau[k] = 0; /* S τ: nothing pushes the base */
        assert_int_equal(hml_se3_exp(xi, contact), HML_OK);
        hml_contact_frame C = {.link = L, .axes = HML_AXES_OF_WORLD};
        memcpy(C.H, contact, sizeof C.H);
        assert_int_equal(hml_link_jacobian(r.model, r.work, &C, HML_MIXED, r.q, r.v, J, NULL), HML_OK);
        pose_of(&r, r.q, L, H_L);
        multiply(4, 4, 4, H_L, contact, H_C);
        double inverse[16];
        assert_int_equal(hml_se3_inverse(H_C, inverse), HML_OK);
        inverse[3] = inverse[7] = inverse[11] = 0;
        assert_int_equal(hml_wrench_transform(inverse, f, f_C), HML_OK);   /* from C[A] to C */
        assert_int_equal(hml_wrench_transform(contact, f_C, f_L), HML_OK); /* ₗXᶜ f, on the link */
        memcpy(wrenches + 6 * L, f_L, sizeof f_L);
        assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, r.tau, wrenches, a), HML_OK);
        assert_int_equal(hml_velocity_to_representation(r.model, HML_MIXED, r.q, r.v, mixed_v), HML_OK);
        assert_int_equal(hml_acceleration_to_representation(r.model, HML_MIXED, r.q, r.v, a, mixed_a), HML_OK);
        hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
        assert_int_equal(hml_dynamics(r.model, r.work, r.q, r.v, NULL, NULL, &d), HML_OK);
        assert_int_equal(hml_dynamics_to_representation(r.model, HML_MIXED, r.q, r.v, M, h), HML_OK);
        double V_L[6], V_C[6], power[2] = {0}, size = 0;
        for (int i = 0; i < r.nv; i++) {
            double sum = h[i] - r.tau[i];
            for (int k = 0; k < r.nv; k++) sum += M[i * r.nv + k] * mixed_a[k], size = fmax(size, fabs(mixed_a[k]));
            for (int k = 0; k < 6; k++) sum -= J[k * r.nv + i] * f[k];
            assert_true(fabs(sum) < TOL * (1 + size));
        }
        hml_frame_motion m = {.struct_size = sizeof m, .twist = V_L};
        assert_int_equal(hml_frame(r.model, r.work, L, HML_LEFT, r.q, r.v, NULL, &m), HML_OK);
        multiply(6, r.nv, 1, J, mixed_v, V_C);
        for (int k = 0; k < 6; k++) power[0] += f_L[k] * V_L[k], power[1] += f[k] * V_C[k];
        CHECK(&power[0], &power[1], 1, TOL);
        /* (83): nothing acts but gravity */
        double none[NV] = {0}, free_a[NV];
        assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, none, NULL, free_a), HML_OK);
        assert_int_equal(hml_acceleration_to_representation(r.model, HML_MIXED, r.q, r.v, free_a, mixed_a), HML_OK);
        for (int i = 0; i < r.nv; i++) {
            double sum = h[i];
            for (int k = 0; k < r.nv; k++) sum += M[i * r.nv + k] * mixed_a[k], size = fmax(size, fabs(mixed_a[k]));
            assert_true(fabs(sum) < TOL * (1 + size));
        }
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perturbed_poses),
        cmocka_unit_test(test_jacobians_in_any_frame),
        cmocka_unit_test(test_kinematics_in_the_mixed_velocity),
        cmocka_unit_test(test_equations_of_motion_with_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
