/* Constraints: nothing held against free; held frames and loops against the equations; derivatives against differences.
 */
#include "agree.h"

enum { HOLDS = 3, ROWS = 6 * (HOLDS + LOOPS) };

typedef struct held {
    subject *x;
    int state;
    const hml_constraints *set;
    const double *q, *v, *tau, *zq, *zv, *zt;
    double *q_t, *v_t, *tau_t, *scratch;
    double restitution;
    int impulse;
    hml_representation as; /* of seen_as */
    const double *v_rep;
    hml_constraint_report report; /* of the linearization */
} held;

static int moved(void *context, double t, double *out)
{
    held *h = context;
    subject *x = h->x;
    for (int i = 0; i < x->nv; i++) h->v_t[i] = h->zq ? t * h->zq[i] : 0;
    if (hml_configuration_integrate(x->model, h->q, h->v_t, h->q_t)) return 0;
    for (int i = 0; i < x->nv; i++) {
        h->v_t[i] = h->v[i] + (h->zv ? t * h->zv[i] : 0);
        h->tau_t[i] = h->tau[i] + (h->zt ? t * h->zt[i] : 0);
    }
    if (h->impulse)
        return !hml_constrained_impulse(x->model, x->work, h->set, h->scratch,
                                        &HML_STRUCT(hml_constrained_impact, .q = h->q_t, .v = h->v_t,
                                                    .restitution = h->restitution, .v_next = out));
    return !hml_constrained_forward_dynamics(x->model, x->work, h->set, h->scratch,
                                             &HML_STRUCT(hml_constrained_dynamics, .q = h->q_t, .v = h->v_t,
                                                         .tau = h->tau_t, .wrenches = wrenches_of(x, h->state),
                                                         .acceleration = out));
}

static held held_new(subject *x, int s, const hml_constraints *set)
{
    const size_t nv = (size_t)x->nv;
    held h = {.x = x, .state = s, .set = set, .q = x->q + (size_t)s * (size_t)x->nq, .v = x->v + (size_t)s * nv};
    h.tau = x->tau + (size_t)s * nv;
    h.q_t = room(x->g, (size_t)x->nq), h.v_t = room(x->g, nv), h.tau_t = room(x->g, nv);
    h.scratch = room(x->g, hml_constraint_scratch_doubles(x->model, set));
    return h;
}

static hml_constrained_linearization blocks_new(subject *x, held *h, size_t rows)
{
    const size_t nv = (size_t)x->nv;
    hml_constrained_linearization l = {.struct_size = sizeof l, .q = h->q, .v = h->v, .tau = h->tau};
    h->report = HML_STRUCT(hml_constraint_report, .rows = 0);
    l.report = &h->report;
    l.wrenches = wrenches_of(x, h->state);
    l.acceleration = room(x->g, nv), l.lambda = room(x->g, rows);
    l.Dq = room(x->g, nv * nv), l.Dv = room(x->g, nv * nv), l.Dtau = room(x->g, nv * nv);
    l.A = room(x->g, 4 * nv * nv), l.B = room(x->g, 2 * nv * nv);
    return l;
}

static void check_nothing_held(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    hml_constraints none = {.struct_size = sizeof none};
    held h = held_new(x, s, &none);
    hml_constrained_linearization l = blocks_new(x, &h, 0);
    single f = single_new(x);
    hml_status status = hml_constrained_linearize(x->model, x->work, &none, h.scratch, &l);
    note_status(x, KIND_status, "hml_constrained_linearize, nothing held", s, status, HML_OK);
    if (status || single_linearize(x, x->work, s, &f)) return;
    const how here = {s, UP, PLAIN, x->force[s], 0};
    note(x, KIND_no_holds, "acceleration", here, l.acceleration, f.a, nv, 1);
    note(x, KIND_no_holds, "Dq", here, l.Dq, f.Dq, nv, nv);
    note(x, KIND_no_holds, "Dv", here, l.Dv, f.Dv, nv, nv);
    note(x, KIND_no_holds, "Dtau", (how){s, UP, UP, 1, 0}, l.Dtau, f.Minv, nv, nv);
}

/* a hold, or a loop */
typedef struct tie {
    hml_constraint_kind kind;
    int32_t frame, other;
    const double *normal;
} tie;

