/* In the place of mat.c where matio was missing when Hamel was built. */
#include "io/result/result.h"

hml_status hmli_result_mat(const hml_result *result, result_bytes *bytes)
{
    (void)result, (void)bytes;
    return HML_UNSUPPORTED;
}
