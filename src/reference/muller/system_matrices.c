/*
 * Müller's system matrices, dense: plain reference code for people and for tests, in the bodies' own frames.
 *
 *   n bodies, blocks of 6 rows per body. Linear first, as everywhere; Müller is angular first. C_i = (R_i, o_i) is the
 *   pose of body i, V_i its left twist, ω_i the angular part of V_i, r_ij = o_j − o_i in the world's axes.
 *
 *   A     block (i, j), body j on the way to i or i itself, carries a twist of j over to i    (24) of his part one,
 * (112) left   Ad of C_i⁻¹ C_j              right   the identity mixed  [I r^; 0 I]                  split   [I r^R_j;
 * 0 R_iᵀR_j] X     block (i, joint i): the joint's columns S in body i, turned into the representation by T_i
 * (motion.h) a     block (i, i), with Ẋ = a X; left: ad of S_i ν_i, though X is constant there         (9), (19) D
 * block (i, parent of i) of A; A⁻¹ = I − D                                            (11) J   = A X (112) J̇   = Ȧ X +
 * A a X, without the second term in left                                       (8), (18), (27)
 *
 * Constant screws instead of X:
 *
 *   J = (A diag T) X^b,              X^b = S in the bodies                                     A^sb X^b of (112) in
 * right J = (A diag T Ad_{A_j}⁻¹) Y,     Y = Ad_{A_j} S, A_j the pose at the joints' identities     A^s Y^s of (112) in
 * right
 *
 * Deviation: (8) as printed is J̇ = −A a J. Here J − X stands for J. For joints of one coordinate a X vanishes, S × S
 * = 0; for a group joint it does not, but J's own block is constant in its body.
 */
#include <string.h>

#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/motion.h"
#include "hamel/kinematics_derivatives.h"
#include "reference/muller/body_frames.h"

static vec3 in_world(const body_frame *b, vec3 u) { return mat3_mul_vec(b->H.R, u); }

/* U of body j as body i has it: A_ij U */
static twist carry(hml_representation rep, const body_frame *i, const body_frame *j, twist U)
{
    const vec3 r = vec3_sub(j->H.p, i->H.p);
    switch (rep) {
    case HML_RIGHT: return U;
    case HML_MIXED: return twist_of(vec3_add(U.v, vec3_cross(r, U.w)), U.w);
    case HML_SPLIT: {
        vec3 w = in_world(j, U.w);
        return twist_of(vec3_add(U.v, vec3_cross(r, w)), mat3_tmul_vec(i->H.R, w));
    }
    default: return pose_ad(pose_between(i->H, j->H), U);
    }
}

/* Ȧ_ij U */
static twist carry_rate(hml_representation rep, const body_frame *i, const body_frame *j, twist U)
{
    const vec3 r = vec3_sub(j->H.p, i->H.p), rate = vec3_sub(in_world(j, j->V.v), in_world(i, i->V.v));
    switch (rep) {
    case HML_RIGHT: return twist_zero();
    case HML_MIXED: return twist_of(vec3_cross(rate, U.w), vec3_zero());
    case HML_SPLIT: {
        vec3 w = in_world(j, U.w), dw = in_world(j, vec3_cross(j->V.w, U.w));
        vec3 seen = mat3_tmul_vec(i->H.R, w);
        return twist_of(vec3_add(vec3_cross(rate, w), vec3_cross(r, dw)),
                        vec3_sub(mat3_tmul_vec(i->H.R, dw), vec3_cross(i->V.w, seen)));
    }
    default: {
        pose D = pose_between(i->H, j->H);
        return twist_cross(twist_sub(pose_ad(D, j->V), i->V), pose_ad(D, U));
    }
    }
}

