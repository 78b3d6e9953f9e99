/*
 * Contact with Coulomb friction by time stepping (Moreau): impulses P over a step instead of forces at an instant.
 *
 *   q_M = q advanced by ½h u
 *   M(q_M) (u⁺ − u) = h f(q_M, u, τ) + Jᵀ P       dampers and springs: those of u⁺
 *   q⁺ = q_M advanced by ½h u⁺  (and by a displacement that reduces penetration)
 *
 * u is ν with the linear velocity of a joint that translates and rotates (free, planar, Schönflies) in the axes of its
 * predecessor (Kindr), so that a body with constant u moves on a straight line.
 *
 *   contact         0 ≤ P_n ⊥ w_n⁺ ≥ 0,   |P_t| ≤ μ P_n,  and P_t against w_t⁺ where that is not zero;  w = J u
 *   joint limit     0 ≤ P ⊥ w⁺ ≥ 0
 *   joint friction  |P| ≤ h f,  and against the velocity where that is not zero
 *
 *   hml_contact_size, hml_contact_init   a contact problem on the caller's memory
 *   hml_contact_step                     one step
 *   hml_contact_linearize                the exact derivatives of the last step, A_d and B_d
 *   hml_contact_set_servo                an implicit servo in the steps that follow
 *   hml_contact_forget                   forgets the impulses of the last step
 *   hml_contact_memory_doubles, hml_contact_get_memory, hml_contact_set_memory
 *                                        the same impulses as numbers, to go on later with the same bits
 *   hml_contact_count, hml_contact_get   what touched in the last step
 *   hml_contact_get_balance              what forces and contacts have put into the robot and taken out of it
 *   hml_contact_lowest                   the lowest point of the shapes over a plane, at a configuration
 *   hml_contact_place                    puts the robot on a plane, or at a height over it
 *   hml_contact_exclude                  leaves out the pairs of shapes that overlap at a configuration
 *   hml_contact_impulse_size, hml_contact_impulse
 *                                        an impact by itself, at given points: friction, restitution     Kindr's Λ
 *
 * Shapes are spheres, capsules, boxes, cylinders, convex hulls and points. They touch planes, grids of heights and, if
 * asked, each other: HML_CONTACT_PAIRS. A contact is in force while its gap at q_M is not positive. It may overlap by `slop`; a larger overlap is
 * reduced by a displacement that adds no velocity. A contact that closes faster than `bounce` bounces with its
 * restitution, pair by pair, the fastest first, before the step; so Newton's cradle behaves as it should. See
 * docs/contact.md.
 *
 * Loops of the model are kept (HML_CONTACT_OPEN_LOOPS: not), J_l ½(u + u⁺) = 0; positions that leave them open are
 * brought back as overlaps are.
 *
 * A step fails for NaN in the input, a step that is not positive, a result that overflows, or a loop that keeps the
 * distance of two points which coincide. It then does not change q_next and v_next. The solver always answers, and says
 * how well: `relaxed`, `residual`.
 * Nothing allocates.
 */
#ifndef HAMEL_CONTACT_H
#define HAMEL_CONTACT_H

#include "hamel/motion.h"

/*
 * A plane through `point`, solid below. With size it is a rectangle about the point, size[0] to either side along
 * `axis` and size[1] across; a solid of `depth` below it. 0: endless.
 */
typedef struct hml_plane {
    double point[3];
    double normal[3]; /* need not be unit */
    double axis[3];   /* read where size or depth is given; made perpendicular to the normal */
    double size[2];
    double depth;
    double friction;
    double restitution;
} hml_plane;

/*
 * Ground that is a grid of heights: heights[row × columns + column] at x = (column − ½ (columns − 1)) spacing[0],
 * y = (row − ½ (rows − 1)) spacing[1], in axes whose origin, the middle of the grid, is at `position`. Solid below, all
 * the way down; beside the grid there is nothing. A cell is two triangles, with the diagonal from (row, column) to
 * (row + 1, column + 1), as in MuJoCo.
 */
