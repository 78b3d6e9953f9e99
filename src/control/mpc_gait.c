/* What is held when, and whether the problem can be solved under the holds of each slot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/mpc.h"

void hmli_gait_free(mpc_gait *g)
{
    free(g->phases);
    free(g->terms);
    free(g->ends);
    *g = (mpc_gait){0};
}

size_t hmli_gait_slot(const mpc_gait *g, double time, double *seconds)
{
    if (!g->ends) return 0;
    const double period = g->ends[g->nslots - 1], since = time - g->begin;
    const double phase = since - period * floor(since / period);
    size_t i = 0;
    while (i + 1 < g->nslots && phase >= g->ends[i]) i++;
    if (seconds) *seconds = g->ends[i] - phase;
    return i;
}

/* a term where nothing that it speaks of is held: one that costs nothing and is always valid */
static hml_term absent(const hml_term *t)
{
    return (hml_term){.name = t->name, .kind = HML_TERM_VELOCITY, .first = t->first, .last = t->last};
}

/* rows of forces and cones by the hold of their frame in this slot; how they are told apart later: hold and rows */
static void resolve(const hml_problem *p, const hml_constraints *holds, hml_term *all, hml_term *here)
{
    for (size_t i = 0; i < p->nterms; i++) {
        here[i] = p->terms[i];
        if (!hmli_term_needs_force(&here[i])) continue;
        here[i].hold = hmli_hold_of_frame(holds, here[i].frame);
        if (here[i].hold < 0) {
            here[i] = absent(&p->terms[i]);
            continue;
        }
        size_t rows;
        (void)hmli_hold_row(holds, here[i].hold, &rows);
        here[i].rows = all[i].kind == HML_TERM_FORCE && all[i].rows ? all[i].rows : 0; /* the same in all slots */
        if (all[i].kind == HML_TERM_FORCE) all[i].rows = rows;
        all[i].hold = 0; /* seen */
    }
}

/* the problem under the holds of each slot; messages about its phase are about the slot */
static hml_status check_slots(mpc_gait *g, const hml_problem *p, hml_term *here, hml_error *error)
{
    for (size_t i = 0; i < g->nslots; i++) {
        hml_error found = {0};
        const hml_phase phase = g->phases[i];
        hml_problem one = *p;
        one.phases = &phase, one.terms = here;
        resolve(p, phase.holds, g->terms, here);
        const hml_status status = hml_problem_check(&one, &found);
        if (!status) continue;
        static const char place[] = "/phases/0";
        if (!strncmp(found.message, place, sizeof place - 1))
            return hmli_problem_fault(error, status, "/gait/%zu%s", i, found.message + sizeof place - 1);
        return hmli_problem_fault(error, status, "%s", found.message);
    }
    for (size_t i = 0; i < p->nterms; i++) {
        if (hmli_term_needs_force(&g->terms[i]) && g->terms[i].hold < 0)
            return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/terms/%zu/frame: no slot of the gait holds it", i);
    }
    return HML_OK;
}

static hml_status fill(mpc_gait *g, const hml_problem *p, const hml_mpc_settings *x, hml_error *error)
{
    double end = 0;
    for (size_t i = 0; i < g->nslots; i++) {
        const hml_gait_slot *slot = &x->gait[i];
        if (!(slot->seconds > 0) || !isfinite(slot->seconds))
            return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/gait/%zu/seconds: must be above 0", i);
        g->ends[i] = end += slot->seconds;
        g->phases[i] = p->phases[0];
        g->phases[i].holds = slot->holds;
    }
    g->begin = x->begin;
    for (size_t i = 0; i < p->nterms; i++) {
        g->terms[i] = p->terms[i];
        if (hmli_term_needs_force(&g->terms[i])) g->terms[i].hold = -1, g->terms[i].rows = 0;
    }
    hml_term *here = calloc(p->nterms + 1, sizeof *here);
    if (!here) return hmli_problem_fault(error, HML_OUT_OF_MEMORY, "/: out of memory");
    const hml_status status = check_slots(g, p, here, error);
    free(here);
    return status;
}

/* without a gait: the problem as it is, of which forces name their holds by number; here by frame, as everywhere */
static hml_status fill_plain(mpc_gait *g, const hml_problem *p, hml_error *error)
{
    const hml_status status = hml_problem_check(p, error);
    if (status) return status;
    g->phases[0] = p->phases[0];
    for (size_t i = 0; i < p->nterms; i++) {
        hml_term *t = &g->terms[i];
        *t = p->terms[i];
        if (!hmli_term_needs_force(t)) continue;
        t->frame = p->phases->holds->items[t->hold].frame;
        if (hmli_hold_of_frame(p->phases->holds, t->frame) < 0)
            return hmli_problem_fault(error, HML_UNSUPPORTED, "/terms/%zu/hold: its frame is held twice", i);
    }
    return HML_OK;
}

hml_status hmli_gait_init(mpc_gait *g, const hml_problem *p, const hml_mpc_settings *settings, hml_error *error)
{
    if (!p->model || !p->phases || p->nphases != 1 || p->phases->impact)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/phases: a window is one phase, and not an impact");
    if ((p->nterms && !p->terms) || p->nterms > PROBLEM_MOST || settings->nslots > PROBLEM_MOST ||
        !isfinite(settings->begin))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/: terms or slots are missing, or too many");
    if (settings->gait && (settings->nslots < 1 || p->phases->holds))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT,
                                  "/gait: it needs a slot, and its slots have the holds, not the phase");
    g->nslots = settings->gait ? settings->nslots : 1;
    g->phases = calloc(g->nslots, sizeof *g->phases);
    g->terms = calloc(p->nterms + 1, sizeof *g->terms);
    g->ends = settings->gait ? calloc(g->nslots, sizeof *g->ends) : NULL;
    if (!g->phases || !g->terms || (settings->gait && !g->ends))
        return hmli_problem_fault(error, HML_OUT_OF_MEMORY, "/: out of memory");
    g->problem = *p;
    g->problem.phases = g->phases, g->problem.nphases = g->nslots, g->problem.terms = g->terms;
    return settings->gait ? fill(g, p, settings, error) : fill_plain(g, p, error);
}
