/*
 * Derivatives of a frame's motion, over num.
 *
 * As the frame sees its path (frame_seen.h). Let k be a column J_k of joint i on the way to the frame, p the parent of i,
 * V and A the frame's twist and its derivative, V_p and A_p those of p as the frame sees them:
 *
 *   ∂V/∂q_k = V_p × J_k                                  ∂V/∂ν_k = J_k
 *   ∂A/∂q_k = A_p × J_k + (V_p × J_k) × (V − V_p)        ∂A/∂ν_k = J_k × (V − V_p) + V_i × J_k
 *
 * since a motion along k carries the frame along with everything behind the joint: only what comes from before it
 * changes. The way to the root finds J_k and V, the way back V_p and A_p. Along k the frame's axes R change by R ω_k^, ω_k
 * the angular part of J_k, and its pose by the twist J_k; with ω that of V,
 *
 *   right   Ad_H (∂V + J_k × V), and the same of A
 *   mixed   R (∂x + ω_k × x) for x the linear and the angular part of V, and a.v = A.v + ω × V.v and A.w in A
 *   split   linear part of mixed, angular part of left
 *
 * The Hessian and derivatives of higher order are written in F₀ (motion_series.h), where
 *
 *   ∂S_c/∂q_k = S_k × S_c  for c behind k or in the same joint, else 0; a column of another branch never enters
 *
 * and the expression frame E moves along k by the twist S_k:
 *
 *   left    ∂(X_E U) = X_E (∂U − S_k × U)
 *   mixed   ∂(U.v + U.w × p) = ∂U.v + ∂U.w × p + U.w × ∂p,   ∂p = S_k.v + S_k.w × p
 *   split   linear part of mixed, angular part of left
 */
#ifndef HML_ALGO_KINEMATICS_FRAME_DERIVATIVES_H
#define HML_ALGO_KINEMATICS_FRAME_DERIVATIVES_H

#include "algo/kinematics/frame_seen.h"

/* a twist in F₀ and its change, expressed while the expression frame moves along S */
static inline twist express_change(const expression *x, twist S, twist U, twist dU)
{
    vec3 p = x->p[0], dp = vec3_add(S.v, vec3_cross(S.w, p));
    twist left = twist_sub(dU, twist_cross(S, U));
    vec3 linear = vec3_add(dU.v, vec3_add(vec3_cross(dU.w, p), vec3_cross(U.w, dp)));
    switch (x->representation) {
    case HML_LEFT: return pose_ad_inverse(x->H, left);
    case HML_RIGHT: return pose_ad(x->world, dU);
    case HML_MIXED: return twist_of(mat3_mul_vec(x->world.R, linear), mat3_mul_vec(x->world.R, dU.w));
    default: return twist_of(mat3_mul_vec(x->world.R, linear), mat3_tmul_vec(x->H.R, left.w));
    }
}

/* a column on the way to a frame */
typedef struct path_column {
    twist S; /* in F₀; of derivatives: as the frame sees it */
    int32_t body, user;
    num factor;
    num rate, acceleration; /* of derivatives alone */
} path_column;

/* columns of the four different matrices, 6 × nv each, any of them NULL */
typedef struct derivative_matrices {
    int32_t nv;
    num *J, *twist_q, *acceleration_q, *acceleration_v;
} derivative_matrices;

static inline void derivative_add(num *matrix, int32_t nv, int32_t c, num factor, twist U)
{
    if (matrix) matrix_put_column(matrix, nv, c, twist_axpy(factor, U, matrix_column(matrix, nv, c)));
}

static inline void derivative_put(const hml_model *m, num *matrix, const path_column *c, twist U)
{
    if (!matrix) return;
    if (m->nfollowers)
        derivative_add(matrix, m->nv, c->user, c->factor, U);
    else
        matrix_put_column(matrix, m->nv, c->user, U);
}

