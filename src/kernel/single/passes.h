/*
 * The passes of the linearization of one state, where lanes are bodies and columns: those of pack/walk.h, as far as
 * they need no M.
 *
 * Formulas and frames are those of kernel/composite.h. Recursions along the tree (poses, velocities, accelerations,
 * sums over subtrees) work on rows (simd/row8.h) and take a few instructions per body. All the rest (cross products,
 * inertias in the root frame, what a motion of a column does to its ancestors) does not depend on other bodies; it is
 * done for LANES bodies or columns at once, by the same functions as in packs of states.
 *
 *   along the tree                       in lanes
 *   H, S, v = v_p + S ν                  Ψ̇ = v_p × S
 *   a = a_p + Ψ̇ ν                        own inertia, momentum, force
 *   sums over subtrees                   F, g, b = τ − Sᵀ f
 *   (ν̇: single/linearize.h)
 *   Δa = Δa_p + S ν̇, G                   Ψ̈, U_q, U_ν
 *
 * The world is slot 0; the tree's bodies follow. Columns are those below a free root, counted from the first; columns
 * of zeros fill up the last pack.
 */
#ifndef HML_KERNEL_SINGLE_PASSES_H
#define HML_KERNEL_SINGLE_PASSES_H

#include <assert.h>

#include "kernel/call.h"
#include "kernel/composite.h"
#include "kernel/simd/row8.h"
#include "kernel/single/joint.h"

/*
 * A composite in doubles: 28 used and 4 of padding from one to the next; its inertia comes first, 10 used and 6 of
 * padding; its force is at 22.
 */
enum { COMPOSITE_STRIDE = 32, COMPOSITE_INERTIA = 16, COMPOSITE_FORCE = 22 };
static_assert(sizeof(composite) == 28 * sizeof(num), "a composite is 28 numbers");

/* what right-hand sides are made of */
typedef struct column_side {
    vec3 w;   /* −Ψ̇, −S: angular */
    twist P;  /* −Ψ̈, −(Ψ̇ + Ṡ) */
    wrench U; /* −U_q, −U_ν */
} column_side;

/* LANES columns */
typedef struct column_pack {
    twist S, v_parent, Pd, PS; /* v_parent: velocity of the parent; PS: Ψ̇ + Ṡ */
    wrench F;
    vec3 g;
    column_side q, v; /* of D_q and D_ν */
    union {
        composite body; /* the subtree of the column's joint */
        num t[COMPOSITE_STRIDE];
    } sum;
} column_pack;

typedef struct single_tree {
    const kernel_call *call;
    const plan_tree *tree;
    const plan_body *bodies;                /* from the root on */
    const int32_t *parent;                  /* slots of their parents */
    const int32_t *body_slot, *parent_slot; /* of columns, see plan_paths */
    int32_t nbodies, n;                     /* columns below a free root, or all */
    int32_t below;                          /* the first of them in the plan */
    int32_t packs;
    double *sine, *cosine; /* of q's entries */
    const double *nu;      /* nv, by columns of the plan, as tau (less passive forces) and x (ν̇) */
    double *tau, *x;
    frame4 W; /* the root in the world */
    /* by slots, nbodies + 1 of them and a pack more */
    frame4 *H;
    double *v;   /* × ROW8 */
    double *a;   /* × ROW8: with ν̇ = 0; after add_accelerations with ν̇ */
    double *da;  /* × ROW8: what ν̇ adds to a */
    double *G;   /* × ROW8: Σ F ν̇ over the columns further out */
    double *sum; /* × COMPOSITE_STRIDE: composites, of the bodies, then of their subtrees */
    /* by columns, packs × LANES of them */
    double *S, *Pd;                 /* × ROW8 */
    double *F;                      /* × ROW8, with b in ROW8_SPARE */
    double *g;                      /* × ROW8: three numbers */
    column_pack *pack;              /* packs */
    double gravity[4], velocity[4]; /* in the root frame; velocity: linear, of a free root, left out of the passes */
} single_tree;

/* ---- out ---- */

/* S of a joint with several coordinates, by columns: it slides along axes of its frame first, then turns about axes */
static inline void joint_columns8(const plan_body *p, const frame4 *H, double *S)
{
    const quad zero = {0, 0, 0, 0}, axes[3] = {H->x, H->y, H->z};
    const joint_axes j = joint_axes_of(p->type);
    for (int k = 0; k < 3; k++) {
        if (j.slides >> k & 1) quads_put(S, axes[k], zero), S += ROW8;
    }
    for (int k = 0; k < 3; k++) {
        if (j.turns >> k & 1) quads_put(S, quad_cross(H->p, axes[k]), axes[k]), S += ROW8;
    }
}

