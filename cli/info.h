/* What hamel info knows about a model, for its tables and its files. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "robot.h"

enum { INFO_ISAS = 4 };
extern const hml_isa info_isas[INFO_ISAS];

hml_body_info info_body(const hml_model *model, int32_t i);
hml_joint_info info_joint(const hml_model *model, int32_t i);
hml_frame_info info_frame(const hml_model *model, int32_t i);
const char *info_body_name(const hml_model *model, int32_t i); /* NULL for the world, −1 */
const char *info_group(const hml_joint_info *joint);           /* "SE(3)", "SO(2)", … */

/* everything as a result: bodies, joints, coordinates, frames, mass, gravity, warnings, workspace */
hml_result *info_result(const robot *r);

#endif
