/* Other representations of a free root's velocity: from left to them. The blocks T, K and L are in roots.h. */
#include "hamel/representation.h"

#include <string.h>

#include "algo/linearize/roots.h"
#include "base/overflow.h"
#include "group/arrays.h"

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

static pose placement(const model_body *body)
{
    const double *R = body->R;
    return pose_of(mat3_of(vec3_of(R[0], R[3], R[6]), vec3_of(R[1], R[4], R[7]), vec3_of(R[2], R[5], R[8])),
                   vec3_at(body->p));
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
        r->point = vec3_at(body->point);
        ++*i;
        return 1;
    }
    return 0;
}

pose hmli_root_pose(const free_root *r, const double g[7])
{
    mat3 R = quat_to_mat3(quat_normalize(quat_at(g + 3)));
    return pose_mul(r->place, pose_of(R, vec3_add(vec3_at(g), r->point)));
}

/* ---- 6×6 blocks ---- */

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

void hmli_representation_rate_block(hml_representation representation, const double *v, double L[BLOCK])
{
    mat3 w_hat = mat3_hat(vec3_at(v + 3));
    memset(L, 0, BLOCK * sizeof *L);
    put(L, 0, 0, w_hat);
    if (representation != HML_SPLIT) put(L, 3, 3, w_hat);
    if (representation == HML_RIGHT) put(L, 0, 3, mat3_hat(vec3_at(v)));
}

/* ---- vectors ---- */

/* y = T x or T⁻¹ x of every free root, or the same with the transposed matrix; x is copied elsewhere */
static hml_status transform(const hml_model *model, hml_representation representation, const double *q, const double *x,
                            int inverse, int transposed, double *y)
{
    TRY(root_check(model, representation, q, NULL, x, y));
    copy((size_t)model->nv, x, y);
    double T[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        if (inverse)
            hmli_representation_inverse_block(representation, r.H, T);
        else
            hmli_representation_block(representation, r.H, T);
        if (transposed)
            apply_transposed(T, y + r.v, y + r.v);
        else
            apply(T, y + r.v, y + r.v);
    }
    return finite_array(y, (size_t)model->nv);
}

hml_status hml_velocity_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, double *v_rep)
{
    return transform(model, representation, q, v, 0, 0, v_rep);
}

hml_status hml_velocity_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                            const double *v_rep, double *v)
{
    return transform(model, representation, q, v_rep, 1, 0, v);
}

hml_status hml_force_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                       const double *tau, double *tau_rep)
{
    return transform(model, representation, q, tau, 1, 1, tau_rep);
}

hml_status hml_force_from_representation(const hml_model *model, hml_representation representation, const double *q,
                                         const double *tau_rep, double *tau)
{
    return transform(model, representation, q, tau_rep, 0, 1, tau);
}

hml_status hml_acceleration_to_representation(const hml_model *model, hml_representation representation,
                                              const double *q, const double *v, const double *a, double *a_rep)
{
    if (!v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, a, a_rep));
    copy((size_t)model->nv, a, a_rep);
    double T[BLOCK], L[BLOCK], Lv[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* T (ν̇ + L ν) */
        hmli_representation_block(representation, r.H, T);
        hmli_representation_rate_block(representation, v + r.v, L);
        apply(L, v + r.v, Lv);
        for (int k = 0; k < SIX; k++) a_rep[r.v + k] += Lv[k];
        apply(T, a_rep + r.v, a_rep + r.v);
    }
    return finite_array(a_rep, (size_t)model->nv);
}

/* ---- matrices ---- */

hml_status hml_dynamics_to_representation(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, double *M, double *h)
{
    if (!v) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, M, h));
    const size_t n = (size_t)model->nv;
    double inverse[BLOCK], L[BLOCK], Lv[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* h −= M L ν */
        hmli_representation_rate_block(representation, v + r.v, L);
        apply(L, v + r.v, Lv);
        for (size_t row = 0; row < n; row++) {
            for (size_t k = 0; k < SIX; k++) h[row] -= M[row * n + (size_t)r.v + k] * Lv[k];
        }
    }
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) { /* T⁻ᵀ M T⁻¹, T⁻ᵀ h */
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
    if (rows < 0) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, v, J));
    const size_t n = (size_t)model->nv;
    double inverse[BLOCK], L[BLOCK], JL[SIX];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
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
    double T[BLOCK], inverse[BLOCK], K6[BLOCK], Kdot[BLOCK], L[BLOCK];
    hmli_representation_block(representation, r->H, T);
    hmli_representation_inverse_block(representation, r->H, inverse);
    block_K(representation, v + at, K6);
    block_K(representation, a + at, Kdot);
    hmli_representation_rate_block(representation, v + at, L);

    block_add(ad, ld, 1, K6);
    columns_add(1, Dv, K6, Dq, n, ld); /* D_q + D_ν K */
    block_add(Dq + at * ld, ld, -1, Kdot);
    rows_add(-1, K6, ad, Dq + at * ld, SIX, ld); /* − K (−ad + K) */
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
    if (ninputs < 0) return HML_INVALID_ARGUMENT;
    TRY(root_check(model, representation, q, v, v, a));
    const size_t n = (size_t)model->nv, m = (size_t)ninputs;
    double T[BLOCK];
    root r;
    for (int32_t i = 0; representation != HML_LEFT && root_next(model, q, &i, &r);) {
        if (A) linearization_root(representation, &r, n, v, a, A);
        hmli_representation_block(representation, r.H, T);
        if (B) rows_apply(T, 0, B + (n + (size_t)r.v) * m, m, m);
    }
    return FINITE_STATUS({A, 4 * n * n}, {B, 2 * n * m});
}
