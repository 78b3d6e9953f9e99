/*
 * Files of any size in shapes that make careless readers slow or greedy, beside ordinary ones of the same format:
 * for the test that readers take n log n time and linear memory (unit/io/test_io_hostile.c) and for the study that draws
 * it (bench/studies/readers.c). Every shape is made of one thing, repeated until the file has the wanted size.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hostile_text {
    char *data;
    size_t size, capacity;
} hostile_text;

static inline void hostile_bytes(hostile_text *t, const char *bytes, size_t n)
{
    if (t->capacity - t->size < n) {
        t->capacity = 2 * t->capacity + n + 4096;
        t->data = realloc(t->data, t->capacity);
        if (!t->data) abort();
    }
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
}

static inline void hostile_print(hostile_text *t, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof line) abort();
    hostile_bytes(t, line, (size_t)n);
}

static inline void hostile_repeat(hostile_text *t, const char *bytes, size_t until)
{
    size_t n = strlen(bytes);
    while (t->size < until) hostile_bytes(t, bytes, n);
}

#define HOSTILE_INERTIA "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define HOSTILE_LONG    "a_name_of_two_hundred_and_fifty_bytes_" /* 38 bytes; six of them are 228 */

/* ---- names with one hash ---- */

static inline uint32_t hostile_fnv(uint32_t h, const char *text)
{
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

enum { HOSTILE_STAGES = 17, HOSTILE_BLOCK = 8 };

/* Pairs of eight letters that take FNV-1a from one state to the same next one: 2^17 names of 136 letters, one hash. */
typedef struct hostile_names {
    char block[HOSTILE_STAGES][2][HOSTILE_BLOCK + 1];
} hostile_names;

/* another block for every k: the mixing is one to one */
static inline void hostile_spell(uint32_t k, char block[HOSTILE_BLOCK + 1])
{
    k = (k ^ k >> 16) * 0x7feb352du;
    k = (k ^ k >> 15) * 0x846ca68bu;
    k ^= k >> 16;
    for (int i = 0; i < HOSTILE_BLOCK; i++, k >>= 4) block[i] = (char)('a' + (k & 15));
    block[HOSTILE_BLOCK] = 0;
}

static inline void hostile_names_find(hostile_names *names)
{
    enum { TABLE = 1 << 20 };
    uint32_t *table = calloc(TABLE, sizeof *table), h = 2166136261u;
    if (!table) abort();
    for (int s = 0; s < HOSTILE_STAGES; s++) {
        memset(table, 0, TABLE * sizeof *table);
        for (uint32_t k = 1;; k++) { /* two of them meet after about 2^16 */
            char block[HOSTILE_BLOCK + 1], other[HOSTILE_BLOCK + 1];
            hostile_spell(k, block);
            uint32_t next = hostile_fnv(h, block), *slot = &table[(next ^ next >> 20) % TABLE];
            if (*slot) {
                hostile_spell(*slot, other);
                if (hostile_fnv(h, other) == next) {
                    memcpy(names->block[s][0], other, sizeof other);
                    memcpy(names->block[s][1], block, sizeof block);
                    h = next;
                    break;
                }
            }
            *slot = k;
        }
    }
    free(table);
}

static inline const char *hostile_name(const hostile_names *names, uint32_t i)
{
    static char name[HOSTILE_STAGES * HOSTILE_BLOCK + 1];
    for (int s = 0; s < HOSTILE_STAGES; s++)
        memcpy(name + s * HOSTILE_BLOCK, names->block[s][i >> s & 1], HOSTILE_BLOCK);
    return name;
}

/* ---- URDF ---- */

static inline void urdf_chain_with(hostile_text *t, size_t bytes, const char *type, const char *end, int star)
{
    hostile_print(t, "<robot name='r'><link name='l0'/>%s", end);
    for (int i = 1; t->size < bytes; i++) {
        hostile_print(
            t,
            "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
            "</inertial></link>%s",
            i, end);
        hostile_print(t, "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/></joint>%s", i, type,
                      star ? 0 : i - 1, i, end);
    }
    hostile_print(t, "</robot>");
}

static inline void urdf_chain(hostile_text *t, size_t n) { urdf_chain_with(t, n, "continuous", "\n", 0); }
static inline void urdf_star(hostile_text *t, size_t n) { urdf_chain_with(t, n, "continuous", "\n", 1); }
static inline void urdf_one_line(hostile_text *t, size_t n) { urdf_chain_with(t, n, "continuous", "", 0); }
static inline void urdf_fixed(hostile_text *t, size_t n) { urdf_chain_with(t, n, "fixed", "\n", 0); }
static inline void urdf_planar(hostile_text *t, size_t n) { urdf_chain_with(t, n, "planar", "\n", 1); }

/* each follows the next one, which stands behind it */
static inline void urdf_mimic(hostile_text *t, size_t bytes)
{
    int i = 0;
    hostile_print(t, "<robot name='r'><link name='l'/>\n");
    for (; t->size < bytes; i++)
        hostile_print(t,
                      "<link name='l%d'/><joint name='j%d' type='continuous'><parent link='l'/><child link='l%d'/>"
                      "<mimic joint='j%d'/></joint>\n",
                      i, i, i, i + 1);
    hostile_print(
        t,
        "<link name='l%d'/><joint name='j%d' type='continuous'><parent link='l'/><child link='l%d'/></joint></robot>",
        i, i, i);
}

static inline void urdf_collisions(hostile_text *t, size_t bytes)
{
    hostile_print(
        t, "<robot name='r'><link name='" HOSTILE_LONG HOSTILE_LONG HOSTILE_LONG HOSTILE_LONG HOSTILE_LONG HOSTILE_LONG
           "'>");
    hostile_repeat(t, "<collision><geometry><sphere radius='1'/></geometry></collision>\n", bytes);
    hostile_print(t, "</link></robot>");
}

static inline void urdf_attributes(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<robot name='r'><link name='l'");
    for (int i = 0; t->size < bytes; i++) hostile_print(t, " a%d=''", i);
    hostile_print(t, "/></robot>");
}

static inline void urdf_elements(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<robot name='r'><link name='l'/>");
    for (int i = 0; t->size < bytes; i++) hostile_print(t, "<e%d/>", i);
    hostile_print(t, "</robot>");
}

static inline void urdf_one_hash(hostile_text *t, size_t bytes)
{
    hostile_names names;
    hostile_names_find(&names);
    hostile_print(t, "<robot name='r'><link name='l'/>\n");
    for (uint32_t i = 0; t->size < bytes && i < 1u << HOSTILE_STAGES; i++) {
        const char *name = hostile_name(&names, i);
        hostile_print(t, "<link name='%s'/><joint name='%s' type='continuous'>", name, name);
        hostile_print(t, "<parent link='l'/><child link='%s'/></joint>\n", name);
    }
    hostile_print(t, "</robot>");
}

/* a default value of half the file for each of its elements */
static inline void urdf_declared(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<!DOCTYPE robot [<!ATTLIST a x CDATA '");
    hostile_repeat(t, "0123456789", bytes / 2);
    hostile_print(t, "'>]><robot name='r'><link name='l'/>");
    hostile_repeat(t, "<a/>", bytes);
    hostile_print(t, "</robot>");
}

/* a number of megabytes */
static inline void urdf_digits(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<robot name='r'><link name='l'><inertial><mass value='0.");
    hostile_repeat(t, "1234567890", bytes);
    hostile_print(t, "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>");
}

static inline void urdf_long_text(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<robot name='r'><link name='l' note='");
    hostile_repeat(t, "text ", bytes);
    hostile_print(t, "'/></robot>");
}

/* meshes and materials, each of its own name; half of the materials are global */
static inline void urdf_visuals(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<robot name='r'>");
    for (int i = 0; t->size < bytes / 4; i++)
        hostile_print(t, "<material name='c%d'><color rgba='1 0 0 1'/></material>\n", i);
    hostile_print(t, "<link name='l'>");
    for (int i = 0; t->size < bytes; i++)
        hostile_print(t,
                      "<visual><geometry><mesh filename='m%d.stl'/></geometry><material name='c%d'/></visual>\n"
                      "<visual><geometry><box size='1 1 1'/></geometry><material name='d%d'><color rgba='0 1 0 1'/>"
                      "</material></visual>\n",
                      i, i, i);
    hostile_print(t, "</link></robot>");
}

/* ---- MJCF ---- */

static inline void mjcf_with(hostile_text *t, const char *head, const char *item, const char *tail, size_t bytes)
{
    hostile_print(t, "%s", head);
    hostile_repeat(t, item, bytes);
    hostile_print(t, "%s", tail);
}

#define HOSTILE_BODY "<mujoco><worldbody><body name='b'><joint/>" HOSTILE_INERTIA
#define HOSTILE_END  "</body></worldbody></mujoco>"

static inline void mjcf_bodies(hostile_text *t, size_t n)
{
    mjcf_with(t, "<mujoco><worldbody>", "<body><joint/>" HOSTILE_INERTIA "</body>\n", "</worldbody></mujoco>", n);
}

static inline void mjcf_deep(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><worldbody>");
    while (t->size < bytes) {
        for (int i = 0; i < 900; i++) hostile_print(t, "<body pos='1 0 0'><joint/>" HOSTILE_INERTIA);
        for (int i = 0; i < 900; i++) hostile_print(t, "</body>");
    }
    hostile_print(t, "</worldbody></mujoco>");
}

static inline void mjcf_frames(hostile_text *t, size_t bytes)
{
    hostile_print(t, HOSTILE_BODY);
    while (t->size < bytes) {
        for (int i = 0; i < 900; i++) hostile_print(t, "<frame pos='0 0 1'>");
        for (int i = 0; i < 900; i++) hostile_print(t, "<geom size='1'/></frame>");
    }
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_joints(hostile_text *t, size_t n) { mjcf_with(t, HOSTILE_BODY, "<joint/>", HOSTILE_END, n); }
static inline void mjcf_sites(hostile_text *t, size_t n)
{
    mjcf_with(t, HOSTILE_BODY, "<site name='s'/>", HOSTILE_END, n);
}

/* a site and a body of each name; and for one site all the names it could have are taken */
static inline void mjcf_taken(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><worldbody><body name='n'/><body name='n.site'/><site name='n'/>");
    for (int i = 2; t->size < bytes / 2; i++) hostile_print(t, "<body name='n.site.%d'/>", i);
    for (int i = 2; t->size < bytes; i++) hostile_print(t, "<body name='n%d'><site name='n%d'/></body>", i, i);
    hostile_print(t, "</worldbody></mujoco>");
}

static inline void mjcf_geoms_defaults(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><default><default class='c'>");
    hostile_repeat(t, "<geom/>", bytes / 2);
    hostile_print(t, "</default></default><worldbody><body childclass='c'><joint/>" HOSTILE_INERTIA);
    hostile_repeat(t, "<geom size='1'/>", bytes);
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_short_sizes(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><default>");
    hostile_repeat(t, "<geom size='1'/>", bytes / 2);
    hostile_print(t, "</default><worldbody><body><joint/>" HOSTILE_INERTIA);
    hostile_repeat(t, "<geom/>", bytes);
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_wide_default(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><default><geom size='1");
    hostile_repeat(t, "          ", bytes / 4);
    hostile_print(t, "1 1' density='0.");
    hostile_repeat(t, "1234567890", bytes / 2);
    hostile_print(t, "'/></default><worldbody><body><joint/>");
    hostile_repeat(t, "<geom/>", bytes);
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_default_attributes(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><default><geom");
    for (int i = 0; t->size < bytes / 2; i++) hostile_print(t, " a%d=''", i);
    hostile_print(t, " size='1'/></default><worldbody><body><joint/>" HOSTILE_INERTIA);
    hostile_repeat(t, "<geom/>", bytes);
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_classes(hostile_text *t, size_t bytes)
{
    int deep = 0;
    hostile_print(t, "<mujoco><default><geom size='1'/>");
    for (; deep < 900 && t->size < bytes / 2; deep++)
        hostile_print(t, "<default class='c%d'><geom rgba='1 1 1 1'/>", deep);
    for (int i = 0; i < deep; i++) hostile_print(t, "</default>");
    hostile_print(t, "</default><worldbody><body childclass='c%d'><joint/>" HOSTILE_INERTIA, deep - 1);
    hostile_repeat(t, "<geom/>", bytes);
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_assets(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco><asset>");
    for (int i = 0; t->size < bytes / 2; i++)
        hostile_print(t, "<mesh name='m%d' file='m%d.stl'/><material name='c%d' rgba='1 0 0 1'/>\n", i, i, i);
    hostile_print(t, "</asset><worldbody><body><joint/>" HOSTILE_INERTIA);
    for (int i = 0; t->size < bytes; i++)
        hostile_print(t, "<geom type='mesh' mesh='m%d' material='c%d' contype='0' conaffinity='0'/>\n", i, i);
    hostile_print(t, HOSTILE_END);
}

static inline void mjcf_sections(hostile_text *t, size_t bytes)
{
    hostile_print(t, "<mujoco>");
    for (int i = 0; t->size < bytes; i++)
        hostile_print(t, "<default><geom size='1'/><default class='c%d'/></default>", i);
    hostile_print(t, "<worldbody><body><joint/><geom/></body></worldbody></mujoco>");
}

static inline void mjcf_equalities(hostile_text *t, size_t n)
{
    mjcf_with(t, "<mujoco><worldbody><body name='b'><joint name='j'/>" HOSTILE_INERTIA "</body></worldbody><equality>",
              "<joint joint1='j'/>", "</equality></mujoco>", n);
}

static inline void mjcf_actuators(hostile_text *t, size_t n)
{
    mjcf_with(t, "<mujoco><worldbody><body><joint name='j'/>" HOSTILE_INERTIA "</body></worldbody><actuator>",
              "<motor joint='j'/>", "</actuator></mujoco>", n);
}

/* ---- JSON ---- */

#define HOSTILE_REVOLUTE "\"type\": \"revolute\", \"axis\": [0, 0, 1]"

static inline void json_chain(hostile_text *t, size_t bytes)
{
    hostile_print(
        t, "{\"bodies\": [{\"name\": \"b0\", \"parent\": null, \"joint\": {\"name\": \"j0\", \"type\": \"fixed\"}}");
    for (int i = 1; t->size < bytes; i++)
        hostile_print(t,
                      ",\n{\"name\": \"b%d\", \"parent\": \"b%d\", \"joint\": {\"name\": \"j%d\", " HOSTILE_REVOLUTE
                      "}, "
                      "\"inertia\": {\"mass\": 1, \"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}",
                      i, i - 1, i);
    hostile_print(t, "]}");
}

static inline void json_one_hash(hostile_text *t, size_t bytes)
{
    hostile_names names;
    hostile_names_find(&names);
    hostile_print(
        t, "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"fixed\"}}");
    for (uint32_t i = 0; t->size < bytes && i < 1u << HOSTILE_STAGES; i++) {
        const char *name = hostile_name(&names, i);
        hostile_print(t,
                      ",\n{\"name\": \"%s\", \"parent\": \"b\", \"joint\": {\"name\": \"%s\", " HOSTILE_REVOLUTE "}}",
                      name, name);
    }
    hostile_print(t, "]}");
}

static inline void json_members(hostile_text *t, size_t bytes, const char *head, const char *tail, const char *value)
{
    hostile_print(t, "%s\"k\": 0", head);
    for (int i = 0; t->size < bytes; i++) hostile_print(t, ",\"%d\":%s", i, value);
    hostile_print(t, "%s", tail);
}

#define HOSTILE_JSON_BODY                                                                                              \
    "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", " HOSTILE_REVOLUTE "}}]"

static inline void json_keys(hostile_text *t, size_t n) { json_members(t, n, HOSTILE_JSON_BODY ", ", "}", "0"); }
static inline void json_objects(hostile_text *t, size_t n)
{
    json_members(t, n, HOSTILE_JSON_BODY ", \"o\": {", "}}", "{}");
}

static inline void json_list(hostile_text *t, size_t bytes, const char *head, const char *item, const char *tail)
{
    hostile_print(t, "%s%s", head, item);
    while (t->size < bytes) hostile_print(t, ",%s", item);
    hostile_print(t, "%s", tail);
}

static inline void json_numbers(hostile_text *t, size_t n)
{
    json_list(t, n, HOSTILE_JSON_BODY ", \"x\": [", "0", "]}");
}
static inline void json_shapes(hostile_text *t, size_t n)
{
    json_list(t, n, HOSTILE_JSON_BODY ", \"shapes\": [", "{\"body\":\"b\",\"type\":\"point\"}", "]}");
}

static inline void json_twice(hostile_text *t, size_t bytes) { json_list(t, bytes, "{", "\"a\":0", "}"); }

static inline void json_nested(hostile_text *t, size_t bytes)
{
    hostile_print(t, "{\"x\": ");
    hostile_repeat(t, "[", bytes);
}

/* lists that a key nobody knows holds, as deep as they may be */
static inline void json_deep(hostile_text *t, size_t bytes)
{
    hostile_print(t, HOSTILE_JSON_BODY);
    for (int k = 0; k == 0 || t->size < bytes; k++) {
        hostile_print(t, ", \"x%d\": ", k);
        for (int i = 0; i < 990; i++) hostile_print(t, "[");
        for (int i = 0; i < 990; i++) hostile_print(t, "]");
    }
    hostile_print(t, "}");
}

static inline void json_long_name(hostile_text *t, size_t bytes)
{
    hostile_print(t, "{\"bodies\": [{\"name\": \"");
    hostile_repeat(t, "name", bytes);
    hostile_print(t, "\", \"parent\": null, \"joint\": {\"name\": \"j\", " HOSTILE_REVOLUTE "}}]}");
}

static inline void json_escapes(hostile_text *t, size_t bytes)
{
    hostile_print(t, HOSTILE_JSON_BODY ", \"name\": \"");
    hostile_repeat(t, "\\ud83e\\udd16", bytes);
    hostile_print(t, "\"}");
}

/* ---- states, of a model with the joint `j` ---- */

static inline void state_keys(hostile_text *t, size_t n) { json_members(t, n, "{", "}", "0"); }
static inline void state_joint_keys(hostile_text *t, size_t n)
{
    json_members(t, n, "{\"joints\": {\"j\": {", "}}}", "0");
}
static inline void state_unknown(hostile_text *t, size_t n) { json_members(t, n, "{\"joints\": {", "}}", "{}"); }
static inline void state_wrenches(hostile_text *t, size_t n)
{
    json_list(t, n, "{\"wrenches\": [", "{\"frame\":\"b\",\"wrench\":[0,0,0,0,0,0]}", "]}");
}

typedef struct hostile_shape {
    const char *name, *file; /* file: what a loader takes it for */
    void (*make)(hostile_text *t, size_t bytes);
    int loads; /* 0: it is refused */
} hostile_shape;

static const hostile_shape hostile_shapes[] = {
    {"chain", "a.urdf", urdf_chain, 1},
    {"star", "a.urdf", urdf_star, 1},
    {"one line", "a.urdf", urdf_one_line, 1},
    {"fixed links", "a.urdf", urdf_fixed, 1},
    {"tilted planes", "a.urdf", urdf_planar, 1},
    {"mimic chain", "a.urdf", urdf_mimic, 1},
    {"collisions of one link", "a.urdf", urdf_collisions, 1},
    {"attributes of one element", "a.urdf", urdf_attributes, 1},
    {"elements nobody knows", "a.urdf", urdf_elements, 1},
    {"names of one hash", "a.urdf", urdf_one_hash, 1},
    {"declared attributes", "a.urdf", urdf_declared, 0},
    {"a number of many digits", "a.urdf", urdf_digits, 1},
    {"a long text", "a.urdf", urdf_long_text, 1},
    {"visuals", "a.urdf", urdf_visuals, 1},
    {"bodies", "a.xml", mjcf_bodies, 1},
    {"bodies 900 deep", "a.xml", mjcf_deep, 1},
    {"frames 900 deep", "a.xml", mjcf_frames, 1},
    {"joints of one body", "a.xml", mjcf_joints, 0},
    {"sites of one name", "a.xml", mjcf_sites, 0},
    {"sites with names of bodies", "a.xml", mjcf_taken, 1},
    {"defaults times geoms", "a.xml", mjcf_geoms_defaults, 1},
    {"defaults of one number", "a.xml", mjcf_short_sizes, 1},
    {"a long default", "a.xml", mjcf_wide_default, 1},
    {"a wide default", "a.xml", mjcf_default_attributes, 1},
    {"classes 900 deep", "a.xml", mjcf_classes, 1},
    {"sections of defaults", "a.xml", mjcf_sections, 1},
    {"assets", "a.xml", mjcf_assets, 1},
    {"equalities", "a.xml", mjcf_equalities, 1},
    {"actuators of one joint", "a.xml", mjcf_actuators, 1},
    {"chain", "a.json", json_chain, 1},
    {"names of one hash", "a.json", json_one_hash, 1},
    {"keys nobody knows", "a.json", json_keys, 1},
    {"objects nobody knows", "a.json", json_objects, 1},
    {"a list of numbers", "a.json", json_numbers, 1},
    {"shapes of one body", "a.json", json_shapes, 1},
    {"one key many times", "a.json", json_twice, 0},
    {"nested lists", "a.json", json_nested, 0},
    {"lists 990 deep", "a.json", json_deep, 1},
    {"a long name", "a.json", json_long_name, 1},
    {"escapes", "a.json", json_escapes, 1},
    {"keys nobody knows", "state", state_keys, 0},
    {"keys of one joint", "state", state_joint_keys, 1},
    {"joints nobody knows", "state", state_unknown, 0},
    {"wrenches", "state", state_wrenches, 1},
};

enum { HOSTILE_SHAPES = sizeof hostile_shapes / sizeof *hostile_shapes };

#endif
