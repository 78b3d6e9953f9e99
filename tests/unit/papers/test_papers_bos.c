/*
 * Bos, what the other tests evaluate only as parts of a whole: the steps of Proposition 4 against differences along
 * H exp(Δ^), the blocks (54)-(60) as sums over bodies, and line 12 of Table 5, which must fail as printed. All through
 * public functions.
 */
#include <stdlib.h>

#include "arrays.h"
#include "difference.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/random.h"
#include "hamel/reference/bos.h"
#include "hamel/rigid_body.h"
#include "hamel/se3.h"

#define TOL      (500 * EPS) /* a few dozen roundings of numbers up to about 10 */
#define RATE_TOL 1e-11       /* of a difference, see difference.h; numbers up to about 10 */

/* ---- Proposition 4 ---- */

static void hat3(const double w[3], double W[9])
{
    const double out[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(W, out, sizeof out);
}

/* a moved pose: o + t R Δ_v alone, R exp(t Δ_ω^) alone, or H exp(t Δ^) */
enum { BY_o, BY_R, BY_H };
typedef struct {
    int by, k;
    const double *H, *v;
} perturbed;

/* ⁰X_A v at the moved pose, written out as in (69): [Rᵀv − Rᵀ o^ ω; Rᵀ ω], which are f₁ of (70) and f₂ of (71) */
static void written_out(const void *context, double t, double *out)
{
    const perturbed *p = context;
    double xi[6] = {0}, E[16], hat[16], H[16], R[9], Rt[9], o[3], O[9], arm[3], sum[3];
    xi[p->k] = t;
    memcpy(H, p->H, sizeof H);
    if (p->by == BY_o) {
        for (int i = 0; i < 3; i++) H[4 * i + 3] += H[4 * i] * xi[0] + H[4 * i + 1] * xi[1] + H[4 * i + 2] * xi[2];
    } else {
        if (p->by == BY_R) memset(xi, 0, sizeof xi), xi[3 + p->k] = t;
        assert_int_equal(hml_se3_hat(xi, hat), HML_OK);
        matrix_exponential(4, hat, E);
        multiply(4, 4, 4, p->H, E, H);
    }
    for (int i = 0; i < 9; i++) R[i] = H[4 * (i / 3) + i % 3];
    for (int i = 0; i < 3; i++) o[i] = H[4 * i + 3];
    transpose(3, R, Rt), hat3(o, O);
    multiply(3, 3, 1, O, p->v + 3, arm);
    for (int i = 0; i < 3; i++) sum[i] = p->v[i] - arm[i];
    multiply(3, 3, 1, Rt, sum, out);
    multiply(3, 3, 1, Rt, p->v + 3, out + 3);
}

/* RᵀA R */
static void turned(const double R[9], const double A[9], double out[9])
{
    double Rt[9], left[9];
    transpose(3, R, Rt), multiply(3, 3, 3, Rt, A, left), multiply(3, 3, 3, left, R, out);
}

/*
 * (67)-(80), for a twist and, with other numbers, for an a_grav that has an angular part, too: the blocks as printed,
 * the derivative by differences, and (X v)× of the library are one matrix.
 */
static void test_proposition_4(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        double H[16], I[16], R[9], o[3], O[9], v[6], arm[3], Xv[6], out[6], D[36], A[9], printed[36] = {0}, ad[36];
        draw_pose(H), draw_array(v, 6, i % 2 ? 1 : 9.81);
        for (int k = 0; k < 9; k++) R[k] = H[4 * (k / 3) + k % 3];
        for (int k = 0; k < 3; k++) o[k] = H[4 * k + 3];
        assert_int_equal(hml_se3_inverse(H, I), HML_OK);
        assert_int_equal(hml_twist_transform(I, v, Xv), HML_OK); /* (69), (72) */
        perturbed p = {BY_H, 0, H, v};
        written_out(&p, 0, out);
        CHECK(Xv, out, 6, 10 * TOL);

        hat3(o, O), multiply(3, 3, 1, O, v + 3, arm);
        const double lin[3] = {v[0] - arm[0], v[1] - arm[1], v[2] - arm[2]};
        double W[9], L[9], block[2][9], zero[9] = {0};
        hat3(v + 3, A), turned(R, A, W); /* (77), (80) */
        hat3(lin, A), turned(R, A, L);   /* (78) */
        for (int k = 0; k < 9; k++) {
            int r = k / 3, c = k % 3;
            printed[6 * r + c] = printed[6 * (r + 3) + c + 3] = W[k], printed[6 * r + c + 3] = L[k];
        }
        for (int k = 0; k < 3; k++) { /* (75)-(80): by o and by R, each for itself */
            double rate[6];
            p.k = k, p.by = BY_o;
            difference(written_out, &p, 6, rate);
            for (int r = 0; r < 6; r++) block[r / 3][3 * (r % 3) + k] = rate[r];
        }
        CHECK(block[0], W, 9, 10 * RATE_TOL);
        CHECK(block[1], zero, 9, 10 * RATE_TOL);
        for (int k = 0; k < 3; k++) {
            double rate[6];
            p.k = k, p.by = BY_R;
            difference(written_out, &p, 6, rate);
            for (int r = 0; r < 6; r++) block[r / 3][3 * (r % 3) + k] = rate[r];
        }
        CHECK(block[0], L, 9, 10 * RATE_TOL);
        CHECK(block[1], W, 9, 10 * RATE_TOL);
        for (int k = 0; k < 6; k++) { /* (73): along H Δ^ */
            double rate[6];
            p.k = k, p.by = BY_H;
            difference(written_out, &p, 6, rate);
            for (int r = 0; r < 6; r++) D[6 * r + k] = rate[r];
        }
        CHECK(D, printed, 36, 10 * RATE_TOL); /* (67), (68), (76) */
        assert_int_equal(hml_se3_cross(Xv, ad), HML_OK);
        CHECK(ad, printed, 36, 10 * TOL);
    }
}

