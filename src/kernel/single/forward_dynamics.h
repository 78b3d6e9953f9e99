/*
 * Forward dynamics of one state: pack/articulated.h for a single call, where lanes are x, y, z.
 *
 * A quad is a 3-vector and a zero, a pair of quads is a twist or a wrench, and an articulated inertia is twelve
 * columns: a step of the recursion is a few products of quads and numbers. The numbers are read from memory, since a
 * load spreads a number over a quad at no cost. For trees of joints with one coordinate, with a free root or without,
 * and no external wrenches. Everything else goes to the fallback kernel, and so does a state whose pivots may have
 * vanished.
 */
#ifndef HML_KERNEL_SINGLE_FORWARD_DYNAMICS_H
#define HML_KERNEL_SINGLE_FORWARD_DYNAMICS_H

#include <assert.h>

#include "kernel/pack/layout.h"
#include "kernel/single/poses.h"

/* columns of [A B; Bᵀ C], see articulated; T = Bᵀ */
typedef struct inertia4 {
    quad A[3], T[3], B[3], C[3];
} inertia4;

typedef struct link4 {
    frame4 H;
    pair4 v, a; /* a with ν̇ = 0; in the last pass what ν̇ adds to it */
    inertia4 X; /* articulated: with its children, seen through their joints */
    pair4 f;
    double mass, trace; /* of the subtree, see articulated_pivot */
} link4;

typedef struct column4 {
    pair4 S, U;
    double inverse, u, length; /* length: |v|² of S */
} column4;

typedef struct walk4 {
    const hml_plan *plan;
    const model_coordinate *coordinates;
    const double *q, *v;
    double *s, *c; /* nq: sines and cosines of the angles; at the place of the packs q and v */
    link4 *links;  /* levels + 1: the first is the world */
    column4 *columns;
    double pivot_score; /* see articulated_pivot */
} walk4;

#if LANES >= 4 /* they take the place of the scratch of packs */
static_assert(2 * sizeof(link4) <= sizeof(articulated_link), "the world is one more link");
static_assert(sizeof(column4) <= sizeof(articulated_column), "a state is not larger than a pack of them");
#endif

/* ---- out ---- */

/* inertia of a body at H and the force that its motion needs: inertia_transform and articulated_force; returns |v|² */
static inline double link4_force(const plan_body *p, link4 *own, quad v)
{
    const double *I = p->I;
    const quad flat = {1, 1, 1, 0}, s0 = {0, -1, 1, 0}, s1 = {1, 0, -1, 0}, s2 = {-1, 1, 0, 0};
    const frame4 *H = &own->H;
    quad o = H->p * flat, h = H->x * I[1] + H->y * I[2] + H->z * I[3], d = h + o * I[0], C[3], R[3];
    quad Y[3] = {H->x * I[4] + H->y * I[5] + H->z * I[6], H->x * I[5] + H->y * I[7] + H->z * I[8],
                 H->x * I[6] + H->y * I[8] + H->z * I[9]};
    double point, length;
    quad_sums((h + d) * o, v * v, &point, &length);
    R[0] = H->x, R[1] = H->y, R[2] = H->z;
    for (int j = 0; j < 3; j++) {
        C[j] = Y[0] * R[0][j] + Y[1] * R[1][j] + Y[2] * R[2][j] - h * o[j] - o * d[j] + unit4[j] * point;
        own->X.A[j] = unit4[j] * I[0];
        own->X.C[j] = C[j];
    }
    own->X.B[0] = __builtin_shufflevector(d, d, 3, 2, 1, 3) * s0; /* e × d */
    own->X.B[1] = __builtin_shufflevector(d, d, 2, 3, 0, 3) * s1;
    own->X.B[2] = __builtin_shufflevector(d, d, 1, 0, 3, 3) * s2;
    for (int j = 0; j < 3; j++) own->X.T[j] = -own->X.B[j];
    own->mass = I[0];
    own->trace = I[4] + I[7] + I[9] + 2 * point;

    quad w = own->v.w, c = own->a.v + quad_cross(w, own->v.v);
    own->f.v = c * I[0] + quad_cross(own->a.w, d) + quad_cross(w, quad_cross(w, d));
    own->f.w = quad_columns(C, &own->a.w) + quad_cross(w, quad_columns(C, &own->v.w)) + quad_cross(d, c);
    return length;
}

/* motion and columns of a body whose parent is `up`; the parent of a root is the world, seen from the root's frame */
static inline void link4_out(walk4 *w, const plan_body *p, const link4 *up, link4 *own)
{
    const quad v = up->v.v, omega = up->v.w, a = up->a.v, alpha = up->a.w;
    if (p->nv == 0) {
        own->v.v = v, own->v.w = omega, own->a.v = a, own->a.w = alpha;
        link4_force(p, own, v);
        return;
    }
    column4 *c = &w->columns[p->v];
    const double nu = w->v[p->v];
    const pair4 S = joint_axis8(p, &own->H);
    c->S.v = S.v, c->S.w = S.w;
    own->v.v = v + S.v * nu;
    own->v.w = omega + S.w * nu;
    own->a.v = a + (quad_cross(omega, S.v) + quad_cross(v, S.w)) * nu;
    own->a.w = alpha + quad_cross(omega, S.w) * nu;
    c->length = link4_force(p, own, S.v);
}

