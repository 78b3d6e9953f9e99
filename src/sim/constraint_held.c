/* See constraint_held.h: feet put together for the kernels, tree by tree. */
#include "sim/constraint_held.h"

#include <math.h>
#include <string.h>

#include "algo/states.h"
#include "base/overflow.h"
#include "kernel/held.h"
#include "sim/constraint.h"
#include "sim/constraint_loop.h"

typedef struct held_scratch {
    held_foot *feet;    /* as many as constraints */
    int32_t *paths;     /* nv of every loop */
    uint8_t *path_sets; /* two sets of every loop */
    double *Dq, *Dv;    /* nv × nv, where only ∂λ is wanted */
    double *Minv;
    void *kernel; /* held_lay_out of the largest tree there could be */
} held_scratch;

static size_t count_shadows(const hml_constraints *set)
{
    size_t count = 0;
    for (int32_t i = 0; i < set->count; i++) count += set->items[i].kind == HML_HOLD_PLANE ? 3 : 0;
    return count;
}

/* at least plan_paths.bytes */
static size_t loop_set_bytes(size_t nv) { return nv / 8 + 16; }

/* from memory on, or only measured; returns the size in bytes */
static size_t lay_out(const hml_model *model, const hml_constraints *set, size_t m, void *memory, held_scratch *s)
{
    const size_t n = (size_t)model->nv;
    held_call h;
    layout_cursor c = layout_begin(memory);
    s->feet = layout_take(&c, ((size_t)set->count + (size_t)set->loop_count) * sizeof(held_foot));
    s->paths = layout_take(&c, (size_t)set->loop_count * n * sizeof(int32_t));
    s->path_sets = layout_take(&c, (size_t)set->loop_count * 2 * loop_set_bytes(n));
    s->Dq = layout_take(&c, n * n * sizeof(double));
    s->Dv = layout_take(&c, n * n * sizeof(double));
    s->Minv = layout_take(&c, n * n * sizeof(double));
    s->kernel = layout_take(&c, memory ? 0 : held_lay_out(n, m, count_shadows(set), NULL, &h)); /* the last piece */
    return c.used;
}

/* the same for a pack of that many states; s: feet and kernel alone */
static size_t lay_out_pack(const hml_model *model, const hml_constraints *set, size_t m, size_t lanes, void *memory,
                           held_scratch *s)
{
    held_pack_memory unused;
    layout_cursor c = layout_begin(memory);
    memset(s, 0, sizeof *s);
    s->feet = layout_take(&c, (size_t)set->count * sizeof(held_foot));
    s->kernel = layout_take(&c, held_pack_lay_out(model_plan(model), lanes, (size_t)set->count, m, NULL, &unused));
    return c.used;
}

size_t hmli_held_scratch(const hml_model *model, const hml_constraints *set, size_t m)
{
    held_scratch s;
    const size_t one = lay_out(model, set, m, NULL, &s), pack = lay_out_pack(model, set, m, HELD_PACK, NULL, &s);
    return ((one > pack ? one : pack) + LAYOUT_ALIGN) / sizeof(double);
}

/* scratch from the next line of the cache on */
static void *aligned(double *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % LAYOUT_ALIGN;
    return (char *)scratch + (misplaced ? LAYOUT_ALIGN - misplaced : 0);
}

/* a block of the caller's or of the scratch; nothing where neither it nor ∂λ is wanted */
static kernel_output place(size_t n, double *own, double *below, size_t ld, const double *force, double *spare)
{
    kernel_output o = {own, n, 0};
    if (!own && below) o.data = below, o.ld = ld;
    if (!own && !below && force) o.data = spare;
    return o;
}

