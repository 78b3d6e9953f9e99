/* Steps in time, representations of the base's velocity, and the groups in single precision. */
#include "agree.h"

/* ---- steps ---- */

typedef struct stepped {
    subject *x;
    hml_integrator by;
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
    if (hml_step(p->x->model, p->x->work, p->by, p->h, p->q_t, p->v_t, p->tau_t, p->scratch, p->q_next, out + nv))
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

static int step_by_definition(subject *x, hml_integrator by, double h, const double *q, const double *v,
                              const double *tau, double *q_next, double *v_next)
{
    const size_t nv = (size_t)x->nv;
    double *k[8], *theta = room(x->g, nv), *v1 = room(x->g, nv);
    for (int i = 0; i < 8; i++) k[i] = room(x->g, nv);
    if (by == HML_SEMI_IMPLICIT_EULER) {
        if (hml_forward_dynamics(x->model, x->work, q, v, tau, NULL, k[0])) return 0;
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
    double *Ad = room(x->g, n * n), *Bd = room(x->g, n * m), *scratch = room(x->g, hml_discretize_scratch_size(n, m));
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
    stepped p = {.x = x, .by = (hml_integrator)hml_rng_below(&x->rng, 2), .q = x->q + (size_t)s * nq};
    p.v = x->v + (size_t)s * nv, p.tau = x->tau + (size_t)s * nv;
    double *a = room(x->g, nv), *q[3], *v[3], *Ad = room(x->g, n * n), *Bd = room(x->g, n * nv);
    for (int k = 0; k < 3; k++) q[k] = room(x->g, nq), v[k] = room(x->g, nv);
    if (hml_forward_dynamics(x->model, x->work, p.q, p.v, p.tau, NULL, a)) return;
    const double rate = 1 + largest(nv, p.v) + sqrt(largest(nv, a));
    p.h = 0.05 / rate; /* angles of a step stay small */
    p.scratch = room(x->g, hml_step_scratch_size(x->model));
    p.q_t = room(x->g, nq), p.v_t = room(x->g, nv), p.tau_t = room(x->g, nv), p.q_next = room(x->g, nq);
    hml_status status = hml_step(x->model, x->work, p.by, p.h, p.q, p.v, p.tau, p.scratch, q[0], v[0]);
    note_status(x, KIND_status, "hml_step", s, status, HML_OK);
    if (status || !step_by_definition(x, p.by, p.h, p.q, p.v, p.tau, q[1], v[1])) return;
    const kind k = p.by == HML_MUNTHE_KAAS_4 ? KIND_step_rk : KIND_step_euler;
    const double size = x->force[s] * p.h;
    note(x, k, "q", (how){s, PLAIN, PLAIN, x->away[s] + 1, 0}, q[0], q[1], nq, 1);
    note(x, k, "v", (how){s, UP, PLAIN, size, 0}, v[0], v[1], nv, 1);
    status = hml_step_linearize(x->model, x->work, p.by, p.h, p.q, p.v, p.tau, p.scratch, q[2], v[2], Ad, Bd);
    note_status(x, KIND_status, "hml_step_linearize", s, status, HML_OK);
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

/* ---- representations ---- */

typedef struct turned {
    subject *x;
    int state;
    hml_representation as;
    const double *q, *v, *a, *tau, *zq, *zv, *v_rep;
    double *q_t, *v_t, *v_left;
    int bent;
} turned;

/* bent: ν_rep along the motion; else the rates (ν, d/dt ν_rep) at q ⊕ t zq and ν_rep + t zv, both held in the frame */
static int rates(void *context, double t, double *out)
{
    turned *p = context;
    subject *x = p->x;
    const int nv = x->nv;
    for (int i = 0; i < nv; i++) p->v_t[i] = p->bent ? t * p->v[i] + 0.5 * t * t * p->a[i] : t * p->zq[i];
    if (hml_configuration_integrate(x->model, p->q, p->v_t, p->q_t)) return 0;
    for (int i = 0; i < nv; i++) p->v_t[i] = p->bent ? p->v[i] + t * p->a[i] : p->v_rep[i] + t * p->zv[i];
    if (p->bent) return !hml_velocity_to_representation(x->model, p->as, p->q_t, p->v_t, out);
    double *a = room(x->g, (size_t)nv);
    return !hml_velocity_from_representation(x->model, p->as, p->q_t, p->v_t, p->v_left) &&
           !forward(x, p->q_t, p->v_left, p->tau, p->state, a) &&
           !hml_acceleration_to_representation(x->model, p->as, p->q_t, p->v_left, a, out);
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void check_converted(subject *x, turned *p, const single *l)
{
    const size_t nv = (size_t)x->nv, n = 2 * nv;
    const int s = p->state;
    const double far = p->as == HML_RIGHT ? x->away[s] : 1, speed = 1 + largest(nv, p->v);
    double *A = room(x->g, n * n), *B = room(x->g, n * nv), *zq = room(x->g, nv), *zv = room(x->g, nv);
    double *z = room(x->g, n), *one = room(x->g, n), *other = room(x->g, nv), *rep = room(x->g, nv);
    hml_linearization all = {.struct_size = sizeof all, .q.data = p->q, .v.data = p->v, .tau.data = p->tau};
    all.wrenches.data = wrenches_of(x, s), all.A.data = A, all.B.data = B;
    if (hml_linearize(x->model, x->work, &all)) return;
    if (hml_linearization_to_representation(x->model, p->as, p->q, p->v, l->a, x->nv, A, B)) return;
    draw_direction(&x->rng, nv, zq), draw_direction(&x->rng, nv, zv);
    for (size_t i = 0; i < nv; i++) z[i] = zq[i], z[nv + i] = zv[i];
    dense_apply(n, n, A, z, one);
    if (hml_velocity_to_representation(x->model, p->as, p->q, p->v, rep)) return;
    p->zq = zq, p->zv = zv, p->bent = 0, p->v_rep = rep;
    double strong = largest(nv, l->a) + x->force[s] / fmax(1e-3, x->s[(size_t)s * nv]) + speed * speed;
    if (difference(x->g, rates, p, 1e-3, nv, other))
        note(x, KIND_representation_A, hml_representation_name(p->as), (how){s, PLAIN, PLAIN, strong * far, 0},
             one + nv, other, nv, 1);
}

void check_representations(subject *x)
{
    const size_t nv = (size_t)x->nv;
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    turned p = {.x = x, .state = s, .q = x->q + (size_t)s * (size_t)x->nq, .v = x->v + (size_t)s * nv};
    p.a = x->a + (size_t)s * nv, p.tau = x->tau + (size_t)s * nv;
    p.q_t = room(x->g, (size_t)x->nq), p.v_t = room(x->g, nv), p.v_left = room(x->g, nv);
    const double speed = 1 + largest(nv, p.v), away = x->away[s];
    double *v = room(x->g, nv), *tau = room(x->g, nv), *back = room(x->g, nv), *a = room(x->g, nv);
    double *M = room(x->g, nv * nv), *h = room(x->g, nv), *zero = room(x->g, nv), *given = room(x->g, nv);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    single l = single_new(x);
    if (single_linearize(x, x->work, s, &l)) return;
    for (int k = 0; k < 4; k++) {
        p.as = (hml_representation)k;
        const char *as = hml_representation_name(p.as);
        const double far = k == HML_RIGHT ? away : 1;
        if (hml_velocity_to_representation(x->model, p.as, p.q, p.v, v) ||
            hml_force_to_representation(x->model, p.as, p.q, p.tau, tau))
            continue;
        if (!hml_velocity_from_representation(x->model, p.as, p.q, v, back))
            note(x, KIND_representation_v, as, (how){s, PLAIN, PLAIN, speed, 0}, back, p.v, nv, 1);
        if (!hml_force_from_representation(x->model, p.as, p.q, tau, back))
            note(x, KIND_representation_v, as, (how){s, PLAIN, PLAIN, 1, 0}, back, p.tau, nv, 1);
        const double one = dot(nv, tau, v), other = dot(nv, p.tau, p.v), size = speed * largest(nv, p.tau) * (double)nv;
        note(x, KIND_representation_power, as, (how){s, PLAIN, PLAIN, size, 0}, &one, &other, 1, 1);
        p.bent = 1;
        if (hml_acceleration_to_representation(x->model, p.as, p.q, p.v, p.a, a)) continue;
        const double bend = (speed * speed + largest(nv, p.a)) * far;
        if (difference(x->g, rates, &p, 1e-3 / speed, nv, back))
            note(x, KIND_representation_a, as, (how){s, PLAIN, PLAIN, bend, 0}, a, back, nv, 1);
        /* M_rep a_rep + h_rep is the force of that motion, there */
        memcpy(M, x->M + (size_t)s * nv * nv, nv * nv * sizeof *M);
        if (hml_inverse_dynamics(x->model, x->work, p.q, p.v, zero, wrenches_of(x, s), h) ||
            hml_inverse_dynamics(x->model, x->work, p.q, p.v, p.a, wrenches_of(x, s), given) ||
            hml_dynamics_to_representation(x->model, p.as, p.q, p.v, M, h) ||
            hml_force_to_representation(x->model, p.as, p.q, given, given))
            continue;
        dense_apply(nv, nv, M, a, back);
        for (size_t i = 0; i < nv; i++) back[i] += h[i];
        const double force = hml_model_mass(x->model) * bend * far + largest(nv, given);
        note(x, KIND_representation_M, as, (how){s, PLAIN, PLAIN, force, 0}, back, given, nv, 1);
        check_converted(x, &p, &l);
    }
}

/* ---- groups ---- */

void check_groups(subject *x)
{
    enum { N = 19 };
    double xi[6 * N], V[6 * N], out[3][36 * N];
    float xi32[6 * N], out32[36 * N];
    for (int i = 0; i < 6 * N; i++) {
        const double size = i / 6 % 4 == 0 ? 1e-6 : i / 6 % 4 == 1 ? 1.7 : 0.5;
        xi32[i] = (float)(size * hml_rng_uniform(&x->rng, -1, 1)), xi[i] = xi32[i];
        V[i] = hml_rng_uniform(&x->rng, -1, 1);
    }
    typedef hml_status wide(hml_isa isa, size_t n, const double *in, double *out);
    typedef hml_status narrow(size_t n, const float *in, float *out);
    static const struct {
        const char *name;
        wide *f64;
        narrow *f32;
        size_t in, out;
    } maps[] = {{"hml_so3_exp_batch", hml_so3_exp_batch, hml_so3_exp_batch_f32, 3, 9},
                {"hml_so3_dexp_batch", hml_so3_dexp_batch, hml_so3_dexp_batch_f32, 3, 9},
                {"hml_se3_exp_batch", hml_se3_exp_batch, hml_se3_exp_batch_f32, 6, 16},
                {"hml_se3_dexp_left_batch", hml_se3_dexp_left_batch, hml_se3_dexp_left_batch_f32, 6, 36},
                {"hml_se3_dexp_left_inverse_batch", hml_se3_dexp_left_inverse_batch,
                 hml_se3_dexp_left_inverse_batch_f32, 6, 36}};
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        const size_t all = maps[k].out * N;
        if (maps[k].f64(HML_ISA_SCALAR, N, xi, out[0])) continue;
        for (int i = 0; i < x->nisas; i++) {
            if (maps[k].f64(x->isas[i], N, xi, out[1])) continue;
            note(x, KIND_group_isa, maps[k].name, (how){0, PLAIN, PLAIN, 1, 0}, out[1], out[0], all, 1);
        }
        if (maps[k].f32(N, xi32, out32)) continue;
        for (size_t i = 0; i < all; i++) out[1][i] = (double)out32[i];
        note(x, KIND_floats, maps[k].name, (how){0, PLAIN, PLAIN, 1, 0}, out[1], out[0], all, 1);
    }
    if (hml_se3_exp_batch(HML_ISA_SCALAR, N, xi, out[0])) return;
    for (int i = 0; i < x->nisas; i++) {
        double log[6 * N], turned_V[2][6 * N];
        if (!hml_se3_log_batch(x->isas[i], N, out[0], log))
            note(x, KIND_group_isa, "log of exp", (how){0, PLAIN, PLAIN, 1, 0}, log, xi, 6 * N, 1);
        if (!hml_twist_transform_batch(x->isas[i], N, out[0], V, turned_V[0]) &&
            !hml_twist_transform_batch(HML_ISA_SCALAR, N, out[0], V, turned_V[1]))
            note(x, KIND_group_isa, "hml_twist_transform_batch", (how){0, PLAIN, PLAIN, 1, 0}, turned_V[0], turned_V[1],
                 6 * N, 1);
    }
}
