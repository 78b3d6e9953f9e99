/*
 * Derivatives of a frame's motion, over num.
 *
 * All in F₀ (motion_series.h), which stands still while the robot moves. Let k be a column of joint i on the way to the
 * frame, p the parent of i, V_E and A_E the frame's twist and its derivative in F₀. A motion along k carries everything
 * behind the joint along, and turns what these bodies add to twist and acceleration:
 *
 *   ∂V_E/∂q_k = S_k × (V_E − V_p)                                  ∂V_E/∂ν_k = S_k
 *   ∂A_E/∂q_k = S_k × (A_E − A_p) + (V_p × S_k) × (V_E − V_p)      ∂A_E/∂ν_k = S_k × (V_E − V_p) + V_i × S_k
 *   ∂S_c/∂q_k = S_k × S_c  for c behind k or in the same joint, else 0; a column of another branch never enters
 *
 * For the numbers of a representation the expression frame E moves too: along k its pose changes by the twist S_k.
 *
 *   left    ∂(X_E U) = X_E (∂U − S_k × U)
 *   mixed   ∂(U.v + U.w × p) = ∂U.v + ∂U.w × p + U.w × ∂p,   ∂p = S_k.v + S_k.w × p
 *   split   linear part of mixed, angular part of left
 */
#ifndef HML_ALGO_KINEMATICS_FRAME_DERIVATIVES_H
#define HML_ALGO_KINEMATICS_FRAME_DERIVATIVES_H

#include "algo/kinematics/motion_series.h"

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

/* what is added to a twist's derivative where its numbers are of the mixed or split kind: V.w × ṗ in the linear part */
static inline twist acceleration_numbers(const expression *x, twist V, twist A)
{
    if (x->representation == HML_MIXED || x->representation == HML_SPLIT) {
        A.v = vec3_add(A.v, vec3_cross(V.w, vec3_add(V.v, vec3_cross(V.w, x->p[0]))));
    }
    return A;
}

/* its change: ∂(V.w × ṗ) with ṗ = V.v + V.w × p */
static inline twist acceleration_numbers_change(const expression *x, vec3 dp, twist V, twist dV, twist dA)
{
    if (x->representation == HML_MIXED || x->representation == HML_SPLIT) {
        vec3 p = x->p[0], pd = vec3_add(V.v, vec3_cross(V.w, p));
        vec3 dpd = vec3_add(dV.v, vec3_add(vec3_cross(dV.w, p), vec3_cross(V.w, dp)));
        dA.v = vec3_add(dA.v, vec3_add(vec3_cross(dV.w, pd), vec3_cross(V.w, dpd)));
    }
    return dA;
}

/* columns of the four different matrices, 6 × nv each, any of them NULL */
typedef struct derivative_matrices {
    int32_t nv;
    num *J, *twist_q, *acceleration_q, *acceleration_v;
} derivative_matrices;

static inline void derivative_add(num *matrix, int32_t nv, int32_t c, num factor, twist U)
{
    if (matrix) matrix_put_column(matrix, nv, c, twist_axpy(factor, U, matrix_column(matrix, nv, c)));
}

/* the columns of one joint; Vp, Ap: of the body before it; w: at the body behind it; x: at the frame, with V and A */
static inline void derivative_columns(const hml_model *m, int32_t body, const twist before[2], const path_walk *w,
                                      const expression *x, const derivative_matrices *out)
{
    const body_coordinates c = coordinates_of(m, body);
    const twist V = x->V[0], A = acceleration_numbers(x, V, x->V[1]);
    const twist dV0 = twist_sub(V, before[0]), dA0 = twist_sub(x->V[1], before[1]);
    for (int32_t k = 0; k < model_bodies(m)[body].nv; k++) {
        const twist S = w->S[k][0];
        const vec3 dp = vec3_add(S.v, vec3_cross(S.w, x->p[0]));
        twist dV = twist_cross(S, dV0);
        twist dA = twist_add(twist_cross(S, dA0), twist_cross(twist_cross(before[0], S), dV0));
        twist dA_v = twist_add(dV, w->S[k][1]);
        dA = acceleration_numbers_change(x, dp, V, dV, dA);
        dA_v = acceleration_numbers_change(x, vec3_zero(), V, S, dA_v);
        const int32_t at = c.v + k;
        derivative_add(out->J, out->nv, at, c.factor, express_change(x, twist_zero(), twist_zero(), S));
        derivative_add(out->twist_q, out->nv, at, c.factor, express_change(x, S, V, dV));
        derivative_add(out->acceleration_q, out->nv, at, c.factor, express_change(x, S, A, dA));
        derivative_add(out->acceleration_v, out->nv, at, c.factor, express_change(x, twist_zero(), twist_zero(), dA_v));
    }
}

static inline void frame_derivatives(const hml_model *m, int32_t frame, hml_representation rep,
                                     const state_series *state, const derivative_matrices *out)
{
    const int32_t body = model_frames(m)[frame].body;
    num *all[] = {out->J, out->twist_q, out->acceleration_q, out->acceleration_v};
    path_walk w;
    expression x;
    for (int i = 0; i < 4; i++) {
        for (int32_t k = 0; all[i] && k < 6 * out->nv; k++) all[i][k] = K(0);
    }
    walk_start(&w, 1);
    walk_to(&w, m, frame, state, K(1), NULL);
    expression_of_walk(&x, rep, &w);
    if (body < 0) return;
    walk_start(&w, 1);
    for (int32_t i = model_bodies(m)[body].root;; i = path_next(m, i, body)) {
        const twist before[2] = {w.V[0], w.V[1]};
        walk_step(&w, m, i, state);
        derivative_columns(m, i, before, &w, &x, out);
        if (i == body) break;
    }
}

/* ---- Hessian ---- */

/* a column on the way to a frame, root first */
typedef struct path_column {
    twist S; /* in F₀ */
    int32_t body, user;
    num factor;
} path_column;

/* the columns on the way to a point of a frame and the expression there; returns their number. path: tree_nv of them */
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
