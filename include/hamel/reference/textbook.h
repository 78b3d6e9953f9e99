/*
 * The textbook recursions, for trees whose joints are groups: readable, in plain double, each proven against the
 * others. dynamics.h has the fast ones.
 *
 *   hml_recursive_size     bytes of scratch for every function here and for the regressors of parameters.h
 *   hml_rnea               inverse dynamics by Newton-Euler recursion, in any of the four representations of twists
 *   hml_joint_wrenches     what every joint carries: its whole wrench, its reaction, and the wrench on the ground
 *   hml_crba               M by composite bodies, in the bodies' frames or in the root's
 *   hml_aba                forward dynamics by articulated bodies
 *   hml_hybrid_dynamics    some joints prescribed in acceleration, the others in force
 *   hml_force_rates        τ, τ̇, τ̈ along a motion
 *
 * ν is left-trivialized throughout; a representation says in which form the recursion carries its twists, not the form
 * of the arguments. wrenches: nbodies × 6 in the bodies' frames, or NULL. Armature, damping and springs count as in
 * dynamics.h. Models with mimic followers give HML_UNSUPPORTED, NaN and infinity HML_NOT_FINITE, quaternions that are
 * not unit HML_NOT_NORMALIZED. scratch is aligned as a double is; nothing allocates. Matrices are row-major, packed.
 */
#ifndef HAMEL_REFERENCE_TEXTBOOK_H
#define HAMEL_REFERENCE_TEXTBOOK_H

#include "hamel/model.h"
#include "hamel/se3.h"

/* bytes; 0 for a model with mimic followers */
HML_API size_t hml_recursive_size(const hml_model *model);

/*
 * left: twists in the body (Müller, section 4.1); right: in the world at its origin (4.2), which loses digits far away
 * from there; mixed: at the body's origin in the world's axes (4.3, his hybrid); split: ṙ in the world, ω in the body
 * (his mixed, which he leaves out).
 */
HML_API hml_status hml_rnea(const hml_model *model, void *scratch, hml_representation representation, const double *q,
                            const double *v, const double *a, const double *wrenches, double *tau);

/*
 * What joints carry along a motion q, ν, ν̇ under external wrenches. NULL: not computed.
 *
 * W_i is the wrench that the predecessor exerts on body i through joint i: Müller (67a), (71b), (76b). If body i is cut
 * free, the wrenches on it are W_i, minus the W of its children, its weight and its external wrench: (77). The part
 * Sᵀ W_i acts along the joint's freedom; the rest is the reaction W^c_i, which does no work on the joint, Sᵀ W^c_i = 0.
 * How the working part is applied depends on the construction. Here the drive of a translational coordinate is a force
 * along its axis, and that of a rotational one, a helical joint's too, is a torque about it. Armature is only a number
 * on M's diagonal and loads no bearing.
 */
typedef struct hml_joint_loads {
    size_t struct_size;
    double *wrenches;  /* nbodies × 6: W, in the representation, dual to the body's twist */
    double *reactions; /* nbodies × 6: W^c, in the same form */
    double *forces; /* nv: SᵀW, all that acts along the coordinate: τ − armature · ν̇ − damping · ν − springs */
    double *components; /* nbodies × 6: W in the joint's own frame: forces along x, y, z, torques about them */
    double *frames; /* nbodies × 16: that frame in the world. It is fixed in the body, its origin is the joint's point;
                       z is the axis of a joint that has one, else its axes are those of the body */
    double *ground; /* 6: the sum of W over the bodies whose parent is the world, in the world about its origin */
} hml_joint_loads;

HML_API hml_status hml_joint_wrenches(const hml_model *model, void *scratch, hml_representation representation,
                                      const double *q, const double *v, const double *a, const double *wrenches,
                                      const hml_joint_loads *loads);

typedef enum hml_crba_frame {
    HML_CRBA_BODY = 0, /* inertias and columns move from body to body */
    HML_CRBA_ROOT = 1  /* everything in the frame of the tree's root */
} hml_crba_frame;

