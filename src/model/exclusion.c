/* Pairs of bodies whose shapes do not touch each other: hamel/model.h. Cold data, like the shapes. */
#include "hamel/model.h"
#include "model/build.h"
#include "model/check_item.h"

enum { MAX_EXCLUSIONS = 1 << 26 };

hml_status hml_builder_add_exclusion(hml_builder *b, const char *body, const char *other, hml_error *error)
{
    if (!b) return hmli_fail(error, HML_INVALID_ARGUMENT, "an exclusion needs a builder");
    builder_exclusion added = {NO_TEXT, NO_TEXT};
    if (b->nexclusions >= MAX_EXCLUSIONS ||
        !array_grow(&b->exclusions, &b->exclusions_capacity, b->nexclusions + 1, sizeof *b->exclusions) ||
        (body && (added.body = hmli_text_add(&b->text, body)) == NO_TEXT) ||
        (other && (added.other = hmli_text_add(&b->text, other)) == NO_TEXT))
        return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory");
    b->exclusions[b->nexclusions++] = added;
    return HML_OK;
}

/* the body that carries a link; −1: the world, −2: there is no such link */
static int32_t carrier(const build *w, uint32_t name)
{
    if (name == NO_TEXT) return -1;
    const int32_t link = hmli_names_find(&w->b->places, &w->b->text, builder_text(w->b, name)) - 1;
    return link < 0 ? -2 : w->body[link];
}

hml_status hmli_build_exclusions(const build *w, model_exclusion *exclusions)
{
    for (size_t i = 0; i < w->b->nexclusions; i++) {
        const builder_exclusion *given = &w->b->exclusions[i];
        const int32_t body = carrier(w, given->body), other = carrier(w, given->other);
        if (body == -2 || other == -2)
            return hmli_fail(w->error, HML_BAD_MODEL, "an exclusion names the body " NAMED ", which does not exist",
                             builder_text(w->b, body == -2 ? given->body : given->other));
        exclusions[i] = (model_exclusion){{body, other}};
    }
    return HML_OK;
}

int32_t hml_model_nexclusions(const hml_model *model) { return model->nexclusions; }

hml_status hml_model_exclusion(const hml_model *model, int32_t index, int32_t bodies[2])
{
    if (!model || !bodies || index < 0 || index >= model->nexclusions) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < 2; i++) bodies[i] = model_exclusions(model)[index].body[i];
    return HML_OK;
}