/* to the root: columns, the last joint's first, and the frame's motion; returns how many columns */
static inline int32_t derivative_path(const hml_model *m, const model_frame *f, const state_series *state,
                                      path_column *path, seen_place *x)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    int32_t n = 0;
    num room;
    x->H = frame_placement(m, f);
    x->V = x->A = twist_zero();
    for (int32_t i = f->body; i >= 0; i = pb[i].parent) {
        const body_coordinates at = coordinates_of(m, i);
        const twist later = x->V;
        twist J[HML_JOINT_MAX_NV];
        columns_seen(&pb[i], x->H, J);
        for (int32_t k = 0; k < pb[i].nv; k++, n++) {
            const num rate = state_rate(state, 0, &at, k);
            path[n].S = J[k], path[n].body = i, path[n].user = at.v + k, path[n].factor = at.factor;
            path[n].rate = rate, path[n].acceleration = state_rate(state, 1, &at, k);
            x->V = twist_axpy(rate, J[k], x->V);
            if (x->representation != HML_LEFT)
                x->A = twist_axpy(path[n].acceleration, J[k], twist_axpy(rate, twist_cross(J[k], later), x->A));
        }
        x->H = seen_from_parent(&pb[i], body_position(m, i, state->q, &room), x->H);
    }
    x->linear = seen_linear(x->representation, x->V, x->A);
    return n;
}

/* the columns of one joint; before: V_p and A_p, which become those of its body */
static inline void derivative_columns(const hml_model *m, const path_column *path, int32_t n, const seen_place *x,
                                      twist before[2], const derivative_matrices *out)
{
    seen_joint j = {before[0], before[1], before[0]};
    for (int32_t k = 0; k < n; k++) {
        const twist J = path[k].S;
        j.Vi = twist_axpy(path[k].rate, J, j.Vi);
        before[1] = twist_axpy(path[k].rate, twist_cross(j.Vp, J), twist_axpy(path[k].acceleration, J, before[1]));
    }
    before[0] = j.Vi;
    for (int32_t k = 0; k < n; k++) {
        const twist J = path[k].S;
        if (out->J) derivative_put(m, out->J, &path[k], seen_in(x->representation, x->H, J));
        if (out->twist_q) derivative_put(m, out->twist_q, &path[k], seen_twist_q(x, &j, J));
        if (out->acceleration_q) derivative_put(m, out->acceleration_q, &path[k], seen_acceleration_q(x, &j, J));
        if (out->acceleration_v) derivative_put(m, out->acceleration_v, &path[k], seen_acceleration_v(x, &j, J));
    }
}

/* path: scratch, tree_nv of them */
static inline void frame_derivatives(const hml_model *m, int32_t frame, hml_representation rep,
                                     const state_series *state, path_column *path, const derivative_matrices *out)
{
    const model_frame *f = &model_frames(m)[frame];
    num *all[] = {out->J, out->twist_q, out->acceleration_q, out->acceleration_v};
    twist before[2] = {twist_zero(), twist_zero()};
    seen_place x = {.representation = rep};
    for (int i = 0; i < 4; i++) {
        for (int32_t k = 0; all[i] && k < 6 * out->nv; k++) all[i][k] = K(0);
    }
    if (f->body < 0) return;
    for (int32_t end = derivative_path(m, f, state, path, &x), n; end > 0; end -= n) {
        for (n = 1; n < end && path[end - n - 1].body == path[end - 1].body;) n++;
        derivative_columns(m, &path[end - n], n, &x, before, out);
    }
}

/* ---- Hessian ---- */

/* the columns on the way to a point of a frame, root first, and the expression there; returns their number. path: tree_nv of them */
static inline int32_t collect_path_to(const hml_model *m, int32_t frame, vec3 point, hml_representation rep,
                                      const num *q, path_column *path, expression *x)
{
    const int32_t body = model_frames(m)[frame].body;
    state_series state = {.q = q};
    int32_t n = 0;
    path_walk w;
    walk_start(&w, 0);
    for (int32_t i = body < 0 ? -1 : model_bodies(m)[body].root; i >= 0; i = i == body ? -1 : path_next(m, i, body)) {
        const body_coordinates c = coordinates_of(m, i);
        walk_step(&w, m, i, &state);
        for (int32_t k = 0; k < model_bodies(m)[i].nv; k++, n++) {
            path[n].S = w.S[k][0];
            path[n].body = i;
            path[n].user = c.v + k;
            path[n].factor = c.factor;
        }
    }
    w.H = pose_mul(w.H, frame_placement(m, &model_frames(m)[frame]));
    w.H.p = pose_act(w.H, point);
    expression_of_walk(x, rep, &w);
    return n;
}

