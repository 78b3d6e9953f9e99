/* Single steps, counted in the handler of the trap: see steps.h. */
#include "steps.h"

#if defined __x86_64__

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

extern const char __executable_start, etext; /* the linker's: the program from its first byte to the end of its code */

static const uint64_t trap_flag = 0x100;
static uint32_t *counts; /* one a byte of code */

static void on_trap(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *c = context;
    const uintptr_t at = (uintptr_t)c->uc_mcontext.gregs[REG_RIP] - (uintptr_t)&__executable_start;
    (void)signal, (void)info;
    if (at < (uintptr_t)&etext - (uintptr_t)&__executable_start) counts[at]++;
}

int steps_begin(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    counts = calloc((size_t)(&etext - &__executable_start), sizeof *counts);
    if (!counts || sigaction(SIGTRAP, &action, NULL)) return 0;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | trap_flag);
    return 1;
}

void steps_end(void) { __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~trap_flag); }

void steps_print(FILE *out)
{
    for (size_t i = 0; i < (size_t)(&etext - &__executable_start); i++) {
        if (counts[i]) fprintf(out, "%zx %lu\n", i, (unsigned long)counts[i]);
    }
    free(counts);
}

#else

int steps_begin(void) { return 0; }
void steps_end(void) {}
void steps_print(FILE *out) { (void)out; }

#endif
