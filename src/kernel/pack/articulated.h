/*
 * Forward dynamics in time proportional to the number of bodies, over num: the articulated-body algorithm
 * (Featherstone, "Rigid body dynamics algorithms", chapter 7).
 *
 * Frames are those of kernel/composite.h: everything is in the root frame, so nothing is transformed on the way up or
 * down; gravity and the linear velocity of a free root are left out. Accelerations are first propagated with ν̇ = 0, so
 * bias forces only add up. A joint with several columns is treated as a sequence of joints with one: the last column is
 * eliminated first, and its pivot D is that of M = Lᵀ D L (pack/ltdl.h).
 *
 *   out     S, own inertia I and force f with ν̇ = 0
 *   back    I + Σ of the children;  for each column  U = I S,  D = Sᵀ U + armature,  u = τ − Sᵀ f,
 *           I −= U D⁻¹ Uᵀ,  f += U D⁻¹ u;  then both join the parent
 *   out     ν̇ = D⁻¹ (u − Uᵀ a),  a += S ν̇
 *
 * U and D⁻¹ of all columns determine M⁻¹: a solve with another right-hand side repeats the last two lines.
 */
#ifndef HML_KERNEL_PACK_ARTICULATED_H
#define HML_KERNEL_PACK_ARTICULATED_H

#include "kernel/pack/walk.h"
#include "kernel/scratch.h"

/* inertia of a body that carries others on joints: [f; t] = [A B; Bᵀ C] [v; ω] */
typedef struct articulated {
    sym3 A;
    mat3 B;
    sym3 C;
} articulated;

/* the bodies on the current path, one per level of the tree */
typedef struct articulated_link {
    pose H;
    twist v, a;      /* a with ν̇ = 0; in the last pass what ν̇ adds to it */
    inertia I;       /* its own */
    wrench f;        /* of the body, then of its subtree */
    articulated sum; /* the articulated inertias of its children, seen through their joints */
    num mass, trace; /* of the subtree; they bound the diagonal entries of M, see articulated_pivot */
} articulated_link;

typedef struct articulated_walk {
    const hml_plan *plan;
    const double *gravity;
    const model_coordinate *coordinates;
    const num *q, *v;
    articulated_link *links;     /* levels */
    articulated_column *columns; /* nv */
    base_motion *base;           /* of the tree */
    const num *sine, *cosine;    /* of the entries of q that are angles */
    num *x;                      /* nv: τ without passive forces, u, ν̇ */
} articulated_walk;

/* ---- articulated inertias ---- */

NUM_INLINE articulated articulated_of(inertia I)
{
    articulated X;
    X.A = sym3_of(I.m, K(0), K(0), I.m, K(0), I.m);
    X.B = mat3_of(vec3_of(K(0), -I.h.z, I.h.y), vec3_of(I.h.z, K(0), -I.h.x), vec3_of(-I.h.y, I.h.x, K(0)));
    X.C = I.J;
    return X;
}

NUM_INLINE articulated articulated_add(articulated X, articulated Y)
{
    X.A = sym3_add(X.A, Y.A);
    X.B = mat3_add(X.B, Y.B);
    X.C = sym3_add(X.C, Y.C);
    return X;
}

/* X + I, skipping the zeros of I */
NUM_INLINE articulated articulated_add_rigid(articulated X, inertia I)
{
    X.A.xx += I.m, X.A.yy += I.m, X.A.zz += I.m;
    X.B.x.y -= I.h.z, X.B.x.z += I.h.y;
    X.B.y.x += I.h.z, X.B.y.z -= I.h.x;
    X.B.z.x -= I.h.y, X.B.z.y += I.h.x;
    X.C = sym3_add(X.C, I.J);
    return X;
}

NUM_INLINE wrench articulated_mul(articulated X, twist V)
{
    return wrench_of(vec3_add(sym3_mul(X.A, V.v), mat3_mul_vec(X.B, V.w)),
                     vec3_add(mat3_tmul_vec(X.B, V.v), sym3_mul(X.C, V.w)));
}

NUM_INLINE sym3 sym3_less(sym3 A, vec3 a, vec3 b)
{
    return sym3_of(A.xx - a.x * b.x, A.xy - a.x * b.y, A.xz - a.x * b.z, A.yy - a.y * b.y, A.yz - a.y * b.z,
                   A.zz - a.z * b.z);
}

/* X − U D⁻¹ Uᵀ */
NUM_INLINE articulated articulated_less(articulated X, wrench U, num inverse)
{
    wrench W = wrench_scale(inverse, U);
    X.A = sym3_less(X.A, W.f, U.f);
    X.B.x = vec3_axpy(-U.t.x, W.f, X.B.x);
    X.B.y = vec3_axpy(-U.t.y, W.f, X.B.y);
    X.B.z = vec3_axpy(-U.t.z, W.f, X.B.z);
    X.C = sym3_less(X.C, W.t, U.t);
    return X;
}

/* ---- out ---- */

