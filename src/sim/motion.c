/* Motions: set up, stepped, asked. The schemes are in motion_explicit.c, motion_variational.c, motion_alpha.c and
 * motion_phase.c. */
#include "sim/motion.h"
#include "base/struct_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/work.h"
#include "base/layout.h"
#include "hamel/configuration.h"
#include "model/coordinates.h"
#include "model/mimic.h"
#include "sim/balance.h"
#include "sim/constraint.h"

/* ---- the schemes ---- */

static const struct scheme_row {
    const char *name;
    int order;
} SCHEMES[HML_SCHEME_COUNT] = {{"euler", 1},       {"rk2", 2},   {"rk4", 4},     {"dopri5", 5},
                               {"variational", 2}, {"alpha", 2}, {"momentum", 4}};

static int is_scheme(hml_scheme scheme) { return (int)scheme >= 0 && (int)scheme < HML_SCHEME_COUNT; }

const char *hml_scheme_name(hml_scheme scheme) { return is_scheme(scheme) ? SCHEMES[scheme].name : NULL; }
int hml_scheme_order(hml_scheme scheme) { return is_scheme(scheme) ? SCHEMES[scheme].order : 0; }

hml_status hml_scheme_from_name(const char *name, hml_scheme *scheme)
{
    if (!name || !scheme) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < HML_SCHEME_COUNT; i++) {
        if (strcmp(name, SCHEMES[i].name) != 0) continue;
        *scheme = (hml_scheme)i;
        return HML_OK;
    }
    return HML_NOT_FOUND;
}

/* ---- setting up ---- */

void hml_motion_options_init(hml_motion_options *options)
{
    if (!options) return;
    *options = (hml_motion_options){.struct_size = sizeof *options,
                                    .scheme = HML_SCHEME_DOPRI5,
                                    .step = 1e-3,
                                    .tolerance = 1e-12,
                                    .radius = 0.8,
                                    .iterations = 50};
}

static size_t lay_out(const hml_model *model, double *at, hml_motion *m)
{
    const size_t n = (size_t)model->nv, nq = (size_t)model->nq, bodies = (size_t)model->nbodies;
    const size_t tree = (size_t)model->tree_nv, tree_q = (size_t)model->tree_nq;
    layout_cursor c = layout_begin(at);
    m->q = layout_doubles(&c, nq);
    m->v = layout_doubles(&c, n);
    m->a = layout_doubles(&c, n);
    m->q0 = layout_doubles(&c, nq);
    m->v0 = layout_doubles(&c, n);
    m->theta = layout_doubles(&c, n);
    m->q1 = layout_doubles(&c, nq);
    m->v1 = layout_doubles(&c, n);
    m->a1 = layout_doubles(&c, n);
    m->theta1 = layout_doubles(&c, n);
    m->x = layout_doubles(&c, 2 * n);
    m->stages = layout_doubles(&c, MOTION_STAGES * 2 * n);
    m->tau = layout_doubles(&c, n);
    m->wrenches = layout_doubles(&c, 6 * bodies);
    m->pi = layout_doubles(&c, n);
    m->pi1 = layout_doubles(&c, n);
    m->alpha = layout_doubles(&c, n);
    m->alpha1 = layout_doubles(&c, n);
    m->local = layout_doubles(&c, nq);
    m->M = layout_doubles(&c, n * n);
    m->L = layout_doubles(&c, n * n);
    m->J = layout_doubles(&c, n * n);
    m->dq = layout_doubles(&c, n * n);
    m->dv = layout_doubles(&c, n * n);
    m->r = layout_doubles(&c, n);
    m->s = layout_doubles(&c, n);
    m->damping = layout_doubles(&c, n);
    m->slopes = layout_doubles(&c, 3 * (size_t)model->nactuators);
    m->H = layout_doubles(&c, 16 * bodies);
    m->V = layout_doubles(&c, 6 * bodies);
    m->tree_q = layout_doubles(&c, tree_q);
    m->tree_v = layout_doubles(&c, tree);
    m->tree_p = layout_doubles(&c, tree);
    m->tree_D = layout_doubles(&c, tree);
    m->factor = layout_doubles(&c, tree);
    m->bodies = layout_array(&c, bodies, sizeof *m->bodies);
    m->user = layout_array(&c, tree, sizeof *m->user);
    return layout_count(&c);
}

