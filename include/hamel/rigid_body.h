/*
 * A rigid body: its spatial inertia, in any frame B, and its equations of motion.
 *
 *   making            hml_inertia_from_com          mass, centre of mass, moment about it → I       Notation (67)-(69)
 *                     hml_inertia_to_com            and back
 *                     hml_inertia_from_matrix       6x6 → I
 *                     hml_inertia_matrix            I → 6x6                                         Notation (68)
 *                     hml_inertia_add               of two bodies joined together
 *                     hml_inertia_transform         in another frame: rotated, parallel axes        Notation (68), (69)
 *   using             hml_inertia_mul               I V: momentum
 *                     hml_inertia_kinetic_energy    ½ <I V, V>
 *   checking          hml_inertia_check             whether a body can have it; principal moments and axes
 *                     hml_inertia_problem_message   what a bit of the answer means
 *   batches           hml_inertia_mul_batch
 *   motion            hml_newton_euler, hml_newton_euler_com, hml_newton_euler_frame                Müller, section 3
 *
 * An inertia is ten numbers, I[10] = m, h_x, h_y, h_z, J_xx, J_xy, J_xz, J_yy, J_yz, J_zz: mass, first moment h = m·c,
 * and rotational inertia about B's *origin*, J = moment − m c^ c^, whose off-diagonal entries are those of the matrix
 * (J_xy = −∫xy dm). They are the parameters in which the dynamics of a body is linear, and inertias add by adding them.
 *
 * Twists and momenta are linear first, matrices row-major, poses 4x4 as in hamel/se3.h. An output may be one of the
 * inputs. Every function returns HML_INVALID_ARGUMENT if an array is missing and HML_NOT_FINITE if an input holds NaN
 * or infinity.
 */
#ifndef HAMEL_RIGID_BODY_H
#define HAMEL_RIGID_BODY_H

#include <stddef.h>

#include "hamel/base.h"
#include "hamel/se3.h"

/* ---- making ---- */

/* com in B; moment 3x3 about the com, in B's axes; only its symmetric part is used */
HML_API hml_status hml_inertia_from_com(double mass, const double com[3], const double moment[9],
                                        double parameters[10]);

/* HML_SINGULAR if the mass is zero: there is no centre of mass */
HML_API hml_status hml_inertia_to_com(const double parameters[10], double *mass, double com[3], double moment[9]);

/* M = [m 1, −h^; h^, J], Notation (68) */
HML_API hml_status hml_inertia_matrix(const double parameters[10], double M[36]);

/*
 * The inertia whose matrix is M. HML_INVALID_ARGUMENT if no rigid body has such a matrix: an entry is further from the
 * nearest one than tolerance·|largest entry|.
 */
HML_API hml_status hml_inertia_from_matrix(const double M[36], double tolerance, double parameters[10]);

HML_API hml_status hml_inertia_add(const double I1[10], const double I2[10], double sum[10]);

/* the same body's inertia in a, given in b: X_baᵀ M X_ba, Notation (68) */
HML_API hml_status hml_inertia_transform(const double H_ab[16], const double I_b[10], double I_a[10]);

/* ---- using ---- */

/* momentum, a wrench in B: I V = (m v − h × ω; J ω + h × v). hml_wrench_transform takes it to other frames. */
HML_API hml_status hml_inertia_mul(const double parameters[10], const double V[6], double momentum[6]);

/* ½ Vᵀ M V, the same in every frame */
HML_API hml_status hml_inertia_kinetic_energy(const double parameters[10], const double V[6], double *energy);

/* ---- checking ---- */

enum hml_inertia_problem {
    HML_INERTIA_MASS = 1, /* the mass is not positive */
    HML_INERTIA_MOMENT = 2, /* a principal moment about the com is not positive: λ₁ <= tolerance·λ₃, or λ₃ <= 0 */
    HML_INERTIA_TRIANGLE = 4 /* a principal moment is larger than the sum of the others: λ₁ + λ₂ < (1 − tolerance) λ₃ */
};

