/* The inside of hml_work: a header, the paths of the plan, then scratch for the widest kernel it runs. */
#ifndef HML_ALGO_WORK_H
#define HML_ALGO_WORK_H

#include "hamel/work.h"
#include "kernel/call.h"
#include "kernel/table.h"

struct hml_work {
    const hml_model *model;
    const hml_kernels *pack;   /* batches */
    const hml_kernels *matrix; /* those of linearizations and M */
    const hml_kernels *scalar; /* single calls */
    const hml_kernels *lanes;  /* single calls, in lanes of bodies and columns */
    hml_isa isa;
    unsigned uses;
    plan_paths paths;
    void *scratch;       /* for either kernel */
    double *tree;        /* for models with mimic joints: q, v, tau of the tree and square matrices, see mimic.c */
    int owned;           /* made by hml_work_new */
    size_t first_failed; /* of the states it had in a parallel batch */
    hml_status failure;
};

/* are states better taken one by one, in batches too? */
static inline int hmli_work_is_long(const hml_work *work)
{
    return plan_is_long_for_packs(model_plan(work->model)) && work->lanes->linearize_single && !work->model->nfollowers;
}

/* a call with everything that does not change from state to state */
kernel_call hmli_work_call(const hml_work *work);

/* inverse dynamics of one state in the user's numbering, mimic joints or not */
void hmli_work_inverse_dynamics(const hml_work *work, const kernel_call *call);

/* is this a workspace of this model, made for these uses? */
hml_status hmli_work_check(const hml_model *model, const hml_work *work, unsigned uses);

/* the same for forward dynamics: it wants no paths, but mimic followers want M, which does */
hml_status hmli_work_check_forward(const hml_model *model, const hml_work *work);

/* are the numbers of a state finite and its quaternions unit within 1e-3? NULL arrays pass */
hml_status hmli_work_check_state(const hml_model *model, const double *q, const double *v, const double *tau,
                                 const double *wrenches);

#endif
