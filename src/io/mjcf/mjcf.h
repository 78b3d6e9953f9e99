/*
 * An MJCF file between its XML and the builder. It is read as MuJoCo's own compiler reads it:
 *
 *   include.c   <include> is replaced by what it names
 *   settings.c  <compiler> and <option>
 *   default.c   default classes, and attributes looked up through them
 *   orient.c    orientations: quat, axisangle, euler, xyaxes, zaxis
 *   body.c      the tree of bodies and frames
 *   joint.c     joints
 *   geom.c      geoms
 *   inertia.c   inertias
 *   mesh.c      assets by name; meshes
 *   hfield.c    grids of heights
 *   visual.c    what is seen of geoms: meshes, materials, textures
 *   keyframe.c  keyframes, and the configuration that the file draws
 *   equality.c  loops and followers
 *   actuator.c  actuators
 *   pair.c      pairs of geoms that touch each other
 *   other.c     what is left out by name
 *   mjcf.c      the order of all this, names, and the builder
 */
#ifndef HML_IO_MJCF_MJCF_H
#define HML_IO_MJCF_MJCF_H

#include "hamel/model.h"
#include "hamel/view.h"
#include "io/mesh/mesh.h"
#include "io/reader.h"
#include "model/pose.h"

typedef enum mjcf_kind {
    MJCF_JOINT,
    MJCF_GEOM,
    MJCF_SITE,
    MJCF_ACTUATOR,
    MJCF_TENDON,
    MJCF_MESH,
    MJCF_PAIR,
    MJCF_KINDS,
    MJCF_PLAIN
} mjcf_kind;

typedef struct mjcf_settings {
    double angle; /* radians in the file's unit of angle */
    char eulerseq[4];
    int from_geoms; /* inertiafromgeom: 0 false, 1 true, 2 auto */
    int autolimits, balance, align_free;
    double bound_mass, bound_inertia, total_mass;
    double groups[2]; /* inertiagrouprange */
    double gravity[3];
    int no_gravity, no_springs, no_dampers;
    const char *meshdir, *texturedir; /* relative to the file's folder */
    int strippath;                    /* folders in the names of mesh and texture files do not count */
} mjcf_settings;

enum { MJCF_NUMBERS = 10 }; /* no attribute that is read has more */

/* what a default says about one attribute, read once: a thousand geoms may ask */
typedef struct mjcf_value {
    const xml_node *node; /* where it stands */
    const char *text;
    double numbers[MJCF_NUMBERS];
    int count;                       /* of numbers; −1: it is no list of numbers */
    int32_t age;                     /* values count up through the file: the larger, the nearer */
    const struct mjcf_value *longer; /* what it hides, as far as that has more numbers; NULL: nothing */
} mjcf_value;

/* Whatever a class says or takes over, by attribute. Two classes share a table until one of them says more. */
typedef struct mjcf_class {
    const char *name;
    int32_t parent;                          /* −1: the main class */
    const mjcf_value **defaults[MJCF_KINDS]; /* NULL: it says nothing */
    unsigned char shared[MJCF_KINDS];
} mjcf_class;

/* an element with the class that fills in what it leaves open */
typedef struct mjcf_element {
    const xml_node *node;
    mjcf_kind kind; /* MJCF_PLAIN: it takes no defaults */
    int32_t class;
} mjcf_element;

typedef struct mjcf_body {
    const char *name; /* NULL: none */
    const xml_node *node;
    int32_t parent;
    pose place; /* in the parent's frame */
    int32_t joint, njoints;
    int moves;                /* it or a body it hangs on has joints */
    int paired;               /* a <pair> names a geom of it */
    const xml_node *inertial; /* NULL: none */
    const xml_node *unknown;  /* a geom whose inertia is not known, e.g. of a mesh that is not there; NULL: none */
    const char *why;          /* it is not known; in the arena */
    double mass;
    vec3 com;
    sym3 moment; /* about the com, in body axes */
} mjcf_body;

typedef struct mjcf_joint {
    const xml_node *node;
    int named;
    int32_t body;
    int32_t driven; /* actuators on it */
    double ref;     /* of hinges and slides: the coordinate where the file puts the body */
    hml_joint_spec spec;
} mjcf_joint;

typedef struct mjcf_site {
    const char *name; /* of the frame, in the end */
    const xml_node *node;
    int32_t body;
    pose place;
    int geom; /* it is a geom that can collide */
} mjcf_site;

typedef struct mjcf_shape {
    const xml_node *node;
    int32_t body;
    hml_shape shape;
    int paired;     /* it has no bits of its own: only pairs let it touch anything */
    int32_t npairs; /* pairs that it is in, and */
    uint32_t bit;   /* the bit of contype that it has for them */
} mjcf_shape;

