/* The JSON reader. */
#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_load(data, size, HML_FORMAT_JSON, 0);
    fuzz_load(data, size, HML_FORMAT_JSON, HML_BUILD_KEEP_FIXED | HML_BUILD_MIMIC_INDEPENDENT | HML_BUILD_NO_PASSIVE);
    return 0;
}
