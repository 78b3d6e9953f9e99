/* hamel simulate: a trajectory, what pushes the robot, and what is said about it. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "feedback.h"
#include "hamel/contact.h"
#include "hamel/motion.h"
#include "robot.h"

/* coordinates that were moved into their limits: how many, and the one that was moved farthest */
typedef struct bounded {
    int32_t count, farthest;
    double by;
} bounded;

/* what the command makes of the options */
typedef struct scene {
    hml_forces forces;
    double *stiffness, *damping; /* nv: of the servos; NULL: none */
    double *inputs;              /* of the actuators; NULL: they do nothing */
    /* with a ground */
    int32_t npoints;
    hml_shape *points; /* shapes and points that may touch the ground */
    char **point_names;
    hml_contact *contact;
    void *memory;
    hml_heightfield field; /* the ground; without heights it is the plane z = 0 */
    int32_t touching;      /* the shape that the robot was put on the ground with; −1: it was not moved */
    double lifted;         /* by how much, metres */
    bounded bounded;       /* joints that were moved into their limits before */
    feedback *feedback;    /* NULL: none */
} scene;

/* rows of a motion, at most SIMULATE_ROWS + 1 */
enum { SIMULATE_ROWS = 10000 };

typedef struct trajectory {
    size_t rows, count;       /* room, and how many there are */
    double *time;             /* rows */
    double *q, *v;            /* rows × nq, rows × nv; v in the representation of the results */
    double *energy;           /* rows */
    double *momentum;         /* rows × 6 */
    double *com;              /* rows × 3 */
    double *torque;           /* rows × nv: of τ and servos; with a ground means over the step before */
    double *height;           /* rows: of the base; of the com if there is no base */
    double *forces;           /* rows × npoints × 3: of the ground; NULL: there is none */
    double *places;           /* rows × npoints × 3: where they act; zero where nothing touches */
    double kinetic;           /* the largest kinetic energy */
    hml_balance balance;      /* at the end */
    double energy_error;      /* what the balance does not explain, the largest in the motion, joules */
    double momentum_error[2]; /* linear, angular */
    double *M, *h;            /* scratch */
    const char *scheme;
    int64_t steps, rejected, evaluations;
    double last_step; /* of an integrator that chooses its own */
    int64_t relaxed;  /* steps of contact whose laws were not met, and by how much they were missed at most */
    double residual;
    int64_t substeps;
    double removed;      /* energy that fast joints had gained by errors */
    int32_t left_out;    /* the most contacts that a step had no room for */
    int64_t massless;    /* steps with a singular mass matrix */
    double penetration;  /* the deepest overlap with the ground, metres; */
    int32_t deepest;     /* its shape, −1: none; */
    double deepest_time; /* and when */
    double seconds;      /* it took */
    int32_t beyond;      /* the coordinate that first was beyond its limits, at `since`; −1: none */
    double since;
} trajectory;

/* steps of the integrator, rows, and steps per row; for dopri5 a step is a row */
typedef struct schedule {
    double time, step;
    long steps, every;
} schedule;

int schedule_make(const cli_options *options, schedule *s); /* an exit status */
size_t schedule_rows(const schedule *s);                    /* of a motion, the first at time 0 */
void schedule_times(const schedule *s, double *time);       /* and when they are */

/* free of contact; *reached: how far it got */
hml_status simulate_fly(const cli_options *options, const robot *r, const scene *sc, const schedule *s, trajectory *t,
                        double *reached);

/*
 * The motion of a robot that is loaded, as the options say, under a feedback or none (NULL); an exit status.
 * Prints what came of it if there is no feedback and no file for it.
 */
int simulate_robot(const cli_options *options, robot *r, feedback *f);

/* says which option needs --ground, or does not go with another one; an exit status */
int simulate_check_ground(const cli_options *options);

/* are there actuators, if the options want them? an exit status */
int scene_check(const cli_options *options, const robot *r);

/* forces, servos and actuators at the state of r; says nothing */
hml_status scene_push(const cli_options *options, const robot *r, scene *s);

/* all of it, and the ground; an exit status */
int scene_make(const cli_options *options, const robot *r, scene *s);
void scene_free(scene *s);

/* puts the robot on the ground, or refuses a state that has it inside; changes the positions of r->state */
int scene_place(const cli_options *options, const robot *r, scene *s);

/* coordinates that neither a file nor an option has put anywhere start within their limits */
bounded scene_keep_limits(const cli_options *options, const robot *r);

hml_status trajectory_make(const robot *r, size_t rows, int32_t npoints, trajectory *t);
void trajectory_free(trajectory *t);
/* a row: the state at a time, and the forces of the joints; NULL: none */
hml_status trajectory_add(const robot *r, hml_representation representation, double time, const double *q,
                          const double *v, const double *torque, trajectory *t);

/* compares energy and momentum of a state with those of the first row and the balance since */
hml_status trajectory_check(const robot *r, const double *q, const double *v, const hml_balance *balance,
                            trajectory *t);

/* ---- simulate_balance.c ---- */

/* what the balance does not explain, relative to the largest there was; the momentum's are NaN where the world holds the
 * robot */
typedef struct drifts {
    double energy, linear, angular;
} drifts;

drifts trajectory_drifts(const robot *r, const trajectory *t);

/* 1 if all joints on the world are free */
int simulate_floats(const robot *r);

/* what the world must have done to a robot that it holds: 6 */
void simulate_support(const trajectory *t, double impulse[6]);

void simulate_print_balance(const robot *r, const trajectory *t);
void simulate_add_balance(const robot *r, const trajectory *t, hml_result *result);

/* says what ended a motion, where and when, and what may help; an exit status */
int simulate_fail(const robot *r, scene *s, const trajectory *t, double time, double step, hml_status status);

/* is coordinate k of a joint a length? */
int simulate_slides(hml_joint_type type, int32_t coordinate);

void simulate_print(const robot *r, const scene *s, const trajectory *t);
hml_result *simulate_result(const robot *r, hml_representation representation, const scene *s, const trajectory *t);
int simulate_plot(const char *path, const robot *r, const scene *s, const trajectory *t); /* an exit status */

#endif
