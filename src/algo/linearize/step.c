/* One step of an integrator on the group and its exact Jacobians: see hamel/discrete.h. */
#include "hamel/discrete.h"

#include <math.h>
#include <string.h>

#include "algo/linearize/step.h"
#include "base/layout.h"
#include "base/overflow.h"
#include "group/joint.h"
#include "hamel/configuration.h"
#include "model/coordinates.h"
#include "model/mimic.h"

static size_t lay_out(const hml_model *model, double *at, one_step *s)
{
    const size_t n = (size_t)model->nv;
    layout_cursor c = layout_begin(at);
    s->q = layout_doubles(&c, (size_t)model->nq);
    s->x = layout_doubles(&c, 2 * n);
    s->rate = layout_doubles(&c, 2 * n);
    s->sum = layout_doubles(&c, 2 * n);
    s->Dq = layout_doubles(&c, n * n);
    s->Dv = layout_doubles(&c, n * n);
    s->Minv = layout_doubles(&c, n * n);
    s->dq = layout_doubles(&c, n * n);
    s->dv = layout_doubles(&c, n * n);
    s->X = layout_doubles(&c, 6 * n * n);
    s->K = layout_doubles(&c, 6 * n * n);
    s->Sum = layout_doubles(&c, 6 * n * n);
    s->map.model = model;
    s->map.user = layout_array(&c, (size_t)model->tree_nv, sizeof *s->map.user);
    s->map.factor = layout_doubles(&c, (size_t)model->tree_nv);
    s->map.tree_q = layout_doubles(&c, (size_t)model->tree_nq);
    return layout_count(&c);
}

size_t hml_step_scratch_doubles(const hml_model *model)
{
    one_step s;
    return model ? lay_out(model, NULL, &s) : 0;
}

/* row of out += a · row of in, over all columns of the tangent */
static void add_row(const one_step *s, double *out, size_t row, double a, const double *in, size_t from)
{
    size_t columns = 3 * s->n;
    for (size_t c = 0; c < columns; c++) out[row * columns + c] += a * in[from * columns + c];
}

/* Σ a_k S_k: an element of a joint's algebra as one of se(3), where its Jacobians are known in closed form */
static twist embed(int32_t m, const twist *S, const double *a)
{
    twist V = twist_zero();
    for (int32_t k = 0; k < m; k++) V = twist_axpy(a[k], S[k], V);
    return V;
}

