/* Batches of what one state at a time has its own algorithms for: Coriolis matrix, regressor, gravity, centroidal, frames. */
#include "agree.h"

/* ---- results ---- */

enum { RESULTS = 24 };

/* what a batch writes and what single calls write, name by name */
typedef struct result {
    const char *name;
    kind kind;
    size_t rows, columns;
    weight by_rows, by_columns;
    double *all;      /* of all states, packed */
    double *one;      /* of one state */
    hml_output *into; /* where the batch is told */
} result;

typedef struct results {
    result list[RESULTS];
    int count;
} results;

static void want(subject *x, results *r, result given, size_t n)
{
    given.all = room(x->g, n * given.rows * given.columns);
    given.one = room(x->g, given.rows * given.columns);
    *given.into = (hml_output){given.all, 0, 0};
    r->list[r->count++] = given;
}

static double *one_of(const results *r, const hml_output *into)
{
    for (int i = 0; i < r->count; i++)
        if (r->list[i].into == into) return r->list[i].one;
    return NULL;
}

/* state s of the batch against the single calls; floor: what nothing counts below */
static void against(subject *x, const results *r, const char *isa, int s, double floor)
{
    for (int i = 0; i < r->count; i++) {
        const result *e = &r->list[i];
        const size_t n = e->rows * e->columns;
        char call[80];
        snprintf(call, sizeof call, "%s, %s", e->name, isa);
        note(x, e->kind, call, (how){s, e->by_rows, e->by_columns, floor, 0}, e->all + (size_t)s * n, e->one, e->rows,
             e->columns);
    }
}

/* how a batch writes it: a vector over coordinates is one row */
static int over_coordinates(const result *e) { return e->by_rows != PLAIN && e->by_columns == PLAIN; }
static size_t rows_of(const result *e) { return over_coordinates(e) ? 1 : e->rows; }
static size_t columns_of(const result *e) { return over_coordinates(e) ? e->rows : e->columns; }

/* rows of a piece of the batch, with gaps between rows and states, are the same bits, and the gaps stay */
static void in_pieces(subject *x, const results *r, const char *isa, size_t first, size_t count,
                      hml_status (*run)(subject *x, hml_work *work, size_t first, size_t n, void *arguments),
                      hml_work *work, void *arguments)
{
    double *gapped[RESULTS];
    for (int i = 0; i < r->count; i++) {
        const result *e = &r->list[i];
        const size_t columns = columns_of(e), ld = columns + 3, stride = rows_of(e) * ld + 5;
        gapped[i] = room(x->g, count * stride);
        *e->into = (hml_output){gapped[i], ld, stride};
    }
    const hml_status status = run(x, work, first, count, arguments);
    note_status(x, KIND_status, "a batch with gaps", (int)first, status, x->followers ? HML_UNSUPPORTED : HML_OK);
    for (int i = 0; i < r->count; i++) {
        const result *e = &r->list[i];
        const size_t columns = columns_of(e), ld = columns + 3, stride = rows_of(e) * ld + 5;
        *e->into = (hml_output){e->all, 0, 0};
        if (status) continue;
        /* rooms are full of NaN */
        note_status(x, KIND_memory, e->name, (int)first, isnan(gapped[i][columns]) ? HML_OK : HML_NOT_FINITE, HML_OK);
        for (size_t s = 0; s < count; s++)
            for (size_t k = 0; k < rows_of(e); k++)
                note_bits(x, KIND_batch_motion_place, isa, (int)(first + s), gapped[i] + s * stride + k * ld,
                          e->all + ((first + s) * rows_of(e) + k) * columns, columns);
    }
}

/* ---- dynamics ---- */

static hml_status run_dynamics(subject *x, hml_work *work, size_t first, size_t n, void *arguments)
{
    hml_dynamics_states *d = arguments;
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv;
    d->q = (hml_input){x->q + first * nq, nq};
    d->v = (hml_input){x->v + first * nv, nv}, d->a = (hml_input){x->a + first * nv, nv};
    return hml_dynamics_batch(x->model, work, n, d, NULL);
}

