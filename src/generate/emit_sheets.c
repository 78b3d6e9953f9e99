/*
 * The sheets, right-hand sides of the trunk with one column per coordinate. Robots that are solved over expressions fill a
 * sheet just before its rows are computed: the processor then turns registers while it waits for products. Others fill
 * all three at once, because their loops make the entries of D_q and D_ν together.
 */
#include "generate/emit.h"

#include <stdio.h>

static const char *const names[] = {"q", "v", "m"}, *const capitals[] = {"Q", "V", "M"};

/* is row i of the trunk on the path of every limb, so that all its entries of the sheets are set? */
static int is_covered(const emitter *e, int32_t i)
{
    int all = e->model->nfollowers == 0;
    for (int32_t id = 0; id < e->shape->nclasses; id++) {
        const limb_class *c = &e->shape->classes[id];
        int found = 0;
        for (int32_t k = 0; k < c->npath; k++) found |= c->path[k] == i;
        all &= found;
    }
    return all;
}

static void put_clear(emitter *e, writer *w, const char *section)
{
    const int32_t rows = e->model->nfollowers ? e->model->nv : e->shape->trunk_columns;
    int32_t count = 0;
    writer open = {0};
    for (int32_t i = 0; i < rows; i++) {
        if (!is_covered(e, i)) hmli_writer_print(&open, count++ ? ", %d" : "%d", (int)i);
    }
    hmli_template_take(&e->values, "open", &open);
    hmli_template_integer(&e->values, "open_count", count);
    if (count) hmli_template_put(w, &e->values, section);
}

/* ---- one sheet ---- */

/* which sheet, and where its entries come from; after the values of the region */
static void set_sheet(emitter *e, int32_t id, int which)
{
    static const char *const limbs[] = {"SQ, i * LIMB%d_N + j", "SV, i * LIMB%d_N + j", "T, j * LIMB%d_PATH + i"};
    static const char *const left[] = {"y->SQ + i * LIMB%d_N", "y->SV + i * LIMB%d_N", "y->T + i"};
    static const char *const own[] = {"QQ", "QV", "M"};
    char text[64];
    hmli_template_text(&e->values, "x", names[which]);
    hmli_template_text(&e->values, "X", capitals[which]);
    hmli_template_integer(&e->values, "which", e->solves ? 0 : which); /* one sheet serves all, if filled in turn */
    hmli_template_text(&e->values, "sign", which == 2 ? "-1" : "1");
    hmli_template_text(&e->values, "minus", which == 2 ? "-" : "");
    hmli_template_text(&e->values, "own_part", own[which]);
    snprintf(text, sizeof text, limbs[which], (int)id);
    hmli_template_text(&e->values, "entry", text);
    snprintf(text, sizeof text, left[which], (int)id);
    hmli_template_text(&e->values, "left", text);
    snprintf(text, sizeof text, "%sLIMB%d_PATH", e->states > 1 ? "STATES * " : "", (int)id);
    hmli_template_text(&e->values, "every", which == 2 ? text : e->states > 1 ? "STATES" : "1");
}

static void put_limb_sheet(emitter *e, writer *w, int32_t id, int which)
{
    const limb_class *c = &e->shape->classes[id - 1];
    char text[32];
    hmli_emit_region_values(e, id);
    set_sheet(e, id, which);
    snprintf(text, sizeof text, hmli_emit_straight(c) ? "i" : "limb%d_path[i]", (int)id);
    hmli_template_text(&e->values, "place", text);
    if (!hmli_emit_across(e, c)) {
        hmli_template_put(w, &e->values, "sheet_limb_copy");
        return;
    }
    hmli_template_put(w, &e->values, "sheet_limb_across");
    if (hmli_emit_woven(e, c)) hmli_template_put(w, &e->values, "sheet_limb_woven");
    if (hmli_emit_woven(e, c) && hmli_emit_leads(e, c, which)) hmli_template_put(w, &e->values, "sheet_limb_lead");
    hmli_template_put(w, &e->values, "sheet_limb_end");
}

static void put_sheet(emitter *e, writer *w, int which)
{
    char text[64];
    for (int32_t id = 1; id <= e->shape->nclasses; id++) put_limb_sheet(e, w, id, which);
    set_sheet(e, 0, which);
    snprintf(text, sizeof text, "w->trunk.S%s[i * TRUNK_N + j]%s", capitals[which], e->states > 1 ? "[s]" : "");
    hmli_template_text(&e->values, "entry", which == 2 ? "(real)(i == j)" : text);
    hmli_template_put(w, &e->values, "sheet_begin");
    put_clear(e, w, "sheet_clear");
    hmli_template_put(w, &e->values, "sheet_load");
    hmli_emit_each_limb(e, w, "sheet_limb");
    hmli_template_put(w, &e->values, "sheet_end");
}

/* ---- ---- */

/* M⁻¹ is S⁻¹ alone if the trunk is all */
static int sheets(const emitter *e) { return hmli_emit_leading(e) < e->model->nv ? 3 : 2; }

/* does D_q have no column but those of a free root, which are known? Registers are then none, and the rows are zero */
static int is_known(const emitter *e, int which)
{
    return which == 0 && e->vectors && hmli_emit_first(e, 1) == e->model->nv;
}

void hmli_emit_sheets(emitter *e, writer *w)
{
    for (int which = 0; e->solves && which < sheets(e); which++) {
        if (!is_known(e, which)) put_sheet(e, w, which);
    }
    if (e->solves) return;
    hmli_emit_each_limb(e, w, "limb_sheets");
    hmli_template_put(w, &e->values, "sheets_begin");
    put_clear(e, w, "sheets_clear");
    hmli_template_put(w, &e->values, e->model->nfollowers ? "sheets_load_followers" : "sheets_load");
    hmli_emit_each_limb(e, w, "sheets_limb");
    hmli_template_put(w, &e->values, "sheets_end");
}

void hmli_emit_sheet_calls(emitter *e, writer *w)
{
    static const char *const results[] = {"Dq", "Dv", "Minv"};
    if (!e->solves) hmli_template_put(w, &e->values, "linearize_sheets");
    for (int which = 0; which < sheets(e); which++) {
        set_sheet(e, 0, which);
        hmli_template_text(&e->values, "result", results[which]);
        hmli_template_text(&e->values, "rows", hmli_emit_alike(e) ? "all" : names[which]);
        if (is_known(e, which)) {
            hmli_template_put(w, &e->values, "zero_rows");
            continue;
        }
        if (e->solves) hmli_template_put(w, &e->values, "sheet_call");
        hmli_template_put(w, &e->values, e->vectors ? "wide_call" : "rows_call");
    }
}
