/* What the parts of hamel trim share. */
#ifndef CLI_TRIM_H
#define CLI_TRIM_H

#include "robot.h"

/* writes a state file with a configuration, the velocity of the robot's state and forces, left; an exit status */
int trim_save(const char *path, const robot *r, const double *q, const double *tau);

#endif
