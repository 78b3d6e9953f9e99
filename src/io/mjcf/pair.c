/*
 * <pair>: two geoms that touch each other whatever their bits say. A model has no list of such pairs, but each of its
 * shapes has 32 bits of contype and of conaffinity, of which files seldom use more than three. So one geom of a pair
 * gets a bit of contype that no other shape has, and the other one the same bit of conaffinity. A geom with many pairs
 * needs one bit for all of them.
 *
 * A geom without bits is a shape if a pair names it. It gets a bit that nothing meets: planes touch every shape.
 */
#include <math.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

static const char *const ends[] = {"geom1", "geom2"};

hml_status hmli_mjcf_pair_names(mjcf *m, const xml_node *section)
{
    for (const xml_node *node = section->first; node; node = node->next) {
        for (int i = 0; xml_is(node, "pair") && i < 2; i++) {
            const char *name = hmli_xml_get(node, ends[i]);
            if (name && hmli_map_add(&m->pair_names, name, -1) < 0) return hmli_report_memory(m->r->error, m->r->file);
        }
    }
    return HML_OK;
}

/* the shapes of a pair; −1: a plane, or what has no shape here */
static hml_status find_shapes(mjcf *m, const xml_node *node, int32_t shapes[2])
{
    for (int i = 0; i < 2; i++) {
        const char *name;
        hml_status status = hmli_xml_require(node, ends[i], &name, m->r->error);
        if (status) return status;
        if (hmli_map_find(&m->geom_names, name) < 0)
            return MJCF_FAIL(m, HML_BAD_MODEL, node, "<pair>: there is no geom " QUOTED, name);
        shapes[i] = hmli_map_find(&m->pair_names, name);
    }
    return HML_OK;
}

/* 0: all are in use */
static uint32_t free_bit(uint32_t *used)
{
    const uint32_t bit = ~*used & (*used + 1);
    *used |= bit;
    return bit;
}

static int meet(const hml_shape *a, const hml_shape *b)
{
    return (a->contype & b->conaffinity) || (b->contype & a->conaffinity);
}

/* which bodies carry which: bodies that are fixed to each other are one. Parents come before their children */
static int32_t *find_carriers(mjcf *m)
{
    int32_t *carrier = hmli_arena_get(m->r->memory, m->nbodies * sizeof *carrier);
    if (!carrier) return NULL;
    carrier[0] = 0;
    for (size_t i = 1; i < m->nbodies; i++)
        carrier[i] = m->bodies[i].njoints ? (int32_t)i : carrier[m->bodies[i].parent];
    return carrier;
}

/* does the friction of a pair differ from that of its shapes? Planes leave it to a shape that has no other contacts */
static hml_status read_friction(mjcf *m, const xml_node *node, const int32_t shapes[2])
{
    mjcf_element e;
    double friction[5] = {NAN, 0, 0, 0, 0}, larger = 0;
    hml_status status = hmli_mjcf_element(m, node, MJCF_PAIR, 0, &e);
    if (!status) status = hmli_mjcf_some_numbers(m, &e, "friction", 5, friction);
    if (status || isnan(friction[0])) return status;
    const int only = shapes[0] < 0 ? 1 : 0;
    if (shapes[!only] < 0 && m->shapes[shapes[only]].paired) {
        m->shapes[shapes[only]].shape.friction = friction[0];
        return HML_OK;
    }
    for (int i = 0; i < 2; i++)
        if (shapes[i] >= 0) larger = fmax(larger, m->shapes[shapes[i]].shape.friction);
    if (larger == friction[0]) return HML_OK;
    return hmli_reader_warn_once(
        m->r, "friction of a pair",
        "line %d: the friction of this <pair> is left out: the larger one of its geoms counts, %g", node->line, larger);
}

static hml_status read_pair(mjcf *m, const xml_node *node, const int32_t *carrier, uint32_t *used)
{
    int32_t s[2] = {-1, -1};
    hml_status status = find_shapes(m, node, s);
    if (!status && (s[0] >= 0 || s[1] >= 0)) status = read_friction(m, node, s);
    if (status || s[0] < 0 || s[1] < 0) return status;
    mjcf_shape *a = &m->shapes[s[0]], *b = &m->shapes[s[1]];
    const int32_t bodies[2] = {carrier[a->body], carrier[b->body]};
    for (int i = 0; i < 2; i++) {
        const int32_t body = bodies[i], other = bodies[!i];
        if (body == other || (body > 0 && other > 0 && carrier[m->bodies[body].parent] == other))
            return hmli_reader_warn_once(
                m->r, "pair", "line %d: this <pair> is left out: shapes of a body and its parent do not touch here",
                node->line);
    }
    m->bodies[a->body].paired = m->bodies[b->body].paired = 1;
    if (meet(&a->shape, &b->shape)) return HML_OK;
    if (!a->bit && (b->bit || b->npairs > a->npairs)) {
        mjcf_shape *other = a;
        a = b, b = other;
    }
    if (!a->bit) a->bit = free_bit(used);
    if (!a->bit)
        return hmli_reader_warn_once(m->r, "pair", "line %d: this <pair> is left out: no bit of contype is free for it",
                                     node->line);
    a->shape.contype |= a->bit;
    b->shape.conaffinity |= a->bit;
    return HML_OK;
}

static hml_status each_pair(mjcf *m, const xml_node *mujoco, const int32_t *carrier, uint32_t *used)
{
    hml_status status = HML_OK;
    for (const xml_node *section = mujoco->first; section; section = section->next)
        for (const xml_node *node = section->first; !status && xml_is(section, "contact") && node; node = node->next) {
            int32_t s[2] = {-1, -1};
            if (!xml_is(node, "pair")) continue;
            if (carrier) {
                status = read_pair(m, node, carrier, used);
                continue;
            }
            status = find_shapes(m, node, s);
            for (int i = 0; !status && i < 2; i++)
                if (s[i] >= 0) m->shapes[s[i]].npairs++;
        }
    return status;
}

hml_status hmli_mjcf_pairs(mjcf *m, const xml_node *mujoco)
{
    uint32_t used = 0;
    if (!m->pair_names.entries) return HML_OK;
    const int32_t *carrier = find_carriers(m);
    if (!carrier) return hmli_report_memory(m->r->error, m->r->file);
    for (size_t i = 0; i < m->nshapes; i++) {
        hml_shape *s = &m->shapes[i].shape;
        if (!s->contype && !s->conaffinity && !m->shapes[i].paired) s->contype = s->conaffinity = 1;
        used |= s->contype | s->conaffinity;
    }
    const uint32_t alone = free_bit(&used);
    for (size_t i = 0; i < m->nshapes; i++)
        if (m->shapes[i].paired) m->shapes[i].shape.contype = alone ? alone : 1u;
    hml_status status = each_pair(m, mujoco, NULL, &used);
    return status ? status : each_pair(m, mujoco, carrier, &used);
}