/*
 * The force that a motion needs: [m c + α × h + ω × (ω × h); J α + ω × J ω + h × c], with c = a_v + ω × v the
 * acceleration of the point at the origin.
 */
NUM_INLINE wrench articulated_force(inertia I, twist v, twist a)
{
    vec3 c = vec3_add(a.v, vec3_cross(v.w, v.v)), h = I.h;
    vec3 f = vec3_add(vec3_scale(I.m, c), vec3_add(vec3_cross(a.w, h), vec3_cross(v.w, vec3_cross(v.w, h))));
    vec3 t = vec3_add(sym3_mul(I.J, a.w), vec3_add(vec3_cross(v.w, sym3_mul(I.J, v.w)), vec3_cross(h, c)));
    return wrench_of(f, t);
}

/* S of a joint at H, column by column; Σ S ν over the columns from `first` on */
static inline twist articulated_columns(const articulated_walk *w, const plan_body *p, pose H, int32_t first)
{
    twist S[HML_JOINT_MAX_NV] = {twist_zero()}, sum = twist_zero();
    joint_columns_at(p->type, H, K(p->pitch), S);
    for (int32_t j = 0; j < p->nv; j++) {
        w->columns[p->v + j].S = S[j];
        if (j >= first) sum = twist_axpy(w->v[p->v + j], S[j], sum);
    }
    return sum;
}

/* the root of a tree */
static inline void articulated_root_out(const articulated_walk *w, const plan_body *p)
{
    articulated_link *own = w->links;
    base_motion *base = w->base;
    const int free_root = p->type == HML_JOINT_FREE;
    const num *nu = &w->v[p->v];
    base->H = joint_move(p->type, plan_pose(p->X), K(p->pitch), &w->q[p->q]);
    base->gravity = mat3_tmul_vec(base->H.R, vec3_of(K(w->gravity[0]), K(w->gravity[1]), K(w->gravity[2])));
    base->u = free_root ? vec3_at(nu) : vec3_zero();
    own->H = pose_identity();
    own->v = articulated_columns(w, p, own->H, free_root ? 3 : 0);
    own->a = free_root ? twist_zero() : twist_of(vec3_neg(base->gravity), vec3_zero());
    own->I = plan_inertia(p->I);
}

/* any other body */
static inline void articulated_link_out(const articulated_walk *w, const plan_body *p)
{
    articulated_link *own = &w->links[p->level];
    pose H = link_predecessor(&own[-1].H, p);
    twist v = own[-1].v, vJ;
    if (p->type == HML_JOINT_REVOLUTE) {
        vec3 x = H.R.x;
        num sine = w->sine[p->q], cosine = w->cosine[p->q];
        H.R.x = vec3_axpy(sine, H.R.y, vec3_scale(cosine, x));
        H.R.y = vec3_axpy(-sine, x, vec3_scale(cosine, H.R.y));
        twist S = turn_column(H.R.z, H.p);
        w->columns[p->v].S = S;
        vJ = twist_scale(w->v[p->v], S);
    } else {
        H = joint_move(p->type, H, K(p->pitch), &w->q[p->q]);
        vJ = articulated_columns(w, p, H, 0);
    }
    own->H = H;
    own->a = twist_add(own[-1].a, twist_cross(v, vJ));
    own->v = twist_add(v, vJ);
    own->I = inertia_transform(H, plan_inertia(p->I));
}

/* pose, motion and columns of body i, its inertia and the force that its motion needs */
static inline void articulated_out(const articulated_walk *w, int32_t i)
{
    const plan_body *p = &plan_bodies(w->plan)[i];
    articulated_link *own = &w->links[p->level];
    if (p->parent < 0)
        articulated_root_out(w, p);
    else
        articulated_link_out(w, p);
    own->f = articulated_force(own->I, own->v, own->a);
    own->mass = own->I.m;
    own->trace = own->I.J.xx + own->I.J.yy + own->I.J.zz;
}

/* ---- back ---- */

/* the articulated inertia of a body: its own, plus its children's seen through their joints */
NUM_INLINE articulated articulated_whole(const articulated_link *own, int leaf)
{
    return leaf ? articulated_of(own->I) : articulated_add_rigid(own->sum, own->I);
}

/*
 * 1/D. A pivot vanished if it is tiny compared with its entry of M, Sᵀ I S of the rigid subtree, which is not known
 * here. That entry is at most 2 m |v|² + tr J. The squares of this bound over D are summed up in pivot_score; only a
 * tree with a large score is checked exactly.
 */
NUM_INLINE num articulated_pivot(num D, twist S, const articulated_link *b, num armature, num *pivot_score)
{
    num most = K(2) * b->mass * vec3_dot(S.v, S.v) + (b->trace + armature), inverse = K(1) / D, ratio = most * inverse;
    *pivot_score += ratio * ratio;
    return inverse;
}

static inline mask pivots_vanished(num pivot_score) { return ~num_lt(pivot_score, K(0x1p80)); }

