/*
 * Jacobians of every kind, and their time derivatives.
 *
 *   hml_jacobian                 ᴰJ_{A,E/C}: any frame E, any expression frame D, any base velocity C   Notation (75)
 *   hml_jacobian_doubly_left     ᴱJ_{A,E/B}                                                            Notation (74)
 *   hml_jacobian_doubly_mixed    ᴱ⁽ᴬ⁾J_{A,E/B(A)}
 *   hml_contact_jacobian         of a link, expressed in a contact frame that may move over it    Notation (81)-(82)
 *   hml_point                    of a point of a frame, fixed there or moving
 *   hml_centroidal               centre of mass, centroidal momentum matrix
 *   hml_jacobians                columns of all joints at once
 *   hml_jacobians_batch          the same for many states
 *
 * Jacobians of one frame relative to another are in hml_frame_relative. The conventions are those of kinematics.h.
 */
#ifndef HAMEL_JACOBIAN_H
#define HAMEL_JACOBIAN_H

#include "hamel/dynamics.h"
#include "hamel/kinematics.h"

/* ---- one frame ---- */

/* whose axes a twist is written in, besides the origin it is taken at */
typedef enum hml_axes {
    HML_AXES_OF_FRAME = 0, /* D: origin and axes of D */
    HML_AXES_OF_WORLD = 1  /* D[A]: origin of D, axes of the world */
} hml_axes;

/*
 * The twist of `frame` in the world, expressed in `expressed` (a frame or HML_WORLD), against a free root's velocity in
 * the representation `base`: J ν_base. Jdot is the derivative of J's numbers, with the motion of the expression frame
 * in it; v is left-trivialized and needed for Jdot alone. 6 × nv each.
 */
HML_API hml_status hml_jacobian(const hml_model *model, hml_work *work, int32_t frame, int32_t expressed, hml_axes axes,
                                hml_representation base, const double *q, const double *v, double *J, double *Jdot);

HML_API hml_status hml_jacobian_doubly_left(const hml_model *model, hml_work *work, int32_t frame, const double *q,
                                            double *J);
HML_API hml_status hml_jacobian_doubly_mixed(const hml_model *model, hml_work *work, int32_t frame, const double *q,
                                             double *J);

/*
 * ᶜJ_{A,L/…} or ᶜ⁽ᴬ⁾J_{A,L/…}: the twist of the link, not of the contact frame, expressed in a contact frame C whose
 * pose on the link's frame is H. V: the twist of C relative to the link, in C, where the contact rolls or slides; NULL
 * if it stands still. It changes Jdot, never J.
 */
HML_API hml_status hml_contact_jacobian(const hml_model *model, hml_work *work, int32_t link, const double H[16],
                                        const double V[6], hml_axes axes, hml_representation base, const double *q,
                                        const double *v, double *J, double *Jdot);

/* ---- one point ---- */

typedef struct hml_point_motion {
    size_t struct_size;
    double *position;          /* 3, in the world */
    double *J;                 /* 3 × nv: velocity = J ν, ν left-trivialized */
    double *Jdot;              /* 3 × nv; needs v */
    double *velocity;          /* 3, in the world's axes; needs v */
    double *acceleration;      /* 3; needs v and a */
    const double *rate;        /* given: 3, the point's velocity in the frame; NULL: it is fixed there */
    const double *second_rate; /* given: 3, the derivative of that; NULL: zero */
} hml_point_motion;

/*
 * point: coordinates in the frame. Where it moves there, velocity = J ν + R ȧ and
 * acceleration = J ν̇ + J̇ ν + 2 ω × R ȧ + R ä; J and J̇ are those of the point of the frame that it passes.
 */
HML_API hml_status hml_point(const hml_model *model, hml_work *work, int32_t frame, const double point[3],
                             const double *q, const double *v, const double *a, hml_point_motion *motion);

/* ---- the whole robot ---- */

/* all in the world's axes; ν left-trivialized */
typedef struct hml_centroidal_motion {
    size_t struct_size;
    double *com;              /* 3 */
    double *com_J;            /* 3 × nv: velocity of the com = com_J ν */
    double *com_Jdot;         /* 3 × nv; needs v */
    double *com_velocity;     /* 3; needs v */
    double *com_acceleration; /* 3; needs v and a */
    double *A;                /* 6 × nv: momentum = A ν, linear, then angular about the com */
    double *Adot;             /* 6 × nv; needs v */
    double *momentum;         /* 6; needs v */
    double *momentum_rate;    /* 6: A ν̇ + Ȧ ν; needs v and a */
} hml_centroidal_motion;

/* HML_SINGULAR if the robot has no mass */
HML_API hml_status hml_centroidal(const hml_model *model, hml_work *work, const double *q, const double *v,
                                  const double *a, hml_centroidal_motion *motion);

/*
 * The columns of all joints, right-trivialized: the right Jacobian of a body is made of the columns of the joints that
 * carry it, and zero elsewhere. H: nbodies × 16, poses in the world; J: 6 × nv. Mimic followers have no columns of
 * their own, so that models with followers answer HML_UNSUPPORTED: ask hml_frame, or build them with
 * HML_BUILD_MIMIC_INDEPENDENT.
 */
typedef struct hml_jacobian_columns {
    size_t struct_size;
    hml_input q;
    hml_output H; /* nbodies × 16, as one row */
    hml_output J; /* 6 × nv */
} hml_jacobian_columns;

HML_API hml_status hml_jacobians(const hml_model *model, hml_work *work, const hml_jacobian_columns *arguments);

/* N states; a state that fails becomes NaN, see hml_linearize_batch */
HML_API hml_status hml_jacobians_batch(const hml_model *model, hml_work *work, size_t n,
                                       const hml_jacobian_columns *arguments, hml_status *status);

#endif
