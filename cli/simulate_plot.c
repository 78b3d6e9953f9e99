/* hamel simulate: energy, height, joints, torques and forces of the ground over time, panels of a picture. */
#include <math.h>
#include <stdlib.h>

#include "simulate.h"
#include "svg.h"

enum { WIDTH = 760, PANEL = 210, LEFT = 90, RIGHT = 30, TOP = 48, GAP = 46, POINTS = 700 };
enum { LEGEND = 150, LINE = 15, NAMED = PANEL / LINE }; /* beside the panels; lines in it */

/* a curve is every stride-th number from first, one for each row */
typedef struct curve {
    const char *name; /* NULL: the panel has no other */
    const double *first;
    size_t stride;
} curve;

typedef struct range {
    double low, high, tick;
} range;

/* a little more than the values need, and ticks of 1, 2 or 5 */
static range range_of(size_t n, size_t count, const curve *curves)
{
    range r = {curves->first[0], curves->first[0], 1};
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < n; i++) {
            const double y = curves[k].first[i * curves[k].stride];
            r.low = fmin(r.low, y), r.high = fmax(r.high, y);
        }
    }
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

static void draw_panel(svg *p, double top, const char *label, size_t count, const curve *curves, const trajectory *t,
                       const range *time)
{
    range y = range_of(t->count, count, curves);
    char text[160];
    draw_axes(p, top, &y, time);
    const size_t points = t->count < POINTS ? t->count : POINTS;
    for (size_t c = 0; c < count; c++) {
        fprintf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", colour_of(c, count));
        for (size_t i = 0; i < points; i++) { /* no more than the picture is wide */
            const size_t k = points > 1 ? i * (t->count - 1) / (points - 1) : 0;
            const double value = curves[c].first[k * curves[c].stride];
            fprintf(p->out, "%c%.1f %.2f", i ? 'L' : 'M', across(time, t->time[k]), up(&y, top, value));
        }
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

typedef struct panel {
    const char *label;
    size_t first, count; /* of the curves */
} panel;

typedef struct plot {
    curve *curves;
    size_t used;
    panel panels[6];
    size_t npanels;
} plot;

static void begin(plot *p, const char *label) { p->panels[p->npanels] = (panel){label, p->used, 0}; }

static void add(plot *p, const char *name, const double *first, size_t stride)
{
    p->curves[p->used++] = (curve){name, first, stride};
    p->panels[p->npanels].count++;
}

/* the panel stays if there is something in it */
static void end(plot *p) { p->npanels += p->panels[p->npanels].count > 0; }

/* joints whose positions are numbers by themselves, or their forces; slides: those that are lengths */
static void add_joints(const robot *r, const trajectory *t, int torques, int slides, plot *p)
{
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_joint(r->model, i, &joint)) continue;
        for (int32_t k = 0; k < joint.nv; k++) {
            if ((!torques && joint.nq != joint.nv) || simulate_slides(joint.type, k) != slides) continue;
            const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
            const double *first = torques ? t->torque + joint.v + k : t->q + joint.q + k;
            int acts = !torques;
            for (size_t row = 0; row < t->count && !acts; row++) acts = first[row * nv] != 0;
            if (acts) add(p, r->names[joint.v + k], first, torques ? nv : nq);
        }
    }
}

static void add_ground(const scene *s, const trajectory *t, plot *p)
{
    const size_t stride = 3 * (size_t)s->npoints;
    for (size_t i = 0; i < (size_t)s->npoints; i++) {
        int touches = 0;
        for (size_t row = 0; row < t->count && !touches; row++) touches = t->forces[row * stride + 3 * i + 2] != 0;
        if (touches) add(p, s->point_names[i], t->forces + 3 * i + 2, stride);
    }
}

static void choose(const robot *r, const scene *s, const trajectory *t, plot *p)
{
    begin(p, "energy / J"), add(p, NULL, t->energy, 1), end(p);
    begin(p, "height / m"), add(p, NULL, t->height, 1), end(p);
    begin(p, "joints / rad"), add_joints(r, t, 0, 0, p), end(p);
    begin(p, "joints / m"), add_joints(r, t, 0, 1, p), end(p);
    begin(p, "joint forces / N, N m"), add_joints(r, t, 1, 0, p), add_joints(r, t, 1, 1, p), end(p);
    if (t->forces) begin(p, "forces of the ground, up / N"), add_ground(s, t, p), end(p);
}

int simulate_plot(const char *path, const robot *r, const scene *s, const trajectory *t)
{
    plot all = {.curves = calloc(2 + 2 * (size_t)r->nv + (size_t)s->npoints, sizeof *all.curves)};
    if (all.curves) choose(r, s, t, &all);
    const double height = TOP + (double)all.npanels * (PANEL + GAP) + 10;
    svg *p = all.curves ? svg_begin(WIDTH + LEGEND, height) : NULL;
    if (!p) {
        free(all.curves);
        return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    }
    char title[256];
    const curve times = {NULL, t->time, 1};
    range time = {0, t->time[t->count - 1], range_of(t->count, 1, &times).tick};
    snprintf(title, sizeof title, "%.120s, %s", hml_model_name(r->model), t->scheme);
    svg_text(p, LEFT, TOP - 20, "start", "font-size=\"15\" fill=\"#222\"", title);
    for (size_t i = 0; i < all.npanels; i++) {
        const panel *x = &all.panels[i];
        draw_panel(p, TOP + (double)i * (PANEL + GAP), x->label, x->count, all.curves + x->first, t, &time);
    }
    svg_text(p, (LEFT + WIDTH - RIGHT) / 2.0, height - 14, "middle", "fill=\"#222\"", "time / s");
    free(all.curves);
    return svg_write(p, path);
}