/* Ṫ_i U, for a U that is constant in body i */
static twist turn_rate(hml_representation rep, const body_frame *i, twist U)
{
    const vec3 linear = vec3_cross(i->V.w, U.v), angular = vec3_cross(i->V.w, U.w);
    switch (rep) {
    case HML_RIGHT: return pose_ad(i->H, twist_cross(i->V, U));
    case HML_MIXED: return twist_from_left(rep, i->H, twist_of(linear, angular));
    case HML_SPLIT: return twist_from_left(rep, i->H, twist_of(linear, vec3_zero()));
    default: return twist_zero();
    }
}

/* the screw U of joint j, given as `screws` says, in body j */
static twist screw_in_body(hml_screws screws, const body_frame *j, twist U)
{
    return screws == HML_SCREWS_REFERENCE ? pose_ad_inverse(j->N, U) : U;
}

/* column c of block (i, j) of A or Ȧ */
static twist block_column(hml_representation rep, hml_screws screws, int rate, const body_frame *i, const body_frame *j,
                          int c)
{
    double e[6] = {0};
    e[c] = 1;
    twist U = twist_at(e), dU = twist_zero();
    if (screws != HML_SCREWS_MOVING) {
        twist own = screw_in_body(screws, j, U);
        U = twist_from_left(rep, j->H, own);
        dU = turn_rate(rep, j, own);
    }
    return rate ? twist_add(carry_rate(rep, i, j, U), carry(rep, i, j, dU)) : carry(rep, i, j, U);
}

static void put_block(double *M, size_t ld, int32_t i, int32_t j, const twist columns[6])
{
    double *at = M + 6 * (size_t)i * ld + 6 * (size_t)j;
    for (int32_t c = 0; c < 6; c++) matrix_put_column(at, (int32_t)ld, c, columns[c]);
}

/* adds to a column of block row i: followers share their leader's */
static void add_column(const hml_model *m, double *rows, int32_t i, int32_t c, double factor, twist U)
{
    double *row = rows + 6 * (size_t)i * (size_t)m->nv;
    matrix_put_column(row, m->nv, c, twist_axpy(factor, U, matrix_column(row, m->nv, c)));
}

static twist column_of(const hml_model *m, const double *rows, int32_t i, int32_t c)
{
    return matrix_column(rows + 6 * (size_t)i * (size_t)m->nv, m->nv, c);
}

/* column c of block (i, i) of a */
static twist a_column(hml_representation rep, const body_frame *i, int c)
{
    double e[6] = {0};
    e[c] = 1;
    twist U = twist_at(e);
    vec3 w = in_world(i, i->V.w);
    switch (rep) {
    case HML_RIGHT: return twist_cross(pose_ad(i->H, i->V), U);
    case HML_MIXED: return twist_of(vec3_cross(w, U.v), vec3_cross(w, U.w));
    case HML_SPLIT: return twist_of(vec3_cross(w, U.v), vec3_zero());
    default: return twist_cross(i->vJ, U);
    }
}

/* block columns j of A and Ȧ, block row j of X, block j of a, block (j, parent) of D; they are zero before */
static void fill_factors(const hml_model *m, hml_representation rep, const twist *S, int32_t j,
                         const body_frame *bodies, const hml_system *out)
{
    const size_t n6 = 6 * (size_t)m->nbodies;
    const int32_t parent = model_bodies(m)[j].parent;
    const body_coordinates c = coordinates_of(m, j);
    twist block[6];
    for (int32_t i = j; (out->A || out->Adot) && i < model_bodies(m)[j].subtree_end; i++) {
        for (int k = 0; k < 6; k++) block[k] = block_column(rep, out->screws, 0, &bodies[i], &bodies[j], k);
        if (out->A) put_block(out->A, n6, i, j, block);
        for (int k = 0; k < 6; k++) block[k] = block_column(rep, out->screws, 1, &bodies[i], &bodies[j], k);
        if (out->Adot) put_block(out->Adot, n6, i, j, block);
    }
    for (int32_t k = 0; out->X && k < model_bodies(m)[j].nv; k++) {
        twist U = out->screws == HML_SCREWS_MOVING      ? twist_from_left(rep, bodies[j].H, S[k])
                  : out->screws == HML_SCREWS_REFERENCE ? pose_ad(bodies[j].N, S[k])
                                                        : S[k];
        add_column(m, out->X, j, c.v + k, c.factor, U);
    }
    for (int k = 0; k < 6; k++) block[k] = a_column(rep, &bodies[j], k);
    if (out->a) put_block(out->a, n6, j, j, block);
    if (!out->D || parent < 0) return;
    for (int k = 0; k < 6; k++) block[k] = block_column(rep, HML_SCREWS_MOVING, 0, &bodies[j], &bodies[parent], k);
    put_block(out->D, n6, j, parent, block);
}

