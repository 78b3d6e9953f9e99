/* One instruction set's kernels, and the one symbol they show. Compiled once for each kind of number. */
#include "batch/kernels.h"
#include "num/num.h"

#define TABLE_(kind) hml_kernels_##kind
#define TABLE(kind)  TABLE_(kind)

#if defined HML_NUM_X8
#define KIND X8
#elif defined HML_NUM_X4
#define KIND X4
#elif defined HML_NUM_X2
#define KIND X2
#elif defined HML_NUM_F32
#define KIND F32
#else
#define KIND F64
#endif

extern const hml_kernels TABLE(KIND);
const hml_kernels TABLE(KIND) = {
    HML_NUM_NAME,
    LANES,
};
