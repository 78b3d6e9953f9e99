/* Twists down to a part, and wrenches, inertias and composites from it to its parent: placement first, then joint. */
#ifndef HML_GENERATE_MOVES_H
#define HML_GENERATE_MOVES_H

#include "generate/program.h"

static inline ex3 part_turn_up(graph *g, const part *b, ex3 a) { return ex33_turn(g, &b->Rc, ex33_turn(g, &b->Rj, a)); }

static inline ex6 twist_step(graph *g, const ex33 *R, ex3 p, ex6 v)
{
    return ex6_of(ex33_turn_back(g, R, ex3_add(g, v.v, ex3_cross(g, v.w, p))), ex33_turn_back(g, R, v.w));
}

/* a twist of the parent's frame, in the frame of the part */
static inline ex6 part_down(graph *g, const part *b, ex6 v)
{
    return twist_step(g, &b->Rj, b->pj, twist_step(g, &b->Rc, b->pc, v));
}

static inline ex6 wrench_step(graph *g, const ex33 *R, ex3 p, ex6 f)
{
    const ex3 force = ex33_turn(g, R, f.v);
    return ex6_of(force, ex3_add(g, ex33_turn(g, R, f.w), ex3_cross(g, p, force)));
}

/* a wrench of the part's frame, in the parent's */
static inline ex6 part_up(graph *g, const part *b, ex6 f)
{
    return wrench_step(g, &b->Rc, b->pc, wrench_step(g, &b->Rj, b->pj, f));
}

/* R A Rᵀ; about z with eight products */
static inline exs3 exs3_turn(graph *g, const ex33 *R, exs3 a)
{
    if (R->m[2][2] == EX_ONE && R->m[1][0] == ex_neg(R->m[0][1]) && R->m[0][0] == R->m[1][1]) {
        const ex s = R->m[1][0], c = R->m[0][0], ss = hmli_graph_mul(g, s, s), sc = hmli_graph_mul(g, s, c);
        const ex u = ex_sub(g, a.xx, a.yy), two = hmli_graph_number(g, 2), xy2 = hmli_graph_mul(g, two, a.xy);
        const ex w = hmli_graph_add(g, hmli_graph_mul(g, sc, xy2), hmli_graph_mul(g, ss, u));
        const ex xy = ex_sub(g, hmli_graph_add(g, a.xy, hmli_graph_mul(g, sc, u)), hmli_graph_mul(g, ss, xy2));
        return (exs3){ex_sub(g, a.xx, w),
                      xy,
                      ex_cross2(g, c, a.xz, s, a.yz),
                      hmli_graph_add(g, a.yy, w),
                      hmli_graph_add(g, hmli_graph_mul(g, s, a.xz), hmli_graph_mul(g, c, a.yz)),
                      a.zz};
    }
    const ex33 A = exs3_matrix(a);
    ex33 RA;
    for (int j = 0; j < 3; j++) {
        const ex3 column = ex33_turn(g, R, ex33_column(&A, j));
        RA.m[0][j] = column.x, RA.m[1][j] = column.y, RA.m[2][j] = column.z;
    }
    const ex3 x = ex33_turn(g, R, ex33_row(&RA, 0)), y = ex33_turn(g, R, ex33_row(&RA, 1));
    return (exs3){x.x, x.y, x.z, y.y, y.z, ex33_turn(g, R, ex33_row(&RA, 2)).z};
}

static inline ex_inertia inertia_step(graph *g, const ex33 *R, ex3 p, ex_inertia I)
{
    const ex3 h = ex33_turn(g, R, I.h), mp = ex3_scale(g, I.m, p);
    const ex3 middle = ex3_add(g, h, ex3_scale(g, hmli_graph_number(g, 0.5), mp));
    return (ex_inertia){I.m, ex3_add(g, h, mp), exs3_shift(g, exs3_turn(g, R, I.J), middle, p)};
}

static inline ex_inertia part_inertia_up(graph *g, const part *b, ex_inertia I)
{
    return inertia_step(g, &b->Rc, b->pc, inertia_step(g, &b->Rj, b->pj, I));
}

/* k of a composite with the momentum n, which is given in the same frame and comes back in the new one */
static inline exs3 k_step(graph *g, const ex33 *R, ex3 p, ex3 *n, exs3 k)
{
    *n = ex33_turn(g, R, *n);
    return exs3_shift(g, exs3_turn(g, R, k), *n, p);
}

static inline exs3 part_k_up(graph *g, const part *b, ex3 n, exs3 k)
{
    k = k_step(g, &b->Rj, b->pj, &n, k);
    return k_step(g, &b->Rc, b->pc, &n, k);
}

#endif
