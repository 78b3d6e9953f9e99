/*
 * Newton and Euler for one body, in every form of Müller, section 3: from a motion, the wrench that makes it.
 *
 *   hml_newton_euler         in four representations, at any frame fixed in the body           (34)-(43), (51)-(57)
 *   hml_newton_euler_com     at the centre of mass, where force and torque have nothing in common   (44)-(50), (58)
 *   hml_newton_euler_frame   at any moving point, in any moving axes                                    (60), (63)
 *
 * V: the body's twist; dV: the derivative of its six numbers; W: all that acts on the body together, weight included,
 * dual to V: Wᵀ V is the power. I: ten numbers as in hamel/inertia.h. H = (R, o): 4x4, the pose of the body's frame.
 * Errors are those of hamel/inertia.h. An output may be one of the inputs.
 */
#ifndef HAMEL_NEWTON_EULER_H
#define HAMEL_NEWTON_EULER_H

#include "hamel/inertia.h"
#include "hamel/representation.h"

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
 * H: the pose of a frame at the centre of mass; moment: 3x3 about it, in that frame's axes, of which the symmetric part
 * is taken. Right has no form of its own here, its pole being the world's origin: (38).
 */
HML_API hml_status hml_newton_euler_com(hml_representation representation, const double H[16], double mass,
                                        const double moment[9], const double V[6], const double dV[6], double W[6]);

/*
 * A point x and axes Q that move as they like. V = [velocity of the body's point that is at x; ω], in the axes Q, I and
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
