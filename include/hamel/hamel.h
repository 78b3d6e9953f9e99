/* Hamel: dynamics and exact linearization of robots whose base moves. This header includes the whole core library. */
#ifndef HAMEL_HAMEL_H
#define HAMEL_HAMEL_H

#include "hamel/configuration.h"
#include "hamel/coriolis.h"
#include "hamel/directional.h"
#include "hamel/discrete.h"
#include "hamel/dynamics.h"
#include "hamel/edit.h"
#include "hamel/inertia.h"
#include "hamel/isa.h"
#include "hamel/jacobian.h"
#include "hamel/kinematic_derivatives.h"
#include "hamel/kinematics.h"
#include "hamel/layout.h"
#include "hamel/model.h"
#include "hamel/parameters.h"
#include "hamel/random.h"
#include "hamel/recursive.h"
#include "hamel/reference.h"
#include "hamel/regressor.h"
#include "hamel/representation.h"
#include "hamel/se3.h"
#include "hamel/so3.h"
#include "hamel/status.h"
#include "hamel/subgroup.h"
#include "hamel/trivialization.h"
#include "hamel/version.h"
#include "hamel/work.h"
#include "hamel/wrench.h"

#endif
