/*
 * Models: trees of rigid bodies whose joints are Lie groups.
 *
 * A model is immutable once built and may be shared between threads. It is one relocatable block of memory: copying it,
 * sending it or writing it to disk is memcpy (hml_model_data, hml_model_size, hml_model_from_data).
 *
 * Exactly one joint connects every body to its parent or to the world; a moving base is a free joint on the world.
 * Bodies are numbered depth first, parents before children, so that a subtree is a contiguous range of bodies and of
 * velocity coordinates. The frame of a body is its joint's successor frame.
 *
 * The pose of a body in its parent's frame is origin · T(point) · g(q) · T(−point): origin is the constant placement of
 * the predecessor frame, g(q) the element of the joint's group, and T(point) moves the joint's axis or centre, where a
 * file says so, away from the frame's origin.
 */
#ifndef HAMEL_MODEL_H
#define HAMEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/base.h"

typedef struct hml_model hml_model;
typedef struct hml_builder hml_builder;

/* ---- joints ---- */

/*
 * name             group       position numbers (nq)       velocity (nv), in the successor frame
 */
typedef enum hml_joint_type {
    HML_JOINT_FIXED = 0,     /* {1}    0                        0 */
    HML_JOINT_REVOLUTE = 1,  /* SO(2)  angle                    1  turning about axis */
    HML_JOINT_PRISMATIC = 2, /* R      displacement             1  sliding along axis */
    HML_JOINT_HELICAL = 3, /* H      angle                    1  turning about axis, sliding pitch metres per radian */
    HML_JOINT_CYLINDRICAL = 4, /* R×SO(2) displacement, angle     2  sliding along axis, turning about it */
    HML_JOINT_UNIVERSAL = 5,   /* –      angle, angle2            2  two revolutes, axis then axis2, massless cross */
    HML_JOINT_TRANSLATION2 = 6, /* R²     x y                      2  */
    HML_JOINT_PLANAR = 7,       /* SE(2)  x y angle                3  vx vy wz */
    HML_JOINT_SPHERICAL = 8,    /* SO(3)  qw qx qy qz              3  wx wy wz */
    HML_JOINT_TRANSLATION3 = 9, /* R³     x y z                    3  vx vy vz */
    HML_JOINT_SCHOENFLIES = 10, /* X(z)   x y z angle              4  vx vy vz wz */
    HML_JOINT_FREE = 11         /* SE(3)  x y z qw qx qy qz        6  vx vy vz wx wy wz */
} hml_joint_type;

enum { HML_JOINT_MAX_NQ = 7, HML_JOINT_MAX_NV = 6 };

/* "free", "revolute", … as in model files; NULL for an unknown type */
HML_API const char *hml_joint_type_name(hml_joint_type type);
HML_API hml_status hml_joint_type_from_name(const char *name, hml_joint_type *type);
HML_API int32_t hml_joint_type_nq(hml_joint_type type);
HML_API int32_t hml_joint_type_nv(hml_joint_type type);

/* ---- building ---- */

/* Everything a joint can say. hml_joint_spec_init fills the defaults; then set what differs. */
typedef struct hml_joint_spec {
    size_t struct_size;
    const char *name;
    hml_joint_type type;
    double position[3]; /* placement of the predecessor frame in the parent's body frame */
    double rotation[9]; /* row-major */
    double axis[3];     /* in the predecessor frame; need not be unit. planar, translation2, schoenflies: always z */
    double axis2[3];    /* universal: the second axis, in the frame after the first rotation */
    double point[3];    /* a point of the axis (spherical: the centre), in the predecessor frame; 0 by default */
    double pitch;       /* helical: metres per radian */
    int actuated;
    double armature[HML_JOINT_MAX_NV];  /* rotor inertia seen at the joint, on M's diagonal */
    double damping[HML_JOINT_MAX_NV];   /* viscous: force = −damping·ν */
    double friction[HML_JOINT_MAX_NV];  /* dry: |force| ≤ friction, against ν; acts in steps of contact alone */
    double stiffness[HML_JOINT_MAX_NV]; /* spring: force = −stiffness·log(rest⁻¹ q) */
    double rest[HML_JOINT_MAX_NQ];      /* where the spring is at rest; neutral by default */
    double lower[HML_JOINT_MAX_NV];     /* limits, carried along; ±infinity where there is none */
    double upper[HML_JOINT_MAX_NV];
    double velocity_limit[HML_JOINT_MAX_NV];
    double effort_limit[HML_JOINT_MAX_NV];
    const char *mimic; /* name of the joint this one follows, or NULL: position = multiplier·leader + offset */
    double multiplier;
    double offset;
} hml_joint_spec;

