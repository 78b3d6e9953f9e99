/*
 * The linearization of one state: kernel_linearize.h for a single call, where lanes are bodies and columns. The passes
 * are in single_motion.h, M⁻¹ in single_inverse.h, most columns in single_panels.h; here are those of a free root, and
 * the whole.
 *
 * Armature, damping or springs on a free root, and pivots that vanish are left to kernel_linearize.h.
 */
#ifndef HML_ALGO_SINGLE_LINEARIZE_H
#define HML_ALGO_SINGLE_LINEARIZE_H

#include "algo/single_panels.h"

/* ---- the columns of a free root ---- */

/* three packs, a column of a matrix each, to LANES rows of it or fewer */
NUM_INLINE void single_columns_out(vec3 x, double *to, size_t ld, int32_t rows)
{
    num t[LANES];
    for (int l = 0; l < LANES; l++) t[l] = K(0);
    t[0] = x.x, t[1] = x.y, t[2] = x.z;
    num_transpose(t);
    if (rows >= LANES) {
        for (int l = 0; l < LANES; l++) num_store_part(to + (size_t)l * ld, 3, t[l]);
    } else {
        for (int32_t l = 0; l < rows; l++) num_store_part(to + (size_t)l * ld, 3, t[l]);
    }
}

/* G s for LANES rows of G from `from` on; s: three columns, which are rows of numbers here */
NUM_INLINE vec3 single_turned(const double *from, double (*s)[ROW])
{
    num G[ROW];
    vec3 x = vec3_zero();
    rows_in(from, ROW, G);
    for (int d = 0; d < 6; d++) {
        const int e = row_place(d);
        x.x += s[0][e] * G[e], x.y += s[1][e] * G[e], x.z += s[2][e] * G[e];
    }
    return x;
}

/* the first six numbers of the rows of D_q, the first three of D_ν */
static inline void single_base_rows(const single_solver *m, single_output Dq, single_output Dv)
{
    const quad zero = {0, 0, 0, 0};
    for (int32_t i = 0; i < 6 + m->t.n; i++, Dq.to += Dq.ld, Dv.to += Dv.ld) {
        *(quad_anywhere *)Dq.to = zero, *(quad_anywhere *)(Dq.to + 2) = zero;
        Dv.to[0] = Dv.to[1] = Dv.to[2] = 0;
    }
}

/* gravity × e, e × ω and u × e: what the passes left out, three columns each */
static inline void single_base_motion(const single_tree *t, single_output Dq, single_output Dv)
{
    const double *w = t->v + ROW + 4, *g = t->gravity, *u = t->velocity;
    double *q0 = Dq.to + 3, *q1 = q0 + Dq.ld, *q2 = q1 + Dq.ld, *v0 = Dv.to, *v1 = v0 + Dv.ld, *v2 = v1 + Dv.ld;
    q0[0] = 0, q0[1] = -g[2], q0[2] = g[1];
    q1[0] = g[2], q1[1] = 0, q1[2] = -g[0];
    q2[0] = -g[1], q2[1] = g[0], q2[2] = 0;
    v0[0] = 0, v0[1] = w[2], v0[2] = -w[1], v0[4] -= u[2], v0[5] += u[1];
    v1[0] = -w[2], v1[1] = 0, v1[2] = w[0], v1[3] += u[2], v1[5] -= u[0];
    v2[0] = w[1], v2[1] = -w[0], v2[2] = 0, v2[3] -= u[1], v2[4] += u[0];
}

/* columns of a symmetric matrix from its six numbers */
NUM_INLINE void quads_of_sym(const double *x, quad c[3])
{
    const quad low = quad_from(x), high = quad_from(x + 2);
    c[0] = low;
    c[1] = __builtin_shufflevector(low, high, 1, 3, 6, 6);
    c[2] = __builtin_shufflevector(high, high, 0, 2, 3, 3);
}

