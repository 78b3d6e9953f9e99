/* Forward dynamics of a pack of states: the passes of pack/articulated.h in order. */
#ifndef HML_KERNEL_PACK_FORWARD_DYNAMICS_H
#define HML_KERNEL_PACK_FORWARD_DYNAMICS_H

#include "kernel/pack/layout.h"

#include "kernel/passes.h"

static inline articulated_walk pack_articulated(const kernel_call *call, const kernel_scratch *k)
{
    articulated_walk w;
    w.plan = call->plan;
    w.gravity = call->gravity;
    w.coordinates = call->coordinates;
    w.q = k->kept.q;
    w.v = k->kept.v;
    w.links = k->articulated;
    w.columns = k->kept.solver;
    w.base = k->kept.base;
    w.sine = k->kept.sine, w.cosine = k->kept.cosine;
    w.x = k->kept.tau;
    return w;
}

/* the lanes with a singular M, exactly: a pivot vanished against its entry of M, see pivot_inverse */
__attribute__((noinline, cold)) static mask articulated_singular(const articulated_walk *w, const plan_tree *tree)
{
    const plan_body *pb = plan_bodies(w->plan);
    mask failed = num_lt(K(1), K(0));
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        articulated_out(w, i);
        for (int32_t j = i; j >= tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) {
            articulated_link *own = &w->links[pb[j].level];
            for (int32_t k = pb[j].v; k < pb[j].v + pb[j].nv; k++) {
                const articulated_column *c = &w->columns[k];
                num diagonal = wrench_dot(inertia_mul(own->I, c->S), c->S) + K(w->coordinates[k].armature);
                pivot_inverse(K(1) / c->inverse, diagonal, &failed);
            }
            if (pb[j].parent >= 0) own[-1].I = inertia_add(own[-1].I, own->I);
        }
    }
    return failed;
}

static inline unsigned pack_forward_dynamics(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, plan->nv, k.kept.tau);
    mask failed = kernel_bad_state(plan, k.kept.q, k.kept.v, call->tau.data ? k.kept.tau : NULL);
    articulated_walk w = pack_articulated(call, &k);
    sincos_all(plan, k.kept.q, k.kept.sine, k.kept.cosine);
    for (int32_t t = 0; t < plan->ntrees; t++, w.base++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        num pivot_score = K(0);
        if (call->passive) passive_forces(plan, tree, call->coordinates, k.kept.q, k.kept.v, w.x, k.kept.springs);
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            articulated_link *own = &w.links[pb[i].level];
            articulated_out(&w, i);
            if (call->wrenches.data) own->f = wrench_sub(own->f, body_wrench(call, i, own->H));
            if (i == tree->body_begin && tree->base && call->passive) {
                vec3 a = base_acceleration(w.base, &k.kept.v[tree->begin]);
                add_vec3(&w.x[tree->begin], base_armature(call->coordinates, tree, a));
            }
            articulated_back_from(&w, tree, i, &pivot_score);
        }
        articulated_out_again(&w, tree);
        if (num_any(pivots_vanished(pivot_score))) failed |= articulated_singular(&w, tree);
        if (tree->base) add_vec3(&w.x[tree->begin], base_acceleration(w.base, &k.kept.v[tree->begin]));
    }
    if (call->acceleration.data) kernel_store_run(call->acceleration, call->count, 0, 0, plan->nv, k.kept.tau);
    return num_lanes(failed);
}

#endif