static void check_robot_dynamics(subject *x, int i, size_t first, size_t count)
{
    const size_t n = (size_t)x->nstates, nv = (size_t)x->nv;
    hml_dynamics_states d = {.struct_size = sizeof d};
    results r = {.count = 0};
    void *scratch = room_bytes(x->g, hml_recursive_size(x->model) + 1, 64);
    const char *isa = hml_isa_name(x->isas[i]);
    want(x, &r, (result){"gravity", KIND_batch_gravity, nv, 1, DOWN, PLAIN, .into = &d.gravity}, n);
    want(x, &r, (result){"gravity_q", KIND_batch_gravity, nv, nv, DOWN, DOWN, .into = &d.gravity_q}, n);
    if (!x->followers) {
        want(x, &r, (result){"coriolis", KIND_batch_coriolis, nv, nv, DOWN, DOWN, .into = &d.coriolis}, n);
        want(x, &r, (result){"Mdot", KIND_batch_coriolis, nv, nv, DOWN, DOWN, .into = &d.Mdot}, n);
        want(x, &r,
             (result){"regressor", KIND_batch_regressor, nv, 10 * (size_t)x->nb, PLAIN, PLAIN, .into = &d.regressor},
             n);
    }
    const hml_status status = run_dynamics(x, x->works[i], 0, n, &d);
    note_status(x, KIND_status, "hml_dynamics_batch", 0, status, HML_OK);
    for (int s = 0; s < x->nstates; s++) {
        const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
        hml_status one = hml_gravity_torque(x->model, x->work, q, one_of(&r, &d.gravity), one_of(&r, &d.gravity_q));
        if (!one && !x->followers)
            one = hml_coriolis_matrix(x->model, scratch, q, v, one_of(&r, &d.coriolis), one_of(&r, &d.Mdot));
        if (!one && !x->followers) one = hml_regressor(x->model, scratch, q, v, a, one_of(&r, &d.regressor));
        note_status(x, KIND_status, "single calls", s, one, HML_OK);
        if (!one) against(x, &r, isa, s, 1 + largest(nv, v) + x->force[s]);
    }
    if (!x->followers) in_pieces(x, &r, isa, first, count, run_dynamics, x->works[i], &d);
}

/* ---- the whole robot ---- */

static hml_status run_centroidal(subject *x, hml_work *work, size_t first, size_t n, void *arguments)
{
    hml_centroidal_states *d = arguments;
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv;
    d->q = (hml_input){x->q + first * nq, nq};
    d->v = (hml_input){x->v + first * nv, nv}, d->a = (hml_input){x->a + first * nv, nv};
    return hml_centroidal_batch(x->model, work, n, d, NULL);
}

static hml_status centroidal_single(subject *x, int s, const hml_centroidal_states *d, const results *r)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
    const hml_centroidal_motion motion = {.struct_size = sizeof motion,
                                          .com = one_of(r, &d->com),
                                          .com_J = one_of(r, &d->com_J),
                                          .com_Jdot = one_of(r, &d->com_Jdot),
                                          .com_velocity = one_of(r, &d->com_velocity),
                                          .com_acceleration = one_of(r, &d->com_acceleration),
                                          .A = one_of(r, &d->A),
                                          .Adot = one_of(r, &d->Adot),
                                          .momentum = one_of(r, &d->momentum),
                                          .momentum_rate = one_of(r, &d->momentum_rate)};
    const hml_centroidal_derivative derivative = {.struct_size = sizeof derivative,
                                                  .com_J_q = one_of(r, &d->com_J_q),
                                                  .com_velocity_q = one_of(r, &d->com_velocity_q),
                                                  .momentum_q = one_of(r, &d->momentum_q),
                                                  .momentum_rate_q = one_of(r, &d->momentum_rate_q),
                                                  .momentum_rate_v = one_of(r, &d->momentum_rate_v)};
    const hml_status status = hml_centroidal(x->model, x->work, q, v, a, &motion);
    return status ? status : hml_centroidal_derivatives(x->model, x->work, q, v, a, &derivative);
}

#define WHOLE(name, rows, columns) want(x, &r, (result){#name, k, rows, columns, PLAIN, PLAIN, .into = &d.name}, n)

