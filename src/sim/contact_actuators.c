/*
 * Actuators in a step of contact. The law of a servo on a coordinate, f = gain·u + bias₀ + bias₁ l + bias₂ l̇, counts at
 * the end of the step, as dampers and springs do (contact_passive.c): its slopes are a stiffness and a damping.
 *
 * Which forces are at their limits is found by trial: a step is made, forces of the law beyond a limit are held there,
 * and held ones that the law brings back within, or beyond the other limit, are released, once each; then the step is
 * made again. In the end a force is that of its law and within its limits, or at a limit.
 */
#include <math.h>
#include <string.h>

#include "algo/dynamics/actuation.h"
#include "group/arrays.h"
#include "sim/contact.h"

void hmli_contact_free_actuators(hml_contact *c)
{
    memset(c->held, 0, (size_t)c->model->nactuators * sizeof *c->held);
    memset(c->released, 0, (size_t)c->model->nactuators * sizeof *c->released);
}

/* is there something implicit about it: a law with slopes, on one coordinate */
static int is_servo(const hml_contact *c, int32_t i)
{
    const model_actuator *a = &model_actuators(c->model)[i];
    return a->transmission == HML_TRANSMISSION_JOINT && actuation_joint(c->model, a).n == 1 &&
           (a->bias[1] != 0 || a->bias[2] != 0);
}

/* at a limit if the law, as it is before the step, is beyond it: the first guess for servos, and the truth for others */
static void guess(hml_contact *c)
{
    for (int32_t i = 0; i < c->model->nactuators; i++) {
        const model_actuator *a = &model_actuators(c->model)[i];
        const double f = c->actuator_force[i];
        if (!c->held[i] && !c->released[i]) c->held[i] = f > a->force_upper ? 1 : f < a->force_lower ? -1 : 0;
    }
}

static hml_status forces(hml_contact *c, hml_work *work, const double *v, const double *tau, const double *wrenches)
{
    const size_t n = c->n, six = 6 * (size_t)c->model->nbodies;
    const hml_actuation x = {.struct_size = sizeof x,
                             .q = c->q,
                             .v = v,
                             .u = c->inputs,
                             .force = c->actuator_force,
                             .tau = c->actuator_tau,
                             .wrenches = c->actuator_wrenches,
                             .slopes = c->slopes};
    for (size_t i = 0; i < n; i++) c->actuator_tau[i] = tau ? tau[i] : 0;
    for (size_t i = 0; i < six; i++) c->actuator_wrenches[i] = wrenches ? wrenches[i] : 0;
    return hmli_actuation_add(c->model, work, c->held, &x);
}

hml_status hmli_contact_actuate(hml_contact *c, hml_work *work, const double *v, const double *tau,
                                const double *wrenches)
{
    TRY(forces(c, work, v, tau, wrenches));
    guess(c);
    TRY(forces(c, work, v, tau, wrenches));
    memset(c->act_stiffness, 0, c->n * sizeof(double));
    memset(c->act_damping, 0, c->n * sizeof(double));
    for (int32_t i = 0; i < c->model->nactuators; i++) {
        if (!is_servo(c, i)) continue;
        const model_actuator *a = &model_actuators(c->model)[i];
        const actuated_joint j = actuation_joint(c->model, a);
        const double gear = j.factor * a->gear[0];
        c->act_stiffness[j.v] -= gear * gear * fmin(0, c->slopes[3 * i + 1]); /* what pushes away stays explicit */
        c->act_damping[j.v] -= gear * gear * fmin(0, c->slopes[3 * i + 2]);
    }
    return HML_OK;
}

int hmli_contact_hold_actuators(hml_contact *c, double h, int release, const double *v, const double *after)
{
    int again = 0;
    for (int32_t i = 0; i < c->model->nactuators; i++) {
        const model_actuator *a = &model_actuators(c->model)[i];
        if (!is_servo(c, i)) continue;
        const actuated_joint j = actuation_joint(c->model, a);
        double length, speed, slopes[3];
        actuation_length(a, j, c->q, v, &length, &speed);
        const double gear = j.factor * a->gear[0], law = actuation_law(a, c->inputs[i], length, speed, slopes);
        const double f = law + gear * (fmin(0, slopes[1]) * h * (after[j.v] - 0.5 * v[j.v]) +
                                       fmin(0, slopes[2]) * (after[j.v] - v[j.v]));
        int32_t side = f > a->force_upper ? 1 : f < a->force_lower ? -1 : 0;
        if (!c->held[i]) c->actuator_force[i] = f;
        if (side == -c->held[i]) side = 0; /* a law that a limit turns round is within its limits in between */
        if (side == c->held[i] || (side == 0 && (c->released[i] || !release))) continue;
        if (side == 0) c->released[i] = 1;
        c->held[i] = side;
        again = 1;
    }
    return again;
}
