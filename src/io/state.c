/*
 * States: {"joints": {"knee": {"position", "velocity", "force"}}, "wrenches": […], "actuators": {"motor": u},
 * "representation"}.
 *
 * The representation concerns the velocity of free root joints, and their force, which is dual to it. With the joint's
 * pose (R, p) and ν_rep = T ν, so that τ = Tᵀ τ_rep:
 *
 *   right   T = Ad         mixed   T = diag(R, R)         split   T = diag(R, 1)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "io/common/environment.h"
#include "io/common/file.h"
#include "io/common/map.h"
#include "io/common/rotation.h"
#include "io/json/read.h"
#include "io/plan/plan.h"
#include "io/reader.h"

#include "hamel/kinematics.h"

typedef struct state_reader {
    json_reader json;
    const hml_model *model;
    hml_state *state;
    size_t warnings_capacity;
} state_reader;

/* ---- memory ---- */

void hml_state_free(hml_state *state)
{
    if (!state) return;
    free(state->q);
    free(state->v);
    free(state->tau);
    free(state->given);
    free(state->inputs);
    free(state->wrenches);
    for (int32_t i = 0; i < state->nwarnings; i++) free(state->warnings[i]);
    free(state->warnings);
    free(state);
}

static void set_neutral(const hml_model *model, double *q)
{
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(model, i, &joint);
        if (joint.nq == 0) continue;
        if (joint.type == HML_JOINT_SPHERICAL) q[joint.q] = 1;
        if (joint.type == HML_JOINT_FREE) q[joint.q + 3] = 1;
    }
}

hml_status hml_state_new(const hml_model *model, hml_state **state)
{
    if (!model || !state) return HML_INVALID_ARGUMENT;
    hml_state *s = *state = calloc(1, sizeof *s);
    if (!s) return HML_OUT_OF_MEMORY;
    s->struct_size = sizeof *s;
    s->nq = hml_model_nq(model);
    s->nv = hml_model_nv(model);
    s->q = calloc((size_t)s->nq + 1, sizeof *s->q); /* never of size zero, where NULL would be no failure */
    s->v = calloc((size_t)s->nv + 1, sizeof *s->v);
    s->tau = calloc((size_t)s->nv + 1, sizeof *s->tau);
    s->given = calloc((size_t)hml_model_njoints(model) + 1, sizeof *s->given);
    s->inputs = calloc((size_t)hml_model_nactuators(model) + 1, sizeof *s->inputs);
    if (!s->q || !s->v || !s->tau || !s->given || !s->inputs) {
        hml_state_free(s);
        *state = NULL;
        return HML_OUT_OF_MEMORY;
    }
    set_neutral(model, s->q);
    for (int32_t i = 0; i < hml_model_nactuators(model); i++) s->inputs[i] = NAN;
    return HML_OK;
}

/* ---- warnings ---- */

static hml_status warn_keys(state_reader *r, const place *object, const char *const known[])
{
    uint32_t at = 0;
    hml_state *s = r->state;
    for (const char *key; (key = hmli_json_unknown(object, known, &at));) {
        char pointer[POINTER_SIZE];
        place member = {object, key, 0, NULL};
        hmli_json_pointer(&member, pointer);
        size_t size = strlen(pointer) + 40;
        char *sentence = malloc(size);
        if (!sentence ||
            !array_grow(&s->warnings, &r->warnings_capacity, (size_t)s->nwarnings + 1, sizeof *s->warnings)) {
            free(sentence);
            return hmli_report_memory(r->json.error, r->json.file);
        }
        hmli_report_text(sentence, size, "%s: the key is unknown and ignored", pointer);
        s->warnings[s->nwarnings++] = sentence;
    }
    return HML_OK;
}

/* at the top of the file: what was meant as a state would be answered at the neutral one */
static hml_status refuse_keys(state_reader *r, const place *file, const char *const known[])
{
    uint32_t at = 0;
    const char *key = hmli_json_unknown(file, known, &at);
    if (!key) return HML_OK;
    place member = {file, key, 0, NULL};
    return hmli_json_fail(
        &r->json, &member,
        "a state has no such key; it has joints, wrenches, actuators and representation, and positions are in "
        "{\"joints\": {NAME: {\"position\": [...]}}}");
}

/* ---- joints ---- */

/* one number may stand without brackets */
static hml_status read_numbers(state_reader *r, const place *at, int n, double *x)
{
    if (n == 1 && json_is(at->value, JSON_NUMBER)) return hmli_json_number(&r->json, at, x);
    return hmli_json_numbers(&r->json, at, n, x);
}

