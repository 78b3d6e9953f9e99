/*
 * Dampers and springs of a step, those of the model and those of the servo, implicitly: their force is the one of the
 * velocity at the step's end,
 *
 *   −d u⁺ − k (q + h u⁺ − rest)
 *
 * The bias has −d u − k (q_M − rest) with q_M = q + ½h u; the rest is linear in u⁺ − u and goes to the left side,
 *
 *   (M + h d + h² k) (u⁺ − u) = h (bias − ½ h k u) + Jᵀ P
 *
 * A spring alone, a = h²k/m, has eigenvalues that tend to (1 ± i)/2: no spring and no damper is too stiff for the step.
 * Taking the spring at q_M + ½h u⁺ instead would give −1 there, which rings for ever. Joints that do not commute have
 * the same diagonal: S⁻¹ of the spring's rotation is near 1, and what is left of it is explicit.
 */
#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "group/joint.h"
#include "model/coordinates.h"
#include "sim/balance.h"
#include "sim/contact.h"

void hmli_contact_collect_passive(hml_contact *c)
{
    hmli_balance_passive(c->model, c->damping, c->stiffness);
    for (size_t i = 0; c->servo && i < c->n; i++) {
        c->damping[i] += c->servo_damping[i];
        c->stiffness[i] += c->servo_stiffness[i];
    }
}

static void add_servo(hml_contact *c, const double *v)
{
    for (const model_joint *j = first_joint(c->model); c->servo && j; j = next_joint(c->model, j)) {
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(group_type(j->type), c->target + j->q, c->q + j->q, log);
        for (int32_t k = 0; k < j->nv; k++) {
            const int32_t i = j->v + k;
            c->bias[i] -= c->servo_stiffness[i] * log[k] + c->servo_damping[i] * v[i];
        }
    }
}

/* as in the equation above: from log(target⁻¹ q_M), u and u⁺ */
void hmli_contact_servo_force(const hml_contact *c, double h, const double *u, const double *after, double *tau)
{
    for (const model_joint *j = first_joint(c->model); c->servo && j; j = next_joint(c->model, j)) {
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(group_type(j->type), c->target + j->q, c->q + j->q, log);
        for (int32_t k = 0; k < j->nv; k++) {
            const int32_t i = j->v + k;
            tau[i] -= c->servo_stiffness[i] * (log[k] + h * (after[i] - 0.5 * u[i])) + c->servo_damping[i] * after[i];
        }
    }
}

void hmli_contact_add_passive(hml_contact *c, double h, const double *v)
{
    add_servo(c, v);
    for (size_t i = 0; i < c->n; i++) {
        const double k = c->stiffness[i] + (c->inputs ? c->act_stiffness[i] : 0);
        if (k != 0) c->bias[i] -= 0.5 * h * k * v[i];
    }
}

void hmli_contact_add_stiffness(hml_contact *c, double h)
{
    for (size_t i = 0; i < c->n; i++) {
        const double d = c->damping[i] + (c->inputs ? c->act_damping[i] : 0);
        const double k = c->stiffness[i] + (c->inputs ? c->act_stiffness[i] : 0);
        if (k != 0 || d != 0) c->L[i * c->n + i] += h * (d + h * k);
    }
}

/* ---- the servo ---- */

static hml_status check_gains(const hml_model *model, const double *gains)
{
    for (int32_t i = 0; gains && i < model->nv; i++) {
        if (!isfinite(gains[i])) return HML_NOT_FINITE;
        if (gains[i] < 0) return HML_INVALID_ARGUMENT;
    }
    return HML_OK;
}

hml_status hml_contact_set_servo(hml_contact *c, const double *target, const double *stiffness, const double *damping)
{
    if (!c) return HML_INVALID_ARGUMENT;
    TRY(check_gains(c->model, stiffness));
    TRY(check_gains(c->model, damping));
    if (target) TRY(configuration_status(c->model, target));
    c->record.kind = RECORD_NONE;
    c->servo = target != NULL;
    for (size_t i = 0; i < c->n; i++) {
        c->servo_stiffness[i] = target && stiffness ? stiffness[i] : 0;
        c->servo_damping[i] = target && damping ? damping[i] : 0;
    }
    if (target) memcpy(c->target, target, (size_t)c->model->nq * sizeof *target);
    hmli_contact_collect_passive(c);
    return HML_OK;
}
