/*
 * One step of Moreau's scheme on the group: hamel/contact.h.
 *
 * Everything is computed beside the caller's state, and copied when it is whole.
 */
#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "sim/contact.h"

hml_status hmli_contact_factor(hml_contact *c, hml_work *work, double h, const double *v, const double *tau,
                               const double *wrenches)
{
    const double floor = 0x1p-46; /* of a pivot against its diagonal entry, as everywhere in the library */
    const size_t n = c->n;
    kernel_call call = hmli_work_call(work);
    memset(c->L, 0, n * n * sizeof(double));
    call.q.data = c->q;
    call.v.data = v;
    call.wrenches.data = wrenches;
    call.torque.data = c->bias;
    call.M.data = c->L;
    call.M.ld = n;
    hmli_work_inverse_dynamics(work, &call);
    for (size_t i = 0; i < n; i++) c->bias[i] = (tau ? tau[i] : 0) - c->bias[i];
    if (h > 0) hmli_contact_add_passive(c, h, v); /* in an impact no time passes */
    for (size_t i = 0; i < n; i++) c->x[i] = c->L[i * n + i];
    TRY(hml_ltl_factor(c->model->nv, c->parents, c->L));
    for (size_t i = 0; i < n; i++) {
        double pivot = c->L[i * n + i];
        if (!(pivot * pivot > floor * c->x[i])) return HML_SINGULAR;
    }
    return HML_OK;
}

void hmli_contact_row_velocities(const hml_contact *c, const double *x, double *out)
{
    for (int32_t i = 0; i < c->nrows; i++) out[i] = contact_dot(c->n, c->J + (size_t)i * c->n, x);
}

/* the step went well: what it found is what the next one starts from */
static void remember(hml_contact *c)
{
    touch_list list = c->last;
    memset(c->limit_impulse, 0, (size_t)c->nlimits * sizeof(double));
    memset(c->friction_impulse, 0, c->n * sizeof(double));
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            for (int k = 0; k < 3; k++) c->now.items[row->index].impulse[k] = c->P[i + k] + c->bounced[i + k];
        }
        if (row->kind == ROW_LIMIT) c->limit_impulse[row->index] = c->P[i];
        if (row->kind == ROW_FRICTION) c->friction_impulse[row->index] = c->P[i];
    }
    c->last = c->now;
    c->now = list;
}

static void describe(const hml_contact *c, hml_contact_result *result)
{
    result->contacts = c->now.count;
    result->limits = 0;
    result->penetration = 0;
    result->work = 0;
    hmli_contact_row_velocities(c, c->v_next, c->w);
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_LIMIT) result->limits++;
        if (row->kind == ROW_CONTACT) result->penetration = fmax(result->penetration, -row->gap);
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

hml_status hml_contact_step(const hml_model *model, hml_work *work, hml_contact *c, double h, const double *q,
                            const double *v, const double *tau, const double *wrenches, double *q_next, double *v_next,
                            hml_contact_result *result)
{
    hml_contact_result room = {.struct_size = sizeof room}, *r = result ? result : &room;
    TRY(check(model, work, c, h, q, v, tau, wrenches));
    if (!q_next || !v_next || r->struct_size != sizeof *r) return HML_INVALID_ARGUMENT;
    const size_t n = c->n;
    hmli_contact_turn(model, q, 0, v, c->u);
    for (size_t k = 0; k < n; k++) c->x[k] = 0.5 * h * c->u[k];
    TRY(hmli_contact_advance(model, q, c->x, c->q));
    TRY(hmli_contact_pose(c, work));
    c->now.count = 0;
    c->now.overflow = 0;
    hmli_collide_planes(c->shapes, c->nshapes, c->planes, c->nplanes, c->H, &c->now);
    if (c->options & HML_CONTACT_PAIRS) hmli_collide_pairs(c->shapes, c->nshapes, c->H, &c->now);
    r->left_out = c->now.overflow;
    hmli_contact_turn(model, c->q, 1, c->u, c->v); /* the same motion, in the axes of q_M */
    TRY(hmli_contact_factor(c, work, h, c->v, tau, wrenches));
    hmli_contact_list_rows(c, h);
    hmli_contact_fill_rows(c);

    hmli_contact_row_velocities(c, c->v, c->before);
    r->bounces = hmli_contact_bounces(c);
    for (size_t k = 0; k < n; k++) c->free[k] = h * c->bias[k];
    hml_factor_solve(model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 1, c->free);
    hml_factor_solve(model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 0, c->free);
    hmli_contact_add_turning(model, c->v, h, c->free);
    for (size_t k = 0; k < n; k++) c->free[k] += c->v[k];
    hmli_contact_row_velocities(c, c->free, c->base);
    const contact_answer answer = hmli_contact_solve(c);
    r->residual = answer.residual;
    r->iterations = answer.iterations;
    r->relaxed = answer.relaxed;
    if (!isfinite(answer.residual)) return HML_NOT_FINITE;
    if (answer.relaxed && (c->options & HML_CONTACT_STRICT)) return HML_NOT_CONVERGED;

    hmli_contact_push(c, c->P, c->x);
    for (size_t k = 0; k < n; k++) c->v_next[k] = c->free[k] + c->x[k];
    describe(c, r);
    int moved = hmli_contact_displacement(c);
    for (size_t k = 0; k < n; k++) c->x[k] = 0.5 * h * c->v_next[k] + (moved ? c->x[k] : 0);
    hmli_contact_turn(model, c->q, 0, c->x, c->x);
    hmli_contact_turn(model, c->q, 0, c->v_next, c->u);
    TRY(hmli_contact_advance(model, c->q, c->x, c->q_next));
    hmli_contact_turn(model, c->q_next, 1, c->u, c->v_next);
    TRY(hmli_work_check_state(model, c->q_next, c->v_next, NULL, NULL));
    if (!isfinite(r->work)) return HML_NOT_FINITE;
    remember(c);
    memcpy(q_next, c->q_next, (size_t)model->nq * sizeof *q_next);
    memcpy(v_next, c->v_next, n * sizeof *v_next);
    return HML_OK;
}
