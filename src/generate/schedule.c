/* The schedule of a program: see schedule.h. */
#include "generate/schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct pending {
    int32_t region, node;
} pending;

/* nodes still to be looked at; every node enters once, so that there is room for all */
typedef struct worklist {
    pending *items;
    size_t count;
} worklist;

static void need(schedule *s, worklist *list, int32_t id, int32_t node)
{
    unsigned char *needed = s->regions[id].needed;
    if (needed[node]) return;
    needed[node] = 1;
    list->items[list->count++] = (pending){id, node};
}

static void find_needed(schedule *s, worklist *list)
{
    const program *p = s->program;
    for (int32_t i = 0; i < p->nregions; i++) {
        const region *r = &p->regions[i];
        for (int32_t k = 0; k < r->nroots; k++) {
            if (r->roots[k].array >= 0) need(s, list, i, ex_node(r->roots[k].e));
        }
    }
    while (list->count) {
        const pending at = list->items[--list->count];
        const graph_node n = p->regions[at.region].g.nodes[at.node];
        const int children = graph_children(n.op);
        if (n.op == GRAPH_IMPORT || n.op == GRAPH_SUM) need(s, list, n.a, n.b);
        if (children > 0) need(s, list, at.region, n.a);
        if (children > 1) need(s, list, at.region, n.b);
    }
}

/* the first step in which a root that is needed asks for each node; −1: none */
static void find_steps(const region *r, const region_schedule *s, int32_t *step, int32_t *stack)
{
    int32_t last = 0;
    for (int32_t i = 0; i < r->g.count; i++) step[i] = -1;
    for (int32_t k = 0; k < r->nroots; k++) {
        if (r->roots[k].step > last) last = r->roots[k].step;
    }
    for (int32_t t = 0; t <= last; t++) {
        for (int32_t k = 0; k < r->nroots; k++) {
            int32_t n = 0;
            const int32_t top = ex_node(r->roots[k].e);
            if (r->roots[k].step != t || !s->needed[top] || step[top] >= 0) continue;
            step[top] = t;
            stack[n++] = top;
            while (n) {
                const graph_node node = r->g.nodes[stack[--n]];
                const int children = graph_children(node.op);
                if (children > 0 && step[node.a] < 0) step[node.a] = t, stack[n++] = node.a;
                if (children > 1 && step[node.b] < 0) step[node.b] = t, stack[n++] = node.b;
            }
        }
    }
}

/* an entry of an array, or a leaf that other regions import: what is computed is kept where that happens */
static int is_stored(const region *r, const region_schedule *s, const root *k)
{
    const int32_t node = ex_node(k->e);
    return k->array >= 0 || (s->needed[node] && schedule_is_leaf(r->g.nodes[node].op));
}

/* chunks of every step, in the order in which the nodes were made */
static void find_chunks(const region *r, region_schedule *s, const int32_t *step, int32_t nodes, int64_t *statements)
{
    int32_t last = -1;
    for (int32_t k = 0; k < r->nroots; k++) {
        if (r->roots[k].step > last) last = r->roots[k].step;
    }
    for (int32_t t = 0; t <= last; t++) {
        int32_t filled = nodes;
        for (int32_t i = 0; i < r->g.count; i++) {
            if (step[i] != t || schedule_is_leaf(r->g.nodes[i].op)) continue;
            if (filled == nodes) s->chunk_step[s->nchunks++] = t, filled = 0;
            s->chunk[i] = s->nchunks - 1;
            filled++;
            (*statements)++;
        }
        int stores = 0;
        for (int32_t k = 0; k < r->nroots; k++) stores |= r->roots[k].step == t && is_stored(r, s, &r->roots[k]);
        if (filled == nodes && stores) s->chunk_step[s->nchunks++] = t; /* nothing to compute, but to store */
    }
}

static void keep(region_schedule *s, int32_t node)
{
    if (s->slot[node] < 0) s->slot[node] = s->nslots++;
}

