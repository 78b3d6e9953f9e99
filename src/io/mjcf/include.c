/*
 * <include file="…">: the elements below the root of that file take its place. MuJoCo looks for the file beside the
 * main file, then beside the one that includes it, and includes no file twice, which also ends every cycle.
 *
 * A file may include any file, as in MuJoCo, but no pipe or device. Text from memory comes from a program's own
 * sources, a network perhaps: what it includes is below the folder that the program named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/file.h"
#include "io/common/system.h"
#include "io/mjcf/mjcf.h"

typedef struct include_list {
    reader *r;
    map seen; /* the main file and all that were included, as hmli_system_name names them */
} include_list;

/* folder of `beside` + name, in the arena */
static const char *join(include_list *list, const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/');
    size_t folder = slash && name[0] != '/' ? (size_t)(slash - beside) + 1 : 0;
    size_t length = strlen(name) + 1;
    char *path = hmli_arena_get(list->r->memory, folder + length);
    if (!path) return NULL;
    memcpy(path, beside, folder);
    memcpy(path + folder, name, length);
    return path;
}

/* 1: a new file; 0: seen before; −1: out of memory */
static int remember(include_list *list, const char *path, const struct stat *file)
{
    char name[512];
    hmli_system_name(path, file, name, sizeof name);
    const char *kept = hmli_arena_text(list->r->memory, name, strlen(name));
    return kept ? hmli_map_add(&list->seen, kept, 0) : -1;
}

/* does the path lead out of its folder? Links inside are those of the folder's owner */
static int leads_out(const char *path)
{
    if (*path == '/') return 1;
    for (const char *part = path; part; part = strchr(part, '/'), part = part ? part + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) return 1;
    return 0;
}

static hml_status find_file(include_list *list, const xml_node *node, const char **path)
{
    reader *r = list->r;
    const char *name;
    hml_status status = hmli_xml_require(node, "file", &name, r->error);
    if (status) return status;
    if (!r->file)
        return hmli_report(r->error, HML_UNSUPPORTED, NULL, node->line,
                           "<include>: " QUOTED " cannot be included, the model has no folder", name);
    if (r->in_memory && leads_out(name))
        return hmli_report(r->error, HML_UNSUPPORTED, node->file, node->line,
                           "<include>: " QUOTED " is not below the folder of the model, which is text in memory", name);
    const char *first = join(list, r->file, name), *second = join(list, node->file, name);
    if (!first || !second) return hmli_report_memory(r->error, node->file);
    struct stat file;
    *path = first;
    if (stat(first, &file) != 0) {
        *path = second;
        if (stat(second, &file) != 0)
            return hmli_report(r->error, HML_CANNOT_READ, node->file, node->line, "<include>: there is no file " QUOTED,
                               name);
    }
    int fresh = remember(list, *path, &file);
    if (fresh < 0) return hmli_report_memory(r->error, node->file);
    return fresh ? HML_OK
                 : hmli_report(r->error, HML_BAD_FILE, node->file, node->line,
                               "<include>: " QUOTED " is included already", name);
}

/* puts the children of the file's root where the include stands; *link points to it */
static hml_status splice(include_list *list, xml_node **link)
{
    reader *r = list->r;
    xml_node *include = *link, *parent = include->parent, *root;
    const char *path = NULL;
    char *data;
    size_t size;
    hml_status status = find_file(list, include, &path);
    if (status) return status;
    status = hmli_file_read_plain(path, &data, &size, r->error);
    if (status) return status;
    status = hmli_xml_parse(r->memory, path, data, size, &root, r->error);
    free(data);
    if (!status && !root->first)
        status = hmli_report(r->error, HML_BAD_FILE, path, root->line, "there is nothing to include");
    if (status) return status;
    for (xml_node *child = root->first; child; child = child->next) child->parent = parent;
    root->last->next = include->next;
    if (parent->last == include) parent->last = root->last;
    *link = root->first;
    return HML_OK;
}

/* all elements below root, from the outside in; *link points to the next one */
static hml_status expand(include_list *list, xml_node *root)
{
    hml_status status = HML_OK;
    xml_node *inside = root, **link = &root->first;
    int depth = 1;
    while (!status && (*link || inside != root)) {
        if (!*link) { /* out again */
            link = &inside->next;
            inside = inside->parent;
            depth--;
        } else if (xml_is(*link, "include")) {
            status = splice(list, link); /* what came in may begin with an include again */
        } else if (++depth > XML_MAX_DEPTH) {
            status = hmli_report(list->r->error, HML_BAD_FILE, (*link)->file, (*link)->line,
                                 "elements are nested more than %d deep", XML_MAX_DEPTH);
        } else {
            inside = *link;
            link = &inside->first;
        }
    }
    return status;
}

hml_status hmli_mjcf_include(reader *r, xml_node *root)
{
    include_list list = {.r = r};
    struct stat file;
    hml_status status = HML_OK;
    if (r->file && stat(r->file, &file) == 0 && remember(&list, r->file, &file) < 0)
        status = hmli_report_memory(r->error, r->file);
    if (!status) status = expand(&list, root);
    hmli_map_free(&list.seen);
    return status;
}