/* the rows of a constraint, and what they do on their own along the motion: J, J̇ν */
static int rows_of(subject *x, const held *h, const tie *c, double *J, double *bias)
{
    const size_t nv = (size_t)x->nv;
    double *all = room(x->g, 6 * nv), *dot = room(x->g, 6 * nv), H[16], V[6], own[6] = {0}, extra = 0;
    hml_frame_motion m = {.struct_size = sizeof m, .pose = H, .J = all, .Jdot = dot, .twist = V};
    if (hml_frame_relative(x->model, x->work, c->frame, c->other, c->kind == HML_HOLD_FRAME ? HML_LEFT : HML_MIXED,
                           h->q, h->v, NULL, &m))
        return 0;
    const int rows = c->kind == HML_HOLD_FRAME ? 6 : c->kind == HML_HOLD_POINT ? 3 : 1;
    const double r[3] = {H[3], H[7], H[11]}, *n = c->kind == HML_HOLD_DISTANCE ? r : c->normal;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (c->kind == HML_HOLD_DISTANCE) {
        const double along = (n[0] * V[0] + n[1] * V[1] + n[2] * V[2]) / length;
        extra = (V[0] * V[0] + V[1] * V[1] + V[2] * V[2] - along * along) / length;
    }
    for (size_t k = 0; k < nv; k++) {
        for (size_t i = 0; i < (size_t)rows; i++) {
            double row = all[i * nv + k], rate = dot[i * nv + k];
            if (rows == 1) {
                row = (n[0] * all[k] + n[1] * all[nv + k] + n[2] * all[2 * nv + k]) / length;
                rate = (n[0] * dot[k] + n[1] * dot[nv + k] + n[2] * dot[2 * nv + k]) / length;
            }
            J[i * nv + k] = row;
            own[i] += rate * h->v[k];
        }
    }
    for (int i = 0; i < rows; i++) bias[i] = own[i] + extra;
    return rows;
}

/* of all constraints; returns how many */
static size_t all_rows(subject *x, const held *h, double *J, double *bias)
{
    const size_t nv = (size_t)x->nv;
    size_t at = 0;
    for (int32_t i = 0; i < h->set->count; i++) {
        const hml_constraint *c = &h->set->items[i];
        const tie t = {c->kind, c->frame, HML_WORLD, c->normal};
        at += (size_t)rows_of(x, h, &t, J + at * nv, bias + at);
    }
    for (int32_t i = 0; i < h->set->loop_count; i++) {
        const hml_loop *c = &h->set->loops[i];
        const tie t = {c->kind, c->frame, c->other, c->normal};
        at += (size_t)rows_of(x, h, &t, J + at * nv, bias + at);
    }
    return at;
}

static void check_residuals(subject *x, const held *h, const hml_constrained_linearization *l, double worst)
{
    const size_t nv = (size_t)x->nv;
    const int s = h->state;
    double *J = room(x->g, ROWS * nv), bias[ROWS], motion[ROWS], zero[ROWS] = {0}, turn = 0;
    double *forces = room(x->g, nv), *pushed = room(x->g, nv);
    const size_t rows = all_rows(x, h, J, bias);
    dense_apply(rows, nv, J, l->acceleration, motion);
    for (size_t r = 0; r < rows; r++) motion[r] += bias[r], turn = fmax(turn, fabs(bias[r]));
    /* what a free robot would do, which the holds take away: a spring pulls hard a thousand kilometres from its rest */
    double strong = largest(nv, l->acceleration), *free_a = room(x->g, nv);
    if (!forward(x, h->q, h->v, h->tau, s, free_a)) strong = fmax(strong, largest(nv, free_a));
    note(x, KIND_held_motion, "J a + dJ/dt v", (how){s, PLAIN, PLAIN, 1 + turn + strong, worst}, motion, zero, rows, 1);
    if (hml_inverse_dynamics(x->model, x->work, h->q, h->v, l->acceleration, wrenches_of(x, s), forces)) return;
    dense_apply_transposed(rows, nv, J, l->lambda, pushed);
    double size = x->force[s];
    for (size_t i = 0; i < nv; i++) {
        size = fmax(size, fmax(fabs(pushed[i]), fabs(forces[i])) / x->s[(size_t)s * nv + i]);
        forces[i] -= pushed[i];
    }
    note(x, KIND_held_residual, "M a + h - J' lambda", (how){s, DOWN, PLAIN, size, worst}, forces, h->tau, nv, 1);
}

