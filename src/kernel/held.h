/*
 * A tree with feet that the world holds: what its kernels are given, and their memory.
 *
 *   single_held    one state   kernel/single/held.h, held_loop.h, held_solve.h, held_rates.h, held_base.h and
 *                              held_matrices.h
 *   pack_held      a pack      kernel/pack/held.h, held_inverse.h, held_columns.h
 *
 * Every row of the constraints is a wrench x at the foot's point, along an axis in which the caller has λ: the world's
 * for a point, the foot's own for a frame, the normal of a plane. J = x·S along the foot's path. All matrices with a
 * row or a column per row of the constraints are padded to HELD_PACK, with zeros, so that objects of any width agree
 * on them. A plane has three more columns of J, its shadow: those of a point in the root's axes. What another body of
 * the tree holds, and not the world, is a loop; single calls know it.
 *
 * Each constraint holds one tree, so trees have nothing to do with each other: they are handed over one by one.
 */
#ifndef HML_KERNEL_HELD_H
#define HML_KERNEL_HELD_H

#include <stdint.h>

#include "base/layout.h"
#include "kernel/call.h"

enum { HELD_PACK = 8 };

/* diagonal of K over pivot: from here on one step of refinement; from here on the kernels decline. Measured */
enum { HELD_REFINE = 10000, HELD_DECLINE = 10000000 };

typedef struct held_foot {
    int32_t rows;            /* 6: a frame, 3: a point, 1: a plane */
    int32_t body;            /* of the plan */
    int32_t row, out;        /* its first row, among the tree's and among the caller's */
    int32_t shadow;          /* of a plane: where its three columns begin */
    const double *placement; /* in the body frame: R row-major, then p */
    const double *goal;      /* 4 × 4, row-major; read where stiffness is not zero */
    double damping, stiffness;
    double normal[4]; /* of a plane: in the world, of length 1 */
    int32_t other;    /* of a loop: the other body that it ties; −1: the world, and all below is unused */
    const double *other_placement;
    int32_t *room;      /* columns: for `path` */
    uint8_t *room_sets; /* two sets: for `above` and `behind` */

    /* what the walk finds, in the root frame */
    int32_t slot;
    int32_t depth;        /* columns below a free root that move it: `path`, and the same as a set */
    const int32_t *path;  /* in the plan's numbering */
    const uint8_t *above; /* NULL where there are none */
    double p[4];          /* the point */
    double axis[3][4];    /* of the rows; of a plane the first is its normal */
    double v[8];          /* the body's velocity, less what the passes leave out: a row of simd/row8.h */
    double at[4];         /* that of the point */
    double error[8];      /* of a frame: log, in its own axes; of a point: its distance from the goal, in the root's */
    double rate[4];       /* of a plane: what c would be without the normal */

    /* of a loop: `path` and `above` are the columns that move one of its bodies and not both */
    const uint8_t *behind; /* those that move the other body */
    int32_t other_slot, other_depth;
    const int32_t *other_path;     /* all columns below a free root that move it */
    double other_v[8], other_a[8]; /* as they are, with gravity and u; so is v */
} held_foot;

/* what a walk finds */
typedef struct held_found {
    int32_t nactive;
    int refine; /* 1: K is so near to singular that a second step is needed */
} held_found;

typedef struct held_call {
    kernel_call call;      /* D_q, D_ν, M⁻¹ of the whole robot; each may be missing */
    int32_t tree;          /* which one; the kernels expect them in order */
    int derivatives;       /* 0: ν̇ and λ alone */
    double tolerance;      /* of the rank */
    held_foot *feet;       /* of this tree */
    int32_t nfeet, rows;   /* rows: of the tree */
    int loops;             /* 1: there are some among the feet */
    int32_t shadows;       /* columns of all shadows */
    size_t ld, kd, nd, qd; /* of J; of W and K; columns of the tree, padded; of Q */
    double *X;             /* 6 × ld: the wrenches x, and shadows behind `kd` */
    double *J;             /* n × ld: of columns below a free root, transposed */
    double *W;             /* columns × kd: M⁻¹ Jᵀ */
    double *K;             /* rows × kd: J M⁻¹ Jᵀ, then its inverse */
    double *diagonal;      /* kd: of K */
    double *c;             /* kd: c without ν̇, then as it is left */
    double *lambda;        /* kd */
    double *step, *rest;   /* kd: of λ, and what is left of c before it */
    double *Q;             /* columns + rows, × qd: single/held_matrices.h */
    double *V;             /* 6 + rows, × nd: the right factor of D_τ */
    double *rhs;           /* qd pairs of packs: right-hand sides, in the order of Q's columns */
    double *turn;          /* ld packs: how λ of a point turns in the world while its body turns; f × S of shadows */
    int32_t *list;         /* columns of Q that meet a right-hand side */
    int32_t *out;          /* rows: which of the caller's they are */
    int32_t *active;       /* columns below a free root that move any foot, in order: found->nactive */
    uint8_t *moved;        /* columns: a mark each, while `active` is made */
    held_found *found;
    kernel_output force_q, force_v, force_tau; /* ∂λ: rows of the caller, columns of the robot */
    double *force;                             /* λ: the same rows */
    double *E;                                 /* 6 × kd: of three columns of a free root, by q and by ν */
} held_call;

static inline size_t held_padded(size_t n) { return (n + HELD_PACK - 1) / HELD_PACK * HELD_PACK; }

/*
 * For a tree of `columns` columns and that many rows and columns of shadows; from memory on (aligned to LAYOUT_ALIGN),
 * or only measured; returns the size in bytes
 */
