/*
 * One step of Moreau's scheme on the group: hamel/contact.h.
 *
 * Everything is computed beside the caller's state, and copied when it is whole.
 */
#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "model/coordinates.h"
#include "sim/balance.h"
#include "sim/contact.h"

void hmli_contact_row_velocities(const hml_contact *c, const double *x, double *out)
{
    for (int32_t i = 0; i < c->nrows; i++) out[i] = contact_dot((size_t)c->lengths[i], c->J + (size_t)i * c->n, x);
}

/* contacts of the substeps before that are over: they stay in the list, with what they did */
static void keep_gone(hml_contact *c)
{
    for (int32_t i = 0; i < c->last.count && c->now.count < c->now.capacity; i++) {
        const touch *old = &c->last.items[i];
        touch *gone = &c->now.items[c->now.count];
        if (old->carried) continue;
        *gone = *old;
        memset(gone->impulse, 0, sizeof gone->impulse);
        c->now.count++;
    }
}

/* the substep went well: what it found is what the next one starts from; sums of impulses are those of the whole step */
static void remember(hml_contact *c, int first)
{
    touch_list list = c->last;
    memset(c->limit_impulse, 0, (size_t)c->nlimits * sizeof(double));
    memset(c->friction_impulse, 0, c->n * sizeof(double));
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_LIMIT) c->limit_impulse[row->index] = c->P[i];
        if (row->kind == ROW_FRICTION) c->friction_impulse[row->index] = c->P[i];
        if (row->kind != ROW_CONTACT) continue;
        touch *t = &c->now.items[row->index], *old = first ? NULL : hmli_contact_find(c, t);
        for (int k = 0; k < 3; k++) t->impulse[k] = c->P[i + k] + c->bounced[i + k];
        t->total =
            vec3_axpy(t->impulse[1], t->t1, vec3_axpy(t->impulse[2], t->t2, vec3_scale(t->impulse[0], t->normal)));
        if (old) t->total = vec3_add(t->total, old->total), old->carried = 1;
    }
    if (!first) keep_gone(c);
    for (int32_t i = 0; i < c->now.count; i++) c->now.items[i].carried = 0;
    c->last = c->now;
    c->now = list;
}

static void describe(const hml_contact *c, hml_contact_result *result)
{
    result->contacts = c->now.count;
    result->left_out = c->now.overflow > result->left_out ? c->now.overflow : result->left_out;
    result->limits = 0;
    hmli_contact_row_velocities(c, c->v_next, c->w);
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_LIMIT) result->limits++;
        if (row->kind == ROW_CONTACT && -row->gap > result->penetration) result->penetration = -row->gap;
        result->work += 0.5 * (c->before[i] + c->w[i]) * (c->P[i] + c->bounced[i]);
    }
}

static hml_status check(const hml_model *model, const hml_work *work, const hml_contact *c, double h, const double *q,
                        const double *v, const double *tau, const double *wrenches)
{
    if (hmli_work_check(model, work, HML_USE_ALL) || !c || c->model != model || !q || !v) return HML_INVALID_ARGUMENT;
    if (!isfinite(h)) return HML_NOT_FINITE;
    if (!(h > 0)) return HML_INVALID_ARGUMENT;
    return hmli_work_check_state(model, q, v, tau, wrenches);
}

/* at q_M, where the collisions are known, with the velocity c->u: c->v_next */
static hml_status solve_velocity(hml_contact *c, hml_work *work, double h, const double *tau, const double *wrenches,
                                 hml_contact_result *r)
{
    const hml_model *model = c->model;
    int massless;
    hmli_contact_turn(model, c->q, 1, c->u, c->v); /* the same motion, in the axes of q_M */
    if (c->inputs) {
        TRY(hmli_contact_actuate(c, work, c->v, tau, wrenches));
        tau = c->actuator_tau, wrenches = c->actuator_wrenches;
    }
    TRY(hmli_contact_factor(c, work, h, c->v, tau, wrenches, &massless));
    TRY(hmli_contact_factor_loops(c));
    hmli_contact_list_rows(c, h);
    hmli_contact_fill_rows(c);
    hmli_contact_row_velocities(c, c->v, c->before);
    r->bounces += hmli_contact_bounces(c);
    hmli_contact_free(c, work, h, tau, wrenches);
    hmli_contact_row_velocities(c, c->free, c->base);
    const contact_answer answer = hmli_contact_solve(c);
    if (!isfinite(answer.residual)) return HML_NOT_FINITE;
    r->residual = fmax(r->residual, answer.residual);
    r->iterations += answer.iterations;
    r->relaxed |= answer.relaxed;
    r->massless |= massless;
    if (answer.relaxed && (c->options & HML_CONTACT_STRICT)) return HML_NOT_CONVERGED;
    hmli_contact_push(c, c->P, c->x);
    for (size_t k = 0; k < c->n; k++) c->v_next[k] = c->free[k] + c->x[k];
    return HML_OK;
}

