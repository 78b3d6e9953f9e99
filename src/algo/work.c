/* Workspaces: see hamel/work.h. */
#include "algo/work.h"

#include <stdlib.h>
#include <string.h>

#include "algo/dynamics/mimic.h"
#include "model/coordinates.h"

static size_t aligned(size_t n) { return (n + HML_WORK_ALIGN - 1) / HML_WORK_ALIGN * HML_WORK_ALIGN; }

typedef struct sections {
    size_t paths, scratch, tree, size; /* offsets */
} sections;

/* the tables that a workspace of an instruction set runs for a model; 0: there are none */
static int choose(hml_work *w, const hml_model *model, hml_isa isa)
{
    const hml_kernels *narrow = hmli_kernels_single_lanes(isa);
    w->model = model;
    w->pack = hmli_kernels_get(isa);
    w->scalar = hmli_kernels_single(isa);
    if (!model || !w->pack) return 0;
    w->lanes = plan_is_long(model_plan(model)) ? w->pack : narrow; /* there the widest registers are full */
    w->matrix = plan_is_large(model_plan(model)) ? narrow : w->pack;
    return 1;
}

/* for any of its kernels; without HML_USE_FACTOR what grows with columns times depth is left out */
static size_t scratch_size(const hml_work *w, unsigned uses)
{
    const struct {
        const hml_kernels *table;
        int linearizes; /* packs */
    } all[4] = {{w->pack, 0}, {w->lanes, 0}, {w->matrix, !hmli_work_is_long(w)}, {w->scalar, 1}};
    hml_plan plan = *model_plan(w->model);
    size_t size = 0;
    if (!(uses & HML_USE_FACTOR)) plan.depth = 0;
    for (int i = 0; i < 4; i++) {
        const size_t each = all[i].table->scratch_size(&plan, all[i].linearizes);
        if (each > size) size = each;
    }
    return size;
}

static sections lay_out(const hml_work *w, unsigned uses)
{
    const hml_model *model = w->model;
    sections s;
    s.paths = aligned(sizeof(hml_work));
    s.scratch = s.paths + aligned(uses & HML_USE_FACTOR ? hmli_paths_size(model_plan(model)) : 0);
    s.tree = s.scratch + aligned(scratch_size(w, uses));
    s.size = s.tree + aligned(hmli_mimic_scratch_size(model) * sizeof(double));
    return s;
}

size_t hml_work_size(const hml_model *model, hml_isa isa, unsigned uses)
{
    hml_work w = {0};
    return choose(&w, model, isa) ? lay_out(&w, uses).size : 0;
}

hml_status hml_work_init(void *memory, size_t size, const hml_model *model, hml_isa isa, unsigned uses, hml_work **work)
{
    hml_work tables = {0};
    if (!memory || !work || (uintptr_t)memory % HML_WORK_ALIGN) return HML_INVALID_ARGUMENT;
    if (!choose(&tables, model, isa)) return HML_INVALID_ARGUMENT;
    const sections s = lay_out(&tables, uses);
    if (size < s.size) return HML_INVALID_ARGUMENT;
    hml_work *w = memory;
    *w = tables;
    w->isa = isa == HML_ISA_BEST ? hml_isa_best() : isa;
    w->uses = uses;
    if (uses & HML_USE_FACTOR) hmli_paths_fill(model_plan(model), (char *)memory + s.paths, &w->paths);
    w->scratch = (char *)memory + s.scratch;
    w->tree = (double *)(void *)((char *)memory + s.tree);
    *work = w;
    return HML_OK;
}

hml_status hml_work_new(const hml_model *model, hml_isa isa, unsigned uses, hml_work **work)
{
    size_t size = hml_work_size(model, isa, uses);
    void *memory = size ? aligned_alloc(HML_WORK_ALIGN, size) : NULL;
    if (!size || !work) return free(memory), HML_INVALID_ARGUMENT;
    if (!memory) return HML_OUT_OF_MEMORY;
    hml_status status = hml_work_init(memory, size, model, isa, uses, work);
    if (status) return free(memory), status;
    (*work)->owned = 1;
    return HML_OK;
}

void hml_work_free(hml_work *work)
{
    if (work && work->owned) free(work);
}

hml_isa hml_work_isa(const hml_work *work) { return work ? work->isa : HML_ISA_BEST; }

kernel_call hmli_work_call(const hml_work *work)
{
    kernel_call call;
    memset(&call, 0, sizeof call);
    call.plan = model_plan(work->model);
    call.paths = &work->paths;
    call.scratch = work->scratch;
    call.gravity = work->model->gravity;
    call.passive = call.plan->passive;
    call.count = 1;
    return call;
}

void hmli_work_inverse_dynamics(const hml_work *work, const kernel_call *call)
{
    if (work->model->nfollowers)
        hmli_mimic_inverse_dynamics(work, call);
    else
        work->scalar->inverse_dynamics_derivatives(call);
}

hml_status hmli_work_check(const hml_model *model, const hml_work *work, unsigned uses)
{
    return model && work && work->model == model && (work->uses & uses) == uses ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hmli_work_check_forward(const hml_model *model, const hml_work *work)
{
    return hmli_work_check(model, work, model && model->nfollowers ? HML_USE_FACTOR : HML_USE_TREE);
}

static hml_status finite(const double *x, int32_t n) { return x ? finite_numbers(x, n) : HML_OK; }

hml_status hmli_work_check_state(const hml_model *model, const double *q, const double *v, const double *tau,
                                 const double *wrenches)
{
    if (finite(v, model->nv) || finite(tau, model->nv) || finite(wrenches, 6 * model->nbodies)) return HML_NOT_FINITE;
    return configuration_status(model, q);
}
