/*
 * A page: the viewer with the robot as JSON and its files as a zip archive in base64, both inside <script> elements
 * that no browser executes. In the JSON every < is written \u003c, so that no name ends the element; the viewer's
 * Content-Security-Policy allows one script, by its hash, and no connection.
 */
#include "io/view/page.h"
#include "base/struct_size.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "io/save.h"

extern const unsigned char hmli_viewer_page[]; /* viewer/dist/viewer.html, ended by a zero */
extern const size_t hmli_viewer_page_size;

void hml_page_options_init(hml_page_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
}

/* ---- checks ---- */

static int all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static hml_status refuse(hml_error *error, hml_status status, const char *sentence)
{
    return hmli_report(error, status, NULL, 0, "%s", sentence);
}

static hml_status check_motion(const hml_model *model, const hml_page_options *o, hml_error *error)
{
    size_t count = (size_t)o->count, nq = (size_t)hml_model_nq(model);
    if (!o->q || (o->count > 1 && !o->time))
        return refuse(error, HML_INVALID_ARGUMENT, "a motion has configurations and times");
    if (!all_finite(o->q, count * nq) || (o->time && !all_finite(o->time, count)))
        return refuse(error, HML_NOT_FINITE, "the motion has entries that are not finite");
    for (int32_t i = 1; o->time && i < o->count; i++)
        if (!(o->time[i] > o->time[i - 1])) return refuse(error, HML_INVALID_ARGUMENT, "the times do not increase");
    return HML_OK;
}

static hml_status check_heightfield(const hml_heightfield *f, hml_error *error)
{
    enum { MOST_HEIGHTS = 1 << 24 };
    if (!f->heights || f->rows < 2 || f->columns < 2 || f->rows > MOST_HEIGHTS / f->columns)
        return refuse(error, HML_INVALID_ARGUMENT,
                      "a grid of heights has two rows and columns, and 2^24 heights at most");
    if (!all_finite(f->heights, (size_t)f->rows * (size_t)f->columns) || !all_finite(f->spacing, 2) ||
        !all_finite(f->position, 3) || !all_finite(f->rotation, 9))
        return refuse(error, HML_NOT_FINITE, "the heights, or where they are, have entries that are not finite");
    return HML_OK;
}

static hml_status check(const hml_model *model, const hml_page_options *o, hml_error *error)
{
    if (o->count < 0 || o->ncontacts < 0 || o->nheightfields < 0)
        return refuse(error, HML_INVALID_ARGUMENT, "a count is negative");
    if (o->nheightfields && !o->heightfields) return refuse(error, HML_INVALID_ARGUMENT, "there are no heightfields");
    for (int32_t i = 0; i < o->nheightfields; i++) {
        const hml_status status = check_heightfield(&o->heightfields[i], error);
        if (status) return status;
    }
    for (int32_t i = 0; o->scene && i < o->scene->nvisuals; i++) {
        const hml_visual *v = &o->scene->visuals[i];
        int file = v->mesh < o->scene->nfiles && v->texture < o->scene->nfiles;
        int mesh = v->kind != HML_VISUAL_MESH || v->mesh >= 0;
        if (v->kind < HML_VISUAL_SPHERE || v->kind > HML_VISUAL_MESH || !file || !mesh || v->frame < -1 ||
            v->frame >= hml_model_nframes(model))
            return refuse(error, HML_INVALID_ARGUMENT, "the scene is not one of this model");
    }
    hml_status status = o->count > 0 ? check_motion(model, o, error) : HML_OK;
    if (status || o->ncontacts == 0) return status;
    size_t n = 3 * (size_t)o->ncontacts * (size_t)o->count;
    if (!o->contact_names || !o->contact_positions || !o->contact_forces)
        return refuse(error, HML_INVALID_ARGUMENT, "contacts have names, positions and forces");
    if (!all_finite(o->contact_positions, n) || !all_finite(o->contact_forces, n))
        return refuse(error, HML_NOT_FINITE, "the contacts have entries that are not finite");
    return HML_OK;
}

/* ---- parts ---- */

/* doubles in little-endian order, whatever the machine has */
static int add_doubles(archive *zip, const char *name, const double *x, size_t n)
{
    char *data = malloc(8 * n + 1);
    if (!data) return 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        for (int k = 0; k < 8; k++) data[8 * i + (size_t)k] = (char)(bits >> (8 * k) & 0xff);
    }
    return hmli_archive_add(zip, name, data, 8 * n, 1);
}

static int add_motion(archive *zip, const hml_model *model, const hml_page_options *o)
{
    size_t count = (size_t)o->count, three = 3 * (size_t)o->ncontacts * count;
    if (o->count < 2) return 1;
    if (!add_doubles(zip, "time", o->time, count) ||
        !add_doubles(zip, "position", o->q, count * (size_t)hml_model_nq(model)))
        return 0;
    return o->ncontacts == 0 || (add_doubles(zip, "contact_positions", o->contact_positions, three) &&
                                 add_doubles(zip, "contact_forces", o->contact_forces, three));
}

