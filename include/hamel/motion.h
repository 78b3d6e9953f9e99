/*
 * Motion: a robot's equations of motion integrated on its group G₁×…×G_n × ℝⁿᵛ.
 *
 *   hml_scheme_name, hml_scheme_from_name, hml_scheme_order
 *   hml_motion_options_init     the defaults
 *   hml_motion_size             bytes a motion takes
 *   hml_motion_init             places one on the caller's memory, at a time and a state
 *   hml_motion_new, …_free      the same on the heap
 *   hml_motion_step             one step
 *   hml_motion_advance          steps up to a time, which is hit exactly
 *   hml_motion_most_steps       how many of them it may take
 *   hml_motion_explain          why a step failed, as a sentence
 *   hml_motion_time, …_position, …_velocity, …_info
 *   hml_motion_get_balance      what forces have put into the robot and taken out of it
 *   hml_motion_torque           the forces of the joints at a state
 *   hml_motion_at               the state at any time within the last step
 *   hml_motion_find             where a function of the state crosses zero within the last step
 *   hml_motion_restart          goes on from another state, after an impact for instance
 *   hml_motion_linearize        the exact derivatives of the last step, A_d and B_d
 *   hml_reconstruct             poses from the history of a twist
 *
 * Every scheme moves a configuration by q ⊕ θ, so that rotations stay rotations and no angle is singular:
 *
 *   name         order  steps     what it is for
 *   euler        1      given     semi-implicit; damping and springs implicit. Quick looks, contact
 *   rk2          2      given     explicit Munthe-Kaas, midpoint
 *   rk4          4      given     explicit Munthe-Kaas, the classical four stages
 *   dopri5       5(4)   adaptive  explicit Munthe-Kaas, Dormand and Prince's pair; the default
 *   variational  2      given     implicit, symplectic, keeps the spatial momentum to round-off: long motions
 *   alpha        2      given     implicit, generalized-α on the group: stiff springs, as much damping of the fast
 *                                 vibrations as `radius` asks for
 *   momentum     4      given     explicit Munthe-Kaas in positions and momenta: keeps the spatial momentum to
 *                                 round-off
 *
 * A step that fails returns a status and leaves the motion where it was: the last good state. Nothing is allocated
 * after hml_motion_init. See docs/motion.md.
 */
#ifndef HAMEL_MOTION_H
#define HAMEL_MOTION_H

#include "hamel/constraint.h"

typedef enum hml_scheme {
    HML_SCHEME_EULER = 0,
    HML_SCHEME_RK2 = 1,
    HML_SCHEME_RK4 = 2,
    HML_SCHEME_DOPRI5 = 3,
    HML_SCHEME_VARIATIONAL = 4,
    HML_SCHEME_ALPHA = 5,
    HML_SCHEME_MOMENTUM = 6
} hml_scheme;

enum { HML_SCHEME_COUNT = 7 };

/* "euler", "rk2", …; NULL for an unknown scheme */
HML_API const char *hml_scheme_name(hml_scheme scheme);
HML_API hml_status hml_scheme_from_name(const char *name, hml_scheme *scheme);
HML_API int hml_scheme_order(hml_scheme scheme); /* 0 for an unknown scheme */

/* ---- forces ---- */

/* adds to tau (nv) and to wrenches (nbodies × 6, in body frames); a status other than HML_OK stops the step */
typedef hml_status hml_force_function(void *context, double t, const double *q, const double *v, double *tau,
                                      double *wrenches);

/*
 * All forces add up; members that are NULL or 0 add nothing. The caller keeps the arrays as long as the motion lives.
 */
typedef struct hml_forces {
    size_t struct_size;
    const double *tau;      /* nv: constant */
    const double *wrenches; /* nbodies × 6: constant, in body frames */
    int32_t nframe_wrenches;
    const hml_frame_wrench *frame_wrenches;
    size_t nsamples;            /* forces given at times */
    const double *sample_times; /* nsamples, rising; before the first and after the last, that sample's force acts */
    const double *samples;      /* nsamples × nv */
    int hold;                   /* 0: linear interpolation between the samples; 1: each is held until the next */
    const double *target; /* nq: springs and dampers towards a configuration, −k·(q ⊖ target) − d·ν, a servo. */
    const double *stiffness; /* nv. The implicit schemes, and euler, treat it implicitly, whatever its gains */
    const double *damping;   /* nv */
    hml_force_function *function;
    void *context;
    const double *inputs; /* nactuators: u of the model's actuators, constant; NULL: they do nothing. The implicit
                             schemes, and euler, treat the gains of servos on single coordinates implicitly */
} hml_forces;

/* ---- options ---- */

