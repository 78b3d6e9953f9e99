/* The solver's memory: one block, laid out once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "base/struct_size.h"
#include "control/shooting.h"
#include "group/joint.h"
#include "hamel/configuration.h"

/* ---- sizes ---- */

static double *doubles(layout_cursor *c, size_t count)
{
    return layout_take(c, count < SIZE_MAX / sizeof(double) ? count * sizeof(double) : SIZE_MAX);
}

static size_t chunks_of(const hml_problem *p)
{
    size_t count = 1; /* the end */
    for (size_t i = 0; i < p->nphases; i++) count += (p->phases[i].knots + CHUNK - 1) / CHUNK;
    return count;
}

static size_t curved_of(const hml_model *model, curved_joint *all, int *types)
{
    size_t count = 0;
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        if (hml_model_joint(model, i, &j) || j.v < 0 || joint_commutes((int)j.type)) continue;
        if (all) all[count] = (curved_joint){(size_t)j.v, (size_t)j.nv}, types[count] = (int)j.type;
        count++;
    }
    return count;
}

static void measure(hml_solver *s)
{
    const hml_problem *p = &s->problem;
    s->model = p->model;
    s->N = s->sliding ? p->phases[0].knots : (size_t)hml_problem_knots(p);
    s->n = (size_t)hml_model_nv(s->model);
    s->nq = (size_t)hml_model_nq(s->model);
    s->m = hmli_problem_columns(p, NULL);
    s->nchunks = s->sliding ? s->N + 1 : chunks_of(p); /* of a gait: at most */
    s->nlimited = hmli_limited_coordinates(s->model, NULL);
    for (size_t i = 0; i < p->nphases; i++) {
        const size_t rows = hmli_phase_forces(&p->phases[i]);
        if (rows > s->forces) s->forces = rows;
    }
    s->rows = 1;
    for (size_t i = 0; i < p->nterms; i++) {
        const size_t rows = hmli_term_rows(p, &p->terms[i]);
        if (rows > s->rows) s->rows = rows;
        if (p->terms[i].role == HML_ROLE_CONSTRAINT) s->constrained = 1;
        s->nuses += p->terms[i].last - p->terms[i].first + 1;
    }
    s->with_bounds = p->lower.data || p->upper.data;
    s->size = (backward_size){.n = s->n,
                              .m = s->m,
                              .ld = product_pad(2 * s->n + s->m + 1),
                              .ldx = product_pad(2 * s->n),
                              .curved = curved_of(s->model, NULL, NULL)};
}

static size_t scratch_of(const hml_solver *s)
{
    size_t most = hml_step_scratch_doubles(s->model);
    for (size_t i = 0; i < s->problem.nphases; i++) {
        const hml_constraints *holds = s->problem.phases[i].holds;
        const size_t more = holds ? hml_constraint_scratch_doubles(s->model, holds) : 0;
        if (more > most) most = more;
    }
    return most;
}

static int has_stages(const hml_solver *s)
{
    for (size_t i = 0; i < s->problem.nphases; i++)
        if (hmli_phase_has_stages(&s->problem.phases[i])) return 1;
    return 0;
}

/* ---- places ---- */

static void place_motion(const hml_solver *s, layout_cursor *c, shooting_motion *x)
{
    const size_t N = s->N;
    x->q = doubles(c, (N + 1) * s->nq);
    x->v = doubles(c, (N + 1) * s->n);
    x->u = doubles(c, N * s->m);
    x->tau = doubles(c, N * s->n);
    x->lambda = doubles(c, N * s->forces);
    x->q_next = doubles(c, N * s->nq);
    x->v_next = doubles(c, N * s->n);
    x->cost = doubles(c, N + 1);
    x->merit = doubles(c, N + 1);
    x->violation = doubles(c, N + 1);
    x->worst = layout_take(c, (N + 1) * sizeof *x->worst);
}

