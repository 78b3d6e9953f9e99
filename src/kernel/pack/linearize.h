/*
 * The kernels: a pack of states in, results out. The stages are in kernel/composite.h, pack/ltdl.h, pack/passive.h,
 * pack/columns.h and pack/forward_dynamics.h; here they are put in order.
 */
#ifndef HML_KERNEL_PACK_LINEARIZE_H
#define HML_KERNEL_PACK_LINEARIZE_H

#include "kernel/pack/forward_dynamics.h"

#include "kernel/call.h"
#include "kernel/pack/columns.h"

/* ---- scratch ---- */

typedef struct scratch_cursor {
    char *at;
    size_t used;
} scratch_cursor;

static inline void *scratch_take(scratch_cursor *c, size_t bytes)
{
    void *p = c->at ? c->at + c->used : NULL;
    c->used += (bytes + 63) / 64 * 64;
    return p;
}

/* what inverse dynamics keeps of every body, and what other algorithms read of it afterwards */
typedef struct tree_scratch {
    body_state *bodies;
    column_state *columns;
    wrench *G;         /* nbodies */
    mass_factor f;     /* of the last linearization */
    num *b, *x;        /* nv each */
    base_motion *base; /* ntrees */
    num *springs;      /* nv × PASSIVE_LD: ∂h/∂q of the springs, see pack/passive.h */
} tree_scratch;

typedef struct kernel_scratch {
    tree_scratch s;
    num *q, *v, *tau;
    num *sine, *cosine; /* of q's numbers, where they are angles */
    /* linearization, in the place of bodies and columns */
    link_state *links;
    composite *sums;
    branch_row *rows;
    branch_column *columns;
    twist *Sd;
    base_block *block;
    block_inverse N;
    equations e;
    /* forward dynamics alone, there too */
    articulated_link *articulated;
    articulated_column *solver;
} kernel_scratch;

/* lays the scratch out from memory, or only measures it when memory is NULL; returns its size in bytes */
static inline size_t kernel_scratch_lay(const hml_plan *plan, void *memory, kernel_scratch *k)
{
    scratch_cursor c, other, forward;
    size_t nb = (size_t)plan->nbodies, nv = (size_t)plan->nv, depth = (size_t)plan->depth, rows = depth ? nv : 0;
    c.at = (char *)memory;
    c.used = 0;
    k->s.base = (base_motion *)scratch_take(&c, (size_t)plan->ntrees * sizeof(base_motion));
    k->q = (num *)scratch_take(&c, (size_t)plan->nq * sizeof(num));
    k->v = (num *)scratch_take(&c, nv * sizeof(num));
    k->tau = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.b = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.x = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.springs = (num *)scratch_take(&c, nv * PASSIVE_LD * sizeof(num));
    k->sine = (num *)scratch_take(&c, sines_size(plan));
    k->cosine = (num *)scratch_take(&c, sines_size(plan));
    other = forward = c;
    k->s.bodies = (body_state *)scratch_take(&c, nb * sizeof(body_state));
    k->s.columns = (column_state *)scratch_take(&c, nv * sizeof(column_state));
    k->s.G = (wrench *)scratch_take(&c, nb * sizeof(wrench));
    k->links = (link_state *)scratch_take(&other, (size_t)plan->levels * sizeof(link_state));
    k->rows = (branch_row *)scratch_take(&other, nv * sizeof(branch_row));
    k->columns = (branch_column *)scratch_take(&other, nv * sizeof(branch_column));
    k->Sd = (twist *)scratch_take(&other, nv * sizeof(twist));
    k->sums = (composite *)scratch_take(&other, nb * sizeof(composite));
    k->block = (base_block *)scratch_take(&other, sizeof(base_block));
    k->solver = (articulated_column *)scratch_take(&forward, nv * sizeof(articulated_column));
    k->articulated = (articulated_link *)scratch_take(&forward, (size_t)plan->levels * sizeof(articulated_link));
    if (other.used > c.used) c = other;
    if (forward.used > c.used) c = forward;
    /* what grows with the depth comes last: a workspace for the tree alone ends here */
    k->s.f.ld = factor_ld(plan);
    k->s.f.diagonal = (num *)scratch_take(&c, rows * sizeof(num));
    k->s.f.rows = (num *)scratch_take(&c, rows * (size_t)k->s.f.ld * sizeof(num));
    k->N.ld = plan->block;
    k->N.rows = (num *)scratch_take(&c, rows * (size_t)plan->block * sizeof(num));
    k->e.b_ld = 2 * plan->nv;
    k->e.b = (num *)scratch_take(&c, 2 * rows * STRETCH * sizeof(num));
    k->e.turn = (num *)scratch_take(&c, 3 * rows * sizeof(num));
    k->e.springs = k->s.springs;
    const size_t size = rows ? sheet_size(plan) : 0;
    k->e.page.packs = (num *)scratch_take(&c, size * sizeof(num));
    k->e.page.rows = (sheet_row *)scratch_take(&c, rows * sheet_panels(plan) * sizeof(sheet_row));
    k->e.page.unwanted = (lane *)scratch_take(&c, (rows + STRETCH) * sizeof(lane));
    k->e.page.stride = size / 8 % 2 ? size : size + 8; /* in an odd number of lines, states do not meet in the cache */
#if LANES > 1
    k->e.page.states = (entry *)scratch_take(&c, LANES * (size ? k->e.page.stride : 0) * sizeof(entry));
#else
    k->e.page.states = k->e.page.packs;
#endif
    return c.used;
}

