/* A scene: what is seen, and which files that takes. */
#include "io/scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/environment.h"
#include "io/common/file.h"

enum { LONGEST_NAME = 4096 }; /* of a file; no system has longer ones */

/* ---- visuals ---- */

hml_visual hmli_visual_at(hml_visual_kind kind, pose place)
{
    hml_visual visual = {.kind = kind, .mesh = -1, .texture = -1, .colour = {-1, -1, -1, 1}};
    pose_to_arrays(place, visual.rotation, visual.position);
    return visual;
}

hml_status hmli_scene_add(reader *r, const char *link, const hml_visual *visual)
{
    scene_maker *s = r->scene;
    if (!array_grow(&s->items, &s->items_capacity, s->nitems + 1, sizeof *s->items))
        return hmli_report_memory(r->error, r->file);
    scene_item item = {link, *visual};
    for (int i = 0; i < 4; i++) { /* a colour outside its range is no reason to show nothing */
        double *c = &item.visual.colour[i];
        if (item.visual.colour[0] >= 0) *c = *c > 1 ? 1 : *c > 0 ? *c : 0;
    }
    s->items[s->nitems++] = item;
    return HML_OK;
}

/* ---- warnings ---- */

/* NULL when out of memory */
static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static hml_status keep_warning(reader *r, const char *sentence)
{
    scene_maker *s = r->scene;
    char *copy = copy_of(sentence);
    if (!copy || !array_grow(&s->warnings, &s->warnings_capacity, s->nwarnings + 1, sizeof *s->warnings)) {
        free(copy);
        return hmli_report_memory(r->error, r->file);
    }
    s->warnings[s->nwarnings++] = copy;
    return HML_OK;
}

hml_status hmli_scene_warn(reader *r, const char *format, ...)
{
    char raw[512], sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    hmli_report_text(sentence, sizeof sentence, "%s", raw);
    return keep_warning(r, sentence);
}

hml_status hmli_scene_excuse(reader *r, hml_status status)
{
    if (!status || status == HML_OUT_OF_MEMORY || !r->error) return status;
    hml_error was = *r->error;
    memset(r->error, 0, sizeof *r->error);
    return was.line ? hmli_scene_warn(r, "line %d: %s", was.line, was.message) : hmli_scene_warn(r, "%s", was.message);
}

/* ---- files ---- */

static int has_ending(const char *name, const char *const endings[])
{
    const char *dot = strrchr(name, '.');
    char ending[8] = "";
    if (!dot || strlen(dot) >= sizeof ending) return 0;
    for (size_t i = 0; dot[i]; i++) ending[i] = (char)(dot[i] >= 'A' && dot[i] <= 'Z' ? dot[i] - 'A' + 'a' : dot[i]);
    return hmli_word_index(ending, endings) >= 0;
}

static void note(scene_maker *s, scene_trouble trouble, const char *name)
{
    if (s->count[trouble]++ == 0) s->first[trouble] = name;
}

/* a file that was found; −1 if it is too large */
static hml_status add_file(reader *r, const char *name, const char *path, size_t size, int32_t *index)
{
    scene_maker *s = r->scene;
    *index = hmli_map_find(&s->paths, path);
    if (*index >= 0) return HML_OK;
    if (size > HML_SCENE_MAX_FILE || size > HML_SCENE_MAX_FILES - s->bytes) {
        note(s, SCENE_TOO_LARGE, name);
        return HML_OK;
    }
    if (!array_grow(&s->files, &s->files_capacity, s->nfiles + 1, sizeof *s->files) ||
        hmli_map_add(&s->paths, path, (int32_t)s->nfiles) < 0)
        return hmli_report_memory(r->error, r->file);
    s->bytes += size;
    *index = (int32_t)s->nfiles;
    s->files[s->nfiles++] = path;
    return HML_OK;
}

/* text that is no file may come from anybody: it names what lies below its folder, or in a package */
static int is_allowed(const reader *r, const char *folder, const char *name)
{
    if (strlen(name) >= LONGEST_NAME) return 0;
    if (!r->in_memory) return 1;
    if (strncmp(name, "file://", 7) == 0) name += 7;
    return *name != '/' && !strstr(name, "..") && (!folder || (*folder != '/' && !strstr(folder, "..")));
}

const char *hmli_scene_find(reader *r, const char *folder, const char *name, size_t *size, int *failed)
{
    *failed = 0;
    return is_allowed(r, folder, name) ? hmli_find_file(r->memory, r->file, folder, name, size, failed) : NULL;
}

hml_status hmli_scene_file(reader *r, scene_file_kind kind, const char *folder, const char *name, int32_t *index)
{
    static const char *const meshes[] = {".stl", ".obj", ".dae", ".glb", ".gltf", NULL};
    static const char *const textures[] = {".png", ".jpg", ".jpeg", NULL};
    scene_maker *s = r->scene;
    size_t size = 0;
    int failed = 0;
    *index = -1;
    const map_entry *seen = hmli_map_entry(&s->names, name);
    if (seen) {
        *index = seen->value;
        return HML_OK;
    }
    hml_status status = HML_OK;
    if (!has_ending(name, kind == SCENE_MESH ? meshes : textures)) {
        note(s, SCENE_UNKNOWN, name);
    } else {
        const char *path = hmli_scene_find(r, folder, name, &size, &failed);
        if (failed) return hmli_report_memory(r->error, r->file);
        if (path)
            status = add_file(r, name, path, size, index);
        else
            note(s, SCENE_NOT_FOUND, name);
    }
    if (!status && hmli_map_add(&s->names, name, *index) < 0) status = hmli_report_memory(r->error, r->file);
    return status;
}