/* the actuated joints' forces and λ of a motion: the equations hold, and where no motor is there is no force */
static void check_held_inverse(subject *x, const held *h, const double *a, double worst)
{
    const size_t nv = (size_t)x->nv, most = (size_t)hml_constraint_rows(h->set);
    const int s = h->state;
    double *J = room(x->g, ROWS * nv), bias[ROWS], *tau = room(x->g, nv), *lambda = room(x->g, most);
    double *want = room(x->g, nv), *pushed = room(x->g, nv), size = x->force[s];
    if (hml_constrained_inverse_dynamics(x->model, x->work, h->set, h->scratch,
                                         &HML_STRUCT(hml_constrained_dynamics, .q = h->q, .v = h->v, .a = a,
                                                     .wrenches = wrenches_of(x, s), .torque = tau, .lambda = lambda)) ||
        hml_inverse_dynamics(x->model, x->work, h->q, h->v, a, wrenches_of(x, s), want))
        return; /* nothing that is held can make this motion */
    const size_t rows = all_rows(x, h, J, bias);
    dense_apply_transposed(rows, nv, J, lambda, pushed);
    for (size_t i = 0; i < nv; i++) {
        size = fmax(size, fmax(fabs(pushed[i]), fabs(want[i])) / x->s[(size_t)s * nv + i]);
        want[i] -= pushed[i];
    }
    double left = 0, moved_by_none = 0, all = 0;
    const double none = 0;
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(x->model, j, &info);
        for (int32_t k = 0; k < info.nv && !info.actuated; k++) {
            left += fabs(tau[info.v + k]), moved_by_none += fabs(want[info.v + k]);
            all += fabs(want[info.v + k] + pushed[info.v + k]);
            want[info.v + k] = 0;
        }
    }
    note_bits(x, KIND_held_A, "forces where no motor is", s, &left, &none, 1);
    /* what is missing there counts against all that acts there, newtons and newton metres alike */
    note(x, KIND_held_unmoved, "hml_constrained_inverse_dynamics", (how){s, PLAIN, PLAIN, all, 0}, &moved_by_none,
         &none, 1, 1);
    note(x, KIND_held_inverse, "hml_constrained_inverse_dynamics", (how){s, DOWN, PLAIN, size, worst}, tau, want, nv,
         1);
}

static void check_held_linearize(subject *x, held *h, const double *z, double worst)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(h->set);
    const int s = h->state;
    hml_constrained_linearization l = blocks_new(x, h, rows);
    double *a = room(x->g, nv), *one = room(x->g, nv), *other = room(x->g, nv);
    hml_status status = hml_constrained_linearize(x->model, x->work, h->set, h->scratch, &l);
    note_status(
        x, KIND_status, "hml_constrained_linearize", s, status,
        hml_constrained_forward_dynamics(x->model, x->work, h->set, h->scratch,
                                         &HML_STRUCT(hml_constrained_dynamics, .q = h->q, .v = h->v, .tau = h->tau,
                                                     .wrenches = wrenches_of(x, s), .acceleration = a)));
    if (status) return;
    double size = x->force[s];
    for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(a[i]) * x->s[(size_t)s * nv + i]);
    note(x, KIND_held_linearize, "acceleration", (how){s, UP, PLAIN, size, worst}, l.acceleration, a, nv, 1);
    check_residuals(x, h, &l, worst);
    check_held_inverse(x, h, a, worst);
    double *lower = room(x->g, 3 * nv * nv), *want = room(x->g, 3 * nv * nv);
    for (size_t i = 0; i < nv * nv; i++) {
        const size_t r = i / nv, c = i % nv;
        lower[3 * i] = l.A[(nv + r) * 2 * nv + c], lower[3 * i + 1] = l.A[(nv + r) * 2 * nv + nv + c];
        lower[3 * i + 2] = l.B[(nv + r) * nv + c];
        want[3 * i] = l.Dq[i], want[3 * i + 1] = l.Dv[i], want[3 * i + 2] = l.Dtau[i];
    }
    note_bits(x, KIND_held_A, "A and B", s, lower, want, 3 * nv * nv);
    if (h->report.rank < h->report.rows) return; /* held twice: the difference leaves what is compatible */
    for (int k = 0; k < 3; k++) {
        h->zq = k == 0 ? z : NULL, h->zv = k == 1 ? z : NULL, h->zt = k == 2 ? z : NULL;
        dense_apply(nv, nv, k == 0 ? l.Dq : k == 1 ? l.Dv : l.Dtau, z, one);
        if (difference(x->g, moved, h, 1e-4, nv, other))
            note(x, KIND_held_difference,
                 k == 0   ? "Dq"
                 : k == 1 ? "Dv"
                          : "Dtau",
                 (how){s, UP, PLAIN, size, worst}, one, other, nv, 1);
    }
}

