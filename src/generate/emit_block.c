/*
 * Straight-line code: one statement per node. Every function of the robot has a struct for each region with the arrays
 * that stages read and the values that are kept (x), and a C function for each chunk of a step.
 */
#include "generate/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const array_names[] = {
    "q",  "v",  "a",     "tau",     "sine", "cosine",   "TAU",   "OWN", "M",  "MP",     "H",    "BQ",
    "BV", "UQ", "UV",    "RQ",      "RV",   "M",        "T",     "A",   "QQ", "QV",     "SQ",   "SV",
    "PQ", "PV", "SCORE", "GRAVITY", "POSE", "JACOBIAN", "DRIFT", "CQ",  "CV", "lambda", "step", "spring"};

/* a chunk on its way into text */
typedef struct block {
    emitter *e;
    writer *w;
    const program *p;
    const schedule *s;
    const region *r;
    const region_schedule *rs;
    int32_t chunk;
    int32_t *declared; /* of every node: the last chunk in which it has a name, plus one */
    int32_t *constant; /* of every row of constants: its place in the table of the text, or −1 */
    int32_t nconstants;
    int sums;     /* 1: the trunk sums four values of limbs at once, where hmli_emit_sums says so */
    int32_t *sum; /* of every node of the trunk that is such a sum: its number in this chunk */
} block;

/* the type of a value of a region */
static void type_name(const emitter *e, int32_t id, char name[32])
{
    const int many = e->states > 1;
    if (id == 0)
        snprintf(name, 32, many ? "trunk_pack" : "real");
    else
        snprintf(name, 32, many ? "limb%d_pack" : "limb%d_lane", (int)id);
}

static void region_name(int32_t id, char name[32]) { snprintf(name, 32, id == 0 ? "trunk" : "limb%d", (int)id); }

/* 1 if the constant has one value in all lanes */
static int is_uniform(const region *r, const double *values)
{
    for (int32_t l = 1; l < r->g.lanes; l++) {
        if (values[l] != values[0]) return 0;
    }
    return 1;
}

/* ---- operands ---- */

static void put_input(block *b, const graph_node *n)
{
    const int spring = n->a >= ARRAY_SPRING;
    const char *name = spring ? "spring" : array_names[n->a];
    const int rate = n->a - ARRAY_SPRING; /* 0: the spring itself */
    const int32_t lanes = hmli_emit_lanes(b->e, b->r), states = b->e->states;
    if (n->a == ARRAY_OWN) {
        hmli_writer_print(b->w, "y->A[%d]", (int)n->b);
        return;
    }
    if (states == 1 && (!b->r->limbs || lanes == 1)) {
        hmli_writer_print(b->w, "in->%s[%d]", name, (int)(spring ? 7 * n->b + rate : n->b));
        return;
    }
    if (n->a == ARRAY_STEP) {
        hmli_writer_print(b->w, "in->step[0] - (limb%d_lane){0}", (int)b->r->id);
        return;
    }
    const plan_body *bodies = plan_bodies(b->p->shape->plan);
    const int of_q = n->a == ARRAY_Q || n->a == ARRAY_SINE || n->a == ARRAY_COSINE;
    const limb_class *c = b->r->limbs;
    hmli_writer_put(b->w, "{");
    for (int32_t i = 0; i < states * lanes; i++) {
        const int32_t l = i % lanes;
        const plan_body *m = c ? &bodies[c->first[l < c->members ? l : 0]] : NULL,
                        *zero = c ? &bodies[c->first[0]] : NULL;
        const int32_t at = n->b + (!c ? 0 : of_q ? m->q - zero->q : m->v - zero->v);
        hmli_writer_put(b->w, i ? ", in" : "in");
        if (states > 1) hmli_writer_print(b->w, "[%d].", (int)(i / lanes));
        hmli_writer_print(b->w, "%s%s[%d]", states > 1 ? "" : "->", name, (int)(spring ? 7 * at + rate : at));
    }
    hmli_writer_put(b->w, "}");
}

