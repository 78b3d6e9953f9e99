/* hamel bench: the calls that are measured, and what they read and write. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "robot.h"

enum { BENCH_STATES = 64 /* random states that single calls go through */ };

/* everything a call reads and writes */
typedef struct field {
    const hml_model *model;
    hml_work *work;
    size_t nq, nv, count; /* count: states */
    int32_t frame;
    double *q, *v, *tau;                  /* a state after the other */
    double *out, *Dq, *Dv, *Minv, *H, *J; /* outputs of every state: nv, nv × nv three times, nbodies × 16, 6 × nv */
    double *rows;                         /* 6 × nv, four times, for outputs of one state */
    double *memory;
} field;

/* random states, and room for the outputs; work is the caller's to set. 0 when out of memory */
int field_new(const hml_model *model, size_t count, field *f);
void field_free(field *f);

/* one state, number s; or all of them, and s does not matter */
typedef hml_status benched(field *f, size_t s);

typedef struct bench_algorithm {
    const char *name;
    benched *call;
    int batch; /* 1: all states at once */
} bench_algorithm;

extern const bench_algorithm bench_algorithms[];
extern const int bench_algorithm_count;

#endif
