/* What bodies weigh: <inertial>, geoms, the compiler's bounds, and MuJoCo's rule that what moves must have inertia. */
#include <math.h>
#include <string.h>

#include "io/common/number.h"
#include "io/mjcf/mjcf.h"

static const double least = 1e-15; /* mjMINVAL */

static const char *const inertial_attributes[] = {"pos",    "quat",  "mass",  "diaginertia", "axisangle",
                                                  "xyaxes", "zaxis", "euler", "fullinertia", NULL};

/* ---- principal moments ---- */

/*
 * Jacobi: turn the largest off-diagonal entry away until none is left. A = V diag(values) Vᵀ. The tangent of the angle
 * is 2a / (d ± √(d² + 4a²)), with the entry a and the difference d of the two diagonal ones: nothing in it overflows,
 * as d/a does where a is tiny.
 */
static void principal(sym3 A, double values[3], mat3 *V)
{
    double a[3][3] = {{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}};
    double v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double scale = fabs(A.xx) + fabs(A.yy) + fabs(A.zz);
    for (int sweep = 0; sweep < 60; sweep++) {
        int p = 0, q = 1;
        if (fabs(a[0][2]) > fabs(a[p][q])) q = 2;
        if (fabs(a[1][2]) > fabs(a[p][q])) p = 1, q = 2;
        if (fabs(a[p][q]) <= 1e-17 * scale) break;
        double d = 0.5 * a[q][q] - 0.5 * a[p][p], root = hypot(d, a[p][q]);
        double t = a[p][q] / (d < 0 ? d - root : d + root);
        double c = 1 / hypot(t, 1), s = t * c;
        for (int k = 0; k < 3; k++) { /* columns p and q of A and V */
            double akp = a[k][p], vkp = v[3 * k + p];
            a[k][p] = c * akp - s * a[k][q];
            a[k][q] = s * akp + c * a[k][q];
            v[3 * k + p] = c * vkp - s * v[3 * k + q];
            v[3 * k + q] = s * vkp + c * v[3 * k + q];
        }
        for (int k = 0; k < 3; k++) { /* rows p and q of A */
            double apk = a[p][k];
            a[p][k] = c * apk - s * a[q][k];
            a[q][k] = s * apk + c * a[q][k];
        }
    }
    for (int k = 0; k < 3; k++) values[k] = a[k][k];
    *V = mat3_at(v, 3);
}

static double smallest_moment(sym3 A)
{
    double values[3];
    mat3 V;
    principal(A, values, &V);
    return fmin(values[0], fmin(values[1], values[2]));
}

/* boundmass and boundinertia, then balanceinertia */
static void bound(const mjcf_settings *set, mjcf_body *b)
{
    double values[3], sum = 0, largest = 0;
    mat3 V;
    if (set->bound_mass > 0) b->mass = fmax(b->mass, set->bound_mass);
    if (!(set->bound_inertia > 0) && !set->balance) return;
    principal(b->moment, values, &V);
    int changed = 0;
    for (int k = 0; k < 3; k++) {
        if (values[k] < set->bound_inertia) {
            values[k] = set->bound_inertia;
            changed = 1;
        }
        sum += values[k];
        largest = fmax(largest, values[k]);
    }
    if (set->balance && 2 * largest - sum > 1e-14) { /* A + B < C, with MuJoCo's margin */
        values[0] = values[1] = values[2] = sum / 3;
        changed = 1;
    }
    if (changed) b->moment = sym3_rotate(V, sym3_of(values[0], 0, 0, values[1], 0, values[2]));
}

/* ---- one body ---- */

hml_status hmli_mjcf_inertial(mjcf *m, const xml_node *node, const pose *frame, mjcf_body *b)
{
    mjcf_element e = {node, MJCF_PLAIN, 0};
    char text[LABEL_SIZE];
    const char *said;
    double d[6] = {0};
    pose place;
    int full = hmli_xml_get(node, "fullinertia") != NULL, diagonal = hmli_xml_get(node, "diaginertia") != NULL;
    if (b->inertial)
        return MJCF_FAIL(m, HML_BAD_FILE, node, "%s has two <inertial>", hmli_reader_label(text, "body", b->name));
    b->inertial = node;
    hml_status status = hmli_reader_warn_attributes(m->r, node, inertial_attributes);
    if (!status) status = hmli_xml_require(node, "pos", &said, m->r->error);
    if (!status) status = hmli_xml_require(node, "mass", &said, m->r->error);
    if (!status) status = hmli_mjcf_numbers(m, &e, "mass", 1, &b->mass);
    if (!status) status = hmli_mjcf_place(m, &e, &place);
    if (!status) status = hmli_mjcf_numbers(m, &e, "diaginertia", 3, d);
    if (!status && full && diagonal)
        status = MJCF_FAIL(m, HML_BAD_FILE, node, "<inertial> has both diaginertia and fullinertia");
    if (!status && full) {
        for (int i = 0; inertial_attributes[i]; i++)
            if (strchr("qaxze", inertial_attributes[i][0]) && hmli_xml_get(node, inertial_attributes[i]))
                return MJCF_FAIL(m, HML_BAD_FILE, node, "<inertial> has both fullinertia and %s",
                                 inertial_attributes[i]);
        status = hmli_mjcf_numbers(m, &e, "fullinertia", 6, d);
    }
    if (!status && b->mass < 0)
        status =
            MJCF_FAIL(m, HML_BAD_MODEL, node, "%s: its mass is negative", hmli_reader_label(text, "body", b->name));
    if (status) return status;
    place = pose_mul(*frame, place);
    b->com = place.p;
    b->moment = sym3_rotate(place.R, sym3_of(d[0], d[3], d[4], d[1], d[5], d[2]));
    return HML_OK;
}

