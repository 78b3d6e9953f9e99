/*
 * The outputs of a linearization, in double or, where num is float, in single precision: what the kernel writes, and
 * what is put around it.
 *
 *   A = [ −ad_ν  I ; D_q  D_ν ]      B = [ 0 ; M⁻¹ ]
 */
#ifndef HML_ALGO_LINEARIZE_OUTPUTS_H
#define HML_ALGO_LINEARIZE_OUTPUTS_H

#include <string.h>

#include "algo/states.h"
#include "group/joint.h"
#include "hamel/linearize.h"
#include "model/model.h"
#if defined NUM_SINGLE
#include "hamel/single_precision.h"
typedef hml_linearization_f32 linearization_arguments;
#else
typedef hml_linearization linearization_arguments;
#endif

/* what a kernel writes, and what is left to do around it */
typedef struct outputs {
    kernel_output acceleration, Dq, Dv, Minv; /* where the kernel writes */
    kernel_output A, B;
    int copy_Dq, copy_Dv, copy_Minv; /* 1: the kernel wrote elsewhere, copy its block into A or B */
} outputs;

static inline kernel_output block(kernel_output whole, size_t row, size_t column)
{
    if (whole.data) whole.data += row * whole.ld + column;
    return whole;
}

static inline void resolve_all(const linearization_arguments *x, size_t nv, outputs *o)
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

static inline void copy_block(kernel_output from, kernel_output to, size_t n)
{
    for (size_t r = 0; r < n; r++) memcpy(to.data + r * to.ld, from.data + r * from.ld, n * sizeof(lane));
}

/* zeros in the upper rows of a matrix */
static inline void clear_rows(kernel_output out, size_t rows, size_t columns)
{
    if (out.ld == columns) rows *= columns, columns = rows, rows = 1; /* at one go */
    for (size_t r = 0; r < rows; r++) memset(out.data + r * out.ld, 0, columns * sizeof(lane));
}

/* the upper half of A, and the upper half of B */
static inline void fill_constants(const hml_model *model, const lane *v, kernel_output A, kernel_output B)
{
    size_t nv = (size_t)model->nv;
    if (A.data) clear_rows(A, nv, 2 * nv);
    if (B.data) clear_rows(B, nv, nv);
    for (size_t r = 0; A.data && r < nv; r++) A.data[r * A.ld + nv + r] = 1;
    const model_joint *joints = model_joints(model);
    for (int32_t j = 0; A.data && j < model->njoints; j++) {
        num ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        size_t first = (size_t)joints[j].v, m = (size_t)joints[j].nv;
        if (joint_commutes(joints[j].type)) continue;
        joint_ad(joints[j].type, &v[first], ad);
        for (size_t r = 0; r < m; r++) {
            for (size_t c = 0; c < m; c++) A.data[(first + r) * A.ld + first + c] = -ad[r * m + c];
        }
    }
}

/* everything around the kernel for one state that came out with the given status */
static inline void finish_outputs(const hml_model *model, const outputs *o, const lane *v, size_t state,
                                  hml_status status)
{
    const size_t nv = (size_t)model->nv;
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

static inline hml_status finite_outputs_of(const hml_model *model, const outputs *o, size_t state)
{
    const size_t nv = (size_t)model->nv;
    const kernel_output blocks[] = {o->Dq, o->Dv, o->Minv};
    hml_status status = output_finite(output_at(o->acceleration, state), 1, nv);
    for (int k = 0; !status && k < 3; k++) status = output_finite(output_at(blocks[k], state), nv, nv);
    return status;
}

static inline int linearization_fits(const hml_model *model, const linearization_arguments *x)
{
    const size_t nv = (size_t)model->nv;
    return x && x->q.data && x->v.data && output_fits(x->acceleration, nv) && output_fits(x->Dq, nv) &&
           output_fits(x->Dv, nv) && output_fits(x->Minv, nv) && output_fits(x->A, 2 * nv) && output_fits(x->B, nv);
}

#endif
