/*
 * Algebraic Riccati equations on the caller's memory, in the form with G = B R⁻¹ Bᵀ and without a cross term:
 *
 *   Aᵀ X + X A − X G X + Q = 0               continuous
 *   Aᵀ X (I + G X)⁻¹ A − X + Q = 0           discrete
 *
 * X is the stabilizing solution: A − G X, or (I + G X)⁻¹ A, is stable. We use the structure-preserving doubling algorithm
 * (Chu, Fan, Lin 2005; Chu, Fan, Lin, Wang 2004), the continuous equation after a Cayley transform, on a balanced
 * Hamiltonian matrix, and then Newton's method (Kleinman 1964), whose corrections are solutions of Lyapunov equations.
 */
#ifndef HML_CONTROL_RICCATI_H
#define HML_CONTROL_RICCATI_H

#include "base/layout.h"
#include "hamel/base.h"

typedef struct riccati {
    size_t n;
    int discrete;
    int32_t iterations, refinements;
    double *A, *G, *Q;     /* n × n; the functions below balance them in place */
    double *scale;         /* n, powers of two: x = scale · balanced x */
    double *X;             /* n × n: the solution, of the balanced equation */
    double *closed;        /* n × n: the stable matrix, balanced */
    double *F, *H, *T, *U; /* n × n each */
    double *wide, *tall;   /* 2n × 2n each */
    double *poles;         /* 2n: of closed */
} riccati;

/* lays everything out, or measures it */
void hmli_riccati_lay_out(size_t n, layout_cursor *c, riccati *r);

/* balances A, G, Q */
void hmli_riccati_balance(riccati *r);

/*
 * What a step, or many, make of the cost xᵀX x that follows: xᵀX⁻x with X⁻ = H + Fᵀ X (I + G X)⁻¹ F. F, G, H: n × n, G and H
 * symmetric.
 */
typedef struct riccati_step {
    double *F, *G, *H;
} riccati_step;

/*
 * first ← `first` and `then`, one after the other; then may be first itself. With W = (I + G₁ H₂)⁻¹:
 *
 *   F = F₂ W F₁,  G = G₂ + F₂ W G₁ F₂ᵀ,  H = H₁ + F₁ᵀ H₂ W F₁
 *
 * wide: 2n × n, tall: 2n × 2n doubles of scratch. Returns how much H changed against its size, or −1 where there is no W.
 */
double hmli_riccati_join(size_t n, const riccati_step *first, const riccati_step *then, double *wide, double *tall);

/*
 * Solves the balanced equation. HML_NOT_CONVERGED where no stabilizing solution was found; the pair (A, B) is
 * stabilizable, which the caller has looked at, so that a mode on the border of stability is one that Q does not see.
 */
hml_status hmli_riccati_solve(riccati *r);

#endif
