/*
 * Inverse and forward dynamics of one state, the mass matrix and its inverse, and derivatives of inverse dynamics: the
 * kernels behind hamel/dynamics.h.
 */
#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "hamel/dynamics.h"

static kernel_input input(const double *data)
{
    kernel_input k;
    k.data = data;
    k.stride = 0;
    return k;
}

static kernel_output output(double *data, size_t ld)
{
    kernel_output k;
    k.data = data;
    k.ld = ld;
    k.stride = 0;
    return k;
}

static inline void state_call(const hml_work *work, const double *q, const double *v, const double *wrenches,
                              kernel_call *call)
{
    work_call(work, call);
    call->q = input(q);
    call->v = input(v);
    call->wrenches = input(wrenches);
}

static size_t square(const hml_model *model) { return (size_t)model->nv * (size_t)model->nv; }

hml_status hml_inverse_dynamics(const hml_model *model, hml_work *work, const double *q, const double *v,
                                const double *a, const double *wrenches, double *tau)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !v || !tau) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, v, a, wrenches);
    if (status) return status;
    kernel_call call;
    state_call(work, q, v, wrenches, &call);
    call.a = input(a);
    call.torque = output(tau, 0);
    const unsigned before = overflow_watch();
    if (model->nfollowers)
        hmli_mimic_inverse_dynamics(work, &call);
    else
        work->choice.fallback->pack_inverse_dynamics(&call);
    return OVERFLOW_STATUS(before, {tau, (size_t)model->nv});
}

hml_status hml_forward_dynamics(const hml_model *model, hml_work *work, const double *q, const double *v,
                                const double *tau, const double *wrenches, double *a)
{
    if (hmli_work_check_forward(model, work) || !q || !v || !a) return HML_INVALID_ARGUMENT;
    return hmli_forward_dynamics(work, NULL, q, v, tau, wrenches, a);
}

hml_status hmli_forward_dynamics(const hml_work *work, const model_coordinate *coordinates, const double *q,
                                 const double *v, const double *tau, const double *wrenches, double *a)
{
    const hml_model *model = work->model;
    hml_status status = hmli_work_check_state(model, q, v, tau, wrenches);
    if (status) return status;
    kernel_call call;
    state_call(work, q, v, wrenches, &call);
    if (coordinates) call.coordinates = coordinates;
    call.tau = input(tau);
    call.acceleration = output(a, 0);
    const unsigned before = overflow_watch();
    unsigned failed = 0;
    if (model->nfollowers)
        failed = hmli_mimic_linearize(work, &call);
    else if (!work->choice.single->single_forward_dynamics || work->choice.single->single_forward_dynamics(&call))
        failed = work->choice.fallback->pack_forward_dynamics(&call);
    status = OVERFLOW_STATUS(before, {a, (size_t)model->nv});
    return failed ? HML_SINGULAR : status;
}

hml_status hml_mass_matrix(const hml_model *model, hml_work *work, const double *q, double *M)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !M) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, NULL, NULL, NULL);
    if (status) return status;
    kernel_call call;
    state_call(work, q, NULL, NULL, &call);
    call.M = output(M, (size_t)model->nv);
    const unsigned before = overflow_watch();
    if (model->nfollowers)
        hmli_mimic_inverse_dynamics(work, &call);
    else
        work->choice.fallback->pack_mass_matrix(&call);
    return OVERFLOW_STATUS(before, {M, square(model)});
}

hml_status hml_inverse_mass_matrix(const hml_model *model, hml_work *work, const double *q, double *Minv)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !Minv) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, NULL, NULL, NULL);
    if (status) return status;
    kernel_call call;
    state_call(work, q, NULL, NULL, &call);
    call.Minv = output(Minv, (size_t)model->nv);
    const unsigned before = overflow_watch();
    unsigned failed = 0;
    if (model->nfollowers)
        failed = hmli_mimic_linearize(work, &call);
    else if (!work->choice.single->single_inverse_mass_matrix || work->choice.single->single_inverse_mass_matrix(&call))
        failed = work->choice.fallback->pack_inverse_mass_matrix(&call);
    status = OVERFLOW_STATUS(before, {Minv, square(model)});
    return failed ? HML_SINGULAR : status;
}

hml_status hml_inverse_dynamics_derivatives(const hml_model *model, hml_work *work, const double *q, const double *v,
                                            const double *a, const double *wrenches, double *dtau_dq, double *dtau_dv,
                                            double *M)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !v) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, v, a, wrenches);
    if (status) return status;
    size_t nv = (size_t)model->nv;
    double *outputs[] = {dtau_dq, dtau_dv, M};
    for (size_t i = 0; i < 3; i++) {
        if (outputs[i]) memset(outputs[i], 0, nv * nv * sizeof(double));
    }
    kernel_call call;
    state_call(work, q, v, wrenches, &call);
    call.a = input(a);
    call.dtau_dq = output(dtau_dq, nv);
    call.dtau_dv = output(dtau_dv, nv);
    call.M = output(M, nv);
    const unsigned before = overflow_watch();
    const kernel_table *single = work->choice.single;
    if (model->nfollowers || !single->single_inverse_dynamics_derivatives ||
        single->single_inverse_dynamics_derivatives(&call))
        hmli_work_inverse_dynamics(work, &call);
    return OVERFLOW_STATUS(before, {dtau_dq, nv * nv}, {dtau_dv, nv * nv}, {M, nv * nv});
}
