/*
 * Kinematics: where bodies and frames are, how they move, and the Jacobians of frames.
 *
 *   hml_body_poses               poses of all bodies
 *   hml_body_poses_batch         the same for many states
 *   hml_body_poses_exponential   the same by products of exponentials, Müller (66a)
 *   hml_frame_motions            poses, twists and accelerations of all frames, bodies first
 *   hml_frame                    pose, Jacobian, its time derivative, twist and acceleration of a frame
 *   hml_frame_batch              the same for many states
 *   hml_frame_relative           the same for an observer on another frame
 *   hml_frame_acceleration       intrinsic, apparent or classical, expressed in any frame
 *
 *   hml_frame_in                 a frame for any observer, expressed in any place O[C]          Notation (33), (44)
 *   hml_frame_acceleration_in    its acceleration, intrinsic, apparent or classical             Notation (44)-(55)
 *   hml_jacobian_in              ᴰJ_{F,E/C}: any frame, observer, place and base velocity       Notation (75)
 *   hml_base_transform           ᴮY_C and its rate, as nv × nv matrices                         Notation (76)
 *   hml_base_velocity_to, hml_base_velocity_from    a free root's velocity, expressed in any place     Notation (33)
 *   hml_base_jacobian            the columns of a Jacobian against such a velocity
 *
 * Jacobians of every kind are in the second half. Further: kinematics_derivatives.h, inverse_kinematics.h.
 *
 * ν and ν̇ are left-trivialized, also where the results are not; hml_jacobian_to_representation converts the base
 * columns of J and J̇. The four representations are in se3.h. Matrices are row-major and packed; poses are 4x4, twists
 * linear first. A frame is an index of hml_model_find_frame, bodies and merged links included, or HML_WORLD where a
 * comment says so. A pointer to a result may be NULL: not computed. NaN and infinity give HML_NOT_FINITE, quaternions
 * more than 1e-3 from unit HML_NOT_NORMALIZED. Any workspace will do; HML_USE_TREE is enough.
 *
 * Precision. Everything is computed in the frame of the tree's root body: a robot 1,000 km away has the same left,
 * mixed and split results as at the origin.
 */
#ifndef HAMEL_KINEMATICS_H
#define HAMEL_KINEMATICS_H

#include "hamel/se3.h"
#include "hamel/work.h"

enum { HML_WORLD = -1 };

/* H: nbodies × 16, in the world; hml_body_poses_batch (linearize.h) for many states */
HML_API hml_status hml_body_poses(const hml_model *model, hml_work *work, const double *q, double *H);

/*
 * hml_body_poses of n states; H: nbodies × 16 as one row. Models with mimic joints go one state at a time. Rows that
 * begin at multiples of 64 bytes are written faster.
 */
HML_API hml_status hml_body_poses_batch(const hml_model *model, hml_work *work, size_t n, hml_input q, hml_output H,
                                        hml_status *status);

/* H_i = exp(Y₁φ₁) … exp(Y_iφ_i) A_i, along the path to body i: φ the joints' logarithms, Y and A screws and poses at
 * the neutral configuration */
HML_API hml_status hml_body_poses_exponential(const hml_model *model, hml_work *work, const double *q, double *H);

/*
 * The first `count` frames: hml_model_nframes of them, or hml_model_nbodies for the bodies alone. H: count × 16,
 * V and A: count × 6, the twist and the derivative of its components. V needs v; A needs v and a.
 */
HML_API hml_status hml_frame_motions(const hml_model *model, hml_work *work, int32_t count,
                                     hml_representation representation, const double *q, const double *v,
                                     const double *a, double *H, double *V, double *A);

