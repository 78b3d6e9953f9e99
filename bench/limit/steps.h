/*
 * Which instructions of this program are executed, and how often: the processor's own single step, a trap after every
 * instruction. Emulators that count know no AVX-512. x86-64 only; a million instructions take seconds.
 */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include <stdio.h>

/* from here on every instruction of this thread is counted; 0 if that cannot be had */
int steps_begin(void);
void steps_end(void);

/* a line an instruction: its address as in the program's file, in hexadecimal, and how often */
void steps_print(FILE *out);

#endif