size_t hml_motion_size(const hml_model *model)
{
    hml_motion m;
    return model ? sizeof m + lay_out(model, NULL, &m) * sizeof(double) : 0;
}

static int options_are_sound(const hml_motion_options *o)
{
    int adaptive = o->scheme == HML_SCHEME_DOPRI5 && o->tolerance > 0;
    return is_scheme(o->scheme) && isfinite(o->step) && (o->step > 0 || (adaptive && o->step == 0)) &&
           o->tolerance >= 0 && isfinite(o->tolerance) && o->radius >= 0 && o->radius <= 1 && o->iterations > 0 &&
           o->max_steps >= 0;
}

static hml_status check_forces(const hml_model *model, const hml_forces *f)
{
    size_t n = (size_t)model->nv;
    if (f->nframe_wrenches < 0 || (f->nframe_wrenches && !f->frame_wrenches) ||
        (f->nsamples && (!f->sample_times || !f->samples)) || ((f->stiffness || f->damping) && !f->target)) {
        return HML_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < f->nsamples; i++) {
        if (!isfinite(f->sample_times[i]) || !isfinite(motion_norm(n, f->samples + i * n))) return HML_NOT_FINITE;
        if (i > 0 && !(f->sample_times[i] > f->sample_times[i - 1])) return HML_INVALID_ARGUMENT;
    }
    for (int32_t i = 0; i < f->nframe_wrenches; i++) {
        int32_t frame = f->frame_wrenches[i].frame;
        if (frame < 0 || frame >= model->nframes) return HML_INVALID_ARGUMENT;
    }
    if (f->inputs && !isfinite(motion_norm((size_t)model->nactuators, f->inputs))) return HML_NOT_FINITE;
    if (f->stiffness && !isfinite(motion_norm(n, f->stiffness))) return HML_NOT_FINITE;
    if (f->damping && !isfinite(motion_norm(n, f->damping))) return HML_NOT_FINITE;
    return f->target ? hml_configuration_check(model, f->target) : HML_OK;
}

/* holds and loops enter where ν̇ is asked for, which implicit schemes do not do alone */
static hml_status check_constraints(const hml_model *model, const hml_work *work, const hml_motion_options *o)
{
    hml_constraints room;
    const hml_constraints *set = constraints_take(o->constraints, &room);
    if (!o->constraints) return HML_OK;
    if (!set || !o->constraint_scratch) return HML_INVALID_ARGUMENT;
    const int fits = o->scheme == HML_SCHEME_RK2 || o->scheme == HML_SCHEME_RK4 || o->scheme == HML_SCHEME_DOPRI5;
    return fits ? hmli_constraint_check(model, work, set) : HML_UNSUPPORTED;
}

hml_status hml_motion_init(void *memory, size_t size, const hml_model *model, hml_work *work,
                           const hml_motion_options *options, const hml_forces *forces, double t, const double *q,
                           const double *v, hml_motion **motion)
{
    hml_motion_options own;
    hml_forces room;
    const hml_forces *f = STRUCT_TAKE(hml_forces, forces, &room, tau);
    hml_motion_options_init(&own);
    if (options && !struct_read(&own, options, sizeof own, STRUCT_END(hml_motion_options, scheme))) {
        return HML_INVALID_ARGUMENT;
    }
    if (forces && !f) return HML_INVALID_ARGUMENT;
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !memory || size < hml_motion_size(model) ||
        (uintptr_t)memory % sizeof(double) || !options_are_sound(&own) || !q || !v || !motion || !isfinite(t)) {
        return HML_INVALID_ARGUMENT;
    }
    hml_status status = check_constraints(model, work, &own);
    if (status) return status;
    hml_motion *m = memory;
    memset(m, 0, sizeof *m);
    lay_out(model, (double *)(void *)(m + 1), m);
    m->model = model;
    m->work = work;
    m->options = own;
    if (m->options.scheme != HML_SCHEME_DOPRI5) m->options.tolerance = 0;
    m->info.struct_size = sizeof m->info;
    m->n = (size_t)model->nv;
    m->nq = (size_t)model->nq;
    model_mimic_map(model, m->user, m->factor);
    hmli_balance_passive(model, m->damping, m->s); /* there is room for the springs, which have a potential */
    status = f ? check_forces(model, f) : HML_OK;
    if (status) return status;
    if (f) m->forces = *f;
    status = hml_motion_restart(m, t, q, v);
    if (!status) *motion = m;
    return status;
}

