/*
 * The passes of the fast forward dynamics and linearization, over num. Formulas and frames are those of
 * kernel/composite.h.
 *
 * Bodies are visited depth first. A walk goes out and comes back: a body is finished (`back`) as soon as its subtree is
 * done, while everything it needs is still in the cache. What only the path to the root needs (poses, motions, sums) is
 * stored once per level of the tree, not once per body. What must be kept for later, the columns' numbers and the
 * subtrees' inertias, is small.
 *
 *   first walk    out: pose, velocity, acceleration without ν̇, columns, own inertia and force
 *                 back: F = I S and g of the columns, M's row, its elimination, right-hand side; the sum joins the
 *                 parent
 *   second walk   out: ν̇, velocity and acceleration, and Δa, the part of it that ν̇ adds; rows of the inverse
 *                 back: Ψ̈, the force of the subtree with the part that ν̇ adds, and
 *                 what a unit motion of column c does to the forces of its ancestors:
 *
 *   U_q = 2B Ψ̇ + I Ψ̈ + [f] S        U_ν = 2B S + I (Ψ̇ + Ṡ)
 */
#ifndef HML_KERNEL_PACK_WALK_H
#define HML_KERNEL_PACK_WALK_H

#include "kernel/pack/block_inverse.h"
#include "kernel/pack/sincos.h"

/* the bodies on the current path, one per level of the tree */
typedef struct link_state {
    pose H;     /* in the root frame */
    twist v, a; /* a with ν̇ = 0 in the first walk */
    twist da;   /* second walk: Δa */
    wrench G;   /* Σ F ν̇ over the columns further out */
} link_state;

/* what a column keeps for its own right-hand sides, beside its branch_row */
typedef struct branch_column {
    twist Pd, Pdd; /* Ψ̇, Ψ̈ */
    wrench Uq, Uv; /* what its motion does to the ancestors */
} branch_column;

typedef struct tree_walk {
    const hml_plan *plan;
    const plan_paths *paths;
    const plan_tree *tree;
    const double *gravity;
    const model_coordinate *coordinates;
    const num *q, *v, *sine, *cosine;
    link_state *links;      /* levels */
    composite *sums;        /* nbodies: of the subtrees */
    branch_row *rows;       /* nv */
    branch_column *columns; /* nv */
    twist *Sd;              /* nv: Ṡ − Ψ̇; zero and not stored for joints with one coordinate */
    mass_factor f;
    base_block *block; /* of a free root */
    num *b, *x;        /* nv: τ − h, then its half solution; ν̇ */
    base_motion *base;
    block_inverse N;
} tree_walk;

/* H X of the plan: most placements are quarter turns, which only rename axes */
NUM_INLINE pose link_predecessor(const pose *H, const plan_body *p)
{
    int at[3];
    double sign[3];
    vec3 o = pose_act(*H, vec3_of(K(p->X[9]), K(p->X[10]), K(p->X[11])));
    if (!plan_quarter_turn(p->quarter_turn, at, sign)) return pose_of(mat3_mul(H->R, plan_pose(p->X).R), o);
    const vec3 *axes = &H->R.x;
    return pose_of(mat3_of(vec3_scale(K(sign[0]), axes[at[0]]), vec3_scale(K(sign[1]), axes[at[1]]),
                           vec3_scale(K(sign[2]), axes[at[2]])),
                   o);
}

/* S of a joint with one coordinate */
NUM_INLINE twist joint_column_at(int type, pose H, num pitch)
{
    if (type == HML_JOINT_PRISMATIC) return slide_column(H.R.z);
    twist S = turn_column(H.R.z, H.p);
    if (type == HML_JOINT_HELICAL) S.v = vec3_axpy(pitch, H.R.z, S.v);
    return S;
}

/* Ψ̇ + Ṡ of a column; `several`: its joint has more than one coordinate */
NUM_INLINE twist column_PS(const tree_walk *w, int32_t c, int several)
{
    const twist Pd = w->columns[c].Pd, PS = twist_add(Pd, Pd);
    return several ? twist_add(PS, w->Sd[c]) : PS;
}

/* first walk, out: the root of a tree */
static inline void first_root_out(const tree_walk *w, const plan_body *p)
{
    link_state *own = &w->links[0];
    twist S[HML_JOINT_MAX_NV];
    const num *nu = &w->v[p->v];
    const int free_root = w->tree->base != 0;
    pose W = joint_move(p->type, plan_pose(p->X), K(p->pitch), &w->q[p->q]);
    w->base->H = W;
    w->base->gravity = mat3_tmul_vec(W.R, vec3_of(K(w->gravity[0]), K(w->gravity[1]), K(w->gravity[2])));
    w->base->u = free_root ? vec3_at(nu) : vec3_zero();
    twist a = free_root ? twist_zero() : twist_of(vec3_neg(w->base->gravity), vec3_zero()), v = twist_zero();
    own->H = pose_identity();
    joint_columns_at(p->type, own->H, K(p->pitch), S);
    for (int32_t k = free_root ? 3 : 0; k < p->nv; k++) v = twist_axpy(nu[k], S[k], v);
    for (int32_t k = 0; k < p->nv; k++) {
        w->rows[p->v + k].S = S[k];
        w->columns[p->v + k].Pd = twist_zero();
        w->columns[p->v + k].Pdd = twist_cross(a, S[k]);
        w->Sd[p->v + k] = twist_cross(v, S[k]);
    }
    for (int32_t k = p->v; k < p->v + p->nv; k++) factor_clear(w->plan, &w->f, k);
    own->v = v;
    own->a = a;
    w->sums[w->tree->body_begin] = composite_of(plan_inertia(p->I), v, a);
}

