/*
 * Held feet of hamel/cuda.h: four kernels one after the other, see held.h, on some thousand states at a time, for which
 * there is memory on the GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "cuda/batch.h"
#include "cuda/tables.h"

enum { HOLDS_BYTES = 256 << 20, HOLDS_MOST = 65536 };

struct hml_cuda_holds {
    hml_cuda_batch *batch;
    cuda_held held;
    size_t most;             /* states at a time */
    void *memory, *statuses; /* of them: scratch_of, and two statuses each */
    void *workspace;
};

/* what is kept of a state between the kernels, in numbers */
typedef struct held_scratch {
    size_t free, a, Minv, Dq, Dv, lambda, wrenches, end;
} held_scratch;

static held_scratch scratch_of(const hml_cuda_batch *batch, size_t rows)
{
    const size_t nv = (size_t)batch->model.nv;
    held_scratch s;
    s.free = 0, s.a = nv;
    s.Minv = 2 * nv, s.Dq = s.Minv + nv * nv, s.Dv = s.Dq + nv * nv;
    s.lambda = s.Dv + nv * nv, s.wrenches = s.lambda + rows;
    s.end = s.wrenches + 6 * (size_t)batch->model.bodies;
    return s;
}

/* ---- the holds ---- */

static const char *refused(const hml_cuda_batch *batch, const hml_constraints *set)
{
    if (set->loop_count) return "loops are not supported on the GPU";
    if (!set->count) return "there are no holds: hml_cuda_linearize does without them";
    if (set->count > CUDA_FEET) return "more than 16 holds are not supported on the GPU";
    for (int32_t i = 0; i < set->count; i++) {
        const hml_constraint *c = &set->items[i];
        if (c->kind != HML_HOLD_FRAME && c->kind != HML_HOLD_POINT)
            return "planes and one-sided rows are not supported on the GPU";
        if (batch->frame[FRAME_INTEGERS * c->frame + FRAME_TREE] < 0)
            return "a hold of a frame that nothing moves is not supported on the GPU";
    }
    return NULL;
}

static int are_valid(const hml_cuda_batch *batch, const hml_constraints *set)
{
    if (hml_constraint_rows(set) < 0) return 0;
    for (int32_t i = 0; i < set->count; i++) {
        if (set->items[i].frame < 0 || set->items[i].frame >= batch->model.frames) return 0;
    }
    return 1;
}

static void fill(cuda_held *h, const hml_constraints *set)
{
    h->feet = set->count;
    for (int32_t i = 0; i < set->count; i++) {
        const hml_constraint *c = &set->items[i];
        cuda_foot *f = &h->at[i];
        f->frame = c->frame;
        f->rows = c->kind == HML_HOLD_FRAME ? 6 : 3, f->row = h->rows;
        h->rows += f->rows;
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 3; k++) f->goal[3 * r + k] = c->pose[4 * r + k];
            f->goal[9 + r] = c->pose[4 * r + 3];
        }
        f->damping = c->damping, f->stiffness = c->stiffness;
    }
    h->all = (h->rows + HELD_ROWS - 1) / HELD_ROWS * HELD_ROWS;
    h->tolerance = set->tolerance > 0 ? set->tolerance : 1e-10;
}

static hml_status allocate(hml_cuda_holds *holds, hml_error *error)
{
    hml_cuda_batch *batch = holds->batch;
    const size_t each = scratch_of(batch, (size_t)holds->held.rows).end * (size_t)batch->type;
    const size_t workspace = hmli_device_workspace(batch->device, batch->type, &holds->held.call.model);
    holds->most = each ? HOLDS_BYTES / each : HOLDS_MOST;
    if (holds->most > HOLDS_MOST) holds->most = HOLDS_MOST;
    if (holds->most < 1) holds->most = 1;
    hml_status status = hmli_device_allocate(batch->device, holds->most * each, &holds->memory, error);
    if (!status)
        status = hmli_device_allocate(batch->device, 2 * holds->most * sizeof(int32_t), &holds->statuses, error);
    if (!status && workspace) status = hmli_device_allocate(batch->device, workspace, &holds->workspace, error);
    holds->held.call.workspace = holds->workspace;
    return status;
}

