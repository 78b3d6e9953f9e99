/*
 * hml_linearize and its batch: inputs checked, packs of states through the kernel, A and B put around its blocks.
 *
 *   A = [ −ad_ν  I ; D_q  D_ν ]      B = [ 0 ; M⁻¹ ]
 *
 * D_q, D_ν and M⁻¹ are written straight into A and B where those are wanted and they are not.
 */
#include "hamel/linearize.h"
#include "hamel/dynamics.h"

#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "group/joint.h"

/* what a kernel writes, and what is left to do around it */
typedef struct outputs {
    kernel_output acceleration, Dq, Dv, Minv; /* where the kernel writes */
    kernel_output A, B;
    int copy_Dq, copy_Dv, copy_Minv; /* 1: the kernel wrote elsewhere, copy its block into A or B */
} outputs;

static kernel_output block(kernel_output whole, size_t row, size_t column)
{
    if (whole.data) whole.data += row * whole.ld + column;
    return whole;
}

static outputs resolve_all(const hml_linearization *x, size_t nv)
{
    outputs o;
    o.acceleration = states_output(x->acceleration, 1, nv);
    o.Dq = states_output(x->Dq, nv, nv);
    o.Dv = states_output(x->Dv, nv, nv);
    o.Minv = states_output(x->Minv, nv, nv);
    o.A = states_output(x->A, 2 * nv, 2 * nv);
    o.B = states_output(x->B, 2 * nv, nv);
    o.copy_Dq = o.Dq.data && o.A.data;
    o.copy_Dv = o.Dv.data && o.A.data;
    o.copy_Minv = o.Minv.data && o.B.data;
    if (!o.Dq.data) o.Dq = block(o.A, nv, 0);
    if (!o.Dv.data) o.Dv = block(o.A, nv, nv);
    if (!o.Minv.data) o.Minv = block(o.B, nv, 0);
    return o;
}

static void copy_block(kernel_output from, kernel_output to, size_t n)
{
    for (size_t r = 0; r < n; r++) memcpy(to.data + r * to.ld, from.data + r * from.ld, n * sizeof(double));
}

/* zeros in the upper rows of a matrix */
static void clear_rows(kernel_output out, size_t rows, size_t columns)
{
    if (out.ld == columns) rows *= columns, columns = rows, rows = 1; /* at one go */
    for (size_t r = 0; r < rows; r++) memset(out.data + r * out.ld, 0, columns * sizeof(double));
}

/* the upper half of A, and the upper half of B */
static void fill_constants(const hml_model *model, const double *v, kernel_output A, kernel_output B)
{
    size_t nv = (size_t)model->nv;
    if (A.data) clear_rows(A, nv, 2 * nv);
    if (B.data) clear_rows(B, nv, nv);
    for (size_t r = 0; A.data && r < nv; r++) A.data[r * A.ld + nv + r] = 1;
    const model_joint *joints = model_joints(model);
    for (int32_t j = 0; A.data && j < model->njoints; j++) {
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        size_t first = (size_t)joints[j].v, m = (size_t)joints[j].nv;
        if (m < 3) continue; /* groups of fewer coordinates commute, and a universal joint is two of one */
        joint_ad(joints[j].type, &v[first], ad);
        for (size_t r = 0; r < m; r++) {
            for (size_t c = 0; c < m; c++) A.data[(first + r) * A.ld + first + c] = -ad[r * m + c];
        }
    }
}

/* everything around the kernel for one state that came out with the given status */
static void finish_state(const hml_model *model, const double *v, const outputs *o, size_t state, hml_status status)
{
    size_t nv = (size_t)model->nv;
    kernel_output A = output_at(o->A, state), B = output_at(o->B, state);
    kernel_output Dq = output_at(o->Dq, state), Dv = output_at(o->Dv, state), Minv = output_at(o->Minv, state);
    if (status) {
        output_fill_nan(output_at(o->acceleration, state), 1, nv);
        output_fill_nan(Dq, nv, nv);
        output_fill_nan(Dv, nv, nv);
        output_fill_nan(Minv, nv, nv);
        output_fill_nan(A, 2 * nv, 2 * nv);
        output_fill_nan(B, 2 * nv, nv);
        return;
    }
    fill_constants(model, v, A, B);
    if (o->copy_Dq) copy_block(Dq, block(A, nv, 0), nv);
    if (o->copy_Dv) copy_block(Dv, block(A, nv, nv), nv);
    if (o->copy_Minv) copy_block(Minv, block(B, nv, 0), nv);
}

/* are the results of a state numbers? */
static hml_status finite_state(const hml_model *model, const outputs *o, size_t state)
{
    const size_t nv = (size_t)model->nv;
    const kernel_output blocks[] = {o->Dq, o->Dv, o->Minv};
    const kernel_output a = output_at(o->acceleration, state);
    if (a.data && finite_array(a.data, nv)) return HML_NOT_FINITE;
    for (int k = 0; k < 3; k++) {
        const kernel_output D = output_at(blocks[k], state);
        for (size_t r = 0; D.data && r < nv; r++) {
            if (finite_array(D.data + r * D.ld, nv)) return HML_NOT_FINITE;
        }
    }
    return HML_OK;
}

