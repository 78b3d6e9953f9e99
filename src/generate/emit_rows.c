/*
 * Loops over rows of registers, for vectors: the inverse of the trunk's Schur complement, and the rows of the results. How
 * many registers a row takes is known, so each has a name of its own and stays a register.
 */
#include "generate/emit.h"

#include <stdio.h>
#include <string.h>

/* registers of 64 bytes where rows are long, of 32 where they would be half empty */
enum { WIDE_FROM = 24 }; /* coordinates */

int32_t hmli_emit_wide(const emitter *e)
{
    const int32_t bytes = e->model->nv >= WIDE_FROM ? 64 : 32;
    return !e->vectors ? 1 : e->options->single ? bytes / 4 : bytes / 8;
}

/* registers of n entries */
static int32_t wides(const emitter *e, int32_t n) { return (n + hmli_emit_wide(e) - 1) / hmli_emit_wide(e); }

int32_t hmli_emit_padding(const emitter *e, int32_t n) { return wides(e, n) * hmli_emit_wide(e) - n; }

/* "FORMAT" for every register of a row, with its number and its offset */
static void put_each(const emitter *e, writer *w, int32_t count, const char *before, const char *format)
{
    for (int32_t k = 0; k < count; k++) {
        hmli_writer_put(w, before);
        for (const char *c = format; *c; c++) {
            if (*c == '#')
                hmli_writer_print(w, "%d", (int)k);
            else if (*c == '$')
                hmli_writer_print(w, "%d", (int)(k * hmli_emit_wide(e)));
            else
                hmli_writer_bytes(w, c, 1);
        }
        hmli_writer_put(w, "\n");
    }
}

void hmli_emit_invert(emitter *e, writer *w)
{
    const int32_t n = e->shape->trunk_columns, user = e->model->nfollowers ? e->model->nv : n, count = wides(e, user);
    if (!e->vectors) {
        hmli_template_put(w, &e->values, "invert");
        return;
    }
    hmli_template_put(w, &e->values, "invert_begin");
    put_each(e, w, count, "        ",
             "const wide e# = load(unit + $), p# = (load(pivot + $) - old * e#) * inverse + inverse * e#;");
    put_each(e, w, count, "        ", "STORE(pivot + $, p#);");
    hmli_template_put(w, &e->values, "invert_rows");
    put_each(e, w, count, "            ", "STORE(row + $, (load(row + $) - left * e#) - left * p#);");
    hmli_template_put(w, &e->values, "invert_end");
}

/* ---- rows of the results ---- */

enum { PANEL = 4, ROWS = 3 }; /* registers of a row, and rows, that one loop computes at once */

/* a block: `rows` rows from row i on, `count` registers of each from the one numbered `from` on */
typedef struct rows_block {
    emitter *e;
    writer *w;
    int32_t first, padding; /* column at which results begin; entries before it that fill the first register */
    int32_t from, count, rows;
    int32_t limb; /* 0: the trunk */
    int which;    /* 0, 1, 2: D_q, D_ν, M⁻¹; columns of M⁻¹ before the first are written elsewhere */
    int woven;    /* 1: rows of these limbs begin with their own parts (emit_weave.c) */
    const char *indent;
} rows_block;

/* the factor of row i + r and of the product with row k */
static void put_factor(const rows_block *b, int32_t r, const char *k)
{
    if (b->limb)
        hmli_writer_print(b->w,
                          b->e->states > 1 ? "-LIMB%d(w, T, (i + %d) * LIMB%d_PATH + %s, LIMB%d_LANES * s + m)"
                                           : "-LIMB%d(w, T, (i + %d) * LIMB%d_PATH + %s, m)",
                          (int)b->limb, (int)r, (int)b->limb, k, (int)b->limb);
    else
        hmli_writer_print(b->w, "factors[(i + %d) * TRUNK_STRIDE + %s]%s", (int)r, k, b->e->states > 1 ? "[s]" : "");
}

int hmli_emit_straight(const limb_class *c)
{
    int straight = 1;
    for (int32_t k = 0; k < c->npath; k++) straight &= c->path[k] == k;
    return straight;
}

