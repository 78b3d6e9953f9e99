/*
 * The loop over the packs of a batch: each pack is run, lanes that failed are looked at, their outputs become NaN,
 * every state gets its status, and the first failure is returned.
 */
#ifndef HML_ALGO_FOR_EACH_PACK_H
#define HML_ALGO_FOR_EACH_PACK_H

#include <string.h>

#include "base/overflow.h"
#include "num/num.h"

enum {
    PACK_MOST = 64, /* states in a pack, at most */
    PACK_LOOK = 16  /* packs between two looks at the flags: a look waits for all that goes on */
};

/* what a kind of batch does; constant, so that the loop calls these directly. `batch` is pack_loop.batch */
typedef struct pack_functions {
    /* `count` states from `first` on. Returns the lanes to look at, one bit each */
    uint64_t (*run)(const void *batch, size_t first, int count, hml_status *each);
    int judges; /* 1: where `run` returns lanes, it has set the status of each state */
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

/* the first state that failed, and how; state: none so far fails before it */
typedef struct pack_failure {
    size_t state;
    hml_status status;
} pack_failure;

static inline void pack_failed(pack_failure *first, size_t state, hml_status status)
{
    if (state < first->state) first->state = state, first->status = status;
}

/* the states of one pack, of which `failed` are marked */
NUM_INLINE void finish_pack(const pack_functions *f, const pack_loop *loop, size_t begin, size_t count, uint64_t failed,
                            hml_status *each, pack_failure *first)
{
    if (!f->judges) memset(each, 0, count * sizeof *each);
    for (size_t l = 0; l < count; l++) {
        const size_t state = begin + l;
        const int marked = (int)(failed >> l & 1);
        if (!each[l] && f->check && (marked || loop->check_all)) each[l] = f->check(loop->batch, state);
        if (!each[l] && marked) each[l] = loop->failure;
        if (each[l] || loop->finish_all) f->finish(loop->batch, state, each[l]);
        if (each[l]) pack_failed(first, state, each[l]);
    }
}

/* states begin … end − 1, where something overflowed: which results are not finite? Those of states that failed are
 * not, and stay as they are */
NUM_INLINE void find_overflow(const pack_functions *f, const pack_loop *loop, size_t begin, size_t end,
                              hml_status *status, pack_failure *first)
{
    for (size_t state = begin; state < end; state++) {
        if (status && status[state]) continue;
        const hml_status finite = f->finite(loop->batch, state);
        if (!finite) continue;
        f->finish(loop->batch, state, finite);
        pack_failed(first, state, finite);
        if (status) status[state] = finite;
    }
}

/* status, if not NULL: one per state. Returns the first failure */
NUM_INLINE hml_status for_each_pack(const pack_functions *f, const pack_loop *loop, size_t n, hml_status *status)
{
    pack_failure first = {n, HML_OK};
    hml_status each[PACK_MOST];
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < PACK_LOOK * loop->lanes ? n : begin + PACK_LOOK * loop->lanes;
        const unsigned before = overflow_watch();
        for (size_t i = begin; i < end; i += loop->lanes) {
            const size_t count = end - i < loop->lanes ? end - i : loop->lanes;
            const uint64_t failed = f->run(loop->batch, i, (int)count, each);
            const int all_well = !failed && !loop->check_all && !loop->finish_all;
            if (!all_well) finish_pack(f, loop, i, count, failed, each, &first);
            if (status && all_well) memset(status + i, 0, count * sizeof *status);
            if (status && !all_well) memcpy(status + i, each, count * sizeof *each);
        }
        if (overflow_seen(before)) find_overflow(f, loop, begin, end, status, &first);
    }
    return first.status;
}

#endif
