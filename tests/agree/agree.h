/*
 * The agreement machine: random and real robots, and every way to compute the same thing compared with every other.
 *
 *   recipe    a robot as a list of parts with a few states of each part: what can be drawn, shrunk and built
 *   subject   a recipe that was built: model, workspaces, states as arrays, and what the checks share
 *   check     a function that computes one family of things in several ways and notes each pair
 *   kind      a pair of ways: what is compared, by which measure, and how far the two may be apart
 *
 * Only public headers are used. Every array a check hands over has exactly the size it needs and a guard behind it, so
 * that what writes beyond is found without a sanitizer too. docs/testing.md describes the machine.
 */
#ifndef HAMEL_AGREE_H
#define HAMEL_AGREE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { PARTS = 200, STATES = 17, FRAMES = 3, NAME = 64 };

/* ---- recipes (recipe.c, draw.c) ---- */

typedef struct part {
    char name[NAME], joint[NAME];
    int parent; /* index of a part, always a smaller one; −1: the world */
    int leader; /* −1: follows nobody */
    hml_joint_spec spec;
    int massive;
    hml_inertia_spec inertia;
} part;

typedef struct part_state {
    double q[HML_JOINT_MAX_NQ], v[HML_JOINT_MAX_NV], tau[HML_JOINT_MAX_NV], a[HML_JOINT_MAX_NV], wrench[6];
} part_state;

typedef struct recipe {
    char label[160];
    uint64_t seed; /* of what checks draw */
    double gravity[3];
    unsigned build; /* HML_BUILD_… */
    int pushed;     /* 1: with external wrenches */
    int far;        /* 1: a state lies 1,000 km away */
    int nparts, nstates, nframes;
    part parts[PARTS];
    int frame_part[FRAMES];
    double frame_position[FRAMES][3], frame_rotation[FRAMES][9];
    part_state states[STATES][PARTS];
} recipe;

/* a robot drawn at random */
void recipe_draw(recipe *r, uint64_t seed);
/* states drawn at random, for parts that are there */
void recipe_draw_states(recipe *r, hml_rng *rng);
/* a model taken apart; 0 if it is too large */
int recipe_from_model(recipe *r, const hml_model *model);
hml_status recipe_build(const recipe *r, unsigned build, hml_model **model, hml_error *error);
void recipe_remove(recipe *r, int index); /* its children hang on its parent */
void draw_rotation(hml_rng *rng, double R[9]);

/* ---- real robots (files.c) ---- */

typedef struct file_list {
    char **paths; /* "builtin:NAME" or a path */
    int count, room;
} file_list;

void files_find(file_list *list, const char *folder); /* one or several, with colons between; may be NULL */
void files_free(file_list *list);
int files_load(const char *path, hml_model **model);

/* ---- kinds of comparison ---- */

/* X(name, tolerance, measure, one, other): the reasons of the tolerances are in compare.c */
#include "kinds.h"

typedef enum kind {
#define KIND_ENUM(name, tolerance, measure, one, other) KIND_##name,
    AGREE_KINDS(KIND_ENUM)
#undef KIND_ENUM
        KINDS
} kind;

typedef struct kind_record {
    size_t count, failures;
    double worst;       /* deviation, by its measure */
    double worst_share; /* of what is allowed */
} kind_record;

typedef struct finding {
    int found;
    kind kind;
    int state;
    size_t row, column, columns;
    double x, y, deviation, allowed;
    char call[160];
} finding;

/* ---- the run ---- */

typedef struct block block;

typedef struct agree {
    kind_record kinds[KINDS];
    size_t models, comparisons, singular;
    int counting;    /* 0 while shrinking */
    finding finding; /* the first of a check */
    block *blocks;
    FILE *dump; /* for the Python side; may be NULL */
    /* the last difference, and how far its two best steps are apart: what it does not know itself */
    const double *difference, *doubt;
    size_t doubts;
} agree;

/* n doubles until the end of the check, filled with NaN, with a guard behind them; never NULL */
double *room(agree *g, size_t n);
void *room_bytes(agree *g, size_t size, size_t align);
void room_close(agree *g); /* looks at the guards and frees all */

/* ---- subjects (subject.c) ---- */

enum { ISAS = 4 };

typedef struct subject {
    agree *g;
    const recipe *recipe;
    hml_rng rng;
    hml_model *model;
    hml_isa isas[ISAS]; /* those this machine has, the best last */
    int nisas;
    hml_work *works[ISAS];
    hml_work *work; /* the best */
    int nq, nv, nb, nstates;
    int followers, passive, noncommuting_springs;
    double *q, *v, *tau, *a, *wrenches; /* nstates rows; wrenches NULL where there are none */
    /* by plain code here, for each state: */
    hml_status regular;   /* HML_OK where M has a factor and is not too close to singular */
    double *M, *Minv, *s; /* nv × nv, nv × nv, √M_ii */
    double *cond, *force; /* condition of the scaled M; size of the forces, scaled */
    double *away;         /* metres from the origin, at least 1 */
} subject;