static void check_impulse(subject *x, held *h, const double *z, double worst)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(h->set);
    const int s = h->state;
    double *next = room(x->g, nv), *impulse = room(x->g, rows), *J = room(x->g, rows * nv), bias[ROWS], jv[ROWS];
    double want[ROWS], *one = room(x->g, nv), *other = room(x->g, nv), *dq = room(x->g, nv * nv),
                       *dv = room(x->g, nv * nv);
    hml_constraint_report report = {.struct_size = sizeof report};
    h->restitution = 0.3, h->impulse = 1;
    if (hml_constrained_impulse(x->model, x->work, h->set, h->scratch,
                                &HML_STRUCT(hml_constrained_impact, .q = h->q, .v = h->v, .restitution = 0.3,
                                            .v_next = next, .impulse = impulse, .report = &report)))
        return;
    all_rows(x, h, J, bias);
    const double speed = 1 + largest(nv, h->v) + largest(nv, next);
    dense_apply(rows, nv, J, next, jv), dense_apply(rows, nv, J, h->v, want);
    for (size_t r = 0; r < rows; r++) want[r] *= -0.3;
    note(x, KIND_impulse, "J v+", (how){s, PLAIN, PLAIN, speed, worst}, jv, want, rows, 1);
    for (size_t i = 0; i < nv; i++) one[i] = next[i] - h->v[i];
    dense_apply(nv, nv, x->M + (size_t)s * nv * nv, one, other);
    dense_apply_transposed(rows, nv, J, impulse, one);
    double size = 0;
    for (size_t i = 0; i < nv; i++) size = fmax(size, speed * x->s[(size_t)s * nv + i]);
    note(x, KIND_impulse, "M dv", (how){s, DOWN, PLAIN, size, worst}, other, one, nv, 1);
    if (report.rank < report.rows ||
        hml_constrained_impulse(x->model, x->work, h->set, h->scratch,
                                &HML_STRUCT(hml_constrained_impact, .q = h->q, .v = h->v, .restitution = 0.3,
                                            .v_next = next, .next_q = dq, .next_v = dv)))
        return;
    for (int k = 0; k < 2; k++) {
        h->zq = k == 0 ? z : NULL, h->zv = k == 1 ? z : NULL, h->zt = NULL;
        dense_apply(nv, nv, k ? dv : dq, z, one);
        if (difference(x->g, moved, h, 1e-4, nv, other))
            note(x, KIND_impulse_difference, k ? "v" : "q", (how){s, UP, PLAIN, size, worst}, one, other, nv, 1);
    }
}

/* ---- in another representation ---- */

/* ν̇ and λ, or ν⁺ and Λ, of q ⊕ t zq and ν_rep + t zv, both held and seen in the representation */
static int seen_as(void *context, double t, double *out)
{
    held *h = context;
    subject *x = h->x;
    double *a = room(x->g, (size_t)x->nv);
    for (int i = 0; i < x->nv; i++) h->v_t[i] = h->zq ? t * h->zq[i] : 0;
    if (hml_configuration_integrate(x->model, h->q, h->v_t, h->q_t)) return 0;
    for (int i = 0; i < x->nv; i++) a[i] = h->v_rep[i] + (h->zv ? t * h->zv[i] : 0);
    if (hml_velocity_from_representation(x->model, h->as, h->q_t, a, h->v_t)) return 0;
    if (h->impulse)
        return !hml_constrained_impulse(x->model, x->work, h->set, h->scratch,
                                        &HML_STRUCT(hml_constrained_impact, .q = h->q_t, .v = h->v_t,
                                                    .restitution = h->restitution, .v_next = a,
                                                    .impulse = out + x->nv)) &&
               !hml_velocity_to_representation(x->model, h->as, h->q_t, a, out);
    return !hml_constrained_forward_dynamics(x->model, x->work, h->set, h->scratch,
                                             &HML_STRUCT(hml_constrained_dynamics, .q = h->q_t, .v = h->v_t,
                                                         .tau = h->tau, .wrenches = wrenches_of(x, h->state),
                                                         .acceleration = a, .lambda = out + x->nv)) &&
           !hml_acceleration_to_representation(x->model, h->as, h->q_t, h->v_t, a, out);
}

