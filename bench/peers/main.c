/*
 * Dynamics and linearization next to other people's: one process, one core, all contenders in turns.
 *
 * Usage: peer_dynamics [OPTION VALUE]... [ROBOT...]
 *   --peer FILE      a contender in a shared object; as many as there are
 *   --isa x4         the instruction set of Hamel's workspaces; default the best
 *   --out FILE       the rows as JSON
 *   --scaling DIR    also trees and chains of growing size; their URDF files go to DIR
 *   --only ALGORITHM one algorithm instead of all
 *   --feet N         at most so many feet are held, instead of all
 *   --count CONTENDER,ALGORITHM,CALLS   only that, for the first robot: for counting instructions from outside
 * A robot is NAME,free|fixed,PATH or the name of one that comes with the library.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { HAMEL = 3, PEERS = 8 }; /* of the contenders, the first three are Hamel's: single, batch, stream */

static const char *const names[BENCH_ALGORITHMS] = {
#define BENCH_NAME(constant, name, size) name,
    BENCH_LIST(BENCH_NAME)
#undef BENCH_NAME
};

typedef struct bench {
    bench_entry entries[HAMEL + PEERS];
    size_t count;
    hml_isa isa;
    const char *models; /* folder */
    const char *only;   /* NULL: all algorithms */
    size_t feet;        /* held at most */
    FILE *out;
    int rows;
} bench;

static size_t result_size(const bench_robot *r, bench_algorithm algorithm)
{
    const size_t nv = r->nv, nq = r->nq, nbodies = r->nbodies;
    switch (algorithm) {
#define BENCH_SIZE(constant, name, size)                                                                               \
    case BENCH_##constant: return size;
        BENCH_LIST(BENCH_SIZE)
#undef BENCH_SIZE
    default: return 0;
    }
}

/* ---- do they compute the same thing? ---- */

/* the first state by everyone; differs[i]: from Hamel's single call, NAN where there is nothing to compare */
static int run_first(bench *b, const bench_robot *r, bench_algorithm algorithm, double *differs)
{
    const size_t n = result_size(r, algorithm);
    double *ours = malloc(2 * n * sizeof *ours), *theirs = ours + n;
    int ok = ours != NULL;
    for (size_t i = 0; i < b->count && ok; i++) {
        bench_entry *e = &b->entries[i];
        const int ran = measure_first(e, algorithm);
        differs[i] = NAN;
        if (i == 0) ok = ran && e->contender->result(e->self, algorithm, ours);
        if (i == 0 || !ran || !e->contender->result(e->self, algorithm, theirs)) continue;
        differs[i] = measure_difference(ours, theirs, n);
        /* finite differences have seven digits, and M of some robots is badly conditioned */
        if (differs[i] > (algorithm == BENCH_DIFFERENCES ? 1e-3 : 1e-9))
            fprintf(stderr, "%s: %s: hamel and %s differ by %.1e\n", r->name, names[algorithm], e->contender->name,
                    differs[i]);
    }
    free(ours);
    return ok;
}

/* ---- rows ---- */

static void number(FILE *out, const char *key, const char *format, double x)
{
    fprintf(out, ", \"%s\": ", key);
    if (isfinite(x))
        fprintf(out, format, x);
    else
        fprintf(out, "null");
}