/* −(2B + I ω^): what its angular velocity does to the forces on the root itself; three columns, rows here */
static inline void single_base_root(const double *sum, const double *omega, double s[3][ROW])
{
    const quad h = quad_from(sum + 1), n = quad_from(sum + 10), t = quad_from(sum + 13), w = quad_from(omega);
    quad J[3], K[3]; /* fourth numbers are of no use, here as above */
    quads_of_sym(sum + 4, J);
    quads_of_sym(sum + 16, K);
    for (int e = 0; e < 3; e++) {
        const quad turned = quad_cross(w, unit4[e]);
        quads_put(s[e], 2 * quad_cross(n, unit4[e]) + quad_cross(h, turned),
                  quad_cross(t, unit4[e]) - K[e] - J[0] * turned[0] - J[1] * turned[1] - J[2] * turned[2]);
    }
}

/*
 * Of its motion only the angular velocity has right-hand sides: rows −(g + F × ω) below and −(2B + I ω^) of the root.
 * Three columns are few for lanes; rows are many, and N is symmetric: here a lane is a row.
 */
static inline void single_base_columns(const single_solver *m, const single_panel *p)
{
    const single_tree *t = &m->t;
    const kernel_call *call = t->call;
    const int32_t begin = t->tree->begin, n = t->n, below = t->below;
    const double *omega = t->v + ROW + 4, *I = t->sum + SUM, *G = m->response;
    const vec3 w = vec3_of(K(omega[0]), K(omega[1]), K(omega[2]));
    const single_output Dq = single_output_at(p, call->Dq, begin, begin);
    const single_output Dv = single_output_at(p, call->Dv, begin, begin);
    double *b = (double *)p->b, *to = Dv.to + 3, s[3][ROW]; /* b: three rows of as many numbers as N has */
    double *bx = b, *by = b + m->ld, *bz = by + m->ld;
    single_base_root(I, omega, s);
    for (int32_t k = 0; k < t->packs; k++) {
        const column_pack *c = &t->pack[k];
        const vec3 r = vec3_neg(vec3_add(c->g, vec3_cross(c->F.t, w)));
        pack_put(bx + k * LANES, r.x), pack_put(by + k * LANES, r.y), pack_put(bz + k * LANES, r.z);
    }
    row8 s0 = row_at(s[0]), s1 = row_at(s[1]), s2 = row_at(s[2]);
    const double *R = m->R;
    for (int32_t i = 0; i < n; i++, R += ROW) {
        const row8 x = row_at(R);
        s0 = row_less(bx[i], x, s0), s1 = row_less(by[i], x, s1), s2 = row_less(bz[i], x, s2);
    }
    row_put(s[0], s0), row_put(s[1], s1), row_put(s[2], s2);
    single_base_rows(m, Dq, Dv);
    single_inverse_base(m, single_output_at(p, call->Minv, begin, begin));
    for (int32_t i = 0; i < 6; i += LANES, to += LANES * Dv.ld)
        single_columns_out(single_turned(G + i * ROW, s), to, Dv.ld, 6 - i);
    to = Dv.to + 3 + 6 * Dv.ld;
    int32_t from = 0, next = 0; /* the block of the first row of a pack, and where it ends */
    for (int32_t i = 0; i < n; i += LANES, to += LANES * Dv.ld) {
        const int32_t stop = i + LANES < n ? i + LANES : n;
        vec3 x = single_turned(G + (6 + i) * ROW, s);
        while (next <= i) from = next, next = plan_block_end(call->plan, t->tree, below + from) - below;
        int32_t end = next; /* of the last one that it reaches */
        while (end < stop) end = plan_block_end(call->plan, t->tree, below + end) - below;
        const double *N = m->N + (size_t)from * m->ld + i;
        for (int32_t j = from; j < end; j++, N += m->ld) {
            const num y = pack_at(N);
            x.x += bx[j] * y, x.y += by[j] * y, x.z += bz[j] * y;
        }
        single_columns_out(x, to, Dv.ld, n - i);
    }
    single_base_motion(t, Dq, Dv);
}

/* ---- the whole ---- */

