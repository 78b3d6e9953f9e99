/* Configurations by model: the operations of group/joint.h, joint after joint. See configuration.h. */
#include "hamel/configuration.h"

#include "model/coordinates.h"

hml_status hml_configuration_neutral(const hml_model *m, double *q)
{
    if (!m || !q) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) joint_neutral(group_type(j->type), q + j->q);
    return HML_OK;
}

hml_status hml_configuration_check(const hml_model *m, const double *q)
{
    if (!m || !q) return HML_INVALID_ARGUMENT;
    return configuration_status(m, q);
}

hml_status hml_configuration_normalize(const hml_model *m, double *q)
{
    if (!m || !q) return HML_INVALID_ARGUMENT;
    if (finite_numbers(q, m->nq)) return HML_NOT_FINITE;
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        int at = quaternion_at(j->type);
        if (at < 0) continue;
        double *r = q + j->q + at, norm = hypot(hypot(r[0], r[1]), hypot(r[2], r[3]));
        if (!(norm > 0) || isinf(norm)) return HML_NOT_NORMALIZED;
        for (int k = 0; k < 4; k++) r[k] /= norm;
    }
    return HML_OK;
}

/* one coordinate within its limits, or within ±range where there are none */
static double draw(hml_rng *rng, const model_coordinate *c, double range)
{
    double lower = c->lower, upper = c->upper;
    if (isinf(lower) && isinf(upper)) lower = -range, upper = range;
    if (isinf(lower)) lower = upper - 2 * range;
    if (isinf(upper)) upper = lower + 2 * range;
    return hml_rng_uniform(rng, fmin(lower, upper), fmax(lower, upper));
}

/* is the k-th number of a joint an angle? */
static int is_angle(int32_t type, int32_t k)
{
    switch (type) {
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_HELICAL:
    case HML_JOINT_UNIVERSAL: return 1;
    case HML_JOINT_CYLINDRICAL: return k == 1;
    case HML_JOINT_PLANAR: return k == 2;
    case HML_JOINT_SCHOENFLIES: return k == 3;
    default: return 0;
    }
}

hml_status hml_configuration_random(const hml_model *m, hml_rng *rng, double *q)
{
    if (!m || !rng || !q) return HML_INVALID_ARGUMENT;
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        const model_coordinate *c = &model_coordinates(m)[model_bodies(m)[j->body].v];
        int at = quaternion_at(j->type);
        for (int32_t k = 0; k < (at < 0 ? j->nq : at); k++)
            q[j->q + k] = draw(rng, c + k, is_angle(j->type, k) ? num_pi() : 1);
        if (at >= 0) hml_rng_quaternion(rng, q + j->q + at);
    }
    return HML_OK;
}

/* a run's own numbers, its quaternion unit */
static void run_numbers(const plan_run *r, const double *q, double g[HML_JOINT_MAX_NQ])
{
    int at = quaternion_at(r->type);
    memcpy(g, q + r->q, (size_t)joint_nq(r->type) * sizeof *q);
    if (at >= 0) make_unit(g + at);
}

hml_status hml_configuration_integrate(const hml_model *m, const double *q, const double *v, double *out)
{
    if (!m || !q || !v || !out) return HML_INVALID_ARGUMENT;
    if (finite_numbers(v, m->nv)) return HML_NOT_FINITE;
    hml_status status = configuration_status(m, q);
    if (status) return status;
    const hml_plan *plan = model_plan(m);
    double g[HML_JOINT_MAX_NQ];
    for (const plan_run *r = plan_runs(plan), *end = r + plan->nruns; r < end; r++) {
        if (r->type == HML_JOINT_FIXED) {
            for (int32_t k = 0; k < r->n; k++) out[r->q + k] = q[r->q + k] + v[r->v + k];
            continue;
        }
        run_numbers(r, q, g);
        joint_integrate(r->type, g, v + r->v, out + r->q);
    }
    return finite_numbers(out, m->nq);
}

hml_status hml_configuration_difference(const hml_model *m, const double *q0, const double *q1, double *v)
{
    if (!m || !q0 || !q1 || !v) return HML_INVALID_ARGUMENT;
    hml_status status = configuration_status(m, q0);
    if (!status) status = configuration_status(m, q1);
    if (status) return status;
    const hml_plan *plan = model_plan(m);
    double g0[HML_JOINT_MAX_NQ], g1[HML_JOINT_MAX_NQ];
    for (const plan_run *r = plan_runs(plan), *end = r + plan->nruns; r < end; r++) {
        if (r->type == HML_JOINT_FIXED) {
            for (int32_t k = 0; k < r->n; k++) v[r->v + k] = q1[r->q + k] - q0[r->q + k];
            continue;
        }
        run_numbers(r, q0, g0);
        run_numbers(r, q1, g1);
        joint_difference(r->type, g0, g1, v + r->v);
    }
    return finite_numbers(v, m->nv);
}

hml_status hml_configuration_interpolate(const hml_model *m, const double *q0, const double *q1, double s, double *q)
{
    if (!m || !q0 || !q1 || !q) return HML_INVALID_ARGUMENT;
    if (!isfinite(s)) return HML_NOT_FINITE;
    double g0[HML_JOINT_MAX_NQ], g1[HML_JOINT_MAX_NQ], d[HML_JOINT_MAX_NV] = {0};
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        hml_status status = joint_numbers(j, q0, g0);
        if (!status) status = joint_numbers(j, q1, g1);
        if (status) return status;
        joint_difference(group_type(j->type), g0, g1, d);
        for (int32_t k = 0; k < j->nv; k++) d[k] *= s;
        joint_integrate(group_type(j->type), g0, d, q + j->q);
    }
    return finite_numbers(q, m->nq);
}

hml_status hml_configuration_distance(const hml_model *m, const double *q0, const double *q1, double *distance)
{
    if (!m || !q0 || !q1 || !distance) return HML_INVALID_ARGUMENT;
    double g0[HML_JOINT_MAX_NQ], g1[HML_JOINT_MAX_NQ], d[HML_JOINT_MAX_NV] = {0}, sum = 0;
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        hml_status status = joint_numbers(j, q0, g0);
        if (!status) status = joint_numbers(j, q1, g1);
        if (status) return status;
        joint_difference(group_type(j->type), g0, g1, d);
        for (int32_t k = 0; k < j->nv; k++) sum += d[k] * d[k];
    }
    *distance = sqrt(sum);
    return finite_numbers(distance, 1);
}