static void use(const region *r, region_schedule *s, int32_t node, int32_t chunk)
{
    if (!schedule_is_leaf(r->g.nodes[node].op) && s->chunk[node] != chunk) keep(s, node);
}

/* what is stored where, and which values chunks use that others have computed */
static void find_slots(const region *r, region_schedule *s)
{
    for (int32_t i = 0; i < r->g.count; i++) {
        const graph_node n = r->g.nodes[i];
        const int children = graph_children(n.op);
        if (s->chunk[i] < 0) continue;
        if (children > 0) use(r, s, n.a, s->chunk[i]);
        if (children > 1) use(r, s, n.b, s->chunk[i]);
    }
    for (int32_t k = 0; k < r->nroots; k++) {
        const int32_t node = ex_node(r->roots[k].e);
        s->root_chunk[k] = -1;
        if (!s->needed[node]) continue;
        if (r->roots[k].array < 0) keep(s, node);
        if (!is_stored(r, s, &r->roots[k])) continue;
        int32_t chunk = s->chunk[node]; /* where it is computed, if that is in its own step; else at the step's end */
        if (chunk < 0 || s->chunk_step[chunk] != r->roots[k].step) {
            for (int32_t c = 0; c < s->nchunks; c++) {
                if (s->chunk_step[c] == r->roots[k].step) chunk = c;
            }
        }
        s->root_chunk[k] = chunk;
        use(r, s, node, chunk);
    }
}

static int allocate(schedule *s, int32_t chunk)
{
    const program *p = s->program;
    for (int32_t i = 0; i < p->nregions; i++) {
        const region *r = &p->regions[i];
        region_schedule *to = &s->regions[i];
        const size_t nodes = (size_t)r->g.count + 1, roots = (size_t)r->nroots + 1;
        to->needed = calloc(nodes, sizeof *to->needed);
        to->chunk = malloc(nodes * sizeof *to->chunk);
        to->slot = malloc(nodes * sizeof *to->slot);
        to->chunk_step = malloc((nodes / (size_t)chunk + roots + 8) * sizeof *to->chunk_step);
        to->root_chunk = malloc(roots * sizeof *to->root_chunk);
        if (!to->needed || !to->chunk || !to->slot || !to->chunk_step || !to->root_chunk) return 0;
        for (size_t k = 0; k < nodes; k++) to->chunk[k] = to->slot[k] = -1;
    }
    return 1;
}

int hmli_schedule_make(schedule *s, const program *p, int32_t nodes)
{
    size_t all = 1, largest = 1;
    memset(s, 0, sizeof *s);
    s->program = p;
    s->regions = calloc((size_t)p->nregions, sizeof *s->regions);
    for (int32_t i = 0; i < p->nregions; i++) {
        const size_t count = (size_t)p->regions[i].g.count;
        if (p->regions[i].g.failed) return 0;
        all += count;
        if (count > largest) largest = count;
    }
    worklist list = {malloc(all * sizeof *list.items), 0};
    int32_t *step = malloc(largest * sizeof *step), *stack = malloc(largest * sizeof *stack);
    const int good = s->regions && list.items && step && stack && allocate(s, nodes);
    if (good) find_needed(s, &list);
    for (int32_t i = 0; good && i < p->nregions; i++) {
        find_steps(&p->regions[i], &s->regions[i], step, stack);
        find_chunks(&p->regions[i], &s->regions[i], step, nodes, &s->statements);
        find_slots(&p->regions[i], &s->regions[i]);
    }
    free(list.items);
    free(step);
    free(stack);
    return good;
}

void hmli_schedule_free(schedule *s)
{
    for (int32_t i = 0; s->regions && i < s->program->nregions; i++) {
        free(s->regions[i].needed);
        free(s->regions[i].chunk);
        free(s->regions[i].slot);
        free(s->regions[i].chunk_step);
        free(s->regions[i].root_chunk);
    }
    free(s->regions);
    memset(s, 0, sizeof *s);
}