static void put_constant(block *b, const graph_node *n)
{
    double values[GRAPH_LANES];
    const double *row = b->r->g.constants + (size_t)n->a * (size_t)b->r->g.lanes;
    memcpy(values, row, (size_t)b->r->g.lanes * sizeof *values);
    if (is_uniform(b->r, values)) {
        hmli_emit_number(b->e, b->w, values[0]);
        return;
    }
    if (b->constant[n->a] < 0) b->constant[n->a] = b->nconstants++;
    hmli_writer_print(b->w, "k[%d]", (int)b->constant[n->a]);
}

static void put_operand(block *b, int32_t node)
{
    const graph_node *n = &b->r->g.nodes[node];
    if (n->op == GRAPH_CONSTANT)
        put_constant(b, n);
    else
        hmli_writer_print(b->w, "t%d", (int)node);
}

static void put_type(block *b)
{
    char type[32];
    type_name(b->e, b->r->id, type);
    hmli_writer_print(b->w, "    const %s t", type);
}

/* gives a name in this chunk to what is read from memory */
static void declare(block *b, int32_t node)
{
    const graph_node *n = &b->r->g.nodes[node];
    if (n->op == GRAPH_CONSTANT || b->declared[node] == b->chunk + 1) return;
    b->declared[node] = b->chunk + 1;
    put_type(b);
    hmli_writer_print(b->w, "%d = ", (int)node);
    if (n->op == GRAPH_INPUT)
        put_input(b, n);
    else if (n->op == GRAPH_IMPORT && b->e->states > 1)
        hmli_writer_print(b->w, "LIMB%d_SPREAD(w->trunk.x[%d])", (int)b->r->id, (int)b->s->regions[0].slot[n->b]);
    else if (n->op == GRAPH_IMPORT && hmli_emit_lanes(b->e, b->r) > 1)
        hmli_writer_print(b->w, "w->trunk.x[%d] - (limb%d_lane){0}", (int)b->s->regions[0].slot[n->b], (int)b->r->id);
    else if (n->op == GRAPH_IMPORT)
        hmli_writer_print(b->w, "w->trunk.x[%d]", (int)b->s->regions[0].slot[n->b]);
    else
        hmli_writer_print(b->w, "y->x[%d]", (int)b->rs->slot[node]);
    hmli_writer_put(b->w, ";\n");
}

/* ---- statements ---- */

static int is_grouped(const block *b, const graph_node *n)
{
    return n->op == GRAPH_SUM && b->sums && hmli_emit_sums(b->e, b->p->regions[n->a].limbs);
}

/* the sums of a chunk, four at a time; what is left over repeats the last one */
static void put_sums(block *b)
{
    const char *first = b->e->states > 1 ? "    sum4_pack(" : "    sum4(";
    char type[32];
    int32_t count = 0, last = 0;
    type_name(b->e, 0, type);
    for (int32_t i = 0; i < b->r->g.count; i++) {
        if (b->rs->chunk[i] == b->chunk && is_grouped(b, &b->r->g.nodes[i])) b->sum[i] = count++, last = i;
    }
    if (!count) return;
    hmli_writer_print(b->w, "    _Alignas(64) %s sums[%d];\n", type, (int)((count + 3) / 4 * 4));
    int32_t k = 0;
    for (int32_t i = 0; i <= last; i++) {
        const graph_node *n = &b->r->g.nodes[i];
        if (b->rs->chunk[i] != b->chunk || !is_grouped(b, n)) continue;
        for (int32_t again = i == last ? (count + 3) / 4 * 4 - k : 1; again > 0; again--, k++) {
            hmli_writer_print(b->w, "%s&w->limb%d[0].x[%d]", k % 4 ? ", " : first, (int)n->a,
                              (int)b->s->regions[n->a].slot[n->b]);
            if (k % 4 == 3) hmli_writer_print(b->w, ", sums + %d);\n", (int)(k - 3));
        }
    }
}

static void put_sum(block *b, const graph_node *n)
{
    const region *limbs = &b->p->regions[n->a];
    const int32_t slot = b->s->regions[n->a].slot[n->b];
    if (b->e->states > 1) {
        hmli_writer_print(b->w, "LIMB%d_SUM(w->limb%d[0].x[%d])", (int)n->a, (int)n->a, (int)slot);
        return;
    }
    for (int32_t m = 0; m < limbs->limbs->members; m++) {
        hmli_writer_print(b->w, "%sLIMB%d(w, x, %d, %d)", m ? " + " : "", (int)n->a, (int)slot, (int)m);
    }
}

