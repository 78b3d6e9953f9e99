/*
 * Inertia of geoms. A solid of size s has the volume V(s) and the second moments Q_x(s) = ∫ x² dV, …; its moments of
 * inertia are ρ(Q_y + Q_z), …. A shell of uniform thickness ε is the difference of two solids, so that its area and
 * second moments are the derivatives of V and Q when every size grows by ε.
 */
#include <math.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

static const double pi = 3.14159265358979323846;

const char *const hmli_mjcf_geom_types[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box",
                                            "plane",  "hfield",  "mesh",      "sdf",      NULL};

typedef struct shape {
    double volume;    /* of a shell: its area */
    double second[3]; /* ∫ x², ∫ y², ∫ z² over it */
} shape;

/* x: half-axes of an ellipsoid or half-sides of a box; V = v x y z, ∫ x² = q V x² */
static shape three_axes(const double x[3], double v, double q, int shell)
{
    shape s;
    double product = x[0] * x[1] * x[2], growth = x[0] * x[1] + x[1] * x[2] + x[2] * x[0];
    s.volume = v * (shell ? growth : product);
    for (int i = 0; i < 3; i++)
        s.second[i] = v * q * (shell ? growth * x[i] * x[i] + 2 * product * x[i] : product * x[i] * x[i]);
    return s;
}

static shape cylinder(double r, double h, int shell)
{
    shape s;
    double r2 = r * r, h2 = h * h;
    s.volume = 2 * pi * (shell ? 2 * r * h + r2 : r2 * h);
    s.second[0] = s.second[1] = 0.5 * pi * (shell ? 4 * r * r2 * h + r2 * r2 : r2 * r2 * h);
    s.second[2] = 2 * pi / 3 * (shell ? 2 * r * h * h2 + 3 * r2 * h2 : r2 * h * h2);
    return s;
}

/* the cylinder's side without its ends, and two half balls at ±h; a half ball's ∫ z is π r⁴ / 4 */
static shape capsule(double r, double h, int shell)
{
    shape s;
    double r2 = r * r, r3 = r * r2, r4 = r2 * r2;
    if (shell) {
        s.volume = 4 * pi * r * h + 4 * pi * r2;
        s.second[0] = s.second[1] = 2 * pi * r3 * h + 4 * pi / 3 * r4;
        s.second[2] = 4 * pi / 3 * r * h * h * h + 4 * pi / 3 * r4 + 4 * pi * r2 * h * h + 4 * pi * r3 * h;
    } else {
        s.volume = 2 * pi * r2 * h + 4 * pi / 3 * r3;
        s.second[0] = s.second[1] = pi / 2 * r4 * h + 4 * pi / 15 * r * r4;
        s.second[2] = 2 * pi / 3 * r2 * h * h * h + 4 * pi / 15 * r * r4 + 4 * pi / 3 * r3 * h * h + pi * r4 * h;
    }
    return s;
}

/* Thomsen's approximation, within 1.1 %, which MuJoCo uses for the area, though not for the moments */
static double ellipsoid_area(const double x[3])
{
    const double p = 1.6075;
    double sum = pow(x[0] * x[1], p) + pow(x[1] * x[2], p) + pow(x[2] * x[0], p);
    return 4 * pi * pow(sum / 3, 1 / p);
}

static shape shape_of(enum mjcf_geom_type type, const double size[3], int shell)
{
    const double ball[3] = {size[0], size[0], size[0]};
    switch (type) {
    case SPHERE: return three_axes(ball, 4 * pi / 3, 0.2, shell);
    case CAPSULE: return capsule(size[0], size[1], shell);
    case CYLINDER: return cylinder(size[0], size[1], shell);
    case BOX: return three_axes(size, 8, 1.0 / 3, shell);
    default: return three_axes(size, 4 * pi / 3, 0.2, shell);
    }
}

hml_status hmli_mjcf_geom_size(mjcf *m, const mjcf_element *e, enum mjcf_geom_type type, double size[3], pose *place)
{
    static const int sizes[] = {1, 2, 3, 2, 3};
    int fromto, n = sizes[type];
    double half;
    hml_status status = hmli_mjcf_some_numbers(m, e, "size", 3, size);
    if (!status) status = hmli_mjcf_place(m, e, place);
    if (!status) status = hmli_mjcf_fromto(m, e, &fromto, &half, place);
    if (status) return status;
    if (fromto && type == SPHERE) return MJCF_FAIL(m, HML_BAD_FILE, e->node, "<geom> fromto does not go with a sphere");
    if (fromto) {
        if (type == CAPSULE || type == CYLINDER) {
            size[1] = half;
        } else {
            size[1] = size[0];
            size[2] = half;
        }
    }
    for (int i = 0; i < n; i++)
        if (!(size[i] > 0))
            return MJCF_FAIL(m, HML_BAD_FILE, e->node, "<geom> of type %s: the %s number of its size must be positive",
                             hmli_mjcf_geom_types[type],
                             i == 0   ? "first"
                             : i == 1 ? "second"
                                      : "third");
    return HML_OK;
}

