/* hamel bench: every algorithm the library offers, as a call that can be repeated. */
#include <stdlib.h>

#include "bench.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/linearize.h"

int field_new(const hml_model *model, size_t count, field *f)
{
    *f = (field){.model = model, .count = count, .frame = hml_model_nframes(model) - 1};
    f->nq = (size_t)hml_model_nq(model);
    f->nv = (size_t)hml_model_nv(model);
    size_t n = f->nv, poses = 16 * ((size_t)hml_model_nbodies(model) + 1); /* a frame's pose fits in any case */
    size_t total = count * (f->nq + 9 * n + 3 * n * n + poses) + 24 * n;
    f->memory = malloc((total + 1) * sizeof *f->memory);
    if (!f->memory) return 0;
    f->q = f->memory, f->v = f->q + count * f->nq, f->tau = f->v + count * n, f->out = f->tau + count * n;
    f->Dq = f->out + count * n, f->Dv = f->Dq + count * n * n, f->Minv = f->Dv + count * n * n;
    f->H = f->Minv + count * n * n, f->J = f->H + count * poses, f->rows = f->J + 6 * count * n;
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    for (size_t s = 0; s < count; s++) {
        if (hml_configuration_random(model, &rng, f->q + s * f->nq)) return 0;
        for (size_t i = 0; i < n; i++) {
            f->v[s * n + i] = hml_rng_normal(&rng);
            f->tau[s * n + i] = hml_rng_normal(&rng);
        }
    }
    return 1;
}

void field_free(field *f)
{
    hml_work_free(f->work);
    free(f->memory);
}

/* ---- the calls: one state each, number s ---- */

static hml_status call_poses(field *f, size_t s) { return hml_body_poses(f->model, f->work, f->q + s * f->nq, f->H); }

static hml_status call_jacobian(field *f, size_t s)
{
    hml_frame_motion motion = {.struct_size = sizeof motion, .pose = f->H, .J = f->J, .Jdot = f->rows};
    return hml_frame(f->model, f->work, f->frame, HML_LEFT, f->q + s * f->nq, f->v + s * f->nv, NULL, &motion);
}

static hml_status call_rnea(field *f, size_t s)
{
    return hml_inverse_dynamics(f->model, f->work, f->q + s * f->nq, f->v + s * f->nv, f->tau + s * f->nv, NULL,
                                f->out);
}

static hml_status call_rnea_derivatives(field *f, size_t s)
{
    return hml_inverse_dynamics_derivatives(f->model, f->work, f->q + s * f->nq, f->v + s * f->nv, f->tau + s * f->nv,
                                            NULL, f->Dq, f->Dv, f->Minv);
}

static hml_status call_forward(field *f, size_t s)
{
    return hml_forward_dynamics(f->model, f->work, f->q + s * f->nq, f->v + s * f->nv, f->tau + s * f->nv, NULL,
                                f->out);
}

static hml_status call_dynamics(field *f, size_t s)
{
    hml_dynamics_result result = {.struct_size = sizeof result, .M = f->Minv, .h = f->out};
    return hml_dynamics(f->model, f->work, f->q + s * f->nq, f->v + s * f->nv, f->tau + s * f->nv, NULL, &result);
}

static hml_status call_centroidal(field *f, size_t s)
{
    hml_centroidal_motion motion = {.struct_size = sizeof motion, .A = f->J, .Adot = f->rows};
    return hml_centroidal(f->model, f->work, f->q + s * f->nq, f->v + s * f->nv, NULL, &motion);
}

static hml_status call_frame_derivatives(field *f, size_t s)
{
    size_t block = 6 * f->nv;
    hml_frame_derivative derivative = {.struct_size = sizeof derivative,
                                       .placement_q = f->J,
                                       .twist_q = f->rows,
                                       .acceleration_q = f->rows + block,
                                       .acceleration_v = f->rows + 2 * block};
    return hml_frame_derivatives(f->model, f->work, f->frame, HML_LEFT, f->q + s * f->nq, f->v + s * f->nv,
                                 f->tau + s * f->nv, &derivative);
}

/* poses and Jacobian columns of all joints */
static hml_status call_jacobians(field *f, size_t s)
{
    hml_jacobian_columns x = {
        .struct_size = sizeof x, .q = {f->q + s * f->nq, f->nq}, .H = {f->H, 0, 0}, .J = {f->J, 0, 0}};
    return hml_all_jacobians(f->model, f->work, &x);
}

static hml_status call_jacobians_batch(field *f, size_t s)
{
    hml_jacobian_columns x = {.struct_size = sizeof x, .q = {f->q, f->nq}, .H = {f->H, 0, 0}, .J = {f->J, 0, 0}};
    (void)s;
    return hml_all_jacobians_batch(f->model, f->work, f->count, &x, NULL);
}

static hml_linearization linearization(field *f, size_t s)
{
    size_t n = f->nv;
    return (hml_linearization){.struct_size = sizeof(hml_linearization),
                               .q = {f->q + s * f->nq, f->nq},
                               .v = {f->v + s * n, n},
                               .tau = {f->tau + s * n, n},
                               .acceleration = {f->out, 0, 0},
                               .Dq = {f->Dq, 0, 0},
                               .Dv = {f->Dv, 0, 0},
                               .Minv = {f->Minv, 0, 0}};
}

static hml_status call_linearize(field *f, size_t s)
{
    hml_linearization x = linearization(f, s);
    return hml_linearize(f->model, f->work, &x);
}

/* all states at once */
static hml_status call_linearize_batch(field *f, size_t s)
{
    hml_linearization x = linearization(f, 0);
    (void)s;
    return hml_linearize_batch(f->model, f->work, f->count, &x, NULL);
}

const bench_algorithm bench_algorithms[] = {
    {"poses", call_poses, 0},
    {"jacobian", call_jacobian, 0},
    {"jacobians", call_jacobians, 0},
    {"frame_derivatives", call_frame_derivatives, 0},
    {"centroidal", call_centroidal, 0},
    {"rnea", call_rnea, 0},
    {"forward_dynamics", call_forward, 0},
    {"dynamics", call_dynamics, 0},
    {"rnea_derivatives", call_rnea_derivatives, 0},
    {"linearize", call_linearize, 0},
    {"jacobians", call_jacobians_batch, 1},
    {"linearize", call_linearize_batch, 1},
};

const int bench_algorithm_count = sizeof bench_algorithms / sizeof *bench_algorithms;