static inline void articulated_back(const articulated_walk *w, int32_t i, num *pivot_score)
{
    const plan_body *p = &plan_bodies(w->plan)[i];
    articulated_link *b = &w->links[p->level], *up = b - 1;
    articulated X = articulated_whole(b, p->end == i + 1);
    wrench f = b->f;
    for (int32_t k = p->v + p->nv - 1; k >= p->v; k--) {
        articulated_column *c = &w->columns[k];
        const num armature = K(w->coordinates[k].armature);
        const twist S = c->S;
        wrench U = articulated_mul(X, S);
        num inverse = articulated_pivot(wrench_dot(U, S) + armature, S, b, armature, pivot_score);
        num u = w->x[k] - wrench_dot(f, S);
        c->U = U;
        c->inverse = inverse;
        w->x[k] = u;
        if (p->parent < 0 && k == p->v) break; /* a root has no parent */
        f = wrench_add(f, wrench_scale(inverse * u, U));
        X = articulated_less(X, U, inverse);
    }
    if (p->parent < 0) return;
    up->f = wrench_add(up->f, f);
    up->mass += b->mass;
    up->trace += b->trace;
    up->sum = p->parent == i - 1 ? X : articulated_add(up->sum, X); /* the first child is the next body: no sum yet */
}

/* eliminates column k of a free root, the unit vector k */
NUM_INLINE void articulated_root_step(num m[6][6], num y[6], int32_t k, const articulated_link *b, num armature,
                                      articulated_column *c, num *pivot_score)
{
    num inverse = articulated_pivot(m[k][k], c->S, b, armature, pivot_score);
    for (int32_t e = 0; e < k; e++) {
        num a = m[k][e] * inverse;
        y[e] -= a * y[k];
        for (int32_t d = 0; d <= e; d++) m[e][d] -= a * m[k][d];
    }
    c->inverse = inverse;
}

/* the same for a free root, whose columns are the identity: U of column k is row k of what is left of its inertia */
static inline void articulated_root_back(const articulated_walk *w, int32_t i, num *pivot_score)
{
    const plan_body *p = &plan_bodies(w->plan)[i];
    const model_coordinate *passive = w->coordinates + p->v;
    const articulated_link *b = &w->links[0];
    articulated_column *columns = &w->columns[p->v];
    articulated X = articulated_whole(b, p->end == i + 1);
    const num f[6] = {b->f.f.x, b->f.f.y, b->f.f.z, b->f.t.x, b->f.t.y, b->f.t.z};
    num m[6][6] = {{X.A.xx},
                   {X.A.xy, X.A.yy},
                   {X.A.xz, X.A.yz, X.A.zz},
                   {X.B.x.x, X.B.x.y, X.B.x.z, X.C.xx},
                   {X.B.y.x, X.B.y.y, X.B.y.z, X.C.xy, X.C.yy},
                   {X.B.z.x, X.B.z.y, X.B.z.z, X.C.xz, X.C.yz, X.C.zz}};
    num y[6];
    for (int32_t k = 0; k < 6; k++) m[k][k] += K(passive[k].armature), y[k] = w->x[p->v + k] - f[k];
    /* six calls, so that the loops inside have constant lengths */
    articulated_root_step(m, y, 5, b, K(passive[5].armature), &columns[5], pivot_score);
    articulated_root_step(m, y, 4, b, K(passive[4].armature), &columns[4], pivot_score);
    articulated_root_step(m, y, 3, b, K(passive[3].armature), &columns[3], pivot_score);
    articulated_root_step(m, y, 2, b, K(passive[2].armature), &columns[2], pivot_score);
    articulated_root_step(m, y, 1, b, K(passive[1].armature), &columns[1], pivot_score);
    articulated_root_step(m, y, 0, b, K(passive[0].armature), &columns[0], pivot_score);
    for (int32_t k = 0; k < 6; k++) {
        columns[k].U = wrench_of(vec3_of(m[k][0], m[k][1], m[k][2]), vec3_of(m[k][3], m[k][4], m[k][5]));
        w->x[p->v + k] = y[k];
    }
}

/* ---- a tree ---- */

/* the way back from body i: itself if it is a leaf, then every ancestor whose subtree ends here */
static inline void articulated_back_from(const articulated_walk *w, const plan_tree *tree, int32_t i, num *pivot_score)
{
    const plan_body *pb = plan_bodies(w->plan);
    int32_t j = i;
    for (; j > tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) articulated_back(w, j, pivot_score);
    if (j > tree->body_begin || pb[j].end != i + 1) return;
    if (tree->base)
        articulated_root_back(w, j, pivot_score);
    else
        articulated_back(w, j, pivot_score);
}

/* ν̇ of a tree into x, still without base_acceleration */
static inline void articulated_out_again(const articulated_walk *w, const plan_tree *tree)
{
    const plan_body *pb = plan_bodies(w->plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        articulated_link *own = &w->links[pb[i].level];
        own->a = articulated_accelerate(&pb[i], w->columns, pb[i].parent < 0 ? twist_zero() : own[-1].a, w->x);
    }
}

#endif
