/* What lanes of cuda/lanes.h can do, in the emulator. */
#ifndef HML_TESTS_CUDA_LANES_EMULATED_H
#define HML_TESTS_CUDA_LANES_EMULATED_H

#include "emulator.h"

#define lanes_sync() emulator_barrier(__FILE__, __LINE__)

LANE_CODE int lanes_or(int x, int width) { return emulator_or(x, width); }
LANE_CODE num lanes_get(num x, int l, int width) { return (num)emulator_get((double)x, l, width); }

LANE_CODE num lanes_sum(num x, int width)
{
    for (int step = 1; step < width; step *= 2) x += (num)emulator_other((double)x, step);
    return x;
}

LANE_CODE void lanes_forget(void) {}
LANE_CODE void lanes_fetched(void) {}

LANE_CODE num work_get(const num *p)
{
    emulator_touch(p, sizeof *p, 0, sizeof *p);
    return *p;
}

LANE_CODE void work_put(num *p, num x)
{
    emulator_touch(p, sizeof *p, 1, sizeof *p);
    *p = x;
}

LANE_CODE num4 work_get4(const num *p)
{
    num4 x;
    emulator_touch(p, sizeof x, 0, 16);
    memcpy(&x, p, sizeof x);
    return x;
}

LANE_CODE void work_put4(num *p, num4 x)
{
    emulator_touch(p, sizeof x, 1, 16);
    memcpy(p, &x, sizeof x);
}

/* at once; that lanes do not wait for it is not emulated */
LANE_CODE void lanes_fetch(num *to, const num *from) { work_put(to, *from); }

#endif