/* do the columns of limbs follow one another? */
static int is_row_of_limbs(const rows_block *b)
{
    const limb_class *c = &b->e->shape->classes[b->limb - 1];
    const int32_t first = limb_column(b->e->shape, c, 0);
    int follow = 1;
    for (int32_t m = 0; m < c->members; m++) follow &= limb_column(b->e->shape, c, m) == first + m * c->n;
    return follow;
}

static void put_loads(const rows_block *b, const char *indent, const char *k, int declare)
{
    const char *type = declare ? "const real *" : "";
    if (b->limb && !hmli_emit_straight(&b->e->shape->classes[b->limb - 1]))
        hmli_writer_print(b->w, "%s%sfrom = rows + limb%d_path[%s] * STRIDE;\n", indent, type, (int)b->limb, k);
    else if (b->limb)
        hmli_writer_print(b->w, "%s%sfrom = rows + %s * STRIDE;\n", indent, type, k);
    else
        hmli_writer_print(b->w, "%s%sfrom = sheet + %s * STRIDE;\n", indent, type, k);
    for (int32_t c = 0; c < b->count; c++)
        hmli_writer_print(b->w, "%s%sx%d = load(from + %d);\n", indent, declare ? "wide " : "", (int)c,
                          (int)((b->from + c) * hmli_emit_wide(b->e)));
}

/* with what the sums begin where rows have parts of their own */
static void put_starts(const rows_block *b)
{
    for (int32_t r = 0; r < b->rows; r++) {
        for (int32_t c = 0; c < b->count; c++) {
            hmli_writer_print(b->w, "%swide a%d_%d = ", b->indent, (int)r, (int)c);
            hmli_emit_woven_start(b->e, b->w, b->limb, b->which, r, (b->from + c) * hmli_emit_wide(b->e));
            hmli_writer_put(b->w, ";\n");
        }
    }
}

/* with what they begin elsewhere: the first products */
static void put_first(const rows_block *b)
{
    put_loads(b, b->indent, "0", 1);
    for (int32_t r = 0; r < b->rows; r++) {
        hmli_writer_print(b->w, "%sreal f%d = ", b->indent, (int)r);
        put_factor(b, r, "0");
        hmli_writer_put(b->w, ";\n");
        for (int32_t c = 0; c < b->count; c++)
            hmli_writer_print(b->w, "%swide a%d_%d = f%d * x%d;\n", b->indent, (int)r, (int)c, (int)r, (int)c);
    }
}

/* the sums of products */
static void put_sums(const rows_block *b)
{
    char deeper[32];
    snprintf(deeper, sizeof deeper, "%s    ", b->indent);
    if (b->woven)
        put_starts(b);
    else
        put_first(b);
    hmli_writer_print(b->w, "%sfor (int k = %d; k < ", b->indent, !b->woven);
    hmli_writer_print(b->w, b->limb ? "LIMB%d_PATH; k++) {\n" : "TRUNK_USER; k++) {\n", (int)b->limb);
    put_loads(b, deeper, "k", b->woven);
    for (int32_t r = 0; r < b->rows; r++) {
        hmli_writer_print(b->w, "%s%sf%d = ", deeper, b->woven ? "const real " : "", (int)r);
        put_factor(b, r, "k");
        hmli_writer_put(b->w, ";\n");
        for (int32_t c = 0; c < b->count; c++)
            hmli_writer_print(b->w, "%sa%d_%d += f%d * x%d;\n", deeper, (int)r, (int)c, (int)r, (int)c);
    }
    hmli_writer_print(b->w, "%s}\n", b->indent);
}

