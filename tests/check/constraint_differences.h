/*
 * The exact derivatives of constrained motion and of impulses against central differences of eighth order, which know
 * nothing of them. The differences are good for about 1e-11 of the largest entry here; asked for is 1e-9.
 */
#ifndef HML_TESTS_CONSTRAINT_DIFFERENCES_H
#define HML_TESTS_CONSTRAINT_DIFFERENCES_H

#include "constraint_check.h"
#include "difference.h"

static double compare_step = 0x1p-7; /* of the differences */

typedef struct along {
    stage *s;
    const double *direction; /* nv, and which of q, ν, τ it moves */
    char what;
    double restitution; /* −1: no impulse */
} along;

/* ν̇ and λ, or ν⁺ and Λ, at t along the direction */
static inline void motion_at(const void *context, double t, double *out)
{
    const along *x = context;
    stage *s = x->s;
    double q[MOST], v[MOST], tau[MOST], z[MOST];
    for (int i = 0; i < s->nv; i++) {
        z[i] = x->what == 'q' ? t * x->direction[i] : 0;
        v[i] = s->v[i] + (x->what == 'v' ? t * x->direction[i] : 0);
        tau[i] = s->tau[i] + (x->what == 't' ? t * x->direction[i] : 0);
    }
    ASSERT_OK(hml_configuration_integrate(s->model, s->q, z, q));
    if (x->restitution < 0) {
        ASSERT_OK(hml_constrained_forward_dynamics(s->model, s->work, &s->set, s->scratch,
                                                   &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau,
                                                               .wrenches = s->wrenches, .acceleration = out,
                                                               .lambda = out + s->nv)));
    } else {
        ASSERT_OK(
            hml_constrained_impulse(s->model, s->work, &s->set, s->scratch,
                                    &HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .restitution = x->restitution,
                                                .v_next = out, .impulse = out + s->nv)));
    }
}

static inline double largest(const double *x, int n)
{
    double size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* D (nv × nv) and F (m × nv) column by column */
static inline void compare(stage *s, char what, double restitution, const double *D, const double *F)
{
    const double scale = largest(D, s->nv * s->nv), force = F ? largest(F, s->m * s->nv) : 1;
    for (int k = 0; k < s->nv; k++) {
        double e[MOST] = {0}, out[DIFFERENCE_MAX];
        along x = {s, e, what, restitution};
        e[k] = 1;
        difference_over(compare_step, motion_at, &x, (size_t)(s->nv + s->m), out);
        for (int i = 0; i < s->nv; i++) assert_close(D[i * s->nv + k] / scale, out[i] / scale, 1e-9);
        for (int i = 0; F && i < s->m; i++) assert_close(F[i * s->nv + k] / force, out[s->nv + i] / force, 1e-9);
    }
}

typedef struct results {
    double a[MOST], lambda[MOST], Dq[MOST * MOST], Dv[MOST * MOST], Dtau[MOST * MOST];
    double Lq[MOST * MOST], Lv[MOST * MOST], Ltau[MOST * MOST], A[4 * MOST * MOST], B[2 * MOST * MOST];
} results;

static inline void linearize(stage *s, results *r)
{
    hml_constrained_linearization x = {.struct_size = sizeof x,
                                       .q = s->q,
                                       .v = s->v,
                                       .tau = s->tau,
                                       .wrenches = s->wrenches,
                                       .acceleration = r->a,
                                       .lambda = r->lambda,
                                       .Dq = r->Dq,
                                       .Dv = r->Dv,
                                       .Dtau = r->Dtau,
                                       .lambda_q = r->Lq,
                                       .lambda_v = r->Lv,
                                       .lambda_tau = r->Ltau,
                                       .A = r->A,
                                       .B = r->B};
    ASSERT_OK(hml_constrained_linearize(s->model, s->work, &s->set, s->scratch, &x));
}

static inline void check_all(stage *s)
{
    static results r;
    const int n = s->nv;
    linearize(s, &r);
    compare(s, 'q', -1, r.Dq, r.Lq);
    compare(s, 'v', -1, r.Dv, r.Lv);
    compare(s, 't', -1, r.Dtau, r.Ltau);
    for (int i = 0; i < n; i++) { /* A = [ −ad_ν I ; D_q D_ν ], B = [ 0 ; D_τ ] */
        assert_close(r.A[i * 2 * n + n + i], 1, 0);
        assert_all_close(&r.A[(n + i) * 2 * n], &r.Dq[i * n], n, 0);
        assert_all_close(&r.A[(n + i) * 2 * n + n], &r.Dv[i * n], n, 0);
        assert_all_close(&r.B[(n + i) * n], &r.Dtau[i * n], n, 0);
    }
    hml_joint_info root = {.struct_size = sizeof root};
    ASSERT_OK(hml_model_joint(s->model, 0, &root));
    if (root.type == HML_JOINT_FREE) assert_close(r.A[1], s->v[5], 0); /* its −ad: ω_z in the first row */
}

/* an impulse at the stage's state, and its derivatives */
static inline void check_impulse(stage *s, double e)
{
    static double next_q[MOST * MOST], next_v[MOST * MOST], impulse_q[MOST * MOST], impulse_v[MOST * MOST];
    double next[MOST], impulse[MOST], want[MOST], Lambda[MOST];
    ASSERT_OK(hml_constrained_impulse(s->model, s->work, &s->set, s->scratch,
                                      &HML_STRUCT(hml_constrained_impact, .q = s->q, .v = s->v, .restitution = e,
                                                  .v_next = next, .impulse = impulse, .next_q = next_q,
                                                  .next_v = next_v, .impulse_q = impulse_q, .impulse_v = impulse_v)));
    ASSERT_OK(hml_constrained_impulse(s->model, s->work, &s->set, s->scratch,
                                      &HML_STRUCT(hml_constrained_impact, .q = s->q, .v = s->v, .restitution = e,
                                                  .v_next = want, .impulse = Lambda)));
    assert_all_close(next, want, s->nv, 1e-13);
    assert_all_close(impulse, Lambda, s->m, 1e-12);
    compare(s, 'q', e, next_q, impulse_q);
    compare(s, 'v', e, next_v, impulse_v);
}

#endif
