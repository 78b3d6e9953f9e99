/*
 * A lane per limb, limbs.h: what a lane has and keeps, the inputs of a warp's states, and the root, to which all limbs add
 * their part. −S⁻¹ of it comes from the sweep operator, in the registers of every lane.
 */
#ifndef HML_CUDA_LIMBS_ROOT_H
#define HML_CUDA_LIMBS_ROOT_H

#include "cuda/linearize.h"

/* numbers of a joint in the table that a block of warps keeps: pose of its frame, inertia, and four more */
enum { TABLE_X = 0, TABLE_I = 12, TABLE_ARMATURE = 22, TABLE_DAMPING, TABLE_STIFFNESS, TABLE_REST };

/*
 * What a lane lays aside of a joint while there are no results: pose, velocity, acceleration; then I, U_q, sv
 * (at first U_ν), and the column of ∂τ/∂q
 */
enum { SLOT_H = 0, SLOT_V = 12, SLOT_A = 18, SLOT_I = 0, SLOT_U = 10, SLOT_SV = 16, SLOT_Q = 24 };

/* one lane's view of its state */
typedef struct limb_lane {
    lane_state s;      /* lane: the limb; width: lanes of a state */
    int joints, limbs; /* joints of a limb; on a GPU the compiler knows both */
    int nv;
    int on;             /* 0: there are more lanes than limbs */
    int limb;           /* 0 where it is not on */
    const num *table;   /* of the root; those of the joints come behind it */
    int wide;           /* the lane in the warp */
    num *q, *v, *b;     /* inputs of the state; b is ν̇ in the end */
    num *rows;          /* nv × LIMB_ROW: −S⁻¹, then G of all limbs */
    num *inputs, *taus; /* of all states of the warp */
    num *stage, *tile;  /* results of all states of the warp; of its own */
    int states;         /* of the warp, of those that there are */
    num bad;            /* NaN if an input is not finite */
} limb_lane;

typedef struct limb {
    twist S[LIMB_MOST];
    twist G[LIMB_MOST];                                   /* right-hand sides against the root, at first F */
    vec3 w[LIMB_MOST];                                    /* those of the root's angular velocity */
    num b[LIMB_MOST];                                     /* τ − h */
    num M[LIMB_MOST][LIMB_MOST];                          /* below the diagonal the factor, on it one over the pivot */
    num q[LIMB_MOST][LIMB_MOST], v[LIMB_MOST][LIMB_MOST]; /* ∂τ/∂q and ∂τ/∂ν: row, column; then −M_l⁻¹ of it */
    twist sq[LIMB_MOST], sv[LIMB_MOST];                   /* t_root − Gᵀ t_l of both, by column */
} limb;

/* the root: what limbs add to it; S becomes −S⁻¹, and b the root's ν̇ */
typedef struct limb_root {
    num S[21];       /* lower half, row by row */
    twist omega[3];  /* right-hand sides of the angular velocity */
    twist b;         /* of ν̇ */
    num diagonal[4]; /* of M_root: mass, and three moments of inertia */
    vec3 gravity, u, w;
} limb_root;