static void place_worker(const hml_solver *s, size_t scratch, layout_cursor *c, shooting_worker *w)
{
    const size_t n = s->n, forces = CHUNK * s->forces;
    shooting_worker here = *w;
    here.scratch = doubles(c, scratch);
    here.Ad = doubles(c, CHUNK * 4 * n * n);
    here.Bd = doubles(c, CHUNK * 2 * n * n);
    here.Dq = doubles(c, CHUNK * n * n);
    here.Dv = doubles(c, CHUNK * n * n);
    here.Dtau = doubles(c, CHUNK * n * n);
    here.a = doubles(c, CHUNK * n);
    here.force_q = doubles(c, forces * n);
    here.force_v = doubles(c, forces * n);
    here.force_tau = doubles(c, forces * n);
    here.force_u = doubles(c, forces * s->m);
    here.r = doubles(c, s->rows);
    here.g = doubles(c, s->rows);
    here.c = doubles(c, s->rows);
    here.J = doubles(c, (s->rows > 6 ? s->rows : 6) * s->size.ld);
    here.frame = doubles(c, 6 * n);
    here.frame2 = doubles(c, 6 * n);
    here.own_x = doubles(c, s->rows * 2 * n);
    here.own_u = doubles(c, s->rows * s->m);
    if (has_stages(s)) {
        void *stages = layout_take(c, hmli_stages_lay_out(&s->size, s->nq, NULL, &here.stages));
        if (stages) (void)hmli_stages_lay_out(&s->size, s->nq, stages, &here.stages);
    }
    *w = here;
}

static void place_term(const hml_solver *s, layout_cursor *c, const hml_term *t, shooting_term *x)
{
    const size_t rows = hmli_term_rows(&s->problem, t);
    shooting_term here = {.rows = rows};
    here.multipliers = doubles(c, t->role == HML_ROLE_CONSTRAINT ? rows * (t->last - t->first + 1) : 0);
    here.guard = doubles(c, t->role == HML_ROLE_CONSTRAINT ? rows * (t->last - t->first + 1) : 0);
    here.lower = doubles(c, rows);
    here.upper = doubles(c, rows);
    here.cone = t->kind == HML_TERM_CONE ? doubles(c, 3 * rows) : NULL;
    if (t->kind == HML_TERM_OWN && t->knots_function) {
        const size_t all = rows * (t->last - t->first + 1);
        here.all_r = doubles(c, all);
        here.all_x = doubles(c, all * 2 * s->n);
        here.all_u = doubles(c, all * s->m);
    }
    *x = here;
}

static void place_knots(hml_solver *s, layout_cursor *c)
{
    const size_t N = s->N, n = s->n, m = s->m, blocks = N * s->size.curved * BLOCK_MOST;
    s->F = doubles(c, N * n * s->size.ld);
    s->D = has_stages(s) ? doubles(c, N * n * s->size.ld) : NULL;
    s->E = doubles(c, blocks);
    s->H = doubles(c, blocks);
    s->gap = doubles(c, N * 2 * n);
    s->lx = doubles(c, (N + 1) * 2 * n);
    s->lxx = doubles(c, (N + 1) * 2 * n * s->size.ldx);
    s->lu = doubles(c, N * m * s->size.ld);
    s->K = doubles(c, N * m * 2 * n);
    s->k = doubles(c, N * m);
    s->lower = doubles(c, m);
    s->upper = doubles(c, m);
    s->z = doubles(c, 2 * n);
    s->z_next = doubles(c, 2 * n);
    s->w = doubles(c, m);
    s->neutral = doubles(c, s->nq);
    s->start_q = doubles(c, s->nq);
    s->start_v = doubles(c, n);
    s->time = doubles(c, N + 1);
}

