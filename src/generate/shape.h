/*
 * The shape of a robot: its trunk, and limbs of the same shape on one body of the trunk.
 *
 * A class of limbs is two to eight subtrees on one body whose joints have the same types in the same order. One piece of
 * code serves all members, with one lane or one turn of a loop for each. All other bodies are the trunk. M of a limb
 * couples to its own columns and to its path, the columns of the trunk between it and the world.
 */
#ifndef HML_GENERATE_SHAPE_H
#define HML_GENERATE_SHAPE_H

#include "generate/graph.h"
#include "model/plan.h"

typedef struct limb_class {
    int32_t members;            /* at least 2 */
    int32_t first[GRAPH_LANES]; /* first body of each member, in the plan */
    int32_t nbodies, n;         /* bodies and columns of a member */
    int32_t attach;             /* the body of the trunk that carries them */
    int32_t npath;
    int32_t *path; /* its columns, as places in the trunk's list */
} limb_class;

typedef struct robot_shape {
    const hml_model *model;
    const hml_plan *plan;
    int32_t nclasses;
    limb_class *classes;
    int32_t trunk_bodies, trunk_columns;
    int32_t *body;   /* of the trunk: plan bodies in their order */
    int32_t *column; /* of the trunk: tree columns in their order */
    int32_t *place;  /* of every tree column in the trunk's list; −1: a limb has it */
    int stays;       /* 1: no root falls freely in the recursion */
    int32_t longest; /* path of a column, in bodies: what the size of the code grows with */
} robot_shape;

/* limbs 0: everything is trunk. 0: no memory; hmli_shape_free in any case */
int hmli_shape_find(robot_shape *s, const hml_model *model, int limbs);
void hmli_shape_free(robot_shape *s);

/* does the root fall freely in the recursion, with gravity and its linear velocity put back at the end? */
int hmli_shape_is_galilean(const robot_shape *s, int32_t body);

/* tree columns of a member of a class begin here */
static inline int32_t limb_column(const robot_shape *s, const limb_class *c, int32_t member)
{
    return plan_bodies(s->plan)[c->first[member]].v;
}

#endif
