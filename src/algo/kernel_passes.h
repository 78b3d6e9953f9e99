/*
 * The passes of the fast forward dynamics and linearization, over num. Formulas and frames are those of kernel_tree.h.
 *
 * Bodies are visited depth first, and each pass goes out and comes back in one walk: a body is finished (`back`) as
 * soon as its subtree is done, while everything it needs is still in the cache. What only the way to the root needs,
 * poses, motions and sums, is kept once a level, not once a body: what is left for later, a column's numbers and a
 * subtree's inertia, is small.
 *
 *   first walk    out: pose, velocity, acceleration without ν̇, columns, own inertia and force
 *                 back: F = I S and g of the columns, M's row, its elimination, right-hand side; the sum joins the
 *                 parent
 *   second walk   out: ν̇, the part Δa that it adds to the acceleration, Ψ̈
 *                 back: the part Δf that it adds to the force of the subtree
 *
 * Both back steps together give what a motion of column c does to the forces of its ancestors, per unit:
 *
 *   U_q = 2B Ψ̇ + I Ψ̈ + [f] S        U_ν = 2B S + I (Ψ̇ + Ṡ)
 */
#ifndef HML_ALGO_KERNEL_PASSES_H
#define HML_ALGO_KERNEL_PASSES_H

#include "algo/kernel_factor.h"
#include "algo/kernel_sines.h"

/* where the walk is, one for each level of the tree */
typedef struct link_state {
    pose H;        /* in the root frame */
    twist v, a;    /* a with ν̇ = 0 */
    composite sum; /* of the subtree as far as it is known */
    twist da;      /* second walk: Δa */
    wrench G;      /* Σ F ν̇ over the columns further out */
} link_state;

typedef struct walk {
    const hml_plan *plan;
    const topology *paths;
    const plan_tree *tree;
    const double *gravity;
    const num *q, *v, *sine, *cosine;
    link_state *links;      /* levels */
    inertia *inertias;      /* nbodies: of the subtrees */
    branch_column *columns; /* nv */
    mass_factor f;
    base_block *block; /* of a free root */
    num *b, *x;        /* nv: τ − h, then its half solution; ν̇ */
    base_motion *base;
} walk;

/* H ∘ X of the plan: most placements turn by quarters, which only renames axes */
NUM_INLINE pose link_predecessor(const pose *H, const plan_body *p)
{
    int at[3];
    double sign[3];
    vec3 o = pose_act(*H, vec3_of(K(p->X[9]), K(p->X[10]), K(p->X[11])));
    if (!plan_quarter_turn(p->turn, at, sign)) return pose_of(mat3_mul(H->R, plan_pose(p->X).R), o);
    const vec3 *axes = &H->R.x;
    return pose_of(mat3_of(vec3_scale(K(sign[0]), axes[at[0]]), vec3_scale(K(sign[1]), axes[at[1]]),
                           vec3_scale(K(sign[2]), axes[at[2]])),
                   o);
}

/* S of a joint with one coordinate */
NUM_INLINE twist joint_column_at(int type, pose H, num pitch)
{
    if (type == HML_JOINT_PRISMATIC) return column_slide(H.R.z);
    twist S = column_turn(H.p, H.R.z);
    if (type == HML_JOINT_HELICAL) S.v = vec3_axpy(pitch, H.R.z, S.v);
    return S;
}

/* Ψ̇ + Ṡ of a column; `several`: its joint has more than one coordinate */
NUM_INLINE twist column_PS(const branch_column *c, int several)
{
    twist PS = twist_add(c->Pd, c->Pd);
    return several ? twist_add(PS, c->Sd) : PS;
}

/* first walk, out: the root of a tree */
static inline void root_out(const walk *w, const plan_body *p)
{
    link_state *own = &w->links[0];
    branch_column *c = &w->columns[p->v];
    twist S[HML_JOINT_MAX_NV];
    const num *nu = &w->v[p->v];
    const int free_root = w->tree->base != 0;
    pose W = joint_move(p->type, plan_pose(p->X), K(p->pitch), &w->q[p->q]);
    w->base->H = W;
    w->base->gravity = mat3_tmul_vec(W.R, vec3_of(K(w->gravity[0]), K(w->gravity[1]), K(w->gravity[2])));
    w->base->u = free_root ? vec3_of(nu[0], nu[1], nu[2]) : vec3_zero();
    twist a = free_root ? twist_zero() : twist_of(vec3_neg(w->base->gravity), vec3_zero()), v = twist_zero();
    own->H = pose_identity();
    joint_columns_at(p->type, own->H, K(p->pitch), S);
    for (int32_t k = free_root ? 3 : 0; k < p->nv; k++) v = twist_axpy(nu[k], S[k], v);
    for (int32_t k = 0; k < p->nv; k++) {
        c[k].S = S[k];
        c[k].Pd = twist_zero();
        c[k].Sd = twist_cross(v, S[k]);
        c[k].Pdd = twist_cross(a, S[k]);
    }
    own->v = v;
    own->a = a;
    own->sum = composite_of(plan_inertia(p->I), v, a);
}