/* the motion of a frame */
typedef struct hml_frame_motion {
    size_t struct_size;
    double *pose;         /* 16: H of the frame in the world, or in the reference frame */
    double *J;            /* 6 × nv: twist = J ν, ν left-trivialized */
    double *Jdot;         /* 6 × nv: derivative of the entries of J; needs v */
    double *twist;        /* 6; needs v */
    double *acceleration; /* 6: J ν̇ + J̇ ν, derivative of the components of the twist; needs v and a */
} hml_frame_motion;

HML_API hml_status hml_frame(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                             const double *q, const double *v, const double *a, const hml_frame_motion *motion);

/* the same of many states, and derivatives as hml_frame_derivatives defines them (kinematics_derivatives.h) */
typedef struct hml_frame_states {
    size_t struct_size;
    hml_input q, v, a;         /* v NULL: at rest; a NULL: zero */
    hml_output pose;           /* 16, as one row */
    hml_output J, Jdot;        /* 6 × nv */
    hml_output twist;          /* 6 */
    hml_output acceleration;   /* 6 */
    hml_output twist_q;        /* 6 × nv; needs v */
    hml_output acceleration_q; /* 6 × nv; needs v and a */
    hml_output acceleration_v; /* 6 × nv; needs v */
} hml_frame_states;

/*
 * n states; status, if not NULL, takes one hml_status per state, and a state that fails becomes NaN. Models with mimic
 * joints go one state at a time, and their matrices of nv columns must be packed (ld 0 or nv).
 */
HML_API hml_status hml_frame_batch(const hml_model *model, hml_work *work, int32_t frame,
                                   hml_representation representation, size_t n, const hml_frame_states *arguments,
                                   hml_status *status);

/* for an observer on the frame `reference`, which takes the place of the world; HML_WORLD makes it hml_frame */
HML_API hml_status hml_frame_relative(const hml_model *model, hml_work *work, int32_t frame, int32_t reference,
                                      hml_representation representation, const double *q, const double *v,
                                      const double *a, const hml_frame_motion *motion);

/* three things that are called the acceleration of a frame E, expressed in a frame C; A is the world */
typedef enum hml_acceleration_kind {
    HML_INTRINSIC = 0, /* ᶜX_A d/dt(ᴬv): the derivative of the right twist, moved as a twist, Notation (47), (85) */
    HML_APPARENT = 1,  /* d/dt(ᶜv): the derivative of the six components in C, however C moves, Notation (44)-(45) */
    HML_CLASSICAL = 2  /* second derivative of the position of E's origin, and ω̇, in the axes of C */
} hml_acceleration_kind;

/* expressed: a frame or HML_WORLD */
HML_API hml_status hml_frame_acceleration(const hml_model *model, hml_work *work, int32_t frame,
                                          hml_acceleration_kind kind, int32_t expressed, const double *q,
                                          const double *v, const double *a, double acceleration[6]);

/* ---- any observer, any place ---- */

/*
 * O[C], Notation, section 5.2: the frame that has its origin with `origin` and its axes with `axes`. Each is a frame or
 * HML_WORLD; where a base velocity is expressed also HML_BASE, the free root itself (with several, each its own). {D,
 * D} is the frame D, {E, HML_WORLD} the E[A] of mixed twists; left, right and mixed base velocities are {HML_BASE,
 * HML_BASE}, {HML_WORLD, HML_WORLD} and {HML_BASE, HML_WORLD}.
 */
enum { HML_BASE = -2 };
typedef struct hml_place {
    int32_t origin, axes;
} hml_place;

/*
 * The motion of `frame` E relative to `observer` F (a frame or HML_WORLD), expressed in the place D, however D moves:
 * pose ᴰH_E, twist ᴰv_{F,E}, J with twist = J ν (ν left-trivialized), and the derivatives of their components, J̇ and
 * J ν̇ + J̇ ν, the apparent acceleration of Notation (44).
 */
HML_API hml_status hml_frame_in(const hml_model *model, hml_work *work, int32_t frame, int32_t observer,
                                hml_place place, const double *q, const double *v, const double *a,
                                const hml_frame_motion *motion);

