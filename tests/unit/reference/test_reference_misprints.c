/*
 * What the tables of Bos give as they are printed, next to what they give corrected: each misprint of papers.md that
 * still computes something is shown to compute the wrong thing. Table 5 is in test_reference.c.
 */
#include "dynamics_check.h"
#include "hamel/reference/textbook.h"
#include "reference/bos/quantities.h"

static const draw_tree_spec spec = {.nbodies = 8, .root = HML_JOINT_FREE, .one_dof = 1, .points = 1};

typedef struct bench {
    robot r;
    reference x;
    void *scratch, *recursive;
    double M[NV * NV];
} bench;

static void bench_open(bench *b, uint64_t *seed)
{
    robot_open(&b->r, seed, &spec);
    b->scratch = malloc(hml_reference_size(b->r.model));
    b->recursive = malloc(hml_recursive_size(b->r.model));
    assert_true(hmli_reference_lay(b->r.model, b->scratch, &b->x) > 0);
    assert_int_equal(hml_crba(b->r.model, b->recursive, HML_CRBA_BODY, b->r.q, b->M), HML_OK);
}

static void bench_close(bench *b)
{
    free(b->scratch), free(b->recursive);
    robot_close(&b->r);
}

/* ---- Table 6, line 18 ---- */

/* ∂𝕄_B0^c/∂s_k by lines 14 to 18; printed: the last factor of line 18 is the wrench transform's derivative */
static void composite_rates(const reference *x, int printed)
{
    const reference_body *b = x->body;
    memset(x->dMc, 0, (size_t)(x->n + 1) * (size_t)x->n * 36 * sizeof *x->dMc);
    for (int i = x->n; i >= 1; i--) {
        double *own = reference_dMc(x, b[i].parent, i - 1), last[36];
        for (int k = 0; k < 36; k++) last[k] = printed ? b[i].dX[k % 6 * 6 + k / 6] : b[i].dX[k];
        for (int k = 0; k < x->n; k++)
            mat6_add_sandwich(reference_dMc(x, b[i].parent, k), b[i].X, reference_dMc(x, i, k), b[i].X);
        mat6_add_sandwich(own, b[i].dX, b[i].Mc, b[i].X);
        mat6_add_sandwich(own, b[i].X, b[i].Mc, last);
    }
}

static void test_table6_line18(void **state)
{
    (void)state;
    const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    uint64_t seed = 111;
    double right = 0, wrong = INFINITY;
    for (int t = 0; t < 10; t++) {
        bench b;
        double expected[36] = {0}, zero[NV] = {0};
        bench_open(&b, &seed);
        int k = t % b.x.n;
        for (int s = 0; s < 4; s++) { /* M₁₁ is 𝕄_B0^c, (54) */
            double q[NQ], M[NV * NV];
            memcpy(q, b.r.q, sizeof q);
            q[7 + k] += at[s] * h;
            assert_int_equal(hml_crba(b.r.model, b.recursive, HML_CRBA_BODY, q, M), HML_OK);
            for (int e = 0; e < 36; e++)
                expected[e] += weight[s] * M[(size_t)(e / 6) * b.r.nv + (size_t)(e % 6)] / (12 * h);
        }
        hmli_reference_eidamb_passes(b.r.model, b.r.q, b.r.v, zero, &b.x);
        composite_rates(&b.x, 0);
        right = fmax(right, off_by(reference_dMc(&b.x, 0, k), expected, 36));
        composite_rates(&b.x, 1);
        wrong = fmin(wrong, off_by(reference_dMc(&b.x, 0, k), expected, 36));
        bench_close(&b);
    }
    printf("Table 6, line 18: corrected %.1e at most, as printed %.1e at least\n", right, wrong);
    assert_true(right < 1e-9); /* h⁴ */
    assert_true(wrong > 0.05);
}

/* ---- Table 9, line 11 ---- */

