/* Kinematics, row by row. */
#include <string.h>

#include "objects.h"

/* parameters i and i + 1 are origin and axes of a place */
#define PLACE(i) ((hml_place){r->choice[i], r->choice[(i) + 1]})

static hml_status link_jacobian(const row *r)
{
    hml_contact_frame contact = {.link = r->choice[0], .axes = (hml_axes)r->choice[5]};
    memcpy(contact.H, r->in[1], sizeof contact.H);
    if (r->in[4]) memcpy(contact.V, r->in[4], sizeof contact.V);
    return hml_link_jacobian(r->model, r->work, &contact, (hml_representation)r->choice[6], r->in[2], r->in[3],
                             r->out[0], r->out[1]);
}

static hml_status frame_motion(const row *r)
{
    hml_frame_motion m = {sizeof m, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4]};
    return hml_frame_relative(r->model, r->work, r->choice[0], r->choice[5], (hml_representation)r->choice[4], r->in[1],
                              r->in[2], r->in[3], &m);
}

/* relative to the world; any other reference goes row by row */
static hml_status frame_motions(const row *r)
{
    const hml_frame_states x = {.struct_size = sizeof x,
                                .q = {r->in[1], r->stride[1]},
                                .v = {r->in[2], r->stride[2]},
                                .a = {r->in[3], r->stride[3]},
                                .pose = {r->out[0], 0, 0},
                                .J = {r->out[1], 0, 0},
                                .Jdot = {r->out[2], 0, 0},
                                .twist = {r->out[3], 0, 0},
                                .acceleration = {r->out[4], 0, 0}};
    if (r->choice[5] != HML_WORLD) return HML_UNSUPPORTED;
    return hml_frame_batch(r->model, r->work, r->choice[0], (hml_representation)r->choice[4], r->n, &x, NULL);
}

static hml_status frame_in(const row *r)
{
    hml_frame_motion m = {sizeof m, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4]};
    return hml_frame_in(r->model, r->work, r->choice[0], r->choice[4], PLACE(5), r->in[1], r->in[2], r->in[3], &m);
}

static hml_status base_jacobian(const row *r)
{
    size_t rows = (size_t)r->symbol['k' - 'a'], bytes = rows * (size_t)hml_model_nv(r->model) * sizeof(double);
    memcpy(r->out[0], r->in[2], bytes);
    if (r->in[3]) memcpy(r->out[1], r->in[3], bytes);
    return hml_base_jacobian(r->model, r->work, PLACE(4), r->in[0], r->in[1], (int32_t)rows, r->out[0], r->out[1]);
}

static hml_status point_motion(const row *r)
{
    hml_point_motion m = {sizeof m, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4], r->in[5], r->in[6]};
    return hml_point(r->model, r->work, r->choice[0], r->in[1], r->in[2], r->in[3], r->in[4], &m);
}

static hml_status centroidal(const row *r)
{
    hml_centroidal_motion m = {sizeof m,  r->out[0], r->out[1], r->out[2], r->out[3],
                               r->out[4], r->out[5], r->out[6], r->out[7], r->out[8]};
    return hml_centroidal(r->model, r->work, r->in[0], r->in[1], r->in[2], &m);
}

static hml_status centroidal_derivatives(const row *r)
{
    const hml_centroidal_derivative d = {.struct_size = sizeof d,
                                         .com_J_q = r->out[0],
                                         .com_velocity_q = r->out[1],
                                         .momentum_q = r->out[2],
                                         .momentum_rate_q = r->out[3],
                                         .momentum_rate_v = r->out[4]};
    return hml_centroidal_derivatives(r->model, r->work, r->in[0], r->in[1], r->in[2], &d);
}

static hml_status centroidals(const row *r, hml_centroidal_states x)
{
    x.struct_size = sizeof x;
    x.q = (hml_input){r->in[0], r->stride[0]};
    x.v = (hml_input){r->in[1], r->stride[1]};
    x.a = (hml_input){r->in[2], r->stride[2]};
    return hml_centroidal_batch(r->model, r->work, r->n, &x, NULL);
}

