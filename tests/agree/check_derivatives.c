/* Derivatives against their definitions, along a direction drawn at random: any wrong entry shows in it. */
#include "agree.h"

/* a curve through a state: q ⊕ t zq, v + t zv, and what is looked at along it */
typedef struct path {
    subject *x;
    int state;
    const double *q, *v, *a, *zq, *zv, *b;
    double *q_t, *v_t, *scratch;
} path;

static path path_new(subject *x, int state, const double *zq, const double *zv)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    path p = {.x = x, .state = state, .zq = zq, .zv = zv};
    p.q = x->q + (size_t)state * nq, p.v = x->v + (size_t)state * nv, p.a = x->a + (size_t)state * nv;
    p.q_t = room(x->g, nq), p.v_t = room(x->g, nv), p.scratch = room(x->g, nv * nv);
    return p;
}

static int path_move(path *p, double t)
{
    const size_t nv = (size_t)p->x->nv;
    for (size_t i = 0; i < nv; i++) p->v_t[i] = p->zq ? t * p->zq[i] : 0;
    if (hml_configuration_integrate(p->x->model, p->q, p->v_t, p->q_t)) return 0;
    for (size_t i = 0; i < nv; i++) p->v_t[i] = p->v[i] + (p->zv ? t * p->zv[i] : 0);
    return 1;
}

static int accelerations(void *context, double t, double *out)
{
    path *p = context;
    return path_move(p, t) &&
           !forward(p->x, p->q_t, p->v_t, p->x->tau + (size_t)p->state * (size_t)p->x->nv, p->state, out);
}

static int forces(void *context, double t, double *out)
{
    path *p = context;
    return path_move(p, t) &&
           !hml_inverse_dynamics(p->x->model, p->x->work, p->q_t, p->v_t, p->a, wrenches_of(p->x, p->state), out);
}

static int inverse_times_b(void *context, double t, double *out)
{
    path *p = context;
    const size_t nv = (size_t)p->x->nv;
    if (!path_move(p, t) || hml_inverse_mass_matrix(p->x->model, p->x->work, p->q_t, p->scratch)) return 0;
    dense_apply(nv, nv, p->scratch, p->b, out);
    return 1;
}

/* Ad(exp(−t v)), whose derivative at 0 is −ad_v */
static int adjoints(void *context, double t, double *out)
{
    path *p = context;
    for (int i = 0; i < p->x->nv; i++) p->v_t[i] = t * p->v[i];
    return !hml_configuration_integrate_jacobians(p->x->model, p->q, p->v_t, out, NULL);
}

static void check_ad(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    double *A = room(x->g, 4 * nv * nv), *upper = room(x->g, nv * nv), *ad = room(x->g, nv * nv);
    path p = path_new(x, s, NULL, NULL);
    hml_linearization l = {.struct_size = sizeof l, .q.data = p.q, .v.data = p.v, .A.data = A};
    l.tau.data = x->tau + (size_t)s * nv, l.wrenches.data = wrenches_of(x, s);
    if (hml_linearize(x->model, x->work, &l)) return;
    for (size_t i = 0; i < nv * nv; i++) upper[i] = A[i / nv * 2 * nv + i % nv];
    const double size = largest(nv, p.v);
    if (difference(x->g, adjoints, &p, 1e-3 / (1 + size), nv * nv, ad))
        note(x, KIND_A_ad, "hml_linearize", (how){s, PLAIN, PLAIN, 1 + size, 0}, upper, ad, nv, nv);
}

