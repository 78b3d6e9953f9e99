/* What the flight needs of its board, without a library: text, a counter of instructions, how deep the stack went. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_text(const char *text);
void board_number(long x);
uint32_t board_instructions(void); /* counts down, and begins anew */
uint32_t board_passed(uint32_t before, uint32_t after);
uint32_t board_stack(void); /* bytes that were in use at most */

#endif
