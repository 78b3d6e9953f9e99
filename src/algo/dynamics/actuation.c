/* What actuators do to a robot: hamel/actuation.h. */
#include "algo/dynamics/actuation.h"

#include <math.h>
#include <string.h>

#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics_derivatives.h"
#include "model/coordinates.h"

static hml_status finite_or_null(const double *x, int32_t n) { return x ? finite_numbers(x, n) : HML_OK; }

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += a[k] * b[k];
    return sum;
}

/* row `index` of Nᵀ: the force of every coordinate for f = 1 */
static hml_status put_row(const hml_model *m, hml_work *work, const double *q, int32_t index, double *row)
{
    const model_actuator *a = &model_actuators(m)[index];
    if (a->transmission == HML_TRANSMISSION_JOINT) {
        const actuated_joint j = actuation_joint(m, a);
        memset(row, 0, (size_t)m->nv * sizeof *row);
        for (int32_t k = 0; k < j.n; k++) row[j.v + k] = j.factor * a->gear[k];
        return HML_OK;
    }
    hml_frame_load load = {.frame = a->target, .axes = HML_AXES_OF_FRAME};
    memcpy(load.wrench, a->gear, sizeof load.wrench);
    return hml_generalized_force(m, work, q, 1, &load, HML_LEFT, row);
}

/* the speed of an actuator on a frame */
static hml_status speed_of(const hml_model *m, hml_work *work, const model_actuator *a, const double *q,
                           const double *v, double *speed)
{
    double V[6];
    const hml_frame_motion motion = {.struct_size = sizeof motion, .twist = V};
    *speed = 0;
    if (!v || a->bias[2] == 0) return HML_OK;
    hml_status status = hml_frame(m, work, a->target, HML_LEFT, q, v, NULL, &motion);
    if (!status) *speed = dot6(a->gear, V);
    return status;
}

static double force_of(const model_actuator *a, const int32_t *held, double u, double length, double speed,
                       double slopes[3])
{
    if (!held) return actuation_force(a, u, length, speed, slopes);
    const double f = actuation_law(a, u, length, speed, slopes);
    if (!*held) return f;
    slopes[0] = slopes[1] = slopes[2] = 0;
    return *held > 0 ? a->force_upper : a->force_lower;
}

static hml_status one(const hml_model *m, hml_work *work, int32_t index, const int32_t *held, const hml_actuation *x)
{
    const model_actuator *a = &model_actuators(m)[index];
    const int joint = a->transmission == HML_TRANSMISSION_JOINT;
    const actuated_joint j = joint ? actuation_joint(m, a) : (actuated_joint){0, 0, 0, 1, 0};
    double length = 0, speed = 0, slopes[3], pushing[6];
    hml_status status = HML_OK;
    if (joint)
        actuation_length(a, j, x->q, x->v, &length, &speed);
    else
        status = speed_of(m, work, a, x->q, x->v, &speed);
    const double f = force_of(a, held ? held + index : NULL, x->u ? x->u[index] : 0, length, speed, slopes);
    if (x->force) x->force[index] = f;
    for (int32_t k = 0; x->tau && k < j.n; k++) x->tau[j.v + k] += j.factor * a->gear[k] * f;
    for (int k = 0; k < 6; k++) pushing[k] = a->gear[k] * f;
    if (!status && x->wrenches && !joint) status = hml_wrench_add(m, work, x->q, a->target, 0, pushing, x->wrenches);
    if (!status && x->map) status = put_row(m, work, x->q, index, x->map + (size_t)index * (size_t)m->nv);
    if (x->slopes) memcpy(x->slopes + 3 * (size_t)index, slopes, sizeof slopes);
    return !status && !isfinite(f) ? HML_NOT_FINITE : status;
}

hml_status hmli_actuation_add(const hml_model *m, hml_work *work, const int32_t *held, const hml_actuation *x)
{
    hml_status status = HML_OK;
    for (int32_t i = 0; !status && i < m->nactuators; i++) status = one(m, work, i, held, x);
    return status;
}

hml_status hml_actuation_compute(const hml_model *m, hml_work *work, const hml_actuation *arguments)
{
    hml_actuation room;
    const hml_actuation *x = STRUCT_TAKE(hml_actuation, arguments, &room, q);
    if (!x || !x->q) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check(m, work, HML_USE_TREE);
    if (!status) status = hmli_work_check_state(m, x->q, x->v, NULL, NULL);
    if (!status) status = finite_or_null(x->u, m->nactuators);
    if (status) return status;
    if (x->tau) memset(x->tau, 0, (size_t)m->nv * sizeof *x->tau);
    if (x->wrenches) memset(x->wrenches, 0, 6 * (size_t)m->nbodies * sizeof *x->wrenches);
    const unsigned before = overflow_watch();
    status = hmli_actuation_add(m, work, NULL, x);
    if (status) return status;
    return OVERFLOW_STATUS(before, {x->tau, (size_t)m->nv}, {x->wrenches, 6 * (size_t)m->nbodies});
}

hml_status hml_actuation_hold(const hml_model *m, const double *q, double *u)
{
    if (!m || !q || !u) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(m, q, NULL, NULL, NULL);
    for (int32_t i = 0; !status && i < m->nactuators; i++) {
        const model_actuator *a = &model_actuators(m)[i];
        double length = 0, speed;
        u[i] = 0;
        if (a->transmission != HML_TRANSMISSION_JOINT || a->bias[1] == 0 || a->gain == 0) continue;
        actuation_length(a, actuation_joint(m, a), q, NULL, &length, &speed);
        u[i] = -(a->bias[0] + a->bias[1] * length) / a->gain;
        u[i] = u[i] < a->lower ? a->lower : u[i] > a->upper ? a->upper : u[i];
    }
    return status;
}

