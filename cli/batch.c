/* --states: the options, the columns, and the file. The threads are in batch_threads.c. */
#include "batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch_threads.h"
#include "hamel/representation.h"
#include "loops.h"

/* results of a chunk: in a file they stay in the second cache; in a folder a chunk is a file per array */
enum { CHUNK_BYTES = 1 << 20, FOLDER_BYTES = 1 << 23, CHUNK_MOST = 1 << 14, FOLDER_MOST = 1 << 17 };

static int is_folder(const char *path)
{
    const size_t length = path ? strlen(path) : 0;
    return length > 5 && strcmp(path + length - 5, ".zarr") == 0;
}

int batch_check(const cli_options *options)
{
    hml_result_format format;
    if (!options->states) {
        const char *name = options->select           ? "--select"
                           : options->resume         ? "--resume"
                           : options->float32        ? "--precision"
                           : options->threads        ? "--threads"
                           : is_folder(options->out) ? "--out FOLDER.zarr"
                                                     : NULL;
        return name ? cli_fail(CLI_USAGE, "%s needs --states", name) : CLI_OK;
    }
    if (options->state || options->keyframe)
        return cli_fail(CLI_USAGE, "--states and --%s both give states; leave one out",
                        options->state ? "state" : "keyframe");
    if (!is_folder(options->out) &&
        (!options->out || hml_result_format_of(options->out, &format) || format != HML_RESULT_NPZ))
        return cli_fail(CLI_USAGE, "--states needs --out FILE.npz or --out FOLDER.zarr");
    if (options->positions || options->close)
        return cli_fail(CLI_USAGE, "%s changes one state; leave out --states", options->close ? "--close" : "--q");
    if (options->spy || options->picture || options->full) {
        return cli_fail(CLI_USAGE, "%s shows one state; leave out --states",
                        options->spy    ? "--spy"
                        : options->full ? "--full"
                                        : "--picture");
    }
    return CLI_OK;
}

/* ---- columns ---- */

static const char *column_name(const void *words, int i) { return ((const hml_column *)words)[i].name; }

/* marks the columns that are wanted; an exit status */
static int select_columns(const cli_options *options, batch *b)
{
    const char *names = options->select;
    for (int i = 0; i < b->ncolumns; i++) b->selected[i] = !names;
    while (names && *names) {
        char name[64];
        size_t length = strcspn(names, ",");
        int found = length < sizeof name && length == 6 && strncmp(names, "status", 6) == 0; /* always there */
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), names);
        for (int i = 0; i < b->ncolumns; i++) {
            if (strcmp(b->columns[i].name, name) == 0) b->selected[i] = found = 1;
        }
        if (!found) {
            const char *nearest = cli_nearest(name, b->ncolumns, column_name, b->columns);
            char all[256] = "";
            for (int i = 0; i < b->ncolumns; i++) {
                const size_t used = strlen(all);
                snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", b->columns[i].name);
            }
            if (nearest)
                return cli_fail(CLI_USAGE, "--select: there is no result '%s'; did you mean '%s'?", name, nearest);
            return cli_fail(CLI_USAGE, "--select: there is no result '%s'; %s has %s", name, b->kind->name, all);
        }
        names += length + (names[length] == ',');
    }
    return CLI_OK;
}

static size_t entries(const hml_column *column)
{
    size_t n = 1;
    for (int32_t i = 0; i < column->rank; i++) n *= column->shape[i];
    return n;
}

/* what is selected as columns of the file, status last; states of a chunk */
static void lay_out(const cli_options *options, batch *b)
{
    size_t bytes = sizeof(int32_t);
    b->nwritten = 0;
    for (int i = 0; i < b->ncolumns; i++) {
        b->entries[i] = entries(&b->columns[i]);
        if (!b->selected[i]) continue;
        b->source[b->nwritten] = i;
        b->written[b->nwritten] = b->columns[i];
        b->written[b->nwritten++].type = options->float32 ? HML_COLUMN_FLOAT32 : HML_COLUMN_FLOAT64;
        bytes += b->entries[i] * sizeof(double);
    }
    b->written[b->nwritten++] = (hml_column){.name = "status", .type = HML_COLUMN_INT32};
    const int folder = is_folder(options->out);
    const size_t most = folder ? FOLDER_MOST : CHUNK_MOST;
    size_t chunk = (folder ? FOLDER_BYTES : CHUNK_BYTES) / bytes;
    if (chunk > most) chunk = most;
    chunk -= chunk % b->kind->least;
    b->chunk = (int64_t)(chunk < b->kind->least ? b->kind->least : chunk);
}

