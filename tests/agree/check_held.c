/*
 * Held robots on every instruction set. Those with lanes have kernels of their own for them (src/kernel/held.h); the
 * scalar one has none and goes through the general steps, which share no walk, no rows and no solver with the kernels.
 * What is held is drawn: frames, points, planes, and loops among them, with Baumgarte's terms or without, and at last
 * one of the holds twice.
 */
#include "agree.h"

enum { HOLDS = 4 };

static const kind set_kinds[4] = {KIND_held_isa_a, KIND_held_isa_D, KIND_held_isa_lambda, KIND_held_isa_force};
static const kind batch_kinds[4] = {KIND_held_batch, KIND_held_batch, KIND_held_batch, KIND_held_batch};

/* everything that a linearization under constraints gives */
static hml_constrained_linearization held_room(subject *x, int s, size_t rows, hml_constraint_report *report)
{
    const size_t nv = (size_t)x->nv;
    hml_constrained_linearization l = {.struct_size = sizeof l, .q = x->q + (size_t)s * (size_t)x->nq};
    l.v = x->v + (size_t)s * nv, l.tau = x->tau + (size_t)s * nv, l.wrenches = wrenches_of(x, s);
    l.acceleration = room(x->g, nv), l.lambda = room(x->g, rows);
    l.Dq = room(x->g, nv * nv), l.Dv = room(x->g, nv * nv), l.Dtau = room(x->g, nv * nv);
    l.lambda_q = room(x->g, rows * nv), l.lambda_v = room(x->g, rows * nv), l.lambda_tau = room(x->g, rows * nv);
    *report = HML_STRUCT(hml_constraint_report, .rows = 0);
    l.report = report;
    return l;
}

/* the largest entry with its rows scaled by √M_ii */
static double scaled(const subject *x, int s, size_t columns, const double *D)
{
    const size_t nv = (size_t)x->nv;
    double most = 0;
    for (size_t i = 0; i < nv * columns; i++) most = fmax(most, fabs(D[i]) * x->s[(size_t)s * nv + i / columns]);
    return most;
}

/* what λ is made of: the forces that act, through its derivative by them */
static double size_of_lambda(const subject *x, int s, size_t rows, const hml_constrained_linearization *l)
{
    const size_t nv = (size_t)x->nv;
    double most = largest(rows, l->lambda);
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t k = 0; k < nv; k++) sum += fabs(l->lambda_tau[r * nv + k]) * x->s[(size_t)s * nv + k];
        most = fmax(most, sum * x->force[s]);
    }
    return most;
}

/* where all motion is held what is left is round-off of the free motion's */
static void note_held(subject *x, const kind *kinds, const char *call, int s, double worst, const single *f,
                      const hml_constrained_linearization *one, const hml_constrained_linearization *other)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)other->report->rows;
    const double force = size_of_lambda(x, s, rows, other);
    const how a = {s, UP, PLAIN, fmax(x->force[s], scaled(x, s, 1, f->a)), worst};
    const how q = {s, UP, PLAIN, fmax(a.floor, scaled(x, s, nv, f->Dq)), worst};
    const how v = {s, UP, PLAIN, fmax(a.floor, scaled(x, s, nv, f->Dv)), worst};
    const how lambda = {s, PLAIN, PLAIN, force, worst};
    note(x, kinds[0], call, a, one->acceleration, other->acceleration, nv, 1);
    note(x, kinds[1], call, q, one->Dq, other->Dq, nv, nv);
    note(x, kinds[1], call, v, one->Dv, other->Dv, nv, nv);
    note(x, kinds[1], call, (how){s, UP, UP, 1, worst}, one->Dtau, other->Dtau, nv, nv);
    note(x, kinds[2], call, lambda, one->lambda, other->lambda, rows, 1);
    note(x, kinds[3], call, lambda, one->lambda_q, other->lambda_q, rows, nv);
    note(x, kinds[3], call, lambda, one->lambda_v, other->lambda_v, rows, nv);
    note(x, kinds[3], call, (how){s, PLAIN, UP, 0, worst}, one->lambda_tau, other->lambda_tau, rows, nv);
}

/* ν̇ and λ without derivatives, from the same workspace */
static void note_forward(subject *x, int i, int s, double worst, const hml_constraints *set, double *scratch,
                         const hml_constrained_linearization *l)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(set);
    double *a = room(x->g, nv), *lambda = room(x->g, rows);
    const hml_constrained_dynamics d = HML_STRUCT(hml_constrained_dynamics, .q = l->q, .v = l->v, .tau = l->tau,
                                                  .wrenches = l->wrenches, .acceleration = a, .lambda = lambda);
    note_status(x, KIND_status, "hml_constrained_forward_dynamics", s,
                hml_constrained_forward_dynamics(x->model, x->works[i], set, scratch, &d), HML_OK);
    const how of_a = {s, UP, PLAIN, fmax(x->force[s], scaled(x, s, 1, l->acceleration)), worst};
    note(x, KIND_held_linearize, hml_isa_name(x->isas[i]), of_a, a, l->acceleration, nv, 1);
    note(x, KIND_held_linearize, hml_isa_name(x->isas[i]), (how){s, PLAIN, PLAIN, size_of_lambda(x, s, rows, l), worst},
         lambda, l->lambda, rows, 1);
}

