/* The threads of --states: each takes a chunk of states, computes, writes, and takes the next. */
#ifndef CLI_BATCH_THREADS_H
#define CLI_BATCH_THREADS_H

#include "batch.h"

typedef struct batch {
    const batch_kind *kind;
    hml_states *states;
    hml_table *table;
    int64_t chunk;                     /* states of a chunk; the last may have fewer */
    int ncolumns;                      /* of the kind, */
    hml_column columns[BATCH_COLUMNS]; /* the status not among them, */
    int selected[BATCH_COLUMNS];       /* which are wanted, */
    size_t entries[BATCH_COLUMNS];     /* and the doubles of a state */
    int nwritten;                      /* columns of the file, */
    hml_column written[BATCH_COLUMNS + 1];
    int source[BATCH_COLUMNS + 1]; /* and which of the kind they are; the last is the status */
    /* filled by the threads */
    int64_t failures, first_failure; /* −1: none */
    hml_status first_status;
} batch;

/* all states that the table does not have; an exit status */
int batch_threads_run(const cli_options *options, const robot *r, batch *b);

#endif
