/*
 * Which coordinates a row of a step can have: those on the way from the world to the body that it is about. L of
 * M = LᵀL has the same zeros as M, and a row of J keeps its zeros in L⁻ᵀJᵀ: nothing is computed beside the way.
 *
 * A mimic follower moves with its leader, which may be on another branch. So the ways are those of the elimination tree
 * of M (Liu, "The role of elimination trees in sparse factorization", 1990), which without followers is the robot's own:
 * eliminating from the last coordinate on, the parent of k is the last one before k that row k of L can differ from
 * zero in. Coordinates that move one body are coupled in M, each with each, and therefore on one way.
 */
#include <string.h>

#include "model/mimic.h"
#include "sim/contact.h"

/* M[user[a]][user[b]] can differ from zero for every coordinate b of a body and a on the way to it */
static void mark_couplings(const hml_contact *c, int32_t *coupled)
{
    const model_body *b = model_bodies(c->model);
    const size_t n = c->n;
    for (int32_t body = 0; body < c->model->nbodies; body++) {
        for (int32_t k = b[body].v; k < b[body].v + b[body].nv; k++) {
            for (int32_t up = body; up >= 0; up = b[up].parent) {
                for (int32_t j = b[up].v; j < b[up].v + b[up].nv; j++) {
                    const size_t x = (size_t)c->user[k], y = (size_t)c->user[j];
                    coupled[x * n + y] = coupled[y * n + x] = 1;
                }
            }
        }
    }
}

static void find_parents(hml_contact *c)
{
    const size_t n = c->n;
    int32_t *coupled = c->common; /* free until it is filled */
    memset(coupled, 0, n * n * sizeof *coupled);
    mark_couplings(c, coupled);
    for (int32_t k = (int32_t)n - 1; k >= 0; k--) {
        const int32_t *row = coupled + (size_t)k * n;
        int32_t up = k - 1;
        while (up >= 0 && !row[up]) up--;
        c->parents[k] = up;
        for (int32_t j = 0; j < up; j++) coupled[(size_t)up * n + (size_t)j] |= row[j];
    }
}

/* up to four more than there are, so that a sum of products has the same order as that of all of them */
static int32_t rounded(const hml_contact *c, int32_t last)
{
    const int32_t length = (last + 4) / 4 * 4, n = (int32_t)c->n;
    return length < n ? length : n;
}

void hmli_contact_find_tree(hml_contact *c)
{
    model_mimic_map(c->model, c->user, c->factor);
    find_parents(c);
    for (int32_t i = 0; i < (int32_t)c->n; i++)
        for (int32_t k = 0; k < (int32_t)c->n; k++) {
            int32_t a = i, b = k;
            while (a != b) { /* a parent has a smaller number */
                if (a > b)
                    a = c->parents[a];
                else
                    b = c->parents[b];
            }
            c->common[(size_t)i * c->n + (size_t)k] = rounded(c, a);
        }
}

int32_t hmli_contact_row_end(const hml_contact *c, const contact_row *row)
{
    const model_body *b = model_bodies(c->model);
    if (c->loop_rows) return -1;
    if (row->kind == ROW_LIMIT) return c->limits[row->index].v;
    if (row->kind == ROW_FRICTION) return row->index;
    const touch *t = &c->now.items[row->index];
    int32_t end = -1;
    if (t->body >= 0 && t->other_body >= 0) return -1;
    for (int32_t body = t->body < 0 ? t->other_body : t->body; body >= 0; body = b[body].parent) {
        for (int32_t k = b[body].v; k < b[body].v + b[body].nv; k++) end = c->user[k] > end ? c->user[k] : end;
        if (end >= 0 && !c->model->nfollowers) break;
    }
    return end;
}

int32_t hmli_contact_row_length(const hml_contact *c, int32_t end) { return end < 0 ? (int32_t)c->n : rounded(c, end); }
