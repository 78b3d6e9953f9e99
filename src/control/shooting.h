/*
 * The solver's memory and parts: a motion, the derivatives at its knots, and what each worker needs.
 *
 *   shooting_new.c      memory
 *   shooting_schedule.c which phase a knot belongs to
 *   shooting_guess.c    where it begins, and what it has found
 *   shooting_steps.c    the robot's steps, one by one and linearized in packs
 *   shooting_stages.c   those of schemes with inner stages
 *   shooting_terms.c    residuals of the terms and their Jacobians
 *   shooting_cost.c     residuals made into costs and constraints, first and second derivatives, multipliers
 *   shooting_search.c   backward pass, slope, and steps of the search
 *   shooting_solve.c    the iteration
 */
#ifndef HML_CONTROL_SHOOTING_H
#define HML_CONTROL_SHOOTING_H

#include "control/backward.h"
#include "control/problem.h"
#include "hamel/control/solver.h"

enum { CHUNK = 8 }; /* knots that a worker linearizes together */

#define SHOOTING_CLOSED 1e-9 /* the largest component of a gap that counts as none */

typedef struct shooting_motion {
    double *q, *v, *u;       /* (N + 1) × nq, (N + 1) × nv, N × m */
    double *tau;             /* N × nv: what the inputs do */
    double *lambda;          /* N × forces */
    double *q_next, *v_next; /* N × nq, N × nv: where the step leads */
    double *cost, *merit;    /* N + 1: costs and barriers; the same with the constraints' part */
    double *violation;       /* N + 1 */
    int32_t *worst;          /* N + 1: the term of it, or −1 */
    double gap_sum;          /* Σ |gap| */
} shooting_motion;

/* knots of one phase */
typedef struct shooting_chunk {
    size_t phase, first, count; /* phase == nphases: the end */
} shooting_chunk;

/* a stage at the knots of a chunk; tangents are by [z_q z_ν w] */
typedef struct shooting_stages {
    double *q, *theta, *v;             /* CHUNK × nq, n, n */
    double *theta_rate, *v_rate;       /* CHUNK × n */
    double *theta_tangent, *v_tangent; /* CHUNK × n × ld: of the rates */
    double *moved, *v_moved;           /* n × ld: of one knot's configuration and velocity */
    double *transposed;                /* n × product_pad(n) */
} shooting_stages;

typedef struct shooting_worker {
    hml_work *work;
    double *scratch;                       /* of steps and constraints */
    double *Ad, *Bd;                       /* CHUNK × 2n × 2n, 2n × n */
    double *Dq, *Dv, *Dtau, *a;            /* CHUNK × n × n, and n */
    double *force_q, *force_v, *force_tau; /* CHUNK × forces × n */
    double *force_u;                       /* CHUNK × forces × m */
    double *r, *g, *c;                     /* rows: residual, derivative and curvature of its rule */
    double *J;                             /* rows × ld: [q ν u], zero behind */
    double *frame, *frame2;                /* 6 × n */
    double *own_x, *own_u;                 /* rows × 2n, rows × m */
    shooting_stages stages;                /* where a phase has a scheme with stages */
} shooting_worker;

typedef struct shooting_term {
    size_t rows;
    double *multipliers;           /* of a constraint: one per knot and row */
    double *guard;                 /* the same: curvature of a row that is not beyond its bounds */
    double *lower, *upper;         /* rows */
    double *cone;                  /* facets + 1 rows of 3 */
    double *all_r, *all_x, *all_u; /* of an own term that is computed for all knots at once: its answer */
} shooting_term;

struct hml_solver {
    hml_problem problem; /* its arrays are the caller's */
    const hml_model *model;
    size_t N, n, nq, m, forces, rows; /* rows: of the largest term */
    size_t nchunks, nworkers, nlimited;
    int sliding; /* phases are those of a gait, whose knots come and go: hmli_shooting_schedule */
    backward_size size;
    backward_space space;
    curved_joint *curved;
    int *curved_types;
    int32_t *columns;
    limited_coordinate *limited;
    double *neutral; /* q */
    shooting_chunk *chunks;
    size_t *phase_of; /* N + 1 */
    size_t *first_of; /* N + 2: where the terms of a knot begin in term_of */
    size_t *term_of;
    size_t nuses; /* of terms at knots */
    shooting_term *terms;
    int32_t *hold_of; /* nterms × nphases: the hold of a term of forces in a phase, −1: it has none there */
    shooting_worker *workers;
    hml_status *statuses; /* of the chunks */
    shooting_motion now, trial;
    double *start_q, *start_v, *time;
    double *F, *E, *H, *gap;                                /* per knot */
    double *D;                                              /* per knot, of schemes with stages; NULL: there are none */
    double *lx, *lxx, *lu;                                  /* per knot; of the end too, but for lu */
    double *K, *k, *lower, *upper;                          /* lower and upper: of δu, one knot */
    double *z, *z_next, *w;                                 /* perturbations: 2n, 2n, m */
    double penalty, weight_of_gaps, regularization, growth; /* growth: of the regularization */
    double curvature;                                       /* of the merit along the step, where there are gaps */
    int constrained, with_bounds, keeps_regularization;
    void *memory;
    /* of the call that runs */
    const hml_solve_options *options;
    shooting_motion *target;
    int derivatives; /* what the tasks compute */
    int own_ready;   /* are the answers in all_r, all_x, all_u those of the target? */
};

