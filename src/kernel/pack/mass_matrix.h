/*
 * The mass matrix, over num: composite bodies in their own frames.
 *
 * A finished body hands two things to its parent, expressed in the parent's frame: the inertia of its subtree, ten
 * numbers, and F = I S of every column of the subtree. Entry (k, c) of M, for a column c that joint k carries, is
 * S_k·F_c, which is one of the six numbers of F_c where S_k is a unit vector. F is stored as 6 rows of all columns: a
 * joint rotates all of them alike, and in scalar objects the lanes of a register are neighbouring columns. The walk
 * follows the order of the columns, so what is stored behind the subtree is not in use yet and may be overwritten.
 */
#ifndef HML_KERNEL_PACK_MASS_MATRIX_H
#define HML_KERNEL_PACK_MASS_MATRIX_H

#include "kernel/pack/body_frames.h"
#include "kernel/simd/store4.h"

/* inertia of the part of a subtree that is done; J[3 + k] is the off-diagonal entry without axis k: yz, xz, xy */
typedef struct mass_link {
    num m, h[3], J[6];
    pose H; /* in the parent's frame; only of joints that are not revolute */
} mass_link;

typedef struct mass_scratch {
    num *q, *s, *c;
    mass_link *links;
    num *F;        /* 6 × ld */
    num *x;        /* ld: a row of M */
    num *rows;     /* nv × depth_ld: row c of M, entry d for the ancestor at depth d, then c itself */
    num *diagonal; /* nv */
    num *dense;    /* nv × nv: all of M, if small enough to stay in the cache; else NULL */
    size_t ld, depth_ld;
} mass_scratch;

enum { DENSE = 20 }; /* degrees of freedom up to which a whole M of packs is kept */

/* room for n numbers; rows of packs are an odd number of cache lines apart, so that a column is spread over all sets */
static inline size_t whole_registers(int32_t n) { return (size_t)(LANES > 1 ? (n + 3) / 4 * 4 + 1 : (n + 7) / 8 * 8); }

static inline void mass_scratch_lay(const hml_plan *plan, layout_cursor *at, mass_scratch *k)
{
    const size_t nv = (size_t)plan->nv;
    k->ld = whole_registers(plan->nv + COLS - 1);
    k->depth_ld = whole_registers(plan->depth);
    k->q = (num *)layout_take(at, (size_t)plan->nq * sizeof(num));
    k->s = (num *)layout_take(at, sincos_size(plan));
    k->c = (num *)layout_take(at, sincos_size(plan));
    k->links = (mass_link *)layout_take(at, (size_t)plan->levels * sizeof(mass_link));
    k->F = (num *)layout_take(at, 6 * k->ld * sizeof(num));
    k->x = (num *)layout_take(at, k->ld * sizeof(num));
    k->diagonal = (num *)layout_take(at, nv * sizeof(num));
    k->rows = (num *)layout_take(at, nv * k->depth_ld * sizeof(num));
    k->dense = LANES > 1 && nv <= DENSE ? (num *)layout_take(at, nv * nv * sizeof(num)) : NULL;
}

static inline num *mass_row(const mass_scratch *k, int32_t c) { return k->rows + (size_t)c * k->depth_ld; }

/* ---- registers across columns ---- */

NUM_INLINE cols cols_load(const num *x)
{
    cols a;
    memcpy(&a, x, sizeof a);
    return a;
}

NUM_INLINE void cols_store(num *x, cols a) { memcpy(x, &a, sizeof a); }

/* ---- through a joint ---- */

static inline void mass_own(mass_link *o, const double *I)
{
    o->m = K(I[0]);
    for (int k = 0; k < 3; k++) o->h[k] = K(I[1 + k]);
    o->J[0] = K(I[4]), o->J[1] = K(I[7]), o->J[2] = K(I[9]);
    o->J[3] = K(I[8]), o->J[4] = K(I[6]), o->J[5] = K(I[5]);
}

