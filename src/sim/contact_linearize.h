/*
 * The inside of hml_contact_linearize: a change of the start and of τ, direction by direction, on its way through a step.
 *
 * There are 3n directions: z_q, z_ν and w. Tables hold a vector of n numbers for each, one after the other.
 */
#ifndef HML_SIM_CONTACT_LINEARIZE_H
#define HML_SIM_CONTACT_LINEARIZE_H

#include "sim/contact.h"

/* what rows that carry ask for: J_q z + J du + soft dP = 0, and what they push with, Fᵀ dP */
typedef struct contact_conditions {
    size_t count;
    double *J, *F, *Jq; /* max_rows × n */
    double *soft;       /* max_rows */
} contact_conditions;

typedef struct contact_tangent {
    hml_contact *c;
    hml_work *work;
    size_t n, directions;
    double h;
    double *z, *v;             /* tables: the motion of q_M, the change of the velocity there before the step */
    double *mean, *free;       /* tables: the change of the mean velocity and of the free one; in the end of u⁺ */
    double *pushed;            /* table: of what the contacts of the last step add to the mean; of the displacement */
    double *at_mean, *at_push; /* n: the mean velocity and what contacts add to it */
    double *a, *x, *zero;      /* n */
    double *dq, *dv;           /* n × n: of inverse dynamics */
    double *force;             /* n × n: of Jᵀ P by a motion of q_M, P held */
    contact_conditions rows;
    double *pushes;             /* max_rows × n: M⁻¹ Fᵀ */
    double *K, *right, *scales; /* max_rows², max_rows × directions, max_rows */
    double *impulse;            /* max_rows + 1 */
    int32_t *order;             /* max_rows */
} contact_tangent;

/* ---- contact_linearize_axes.c ---- */

/* z and v of direction k, a change of the start */
void hmli_contact_tangent_start(const contact_tangent *t, size_t k);

/* z_q⁺ and z_ν⁺, n each, from the motion z of q_M, the change du of u⁺ there, and dx of the way x that is left from q_M on */
void hmli_contact_tangent_end(const contact_tangent *t, const double *x, const double *z, const double *du,
                              const double *dx, double *q, double *v);

/* out += h times the change of ω × v, joint by joint, by dv */
void hmli_contact_add_turning_change(const hml_model *model, const double *v, const double *dv, double h, double *out);

/* ---- contact_linearize_rows.c ---- */

/* HML_UNSUPPORTED if a contact with one of these impulses has no derivative here */
hml_status hmli_contact_tangent_check(const hml_contact *c, const double *P);

/* t->force of the impulses P */
void hmli_contact_tangent_force(const contact_tangent *t, const double *P);

/* rows that carry in the step with the velocity u⁺ */
void hmli_contact_tangent_rows(contact_tangent *t, const double *after);

/*
 * Rows with an impulse y of the displacement x; they ask for the part `correction` of the gap besides. 0 if the sweeps that
 * found y have not given them what they ask for
 */
int hmli_contact_tangent_gaps(contact_tangent *t, const double *y, const double *x);

/* ---- contact_linearize_impulses.c ---- */

/* x ← M⁻¹ x at q_M, with dampers and springs in M */
void hmli_contact_tangent_solve_mass(const hml_contact *c, double *x);

/* table += M⁻¹ Fᵀ dP with the dP that the rows ask for; a and x of t are scratch. HML_SINGULAR if the motion is not known */
hml_status hmli_contact_tangent_impulses(const contact_tangent *t, double *table);

#endif
