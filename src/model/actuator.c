/* Actuators of models: hamel/model.h. What they do is in algo/dynamics/actuation.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "group/joint.h"
#include "model/build.h"
#include "model/check_item.h"
#include "model/near.h"

enum { MAX_ACTUATORS = 1 << 28 };

void hml_actuator_init(hml_actuator *a)
{
    if (!a) return;
    *a = (hml_actuator){.struct_size = sizeof *a, .gear = {1}, .gain = 1, .lower = -INFINITY, .upper = INFINITY};
    a->force_lower = -INFINITY, a->force_upper = INFINITY;
}

int hmli_joint_has_length(int32_t type)
{
    switch (type) {
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_HELICAL:
    case HML_JOINT_CYLINDRICAL:
    case HML_JOINT_UNIVERSAL:
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_TRANSLATION3: return 1;
    default: return 0;
    }
}

/* ---- into a builder ---- */

static hml_status no_memory(hml_error *error) { return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory"); }

static hml_status check(const hml_actuator *a, hml_error *error)
{
    if (a->transmission != HML_TRANSMISSION_JOINT && a->transmission != HML_TRANSMISSION_FRAME)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "actuator " NAMED " acts on something unknown", a->name);
    if (!all_finite(a->gear, 6) || !all_finite(&a->gain, 1) || !all_finite(a->bias, 3))
        return hmli_fail(error, HML_NOT_FINITE, "actuator " NAMED ": gear, gain and bias must be finite", a->name);
    if (!(a->lower <= a->upper) || !(a->force_lower <= a->force_upper))
        return hmli_fail(error, HML_BAD_MODEL, "actuator " NAMED ": a lower limit is above the upper one", a->name);
    return HML_OK;
}

hml_status hml_builder_add_actuator(hml_builder *b, const char *target, const hml_actuator *actuator, hml_error *error)
{
    hml_actuator room;
    const hml_actuator *given = STRUCT_TAKE(hml_actuator, actuator, &room, force_upper);
    if (!b || !given || !target || !*target || !given->name || !*given->name)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "an actuator needs a builder, a name and what it acts on");
    if (!hmli_text_is_plain(given->name) || !hmli_text_is_plain(target))
        return hmli_fail(error, HML_BAD_MODEL, "the name of an actuator has a control character in it");
    hml_status status = check(given, error);
    if (status) return status;
    if (hmli_names_find(&b->actuator_names, &b->text, given->name))
        return hmli_fail(error, HML_BAD_MODEL, "there are two actuators " NAMED, given->name);
    if (b->nactuators >= MAX_ACTUATORS ||
        !array_grow(&b->actuators, &b->actuators_capacity, b->nactuators + 1, sizeof *b->actuators) ||
        !hmli_names_reserve(&b->actuator_names))
        return no_memory(error);
    builder_actuator added = {.spec = *given};
    added.name = hmli_text_add(&b->text, given->name);
    added.target = added.name == NO_TEXT ? NO_TEXT : hmli_text_add(&b->text, target);
    if (added.target == NO_TEXT) return no_memory(error);
    added.spec.name = NULL;
    b->actuators[b->nactuators++] = added;
    hmli_names_add(&b->actuator_names, &b->text, added.name, (int32_t)b->nactuators);
    return HML_OK;
}

hml_status hmli_scale_actuators(hml_builder *b, double length, double energy)
{
    for (size_t i = 0; i < b->nactuators; i++) {
        hml_actuator *a = &b->actuators[i].spec;
        const char *target = builder_text(b, b->actuators[i].target);
        const int32_t link =
            a->transmission == HML_TRANSMISSION_JOINT ? hmli_names_find(&b->joints, &b->text, target) : 0;
        const int32_t type = link ? (int32_t)b->links[link - 1].joint.type : HML_JOINT_FREE;
        for (int32_t k = 0; k < 6; k++) /* f is an energy, and gear·q has no unit */
            if (k < hml_joint_type_nv((hml_joint_type)type) && joint_is_length(type, k)) a->gear[k] /= length;
        a->gain *= energy, a->force_lower *= energy, a->force_upper *= energy;
        for (int k = 0; k < 3; k++) a->bias[k] *= energy;
        if (check(a, NULL)) return HML_NOT_FINITE;
    }
    return HML_OK;
}

