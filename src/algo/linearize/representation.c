/*
 * Other representations of a free root's velocity (Notation, section 5; docs/conventions.md).
 *
 * For every free root four 6×6 blocks say everything, with o, R the pose of its frame in the world, v, ω its
 * left-trivialized velocity and ν_rep = T ν:
 *
 *              T             K = ∂(T⁻¹ν_rep)/∂q     L, where d/dt(T⁻¹) = −L T⁻¹ and Ṫ = T L
 *   right   [ R o^R; 0 R ]   [ ω^ v^; 0 ω^ ]        [ ω^ v^; 0 ω^ ]
 *   mixed   [ R  0 ; 0 R ]   [ 0  v^; 0 ω^ ]        [ ω^ 0 ; 0 ω^ ]
 *   split   [ R  0 ; 0 I ]   [ 0  v^; 0 0  ]        [ ω^ 0 ; 0 0  ]
 *
 * K is linear in v, ω: its time derivative is K of the acceleration. For left all of them are trivial.
 */
#include "hamel/trivialization.h"

#include <string.h>

#include "algo/linearize/representation.h"
#include "base/overflow.h"
#include "group/so3.h"

enum { SIX = 6, BLOCK = 36 };

static const char *const NAMES[] = {"left", "right", "mixed", "split"};

const char *hml_representation_name(hml_representation representation)
{
    return representation >= HML_LEFT && representation <= HML_SPLIT ? NAMES[representation] : NULL;
}

hml_status hml_representation_from_name(const char *name, hml_representation *representation)
{
    if (!name || !representation) return HML_INVALID_ARGUMENT;
    for (int i = HML_LEFT; i <= HML_SPLIT; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *representation = (hml_representation)i;
            return HML_OK;
        }
    }
    return HML_NOT_FOUND;
}

/* ---- the roots ---- */

static vec3 vec3_load(const double *x) { return vec3_of(x[0], x[1], x[2]); }

static pose placement(const model_body *body)
{
    const double *R = body->R;
    return pose_of(mat3_of(vec3_of(R[0], R[3], R[6]), vec3_of(R[1], R[4], R[7]), vec3_of(R[2], R[5], R[8])),
                   vec3_load(body->p));
}

int hmli_root_next(const hml_model *model, int32_t *i, free_root *r)
{
    const model_body *bodies = model_bodies(model);
    for (; *i < model->nbodies; ++*i) {
        const model_body *body = &bodies[*i];
        if (body->type != HML_JOINT_FREE) continue;
        pose H = placement(body);
        int32_t parent = body->parent;
        for (; parent >= 0 && bodies[parent].type == HML_JOINT_FIXED; parent = bodies[parent].parent) {
            H = pose_mul(placement(&bodies[parent]), H);
        }
        if (parent >= 0) continue;
        r->joint = body->joint;
        r->v = model_joints(model)[body->joint].v;
        r->place = H;
        r->point = vec3_load(body->point);
        ++*i;
        return 1;
    }
    return 0;
}

pose hmli_root_pose(const free_root *r, const double g[7])
{
    mat3 R = quat_to_mat3(quat_normalize(quat_of(g[3], g[4], g[5], g[6])));
    return pose_mul(r->place, pose_of(R, vec3_add(vec3_load(g), r->point)));
}

typedef struct root {
    int32_t v; /* its first number in the user's velocity */
    pose H;    /* of its frame in the world */
} root;

/* the first free root at body *i or later, and *i moves past it; 0 if there is none. Fixed bodies may lie between. */
static int next_root(const hml_model *model, const double *q, int32_t *i, root *r)
{
    free_root f;
    if (!hmli_root_next(model, i, &f)) return 0;
    r->v = f.v;
    r->H = hmli_root_pose(&f, q + model_joints(model)[f.joint].q);
    return 1;
}

/* ---- 6×6 blocks ---- */

static void put(double *block, int row, int column, mat3 A)
{
    double *at = block + SIX * row + column;
    at[0] = A.x.x, at[1] = A.y.x, at[2] = A.z.x;
    at[6] = A.x.y, at[7] = A.y.y, at[8] = A.z.y;
    at[12] = A.x.z, at[13] = A.y.z, at[14] = A.z.z;
}

void hmli_representation_block(hml_representation representation, pose H, double T[BLOCK])
{
    memset(T, 0, BLOCK * sizeof *T);
    put(T, 0, 0, H.R);
    put(T, 3, 3, representation == HML_SPLIT ? mat3_identity() : H.R);
    if (representation == HML_RIGHT) put(T, 0, 3, mat3_mul(mat3_hat(H.p), H.R));
}

void hmli_representation_inverse_block(hml_representation representation, pose H, double inverse[BLOCK])
{
    mat3 Rt = mat3_transpose(H.R);
    memset(inverse, 0, BLOCK * sizeof *inverse);
    put(inverse, 0, 0, Rt);
    put(inverse, 3, 3, representation == HML_SPLIT ? mat3_identity() : Rt);
    if (representation == HML_RIGHT) put(inverse, 0, 3, mat3_mul(Rt, mat3_hat(vec3_neg(H.p))));
}

