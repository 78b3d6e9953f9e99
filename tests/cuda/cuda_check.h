/*
 * A batch on a device beside hml_linearize, state by state: shared by the test in the emulator and the one on a GPU.
 * Errors are relative to the largest entry of the matrix.
 */
#ifndef HML_TESTS_CUDA_CHECK_H
#define HML_TESTS_CUDA_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/cuda.h"
#include "hamel/hamel.h"

enum { CHECK_X, CHECK_DQ, CHECK_DV, CHECK_MINV, CHECK_A, CHECK_B, CHECK_OUTPUTS };

/* n states of a robot: inputs, and results of both sides, in doubles */
typedef struct cuda_states {
    const hml_model *model;
    size_t n, nq, nv, nw;
    double *q, *v, *tau, *wrenches; /* wrenches NULL: none */
    double *out[CHECK_OUTPUTS];     /* of the device */
    int32_t *status;
} cuda_states;

static inline size_t output_size(const cuda_states *s, int k)
{
    const size_t m = s->nv * s->nv, sizes[CHECK_OUTPUTS] = {s->nv, m, m, m, 4 * m, 2 * m};
    return sizes[k];
}

static inline double *numbers(size_t n)
{
    double *x = calloc(n ? n : 1, sizeof *x);
    if (!x) abort();
    return x;
}

static inline cuda_states states_draw(const hml_model *model, size_t n, uint64_t seed, int with_wrenches)
{
    cuda_states s = {.model = model, .n = n};
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    s.nq = (size_t)hml_model_nq(model), s.nv = (size_t)hml_model_nv(model);
    s.nw = 6 * (size_t)hml_model_nbodies(model);
    s.q = numbers(n * s.nq), s.v = numbers(n * s.nv), s.tau = numbers(n * s.nv);
    s.wrenches = with_wrenches ? numbers(n * s.nw) : NULL;
    s.status = malloc((n + 1) * sizeof *s.status);
    if (!s.status) abort();
    for (size_t i = 0; i < n; i++) {
        if (hml_configuration_random(model, &rng, s.q + i * s.nq)) abort();
        for (size_t k = 0; k < s.nv; k++) {
            s.v[i * s.nv + k] = hml_rng_uniform(&rng, -1, 1);
            s.tau[i * s.nv + k] = hml_rng_uniform(&rng, -5, 5);
        }
        for (size_t k = 0; with_wrenches && k < s.nw; k++) s.wrenches[i * s.nw + k] = hml_rng_uniform(&rng, -2, 2);
    }
    for (int k = 0; k < CHECK_OUTPUTS; k++) s.out[k] = NULL;
    return s;
}

static inline void states_free(cuda_states *s)
{
    free(s->q), free(s->v), free(s->tau), free(s->wrenches), free(s->status);
    for (int k = 0; k < CHECK_OUTPUTS; k++) free(s->out[k]);
}

/* to the device, as numbers of the batch's type */
static inline void *send(hml_cuda_batch *batch, hml_cuda_type type, const double *x, size_t n)
{
    void *there, *here = malloc((n ? n : 1) * (size_t)type);
    if (!here) abort();
    for (size_t i = 0; i < n; i++) {
        if (type == HML_CUDA_FLOAT32)
            ((float *)here)[i] = (float)x[i];
        else
            ((double *)here)[i] = x[i];
    }
    if (hml_cuda_allocate(batch, n * (size_t)type + 16, &there, NULL)) abort();
    if (hml_cuda_upload(batch, there, here, n * (size_t)type, NULL)) abort();
    free(here);
    return there;
}

static inline void receive(hml_cuda_batch *batch, hml_cuda_type type, const void *there, double *x, size_t n)
{
    void *here = malloc((n ? n : 1) * (size_t)type);
    if (!here || hml_cuda_download(batch, here, there, n * (size_t)type, NULL)) abort();
    for (size_t i = 0; i < n; i++) x[i] = type == HML_CUDA_FLOAT32 ? (double)((float *)here)[i] : ((double *)here)[i];
    free(here);
}

