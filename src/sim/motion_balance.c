/*
 * The books of a motion: power and forces at three states of a step, those of Gauss's quadrature. Its error falls with
 * the sixth power of the step; what a motion's interpolant misses between the steps is of the same order for dopri5.
 */
#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "hamel/kinematics.h"
#include "model/model.h"
#include "sim/balance.h"
#include "sim/motion.h"

/* does anything act at all? */
static int is_pushed(const hml_motion *m)
{
    const hml_forces *f = &m->forces;
    const double *g = m->model->gravity;
    return f->tau || f->wrenches || f->nframe_wrenches || f->nsamples || f->target || f->function || f->inputs ||
           motion_norm(m->n, m->damping) > 0 || g[0] != 0 || g[1] != 0 || g[2] != 0;
}

/* at the part s of the step, over the time h */
static hml_status book_at(hml_motion *m, double s, double h, hml_balance *b)
{
    const double *v = m->v1;
    double *forces = m->s;
    hml_status status = hmli_motion_state_at(m, s, m->q1, m->v1);
    if (!status) status = hmli_motion_forces(m, hmli_motion_time_at(m, s), m->q1, v, 0);
    if (!status) {
        status = hml_frame_motions(m->model, m->work, m->model->nbodies, HML_LEFT, m->q1, v, NULL, m->H, m->V, NULL);
    }
    if (status) return status;
    for (size_t i = 0; i < m->n; i++) {
        b->forces += h * m->tau[i] * v[i];
        b->damping -= h * m->damping[i] * v[i] * v[i];
        forces[i] = m->tau[i] - m->damping[i] * v[i];
        m->tau[i] = 0;
    }
    hmli_motion_add_servo(m, m->q1, v, m->tau);
    for (size_t i = 0; i < m->n; i++) {
        b->servos += h * m->tau[i] * v[i];
        forces[i] += m->tau[i];
    }
    b->wrenches += hmli_balance_wrenches(m->model, m->H, m->V, m->wrenches, h, b->wrench_impulse);
    if (m->forces.inputs) {
        memset(m->tau, 0, m->n * sizeof(double));
        memset(m->wrenches, 0, 6 * (size_t)m->model->nbodies * sizeof(double));
        status = hmli_motion_actuate(m, m->q1, v);
        if (status) return status;
        b->actuators += hmli_balance_wrenches(m->model, m->H, m->V, m->wrenches, h, b->wrench_impulse);
        for (size_t i = 0; i < m->n; i++) {
            b->actuators += h * m->tau[i] * v[i];
            forces[i] += m->tau[i];
        }
    }
    hmli_balance_base(m->model, m->H, forces, h, b->wrench_impulse);
    hmli_balance_gravity(m->model, m->H, h, b->gravity_impulse);
    return HML_OK;
}

void hmli_motion_book(hml_motion *m)
{
    static const double place[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    hml_balance step = {.struct_size = sizeof step};
    hml_status status = HML_OK;
    if (!is_pushed(m)) return;
    for (int i = 0; !status && i < 3; i++) status = book_at(m, place[i], weight[i] * m->h, &step);
    if (status) step.forces = step.gravity_impulse[0] = NAN; /* the step itself went well */
    hmli_balance_add(&step, &m->balance);
}

hml_status hml_motion_get_balance(const hml_motion *m, hml_balance *balance)
{
    if (!m || !m->options.balance || !balance || !struct_is_writable(balance, STRUCT_END(hml_balance, forces))) {
        return HML_INVALID_ARGUMENT;
    }
    struct_give(balance, &m->balance, sizeof m->balance);
    return HML_OK;
}

hml_status hml_motion_torque(hml_motion *m, double t, const double *q, const double *v, double *tau)
{
    if (!m || !q || !v || !tau) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_motion_forces(m, t, q, v, 1);
    for (size_t i = 0; !status && i < m->n; i++) tau[i] = m->tau[i];
    return status;
}
