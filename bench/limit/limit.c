/*
 * How far a linearization is from what the core can do.
 *
 *   limit_bench ROBOT...                  times: JSON, one line per robot and kernel
 *   limit_bench --steps KERNEL ROBOT      the instructions of one call, ν̇, D_q, D_ν, M⁻¹ of one pack: see steps.h
 *
 * The kernels of all instruction sets and the loops of peak.h take turns in one process, on one core: whatever slows
 * one slows the other, and their ratio stands. See docs/limit.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "peak.h"
#include "peers/measure.h"
#include "steps.h"

/* ---- one pack of states, or one state, again and again: its results stay in the cache ---- */

typedef struct pack {
    const bench_robot *robot;
    hml_work *work;
    size_t lanes;
    hml_linearization x;
} pack;

static void pack_close(void *self)
{
    pack *p = self;
    hml_work_free(p->work);
    free(p->x.acceleration.data);
    free(p);
}

static void *pack_open(const bench_robot *r)
{
    const size_t nv = r->nv, lanes = r->isa == HML_ISA_BEST ? 1 : (size_t)r->isa, room = lanes * nv;
    pack *p = calloc(1, sizeof *p);
    double *out = calloc(room + 3 * room * nv, sizeof *out);
    if (!p || !out) return free(p), free(out), NULL;
    *p = (pack){.robot = r, .lanes = lanes, .x = {.struct_size = sizeof p->x}};
    p->x.q = (hml_input){r->q, r->nq}, p->x.v = (hml_input){r->v, nv}, p->x.tau = (hml_input){r->u, nv};
    p->x.acceleration.data = out, p->x.Dq.data = out + room, p->x.Dv.data = p->x.Dq.data + room * nv;
    p->x.Minv.data = p->x.Dv.data + room * nv;
    if (!hml_work_new(r->model, r->isa, HML_USE_ALL, &p->work)) return p;
    pack_close(p);
    return NULL;
}

static size_t pack_run(void *self, bench_algorithm algorithm, size_t states)
{
    const pack *p = self;
    size_t done = 0;
    (void)algorithm;
    for (; done < states; done += p->lanes) {
        if (p->lanes > 1 ? hml_linearize_batch(p->robot->model, p->work, p->lanes, &p->x, NULL)
                         : hml_linearize(p->robot->model, p->work, &p->x))
            return 0;
    }
    return done;
}

static const bench_contender one_pack = {"one pack", "", pack_open, pack_run, NULL, pack_close};

/* ---- times ---- */

/* a way to call and an instruction set */
static const struct {
    const char *name;
    const bench_contender *contender;
    hml_isa isa;
} kernels[] = {{"scalar", &hamel_batch, HML_ISA_SCALAR},    {"pack of 2", &hamel_batch, HML_ISA_128},
               {"pack of 4", &hamel_batch, HML_ISA_AVX2},   {"the same pack of 4", &one_pack, HML_ISA_AVX2},
               {"pack of 8", &hamel_batch, HML_ISA_AVX512}, {"the same pack of 8", &one_pack, HML_ISA_AVX512},
               {"one call", &hamel_single, HML_ISA_BEST}};
enum { KERNELS = sizeof kernels / sizeof *kernels, FASTEST = PEAK_LOOPS * PEAKS, ENTRIES = FASTEST + KERNELS };

static int limit_robot(const char *name)
{
    bench_robot robots[KERNELS];
    bench_entry e[ENTRIES] = {0};
    if (!robot_load(name, HML_ISA_BEST, &robots[0])) return 0;
    for (int i = 0; i < FASTEST; i++) {
        const peak *p = &peaks[i / PEAK_LOOPS];
        if (hml_isa_available(p->isa)) e[i].contender = &p->loops[i % PEAK_LOOPS];
    }
    for (int k = 0; k < KERNELS; k++) {
        robots[k] = robots[0], robots[k].isa = kernels[k].isa;
        if (hml_isa_available(kernels[k].isa)) e[FASTEST + k].contender = kernels[k].contender;
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (e[i].contender) e[i].self = e[i].contender->open(&robots[i < FASTEST ? 0 : i - FASTEST]);
        measure_first(&e[i], BENCH_LINEARIZE);
    }
    measure_in_turns(e, ENTRIES, BENCH_LINEARIZE);
    for (int k = 0; k < KERNELS; k++) {
        const bench_entry *entry = &e[FASTEST + k];
        hml_isa isa = kernels[k].isa == HML_ISA_BEST ? hml_isa_best() : kernels[k].isa;
        if (kernels[k].contender == &hamel_single && isa == HML_ISA_AVX512) isa = HML_ISA_AVX2; /* its registers */
        int p = PEAKS - 1; /* scalar code is of SSE2, whose registers hold two */
        while (p > 0 && peaks[p].isa != isa) p--;
        if (!entry->self) continue;
        printf("{\"robot\": \"%s\", \"nv\": %zu, \"kernel\": \"%s\", \"isa\": \"%s\", \"lanes\": %d, \"ns\": %.1f, ",
               robots[0].name, robots[0].nv, kernels[k].name, hml_isa_name(isa), (int)isa, entry->ns);
        for (int i = 0; i < PEAK_LOOPS; i++) {
            printf("\"%s\": %.5f, ", peaks[p].loops[i].name, e[PEAK_LOOPS * p + i].ns / PEAK_PACKS);
        }
        printf("\"work_bytes\": %zu}\n", hml_work_size(robots[0].model, isa, HML_USE_ALL));
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (e[i].self) e[i].contender->close(e[i].self);
    }
    robot_close(&robots[0]);
    return 1;
}

/* ---- instructions ---- */

static int limit_steps(const char *kernel, const char *name)
{
    bench_robot r;
    int k = 0;
    while (k < KERNELS && strcmp(kernels[k].name, kernel)) k++;
    if (k == KERNELS || !hml_isa_available(kernels[k].isa) || !robot_load(name, kernels[k].isa, &r)) return 0;
    void *self = pack_open(&r);
    const int ok = self && pack_run(self, BENCH_LINEARIZE, 1) && steps_begin();
    if (ok) {
        pack_run(self, BENCH_LINEARIZE, 1);
        steps_end();
        steps_print(stdout);
    }
    if (self) pack_close(self);
    robot_close(&r);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--steps")) return !limit_steps(argv[2], argv[3]);
    measure_pin(measure_cores() - 1);
    for (int i = 1; i < argc; i++) {
        if (!limit_robot(argv[i])) return 1;
    }
    return 0;
}
