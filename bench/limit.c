/*
 * How far a linearization is from what the core can do.
 *
 *   limit_bench ROBOT...                  times: JSON, a line a robot and kernel
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
#include "peer_dynamics_measure.h"
#include "steps.h"

/* a way to call, an instruction set, and whose peak it is held against */
static const struct {
    const char *name;
    const bench_contender *contender;
    hml_isa isa;
} kernels[] = {{"scalar", &hamel_batch, HML_ISA_SCALAR},
               {"pack of 2", &hamel_batch, HML_ISA_X2},
               {"pack of 4", &hamel_batch, HML_ISA_X4},
               {"pack of 8", &hamel_batch, HML_ISA_X8},
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
        const hml_isa isa = kernels[k].isa == HML_ISA_BEST ? hml_isa_best() : kernels[k].isa;
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

/* one pack of states, or one state */
static int step(const bench_robot *r, int lanes, hml_work *work, double *out)
{
    const size_t nv = r->nv, room = (size_t)lanes * nv;
    hml_linearization x = {.struct_size = sizeof x};
    x.q = (hml_input){r->q, r->nq}, x.v = (hml_input){r->v, nv}, x.tau = (hml_input){r->u, nv};
    x.acceleration.data = out, x.Dq.data = out + room, x.Dv.data = x.Dq.data + room * nv;
    x.Minv.data = x.Dv.data + room * nv;
    for (int warm = 0; warm < 2; warm++) {
        if (warm && !steps_begin()) return 0;
        const hml_status status = lanes > 1 ? hml_linearize_batch(r->model, work, (size_t)lanes, &x, NULL)
                                            : hml_linearize(r->model, work, &x);
        if (warm) steps_end();
        if (status) return 0;
    }
    steps_print(stdout);
    return 1;
}

static int limit_steps(const char *kernel, const char *name)
{
    bench_robot r;
    hml_work *work = NULL;
    int k = 0;
    while (k < KERNELS && strcmp(kernels[k].name, kernel)) k++;
    if (k == KERNELS || !hml_isa_available(kernels[k].isa) || !robot_load(name, kernels[k].isa, &r)) return 0;
    const int lanes = kernels[k].contender == &hamel_single ? 1 : (int)kernels[k].isa;
    double *out = calloc((size_t)lanes * (r.nv + 3 * r.nv * r.nv), sizeof *out);
    const int ok = out && !hml_work_new(r.model, r.isa, HML_USE_ALL, &work) && step(&r, lanes, work, out);
    hml_work_free(work);
    free(out);
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