/* ---- back ---- */

/* D⁻¹ and u of a column, from Sᵀ U and Sᵀ f */
NUM_INLINE double column4_pivot(walk4 *w, int32_t k, double SU, double Sf, double length, const link4 *own)
{
    const double armature = w->coordinates[k].armature, inverse = 1 / (SU + armature);
    const double ratio = (2 * own->mass * length + own->trace + armature) * inverse;
    w->columns[k].inverse = inverse;
    w->columns[k].u -= Sf;
    w->pivot_score += ratio * ratio;
    return inverse;
}

/* adds a body's articulated inertia and force, seen through its joint, to its parent's */
NUM_INLINE void link4_join(const link4 *own, const column4 *c, link4 *to)
{
    const double inverse = c->inverse, g = inverse * c->u;
    const quad Wv = c->U.v * inverse, Ww = c->U.w * inverse;
    const inertia4 *X = &own->X;
    for (int k = 0; k < 3; k++) {
        const double Uv = quad_at(&c->U.v, k), Uw = quad_at(&c->U.w, k);
        to->X.A[k] += X->A[k] - Wv * Uv;
        to->X.T[k] += X->T[k] - Ww * Uv;
        to->X.B[k] += X->B[k] - Wv * Uw;
        to->X.C[k] += X->C[k] - Ww * Uw;
    }
    to->f.v += own->f.v + c->U.v * g;
    to->f.w += own->f.w + c->U.w * g;
}

static inline void link4_back(walk4 *w, const plan_body *p)
{
    static const column4 fixed = {{{0}, {0}}, {{0}, {0}}, 0, 0, 0}; /* U = 0 */
    link4 *own = &w->links[p->level + 1], *up = own - 1;
    const column4 *through = &fixed;
    if (p->nv == 1) {
        column4 *c = &w->columns[p->v];
        const inertia4 *X = &own->X;
        double SU, Sf;
        quad v = quad_columns(X->A, &c->S.v) + quad_columns(X->B, &c->S.w);
        quad t = quad_columns(X->T, &c->S.v) + quad_columns(X->C, &c->S.w);
        quad_sums(v * c->S.v + t * c->S.w, own->f.v * c->S.v + own->f.w * c->S.w, &SU, &Sf);
        c->U.v = v, c->U.w = t;
        column4_pivot(w, p->v, SU, Sf, c->length, own);
        through = c;
    }
    if (p->parent < 0) return;
    up->mass += own->mass;
    up->trace += own->trace;
    link4_join(own, through, up);
}

/* a free root: U of a column is a column of X, which is reduced for the next one */
static inline void root4_back(walk4 *w, const plan_body *p)
{
    link4 *own = &w->links[1];
    inertia4 *X = &own->X;
    for (int32_t k = 5; k >= 0; k--) {
        column4 *c = &w->columns[p->v + k];
        const int angular = k > 2, at = angular ? k - 3 : k;
        c->U.v = angular ? X->B[at] : X->A[at];
        c->U.w = angular ? X->C[at] : X->T[at];
        const double inverse = column4_pivot(w, p->v + k, quad_at(angular ? &c->U.w : &c->U.v, at),
                                             quad_at(angular ? &own->f.w : &own->f.v, at), !angular, own);
        const quad Wv = c->U.v * inverse, Ww = c->U.w * inverse;
        own->f.v += Wv * c->u;
        own->f.w += Ww * c->u;
        for (int e = 0; e < 3; e++) {
            const double Uv = quad_at(&c->U.v, e), Uw = quad_at(&c->U.w, e);
            X->A[e] -= Wv * Uv, X->T[e] -= Ww * Uv;
            X->B[e] -= Wv * Uw, X->C[e] -= Ww * Uw;
        }
    }
}

/* ---- out again ---- */

static inline void link4_accelerate(walk4 *w, const plan_body *p, double *x)
{
    link4 *own = &w->links[p->level + 1];
    quad v = own[-1].a.v, omega = own[-1].a.w;
    if (p->nv == 1) {
        const column4 *c = &w->columns[p->v];
        double Ua, unused;
        quad_sums(c->U.v * v + c->U.w * omega, v, &Ua, &unused);
        const double a = c->inverse * (c->u - Ua);
        x[p->v] = a;
        v += c->S.v * a;
        omega += c->S.w * a;
    }
    own->a.v = v;
    own->a.w = omega;
}

