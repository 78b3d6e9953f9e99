/* hamel modes --locus: the eigenvalues of A while a mass, a gain, a speed or gravity changes. */
#ifndef CLI_LOCUS_H
#define CLI_LOCUS_H

#include "hamel/control/locus.h"
#include "robot.h"

typedef struct locus_set {
    const char *name; /* WHAT of --locus */
    char unit[16];
    size_t n, points, count; /* eigenvalues, values, crossings */
    double *values;          /* points */
    double *eigenvalues;     /* points × n × 2: column j is a branch */
    hml_locus_crossing *crossings;
} locus_set;

/* computes, prints or writes, and draws; an exit status */
int locus_run(const cli_options *options, const robot *r);

/* an SVG file: the branches in the complex plane; an exit status */
int locus_plot(const robot *r, const locus_set *l, const char *path);

#endif
