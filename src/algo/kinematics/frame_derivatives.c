/* Derivatives of frames: frame_derivatives.h behind hamel/kinematics_derivatives.h. */
#include "hamel/kinematics_derivatives.h"

#include <string.h>

#include "algo/kinematics/frame_call.h"
#include "algo/kinematics/scratch.h"
#include "algo/linearize/representation.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"

_Static_assert(sizeof(path_column) <= sizeof(column_state), "scratch of a column");

static hml_status check(const hml_model *model, const hml_work *work, int32_t frame, hml_representation rep)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || frame < 0 || frame >= model->nframes) return HML_INVALID_ARGUMENT;
    return rep >= HML_LEFT && rep <= HML_SPLIT ? HML_OK : HML_INVALID_ARGUMENT;
}

/* of a frame that a body carries, without mimic followers */
static void seen_by_kernel(const hml_work *work, int32_t frame, hml_representation representation,
                           const state_series *state, const derivative_matrices *out)
{
    const size_t nv = (size_t)work->model->nv;
    const int moving = out->twist_q || out->acceleration_q || out->acceleration_v;
    frame_call call;
    frame_call_begin(work, frame, representation, &call);
    call.q.data = state->q;
    if (moving) call.v.data = state->rates[0], call.a.data = state->rates[1];
    call.J.data = out->J, call.J.ld = nv;
    call.twist_q.data = out->twist_q, call.twist_q.ld = nv;
    call.acceleration_q.data = out->acceleration_q, call.acceleration_q.ld = nv;
    call.acceleration_v.data = out->acceleration_v, call.acceleration_v.ld = nv;
    work->choice.single->single_frame(&call);
}

hml_status hml_frame_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                 hml_representation representation, const double *q, const double *v, const double *a,
                                 const hml_frame_derivative *derivative)
{
    hml_frame_derivative room;
    const hml_frame_derivative *x = STRUCT_TAKE(hml_frame_derivative, derivative, &room, placement_q);
    TRY(check(model, work, frame, representation));
    if (!q || !x) return HML_INVALID_ARGUMENT;
    if ((x->acceleration_q && !a) || (!v && (x->twist_q || x->acceleration_q || x->acceleration_v))) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    const unsigned before = overflow_watch();
    double *Jacobians[] = {x->placement_q, x->twist_v, x->acceleration_a}, *J = NULL;
    for (int i = 0; i < 3; i++)
        if (Jacobians[i]) J = Jacobians[i];
    state_series state = {.q = q, .rates = {v, a}};
    derivative_matrices out = {model->nv, J, x->twist_q, x->acceleration_q, x->acceleration_v};
    if (work->choice.single->single_frame && !model->nfollowers && body_of(model, frame) >= 0)
        seen_by_kernel(work, frame, representation, &state, &out);
    else
        frame_derivatives(model, frame, representation, &state, hmli_work_kinematics(work).path, &out);
    for (int i = 0; i < 3; i++) {
        if (Jacobians[i] && Jacobians[i] != J) memcpy(Jacobians[i], J, 6 * (size_t)model->nv * sizeof *J);
    }
    const size_t block = 6 * (size_t)model->nv;
    return OVERFLOW_STATUS(before, {x->placement_q, block}, {x->twist_v, block}, {x->acceleration_a, block},
                           {x->twist_q, block}, {x->acceleration_q, block}, {x->acceleration_v, block});
}

/* ---- Hessians ---- */

/*
 * The base columns and the base directions of H, nv × rows × nv, for one free root; J: rows × nv, left. With T⁻¹ at
 * this configuration, which along the direction e_j changes by −L(e_j) T⁻¹:
 *
 *   ∂(J T⁻¹)/∂q_j = (∂J/∂q_j − J L(e_j)) T⁻¹,     H[k] = Σ_j (T⁻¹)_jk ∂(J T⁻¹)/∂q_j
 */
