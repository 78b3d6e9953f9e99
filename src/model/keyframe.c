/* Keyframes, states with a name: hamel/model.h. They are cold data: no algorithm of the tree reads them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group/joint.h"
#include "hamel/configuration.h"
#include "model/build.h"
#include "model/check_item.h"
#include "model/edit.h"
#include "model/near.h"

enum { MAX_KEYS = 1 << 28 };

/* ---- into a builder ---- */

static hml_status no_memory(hml_error *error) { return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory"); }

/* the keyframe of this name, a new one if there is none */
static hml_status find_or_make(hml_builder *b, const char *name, int32_t *index, hml_error *error)
{
    if (!name || !*name) return hmli_fail(error, HML_INVALID_ARGUMENT, "a keyframe has no name");
    if (!hmli_text_is_plain(name))
        return hmli_fail(error, HML_BAD_MODEL, "the name of a keyframe has a control character in it");
    *index = hmli_names_find(&b->keyframe_names, &b->text, name) - 1;
    if (*index >= 0) return HML_OK;
    if (b->nkeyframes >= MAX_KEYS ||
        !array_grow(&b->keyframes, &b->keyframes_capacity, b->nkeyframes + 1, sizeof *b->keyframes) ||
        !hmli_names_reserve(&b->keyframe_names))
        return no_memory(error);
    uint32_t text = hmli_text_add(&b->text, name);
    if (text == NO_TEXT) return no_memory(error);
    *index = (int32_t)b->nkeyframes;
    b->keyframes[b->nkeyframes++] = text;
    hmli_names_add(&b->keyframe_names, &b->text, text, (int32_t)b->nkeyframes);
    return HML_OK;
}

static hml_status read_key(hml_joint_type type, const double *position, const double *velocity, builder_key *key)
{
    hml_joint_spec neutral;
    const size_t nq = (size_t)hml_joint_type_nq(type), nv = (size_t)hml_joint_type_nv(type);
    hml_joint_spec_init(&neutral, type);
    memcpy(key->position, position ? position : neutral.rest, nq * sizeof(double));
    if (velocity) memcpy(key->velocity, velocity, nv * sizeof(double));
    if (!all_finite(key->position, nq) || !all_finite(key->velocity, nv)) return HML_NOT_FINITE;
    return fabs(hmli_normalize_rest(type, key->position) - 1) <= 1e-3 ? HML_OK : HML_NOT_NORMALIZED;
}

hml_status hml_builder_add_keyframe(hml_builder *b, const char *keyframe, const char *joint, int32_t nq,
                                    const double *position, int32_t nv, const double *velocity, hml_error *error)
{
    builder_key key = {.link = -1};
    char near[NEAR_TEXT];
    if (!b) return hmli_fail(error, HML_INVALID_ARGUMENT, "a keyframe needs a builder");
    if (joint) {
        key.link = hmli_names_find(&b->joints, &b->text, joint) - 1;
        if (key.link < 0)
            return hmli_fail(error, HML_NOT_FOUND, "there is no joint " NAMED "%s", joint,
                             hmli_near(b, NEAR_JOINT, joint, near));
        hml_joint_type type = b->links[key.link].joint.type;
        if ((position && nq != hml_joint_type_nq(type)) || (velocity && nv != hml_joint_type_nv(type)))
            return hmli_fail(error, HML_INVALID_ARGUMENT,
                             "joint " NAMED ", which is %s, has %d positions and %d velocities", joint,
                             hml_joint_type_name(type), (int)hml_joint_type_nq(type), (int)hml_joint_type_nv(type));
        hml_status status = read_key(type, position, velocity, &key);
        if (status) return hmli_fail(error, status, "joint " NAMED ": %s", joint, hml_status_message(status));
    }
    hml_status status = find_or_make(b, keyframe, &key.keyframe, error);
    if (status || !joint) return status;
    if (b->nkeys >= MAX_KEYS || !array_grow(&b->keys, &b->keys_capacity, b->nkeys + 1, sizeof *b->keys))
        return no_memory(error);
    b->keys[b->nkeys++] = key;
    return HML_OK;
}

hml_status hmli_scale_keys(hml_builder *b, double length)
{
    for (size_t i = 0; i < b->nkeys; i++) {
        builder_key *key = &b->keys[i];
        const hml_joint_type type = b->links[key->link].joint.type;
        for (int32_t k = 0; k < hml_joint_type_nv(type); k++) {
            if (!joint_is_length((int32_t)type, k)) continue;
            key->position[k] *= length; /* lengths come first among the numbers as well */
            key->velocity[k] *= length;
            if (!isfinite(key->position[k]) || !isfinite(key->velocity[k])) return HML_NOT_FINITE;
        }
    }
    return HML_OK;
}

/* ---- into a model ---- */

static int by_place(const void *x, const void *y)
{
    const build_key *a = x, *b = y;
    if (a->keyframe != b->keyframe) return a->keyframe < b->keyframe ? -1 : 1;
    if (a->joint != b->joint) return a->joint < b->joint ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* says nothing: a model does not keep it, so that equal keyframes have equal keys */
static int is_neutral(const hml_builder *b, const builder_key *key)
{
    hml_joint_spec neutral;
    hml_joint_spec_init(&neutral, b->links[key->link].joint.type);
    for (int32_t k = 0; k < hml_joint_type_nq(neutral.type); k++)
        if (key->position[k] != neutral.rest[k]) return 0;
    for (int32_t k = 0; k < hml_joint_type_nv(neutral.type); k++)
        if (key->velocity[k] != 0) return 0;
    return 1;
}

hml_status hmli_build_keyframes(build *w)
{
    const hml_builder *b = w->b;
    int32_t n = 0, kept = 0;
    if (b->nkeys == 0) return HML_OK;
    w->keys = malloc(b->nkeys * sizeof *w->keys);
    if (!w->keys) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->nkeys; i++) {
        const builder_key *key = &b->keys[i];
        const int32_t nq = hml_joint_type_nq(build_link(w, key->link)->joint.type);
        if (w->joint[key->link] < 0 || nq == 0 || w->leader[key->link] >= 0) continue;
        w->keys[n++] = (build_key){key->keyframe, w->joint[key->link], (uint32_t)i};
    }
    qsort(w->keys, (size_t)n, sizeof *w->keys, by_place);
    for (int32_t i = 0; i < n; i++) {
        const build_key *next = &w->keys[i + 1 < n ? i + 1 : i];
        if (i + 1 < n && next->keyframe == w->keys[i].keyframe && next->joint == w->keys[i].joint) continue;
        if (is_neutral(b, &b->keys[w->keys[i].index])) continue;
        w->keys[kept++] = w->keys[i];
    }
    w->nkeys = kept;
    return HML_OK;
}

/* ---- of a model ---- */

int32_t hml_model_nkeyframes(const hml_model *model) { return model->nkeyframes; }

const char *hml_model_keyframe_name(const hml_model *model, int32_t index)
{
    return index >= 0 && index < model->nkeyframes ? model_text(model, model_keyframes(model)[index].name) : NULL;
}

int32_t hml_model_find_keyframe(const hml_model *model, const char *name)
{
    for (int32_t i = 0; name && i < model->nkeyframes; i++)
        if (strcmp(model_text(model, model_keyframes(model)[i].name), name) == 0) return i;
    return -1;
}

hml_status hml_model_keyframe(const hml_model *model, int32_t index, double *q, double *v)
{
    if (!model || index < 0 || index >= model->nkeyframes) return HML_INVALID_ARGUMENT;
    const model_keyframe *f = &model_keyframes(model)[index];
    hml_status status = q ? hml_configuration_neutral(model, q) : HML_OK;
    for (int32_t i = 0; v && i < model->nv; i++) v[i] = 0;
    for (int32_t k = f->first; !status && k < f->first + f->count; k++) {
        const model_key *key = &model_keys(model)[k];
        const model_joint *j = &model_joints(model)[key->joint];
        if (q) memcpy(q + j->q, key->position, (size_t)j->nq * sizeof *q);
        if (v) memcpy(v + j->v, key->velocity, (size_t)j->nv * sizeof *v);
    }
    return status;
}