static void check_inverse_dynamics(subject *x, int s, const single *l, const double *z)
{
    const size_t nv = (size_t)x->nv;
    const double force = x->force[s], *M = x->M + (size_t)s * nv * nv;
    const how sums = {s, DOWN, PLAIN, force, 0}, solved = {s, UP, PLAIN, force, 0};
    double *tq = room(x->g, nv * nv), *tv = room(x->g, nv * nv), *M2 = room(x->g, nv * nv), *D = room(x->g, nv * nv);
    double *one = room(x->g, nv), *other = room(x->g, nv);
    path p = path_new(x, s, z, NULL);

    /* at the acceleration that the forces make: D = −M⁻¹ ∂τ */
    if (hml_inverse_dynamics_derivatives(x->model, x->work, p.q, p.v, l->a, wrenches_of(x, s), tq, tv, M2)) return;
    note(x, KIND_dtau_M, "hml_inverse_dynamics_derivatives", (how){s, DOWN, DOWN, 1, 0}, M2, M, nv, nv);
    for (int which = 0; which < 2; which++) {
        double *t = which ? tv : tq;
        dense_multiply(nv, nv, nv, x->Minv + (size_t)s * nv * nv, t, D);
        for (size_t i = 0; i < nv * nv; i++) D[i] = -D[i];
        note(x, which ? KIND_dtau_Dv : KIND_dtau_Dq, "hml_inverse_dynamics_derivatives", solved, which ? l->Dv : l->Dq,
             D, nv, nv);
    }
    /* at another one: against differences */
    if (hml_inverse_dynamics_derivatives(x->model, x->work, p.q, p.v, p.a, wrenches_of(x, s), tq, tv, NULL)) return;
    dense_apply(nv, nv, tq, z, one);
    if (difference(x->g, forces, &p, 1e-3, nv, other))
        note(x, KIND_dtau_q, "hml_inverse_dynamics_derivatives", sums, one, other, nv, 1);
    p.zq = NULL, p.zv = z;
    dense_apply(nv, nv, tv, z, one);
    if (difference(x->g, forces, &p, 1e-3, nv, other))
        note(x, KIND_dtau_v, "hml_inverse_dynamics_derivatives", sums, one, other, nv, 1);
}

static void check_inverse_mass(subject *x, int s, const double *z, const double *b)
{
    const size_t nv = (size_t)x->nv;
    double *D = room(x->g, nv * nv), *one = room(x->g, nv), *other = room(x->g, nv);
    path p = path_new(x, s, z, NULL);
    p.b = b;
    hml_status status = hml_inverse_mass_derivative(x->model, x->work, p.q, b, D);
    note_status(x, KIND_status, "hml_inverse_mass_derivative", s, status, HML_OK);
    dense_apply(nv, nv, D, z, one);
    if (!difference(x->g, inverse_times_b, &p, 1e-3, nv, other)) return;
    double size = 0;
    for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(b[i]) / x->s[(size_t)s * nv + i]);
    note(x, KIND_inverse_mass_q, "hml_inverse_mass_derivative", (how){s, UP, PLAIN, size, 0}, one, other, nv, 1);
}

/* at rest they are the derivatives of inverse dynamics, gravity alone where nothing is passive */
static void check_statics(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *w = wrenches_of(x, s);
    const how sums = {s, DOWN, PLAIN, x->force[s], 0};
    double *zero = room(x->g, nv), *one = room(x->g, nv * nv), *other = room(x->g, nv * nv), *tau = room(x->g, nv);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    if (hml_inverse_dynamics_derivatives(x->model, x->work, q, zero, NULL, w, other, NULL, NULL)) return;
    note_status(x, KIND_status, "hml_static_torque", s, hml_static_torque(x->model, x->work, q, w, tau, one), HML_OK);
    note(x, KIND_static_q, "hml_static_torque", sums, one, other, nv, nv);
    if (x->passive || w) return;
    note_status(x, KIND_status, "hml_gravity_torque", s, hml_gravity_torque(x->model, x->work, q, tau, one), HML_OK);
    note(x, KIND_static_q, "hml_gravity_torque", sums, one, other, nv, nv);
}