hml_status hml_cuda_holds_new(hml_cuda_batch *batch, const hml_constraints *constraints, hml_cuda_holds **holds,
                              hml_error *error)
{
    hml_constraints room;
    const hml_constraints *set = STRUCT_TAKE(hml_constraints, constraints, &room, count);
    if (!batch || !holds || !set || !are_valid(batch, set))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the batch is missing, or the constraints are invalid");
    const char *why = refused(batch, set);
    if (why) return hmli_cuda_fail(error, HML_UNSUPPORTED, why);
    hml_cuda_holds *h = calloc(1, sizeof *h);
    if (!h) return hmli_cuda_fail(error, HML_OUT_OF_MEMORY, hml_status_message(HML_OUT_OF_MEMORY));
    h->batch = batch;
    fill(&h->held, set);
    h->held.call.model = hmli_cuda_motion_model(&batch->model, &h->held);
    const hml_status status = allocate(h, error);
    if (status)
        hml_cuda_holds_free(h);
    else
        *holds = h;
    return status;
}

void hml_cuda_holds_free(hml_cuda_holds *holds)
{
    if (!holds) return;
    hmli_device_release(holds->batch->device, holds->memory);
    hmli_device_release(holds->batch->device, holds->statuses);
    hmli_device_release(holds->batch->device, holds->workspace);
    free(holds);
}

hml_cuda_batch *hmli_cuda_holds_batch(const hml_cuda_holds *holds, size_t *rows)
{
    *rows = (size_t)holds->held.rows;
    return holds->batch;
}

/* ---- a call ---- */

/* the arguments with everything where it is: outputs with their leading dimensions, scratch for what is missing */
typedef struct held_arguments {
    hml_cuda_input q, v, tau, wrenches;
    cuda_output acceleration, lambda, Dq, Dv, Dtau, lambda_q, lambda_v, lambda_tau, A, B;
} held_arguments;

static int take(const hml_cuda_constrained *x, size_t nv, size_t rows, held_arguments *a)
{
    a->q = x->q, a->v = x->v, a->tau = x->tau, a->wrenches = x->wrenches;
    return output_of(x->acceleration, 1, nv, &a->acceleration) & output_of(x->lambda, 1, rows, &a->lambda) &
           output_of(x->Dq, nv, nv, &a->Dq) & output_of(x->Dv, nv, nv, &a->Dv) & output_of(x->Dtau, nv, nv, &a->Dtau) &
           output_of(x->lambda_q, rows, nv, &a->lambda_q) & output_of(x->lambda_v, rows, nv, &a->lambda_v) &
           output_of(x->lambda_tau, rows, nv, &a->lambda_tau) & output_of(x->A, 2 * nv, 2 * nv, &a->A) &
           output_of(x->B, 2 * nv, nv, &a->B);
}

static void *move(const hml_cuda_holds *h, const void *data, size_t numbers)
{
    return data ? (char *)(uintptr_t)data + numbers * (size_t)h->batch->type : NULL;
}

static hml_cuda_input input_from(const hml_cuda_holds *h, hml_cuda_input in, size_t first)
{
    return (hml_cuda_input){move(h, in.data, first * in.stride), in.stride};
}

static cuda_output output_from(const hml_cuda_holds *h, cuda_output out, size_t first)
{
    out.data = move(h, out.data, first * out.stride);
    return out;
}

/* the same arguments from a state on */
static held_arguments from(const hml_cuda_holds *h, const held_arguments *x, size_t first)
{
    held_arguments a;
    a.q = input_from(h, x->q, first), a.v = input_from(h, x->v, first);
    a.tau = input_from(h, x->tau, first), a.wrenches = input_from(h, x->wrenches, first);
    a.acceleration = output_from(h, x->acceleration, first), a.lambda = output_from(h, x->lambda, first);
    a.Dq = output_from(h, x->Dq, first), a.Dv = output_from(h, x->Dv, first), a.Dtau = output_from(h, x->Dtau, first);
    a.lambda_q = output_from(h, x->lambda_q, first), a.lambda_v = output_from(h, x->lambda_v, first);
    a.lambda_tau = output_from(h, x->lambda_tau, first);
    a.A = output_from(h, x->A, first), a.B = output_from(h, x->B, first);
    return a;
}

static cuda_output scratch_output(const hml_cuda_holds *h, size_t at, size_t columns, size_t rows)
{
    const size_t most = h->most;
    return (cuda_output){move(h, h->memory, at * most), columns, rows * columns};
}

static hml_cuda_output public_output(cuda_output o) { return (hml_cuda_output){o.data, o.ld, o.stride}; }

/* linearize(…) of the free robot, or with λ among the wrenches */
static hml_status linearize(const hml_cuda_holds *h, size_t n, const held_arguments *a, hml_cuda_linearization *out,
                            hml_error *error)
{
    out->struct_size = sizeof *out;
    out->q = a->q, out->v = a->v, out->tau = a->tau;
    return hmli_cuda_linearize(h->batch, n, out, 0, error);
}

