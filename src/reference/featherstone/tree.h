/*
 * The tree as the textbook recursions walk it: every body with its pose, the columns of its joint and room for what the
 * recursions carry from body to body.
 *
 *   hmli_tree_open     lays the bodies out in the caller's scratch, checks the state, fills poses and columns
 *   hmli_tree_to_root  columns and inertias in an inertial frame that coincides with the tree's root at this instant
 */
#ifndef HML_REFERENCE_FEATHERSTONE_TREE_H
#define HML_REFERENCE_FEATHERSTONE_TREE_H

#include "group/joint.h"
#include "hamel/reference/textbook.h"
#include "model/model.h"

/* arrays lie apart, as long as the joints need them: what a recursion does not touch does not crowd the cache */
typedef struct tree_body {
    int parent, root, nv, at; /* at: first of its coordinates */
    pose X, H;                /* in the parent, in the world */
    inertia I;                /* in the body */
    twist v, a, c;            /* what they mean is said where they are used */
    wrench f, p;
    twist *S;               /* nv columns, in the body */
    twist *Sr;              /* nv columns in the root's frame, or in another form */
    twist *Sd[3], *V;       /* derivatives of columns (1 to 3) and twists (0 to 3) in that frame, held still */
    wrench *F;              /* 3 wrenches: wrenches and their derivatives there */
    double *IA, *U, *D, *u; /* 36, 6·nv, nv², nv */
    pose P;                 /* in the root of its tree */
    inertia Ic;
} tree_body;

typedef struct tree {
    int n;
    tree_body *body;
    const hml_model *model;
    double *vector; /* nv numbers, for whoever needs them */
} tree;

/* v and others may be NULL; lengths follow from the model */
hml_status hmli_tree_open(const hml_model *model, void *scratch, const double *q, const double *v, const double *other,
                          const double *wrenches, tree *t);

/* P, Sr and Ic (of the body alone) */
void hmli_tree_to_root(tree *t);

/* b->v and b->a: V and V̇ of every body, in the body; V̇ with −g in it. a NULL: ν̇ = 0 */
void hmli_tree_motion(tree *t, const double *v, const double *a);

/* row or column of coordinate k of its joint */
static inline size_t tree_at(const tree_body *b, int k) { return (size_t)b->at + (size_t)k; }

/* S ν, in the body */
static inline twist tree_joint(const tree_body *b, const twist *S, const double *v)
{
    twist sum = twist_zero();
    for (int k = 0; k < b->nv; k++) sum = twist_axpy(v[b->at + k], S[k], sum);
    return sum;
}

static inline vec3 tree_gravity(const tree *t)
{
    const double *g = t->model->gravity;
    return vec3_at(g);
}

static inline wrench tree_wrench(const double *wrenches, int body)
{
    if (!wrenches) return wrench_zero();
    const double *w = wrenches + 6 * body;
    return wrench_at(w);
}

/*
 * rnea.c: forward and backward recursion in a representation. b->f is then W_i, what joint i and all that passes
 * through it exert on body i: Müller (67a), (71b), (76b)
 */
void hmli_tree_wrenches(tree *t, hml_representation representation, const double *v, const double *a,
                        const double *wrenches);

/*
 * aba.c: x with Σ J_iᵀ I_i J_i x = Σ J_iᵀ f_i, f the wrenches b->f of the bodies; b->a is then J_i x. The bodies'
 * masses alone count, no armature. HML_SINGULAR where they do not determine x. Ic, IA, U, D, u, p, c and vector are
 * used.
 */
hml_status hmli_tree_project(tree *t, double *x);

/* forces of dampers and springs, subtracted from x (nv) */
void hmli_tree_subtract_passive(const tree *t, const double *q, const double *v, double *x);

#endif
