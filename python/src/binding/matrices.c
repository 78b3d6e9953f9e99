/* Functions of matrices that belong to no model. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

#define SIZE_OF(letter) r->symbol[(letter) - 'a']
#define OLD             (int32_t) SIZE_OF('k')
#define NEW             (int32_t) SIZE_OF('n')

static hml_status factored(const row *r, hml_status (*factor)(int32_t, const int32_t *, double *))
{
    size_t n = (size_t)SIZE_OF('n');
    memcpy(r->out[0], r->in[1], n * n * sizeof(double));
    hml_status status = factor((int32_t)n, r->marks[0], r->out[0]);
    for (size_t i = 0; i < n; i++) memset(r->out[0] + i * n + i + 1, 0, (n - i - 1) * sizeof(double));
    return status;
}

static hml_status multiplied(const row *r)
{
    size_t n = (size_t)SIZE_OF('n');
    memcpy(r->out[0], r->in[2], n * sizeof(double));
    return hml_factor_multiply((int32_t)n, r->marks[0], r->in[1], (hml_factor_diagonal)r->choice[3], r->choice[4],
                               r->out[0]);
}

static hml_status solved(const row *r)
{
    size_t n = (size_t)SIZE_OF('n');
    memcpy(r->out[0], r->in[2], n * sizeof(double));
    return hml_factor_solve((int32_t)n, r->marks[0], r->in[1], (hml_factor_diagonal)r->choice[3], r->choice[4],
                            r->out[0]);
}

static hml_status with_memory(const row *r, size_t doubles, hml_status (*work)(const row *r, double *memory))
{
    double *memory = malloc((doubles + 1) * sizeof *memory);
    hml_status status = memory ? work(r, memory) : HML_OUT_OF_MEMORY;
    free(memory);
    return status;
}

static hml_status boltzmann_gamma(const row *r, double *memory)
{
    return hml_boltzmann_hamel_gamma((int32_t)SIZE_OF('n'), r->in[0], r->in[1], memory, r->out[0]);
}

static hml_status boltzmann_coriolis(const row *r, double *memory)
{
    return hml_boltzmann_hamel_coriolis((int32_t)SIZE_OF('n'), r->in[0], r->in[1], r->in[2], memory, r->out[0]);
}

static hml_status boltzmann_potential(const row *r, double *memory)
{
    return hml_boltzmann_hamel_potential((int32_t)SIZE_OF('n'), r->in[0], r->in[1], memory, r->out[0]);
}

static hml_status boltzmann_inverse(const row *r, double *memory)
{
    return hml_boltzmann_hamel_inverse_dynamics((int32_t)SIZE_OF('n'), r->in[0], r->in[1], r->in[2], r->in[3], r->in[4],
                                                r->in[5], memory, r->out[0]);
}

static hml_status boltzmann_forward(const row *r, double *memory)
{
    return hml_boltzmann_hamel_forward_dynamics((int32_t)SIZE_OF('n'), r->in[0], r->in[1], r->in[2], r->in[3], r->in[4],
                                                r->in[5], memory, r->out[0]);
}

static hml_status discretize(const row *r, double *memory)
{
    return hml_discretize((size_t)SIZE_OF('n'), (size_t)SIZE_OF('m'), r->in[0], r->in[1], *r->in[2], memory, r->out[0],
                          r->out[1]);
}

static hml_status world_derivative(const row *r)
{
    size_t n = (size_t)SIZE_OF('n');
    memcpy(r->out[0], r->in[0], n * n * sizeof(double));
    return hml_wrench_world_derivative((int32_t)n, r->in[1], r->in[2], r->in[3], n, r->out[0]);
}

#define TABLE           "matrices.def"
#define TABLE_FUNCTIONS matrices_table
#include "table.h"

int matrices_ready(PyObject *module) { return table_modules(matrices_table, COUNT(matrices_table), module); }
