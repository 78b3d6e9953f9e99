/* The inside of hml_work: a header, the paths of the plan, then scratch for the widest kernel it runs. */
#ifndef HML_ALGO_WORK_H
#define HML_ALGO_WORK_H

#include "hamel/work.h"
#include "kernel/call.h"
#include "kernel/dispatch.h"

struct hml_work {
    const hml_model *model;
    kernel_choice choice;
    hml_isa isa;
    unsigned uses;
    plan_paths paths;
    void *scratch;       /* for any of its kernels */
    double *wide;        /* of batches in single precision: one state, see single_precision.c */
    double *tree;        /* for models with mimic joints: q, v, tau of the tree and square matrices, see mimic.c */
    int owned;           /* made by hml_work_new */
    size_t first_failed; /* of the states it had in a parallel batch */
    hml_status failure;
};

struct kinematics_scratch;

/* what plain kinematics keep in the scratch (algo/kinematics/scratch.h) */
struct kinematics_scratch hmli_work_kinematics(const hml_work *work);

/* what the last call through choice.fallback has left in the scratch (kernel/scratch.h), where that object put it */
struct kept_scratch hmli_work_kept(const hml_work *work);

/*
 * A call with everything that does not change from state to state. Field by field and in place: an initializer clears
 * all of it, and a copy follows, by instructions for long strings: a tenth of the linearization of a pendulum.
 */
static inline void work_call(const hml_work *work, kernel_call *call)
{
    const kernel_input none = {NULL, 0};
    const kernel_output unwanted = {NULL, 0, 0};
    const hml_plan *plan = model_plan(work->model);
    call->plan = plan;
    call->paths = &work->paths;
    call->scratch = work->scratch;
    call->gravity = work->model->gravity;
    call->coordinates = plan_coordinates(plan);
    call->passive = plan->passive;
    call->long_chain = work->choice.long_chain;
    call->limbs = NULL;
    call->count = 1;
    call->q = call->v = call->tau = call->a = call->wrenches = none;
    call->acceleration = call->Dq = call->Dv = call->Minv = unwanted;
    call->torque = call->dtau_dq = call->dtau_dv = call->M = unwanted;
}

#if !defined NUM_SINGLE
/* inverse dynamics of one state in the user's numbering, mimic joints or not */
void hmli_work_inverse_dynamics(const hml_work *work, const kernel_call *call);

/* its torque and M alone, if wanted, by the kernels that do no more: nothing is left in the scratch to be read */
void hmli_work_torque_and_mass(const hml_work *work, const kernel_call *call);

/* ½ k log² over all springs of the model; q is the user's */
double hmli_spring_energy(const hml_work *work, const double *q);
#endif

/* doubles of hml_work.wide */
size_t hmli_single_precision_doubles(const hml_model *model, const kernel_choice *choice, int factor);

/*
 * Forward dynamics of one state, of arguments that are known to be good. coordinates: tree_nv, armature, damping and
 * springs in the place of the model's; NULL: the model's.
 */
hml_status hmli_forward_dynamics(const hml_work *work, const model_coordinate *coordinates, const double *q,
                                 const double *v, const double *tau, const double *wrenches, double *a);

/* is this a workspace of this model, made for these uses? */
hml_status hmli_work_check(const hml_model *model, const hml_work *work, unsigned uses);

/* the same for forward dynamics: it wants no paths, but mimic followers want M, which does */
hml_status hmli_work_check_forward(const hml_model *model, const hml_work *work);

/* are the numbers of a state finite and its quaternions unit within 1e-3? NULL arrays pass */
hml_status hmli_work_check_state(const hml_model *model, const double *q, const double *v, const double *tau,
                                 const double *wrenches);

#endif
