/* Loops of models: hamel/model.h. They are cold data: no algorithm of the tree reads them. */
#include <math.h>
#include <string.h>

#include "hamel/model.h"
#include "model/build.h"
#include "model/check_item.h"
#include "model/near.h"

static const char *const kinds[] = {"frame", "point", "plane", "touch", "distance"};
enum { KINDS = 5, MAX_LOOPS = 1 << 26 };

const char *hml_constraint_kind_name(hml_constraint_kind kind)
{
    return (int)kind >= 0 && (int)kind < KINDS ? kinds[kind] : NULL;
}

hml_status hml_constraint_kind_from_name(const char *name, hml_constraint_kind *kind)
{
    if (!name || !kind) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(name, kinds[i]) != 0) continue;
        *kind = (hml_constraint_kind)i;
        return HML_OK;
    }
    return HML_NOT_FOUND;
}

/* a pose of zeros is the identity; what is not a rotation is an error, what nearly is becomes one */
static hml_status check_pose(const char *name, double H[16], hml_error *error)
{
    double R[9], p[3];
    int any = 0;
    for (int i = 0; i < 12; i++) any |= H[i] != 0; /* NaN too */
    for (int i = 0; i < 9; i++) R[i] = any ? H[i / 3 * 4 + i % 3] : i % 4 == 0;
    for (int i = 0; i < 3; i++) p[i] = H[4 * i + 3];
    const hml_status status = hmli_check_placement("loop of", name, p, R, error);
    if (status) return status;
    for (int i = 0; i < 12; i++) H[i] = i % 4 < 3 ? R[i / 4 * 3 + i % 4] : p[i / 4];
    H[12] = H[13] = H[14] = 0, H[15] = 1;
    return HML_OK;
}

hml_status hmli_check_loop(const char *name, hml_loop *c, hml_error *error)
{
    const double *n = c->normal;
    if (!hml_constraint_kind_name(c->kind) || c->kind == HML_TOUCH_PLANE)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "the loop of " NAMED " has a kind that loops do not have", name);
    if (c->kind != HML_HOLD_PLANE) memset(c->normal, 0, sizeof c->normal);
    if (c->kind != HML_HOLD_DISTANCE) c->distance = 0;
    if (!all_finite(n, 3) || !isfinite(c->distance) || !isfinite(c->damping) || !isfinite(c->stiffness))
        return hmli_fail(error, HML_NOT_FINITE, "the loop of " NAMED " has a number that is not finite", name);
    if (c->kind == HML_HOLD_PLANE && !(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0))
        return hmli_fail(error, HML_BAD_MODEL, "the loop of " NAMED ": the normal of its plane is zero", name);
    if (c->kind == HML_HOLD_DISTANCE && !(c->distance > 0))
        return hmli_fail(error, HML_BAD_MODEL, "the loop of " NAMED ": its distance must be positive", name);
    if (c->damping < 0 || c->stiffness < 0)
        return hmli_fail(error, HML_BAD_MODEL, "the loop of " NAMED ": its damping or its stiffness is negative", name);
    return check_pose(name, c->pose, error);
}

hml_status hml_builder_add_loop(hml_builder *b, const char *name, const char *frame, const char *other,
                                const hml_loop *loop, hml_error *error)
{
    if (!b || !frame || !loop) return hmli_fail(error, HML_INVALID_ARGUMENT, "a loop needs a builder and a frame");
    builder_loop added = {.name = NO_TEXT, .other = NO_TEXT, .loop = *loop};
    if (name && !hmli_text_is_plain(name))
        return hmli_fail(error, HML_BAD_MODEL, "the name of a loop has a control character in it");
    if (other && strcmp(frame, other) == 0)
        return hmli_fail(error, HML_BAD_MODEL, "the loop of " NAMED " ties a frame to itself", frame);
    hml_status status = hmli_check_loop(frame, &added.loop, error);
    if (status) return status;
    if (b->nloops >= MAX_LOOPS || !array_grow(&b->loops, &b->loops_capacity, b->nloops + 1, sizeof *b->loops) ||
        (name && (added.name = hmli_text_add(&b->text, name)) == NO_TEXT) ||
        (added.frame = hmli_text_add(&b->text, frame)) == NO_TEXT ||
        (other && (added.other = hmli_text_add(&b->text, other)) == NO_TEXT))
        return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory");
    b->loops[b->nloops++] = added;
    return HML_OK;
}

/* the model's frame of a name; −1: there is none */
static int32_t frame_of(const build *w, uint32_t name)
{
    const int32_t value = hmli_names_find(&w->b->places, &w->b->text, builder_text(w->b, name));
    if (value <= 0) return value < 0 ? w->nbodies + w->nmerged - value - 1 : -1;
    return build_merges(w, value - 1) ? w->nbodies + w->merged[value - 1] : w->body[value - 1];
}

hml_status hmli_build_loops(const build *w, model_loop *loops)
{
    const hml_builder *b = w->b;
    char near[NEAR_TEXT];
    for (size_t i = 0; i < b->nloops; i++) {
        const builder_loop *given = &b->loops[i];
        const int32_t frame = frame_of(w, given->frame),
                      other = given->other == NO_TEXT ? -1 : frame_of(w, given->other);
        if (frame < 0 || (other < 0 && given->other != NO_TEXT)) {
            const char *missing = builder_text(b, frame < 0 ? given->frame : given->other);
            return hmli_fail(w->error, HML_BAD_MODEL, "a loop ties " NAMED ", which does not exist%s", missing,
                             hmli_near(b, NEAR_PLACE, missing, near));
        }
        loops[i] = (model_loop){.kind = (int32_t)given->loop.kind, .frame = frame, .other = other};
        memcpy(loops[i].normal, given->loop.normal, sizeof loops[i].normal);
        loops[i].distance = given->loop.distance;
        loops[i].damping = given->loop.damping, loops[i].stiffness = given->loop.stiffness;
        for (int k = 0; k < 9; k++) loops[i].R[k] = given->loop.pose[k / 3 * 4 + k % 3];
        for (int k = 0; k < 3; k++) loops[i].p[k] = given->loop.pose[4 * k + 3];
    }
    return HML_OK;
}

/* ---- asking ---- */

int32_t hml_model_nloops(const hml_model *model) { return model->nloops; }

const char *hml_model_loop_name(const hml_model *model, int32_t index)
{
    return model && index >= 0 && index < model->nloops ? model_text(model, model_loops(model)[index].name) : NULL;
}

hml_status hml_model_loop(const hml_model *model, int32_t index, hml_loop *loop)
{
    if (!model || !loop || index < 0 || index >= model->nloops) return HML_INVALID_ARGUMENT;
    const model_loop *c = &model_loops(model)[index];
    *loop = (hml_loop){.kind = (hml_constraint_kind)c->kind, .frame = c->frame, .other = c->other};
    memcpy(loop->normal, c->normal, sizeof loop->normal);
    loop->distance = c->distance;
    loop->damping = c->damping, loop->stiffness = c->stiffness;
    for (int i = 0; i < 12; i++) loop->pose[i] = i % 4 < 3 ? c->R[i / 4 * 3 + i % 4] : c->p[i / 4];
    loop->pose[15] = 1;
    return HML_OK;
}