enum { RELEASING = 8 }; /* trials of which actuators are at their limits; then more of them are held, none released */

static hml_status try_velocities(hml_contact *c, hml_work *work, double h, const double *tau, const double *wrenches,
                                 hml_contact_result *r)
{
    if (!c->inputs) return solve_velocity(c, work, h, tau, wrenches, r);
    hmli_contact_free_actuators(c);
    for (int trial = 0;; trial++) {
        hml_contact_result now = *r;
        TRY(solve_velocity(c, work, h, tau, wrenches, &now));
        if (hmli_contact_hold_actuators(c, h, trial < RELEASING, c->v, c->v_next)) continue;
        *r = now;
        return HML_OK;
    }
}

/* from q, v over h, a share of the step, to c->q_next, c->v_next */
static hml_status substep(hml_contact *c, hml_work *work, double h, double share, const double *q, const double *v,
                          const double *tau, const double *wrenches, hml_contact_result *r)
{
    const hml_model *model = c->model;
    const size_t n = c->n;
    hmli_contact_turn(model, q, 0, v, c->u);
    for (size_t k = 0; k < n; k++) c->x[k] = 0.5 * h * c->u[k];
    TRY(hmli_contact_advance(model, q, c->x, c->q));
    TRY(hmli_contact_pose(c, work));
    c->now.count = 0;
    c->now.overflow = 0;
    hmli_collide_planes(c->shapes, c->nshapes, c->planes, c->nplanes, c->H, &c->now);
    hmli_collide_heightfields(c->shapes, c->nshapes, c->fields, c->nfields, c->nplanes, c->H, &c->now);
    if (c->npairs) {
        hmli_collide_centres(c->shapes, c->nshapes, c->H, c->centres);
        hmli_collide_pairs(c->shapes, c->pairs, c->npairs, c->H, c->centres, &c->now);
    }
    TRY(try_velocities(c, work, h, tau, wrenches, r));
    hmli_contact_tame(c, h, r);
    describe(c, r);
    if (c->books) TRY(hmli_contact_book(c, work, h, share, tau, wrenches));
    const int moved = hmli_contact_displacement(c, share);
    if (moved && (c->options & HML_CONTACT_BALANCE)) TRY(hmli_contact_book_displacement(c, work));
    memcpy(c->record.displacement, c->x, n * sizeof(double));
    c->record.displaced = moved;
    memcpy(c->record.after, c->v_next, n * sizeof(double));
    for (size_t k = 0; k < n; k++) c->x[k] += 0.5 * h * c->v_next[k];
    hmli_contact_turn(model, c->q, 0, c->x, c->x);
    hmli_contact_turn(model, c->q, 0, c->v_next, c->u);
    TRY(hmli_contact_advance(model, c->q, c->x, c->q_next));
    hmli_contact_turn(model, c->q_next, 1, c->u, c->v_next);
    TRY(hmli_work_check_state(model, c->q_next, c->v_next, NULL, NULL));
    return isfinite(r->work) ? HML_OK : HML_NOT_FINITE;
}

/* forces that a double holds may do work that it does not hold */
static int is_bookable(const hml_contact *c, const hml_contact_result *r)
{
    const hml_balance *b = &c->booked;
    return isfinite(r->removed) && isfinite(b->forces + b->servos + b->wrenches + b->damping + b->contacts + b->limits +
                                            b->friction + b->displacement + b->actuators);
}

/* ---- substeps ---- */

enum { MOST_SUBSTEPS = 32 };

static const double most_turn = 0.3; /* rad in a substep: beyond it the mean velocity of contact_free.c is not found */

/* the work of wrenches, and of actuators, is not known to the guard */
static int pushed(const hml_contact *c, const double *wrenches)
{
    for (size_t i = 0; wrenches && i < 6 * (size_t)c->model->nbodies; i++)
        if (wrenches[i] != 0) return 1;
    return 0;
}

