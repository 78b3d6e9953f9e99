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
#include "algo/for_each_pack.h"
#include "algo/linearize/blocks.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
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

static void resolve_all(const hml_linearization *x, size_t nv, outputs *o)
{
    o->acceleration = states_output(x->acceleration, 1, nv);
    o->Dq = states_output(x->Dq, nv, nv);
    o->Dv = states_output(x->Dv, nv, nv);
    o->Minv = states_output(x->Minv, nv, nv);
    o->A = states_output(x->A, 2 * nv, 2 * nv);
    o->B = states_output(x->B, 2 * nv, nv);
    o->copy_Dq = o->Dq.data && o->A.data;
    o->copy_Dv = o->Dv.data && o->A.data;
    o->copy_Minv = o->Minv.data && o->B.data;
    if (!o->Dq.data) o->Dq = block(o->A, nv, 0);
    if (!o->Dv.data) o->Dv = block(o->A, nv, nv);
    if (!o->Minv.data) o->Minv = block(o->B, nv, 0);
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
        if (joint_commutes(joints[j].type)) continue;
        joint_ad(joints[j].type, &v[first], ad);
        for (size_t r = 0; r < m; r++) {
            for (size_t c = 0; c < m; c++) A.data[(first + r) * A.ld + first + c] = -ad[r * m + c];
        }
    }
}

/* a batch of linearizations, as for_each_pack hands it around */
typedef struct batch {
    const hml_work *work;
    const model_coordinate *coordinates; /* NULL: the model's */
    const hml_linearization *x;
    outputs o;
    int single; /* 1: state by state, in the lanes of the kernel for one */
} batch;

/* everything around the kernel for one state that came out with the given status */
static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    const outputs *o = &b->o;
    const size_t nv = (size_t)b->work->model->nv;
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
    fill_constants(b->work->model, input_at(b->x->v, state), A, B);
    if (o->copy_Dq) copy_block(Dq, block(A, nv, 0), nv);
    if (o->copy_Dv) copy_block(Dv, block(A, nv, nv), nv);
    if (o->copy_Minv) copy_block(Minv, block(B, nv, 0), nv);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    const size_t nv = (size_t)b->work->model->nv;
    const kernel_output blocks[] = {b->o.Dq, b->o.Dv, b->o.Minv};
    hml_status status = output_finite(output_at(b->o.acceleration, state), 1, nv);
    for (int k = 0; !status && k < 3; k++) status = output_finite(output_at(blocks[k], state), nv, nv);
    return status;
}

static hml_status check(const void *data, size_t state)
{
    const batch *b = data;
    const hml_linearization *x = b->x;
    return hmli_work_check_state(b->work->model, input_at(x->q, state), input_at(x->v, state), input_at(x->tau, state),
                                 input_at(x->wrenches, state));
}

/* one state, in lanes where that can be done */
static unsigned linearize_single(const hml_work *work, const kernel_call *call)
{
    if (work->choice.single->single_linearize && !work->choice.single->single_linearize(call)) return 0;
    return work->choice.fallback->pack_linearize(call);
}

/* states through one pack of a kernel; or one state through the one for that */
static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const hml_work *work = b->work;
    kernel_call call;
    work_call(work, &call);
    (void)each;
    if (b->coordinates) call.coordinates = b->coordinates;
    call.count = count;
    call.q = states_input(b->x->q, first);
    call.v = states_input(b->x->v, first);
    call.tau = states_input(b->x->tau, first);
    call.wrenches = states_input(b->x->wrenches, first);
    call.acceleration = output_at(b->o.acceleration, first);
    call.Dq = output_at(b->o.Dq, first);
    call.Dv = output_at(b->o.Dv, first);
    call.Minv = output_at(b->o.Minv, first);
    if (work->model->nfollowers) return hmli_mimic_linearize(work, &call);
    return b->single ? linearize_single(work, &call) : work->choice.batch_matrices->pack_linearize(&call);
}

/* n states, their outputs found once; single: state by state */
static hml_status run_all(const hml_work *work, const model_coordinate *coordinates, int single, size_t n,
                          const hml_linearization *arguments, hml_status *status)
{
    static const pack_functions functions = {.run = run, .check = check, .finite = finite, .finish = finish};
    const hml_model *model = work->model;
    batch b;
    b.work = work, b.coordinates = coordinates, b.x = arguments, b.single = single;
    resolve_all(arguments, (size_t)model->nv, &b.o);
    const pack_loop loop = {
        .batch = &b,
        .lanes = model->nfollowers || single ? 1 : (size_t)work->choice.batch_matrices->lanes,
        .check_all = model->nfollowers || arguments->wrenches.data, /* the kernels look at the rest themselves */
        .finish_all = b.o.A.data || b.o.B.data,
        .failure = HML_SINGULAR,
    };
    return for_each_pack(&functions, &loop, n, status);
}

hml_status hmli_linearize(const hml_work *work, const model_coordinate *coordinates, const hml_linearization *arguments)
{
    return run_all(work, coordinates, 1, 1, arguments, NULL);
}

hml_status hmli_linearize_batch(const hml_work *work, const model_coordinate *coordinates, size_t n,
                                const hml_linearization *arguments, hml_status *status)
{
    return run_all(work, coordinates, work->choice.one_by_one, n, arguments, status);
}

static int valid(const hml_model *model, const hml_linearization *x)
{
    const size_t nv = (size_t)model->nv;
    return x && x->q.data && x->v.data && output_fits(x->acceleration, nv) && output_fits(x->Dq, nv) &&
           output_fits(x->Dv, nv) && output_fits(x->Minv, nv) && output_fits(x->A, 2 * nv) && output_fits(x->B, nv);
}

hml_status hml_linearize(const hml_model *model, hml_work *work, const hml_linearization *arguments)
{
    hml_linearization room;
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !valid(model, x)) return HML_INVALID_ARGUMENT;
    return hmli_linearize(work, NULL, x);
}

hml_status hml_linearize_batch(const hml_model *model, hml_work *work, size_t n, const hml_linearization *arguments,
                               hml_status *status)
{
    hml_linearization room;
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !valid(model, x)) return HML_INVALID_ARGUMENT;
    return hmli_linearize_batch(work, NULL, n, x, status);
}

hml_status hml_inverse_mass_derivative(const hml_model *model, hml_work *work, const double *q, const double *b,
                                       double *D)
{
    static const double weightless[3] = {0, 0, 0};
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !b || !D) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, NULL, b, NULL);
    if (status) return status;
    kernel_call call;
    work_call(work, &call);
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
