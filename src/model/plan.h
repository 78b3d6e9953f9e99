/*
 * The plan: what the kernels need of a model, laid out once when the model is built, beside the tree in the same block.
 *
 * Frames. A kernel may choose its own body frames. The frame of a body with an axis has its origin on that axis and z
 * along it; every other body keeps its axes and moves its origin to the joint's centre. So an axis is always z, a point
 * is always zero, and placements and inertias are folded to match.
 *
 * Columns. After forward kinematics there are only columns, one for each coordinate of the tree velocity. λ(c) is the
 * column before c on the way to the root: the previous one of the same joint, or the last one of the nearest ancestor
 * that has any. A segment is a run of columns each of which carries the next and nothing else; its first column hangs
 * on the column `attach`, the last of another segment. The path of c is all its ancestors, root first; a column's depth
 * is its place in a path.
 *
 * Runs. What q ⊕ ν and the checks of a configuration walk over: most numbers of most robots simply add up, and all that
 * stand side by side are one run. Runs are in the user's numbering, which leaves followers out.
 *
 * Motions. The pose of a body in its parent's body frame, as its joint makes it: all that poses need. Where one number
 * moves a body, four by four matrices are C + x A + y B, with the cosine and the sine of an angle, or with a length.
 */
#ifndef HML_MODEL_PLAN_H
#define HML_MODEL_PLAN_H

#include "model/model.h"

typedef struct plan_body {
    int32_t parent; /* −1: root of a tree, also where that hangs on a body fixed to the world */
    int32_t type;   /* hml_joint_type */
    int32_t q, v;   /* first numbers in the tree's configuration and velocity */
    int32_t nv;
    int32_t quarter_turn; /* of X's rotation, see plan_quarter_turn */
    int32_t level;        /* bodies between it and the root of its tree, that one included */
    int32_t end;          /* of its subtree: bodies i … end − 1 */
    double X[12];         /* predecessor frame in the parent's plan frame: R row-major, then p */
    double I[10];         /* about the plan frame's origin: m, hx hy hz, Jxx Jxy Jxz Jyy Jyz Jzz */
    double pitch;
    double to_body[12]; /* body frame in the plan frame: R row-major, then p */
} plan_body;

typedef struct plan_column {
    int32_t body;
    int32_t first;       /* first column of its joint */
    int32_t subtree_end; /* columns of the joint and of everything it carries: first … subtree_end − 1 */
    int32_t depth;       /* number of its ancestors */
    int32_t segment;
} plan_column;

typedef struct plan_segment {
    int32_t begin, end; /* its columns */
    int32_t depth;      /* of its first column */
    int32_t parent;     /* the segment it hangs on, or −1 */
    int32_t attach;     /* the column it hangs on, or −1 */
} plan_segment;

typedef struct plan_tree {
    int32_t body_begin, body_end; /* a body fixed to the world is a tree without columns */
    int32_t begin, end;           /* columns */
    int32_t base;                 /* 6 if the root is a free joint, whose columns are the identity; else 0 */
} plan_tree;

/* a joint with a quaternion or an arc, or numbers of any joints that add up */
typedef struct plan_run {
    int32_t type; /* hml_joint_type; HML_JOINT_FIXED: they add up */
    int32_t q, v; /* first numbers in the user's configuration and velocity */
    int32_t n;    /* how many add up */
} plan_run;

typedef struct plan_motion {
    int32_t parent, type, q; /* as in the model */
    int32_t level;           /* bodies between it and the world */
    /* Revolute: the quarter turn of its placement, if it is one and the axis is one of the frame's, through its origin.
     * Not revolute: 1 if placement and plan frame are the identity. Else 0 */
    int32_t quarter_turn;
    int32_t axis; /* of such a revolute joint: 0, 1, 2 for x, y, z, and 4 more if it is reversed */
    double pitch;
    /* 3 × 4 each, row-major. Revolute: C, A, B of C + cos A + sin B; prismatic: C, A; others: placement, to_body */
    double rows[3][12];
} plan_motion;

typedef struct hml_plan {
    uint64_t size;
    int32_t nbodies, nv, nq, ntrees, nsegments, nruns;
    int32_t depth;                             /* longest path, in columns, the column itself included */
    int32_t passive;                           /* 1: some coordinate has armature, damping or a spring */
    int32_t levels;                            /* highest level of a motion, plus one */
    int32_t block;                             /* columns of the largest block, see plan_block_end */
    int32_t longest_path;                      /* longest path without the columns of a free root */
    uint64_t bodies, columns, segments, trees; /* offsets from the plan, bytes */
    uint64_t runs, motions, inertias;
    int32_t angles_begin, angles_end; /* all angles of the tree's configuration lie in this range */
    int64_t coordinates, rest;        /* offsets from the plan back to the model's sections, bytes */
} hml_plan;

/* bytes the plan of a model needs, and laying it out at model->plan; all other sections are final before */
size_t hmli_plan_size(const hml_model *model);
void hmli_plan_fill(hml_model *model);

static inline const hml_plan *model_plan(const hml_model *m) { return (const hml_plan *)model_at(m, m->plan); }
static inline const void *plan_at(const hml_plan *p, uint64_t offset) { return (const char *)p + offset; }
static inline const plan_body *plan_bodies(const hml_plan *p) { return (const plan_body *)plan_at(p, p->bodies); }
static inline const plan_column *plan_columns(const hml_plan *p) { return (const plan_column *)plan_at(p, p->columns); }
static inline const plan_tree *plan_trees(const hml_plan *p) { return (const plan_tree *)plan_at(p, p->trees); }
static inline const plan_motion *plan_motions(const hml_plan *p) { return (const plan_motion *)plan_at(p, p->motions); }
static inline const plan_run *plan_runs(const hml_plan *p) { return (const plan_run *)plan_at(p, p->runs); }

/* number k of all bodies' I in a row, and a pack of zeros more */
enum { PLAN_PACK = 8 };
static inline const double *plan_inertias(const hml_plan *p, int k)
{
    return (const double *)plan_at(p, p->inertias) + (size_t)k * ((size_t)p->nbodies + PLAN_PACK);
}

static inline const double *plan_rest(const hml_plan *p) { return (const double *)((const char *)p + p->rest); }

/*
 * Blocks: the columns below a free root fall into the subtrees that hang on it; those of any other tree are one block.
 * Where the one that begins with a column ends.
 */
static inline int32_t plan_block_end(const hml_plan *p, const plan_tree *t, int32_t begin)
{
    return t->base ? plan_columns(p)[begin].subtree_end : t->end;
}

/*
 * Most rotations between joints are quarter turns: column k of R is the axis `at[k]` times sign[k]. In
 * plan_body.quarter_turn these are three bits a column, the sign above the axis, and PLAN_QUARTER_TURN beside them; 0:
 * it is no quarter turn.
 */
enum { PLAN_QUARTER_TURN = 1 << 9 };

static inline int plan_quarter_turn(int32_t turn, int at[3], double sign[3])
{
    for (int k = 0; k < 3; k++) {
        at[k] = turn >> (3 * k) & 3;
        sign[k] = turn >> (3 * k + 2) & 1 ? -1 : 1;
    }
    return turn != 0;
}

static inline const plan_segment *plan_segments(const hml_plan *p)
{
    return (const plan_segment *)plan_at(p, p->segments);
}

static inline const model_coordinate *plan_coordinates(const hml_plan *p)
{
    return (const model_coordinate *)((const char *)p + p->coordinates);
}

#endif