static inline inertia mass_inertia(const mass_link *o)
{
    return inertia_of(o->m, vec3_at(o->h), sym3_of(o->J[0], o->J[5], o->J[4], o->J[1], o->J[3], o->J[2]));
}

static inline void mass_add(mass_link *u, num m, vec3 h, sym3 J)
{
    u->m += m;
    u->h[0] += h.x, u->h[1] += h.y, u->h[2] += h.z;
    u->J[0] += J.xx, u->J[1] += J.yy, u->J[2] += J.zz;
    u->J[3] += J.yz, u->J[4] += J.xz, u->J[5] += J.xy;
}

/* adds the inertia of a subtree to the parent's: rotated about z, with t = s (Jxx − Jyy) + 2c Jxy, then moved by p */
NUM_INLINE void mass_join_revolute(mass_link *o, const revolute *g, vec3 p)
{
    mass_link *u = o - 1;
    num m = o->m, t = g->s * (o->J[0] - o->J[1]) + g->c * (o->J[5] + o->J[5]);
    num xx = o->J[0] - g->s * t, yy = o->J[1] + g->s * t, zz = o->J[2];
    num yz = g->s * o->J[4] + g->c * o->J[3], xz = g->c * o->J[4] - g->s * o->J[3], xy = g->c * t - o->J[5];
    vec3 h = revolute_return(g, vec3_at(o->h)), d = vec3_axpy(m, p, h), e = vec3_add(h, d);
    xx += p.y * e.y + p.z * e.z, yy += p.z * e.z + p.x * e.x, zz += p.x * e.x + p.y * e.y;
    yz -= h.y * p.z + p.y * d.z, xz -= h.z * p.x + p.z * d.x, xy -= h.x * p.y + p.x * d.y;
    if (!g->quarter) {
        mat3 X = plan_pose(g->X).R;
        mass_add(u, m, mat3_mul_vec(X, d), sym3_rotate(X, sym3_of(xx, xy, xz, yy, yz, zz)));
        return;
    }
    const double sx = g->sign[0], sy = g->sign[1], sz = g->sign[2];
    u->m += m;
    revolute_join(g, d, u->h);
    u->J[g->at[0]] += xx, u->J[g->at[1]] += yy, u->J[g->at[2]] += zz;
    u->J[3 + g->at[0]] += K(sy * sz) * yz;
    u->J[3 + g->at[1]] += K(sz * sx) * xz;
    u->J[3 + g->at[2]] += K(sx * sy) * xy;
}

static inline void mass_join(mass_link *o)
{
    inertia I = inertia_transform(o->H, mass_inertia(o));
    mass_add(o - 1, I.m, I.h, I.J);
}

/* columns begin … end − 1 of F to the parent's frame */
NUM_INLINE void mass_carry_revolute(num *F, size_t ld, int32_t begin, int32_t end, const revolute *g, vec3 p)
{
    const num s = g->s, c = g->c;
    const double *X = g->X;
    num *to = F + begin;
    const size_t t = 3 * ld;
    for (int32_t k = begin; k < end; k += COLS, to += COLS) {
        cols f0 = cols_load(to), f1 = cols_load(to + ld), fz = cols_load(to + 2 * ld);
        cols n0 = cols_load(to + t), n1 = cols_load(to + 4 * ld), n2 = cols_load(to + 5 * ld);
        cols fx = c * f0 - s * f1, fy = s * f0 + c * f1;
        cols nx = c * n0 - s * n1 + p.y * fz - p.z * fy, ny = s * n0 + c * n1 + p.z * fx - p.x * fz;
        cols nz = n2 + p.x * fy - p.y * fx;
        if (g->quarter) {
            const num sx = K(g->sign[0]), sy = K(g->sign[1]), sz = K(g->sign[2]);
            const size_t x = g->at[0] * ld, y = g->at[1] * ld, z = g->at[2] * ld;
            cols_store(to + x, sx * fx), cols_store(to + y, sy * fy), cols_store(to + z, sz * fz);
            cols_store(to + t + x, sx * nx), cols_store(to + t + y, sy * ny), cols_store(to + t + z, sz * nz);
            continue;
        }
        for (size_t r = 0; r < 3; r++) {
            const num x = K(X[3 * r]), y = K(X[3 * r + 1]), z = K(X[3 * r + 2]);
            cols_store(to + r * ld, x * fx + y * fy + z * fz);
            cols_store(to + t + r * ld, x * nx + y * ny + z * nz);
        }
    }
}

