/*
 * The derivative of inverse dynamics along a direction and its transpose, over num, at fixed ν̇.
 *
 * All quantities are in the root frame of kernel/composite.h, and of a free root the linear velocity u and gravity are
 * left out as there. Changes are those that an observer on the body itself sees, dx = δx − ξ × x with ξ the
 * displacement of the body: constant inertias and external wrenches that move with their body then do not change at
 * all, and ξ, which would grow along the chain, is never needed. With η = S δq, vJ = S ν and p the parent (v = 0, a =
 * −g for the world):
 *
 *   dv = dv_p + v_p × η + S δν                                                                  (1)
 *   da = da_p + a_p × η + (dv_p + v_p × η) × vJ + v_p × S δν                                    (2)
 *   df = I da + dv ×* (I v) + v ×* (I dv)                                                       (3)
 *   dF = df + Σ over children ( dF_c + η_c ×* F_c )                                             (4)
 *   dτ = Sᵀ dF                                                                                  (5)
 *
 * F is the force of the subtree. The transpose takes a cotangent t of dτ back through (5) … (1): φ, A, V are the
 * cotangents of dF, da, dv, and V ×* is minus the transpose of V ×.
 *
 *   φ = φ_p + S t          A = I φ + Σ A_c          Q = vJ ×* A
 *   V = −φ ×* (I v) − I (v × φ) + Σ (V_c + Q_c)
 *   δq: −Sᵀ ( φ_p ×* F + a_p ×* A + v_p ×* (V + Q) )          δν: Sᵀ ( V − v_p ×* A )
 */
#ifndef HML_ALGO_LINEARIZE_DIRECTIONAL_H
#define HML_ALGO_LINEARIZE_DIRECTIONAL_H

#include "kernel/passes.h"
#include "kernel/scratch.h"

typedef struct point_body {
    inertia I;    /* its own, not its subtree's */
    twist v, vJ;  /* velocity, and the joint's part of it */
    twist vp, ap; /* of the parent */
    twist a;
    wrench m; /* I v */
    wrench F; /* force of the subtree */
} point_body;

typedef struct sweep_body { /* of one product */
    twist v, a;             /* dv, da; the transpose keeps φ in v; a solve its acceleration in a */
    wrench V, A;            /* cotangents; forward: dF in A; a solve its force */
} sweep_body;

/*
 * Root to leaves and back at a state whose poses and columns are in `bodies`, `columns`: vd is ν̇ without what
 * base_acceleration puts back. wrenches as in kernel_call, of one state.
 */
static inline void point_fill(const hml_plan *plan, int32_t index, const kernel_call *call, const kept_scratch *k,
                              const num *vd, articulated_column *columns, point_body *points)
{
    const plan_tree *tree = &plan_trees(plan)[index];
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        point_body *b = &points[i];
        int32_t p = pb[i].parent;
        int free_root = p < 0 && tree->base;
        twist slide = twist_of(vec3_neg(k->base[index].gravity), vec3_zero()), aJ = twist_zero();
        b->vp = p < 0 ? twist_zero() : points[p].v;
        b->ap = p >= 0 ? points[p].a : free_root ? twist_zero() : slide;
        b->vJ = twist_zero();
        for (int32_t c = pb[i].v; c < pb[i].v + pb[i].nv; c++) {
            twist S = k->columns[c].S;
            columns[c].S = S;
            if (!free_root || c >= pb[i].v + 3) b->vJ = twist_axpy(k->v[c], S, b->vJ);
            aJ = twist_axpy(vd[c], S, aJ);
        }
        b->v = twist_add(b->vp, b->vJ);
        b->a = twist_add(twist_add(b->ap, aJ), twist_cross(b->vp, b->vJ));
        b->I = inertia_transform(k->bodies[i].H, plan_inertia(pb[i].I));
        b->m = inertia_mul(b->I, b->v);
        k->bodies[i].sum.f = wrench_add(inertia_mul(b->I, b->a), twist_cross_dual(b->v, b->m));
    }
    apply_wrenches(call, tree, k->bodies);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) points[i].F = k->bodies[i].sum.f;
    for (int32_t i = tree->body_end - 1; i > tree->body_begin; i--) {
        points[pb[i].parent].F = wrench_add(points[pb[i].parent].F, points[i].F);
    }
}