/* columns S and velocity of a body, from its pose */
NUM_INLINE void columns_and_velocity(const single_tree *t, const plan_body *p, const frame4 *H, const double *up,
                                     double *S, double *own)
{
    const double *nu = t->nu + p->v;
    quad v = quad_from(up), w = quad_from(up + 4);
    if (p->nv == 1) {
        const pair4 axis = joint_axis8(p, H);
        quads_put(S, axis.v, axis.w);
        v += axis.v * nu[0], w += axis.w * nu[0];
    } else {
        joint_columns8(p, H, S);
        for (int32_t k = 0; k < p->nv; k++)
            v += quad_from(S + k * ROW8) * nu[k], w += quad_from(S + k * ROW8 + 4) * nu[k];
    }
    quads_put(own, v, w);
}

/* poses, columns, velocities */
static inline void poses_out(single_tree *t)
{
    const kernel_call *call = t->call;
    const double *q = call->q.data;
    const quad zero = {0, 0, 0, 0}, g = {call->gravity[0], call->gravity[1], call->gravity[2], 0};
    const frame4 world = frame4_world();
    const plan_body *p = t->bodies, *end = p + t->nbodies;
    frame4 *H = t->H + 1;
    double *S = t->S, *own = t->v + ROW8;
    frame_behind_joint(p, q, t->sine, t->cosine, &world, &t->W);
    const quad gravity = quad_seen_from(&t->W, g);
    *(quad_anywhere *)t->gravity = gravity;
    quads_put(t->v, zero, zero);
    quads_put(t->da, zero, zero);
    /* the world's composite is zero: the columns that fill up the last pack are in its slot */
    for (int k = 0; k < COMPOSITE_STRIDE; k += ROW8) row8_put(t->sum + k, row8_zero());
    *H = world;
    if (t->tree->base) {
        const pair4 motion = pair4_from(t->nu + p->v);
        *(quad_anywhere *)t->velocity = motion.v;
        quads_put(own, zero, motion.w);
        quads_put(t->a, zero, zero);
        quads_put(t->a + ROW8, zero, zero);
    } else {
        quads_put(t->a, -gravity, zero);
        columns_and_velocity(t, p, H, t->v, S, own);
        S += p->nv * ROW8;
    }
    const int32_t *up = t->parent;
    for (p++, H++, own += ROW8, up++; p < end; p++, H++, own += ROW8, up++) {
        frame_behind_joint(p, q, t->sine, t->cosine, &t->H[*up], H);
        columns_and_velocity(t, p, H, t->v + *up * ROW8, S, own);
        S += p->nv * ROW8;
    }
    for (int32_t c = t->n; c < t->packs * LANES; c++, S += ROW8) quads_put(S, zero, zero);
}

static inline void column_rates(single_tree *t)
{
    const int one_dof_joints = t->call->paths->one_dof_joints;
    for (int32_t k = 0; k < t->packs; k++) {
        column_pack *c = &t->pack[k];
        const int32_t at = k * LANES;
        c->S = twists_in(t->S + at * ROW8);
        c->v_parent = twists_from(t->v, t->parent_slot + at);
        c->Pd = twist_cross(c->v_parent, c->S);
        c->PS = twist_add(c->Pd, c->Pd);
        if (!one_dof_joints) { /* S × S is zero */
            twist v = twists_from(t->v, t->body_slot + at);
            c->PS = twist_add(c->PS, twist_cross(twist_sub(v, c->v_parent), c->S));
        }
        twists_out(c->Pd, t->Pd + at * ROW8);
    }
}

/* row of a body = row of its parent + Σ rows of its columns times numbers, from the first body with columns on */
NUM_INLINE void accumulate_rows(const single_tree *t, double *rows, const double *column, const double *number)
{
    const int32_t first = t->bodies->nv == 0 || t->tree->base, end = t->nbodies;
    if (t->bodies->nv == 0) row8_put(rows + ROW8, row8_at(rows));
    double *own = rows + (first + 1) * ROW8;
    number += t->below;
    if (t->call->paths->one_dof_joints) {
        for (int32_t i = first; i < end; i++, own += ROW8, column += ROW8, number++) {
            row8_put(own, row8_axpy(*number, row8_at(column), row8_at(rows + t->parent[i] * ROW8)));
        }
        return;
    }
    for (int32_t i = first; i < end; i++, own += ROW8) {
        row8 sum = row8_at(rows + t->parent[i] * ROW8);
        for (int32_t k = 0; k < t->bodies[i].nv; k++, column += ROW8, number++) {
            sum = row8_axpy(*number, row8_at(column), sum);
        }
        row8_put(own, sum);
    }
}

