/*
 * External wrenches at frames.
 *
 *   W      wrench at the frame's origin, in world axes; R its frame's rotation; W_F = [Rᵀf; Rᵀt] in the frame's axes
 *   J      Jacobian of the frame, mixed: generalized force Q = Jᵀ W
 *
 * With W_F held, W turns with the frame: ∂W/∂q_k = [ω_k × f; ω_k × t], ω_k the angular part of J's column k. With W
 * held there is no such term. So ∂Q/∂q of the latter is that of the former minus Jᵀ [ω_k × f; ω_k × t], and as
 * ν̇ = M⁻¹(τ + Q − h),
 *
 *   D_q −= M⁻¹ Jᵀ [ω_k × f; ω_k × t]_k,
 *
 * a product of an nv×6 and a 6×nv matrix.
 */
#include "hamel/dynamics.h"

#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "hamel/representation.h"

/* row-major, with leading dimension ld */
static mat3 mat3_load(const double *x, int ld)
{
    return mat3_of(vec3_of(x[0], x[ld], x[2 * ld]), vec3_of(x[1], x[ld + 1], x[2 * ld + 1]),
                   vec3_of(x[2], x[ld + 2], x[2 * ld + 2]));
}

/* ---- generalized forces ---- */

static hml_status check_load(const hml_model *model, const hml_frame_load *x)
{
    if (x->frame < 0 || x->frame >= model->nframes) return HML_INVALID_ARGUMENT;
    if (x->axes != HML_AXES_OF_FRAME && x->axes != HML_AXES_OF_WORLD) return HML_INVALID_ARGUMENT;
    TRY(read_check(x->point, 3));
    return read_check(x->wrench, 6);
}

/* the load as a wrench in F₀ of the walk that has come to its frame */
static wrench load_wrench(const hml_frame_load *x, const path_walk *w)
{
    vec3 f = vec3_at(x->wrench), t = vec3_at(x->wrench + 3), p = pose_act(w->H, vec3_at(x->point));
    if (x->axes == HML_AXES_OF_WORLD)
        f = mat3_tmul_vec(w->world.R, f), t = mat3_tmul_vec(w->world.R, t);
    else
        f = mat3_mul_vec(w->H.R, f), t = mat3_mul_vec(w->H.R, t);
    return wrench_of(f, vec3_add(t, vec3_cross(p, f)));
}

/* the power of a wrench on every column on the way to its frame */
static void add_load(const hml_model *model, const state_series *state, const hml_frame_load *x, double *tau)
{
    const int32_t body = body_of(model, x->frame);
    path_walk w;
    if (body < 0) return;
    walk_start(&w, 0);
    walk_to(&w, model, x->frame, state, 1, NULL);
    const wrench W = load_wrench(x, &w);
    walk_start(&w, 0);
    for (int32_t i = model_bodies(model)[body].root;; i = path_next(model, i, body)) {
        const body_coordinates c = coordinates_of(model, i);
        walk_step(&w, model, i, state);
        for (int32_t k = 0; k < model_bodies(model)[i].nv; k++) {
            const twist S = w.S[k][0];
            tau[c.v + k] += c.factor * (vec3_dot(W.f, S.v) + vec3_dot(W.t, S.w));
        }
        if (i == body) break;
    }
}

hml_status hml_generalized_force(const hml_model *model, hml_work *work, const double *q, int32_t count,
                                 const hml_frame_load *loads, hml_representation representation, double *tau)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || count < 0 || (count && !loads) || !tau ||
        !hml_representation_name(representation)) {
        return HML_INVALID_ARGUMENT;
    }
    for (int32_t i = 0; i < count; i++) TRY(check_load(model, &loads[i]));
    TRY(hmli_work_check_state(model, q, NULL, NULL, NULL));
    const state_series state = {.q = q};
    memset(tau, 0, (size_t)model->nv * sizeof *tau);
    for (int32_t i = 0; i < count; i++) add_load(model, &state, &loads[i], tau);
    TRY(hml_force_to_representation(model, representation, q, tau, tau));
    return FINITE_STATUS({tau, (size_t)model->nv});
}

/* ---- wrenches of bodies ---- */

hml_status hml_wrench_add(const hml_model *model, hml_work *work, const double *q, int32_t frame, int in_world,
                          const double wrench_numbers[6], double *wrenches)
{
    hml_frame_info info = {.struct_size = sizeof info};
    if (!model || !work || !q || !wrench_numbers || !wrenches) return HML_INVALID_ARGUMENT;
    hml_status status = hml_model_frame(model, frame, &info);
    if (status || info.body < 0) return status;
    wrench W = wrench_of(vec3_at(wrench_numbers), vec3_at(wrench_numbers + 3));
    if (in_world) {
        double H[16];
        hml_frame_motion motion = {.struct_size = sizeof motion, .pose = H};
        status = hml_frame(model, work, frame, HML_MIXED, q, NULL, NULL, &motion);
        if (status) return status;
        mat3 R = mat3_load(H, 4);
        W = wrench_of(mat3_tmul_vec(R, W.f), mat3_tmul_vec(R, W.t));
    }
    W = pose_ad_dual(pose_of(mat3_load(info.rotation, 3), vec3_at(info.position)), W);
    double *body = wrenches + 6 * (size_t)info.body;
    body[0] += W.f.x, body[1] += W.f.y, body[2] += W.f.z;
    body[3] += W.t.x, body[4] += W.t.y, body[5] += W.t.z;
    return HML_OK;
}

hml_status hml_wrench_world_derivative(int32_t nv, const double *J, const double wrench_numbers[6], const double *Minv,
                                       size_t ld, double *Dq)
{
    if (nv < 0 || !J || !wrench_numbers || !Minv || !Dq || ld < (size_t)nv) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)nv;
    const vec3 f = vec3_at(wrench_numbers), t = vec3_at(wrench_numbers + 3);
    for (size_t i = 0; i < n; i++) {
        double u[6] = {0}; /* row i of M⁻¹ Jᵀ */
        for (size_t c = 0; c < n; c++) {
            for (size_t r = 0; r < 6; r++) u[r] += Minv[i * n + c] * J[r * n + c];
        }
        vec3 uf = vec3_at(u), ut = vec3_at(u + 3);
        for (size_t k = 0; k < n; k++) {
            vec3 w = vec3_of(J[3 * n + k], J[4 * n + k], J[5 * n + k]);
            Dq[i * ld + k] -= vec3_dot(uf, vec3_cross(w, f)) + vec3_dot(ut, vec3_cross(w, t));
        }
    }
    return HML_OK;
}
