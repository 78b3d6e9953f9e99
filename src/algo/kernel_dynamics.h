/*
 * The kernels: a pack of states in, results out. The stages are in kernel_tree.h, kernel_factor.h, kernel_passive.h and
 * kernel_linearize.h; here they are put in order.
 */
#ifndef HML_ALGO_KERNEL_DYNAMICS_H
#define HML_ALGO_KERNEL_DYNAMICS_H

#include "algo/kernel_io.h"
#include "algo/kernel_linearize.h"

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

typedef struct kernel_scratch {
    linearize_scratch s;
    num *q, *v, *tau;
    triple *panel; /* PANEL columns × nv rows of results, waiting to be written */
} kernel_scratch;

enum { PANEL = LANES < 8 ? 8 : LANES }; /* at least the six columns of a free root */

/* lays the scratch out from memory, or only measures it when memory is NULL; returns its size in bytes */
static inline size_t kernel_scratch_lay(const hml_plan *plan, void *memory, kernel_scratch *k)
{
    scratch_cursor c;
    size_t nb = (size_t)plan->nbodies, nv = (size_t)plan->nv, depth = (size_t)plan->depth;
    c.at = (char *)memory;
    c.used = 0;
    k->s.bodies = (body_state *)scratch_take(&c, nb * sizeof(body_state));
    k->s.columns = (column_state *)scratch_take(&c, nv * sizeof(column_state));
    k->s.G = (wrench *)scratch_take(&c, nb * sizeof(wrench));
    k->s.base = (base_motion *)scratch_take(&c, (size_t)plan->ntrees * sizeof(base_motion));
    k->q = (num *)scratch_take(&c, (size_t)plan->nq * sizeof(num));
    k->v = (num *)scratch_take(&c, nv * sizeof(num));
    k->tau = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.b = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.x = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.original = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.f.depth = plan->depth;
    k->s.f.diagonal = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.branch = (triple *)scratch_take(&c, nv * sizeof(triple));
    k->s.springs = (num *)scratch_take(&c, nv * PASSIVE_LD * sizeof(num));
    k->panel = (triple *)scratch_take(&c, PANEL * nv * sizeof(triple));
    /* what grows with the depth comes last: a workspace for the tree alone ends here */
    k->s.f.rows = (num *)scratch_take(&c, nv * depth * sizeof(num));
    k->s.path = (triple *)scratch_take(&c, depth * sizeof(triple));
    return c.used;
}

static inline size_t kernel_scratch_size(const hml_plan *plan)
{
    kernel_scratch k;
    return kernel_scratch_lay(plan, NULL, &k);
}

/* ---- stages that every kernel shares ---- */

/* external wrenches, given in the bodies' own frames, pull on the bodies */
static inline void apply_wrenches(const kernel_call *call, const plan_tree *tree, body_state *bodies)
{
    const plan_body *pb = plan_bodies(call->plan);
    if (!call->wrenches.data) return;
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        num f[6];
        for (int32_t k = 0; k < 6; k++) f[k] = kernel_load(call->wrenches, call->count, 6 * i + k);
        wrench F = wrench_of(vec3_of(f[0], f[1], f[2]), vec3_of(f[3], f[4], f[5]));
        pose body = pose_mul(bodies[i].H, plan_pose(pb[i].to_body));
        bodies[i].f = wrench_sub(bodies[i].f, pose_ad_dual(body, F));
    }
}

static inline void add_vec3(num *x, vec3 a) { x[0] += a.x, x[1] += a.y, x[2] += a.z; }

/* what the passes left out of a free root's acceleration: gravity − ω × u */
static inline vec3 base_acceleration(const base_motion *base, const num *v)
{
    return vec3_sub(base->gravity, vec3_cross(vec3_of(v[3], v[4], v[5]), base->u));
}

/* armature on a free root's linear coordinates resists that part too */
static inline vec3 base_armature(const hml_plan *plan, const plan_tree *tree, vec3 a)
{
    const model_coordinate *passive = plan_coordinates(plan) + tree->begin;
    return vec3_of(K(-passive[0].armature) * a.x, K(-passive[1].armature) * a.y, K(-passive[2].armature) * a.z);
}

