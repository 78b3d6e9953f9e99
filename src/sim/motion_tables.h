/*
 * Tables of the derivative of a variational step: each quantity that changes has a row per coordinate, and the factors of
 * all that it changes with in its columns.
 */
#ifndef HML_SIM_MOTION_TABLES_H
#define HML_SIM_MOTION_TABLES_H

#include <stddef.h>
#include <string.h>

#include "base/dense.h"
#include "sim/motion.h"
#include "sim/motion_chord.h"

/* columns of a table: dθ, dρ of a robot that floats, z_q, z_ν, w */
typedef struct variational_tangent {
    hml_motion *m;
    size_t n, unknowns, columns, q, v, w; /* unknowns: n, or n + 3; where z_q, z_ν and w begin */
    double h;
    int floating;
    chord_tangent *joints;
    double *M;            /* n × n, at the start or in the middle */
    double *table;        /* unknowns × columns: the equations, then z_q⁺ */
    double *middle;       /* n × columns: z_m */
    double *D;            /* n × columns: dD */
    double *mu;           /* n × columns: dμ, dμ⁺ */
    double *drift, *gain; /* 3 × columns: of the frame's velocity at the start, at the end, in axes of the base there */
    double *shift;        /* 3 × columns: (M₀ z_q)_v / m; then (M z)_v / m of other motions z */
    double *left, *right;        /* unknowns², unknowns × 3n: the system */
    vec3 velocity, acceleration; /* υ, α */
    mat3 start_to_middle, start_to_end, middle_to_end;
} variational_tangent;

/* ---- tables ---- */

/* block of the joint k at its rows, from the column on: to += block */
static inline void tangent_place(const variational_tangent *t, size_t block, size_t column, double *to)
{
    const hml_model *model = t->m->model;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        const double *B = (const double *)(t->joints + (j - model_joints(model))) + block;
        for (int32_t r = 0; r < j->nv; r++) {
            double *row = to + (size_t)(j->v + r) * t->columns + column + (size_t)j->v;
            for (int32_t c = 0; c < j->nv; c++) row[c] += B[r * j->nv + c];
        }
    }
}

/* to += f Bᵀ from, B the blocks of the joints */
static inline void tangent_add_pulled(const variational_tangent *t, double f, size_t block, const double *from,
                                      double *to)
{
    const hml_model *model = t->m->model;
    const size_t ld = t->columns;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        const double *B = (const double *)(t->joints + (j - model_joints(model))) + block;
        for (int32_t i = 0; i < j->nv * j->nv; i++) {
            const double *x = from + (size_t)(j->v + i / j->nv) * ld;
            double *y = to + (size_t)(j->v + i % j->nv) * ld;
            for (size_t c = 0; B[i] != 0 && c < ld; c++) y[c] += f * B[i] * x[c];
        }
    }
}

/* where a block is in chord_tangent, in doubles */
#define CHORD(name) (offsetof(chord_tangent, name) / sizeof(double))

/* to += f A, A: n × n, from the column on */
static inline void tangent_add_matrix(const variational_tangent *t, double f, const double *A, size_t column,
                                      double *to)
{
    for (size_t r = 0; r < t->n; r++) {
        for (size_t c = 0; c < t->n; c++) to[r * t->columns + column + c] += f * A[r * t->n + c];
    }
}

/* to += f A from */
static inline void tangent_add_product(const variational_tangent *t, double f, const double *A, const double *from,
                                       double *to)
{
    dense_add_product(t->n, t->columns, f, A, from, t->columns, to, t->columns);
}

static inline void tangent_clear(const variational_tangent *t, size_t rows, double *table)
{
    memset(table, 0, rows * t->columns * sizeof *table);
}

/* ---- tables of three rows, vectors ---- */

static inline vec3 tangent_column_at(const variational_tangent *t, const double *rows, size_t c)
{
    return vec3_of(rows[c], rows[t->columns + c], rows[2 * t->columns + c]);
}

static inline void tangent_add_to_column(const variational_tangent *t, size_t c, vec3 x, double *rows)
{
    rows[c] += x.x, rows[t->columns + c] += x.y, rows[2 * t->columns + c] += x.z;
}

/* to += f R from */
static inline void tangent_add_turned(const variational_tangent *t, double f, mat3 R, const double *from, double *to)
{
    for (size_t c = 0; c < t->columns; c++) {
        tangent_add_to_column(t, c, vec3_scale(f, mat3_mul_vec(R, tangent_column_at(t, from, c))), to);
    }
}

/* to += f R dρ */
static inline void tangent_add_acceleration(const variational_tangent *t, double f, mat3 R, double *to)
{
    const vec3 axes[3] = {R.x, R.y, R.z};
    for (size_t k = 0; k < 3; k++) tangent_add_to_column(t, t->n + k, vec3_scale(f, axes[k]), to);
}

/* to += z × a, z the turns of the base in a table of motions */
static inline void tangent_add_cross(const variational_tangent *t, const double *motions, vec3 a, double *to)
{
    for (size_t c = 0; c < t->columns; c++) {
        tangent_add_to_column(t, c, vec3_cross(tangent_column_at(t, motions + 3 * t->columns, c), a), to);
    }
}

/* to += f M (x, 0), x of three rows */
static inline void tangent_add_linear(const variational_tangent *t, double f, const double *M, const double *x,
                                      double *to)
{
    for (size_t r = 0; r < t->n; r++) {
        for (size_t k = 0; k < 3; k++) {
            const double a = f * M[r * t->n + k];
            for (size_t c = 0; a != 0 && c < t->columns; c++) to[r * t->columns + c] += a * x[k * t->columns + c];
        }
    }
}

#endif
