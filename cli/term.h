/* The terminal: colours where they are wanted, its width, a progress bar. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stddef.h>

enum term_style { TERM_PLAIN, TERM_BOLD, TERM_DIM, TERM_NAME, TERM_WARN, TERM_GOOD };

/* looks once at standard output and the environment: NO_COLOR, TERM */
void term_init(void);

/* 1 if standard output is coloured */
int term_colours(void);

/* the escape sequence that begins a style, TERM_PLAIN ends it; "" where there are no colours */
const char *term_style(enum term_style style);

/* columns a table may use: the terminal's, COLUMNS, or 100 */
int term_width(void);

/* how wide a UTF-8 text is printed, a character a column */
size_t term_text_width(const char *text);

/*
 * A bar on standard error, redrawn as done goes from 0 to total, with the time that is left; nothing where standard
 * error is no terminal. The note stands behind the percentage; "": none.
 * term_progress_end takes it away.
 */
void term_progress(const char *what, const char *note, long done, long total);
void term_progress_end(void);

/* the same for things that are counted: with the rate, "12345 states/s", of those after `begun`, which were done before */
void term_progress_count(const char *what, const char *things, long long begun, long long done, long long total);

#endif
