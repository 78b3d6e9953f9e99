/* Inverse and forward dynamics, M and its factors, energies and momenta: the kernels against the textbook. */
#include "agree.h"

/* hybrid dynamics: what is prescribed stays, and the motion needs these forces */
static void check_hybrid(subject *x, void *scratch, int s)
{
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv;
    double *a = room(x->g, nv), *tau = room(x->g, nv), *needed = room(x->g, nv);
    int *prescribed = room_bytes(x->g, nb * sizeof(int), sizeof(int));
    for (size_t b = 0; b < nb; b++) prescribed[b] = hml_rng_below(&x->rng, 2);
    memcpy(a, x->a + (size_t)s * nv, nv * sizeof *a), memcpy(tau, x->tau + (size_t)s * nv, nv * sizeof *tau);
    if (hml_hybrid_dynamics(x->model, scratch, prescribed, q, v, wrenches_of(x, s), a, tau)) return;
    if (hml_inverse_dynamics(x->model, x->work, q, v, a, wrenches_of(x, s), needed)) return;
    double size = x->force[s];
    for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(a[i]) * x->s[(size_t)s * nv + i]);
    note(x, KIND_hybrid, "hml_hybrid_dynamics", (how){s, DOWN, PLAIN, size * fmax(1, 0.1 * x->cond[s]), 0}, tau, needed,
         nv, 1);
}

static void check_regressors(subject *x, void *scratch, int s, const double *tau)
{
    const size_t nv = (size_t)x->nv, columns = 10 * (size_t)x->nb;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
    const how sums = {s, DOWN, PLAIN, x->force[s], 0};
    double *C = room(x->g, nv * nv), *Mdot = room(x->g, nv * nv), *twice = room(x->g, nv * nv);
    double *Y = room(x->g, nv * columns), *pi = room(x->g, columns), *one = room(x->g, nv), *zero = room(x->g, nv);
    double *bias = room(x->g, nv), *gravity = room(x->g, nv);
    if (!hml_coriolis_matrix(x->model, scratch, q, v, C, Mdot)) {
        for (size_t i = 0; i < nv * nv; i++) twice[i] = C[i] + C[i % nv * nv + i / nv];
        note(x, KIND_skew, "hml_coriolis_matrix", (how){s, DOWN, DOWN, 1 + largest(nv, v), 0}, Mdot, twice, nv, nv);
    }
    if (x->passive || x->wrenches) return;
    dense_apply(nv, nv, C, v, one);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    if (!hml_inverse_dynamics(x->model, x->work, q, zero, zero, NULL, gravity) &&
        !hml_inverse_dynamics(x->model, x->work, q, v, zero, NULL, bias)) {
        for (size_t i = 0; i < nv; i++) one[i] += gravity[i];
        note(x, KIND_coriolis, "hml_coriolis_matrix", sums, one, bias, nv, 1);
    }
    if (hml_regressor(x->model, scratch, q, v, a, Y) || hml_model_parameters(x->model, pi)) return;
    dense_apply(nv, columns, Y, pi, one);
    note(x, KIND_regressor, "hml_regressor", sums, one, tau, nv, 1);
}

static void check_factors(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *M = x->M + (size_t)s * nv * nv;
    int32_t *parents = room_bytes(x->g, nv * sizeof *parents, sizeof *parents);
    double *L = room(x->g, nv * nv), *y = room(x->g, nv), *want = room(x->g, nv), *z = room(x->g, nv);
    if (hml_coordinate_parents(x->model, parents)) return;
    draw_direction(&x->rng, nv, z);
    dense_apply(nv, nv, M, z, want);
    const how sums = {s, DOWN, PLAIN, largest(nv, want), 0};
    hml_tree_multiply((int32_t)nv, parents, M, z, y);
    note(x, KIND_factors, "hml_tree_multiply", sums, y, want, nv, 1);
    for (int unit = 0; unit < 2; unit++) {
        memcpy(L, M, nv * nv * sizeof *L);
        hml_status status = unit ? hml_ltdl_factor((int32_t)nv, parents, L) : hml_ltl_factor((int32_t)nv, parents, L);
        note_status(x, KIND_status, unit ? "hml_ltdl_factor" : "hml_ltl_factor", s, status, HML_OK);
        memcpy(y, z, nv * sizeof *y);
        hml_factor_multiply((int32_t)nv, parents, L, unit ? HML_DIAGONAL_UNIT : HML_DIAGONAL_STORED, 0, y);
        for (size_t i = 0; unit && i < nv; i++) y[i] *= L[i * nv + i];
        hml_factor_multiply((int32_t)nv, parents, L, unit ? HML_DIAGONAL_UNIT : HML_DIAGONAL_STORED, 1, y);
        note(x, KIND_factors, "factors times z", sums, y, want, nv, 1);
    }
}

