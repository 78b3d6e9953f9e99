/* Writing the tables of a model: shared by tables.c and tables_trunk.c. */
#ifndef HML_CUDA_TABLES_WRITE_H
#define HML_CUDA_TABLES_WRITE_H

#include "cuda/tables.h"
#include "model/plan.h"

/* the two arrays as they are written; data NULL: only measured */
typedef struct writer {
    int32_t *integers;
    void *numbers;
    int type;
    int32_t ninteger, nnumber;
} writer;

static inline void put_integer(writer *w, int32_t x)
{
    if (w->integers) w->integers[w->ninteger] = x;
    w->ninteger++;
}

static inline void put_number(writer *w, double x)
{
    if (w->numbers && w->type == CUDA_FLOAT32) ((float *)w->numbers)[w->nnumber] = (float)x;
    if (w->numbers && w->type == CUDA_FLOAT64) ((double *)w->numbers)[w->nnumber] = x;
    w->nnumber++;
}

static inline int32_t take(int32_t *used, int64_t n)
{
    const int32_t at = *used;
    *used += (int32_t)((n + 3) / 4 * 4);
    return at;
}

/* rows of the columns below a free root: where that of column 0 would be */
static inline int32_t take_rows(int32_t *used, const cuda_tree *t, int32_t width)
{
    return take(used, (int64_t)width * (t->columns - t->base)) - width * t->base;
}

/* chooses trunk.h for a free root's tree with a lane per column where it can have it; workspace behind `used` numbers */
hml_status hmli_cuda_plan_trunk(writer *w, const hml_plan *plan, const plan_tree *tree, cuda_model *m, int32_t used);

/* tables of the model's frames */
void hmli_cuda_put_frames(writer *w, const hml_model *model, cuda_model *m);

#endif
