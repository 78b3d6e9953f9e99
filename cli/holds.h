/* What the world holds of a robot, as --hold says it. */
#ifndef CLI_HOLDS_H
#define CLI_HOLDS_H

#include "hamel/constraint.h"
#include "robot.h"

/* --hold FRAME[:KIND] of all options, in items, which has room for CLI_HOLDS; an exit status */
int holds_read(const cli_options *options, const robot *r, hml_constraint *items);

/* the frame with the name of `length` bytes that begins at text; a sentence and an exit status if there is none */
int holds_frame(const robot *r, const char *text, size_t length, int32_t *frame);

/* "point", "frame", "plane", "touch" */
const char *hold_kind_name(hml_constraint_kind kind);

#endif
