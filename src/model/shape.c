/* Collision shapes of models: hamel/model.h. They are cold data: no algorithm of the tree reads them. */
#include "hamel/model.h"

#include <math.h>
#include <string.h>

#include "model/builder.h"
#include "model/check_item.h"
#include "model/model.h"

static const char *const names[] = {"point", "sphere", "box", "capsule", "cylinder", "hull"};
static const int32_t sizes[] = {0, 1, 3, 2, 2, 0};
enum { KINDS = 6, MAX_SHAPES = 1 << 28 };

static int known(hml_shape_kind kind) { return (int)kind >= 0 && (int)kind < KINDS; }

const char *hml_shape_kind_name(hml_shape_kind kind) { return known(kind) ? names[kind] : NULL; }
int32_t hml_shape_kind_sizes(hml_shape_kind kind) { return known(kind) ? sizes[kind] : -1; }

hml_status hml_shape_kind_from_name(const char *name, hml_shape_kind *kind)
{
    if (!name || !kind) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *kind = (hml_shape_kind)i;
        return HML_OK;
    }
    return HML_NOT_FOUND;
}

/* is the number of vertices that of its kind, and are all of them numbers? */
static hml_status check_vertices(const char *on, const hml_shape *shape, hml_error *error)
{
    const int hull = shape->kind == HML_SHAPE_HULL;
    if (!hull && shape->nvertices != 0)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "a %s of " NAMED " has vertices: only a hull has them",
                         names[shape->kind], on);
    if (!hull) return HML_OK;
    if (!shape->vertices || shape->nvertices < 1 || shape->nvertices > HML_SHAPE_MAX_VERTICES)
        return hmli_fail(error, HML_BAD_MODEL, "a hull of " NAMED " has %d vertices: it must have 1 to %d", on,
                         shape->vertices ? (int)shape->nvertices : 0, HML_SHAPE_MAX_VERTICES);
    if (!all_finite(shape->vertices, 3 * (size_t)shape->nvertices))
        return hmli_fail(error, HML_NOT_FINITE, "a hull of " NAMED ": a vertex is not finite", on);
    return HML_OK;
}

hml_status hmli_check_shape(const char *body, hml_shape *shape, hml_error *error)
{
    const char *on = body ? body : "world";
    char text[DECIMAL_SIZE];
    if (!known(shape->kind))
        return hmli_fail(error, HML_INVALID_ARGUMENT, "a shape of " NAMED " has an unknown kind", on);
    for (int i = 0; i < sizes[shape->kind]; i++)
        if (!(shape->size[i] > 0) || !isfinite(shape->size[i]))
            return hmli_fail(error, HML_BAD_MODEL, "a %s of " NAMED " has the size %s: it must be positive",
                             names[shape->kind], on, decimal_text(text, DECIMAL_SHORT, shape->size[i]));
    for (int i = sizes[shape->kind]; i < 3; i++) shape->size[i] = 0;
    hml_status status = check_vertices(on, shape, error);
    if (status) return status;
    if (!isfinite(shape->friction) || !(shape->restitution >= 0 && shape->restitution <= 1))
        return hmli_fail(error, HML_BAD_MODEL, "a %s of " NAMED ": its friction or its restitution is out of range",
                         names[shape->kind], on);
    if (shape->friction < 0) shape->friction = -1;
    return hmli_check_placement("shape of", on, shape->position, shape->rotation, error);
}

hml_status hml_builder_add_shape(hml_builder *b, const char *body, const hml_shape *shape, hml_error *error)
{
    if (!b || !shape) return hmli_fail(error, HML_INVALID_ARGUMENT, "a shape needs a builder");
    builder_shape added = {.body = NO_TEXT, .shape = *shape};
    hml_status status = hmli_check_shape(body, &added.shape, error);
    if (status) return status;
    const size_t count = (size_t)added.shape.nvertices;
    if (b->nshapes >= MAX_SHAPES || b->nvertices >= MAX_SHAPES - count ||
        !array_grow(&b->vertices, &b->vertices_capacity, b->nvertices + count, 3 * sizeof *b->vertices) ||
        !array_grow(&b->shapes, &b->shapes_capacity, b->nshapes + 1, sizeof *b->shapes) ||
        (body && (added.body = hmli_text_add(&b->text, body)) == NO_TEXT))
        return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory");
    if (count) memcpy(b->vertices + 3 * b->nvertices, shape->vertices, 3 * count * sizeof *b->vertices);
    added.first = b->nvertices;
    added.shape.vertices = NULL;
    b->nvertices += count;
    b->shapes[b->nshapes++] = added;
    return HML_OK;
}

int32_t hml_model_nshapes(const hml_model *model) { return model->nshapes; }

hml_status hml_model_shape(const hml_model *model, int32_t index, hml_shape *shape)
{
    if (!model || !shape || index < 0 || index >= model->nshapes) return HML_INVALID_ARGUMENT;
    const model_shape *s = &model_shapes(model)[index];
    shape->frame = s->body; /* frame i is body i's own */
    shape->kind = (hml_shape_kind)s->kind;
    memcpy(shape->size, s->size, sizeof shape->size);
    memcpy(shape->position, s->p, sizeof shape->position);
    memcpy(shape->rotation, s->R, sizeof shape->rotation);
    shape->friction = s->friction;
    shape->restitution = s->restitution;
    shape->nvertices = s->nvertices;
    shape->contype = s->contype;
    shape->conaffinity = s->conaffinity;
    shape->vertices = s->nvertices ? model_vertices(model) + 3 * (size_t)s->first : NULL;
    return HML_OK;
}
