/*
 * The loop over the packs of a batch: each pack is run, lanes that failed are looked at, their outputs become NaN,
 * every state gets its status, and the first failure is returned.
 */
#ifndef HML_ALGO_FOR_EACH_PACK_H
#define HML_ALGO_FOR_EACH_PACK_H

#include <string.h>

#include "base/overflow.h"
#include "num/num.h"

enum { PACK_MOST = 64 }; /* states in a pack, at most */

#define PACK_STATUSES UINT64_MAX /* what `run` returns if it has set the statuses of all its states itself */

/* what a kind of batch does; constant, so that the loop calls these directly. `batch` is pack_loop.batch */
typedef struct pack_functions {
    /* `count` states from `first` on. Returns the lanes to look at, one bit each, or PACK_STATUSES */
    uint64_t (*run)(const void *batch, size_t first, int count, hml_status *each);
    /* are the inputs of a state good? NULL: `run` has said so */
    hml_status (*check)(const void *batch, size_t state);
    /* are its outputs finite? Asked only where something overflowed */
    hml_status (*finite)(const void *batch, size_t state);
    /* NaN into the outputs of a state that failed; where status is HML_OK, what is left to do */
    void (*finish)(const void *batch, size_t state, hml_status status);
} pack_functions;

typedef struct pack_loop {
    const void *batch;
    size_t lanes;       /* states in a pack, at most PACK_MOST */
    int check_all;      /* 1: check every state, since the kernel does not look at all inputs */
    int finish_all;     /* 1: finish every state, not only those that failed */
    hml_status failure; /* of a state whose lane is marked though its inputs are good; may be HML_OK */
} pack_loop;

/* the states of one pack, of which `failed` are marked; returns the first failure */
NUM_INLINE hml_status finish_pack(const pack_functions *f, const pack_loop *loop, size_t first, size_t count,
                                  uint64_t failed, int overflow, hml_status *each)
{
    hml_status worst = HML_OK;
    for (size_t l = 0; l < count; l++) {
        const size_t state = first + l;
        const int marked = (int)(failed >> l & 1);
        if (!each[l] && f->check && (marked || loop->check_all)) each[l] = f->check(loop->batch, state);
        if (!each[l] && marked) each[l] = loop->failure;
        if (!each[l] && overflow) each[l] = f->finite(loop->batch, state);
        if (each[l] || loop->finish_all) f->finish(loop->batch, state, each[l]);
        if (!worst) worst = each[l];
    }
    return worst;
}

/* status, if not NULL: one per state */
NUM_INLINE hml_status for_each_pack(const pack_functions *f, const pack_loop *loop, size_t n, hml_status *status)
{
    hml_status worst = HML_OK, each[PACK_MOST];
    for (size_t i = 0; i < n; i += loop->lanes) {
        const size_t count = n - i < loop->lanes ? n - i : loop->lanes;
        const unsigned before = overflow_watch();
        const uint64_t failed = f->run(loop->batch, i, (int)count, each);
        const int overflow = overflow_seen(before);
        if (failed || overflow || loop->check_all || loop->finish_all) {
            if (failed != PACK_STATUSES) memset(each, 0, count * sizeof *each);
            const hml_status first = finish_pack(f, loop, i, count, failed, overflow, each);
            if (!worst) worst = first;
            if (status) memcpy(status + i, each, count * sizeof *each);
        } else if (status) {
            memset(status + i, 0, count * sizeof *status);
        }
    }
    return worst;
}

#endif