typedef struct hml_heightfield {
    const double *heights; /* metres along z, at most 1e9 */
    int32_t rows, columns; /* two of each at least; 2^24 heights at most */
    double spacing[2];     /* of columns along x, of rows along y; from 1e-9 to 1e9 m */
    double position[3];
    double rotation[9]; /* of its axes; all zero: those of the world */
    double friction;
    double restitution;
} hml_heightfield;

enum hml_contact_option {
    HML_CONTACT_NO_LIMITS = 1,   /* joint limits are ignored */
    HML_CONTACT_STRICT = 4,      /* a step whose laws are not met fails: HML_NOT_CONVERGED */
    HML_CONTACT_BALANCE = 8,     /* keeps the books for hml_contact_get_balance */
    HML_CONTACT_OPEN_LOOPS = 16, /* the loops of the model are left open */
    HML_CONTACT_PAIRS = 2        /* shapes of the robot touch each other, except those of a body and its parent, and
                                  what the model excludes: contype, conaffinity, hml_builder_add_exclusion */
};

typedef struct hml_contact_settings {
    size_t struct_size;
    const hml_plane *planes;
    int32_t nplanes;
    const hml_shape *shapes; /* NULL: those of the model */
    int32_t nshapes;
    int32_t max_contacts;         /* 0: as many as shapes and planes can make, 64 at most; of more the deepest count */
    unsigned options;             /* a sum of HML_CONTACT_… */
    const double *joint_friction; /* nv: f, in N or N m; NULL: that of the model */
    double slop;                  /* metres (radians for limits) that may stay; 0: 1e-4 */
    double correction;            /* the part of a larger overlap that one step removes; 0: 0.2 */
    double bounce;                /* m/s; slower contacts do not bounce; 0: 1e-2 */
    double tolerance;             /* of the solver, as `residual`; 0: 1e-8 */
    int32_t iterations;           /* 0: 2000 */
    const hml_heightfield *heightfields; /* besides the planes; in the numbering of ground they follow them */
    int32_t nheightfields;
} hml_contact_settings;

typedef struct hml_contact hml_contact;

/* bytes; 0 if the settings are invalid, or the size would overflow. The memory must be aligned as a double is; it gets
 * copies of everything it needs */
HML_API size_t hml_contact_size(const hml_model *model, const hml_contact_settings *settings);
HML_API hml_status hml_contact_init(void *memory, size_t size, const hml_model *model,
                                    const hml_contact_settings *settings, hml_contact **contact);

typedef struct hml_contact_result {
    size_t struct_size;
    int32_t contacts, limits; /* in force */
    int32_t bounces;
    int32_t iterations; /* sweeps of the solver; 0 where the guess was the solution */
    int32_t relaxed;    /* 1: no solution of the laws above was found, friction was relaxed: docs/contact.md */
    int32_t massless;   /* 1: M was singular; joints that move no mass got 1e-9 of the largest inertia */
    int32_t substeps;   /* 1, or more where a joint turns more than 0.3 rad in h: 32 at most */
    int32_t left_out;   /* contacts beyond max_contacts, the shallowest ones */
    double residual;    /* by how much the laws above are violated, relative to the fastest contact or joint */
    double penetration; /* the deepest overlap at q_M, metres; 0 without overlap */
    double work;        /* of all impulses: contact, limits, joint friction; joules */
    double removed;     /* energy that joints too fast for h had gained by errors, and that was taken out; joules */
} hml_contact_result;

typedef struct hml_contact_motion {
    size_t struct_size;
    double h;
    const double *q, *v;
    const double *tau;          /* nv; NULL: zero */
    const double *wrenches;     /* nbodies × 6 in the bodies' frames; NULL: zero */
    double *q_next;             /* nq; may be q */
    double *v_next;             /* nv; may be v */
    hml_contact_result *result; /* with a struct_size of its own; may be NULL */
    double *torque;       /* nv: the mean force of the joints over the step: τ, servo and actuators on joints; may
                                   be NULL */
    const double *inputs; /* nactuators: u of the model's actuators; NULL: they do nothing. Gains of servos on single
                                   coordinates are implicit, like those of hml_contact_set_servo */
} hml_contact_motion;

