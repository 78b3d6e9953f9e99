/* A URDF file between its XML and the builder. */
#ifndef HML_IO_URDF_URDF_H
#define HML_IO_URDF_URDF_H

#include "hamel/model.h"
#include "io/reader.h"
#include "model/pose.h"

typedef struct urdf_link {
    const char *name;
    const xml_node *node;
    int32_t joint; /* whose child it is, −1: the root */
    int has_inertia;
    hml_inertia_spec inertia;
} urdf_link;

typedef struct urdf_joint {
    const xml_node *node;
    int32_t parent, child;
    hml_joint_spec spec;
} urdf_joint;

typedef struct urdf {
    reader *r;
    const char *name; /* of the robot, or NULL */
    int quaternions;  /* version 1.1 and later: <origin quat_xyzw> */
    urdf_link *links;
    urdf_joint *joints;
    size_t nlinks, njoints, links_capacity, joints_capacity;
    map link_names, joint_names;
    map materials; /* by name, into material_nodes; filled if a scene is asked for */
    const xml_node **material_nodes;
    size_t nmaterials, materials_capacity;
} urdf;

/* whether the root floats, where nobody says it; guessed: nothing in the file speaks for it */
hml_base_kind hmli_urdf_base(const urdf *u, const char *robot, const urdf_link *root, int *guessed);

/* <origin xyz rpy>; node NULL: the identity */
hml_status hmli_urdf_origin(urdf *u, const xml_node *node, pose *H);

/* <link> without its name */
hml_status hmli_urdf_link(urdf *u, urdf_link *link);

/* <collision> of a link, into the builder */
hml_status hmli_urdf_shapes(urdf *u, const urdf_link *link);

/* the materials of the whole file; then <visual> of a link, into the scene */
hml_status hmli_urdf_materials(urdf *u, const xml_node *robot);
hml_status hmli_urdf_visuals(urdf *u, const urdf_link *link);

/* <joint> without its name and links */
hml_status hmli_urdf_joint(urdf *u, urdf_joint *joint);

#endif
