/* What pushes: constant and sampled forces, wrenches, a servo, a function of the user's. */
#include <math.h>
#include <string.h>

#include "algo/dynamics/actuation.h"
#include "algo/dynamics/stiffness.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "model/coordinates.h"
#include "sim/motion.h"

/* the samples' force at t, added to tau */
static void add_samples(const hml_forces *f, size_t n, double t, double *tau)
{
    size_t count = f->nsamples, low = 0, high = count; /* the last sample at or before t is in [low, high) */
    if (count == 0) return;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->sample_times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    double s = 0;
    size_t next = low + 1 < count ? low + 1 : low;
    if (!f->hold && next > low && t > f->sample_times[low]) {
        s = (t - f->sample_times[low]) / (f->sample_times[next] - f->sample_times[low]);
    }
    for (size_t i = 0; i < n; i++) tau[i] += (1 - s) * f->samples[low * n + i] + s * f->samples[next * n + i];
}

void hmli_motion_add_servo(const hml_motion *m, const double *q, const double *v, double *tau)
{
    const hml_forces *f = &m->forces;
    for (const model_joint *j = first_joint(m->model); f->target && j; j = next_joint(m->model, j)) {
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(group_type(j->type), f->target + j->q, q + j->q, log);
        for (int32_t k = 0; k < j->nv; k++) {
            if (f->stiffness) tau[j->v + k] -= f->stiffness[j->v + k] * log[k];
            if (f->damping) tau[j->v + k] -= f->damping[j->v + k] * v[j->v + k];
        }
    }
}

hml_status hmli_motion_actuate(hml_motion *m, const double *q, const double *v)
{
    const hml_actuation x = {.struct_size = sizeof x,
                             .q = q,
                             .v = v,
                             .u = m->forces.inputs,
                             .tau = m->tau,
                             .wrenches = m->wrenches,
                             .slopes = m->slopes};
    return hmli_actuation_add(m->model, m->work, NULL, &x);
}

hml_status hmli_motion_forces(hml_motion *m, double t, const double *q, const double *v, int servo)
{
    const hml_forces *f = &m->forces;
    size_t six = 6 * (size_t)m->model->nbodies;
    for (size_t i = 0; i < m->n; i++) m->tau[i] = f->tau ? f->tau[i] : 0;
    for (size_t i = 0; i < six; i++) m->wrenches[i] = f->wrenches ? f->wrenches[i] : 0;
    add_samples(f, m->n, t, m->tau);
    for (int32_t i = 0; i < f->nframe_wrenches; i++) {
        const hml_frame_wrench *w = &f->frame_wrenches[i];
        hml_status status = hml_wrench_add(m->model, m->work, q, w->frame, w->in_world, w->wrench, m->wrenches);
        if (status) return status;
    }
    if (servo) hmli_motion_add_servo(m, q, v, m->tau);
    if (servo && f->inputs) {
        hml_status status = hmli_motion_actuate(m, q, v);
        if (status) return status;
    }
    if (f->function) {
        hml_status status = f->function(f->context, t, q, v, m->tau, m->wrenches);
        if (status) return status;
    }
    return isfinite(motion_norm(m->n, m->tau)) && isfinite(motion_norm(six, m->wrenches)) ? HML_OK : HML_NOT_FINITE;
}

hml_status hmli_motion_rate(hml_motion *m, double t, const double *q, const double *v, double *a)
{
    hml_status status = hmli_motion_forces(m, t, q, v, 1);
    m->info.evaluations++;
    if (status) return status;
    if (!m->options.constraints) return hml_forward_dynamics(m->model, m->work, q, v, m->tau, m->wrenches, a);
    return hml_constrained_forward_dynamics(m->model, m->work, m->options.constraints, m->options.constraint_scratch,
                                            &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = m->tau,
                                                        .wrenches = m->wrenches, .acceleration = a));
}

/* ---- dampers and springs as matrices ---- */

static void add_servo_stiffness(const hml_motion *m, const double *q, double c, double k, double *A)
{
    static const double none[HML_JOINT_MAX_NV] = {0};
    const hml_forces *f = &m->forces;
    for (const model_joint *j = first_joint(m->model); f->target && j; j = next_joint(m->model, j)) {
        double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        hmli_joint_stiffness(group_type(j->type), f->target + j->q, q + j->q, f->stiffness ? f->stiffness + j->v : none,
                             f->damping ? f->damping + j->v : none, c, k, block);
        for (int32_t i = 0; i < j->nv * j->nv; i++) {
            A[(size_t)(j->v + i / j->nv) * m->n + (size_t)(j->v + i % j->nv)] += block[i];
        }
    }
}

/* servos among the actuators, at the state of the last forces */
static void add_actuator_stiffness(const hml_motion *m, double c, double k, double *A)
{
    for (int32_t i = 0; m->forces.inputs && i < m->model->nactuators; i++) {
        const model_actuator *a = &model_actuators(m->model)[i];
        const double *slopes = m->slopes + 3 * (size_t)i, s = -(c * slopes[2] + k * slopes[1]);
        if (a->transmission != HML_TRANSMISSION_JOINT || s == 0) continue;
        const actuated_joint j = actuation_joint(m->model, a);
        for (int32_t r = 0; r < j.n * j.n; r++) {
            const int32_t row = r / j.n, column = r % j.n;
            A[(size_t)(j.v + row) * m->n + (size_t)(j.v + column)] +=
                s * j.factor * j.factor * a->gear[row] * a->gear[column];
        }
    }
}

void hmli_motion_add_stiffness(const hml_motion *m, const double *q, int passive, double c, double k, double *A)
{
    const stiffness_map map = {m->model, m->user, m->factor, m->tree_q};
    if (passive && m->model->passive) hmli_add_stiffness(&map, q, c, k, A);
    add_servo_stiffness(m, q, c, k, A);
    add_actuator_stiffness(m, c, k, A);
}

int hmli_motion_is_elastic(const hml_motion *m) { return m->model->passive || m->forces.target || m->forces.inputs; }
