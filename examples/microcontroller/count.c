/*
 * Instructions per call of a generated robot, counted by QEMU with -icount shift=0: an instruction takes a nanosecond of
 * its virtual time. The robot is plant.c, with plant.h beside it.
 */
#include <stdint.h>
#include <stdio.h>

#include "plant.h"

/* run.sh says otherwise where it must */
#ifndef PLANT_REAL
#define PLANT_REAL double
#endif
#ifndef QUATERNION
#define QUATERNION -1 /* where the base has one in q; -1: there is none */
#endif

typedef PLANT_REAL real;
enum { NQ = PLANT_NQ, NV = PLANT_NV };

static real q[NQ], v[NV], tau[NV], a[NV], Dq[NV * NV], Dv[NV * NV], Minv[NV * NV];

/* SysTick counts down at the 25 MHz of these boards: every 40 instructions */
enum { INSTRUCTIONS_PER_TICK = 40, CALLS = 20, SYSTICK_MOST = 0xFFFFFF };

static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010; /* control, reload, value */

static volatile int status;

static void call(int what)
{
    if (what == 0) status |= plant_linearize(q, v, tau, a, Dq, Dv, Minv);
    if (what == 1) status |= plant_forward_dynamics(q, v, tau, a);
    if (what == 2) status |= plant_inverse_dynamics(q, v, tau, a);
    if (what == 3) status |= plant_mass_matrix(q, Dq);
}

int main(void)
{
    static const char *const names[] = {"linearize", "forward dynamics", "inverse dynamics", "mass matrix"};
    systick[1] = SYSTICK_MOST;
    systick[2] = 0;
    systick[0] = 5; /* on, with the clock of the processor */
    for (int i = 0; i < NV; i++) v[i] = (real)0.1 * (real)i, tau[i] = (real)0.2;
    for (int i = 0; i < NQ; i++) q[i] = (real)0.05 * (real)i;
    if (QUATERNION >= 0) q[QUATERNION] = 1, q[QUATERNION + 1] = q[QUATERNION + 2] = q[QUATERNION + 3] = 0;
    for (int what = 0; what < 4; what++) {
        call(what);
        const uint32_t start = systick[2];
        for (int i = 0; i < CALLS; i++) call(what);
        const uint32_t passed = (start - systick[2]) & SYSTICK_MOST;
        printf("%s: %lu instructions\n", names[what], (unsigned long)passed * INSTRUCTIONS_PER_TICK / CALLS);
    }
    return status;
}
