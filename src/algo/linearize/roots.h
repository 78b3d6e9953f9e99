/*
 * The free roots of a model and the 6×6 blocks that change the representation of their velocities (Notation, section 5;
 * docs/conventions.md). With o, R the pose of a root's frame in the world, v, ω its left-trivialized velocity and
 * ν_rep = T ν:
 *
 *              T             K = ∂(T⁻¹ν_rep)/∂q     L, where d/dt(T⁻¹) = −L T⁻¹ and Ṫ = T L
 *   right   [ R o^R; 0 R ]   [ ω^ v^; 0 ω^ ]        [ ω^ v^; 0 ω^ ]
 *   mixed   [ R  0 ; 0 R ]   [ 0  v^; 0 ω^ ]        [ ω^ 0 ; 0 ω^ ]
 *   split   [ R  0 ; 0 I ]   [ 0  v^; 0 0  ]        [ ω^ 0 ; 0 0  ]
 *
 * K is linear in v, ω: its time derivative is K of the acceleration. For left all of them are trivial.
 */
#ifndef HML_ALGO_LINEARIZE_ROOTS_H
#define HML_ALGO_LINEARIZE_ROOTS_H

#include <string.h>

#include "algo/linearize/representation.h"
#include "group/so3.h"
#include "hamel/se3.h"
#include "model/coordinates.h"
#include "model/model.h"

enum { SIX = 6, BLOCK = 36 };

/* ---- the roots ---- */

typedef struct root {
    int32_t v; /* its first number in the user's velocity */
    pose H;    /* of its frame in the world */
} root;

/* the first free root at body *i or later, and *i moves past it; 0 if there is none */
static inline int root_next(const hml_model *model, const double *q, int32_t *i, root *r)
{
    free_root f;
    if (!hmli_root_next(model, i, &f)) return 0;
    r->v = f.v;
    r->H = hmli_root_pose(&f, q + model_joints(model)[f.joint].q);
    return 1;
}

/* ---- 6×6 blocks ---- */

static inline void put(double *block, int row, int column, mat3 A)
{
    double *at = block + SIX * row + column;
    at[0] = A.x.x, at[1] = A.y.x, at[2] = A.z.x;
    at[6] = A.x.y, at[7] = A.y.y, at[8] = A.z.y;
    at[12] = A.x.z, at[13] = A.y.z, at[14] = A.z.z;
}

static inline void block_K(hml_representation representation, const double *v, double K6[BLOCK])
{
    mat3 v_hat = mat3_hat(vec3_at(v)), w_hat = mat3_hat(vec3_at(v + 3));
    memset(K6, 0, BLOCK * sizeof *K6);
    put(K6, 0, 3, v_hat);
    if (representation != HML_SPLIT) put(K6, 3, 3, w_hat);
    if (representation == HML_RIGHT) put(K6, 0, 0, w_hat);
}

/* y = X x; y may be x */
static inline void apply(const double X[BLOCK], const double *x, double *y)
{
    double sum[SIX] = {0};
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) sum[i] += X[SIX * i + j] * x[j];
    }
    memcpy(y, sum, sizeof sum);
}

/* y = Xᵀ x; y may be x */
static inline void apply_transposed(const double X[BLOCK], const double *x, double *y)
{
    double sum[SIX] = {0};
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) sum[i] += X[SIX * j + i] * x[j];
    }
    memcpy(y, sum, sizeof sum);
}

/* six rows of width n, distance ld: rows = X rows, or Xᵀ rows */
static inline void rows_apply(const double X[BLOCK], int transposed, double *rows, size_t n, size_t ld)
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
static inline void columns_apply(const double X[BLOCK], double *columns, size_t n, size_t ld)
{
    for (size_t i = 0; i < n; i++) apply_transposed(X, columns + i * ld, columns + i * ld);
}

/* the 6×6 block at `at` += s X */
static inline void block_add(double *at, size_t ld, double s, const double X[BLOCK])
{
    for (size_t i = 0; i < SIX; i++) {
        for (size_t j = 0; j < SIX; j++) at[i * ld + j] += s * X[SIX * i + j];
    }
}

/* out = X Y; out is neither of them */
static inline void block_multiply(const double X[BLOCK], const double Y[BLOCK], double out[BLOCK])
{
    for (int i = 0; i < BLOCK; i++) {
        out[i] = 0;
        for (int k = 0; k < SIX; k++) out[i] += X[i / SIX * SIX + k] * Y[k * SIX + i % SIX];
    }
}

/* columns `to` += s · columns `from` · X, six each, of height n */
static inline void columns_add(double s, const double *from, const double X[BLOCK], double *to, size_t n, size_t ld)
{
    double product[SIX];
    for (size_t i = 0; i < n; i++) {
        apply_transposed(X, from + i * ld, product);
        for (size_t k = 0; k < SIX; k++) to[i * ld + k] += s * product[k];
    }
}

/* rows `to` += s · X · rows `from`, six each, of width n */
static inline void rows_add(double s, const double X[BLOCK], const double *from, double *to, size_t n, size_t ld)
{
    double column[SIX];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < SIX; i++) column[i] = from[i * ld + j];
        apply(X, column, column);
        for (size_t i = 0; i < SIX; i++) to[i * ld + j] += s * column[i];
    }
}

/* ---- arguments ---- */

/* copies n numbers unless they are already there; then a root's six can be changed in place */
static inline void copy(size_t n, const double *from, double *to)
{
    if (from != to) memcpy(to, from, n * sizeof *to);
}

/* what every function here asks of its arguments; v may be NULL where it is not needed */
static inline hml_status root_check(const hml_model *model, hml_representation representation, const double *q,
                                    const double *v, const void *in, const void *out)
{
    if (!model || representation < HML_LEFT || representation > HML_SPLIT || !q || !in || !out) {
        return HML_INVALID_ARGUMENT;
    }
    if (v && finite_numbers(v, model->nv)) return HML_NOT_FINITE;
    return configuration_status(model, q);
}

#endif
