/* Dynamics, row by row. */
#include <stdlib.h>
#include <string.h>

#include "hamel/control/energy.h"
#include "linearization.h"

#define RECURSIVE row_scratch(r, hml_recursive_size(r->model))
#define REFERENCE row_scratch(r, hml_reference_size(r->model))

static size_t velocities(const row *r) { return (size_t)hml_model_nv(r->model) * sizeof(double); }

static hml_status dynamics(const row *r)
{
    hml_dynamics_result d = {.struct_size = sizeof d,
                             .M = r->out[0],
                             .h = r->out[1],
                             .gravity = r->out[2],
                             .acceleration = r->out[3],
                             .com = r->out[4],
                             .centroidal_momentum = r->out[5],
                             .momentum = r->out[6]};
    hml_status status = hml_dynamics(r->model, r->work, r->in[0], r->in[1], r->in[2], r->in[3], &d);
    *r->out[7] = d.kinetic_energy;
    *r->out[8] = d.potential_energy;
    return status;
}

static hml_status actuation(const row *r)
{
    const hml_actuation x = {.struct_size = sizeof x,
                             .q = r->in[0],
                             .v = r->in[1],
                             .u = r->in[2],
                             .force = r->out[0],
                             .tau = r->out[1],
                             .wrenches = r->out[2],
                             .map = r->out[3],
                             .slopes = r->out[4]};
    return hml_actuation_compute(r->model, r->work, &x);
}

static hml_status actuated_linearization(const row *r)
{
    double *scratch = row_scratch(r, (hml_actuation_doubles(r->model) + 1) * sizeof *scratch);
    const hml_actuated_linearization x = {.struct_size = sizeof x,
                                          .q = r->in[0],
                                          .v = r->in[1],
                                          .u = r->in[2],
                                          .tau = r->in[3],
                                          .wrenches = r->in[4],
                                          .acceleration = r->out[0],
                                          .A = r->out[1],
                                          .B = r->out[2]};
    return scratch ? hml_actuation_linearize(r->model, r->work, scratch, &x) : HML_OUT_OF_MEMORY;
}

/* ---- many states in packs ---- */

static hml_status states(const row *r, hml_dynamics_states x)
{
    x.struct_size = sizeof x;
    x.q = (hml_input){r->in[0], r->stride[0]};
    return hml_dynamics_batch(r->model, r->work, r->n, &x, NULL);
}

static hml_status mass_matrices(const row *r) { return states(r, (hml_dynamics_states){.M = {r->out[0], 0, 0}}); }

static hml_status inverse_mass_matrices(const row *r)
{
    return states(r, (hml_dynamics_states){.Minv = {r->out[0], 0, 0}});
}

static hml_status torques(const row *r)
{
    return states(r, (hml_dynamics_states){.v = {r->in[1], r->stride[1]},
                                           .a = {r->in[2], r->stride[2]},
                                           .wrenches = {r->in[3], r->stride[3]},
                                           .torque = {r->out[0], 0, 0}});
}

static hml_status accelerations(const row *r)
{
    return states(r, (hml_dynamics_states){.v = {r->in[1], r->stride[1]},
                                           .tau = {r->in[2], r->stride[2]},
                                           .wrenches = {r->in[3], r->stride[3]},
                                           .acceleration = {r->out[0], 0, 0}});
}

static hml_status torque_derivatives(const row *r)
{
    return states(r, (hml_dynamics_states){.v = {r->in[1], r->stride[1]},
                                           .a = {r->in[2], r->stride[2]},
                                           .wrenches = {r->in[3], r->stride[3]},
                                           .dtau_dq = {r->out[0], 0, 0},
                                           .dtau_dv = {r->out[1], 0, 0},
                                           .M = {r->out[2], 0, 0}});
}

static hml_status gravities(const row *r)
{
    return states(r, (hml_dynamics_states){.gravity = {r->out[0], 0, 0}, .gravity_q = {r->out[1], 0, 0}});
}

/* left alone: the others need M as well, row by row */
static hml_status coriolis_matrices(const row *r)
{
    if (r->choice[2] != HML_LEFT) return HML_UNSUPPORTED;
    return states(r, (hml_dynamics_states){
                         .v = {r->in[1], r->stride[1]}, .coriolis = {r->out[0], 0, 0}, .Mdot = {r->out[1], 0, 0}});
}

static hml_status regressors(const row *r)
{
    return states(r, (hml_dynamics_states){
                         .v = {r->in[1], r->stride[1]}, .a = {r->in[2], r->stride[2]}, .regressor = {r->out[0], 0, 0}});
}

static hml_status bias(const row *r)
{
    double *rest = row_scratch(r, velocities(r) + 1);
    if (!rest) return HML_OUT_OF_MEMORY;
    memset(rest, 0, velocities(r));
    return hml_inverse_dynamics(r->model, r->work, r->in[0], r->in[1], rest, r->in[2], r->out[0]);
}

