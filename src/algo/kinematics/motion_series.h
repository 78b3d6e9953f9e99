/*
 * The motion of a frame to any order, over num: time derivatives of twists and of Jacobian columns, in every
 * representation.
 *
 * A series is an array d[0 … N] of time derivatives. Everything is expressed in the frame F₀ that coincides with the
 * plan frame of the tree's root body at this instant and then stands still, so that distance from the world's origin
 * costs no digits. For body i with parent p, joint columns S and its twist V in F₀ (Müller's spatial representation):
 *
 *   V_i = V_p + S ν                                    Müller (109)
 *   Ṡ   = V_i × S                                      Müller (16); for a group joint i's own velocity is part of V_i
 *   S⁽ⁿ⁺¹⁾ = Σ C(n,j) V_i⁽ʲ⁾ × S⁽ⁿ⁻ʲ⁾                   Leibniz
 *   V_i⁽ⁿ⁾ = V_p⁽ⁿ⁾ + Σ C(n,j) S⁽ʲ⁾ ν⁽ⁿ⁻ʲ⁾
 *
 * A twist U in F₀ becomes what a representation wants of it by the motion of an expression frame D with pose H = (R, p)
 * and twist V, both in F₀; most often D is the frame whose motion is asked for:
 *
 *   right   U in the world: a constant transform of F₀
 *   mixed   [U.v + U.w × p; U.w] in the world's axes, ṗ = V.v + V.w × p
 *   left    X_D U, and d/dt X_D U = X_D (U̇ − V × U), Müller (117)
 *   split   linear part of mixed, angular part of left
 */
#ifndef HML_ALGO_KINEMATICS_MOTION_SERIES_H
#define HML_ALGO_KINEMATICS_MOTION_SERIES_H

#include "hamel/kinematics.h"
#include "kernel/composite.h"

/* the highest derivative; what stays on the stack grows with it, and binomials of it are exact */
enum { SERIES_MAX = 12, SERIES_LENGTH = SERIES_MAX + 1 };

/* ---- Leibniz ---- */

/* C(n, 0) … C(n, n) */
static inline const double *binomials(int n)
{
    static const double pascal[SERIES_LENGTH * (SERIES_LENGTH + 1) / 2] = {
        1,   1,   1,   1,   2,   1,   1,  3,  3,  1,  1,  4,  6,   4,   1,   1,   5,   10,  10,  5,  1,  1,  6,
        15,  20,  15,  6,   1,   1,   7,  21, 35, 35, 21, 7,  1,   1,   8,   28,  56,  70,  56,  28, 8,  1,  1,
        9,   36,  84,  126, 126, 84,  36, 9,  1,  1,  10, 45, 120, 210, 252, 210, 120, 45,  10,  1,  1,  11, 55,
        165, 330, 462, 462, 330, 165, 55, 11, 1,  1,  12, 66, 220, 495, 792, 924, 792, 495, 220, 66, 12, 1};
    return pascal + n * (n + 1) / 2;
}

/* n-th derivative of A × B */
static inline twist series_cross(int n, const twist *A, const twist *B)
{
    const double *c = binomials(n);
    twist sum = twist_cross(A[0], B[n]);
    for (int j = 1; j <= n; j++) sum = twist_axpy(K(c[j]), twist_cross(A[j], B[n - j]), sum);
    return sum;
}

/* n-th derivative of U.w × p */
static inline vec3 series_cross_vec(int n, const twist *U, const vec3 *p)
{
    const double *c = binomials(n);
    vec3 sum = vec3_cross(U[0].w, p[n]);
    for (int j = 1; j <= n; j++) sum = vec3_axpy(K(c[j]), vec3_cross(U[j].w, p[n - j]), sum);
    return sum;
}

/* ---- expressions ---- */

/* where a twist is expressed, and how that moves */
typedef struct expression {
    hml_representation representation;
    int order;
    pose world;             /* F₀ in the world */
    pose H;                 /* D in F₀ */
    twist V[SERIES_LENGTH]; /* twist of D; derivatives up to order − 1 are used */
    vec3 p[SERIES_LENGTH];  /* origin of D */
} expression;

/* completes p from H and V */
static inline void expression_origin(expression *x)
{
    x->p[0] = x->H.p;
    for (int n = 0; n < x->order; n++) x->p[n + 1] = vec3_add(x->V[n].v, series_cross_vec(n, x->V, x->p));
}

/*
 * U⁽ⁿ⁾ → the n-th derivative of X_D U, but for X_D itself. After step s entry s holds the s-th derivative and the
 * entries behind it are time derivatives of that.
 */
