/* What is odd about a model but no error. Each sentence names the link or joint. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/build.h"
#include "model/check_item.h"

static hml_status keep(build *w, const char *sentence)
{
    if (w->options & HML_BUILD_STRICT) return hmli_fail(w->error, HML_BAD_MODEL, "%s", sentence);
    if (!array_grow(&w->warnings, &w->warnings_capacity, w->nwarnings + 1, sizeof *w->warnings))
        return HML_OUT_OF_MEMORY;
    uint32_t text = hmli_text_add(&w->text, sentence);
    if (text == NO_TEXT) return HML_OUT_OF_MEMORY;
    w->warnings[w->nwarnings++] = text;
    return HML_OK;
}

static hml_status warn(build *w, const char *format, ...) PRINTF_LIKE(2, 3);

static hml_status warn(build *w, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return keep(w, sentence);
}

static hml_status odd_axis(build *w, const char *name, const char *which, const double axis[3])
{
    double copy[3] = {axis[0], axis[1], axis[2]}, length = hmli_normalize_axis(copy);
    char text[DECIMAL_SIZE];
    if (fabs(length - 1) <= 1e-3) return HML_OK;
    return warn(w, "joint " NAMED ": its %s has length %s and was normalized", name, which,
                decimal_text(text, DECIMAL_SHORT, length));
}

static hml_status odd_joint(build *w, int32_t i)
{
    const hml_joint_spec *joint = &build_link(w, i)->joint;
    const char *name = build_joint_name(w, i);
    hml_status status = HML_OK;
    if (hmli_joint_uses_axis(joint->type)) status = odd_axis(w, name, "axis", joint->axis);
    if (!status && joint->type == HML_JOINT_UNIVERSAL) status = odd_axis(w, name, "axis2", joint->axis2);
    if (!status && joint->type == HML_JOINT_FIXED && build_link(w, i)->mimic != NO_TEXT)
        status = warn(w, "joint " NAMED " is fixed: its mimic leader is ignored", name);

    double rest[HML_JOINT_MAX_NQ];
    for (int k = 0; k < HML_JOINT_MAX_NQ; k++) rest[k] = joint->rest[k];
    if (!status && fabs(hmli_normalize_rest(joint->type, rest) - 1) > 1e-3)
        status = warn(w, "joint " NAMED ": the quaternion of its rest position was normalized", name);

    for (int k = 0; !status && k < hml_joint_type_nv(joint->type); k++) {
        if (joint->armature[k] < 0) status = warn(w, "joint " NAMED ": its armature is negative", name);
        if (!status && joint->damping[k] < 0) status = warn(w, "joint " NAMED ": its damping is negative", name);
        if (!status && joint->friction[k] < 0)
            status = warn(w, "joint " NAMED ": its friction is negative, and counts as 0", name);
        if (!status && joint->stiffness[k] < 0) status = warn(w, "joint " NAMED ": its stiffness is negative", name);
        if (!status && joint->lower[k] > joint->upper[k])
            status = warn(w, "joint " NAMED ": its lower limit is above its upper limit", name);
    }
    return status;
}

static int has_armature(const build *w, int32_t i)
{
    const hml_joint_spec *joint = &build_link(w, i)->joint;
    if (w->options & HML_BUILD_NO_PASSIVE) return 0;
    for (int k = 0; k < hml_joint_type_nv(joint->type); k++)
        if (joint->armature[k] == 0) return 0;
    return 1;
}

/* nothing to accelerate: the link and all that hangs on it have no inertia, and its joint has no armature */
static int weightless(const build *w, int32_t i, const char *heavy)
{
    int moves = build_link(w, i)->joint.type != HML_JOINT_FIXED && w->leader[i] < 0;
    return moves && !heavy[i] && !has_armature(w, i);
}

static hml_status odd_tree(build *w, char *heavy)
{
    for (int32_t k = w->n - 1; k >= 0; k--) { /* children before parents */
        int32_t i = w->order[k];
        const hml_inertia_spec *own = &build_link(w, i)->inertia;
        if (own->mass > 0) heavy[i] = 1;
        for (int j = 0; j < 9; j++)
            if (own->moment[j] != 0) heavy[i] = 1;
        if (heavy[i] && w->parent[i] >= 0) heavy[w->parent[i]] = 1;
    }
    for (int32_t i = 0; i < w->n; i++) /* a leader feels what its followers carry */
        if (w->leader[i] >= 0 && w->multiplier[i] != 0 && (heavy[i] || has_armature(w, i))) heavy[w->leader[i]] = 1;
    for (int32_t k = 0; k < w->n; k++) {
        int32_t i = w->order[k];
        char sentence[512];
        hml_status status = odd_joint(w, i);
        if (!status && w->body[i] >= 0 &&
            hmli_odd_inertia(build_link_name(w, i), &build_link(w, i)->inertia, sentence, sizeof sentence))
            status = keep(w, sentence);
        if (!status && weightless(w, i, heavy))
            status = warn(w,
                          "link " NAMED " can move, but neither it nor any body that it carries has inertia: "
                          "the mass matrix is singular",
                          build_link_name(w, i));
        if (status) return status;
    }
    return HML_OK;
}

static hml_status still_actuators(build *w)
{
    const hml_builder *b = w->b;
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < b->nactuators; i++) {
        const builder_actuator *a = &b->actuators[i];
        const char *target = builder_text(b, a->target);
        const int32_t link = hmli_names_find(&b->joints, &b->text, target);
        if (a->spec.transmission == HML_TRANSMISSION_JOINT && b->links[link - 1].joint.type == HML_JOINT_FIXED)
            status = warn(w, "actuator " NAMED " is left out: its joint " NAMED " is fixed", builder_text(b, a->name),
                          target);
    }
    return status;
}

hml_status hmli_build_warnings(build *w)
{
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < w->b->nwarnings; i++) status = keep(w, builder_text(w->b, w->b->warnings[i]));
    if (!status && w->nbodies == 0) status = keep(w, "no body of this model can move");
    if (status) return status;
    char *heavy = calloc((size_t)w->n + 1, 1);
    if (!heavy) return HML_OUT_OF_MEMORY;
    status = odd_tree(w, heavy);
    free(heavy);
    return status ? status : still_actuators(w);
}
