/* Numbers, against the C library's strtod in the C locale. */
#include <math.h>

#include "fuzz_load.h"
#include "io/common/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *end;
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    double ours = 0, theirs = strtod(text, &end);
    const char *stop = hmli_number_read(text, &ours);
    if (stop && !strpbrk(text, "xX")) { /* strtod knows hexadecimal */
        fuzz_check(isfinite(ours) && memcmp(&ours, &theirs, sizeof ours) == 0 && stop == end);
        char written[NUMBER_SIZE];
        double back;
        hmli_number_write(ours, written);
        fuzz_check(hmli_number_read(written, &back) && memcmp(&back, &ours, sizeof ours) == 0);
    }
    free(text);
    return 0;
}