/* in place, and no more than is read, as work_call; feet and memory come with each tree */
static void fill_call(const hml_work *work, const hml_constraints *set, const held_scratch *s,
                      const hml_constrained_linearization *x, int derivatives, held_call *h)
{
    const size_t n = (size_t)work->model->nv;
    const kernel_output unwanted = {NULL, n, 0};
    work_call(work, &h->call);
    h->call.q.data = x->q, h->call.v.data = x->v, h->call.tau.data = x->tau, h->call.wrenches.data = x->wrenches;
    h->call.acceleration.data = x->acceleration;
    h->derivatives = derivatives;
    h->tolerance = set->tolerance > 0 ? set->tolerance : 1e-10;
    h->force = x->lambda;
    h->force_q = h->force_v = h->force_tau = unwanted;
    if (!derivatives) return;
    h->call.Dq = place(n, x->Dq, x->A ? x->A + 2 * n * n : NULL, 2 * n, x->lambda_q, s->Dq);
    h->call.Dv = place(n, x->Dv, x->A ? x->A + 2 * n * n + n : NULL, 2 * n, x->lambda_v, s->Dv);
    h->call.Minv = place(n, x->Dtau, x->B ? x->B + n * n : NULL, n, x->lambda_tau, s->Minv);
    h->force_q.data = x->lambda_q, h->force_v.data = x->lambda_v, h->force_tau.data = x->lambda_tau;
}

static void fill_foot(const hml_model *model, const hml_constraint *c, held_foot *f)
{
    const model_frame *frame = &model_frames(model)[c->frame];
    f->body = frame->body;
    f->other = -1;
    f->placement = frame->R;
    f->goal = c->pose;
    f->damping = c->damping, f->stiffness = c->stiffness;
    if (c->kind == HML_HOLD_PLANE) {
        const double *n = c->normal, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) f->normal[k] = n[k] / length;
        f->normal[3] = 0;
    }
}

/* loop i of the set: as a foot that the other frame holds, or the world */
static void fill_loop(const hml_model *model, const hml_constraints *set, int32_t i, const held_scratch *s,
                      held_foot *f)
{
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const hml_loop *c = &set->loops[i];
    const size_t n = (size_t)model->nv;
    const model_frame *frames = model_frames(model);
    f->body = frames[c->frame].body;
    f->placement = frames[c->frame].R;
    f->goal = hmli_loop_has_goal(c) ? c->pose : identity;
    f->damping = c->damping, f->stiffness = c->stiffness;
    f->other = -1;
    if (c->other == HML_WORLD) return;
    f->other = frames[c->other].body;
    f->other_placement = frames[c->other].R;
    f->room = s->paths + (size_t)i * n;
    f->room_sets = s->path_sets + (size_t)i * 2 * loop_set_bytes(n);
}

/* the feet of a tree, loops after holds, and memory for its kernels */
static void gather_feet(const hml_model *model, const hml_constraints *set, const held_scratch *s, held_call *h)
{
    const plan_tree *tree = &plan_trees(h->call.plan)[h->tree];
    int32_t row = 0, out = 0, planes = 0;
    h->feet = s->feet, h->nfeet = 0, h->loops = 0;
    for (int32_t i = 0; i < set->count + set->loop_count; i++) {
        const int32_t k = i - set->count;
        const int32_t frame = k < 0 ? set->items[i].frame : set->loops[k].frame;
        const int32_t rows =
            k < 0 ? hmli_constraint_kind_rows(set->items[i].kind) : hmli_loop_kind_rows(set->loops[k].kind);
        const int32_t body = model_frames(model)[frame].body;
        if (body >= tree->body_begin && body < tree->body_end) {
            held_foot *f = &h->feet[h->nfeet++];
            if (k < 0)
                fill_foot(model, &set->items[i], f);
            else
                fill_loop(model, set, k, s, f);
            f->rows = rows;
            f->row = row, f->out = out;
            f->shadow = 3 * planes;
            row += rows;
            planes += rows == 1;
            h->loops |= f->other >= 0;
        }
        out += rows;
    }
    held_lay_out((size_t)(tree->end - tree->begin), (size_t)row, 3 * (size_t)planes, s->kernel, h);
    for (int32_t i = 0; i < h->nfeet; i++) h->feet[i].shadow += (int32_t)h->kd;
}

static int32_t tree_of(const hml_plan *plan, int32_t body)
{
    int32_t i = 0;
    while (body >= plan_trees(plan)[i].body_end) i++;
    return i;
}

