/* Batches of dynamics; bad states among good ones; robots whose M is singular. */
#include "agree.h"

typedef struct results {
    double *a, *tau, *M, *Minv;
    hml_status status[STATES];
} results;

static results results_new(subject *x, size_t n)
{
    const size_t nv = (size_t)x->nv;
    results r = {room(x->g, n * nv), room(x->g, n * nv), room(x->g, n * nv * nv), room(x->g, n * nv * nv), {0}};
    return r;
}

static hml_dynamics_states arguments(const subject *x, size_t first, const results *r)
{
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, six = 6 * (size_t)x->nb;
    hml_dynamics_states d = {.struct_size = sizeof d};
    d.q = (hml_input){x->q + first * nq, nq}, d.v = (hml_input){x->v + first * nv, nv};
    d.tau = (hml_input){x->tau + first * nv, nv}, d.a = (hml_input){x->a + first * nv, nv};
    if (x->wrenches) d.wrenches = (hml_input){x->wrenches + first * six, six};
    d.acceleration.data = r->a, d.torque.data = r->tau, d.M.data = r->M, d.Minv.data = r->Minv;
    return d;
}

static void note_same(subject *x, kind k, const char *call, int state, const results *one, size_t i,
                      const results *other, size_t j)
{
    const size_t nv = (size_t)x->nv;
    note_bits(x, k, call, state, one->a + i * nv, other->a + j * nv, nv);
    note_bits(x, k, call, state, one->tau + i * nv, other->tau + j * nv, nv);
    note_bits(x, k, call, state, one->M + i * nv * nv, other->M + j * nv * nv, nv * nv);
    note_bits(x, k, call, state, one->Minv + i * nv * nv, other->Minv + j * nv * nv, nv * nv);
}

/* the single calls of one instruction set at a state, and the batch's results there */
static void against_single(subject *x, int i, int s, const results *r)
{
    const size_t nv = (size_t)x->nv, at = (size_t)s;
    const char *isa = hml_isa_name(x->isas[i]);
    const double *q = x->q + at * (size_t)x->nq, *v = x->v + at * nv, *w = wrenches_of(x, s), force = x->force[s];
    double *a = room(x->g, nv), *tau = room(x->g, nv), *M = room(x->g, nv * nv), *Minv = room(x->g, nv * nv);
    double *best = room(x->g, nv);
    hml_work *mine = x->works[i];
    note_status(x, KIND_status, "hml_dynamics_batch", s, r->status[s], HML_OK);
    if (hml_forward_dynamics(x->model, mine, q, v, x->tau + at * nv, w, a) ||
        hml_inverse_dynamics(x->model, mine, q, v, x->a + at * nv, w, tau) || hml_mass_matrix(x->model, mine, q, M) ||
        hml_inverse_mass_matrix(x->model, mine, q, Minv)) {
        note_status(x, KIND_status, "single calls", s, HML_SINGULAR, HML_OK);
        return;
    }
    const how solved = {s, UP, PLAIN, force, 0}, sums = {s, DOWN, PLAIN, force, 0};
    note(x, KIND_batch_forward, isa, solved, r->a + at * nv, a, nv, 1);
    note(x, KIND_batch_torque, isa, sums, r->tau + at * nv, tau, nv, 1);
    note(x, KIND_batch_M, isa, (how){s, DOWN, DOWN, 1, 0}, r->M + at * nv * nv, M, nv, nv);
    note(x, KIND_batch_inverse, isa, (how){s, UP, UP, 1, 0}, r->Minv + at * nv * nv, Minv, nv, nv);
    if (i == x->nisas - 1) return;
    if (!forward(x, q, v, x->tau + at * nv, s, best)) note(x, KIND_isa_single, isa, solved, a, best, nv, 1);
    if (!hml_inverse_dynamics(x->model, x->work, q, v, x->a + at * nv, w, best))
        note(x, KIND_isa_torque, isa, sums, tau, best, nv, 1);
    note(x, KIND_isa_torque, isa, (how){s, DOWN, DOWN, 1, 0}, M, x->M + at * nv * nv, nv, nv);
}

void check_dynamics_batch(subject *x)
{
    const size_t n = (size_t)x->nstates;
    if (x->regular) return;
    for (int i = 0; i < x->nisas; i++) {
        results whole = results_new(x, n);
        hml_dynamics_states d = arguments(x, 0, &whole);
        hml_status status = hml_dynamics_batch(x->model, x->works[i], n, &d, whole.status);
        note_status(x, KIND_status, "hml_dynamics_batch", 0, status, HML_OK);
        for (int s = 0; s < x->nstates; s++) against_single(x, i, s, &whole);
        const size_t first = (size_t)hml_rng_below(&x->rng, (int32_t)n);
        const size_t count = 1 + (size_t)hml_rng_below(&x->rng, (int32_t)(n - first));
        results piece = results_new(x, count);
        d = arguments(x, first, &piece);
        status = hml_dynamics_batch(x->model, x->works[i], count, &d, NULL);
        note_status(x, KIND_status, "hml_dynamics_batch", 0, status, HML_OK);
        for (size_t s = 0; s < count; s++)
            note_same(x, KIND_batch_dynamics_place, hml_isa_name(x->isas[i]), (int)(first + s), &piece, s, &whole,
                      first + s);
    }
}