typedef struct hml_motion_options {
    size_t struct_size;
    hml_scheme scheme;  /* dopri5 */
    double step;        /* 1e-3: the step; for dopri5 the longest one, 0: as long as the error allows */
    double tolerance;   /* 1e-12: local error of dopri5, of positions in metres and radians, of velocities relative to
                           the largest; 0: steps of `step` */
    double radius;      /* 0.8: alpha's spectral radius at infinity, 0 … 1; 1: no numerical damping */
    int32_t iterations; /* 50: of an implicit step, at most */
    int balance;        /* 0; 1: keeps the books for hml_motion_get_balance, which asks for the forces at three more
                           states of every step */
    const hml_constraints *constraints; /* NULL: none. Holds and loops, kept by rk2, rk4 and dopri5 alone; others are
                                           HML_UNSUPPORTED. Damping and stiffness of the constraints keep the error of
                                           positions small. Workspace: HML_USE_ALL. The caller keeps both */
    double *constraint_scratch;         /* hml_constraint_scratch_doubles */
    int64_t max_steps; /* 0: that of hml_motion_most_steps; of one call of hml_motion_advance, rejected ones included */
} hml_motion_options;

HML_API void hml_motion_options_init(hml_motion_options *options);

typedef struct hml_motion_info {
    size_t struct_size;
    int64_t steps, rejected; /* rejected: tried again with a shorter step */
    int64_t evaluations;     /* of the dynamics */
    int64_t iterations;      /* of the implicit schemes */
    double last_step;        /* its length */
} hml_motion_info;

/*
 * ---- the balance ----
 *
 * What forces have done: work in joules, and what they have added to the momentum (linear, then angular about the
 * world's origin, in the world's axes). Gravity and springs of the model do no work here: they have a potential energy.
 *
 *   energy at the start + all work = energy at the end + error of the steps
 *   momentum at the start + all impulses = momentum at the end + error of the steps
 *
 * The second line is for robots whose joints on the world are all free: others are held by the world, with impulses that
 * are not listed here.
 */
typedef struct hml_balance {
    size_t struct_size;
    double forces;       /* work of τ: constant, sampled, or that of a function */
    double servos;       /* of springs and dampers towards a target */
    double wrenches;     /* of external wrenches */
    double damping;      /* of the model's dampers: what they took, not positive */
    double contacts;     /* of impacts and sliding */
    double limits;       /* of joint limits */
    double friction;     /* of dry friction in joints */
    double displacement; /* potential energy from being moved out of penetrations */
    double removed;      /* what joints too fast for the step had gained by errors, and lost again: not positive */
    double gravity_impulse[6];
    double wrench_impulse[6];  /* of external wrenches, and of forces of free joints on the world */
    double contact_impulse[6]; /* of what the robot touches and does not carry */
    double actuators;          /* work of the model's actuators */
} hml_balance;

/* ---- a motion ---- */

typedef struct hml_motion hml_motion;

/* bytes; 0 for NULL. The memory must be aligned to 8 */
HML_API size_t hml_motion_size(const hml_model *model);

/*
 * work must be made for HML_USE_FACTOR; model and work outlive the motion. options NULL: the defaults; forces NULL:
 * none. HML_INVALID_ARGUMENT for a step that is not positive, a radius outside [0, 1], sample times that do not rise, …
 */
HML_API hml_status hml_motion_init(void *memory, size_t size, const hml_model *model, hml_work *work,
                                   const hml_motion_options *options, const hml_forces *forces, double t,
                                   const double *q, const double *v, hml_motion **motion);
HML_API hml_status hml_motion_new(const hml_model *model, hml_work *work, const hml_motion_options *options,
                                  const hml_forces *forces, double t, const double *q, const double *v,
                                  hml_motion **motion);
HML_API void hml_motion_free(hml_motion *motion); /* only what hml_motion_new made */

/* one step, of the scheme's length or as long as the error allows, but not beyond `until`, which is later than now */
HML_API hml_status hml_motion_step(hml_motion *motion, double until);

/*
 * Steps until `until`; HML_INVALID_ARGUMENT if the motion is later than that. If a step fails, the motion stays at the last
 * good state. HML_TOO_MANY_STEPS after `max_steps` of them, or before the first one if equal steps, or the longest ones of
 * dopri5, are too short for the way. Calling again goes on.
 */
HML_API hml_status hml_motion_advance(hml_motion *motion, double until);

/*
 * The most steps, rejected ones included, that hml_motion_advance tries from now to `until`; 0: they would not suffice. It is
 * `max_steps` or, where that is 0, a million more than steps of the length `step` take, at most a hundred million. For
 * loops of hml_motion_step, which nothing bounds.
 */
HML_API int64_t hml_motion_most_steps(const hml_motion *motion, double until);

/*
 * Why hml_motion_step or hml_motion_advance returned this status on the way to `until`: the time reached, the length of
 * the step, what to try.
 */
