/*
 * device.cu where there is no GPU: a status and a sentence, from every function that asks for one first. Run by
 * scripts/check-cuda.sh, which links it with the kernels; where there is a GPU, it asks for one that is not there.
 */
#include <stdio.h>
#include <string.h>

#include "cuda/device.h"

int main(void)
{
    hml_cuda_device_info info = {.struct_size = sizeof info};
    hml_error error = {.status = HML_OK};
    const int number = hmli_device_find(0, &info, NULL) ? 0 : 1000;
    const hml_status status = hmli_device_find(number, &info, &error);
    printf("GPU %d: %s\n", number, error.message);
    if (status != HML_NOT_FOUND || error.status != HML_NOT_FOUND || !strstr(error.message, "there is no GPU")) return 1;
    void *memory = NULL;
    const hml_status allocated = hmli_device_allocate(number, 64, &memory, &error);
    printf("memory of it: %s\n", error.message);
    return allocated != HML_UNSUPPORTED || memory || !strstr(error.message, "the GPU cannot be used: ");
}
