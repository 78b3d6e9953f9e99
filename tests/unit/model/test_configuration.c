/*
 * Configurations: ⊕ and ⊖ against the matrix exponential, their Jacobians and F(q) against differences, mimic joints
 * against a dense G.
 */
#include <math.h>
#include <stdlib.h>

#include "model_fixture.h"
#include "rigid.h"

#include "model/mimic.h"

#include "hamel/configuration.h"

enum { N = 40, MAX = 256 };

/* every joint type, several times over, with followers */
static hml_model *zoo(uint64_t seed)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.nbodies = N;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = (2u << HML_JOINT_FREE) - 2; /* all but fixed */
    spec.limited = 0.3;
    spec.mimic = 0.8;
    hml_model *m = NULL;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    assert_true(hml_model_nq(m) <= MAX && hml_model_nv(m) <= MAX);
    return m;
}

static void draw_velocity(hml_rng *rng, const hml_model *m, double size, double *v)
{
    for (int32_t i = 0; i < hml_model_nv(m); i++) v[i] = hml_rng_uniform(rng, -size, size);
}

static void test_integrate_is_the_exponential(void **state)
{
    (void)state;
    hml_model *m = zoo(3);
    hml_rng rng;
    hml_rng_seed(&rng, 11);
    double q[MAX], v[MAX], out[MAX];
    int seen = 0;
    for (int sample = 0; sample < 20; sample++) {
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        draw_velocity(&rng, m, sample < 10 ? 2 : 1e-5, v);
        assert_int_equal(hml_configuration_integrate(m, q, v, out), HML_OK);
        for (int32_t i = 0; i < hml_model_njoints(m); i++) {
            hml_joint_info j = {.struct_size = sizeof j};
            assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
            double q7[7], v6[6], H[16], E[16], got[16];
            if (j.leader >= 0) continue;
            if (!as_free(&j, q, v, q7, v6)) { /* an axis: numbers add up */
                for (int k = 0; k < j.nv; k++) assert_true(out[j.q + k] == q[j.q + k] + v[j.v + k]);
                continue;
            }
            pose4(q7, H);
            exp4(v6, E);
            mul4(H, E, H);
            as_free(&j, out, v, q7, v6);
            pose4(q7, got);
            assert_all_close(got, H, 16, 1e-14); /* entries below 5, a few dozen roundings */
            seen++;
        }
    }
    assert_true(seen > 100);
    hml_model_free(m);
}

static void test_difference_undoes_integrate(void **state)
{
    (void)state;
    hml_model *m = zoo(4);
    hml_rng rng;
    hml_rng_seed(&rng, 12);
    double q[MAX], p[MAX], v[MAX], d[MAX], distance, sum;
    for (int sample = 0; sample < 50; sample++) {
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        draw_velocity(&rng, m, 1.7, v); /* rotations below π, where log is unique */
        assert_int_equal(hml_configuration_integrate(m, q, v, p), HML_OK);
        assert_int_equal(hml_configuration_difference(m, q, p, d), HML_OK);
        assert_all_close(d, v, hml_model_nv(m), 1e-13);
        assert_int_equal(hml_configuration_distance(m, q, p, &distance), HML_OK);
        sum = 0;
        for (int i = 0; i < hml_model_nv(m); i++) sum += v[i] * v[i];
        assert_close(distance, sqrt(sum), 1e-12);
    }
    hml_model_free(m);
}

static void test_interpolate(void **state)
{
    (void)state;
    hml_model *m = zoo(5);
    hml_rng rng;
    hml_rng_seed(&rng, 13);
    double a[MAX], b[MAX], q[MAX], total, part;
    assert_int_equal(hml_configuration_random(m, &rng, a), HML_OK);
    assert_int_equal(hml_configuration_random(m, &rng, b), HML_OK);
    assert_int_equal(hml_configuration_distance(m, a, b, &total), HML_OK);
    for (int k = 0; k <= 4; k++) {
        assert_int_equal(hml_configuration_interpolate(m, a, b, 0.25 * k, q), HML_OK);
        assert_int_equal(hml_configuration_distance(m, a, q, &part), HML_OK);
        assert_close(part, 0.25 * k * total, 1e-12 * total);
        assert_int_equal(hml_configuration_distance(m, q, b, &part), HML_OK);
        assert_close(part, (1 - 0.25 * k) * total, 1e-12 * total);
    }
    assert_int_equal(hml_configuration_interpolate(m, a, b, NAN, q), HML_NOT_FINITE);
    hml_model_free(m);
}