static inline size_t kernel_scratch_size(const hml_plan *plan)
{
    kernel_scratch k;
    return kernel_scratch_lay(plan, NULL, &k);
}

/* ---- stages that every kernel shares ---- */

/* the external wrench on body i, given in its own frame, in the root frame where its plan frame is H */
static inline wrench body_wrench(const kernel_call *call, int32_t i, pose H)
{
    num f[6];
    for (int32_t k = 0; k < 6; k++) f[k] = kernel_load(call->wrenches, call->count, 6 * i + k);
    return pose_ad_dual(pose_mul(H, plan_pose(plan_bodies(call->plan)[i].to_body)),
                        wrench_of(vec3_of(f[0], f[1], f[2]), vec3_of(f[3], f[4], f[5])));
}

static inline void apply_wrenches(const kernel_call *call, const plan_tree *tree, body_state *bodies)
{
    for (int32_t i = tree->body_begin; call->wrenches.data && i < tree->body_end; i++) {
        bodies[i].sum.f = wrench_sub(bodies[i].sum.f, body_wrench(call, i, bodies[i].H));
    }
}

static inline void add_vec3(num *x, vec3 a) { x[0] += a.x, x[1] += a.y, x[2] += a.z; }

/* armature on a free root's linear coordinates resists base_acceleration too */
static inline vec3 base_armature(const hml_plan *plan, const plan_tree *tree, vec3 a)
{
    const model_coordinate *passive = plan_coordinates(plan) + tree->begin;
    return vec3_of(K(-passive[0].armature) * a.x, K(-passive[1].armature) * a.y, K(-passive[2].armature) * a.z);
}

static inline void kernel_load_state(const kernel_call *call, kernel_scratch *k)
{
    kernel_scratch_lay(call->plan, call->scratch, k);
    kernel_load_all(call->q, call->count, call->plan->nq, k->q);
    kernel_load_all(call->v, call->count, call->plan->nv, k->v);
}

static inline walk kernel_walk(const kernel_call *call, const kernel_scratch *k, int32_t index)
{
    walk w;
    w.plan = call->plan;
    w.paths = call->paths;
    w.tree = &plan_trees(call->plan)[index];
    w.gravity = call->gravity;
    w.q = k->q;
    w.v = k->v;
    w.sine = k->sine, w.cosine = k->cosine;
    w.links = k->links;
    w.sums = k->sums;
    w.rows = k->rows;
    w.columns = k->columns;
    w.Sd = k->Sd;
    w.f = k->s.f;
    w.block = k->block;
    w.b = k->s.b;
    w.x = k->s.x;
    w.base = &k->s.base[index];
    w.N = k->N;
    return w;
}

/* the block of a free root, before anything is eliminated from it */
static inline void walk_clear(const walk *w)
{
    for (int32_t e = 0; e < w->tree->base; e++) {
        for (int32_t d = 0; d <= e; d++) w->block->m[e][d] = K(0);
    }
}

/* the first walk: poses to the factors of M and a half-solved right-hand side. Returns the lanes with a singular M. */
static inline mask walk_first(const kernel_call *call, const kernel_scratch *k, const walk *w)
{
    const plan_body *pb = plan_bodies(w->plan);
    const plan_tree *tree = w->tree;
    mask failed = num_lt(K(1), K(0));
    for (int32_t c = tree->begin; c < tree->end; c++) w->b[c] = k->tau[c];
    walk_clear(w);
    if (call->passive) passive_forces(w->plan, tree, k->q, k->v, w->b, k->s.springs);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        if (i > tree->body_begin)
            link_out(w, &pb[i], i);
        else
            root_out(w, &pb[i]);
        if (call->wrenches.data) {
            wrench *f = &w->sums[i].f;
            *f = wrench_sub(*f, body_wrench(call, i, w->links[pb[i].level].H));
        }
        if (i == tree->body_begin && tree->base && call->passive) {
            add_vec3(&w->b[tree->begin], base_armature(w->plan, tree, base_acceleration(w->base, &w->v[tree->begin])));
        }
        for (int32_t j = i; j >= tree->body_begin && pb[j].end == i + 1; j = pb[j].parent)
            link_back(w, &pb[j], j, &failed);
    }
    return failed;
}

