/* What a joint, an inertia or a placement must satisfy before it may enter a model, and the sentences that say so. */
#ifndef HML_MODEL_CHECK_ITEM_H
#define HML_MODEL_CHECK_ITEM_H

#include <stddef.h>

#include "base/decimal.h"
#include "base/finite.h"
#include "base/printf_like.h"
#include "hamel/model.h"

/* a name in a sentence: quoted, and not longer than a line */
#define NAMED "'%.80s'"

/* fills error (which may be NULL) and returns status */
hml_status hmli_fail(hml_error *error, hml_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * 1 if the text can be shown and written as XML: no control characters (below U+0020, U+007F to U+009F), which drive
 * terminals, and not U+FFFE or U+FFFF, which are no characters
 */
int hmli_text_is_plain(const char *text);

int hmli_joint_uses_axis(hml_joint_type type);

/* is its position one number per coordinate, so that Σ gear·q is a length? */
int hmli_joint_has_length(int32_t type);

/* does the placement of the joint's axis or centre within its frame matter? */
int hmli_joint_uses_point(hml_joint_type type);

/* unit axis; one that is unit to rounding stays as it is. Its length before, 0 for a zero axis, which stays as well */
double hmli_normalize_axis(double axis[3]);

/* nearest rotation; one that is proper within 1e-9 stays as it is. 0 if it is further than 1e-3 away or a reflection */
int hmli_normalize_rotation(double R[9]);

/* unit quaternion in the rest position. Its norm before; 1 for types without one */
double hmli_normalize_rest(hml_joint_type type, double rest[HML_JOINT_MAX_NQ]);

/* errors only; makes the rotation proper and drops what the type does not use */
hml_status hmli_check_joint(hml_joint_spec *joint, hml_error *error);
hml_status hmli_check_inertia(const char *link, const hml_inertia_spec *body, hml_error *error);
hml_status hmli_check_placement(const char *what, const char *name, const double position[3], double rotation[9],
                                hml_error *error);

/* makes its pose one, and drops what the kind does not use; name: of its frame */
hml_status hmli_check_loop(const char *name, hml_loop *c, hml_error *error);

/* what the kind does not use becomes zero */
hml_status hmli_check_shape(const char *body, hml_shape *shape, hml_error *error);

/* 1 if no rigid body has this inertia; what is odd about it goes into the sentence */
int hmli_odd_inertia(const char *link, const hml_inertia_spec *body, char *sentence, size_t size);

#endif