static hml_status coriolis(const row *r)
{
    size_t square = velocities(r) * (size_t)hml_model_nv(r->model);
    double *M = row_scratch(r, square + hml_recursive_size(r->model) + 1);
    void *memory = M ? (char *)M + square : NULL;
    if (!M) return HML_OUT_OF_MEMORY;
    hml_status status = hml_coriolis_matrix(r->model, memory, r->in[0], r->in[1], r->out[0], r->out[1]);
    if (!status) status = hml_crba(r->model, memory, HML_CRBA_BODY, r->in[0], M);
    if (status) return status;
    return hml_coriolis_to_representation(r->model, (hml_representation)r->choice[2], r->in[0], r->in[1], M, r->out[0],
                                          r->out[1]);
}

static hml_status hybrid(const row *r)
{
    memcpy(r->out[0], r->in[3], velocities(r));
    memcpy(r->out[1], r->in[4], velocities(r));
    return hml_hybrid_dynamics(r->model, RECURSIVE, r->marks[0], r->in[1], r->in[2], r->in[5], r->out[0], r->out[1]);
}

static hml_status load(const row *r)
{
    hml_frame_load x = {.frame = r->choice[0], .axes = (hml_axes)r->choice[4]};
    memcpy(x.wrench, r->in[1], sizeof x.wrench);
    if (r->in[3]) memcpy(x.point, r->in[3], sizeof x.point);
    return hml_generalized_force(r->model, r->work, r->in[2], 1, &x, (hml_representation)r->choice[5], r->out[0]);
}

static hml_status loads(const row *r)
{
    const size_t count = (size_t)r->symbol['k' - 'a'];
    hml_frame_load *list = row_scratch(r, (count + 1) * sizeof *list);
    if (!list) return HML_OUT_OF_MEMORY;
    memset(list, 0, count * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i].frame = r->marks[0][i];
        list[i].axes = (hml_axes)r->choice[4];
        memcpy(list[i].wrench, r->in[1] + 6 * i, sizeof list[i].wrench);
        if (r->in[3]) memcpy(list[i].point, r->in[3] + 3 * i, sizeof list[i].point);
    }
    return hml_generalized_force(r->model, r->work, r->in[2], (int32_t)count, list, (hml_representation)r->choice[5],
                                 r->out[0]);
}

static hml_status joint_wrenches(const row *r)
{
    hml_joint_loads loads = {sizeof loads, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4], r->out[5]};
    return hml_joint_wrenches(r->model, RECURSIVE, (hml_representation)r->choice[4], r->in[0], r->in[1], r->in[2],
                              r->in[3], &loads);
}

static hml_parameter_derivatives parameters(const row *r)
{
    hml_parameter_derivatives d = {sizeof d,  r->out[0], r->out[1], r->out[2],
                                   r->out[3], r->out[4], r->out[5], r->out[6]};
    return d;
}

static void *parameters_scratch(const row *r)
{
    return row_scratch(r, hml_parameters_scratch_doubles(r->model) * sizeof(double));
}

static hml_status inverse_parameters(const row *r)
{
    hml_parameter_derivatives d = parameters(r);
    return hml_inverse_dynamics_parameters(r->model, r->work, r->in[0], r->in[1], r->in[2], r->in[3],
                                           parameters_scratch(r), &d);
}

static hml_status forward_parameters(const row *r)
{
    hml_parameter_derivatives d = parameters(r);
    return hml_forward_dynamics_parameters(r->model, r->work, r->in[0], r->in[1], r->in[2], r->in[3],
                                           parameters_scratch(r), &d);
}

static void *directional_scratch(const row *r)
{
    return row_scratch(r, hml_directional_scratch_doubles(r->model) * sizeof(double));
}

static hml_status directional_forward(const row *r)
{
    return hml_directional_forward(r->model, r->work, r->in[0], r->in[1], r->in[2], r->in[3], directional_scratch(r),
                                   r->out[0], r->out[1]);
}

static hml_status directional_reverse(const row *r)
{
    return hml_directional_reverse(r->model, r->work, r->in[0], r->in[1], r->in[2], directional_scratch(r), r->out[0],
                                   r->out[1], r->out[2]);
}

static void *step_scratch(const row *r) { return row_scratch(r, hml_step_scratch_doubles(r->model) * sizeof(double)); }

/* by the number of its name in signature.c */
static hml_scheme step_scheme(const row *r)
{
    static const hml_scheme schemes[] = {HML_SCHEME_EULER, HML_SCHEME_RK4, HML_SCHEME_EULER, HML_SCHEME_RK4,
                                         HML_SCHEME_RK2};
    return schemes[r->choice[4]];
}

static hml_status step(const row *r)
{
    return hml_step(r->model, r->work, step_scratch(r),
                    &HML_STRUCT(hml_discrete_step, .scheme = step_scheme(r), .h = *r->in[2], .q.data = r->in[0],
                                .v.data = r->in[1], .tau.data = r->in[3], .q_next.data = r->out[0],
                                .v_next.data = r->out[1]));
}

