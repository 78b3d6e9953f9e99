/*
 * The derivatives of the momenta p and of D (motion_momentum.c), in O(coordinates × depth) by composite bodies.
 *
 * A motion S_k z of a joint's coordinate k turns its subtree and, seen from there, changes every twist by Y_k = U × S_k
 * and the field of gravity by G_k = g × S_k. With I the composite inertia of the subtree, h its momentum and f its
 * force, all in the frame of the body, the wrenches of a coordinate are
 *
 *   B_k = I S_k,   δh_k = S_k ×* h + I Y_k,   δf_k = S_k ×* f + I G_k
 *
 * and for k at or below l, each l's columns moved to the same frame,
 *
 *   ∂p_k/∂q_l = B_k · Y_l                  ∂D_k/∂q_l = δh_k · Y_l + B_k · G_l
 *   ∂p_l/∂q_k = δh_k · S_l                 ∂D_l/∂q_k = δh_k · Y_l + δf_k · S_l       l not of the same joint
 *
 * The kinetic energy's part of D is ½ νᵀ ∂M/∂q ν, so that ∂D/∂ν = (∂p/∂q)ᵀ, less dampers and gyroscopic moments of
 * rotors.
 */
#include <string.h>

#include "model/coordinates.h"
#include "sim/motion.h"

/* a coordinate's wrenches on their way to the root, in the frame of the body that they have reached */
typedef struct moved {
    size_t row;
    double factor; /* of the coordinate in the user's */
    wrench B, dh, df;
} moved;

typedef struct momentum_tangent {
    const hml_motion *m;
    double *P, *Dq; /* n × n; Dq may be NULL */
} momentum_tangent;

static twist field_change(vec3 gravity, twist S) { return twist_of(vec3_cross(gravity, S.w), vec3_zero()); }

static void put(const momentum_tangent *t, size_t row, size_t column, double factor, double p, double D)
{
    t->P[row * t->m->n + column] += factor * p;
    if (t->Dq) t->Dq[row * t->m->n + column] += factor * D;
}

/* the entries of a moved coordinate with those of the body b that its wrenches have reached */
static void meet(const momentum_tangent *t, const moved *k, int32_t b, int own)
{
    const model_body *body = &model_bodies(t->m->model)[b];
    const motion_body *x = &t->m->bodies[b];
    for (int32_t i = 0; i < body->nv; i++) {
        const size_t l = (size_t)t->m->user[body->v + i];
        const double factor = k->factor * t->m->factor[body->v + i];
        const twist S = x->S[i], Y = twist_cross(x->U, S), G = field_change(x->gravity, S);
        const double energy = wrench_dot(k->dh, Y);
        put(t, k->row, l, factor, wrench_dot(k->B, Y), energy + wrench_dot(k->B, G));
        if (!own) put(t, l, k->row, factor, wrench_dot(k->dh, S), energy + wrench_dot(k->df, S));
    }
}

/* coordinate i of the body b and all coordinates between it and the root */
static void walk(const momentum_tangent *t, int32_t b, int32_t i)
{
    const model_body *bodies = model_bodies(t->m->model);
    const motion_body *x = &t->m->bodies[b];
    const int32_t at = bodies[b].v + i;
    const twist S = x->S[i];
    moved k = {.row = (size_t)t->m->user[at], .factor = t->m->factor[at]};
    k.B = inertia_mul(x->I, S);
    k.dh = wrench_add(twist_cross_dual(S, x->h), inertia_mul(x->I, twist_cross(x->U, S)));
    k.df = wrench_add(twist_cross_dual(S, x->f), inertia_mul(x->I, field_change(x->gravity, S)));
    meet(t, &k, b, 1);
    for (int32_t a = b; bodies[a].parent >= 0; a = bodies[a].parent) {
        const pose H = t->m->bodies[a].H;
        k.B = pose_ad_dual(H, k.B), k.dh = pose_ad_dual(H, k.dh), k.df = pose_ad_dual(H, k.df);
        meet(t, &k, bodies[a].parent, 0);
    }
}

static void composite_inertias(const hml_motion *m)
{
    const model_body *bodies = model_bodies(m->model);
    for (int32_t i = 0; i < m->model->nbodies; i++) {
        m->bodies[i].I = inertia_of_com(bodies[i].mass, vec3_at(bodies[i].com), sym3_at(bodies[i].moment));
    }
    for (int32_t i = m->model->nbodies - 1; i >= 0; i--) {
        if (bodies[i].parent < 0) continue;
        motion_body *parent = &m->bodies[bodies[i].parent];
        parent->I = inertia_add(parent->I, inertia_transform(m->bodies[i].H, m->bodies[i].I));
    }
}

/* Dv += derivative of −ad_νᵀ A ν by ν, A the armature */
static void add_rotors(const hml_motion *m, double *Dv)
{
    for (int32_t i = 0; i < m->model->nbodies; i++) {
        const model_body *b = &model_bodies(m->model)[i];
        const model_coordinate *c = &model_coordinates(m->model)[b->v];
        const double *v = &m->tree_v[b->v];
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        if (joint_commutes(b->type)) continue;
        for (int32_t l = 0; l < b->nv; l++) {
            double e[HML_JOINT_MAX_NV] = {0}, *to = Dv + (size_t)m->user[b->v + l];
            const size_t first = (size_t)m->user[b->v];
            e[l] = 1;
            joint_ad(b->type, v, ad);
            for (int32_t k = 0; k < b->nv; k++) to[(first + (size_t)k) * m->n] -= ad[l * b->nv + k] * c[l].armature;
            joint_ad(b->type, e, ad);
            for (int32_t k = 0; k < b->nv; k++) {
                for (int32_t r = 0; r < b->nv; r++)
                    to[(first + (size_t)k) * m->n] -= ad[r * b->nv + k] * c[r].armature * v[r];
            }
        }
    }
}

void hmli_motion_momentum_tangent(hml_motion *m, const double *q, double *P, double *Dq, double *Dv)
{
    const size_t n = m->n;
    const momentum_tangent t = {m, P, Dq};
    memset(P, 0, n * n * sizeof *P);
    if (Dq) memset(Dq, 0, n * n * sizeof *Dq);
    composite_inertias(m);
    for (int32_t b = 0; b < m->model->nbodies; b++) {
        for (int32_t i = 0; i < model_bodies(m->model)[b].nv; i++) walk(&t, b, i);
    }
    if (Dq) hmli_motion_add_stiffness(m, q, 1, 0, -1, Dq);
    if (!Dv) return;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) Dv[r * n + c] = P[c * n + r];
    }
    hmli_motion_add_stiffness(m, q, 1, -1, 0, Dv);
    if (m->model->passive) add_rotors(m, Dv);
}