/* Σ x_c S_c over the columns of a body, from column `begin` on */
static inline twist columns_times(const plan_body *b, int32_t begin, const articulated_column *columns, const num *x)
{
    twist sum = twist_zero();
    for (int32_t c = begin; c < b->v + b->nv; c++) sum = twist_axpy(x[c], columns[c].S, sum);
    return sum;
}

/* (1) … (5) for one tree */
static inline void directional_forward(const hml_plan *plan, const plan_tree *tree, const articulated_column *columns,
                                       const point_body *points, const num *zq, const num *zv, sweep_body *s, num *tau)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        const point_body *b = &points[i];
        int32_t p = pb[i].parent;
        twist eta = columns_times(&pb[i], pb[i].v, columns, zq);
        twist turn = columns_times(&pb[i], pb[i].v + (p < 0 && tree->base ? 3 : 0), columns, zv);
        twist carried = twist_cross(b->vp, eta);
        if (p >= 0) carried = twist_add(carried, s[p].v);
        s[i].v = twist_add(carried, turn);
        s[i].a = twist_add(twist_cross(b->ap, eta), twist_add(twist_cross(carried, b->vJ), twist_cross(b->vp, turn)));
        if (p >= 0) s[i].a = twist_add(s[i].a, s[p].a);
        s[i].A = wrench_add(inertia_mul(b->I, s[i].a), wrench_add(twist_cross_dual(s[i].v, b->m),
                                                                  twist_cross_dual(b->v, inertia_mul(b->I, s[i].v))));
    }
    for (int32_t i = tree->body_end - 1; i >= tree->body_begin; i--) {
        int32_t p = pb[i].parent;
        for (int32_t c = pb[i].v; c < pb[i].v + pb[i].nv; c++) tau[c] = wrench_dot(s[i].A, columns[c].S);
        if (p < 0) continue;
        twist eta = columns_times(&pb[i], pb[i].v, columns, zq);
        s[p].A = wrench_add(s[p].A, wrench_add(s[i].A, twist_cross_dual(eta, points[i].F)));
    }
}

/* the transpose: cotangents of zq and zv from t, that of tau */
static inline void directional_reverse(const hml_plan *plan, const plan_tree *tree, const articulated_column *columns,
                                       const point_body *points, const num *t, sweep_body *s, num *zq, num *zv)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        const point_body *b = &points[i];
        twist phi = columns_times(&pb[i], pb[i].v, columns, t);
        if (pb[i].parent >= 0) phi = twist_add(phi, s[pb[i].parent].v);
        s[i].v = phi;
        s[i].A = inertia_mul(b->I, phi);
        s[i].V =
            wrench_scale(K(-1), wrench_add(twist_cross_dual(phi, b->m), inertia_mul(b->I, twist_cross(b->v, phi))));
    }
    for (int32_t i = tree->body_end - 1; i >= tree->body_begin; i--) {
        const point_body *b = &points[i];
        int32_t p = pb[i].parent;
        wrench VQ = wrench_add(s[i].V, twist_cross_dual(b->vJ, s[i].A));
        wrench q = wrench_add(twist_cross_dual(b->ap, s[i].A), twist_cross_dual(b->vp, VQ));
        wrench v = wrench_sub(s[i].V, twist_cross_dual(b->vp, s[i].A));
        if (p >= 0) {
            q = wrench_add(q, twist_cross_dual(s[p].v, b->F));
            s[p].A = wrench_add(s[p].A, s[i].A);
            s[p].V = wrench_add(s[p].V, VQ);
        }
        for (int32_t k = 0; k < pb[i].nv; k++) {
            int32_t c = pb[i].v + k;
            zq[c] = -wrench_dot(q, columns[c].S);
            zv[c] = p < 0 && tree->base && k < 3 ? K(0) : wrench_dot(v, columns[c].S);
        }
    }
}

/* x ← M⁻¹ x of all trees */
static inline void directional_solve(const hml_plan *plan, const articulated_column *columns, sweep_body *s, num *x)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = 0; i < plan->nbodies; i++) s[i].A = wrench_zero();
    for (int32_t i = plan->nbodies - 1; i >= 0; i--) {
        wrench f = articulated_reduce(&pb[i], columns, s[i].A, x);
        if (pb[i].parent >= 0) s[pb[i].parent].A = wrench_add(s[pb[i].parent].A, f);
    }
    for (int32_t i = 0; i < plan->nbodies; i++) {
        s[i].a = articulated_accelerate(&pb[i], columns, pb[i].parent < 0 ? twist_zero() : s[pb[i].parent].a, x);
    }
}

#endif