/* order: without v and a, without a, with all: the kernel walks differently */
static void check_whole(subject *x, int i, size_t first, size_t count, int order)
{
    const size_t n = (size_t)x->nstates, nv = (size_t)x->nv;
    const kind k = KIND_batch_centroidal;
    const char *isa = hml_isa_name(x->isas[i]);
    hml_centroidal_states d = {.struct_size = sizeof d};
    results r = {.count = 0};
    WHOLE(com, 1, 3), WHOLE(com_J, 3, nv), WHOLE(A, 6, nv), WHOLE(com_J_q, 3 * nv, nv);
    if (order > 0) {
        WHOLE(com_velocity, 1, 3), WHOLE(com_Jdot, 3, nv), WHOLE(Adot, 6, nv), WHOLE(momentum, 1, 6);
        WHOLE(com_velocity_q, 3, nv), WHOLE(momentum_q, 6, nv), WHOLE(momentum_rate_v, 6, nv);
    }
    if (order > 1) WHOLE(com_acceleration, 1, 3), WHOLE(momentum_rate, 1, 6), WHOLE(momentum_rate_q, 6, nv);
    const hml_status expected = hml_model_mass(x->model) > 0 ? HML_OK : HML_SINGULAR;
    const hml_status status = run_centroidal(x, x->works[i], 0, n, &d);
    note_status(x, KIND_status, "hml_centroidal_batch", 0, status, expected);
    for (int s = 0; s < x->nstates && !status; s++) {
        const double fast = 1 + largest(nv, x->v + (size_t)s * nv);
        const hml_status one = centroidal_single(x, s, &d, &r);
        note_status(x, KIND_status, "hml_centroidal", s, one, HML_OK);
        if (!one) against(x, &r, isa, s, (fast * fast + x->force[s]) * x->away[s]);
    }
    if (!status) in_pieces(x, &r, isa, first, count, run_centroidal, x->works[i], &d);
}

/* ---- a frame ---- */

typedef struct frame_arguments {
    hml_frame_states states;
    int32_t frame;
    hml_representation representation;
} frame_arguments;

static hml_status run_frame(subject *x, hml_work *work, size_t first, size_t n, void *arguments)
{
    frame_arguments *f = arguments;
    hml_frame_states *d = &f->states;
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv;
    d->q = (hml_input){x->q + first * nq, nq};
    d->v = (hml_input){x->v + first * nv, nv}, d->a = (hml_input){x->a + first * nv, nv};
    return hml_frame_batch(x->model, work, f->frame, f->representation, n, d, NULL);
}