hml_status hml_motion_new(const hml_model *model, hml_work *work, const hml_motion_options *options,
                          const hml_forces *forces, double t, const double *q, const double *v, hml_motion **motion)
{
    size_t size = hml_motion_size(model);
    if (!size || !motion) return HML_INVALID_ARGUMENT;
    void *memory = malloc(size);
    if (!memory) return HML_OUT_OF_MEMORY;
    hml_status status = hml_motion_init(memory, size, model, work, options, forces, t, q, v, motion);
    if (status) {
        free(memory);
        return status;
    }
    (*motion)->owned = 1;
    return HML_OK;
}

void hml_motion_free(hml_motion *motion)
{
    if (motion && motion->owned) free(motion);
}

hml_status hml_motion_restart(hml_motion *m, double t, const double *q, const double *v)
{
    if (!m || !q || !v || !isfinite(t)) return HML_INVALID_ARGUMENT;
    hml_status status = hml_configuration_check(m->model, q);
    if (!status) status = finite_numbers(v, m->model->nv);
    if (status) return status;
    memmove(m->q, q, m->nq * sizeof(double));
    memmove(m->v, v, m->n * sizeof(double));
    hml_configuration_normalize(m->model, m->q);
    m->t = m->t0 = t;
    m->rest = m->rest0 = m->h = m->wanted = m->error = 0;
    m->rate_known = m->dense = 0;
    m->balance = (hml_balance){.struct_size = sizeof m->balance};
    if (m->options.scheme == HML_SCHEME_VARIATIONAL) return hmli_motion_prepare_variational(m);
    if (m->options.scheme == HML_SCHEME_ALPHA) return hmli_motion_prepare_alpha(m);
    if (m->options.scheme == HML_SCHEME_MOMENTUM) return hmli_motion_prepare_phase(m);
    return HML_OK;
}

/* ---- stepping ---- */

