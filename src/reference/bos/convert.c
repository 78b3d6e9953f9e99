/*
 * Which robots the tables of Bos know, and the nearest one they know to any other. See hamel/reference/bos.h.
 *
 * The conversion is a list of edits of a model, nothing of the paper is in it: passive forces and followers go when the
 * model is built again, a robot that stands on the world is put on a free base, and joints of several coordinates
 * become chains of joints of one.
 */
#include <stdlib.h>
#include <string.h>

#include "model/check_item.h"
#include "model/edit.h"
#include "reference/bos/quantities.h"

/* ---- which robots ---- */

static hml_status check_root(const hml_model *model, hml_error *error)
{
    const model_body *b = model_bodies(model);
    if (model->nbodies < 1) return hmli_fail(error, HML_UNSUPPORTED, "the tables want a base, and there is no body");
    if (b[0].type != HML_JOINT_FREE) {
        return hmli_fail(error, HML_UNSUPPORTED, "joint " NAMED " on the world is %s; the tables want a free base",
                         joint_text(model, &model_joints(model)[b[0].joint]),
                         hml_joint_type_name((hml_joint_type)b[0].type));
    }
    for (int32_t i = 1; i < model->nbodies; i++) {
        if (b[i].parent >= 0) continue;
        return hmli_fail(error, HML_UNSUPPORTED,
                         "bodies " NAMED " and " NAMED " both hang on the world; the tables have one base",
                         model_text(model, b[0].name), model_text(model, b[i].name));
    }
    return HML_OK;
}

static hml_status check_joint(const hml_model *model, int32_t index, hml_error *error)
{
    const model_joint *j = &model_joints(model)[index];
    hml_joint_info info = {.struct_size = sizeof info};
    hml_model_joint(model, index, &info);
    for (int k = 0; k < HML_JOINT_MAX_NV; k++) {
        if (info.armature[k] == 0 && info.damping[k] == 0 && info.stiffness[k] == 0) continue;
        return hmli_fail(error, HML_UNSUPPORTED, "joint " NAMED " has %s; the tables have no such forces",
                         joint_text(model, j),
                         info.armature[k] != 0  ? "armature"
                         : info.damping[k] != 0 ? "damping"
                                                : "a spring");
    }
    if (j->leader >= 0)
        return hmli_fail(error, HML_UNSUPPORTED, "joint " NAMED " follows another; the tables have no followers",
                         joint_text(model, j));
    if (j->body != 0 && model_bodies(model)[j->body].nv != 1)
        return hmli_fail(error, HML_UNSUPPORTED, "joint " NAMED " is %s; the tables have joints of one coordinate",
                         joint_text(model, j), hml_joint_type_name(info.type));
    return HML_OK;
}

hml_status hml_reference_check(const hml_model *model, hml_error *error)
{
    if (!model) return hmli_fail(error, HML_INVALID_ARGUMENT, "there is no model");
    hml_status status = check_root(model, error);
    for (int32_t i = 0; i < model->njoints && !status; i++) status = check_joint(model, i, error);
    return status;
}

/* ---- the nearest one ---- */

/* joints of several coordinates, coordinate by coordinate: p slides, r turns, about x, y, z or the joint's axis a */
static const char *chain_of(hml_joint_type type)
{
    switch (type) {
    case HML_JOINT_CYLINDRICAL: return "para";
    case HML_JOINT_TRANSLATION2: return "pxpy";
    case HML_JOINT_PLANAR: return "pxpyrz";
    case HML_JOINT_SPHERICAL: return "rxryrz";
    case HML_JOINT_TRANSLATION3: return "pxpypz";
    case HML_JOINT_SCHOENFLIES: return "pxpypzrz";
    case HML_JOINT_FREE: return "pxpypzrxryrz";
    default: return NULL; /* one coordinate, or two of them in a universal joint */
    }
}

/* coordinate k of a joint as a joint of its own; the first one has the placement */
static void one_coordinate(const hml_joint_spec *whole, const char *chain, size_t k, hml_joint_spec *one)
{
    const char axis = chain[2 * k + 1];
    hml_joint_spec_init(one, chain[2 * k] == 'p' ? HML_JOINT_PRISMATIC : HML_JOINT_REVOLUTE);
    if (k == 0) {
        memcpy(one->position, whole->position, sizeof one->position);
        memcpy(one->rotation, whole->rotation, sizeof one->rotation);
    }
    for (int i = 0; i < 3; i++) one->axis[i] = axis == 'a' ? whole->axis[i] : axis == "xyz"[i];
    memcpy(one->point, whole->point, sizeof one->point);
    one->actuated = whole->actuated;
    if (strstr(chain, "rxry")) return; /* limits of a rotation in space are none of its angles */
    one->lower[0] = whole->lower[k];
    one->upper[0] = whole->upper[k];
    one->velocity_limit[0] = whole->velocity_limit[k];
    one->effort_limit[0] = whole->effort_limit[k];
}

/* "name.k" on the heap; a name without number if k is negative. NULL: no memory, or no name */
static char *numbered(const char *name, int k)
{
    const size_t length = name ? strlen(name) : 0;
    char *text = name ? malloc(length + 3) : NULL;
    if (!text) return NULL;
    memcpy(text, name, length + 1);
    if (k >= 0) text[length] = '.', text[length + 1] = (char)('0' + k), text[length + 2] = 0;
    return text;
}