static void sum_parts(mjcf_body *b, const mjcf_parts *parts, double mass)
{
    vec3 first = vec3_zero();
    for (size_t i = 0; i < parts->n; i++) first = vec3_axpy(parts->part[i].mass, parts->part[i].com, first);
    b->mass = mass;
    b->com = vec3_scale(1 / mass, first);
    b->moment = sym3_of(0, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < parts->n; i++) {
        const mjcf_part *part = &parts->part[i];
        b->moment = sym3_add(b->moment, part->moment);
        b->moment = sym3_add(b->moment, sym3_point_mass(part->mass, vec3_sub(part->com, b->com)));
    }
}

/*
 * boundmass gives a mass also to a body that says nothing about its inertia. MuJoCo (4.0) puts it at the body's `pos`,
 * read in the body's own frame, and so do we; whoever expects it at the body's origin is told.
 */
static hml_status place_bound_mass(mjcf *m, mjcf_body *b)
{
    mjcf_element e = {b->node, MJCF_PLAIN, 0};
    char text[LABEL_SIZE], mass[NUMBER_SIZE];
    double pos[3] = {0};
    if (!(m->set.bound_mass > 0) || b->inertial || b->mass > 0) return HML_OK;
    hml_status status = hmli_mjcf_numbers(m, &e, "pos", 3, pos);
    b->com = vec3_at(pos);
    if (status || !b->moves || (pos[0] == 0 && pos[1] == 0 && pos[2] == 0)) return status;
    hmli_number_write(m->set.bound_mass, mass);
    return hmli_reader_warn_once(
        m->r, "boundmass", "line %d: boundmass puts %s kg at the pos of %s, read in its own frame, as MuJoCo does",
        b->node->line, mass, hmli_reader_label(text, "body", b->name));
}

hml_status hmli_mjcf_body_inertia(mjcf *m, mjcf_body *b, const mjcf_parts *parts)
{
    char text[LABEL_SIZE];
    double mass = 0;
    for (size_t i = 0; i < parts->n; i++) mass += parts->part[i].mass;
    if (b->unknown && (b->moves || m->set.total_mass > 0)) {
        const char *mesh = hmli_xml_get(b->unknown, "mesh");
        return MJCF_FAIL(m, HML_UNSUPPORTED, b->unknown,
                         "%s: the inertia of its mesh%s%.80s is not known (%.200s): give it an <inertial>",
                         hmli_reader_label(text, "body", b->name), mesh ? " " : "", mesh ? mesh : "", b->why);
    }
    if (mass > 0) sum_parts(b, parts, mass);
    if (mass == 0 && b->njoints && b->inertial && !hmli_xml_get(b->inertial, "diaginertia") &&
        !hmli_xml_get(b->inertial, "fullinertia"))
        return MJCF_FAIL(m, HML_BAD_FILE, b->inertial, "<inertial> has neither diaginertia nor fullinertia");
    hml_status status = place_bound_mass(m, b);
    bound(&m->set, b);
    return status;
}

/* ---- all bodies ---- */

/*
 * MuJoCo's rule: a body with joints, or a body that is fixed to it (and to that, …), has a mass and three moments. A
 * body with joints of its own does not lend its inertia to its parent. Children come after their parents.
 */
static hml_status check_moving(mjcf *m)
{
    const char enough = 1;
    char text[LABEL_SIZE];
    char *has = hmli_arena_get(m->r->memory, m->nbodies);
    if (!has) return hmli_report_memory(m->r->error, m->r->file);
    for (size_t i = m->nbodies; i-- > 1;) {
        const mjcf_body *b = &m->bodies[i];
        if (b->mass >= least && smallest_moment(b->moment) >= least) has[i] = enough;
        if (has[i] && !b->njoints) has[b->parent] = enough;
    }
    for (size_t i = 1; i < m->nbodies; i++) {
        const mjcf_body *b = &m->bodies[i];
        if (b->njoints && !has[i])
            return MJCF_FAIL(m, HML_BAD_MODEL, b->node,
                             "%s moves, but neither it nor what is fixed to it has mass and inertia",
                             hmli_reader_label(text, "body", b->name));
    }
    return HML_OK;
}

hml_status hmli_mjcf_check_inertias(mjcf *m)
{
    hml_status status = check_moving(m);
    double total = 0;
    for (size_t i = 1; i < m->nbodies; i++) total += m->bodies[i].mass;
    if (status || !(m->set.total_mass > 0) || !(total > 0)) return status;
    double k = m->set.total_mass / total;
    for (size_t i = 1; i < m->nbodies; i++) {
        mjcf_body *b = &m->bodies[i];
        sym3 A = b->moment;
        b->mass *= k;
        b->moment = sym3_of(k * A.xx, k * A.xy, k * A.xz, k * A.yy, k * A.yz, k * A.zz);
    }
    return HML_OK;
}
