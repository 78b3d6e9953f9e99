/* A batch and its arguments: shared by its sources. */
#ifndef HML_CUDA_BATCH_H
#define HML_CUDA_BATCH_H

#include "cuda/device.h"

typedef struct cuda_host cuda_host;

struct hml_cuda_batch {
    cuda_model model;  /* its pointers are those of the device */
    cuda_model motion; /* the same with the workspace of motion.h */
    int type, device;
    void *integers, *numbers, *workspace, *motion_workspace;
    int32_t *frame;    /* the tables of the frames, on the host */
    cuda_host *host;   /* of host.c, from its first use on */
    size_t slot_bytes; /* of its slots; 0: as host.c thinks */
};

/* fills in an error, which may be NULL, and returns the status */
hml_status hmli_cuda_fail(hml_error *error, hml_status status, const char *sentence);

/* h: of an implicit step, at whose end dampers and springs act; 0: none */
hml_status hmli_cuda_linearize(hml_cuda_batch *batch, size_t n, const hml_cuda_linearization *arguments, double h,
                               hml_error *error);

/* what host.c has with a batch, if anything */
void hmli_cuda_host_free(hml_cuda_batch *batch);

/* the keys under which xla.c finds a batch */
void hmli_cuda_xla_forget(const hml_cuda_batch *batch);

hml_cuda_batch *hmli_cuda_holds_batch(const hml_cuda_holds *holds, size_t *rows);

static inline cuda_input input_of(hml_cuda_input in) { return (cuda_input){in.data, in.stride}; }

/* numbers from one row to the next: kernels count the entries of a matrix in 32 bits */
enum { MOST_LD = 1 << 20 };

/* ld and stride as they are meant where they are 0; 0 if rows would lie over each other or are too far apart */
static inline int output_of(hml_cuda_output out, size_t rows, size_t columns, cuda_output *to)
{
    to->data = out.data;
    to->ld = out.ld ? out.ld : columns;
    to->stride = out.stride ? out.stride : rows * to->ld;
    return !out.data || (to->ld >= columns && to->ld <= MOST_LD);
}

#endif
