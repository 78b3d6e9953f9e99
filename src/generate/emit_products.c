/*
 * Products of the matrices of limbs, for classes that fill a part of a register only, as two arms do: a register then holds
 * several columns of a matrix, each with an entry per limb. A factor is spread over these columns. Straight-line code leaves the
 * matrices in memory, and these loops take the place of most of it. The last register of a row overlaps the one before, so
 * that rows need no padding.
 */
#include "generate/emit.h"

enum { ROWS = 3 }; /* rows of a result that are computed at once */

int32_t hmli_emit_columns(const emitter *e, const limb_class *c)
{
    const region as = {.limbs = c};
    const int32_t lanes = hmli_emit_lanes(e, &as), columns = hmli_emit_wide(e) / lanes;
    return e->solves && e->vectors && e->states == 1 && columns >= 2 && columns <= c->n ? columns : 1;
}

/* result = begin ± factors × right, row by row; the same factors for all results */
typedef struct product {
    writer *w;
    int32_t id, n, columns;                                /* of the class: columns of a limb, and of a register */
    const char *factors, *begin[2], *right[2], *result[2]; /* begin NULL: zero */
    int32_t results, row_stride, stride;                   /* entry k of row i: factors[i * row_stride + k * stride] */
    const char *sign;
} product;

static int32_t registers(const product *p) { return (p->n + p->columns - 1) / p->columns; }

/* the first column of a register */
static int32_t place(const product *p, int32_t r)
{
    const int32_t last = p->n - p->columns;
    return r * p->columns < last ? r * p->columns : last;
}

static void put_begin(const product *p, int32_t row, int32_t t, int32_t r)
{
    hmli_writer_print(p->w, "        wide a%d_%d_%d = ", (int)row, (int)t, (int)r);
    if (p->begin[t])
        hmli_writer_print(p->w, "load((const real *)(y->%s + (i + %d) * LIMB%d_N + %d));\n", p->begin[t], (int)row,
                          (int)p->id, (int)place(p, r));
    else
        hmli_writer_put(p->w, "{0};\n");
}

/* what row k of the right-hand matrices adds to these rows of the results */
static void put_terms(const product *p, int32_t rows)
{
    hmli_writer_print(p->w, "        for (int k = 0; k < LIMB%d_N; k++) {\n", (int)p->id);
    for (int32_t t = 0; t < p->results; t++) {
        for (int32_t r = 0; r < registers(p); r++)
            hmli_writer_print(p->w,
                              "            const wide x%d_%d = load((const real *)(y->%s + k * LIMB%d_N + %d));\n",
                              (int)t, (int)r, p->right[t], (int)p->id, (int)place(p, r));
    }
    for (int32_t row = 0; row < rows; row++) {
        hmli_writer_print(p->w, "            const wide f%d = LIMB%d_COLUMNS(y->%s[(i + %d) * %d + k * %d]);\n",
                          (int)row, (int)p->id, p->factors, (int)row, (int)p->row_stride, (int)p->stride);
        for (int32_t t = 0; t < p->results; t++) {
            for (int32_t r = 0; r < registers(p); r++)
                hmli_writer_print(p->w, "            a%d_%d_%d %s f%d * x%d_%d;\n", (int)row, (int)t, (int)r, p->sign,
                                  (int)row, (int)t, (int)r);
        }
    }
    hmli_writer_put(p->w, "        }\n");
}

static void put_loop(const product *p, int32_t begin, int32_t end, int32_t rows)
{
    if (begin == end) return;
    hmli_writer_print(p->w, "    for (int i = %d; i < %d; i += %d) {\n", (int)begin, (int)end, (int)rows);
    for (int32_t i = 0; i < rows * p->results * registers(p); i++)
        put_begin(p, i / (p->results * registers(p)), i / registers(p) % p->results, i % registers(p));
    put_terms(p, rows);
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t t = 0; t < p->results; t++) {
            for (int32_t r = 0; r < registers(p); r++)
                hmli_writer_print(p->w, "        STORE((real *)(y->%s + (i + %d) * LIMB%d_N + %d), a%d_%d_%d);\n",
                                  p->result[t], (int)row, (int)p->id, (int)place(p, r), (int)row, (int)t, (int)r);
        }
    }
    hmli_writer_put(p->w, "    }\n");
}

/* rows first … end − 1 of the results */
static void put_product(const product *p, int32_t first, int32_t end)
{
    const int32_t rest = (end - first) % ROWS;
    put_loop(p, first, end - rest, ROWS);
    put_loop(p, end - rest, end, rest ? rest : 1);
}

/* gcc loads halves of doubles, and builds whole registers in memory */
int hmli_emit_joins(const emitter *e, const limb_class *c)
{
    const region as = {.limbs = c};
    return !e->options->single && hmli_emit_columns(e, c) > 1 && hmli_emit_wide(e) == 8 && hmli_emit_lanes(e, &as) <= 4;
}

/* a value of each limb for every column of a register, or of half of one */
static void take_spread(emitter *e, const limb_class *c)
{
    const int32_t lanes = hmli_emit_wide(e) / hmli_emit_columns(e, c);
    const int32_t entries = hmli_emit_wide(e) / (hmli_emit_joins(e, c) ? 2 : 1);
    writer spread = {0};
    for (int32_t i = 0; i < entries; i++) hmli_writer_print(&spread, "%s(x)[%d]", i ? ", " : "", (int)(i % lanes));
    hmli_template_take(&e->values, "spread", &spread);
}

void hmli_emit_products(emitter *e, writer *w, int32_t id)
{
    const limb_class *c = &e->shape->classes[id - 1];
    const int32_t q = hmli_emit_known(e, c, 1), v = hmli_emit_known(e, c, 0);
    product p = {.w = w, .id = id, .n = c->n, .columns = hmli_emit_columns(e, c)};
    hmli_emit_region_values(e, id);
    take_spread(e, c);
    hmli_template_put(w, &e->values, hmli_emit_joins(e, c) ? "columns_joined" : "columns");
    hmli_template_put(w, &e->values, "products_begin");
    p.factors = "M", p.row_stride = c->n, p.stride = 1, p.results = 2, p.sign = "+=";
    p.right[0] = "BQ", p.right[1] = "BV", p.result[0] = "QQ", p.result[1] = "QV";
    put_product(&p, 0, c->n);
    p.factors = "T", p.row_stride = 1, p.stride = c->npath, p.sign = "-=";
    p.begin[0] = "UQ", p.begin[1] = "UV", p.result[0] = "SQ", p.result[1] = "SV";
    put_product(&p, 0, c->npath);
    p.sign = "+=", p.results = 1, p.begin[0] = NULL, p.right[0] = "M";
    p.factors = "RQ", p.result[0] = "PQ";
    put_product(&p, q, c->npath);
    p.factors = "RV", p.result[0] = "PV";
    put_product(&p, v, c->npath);
    hmli_template_put(w, &e->values, "products_end");
}
