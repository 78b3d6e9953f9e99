/* Small pictures in SVG, written by hand: a text that grows, and a plot with two logarithmic axes. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include "cli.h"
#include "memory_file.h"

/* a picture of the given size; write into it with fprintf. NULL when out of memory */
typedef memory_file svg;

svg *svg_begin(double width, double height);
/* text with <, > and & made harmless; anchor: "start", "middle" or "end"; style: attributes, or "" */
void svg_text(svg *picture, double x, double y, const char *anchor, const char *style, const char *text);
/* ends the picture, writes it whole or not at all, and frees it; an exit status */
int svg_write(svg *picture, const char *path);

typedef struct svg_curve {
    const char *label;
    const char *colour;
    int dashed;
    const double *y; /* as many as the plot has x; what is not above zero is left out */
} svg_curve;

/* curves over x, both logarithmic; x may fall; an exit status */
int svg_plot(const char *path, const char *title, const char *x_label, const char *y_label, int points, const double *x,
             int curves, const svg_curve *curve);

#endif
