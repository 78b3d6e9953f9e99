/*
 * The flow test: perturb a motion, integrate it and the unperturbed one on the group, and compare their distance with
 * what ż = A z + B w predicts along the unperturbed one. Needs forward dynamics and q ⊕ v, nothing of the derivatives.
 *
 * The integrator is of order four and commutator-free (Celledoni, Marthinsen, Owren 2003, mirrored for q·exp); the
 * linear system takes the same stages. Differences are central, extrapolated once: what is left is h⁴, ε⁴ and
 * round-off over ε.
 */
#ifndef HAMEL_TESTS_FLOW_H
#define HAMEL_TESTS_FLOW_H

#include "dynamics_check.h"
#include "hamel/configuration.h"
#include "hamel/representation.h"

/* fills A (2nv × 2nv) and B (2nv × nv) at q, ν with the robot's τ */
typedef void flow_linear(robot *r, const double *q, const double *v, double *A, double *B);

typedef struct flow_state {
    double q[NQ], v[NV];
} flow_state;

static void flow_move(const robot *r, double *q, double h, const double weight[4], double F[4][NV])
{
    double z[NV];
    for (size_t i = 0; i < r->nv; i++)
        z[i] = h * (weight[0] * F[0][i] + weight[1] * F[1][i] + weight[2] * F[2][i] + weight[3] * F[3][i]);
    assert_int_equal(hml_configuration_integrate(r->model, q, z, q), HML_OK);
}

/* one step of length h; z, if not NULL, is carried along by linear under the constant input w */
static void flow_step(robot *r, const double *tau, double h, flow_state *x, flow_linear *linear, const double *w,
                      double *z)
{
    static const double first[4] = {0.25, 1.0 / 6, 1.0 / 6, -1.0 / 12}, last[4] = {-1.0 / 12, 1.0 / 6, 1.0 / 6, 0.25};
    static const double stage[4][4] = {{0}, {0.5}, {0, 0.5}, {-0.5, 0, 1}}, part[4] = {0, 0.5, 0.5, 1};
    static double A[4 * NV * NV], B[2 * NV * NV];
    double F[4][NV] = {{0}}, a[4][NV], zdot[4][2 * NV], q2[NQ] = {0};
    size_t nv = r->nv;
    for (int s = 0; s < 4; s++) {
        flow_state y = *x;
        if (s == 3) memcpy(y.q, q2, sizeof q2); /* the fourth stage starts from the second */
        if (s) flow_move(r, y.q, h, stage[s], F);
        if (s == 1) memcpy(q2, y.q, sizeof q2);
        for (size_t i = 0; s && i < nv; i++) y.v[i] += part[s] * h * a[s - 1][i];
        memcpy(F[s], y.v, sizeof F[s]);
        assert_int_equal(hml_forward_dynamics(r->model, r->work, y.q, y.v, tau, NULL, a[s]), HML_OK);
        if (!z) continue;
        linear(r, y.q, y.v, A, B);
        for (size_t i = 0; i < 2 * nv; i++) {
            zdot[s][i] = 0;
            for (size_t k = 0; k < 2 * nv; k++)
                zdot[s][i] += A[i * 2 * nv + k] * (z[k] + (s ? part[s] * h * zdot[s - 1][k] : 0));
            for (size_t k = 0; k < nv; k++) zdot[s][i] += B[i * nv + k] * w[k];
        }
    }
    flow_move(r, x->q, h, first, F);
    flow_move(r, x->q, h, last, F);
    for (size_t i = 0; i < nv; i++) x->v[i] += h / 6 * (a[0][i] + 2 * a[1][i] + 2 * a[2][i] + a[3][i]);
    for (size_t i = 0; z && i < 2 * nv; i++)
        z[i] += h / 6 * (zdot[0][i] + 2 * zdot[1][i] + 2 * zdot[2][i] + zdot[3][i]);
}

static void to_representation(const robot *r, hml_representation rep, const flow_state *x, double *v)
{
    assert_int_equal(hml_velocity_to_representation(r->model, rep, x->q, x->v, v), HML_OK);
}

/* where x ends after `steps`, when it begins ε z away and is pushed by ε w more; as a difference from `end`, over ε */
static void flow_difference(robot *r, hml_representation rep, double T, int steps, double e, const double *z,
                            const double *w, const flow_state *end, double *out)
{
    size_t nv = r->nv;
    flow_state x;
    double tau[NV], step[NV], v[NV], v_end[NV];
    memset(&x, 0, sizeof x);
    memcpy(x.q, r->q, sizeof x.q), memcpy(x.v, r->v, sizeof x.v);
    to_representation(r, rep, &x, v);
    for (size_t i = 0; i < nv; i++) tau[i] = r->tau[i] + e * w[i], step[i] = e * z[i], v[i] += e * z[nv + i];
    assert_int_equal(hml_configuration_integrate(r->model, r->q, step, x.q), HML_OK);
    assert_int_equal(hml_velocity_from_representation(r->model, rep, x.q, v, x.v), HML_OK);
    for (int s = 0; s < steps; s++) flow_step(r, tau, T / steps, &x, NULL, NULL, NULL);
    assert_int_equal(hml_configuration_difference(r->model, end->q, x.q, out), HML_OK);
    to_representation(r, rep, &x, v), to_representation(r, rep, end, v_end);
    for (size_t i = 0; i < nv; i++) out[i] /= e, out[nv + i] = (v[i] - v_end[i]) / e;
}

/* how far ż = A z + B w is from the flow of the robot's state after T seconds, relative to the largest entry of z */
static double flow_error(robot *r, hml_representation rep, double T, int steps, flow_linear *linear, uint64_t *seed)
{
    static const double e[4] = {1e-3, -1e-3, 5e-4, -5e-4}, weight[4] = {-1.0 / 6, -1.0 / 6, 2.0 / 3, 2.0 / 3};
    double z[2 * NV], start[2 * NV], w[NV], flown[2 * NV] = {0}, one[2 * NV];
    size_t nv = r->nv;
    flow_state x;
    memset(&x, 0, sizeof x);
    memcpy(x.q, r->q, sizeof x.q), memcpy(x.v, r->v, sizeof x.v);
    for (size_t i = 0; i < 2 * nv; i++) z[i] = start[i] = draw(seed);
    for (size_t i = 0; i < nv; i++) w[i] = draw(seed);
    for (int s = 0; s < steps; s++) flow_step(r, r->tau, T / steps, &x, linear, w, z);
    for (int k = 0; k < 4; k++) {
        flow_difference(r, rep, T, steps, e[k], start, w, &x, one);
        for (size_t i = 0; i < 2 * nv; i++) flown[i] += weight[k] * one[i];
    }
    return off_by(z, flown, 2 * nv);
}

#endif
