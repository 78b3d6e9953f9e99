/* What the edits share: taking a model apart into a builder whose links lie in the order of the model's joints. */
#ifndef HML_MODEL_EDIT_H
#define HML_MODEL_EDIT_H

#include "model/builder.h"
#include "model/pose.h"

#include "hamel/edit.h"

/* the options that build the model again as it was */
unsigned hmli_rebuild_options(const hml_model *m);

/* builds, frees the builder, and has an error even where only memory was missing */
hml_status hmli_rebuild(hml_builder *b, const hml_model *like, hml_model **result, hml_error *error);

/* T(point) g(q) T(−point) of a joint, both bodies of a universal one; q: the joint's own numbers, nq of its type */
pose hmli_joint_motion(const hml_model *m, const model_joint *j, const double *q);

/* the joint's own numbers in a user's configuration, a follower's from its leader's; q NULL: neutral */
hml_status hmli_joint_position(const hml_model *m, const model_joint *j, const double *q, double out[HML_JOINT_MAX_NQ]);

static inline const char *joint_text(const hml_model *m, const model_joint *j) { return model_text(m, j->name); }

/* the body a joint moves: the second one of a universal joint */
static inline int32_t joint_link(const model_joint *j) { return j->body + j->nbodies - 1; }

#endif