/* an actuator, kept until all joints and sites have names */
typedef struct mjcf_actuator {
    const xml_node *node;
    int32_t number;      /* in the file */
    int32_t joint, site; /* one of them; −1 the other */
    double ratio;        /* dampratio of a <position>; 0: none */
    hml_actuator spec;
} mjcf_actuator;

/* a geom as it is seen; kept until all bodies have names */
typedef struct mjcf_visual {
    int32_t body;
    hml_visual visual;
} mjcf_visual;

/* a body, a frame in it, the class in effect */
typedef struct mjcf_context {
    pose frame; /* in the body's frame */
    int32_t class, body;
    int geoms; /* do geoms count for the inertia of this body? */
} mjcf_context;

typedef struct mjcf {
    reader *r;
    mjcf_settings set;
    mjcf_class *classes;    /* 0 is the main class */
    mjcf_context *contexts; /* where the reader of bodies is, from the outside in */
    mjcf_body *bodies;      /* 0 is the world */
    mjcf_joint *joints;     /* body after body */
    mjcf_site *sites;
    mjcf_shape *shapes;
    mjcf_actuator *actuators;
    size_t nactuators, actuators_capacity;
    size_t nclasses, ncontexts, nbodies, njoints, nsites, nshapes;
    size_t classes_capacity, contexts_capacity, bodies_capacity, joints_capacity, sites_capacity, shapes_capacity;
    int32_t nvalues; /* of defaults so far */
    map class_names, body_names, joint_names, site_names, geom_names, actuator_names, tendon_names, key_names;
    map pair_names;          /* of geoms in pairs, into shapes; −1: it is none */
    const xml_node **assets; /* meshes, materials, textures */
    mjcf_visual *visuals;    /* filled if a scene is asked for */
    size_t nvisuals, nassets, visuals_capacity, assets_capacity;
    map mesh_names, material_names, texture_names, hfield_names; /* into assets */
} mjcf;

/* ---- include.c ---- */
hml_status hmli_mjcf_include(reader *r, xml_node *root);

/* ---- settings.c ---- */
void hmli_mjcf_settings_init(mjcf_settings *set);
hml_status hmli_mjcf_compiler(mjcf *m, const xml_node *node);
hml_status hmli_mjcf_option(mjcf *m, const xml_node *node);

/* ---- default.c ---- */

/* a top-level <default> */
hml_status hmli_mjcf_defaults(mjcf *m, const xml_node *node);

/* the element's class: its own, or the one in effect */
hml_status hmli_mjcf_element(const mjcf *m, const xml_node *node, mjcf_kind kind, int32_t childclass, mjcf_element *e);
hml_status hmli_mjcf_find_class(const mjcf *m, const xml_node *node, const char *attribute, int32_t *class);

/* the node that says this attribute: the element, or a default of its class or the classes above; NULL: none does */
const xml_node *hmli_mjcf_holder(const mjcf *m, const mjcf_element *e, const char *attribute);

/* what the defaults say, whatever the element itself does; NULL: nothing */
const mjcf_value *hmli_mjcf_default(const mjcf *m, const mjcf_element *e, const char *attribute);

hml_status hmli_mjcf_numbers(const mjcf *m, const mjcf_element *e, const char *attribute, int n, double *values);

/* one to `most` numbers; a shorter list leaves the rest to the defaults, as MuJoCo has it */
hml_status hmli_mjcf_some_numbers(const mjcf *m, const mjcf_element *e, const char *attribute, int most,
                                  double *values);

/* one of words (ended by NULL) */
hml_status hmli_mjcf_word(const mjcf *m, const mjcf_element *e, const char *attribute, const char *const words[],
                          int *index);

/* error at a node */
#define MJCF_FAIL(m, status, node, ...) hmli_report((m)->r->error, status, (node)->file, (node)->line, __VA_ARGS__)

/* ---- orient.c ---- */

/* pos and orientation; what is not there: the identity */
hml_status hmli_mjcf_place(const mjcf *m, const mjcf_element *e, pose *place);
hml_status hmli_mjcf_orientation(const mjcf *m, const mjcf_element *e, mat3 *R);

/*
 * fromto: half the length, and the frame between the two points, where place was that of pos; *there = 0 if there is
 * none
 */
hml_status hmli_mjcf_fromto(const mjcf *m, const mjcf_element *e, int *there, double *half, pose *place);

/* ---- body.c, joint.c, geom.c, inertia.c ---- */

/* a <worldbody> and all below it */
hml_status hmli_mjcf_worldbody(mjcf *m, const xml_node *world);

/* <joint> or <freejoint> of the last body, in a frame of it */
hml_status hmli_mjcf_joint(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass);