static hml_status step_linearize(const row *r)
{
    const int32_t nv = hml_model_nv(r->model);
    hml_status status =
        hml_step(r->model, r->work, step_scratch(r),
                 &HML_STRUCT(hml_discrete_step, .scheme = step_scheme(r), .h = *r->in[2], .q.data = r->in[0],
                             .v.data = r->in[1], .tau.data = r->in[3], .q_next.data = r->out[0],
                             .v_next.data = r->out[1], .Ad.data = r->out[2], .Bd.data = r->out[3]));
    if (!status)
        status = hml_step_to_representation(r->model, (hml_representation)r->choice[5], r->in[0], r->in[1], r->out[0],
                                            r->out[1], nv, r->out[2], r->out[3]);
    if (status || !r->choice[6]) return status;
    return hml_step_to_global(r->model, r->in[0], r->out[0], nv, r->out[2], r->out[3]);
}

static hml_status wrench_at(const row *r)
{
    size_t bytes = 6 * (size_t)hml_model_nbodies(r->model) * sizeof(double);
    if (r->in[4])
        memcpy(r->out[0], r->in[4], bytes);
    else
        memset(r->out[0], 0, bytes);
    return hml_wrench_add(r->model, r->work, r->in[2], r->choice[0], r->choice[3], r->in[1], r->out[0]);
}

static hml_observer observer_of(const row *r)
{
    hml_observer observer;
    memcpy(observer.velocity, r->in[2], sizeof observer.velocity);
    memcpy(observer.acceleration, r->in[3], sizeof observer.acceleration);
    return observer;
}

static hml_status observer_wrenches(const row *r)
{
    const hml_observer observer = observer_of(r);
    size_t bytes = 6 * (size_t)hml_model_nbodies(r->model) * sizeof(double);
    if (r->in[4])
        memcpy(r->out[0], r->in[4], bytes);
    else
        memset(r->out[0], 0, bytes);
    return hml_observer_wrenches(r->model, r->work, &observer, r->in[0], r->in[1], r->out[0]);
}

static double *observer_scratch(const row *r)
{
    return row_scratch(r, (hml_observer_scratch_doubles(r->model) + 1) * sizeof(double));
}

static hml_status observer_derivatives(const row *r)
{
    const hml_observer observer = observer_of(r);
    return hml_observer_derivatives(r->model, r->work, &observer, r->in[0], r->in[1], observer_scratch(r), r->out[0],
                                    r->out[1]);
}

static hml_status observer_linearize(const row *r)
{
    const hml_observer observer = observer_of(r);
    const hml_representation representation = (hml_representation)r->choice[6];
    const int32_t n = hml_model_nv(r->model);
    const double *q = r->in[0], *v = r->in[1];
    double *scratch = observer_scratch(r), *A = r->out[0];
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {q, 0},
                           .v = {v, 0},
                           .tau = {r->in[4], 0},
                           .wrenches = {r->in[5], 0},
                           .A = {A, 0, 0},
                           .B = {r->out[1], 0, 0},
                           .acceleration = {r->out[2], 0, 0}};
    hml_status status = scratch ? hml_observer_linearize(r->model, r->work, &observer, scratch, &x) : HML_OUT_OF_MEMORY;
    if (!status)
        status = hml_linearization_to_representation(r->model, representation, q, v, r->out[2], n, A, r->out[1]);
    if (!status && r->choice[7]) status = hml_linearization_to_global(r->model, q, v, n, A, r->out[1]);
    for (int32_t i = 0; i < n && !status; i++) {
        const double *row_of = A + (size_t)(n + i) * 2 * (size_t)n;
        memcpy(r->out[3] + (size_t)i * (size_t)n, row_of, (size_t)n * sizeof *row_of);
        memcpy(r->out[4] + (size_t)i * (size_t)n, row_of + n, (size_t)n * sizeof *row_of);
    }
    if (status) return status;
    return hml_acceleration_to_representation(r->model, representation, q, v, r->out[2], r->out[2]);
}

static hml_status consistent(const row *r)
{
    memcpy(r->out[0], r->in[2], velocities(r));
    return hml_reference_consistent_dynamics(r->model, REFERENCE, r->in[0], r->in[1], r->out[0], r->out[1]);
}

static hml_status modes_energy(const row *r)
{
    const size_t n = (size_t)r->symbol['n' - 'a'], doubles = hml_modes_energy_scratch_doubles(r->model, n);
    double *scratch = malloc((doubles + 1) * sizeof *scratch);
    if (!scratch) return HML_OUT_OF_MEMORY;
    const hml_status status = hml_modes_energy(r->model, r->work, r->in[0], n, r->in[1], scratch, r->out[0]);
    free(scratch);
    return status;
}

#define TABLE           "dynamics.def"
#define TABLE_FUNCTIONS table
#include "table.h"

function *const *const dynamics_table = table;
const size_t dynamics_count = COUNT(table);