static void compare_sets(subject *x, int s, double worst, const hml_constraints *set)
{
    const size_t rows = (size_t)hml_constraint_rows(set);
    double *scratch = room(x->g, hml_constraint_scratch_doubles(x->model, set));
    hml_constraint_report plain_report, report;
    hml_constrained_linearization plain = held_room(x, s, rows, &plain_report);
    single f = single_new(x);
    const hml_status status = hml_constrained_linearize(x->model, x->works[0], set, scratch, &plain);
    if (single_linearize(x, x->works[0], s, &f)) return;
    for (int i = 0; i < x->nisas; i++) {
        hml_constrained_linearization l = held_room(x, s, rows, &report);
        note_status(x, KIND_status, "hml_constrained_linearize, each set", s,
                    hml_constrained_linearize(x->model, x->works[i], set, scratch, &l), status);
        if (status) continue;
        const double counts[2] = {report.rows, report.rank}, want[2] = {plain_report.rows, plain_report.rank};
        note_bits(x, KIND_status, "rows and rank, each set", s, counts, want, 2);
        if (i > 0) note_held(x, set_kinds, hml_isa_name(x->isas[i]), s, worst, &f, &l, &plain);
        note_forward(x, i, s, worst, set, scratch, &l);
        note_held_step(x, i, s, worst, set, &l);
    }
}

/* how many digits the constraints may cost at a state; 0: too many to compare anything */
static int allowance(subject *x, int s, const hml_constraints *set, double *worst)
{
    double stiffest = 0;
    *worst = held_condition(x, s, set);
    /* positions a thousand kilometres away have 1e-10 m, and so has the way to a goal there */
    for (int32_t i = 0; i < set->count; i++) stiffest = fmax(stiffest, set->items[i].stiffness);
    if (set->loop_count) stiffest = fmax(stiffest, 1); /* its levers may reach as far */
    for (int32_t i = 0; i < set->loop_count; i++) stiffest = fmax(stiffest, set->loops[i].stiffness);
    const int few = *worst * x->cond[s] < 1e7;
    *worst *= 1 + stiffest * (x->away[s] - 1) * 0x1p-52 / 1e-11;
    return few;
}

/* the results of state s in a batch, in the place of a single call's */
static hml_constrained_linearization state_of(const hml_constrained_states *b, size_t nv, size_t rows, size_t s)
{
    hml_constrained_linearization l = {.struct_size = sizeof l, .acceleration = b->acceleration.data + s * nv};
    l.lambda = b->lambda.data + s * rows;
    l.Dq = b->Dq.data + s * nv * nv, l.Dv = b->Dv.data + s * nv * nv, l.Dtau = b->Dtau.data + s * nv * nv;
    l.lambda_q = b->lambda_q.data + s * rows * nv, l.lambda_v = b->lambda_v.data + s * rows * nv;
    l.lambda_tau = b->lambda_tau.data + s * rows * nv;
    return l;
}

/* how many of n numbers are not NaN */
static size_t count_numbers(size_t n, const double *x)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += isnan(x[i]) ? 0 : 1;
    return count;
}

