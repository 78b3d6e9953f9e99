/*
 * A warp on the host: 32 lanes as fibers that meet at barriers and shuffles. Between two meetings the lanes run one after
 * the other, in an order drawn anew each time. Accesses to the workspace are watched:
 *
 *   races       two lanes use a number between two barriers, and one of them writes it. A shuffle is no barrier
 *   misaligned  four numbers at an address that is no multiple of 16 bytes
 *   outside     beyond the workspace of the warp
 *   parted      lanes wait at different barriers
 *
 * The workspace is poisoned with NaN. One barrier, named by its number in the order of first use, can be taken out.
 */
#ifndef HML_TESTS_CUDA_EMULATOR_H
#define HML_TESTS_CUDA_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct emulator_report {
    long races, misaligned, outside, parted;
    int barriers;      /* how many there are in the sources, as far as they were used */
    char first[256];   /* the first fault, in words */
    char skipped[256]; /* the barrier that was taken out: file and line */
} emulator_report;

/* what the next warps do: seed of the order; the barrier to take out, or −1; bytes by which the workspace is shifted */
typedef struct emulator_options {
    uint64_t seed;
    int skip;
    int shift;
    int general; /* 1: the kernel with a lane per column, also for robots with a lane per limb; 2: that for any model */
} emulator_options;

void emulator_begin(const emulator_options *options);
emulator_report emulator_end(void);

/* runs lane(argument, l) for l = 0 … 31 until all have returned; `bytes` of workspace at `memory` are watched */
void emulator_warp(void (*lane)(void *argument, int l), void *argument, void *memory, size_t bytes);

void emulator_barrier(const char *file, int line);
int emulator_or(int x, int width);
double emulator_get(double x, int l, int width);
double emulator_other(double x, int step); /* of the lane whose number differs in this bit */
void emulator_touch(const void *p, size_t bytes, int writes, size_t alignment);

#endif
