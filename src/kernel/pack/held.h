/*
 * ν̇ and λ of a pack of states whose feet the world holds: the linearization of a pack with a stop in the middle, as
 * single/held.h has it for one state. A lane is a state.
 *
 *   M ν̇ + h = τ + Jᵀλ,  c = 0     W = M⁻¹ Jᵀ     K = J W     λ = −K⁻¹ c₀     ν̇ = ν̇₀ + W λ
 *
 * With N, T and G of pack/columns.h a row of J with the wrench x on the root is W = G (x + Tᵀ J) + N J. Lanes in which a
 * pivot of K is doubtful are left to single calls, which refine or decide about the rank.
 */
#ifndef HML_KERNEL_PACK_HELD_H
#define HML_KERNEL_PACK_HELD_H

#include "kernel/held.h"
#include "kernel/held_column.h"
#include "kernel/pack/linearize.h"

/* a foot in its tree */
typedef struct foot_place {
    const int32_t *path; /* columns below a free root that move it, in the plan's numbering */
    int32_t depth, row;  /* how many; its first row among the tree's */
    int32_t foot;        /* of the call */
} foot_place;

/* what the walk finds of it, in the root frame */
typedef struct foot_state {
    pose H;       /* of the frame */
    twist v, a;   /* of the body, less what the passes leave out; a without ν̇ */
    vec3 axis[3]; /* of its rows */
    twist error;  /* of a frame: log, in its own axes; of a point: its distance from the goal, in the root's */
    wrench force; /* λ, about the root's origin */
} foot_state;

/* right-hand sides of a column on their way */
typedef struct feet_column {
    num *b;        /* by q and ν, interleaved */
    num *turn;     /* m: how λ turns */
    int32_t *list; /* rows of the right-hand sides, which are columns of Q */
    int32_t count;
} feet_column;

typedef struct tree_feet {
    const held_pack_call *h;
    foot_state *feet;
    foot_place *places;
    int32_t nfeet, m;    /* of the tree */
    int32_t n;           /* columns below a free root */
    wrench *X;           /* m: the rows' wrenches on the root */
    num *J;              /* m × n */
    num *W;              /* columns of the tree × m */
    num *K;              /* m × m, then its inverse */
    num *c, *lambda;     /* m */
    num *E;              /* 2 m: of a column, by q and ν */
    num *turn;           /* m: of a column */
    num *Q;              /* columns of the tree + m, square: pack/held_columns.h */
    int32_t columns;     /* of the tree */
    feet_column *column; /* FEET_COLUMNS */
    uint8_t *on;         /* nfeet × n */
    int32_t *out;        /* m: the caller's rows */
} tree_feet;

static inline const held_foot *feet_foot(const tree_feet *p, int32_t foot) { return &p->h->feet[p->places[foot].foot]; }

/* ---- feet ---- */

/* the columns that move a body, below a free root */
static inline void feet_path(const tree_walk *w, int32_t body, foot_place *to)
{
    const plan_body *pb = plan_bodies(w->plan);
    const int32_t base = w->tree->base;
    while (body >= 0 && pb[body].nv == 0) body = pb[body].parent;
    to->depth = 0, to->path = NULL;
    if (body < 0 || (base && pb[body].parent < 0)) return;
    const int32_t last = pb[body].v + pb[body].nv - 1;
    to->path = column_path(w->paths, last) + base;
    to->depth = plan_columns(w->plan)[last].depth + 1 - base;
}

