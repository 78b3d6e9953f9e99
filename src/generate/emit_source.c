/* The source file of a generated robot: what all functions share. */
#include "generate/emit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate/solve.h"
#include "io/common/number.h"
#include "model/mimic.h"

/* ---- names, numbers, lists ---- */

void hmli_emit_number(const emitter *e, writer *w, double x)
{
    char text[NUMBER_SIZE];
    hmli_number_write(e->options->single ? (double)(float)x : x, text);
    hmli_writer_put(w, text);
    if (!strpbrk(text, ".e")) hmli_writer_put(w, ".0");
    if (e->options->single) hmli_writer_put(w, "f");
}

void hmli_emit_identifier(const char *name, int upper, char *out, size_t size)
{
    size_t n = 0;
    if (isdigit((unsigned char)name[0]) && n + 1 < size) out[n++] = '_';
    for (; *name && n + 1 < size; name++) {
        const unsigned char c = (unsigned char)*name;
        const int plain = c < 0x80 && isalnum(c);
        out[n++] = (char)(!plain ? '_' : upper ? toupper(c) : c);
    }
    out[n] = 0;
}

int32_t hmli_emit_lanes(const emitter *e, const region *r)
{
    if (!e->vectors || !r->limbs) return 1;
    return r->limbs->members <= 2 ? 2 : r->limbs->members <= 4 ? 4 : 8;
}

static void take_list(emitter *e, const char *name, const int32_t *x, int32_t n)
{
    writer w = {0};
    for (int32_t i = 0; i < n; i++) hmli_writer_print(&w, "%s%d", i ? ", " : "", (int)x[i]);
    if (n == 0) hmli_writer_put(&w, "0");
    hmli_template_take(&e->values, name, &w);
}

int32_t hmli_emit_known(const emitter *e, const limb_class *c, int of_q)
{
    const int32_t top = e->shape->column[c->path[0]];
    const int galilean = hmli_shape_is_galilean(e->shape, plan_columns(e->shape->plan)[top].body);
    return !galilean ? 0 : of_q ? 6 : 3;
}

int32_t hmli_emit_leading(const emitter *e)
{
    int32_t n = 0;
    while (!e->model->nfollowers && n < e->shape->trunk_columns && e->shape->column[n] == n) n++;
    return n;
}

/* where the entries of a limb's row in PQ and PV are: products of columns leave them column by column */
static void set_path_layout(emitter *e, const limb_class *c, int id)
{
    const int by_column = hmli_emit_columns(e, c) > 1;
    char row[32], stride[32], entry[48];
    snprintf(row, sizeof row, by_column ? "i" : "i * LIMB%d_PATH", id);
    snprintf(stride, sizeof stride, by_column ? "LIMB%d_N" : e->states > 1 ? "STATES" : "1", id);
    snprintf(entry, sizeof entry, by_column ? "j * LIMB%d_N + i" : "i * LIMB%d_PATH + j", id);
    hmli_template_text(&e->values, "path_row", row);
    hmli_template_text(&e->values, "path_stride", stride);
    hmli_template_text(&e->values, "path_entry", entry);
}

void hmli_emit_region_values(emitter *e, int32_t id)
{
    const limb_class *c = &e->shape->classes[id - 1];
    const plan_body *b = plan_bodies(e->shape->plan);
    const int32_t members = c->members;
    const region as = {.limbs = c};
    const int32_t lanes = hmli_emit_lanes(e, &as);
    int32_t column[GRAPH_LANES], q[GRAPH_LANES], v[GRAPH_LANES];
    char name[32];
    snprintf(name, sizeof name, "limb%d", (int)id);
    hmli_template_text(&e->values, "r", name);
    snprintf(name, sizeof name, "LIMB%d", (int)id);
    hmli_template_text(&e->values, "R", name);
    for (int32_t m = 0; m < members; m++) {
        column[m] = limb_column(e->shape, c, m);
        q[m] = b[c->first[m]].q - b[c->first[0]].q;
        v[m] = b[c->first[m]].v - b[c->first[0]].v;
    }
    hmli_template_integer(&e->values, "members", c->members);
    hmli_template_integer(&e->values, "n", c->n);
    hmli_template_integer(&e->values, "npath", c->npath);
    hmli_template_integer(&e->values, "lanes", lanes);
    hmli_template_integer(&e->values, "bytes", (long)lanes * (e->options->single ? 4 : 8));
    hmli_template_integer(&e->values, "zero_q", hmli_emit_known(e, c, 1));
    hmli_template_integer(&e->values, "zero_v", hmli_emit_known(e, c, 0));
    snprintf(name, sizeof name, "LIMB%d_LANES * s + ", (int)id);
    hmli_template_text(&e->values, "lane", e->states > 1 ? name : "");
    snprintf(name, sizeof name, "(const limb%d_lane *)", (int)id);
    hmli_template_text(&e->values, "each", e->states > 1 ? name : "");
    set_path_layout(e, c, (int)id);
    take_list(e, "path", c->path, c->npath);
    take_list(e, "column", column, c->members);
    take_list(e, "q_offset", q, c->members);
    take_list(e, "v_offset", v, c->members);
}

