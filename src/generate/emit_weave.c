/*
 * Limbs whose own columns fill whole registers of a row side by side, as the twelve of a quadruped's legs do. Three registers
 * with an entry of four limbs each are woven into these columns, and stored as the registers that are loaded again. What
 * a limb's rows have of their own is there before the products are subtracted, so that results are written once.
 */
#include "generate/emit.h"

enum { LIMBS = 4, COLUMNS = 3, LANES = 4 };

/* the place of a column in a sheet: which = 0, 1, 2 for D_q, D_ν, M⁻¹ */
static int32_t sheet_place(const emitter *e, int which, int32_t column)
{
    const int32_t first = which == 2 ? hmli_emit_leading(e) : hmli_emit_first(e, which == 0);
    return column - first + hmli_emit_padding(e, e->model->nv - first);
}

/* entries of the path whose columns are computed */
static int32_t path_first(const emitter *e, const limb_class *c, int which)
{
    return which == 2 ? c->npath : hmli_emit_known(e, c, which == 0);
}

/* are these entries neighbours in one register, or are there none? */
static int path_fits(const emitter *e, const limb_class *c, int which)
{
    const int32_t first = path_first(e, c, which);
    if (first >= c->npath) return 1;
    const int32_t column = e->shape->column[c->path[first]], n = c->npath - first;
    for (int32_t k = 1; k < n; k++) {
        if (e->shape->column[c->path[first + k]] != column + k) return 0;
    }
    return sheet_place(e, which, column) % LANES + n <= LANES;
}

int hmli_emit_woven(const emitter *e, const limb_class *c)
{
    if (hmli_emit_across(e, c) != LANES || c->members != LIMBS || c->n != COLUMNS || hmli_emit_wide(e) != LANES)
        return 0;
    const int32_t column = limb_column(e->shape, c, 0);
    for (int32_t m = 1; m < LIMBS; m++) {
        if (limb_column(e->shape, c, m) != column + COLUMNS * m) return 0;
    }
    for (int which = 0; which < 3; which++) {
        const int32_t place = sheet_place(e, which, column);
        if (place < 0 || place % LANES != 0 || !path_fits(e, c, which)) return 0;
    }
    return 1;
}

/* a function that places the path's entries of each limb in a register of its own */
static void put_lead(const emitter *e, writer *w, const limb_class *c, int32_t id, int which)
{
    const int32_t first = path_first(e, c, which), n = c->npath - first;
    if (n <= 0) return;
    const int32_t shift = sheet_place(e, which, e->shape->column[c->path[first]]) % LANES;
    hmli_writer_print(w,
                      "static inline void limb%d_lead_%s(const limb%d_lane *x, int stride, four *to)\n{\n"
                      "    to[0] = to[1] = to[2] = to[3] = (four){0};\n",
                      (int)id, which ? "v" : "q", (int)id);
    for (int32_t k = 0; k < n; k++)
        hmli_writer_print(w, "    to[%d] = x[%d * stride];\n", (int)(shift + k), (int)(first + k));
    hmli_writer_put(w, "    turn4(to, to + 1, to + 2, to + 3);\n}\n\n");
}

void hmli_emit_weave(emitter *e, writer *w, int32_t id)
{
    const limb_class *c = &e->shape->classes[id - 1];
    hmli_emit_region_values(e, id);
    hmli_template_integer(&e->values, "own", limb_column(e->shape, c, 0));
    hmli_template_put(w, &e->values, "limb_weave");
    put_lead(e, w, c, id, 0);
    put_lead(e, w, c, id, 1);
}

int hmli_emit_leads(const emitter *e, const limb_class *c, int which) { return path_first(e, c, which) < c->npath; }

void hmli_emit_woven_start(const emitter *e, writer *w, int32_t id, int which, int32_t row, int32_t place)
{
    const limb_class *c = &e->shape->classes[id - 1];
    const int32_t own = sheet_place(e, which, limb_column(e->shape, c, 0)), first = path_first(e, c, which);
    const int32_t lead = first < c->npath ? sheet_place(e, which, e->shape->column[c->path[first]]) : -1;
    if (place >= own && place < own + LIMBS * COLUMNS)
        hmli_writer_print(w, "KEEP(load(w->limb%d_tile + (i + %d) * STRIDE + %d), limb%d_own[m][%d])", (int)id,
                          (int)row, (int)place, (int)id, (int)((place - own) / LANES));
    else if (lead >= place && lead < place + LANES)
        hmli_writer_print(w, "w->limb%d_lead[4 * (i + %d) + m]", (int)id, (int)row);
    else
        hmli_writer_put(w, "{0}");
}
