/*
 * Dynamics for an observer that moves: the world frame A of the model need not be inertial. Bos's a_grav (Table 4, line
 * 6, (61)) with all of its six numbers, and what a velocity of A adds to it.
 *
 *   V, a    twist of A relative to an inertial frame, in A, and the derivative of its six numbers
 *   v, ω̂    twist of body i relative to A, in the body; u = ⁱX_A V, b = ⁱX_A a; w = v + u is its inertial twist
 *
 * The derivative of w's numbers is v̇ − v × u + b, Notation (45)-(49), and Newton and Euler's equation for the body,
 * I ẇ + w ×* I w = F, becomes the one that the library solves, I v̇ + v ×* I v = F + F_A, with
 *
 *   F_A = −I (b − v × u) − w ×* I w + v ×* I v.
 *
 * With V = 0 it is −I b: the six numbers a take the place of a_grav. Along a perturbation z of the configuration and
 * z_ν of the velocity, with J and ∂v/∂q of the body,
 *
 *   δu = −(J z) × u,   δb = −(J z) × b,   δv = ∂v/∂q z + J z_ν,   δw = δv + δu,
 *   δF_A = −I (δb − δv × u − v × δu) − δw ×* I w − w ×* I δw + δv ×* I v + v ×* I δv,
 *
 * and D_q, D_ν of hml_linearize, which holds wrenches fixed in their bodies, gain M⁻¹ Σ_i J_iᵀ δF_A.
 */
#include "hamel/dynamics.h"
#include "hamel/linearize.h"

#include <string.h>

#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/kinematics_derivatives.h"
#include "model/model.h"

/* the twists of one body, and its inertia */
typedef struct body_twists {
    inertia I;
    twist v, u, b;
} body_twists;

/* F_A */
static wrench fictitious(const body_twists *x)
{
    twist w = twist_add(x->v, x->u);
    wrench F = wrench_scale(-1, inertia_mul(x->I, twist_sub(x->b, twist_cross(x->v, x->u))));
    F = wrench_sub(F, twist_cross_dual(w, inertia_mul(x->I, w)));
    return wrench_add(F, twist_cross_dual(x->v, inertia_mul(x->I, x->v)));
}

/* its change for a motion d of the body (J z, in the body) and a change dv of its twist */
static wrench fictitious_change(const body_twists *x, twist d, twist dv)
{
    twist w = twist_add(x->v, x->u), du = twist_cross(x->u, d), db = twist_cross(x->b, d), dw = twist_add(dv, du);
    twist da = twist_sub(db, twist_add(twist_cross(dv, x->u), twist_cross(x->v, du)));
    wrench F = wrench_scale(-1, inertia_mul(x->I, da));
    F = wrench_sub(F, twist_cross_dual(dw, inertia_mul(x->I, w)));
    F = wrench_sub(F, twist_cross_dual(w, inertia_mul(x->I, dw)));
    F = wrench_add(F, twist_cross_dual(dv, inertia_mul(x->I, x->v)));
    return wrench_add(F, twist_cross_dual(x->v, inertia_mul(x->I, dv)));
}

static inertia inertia_of_body(const model_body *b)
{
    return inertia_of_com(b->mass, vec3_at(b->com), sym3_at(b->moment));
}

static hml_status check(const hml_model *model, const hml_work *work, unsigned uses, const hml_observer *observer,
                        const double *q, const double *v)
{
    if (hmli_work_check(model, work, uses) || !observer || !q || !v) return HML_INVALID_ARGUMENT;
    TRY(read_check(observer->velocity, 6));
    TRY(read_check(observer->acceleration, 6));
    return hmli_work_check_state(model, q, v, NULL, NULL);
}

/* pose, twist and, where they are wanted, J and ∂v/∂q of body i, all left-trivialized */
static hml_status body_at(const hml_model *model, hml_work *work, const hml_observer *observer, int32_t i,
                          const double *q, const double *v, double *J, double *twist_q, body_twists *x)
{
    double H[16], V[6];
    pose A;
    twist observed, rate;
    hml_frame_motion motion = {.struct_size = sizeof motion, .pose = H, .twist = V};
    hml_frame_derivative derivative = {.struct_size = sizeof derivative, .placement_q = J, .twist_q = twist_q};
    TRY(hml_frame(model, work, i, HML_LEFT, q, v, NULL, &motion)); /* frames begin with the bodies */
    if (J) TRY(hml_frame_derivatives(model, work, i, HML_LEFT, q, v, NULL, &derivative));
    TRY(read_pose(H, &A));
    TRY(read_twist(V, &x->v));
    TRY(read_twist(observer->velocity, &observed));
    TRY(read_twist(observer->acceleration, &rate));
    x->u = pose_ad_inverse(A, observed);
    x->b = pose_ad_inverse(A, rate);
    x->I = inertia_of_body(&model_bodies(model)[i]);
    return HML_OK;
}

