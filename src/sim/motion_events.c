/* Within a step: the state at any time, and where a function of it crosses zero. */
#include <math.h>
#include <string.h>

#include "hamel/configuration.h"
#include "model/limits.h"
#include "sim/motion.h"

/*
 * A cubic for θ that meets θ and θ̇ = S(θ)⁻¹ ν at both ends; ν is then S(θ) θ̇. In x: θ, θ̇. Two places of scratch are
 * those of a step, which nobody is making now.
 */
static void hermite(const hml_motion *m, double s, double *x)
{
    size_t n = m->n;
    hmli_motion_apply(m->model, m->theta, 1, m->v, m->s);
    for (size_t i = 0; i < n; i++) {
        double end = m->theta[i], rate0 = m->h * m->v0[i], rate1 = m->h * m->s[i];
        double b = 3 * end - 2 * rate0 - rate1, c = rate0 + rate1 - 2 * end;
        x[i] = s * (rate0 + s * (b + s * c));
        x[n + i] = (rate0 + s * (2 * b + 3 * s * c)) / m->h;
    }
}

hml_status hmli_motion_state_at(hml_motion *m, double s, double *q, double *v)
{
    if (s == 1) { /* what was reached, to the bit */
        if (q) memcpy(q, m->q, m->nq * sizeof *q);
        if (v) memcpy(v, m->v, m->n * sizeof *v);
        return HML_OK;
    }
    if (m->dense) {
        hmli_motion_dense(m, s, m->x);
        if (v) memcpy(v, m->x + m->n, m->n * sizeof *v);
    } else {
        hermite(m, s, m->x);
        if (v) hmli_motion_apply(m->model, m->x, 0, m->x + m->n, v);
    }
    return q ? hml_configuration_integrate(m->model, m->q0, m->x, q) : HML_OK;
}

hml_status hml_motion_at(hml_motion *m, double t, double *q, double *v)
{
    if (!m || !(m->h > 0)) return HML_INVALID_ARGUMENT;
    double s = t == m->t ? 1 : 1 - ((m->t - t) + m->rest) / m->h;
    const double slack = 1e-9;
    int within = t >= m->t0 && t <= m->t; /* a step may lie between two numbers */
    if (!within && !(s >= -slack && s <= 1 + slack)) return HML_INVALID_ARGUMENT;
    return hmli_motion_state_at(m, fmin(1, fmax(0, s)), q, v);
}

/* ---- events ---- */

double hmli_motion_time_at(const hml_motion *m, double s)
{
    return s == 1 ? m->t : fmin(m->t, m->t0 + (m->rest0 + s * m->h));
}

/* the event's value there; q1 and v1 belong to nobody between steps */
static hml_status value_at(hml_motion *m, hml_event_function *event, void *context, double s, double *value)
{
    hml_status status = hmli_motion_state_at(m, s, m->q1, m->v1);
    if (!status) status = event(context, hmli_motion_time_at(m, s), m->q1, m->v1, value);
    return !status && !isfinite(*value) ? HML_NOT_FINITE : status;
}

hml_status hml_motion_find(hml_motion *m, hml_event_function *event, void *context, int *found, double *t, double *q,
                           double *v)
{
    if (!m || !event || !found || !t || !(m->h > 0)) return HML_INVALID_ARGUMENT;
    double low = 0, high = 1, at_low, at_high; /* parts of the step: its times may be too coarse to search among */
    *found = 0;
    hml_status status = value_at(m, event, context, low, &at_low);
    if (!status && at_low == 0) { /* found before: which way does it leave? */
        low = 0x1p-20;
        status = value_at(m, event, context, low, &at_low);
    }
    if (!status) status = value_at(m, event, context, high, &at_high);
    if (status || at_low == 0 || (at_high != 0 && (at_low < 0) == (at_high < 0))) return status;
    double weight_low = at_low, weight_high = at_high;
    for (int i = 0; i < 100 && high - low > 0x1p-51 && at_high != 0; i++) { /* Illinois: a secant that does not stick */
        double middle = low - weight_low * (high - low) / (weight_high - weight_low), value;
        if (i % 3 == 2 || !(middle > low && middle < high)) middle = low + 0.5 * (high - low);
        status = value_at(m, event, context, middle, &value);
        if (status) return status;
        if ((value < 0) == (at_low < 0) && value != 0)
            low = middle, at_low = weight_low = value, weight_high *= 0.5;
        else
            high = middle, at_high = weight_high = value, weight_low *= 0.5;
    }
    *found = 1;
    *t = hmli_motion_time_at(m, high);
    return hmli_motion_state_at(m, high, q, v);
}

hml_status hml_limit_margin(const hml_model *model, const double *q, double *margin, int32_t *coordinate)
{
    if (!model || !q || !margin || !coordinate) return HML_INVALID_ARGUMENT;
    const hml_status status = finite_numbers(q, model->nq);
    if (status) return status; /* NaN is not below anything */
    *margin = INFINITY;
    *coordinate = -1;
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i], *from = j->leader < 0 ? j : &model_joints(model)[j->leader];
        const model_coordinate *c = &model_coordinates(model)[model_bodies(model)[j->body].v];
        for (int32_t k = 0; k < from->nv && limit_has_number(from, k); k++) {
            double x = q[from->q + k];
            if (j->leader >= 0) x = j->multiplier * x + j->offset;
            const double near = fmin(x - c[k].lower, c[k].upper - x);
            if (!(near < *margin)) continue;
            *margin = near;
            *coordinate = from->v + k;
        }
    }
    return HML_OK;
}

hml_status hml_limit_event(void *model, double t, const double *q, const double *v, double *value)
{
    int32_t coordinate;
    (void)t, (void)v;
    hml_status status = hml_limit_margin(model, q, value, &coordinate);
    if (!status && coordinate < 0) *value = 1;
    return status;
}

/* ---- groups, joint by joint ---- */

void hmli_motion_apply(const hml_model *model, const double *phi, int inverse, const double *x, double *out)
{
    memcpy(out, x, (size_t)model->nv * sizeof *x);
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        double S[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        int n = j->nv;
        if (joint_commutes(j->type)) continue;
        if (inverse)
            joint_jacobian_inverse(j->type, phi + j->v, S);
        else
            joint_jacobian(j->type, phi + j->v, S);
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int c = 0; c < n; c++) sum += S[r * n + c] * x[j->v + c];
            out[j->v + r] = sum;
        }
    }
}