/* the observer replaces the world: intrinsic ᴰX_F d/dt(ᶠv_{F,E}); classical: ö in F and ω̇, in the axes of D */
HML_API hml_status hml_frame_acceleration_in(const hml_model *model, hml_work *work, int32_t frame, int32_t observer,
                                             hml_acceleration_kind kind, hml_place place, const double *q,
                                             const double *v, const double *a, double acceleration[6]);

/*
 * ν = Y ν_C, where the base's part of ν_C is ᶜv_{A,B}: Y = diag(ᴮX_C, 1). Y, Ydot: nv × nv; either may be NULL; Ydot =
 * dY/dt needs v, left. C may be carried by any joint. With them M_C = Yᵀ M Y, h_C = Yᵀ(h + M Ẏ ν_C), and so on.
 */
HML_API hml_status hml_base_transform(const hml_model *model, hml_work *work, hml_place place, const double *q,
                                      const double *v, double *Y, double *Ydot);

/* may be in place */
HML_API hml_status hml_base_velocity_to(const hml_model *model, hml_work *work, hml_place place, const double *q,
                                        const double *v, double *v_place);
HML_API hml_status hml_base_velocity_from(const hml_model *model, hml_work *work, hml_place place, const double *q,
                                          const double *v_place, double *v);

/* J Y and J̇ Y + J Ẏ, rows × nv each, in place; Jdot may be NULL and needs v, left */
HML_API hml_status hml_base_jacobian(const hml_model *model, hml_work *work, hml_place place, const double *q,
                                     const double *v, int32_t rows, double *J, double *Jdot);

/* ᴰJ_{F,E/C} with D = place, F = observer, C = base, 6 × nv, and the derivative of its entries; Jdot may be NULL and
 * needs v */
HML_API hml_status hml_jacobian_in(const hml_model *model, hml_work *work, int32_t frame, int32_t observer,
                                   hml_place place, hml_place base, const double *q, const double *v, double *J,
                                   double *Jdot);

/* ---- Jacobians ---- */

/*
 * Jacobians of every kind, and their time derivatives.
 *
 *   hml_jacobian                 ᴰJ_{A,E/C}: any frame E, any expression frame D, any base velocity C   Notation (75)
 *   hml_jacobian_doubly_left     ᴱJ_{A,E/B}                                                            Notation (74)
 *   hml_jacobian_doubly_mixed    ᴱ⁽ᴬ⁾J_{A,E/B(A)}
 *   hml_link_jacobian            of a link, expressed in a contact frame that may move over it    Notation (81)-(82)
 *   hml_point                    of a point of a frame, fixed there or moving
 *   hml_centroidal               centre of mass, centroidal momentum matrix
 *   hml_centroidal_batch         the same for many states, with the derivatives of kinematics_derivatives.h
 *   hml_all_jacobians            columns of all joints at once
 *   hml_all_jacobians_batch      the same for many states
 *
 * Jacobians of one frame relative to another are in hml_frame_relative.
 */

/* ---- one frame ---- */

/* whose axes a twist is written in, besides the origin it is taken at */
typedef enum hml_axes {
    HML_AXES_OF_FRAME = 0, /* D: origin and axes of D */
    HML_AXES_OF_WORLD = 1  /* D[A]: origin of D, axes of the world */
} hml_axes;

/*
 * The twist of `frame` in the world, expressed in `expressed` (a frame or HML_WORLD), against a free root's velocity in
 * the representation `base`: J ν_base. Jdot is the derivative of J's entries and includes the motion of the expression
 * frame; v is left-trivialized and needed for Jdot alone. 6 × nv each.
 */
HML_API hml_status hml_jacobian(const hml_model *model, hml_work *work, int32_t frame, int32_t expressed, hml_axes axes,
                                hml_representation base, const double *q, const double *v, double *J, double *Jdot);