static void block_K(hml_representation representation, const double *v, double K6[BLOCK])
{
    mat3 v_hat = mat3_hat(vec3_load(v)), w_hat = mat3_hat(vec3_load(v + 3));
    memset(K6, 0, BLOCK * sizeof *K6);
    put(K6, 0, 3, v_hat);
    if (representation != HML_SPLIT) put(K6, 3, 3, w_hat);
    if (representation == HML_RIGHT) put(K6, 0, 0, w_hat);
}

void hmli_representation_rate_block(hml_representation representation, const double *v, double L[BLOCK])
{
    mat3 w_hat = mat3_hat(vec3_load(v + 3));
    memset(L, 0, BLOCK * sizeof *L);
    put(L, 0, 0, w_hat);
    if (representation != HML_SPLIT) put(L, 3, 3, w_hat);
    if (representation == HML_RIGHT) put(L, 0, 3, mat3_hat(vec3_load(v)));
}

/* y = X x; y may be x */
static void apply(const double X[BLOCK], const double *x, double *y)
{
    double sum[SIX] = {0};
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) sum[i] += X[SIX * i + j] * x[j];
    }
    memcpy(y, sum, sizeof sum);
}

/* y = Xᵀ x; y may be x */
static void apply_transposed(const double X[BLOCK], const double *x, double *y)
{
    double sum[SIX] = {0};
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) sum[i] += X[SIX * j + i] * x[j];
    }
    memcpy(y, sum, sizeof sum);
}

/* six rows of width n, distance ld: rows = X rows, or Xᵀ rows */
static void rows_apply(const double X[BLOCK], int transposed, double *rows, size_t n, size_t ld)
{
    double column[SIX];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < SIX; i++) column[i] = rows[i * ld + j];
        if (transposed)
            apply_transposed(X, column, column);
        else
            apply(X, column, column);
        for (size_t i = 0; i < SIX; i++) rows[i * ld + j] = column[i];
    }
}

/* six columns of height n: columns = columns X */
static void columns_apply(const double X[BLOCK], double *columns, size_t n, size_t ld)
{
    for (size_t i = 0; i < n; i++) apply_transposed(X, columns + i * ld, columns + i * ld);
}

/* the 6×6 block at `at` += s X */
static void block_add(double *at, size_t ld, double s, const double X[BLOCK])
{
    for (size_t i = 0; i < SIX; i++) {
        for (size_t j = 0; j < SIX; j++) at[i * ld + j] += s * X[SIX * i + j];
    }
}

/* ---- vectors ---- */

/* copies n numbers unless they are already there; then a root's six can be changed in place */
static void copy(size_t n, const double *from, double *to)
{
    if (from != to) memcpy(to, from, n * sizeof *to);
}

static int bad(const hml_model *model, hml_representation representation, const void *q, const void *in,
               const void *out)
{
    return !model || !hml_representation_name(representation) || !q || !in || !out;
}

hml_status hml_velocity_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, double *v_rep)
{
    if (bad(model, representation, q, v, v_rep)) return HML_INVALID_ARGUMENT;
    copy((size_t)model->nv, v, v_rep);
    double T[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) {
        hmli_representation_block(representation, r.H, T);
        apply(T, v_rep + r.v, v_rep + r.v);
    }
    return finite_array(v_rep, (size_t)model->nv);
}

hml_status hml_velocity_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                            const double *v_rep, double *v)
{
    if (bad(model, representation, q, v_rep, v)) return HML_INVALID_ARGUMENT;
    copy((size_t)model->nv, v_rep, v);
    double inverse[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) {
        hmli_representation_inverse_block(representation, r.H, inverse);
        apply(inverse, v + r.v, v + r.v);
    }
    return finite_array(v, (size_t)model->nv);
}

hml_status hml_acceleration_to_representation(const hml_model *model, hml_representation representation,
                                              const double *q, const double *v, const double *a, double *a_rep)
{
    if (bad(model, representation, q, a, a_rep) || !v) return HML_INVALID_ARGUMENT;
    copy((size_t)model->nv, a, a_rep);
    double T[BLOCK], L[BLOCK], Lv[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) { /* T (ν̇ + L ν) */
        hmli_representation_block(representation, r.H, T);
        hmli_representation_rate_block(representation, v + r.v, L);
        apply(L, v + r.v, Lv);
        for (int k = 0; k < SIX; k++) a_rep[r.v + k] += Lv[k];
        apply(T, a_rep + r.v, a_rep + r.v);
    }
    return finite_array(a_rep, (size_t)model->nv);
}

hml_status hml_force_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                       const double *tau, double *tau_rep)
{
    if (bad(model, representation, q, tau, tau_rep)) return HML_INVALID_ARGUMENT;
    copy((size_t)model->nv, tau, tau_rep);
    double inverse[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) {
        hmli_representation_inverse_block(representation, r.H, inverse);
        apply_transposed(inverse, tau_rep + r.v, tau_rep + r.v);
    }
    return finite_array(tau_rep, (size_t)model->nv);
}

