/* The inside of hml_contact: what was given, what is known from the last step, and room for the next one. */
#ifndef HML_SIM_CONTACT_H
#define HML_SIM_CONTACT_H

#include "algo/work.h"
#include "hamel/contact.h"
#include "sim/collision.h"
#include "sim/constraint_rank.h"
#include "sim/heightfield.h"

/* a coordinate that stays between two numbers */
typedef struct joint_limit {
    int32_t q, v;
    double lower, upper;
} joint_limit;

/* what a row of the problem is; a contact has three: normal, then two tangents */
typedef enum row_kind { ROW_CONTACT, ROW_TANGENT, ROW_LIMIT, ROW_FRICTION } row_kind;

typedef struct contact_row {
    row_kind kind;
    int32_t index; /* of the touch, of the limit, of the coordinate */
    double sign;   /* limits: 1 lower, −1 upper */
    double gap;    /* normals and limits */
    double bound;  /* friction: the most |P| */
} contact_row;

/* a row of a joint by itself, and not of a contact */
static inline int contact_is_joint(const contact_row *row)
{
    return row->kind == ROW_LIMIT || row->kind == ROW_FRICTION;
}

/*
 * What contact_linearize.c has to know of the last step besides what its arrays still hold: q_M, the velocity c->v there,
 * rows, touches in c->last, impulses
 */
typedef enum record_kind {
    RECORD_NONE,
    RECORD_ROUGH,
    RECORD_SMOOTH
} record_kind; /* rough: it has no derivative here */

typedef struct contact_record {
    record_kind kind;
    double h;
    double *v, *tau, *wrenches; /* the velocity at its start; its forces */
    double *after;              /* n: u⁺ in the axes of q_M */
    double *displacement;       /* n: out of penetrations, in the axes of q_M */
    int displaced, cut;         /* was there a displacement? Was it made shorter? */
    int32_t repetitions;        /* of the mean velocity that count */
    double *recalled;           /* max_rows: the impulses that the mean velocity was found with */
} contact_record;

struct hml_contact {
    const hml_model *model;
    int32_t nshapes, nplanes, nfields, nlimits, max_contacts, max_rows, iterations;
    unsigned options;
    double slop, correction, bounce, tolerance;
    double mobility; /* 1 / mass of the robot */
    collision_shape *shapes;
    double *vertices;  /* of hulls */
    vec3 *centres;     /* of shapes in the world, while pairs are looked for */
    shape_pair *pairs; /* that may touch each other */
    int32_t npairs;
    collision_plane *planes;
    heightfield *fields;
    double *heights; /* of the fields */
    joint_limit *limits;
    double *reach;          /* njoints: how far from a joint the shapes lie that it moves, at most */
    double *joint_friction; /* n, or NULL */
    int servo;              /* is there one? */
    double *target, *servo_stiffness, *servo_damping;
    double *stiffness, *damping;              /* n: of the model and the servo together */
    touch_list now, last;                     /* last: of the last step that went well */
    double *limit_impulse, *friction_impulse; /* what the last step found, by limit and by coordinate */
    contact_row *rows;
    int32_t nrows;
    int32_t *user;  /* tree_nv: the coordinate of each column, and */
    double *factor; /* how it moves it: 1, or the multiplier of a mimic follower */
    int32_t *parents;
    int32_t *common;  /* n × n: how many coordinates, from the first one on, hold all that lie on the ways to both */
    int32_t *lengths; /* of rows: how many entries of J and G may differ from zero */

    contact_record record; /* of the last step, for its derivatives */

    const double *inputs;                /* of the actuators in this step; NULL: none */
    double *actuator_tau;                /* n: their forces at q_M, with the velocity before the step, and */
    double *actuator_wrenches;           /* nbodies × 6; the caller's included in both */
    double *actuator_force, *slopes;     /* nactuators, nactuators × 3 */
    double *act_stiffness, *act_damping; /* n: what is implicit of them */
    int32_t *held;                       /* nactuators: 1, −1: at a limit */
    int32_t *released;                   /* nactuators: 1: was held, and is not any more */
    hml_balance balance, booked;         /* all steps, and the one that is being made */
    int books;                           /* are they kept in this step? */
    int displaced;                       /* has this step moved joints back within their limits? */
    int tamed;                           /* and were joints wilder than any? */
    double *torque;                      /* n: mean force of the joints over the step that is being made */

