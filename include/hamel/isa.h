/*
 * Instruction sets. One binary carries every kernel its architecture can run; a workspace or a batch call says which
 * one to use. There is no global dispatcher and no hidden state.
 */
#ifndef HAMEL_ISA_H
#define HAMEL_ISA_H

#include "hamel/export.h"

typedef enum hml_isa {
    HML_ISA_BEST = 0,   /* the widest this processor has */
    HML_ISA_SCALAR = 1, /* one double at a time */
    HML_ISA_X2 = 2,     /* packs of 2: SSE2, NEON */
    HML_ISA_X4 = 4,     /* packs of 4: AVX2 and FMA */
    HML_ISA_X8 = 8      /* packs of 8: AVX-512 */
} hml_isa;

/* the widest instruction set that this processor and this build have */
HML_API hml_isa hml_isa_best(void);

/* 1 if this processor and this build can run it */
HML_API int hml_isa_available(hml_isa isa);

/* "scalar", "x2", "x4", "x8" */
HML_API const char *hml_isa_name(hml_isa isa);

#endif
