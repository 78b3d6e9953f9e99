/*
 * The Coriolis matrix and the Christoffel symbols.
 *
 *   hml_coriolis_matrix   C with h = C ν + gravity + …, and Ṁ − 2C skew
 *   hml_christoffel       Γ with C_ij = Σ_k Γ_ijk ν_k
 *
 * scratch and errors are those of recursive.h.
 */
#ifndef HAMEL_CORIOLIS_H
#define HAMEL_CORIOLIS_H

#include "hamel/model.h"

/*
 * C, nv × nv; Mdot = dM/dt along ν, nv × nv, may be NULL. For every joint, groups that do not commute included, C is
 * the one that Levi-Civita's connection gives: Ṁ = C + Cᵀ and, for joints of one coordinate, Christoffel's symbols.
 */
HML_API hml_status hml_coriolis_matrix(const hml_model *model, void *scratch, const double *q, const double *v,
                                       double *C, double *Mdot);

/*
 * Γ, nv × nv × nv: entry (i·nv + j)·nv + k is Γ_ijk = ⟨∇_k E_j, E_i⟩, E the left-invariant fields of the joints. Where
 * joints commute this is ½(∂_k M_ij + ∂_j M_ik − ∂_i M_jk); where they do not, Γ_ijk − Γ_ikj = Σ_l M_il c^l_kj with the
 * structure constants c of the joint's group, the Boltzmann-Hamel correction.
 */
HML_API hml_status hml_christoffel(const hml_model *model, void *scratch, const double *q, double *Gamma);

#endif
