/*
 * Where a mesh file lies. Names are paths, or package://NAME/path and model://NAME/path, as ROS and Gazebo write them.
 * A package is a folder of that name: one that holds the model or lies beside one that does, or one that
 * ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GZ_SIM_RESOURCE_PATH or GAZEBO_MODEL_PATH leads to. Nothing is fetched from a
 * network.
 */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): realpath; POSIX has us define it */
#include <stdlib.h>
#include <string.h>

#include "io/common/system.h"
#include "io/scene/scene.h"

typedef struct finder {
    arena *memory;
    size_t size; /* of the file that was found */
    int failed;
} finder;

/* the texts one after the other, in the arena */
static char *join(finder *f, const char *const parts[], size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++) length += strlen(parts[i]);
    char *path = hmli_arena_get(f->memory, length + 1), *end = path;
    if (!path) {
        f->failed = 1;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        size_t part = strlen(parts[i]);
        memcpy(end, parts[i], part);
        end += part;
    }
    return path;
}

static const char *if_file(finder *f, const char *path)
{
    struct stat about;
    if (!path || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return NULL;
    f->size = (size_t)about.st_size;
    return path;
}

static const char *try_path(finder *f, const char *folder, const char *rest)
{
    const char *const parts[] = {folder, "/", rest};
    return if_file(f, join(f, parts, 3));
}

/* folder/NAME/rest, or folder/rest if the folder itself is called NAME; whole is NAME/rest */
static const char *try_package(finder *f, const char *folder, const char *whole)
{
    const char *found = try_path(f, folder, whole);
    if (found) return found;
    const char *last = strrchr(folder, '/'), *slash = strchr(whole, '/');
    last = last ? last + 1 : folder;
    if (!slash || strlen(last) != (size_t)(slash - whole) || strncmp(last, whole, strlen(last)) != 0) return NULL;
    return try_path(f, folder, slash + 1);
}

/* the folder of the model and those above, the nearest first */
static const char *try_above(finder *f, const char *model, const char *rest, int package)
{
    char *real = model ? realpath(model, NULL) : NULL;
    char *folder = real ? hmli_arena_text(f->memory, real, strlen(real)) : NULL;
    f->failed = f->failed || (real && !folder);
    free(real);
    for (char *slash = folder ? strrchr(folder, '/') : NULL; slash; slash = strrchr(folder, '/')) {
        *slash = 0;
        const char *found = package ? try_package(f, folder, rest) : try_path(f, folder, rest);
        if (found) return found;
    }
    return NULL;
}

/* a list of folders with colons between them, or what the system puts there */
static const char *try_variable(finder *f, const char *variable, const char *below, const char *rest)
{
    const char *list = getenv(variable);
    while (list && *list) {
        size_t length = strcspn(list, SYSTEM_SEPARATOR);
        char *folder = hmli_arena_text(f->memory, list, length);
        f->failed = f->failed || !folder;
        const char *const parts[] = {folder, below};
        const char *whole = folder && length ? join(f, parts, 2) : NULL;
        const char *found = whole ? try_package(f, whole, rest) : NULL;
        if (found) return found;
        list += length + (list[length] == *SYSTEM_SEPARATOR);
    }
    return NULL;
}

static const char *find_package(finder *f, const char *model, const char *rest)
{
    const char *found = try_above(f, model, rest, 1);
    if (!found) found = try_variable(f, "ROS_PACKAGE_PATH", "", rest);
    if (!found) found = try_variable(f, "AMENT_PREFIX_PATH", "/share", rest);
    if (!found) found = try_variable(f, "GZ_SIM_RESOURCE_PATH", "", rest);
    return found ? found : try_variable(f, "GAZEBO_MODEL_PATH", "", rest);
}

/* beside the model, below `folder` */
static const char *find_below(finder *f, const char *model, const char *folder, const char *name)
{
    const char *slash = model ? strrchr(model, '/') : NULL;
    char *beside = slash ? hmli_arena_text(f->memory, model, (size_t)(slash - model) + 1) : "";
    if (!beside || !model) {
        f->failed = f->failed || !beside;
        return NULL;
    }
    const char *const parts[] = {*folder == '/' ? "" : beside, folder, *folder ? "/" : "", name};
    return if_file(f, join(f, parts, 4));
}

const char *hmli_find_file(arena *memory, const char *model, const char *folder, const char *name, size_t *size,
                           int *failed)
{
    static const char *const packages[] = {"package://", "model://"};
    finder f = {.memory = memory};
    const char *found = NULL, *package = NULL;
    for (size_t i = 0; i < 2; i++)
        if (strncmp(name, packages[i], strlen(packages[i])) == 0) package = name + strlen(packages[i]);
    if (strncmp(name, "file://", 7) == 0) name += 7;
    if (package)
        found = find_package(&f, model, package);
    else if (*name == '/')
        found = if_file(&f, name);
    else if (folder)
        found = find_below(&f, model, folder, name);
    else if (!strstr(name, "://"))
        found = try_above(&f, model, name, 0);
    *size = f.size;
    *failed = f.failed;
    return found;
}
