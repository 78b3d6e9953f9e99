/*
 * What the core can do at best, as contenders of the dynamics benchmark: a "state" is PEAK_PACKS steps x = a·x + b on
 * packs of doubles, fused where the instruction set has it. In registers, and with one operand of each step from an
 * array that fits into L1, or only into L2.
 */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include "peers/contender.h"

enum { PEAK_PACKS = 1 << 23 }; /* milliseconds: the CPU frequency follows the width of the registers, slowly */

enum { PEAK_REGISTERS, PEAK_FIRST, PEAK_SECOND, PEAK_LOOPS };

typedef struct peak {
    hml_isa isa; /* whose instructions; its value is the number of lanes */
    bench_contender loops[PEAK_LOOPS];
} peak;

enum { PEAKS = 3 };
extern const peak peaks[PEAKS]; /* x2, x4, x8; measured only where hml_isa_available says yes */

#endif
