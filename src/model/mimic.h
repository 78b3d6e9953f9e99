/*
 * Mimic joints: between the user's numbers, which leave the followers out, and the tree's, which the algorithms use.
 *
 *   q_tree = G q + offset,   ν_tree = G ν,   τ = Gᵀ τ_tree,   M = Gᵀ M_tree G
 *
 * G has one entry a row: 1 for a coordinate of the user's, the multiplier in the leader's column for a follower.
 * Without followers (m->nfollowers == 0) both numberings are the same and none of this is needed.
 *
 *   model_expand_q       q of the user → q of the tree
 *   model_expand_v       ν → G ν; accelerations alike
 *   model_reduce_q       q of the tree → q of the user: the followers are left out
 *   model_reduce_v       the same for ν
 *   model_reduce_force   τ of the tree → Gᵀ τ
 *   model_mimic_map      G's entry of each row: column and factor
 *   model_reduce_columns A (rows × tree) → A G
 *   model_reduce_matrix  A (tree × tree) → Gᵀ A G
 *
 * Outputs do not overlap inputs.
 */
#ifndef HML_MODEL_MIMIC_H
#define HML_MODEL_MIMIC_H

#include <string.h>

#include "model/model.h"

static inline void model_expand_q(const hml_model *m, const double *q, double *tree)
{
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        double *to = tree + model_bodies(m)[j->body].q;
        if (j->leader < 0)
            memcpy(to, q + j->q, (size_t)j->nq * sizeof *q);
        else
            *to = j->multiplier * q[model_joints(m)[j->leader].q] + j->offset;
    }
}

static inline void model_expand_v(const hml_model *m, const double *v, double *tree)
{
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        double *to = tree + model_bodies(m)[j->body].v;
        if (j->leader < 0)
            memcpy(to, v + j->v, (size_t)j->nv * sizeof *v);
        else
            *to = j->multiplier * v[model_joints(m)[j->leader].v];
    }
}

static inline void model_reduce_q(const hml_model *m, const double *tree, double *q)
{
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        if (j->leader < 0) memcpy(q + j->q, tree + model_bodies(m)[j->body].q, (size_t)j->nq * sizeof *q);
    }
}

static inline void model_reduce_v(const hml_model *m, const double *tree, double *v)
{
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        if (j->leader < 0) memcpy(v + j->v, tree + model_bodies(m)[j->body].v, (size_t)j->nv * sizeof *v);
    }
}

static inline void model_reduce_force(const hml_model *m, const double *tree, double *force)
{
    model_reduce_v(m, tree, force);
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        if (j->leader < 0) continue;
        force[model_joints(m)[j->leader].v] += j->multiplier * tree[model_bodies(m)[j->body].v];
    }
}

/* user and factor: tree_nv of each; row i of G is factor[i] in column user[i] */
static inline void model_mimic_map(const hml_model *m, int32_t *user, double *factor)
{
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        int32_t at = model_bodies(m)[j->body].v, follows = j->leader >= 0;
        for (int32_t k = 0; k < j->nv + follows; k++) {
            user[at + k] = follows ? model_joints(m)[j->leader].v : j->v + k;
            factor[at + k] = follows ? j->multiplier : 1;
        }
    }
}

/* A: rows × tree_nv, leading dimension ld; out: rows × nv, packed */
static inline void model_reduce_columns(const hml_model *m, const int32_t *user, const double *factor, int32_t rows,
                                        const double *A, size_t ld, double *out)
{
    memset(out, 0, (size_t)rows * (size_t)m->nv * sizeof *out);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < m->tree_nv; j++)
            out[(size_t)i * (size_t)m->nv + (size_t)user[j]] += factor[j] * A[(size_t)i * ld + (size_t)j];
    }
}

/* A: tree_nv × tree_nv, leading dimension ld; out: nv × nv, packed */
static inline void model_reduce_matrix(const hml_model *m, const int32_t *user, const double *factor, const double *A,
                                       size_t ld, double *out)
{
    memset(out, 0, (size_t)m->nv * (size_t)m->nv * sizeof *out);
    for (int32_t i = 0; i < m->tree_nv; i++) {
        double *row = out + (size_t)user[i] * (size_t)m->nv;
        for (int32_t j = 0; j < m->tree_nv; j++) row[user[j]] += factor[i] * factor[j] * A[(size_t)i * ld + (size_t)j];
    }
}

#endif
