/* All Jacobians at once, one state or many: kernel_kinematics.h behind hamel/jacobian.h. */
#include <math.h>

#include "algo/kernel_kinematics.h"
#include "algo/work.h"
#include "hamel/jacobian.h"

static kernel_output resolve(hml_output o, size_t rows, size_t columns)
{
    kernel_output k;
    k.data = o.data;
    k.ld = o.ld ? o.ld : columns;
    k.stride = o.stride ? o.stride : rows * k.ld;
    return k;
}

static kernel_output at_state(kernel_output o, size_t state)
{
    if (o.data) o.data += state * o.stride;
    return o;
}

static void fill_nan(kernel_output o, size_t rows, size_t columns)
{
    for (size_t r = 0; o.data && r < rows; r++) {
        for (size_t c = 0; c < columns; c++) o.data[r * o.ld + c] = NAN;
    }
}

/* `count` states from `first` on, through one pack of a kernel */
static hml_status run_pack(const hml_work *work, const hml_kernels *kernels, const hml_jacobian_columns *x,
                           size_t first, int count, hml_status *status)
{
    const hml_model *model = work->model;
    const size_t nv = (size_t)model->nv, poses = 16 * (size_t)model->nbodies;
    kernel_output H = at_state(resolve(x->H, 1, poses), first), J = at_state(resolve(x->J, 6, nv), first);
    jacobian_call call = {
        model_plan(model), work->scratch, count, {x->q.data + first * x->q.stride, x->q.stride}, H, J};
    hml_status worst = HML_OK;
    kernels->jacobians(&call);
    for (int l = 0; l < count; l++) {
        size_t s = first + (size_t)l;
        hml_status each = work_check_state(model, x->q.data + s * x->q.stride, NULL, NULL, NULL);
        if (each) {
            fill_nan(at_state(H, (size_t)l), 1, poses);
            fill_nan(at_state(J, (size_t)l), 6, nv);
        }
        if (status) status[s] = each;
        if (!worst) worst = each;
    }
    return worst;
}

static hml_status check(const hml_model *model, const hml_work *work, const hml_jacobian_columns *x)
{
    if (work_check(model, work, HML_USE_TREE) || !x || x->struct_size != sizeof *x || !x->q.data) {
        return HML_INVALID_ARGUMENT;
    }
    return model->nfollowers ? HML_UNSUPPORTED : HML_OK;
}

hml_status hml_jacobians(const hml_model *model, hml_work *work, const hml_jacobian_columns *arguments)
{
    hml_status status = check(model, work, arguments);
    return status ? status : run_pack(work, work->scalar, arguments, 0, 1, NULL);
}

hml_status hml_jacobians_batch(const hml_model *model, hml_work *work, size_t n, const hml_jacobian_columns *arguments,
                               hml_status *status)
{
    hml_status worst = check(model, work, arguments);
    if (worst) return worst;
    size_t lanes = (size_t)work->pack->lanes;
    for (size_t i = 0; i < n; i += lanes) {
        int count = (int)(n - i < lanes ? n - i : lanes);
        hml_status each = run_pack(work, work->pack, arguments, i, count, status);
        if (!worst) worst = each;
    }
    return worst;
}
