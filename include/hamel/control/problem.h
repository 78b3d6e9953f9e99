/*
 * Optimal control problems: a motion of a robot in steps, what moves it, what it costs, and what it must keep.
 *
 *   hml_problem            model, phases, inputs, bounds, terms: plain data that the caller keeps
 *   hml_problem_knots      N: steps of all phases
 *   hml_problem_inputs     m: inputs of a step
 *   hml_problem_term_rows  components of a term's residual
 *   hml_problem_check      whether it can be solved at all, with a sentence that names the place
 *
 * Knots k = 0 … N − 1 have a state (q, ν), an input u and a step to knot k + 1; knot N, the end, has a state alone. Steps are
 *
 *   ν⁺ = ν + h a(q, ν, B u),  q⁺ = q ⊕ h ν⁺             HML_SCHEME_EULER of discrete.h, a under the holds of the phase
 *   (q⁺, ν⁺) by HML_SCHEME_RK2 or RK4 of motion.h       explicit Munthe-Kaas, its stages under the holds of the phase
 *   ν⁺ = ν + M⁻¹JᵀΛ with J ν⁺ = 0,  q⁺ = q              an impact: the holds of the phase come into force at once
 *
 * A term is a residual r(q, ν, u) and a rule that makes it a cost or a constraint. Part of libhamel-control; see
 * docs/optimal-control.md. Solved by hamel/control/solver.h.
 */
#ifndef HAMEL_CONTROL_PROBLEM_H
#define HAMEL_CONTROL_PROBLEM_H

#include "hamel/constraint.h"
#include "hamel/discrete.h"

/* a stretch of knots under the same holds */
typedef struct hml_phase {
    size_t knots;                 /* 1 of an impact */
    double h;                     /* seconds per step, above 0; not read of an impact, which takes no time */
    const hml_constraints *holds; /* NULL: none. One-sided rows are HML_UNSUPPORTED */
    int impact;                   /* 1: the holds come into force at this knot. It has no input */
    hml_scheme scheme; /* of its steps: EULER, RK2 or RK4; others are HML_UNSUPPORTED. Not read of an impact */
} hml_phase;

/* the residual of a term; rows in brackets */
typedef enum hml_term_kind {
    HML_TERM_CONFIGURATION = 0, /* q ⊖ reference [nv] */
    HML_TERM_VELOCITY = 1,      /* ν − reference [nv] */
    HML_TERM_INPUT = 2,         /* u − reference [m]; zero at an impact, not at the end */
    HML_TERM_POSITION = 3,      /* of the frame's origin in the world, − reference [3] */
    HML_TERM_ORIENTATION = 4,   /* log(referenceᵀ R) of the frame, reference 3 × 3 [3] */
    HML_TERM_POSE = 5,          /* log(reference⁻¹ H) of the frame, reference 4 × 4 [6] */
    HML_TERM_TWIST = 6,         /* of the frame, in `representation`, − reference [6] */
    HML_TERM_COM = 7,           /* centre of mass in the world, − reference [3] */
    HML_TERM_FORCE = 8,         /* λ of a hold, − reference [its rows]; not at the end. At an impact: the impulse */
    HML_TERM_CONE = 9, /* of a held point or frame: (±t_i − friction n)ᵀ f, then nᵀ f; see `friction` [facets + 1] */
    HML_TERM_LIMITS = 10, /* coordinates of q with limits in the model; its bounds are these [how many they are] */
    HML_TERM_MOMENTUM =
        11, /* centroidal: linear, then angular about the centre of mass, in the world's axes, − reference [6] */
    HML_TERM_DISTANCE =
        12, /* between the origins of `frame` and `other`, − reference [1]; HML_SINGULAR where they coincide */
    HML_TERM_OWN = 13 /* `function` computes it [rows] */
} hml_term_kind;

/* what becomes of the residual r, row by row, with w = weight · weights[row] · knot_weights[knot − first] */
typedef enum hml_term_role {
    HML_ROLE_COST = 0,      /* ½ w r² */
    HML_ROLE_BARRIER = 1,   /* ½ w d², d: by how much r is below lower or above upper */
    HML_ROLE_CONSTRAINT = 2 /* lower ≤ r ≤ upper, kept to the solver's tolerance; w scales the penalty */
} hml_term_role;

/*
 * r: rows. r_x: rows × 2nv by perturbations (q ⊕ z, ν + z_ν), r_u: rows × m; both NULL: not wanted. u and r_u are NULL at the
 * end. It may run on several threads at once, for different knots. Any status but HML_OK rejects the point.
 */
typedef hml_status hml_term_function(void *context, size_t knot, const double *q, const double *v, const double *u,
                                     double *r, double *r_x, double *r_u);

/*
 * The same at `count` knots from `knot` on, in one call and not on several threads: q, v, u, r, r_x and r_u of the knots one
 * behind the other. The end has no u and no r_u: where it is the last of the knots there is one less of them.
 */
typedef hml_status hml_term_knots_function(void *context, size_t knot, size_t count, const double *q, const double *v,
                                           const double *u, double *r, double *r_x, double *r_u);

typedef struct hml_term {
    const char *name; /* for messages; may be NULL */
    hml_term_kind kind;
    hml_term_role role;
    size_t first, last;                /* its knots, both included; N: the end */
    int32_t frame;                     /* of position, orientation, pose, twist, distance */
    int32_t other;                     /* of distance: the second frame */
    int32_t hold;                      /* of force and cone: index in the holds of the phases of its knots */
    hml_representation representation; /* of twist */
    hml_input reference;               /* one per knot, or stride 0; data NULL: neutral, identity, zero */
    double weight;                     /* of all rows; not negative */
    const double *weights;             /* rows; NULL: ones */
    const double *knot_weights;        /* last − first + 1; NULL: ones */
    const double *lower, *upper; /* rows; barrier and constraint. NULL: −infinity and infinity; both NULL: zero */
    double friction;             /* of a cone: coefficient. Its bounds are 0 above, and 0 below for nᵀ f */
    double normal[3]; /* of a cone: n, in the axes of the force: the world's for a point. Need not be unit; zero: z */
    int32_t
        facets;  /* of a cone: even, at least 4; 0: 4. The pyramid is around the cone: take friction · cos(π / facets)
                         for one inside it */
    size_t rows; /* of an own term, like the three that follow */
    hml_term_function *function;
    void *context;
    hml_term_knots_function *knots_function; /* instead of function: for all knots of the term at once */
} hml_term;

typedef struct hml_problem {
    size_t struct_size;
    const hml_model *model;
    const hml_phase *phases;
    size_t nphases;
    const hml_term *terms;
    size_t nterms;
    const double *q, *v;     /* the state of knot 0; v NULL: at rest */
    const int32_t *inputs;   /* coordinates of ν that inputs push; NULL: those of the model's actuated joints */
    size_t ninputs;          /* of these, or columns of actuation */
    const double *actuation; /* nv × ninputs: τ = actuation · u, for rotors and the like. NULL: inputs are forces τ */
    hml_input lower, upper; /* of u, one per knot or stride 0; data NULL: none. ±infinity: none */
} hml_problem;

/* 0 if the problem is invalid */
HML_API int32_t hml_problem_knots(const hml_problem *problem);
HML_API int32_t hml_problem_inputs(const hml_problem *problem);

/* 0 if there is no such term, or it is invalid */
HML_API int32_t hml_problem_term_rows(const hml_problem *problem, size_t term);

/* error may be NULL; its message begins with the place: "/terms/3/weight: …" */
HML_API hml_status hml_problem_check(const hml_problem *problem, hml_error *error);

#endif
