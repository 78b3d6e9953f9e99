/* The solution over expressions: see solve.c. */
#ifndef HML_GENERATE_SOLVE_H
#define HML_GENERATE_SOLVE_H

#include "generate/program.h"

/* columns up to which straight-line code is used; without vectors, where code should be small, of shorter trunks only */
enum { SOLVE_TRUNK = 16, SOLVE_TRUNK_SMALL = 10, SOLVE_LIMB = 8 };

/* is the robot small enough, and without followers? */
int hmli_solve_fits(const robot_shape *s, int vectors);

/* M⁻¹ and T of limbs, from M and MP */
void hmli_solve_limbs(region *r);

/* S⁻¹ and the acceleration of the trunk; all limbs are solved */
void hmli_solve_trunk(program *p);

/* the acceleration of limbs, once the trunk's is known */
void hmli_solve_accelerations(program *p, region *r);

/* keeps M⁻¹ and T of limbs for the results; best in the step that computes them, but that makes the code of others longer */
void hmli_solve_keep(region *r);

/* the right-hand sides of limbs, whose columns of the path are zero before first_q and first_v; then those of the trunk */
void hmli_solve_right_limbs(region *r, int32_t first_q, int32_t first_v);
void hmli_solve_right_trunk(program *p);

#endif