/* with ν̇ = 0 the momentum changes by Ȧ ν, which is quadratic in ν: ∂/∂q times ν is that, ∂/∂ν times ν is twice that */
static void check_momentum(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, fast = 1 + largest(nv, v);
    double *hq = room(x->g, 6 * nv), *fv = room(x->g, 6 * nv), *Adot = room(x->g, 6 * nv), one[6], other[6], h[6];
    const hml_centroidal_derivative d = {.struct_size = sizeof d, .momentum_q = hq, .momentum_rate_v = fv};
    const hml_centroidal_motion c = {.struct_size = sizeof c, .Adot = Adot, .momentum = h};
    if (!(hml_model_mass(x->model) > 0) || hml_centroidal(x->model, x->work, q, v, NULL, &c)) return;
    hml_status status = hml_centroidal_derivatives(x->model, x->work, q, v, NULL, &d);
    note_status(x, KIND_status, "hml_centroidal_derivatives", s, status, HML_OK);
    const double size = sqrt(hml_model_mass(x->model)) * x->force[s] * x->away[s] + x->away[s] * largest(6, h) * fast;
    const how here = {s, PLAIN, PLAIN, size, 0};
    dense_apply(6, nv, Adot, v, other);
    dense_apply(6, nv, hq, v, one);
    note(x, KIND_momentum_q, "hml_centroidal_derivatives", here, one, other, 6, 1);
    dense_apply(6, nv, fv, v, one);
    for (int i = 0; i < 6; i++) one[i] /= 2;
    note(x, KIND_momentum_q, "hml_centroidal_derivatives", here, one, other, 6, 1);
}

/* where only the centre of mass is asked for, first moments are enough: a walk of its own */
static void check_centre(subject *x, int s)
{
    const size_t nv = (size_t)x->nv, n = 3 * nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, fast = 1 + largest(nv, v);
    double *J[2] = {room(x->g, n), room(x->g, n)}, *Jdot[2] = {room(x->g, n), room(x->g, n)};
    double *vq[2] = {room(x->g, n), room(x->g, n)}, *hq = room(x->g, 6 * nv), com[2][3], velocity[2][3], h[6];
    hml_centroidal_motion all = {.struct_size = sizeof all, .com = com[1], .com_J = J[1], .momentum = h};
    all.com_velocity = velocity[1], all.com_Jdot = Jdot[1];
    const hml_centroidal_derivative more = {.struct_size = sizeof more, .com_velocity_q = vq[1], .momentum_q = hq};
    if (hml_centroidal(x->model, x->work, q, v, NULL, &all)) return;
    if (hml_centroidal_derivatives(x->model, x->work, q, v, NULL, &more)) return;
    const how still = {s, PLAIN, PLAIN, x->away[s], 0}, moving = {s, PLAIN, PLAIN, x->away[s] * fast, 0};
    for (int i = 0; i < x->nisas; i++) {
        const char *isa = hml_isa_name(x->isas[i]);
        const hml_centroidal_motion place = {.struct_size = sizeof place, .com = com[0], .com_J = J[0]};
        note_status(x, KIND_status, isa, s, hml_centroidal(x->model, x->works[i], q, NULL, NULL, &place), HML_OK);
        note(x, KIND_com_alone, isa, still, com[0], com[1], 3, 1);
        note(x, KIND_com_alone, isa, still, J[0], J[1], 3, nv);
        const hml_centroidal_motion motion = {.struct_size = sizeof motion,
                                              .com = com[0],
                                              .com_J = J[0],
                                              .com_velocity = velocity[0],
                                              .com_Jdot = Jdot[0]};
        note_status(x, KIND_status, isa, s, hml_centroidal(x->model, x->works[i], q, v, NULL, &motion), HML_OK);
        note(x, KIND_com_alone, isa, still, com[0], com[1], 3, 1);
        note(x, KIND_com_alone, isa, still, J[0], J[1], 3, nv);
        note(x, KIND_com_alone, isa, moving, velocity[0], velocity[1], 3, 1);
        note(x, KIND_com_alone, isa, moving, Jdot[0], Jdot[1], 3, nv);
        const hml_centroidal_derivative d = {.struct_size = sizeof d, .com_velocity_q = vq[0]};
        note_status(x, KIND_status, isa, s, hml_centroidal_derivatives(x->model, x->works[i], q, v, NULL, &d), HML_OK);
        note(x, KIND_com_alone, isa, moving, vq[0], vq[1], 3, nv);
    }
}

