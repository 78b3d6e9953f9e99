/* hamel simulate: energy and height over time, two panels of a picture. */
#include <math.h>

#include "simulate.h"
#include "svg.h"

enum { WIDTH = 760, PANEL = 210, LEFT = 90, RIGHT = 30, TOP = 48, GAP = 46, POINTS = 700 };

typedef struct range {
    double low, high, tick;
} range;

/* a little more than the values need, and ticks of 1, 2 or 5 */
static range range_of(size_t n, const double *y)
{
    range r = {y[0], y[0], 1};
    for (size_t i = 0; i < n; i++) r.low = fmin(r.low, y[i]), r.high = fmax(r.high, y[i]);
    double width = r.high - r.low, size = fmax(fabs(r.low), fabs(r.high));
    if (!(width > 1e-9 * size)) { /* as good as constant: not a picture of rounding */
        double middle = 0.5 * (r.low + r.high), half = size > 0 ? 0.05 * size : 0.5;
        r.low = middle - half, r.high = middle + half;
        width = 2 * half;
    } else {
        r.low -= 0.06 * width, r.high += 0.06 * width;
    }
    double power = pow(10, floor(log10(width / 4)));
    r.tick = width / 4 / power >= 5 ? 5 * power : width / 4 / power >= 2 ? 2 * power : power;
    return r;
}

static double across(const range *t, double time)
{
    return LEFT + (time - t->low) / (t->high - t->low) * (WIDTH - LEFT - RIGHT);
}

static double up(const range *y, double top, double value)
{
    return top + PANEL - (value - y->low) / (y->high - y->low) * PANEL;
}

static void draw_panel(svg *p, double top, const char *label, const char *colour, const trajectory *t,
                       const double *values, const range *time)
{
    range y = range_of(t->count, values);
    char text[64];
    for (double k = ceil(y.low / y.tick); k * y.tick <= y.high; k++) {
        fprintf(p->out, "<path d=\"M%d %.1fH%d\" stroke=\"#e4e4e4\"/>\n", LEFT, up(&y, top, k * y.tick), WIDTH - RIGHT);
        snprintf(text, sizeof text, "%.6g", k * y.tick);
        svg_text(p, LEFT - 8, up(&y, top, k * y.tick) + 4, "end", "fill=\"#444\"", text);
    }
    for (double k = 0; k * time->tick <= time->high; k++) {
        double x = across(time, k * time->tick);
        fprintf(p->out, "<path d=\"M%.1f %.1fv%d\" stroke=\"#e4e4e4\"/>\n", x, top, PANEL);
        snprintf(text, sizeof text, "%.6g", k * time->tick);
        svg_text(p, x, top + PANEL + 18, "middle", "fill=\"#444\"", text);
    }
    fprintf(p->out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, top,
            WIDTH - LEFT - RIGHT, PANEL);
    fprintf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"", colour);
    size_t points = t->count < POINTS ? t->count : POINTS;
    for (size_t i = 0; i < points; i++) { /* no more than the picture is wide */
        size_t k = points > 1 ? i * (t->count - 1) / (points - 1) : 0;
        fprintf(p->out, "%c%.1f %.2f", i ? 'L' : 'M', across(time, t->time[k]), up(&y, top, values[k]));
    }
    fputs("\"/>\n", p->out);
    snprintf(text, sizeof text, "fill=\"#222\" transform=\"rotate(-90 20 %.1f)\"", top + PANEL / 2.0);
    svg_text(p, 20, top + PANEL / 2.0, "middle", text, label);
}

int simulate_plot(const char *path, const robot *r, const trajectory *t)
{
    svg *p = svg_begin(WIDTH, TOP + 2 * PANEL + GAP + 56);
    if (!p) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    char title[256];
    range time = {0, t->time[t->count - 1], 1};
    range ticks = range_of(t->count, t->time);
    time.tick = ticks.tick;
    snprintf(title, sizeof title, "%.120s, %s", hml_model_name(r->model), t->scheme);
    svg_text(p, LEFT, TOP - 20, "start", "font-size=\"15\" fill=\"#222\"", title);
    draw_panel(p, TOP, "energy / J", "#1d4ed8", t, t->energy, &time);
    draw_panel(p, TOP + PANEL + GAP, "height / m", "#c2410c", t, t->height, &time);
    svg_text(p, (LEFT + WIDTH - RIGHT) / 2.0, TOP + 2 * PANEL + GAP + 40, "middle", "fill=\"#222\"", "time / s");
    return svg_write(p, path);
}
