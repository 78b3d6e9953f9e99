/* Steps in time and discretizations. */
#include "agree.h"

typedef struct stepped {
    subject *x;
    hml_scheme by;
    double h;
    const double *q, *v, *tau, *zq, *zv, *zt, *q_end;
    double *q_t, *v_t, *tau_t, *q_next, *scratch;
} stepped;

/* the end of the step from q ⊕ t zq, v + t zv, τ + t zt, seen from the end of the step itself */
static int ends(void *context, double t, double *out)
{
    stepped *p = context;
    const int nv = p->x->nv;
    for (int i = 0; i < nv; i++) p->v_t[i] = p->zq ? t * p->zq[i] : 0;
    if (hml_configuration_integrate(p->x->model, p->q, p->v_t, p->q_t)) return 0;
    for (int i = 0; i < nv; i++) {
        p->v_t[i] = p->v[i] + (p->zv ? t * p->zv[i] : 0);
        p->tau_t[i] = p->tau[i] + (p->zt ? t * p->zt[i] : 0);
    }
    if (hml_step(p->x->model, p->x->work, p->scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = p->by, .h = p->h, .q.data = p->q_t, .v.data = p->v_t,
                             .tau.data = p->tau_t, .q_next.data = p->q_next, .v_next.data = out + nv)))
        return 0;
    return !hml_configuration_difference(p->x->model, p->q_end, p->q_next, out);
}

/* θ̇ = S(θ)⁻¹ ν at q ⊕ θ, ν̇ there */
static int munthe_kaas_rates(subject *x, const double *q, const double *theta, const double *v, const double *tau,
                             double *theta_rate, double *v_rate)
{
    const size_t nv = (size_t)x->nv;
    double *q1 = room(x->g, (size_t)x->nq), *S = room(x->g, nv * nv);
    if (hml_configuration_integrate(x->model, q, theta, q1) ||
        hml_configuration_integrate_jacobians(x->model, q, theta, NULL, S) ||
        hml_forward_dynamics(x->model, x->work, q1, v, tau, NULL, v_rate))
        return 0;
    memcpy(theta_rate, v, nv * sizeof *v);
    return dense_solve(nv, S, theta_rate);
}

/* C and K(q) as the header says: damping, and stiffness times the derivative of q ⊖ rest by q */
static int dampers_and_springs(subject *x, const double *q, double *C, double *K)
{
    const size_t nv = (size_t)x->nv;
    double *rest = room(x->g, (size_t)x->nq), *S = room(x->g, nv * nv), *k = room(x->g, nv);
    if (hml_configuration_neutral(x->model, rest)) return 0;
    for (size_t i = 0; i < nv; i++) C[i] = k[i] = 0;
    for (int32_t i = 0; i < hml_model_njoints(x->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j}, leader = {.struct_size = sizeof leader};
        if (hml_model_joint(x->model, i, &j)) return 0;
        if (j.leader >= 0) { /* springs of followers: their force is that of the angle they have */
            if (hml_model_joint(x->model, j.leader, &leader)) return 0;
            C[leader.v] += j.multiplier * j.multiplier * j.damping[0];
            k[leader.v] += j.multiplier * j.multiplier * j.stiffness[0];
        }
        for (int32_t r = 0; r < j.nq; r++) rest[j.q + r] = j.rest[r];
        for (int32_t r = 0; r < j.nv; r++) C[j.v + r] += j.damping[r], k[j.v + r] += j.stiffness[r];
    }
    if (hml_configuration_difference_jacobians(x->model, rest, q, NULL, S)) return 0;
    for (size_t i = 0; i < nv * nv; i++) K[i] = k[i / nv] * S[i];
    return 1;
}

/* (M + h C + h² K) a = M ν̇ − h K ν */
static int euler_acceleration(subject *x, double h, const double *q, const double *v, const double *tau, double *a)
{
    const size_t nv = (size_t)x->nv;
    double *C = room(x->g, nv), *K = room(x->g, nv * nv), *M = room(x->g, nv * nv), *free = room(x->g, nv);
    if (hml_forward_dynamics(x->model, x->work, q, v, tau, NULL, free) || hml_mass_matrix(x->model, x->work, q, M) ||
        !dampers_and_springs(x, q, C, K))
        return 0;
    for (size_t i = 0; i < nv; i++) {
        a[i] = 0;
        for (size_t k = 0; k < nv; k++) a[i] += M[i * nv + k] * free[k] - h * K[i * nv + k] * v[k];
    }
    for (size_t i = 0; i < nv * nv; i++) M[i] += (i / nv == i % nv ? h * C[i / nv] : 0) + h * h * K[i];
    return dense_solve(nv, M, a);
}

