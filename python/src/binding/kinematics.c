/* Kinematics, row by row. */
#include "objects.h"

static hml_status frame_motion(const row *r)
{
    hml_frame_motion m = {sizeof m, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4]};
    return hml_frame_relative(r->model, r->work, r->choice[0], r->choice[5], (hml_representation)r->choice[4], r->in[1],
                              r->in[2], r->in[3], &m);
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

static hml_status poses(const row *r)
{
    hml_input q = {r->in[0], r->stride[0]};
    hml_output H = {r->out[0], 0, 0};
    return hml_body_poses_batch(r->model, r->work, r->n, q, H, NULL);
}

static hml_status columns(const row *r)
{
    hml_jacobian_columns x = {sizeof x, {r->in[0], r->stride[0]}, {r->out[0], 0, 0}, {r->out[1], 0, 0}};
    return hml_jacobians_batch(r->model, r->work, r->n, &x, NULL);
}

static hml_status frame_derivatives(const row *r)
{
    hml_frame_derivative d = {sizeof d, r->out[0], r->out[1], r->out[2], r->out[3], r->out[4], r->out[5]};
    return hml_frame_derivatives(r->model, r->work, r->choice[0], (hml_representation)r->choice[4], r->in[1], r->in[2],
                                 r->in[3], &d);
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