static hml_status normalize(state_reader *r, const place *at, const hml_joint_info *joint, double *position)
{
    if (joint->type != HML_JOINT_SPHERICAL && joint->type != HML_JOINT_FREE) return HML_OK;
    double *q = joint->type == HML_JOINT_FREE ? position + 3 : position;
    double length = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
    char text[DECIMAL_SIZE];
    if (!(fabs(length - 1) <= 1e-3))
        return hmli_json_fail(&r->json, at, "the quaternion of joint " QUOTED " has length %s, not 1", joint->name,
                              decimal_text(text, DECIMAL_SHORT, length));
    for (int i = 0; i < 4; i++) q[i] /= length;
    return HML_OK;
}

static hml_status read_joint(state_reader *r, const place *at)
{
    static const char *const known[] = {"position", "velocity", "force", NULL};
    hml_joint_info joint = {.struct_size = sizeof joint}, leader = {.struct_size = sizeof leader};
    int32_t index = hml_model_find_joint(r->model, at->key);
    if (index < 0) return hmli_json_fail(&r->json, at, "the model has no joint " QUOTED, at->key);
    hml_model_joint(r->model, index, &joint);
    if (joint.leader >= 0) {
        hml_model_joint(r->model, joint.leader, &leader);
        return hmli_json_fail(&r->json, at, "joint " QUOTED " follows joint " QUOTED " and has no state of its own",
                              at->key, leader.name);
    }
    place position = hmli_json_member(at, "position"), velocity = hmli_json_member(at, "velocity");
    place force = hmli_json_member(at, "force");
    hml_state *s = r->state;
    hml_status status = hmli_json_object(&r->json, at);
    if (!status) status = warn_keys(r, at, known);
    if (status || joint.nv == 0) return status;
    if (position.value) status = read_numbers(r, &position, joint.nq, s->q + joint.q);
    if (!status && position.value) status = normalize(r, &position, &joint, s->q + joint.q);
    s->given[index] = position.value != NULL;
    if (!status && velocity.value) status = read_numbers(r, &velocity, joint.nv, s->v + joint.v);
    if (!status && force.value) status = read_numbers(r, &force, joint.nv, s->tau + joint.v);
    return status;
}

static hml_status read_joints(state_reader *r, const place *joints)
{
    hml_status status = hmli_json_object(&r->json, joints);
    if (status || !joints->value) return status;
    for (uint32_t i = 0; !status && i < joints->value->n; i++) {
        const json_member *member = &joints->value->is.members[i];
        place joint = {joints, member->key, 0, &member->value};
        status = read_joint(r, &joint);
    }
    return status;
}

/* ---- representation ---- */

/* V ← T⁻¹ V and F ← Tᵀ F, see the top of this file */
static void to_left(hml_representation representation, pose H, twist *V, wrench *F)
{
    if (representation == HML_RIGHT) {
        *V = pose_ad_inverse(H, *V);
        *F = pose_ad_dual_inverse(H, *F);
    } else {
        V->v = mat3_tmul_vec(H.R, V->v);
        F->f = mat3_tmul_vec(H.R, F->f);
        if (representation == HML_SPLIT) return;
        V->w = mat3_tmul_vec(H.R, V->w);
        F->t = mat3_tmul_vec(H.R, F->t);
    }
}

static void convert(const state_reader *r, hml_representation representation)
{
    for (int32_t i = 0; representation != HML_LEFT && i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_joint(r->model, i, &joint);
        hml_model_body(r->model, joint.body, &body);
        if (joint.type != HML_JOINT_FREE || body.parent >= 0) continue;
        const double *q = r->state->q + joint.q;
        double *v = r->state->v + joint.v, *tau = r->state->tau + joint.v;
        pose H = pose_of(quat_to_mat3(quat_at(q + 3)), vec3_at(q));
        twist V = twist_at(v);
        wrench F = wrench_at(tau);
        to_left(representation, H, &V, &F);
        vec3_put(V.v, v);
        vec3_put(V.w, v + 3);
        vec3_put(F.f, tau);
        vec3_put(F.t, tau + 3);
    }
}

static hml_status read_representation(state_reader *r, const place *at)
{
    static const char *const names[] = {"left", "right", "mixed", "split", NULL};
    static const hml_representation values[] = {HML_LEFT, HML_RIGHT, HML_MIXED, HML_SPLIT};
    const char *name = names[0];
    hml_status status = hmli_json_text(&r->json, at, &name);
    if (status) return status;
    int index = hmli_word_index(name, names);
    if (index < 0)
        return hmli_json_fail(&r->json, at, "the representation is left, right, mixed or split, not " QUOTED, name);
    convert(r, values[index]);
    return HML_OK;
}

/* ---- wrenches ---- */

