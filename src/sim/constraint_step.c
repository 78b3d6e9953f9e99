/*
 * Steps of a robot that is held, and their derivatives: hml_constrained_step of hamel/discrete.h.
 *
 * D_q, D_ν and D_τ of the held robot take the place of those of a free one, and nothing else changes (kernel/single/
 * step.h): the linearization leaves them in the lower halves of A_d and B_d, where the tangent of an Euler step wants
 * them.
 */
#include <math.h>
#include <string.h>

#include "algo/linearize/step.h"
#include "algo/states.h"
#include "base/layout.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/discrete.h"
#include "sim/constraint.h"

enum { CHUNK = 64, OUTPUTS = 8 }; /* states that are linearized before they step */

typedef struct held_step {
    const hml_model *model;
    hml_work *work;
    const hml_constraints *set;
    const hml_constrained_discrete_step *x;
    double *scratch; /* of the constraints */
    double *accelerations;
    one_step step;
    /* q⁺, ν⁺, λ, A_d, B_d, ∂λ by q, ν and τ */
    kernel_output at[OUTPUTS];
    size_t rows[OUTPUTS], columns[OUTPUTS];
} held_step;

enum { Q_NEXT, V_NEXT, LAMBDA, AD, BD, LAMBDA_Q, LAMBDA_V, LAMBDA_TAU };

/* doubles of scratch; at NULL: only measured */
static size_t lay_out(const hml_model *model, const hml_constraints *set, double *at, held_step *s)
{
    const size_t held = hml_constraint_scratch_doubles(model, set), step = hmli_step_lay_out(model, NULL, &s->step);
    layout_cursor c = layout_begin(at);
    s->scratch = layout_doubles(&c, held);
    s->accelerations = layout_doubles(&c, CHUNK * (size_t)model->nv);
    double *room = layout_doubles(&c, step);
    if (room) hmli_step_lay_out(model, room, &s->step);
    return layout_count(&c);
}

size_t hml_constrained_step_scratch_doubles(const hml_model *model, const hml_constraints *constraints)
{
    held_step s;
    return model && hml_constraint_rows(constraints) >= 0 ? lay_out(model, constraints, NULL, &s) : 0;
}

/* where outputs are; 0: something is missing, or rows are not packed */
static int resolve(held_step *s)
{
    const hml_constrained_discrete_step *x = s->x;
    const size_t n = (size_t)s->model->nv, nq = (size_t)s->model->nq, m = (size_t)hml_constraint_rows(s->set);
    const hml_output given[OUTPUTS] = {x->q_next, x->v_next,   x->lambda,   x->Ad,
                                       x->Bd,     x->lambda_q, x->lambda_v, x->lambda_tau};
    const size_t rows[OUTPUTS] = {1, 1, 1, 2 * n, 2 * n, m, m, m}, columns[OUTPUTS] = {nq, n, m, 2 * n, n, n, n, n};
    for (int k = 0; k < OUTPUTS; k++) {
        s->rows[k] = rows[k], s->columns[k] = columns[k];
        s->at[k] = states_output(given[k], rows[k], columns[k]);
        if (given[k].data && rows[k] > 1 && s->at[k].ld != columns[k]) return 0;
    }
    return isfinite(x->h) && x->q.data && x->v.data && x->q_next.data && x->v_next.data && !x->Ad.data == !x->Bd.data;
}

static void fail(const held_step *s, size_t state)
{
    for (int k = 0; k < OUTPUTS; k++) output_fill_nan(output_at(s->at[k], state), s->rows[k], s->columns[k]);
}

/* one state by the functions for one */
static hml_status accelerate_one(const held_step *s, size_t state, double *a, hml_constraint_report *report)
{
    double *out[OUTPUTS];
    for (int k = 0; k < OUTPUTS; k++) out[k] = output_at(s->at[k], state).data;
    const hml_constrained_linearization x = {.struct_size = sizeof x,
                                             .q = input_at(s->x->q, state),
                                             .v = input_at(s->x->v, state),
                                             .tau = input_at(s->x->tau, state),
                                             .wrenches = input_at(s->x->wrenches, state),
                                             .acceleration = a,
                                             .lambda = out[LAMBDA],
                                             .A = out[AD],
                                             .B = out[BD],
                                             .lambda_q = out[LAMBDA_Q],
                                             .lambda_v = out[LAMBDA_V],
                                             .lambda_tau = out[LAMBDA_TAU]};
    if (x.A || x.lambda_q || x.lambda_v || x.lambda_tau)
        return hmli_constrained_linearize(s->model, s->work, s->set, s->scratch, &x, report);
    return hml_constrained_forward_dynamics(s->model, s->work, s->set, s->scratch,
                                            &HML_STRUCT(hml_constrained_dynamics, .q = x.q, .v = x.v, .tau = x.tau,
                                                        .wrenches = x.wrenches, .acceleration = a, .lambda = x.lambda));
}