void check_derivatives(subject *x)
{
    const size_t nv = (size_t)x->nv;
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    const double force = x->force[s];
    const how solved = {s, UP, PLAIN, force, 0};
    double *z = room(x->g, nv), *one = room(x->g, nv), *other = room(x->g, nv), *tau = room(x->g, nv);
    single l = single_new(x);
    draw_direction(&x->rng, nv, z);
    note_status(x, KIND_status, "hml_linearize", s, single_linearize(x, x->work, s, &l), HML_OK);

    path p = path_new(x, s, z, NULL);
    dense_apply(nv, nv, l.Dq, z, one);
    if (difference(x->g, accelerations, &p, 1e-3, nv, other))
        note(x, KIND_Dq_difference, "hml_linearize", solved, one, other, nv, 1);
    p.zq = NULL, p.zv = z;
    dense_apply(nv, nv, l.Dv, z, one);
    if (difference(x->g, accelerations, &p, 1e-3, nv, other))
        note(x, KIND_Dv_difference, "hml_linearize", solved, one, other, nv, 1);

    for (size_t i = 0; i < nv; i++) tau[i] = x->tau[(size_t)s * nv + i] + z[i];
    dense_apply(nv, nv, l.Minv, z, one);
    if (!forward(x, p.q, p.v, tau, s, other)) {
        for (size_t i = 0; i < nv; i++) other[i] -= l.a[i];
        note(x, KIND_Minv_difference, "hml_linearize", (how){s, UP, PLAIN, force + largest(nv, z), 0}, one, other, nv,
             1);
    }
    check_ad(x, s);
    check_inverse_dynamics(x, s, &l, z);
    check_inverse_mass(x, s, z, x->tau + (size_t)s * nv);
    check_statics(x, s);
    check_momentum(x, s);
    check_centre(x, s);
}

/* ---- products without matrices, and the tables of Bos ---- */

static void check_bos(subject *x, int s, const single *l, const double *A, const double *B)
{
    const size_t nv = (size_t)x->nv, n = 2 * nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *tau = x->tau + (size_t)s * nv;
    const double *a = x->a + (size_t)s * nv, force = x->force[s];
    const size_t size = hml_reference_size(x->model);
    const how sums = {s, DOWN, PLAIN, force, 0};
    if (size == 0 || x->wrenches) return;
    void *scratch = room_bytes(x->g, size, sizeof(double));
    double *A2 = room(x->g, n * n), *B2 = room(x->g, n * nv), *a2 = room(x->g, nv);
    hml_status status = hml_reference_linearize(x->model, scratch, q, v, tau, a2, A2, B2);
    note_status(x, KIND_status, "hml_reference_linearize", s, status, HML_OK);
    note(x, KIND_bos_a, "hml_reference_linearize", (how){s, UP, PLAIN, force, 0}, a2, l->a, nv, 1);
    for (int half = 0; half < 2; half++) { /* the lower rows are accelerations */
        const how here = {s, half ? UP : PLAIN, PLAIN, force, 0};
        note(x, KIND_bos_A, "hml_reference_linearize", here, A2 + (half ? nv * n : 0), A + (half ? nv * n : 0), nv, n);
    }
    note(x, KIND_bos_B, "hml_reference_linearize", (how){s, UP, UP, 1, 0}, B2 + nv * nv, B + nv * nv, nv, nv);
    if (!hml_reference_inverse_mass_matrix(x->model, scratch, q, B2))
        note(x, KIND_bos_Minv, "hml_reference_inverse_mass_matrix", (how){s, UP, UP, 1, 0}, B2, l->Minv, nv, nv);
    double *one = room(x->g, nv),
           *D[4] = {room(x->g, nv * nv), room(x->g, nv * nv), room(x->g, nv * nv), room(x->g, nv * nv)};
    if (!hml_reference_inverse_dynamics(x->model, scratch, q, v, a, one) &&
        !hml_inverse_dynamics(x->model, x->work, q, v, a, NULL, a2))
        note(x, KIND_bos_tau, "hml_reference_inverse_dynamics", sums, one, a2, nv, 1);
    if (!hml_reference_inverse_dynamics_derivatives(x->model, scratch, HML_LEFT, q, v, a, D[0], D[1]) &&
        !hml_inverse_dynamics_derivatives(x->model, x->work, q, v, a, NULL, D[2], D[3], NULL)) {
        note(x, KIND_bos_dtau, "hml_reference_inverse_dynamics_derivatives", sums, D[0], D[2], nv, nv);
        note(x, KIND_bos_dtau, "hml_reference_inverse_dynamics_derivatives", sums, D[1], D[3], nv, nv);
    }
}

