/*
 * The exact derivatives of a step of contact: hml_contact_linearize of hamel/contact.h.
 *
 * With what touches held, a step is smooth. From q_M and the velocity u there, M standing for M(q_M) + h d + h² k,
 *
 *   M a = τ − ID₀(q_M, ū) + D (ū − u) − servo − ½ h k u,   u_free = u + h a + h ω̄ × v̄     (contact_free.c)
 *
 * first with ū = u, then with ū = ½ (u + u_free + what contacts add), as often as the step did it. In the end
 * a = (u⁺ − u)/h − ω̄ × v̄ has the impulses of the contacts in it, ID(q_M, ū, a) + … = τ + Jᵀ P / h. Differentiated, with D
 * the dampers of the model, d all of them and K the springs of the servo:
 *
 *   M da = w − (∂ID/∂q + K) z − (∂ID/∂ν − D) dū − (d + ½ h k) du + (∂(Jᵀ P)/∂q z + Fᵀ dP) / h
 *   0    = J_q z + J du⁺ + soft dP                                               (contact_linearize_rows.c)
 *
 * The displacement x out of penetrations obeys M x = Jᵀ y, J x = −correction · (gap + slop) for rows with y > 0; its
 * derivative has the same form.
 */
#include <math.h>
#include <string.h>

#include "algo/dynamics/stiffness.h"
#include "base/layout.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "hamel/dynamics.h"
#include "model/coordinates.h"
#include "sim/contact_linearize.h"

static size_t lay_out(const hml_contact *c, double *at, contact_tangent *t)
{
    const size_t n = (size_t)c->model->nv, r = (size_t)c->max_rows, directions = 3 * n;
    layout_cursor l = layout_begin(at);
    t->z = layout_doubles(&l, directions * n);
    t->v = layout_doubles(&l, directions * n);
    t->mean = layout_doubles(&l, directions * n);
    t->free = layout_doubles(&l, directions * n);
    t->pushed = layout_doubles(&l, directions * n);
    t->at_mean = layout_doubles(&l, n);
    t->at_push = layout_doubles(&l, n);
    t->a = layout_doubles(&l, n);
    t->x = layout_doubles(&l, n);
    t->zero = layout_doubles(&l, n);
    t->dq = layout_doubles(&l, n * n);
    t->dv = layout_doubles(&l, n * n);
    t->force = layout_doubles(&l, n * n);
    t->rows.J = layout_doubles(&l, r * n);
    t->rows.F = layout_doubles(&l, r * n);
    t->rows.Jq = layout_doubles(&l, r * n);
    t->rows.soft = layout_doubles(&l, r);
    t->pushes = layout_doubles(&l, r * n);
    t->K = layout_doubles(&l, r * r);
    t->right = layout_doubles(&l, r * directions);
    t->scales = layout_doubles(&l, r);
    t->impulse = layout_doubles(&l, r + 1);
    t->order = layout_array(&l, r, sizeof *t->order);
    return layout_count(&l);
}

size_t hml_contact_linearize_scratch_doubles(const hml_contact *contact)
{
    contact_tangent t;
    return contact ? lay_out(contact, NULL, &t) : 0;
}

/* ---- small things ---- */

/* y −= A x, n × n */
static void subtract_product(size_t n, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) y[i] -= contact_dot(n, A + i * n, x);
}

/* dq, dv: ∂ID at q_M, with the servo's springs and without the dampers that the step takes from u */
static hml_status derive(const contact_tangent *t, const double *v, const double *a)
{
    static const double none[HML_JOINT_MAX_NV] = {0};
    const hml_contact *c = t->c;
    const size_t n = t->n;
    const hml_status status =
        hml_inverse_dynamics_derivatives(c->model, t->work, c->q, v, a, c->record.wrenches, t->dq, t->dv, NULL);
    for (size_t i = 0; i < n; i++) t->dv[i * (n + 1)] -= c->damping[i] - c->servo_damping[i];
    for (const model_joint *j = first_joint(c->model); !status && c->servo && j; j = next_joint(c->model, j)) {
        double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        hmli_joint_stiffness(group_type(j->type), c->target + j->q, c->q + j->q, c->servo_stiffness + j->v, none, 0, 1,
                             block);
        for (int32_t i = 0; i < j->nv * j->nv; i++) {
            t->dq[(size_t)(j->v + i / j->nv) * n + (size_t)(j->v + i % j->nv)] += block[i];
        }
    }
    return status;
}

/* ---- the velocity without contacts ---- */

