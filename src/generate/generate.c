/* C source for one robot: the public functions. See hamel/generate.h and docs/generated-code.md. */
#include "hamel/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "generate/emit.h"
#include "hamel/io.h"
#include "io/common/report.h"

enum { PATH_SIZE = 4096, TEST_STATES = 16, TEST_STATES_MOST = 1000 };

void hml_generate_options_init(hml_generate_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->functions = HML_GENERATE_ALL;
    options->test_states = TEST_STATES;
}

hml_status hml_generate_functions(const char *names, unsigned *functions)
{
    static const char *const all[] = {"linearize", "forward_dynamics", "inverse_dynamics", "mass_matrix"};
    if (!names || !functions) return HML_INVALID_ARGUMENT;
    unsigned sum = 0;
    while (*names) {
        const size_t length = strcspn(names, ",");
        unsigned bit = 0;
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
            if (strlen(all[i]) == length && strncmp(all[i], names, length) == 0) bit = 1u << i;
        }
        if (!bit) return HML_NOT_FOUND;
        sum |= bit;
        names += length + (names[length] == ',');
    }
    *functions = sum;
    return sum ? HML_OK : HML_NOT_FOUND;
}

/* the caller's options over the defaults; 0 if they cannot be read or make no sense */
static int take_options(const hml_generate_options *given, hml_generate_options *options)
{
    hml_generate_options_init(options);
    if (given && !struct_read(options, given, sizeof *options, STRUCT_END(hml_generate_options, functions))) return 0;
    if (options->functions == 0) options->functions = HML_GENERATE_ALL;
    if (options->test_states == 0) options->test_states = TEST_STATES;
    return options->functions <= HML_GENERATE_ALL && options->target <= HML_TARGET_VECTOR && options->test_states > 0 &&
           options->test_states <= TEST_STATES_MOST;
}

/* ---- how much it will be ---- */

/* statements of the bodies first … end − 1, counted as one lane */
static double estimate_bodies(const robot_shape *s, int32_t first, int32_t end, unsigned functions)
{
    double sum = 0;
    for (int32_t i = first; i < end; i++) {
        const plan_body *b = &plan_bodies(s->plan)[i];
        const double pairs = (double)b->nv * b->level;
        const double mass = 90 + 20 * pairs, force = 130;
        if (functions & HML_GENERATE_MASS_MATRIX) sum += mass;
        if (functions & HML_GENERATE_INVERSE_DYNAMICS) sum += force;
        if (functions & HML_GENERATE_FORWARD_DYNAMICS) sum += mass + force;
        if (functions & HML_GENERATE_LINEARIZE) sum += mass + 2 * force + 250 + 110 * pairs;
    }
    return sum;
}

static int64_t estimate(const robot_shape *s, unsigned functions)
{
    double sum = 0;
    for (int32_t i = 0; i < s->trunk_bodies; i++) sum += estimate_bodies(s, s->body[i], s->body[i] + 1, functions);
    for (int32_t i = 0; i < s->nclasses; i++) {
        const limb_class *c = &s->classes[i];
        sum += estimate_bodies(s, c->first[0], c->first[0] + c->nbodies, functions);
    }
    return (int64_t)sum;
}

hml_status hml_generate_estimate(const hml_model *model, const hml_generate_options *given, int64_t *statements)
{
    hml_generate_options options;
    robot_shape shape = {0};
    if (!model || !statements || !take_options(given, &options)) return HML_INVALID_ARGUMENT;
    const int good = hmli_shape_find(&shape, model, model->nfollowers == 0);
    if (good) *statements = estimate(&shape, options.functions);
    hmli_shape_free(&shape);
    return good ? HML_OK : HML_OUT_OF_MEMORY;
}

/* ---- checks ---- */

static hml_status check_model(const hml_model *m, hml_error *error)
{
    if (m->nv == 0) return hmli_report(error, HML_UNSUPPORTED, NULL, 0, "the robot has no coordinates");
    return HML_OK;
}