/* all of h in parts that no joint turns too far in, at least `least` of them */
static hml_status substeps(hml_contact *c, hml_work *work, double h, int32_t least, const double *q, const double *v,
                           const double *tau, const double *wrenches, hml_contact_result *r)
{
    double done = 0;
    const int guarded = !c->inputs && !pushed(c, wrenches);
    *r = (hml_contact_result){.struct_size = sizeof *r};
    c->booked = (hml_balance){.struct_size = sizeof c->booked};
    memset(c->torque, 0, c->n * sizeof(double));
    for (int32_t left = 1; left > 0;) {
        const double turn = hmli_contact_turn_of(c->model, v, h - done) / most_turn;
        const int32_t most = MOST_SUBSTEPS - r->substeps, wanted = turn < most ? (int32_t)ceil(turn) : most;
        left = wanted > least - r->substeps ? wanted : least - r->substeps;
        if (left < 1 || most <= 1) left = 1;
        const double part = (h - done) / left;
        if (r->substeps) { /* q and v are where the substep writes */
            memcpy(c->q_before, q, (size_t)c->model->nq * sizeof *q);
            memcpy(c->v_before, v, c->n * sizeof *v);
            q = c->q_before, v = c->v_before;
        }
        c->displaced = c->tamed = 0;
        TRY(substep(c, work, part, part / h, q, v, tau, wrenches, r));
        remember(c, r->substeps == 0);
        r->substeps++;
        if (guarded) TRY(hmli_contact_guard(c, work, part, q, v, tau, r));
        if (!is_bookable(c, r)) return HML_NOT_FINITE;
        done += part;
        left--;
        q = c->q_next, v = c->v_next;
    }
    return HML_OK;
}

static hml_status step(hml_contact *c, hml_work *work, const hml_contact_motion *x, hml_contact_result *r)
{
    hml_status status = HML_NOT_FINITE;
    for (int32_t least = 1; status == HML_NOT_FINITE && least <= MOST_SUBSTEPS; least *= 4) {
        status = substeps(c, work, x->h, least, x->q, x->v, x->tau, x->wrenches, r);
        if (status && r->substeps) hml_contact_forget(c);
    }
    return status;
}

/* how a step begins */
static void record_start(hml_contact *c, const hml_contact_motion *x)
{
    contact_record *r = &c->record;
    r->kind = RECORD_NONE;
    r->h = x->h;
    memcpy(r->v, x->v, c->n * sizeof *r->v);
    for (size_t i = 0; i < c->n; i++) r->tau[i] = x->tau ? x->tau[i] : 0;
    for (size_t i = 0; i < 6 * (size_t)c->model->nbodies; i++) r->wrenches[i] = x->wrenches ? x->wrenches[i] : 0;
}

/* is the velocity at the end the one that the rows have made, or did contact_guard.c change it? */
static int is_as_solved(const hml_contact *c)
{
    hmli_contact_turn(c->model, c->q, 0, c->record.after, c->x);
    hmli_contact_turn(c->model, c->q_next, 1, c->x, c->x);
    return !c->tamed && !memcmp(c->x, c->v_next, c->n * sizeof *c->x);
}

/* is a step that ended like this one smooth, with its contacts as they are? */
static void record_end(hml_contact *c, const hml_contact_result *r)
{
    const int whole = r->substeps == 1 && !c->inputs && !c->loop_rows && is_as_solved(c);
    c->record.kind = whole && !r->bounces && !r->relaxed && !r->massless ? RECORD_SMOOTH : RECORD_ROUGH;
}

hml_status hml_contact_step(const hml_model *model, hml_work *work, hml_contact *contact,
                            const hml_contact_motion *motion)
{
    hml_contact_motion room;
    hml_contact_result result = {0};
    const hml_contact_motion *x = STRUCT_TAKE(hml_contact_motion, motion, &room, v_next);
    if (!x || !x->q_next || !x->v_next) return HML_INVALID_ARGUMENT;
    if (!struct_is_writable(x->result, STRUCT_END(hml_contact_result, limits))) return HML_INVALID_ARGUMENT;
    TRY(check(model, work, contact, x->h, x->q, x->v, x->tau, x->wrenches));
    if (x->inputs) TRY(finite_numbers(x->inputs, model->nactuators));
    contact->inputs = x->inputs;
    contact->books = x->torque || (contact->options & HML_CONTACT_BALANCE);
    record_start(contact, x);
    hml_status status = step(contact, work, x, &result);
    struct_give(x->result, &result, sizeof result);
    if (status) return status;
    memcpy(x->q_next, contact->q_next, (size_t)model->nq * sizeof(double));
    memcpy(x->v_next, contact->v_next, contact->n * sizeof(double));
    if (x->torque) memcpy(x->torque, contact->torque, contact->n * sizeof(double));
    record_end(contact, &result);
    contact->booked.removed = -result.removed;
    hmli_balance_add(&contact->booked, &contact->balance);
    return HML_OK;
}