static inline size_t single_scratch_lay(const hml_plan *plan, void *memory, single_solver *m, single_panel *p,
                                        num **passive)
{
    const size_t packs = ((size_t)plan->nv + LANES - 1) / LANES, columns = packs * LANES;
    const size_t slots = (size_t)plan->nbodies + 1 + LANES, row = ROW * sizeof(double);
    const size_t forces = (size_t)plan->nq + (size_t)plan->nv * (2 + PASSIVE_LD);
    single_tree *t = &m->t;
    scratch_cursor c;
    c.at = (char *)memory;
    c.used = 0;
    t->sine = (double *)scratch_take(&c, ((size_t)plan->nq + LANES) * sizeof(double));
    t->cosine = (double *)scratch_take(&c, ((size_t)plan->nq + LANES) * sizeof(double));
    t->tau = (double *)scratch_take(&c, ((size_t)plan->nv + LANES) * sizeof(double));
    t->x = (double *)scratch_take(&c, (size_t)plan->nv * sizeof(double));
    t->H = (frame4 *)scratch_take(&c, slots * sizeof(frame4));
    t->v = (double *)scratch_take(&c, slots * row);
    t->a = (double *)scratch_take(&c, slots * row);
    t->da = (double *)scratch_take(&c, slots * row);
    t->G = (double *)scratch_take(&c, slots * row);
    t->sum = (double *)scratch_take(&c, slots * SUM * sizeof(double));
    t->S = (double *)scratch_take(&c, columns * row);
    t->Pd = (double *)scratch_take(&c, columns * row);
    t->F = (double *)scratch_take(&c, columns * row);
    t->g = (double *)scratch_take(&c, columns * row);
    t->pack = (column_pack *)scratch_take(&c, packs * sizeof(column_pack));
    m->R = (double *)scratch_take(&c, columns * row);
    m->response = (double *)scratch_take(&c, (columns + 6) * row);
    m->diagonal = (double *)scratch_take(&c, columns * sizeof(double));
    m->ld = columns;
    m->N = (double *)scratch_take(&c, (size_t)plan->nv * columns * sizeof(double));
    p->b = (single_pair *)scratch_take(&c, columns * sizeof(single_pair));
    p->runs = (panel_run *)scratch_take(&c, (columns + 1) * sizeof(panel_run));
    p->clipped = (panel_run *)scratch_take(&c, (columns + 1) * sizeof(panel_run));
    p->nowhere = (double *)scratch_take(&c, row);
    *passive = (num *)scratch_take(&c, plan->passive ? forces * sizeof(num) : 0);
    return c.used;
}

static inline size_t single_scratch_size(const hml_plan *plan)
{
    single_solver m;
    single_panel p;
    num *passive;
    return single_scratch_lay(plan, NULL, &m, &p, &passive);
}

static inline void single_tree_begin(single_tree *t, int32_t index)
{
    const hml_plan *plan = t->call->plan;
    const topology *paths = t->call->paths;
    const plan_tree *tree = &plan_trees(plan)[index];
    t->tree = tree;
    t->bodies = plan_bodies(plan) + tree->body_begin;
    t->parent = paths->parent + tree->body_begin;
    t->own = paths->own + topology_columns(tree, index);
    t->up = paths->up + topology_columns(tree, index);
    t->nbodies = tree->body_end - tree->body_begin;
    t->below = tree_below(tree);
    t->n = tree->end - t->below;
    t->packs = (t->n + LANES - 1) / LANES;
}

static inline void single_tree_linearize(single_solver *m, single_panel *p)
{
    single_tree *t = &m->t;
    single_poses_out(t);
    single_rates(t);
    single_accumulate(t, t->a, t->Pd, t->nu);
    single_bodies(t, 1);
    single_loads(t, 1);
    single_solve(m);
    single_second_out(t);
    single_responses(t);
    if (t->tree->base) single_base_columns(m, p);
    for (int32_t c = 0; c < t->n; c += LANES) single_panel_columns(m, p, c);
    if (!t->tree->base) return;
    const double *w = t->v + ROW + 4, *u = t->velocity; /* gravity − ω × u was left out */
    double *x = t->x + t->tree->begin;
    x[0] += t->gravity[0] - (w[1] * u[2] - w[2] * u[1]);
    x[1] += t->gravity[1] - (w[2] * u[0] - w[0] * u[2]);
    x[2] += t->gravity[2] - (w[0] * u[1] - w[1] * u[0]);
}

/* too few columns for lanes, or armature, damping or a spring on a free root? */
static inline int single_unfit(const hml_plan *plan)
{
    if (plan->nv < 3) return 1;
    if (!plan->passive) return 0;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        const plan_tree *tree = &plan_trees(plan)[i];
        const model_coordinate *c = plan_coordinates(plan) + tree->begin;
        for (int32_t k = 0; k < tree->base; k++) {
            if (c[k].armature != 0 || c[k].damping != 0 || c[k].stiffness != 0) return 1;
        }
    }
    return 0;
}