/* ---- linearization ---- */

typedef struct parts {
    double *tau, *wrenches, *map, *slopes, *acceleration, *A, *Minv, *pushed, *turned;
} parts;

static size_t lay_out(const hml_model *m, double *at, parts *p)
{
    const size_t n = (size_t)m->nv, nu = (size_t)m->nactuators;
    p->tau = at;
    p->wrenches = p->tau + n;
    p->map = p->wrenches + 6 * (size_t)m->nbodies;
    p->slopes = p->map + nu * n;
    p->acceleration = p->slopes + 3 * nu;
    p->A = p->acceleration + n;
    p->Minv = p->A + 4 * n * n;
    p->pushed = p->Minv + n * n;
    p->turned = p->pushed + n;
    return (size_t)(p->turned + 6 * n - at);
}

size_t hml_actuation_doubles(const hml_model *model)
{
    const size_t n = model ? (size_t)model->nv : 0, nu = model ? (size_t)model->nactuators : 0;
    return model ? 9 * n + 6 * (size_t)model->nbodies + nu * n + 3 * nu + 5 * n * n : 0;
}

/* out: n, how length and speed together change with q, each with its slope */
static hml_status change_with_q(const hml_model *m, hml_work *work, int32_t index, const double *q, const double *v,
                                const parts *p, double *out)
{
    const model_actuator *a = &model_actuators(m)[index];
    const double *slopes = p->slopes + 3 * (size_t)index, *row = p->map + (size_t)index * (size_t)m->nv;
    const size_t n = (size_t)m->nv;
    const hml_frame_derivative d = {.struct_size = sizeof d, .twist_q = p->turned};
    for (size_t i = 0; i < n; i++) out[i] = 0;
    if (a->transmission == HML_TRANSMISSION_JOINT) {
        for (size_t i = 0; i < n; i++) out[i] = slopes[1] * row[i];
        return HML_OK;
    }
    if (slopes[2] == 0 || !v) return HML_OK;
    hml_status status = hml_frame_derivatives(m, work, a->target, HML_LEFT, q, v, NULL, &d);
    for (size_t k = 0; !status && k < 6; k++) {
        for (size_t i = 0; i < n; i++) out[i] += slopes[2] * a->gear[k] * p->turned[k * n + i];
    }
    return status;
}

/* what actuator `index` adds to A, and its column of B */
static hml_status add_actuator(const hml_model *m, hml_work *work, int32_t index, const hml_actuated_linearization *x,
                               const parts *p)
{
    const size_t n = (size_t)m->nv, nu = (size_t)m->nactuators;
    const double *row = p->map + (size_t)index * n, *slopes = p->slopes + 3 * (size_t)index;
    double *by_q = p->tau; /* nobody needs it any more */
    hml_status status = change_with_q(m, work, index, x->q, x->v, p, by_q);
    for (size_t r = 0; !status && r < n; r++) {
        double pushed = 0;
        for (size_t c = 0; c < n; c++) pushed += p->Minv[r * n + c] * row[c];
        for (size_t c = 0; c < n; c++) {
            p->A[(n + r) * 2 * n + c] += pushed * by_q[c];
            p->A[(n + r) * 2 * n + n + c] += pushed * slopes[2] * row[c];
        }
        if (x->B) x->B[r * nu + (size_t)index] = 0;
        if (x->B) x->B[(n + r) * nu + (size_t)index] = pushed * slopes[0];
    }
    return status;
}

hml_status hml_actuation_linearize(const hml_model *m, hml_work *work, double *scratch,
                                   const hml_actuated_linearization *arguments)
{
    hml_actuated_linearization room;
    parts p;
    const hml_actuated_linearization *x = STRUCT_TAKE(hml_actuated_linearization, arguments, &room, q);
    if (!x || !x->q || !scratch || hmli_work_check(m, work, HML_USE_ALL)) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(m, x->q, x->v, x->tau, x->wrenches);
    if (status) return status;
    const size_t n = (size_t)m->nv, six = 6 * (size_t)m->nbodies;
    lay_out(m, scratch, &p);
    const hml_actuation forces = {.struct_size = sizeof forces,
                                  .q = x->q,
                                  .v = x->v,
                                  .u = x->u,
                                  .tau = p.tau,
                                  .wrenches = p.wrenches,
                                  .map = p.map,
                                  .slopes = p.slopes};
    status = hml_actuation_compute(m, work, &forces);
    if (status) return status;
    for (size_t i = 0; x->tau && i < n; i++) p.tau[i] += x->tau[i];
    for (size_t i = 0; x->wrenches && i < six; i++) p.wrenches[i] += x->wrenches[i];
    for (size_t i = 0; i < n; i++) p.pushed[i] = x->v ? x->v[i] : 0;
    const hml_linearization all = {.struct_size = sizeof all,
                                   .q = {x->q, 0},
                                   .v = {p.pushed, 0},
                                   .tau = {p.tau, 0},
                                   .wrenches = {p.wrenches, 0},
                                   .acceleration = {p.acceleration, 0, 0},
                                   .Minv = {p.Minv, 0, 0},
                                   .A = {p.A, 0, 0}};
    status = hml_linearize(m, work, &all);
    const unsigned before = overflow_watch();
    for (int32_t i = 0; !status && i < m->nactuators; i++) status = add_actuator(m, work, i, x, &p);
    if (!status) status = OVERFLOW_STATUS(before, {p.A, 4 * n * n}, {x->B, 2 * n * (size_t)m->nactuators});
    if (status) return status;
    if (x->acceleration) memcpy(x->acceleration, p.acceleration, n * sizeof(double));
    if (x->A) memcpy(x->A, p.A, 4 * n * n * sizeof(double));
    return HML_OK;
}