static inline size_t held_lay_out(size_t columns, size_t rows, size_t shadows, void *memory, held_call *h)
{
    const size_t d = sizeof(double);
    layout_cursor c = layout_begin(memory);
    h->rows = (int32_t)rows, h->shadows = (int32_t)shadows;
    h->kd = held_padded(rows + 1); /* one more: three numbers of a foot are written as four */
    h->ld = h->kd + held_padded(shadows);
    h->nd = held_padded(columns);
    h->qd = h->nd + h->kd;
    h->X = (double *)layout_take(&c, 6 * h->ld * d);
    h->J = (double *)layout_take(&c, (columns * h->ld + HELD_PACK) * d);
    h->W = (double *)layout_take(&c, (h->nd + HELD_PACK) * h->kd * d);
    h->K = (double *)layout_take(&c, h->kd * h->kd * d);
    h->diagonal = (double *)layout_take(&c, h->kd * d);
    h->c = (double *)layout_take(&c, (h->kd + HELD_PACK) * d);
    h->lambda = (double *)layout_take(&c, h->kd * d);
    h->step = (double *)layout_take(&c, h->kd * d);
    h->rest = (double *)layout_take(&c, h->kd * d);
    h->Q = (double *)layout_take(&c, (h->nd + h->kd + HELD_PACK) * h->qd * d);
    h->V = (double *)layout_take(&c, ((6 + h->kd) * h->nd + HELD_PACK) * d);
    h->rhs = (double *)layout_take(&c, h->qd * 2 * HELD_PACK * d);
    h->turn = (double *)layout_take(&c, h->ld * HELD_PACK * d);
    h->E = (double *)layout_take(&c, 6 * h->kd * d);
    h->list = (int32_t *)layout_take(&c, (columns + rows) * sizeof(int32_t));
    h->out = (int32_t *)layout_take(&c, rows * sizeof(int32_t));
    h->found = (held_found *)layout_take(&c, sizeof(held_found));
    h->moved = (uint8_t *)layout_take(&c, columns);
    h->active = (int32_t *)layout_take(&c, columns * sizeof(int32_t));
    return c.used;
}

/* ---- packs of states ---- */

/* frames and points of all trees; planes are left to single calls */
typedef struct held_pack_call {
    kernel_call call;      /* D_q, D_ν, M⁻¹ of the whole robot; each may be missing */
    int derivatives;       /* 0: ν̇ and λ alone */
    double tolerance;      /* of the rank */
    const held_foot *feet; /* in the caller's order: rows, body, out, placement, goal, damping, stiffness */
    int32_t nfeet, rows;   /* rows: of all of them */
    void *memory;          /* held_pack_size, aligned to LAYOUT_ALIGN */
    kernel_output force;   /* λ: one row */
    kernel_output force_q, force_v, force_tau; /* ∂λ: rows of the caller, columns of the robot */
} held_pack_call;

/* memory of a pack of `lanes` states; of arrays of packs only where they begin */
typedef struct held_pack_memory {
    void *feet;                /* HELD_FOOT_PACKS each */
    void *X, *J, *W, *K, *row; /* 6 × rows, rows × nv, nv × rows, rows × rows, HELD_ROW_PACKS × rows */
    void *Q;                   /* nv + rows, square */
    void *rhs, *turns;         /* FEET_COLUMNS × 2 (nv + rows), FEET_COLUMNS × rows */
    void *packs;               /* of a free root: pack/free_base.h */
    void *columns;             /* FEET_COLUMNS × HELD_COLUMN_BYTES */
    void *places;              /* HELD_PLACE_BYTES for each foot */
    uint8_t *on;               /* nfeet × nv: 1 where a column moves a foot */
    int32_t *out;              /* rows */
    int32_t *lists;            /* FEET_COLUMNS × (nv + rows) */
} held_pack_memory;

enum {
    HELD_FOOT_PACKS = 46,
    HELD_ROW_PACKS = 6, /* c, λ, four of what is computed on the way */
    HELD_COLUMN_BYTES = 32,
    HELD_PLACE_BYTES = 24,
    FEET_COLUMNS = 24 /* whose right-hand sides are there at once */
};

/* returns the size in bytes */
static inline size_t held_pack_lay_out(const hml_plan *plan, size_t lanes, size_t nfeet, size_t rows, void *memory,
                                       held_pack_memory *h)
{
    const size_t n = (size_t)plan->nv, num_size = lanes * sizeof(double), all = n + rows;
    layout_cursor c = layout_begin(memory);
    h->feet = layout_take(&c, nfeet * HELD_FOOT_PACKS * num_size);
    h->X = layout_take(&c, 6 * rows * num_size);
    h->J = layout_take(&c, rows * n * num_size);
    h->W = layout_take(&c, n * rows * num_size);
    h->K = layout_take(&c, rows * rows * num_size);
    h->row = layout_take(&c, HELD_ROW_PACKS * rows * num_size);
    h->Q = layout_take(&c, all * all * num_size);
    h->rhs = layout_take(&c, FEET_COLUMNS * 2 * all * num_size);
    h->turns = layout_take(&c, FEET_COLUMNS * rows * num_size);
    h->packs = layout_take(&c, (20 * n + 8) * num_size);
    h->columns = layout_take(&c, FEET_COLUMNS * HELD_COLUMN_BYTES);
    h->places = layout_take(&c, nfeet * HELD_PLACE_BYTES);
    h->on = (uint8_t *)layout_take(&c, nfeet * n);
    h->out = (int32_t *)layout_take(&c, rows * sizeof(int32_t));
    h->lists = (int32_t *)layout_take(&c, FEET_COLUMNS * all * sizeof(int32_t));
    return c.used;
}

#endif
