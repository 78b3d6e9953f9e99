/* hamel plan, its picture. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "hamel/control/solver.h"
#include "robot.h"

/* an SVG file; an exit status */
int plan_plot(const char *path, const robot *r, const hml_problem *problem, const hml_solution *x);

#endif
