/*
 * Müller, section 5.2: Lagrange's equations by differences of the kinetic energy, and the closed forms of M and C as
 * products of his system matrices, for a chain of joints of one coordinate without gravity.
 */
#include <stdlib.h>

#include "difference.h"
#include "hamel/dynamics.h"
#include "hamel/reference/textbook.h"
#include "hamel/rigid_body.h"
#include "muller_check.h"

enum { N6 = 6 * N };

#define TINY     1e-12 /* of the largest number there is, after sums over six bodies */
#define RATE_TOL 1e-9  /* of a difference, the numbers being up to some tens */

/* inverse dynamics without gravity */
static void forces(chain *x, const double *q, const double *v, const double *a, double *tau)
{
    const double none[3] = {0};
    assert_int_equal(hml_model_set_gravity(x->model, none), HML_OK);
    assert_int_equal(hml_inverse_dynamics(x->model, x->work, q, v, a, NULL, tau), HML_OK);
}

/* Σ ½ V_iᵀ M_i V_i */
static double kinetic_energy(const chain *x, const double *q, const double *v)
{
    double V[N][6], sum = 0;
    assert_int_equal(hml_frame_motions(x->model, x->work, N, HML_LEFT, q, v, NULL, NULL, V[0], NULL), HML_OK);
    for (int i = 0; i < N; i++) {
        hml_body_info info = {.struct_size = sizeof info};
        double I[10], energy;
        assert_int_equal(hml_model_body(x->model, i, &info), HML_OK);
        assert_int_equal(hml_inertia_from_com(info.mass, info.com, info.moment, I), HML_OK);
        assert_int_equal(hml_inertia_kinetic_energy(I, V[i], &energy), HML_OK);
        sum += energy;
    }
    return sum;
}

/* ---- (80) ---- */

typedef struct {
    const chain *x;
    const double *q, *v;
    int k;
} energy_ray;

static void energy_by_velocity(const void *context, double t, double *out)
{
    const energy_ray *r = context;
    double v[N];
    memcpy(v, r->v, sizeof v), v[r->k] += t;
    *out = kinetic_energy(r->x, r->q, v);
}

static void energy_by_position(const void *context, double t, double *out)
{
    const energy_ray *r = context;
    double q[N];
    memcpy(q, r->q, sizeof q), q[r->k] += t;
    *out = kinetic_energy(r->x, q, r->v);
}

/* ∂T/∂q̇ along q(t) with constant q̈ */
static void momentum_in_time(const void *context, double t, double *out)
{
    const chain *x = context;
    double q[N], v[N];
    for (int k = 0; k < N; k++)
        q[k] = x->q[k] + t * (x->d[0][k] + t / 2 * x->d[1][k]), v[k] = x->d[0][k] + t * x->d[1][k];
    for (int k = 0; k < N; k++) {
        energy_ray r = {x, q, v, k};
        difference(energy_by_velocity, &r, 1, &out[k]);
    }
}

/* d/dt ∂T/∂q̇ − ∂T/∂q = Q: energies alone against inverse dynamics, and (85) with Christoffel's symbols */
static void test_lagranges_equations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        chain x;
        double rate[N], tau[N], Gamma[N * N * N], M[N * N];
        chain_open(&x, seed);
        forces(&x, x.q, x.d[0], x.d[1], tau);
        difference(momentum_in_time, &x, N, rate);
        void *scratch = malloc(hml_recursive_size(x.model));
        assert_int_equal(hml_christoffel(x.model, scratch, x.q, Gamma), HML_OK);
        assert_int_equal(hml_mass_matrix(x.model, x.work, x.q, M), HML_OK);
        for (int i = 0; i < N; i++) {
            energy_ray r = {&x, x.q, x.d[0], i};
            double slope, sum = 0;
            difference(energy_by_position, &r, 1, &slope);
            assert_true(fabs(rate[i] - slope - tau[i]) < 100 * RATE_TOL); /* a difference of a difference */
            for (int j = 0; j < N; j++) {
                sum += M[i * N + j] * x.d[1][j];
                for (int k = 0; k < N; k++) sum += Gamma[(i * N + j) * N + k] * x.d[0][j] * x.d[0][k];
            }
            assert_true(fabs(sum - tau[i]) < 100 * TINY);
        }
        free(scratch);
        chain_close(&x);
    }
}

/* ---- (81)-(84) ---- */

