/* Feedback for linear systems and for robots, and optimal control: all of libhamel-control, a layer above the core. */
#ifndef HAMEL_CONTROL_H
#define HAMEL_CONTROL_H

#include "hamel/control/energy.h"
#include "hamel/control/horizon.h"
#include "hamel/control/integral.h"
#include "hamel/control/locus.h"
#include "hamel/control/lqr.h"
#include "hamel/control/lyapunov.h"
#include "hamel/control/margins.h"
#include "hamel/control/modes.h"
#include "hamel/control/mpc.h"
#include "hamel/control/problem.h"
#include "hamel/control/solver.h"

#endif
