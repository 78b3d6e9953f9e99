/*
 * The table of functions that one instruction set's object exports. Everything over packs is static inline behind it;
 * no pack crosses a function boundary.
 */
#ifndef HML_BATCH_KERNELS_H
#define HML_BATCH_KERNELS_H

#include <stddef.h>

#include "hamel/isa.h"

typedef struct hml_kernels {
    const char *name;
    int lanes;
} hml_kernels;

extern const hml_kernels hml_kernels_F64, hml_kernels_X2, hml_kernels_X4, hml_kernels_X8;

/* the table of an instruction set, NULL if this build or processor does not have it */
const hml_kernels *hml_kernels_get(hml_isa isa);

#endif