static void put_statement(block *b, int32_t node)
{
    static const char *const signs[] = {
        [GRAPH_ADD] = " + ", [GRAPH_SUB] = " - ", [GRAPH_MUL] = " * ", [GRAPH_DIV] = " / "};
    const graph_node *n = &b->r->g.nodes[node];
    if (n->op != GRAPH_SUM) {
        declare(b, n->a);
        declare(b, n->b);
    }
    b->declared[node] = b->chunk + 1;
    put_type(b);
    hmli_writer_print(b->w, "%d = ", (int)node);
    if (is_grouped(b, n))
        hmli_writer_print(b->w, "sums[%d]", (int)b->sum[node]);
    else if (n->op == GRAPH_SUM)
        put_sum(b, n);
    else {
        put_operand(b, n->a);
        hmli_writer_put(b->w, signs[n->op]);
        put_operand(b, n->b);
    }
    hmli_writer_put(b->w, ";\n");
    if (b->rs->slot[node] >= 0) hmli_writer_print(b->w, "    y->x[%d] = t%d;\n", (int)b->rs->slot[node], (int)node);
}

static void put_store(block *b, const root *k)
{
    const int32_t node = ex_node(k->e);
    const int constant = b->r->g.nodes[node].op == GRAPH_CONSTANT;
    char type[32];
    type_name(b->e, b->r->id, type);
    declare(b, node);
    if (k->array >= 0)
        hmli_writer_print(b->w, "    y->%s[%d] = ", array_names[k->array], (int)k->index);
    else
        hmli_writer_print(b->w, "    y->x[%d] = ", (int)b->rs->slot[node]);
    if (ex_negative(k->e)) hmli_writer_put(b->w, "-");
    put_operand(b, node);
    if (constant && b->e->states * hmli_emit_lanes(b->e, b->r) > 1)
        hmli_writer_print(b->w, " - (%s){0}", type); /* a number becomes one per lane */
    hmli_writer_put(b->w, ";\n");
}

static void put_chunk(block *b, const char *function)
{
    char name[32], type[32];
    region_name(b->r->id, name);
    type_name(b->e, b->r->id, type);
    hmli_writer_print(b->w, "static %svoid %s_%s_%d(const inputs *in, %s_work *w, %s_%s *y",
                      b->e->vectors ? "ALONE " : "", function, name, (int)b->chunk, function, function, name);
    if (b->r->limbs) hmli_writer_print(b->w, ", const %s *k", type);
    hmli_writer_put(b->w, ")\n{\n");
    put_sums(b);
    for (int32_t i = 0; i < b->r->g.count; i++) {
        if (b->rs->chunk[i] == b->chunk) put_statement(b, i);
    }
    for (int32_t k = 0; k < b->r->nroots; k++) {
        if (b->rs->root_chunk[k] == b->chunk) put_store(b, &b->r->roots[k]);
    }
    hmli_writer_print(b->w, "    (void)in, (void)w, (void)y%s;\n}\n\n", b->r->limbs ? ", (void)k" : "");
}

/* ---- regions ---- */

static void put_constants(const block *b, writer *w, const char *function)
{
    const int32_t lanes = hmli_emit_lanes(b->e, b->r);
    const int32_t rows = lanes > 1 ? 1 : b->r->limbs->members, size = b->nconstants ? b->nconstants : 1;
    char type[32];
    type_name(b->e, b->r->id, type);
    hmli_writer_print(w, "static const %s %s_limb%d_k[%d][%d] = {\n", type, function, (int)b->r->id, (int)rows,
                      (int)size);
    for (int32_t m = 0; m < rows; m++) {
        hmli_writer_put(w, "    {");
        for (int32_t i = 0; i < b->r->g.nconstants; i++) {
            /* places were given in the order of use: find the row of each */
            int32_t row = -1;
            for (int32_t j = 0; i < b->nconstants && j < b->r->g.nconstants; j++) {
                if (b->constant[j] == i) row = j;
            }
            if (row < 0) break;
            const double *values = b->r->g.constants + (size_t)row * (size_t)b->r->g.lanes;
            hmli_writer_put(w, i ? ", " : "");
            if (lanes > 1) hmli_writer_put(w, "{");
            for (int32_t k = 0; k < b->e->states * lanes; k++) {
                const int32_t l = k % lanes;
                if (k) hmli_writer_put(w, ", ");
                hmli_emit_number(b->e, w, values[lanes > 1 ? (l < b->r->limbs->members ? l : 0) : m]);
            }
            if (lanes > 1) hmli_writer_put(w, "}");
        }
        if (!b->nconstants) hmli_writer_put(w, lanes > 1 ? "{0}" : "0");
        hmli_writer_put(w, "},\n");
    }
    hmli_writer_put(w, "};\n\n");
}

