/* One lane's view of a state: tables, inputs, poses in the workspace. */
#ifndef HML_CUDA_STATE_H
#define HML_CUDA_STATE_H

#include "cuda/lanes.h"

/* what can be wrong with a state: the first bit that is set names its status. DEPENDENT: rows of constraints, held.h */
enum { FLAG_NOT_FINITE = 1, FLAG_NOT_NORMALIZED = 2, FLAG_SINGULAR = 4, FLAG_DEPENDENT = 8, FLAG_OVERFLOW = 16 };

/* the first that is set */
LANE_CODE int32_t status_of_flags(int flags)
{
    if (flags & FLAG_NOT_FINITE) return HML_NOT_FINITE;
    if (flags & FLAG_NOT_NORMALIZED) return HML_NOT_NORMALIZED;
    if (flags & FLAG_SINGULAR) return HML_SINGULAR;
    if (flags & FLAG_DEPENDENT) return HML_UNSUPPORTED;
    return flags & FLAG_OVERFLOW ? HML_NOT_FINITE : HML_OK;
}

/* one lane's view of the state that its group computes */
typedef struct lane_state {
    const cuda_call *call;
    const cuda_tree *tree;
    const int32_t *integers;
    const num *numbers;
    num *work;
    int lane, width;
    int one;   /* 1: a lane has one body and one column at most, and the compiler knows it */
    int trunk; /* 1: the kernel of robots with a trunk */
    size_t state;
    int flags;
    int32_t body[BODY_INTEGERS], column[COLUMN_INTEGERS]; /* where `one` is set: of the lane's own */
} lane_state;