/* accepts inertias that were rounded to six digits in a file */
#define HML_INERTIA_TOLERANCE 1e-6

/*
 * Whether a body can have this inertia. problems: a sum of hml_inertia_problem, 0 if it can. moments: the principal
 * moments λ₁ <= λ₂ <= λ₃ about the com (B's origin if the mass is not positive). axes: 3x3, its columns the principal
 * axes in B, right-handed. moments and axes may be NULL. A body without extension in some direction (a rod, a plate) is
 * within the triangle's bounds; a point mass or an infinitely thin rod has HML_INERTIA_MOMENT.
 */
HML_API hml_status hml_inertia_check(const double parameters[10], double tolerance, unsigned *problems,
                                     double moments[3], double axes[9]);

/* a phrase for the lowest bit that is set: "the mass is not positive", …; "no problem" for 0 */
HML_API const char *hml_inertia_problem_message(unsigned problems);

/* ---- batches, as in hamel/se3.h ---- */

/* inertias (n x 10) and twists (n x 6) to momenta (n x 6) */
HML_API hml_status hml_inertia_mul_batch(hml_isa isa, size_t n, const double *parameters, const double *V, double *out);
HML_API hml_status hml_inertia_mul_batch_f32(size_t n, const float *parameters, const float *V, float *out);

/* ---- Newton and Euler ---- */

/*
 * Newton and Euler for one body, in every form of Müller, section 3: from a motion, the wrench that makes it.
 *
 *   hml_newton_euler         in four representations, at any frame fixed in the body           (34)-(43), (51)-(57)
 *   hml_newton_euler_com     at the centre of mass, where force and torque are decoupled            (44)-(50), (58)
 *   hml_newton_euler_frame   at any moving point, in any moving axes                                    (60), (63)
 *
 * V: the body's twist; dV: the derivative of its six components; W: the sum of all wrenches on the body, weight
 * included, dual to V: Wᵀ V is the power. I: ten numbers as above. H = (R, o): 4x4, the pose of the body's frame.
 * Errors are those of inertias. An output may be one of the inputs.
 */

/*
 * I: in the body's frame. For left H is not read and may be NULL.
 *
 *   left    W = M V̇ − ad_Vᵀ M V                                                              (41), parts (42), (43)
 *   right   the same with M in the world                                                     (34), (38)
 *   mixed   f = m (r̈ + ω̇ × d + ω × (ω × d)),  t = Θ ω̇ + ω × Θ ω + m d × r̈, world's axes      (54), (55)
 *   split   f as in mixed, t in the body's axes                                              (56), (57)
 */
HML_API hml_status hml_newton_euler(hml_representation representation, const double H[16], const double parameters[10],
                                    const double V[6], const double dV[6], double W[6]);

/*
 * H: the pose of a frame at the centre of mass; moment: 3x3 about it, in that frame's axes; only its symmetric part is
 * used. Right has no separate form here, because its pole is the world's origin: (38).
 */
HML_API hml_status hml_newton_euler_com(hml_representation representation, const double H[16], double mass,
                                        const double moment[9], const double V[6], const double dV[6], double W[6]);

/*
 * A point x and axes Q that move in any way. V = [velocity of the body's point that is at x; ω], in the axes Q, I and
 * W about x in the axes Q; V_frame = [ẋ; angular velocity of Q], in the axes Q as well.
 *
 *   M (V̇ + V_frame × V) − ad_Vᵀ M V = W
 *
 * is (60), where x and Q belong to one frame, and (63), where they belong to two. V_frame = V, 0 and [v; 0] give left,
 * right and mixed.
 */
HML_API hml_status hml_newton_euler_frame(const double parameters[10], const double V_frame[6], const double V[6],
                                          const double dV[6], double W[6]);

#endif
