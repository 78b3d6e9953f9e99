/* Configurations and representations. */
#include <string.h>

#include "objects.h"

static hml_status normalize(const row *r)
{
    memcpy(r->out[0], r->in[0], (size_t)hml_model_nq(r->model) * sizeof(double));
    return hml_configuration_normalize(r->model, r->out[0]);
}

/* ⊕ and ⊖ of all rows */
typedef hml_status pair_batch(const hml_model *model, const hml_work *work, size_t n, hml_input a, hml_input b,
                              hml_output out, hml_status *status);

static hml_status pairs(const row *r, pair_batch *batch)
{
    hml_input a = {r->in[0], r->stride[0]}, b = {r->in[1], r->stride[1]};
    hml_output out = {r->out[0], 0, 0};
    return batch(r->model, r->work, r->n, a, b, out, NULL);
}

static hml_status dynamics_to(const row *r)
{
    size_t nv = (size_t)hml_model_nv(r->model);
    memcpy(r->out[0], r->in[2], nv * nv * sizeof(double));
    memcpy(r->out[1], r->in[3], nv * sizeof(double));
    return hml_dynamics_to_representation(r->model, (hml_representation)r->choice[4], r->in[0], r->in[1], r->out[0],
                                          r->out[1]);
}

static hml_status jacobian_to(const row *r)
{
    npy_intp rows = r->symbol['k' - 'a'];
    size_t bytes = (size_t)rows * (size_t)hml_model_nv(r->model) * sizeof(double);
    memcpy(r->out[0], r->in[2], bytes);
    if (r->in[3]) memcpy(r->out[1], r->in[3], bytes);
    return hml_jacobian_to_representation(r->model, (hml_representation)r->choice[4], r->in[0], r->in[1], (int32_t)rows,
                                          r->out[0], r->out[1]);
}

#define TABLE           "configuration.def"
#define TABLE_FUNCTIONS table
#include "table.h"

function *const *const configuration_table = table;
const size_t configuration_count = COUNT(table);
