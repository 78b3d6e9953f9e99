/* The tables of a model for the kernels of the GPU: made on the host, copied to the device once. */
#ifndef HML_CUDA_TABLES_H
#define HML_CUDA_TABLES_H

#include "cuda/call.h"
#include "hamel/model.h"

/* what can be computed in; the value is the number of bytes */
enum { CUDA_FLOAT32 = 4, CUDA_FLOAT64 = 8 };

typedef struct cuda_tables {
    cuda_model model;  /* its pointers are those of the host */
    int32_t *integers; /* owned */
    void *numbers;     /* owned: float or double */
    size_t ninteger, nnumber;
} cuda_tables;

/* HML_UNSUPPORTED, and a sentence, for what the kernels cannot do */
hml_status hmli_cuda_tables_new(const hml_model *model, int type, cuda_tables *tables, hml_error *error);
void hmli_cuda_tables_free(cuda_tables *tables);

/* the model with the workspace of motion.h, and of held.h behind it where h is not NULL */
cuda_model hmli_cuda_motion_model(const cuda_model *model, cuda_held *h);

#endif
