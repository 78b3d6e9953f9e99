/*
 * Lumping inertias: with d the way between the centres of mass, the moments about the common centre add up to
 * J₁ + J₂ + m₁m₂/(m₁+m₂) (d·d I − d dᵀ). A body without mass has no centre; its moment is added all the same.
 */
#ifndef HML_MODEL_MERGE_INERTIA_H
#define HML_MODEL_MERGE_INERTIA_H

#include "model/pose.h"

#include "hamel/model.h"

/* adds an inertia, given in a frame with pose H (NULL: the identity), to mass, com and moment (xx xy xz yy yz zz) */
static inline void lump(const hml_inertia_spec *add, const pose *H, double *mass, double com[3], double moment[6])
{
    vec3 c = vec3_at(add->com);
    sym3 J = sym3_of_rows(add->moment);
    if (H) {
        c = pose_act(*H, c);
        J = sym3_rotate(H->R, J);
    }
    if (add->mass > 0 && *mass > 0) {
        double share = add->mass / (*mass + add->mass);
        vec3 d = vec3_sub(c, vec3_at(com));
        J = sym3_add(J, sym3_point_mass(*mass * share, d));
        c = vec3_axpy(share, d, vec3_at(com));
    }
    if (add->mass > 0) vec3_put(c, com);
    *mass += add->mass;
    sym3_to_array(sym3_add(sym3_at(moment), J), moment);
}

#endif