void check_directional(subject *x)
{
    const size_t nv = (size_t)x->nv, n = 2 * nv;
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *tau = x->tau + (size_t)s * nv;
    const double force = x->force[s], speed = largest(nv, v);
    double *A = room(x->g, n * n), *B = room(x->g, n * nv), *z = room(x->g, n), *w = room(x->g, nv);
    double *rate = room(x->g, n), *want = room(x->g, n), *more = room(x->g, n), *a = room(x->g, nv);
    double *point = room(x->g, hml_directional_doubles(x->model));
    double *scratch = room(x->g, hml_directional_scratch_doubles(x->model)), *out_w = room(x->g, nv);
    single l = single_new(x);
    hml_linearization all = {.struct_size = sizeof all, .q.data = q, .v.data = v, .tau.data = tau};
    all.wrenches.data = wrenches_of(x, s), all.A.data = A, all.B.data = B;
    all.acceleration.data = l.a, all.Minv.data = l.Minv;
    note_status(x, KIND_status, "hml_linearize", s, hml_linearize(x->model, x->work, &all), HML_OK);
    draw_direction(&x->rng, n, z), draw_direction(&x->rng, nv, w);

    for (int i = 0; i < x->nisas; i++) {
        hml_work *work = x->works[i];
        hml_status status = hml_directional_update(x->model, work, q, v, tau, wrenches_of(x, s), point, a);
        note_status(x, KIND_status, "hml_directional_update", s, status, HML_OK);
        note(x, KIND_directional_a, hml_isa_name(x->isas[i]), (how){s, UP, PLAIN, force, 0}, a, l.a, nv, 1);
        if (hml_directional_forward(x->model, work, point, z, z + nv, w, scratch, rate, rate + nv)) continue;
        dense_apply(n, n, A, z, want), dense_apply(n, nv, B, w, more);
        for (size_t k = 0; k < n; k++) want[k] += more[k];
        note(x, KIND_directional, "hml_directional_forward, q", (how){s, PLAIN, PLAIN, 1 + speed, 0}, rate, want, nv,
             1);
        note(x, KIND_directional, "hml_directional_forward, v", (how){s, UP, PLAIN, force + 1, 0}, rate + nv, want + nv,
             nv, 1);
        /* y of the size that makes its products those of scaled accelerations */
        double *y = room(x->g, n);
        for (size_t k = 0; k < nv; k++) y[k] = z[k], y[nv + k] = z[nv + k] * x->s[(size_t)s * nv + k];
        if (hml_directional_reverse(x->model, work, point, y, y + nv, scratch, rate, rate + nv, out_w)) continue;
        dense_apply_transposed(n, n, A, y, want), dense_apply_transposed(n, nv, B, y, more);
        note(x, KIND_reverse, "hml_directional_reverse, z", (how){s, PLAIN, PLAIN, force + speed + 1, 0}, rate, want, n,
             1);
        note(x, KIND_reverse, "hml_directional_reverse, w", (how){s, UP, PLAIN, 1, 0}, out_w, more, nv, 1);
    }
    check_bos(x, s, &l, A, B);
}
