/*
 * Centre of mass and centroidal momentum, over num.
 *
 * For every column c of the tree, with I and İ the inertia of the subtree its joint carries and the derivative of that,
 * in F₀ (motion_series.h):
 *
 *   F = I S                momentum that a unit rate of c gives
 *   Ḟ = İ S + I Ṡ          İ = v ×* I − I v ×, which is again of the form of an inertia: (0, n, k), n the linear
 *                          momentum, k = ω^J + (ω^J)ᵀ + 2 (u·h) 1 − h uᵀ − u hᵀ for v = [u; ω]
 *
 * About the com, at c in F₀, the angular part is t − c × f, and its rate ṫ − ċ × f − c × ḟ. Columns of A and Ȧ are
 * these, in the world's axes; the linear part over the mass is the Jacobian of the com.
 */
#ifndef HML_ALGO_KINEMATICS_CENTROIDAL_H
#define HML_ALGO_KINEMATICS_CENTROIDAL_H

#include <assert.h>

#include "algo/kinematics/motion_series.h"

typedef struct centroidal_body {
    pose world, H;
    twist V;
    inertia I, Idot; /* of the body, then of its subtree */
} centroidal_body;

typedef struct centroidal_column {
    twist S, Sdot;
} centroidal_column;

typedef struct centroidal {
    num mass;
    vec3 com;           /* in the world */
    vec3 velocity;      /* of the com, in the world's axes */
    wrench momentum[2]; /* about the com, in the world's axes, and its rate */
} centroidal;

/* the derivative of a rigid body's inertia, which moves with twist v */
static inline inertia inertia_rate(inertia I, twist v)
{
    vec3 u = v.v, w = v.w, h = I.h;
    const sym3 J = I.J;
    const mat3 P = mat3_of(vec3_cross(w, vec3_of(J.xx, J.xy, J.xz)), vec3_cross(w, vec3_of(J.xy, J.yy, J.yz)),
                           vec3_cross(w, vec3_of(J.xz, J.yz, J.zz))); /* ω^J */
    num uh = K(2) * vec3_dot(u, h);
    sym3 k = sym3_of(K(2) * (P.x.x - h.x * u.x) + uh, P.y.x + P.x.y - h.x * u.y - h.y * u.x,
                     P.z.x + P.x.z - h.x * u.z - h.z * u.x, K(2) * (P.y.y - h.y * u.y) + uh,
                     P.z.y + P.y.z - h.y * u.z - h.z * u.y, K(2) * (P.z.z - h.z * u.z) + uh);
    return inertia_of(K(0), vec3_add(vec3_scale(I.m, u), vec3_cross(w, h)), k);
}

/* root to leaves: poses, twists, columns, own inertias; leaves to root: inertias of the subtrees */
static inline void centroidal_passes(const hml_model *m, const state_series *state, centroidal_body *bodies,
                                     centroidal_column *columns)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    assert(bodies && columns); /* for the analyzer */
    for (int32_t i = 0; i < m->nbodies; i++) {
        const plan_body *p = &pb[i];
        const centroidal_body *up = p->parent < 0 ? NULL : &bodies[p->parent];
        const body_coordinates at = coordinates_of(m, i);
        centroidal_body *b = &bodies[i];
        twist S[HML_JOINT_MAX_NV];
        num room;
        const pose X = plan_pose(p->X);
        b->H = joint_move(p->type, up ? pose_mul(up->H, X) : X, K(p->pitch), body_position(m, i, state->q, &room));
        b->world = up ? up->world : b->H;
        if (!up) b->H = pose_identity();
        joint_columns_at(p->type, b->H, K(p->pitch), S);
        b->V = up ? up->V : twist_zero();
        for (int32_t k = 0; k < p->nv; k++) b->V = twist_axpy(state_rate(state, 0, &at, k), S[k], b->V);
        for (int32_t k = 0; k < p->nv; k++) {
            columns[p->v + k].S = S[k];
            columns[p->v + k].Sdot = twist_cross(b->V, S[k]);
        }
        b->I = inertia_transform(b->H, plan_inertia(p->I));
        b->Idot = inertia_rate(b->I, b->V);
    }
    for (int32_t i = m->nbodies - 1; i >= 0; i--) {
        if (pb[i].parent < 0) continue;
        centroidal_body *p = &bodies[pb[i].parent];
        p->I = inertia_add(p->I, bodies[i].I);
        p->Idot = inertia_add(p->Idot, bodies[i].Idot);
    }
}