    size_t n;
    double *mean, *pushed, *first; /* contact_free.c */
    double *q, *v, *free, *x;      /* q_M, velocity after bounces, free velocity, room */
    double *u;                     /* velocity with its linear parts in the axes of the predecessors */
    double *q_next, *v_next;
    double *q_before, *v_before; /* of a substep that is not the first */
    double *V;                   /* twists of the bodies, for the balance */
    double *H, *columns;         /* poses and columns of all bodies, followers included */
    const hml_work *known_by;    /* contact_guard.c: what found M and the potential energy at known_q; NULL: nobody */
    double *known_q, *known_M, known_potential;
    double *L, *bias;
    double *J, *G;                                     /* max_rows × n */
    double *K;                                         /* max_rows × max_rows, leading dimension nrows */
    double *P, *w;                                     /* impulses, and velocities of the rows */
    double *old;                                       /* P before a step that may not help */
    double *warm;                                      /* P of the last step */
    double *kept;                                      /* and before a number of them */
    double *best, *before_part, *true_base, *diagonal; /* contact_proximal.c */
    double *speed;                                     /* what velocities of the rows are measured against */
    double *base;                                      /* w where P is zero */
    double *bounced;                                   /* impulses of the bounces */
    double *before;                                    /* J ν at the start of the step */
    double *A, *y;                                     /* a square system of rows, and its right-hand side */
    int32_t *active;                                   /* rows in it */
    rank_factor rank;

    hml_loop *loops; /* of the model, that are kept: contact_loops.c */
    int32_t nloops, loop_rows;
    double *loop_J, *loop_error, *loop_impulse; /* loop_rows × n, loop_rows, loop_rows */
    double *block, *way;                        /* 6 × n; n */
    rank_factor loop_rank;                      /* of L⁻ᵀ J_lᵀ at q_M */
};

/* what the solver aims at; what meets the tolerance in the end counts as solved */
static inline double contact_goal(const hml_contact *c) { return 1e-2 * c->tolerance; }

