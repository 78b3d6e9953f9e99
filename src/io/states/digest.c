/* A number that tells whether two files or models are the same. See hamel/states.h. */
#include "hamel/states.h"

/* Fowler, Noll and Vo's FNV-1a of 64 bits, whose beginning is not 0 */
uint64_t hml_digest_add(uint64_t digest, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    if (!digest) digest = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) digest = (digest ^ bytes[i]) * UINT64_C(1099511628211);
    return digest;
}