int subject_open(subject *x, agree *g, const recipe *r);
void subject_close(subject *x);

static inline const double *wrenches_of(const subject *x, int state)
{
    return x->wrenches ? x->wrenches + (size_t)state * 6 * (size_t)x->nb : NULL;
}

/* the single call, at a state of the subject */
typedef struct single {
    double *a, *Dq, *Dv, *Minv;
} single;

single single_new(subject *x);
hml_status single_linearize(subject *x, hml_work *work, int state, single *out);
/* anywhere, into arrays of its own */
hml_status forward(subject *x, const double *q, const double *v, const double *tau, int state, double *a);

/* energies and momenta; M and h, which hml_dynamics always writes, go where nobody looks */
hml_status summary_of(subject *x, const hml_model *model, hml_work *work, const double *q, const double *v,
                      hml_dynamics_result *d);

/* ---- comparing (compare.c) ---- */

/* what entries are measured against: rows and columns of coordinates, scaled by √M_ii */
typedef enum weight { PLAIN = 0, UP = 1, DOWN = -1 } weight;

typedef struct how {
    int state;
    weight rows, columns; /* UP: times √M_ii, DOWN: divided by it */
    double floor;         /* size below which nothing counts */
    double factor;        /* tolerance times this, where it is not 0 */
} how;

/* x and y: rows × columns */
void note(subject *x, kind k, const char *call, how h, const double *one, const double *other, size_t rows,
          size_t columns);
void note_bits(subject *x, kind k, const char *call, int state, const double *one, const double *other, size_t n);
void note_status(subject *x, kind k, const char *call, int state, hml_status one, hml_status other);
double kind_tolerance(const subject *x, kind k, int state);
extern const char *const kind_ones[KINDS], *const kind_others[KINDS], *const kind_names[KINDS];

/* ---- dense (dense.c) ---- */

void dense_multiply(size_t n, size_t m, size_t k, const double *A, const double *B, double *C); /* n×m times m×k */
void dense_apply(size_t n, size_t m, const double *A, const double *x, double *y);
void dense_apply_transposed(size_t n, size_t m, const double *A, const double *y, double *x);
int dense_invert_spd(size_t n, const double *M, double *inverse); /* 0 if a pivot is not positive */
int dense_solve(size_t n, double *A, double *b);                  /* Gauss with pivoting, both are overwritten */
double dense_norm(size_t n, size_t m, const double *A);           /* largest sum of a row */
double largest(size_t n, const double *x);
void draw_direction(hml_rng *rng, size_t n, double *z); /* of length one */

/* fourth-order central difference of f at 0, with steps of h and shorter; 0 if f(context, t, out) fails somewhere */
typedef int curve(void *context, double t, double *out);
int difference(agree *g, curve *f, void *context, double h, size_t n, double *out);

/* ---- checks ---- */

typedef struct check {
    const char *name;
    void (*run)(subject *x);
    int every; /* how many robots to one that has it: the expensive ones are rarer */
} check;

extern const check checks[];
extern const int check_count;

void check_linearize(subject *x);
void check_batches(subject *x);
void check_layout(subject *x);
void check_derivatives(subject *x);
void check_directional(subject *x);
void check_textbook(subject *x);
void check_balance(subject *x);
void check_bodies(subject *x);
void check_dynamics_batch(subject *x);
void check_batch_motion(subject *x);
void check_single_precision(subject *x);
void check_kinematics(subject *x);
void check_frames(subject *x);
void check_configurations(subject *x);
void check_group_of_q(subject *x);
void check_saved(subject *x);
void check_merged(subject *x);
void check_rerooted(subject *x);
void check_edited(subject *x);
void check_representations(subject *x);
void check_constraints(subject *x);
void check_held(subject *x);
void check_steps(subject *x);
void check_bad_states(subject *x);
void check_singular(subject *x);
void check_groups(subject *x);
void check_dump(subject *x);

enum { LOOPS = 2 };

/* how much worse than M the rows of up to three constraints and LOOPS loops are conditioned (check_constraint.c) */
double held_condition(subject *x, int state, const hml_constraints *set);

/* up to LOOPS loops between frames that are not too near each other; returns how many (check_constraint.c) */
int32_t draw_loops(subject *x, int state, hml_loop *loops);

/* a step of hml_constrained_step at the state that was linearized (check_held_step.c) */
void note_held_step(subject *x, int i, int s, double worst, const hml_constraints *set,
                    const hml_constrained_linearization *l);

/* ---- shrinking (shrink.c) ---- */

/* the check on the recipe; fills g->finding */
void run_check(agree *g, const recipe *r, const check *c);
/* the smallest recipe found on which the same kind of the same check still fails */
void shrink(agree *g, recipe *r, const check *c, double seconds);
void report(agree *g, const recipe *r, const check *c, FILE *out);

double seconds_now(void);

#endif