/* b = τ − h, but for what base_acceleration adds at the end */
static inline void tree_right_hand_side(const kernel_call *call, int32_t index, const kernel_scratch *k)
{
    const plan_tree *tree = &plan_trees(call->plan)[index];
    const plan_column *pc = plan_columns(call->plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        k->s.b[c] = k->tau[c] - wrench_dot(k->s.bodies[pc[c].body].f, k->s.columns[c].S);
    }
    if (!call->passive) return;
    passive_forces(call->plan, tree, k->q, k->v, k->s.b, k->s.springs);
    if (tree->base) {
        vec3 a = base_acceleration(&k->s.base[index], &k->v[tree->begin]);
        add_vec3(&k->s.b[tree->begin], base_armature(call->plan, tree, a));
    }
}

static inline void kernel_load_state(const kernel_call *call, kernel_scratch *k)
{
    kernel_scratch_lay(call->plan, call->scratch, k);
    kernel_load_all(call->q, call->count, call->plan->nq, k->q);
    kernel_load_all(call->v, call->count, call->plan->nv, k->v);
}

static inline unsigned lane_bits(mask m)
{
#if LANES == 1
    return m ? 1u : 0u;
#else
    unsigned b = 0;
    for (int l = 0; l < LANES; l++) b |= (m[l] ? 1u : 0u) << l;
    return b;
#endif
}

/* poses to ν̇ of one tree; the factor holds W and D⁻¹ afterwards. Returns the lanes with a singular M. */
static inline mask tree_forward_dynamics(const kernel_call *call, int32_t index, const kernel_scratch *k)
{
    const hml_plan *plan = call->plan;
    const plan_tree *tree = &plan_trees(plan)[index];
    linearize_scratch s = k->s;
    tree_forward(plan, tree, call->gravity, k->q, k->v, s.bodies, s.columns, &s.base[index]);
    apply_wrenches(call, tree, s.bodies);
    tree_composite(plan, tree, s.bodies, s.columns);
    tree_right_hand_side(call, index, k);
    factor_mass_matrix(plan, call->paths, tree, s.columns, &s.f);
    mask failed = factor_ltdl(plan, call->paths, tree, s.original, &s.f);
    factor_invert(plan, call->paths, tree, &s.f);
    factor_solve(plan, call->paths, tree, &s.f, s.b, s.x);
    return failed;
}

/* ---- linearization ---- */

/*
 * The panel is a ring: column c waits in slot c mod PANEL. Writes the last n columns before `end`. A last, partial
 * panel is filled up with columns that were written before, so that whole runs are stored wherever a matrix has that
 * many columns.
 */
static inline void panel_flush(const kernel_call *call, const triple *panel, int32_t end, int32_t n)
{
    int32_t nv = call->plan->nv;
    for (int32_t i = 0; i < nv; i++) {
        num run[PANEL];
        if (call->Dq.data) {
            for (int32_t j = 0; j < n; j++) run[j] = panel[(end - n + j) % PANEL * nv + i].q;
            kernel_store_run(call->Dq, call->count, i, end - n, n, run);
        }
        if (call->Dv.data) {
            for (int32_t j = 0; j < n; j++) run[j] = panel[(end - n + j) % PANEL * nv + i].v;
            kernel_store_run(call->Dv, call->count, i, end - n, n, run);
        }
        if (call->Minv.data) {
            for (int32_t j = 0; j < n; j++) run[j] = panel[(end - n + j) % PANEL * nv + i].m;
            kernel_store_run(call->Minv, call->count, i, end - n, n, run);
        }
    }
}

/* makes room for column c and returns where it goes; rows of other trees stay zero */
static inline triple *panel_slot(const hml_plan *plan, const plan_tree *tree, triple *panel, int32_t c)
{
    triple *slot = panel + c % PANEL * plan->nv;
    for (int32_t i = 0; i < tree->begin; i++) slot[i] = triple_zero();
    for (int32_t i = tree->end; i < plan->nv; i++) slot[i] = triple_zero();
    return slot;
}

static inline void panel_advance(const kernel_call *call, const triple *panel, int32_t c)
{
    int32_t nv = call->plan->nv;
    if ((c + 1) % PANEL == 0)
        panel_flush(call, panel, c + 1, PANEL);
    else if (c + 1 == nv)
        panel_flush(call, panel, nv, nv < PANEL ? nv : PANEL);
}

/* derivatives of damping and springs join the right-hand sides of column c */
static inline void passive_right_hand_sides(const hml_plan *plan, int32_t c, const linearize_scratch *s)
{
    const plan_column *pc = &plan_columns(plan)[c];
    int32_t m = plan_bodies(plan)[pc->body].nv;
    for (int32_t k = 0; k < m; k++)
        s->branch[pc->first + k].q -= s->springs[(pc->first + k) * PASSIVE_LD + c - pc->first];
    s->branch[c].v -= K(plan_coordinates(plan)[c].damping);
}