/* ---- bad states ---- */

static void note_nan(subject *x, const char *call, int state, const double *data, size_t n)
{
    double left = 0;
    const double none = 0;
    for (size_t i = 0; i < n; i++) left += !isnan(data[i]);
    note_bits(x, KIND_bad_is_nan, call, state, &left, &none, 1);
}

/* what is broken in which way: NaN or infinity in q, v, tau or a wrench, or a quaternion far from unit */
static hml_status spoil(subject *x, size_t s, int where)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    const double bad = hml_rng_below(&x->rng, 2) ? NAN : INFINITY;
    switch (where) {
    case 0: x->q[s * nq + (size_t)hml_rng_below(&x->rng, x->nq)] = bad; break;
    case 1: x->v[s * nv + (size_t)hml_rng_below(&x->rng, x->nv)] = bad; break;
    case 2: x->tau[s * nv + (size_t)hml_rng_below(&x->rng, x->nv)] = bad; break;
    default: x->wrenches[s * 6 * (size_t)x->nb + (size_t)hml_rng_below(&x->rng, 6 * x->nb)] = bad; break;
    }
    return HML_NOT_FINITE;
}

void check_bad_states(subject *x)
{
    const size_t nv = (size_t)x->nv, n = (size_t)x->nstates;
    if (x->regular) return;
    const int i = hml_rng_below(&x->rng, x->nisas), where = hml_rng_below(&x->rng, x->wrenches ? 4 : 3);
    const char *isa = hml_isa_name(x->isas[i]);
    const size_t bad = (size_t)hml_rng_below(&x->rng, (int32_t)n);
    results good = results_new(x, n), spoiled = results_new(x, n);
    double *Dq = room(x->g, n * nv * nv), *Dq2 = room(x->g, n * nv * nv), *H[2], *J[2];
    hml_status status[STATES], first;
    for (int turn = 0; turn < 2; turn++) {
        results *r = turn ? &spoiled : &good;
        hml_status expected = HML_OK;
        if (turn) expected = spoil(x, bad, where);
        hml_dynamics_states d = arguments(x, 0, r);
        first = hml_dynamics_batch(x->model, x->works[i], n, &d, r->status);
        note_status(x, KIND_status, "hml_dynamics_batch", (int)bad, first, expected);
        hml_linearization l = {.struct_size = sizeof l, .q = d.q, .v = d.v, .tau = d.tau, .wrenches = d.wrenches};
        l.Dq.data = turn ? Dq2 : Dq;
        first = hml_linearize_batch(x->model, x->works[i], n, &l, status);
        note_status(x, KIND_status, "hml_linearize_batch", (int)bad, first, expected);
        for (size_t s = 0; s < n; s++) {
            note_status(x, KIND_status, "hml_dynamics_batch", (int)s, r->status[s], s == bad ? expected : HML_OK);
            note_status(x, KIND_status, "hml_linearize_batch", (int)s, status[s], s == bad ? expected : HML_OK);
        }
        H[turn] = room(x->g, n * 16 * (size_t)x->nb), J[turn] = room(x->g, n * 6 * nv);
        if (where > 0) expected = HML_OK;
        first = hml_body_poses_batch(x->model, x->works[i], n, d.q, (hml_output){H[turn], 0, 0}, status);
        note_status(x, KIND_status, "hml_body_poses_batch", (int)bad, status[bad], expected);
        note_status(x, KIND_status, "hml_body_poses_batch", (int)bad, first, expected);
        hml_jacobian_columns c = {.struct_size = sizeof c, .q = d.q, .J = {J[turn], 0, 0}};
        first = hml_all_jacobians_batch(x->model, x->works[i], n, &c, status);
        note_status(x, KIND_status, "hml_all_jacobians_batch", (int)bad, first,
                    x->followers ? HML_UNSUPPORTED : expected);
    }
    for (size_t s = 0; s < n; s++) {
        if (s != bad) {
            note_same(x, KIND_neighbours, isa, (int)s, &spoiled, s, &good, s);
            note_bits(x, KIND_neighbours, isa, (int)s, Dq2 + s * nv * nv, Dq + s * nv * nv, nv * nv);
        }
        const size_t h = 16 * (size_t)x->nb;
        if (s != bad || where > 0) note_bits(x, KIND_neighbours, isa, (int)s, H[1] + s * h, H[0] + s * h, h);
        if ((s != bad || where > 0) && !x->followers)
            note_bits(x, KIND_neighbours, isa, (int)s, J[1] + s * 6 * nv, J[0] + s * 6 * nv, 6 * nv);
    }
    note_nan(x, "hml_dynamics_batch", (int)bad, spoiled.a + bad * nv, nv);
    note_nan(x, "hml_dynamics_batch", (int)bad, spoiled.Minv + bad * nv * nv, nv * nv);
    note_nan(x, "hml_linearize_batch", (int)bad, Dq2 + bad * nv * nv, nv * nv);
}