static inline void mass_carry(num *F, size_t ld, int32_t begin, int32_t end, const pose *H)
{
    const mat3 R = H->R;
    const vec3 p = H->p;
    num *to = F + begin;
    for (int32_t k = begin; k < end; k += COLS, to += COLS) {
        cols f0 = cols_load(to), f1 = cols_load(to + ld), f2 = cols_load(to + 2 * ld);
        cols n0 = cols_load(to + 3 * ld), n1 = cols_load(to + 4 * ld), n2 = cols_load(to + 5 * ld);
        cols fx = R.x.x * f0 + R.y.x * f1 + R.z.x * f2, fy = R.x.y * f0 + R.y.y * f1 + R.z.y * f2;
        cols fz = R.x.z * f0 + R.y.z * f1 + R.z.z * f2;
        cols_store(to, fx);
        cols_store(to + ld, fy);
        cols_store(to + 2 * ld, fz);
        cols_store(to + 3 * ld, R.x.x * n0 + R.y.x * n1 + R.z.x * n2 + p.y * fz - p.z * fy);
        cols_store(to + 4 * ld, R.x.y * n0 + R.y.y * n1 + R.z.y * n2 + p.z * fx - p.x * fz);
        cols_store(to + 5 * ld, R.x.z * n0 + R.y.z * n1 + R.z.z * n2 + p.x * fy - p.y * fx);
    }
}

/* ---- rows ---- */

/* F of the joint's own columns, for any joint */
static inline void mass_columns(const mass_scratch *k, const plan_body *p, const mass_link *o)
{
    num *F = k->F + p->v;
    const size_t ld = k->ld;
    const inertia I = mass_inertia(o);
    twist S[HML_JOINT_MAX_NV];
    joint_columns_at(p->type, pose_identity(), K(p->pitch), S);
    for (int32_t j = 0; j < p->nv; j++, F++) {
        wrench f = inertia_mul(I, S[j]);
        F[0] = f.f.x, F[ld] = f.f.y, F[2 * ld] = f.f.z;
        F[3 * ld] = f.t.x, F[4 * ld] = f.t.y, F[5 * ld] = f.t.z;
    }
}

/* the F of a free joint are the columns of the inertia matrix */
static inline void mass_columns_free(const mass_scratch *k, const plan_body *p, const mass_link *o)
{
    const num z = K(0), m = o->m, x = o->h[0], y = o->h[1], h = o->h[2];
    const num *J = o->J;
    const num rows[6][6] = {{m, z, z, z, h, -y},          {z, m, z, -h, z, x},          {z, z, m, y, -x, z},
                            {z, -h, y, J[0], J[5], J[4]}, {h, z, -x, J[5], J[1], J[3]}, {-y, x, z, J[4], J[3], J[2]}};
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) k->F[i * k->ld + (size_t)p->v + j] = rows[i][j];
    }
}

/* row j of a joint, in the columns it carries; indexed by column */
static inline const num *mass_products(const mass_scratch *k, const plan_body *p, int32_t j, int32_t end)
{
    const size_t ld = k->ld;
    if (p->type == HML_JOINT_REVOLUTE) return k->F + 5 * ld;
    if (p->type == HML_JOINT_FREE) return k->F + (size_t)j * ld;
    twist S[HML_JOINT_MAX_NV];
    joint_columns_at(p->type, pose_identity(), K(p->pitch), S);
    for (int32_t c = p->v; c < end; c++) {
        const num *F = k->F + c;
        k->x[c] =
            wrench_dot(wrench_of(vec3_of(F[0], F[ld], F[2 * ld]), vec3_of(F[3 * ld], F[4 * ld], F[5 * ld])), S[j]);
    }
    return k->x;
}

