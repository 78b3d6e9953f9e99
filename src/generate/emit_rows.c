/*
 * Loops over rows of registers, for vectors: the inverse of the trunk's Schur complement, and the rows of the results. How
 * many registers a row takes is known, so each has a name of its own and stays a register.
 */
#include "generate/emit.h"

#include <stdio.h>
#include <string.h>

int32_t hmli_emit_wide(const emitter *e) { return e->vectors ? e->options->single ? 16 : 8 : 1; }

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

/* stores a row that begins at column `first`; what stands before is zero */
static void put_row(const emitter *e, writer *w, int32_t first, int32_t count, int32_t padding)
{
    const int32_t wide = hmli_emit_wide(e);
    for (int32_t c = 0; c < first - padding; c++) hmli_writer_print(w, "            to[%d] = 0;\n", (int)c);
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = first - padding + k * wide; /* may begin before the row */
        for (int32_t l = 0; at < 0 && l < wide; l++) {
            if (at + l >= 0) hmli_writer_print(w, "            to[%d] = s%d[%d];\n", (int)(at + l), (int)k, (int)l);
        }
        if (at >= 0) hmli_writer_print(w, "            STORE(to + %d, s%d);\n", (int)at, (int)k);
    }
}

static void put_limb_rows(emitter *e, writer *w, int32_t id, int32_t first, int32_t count, int32_t padding)
{
    hmli_emit_region_values(e, id);
    hmli_template_put(w, &e->values, "wide_limb_begin");
    put_each(e, w, count, "            ", "wide s# = -factor * load(from + $);");
    hmli_template_put(w, &e->values, "wide_limb_next");
    put_each(e, w, count, "                ", "s# -= factor * load(from + $);");
    hmli_writer_put(w, "            }\n");
    put_row(e, w, first, count, padding);
    hmli_writer_put(w, "        }\n    }\n");
}

void hmli_emit_rows(emitter *e, writer *w, const char *name, int32_t first)
{
    const int32_t n = e->model->nv - first, count = wides(e, n), padding = hmli_emit_padding(e, n);
    hmli_template_text(&e->values, "sheet", name);
    hmli_template_put(w, &e->values, "wide_begin");
    put_each(e, w, count, "            ", "wide s# = factors[0] * load(sheet + $);");
    hmli_template_put(w, &e->values, "wide_next");
    put_each(e, w, count, "                ", "s# += factors[k] * load(sheet + k * STRIDE + $);");
    hmli_writer_put(w, "            }\n");
    put_each(e, w, count, "            ", "STORE(rows + i * STRIDE + $, s#);");
    put_row(e, w, first, count, padding);
    hmli_writer_put(w, "    }\n");
    for (int32_t id = 1; id <= e->shape->nclasses; id++) put_limb_rows(e, w, id, first, count, padding);
    hmli_writer_put(w, "}\n\n");
}