typedef struct {
    double A[N6 * N6], a[N6 * N6], b[N6 * N6], M[N6 * N6], X[N6 * N], J[N6 * N];
} matrices;

static void matrices_of(const chain *x, matrices *s)
{
    memset(s, 0, sizeof *s);
    hml_system system = {.struct_size = sizeof system, .A = s->A, .X = s->X, .a = s->a, .J = s->J};
    assert_int_equal(hml_system_matrices(x->model, x->work, HML_LEFT, x->q, x->d[0], &system), HML_OK);
    for (int i = 0; i < N; i++) {
        hml_body_info info = {.struct_size = sizeof info};
        double I[10], block[36], ad[36];
        assert_int_equal(hml_model_body(x->model, i, &info), HML_OK);
        assert_int_equal(hml_inertia_from_com(info.mass, info.com, info.moment, I), HML_OK);
        assert_int_equal(hml_inertia_matrix(I, block), HML_OK);
        assert_int_equal(hml_se3_cross(x->V[HML_LEFT][i + 1], ad), HML_OK);
        for (int k = 0; k < 36; k++) {
            int at = (6 * i + k / 6) * N6 + 6 * i + k % 6;
            s->M[at] = block[k], s->b[at] = ad[k]; /* (82) */
        }
    }
}

static void turned(int rows, int columns, const double *A, double *out)
{
    for (int k = 0; k < rows * columns; k++) out[k % columns * rows + k / columns] = A[k];
}

/* Jᵀ K J, N × N */
static void project(const double *J, const double *K, double *out)
{
    static double Jt[N * N6], KJ[N6 * N];
    turned(N6, N, J, Jt);
    multiply(N6, N6, N, K, J, KJ), multiply(N, N6, N, Jt, KJ, out);
}

/* M, and both forms of C, which are one matrix: C q̇ is right; test_closed_form.c shows that Ṁ − 2C is not skew */
static void test_closed_forms(void **state)
{
    (void)state;
    static matrices s;
    static double MA[N6 * N6], MAa[N6 * N6], turned_MAa[N6 * N6], K[N6 * N6], bt[N6 * N6], btM[N6 * N6], MAb[N6 * N6],
        MAbX[N6 * N], turned_MAbX[N * N6];
    for (uint64_t seed = 1; seed < 8; seed++) {
        chain x;
        double M[N * N], closed[N * N], C83[N * N], C84[N * N], last[N * N], h[N], Cv[N], size = 0;
        const double rest[N] = {0};
        chain_open(&x, seed);
        forces(&x, x.q, x.d[0], rest, h);
        matrices_of(&x, &s);
        assert_int_equal(hml_mass_matrix(x.model, x.work, x.q, M), HML_OK);
        project(s.J, s.M, closed); /* (81) */
        for (int k = 0; k < N; k++) size = fmax(size, fabs(M[k * N + k]));
        CHECK(closed, M, N * N, TINY * size);

        /* (83): −Jᵀ((M A a)ᵀ + M A a) J − (M A b X)ᵀ J */
        multiply(N6, N6, N6, s.M, s.A, MA), multiply(N6, N6, N6, MA, s.a, MAa), turned(N6, N6, MAa, turned_MAa);
        for (int k = 0; k < N6 * N6; k++) K[k] = -turned_MAa[k] - MAa[k];
        project(s.J, K, C83);
        multiply(N6, N6, N6, MA, s.b, MAb), multiply(N6, N6, N, MAb, s.X, MAbX), turned(N6, N, MAbX, turned_MAbX);
        multiply(N, N6, N, turned_MAbX, s.J, last);
        for (int k = 0; k < N * N; k++) C83[k] -= last[k];
        /* (84): −Jᵀ(M A a + bᵀ M) J */
        turned(N6, N6, s.b, bt), multiply(N6, N6, N6, bt, s.M, btM);
        for (int k = 0; k < N6 * N6; k++) K[k] = -MAa[k] - btM[k];
        project(s.J, K, C84);
        multiply(N, N, 1, C83, x.d[0], Cv);
        CHECK(Cv, h, N, 10 * TINY * (1 + size));
        multiply(N, N, 1, C84, x.d[0], Cv);
        CHECK(Cv, h, N, 10 * TINY * (1 + size));
        CHECK(C83, C84, N * N, 10 * TINY * (1 + size));
        chain_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lagranges_equations),
        cmocka_unit_test(test_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
