/* The version of the headers, and of the library at run time. */
#ifndef HAMEL_VERSION_H
#define HAMEL_VERSION_H

#include "hamel/export.h"

#define HML_VERSION_MAJOR  0
#define HML_VERSION_MINOR  1
#define HML_VERSION_PATCH  0
#define HML_VERSION_STRING "0.1.0"

/* "major.minor.patch" of the library that is linked */
HML_API const char *hml_version(void);

#endif