/* a sum of geoms: mass, first moment, and what is needed for the moment about the common centre */
typedef struct mjcf_part {
    double mass;
    vec3 com;
    sym3 moment; /* about its com, in body axes */
} mjcf_part;

typedef struct mjcf_parts {
    mjcf_part *part;
    size_t n, capacity;
} mjcf_parts;

/* a geom of body b, if it counts for the inertia */
hml_status hmli_mjcf_geom(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, mjcf_body *b,
                          mjcf_parts *parts);

/* the types of geoms, in the order of enum mjcf_geom_type */
extern const char *const hmli_mjcf_geom_types[];
enum mjcf_geom_type { SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, PLANE, HFIELD, MESH, SDF };

/* size and pose of a geom up to BOX; fromto may say both */
hml_status hmli_mjcf_geom_size(mjcf *m, const mjcf_element *e, enum mjcf_geom_type type, double size[3], pose *place);

/* a geom that can touch something, into the shapes */
hml_status hmli_mjcf_shape(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, int32_t body);

/* <inertial> of body b */
hml_status hmli_mjcf_inertial(mjcf *m, const xml_node *node, const pose *frame, mjcf_body *b);

/* what b weighs, from its geoms or its <inertial>, then bounds and balance */
hml_status hmli_mjcf_body_inertia(mjcf *m, mjcf_body *b, const mjcf_parts *parts);

/* bodies that move must have inertia; settotalmass */
hml_status hmli_mjcf_check_inertias(mjcf *m);

/* ---- mesh.c ---- */

/* an <asset> */
hml_status hmli_mjcf_assets(mjcf *m, const xml_node *section);
const xml_node *hmli_mjcf_asset(const mjcf *m, const map *names, const char *name);

/* an attribute, of the element or its defaults, or NULL */
const char *hmli_mjcf_text(const mjcf *m, const mjcf_element *e, const char *attribute);

/* the name of a file without its folders */
const char *hmli_mjcf_base_name(const char *file);

typedef struct mjcf_mesh {
    const xml_node *node; /* NULL: there is none of this name */
    mjcf_element element;
    double scale[3];
    pose reference; /* of its vertices in the geom's frame, before the scale */
    int moved;      /* the reference is not the identity */
} mjcf_mesh;
hml_status hmli_mjcf_mesh(mjcf *m, const char *name, mjcf_mesh *mesh);

/* kind and vertices of a shape in the geom's frame, or the kind HML_SHAPE_POINT and the reason */
hml_status hmli_mjcf_mesh_shape(mjcf *m, const char *name, hml_shape *shape, const char **why);

/* volume and moments in the geom's frame; if they are not known *why says so */
hml_status hmli_mjcf_mesh_moments(mjcf *m, const char *name, mesh_moments *moments, hml_error *why);

/* ---- hfield.c: only if somebody asks for a terrain ---- */
hml_status hmli_mjcf_hfield(mjcf *m, const mjcf_element *e, const pose *frame);

/* ---- visual.c: only if a scene is asked for ---- */

/* a geom, if it is seen, into the visuals */
hml_status hmli_mjcf_visual(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, int32_t body);

/* the visuals into the scene, once all bodies have names */
hml_status hmli_mjcf_add_visuals(mjcf *m);

/* ---- equality.c ---- */

/* joints that follow others, before they go to the builder, once they have names */
hml_status hmli_mjcf_equality_joints(mjcf *m, const xml_node *section);

/* loops; the builder has bodies and sites */
hml_status hmli_mjcf_equality(mjcf *m, const xml_node *section);

/* ---- pair.c ---- */

/* the geoms that the pairs of a <contact> name, before the geoms are read */
hml_status hmli_mjcf_pair_names(mjcf *m, const xml_node *section);

/* bits of the shapes, so that pairs meet */
hml_status hmli_mjcf_pairs(mjcf *m, const xml_node *mujoco);

/* ---- other.c ---- */

/* names of one kind are there once; an element may have none */
hml_status hmli_mjcf_unique_name(mjcf *m, map *names, const xml_node *node);

/* "actuator 'x'", or in other words if it has no name */
const char *hmli_mjcf_label(char text[LABEL_SIZE], const char *what, const xml_node *node);
hml_status hmli_mjcf_actuators(mjcf *m, const xml_node *node, int *any);
/* into the builder, which has joints and sites */
hml_status hmli_mjcf_add_actuators(mjcf *m);
hml_status hmli_mjcf_tendon(mjcf *m, const xml_node *node);
/* <contact>: exclusions into the builder, whose bodies are there */
hml_status hmli_mjcf_contact(mjcf *m, const xml_node *section);

/* all <keyframe> sections; the builder has the joints */
hml_status hmli_mjcf_keyframes(mjcf *m, const xml_node *mujoco);

#endif
