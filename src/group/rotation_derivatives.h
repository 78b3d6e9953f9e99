/*
 * Derivatives of ⊞, ⊟ and the interpolation, over num. Kindr, "Derivatives", has those of ⊗, of the inverse, of exp and
 * of log; these follow by the chain rule. With u a change on the same side as v, and J(v) = Γ(v) globally, Γ(−v)
 * locally:
 *
 *   x ⊞ v          (x ⊞ u) ⊞ v = (x ⊞ v) ⊞ Ad u       Ad = exp(v^) globally, exp(−v^) locally
 *                  x ⊞ (v + u) = (x ⊞ v) ⊞ J(v) u
 *   v = a ⊟ b      (a ⊞ u) ⊟ b = v + J(v)⁻¹ u
 *                  a ⊟ (b ⊞ u) = v − J(−v)⁻¹ u
 *   a ⊞ t(b ⊟ a)   both: Db = t J(tv) J(v)⁻¹,  Da = Ad(tv) − t J(tv) J(−v)⁻¹
 *
 * v of ⊟ is never longer than π, so that the inverses exist.
 */
#ifndef HML_GROUP_ROTATION_DERIVATIVES_H
#define HML_GROUP_ROTATION_DERIVATIVES_H

#include "group/rotation.h"
#include "hamel/so3.h"

/* v of the formulas above on either side: on the local side it is −v of the global ones */
static inline vec3 sided(hml_side side, vec3 v) { return side == HML_GLOBAL ? v : vec3_neg(v); }

static inline void boxplus_derivatives(hml_side side, vec3 v, mat3 *Dx, mat3 *Dv)
{
    v = sided(side, v);
    *Dx = so3_exp(v);
    *Dv = so3_dexp_left(v);
}

static inline void boxminus_derivatives(hml_side side, vec3 v, mat3 *Da, mat3 *Db)
{
    v = sided(side, v);
    *Da = so3_dexp_left_inverse(v);
    *Db = mat3_scale(K(-1), so3_dexp_right_inverse(v));
}

static inline void slerp_derivatives(hml_side side, vec3 v, num t, mat3 *Da, mat3 *Db)
{
    vec3 w = sided(side, v), tw = vec3_scale(t, w);
    mat3 J = mat3_scale(t, so3_dexp_left(tw));
    *Db = mat3_mul(J, so3_dexp_left_inverse(w));
    *Da = mat3_sub(so3_exp(tw), mat3_mul(J, so3_dexp_right_inverse(w)));
}

#endif
