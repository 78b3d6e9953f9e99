/* The installed core library: the headers and the library are of one version, and an instruction set is there. */
#include <stdio.h>
#include <string.h>

#include <hamel/hamel.h>

int main(void)
{
    if (strcmp(hml_version(), HML_VERSION_STRING) != 0) return 1;
    if (!hml_isa_available(hml_isa_best())) return 1;
    printf("hamel %s, %s\n", hml_version(), hml_isa_name(hml_isa_best()));
    return 0;
}