/* ---- linearization ---- */

/* the second walk: ν̇ and what the columns need */
static inline void walk_second(const walk *w)
{
    const plan_body *pb = plan_bodies(w->plan);
    const plan_tree *tree = w->tree;
    int32_t block = tree_below(tree), stop = block < tree->end ? plan_block_end(w->plan, tree, block) : tree->end;
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        /* blocks are ranges of columns; a body without columns (fixed, kept) on the root may carry several of them */
        if (pb[i].v == stop && stop < tree->end) block = stop, stop = plan_block_end(w->plan, tree, block);
        link_accelerate(w, &pb[i], block);
        for (int32_t j = i; j > tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) link_forces(w, &pb[j], j);
    }
}

/* what springs, damping and armature add to the right-hand sides of a free root's columns, by rows of six */
static inline void base_passive(const walk *w, const num *springs, num *sq, num *sv)
{
    const plan_tree *tree = w->tree;
    for (int32_t k = 0; k < 6; k++) {
        vec3 dq, dv;
        base_derivative(k, w->base, &w->v[tree->begin], &dq, &dv);
        dq = base_armature(w->plan, tree, dq), dv = base_armature(w->plan, tree, dv);
        for (int32_t i = 0; i < 6; i++) {
            sq[6 * i + k] += springs[(tree->begin + i) * PASSIVE_LD + k];
            if (i < 3) sq[6 * i + k] -= vec3_entry(dq, i), sv[6 * i + k] -= vec3_entry(dv, i);
        }
        sv[6 * k + k] += K(plan_coordinates(w->plan)[tree->begin + k].damping);
    }
}

/* the columns of a free root, G among them, into a new sheet */
static inline void base_columns(const walk *w, equations *e, int passive)
{
    const plan_tree *tree = w->tree;
    const int32_t n = tree->end - tree->begin;
    sheet *s = &e->page;
    num sq[36], sv[36];
    for (int32_t i = 0; i < 36; i++) sq[i] = sv[i] = K(0);
    s->G = sheet_take(s, n * SIX_SPAN);
    s->Dv = sheet_take(s, n * 6);
    s->Dq_rows = passive ? n : 3;
    s->Dq = sheet_take(s, s->Dq_rows * 6);
    num *G = s->packs + s->G, *Dv = s->packs + s->Dv, *Dq = s->packs + s->Dq;
    base_response(w, G);
    base_turn(w, e->turn, sv);
    if (passive) {
        base_passive(w, e->springs, sq, sv);
        base_product(w, G, sq, 0, Dq);
        base_product(w, G, sv, 0, Dv);
    } else {
        for (int32_t i = 0; i < 18; i++) Dq[i] = K(0);
        base_product(w, G, sv, 3, Dv);
    }
    for (int32_t c = tree_below(tree), end; c < tree->end; c = end) {
        end = plan_block_end(w->plan, tree, c);
        base_product_block(w, e->turn, c, end, Dv);
    }
    for (int32_t k = 0; k < 6; k++) {
        vec3 dq, dv;
        base_derivative(k, w->base, &w->v[tree->begin], &dq, &dv);
        Dq[k] += dq.x, Dq[6 + k] += dq.y, Dq[12 + k] += dq.z;
        Dv[k] += dv.x, Dv[6 + k] += dv.y, Dv[12 + k] += dv.z;
    }
}

/* where the rows of a tree are in the matrices of state l */
static inline lane *tree_output(kernel_output out, const plan_tree *tree, int l, lane *unwanted)
{
    if (!out.data) return unwanted;
    return out.data + (size_t)l * out.stride + (size_t)tree->begin * out.ld + tree->begin;
}