static inline void series_left(int order, const twist *V, twist *U)
{
    for (int s = 0; s < order; s++) {
        for (int k = order; k > s; k--) U[k] = twist_sub(U[k], series_cross(k - s - 1, V, U + s));
    }
}

/* the derivatives of U in F₀, up to an order within x's, become the derivatives of its six numbers, in place */
static inline void series_express(const expression *x, int order, twist *U)
{
    const hml_representation rep = x->representation;
    const int classical = rep == HML_MIXED || rep == HML_SPLIT;
    vec3 linear[SERIES_LENGTH];
    for (int n = 0; n <= order; n++) linear[n] = classical ? vec3_add(U[n].v, series_cross_vec(n, U, x->p)) : U[n].v;
    if (rep == HML_LEFT || rep == HML_SPLIT) series_left(order, x->V, U);
    for (int n = 0; n <= order; n++) {
        switch (rep) {
        case HML_LEFT: U[n] = pose_ad_inverse(x->H, U[n]); break;
        case HML_RIGHT: U[n] = pose_ad(x->world, U[n]); break;
        case HML_MIXED: U[n] = twist_of(mat3_mul_vec(x->world.R, linear[n]), mat3_mul_vec(x->world.R, U[n].w)); break;
        default: U[n] = twist_of(mat3_mul_vec(x->world.R, linear[n]), mat3_tmul_vec(x->H.R, U[n].w)); break;
        }
    }
}

/* ---- walking from the root to a body ---- */

/* a body's coordinates among the user's; a mimic follower moves with its leader */
typedef struct body_coordinates {
    int32_t q, v; /* first numbers */
    int follower;
    num factor, offset; /* position = factor · leader + offset */
} body_coordinates;

static inline body_coordinates coordinates_of(const hml_model *m, int32_t body)
{
    const model_body *b = &model_bodies(m)[body];
    const model_joint *j = &model_joints(m)[b->joint];
    const model_joint *from = j->leader < 0 ? j : &model_joints(m)[j->leader];
    body_coordinates c;
    c.follower = j->leader >= 0;
    c.q = from->q + (c.follower ? 0 : b->q - model_bodies(m)[j->body].q);
    c.v = from->v + (c.follower ? 0 : b->v - model_bodies(m)[j->body].v);
    c.factor = c.follower ? K(j->multiplier) : K(1);
    c.offset = c.follower ? K(j->offset) : K(0);
    return c;
}

/* a body's position numbers; a follower's one number needs room */
static inline const num *body_position(const hml_model *m, int32_t body, const num *q, num *room)
{
    const body_coordinates c = coordinates_of(m, body);
    if (!c.follower) return q + c.q;
    *room = c.factor * q[c.q] + c.offset;
    return room;
}

/* a state of any order: rates[n] is the n-th derivative of ν, NULL is zero; the user's numbering */
typedef struct state_series {
    const num *q;
    const num *rates[SERIES_LENGTH];
} state_series;

static inline num state_rate(const state_series *s, int n, const body_coordinates *c, int32_t k)
{
    return s->rates[n] ? c->factor * s->rates[n][c->v + k] : K(0);
}

typedef struct path_walk {
    int order;
    int32_t root;                             /* whose frame F₀ is; −1: the world itself */
    int beside;                               /* F₀ is that of another walk */
    pose world;                               /* F₀ in the world */
    pose H;                                   /* plan frame of the body in F₀ */
    twist V[SERIES_LENGTH];                   /* of the body */
    twist S[HML_JOINT_MAX_NV][SERIES_LENGTH]; /* of its joint */
} path_walk;

static inline void walk_start(path_walk *w, int order)
{
    w->order = order;
    w->root = -1;
    w->beside = 0;
    w->world = pose_identity();
    w->H = pose_identity();
    for (int n = 0; n <= order; n++) w->V[n] = twist_zero();
}

/* in the F₀ of another walk, be it on another tree; on the same tree the same bits come out */
static inline void walk_start_beside(path_walk *w, const path_walk *other)
{
    walk_start(w, other->order);
    w->root = other->root;
    w->beside = 1;
    w->world = other->world;
    w->H = pose_inverse(other->world);
}