/* stores row r; what stands before its first register is zero */
static void put_row(const rows_block *b, int32_t r)
{
    const int32_t wide = hmli_emit_wide(b->e);
    const int in_order = b->e->model->nfollowers || hmli_emit_leading(b->e) == b->e->shape->trunk_columns;
    hmli_writer_print(b->w, "%sto = D + ", b->indent);
    if (b->limb && is_row_of_limbs(b)) {
        const limb_class *l = &b->e->shape->classes[b->limb - 1];
        hmli_writer_print(b->w, "(%d + %d * m + i) * NV;\n", (int)(limb_column(b->e->shape, l, 0) + r), (int)l->n);
    } else if (b->limb)
        hmli_writer_print(b->w, "(limb%d_column[m] + i + %d) * NV;\n", (int)b->limb, (int)r);
    else
        hmli_writer_print(b->w, in_order ? "(i + %d) * NV;\n" : "trunk_column[i + %d] * NV;\n", (int)r);
    for (int32_t c = 0; b->which != 2 && b->from == 0 && c < b->first - b->padding; c++)
        hmli_writer_print(b->w, "%sto[%d] = 0;\n", b->indent, (int)c);
    for (int32_t c = 0; c < b->count; c++) {
        const int32_t at = b->first - b->padding + (b->from + c) * wide; /* may begin before the row */
        for (int32_t l = 0; at < 0 && l < wide; l++) {
            if (at + l >= 0)
                hmli_writer_print(b->w, "%sto[%d] = a%d_%d[%d];\n", b->indent, (int)(at + l), (int)r, (int)c, (int)l);
        }
        if (at >= 0) hmli_writer_print(b->w, "%sSTORE(to + %d, a%d_%d);\n", b->indent, (int)at, (int)r, (int)c);
        if (!b->limb)
            hmli_writer_print(b->w, "%sSTORE(rows + (i + %d) * STRIDE + %d, a%d_%d);\n", b->indent, (int)r,
                              (int)((b->from + c) * wide), (int)r, (int)c);
    }
}

/* rows begin … end − 1 in blocks of the size `rows`, which divides them */
static void put_loop(rows_block *b, int32_t begin, int32_t end, int32_t rows)
{
    const char *indent = b->limb ? "        " : "    ", *inner = b->limb ? "            " : "        ";
    if (begin == end) return;
    b->rows = rows;
    b->indent = inner;
    hmli_writer_print(b->w, "%sfor (int i = %d; i < %d; i += %d) {\n%sreal *to;\n", indent, (int)begin, (int)end,
                      (int)rows, inner);
    put_sums(b);
    for (int32_t r = 0; r < rows; r++) put_row(b, r);
    hmli_writer_print(b->w, "%s}\n", indent);
}

/* n rows in threes; what is left over in twos, if that avoids a single one */
static void put_blocks(rows_block *b, int32_t n)
{
    const int32_t rest = n % ROWS, twos = n < 2 ? 0 : rest == 1 ? 4 : rest == 2 ? 2 : 0;
    if (n < ROWS && n != 2) {
        put_loop(b, 0, n, 1);
        return;
    }
    put_loop(b, 0, n - twos, ROWS);
    put_loop(b, n - twos, n, 2);
}

int hmli_emit_alike(const emitter *e)
{
    const int32_t nv = e->model->nv, first = hmli_emit_first(e, 0), count = wides(e, nv - first);
    int alike = e->vectors && hmli_emit_leading(e) >= first && hmli_emit_leading(e) < nv;
    for (int32_t id = 0; id < e->shape->nclasses; id++) alike &= !hmli_emit_woven(e, &e->shape->classes[id]);
    return alike && count == wides(e, nv - hmli_emit_first(e, 1)) && count == wides(e, nv - hmli_emit_leading(e));
}

void hmli_emit_rows(emitter *e, writer *w, const char *name, int32_t first)
{
    const int32_t n = e->model->nv - first, count = wides(e, n), panels = (count + PANEL - 1) / PANEL;
    rows_block b = {.e = e, .w = w, .first = first, .padding = hmli_emit_padding(e, n)};
    b.which = strcmp(name, "m") == 0 ? 2 : strcmp(name, "v") == 0;
    hmli_template_text(&e->values, "sheet", name);
    hmli_template_put(w, &e->values, "wide_begin");
    for (int32_t k = 0; k < panels; k++) {
        b.from = count * k / panels;
        b.count = count * (k + 1) / panels - b.from;
        b.limb = b.woven = 0;
        put_blocks(&b, e->model->nfollowers ? e->model->nv : e->shape->trunk_columns);
        for (int32_t id = 1; id <= e->shape->nclasses; id++) {
            b.limb = id;
            b.woven = hmli_emit_woven(e, &e->shape->classes[id - 1]);
            hmli_writer_print(w, "    for (int m = 0; m < LIMB%d_MEMBERS; m++) {\n", (int)id);
            put_blocks(&b, e->shape->classes[id - 1].n);
            hmli_writer_put(w, "    }\n");
        }
    }
    hmli_writer_put(w, "}\n\n");
}
