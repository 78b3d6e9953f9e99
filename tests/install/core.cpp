// The same program as core.c, in C++: the headers declare C linkage.
#include <cstdio>
#include <cstring>

#include <hamel/hamel.h>

int main()
{
    if (std::strcmp(hml_version(), HML_VERSION_STRING) != 0) return 1;
    if (!hml_isa_available(hml_isa_best())) return 1;
    std::printf("hamel %s, %s\n", hml_version(), hml_isa_name(hml_isa_best()));
    return 0;
}
