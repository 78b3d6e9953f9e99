/* What the command says on standard error. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("hamel: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return status;
}

int cli_fail_error(const hml_error *error)
{
    const char *message = *error->message ? error->message : hml_status_message(error->status);
    int status = cli_status_of(error->status);
    if (!*error->file) return cli_fail(status, "%s", message);
    if (error->line > 0) return cli_fail(status, "%s:%d: %s", error->file, error->line, message);
    return cli_fail(status, "%s: %s", error->file, message);
}

static int memory_lost;

void cli_lose_memory(void) { memory_lost = 1; }

int cli_check_memory(void)
{
    if (!memory_lost) return CLI_OK;
    memory_lost = 0; /* once said is enough */
    return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
}

int cli_status_of(hml_status status)
{
    switch (status) {
    case HML_OK: return CLI_OK;
    case HML_NOT_FOUND:
    case HML_BAD_MODEL:
    case HML_BAD_FILE:
    case HML_UNSUPPORTED:
    case HML_CANNOT_READ:
    case HML_NOT_FINITE:
    case HML_NOT_NORMALIZED: return CLI_INPUT;
    case HML_CANNOT_WRITE: return CLI_OUTPUT;
    default: return CLI_COMPUTE;
    }
}

enum { WORD_MOST = 64 };

/* insertions, deletions and exchanges that lead from a to b (Levenshtein), row by row */
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MOST + 1], n = strlen(b);
    if (n > WORD_MOST || strlen(a) > WORD_MOST) return WORD_MOST;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, int n, const char *(*get)(const void *words, int i), const void *words)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 2; /* farther away it is another word */
    for (int i = 0; i < n; i++) {
        const char *candidate = get(words, i);
        size_t d = distance(word, candidate);
        if (d < best && d < strlen(candidate)) best = d, nearest = candidate;
    }
    return nearest;
}