static void write_row(bench *b, const bench_robot *r, bench_algorithm algorithm, double all_cores, double batch_differs,
                      const bench_entry *peer, double differs)
{
    const bench_entry *e = b->entries;
    const double peer_ns = peer ? peer->ns : NAN;
    fprintf(b->out, "%s\n    {\"robot\": \"%s\", \"nv\": %zu, \"algorithm\": \"%s\"", b->rows++ ? "," : "", r->name,
            r->nv, names[algorithm]);
    number(b->out, "hamel_ns", "%.1f", e[0].ns);
    number(b->out, "hamel_batch_ns", "%.1f", e[1].ns);
    number(b->out, "hamel_batch_all_cores_ns", "%.1f", all_cores);
    number(b->out, "hamel_stream_ns", "%.1f", e[2].ns);
    number(b->out, "stream_states", "%.0f", isfinite(e[2].ns) ? (double)hamel_stream_states(r->nv) : NAN);
    if (peer)
        fprintf(b->out, ", \"peer\": \"%s\"", peer->contender->name);
    else
        fprintf(b->out, ", \"peer\": null");
    number(b->out, "peer_ns", "%.1f", peer_ns);
    number(b->out, "ratio_single", "%.3f", peer_ns / e[0].ns);
    number(b->out, "ratio_batch", "%.3f", peer_ns / e[1].ns);
    number(b->out, "difference", "%.1e", differs);
    number(b->out, "batch_difference", "%.1e", batch_differs);
    fprintf(b->out, "}");
}

/* a row a peer, or one row without a peer */
static void bench_one(bench *b, const bench_robot *r, bench_algorithm algorithm)
{
    bench_entry *e = b->entries;
    double differs[HAMEL + PEERS] = {0}, all_cores = NAN;
    int peers = 0;
    if (!run_first(b, r, algorithm, differs)) return;
    measure_in_turns(e, b->count, algorithm);
    if (e[1].first < 0.1) all_cores = measure_all_cores(&hamel_batch, r, algorithm); /* not for chains that take ages */
    for (size_t i = HAMEL; i < b->count; i++) {
        if (isnan(e[i].ns)) continue;
        write_row(b, r, algorithm, all_cores, differs[1], &e[i], differs[i]);
        peers++;
    }
    if (!peers) write_row(b, r, algorithm, all_cores, differs[1], NULL, NAN);
}

static void open_all(bench *b, const bench_robot *r)
{
    for (size_t i = 0; i < b->count; i++) b->entries[i].self = b->entries[i].contender->open(r);
}

static void close_all(bench *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->entries[i].self) b->entries[i].contender->close(b->entries[i].self);
    }
}

static void bench_robot_rows(bench *b, bench_robot *r)
{
    fprintf(stderr, "%s, nv %zu\n", r->name, r->nv);
    if (r->nfeet > b->feet) r->nfeet = b->feet;
    open_all(b, r);
    for (int a = 0; a < BENCH_ALGORITHMS; a++) {
        if (b->only && strcmp(b->only, names[a])) continue;
        if (a != BENCH_DIFFERENCES && a != BENCH_REFERENCE) bench_one(b, r, (bench_algorithm)a);
    }
    close_all(b);
    robot_close(r);
}

/* how the cost of a linearization grows */
static void bench_scaling(bench *b)
{
    static const struct {
        const char *shape;
        int joints;
    } sizes[] = {{"tree", 6},   {"tree", 12},  {"tree", 24},  {"tree", 36},   {"tree", 48},   {"tree", 60},
                 {"chain", 10}, {"chain", 20}, {"chain", 50}, {"chain", 100}, {"chain", 200}, {"chain", 500}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bench_robot r;
        if (!robot_random(sizes[i].shape, sizes[i].joints, b->isa, b->models, &r)) continue;
        fprintf(stderr, "%s, nv %zu\n", r.name, r.nv);
        open_all(b, &r);
        bench_one(b, &r, BENCH_LINEARIZE);
        if (sizes[i].joints <= 100) { /* beyond, they would take most of the time */
            bench_one(b, &r, BENCH_DIFFERENCES);
            bench_one(b, &r, BENCH_REFERENCE);
        }
        close_all(b);
        robot_close(&r);
    }
}

/* ---- instructions ---- */

/* the function that callgrind counts in, and nowhere else */
__attribute__((noinline)) size_t bench_counted(const bench_contender *c, void *self, bench_algorithm algorithm,
                                               size_t n)
{
    return c->run(self, algorithm, n);
}