/* ---- singular M ---- */

/* a leaf without mass or armature: its pivot is an exact zero, and every way must say so */
static int singular_recipe(recipe *r, hml_rng *rng)
{
    int carries[PARTS] = {0}, led[PARTS] = {0}, first = hml_rng_below(rng, r->nparts);
    for (int i = 0; i < r->nparts; i++) {
        if (r->parts[i].parent >= 0) carries[r->parts[i].parent] = 1;
        if (r->parts[i].leader >= 0) led[r->parts[i].leader] = 1;
    }
    for (int k = 0; k < r->nparts; k++) {
        part *p = &r->parts[(first + k) % r->nparts];
        const int i = (int)(p - r->parts);
        if (carries[i] || led[i] || p->leader >= 0 || hml_joint_type_nv(p->spec.type) != 1) continue;
        p->massive = 0;
        memset(p->spec.armature, 0, sizeof p->spec.armature);
        return 1;
    }
    return 0;
}

void check_singular(subject *given)
{
    agree *g = given->g;
    recipe *r = room_bytes(g, sizeof *r, sizeof(double));
    memcpy(r, given->recipe, sizeof *r);
    if (given->regular || !singular_recipe(r, &given->rng)) return;
    subject x;
    if (!subject_open(&x, g, r)) return;
    const size_t nv = (size_t)x.nv, n = (size_t)x.nstates;
    results out = results_new(&x, n);
    double *point = room(g, hml_directional_doubles(x.model)), *Dq = room(g, n * nv * nv);
    int *marks = room_bytes(g, nv * sizeof *marks, sizeof *marks), marked = 0;
    single l = single_new(&x);
    for (int i = 0; i < x.nisas; i++) {
        hml_work *w = x.works[i];
        note_status(&x, KIND_status, "hml_linearize, singular", 0, single_linearize(&x, w, 0, &l), HML_SINGULAR);
        note_status(&x, KIND_status, "hml_forward_dynamics, singular", 0,
                    hml_forward_dynamics(x.model, w, x.q, x.v, x.tau, x.wrenches, l.a), HML_SINGULAR);
        note_status(&x, KIND_status, "hml_inverse_mass_matrix, singular", 0,
                    hml_inverse_mass_matrix(x.model, w, x.q, l.Minv), HML_SINGULAR);
        note_status(&x, KIND_status, "hml_inverse_mass_derivative, singular", 0,
                    hml_inverse_mass_derivative(x.model, w, x.q, x.tau, l.Dq), HML_SINGULAR);
        note_status(&x, KIND_status, "hml_directional_update, singular", 0,
                    hml_directional_update(x.model, w, x.q, x.v, x.tau, x.wrenches, point, NULL), HML_SINGULAR);
        hml_dynamics_states d = arguments(&x, 0, &out);
        d.torque.data = d.M.data = NULL;
        hml_status first = hml_dynamics_batch(x.model, w, n, &d, out.status);
        note_status(&x, KIND_status, "hml_dynamics_batch, singular", 0, first, HML_SINGULAR);
        for (int s = 0; s < x.nstates; s++)
            note_status(&x, KIND_status, "hml_dynamics_batch, singular", s, out.status[s], HML_SINGULAR);
        hml_linearization all = {.struct_size = sizeof all, .q = d.q, .v = d.v, .tau = d.tau, .wrenches = d.wrenches};
        all.Dq.data = Dq;
        first = hml_linearize_batch(x.model, w, n, &all, out.status);
        note_status(&x, KIND_status, "hml_linearize_batch, singular", 0, first, HML_SINGULAR);
        for (int s = 0; s < x.nstates; s++)
            note_status(&x, KIND_status, "hml_linearize_batch, singular", s, out.status[s], HML_SINGULAR);
    }
    note_status(&x, KIND_status, "hml_singular_coordinates", 0, hml_singular_coordinates(x.model, x.work, x.q, marks),
                HML_OK);
    for (size_t i = 0; i < nv; i++) marked += marks[i] != 0;
    note_status(&x, KIND_status, "hml_singular_coordinates marks one", 0, (hml_status)(marked > 0),
                HML_INVALID_ARGUMENT);
    const size_t size = hml_recursive_size(x.model);
    if (size)
        note_status(&x, KIND_status, "hml_aba, singular", 0,
                    hml_aba(x.model, room_bytes(g, size, sizeof(double)), x.q, x.v, x.tau, x.wrenches, l.a),
                    HML_SINGULAR);
    hml_model_free(x.model); /* its memory goes with the first subject's */
}
