/*
 * Composite bodies; of every column its row of numbers, the right-hand side τ − h, and its row of M.
 *
 * A column's row, twelve numbers:
 *
 *   0 … 5    F = I S of its subtree
 *   6 … 8    g, angular part of (2B)ᵀ S
 *
 * and the right-hand sides that are eliminated together with M, Z:
 *
 *   0 … 5    F: the column of M against a free root
 *   6 … 8    g + F_t × ω: ∂τ by a free root's angular velocity
 *   9        τ − h
 *
 * What a tree keeps of a free root (`root` of the layout):
 *
 *   0 … 2    gravity in the root frame
 *   4 … 9    s of ν̇: the right-hand side of the root after everything below is eliminated
 *   12 … 29  s of the root's angular velocity, six rows of three
 */
#ifndef HML_CUDA_COMPOSITES_H
#define HML_CUDA_COMPOSITES_H

#include "cuda/kinematics.h"

enum { ROW = 12, Z_ROW = 12 };
enum { ROOT_GRAVITY = 0, ROOT_S = 4, ROOT_S_OMEGA = 12 };
enum { COMPOSITE = 28, COMPOSITE_F = 22 };

LANE_CODE composite work_composite(const num *p, int ld)
{
    num x[COMPOSITE];
    for (int k = 0; k < COMPOSITE; k++) x[k] = work_get(p + k * ld);
    composite b;
    b.I = inertia_of(x[0], vec3_of(x[1], x[2], x[3]), sym3_of(x[4], x[5], x[6], x[7], x[8], x[9]));
    b.n = vec3_of(x[10], x[11], x[12]);
    b.t = vec3_of(x[13], x[14], x[15]);
    b.k = sym3_of(x[16], x[17], x[18], x[19], x[20], x[21]);
    b.f = wrench_of(vec3_of(x[22], x[23], x[24]), vec3_of(x[25], x[26], x[27]));
    return b;
}

LANE_CODE void work_put_composite(num *p, int ld, const composite *b)
{
    const num x[COMPOSITE] = {b->I.m,    b->I.h.x,  b->I.h.y,  b->I.h.z, b->I.J.xx, b->I.J.xy, b->I.J.xz,
                              b->I.J.yy, b->I.J.yz, b->I.J.zz, b->n.x,   b->n.y,    b->n.z,    b->t.x,
                              b->t.y,    b->t.z,    b->k.xx,   b->k.xy,  b->k.xz,   b->k.yy,   b->k.yz,
                              b->k.zz,   b->f.f.x,  b->f.f.y,  b->f.f.z, b->f.t.x,  b->f.t.y,  b->f.t.z};
    for (int k = 0; k < COMPOSITE; k++) work_put(p + k * ld, x[k]);
}

LANE_CODE inertia body_inertia(const lane_state *s, int i)
{
    num x[10];
    for (int k = 0; k < 10; k++) x[k] = body_number(s, BODY_I + k, i);
    return inertia_of(x[0], vec3_of(x[1], x[2], x[3]), sym3_of(x[4], x[5], x[6], x[7], x[8], x[9]));
}

/* the external wrench on body i, given in its own frame, in the root frame where its plan frame is H */
LANE_CODE wrench external_wrench(const lane_state *s, int i, pose H)
{
    const cuda_input in = s->call->wrenches;
    const num *from = (const num *)in.data + s->state * in.stride + 6 * (s->tree->body_begin + i);
    const wrench f = wrench_of(vec3_of(from[0], from[1], from[2]), vec3_of(from[3], from[4], from[5]));
    return pose_ad_dual(pose_mul(H, body_placement(s, BODY_TO_BODY, i)), f);
}

/* lane of a body: it in motion; then the sums over subtrees */
LANE_CODE void bodies_composites(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *sum = s->work + t->at.sum;
    FOR_BODIES(s, i)
    {
        const pose H = work_pose(s->work + t->at.H + 12 * i);
        composite b = composite_of(inertia_transform(H, body_inertia(s, i)), work_twist(s->work + t->at.v + 8 * i),
                                   work_twist(s->work + t->at.a + 8 * i));
        if (s->call->wrenches.data) b.f = wrench_sub(b.f, external_wrench(s, i, H));
        work_put_composite(sum + i, t->at.sum_ld, &b);
    }
    lanes_sync();
    chains_back(s, numbers_of(sum, 1, t->at.sum_ld, COMPOSITE));
}

