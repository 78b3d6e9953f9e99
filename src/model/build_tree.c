/* The tree of a model being built: who hangs on whom, in which order. */
#include "model/build.h"
#include "model/check_item.h"
#include "model/near.h"

/* follow parents from a link that no root reaches: after n steps we are on the cycle */
static hml_status report_cycle(const build *w, int32_t link)
{
    for (int32_t k = 0; k < w->n; k++) link = w->parent[link];
    return hmli_fail(w->error, HML_BAD_MODEL, "body " NAMED " is its own ancestor, through body " NAMED,
                     build_link_name(w, link), build_link_name(w, w->parent[link]));
}

static hml_status find_parents(build *w)
{
    const hml_builder *b = w->b;
    char near[NEAR_TEXT];
    for (int32_t i = 0; i < w->n; i++) {
        uint32_t parent = b->links[i].parent;
        int32_t value = parent == NO_TEXT ? 0 : hmli_names_find(&b->places, &b->text, builder_text(b, parent));
        if (parent != NO_TEXT && value <= 0)
            return hmli_fail(w->error, HML_BAD_MODEL, "body " NAMED ": its parent " NAMED " %s%s",
                             build_link_name(w, i), builder_text(b, parent),
                             value < 0 ? "is a frame, not a body" : "does not exist",
                             value < 0 ? "" : hmli_near(b, NEAR_BODY, builder_text(b, parent), near));
        w->parent[i] = value - 1;
    }
    for (size_t i = 0; i < b->nframes; i++) {
        uint32_t body = b->frames[i].body;
        if (body != NO_TEXT && hmli_names_find(&b->places, &b->text, builder_text(b, body)) <= 0)
            return hmli_fail(w->error, HML_BAD_MODEL, "frame " NAMED ": its body " NAMED " does not exist%s",
                             builder_text(b, b->frames[i].name), builder_text(b, body),
                             hmli_near(b, NEAR_BODY, builder_text(b, body), near));
    }
    for (size_t i = 0; i < b->nshapes; i++) {
        uint32_t body = b->shapes[i].body;
        if (body != NO_TEXT && hmli_names_find(&b->places, &b->text, builder_text(b, body)) <= 0)
            return hmli_fail(w->error, HML_BAD_MODEL, "a %s is on body " NAMED ", which does not exist%s",
                             hml_shape_kind_name(b->shapes[i].shape.kind), builder_text(b, body),
                             hmli_near(b, NEAR_BODY, builder_text(b, body), near));
    }
    return HML_OK;
}

hml_status hmli_build_tree(build *w)
{
    hml_status status = find_parents(w);
    if (status) return status;

    for (int32_t i = 0; i <= w->n; i++) w->child[i] = -1;
    for (int32_t i = w->n - 1; i >= 0; i--) { /* backwards, so that each list ends up in file order */
        int32_t *head = &w->child[w->parent[i] < 0 ? w->n : w->parent[i]];
        w->sibling[i] = *head;
        *head = i;
    }

    int32_t seen = 0;
    for (int32_t i = w->child[w->n]; i >= 0;) {
        w->order[seen++] = i;
        if (w->child[i] >= 0) {
            i = w->child[i];
            continue;
        }
        while (i >= 0 && w->sibling[i] < 0) i = w->parent[i];
        if (i >= 0) i = w->sibling[i];
    }
    if (seen == w->n) return HML_OK;

    int32_t *reached = w->body, lost = 0; /* bodies come later; until then this is a mark */
    for (int32_t k = 0; k < seen; k++) reached[w->order[k]] = 1;
    while (reached[lost]) lost++;
    return report_cycle(w, lost);
}