/* ∂(base_acceleration)/∂q and /∂ν for column j of a free root */
static inline void base_derivative(int32_t j, const base_motion *base, const num *v, vec3 *dq, vec3 *dv)
{
    vec3 e = vec3_of(K(j % 3 == 0), K(j % 3 == 1), K(j % 3 == 2));
    *dq = j < 3 ? vec3_zero() : vec3_cross(base->gravity, e);
    *dv = j < 3 ? vec3_cross(e, vec3_of(v[3], v[4], v[5])) : vec3_cross(base->u, e);
}

static inline void add_triples(triple *x, vec3 q, vec3 v)
{
    x[0].q += q.x, x[1].q += q.y, x[2].q += q.z;
    x[0].v += v.x, x[1].v += v.y, x[2].v += v.z;
}

/* column j of a free root: of the motion that the passes saw, only the angular velocity is left to differentiate by */
static inline void base_right_hand_sides(const plan_tree *tree, int32_t j, const linearize_scratch *s)
{
    for (int32_t i = tree->begin; i < tree->end; i++) {
        s->branch[i].q = K(0);
        if (j < 3) s->branch[i].v = K(0);
    }
}

static inline unsigned kernel_linearize(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    int32_t nv = plan->nv;
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, nv, k.tau);
    mask failed = num_lt(K(1), K(0));
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        failed |= tree_forward_dynamics(call, t, &k);
        tree_accelerate(plan, tree, k.s.x, k.s.bodies, k.s.columns, k.s.G);
        int32_t c = tree->begin;
        if (tree->base && !call->passive && c % PANEL + 6 <= PANEL) { /* else they would meet waiting columns */
            triple *out[6];
            for (int32_t j = 0; j < 6; j++) out[j] = panel_slot(plan, tree, k.panel, c + j);
            base_columns(plan, call->paths, tree, &k.s, out);
            for (int32_t j = 0; j < 6; j++, c++) {
                vec3 dq, dv;
                base_derivative(j, &k.s.base[t], &k.v[tree->begin], &dq, &dv);
                add_triples(&out[j][tree->begin], dq, dv);
                panel_advance(call, k.panel, c);
            }
        }
        for (; c < tree->end; c++) {
            const int32_t *path = column_path(plan, call->paths, c);
            int base = c < tree->begin + tree->base;
            triple *out = panel_slot(plan, tree, k.panel, c);
            vec3 dq = vec3_zero(), dv = vec3_zero();
            column_right_hand_sides(plan, path, tree, c, &k.s);
            if (base) {
                base_derivative(c - tree->begin, &k.s.base[t], &k.v[tree->begin], &dq, &dv);
                base_right_hand_sides(tree, c - tree->begin, &k.s);
            }
            if (call->passive) {
                passive_right_hand_sides(plan, c, &k.s);
                if (base) {
                    add_triples(&k.s.branch[tree->begin], base_armature(plan, tree, dq), base_armature(plan, tree, dv));
                }
            }
            column_half_solve(plan, path, tree, c, &k.s);
            column_finish(plan, call->paths, path, tree, c, &k.s, out);
            if (base) add_triples(&out[tree->begin], dq, dv);
            panel_advance(call, k.panel, c);
        }
        if (tree->base) add_vec3(&k.s.x[tree->begin], base_acceleration(&k.s.base[t], &k.v[tree->begin]));
    }
    if (call->acceleration.data) {
        for (int32_t c = 0; c < nv; c++) kernel_store(call->acceleration, call->count, 0, c, k.s.x[c]);
    }
    return lane_bits(failed);
}

/* ---- forward dynamics alone ---- */

static inline unsigned kernel_forward_dynamics(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, plan->nv, k.tau);
    mask failed = num_lt(K(1), K(0));
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        failed |= tree_forward_dynamics(call, t, &k);
        if (tree->base) add_vec3(&k.s.x[tree->begin], base_acceleration(&k.s.base[t], &k.v[tree->begin]));
    }
    for (int32_t c = 0; call->acceleration.data && c < plan->nv; c++)
        kernel_store(call->acceleration, call->count, 0, c, k.s.x[c]);
    return lane_bits(failed);
}

#endif