/* from a body, or from the world, to a child */
static inline void walk_step(path_walk *w, const hml_model *m, int32_t body, const state_series *state)
{
    const plan_body *p = &plan_bodies(model_plan(m))[body];
    const body_coordinates c = coordinates_of(m, body);
    twist columns[HML_JOINT_MAX_NV];
    num room, pitch = K(p->pitch);
    const num *q = body_position(m, body, state->q, &room);
    pose X = plan_pose(p->X), H = joint_move(p->type, p->parent < 0 ? X : pose_mul(w->H, X), pitch, q);
    if (p->parent < 0) {
        if (w->beside && w->root != body) {
            H = pose_between(w->world, H);
        } else {
            w->root = body;
            w->world = H;
            H = pose_identity();
        }
    }
    w->H = H;
    joint_columns_at(p->type, H, pitch, columns);
    for (int n = 0; n <= w->order; n++) {
        const double *row = binomials(n);
        for (int32_t k = 0; k < p->nv; k++) {
            w->S[k][n] = n ? series_cross(n - 1, w->V, w->S[k]) : columns[k];
        }
        for (int32_t k = 0; k < p->nv; k++) {
            for (int j = 0; j <= n; j++) {
                w->V[n] = twist_axpy(K(row[j]) * state_rate(state, n - j, &c, k), w->S[k][j], w->V[n]);
            }
        }
    }
}

/* the body after `body` on the way down to `end`; bodies are numbered depth first */
static inline int32_t path_next(const hml_model *m, int32_t body, int32_t end)
{
    const model_body *b = model_bodies(m);
    for (body++; end >= b[body].subtree_end; body = b[body].subtree_end) continue;
    return body;
}

/* ---- Jacobians ---- */

/* derivatives of a Jacobian, up to an order within the walk's: J[n] is 6 × nv, row-major */
typedef struct jacobian_series {
    int order;
    int32_t nv;
    num *J[SERIES_LENGTH];
} jacobian_series;

static inline void jacobian_zero(const jacobian_series *j)
{
    for (int n = 0; n <= j->order; n++) {
        for (int32_t i = 0; i < 6 * j->nv; i++) j->J[n][i] = K(0);
    }
}

static inline twist matrix_column(const num *J, int32_t nv, int32_t c)
{
    return twist_of(vec3_of(J[c], J[nv + c], J[2 * nv + c]), vec3_of(J[3 * nv + c], J[4 * nv + c], J[5 * nv + c]));
}

static inline void matrix_put_column(num *J, int32_t nv, int32_t c, twist U)
{
    J[c] = U.v.x, J[nv + c] = U.v.y, J[2 * nv + c] = U.v.z;
    J[3 * nv + c] = U.w.x, J[4 * nv + c] = U.w.y, J[5 * nv + c] = U.w.z;
}

/* adds sign · S of the joint a walk has just stepped over to the columns of the user's coordinates */
static inline void jacobian_add(const jacobian_series *j, const hml_model *m, const path_walk *w, int32_t body,
                                num sign)
{
    const body_coordinates c = coordinates_of(m, body);
    for (int32_t k = 0; k < model_bodies(m)[body].nv; k++) {
        for (int n = 0; n <= j->order; n++) {
            twist U = matrix_column(j->J[n], j->nv, c.v + k);
            matrix_put_column(j->J[n], j->nv, c.v + k, twist_axpy(sign * c.factor, w->S[k][n], U));
        }
    }
}

/* one column's derivatives in F₀ become those of the representation */
static inline void jacobian_express_column(const jacobian_series *j, const expression *x, int32_t c)
{
    twist U[SERIES_LENGTH];
    for (int n = 0; n <= j->order; n++) U[n] = matrix_column(j->J[n], j->nv, c);
    series_express(x, j->order, U);
    for (int n = 0; n <= j->order; n++) matrix_put_column(j->J[n], j->nv, c, U[n]);
}

/* those of the joints on the way to a body, but not on the way to another; −1: no body */
static inline void jacobian_express_path(const jacobian_series *j, const hml_model *m, const expression *x,
                                         int32_t body, int32_t other)
{
    const model_body *b = model_bodies(m);
    for (int32_t i = body < 0 ? -1 : b[body].root; i >= 0; i = i == body ? -1 : path_next(m, i, body)) {
        if (other >= i && other < b[i].subtree_end) continue;
        for (int32_t k = 0; k < b[i].nv; k++) jacobian_express_column(j, x, coordinates_of(m, i).v + k);
    }
}

/* all columns that the ways to one or two bodies have filled; with mimic followers a column may belong to several
 * joints */
static inline void jacobian_express(const jacobian_series *j, const hml_model *m, const expression *x, int32_t body,
                                    int32_t other)
{
    if (m->nfollowers) {
        for (int32_t c = 0; c < j->nv; c++) jacobian_express_column(j, x, c);
    } else {
        jacobian_express_path(j, m, x, body, -1);
        jacobian_express_path(j, m, x, other, body);
    }
}

