/*
 * The floating-point environment while a file is read: traps off, rounding to nearest, subnormal numbers as they are.
 * A program may have set all of them otherwise, for its own computations; a file's 1e300, whose square is no number,
 * does not end it, and every program reads the same model. What the program had set is set again afterwards.
 */
#ifndef HML_IO_COMMON_ENVIRONMENT_H
#define HML_IO_COMMON_ENVIRONMENT_H

#include <fenv.h>

typedef struct environment {
    fenv_t kept;
    int known;
} environment;

static inline void environment_enter(environment *e)
{
    e->known = fegetenv(&e->kept) == 0;
    if (e->known) fesetenv(FE_DFL_ENV);
}

static inline void environment_leave(const environment *e)
{
    if (e->known) fesetenv(&e->kept);
}

#endif
