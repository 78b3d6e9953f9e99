/*
 * Müller's system matrices, dense: plain reference code for people and for tests, in the bodies' own frames.
 *
 *   n bodies, blocks of 6 rows a body. Linear first, as everywhere; Müller is angular first.
 *
 *   A^b   block (i, j): X_ij = Ad of C_i⁻¹ C_j, body j on the way to i or i itself           (24) of his part one
 *   X^b   block (i, joint i): the columns S of the joint in body i, constant
 *   a^b   diag( ad of S_i ν_i )                                                              (9)
 *   J^b = A^b X^b                                                                            (112)
 *   J̇^b = −A^b a^b (J^b − X^b)                                                              (8)
 *
 *   L     block (i, j): the identity, body j on the way to i                                 (18)
 *   b^s   diag( ad of V_i )                                                                  (19)
 *   J^s = L X^s,   J̇^s = L b^s X^s,   X^s the joints' columns in the world                   (16), (18)
 *
 *   A^h   block (i, j): Ad of the translation r_ij = o_j − o_i
 *   X^h   the joints' columns at the origins of their bodies, in the world's axes
 *   J^h = A^h X^h,   J̇^h = A^h a^h X^h + Ȧ^h X^h,   a^h = diag( ad of ω_i )                   (27), (112)
 *
 * Deviation: (8) as printed has J where J − X stands here. For joints of one coordinate a X vanishes, S × S = 0. For a
 * group joint it does not, but J's own block is constant in its body.
 */
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"
#include "base/dense.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "group/motion.h"
#include "hamel/higher_order.h"
#include "model/pose.h"

typedef struct body_frame {
    pose H;   /* in the world */
    twist vJ; /* S ν, in the body */
    twist V;  /* left twist */
} body_frame;

_Static_assert(sizeof(body_frame) <= sizeof(body_state), "scratch of a body");

/* the joint's relative pose and columns, in the body's own frame */
static pose joint_at(const hml_model *m, int32_t body, const double *q, twist S[HML_JOINT_MAX_NV])
{
    const model_body *b = &model_bodies(m)[body];
    const vec3 axis = vec3_of_array(b->axis), point = vec3_of_array(b->point);
    double room;
    joint_columns(b->type, axis, point, b->pitch, S);
    return pose_mul(pose_of_arrays(b->R, b->p),
                    joint_pose(b->type, axis, point, b->pitch, body_position(m, body, q, &room)));
}

static void body_frames(const hml_model *m, const double *q, const double *v, body_frame *bodies)
{
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        const body_coordinates c = coordinates_of(m, i);
        twist S[HML_JOINT_MAX_NV];
        pose X = joint_at(m, i, q, S);
        bodies[i].vJ = twist_zero();
        for (int32_t k = 0; v && k < b->nv; k++) {
            bodies[i].vJ = twist_axpy(c.factor * v[c.v + k], S[k], bodies[i].vJ);
        }
        bodies[i].H = b->parent < 0 ? X : pose_mul(bodies[b->parent].H, X);
        bodies[i].V = bodies[i].vJ;
        if (b->parent >= 0) bodies[i].V = twist_add(bodies[i].V, pose_ad_inverse(X, bodies[b->parent].V));
    }
}