static hml_status read_wrench(state_reader *r, const place *at, hml_frame_wrench *wrench_out)
{
    static const char *const known[] = {"frame", "wrench", "expressed", NULL};
    static const char *const words[] = {"frame", "world", NULL};
    place frame = hmli_json_member(at, "frame"), numbers = hmli_json_member(at, "wrench");
    place expressed = hmli_json_member(at, "expressed");
    const char *name = NULL, *word = words[0];
    hml_status status = hmli_json_object(&r->json, at);
    if (!status) status = warn_keys(r, at, known);
    if (!status) status = hmli_json_need(&r->json, &frame);
    if (!status) status = hmli_json_text(&r->json, &frame, &name);
    if (!status) status = hmli_json_need(&r->json, &numbers);
    if (!status) status = hmli_json_numbers(&r->json, &numbers, 6, wrench_out->wrench);
    if (!status) status = hmli_json_text(&r->json, &expressed, &word);
    if (status) return status;
    wrench_out->frame = hml_model_find_frame(r->model, name);
    if (wrench_out->frame < 0) return hmli_json_fail(&r->json, &frame, "the model has no frame " QUOTED, name);
    wrench_out->in_world = hmli_word_index(word, words);
    if (wrench_out->in_world < 0)
        return hmli_json_fail(&r->json, &expressed, "a wrench is expressed in frame or world, not " QUOTED, word);
    return HML_OK;
}

static hml_status read_wrenches(state_reader *r, const place *list)
{
    hml_status status = hmli_json_array(&r->json, list);
    size_t n = json_list_size(list->value);
    if (status || n == 0) return status;
    r->state->wrenches = calloc(n, sizeof *r->state->wrenches);
    if (!r->state->wrenches || n > INT32_MAX) return hmli_report_memory(r->json.error, r->json.file);
    for (size_t i = 0; !status && i < n; i++) {
        place at = hmli_json_element(list, i);
        status = read_wrench(r, &at, &r->state->wrenches[i]);
    }
    r->state->nwrenches = (int32_t)n;
    return status;
}

/* ---- actuators ---- */

static hml_status read_actuators(state_reader *r, const place *actuators)
{
    hml_status status = hmli_json_object(&r->json, actuators);
    for (uint32_t i = 0; !status && actuators->value && i < actuators->value->n; i++) {
        const json_member *member = &actuators->value->is.members[i];
        place at = {actuators, member->key, 0, &member->value};
        const int32_t index = hml_model_find_actuator(r->model, member->key);
        if (index < 0) return hmli_json_fail(&r->json, &at, "the model has no actuator " QUOTED, member->key);
        status = hmli_json_number(&r->json, &at, &r->state->inputs[index]);
    }
    return status;
}

/* ---- files ---- */

static hml_status read_state(state_reader *r, const place *file)
{
    static const char *const known[] = {"joints", "wrenches", "representation", "actuators", NULL};
    place joints = hmli_json_member(file, "joints"), wrenches = hmli_json_member(file, "wrenches");
    place representation = hmli_json_member(file, "representation"), actuators = hmli_json_member(file, "actuators");
    hml_status status = hmli_json_object(&r->json, file);
    if (!status) status = refuse_keys(r, file, known);
    if (!status) status = read_joints(r, &joints);
    if (!status) status = read_representation(r, &representation);
    if (!status) status = read_actuators(r, &actuators);
    return status ? status : read_wrenches(r, &wrenches);
}

hml_status hmli_state_read(const json_reader *json, const place *at, const hml_model *model, hml_state **state)
{
    state_reader r = {.json = *json, .model = model};
    *state = NULL;
    hml_status status = hml_state_new(model, &r.state);
    if (status) return hmli_report_memory(json->error, json->file);
    if (at->value) status = read_state(&r, at);
    if (status)
        hml_state_free(r.state);
    else
        *state = r.state;
    return status;
}

hml_status hml_state_load_memory(const void *data, size_t size, const char *name, const hml_model *model,
                                 hml_state **state, hml_error *error)
{
    if (!model || !state || (!data && size > 0))
        return hmli_report(error, HML_INVALID_ARGUMENT, name, 0, "there is no state to load");
    const json_reader json = {name, error};
    arena memory = {0};
    environment numbers;
    const json_value *root;
    *state = NULL;
    environment_enter(&numbers);
    hml_status status = hmli_json_tree(&memory, name, size ? data : "", size, &root, error);
    place file = {.value = root};
    if (!status) status = hmli_state_read(&json, &file, model, state);
    hmli_arena_free(&memory);
    environment_leave(&numbers);
    return status;
}

hml_status hml_state_load(const char *path, const hml_model *model, hml_state **state, hml_error *error)
{
    if (!path || !model || !state)
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no state to load");
    char *data;
    size_t size;
    *state = NULL;
    hml_status status = hmli_file_read(path, &data, &size, error);
    if (status) return status;
    status = hml_state_load_memory(data, size, path, model, state, error);
    free(data);
    return status;
}