LANE_CODE int at21(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

/* ---- numbers ---- */

LANE_CODE int limb_body(const limb_lane *x, int j) { return 1 + x->limb * x->joints + j; }
LANE_CODE int limb_column(const limb_lane *x, int j) { return 6 + x->limb * x->joints + j; }

LANE_CODE num *limb_slot(const limb_lane *x, int j, int k)
{
    return x->stage + CUDA_WARP * (cuda_limb_slots(x->joints) * j + k) + x->wide;
}

LANE_CODE void slot_put_vec3(num *p, vec3 a)
{
    work_put(p, a.x), work_put(p + CUDA_WARP, a.y), work_put(p + 2 * CUDA_WARP, a.z);
}

LANE_CODE vec3 slot_vec3(const num *p)
{
    return vec3_of(work_get(p), work_get(p + CUDA_WARP), work_get(p + 2 * CUDA_WARP));
}

LANE_CODE void slot_put_twist(num *p, twist a) { slot_put_vec3(p, a.v), slot_put_vec3(p + 3 * CUDA_WARP, a.w); }
LANE_CODE twist slot_twist(const num *p) { return twist_of(slot_vec3(p), slot_vec3(p + 3 * CUDA_WARP)); }

LANE_CODE inertia slot_inertia(const num *p)
{
    num I[10];
    UNROLLED for (int k = 0; k < 10; k++) I[k] = work_get(p + k * CUDA_WARP);
    return inertia_of(I[0], vec3_of(I[1], I[2], I[3]), sym3_of(I[4], I[5], I[6], I[7], I[8], I[9]));
}

/* ---- tables ---- */

/* armature, damping or stiffness of a column as it acts: column_armature and column_damping of state.h */
LANE_CODE num passive_entry(const cuda_call *call, int which, int c)
{
    const cuda_tree *t = &call->model.tree[0];
    const num *from = (const num *)call->model.numbers + t->column_numbers + c, h = K(call->h);
    const num damping = from[COLUMN_DAMPING * t->columns], stiffness = from[COLUMN_STIFFNESS * t->columns];
    num x = from[which * t->columns];
    if (which == COLUMN_ARMATURE) x += h * (damping + h * stiffness);
    if (which == COLUMN_DAMPING) x += h * stiffness;
    return x;
}

/* from the tables of the model: by all threads of a block, with a barrier behind it */
LANE_CODE void limbs_table(const cuda_call *call, num *table, int thread, int threads)
{
    const cuda_model *m = &call->model;
    const cuda_tree *t = &m->tree[0];
    const num *from = (const num *)m->numbers;
    ROLLED for (int i = thread; i < LIMB_TABLE * t->bodies; i += threads)
    {
        const int body = i / LIMB_TABLE, k = i % LIMB_TABLE, c = body + 5;
        num x = K(0);
        if (k < TABLE_ARMATURE)
            x = from[t->body_numbers + (k < TABLE_I ? BODY_X + k : BODY_I + k - TABLE_I) * t->bodies + body];
        else if (body > 0 && k < TABLE_REST)
            x = passive_entry(call, COLUMN_ARMATURE + k - TABLE_ARMATURE, c);
        else if (body > 0 && k == TABLE_REST)
            x = from[m->rest + c + 1];
        work_put(table + i, x);
    }
}

LANE_CODE const num *joint_table(const limb_lane *x, int j) { return x->table + LIMB_TABLE * limb_body(x, j); }

LANE_CODE pose table_pose(const num *p)
{
    const num4 a = work_get4(p), b = work_get4(p + 4), c = work_get4(p + 8);
    return pose_of(mat3_of(vec3_of(a.a, a.d, b.c), vec3_of(a.b, b.a, b.d), vec3_of(a.c, b.b, c.a)),
                   vec3_of(c.b, c.c, c.d));
}

LANE_CODE inertia table_inertia(const num *p)
{
    const num4 a = work_get4(p + TABLE_I), b = work_get4(p + TABLE_I + 4);
    return inertia_of(a.a, vec3_of(a.b, a.c, a.d),
                      sym3_of(b.a, b.b, b.c, b.d, work_get(p + TABLE_I + 8), work_get(p + TABLE_I + 9)));
}

/* ---- inputs ---- */

/* a number of the inputs; NaN and infinity leave a trace */
LANE_CODE num limb_input(limb_lane *x, const num *p)
{
    const num a = work_get(p);
    x->bad += K(0) * a;
    return a;
}

LANE_CODE vec3 limb_input3(limb_lane *x, const num *p)
{
    return vec3_of(limb_input(x, p), limb_input(x, p + 1), limb_input(x, p + 2));
}

/* n numbers of every state of the warp; behind the last state, of that one. They are there after lanes_fetched */
LANE_CODE void limbs_fetch_array(const limb_lane *x, cuda_input in, int n, size_t first, num *to)
{
    const int states = CUDA_WARP / x->s.width;
    const size_t last = x->s.call->n - 1;
    ROLLED for (int i = x->wide; i < states * n; i += CUDA_WARP)
    {
        const int k = i / n;
        const size_t state = first + (size_t)k < last ? first + (size_t)k : last;
        if (in.data)
            lanes_fetch(to + i, (const num *)in.data + state * in.stride + (size_t)(i - k * n));
        else
            work_put(to + i, K(0));
    }
}

LANE_CODE void limbs_fetch(const limb_lane *x, size_t first)
{
    const cuda_call *call = x->s.call;
    if (first >= call->n) return;
    limbs_fetch_array(x, call->q, x->nv + 1, first, x->inputs);
    limbs_fetch_array(x, call->v, x->nv, first, x->inputs + CUDA_WARP / x->s.width * (x->nv + 1));
    limbs_fetch_array(x, call->tau, x->nv, first, x->taus);
}

/* ---- the root ---- */

/* lower half of the inertia of a subtree; right-hand sides of the angular velocity; minus the force */
LANE_CODE void root_add(limb_root *r, const composite *c, vec3 w)
{
    const vec3 h = c->I.h, n = vec3_scale(K(2), c->n), t = c->t;
    const sym3 J = c->I.J;
    const num S[21] = {c->I.m, K(0), c->I.m, K(0), K(0), c->I.m, K(0), -h.z, h.y,  J.xx, h.z,
                       K(0),   -h.x, J.xy,   J.yy, -h.y, h.x,    K(0), J.xz, J.yz, J.zz};
    for (int k = 0; k < 21; k++) r->S[k] += S[k];
    r->diagonal[0] += c->I.m;
    r->diagonal[1] += J.xx, r->diagonal[2] += J.yy, r->diagonal[3] += J.zz;
    r->b = twist_sub(r->b, twist_of_wrench(c->f));
    /* of unit e: −2 n × e − h × (ω × e), K e + J (ω × e) */
    const num hw = vec3_dot(h, w);
    const vec3 fx = vec3_of(hw - w.x * h.x, -n.z - w.y * h.x, n.y - w.z * h.x);
    const vec3 fy = vec3_of(n.z - w.x * h.y, hw - w.y * h.y, -n.x - w.z * h.y);
    const vec3 fz = vec3_of(-n.y - w.x * h.z, n.x - w.y * h.z, hw - w.z * h.z);
    const vec3 tx = vec3_of(c->k.xx, c->k.xy - t.z, c->k.xz + t.y);
    const vec3 ty = vec3_of(c->k.xy + t.z, c->k.yy, c->k.yz - t.x);
    const vec3 tz = vec3_of(c->k.xz - t.y, c->k.yz + t.x, c->k.zz);
    const vec3 jx = vec3_of(J.xy * w.z - J.xz * w.y, J.yy * w.z - J.yz * w.y, J.yz * w.z - J.zz * w.y);
    const vec3 jy = vec3_of(J.xz * w.x - J.xx * w.z, J.yz * w.x - J.xy * w.z, J.zz * w.x - J.xz * w.z);
    const vec3 jz = vec3_of(J.xx * w.y - J.xy * w.x, J.xy * w.y - J.yy * w.x, J.xz * w.y - J.yz * w.x);
    r->omega[0] = twist_add(r->omega[0], twist_of(fx, vec3_add(tx, jx)));
    r->omega[1] = twist_add(r->omega[1], twist_of(fy, vec3_add(ty, jy)));
    r->omega[2] = twist_add(r->omega[2], twist_of(fz, vec3_add(tz, jz)));
}

LANE_CODE limb_root limb_root_begin(limb_lane *x)
{
    const double *g = x->s.call->model.gravity;
    limb_root r;
    for (int k = 0; k < 21; k++) r.S[k] = K(0);
    for (int k = 0; k < 4; k++) r.diagonal[k] = K(0);
    r.b = r.omega[0] = r.omega[1] = r.omega[2] = twist_zero();
    limb_input3(x, x->q); /* where the root is does not matter, as long as it is somewhere */
    const vec3 e = limb_input3(x, x->q + 4);
    const quat a = quat_of(limb_input(x, x->q + 3), e.x, e.y, e.z);
    if (!quat_is_unit(a)) x->s.flags |= FLAG_NOT_NORMALIZED;
    const mat3 R = mat3_mul(table_pose(x->table).R, quat_to_mat3(quat_normalize(a)));
    r.gravity = mat3_tmul_vec(R, vec3_of(K(g[0]), K(g[1]), K(g[2])));
    r.u = limb_input3(x, x->v);
    r.w = limb_input3(x, x->v + 3);
    return r;
}

/* the root's own body, and τ on it */
LANE_CODE void limb_root_body(limb_lane *x, limb_root *r)
{
    composite c = composite_of(table_inertia(x->table), twist_of(vec3_zero(), r->w), twist_zero());
    if (x->s.call->wrenches.data) c.f = wrench_sub(c.f, external_wrench(&x->s, 0, pose_identity()));
    root_add(r, &c, r->w);
    r->b = twist_add(r->b, twist_of(limb_input3(x, x->b), limb_input3(x, x->b + 3)));
}

LANE_CODE vec3 vec3_sum(vec3 a, int width)
{
    return vec3_of(lanes_sum(a.x, width), lanes_sum(a.y, width), lanes_sum(a.z, width));
}
LANE_CODE twist twist_sum(twist a, int width) { return twist_of(vec3_sum(a.v, width), vec3_sum(a.w, width)); }

/* all limbs together */
LANE_CODE void limb_root_sum(const limb_lane *x, limb_root *r)
{
    const int width = x->s.width;
    if (!x->on) {
        for (int k = 0; k < 21; k++) r->S[k] = K(0);
        for (int k = 0; k < 4; k++) r->diagonal[k] = K(0);
        r->b = r->omega[0] = r->omega[1] = r->omega[2] = twist_zero();
    }
    UNROLLED for (int k = 0; k < 21; k++) r->S[k] = lanes_sum(r->S[k], width);
    UNROLLED for (int k = 0; k < 4; k++) r->diagonal[k] = lanes_sum(r->diagonal[k], width);
    UNROLLED for (int k = 0; k < 3; k++) r->omega[k] = twist_sum(r->omega[k], width);
    r->b = twist_sum(r->b, width);
}

/* S to −S⁻¹ by the sweep operator */
LANE_CODE void limb_root_inverse(limb_lane *x, limb_root *r)
{
    UNROLLED for (int k = 0; k < 6; k++)
    {
        num row[6];
        const num d = inverse_of_pivot(&x->s, r->S[at21(k, k)], r->diagonal[k < 3 ? 0 : k - 2]);
        UNROLLED for (int i = 0; i < 6; i++) row[i] = r->S[at21(i, k)];
        UNROLLED for (int i = 0; i < 6; i++)
        {
            UNROLLED for (int j = 0; j <= i; j++)
            {
                if (i != k && j != k) r->S[at21(i, j)] -= d * row[i] * row[j];
            }
        }
        UNROLLED for (int i = 0; i < 6; i++) r->S[at21(i, k)] = i == k ? -d : d * row[i];
    }
}

/* −S⁻¹ s */
LANE_CODE twist limb_root_times(const limb_root *r, twist s)
{
    num a[6], y[6];
    UNROLLED for (int k = 0; k < 6; k++) a[k] = twist_get(s, k);
    UNROLLED for (int i = 0; i < 6; i++)
    {
        y[i] = K(0);
        UNROLLED for (int k = 0; k < 6; k++) y[i] += r->S[at21(i, k)] * a[k];
    }
    return twist_from(y);
}

#endif