static size_t place(hml_solver *s, void *memory)
{
    layout_cursor c = layout_begin(memory);
    shooting_term unused;
    shooting_worker idle = {0};
    const size_t scratch = scratch_of(s);
    s->curved = layout_take(&c, s->size.curved * sizeof *s->curved);
    s->curved_types = layout_take(&c, s->size.curved * sizeof *s->curved_types);
    s->columns = layout_take(&c, s->m * sizeof *s->columns);
    s->limited = layout_take(&c, s->nlimited * sizeof *s->limited);
    s->chunks = layout_take(&c, s->nchunks * sizeof *s->chunks);
    s->statuses = layout_take(&c, s->nchunks * sizeof *s->statuses);
    s->phase_of = layout_take(&c, (s->N + 1) * sizeof *s->phase_of);
    s->first_of = layout_take(&c, (s->N + 2) * sizeof *s->first_of);
    s->term_of = layout_take(&c, s->nuses * sizeof *s->term_of);
    s->terms = layout_take(&c, s->problem.nterms * sizeof *s->terms);
    s->hold_of = layout_take(&c, s->problem.nterms * s->problem.nphases * sizeof *s->hold_of);
    s->workers = layout_take(&c, s->nworkers * sizeof *s->workers);
    place_knots(s, &c);
    place_motion(s, &c, &s->now);
    place_motion(s, &c, &s->trial);
    for (size_t i = 0; i < s->problem.nterms; i++)
        place_term(s, &c, &s->problem.terms[i], memory ? &s->terms[i] : &unused);
    for (size_t i = 0; i < s->nworkers; i++) place_worker(s, scratch, &c, memory ? &s->workers[i] : &idle);
    s->size.joints = s->curved;
    void *space = layout_take(&c, hmli_backward_lay_out(&s->size, NULL, &s->space));
    if (space) (void)hmli_backward_lay_out(&s->size, space, &s->space);
    return c.used;
}

/* ---- contents ---- */

/* (±t − friction n), facets of them, and n; t around n */
static void fill_cone(const hml_term *t, shooting_term *x)
{
    const int32_t facets = t->facets ? t->facets : 4;
    const double size = sqrt(t->normal[0] * t->normal[0] + t->normal[1] * t->normal[1] + t->normal[2] * t->normal[2]);
    double n[3] = {0, 0, 1}, a[3] = {1, 0, 0}, b[3];
    for (int i = 0; size > 0 && i < 3; i++) n[i] = t->normal[i] / size;
    if (fabs(n[0]) > 0.9) a[0] = 0, a[1] = 1;
    const double along = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
    for (int i = 0; i < 3; i++) a[i] -= along * n[i];
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) a[i] /= length;
    for (int i = 0; i < 3; i++) b[i] = n[(i + 1) % 3] * a[(i + 2) % 3] - n[(i + 2) % 3] * a[(i + 1) % 3];
    for (int32_t k = 0; k < facets; k++) {
        const int32_t pair = k / 2; /* t and −t */
        const double angle = 2 * acos(-1) * pair / facets, sign = k % 2 ? -1 : 1;
        for (int i = 0; i < 3; i++)
            x->cone[3 * k + i] = sign * (cos(angle) * a[i] + sin(angle) * b[i]) - t->friction * n[i];
        x->lower[k] = -INFINITY, x->upper[k] = 0;
    }
    memcpy(x->cone + 3 * facets, n, sizeof n);
    x->lower[facets] = 0, x->upper[facets] = INFINITY;
}

static void fill_term(const hml_solver *s, const hml_term *t, shooting_term *x)
{
    for (size_t i = 0; i < x->rows; i++) {
        x->lower[i] = t->lower ? t->lower[i] : t->upper ? -INFINITY : 0;
        x->upper[i] = t->upper ? t->upper[i] : t->lower ? INFINITY : 0;
        if (t->kind == HML_TERM_LIMITS) x->lower[i] = s->limited[i].lower, x->upper[i] = s->limited[i].upper;
    }
    if (t->kind == HML_TERM_CONE) fill_cone(t, x);
}

/* the terms of each knot, in their order */
static void list_terms(hml_solver *s)
{
    const hml_problem *p = &s->problem;
    size_t *next = s->first_of + 1; /* moves on as the list is filled; then it is where the next knot begins */
    for (size_t i = 0; i < p->nterms; i++)
        for (size_t k = p->terms[i].first; k <= p->terms[i].last; k++)
            if (k < s->N) next[k + 1]++;
    for (size_t k = 1; k <= s->N; k++) next[k] += next[k - 1];
    for (size_t i = 0; i < p->nterms; i++)
        for (size_t k = p->terms[i].first; k <= p->terms[i].last; k++) s->term_of[next[k]++] = i;
}