/* D z of both kinds against differences; D: of ν̇ or ν⁺, L: of λ or Λ, by q and by ν */
static void note_seen(subject *x, held *h, const double *z, double worst, double *const D[2], double *const L[2])
{
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(h->set), n = nv + rows;
    double *one = room(x->g, n), *other = room(x->g, n), *here = room(x->g, n);
    const char *call = h->impulse ? "hml_impulse_to_representation" : "hml_constrained_to_representation";
    if (!seen_as(h, 0, here)) return;
    const double speed = 1 + largest(nv, h->v), far = x->away[h->state];
    for (int k = 0; k < 2; k++) {
        h->zq = k ? NULL : z, h->zv = k ? z : NULL;
        dense_apply(nv, nv, D[k], z, one), dense_apply(rows, nv, L[k], z, one + nv);
        if (!difference(x->g, seen_as, h, 1e-4, n, other)) continue;
        const double size = far * (speed * speed + x->force[h->state] + largest(nv, here));
        note(x, KIND_held_representation, call, (how){h->state, PLAIN, PLAIN, size, worst}, one, other, nv, 1);
        note(x, KIND_held_representation, call, (how){h->state, PLAIN, PLAIN, size + largest(rows, here + nv), worst},
             one + nv, other + nv, rows, 1);
    }
}

static void check_held_representation(subject *x, held *h, const double *z, double worst)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(h->set);
    hml_constrained_linearization l = blocks_new(x, h, rows);
    double *next = room(x->g, nv), *D[2], *L[2], *v_rep = room(x->g, nv), *lower = room(x->g, nv * nv);
    for (int k = 0; k < 2; k++) D[k] = room(x->g, nv * nv), L[k] = room(x->g, rows * nv);
    h->as = (hml_representation)hml_rng_below(&x->rng, 4), h->v_rep = v_rep, h->restitution = 0.3;
    l.lambda_q = room(x->g, rows * nv), l.lambda_v = room(x->g, rows * nv);
    if (x->away[h->state] > 1e3 || hml_velocity_to_representation(x->model, h->as, h->q, h->v, v_rep)) return;
    h->impulse = 0;
    if (!hml_constrained_linearize(x->model, x->work, h->set, h->scratch, &l) && h->report.rank == h->report.rows &&
        !hml_constrained_to_representation(x->model, h->as, (int32_t)rows, &l)) {
        note_seen(x, h, z, worst, (double *[2]){l.Dq, l.Dv}, (double *[2]){l.lambda_q, l.lambda_v});
        for (size_t i = 0; i < nv * nv; i++) lower[i] = l.A[(nv + i / nv) * 2 * nv + i % nv];
        note(x, KIND_held_representation, "D_q and A", (how){h->state, PLAIN, PLAIN, 1, 0}, l.Dq, lower, nv, nv);
        for (size_t i = 0; i < nv * nv; i++) lower[i] = l.B[nv * nv + i];
        note(x, KIND_held_representation, "D_tau and B", (how){h->state, PLAIN, PLAIN, 1e-6, 0}, l.Dtau, lower, nv, nv);
    }
    h->impulse = 1;
    if (h->report.rank == h->report.rows &&
        !hml_constrained_impulse(x->model, x->work, h->set, h->scratch,
                                 &HML_STRUCT(hml_constrained_impact, .q = h->q, .v = h->v, .restitution = 0.3,
                                             .v_next = next, .next_q = D[0], .next_v = D[1], .impulse_q = L[0],
                                             .impulse_v = L[1])) &&
        !hml_impulse_to_representation(x->model, h->as, (int32_t)rows,
                                       &HML_STRUCT(hml_constrained_impact, .q = h->q, .v = h->v, .v_next = next,
                                                   .next_q = D[0], .next_v = D[1], .impulse_q = L[0],
                                                   .impulse_v = L[1])))
        note_seen(x, h, z, worst, D, L);
}

/*
 * How much worse than M the constraints are conditioned: J M⁻¹ Jᵀ, whose inverse λ needs, against the bound of its own
 * rank decision. Where it is worse than 1e6 the answer is a matter of that decision and nothing is compared.
 */