static void put_region(emitter *e, writer *w, const program *p, const schedule *s, int32_t id, const emit_function *f)
{
    const char *function = f->name;
    const region *r = &p->regions[id];
    writer text = {0};
    block b = {.e = e, .w = &text, .p = p, .s = s, .r = r, .rs = &s->regions[id], .sums = emit_solves(f)};
    b.sum = calloc((size_t)r->g.count + 1, sizeof *b.sum);
    b.declared = calloc((size_t)r->g.count + 1, sizeof *b.declared);
    b.constant = malloc(((size_t)r->g.nconstants + 1) * sizeof *b.constant);
    if (b.declared && b.constant && b.sum) {
        for (int32_t i = 0; i < r->g.nconstants; i++) b.constant[i] = -1;
        for (b.chunk = 0; b.chunk < b.rs->nchunks; b.chunk++) put_chunk(&b, function);
        if (r->limbs) put_constants(&b, w, function);
        if (text.data) hmli_writer_put(w, text.data);
    }
    w->failed |= text.failed || !b.declared || !b.constant || !b.sum;
    free(b.declared);
    free(b.constant);
    free(b.sum);
    hmli_writer_free(&text);
}

/* what loops make of the right-hand sides of limbs */
static void put_product_arrays(writer *w, const region *r)
{
    const int own = (int)(r->n * r->n), path = (int)(r->n * r->npath);
    hmli_writer_print(w, ", QQ[%d], QV[%d], SQ[%d], SV[%d], PQ[%d], PV[%d]", own, own, path, path, path, path);
}

static void put_struct(const emitter *e, writer *w, const program *p, const schedule *s, int32_t id,
                       const emit_function *f)
{
    const char *function = f->name;
    const region *r = &p->regions[id];
    const int linearize = emit_linearizes(f), solves = emit_solves(f);
    int sizes[ARRAY_COUNT] = {0};
    char name[32], type[32];
    region_name(id, name);
    type_name(e, id, type);
    for (int32_t k = 0; k < r->nroots; k++) {
        const root *t = &r->roots[k];
        if (t->array >= 0 && t->index >= sizes[t->array]) sizes[t->array] = t->index + 1;
    }
    if (id && linearize && e->solves && !r->multiplies && !sizes[ARRAY_PQ])
        sizes[ARRAY_PQ] = r->n * r->npath; /* all columns are known beforehand: rows that nobody reads */
    const int32_t slots = s->regions[id].nslots;
    hmli_writer_print(w, "typedef struct %s_%s {\n    %s x[%d]", function, name, type, (int)(slots ? slots : 1));
    for (int32_t a = 0; a < ARRAY_SPRING; a++) {
        if (sizes[a]) hmli_writer_print(w, ", %s[%d]", array_names[a], sizes[a]);
    }
    if (id && linearize && r->multiplies) put_product_arrays(w, r);
    if (id && solves && !e->solves) hmli_writer_print(w, ", T[%d], A[%d]", (int)(r->n * r->npath), (int)r->n);
    if (id && linearize && !e->solves) put_product_arrays(w, r);
    hmli_writer_print(w, ";\n} %s_%s;\n\n", function, name);
}

