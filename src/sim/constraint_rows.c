/*
 * Rows of constraints and what comes with them, for constraint.c and constraint_linearize.c.
 *
 *   frame   J_left,            J̇ν: derivative of the left twist,  e = log(H*⁻¹ H)
 *   point   J_mixed, 3 rows,   p̈ at ν̇ = 0,                        e = p − p*
 *   plane   nᵀ J_mixed,        nᵀ p̈,                              e = nᵀ(p − p*)
 */
#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "group/arrays.h"
#include "group/se3.h"
#include "hamel/reference/textbook.h"
#include "sim/constraint.h"
#include "sim/constraint_held.h"
#include "sim/constraint_loop.h"

int32_t hmli_constraint_kind_rows(hml_constraint_kind kind)
{
    switch (kind) {
    case HML_HOLD_FRAME: return 6;
    case HML_HOLD_POINT: return 3;
    case HML_HOLD_PLANE:
    case HML_TOUCH_PLANE: return 1;
    default: return 0;
    }
}

int32_t hml_constraint_rows(const hml_constraints *constraints)
{
    int32_t rows = 0;
    hml_constraints room;
    const hml_constraints *set = constraints_take(constraints, &room);
    if (!set || set->count < 0 || (set->count && !set->items)) return -1;
    for (int32_t i = 0; i < set->count; i++) {
        int32_t own = hmli_constraint_kind_rows(set->items[i].kind);
        if (!own || rows > INT32_MAX - own) return -1;
        rows += own;
    }
    const int32_t loops = hmli_loop_rows(set);
    return loops < 0 || rows > INT32_MAX - loops ? -1 : rows + loops;
}

static size_t count_touches(const hml_constraints *set)
{
    size_t count = 0;
    for (int32_t i = 0; i < set->count; i++) count += set->items[i].kind == HML_TOUCH_PLANE;
    return count;
}

static size_t lay_out(const hml_model *model, size_t m, size_t touches, double *at, constraint_system *s)
{
    const size_t n = (size_t)model->nv;
    layout_cursor c = layout_begin(at);
    s->n = n;
    s->m = m;
    s->touches = touches;
    s->L = layout_doubles(&c, n * n);
    s->h = layout_doubles(&c, n);
    s->J = layout_doubles(&c, m * n);
    s->drift = layout_doubles(&c, m);
    s->block = layout_doubles(&c, 6 * n);
    s->a = layout_doubles(&c, n);
    s->lambda = layout_doubles(&c, m);
    s->b = layout_doubles(&c, m);
    s->x = layout_doubles(&c, n);
    s->wrenches = layout_doubles(&c, 6 * (size_t)model->nbodies);
    s->zero = layout_doubles(&c, n);
    s->partials.dq = layout_doubles(&c, n * n);
    s->partials.dv = layout_doubles(&c, n * n);
    s->partials.J = layout_doubles(&c, 6 * n);
    s->partials.twist_q = layout_doubles(&c, 6 * n);
    s->partials.motion_q = layout_doubles(&c, 6 * n);
    s->partials.motion_v = layout_doubles(&c, 6 * n);
    s->partials.other.J = layout_doubles(&c, 6 * n);
    s->partials.other.twist_q = layout_doubles(&c, 6 * n);
    s->partials.other.motion_q = layout_doubles(&c, 6 * n);
    s->partials.other.motion_v = layout_doubles(&c, 6 * n);
    s->partials.cq = layout_doubles(&c, m * n);
    s->partials.cv = layout_doubles(&c, m * n);
    s->basis.Z = layout_doubles(&c, n * n);
    s->basis.MZ = layout_doubles(&c, n * n);
    s->basis.X = layout_doubles(&c, n * n);
    s->basis.T = layout_doubles(&c, n * n);
    s->basis.xi = layout_doubles(&c, n * m);
    s->basis.GZ = layout_doubles(&c, n * m);
    s->parents = layout_array(&c, n, sizeof *s->parents);
    hmli_rank_lay_out(n, m, &c, &s->K);
    if (touches) {
        s->open = layout_doubles(&c, m);
        hmli_shortest_lay_out(n, m, &c, &s->push);
        hmli_shortest_lay_out(m, n + m, &c, &s->least);
    }
    return layout_count(&c);
}

/* is the size a number? The scratch holds some twenty matrices with as many rows and columns as both together */
static int scratch_exists(const hml_model *model, size_t m)
{
    const size_t side = m + (size_t)model->nv + 1;
    return side <= SIZE_MAX / sizeof(double) / 64 / side;
}

size_t hml_constraint_scratch_doubles(const hml_model *model, const hml_constraints *constraints)
{
    constraint_system s;
    hml_constraints room;
    const hml_constraints *set = constraints_take(constraints, &room);
    const int32_t m = hml_constraint_rows(set);
    if (!model || m < 0 || !scratch_exists(model, (size_t)m)) return 0;
    const size_t general = lay_out(model, (size_t)m, count_touches(set), NULL, &s);
    const size_t held = hmli_held_scratch(model, set, (size_t)m);
    return general > held ? general : held;
}

