/*
 * Base parameters: the columns of the regressor that stay independent when Y is stacked over many motions. Gram and
 * Schmidt take the columns in their order, each twice; one of which nothing is left depends on those before it.
 */
#include <math.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/parameters.h"
#include "hamel/reference/textbook.h"
#include "model/model.h"

static size_t columns_of(const hml_model *model) { return HML_BODY_PARAMETERS * (size_t)model->nbodies; }

/* twice as many rows as columns, so that no motion is missing by accident */
static size_t motions_of(const hml_model *model)
{
    return model->nv ? 2 * columns_of(model) / (size_t)model->nv + 2 : 0;
}

/* Y of one motion, all Y stacked and transposed, then q, ν, ν̇ */
size_t hml_base_parameters_size(const hml_model *model)
{
    if (!model || model->nfollowers) return 0;
    size_t p = columns_of(model), nv = (size_t)model->nv;
    return nv * p + p * motions_of(model) * nv + (size_t)model->nq + 2 * nv;
}

/* column i of the stack is W + i·rows */
static hml_status stack_motions(const hml_model *model, void *scratch, hml_rng *rng, double *memory, double *W)
{
    size_t p = columns_of(model), nv = (size_t)model->nv, motions = motions_of(model), rows = motions * nv;
    double *Y = memory, *q = W + p * rows, *v = q + model->nq, *a = v + nv;
    for (size_t m = 0; m < motions; m++) {
        hml_status status = hml_configuration_random(model, rng, q);
        for (size_t i = 0; i < nv; i++) v[i] = hml_rng_normal(rng), a[i] = 3 * hml_rng_normal(rng);
        if (!status) status = hml_regressor(model, scratch, q, v, a, Y);
        if (status) return status;
        for (size_t i = 0; i < p; i++) {
            for (size_t r = 0; r < nv; r++) W[i * rows + m * nv + r] = Y[r * p + i];
        }
    }
    return HML_OK;
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

hml_status hml_base_parameters(const hml_model *model, void *scratch, hml_rng *rng, double *memory, int *marks,
                               int32_t *count)
{
    const double tiny = 1e-10; /* of a length: far above round-off, far below any angle between real columns */
    if (!model || !scratch || !rng || !memory || !marks || !count) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) return HML_UNSUPPORTED;
    size_t p = columns_of(model), rows = motions_of(model) * (size_t)model->nv;
    double *W = memory + (size_t)model->nv * p;
    hml_status status = stack_motions(model, scratch, rng, memory, W);
    if (status) return status;
    double longest = 0; /* a column that is zero but for round-off depends on nothing, and counts for nothing */
    for (size_t i = 0; i < p; i++) longest = fmax(longest, sqrt(dot(rows, W + i * rows, W + i * rows)));
    *count = 0;
    for (size_t i = 0; i < p; i++) {
        double *w = W + i * rows, whole = sqrt(dot(rows, w, w));
        for (size_t j = 0; j < 2 * i; j++) {
            const double *u = W + j % i * rows;
            if (!marks[j % i]) continue;
            double along = dot(rows, u, w);
            for (size_t r = 0; r < rows; r++) w[r] -= along * u[r];
        }
        double rest = sqrt(dot(rows, w, w));
        marks[i] = rest > tiny * whole && whole > tiny * longest;
        *count += marks[i];
        for (size_t r = 0; marks[i] && r < rows; r++) w[r] /= rest;
    }
    return HML_OK;
}
