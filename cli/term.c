/* The terminal. The state here is the terminal's own: what it is, and whether a bar is on it. */
#include "term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined _WIN32
#include <windows.h>
#else
#include <sys/ioctl.h>
#endif

static int colours, width = 100;
static int bar_allowed, bar_shown = -1;

static int wants_no_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return (no && *no) || !term || !*term || strcmp(term, "dumb") == 0;
}

/* columns of the terminal; 0: standard output is none */
static int columns_of_terminal(void)
{
#if defined _WIN32
    CONSOLE_SCREEN_BUFFER_INFO about;
    const int there = GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &about);
    return there ? about.srWindow.Right - about.srWindow.Left + 1 : 0;
#else
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#endif
}

void term_init(void)
{
    const char *columns = getenv("COLUMNS");
    long wanted = columns ? strtol(columns, NULL, 10) : 0;
    const int there = columns_of_terminal();
    colours = isatty(STDOUT_FILENO) && !wants_no_colour();
    bar_allowed = isatty(STDERR_FILENO);
    if (wanted >= 40 && wanted < 10000)
        width = (int)wanted;
    else if (there >= 40)
        width = there;
}

int term_colours(void) { return colours; }
int term_width(void) { return width; }

const char *term_style(enum term_style style)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[36m", "\033[33m", "\033[32m"};
    return colours ? codes[style] : "";
}

size_t term_text_width(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80; /* bytes that begin a character */
    return count;
}

/* seconds since any moment, for differences */
static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* things NULL: no rate */
static void draw(const char *what, const char *note, const char *things, long long begun, long long done,
                 long long total)
{
    enum { CELLS = 30 };
    static double began, drawn;
    int filled = (int)(CELLS * done / (total > 0 ? total : 1));
    if (!bar_allowed) return;
    double now = clock_seconds();
    if (bar_shown < 0) began = now, drawn = 0;
    if (filled == bar_shown && now - drawn < 1) return;
    bar_shown = filled;
    drawn = now;
    fprintf(stderr, "\r%s [", what);
    for (int i = 0; i < CELLS; i++) fputs(i < filled ? "█" : "·", stderr);
    fprintf(stderr, "] %3lld %%%s", 100 * done / (total > 0 ? total : 1), note);
    const double rate = now > began ? (double)(done - begun) / (now - began) : 0;
    if (things && rate > 0) fprintf(stderr, ", %.*f %s/s", rate < 10, rate, things);
    double left = rate > 0 ? (double)(total - done) / rate : 0;
    if (left >= 1) fprintf(stderr, ", %.0f s left", left); /* less is not worth reading */
    fputs("\033[K", stderr);
    fflush(stderr);
}

void term_progress(const char *what, const char *note, long done, long total)
{
    draw(what, note, NULL, 0, done, total);
}

void term_progress_count(const char *what, const char *things, long long begun, long long done, long long total)
{
    draw(what, "", things, begun, done, total);
}

void term_progress_end(void)
{
    if (bar_shown >= 0) fputs("\r\033[K", stderr);
    bar_shown = -1;
}