/* ---- Jacobians: fourth-order central differences, error about h⁴ = 1e-12 plus rounding 1e-16/h = 1e-13 ---- */

typedef void (*curve)(const hml_model *m, const double *z, const void *data, double *out);

typedef struct point {
    const double *q, *v, *center;
} point;

/* (q ⊕ z) ⊕ v, seen from center */
static void move_start(const hml_model *m, const double *z, const void *data, double *out)
{
    const point *at = data;
    double p[MAX];
    assert_int_equal(hml_configuration_integrate(m, at->q, z, p), HML_OK);
    assert_int_equal(hml_configuration_integrate(m, p, at->v, p), HML_OK);
    assert_int_equal(hml_configuration_difference(m, at->center, p, out), HML_OK);
}

/* q ⊕ (v + z), seen from center */
static void move_step(const hml_model *m, const double *z, const void *data, double *out)
{
    const point *at = data;
    double p[MAX], v[MAX];
    for (int i = 0; i < hml_model_nv(m); i++) v[i] = at->v[i] + z[i];
    assert_int_equal(hml_configuration_integrate(m, at->q, v, p), HML_OK);
    assert_int_equal(hml_configuration_difference(m, at->center, p, out), HML_OK);
}

/* center ⊖ (q ⊕ z) */
static void move_from(const hml_model *m, const double *z, const void *data, double *out)
{
    const point *at = data;
    double p[MAX];
    assert_int_equal(hml_configuration_integrate(m, at->q, z, p), HML_OK);
    assert_int_equal(hml_configuration_difference(m, p, at->center, out), HML_OK);
}

/* (center ⊕ z) ⊖ q */
static void move_to(const hml_model *m, const double *z, const void *data, double *out)
{
    const point *at = data;
    double p[MAX];
    assert_int_equal(hml_configuration_integrate(m, at->center, z, p), HML_OK);
    assert_int_equal(hml_configuration_difference(m, at->q, p, out), HML_OK);
}

static void expect_jacobian(const hml_model *m, curve f, const point *at, const double *J)
{
    int nv = hml_model_nv(m);
    const double h = 1e-3;
    double z[MAX] = {0}, y[4][MAX];
    for (int k = 0; k < nv; k++) {
        static const double steps[4] = {2, 1, -1, -2};
        for (int s = 0; s < 4; s++) {
            z[k] = steps[s] * h;
            f(m, z, at, y[s]);
        }
        z[k] = 0;
        for (int i = 0; i < nv; i++) {
            double slope = (-y[0][i] + 8 * y[1][i] - 8 * y[2][i] + y[3][i]) / (12 * h);
            assert_close(J[i * nv + k], slope, 2e-10); /* h⁴/30 times fifth derivatives that reach a few hundred */
        }
    }
}

static void test_jacobians(void **state)
{
    (void)state;
    hml_model *m = zoo(6);
    size_t nv = (size_t)hml_model_nv(m);
    double *J = malloc(nv * nv * sizeof *J), *K = malloc(nv * nv * sizeof *K);
    hml_rng rng;
    hml_rng_seed(&rng, 14);
    double q[MAX], v[MAX], p[MAX];
    for (int sample = 0; sample < 3; sample++) {
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        draw_velocity(&rng, m, sample == 2 ? 1e-4 : 1.2, v);
        assert_int_equal(hml_configuration_integrate(m, q, v, p), HML_OK);
        point at = {q, v, p};
        assert_int_equal(hml_configuration_integrate_jacobians(m, q, v, J, K), HML_OK);
        expect_jacobian(m, move_start, &at, J);
        expect_jacobian(m, move_step, &at, K);
        assert_int_equal(hml_configuration_difference_jacobians(m, q, p, J, K), HML_OK);
        expect_jacobian(m, move_from, &at, J);
        expect_jacobian(m, move_to, &at, K);
    }
    assert_int_equal(hml_configuration_integrate_jacobians(m, q, v, NULL, NULL), HML_OK);
    assert_int_equal(hml_configuration_difference_jacobians(m, q, p, NULL, NULL), HML_OK);
    free(J);
    free(K);
    hml_model_free(m);
}

