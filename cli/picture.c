/*
 * Where A and B are not zero. The picture colours the blocks of
 *
 *   A = [ −ad_ν  I ; D_q  D_ν ]     B = [ 0 ; M⁻¹ ]
 *
 * by what they are, and shades them by the logarithm of the magnitude; thin lines stand between joints, thick ones
 * between blocks.
 */
#include "picture.h"

#include <math.h>
#include <string.h>

#include "svg.h"
#include "table.h"
#include "term.h"

static double entry(const robot *r, const linear_system *s, int row, int column)
{
    int n = 2 * r->nv;
    return column < n ? s->A[row * n + column] : s->B[row * s->ninputs + column - n];
}

static int count_nonzero(const robot *r, const linear_system *s, int from, int to)
{
    int count = 0;
    for (int i = 0; i < 2 * r->nv; i++) {
        for (int j = from; j < to; j++) count += entry(r, s, i, j) != 0;
    }
    return count;
}

void picture_describe(const robot *r, const linear_system *s, char *text, size_t size)
{
    int n = 2 * r->nv, m = s->ninputs, a = count_nonzero(r, s, 0, n), b = count_nonzero(r, s, n, n + m);
    snprintf(text, size, "A is %d x %d, %d of %d entries are not zero; B is %d x %d, %d of %d", n, n, a, n * n, n, m, b,
             n * m);
}

/* 1 if coordinate i is the first of its joint: the names are "knee", or "base.0", "base.1", … */
static int begins_joint(const char *const *names, int i)
{
    if (i == 0) return 1;
    const char *dot = strrchr(names[i], '.'), *before = strrchr(names[i - 1], '.');
    if (!dot || !before || dot - names[i] != before - names[i - 1]) return 1;
    return strncmp(names[i], names[i - 1], (size_t)(dot - names[i])) != 0;
}

/* ---- in the terminal ---- */

void picture_spy(const robot *r, const linear_system *s)
{
    const int nv = r->nv, n = 2 * nv;
    char text[200];
    size_t margin = 0;
    picture_describe(r, s, text, sizeof text);
    table_heading(stdout, text);
    for (int i = 0; i < nv; i++) {
        size_t width = term_text_width(r->labels[i]);
        if (width > margin) margin = width;
    }
    for (int i = 0; i < n; i++) {
        if (i == nv) putchar('\n');
        int pad = (int)(margin - term_text_width(r->labels[i % nv]));
        printf("%s%s %s%s%*s", term_style(TERM_NAME), i < nv ? "q" : "v", r->labels[i % nv], term_style(TERM_PLAIN),
               pad, "");
        for (int j = 0; j < n + s->ninputs; j++) {
            if (j % nv == 0 && j <= n) fputs("  ", stdout);
            if (entry(r, s, i, j) != 0)
                fputs("■", stdout);
            else
                printf("%s·%s", term_style(TERM_DIM), term_style(TERM_PLAIN));
        }
        putchar('\n');
    }
}

/* ---- as a picture ---- */

enum { HEAD = 62, GAP = 24, BOTTOM = 86, DECADES = 6 };

static const char *const BLOCK_COLOURS[] = {"#6b7280", "#9ca3af", "#1d4ed8", "#c2410c", "#15803d"};
static const char *const BLOCK_NAMES[] = {"-ad", "identity", "dv/dt by configuration", "dv/dt by velocity",
                                          "inverse mass matrix"};

static int block_of(int nv, int row, int column)
{
    if (column >= 2 * nv) return 4;
    return (row >= nv ? 2 : 0) + (column >= nv ? 1 : 0);
}

typedef struct layout {
    double cell, left, top, B_left, width, height;
} layout;

