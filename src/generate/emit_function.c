/* The functions of a generated robot, one after the other: straight-line code, stages, and the function that calls them. */
#include "generate/emit.h"

#include <stdio.h>
#include <string.h>

#include "generate/solve.h"

/* ---- stages ---- */

static void put_solve(emitter *e, writer *w)
{
    const int followers = e->model->nfollowers > 0;
    hmli_emit_each_limb(e, w, "limb_factor");
    hmli_template_put(w, &e->values, "solve_begin");
    hmli_template_put(w, &e->values, followers ? "solve_load_followers" : "solve_load");
    hmli_emit_each_limb(e, w, "solve_eliminate");
    hmli_template_put(w, &e->values, "solve_trunk");
    hmli_template_put(w, &e->values, followers ? "solve_place_followers" : "solve_place");
    hmli_emit_each_limb(e, w, "solve_limb");
    hmli_template_put(w, &e->values, "solve_end");
}

static void put_results(emitter *e, writer *w)
{
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        const limb_class *c = &e->shape->classes[id - 1];
        const int across = e->solves && hmli_emit_across(e, c);
        hmli_emit_region_values(e, id);
        if (!e->solves) hmli_template_put(w, &e->values, "limb_rows");
        if (hmli_emit_columns(e, c) > 1) hmli_emit_products(e, w, id);
        if (!hmli_emit_woven(e, c)) hmli_template_put(w, &e->values, across ? "limb_tiles_across" : "limb_tiles");
    }
    hmli_emit_sheets(e, w);
    if (hmli_emit_alike(e)) {
        hmli_emit_rows(e, w, "all", hmli_emit_first(e, 0));
        return;
    }
    if (e->vectors) {
        if (hmli_emit_first(e, 1) < e->model->nv) hmli_emit_rows(e, w, "q", hmli_emit_first(e, 1));
        hmli_emit_rows(e, w, "v", hmli_emit_first(e, 0));
        if (hmli_emit_leading(e) < e->model->nv) hmli_emit_rows(e, w, "m", hmli_emit_leading(e));
        return;
    }
    hmli_template_put(w, &e->values, "rows_begin");
    hmli_emit_each_limb(e, w, "rows_limb");
    hmli_template_put(w, &e->values, "rows_end");
}

/* what gravity and the linear velocity of falling roots add */
static void put_bases(emitter *e, writer *w, const char *section)
{
    int32_t roots = 0;
    for (int32_t i = 0; i < e->shape->trunk_bodies; i++) {
        const int32_t body = e->shape->body[i];
        if (!hmli_shape_is_galilean(e->shape, body)) continue;
        const model_joint *j = &model_joints(e->model)[model_bodies(e->model)[body].joint];
        hmli_template_integer(&e->values, "root", 3 * (long)roots++);
        hmli_template_integer(&e->values, "v", j->v);
        hmli_template_put(w, &e->values, section);
    }
}

/* ---- functions ---- */

static const emit_function functions[] = {
    {HML_GENERATE_MASS_MATRIX, "mass", "mass_matrix", hmli_passes_mass_matrix},
    {HML_GENERATE_INVERSE_DYNAMICS, "inverse", "inverse_dynamics", hmli_passes_inverse_dynamics},
    {HML_GENERATE_FORWARD_DYNAMICS, "forward", "forward_dynamics", hmli_passes_forward_dynamics},
    {HML_GENERATE_LINEARIZE, "linearize", "linearize", hmli_passes_linearize},
    {HML_GENERATE_STEP_LINEARIZE, "implicit", "implicit", hmli_passes_linearize},
    {HML_GENERATE_FRAMES, "frames", "frames", hmli_passes_frames},
    {HML_GENERATE_HELD_LINEARIZE, "held", "held_linearize", hmli_passes_held},
};

/* joints that follow others: inputs of the whole tree */
static void put_expand(emitter *e, writer *w, unsigned bit)
{
    const int of_q = bit == HML_GENERATE_MASS_MATRIX || bit == HML_GENERATE_FRAMES;
    if (!e->model->nfollowers) return;
    hmli_template_put(w, &e->values, "expand_call");
    hmli_template_put(w, &e->values, of_q ? "expand_q" : "expand_v");
    if (!of_q && bit != HML_GENERATE_INVERSE_DYNAMICS) hmli_template_put(w, &e->values, "expand_tau");
    if (bit == HML_GENERATE_INVERSE_DYNAMICS) hmli_template_put(w, &e->values, "expand_a");
}

