/*
 * The books of contact. With the velocities u before and u⁺ after a substep, both at q_M, a force F over h changes the
 * kinetic energy by exactly h F·½(u + u⁺), and an impulse P by P·½(w + w⁺): M is that of q_M for both.
 */
#include <string.h>

#include "algo/dynamics/actuation.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "sim/balance.h"
#include "sim/contact.h"

/* contacts and limits by the kind of their rows; c->w is J u⁺, as describe() in contact_step.c leaves it */
static void book_rows(hml_contact *c)
{
    hml_balance *b = &c->booked;
    for (int32_t i = 0; i < c->nrows; i++) {
        const double work = 0.5 * (c->before[i] + c->w[i]) * (c->P[i] + c->bounced[i]);
        if (c->rows[i].kind == ROW_LIMIT)
            b->limits += work;
        else if (c->rows[i].kind == ROW_FRICTION)
            b->friction += work;
        else
            b->contacts += work;
    }
    for (int32_t i = 0; i < c->nrows; i++) {
        const touch *t = &c->now.items[c->rows[i].index];
        if (c->rows[i].kind != ROW_CONTACT || (t->body >= 0 && t->other_body >= 0)) continue;
        double P[3], point[3], force[3];
        for (int k = 0; k < 3; k++) P[k] = c->P[i + k] + c->bounced[i + k];
        write_vec3(t->point, point);
        write_vec3(vec3_axpy(P[1], t->t1, vec3_axpy(P[2], t->t2, vec3_scale(P[0], t->normal))), force);
        hmli_balance_push(point, force, t->body >= 0 ? 1 : -1, b->contact_impulse);
    }
}

static hml_status book_wrenches(hml_contact *c, hml_work *work, double h, const double *wrenches)
{
    hml_balance *b = &c->booked;
    TRY(hml_frame_motions(c->model, work, c->model->nbodies, HML_LEFT, c->q, c->mean, NULL, c->H, c->V, NULL));
    b->wrenches += hmli_balance_wrenches(c->model, c->H, c->V, wrenches, h, b->wrench_impulse);
    return HML_OK;
}

/* forces of the actuators on joints, with the implicit part, in c->actuator_tau; wrenches in c->actuator_wrenches */
static hml_status gather_actuators(hml_contact *c, hml_work *work)
{
    const hml_model *m = c->model;
    memset(c->actuator_tau, 0, c->n * sizeof(double));
    memset(c->actuator_wrenches, 0, 6 * (size_t)m->nbodies * sizeof(double));
    for (int32_t i = 0; i < m->nactuators; i++) {
        const model_actuator *a = &model_actuators(m)[i];
        const double f = c->actuator_force[i];
        if (a->transmission == HML_TRANSMISSION_JOINT) {
            const actuated_joint j = actuation_joint(m, a);
            for (int32_t k = 0; k < j.n; k++) c->actuator_tau[j.v + k] += j.factor * a->gear[k] * f;
        } else {
            double pushing[6];
            for (int k = 0; k < 6; k++) pushing[k] = a->gear[k] * f;
            TRY(hml_wrench_add(m, work, c->q, a->target, 0, pushing, c->actuator_wrenches));
        }
    }
    return HML_OK;
}

/* c->mean is the mean velocity */
static hml_status book_actuators(hml_contact *c, hml_work *work, double h)
{
    hml_balance *b = &c->booked;
    TRY(hml_frame_motions(c->model, work, c->model->nbodies, HML_LEFT, c->q, c->mean, NULL, c->H, c->V, NULL));
    b->actuators += hmli_balance_wrenches(c->model, c->H, c->V, c->actuator_wrenches, h, b->wrench_impulse);
    for (size_t i = 0; i < c->n; i++) b->actuators += h * c->actuator_tau[i] * c->mean[i];
    hmli_balance_base(c->model, c->H, c->actuator_tau, h, b->wrench_impulse);
    return HML_OK;
}

hml_status hmli_contact_book(hml_contact *c, hml_work *work, double h, double share, const double *tau,
                             const double *wrenches)
{
    hml_balance *b = &c->booked;
    const size_t n = c->n;
    double *servo = c->pushed, *mean = c->mean;
    memset(servo, 0, n * sizeof *servo);
    hmli_contact_servo_force(c, h, c->v, c->v_next, servo);
    for (size_t i = 0; i < n; i++) c->torque[i] += share * ((tau ? tau[i] : 0) + servo[i]);
    if (c->inputs) {
        TRY(gather_actuators(c, work));
        for (size_t i = 0; i < n; i++) c->torque[i] += share * c->actuator_tau[i];
    }
    if (!(c->options & HML_CONTACT_BALANCE)) return HML_OK;
    hmli_contact_turn(c->model, c->q, 1, c->u, mean); /* before bounces */
    for (size_t i = 0; i < n; i++) {
        mean[i] = 0.5 * (mean[i] + c->v_next[i]);
        b->forces += tau ? h * tau[i] * mean[i] : 0;
        b->servos += h * servo[i] * mean[i];
        const double damping = (c->damping[i] - c->servo_damping[i]) * c->v_next[i];
        b->damping -= h * damping * mean[i];
        servo[i] += (tau ? tau[i] : 0) - damping;
    }
    hmli_balance_base(c->model, c->H, servo, h, b->wrench_impulse);
    book_rows(c);
    hmli_balance_gravity(c->model, c->H, h, b->gravity_impulse);
    if (c->inputs) TRY(book_actuators(c, work, h));
    return wrenches ? book_wrenches(c, work, h, wrenches) : HML_OK;
}

hml_status hmli_contact_book_displacement(hml_contact *c, hml_work *work)
{
    const double *g = c->model->gravity;
    double *J = c->columns; /* nobody needs them after the rows */
    const hml_centroidal_motion motion = {.struct_size = sizeof motion, .com_J = J};
    if (!(c->mobility > 0)) return HML_OK;
    TRY(hml_centroidal(c->model, work, c->q, NULL, NULL, &motion));
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < c->n; i++) c->booked.displacement -= g[k] / c->mobility * J[k * c->n + i] * c->x[i];
    }
    return HML_OK;
}

hml_status hml_contact_get_balance(const hml_contact *c, hml_balance *balance)
{
    if (!c || !(c->options & HML_CONTACT_BALANCE) || !balance ||
        !struct_is_writable(balance, STRUCT_END(hml_balance, forces))) {
        return HML_INVALID_ARGUMENT;
    }
    struct_give(balance, &c->balance, sizeof c->balance);
    return HML_OK;
}
