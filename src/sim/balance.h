/* What forces do to a robot: their work, and what they add to its momentum. */
#ifndef HML_SIM_BALANCE_H
#define HML_SIM_BALANCE_H

#include "hamel/motion.h"

/* dampers and springs of the model by coordinates of the user, nv each: a follower that turns f times as far counts f²
 * times */
void hmli_balance_passive(const hml_model *model, double *damping, double *stiffness);

/* impulse += h · weight of all bodies at their places, and its moment about the origin; H: poses of the bodies */
void hmli_balance_gravity(const hml_model *model, const double *H, double h, double impulse[6]);

/* a force at a point, in the world's axes, over h */
void hmli_balance_push(const double point[3], const double force[3], double h, double impulse[6]);

/* wrenches of the bodies over h; V: left twists of the bodies. Returns their work */
double hmli_balance_wrenches(const hml_model *model, const double *H, const double *V, const double *wrenches, double h,
                             double impulse[6]);

/* forces of free joints on the world push the whole robot; tau: nv */
void hmli_balance_base(const hml_model *model, const double *H, const double *tau, double h, double impulse[6]);

/* sum += more, field by field */
void hmli_balance_add(const hml_balance *more, hml_balance *sum);

#endif
