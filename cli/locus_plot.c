/* hamel modes --locus --plot: the branches in the complex plane, from the first value (circles) to the last one (dots). */
#include <math.h>

#include "locus.h"
#include "svg.h"

enum { WIDTH = 760, HEIGHT = 560, LEFT = 90, RIGHT = 40, TOP = 56, BOTTOM = 60 };

typedef struct range {
    double low, high, tick;
} range;

static range range_of(const locus_set *l, size_t part, int with_zero)
{
    range r = {HUGE_VAL, -HUGE_VAL, 1};
    for (size_t i = 0; i < l->points * l->n; i++) {
        const double x = l->eigenvalues[2 * i + part];
        r.low = fmin(r.low, x), r.high = fmax(r.high, x);
    }
    if (with_zero) r.low = fmin(r.low, 0), r.high = fmax(r.high, 0); /* the border is always to be seen */
    double width = r.high - r.low;
    if (!(width > 0)) r.low -= 1, r.high += 1, width = 2;
    r.low -= 0.06 * width, r.high += 0.06 * width;
    const double power = pow(10, floor(log10(width / 4)));
    r.tick = width / 4 / power >= 5 ? 5 * power : width / 4 / power >= 2 ? 2 * power : power;
    return r;
}

static double across(const range *x, double value)
{
    return LEFT + (value - x->low) / (x->high - x->low) * (WIDTH - LEFT - RIGHT);
}

static double up(const range *y, double value)
{
    return HEIGHT - BOTTOM - (value - y->low) / (y->high - y->low) * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(svg *p, const range *x, const range *y)
{
    char text[64];
    const double border = across(x, 0);
    if (border < WIDTH - RIGHT)
        fprintf(p->out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#fbeaea\"/>\n", border, TOP,
                WIDTH - RIGHT - border, HEIGHT - TOP - BOTTOM);
    for (double k = ceil(x->low / x->tick); k * x->tick <= x->high; k++) {
        const double at = across(x, k * x->tick);
        fprintf(p->out, "<path d=\"M%.1f %dV%d\" stroke=\"%s\"/>\n", at, TOP, HEIGHT - BOTTOM,
                k == 0 ? "#888" : "#e4e4e4");
        snprintf(text, sizeof text, "%g", k * x->tick);
        svg_text(p, at, HEIGHT - BOTTOM + 18, "middle", "fill=\"#444\"", text);
    }
    for (double k = ceil(y->low / y->tick); k * y->tick <= y->high; k++) {
        const double at = up(y, k * y->tick);
        fprintf(p->out, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", LEFT, at, WIDTH - RIGHT,
                k == 0 ? "#888" : "#e4e4e4");
        snprintf(text, sizeof text, "%g", k * y->tick);
        svg_text(p, LEFT - 8, at + 4, "end", "fill=\"#444\"", text);
    }
    fprintf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    svg_text(p, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 18, "middle", "fill=\"#222\"", "real part (1/s)");
    snprintf(text, sizeof text, "fill=\"#222\" transform=\"rotate(-90 22 %.1f)\"", HEIGHT / 2.0);
    svg_text(p, 22, HEIGHT / 2.0, "middle", text, "imaginary part (rad/s)");
}

static void draw_branch(svg *p, const range *x, const range *y, const locus_set *l, size_t branch)
{
    static const char *const colours[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#17becf"};
    const char *colour = colours[branch % (sizeof colours / sizeof *colours)];
    const double *z = l->eigenvalues + 2 * branch;
    fprintf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"", colour);
    for (size_t k = 0; k < l->points; k++, z += 2 * l->n)
        fprintf(p->out, "%c%.2f %.2f", k ? 'L' : 'M', across(x, z[0]), up(y, z[1]));
    fputs("\"/>\n", p->out);
    z = l->eigenvalues + 2 * branch;
    fprintf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"white\" stroke=\"%s\"/>\n", across(x, z[0]),
            up(y, z[1]), colour);
    z += 2 * l->n * (l->points - 1);
    fprintf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n", across(x, z[0]), up(y, z[1]), colour);
}

int locus_plot(const robot *r, const locus_set *l, const char *path)
{
    svg *p = svg_begin(WIDTH, HEIGHT);
    if (!p) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    const range x = range_of(l, 0, 1), y = range_of(l, 1, 0);
    char text[512];
    draw_axes(p, &x, &y);
    for (size_t i = 0; i < l->n; i++) draw_branch(p, &x, &y, l, i);
    for (size_t i = 0; i < l->count; i++) {
        const double *z = l->crossings[i].eigenvalue;
        for (int k = 0; k < (z[1] > 0 ? 2 : 1); k++)
            fprintf(p->out,
                    "<path d=\"M%.2f %.2fl5 5m0 -10l-10 10m0 -10l5 5\" stroke=\"#c00\" stroke-width=\"1.6\"/>\n",
                    across(&x, z[0]), up(&y, k ? -z[1] : z[1]));
        snprintf(text, sizeof text, "%.6g", l->crossings[i].value);
        svg_text(p, across(&x, z[0]) + 8, up(&y, z[1]) - 6, "start", "fill=\"#c00\"", text);
    }
    snprintf(text, sizeof text, "%.100s: eigenvalues, %.200s from %g (circles) to %g %s (dots)",
             hml_model_name(r->model), l->name, l->values[0], l->values[l->points - 1], l->unit);
    svg_text(p, LEFT, TOP - 20, "start", "font-size=\"14\" fill=\"#222\"", text);
    return svg_write(p, path);
}