/* ---- damping and springs ---- */

/* lane of a body: what they take from τ, and springs' derivatives; kernel/passive.h */
LANE_CODE void bodies_passive(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const cuda_model *m = &s->call->model;
    num *b = s->work + m->b;
    FOR_BODIES(s, i)
    {
        const int first = own_body(s, BODY_V, i), n = own_body(s, BODY_NV, i), c0 = first - t->begin;
        const int at = own_body(s, BODY_Q, i), type = own_body(s, BODY_TYPE, i), nq = joint_nq(type);
        num rest[HML_JOINT_MAX_NQ], now[HML_JOINT_MAX_NQ], log[HML_JOINT_MAX_NV];
        num block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        for (int k = 0; k < n; k++) {
            const num damping = column_damping(s, c0 + k);
            work_put(b + first + k, work_get(b + first + k) - damping * work_get(s->work + m->v + first + k));
            for (int j = 0; t->elastic && j < 6; j++) work_put(s->work + t->at.springs + 6 * (c0 + k) + j, K(0));
        }
        if (!own_body(s, BODY_ELASTIC, i)) continue;
        for (int k = 0; k < nq; k++) rest[k] = s->numbers[m->rest + at + k], now[k] = work_get(s->work + m->q + at + k);
        joint_difference(type, rest, now, log);
        joint_jacobian_inverse(type, log, block);
        for (int k = 0; k < n; k++) {
            const num stiffness = column_number(s, COLUMN_STIFFNESS, c0 + k);
            work_put(b + first + k, work_get(b + first + k) - stiffness * log[k]);
            for (int j = 0; j < n; j++)
                work_put(s->work + t->at.springs + 6 * (c0 + k) + j, stiffness * block[k * n + j]);
        }
    }
    lanes_sync();
}

/* ---- a free root ---- */

LANE_CODE vec3 unit3(int k) { return vec3_of(one_if(k == 0), one_if(k == 1), one_if(k == 2)); }

LANE_CODE twist unit_twist(int k)
{
    return k < 3 ? twist_of(unit3(k), vec3_zero()) : twist_of(vec3_zero(), unit3(k - 3));
}

