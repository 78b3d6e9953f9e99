/* Collecting what a model is made of. Items are checked as they come, so that a loader can say where they stand. */
#include "model/builder.h"
#include "base/struct_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/check_item.h"

enum { MAX_ITEMS = 1 << 28 }; /* keeps every count and offset of a model within int32 */

hml_builder *hml_builder_new(void)
{
    hml_builder *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->name = NO_TEXT;
    b->gravity[2] = -9.81;
    return b;
}

void hml_builder_free(hml_builder *b)
{
    if (!b) return;
    free(b->links);
    free(b->frames);
    free(b->shapes);
    free(b->vertices);
    free(b->loops);
    free(b->exclusions);
    free(b->keyframes);
    free(b->actuators);
    free(b->keys);
    free(b->warnings);
    free(b->text.data);
    hmli_names_free(&b->places);
    hmli_names_free(&b->joints);
    hmli_names_free(&b->keyframe_names);
    hmli_names_free(&b->actuator_names);
    free(b);
}

hml_status hml_builder_set_name(hml_builder *b, const char *name)
{
    if (!b || !name || !hmli_text_is_plain(name)) return HML_INVALID_ARGUMENT;
    uint32_t text = hmli_text_add(&b->text, name);
    if (text == NO_TEXT) return HML_OUT_OF_MEMORY;
    b->name = text;
    return HML_OK;
}

hml_status hml_builder_set_gravity(hml_builder *b, const double gravity[3])
{
    if (!b || !gravity) return HML_INVALID_ARGUMENT;
    if (!all_finite(gravity, 3)) return HML_NOT_FINITE;
    memcpy(b->gravity, gravity, sizeof b->gravity);
    return HML_OK;
}

hml_status hml_builder_set_world_inertia(hml_builder *b, const hml_inertia_spec *inertia)
{
    if (!b || !inertia) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_check_inertia("", inertia, NULL);
    if (!status) b->world = *inertia;
    return status;
}