/* ---- the file ---- */

/* everything that the results depend on */
static int digest_of(const cli_options *options, const robot *r, const batch *b, uint64_t *digest)
{
    char *text = NULL, line[512];
    size_t size = 0;
    hml_error error = {0};
    error.status = hml_write_json(r->model, &text, &size, &error);
    if (error.status) return cli_fail_error(&error);
    *digest = hml_digest_add(hml_states_digest(b->states), text, size);
    hml_text_free(text);
    int length = snprintf(line, sizeof line, "%s %s %d %d %d %d %d %.17g %.17g %.17g %d %.17g %.17g %ld", hml_version(),
                          b->kind->name, (int)options->representation, options->all_inputs, options->float32,
                          (int)hml_work_isa(r->work), options->integrator, options->time, options->step,
                          options->tolerance, options->hold, options->stiffness, options->damping, options->max_steps);
    *digest = hml_digest_add(*digest, line, (size_t)length);
    for (int i = 0; i < b->nwritten; i++) {
        *digest = hml_digest_add(*digest, b->written[i].name, strlen(b->written[i].name) + 1);
    }
    return CLI_OK;
}

static void add_messages(hml_result *result)
{
    const char *messages[64];
    int n = 0;
#define BATCH_MESSAGE(name, value, message)                                                                            \
    if ((value) < 64) {                                                                                                \
        while (n <= (value)) messages[n++] = "";                                                                       \
        messages[value] = hml_status_message(HML_##name);                                                              \
    }
    HML_STATUS_LIST(BATCH_MESSAGE)
#undef BATCH_MESSAGE
    hml_result_add_texts(result, "status_messages", (size_t)n, messages);
}

static int open_table(const cli_options *options, const robot *r, batch *b)
{
    hml_error error = {0};
    hml_table_settings s = {.struct_size = sizeof s,
                            .rows = hml_states_count(b->states),
                            .chunk = b->chunk,
                            .ncolumns = b->nwritten,
                            .columns = b->written,
                            .resume = options->resume,
                            .format = is_folder(options->out) ? HML_TABLE_ZARR : HML_TABLE_NPZ};
    int status = digest_of(options, r, b, &s.digest);
    hml_result *head = hml_result_new();
    if (!head) return robot_fail(r, HML_OUT_OF_MEMORY);
    robot_add_common(r, options->representation, head);
    add_messages(head);
    if (status == CLI_OK && b->kind->head) status = b->kind->head(options, r, head);
    s.head = head;
    if (status == CLI_OK) {
        error.status = hml_table_open(options->out, &s, &b->table, &error);
        if (error.status) status = cli_fail_error(&error);
    }
    hml_result_free(head);
    return status;
}

/* ---- the end ---- */

/* says how many states have failed, and which was the first */
static int report(const cli_options *options, const robot *r, const batch *b)
{
    const int64_t rows = hml_states_count(b->states);
    if (b->failures == 0) return CLI_OK;
    if (b->failures == rows) {
        cli_fail(CLI_COMPUTE, "%s: every state fails; status of the result says why", options->states);
        return robot_fail(r, b->first_status);
    }
    if (!options->quiet) {
        fprintf(stderr, "hamel: %s: warning: %lld of %lld states failed and are NaN, the first in row %lld: %s\n",
                options->states, (long long)b->failures, (long long)rows, (long long)b->first_failure,
                hml_status_message(b->first_status));
    }
    return CLI_OK;
}

static int compute(const cli_options *options, robot *r, batch *b)
{
    hml_error error = {0};
    error.status = hml_states_open(options->states, r->model, &b->states, &error);
    if (error.status) return cli_fail_error(&error);
    b->ncolumns = b->kind->columns(options, r, b->columns);
    int status = select_columns(options, b);
    if (status != CLI_OK) return status;
    lay_out(options, b);
    status = open_table(options, r, b);
    if (status == CLI_OK) status = batch_threads_run(options, r, b);
    if (status != CLI_OK) return status;
    error.status = hml_table_finish(b->table, &error);
    return error.status ? cli_fail_error(&error) : report(options, r, b);
}

int batch_run(const cli_options *options, const batch_kind *kind)
{
    robot r;
    batch b = {.kind = kind, .first_failure = -1};
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_must_move(&r);
    if (status == CLI_OK) status = loops_refuse(options, &r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = compute(options, &r, &b);
    hml_table_free(b.table);
    hml_states_free(b.states);
    robot_free(&r);
    return status;
}
