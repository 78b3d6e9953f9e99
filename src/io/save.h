/* What the writers of models share. */
#ifndef HML_IO_SAVE_H
#define HML_IO_SAVE_H

#include "hamel/io.h"
#include "io/common/writer.h"

int hmli_save_uses_axis(hml_joint_type type);

/* the body that the joint's body hangs on, NULL: the world; the cross inside a universal joint is not seen */
const char *hmli_save_parent(const hml_model *model, const hml_joint_info *joint);

/* is the frame a body's own, not one with a name of its own? */
int hmli_save_is_body(const hml_model *model, const hml_frame_info *frame);

/* hands the text over, or says that memory ran out */
hml_status hmli_save_text(writer *w, char **text, size_t *size, hml_error *error);

typedef hml_status model_writer(const hml_model *model, char **text, size_t *size, hml_error *error);
hml_status hmli_save_file(const hml_model *model, const char *path, model_writer *write, hml_error *error);

#endif