/* lines 6 to 14 for row i of M^inv, then 15 to 20 for the upper right block: what line 11 spoils */
static void upper_right(bench *b, int printed, double *block)
{
    reference *x = &b->x;
    reference_body *body = x->body;
    const model_body *tree = model_bodies(b->r.model);
    size_t w = (size_t)x->n + 6, set = 6 * w;
    double *F = x->sets, inverse[36];
    static double Minv[NV * NV];
    memset(F, 0, 2 * set * ((size_t)x->n + 1) * sizeof *F);
    memset(Minv, 0, sizeof Minv);
    hmli_reference_joints(b->r.model, b->r.q, x);
    for (int i = 0; i <= x->n; i++) memcpy(body[i].Mc, body[i].M, sizeof body[i].Mc);
    for (int i = x->n; i >= 1; i--) {
        double U[6], D, Ma[36], *row = Minv + (size_t)(5 + i) * w;
        double *Fi = F + set * (size_t)i, *Fp = F + set * (size_t)body[i].parent;
        mat6_apply(U, body[i].Mc, body[i].Gamma);
        D = vec6_dot(body[i].Gamma, U);
        row[5 + i] = 1 / D;
        for (size_t k = 5 + (size_t)i; k < 5 + (size_t)tree[i].subtree_end; k++) {
            double own[6], up[6];
            for (size_t l = 0; l < 6; l++) row[k] -= body[i].Gamma[l] * Fi[l * w + k] / D;
            for (size_t l = 0; l < 6; l++) own[l] = Fi[l * w + k] + (printed ? 0 : U[l] * row[k]);
            mat6_tapply(up, body[i].X, own);
            for (size_t l = 0; l < 6; l++) Fp[l * w + k] += up[l] + (printed ? U[l] * row[k] : 0);
        }
        for (int k = 0; k < 36; k++) Ma[k] = body[i].Mc[k] - U[k / 6] * U[k % 6] / D;
        mat6_add_sandwich(body[body[i].parent].Mc, body[i].X, Ma, body[i].X);
    }
    assert_int_equal(hmli_reference_inverse6(body[0].Mc, inverse), 0);
    for (size_t k = 0; k < 6 * (size_t)x->n; k++) {
        block[k] = 0;
        for (size_t l = 0; l < 6; l++) block[k] -= inverse[k / (size_t)x->n * 6 + l] * F[l * w + 6 + k % (size_t)x->n];
    }
}

static void test_table9_line11(void **state)
{
    (void)state;
    static double expected[6 * NV], block[6 * NV];
    static blocks fast;
    uint64_t seed = 112;
    double right = 0, wrong = INFINITY;
    for (int t = 0; t < 10; t++) {
        bench b;
        bench_open(&b, &seed);
        size_t n = (size_t)b.x.n, nv = b.r.nv;
        assert_int_equal(robot_linearize(&b.r, &fast), HML_OK);
        for (size_t k = 0; k < 6 * n; k++) expected[k] = fast.Minv[k / n * nv + 6 + k % n];
        upper_right(&b, 0, block);
        right = fmax(right, off_by(block, expected, 6 * n));
        upper_right(&b, 1, block);
        wrong = fmin(wrong, off_by(block, expected, 6 * n));
        bench_close(&b);
    }
    printf("Table 9, line 11: corrected %.1e at most, as printed %.1e at least\n", right, wrong);
    assert_true(right < 1e-11);
    assert_true(wrong > 0.05);
}

/* ---- Table 4, line 6 ---- */

/* a robot at rest in free fall: with gravity itself for a_grav the base would fall upward */
static void test_table4_line6(void **state)
{
    (void)state;
    uint64_t seed = 113;
    bench b;
    double a[NV] = {0}, tau[NV], up[NV];
    const double down[3] = {0, 0, -9.81}, turned[3] = {0, 0, 9.81};
    bench_open(&b, &seed);
    memset(b.r.v, 0, sizeof b.r.v);
    assert_int_equal(hml_model_set_gravity(b.r.model, down), HML_OK);
    assert_int_equal(hml_reference_inverse_dynamics(b.r.model, b.scratch, b.r.q, b.r.v, a, tau), HML_OK);
    double R[9], force = 0;
    hmli_reference_base(b.r.model, b.r.q, R);
    for (int k = 0; k < 3; k++) force += R[6 + k] * tau[k]; /* what holds the robot up, along z of the world */
    assert_true(fabs(force - 9.81 * hml_model_mass(b.r.model)) < 1e-11 * force);
    assert_int_equal(hml_model_set_gravity(b.r.model, turned), HML_OK); /* a_grav = gravity is this */
    assert_int_equal(hml_reference_inverse_dynamics(b.r.model, b.scratch, b.r.q, b.r.v, a, up), HML_OK);
    for (size_t k = 0; k < b.r.nv; k++) assert_true(fabs(up[k] + tau[k]) <= 1e-11 * force);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table6_line18),
        cmocka_unit_test(test_table9_line11),
        cmocka_unit_test(test_table4_line6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