static inline int32_t collect_path(const hml_model *m, int32_t frame, hml_representation rep, const num *q,
                                   path_column *path, expression *x)
{
    return collect_path_to(m, frame, vec3_zero(), rep, q, path, x);
}

/* adds to a column of the first `rows` rows, 3 or 6 */
static inline void rows_add(num *matrix, int32_t rows, int32_t nv, int32_t c, num factor, twist U)
{
    const num numbers[6] = {U.v.x, U.v.y, U.v.z, U.w.x, U.w.y, U.w.z};
    for (int32_t r = 0; r < rows; r++) matrix[r * nv + c] = matrix[r * nv + c] + factor * numbers[r];
}

/* H: nv × rows × nv; a pair of columns contributes where both are on the way to the frame */
static inline void point_hessian(const hml_model *m, int32_t frame, vec3 point, hml_representation rep, int32_t rows,
                                 const num *q, path_column *path, num *H)
{
    const int32_t nv = m->nv;
    expression x;
    int32_t n = collect_path_to(m, frame, point, rep, q, path, &x);
    for (int64_t i = 0; i < (int64_t)rows * nv * nv; i++) H[i] = K(0);
    for (int32_t k = 0; k < n; k++) {
        for (int32_t c = 0; c < n; c++) {
            int behind = path[c].body >= path[k].body; /* both on one path: the later one is behind or the same */
            twist dS = behind ? twist_cross(path[k].S, path[c].S) : twist_zero();
            rows_add(H + (int64_t)rows * nv * path[k].user, rows, nv, path[c].user, path[k].factor * path[c].factor,
                     express_change(&x, path[k].S, path[c].S, dS));
        }
    }
}

static inline void frame_hessian(const hml_model *m, int32_t frame, hml_representation rep, const num *q,
                                 path_column *path, num *H)
{
    point_hessian(m, frame, vec3_zero(), rep, 6, q, path, H);
}

/* ---- any order ---- */

/*
 * On one path to a frame, with J the columns in the representation (Müller (14), (23)):
 *
 *   right   ∂S_c/∂q_k = [S_k, S_c] for k before c or in its joint. By Jacobi's identity every further derivative puts
 *           one more bracket around: [S_βn, … [S_β1, S_c]], the ones nearer to the root outside
 *   left    ∂J_c/∂q_k = [J_c, J_k] for k behind c; [[J_c, J_β1], … J_βn], the ones nearer to the frame outside
 *
 * Two derivatives within one joint of several coordinates do not commute: the later one stands outside in `right` and
 * inside in `left`.
 *
 * The linear part of `mixed` and `split` is the velocity of the frame's origin p: column c is ∂p/∂q_c, and its
 * derivatives are derivatives of p, one order higher. With Ŝ the 4x4 matrix of a screw, Ŝ p = S.v + S.w × p,
 *
 *   ∂ⁿ⁺¹p/∂q_c ∂q_β1 … ∂q_βn = Ŝ … Ŝ p      c and all β in the order of `right`, c being the first derivative; no one
 *                                            vanishes that is on the path
 *
 * The angular part of `mixed` is that of `right` without the change of frame, that of `split` the one of `left`. For
 * n = 1 this is Müller (25), with its case k < j.
 */
typedef struct bracket {
    int32_t body;   /* that its joint moves */
    int32_t number; /* which derivative it is */
} bracket;

/* does a stand inside b? */
static inline int bracket_inside(bracket a, bracket b, int right)
{
    if (a.body != b.body) return right ? a.body > b.body : a.body < b.body;
    return right ? a.number < b.number : a.number > b.number;
}

/* the columns of the path that a coordinate of the user's moves: a leader's and its followers'. Returns how many they
 * are, and the place of the one with this number */
static inline int32_t places_on_path(const path_column *path, int32_t n, int32_t user, int64_t number, int32_t *place)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        if (path[i].user == user && count++ == number) *place = i;
    return count;
}

/* the sum over leaders and followers has so many terms; no more than this many are counted */
enum { PARTIAL_TERMS_MAX = 1 << 24 };

