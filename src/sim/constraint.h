/* What the constrained algorithms share: rows of the constraints, the factored mass matrix, the factored constraints.
 */
#ifndef HML_SIM_CONSTRAINT_H
#define HML_SIM_CONSTRAINT_H

#include <math.h>

#include "algo/work.h"
#include "base/struct_size.h"
#include "group/spatial.h"
#include "hamel/constraint.h"
#include "sim/constraint_rank.h"
#include "sim/shortest.h"

/* of a frame, 6 × n each, left: its Jacobian, what its twist and its acceleration change by with q, and with ν */
typedef struct loop_partials {
    double *J, *twist_q, *motion_q, *motion_v;
} loop_partials;

/* what the linearization adds (constraint_linearize.c) */
typedef struct constraint_partials {
    double *dq, *dv;                           /* n × n: of τ̂ */
    double *J, *twist_q, *motion_q, *motion_v; /* 6 × n: of a frame */
    double *cq, *cv;                           /* m × n: of c */
    loop_partials other;                       /* of the second frame of a loop */
} constraint_partials;

/* what the reduction adds (constraint_reduce.c); r: motions that the constraints leave */
typedef struct constraint_basis {
    double *Z;  /* r × n: a motion each, orthonormal in M */
    double *MZ; /* r × n: M times it */
    double *X;  /* r × n: the change of velocity that comes with it */
    double *xi; /* r × m: X = M⁻¹ Jᵀ xi */
    double *GZ; /* r × m: what the rows' velocities would change by without it */
    double *T;  /* r × n */
} constraint_basis;

typedef struct constraint_system {
    const hml_model *model;
    hml_work *work;
    const hml_constraints *set;
    const double *q;
    size_t n, m;        /* coordinates, rows */
    double *L;          /* n × n: M, then LᵀL of it */
    double *h;          /* n */
    double *J;          /* m × n */
    double *drift;      /* m: J̇ ν and Baumgarte's terms, J ν̇ = −drift */
    double *block;      /* 6 × n */
    double *a;          /* n */
    double *lambda, *b; /* m */
    double *x;          /* n */
    double *wrenches;   /* 6 × nbodies */
    double *zero;       /* n: stays zero */
    constraint_partials partials;
    constraint_basis basis;
    int32_t *parents;
    rank_factor K; /* of L⁻ᵀ Jᵀ: K = GᵀG = J M⁻¹ Jᵀ */

    /* where there are one-sided rows, see constraint_touch.c */
    size_t touches;
    double *open;   /* m: 1 where a row has turned out to be open; its row of J is then zero */
    shortest push;  /* n numbers, m rows */
    shortest least; /* m numbers, n equations and m inequalities */
} constraint_system;

int32_t hmli_constraint_kind_rows(hml_constraint_kind kind);

/* one row, along a normal */
static inline int constraint_is_plane(const hml_constraint *c)
{
    return c->kind == HML_HOLD_PLANE || c->kind == HML_TOUCH_PLANE;
}

static inline vec3 constraint_normal(const hml_constraint *c)
{
    vec3 n = vec3_at(c->normal);
    return vec3_scale(1 / sqrt(vec3_dot(n, n)), n);
}

/* a constraint's own λ as a wrench at its frame: of a frame in its axes, of others in the world's */
static inline wrench constraint_wrench(const hml_constraint *c, const double *lambda)
{
    if (c->kind == HML_HOLD_FRAME) return wrench_at(lambda);
    if (c->kind == HML_HOLD_POINT) return wrench_of(vec3_at(lambda), vec3_zero());
    return wrench_of(vec3_scale(lambda[0], constraint_normal(c)), vec3_zero());
}

/* the caller's constraints as this library knows them; NULL if they cannot be read. The functions below take them so */
static inline const hml_constraints *constraints_take(const hml_constraints *given, hml_constraints *room)
{
    return STRUCT_TAKE(hml_constraints, given, room, count);
}

/* 1 if a report can be written there, or is not wanted */
static inline int constraint_report_fits(const hml_constraint_report *report)
{
    return struct_is_writable(report, STRUCT_END(hml_constraint_report, rank));
}

/* the workspace and the constraints are checked, not the state */
hml_status hmli_constraint_check(const hml_model *model, const hml_work *work, const hml_constraints *set);

