/* One step of an integrator on the group and its exact Jacobians: see hamel/discrete.h. */
#include "hamel/discrete.h"

#include <math.h>
#include <string.h>

#include "algo/linearize/blocks.h"
#include "algo/linearize/step.h"
#include "algo/states.h"
#include "base/layout.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/joint.h"
#include "hamel/configuration.h"
#include "model/coordinates.h"
#include "model/mimic.h"

/* the beginning of a line of the cache */
static double *line_at(double *at)
{
    const uintptr_t a = (uintptr_t)at;
    return at ? at + (LAYOUT_ALIGN - a % LAYOUT_ALIGN) % LAYOUT_ALIGN / sizeof *at : NULL;
}

/* room for all joints, of which those that do not commute are listed: counting them first would take as long as laying out */
static void lay_out_joints(const hml_model *model, layout_cursor *c, step_call *t)
{
    step_joint *to = layout_array(c, (size_t)model->njoints, sizeof *to);
    layout_align(c);
    t->njoints = 0, t->joints = to;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        if (joint_commutes(j->type)) continue;
        const size_t size = (size_t)j->nv * t->ld;
        double *rows = layout_doubles(c, 3 * size + STEP_ROW_PACK);
        t->njoints++;
        if (!to) continue;
        to->first = (size_t)j->v, to->m = (size_t)j->nv;
        to->moved = rows, to->rate = rows + size, to->sum = rows + 2 * size;
        to++;
    }
}

size_t hmli_step_lay_out(const hml_model *model, double *at, one_step *s)
{
    const size_t n = (size_t)model->nv;
    step_call *t = &s->tangent;
    layout_cursor c = layout_begin(line_at(at));
    const model_joint *root = first_joint(model);
    t->n = n;
    t->begin = root && root->type == HML_JOINT_FREE && root->v == 0 ? STEP_HEAD - 6 : 0;
    t->ld = (t->begin + 3 * n + STEP_ROW_PACK - 1) / STEP_ROW_PACK * STEP_ROW_PACK;
    for (int i = 0; i < 4; i++) t->K[i] = layout_doubles(&c, n * t->ld + STEP_ROW_PACK);
    lay_out_joints(model, &c, t);
    s->q = layout_doubles(&c, (size_t)model->nq);
    s->x = layout_doubles(&c, 2 * n);
    s->rate = layout_doubles(&c, 2 * n);
    s->sum = layout_doubles(&c, 2 * n);
    t->factor = layout_doubles(&c, 2 * n * n);
    t->rows = layout_array(&c, 2 * n, sizeof *t->rows);
    s->coordinates = layout_array(&c, (size_t)model->tree_nv, sizeof *s->coordinates);
    s->map.model = model;
    s->map.user = layout_array(&c, (size_t)model->tree_nv, sizeof *s->map.user);
    s->map.factor = layout_doubles(&c, (size_t)model->tree_nv);
    s->map.tree_q = layout_doubles(&c, (size_t)model->tree_nq);
    s->K = t->K[0];
    s->left = t->K[1];
    s->springs = t->K[1] ? t->K[1] + n * n : NULL;
    s->factor = t->K[1] ? t->K[1] + 2 * n * n : NULL;
    s->dq = t->K[2];
    s->dv = t->K[2] ? t->K[2] + n * n : NULL;
    return layout_count(&c) + LAYOUT_ALIGN / sizeof(double); /* scratch may begin anywhere */
}

size_t hml_step_scratch_doubles(const hml_model *model)
{
    one_step s;
    return model ? hmli_step_lay_out(model, NULL, &s) : 0;
}

/* x ← (0, ν) + h·rate: where the next stage is */
static void advance(const one_step *s, double h, const double *rate)
{
    for (size_t i = 0; i < s->n; i++) s->x[i] = h * rate[i];
    for (size_t i = 0; i < s->n; i++) s->x[s->n + i] = s->v[i] + h * rate[s->n + i];
}

/* the derivative of the stage x, and its tangent */
static hml_status stage(one_step *s, int index)
{
    hml_status status = hml_configuration_integrate(s->model, s->q0, s->x, s->q);
    if (status) return status;
    if (index)
        hmli_step_angle_rates(s, s->wanted);
    else
        memcpy(s->rate, s->v, s->n * sizeof *s->rate); /* θ = 0 */
    if (s->wanted) return hmli_step_stage_tangent(s, index);
    return hmli_forward_dynamics(s->work, NULL, s->q, s->x + s->n, s->tau, NULL, s->rate + s->n);
}

