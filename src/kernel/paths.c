/* See kernel/paths.h. */
#include "kernel/paths.h"

#include <string.h>

static size_t aligned(size_t n) { return (n + 63) / 64 * 64; }

static int64_t list_length(const plan_segment *s) { return (int64_t)s->depth + s->end - s->begin; }

/* bytes of its sections */
typedef struct sections {
    size_t start, of, list, parent, own, set;
} sections;

static size_t set_bytes(const hml_plan *plan) { return ((size_t)plan->nv + 7) / 8; }

static sections measure(const hml_plan *plan)
{
    const plan_segment *segments = plan_segments(plan);
    const size_t nv = (size_t)plan->nv;
    int64_t n = 0;
    sections s;
    for (int32_t i = 0; i < plan->nsegments; i++) n += list_length(&segments[i]);
    s.start = aligned((size_t)plan->nsegments * sizeof(int64_t));
    s.of = aligned(nv * sizeof(int32_t *));
    s.list = aligned((size_t)n * sizeof(int32_t));
    s.parent = aligned((size_t)plan->nbodies * sizeof(int32_t));
    s.own = aligned((nv + (size_t)plan->ntrees * PATHS_PACK) * sizeof(int32_t));
    s.set = aligned(nv * set_bytes(plan) + sizeof(uint64_t)); /* they are read eight bytes at a time */
    return s;
}

size_t hmli_paths_size(const hml_plan *plan)
{
    const sections s = measure(plan);
    return s.start + s.of + s.list + s.parent + 2 * s.own + 2 * s.set;
}

static void fill_lists(const hml_plan *plan, int64_t *start, const int32_t **of, int32_t *list)
{
    const plan_segment *segments = plan_segments(plan);
    int64_t l = 0;
    for (int32_t i = 0; i < plan->nsegments; i++) {
        const plan_segment *s = &segments[i];
        start[i] = l;
        for (int32_t d = 0; d < s->depth; d++) {
            /* the path of the column it hangs on, then that column */
            const plan_segment *p = &segments[s->parent];
            list[l + d] = d < p->depth ? list[start[s->parent] + d] : p->begin + (d - p->depth);
        }
        for (int32_t c = s->begin; c < s->end; c++) {
            list[l + s->depth + (c - s->begin)] = c;
            of[c] = list + l;
        }
        l += list_length(s);
    }
}

/* returns whether the tree is plain */
static int fill_slots(const hml_plan *plan, int32_t index, int32_t *parent, int32_t *own, int32_t *up)
{
    const plan_tree *tree = &plan_trees(plan)[index];
    int one_dof_joints = 1;
    memset(own, 0, (size_t)(tree->end - tree->begin - tree->base + PATHS_PACK) * sizeof *own);
    memset(up, 0, (size_t)(tree->end - tree->begin - tree->base + PATHS_PACK) * sizeof *up);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        const plan_body *p = &plan_bodies(plan)[i];
        const int root = p->parent < 0;
        parent[i] = root ? 0 : p->parent - tree->body_begin + 1;
        if (p->nv != 1 && !(root && (tree->base || p->nv == 0))) one_dof_joints = 0;
        for (int32_t k = 0; k < (root && tree->base ? 0 : p->nv); k++) {
            own[p->v + k - tree->begin - tree->base] = i - tree->body_begin + 1;
            up[p->v + k - tree->begin - tree->base] = parent[i];
        }
    }
    return one_dof_joints;
}

static void set_add(uint8_t *set, int32_t column) { set[column / 8] = (uint8_t)(set[column / 8] | 1u << column % 8); }

static void fill_sets(const hml_plan *plan, const plan_tree *tree, const plan_paths *t, uint8_t *above, uint8_t *below)
{
    const int32_t first = tree->begin + tree->base;
    for (int32_t i = first; i < tree->end; i++) {
        const plan_column *c = &plan_columns(plan)[i];
        const int32_t joint_end = c->first + plan_bodies(plan)[c->body].nv;
        for (int32_t d = tree->base; d < c->depth; d++) set_add(above + (size_t)i * t->bytes, t->path_of[i][d] - first);
        for (int32_t j = i; j < joint_end; j++) set_add(above + (size_t)i * t->bytes, j - first);
        for (int32_t j = joint_end; j < c->subtree_end; j++) set_add(below + (size_t)i * t->bytes, j - first);
    }
}

void hmli_paths_fill(const hml_plan *plan, void *memory, plan_paths *t)
{
    const sections s = measure(plan);
    char *at = memory;
    int64_t *start = (int64_t *)(void *)at;
    const int32_t **of = (const int32_t **)(void *)(at += s.start);
    int32_t *list = (int32_t *)(void *)(at += s.of), *parent = (int32_t *)(void *)(at += s.list);
    int32_t *own = (int32_t *)(void *)(at += s.parent), *up = (int32_t *)(void *)(at += s.own);
    uint8_t *above = (uint8_t *)(at += s.own), *below = (uint8_t *)(at + s.set);
    fill_lists(plan, start, of, list);
    memset(above, 0, 2 * s.set);
    t->path_of = of;
    t->bytes = set_bytes(plan);
    t->one_dof_joints = 1;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        const plan_tree *tree = &plan_trees(plan)[i];
        const size_t first = paths_columns(tree, i);
        t->one_dof_joints &= fill_slots(plan, i, parent, own + first, up + first);
        fill_sets(plan, tree, t, above, below);
    }
    t->parent = parent;
    t->body_slot = own, t->parent_slot = up;
    t->above = above, t->below = below;
}