/* everything is checked: arguments, constraints, state; v may be missing */
hml_status hmli_constraint_open(const hml_model *model, hml_work *work, const hml_constraints *set, const double *q,
                                const double *v, const double *tau, const double *wrenches, double *scratch,
                                constraint_system *s);

/* J, and the drift if asked for. HML_SINGULAR: the frames of a distance coincide */
hml_status hmli_constraint_evaluate(constraint_system *s, const double *q, const double *v, int drift);

/* what rounding may leave of a column: 16 last bits of the positions and ways it is made of */
static inline double constraint_rounding(twist column, double reach)
{
    return 0x1p-48 * (sqrt(vec3_dot(column.v, column.v)) + sqrt(vec3_dot(column.w, column.w)) * reach);
}

/* an entry of a row along one direction; a column across it leaves nothing but rounding */
static inline double constraint_entry(double entry, twist column, double reach)
{
    return fabs(entry) <= constraint_rounding(column, reach) ? 0 : entry;
}

/*
 * A point on an axis does not move when the joint turns: its column is a lever that vanishes, and what is left of it
 * are the last bits of the positions it is the difference of. Such a column of s->block becomes zero. Were it not, a row
 * of such columns would be as good as any other: the rank of rows is decided by what they are compared with, which is
 * each other.
 *
 * The same holds for the velocity and for what it turns into by itself: V, or NULL. reach: of the positions.
 */
void hmli_constraint_clear_rounding(const constraint_system *s, double reach, const double *v, twist *V);

/* M in L, h in h (at ν, with the wrenches); then both factors */
hml_status hmli_constraint_factor(constraint_system *s, const double *q, const double *v, const double *wrenches);

/* K of the rows of J as they are now */
hml_status hmli_constraint_factor_rows(constraint_system *s);

/* x ← M⁻¹ x */
void hmli_constraint_solve_mass(const constraint_system *s, double *x);

/* out = base + M⁻¹ Jᵀ lambda; out may be base */
void hmli_constraint_apply(const constraint_system *s, const double *lambda, const double *base, double *out);

/* ν̇ and λ as hml_constrained_forward_dynamics returns them, for any constraints */
hml_status hmli_constraint_motion(constraint_system *s, const double *q, const double *v, const double *tau,
                                  const double *wrenches, hml_constraint_report *report);

/* hml_constrained_linearize of what was checked (hmli_constraint_check) but for the state */
hml_status hmli_constrained_linearize(const hml_model *model, hml_work *work, const hml_constraints *set,
                                      double *scratch, const hml_constrained_linearization *x,
                                      hml_constraint_report *report);

/* the same for any constraints, in plain steps: what constraint_held.c leaves to it */
hml_status hmli_constraint_linearize(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                     double *scratch, const hml_constrained_linearization *x,
                                     hml_constraint_report *report);

/*
 * ∂τ̂ by q and ν in s->partials, at the motion in s->a and s->lambda, and what the velocities J ν of the rows change by
 * with q, in cq
 */
hml_status hmli_constraint_tangent(const constraint_system *s, const double *q, const double *v,
                                   const double *wrenches);

/* out = Ṁ x along ν; the partials and the wrenches of s are used up */
void hmli_constraint_mass_rate(const constraint_system *s, const double *q, const double *v, const double *x,
                               double *out);

/* the derivatives of an impulse, and v_next; ν⁺ is in s->a, which is used up */
hml_status hmli_constraint_impact_derivatives(constraint_system *s, const hml_constrained_impact *x);

/* λ of (J M⁻¹ Jᵀ) λ = b in s->lambda; scale: the size of what b was made of */
hml_status hmli_constraint_solve(constraint_system *s, double scale, hml_constraint_report *report);

/* the same with one-sided rows, (J M⁻¹ Jᵀ) λ >= b for these; open rows are taken out of J and K */
hml_status hmli_constraint_solve_touch(constraint_system *s, double scale, hml_constraint_report *report);

/* G λ = c with λ >= 0 for the one-sided rows, of least norm; G: rows × m, handed over in s->least.G by rows */
hml_status hmli_constraint_least(constraint_system *s, size_t rows, const double *c, double scale);

#endif
