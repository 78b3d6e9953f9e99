/*
 * Momenta and the configuration's part of the Lagrangian, in O(bodies).
 *
 * L = ½ νᵀ M(q) ν − V(q). With h_i the momentum of the subtree that joint i carries, in the frame of its body, S_i the
 * joint's columns and U_i the parent's twist seen there (V_i = U_i + S_i ν_i):
 *
 *   p_i = S_iᵀ h_i                       ∂L/∂ν
 *   D_i = S_iᵀ (ad_Uᵀ h_i + f_i)         ∂L/∂q from the left: q ⊕ z turns every twist of the subtree by U × S z
 *
 * f_i holds the weights and the external wrenches of the subtree. Armature A adds A ν to p; so that the equations stay
 * those of the library, in which a rotor has inertia and no gyroscopic moment, D then has −ad_νᵀ A ν besides. Damping,
 * springs and τ are added last: D is everything that changes a momentum.
 */
#include <string.h>

#include "base/dense.h"
#include "model/coordinates.h"
#include "model/mimic.h"
#include "model/pose.h"
#include "sim/motion.h"
#include "sim/motion_chord.h"

/* root to leaves: twists, momenta and forces of the bodies by themselves */
static void forward(const hml_motion *m)
{
    const model_body *bodies = model_bodies(m->model);
    for (int32_t i = 0; i < m->model->nbodies; i++) {
        const model_body *b = &bodies[i];
        motion_body *x = &m->bodies[i];
        vec3 axis = vec3_at(b->axis), point = vec3_at(b->point);
        const double *w = m->wrenches + 6 * i;
        inertia I = inertia_of_com(b->mass, vec3_at(b->com), sym3_at(b->moment));
        x->H = pose_mul(pose_of_arrays(b->R, b->p), joint_pose(b->type, axis, point, b->pitch, &m->tree_q[b->q]));
        joint_columns(b->type, axis, point, b->pitch, x->S);
        x->U = b->parent < 0 ? twist_zero() : pose_ad_inverse(x->H, m->bodies[b->parent].V);
        x->gravity = mat3_tmul_vec(x->H.R, b->parent < 0 ? vec3_at(m->model->gravity) : m->bodies[b->parent].gravity);
        x->V = x->U;
        for (int32_t k = 0; k < b->nv; k++) x->V = twist_axpy(m->tree_v[b->v + k], x->S[k], x->V);
        x->h = inertia_mul(I, x->V);
        x->f = wrench_of(vec3_scale(I.m, x->gravity), vec3_cross(I.h, x->gravity));
        x->f = wrench_add(x->f, wrench_at(w));
    }
}

/* leaves to root: p and D of every joint */
static void backward(const hml_motion *m)
{
    const model_body *bodies = model_bodies(m->model);
    for (int32_t i = m->model->nbodies - 1; i >= 0; i--) {
        const model_body *b = &bodies[i];
        motion_body *x = &m->bodies[i];
        for (int32_t k = 0; k < b->nv; k++) {
            m->tree_p[b->v + k] = wrench_dot(x->h, x->S[k]);
            m->tree_D[b->v + k] = wrench_dot(x->h, twist_cross(x->U, x->S[k])) + wrench_dot(x->f, x->S[k]);
        }
        if (b->parent < 0) continue;
        motion_body *parent = &m->bodies[b->parent];
        parent->h = wrench_add(parent->h, pose_ad_dual(x->H, x->h));
        parent->f = wrench_add(parent->f, pose_ad_dual(x->H, x->f));
    }
}

/* armature, damping and springs of the tree's joints */
static void add_passive(const hml_motion *m)
{
    const model_body *bodies = model_bodies(m->model);
    for (int32_t i = 0; i < m->model->nbodies; i++) {
        const model_body *b = &bodies[i];
        const model_coordinate *c = &model_coordinates(m->model)[b->v];
        const double *v = &m->tree_v[b->v];
        double log[HML_JOINT_MAX_NV] = {0}, ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0}, *p = &m->tree_p[b->v];
        double *D = &m->tree_D[b->v];
        joint_difference(b->type, &model_rest(m->model)[b->q], &m->tree_q[b->q], log);
        joint_ad(b->type, v, ad);
        for (int32_t k = 0; k < b->nv; k++) {
            p[k] += c[k].armature * v[k];
            D[k] -= c[k].damping * v[k] + c[k].stiffness * log[k];
            for (int32_t r = 0; r < b->nv; r++) D[k] -= ad[r * b->nv + k] * c[r].armature * v[r];
        }
    }
}

void hmli_motion_momentum(hml_motion *m, const double *q, const double *v, double *p, double *D)
{
    model_expand_q(m->model, q, m->tree_q);
    model_expand_v(m->model, v, m->tree_v);
    m->info.evaluations++;
    forward(m);
    backward(m);
    if (m->model->passive) add_passive(m);
    model_reduce_force(m->model, m->tree_p, p);
    model_reduce_force(m->model, m->tree_D, D);
    for (size_t i = 0; i < m->n; i++) D[i] += m->tau[i];
}

/* ---- momenta seen from the predecessor ---- */

/* Ad of a joint's g(q), or of its inverse, on the joint's own coordinates; m × m. Only curved groups come here */
static void joint_adjoint(int type, const double *q, int inverse, double *out)
{
    pose g = joint_element(type, vec3_of(0, 0, 1), 0, q);
    chord_adjoint(type, inverse ? pose_inverse(g) : g, out);
}

void hmli_motion_adjoint(const hml_model *model, const double *q, int inverse, const double *x, double *out)
{
    memcpy(out, x, (size_t)model->nv * sizeof *x);
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        double A[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        int m = j->nv;
        if (joint_commutes(j->type)) continue;
        joint_adjoint(j->type, q + j->q, inverse, A);
        for (int c = 0; c < m; c++) {
            double sum = 0;
            for (int r = 0; r < m; r++) sum += A[r * m + c] * x[j->v + r];
            out[j->v + c] = sum;
        }
    }
}

/* ---- M ---- */

hml_status hmli_motion_factor_mass(hml_motion *m, const double *q)
{
    size_t n = m->n;
    memset(m->s, 0, n * sizeof(double));
    hml_status status = hml_inverse_dynamics_derivatives(m->model, m->work, q, m->s, m->s, NULL, NULL, NULL, m->M);
    if (status) return status;
    memcpy(m->L, m->M, n * n * sizeof(double));
    return dense_factor(n, m->L, NULL) ? HML_SINGULAR : HML_OK;
}