/* θ̇ = S(θ)⁻¹ ν, and rows 0 … n − 1 of K = d(θ̇) */
static void angle_rates(const one_step *s)
{
    const model_joint *joints = model_joints(s->model);
    for (int32_t j = 0; j < s->model->njoints; j++) {
        int32_t m = joints[j].nv, type = joints[j].type;
        if (m == 0) continue;
        size_t first = (size_t)joints[j].v, n = s->n;
        const double *theta = s->x + first, *nu = s->x + n + first;
        double inverse[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        twist S[HML_JOINT_MAX_NV];
        if (!joint_commutes(type)) {
            joint_jacobian_inverse(type, theta, inverse);
            joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
        } else {
            for (int32_t k = 0; k < m; k++) inverse[k * m + k] = 1;
        }
        for (int32_t r = 0; r < m; r++) {
            size_t row = first + (size_t)r;
            s->rate[row] = 0;
            for (int32_t c = 0; c < m; c++) s->rate[row] += inverse[r * m + c] * nu[c];
            for (int32_t c = 0; s->tangent && c < m; c++) {
                add_row(s, s->K, row, inverse[r * m + c], s->X, n + first + (size_t)c);
            }
        }
        for (int32_t c = 0; s->tangent && !joint_commutes(type) && c < m; c++) { /* S⁻¹ itself moves with θ */
            twist d = se3_dexp_right_inverse_derivative(embed(m, S, theta), S[c], embed(m, S, nu));
            for (int32_t r = 0; r < m; r++) {
                double a = vec3_dot(S[r].v, d.v) + vec3_dot(S[r].w, d.w);
                add_row(s, s->K, first + (size_t)r, a, s->X, first + (size_t)c);
            }
        }
    }
}

/* rows n … 2n − 1 of K: d(ν̇) = D_q (Ad z_q + S dθ) + D_ν dν + M⁻¹ w */
static void acceleration_tangent(const one_step *s)
{
    size_t n = s->n, columns = 3 * n;
    for (size_t r = 0; r < n; r++) {
        double *row = s->K + (n + r) * columns;
        for (size_t k = 0; k < n; k++) {
            double Dq = s->Dq[r * n + k];
            add_row(s, s->K, n + r, s->Dv[r * n + k], s->X, n + k);
            row[2 * n + k] += s->Minv[r * n + k];
            for (size_t i = 0; i < n; i++) {
                if (s->dv[k * n + i] != 0) add_row(s, s->K, n + r, Dq * s->dv[k * n + i], s->X, i);
                row[i] += Dq * s->dq[k * n + i];
            }
        }
    }
}

/* the derivative of the stage x, and of its tangent X */
static hml_status stage(const one_step *s)
{
    size_t n = s->n;
    hml_linearization at;
    hml_status status = hml_configuration_integrate(s->model, s->q0, s->x, s->q);
    if (status) return status;
    if (!s->tangent) {
        angle_rates(s);
        return hml_forward_dynamics(s->model, s->work, s->q, s->x + n, s->tau, NULL, s->rate + n);
    }
    memset(&at, 0, sizeof at);
    at.struct_size = sizeof at;
    at.q.data = s->q;
    at.v.data = s->x + n;
    at.tau.data = s->tau;
    at.acceleration.data = s->rate + n;
    at.Dq.data = s->Dq;
    at.Dv.data = s->Dv;
    at.Minv.data = s->Minv;
    status = hml_linearize(s->model, s->work, &at);
    if (!status) status = hml_configuration_integrate_jacobians(s->model, s->q0, s->x, s->dq, s->dv);
    if (status) return status;
    memset(s->K, 0, 6 * n * n * sizeof(double));
    angle_rates(s);
    acceleration_tangent(s);
    return HML_OK;
}

/* x ← (0, ν) + h·rate and X likewise: where the next stage is */
static void advance(const one_step *s, const double *v, double h)
{
    size_t n = s->n, columns = 3 * n;
    for (size_t i = 0; i < 2 * n; i++) s->x[i] = (i < n ? 0 : v[i - n]) + h * s->rate[i];
    for (size_t i = 0; s->tangent && i < 2 * n * columns; i++) s->X[i] = h * s->K[i];
    for (size_t i = 0; s->tangent && i < n; i++) s->X[(n + i) * columns + n + i] += 1;
}

static void accumulate(const one_step *s, double weight)
{
    for (size_t i = 0; i < 2 * s->n; i++) s->sum[i] += weight * s->rate[i];
    for (size_t i = 0; s->tangent && i < 6 * s->n * s->n; i++) s->Sum[i] += weight * s->K[i];
}

/* rate, K ← the given sums; 0 rates are where a step starts from */
static void use_sum(const one_step *s)
{
    memcpy(s->rate, s->sum, 2 * s->n * sizeof(double));
    if (s->tangent) memcpy(s->K, s->Sum, 6 * s->n * s->n * sizeof(double));
}

static hml_status munthe_kaas_4(const one_step *s, const double *v, double h)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int i = 0; i < 4; i++) {
        advance(s, v, node[i] * h);
        hml_status status = stage(s);
        if (status) return status;
        accumulate(s, weight[i]);
    }
    use_sum(s);
    advance(s, v, h);
    return HML_OK;
}

/* θ = h ν⁺: the rate of θ is the velocity at the end */
static hml_status semi_implicit_euler(const one_step *s, const double *v, double h)
{
    size_t n = s->n, columns = 3 * n;
    advance(s, v, 0);
    hml_status status = hmli_is_elastic(s->model) ? hmli_step_implicit(s, v, h) : stage(s);
    if (status) return status;
    advance(s, v, h);
    memcpy(s->rate, s->x + n, n * sizeof(double));
    memset(s->rate + n, 0, n * sizeof(double));
    for (size_t i = 0; i < n; i++) s->x[i] = h * s->rate[i];
    for (size_t i = 0; s->tangent && i < n * columns; i++) s->X[i] = h * s->X[n * columns + i];
    return HML_OK;
}