/* the feet of a tree */
static inline void feet_begin(const held_pack_call *h, const held_pack_memory *memory, const tree_walk *w, tree_feet *p)
{
    const plan_tree *tree = w->tree;
    const size_t all = (size_t)h->rows;
    num *row = (num *)memory->row;
    p->h = h;
    p->feet = (foot_state *)memory->feet, p->places = (foot_place *)memory->places;
    p->X = (wrench *)memory->X;
    p->J = (num *)memory->J, p->W = (num *)memory->W, p->K = (num *)memory->K;
    p->c = row, p->lambda = row + all, p->E = row + 2 * all, p->turn = row + 4 * all;
    p->Q = (num *)memory->Q, p->column = (feet_column *)memory->columns;
    p->columns = tree->end - tree->begin;
    for (size_t k = 0; k < FEET_COLUMNS; k++) {
        const size_t count = (size_t)w->plan->nv + all;
        p->column[k].b = (num *)memory->rhs + 2 * count * k;
        p->column[k].turn = (num *)memory->turns + all * k;
        p->column[k].list = memory->lists + count * k;
    }
    p->on = memory->on, p->out = memory->out;
    p->nfeet = p->m = 0;
    p->n = tree->end - tree_below(tree);
    memset(p->on, 0, (size_t)h->nfeet * (size_t)p->n);
    for (int32_t i = 0; i < h->nfeet; i++) {
        if (h->feet[i].body < tree->body_begin || h->feet[i].body >= tree->body_end) continue;
        foot_place *place = &p->places[p->nfeet];
        feet_path(w, h->feet[i].body, place);
        for (int32_t k = 0; k < place->depth; k++) p->on[p->nfeet * p->n + place->path[k] - tree_below(tree)] = 1;
        place->foot = i, place->row = p->m;
        for (int32_t d = 0; d < h->feet[i].rows; d++) p->out[p->m + d] = h->feet[i].out + d;
        p->m += h->feet[i].rows;
        p->nfeet++;
    }
}

/* the distance of a foot from its goal; W: the root in the world */
static inline twist feet_error(const held_foot *f, pose W, const foot_state *to)
{
    const double *g = f->goal;
    const vec3 o = vec3_of(K(g[3]), K(g[7]), K(g[11]));
    if (f->rows == 3) return twist_of(mat3_tmul_vec(W.R, vec3_sub(pose_act(W, to->H.p), o)), vec3_zero());
    const mat3 R = mat3_of(vec3_of(K(g[0]), K(g[4]), K(g[8])), vec3_of(K(g[1]), K(g[5]), K(g[9])),
                           vec3_of(K(g[2]), K(g[6]), K(g[10])));
    return se3_log(pose_between(pose_of(R, o), pose_mul(W, to->H)));
}

/* what is kept of a foot while the first walk is at its body */
static void feet_keep(const tree_feet *p, const tree_walk *w, int32_t body)
{
    const plan_body *b = &plan_bodies(w->plan)[body];
    const link_state *own = &w->links[b->level];
    const pose W = w->base->H;
    for (int32_t i = 0; i < p->nfeet; i++) {
        const held_foot *f = feet_foot(p, i);
        foot_state *to = &p->feet[i];
        if (f->body != body) continue;
        to->H = pose_mul(pose_mul(own->H, plan_pose(b->to_body)), plan_pose(f->placement));
        to->v = own->v, to->a = own->a;
        if (f->rows == 6)
            to->axis[0] = to->H.R.x, to->axis[1] = to->H.R.y, to->axis[2] = to->H.R.z;
        else
            to->axis[0] = vec3_of(W.R.x.x, W.R.y.x, W.R.z.x), to->axis[1] = vec3_of(W.R.x.y, W.R.y.y, W.R.z.y),
            to->axis[2] = vec3_of(W.R.x.z, W.R.y.z, W.R.z.z);
        to->error = f->stiffness > 0 ? feet_error(f, W, to) : twist_zero();
    }
}

/* row d of a foot: its wrench on the root */
NUM_INLINE wrench feet_wrench(const foot_state *f, int d)
{
    if (d >= 3) return wrench_of(vec3_zero(), f->axis[d - 3]);
    return wrench_of(f->axis[d], vec3_cross(f->H.p, f->axis[d]));
}

/* c of its rows without ν̇; g and u as in kernel/held_column.h */
static inline void feet_drift(const held_foot *f, const foot_state *x, vec3 g, vec3 u, num *c)
{
    const vec3 p = x->H.p, at = held_moved(x->v, p), velocity = vec3_add(at, u);
    const num damping = K(f->damping), stiffness = K(f->stiffness);
    vec3 linear = vec3_axpy(damping, velocity, vec3_add(held_moved(x->a, p), g));
    const vec3 angular = vec3_axpy(damping, x->v.w, x->a.w);
    if (f->rows == 6) {
        linear = vec3_sub(linear, vec3_cross(x->v.w, u));
        const num error[6] = {x->error.v.x, x->error.v.y, x->error.v.z, x->error.w.x, x->error.w.y, x->error.w.z};
        for (int d = 0; d < 6; d++) c[d] = vec3_dot(x->axis[d % 3], d < 3 ? linear : angular) + stiffness * error[d];
        return;
    }
    linear = vec3_axpy(stiffness, x->error.v, vec3_add(linear, vec3_cross(x->v.w, at)));
    for (int d = 0; d < 3; d++) c[d] = vec3_dot(x->axis[d], linear);
}

