/* Workspaces: see hamel/work.h. */
#include "algo/work.h"

#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/kinematics/scratch.h"
#include "base/aligned.h"
#include "base/layout.h"
#include "kernel/scratch.h"
#include "model/coordinates.h"

typedef struct sections {
    hml_work *work;
    void *paths, *scratch;
    double *wide, *tree;
} sections;

/* from memory on, or only measured; returns the size in bytes */
static size_t lay_out(const hml_model *model, const kernel_choice *choice, unsigned uses, void *memory, sections *s)
{
    const hml_plan *plan = model_plan(model);
    const int factor = (uses & HML_USE_FACTOR) != 0;
    kinematics_scratch k;
    const size_t kernels = hmli_kernel_scratch_size(plan, choice, factor);
    const size_t plain = kinematics_scratch_lay(model, NULL, &k);
    layout_cursor c = layout_begin(memory);
    s->work = layout_take(&c, sizeof(hml_work));
    s->paths = layout_take(&c, factor ? hmli_paths_size(plan) : 0);
    s->scratch = layout_take(&c, kernels > plain ? kernels : plain);
    s->wide = layout_take(&c, hmli_single_precision_doubles(model, choice, factor) * sizeof(double));
    s->tree = layout_take(&c, hmli_mimic_scratch_size(model) * sizeof(double));
    return c.used;
}

/* the kernels of an instruction set for a model; 0: there are none */
static int choose(const hml_model *model, hml_isa isa, kernel_choice *choice)
{
    return model && hmli_kernel_choose(model_plan(model), model->nfollowers > 0, isa, choice);
}

size_t hml_work_size(const hml_model *model, hml_isa isa, unsigned uses)
{
    kernel_choice choice;
    sections s;
    return choose(model, isa, &choice) ? lay_out(model, &choice, uses, NULL, &s) : 0;
}

hml_status hml_work_init(void *memory, size_t size, const hml_model *model, hml_isa isa, unsigned uses, hml_work **work)
{
    kernel_choice choice;
    if (!memory || !work || (uintptr_t)memory % HML_WORK_ALIGN) return HML_INVALID_ARGUMENT;
    if (!choose(model, isa, &choice)) return HML_INVALID_ARGUMENT;
    sections s;
    if (size < lay_out(model, &choice, uses, NULL, &s)) return HML_INVALID_ARGUMENT;
    lay_out(model, &choice, uses, memory, &s);
    hml_work *w = s.work;
    memset(w, 0, sizeof *w);
    w->model = model;
    w->choice = choice;
    w->isa = isa == HML_ISA_BEST ? hml_isa_best() : isa;
    w->uses = uses;
    if (uses & HML_USE_FACTOR) hmli_paths_fill(model_plan(model), s.paths, &w->paths);
    w->scratch = s.scratch;
    w->wide = s.wide;
    w->tree = s.tree;
    *work = w;
    return HML_OK;
}

hml_status hml_work_new(const hml_model *model, hml_isa isa, unsigned uses, hml_work **work)
{
    size_t size = hml_work_size(model, isa, uses);
    void *memory = size ? aligned_new(HML_WORK_ALIGN, size) : NULL;
    if (!size || !work) return aligned_delete(memory), HML_INVALID_ARGUMENT;
    if (!memory) return HML_OUT_OF_MEMORY;
    hml_status status = hml_work_init(memory, size, model, isa, uses, work);
    if (status) return aligned_delete(memory), status;
    (*work)->owned = 1;
    return HML_OK;
}

void hml_work_free(hml_work *work)
{
    if (work && work->owned) aligned_delete(work);
}

hml_isa hml_work_isa(const hml_work *work) { return work ? work->isa : HML_ISA_BEST; }

kinematics_scratch hmli_work_kinematics(const hml_work *work)
{
    kinematics_scratch k;
    kinematics_scratch_lay(work->model, work->scratch, &k);
    return k;
}

kept_scratch hmli_work_kept(const hml_work *work)
{
    kept_scratch k;
    work->choice.fallback->kept_scratch(model_plan(work->model), work->scratch, &k);
    return k;
}

void hmli_work_inverse_dynamics(const hml_work *work, const kernel_call *call)
{
    if (work->model->nfollowers)
        hmli_mimic_inverse_dynamics(work, call);
    else
        work->choice.fallback->pack_inverse_dynamics_derivatives(call);
}

void hmli_work_torque_and_mass(const hml_work *work, const kernel_call *call)
{
    if (work->model->nfollowers) {
        hmli_mimic_torque_and_mass(work, call);
        return;
    }
    if (call->torque.data) work->choice.fallback->pack_inverse_dynamics(call);
    if (call->M.data) work->choice.fallback->pack_mass_matrix(call);
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