/* all states at once, in packs where there are any for the constraints: as single calls, bad ones NaN */
static void compare_batch(subject *x, int i, const hml_constraints *set)
{
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, n = (size_t)x->nstates, six = 6 * (size_t)x->nb;
    const size_t rows = (size_t)hml_constraint_rows(set), nn = nv * nv;
    double *scratch = room(x->g, hml_constraint_scratch_doubles(x->model, set));
    hml_status each[STATES], first = HML_OK;
    hml_constrained_states b = {.struct_size = sizeof b, .q = {x->q, nq}, .v = {x->v, nv}, .tau = {x->tau, nv}};
    if (x->wrenches) b.wrenches = (hml_input){x->wrenches, six};
    b.acceleration.data = room(x->g, n * nv), b.lambda.data = room(x->g, n * rows);
    b.Dq.data = room(x->g, n * nn), b.Dv.data = room(x->g, n * nn), b.Dtau.data = room(x->g, n * nn);
    b.lambda_q.data = room(x->g, n * rows * nv), b.lambda_v.data = room(x->g, n * rows * nv);
    b.lambda_tau.data = room(x->g, n * rows * nv);
    const hml_status status = hml_constrained_linearize_batch(x->model, x->works[i], set, scratch, n, &b, each);
    for (size_t s = 0; s < n; s++) {
        hml_constraint_report report;
        hml_constrained_linearization l = held_room(x, (int)s, rows, &report), got = state_of(&b, nv, rows, s);
        const hml_status alone = hml_constrained_linearize(x->model, x->works[i], set, scratch, &l);
        single f = single_new(x);
        double worst;
        if (!first) first = alone;
        note_status(x, KIND_status, "hml_constrained_linearize_batch", (int)s, each[s], alone);
        if (alone) {
            const double numbers = (double)(count_numbers(nn, got.Dq) + count_numbers(rows * nv, got.lambda_q)), no = 0;
            note_bits(x, KIND_bad_is_nan, hml_isa_name(x->isas[i]), (int)s, &numbers, &no, 1);
        } else if (allowance(x, (int)s, set, &worst) && !single_linearize(x, x->works[0], (int)s, &f)) {
            note_held(x, batch_kinds, hml_isa_name(x->isas[i]), (int)s, worst, &f, &got, &l);
        }
    }
    note_status(x, KIND_status, "hml_constrained_linearize_batch", 0, status, first);
}

/* out = P D Z, with a block of A as D */
static void project(size_t n, size_t r, const hml_constrained_reduction *x, const double *D, double *out)
{
    for (size_t i = 0; i < r * r; i++) out[i] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) sum += D[i * 2 * n + j] * x->Z[j * r + k];
            for (size_t l = 0; l < r; l++) out[l * r + k] += x->P[l * n + i] * sum;
        }
    }
}

/*
 * On the motions that are left: of [0 1; K D], D is P D_ν Z + P ad_ν Z, and K at rest P D_q Z. What M's rows and columns
 * were scaled by is in Z and P
 */
static void compare_reduced(subject *x, int s, double worst, const hml_constraints *set, int at_rest)
{
    const size_t n = (size_t)x->nv, nn = n * n;
    double *scratch = room(x->g, hml_constraint_scratch_doubles(x->model, set)), *v = room(x->g, n);
    double *A = room(x->g, 4 * nn), *want = room(x->g, nn), *got = room(x->g, nn), *ad = room(x->g, nn);
    hml_constrained_reduction r = {.struct_size = sizeof r, .q = x->q + (size_t)s * (size_t)x->nq, .v = v};
    hml_constrained_linearization l = {.struct_size = sizeof l, .q = r.q, .v = v, .A = A};
    r.tau = l.tau = x->tau + (size_t)s * n, r.wrenches = l.wrenches = wrenches_of(x, s);
    for (size_t i = 0; i < n; i++) v[i] = at_rest ? 0 : x->v[(size_t)s * n + i];
    if (hml_constrained_impulse(x->model, x->work, set, scratch,
                                &HML_STRUCT(hml_constrained_impact, .q = r.q, .v = v, .v_next = v)) ||
        hml_constrained_freedom(x->model, x->work, set, scratch, r.q, &r.freedom) ||
        hml_constrained_linearize(x->model, x->work, set, scratch, &l))
        return;
    const size_t d = (size_t)r.freedom;
    r.Z = room(x->g, n * d), r.P = room(x->g, n * d), r.A = room(x->g, 4 * d * d);
    const hml_status status = hml_constrained_reduce(x->model, x->work, set, scratch, &r);
    note_status(x, KIND_status, "hml_constrained_reduce", s, status, HML_OK);
    if (status) return;
    project(n, d, &r, A + 2 * nn + n, want), project(n, d, &r, A, ad);
    for (size_t i = 0; i < d * d; i++) want[i] -= ad[i], got[i] = r.A[(d + i / d) * 2 * d + d + i % d];
    const double size = 1 + largest(d * d, ad);
    note(x, KIND_reduced, "D", (how){s, PLAIN, PLAIN, fmax(size, x->force[s]), worst}, got, want, d, d);
    project(n, d, &r, A + 2 * nn, want);
    for (size_t i = 0; i < d * d; i++) got[i] = r.A[(d + i / d) * 2 * d + i % d];
    if (at_rest) note(x, KIND_reduced, "K", (how){s, PLAIN, PLAIN, fmax(1, x->force[s]), worst}, got, want, d, d);
}