/* ---- bodies, then their subtrees ---- */

/* composites, or only inertias, of LANES bodies of the plan from `body` on, whose slots are given */
NUM_INLINE void body_composites(const single_tree *t, int32_t body, const int32_t slots[LANES], const int with_motion,
                                double *to)
{
    const double *at[LANES];
    num x[ROW8], z[ROW8], b[COMPOSITE_STRIDE], i[10];
    for (int k = 0; k < 10; k++) i[k] = pack_at(plan_inertias(t->call->plan, k) + body);
    for (int l = 0; l < LANES; l++) at[l] = (const double *)&t->H[slots[l]];
    rows8_transpose(at, x);
    for (int l = 0; l < LANES; l++) at[l] += ROW8;
    rows8_transpose(at, z);
    const pose H = pose_of(mat3_of(vec3_at(x), vec3_of(x[4], x[5], x[6]), vec3_at(z)), vec3_of(z[4], z[5], z[6]));
    const inertia I = inertia_of(i[0], vec3_of(i[1], i[2], i[3]), sym3_of(i[4], i[5], i[6], i[7], i[8], i[9]));
    for (int k = with_motion ? 28 : 10; k < (with_motion ? COMPOSITE_STRIDE : COMPOSITE_INERTIA); k++) b[k] = K(0);
    if (with_motion) {
        const composite c = composite_of(inertia_transform(H, I), twists_from(t->v, slots), twists_from(t->a, slots));
        memcpy(b, &c, sizeof c);
    } else {
        const inertia c = inertia_transform(H, I);
        memcpy(b, &c, sizeof c);
    }
    for (int k = 0; k < (with_motion ? COMPOSITE_STRIDE : COMPOSITE_INERTIA); k += ROW8)
        rows8_out(b + k, to + k, COMPOSITE_STRIDE);
}

/* external wrenches, given in the bodies' own frames, are subtracted from the forces */
static inline void subtract_wrenches(const single_tree *t)
{
    const double *w = t->call->wrenches.data + 6 * (size_t)t->tree->body_begin;
    double *f = t->sum + COMPOSITE_STRIDE + COMPOSITE_FORCE;
    for (int32_t i = 0; i < t->nbodies; i++, w += 6, f += COMPOSITE_STRIDE) {
        const frame4 B = frame4_mul(&t->H[i + 1], t->bodies[i].to_body);
        const quad force = B.x * w[0] + B.y * w[1] + B.z * w[2];
        const quad torque = B.x * w[3] + B.y * w[4] + B.z * w[5] + quad_cross(B.p, force);
        for (int k = 0; k < 3; k++) f[k] -= force[k], f[3 + k] -= torque[k];
    }
}

/* of all bodies; with_motion: not only inertias */
NUM_INLINE void composites_of_bodies(single_tree *t, const int with_motion)
{
    const int32_t n = t->nbodies, first = t->tree->body_begin;
    int32_t slots[LANES];
    for (int32_t i = 0; i < n; i += LANES) {
        for (int32_t l = 0; l < LANES; l++) slots[l] = i + l < n ? i + l + 1 : i + 1; /* the first again */
        body_composites(t, first + i, slots, with_motion, t->sum + (i + 1) * COMPOSITE_STRIDE);
    }
    if (with_motion && t->call->wrenches.data) subtract_wrenches(t);
}

/* their sums over subtrees */
NUM_INLINE void composites_of_subtrees(single_tree *t, const int with_motion)
{
    const int32_t n = t->nbodies, *parent = t->parent;
    const double *from = t->sum + n * COMPOSITE_STRIDE;
    for (int32_t i = n - 1; i > 0; i--, from -= COMPOSITE_STRIDE) {
        double *to = t->sum + parent[i] * COMPOSITE_STRIDE;
        for (int k = 0; k < (with_motion ? COMPOSITE_STRIDE : COMPOSITE_INERTIA); k += LANES)
            pack_put(to + k, pack_at(to + k) + pack_at(from + k));
    }
}