static hml_status check_size(const robot_shape *shape, const hml_generate_options *o, hml_error *error)
{
    const int64_t statements = estimate(shape, o->functions);
    if (o->force || statements <= HML_GENERATE_LIMIT) return HML_OK;
    return hmli_report(
        error, HML_UNSUPPORTED, NULL, 0,
        "the code would have about %ld statements, %ld kB when compiled; more than %d are generated only "
        "if they are forced",
        (long)statements, (long)(statements * 6 / 1000), HML_GENERATE_LIMIT);
}

/* ---- texts ---- */

/* FNV-1a of the model as Hamel's own file, 64 bits */
hml_status hmli_generate_hash(const hml_model *model, char out[17], hml_error *error)
{
    char *text = NULL;
    size_t size = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    const hml_status status = hml_write_json(model, &text, &size, error);
    for (size_t i = 0; !status && i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    hml_text_free(text);
    for (int i = 0; i < 16; i++) out[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    out[16] = 0;
    return status;
}

/* the model's name where it stands in a comment: nothing that ends it */
static void set_values(emitter *e, const char *header)
{
    char name[128];
    snprintf(name, sizeof name, "%s", hml_model_name(e->model) ? hml_model_name(e->model) : "");
    for (char *c = name; *c; c++) {
        if (*c == '*' || *c == '/' || *c == '\\' || (unsigned char)*c < 0x20 || *c == 0x7f) *c = '_';
    }
    char options[160];
    snprintf(options, sizeof options, "functions %u%s, %s, %s", e->options->functions,
             hmli_emit_batch(e) ? " and a batch" : "", e->options->single ? "float" : "double",
             e->vectors ? "vectors" : "plain C11");
    hmli_template_text(&e->values, "p", e->prefix);
    hmli_template_text(&e->values, "P", e->upper);
    hmli_template_text(&e->values, "header", header);
    hmli_template_text(&e->values, "hash", e->hash);
    hmli_template_text(&e->values, "version", hml_version());
    hmli_template_text(&e->values, "model", name);
    hmli_template_text(&e->values, "options", options);
    hmli_template_text(&e->values, "real", e->options->single ? "float" : "double");
    hmli_template_integer(&e->values, "nq", e->model->nq);
    hmli_template_integer(&e->values, "nv", e->model->nv);
    hmli_template_integer(&e->values, "njoints", e->model->njoints);
}

static void hand_over(writer *w, char **text)
{
    *text = w->data;
    memset(w, 0, sizeof *w);
}

static hml_status write_texts(emitter *e, const char *name, char **source, char **header, char **test, hml_error *error)
{
    writer c = {0}, h = {0}, t = {0};
    int64_t statements = 0;
    set_values(e, name);
    hml_status status = hmli_emit_source(e, &c, &statements);
    hmli_emit_header(e, &h);
    if (!status && test && e->options->test) status = hmli_emit_test(e, &t);
    if (!status && (c.failed || h.failed || t.failed || e->values.failed)) status = HML_OUT_OF_MEMORY;
    if (status) {
        hmli_writer_free(&c);
        hmli_writer_free(&h);
        hmli_writer_free(&t);
        return status == HML_OUT_OF_MEMORY
                   ? hmli_report_memory(error, NULL)
                   : hmli_report(error, status, NULL, 0, "the test has no states: %s", hml_status_message(status));
    }
    hand_over(&c, source);
    hand_over(&h, header);
    if (test) hand_over(&t, test);
    return HML_OK;
}

/* file: the header's name, as the source includes it; NULL: after the prefix */
static hml_status generate_texts(const hml_model *model, const hml_generate_options *options, const char *file,
                                 char *texts[3], hml_error *error)
{
    robot_shape shape = {0};
    emitter e = {.model = model, .shape = &shape, .options = options};
    char header[EMIT_PREFIX + 8];
    const char *name = options->prefix ? options->prefix : hml_model_name(model);
    hmli_emit_identifier(name && *name ? name : "robot", 0, e.prefix, sizeof e.prefix);
    hmli_emit_identifier(e.prefix, 1, e.upper, sizeof e.upper);
    e.vectors = options->target == HML_TARGET_VECTOR;
    snprintf(header, sizeof header, "%s.h", e.prefix);
    hml_status status = check_model(model, error);
    if (!status && !hmli_shape_find(&shape, model, model->nfollowers == 0)) status = hmli_report_memory(error, NULL);
    if (!status) status = check_size(&shape, options, error);
    if (!status) status = hmli_generate_hash(model, e.hash, error);
    if (!status) status = write_texts(&e, file ? file : header, &texts[1], &texts[0], &texts[2], error);
    hmli_template_free(&e.values);
    hmli_shape_free(&shape);
    return status;
}

hml_status hml_generate_text(const hml_model *model, const hml_generate_options *given, char **source, char **header,
                             char **test, hml_error *error)
{
    hml_generate_options options;
    char *texts[3] = {NULL, NULL, NULL};
    if (!model || !source || !header || !take_options(given, &options))
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "the options of the generator make no sense");
    if (!test) options.test = 0;
    const hml_status status = generate_texts(model, &options, NULL, texts, error);
    *header = texts[0];
    *source = texts[1];
    if (test) *test = texts[2];
    return status;
}

/* ---- files ---- */

/* "dir/solo12.c" → "solo12" */
static void name_of_path(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(out, size, "%.*s", (int)(strlen(name) - 2), name);
}

/* the path with another ending in the place of ".c" */
static int with_ending(const char *path, const char *ending, char out[PATH_SIZE])
{
    const int length = snprintf(out, PATH_SIZE, "%.*s%s", (int)(strlen(path) - 2), path, ending);
    return length < PATH_SIZE;
}

static int is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* header, source and test, if there is one: all of them or none. What was new goes again if one cannot be written */
static hml_status write_files(const char *const paths[3], char *const texts[3], hml_error *error)
{
    enum { FILES = 3 };
    int old[FILES];
    hml_status status = HML_OK;
    for (int i = 0; i < FILES; i++) old[i] = is_there(paths[i]);
    for (int i = 0; i < FILES && texts[i] && !status; i++) {
        status = hml_file_write(paths[i], texts[i], strlen(texts[i]), error);
        for (int k = 0; status && k < i; k++) {
            if (!old[k]) remove(paths[k]);
        }
    }
    return status;
}

hml_status hml_generate(const hml_model *model, const hml_generate_options *given, const char *path, hml_error *error)
{
    hml_generate_options options;
    char header_path[PATH_SIZE], test_path[PATH_SIZE], name[PATH_SIZE];
    char *texts[3] = {NULL, NULL, NULL}; /* header, source, test */
    const size_t length = path ? strlen(path) : 0;
    if (!model || !take_options(given, &options))
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "the options of the generator make no sense");
    if (length < 3 || strcmp(path + length - 2, ".c") != 0 || path[length - 3] == '/' ||
        !with_ending(path, ".h", header_path) || !with_ending(path, "_test.c", test_path))
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "the name of the source file must end in .c");
    name_of_path(path, name, sizeof name);
    if (strpbrk(name, "\"\\\n"))
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0,
                           "the name of the source file has characters that #include cannot take");
    if (!options.prefix) options.prefix = name;
    const char *slash = strrchr(header_path, '/');
    hml_status status = generate_texts(model, &options, slash ? slash + 1 : header_path, texts, error);
    if (!status) {
        const char *const paths[3] = {header_path, path, test_path};
        status = write_files(paths, texts, error);
    }
    for (int i = 0; i < 3; i++) hml_text_free(texts[i]);
    return status;
}
