/* See backward.h. */
#include "control/backward.h"

#include <string.h>

#include "base/layout.h"

size_t hmli_backward_lay_out(const backward_size *z, void *memory, backward_space *s)
{
    layout_cursor c = layout_begin(memory);
    const size_t x = 2 * z->n, d = sizeof(double), rows = z->n * z->ld, wide = z->m * z->ld;
    s->V = layout_take(&c, (x * z->ldx + PRODUCT_LANES) * d); /* rows are read up to whole vectors */
    s->next = layout_take(&c, (x * z->ldx + PRODUCT_LANES) * d);
    s->Vx = layout_take(&c, x * d);
    s->v = layout_take(&c, x * d);
    s->w = layout_take(&c, x * d);
    s->M1 = layout_take(&c, rows * d);
    s->Wnn = layout_take(&c, rows * d);
    s->Wnq = layout_take(&c, rows * d);
    s->P = layout_take(&c, 2 * rows * d);
    s->G = layout_take(&c, wide * d);
    s->Z = layout_take(&c, wide * d);
    s->step = layout_take(&c, z->m * d);
    s->gradient = layout_take(&c, z->m * d);
    s->factor = layout_take(&c, (z->m + 1) * z->m * d);
    s->pivot = layout_take(&c, z->m * sizeof *s->pivot);
    s->free = layout_take(&c, z->m * sizeof *s->free);
    return c.used;
}

void hmli_backward_begin(const backward_size *z, const double *lx, const double *lxx, backward_space *s)
{
    memcpy(s->Vx, lx, 2 * z->n * sizeof *lx);
    memcpy(s->V, lxx, 2 * z->n * z->ldx * sizeof *lxx);
    memset(s->V + 2 * z->n * z->ldx, 0, PRODUCT_LANES * sizeof *lxx);
    backward_mirror(2 * z->n, z->ldx, s->V);
    /* what lies above the diagonal is read, though nobody uses it */
    memset(s->next, 0, (2 * z->n * z->ldx + PRODUCT_LANES) * sizeof *s->next);
    memset(s->Wnq, 0, z->n * z->ld * sizeof *s->Wnq);
}

hml_status hmli_backward_step(const backward_size *z, const backward_knot *x, double mu, backward_space *s)
{
    return z->products->step(z, x, mu, s);
}
