/* Regions and their roots: see program.h. */
#include "generate/program.h"

#include "generate/frames.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* room for the expressions that solve.c reads */
static int init_tables(region *r)
{
    static const program_array squares[] = {ARRAY_M, ARRAY_BQ, ARRAY_BV, ARRAY_INVERSE};
    static const program_array sides[] = {ARRAY_MP, ARRAY_UQ, ARRAY_UV, ARRAY_RQ, ARRAY_RV, ARRAY_T};
    const size_t n = (size_t)r->n, side = n * (size_t)r->npath;
    size_t at = 0;
    r->tables = calloc(4 * n * n + 6 * side + 2 * n + 1, sizeof *r->tables);
    if (!r->tables) return 0;
    for (int i = 0; i < 4; i++, at += n * n) r->table[squares[i]] = r->tables + at;
    for (int i = 0; i < 6; i++, at += side) r->table[sides[i]] = r->tables + at;
    r->table[ARRAY_H] = r->tables + at;
    r->table[ARRAY_OWN] = r->tables + at + n;
    return 1;
}

static int init_region(program *p, region *r, int32_t id)
{
    const robot_shape *s = p->shape;
    const limb_class *c = id > 0 ? &s->classes[id - 1] : NULL;
    r->id = id;
    r->limbs = c;
    r->n = c ? c->n : s->trunk_columns;
    r->npath = c ? c->npath : 0;
    r->nparts = c ? c->nbodies : s->trunk_bodies;
    r->parts = calloc((size_t)r->nparts + 1, sizeof *r->parts);
    r->path = calloc((size_t)s->longest + 1, sizeof *r->path);
    if (!hmli_graph_init(&r->g, c ? c->members : 1) || !r->parts || !r->path) return 0;
    if (p->solves && !init_tables(r)) return 0;
    for (int32_t i = 0; i < r->nparts; i++) {
        part *b = &r->parts[i];
        b->body = c ? c->first[0] + i : s->body[i];
        const int32_t parent = plan_bodies(s->plan)[b->body].parent;
        p->part_of[b->body] = i;
        b->parent = parent < 0 || (c && i == 0) ? -1 : p->part_of[parent];
        b->nv = plan_bodies(s->plan)[b->body].nv;
        b->galilean = !c && hmli_shape_is_galilean(s, b->body);
    }
    return 1;
}

int hmli_program_init(program *p, const robot_shape *shape, int solves)
{
    memset(p, 0, sizeof *p);
    p->solves = solves;
    p->shape = shape;
    p->nregions = 1 + shape->nclasses;
    p->regions = calloc((size_t)p->nregions, sizeof *p->regions);
    p->part_of = calloc((size_t)shape->plan->nbodies + 1, sizeof *p->part_of);
    int good = p->regions && p->part_of;
    for (int32_t i = 0; good && i < p->nregions; i++) good = init_region(p, &p->regions[i], i);
    return good && hmli_frames_choose(p);
}

void hmli_program_free(program *p)
{
    for (int32_t i = 0; p->regions && i < p->nregions; i++) {
        region *r = &p->regions[i];
        hmli_graph_free(&r->g);
        free(r->parts);
        free(r->path);
        free(r->roots);
        free(r->tables);
        free(r->frames);
    }
    free(p->regions);
    free(p->part_of);
    memset(p, 0, sizeof *p);
}

/* ---- roots ---- */

static void add_root(region *r, int32_t array, int32_t index, ex e)
{
    if (!array_grow(&r->roots, &r->roots_capacity, (size_t)r->nroots + 1, sizeof *r->roots)) {
        r->g.failed = 1;
        return;
    }
    r->roots[r->nroots++] = (root){r->step, array, index, e};
}

void hmli_program_keep(region *r, program_array array, int32_t index, ex e) { add_root(r, (int32_t)array, index, e); }

void hmli_program_store(region *r, program_array array, int32_t index, ex e)
{
    if (r->table[array])
        r->table[array][index] = e;
    else
        add_root(r, (int32_t)array, index, e);
}

ex hmli_program_import(program *p, region *r, ex e)
{
    region *trunk = &p->regions[0];
    double value[GRAPH_LANES];
    if (r == trunk || r->g.failed || trunk->g.failed) return e;
    if (hmli_graph_values(&trunk->g, e, value)) return hmli_graph_number(&r->g, value[0]);
    const int32_t before = r->g.count;
    const ex leaf = hmli_graph_import(&r->g, 0, e);
    if (r->g.count > before) add_root(trunk, -1, 0, ex_of_node(ex_node(e)));
    return leaf;
}

