/* Which shapes of a robot may touch each other: by their bodies, their bits, and what the model excludes. */
#include "group/arrays.h"
#include "hamel/kinematics.h"
#include "sim/contact.h"

/* the parent for contacts: massless bodies inside a joint with several coordinates do not count */
static int32_t parent_of(const hml_model *model, int32_t body)
{
    if (body < 0) return -2;
    int32_t parent = model_bodies(model)[body].parent;
    while (parent >= 0 && !(model_bodies(model)[parent].mass > 0)) parent = model_bodies(model)[parent].parent;
    return parent;
}

static int excluded(const hml_model *model, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < model->nexclusions; i++) {
        const int32_t *pair = model_exclusions(model)[i].body;
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) return 1;
    }
    return 0;
}

void hmli_contact_list_pairs(hml_contact *c)
{
    c->npairs = 0;
    if (!(c->options & HML_CONTACT_PAIRS)) return;
    for (int32_t i = 0; i < c->nshapes; i++) c->shapes[i].parent = parent_of(c->model, c->shapes[i].body);
    for (int32_t i = 0; i < c->nshapes; i++)
        for (int32_t k = 0; k < i; k++) {
            const collision_shape *a = &c->shapes[i], *b = &c->shapes[k];
            if (!hmli_collision_pair(a, b) || excluded(c->model, a->body, b->body)) continue;
            c->pairs[c->npairs++] = (shape_pair){i, k};
        }
}

hml_status hml_contact_exclude(const hml_model *model, hml_work *work, hml_contact *c, const double *q, int32_t *count)
{
    if (!model || !c || c->model != model || !q) return HML_INVALID_ARGUMENT;
    TRY(hml_body_poses(model, work, q, c->H));
    hmli_collide_centres(c->shapes, c->nshapes, c->H, c->centres);
    int32_t kept = 0, before = c->npairs;
    for (int32_t i = 0; i < before; i++) {
        touch one;
        touch_list list = {.items = &one, .capacity = 1};
        hmli_collide_pairs(c->shapes, &c->pairs[i], 1, c->H, c->centres, &list);
        if (!list.count) c->pairs[kept++] = c->pairs[i];
    }
    c->npairs = kept;
    if (count) *count = before - kept;
    return HML_OK;
}
