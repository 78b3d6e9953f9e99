/* The modes of a robot near a state, as hamel modes finds, prints and shows them. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "hamel/control/modes.h"
#include "system.h"

typedef struct mode_set {
    linear_state s;
    size_t n, count, rows; /* eigenvalues, modes, 2nv */
    hml_mode *modes;
    double *values, *right, *share; /* n × 2, rows × n × 2, n × rows */
    double *frequency, *damping;    /* n: in Hz; ratio, 0 for zeros */
    double *energy;                 /* n × nbodies: shares of the kinetic energy */
    double *memory;
} mode_set;

/* near the state, with the holds of the options; an exit status. modes_free is due either way */
int modes_find(const cli_options *options, const robot *r, mode_set *m);
void modes_free(mode_set *m);

/* a table of the slowest ones, at most so many, and how many there are of each kind */
void modes_print(const robot *r, const mode_set *m, size_t most);

/* |Im λ| / 2π */
double mode_frequency(const double value[2]);

/* a page on which the robot moves as mode `index` does. An exit status */
int modes_view(const cli_options *options, const robot *r, const mode_set *m, size_t index);

/* the mode to be shown where nobody says: the slowest one that swings, or else the first */
size_t modes_choose(const mode_set *m);

#endif