/* τ less what damping and springs take; those are rare enough to be computed in packs. Returns the springs' ∂h/∂q */
static inline const num *single_passive_forces(const kernel_call *call, num *q, double *left)
{
    const hml_plan *plan = call->plan;
    num *v = q + plan->nq, *tau = v + plan->nv, *springs = tau + plan->nv;
    kernel_load_all(call->q, 1, plan->nq, q);
    kernel_load_all(call->v, 1, plan->nv, v);
    kernel_load_all(call->tau, 1, plan->nv, tau);
    for (int32_t i = 0; i < plan->ntrees; i++) passive_forces(plan, &plan_trees(plan)[i], q, v, tau, springs);
    for (int32_t c = 0; c < plan->nv; c++) left[c] = num_get(tau[c], 0);
    return springs;
}

static inline int single_state_is_good(const kernel_call *call)
{
    const size_t nv = (size_t)call->plan->nv;
    bits bad = not_finite_bits(nv, call->v.data, num_to_bits(K(0)));
    if (call->tau.data) bad = not_finite_bits(nv, call->tau.data, bad);
    return !num_any((mask)(bad != 0)) && state_is_good(call->plan, call->q.data);
}

/* 1: not for this kernel, what it has written is of no use */
static inline unsigned single_linearize(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const size_t nv = (size_t)plan->nv;
    single_solver m;
    single_panel p;
    single_tree *t = &m.t;
    num *passive;
    if (single_unfit(plan) || !single_state_is_good(call)) return 1;
    single_scratch_lay(plan, call->scratch, &m, &p, &passive);
    memset(t->tau, 0, (nv + LANES) * sizeof *t->tau);
    if (call->tau.data) memcpy(t->tau, call->tau.data, nv * sizeof *t->tau);
    if (call->passive) p.springs = single_passive_forces(call, passive, t->tau);
    range_sincos(call->q.data, plan->angles_begin, plan->angles_end, t->sine, t->cosine);
    if (plan->ntrees > 1) {
        clear_between(call, call->Dq);
        clear_between(call, call->Dv);
        clear_between(call, call->Minv);
    }
    t->call = call, t->nu = call->v.data;
    m.doubt = 0;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        single_tree_begin(t, i);
        single_tree_linearize(&m, &p);
    }
    if (single_in_doubt(&m)) return 1;
    if (call->acceleration.data) memcpy(call->acceleration.data, t->x, nv * sizeof *t->x);
    return 0;
}

/* ---- M⁻¹ alone ---- */

static inline void single_tree_inverse(single_solver *m, single_panel *p)
{
    single_tree *t = &m->t;
    const kernel_call *call = t->call;
    const int32_t base = t->tree->base, row = t->tree->begin, below = t->below;
    single_poses_out(t);
    for (int32_t k = 0; k < t->packs; k++) t->pack[k].S = twists_in(t->S + k * LANES * ROW);
    single_bodies(t, 0);
    single_loads(t, 0);
    single_solve(m);
    if (base) single_inverse_base(m, single_output_at(p, call->Minv, row, row));
    for (int32_t at = 0; at < t->n; at += LANES)
        single_inverse_panel(m, single_output_at(p, call->Minv, row, below + at), at);
}

/* 1: not for this kernel, what it has written is of no use */
static inline unsigned single_inverse_mass(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    single_solver m;
    single_panel p;
    single_tree *t = &m.t;
    num *passive;
    if (single_unfit(plan)) return 1;
    single_scratch_lay(plan, call->scratch, &m, &p, &passive);
    memset(t->tau, 0, ((size_t)plan->nv + LANES) * sizeof *t->tau);
    range_sincos(call->q.data, plan->angles_begin, plan->angles_end, t->sine, t->cosine);
    if (plan->ntrees > 1) clear_between(call, call->Minv);
    t->call = call, t->nu = t->tau;
    m.doubt = 0;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        single_tree_begin(t, i);
        single_tree_inverse(&m, &p);
    }
    return (unsigned)single_in_doubt(&m);
}

#endif
