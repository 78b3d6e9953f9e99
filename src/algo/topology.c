/* See topology.h. */
#include "algo/topology.h"

static size_t aligned(size_t n) { return (n + 63) / 64 * 64; }

static int64_t list_length(const plan_segment *s) { return (int64_t)s->depth + s->end - s->begin; }

size_t hml_topology_size(const hml_plan *plan)
{
    const plan_segment *s = plan_segments(plan);
    int64_t n = 0;
    for (int32_t i = 0; i < plan->nsegments; i++) n += list_length(&s[i]);
    return aligned((size_t)plan->nsegments * sizeof(int64_t)) + aligned((size_t)plan->nv * sizeof(int32_t *)) +
           aligned((size_t)n * sizeof(int32_t));
}

void hml_topology_fill(const hml_plan *plan, void *memory, topology *t)
{
    const plan_segment *segments = plan_segments(plan);
    int64_t *start = (int64_t *)memory;
    const int32_t **of = (const int32_t **)(void *)((char *)memory + aligned((size_t)plan->nsegments * sizeof *start));
    int32_t *list = (int32_t *)(void *)((char *)of + aligned((size_t)plan->nv * sizeof *of));
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
    t->of = of;
}