/* a point or a frame that the world holds, or another body of the same tree; others tie paths and trees in other ways */
static int loop_is_suitable(const hml_model *model, const hml_loop *c)
{
    const model_frame *frames = model_frames(model);
    const hml_plan *plan = model_plan(model);
    const int32_t body = frames[c->frame].body, other = c->other == HML_WORLD ? body : frames[c->other].body;
    if (c->kind != HML_HOLD_FRAME && c->kind != HML_HOLD_POINT) return 0;
    return body >= 0 && other >= 0 && tree_of(plan, body) == tree_of(plan, other);
}

/* are these constraints and this model something for the kernels? */
static int suitable(const hml_work *work, const hml_constraints *set)
{
    const hml_model *model = work->model;
    if (!work->choice.held->single_held || model->nfollowers) return 0;
    for (int32_t i = 0; i < set->loop_count; i++) {
        if (!loop_is_suitable(model, &set->loops[i])) return 0;
    }
    for (int32_t i = 0; i < set->count; i++) {
        if (set->items[i].kind == HML_TOUCH_PLANE || model_frames(model)[set->items[i].frame].body < 0) return 0;
    }
    return 1;
}

/* the kernels look at everything else */
static int wrenches_are_good(const hml_model *model, const double *wrenches)
{
    return !wrenches || !finite_array(wrenches, 6 * (size_t)model->nbodies);
}

int hmli_held(const hml_work *work, const hml_constraints *set, double *scratch, const hml_constrained_linearization *x,
              int derivatives)
{
    const hml_model *model = work->model;
    const size_t m = (size_t)hml_constraint_rows(set), mn = m * (size_t)model->nv;
    held_scratch s;
    unsigned declined = 0;
    if (!suitable(work, set) || !wrenches_are_good(model, x->wrenches)) return 0;
    lay_out(model, set, m, aligned(scratch), &s);
    held_call h;
    fill_call(work, set, &s, x, derivatives, &h);
    if (h.call.plan->ntrees > 1) { /* the kernels write the columns of the foot's own tree alone */
        if (h.force_q.data) memset(h.force_q.data, 0, mn * sizeof(double));
        if (h.force_v.data) memset(h.force_v.data, 0, mn * sizeof(double));
        if (h.force_tau.data) memset(h.force_tau.data, 0, mn * sizeof(double));
    }
    const unsigned before = overflow_watch();
    for (h.tree = 0; h.tree < h.call.plan->ntrees && !declined; h.tree++) {
        gather_feet(model, set, &s, &h);
        declined = work->choice.held->single_held(&h);
    }
    return !overflow_seen(before) && !declined;
}

/* ---- packs ---- */

/* armature, damping or a spring on a free root? */
static int root_is_passive(const hml_plan *plan)
{
    for (int32_t i = 0; i < plan->ntrees && plan->passive; i++) {
        const plan_tree *tree = &plan_trees(plan)[i];
        const model_coordinate *c = plan_coordinates(plan) + tree->begin;
        for (int32_t k = 0; k < tree->base; k++) {
            if (c[k].armature != 0 || c[k].damping != 0 || c[k].stiffness != 0) return 1;
        }
    }
    return 0;
}

size_t hmli_held_lanes(const hml_work *work, const hml_constraints *set)
{
    const kernel_table *table = work->choice.batch;
    if (!suitable(work, set) || !table->pack_held || work->choice.one_by_one) return 0;
    if (set->loop_count || root_is_passive(model_plan(work->model))) return 0;
    for (int32_t i = 0; i < set->count; i++) {
        if (set->items[i].kind == HML_HOLD_PLANE) return 0;
    }
    return (size_t)table->lanes;
}

/* a block of the caller's, or its place in the lower half of A or B */
static kernel_output place_states(size_t n, size_t first, kernel_output own, kernel_output whole, size_t column)
{
    if (own.data || !whole.data) return output_at(own, first);
    whole.data += n * whole.ld + column;
    return output_at(whole, first);
}