/* first walk, out: any other body */
static inline void first_out(const tree_walk *w, const plan_body *p, int32_t i)
{
    link_state *own = &w->links[p->level];
    const link_state *up = own - 1;
    branch_row *row = &w->rows[p->v];
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
        row->S = S;
        c->Pd = Pd;
    } else {
        twist S[HML_JOINT_MAX_NV], vJ = twist_zero();
        joint_columns_at(p->type, H, pitch, S);
        for (int32_t k = 0; k < p->nv; k++) vJ = twist_axpy(nu[k], S[k], vJ);
        v = twist_add(vp, vJ);
        a = twist_add(ap, twist_cross(vp, vJ));
        for (int32_t k = 0; k < p->nv; k++) {
            row[k].S = S[k];
            c[k].Pd = twist_cross(vp, S[k]);
            w->Sd[p->v + k] = twist_cross(vJ, S[k]);
        }
    }
    for (int32_t k = p->v; k < p->v + p->nv; k++) factor_clear(w->plan, &w->f, k);
    own->v = v;
    own->a = a;
    w->sums[i] = composite_of(inertia_transform(H, plan_inertia(p->I)), v, a);
}

/* first walk, back */
static inline void first_back(const tree_walk *w, const plan_body *p, int32_t i, mask *failed)
{
    const composite *b = &w->sums[i];
    const int free_root = p->parent < 0 && w->tree->base;
    for (int32_t k = p->v + p->nv - 1; k >= p->v; k--) {
        branch_row *row = &w->rows[k];
        twist S = row->S;
        row->F = inertia_mul(b->I, S);
        row->g = composite_2B_transposed(b, S);
        w->b[k] -= wrench_dot(b->f, S);
        if (!free_root)
            factor_column(w->plan, w->coordinates, w->paths, w->tree, k, w->rows, &w->f, w->block, w->b, failed);
    }
    if (free_root) factor_root(w->coordinates, w->tree, &b->I, &w->f, w->block, w->b, failed);
    if (p->parent >= 0) w->sums[p->parent] = composite_add(w->sums[p->parent], *b);
}

/* second walk, out; solve 0: ν̇ is known */
NUM_INLINE void second_out_with(const int solve, const tree_walk *w, const plan_body *p, int32_t block)
{
    link_state *own = &w->links[p->level];
    const int root = p->parent < 0;
    twist v = own->v, a = own->a, da = twist_zero(); /* those of a root are still there */
    if (!root) v = own[-1].v, a = own[-1].a, da = own[-1].da;
    for (int32_t k = p->v; k < p->v + p->nv; k++) {
        twist S = w->rows[k].S;
        num x;
        if (!solve)
            x = w->x[k];
        else if (root && w->tree->base)
            x = factor_back(w->tree, &w->f, k, w->b, w->x);
        else
            x = inverse_row(w->plan, w->paths, w->tree, &w->f, &w->N, block, k, w->b, w->x);
        w->x[k] = x;
        da = twist_axpy(x, S, da);
        a = twist_axpy(x, S, a);
        if (!root) {
            v = twist_axpy(w->v[k], S, v);
            a = twist_axpy(w->v[k], w->columns[k].Pd, a);
        }
    }
    own->v = v;
    own->a = a;
    own->da = da;
    own->G = wrench_zero();
}

static inline void second_out(const tree_walk *w, const plan_body *p, int32_t block)
{
    second_out_with(1, w, p, block);
}

/* second walk, back; not for a root, which has no ancestors */
static inline void second_back(const tree_walk *w, const plan_body *p, int32_t i)
{
    link_state *own = &w->links[p->level];
    composite b = w->sums[i];
    twist vp = own[-1].v, ap = own[-1].a;
    wrench G = own->G;
    b.f = wrench_add(b.f, wrench_add(inertia_mul(b.I, own->da), G));
    for (int32_t k = p->v; k < p->v + p->nv; k++) {
        branch_column *c = &w->columns[k];
        twist S = w->rows[k].S, Pd = c->Pd, Pdd = twist_add(twist_cross(ap, S), twist_cross(vp, Pd));
        c->Pdd = Pdd;
        c->Uq = composite_Uq(&b, S, Pd, Pdd);
        c->Uv = composite_Uv(&b, S, column_PS(w, k, p->nv > 1));
        G = wrench_add(G, wrench_scale(w->x[k], w->rows[k].F));
    }
    own[-1].G = wrench_add(own[-1].G, G);
}

#endif
