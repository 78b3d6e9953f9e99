/* Finding the limbs of a robot: see shape.h. */
#include "generate/shape.h"

#include <stdlib.h>
#include <string.h>

/* the same joints in the same order? */
static int same_shape(const plan_body *b, int32_t i, int32_t j)
{
    const int32_t n = b[i].end - i;
    if (b[j].end - j != n) return 0;
    for (int32_t k = 0; k < n; k++) {
        if (b[i + k].type != b[j + k].type) return 0;
        if (k > 0 && b[i + k].parent - i != b[j + k].parent - j) return 0;
    }
    return 1;
}

int hmli_shape_is_galilean(const robot_shape *s, int32_t body)
{
    const plan_body *b = &plan_bodies(s->plan)[body];
    if (s->stays || b->type != HML_JOINT_FREE || b->parent >= 0) return 0;
    for (int32_t k = 0; k < b->nv; k++) {
        const model_coordinate *c = &plan_coordinates(s->plan)[b->v + k];
        if (c->armature != 0 || c->damping != 0 || c->stiffness != 0) return 0;
    }
    return 1;
}

static int32_t subtree_columns(const plan_body *b, int32_t i)
{
    const plan_body *last = &b[b[i].end - 1];
    return last->v + last->nv - b[i].v;
}

/* the siblings of body i that have its shape, i itself first; those marked already belong to another class */
static void gather(const robot_shape *s, int32_t i, const char *marked, limb_class *c)
{
    const plan_body *b = plan_bodies(s->plan);
    const int32_t parent = b[i].parent, end = b[parent].end;
    c->members = 0;
    c->attach = parent;
    c->nbodies = b[i].end - i;
    c->n = subtree_columns(b, i);
    for (int32_t j = i; j < end && c->members < GRAPH_LANES; j = b[j].end) {
        if (b[j].parent == parent && !marked[j] && same_shape(b, i, j)) c->first[c->members++] = j;
    }
}

/* the columns of the trunk between a class and the world, root first */
static int fill_path(robot_shape *s, limb_class *c)
{
    const plan_body *b = plan_bodies(s->plan);
    c->npath = 0;
    for (int32_t i = c->attach; i >= 0; i = b[i].parent) c->npath += b[i].nv;
    c->path = malloc((size_t)(c->npath + 1) * sizeof *c->path);
    if (!c->path) return 0;
    int32_t at = c->npath;
    for (int32_t i = c->attach; i >= 0; i = b[i].parent) {
        for (int32_t k = b[i].nv - 1; k >= 0; k--) c->path[--at] = s->place[b[i].v + k];
    }
    return 1;
}

static void find_classes(robot_shape *s, char *marked)
{
    const plan_body *b = plan_bodies(s->plan);
    for (int32_t i = 0; i < s->plan->nbodies; i = marked[i] ? b[i].end : i + 1) {
        limb_class c = {0};
        if (marked[i] || b[i].parent < 0) continue;
        gather(s, i, marked, &c);
        if (c.members < 2 || c.n == 0) continue;
        for (int32_t m = 0; m < c.members; m++) marked[c.first[m]] = 1;
        s->classes[s->nclasses++] = c;
    }
}

static void find_trunk(robot_shape *s, const char *marked)
{
    const plan_body *b = plan_bodies(s->plan);
    for (int32_t c = 0; c < s->plan->nv; c++) s->place[c] = -1;
    for (int32_t i = 0; i < s->plan->nbodies; i = marked[i] ? b[i].end : i + 1) {
        if (marked[i]) continue;
        s->body[s->trunk_bodies++] = i;
        for (int32_t k = 0; k < b[i].nv; k++) {
            s->place[b[i].v + k] = s->trunk_columns;
            s->column[s->trunk_columns++] = b[i].v + k;
        }
    }
}

int hmli_shape_find(robot_shape *s, const hml_model *model, int limbs)
{
    const hml_plan *plan = model_plan(model);
    const size_t nbodies = (size_t)plan->nbodies + 1, nv = (size_t)plan->nv + 1;
    char *marked = calloc(nbodies, 1);
    memset(s, 0, sizeof *s);
    s->model = model;
    s->plan = plan;
    s->classes = calloc(nbodies, sizeof *s->classes);
    s->body = calloc(nbodies, sizeof *s->body);
    s->column = calloc(nv, sizeof *s->column);
    s->place = calloc(nv, sizeof *s->place);
    int good = marked && s->classes && s->body && s->column && s->place;
    if (good && limbs) find_classes(s, marked);
    if (good) find_trunk(s, marked);
    for (int32_t i = 0; good && i < s->nclasses; i++) good = fill_path(s, &s->classes[i]);
    for (int32_t i = 0; i < plan->nbodies; i++) {
        const int32_t level = plan_bodies(plan)[i].level + 1;
        if (level > s->longest) s->longest = level;
    }
    free(marked);
    return good;
}

void hmli_shape_free(robot_shape *s)
{
    for (int32_t i = 0; i < s->nclasses; i++) free(s->classes[i].path);
    free(s->classes);
    free(s->body);
    free(s->column);
    free(s->place);
    memset(s, 0, sizeof *s);
}