static void put_block(double *M, size_t ld, int32_t i, int32_t j, const double block[36])
{
    double *at = M + 6 * (size_t)i * ld + 6 * (size_t)j;
    for (size_t r = 0; r < 6; r++) memcpy(at + r * ld, block + 6 * r, 6 * sizeof(double));
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

/* block (i, j) of A is Ad of this */
static pose link_pose(hml_representation rep, const body_frame *i, const body_frame *j)
{
    if (rep == HML_RIGHT) return pose_identity();
    return rep == HML_LEFT ? pose_between(i->H, j->H) : pose_of(mat3_identity(), vec3_sub(j->H.p, i->H.p));
}

/* the twist whose ad stands in a */
static twist turning(hml_representation rep, const body_frame *i)
{
    if (rep == HML_LEFT) return i->vJ;
    return rep == HML_RIGHT ? pose_ad(i->H, i->V) : twist_of(vec3_zero(), mat3_mul_vec(i->H.R, i->V.w));
}

/* block columns j of A, block row j of X and block j of a; they are zero before */
static void fill_factors(const hml_model *m, hml_representation rep, const twist *S, int32_t j,
                         const body_frame *bodies, const hml_system *out)
{
    const size_t n6 = 6 * (size_t)m->nbodies;
    const body_coordinates c = coordinates_of(m, j);
    double block[36];
    for (int32_t i = j; out->A && i < model_bodies(m)[j].subtree_end; i++) {
        pose_ad_matrix(link_pose(rep, &bodies[i], &bodies[j]), block);
        put_block(out->A, n6, i, j, block);
    }
    for (int32_t k = 0; out->X && k < model_bodies(m)[j].nv; k++) {
        add_column(m, out->X, j, c.v + k, c.factor, twist_from_left(rep, bodies[j].H, S[k]));
    }
    if (!out->a) return;
    twist_cross_matrix(turning(rep, &bodies[j]), block);
    put_block(out->a, n6, j, j, block);
}

/*
 * Block row i of the products, from that of the parent p:
 *
 *   left    J_i = X_ip J_p + X_i      J̇_i = X_ip J̇_p − a_i X_ip J_p
 *   right   J_i = J_p + X_i           J̇_i = J̇_p + a_i X_i
 *   mixed   J_i = X_ip J_p + X_i      J̇_i = X_ip J̇_p + [ṙ_ip, J_p] + a_i X_i
 */
static void fill_products(const hml_model *m, hml_representation rep, const twist *S, int32_t i,
                          const body_frame *bodies, const hml_system *out)
{
    const int32_t p = model_bodies(m)[i].parent;
    const body_coordinates c = coordinates_of(m, i);
    const body_frame *own = &bodies[i];
    for (int32_t k = 0; p >= 0 && k < m->nv; k++) {
        const pose X = link_pose(rep, own, &bodies[p]);
        const twist before = column_of(m, out->J, p, k), J = pose_ad(X, before);
        add_column(m, out->J, i, k, 1, J);
        if (!out->Jdot) continue;
        add_column(m, out->Jdot, i, k, 1, pose_ad(X, column_of(m, out->Jdot, p, k)));
        if (rep == HML_LEFT) add_column(m, out->Jdot, i, k, -1, twist_cross(own->vJ, J));
        if (rep == HML_MIXED) {
            vec3 rate = vec3_sub(mat3_mul_vec(bodies[p].H.R, bodies[p].V.v), mat3_mul_vec(own->H.R, own->V.v));
            add_column(m, out->Jdot, i, k, 1, twist_cross(twist_of(rate, vec3_zero()), before));
        }
    }
    for (int32_t k = 0; k < model_bodies(m)[i].nv; k++) {
        const twist U = twist_from_left(rep, own->H, S[k]);
        add_column(m, out->J, i, c.v + k, c.factor, U);
        if (rep == HML_LEFT || !out->Jdot) continue;
        add_column(m, out->Jdot, i, c.v + k, c.factor, twist_cross(turning(rep, own), U));
    }
}

hml_status hml_system_matrices(const hml_model *model, hml_work *work, hml_representation representation,
                               const double *q, const double *v, hml_system *system)
{
    if (hml_work_check(model, work, HML_USE_TREE) || !q || !system || system->struct_size != sizeof *system) {
        return HML_INVALID_ARGUMENT;
    }
    if (representation < HML_LEFT || representation > HML_MIXED || (!v && (system->a || system->Jdot)) ||
        (system->Jdot && !system->J)) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hml_work_check_state(model, q, v, NULL, NULL));
    const unsigned before = overflow_watch();
    const size_t n6 = 6 * (size_t)model->nbodies, nv = (size_t)model->nv;
    double *square[] = {system->A, system->a}, *wide[] = {system->X, system->J, system->Jdot};
    for (int i = 0; i < 2; i++)
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
    return OVERFLOW_STATUS(before, {system->A, n6 * n6}, {system->a, n6 * n6}, {system->X, n6 * nv},
                           {system->J, n6 * nv}, {system->Jdot, n6 * nv});
}

/* ---- from the bodies back to the joints ---- */

/*
 * x with S x nearest to U: (SᵀS)⁻¹ SᵀU, Müller (11). SᵀS is small and regular: columns of a joint are independent.
 */
static void joint_solve(int32_t m, const twist *S, twist U, double *x)
{
    double G[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    for (int32_t r = 0; r < m; r++) {
        x[r] = vec3_dot(S[r].v, U.v) + vec3_dot(S[r].w, U.w);
        for (int32_t c = 0; c < m; c++) G[r * m + c] = vec3_dot(S[r].v, S[c].v) + vec3_dot(S[r].w, S[c].w);
    }
    if (!dense_factor((size_t)m, G, NULL)) dense_solve((size_t)m, G, x);
}

/* V: left twists of the bodies, or A their derivatives as well */
static hml_status solve_joints(const hml_model *model, hml_work *work, const double *q, const double *V,
                               const double *A, double *out)
{
    if (hml_work_check(model, work, HML_USE_TREE) || !q || !V || !out) return HML_INVALID_ARGUMENT;
    TRY(hml_work_check_state(model, q, NULL, NULL, V));
    TRY(hml_work_check_state(model, q, NULL, NULL, A));
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        const body_coordinates c = coordinates_of(model, i);
        twist S[HML_JOINT_MAX_NV], v, rest;
        double rate[HML_JOINT_MAX_NV];
        pose X = joint_at(model, i, q, S);
        if (c.follower) continue;
        TRY(read_twist(V + 6 * (size_t)i, &v));
        twist before = twist_zero(); /* what the parent gives: of V, and then of A */
        if (b->parent >= 0) {
            TRY(read_twist(V + 6 * (size_t)b->parent, &before));
            before = pose_ad_inverse(X, before);
        }
        joint_solve(b->nv, S, twist_sub(v, before), rate);
        if (A) { /* S ν̇ = V̇_i − X_ip V̇_p + ad(S ν) V_i */
            twist vJ = twist_zero(), a;
            for (int32_t k = 0; k < b->nv; k++) vJ = twist_axpy(rate[k], S[k], vJ);
            TRY(read_twist(A + 6 * (size_t)i, &a));
            rest = twist_zero();
            if (b->parent >= 0) TRY(read_twist(A + 6 * (size_t)b->parent, &rest));
            rest = twist_sub(a, pose_ad_inverse(X, rest));
            joint_solve(b->nv, S, twist_add(rest, twist_cross(vJ, v)), rate);
        }
        memcpy(out + c.v, rate, (size_t)b->nv * sizeof *rate);
    }
    return finite_array(out, (size_t)model->nv);
}

hml_status hml_joint_velocities(const hml_model *model, hml_work *work, const double *q, const double *V, double *v)
{
    return solve_joints(model, work, q, V, NULL, v);
}

hml_status hml_joint_accelerations(const hml_model *model, hml_work *work, const double *q, const double *V,
                                   const double *A, double *a)
{
    return A ? solve_joints(model, work, q, V, A, a) : HML_INVALID_ARGUMENT;
}
