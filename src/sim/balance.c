/* What forces do to a robot: their work, and what they add to its momentum. */
#include "sim/balance.h"

#include <string.h>

#include "model/model.h"

void hmli_balance_passive(const hml_model *m, double *damping, double *stiffness)
{
    const model_coordinate *all = model_coordinates(m);
    memset(damping, 0, (size_t)m->nv * sizeof *damping);
    memset(stiffness, 0, (size_t)m->nv * sizeof *stiffness);
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        const model_coordinate *at = all + model_bodies(m)[j->body].v;
        const int follows = j->leader >= 0;
        const int32_t user = follows ? model_joints(m)[j->leader].v : j->v;
        const double f = follows ? j->multiplier : 1;
        for (int32_t k = 0; k < j->nv + follows; k++) {
            damping[user + k] += f * f * at[k].damping;
            stiffness[user + k] += f * f * at[k].stiffness;
        }
    }
}

void hmli_balance_push(const double p[3], const double f[3], double h, double impulse[6])
{
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        impulse[k] += h * f[k];
        impulse[3 + k] += h * (p[a] * f[b] - p[b] * f[a]);
    }
}

/* H x, or R x without the position */
static void transform(const double *H, double position, const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++)
        y[k] = position * H[4 * k + 3] + H[4 * k] * x[0] + H[4 * k + 1] * x[1] + H[4 * k + 2] * x[2];
}

void hmli_balance_gravity(const hml_model *m, const double *H, double h, double impulse[6])
{
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        const double weight[3] = {b->mass * m->gravity[0], b->mass * m->gravity[1], b->mass * m->gravity[2]};
        double com[3];
        transform(H + 16 * (size_t)i, 1, b->com, com);
        hmli_balance_push(com, weight, h, impulse);
    }
}

/* a wrench in the frame H */
static void push_at(const double *H, const double *w, double h, double impulse[6])
{
    static const double origin[3] = {0, 0, 0};
    double place[3], force[3], torque[3];
    transform(H, 1, origin, place);
    transform(H, 0, w, force);
    transform(H, 0, w + 3, torque);
    hmli_balance_push(place, force, h, impulse);
    for (int k = 0; k < 3; k++) impulse[3 + k] += h * torque[k];
}

void hmli_balance_base(const hml_model *m, const double *H, const double *tau, double h, double impulse[6])
{
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        if (j->type != HML_JOINT_FREE || model_bodies(m)[j->body].parent >= 0) continue;
        push_at(H + 16 * (size_t)j->body, tau + j->v, h, impulse);
    }
}

double hmli_balance_wrenches(const hml_model *m, const double *H, const double *V, const double *wrenches, double h,
                             double impulse[6])
{
    double work = 0;
    for (int32_t i = 0; i < m->nbodies; i++) {
        const double *w = wrenches + 6 * (size_t)i;
        for (size_t k = 0; k < 6; k++) work += h * w[k] * V[6 * (size_t)i + k];
        push_at(H + 16 * (size_t)i, w, h, impulse);
    }
    return work;
}

void hmli_balance_add(const hml_balance *more, hml_balance *sum)
{
    sum->forces += more->forces;
    sum->servos += more->servos;
    sum->wrenches += more->wrenches;
    sum->damping += more->damping;
    sum->contacts += more->contacts;
    sum->limits += more->limits;
    sum->friction += more->friction;
    sum->displacement += more->displacement;
    sum->removed += more->removed;
    sum->actuators += more->actuators;
    for (int k = 0; k < 6; k++) {
        sum->gravity_impulse[k] += more->gravity_impulse[k];
        sum->wrench_impulse[k] += more->wrench_impulse[k];
        sum->contact_impulse[k] += more->contact_impulse[k];
    }
}
