/*
 * What goes into and comes out of a kernel: one pack of states in arrays of structures, `lane` numbers each, with
 * strides. A pack that is not full repeats its first state in the unused lanes; what they compute is not written.
 */
#ifndef HML_ALGO_KERNEL_IO_H
#define HML_ALGO_KERNEL_IO_H

#include <stddef.h>

#include "algo/topology.h"
#include "num/num.h"

typedef struct kernel_input {
    const lane *data; /* NULL: zeros */
    size_t stride;    /* from one state to the next */
} kernel_input;

typedef struct kernel_output {
    lane *data;    /* NULL: not wanted */
    size_t ld;     /* from one row to the next */
    size_t stride; /* from one state to the next */
} kernel_output;

typedef struct kernel_call {
    const hml_plan *plan;
    const topology *paths;
    void *scratch; /* aligned to a pack */
    const double *gravity;
    int passive;                               /* 1: with damping and springs */
    int count;                                 /* states in this pack, 1 … LANES */
    kernel_input q, v, tau, a, wrenches;       /* in the tree's numbering; a: for inverse dynamics */
    kernel_output acceleration, Dq, Dv, Minv;  /* forward */
    kernel_output torque, dtau_dq, dtau_dv, M; /* inverse */
} kernel_call;

static inline num kernel_load(kernel_input in, int count, int32_t index)
{
    num x = K(0);
    if (!in.data) return x;
    for (int l = 0; l < LANES; l++) num_set(&x, l, in.data[(size_t)(l < count ? l : 0) * in.stride + (size_t)index]);
    return x;
}

static inline void kernel_load_all(kernel_input in, int count, int32_t n, num *out)
{
    for (int32_t i = 0; i < n; i++) out[i] = kernel_load(in, count, i);
}

/* entry (row, column) of every state's matrix */
static inline void kernel_store(kernel_output out, int count, int32_t row, int32_t column, num x)
{
    for (int l = 0; l < count; l++) {
        out.data[(size_t)l * out.stride + (size_t)row * out.ld + (size_t)column] = num_get(x, l);
    }
}

#endif