/* the matrices of a linearization */
static void put_matrices(emitter *e, writer *w)
{
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        if (hmli_emit_columns(e, &e->shape->classes[id - 1]) == 1) continue;
        hmli_emit_region_values(e, id);
        hmli_template_put(w, &e->values, "products_call");
    }
    hmli_emit_sheet_calls(e, w);
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        if (hmli_emit_woven(e, &e->shape->classes[id - 1])) continue;
        hmli_emit_region_values(e, id);
        hmli_template_put(w, &e->values, "linearize_tiles");
    }
    if (hmli_emit_leading(e)) hmli_template_put(w, &e->values, "known_inverse");
    if (hmli_emit_leading(e)) hmli_template_put(w, &e->values, hmli_emit_mirrors(e) ? "mirror_fours" : "mirror");
    put_bases(e, w, "base_columns");
}

/* the acceleration, and what depends on it */
static void put_solution(emitter *e, writer *w, const emit_function *f)
{
    const int linearize = emit_linearizes(f), followers = e->model->nfollowers > 0;
    hmli_template_put(w, &e->values, "first_steps");
    hmli_template_put(w, &e->values,
                      linearize ? (e->solves ? "linearize_score" : "linearize_middle")
                                : (e->solves ? "forward_dynamics_score" : "forward_dynamics_middle"));
    if (linearize && e->solves) hmli_template_put(w, &e->values, "linearize_results");
    if (e->solves) {
        hmli_template_put(w, &e->values, "acceleration_trunk");
        hmli_emit_each_limb(e, w, "acceleration_limb");
    } else
        hmli_template_put(w, &e->values, followers ? "acceleration_followers" : "acceleration_place");
    put_bases(e, w, "base_acceleration");
    if (linearize && !e->solves) hmli_template_put(w, &e->values, "linearize_results");
    if (linearize) put_matrices(e, w);
}

/* what follows the inputs of a function that takes the robot as a whole */
static void put_whole(emitter *e, writer *w, const emit_function *f)
{
    const int held = f->bit == HML_GENERATE_HELD_LINEARIZE;
    hmli_template_put(w, &e->values, held ? "first_steps_whole" : "first_step");
    if (held) hmli_template_put(w, &e->values, "held_middle");
    if (held && e->model->nfollowers) hmli_template_put(w, &e->values, "held_accelerations_followers");
    hmli_template_put(w, &e->values, held ? "held_results" : "frames_results");
}

/* sizes of the holds, and helpers that only functions of the whole robot have; once before the first of them */
static void put_whole_helpers(emitter *e, writer *w)
{
    const char *score =
        e->options->single ? "1e8" : "1e24"; /* the square of the largest ratio of a pivot that counts */
    writer rows = {0}, first = {0};
    int32_t at = 0;
    for (int32_t i = 0; i < e->options->hold_count; at += e->holds[i++].rows) {
        hmli_writer_print(&rows, "%s%d", i ? ", " : "", (int)e->holds[i].rows);
        hmli_writer_print(&first, "%s%d", i ? ", " : "", (int)at);
    }
    hmli_template_take(&e->values, "hold_rows", &rows);
    hmli_template_take(&e->values, "hold_first", &first);
    hmli_template_integer(&e->values, "holds", e->options->hold_count);
    hmli_template_text(&e->values, "held_score", score);
    hmli_template_put(w, &e->values, e->model->nfollowers ? "gather_followers" : "gather");
    if (e->options->functions & HML_GENERATE_HELD_LINEARIZE)
        hmli_template_put(w, &e->values, e->model->nfollowers ? "held_square_followers" : "held_square");
}

static void put_function(emitter *e, writer *w, const emit_function *f)
{
    const int followers = e->model->nfollowers > 0;
    char section[64];
    if (emit_linearizes(f)) hmli_template_put(w, &e->values, "linearize_fails");
    snprintf(section, sizeof section, "%s_begin", f->section);
    hmli_template_put(w, &e->values, section);
    put_expand(e, w, f->bit);
    hmli_emit_sines(e, w);
    if (f->bit != HML_GENERATE_MASS_MATRIX && f->bit != HML_GENERATE_FRAMES && hmli_emit_group_springs(e))
        hmli_template_put(w, &e->values, "springs_call");
    if (emit_whole(f))
        put_whole(e, w, f);
    else if (emit_solves(f))
        put_solution(e, w, f);
    else {
        hmli_template_put(w, &e->values, "first_steps");
        snprintf(section, sizeof section, "%s_%s", f->section, followers ? "followers" : "trunk");
        hmli_template_put(w, &e->values, section);
        snprintf(section, sizeof section, "%s_limb", f->section);
        hmli_emit_each_limb(e, w, section);
    }
    hmli_template_put(w, &e->values, "function_end");
}

