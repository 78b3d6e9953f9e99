/* See topology.h. */
#include "algo/topology.h"

static size_t aligned(size_t n) { return (n + 63) / 64 * 64; }

/*
 * The off-branch ranges of segment s, counted, and written if out is not NULL. Going up the path from the segment, the
 * rows under a path column k that are not under its child on the path lie before that child or after its subtree.
 */
static int64_t off_ranges(const hml_plan *plan, const plan_segment *s, off_range *out)
{
    const plan_column *columns = plan_columns(plan);
    const plan_segment *segments = plan_segments(plan);
    int32_t child = s->begin;
    int64_t n = 0;
    for (int32_t k = s->attach; k >= 0;) {
        const off_range sides[2] = {
            {k + 1, child, columns[k].depth + 1},
            {columns[child].subtree_end, columns[k].subtree_end, columns[k].depth + 1},
        };
        for (int i = 0; i < 2; i++) {
            if (sides[i].begin >= sides[i].end) continue;
            if (out) out[n] = sides[i];
            n++;
        }
        child = k;
        const plan_segment *t = &segments[columns[k].segment];
        k = k > t->begin ? k - 1 : t->attach;
    }
    return n;
}

static int64_t list_length(const plan_segment *s) { return (int64_t)s->depth + s->end - s->begin; }

static void totals(const hml_plan *plan, int64_t *nlist, int64_t *noff)
{
    const plan_segment *s = plan_segments(plan);
    *nlist = *noff = 0;
    for (int32_t i = 0; i < plan->nsegments; i++) {
        *nlist += list_length(&s[i]);
        *noff += off_ranges(plan, &s[i], NULL);
    }
}

size_t hml_topology_size(const hml_plan *plan)
{
    int64_t nlist, noff;
    totals(plan, &nlist, &noff);
    size_t nsegments = (size_t)plan->nsegments;
    return aligned(nsegments * sizeof(int64_t)) + aligned((nsegments + 1) * sizeof(int64_t)) +
           aligned((size_t)nlist * sizeof(int32_t)) + aligned((size_t)noff * sizeof(off_range));
}

void hml_topology_fill(const hml_plan *plan, void *memory, topology *t)
{
    int64_t nlist, noff;
    totals(plan, &nlist, &noff);
    size_t nsegments = (size_t)plan->nsegments;
    const plan_segment *segments = plan_segments(plan);
    char *at = (char *)memory;
    int64_t *start = (int64_t *)(void *)at;
    at += aligned(nsegments * sizeof(int64_t));
    int64_t *first = (int64_t *)(void *)at;
    at += aligned((nsegments + 1) * sizeof(int64_t));
    int32_t *list = (int32_t *)(void *)at;
    at += aligned((size_t)nlist * sizeof(int32_t));
    off_range *off = (off_range *)(void *)at;

    int64_t l = 0, o = 0;
    for (int32_t i = 0; i < plan->nsegments; i++) {
        const plan_segment *s = &segments[i];
        start[i] = l;
        first[i] = o;
        for (int32_t d = 0; d < s->depth; d++) {
            /* the path of the column it hangs on, then that column */
            const plan_segment *p = &segments[s->parent];
            list[l + d] = d < p->depth ? list[start[s->parent] + d] : p->begin + (d - p->depth);
        }
        for (int32_t c = s->begin; c < s->end; c++) list[l + s->depth + (c - s->begin)] = c;
        l += list_length(s);
        o += off_ranges(plan, s, off + o);
    }
    first[nsegments] = o;
    t->list = list;
    t->start = start;
    t->off = off;
    t->first = first;
}
