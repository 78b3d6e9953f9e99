/* A robot as a command needs it: the model, its names, a workspace, and the state it is in. */
#ifndef CLI_ROBOT_H
#define CLI_ROBOT_H

#include "cli.h"

typedef struct robot {
    const char *file; /* for messages: the file, or the name of a robot of the library */
    char *path;       /* the file; NULL for a robot of the library */
    hml_model *model;
    hml_work *work;
    hml_state *state;
    int32_t nq, nv, nbodies;
    const char *base; /* "free" or "fixed" */
    const char *why;  /* " (…)" where a rule decided about the base, or "" */
    char **names;     /* of the velocity coordinates, nv, as in files: base.0 */
    char **labels;    /* the same for people: base.vx */
    double *v_rep;    /* nv: the velocity in the representation of the results */
    hml_loop *loops;  /* those of the model, unless --loops off */
    int32_t nloops;
    double *wrenches; /* nbodies × 6, in body frames; NULL if there are none */
} robot;

/* loads a model (path NULL: the built-in one) with its warnings on standard error; an exit status */
int robot_load(const cli_options *options, const char *path, robot *r);

/* what robot_load does after it: r has its file, path and model, which are freed with it */
int robot_take(const cli_options *options, robot *r);

/* the first warnings of the model, on standard error */
void robot_show_warnings(const robot *r);

/* and makes a workspace and reads the state */
int robot_load_state(const cli_options *options, robot *r);

/* the wrenches of the state in the bodies' frames, at a configuration that may be another one */
hml_status robot_put_wrenches(const robot *r, const double *q);

/* what follows from q and ν of the state: the velocity of the results, and wrenches in the bodies' frames */
hml_status robot_follow_state(const cli_options *options, robot *r);

/* its parts: --keyframe, --q */
int robot_load_keyframe(const cli_options *options, robot *r);
int robot_set_positions(const cli_options *options, robot *r);

/* what a number of a joint's position is called: base.x … base.qz, knee */
enum { ROBOT_NAME_SIZE = 512 };
void robot_name_position(const hml_joint_info *joint, int32_t k, char text[ROBOT_NAME_SIZE]);

void robot_free(robot *r);

/* the part of a warning on standard error that all have: "hamel: file: warning: …" */
void robot_warn(const char *file, const char *sentence);

/* refuses a robot without any coordinates; an exit status */
int robot_must_move(const robot *r);

/* says why a computation failed, with the joints that make the mass matrix singular; an exit status */
int robot_fail(const robot *r, hml_status status);

/* the keys that all results have: model, nv, nq, velocity_names, representation, base */
void robot_add_common(const robot *r, hml_representation representation, hml_result *result);

/* the state that results belong to: position, velocity (left-trivialized), torque */
void robot_add_state(const robot *r, hml_result *result);

/* "nine: free base, left-trivialized, 15 degrees of freedom" */
void robot_print_header(const robot *r, hml_representation representation);

/* writes result to options->out; the caller has printed tables if there is none. Frees result. An exit status */
int robot_write(const cli_options *options, hml_result *result);

#endif
