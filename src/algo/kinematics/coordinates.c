/*
 * Generalized coordinates x with the rotations in any parameterization: Kindr, "Generalized coordinates of a
 * floating-base system". Blocks of a joint that turns freely, R its rotation, E and F those of hamel/rotation.h on the
 * local side, ν left-trivialized:
 *
 *   ẋ = [ R  0 ] ν      ν = [ Rᵀ 0 ] ẋ          the upper left block only where the joint slides as well
 *       [ 0  F ]            [ 0  E ]
 *
 * For a free root and another representation they are multiplied by T⁻¹ on the right, by T on the left. With split
 * both upper left blocks become I: Kindr's F and F̄.
 */
#include "hamel/configuration.h"

#include "algo/linearize/representation.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "model/coordinates.h"

enum { MAX_NX = 3 + HML_ROTATION_MAX_COUNT, MAX_BLOCK = MAX_NX * HML_JOINT_MAX_NV };

/* how many numbers a joint has in x */
static int joint_size(const model_joint *j, hml_rotation kind)
{
    int at = quaternion_at(j->type);
    return at < 0 ? j->nq : at + hml_rotation_count(kind);
}

int32_t hml_coordinates_count(const hml_model *m, hml_rotation kind)
{
    int32_t size = 0;
    if (!m || !hml_rotation_count(kind)) return 0;
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) size += joint_size(j, kind);
    return size;
}

hml_status hml_coordinates_from_configuration(const hml_model *m, hml_rotation kind, const double *q, double *x)
{
    if (!m || !q || !x || !hml_rotation_count(kind)) return HML_INVALID_ARGUMENT;
    TRY(configuration_status(m, q));
    for (const model_joint *j = first_joint(m); j; x += joint_size(j, kind), j = next_joint(m, j)) {
        int at = quaternion_at(j->type);
        memcpy(x, q + j->q, (size_t)(at < 0 ? j->nq : at) * sizeof *x);
        if (at >= 0) TRY(hml_rotation_convert(HML_ROTATION_QUAT, q + j->q + at, kind, x + at));
    }
    return HML_OK;
}

/* one joint's numbers in q */
static hml_status joint_configuration(const model_joint *j, hml_rotation kind, const double *x,
                                      double g[HML_JOINT_MAX_NQ])
{
    int at = quaternion_at(j->type);
    memcpy(g, x, (size_t)(at < 0 ? j->nq : at) * sizeof *x);
    if (finite_numbers(g, at < 0 ? j->nq : at)) return HML_NOT_FINITE;
    return at < 0 ? HML_OK : hml_rotation_convert(kind, x + at, HML_ROTATION_QUAT, g + at);
}

hml_status hml_coordinates_to_configuration(const hml_model *m, hml_rotation kind, const double *x, double *q)
{
    double g[HML_JOINT_MAX_NQ];
    if (!m || !q || !x || !hml_rotation_count(kind)) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(m); j; x += joint_size(j, kind), j = next_joint(m, j)) {
        TRY(joint_configuration(j, kind, x, g));
        memcpy(q + j->q, g, (size_t)j->nq * sizeof *q);
    }
    return HML_OK;
}

/* ---- F and F̄ ---- */

/* is it a free root, and where is its frame? */
static int root_pose(const hml_model *m, const model_joint *j, const double *g, pose *H)
{
    free_root r;
    for (int32_t i = 0; hmli_root_next(m, &i, &r);) {
        if (&model_joints(m)[r.joint] != j) continue;
        *H = hmli_root_pose(&r, g);
        return 1;
    }
    return 0;
}

/* out = A B, A: rows × inner, B: inner × columns */
static void multiply(int rows, int inner, int columns, const double *A, const double *B, double *out)
{
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            double sum = 0;
            for (int k = 0; k < inner; k++) sum += A[r * inner + k] * B[k * columns + c];
            out[r * columns + c] = sum;
        }
    }
}

/* what a joint is asked for: its nx × nv block of F, or its nv × nx block of F̄ */
static hml_status joint_block(const hml_model *m, const model_joint *j, hml_rotation kind, hml_representation rep,
                              int back, const double *x, double block[MAX_BLOCK])
{
    const int at = quaternion_at(j->type), nx = joint_size(j, kind), nv = j->nv, n = hml_rotation_count(kind);
    double g[HML_JOINT_MAX_NQ], F[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV], E[3 * HML_ROTATION_MAX_COUNT], T[36];
    pose H;
    TRY(joint_configuration(j, kind, x, g));
    hmli_rate_block(j->type, g, F);
    memset(block, 0, MAX_BLOCK * sizeof *block);
    const int shared = at < 0 ? nx : at; /* numbers that x and q share; their block of F is orthogonal */
    for (int r = 0; r < shared; r++) {
        for (int c = 0; c < shared; c++) block[back ? c * nx + r : r * nv + c] = F[r * nv + c];
    }
    if (at < 0) return HML_OK;
    if (back)
        TRY(hml_rotation_velocity_matrix(kind, HML_LOCAL, x + at, E));
    else
        TRY(hml_rotation_rate_matrix(kind, HML_LOCAL, x + at, E));
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < 3; c++) {
            if (back)
                block[(at + c) * nx + at + r] = E[c * n + r];
            else
                block[(at + r) * nv + at + c] = E[3 * r + c];
        }
    }
    if (rep == HML_LEFT || !root_pose(m, j, g, &H)) return HML_OK;
    double whole[MAX_BLOCK];
    memcpy(whole, block, sizeof whole);
    if (back) {
        hmli_representation_block(rep, H, T);
        multiply(nv, nv, nx, T, whole, block);
    } else {
        hmli_representation_inverse_block(rep, H, T);
        multiply(nx, nv, nv, whole, T, block);
    }
    return HML_OK;
}

static hml_status fill(const hml_model *m, hml_rotation kind, hml_representation rep, int back, const double *x,
                       double *F)
{
    if (!m || !x || !F || !hml_rotation_count(kind) || rep < HML_LEFT || rep > HML_SPLIT) return HML_INVALID_ARGUMENT;
    const size_t nx = (size_t)hml_coordinates_count(m, kind), nv = (size_t)m->nv, ld = back ? nx : nv;
    double block[MAX_BLOCK];
    size_t at = 0;
    memset(F, 0, nx * nv * sizeof *F);
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        const size_t own = (size_t)joint_size(j, kind), width = back ? own : (size_t)j->nv;
        const size_t rows = back ? (size_t)j->nv : own;
        TRY(joint_block(m, j, kind, rep, back, x + at, block));
        for (size_t r = 0; r < rows; r++) {
            double *to = F + (back ? ((size_t)j->v + r) * ld + at : (at + r) * ld + (size_t)j->v);
            memcpy(to, block + r * width, width * sizeof *to);
        }
        at += own;
    }
    return FINITE_STATUS({F, nx * nv});
}

hml_status hml_coordinates_rate_matrix(const hml_model *model, hml_rotation kind, hml_representation representation,
                                       const double *x, double *F)
{
    return fill(model, kind, representation, 0, x, F);
}

hml_status hml_coordinates_velocity_matrix(const hml_model *model, hml_rotation kind, hml_representation representation,
                                           const double *x, double *F)
{
    return fill(model, kind, representation, 1, x, F);
}
