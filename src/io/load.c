/* Models from files, memory and the library itself: which format, which reader. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "io/builtin.h"
#include "io/common/environment.h"
#include "io/common/file.h"
#include "io/reader.h"

void hml_load_options_init(hml_load_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
}

static hml_status copy_options(const hml_load_options *given, hml_load_options *options, hml_error *error)
{
    hml_load_options_init(options);
    if (given && !struct_read(options, given, sizeof *options, STRUCT_END(hml_load_options, format))) {
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "options are not initialized");
    }
    if (!options->base_name) options->base_name = "base";
    if ((int)options->format < HML_FORMAT_AUTO || (int)options->format > HML_FORMAT_JSON)
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no file format %d", (int)options->format);
    if ((int)options->base < HML_BASE_AUTO || (int)options->base > HML_BASE_FIXED)
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no kind of base %d", (int)options->base);
    if (!*options->base_name) return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "the name of the base is empty");
    return HML_OK;
}

/* ---- which format ---- */

/* 1 if XML, 0 if JSON, −1 if neither */
static int is_xml(const reader *r, const char *data, size_t size)
{
    if (r->options.format) return r->options.format != HML_FORMAT_JSON;
    if (r->file) {
        if (hmli_file_ends(r->file, ".urdf") || hmli_file_ends(r->file, ".xml") || hmli_file_ends(r->file, ".mjcf"))
            return 1;
        if (hmli_file_ends(r->file, ".json")) return 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '<') return 1;
        if (data[i] == '{') return 0;
        if (!strchr(" \t\r\n\xef\xbb\xbf", data[i])) break; /* spaces and the byte order mark */
    }
    return -1;
}

static hml_status read_xml(reader *r, const char *data, size_t size)
{
    xml_node *root;
    hml_status status = hmli_xml_parse(r->memory, r->file, data, size, &root, r->error);
    if (status) return status;
    hml_model_format format = r->options.format;
    if (xml_is(root, "robot") && format != HML_FORMAT_MJCF) return hmli_read_urdf(r, root);
    if (xml_is(root, "mujoco") && format != HML_FORMAT_URDF) return hmli_read_mjcf(r, root);
    const char *wanted = format == HML_FORMAT_URDF   ? "<robot> (URDF)"
                         : format == HML_FORMAT_MJCF ? "<mujoco> (MJCF)"
                                                     : "<robot> (URDF) or <mujoco> (MJCF)";
    return hmli_report(r->error, HML_BAD_FILE, r->file, root->line, "the root element is <%.80s>, not %s", root->name,
                       wanted);
}

static hml_status read_any(reader *r, const char *data, size_t size)
{
    int xml = is_xml(r, data, size);
    if (xml < 0) return hmli_report(r->error, HML_BAD_FILE, r->file, 0, "is neither XML nor JSON");
    return xml ? read_xml(r, data, size) : hmli_read_json(r, data, size);
}

/* ---- entries ---- */

hml_status hmli_read_model(reader *r, const void *data, size_t size, const hml_load_options *options)
{
    hml_status status = copy_options(options, &r->options, r->error);
    if (status) return status;
    r->builder = hml_builder_new();
    return r->builder ? read_any(r, size ? data : "", size) : hmli_report_memory(r->error, r->file);
}

void hmli_reader_free(reader *r)
{
    hml_builder_free(r->builder);
    hmli_map_free(&r->kinds);
    hmli_map_free(&r->hulls);
    free(r->hull_shapes);
}

static hml_status load(const void *data, size_t size, const char *name, int in_memory, const hml_load_options *options,
                       hml_model **model, hml_error *error)
{
    arena memory = {0};
    environment numbers;
    reader r = {.file = name, .in_memory = in_memory, .memory = &memory, .error = error};
    environment_enter(&numbers);
    hml_status status = hmli_read_model(&r, data, size, options);
    if (!status && r.options.gravity) {
        status = hml_builder_set_gravity(r.builder, r.options.gravity);
        if (status) hmli_report(error, status, NULL, 0, "the given gravity is not finite");
    }
    if (!status) {
        status = hml_builder_build(r.builder, r.options.build, model, error);
        if (status) hmli_report_place(error, status, name, 0);
    }
    hmli_reader_free(&r);
    hmli_arena_free(&memory);
    environment_leave(&numbers);
    return status;
}

hml_status hml_load_memory(const void *data, size_t size, const char *name, const hml_load_options *options,
                           hml_model **model, hml_error *error)
{
    if (!model || (!data && size > 0)) return hmli_report(error, HML_INVALID_ARGUMENT, name, 0, "there is no data");
    *model = NULL;
    return load(data, size, name, 1, options, model, error);
}

hml_status hml_load(const char *path, const hml_load_options *options, hml_model **model, hml_error *error)
{
    if (!path || !model) return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no file to load");
    *model = NULL;
    char *data;
    size_t size;
    hml_status status = hmli_file_read(path, &data, &size, error);
    if (status) return status;
    status = load(data, size, path, 0, options, model, error);
    free(data);
    return status;
}

int32_t hml_builtin_count(void) { return hmli_builtin_number; }

const char *hml_builtin_name(int32_t index)
{
    return index >= 0 && index < hmli_builtin_number ? hmli_builtins[index].name : NULL;
}

hml_status hml_load_builtin(const char *name, const hml_load_options *options, hml_model **model, hml_error *error)
{
    if (!name || !model) return hmli_report(error, HML_INVALID_ARGUMENT, name, 0, "there is no robot to load");
    *model = NULL;
    for (int32_t i = 0; i < hmli_builtin_number; i++) {
        if (strcmp(hmli_builtins[i].name, name) != 0) continue;
        hml_load_options json;
        hml_status status = copy_options(options, &json, error);
        if (status) return status;
        json.format = HML_FORMAT_JSON;
        return hml_load_memory(hmli_builtins[i].data, hmli_builtins[i].size, name, &json, model, error);
    }
    return hmli_report(error, HML_NOT_FOUND, NULL, 0, "there is no built-in robot " QUOTED, name);
}
