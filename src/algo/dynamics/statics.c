/* What keeps a robot at rest, and its derivative by the configuration: hamel/dynamics.h. */
#include <string.h>

#include "algo/work.h"
#include "base/overflow.h"
#include "hamel/dynamics.h"

/* inverse dynamics at rest, and its derivative; either may be missing */
static hml_status at_rest(const hml_model *model, hml_work *work, const double *q, const double *wrenches, int passive,
                          double *tau, double *tau_q)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q) return HML_INVALID_ARGUMENT;
    const hml_status status = hmli_work_check_state(model, q, NULL, NULL, wrenches);
    if (status) return status;
    const size_t nv = (size_t)model->nv;
    kernel_call call;
    work_call(work, &call);
    call.q.data = q;
    call.wrenches.data = wrenches;
    call.passive = call.passive && passive;
    call.torque.data = tau;
    call.dtau_dq.data = tau_q, call.dtau_dq.ld = nv;
    if (tau_q) memset(tau_q, 0, nv * nv * sizeof(double));
    const unsigned before = overflow_watch();
    hmli_work_inverse_dynamics(work, &call);
    return OVERFLOW_STATUS(before, {tau, nv}, {tau_q, nv * nv});
}

hml_status hml_gravity_torque(const hml_model *model, hml_work *work, const double *q, double *gravity,
                              double *gravity_q)
{
    return at_rest(model, work, q, NULL, 0, gravity, gravity_q);
}

hml_status hml_static_torque(const hml_model *model, hml_work *work, const double *q, const double *wrenches,
                             double *tau, double *tau_q)
{
    return at_rest(model, work, q, wrenches, 1, tau, tau_q);
}