/* one state, in lanes where that can be done */
static unsigned linearize_single(const hml_work *work, const kernel_call *call)
{
    if (work->choice.single->single_linearize && !work->choice.single->single_linearize(call)) return 0;
    return work->choice.fallback->pack_linearize(call);
}

/* `count` states from `first` on, through one pack of a kernel; or one state through the one for that */
static hml_status run_pack(const hml_work *work, int single, const hml_linearization *x, const outputs *o, size_t first,
                           int count, hml_status *status)
{
    const hml_model *model = work->model;
    hml_status worst = HML_OK;
    kernel_call call = hmli_work_call(work);
    unsigned failed;
    call.count = count;
    call.q = states_input(x->q, first);
    call.v = states_input(x->v, first);
    call.tau = states_input(x->tau, first);
    call.wrenches = states_input(x->wrenches, first);
    call.acceleration = output_at(o->acceleration, first);
    call.Dq = output_at(o->Dq, first);
    call.Dv = output_at(o->Dv, first);
    call.Minv = output_at(o->Minv, first);
    const unsigned before = overflow_watch();
    if (model->nfollowers)
        failed = hmli_mimic_linearize(work, &call);
    else
        failed = single ? linearize_single(work, &call) : work->choice.batch_matrices->pack_linearize(&call);
    const int overflow = overflow_seen(before);
    if (!failed && !overflow && !model->nfollowers && !x->wrenches.data && !o->A.data &&
        !o->B.data) { /* nothing is left to do */
        for (int l = 0; l < count && status; l++) status[first + (size_t)l] = HML_OK;
        return HML_OK;
    }
    for (int l = 0; l < count; l++) {
        size_t s = first + (size_t)l;
        const double *v = input_at(x->v, s);
        hml_status each = HML_OK;
        if (model->nfollowers || x->wrenches.data || (failed >> l & 1)) { /* the kernel saw that something is wrong */
            each = hmli_work_check_state(model, input_at(x->q, s), v, input_at(x->tau, s), input_at(x->wrenches, s));
            if (!each && (failed >> l & 1)) each = HML_SINGULAR;
        }
        if (!each && overflow) each = finite_state(model, o, s);
        finish_state(model, v, o, s, each);
        if (status) status[s] = each;
        if (!worst) worst = each;
    }
    return worst;
}

static int valid(const hml_model *model, const hml_linearization *x)
{
    const size_t nv = (size_t)model->nv;
    return x && x->struct_size == sizeof *x && x->q.data && x->v.data && output_fits(x->acceleration, nv) &&
           output_fits(x->Dq, nv) && output_fits(x->Dv, nv) && output_fits(x->Minv, nv) && output_fits(x->A, 2 * nv) &&
           output_fits(x->B, nv);
}

hml_status hml_linearize(const hml_model *model, hml_work *work, const hml_linearization *arguments)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !valid(model, arguments)) return HML_INVALID_ARGUMENT;
    outputs o = resolve_all(arguments, (size_t)model->nv);
    return run_pack(work, 1, arguments, &o, 0, 1, NULL);
}

hml_status hml_linearize_batch(const hml_model *model, hml_work *work, size_t n, const hml_linearization *arguments,
                               hml_status *status)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !valid(model, arguments)) return HML_INVALID_ARGUMENT;
    outputs o = resolve_all(arguments, (size_t)model->nv);
    const int single = work->choice.one_by_one;
    size_t lanes = model->nfollowers || single ? 1 : (size_t)work->choice.batch_matrices->lanes;
    hml_status worst = HML_OK;
    for (size_t i = 0; i < n; i += lanes) {
        int count = (int)(n - i < lanes ? n - i : lanes);
        hml_status each = run_pack(work, single, arguments, &o, i, count, status);
        if (!worst) worst = each;
    }
    return worst;
}

hml_status hml_inverse_mass_derivative(const hml_model *model, hml_work *work, const double *q, const double *b,
                                       double *D)
{
    static const double weightless[3] = {0, 0, 0};
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !b || !D) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, NULL, b, NULL);
    if (status) return status;
    kernel_call call = hmli_work_call(work);
    call.gravity = weightless;
    call.passive = 0;
    call.q.data = q;
    call.tau.data = b;
    call.Dq.data = D;
    call.Dq.ld = (size_t)model->nv;
    const unsigned before = overflow_watch();
    unsigned failed =
        model->nfollowers ? hmli_mimic_linearize(work, &call) : work->choice.fallback->pack_linearize(&call);
    status = OVERFLOW_STATUS(before, {D, (size_t)model->nv * (size_t)model->nv});
    return failed ? HML_SINGULAR : status;
}
