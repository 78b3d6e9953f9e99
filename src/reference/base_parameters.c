/*
 * Base parameters: the columns of the regressor that stay independent when Y is stacked over many motions. Gram and
 * Schmidt take the columns in their order, each twice; one of which nothing is left depends on those before it.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/layout.h"
#include "hamel/configuration.h"
#include "hamel/parameters.h"
#include "hamel/reference/textbook.h"
#include "model/model.h"

static size_t columns_of(const hml_model *model) { return HML_INERTIA_PARAMETERS * (size_t)model->nbodies; }

/* twice as many rows as columns, so that no motion is missing by accident */
static size_t motions_of(const hml_model *model)
{
    return model->nv ? 2 * columns_of(model) / (size_t)model->nv + 2 : 0;
}

typedef struct pieces {
    double *Y; /* of one motion */
    double *W; /* all Y, stacked and transposed: column i is W + i·rows */
    double *q, *v, *a;
    void *recursive; /* scratch of hml_regressor */
} pieces;

static size_t lay_out(const hml_model *model, void *memory, pieces *s)
{
    const size_t p = columns_of(model), nv = (size_t)model->nv;
    layout_cursor c = layout_begin(memory);
    s->Y = layout_doubles(&c, nv * p);
    s->W = layout_doubles(&c, p * motions_of(model) * nv);
    s->q = layout_doubles(&c, (size_t)model->nq);
    s->v = layout_doubles(&c, nv);
    s->a = layout_doubles(&c, nv);
    s->recursive = layout_array(&c, hml_recursive_size(model), 1);
    return c.used;
}

size_t hml_base_parameters_size(const hml_model *model)
{
    pieces s;
    return model && !model->nfollowers ? lay_out(model, NULL, &s) : 0;
}

static hml_status stack_motions(const hml_model *model, hml_rng *rng, const pieces *s)
{
    size_t p = columns_of(model), nv = (size_t)model->nv, motions = motions_of(model), rows = motions * nv;
    for (size_t m = 0; m < motions; m++) {
        hml_status status = hml_configuration_random(model, rng, s->q);
        for (size_t i = 0; i < nv; i++) s->v[i] = hml_rng_normal(rng), s->a[i] = 3 * hml_rng_normal(rng);
        if (!status) status = hml_regressor(model, s->recursive, s->q, s->v, s->a, s->Y);
        if (status) return status;
        for (size_t i = 0; i < p; i++) {
            for (size_t r = 0; r < nv; r++) s->W[i * rows + m * nv + r] = s->Y[r * p + i];
        }
    }
    return HML_OK;
}

hml_status hml_base_parameters(const hml_model *model, void *scratch, hml_rng *rng, int *marks, int32_t *count)
{
    const double tiny = 1e-10; /* of a length: far above round-off, far below any angle between real columns */
    if (!model || !scratch || !rng || !marks || !count) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) return HML_UNSUPPORTED;
    size_t p = columns_of(model), rows = motions_of(model) * (size_t)model->nv;
    pieces s;
    lay_out(model, scratch, &s);
    double *W = s.W;
    hml_status status = stack_motions(model, rng, &s);
    if (status) return status;
    double longest = 0; /* a column that is zero but for round-off depends on nothing, and counts for nothing */
    for (size_t i = 0; i < p; i++) longest = fmax(longest, sqrt(dense_dot(rows, W + i * rows, W + i * rows)));
    *count = 0;
    for (size_t i = 0; i < p; i++) {
        double *w = W + i * rows, whole = sqrt(dense_dot(rows, w, w));
        for (size_t j = 0; j < 2 * i; j++) {
            const double *u = W + j % i * rows;
            if (!marks[j % i]) continue;
            double along = dense_dot(rows, u, w);
            for (size_t r = 0; r < rows; r++) w[r] -= along * u[r];
        }
        double rest = sqrt(dense_dot(rows, w, w));
        marks[i] = rest > tiny * whole && whole > tiny * longest;
        *count += marks[i];
        for (size_t r = 0; marks[i] && r < rows; r++) w[r] /= rest;
    }
    return HML_OK;
}
