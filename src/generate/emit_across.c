/*
 * Between lanes and rows: the entries of limbs are side by side in the lanes of registers, those of a row side by side in
 * memory. Squares of four or two registers are turned at once; what is left over goes entry by entry.
 */
#include "generate/emit.h"

int hmli_emit_across(const emitter *e, const limb_class *c)
{
    const region as = {.limbs = c};
    const int32_t lanes = hmli_emit_lanes(e, &as);
    return e->solves && e->vectors && !e->options->single && (lanes == 2 || lanes == 4) ? lanes : 0;
}

int hmli_emit_mirrors(const emitter *e)
{
    const int32_t known = hmli_emit_leading(e);
    return e->vectors && !e->options->single && known >= 4 && e->model->nv - known >= 4;
}

/* how entries of registers end up in the rows of limbs */
typedef struct across {
    emitter *e;
    writer *w;
    const limb_class *limbs;
    int32_t id, lanes;
    enum {
        PUT,
        ADD,
        ADD_PATH
    } what; /* writes own columns of a sheet; adds to own columns of a result, or to the path's */
} across;

static const char *const names[] = {"a", "b", "c", "d"};

static void put_scalars(const across *a, int32_t m, int32_t j, int32_t size)
{
    for (int32_t k = 0; k < size; k++)
        hmli_writer_print(a->w, "        to%d[%d] %s %s[%d];\n", (int)m, (int)(j + k),
                          a->what == PUT ? "=" : "+=", names[m], (int)k);
}

/* may a whole register be written, although it is longer than the block? Only over what comes later */
static int may_overlap(const across *a, int32_t m)
{
    const limb_class *c = a->limbs;
    return c->n < 4 && m + 1 < c->members &&
           limb_column(a->e->shape, c, m + 1) == limb_column(a->e->shape, c, m) + c->n;
}

/* the entries of member m: j is where they go, after the first own column or as a column */
static void put_member(const across *a, int32_t m, int32_t j, int32_t size)
{
    const char *store = a->lanes == 4 ? "STORE4" : "STORE2", *load = a->lanes == 4 ? "load4" : "load2";
    const int32_t column = a->what == ADD_PATH ? 0 : limb_column(a->e->shape, a->limbs, m);
    const int whole = size == a->lanes, beyond = column + j + a->lanes > a->e->model->nv;
    if (!whole && (size != 3 || (a->what == PUT && !may_overlap(a, m)))) {
        put_scalars(a, m, j, size);
        return;
    }
    if (a->what == PUT) {
        hmli_writer_print(a->w, "        %s(to%d + %d, %s);\n", store, (int)m, (int)j, names[m]);
        return;
    }
    /* the entry beyond the block gets zero; after the last row there is none */
    if (beyond) hmli_writer_print(a->w, "        if (i + 1 < LIMB%d_N) {\n", (int)a->id);
    hmli_writer_print(a->w, "        %s(to%d + %d, %s(to%d + %d) + %s);\n", store, (int)m, (int)j, load, (int)m, (int)j,
                      names[m]);
    if (!beyond) return;
    hmli_writer_put(a->w, "        } else {\n");
    put_scalars(a, m, j, size);
    hmli_writer_put(a->w, "        }\n");
}

/* entries x[j] … x[j + size − 1] of all limbs, to where `to` says */
static void put_square(const across *a, int32_t j, int32_t to, int32_t size)
{
    hmli_writer_print(a->w, "    {\n        limb%d_lane", (int)a->id);
    for (int32_t k = 0; k < a->lanes; k++) {
        hmli_writer_print(a->w, "%s %s = ", k ? "," : "", names[k]);
        if (k >= size)
            hmli_writer_put(a->w, "{0}");
        else
            hmli_writer_print(a->w, a->what == PUT ? "sign * x[%d * stride]" : "x[%d * stride]", (int)(j + k));
    }
    hmli_writer_print(a->w, ";\n        turn%d(&a, &b%s);\n", (int)a->lanes, a->lanes == 4 ? ", &c, &d" : "");
    for (int32_t m = 0; m < a->limbs->members; m++) put_member(a, m, to, size);
    hmli_writer_put(a->w, "    }\n");
}