/* nothing held, on every set: the free motion */
static void compare_free(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const hml_constraints none = {.struct_size = sizeof none};
    double *scratch = room(x->g, hml_constraint_scratch_doubles(x->model, &none));
    for (int i = 0; i < x->nisas; i++) {
        hml_constraint_report report;
        hml_constrained_linearization l = held_room(x, s, 0, &report);
        single f = single_new(x);
        const hml_status status = hml_constrained_linearize(x->model, x->works[i], &none, scratch, &l);
        note_status(x, KIND_status, "hml_constrained_linearize, nothing held", s, status, HML_OK);
        if (status || single_linearize(x, x->works[i], s, &f)) continue;
        const how here = {s, UP, PLAIN, x->force[s], 0};
        note(x, KIND_no_holds, hml_isa_name(x->isas[i]), here, l.acceleration, f.a, nv, 1);
        note(x, KIND_no_holds, hml_isa_name(x->isas[i]), here, l.Dq, f.Dq, nv, nv);
        note(x, KIND_no_holds, hml_isa_name(x->isas[i]), here, l.Dv, f.Dv, nv, nv);
        note(x, KIND_no_holds, hml_isa_name(x->isas[i]), (how){s, UP, UP, 1, 0}, l.Dtau, f.Minv, nv, nv);
    }
}

/* a hold, with a goal a little away from where the frame is */
static int draw_hold(subject *x, int s, hml_constraint *c)
{
    const double *q = x->q + (size_t)s * (size_t)x->nq;
    const double turn = hml_rng_uniform(&x->rng, -0.3, 0.3), cosine = cos(turn), sine = sin(turn);
    hml_frame_motion place = {.struct_size = sizeof place, .pose = c->pose};
    c->kind = (hml_constraint_kind)hml_rng_below(&x->rng, 3);
    c->frame = hml_rng_below(&x->rng, hml_model_nframes(x->model));
    if (hml_rng_below(&x->rng, 2)) c->damping = hml_rng_uniform(&x->rng, 0, 5);
    if (hml_rng_below(&x->rng, 2)) c->stiffness = hml_rng_uniform(&x->rng, 0, 9);
    if (hml_frame(x->model, x->work, c->frame, HML_LEFT, q, NULL, NULL, &place)) return 0;
    for (int k = 0; k < 3; k++) {
        const double one = c->pose[4 * k], two = c->pose[4 * k + 1];
        c->normal[k] = hml_rng_normal(&x->rng);
        c->pose[4 * k] = cosine * one + sine * two, c->pose[4 * k + 1] = cosine * two - sine * one;
        c->pose[4 * k + 3] += hml_rng_uniform(&x->rng, -0.3, 0.3);
    }
    return 1;
}

/* Baumgarte's terms of loops, with a goal a little away from where the frame is, seen from the other one */
static int draw_springs(subject *x, int s, hml_loop *loops, int32_t count)
{
    const double *q = x->q + (size_t)s * (size_t)x->nq;
    for (int32_t i = 0; i < count; i++) {
        hml_loop *c = &loops[i];
        hml_frame_motion place = {.struct_size = sizeof place, .pose = c->pose};
        if (hml_rng_below(&x->rng, 2)) c->damping = hml_rng_uniform(&x->rng, 0, 5);
        if (hml_rng_below(&x->rng, 2)) c->stiffness = hml_rng_uniform(&x->rng, 0, 9);
        if (hml_frame_relative(x->model, x->work, c->frame, c->other, HML_LEFT, q, NULL, NULL, &place)) return 0;
        for (int k = 0; k < 3; k++) c->pose[4 * k + 3] += hml_rng_uniform(&x->rng, -0.3, 0.3);
    }
    return 1;
}

void check_held(subject *x)
{
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    hml_constraint items[HOLDS];
    hml_constraints set = {.struct_size = sizeof set, .items = items, .count = 1 + hml_rng_below(&x->rng, HOLDS - 1)};
    compare_free(x, s);
    memset(items, 0, sizeof items);
    for (int32_t i = 0; i < set.count; i++)
        if (!draw_hold(x, s, &items[i])) return;
    hml_loop loops[LOOPS];
    if (hml_rng_below(&x->rng, 3) == 0) {
        set.loops = loops, set.loop_count = draw_loops(x, s, loops);
        if (set.loop_count) set.count = hml_rng_below(&x->rng, 2); /* few rows, so that they often leave some motion */
        if (!draw_springs(x, s, loops, set.loop_count)) return;
    }
    double worst;
    if (!allowance(x, s, &set, &worst)) return;
    compare_sets(x, s, worst, &set);
    compare_batch(x, hml_rng_below(&x->rng, x->nisas), &set);
    if (set.loop_count) return;
    if (x->away[s] < 1e3) compare_reduced(x, s, worst, &set, 0), compare_reduced(x, s, worst, &set, 1);
    items[set.count] = items[hml_rng_below(&x->rng, set.count)];
    set.count++;
    compare_sets(x, s, worst, &set);
}