void check_textbook(subject *x)
{
    const size_t nv = (size_t)x->nv, size = hml_recursive_size(x->model);
    const int s = hml_rng_below(&x->rng, x->nstates);
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
    const double *M = x->M + (size_t)s * nv * nv, force = x->force[s], *w = wrenches_of(x, s);
    const how sums = {s, DOWN, PLAIN, force, 0}, matrix = {s, DOWN, DOWN, 1, 0};
    double *tau = room(x->g, nv), *one = room(x->g, nv), *M2 = room(x->g, nv * nv);
    if (size == 0) return; /* followers */
    void *scratch = room_bytes(x->g, size, sizeof(double));
    note_status(x, KIND_status, "hml_inverse_dynamics", s, hml_inverse_dynamics(x->model, x->work, q, v, a, w, tau),
                HML_OK);
    static const hml_representation forms[4] = {HML_LEFT, HML_MIXED, HML_SPLIT, HML_RIGHT};
    for (int k = 0; k < 4; k++) {
        hml_status status = hml_rnea(x->model, scratch, forms[k], q, v, a, w, one);
        note_status(x, KIND_status, "hml_rnea", s, status, HML_OK);
        note(x, k == 3 ? KIND_rnea_right : KIND_rnea, hml_representation_name(forms[k]), sums, one, tau, nv, 1);
    }
    note_status(x, KIND_status, "hml_euler_jourdain", s, hml_euler_jourdain(x->model, scratch, q, v, a, w, one),
                HML_OK);
    note(x, KIND_euler_jourdain, "hml_euler_jourdain", sums, one, tau, nv, 1);
    for (int k = 0; k < 2; k++) {
        hml_status status = hml_crba(x->model, scratch, (hml_crba_frame)k, q, M2);
        note_status(x, KIND_status, "hml_crba", s, status, HML_OK);
        note(x, KIND_crba, "hml_crba", matrix, M2, M, nv, nv);
    }
    check_regressors(x, scratch, s, tau);
    if (x->regular) return;
    hml_status status = hml_aba(x->model, scratch, q, v, x->tau + (size_t)s * nv, w, one);
    note_status(x, KIND_status, "hml_aba", s, status, HML_OK);
    if (!forward(x, q, v, x->tau + (size_t)s * nv, s, tau))
        note(x, KIND_aba, "hml_aba", (how){s, UP, PLAIN, force, 0}, one, tau, nv, 1);
    check_hybrid(x, scratch, s);
    check_factors(x, s);
}

/* ---- balances ---- */

typedef struct motion {
    subject *x;
    int state;
    const double *q, *v, *a;
    double *q_t, *v_t;
    int what; /* 0: energy, 1: momentum, 2: potential energy along z = a */
} motion;

static int along(void *context, double t, double *out)
{
    motion *m = context;
    subject *x = m->x;
    hml_dynamics_result d = {.struct_size = sizeof d};
    double p[6];
    d.momentum = p;
    for (int i = 0; i < x->nv; i++) /* the second order too, so that the curve has the velocity v + t a */
        m->v_t[i] = m->what == 2 ? t * m->a[i] : t * m->v[i] + 0.5 * t * t * m->a[i];
    if (hml_configuration_integrate(x->model, m->q, m->v_t, m->q_t)) return 0;
    for (int i = 0; i < x->nv; i++) m->v_t[i] = m->v[i] + (m->what == 2 ? 0 : t * m->a[i]);
    if (summary_of(x, x->model, x->work, m->q_t, m->v_t, &d)) return 0;
    if (m->what == 1)
        memcpy(out, p, sizeof p);
    else
        out[0] = m->what == 2 ? d.potential_energy : d.kinetic_energy + d.potential_energy;
    return 1;
}