static held_pack_call pack_call(const hml_work *work, const hml_constraints *set, const held_scratch *s,
                                const held_states *x, size_t first)
{
    const size_t n = (size_t)work->model->nv;
    held_pack_call h;
    memset(&h, 0, sizeof h);
    work_call(work, &h.call);
    h.call.q = states_input(x->q, first), h.call.v = states_input(x->v, first);
    h.call.tau = states_input(x->tau, first), h.call.wrenches = states_input(x->wrenches, first);
    h.call.acceleration = output_at(x->acceleration, first);
    h.call.Dq = place_states(n, first, x->Dq, x->A, 0);
    h.call.Dv = place_states(n, first, x->Dv, x->A, n);
    h.call.Minv = place_states(n, first, x->Dtau, x->B, 0);
    h.force = output_at(x->lambda, first);
    h.force_q = output_at(x->lambda_q, first), h.force_v = output_at(x->lambda_v, first);
    h.force_tau = output_at(x->lambda_tau, first);
    h.derivatives =
        h.call.Dq.data || h.call.Dv.data || h.call.Minv.data || h.force_q.data || h.force_v.data || h.force_tau.data;
    h.tolerance = set->tolerance > 0 ? set->tolerance : 1e-10;
    h.feet = s->feet, h.nfeet = set->count;
    h.rows = hml_constraint_rows(set);
    h.memory = s->kernel;
    return h;
}

/* are all results of a state finite? */
static int state_is_finite(const held_pack_call *h, size_t n, size_t state)
{
    const size_t m = (size_t)h->rows;
    const struct {
        kernel_output out;
        size_t rows, columns;
    } all[] = {{h->call.acceleration, 1, n}, {h->call.Dq, n, n},  {h->call.Dv, n, n},
               {h->call.Minv, n, n},         {h->force, 1, m},    {h->force_q, m, n},
               {h->force_v, m, n},           {h->force_tau, m, n}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (output_finite(output_at(all[i].out, state), all[i].rows, all[i].columns)) return 0;
    }
    return 1;
}

/* the kernel writes the columns of a foot's own tree alone */
static void clear_forces(kernel_output out, size_t rows, size_t n, size_t count)
{
    for (size_t l = 0; out.data && l < count; l++) memset(out.data + l * out.stride, 0, rows * n * sizeof(double));
}

static void fill_feet(const hml_model *model, const hml_constraints *set, held_foot *feet)
{
    int32_t out = 0;
    for (int32_t i = 0; i < set->count; i++) {
        fill_foot(model, &set->items[i], &feet[i]);
        feet[i].rows = hmli_constraint_kind_rows(set->items[i].kind);
        feet[i].out = out;
        out += feet[i].rows;
    }
}

unsigned hmli_held_pack(const hml_work *work, const hml_constraints *set, double *scratch, const held_states *x,
                        size_t first, size_t count)
{
    const hml_model *model = work->model;
    const kernel_table *table = work->choice.batch;
    const size_t n = (size_t)model->nv, m = (size_t)hml_constraint_rows(set);
    held_scratch s;
    lay_out_pack(model, set, m, (size_t)table->lanes, aligned(scratch), &s);
    held_pack_call h = pack_call(work, set, &s, x, first);
    h.call.count = (int)count;
    fill_feet(model, set, s.feet);
    if (h.call.plan->ntrees > 1) {
        clear_forces(h.force_q, m, n, count);
        clear_forces(h.force_v, m, n, count);
        clear_forces(h.force_tau, m, n, count);
    }
    const unsigned before = overflow_watch();
    unsigned left = table->pack_held(&h);
    const int overflow = overflow_seen(before);
    for (size_t l = 0; l < count; l++) {
        if (overflow && !(left >> l & 1) && !state_is_finite(&h, n, l)) left |= 1u << l;
        if (!wrenches_are_good(model, input_at(x->wrenches, first + l))) left |= 1u << l;
    }
    return left & ((1u << count) - 1);
}

void hmli_held_report(const hml_constraints *set, hml_constraint_report *report)
{
    const int32_t m = hml_constraint_rows(set);
    *report = (hml_constraint_report){.struct_size = sizeof *report, .rows = m, .rank = m, .restitution = 1};
}