ex3 hmli_program_import3(program *p, region *r, ex3 a)
{
    return ex3_of(hmli_program_import(p, r, a.x), hmli_program_import(p, r, a.y), hmli_program_import(p, r, a.z));
}

ex6 hmli_program_import6(program *p, region *r, ex6 a)
{
    return ex6_of(hmli_program_import3(p, r, a.v), hmli_program_import3(p, r, a.w));
}

ex hmli_program_sum(program *p, region *limbs, ex e)
{
    graph *trunk = &p->regions[0].g;
    double values[GRAPH_LANES], sum = 0;
    if (trunk->failed || limbs->g.failed) return EX_ZERO;
    if (hmli_graph_values(&limbs->g, e, values)) {
        for (int32_t l = 0; l < limbs->g.lanes; l++) sum += values[l];
        return hmli_graph_number(trunk, sum);
    }
    const int32_t before = trunk->count;
    const ex leaf = hmli_graph_sum(trunk, limbs->id, e);
    if (trunk->count > before) add_root(limbs, -1, 0, ex_of_node(ex_node(e)));
    return leaf;
}

/* ---- constants of the model ---- */

/* the body of a member that corresponds to that of the first one */
static int32_t body_of(const region *r, int32_t body, int32_t member)
{
    return r->limbs ? r->limbs->first[member] + body - r->limbs->first[0] : body;
}

ex hmli_program_field(const program *p, region *r, int32_t body, size_t offset)
{
    double values[GRAPH_LANES];
    for (int32_t l = 0; l < r->g.lanes && l < GRAPH_LANES; l++) {
        const char *b = (const char *)&plan_bodies(p->shape->plan)[body_of(r, body, l)];
        memcpy(&values[l], b + offset, sizeof values[l]);
    }
    return hmli_graph_constant(&r->g, values);
}

ex hmli_program_rest(const program *p, region *r, int32_t body, int32_t k)
{
    const hml_plan *plan = p->shape->plan;
    double values[GRAPH_LANES];
    for (int32_t l = 0; l < r->g.lanes && l < GRAPH_LANES; l++)
        values[l] = plan_rest(plan)[plan_bodies(plan)[body_of(r, body, l)].q + k];
    return hmli_graph_constant(&r->g, values);
}

static double coordinate(const program *p, const region *r, int32_t column, size_t offset, int32_t member)
{
    const hml_plan *plan = p->shape->plan;
    const int32_t body = plan_columns(plan)[column].body, k = column - plan_bodies(plan)[body].v;
    const int32_t at = plan_bodies(plan)[body_of(r, body, member)].v + k;
    double value;
    memcpy(&value, (const char *)&plan_coordinates(plan)[at] + offset, sizeof value);
    return value;
}

ex hmli_program_coordinate(const program *p, region *r, int32_t column, size_t offset)
{
    double values[GRAPH_LANES];
    for (int32_t l = 0; l < r->g.lanes && l < GRAPH_LANES; l++) values[l] = coordinate(p, r, column, offset, l);
    return hmli_graph_constant(&r->g, values);
}

/* a step with dampers c and springs k at its end is that of a robot with the dampers c + h k and the armature + h (c + h k) */
ex hmli_program_damping(const program *p, region *r, int32_t column)
{
    const ex c = hmli_program_coordinate(p, r, column, offsetof(model_coordinate, damping));
    if (!p->implicit) return c;
    const ex k = hmli_program_coordinate(p, r, column, offsetof(model_coordinate, stiffness));
    return hmli_graph_add(&r->g, c, hmli_graph_mul(&r->g, hmli_graph_input(&r->g, ARRAY_STEP, 0), k));
}

ex hmli_program_armature(const program *p, region *r, int32_t column)
{
    const ex armature = hmli_program_coordinate(p, r, column, offsetof(model_coordinate, armature));
    if (!p->implicit) return armature;
    const ex more = hmli_graph_mul(&r->g, hmli_graph_input(&r->g, ARRAY_STEP, 0), hmli_program_damping(p, r, column));
    return hmli_graph_add(&r->g, armature, more);
}
