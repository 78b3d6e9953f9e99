/* The states of a batch as a kernel's call wants them: where state s of an input or an output begins. */
#ifndef HML_ALGO_STATES_H
#define HML_ALGO_STATES_H

#include <math.h>

#include "base/overflow.h"
#include "hamel/dynamics.h"
#include "kernel/call.h"
#if defined NUM_SINGLE
#include "hamel/single_precision.h"
typedef hml_input_f32 states_in;
typedef hml_output_f32 states_out;
#else
typedef hml_input states_in;
typedef hml_output states_out;
#endif

static inline const lane *input_at(states_in in, size_t state) { return in.data ? in.data + state * in.stride : NULL; }

static inline kernel_input states_input(states_in in, size_t first)
{
    kernel_input k;
    k.data = input_at(in, first);
    k.stride = in.stride;
    return k;
}

/* ld and stride as they are meant where they are 0 */
static inline kernel_output states_output(states_out out, size_t rows, size_t columns)
{
    kernel_output k;
    k.data = out.data;
    k.ld = out.ld ? out.ld : columns;
    k.stride = out.stride ? out.stride : rows * k.ld;
    return k;
}

/* are rows at least as far apart as they are long? Nearer ones would lie over each other, and the last one outside */
static inline int output_fits(states_out out, size_t columns) { return !out.data || !out.ld || out.ld >= columns; }

static inline kernel_output output_at(kernel_output out, size_t state)
{
    if (out.data) out.data += state * out.stride;
    return out;
}

#if defined NUM_SINGLE
static inline hml_status finite_lanes(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double wide = (double)x[i];
        if (finite_array(&wide, 1)) return HML_NOT_FINITE;
    }
    return HML_OK;
}
#else
static inline hml_status finite_lanes(const double *x, size_t n) { return finite_array(x, n); }
#endif

/* are the results of one state finite? */
static inline hml_status output_finite(kernel_output out, size_t rows, size_t columns)
{
    hml_status status = HML_OK;
    for (size_t r = 0; out.data && !status && r < rows; r++) status = finite_lanes(out.data + r * out.ld, columns);
    return status;
}

/* one state that failed */
static inline void output_fill_nan(kernel_output out, size_t rows, size_t columns)
{
    for (size_t r = 0; out.data && r < rows; r++) {
        for (size_t c = 0; c < columns; c++) out.data[r * out.ld + c] = NAN;
    }
}

#endif
