/* See panels.h. */
#include "panels.h"

#include <math.h>
#include <stdlib.h>

#include "simulate.h"
#include "svg.h"

enum { WIDTH = 760, PANEL = 210, LEFT = 90, RIGHT = 30, TOP = 48, GAP = 46, POINTS = 700 };
enum { LEGEND = 150, LINE = 15, NAMED = PANEL / LINE }; /* beside the panels; lines in it */

typedef struct range {
    double low, high, tick;
} range;

/* a little more than the values need, and ticks of 1, 2 or 5 */
static range range_of(size_t count, const panel_curve *curves)
{
    range r = {HUGE_VAL, -HUGE_VAL, 1};
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < curves[k].rows; i++) {
            const double y = curves[k].first[i * curves[k].stride];
            if (isfinite(y)) r.low = fmin(r.low, y), r.high = fmax(r.high, y);
        }
    }
    if (r.low > r.high) r.low = r.high = 0;
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

static void draw_axes(svg *p, double top, const range *y, const range *time)
{
    char text[64];
    for (double k = ceil(y->low / y->tick); k * y->tick <= y->high; k++) {
        const double at = up(y, top, k * y->tick);
        fprintf(p->out, "<path d=\"M%d %.1fH%d\" stroke=\"#e4e4e4\"/>\n", LEFT, at, WIDTH - RIGHT);
        snprintf(text, sizeof text, "%.6g", k * y->tick + 0.0); /* no −0 */
        svg_text(p, LEFT - 8, at + 4, "end", "fill=\"#444\"", text);
    }
    for (double k = 0; k * time->tick <= time->high; k++) {
        double x = across(time, k * time->tick);
        fprintf(p->out, "<path d=\"M%.1f %.1fv%d\" stroke=\"#e4e4e4\"/>\n", x, top, PANEL);
        snprintf(text, sizeof text, "%.6g", k * time->tick);
        svg_text(p, x, top + PANEL + 18, "middle", "fill=\"#444\"", text);
    }
    fprintf(p->out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, top,
            WIDTH - LEFT - RIGHT, PANEL);
}

static const char *colour_of(size_t k, size_t count)
{
    static char text[32];
    if (count == 1) return "#1d4ed8";
    snprintf(text, sizeof text, "hsl(%d,70%%,%d%%)", (int)(360 * k / count), k % 2 ? 35 : 48);
    return text;
}

/* no more points than the picture is wide; a gap where there is no number */
static void draw_curve(svg *p, double top, const panel_curve *c, const range *y, const double *times, const range *time)
{
    const size_t points = c->rows < POINTS ? c->rows : POINTS;
    int down = 0;
    for (size_t i = 0; i < points; i++) {
        const size_t k = points > 1 ? i * (c->rows - 1) / (points - 1) : 0;
        const double value = c->first[k * c->stride];
        if (isfinite(value))
            fprintf(p->out, "%c%.1f %.2f", down ? 'L' : 'M', across(time, times[k]), up(y, top, value));
        down = isfinite(value);
    }
}

static void draw_panel(svg *p, double top, const char *label, size_t count, const panel_curve *curves,
                       const double *times, const range *time)
{
    range y = range_of(count, curves);
    char text[160];
    draw_axes(p, top, &y, time);
    for (size_t c = 0; c < count; c++) {
        fprintf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", colour_of(c, count));
        draw_curve(p, top, &curves[c], &y, times, time);
        fputs("\"/>\n", p->out);
        if (!curves[c].name || c >= NAMED) continue;
        snprintf(text, sizeof text, "font-size=\"11\" fill=\"%s\"", colour_of(c, count));
        const int others = c + 1 == NAMED && count > NAMED;
        char name[64];
        snprintf(name, sizeof name, others ? "and others" : "%.60s", curves[c].name);
        svg_text(p, WIDTH - RIGHT + 8, top + 10 + (double)c * LINE, "start", others ? "font-size=\"11\"" : text, name);
    }
    snprintf(text, sizeof text, "fill=\"#222\" transform=\"rotate(-90 20 %.1f)\"", top + PANEL / 2.0);
    svg_text(p, 20, top + PANEL / 2.0, "middle", text, label);
}

/* ---- which curves ---- */

int panels_begin(panels *p, size_t curves)
{
    *p = (panels){.curves = calloc(curves + 1, sizeof *p->curves)};
    return p->curves ? CLI_OK : cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
}

void panels_open(panels *p, const char *label) { p->items[p->count] = (panel){label, p->used, 0}; }

void panels_add(panels *p, const char *name, const double *first, size_t stride, size_t rows)
{
    p->curves[p->used++] = (panel_curve){name, first, stride, rows};
    p->items[p->count].count++;
}

void panels_close(panels *p) { p->count += p->items[p->count].count > 0; }

void panels_add_joints(panels *p, const robot *r, const panel_joints *j)
{
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_joint(r->model, i, &joint)) continue;
        for (int32_t k = 0; k < joint.nv; k++) {
            if ((j->positions && joint.nq != joint.nv) || simulate_slides(joint.type, k) != j->slides) continue;
            const size_t stride = (size_t)(j->positions ? r->nq : r->nv);
            const double *first = j->first + (j->positions ? joint.q : joint.v) + k;
            int acts = j->positions;
            for (size_t row = 0; row < j->rows && !acts; row++) acts = first[row * stride] != 0;
            if (acts) panels_add(p, r->names[joint.v + k], first, stride, j->rows);
        }
    }
}

int panels_write(panels *p, const char *path, const char *title, size_t count, const double *times)
{
    const double height = TOP + (double)p->count * (PANEL + GAP) + 10;
    svg *s = svg_begin(WIDTH + LEGEND, height);
    if (!s) {
        free(p->curves);
        return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    }
    const panel_curve all = {NULL, times, 1, count};
    const range time = {0, times[count - 1], range_of(1, &all).tick};
    svg_text(s, LEFT, TOP - 20, "start", "font-size=\"15\" fill=\"#222\"", title);
    for (size_t i = 0; i < p->count; i++) {
        const panel *x = &p->items[i];
        draw_panel(s, TOP + (double)i * (PANEL + GAP), x->label, x->count, p->curves + x->first, times, &time);
    }
    svg_text(s, (LEFT + WIDTH - RIGHT) / 2.0, height - 14, "middle", "fill=\"#222\"", "time / s");
    free(p->curves);
    return svg_write(s, path);
}
