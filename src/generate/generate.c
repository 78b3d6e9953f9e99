/* C source for one robot: the public functions. See hamel/generate.h and docs/generated-code.md. */
#include "hamel/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "generate/emit.h"
#include "group/joint.h"
#include "hamel/io.h"
#include "io/common/report.h"

enum { PATH_SIZE = 4096, TEST_STATES = 16, TEST_STATES_MOST = 1000 };

void hml_generate_options_init(hml_generate_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->test_states = TEST_STATES;
}

hml_status hml_generate_functions(const char *names, unsigned *functions)
{
    static const char *const all[] = {"linearize",      "forward_dynamics", "inverse_dynamics", "mass_matrix",
                                      "step_linearize", "frames",           "held_linearize"};
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

/* can a step of dampers and springs be generated? A spring that turns with its joint is more than armature and damping */
static int spring_that_turns(const hml_model *m)
{
    const hml_plan *plan = model_plan(m);
    for (int32_t i = 0; i < m->tree_nv; i++) {
        const int32_t body = plan_columns(plan)[i].body;
        if (plan_coordinates(plan)[i].stiffness != 0 && !joint_commutes(plan_bodies(plan)[body].type))
            return model_bodies(m)[body].joint;
    }
    return -1;
}

/* all functions that this robot and the lists allow */
static unsigned possible(const hml_model *m, const hml_generate_options *o)
{
    unsigned functions = HML_GENERATE_ALL;
    if (!o->frames) functions &= ~(unsigned)HML_GENERATE_FRAMES;
    if (!o->holds) functions &= ~(unsigned)HML_GENERATE_HELD_LINEARIZE;
    if (spring_that_turns(m) >= 0) functions &= ~(unsigned)HML_GENERATE_STEP_LINEARIZE;
    return functions;
}

/* the caller's options over the defaults; 0 if they cannot be read or make no sense */
static int take_options(const hml_model *model, const hml_generate_options *given, hml_generate_options *o)
{
    hml_generate_options_init(o);
    if (given && !struct_read(o, given, sizeof *o, STRUCT_END(hml_generate_options, functions))) return 0;
    if (o->functions == 0 || o->functions == HML_GENERATE_ALL) o->functions = possible(model, o);
    if (o->test_states == 0) o->test_states = TEST_STATES;
    return o->functions <= HML_GENERATE_ALL && o->target <= HML_TARGET_VECTOR && o->test_states > 0 &&
           o->test_states <= TEST_STATES_MOST && (!o->frames || o->frame_count > 0) && (!o->holds || o->hold_count > 0);
}

/* ---- how much it will be ---- */

/* does any coordinate have a damper or a spring, which a step has to take as they are at its end? */
static int is_elastic(const robot_shape *s)
{
    for (int32_t i = 0; i < s->plan->nv; i++) {
        const model_coordinate *c = &plan_coordinates(s->plan)[i];
        if (c->damping != 0 || c->stiffness != 0) return 1;
    }
    return 0;
}

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
        if (functions & HML_GENERATE_STEP_LINEARIZE) sum += mass + 2 * force + 250 + 110 * pairs;
    }
    return sum;
}

/* frames and holds: what their paths have, and that of the whole tree */
static double estimate_frames(const robot_shape *s, const hml_generate_options *o)
{
    const int held = (o->functions & HML_GENERATE_HELD_LINEARIZE) != 0;
    const double depth = (double)s->longest, columns = (double)s->plan->nv;
    const int32_t all = o->frames ? o->frame_count : s->model->nframes;
    double sum = 0;
    if (o->functions & HML_GENERATE_FRAMES) sum += all * (6 * columns + 45 * depth);
    if (!held) return sum;
    sum += o->hold_count * (18 * columns + 180 * depth) + 2 * columns * columns;
    return sum + estimate_bodies(s, 0, s->plan->nbodies, HML_GENERATE_LINEARIZE);
}

static int64_t estimate(const robot_shape *s, const hml_generate_options *o)
{
    double sum = estimate_frames(s, o);
    unsigned functions = o->functions;
    if (!is_elastic(s)) functions &= ~(unsigned)HML_GENERATE_STEP_LINEARIZE;
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
    if (!model || !statements || !take_options(model, given, &options)) return HML_INVALID_ARGUMENT;
    const int good = hmli_shape_find(&shape, model, model->nfollowers == 0);
    if (good) *statements = estimate(&shape, &options);
    hmli_shape_free(&shape);
    return good ? HML_OK : HML_OUT_OF_MEMORY;
}

/* ---- checks ---- */

static hml_status check_model(const hml_model *m, hml_error *error)
{
    if (m->nv == 0) return hmli_report(error, HML_UNSUPPORTED, NULL, 0, "the robot has no coordinates");
    return HML_OK;
}

static hml_status check_step(const hml_model *m, hml_error *error)
{
    const int32_t joint = spring_that_turns(m);
    if (joint < 0) return HML_OK;
    return hmli_report(error, HML_UNSUPPORTED, NULL, 0,
                       "step_linearize cannot be generated: the joint '%s' has a spring that turns with it",
                       model_text(m, model_joints(m)[joint].name));
}

