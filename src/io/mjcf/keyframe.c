/*
 * Keyframes. MuJoCo's qpos and qvel list the joints in the order of the file. Their numbers are Hamel's (see joint.c),
 * but for the linear velocity of a free joint, which is in the world's axes.
 *
 * The keyframe "start" is MuJoCo's qpos0: free bodies where the file puts them, hinges and slides at their `ref`. It is
 * made if that is not the neutral configuration, and if the file has no keyframe of this name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group/so3.h"
#include "io/common/number.h"
#include "io/mjcf/mjcf.h"

/* of all joints */
typedef struct sizes {
    int nq, nv;
} sizes;

static sizes count(const mjcf *m)
{
    sizes s = {0, 0};
    for (size_t i = 0; i < m->njoints; i++) {
        s.nq += hml_joint_type_nq(m->joints[i].spec.type);
        s.nv += hml_joint_type_nv(m->joints[i].spec.type);
    }
    return s;
}

/* unit quaternion; 0 if it has no length. MuJoCo takes any length */
static int normalize(hml_joint_type type, double *q)
{
    if (type == HML_JOINT_FREE) q += 3;
    if (type != HML_JOINT_FREE && type != HML_JOINT_SPHERICAL) return 1;
    double length = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
    if (!(length > 1e-14)) return 0;
    for (int i = 0; i < 4; i++) q[i] /= length;
    return 1;
}

/* v of a free joint, linear part into the body's axes; q is unit */
static void to_left(const double *q, double *v)
{
    vec3_put(mat3_tmul_vec(quat_to_mat3(quat_at(q + 3)), vec3_at(v)), v);
}

static hml_status add(mjcf *m, const char *name, const xml_node *node, double *qpos, double *qvel)
{
    hml_status status = hml_builder_add_keyframe(m->r->builder, name, NULL, 0, NULL, 0, NULL, m->r->error);
    for (size_t i = 0; !status && i < m->njoints; i++) {
        const hml_joint_spec *spec = &m->joints[i].spec;
        const int nq = hml_joint_type_nq(spec->type), nv = hml_joint_type_nv(spec->type);
        if (qpos && qvel && spec->type == HML_JOINT_FREE) to_left(qpos, qvel);
        status = hml_builder_add_keyframe(m->r->builder, name, spec->name, nq, qpos, nv, qvel, m->r->error);
        if (qpos) qpos += nq;
        if (qvel) qvel += nv;
    }
    return status ? hmli_report_place(m->r->error, status, node->file, node->line) : HML_OK;
}

/* ---- qpos0 ---- */

/* 1 if some joint is not neutral */
static int fill_start(const mjcf *m, double *q)
{
    int any = 0;
    for (size_t i = 0; i < m->njoints; i++) {
        const mjcf_joint *j = &m->joints[i];
        const int nq = hml_joint_type_nq(j->spec.type);
        hml_joint_spec neutral;
        hml_joint_spec_init(&neutral, j->spec.type);
        memcpy(q, neutral.rest, (size_t)nq * sizeof *q);
        if (j->spec.type == HML_JOINT_FREE) {
            const pose place = m->bodies[j->body].place;
            vec3_put(place.p, q);
            quat_put(quat_normalize(mat3_to_quat(place.R)), q + 3);
        } else if (nq == 1) {
            q[0] = j->ref;
        }
        for (int k = 0; k < nq; k++) any |= q[k] != neutral.rest[k];
        q += nq;
    }
    return any;
}

static hml_status add_start(mjcf *m, const xml_node *mujoco)
{
    const sizes s = count(m);
    double *q = malloc(((size_t)s.nq + 1) * sizeof *q);
    if (!q) return hmli_report_memory(m->r->error, m->r->file);
    hml_status status = fill_start(m, q) ? add(m, "start", mujoco, q, NULL) : HML_OK;
    free(q);
    return status;
}

/* ---- <keyframe> ---- */

static hml_status leave_out(mjcf *m, const xml_node *node, const char *name, const char *why)
{
    return hmli_reader_warn(m->r, "line %d: keyframe " QUOTED " %s and is left out", node->line, name, why);
}