HML_API hml_status hml_contact_step(const hml_model *model, hml_work *work, hml_contact *contact,
                                    const hml_contact_motion *motion);

/*
 * The exact derivatives of the last step, z⁺ = A_d z + B_d w, with w a change of τ over it, while everything that touches
 * goes on as it does: contacts are open, stick or slide, limits carry or not, joints slip or not, the mean velocity of
 * Coriolis forces takes as many repetitions, from the same impulses of the step before. z is (z_q, z_ν), as in hml_step.
 * Ad: 2nv × 2nv, Bd: 2nv × nv; packed. The contact problem is that of the step, unchanged since; the motion goes on
 * with the same bits.
 *
 * HML_UNSUPPORTED for steps with bounces, substeps, `relaxed`, `massless`, actuators or loops; where a joint turned so fast,
 * or was moved back within a limit, that energy or momentum had to be corrected; where a displacement was cut short; and
 * where a cylinder, a height field or another shape of the robot is touched. HML_SINGULAR where rows that carry contradict
 * each other to first order, or where redundant contacts slide in different directions, so that it counts what each of
 * them carries, which is not known. HML_INVALID_ARGUMENT if there was no step, or hml_contact_set_servo,
 * hml_contact_forget or hml_contact_set_memory since.
 */
HML_API size_t hml_contact_linearize_scratch_doubles(const hml_contact *contact);
HML_API hml_status hml_contact_linearize(const hml_model *model, hml_work *work, hml_contact *contact, double *scratch,
                                         double *Ad, double *Bd);

/*
 * A servo −k·(q ⊖ target) − d·ν in all steps from now on, as that of hml_forces (hamel/motion.h): target nq, stiffness
 * and damping nv, NULL: zero; target NULL: no servo any more. Everything is copied. Like dampers and springs of the
 * model it is implicit, −d u⁺ − k (q + h u⁺ − target): no gain is too high for the step.
 */
HML_API hml_status hml_contact_set_servo(hml_contact *contact, const double *target, const double *stiffness,
                                         const double *damping);

HML_API hml_status hml_contact_forget(hml_contact *contact);

/*
 * What the next step uses of the last one besides q and v: impulses, from which the solver starts. Saved with q and v and
 * set in a problem with the same model and settings, they let a motion go on with the same bits, also in another
 * process. Servo and balance are not in them, and hml_contact_get describes nothing until the next step.
 */
HML_API size_t hml_contact_memory_doubles(const hml_contact *contact);
HML_API hml_status hml_contact_get_memory(const hml_contact *contact, double *memory);
HML_API hml_status hml_contact_set_memory(hml_contact *contact, const double *memory);

/* sums over all steps since hml_contact_init; HML_INVALID_ARGUMENT if the options do not ask for them */
HML_API hml_status hml_contact_get_balance(const hml_contact *contact, hml_balance *balance);

typedef struct hml_contact_point {
    int32_t shape, other; /* other: a shape of the robot, or −1 − the number of the ground: planes,
                             then height fields */
    double position[3];   /* on the first shape, in the world, at q_M */
    double normal[3];     /* points to the first shape */
    double gap;
    double impulse[3]; /* on the first shape, in the world's axes, bounces included; divided by h: the mean force */
} hml_contact_point;

HML_API int32_t hml_contact_count(const hml_contact *contact);
HML_API hml_status hml_contact_get(const hml_contact *contact, int32_t index, hml_contact_point *point);

/*
 * ---- where to start ----
 *
 * The point of all shapes on bodies that lies lowest over a plane at q: its gap is negative if it is below, the impulse
 * is zero. Where the plane is a rectangle, points beside it do not count; its depth does not matter. If there is no such
 * point, as for a robot without shapes, shape is −1 and gap is infinite. Contacts of the last step are kept.
 *
 * `plane` may also be the number of planes plus the index of a height field. The gap is then how far the shape can go
 * down along the field's z until it touches, exactly; the normal is that of the surface there.
 */