static hml_status check_holds(const hml_model *m, const hml_generate_options *o, hml_error *error)
{
    if (!o->holds)
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "held_linearize needs frames that are held");
    for (int32_t i = 0; i < o->hold_count; i++) {
        const hml_constraint *c = &o->holds[i];
        if (c->frame < 0 || c->frame >= m->nframes)
            return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no frame %d to hold", (int)c->frame);
        if ((c->kind != HML_HOLD_POINT && c->kind != HML_HOLD_FRAME) || c->damping != 0 || c->stiffness != 0)
            return hmli_report(error, HML_UNSUPPORTED, NULL, 0,
                               "only held points and held frames without damping and stiffness can be generated");
    }
    return HML_OK;
}

static hml_status check_functions(const hml_model *m, hml_generate_options *o, const robot_shape *s, hml_error *error)
{
    hml_status status = HML_OK;
    for (int32_t i = 0; o->frames && i < o->frame_count; i++) {
        if (o->frames[i] < 0 || o->frames[i] >= m->nframes)
            return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no frame %d", (int)o->frames[i]);
    }
    if (o->functions & HML_GENERATE_STEP_LINEARIZE) status = check_step(m, error);
    if ((o->functions & HML_GENERATE_STEP_LINEARIZE) && !is_elastic(s)) o->functions |= HML_GENERATE_LINEARIZE;
    if (!status && (o->functions & HML_GENERATE_HELD_LINEARIZE)) status = check_holds(m, o, error);
    return status;
}

static hml_status check_size(const robot_shape *shape, const hml_generate_options *o, hml_error *error)
{
    const int64_t statements = estimate(shape, o);
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
    if (!status && test && e->options->test) status = hmli_emit_test(e, &t, error);
    if (!status && (c.failed || h.failed || t.failed || e->values.failed)) status = HML_OUT_OF_MEMORY;
    if (status) {
        hmli_writer_free(&c);
        hmli_writer_free(&h);
        hmli_writer_free(&t);
        return status == HML_OUT_OF_MEMORY ? hmli_report_memory(error, NULL) : status;
    }
    hand_over(&c, source);
    hand_over(&h, header);
    if (test) hand_over(&t, test);
    return HML_OK;
}

/* the frames of the options, and all if they name none; 0: no memory */
static int list_frames(emitter *e, program_frame **frames, program_frame **holds)
{
    const hml_generate_options *o = e->options;
    e->nframes = o->frames ? o->frame_count : e->model->nframes;
    *frames = calloc((size_t)e->nframes + 1, sizeof **frames);
    *holds = calloc((size_t)o->hold_count + 1, sizeof **holds);
    if (!*frames || !*holds) return 0;
    for (int32_t i = 0; i < e->nframes; i++) (*frames)[i] = (program_frame){o->frames ? o->frames[i] : i, 6};
    for (int32_t i = 0; o->holds && i < o->hold_count; i++) {
        (*holds)[i] = (program_frame){o->holds[i].frame, o->holds[i].kind == HML_HOLD_POINT ? 3 : 6};
        e->rows += (*holds)[i].rows;
    }
    e->frames = *frames;
    e->holds = *holds;
    return 1;
}

/* file: the header's name, as the source includes it; NULL: after the prefix */
static hml_status generate_texts(const hml_model *model, hml_generate_options *options, const char *file,
                                 char *texts[3], hml_error *error)
{
    robot_shape shape = {0}, whole = {0};
    program_frame *frames = NULL, *holds = NULL;
    emitter e = {.model = model, .shape = &shape, .whole = &whole, .options = options};
    char header[EMIT_PREFIX + 8];
    const char *name = options->prefix ? options->prefix : hml_model_name(model);
    hmli_emit_identifier(name && *name ? name : "robot", 0, e.prefix, sizeof e.prefix);
    hmli_emit_identifier(e.prefix, 1, e.upper, sizeof e.upper);
    e.vectors = options->target == HML_TARGET_VECTOR;
    snprintf(header, sizeof header, "%s.h", e.prefix);
    hml_status status = check_model(model, error);
    if (!status && (!hmli_shape_find(&shape, model, model->nfollowers == 0) || !hmli_shape_find(&whole, model, 0)))
        status = hmli_report_memory(error, NULL);
    whole.stays = 1;
    if (!status) status = check_functions(model, options, &shape, error);
    if (!status) status = check_size(&shape, options, error);
    if (!status && !list_frames(&e, &frames, &holds)) status = hmli_report_memory(error, NULL);
    if (!status) status = hmli_generate_hash(model, e.hash, error);
    if (!status) status = write_texts(&e, file ? file : header, &texts[1], &texts[0], &texts[2], error);
    hmli_template_free(&e.values);
    hmli_shape_free(&shape);
    hmli_shape_free(&whole);
    free(frames);
    free(holds);
    return status;
}

hml_status hml_generate_text(const hml_model *model, const hml_generate_options *given, char **source, char **header,
                             char **test, hml_error *error)
{
    hml_generate_options options;
    char *texts[3] = {NULL, NULL, NULL};
    if (!model || !source || !header || !take_options(model, given, &options))
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
    if (!model || !take_options(model, given, &options))
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
