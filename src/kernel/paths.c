/* See kernel/paths.h. */
#include "kernel/paths.h"

#include <string.h>

#include "base/layout.h"

static int64_t list_length(const plan_segment *s) { return (int64_t)s->depth + s->end - s->begin; }

/* its sections; the pointers of plan_paths are for readers */
typedef struct sections {
    int64_t *start; /* nsegments: where the list of each begins */
    const int32_t **path_of;
    int32_t *list, *parent, *body_slot, *parent_slot;
    uint8_t *above, *below;
    size_t set; /* bytes of `above`, and of `below` */
} sections;

static size_t set_bytes(const hml_plan *plan) { return ((size_t)plan->nv + 7) / 8; }

/* from memory on, or only measured; returns the size in bytes */
static size_t lay_out(const hml_plan *plan, void *memory, sections *s)
{
    const plan_segment *segments = plan_segments(plan);
    const size_t nv = (size_t)plan->nv, slots = (nv + (size_t)plan->ntrees * PATHS_PACK) * sizeof(int32_t);
    layout_cursor c = layout_begin(memory);
    int64_t n = 0;
    for (int32_t i = 0; i < plan->nsegments; i++) n += list_length(&segments[i]);
    s->set = layout_aligned(nv * set_bytes(plan) + sizeof(uint64_t)); /* they are read eight bytes at a time */
    s->start = layout_take(&c, (size_t)plan->nsegments * sizeof(int64_t));
    s->path_of = layout_take(&c, nv * sizeof(int32_t *));
    s->list = layout_take(&c, (size_t)n * sizeof(int32_t));
    s->parent = layout_take(&c, (size_t)plan->nbodies * sizeof(int32_t));
    s->body_slot = layout_take(&c, slots);
    s->parent_slot = layout_take(&c, slots);
    s->above = layout_take(&c, s->set);
    s->below = layout_take(&c, s->set);
    return c.used;
}

size_t hmli_paths_size(const hml_plan *plan)
{
    sections s;
    return lay_out(plan, NULL, &s);
}

static void fill_lists(const hml_plan *plan, const sections *s)
{
    const plan_segment *segments = plan_segments(plan);
    int64_t l = 0;
    for (int32_t i = 0; i < plan->nsegments; i++) {
        const plan_segment *own = &segments[i];
        s->start[i] = l;
        for (int32_t d = 0; d < own->depth; d++) {
            /* the path of the column it hangs on, then that column */
            const plan_segment *p = &segments[own->parent];
            s->list[l + d] = d < p->depth ? s->list[s->start[own->parent] + d] : p->begin + (d - p->depth);
        }
        for (int32_t c = own->begin; c < own->end; c++) {
            s->list[l + own->depth + (c - own->begin)] = c;
            s->path_of[c] = s->list + l;
        }
        l += list_length(own);
    }
}

/* returns whether joints have one coordinate each, except free roots and fixed roots */
static int fill_slots(const hml_plan *plan, int32_t index, const sections *s)
{
    const plan_tree *tree = &plan_trees(plan)[index];
    const int32_t first = tree->begin + tree->base;
    const size_t size = (size_t)(tree->end - first + PATHS_PACK) * sizeof(int32_t);
    int32_t *body_slot = s->body_slot + paths_columns(tree, index);
    int32_t *parent_slot = s->parent_slot + paths_columns(tree, index);
    int one_dof_joints = 1;
    memset(body_slot, 0, size);
    memset(parent_slot, 0, size);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        const plan_body *p = &plan_bodies(plan)[i];
        const int root = p->parent < 0;
        s->parent[i] = root ? 0 : p->parent - tree->body_begin + 1;
        if (p->nv != 1 && !(root && (tree->base || p->nv == 0))) one_dof_joints = 0;
        for (int32_t k = p->v; k < p->v + (root && tree->base ? 0 : p->nv); k++) {
            body_slot[k - first] = i - tree->body_begin + 1;
            parent_slot[k - first] = s->parent[i];
        }
    }
    return one_dof_joints;
}

static void set_add(uint8_t *set, int32_t column) { set[column / 8] = (uint8_t)(set[column / 8] | 1u << column % 8); }

static void fill_sets(const hml_plan *plan, const plan_tree *tree, const sections *s)
{
    const int32_t first = tree->begin + tree->base;
    for (int32_t i = first; i < tree->end; i++) {
        const plan_column *c = &plan_columns(plan)[i];
        const int32_t joint_end = c->first + plan_bodies(plan)[c->body].nv;
        uint8_t *above = s->above + (size_t)i * set_bytes(plan), *below = s->below + (size_t)i * set_bytes(plan);
        for (int32_t d = tree->base; d < c->depth; d++) set_add(above, s->path_of[i][d] - first);
        for (int32_t j = i; j < joint_end; j++) set_add(above, j - first);
        for (int32_t j = joint_end; j < c->subtree_end; j++) set_add(below, j - first);
    }
}

void hmli_paths_fill(const hml_plan *plan, void *memory, plan_paths *t)
{
    sections s;
    lay_out(plan, memory, &s);
    fill_lists(plan, &s);
    memset(s.above, 0, s.set);
    memset(s.below, 0, s.set);
    t->one_dof_joints = 1;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        t->one_dof_joints &= fill_slots(plan, i, &s);
        fill_sets(plan, &plan_trees(plan)[i], &s);
    }
    t->path_of = s.path_of;
    t->parent = s.parent;
    t->body_slot = s.body_slot, t->parent_slot = s.parent_slot;
    t->above = s.above, t->below = s.below;
    t->bytes = set_bytes(plan);
}