HML_API hml_status hml_motion_explain(const hml_motion *motion, hml_status status, double until, hml_error *error);

/* the last double that is not later than the motion: far from 0, doubles lie further apart than steps; NaN for NULL */
HML_API double hml_motion_time(const hml_motion *motion);
HML_API const double *hml_motion_position(const hml_motion *motion); /* nq; the motion's own memory */
HML_API const double *hml_motion_velocity(const hml_motion *motion); /* nv */
HML_API hml_status hml_motion_get_info(const hml_motion *motion, hml_motion_info *info);

/*
 * Sums since hml_motion_init or hml_motion_restart; contacts, limits, friction, displacement and removed are zero.
 * HML_INVALID_ARGUMENT if the options do not ask for them. NaN where a force function failed at a state between steps.
 */
HML_API hml_status hml_motion_get_balance(const hml_motion *motion, hml_balance *balance);

/* the forces of the joints at a state: τ, samples, servo, actuators on joints and function together, nv */
HML_API hml_status hml_motion_torque(hml_motion *motion, double t, const double *q, const double *v, double *tau);

/*
 * The state at a time of the last step: fourth order for dopri5, else a cubic that meets positions and velocities at
 * both ends. HML_INVALID_ARGUMENT outside the step. q or v NULL: not computed.
 */
HML_API hml_status hml_motion_at(hml_motion *motion, double t, double *q, double *v);

/*
 * The exact derivatives of the last step, z⁺ = A_d z + B_d w, with w a change of τ over it. z is (z_q, z_ν), as in
 * hml_step; a step of alpha depends besides on the auxiliary acceleration α that the motion carries along: its z is
 * (z_q, z_ν, z_α). Ad: hml_motion_states squared; Bd: hml_motion_states × nv; packed.
 *
 * For euler, rk2, rk4, alpha and variational. HML_UNSUPPORTED for other schemes, under constraints, and for forces besides
 * constant τ and, with alpha and variational, constant wrenches. HML_INVALID_ARGUMENT before the first step.
 */
HML_API int32_t hml_motion_states(const hml_motion *motion);
HML_API size_t hml_motion_linearize_scratch_doubles(const hml_model *model);
HML_API hml_status hml_motion_linearize(hml_motion *motion, double *scratch, double *Ad, double *Bd);

/* ---- events ---- */

typedef hml_status hml_event_function(void *context, double t, const double *q, const double *v, double *value);

/*
 * Does the value change its sign within the last step? *found: 1 if so, and then *t, q and v are the crossing, on the
 * later side of it; t is the nearest double. A value that is zero at the beginning of the step was found in the step
 * before. Two crossings within one step hide each other: `step` keeps the steps of dopri5 short. q or v NULL: not
 * computed.
 */
HML_API hml_status hml_motion_find(hml_motion *motion, hml_event_function *event, void *context, int *found, double *t,
                                   double *q, double *v);

/* continues from another state, at any time */
HML_API hml_status hml_motion_restart(hml_motion *motion, double t, const double *q, const double *v);

/* a joint limit as an event: the value is hml_limit_margin of configuration.h, the context the model */
HML_API hml_status hml_limit_event(void *model, double t, const double *q, const double *v, double *value);

/* ---- reconstruction ---- */

/*
 * Reconstruction: the pose of a body from the history of its twist, Müller (88).
 *
 *   hml_reconstruct   poses at the times of the samples
 *
 *   body twist      C⁻¹Ċ = V^      C⁺ = C exp(Ω)
 *   spatial twist   ĊC⁻¹ = V^      C⁺ = exp(Ω) C
 *
 * (With the increment on the left the spatial form of Müller (89) is right as printed; with his, C⁺ = C exp(Ω), an Ad
 * of C is missing there.) Between samples the twist is a cubic through them; Ω solves Müller (89) to fourth order,
 * ∫V ± h²/12 [V₀, V₁]. For smooth motions the error falls with the fourth power of the spacing of the samples.
 */

/* on which group a pose is moved */
typedef enum hml_pose_update {
    HML_UPDATE_SE3 = 0, /* SE(3): screw motions are exact, whatever the step */
    HML_UPDATE_SO3_R3 = 1 /* SO(3)×ℝ³: rotation by exp, position by Simpson's rule. For comparison: no screw is exact */
} hml_pose_update;

/*
 * times: n, rising; twists: n × 6, linear first. spatial 0: body twists, 1: spatial ones. H0: pose at times[0]; H:
 * n × 16, H0 first. n = 1 copies H0. HML_NOT_NORMALIZED if H0 is not a pose.
 */
HML_API hml_status hml_reconstruct(size_t n, const double *times, const double *twists, int spatial,
                                   hml_pose_update update, const double H0[16], double *H);

#endif