/* n entries from x[j] on */
static void put_run(const across *a, int32_t j, int32_t to, int32_t n)
{
    for (int32_t k = 0; k < n; k += a->lanes) put_square(a, j + k, to + k, n - k < a->lanes ? n - k : a->lanes);
}

/* entries of the path from the one numbered `first` on, in runs of neighbouring columns */
static void put_path(const across *a, int32_t first)
{
    const limb_class *c = a->limbs;
    for (int32_t j = first, end; j < c->npath; j = end) {
        const int32_t column = a->e->shape->column[c->path[j]];
        end = j + 1;
        while (end < c->npath && a->e->shape->column[c->path[end]] == column + end - j) end++;
        put_run(a, j, column, end - j);
    }
}

static void put_targets(const across *a)
{
    for (int32_t m = 0; m < a->limbs->members; m++) {
        const int at = (int)limb_column(a->e->shape, a->limbs, m);
        if (a->what == PUT)
            hmli_writer_print(a->w, "    real *to%d = row + %d;\n", (int)m, at);
        else
            hmli_writer_print(a->w, "    real *to%d = D + %d * NV + %d;\n", (int)m, at, a->what == ADD ? at : 0);
    }
}

static void put_own(const across *a)
{
    const int id = (int)a->id;
    if (a->what == ADD)
        hmli_writer_print(
            a->w,
            "/* adds a row of every limb's own part, every stride-th entry of x, to row i of its results */\n"
            "static inline void limb%d_add(const limb%d_lane *x, int stride, real *D, int i)\n{\n",
            id, id);
    else
        hmli_writer_print(a->w,
                          "/* writes every stride-th entry of x, for each limb into its own columns */\n"
                          "static inline void limb%d_put(const limb%d_lane *x, int stride, real sign, real *row)\n{\n",
                          id, id);
    put_targets(a);
    put_run(a, 0, 0, a->limbs->n);
    hmli_writer_print(a->w, "%s}\n\n", a->what == ADD ? "    (void)i;\n" : "");
}

static void put_paths(const across *a, const char *name, int32_t first)
{
    hmli_writer_print(a->w, "static inline void limb%d_add_%s(const limb%d_lane *x, int stride, real *D, int i)\n{\n",
                      (int)a->id, name, (int)a->id);
    put_targets(a);
    put_path(a, first);
    hmli_writer_put(a->w, "    (void)x, (void)stride, (void)i");
    for (int32_t m = 0; m < a->limbs->members; m++) hmli_writer_print(a->w, ", (void)to%d", (int)m);
    hmli_writer_put(a->w, ";\n}\n\n");
}

int hmli_emit_sums(const emitter *e, const limb_class *c) { return hmli_emit_across(e, c) == 4 && c->members == 4; }

void hmli_emit_turns(emitter *e, writer *w, int linearizes)
{
    int used = linearizes && hmli_emit_mirrors(e) ? 4 : 0, sums = 0, woven = 0;
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        if (linearizes) used |= hmli_emit_across(e, &e->shape->classes[id - 1]);
        sums |= hmli_emit_sums(e, &e->shape->classes[id - 1]);
    }
    if (used || sums) hmli_template_put(w, &e->values, "mix");
    if ((used & 4) || sums) hmli_template_put(w, &e->values, "four");
    if (sums) hmli_template_put(w, &e->values, "sum4");
    if (!linearizes) return;
    if (used & 4) hmli_template_put(w, &e->values, "turn4");
    if (used & 2) hmli_template_put(w, &e->values, "turn2");
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        const limb_class *c = &e->shape->classes[id - 1];
        across a = {e, w, c, id, hmli_emit_across(e, c), PUT};
        if (!a.lanes) continue;
        if (hmli_emit_woven(e, c)) {
            if (!woven++) hmli_template_put(w, &e->values, "turn3");
            hmli_emit_weave(e, w, id);
            continue;
        }
        put_own(&a);
        a.what = ADD;
        put_own(&a);
        a.what = ADD_PATH;
        hmli_emit_region_values(e, id);
        put_paths(&a, "q", hmli_emit_known(e, c, 1));
        put_paths(&a, "v", hmli_emit_known(e, c, 0));
    }
}