/* type decides the defaults of rest (neutral) */
HML_API void hml_joint_spec_init(hml_joint_spec *spec, hml_joint_type type);

/*
 * A joint given by its screw [linear; angular] in the reference configuration, as in the product of exponentials
 * (Müller, section 4.4): position and rotation place the body frame in the parent's where the joint is neutral; the
 * screw is given in the body frame, or in the parent's if spatial. Sets type (revolute, prismatic or helical),
 * placement, axis, point, pitch. The coordinate is the angle or way; the builder warns if the screw's length is not 1.
 */
HML_API hml_status hml_joint_spec_set_screw(hml_joint_spec *spec, const double position[3], const double rotation[9],
                                            const double screw[6], int spatial);

typedef struct hml_inertia_spec {
    double mass;
    double com[3];    /* in the body frame */
    double moment[9]; /* about the com, in body axes, row-major, symmetric */
} hml_inertia_spec;

enum hml_build_option {
    HML_BUILD_KEEP_FIXED = 1,        /* keep fixed joints as bodies instead of merging them */
    HML_BUILD_STRICT = 2,            /* treat warnings as errors */
    HML_BUILD_MIMIC_INDEPENDENT = 4, /* treat mimic joints as independent */
    HML_BUILD_NO_PASSIVE = 8         /* drop armature, damping, springs and dry friction */
};

HML_API hml_builder *hml_builder_new(void); /* NULL when out of memory */
HML_API void hml_builder_free(hml_builder *builder);
HML_API hml_status hml_builder_set_name(hml_builder *builder, const char *name);
HML_API hml_status hml_builder_set_gravity(hml_builder *builder, const double gravity[3]);
/*
 * Inertia fixed to the world, in its frame, beside that of bodies whose joint on the world is fixed: it takes the place
 * of what was set before. It moves nothing; hml_model_world_inertia has the sum.
 */
HML_API hml_status hml_builder_set_world_inertia(hml_builder *builder, const hml_inertia_spec *inertia);

/*
 * parent NULL: the world; the parent may be added later. inertia NULL: none. Text is copied. Errors of an item by
 * itself (a name that is taken, NaN, negative mass, a zero axis, a matrix that is not a rotation) are reported here, so
 * that a loader knows the line; the builder then stays as it was.
 */
HML_API hml_status hml_builder_add_body(hml_builder *builder, const char *name, const char *parent,
                                        const hml_joint_spec *joint, const hml_inertia_spec *inertia, hml_error *error);
/* body NULL: the world. rotation row-major */
HML_API hml_status hml_builder_add_frame(hml_builder *builder, const char *name, const char *body,
                                         const double position[3], const double rotation[9], hml_error *error);
/* for warnings of loaders; the model keeps them */
HML_API hml_status hml_builder_add_warning(hml_builder *builder, const char *sentence);

/*
 * Checks the whole and makes the model. Cycles, unknown parents and bad mimic joints are errors that name the item; odd
 * inertias are warnings that name the link. options is a sum of HML_BUILD_… The builder stays usable. error may be
 * NULL. See docs/models.md.
 */
HML_API hml_status hml_builder_build(const hml_builder *builder, unsigned options, hml_model **model, hml_error *error);

/* ---- the model as a block ---- */

HML_API void hml_model_free(hml_model *model);
HML_API size_t hml_model_size(const hml_model *model); /* bytes */
HML_API const void *hml_model_data(const hml_model *model);
/* copies and checks a block made by hml_model_data on the same kind of machine */
HML_API hml_status hml_model_from_data(const void *data, size_t size, hml_model **model);
HML_API hml_status hml_model_copy(const hml_model *model, hml_model **copy);

/* ---- asking ---- */

HML_API const char *hml_model_name(const hml_model *model);
HML_API int32_t hml_model_nq(const hml_model *model); /* coordinates of a configuration */
HML_API int32_t hml_model_nv(const hml_model *model); /* degrees of freedom */
HML_API int32_t hml_model_nbodies(const hml_model *model);
HML_API int32_t hml_model_njoints(const hml_model *model); /* joints as the file names them; one with two axes is one */
HML_API int32_t hml_model_nframes(const hml_model *model); /* named frames, bodies and merged links included */
HML_API void hml_model_gravity(const hml_model *model, double gravity[3]);
HML_API hml_status hml_model_set_gravity(hml_model *model, const double gravity[3]); /* before the model is shared */
HML_API double hml_model_mass(const hml_model *model);                               /* of what can move */
HML_API void hml_model_world_inertia(const hml_model *model,
                                     hml_inertia_spec *inertia); /* what is fixed to the world */