static double dissipated(const subject *x, const double *v)
{
    double sum = 0;
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        if (hml_model_joint(x->model, j, &info)) continue;
        hml_joint_info leader = {.struct_size = sizeof leader};
        const int follows = info.leader >= 0 && !hml_model_joint(x->model, info.leader, &leader);
        for (int k = 0; k < hml_joint_type_nv(info.type); k++) {
            const double rate = follows ? info.multiplier * v[leader.v] : v[info.v + k];
            sum += info.damping[k] * rate * rate;
        }
    }
    return sum;
}

/* power in = rate of energy; and the rate of momentum; along the motion that tau and the wrenches make */
static void check_power(subject *x, int s, const double *a)
{
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *tau = x->tau + (size_t)s * nv;
    motion m = {x, s, q, v, a, room(x->g, (size_t)x->nq), room(x->g, nv), 0};
    double *H = room(x->g, 16 * nb), *V = room(x->g, 6 * nb), power = 0, rate = 0, size = 0, momentum[6], rates[6];
    if (hml_frame_motions(x->model, x->work, x->nb, HML_LEFT, q, v, NULL, H, V, NULL)) return;
    for (size_t i = 0; i < nv; i++) power += tau[i] * v[i], size += fabs(v[i]) * x->s[(size_t)s * nv + i];
    size *= x->force[s];
    for (size_t i = 0; x->wrenches && i < 6 * nb; i++) power += wrenches_of(x, s)[i] * V[i];
    power -= dissipated(x, v);
    double fast = 1 + largest(nv, v) + sqrt(largest(nv, a));
    if (!x->noncommuting_springs && difference(x->g, along, &m, 1e-3 / fast, 1, &rate)) {
        hml_dynamics_result d = {.struct_size = sizeof d};
        if (!summary_of(x, x->model, x->work, q, v, &d))
            size += 1e-2 * fast * (fabs(d.kinetic_energy) + fabs(d.potential_energy));
        note(x, KIND_energy_rate, "hml_dynamics", (how){s, PLAIN, PLAIN, size, 0}, &power, &rate, 1, 1);
    }
    hml_centroidal_motion c = {.struct_size = sizeof c, .momentum_rate = rates, .momentum = momentum};
    m.what = 1;
    double slow[6], com[3];
    c.com = com;
    if (hml_model_mass(x->model) > 0 && !hml_centroidal(x->model, x->work, q, v, a, &c) &&
        difference(x->g, along, &m, 1e-3 / fast, 6, slow)) {
        /* about the world's origin: ṗ, and L̇ + com × ṗ + v_com × p, the last of which is zero */
        rates[3] += com[1] * rates[2] - com[2] * rates[1];
        rates[4] += com[2] * rates[0] - com[0] * rates[2];
        rates[5] += com[0] * rates[1] - com[1] * rates[0];
        double about =
            sqrt(hml_model_mass(x->model)) * x->force[s] * x->away[s] + x->away[s] * largest(6, momentum) * fast;
        note(x, KIND_momentum_rate, "hml_centroidal", (how){s, PLAIN, PLAIN, about, 0}, rates, slow, 6, 1);
    }
}