static inline int64_t partial_terms(const path_column *path, int32_t length, int32_t n, const int32_t *indices)
{
    int64_t terms = 1;
    int32_t place;
    for (int32_t i = 0; i < n && terms <= PARTIAL_TERMS_MAX; i++)
        terms *= places_on_path(path, length, indices[i], 0, &place);
    return terms;
}

/* which column derivative i takes in this term: the digits of the term's number */
static inline int32_t partial_place(const path_column *path, int32_t length, const int32_t *indices, int32_t i,
                                    int64_t term)
{
    int32_t place = -1;
    for (int32_t j = 0; term && j < i; j++) term /= places_on_path(path, length, indices[j], 0, &place);
    if (term) term %= places_on_path(path, length, indices[i], 0, &place);
    places_on_path(path, length, indices[i], term, &place);
    return place;
}

/*
 * The derivative that stands next outside of `last`, from inside to outside; number −1 is column c itself, which is
 * one of them if `own`. *at: its column on the path. last.number −2: none was taken yet
 */
static inline bracket partial_next(const path_column *path, int32_t length, int right, int32_t c, int own, int32_t n,
                                   const int32_t *indices, int64_t term, bracket last, int32_t *at)
{
    bracket next = {0, -2};
    for (int32_t i = own ? -1 : 0; i < n; i++) {
        int32_t k = i < 0 ? c : partial_place(path, length, indices, i, term);
        bracket b = {path[k].body, i};
        if (last.number >= -1 && !bracket_inside(last, b, right)) continue; /* already in */
        if (next.number == -2 || bracket_inside(b, next, right)) next = b, *at = k;
    }
    return next;
}

/* one term of the brackets, in F₀ */
static inline twist partial_term(const path_column *path, int32_t length, int right, int32_t c, int32_t n,
                                 const int32_t *indices, int64_t term)
{
    twist U = twist_scale(path[c].factor, path[c].S);
    bracket last = {0, -2};
    for (int32_t i = 0; i < n; i++) {
        int32_t k = partial_place(path, length, indices, i, term);
        int moves = right ? path[k].body <= path[c].body : path[k].body > path[c].body;
        if (!moves) return twist_zero();
    }
    for (int32_t done = 0; done < n; done++) {
        int32_t at = -1;
        last = partial_next(path, length, right, c, 0, n, indices, term, last, &at);
        twist S = twist_scale(path[at].factor, path[at].S);
        U = right ? twist_cross(S, U) : twist_cross(U, S);
    }
    return U;
}

/* one term of the derivatives of the origin p, in F₀ */
static inline vec3 partial_point(const path_column *path, int32_t length, int32_t c, int32_t n, const int32_t *indices,
                                 int64_t term, vec3 p)
{
    bracket last = {0, -2};
    for (int32_t done = 0; done <= n; done++) {
        int32_t at = -1;
        last = partial_next(path, length, 1, c, 1, n, indices, term, last, &at);
        twist S = twist_scale(path[at].factor, path[at].S);
        vec3 turned = vec3_cross(S.w, p);
        p = done ? turned : vec3_add(S.v, turned); /* a point first, then vectors */
    }
    return p;
}

/* path: scratch, tree_nv of them. 1: more terms than PARTIAL_TERMS_MAX */
static inline int jacobian_partial(const hml_model *m, int32_t frame, hml_representation rep, const num *q,
                                   int32_t column, int32_t n, const int32_t *indices, path_column *path, twist *out)
{
    const int right = rep == HML_RIGHT || rep == HML_MIXED, classical = rep == HML_MIXED || rep == HML_SPLIT;
    expression x;
    int32_t length = collect_path(m, frame, rep, q, path, &x);
    int64_t terms = partial_terms(path, length, n, indices);
    twist U = twist_zero();
    vec3 linear = vec3_zero();
    if (terms > PARTIAL_TERMS_MAX) return 1;
    for (int32_t c = 0; c < length; c++) {
        for (int64_t term = 0; path[c].user == column && term < terms; term++) {
            U = twist_add(U, partial_term(path, length, right, c, n, indices, term));
            if (classical) linear = vec3_add(linear, partial_point(path, length, c, n, indices, term, x.p[0]));
        }
    }
    U = right ? pose_ad(x.world, U) : pose_ad_inverse(x.H, U);
    if (classical) U.v = mat3_mul_vec(x.world.R, linear);
    *out = U;
    return 0;
}

#endif