/* (74): H Δ^ = [R Δ_ω^, R Δ_v; 0 0], the derivative of H exp(t Δ^) */
static void pose_on_ray(const void *context, double t, double *out)
{
    const perturbed *p = context;
    double xi[6], E[16];
    for (int k = 0; k < 6; k++) xi[k] = t * p->v[k];
    assert_int_equal(hml_se3_exp(xi, E), HML_OK);
    assert_int_equal(hml_se3_compose(p->H, E, out), HML_OK);
}

static void test_directions_at_a_pose(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        double H[16], delta[6], hat[16], product[16], rate[16], R[9], D[9], RD[9], Rv[3], blocks[16] = {0};
        draw_pose(H), draw_array(delta, 6, 1);
        for (int k = 0; k < 9; k++) R[k] = H[4 * (k / 3) + k % 3];
        assert_int_equal(hml_se3_hat(delta, hat), HML_OK);
        multiply(4, 4, 4, H, hat, product);
        hat3(delta + 3, D), multiply(3, 3, 3, R, D, RD), multiply(3, 3, 1, R, delta, Rv);
        for (int k = 0; k < 9; k++) blocks[4 * (k / 3) + k % 3] = RD[k];
        for (int k = 0; k < 3; k++) blocks[4 * k + 3] = Rv[k];
        CHECK(product, blocks, 16, TOL);
        perturbed p = {0, 0, H, delta};
        difference(pose_on_ray, &p, 16, rate);
        CHECK(rate, blocks, 16, RATE_TOL);
    }
}

/* ---- robots ---- */

enum { NB = 16, NV = 6 + NB, NQ = 7 + NB };

typedef struct {
    hml_model *model;
    hml_work *work;
    int nb, nv;
    double q[NQ], v[NV], a[NV];
    double H[16 * NB], V[6 * NB], A[6 * NB], I[NB][10]; /* of the bodies: poses, left twists, accelerations, inertias */
    double J[NB][6 * NV];
    int parent[NB], end[NB];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.seed = seed, spec.shape = HML_RANDOM_ANY, spec.nbodies = 10;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_HELICAL;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &r->model), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_ALL, &r->work), HML_OK);
    r->nb = hml_model_nbodies(r->model), r->nv = hml_model_nv(r->model);
    assert_true(r->nb <= NB && r->nv == 5 + r->nb);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    for (int i = 0; i < r->nv; i++) r->v[i] = hml_rng_normal(&rng), r->a[i] = 0;
    assert_int_equal(hml_frame_motions(r->model, r->work, r->nb, HML_LEFT, r->q, r->v, r->a, r->H, r->V, r->A), HML_OK);
    for (int b = 0; b < r->nb; b++) {
        hml_body_info info = {.struct_size = sizeof info};
        hml_frame_motion m = {.struct_size = sizeof m, .J = r->J[b]};
        assert_int_equal(hml_model_body(r->model, b, &info), HML_OK);
        assert_int_equal(hml_inertia_from_com(info.mass, info.com, info.moment, r->I[b]), HML_OK);
        assert_int_equal(hml_frame(r->model, r->work, b, HML_LEFT, r->q, r->v, NULL, &m), HML_OK);
        r->parent[b] = info.parent, r->end[b] = info.subtree_end;
    }
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* the pose of body b in body a */
static void between(const robot *r, int a, int b, double H[16])
{
    assert_int_equal(hml_se3_between(r->H + 16 * a, r->H + 16 * b, H), HML_OK);
}