/* where M goes: a square matrix; data NULL: into the rows of mass_scratch */
typedef struct mass_target {
    num *data;
    size_t ld;
} mass_target;

/* row and column c of M, from c on */
NUM_INLINE void mass_emit(const kernel_call *call, const mass_scratch *k, mass_target to, int32_t c, int32_t end,
                          const num *x)
{
    const plan_column *pc = &plan_columns(call->plan)[c];
    const num own = x[c] + K(call->coordinates[c].armature);
    if (to.data) { /* columns behind the subtree belong to other branches: zeros */
        const size_t stop = (size_t)end, nv = (size_t)call->plan->nv;
        num *across = to.data + (size_t)c * to.ld + (size_t)c, *down = across;
        *across++ = own, down += to.ld;
        size_t j = (size_t)c + 1;
        for (; j < stop; j++, down += to.ld) *across++ = *down = x[j];
        for (; j < nv; j++, down += to.ld) *across++ = *down = K(0);
        return;
    }
    k->diagonal[c] = own;
    mass_row(k, c)[pc->depth] = own;
    num *below = mass_row(k, c + 1) + pc->depth;
    for (int32_t j = c + 1; j < end; j++, below += k->depth_ld) *below = x[j];
}

/* back: the row of a joint; then inertia and F go to its parent */
NUM_INLINE void mass_back_revolute(const kernel_call *call, const mass_scratch *k, mass_target to, const plan_body *p,
                                   int32_t end, num s, num c, int quarter)
{
    const size_t ld = k->ld;
    mass_link *o = &k->links[p->level];
    num *F = k->F + p->v;
    F[0] = -o->h[1], F[ld] = o->h[0], F[2 * ld] = K(0);
    F[3 * ld] = o->J[4], F[4 * ld] = o->J[3], F[5 * ld] = o->J[2];
    mass_emit(call, k, to, p->v, end, k->F + 5 * ld);
    const revolute g = revolute_of(p, s, c, quarter);
    const vec3 place = revolute_place(&g);
    mass_join_revolute(o, &g, place);
    mass_carry_revolute(k->F, ld, p->v, end, &g, place);
}

RARE_JOINT void mass_back(const kernel_call *call, const mass_scratch *k, mass_target to, const plan_body *p,
                          int32_t end)
{
    mass_link *o = &k->links[p->level];
    if (p->type == HML_JOINT_FREE)
        mass_columns_free(k, p, o);
    else
        mass_columns(k, p, o);
    for (int32_t j = 0; j < p->nv; j++) mass_emit(call, k, to, p->v + j, end, mass_products(k, p, j, end));
    if (p->parent < 0) return;
    mass_join(o);
    mass_carry(k->F, k->ld, p->v, end, &o->H);
}

/* all rows of M; returns the configuration */
static inline const num *mass_walk(const kernel_call *call, const mass_scratch *k, mass_target to)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const num *q = body_frame_input(call->q, call->count, plan->nq, k->q);
    sincos_all(plan, q, k->s, k->c);
#if COLS > 1 /* registers read beyond the last column: not denormals, which are slow */
    for (size_t c = 0; c < 6 * k->ld; c++) k->F[c] = 0;
#endif
    for (int32_t i = 0; i < plan->nbodies; i++) {
        mass_link *o = &k->links[pb[i].level];
        const int32_t end = pb[i].v + pb[i].nv;
        mass_own(o, pb[i].I);
        if (pb[i].parent >= 0 && !is_revolute(&pb[i])) o->H = body_frame_pose(&pb[i], &q[pb[i].q]);
        for (int32_t j = i; j >= 0 && pb[j].end == i + 1; j = pb[j].parent) {
            if (!is_revolute(&pb[j]))
                mass_back(call, k, to, &pb[j], end);
            else if (pb[j].quarter_turn)
                mass_back_revolute(call, k, to, &pb[j], end, k->s[pb[j].q], k->c[pb[j].q], 1);
            else
                mass_back_revolute(call, k, to, &pb[j], end, k->s[pb[j].q], k->c[pb[j].q], 0);
        }
    }
    return q;
}

