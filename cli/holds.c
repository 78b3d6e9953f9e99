/* See holds.h. */
#include "holds.h"

#include <string.h>

static const char *const KINDS[] = {
    [HML_HOLD_FRAME] = "frame", [HML_HOLD_POINT] = "point", [HML_HOLD_PLANE] = "plane", [HML_TOUCH_PLANE] = "touch"};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, NAME_MOST = 256 };

const char *hold_kind_name(hml_constraint_kind kind) { return KINDS[kind]; }

static const char *frame_name(const void *model, int i)
{
    hml_frame_info info = {.struct_size = sizeof info};
    return hml_model_frame(model, i, &info) ? "" : info.name;
}

int holds_frame(const robot *r, const char *text, size_t length, int32_t *frame)
{
    char name[NAME_MOST];
    if (length >= sizeof name) return cli_fail(CLI_INPUT, "%s: there is no frame '%s'", r->file, text);
    memcpy(name, text, length);
    name[length] = 0;
    *frame = hml_model_find_frame(r->model, name);
    if (*frame >= 0) return CLI_OK;
    const char *nearest = cli_nearest(name, hml_model_nframes(r->model), frame_name, r->model);
    if (nearest) return cli_fail(CLI_INPUT, "%s: there is no frame '%s'; did you mean '%s'?", r->file, name, nearest);
    return cli_fail(CLI_INPUT, "%s: there is no frame '%s'", r->file, name);
}

/* a frame's name may have a colon of its own: the last one counts, and only if a kind follows it */
static int read_one(const robot *r, const char *text, hml_constraint *c)
{
    const char *colon = strrchr(text, ':');
    int kind = 0;
    *c = (hml_constraint){.kind = HML_HOLD_POINT, .normal = {0, 0, 1}};
    c->frame = hml_model_find_frame(r->model, text);
    if (c->frame >= 0) return CLI_OK;
    while (colon && kind < KIND_COUNT && strcmp(colon + 1, KINDS[kind]) != 0) kind++;
    if (colon && kind == KIND_COUNT)
        return cli_fail(CLI_USAGE, "--hold: '%s' is not point, frame, plane or touch", colon + 1);
    if (colon) c->kind = (hml_constraint_kind)kind;
    return holds_frame(r, text, colon ? (size_t)(colon - text) : strlen(text), &c->frame);
}

int holds_read(const cli_options *options, const robot *r, hml_constraint *items)
{
    int status = CLI_OK;
    for (int i = 0; i < options->nholds && status == CLI_OK; i++) status = read_one(r, options->holds[i], &items[i]);
    return status;
}