static int step_by_definition(subject *x, hml_scheme by, double h, const double *q, const double *v, const double *tau,
                              double *q_next, double *v_next)
{
    const size_t nv = (size_t)x->nv;
    double *k[8], *theta = room(x->g, nv), *v1 = room(x->g, nv);
    for (int i = 0; i < 8; i++) k[i] = room(x->g, nv);
    if (by == HML_SCHEME_EULER) {
        if (!euler_acceleration(x, h, q, v, tau, k[0])) return 0;
        for (size_t i = 0; i < nv; i++) v_next[i] = v[i] + h * k[0][i], theta[i] = h * v_next[i];
        return !hml_configuration_integrate(x->model, q, theta, q_next);
    }
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int stage = 0; stage < 4; stage++) {
        for (size_t i = 0; i < nv; i++) {
            theta[i] = stage ? h * at[stage] * k[2 * stage - 2][i] : 0;
            v1[i] = v[i] + (stage ? h * at[stage] * k[2 * stage - 1][i] : 0);
        }
        if (!munthe_kaas_rates(x, q, theta, v1, tau, k[2 * stage], k[2 * stage + 1])) return 0;
    }
    for (size_t i = 0; i < nv; i++) {
        theta[i] = h / 6 * (k[0][i] + 2 * k[2][i] + 2 * k[4][i] + k[6][i]);
        v_next[i] = v[i] + h / 6 * (k[1][i] + 2 * k[3][i] + 2 * k[5][i] + k[7][i]);
    }
    return !hml_configuration_integrate(x->model, q, theta, q_next);
}

static void check_discretize(subject *x, int s, const double *A, const double *B, double h)
{
    const size_t n = 2 * (size_t)x->nv, m = (size_t)x->nv, w = n + m;
    double *Ad = room(x->g, n * n), *Bd = room(x->g, n * m),
           *scratch = room(x->g, hml_discretize_scratch_doubles(n, m));
    double *P = room(x->g, n * w), *sum = room(x->g, n * w), *next = room(x->g, n * w), *top = room(x->g, n * n);
    if (w > 60 || hml_discretize(n, m, A, B, h, scratch, Ad, Bd)) return;
    for (size_t i = 0; i < n * w; i++) { /* exp of h [A B; 0 0], of which the lower rows stay as they are */
        const size_t r = i / w, c = i % w;
        P[i] = h * (c < n ? A[r * n + c] : B[r * m + c - n]);
        sum[i] = P[i] + (r == c);
    }
    for (size_t i = 0; i < n * n; i++) top[i] = h * A[i];
    for (int k = 2; k < 60; k++) {
        dense_multiply(n, n, w, top, P, next);
        for (size_t i = 0; i < n * w; i++) P[i] = next[i] / k, sum[i] += P[i];
    }
    for (size_t i = 0; i < n * n; i++) next[i] = sum[i / n * w + i % n];
    const double size = largest(n * w, sum);
    note(x, KIND_discretize, "A_d", (how){s, PLAIN, PLAIN, size, 10}, Ad, next, n, n);
    for (size_t i = 0; i < n * m; i++) next[i] = sum[i / m * w + n + i % m];
    note(x, KIND_discretize, "B_d", (how){s, PLAIN, PLAIN, size, 10}, Bd, next, n, m);
}

