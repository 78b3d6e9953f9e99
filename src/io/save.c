/* What the writers of models share. See save.h. */
#include "io/save.h"

#include <stdlib.h>
#include <string.h>

int hmli_save_uses_axis(hml_joint_type type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_PRISMATIC || type == HML_JOINT_HELICAL ||
           type == HML_JOINT_CYLINDRICAL || type == HML_JOINT_UNIVERSAL;
}

const char *hmli_save_parent(const hml_model *model, const hml_joint_info *joint)
{
    hml_body_info body = {.struct_size = sizeof body}, parent = {.struct_size = sizeof parent};
    hml_model_body(model, joint->body, &body);
    for (parent.parent = body.parent; parent.parent >= 0;) {
        hml_model_body(model, parent.parent, &parent);
        if (parent.joint != body.joint) return parent.name;
    }
    return NULL;
}

int hmli_save_is_body(const hml_model *model, const hml_frame_info *frame)
{
    hml_body_info body = {.struct_size = sizeof body};
    if (frame->body < 0) return 0;
    hml_model_body(model, frame->body, &body);
    return strcmp(frame->name, body.name) == 0;
}

hml_status hmli_save_text(writer *w, char **text, size_t *size, hml_error *error)
{
    if (w->failed) {
        hmli_writer_free(w);
        return hmli_report_memory(error, NULL);
    }
    *text = w->data;
    *size = w->size;
    return HML_OK;
}

hml_status hmli_save_file(const hml_model *model, const char *path, model_writer *write, hml_error *error)
{
    char *text;
    size_t size;
    if (!path) return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no file to write");
    hml_status status = write(model, &text, &size, error);
    if (status) return hmli_report_place(error, status, path, 0);
    status = hml_file_write(path, text, size, error);
    free(text);
    return status;
}

void hml_text_free(char *text) { free(text); }
