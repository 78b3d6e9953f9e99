/*
 * States of a batch side by side: how many, and the types and macros of their registers. A register of the trunk has an entry
 * per state, one of limbs an entry per limb of each state, state by state: eight entries where limbs fill a register so.
 */
#include "generate/emit.h"

int32_t hmli_emit_pack(const emitter *e)
{
    int32_t lanes = 2; /* of the widest class; without limbs, registers hold four states */
    if (!e->solves || !e->vectors || e->options->single) return 1;
    for (int32_t i = 0; i < e->shape->nclasses; i++) {
        const region as = {.limbs = &e->shape->classes[i]};
        if (hmli_emit_lanes(e, &as) > lanes) lanes = hmli_emit_lanes(e, &as);
    }
    return 8 / lanes;
}

void hmli_emit_set_states(emitter *e, int32_t states)
{
    const int many = states > 1;
    e->states = states;
    hmli_template_text(&e->values, "alone", !many && hmli_emit_alike(e) ? "ALONE " : "");
    hmli_template_text(&e->values, "trunk_type", many ? "trunk_pack" : "real");
    hmli_template_text(&e->values, "of", many ? ", int s" : "");
    hmli_template_text(&e->values, "with", many ? ", s" : "");
    hmli_template_text(&e->values, "state", many ? "[s]" : "");
    hmli_template_text(&e->values, "plus", many ? " + s" : "");
    hmli_template_text(&e->values, "states", many ? "STATES" : "1");
    hmli_template_text(&e->values, "w", many ? "w->" : "w.");
    hmli_template_text(&e->values, "all", many ? "w" : "&w");
}

/* an entry of the trunk for every limb of its state: halves that are joined, since gcc builds whole registers in memory */
static void take_spread(emitter *e, int32_t id, int32_t lanes)
{
    writer w = {0};
    const int joined = e->states * lanes == 8;
    hmli_writer_print(&w, joined ? "JOIN(limb%d_pack, ((half){" : "((limb%d_pack){", (int)id);
    for (int32_t i = 0; i < e->states * lanes; i++) {
        const char *before = joined && i == 4 ? "}), ((half){" : i ? ", " : "";
        hmli_writer_print(&w, "%s(x)[%d]", before, (int)(i / lanes));
    }
    hmli_writer_put(&w, joined ? "}))" : "})");
    hmli_template_take(&e->values, "spread", &w);
}

/* the sum over the limbs of each state */
static void take_sum(emitter *e, const limb_class *c, int32_t lanes)
{
    writer w = {0};
    if (c->members == 2 && e->states == 4)
        hmli_writer_put(&w, "(FOUR_OF(x, 0, 2, 4, 6) + FOUR_OF(x, 1, 3, 5, 7))");
    else {
        hmli_writer_put(&w, "((trunk_pack){");
        for (int32_t i = 0; i < e->states * lanes; i++) {
            const char *before = i % lanes ? " + " : i ? ", " : "";
            if (i % lanes < c->members) hmli_writer_print(&w, "%s(x)[%d]", before, (int)i);
        }
        hmli_writer_put(&w, "})");
    }
    hmli_template_take(&e->values, "sum", &w);
}

void hmli_emit_packs(emitter *e, writer *w)
{
    int sums = 0;
    hmli_template_integer(&e->values, "count", e->states);
    hmli_template_integer(&e->values, "trunk_bytes", 8 * (long)e->states);
    hmli_template_put(w, &e->values, "packs_begin");
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        const limb_class *c = &e->shape->classes[id - 1];
        const region as = {.limbs = c};
        const int32_t lanes = hmli_emit_lanes(e, &as);
        hmli_emit_region_values(e, id);
        take_spread(e, id, lanes);
        take_sum(e, c, lanes);
        hmli_template_integer(&e->values, "pack_bytes", 8 * (long)e->states * lanes);
        if (hmli_emit_sums(e, c) && !sums++) hmli_template_put(w, &e->values, "sum4_pack");
        hmli_template_put(w, &e->values, "limb_pack");
    }
}
