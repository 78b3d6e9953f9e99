/*
 * Vectors, rotations, twists, wrenches and inertias over expressions. The graph drops what is zero, so these functions
 * are written for general position: a rotation about z costs four products because its zeros are constants.
 */
#ifndef HML_GENERATE_SPACE_H
#define HML_GENERATE_SPACE_H

#include "generate/graph.h"

typedef struct ex3 {
    ex x, y, z;
} ex3;

typedef struct ex33 {
    ex m[3][3];
} ex33;

typedef struct exs3 {
    ex xx, xy, xz, yy, yz, zz;
} exs3;

/* a twist [linear; angular] or a wrench [force; torque] */
typedef struct ex6 {
    ex3 v, w;
} ex6;

typedef struct ex_inertia {
    ex m;
    ex3 h;
    exs3 J;
} ex_inertia;

static inline ex3 ex3_of(ex x, ex y, ex z) { return (ex3){x, y, z}; }
static inline ex3 ex3_zero(void) { return (ex3){EX_ZERO, EX_ZERO, EX_ZERO}; }
static inline ex3 ex3_neg(ex3 a) { return ex3_of(ex_neg(a.x), ex_neg(a.y), ex_neg(a.z)); }

static inline ex3 ex3_add(graph *g, ex3 a, ex3 b)
{
    return ex3_of(hmli_graph_add(g, a.x, b.x), hmli_graph_add(g, a.y, b.y), hmli_graph_add(g, a.z, b.z));
}

static inline ex3 ex3_sub(graph *g, ex3 a, ex3 b) { return ex3_add(g, a, ex3_neg(b)); }

static inline ex3 ex3_scale(graph *g, ex s, ex3 a)
{
    return ex3_of(hmli_graph_mul(g, s, a.x), hmli_graph_mul(g, s, a.y), hmli_graph_mul(g, s, a.z));
}

/* a b − c d */
static inline ex ex_cross2(graph *g, ex a, ex b, ex c, ex d)
{
    return ex_sub(g, hmli_graph_mul(g, a, b), hmli_graph_mul(g, c, d));
}

static inline ex3 ex3_cross(graph *g, ex3 a, ex3 b)
{
    return ex3_of(ex_cross2(g, a.y, b.z, a.z, b.y), ex_cross2(g, a.z, b.x, a.x, b.z), ex_cross2(g, a.x, b.y, a.y, b.x));
}

static inline ex ex3_dot(graph *g, ex3 a, ex3 b)
{
    const ex xy = hmli_graph_add(g, hmli_graph_mul(g, a.x, b.x), hmli_graph_mul(g, a.y, b.y));
    return hmli_graph_add(g, xy, hmli_graph_mul(g, a.z, b.z));
}

/* ---- rotations ---- */

static inline ex33 ex33_identity(void)
{
    return (ex33){{{EX_ONE, EX_ZERO, EX_ZERO}, {EX_ZERO, EX_ONE, EX_ZERO}, {EX_ZERO, EX_ZERO, EX_ONE}}};
}

static inline ex3 ex33_row(const ex33 *R, int i) { return ex3_of(R->m[i][0], R->m[i][1], R->m[i][2]); }
static inline ex3 ex33_column(const ex33 *R, int i) { return ex3_of(R->m[0][i], R->m[1][i], R->m[2][i]); }

static inline ex3 ex33_turn(graph *g, const ex33 *R, ex3 a)
{
    return ex3_of(ex3_dot(g, ex33_row(R, 0), a), ex3_dot(g, ex33_row(R, 1), a), ex3_dot(g, ex33_row(R, 2), a));
}

static inline ex3 ex33_turn_back(graph *g, const ex33 *R, ex3 a)
{
    return ex3_of(ex3_dot(g, ex33_column(R, 0), a), ex3_dot(g, ex33_column(R, 1), a), ex3_dot(g, ex33_column(R, 2), a));
}

/* ---- symmetric matrices ---- */

static inline exs3 exs3_zero(void) { return (exs3){EX_ZERO, EX_ZERO, EX_ZERO, EX_ZERO, EX_ZERO, EX_ZERO}; }

