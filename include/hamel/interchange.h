/*
 * States in the layouts of other programs (docs/conventions.md, "Dictionary: programs").
 *
 *                  HAMEL     PINOCCHIO        MUJOCO    DRAKE            RBDL      IDYNTREE
 *   free: q        o, wxyz   o, xyzw          o, wxyz   wxyz, o          o, xyz…w  H (4×4)
 *   free: ν        v, ω      v, ω             Rv, ω     Rω, Rv           Rv, ω     Rv, Rω
 *   spherical: q   wxyz      xyzw             wxyz      roll, pitch, yaw xyz…w     –
 *   spherical: ν   ω         ω                ω         Rω               ω         –
 *   planar: q      x, y, θ   x, y, cos, sin   x, y, θ   x, y, θ          x, y, θ   –
 *   planar: ν      v, ω      v, ω             Rv, ω     Rv, ω            Rv, ω     –
 *   schoenflies: ν v, ω      Rv, ω            Rv, ω     Rv, ω            Rv, ω     –
 *
 * R is the joint's own rotation, from successor to predecessor axes; for a base without placement that is body to
 * world. RBDL keeps the w of every quaternion at the very end of q, in the order of the joints; iDynTree's matrix is
 * row-major, in front. A joint that a program does not have is treated as a sequence of prismatic joints along x, y, z
 * and revolute joints (planar, schoenflies, cylindrical, translations), or of two revolute joints (universal).
 * HML_UNSUPPORTED where even that is not possible: a helical joint in MuJoCo or iDynTree, several coordinates anywhere
 * but at the root in iDynTree.
 *
 * The joints stay in Hamel's order. Other programs may sort them differently: hml_layout_joint says where the
 * coordinates of each joint are, so that they can be matched by name.
 */
#ifndef HAMEL_INTERCHANGE_H
#define HAMEL_INTERCHANGE_H

#include "hamel/model.h"

typedef enum hml_layout {
    HML_LAYOUT_HAMEL = 0,
    HML_LAYOUT_PINOCCHIO = 1,
    HML_LAYOUT_MUJOCO = 2,
    HML_LAYOUT_DRAKE = 3,
    HML_LAYOUT_RBDL = 4,
    HML_LAYOUT_IDYNTREE = 5
} hml_layout;

enum hml_layout_option {
    HML_LAYOUT_CIRCLES = 1,  /* Pinocchio: a revolute joint without limits is cos, sin, as its URDF reader has it */
    HML_LAYOUT_FOLLOWERS = 2 /* mimic followers have coordinates too; hml_layout_from ignores them */
};

/* "hamel", "pinocchio", "mujoco", "drake", "rbdl", "idyntree"; NULL for an unknown layout */
HML_API const char *hml_layout_name(hml_layout layout);
HML_API hml_status hml_layout_from_name(const char *name, hml_layout *layout);

/* how many coordinates; options is a sum of HML_LAYOUT_… */
HML_API hml_status hml_layout_count(const hml_model *model, hml_layout layout, unsigned options, int32_t *nq,
                                    int32_t *nv);

/* where a joint's coordinates are in q and v; w: the index of RBDL's w, else −1. Followers without any: −1, 0 */
typedef struct hml_layout_place {
    int32_t q, nq, v, nv, w;
} hml_layout_place;

HML_API hml_status hml_layout_joint(const hml_model *model, hml_layout layout, unsigned options, int32_t joint,
                                    hml_layout_place *place);

/* from Hamel's layout to the other program's. v and v_out may be NULL. Outputs do not overlap inputs */
HML_API hml_status hml_layout_to(const hml_model *model, hml_layout layout, unsigned options, const double *q,
                                 const double *v, double *q_out, double *v_out);

/* and back; HML_NOT_NORMALIZED if a quaternion, a pair cos, sin or a rotation matrix is off by more than 1e-3 */
HML_API hml_status hml_layout_from(const hml_model *model, hml_layout layout, unsigned options, const double *q_in,
                                   const double *v_in, double *q, double *v);

#endif