/* inertia of a subtree as one rigid body, in the frame of its first body */
static void composite(const robot *r, int b, double I[10])
{
    memset(I, 0, 10 * sizeof *I);
    for (int i = b; i < r->end[b]; i++) {
        double H[16], here[10];
        between(r, b, i, H);
        assert_int_equal(hml_inertia_transform(H, r->I[i], here), HML_OK);
        assert_int_equal(hml_inertia_add(I, here, I), HML_OK);
    }
}

/* −gravity, at rest in a body's frame: what the world's upward acceleration looks like there */
static void upward(const robot *r, int b, double a[6])
{
    double g[3];
    hml_model_gravity(r->model, g);
    for (int i = 0; i < 6; i++) a[i] = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) a[i] -= r->H[16 * b + 4 * k + i] * g[k];
}

/* (54): M₁₁ is the composite inertia of the base; (56), (59), (60): M₁₂ are F_i = 𝕄_iᶜΓ_i, moved to the base; (57),
 * (58) */
static void test_blocks_of_the_base(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        robot r;
        static double M[NV * NV], h[NV];
        robot_open(&r, seed);
        hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
        assert_int_equal(hml_dynamics(r.model, r.work, r.q, r.v, NULL, NULL, &d), HML_OK);
        double I[10], C[36], block[36];
        composite(&r, 0, I);
        assert_int_equal(hml_inertia_matrix(I, C), HML_OK);
        for (int k = 0; k < 36; k++) block[k] = M[k / 6 * r.nv + k % 6];
        CHECK(block, C, 36, 1e-12); /* sums over ten bodies of some kilograms */
        for (int b = 1; b < r.nb; b++) {
            double H[16], gamma[6], F[6], column[6];
            for (int k = 0; k < 6; k++) gamma[k] = r.J[b][k * r.nv + 5 + b], column[k] = M[k * r.nv + 5 + b];
            composite(&r, b, I);
            assert_int_equal(hml_inertia_mul(I, gamma, F), HML_OK); /* (59) */
            between(&r, 0, b, H);
            assert_int_equal(hml_wrench_transform(H, F, F), HML_OK); /* (60) */
            CHECK(F, column, 6, 1e-12);
        }
        double sum[6] = {0}, wrench[6], H[16], up[6], a[6]; /* (57): every body's Newton-Euler at ν̇ = 0, at the base */
        for (int b = 0; b < r.nb; b++) {
            upward(&r, b, up);
            for (int k = 0; k < 6; k++) a[k] = r.A[6 * b + k] + up[k];
            assert_int_equal(hml_newton_euler(HML_LEFT, NULL, r.I[b], r.V + 6 * b, a, wrench), HML_OK);
            between(&r, 0, b, H);
            assert_int_equal(hml_wrench_transform(H, wrench, wrench), HML_OK);
            for (int k = 0; k < 6; k++) sum[k] += wrench[k];
        }
        CHECK(sum, h, 6, 1e-10);                              /* forces of some hundred newtons */
        for (int k = 0; k < r.nv; k++) r.a[k] = sin(3.0 * k); /* (55): ν̇ of the base is its intrinsic acceleration */
        assert_int_equal(hml_frame_acceleration(r.model, r.work, 0, HML_INTRINSIC, 0, r.q, r.v, r.a, a), HML_OK);
        CHECK(a, r.a, 6, TOL);
        robot_close(&r);
    }
}

/* (19)-(21), (31), (36)-(38), (81): M⁻¹ times what is left of the forces, in blocks [base; joints] as in one piece */
static void test_forward_dynamics_by_the_inverse(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        robot r;
        static double M[NV * NV], Minv[NV * NV], product[NV * NV], one[NV * NV], h[NV], tau[NV], left[NV], a[NV], b[NV];
        robot_open(&r, seed);
        hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
        assert_int_equal(hml_dynamics(r.model, r.work, r.q, r.v, NULL, NULL, &d), HML_OK);
        assert_int_equal(hml_inverse_mass_matrix(r.model, r.work, r.q, Minv), HML_OK);
        multiply(r.nv, r.nv, r.nv, Minv, M, product), identity(r.nv, one);
        CHECK(product, one, r.nv * r.nv, 1e-10); /* ε times the condition of M */
        for (int base = 0; base < 2; base++) {   /* with a force on the base, (36), and without, (19) */
            for (int k = 0; k < r.nv; k++) tau[k] = k < 6 && !base ? 0 : cos(2.0 * k), left[k] = tau[k] - h[k];
            assert_int_equal(hml_forward_dynamics(r.model, r.work, r.q, r.v, tau, NULL, a), HML_OK);
            multiply(r.nv, r.nv, 1, Minv, left, b);
            CHECK(a, b, r.nv, 1e-8); /* accelerations of a thousand, and the condition again */
        }
        robot_close(&r);
    }
}