/* ---- rows ---- */

/* x, J and c without ν̇ */
static inline void feet_rows(const tree_feet *p, const tree_walk *w)
{
    const int32_t below = tree_below(w->tree);
    for (int32_t i = 0; i < p->m * p->n; i++) p->J[i] = K(0);
    for (int32_t i = 0; i < p->nfeet; i++) {
        const held_foot *f = feet_foot(p, i);
        const foot_place *place = &p->places[i];
        for (int d = 0; d < f->rows; d++) {
            const wrench x = feet_wrench(&p->feet[i], d);
            num *J = p->J + (place->row + d) * p->n;
            p->X[place->row + d] = x;
            for (int32_t k = 0; k < place->depth; k++)
                J[place->path[k] - below] = wrench_dot(x, w->rows[place->path[k]].S);
        }
        feet_drift(f, &p->feet[i], w->base->gravity, w->base->u, p->c + place->row);
    }
}

/* lanes in which a row moves nothing: see held_moves in single/held.h */
static inline mask feet_unmoved(const tree_feet *p, const tree_walk *w)
{
    const int32_t below = tree_below(w->tree);
    mask bad = num_lt(K(1), K(0));
    for (int32_t i = 0; i < p->nfeet && !w->tree->base; i++) {
        const foot_place *place = &p->places[i];
        const vec3 at = p->feet[i].H.p;
        num lever = K(0);
        for (int32_t k = 0; k < place->depth; k++) {
            const twist S = w->rows[place->path[k]].S;
            lever += vec3_dot(S.v, S.v) + vec3_dot(S.w, S.w) * (K(1) + vec3_dot(at, at));
        }
        for (int32_t r = place->row; r < place->row + feet_foot(p, i)->rows; r++) {
            num length = K(0);
            for (int32_t k = 0; k < place->depth; k++) {
                const num j = p->J[r * p->n + place->path[k] - below];
                length += j * j;
            }
            bad |= ~num_lt(K(1e-20) * lever, length);
        }
    }
    return bad;
}

/* ---- W, K and its inverse ---- */

/* column r of W; G: of the free root, rows of BASE6_STRIDE */
static inline void feet_response(const tree_feet *p, const tree_walk *w, const num *G, int32_t foot, int32_t r)
{
    const plan_tree *tree = w->tree;
    const foot_place *place = &p->places[foot];
    const int32_t below = tree_below(tree), m = p->m;
    const num *J = p->J + r * p->n;
    num *W = p->W + r;
    base6 s = base6_zero();
    if (tree->base) {
        const wrench x = p->X[r];
        s = base6_of(&x.f.x);
        for (int32_t k = 0; k < place->depth; k++)
            s = base6_axpy(J[place->path[k] - below], base6_load(factor_row(&w->f, place->path[k])), s);
    }
    for (int32_t i = 0; i < tree->end - tree->begin; i++, G += BASE6_STRIDE)
        W[i * m] =
            tree->base ? G[0] * s.r0 + G[1] * s.r1 + G[2] * s.r2 + G[3] * s.r3 + G[4] * s.r4 + G[5] * s.r5 : K(0);
    if (!place->depth) return;
    const int32_t block = tree->base ? place->path[0] : tree->begin, stop = plan_block_end(w->plan, tree, block);
    W += (block - tree->begin) * m;
    for (int32_t k = 0; k < place->depth; k++) {
        const num *N = block_row(&w->N, place->path[k]), j = J[place->path[k] - below];
        for (int32_t i = 0; i < stop - block; i++) W[i * m] += N[i] * j;
    }
}