static void put_base64(writer *w, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[1024];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned long bits = (unsigned long)data[i] << 16 | (left > 1 ? (unsigned long)data[i + 1] << 8 : 0) |
                             (left > 2 ? data[i + 2] : 0u);
        line[used++] = digits[bits >> 18];
        line[used++] = digits[bits >> 12 & 63];
        line[used++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        line[used++] = left > 2 ? digits[bits & 63] : '=';
        if (used == sizeof line) {
            hmli_writer_bytes(w, line, used);
            used = 0;
        }
    }
    hmli_writer_bytes(w, line, used);
}

/* JSON inside an HTML element: a < occurs in texts only, where it may be escaped */
static void put_escaped(writer *w, const char *json)
{
    for (const char *less; (less = strchr(json, '<')); json = less + 1) {
        hmli_writer_bytes(w, json, (size_t)(less - json));
        hmli_writer_put(w, "\\u003c");
    }
    hmli_writer_put(w, json);
}

/* ---- the whole ---- */

static hml_status assemble(const char *json, const char *zip, size_t zip_size, writer *w, hml_error *error)
{
    static const char scene_mark[] = "HAMEL-SCENE", files_mark[] = "HAMEL-FILES";
    const char *page = (const char *)hmli_viewer_page;
    const char *scene = strstr(page, scene_mark), *files = scene ? strstr(scene, files_mark) : NULL;
    if (!files) return refuse(error, HML_UNSUPPORTED, "the library was built without its viewer");
    const char *rest = files + strlen(files_mark);
    hmli_writer_bytes(w, page, (size_t)(scene - page));
    put_escaped(w, json);
    scene += strlen(scene_mark);
    hmli_writer_bytes(w, scene, (size_t)(files - scene));
    put_base64(w, (const unsigned char *)zip, zip_size);
    hmli_writer_bytes(w, rest, hmli_viewer_page_size - (size_t)(rest - page));
    return w->failed ? hmli_report_memory(error, NULL) : HML_OK;
}

/* frees the archive of files */
static hml_status finish(const hml_model *model, const hml_page_options *o, page_files *files, const double *q,
                         writer *w, hml_error *error)
{
    writer json = {0};
    char *zip = NULL;
    size_t size = 0;
    hmli_page_model(&json, model, o, q, files);
    hml_status status = json.failed || !add_motion(files->zip, model, o) ? HML_OUT_OF_MEMORY : HML_OK;
    if (status)
        hmli_archive_free(files->zip);
    else
        status = hmli_archive_finish(files->zip, &zip, &size);
    if (status)
        hmli_report_memory(error, NULL);
    else
        status = assemble(json.data, zip, size, w, error);
    free(zip);
    hmli_writer_free(&json);
    return status;
}

static hml_status write_page(const hml_model *model, const hml_page_options *o, char **text, size_t *size,
                             hml_error *error)
{
    writer w = {0};
    page_files files = {.zip = NULL};
    const hml_status made = hmli_archive_new(&files.zip);
    if (made == HML_UNSUPPORTED) return refuse(error, made, ARCHIVE_MISSING);
    double *neutral = malloc(((size_t)hml_model_nq(model) + 1) * sizeof *neutral);
    hml_status status = files.zip && neutral ? HML_OK : hmli_report_memory(error, NULL);
    if (!status) status = hml_configuration_neutral(model, neutral);
    if (!status) status = hmli_page_files(o->scene, &files, error);
    if (status)
        hmli_archive_free(files.zip);
    else
        status = finish(model, o, &files, o->count > 0 ? o->q : neutral, &w, error);
    free(neutral);
    hmli_page_files_free(&files);
    if (!status) return hmli_save_text(&w, text, size, error);
    hmli_writer_free(&w);
    return status;
}

hml_status hml_write_page(const hml_model *model, const hml_page_options *options, char **text, size_t *size,
                          hml_error *error)
{
    hml_page_options o;
    hml_page_options_init(&o);
    if (!model || !text || !size) return refuse(error, HML_INVALID_ARGUMENT, "there is no model to show");
    *text = NULL;
    if (options && !struct_read(&o, options, sizeof o, STRUCT_END(hml_page_options, title))) {
        return refuse(error, HML_INVALID_ARGUMENT, "options are not initialized");
    }
    hml_status status = check(model, &o, error);
    return status ? status : write_page(model, &o, text, size, error);
}

hml_status hml_save_page(const hml_model *model, const hml_page_options *options, const char *path, hml_error *error)
{
    char *text = NULL;
    size_t size = 0;
    if (!path) return refuse(error, HML_INVALID_ARGUMENT, "there is no file to write");
    hml_status status = hml_write_page(model, options, &text, &size, error);
    if (status) return status;
    status = hml_file_write(path, text, size, error);
    hml_text_free(text);
    return status;
}
