/* step_linearize: what a step makes of a linearization, joint by joint. */
#include "generate/emit.h"

#include <stdio.h>

/* the joint's coordinates among those of a twist; lengths: how many of them are lengths. 0: they add up */
static int32_t group_rows(int32_t type, const char **list, int32_t *lengths)
{
    static const struct {
        hml_joint_type type;
        const char *list;
        int32_t n, lengths;
    } rows[] = {{HML_JOINT_PLANAR, "0, 1, 5", 3, 2},
                {HML_JOINT_SCHOENFLIES, "0, 1, 2, 5", 4, 3},
                {HML_JOINT_SPHERICAL, "3, 4, 5", 3, 0},
                {HML_JOINT_FREE, "0, 1, 2, 3, 4, 5", 6, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((int32_t)rows[i].type != type) continue;
        *list = rows[i].list;
        *lengths = rows[i].lengths;
        return rows[i].n;
    }
    return 0;
}

static int has_angle(int32_t type) { return type == HML_JOINT_PLANAR || type == HML_JOINT_SCHOENFLIES; }

/* which helpers the joints need: 1: some turn about z, 2: some by a quaternion */
static int kinds_of(const hml_model *m)
{
    int kinds = 0;
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        const char *list;
        int32_t lengths;
        if (j->leader < 0 && group_rows(j->type, &list, &lengths)) kinds |= has_angle(j->type) ? 1 : 2;
    }
    return kinds;
}

static void put_joint(emitter *e, writer *w, const model_joint *j)
{
    const char *list = "";
    int32_t lengths = 0;
    const int32_t n = group_rows(j->type, &list, &lengths);
    if (j->leader >= 0 || j->nv == 0) return;
    hmli_template_integer(&e->values, "q", j->q);
    hmli_template_integer(&e->values, "v", j->v);
    hmli_template_integer(&e->values, "count", j->nv);
    hmli_template_text(&e->values, "list", list);
    hmli_template_integer(&e->values, "lengths", lengths);
    hmli_template_text(&e->values, "move", has_angle(j->type) ? "step_angle" : "step_quaternion");
    hmli_template_put(w, &e->values, n ? "step_joint" : "step_add");
}

/* joints side by side whose coordinates add up are one loop */
static int32_t put_run(emitter *e, writer *w, int32_t i)
{
    const hml_model *m = e->model;
    model_joint run = model_joints(m)[i];
    const char *list;
    int32_t lengths, end = i + 1;
    for (; !group_rows(run.type, &list, &lengths) && run.leader < 0 && end < m->njoints; end++) {
        const model_joint *next = &model_joints(m)[end];
        if (next->leader >= 0 || group_rows(next->type, &list, &lengths)) break;
        if (next->q != run.q + run.nv || next->v != run.v + run.nv) break;
        run.nv += next->nv;
    }
    put_joint(e, w, &run);
    return end;
}

void hmli_emit_step(emitter *e, writer *w)
{
    const int kinds = kinds_of(e->model), implicit = hmli_emit_implicit(e);
    char call[EMIT_PREFIX + 16];
    hmli_emit_functions(e);
    if (kinds) hmli_template_put(w, &e->values, "step_group");
    if (kinds & 2) hmli_template_put(w, &e->values, "step_quaternion");
    if (kinds & 1) hmli_template_put(w, &e->values, "step_angle");
    snprintf(call, sizeof call, "%s_linearize", e->prefix);
    hmli_template_text(&e->values, "step_call", implicit ? "step_linearized" : call);
    hmli_template_text(&e->values, "step_h", implicit ? "&h, " : "");
    hmli_template_put(w, &e->values, "step_begin");
    for (int32_t i = 0; i < e->model->njoints;) i = put_run(e, w, i);
    hmli_template_put(w, &e->values, "function_end");
}