hml_status hml_force_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                         const double *tau_rep, double *tau)
{
    if (bad(model, representation, q, tau_rep, tau)) return HML_INVALID_ARGUMENT;
    copy((size_t)model->nv, tau_rep, tau);
    double T[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) {
        hmli_representation_block(representation, r.H, T);
        apply_transposed(T, tau + r.v, tau + r.v);
    }
    return finite_array(tau, (size_t)model->nv);
}

/* ---- matrices ---- */

hml_status hml_dynamics_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, double *M, double *h)
{
    if (bad(model, representation, q, M, h) || !v) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)model->nv;
    double inverse[BLOCK], L[BLOCK], Lv[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) { /* h −= M L ν */
        hmli_representation_rate_block(representation, v + r.v, L);
        apply(L, v + r.v, Lv);
        for (size_t row = 0; row < n; row++) {
            for (size_t k = 0; k < SIX; k++) h[row] -= M[row * n + (size_t)r.v + k] * Lv[k];
        }
    }
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) { /* T⁻ᵀ M T⁻¹, T⁻ᵀ h */
        hmli_representation_inverse_block(representation, r.H, inverse);
        columns_apply(inverse, M + r.v, n, n);
        rows_apply(inverse, 1, M + (size_t)r.v * n, n, n);
        apply_transposed(inverse, h + r.v, h + r.v);
    }
    return FINITE_STATUS({M, n * n}, {h, n});
}

hml_status hml_jacobian_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, int32_t rows, double *J, double *Jdot)
{
    if (bad(model, representation, q, v, J) || rows < 0) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)model->nv;
    double inverse[BLOCK], L[BLOCK], JL[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) {
        hmli_representation_inverse_block(representation, r.H, inverse);
        hmli_representation_rate_block(representation, v + r.v, L);
        for (size_t row = 0; Jdot && row < (size_t)rows; row++) { /* (J̇ − J L) T⁻¹ */
            apply_transposed(L, J + row * n + r.v, JL);
            for (size_t k = 0; k < SIX; k++) Jdot[row * n + (size_t)r.v + k] -= JL[k];
        }
        if (Jdot) columns_apply(inverse, Jdot + r.v, (size_t)rows, n);
        columns_apply(inverse, J + r.v, (size_t)rows, n);
    }
    return FINITE_STATUS({J, (size_t)rows * n}, {Jdot, (size_t)rows * n});
}

/*
 * Multiplied out, with A = [ −ad  I ; D_q  D_ν ]:
 *
 *   A_rep = [ −ad + K                                   T⁻¹             ]
 *           [ T (D_q + D_ν K − K̇ − K (−ad + K))        T (D_ν + L − K) T⁻¹ ]
 */
static void linearization_root(hml_representation representation, const root *r, size_t n, const double *v,
                               const double *a, double *A)
{
    const size_t ld = 2 * n, at = (size_t)r->v;
    double *ad = A + at * ld + at, *unit = ad + n, *Dq = A + n * ld + at, *Dv = Dq + n; /* Dq, Dv: columns at … at+5 */
    double T[BLOCK], inverse[BLOCK], K6[BLOCK], Kdot[BLOCK], L[BLOCK], product[SIX];
    hmli_representation_block(representation, r->H, T);
    hmli_representation_inverse_block(representation, r->H, inverse);
    block_K(representation, v + at, K6);
    block_K(representation, a + at, Kdot);
    hmli_representation_rate_block(representation, v + at, L);

    block_add(ad, ld, 1, K6);
    for (size_t i = 0; i < n; i++) { /* D_q + D_ν K */
        apply_transposed(K6, Dv + i * ld, product);
        for (size_t k = 0; k < SIX; k++) Dq[i * ld + k] += product[k];
    }
    block_add(Dq + at * ld, ld, -1, Kdot);
    for (size_t j = 0; j < SIX; j++) { /* − K (−ad + K) */
        for (size_t k = 0; k < SIX; k++) product[k] = ad[k * ld + j];
        apply(K6, product, product);
        for (size_t k = 0; k < SIX; k++) Dq[(at + k) * ld + j] -= product[k];
    }
    block_add(Dv + at * ld, ld, 1, L);
    block_add(Dv + at * ld, ld, -1, K6);

    columns_apply(inverse, unit, SIX, ld);
    columns_apply(inverse, Dv, n, ld);
    rows_apply(T, 0, A + (n + at) * ld, ld, ld);
}

hml_status hml_linearization_to_representation(const hml_model *model, hml_representation representation,
                                               const double *q, const double *v, const double *a, int32_t ninputs,
                                               double *A, double *B)
{
    if (bad(model, representation, q, v, a) || ninputs < 0) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)model->nv, m = (size_t)ninputs;
    double T[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && next_root(model, q, &i, &r);) {
        if (A) linearization_root(representation, &r, n, v, a, A);
        hmli_representation_block(representation, r.H, T);
        if (B) rows_apply(T, 0, B + (n + (size_t)r.v) * m, m, m);
    }
    return FINITE_STATUS({A, 4 * n * n}, {B, 2 * n * m});
}