void hmli_emit_each_limb(emitter *e, writer *w, const char *section)
{
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        hmli_emit_region_values(e, id);
        hmli_template_put(w, &e->values, section);
    }
}

/* ---- what all functions share ---- */

static int is_angle(int32_t type, int32_t k)
{
    switch (type) {
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_HELICAL: return k == 0;
    case HML_JOINT_CYLINDRICAL: return k == 1;
    case HML_JOINT_PLANAR: return k == 2;
    case HML_JOINT_SCHOENFLIES: return k == 3;
    default: return 0;
    }
}

/* 1 if entry `at` of the tree's configuration is an angle */
static int angle_at(const hml_plan *plan, int32_t at)
{
    for (int32_t i = 0; i < plan->nbodies; i++) {
        const plan_body *b = &plan_bodies(plan)[i];
        if (at >= b->q && is_angle(b->type, at - b->q) && b->nv > 0) return 1;
    }
    return 0;
}

int32_t hmli_emit_sines(const emitter *e, writer *w)
{
    const hml_plan *plan = e->shape->plan;
    int32_t runs = 0;
    for (int32_t i = 0, end; i < plan->nq; i = end) {
        end = i + 1;
        if (!angle_at(plan, i)) continue;
        while (end < plan->nq && angle_at(plan, end)) end++;
        if (w)
            hmli_writer_print(w,
                              e->states > 1 ? "        sines(in[s].q + %d, %d, w->sine[s] + %d, w->cosine[s] + %d);\n"
                                            : "    sines(in.q + %d, %d, w.sine + %d, w.cosine + %d);\n",
                              (int)i, (int)(end - i), (int)i, (int)i);
        runs++;
    }
    return runs;
}

static void put_check(emitter *e, writer *w)
{
    int quaternions = 0;
    writer checks = {0};
    for (int32_t i = 0; i < e->model->njoints; i++) {
        const model_joint *j = &model_joints(e->model)[i];
        const int at = j->type == HML_JOINT_FREE ? 3 : j->type == HML_JOINT_SPHERICAL ? 0 : -1;
        if (at < 0 || j->nq == 0) continue;
        hmli_template_integer(&e->values, "at", j->q + at);
        hmli_template_put(&checks, &e->values, "check_quaternion");
        quaternions++;
    }
    if (quaternions) hmli_template_put(w, &e->values, "unit");
    hmli_template_put(w, &e->values, "check_begin");
    if (checks.data) hmli_writer_put(w, checks.data);
    w->failed |= checks.failed;
    hmli_writer_free(&checks);
    hmli_template_put(w, &e->values, "check_end");
}

int hmli_emit_implicit(const emitter *e)
{
    if (!(e->options->functions & HML_GENERATE_STEP_LINEARIZE)) return 0;
    for (int32_t i = 0; i < e->model->tree_nv; i++) {
        const model_coordinate *c = &plan_coordinates(e->shape->plan)[i];
        if (c->damping != 0 || c->stiffness != 0) return 1;
    }
    return 0;
}

/* ---- springs of joints whose coordinates do not add up ---- */

static int has_group_spring(const emitter *e, const plan_body *b)
{
    const int angle = b->type == HML_JOINT_PLANAR || b->type == HML_JOINT_SCHOENFLIES;
    const int quaternion = b->type == HML_JOINT_SPHERICAL || b->type == HML_JOINT_FREE;
    for (int32_t k = 0; (angle || quaternion) && k < b->nv; k++) {
        if (plan_coordinates(e->shape->plan)[b->v + k].stiffness != 0) return angle ? 1 : 2;
    }
    return 0;
}

/* 1: some turn about z, 2: some by a quaternion, 3: both */
int hmli_emit_group_springs(const emitter *e)
{
    int kinds = 0;
    for (int32_t i = 0; i < e->shape->plan->nbodies; i++) kinds |= has_group_spring(e, &plan_bodies(e->shape->plan)[i]);
    return kinds;
}

/* the names of libm's functions */
void hmli_emit_functions(emitter *e)
{
    static const char *const names[] = {"sqrt", "sin", "cos", "atan2"};
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "%s%s", names[i], e->options->single ? "f" : "");
        hmli_template_text(&e->values, names[i], name);
    }
}