HML_API hml_status hml_crba(const hml_model *model, void *scratch, hml_crba_frame frame, const double *q, double *M);

/* HML_SINGULAR if M is singular */
HML_API hml_status hml_aba(const hml_model *model, void *scratch, const double *q, const double *v, const double *tau,
                           const double *wrenches, double *a);

/*
 * prescribed: one number per body of the model; not 0 if its joint's accelerations are given in a and its forces are
 * to be computed in tau, 0 if it is the other way round. Both arrays are nv long; the function fills in the rest.
 */
HML_API hml_status hml_hybrid_dynamics(const hml_model *model, void *scratch, const int *prescribed, const double *q,
                                       const double *v, const double *wrenches, double *a, double *tau);

/*
 * τ and its first two derivatives from ν̇, ν̈, ν⃛ (Müller, section 6.3), in O(n): for drives with elastic transmissions,
 * which need them. wrenches: 3 × nbodies × 6, the external wrenches in the bodies' frames and the first two derivatives
 * of their components, or NULL; these do not vanish for a wrench that keeps its direction in the world. Outputs may be
 * NULL.
 */
HML_API hml_status hml_force_rates(const hml_model *model, void *scratch, const double *q, const double *v,
                                   const double *a, const double *jerk, const double *snap, const double *wrenches,
                                   double *tau, double *dtau, double *ddtau);

/* ---- closed form ---- */

/*
 * The equations of motion in closed form: every body's Newton-Euler equations, projected on the motions that its joints
 * allow.
 *
 *   hml_euler_jourdain        τ = Σ J_iᵀ (M_i V̇_i − ad_{V_i}ᵀ M_i V_i − W_i), in the bodies' frames       Müller (78)
 *   hml_body_momenta          Π_i = M_i J_i ν, in the world                                              (79), line 2
 *   hml_momentum_velocities   ν from Π, the same line solved
 *   hml_body_momentum_rates   Π̇_i along a motion, in the world                                           (36), (79)
 *   hml_momentum_dynamics     ν and Π̇ from q, Π and τ: (79) as a system of first order
 *   hml_momentum_forces       τ = Σ J_iᵀ (Π̇_i − W_i), in the world                                       (79), line 1
 *
 * These equations are named after Euler and Jourdain, after Kane, whose partial velocities are the columns of J, and
 * after the natural orthogonal complement. In (78) no twist, acceleration or wrench passes from body to body: the cost
 * of a body grows with the number of joints between it and the root. The recursions above do the same work in O(n).
 */

/* inverse dynamics, with the same terms as hml_rnea */
HML_API hml_status hml_euler_jourdain(const hml_model *model, void *scratch, const double *q, const double *v,
                                      const double *a, const double *wrenches, double *tau);

/* momenta: nbodies × 6, linear, then angular about the world's origin */
HML_API hml_status hml_body_momenta(const hml_model *model, void *scratch, const double *q, const double *v,
                                    double *momenta);

/*
 * ν with these momenta. For momenta that no motion has, the ν that minimizes the kinetic energy of the remainder,
 * Σ ½ (Π_i − M_i J_i ν)ᵀ M_i⁺ (Π_i − M_i J_i ν): a robot with a free base keeps the total momentum of Π. A body's
 * inertia may be singular, such as that of the cross of a universal joint or of a point mass, as long as all bodies
 * together determine ν; HML_SINGULAR if they do not. Armature is not part of Π.
 */
HML_API hml_status hml_momentum_velocities(const hml_model *model, void *scratch, const double *q,
                                           const double *momenta, double *v);

/* rates: nbodies × 6, dΠ/dt where ν changes with a: Π̇_i = W_i in the world, all that acts on body i */
HML_API hml_status hml_body_momentum_rates(const hml_model *model, void *scratch, const double *q, const double *v,
                                           const double *a, double *rates);

