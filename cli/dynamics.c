/* hamel dynamics: the equations of motion of one state. */
#include <stdlib.h>

#include "batch.h"
#include "hamel/representation.h"
#include "loops.h"
#include "robot.h"
#include "table.h"

typedef struct motion {
    double *M, *h, *gravity, *acceleration, *tau; /* in the representation of the results */
    double com[3], centroidal[6];
    double kinetic, potential;
} motion;

static hml_status compute(const robot *r, hml_representation representation, motion *m)
{
    const hml_state *s = r->state;
    hml_dynamics_result result = {.struct_size = sizeof result,
                                  .M = m->M,
                                  .h = m->h,
                                  .gravity = m->gravity,
                                  .acceleration = m->acceleration,
                                  .com = m->com,
                                  .centroidal_momentum = m->centroidal};
    hml_status status = hml_dynamics(r->model, r->work, s->q, s->v, s->tau, r->wrenches, &result);
    if (!status && r->nloops) status = loops_accelerate(r, m->acceleration);
    m->kinetic = result.kinetic_energy;
    m->potential = result.potential_energy;
    if (!status) status = hml_dynamics_to_representation(r->model, representation, s->q, s->v, m->M, m->h);
    if (!status) status = hml_force_to_representation(r->model, representation, s->q, m->gravity, m->gravity);
    if (!status) status = hml_force_to_representation(r->model, representation, s->q, s->tau, m->tau);
    if (status) return status;
    return hml_acceleration_to_representation(r->model, representation, s->q, s->v, m->acceleration, m->acceleration);
}

static hml_result *result_of(const robot *r, hml_representation representation, const motion *m)
{
    const size_t n = (size_t)r->nv, square[2] = {n, n}, three = 3, six = 6;
    hml_result *result = hml_result_new();
    robot_add_common(r, representation, result);
    hml_result_add_numbers(result, "M", 2, square, m->M);
    hml_result_add_numbers(result, "h", 1, &n, m->h);
    hml_result_add_numbers(result, "gravity", 1, &n, m->gravity);
    hml_result_add_numbers(result, "acceleration", 1, &n, m->acceleration);
    hml_result_add_number(result, "kinetic_energy", m->kinetic);
    hml_result_add_number(result, "potential_energy", m->potential);
    hml_result_add_numbers(result, "com", 1, &three, m->com);
    hml_result_add_numbers(result, "centroidal_momentum", 1, &six, m->centroidal);
    hml_result_add_numbers(result, "velocity", 1, &n, r->v_rep);
    hml_result_add_numbers(result, "force", 1, &n, m->tau);
    return result;
}

static void print_vectors(const robot *r, const motion *m)
{
    static const char *const heading[] = {"", "velocity", "force", "h", "gravity", "acceleration"};
    const double *columns[] = {r->v_rep, m->tau, m->h, m->gravity, m->acceleration};
    table *t = table_new(6, "lrrrrr");
    for (int i = 0; i < 6; i++) table_cell(t, heading[i]);
    for (int32_t i = 0; i < r->nv; i++) {
        table_cell(t, r->labels[i]);
        for (int k = 0; k < 5; k++) table_number(t, columns[k][i]);
    }
    table_heading(stdout, r->nloops ? "Equations of motion, M a + h = force + forces of the loops"
                                    : "Equations of motion, M a + h = force");
    table_print(t, stdout);
    table_free(t);
}

static void print_all(const robot *r, const motion *m)
{
    const double *c = m->com, *L = m->centroidal;
    print_vectors(r, m);
    table_matrix(stdout, "M", r->nv, r->nv, m->M, (size_t)r->nv, (const char *const *)r->labels,
                 (const char *const *)r->labels);
    table_heading(stdout, "Whole robot");
    printf("kinetic energy           %.6g J\n", m->kinetic);
    printf("potential energy         %.6g J\n", m->potential);
    printf("centre of mass           (%.5g, %.5g, %.5g) m\n", c[0], c[1], c[2]);
    printf("linear momentum          (%.5g, %.5g, %.5g) kg m/s\n", L[0], L[1], L[2]);
    printf("angular momentum at com  (%.5g, %.5g, %.5g) kg m2/s\n", L[3], L[4], L[5]);
}

int cli_dynamics(const cli_options *options)
{
    robot r;
    motion m = {0};
    double *memory = NULL;
    int status = batch_check(options);
    if (status != CLI_OK) return status;
    if (options->states) return batch_run(options, &batch_dynamics);
    status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK) {
        size_t n = (size_t)r.nv;
        memory = malloc((n * n + 4 * n + 1) * sizeof *memory);
        if (memory) {
            m.M = memory, m.h = m.M + n * n, m.gravity = m.h + n, m.acceleration = m.gravity + n;
            m.tau = m.acceleration + n;
        }
        hml_status computed = memory ? compute(&r, options->representation, &m) : HML_OUT_OF_MEMORY;
        if (computed) status = robot_fail(&r, computed);
    }
    if (status == CLI_OK && options->out) {
        status = robot_write(options, result_of(&r, options->representation, &m));
    } else if (status == CLI_OK) {
        robot_print_header(&r, options->representation);
        print_all(&r, &m);
    }
    free(memory);
    robot_free(&r);
    return status;
}
