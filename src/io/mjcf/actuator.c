/*
 * Actuators: which joints are driven, and the law of each force, f = gain·u + bias₀ + bias₁·length + bias₂·speed.
 *
 * <motor>, <position>, <velocity> and <general> have such a law, if it does not depend on the input in other ways; they
 * act on joints and sites. Of the others the joints are driven, and the rest is left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "io/mjcf/mjcf.h"

/* A rotor behind a gear: what it adds to the joint goes with the square of the gear, in every coordinate. */
static hml_status add_rotor(mjcf *m, const mjcf_element *e, const double gear[6], hml_joint_spec *spec)
{
    char text[LABEL_SIZE];
    double armature = 0, damping[3] = {0};
    hml_status status = hmli_mjcf_numbers(m, e, "armature", 1, &armature);
    if (!status) status = hmli_mjcf_some_numbers(m, e, "damping", 3, damping);
    if (status) return status;
    if (damping[1] != 0 || damping[2] != 0)
        return MJCF_FAIL(m, HML_UNSUPPORTED, e->node, "%s: polynomial damping is not supported",
                         hmli_mjcf_label(text, "actuator", e->node));
    for (int i = 0; i < hml_joint_type_nv(spec->type); i++) {
        spec->armature[i] += armature * gear[0] * gear[0];
        if (!m->set.no_dampers) spec->damping[i] += damping[0] * gear[0] * gear[0];
    }
    return HML_OK;
}

/* ---- laws ---- */

/* gainprm and biasprm of <general>; *why: what of it is not such a law */
static hml_status read_general(mjcf *m, const mjcf_element *e, hml_actuator *a, const char **why)
{
    static const char *const gains[] = {"fixed", "affine", "muscle", "dcmotor", "user", NULL};
    static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "user", NULL};
    double gain[MJCF_NUMBERS] = {1}, bias[MJCF_NUMBERS] = {0};
    int gain_type = 0, bias_type = 0;
    hml_status status = hmli_mjcf_word(m, e, "gaintype", gains, &gain_type);
    if (!status) status = hmli_mjcf_word(m, e, "biastype", biases, &bias_type);
    if (!status) status = hmli_mjcf_some_numbers(m, e, "gainprm", MJCF_NUMBERS, gain);
    if (!status) status = hmli_mjcf_some_numbers(m, e, "biasprm", MJCF_NUMBERS, bias);
    if (status) return status;
    if (gain_type > 1 || (gain_type == 1 && (gain[1] != 0 || gain[2] != 0))) *why = "its gain";
    if (bias_type > 1) *why = "its bias";
    a->gain = gain[0];
    if (bias_type == 1) memcpy(a->bias, bias, sizeof a->bias);
    return HML_OK;
}

/* kp·(u − length) − kv·speed; kp may come from a default for <general> */
static hml_status read_servo(mjcf *m, const mjcf_element *e, int position, hml_actuator *a, double *ratio)
{
    double gain[MJCF_NUMBERS] = {1}, kv = 0, lag = 0;
    hml_status status = hmli_mjcf_some_numbers(m, e, "gainprm", MJCF_NUMBERS, gain);
    if (!status) status = hmli_mjcf_numbers(m, e, position ? "kp" : "kv", 1, &gain[0]);
    if (!status && position) status = hmli_mjcf_numbers(m, e, "kv", 1, &kv);
    if (!status && position) status = hmli_mjcf_numbers(m, e, "dampratio", 1, ratio);
    if (!status && position) status = hmli_mjcf_numbers(m, e, "timeconst", 1, &lag);
    if (status) return status;
    a->gain = gain[0];
    if (position) a->bias[1] = -gain[0];
    a->bias[2] = 0 - (position ? kv : gain[0]); /* no −0 */
    if (lag != 0)
        status = hmli_reader_warn_once(m->r, "lag", "line %d: the time constant of %s is left out: it acts at once",
                                       e->node->line, hmli_reader_label((char[LABEL_SIZE]){0}, "actuator", a->name));
    return status;
}

static hml_status read_law(mjcf *m, const mjcf_element *e, hml_actuator *a, double *ratio, const char **why)
{
    static const char *const dynamics[] = {"none",   "integrator", "filter", "filterexact",
                                           "muscle", "dcmotor",    "user",   NULL};
    int dynamic = 0;
    const xml_node *node = e->node;
    if (xml_is(node, "motor")) return HML_OK; /* f = u, whatever defaults say */
    if (xml_is(node, "position") || xml_is(node, "velocity"))
        return read_servo(m, e, xml_is(node, "position"), a, ratio);
    if (!xml_is(node, "general")) {
        *why = "its law";
        return HML_OK;
    }
    hml_status status = hmli_mjcf_word(m, e, "dyntype", dynamics, &dynamic);
    if (!status) status = read_general(m, e, a, why);
    if (status || dynamic == 0) return status;
    if (dynamic != 2 && dynamic != 3) *why = "its activation";
    return hmli_reader_warn_once(m->r, "lag", "line %d: the filter of %s is left out: it acts at once", node->line,
                                 hmli_reader_label((char[LABEL_SIZE]){0}, "actuator", a->name));
}

