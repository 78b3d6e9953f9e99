/*
 * Reconstruction: the pose of a body from the history of its twist, Müller (88).
 *
 *   hml_reconstruct   poses at the times of the samples
 *
 *   body twist      C⁻¹Ċ = V^      C⁺ = C exp(Ω)
 *   spatial twist   ĊC⁻¹ = V^      C⁺ = exp(Ω) C
 *
 * (With the increment on the left the spatial form of Müller (89) is right as printed; with his, C⁺ = C exp(Ω), an Ad
 * of C is missing there.) Between samples the twist is a cubic through them; Ω solves Müller (89) to fourth order, ∫V ±
 * h²/12 [V₀, V₁]. The fourth order is that of the samples too: of smooth motions the error falls with the fourth power
 * of their spacing.
 */
#ifndef HAMEL_RECONSTRUCT_H
#define HAMEL_RECONSTRUCT_H

#include <stddef.h>

#include "hamel/export.h"
#include "hamel/status.h"

/* on which group a pose is moved */
typedef enum hml_update {
    HML_UPDATE_SE3 = 0, /* SE(3): screw motions are exact, whatever the step */
    HML_UPDATE_SO3_R3 = 1 /* SO(3)×ℝ³: rotation by exp, position by Simpson's rule. For comparison: no screw is exact */
} hml_update;

/*
 * times: n, rising; twists: n × 6, linear first. spatial 0: body twists, 1: spatial ones. H0: pose at times[0]; H:
 * n × 16, H0 first. n = 1 copies H0. HML_NOT_NORMALIZED if H0 is no pose.
 */
HML_API hml_status hml_reconstruct(size_t n, const double *times, const double *twists, int spatial, hml_update update,
                                   const double H0[16], double *H);

#endif
