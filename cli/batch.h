/* Many states from a file, in chunks, on all cores: what --states does for every command that has it. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "hamel/states.h"
#include "robot.h"

enum { BATCH_COLUMNS = 16 };

/* One thread: a chunk of states, and where their results go. */
typedef struct batch_worker {
    const cli_options *options;
    const robot *r; /* the model and its names; the workspace and the state in it are not this thread's */
    hml_work *work;
    const double *q, *v, *tau; /* count rows each */
    size_t count;
    double *out[BATCH_COLUMNS]; /* of the columns of the kind, in its order; NULL: not selected */
    hml_status *status;         /* count */
    void *own;                  /* what the kind keeps */
} batch_worker;

/* What a command computes about a state. */
typedef struct batch_kind {
    const char *name;
    /* the results of a state, float64 all; how many there are */
    int (*columns)(const cli_options *options, const robot *r, hml_column columns[BATCH_COLUMNS]);
    size_t least; /* states of a chunk, at least: a pack, or 1 where a state takes long */
    /* further keys of the file; may be NULL */
    int (*head)(const cli_options *options, const robot *r, hml_result *result);
    /* makes and frees worker->own, for chunks of `most` states; an exit status; may be NULL */
    int (*open)(batch_worker *worker, size_t most);
    void (*close)(batch_worker *worker);
    /* everything that is selected; a state that fails gets its status, and its results are then set to NaN */
    void (*run)(batch_worker *worker);
} batch_kind;

/* 0: options of --states without --states, or with what does not go with it; says so, as usage */
int batch_check(const cli_options *options);

/* the whole command; an exit status */
int batch_run(const cli_options *options, const batch_kind *kind);

extern const batch_kind batch_linearize, batch_dynamics, batch_simulate;

#endif
