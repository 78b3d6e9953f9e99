/* Free roots and the 6×6 blocks by which their velocities change the representation: see representation.c. */
#ifndef HML_ALGO_LINEARIZE_REPRESENTATION_H
#define HML_ALGO_LINEARIZE_REPRESENTATION_H

#include "group/spatial.h"
#include "hamel/se3.h"
#include "model/model.h"

typedef struct free_root {
    int32_t joint;
    int32_t v;  /* its first number in the user's velocity */
    pose place; /* of its joint in the world */
    vec3 point; /* of its frame on the body */
} free_root;

/* the first free root at body *i or later, and *i moves past it; 0 if there is none. Fixed bodies may lie between. */
int hmli_root_next(const hml_model *model, int32_t *i, free_root *r);

/* its frame in the world; g: the joint's position and quaternion */
pose hmli_root_pose(const free_root *r, const double g[7]);

/* T with ν_rep = T ν, and T⁻¹ */
void hmli_representation_block(hml_representation representation, pose H, double T[36]);
void hmli_representation_inverse_block(hml_representation representation, pose H, double inverse[36]);

/* L(v), linear in the left velocity v: along it T⁻¹ changes by −L T⁻¹ and T by T L */
void hmli_representation_rate_block(hml_representation representation, const double *v, double L[36]);

#endif
