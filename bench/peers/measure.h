/* The dynamics benchmark's parts: robots, Hamel's contenders, the clock. */
#ifndef BENCH_PEER_DYNAMICS_MEASURE_H
#define BENCH_PEER_DYNAMICS_MEASURE_H

#include "contender.h"

/* ---- robots; 1 on success, a message otherwise ---- */

/* "NAME,free|fixed,PATH" for a URDF file, "NAME" for a robot that comes with the library */
int robot_load(const char *text, hml_isa isa, bench_robot *robot);

/* "tree": four legs on a free base; "chain": one long arm on it. folder: where its URDF is written */
int robot_random(const char *shape, int joints, hml_isa isa, const char *folder, bench_robot *robot);
void robot_close(bench_robot *robot);

/* ---- Hamel ---- */

extern const bench_contender hamel_single; /* linearize writes ν̇, A, B */
extern const bench_contender hamel_batch;  /* BENCH_STATES at a time; linearize writes ν̇, D_q, D_ν, M⁻¹ */
extern const bench_contender hamel_stream; /* 4096 at a time, ν̇, A, B to memory */
size_t hamel_stream_states(size_t nv);     /* fewer than 4096 where they would not fit */

/* ---- numbers ---- */

double measure_median(double *x, int n);                               /* sorts them */
double measure_difference(const double *x, const double *y, size_t n); /* the largest, over the largest entry of x */

/* ---- the clock ---- */

/* a contender in the ring; self NULL: absent */
typedef struct bench_entry {
    const bench_contender *contender;
    void *self;
    double first; /* seconds that the first run took; NAN where it has no such algorithm */
    double ns;    /* median, a state; NAN as before */
} bench_entry;

/* one state, to warm up and to have a result; sets first and ns. 0 if there is no such algorithm */
int measure_first(bench_entry *entry, bench_algorithm algorithm);

/* those whose first run went well, in turns, slice by slice, on the core this thread is pinned to; sets ns */
void measure_in_turns(bench_entry *entries, size_t count, bench_algorithm algorithm);

/* nanoseconds per state with one thread per core, each with its own batch; NAN if out of memory */
double measure_all_cores(const bench_contender *contender, const bench_robot *robot, bench_algorithm algorithm);
int measure_cores(void);     /* cores that this program may use */
void measure_pin(int which); /* this thread stays on one of them */

#endif