HML_API hml_status hml_jacobian_doubly_left(const hml_model *model, hml_work *work, int32_t frame, const double *q,
                                            double *J);
HML_API hml_status hml_jacobian_doubly_mixed(const hml_model *model, hml_work *work, int32_t frame, const double *q,
                                             double *J);

/* a frame C on a link, where the link touches something */
typedef struct hml_contact_frame {
    int32_t link;
    hml_axes axes; /* C, or C[A]: the origin of C with the axes of the world */
    double H[16];  /* pose of C on the link's frame */
    double V[6]; /* twist of C relative to the link, in C, where the contact rolls or slides; zero: C is fixed on it */
} hml_contact_frame;

/*
 * ᶜJ_{A,L/…} or ᶜ⁽ᴬ⁾J_{A,L/…}: the twist of the link, not of the contact frame, expressed in the contact frame. V changes
 * Jdot, never J.
 */
HML_API hml_status hml_link_jacobian(const hml_model *model, hml_work *work, const hml_contact_frame *contact,
                                     hml_representation base, const double *q, const double *v, double *J,
                                     double *Jdot);

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
 * point: coordinates in the frame. If the point moves in the frame, velocity = J ν + R ȧ and
 * acceleration = J ν̇ + J̇ ν + 2 ω × R ȧ + R ä; J and J̇ are those of the point fixed in the frame where it is now.
 */
HML_API hml_status hml_point(const hml_model *model, hml_work *work, int32_t frame, const double point[3],
                             const double *q, const double *v, const double *a, const hml_point_motion *motion);

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
                                  const double *a, const hml_centroidal_motion *motion);

/* the same of many states, and what hml_centroidal_derivatives computes; see hml_centroidal_motion and _derivative */
typedef struct hml_centroidal_states {
    size_t struct_size;
    hml_input q, v, a;                              /* v NULL: at rest; a NULL: zero */
    hml_output com, com_velocity, com_acceleration; /* 3 */
    hml_output com_J, com_Jdot;                     /* 3 × nv */
    hml_output A, Adot;                             /* 6 × nv */
    hml_output momentum, momentum_rate;             /* 6 */
    hml_output com_J_q;                             /* 3 nv × nv: rows 3k … 3k + 2 are ∂com_J/∂q_k */
    hml_output com_velocity_q;                      /* 3 × nv */
    hml_output momentum_q;                          /* 6 × nv */
    hml_output momentum_rate_q, momentum_rate_v;    /* 6 × nv */
} hml_centroidal_states;

/*
 * n states; status, if not NULL, takes one hml_status per state, and a state that fails becomes NaN. HML_SINGULAR if the
 * robot has no mass. Models with mimic joints go one state at a time, and their matrices must be packed (ld 0 or nv).
 */
HML_API hml_status hml_centroidal_batch(const hml_model *model, hml_work *work, size_t n,
                                        const hml_centroidal_states *arguments, hml_status *status);

/*
 * The columns of all joints, right-trivialized: the right Jacobian of a body has the columns of the joints that carry
 * it, and zeros elsewhere. H: nbodies × 16, poses in the world; J: 6 × nv. Mimic followers have no columns of their
 * own, so models with followers give HML_UNSUPPORTED: use hml_frame, or build with HML_BUILD_MIMIC_INDEPENDENT.
 */
typedef struct hml_jacobian_columns {
    size_t struct_size;
    hml_input q;
    hml_output H; /* nbodies × 16, as one row */
    hml_output J; /* 6 × nv */
} hml_jacobian_columns;

HML_API hml_status hml_all_jacobians(const hml_model *model, hml_work *work, const hml_jacobian_columns *arguments);

/* N states; a state that fails becomes NaN, see hml_linearize_batch */
HML_API hml_status hml_all_jacobians_batch(const hml_model *model, hml_work *work, size_t n,
                                           const hml_jacobian_columns *arguments, hml_status *status);

#endif