static hml_status no_memory(hml_error *error) { return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory"); }

/* *who has this name already, as a sentence needs it; NULL: nobody. Fails only when out of memory */
static hml_status find_owner(const hml_builder *b, const char *name, const char **who)
{
    int32_t value = hmli_names_find(&b->places, &b->text, name);
    *who = value > 0 ? "a body" : value < 0 ? "a frame" : NULL;
    size_t length = strlen(name), tail = strlen(CROSS);
    if (value || length <= tail || strcmp(name + length - tail, CROSS) != 0) return HML_OK;
    char *link = malloc(length - tail + 1);
    if (!link) return HML_OUT_OF_MEMORY;
    memcpy(link, name, length - tail);
    link[length - tail] = 0;
    value = hmli_names_find(&b->places, &b->text, link);
    free(link);
    if (value > 0 && b->links[value - 1].joint.type == HML_JOINT_UNIVERSAL) *who = "the cross of a universal joint";
    return HML_OK;
}

static hml_status check_name(const char *what, const char *name, hml_error *error)
{
    if (!name || !*name) return hmli_fail(error, HML_INVALID_ARGUMENT, "a %s has no name", what);
    if (!hmli_text_is_plain(name))
        return hmli_fail(error, HML_BAD_MODEL, "the name of a %s has a control character in it", what);
    return HML_OK;
}

static hml_status check_place_name(const hml_builder *b, const char *what, const char *name, hml_error *error)
{
    hml_status status = check_name(what, name, error);
    if (status) return status;
    const char *who;
    if (find_owner(b, name, &who)) return no_memory(error);
    if (who) return hmli_fail(error, HML_BAD_MODEL, "%s " NAMED ": %s has this name already", what, name, who);
    return HML_OK;
}

static hml_status check_cross_name(const hml_builder *b, const char *link, hml_error *error)
{
    size_t size = strlen(link) + sizeof CROSS;
    char *name = malloc(size);
    if (!name) return no_memory(error);
    snprintf(name, size, "%s" CROSS, link);
    int taken = hmli_names_find(&b->places, &b->text, name) != 0;
    free(name);
    if (taken)
        return hmli_fail(error, HML_BAD_MODEL,
                         "body " NAMED ": the cross of its universal joint needs the name '%.80s" CROSS
                         "', which is taken",
                         link, link);
    return HML_OK;
}

static hml_status copy_joint(const hml_joint_spec *given, hml_joint_spec *joint)
{
    const size_t least = STRUCT_END(hml_joint_spec, type);
    if (!struct_is_readable(given, sizeof *joint, least)) return HML_INVALID_ARGUMENT;
    hml_joint_spec_init(joint, given->type);
    return struct_read(joint, given, sizeof *joint, least) ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hml_builder_add_body(hml_builder *b, const char *name, const char *parent, const hml_joint_spec *joint,
                                const hml_inertia_spec *inertia, hml_error *error)
{
    if (!b || !joint) return hmli_fail(error, HML_INVALID_ARGUMENT, "a body needs a builder and a joint");
    builder_link link = {.parent = NO_TEXT, .mimic = NO_TEXT};
    hml_status status = check_place_name(b, "body", name, error);
    if (status) return status;
    if (copy_joint(joint, &link.joint))
        return hmli_fail(error, HML_INVALID_ARGUMENT, "body " NAMED ": its joint was not initialized", name);
    if ((status = check_name("joint", link.joint.name, error))) return status;
    if (hmli_names_find(&b->joints, &b->text, link.joint.name))
        return hmli_fail(error, HML_BAD_MODEL, "joint " NAMED ": a joint has this name already", link.joint.name);
    if ((status = hmli_check_joint(&link.joint, error))) return status;
    if (link.joint.type == HML_JOINT_UNIVERSAL && (status = check_cross_name(b, name, error))) return status;
    if (inertia) {
        if ((status = hmli_check_inertia(name, inertia, error))) return status;
        link.inertia = *inertia;
    }
    if (parent && strcmp(parent, name) == 0)
        return hmli_fail(error, HML_BAD_MODEL, "body " NAMED " is its own parent", name);

    if (b->nlinks >= MAX_ITEMS || !array_grow(&b->links, &b->links_capacity, b->nlinks + 1, sizeof *b->links) ||
        !hmli_names_reserve(&b->places) || !hmli_names_reserve(&b->joints))
        return no_memory(error);
    link.name = hmli_text_add(&b->text, name);
    link.joint_name = hmli_text_add(&b->text, link.joint.name);
    if (parent) link.parent = hmli_text_add(&b->text, parent);
    if (link.joint.mimic) link.mimic = hmli_text_add(&b->text, link.joint.mimic);
    if (link.name == NO_TEXT || link.joint_name == NO_TEXT || (parent && link.parent == NO_TEXT) ||
        (link.joint.mimic && link.mimic == NO_TEXT))
        return no_memory(error);
    link.joint.name = link.joint.mimic = NULL;
    b->links[b->nlinks++] = link;
    hmli_names_add(&b->places, &b->text, link.name, (int32_t)b->nlinks);
    hmli_names_add(&b->joints, &b->text, link.joint_name, (int32_t)b->nlinks);
    return HML_OK;
}

hml_status hml_builder_add_frame(hml_builder *b, const char *name, const char *body, const double position[3],
                                 const double rotation[9], hml_error *error)
{
    if (!b || !position || !rotation)
        return hmli_fail(error, HML_INVALID_ARGUMENT, "a frame needs a builder and a placement");
    builder_frame frame = {.body = NO_TEXT, .kind = HML_FRAME_NAMED};
    hml_status status = check_place_name(b, "frame", name, error);
    if (status) return status;
    memcpy(frame.position, position, sizeof frame.position);
    memcpy(frame.rotation, rotation, sizeof frame.rotation);
    if ((status = hmli_check_placement("frame", name, frame.position, frame.rotation, error))) return status;

    if (b->nframes >= MAX_ITEMS || !array_grow(&b->frames, &b->frames_capacity, b->nframes + 1, sizeof *b->frames) ||
        !hmli_names_reserve(&b->places))
        return no_memory(error);
    frame.name = hmli_text_add(&b->text, name);
    if (body) frame.body = hmli_text_add(&b->text, body);
    if (frame.name == NO_TEXT || (body && frame.body == NO_TEXT)) return no_memory(error);
    b->frames[b->nframes++] = frame;
    hmli_names_add(&b->places, &b->text, frame.name, -(int32_t)b->nframes);
    return HML_OK;
}

hml_status hml_builder_add_warning(hml_builder *b, const char *sentence)
{
    if (!b || !sentence) return HML_INVALID_ARGUMENT;
    if (b->nwarnings >= MAX_ITEMS ||
        !array_grow(&b->warnings, &b->warnings_capacity, b->nwarnings + 1, sizeof *b->warnings))
        return HML_OUT_OF_MEMORY;
    uint32_t text = hmli_text_add(&b->text, sentence);
    if (text == NO_TEXT) return HML_OUT_OF_MEMORY;
    b->warnings[b->nwarnings++] = text;
    return HML_OK;
}