static hml_status add_part(mjcf *m, mjcf_parts *parts, const mjcf_part *part)
{
    if (!array_grow(&parts->part, &parts->capacity, parts->n + 1, sizeof *parts->part))
        return hmli_report_memory(m->r->error, m->r->file);
    parts->part[parts->n++] = *part;
    return HML_OK;
}

/* what the geom can touch; MuJoCo's defaults are 1 and 1, which a shape need not say */
static hml_status collides(mjcf *m, const mjcf_element *e, hml_shape *to, int *yes)
{
    static const char *const words[] = {"contype", "conaffinity"};
    uint32_t touch[2];
    for (int i = 0; i < 2; i++) {
        double number = 1;
        hml_status status = hmli_mjcf_numbers(m, e, words[i], 1, &number);
        if (!status && !(fabs(number) <= INT32_MAX))
            status = MJCF_FAIL(m, HML_BAD_FILE, e->node, "<geom> %s is out of range", words[i]);
        if (status) return status;
        touch[i] = (uint32_t)(int32_t)number;
    }
    *yes = touch[0] != 0 || touch[1] != 0;
    const int usual = touch[0] == 1 && touch[1] == 1;
    to->contype = usual ? 0 : touch[0];
    to->conaffinity = usual ? 0 : touch[1];
    return HML_OK;
}

/* a geom with a name is a frame, too: a foot can be held by its name */
static hml_status add_frame(mjcf *m, const xml_node *node, int32_t body, pose place)
{
    const char *name = hmli_xml_get(node, "name");
    if (!name || !*name) return HML_OK;
    if (!array_grow(&m->sites, &m->sites_capacity, m->nsites + 1, sizeof *m->sites))
        return hmli_report_memory(m->r->error, m->r->file);
    m->sites[m->nsites++] = (mjcf_site){name, node, body, place, 1};
    return HML_OK;
}

/* surfaces that have no shape here are frames all the same, and what is left out is said once for each kind */
static hml_status leave_out(mjcf *m, const mjcf_element *e, int type, int32_t body, const pose *frame, const char *why)
{
    char text[LABEL_SIZE];
    pose place;
    const int mesh = type == MESH || type == SDF || hmli_mjcf_holder(m, e, "mesh");
    hml_status status = hmli_mjcf_place(m, e, &place);
    if (!status) status = add_frame(m, e->node, body, pose_mul(*frame, place));
    if (status || body == 0) return status; /* the world is the command's own */
    const char *what = mesh ? "mesh" : hmli_mjcf_geom_types[type];
    return hmli_reader_warn_once(m->r, mesh ? "mesh shape" : what, "line %d: %s (%s) touches nothing here%s%s",
                                 e->node->line, hmli_mjcf_label(text, "geom", e->node), what, *why ? ": " : "", why);
}

hml_status hmli_mjcf_shape(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, int32_t body)
{
    static const hml_shape_kind kinds[] = {HML_SHAPE_SPHERE, HML_SHAPE_CAPSULE, HML_SHAPE_POINT, HML_SHAPE_CYLINDER,
                                           HML_SHAPE_BOX};
    mjcf_element e;
    int word = SPHERE, yes = 0;
    double friction[3] = {1, 0, 0};
    mjcf_shape s = {.node = node, .body = body};
    pose place;
    hml_status status = hmli_mjcf_element(m, node, MJCF_GEOM, childclass, &e);
    if (!status) status = hmli_mjcf_word(m, &e, "type", hmli_mjcf_geom_types, &word);
    if (!status) status = collides(m, &e, &s.shape, &yes);
    const char *name = hmli_xml_get(node, "name");
    map_entry *paired = name ? hmli_map_entry(&m->pair_names, name) : NULL;
    if (status || (!yes && !paired)) return status;
    s.paired = !yes;
    if (word == HFIELD && body == 0 && m->r->terrain) return hmli_mjcf_hfield(m, &e, frame);
    const char *mesh = hmli_mjcf_text(m, &e, "mesh"), *why = "";
    if (word == MESH && mesh) {
        status = hmli_mjcf_place(m, &e, &place);
        if (!status) status = hmli_mjcf_mesh_shape(m, mesh, &s.shape, &why);
        if (status) return status;
    }
    const int meshed = s.shape.kind == HML_SHAPE_HULL;
    if (!meshed && (word > BOX || word == ELLIPSOID || mesh)) return leave_out(m, &e, word, body, frame, why);
    if (!meshed) status = hmli_mjcf_geom_size(m, &e, (enum mjcf_geom_type)word, s.shape.size, &place);
    if (!status) status = hmli_mjcf_some_numbers(m, &e, "friction", 3, friction);
    if (status) return status;
    if (!array_grow(&m->shapes, &m->shapes_capacity, m->nshapes + 1, sizeof *m->shapes))
        return hmli_report_memory(m->r->error, m->r->file);
    if (!meshed) s.shape.kind = kinds[word];
    s.shape.friction = friction[0];
    pose_to_arrays(pose_mul(*frame, place), s.shape.rotation, s.shape.position);
    if (paired) paired->value = (int32_t)m->nshapes;
    m->shapes[m->nshapes++] = s;
    return add_frame(m, node, body, pose_mul(*frame, place));
}