static hml_input from(hml_input in, size_t state) { return (hml_input){input_at(in, state), in.stride}; }

static hml_output into(const held_step *s, int k, size_t state)
{
    const kernel_output o = output_at(s->at[k], state);
    return (hml_output){o.data, o.ld, o.stride};
}

/* ν̇ and λ of `count` states, and what is wanted of their derivatives */
static void accelerate(const held_step *s, size_t first, size_t count, hml_status *each)
{
    const hml_constrained_states x = {.struct_size = sizeof x,
                                      .q = from(s->x->q, first),
                                      .v = from(s->x->v, first),
                                      .tau = from(s->x->tau, first),
                                      .wrenches = from(s->x->wrenches, first),
                                      .acceleration.data = s->accelerations,
                                      .lambda = into(s, LAMBDA, first),
                                      .A = into(s, AD, first),
                                      .B = into(s, BD, first),
                                      .lambda_q = into(s, LAMBDA_Q, first),
                                      .lambda_v = into(s, LAMBDA_V, first),
                                      .lambda_tau = into(s, LAMBDA_TAU, first)};
    hml_constrained_linearize_batch(s->model, s->work, s->set, s->scratch, count, &x, each);
}

/* q⁺, ν⁺, and the tangent of the step */
static hml_status advance(held_step *s, size_t state, const double *a)
{
    one_step *t = &s->step;
    t->q0 = input_at(s->x->q, state), t->v = input_at(s->x->v, state);
    t->tangent.Ad = output_at(s->at[AD], state), t->tangent.Bd = output_at(s->at[BD], state);
    memcpy(t->rate + t->n, a, t->n * sizeof *a);
    return hmli_step_run(t, HML_SCHEME_EULER, output_at(s->at[Q_NEXT], state).data,
                         output_at(s->at[V_NEXT], state).data);
}

static hml_status run_chunk(held_step *s, size_t first, size_t count, int alone, hml_status *each)
{
    hml_constraint_report report = {0};
    hml_status worst = HML_OK;
    memset(each, 0, count * sizeof *each);
    if (alone)
        each[0] = accelerate_one(s, first, s->accelerations, &report);
    else
        accelerate(s, first, count, each);
    for (size_t k = 0; k < count; k++) {
        if (!each[k]) each[k] = advance(s, first + k, s->accelerations + k * s->step.n);
        if (each[k]) fail(s, first + k);
        if (!worst) worst = each[k];
    }
    return worst;
}

hml_status hml_constrained_step(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                double *scratch, size_t n, const hml_constrained_discrete_step *arguments,
                                hml_status *status)
{
    hml_constraints constraints_room;
    hml_constrained_discrete_step room;
    hml_status worst = HML_OK, each[CHUNK];
    held_step s = {.model = model, .work = work};
    s.set = constraints_take(constraints, &constraints_room);
    s.x = STRUCT_TAKE(hml_constrained_discrete_step, arguments, &room, v_next);
    if (!s.x || !scratch) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_check(model, work, s.set));
    if (!resolve(&s)) return HML_INVALID_ARGUMENT;
    lay_out(model, s.set, scratch, &s);
    s.step.model = model, s.step.work = work, s.step.n = (size_t)model->nv, s.step.h = s.step.tangent.h = s.x->h;
    s.step.tau = NULL;
    s.step.wanted = s.x->Ad.data != NULL, s.step.linearized = 1;
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t count = n - i < CHUNK ? n - i : CHUNK;
        const hml_status first = run_chunk(&s, i, count, n == 1, each);
        if (status) memcpy(status + i, each, count * sizeof *each);
        if (!worst) worst = first;
    }
    return worst;
}