HML_API int32_t hml_model_nwarnings(const hml_model *model);
HML_API const char *hml_model_warning(const hml_model *model, int32_t index);

typedef struct hml_body_info {
    size_t struct_size;
    const char *name;
    int32_t parent;      /* −1: the world */
    int32_t joint;       /* index of its joint */
    int32_t subtree_end; /* the subtree is body … subtree_end − 1 */
    int32_t depth;       /* bodies between it and the world */
    double mass, com[3], moment[9];
} hml_body_info;

typedef struct hml_joint_info {
    size_t struct_size;
    const char *name;
    hml_joint_type type;
    int32_t body;  /* the body it moves */
    int32_t q, nq; /* its coordinates in a configuration; −1, 0 for a mimic follower */
    int32_t v, nv; /* its coordinates in a velocity; −1, 0 for a mimic follower */
    int actuated;
    int32_t leader; /* joint it follows, or −1 */
    double multiplier, offset;
    double position[3], rotation[9], axis[3], axis2[3], point[3], pitch;
    double armature[HML_JOINT_MAX_NV], damping[HML_JOINT_MAX_NV], stiffness[HML_JOINT_MAX_NV], rest[HML_JOINT_MAX_NQ];
    double friction[HML_JOINT_MAX_NV];
    double lower[HML_JOINT_MAX_NV], upper[HML_JOINT_MAX_NV];
    double velocity_limit[HML_JOINT_MAX_NV], effort_limit[HML_JOINT_MAX_NV];
} hml_joint_info;

typedef enum hml_frame_kind {
    HML_FRAME_BODY = 0, /* the frame of a body */
    HML_FRAME_LINK = 1, /* a link that was merged into a body, or into the world */
    HML_FRAME_NAMED = 2 /* a frame that was added */
} hml_frame_kind;

typedef struct hml_frame_info {
    size_t struct_size;
    const char *name;
    int32_t body;                    /* −1: the world */
    double position[3], rotation[9]; /* placement in the body frame, row-major */
    hml_frame_kind kind;
} hml_frame_info;

HML_API hml_status hml_model_body(const hml_model *model, int32_t index, hml_body_info *info);
HML_API hml_status hml_model_joint(const hml_model *model, int32_t index, hml_joint_info *info);
HML_API hml_status hml_model_frame(const hml_model *model, int32_t index, hml_frame_info *info);

/* a wrench at the origin of a frame: what files say about a state, and what pushes a motion */
typedef struct hml_frame_wrench {
    int32_t frame;
    int in_world;     /* 0: in the axes of the frame; 1: in those of the world */
    double wrench[6]; /* force, torque */
} hml_frame_wrench;

/* index by name, −1 if the name does not exist; frames include every body and merged link */
HML_API int32_t hml_model_find_body(const hml_model *model, const char *name);
HML_API int32_t hml_model_find_joint(const hml_model *model, const char *name);
HML_API int32_t hml_model_find_frame(const hml_model *model, const char *name);

/* name of a velocity coordinate: "knee", or "base.0" … "base.5" for joints of several coordinates */
HML_API hml_status hml_model_velocity_name(const hml_model *model, int32_t index, char *name, size_t size);

/* ---- collision shapes ---- */

/*
 * Collision shapes: the parts of a robot that can touch something.
 *
 *   hml_builder_add_shape   a shape on a body, while a model is being built
 *   hml_model_nshapes       how many a model has
 *   hml_model_shape         one of them
 *   hml_builder_add_exclusion, hml_model_nexclusions, hml_model_exclusion
 *                           bodies whose shapes do not touch each other
 *
 * Readers take spheres, boxes, capsules, cylinders and meshes, these as convex hulls, from URDF (<collision>) and MJCF
 * (<geom> that can collide), and these and points from Hamel's own files. Other surfaces are left out: docs/contact.md.
 */

typedef enum hml_shape_kind {
    HML_SHAPE_POINT = 0,
    HML_SHAPE_SPHERE = 1,   /* size: radius */
    HML_SHAPE_BOX = 2,      /* size: half lengths along x, y, z */
    HML_SHAPE_CAPSULE = 3,  /* size: radius, half length of its axis, which is z; the ends are half balls */
    HML_SHAPE_CYLINDER = 4, /* size: radius, half length; along z */
    HML_SHAPE_HULL = 5      /* the convex hull of its vertices, as of a mesh */
} hml_shape_kind;