/* all states through the device, into s->out and s->status; `wanted`: a bit per output. Outputs begin as 7 */
static inline hml_status states_run(cuda_states *s, hml_cuda_batch *batch, hml_cuda_type type, unsigned wanted,
                                    hml_error *error)
{
    void *q = send(batch, type, s->q, s->n * s->nq), *v = send(batch, type, s->v, s->n * s->nv);
    void *tau = send(batch, type, s->tau, s->n * s->nv), *w = NULL, *status, *out[CHECK_OUTPUTS];
    if (s->wrenches) w = send(batch, type, s->wrenches, s->n * s->nw);
    for (int k = 0; k < CHECK_OUTPUTS; k++) {
        const size_t n = s->n * output_size(s, k);
        out[k] = NULL;
        if (!(wanted & 1u << k)) continue;
        free(s->out[k]);
        s->out[k] = numbers(n);
        for (size_t i = 0; i < n; i++) s->out[k][i] = 7;
        out[k] = send(batch, type, s->out[k], n);
    }
    if (hml_cuda_allocate(batch, (s->n + 1) * sizeof(int32_t), &status, NULL)) abort();
    const hml_cuda_linearization arguments = {
        .struct_size = sizeof arguments,
        .q = {q, s->nq},
        .v = {v, s->nv},
        .tau = {tau, s->nv},
        .wrenches = {w, s->nw},
        .acceleration = {.data = out[CHECK_X]},
        .Dq = {.data = out[CHECK_DQ]},
        .Dv = {.data = out[CHECK_DV]},
        .Minv = {.data = out[CHECK_MINV]},
        .A = {.data = out[CHECK_A]},
        .B = {.data = out[CHECK_B]},
        .status = status,
    };
    hml_status result = hml_cuda_linearize(batch, s->n, &arguments, error);
    if (!result) result = hml_cuda_wait(batch, NULL, error);
    for (int k = 0; k < CHECK_OUTPUTS; k++) {
        if (out[k]) receive(batch, type, out[k], s->out[k], s->n * output_size(s, k));
        hml_cuda_release(batch, out[k]);
    }
    if (hml_cuda_download(batch, s->status, status, s->n * sizeof(int32_t), NULL)) abort();
    void *const inputs[5] = {q, v, tau, w, status};
    for (int k = 0; k < 5; k++) hml_cuda_release(batch, inputs[k]);
    return result;
}

/* the largest error of all wanted outputs of one state that has status HML_OK on the CPU; its status goes to *status */
static inline double state_error(const cuda_states *s, hml_work *work, size_t i, unsigned wanted, hml_status *status)
{
    double *want[CHECK_OUTPUTS], worst = 0;
    for (int k = 0; k < CHECK_OUTPUTS; k++) want[k] = numbers(output_size(s, k));
    const hml_linearization arguments = {
        .struct_size = sizeof arguments,
        .q = {s->q + i * s->nq, 0},
        .v = {s->v + i * s->nv, 0},
        .tau = {s->tau + i * s->nv, 0},
        .wrenches = {s->wrenches ? s->wrenches + i * s->nw : NULL, 0},
        .acceleration = {.data = want[CHECK_X]},
        .Dq = {.data = want[CHECK_DQ]},
        .Dv = {.data = want[CHECK_DV]},
        .Minv = {.data = want[CHECK_MINV]},
        .A = {.data = want[CHECK_A]},
        .B = {.data = want[CHECK_B]},
    };
    *status = hml_linearize(s->model, work, &arguments);
    for (int k = 0; k < CHECK_OUTPUTS; k++) {
        const size_t n = output_size(s, k);
        double largest = 1e-300, error = 0;
        for (size_t j = 0; wanted & 1u << k && j < n; j++) {
            const double *got = s->out[k] + i * n;
            largest = fmax(largest, fabs(want[k][j]));
            const double d = fabs(got[j] - want[k][j]);
            if (!(d <= error)) error = isnan(d) ? INFINITY : d;
        }
        if (error / largest > worst) worst = error / largest;
        free(want[k]);
    }
    return worst;
}

#endif
