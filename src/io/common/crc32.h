/* The checksum of zip archives: CRC-32 of IEEE 802.3. Sums of parts can be put together. */
#ifndef HML_IO_COMMON_CRC32_H
#define HML_IO_COMMON_CRC32_H

#include <stddef.h>
#include <stdint.h>

typedef struct crc32_tables {
    uint32_t byte[8][256]; /* what a byte does, followed by 0 … 7 bytes of zero */
    int fold;              /* 1: the processor multiplies polynomials */
} crc32_tables;

void hmli_crc32_init(crc32_tables *tables);

/* of what gave `crc` (0: nothing), followed by these bytes */
uint32_t hmli_crc32(const crc32_tables *tables, uint32_t crc, const void *data, size_t size);

/* what `size` further bytes do to a sum, as a polynomial; then hmli_crc32_join(first, second, it) is that of both */
uint32_t hmli_crc32_shift(uint64_t size);
uint32_t hmli_crc32_join(uint32_t first, uint32_t second, uint32_t shift);

#endif
