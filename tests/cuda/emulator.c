/* See emulator.h. */
#include "emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { LANES_OF_WARP = 32, STACK = 256 * 1024, SITES = 256, WORD = 4, SEVERAL = 255 };

typedef struct site {
    const char *file;
    int line;
} site;

/* who used a word of the workspace, and between which barriers */
typedef struct word {
    uint32_t written, read; /* epochs */
    uint8_t writer, reader;
} word;

static struct {
    ucontext_t scheduler, fiber[LANES_OF_WARP];
    char *stacks;
    int current, waits_at[LANES_OF_WARP], done[LANES_OF_WARP];
    double slot[2][LANES_OF_WARP];
    int turn[LANES_OF_WARP];
    void (*lane)(void *, int);
    void *argument;
    char *memory;
    size_t bytes;
    word *words;
    uint32_t epoch;
    int advance; /* the meeting is a barrier, not only a shuffle */
    uint64_t random;
    emulator_options options;
    emulator_report report;
    site sites[SITES];
} e;

static uint64_t draw(void)
{
    e.random ^= e.random << 13, e.random ^= e.random >> 7, e.random ^= e.random << 17;
    return e.random;
}

static void fault(long *count, const char *what, const void *p)
{
    if (!e.report.first[0]) {
        snprintf(e.report.first, sizeof e.report.first, "%s, lane %d, byte %ld of the workspace", what, e.current,
                 p ? (long)((const char *)p - e.memory) : -1L);
    }
    ++*count;
}

void emulator_begin(const emulator_options *options)
{
    memset(&e.report, 0, sizeof e.report);
    memset(e.sites, 0, sizeof e.sites);
    e.options = *options;
    e.random = options->seed * 2 + 1;
    if (!e.stacks) e.stacks = malloc((size_t)LANES_OF_WARP * STACK);
    if (!e.stacks) abort();
}

emulator_report emulator_end(void)
{
    free(e.stacks);
    e.stacks = NULL;
    return e.report;
}

/* ---- fibers ---- */

static void begin_lane(void)
{
    e.lane(e.argument, e.current);
    e.done[e.current] = 1;
    swapcontext(&e.fiber[e.current], &e.scheduler);
}

static void wait_at(int where)
{
    e.waits_at[e.current] = where;
    swapcontext(&e.fiber[e.current], &e.scheduler);
}

/* every lane to its next meeting, in any order; returns 0 when all have returned */
static int run_all(void)
{
    int order[LANES_OF_WARP], left = 0;
    for (int i = 0; i < LANES_OF_WARP; i++) order[i] = i;
    for (int i = LANES_OF_WARP - 1; i > 0; i--) {
        const int j = (int)(draw() % (uint64_t)(i + 1)), other = order[j];
        order[j] = order[i], order[i] = other;
    }
    for (int i = 0; i < LANES_OF_WARP; i++) {
        if (e.done[order[i]]) continue;
        e.current = order[i];
        swapcontext(&e.scheduler, &e.fiber[e.current]);
        left += !e.done[e.current];
    }
    for (int i = 1; i < LANES_OF_WARP; i++) {
        if (e.done[i] != e.done[0] || (!e.done[i] && e.waits_at[i] != e.waits_at[0]))
            fault(&e.report.parted, "lanes wait at different places", NULL);
    }
    if (e.advance) e.epoch++;
    e.advance = 0;
    return left;
}

void emulator_warp(void (*lane)(void *, int), void *argument, void *memory, size_t bytes)
{
    e.lane = lane, e.argument = argument;
    e.memory = memory, e.bytes = bytes;
    e.words = calloc(bytes / WORD + 1, sizeof *e.words);
    if (!e.words) abort();
    memset(memory, 0xff, bytes); /* NaN, as float and as double */
    memset(e.done, 0, sizeof e.done);
    memset(e.turn, 0, sizeof e.turn);
    e.epoch = 1;
    for (int i = 0; i < LANES_OF_WARP; i++) {
        getcontext(&e.fiber[i]);
        e.fiber[i].uc_stack.ss_sp = e.stacks + (size_t)i * STACK;
        e.fiber[i].uc_stack.ss_size = STACK;
        e.fiber[i].uc_link = &e.scheduler;
        makecontext(&e.fiber[i], begin_lane, 0);
    }
    while (run_all()) {
    }
    free(e.words);
    e.words = NULL;
}

/* ---- meetings ---- */

static int site_of(const char *file, int line)
{
    int i = 0;
    while (i < SITES - 1 && e.sites[i].file && (e.sites[i].line != line || strcmp(e.sites[i].file, file) != 0)) i++;
    e.sites[i].file = file, e.sites[i].line = line;
    if (i + 1 > e.report.barriers) e.report.barriers = i + 1;
    return i;
}

void emulator_barrier(const char *file, int line)
{
    const int where = site_of(file, line);
    if (where == e.options.skip) {
        snprintf(e.report.skipped, sizeof e.report.skipped, "%s:%d", file, line);
        return;
    }
    e.advance = 1;
    wait_at(where);
}

/* what all lanes have in x is in slot[turn] afterwards; two take turns, so that a fast lane does not overwrite one */
static const double *exchange(double x)
{
    const int turn = e.turn[e.current];
    e.turn[e.current] = !turn;
    e.slot[turn][e.current] = x;
    wait_at(SITES);
    return e.slot[turn];
}

int emulator_or(int x, int width)
{
    const int first = e.current / width * width;
    const double *all = exchange(x);
    int bits = 0;
    for (int i = 0; i < width; i++) bits |= (int)all[first + i];
    return bits;
}

double emulator_get(double x, int l, int width)
{
    const int first = e.current / width * width;
    return exchange(x)[first + l];
}

double emulator_other(double x, int step)
{
    const int other = e.current ^ step;
    return exchange(x)[other];
}

/* ---- the workspace ---- */

static void touch_word(word *w, int writes, const void *p)
{
    const uint8_t lane = (uint8_t)e.current;
    if (w->written == e.epoch && w->writer != lane) fault(&e.report.races, "two lanes use a number, one writes", p);
    if (writes) {
        if (w->read == e.epoch && w->reader != lane) fault(&e.report.races, "a number is written while it is read", p);
        w->written = e.epoch, w->writer = lane;
    } else {
        w->reader = w->read == e.epoch && w->reader != lane ? SEVERAL : lane;
        w->read = e.epoch;
    }
}

void emulator_touch(const void *p, size_t bytes, int writes, size_t alignment)
{
    const char *at = p;
    if ((uintptr_t)p % alignment) fault(&e.report.misaligned, "a misaligned access", p);
    if (at < e.memory || at + bytes > e.memory + e.bytes) {
        fault(&e.report.outside, "an access outside the workspace", p);
        return;
    }
    const size_t first = (size_t)(at - e.memory) / WORD;
    for (size_t i = 0; i < bytes / WORD; i++) touch_word(&e.words[first + i], writes, p);
}