static hml_status centroidal_motions(const row *r)
{
    return centroidals(r, (hml_centroidal_states){.com = {r->out[0], 0, 0},
                                                  .com_J = {r->out[1], 0, 0},
                                                  .com_Jdot = {r->out[2], 0, 0},
                                                  .com_velocity = {r->out[3], 0, 0},
                                                  .com_acceleration = {r->out[4], 0, 0},
                                                  .A = {r->out[5], 0, 0},
                                                  .Adot = {r->out[6], 0, 0},
                                                  .momentum = {r->out[7], 0, 0},
                                                  .momentum_rate = {r->out[8], 0, 0}});
}

static hml_status centroidal_gradients(const row *r)
{
    return centroidals(r, (hml_centroidal_states){.com_J_q = {r->out[0], 0, 0},
                                                  .com_velocity_q = {r->out[1], 0, 0},
                                                  .momentum_q = {r->out[2], 0, 0},
                                                  .momentum_rate_q = {r->out[3], 0, 0},
                                                  .momentum_rate_v = {r->out[4], 0, 0}});
}

static hml_status poses(const row *r)
{
    hml_input q = {r->in[0], r->stride[0]};
    hml_output H = {r->out[0], 0, 0};
    return hml_body_poses_batch(r->model, r->work, r->n, q, H, NULL);
}

static hml_status columns(const row *r)
{
    hml_jacobian_columns x = {sizeof x, {r->in[0], r->stride[0]}, {r->out[0], 0, 0}, {r->out[1], 0, 0}};
    return hml_all_jacobians_batch(r->model, r->work, r->n, &x, NULL);
}

static hml_status frame_derivatives(const row *r)
{
    hml_frame_derivative d = {sizeof d, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4], r->out[5]};
    hml_status status = hml_frame_derivatives(r->model, r->work, r->choice[0], (hml_representation)r->choice[4],
                                              r->in[1], r->in[2], r->in[3], &d);
    double *const by_q[] = {d.placement_q, d.twist_q, d.acceleration_q};
    for (int i = 0; i < 3 && !status && r->choice[5]; i++) {
        if (by_q[i]) status = hml_gradient_to_global(r->model, r->in[1], 6, by_q[i]);
    }
    return status;
}

/* perturbed on the left; the other side goes row by row */
static hml_status frame_gradients(const row *r)
{
    double *const J[] = {r->out[0], r->out[2], r->out[5]};
    const size_t size = r->n * 6 * (size_t)hml_model_nv(r->model) * sizeof(double);
    double *first = NULL;
    for (int i = 2; i >= 0; i--)
        if (J[i]) first = J[i];
    const hml_frame_states x = {.struct_size = sizeof x,
                                .q = {r->in[1], r->stride[1]},
                                .v = {r->in[2], r->stride[2]},
                                .a = {r->in[3], r->stride[3]},
                                .J = {first, 0, 0},
                                .twist_q = {r->out[1], 0, 0},
                                .acceleration_q = {r->out[3], 0, 0},
                                .acceleration_v = {r->out[4], 0, 0}};
    if (r->choice[5]) return HML_UNSUPPORTED;
    const hml_status status =
        hml_frame_batch(r->model, r->work, r->choice[0], (hml_representation)r->choice[4], r->n, &x, NULL);
    for (int i = 0; i < 3; i++)
        if (J[i] && J[i] != first) memcpy(J[i], first, size);
    return status;
}

static hml_status frame_hessian(const row *r)
{
    const hml_representation base = (hml_representation)r->choice[3];
    if (r->choice[4] && base != HML_LEFT)
        return HML_INVALID_ARGUMENT; /* k is a direction of the base's velocity there */
    hml_status status =
        hml_frame_hessian(r->model, r->work, r->choice[0], (hml_representation)r->choice[2], base, r->in[1], r->out[0]);
    if (status || !r->choice[4]) return status;
    return hml_hessian_to_global(r->model, r->in[1], 6 * hml_model_nv(r->model), r->out[0]);
}

static hml_status system_matrices(const row *r)
{
    hml_system s = {sizeof s,  r->out[0], r->out[1],
                    r->out[2], r->out[3], r->out[4],
                    r->out[5], r->out[6], (hml_screws)r->choice[3]};
    return hml_system_matrices(r->model, r->work, (hml_representation)r->choice[2], r->in[0], r->in[1], &s);
}

#define TABLE           "kinematics.def"
#define TABLE_FUNCTIONS table
#include "table.h"

function *const *const kinematics_table = table;
const size_t kinematics_count = COUNT(table);
