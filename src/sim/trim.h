/*
 * What the parts of hml_trim share.
 *
 *   trim_open.c        memory, checks, the start
 *   trim_equations.c   the equations and their derivatives
 *   trim_program.c     one step: the quadratic program
 *   trim_reason.c      the sentence about what cannot be balanced
 *   trim.c             the way from step to step
 *
 * Unknowns, in this order: z of the free coordinates, τ of the motors, u of the thrusters, λ of the holds. The last
 * three are called forces: the equations are linear in them. Equations: n of forces, divided by force_scale, then, if
 * positions are kept, m of positions.
 */
#ifndef HML_SIM_TRIM_H
#define HML_SIM_TRIM_H

#include "algo/work.h"
#include "hamel/trim.h"
#include "sim/constraint_loop.h"
#include "sim/shortest.h"

/* what a row of the program that is an inequality stands for */
typedef enum trim_row_kind { TRIM_POSITION, TRIM_TORQUE, TRIM_THRUST, TRIM_CONTACT } trim_row_kind;

typedef struct trim_row {
    trim_row_kind kind;
    int32_t item; /* coordinate, coordinate, thruster, hold */
} trim_row;

/* a point: configuration, forces, and by how much the equations are missed there */
typedef struct trim_point {
    double *q;    /* nq */
    double *f;    /* nf: τ, u, λ */
    double *c;    /* ne */
    double size;  /* |c| */
    double worst; /* the largest |c_i| */
    double side;  /* by how much an inequality that is not linear is missed: cones, positions of planar joints */
} trim_point;

typedef struct trim_system {
    const hml_model *model;
    hml_work *work;
    const hml_trim_problem *problem;
    const hml_constraints *holds; /* never NULL */
    size_t n, m;                  /* coordinates, rows of the holds */
    size_t nz, na, nt, nf;        /* free coordinates, motors, thrusters, forces */
    size_t nx, ne;                /* unknowns, equations */
    int32_t *free_at;             /* nz: their coordinates */
    int32_t *motor_at;            /* na */
    int *locked;                  /* n marks: not free */
    const double *guess, *v;
    double *start;         /* nq: the guess with unit quaternions */
    double *zero;          /* n */
    double *lower, *upper; /* n: of positions */
    double *effort;        /* na */
    double *weight;        /* nf: of forces in the cost */
    double *goal;          /* 16 per hold: where it stays */
    double *wrenches;      /* nbodies × 6 */
    double *dq;            /* n × n: of τ̂; then of q ⊖ guess */
    double *J;             /* 6 × n */
    double *J_e, *J_o;     /* 6 × n: of the two frames of a loop */
    double *C;             /* ne × nx: derivatives of the equations */
    double *way;           /* n: q ⊖ guess */
    double *pull;          /* nz: gradient of the posture's cost */
    double *centre, *root; /* nx: where the cost of a step is least, square roots of its weights */
    double *step;          /* nx: z, and the forces after the step */
    double *z;             /* n: z of all coordinates */
    trim_row *rows;        /* of the inequalities of the last program */
    size_t nrows;          /* how many it has */
    double posture, tolerance, force_scale;
    int32_t budget; /* programs that may still be solved */
    trim_point now, trial, best;
    shortest program;
} trim_system;

enum { TRIM_PROGRAMS = 500 }; /* that a caller without a wish may use */

/* the caller's holds, or none */
static inline const hml_constraints *trim_take_holds(const hml_trim_problem *p, hml_constraints *room)
{
    if (p->holds) return constraints_take(p->holds, room);
    *room = (hml_constraints){.struct_size = sizeof *room};
    return room;
}

static inline size_t trim_lambda_at(const trim_system *s) { return s->na + s->nt; }

/* a hold whose force must stay in a friction cone */
static inline int trim_is_contact(const trim_system *s, int32_t hold)
{
    return s->problem->friction && s->problem->friction[hold] > 0;
}

/* everything is checked and laid out; the guess is in s->now, evaluated. p and holds are as this library knows them */
hml_status hmli_trim_open(const hml_model *model, hml_work *work, const hml_trim_problem *p,
                          const hml_constraints *holds, double *scratch, trim_system *s);

/* c, size, worst and side of a point from its q and f */
hml_status hmli_trim_evaluate(trim_system *s, trim_point *x);

/* C at a point that is evaluated */
hml_status hmli_trim_differentiate(trim_system *s, const trim_point *x);

/* the frame of a hold, or of a loop: they are counted behind holds */
static inline int32_t trim_frame(const trim_system *s, int32_t i)
{
    return i < s->holds->count ? s->holds->items[i].frame : s->holds->loops[i - s->holds->count].frame;
}

/* J ν and J̇ ν of the holds, the largest entry and its hold: a steady motion must leave them where they are */
double hmli_trim_slip(const trim_system *s, const trim_point *x, int32_t *hold);

/* what a step makes least, beside solving the equations */
typedef enum trim_aim {
    TRIM_NEAR,   /* the way of z and of the forces: Newton's step of least length */
    TRIM_FORCES, /* the cost of the forces, with hardly any z */
    TRIM_COST    /* the cost of forces and posture */
} trim_aim;

/*
 * The step from a point at which C is known: s->step. damping: weight of z² beside the posture's, for TRIM_COST.
 * elastic: the equations are solved as well as the limits allow; otherwise HML_INCONSISTENT is possible.
 */
hml_status hmli_trim_step(trim_system *s, const trim_point *x, trim_aim aim, double damping, int elastic);

/* is inequality i of the last program in force after its step? */
int hmli_trim_at_limit(const trim_system *s, size_t i);

double hmli_trim_cost(trim_system *s, const trim_point *x);

/* most inequalities a program can have */
size_t hmli_trim_most_rows(const trim_system *s);

/* what is wrong at a point where the search ended with a status; C and the program are the last ones */
void hmli_trim_explain(trim_system *s, const trim_point *x, hml_status status, hml_error *error);

/* error with a sentence; error may be NULL */
void hmli_trim_say(hml_error *error, hml_status status, const char *format, ...);

#endif