/* a of the mean velocity */
static hml_status find_acceleration(const contact_tangent *t)
{
    hml_contact *c = t->c;
    const hml_status status =
        hml_inverse_dynamics(c->model, t->work, c->q, t->at_mean, NULL, c->record.wrenches, c->bias);
    if (status) return status;
    for (size_t i = 0; i < t->n; i++) {
        c->bias[i] = c->record.tau[i] - c->bias[i] + (c->damping[i] - c->servo_damping[i]) * (t->at_mean[i] - c->v[i]);
    }
    hmli_contact_add_passive(c, t->h, c->v);
    memcpy(t->a, c->bias, t->n * sizeof *t->a);
    hmli_contact_tangent_solve_mass(t->c, t->a);
    return HML_OK;
}

/* the change of the velocity after the step with the mean velocity as it changes, without that of the impulses */
static void change_velocity(const contact_tangent *t, size_t k)
{
    const hml_contact *c = t->c;
    const size_t n = t->n;
    const double *du = t->v + k * n, *mean = t->mean + k * n;
    double *out = t->free + k * n;
    memset(out, 0, n * sizeof *out);
    if (k >= 2 * n) out[k - 2 * n] = 1;
    subtract_product(n, t->dq, t->z + k * n, out);
    subtract_product(n, t->dv, mean, out);
    for (size_t i = 0; i < n; i++) {
        out[i] = t->h * (out[i] - (c->damping[i] + 0.5 * t->h * c->stiffness[i]) * du[i]);
    }
    for (size_t i = 0; i < n; i++) out[i] += contact_dot(n, t->force + i * n, t->z + k * n);
    hmli_contact_tangent_solve_mass(t->c, out);
    for (size_t i = 0; i < n; i++) out[i] += du[i];
    hmli_contact_add_turning_change(c->model, t->at_mean, mean, t->h, out);
}

/* x = M⁻¹ Jᵀ P, and in t->force what Jᵀ P − M x becomes by a motion of q_M while P and x are held */
static hml_status derive_push(const contact_tangent *t, const double *P, double *x)
{
    hml_contact *c = t->c;
    const size_t n = t->n;
    hmli_contact_push(c, P, x);
    hmli_contact_tangent_force(t, P);
    hml_status status =
        hml_inverse_dynamics_derivatives(c->model, t->work, c->q, t->zero, t->zero, NULL, t->dv, NULL, NULL);
    if (!status) {
        status = hml_inverse_dynamics_derivatives(c->model, t->work, c->q, t->zero, x, NULL, t->dq, NULL, NULL);
    }
    for (size_t i = 0; i < n * n; i++) t->force[i] -= t->dq[i] - t->dv[i];
    return status;
}

/* M⁻¹ force z, of direction k */
static void change_push(const contact_tangent *t, size_t k, double *out)
{
    for (size_t i = 0; i < t->n; i++) out[i] = contact_dot(t->n, t->force + i * t->n, t->z + k * t->n);
    hmli_contact_tangent_solve_mass(t->c, out);
}

static double sign(double x) { return (double)((x > 0) - (x < 0)); }