hml_status hml_observer_wrenches(const hml_model *model, hml_work *work, const hml_observer *observer, const double *q,
                                 const double *v, double *wrenches)
{
    TRY(check(model, work, HML_USE_TREE, observer, q, v));
    if (!wrenches) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < model->nbodies; i++) {
        body_twists x;
        double F[6];
        TRY(body_at(model, work, observer, i, q, v, NULL, NULL, &x));
        TRY(write_wrench(fictitious(&x), F));
        for (int k = 0; k < 6; k++) wrenches[6 * (size_t)i + (size_t)k] += F[k];
    }
    return finite_array(wrenches, 6 * (size_t)model->nbodies);
}

/* ---- derivatives ---- */

static twist column(const double *J, size_t n, size_t k)
{
    return twist_of(vec3_of(J[k], J[n + k], J[2 * n + k]), vec3_of(J[3 * n + k], J[4 * n + k], J[5 * n + k]));
}

/* column k of D += Jᵀ F */
static void add_force(size_t n, const double *J, wrench F, double *D, size_t k)
{
    for (size_t i = 0; i < n; i++) D[i * n + k] += wrench_dot(F, column(J, n, i));
}

hml_status hml_observer_derivatives(const hml_model *model, hml_work *work, const hml_observer *observer,
                                    const double *q, const double *v, double *scratch, double *by_q, double *by_v)
{
    TRY(check(model, work, HML_USE_TREE, observer, q, v));
    if (!scratch || !by_q || !by_v) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)model->nv;
    double *J = scratch, *twist_q = J + 6 * n;
    memset(by_q, 0, n * n * sizeof *by_q);
    memset(by_v, 0, n * n * sizeof *by_v);
    for (int32_t i = 0; i < model->nbodies; i++) {
        body_twists x;
        TRY(body_at(model, work, observer, i, q, v, J, twist_q, &x));
        for (size_t k = 0; k < n; k++) {
            twist d = column(J, n, k);
            add_force(n, J, fictitious_change(&x, d, column(twist_q, n, k)), by_q, k);
            add_force(n, J, fictitious_change(&x, twist_zero(), d), by_v, k);
        }
    }
    return FINITE_STATUS({by_q, n * n}, {by_v, n * n});
}

/* D += M⁻¹ X in a matrix with leading dimension ld */
static void add_product(size_t n, const double *Minv, const double *X, double *D, size_t ld)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; l < n; l++) {
            for (size_t k = 0; k < n; k++) D[i * ld + k] += Minv[i * n + l] * X[l * n + k];
        }
    }
}

size_t hml_observer_scratch_doubles(const hml_model *model)
{
    if (!model) return 0;
    const size_t n = (size_t)model->nv;
    return 12 * n + 3 * n * n + 6 * (size_t)model->nbodies;
}

hml_status hml_observer_linearize(const hml_model *model, hml_work *work, const hml_observer *observer, double *scratch,
                                  const hml_linearization *arguments)
{
    hml_linearization room;
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    if (!x || !scratch) return HML_INVALID_ARGUMENT;
    TRY(check(model, work, HML_USE_ALL, observer, x->q.data, x->v.data));
    const size_t n = (size_t)model->nv, bytes = 6 * (size_t)model->nbodies * sizeof(double);
    double *by_q = scratch + 12 * n, *by_v = by_q + n * n, *Minv = by_v + n * n, *wrenches = Minv + n * n;
    if (x->wrenches.data)
        memcpy(wrenches, x->wrenches.data, bytes);
    else
        memset(wrenches, 0, bytes);
    TRY(hml_observer_wrenches(model, work, observer, x->q.data, x->v.data, wrenches));
    TRY(hml_observer_derivatives(model, work, observer, x->q.data, x->v.data, scratch, by_q, by_v));
    hml_linearization y = *x;
    y.wrenches = (hml_input){wrenches, 0};
    y.Minv = (hml_output){Minv, 0, 0};
    TRY(hml_linearize(model, work, &y));
    const size_t ld = x->A.ld ? x->A.ld : 2 * n;
    if (x->Dq.data) add_product(n, Minv, by_q, x->Dq.data, x->Dq.ld ? x->Dq.ld : n);
    if (x->Dv.data) add_product(n, Minv, by_v, x->Dv.data, x->Dv.ld ? x->Dv.ld : n);
    if (x->A.data) add_product(n, Minv, by_q, x->A.data + n * ld, ld);
    if (x->A.data) add_product(n, Minv, by_v, x->A.data + n * ld + n, ld);
    for (size_t i = 0; x->Minv.data && i < n; i++) {
        memcpy(x->Minv.data + i * (x->Minv.ld ? x->Minv.ld : n), Minv + i * n, n * sizeof *Minv);
    }
    return HML_OK;
}