/* ---- out ---- */

#if LANES > 1
/* row i of a matrix that has the zeros of M, mostly zeros: groups of columns that are zero are stored without a
 * transposition */
NUM_INLINE void store_sparse_row(const hml_plan *plan, kernel_output out, int32_t i, const int32_t *path, const num *x)
{
    const plan_column *pc = &plan_columns(plan)[i];
    const int32_t nv = plan->nv, depth = pc->depth, end = pc->subtree_end;
    lane *to = out.data + (size_t)i * out.ld;
    for (int32_t c = 0, d = 0; c < nv; c += STORE_WIDTH) {
        const int32_t from = c + STORE_WIDTH > nv ? nv - STORE_WIDTH : c; /* the last columns overlap those before */
        while (d < depth && path[d] < from) d++;
        if ((d < depth && path[d] < from + STORE_WIDTH) || (from + STORE_WIDTH > i && from < end))
            store_cols4(to + from, out.stride, x + from, 1);
        else
            store_zero_cols4(to + from, out.stride);
    }
}
#endif

/* the same for any number of states; leaves zeros in x, which is indexed by column */
static inline void store_tree_row(const hml_plan *plan, kernel_output out, int count, int32_t i, const int32_t *path,
                                  num *x)
{
    const int32_t nv = plan->nv;
#if LANES > 1
    if (count == LANES && nv >= STORE_WIDTH) {
        const plan_column *pc = &plan_columns(plan)[i];
        store_sparse_row(plan, out, i, path, x);
        for (int32_t d = 0; d < pc->depth; d++) x[path[d]] = K(0);
        for (int32_t c = i; c < pc->subtree_end; c++) x[c] = K(0);
        return;
    }
#else
    (void)path;
#endif
    kernel_store_run(out, count, i, 0, nv, x);
    for (int32_t c = 0; c < nv; c++) x[c] = K(0);
}

#if LANES > 1
/* all rows of M */
static inline void mass_store(const kernel_call *call, const mass_scratch *k)
{
    const plan_column *pc = plan_columns(call->plan);
    const int32_t nv = call->plan->nv;
    num *x = k->x;
    for (int32_t c = 0; c < nv; c++) x[c] = K(0);
    for (int32_t i = 0; i < nv; i++) {
        const int32_t *path = column_path(call->paths, i);
        const int32_t depth = pc[i].depth, end = pc[i].subtree_end;
        const num *row = mass_row(k, i);
        for (int32_t d = 0; d < depth; d++) x[path[d]] = row[d];
        row += depth;
        for (int32_t c = i; c < end; c++, row += k->depth_ld) x[c] = *row;
        store_tree_row(call->plan, call->M, call->count, i, path, x);
    }
}
#endif

static inline unsigned pack_mass_matrix(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const size_t nv = (size_t)plan->nv;
    mass_scratch k;
    mass_target to = {NULL, nv};
    layout_cursor at = layout_begin(call->scratch);
    mass_scratch_lay(plan, &at, &k);
#if LANES == 1
    to.data = call->M.data, to.ld = call->M.ld;
    return num_lanes(kernel_bad_state(plan, mass_walk(call, &k, to), NULL, NULL));
#else
    to.data = k.dense;
    const num *q = mass_walk(call, &k, to);
    if (!to.data)
        mass_store(call, &k);
    else if (call->M.ld == nv)
        store_row(call->M, call->count, 0, plan->nv * plan->nv, to.data); /* one long row */
    else
        for (int32_t i = 0; i < plan->nv; i++) store_row(call->M, call->count, i, plan->nv, to.data + i * plan->nv);
    return num_lanes(kernel_bad_state(plan, q, NULL, NULL));
#endif
}

#endif