static layout lay_out(const robot *r, const linear_system *s)
{
    layout l;
    size_t longest = 0;
    int n = 2 * r->nv;
    for (int i = 0; i < r->nv; i++) {
        size_t width = term_text_width(r->labels[i]);
        if (width > longest) longest = width;
    }
    l.cell = fmin(14, fmax(4, 720.0 / (n > 0 ? n : 1)));
    l.left = 30 + 6.2 * (double)longest;
    l.top = HEAD + 18 + 6.2 * (double)longest; /* the names of the columns stand upright */
    l.B_left = l.left + l.cell * n + GAP;
    l.width = fmax(l.B_left + l.cell * s->ninputs + 20, 700);
    l.height = l.top + l.cell * n + BOTTOM;
    return l;
}

static double column_x(const layout *l, int nv, int column)
{
    return column <= 2 * nv ? l->left + l->cell * column : l->B_left + l->cell * (column - 2 * nv);
}

/* the largest magnitude in each block: shades are relative to it */
static void block_maxima(const robot *r, const linear_system *s, double maxima[5])
{
    memset(maxima, 0, 5 * sizeof *maxima);
    for (int i = 0; i < 2 * r->nv; i++) {
        for (int j = 0; j < 2 * r->nv + s->ninputs; j++) {
            int b = block_of(r->nv, i, j);
            maxima[b] = fmax(maxima[b], fabs(entry(r, s, i, j)));
        }
    }
}

static void draw_cells(svg *p, const robot *r, const linear_system *s, const layout *l)
{
    double maxima[5];
    block_maxima(r, s, maxima);
    for (int i = 0; i < 2 * r->nv; i++) {
        for (int j = 0; j < 2 * r->nv + s->ninputs; j++) {
            double x = fabs(entry(r, s, i, j));
            if (x == 0) continue;
            int b = block_of(r->nv, i, j);
            double shade = fmax(0.18, 1 + log10(x / maxima[b]) / DECADES);
            double left = j < 2 * r->nv ? column_x(l, r->nv, j) : l->B_left + l->cell * (j - 2 * r->nv);
            fprintf(p->out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" opacity=\"%.2f\"/>\n", left,
                    l->top + l->cell * i, l->cell, l->cell, BLOCK_COLOURS[b], shade);
        }
    }
}

static void draw_lines(svg *p, const robot *r, const linear_system *s, const layout *l)
{
    const int nv = r->nv, n = 2 * nv;
    const char *const *names = (const char *const *)r->names;
    const double top = l->top, bottom = top + l->cell * n, right = l->left + l->cell * n,
                 B_right = l->B_left + l->cell * s->ninputs;
    for (int i = 0; i <= n; i++) {
        int thick = i % nv == 0;
        if (!thick && !begins_joint(names, i % nv)) continue;
        const char *style = thick ? "stroke=\"#111\" stroke-width=\"1.4\"" : "stroke=\"#bbb\" stroke-width=\"0.5\"";
        double at = l->cell * i;
        fprintf(p->out, "<path d=\"M%.1f %.1fV%.1f\" %s/>\n", l->left + at, top, bottom, style);
        fprintf(p->out, "<path d=\"M%.1f %.1fH%.1f\" %s/>\n", l->left, top + at, right, style);
        if (s->ninputs > 0) fprintf(p->out, "<path d=\"M%.1f %.1fH%.1f\" %s/>\n", l->B_left, top + at, B_right, style);
    }
    for (int j = 0; s->ninputs > 0 && j <= s->ninputs; j++) {
        int thick = j == 0 || j == s->ninputs;
        if (!thick && !begins_joint(s->input_names, j)) continue;
        fprintf(p->out, "<path d=\"M%.1f %.1fV%.1f\" %s/>\n", l->B_left + l->cell * j, top, bottom,
                thick ? "stroke=\"#111\" stroke-width=\"1.4\"" : "stroke=\"#bbb\" stroke-width=\"0.5\"");
    }
}

