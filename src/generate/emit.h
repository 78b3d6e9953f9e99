/* Writing the text of a generated robot. */
#ifndef HML_GENERATE_EMIT_H
#define HML_GENERATE_EMIT_H

#include "generate/schedule.h"
#include "generate/template.h"
#include "hamel/generate.h"

enum { EMIT_PREFIX = 64 };

typedef struct emitter {
    const hml_model *model;
    const robot_shape *shape, *whole; /* whole: all bodies are the trunk, and gravity acts */
    const program_frame *frames, *holds;
    int32_t nframes, rows; /* rows: of all holds */
    const hml_generate_options *options;
    char prefix[EMIT_PREFIX], upper[EMIT_PREFIX]; /* of all names that the header shows */
    char hash[17];
    int solves;     /* 1: matrices are solved over expressions (solve.c); 0: by loops */
    int vectors;    /* 1: limbs in the lanes of GNU vectors; 0: in loops */
    int32_t states; /* that the present function computes side by side, 1 or hmli_emit_pack */
    template_values values;
} emitter;

/* a function of the robot: its name in the text, the first part of the names of its sections, what fills its program */
typedef struct emit_function {
    unsigned bit;
    const char *name, *section;
    void (*build)(program *p);
} emit_function;

static inline int emit_linearizes(const emit_function *f)
{
    return (f->bit & (HML_GENERATE_LINEARIZE | HML_GENERATE_STEP_LINEARIZE)) != 0;
}
static inline int emit_solves(const emit_function *f)
{
    return emit_linearizes(f) || f->bit == HML_GENERATE_FORWARD_DYNAMICS;
}
/* does it take the robot as a whole, without classes of limbs? */
static inline int emit_whole(const emit_function *f)
{
    return (f->bit & (HML_GENERATE_FRAMES | HML_GENERATE_HELD_LINEARIZE)) != 0;
}

/* the names of a class of limbs in the text: "limb1" */
void hmli_emit_region_values(emitter *e, int32_t id);

/* is there a function for many states? */
static inline int hmli_emit_batch(const emitter *e)
{
    return e->options->batch && (e->options->functions & HML_GENERATE_LINEARIZE);
}

/* emit_pack.c: states that a batch computes side by side; 1: it takes them one by one */
int32_t hmli_emit_pack(const emitter *e);
/* sets how many states the functions that follow compute side by side, and the values of the templates that depend on it */
void hmli_emit_set_states(emitter *e, int32_t states);
/* the types of a pack, and what it does with each class of limbs */
void hmli_emit_packs(emitter *e, writer *w);

/* the names of libm's functions, as values of the templates */
void hmli_emit_functions(emitter *e);

/* does a step need a linearization of its own, because dampers and springs act at its end? */
int hmli_emit_implicit(const emitter *e);
/* emit_step.c: step_linearize, around a linearization */
void hmli_emit_step(emitter *e, writer *w);

/* what all functions share; a section for every class of limbs; the sines of every run of angles (returns how many runs
 * there are, and writes only if w is not NULL) */
void hmli_emit_shared(emitter *e, writer *w);
void hmli_emit_each_limb(emitter *e, writer *w, const char *section);
int32_t hmli_emit_sines(const emitter *e, writer *w);

/* columns of the linearization that a falling first root makes known: 6 of D_q, 3 of D_ν */
int32_t hmli_emit_first(const emitter *e, int of_q);

/* columns of the path of limbs that a falling root makes known: 6 of the configuration, 3 of the velocity */
int32_t hmli_emit_known(const emitter *e, const limb_class *c, int of_q);

/* columns that come first and are the trunk's: M⁻¹ has S⁻¹ there, and the mirror image of its rows */
int32_t hmli_emit_leading(const emitter *e);

/* lanes of a register that holds all members of a class: 2, 4 or 8; 1 without vectors */
int32_t hmli_emit_lanes(const emitter *e, const region *r);

/* a number as a literal of the robot's type */
void hmli_emit_number(const emitter *e, writer *w, double x);

/* a text with only what C allows in a name; upper 1: in capitals */
void hmli_emit_identifier(const char *name, int upper, char *out, size_t size);

/* which helpers the springs need of joints whose coordinates do not add up; 0: there are no such springs */
int hmli_emit_group_springs(const emitter *e);

/* emit_rows.c: entries of a register of columns; entries that a row of n lacks to whole registers */
int32_t hmli_emit_wide(const emitter *e);
int32_t hmli_emit_padding(const emitter *e, int32_t n);
void hmli_emit_invert(emitter *e, writer *w);
/* are the columns of the limbs' path the first of the trunk, one after the other? */
int hmli_emit_straight(const limb_class *c);
/* do the rows of all results take equally many registers, so that one function computes them? Columns that are known, or
 * mirrored later, are zeros in its sheets */
int hmli_emit_alike(const emitter *e);
/* with vectors: the rows of the result with this name, whose columns before `first` are known */
void hmli_emit_rows(emitter *e, writer *w, const char *name, int32_t first);

/* emit_sheets.c: the functions that fill the sheets; the calls of these and of the rows */
void hmli_emit_sheets(emitter *e, writer *w);
void hmli_emit_sheet_calls(emitter *e, writer *w);

/* emit_products.c: columns of limbs that share a register of several, and the loops that use it; 1: there are none */
int32_t hmli_emit_columns(const emitter *e, const limb_class *c);
int hmli_emit_joins(const emitter *e, const limb_class *c); /* by halves of a register? */
void hmli_emit_products(emitter *e, writer *w, int32_t id);

/* emit_across.c: lanes of the registers that are turned at once, 2 or 4; 0: entries go one by one */
int hmli_emit_across(const emitter *e, const limb_class *c);
void hmli_emit_turns(emitter *e, writer *w, int linearizes);
/* does the trunk sum four values of these limbs at once? */
int hmli_emit_sums(const emitter *e, const limb_class *c);

/* emit_weave.c: do the limbs' own columns fill registers side by side, so that rows begin with their own parts? */
int hmli_emit_woven(const emitter *e, const limb_class *c);
/* which = 0, 1, 2 for D_q, D_ν, M⁻¹: are there columns of the path that are computed? */
int hmli_emit_leads(const emitter *e, const limb_class *c, int which);
/* the helpers of such a class; with what a register of a limb's row begins, at this place of the sheet */
void hmli_emit_weave(emitter *e, writer *w, int32_t id);
void hmli_emit_woven_start(const emitter *e, writer *w, int32_t id, int which, int32_t row, int32_t place);

/* is the part of M⁻¹ below the first columns turned over by squares of four? */
int hmli_emit_mirrors(const emitter *e);

/* emit_block.c: structs, constants and straight-line code of a function, and a function for each of its steps */
void hmli_emit_blocks(emitter *e, writer *w, const program *p, const schedule *s, const emit_function *function);

/* of the model as Hamel's own file, 16 digits */
hml_status hmli_generate_hash(const hml_model *model, char out[17], hml_error *error);

/* emit_function.c, emit_header.c, emit_test.c: whole files; a test without states is reported */
hml_status hmli_emit_source(emitter *e, writer *w, int64_t *statements);
void hmli_emit_header(emitter *e, writer *w);
hml_status hmli_emit_test(emitter *e, writer *w, hml_error *error);

#endif