/* one sentence for each kind of trouble, however many files have it */
static hml_status say_troubles(reader *r)
{
    static const char *const what[] = {"was not found", "is not .stl, .obj, .dae, .glb, .gltf, .png or .jpg",
                                       "is too large to be shown"};
    const scene_maker *s = r->scene;
    hml_status status = HML_OK;
    for (int i = 0; !status && i < SCENE_TROUBLES; i++) {
        const char *first = s->first[i], *hint = "";
        if (s->count[i] == 0) continue;
        if (i == SCENE_NOT_FOUND && strncmp(first, "package://", 10) == 0)
            hint = " (ROS_PACKAGE_PATH may name the folders of packages)";
        if (s->count[i] == 1)
            status = hmli_scene_warn(r, "the file '%.200s' %s%s", first, what[i], hint);
        else
            status =
                hmli_scene_warn(r, "the file '%.200s' and %d more: each %s%s", first, s->count[i] - 1, what[i], hint);
    }
    return status;
}

/* ---- the scene ---- */

static hml_status fill(reader *r, const hml_model *model, hml_scene *scene)
{
    scene_maker *s = r->scene;
    scene->visuals = calloc(s->nitems + 1, sizeof *scene->visuals);
    scene->files = calloc(s->nfiles + 1, sizeof *scene->files);
    if (!scene->visuals || !scene->files) return hmli_report_memory(r->error, r->file);
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < s->nitems; i++) {
        const scene_item *item = &s->items[i];
        int32_t frame = item->link ? hml_model_find_frame(model, item->link) : -1;
        if (item->link && frame < 0) {
            int fresh = hmli_map_add(&s->links, item->link, 0);
            if (fresh < 0) status = hmli_report_memory(r->error, r->file);
            if (fresh > 0) status = hmli_scene_warn(r, "the model has no link " QUOTED ": it is not shown", item->link);
            continue;
        }
        scene->visuals[scene->nvisuals] = item->visual;
        scene->visuals[scene->nvisuals++].frame = frame;
    }
    for (size_t i = 0; !status && i < s->nfiles; i++) {
        scene->files[i] = copy_of(s->files[i]);
        if (!scene->files[i]) return hmli_report_memory(r->error, r->file);
        scene->nfiles++;
    }
    return status ? status : say_troubles(r);
}

void hml_scene_free(hml_scene *scene)
{
    if (!scene) return;
    for (int32_t i = 0; i < scene->nfiles; i++) free(scene->files[i]);
    for (int32_t i = 0; i < scene->nwarnings; i++) free(scene->warnings[i]);
    free(scene->files);
    free(scene->warnings);
    free(scene->visuals);
    free(scene);
}

static hml_status load(const void *data, size_t size, const char *name, int in_memory, const hml_load_options *options,
                       const hml_model *model, hml_scene **scene, hml_error *error)
{
    arena memory = {0};
    hml_error local = {0};
    scene_maker maker = {0};
    reader r = {.file = name, .in_memory = in_memory, .memory = &memory, .error = error ? error : &local};
    hml_scene *made = calloc(1, sizeof *made);
    environment numbers;
    environment_enter(&numbers);
    r.scene = &maker;
    hml_status status = made ? hmli_read_model(&r, data, size, options) : hmli_report_memory(error, name);
    if (!status && made) status = fill(&r, model, made);
    if (made) {
        made->struct_size = sizeof *made;
        made->warnings = maker.warnings;
        made->nwarnings = (int32_t)maker.nwarnings;
    }
    if (status)
        hml_scene_free(made);
    else
        *scene = made;
    free(maker.items);
    free(maker.files);
    hmli_map_free(&maker.names);
    hmli_map_free(&maker.paths);
    hmli_map_free(&maker.links);
    hmli_reader_free(&r);
    hmli_arena_free(&memory);
    environment_leave(&numbers);
    return status;
}

hml_status hml_scene_load_memory(const void *data, size_t size, const char *name, const hml_load_options *options,
                                 const hml_model *model, hml_scene **scene, hml_error *error)
{
    if (!model || !scene || (!data && size > 0))
        return hmli_report(error, HML_INVALID_ARGUMENT, name, 0, "there is no model whose scene could be loaded");
    *scene = NULL;
    return load(data, size, name, 1, options, model, scene, error);
}

hml_status hml_scene_load(const char *path, const hml_load_options *options, const hml_model *model, hml_scene **scene,
                          hml_error *error)
{
    if (!path || !model || !scene)
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no file whose scene could be loaded");
    *scene = NULL;
    char *data;
    size_t size;
    hml_status status = hmli_file_read(path, &data, &size, error);
    if (status) return status;
    status = load(data, size, path, 0, options, model, scene, error);
    free(data);
    return status;
}