/* names of the columns, upright above them */
static void draw_columns(svg *p, const robot *r, const linear_system *s, const layout *l, double size)
{
    const int nv = r->nv, n = 2 * nv;
    for (int j = 0; j < n + s->ninputs; j++) {
        const char *const *file = j < n ? (const char *const *)r->names : s->input_names;
        const char *const *people = j < n ? (const char *const *)r->labels : s->input_labels;
        const int at = j < n ? j % nv : j - n;
        if (l->cell < 7 && !begins_joint(file, at)) continue;
        const double x = (j < n ? l->left + l->cell * j : l->B_left + l->cell * (j - n)) + 0.8 * l->cell,
                     y = l->top - 6;
        char style[128];
        snprintf(style, sizeof style, "font-size=\"%.1f\" fill=\"#444\" transform=\"rotate(-90 %.1f %.1f)\"", size, x,
                 y);
        svg_text(p, x, y, "start", style, people[at]);
    }
}

/* what the colours are, and the largest magnitude of each; then what the shades are */
static void draw_legend(svg *p, const robot *r, const linear_system *s, const layout *l)
{
    double maxima[5], x = 16, y = l->height - 44;
    block_maxima(r, s, maxima);
    for (int b = 0; b < 5; b++) {
        char text[96], number[TABLE_NUMBER_SIZE];
        table_number_text(maxima[b], number);
        snprintf(text, sizeof text, "%s, up to %s", BLOCK_NAMES[b], number);
        if (x + 40 + 6.4 * (double)strlen(text) > l->width) x = 16, y += 18;
        fprintf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x, y - 10,
                BLOCK_COLOURS[b]);
        svg_text(p, x + 16, y, "start", "fill=\"#222\"", text);
        x += 40 + 6.4 * (double)strlen(text);
    }
    y = l->height - 8;
    svg_text(p, 16, y, "start", "fill=\"#222\"", "shade: magnitude, of the largest of its colour");
    x = 330;
    for (int k = 0; k <= 4; k++) {
        char text[16];
        fprintf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"#1d4ed8\" opacity=\"%.2f\"/>\n",
                x, y - 10, 1 - (double)k / DECADES);
        snprintf(text, sizeof text, k ? "1e-%d" : "1", k);
        svg_text(p, x + 15, y, "start", "fill=\"#222\"", text);
        x += 60;
    }
}

static void draw_words(svg *p, const robot *r, const linear_system *s, const layout *l)
{
    const int nv = r->nv;
    char text[200], size[64];
    const double half = l->cell * nv, font = fmin(10, l->cell * 0.9);
    snprintf(text, sizeof text, "%s: linearization", hml_model_name(r->model));
    svg_text(p, 16, 24, "start", "font-size=\"15\" fill=\"#222\"", text);
    picture_describe(r, s, text, sizeof text);
    svg_text(p, 16, 42, "start", "fill=\"#555\"", text);
    svg_text(p, l->left + half / 2, HEAD, "middle", "fill=\"#222\"", "configuration");
    svg_text(p, l->left + 1.5 * half, HEAD, "middle", "fill=\"#222\"", "velocity");
    if (s->ninputs > 0) svg_text(p, l->B_left + l->cell * s->ninputs / 2, HEAD, "middle", "fill=\"#222\"", "inputs");
    snprintf(size, sizeof size, "font-size=\"%.1f\" fill=\"#444\"", font);
    for (int i = 0; i < 2 * nv; i++) {
        if (l->cell < 7 && !begins_joint((const char *const *)r->names, i % nv)) continue;
        svg_text(p, l->left - 6, l->top + l->cell * (i + 0.8), "end", size, r->labels[i % nv]);
    }
    draw_columns(p, r, s, l, font);
    draw_legend(p, r, s, l);
}

int picture_write(const robot *r, const linear_system *s, const char *path)
{
    layout l = lay_out(r, s);
    svg *p = svg_begin(l.width, l.height);
    if (!p) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    draw_cells(p, r, s, &l);
    if (r->nv > 0) draw_lines(p, r, s, &l);
    draw_words(p, r, s, &l);
    return svg_write(p, path);
}
