/* Hamel: dynamics and exact linearization of robots whose base moves. This header includes the whole core library. */
#ifndef HAMEL_HAMEL_H
#define HAMEL_HAMEL_H

#include "hamel/actuation.h"
#include "hamel/base.h"
#include "hamel/configuration.h"
#include "hamel/constraint.h"
#include "hamel/contact.h"
#include "hamel/discrete.h"
#include "hamel/dynamics.h"
#include "hamel/edit.h"
#include "hamel/field.h"
#include "hamel/interchange.h"
#include "hamel/inverse_kinematics.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/linearize.h"
#include "hamel/model.h"
#include "hamel/motion.h"
#include "hamel/parameters.h"
#include "hamel/random.h"
#include "hamel/reference/bos.h"
#include "hamel/reference/textbook.h"
#include "hamel/representation.h"
#include "hamel/rigid_body.h"
#include "hamel/rotation.h"
#include "hamel/se3.h"
#include "hamel/so3.h"
#include "hamel/subgroup.h"
#include "hamel/trim.h"
#include "hamel/work.h"

#endif