/* limited: true, false, or auto, which means that there is a range */
static hml_status read_limits(mjcf *m, const mjcf_element *e, const char *range_name, const char *limited_name,
                              double *lower, double *upper)
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    double range[2] = {0, 0};
    int word = 2;
    hml_status status = hmli_mjcf_numbers(m, e, range_name, 2, range);
    if (!status) status = hmli_mjcf_word(m, e, limited_name, words, &word);
    if (status || word == 0 || (word == 2 && !(range[0] < range[1]))) return status;
    if (!(range[0] < range[1]))
        return MJCF_FAIL(m, HML_BAD_FILE, e->node, "<%s>: its %s is empty", e->node->name, range_name);
    *lower = range[0], *upper = range[1];
    return HML_OK;
}

/* inheritrange: u may go where the joint may, times this factor about the middle */
static hml_status inherit_range(mjcf *m, const mjcf_element *e, const hml_joint_spec *joint, hml_actuator *a)
{
    double factor = 0;
    hml_status status = hmli_mjcf_numbers(m, e, "inheritrange", 1, &factor);
    if (status || !(factor > 0) || !isfinite(joint->lower[0]) || !isfinite(joint->upper[0])) return status;
    const double middle = 0.5 * (joint->lower[0] + joint->upper[0]), half = 0.5 * (joint->upper[0] - joint->lower[0]);
    a->lower = middle - factor * half, a->upper = middle + factor * half;
    return HML_OK;
}

/* ---- reading ---- */

/* what it acts on: a joint or a site, or −1 for both; *why: what else */
static hml_status read_target(mjcf *m, const xml_node *node, int32_t *joint, int32_t *site, const char **why)
{
    char text[LABEL_SIZE];
    const char *name = hmli_xml_get(node, "joint"), *at = hmli_xml_get(node, "site");
    int parent = !name;
    if (!name) name = hmli_xml_get(node, "jointinparent");
    *joint = *site = -1;
    if (name) {
        *joint = hmli_map_find(&m->joint_names, name);
        if (*joint < 0)
            return MJCF_FAIL(m, HML_BAD_MODEL, node, "%s: there is no joint " QUOTED,
                             hmli_mjcf_label(text, "actuator", node), name);
        const hml_joint_type type = m->joints[*joint].spec.type;
        if (type == HML_JOINT_FREE || (parent && type == HML_JOINT_SPHERICAL)) *why = "its force in the parent's axes";
    } else if (at && !hmli_xml_get(node, "refsite")) {
        *site = hmli_map_find(&m->site_names, at);
        if (*site < 0)
            return MJCF_FAIL(m, HML_BAD_MODEL, node, "%s: there is no site " QUOTED,
                             hmli_mjcf_label(text, "actuator", node), at);
    } else {
        *why = "what it acts on";
    }
    return HML_OK;
}

static hml_status keep(mjcf *m, const mjcf_actuator *a)
{
    if (!array_grow(&m->actuators, &m->actuators_capacity, m->nactuators + 1, sizeof *m->actuators))
        return hmli_report_memory(m->r->error, m->r->file);
    if (a->joint >= 0) m->joints[a->joint].driven++;
    m->actuators[m->nactuators] = *a;
    m->actuators[m->nactuators++].spec.transmission = a->joint >= 0 ? HML_TRANSMISSION_JOINT : HML_TRANSMISSION_FRAME;
    return HML_OK;
}

static hml_status read_actuator(mjcf *m, const xml_node *node, int32_t number)
{
    mjcf_element e;
    hml_actuator a;
    char text[LABEL_SIZE];
    const char *why = NULL;
    int32_t joint, site;
    double ratio = 0;
    hml_actuator_init(&a);
    hml_status status = hmli_mjcf_element(m, node, MJCF_ACTUATOR, 0, &e);
    if (!status) status = hmli_mjcf_unique_name(m, &m->actuator_names, node);
    if (!status) status = read_target(m, node, &joint, &site, &why);
    if (!status) status = hmli_mjcf_some_numbers(m, &e, "gear", 6, a.gear);
    if (status) return status;
    hml_joint_spec *spec = joint >= 0 ? &m->joints[joint].spec : NULL;
    if (spec) spec->actuated = 1;
    if (spec) status = add_rotor(m, &e, a.gear, spec);
    a.name = hmli_xml_get(node, "name");
    if (!status) status = read_law(m, &e, &a, &ratio, &why);
    if (!status) status = read_limits(m, &e, "ctrlrange", "ctrllimited", &a.lower, &a.upper);
    if (!status) status = read_limits(m, &e, "forcerange", "forcelimited", &a.force_lower, &a.force_upper);
    if (!status && spec) status = inherit_range(m, &e, spec, &a);
    if (!status && !why && spec && a.bias[1] != 0 && spec->type == HML_JOINT_SPHERICAL) why = "its length";
    if (status) return status;
    if (!why) {
        const mjcf_actuator kept = {node, number, joint, site, ratio, a};
        return keep(m, &kept);
    }
    return hmli_reader_warn_once(m->r, why, "line %d: %s is left out: %s has no place in Hamel's actuators", node->line,
                                 hmli_mjcf_label(text, "actuator", node), why);
}

