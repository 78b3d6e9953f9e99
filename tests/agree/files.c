/* Real robots: those that come with the library, and every model file of a folder. See agree.h. */
#include "agree.h"

#include <dirent.h>
#include <sys/stat.h>

static void add(file_list *list, const char *path)
{
    if (list->count == list->room) {
        const int room = list->room ? 2 * list->room : 64;
        char **paths = realloc(list->paths, (size_t)room * sizeof *paths);
        if (!paths) return;
        list->paths = paths, list->room = room;
    }
    char *copy = malloc(strlen(path) + 1);
    if (copy) list->paths[list->count++] = strcpy(copy, path);
}

static int is_model(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && (!strcmp(end, ".urdf") || !strcmp(end, ".xml") || !strcmp(end, ".json"));
}

static void walk(file_list *list, const char *folder, int depth)
{
    DIR *d = opendir(folder);
    if (!d) return;
    for (const struct dirent *e = readdir(d); e && depth < 6; e = readdir(d)) {
        char path[1024];
        struct stat info;
        if (e->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path || stat(path, &info)) continue;
        if (S_ISDIR(info.st_mode))
            walk(list, path, depth + 1);
        else if (is_model(e->d_name))
            add(list, path);
    }
    closedir(d);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void files_find(file_list *list, const char *folder)
{
    memset(list, 0, sizeof *list);
    for (const char *at = folder; at && *at; at += *at == ':') { /* several, with colons between them */
        const size_t n = strcspn(at, ":");
        char each[1024];
        if (n < sizeof each) memcpy(each, at, n), each[n] = 0, walk(list, each, 0);
        at += n;
    }
    if (list->count) qsort(list->paths, (size_t)list->count, sizeof *list->paths, by_name);
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        char path[128];
        snprintf(path, sizeof path, "builtin:%s", hml_builtin_name(i));
        add(list, path);
    }
}

void files_free(file_list *list)
{
    for (int i = 0; i < list->count; i++) free(list->paths[i]);
    free(list->paths);
}

/* with fixed bodies kept, so that the recipe can merge them or not */
int files_load(const char *path, hml_model **model)
{
    hml_load_options options;
    hml_load_options_init(&options);
    options.build = HML_BUILD_KEEP_FIXED;
    if (strncmp(path, "builtin:", 8) == 0) return !hml_load_builtin(path + 8, &options, model, NULL);
    return !hml_load(path, &options, model, NULL);
}