/* z⁺: θ's tangent seen at the end, z_q⁺ = Ad z_q + S(θ) dθ */
static hml_status write_jacobians(const one_step *s, double *Ad, double *Bd)
{
    size_t n = s->n, columns = 3 * n;
    hml_status status = hml_configuration_integrate_jacobians(s->model, s->q0, s->x, s->dq, s->dv);
    if (status) return status;
    memset(s->K, 0, 6 * n * n * sizeof(double));
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < n; k++) {
            if (s->dv[r * n + k] != 0) add_row(s, s->K, r, s->dv[r * n + k], s->X, k);
            s->K[r * columns + k] += s->dq[r * n + k];
        }
        add_row(s, s->K, n + r, 1, s->X, n + r);
    }
    for (size_t r = 0; r < 2 * n; r++) {
        memcpy(Ad + r * 2 * n, s->K + r * columns, 2 * n * sizeof(double));
        memcpy(Bd + r * n, s->K + r * columns + 2 * n, n * sizeof(double));
    }
    return HML_OK;
}

static hml_status run(one_step *s, hml_scheme scheme, double h, const double *v, double *q_next, double *v_next,
                      double *Ad, double *Bd)
{
    hml_status status;
    memset(s->rate, 0, 2 * s->n * sizeof(double));
    memset(s->sum, 0, 2 * s->n * sizeof(double));
    if (s->tangent) {
        memset(s->K, 0, 6 * s->n * s->n * sizeof(double));
        memset(s->Sum, 0, 6 * s->n * s->n * sizeof(double));
    }
    switch (scheme) {
    case HML_SCHEME_EULER: status = semi_implicit_euler(s, v, h); break;
    case HML_SCHEME_RK4: status = munthe_kaas_4(s, v, h); break;
    default: status = (unsigned)scheme < HML_SCHEME_COUNT ? HML_UNSUPPORTED : HML_INVALID_ARGUMENT; break;
    }
    if (!status && s->tangent) status = write_jacobians(s, Ad, Bd);
    if (!status) status = finite_array(s->x, 2 * s->n);
    if (!status && s->tangent) status = finite_array(Ad, 4 * s->n * s->n);
    if (!status && s->tangent) status = finite_array(Bd, 2 * s->n * s->n);
    if (!status) status = hml_configuration_integrate(s->model, s->q0, s->x, q_next);
    if (!status) memcpy(v_next, s->x + s->n, s->n * sizeof(double));
    return status;
}

hml_status hml_step(const hml_model *model, hml_work *work, hml_scheme scheme, double h, const double *q,
                    const double *v, const double *tau, double *scratch, double *q_next, double *v_next)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !v || !scratch || !q_next || !v_next || !isfinite(h)) {
        return HML_INVALID_ARGUMENT;
    }
    one_step s = {.model = model, .work = work, .q0 = q, .tau = tau, .n = (size_t)model->nv};
    lay_out(model, scratch, &s);
    model_mimic_map(model, s.map.user, s.map.factor);
    return run(&s, scheme, h, v, q_next, v_next, NULL, NULL);
}

hml_status hml_step_linearize(const hml_model *model, hml_work *work, hml_scheme scheme, double h, const double *q,
                              const double *v, const double *tau, double *scratch, double *q_next, double *v_next,
                              double *Ad, double *Bd)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !v || !scratch || !q_next || !v_next || !Ad || !Bd ||
        !isfinite(h)) {
        return HML_INVALID_ARGUMENT;
    }
    one_step s = {.model = model, .work = work, .q0 = q, .tau = tau, .n = (size_t)model->nv, .tangent = 1};
    lay_out(model, scratch, &s);
    model_mimic_map(model, s.map.user, s.map.factor);
    return run(&s, scheme, h, v, q_next, v_next, Ad, Bd);
}
