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

/* ---- results in another representation: copied, then changed in place ---- */

#define REPRESENTATION(i) ((hml_representation)r->choice[i])

static size_t nv_of(const row *r) { return (size_t)hml_model_nv(r->model); }

static void copied(const row *r, int in, int out, size_t n)
{
    if (r->in[in]) memcpy(r->out[out], r->in[in], n * sizeof(double));
}

typedef hml_status dynamics_change(const hml_model *, hml_representation, const double *, const double *, double *,
                                   double *);

static hml_status dynamics_changed(const row *r, dynamics_change *change)
{
    copied(r, 2, 0, nv_of(r) * nv_of(r)), copied(r, 3, 1, nv_of(r));
    return change(r->model, REPRESENTATION(4), r->in[0], r->in[1], r->out[0], r->out[1]);
}

typedef hml_status coriolis_change(const hml_model *, hml_representation, const double *, const double *,
                                   const double *, double *, double *);

static hml_status coriolis_changed(const row *r, coriolis_change *change)
{
    copied(r, 3, 0, nv_of(r) * nv_of(r)), copied(r, 4, 1, nv_of(r) * nv_of(r));
    return change(r->model, REPRESENTATION(5), r->in[0], r->in[1], r->in[2], r->out[0], r->out[1]);
}

typedef hml_status jacobian_change(const hml_model *, hml_representation, const double *, const double *, int32_t,
                                   double *, double *);

static hml_status jacobian_changed(const row *r, jacobian_change *change)
{
    size_t rows = (size_t)r->symbol['k' - 'a'];
    copied(r, 2, 0, rows * nv_of(r)), copied(r, 3, 1, rows * nv_of(r));
    return change(r->model, REPRESENTATION(4), r->in[0], r->in[1], (int32_t)rows, r->out[0], r->out[1]);
}

static size_t inputs_of(const row *r) { return (size_t)r->symbol['m' - 'a']; }

/* A and B, or A_d and B_d: parameters `first` and `first + 1` */
static void state_matrices(const row *r, int first)
{
    copied(r, first, 0, 4 * nv_of(r) * nv_of(r)), copied(r, first + 1, 1, 2 * nv_of(r) * inputs_of(r));
}

typedef hml_status linearization_change(const hml_model *, hml_representation, const double *, const double *,
                                        const double *, int32_t, double *, double *);

static hml_status linearization_changed(const row *r, linearization_change *change)
{
    state_matrices(r, 3);
    return change(r->model, REPRESENTATION(5), r->in[0], r->in[1], r->in[2], (int32_t)inputs_of(r), r->out[0],
                  r->out[1]);
}

typedef hml_status step_change(const hml_model *, hml_representation, const double *, const double *, const double *,
                               const double *, int32_t, double *, double *);

static hml_status step_changed(const row *r, step_change *change)
{
    state_matrices(r, 4);
    return change(r->model, REPRESENTATION(6), r->in[0], r->in[1], r->in[2], r->in[3], (int32_t)inputs_of(r), r->out[0],
                  r->out[1]);
}

/* ---- perturbations on the other side ---- */

typedef hml_status gradient_change(const hml_model *, const double *, int32_t, double *);

static hml_status gradient_changed(const row *r, gradient_change *change)
{
    size_t count = (size_t)r->symbol['k' - 'a'];
    copied(r, 1, 0, count * nv_of(r));
    return change(r->model, r->in[0], (int32_t)count, r->out[0]);
}

#define hessian_changed gradient_changed /* the same numbers, turned */

typedef hml_status linearization_side(const hml_model *, const double *, const double *, int32_t, double *, double *);

static hml_status linearization_sided(const row *r, linearization_side *change)
{
    state_matrices(r, 2);
    return change(r->model, r->in[0], r->in[1], (int32_t)inputs_of(r), r->out[0], r->out[1]);
}

#define step_sided linearization_sided /* q_next in the place of v */

#define TABLE           "configuration.def"
#define TABLE_FUNCTIONS table
#include "table.h"

function *const *const configuration_table = table;
const size_t configuration_count = COUNT(table);
