/* A picture of a motion: panels of curves over time, one below the other. */
#ifndef CLI_PANELS_H
#define CLI_PANELS_H

#include "robot.h"

/* every stride-th number from first, `rows` of them; those that are not finite leave a gap */
typedef struct panel_curve {
    const char *name; /* NULL: the panel has no other */
    const double *first;
    size_t stride, rows;
} panel_curve;

typedef struct panel {
    const char *label;
    size_t first, count; /* of the curves */
} panel;

typedef struct panels {
    panel_curve *curves;
    size_t used;
    panel items[8];
    size_t count;
} panels;

/* room for so many curves; an exit status */
int panels_begin(panels *p, size_t curves);

/* what is added between both is one panel, which stays if there is something in it */
void panels_open(panels *p, const char *label);
void panels_add(panels *p, const char *name, const double *first, size_t stride, size_t rows);
void panels_close(panels *p);

/* of each joint: positions that are numbers by themselves (rows of nq), or what acts on its coordinates (rows of nv) */
typedef struct panel_joints {
    const double *first;
    size_t rows;
    int positions, slides; /* slides: those that are lengths */
} panel_joints;

void panels_add_joints(panels *p, const robot *r, const panel_joints *j);

/* draws, frees; an exit status */
int panels_write(panels *p, const char *path, const char *title, size_t count, const double *times);

#endif