static hml_status munthe_kaas(one_step *s, int stages)
{
    static const double nodes[4] = {0, 0.5, 0.5, 1}, two[2] = {0, 1}, four[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    step_call *t = &s->tangent;
    const double *weight = stages == 2 ? two : four;
    memset(s->rate, 0, 2 * s->n * sizeof *s->rate);
    memset(s->sum, 0, 2 * s->n * sizeof *s->sum);
    t->stages = stages, t->plan = model_plan(s->model);
    s->limbs = hmli_limbs_pay(s->work);
    memcpy(t->node, nodes, (size_t)stages * sizeof *nodes), memcpy(t->weight, weight, (size_t)stages * sizeof *weight);
    for (int i = 0; i < stages; i++) {
        advance(s, nodes[i] * s->h, s->rate);
        hml_status status = stage(s, i);
        if (status) return status;
        for (size_t k = 0; k < 2 * s->n; k++) s->sum[k] += weight[i] * s->rate[k];
    }
    advance(s, s->h, s->sum);
    if (s->wanted) hmli_step_sum_tangent(s);
    return HML_OK;
}

/* D_q, D_ν, M⁻¹ into the lower halves of A_d and B_d, and the acceleration */
static hml_status euler_linearize(const one_step *s, const model_coordinate *coordinates)
{
    const size_t n = s->n;
    const kernel_output A = s->tangent.Ad, B = s->tangent.Bd;
    hml_linearization at;
    memset(&at, 0, sizeof at);
    at.struct_size = sizeof at;
    at.q.data = s->q0;
    at.v.data = s->v;
    at.tau.data = s->tau;
    at.acceleration.data = s->rate + n;
    at.Dq = (hml_output){A.data + n * A.ld, A.ld, 0};
    at.Dv = (hml_output){A.data + n * A.ld + n, A.ld, 0};
    at.Minv = (hml_output){B.data + n * B.ld, B.ld, 0};
    return hmli_linearize(s->work, coordinates, &at);
}

static hml_status euler_general(const one_step *s)
{
    const size_t n = s->n;
    const kernel_output A = s->tangent.Ad, B = s->tangent.Bd;
    const hml_status status = hmli_step_implicit(s);
    for (size_t r = 0; !status && s->wanted && r < n; r++) {
        memcpy(A.data + (n + r) * A.ld, s->K + 3 * n * r, 2 * n * sizeof(double));
        memcpy(B.data + (n + r) * B.ld, s->K + 3 * n * r + 2 * n, n * sizeof(double));
    }
    return status;
}

/* θ = h ν⁺: the rate of θ is the velocity at the end */
static hml_status semi_implicit_euler(one_step *s)
{
    const step_kind kind = s->linearized ? STEP_EXPLICIT : hmli_step_elastic(s->model, s->h, s->coordinates);
    hml_status status = HML_OK;
    const model_coordinate *coordinates = kind == STEP_DIAGONAL ? s->coordinates : NULL;
    if (kind == STEP_GENERAL)
        status = euler_general(s);
    else if (s->wanted && !s->linearized)
        status = euler_linearize(s, coordinates);
    else if (!s->wanted && !s->linearized)
        status = hmli_forward_dynamics(s->work, coordinates, s->q0, s->v, s->tau, NULL, s->rate + s->n);
    if (status) return status;
    for (size_t i = 0; i < s->n; i++) {
        s->x[s->n + i] = s->v[i] + s->h * s->rate[s->n + i];
        s->x[i] = s->h * s->x[s->n + i];
    }
    if (s->wanted) hmli_step_euler_tangent(s);
    return HML_OK;
}

hml_status hmli_step_run(one_step *s, hml_scheme scheme, double *q_next, double *v_next)
{
    const size_t n = s->n;
    hml_status status;
    const unsigned before = overflow_watch();
    switch (scheme) {
    case HML_SCHEME_EULER: status = semi_implicit_euler(s); break;
    case HML_SCHEME_RK2: status = munthe_kaas(s, 2); break;
    case HML_SCHEME_RK4: status = munthe_kaas(s, 4); break;
    default: status = (unsigned)scheme < HML_SCHEME_COUNT ? HML_UNSUPPORTED : HML_INVALID_ARGUMENT; break;
    }
    if (overflow_seen(before) && !status) {
        status = finite_array(s->x, 2 * n);
        if (!status && s->wanted) status = output_finite(s->tangent.Ad, 2 * n, 2 * n);
        if (!status && s->wanted) status = output_finite(s->tangent.Bd, 2 * n, n);
    }
    if (!status) status = hml_configuration_integrate(s->model, s->q0, s->x, q_next);
    if (!status) memcpy(v_next, s->x + n, n * sizeof(double));
    return status;
}

int hmli_step_valid(const hml_model *model, const hml_discrete_step *x)
{
    const size_t nv = (size_t)model->nv;
    return x && isfinite(x->h) && x->q.data && x->v.data && x->q_next.data && x->v_next.data &&
           !x->Ad.data == !x->Bd.data && output_fits(x->q_next, (size_t)model->nq) && output_fits(x->v_next, nv) &&
           output_fits(x->Ad, 2 * nv) && output_fits(x->Bd, nv);
}

hml_status hml_step(const hml_model *model, hml_work *work, double *scratch, const hml_discrete_step *arguments)
{
    hml_discrete_step room;
    const hml_discrete_step *x = STRUCT_TAKE(hml_discrete_step, arguments, &room, v_next);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !hmli_step_valid(model, x) || !scratch) {
        return HML_INVALID_ARGUMENT;
    }
    const size_t n = (size_t)model->nv;
    one_step s = {.model = model, .work = work, .n = n, .h = x->h, .wanted = x->Ad.data != NULL};
    s.q0 = x->q.data, s.v = x->v.data, s.tau = x->tau.data;
    hmli_step_lay_out(model, scratch, &s);
    s.tangent.h = x->h;
    s.tangent.Ad = states_output(x->Ad, 2 * n, 2 * n);
    s.tangent.Bd = states_output(x->Bd, 2 * n, n);
    return hmli_step_run(&s, x->scheme, x->q_next.data, x->v_next.data);
}
