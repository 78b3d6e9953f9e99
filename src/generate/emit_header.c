/* The header of a generated robot: sizes, indices of joints, statuses, functions. */
#include "generate/emit.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128 };

/* the texts that name joints or frames */
typedef const char *(*text_of)(const emitter *e, int32_t index);

static const char *joint_text(const emitter *e, int32_t joint)
{
    return model_text(e->model, model_joints(e->model)[joint].name);
}

static const char *frame_text(const emitter *e, int32_t frame)
{
    return model_text(e->model, model_frames(e->model)[frame].name);
}

static const char *listed_text(const emitter *e, int32_t i) { return frame_text(e, e->frames[i].frame); }

/* is this the name of another one than `index`, before numbers are put behind names? */
static int is_taken(const emitter *e, text_of text, int32_t count, int32_t index, const char *name)
{
    char other[NAME_SIZE];
    for (int32_t i = 0; i < count; i++) {
        hmli_emit_identifier(text(e, i), 1, other, NAME_SIZE - 16);
        if (i != index && strcmp(name, other) == 0) return 1;
    }
    return 0;
}

/*
 * A name in capitals. Names that become the same get their number behind it, again where even that is the name of another
 * one: what ends in different numbers differs, and longer names than there are need no more of them.
 */
static void unique_name(const emitter *e, text_of text, int32_t count, int32_t index, char out[NAME_SIZE])
{
    hmli_emit_identifier(text(e, index), 1, out, NAME_SIZE - 16);
    while (strlen(out) < NAME_SIZE - 16 && is_taken(e, text, count, index, out))
        snprintf(out + strlen(out), 16, "_%d", (int)index);
}

/* one enum: where the joints begin in q, or in v */
static void put_indices(const emitter *e, writer *w, const char *letter, int of_q)
{
    int any = 0;
    char name[NAME_SIZE];
    hmli_writer_print(w, "/* where each joint begins in %s; joints that follow others have no entry */\nenum {\n",
                      of_q ? "q" : "v and in forces");
    for (int32_t i = 0; i < e->model->njoints; i++) {
        const model_joint *j = &model_joints(e->model)[i];
        if (j->nq == 0 || j->leader >= 0) continue;
        unique_name(e, joint_text, e->model->njoints, i, name);
        hmli_writer_print(w, "%s    %s_%s_%s = %d", any++ ? ",\n" : "", e->upper, letter, name,
                          (int)(of_q ? j->q : j->v));
    }
    hmli_writer_put(w, "\n};\n\n");
}

/* the numbers of frames */
static void put_frames(const emitter *e, writer *w)
{
    char name[NAME_SIZE];
    hmli_writer_put(w, "/* the frames of which poses and Jacobians are computed */\nenum {\n");
    for (int32_t i = 0; i < e->nframes; i++) {
        unique_name(e, listed_text, e->nframes, i, name);
        hmli_writer_print(w, "    %s_FRAME_%s = %d,\n", e->upper, name, (int)i);
    }
    hmli_writer_print(w, "    %s_NFRAMES = %d\n};\n\n", e->upper, (int)e->nframes);
}

/* "the point fl_foot, the frame tool" */
static void name_holds(emitter *e)
{
    writer text = {0};
    for (int32_t i = 0; i < e->options->hold_count; i++) {
        char name[NAME_SIZE];
        hmli_emit_identifier(frame_text(e, e->holds[i].frame), 0, name, sizeof name);
        hmli_writer_print(&text, "%sthe %s %s", i ? ", " : "", e->holds[i].rows == 3 ? "point" : "frame", name);
    }
    hmli_template_take(&e->values, "holds_text", &text);
    hmli_template_integer(&e->values, "rows", e->rows);
}

void hmli_emit_header(emitter *e, writer *w)
{
    static const struct {
        unsigned bit;
        const char *section;
    } declarations[] = {{HML_GENERATE_LINEARIZE, "declare_linearize"},
                        {HML_GENERATE_FORWARD_DYNAMICS, "declare_forward_dynamics"},
                        {HML_GENERATE_INVERSE_DYNAMICS, "declare_inverse_dynamics"},
                        {HML_GENERATE_MASS_MATRIX, "declare_mass_matrix"},
                        {HML_GENERATE_STEP_LINEARIZE, "declare_step_linearize"},
                        {HML_GENERATE_FRAMES, "declare_frames"},
                        {HML_GENERATE_HELD_LINEARIZE, "declare_held_linearize"}};
    char guard[EMIT_PREFIX + 8];
    snprintf(guard, sizeof guard, "%s_H", e->upper);
    hmli_template_text(&e->values, "GUARD", guard);
    hmli_template_text(&e->values, "title", "Dynamics of one robot.");
    hmli_template_put(w, &e->values, "head");
    hmli_template_put(w, &e->values, "header");
    put_indices(e, w, "Q", 1);
    put_indices(e, w, "V", 0);
    if (e->options->functions & HML_GENERATE_FRAMES) put_frames(e, w);
    name_holds(e);
    hmli_template_put(w, &e->values, "conventions");
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) {
        if (e->options->functions & declarations[i].bit) hmli_template_put(w, &e->values, declarations[i].section);
    }
    if (hmli_emit_batch(e)) hmli_template_put(w, &e->values, "declare_linearize_batch");
    hmli_template_put(w, &e->values, "footer");
}