static void test_rates(void **state)
{
    (void)state;
    hml_model *m = zoo(7);
    int nq = hml_model_nq(m), nv = hml_model_nv(m);
    hml_rng rng;
    hml_rng_seed(&rng, 15);
    double q[MAX], v[MAX], rate[MAX], back[MAX], step[MAX], up[MAX], down[MAX];
    double *F = malloc((size_t)nq * (size_t)nv * sizeof *F);
    const double h = 1e-5;
    assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
    draw_velocity(&rng, m, 1, v);
    assert_int_equal(hml_configuration_rate(m, q, v, rate), HML_OK);
    for (int i = 0; i < nv; i++) step[i] = h * v[i];
    assert_int_equal(hml_configuration_integrate(m, q, step, up), HML_OK);
    for (int i = 0; i < nv; i++) step[i] = -h * v[i];
    assert_int_equal(hml_configuration_integrate(m, q, step, down), HML_OK);
    for (int i = 0; i < nq; i++) assert_close(rate[i], (up[i] - down[i]) / (2 * h), 1e-9); /* h² and 1e-16/h */
    assert_int_equal(hml_configuration_velocity(m, q, rate, back), HML_OK);
    assert_all_close(back, v, nv, 1e-15);
    assert_int_equal(hml_configuration_rate_matrix(m, q, F), HML_OK);
    for (int i = 0; i < nq; i++) {
        double sum = 0;
        for (int k = 0; k < nv; k++) sum += F[i * nv + k] * v[k];
        assert_close(sum, rate[i], 1e-15);
    }
    free(F);
    hml_model_free(m);
}

static void test_random_respects_limits(void **state)
{
    (void)state;
    hml_model *m = zoo(8);
    hml_rng rng;
    hml_rng_seed(&rng, 16);
    double q[MAX], neutral[MAX];
    int limited = 0;
    assert_int_equal(hml_configuration_neutral(m, neutral), HML_OK);
    assert_int_equal(hml_configuration_check(m, neutral), HML_OK);
    for (int sample = 0; sample < 100; sample++) {
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        assert_int_equal(hml_configuration_check(m, q), HML_OK);
        for (int32_t i = 0; i < hml_model_njoints(m); i++) {
            hml_joint_info j = {.struct_size = sizeof j};
            assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
            if (j.type == HML_JOINT_SPHERICAL || j.type == HML_JOINT_FREE) continue;
            for (int k = 0; k < j.nv; k++) {
                assert_true(q[j.q + k] >= j.lower[k] && q[j.q + k] <= j.upper[k]);
                limited += isfinite(j.lower[k]);
            }
        }
    }
    assert_true(limited > 100);
    hml_model_free(m);
}

static void test_bad_states(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "base", NULL, HML_JOINT_FREE);
    add_link(b, "ball", "base", HML_JOINT_SPHERICAL);
    hml_model *m = finish(b, 0);
    double q[11], out[11], v[9] = {0};
    assert_int_equal(hml_configuration_neutral(m, q), HML_OK);
    q[3] = 1.0009; /* within 1e-3: taken as unit */
    assert_int_equal(hml_configuration_check(m, q), HML_OK);
    assert_int_equal(hml_configuration_integrate(m, q, v, out), HML_OK);
    assert_true(out[3] == 1);
    q[3] = 1.0011;
    assert_int_equal(hml_configuration_check(m, q), HML_NOT_NORMALIZED);
    assert_int_equal(hml_configuration_integrate(m, q, v, out), HML_NOT_NORMALIZED);
    assert_int_equal(hml_configuration_difference(m, q, q, v), HML_NOT_NORMALIZED);
    assert_int_equal(hml_configuration_normalize(m, q), HML_OK);
    assert_true(q[3] == 1);
    q[7] = 0;
    assert_int_equal(hml_configuration_normalize(m, q), HML_NOT_NORMALIZED);
    assert_int_equal(hml_configuration_neutral(m, q), HML_OK);
    q[0] = INFINITY;
    assert_int_equal(hml_configuration_check(m, q), HML_NOT_FINITE);
    assert_int_equal(hml_configuration_normalize(m, q), HML_NOT_FINITE);
    q[0] = 0;
    v[2] = NAN;
    assert_int_equal(hml_configuration_integrate(m, q, v, out), HML_NOT_FINITE);
    assert_int_equal(hml_configuration_rate(m, q, v, out), HML_NOT_FINITE);
    assert_int_equal(hml_configuration_neutral(NULL, q), HML_INVALID_ARGUMENT);
    hml_model_free(m);
}