static void put_springs(emitter *e, writer *w)
{
    const int kinds = hmli_emit_group_springs(e);
    if (!kinds) return;
    hmli_emit_functions(e);
    hmli_template_put(w, &e->values, "springs");
    if (kinds & 2) hmli_template_put(w, &e->values, "spring_quaternion");
    if (kinds & 1) hmli_template_put(w, &e->values, "spring_angle");
    hmli_template_put(w, &e->values, "springs_begin");
    for (int32_t i = 0; i < e->shape->plan->nbodies; i++) {
        const plan_body *b = &plan_bodies(e->shape->plan)[i];
        const int kind = has_group_spring(e, b), quaternion = kind == 2;
        const int32_t lengths = quaternion ? b->nv - 3 : b->nv - 1, nq = lengths + (quaternion ? 4 : 1);
        if (!kind) continue;
        hmli_writer_print(w, "    static const real rest%d[] = {", (int)i);
        for (int32_t k = 0; k < nq; k++) {
            if (k) hmli_writer_put(w, ", ");
            hmli_emit_number(e, w, plan_rest(e->shape->plan)[b->q + k]);
        }
        hmli_writer_print(w, "};\n    %s(q + %d, rest%d, %d, out + %d);\n",
                          quaternion ? "spring_quaternion" : "spring_angle", (int)b->q, (int)i, (int)lengths,
                          (int)(7 * b->v));
    }
    hmli_template_put(w, &e->values, "springs_end");
}

/* ---- followers ---- */

static void put_followers(emitter *e, writer *w)
{
    const hml_model *m = e->model;
    const unsigned solving = HML_GENERATE_LINEARIZE | HML_GENERATE_FORWARD_DYNAMICS | HML_GENERATE_STEP_LINEARIZE |
                             HML_GENERATE_HELD_LINEARIZE;
    writer column = {0}, factor = {0}, is = {0};
    for (int32_t i = 0; i < m->tree_nv; i++) {
        const plan_column *c = &plan_columns(e->shape->plan)[i];
        const model_joint *j = &model_joints(m)[model_bodies(m)[c->body].joint];
        const int follows = j->leader >= 0;
        const int32_t at = follows ? model_joints(m)[j->leader].v : j->v + i - model_bodies(m)[j->body].v;
        hmli_writer_print(&column, "%s%d", i ? ", " : "", (int)at);
        hmli_writer_print(&is, "%s%d", i ? ", " : "", follows);
        if (i) hmli_writer_put(&factor, ", ");
        hmli_emit_number(e, &factor, follows ? j->multiplier : 1);
    }
    hmli_template_take(&e->values, "column", &column);
    hmli_template_take(&e->values, "factor", &factor);
    hmli_template_take(&e->values, "is", &is);
    hmli_template_put(w, &e->values, "followers");
    if (e->options->functions & solving) hmli_template_put(w, &e->values, "follower_is");
    if (e->options->functions & ~(unsigned)HML_GENERATE_FRAMES) hmli_template_put(w, &e->values, "follower_reduce");
    hmli_template_put(w, &e->values, "expand_begin");
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        const int32_t q = model_bodies(m)[j->body].q, v = model_bodies(m)[j->body].v;
        const model_joint *leader = j->leader >= 0 ? &model_joints(m)[j->leader] : NULL;
        for (int32_t k = 0; !leader && k < j->nq; k++)
            hmli_writer_print(w, "    tree_q[%d] = q[%d];\n", (int)(q + k), (int)(j->q + k));
        for (int32_t k = 0; !leader && k < j->nv; k++)
            hmli_writer_print(w, "    if (v) tree_v[%d] = v[%d];\n", (int)(v + k), (int)(j->v + k));
        if (!leader) continue;
        hmli_writer_print(w, "    tree_q[%d] = q[%d] * ", (int)q, (int)leader->q);
        hmli_emit_number(e, w, j->multiplier);
        hmli_writer_put(w, " + ");
        hmli_emit_number(e, w, j->offset);
        hmli_writer_print(w, ";\n    if (v) tree_v[%d] = v[%d] * ", (int)v, (int)leader->v);
        hmli_emit_number(e, w, j->multiplier);
        hmli_writer_put(w, ";\n");
    }
    hmli_template_put(w, &e->values, "expand_end");
}

int32_t hmli_emit_first(const emitter *e, int of_q)
{
    return !hmli_shape_is_galilean(e->shape, e->shape->body[0]) ? 0 : of_q ? 6 : 3;
}

/* where column 0 stands in a sheet whose columns begin with `first` */
static int32_t sheet_shift(const emitter *e, int32_t first)
{
    if (hmli_emit_alike(e)) first = hmli_emit_first(e, 0);
    return hmli_emit_padding(e, e->model->nv - first) - first;
}