static void check_summary(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *tau = x->tau + (size_t)s * nv;
    const double force = x->force[s], *w = wrenches_of(x, s), *M = x->M + (size_t)s * nv * nv;
    const how sums = {s, DOWN, PLAIN, force, 0};
    double *M2 = room(x->g, nv * nv), *h = room(x->g, nv), *G = room(x->g, nv), *a = room(x->g, nv);
    double *zero = room(x->g, nv), *one = room(x->g, nv), com[3], centroidal[6], momentum[6], com2[3], momentum2[6];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M2, .h = h, .gravity = G, .acceleration = a};
    d.com = com, d.centroidal_momentum = centroidal, d.momentum = momentum;
    if (hml_dynamics(x->model, x->work, q, v, tau, w, &d)) return;
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    note(x, KIND_dynamics_M, "hml_dynamics", (how){s, DOWN, DOWN, 1, 0}, M2, M, nv, nv);
    if (!hml_inverse_dynamics(x->model, x->work, q, v, zero, w, one))
        note(x, KIND_dynamics_h, "hml_dynamics", sums, h, one, nv, 1);
    if (!x->regular && !forward(x, q, v, tau, s, one))
        note(x, KIND_dynamics_a, "hml_dynamics", (how){s, UP, PLAIN, force, 0}, a, one, nv, 1);
    dense_apply(nv, nv, M, v, one);
    double twice = 0, energy = d.kinetic_energy;
    for (size_t i = 0; i < nv; i++) twice += v[i] * one[i] / 2;
    note(x, KIND_energy, "hml_dynamics", (how){s, PLAIN, PLAIN, 1e-6, 0}, &energy, &twice, 1, 1);
    hml_centroidal_motion c = {.struct_size = sizeof c, .com = com2, .momentum = momentum2};
    if (hml_model_mass(x->model) > 0 && !hml_centroidal(x->model, x->work, q, v, NULL, &c)) {
        const double size = hml_model_mass(x->model) * (1e-3 + largest(nv, v));
        note(x, KIND_com, "hml_dynamics", (how){s, PLAIN, PLAIN, 1, 0}, com, com2, 3, 1);
        note(x, KIND_momentum, "hml_dynamics", (how){s, PLAIN, PLAIN, size, 0}, centroidal, momentum2, 6, 1);
    }
    if (x->passive) return;
    double *z = room(x->g, nv), pulled = 0, slope;
    draw_direction(&x->rng, nv, z);
    motion m = {x, s, q, v, z, room(x->g, (size_t)x->nq), room(x->g, nv), 2};
    for (size_t i = 0; i < nv; i++) pulled += G[i] * z[i];
    if (difference(x->g, along, &m, 1e-3, 1, &slope))
        note(x, KIND_gravity_force, "hml_dynamics",
             (how){s, PLAIN, PLAIN, 9.81 * hml_model_mass(x->model) * x->away[s], 0}, &pulled, &slope, 1, 1);
}

void check_balance(subject *x)
{
    const size_t nv = (size_t)x->nv;
    const int s = hml_rng_below(&x->rng, x->nstates);
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *tau = x->tau + (size_t)s * nv;
    const double *a = x->a + (size_t)s * nv, *w = wrenches_of(x, s), force = x->force[s];
    const double *M = x->M + (size_t)s * nv * nv;
    double *one = room(x->g, nv), *other = room(x->g, nv), *h = room(x->g, nv), *zero = room(x->g, nv);
    check_summary(x, s);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    if (hml_inverse_dynamics(x->model, x->work, q, v, a, w, one)) return;
    if (hml_inverse_dynamics(x->model, x->work, q, v, zero, w, h)) return;
    dense_apply(nv, nv, M, a, other);
    for (size_t i = 0; i < nv; i++) other[i] += h[i];
    note(x, KIND_Ma_h, "hml_inverse_dynamics", (how){s, DOWN, PLAIN, force, 0}, other, one, nv, 1);
    if (x->regular) return;
    if (!forward(x, q, v, one, s, other))
        note(x, KIND_round_trip_a, "hml_forward_dynamics", (how){s, UP, PLAIN, force, 0}, other, a, nv, 1);
    single l = single_new(x);
    if (forward(x, q, v, tau, s, other) || single_linearize(x, x->work, s, &l)) return;
    note(x, KIND_linearize_a, "hml_linearize", (how){s, UP, PLAIN, force, 0}, l.a, other, nv, 1);
    if (!hml_inverse_dynamics(x->model, x->work, q, v, other, w, one)) {
        double size = force;
        for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(other[i]) * x->s[(size_t)s * nv + i]);
        note(x, KIND_round_trip, "hml_forward_dynamics", (how){s, DOWN, PLAIN, size, 0}, one, tau, nv, 1);
    }
    check_power(x, s, other);
}