static inline void root4_accelerate(walk4 *w, const plan_body *p, double *x)
{
    double *a = &x[p->v];
    for (int32_t k = 0; k < 6; k++) {
        const column4 *c = &w->columns[p->v + k];
        double sum = c->u;
        for (int32_t e = 0; e < k; e++) sum -= quad_at(e < 3 ? &c->U.v : &c->U.w, e % 3) * a[e];
        a[k] = c->inverse * sum;
    }
    w->links[1].a = pair4_from(a);
}

/* ---- a state ---- */

/* has every joint at most one coordinate, except free roots? */
static inline int one_dof_or_free_root(const hml_plan *plan)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = 0; i < plan->nbodies; i++) {
        if (pb[i].nv > 1 && (pb[i].type != HML_JOINT_FREE || pb[i].parent >= 0)) return 0;
    }
    return 1;
}

/* τ less the forces of damping and springs; those are rare, and computed in packs */
static inline void joint_forces4(const kernel_call *call, kernel_scratch *k, walk4 *w)
{
    const hml_plan *plan = call->plan;
    const double *tau = call->tau.data;
    if (!call->passive) {
        for (int32_t c = 0; c < plan->nv; c++) w->columns[c].u = tau ? tau[c] : 0;
        return;
    }
    kernel_spread(call->q, plan->nq, k->kept.q);
    kernel_spread(call->v, plan->nv, k->kept.v);
    kernel_spread(call->tau, plan->nv, k->kept.tau);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        passive_forces(plan, &plan_trees(plan)[t], call->coordinates, k->kept.q, k->kept.v, k->kept.tau,
                       k->kept.springs);
    }
    for (int32_t c = 0; c < plan->nv; c++) w->columns[c].u = num_get(k->kept.tau[c], 0);
}

/* the root of a tree; returns base_acceleration of a free root */
static inline quad root4_out(const kernel_call *call, walk4 *w, const plan_body *p)
{
    const quad zero = {0, 0, 0, 0}, g = {call->gravity[0], call->gravity[1], call->gravity[2], 0};
    const frame4 world = frame4_world();
    const double *nu = &w->v[p->v];
    link4 *up = w->links, *own = up + 1;
    frame4 W;
    frame_behind_joint(p, w->q, w->s, w->c, &world, &W);
    const quad gravity = quad_seen_from(&W, g);
    up->v.v = up->v.w = up->a.v = up->a.w = zero;
    own->H = world;
    if (p->type != HML_JOINT_FREE) {
        up->a.v = -gravity;
        link4_out(w, p, up, own);
        return zero;
    }
    const pair4 motion = pair4_from(nu);
    const quad s = gravity - quad_cross(motion.w, motion.v);
    own->v.v = own->a.v = own->a.w = zero;
    own->v.w = motion.w;
    link4_force(p, own, zero);
    for (int k = 0; k < 3; k++) w->columns[p->v + k].u -= w->coordinates[p->v + k].armature * s[k];
    return s;
}

/* returns 1 if the state is not for this kernel; then nothing is written */
static inline unsigned single_forward_dynamics(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    kernel_scratch k;
    walk4 w;
    if (call->wrenches.data || !one_dof_or_free_root(plan)) return 1;
    kernel_scratch_lay(plan, call->scratch, &k);
    double *x = (double *)k.kept.x;
    w.plan = plan, w.coordinates = call->coordinates, w.q = call->q.data, w.v = call->v.data, w.pivot_score = 0;
    w.s = (double *)k.kept.q, w.c = (double *)k.kept.v;
    w.links = (link4 *)(void *)k.articulated, w.columns = (column4 *)(void *)k.kept.solver;
    joint_forces4(call, &k, &w);
    sincos_range(w.q, plan->angles_begin, plan->angles_end, w.s, w.c);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        const int32_t root = tree->body_begin;
        const quad zero = {0, 0, 0, 0};
        quad free_fall = root4_out(call, &w, &pb[root]);
        for (int32_t i = root; i < tree->body_end; i++) {
            link4 *own = &w.links[pb[i].level + 1];
            if (i > root) {
                frame_behind_joint(&pb[i], w.q, w.s, w.c, &own[-1].H, &own->H);
                link4_out(&w, &pb[i], own - 1, own);
            }
            int32_t j = i;
            for (; j > root && pb[j].end == i + 1; j = pb[j].parent) link4_back(&w, &pb[j]);
            if (j > root || pb[j].end != i + 1) continue;
            if (tree->base)
                root4_back(&w, &pb[root]);
            else
                link4_back(&w, &pb[root]);
        }
        w.links[0].a.v = w.links[0].a.w = zero;
        if (tree->base) root4_accelerate(&w, &pb[root], x);
        for (int32_t i = tree->base ? root + 1 : root; i < tree->body_end; i++) link4_accelerate(&w, &pb[i], x);
        for (int32_t e = 0; e < tree->base / 2; e++) x[tree->begin + e] += free_fall[e];
    }
    if (!(w.pivot_score < 0x1p80)) return 1;
    if (call->acceleration.data) memcpy(call->acceleration.data, x, (size_t)plan->nv * sizeof *x);
    return 0;
}

#endif