static void put_layout(emitter *e, writer *w)
{
    const int32_t nv = e->model->nv, q = hmli_emit_first(e, 1), v = hmli_emit_first(e, 0), m = hmli_emit_leading(e);
    const int32_t user = e->model->nfollowers ? nv : e->shape->trunk_columns;
    hmli_template_integer(&e->values, "stride", nv + hmli_emit_padding(e, nv));
    hmli_template_integer(&e->values, "trunk_stride", user + (e->solves ? 0 : hmli_emit_padding(e, user)));
    hmli_template_text(&e->values, "S", e->solves ? "trunk.M" : "S");
    hmli_template_text(&e->values, "given", e->solves ? "NULL" : "w.a");
    hmli_template_integer(&e->values, "first_q", q);
    hmli_template_integer(&e->values, "first_v", v);
    hmli_template_integer(&e->values, "at_q", sheet_shift(e, q));
    hmli_template_integer(&e->values, "at_v", sheet_shift(e, v));
    hmli_template_integer(&e->values, "first_m", m);
    hmli_template_integer(&e->values, "at_m", sheet_shift(e, m));
    hmli_template_integer(&e->values, "real_size", e->options->single ? 4 : 8);
    hmli_template_text(&e->values, "row", e->model->nfollowers ? "i" : "trunk_column[i]");
    hmli_template_put(w, &e->values, "layout");
}

/* are registers of eight entries joined of two? */
static int needs_halves(const emitter *e)
{
    int joins = hmli_emit_batch(e) && hmli_emit_pack(e) > 1;
    for (int32_t id = 0; id < e->shape->nclasses; id++) joins |= hmli_emit_joins(e, &e->shape->classes[id]);
    return joins;
}

void hmli_emit_shared(emitter *e, writer *w)
{
    const hml_model *m = e->model;
    const unsigned functions = e->options->functions;
    const int linearizes = (functions & HML_GENERATE_LINEARIZE) || hmli_emit_implicit(e);
    const int solves = linearizes || (functions & HML_GENERATE_FORWARD_DYNAMICS);
    const int followers = m->nfollowers > 0;
    hmli_template_integer(&e->values, "tree_nq", m->tree_nq);
    hmli_template_integer(&e->values, "tree_nv", m->tree_nv);
    hmli_template_integer(&e->values, "trunk_n", e->shape->trunk_columns);
    hmli_template_integer(&e->values, "trunk_user", followers ? m->nv : e->shape->trunk_columns);
    hmli_template_text(&e->values, "score", e->options->single ? "1e10" : "4.9e27");
    hmli_template_put(w, &e->values, "runtime");
    const int sines = hmli_emit_sines(e, NULL) > 0, vector_sines = e->vectors && !e->options->single;
    hmli_template_integer(&e->values, "real_size", e->options->single ? 4 : 8);
    hmli_template_integer(&e->values, "wide", hmli_emit_wide(e));
    hmli_template_integer(&e->values, "wide_bytes", (long)hmli_emit_wide(e) * (e->options->single ? 4 : 8));
    if (e->vectors) hmli_template_put(w, &e->values, "wide");
    hmli_template_put(w, &e->values, e->vectors ? "finite_wide" : "finite");
    put_check(e, w);
    if (sines)
        hmli_template_put(w, &e->values,
                          vector_sines         ? "sincos_vector"
                          : e->options->single ? "sincos_float"
                                               : "sincos_double");
    put_springs(e, w);
    if (followers) put_followers(e, w);
    if (!solves && !(functions & (HML_GENERATE_MASS_MATRIX | HML_GENERATE_INVERSE_DYNAMICS))) return;
    if (!followers) {
        take_list(e, "column", e->shape->column, e->shape->trunk_columns);
        hmli_template_put(w, &e->values, "trunk_tables");
    }
    hmli_emit_each_limb(e, w, e->vectors ? "limb_tables_vector" : "limb_tables_scalar");
    /* inverse dynamics need no path, nor do forward dynamics that solve over expressions */
    const int forward = (functions & HML_GENERATE_FORWARD_DYNAMICS) && !e->solves;
    for (int32_t id = 1; id <= e->shape->nclasses; id++) {
        const limb_class *c = &e->shape->classes[id - 1];
        const int looked_up = linearizes && !(hmli_emit_across(e, c) && hmli_emit_straight(c));
        hmli_emit_region_values(e, id);
        if (looked_up || forward || (functions & HML_GENERATE_MASS_MATRIX))
            hmli_template_put(w, &e->values, "limb_path");
    }
    if (e->shape->nclasses && !e->vectors) hmli_template_put(w, &e->values, "moved");
    if (!solves) return;
    put_layout(e, w);
    if (!e->solves) hmli_emit_invert(e, w);
    hmli_emit_turns(e, w, linearizes);
    if (linearizes && needs_halves(e)) hmli_template_put(w, &e->values, "half");
}