/*
 * Table 5 with ∂v₀/∂H = 0: only gravity moves, ∂a₀/∂H = a₀× and ∂b_i/∂H = 𝕄_i ⁱX₀ a₀×. Line 12 adds what a body has to
 * what its parent has; as printed the parent's own is lost.
 */
static void test_table5_line12(void **state)
{
    (void)state;
    double wrong = INFINITY;
    for (uint64_t seed = 1; seed < 20; seed++) {
        robot r;
        static double dq[NV * NV], dv[NV * NV], b[2][NB][36];
        robot_open(&r, seed);
        void *scratch = calloc(1, hml_reference_size(r.model));
        assert_int_equal(hml_reference_inverse_dynamics_derivatives(r.model, scratch, HML_LEFT, r.q, r.v, r.a, dq, dv),
                         HML_OK);
        double up[6], ad[36], X[36], M[36], XA[36], H[16], Xw[36], term[36];
        upward(&r, 0, up);
        assert_int_equal(hml_se3_cross(up, ad), HML_OK);
        for (int i = 0; i < r.nb; i++) {
            between(&r, i, 0, H);
            assert_int_equal(hml_se3_adjoint(H, X), HML_OK);
            assert_int_equal(hml_inertia_matrix(r.I[i], M), HML_OK);
            multiply(6, 6, 6, X, ad, XA);
            multiply(6, 6, 6, M, XA, b[0][i]);
            memcpy(b[1][i], b[0][i], sizeof b[1][i]);
        }
        for (int i = r.nb - 1; i > 0; i--) {
            between(&r, r.parent[i], i, H);
            assert_int_equal(hml_se3_adjoint_dual(H, Xw), HML_OK);
            for (int printed = 0; printed < 2; printed++) {
                double *parent = b[printed][r.parent[i]];
                multiply(6, 6, 6, Xw, b[printed][i], term);
                for (int k = 0; k < 36; k++) parent[k] = (printed ? b[printed][i][k] : parent[k]) + term[k];
            }
        }
        double off[2] = {0}, size = 0;
        for (int k = 0; k < 36; k++) {
            double expected = dq[k / 6 * r.nv + k % 6];
            size = fmax(size, fabs(expected));
            for (int printed = 0; printed < 2; printed++)
                off[printed] = fmax(off[printed], fabs(b[printed][0][k] - expected));
        }
        assert_true(off[0] < 1e-12 * size);
        wrong = fmin(wrong, off[1] / size);
        for (int i = 1; i < r.nb; i++) { /* line 15: Γᵀ ∂b_i/∂H */
            for (int c = 0; c < 6; c++) {
                double tau = 0;
                for (int k = 0; k < 6; k++) tau += r.J[i][k * r.nv + 5 + i] * b[0][i][6 * k + c];
                assert_true(fabs(tau - dq[(5 + i) * r.nv + c]) < 1e-12 * size);
            }
        }
        free(scratch);
        robot_close(&r);
    }
    assert_true(wrong > 0.1);
}

/* (17): the group of states multiplies poses and adds the rest; a perturbation of (q, ν) is a product from the right */
static void test_product_of_states(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        robot r;
        hml_rng rng;
        double z[NV], xi[6], E[16], H[16], moved[16], q[NQ], there[16 * NB], back[NV];
        robot_open(&r, seed);
        hml_rng_seed(&rng, seed);
        for (int i = 0; i < r.nv; i++) z[i] = 0.5 * hml_rng_normal(&rng);
        assert_int_equal(hml_configuration_integrate(r.model, r.q, z, q), HML_OK);
        assert_int_equal(hml_body_poses(r.model, r.work, q, there), HML_OK);
        memcpy(xi, z, sizeof xi);
        assert_int_equal(hml_se3_hat(xi, H), HML_OK);
        matrix_exponential(4, H, E);
        multiply(4, 4, 4, r.H, E, moved); /* H₁ H₂, H₂ = exp(z_H^) */
        CHECK(there, moved, 16, 10 * TOL);
        for (int i = 1; i < r.nb; i++) assert_true(q[6 + i] == r.q[6 + i] + z[5 + i]); /* s₁ + s₂ */
        assert_int_equal(hml_configuration_difference(r.model, r.q, q, back), HML_OK);
        CHECK(back, z, r.nv, 20 * TOL); /* log amplifies */
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proposition_4),      cmocka_unit_test(test_directions_at_a_pose),
        cmocka_unit_test(test_blocks_of_the_base), cmocka_unit_test(test_forward_dynamics_by_the_inverse),
        cmocka_unit_test(test_table5_line12),      cmocka_unit_test(test_product_of_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