/* rows of K: J W, the lower triangle and its mirror */
static inline void feet_gram(const tree_feet *p, const tree_walk *w)
{
    const plan_tree *tree = w->tree;
    const int32_t m = p->m, below = tree_below(tree);
    for (int32_t f = 0; f < p->nfeet; f++) {
        const foot_place *place = &p->places[f];
        for (int32_t r = place->row; r < place->row + feet_foot(p, f)->rows; r++) {
            const num *J = p->J + r * p->n,
                      x[6] = {p->X[r].f.x, p->X[r].f.y, p->X[r].f.z, p->X[r].t.x, p->X[r].t.y, p->X[r].t.z};
            for (int32_t s = 0; s <= r; s++) {
                const num *W = p->W + s;
                num sum = K(0);
                for (int32_t d = 0; d < tree->base; d++) sum += x[d] * W[d * m];
                for (int32_t k = 0; k < place->depth; k++)
                    sum += J[place->path[k] - below] * W[(place->path[k] - tree->begin) * m];
                p->K[r * m + s] = p->K[s * m + r] = sum;
            }
        }
    }
}

/* what a walk over the pivots of K finds: the largest ratio of a diagonal entry to its pivot, and lanes in doubt */
typedef struct feet_pivots {
    num ratio;
    mask doubt;
} feet_pivots;

/* 1/pivot; 1 where it is doubtful, so that nothing is divided by zero */
static inline num feet_reciprocal(num pivot, num diagonal, feet_pivots *found)
{
    const mask good = num_lt(diagonal, K(HELD_REFINE) * pivot);
    const num inverse = K(1) / num_select(good, pivot, K(1)), each = diagonal * inverse;
    found->doubt |= ~good;
    found->ratio = num_select(num_lt(found->ratio, each), each, found->ratio);
    return inverse;
}

/* the inverse of three rows and columns of K from row k on, by LDLᵀ */
static inline void feet_invert_three(const tree_feet *p, int32_t k, const num *diagonal, num B[3][3],
                                     feet_pivots *found)
{
    const num *r0 = p->K + k * (p->m + 1), *r1 = r0 + p->m, *r2 = r1 + p->m;
    const num d0 = feet_reciprocal(r0[0], diagonal[k], found), l1 = r1[0] * d0, l2 = r2[0] * d0;
    const num d1 = feet_reciprocal(r1[1] - l1 * r1[0], diagonal[k + 1], found), below = r2[1] - l2 * r1[0];
    const num l = below * d1, d2 = feet_reciprocal(r2[2] - l2 * r2[0] - l * below, diagonal[k + 2], found);
    const num far = l * l1 - l2; /* of L⁻¹, whose other entries are −l1 and −l */
    B[2][2] = d2, B[1][2] = B[2][1] = -l * d2, B[0][2] = B[2][0] = far * d2;
    B[1][1] = d1 + l * l * d2, B[0][1] = B[1][0] = -l1 * d1 - far * l * d2;
    B[0][0] = d0 + l1 * l1 * d1 + far * far * d2;
}

/* K ← −K⁻¹ in the rows and columns k … k + 2: a step of the sweeps of its lower triangle. u: 3 × m */
static inline void feet_sweep(const tree_feet *p, int32_t k, const num *diagonal, num *u, feet_pivots *found)
{
    const int32_t m = p->m;
    num B[3][3];
    feet_invert_three(p, k, diagonal, B, found);
    for (int c = 0; c < 3; c++) {
        for (int32_t r = 0; r < m; r++) u[3 * r + c] = r < k ? p->K[(k + c) * m + r] : p->K[r * m + k + c];
    }
    for (int32_t r = 0; r < m; r++) {
        const num *own = u + 3 * r;
        num *row = p->K + r * m, x[3];
        if (r >= k && r < k + 3) continue;
        for (int c = 0; c < 3; c++) x[c] = own[0] * B[0][c] + own[1] * B[1][c] + own[2] * B[2][c];
        for (int32_t s = 0; s <= r; s++) row[s] -= x[0] * u[3 * s] + x[1] * u[3 * s + 1] + x[2] * u[3 * s + 2];
        for (int c = 0; c < 3; c++) p->K[r < k ? (k + c) * m + r : r * m + k + c] = x[c];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c <= r; c++) p->K[(k + r) * m + k + c] = -B[r][c];
    }
}

