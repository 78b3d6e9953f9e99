/*
 * A batch in chunks, shared out to as many workers as there are workspaces: what the functions with an hml_parallel do
 * (hamel/linearize.h).
 */
#ifndef HML_ALGO_SHARE_H
#define HML_ALGO_SHARE_H

#include "hamel/linearize.h"

/* `count` states from `first` on, on one worker's workspace; returns the first failure among them */
typedef hml_status share_chunk(const void *batch, size_t worker, size_t first, size_t count);

/* are there workers, each with a workspace? */
static inline int share_fits(const hml_parallel *p) { return p && p->nworks && p->works; }

/* all n states; the status of the first that failed, whoever had it. The workspaces are checked */
hml_status hmli_share_out(const hml_parallel *parallel, size_t n, share_chunk *run, const void *batch);

#endif