/* the body of a frame; −1: it stands in the world, or is it */
static inline int32_t body_of(const hml_model *m, int32_t frame)
{
    return frame == HML_WORLD ? -1 : model_frames(m)[frame].body;
}

/* ---- frames ---- */

/* the frame's placement in the plan frame of its body, or in the world */
static inline pose frame_placement(const hml_model *m, const model_frame *f)
{
    pose F = pose_of(mat3_of(vec3_of(K(f->R[0]), K(f->R[3]), K(f->R[6])), vec3_of(K(f->R[1]), K(f->R[4]), K(f->R[7])),
                             vec3_of(K(f->R[2]), K(f->R[5]), K(f->R[8]))),
                     vec3_of(K(f->p[0]), K(f->p[1]), K(f->p[2])));
    return f->body < 0 ? F : pose_mul(plan_pose(plan_bodies(model_plan(m))[f->body].to_body), F);
}

/*
 * Takes a walk that has just started to a frame. Afterwards it holds the frame's pose and twist in F₀, and j (if not
 * NULL) has the derivatives of its columns there, added with a sign. HML_WORLD stays where it is.
 */
static inline void walk_to(path_walk *w, const hml_model *m, int32_t frame, const state_series *state, num sign,
                           const jacobian_series *j)
{
    if (frame == HML_WORLD) return;
    const model_frame *f = &model_frames(m)[frame];
    pose F = frame_placement(m, f);
    if (f->body < 0) {
        w->H = pose_between(w->world, F);
        return;
    }
    for (int32_t i = model_bodies(m)[f->body].root;; i = path_next(m, i, f->body)) {
        walk_step(w, m, i, state);
        if (j) jacobian_add(j, m, w, i, sign);
        if (i == f->body) break;
    }
    w->H = pose_mul(w->H, F);
}

static inline void expression_of_walk(expression *x, hml_representation rep, const path_walk *w)
{
    x->representation = rep;
    x->order = w->order;
    x->world = w->world;
    x->H = w->H;
    for (int n = 0; n <= w->order; n++) x->V[n] = w->V[n];
    expression_origin(x);
}

/*
 * What a frame E does for an observer on a frame D, or in the world: its pose there, the derivatives of its twist
 * (twist, acceleration, jerk, jounce, …) and of its Jacobian, which may be NULL.
 *
 * Turned into D, the difference of the twists of E and D is the twist of E relative to D, right-trivialized. Its
 * derivatives follow the rule of `left` with D as the expression frame; from there on D is the world. Columns of
 * joints that carry both frames cancel exactly.
 */
static inline pose frame_series(const hml_model *m, int32_t frame, int32_t reference, hml_representation rep,
                                const state_series *state, int order, twist twists[SERIES_LENGTH],
                                const jacobian_series *j)
{
    path_walk w;
    expression x;
    if (j) jacobian_zero(j);
    walk_start(&w, order);
    walk_to(&w, m, frame, state, K(1), j);
    if (reference != HML_WORLD) {
        path_walk d;
        walk_start_beside(&d, &w);
        walk_to(&d, m, reference, state, K(-1), j);
        expression_of_walk(&x, HML_LEFT, &d);
        if (j) jacobian_express(j, m, &x, body_of(m, frame), body_of(m, reference));
        for (int n = 0; n <= order; n++) w.V[n] = twist_sub(w.V[n], d.V[n]);
        series_express(&x, order, w.V);
        w.H = pose_between(d.H, w.H);
        w.world = pose_identity();
    }
    expression_of_walk(&x, rep, &w);
    for (int n = 0; n <= order; n++) twists[n] = w.V[n];
    series_express(&x, order, twists);
    if (j) jacobian_express(j, m, &x, body_of(m, frame), body_of(m, reference));
    return pose_mul(w.world, w.H);
}

/* the acceleration of the frame of walk e, expressed in the frame of walk c; both of order 1 and in one F₀ */
static inline twist frame_acceleration(hml_acceleration_kind kind, const path_walk *e, const path_walk *c)
{
    expression x;
    switch (kind) {
    case HML_INTRINSIC: return pose_ad_inverse(c->H, e->V[1]);
    case HML_APPARENT: return pose_ad_inverse(c->H, twist_sub(e->V[1], twist_cross(c->V[0], e->V[0])));
    default: break;
    }
    expression_of_walk(&x, HML_MIXED, e);
    vec3 linear = vec3_add(e->V[1].v, series_cross_vec(1, e->V, x.p));
    return twist_of(mat3_tmul_vec(c->H.R, linear), mat3_tmul_vec(c->H.R, e->V[1].w));
}

#endif
