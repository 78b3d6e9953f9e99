/* Loops of a model, as the commands keep them. */
#ifndef CLI_LOOPS_H
#define CLI_LOOPS_H

#include "hamel/constraint.h"
#include "robot.h"

/*
 * After robot_load_state: reads the loops of the model, unless --loops off, and looks whether the state closes them. With --close, or where
 * nothing says what the state is, it is changed until it does; otherwise open loops are a warning. An exit status
 */
int loops_load(const cli_options *options, robot *r);

/* holds and the robot's loops; items may be NULL where count is 0 */
hml_constraints loops_with(const robot *r, const hml_constraint *items, int32_t count);

/* the velocity of the state becomes the one that is left when the loops come into force, by an impulse */
hml_status loops_fit_velocity(const robot *r);

/* ν̇ of the robot with its loops, at its state */
hml_status loops_accelerate(const robot *r, double *acceleration);

/* Baumgarte's terms for a motion, where a loop has none: errors decay with 1/20 s */
void loops_stabilize(const robot *r);

/* refuses many states of a robot with loops; an exit status */
int loops_refuse(const cli_options *options, const robot *r);

#endif