/* where a term of forces finds its hold: of a gait by the frame that is held, else by number */
static void find_holds(hml_solver *s)
{
    const hml_problem *p = &s->problem;
    for (size_t i = 0; i < p->nterms; i++) {
        for (size_t k = 0; hmli_term_needs_force(&p->terms[i]) && k < p->nphases; k++) {
            int32_t *hold = &s->hold_of[i * p->nphases + k];
            *hold = s->sliding ? hmli_hold_of_frame(p->phases[k].holds, p->terms[i].frame) : p->terms[i].hold;
        }
    }
}

static void fill(hml_solver *s)
{
    const hml_problem *p = &s->problem;
    size_t knot = 0;
    (void)curved_of(s->model, s->curved, s->curved_types);
    (void)hmli_problem_columns(p, s->columns);
    (void)hmli_limited_coordinates(s->model, s->limited);
    (void)hml_configuration_neutral(s->model, s->neutral);
    for (size_t i = 0; i < p->nterms; i++) fill_term(s, &p->terms[i], &s->terms[i]);
    list_terms(s);
    find_holds(s);
    for (size_t i = 0; knot < s->N; i++) {
        const hml_phase *x = &p->phases[i];
        for (size_t k = 0; k < x->knots; k++, knot++) {
            s->phase_of[knot] = i;
            s->time[knot + 1] = s->time[knot] + (x->impact ? 0 : x->h);
        }
    }
    s->phase_of[s->N] = p->nphases;
    hmli_shooting_schedule(s);
}

/* ---- the public functions ---- */

static hml_status open(hml_solver *s, hml_isa isa)
{
    s->memory = calloc(1, place(s, NULL) + LAYOUT_ALIGN);
    if (!s->memory) return HML_OUT_OF_MEMORY;
    (void)place(s, (char *)s->memory + (LAYOUT_ALIGN - (uintptr_t)s->memory % LAYOUT_ALIGN) % LAYOUT_ALIGN);
    s->size.products = hmli_products(isa);
    fill(s);
    for (size_t i = 0; i < s->nworkers; i++) {
        const hml_status status = hml_work_new(s->model, isa, HML_USE_ALL, &s->workers[i].work);
        if (status) return status;
    }
    return hml_solver_start(s, s->problem.q, s->problem.v);
}

hml_status hmli_shooting_new(const hml_problem *problem, const hml_solver_settings *settings, int sliding,
                             hml_solver **solver, hml_error *error)
{
    hml_solver_settings room, defaults = {.struct_size = sizeof defaults};
    const hml_solver_settings *x =
        settings ? STRUCT_TAKE(hml_solver_settings, settings, &room, struct_size) : &defaults;
    if (!x || x->workers > 1024 || (x->isa != HML_ISA_BEST && !hml_isa_available(x->isa)))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/: the solver's settings are invalid");
    hml_solver *s = calloc(1, sizeof *s);
    if (!s) return hmli_problem_fault(error, HML_OUT_OF_MEMORY, "/: out of memory");
    s->problem = *problem;
    s->sliding = sliding;
    s->nworkers = x->workers ? x->workers : 1;
    measure(s);
    const hml_status status = open(s, x->isa);
    if (status) {
        hml_solver_free(s);
        return hmli_problem_fault(error, status, "/: %s", hml_status_message(status));
    }
    hmli_shooting_stay(s);
    *solver = s;
    return HML_OK;
}

hml_status hml_solver_new(const hml_problem *problem, const hml_solver_settings *settings, hml_solver **solver,
                          hml_error *error)
{
    hml_problem room;
    if (!solver) return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/: nowhere to put the solver");
    *solver = NULL;
    const hml_status status = hml_problem_check(problem, error);
    if (status) return status;
    return hmli_shooting_new(STRUCT_TAKE(hml_problem, problem, &room, v), settings, 0, solver, error);
}

void hml_solver_free(hml_solver *s)
{
    if (!s) return;
    for (size_t i = 0; s->memory && i < s->nworkers; i++) hml_work_free(s->workers[i].work);
    free(s->memory);
    free(s);
}