/* tasks of any number; and bodies and columns, of which a lane may have one at most */
#define FOR_LANES(s, i, n) ROLLED for (int i = (s)->lane; i < (n); i += (s)->width)
#define FOR_OWN(s, i, first, n)                                                                                        \
    for (int i = (s)->lane + (first), more_##i = 1; more_##i && i < (n); i += (s)->width, more_##i = !(s)->one)
#define FOR_BODIES(s, i) FOR_OWN(s, i, 0, (s)->tree->bodies)

/* Columns below a free root, and of all other trees. The first lanes are those of the root's columns: see columns.h */
#define FOR_COLUMNS(s, c) FOR_OWN(s, c, (s)->tree->k0, (s)->tree->columns) if (c >= (s)->tree->base)

LANE_CODE int32_t body_integer(const lane_state *s, int which, int i)
{
    return s->integers[s->tree->body + which * s->tree->bodies + i];
}

/* of a body that the lane has in FOR_BODIES, of a column that it has in FOR_COLUMNS */
LANE_CODE int32_t own_body(const lane_state *s, int which, int i)
{
    return s->one ? s->body[which] : body_integer(s, which, i);
}

LANE_CODE num body_number(const lane_state *s, int which, int i)
{
    return s->numbers[s->tree->body_numbers + which * s->tree->bodies + i];
}

LANE_CODE int32_t column_integer(const lane_state *s, int which, int c)
{
    return s->integers[s->tree->column + which * s->tree->columns + c];
}

LANE_CODE int32_t own_column(const lane_state *s, int which, int c)
{
    return s->one ? s->column[which] : column_integer(s, which, c);
}

LANE_CODE num column_number(const lane_state *s, int which, int c)
{
    return s->numbers[s->tree->column_numbers + which * s->tree->columns + c];
}

/* armature and damping as they act: with those of springs and dampers at the end of an implicit step */
LANE_CODE num column_armature(const lane_state *s, int c)
{
    const num x = column_number(s, COLUMN_ARMATURE, c), h = K(s->call->h);
    if (s->call->h == 0) return x;
    return x + h * (column_number(s, COLUMN_DAMPING, c) + h * column_number(s, COLUMN_STIFFNESS, c));
}

LANE_CODE num column_damping(const lane_state *s, int c)
{
    const num x = column_number(s, COLUMN_DAMPING, c);
    return s->call->h == 0 ? x : x + K(s->call->h) * column_number(s, COLUMN_STIFFNESS, c);
}

LANE_CODE pose body_placement(const lane_state *s, int which, int i)
{
    const mat3 R =
        mat3_of(vec3_of(body_number(s, which, i), body_number(s, which + 3, i), body_number(s, which + 6, i)),
                vec3_of(body_number(s, which + 1, i), body_number(s, which + 4, i), body_number(s, which + 7, i)),
                vec3_of(body_number(s, which + 2, i), body_number(s, which + 5, i), body_number(s, which + 8, i)));
    return pose_of(R,
                   vec3_of(body_number(s, which + 9, i), body_number(s, which + 10, i), body_number(s, which + 11, i)));
}

/* the integers of the lane's own body and column, kept for all states of the warp */
LANE_CODE void load_own(lane_state *s)
{
    const cuda_tree *t = s->tree;
    const int i = s->lane < t->bodies ? s->lane : 0, c = s->lane + t->k0 < t->columns ? s->lane + t->k0 : 0;
    for (int k = 0; k < BODY_INTEGERS; k++) s->body[k] = body_integer(s, k, i);
    for (int k = 0; k < COLUMN_INTEGERS; k++) s->column[k] = column_integer(s, k, c);
}

/* 1 or 0, without a conversion at run time */
LANE_CODE num one_if(int condition) { return condition ? K(1) : K(0); }

LANE_CODE int not_finite(num x) { return !(x - x == K(0)); }

/* ---- inputs ---- */

/* n numbers of an array into the workspace */
LANE_CODE void load_input(lane_state *s, cuda_input in, int n, num *to)
{
    const num *from = in.data ? (const num *)in.data + s->state * in.stride : (const num *)0;
    FOR_LANES(s, i, n)
    {
        const num x = from ? from[i] : K(0);
        s->flags |= not_finite(x) ? FLAG_NOT_FINITE : 0;
        work_put(to + i, x);
    }
}

/* the inputs of a state that comes later into the caches */
LANE_CODE void lanes_prefetch(const lane_state *s, size_t state)
{
    const cuda_call *c = s->call;
    const int line = 128 / (int)sizeof(num), nq = c->model.nq, nv = c->model.nv;
    if (state >= c->n) return;
    FOR_LANES(s, i, (nq + line - 1) / line + 1)
    {
        const int at = i * line;
        if (c->q.data) global_prefetch((const num *)c->q.data + state * c->q.stride + (at < nq ? at : nq - 1));
        if (c->v.data) global_prefetch((const num *)c->v.data + state * c->v.stride + (at < nv ? at : nv - 1));
        if (c->tau.data) global_prefetch((const num *)c->tau.data + state * c->tau.stride + (at < nv ? at : nv - 1));
    }
}

LANE_CODE void check_wrenches(lane_state *s)
{
    const cuda_input in = s->call->wrenches;
    const num *from = in.data ? (const num *)in.data + s->state * in.stride : (const num *)0;
    FOR_LANES(s, i, from ? 6 * s->call->model.bodies : 0) s->flags |= not_finite(from[i]) ? FLAG_NOT_FINITE : 0;
}

LANE_CODE void load_state(lane_state *s)
{
    const cuda_call *c = s->call;
    const cuda_model *m = &c->model;
    load_input(s, c->q, m->nq, s->work + m->q);
    load_input(s, c->v, m->nv, s->work + m->v);
    load_input(s, c->tau, m->nv, s->work + m->b);
    check_wrenches(s);
    lanes_sync();
}

/* ---- poses ---- */

LANE_CODE pose work_pose(const num *p)
{
    const num4 x = work_get4(p), y = work_get4(p + 4), z = work_get4(p + 8);
    return pose_of(mat3_of(vec3_of(x.a, y.a, z.a), vec3_of(x.b, y.b, z.b), vec3_of(x.c, y.c, z.c)),
                   vec3_of(x.d, y.d, z.d));
}

LANE_CODE void work_put_pose(num *p, pose H)
{
    work_put4(p, num4_of(H.R.x.x, H.R.y.x, H.R.z.x, H.p.x));
    work_put4(p + 4, num4_of(H.R.x.y, H.R.y.y, H.R.z.y, H.p.y));
    work_put4(p + 8, num4_of(H.R.x.z, H.R.y.z, H.R.z.z, H.p.z));
}

#endif