/* K ← K⁻¹ by sweeps, three rows at a time, then mirrored; returns the lanes in which a pivot is doubtful */
static inline mask feet_inverse(const tree_feet *p)
{
    const int32_t m = p->m;
    num largest = K(0), smallest, *diagonal = p->E;
    feet_pivots found = {K(1), num_lt(K(1), K(0))};
    for (int32_t r = 0; r < m; r++) {
        diagonal[r] = p->K[r * (m + 1)];
        largest = num_select(num_lt(largest, diagonal[r]), diagonal[r], largest);
    }
    smallest = largest;
    for (int32_t r = 0; r < m; r++) smallest = num_select(num_lt(diagonal[r], smallest), diagonal[r], smallest);
    for (int32_t k = 0; k < m; k += 3) feet_sweep(p, k, diagonal, diagonal + m, &found);
    for (int32_t r = 0; r < m; r++) {
        for (int32_t s = 0; s <= r; s++) p->K[r * m + s] = p->K[s * m + r] = -p->K[r * m + s];
    }
    const num tolerance = K(100 * p->h->tolerance * p->h->tolerance);
    return found.doubt | ~num_lt(tolerance * largest * found.ratio, smallest);
}

/* ---- λ and ν̇ ---- */

/* λ, and ν̇ with it */
static inline void feet_motion(const tree_feet *p, const tree_walk *w)
{
    const plan_tree *tree = w->tree;
    const int32_t m = p->m, below = tree_below(tree);
    num *x = w->x + tree->begin;
    for (int32_t f = 0; f < p->nfeet; f++) {
        const foot_place *place = &p->places[f];
        for (int32_t r = place->row; r < place->row + feet_foot(p, f)->rows; r++) {
            num sum = p->c[r];
            if (tree->base) sum += wrench_dot(p->X[r], twist_of(vec3_at(x), vec3_at(x + 3)));
            for (int32_t k = 0; k < place->depth; k++)
                sum += p->J[r * p->n + place->path[k] - below] * w->x[place->path[k]];
            p->c[r] = sum;
        }
    }
    for (int32_t r = 0; r < m; r++) {
        num sum = K(0);
        for (int32_t s = 0; s < m; s++) sum -= p->K[r * m + s] * p->c[s];
        p->lambda[r] = sum;
    }
    for (int32_t i = 0; i < tree->end - tree->begin; i++) {
        for (int32_t r = 0; r < m; r++) x[i] += p->W[i * m + r] * p->lambda[r];
    }
    for (int32_t f = 0; f < p->nfeet; f++) {
        const num *l = p->lambda + p->places[f].row;
        wrench force = wrench_zero();
        for (int d = 0; d < feet_foot(p, f)->rows; d++)
            force = wrench_add(force, wrench_scale(l[d], feet_wrench(&p->feet[f], d)));
        p->feet[f].force = force;
    }
}

/* N, T and ν̇ without λ */
static inline void feet_solve_free(const tree_walk *w)
{
    const plan_tree *tree = w->tree;
    for (int32_t c = tree->begin; c < tree_below(tree); c++) w->x[c] = factor_back(tree, &w->f, c, w->b, w->x);
    for (int32_t block = tree_below(tree), stop; block < tree->end; block = stop) {
        stop = plan_block_end(w->plan, tree, block);
        for (int32_t c = block; c < stop; c++)
            w->x[c] = inverse_row(w->plan, w->paths, tree, &w->f, &w->N, block, c, w->b, w->x);
    }
}

/* the second walk, with ν̇ known and λ on the feet */
static inline void feet_walk_second(const tree_feet *p, const tree_walk *w)
{
    const plan_body *pb = plan_bodies(w->plan);
    const plan_tree *tree = w->tree;
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        second_out_with(0, w, &pb[i], 0);
        for (int32_t f = 0; f < p->nfeet; f++) {
            wrench *G = &w->links[pb[i].level].G;
            if (feet_foot(p, f)->body == i) *G = wrench_sub(*G, p->feet[f].force);
        }
        for (int32_t j = i; j > tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) second_back(w, &pb[j], j);
    }
}

#endif
