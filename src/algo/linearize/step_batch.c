/*
 * hml_step_linearize_batch. Euler: packs of states through the linearization, whose results lie where A_d and B_d want
 * them, then each state by itself. Other steps go state by state.
 */
#include <string.h>

#include "algo/for_each_pack.h"
#include "algo/linearize/blocks.h"
#include "algo/linearize/step.h"
#include "algo/states.h"
#include "base/struct_size.h"
#include "hamel/discrete.h"

/* states that are linearized before they step: packs of the widest registers, and A_d and B_d stay in the caches */
enum { CHUNK = 8 };

typedef struct step_outputs {
    kernel_output q_next, v_next, Ad, Bd;
} step_outputs;

/* D_q, D_ν, M⁻¹ of `count` states into the lower halves of A_d and B_d; accelerations into B_d's first rows */
static void linearize_pack(const one_step *s, const hml_discrete_step *x, const step_outputs *o, size_t first,
                           size_t count, const model_coordinate *coordinates, hml_status *each)
{
    const size_t n = s->n;
    const kernel_output A = output_at(o->Ad, first), B = output_at(o->Bd, first);
    hml_linearization at;
    memset(&at, 0, sizeof at);
    at.struct_size = sizeof at;
    at.q = (hml_input){input_at(x->q, first), x->q.stride};
    at.v = (hml_input){input_at(x->v, first), x->v.stride};
    at.tau = (hml_input){input_at(x->tau, first), x->tau.stride};
    at.acceleration = (hml_output){B.data, B.ld, B.stride};
    at.Dq = (hml_output){A.data + n * A.ld, A.ld, A.stride};
    at.Dv = (hml_output){A.data + n * A.ld + n, A.ld, A.stride};
    at.Minv = (hml_output){B.data + n * B.ld, B.ld, B.stride};
    hmli_linearize_batch(s->work, coordinates, count, &at, each);
}

static void fail(const one_step *s, const step_outputs *o, size_t state)
{
    const size_t n = s->n;
    output_fill_nan(output_at(o->q_next, state), 1, (size_t)s->model->nq);
    output_fill_nan(output_at(o->v_next, state), 1, n);
    output_fill_nan(output_at(o->Ad, state), 2 * n, 2 * n);
    output_fill_nan(output_at(o->Bd, state), 2 * n, n);
}

/* `count` states from `first` on; returns the first failure */
static hml_status run_pack(one_step *s, const hml_discrete_step *x, const step_outputs *o, size_t first, size_t count,
                           hml_status *each)
{
    const step_kind kind =
        x->scheme == HML_SCHEME_EULER ? hmli_step_elastic(s->model, x->h, s->coordinates) : STEP_GENERAL;
    hml_status worst = HML_OK;
    s->linearized = kind != STEP_GENERAL;
    memset(each, 0, count * sizeof *each);
    if (s->linearized) linearize_pack(s, x, o, first, count, kind == STEP_DIAGONAL ? s->coordinates : NULL, each);
    for (size_t l = 0; l < count; l++) {
        const size_t state = first + l;
        s->q0 = input_at(x->q, state), s->v = input_at(x->v, state), s->tau = input_at(x->tau, state);
        s->tangent.Ad = output_at(o->Ad, state), s->tangent.Bd = output_at(o->Bd, state);
        if (s->linearized) memcpy(s->rate + s->n, s->tangent.Bd.data, s->n * sizeof *s->rate);
        if (!each[l]) {
            each[l] = hmli_step_run(s, x->scheme, output_at(o->q_next, state).data, output_at(o->v_next, state).data);
        }
        if (each[l]) fail(s, o, state);
        if (!worst) worst = each[l];
    }
    return worst;
}

hml_status hml_step_linearize_batch(const hml_model *model, hml_work *work, double *scratch, size_t n,
                                    const hml_discrete_step *arguments, hml_status *status)
{
    hml_discrete_step room;
    const hml_discrete_step *x = STRUCT_TAKE(hml_discrete_step, arguments, &room, v_next);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !hmli_step_valid(model, x) || !x->Ad.data || !scratch) {
        return HML_INVALID_ARGUMENT;
    }
    if (!hmli_step_supports(x->scheme))
        return (unsigned)x->scheme < HML_SCHEME_COUNT ? HML_UNSUPPORTED : HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    const step_outputs o = {states_output(x->q_next, 1, (size_t)model->nq), states_output(x->v_next, 1, nv),
                            states_output(x->Ad, 2 * nv, 2 * nv), states_output(x->Bd, 2 * nv, nv)};
    one_step s = {.model = model, .work = work, .n = nv, .h = x->h, .wanted = 1};
    hmli_step_lay_out(model, scratch, &s);
    s.tangent.h = x->h;
    hml_status worst = HML_OK, each[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t count = n - i < CHUNK ? n - i : CHUNK;
        const hml_status first = run_pack(&s, x, &o, i, count, each);
        if (status) memcpy(status + i, each, count * sizeof *each);
        if (!worst) worst = first;
    }
    return worst;
}