void check_steps(subject *x)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq, n = 2 * nv;
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    stepped p = {
        .x = x, .by = hml_rng_below(&x->rng, 2) ? HML_SCHEME_RK4 : HML_SCHEME_EULER, .q = x->q + (size_t)s * nq};
    p.v = x->v + (size_t)s * nv, p.tau = x->tau + (size_t)s * nv;
    double *a = room(x->g, nv), *q[3], *v[3], *Ad = room(x->g, n * n), *Bd = room(x->g, n * nv);
    for (int k = 0; k < 3; k++) q[k] = room(x->g, nq), v[k] = room(x->g, nv);
    single l0 = single_new(x);
    hml_linearization at = {.struct_size = sizeof at, .q.data = p.q, .v.data = p.v, .tau.data = p.tau};
    at.acceleration.data = a, at.Dq.data = l0.Dq, at.Dv.data = l0.Dv;
    if (hml_linearize(x->model, x->work, &at)) return;
    const double rate = 1 + largest(nv, p.v) + sqrt(largest(nv, a)) + sqrt(dense_norm(nv, nv, l0.Dq)) +
                        dense_norm(nv, nv, l0.Dv); /* light bodies: their own frequencies too */
    p.h = 0.05 / rate;                             /* angles of a step stay small */
    p.scratch = room(x->g, hml_step_scratch_doubles(x->model));
    p.q_t = room(x->g, nq), p.v_t = room(x->g, nv), p.tau_t = room(x->g, nv), p.q_next = room(x->g, nq);
    hml_status status = hml_step(x->model, x->work, p.scratch,
                                 &HML_STRUCT(hml_discrete_step, .scheme = p.by, .h = p.h, .q.data = p.q, .v.data = p.v,
                                             .tau.data = p.tau, .q_next.data = q[0], .v_next.data = v[0]));
    note_status(x, KIND_status, "hml_step", s, status, HML_OK);
    if (status || !step_by_definition(x, p.by, p.h, p.q, p.v, p.tau, q[1], v[1])) return;
    const kind k = p.by == HML_SCHEME_RK4 ? KIND_step_rk : KIND_step_euler;
    const double size = x->force[s] * p.h;
    note(x, k, "q", (how){s, PLAIN, PLAIN, x->away[s] + 1, 0}, q[0], q[1], nq, 1);
    note(x, k, "v", (how){s, UP, PLAIN, size, 0}, v[0], v[1], nv, 1);
    status = hml_step(x->model, x->work, p.scratch,
                      &HML_STRUCT(hml_discrete_step, .scheme = p.by, .h = p.h, .q.data = p.q, .v.data = p.v,
                                  .tau.data = p.tau, .q_next.data = q[2], .v_next.data = v[2], .Ad.data = Ad,
                                  .Bd.data = Bd));
    note_status(x, KIND_status, "hml_step, A_d and B_d", s, status, HML_OK);
    if (status) return;
    note(x, KIND_step_same, "q", (how){s, PLAIN, PLAIN, x->away[s] + 1, 0}, q[2], q[0], nq, 1);
    note(x, KIND_step_same, "v", (how){s, UP, PLAIN, size, 0}, v[2], v[0], nv, 1);
    double *z = room(x->g, nv), *one = room(x->g, n), *other = room(x->g, n);
    draw_direction(&x->rng, nv, z);
    p.q_end = q[0];
    double swing = 1;
    for (size_t i = 0; i < nv; i++) swing = fmax(swing, x->s[(size_t)s * nv + i]);
    for (int which = 0; which < 3; which++) {
        double *z2 = room(x->g, n);
        for (size_t i = 0; i < n; i++) z2[i] = 0;
        p.zq = which == 0 ? z : NULL, p.zv = which == 1 ? z : NULL, p.zt = which == 2 ? z : NULL;
        for (size_t i = 0; i < nv; i++) z2[(which == 1 ? nv : 0) + i] = z[i];
        if (which == 2)
            dense_apply(n, nv, Bd, z, one);
        else
            dense_apply(n, n, Ad, z2, one);
        if (!difference(x->g, ends, &p, 1e-3, n, other)) continue;
        note(x, KIND_step_linearize, which == 2 ? "B_d w" : "A_d z, q", (how){s, UP, PLAIN, swing + size, 0}, one,
             other, nv, 1);
        note(x, KIND_step_linearize, which == 2 ? "B_d w" : "A_d z, v", (how){s, UP, PLAIN, swing + size, 0}, one + nv,
             other + nv, nv, 1);
    }
    double *A = room(x->g, n * n), *B = room(x->g, n * nv);
    hml_linearization l = {.struct_size = sizeof l, .q.data = p.q, .v.data = p.v, .A.data = A, .B.data = B};
    if (!hml_linearize(x->model, x->work, &l)) check_discretize(x, s, A, B, 1 / (1 + dense_norm(n, n, A)));
}