/* first walk, out: any other body */
static inline void link_out(const walk *w, const plan_body *p)
{
    link_state *own = &w->links[p->level];
    const link_state *up = own - 1;
    branch_column *c = &w->columns[p->v];
    const num *nu = &w->v[p->v];
    num pitch = K(p->pitch);
    pose H = link_predecessor(&up->H, p);
    if (p->type == HML_JOINT_REVOLUTE)
        H.R = turn_z_by(H.R, w->sine[p->q], w->cosine[p->q]);
    else
        H = joint_move(p->type, H, pitch, &w->q[p->q]);
    twist vp = up->v, ap = up->a, v, a;
    own->H = H;
    if (p->nv == 1) { /* S × S is zero */
        twist S = joint_column_at(p->type, H, pitch), Pd = twist_cross(vp, S);
        v = twist_axpy(nu[0], S, vp);
        a = twist_axpy(nu[0], Pd, ap);
        c->S = S;
        c->Pd = Pd;
        c->Pdd = twist_add(twist_cross(ap, S), twist_cross(vp, Pd));
    } else {
        twist S[HML_JOINT_MAX_NV], vJ = twist_zero();
        joint_columns_at(p->type, H, pitch, S);
        for (int32_t k = 0; k < p->nv; k++) vJ = twist_axpy(nu[k], S[k], vJ);
        v = twist_add(vp, vJ);
        a = twist_add(ap, twist_cross(vp, vJ));
        for (int32_t k = 0; k < p->nv; k++) {
            twist Pd = twist_cross(vp, S[k]);
            c[k].S = S[k];
            c[k].Pd = Pd;
            c[k].Sd = twist_cross(vJ, S[k]);
            c[k].Pdd = twist_add(twist_cross(ap, S[k]), twist_cross(vp, Pd));
        }
    }
    own->v = v;
    own->a = a;
    own->sum = composite_of(inertia_transform(H, plan_inertia(p->I)), v, a);
}

/* first walk, back */
static inline void link_back(const walk *w, const plan_body *p, int32_t i, mask *failed)
{
    link_state *own = &w->links[p->level];
    const composite *b = &own->sum;
    const int root = p->parent<0, several = p->nv> 1;
    for (int32_t k = p->v + p->nv - 1; k >= p->v; k--) {
        branch_column *c = &w->columns[k];
        twist S = c->S;
        c->F = inertia_mul(b->I, S);
        c->g = composite_2B_transposed(b, S);
        w->b[k] -= wrench_dot(b->f, S);
        if (!root) {
            c->Uq = composite_Uq(b, S, c->Pd, c->Pdd);
            c->Uv = composite_Uv(b, S, column_PS(c, several));
        }
        if (!root || !w->tree->base)
            factor_column(w->plan, w->paths, w->tree, k, w->columns, &w->f, w->block, w->b, failed);
    }
    if (root) {
        if (w->tree->base) factor_root(w->plan, w->tree, &b->I, &w->f, w->block, w->b, failed);
        return;
    }
    w->inertias[i] = b->I;
    own[-1].sum = composite_add(own[-1].sum, *b);
}

/* second walk, out */
static inline void link_accelerate(const walk *w, const plan_body *p)
{
    link_state *own = &w->links[p->level];
    const int root = p->parent < 0;
    twist up = root ? twist_zero() : own[-1].da, da = up;
    for (int32_t k = p->v; k < p->v + p->nv; k++) {
        branch_column *c = &w->columns[k];
        twist S = c->S;
        num x = factor_back(w->plan, w->paths, w->tree, &w->f, k, w->b, w->x);
        w->x[k] = x;
        da = twist_axpy(x, S, da);
        if (!root) c->Pdd = twist_add(c->Pdd, twist_cross(up, S));
    }
    own->da = da;
    own->G = wrench_zero();
}

/* second walk, back: nothing is above a root */
static inline void link_forces(const walk *w, const plan_body *p, int32_t i)
{
    link_state *own = &w->links[p->level];
    const inertia *I = &w->inertias[i];
    twist up = own[-1].da;
    wrench G = own->G, df = wrench_add(inertia_mul(*I, own->da), G);
    for (int32_t k = p->v; k < p->v + p->nv; k++) {
        branch_column *c = &w->columns[k];
        twist S = c->S;
        c->Uq = wrench_add(c->Uq, wrench_add(inertia_mul(*I, twist_cross(up, S)), twist_cross_dual(S, df)));
        G = wrench_add(G, wrench_scale(w->x[k], c->F));
    }
    own[-1].G = wrench_add(own[-1].G, G);
}

#endif