HML_API hml_status hml_contact_lowest(const hml_model *model, hml_work *work, hml_contact *contact, const double *q,
                                      int32_t plane, hml_contact_point *point);

/*
 * Moves the robot along the plane's normal, or a field's z, until its lowest point is `height` over it: q is changed. What moves
 * are all joints on the world that can go in every direction: free, translation3, Schönflies. All of them go the same
 * way, and shapes that they do not carry do not count. HML_UNSUPPORTED, and q as it was, if there is no such joint or
 * none of these shapes is over the plane.
 */
HML_API hml_status hml_contact_place(const hml_model *model, hml_work *work, hml_contact *contact, int32_t plane,
                                     double height, double *q);

/*
 * With HML_CONTACT_PAIRS: pairs of shapes that touch each other at q do not do so any more, in all steps from now on.
 * Many files have shapes that overlap in every posture; they would hold joints in place. *count: how many pairs were
 * left out; may be NULL.
 */
HML_API hml_status hml_contact_exclude(const hml_model *model, hml_work *work, hml_contact *contact, const double *q,
                                       int32_t *count);

/*
 * ---- an impact by itself ----
 *
 * Kindr's equations with impulses, M (u⁺ − u) = Jᵀ Λ, for points that are in contact at q. All contacts at once, each
 * with its own friction μ and restitution e; w = J u in the contact's axes, normal n and tangents t:
 *
 *   0 ≤ Λ_n ⊥ w_n⁺ + e min(w_n, 0) ≥ 0        Newton's law for contacts that close; others may leave
 *   |Λ_t| ≤ μ Λ_n, and Λ_t = −μ Λ_n w_t⁺/|w_t⁺| where it slides afterwards
 *
 * Loops of the model are kept, J_l u⁺ = J_l u; w is then the velocity that they let happen.
 *
 * This is Newton's law, as in hml_contact_step. Poisson's would need two solutions, one after the other. Neither bounds
 * the energy when contacts have different e, or when friction reverses the sliding (Kane and Levinson). Therefore, if
 * the kinetic energy would grow, all e are multiplied by the largest factor up to 1 with which it does not. Such a
 * factor exists, because the energy never grows with e = 0. So the energy never grows for e in [0, 1].
 */
typedef struct hml_contact_site {
    int32_t frame;      /* of the robot: hml_model_find_frame */
    int32_t other;      /* what it touches: another frame of the robot, or HML_WORLD */
    double position[3]; /* of the contact, in the world */
    double normal[3];   /* in the world, from `other` to `frame`; need not be unit */
    double friction;
    double restitution; /* in [0, 1] */
} hml_contact_site;

typedef struct hml_contact_impact {
    size_t struct_size;
    int32_t closed;     /* contacts with an impulse */
    int32_t iterations; /* of the solver, the last time it ran; 0: the guess was the solution */
    double residual;    /* by how much the laws above are violated, relative to the fastest contact */
    double work;        /* of all impulses, joules: the change of kinetic energy, never above round-off */
    double restitution; /* the factor on e that the energy allowed, mostly 1 */
} hml_contact_impact;

typedef struct hml_contact_collision {
    size_t struct_size;
    const hml_contact_site *sites;
    int32_t count;
    const double *q, *v;        /* before the impact */
    double *v_next;             /* nv; may be v. NULL: not computed */
    double *impulse;            /* count × 3, on `frame`, in the world's axes. NULL: not computed */
    hml_contact_impact *impact; /* with a struct_size of its own; may be NULL */
} hml_contact_collision;

/* bytes; 0 if count is negative or the model is missing */
HML_API size_t hml_contact_impulse_size(const hml_model *model, int32_t count);

/*
 * For redundant contacts (the four feet of a table) v_next is unique and the impulses are not; one solution is returned.
 * HML_NOT_CONVERGED if the solver has not found a solution to 1e-10.
 */
HML_API hml_status hml_contact_impulse(const hml_model *model, hml_work *work, void *memory, size_t size,
                                       const hml_contact_collision *arguments);

#endif
