/*
 * What kernels leave in their scratch for plain code to read, after a call through kernel_choice.fallback: motions and
 * forces of the bodies, the solver of forward dynamics, the pivots of M.
 *
 * The contract: this part comes first in the scratch, and its layout depends on the plan and on the size of a number
 * alone, not on the width of registers. So an object without AVX finds what one with AVX has written. Every table shows
 * the layout of its own object, kernel_table.kept_scratch; tests/unit/dynamics/test_scratch.c compares them.
 */
#ifndef HML_KERNEL_SCRATCH_H
#define HML_KERNEL_SCRATCH_H

#include "base/layout.h"
#include "kernel/composite.h"
#include "kernel/passive.h"

/* a column of the articulated-body algorithm: U = I^A S and D⁻¹; of all columns together they are M⁻¹ */
typedef struct articulated_column {
    twist S;
    wrench U;
    num inverse; /* D⁻¹ */
} articulated_column;

typedef struct kept_scratch {
    base_motion *base;  /* ntrees; of every kernel but mass matrices */
    num *q, *v, *tau;   /* nq, nv, nv: the state in the tree's numbering; tau: after inverse dynamics ν̇ */
    num *b, *x;         /* nv: after inverse dynamics −τ, and ν̇ less what base_acceleration gives */
    num *springs;       /* nv × PASSIVE_LD: ∂h/∂q of the springs (kernel/passive.h) */
    num *sine, *cosine; /* nq and a pack more: of the entries of q that are angles */
    num *pivots;        /* nv: after pack_linearize D⁻¹ of M = Lᵀ D L, 0 where a pivot vanished */
    /* pack_inverse_dynamics_derivatives: motions of the bodies, and the sums of their subtrees */
    body_state *bodies;    /* nbodies */
    column_state *columns; /* nv */
    wrench *G;             /* nbodies */
    /* pack_forward_dynamics, in their place */
    articulated_column *solver; /* nv */
} kept_scratch;

/* bytes for the sines or cosines of q's entries, rounded up to a pack */
static inline size_t sincos_size(const hml_plan *plan) { return ((size_t)plan->nq + 7) * sizeof(num); }

/* returns where the last part begins, which each kernel uses in its own way */
static inline layout_cursor kept_scratch_begin(const hml_plan *plan, void *memory, kept_scratch *k)
{
    const size_t nv = (size_t)plan->nv;
    layout_cursor c = layout_begin(memory);
    k->base = (base_motion *)layout_take(&c, (size_t)plan->ntrees * sizeof(base_motion));
    k->q = (num *)layout_take(&c, (size_t)plan->nq * sizeof(num));
    k->v = (num *)layout_take(&c, nv * sizeof(num));
    k->tau = (num *)layout_take(&c, nv * sizeof(num));
    k->b = (num *)layout_take(&c, nv * sizeof(num));
    k->x = (num *)layout_take(&c, nv * sizeof(num));
    k->springs = (num *)layout_take(&c, nv * PASSIVE_LD * sizeof(num));
    k->sine = (num *)layout_take(&c, sincos_size(plan));
    k->cosine = (num *)layout_take(&c, sincos_size(plan));
    k->pivots = (num *)layout_take(&c, nv * sizeof(num));
    return c;
}

/* the last part, as it is kept; returns the size of all in bytes */
static inline size_t kept_scratch_end(const hml_plan *plan, layout_cursor c, kept_scratch *k)
{
    const size_t nb = (size_t)plan->nbodies, nv = (size_t)plan->nv;
    layout_cursor forward = c;
    k->bodies = (body_state *)layout_take(&c, nb * sizeof(body_state));
    k->columns = (column_state *)layout_take(&c, nv * sizeof(column_state));
    k->G = (wrench *)layout_take(&c, nb * sizeof(wrench));
    k->solver = (articulated_column *)layout_take(&forward, nv * sizeof(articulated_column));
    return c.used > forward.used ? c.used : forward.used;
}

/* from memory on; memory NULL: only measured. Returns the size in bytes */
static inline size_t kept_scratch_lay(const hml_plan *plan, void *memory, kept_scratch *k)
{
    return kept_scratch_end(plan, kept_scratch_begin(plan, memory, k), k);
}

/* ---- a solve with M, by what forward dynamics left ---- */

/* the force f below a body's last column, leaves to root: x ← u = x − Sᵀ f of its columns, f grows by U D⁻¹ u */
NUM_INLINE wrench articulated_reduce(const plan_body *p, const articulated_column *columns, wrench f, num *x)
{
    for (int32_t k = p->v + p->nv - 1; k >= p->v; k--) {
        const articulated_column *c = &columns[k];
        x[k] -= wrench_dot(f, c->S);
        f = wrench_add(f, wrench_scale(c->inverse * x[k], c->U));
    }
    return f;
}

/* x ← D⁻¹ (x − Uᵀ a) of a body's columns; a grows by S x */
NUM_INLINE twist articulated_accelerate(const plan_body *p, const articulated_column *columns, twist a, num *x)
{
    for (int32_t k = p->v; k < p->v + p->nv; k++) {
        const articulated_column *c = &columns[k];
        x[k] = c->inverse * (x[k] - wrench_dot(c->U, a));
        a = twist_axpy(x[k], c->S, a);
    }
    return a;
}

#endif