LANE_CODE num vec3_get(vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

LANE_CODE vec3 root_gravity(const lane_state *s)
{
    const num4 g = work_get4(s->work + s->tree->at.root + ROOT_GRAVITY);
    return vec3_of(g.a, g.b, g.c);
}

LANE_CODE base_motion root_motion(const lane_state *s)
{
    const num *v = s->work + s->call->model.v + s->tree->begin;
    base_motion base;
    base.H = pose_identity();
    base.gravity = root_gravity(s);
    base.u = vec3_of(work_get(v), work_get(v + 1), work_get(v + 2));
    return base;
}

LANE_CODE vec3 root_omega(const lane_state *s)
{
    const num *v = s->work + s->call->model.v + s->tree->begin;
    return vec3_of(work_get(v + 3), work_get(v + 4), work_get(v + 5));
}

/* what the passes left out of a free root's acceleration: gravity − ω × u */
LANE_CODE vec3 root_acceleration(const lane_state *s)
{
    const base_motion base = root_motion(s);
    return vec3_sub(base.gravity, vec3_cross(root_omega(s), base.u));
}

/* where the root's rows go: its block of M, six right-hand sides of its angular velocity and of ν̇, each with its step */
typedef struct root_rows {
    num *M, *omega, *rhs;
    int M_ld, omega_ld, rhs_ld;
} root_rows;

LANE_CODE root_rows root_rows_of(const lane_state *s)
{
    num *root = s->work + s->tree->at.root;
    root_rows to;
    to.M = s->work + s->tree->at.G, to.M_ld = 8;
    to.omega = root + ROOT_S_OMEGA, to.omega_ld = 3;
    to.rhs = root + ROOT_S, to.rhs_ld = 1;
    return to;
}

/* lanes 0 … 5: columns of the root's block of M; its right-hand sides; those of its angular velocity */
LANE_CODE void root_columns(const lane_state *s, root_rows to)
{
    const cuda_tree *t = s->tree;
    const num *b = s->work + s->call->model.b + t->begin;
    FOR_LANES(s, k, 6)
    {
        const composite sum = work_composite(s->work + t->at.sum, t->at.sum_ld);
        const wrench column = inertia_mul(sum.I, unit_twist(k));
        const num armature = column_armature(s, k);
        const num entry[6] = {column.f.x, column.f.y, column.f.z, column.t.x, column.t.y, column.t.z};
        for (int i = 0; i < 6; i++) work_put(to.M + to.M_ld * i + k, entry[i] + (i == k ? armature : K(0)));
        num f = k < 3 ? vec3_get(sum.f.f, k) : vec3_get(sum.f.t, k - 3);
        if (k < 3) f += armature * vec3_get(root_acceleration(s), k);
        work_put(to.rhs + to.rhs_ld * k, work_get(b + k) - f);
        if (k < 3) {
            const twist S = unit_twist(3 + k), PS = twist_cross(twist_of(vec3_zero(), root_omega(s)), S);
            const wrench U = composite_Uv(&sum, S, PS);
            const num u[6] = {U.f.x, U.f.y, U.f.z, U.t.x, U.t.y, U.t.z};
            for (int i = 0; i < 6; i++) work_put(to.omega + to.omega_ld * i + k, u[i]);
        }
    }
}

/* ---- columns ---- */

/* lane of a column: its row of numbers. No barrier at the end: columns_mass begins with what the lane has itself */
LANE_CODE void columns_rows(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const vec3 omega = t->base ? root_omega(s) : vec3_zero();
    FOR_COLUMNS(s, c)
    {
        num *row = s->work + t->at.row + ROW * c;
        const composite sum = work_composite(s->work + t->at.sum + own_column(s, COLUMN_BODY, c), t->at.sum_ld);
        const twist S = work_twist(s->work + t->at.S + 8 * c);
        const wrench F = inertia_mul(sum.I, S);
        const vec3 g = composite_2B_transposed(&sum, S), w = vec3_add(g, vec3_cross(F.t, omega));
        work_put4(row, num4_of(F.f.x, F.f.y, F.f.z, F.t.x));
        work_put4(row + 4, num4_of(F.t.y, F.t.z, g.x, g.y));
        work_put(row + 8, g.z);
        num *Z = s->work + t->at.Z + Z_ROW * c;
        const num b = work_get(s->work + s->call->model.b + t->begin + c) - wrench_dot(sum.f, S);
        work_put4(Z, num4_of(F.f.x, F.f.y, F.f.z, F.t.x));
        work_put4(Z + 4, num4_of(F.t.y, F.t.z, w.x, w.y));
        work_put4(Z + 8, num4_of(w.z, b, K(0), K(0)));
    }
}

/* lane of a column: its row of M in its block, on both sides of the diagonal; M's diagonal into x */
LANE_CODE void columns_mass(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_COLUMNS(s, c)
    {
        const int block = own_column(s, COLUMN_BLOCK, c);
        const wrench F = work_wrench(s->work + t->at.row + ROW * c);
        ROLLED for (int j = block; j <= c; j++)
        {
            num m = K(0);
            if (c < column_integer(s, COLUMN_END, j)) m = wrench_dot(F, work_twist(s->work + t->at.S + 8 * j));
            if (c == j) m += column_armature(s, c);
            work_put(s->work + t->at.N + t->block_ld * c + (j - block), m);
            if (c == j)
                work_put(s->work + s->call->model.x + t->begin + c, m);
            else
                work_put(s->work + t->at.N + t->block_ld * j + (c - block), m);
        }
    }
    lanes_sync();
}

#endif