static inline exs3 exs3_add(graph *g, exs3 a, exs3 b)
{
    return (exs3){hmli_graph_add(g, a.xx, b.xx), hmli_graph_add(g, a.xy, b.xy), hmli_graph_add(g, a.xz, b.xz),
                  hmli_graph_add(g, a.yy, b.yy), hmli_graph_add(g, a.yz, b.yz), hmli_graph_add(g, a.zz, b.zz)};
}

static inline ex33 exs3_matrix(exs3 a) { return (ex33){{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}}; }

static inline ex3 exs3_mul(graph *g, exs3 a, ex3 b)
{
    const ex33 m = exs3_matrix(a);
    return ex33_turn(g, &m, b);
}

/* a + 2 (e·p) 1 − e pᵀ − p eᵀ: what a moment, and the k of a composite, become in a frame moved by p */
static inline exs3 exs3_shift(graph *g, exs3 a, ex3 e, ex3 p)
{
    const ex x = hmli_graph_mul(g, e.x, p.x), y = hmli_graph_mul(g, e.y, p.y), z = hmli_graph_mul(g, e.z, p.z);
    const ex two = hmli_graph_number(g, 2);
    const ex xy = hmli_graph_add(g, hmli_graph_mul(g, e.x, p.y), hmli_graph_mul(g, e.y, p.x));
    const ex xz = hmli_graph_add(g, hmli_graph_mul(g, e.x, p.z), hmli_graph_mul(g, e.z, p.x));
    const ex yz = hmli_graph_add(g, hmli_graph_mul(g, e.y, p.z), hmli_graph_mul(g, e.z, p.y));
    return (exs3){hmli_graph_add(g, a.xx, hmli_graph_mul(g, two, hmli_graph_add(g, y, z))),
                  ex_sub(g, a.xy, xy),
                  ex_sub(g, a.xz, xz),
                  hmli_graph_add(g, a.yy, hmli_graph_mul(g, two, hmli_graph_add(g, x, z))),
                  ex_sub(g, a.yz, yz),
                  hmli_graph_add(g, a.zz, hmli_graph_mul(g, two, hmli_graph_add(g, x, y)))};
}

/* ---- twists and wrenches ---- */

static inline ex6 ex6_of(ex3 v, ex3 w) { return (ex6){v, w}; }
static inline ex6 ex6_zero(void) { return (ex6){ex3_zero(), ex3_zero()}; }
static inline ex6 ex6_neg(ex6 a) { return (ex6){ex3_neg(a.v), ex3_neg(a.w)}; }
static inline ex6 ex6_add(graph *g, ex6 a, ex6 b) { return (ex6){ex3_add(g, a.v, b.v), ex3_add(g, a.w, b.w)}; }
static inline ex6 ex6_scale(graph *g, ex s, ex6 a) { return (ex6){ex3_scale(g, s, a.v), ex3_scale(g, s, a.w)}; }

static inline ex ex6_dot(graph *g, ex6 a, ex6 b)
{
    return hmli_graph_add(g, ex3_dot(g, a.v, b.v), ex3_dot(g, a.w, b.w));
}

/* v × m of twists */
static inline ex6 ex6_cross(graph *g, ex6 v, ex6 m)
{
    return ex6_of(ex3_add(g, ex3_cross(g, v.w, m.v), ex3_cross(g, v.v, m.w)), ex3_cross(g, v.w, m.w));
}

/* v ×* f of a twist and a wrench */
static inline ex6 ex6_cross_dual(graph *g, ex6 v, ex6 f)
{
    return ex6_of(ex3_cross(g, v.w, f.v), ex3_add(g, ex3_cross(g, v.w, f.w), ex3_cross(g, v.v, f.v)));
}

static inline ex6 ex_inertia_mul(graph *g, ex_inertia I, ex6 v)
{
    return ex6_of(ex3_add(g, ex3_scale(g, I.m, v.v), ex3_cross(g, v.w, I.h)),
                  ex3_add(g, exs3_mul(g, I.J, v.w), ex3_cross(g, I.h, v.v)));
}

static inline ex_inertia ex_inertia_add(graph *g, ex_inertia a, ex_inertia b)
{
    return (ex_inertia){hmli_graph_add(g, a.m, b.m), ex3_add(g, a.h, b.h), exs3_add(g, a.J, b.J)};
}

#endif
