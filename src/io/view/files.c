/*
 * The files of a page: meshes and textures of the scene, and what these refer to: the material library of an OBJ file,
 * the textures of that, of DAE and of glTF files, the buffers of glTF files. References are found by their ending, in
 * whichever format: ".png", ".mtl" … between quotation marks, brackets or spaces. Files that are not there are left out;
 * so are absolute names, as they belong to the machine on which the mesh was made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "io/common/file.h"
#include "io/reader.h"
#include "io/view/page.h"

enum { MOST_FILES = 2000, LONGEST_REFERENCE = 512 };

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static int same_letters(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = a[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != b[i]) return 0;
    }
    return 1;
}

static int ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && same_letters(name + n - m, ending, m);
}

/* takes path over; its index, or −1 when out of memory */
static ptrdiff_t add_path(page_files *f, char *path)
{
    if (!path || !array_grow(&f->paths, &f->paths_capacity, f->npaths + 1, sizeof *f->paths)) {
        free(path);
        return -1;
    }
    f->paths[f->npaths] = path;
    return (ptrdiff_t)f->npaths++;
}

static ptrdiff_t find_path(const page_files *f, const char *path)
{
    for (size_t i = 0; i < f->npaths; i++)
        if (strcmp(f->paths[i], path) == 0) return (ptrdiff_t)i;
    return -1;
}

static int is_known(const page_files *f, size_t from, const char *reference, size_t length)
{
    for (size_t i = 0; i < f->nneeds; i++) {
        const page_need *need = &f->needs[i];
        if (need->from == from && strlen(need->reference) == length && !memcmp(need->reference, reference, length))
            return 1;
    }
    return 0;
}

/* the file that `from` refers to, if it is there and not too large; 0 when out of memory */
static int add_need(page_files *f, size_t from, const char *reference, size_t length)
{
    const char *of = f->paths[from], *slash = strrchr(of, '/');
    size_t folder = slash ? (size_t)(slash - of) + 1 : 0;
    if (length == 0 || length > LONGEST_REFERENCE || *reference == '/' || is_known(f, from, reference, length))
        return 1;
    char *path = malloc(folder + length + 1);
    if (!path) return 0;
    memcpy(path, of, folder);
    memcpy(path + folder, reference, length);
    path[folder + length] = 0;
    struct stat about;
    ptrdiff_t to = find_path(f, path);
    int there = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= HML_SCENE_MAX_FILE;
    if (to >= 0 || !there || f->npaths >= MOST_FILES || (size_t)about.st_size > HML_SCENE_MAX_FILES - f->bytes) {
        free(path);
        if (to < 0) return 1;
    } else {
        to = add_path(f, path);
    }
    if (to < 0 || !array_grow(&f->needs, &f->needs_capacity, f->nneeds + 1, sizeof *f->needs)) return 0;
    char *kept = copy_text(reference, length);
    if (!kept) return 0;
    f->needs[f->nneeds++] = (page_need){from, (size_t)to, kept};
    return 1;
}

static int is_edge(char c) { return strchr(" \t\r\n\"'<>()=,;", c) != NULL; /* the zero as well */ }

/* what this file refers to, by the endings in its text */
static int find_needs(page_files *f, size_t from, const char *data, size_t size)
{
    static const char *const endings[] = {".mtl", ".png", ".jpg", ".jpeg", ".bin"};
    for (const char *dot = memchr(data, '.', size); dot; dot = memchr(dot + 1, '.', size - (size_t)(dot + 1 - data))) {
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            size_t length = strlen(endings[k]), left = size - (size_t)(dot - data);
            if (left < length || !same_letters(dot, endings[k], length) || (left > length && !is_edge(dot[length])))
                continue;
            const char *begin = dot;
            while (begin > data && !is_edge(begin[-1]) && dot - begin < LONGEST_REFERENCE) begin--;
            if (!add_need(f, from, begin, (size_t)(dot - begin) + length)) return 0;
        }
        if (dot + 1 >= data + size) break;
    }
    return 1;
}

/* pictures are compressed already */
static int is_picture(const char *path)
{
    return ends_with(path, ".png") || ends_with(path, ".jpg") || ends_with(path, ".jpeg");
}

static hml_status add_file(page_files *f, size_t i, hml_error *error)
{
    const char *path = f->paths[i];
    char *data, name[32];
    size_t size;
    hml_status status = hmli_file_read(path, &data, &size, error);
    if (status) return status;
    f->bytes += size;
    int text =
        ends_with(path, ".obj") || ends_with(path, ".dae") || ends_with(path, ".gltf") || ends_with(path, ".mtl");
    if (text && !find_needs(f, i, data, size)) {
        free(data);
        return hmli_report_memory(error, path);
    }
    snprintf(name, sizeof name, "f%zu", i);
    return hmli_archive_add(f->zip, name, data, size, !is_picture(f->paths[i])) ? HML_OK
                                                                                : hmli_report_memory(error, path);
}

hml_status hmli_page_files(const hml_scene *scene, page_files *f, hml_error *error)
{
    hml_status status = HML_OK;
    for (int32_t i = 0; scene && i < scene->nfiles; i++)
        if (add_path(f, copy_text(scene->files[i], strlen(scene->files[i]))) < 0)
            return hmli_report_memory(error, scene->files[i]);
    for (size_t i = 0; !status && i < f->npaths; i++) status = add_file(f, i, error); /* npaths grows */
    return status;
}

void hmli_page_files_free(page_files *f)
{
    for (size_t i = 0; i < f->npaths; i++) free(f->paths[i]);
    for (size_t i = 0; i < f->nneeds; i++) free(f->needs[i].reference);
    free(f->paths);
    free(f->needs);
}