/*
 * (79) solved for both of its unknowns: v (nv), the velocity of q, and rates (nbodies × 6), the rates of Π, under joint
 * forces tau (nv, or NULL) and wrenches; weights, damping, springs and armature count as in hml_aba. Integrated by any
 * scheme, the sum of Π follows the external forces to rounding; the single Π_i drift away from M_i J_i ν with the error
 * of the scheme. HML_SCHEME_MOMENTUM of motion.h does not have that drift: it carries as many momenta as there are
 * velocities.
 */
HML_API hml_status hml_momentum_dynamics(const hml_model *model, void *scratch, const double *q, const double *momenta,
                                         const double *tau, const double *wrenches, double *v, double *rates);

/*
 * rates: nbodies × 6, dΠ/dt. W is the bodies' weight and the external wrenches. Armature, damping and springs act on
 * joints, not on bodies: they are not part of this τ.
 */
HML_API hml_status hml_momentum_forces(const hml_model *model, void *scratch, const double *q, const double *rates,
                                       const double *wrenches, double *tau);

/* ---- Coriolis ---- */

/*
 * The Coriolis matrix and the Christoffel symbols.
 *
 *   hml_coriolis_matrix   C with h = C ν + gravity + …, and Ṁ − 2C skew
 *   hml_christoffel       Γ with C_ij = Σ_k Γ_ijk ν_k
 */

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

/* ---- factors of the mass matrix ---- */

/*
 * Factors of the mass matrix that keep the tree's zeros (Featherstone, chapter 8).
 *
 *   hml_coordinate_parents   λ: the next coordinate on the path to the root
 *   hml_ltl_factor           M = LᵀL
 *   hml_ltdl_factor          M = LᵀDL, L with a unit diagonal
 *   hml_factor_multiply      L x or Lᵀ x
 *   hml_factor_solve         L⁻¹ x or L⁻ᵀ x
 *   hml_tree_multiply        M x
 *
 * M_ij is zero unless one of the coordinates i, j carries the other, and elimination from the last coordinate to the
 * first creates no new entries. All functions here go along λ: a chain of depth d costs n·d² for the factor and n·d for
 * a product or a solve. Matrices are nv × nv, row-major, packed; only entries on and below the diagonal are read or
 * written, and of those only the ones that are not zero by the tree. Nothing allocates.
 */

/* parents: nv indices, −1 for the first coordinate of a tree. Models with mimic followers give HML_UNSUPPORTED */
HML_API hml_status hml_coordinate_parents(const hml_model *model, int32_t *parents);

/* in place: the lower triangle of M becomes L. HML_SINGULAR if a pivot is not positive */
HML_API hml_status hml_ltl_factor(int32_t nv, const int32_t *parents, double *M);

/* in place: the lower triangle of M becomes L, the diagonal D */
HML_API hml_status hml_ltdl_factor(int32_t nv, const int32_t *parents, double *M);

typedef enum hml_factor_diagonal {
    HML_DIAGONAL_STORED = 0, /* LᵀL: L's diagonal is in the matrix */
    HML_DIAGONAL_UNIT = 1    /* LᵀDL: it is one, and D is there instead */
} hml_factor_diagonal;

/* x ← L x, or Lᵀ x */
HML_API hml_status hml_factor_multiply(int32_t nv, const int32_t *parents, const double *L,
                                       hml_factor_diagonal diagonal, int transposed, double *x);

/* x ← L⁻¹ x, or L⁻ᵀ x. M⁻¹ x is both: first transposed, then, for LᵀDL, divided by D, then not transposed */
HML_API hml_status hml_factor_solve(int32_t nv, const int32_t *parents, const double *L, hml_factor_diagonal diagonal,
                                    int transposed, double *x);

/* y = M x; y is not x */
HML_API hml_status hml_tree_multiply(int32_t nv, const int32_t *parents, const double *M, const double *x, double *y);

#endif
