/*
 * <equality>: what ties bodies and joints to each other. MuJoCo's are soft; here they hold exactly, as loops.
 *
 *   connect   a point loop: of site1 and site2; or of `anchor`, in body1, with the point of body2 that is there in qpos0
 *   weld      a frame loop: of site1 and site2; or of body1 in body2, as `relpose` says or as it is in qpos0
 *   joint     a follower: q1 − ref1 = c0 + c1 (q2 − ref2). Polynomials of higher degree are left out
 *
 * The pose of a body in qpos0 is the one that the file draws.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

static int is_inactive(const xml_node *node)
{
    const char *active = hmli_xml_get(node, "active");
    return active && strcmp(active, "false") == 0;
}

/* a warning that names it */
static hml_status leave_out(mjcf *m, const xml_node *node, const char *why)
{
    static const char *const names[] = {"name", "joint1", "body1", "site1", "tendon1", "geom1", NULL};
    const char *what = NULL;
    for (int i = 0; names[i] && !what; i++) what = hmli_xml_get(node, names[i]);
    return what ? hmli_reader_warn(m->r, "line %d: the equality <%.80s> " QUOTED " is left out%s", node->line,
                                   node->name, what, why)
                : hmli_reader_warn(m->r, "line %d: an equality <%.80s> is left out%s", node->line, node->name, why);
}

/* ---- joints ---- */

static int32_t find_joint(const mjcf *m, const xml_node *node, const char *attribute)
{
    const char *name = hmli_xml_get(node, attribute);
    return name ? hmli_map_find(&m->joint_names, name) : -1;
}

static hml_status read_joint(mjcf *m, const xml_node *node)
{
    const mjcf_element e = {node, MJCF_PLAIN, 0};
    double c[5] = {0, 1, 0, 0, 0};
    const int32_t follower = find_joint(m, node, "joint1"), leader = find_joint(m, node, "joint2");
    hml_status status = hmli_mjcf_some_numbers(m, &e, "polycoef", 5, c);
    if (status) return status;
    if (follower < 0 || (leader < 0 && hmli_xml_get(node, "joint2")))
        return MJCF_FAIL(m, HML_BAD_MODEL, node, "<equality> joint: there is no joint " QUOTED,
                         hmli_xml_get(node, follower < 0 ? "joint1" : "joint2")
                             ? hmli_xml_get(node, follower < 0 ? "joint1" : "joint2")
                             : "");
    hml_joint_spec *spec = &m->joints[follower].spec;
    if (leader < 0) return leave_out(m, node, ": it holds one joint; hml_model_lock can do that");
    if (c[2] != 0 || c[3] != 0 || c[4] != 0)
        return leave_out(m, node, ": a joint can follow another in proportion, not along a polynomial");
    if (hml_joint_type_nv(spec->type) != 1 || hml_joint_type_nv(m->joints[leader].spec.type) != 1)
        return leave_out(m, node, ": its joints have several coordinates");
    if (spec->mimic || follower == leader || c[1] == 0)
        return leave_out(m, node, ": the joint follows already, or follows nothing");
    spec->mimic = m->joints[leader].spec.name;
    spec->multiplier = c[1];
    spec->offset = m->joints[follower].ref + c[0] - c[1] * m->joints[leader].ref;
    return HML_OK;
}

hml_status hmli_mjcf_equality_joints(mjcf *m, const xml_node *section)
{
    hml_status status = HML_OK;
    for (const xml_node *node = section->first; !status && node; node = node->next) {
        if (!xml_is(node, "joint")) continue;
        status = is_inactive(node) ? leave_out(m, node, ": it is not active") : read_joint(m, node);
    }
    return status;
}

/* ---- loops ---- */

/* in qpos0, in the world */
static pose drawn(const mjcf *m, int32_t body)
{
    pose H = pose_identity();
    for (; body > 0; body = m->bodies[body].parent) H = pose_mul(m->bodies[body].place, H);
    return H;
}

static const char *body_name(const mjcf *m, int32_t body) { return body > 0 ? m->bodies[body].name : NULL; }

/* index into bodies; 0 is the world, where the attribute is not there too */
static hml_status find_body(mjcf *m, const xml_node *node, const char *attribute, int32_t *body)
{
    const char *name = hmli_xml_get(node, attribute);
    *body = name ? hmli_map_find(&m->body_names, name) : 0;
    if (*body >= 0) return HML_OK;
    return MJCF_FAIL(m, HML_BAD_MODEL, node, "<equality> %.80s: there is no body " QUOTED, node->name, name);
}

static hml_status find_site(mjcf *m, const xml_node *node, const char *attribute, const char **frame)
{
    const char *name = hmli_xml_get(node, attribute);
    const int32_t site = name ? hmli_map_find(&m->site_names, name) : -1;
    if (site < 0)
        return MJCF_FAIL(m, HML_BAD_MODEL, node, "<equality> %.80s: there is no site " QUOTED, node->name,
                         name ? name : "");
    *frame = m->sites[site].name;
    return HML_OK;
}

static void put_pose(pose H, double out[16])
{
    mat3_put(H.R, out, 4);
    out[3] = H.p.x, out[7] = H.p.y, out[11] = H.p.z;
    out[12] = out[13] = out[14] = 0, out[15] = 1;
}

