/* Feedback for linear systems and for robots: all of libhamel-control, a layer above the core of plain functions. */
#ifndef HAMEL_CONTROL_H
#define HAMEL_CONTROL_H

#include "hamel/control/horizon.h"
#include "hamel/control/lqr.h"
#include "hamel/control/lyapunov.h"
#include "hamel/control/modes.h"

#endif