/* density, or mass if it is given; *massive: neither is zero */
static hml_status read_mass(mjcf *m, const mjcf_element *e, double *mass, int *has_mass, double *density)
{
    *density = 1000;
    *has_mass = hmli_mjcf_holder(m, e, "mass") != NULL;
    hml_status status = hmli_mjcf_numbers(m, e, "mass", 1, mass);
    if (!status) status = hmli_mjcf_numbers(m, e, "density", 1, density);
    if (!status && ((*has_mass && *mass < 0) || *density < 0))
        status = MJCF_FAIL(m, HML_BAD_MODEL, e->node, "<geom>: its %s is negative", *density < 0 ? "density" : "mass");
    return status;
}

/* of the second moments xx, yy, zz in the axes of its place */
static mjcf_part part_of(double mass, pose place, double xx, double yy, double zz)
{
    return (mjcf_part){mass, place.p, sym3_rotate(place.R, sym3_of(yy + zz, 0, 0, xx + zz, 0, xx + yy))};
}

/* mass: negative if it is a density. Where the mesh cannot be weighed the body is told so */
static hml_status mesh_part(mjcf *m, const mjcf_element *e, const pose *frame, mjcf_body *b, double mass,
                            mjcf_parts *parts)
{
    hml_error why = {0};
    mesh_moments x = {.volume = 0};
    pose place;
    const char *name = hmli_mjcf_text(m, e, "mesh");
    const xml_node *type = hmli_mjcf_holder(m, e, "type");
    const int fits = type && strcmp(hmli_xml_get(type, "type"), "mesh") != 0; /* a box about it, … */
    hml_status status = hmli_mjcf_place(m, e, &place);
    if (!status && name && !fits) status = hmli_mjcf_mesh_moments(m, name, &x, &why);
    if (status) return status;
    if (!(x.volume > 0)) {
        if (b->unknown) return HML_OK;
        const char *said = fits ? "a shape is fitted to it" : why.message[0] ? why.message : "it is not named";
        b->unknown = e->node;
        b->why = hmli_arena_text(m->r->memory, said, strlen(said));
        return b->why ? HML_OK : hmli_report_memory(m->r->error, m->r->file);
    }
    if (mass < 0) mass = -mass * x.volume;
    const double k = mass / x.volume;
    place = pose_mul(*frame, place);
    const sym3 s = x.second;
    const sym3 J = sym3_of(k * (s.yy + s.zz), -k * s.xy, -k * s.xz, k * (s.xx + s.zz), -k * s.yz, k * (s.xx + s.yy));
    mjcf_part part = {mass, pose_act(place, x.centre), sym3_rotate(place.R, J)};
    return add_part(m, parts, &part);
}

hml_status hmli_mjcf_geom(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, mjcf_body *b,
                          mjcf_parts *parts)
{
    static const char *const flags[] = {"false", "true", NULL};
    mjcf_element e;
    int word = SPHERE, shell = 0, has_mass;
    double group = 0, size[3] = {0}, mass = 0, density;
    pose place;
    hml_status status = hmli_mjcf_element(m, node, MJCF_GEOM, childclass, &e);
    if (!status) status = hmli_mjcf_word(m, &e, "type", hmli_mjcf_geom_types, &word);
    if (!status) status = hmli_mjcf_numbers(m, &e, "group", 1, &group);
    if (!status) status = read_mass(m, &e, &mass, &has_mass, &density);
    if (!status) status = hmli_mjcf_word(m, &e, "shellinertia", flags, &shell);
    if (status) return status;

    enum mjcf_geom_type type = (enum mjcf_geom_type)word;
    if (group < m->set.groups[0] || group > m->set.groups[1]) return HML_OK;
    if (type == PLANE || type == HFIELD || (has_mass ? mass == 0 : density == 0)) return HML_OK;
    if (type == MESH || type == SDF || hmli_mjcf_holder(m, &e, "mesh"))
        return mesh_part(m, &e, frame, b, has_mass ? mass : -density, parts);
    if ((status = hmli_mjcf_geom_size(m, &e, type, size, &place))) return status;

    shape s = shape_of(type, size, shell);
    if (!has_mass) mass = density * (shell && type == ELLIPSOID ? ellipsoid_area(size) : s.volume);
    double k = mass / s.volume;
    mjcf_part part = part_of(mass, pose_mul(*frame, place), k * s.second[0], k * s.second[1], k * s.second[2]);
    return add_part(m, parts, &part);
}