static hml_status add_loop(mjcf *m, const xml_node *node, const char *frame, const char *other, const hml_loop *loop)
{
    const char *name = hmli_xml_get(node, "name");
    if (!frame || (other && strcmp(frame, other) == 0)) return leave_out(m, node, ": it ties a body to itself");
    hml_status status =
        hml_builder_add_loop(m->r->builder, name && *name ? name : NULL, frame, other, loop, m->r->error);
    return status ? hmli_report_place(m->r->error, status, node->file, node->line) : HML_OK;
}

static hml_status tie_sites(mjcf *m, const xml_node *node, hml_constraint_kind kind)
{
    const hml_loop loop = {.kind = kind};
    const char *one = NULL, *other = NULL;
    hml_status status = find_site(m, node, "site1", &one);
    if (!status) status = find_site(m, node, "site2", &other);
    return status ? status : add_loop(m, node, one, other, &loop);
}

/* a frame of body1 at the anchor */
static hml_status add_anchor(mjcf *m, const xml_node *node, int32_t body, vec3 anchor, const char **frame)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double position[3];
    vec3_put(anchor, position);
    *frame = hmli_reader_unique(m->r, &m->body_names, m->bodies[body].name, ".anchor", -1);
    if (!*frame) return hmli_report_memory(m->r->error, m->r->file);
    hml_status status =
        hml_builder_add_frame(m->r->builder, *frame, body_name(m, body), position, identity, m->r->error);
    return status ? hmli_report_place(m->r->error, status, node->file, node->line) : HML_OK;
}

static hml_status read_connect(mjcf *m, const xml_node *node)
{
    const mjcf_element e = {node, MJCF_PLAIN, 0};
    double anchor[3] = {0};
    int32_t one, two;
    const char *frame;
    if (hmli_xml_get(node, "site1")) return tie_sites(m, node, HML_HOLD_POINT);
    hml_status status = find_body(m, node, "body1", &one);
    if (!status) status = find_body(m, node, "body2", &two);
    if (!status) status = hmli_mjcf_numbers(m, &e, "anchor", 3, anchor);
    if (!status && !hmli_xml_get(node, "anchor"))
        status = MJCF_FAIL(m, HML_BAD_FILE, node, "<equality> connect needs an anchor");
    if (status) return status;
    if (one == two) return leave_out(m, node, ": it ties a body to itself");
    vec3 at = vec3_at(anchor);
    if (one == 0) { /* the world cannot move: tie the other one, by the point that is there */
        at = pose_act_inverse(drawn(m, two), at);
        one = two, two = 0;
    }
    status = add_anchor(m, node, one, at, &frame);
    if (status) return status;
    hml_loop loop = {.kind = HML_HOLD_POINT};
    const vec3 there = pose_act_inverse(drawn(m, two), pose_act(drawn(m, one), at));
    put_pose(pose_of(mat3_identity(), there), loop.pose);
    return add_loop(m, node, frame, body_name(m, two), &loop);
}

static hml_status read_weld(mjcf *m, const xml_node *node)
{
    const mjcf_element e = {node, MJCF_PLAIN, 0};
    double relpose[7] = {0, 1, 0, 0, 0, 0, 0};
    int32_t one, two;
    if (hmli_xml_get(node, "site1")) return tie_sites(m, node, HML_HOLD_FRAME);
    hml_status status = find_body(m, node, "body1", &one);
    if (!status) status = find_body(m, node, "body2", &two);
    if (!status) status = hmli_mjcf_numbers(m, &e, "relpose", 7, relpose);
    if (status) return status;
    hml_loop loop = {.kind = HML_HOLD_FRAME};
    const double *q = relpose + 3, length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    pose goal = pose_between(drawn(m, two), drawn(m, one)); /* of body1 in body2 */
    if (length > 0) {                                       /* a quaternion of zeros: as it is drawn */
        const double s = 1 / sqrt(length), unit[4] = {s * q[0], s * q[1], s * q[2], s * q[3]};
        goal = pose_inverse(pose_of(quat_to_mat3(quat_at(unit)), vec3_at(relpose)));
    }
    put_pose(goal, loop.pose);
    if (one == 0) { /* the world cannot move: tie the other one */
        put_pose(pose_inverse(goal), loop.pose);
        one = two, two = 0;
    }
    if (one == 0) return leave_out(m, node, ": it ties the world to itself");
    return add_loop(m, node, body_name(m, one), body_name(m, two), &loop);
}

hml_status hmli_mjcf_equality(mjcf *m, const xml_node *section)
{
    hml_status status = HML_OK;
    for (const xml_node *node = section->first; !status && node; node = node->next) {
        if (xml_is(node, "joint")) continue; /* hmli_mjcf_equality_joints */
        if (is_inactive(node))
            status = leave_out(m, node, ": it is not active");
        else if (xml_is(node, "connect"))
            status = read_connect(m, node);
        else if (xml_is(node, "weld"))
            status = read_weld(m, node);
        else
            status = leave_out(m, node, "");
    }
    return status;
}