enum { HML_SHAPE_MAX_VERTICES = 64 };

typedef struct hml_shape {
    int32_t frame; /* hml_model_find_frame: bodies, merged links and named frames; −1: the world */
    hml_shape_kind kind;
    double size[3];
    double position[3], rotation[9]; /* in the frame; row-major */
    double friction;                 /* μ; of two shapes that touch the larger μ counts. Negative: the other's */
    double restitution;              /* in [0, 1]; the larger one counts */
    int32_t nvertices;               /* of a hull: 1 to HML_SHAPE_MAX_VERTICES; of other kinds 0 */
    const double *vertices;          /* in the shape's axes, three numbers each; of a model's shape: the model's */
    uint32_t contype, conaffinity;   /* two shapes touch each other only if the contype of one and the conaffinity of
                                        the other have a bit in common, as in MJCF; both 0: 1 and 1. For planes they
                                        do not count */
} hml_shape;

/* "point", "sphere", … as in model files; NULL for an unknown kind */
HML_API const char *hml_shape_kind_name(hml_shape_kind kind);
HML_API hml_status hml_shape_kind_from_name(const char *name, hml_shape_kind *kind);
HML_API int32_t hml_shape_kind_sizes(hml_shape_kind kind); /* how many entries of size are used; −1: unknown kind */

/*
 * body NULL: the world; it may be added later. shape->frame is not read: position and rotation are in the body's frame.
 * A shape of a link that is merged goes to the body that carries it.
 */
HML_API hml_status hml_builder_add_shape(hml_builder *builder, const char *body, const hml_shape *shape,
                                         hml_error *error);

HML_API int32_t hml_model_nshapes(const hml_model *model);

/* frame: that of the body, or −1 */
HML_API hml_status hml_model_shape(const hml_model *model, int32_t index, hml_shape *shape);

/*
 * Shapes of these two bodies do not touch each other (<exclude> of MJCF); NULL: the world. Bodies may be added
 * later. A link that is merged stands for the body that carries it. Shapes of one body never touch each other, and
 * neither do those of a body and its parent.
 */
HML_API hml_status hml_builder_add_exclusion(hml_builder *builder, const char *body, const char *other,
                                             hml_error *error);

HML_API int32_t hml_model_nexclusions(const hml_model *model);
HML_API hml_status hml_model_exclusion(const hml_model *model, int32_t index, int32_t bodies[2]); /* −1: the world */

/* ---- loops ---- */

/*
 * Loops: frames tied to each other, by which a mechanism that is not a tree becomes one. What is tied, and what λ is:
 * constraint.h.
 *
 *   hml_builder_add_loop      ties two frames, while a model is being built
 *   hml_model_nloops, hml_model_loop_name
 *   hml_model_loop            one of them, as hml_constraints takes it
 *
 * The readers of MJCF (<equality> connect and weld) and of Hamel's own files make them, and Hamel's own files keep them.
 * They are cold data: dynamics.h and linearize.h see the tree alone, constraint.h sees the loops that it is given.
 */

typedef enum hml_constraint_kind {
    HML_HOLD_FRAME = 0,   /* 6 rows */
    HML_HOLD_POINT = 1,   /* 3 rows: the frame's origin */
    HML_HOLD_PLANE = 2,   /* 1 row: the frame's origin stays on a plane */
    HML_TOUCH_PLANE = 3,  /* 1 row: it may leave the plane along the normal; λ ≥ 0. Not for loops */
    HML_HOLD_DISTANCE = 4 /* 1 row: two origins keep their distance. Loops alone; `other` may be the world */
} hml_constraint_kind;

/* "frame", "point", "plane", "touch", "distance"; NULL for an unknown kind */
HML_API const char *hml_constraint_kind_name(hml_constraint_kind kind);
HML_API hml_status hml_constraint_kind_from_name(const char *name, hml_constraint_kind *kind);

/* a frame tied to another frame */
typedef struct hml_loop {
    hml_constraint_kind kind; /* frame, point, plane or distance */
    int32_t frame, other;     /* not the same one; other: HML_WORLD is the world */
    double normal[3];         /* of the plane, in axes of `other`; need not be unit */
    double distance;          /* d* > 0 of HML_HOLD_DISTANCE */
    double damping;           /* Baumgarte's terms, 1/s and 1/s²; zero: none */
    double stiffness;
    double pose[16]; /* H*, of `frame` in `other`; point and plane use its position alone. All zero: the identity */
} hml_loop;

