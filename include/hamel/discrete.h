/*
 * Discrete time: one step of an integrator on the group and its exact Jacobians, and the zero-order hold of
 * ż = A z + B w.
 *
 *   hml_step                     (q, ν) → (q⁺, ν⁺) over a step h with τ held, and A_d, B_d: z⁺ = A_d z + B_d w, to
 *                                round-off the derivatives of that step
 *   hml_step_linearize_batch     the same of many states
 *   hml_step_scratch_doubles     doubles of scratch that both need
 *   hml_constrained_step         the same of a robot that is held, with λ and its derivatives, of one state or many
 *   hml_constrained_step_scratch_doubles   doubles of scratch that it needs
 *   hml_discretize               A_d, B_d of the continuous A, B: exp(h [A B; 0 0])
 *   hml_discretize_scratch_doubles   doubles of scratch that it needs
 *
 * Perturbations are those of the whole library: q ⊕ z_q, ν + z_ν, at the step's start and at its end. A step supports
 * three of the schemes of motion.h; the others answer HML_UNSUPPORTED, and implicit ones have hml_motion_linearize.
 *
 *   HML_SCHEME_EULER   semi-implicit: ν⁺ = ν + h a,  q⁺ = q ⊕ h ν⁺;  a = ν̇(q, ν, τ), or, with dampers C and springs
 *                      K(q) = ∂h/∂q, (M + h C + h² K) a = τ − h(q, ν) − h K ν: no damper and no spring is too stiff
 *   HML_SCHEME_RK4     Munthe-Kaas: the classical Runge-Kutta scheme for θ̇ = S(θ)⁻¹ ν, ν̇ = ν̇(q ⊕ θ, ν, τ) from θ = 0;
 *                      q⁺ = q ⊕ θ
 *   HML_SCHEME_RK2     Munthe-Kaas with the midpoint rule
 *
 * S is the right Jacobian of exp, joint by joint (Müller, section 7). RK2 and RK4 are explicit: RK4 needs h·λ < 2.78 for
 * dampers that slow down at the rate λ, and h·ω < 2.82 for springs that swing at ω. See docs/motion.md, Stiff forces.
 * Nothing is allocated.
 */
#ifndef HAMEL_DISCRETE_H
#define HAMEL_DISCRETE_H

#include "hamel/linearize.h"
#include "hamel/motion.h"

HML_API size_t hml_step_scratch_doubles(const hml_model *model);

/* a step of one state, or of many: one scheme and one h, everything else per state */
typedef struct hml_discrete_step {
    size_t struct_size;
    hml_scheme scheme;
    double h;
    hml_input q, v, tau;       /* tau.data may be NULL: zero */
    hml_output q_next, v_next; /* nq and nv; may be q and v */
    hml_output Ad, Bd;         /* 2nv × 2nv, and 2nv × nv with one column for every coordinate; both or neither */
} hml_discrete_step;

HML_API hml_status hml_step(const hml_model *model, hml_work *work, double *scratch,
                            const hml_discrete_step *arguments);

/*
 * n states, with Ad and Bd. Steps of HML_SCHEME_EULER are linearized in packs, others one by one. All outputs of a state
 * that fails are NaN. status: one per state, or NULL. Returns the first failure.
 */
HML_API hml_status hml_step_linearize_batch(const hml_model *model, hml_work *work, double *scratch, size_t n,
                                            const hml_discrete_step *arguments, hml_status *status);

/* ---- held ---- */

/* doubles; 0 if the constraints are invalid */
HML_API size_t hml_constrained_step_scratch_doubles(const hml_model *model, const hml_constraints *constraints);

/*
 * A step of semi-implicit Euler under constraints (constraint.h), of n states under the same ones:
 *
 *   ν⁺ = ν + h ν̇,  q⁺ = q ⊕ h ν⁺      ν̇ and λ of hml_constrained_forward_dynamics at (q, ν, τ)
 *
 * Unlike hml_step this step takes dampers and springs of the model, and damping and stiffness of the constraints, as
 * they are at its start: h must be short against their own times. λ is the force over the step.
 *
 * A_d and B_d, both or neither, are the derivatives of that step to round-off; with one-sided rows those that carry are
 * kept and those that leave are dropped, HML_SINGULAR if a row grazes. Matrices are packed: ld is 0, or the number of columns.
 */
typedef struct hml_constrained_discrete_step {
    size_t struct_size;
    double h;
    hml_input q, v, tau, wrenches;             /* tau.data and wrenches.data may be NULL: zero */
    hml_output q_next, v_next;                 /* nq and nv; may be q and v */
    hml_output lambda;                         /* m */
    hml_output Ad, Bd;                         /* 2nv × 2nv, and 2nv × nv with one column for every coordinate */
    hml_output lambda_q, lambda_v, lambda_tau; /* m × nv: of λ by the state at the start of the step, and by τ */
} hml_constrained_discrete_step;

/*
 * Frames and points go through in packs, as in hml_constrained_linearize_batch; n = 1 goes as
 * hml_constrained_linearize, whose last digits may be others. All outputs of a state that fails are NaN. status: one per
 * state, or NULL. Returns the first failure.
 */
HML_API hml_status hml_constrained_step(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                        double *scratch, size_t n, const hml_constrained_discrete_step *arguments,
                                        hml_status *status);

/* doubles; 0 if no memory holds that many */
HML_API size_t hml_discretize_scratch_doubles(size_t nstates, size_t ninputs);

/*
 * A: nstates × nstates, B: nstates × ninputs; Ad and Bd alike; packed. Scaling and squaring with the diagonal Padé
 * approximant of order 13 (Higham): relative error near round-off for any h.
 */
HML_API hml_status hml_discretize(size_t nstates, size_t ninputs, const double *A, const double *B, double h,
                                  double *scratch, double *Ad, double *Bd);

#endif
