/*
 * The least that a Cortex-M needs before main: a table with the stack and the first instruction, the floating-point unit
 * on, variables in place. Output and exit go through semihosting (newlib's rdimon).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char load_data[], begin_data[], end_data[], begin_bss[], end_bss[], stack_top[];
extern void initialise_monitor_handles(void);
extern int main(void);

static void stop(void) { exit(99); } /* any fault ends the run with a status of its own */

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: full access to the floating-point unit */
    __asm volatile("dsb\n isb");
    memcpy(begin_data, load_data, (size_t)(end_data - begin_data));
    memset(begin_bss, 0, (size_t)(end_bss - begin_bss));
    initialise_monitor_handles();
    exit(main());
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static handler *const vectors[16] = {
    (handler *)(void *)stack_top, reset, stop, stop, stop, stop, stop};
