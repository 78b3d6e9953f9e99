/*
 * What plain kinematics keep in the scratch of a workspace, which has room for each of them (algo/work.c). They start at
 * the same place: one function uses one of them at a time.
 */
#ifndef HML_ALGO_KINEMATICS_SCRATCH_H
#define HML_ALGO_KINEMATICS_SCRATCH_H

#include "algo/kinematics/centroidal.h"
#include "algo/kinematics/frame_derivatives.h"
#include "base/layout.h"

/* a body, while its subtree is walked */
typedef struct body_motion {
    pose world, H; /* F₀ in the world, plan frame in F₀ */
    twist V[2];
} body_motion;

/* a body while derivatives of the momentum are computed, with what it carries */
typedef struct centroidal_state {
    pose world, H;
    twist v, a;
    composite sum;
} centroidal_state;

typedef struct kinematics_scratch {
    /* hml_frame_motions */
    body_motion *bodies; /* nbodies */
    /* derivatives along one path */
    path_column *path; /* tree_nv */
    /* Jacobians that the caller did not ask for, and a velocity of zeros */
    double *J, *Jdot, *rest; /* 6 × nv, 6 × nv, nv */
    /* hml_centroidal */
    struct {
        centroidal_body *bodies;    /* nbodies */
        centroidal_column *columns; /* tree_nv */
        double *A, *Adot;           /* 6 × nv */
    } centroidal;
    /* hml_centroidal_derivatives */
    struct {
        centroidal_state *bodies; /* nbodies */
        column_state *columns;    /* tree_nv */
        double *momentum_q;       /* 6 × nv */
    } derivatives;
} kinematics_scratch;

/* from memory on; memory NULL: only measured. Returns the size in bytes */
static inline size_t kinematics_scratch_lay(const hml_model *m, void *memory, kinematics_scratch *s)
{
    const size_t nb = (size_t)m->nbodies, nv = (size_t)m->nv, tree_nv = (size_t)m->tree_nv;
    layout_cursor bodies = layout_begin(memory), path = bodies, jacobian = bodies, com = bodies, more = bodies;
    s->bodies = (body_motion *)layout_array(&bodies, nb, sizeof *s->bodies);
    s->path = (path_column *)layout_array(&path, tree_nv, sizeof *s->path);
    s->J = layout_doubles(&jacobian, 6 * nv);
    s->Jdot = layout_doubles(&jacobian, 6 * nv);
    s->rest = layout_doubles(&jacobian, nv);
    s->centroidal.bodies = (centroidal_body *)layout_array(&com, nb, sizeof *s->centroidal.bodies);
    s->centroidal.columns = (centroidal_column *)layout_array(&com, tree_nv, sizeof *s->centroidal.columns);
    s->centroidal.A = layout_doubles(&com, 6 * nv);
    s->centroidal.Adot = layout_doubles(&com, 6 * nv);
    s->derivatives.bodies = (centroidal_state *)layout_array(&more, nb, sizeof *s->derivatives.bodies);
    s->derivatives.columns = (column_state *)layout_array(&more, tree_nv, sizeof *s->derivatives.columns);
    s->derivatives.momentum_q = layout_doubles(&more, 6 * nv);
    const size_t sizes[] = {bodies.used, path.used, jacobian.used, com.used, more.used};
    size_t size = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) size = sizes[i] > size ? sizes[i] : size;
    return size;
}

#endif