/* a function that runs all chunks of a step */
static void put_step(emitter *e, writer *w, const program *p, const schedule *s, int32_t step, const char *function)
{
    hmli_writer_print(w, "static void %s_step_%d(const inputs *in, %s_work *w)\n{\n", function, (int)step, function);
    for (int32_t id = 0; id < p->nregions; id++) {
        const region_schedule *r = &s->regions[id];
        int any = 0;
        for (int32_t c = 0; c < r->nchunks; c++) {
            if (r->chunk_step[c] != step) continue;
            if (id && !any && !e->vectors) {
                hmli_writer_print(w,
                                  "    for (int m = 0; m < LIMB%d_MEMBERS; m++) {\n"
                                  "        const inputs at = moved(in, limb%d_q[m], limb%d_v[m]);\n",
                                  (int)id, (int)id, (int)id);
            }
            any = 1;
            if (id == 0)
                hmli_writer_print(w, "    %s_trunk_%d(in, w, &w->trunk);\n", function, (int)c);
            else if (e->vectors)
                hmli_writer_print(w, "    %s_limb%d_%d(in, w, &w->limb%d[0], %s_limb%d_k[0]);\n", function, (int)id,
                                  (int)c, (int)id, function, (int)id);
            else
                hmli_writer_print(w, "        %s_limb%d_%d(&at, w, &w->limb%d[m], %s_limb%d_k[m]);\n", function,
                                  (int)id, (int)c, (int)id, function, (int)id);
        }
        if (id && any && !e->vectors) hmli_writer_put(w, "    }\n");
    }
    hmli_writer_put(w, "    (void)in, (void)w;\n}\n\n");
}

/* how many steps the function's text calls */
static int32_t steps_of(const emitter *e, const emit_function *f)
{
    if (f->bit == HML_GENERATE_FRAMES) return 1;
    if (emit_linearizes(f) || f->bit == HML_GENERATE_HELD_LINEARIZE) return 6;
    return emit_solves(f) && e->solves ? 4 : 3;
}

void hmli_emit_blocks(emitter *e, writer *w, const program *p, const schedule *s, const emit_function *f)
{
    const char *function = f->name;
    for (int32_t id = 0; id < p->nregions; id++) put_struct(e, w, p, s, id, f);
    hmli_writer_print(w, "typedef struct %s_work {\n", function);
    if (e->states == 1) hmli_writer_print(w, "    %s_trunk trunk;\n", function);
    for (int32_t id = 1; id < p->nregions; id++)
        hmli_writer_print(w, "    %s_limb%d limb%d[LIMB%d_PACKS];\n", function, (int)id, (int)id, (int)id);
    for (int32_t id = 1; id < p->nregions; id++) {
        if (emit_linearizes(f) && hmli_emit_woven(e, &e->shape->classes[id - 1]))
            hmli_writer_print(w,
                              "    _Alignas(64) four limb%d_lead[4 * LIMB%d_N];\n"
                              "    _Alignas(64) real limb%d_tile[LIMB%d_N * STRIDE];\n",
                              (int)id, (int)id, (int)id, (int)id);
    }
    if (e->states > 1) /* what is aligned to whole registers comes first */
        hmli_writer_print(w, "    _Alignas(64) real sheet[1][TRUNK_USER * STRIDE];\n    %s_trunk trunk;\n", function);
    const char *each = e->states > 1 ? "[STATES]" : "";
    hmli_writer_print(w, "    real sine%s[TREE_NQ], cosine%s[TREE_NQ];\n", each, each);
    if (hmli_emit_group_springs(e)) hmli_writer_print(w, "    real spring%s[7 * TREE_NV];\n", each);
    if (emit_solves(f) && !e->solves)
        hmli_writer_put(w, "    _Alignas(64) real S[TRUNK_USER * TRUNK_STRIDE];\n"
                           "    real s[TRUNK_USER], sigma[TRUNK_USER], a[TREE_NV];\n");
    if (emit_linearizes(f) && e->states == 1)
        hmli_writer_print(w, "    _Alignas(64) real sheet[%d][TRUNK_USER * STRIDE];\n", e->solves ? 1 : 3);
    hmli_writer_print(w, "} %s_work;\n\n", function);
    for (int32_t id = 0; id < p->nregions; id++) put_region(e, w, p, s, id, f);
    for (int32_t step = 0; step < steps_of(e, f); step++) {
        if (emit_whole(f) && (step == 1 || step == 4)) continue; /* there are no limbs */
        put_step(e, w, p, s, step, function);
    }
}
