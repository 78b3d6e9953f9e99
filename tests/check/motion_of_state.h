/*
 * A motion through a state, for differences in time: ν and its derivatives are given at t = 0, and q(t) follows from
 * q̇ = q·ν(t) by a method of order four (Magnus: two Gauss points and their bracket) in four steps. Nothing of the
 * library but q ⊕ z and the brackets of the joints' groups.
 */
#ifndef HAMEL_TESTS_MOTION_OF_STATE_H
#define HAMEL_TESTS_MOTION_OF_STATE_H

#include "dynamics_check.h"

/* central differences of order four: Σ weight f(at · step) / (12 step), and the second ones over 12 step² */
static const double difference_at[4] = {-2, -1, 1, 2}, difference_first[4] = {1, -8, 8, -1},
                    difference_second[4] = {-1, 16, 16, -1};
enum { DIFFERENCE_MIDDLE = -30 }; /* the weight of f(0) in the second ones */

/* ν and ν̇ at time t, the third derivative of ν being constant; rates: ν, ν̇, ν̈, ν⃛ at 0 */
static inline void velocity_at(const robot *r, double rates[4][NV], double t, double *v, double *a)
{
    for (size_t i = 0; i < r->nv; i++) {
        v[i] = rates[0][i] + t * (rates[1][i] + t / 2 * (rates[2][i] + t / 3 * rates[3][i]));
        a[i] = rates[1][i] + t * (rates[2][i] + t / 2 * rates[3][i]);
    }
}

static inline void configuration_at(const robot *r, double rates[4][NV], double t, double *q)
{
    memcpy(q, r->q, sizeof r->q);
    for (int s = 0; s < 4; s++) {
        double h = t / 4, v1[NV], v2[NV], z[NV], a[NV], root = sqrt(3.0) / 6;
        velocity_at(r, rates, h * (s + 0.5 - root), v1, a);
        velocity_at(r, rates, h * (s + 0.5 + root), v2, a);
        for (size_t i = 0; i < r->nv; i++) z[i] = h / 2 * (v1[i] + v2[i]);
        for (int b = 0; b < r->model->nbodies; b++) { /* q·exp: + √3/12 h² [ν(c₁), ν(c₂)] */
            const model_body *m = &model_bodies(r->model)[b];
            double ad[36];
            joint_ad(m->type, &v1[m->v], ad);
            for (int k = 0; k < m->nv * m->nv; k++)
                z[m->v + k / m->nv] += sqrt(3.0) / 12 * h * h * ad[k] * v2[m->v + k % m->nv];
        }
        assert_int_equal(hml_configuration_integrate(r->model, q, z, q), HML_OK);
    }
}

#endif