/* a batch that computes several states side by side */
static void put_batch(emitter *e, writer *w)
{
    hmli_template_put(w, &e->values, "packed_begin");
    hmli_template_put(w, &e->values, "linearize_score");
    hmli_template_put(w, &e->values, "acceleration_trunk");
    hmli_emit_each_limb(e, w, "acceleration_limb");
    put_bases(e, w, "base_acceleration");
    put_matrices(e, w);
    hmli_template_put(w, &e->values, "packed_end");
    hmli_emit_sines(e, w);
    if (hmli_emit_group_springs(e)) hmli_template_put(w, &e->values, "packed_springs");
    hmli_template_put(w, &e->values, "packed_steps");
}

static void set_frames(emitter *e, program *p, const emit_function *f)
{
    p->implicit = f->bit == HML_GENERATE_STEP_LINEARIZE;
    if (f->bit == HML_GENERATE_FRAMES) p->frames = e->frames, p->nframes = e->nframes;
    if (f->bit == HML_GENERATE_HELD_LINEARIZE) p->frames = e->holds, p->nframes = e->options->hold_count;
}

static hml_status put_program(emitter *e, writer *w, const emit_function *f, int64_t *statements)
{
    program p = {0};
    schedule s = {0};
    const robot_shape *limbs = e->shape;
    if (emit_whole(f)) e->shape = e->whole;
    int good = hmli_program_init(&p, e->shape, emit_solves(f) && e->solves);
    if (good) {
        set_frames(e, &p, f);
        for (int32_t i = 1; i < p.nregions; i++)
            p.regions[i].multiplies = p.solves && hmli_emit_columns(e, p.regions[i].limbs) > 1;
        f->build(&p);
        good = hmli_schedule_make(&s, &p, e->vectors && e->states == 1 ? CHUNK_ONE : CHUNK_MANY);
    }
    if (good) {
        hmli_template_text(&e->values, "f", f->name);
        hmli_template_text(&e->values, "fails", e->states > 1 ? "linearize" : f->name);
        hmli_emit_blocks(e, w, &p, &s, f);
        *statements += s.statements;
        if (emit_solves(f) && !e->solves) put_solve(e, w);
        if (emit_linearizes(f)) put_results(e, w);
        if (e->states > 1)
            put_batch(e, w);
        else
            put_function(e, w, f);
    }
    hmli_schedule_free(&s);
    hmli_program_free(&p);
    e->shape = limbs;
    return good && !w->failed ? HML_OK : HML_OUT_OF_MEMORY;
}

/* the linearization of many states */
static hml_status put_many(emitter *e, writer *w, int64_t *statements)
{
    static const emit_function packed = {HML_GENERATE_LINEARIZE, "packed", "packed", hmli_passes_linearize};
    const int32_t states = hmli_emit_pack(e);
    if (states == 1) {
        hmli_template_put(w, &e->values, "linearize_batch");
        return HML_OK;
    }
    hmli_emit_set_states(e, states);
    hmli_emit_packs(e, w);
    const hml_status status = put_program(e, w, &packed, statements);
    hmli_emit_set_states(e, 1);
    hmli_template_put(w, &e->values, "packs_else");
    hmli_template_put(w, &e->values, "linearize_batch");
    hmli_template_put(w, &e->values, "packs_end");
    return status;
}

hml_status hmli_emit_source(emitter *e, writer *w, int64_t *statements)
{
    hml_status status = HML_OK;
    const unsigned wanted = e->options->functions;
    e->solves = hmli_solve_fits(e->shape, e->vectors);
    hmli_emit_set_states(e, 1);
    hmli_template_text(&e->values, "title", "Dynamics of one robot, in C11 without any dependency but libm.");
    hmli_template_put(w, &e->values, "head");
    if (e->vectors) hmli_template_put(w, &e->values, "vectors");
    hmli_emit_shared(e, w);
    if (wanted & (HML_GENERATE_FRAMES | HML_GENERATE_HELD_LINEARIZE)) put_whole_helpers(e, w);
    for (size_t i = 0; !status && i < sizeof functions / sizeof *functions; i++) {
        const emit_function *f = &functions[i];
        if (f->bit == HML_GENERATE_STEP_LINEARIZE && !hmli_emit_implicit(e)) continue;
        if (wanted & f->bit) status = put_program(e, w, f, statements);
    }
    if (!status && hmli_emit_batch(e)) status = put_many(e, w, statements);
    if (wanted & HML_GENERATE_STEP_LINEARIZE) hmli_emit_step(e, w);
    return w->failed || e->values.failed ? HML_OUT_OF_MEMORY : status;
}