static hml_status wrong_count(mjcf *m, const xml_node *node, const char *name, const char *what, int has, int wanted)
{
    char why[120];
    if (has < 0)
        snprintf(why, sizeof why, "has something in its %s that is no number", what);
    else
        snprintf(why, sizeof why, "has %d numbers in its %s, where the joints have %d,", has, what, wanted);
    return leave_out(m, node, name, why);
}

/* numbers: room for qpos and qvel */
static hml_status read_key(mjcf *m, const xml_node *node, const char *name, sizes s, double *numbers)
{
    const char *qpos = hmli_xml_get(node, "qpos"), *qvel = hmli_xml_get(node, "qvel");
    double *q = numbers, *v = numbers + s.nq;
    const int has = qpos ? hmli_number_read_list(qpos, s.nq, q) : s.nq;
    const int moves = qvel ? hmli_number_read_list(qvel, s.nv, v) : s.nv;
    if (has != s.nq) return wrong_count(m, node, name, "qpos", has, s.nq);
    if (moves != s.nv) return wrong_count(m, node, name, "qvel", moves, s.nv);
    if (!qpos) fill_start(m, q);
    if (!qvel) memset(v, 0, (size_t)s.nv * sizeof *v);
    double *at = q;
    for (size_t i = 0; i < m->njoints; i++) {
        if (!normalize(m->joints[i].spec.type, at)) return leave_out(m, node, name, "has a quaternion without length");
        at += hml_joint_type_nq(m->joints[i].spec.type);
    }
    return add(m, name, node, q, v);
}

static hml_status read_named(mjcf *m, const xml_node *node, int32_t index, sizes s, double *numbers)
{
    static const char *const known[] = {"name", "time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat", NULL};
    char made[32];
    const char *name = hmli_xml_get(node, "name");
    const int named = name && *name;
    snprintf(made, sizeof made, "key%d", (int)index); /* MuJoCo's number of it */
    hml_status status = hmli_reader_warn_attributes(m->r, node, known);
    if (status) return status;
    if (!named) name = hmli_reader_unique(m->r, &m->key_names, made, "", index);
    const int added = named ? hmli_map_add(&m->key_names, name, index) : name ? 1 : -1;
    if (added < 0) return hmli_report_memory(m->r->error, m->r->file);
    if (!added) return leave_out(m, node, name, "is there already");
    if (!hmli_xml_get(node, "qpos") && !hmli_xml_get(node, "qvel"))
        return leave_out(m, node, name, "has neither qpos nor qvel");
    return read_key(m, node, name, s, numbers);
}

static hml_status read_all(mjcf *m, const xml_node *mujoco, double *numbers)
{
    const sizes s = count(m);
    int32_t index = 0;
    hml_status status = HML_OK;
    for (const xml_node *section = mujoco->first; !status && section; section = section->next) {
        if (!xml_is(section, "keyframe")) continue;
        for (const xml_node *node = section->first; !status && node; node = node->next)
            status =
                xml_is(node, "key") ? read_named(m, node, index++, s, numbers) : hmli_reader_warn_element(m->r, node);
    }
    return status;
}

hml_status hmli_mjcf_keyframes(mjcf *m, const xml_node *mujoco)
{
    int named = 0;
    const sizes s = count(m);
    for (const xml_node *section = mujoco->first; section; section = section->next)
        for (const xml_node *key = xml_is(section, "keyframe") ? section->first : NULL; key; key = key->next)
            named |= hmli_xml_get(key, "name") && strcmp(hmli_xml_get(key, "name"), "start") == 0;
    hml_status status = named ? HML_OK : add_start(m, mujoco);
    double *numbers = malloc(((size_t)s.nq + (size_t)s.nv + 1) * sizeof *numbers);
    if (!numbers) return hmli_report_memory(m->r->error, m->r->file);
    if (!status) status = read_all(m, mujoco, numbers);
    free(numbers);
    return status;
}