/* what contacts of the last step add to the mean, at the free velocity `at_free`: contact_free.c, predict_push */
static hml_status predict_push(const contact_tangent *t, const double *at_free)
{
    const hml_contact *c = t->c;
    const size_t n = t->n;
    const hml_status status = derive_push(t, c->record.recalled, t->at_push);
    if (status) return status;
    for (size_t k = 0; k < t->directions; k++) {
        double *out = t->pushed + k * n;
        const double *du = t->v + k * n, *free = t->free + k * n;
        change_push(t, k, out);
        for (size_t i = 0; i < n; i++) {
            const double most = fabs(c->v[i]) + fabs(at_free[i]), push = t->at_push[i];
            const double change = sign(c->v[i]) * du[i] + sign(at_free[i]) * free[i];
            if (fabs(push) > most) out[i] = sign(push) * change;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double most = fabs(c->v[i]) + fabs(at_free[i]);
        t->at_push[i] = fmin(most, fmax(-most, t->at_push[i]));
    }
    return HML_OK;
}

/* the mean velocity of the last repetition, and how it changes */
static hml_status find_mean(const contact_tangent *t)
{
    const hml_contact *c = t->c;
    const size_t n = t->n;
    memcpy(t->at_mean, c->v, n * sizeof *t->at_mean);
    memcpy(t->mean, t->v, t->directions * n * sizeof *t->mean);
    for (int32_t i = 0; i < c->record.repetitions; i++) {
        double *at_free = t->x;
        memset(t->force, 0, n * n * sizeof *t->force);
        hml_status status = find_acceleration(t);
        if (!status) status = derive(t, t->at_mean, t->a);
        if (status) return status;
        for (size_t k = 0; k < n; k++) at_free[k] = c->v[k] + t->h * t->a[k];
        hmli_contact_add_turning(c->model, t->at_mean, t->h, at_free);
        for (size_t k = 0; k < t->directions; k++) change_velocity(t, k);
        if (i == 0) status = predict_push(t, at_free);
        if (status) return status;
        for (size_t k = 0; k < n; k++) t->at_mean[k] = 0.5 * (c->v[k] + at_free[k] + t->at_push[k]);
        for (size_t k = 0; k < t->directions * n; k++) t->mean[k] = 0.5 * (t->v[k] + t->free[k] + t->pushed[k]);
    }
    return HML_OK;
}

/* ---- the step ---- */

/* du⁺ in t->free */
static hml_status velocity(contact_tangent *t)
{
    hml_contact *c = t->c;
    const size_t n = t->n;
    hml_status status = find_mean(t);
    if (status) return status;
    memset(t->a, 0, n * sizeof *t->a);
    hmli_contact_add_turning(c->model, t->at_mean, -t->h, t->a);
    for (size_t i = 0; i < n; i++) t->a[i] = (t->a[i] + c->record.after[i] - c->v[i]) / t->h;
    status = derive(t, t->at_mean, t->a);
    if (status) return status;
    hmli_contact_tangent_force(t, c->P);
    for (size_t k = 0; k < t->directions; k++) change_velocity(t, k);
    hmli_contact_tangent_rows(t, c->record.after);
    return hmli_contact_tangent_impulses(t, t->free);
}

/* the change of the displacement in t->pushed */
static hml_status displacement(contact_tangent *t)
{
    hml_contact *c = t->c;
    memset(t->pushed, 0, t->directions * t->n * sizeof *t->pushed);
    if (!c->record.displaced) return HML_OK;
    if (c->record.cut) return HML_UNSUPPORTED;
    TRY(derive_push(t, c->y, t->at_push));
    for (size_t k = 0; k < t->directions; k++) change_push(t, k, t->pushed + k * t->n);
    if (!hmli_contact_tangent_gaps(t, c->y, t->at_push)) return HML_UNSUPPORTED;
    return hmli_contact_tangent_impulses(t, t->pushed);
}

static void write(const contact_tangent *t, double *Ad, double *Bd)
{
    const contact_record *record = &t->c->record;
    const size_t n = t->n, two = 2 * n;
    double *x = t->x, *dx = t->a, *q = t->at_mean, *v = t->at_push;
    for (size_t i = 0; i < n; i++) x[i] = 0.5 * t->h * record->after[i] + record->displacement[i];
    for (size_t k = 0; k < t->directions; k++) {
        const double *du = t->free + k * n;
        for (size_t i = 0; i < n; i++) dx[i] = 0.5 * t->h * du[i] + t->pushed[k * n + i];
        hmli_contact_tangent_end(t, x, t->z + k * n, du, dx, q, v);
        for (size_t i = 0; i < n; i++) {
            double *position = k < two ? Ad + i * two + k : Bd + i * n + k - two;
            double *speed = k < two ? Ad + (n + i) * two + k : Bd + (n + i) * n + k - two;
            *position = q[i], *speed = v[i];
        }
    }
}

hml_status hml_contact_linearize(const hml_model *model, hml_work *work, hml_contact *contact, double *scratch,
                                 double *Ad, double *Bd)
{
    if (hmli_work_check(model, work, HML_USE_ALL) || !contact || contact->model != model || !scratch || !Ad || !Bd ||
        contact->record.kind == RECORD_NONE)
        return HML_INVALID_ARGUMENT;
    if (contact->record.kind == RECORD_ROUGH) return HML_UNSUPPORTED;
    contact_tangent t = {.c = contact, .work = work, .n = contact->n, .directions = 3 * contact->n};
    t.h = contact->record.h;
    lay_out(contact, scratch, &t);
    memset(t.zero, 0, t.n * sizeof *t.zero);
    TRY(hmli_contact_tangent_check(contact, contact->P));
    if (contact->record.repetitions) TRY(hmli_contact_tangent_check(contact, contact->record.recalled));
    TRY(hmli_contact_pose(contact, work));
    for (size_t k = 0; k < t.directions; k++) hmli_contact_tangent_start(&t, k);
    TRY(velocity(&t));
    TRY(displacement(&t));
    write(&t, Ad, Bd);
    return FINITE_STATUS({Ad, 4 * t.n * t.n}, {Bd, 2 * t.n * t.n});
}