static double constraint_condition(subject *x, const held *h)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(h->set);
    double *J = room(x->g, rows * nv), *W = room(x->g, rows * nv), *K = room(x->g, rows * rows), bias[ROWS];
    double *inverse = room(x->g, rows * rows);
    all_rows(x, h, J, bias);
    dense_multiply(rows, nv, nv, J, x->Minv + (size_t)h->state * nv * nv, W);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < rows; j++) {
            K[i * rows + j] = 0;
            for (size_t k = 0; k < nv; k++) K[i * rows + j] += W[i * nv + k] * J[j * nv + k];
        }
    }
    if (!dense_invert_spd(rows, K, inverse)) return INFINITY;
    return dense_norm(rows, rows, K) * dense_norm(rows, rows, inverse);
}

/* a stretched leg hardly changes its length: a row of its own, which the condition compares with itself alone. Rows of
 * rounding count as zero */
static double shortest_row(subject *x, const held *h)
{
    const size_t nv = (size_t)x->nv;
    double *J = room(x->g, ROWS * nv), bias[ROWS], shortest = 1;
    const size_t rows = all_rows(x, h, J, bias);
    for (size_t r = 0; r < rows; r++) {
        const double size = largest(nv, J + r * nv);
        if (size > 1e-14) shortest = fmin(shortest, size);
    }
    return shortest;
}

double held_condition(subject *x, int state, const hml_constraints *set)
{
    held h = held_new(x, state, set);
    const double worst = constraint_condition(x, &h);
    return set->loop_count ? fmax(worst, 1 / shortest_row(x, &h)) : worst;
}

int32_t draw_loops(subject *x, int state, hml_loop *loops)
{
    static const hml_constraint_kind kinds[] = {HML_HOLD_FRAME, HML_HOLD_POINT, HML_HOLD_PLANE, HML_HOLD_DISTANCE};
    const int32_t nframes = hml_model_nframes(x->model);
    int32_t count = hml_rng_below(&x->rng, LOOPS + 1);
    memset(loops, 0, LOOPS * sizeof *loops);
    if (nframes < 2) return 0;
    for (int32_t i = 0; i < count; i++) {
        hml_loop *c = &loops[i];
        double H[16];
        hml_frame_motion m = {.struct_size = sizeof m, .pose = H};
        c->kind = kinds[hml_rng_below(&x->rng, 4)];
        c->frame = hml_rng_below(&x->rng, nframes), c->other = hml_rng_below(&x->rng, nframes);
        if (c->frame == c->other) c->other = HML_WORLD;
        for (int k = 0; k < 3; k++) c->normal[k] = hml_rng_normal(&x->rng);
        if (hml_frame_relative(x->model, x->work, c->frame, c->other, HML_LEFT, x->q + (size_t)state * (size_t)x->nq,
                               NULL, NULL, &m))
            return i;
        c->distance = sqrt(H[3] * H[3] + H[7] * H[7] + H[11] * H[11]);
        if (c->kind == HML_HOLD_DISTANCE && !(c->distance > 0.2)) c->kind = HML_HOLD_POINT;
    }
    return count;
}

void check_constraints(subject *x)
{
    const size_t nv = (size_t)x->nv;
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    check_nothing_held(x, s);
    hml_constraint items[HOLDS];
    hml_constraints set = {.struct_size = sizeof set, .items = items, .count = 1 + hml_rng_below(&x->rng, HOLDS)};
    memset(items, 0, sizeof items);
    for (int32_t i = 0; i < set.count; i++) {
        items[i].kind = (hml_constraint_kind)hml_rng_below(&x->rng, 3);
        items[i].frame = hml_rng_below(&x->rng, hml_model_nframes(x->model));
        for (int k = 0; k < 3; k++) items[i].normal[k] = hml_rng_normal(&x->rng);
    }
    hml_loop loops[LOOPS];
    set.loops = loops, set.loop_count = draw_loops(x, s, loops);
    if (set.loop_count) set.count = hml_rng_below(&x->rng, 2); /* few rows, so that they often leave some motion */
    double *z = room(x->g, nv);
    draw_direction(&x->rng, nv, z);
    held h = held_new(x, s, &set);
    double worst = fmax(constraint_condition(x, &h), 1 / shortest_row(x, &h));
    if (!(worst * x->cond[s] < 1e7)) return;
    /* a loop that ties what is here to what is a thousand kilometres away has levers of 1e-10 m */
    if (set.loop_count) worst *= 1 + (x->away[s] - 1) * 0x1p-52 / 1e-11;
    check_held_linearize(x, &h, z, worst);
    check_impulse(x, &h, z, worst);
    check_held_representation(x, &h, z, worst);
}