#define FRAME(name, rows, columns)                                                                                     \
    want(x, &r, (result){#name, KIND_batch_frame, rows, columns, PLAIN, PLAIN, .into = &d->name}, n)

static void check_frame(subject *x, int i, size_t first, size_t count, int order)
{
    const size_t n = (size_t)x->nstates, nv = (size_t)x->nv;
    const char *isa = hml_isa_name(x->isas[i]);
    frame_arguments f = {.states.struct_size = sizeof f.states};
    hml_frame_states *d = &f.states;
    results r = {.count = 0};
    f.frame = hml_rng_below(&x->rng, hml_model_nframes(x->model));
    f.representation = (hml_representation)hml_rng_below(&x->rng, 4);
    FRAME(pose, 1, 16), FRAME(J, 6, nv);
    if (order > 0) FRAME(Jdot, 6, nv), FRAME(twist, 1, 6), FRAME(twist_q, 6, nv), FRAME(acceleration_v, 6, nv);
    if (order > 1) FRAME(acceleration, 1, 6), FRAME(acceleration_q, 6, nv);
    const hml_status status = run_frame(x, x->works[i], 0, n, &f);
    note_status(x, KIND_status, "hml_frame_batch", 0, status, HML_OK);
    for (int s = 0; s < x->nstates && !status; s++) {
        const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
        const double fast = 1 + largest(nv, v);
        const hml_frame_motion motion = {sizeof motion,        one_of(&r, &d->pose),  one_of(&r, &d->J),
                                         one_of(&r, &d->Jdot), one_of(&r, &d->twist), one_of(&r, &d->acceleration)};
        hml_frame_derivative by = {.struct_size = sizeof by, .twist_q = one_of(&r, &d->twist_q)};
        by.acceleration_q = one_of(&r, &d->acceleration_q), by.acceleration_v = one_of(&r, &d->acceleration_v);
        hml_status one = hml_frame(x->model, x->work, f.frame, f.representation, q, v, a, &motion);
        note_status(x, KIND_status, "hml_frame", s, one, HML_OK);
        if (!one) one = hml_frame_derivatives(x->model, x->work, f.frame, f.representation, q, v, a, &by);
        note_status(x, KIND_status, "hml_frame_derivatives", s, one, HML_OK);
        if (!one) against(x, &r, isa, s, (fast * fast + largest(nv, a)) * x->away[s]);
    }
    if (!status) in_pieces(x, &r, isa, first, count, run_frame, x->works[i], &f);
}

/* ---- one bad state ---- */

static void check_bad(subject *x, int i)
{
    const size_t n = (size_t)x->nstates, nv = (size_t)x->nv;
    const size_t bad = (size_t)hml_rng_below(&x->rng, (int32_t)n),
                 at = bad * nv + (size_t)hml_rng_below(&x->rng, x->nv);
    const double was = x->v[at];
    double *A[2] = {room(x->g, n * 6 * nv), room(x->g, n * 6 * nv)},
           *J[2] = {room(x->g, n * 6 * nv), room(x->g, n * 6 * nv)};
    double *C[2] = {room(x->g, n * nv * nv), room(x->g, n * nv * nv)};
    const hml_input q = {x->q, (size_t)x->nq}, v = {x->v, nv};
    for (int turn = 0; turn < 2; turn++) {
        hml_status status[3][STATES] = {{HML_OK}};
        if (turn) x->v[at] = NAN;
        const hml_status expected = turn ? HML_NOT_FINITE : HML_OK;
        hml_centroidal_states c = {.struct_size = sizeof c, .q = q, .v = v, .Adot.data = A[turn]};
        hml_frame_states f = {.struct_size = sizeof f, .q = q, .v = v, .Jdot.data = J[turn]};
        hml_dynamics_states d = {.struct_size = sizeof d, .q = q, .v = v, .coriolis.data = C[turn]};
        if (hml_model_mass(x->model) > 0) {
            const hml_status all = hml_centroidal_batch(x->model, x->works[i], n, &c, status[0]);
            note_status(x, KIND_status, "hml_centroidal_batch", (int)bad, all, expected);
            note_status(x, KIND_status, "hml_centroidal_batch", (int)bad, status[0][bad], expected);
        }
        note_status(x, KIND_status, "hml_frame_batch", (int)bad,
                    hml_frame_batch(x->model, x->works[i], x->nb - 1, HML_LEFT, n, &f, status[1]), expected);
        if (!x->followers)
            note_status(x, KIND_status, "hml_dynamics_batch", (int)bad,
                        hml_dynamics_batch(x->model, x->works[i], n, &d, status[2]), expected);
    }
    x->v[at] = was;
    for (size_t s = 0; s < n; s++) {
        const int same = s != bad;
        const double *one[3] = {A[1] + s * 6 * nv, J[1] + s * 6 * nv, C[1] + s * nv * nv};
        const double *other[3] = {A[0] + s * 6 * nv, J[0] + s * 6 * nv, C[0] + s * nv * nv};
        for (int k = 0; k < 3; k++) {
            const size_t size = k < 2 ? 6 * nv : nv * nv;
            if ((k == 0 && !(hml_model_mass(x->model) > 0)) || (k == 2 && x->followers)) continue;
            double left = 0, none = 0;
            for (size_t e = 0; e < size; e++) left += !isnan(one[k][e]);
            if (same)
                note_bits(x, KIND_neighbours, "a batch of motions", (int)s, one[k], other[k], size);
            else
                note_bits(x, KIND_bad_is_nan, "a batch of motions", (int)s, &left, &none, 1);
        }
    }
}

void check_batch_motion(subject *x)
{
    if (x->regular) return;
    const int order = hml_rng_below(&x->rng, 3);
    for (int i = 0; i < x->nisas; i++) {
        const size_t first = (size_t)hml_rng_below(&x->rng, x->nstates);
        const size_t count = 1 + (size_t)hml_rng_below(&x->rng, (int32_t)((size_t)x->nstates - first));
        check_robot_dynamics(x, i, first, count);
        check_whole(x, i, first, count, order);
        check_frame(x, i, first, count, order);
    }
    check_bad(x, hml_rng_below(&x->rng, x->nisas));
}