/* aᵀ b in four sums: one sum would wait for itself */
static inline double contact_dot(size_t n, const double *a, const double *b)
{
    double s[4] = {0, 0, 0, 0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        for (size_t i = 0; i < 4; i++) s[i] += a[k + i] * b[k + i];
    }
    for (; k < n; k++) s[0] += a[k] * b[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* c->reach; shapes are there */
void hmli_contact_find_reach(hml_contact *c);

/* c->pairs; shapes and options are there */
void hmli_contact_list_pairs(hml_contact *c);

/* which rows there are at q_M, with what the last step knew about their impulses in P */
void hmli_contact_list_rows(hml_contact *c, double h);

/* ---- contact_tree.c ---- */

/* c->user, c->factor, c->parents, c->common */
void hmli_contact_find_tree(hml_contact *c);

/* the last coordinate of a row, from which its others are reached along c->parents; −1: they are on several ways */
int32_t hmli_contact_row_end(const hml_contact *c, const contact_row *row);

/* how many entries of a row with that end may differ from zero */
int32_t hmli_contact_row_length(const hml_contact *c, int32_t end);

/* ---- contact_loops.c ---- */

/* how many rows the loops of a model have that these options keep */
int32_t hmli_contact_count_loops(const hml_model *model, unsigned options, int32_t *rows);

/* c->loops */
void hmli_contact_read_loops(hml_contact *c);

/* rows of the loops at q_M, factored; L is there */
hml_status hmli_contact_factor_loops(hml_contact *c);

/* takes from x (n numbers, as a row of G) what loops do not let happen */
void hmli_contact_drop_loops(const hml_contact *c, double *x);

/* u becomes what loops make of it in a step that began with the velocity v */
void hmli_contact_keep_loops(hml_contact *c, const double *v, double *u);

/* adds to c->x the displacement that closes loops by a part of what they are open; 0 if they are closed */
int hmli_contact_close_loops(hml_contact *c, double part);

/* ---- contact_rows.c ---- */

/* poses at q_M, for the collisions and for the rows of J */
hml_status hmli_contact_pose(hml_contact *c, hml_work *work);

/* J, then G = L⁻ᵀJᵀ and K = GᵀG; L is there */
void hmli_contact_fill_rows(hml_contact *c);

/* pair by pair, the fastest first; returns how many. c->v and c->bounced take what happened */
int32_t hmli_contact_bounces(hml_contact *c);

typedef struct contact_answer {
    double residual;    /* by how much the laws are missed, relative to the fastest row of the kind */
    int32_t iterations; /* 0: the guess was right */
    int relaxed;        /* 1: the laws are not met; P is that of contact_relax.c */
} contact_answer;

/* P of the laws in hamel/contact.h, w = K P + base; c->free has made base */
contact_answer hmli_contact_solve(hml_contact *c);

/* contact_guess.c: what touches sticks. P: of which contacts and limits to begin with; returns the residual */
double hmli_contact_guess(hml_contact *c, double enough);

/* one step of Newton's method from a residual, or a part of it; returns the new residual, or the old one with
 * everything as it was */
double hmli_contact_newton(hml_contact *c, double left);

/* a whole step, with `extra` of the diagonal added to rows of K; returns the residual, infinite if there is no step. P
 * may be outside its bounds afterwards */
double hmli_contact_newton_whole(hml_contact *c, double extra);

/* exact sweeps and shortened Newton steps in turn, until there were `most` iterations, from P; returns the residual */
double hmli_contact_alternate(hml_contact *c, int32_t most, int32_t *iterations);

/* projected sweeps from P */
void hmli_contact_project(const hml_contact *c, int32_t count);

/* whole Newton steps from P. Where they do not end at a solution P is what it was. Returns the residual */
double hmli_contact_finish(hml_contact *c, double extra);

/* the proximal method from P; the part of the first problem, and how many. P is the best found; returns its residual */
double hmli_contact_proximal(hml_contact *c, double part, int problems, int32_t *iterations);

/* the convex relaxation, from zero; or P as it is, which has the residual `left`, if that is as good. Returns the
 * residual of the laws */
double hmli_contact_relax(hml_contact *c, double left);

/* the displacement that drives out what is deeper than the slop and closes loops, in c->x; 0 if there is nothing to do,
 * and x is zero. part: of a step */
int hmli_contact_displacement(hml_contact *c, double part);

/* ---- contact_free.c ---- */

/* M at c->q in L, with what makes dampers and springs implicit over h, factored; bias: τ − h there, with ν. massless: 1
 * if M was singular and has got armature; with h = 0 it gets none */
hml_status hmli_contact_factor(hml_contact *c, hml_work *work, double h, const double *v, const double *tau,
                               const double *wrenches, int *massless);

/* how far the fastest joint turns in h, rad */
double hmli_contact_turn_of(const hml_model *model, const double *v, double h);

/* c->free: the velocity at the step's end without contacts, from c->v */
void hmli_contact_free(hml_contact *c, hml_work *work, double h, const double *tau, const double *wrenches);

/* ---- contact_guard.c ---- */

/* bounds v_next where no step can make sense of it; L and the velocity before, c->v, are there */
void hmli_contact_tame(hml_contact *c, double h, hml_contact_result *r);

/* takes from v_next the energy that the step from q, v has made out of nothing */
hml_status hmli_contact_guard(hml_contact *c, hml_work *work, double h, const double *q, const double *v,
                              const double *tau, hml_contact_result *r);

/* ---- contact_step.c ---- */

/* out = J x */
void hmli_contact_row_velocities(const hml_contact *c, const double *x, double *out);

/* ---- contact_passive.c ---- */

/* dampers and springs of the model and the servo, by coordinate */
void hmli_contact_collect_passive(hml_contact *c);

/* to bias, and to L before it is factored */
void hmli_contact_add_passive(hml_contact *c, double h, const double *v);
void hmli_contact_add_stiffness(hml_contact *c, double h);

/* tau += the servo's force in a step from u to u⁺ = after */
void hmli_contact_servo_force(const hml_contact *c, double h, const double *u, const double *after, double *tau);

/* ---- contact_actuators.c ---- */

/* no actuator is known to be at a limit */
void hmli_contact_free_actuators(hml_contact *c);

/* what actuators do at q_M, with v; the caller's forces are added: c->actuator_tau and c->actuator_wrenches */
hml_status hmli_contact_actuate(hml_contact *c, hml_work *work, const double *v, const double *tau,
                                const double *wrenches);

/* forces after a step over h from v to after; 1 if some of them must be held at limits, or not any more (if `release`) */
int hmli_contact_hold_actuators(hml_contact *c, double h, int release, const double *v, const double *after);

/* ---- contact_balance.c ---- */

/* what forces and impulses did in a substep over h, a share of the step, to u⁺ = c->v_next, at q_M */
hml_status hmli_contact_book(hml_contact *c, hml_work *work, double h, double share, const double *tau,
                             const double *wrenches);
/* the displacement c->x at q_M */
hml_status hmli_contact_book_displacement(hml_contact *c, hml_work *work);

/* ---- contact_axes.c ---- */

/* u from ν at q, or, with `back`, ν from u; out may be v */
void hmli_contact_turn(const hml_model *model, const double *q, int back, const double *v, double *out);

/* out += h [ω × v; 0] joint by joint */
void hmli_contact_add_turning(const hml_model *model, const double *v, double h, double *out);

/* q moved by du = h u; out is not q */
hml_status hmli_contact_advance(const hml_model *model, const double *q, const double *du, double *out);

/* ---- contact_rows.c ---- */

/* the same point of the same shapes in the last step, or NULL */
touch *hmli_contact_find(const hml_contact *c, const touch *t);

/* x = M⁻¹ Jᵀ P */
void hmli_contact_push(const hml_contact *c, const double *P, double *x);

#endif