static hml_status try_step(hml_motion *m, double h, double *error)
{
    *error = 0;
    switch (m->options.scheme) {
    case HML_SCHEME_EULER: return hmli_motion_euler(m, h);
    case HML_SCHEME_VARIATIONAL: return hmli_motion_variational(m, h);
    case HML_SCHEME_ALPHA: return hmli_motion_alpha(m, h);
    case HML_SCHEME_MOMENTUM: return hmli_motion_phase(m, h);
    default: m->dense = 0; return hmli_motion_explicit(m, h, error);
    }
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/*
 * The clock moves on by h, or to `until` if this is the last step. Far from zero the numbers lie further apart than the
 * steps are long: what the last number before the new time lacks is carried along in rest, so that steps of any length
 * add up, and t < until as long as there is something left to do.
 */
static void tick(hml_motion *m, double h, double until, int last)
{
    double d = h + m->rest, t = m->t + d, back = t - m->t, rest = (m->t - (t - back)) + (d - back); /* t + d, exactly */
    double lower = nextafter(t, -INFINITY), gap = t - lower;
    if (rest < 0 && rest + gap < gap)
        t = lower, rest += gap;
    else if (rest < 0)
        rest = 0;
    m->t0 = m->t, m->rest0 = m->rest;
    m->t = last ? until : t;
    m->rest = last ? 0 : rest;
}

/* the state that was computed becomes the state */
static hml_status accept(hml_motion *m, double h, double until, int last)
{
    hml_status status = finite_numbers(m->v1, m->model->nv);
    if (!status) status = finite_numbers(m->q1, m->model->nq);
    if (status) return status;
    swap(&m->q0, &m->q);
    swap(&m->q, &m->q1);
    swap(&m->v0, &m->v);
    swap(&m->v, &m->v1);
    swap(&m->theta, &m->theta1);
    swap(&m->a, &m->a1);
    swap(&m->pi, &m->pi1);
    memcpy(m->com, m->com1, sizeof m->com);
    memcpy(m->pushed, m->push, sizeof m->pushed);
    if (m->options.scheme == HML_SCHEME_ALPHA) swap(&m->alpha, &m->alpha1);
    m->rate_known = m->dense = m->options.scheme == HML_SCHEME_DOPRI5;
    tick(m, h, until, last);
    m->h = h;
    m->info.steps++;
    m->info.last_step = h;
    if (m->options.balance) hmli_motion_book(m);
    return HML_OK;
}

/* a first guess: a hundredth of the time in which the fastest coordinate moves by one */
static double first_step(hml_motion *m)
{
    if (!m->rate_known && hmli_motion_rate(m, m->t, m->q, m->v, m->a)) return 0;
    m->rate_known = 1;
    return 0.01 / (motion_norm(m->n, m->v) + sqrt(motion_norm(m->n, m->a)) + 1e-3);
}

/*
 * Error control: the next step is the one whose error would be the tolerance, 0.9 of it, with a memory of the last
 * error (Gustafsson's proportional-integral control), at most five times as long and not less than a fifth. A step so
 * short that the way to `until`, or a millisecond, would take more of them than a number has places is none.
 */
static hml_status adaptive_step(hml_motion *m, double until)
{
    double room = until - m->t - m->rest, longest = m->options.step > 0 ? m->options.step : INFINITY;
    double least = 16 * 0x1p-52 * fmax(room, 1e-3);
    hml_status status = HML_OK;
    if (!(m->wanted > 0)) m->wanted = first_step(m);
    double h = fmin(fmin(m->wanted > 0 ? m->wanted : room, longest), room);
    if (h < room && h > 0.5 * room) h = 0.5 * room; /* two equal steps, not a long one and a crumb */
    for (int repeated = 0, cut = h < m->wanted;; repeated = 1) {
        double error;
        if (h < least && h < room) return status ? status : HML_NOT_CONVERGED;
        status = try_step(m, h, &error);
        if (status && (status != HML_NOT_FINITE || h <= 1e-8 * room)) return status;
        if (!status && error <= 1) {
            double factor = 0.9 * pow(fmax(error, 1e-10), -0.14) * pow(m->error > 0 ? m->error : 1, 0.08);
            double next = h * fmin(repeated ? 1 : 5, fmax(0.2, factor));
            m->wanted = cut && !repeated ? fmax(next, m->wanted) : next;
            m->error = fmax(error, 1e-4);
            return accept(m, h, until, h >= room);
        }
        m->info.rejected++;
        h *= status || !isfinite(error) ? 0.1 : fmax(0.1, 0.9 * pow(error, -0.2));
    }
}

hml_status hml_motion_step(hml_motion *m, double until)
{
    if (!m || !isfinite(until) || !(until > m->t) || !isfinite(until - m->t)) return HML_INVALID_ARGUMENT;
    if (m->options.tolerance > 0) return adaptive_step(m, until);
    /*
     * Equal steps; the last one may be longer than the others by a millionth. A crumb instead would cost a symplectic
     * scheme its memory of the energy.
     */
    double room = until - m->t - m->rest, h = m->options.step, error;
    int last = room <= h * (1 + 1e-6);
    if (last) h = room;
    hml_status status = try_step(m, h, &error);
    return status ? status : accept(m, h, until, last);
}

/* ---- asking ---- */

double hml_motion_time(const hml_motion *m) { return m ? m->t : NAN; }
const double *hml_motion_position(const hml_motion *m) { return m ? m->q : NULL; }
const double *hml_motion_velocity(const hml_motion *m) { return m ? m->v : NULL; }

hml_status hml_motion_get_info(const hml_motion *m, hml_motion_info *info)
{
    if (!m || !info || !struct_is_writable(info, STRUCT_END(hml_motion_info, steps))) return HML_INVALID_ARGUMENT;
    struct_give(info, &m->info, sizeof m->info);
    return HML_OK;
}