/* block row i of the products, from that of the parent p: J_i = A_ip J_p + T S, J̇_i = A_ip J̇_p + Ȧ_ip J_p + Ṫ S */
static void fill_products(const hml_model *m, hml_representation rep, const twist *S, int32_t i,
                          const body_frame *bodies, const hml_system *out)
{
    const int32_t p = model_bodies(m)[i].parent;
    const body_coordinates c = coordinates_of(m, i);
    const body_frame *own = &bodies[i];
    for (int32_t k = 0; p >= 0 && k < m->nv; k++) {
        const twist before = column_of(m, out->J, p, k);
        add_column(m, out->J, i, k, 1, carry(rep, own, &bodies[p], before));
        if (!out->Jdot) continue;
        add_column(m, out->Jdot, i, k, 1, carry(rep, own, &bodies[p], column_of(m, out->Jdot, p, k)));
        add_column(m, out->Jdot, i, k, 1, carry_rate(rep, own, &bodies[p], before));
    }
    for (int32_t k = 0; k < model_bodies(m)[i].nv; k++) {
        add_column(m, out->J, i, c.v + k, c.factor, twist_from_left(rep, own->H, S[k]));
        if (out->Jdot) add_column(m, out->Jdot, i, c.v + k, c.factor, turn_rate(rep, own, S[k]));
    }
}

hml_status hml_system_matrices(const hml_model *model, hml_work *work, hml_representation representation,
                               const double *q, const double *v, const hml_system *given)
{
    hml_system room;
    const hml_system *system = STRUCT_TAKE(hml_system, given, &room, A);
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !system) {
        return HML_INVALID_ARGUMENT;
    }
    const int moves = system->a || system->Adot || system->Jdot;
    if (representation < HML_LEFT || representation > HML_SPLIT || (!v && moves) || (system->Jdot && !system->J) ||
        system->screws < HML_SCREWS_MOVING || system->screws > HML_SCREWS_REFERENCE) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hmli_work_check_state(model, q, v, NULL, NULL));
    const unsigned before = overflow_watch();
    const size_t n6 = 6 * (size_t)model->nbodies, nv = (size_t)model->nv;
    double *square[] = {system->A, system->a, system->Adot, system->D};
    double *wide[] = {system->X, system->J, system->Jdot};
    for (int i = 0; i < 4; i++)
        if (square[i]) memset(square[i], 0, n6 * n6 * sizeof(double));
    for (int i = 0; i < 3; i++)
        if (wide[i]) memset(wide[i], 0, n6 * nv * sizeof(double));
    body_frame *bodies = (body_frame *)work->scratch;
    body_frames(model, q, v, bodies);
    for (int32_t i = 0; i < model->nbodies; i++) {
        twist S[HML_JOINT_MAX_NV];
        joint_at(model, i, q, S);
        fill_factors(model, representation, S, i, bodies, system);
        if (system->J) fill_products(model, representation, S, i, bodies, system);
    }
    return OVERFLOW_STATUS(before, {system->A, n6 * n6}, {system->a, n6 * n6}, {system->Adot, n6 * n6},
                           {system->D, n6 * n6}, {system->X, n6 * nv}, {system->J, n6 * nv}, {system->Jdot, n6 * nv});
}