/*
 * frame and other are names of bodies, links or frames, which may be added later; other NULL: the world. name NULL: none.
 * loop->frame and loop->other are not read.
 */
HML_API hml_status hml_builder_add_loop(hml_builder *builder, const char *name, const char *frame, const char *other,
                                        const hml_loop *loop, hml_error *error);

HML_API int32_t hml_model_nloops(const hml_model *model);
HML_API const char *hml_model_loop_name(const hml_model *model, int32_t index); /* "": none; NULL: no such index */
HML_API hml_status hml_model_loop(const hml_model *model, int32_t index, hml_loop *loop);

/* ---- keyframes ---- */

/*
 * Keyframes: states with a name, such as "home" or "crouch". Joints that a keyframe does not name are neutral and at
 * rest in it.
 *
 *   hml_builder_add_keyframe   a joint's part of a keyframe, while a model is being built
 *   hml_model_nkeyframes, hml_model_keyframe_name, hml_model_find_keyframe
 *   hml_model_keyframe         the whole state
 *
 * The readers of MJCF and of Hamel's own files make them, and Hamel's own files keep them. A keyframe called "start" is
 * where `hamel simulate` starts without a state.
 */

/*
 * Makes the keyframe if there is none of this name. joint NULL: nothing else. Otherwise nq and nv are the joint's own
 * numbers; position NULL: neutral, velocity NULL: at rest. The joint must be there already; HML_NOT_FOUND if it is not.
 * What is said last about a joint counts. Joints that are merged, or follow others, have no part in the model.
 */
HML_API hml_status hml_builder_add_keyframe(hml_builder *builder, const char *keyframe, const char *joint, int32_t nq,
                                            const double *position, int32_t nv, const double *velocity,
                                            hml_error *error);

HML_API int32_t hml_model_nkeyframes(const hml_model *model);
HML_API const char *hml_model_keyframe_name(const hml_model *model, int32_t index); /* NULL: no such index */
HML_API int32_t hml_model_find_keyframe(const hml_model *model, const char *name);  /* −1: none */

/* q: nq numbers, v: nv numbers, left-trivialized; either may be NULL */
HML_API hml_status hml_model_keyframe(const hml_model *model, int32_t index, double *q, double *v);

/* ---- actuators ---- */

/*
 * Actuators: motors, servos and thrusters, and how they push the robot. Each has one input u and makes one force
 *
 *   f = gain·u + bias[0] + bias[1]·length + bias[2]·speed        within its limits
 *
 * which the transmission distributes. On a joint, coordinate k gets gear[k]·f; length is Σ gear[k]·q_k, speed is
 * Σ gear[k]·ν_k. On a frame, the wrench gear·f acts (force, then torque, in the axes of the frame, which it moves with, as
 * a thruster does); length is 0, speed is gear·(twist of the frame). So a motor has gain 1 and no bias, a position servo
 * gain kp and bias (0, −kp, −kv).
 *
 *   hml_builder_add_actuator   while a model is being built
 *   hml_model_nactuators, hml_model_actuator, hml_model_find_actuator
 *
 * What they do to a robot is in hamel/actuation.h. The readers of MJCF and of Hamel's own files make them.
 */
typedef enum hml_transmission {
    HML_TRANSMISSION_JOINT = 0,
    HML_TRANSMISSION_FRAME = 1 /* of a body: MuJoCo's site */
} hml_transmission;

typedef struct hml_actuator {
    size_t struct_size;
    const char *name;
    hml_transmission transmission;
    int32_t target; /* index of the joint or of the frame */
    double gear[6];
    double gain;
    double bias[3];
    double lower, upper;             /* of u, which is clipped to them; ±infinity */
    double force_lower, force_upper; /* of f */
} hml_actuator;

/* a motor on a joint: gear 1, gain 1, no bias, no limits */
HML_API void hml_actuator_init(hml_actuator *actuator);

/*
 * target: the name of a joint or of a frame, which may be added later; actuator->target is not read. The length of
 * joints with rotations of more than one axis, or planes, is not a number: there bias[1] is refused when the model is
 * built. Actuators of fixed joints are left out, with a warning.
 */
HML_API hml_status hml_builder_add_actuator(hml_builder *builder, const char *target, const hml_actuator *actuator,
                                            hml_error *error);

HML_API int32_t hml_model_nactuators(const hml_model *model);
HML_API hml_status hml_model_actuator(const hml_model *model, int32_t index, hml_actuator *actuator);
HML_API int32_t hml_model_find_actuator(const hml_model *model, const char *name); /* −1: none */

#endif