static hml_status run(const hml_cuda_holds *h, size_t n, const held_arguments *a, int32_t *status, void *stream,
                      hml_error *error)
{
    const size_t nv = (size_t)h->batch->model.nv, nw = 6 * (size_t)h->batch->model.bodies;
    const held_scratch s = scratch_of(h->batch, (size_t)h->held.rows);
    const cuda_output lambda = a->lambda.data ? a->lambda : scratch_output(h, s.lambda, (size_t)h->held.rows, 1);
    const cuda_output wrenches = scratch_output(h, s.wrenches, nw, 1), Minv = scratch_output(h, s.Minv, nv, nv);
    const cuda_output motion = a->acceleration.data ? a->acceleration : scratch_output(h, s.a, nv, 1);
    const cuda_output free = scratch_output(h, s.free, nv, 1);
    int32_t *before = h->statuses, *between = before + h->most;
    const int matrices = a->Dq.data || a->Dv.data || a->Dtau.data || a->lambda_q.data || a->lambda_v.data ||
                         a->lambda_tau.data || a->A.data || a->B.data;
    hml_cuda_linearization one = {.wrenches = a->wrenches, .acceleration = public_output(free), .stream = stream};
    one.Minv = public_output(Minv), one.status = before;
    hml_status result = linearize(h, n, a, &one, error);
    if (result) return result;

    cuda_held held = h->held;
    held.call.n = n, held.stage = 1;
    held.call.q = input_of(a->q), held.call.v = input_of(a->v);
    held.a = (cuda_input){free.data, free.stride}, held.Minv = (cuda_input){Minv.data, Minv.stride};
    held.given = input_of(a->wrenches);
    held.before = before, held.after = before;
    held.lambda = lambda;
    if (matrices)
        held.wrenches = wrenches;
    else
        held.call.acceleration = a->acceleration, held.call.status = status;
    result = hmli_device_held(h->batch->device, h->batch->type, &held, stream, error);
    if (result || !matrices) return result;

    hml_cuda_linearization two = {.wrenches = {wrenches.data, nw}, .acceleration = public_output(motion)};
    const cuda_output Dq = a->Dq.data || a->A.data ? a->Dq : scratch_output(h, s.Dq, nv, nv);
    const cuda_output Dv = a->Dv.data || a->A.data ? a->Dv : scratch_output(h, s.Dv, nv, nv);
    two.Dq = public_output(Dq), two.Dv = public_output(Dv), two.A = public_output(a->A);
    two.status = between, two.stream = stream;
    result = linearize(h, n, a, &two, error);
    if (result) return result;

    held.stage = 2, held.before2 = between, held.after = NULL;
    held.a = (cuda_input){motion.data, motion.stride};
    held.wrenches.data = NULL;
    held.call.acceleration = motion, held.call.status = status;
    held.call.Dq = Dq, held.call.Dv = Dv, held.call.A = a->A, held.call.B = a->B, held.call.Minv = a->Dtau;
    held.lambda_out = a->lambda;
    held.lambda_q = a->lambda_q, held.lambda_v = a->lambda_v, held.lambda_tau = a->lambda_tau;
    return hmli_device_held(h->batch->device, h->batch->type, &held, stream, error);
}

hml_status hml_cuda_constrained_linearize(hml_cuda_holds *holds, size_t n, const hml_cuda_constrained *arguments,
                                          hml_error *error)
{
    hml_cuda_constrained room;
    const hml_cuda_constrained *x = STRUCT_TAKE(hml_cuda_constrained, arguments, &room, v);
    if (!holds || !x)
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "the holds are missing, or struct_size is not set");
    if (!x->q.data || !x->v.data) return hmli_cuda_fail(error, HML_INVALID_ARGUMENT, "q or v is missing");
    held_arguments all;
    if (!take(x, (size_t)holds->batch->model.nv, (size_t)holds->held.rows, &all))
        return hmli_cuda_fail(error, HML_INVALID_ARGUMENT,
                              "a leading dimension is smaller than a row, or larger than 2^20");
    hml_status status = HML_OK;
    for (size_t first = 0; first < n && !status; first += holds->most) {
        const held_arguments part = from(holds, &all, first);
        const size_t left = n - first, count = left < holds->most ? left : holds->most;
        status = run(holds, count, &part, x->status ? x->status + first : NULL, x->stream, error);
    }
    return status;
}
