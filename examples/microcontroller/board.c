/*
 * A Cortex-M of QEMU before and beside main: the table with the stack and the first instruction, the floating-point unit
 * on, variables in place, output and exit by semihosting. No library but memcpy and memset.
 */
#include "board.h"

#include <string.h>

extern char load_data[], begin_data[], end_data[], begin_bss[], end_bss[], stack_top[], stack_watched[];
extern int main(void);

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20, STOPPED = 0x20026 };
enum { INSTRUCTIONS_PER_TICK = 40, SYSTICK_MOST = 0xFFFFFF }; /* 25 MHz, an instruction takes a nanosecond of QEMU */

static const uint32_t PAINT = 0xA5A5A5A5u;
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010; /* control, reload, value */

static int semihost(int operation, const void *argument)
{
    register int r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void leave(int status)
{
    const uint32_t block[2] = {STOPPED, (uint32_t)status};
    semihost(EXIT_EXTENDED, block);
    for (;;) {
    }
}

static void fault(void) { leave(99); }

void board_text(const char *text) { semihost(WRITE0, text); }

void board_number(long x)
{
    char digits[24];
    int at = 23;
    unsigned long rest = x < 0 ? 0ul - (unsigned long)x : (unsigned long)x;
    digits[at] = 0;
    do digits[--at] = (char)('0' + rest % 10), rest /= 10;
    while (rest);
    if (x < 0) digits[--at] = '-';
    board_text(digits + at);
}

uint32_t board_instructions(void) { return systick[2]; }

uint32_t board_passed(uint32_t before, uint32_t after)
{
    return ((before - after) & SYSTICK_MOST) * INSTRUCTIONS_PER_TICK;
}

/* the stack is painted down to `stack_watched`; what was in use has lost its paint */
uint32_t board_stack(void)
{
    const uint32_t *at = (const uint32_t *)(const void *)stack_watched;
    while (*at == PAINT) at++;
    return (uint32_t)((uintptr_t)stack_top - (uintptr_t)at);
}

static void paint(void)
{
    uintptr_t in_use;
    __asm volatile("mov %0, sp" : "=r"(in_use));
    for (uint32_t *at = (uint32_t *)(void *)stack_watched; (uintptr_t)at + 64 < in_use; at++) *at = PAINT;
}

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: full access to the floating-point unit */
    __asm volatile("dsb\n isb");
    memcpy(begin_data, load_data, (size_t)(end_data - begin_data));
    memset(begin_bss, 0, (size_t)(end_bss - begin_bss));
    paint();
    systick[1] = SYSTICK_MOST;
    systick[2] = 0;
    systick[0] = 5; /* on, with the clock of the processor */
    leave(main());
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static handler *const vectors[16] = {
    (handler *)(void *)stack_top, reset, fault, fault, fault, fault, fault};