/* a massless link in front of link i; what is added may move the builder's texts, therefore copies */
static hml_status add_piece(hml_builder *b, size_t i, const char *before, hml_joint_spec *spec, int k, hml_error *error)
{
    char *name = numbered(builder_text(b, b->links[i].name), k), *parent = numbered(before, -1);
    char *joint = numbered(builder_text(b, b->links[i].joint_name), k);
    hml_status status = HML_OUT_OF_MEMORY;
    spec->name = joint;
    if (name && joint && (parent || !before)) status = hml_builder_add_body(b, name, parent, spec, NULL, error);
    free(name), free(parent), free(joint);
    return status;
}

/* the last coordinate stays with the link itself, and with the joint's name */
static hml_status split_link(hml_builder *b, size_t i, hml_error *error)
{
    const hml_joint_spec whole = b->links[i].joint;
    const char *chain = chain_of(whole.type);
    if (!chain || (whole.type == HML_JOINT_FREE && b->links[i].parent == NO_TEXT)) return HML_OK;
    const size_t n = strlen(chain) / 2;
    hml_joint_spec spec;
    for (size_t k = 0; k + 1 < n; k++) {
        const uint32_t before = k > 0 ? b->links[b->nlinks - 1].name : b->links[i].parent;
        one_coordinate(&whole, chain, k, &spec);
        const char *text = before == NO_TEXT ? NULL : builder_text(b, before);
        hml_status status = add_piece(b, i, text, &spec, (int)k, error);
        if (status) return status;
    }
    one_coordinate(&whole, chain, n - 1, &b->links[i].joint);
    b->links[i].parent = b->links[b->nlinks - 1].name;
    return HML_OK;
}

/* a name that no frame and no joint has */
static void free_name(const hml_model *model, char name[64])
{
    size_t length = 4;
    memcpy(name, "base", 5);
    while (length < 63 && (hml_model_find_frame(model, name) >= 0 || hml_model_find_joint(model, name) >= 0)) {
        name[length++] = '_';
        name[length] = 0;
    }
}

/* what was the world is a body now, with a free joint */
static hml_status put_on_base(const hml_model *model, const hml_inertia_spec *base, hml_builder **out, hml_error *error)
{
    static const double origin[3] = {0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hml_builder *b = *out = hml_builder_new();
    hml_inertia_spec world;
    hml_joint_spec spec;
    char name[64];
    hml_model_world_inertia(model, &world);
    if (!(world.mass > 0) && !(base && base->mass > 0)) {
        return hmli_fail(error, HML_UNSUPPORTED,
                         "the world becomes the base, but nothing with a mass is fixed to it: give the base one");
    }
    if (!b) return hmli_fail(error, HML_OUT_OF_MEMORY, "out of memory");
    free_name(model, name);
    hml_joint_spec_init(&spec, HML_JOINT_FREE);
    spec.name = name;
    hml_status status = hml_builder_set_name(b, hml_model_name(model));
    if (!status) status = hml_builder_set_gravity(b, model->gravity);
    if (!status) status = hml_builder_add_body(b, name, NULL, &spec, base, error);
    return status ? status : hml_builder_add_model(b, model, NULL, name, origin, upright, error);
}

/* one free root: as it is; none: on a base; otherwise the tables have no such robot */
static hml_status take_apart(const hml_model *model, const hml_inertia_spec *base, hml_builder **b, hml_error *error)
{
    const model_body *bodies = model_bodies(model);
    int roots = 0, free_roots = 0;
    for (int32_t i = 0; i < model->nbodies; i++) {
        if (bodies[i].parent >= 0) continue;
        roots++;
        free_roots += bodies[i].type == HML_JOINT_FREE;
    }
    if (roots == 0) return hmli_fail(error, HML_UNSUPPORTED, "the tables want a base, and there is no body");
    if (free_roots == 0) return put_on_base(model, base, b, error);
    if (base) return hmli_fail(error, HML_INVALID_ARGUMENT, "the robot has a free base of its own and takes no other");
    return roots == 1 ? hml_model_to_builder(model, b)
                      : hmli_fail(error, HML_UNSUPPORTED,
                                  "%d bodies hang on the world, %d of them freely; the tables have one base", roots,
                                  free_roots);
}

hml_status hml_reference_model(const hml_model *model, const hml_inertia_spec *base, hml_model **result,
                               hml_error *error)
{
    hml_builder *b = NULL;
    hml_model *plain = NULL;
    if (!model || !result) return hmli_fail(error, HML_INVALID_ARGUMENT, "the conversion needs a model");
    hml_status status = hml_model_to_builder(model, &b);
    if (!status) status = hml_builder_build(b, HML_BUILD_NO_PASSIVE | HML_BUILD_MIMIC_INDEPENDENT, &plain, error);
    hml_builder_free(b);
    b = NULL;
    if (!status) status = take_apart(plain, base, &b, error);
    const size_t links = b ? b->nlinks : 0;
    for (size_t i = 0; i < links && !status; i++) status = split_link(b, i, error);
    if (!status) status = hml_builder_build(b, 0, result, error);
    if (status == HML_OUT_OF_MEMORY) hmli_fail(error, status, "out of memory");
    hml_builder_free(b);
    hml_model_free(plain);
    return status;
}