/* mass and com of all trees, the com in the F₀ of the first, so that no digits are lost far from the origin */
static inline vec3 centroidal_com(const hml_model *m, const centroidal_body *bodies, centroidal *out)
{
    const plan_tree *trees = plan_trees(model_plan(m));
    vec3 first = vec3_zero(), momentum = vec3_zero();
    out->mass = K(0);
    for (int32_t t = 0; t < model_plan(m)->ntrees; t++) {
        const centroidal_body *root = &bodies[trees[t].body_begin];
        pose X = t ? pose_between(bodies[0].world, root->world) : pose_identity();
        out->mass += root->I.m;
        first = vec3_add(first, vec3_axpy(root->I.m, X.p, mat3_mul_vec(X.R, root->I.h)));
        momentum = vec3_add(momentum, mat3_mul_vec(root->world.R, root->Idot.h)); /* ḣ is the linear momentum */
    }
    first = vec3_scale(K(1) / out->mass, first);
    out->com = pose_act(bodies[0].world, first);
    out->velocity = vec3_scale(K(1) / out->mass, momentum);
    return first;
}

/* a momentum and its rate about the origin of F₀ → about the com, in the world's axes */
static inline void wrench_to_com(const pose *world, vec3 c, vec3 cdot, wrench F[2])
{
    vec3 t = vec3_sub(F[0].t, vec3_cross(c, F[0].f));
    vec3 tdot = vec3_sub(F[1].t, vec3_add(vec3_cross(cdot, F[0].f), vec3_cross(c, F[1].f)));
    F[0] = wrench_of(mat3_mul_vec(world->R, F[0].f), mat3_mul_vec(world->R, t));
    F[1] = wrench_of(mat3_mul_vec(world->R, F[1].f), mat3_mul_vec(world->R, tdot));
}

/*
 * j: A and Ȧ, order 1, in the user's numbering; columns are momenta [f; t]. Of order 0: A alone. The rate of the momentum is
 * A ν̇ + Ȧ ν. bodies and columns are scratch, nbodies and tree_nv of them. momentum: 0 where it is not wanted, and left zero.
 */
static inline void centroidal_run_for(const hml_model *m, const state_series *state, centroidal_body *bodies,
                                      centroidal_column *columns, const jacobian_series *j, int momentum,
                                      centroidal *out)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    const int rates = j->order > 0 || momentum;
    centroidal_passes(m, state, bodies, columns);
    const vec3 com = centroidal_com(m, bodies, out);
    if (m->nfollowers) jacobian_zero(j); /* several joints may share a column then */
    out->momentum[0] = out->momentum[1] = wrench_zero();
    vec3 c = com, cdot = vec3_zero(); /* in the F₀ of the tree at hand */
    for (int32_t i = 0; i < m->nbodies; i++) {
        const centroidal_body *b = &bodies[i];
        const body_coordinates at = coordinates_of(m, i);
        if (pb[i].parent < 0) cdot = mat3_tmul_vec(b->world.R, out->velocity);
        if (i && pb[i].parent < 0) c = pose_act_inverse(pose_between(bodies[0].world, b->world), com);
        for (int32_t k = 0; k < pb[i].nv; k++) {
            const centroidal_column *col = &columns[pb[i].v + k];
            wrench F[2] = {inertia_mul(b->I, col->S), wrench_zero()};
            if (rates) F[1] = wrench_add(inertia_mul(b->Idot, col->S), inertia_mul(b->I, col->Sdot));
            wrench_to_com(&b->world, c, cdot, F);
            const num rate = momentum ? state_rate(state, 0, &at, k) : K(0);
            const num acceleration = momentum ? state_rate(state, 1, &at, k) : K(0);
            if (momentum) out->momentum[0] = wrench_add(out->momentum[0], wrench_scale(rate, F[0]));
            if (momentum) out->momentum[1] = wrench_add(out->momentum[1], wrench_scale(rate, F[1]));
            if (momentum) out->momentum[1] = wrench_add(out->momentum[1], wrench_scale(acceleration, F[0]));
            for (int n = 0; n <= j->order; n++) {
                twist sum = twist_of(F[n].f, F[n].t);
                if (m->nfollowers) sum = twist_axpy(at.factor, sum, matrix_column(j->J[n], j->nv, at.v + k));
                matrix_put_column(j->J[n], j->nv, at.v + k, sum);
            }
        }
    }
}

static inline void centroidal_run(const hml_model *m, const state_series *state, centroidal_body *bodies,
                                  centroidal_column *columns, const jacobian_series *j, centroidal *out)
{
    centroidal_run_for(m, state, bodies, columns, j, 1, out);
}

#endif