static hml_status check_item(const hml_model *model, const hml_constraint *c)
{
    pose H;
    vec3 n;
    if (c->frame < 0 || c->frame >= model->nframes) return HML_INVALID_ARGUMENT;
    if (!isfinite(c->damping) || !isfinite(c->stiffness)) return HML_NOT_FINITE;
    if (c->damping < 0 || c->stiffness < 0) return HML_INVALID_ARGUMENT;
    if (c->stiffness > 0) TRY(read_placement(c->pose, &H));
    if (!constraint_is_plane(c)) return HML_OK;
    TRY(read_vec3(c->normal, &n));
    return vec3_dot(n, n) > 0 ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hmli_constraint_check(const hml_model *model, const hml_work *work, const hml_constraints *set)
{
    int32_t m = hml_constraint_rows(set);
    if (hmli_work_check(model, work, HML_USE_ALL) || m < 0) return HML_INVALID_ARGUMENT;
    if (!scratch_exists(model, (size_t)m)) return HML_INVALID_ARGUMENT;
    if (!(set->tolerance >= 0) || !(set->tolerance < 1)) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < set->count; i++) TRY(check_item(model, &set->items[i]));
    for (int32_t i = 0; i < set->loop_count; i++) TRY(hmli_loop_check(model, &set->loops[i]));
    return HML_OK;
}

hml_status hmli_constraint_open(const hml_model *model, hml_work *work, const hml_constraints *set, const double *q,
                                const double *v, const double *tau, const double *wrenches, double *scratch,
                                constraint_system *s)
{
    if (!q || !scratch) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_check(model, work, set));
    TRY(hmli_work_check_state(model, q, v, tau, wrenches));
    const int32_t m = hml_constraint_rows(set);
    lay_out(model, (size_t)m, count_touches(set), scratch, s);
    s->model = model;
    s->work = work;
    s->set = set;
    s->q = q;
    memset(s->zero, 0, s->n * sizeof(double));
    if (s->touches) memset(s->open, 0, s->m * sizeof(double));
    if (hml_coordinate_parents(model, s->parents) == HML_OK) return HML_OK;
    for (size_t i = 0; i < s->n; i++) s->parents[i] = (int32_t)i - 1; /* with mimic followers M is dense: one chain */
    return HML_OK;
}

/* rows of J from the frame's 6 × n block */
static void put_rows(const constraint_system *s, const hml_constraint *c, double reach, double *J)
{
    const size_t n = s->n;
    if (!constraint_is_plane(c)) {
        memcpy(J, s->block, (size_t)hmli_constraint_kind_rows(c->kind) * n * sizeof *J);
        return;
    }
    vec3 normal = constraint_normal(c);
    for (size_t k = 0; k < n; k++) {
        const twist column = matrix_column(s->block, s->model->nv, (int32_t)k);
        J[k] = constraint_entry(vec3_dot(normal, column.v), column, reach);
    }
}

/* the same for a twist, or for its derivative */
static void put_numbers(const hml_constraint *c, twist V, double *out)
{
    if (constraint_is_plane(c)) {
        *out = vec3_dot(constraint_normal(c), V.v);
        return;
    }
    out[0] = V.v.x, out[1] = V.v.y, out[2] = V.v.z;
    if (c->kind == HML_HOLD_FRAME) out[3] = V.w.x, out[4] = V.w.y, out[5] = V.w.z;
}

static twist position_error(const hml_constraint *c, pose H)
{
    pose goal;
    if (!(c->stiffness > 0) || read_pose(c->pose, &goal)) return twist_zero();
    if (c->kind == HML_HOLD_FRAME) return se3_log(pose_between(goal, H));
    return twist_of(vec3_sub(H.p, goal.p), vec3_zero());
}

void hmli_constraint_clear_rounding(const constraint_system *s, double reach, const double *v, twist *V)
{
    const size_t n = s->n;
    double turning = 0, moving = 0;
    for (size_t k = 0; k < n; k++) {
        const twist column = matrix_column(s->block, s->model->nv, (int32_t)k);
        const double rounding = constraint_rounding(column, reach);
        for (size_t r = 0; r < 3; r++)
            if (fabs(s->block[r * n + k]) <= rounding) s->block[r * n + k] = 0;
        if (V) turning += sqrt(vec3_dot(column.w, column.w)) * fabs(v[k]), moving += rounding * fabs(v[k]);
    }
    if (!V) return;
    if (sqrt(vec3_dot(V[0].v, V[0].v)) <= moving) V[0].v = vec3_zero();
    if (sqrt(vec3_dot(V[1].v, V[1].v)) <= turning * moving) V[1].v = vec3_zero();
}

hml_status hmli_constraint_evaluate(constraint_system *s, const double *q, const double *v, int drift)
{
    const state_series state = {.q = q, .rates = {v}};
    const jacobian_series j = {.order = 0, .nv = s->model->nv, .J = {s->block}};
    size_t row = 0;
    for (int32_t i = 0; i < s->set->count; i++) {
        const hml_constraint *c = &s->set->items[i];
        const hml_representation rep = c->kind == HML_HOLD_FRAME ? HML_LEFT : HML_MIXED;
        twist V[SERIES_LENGTH];
        pose H = frame_series(s->model, c->frame, HML_WORLD, rep, &state, drift ? 1 : 0, V, &j);
        const double reach = sqrt(vec3_dot(H.p, H.p));
        hmli_constraint_clear_rounding(s, reach, v, drift ? V : NULL);
        put_rows(s, c, reach, s->J + row * s->n);
        if (drift) {
            twist sum = twist_axpy(c->damping, V[0], V[1]);
            put_numbers(c, twist_axpy(c->stiffness, position_error(c, H), sum), s->drift + row);
        }
        row += (size_t)hmli_constraint_kind_rows(c->kind);
    }
    return hmli_loop_evaluate(s, q, v, drift, row);
}