hml_status hmli_prune_actuators(hml_builder *b)
{
    size_t kept = 0;
    hmli_names_clear(&b->actuator_names); /* there is room for all of them */
    for (size_t i = 0; i < b->nactuators; i++) {
        const builder_actuator *a = &b->actuators[i];
        const int32_t link = hmli_names_find(&b->joints, &b->text, builder_text(b, a->target));
        const int turned = !link || hml_joint_type_nv(b->links[link - 1].joint.type) > 1;
        if (a->spec.transmission == HML_TRANSMISSION_JOINT && turned) {
            char sentence[512];
            snprintf(sentence, sizeof sentence, "actuator '%.200s' of joint '%.200s' is left out with the new base",
                     builder_text(b, a->name), builder_text(b, a->target));
            hml_status status = hml_builder_add_warning(b, sentence);
            if (status) return status;
        } else {
            b->actuators[kept++] = *a;
            hmli_names_add(&b->actuator_names, &b->text, b->actuators[kept - 1].name, (int32_t)kept);
        }
    }
    b->nactuators = kept;
    return HML_OK;
}

/* ---- into a model ---- */

int32_t hmli_build_target(const build *w, const builder_actuator *a)
{
    const hml_builder *b = w->b;
    const char *target = builder_text(b, a->target);
    if (a->spec.transmission == HML_TRANSMISSION_JOINT) {
        const int32_t link = hmli_names_find(&b->joints, &b->text, target);
        return link ? w->joint[link - 1] : -1;
    }
    const int32_t place = hmli_names_find(&b->places, &b->text, target);
    if (place == 0) return -1;
    if (place < 0) return w->nbodies + w->nmerged - place - 1;
    return build_merges(w, place - 1) ? w->nbodies + w->merged[place - 1] : w->body[place - 1];
}

hml_status hmli_build_actuators(build *w)
{
    const hml_builder *b = w->b;
    char near[NEAR_TEXT];
    if (b->nactuators == 0) return HML_OK;
    w->actuators = malloc(b->nactuators * sizeof *w->actuators);
    if (!w->actuators) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < b->nactuators; i++) {
        const builder_actuator *a = &b->actuators[i];
        const int joint = a->spec.transmission == HML_TRANSMISSION_JOINT;
        const char *target = builder_text(b, a->target), *name = builder_text(b, a->name);
        const int32_t link = joint ? hmli_names_find(&b->joints, &b->text, target) : 0;
        if (joint ? !link : hmli_build_target(w, a) < 0)
            return hmli_fail(w->error, HML_BAD_MODEL, "actuator " NAMED ": there is no %s " NAMED "%s", name,
                             joint ? "joint" : "frame", target,
                             hmli_near(b, joint ? NEAR_JOINT : NEAR_PLACE, target, near));
        const int32_t type = link ? (int32_t)b->links[link - 1].joint.type : HML_JOINT_FREE;
        if (joint && type == HML_JOINT_FIXED) continue; /* hmli_build_warnings says so */
        if (joint && a->spec.bias[1] != 0 && !hmli_joint_has_length(type))
            return hmli_fail(w->error, HML_BAD_MODEL, "actuator " NAMED ": joint " NAMED ", which is %s, has no length",
                             name, target, hml_joint_type_name((hml_joint_type)type));
        w->actuators[w->nactuators++] = (int32_t)i;
    }
    return HML_OK;
}

/* ---- of a model ---- */

int32_t hml_model_nactuators(const hml_model *model) { return model->nactuators; }

hml_status hml_model_actuator(const hml_model *model, int32_t index, hml_actuator *actuator)
{
    if (!model || !actuator || !struct_is_writable(actuator, STRUCT_END(hml_actuator, target)) || index < 0 ||
        index >= model->nactuators)
        return HML_INVALID_ARGUMENT;
    const model_actuator *a = &model_actuators(model)[index];
    hml_actuator all = {.struct_size = sizeof all, .name = model_text(model, a->name), .target = a->target};
    all.transmission = (hml_transmission)a->transmission;
    memcpy(all.gear, a->gear, sizeof all.gear);
    memcpy(all.bias, a->bias, sizeof all.bias);
    all.gain = a->gain, all.lower = a->lower, all.upper = a->upper;
    all.force_lower = a->force_lower, all.force_upper = a->force_upper;
    struct_give(actuator, &all, sizeof all);
    return HML_OK;
}

int32_t hml_model_find_actuator(const hml_model *model, const char *name)
{
    for (int32_t i = 0; name && i < model->nactuators; i++)
        if (strcmp(model_text(model, model_actuators(model)[i].name), name) == 0) return i;
    return -1;
}