/* all that is on the sheet, to the matrices; first: it is the tree's first */
static inline void sheet_finish(const kernel_call *call, const plan_tree *tree, const sheet *s, int first)
{
    const int32_t rows = tree->end - tree->begin;
    const kernel_output q = call->Dq, v = call->Dv, m = call->Minv;
    for (int l = 0; l < call->count; l++) {
        const entry *x = s->states + (size_t)l * s->stride;
        const sheet_target to = {tree_output(q, tree, l, s->unwanted),
                                 tree_output(v, tree, l, s->unwanted),
                                 tree_output(m, tree, l, s->unwanted),
                                 q.data ? q.ld : 0,
                                 v.data ? v.ld : 0,
                                 m.data ? m.ld : 0};
        if (tree->base)
            sheet_finish_state(1, s, x, rows, &to, first);
        else
            sheet_finish_state(0, s, x, rows, &to, first);
    }
}

/* the matrices of a tree, a sheet of columns after the other */
static inline void tree_matrices(const kernel_call *call, const walk *w, equations *e)
{
    const plan_tree *tree = w->tree;
    sheet *s = &e->page;
    int32_t c = tree_below(tree), fixed, begin = 0;
    s->used = 0;
    if (tree->base) base_columns(w, e, call->passive);
    fixed = s->used;
    do {
        s->used = fixed, s->npanels = 0;
        for (; s->npanels < SHEET_PANELS && c < tree->end; c += STRETCH) {
            panel_columns(w, e, call->passive, c, tree->end - c < STRETCH ? tree->end - c : STRETCH);
        }
        sheet_turn(s, begin);
        sheet_finish(call, tree, s, begin == 0);
        begin = fixed;
    } while (c < tree->end);
}

/* entries between different trees */
static inline void clear_between(const kernel_call *call, kernel_output out)
{
    size_t nv = (size_t)call->plan->nv;
    for (size_t l = 0; out.data && l < (size_t)call->count; l++) {
        for (size_t i = 0; i < nv; i++) memset(out.data + l * out.stride + i * out.ld, 0, nv * sizeof(lane));
    }
}

static inline unsigned kernel_linearize(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, plan->nv, k.tau);
    mask failed = kernel_bad_state(plan, k.q, k.v, call->tau.data ? k.tau : NULL);
    local_sines(plan, k.q, k.sine, k.cosine);
    if (plan->ntrees > 1) {
        clear_between(call, call->Dq);
        clear_between(call, call->Dv);
        clear_between(call, call->Minv);
    }
    for (int32_t t = 0; t < plan->ntrees; t++) {
        walk w = kernel_walk(call, &k, t);
        failed |= walk_first(call, &k, &w);
        walk_second(&w);
        tree_matrices(call, &w, &k.e);
        if (w.tree->base) add_vec3(&k.s.x[w.tree->begin], base_acceleration(w.base, &k.v[w.tree->begin]));
    }
    if (call->acceleration.data) kernel_store_run(call->acceleration, call->count, 0, 0, plan->nv, k.s.x);
    return num_lanes(failed);
}

/* ---- forward dynamics alone ---- */

static inline articulated_walk kernel_articulated(const kernel_call *call, const kernel_scratch *k)
{
    articulated_walk w;
    w.plan = call->plan;
    w.gravity = call->gravity;
    w.q = k->q;
    w.v = k->v;
    w.links = k->articulated;
    w.columns = k->solver;
    w.base = k->s.base;
    w.sine = k->sine, w.cosine = k->cosine;
    w.x = k->tau;
    return w;
}

static inline unsigned kernel_forward_dynamics(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, plan->nv, k.tau);
    mask failed = kernel_bad_state(plan, k.q, k.v, call->tau.data ? k.tau : NULL);
    articulated_walk w = kernel_articulated(call, &k);
    local_sines(plan, k.q, k.sine, k.cosine);
    for (int32_t t = 0; t < plan->ntrees; t++, w.base++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        num doubt = K(0);
        if (call->passive) passive_forces(plan, tree, k.q, k.v, w.x, k.s.springs);
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            articulated_link *own = &w.links[pb[i].level];
            articulated_out(&w, i);
            if (call->wrenches.data) own->f = wrench_sub(own->f, body_wrench(call, i, own->H));
            if (i == tree->body_begin && tree->base && call->passive) {
                vec3 a = base_acceleration(w.base, &k.v[tree->begin]);
                add_vec3(&w.x[tree->begin], base_armature(plan, tree, a));
            }
            articulated_back_from(&w, tree, i, &doubt);
        }
        articulated_out_again(&w, tree);
        if (num_any(articulated_doubtful(doubt))) failed |= articulated_singular(&w, tree);
        if (tree->base) add_vec3(&w.x[tree->begin], base_acceleration(w.base, &k.v[tree->begin]));
    }
    if (call->acceleration.data) kernel_store_run(call->acceleration, call->count, 0, 0, plan->nv, k.tau);
    return num_lanes(failed);
}

#endif