/* ---- mimic ---- */

static void test_mimic(void **state)
{
    (void)state;
    hml_model *m = zoo(9);
    int nv = m->nv, tree = m->tree_nv;
    assert_true(m->nfollowers > 3);
    hml_rng rng;
    hml_rng_seed(&rng, 17);
    double q[MAX], p[MAX], v[MAX], back[MAX], q_tree[MAX], p_tree[MAX], v_tree[MAX], f_tree[MAX], f[MAX];
    assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
    draw_velocity(&rng, m, 1, v);
    for (int i = 0; i < tree; i++) f_tree[i] = hml_rng_uniform(&rng, -1, 1);

    /* G, column by column, from what the joints say of themselves */
    double *G = calloc((size_t)tree * (size_t)nv, sizeof *G);
    for (int32_t i = 0; i < hml_model_njoints(m); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        assert_int_equal(hml_model_joint(m, i, &j), HML_OK);
        int row = model_bodies(m)[model_joints(m)[i].body].v;
        for (int k = 0; k < j.nv; k++) G[(row + k) * nv + j.v + k] = 1;
        if (j.leader >= 0) G[row * nv + model_joints(m)[j.leader].v] = j.multiplier;
    }
    model_expand_v(m, v, v_tree);
    model_reduce_force(m, f_tree, f);
    for (int i = 0; i < tree; i++) {
        double sum = 0;
        for (int k = 0; k < nv; k++) sum += G[i * nv + k] * v[k];
        assert_close(v_tree[i], sum, 1e-15);
    }
    for (int k = 0; k < nv; k++) {
        double sum = 0;
        for (int i = 0; i < tree; i++) sum += G[i * nv + k] * f_tree[i];
        assert_close(f[k], sum, 1e-14);
    }
    model_reduce_v(m, v_tree, back);
    assert_memory_equal(back, v, (size_t)nv * sizeof *v);

    /* a step of the user is G times as much a step of the followers */
    model_expand_q(m, q, q_tree);
    model_reduce_q(m, q_tree, back);
    assert_memory_equal(back, q, (size_t)m->nq * sizeof *q);
    assert_int_equal(hml_configuration_integrate(m, q, v, p), HML_OK);
    model_expand_q(m, p, p_tree);
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        const model_body *body = &model_bodies(m)[j->body];
        if (j->leader < 0) continue;
        assert_close(p_tree[body->q] - q_tree[body->q], v_tree[body->v], 1e-14);
        assert_close(q_tree[body->q], j->multiplier * q[model_joints(m)[j->leader].q] + j->offset, 0);
    }

    int32_t user[MAX];
    double factor[MAX], *A = malloc((size_t)tree * (size_t)tree * sizeof *A),
                        *out = malloc((size_t)tree * (size_t)nv * sizeof *A);
    for (int i = 0; i < tree * tree; i++) A[i] = hml_rng_uniform(&rng, -1, 1);
    model_mimic_map(m, user, factor);
    model_reduce_columns(m, user, factor, tree, A, (size_t)tree, out);
    for (int i = 0; i < tree; i++) {
        for (int k = 0; k < nv; k++) {
            double sum = 0;
            for (int l = 0; l < tree; l++) sum += A[i * tree + l] * G[l * nv + k];
            assert_close(out[i * nv + k], sum, 1e-14);
        }
    }
    model_reduce_matrix(m, user, factor, A, (size_t)tree, out);
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < nv; k++) {
            double sum = 0;
            for (int l = 0; l < tree; l++)
                for (int n = 0; n < tree; n++) sum += G[l * nv + i] * A[l * tree + n] * G[n * nv + k];
            assert_close(out[i * nv + k], sum, 1e-13);
        }
    }
    free(A);
    free(out);
    free(G);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrate_is_the_exponential),
        cmocka_unit_test(test_difference_undoes_integrate),
        cmocka_unit_test(test_interpolate),
        cmocka_unit_test(test_jacobians),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_random_respects_limits),
        cmocka_unit_test(test_bad_states),
        cmocka_unit_test(test_mimic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