static void turn_root(const hml_model *model, hml_representation base, const free_root *r, const double *q,
                      int32_t rows, const double *J, double *H)
{
    const size_t n = (size_t)model->nv, at = (size_t)r->v, slab = (size_t)rows * n;
    double inverse[36], L[36], row[6];
    hmli_representation_inverse_block(base, hmli_root_pose(r, q + model_joints(model)[r->joint].q), inverse);
    for (size_t j = 0; j < 6; j++) {
        const double unit[6] = {j == 0, j == 1, j == 2, j == 3, j == 4, j == 5};
        hmli_representation_rate_block(base, unit, L);
        for (size_t i = 0; i < (size_t)rows; i++) {
            const double *Ji = J + i * n + at;
            double *Hi = H + (at + j) * slab + i * n + at;
            for (size_t c = 0; c < 6; c++) {
                for (size_t k = 0; k < 6; k++) Hi[c] -= Ji[k] * L[6 * k + c];
            }
        }
    }
    for (size_t i = 0; i < n * (size_t)rows; i++) { /* columns */
        double *Hi = H + i * n + at;
        for (size_t c = 0; c < 6; c++) {
            row[c] = 0;
            for (size_t k = 0; k < 6; k++) row[c] += Hi[k] * inverse[6 * k + c];
        }
        memcpy(Hi, row, sizeof row);
    }
    for (size_t i = 0; i < slab; i++) { /* directions */
        double *Hi = H + at * slab + i;
        for (size_t c = 0; c < 6; c++) {
            row[c] = 0;
            for (size_t k = 0; k < 6; k++) row[c] += Hi[k * slab] * inverse[6 * k + c];
        }
        for (size_t c = 0; c < 6; c++) Hi[c * slab] = row[c];
    }
}

static hml_status hessian(const hml_model *model, hml_work *work, int32_t frame, vec3 point,
                          hml_representation representation, hml_representation base, int32_t rows, const double *q,
                          double *H)
{
    TRY(check(model, work, frame, representation));
    if (!q || !H || base < HML_LEFT || base > HML_SPLIT) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, NULL, NULL, NULL));
    const kinematics_scratch k = hmli_work_kinematics(work);
    point_hessian(model, frame, point, representation, rows, q, k.path, H);
    const size_t entries = (size_t)rows * (size_t)model->nv * (size_t)model->nv;
    if (base == HML_LEFT) return FINITE_STATUS({H, entries});
    const state_series state = {.q = q};
    const jacobian_series j = {.order = 0, .nv = model->nv, .J = {k.J}};
    path_walk w;
    expression x;
    free_root r;
    jacobian_zero(&j);
    walk_start(&w, 0);
    walk_to(&w, model, frame, &state, 1, &j);
    w.H.p = pose_act(w.H, point);
    expression_of_walk(&x, representation, &w);
    jacobian_express(&j, model, &x, body_of(model, frame), -1);
    for (int32_t i = 0; hmli_root_next(model, &i, &r);) turn_root(model, base, &r, q, rows, j.J[0], H);
    return FINITE_STATUS({H, entries});
}

hml_status hml_frame_hessian(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                             hml_representation base, const double *q, double *H)
{
    return hessian(model, work, frame, vec3_zero(), representation, base, 6, q, H);
}

hml_status hml_point_hessian(const hml_model *model, hml_work *work, int32_t frame, const double point[3],
                             hml_representation base, const double *q, double *H)
{
    vec3 p;
    TRY(read_vec3(point, &p));
    return hessian(model, work, frame, p, HML_MIXED, base, 3, q, H);
}

/* ---- any order ---- */

hml_status hml_jacobian_partial(const hml_model *model, hml_work *work, int32_t frame,
                                hml_representation representation, const double *q, int32_t column, int32_t n,
                                const int32_t *indices, double derivative[6])
{
    TRY(check(model, work, frame, representation));
    if (!q || !derivative || column < 0 || column >= model->nv || n < 0 || (n && !indices)) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < n; i++)
        if (indices[i] < 0 || indices[i] >= model->nv) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, NULL, NULL, NULL));

    path_column *path = hmli_work_kinematics(work).path;
    twist partial;
    if (jacobian_partial(model, frame, representation, q, column, n, indices, path, &partial)) return HML_UNSUPPORTED;
    write_twist(partial, derivative);
    return finite_array(derivative, 6);
}