hml_status hmli_mjcf_actuators(mjcf *m, const xml_node *node, int *any)
{
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        if (!*any)
            for (size_t i = 0; i < m->njoints; i++) m->joints[i].spec.actuated = 0;
        status = read_actuator(m, child, *any);
        ++*any;
    }
    return status;
}

/* ---- damping ratios ---- */

/* kv = 2 ζ √(kp m), with the inertia m = 1/(n M⁻¹ nᵀ) that the actuator feels where the file draws the robot */
static void set_damping(const mjcf *m, const hml_model *model, const double *Minv, mjcf_actuator *a)
{
    hml_joint_info joint = {.struct_size = sizeof joint};
    const int32_t index = hml_model_find_joint(model, m->joints[a->joint].spec.name);
    if (hml_model_joint(model, index, &joint) || joint.nv != 1) return;
    const size_t entry = (size_t)joint.v * ((size_t)hml_model_nv(model) + 1);
    const double gear = a->spec.gear[0], mobility = gear * gear * Minv[entry];
    if (mobility > 0) a->spec.bias[2] = 0 - 2 * a->ratio * sqrt(fmax(0, a->spec.gain / mobility));
}

/* M⁻¹ of the robot that the builder has, where the file draws it; NULL: out of memory, or singular */
static double *inverse_mass(const mjcf *m, const hml_model *model)
{
    const size_t nv = (size_t)hml_model_nv(model), nq = (size_t)hml_model_nq(model);
    hml_work *work = NULL;
    double *q = calloc(nq + nv * nv + 1, sizeof *q), *Minv = NULL;
    hml_status status = q ? hml_configuration_neutral(model, q) : HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < m->njoints; i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        const int32_t index = hml_model_find_joint(model, m->joints[i].spec.name);
        if (!hml_model_joint(model, index, &joint) && joint.nq == 1) q[joint.q] = m->joints[i].ref;
    }
    if (!status) status = hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work);
    if (!status) status = hml_inverse_mass_matrix(model, work, q, q + nq);
    if (!status) Minv = malloc((nv * nv + 1) * sizeof *Minv);
    if (Minv) memcpy(Minv, q + nq, nv * nv * sizeof *Minv);
    hml_work_free(work);
    free(q);
    return Minv;
}

static hml_status set_dampings(mjcf *m)
{
    hml_model *model = NULL;
    int any = 0;
    for (size_t i = 0; i < m->nactuators; i++) any |= m->actuators[i].ratio != 0 && m->actuators[i].joint >= 0;
    if (!any) return HML_OK;
    hml_status status = hml_builder_build(m->r->builder, 0, &model, m->r->error);
    if (status) return hmli_report_place(m->r->error, status, m->r->file, 0);
    double *Minv = inverse_mass(m, model);
    for (size_t i = 0; i < m->nactuators; i++) {
        mjcf_actuator *a = &m->actuators[i];
        if (Minv && a->ratio != 0 && a->joint >= 0) set_damping(m, model, Minv, a);
    }
    hml_model_free(model);
    if (!Minv) status = hmli_reader_warn(m->r, "dampratio is left out: the mass matrix is singular");
    free(Minv);
    return status;
}

/* the joint's actuatorfrcrange limits what all of its actuators do; here, where there is one */
static void limit_forces(const mjcf *m, mjcf_actuator *a)
{
    if (a->joint < 0 || a->spec.gear[0] == 0 || m->joints[a->joint].driven > 1) return;
    if (hml_joint_type_nv(m->joints[a->joint].spec.type) != 1) return;
    const double most = m->joints[a->joint].spec.effort_limit[0] / fabs(a->spec.gear[0]);
    a->spec.force_lower = fmax(a->spec.force_lower, -most);
    a->spec.force_upper = fmin(a->spec.force_upper, most);
}

hml_status hmli_mjcf_add_actuators(mjcf *m)
{
    hml_status damped = set_dampings(m);
    if (damped) return damped;
    for (size_t i = 0; i < m->nactuators; i++) {
        mjcf_actuator *a = &m->actuators[i];
        char base[32];
        snprintf(base, sizeof base, "actuator%d", (int)a->number); /* MuJoCo's number of it */
        if (!a->spec.name || !*a->spec.name) a->spec.name = hmli_reader_unique(m->r, &m->actuator_names, base, "", -1);
        if (!a->spec.name) return hmli_report_memory(m->r->error, m->r->file);
        limit_forces(m, a);
        const char *target = a->joint >= 0 ? m->joints[a->joint].spec.name : m->sites[a->site].name;
        hml_status status = hml_builder_add_actuator(m->r->builder, target, &a->spec, m->r->error);
        if (status) return hmli_report_place(m->r->error, status, a->node->file, a->node->line);
    }
    return HML_OK;
}