static int count_only(bench *b, const bench_robot *r, const char *text)
{
    char who[64], what[64];
    size_t calls;
    if (sscanf(text, "%63[^,],%63[^,],%zu", who, what, &calls) != 3) return 1;
    for (size_t i = 0; i < b->count; i++) {
        const bench_contender *c = b->entries[i].contender;
        for (int a = 0; a < BENCH_ALGORITHMS; a++) {
            void *self = strcmp(c->name, who) || strcmp(names[a], what) ? NULL : c->open(r);
            if (!self) continue;
            c->run(self, (bench_algorithm)a, 1);
            const size_t done = bench_counted(c, self, (bench_algorithm)a, calls);
            c->close(self);
            return done != calls;
        }
    }
    return 1;
}

/* ---- the whole ---- */

static int add_peer(bench *b, const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const bench_contender *(*door)(void) = NULL;
    if (object) *(void **)&door = dlsym(object, "bench_peer");
    if (!door || b->count == HAMEL + PEERS) {
        fprintf(stderr, "peer_dynamics: %s\n", object ? path : dlerror());
        return 0;
    }
    b->entries[b->count++].contender = door();
    return 1;
}

static void write_head(const bench *b)
{
    char line[256], *model = NULL;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && !model && fgets(line, sizeof line, info)) {
        if (!strncmp(line, "model name", 10)) model = strchr(line, ':');
    }
    if (info) fclose(info);
    if (model) model[strcspn(model, "\n")] = 0;
    fprintf(b->out, "{\n  \"processor\": \"%s\",\n  \"cores\": %d,\n  \"isa\": \"%s\",\n  \"compiler\": \"%s\",\n",
            model ? model + 2 : "", measure_cores(), hml_isa_name(b->isa == HML_ISA_BEST ? hml_isa_best() : b->isa),
            __VERSION__);
    fprintf(b->out, "  \"batch_states\": %d,\n  \"peers\": {", BENCH_STATES);
    for (size_t i = HAMEL; i < b->count; i++)
        fprintf(b->out, "%s\"%s\": \"%s\"", i > HAMEL ? ", " : "", b->entries[i].contender->name,
                b->entries[i].contender->build);
    fprintf(b->out, "},\n  \"rows\": [");
}

static hml_isa isa_named(const char *name)
{
    for (int i = HML_ISA_SCALAR; i <= HML_ISA_AVX512; i *= 2) {
        if (!strcmp(name, hml_isa_name((hml_isa)i))) return (hml_isa)i;
    }
    return HML_ISA_BEST;
}

int main(int argc, char **argv)
{
    bench b = {.entries = {{.contender = &hamel_single}, {.contender = &hamel_batch}, {.contender = &hamel_stream}},
               .count = HAMEL,
               .feet = BENCH_FEET};
    const char *path = "/dev/null", *count = NULL;
    bench_robot r;
    int i = 1;
    for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
        if (!strcmp(argv[i], "--peer") && !add_peer(&b, argv[i + 1])) return 1;
        if (!strcmp(argv[i], "--isa")) b.isa = isa_named(argv[i + 1]);
        if (!strcmp(argv[i], "--out")) path = argv[i + 1];
        if (!strcmp(argv[i], "--scaling")) b.models = argv[i + 1];
        if (!strcmp(argv[i], "--only")) b.only = argv[i + 1];
        if (!strcmp(argv[i], "--feet")) b.feet = (size_t)strtoul(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--count")) count = argv[i + 1];
    }
    if (count) return i < argc && robot_load(argv[i], b.isa, &r) ? count_only(&b, &r, count) : 1;
    measure_pin(measure_cores() - 1);
    b.out = fopen(path, "w");
    if (!b.out) return perror(path), 1;
    write_head(&b);
    for (; i < argc; i++) {
        if (robot_load(argv[i], b.isa, &r)) bench_robot_rows(&b, &r);
    }
    if (b.models) bench_scaling(&b);
    fprintf(b.out, "\n  ]\n}\n");
    return fclose(b.out) != 0;
}