/* problem has been checked. sliding: each phase has all knots, and the first one begins; see hmli_shooting_schedule */
hml_status hmli_shooting_new(const hml_problem *problem, const hml_solver_settings *settings, int sliding,
                             hml_solver **solver, hml_error *error);

/* the chunks of the phases in phase_of, which the caller has set; forces of the motion are forgotten */
void hmli_shooting_schedule(hml_solver *s);

/* the motion moved by a number of knots, which need not be whole: between two knots it is interpolated */
hml_status hmli_shooting_slide(hml_solver *s, double knots);

/* all knots at the start, with inputs that hold the robot there as well as they can */
void hmli_shooting_stay(hml_solver *s);

/* ---- steps ---- */

/* τ of the inputs of a knot */
void hmli_shooting_force(const hml_solver *s, const double *u, double *tau);

/* q_next, v_next and λ of knot k of a motion */
hml_status hmli_shooting_step(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t k);

/* the same of a chunk, with F, E, H and the gaps; derivatives of λ stay in the worker, by knots of the chunk */
hml_status hmli_shooting_linearize(hml_solver *s, shooting_worker *w, const shooting_motion *x,
                                   const shooting_chunk *c);

/* the gaps of a motion whose steps have been computed */
hml_status hmli_shooting_gaps(hml_solver *s, const shooting_motion *x);

/* derivatives of the forces of a knot of the chunk by its inputs, from those by τ */
void hmli_shooting_force_inputs(const hml_solver *s, shooting_worker *w, size_t in_chunk, size_t rows);

/* to (n rows, ld apart) += Dtau · actuation */
void hmli_shooting_add_inputs(const hml_solver *s, const double *Dtau, double *to);

/* ---- schemes with stages ---- */

/* does the phase need [D; F]? */
static inline int hmli_phase_has_stages(const hml_phase *phase)
{
    return !phase->impact && phase->scheme != HML_SCHEME_EULER;
}

/* bytes, and where memory is not NULL the pointers */
size_t hmli_stages_lay_out(const backward_size *z, size_t nq, void *memory, shooting_stages *s);

/* as hmli_shooting_step and hmli_shooting_linearize; F and D are sums over the stages */
hml_status hmli_stages_step(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t k);
hml_status hmli_stages_linearize(const hml_solver *s, shooting_worker *w, const shooting_motion *x,
                                 const shooting_chunk *c);

/* F and D of a knot whose gap is known, from these sums */
void hmli_stages_finish(const hml_solver *s, shooting_worker *w, size_t k, size_t in_chunk, double h);

/* ---- terms ---- */

/* how the columns of J are filled */
typedef enum term_shape {
    TERM_NONE,     /* no rows at this knot */
    TERM_DIAGONAL, /* row i moves with one column, column[i] */
    TERM_BLOCKS,   /* of a configuration: blocks of the joints */
    TERM_BY_Q,     /* columns of q in J */
    TERM_BY_ALL    /* all columns in J */
} term_shape;

typedef struct term_place {
    size_t term, knot, in_chunk;
    const double *q, *v, *u, *lambda; /* u and λ NULL at the end */
    int derivatives;
} term_place;

/* r into w->r; with derivatives J into w->J */
hml_status hmli_term_residual(const hml_solver *s, shooting_worker *w, const term_place *at, term_shape *shape);

/* the own terms that are computed for all knots at once, of a motion */
hml_status hmli_terms_own(hml_solver *s, const shooting_motion *x, int derivatives);

/* the column of row i of a diagonal term */
static inline size_t hmli_term_column(const hml_solver *s, const hml_term *t, size_t i)
{
    if (t->kind == HML_TERM_VELOCITY) return s->n + i;
    return t->kind == HML_TERM_INPUT ? 2 * s->n + i : s->limited[i].v;
}

/* ---- costs ---- */

/* cost, merit and violation of a knot, and with derivatives lx, lxx, lu */
hml_status hmli_shooting_cost(hml_solver *s, shooting_worker *w, shooting_motion *x, size_t knot, size_t in_chunk,
                              int derivatives);

/* y ← y + penalty · violation: after an iteration has converged, at the current motion */
hml_status hmli_shooting_multipliers(hml_solver *s);

/* rows of constraints that the trial pushes beyond their bounds get a curvature; how many did */
size_t hmli_shooting_guard(hml_solver *s);
void hmli_shooting_unguard(hml_solver *s);

/* ---- the search ---- */

/* all chunks of a motion on the caller's threads: costs, and with derivatives the steps too */
hml_status hmli_shooting_evaluate(hml_solver *s, shooting_motion *x, int derivatives);

hml_status hmli_shooting_backward(hml_solver *s);

/* the derivative of the merit along the step: Σ lₓ·z + l_u·w; with gaps the second one too, into s->curvature */
double hmli_shooting_slope(hml_solver *s);

/* the motion of step length alpha into trial */
hml_status hmli_shooting_try(hml_solver *s, double alpha);

#endif
