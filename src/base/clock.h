/* Seconds since some moment in the past, by a clock that nobody sets back: for limits of time. */
#ifndef HML_BASE_CLOCK_H
#define HML_BASE_CLOCK_H

#include <time.h>

#if defined(_WIN32)
/* there it counts the time of the wall, not that of the processor */
static inline double clock_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
#elif defined(CLOCK_MONOTONIC)
static inline double clock_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#else
static inline double clock_seconds(void)
{
    struct timespec t;
    return timespec_get(&t, TIME_UTC) ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}
#endif

#endif
