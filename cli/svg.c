/* Small pictures in SVG. */
#include "svg.h"

#include <math.h>
#include <stdlib.h>

/* ---- the picture ---- */

svg *svg_begin(double width, double height)
{
    svg *picture = calloc(1, sizeof *picture);
    if (!picture || !memory_file_begin(picture)) {
        free(picture);
        return NULL;
    }
    fprintf(picture->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
            "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    return picture;
}

/* bytes of the character at text if XML takes it, else 0: titles are cut, and a cut may split a character */
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    if (n == 1 && (c[0] < 0x20 || c[0] == 0x7f)) return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0; /* also at the end */
    return n;
}

void svg_text(svg *picture, double x, double y, const char *anchor, const char *style, const char *text)
{
    fprintf(picture->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, style);
    while (*text) {
        size_t n = character(text);
        if (*text == '<')
            fputs("&lt;", picture->out);
        else if (*text == '>')
            fputs("&gt;", picture->out);
        else if (*text == '&')
            fputs("&amp;", picture->out);
        else if (n == 0)
            fputc('?', picture->out);
        else
            fwrite(text, 1, n, picture->out);
        text += n ? n : 1;
    }
    fputs("</text>\n", picture->out);
}

int svg_write(svg *picture, const char *path)
{
    hml_error error = {0};
    fputs("</svg>\n", picture->out);
    int broken = ferror(picture->out);
    broken |= !memory_file_end(picture);
    error.status = broken ? HML_OUT_OF_MEMORY : hml_file_write(path, picture->text, picture->size, &error);
    free(picture->text);
    free(picture);
    return error.status ? cli_fail_error(&error) : CLI_OK;
}

/* ---- the plot ---- */

enum { WIDTH = 760, HEIGHT = 480, LEFT = 80, RIGHT = 150, TOP = 48, BOTTOM = 60 };

typedef struct axes {
    int x0, x1, y0, y1; /* powers of ten at the edges */
} axes;

static double at_x(const axes *a, double x)
{
    return LEFT + (log10(x) - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const axes *a, double y)
{
    return HEIGHT - BOTTOM - (log10(y) - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

static void widen(double value, int *low, int *high)
{
    if (!(value > 0) || !isfinite(value)) return;
    if ((int)floor(log10(value)) < *low) *low = (int)floor(log10(value));
    if ((int)ceil(log10(value)) > *high) *high = (int)ceil(log10(value));
}

static axes fit(int points, const double *x, int curves, const svg_curve *curve)
{
    axes a = {400, -400, 400, -400};
    for (int i = 0; i < points; i++) {
        widen(x[i], &a.x0, &a.x1);
        for (int c = 0; c < curves; c++) widen(curve[c].y[i], &a.y0, &a.y1);
    }
    if (a.x1 <= a.x0) a.x0 = a.x1 - 1;
    if (a.y1 < a.y0) a.y0 = -1, a.y1 = 0; /* there is no curve */
    if (a.y1 == a.y0) a.y1++;
    return a;
}

static void power_text(svg *p, double x, double y, const char *anchor, int power)
{
    fprintf(p->out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#444\">10<tspan dy=\"-5\" "
            "font-size=\"9\">%d</tspan></text>\n",
            x, y, anchor, power);
}

static void draw_grid(svg *p, const axes *a)
{
    int step_x = (a->x1 - a->x0) / 8 + 1, step_y = (a->y1 - a->y0) / 10 + 1;
    for (int k = a->x0; k <= a->x1; k += step_x) {
        double x = at_x(a, pow(10, k));
        fprintf(p->out, "<path d=\"M%.1f %dV%d\" stroke=\"#e4e4e4\"/>\n", x, TOP, HEIGHT - BOTTOM);
        power_text(p, x, HEIGHT - BOTTOM + 20, "middle", k);
    }
    for (int k = a->y0; k <= a->y1; k += step_y) {
        double y = at_y(a, pow(10, k));
        fprintf(p->out, "<path d=\"M%d %.1fH%d\" stroke=\"#e4e4e4\"/>\n", LEFT, y, WIDTH - RIGHT);
        power_text(p, LEFT - 8, y + 4, "end", k);
    }
    fprintf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

static void draw_curve(svg *p, const axes *a, int points, const double *x, const svg_curve *c)
{
    const char *dash = c->dashed ? " stroke-dasharray=\"6 4\"" : "";
    char command = 'M';
    fprintf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s d=\"", c->colour, dash);
    for (int i = 0; i < points; i++) {
        if (!(c->y[i] > 0) || !isfinite(c->y[i])) {
            command = 'M';
            continue;
        }
        fprintf(p->out, "%c%.1f %.1f", command, at_x(a, x[i]), at_y(a, c->y[i]));
        command = 'L';
    }
    fputs("\"/>\n", p->out);
    for (int i = 0; i < points; i++) {
        if (!(c->y[i] > 0) || !isfinite(c->y[i])) continue;
        fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\" stroke=\"%s\"/>\n", at_x(a, x[i]),
                at_y(a, c->y[i]), c->dashed ? "white" : c->colour, c->colour);
    }
}

static void draw_legend(svg *p, int curves, const svg_curve *curve)
{
    for (int i = 0; i < curves; i++) {
        double y = TOP + 14 + 20 * i, x = WIDTH - RIGHT + 16;
        fprintf(p->out, "<path d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"1.8\"%s/>\n", x, y - 4, curve[i].colour,
                curve[i].dashed ? " stroke-dasharray=\"6 4\"" : "");
        svg_text(p, x + 34, y, "start", "fill=\"#222\"", curve[i].label);
    }
}

int svg_plot(const char *path, const char *title, const char *x_label, const char *y_label, int points, const double *x,
             int curves, const svg_curve *curve)
{
    svg *p = svg_begin(WIDTH, HEIGHT);
    if (!p) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    axes a = fit(points, x, curves, curve);
    char turned[64];
    double middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    draw_grid(p, &a);
    for (int i = 0; i < curves; i++) draw_curve(p, &a, points, x, &curve[i]);
    draw_legend(p, curves, curve);
    svg_text(p, LEFT, TOP - 20, "start", "font-size=\"15\" fill=\"#222\"", title);
    svg_text(p, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 18, "middle", "fill=\"#222\"", x_label);
    snprintf(turned, sizeof turned, "fill=\"#222\" transform=\"rotate(-90 22 %.1f)\"", middle);
    svg_text(p, 22, middle, "middle", turned, y_label);
    return svg_write(p, path);
}