/* F of the columns; with_motion: g and b as well */
NUM_INLINE void column_forces(single_tree *t, const int with_motion)
{
    for (int32_t k = 0; k < t->packs; k++) {
        column_pack *c = &t->pack[k];
        const int32_t at = k * LANES;
        const double *rows[LANES];
        for (int l = 0; l < LANES; l++) rows[l] = t->sum + t->body_slot[at + l] * COMPOSITE_STRIDE;
        for (int e = 0; e < (with_motion ? COMPOSITE_STRIDE : COMPOSITE_INERTIA); e += ROW8) {
            rows8_transpose(rows, c->sum.t + e);
            for (int l = 0; l < LANES; l++) rows[l] += ROW8;
        }
        const twist S = c->S;
        const composite *body = &c->sum.body;
        const wrench F = inertia_mul(body->I, S);
        num r[ROW8] = {F.f.x, F.f.y, F.f.z, K(0), F.t.x, F.t.y, F.t.z, K(0)};
        c->F = F;
        if (with_motion) {
            const vec3 g = composite_2B_transposed(body, S);
            num rg[ROW8] = {g.x, g.y, g.z, K(0), K(0), K(0), K(0), K(0)};
            c->g = g;
            rows8_out(rg, t->g + at * ROW8, ROW8);
            r[ROW8_SPARE] = pack_at(t->tau + t->below + at) - wrench_dot(body->f, S);
        }
        rows8_out(r, t->F + at * ROW8, ROW8);
    }
}

/* what ν̇ adds to accelerations, and G */
static inline void add_accelerations(single_tree *t)
{
    const int32_t n = t->nbodies, *parent = t->parent;
    const double *number = t->x + t->below + t->n, *F = t->F + t->n * ROW8;
    const int one_dof_joints = t->call->paths->one_dof_joints;
    double *a = t->a, *da = t->da, *G = t->G;
    accumulate_rows(t, da, t->S, t->x);
    for (int32_t i = 0; i <= n; i++, a += ROW8, da += ROW8, G += ROW8) {
        row8_put(a, row8_add(row8_at(a), row8_at(da)));
        row8_put(G, row8_zero());
    }
    for (int32_t i = n - 1; i > 0 && one_dof_joints; i--) {
        double *to = t->G + parent[i] * ROW8;
        G -= ROW8, F -= ROW8, number--;
        row8_put(to, row8_add(row8_at(to), row8_axpy(*number, row8_at(F), row8_at(G))));
    }
    for (int32_t i = n - 1; i > 0 && !one_dof_joints; i--) {
        double *to = t->G + parent[i] * ROW8;
        G -= ROW8;
        row8 sum = row8_add(row8_at(to), row8_at(G));
        for (int32_t k = t->bodies[i].nv; k > 0; k--) {
            F -= ROW8, number--;
            sum = row8_axpy(*number, row8_at(F), sum);
        }
        row8_put(to, sum);
    }
}

/* what a motion of the columns does to the forces of their ancestors, and to those of what they carry */
static inline void column_effects(single_tree *t)
{
    for (int32_t k = 0; k < t->packs; k++) {
        column_pack *c = &t->pack[k];
        composite *body = &c->sum.body;
        const int32_t at = k * LANES;
        const twist a = twists_from(t->a, t->parent_slot + at), da = twists_from(t->da, t->body_slot + at), S = c->S,
                    Pd = c->Pd;
        num r[ROW8];
        rows8_from(t->G, t->body_slot + at, r);
        body->f = wrench_add(body->f, wrench_add(inertia_mul(body->I, da), wrench_of_packs(r)));
        const twist Pdd = twist_add(twist_cross(a, S), twist_cross(c->v_parent, Pd)), PS = c->PS;
        const wrench Uq = composite_Uq(body, S, Pd, Pdd), Uv = composite_Uv(body, S, PS);
        c->q.w = vec3_neg(Pd.w), c->v.w = vec3_neg(S.w);
        c->q.P = twist_of(vec3_neg(Pdd.v), vec3_neg(Pdd.w)), c->v.P = twist_of(vec3_neg(PS.v), vec3_neg(PS.w));
        c->q.U = wrench_of(vec3_neg(Uq.f), vec3_neg(Uq.t)), c->v.U = wrench_of(vec3_neg(Uv.f), vec3_neg(Uv.t));
    }
}

#endif
