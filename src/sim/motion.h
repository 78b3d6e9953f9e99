/* The inside of a motion: what its schemes share. */
#ifndef HML_SIM_MOTION_H
#define HML_SIM_MOTION_H

#include "group/joint.h"
#include "hamel/motion.h"

/* a body in the recursion that finds momenta, in its own frame */
typedef struct motion_body {
    pose H; /* in the parent */
    twist S[HML_JOINT_MAX_NV];
    twist U; /* the parent's twist, seen here */
    twist V; /* its own */
    vec3 gravity;
    wrench h, f; /* momentum and force of the subtree */
    inertia I;   /* of the subtree; for the derivatives alone */
} motion_body;

enum { MOTION_STAGES = 7 };

struct hml_motion {
    const hml_model *model;
    hml_work *work;
    hml_motion_options options;
    hml_forces forces;
    hml_motion_info info;
    size_t n, nq;
    double t, rest;       /* now: t + rest. t is the last number that is not later, rest what it lacks */
    double t0, rest0, h;  /* where the last step began and how long it was; h = 0: there was none */
    double wanted, error; /* of the error control: the next step and the last error; 0: not known */
    int rate_known;       /* a is ν̇ at (t, q, v) */
    int dense;            /* the stages are those of the last step of dopri5 */
    int owned;
    double *q, *v, *a;    /* now; a of variational: θ of the last step */
    double *q0, *v0;      /* where the last step began */
    double *theta;        /* q = q0 ⊕ θ */
    double *q1, *v1, *a1; /* where the step that is being made ends, if all goes well */
    double *theta1;
    double *x, *stages; /* 2n; MOTION_STAGES × 2n: (θ, ν) and its derivatives */
    double *tau, *wrenches;
    double *pi, *pi1;             /* variational, momentum: momenta of the joints seen from their predecessors */
    double mass;                  /* of a robot with a free base; 0: it is another robot */
    double boost[3], push[3];     /* velocity of its com at the step's start, acceleration of it at the middle */
    double pushed[3];             /* push of the last step */
    double com[2][3], com1[2][3]; /* the com, as a sum of two: small steps far away are not rounded off */
    double *local;                /* momentum: nq, positions seen from the poles */
    double *alpha, *alpha1;       /* alpha: the auxiliary acceleration */
    double *M, *L, *J;            /* n × n */
    double *dq, *dv;              /* n × n */
    double *r, *s;                /* n */
    double *slopes;               /* nactuators × 3: of the last forces */
    double *damping;              /* n: of the model, by coordinates of the user */
    double *H, *V;                /* poses and twists of the bodies, for the balance */
    hml_balance balance;
    double *tree_q, *tree_v, *tree_p, *tree_D, *factor;
    int32_t *user;
    motion_body *bodies;
};

/* the time dt after now, as a number; a clock may tick more coarsely than the steps */
static inline double motion_after(const hml_motion *m, double dt) { return m->t + (m->rest + dt); }

/* ---- motion_forces.c ---- */

/* τ and wrenches at a state, the servo and the actuators included if `servo`; HML_NOT_FINITE if somebody pushes with NaN */
hml_status hmli_motion_forces(hml_motion *m, double t, const double *q, const double *v, int servo);

/* τ −= k·(q ⊖ target) + d·ν */
void hmli_motion_add_servo(const hml_motion *m, const double *q, const double *v, double *tau);

/* the actuators, added to tau of the motion and its wrenches; slopes are kept */
hml_status hmli_motion_actuate(hml_motion *m, const double *q, const double *v);

/* ν̇ at a state under all forces */
hml_status hmli_motion_rate(hml_motion *m, double t, const double *q, const double *v, double *a);

/*
 * A += c·damping + k·(derivative of the springs by a motion of q), n × n: of the servo, and of the model if `passive`.
 */
void hmli_motion_add_stiffness(const hml_motion *m, const double *q, int passive, double c, double k, double *A);

/* are there dampers or springs, in the model or the servo? */
int hmli_motion_is_elastic(const hml_motion *m);

/* ---- motion_momentum.c ---- */

/* p = ∂L/∂ν and D = ∂L/∂q + forces that do work, from the left; both n. τ and wrenches are those of the motion */
void hmli_motion_momentum(hml_motion *m, const double *q, const double *v, double *p, double *D);

/*
 * Their derivatives, n × n, where hmli_motion_momentum was called last, at q: P of p and Dq of D by a motion of q, Dv of D
 * by ν (motion_momentum_tangent.c). Dq and Dv may be NULL.
 */
void hmli_motion_momentum_tangent(hml_motion *m, const double *q, double *P, double *Dq, double *Dv);

/* out = Ad(g)ᵀ x, or Ad(g)⁻ᵀ x, g the joints' elements at q; out may not be x */
void hmli_motion_adjoint(const hml_model *model, const double *q, int inverse, const double *x, double *out);

/* M at q, in M, and factored in L; s is used */
hml_status hmli_motion_factor_mass(hml_motion *m, const double *q);

/* ---- motion_balance.c ---- */

/* adds what the forces did in the last step to the balance */
void hmli_motion_book(hml_motion *m);

/* ---- motion_events.c ---- */

/* the state after the part s of the last step, 0 … 1, and its time; q1 and v1 may take it */
hml_status hmli_motion_state_at(hml_motion *m, double s, double *q, double *v);
double hmli_motion_time_at(const hml_motion *m, double s);

/* ---- the schemes: from (t, q, v) over h to (q1, v1, theta1) ---- */

hml_status hmli_motion_explicit(hml_motion *m, double h, double *error);
hml_status hmli_motion_euler(hml_motion *m, double h);
hml_status hmli_motion_variational(hml_motion *m, double h);
hml_status hmli_motion_alpha(hml_motion *m, double h);
hml_status hmli_motion_phase(hml_motion *m, double h);

/* hml_motion_linearize of a variational step, and the doubles of its scratch (motion_variational_linearize.c) */
size_t hmli_motion_variational_scratch(const hml_model *model);
hml_status hmli_motion_variational_linearize(hml_motion *m, double *scratch, double *Ad, double *Bd);

/* what a scheme carries along besides (q, v), made anew from them */
hml_status hmli_motion_prepare_variational(hml_motion *m);
hml_status hmli_motion_prepare_alpha(hml_motion *m);
hml_status hmli_motion_prepare_phase(hml_motion *m);

/* dopri5's interpolant: θ and ν at s ∈ [0, 1] of the last step, in x */
void hmli_motion_dense(const hml_motion *m, double s, double *x);

/* the constants of generalized-α that follow from its spectral radius (motion_alpha.c) */
typedef struct alpha_parameters {
    double am, af, beta, gamma;
} alpha_parameters;

static inline alpha_parameters alpha_parameters_of(double radius)
{
    alpha_parameters p;
    p.am = (2 * radius - 1) / (radius + 1);
    p.af = radius / (radius + 1);
    p.gamma = 0.5 + p.af - p.am;
    p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
    return p;
}

/* ---- groups, joint by joint ---- */

/* out = S(φ)⁻¹ x if inverse, else S(φ) x; out may not be x */
void hmli_motion_apply(const hml_model *model, const double *phi, int inverse, const double *x, double *out);

/* the largest absolute entry; NaN if there is one */
static inline double motion_norm(size_t n, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double a = x[i] < 0 ? -x[i] : x[i];
        if (!(a <= largest) && largest == largest) largest = a;
    }
    return largest;
}

#endif
