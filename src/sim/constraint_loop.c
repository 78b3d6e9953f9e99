/*
 * See constraint_loop.h: rows of loops and their forces. λ acts on E, in the rows' axes; as a wrench in axes of E it is
 *
 *   F_E = λ (frame),  [Rᵀf; 0] (others, f in axes of O: λ, λ n, λ u),      F_O = −X*_OE F_E
 *
 * Seen from its body, a wrench changes while E moves by δ (left, relative to O):
 *
 *   δF_E = 0 (frame),  [Rᵀδf + f_E × δ.w; 0] (others),      δF_O = −X*_OE (δF_E + δ ×* F_E)
 */
#include "sim/constraint_loop.h"

#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "group/arrays.h"
#include "group/se3.h"
#include "hamel/dynamics.h"

int32_t hmli_loop_kind_rows(hml_constraint_kind kind)
{
    if (kind == HML_HOLD_DISTANCE) return 1;
    return kind == HML_TOUCH_PLANE ? 0 : hmli_constraint_kind_rows(kind);
}

int32_t hmli_loop_rows(const hml_constraints *set)
{
    int32_t rows = 0;
    if (set->loop_count < 0 || (set->loop_count && !set->loops)) return -1;
    for (int32_t i = 0; i < set->loop_count; i++) {
        const int32_t own = hmli_loop_kind_rows(set->loops[i].kind);
        if (!own || rows > INT32_MAX - own) return -1;
        rows += own;
    }
    return rows;
}

int hmli_loop_has_goal(const hml_loop *c)
{
    int any = 0;
    for (int i = 0; i < 12; i++) any |= c->pose[i] != 0; /* NaN too; the fourth row is never read */
    return any;
}

hml_status hmli_loop_check(const hml_model *model, const hml_loop *c)
{
    pose H;
    vec3 n;
    if (c->frame < 0 || c->frame >= model->nframes || c->frame == c->other) return HML_INVALID_ARGUMENT;
    if (c->other != HML_WORLD && (c->other < 0 || c->other >= model->nframes)) return HML_INVALID_ARGUMENT;
    if (!isfinite(c->damping) || !isfinite(c->stiffness)) return HML_NOT_FINITE;
    if (c->damping < 0 || c->stiffness < 0) return HML_INVALID_ARGUMENT;
    if (c->kind == HML_HOLD_DISTANCE) {
        if (!isfinite(c->distance)) return HML_NOT_FINITE;
        return c->distance > 0 ? HML_OK : HML_INVALID_ARGUMENT;
    }
    if (hmli_loop_has_goal(c)) TRY(read_placement(c->pose, &H));
    if (c->kind != HML_HOLD_PLANE) return HML_OK;
    TRY(read_vec3(c->normal, &n));
    return vec3_dot(n, n) > 0 ? HML_OK : HML_INVALID_ARGUMENT;
}

pose hmli_loop_goal(const hml_loop *c) { return hmli_loop_has_goal(c) ? pose_at(c->pose) : pose_identity(); }

static vec3 unit(vec3 a) { return vec3_scale(1 / sqrt(vec3_dot(a, a)), a); }

/* in axes of O: the normal of a plane, the direction of a distance */
static vec3 direction(const hml_loop *c, const loop_motion *m)
{
    return c->kind == HML_HOLD_PLANE ? unit(vec3_at(c->normal)) : m->u;
}

hml_status hmli_loop_motion(const hml_model *model, const hml_loop *c, const double *q, const double *v,
                            const double *a, double *J, loop_motion *m)
{
    const state_series state = {.q = q, .rates = {v, a}};
    const jacobian_series j = {.order = 0, .nv = model->nv, .J = {J}};
    twist V[SERIES_LENGTH];
    m->H = frame_series(model, c->frame, c->other, HML_LEFT, &state, v ? 1 : 0, V, J ? &j : NULL);
    m->V = v ? V[0] : twist_zero();
    m->A = v ? V[1] : twist_zero();
    m->length = sqrt(vec3_dot(m->H.p, m->H.p));
    if (c->kind != HML_HOLD_DISTANCE) return HML_OK;
    if (!(m->length > 0x1p-40 * c->distance)) return HML_SINGULAR;
    m->u = vec3_scale(1 / m->length, m->H.p);
    return HML_OK;
}

/* numbers of a vector in axes of O, `apart` from one to the next */
static void put_vector(const hml_loop *c, const loop_motion *m, vec3 a, size_t apart, double *out)
{
    if (c->kind == HML_HOLD_POINT)
        out[0] = a.x, out[apart] = a.y, out[2 * apart] = a.z;
    else
        out[0] = vec3_dot(direction(c, m), a);
}

static void put_twist(twist V, size_t apart, double *out)
{
    out[0] = V.v.x, out[apart] = V.v.y, out[2 * apart] = V.v.z;
    out[3 * apart] = V.w.x, out[4 * apart] = V.w.y, out[5 * apart] = V.w.z;
}

void hmli_loop_put(const hml_loop *c, const loop_motion *m, twist column, size_t apart, double *out)
{
    if (c->kind == HML_HOLD_FRAME)
        put_twist(column, apart, out);
    else
        put_vector(c, m, mat3_mul_vec(m->H.R, column.v), apart, out);
}

void hmli_loop_error(const hml_loop *c, const loop_motion *m, double *out)
{
    const pose goal = hmli_loop_goal(c);
    if (c->kind == HML_HOLD_FRAME)
        put_twist(se3_log(pose_between(goal, m->H)), 1, out);
    else if (c->kind == HML_HOLD_DISTANCE)
        out[0] = m->length - c->distance;
    else
        put_vector(c, m, vec3_sub(m->H.p, goal.p), 1, out);
}

void hmli_loop_put_error(const hml_loop *c, const loop_motion *m, twist column, size_t apart, double *out)
{
    if (c->kind == HML_HOLD_FRAME)
        column = se3_dexp_right_inverse_apply(se3_log(pose_between(hmli_loop_goal(c), m->H)), column);
    hmli_loop_put(c, m, column, apart, out);
}

/* ---- forces ---- */

/* f in axes of O */
static vec3 force_of(const hml_loop *c, const loop_motion *m, const double *lambda)
{
    return c->kind == HML_HOLD_POINT ? vec3_at(lambda) : vec3_scale(lambda[0], direction(c, m));
}

/* F_E in axes of E */
static wrench wrench_on(const hml_loop *c, const loop_motion *m, const double *lambda)
{
    if (c->kind == HML_HOLD_FRAME) return wrench_at(lambda);
    return wrench_of(mat3_tmul_vec(m->H.R, force_of(c, m, lambda)), vec3_zero());
}

hml_status hmli_loop_push(const hml_model *model, hml_work *work, const hml_loop *c, const double *q,
                          const loop_motion *m, const double *lambda, double *wrenches)
{
    const wrench F = wrench_on(c, m, lambda);
    double numbers[6];
    wrench_put(F, numbers);
    TRY(hml_wrench_add(model, work, q, c->frame, 0, numbers, wrenches));
    if (c->other == HML_WORLD) return HML_OK;
    wrench_put(wrench_scale(-1, pose_ad_dual(m->H, F)), numbers);
    return hml_wrench_add(model, work, q, c->other, 0, numbers, wrenches);
}

/* a vector less its part along u */
static vec3 across(vec3 u, vec3 a) { return vec3_axpy(-vec3_dot(u, a), u, a); }

/* δF_E and δF_O while E moves by δ */
static void turn_wrenches(const hml_loop *c, const loop_motion *m, const double *lambda, twist delta, wrench *dE,
                          wrench *dO)
{
    const wrench F = wrench_on(c, m, lambda);
    *dE = wrench_zero();
    if (c->kind != HML_HOLD_FRAME) dE->f = vec3_cross(F.f, delta.w);
    if (c->kind == HML_HOLD_DISTANCE) {
        const vec3 turned = across(m->u, mat3_mul_vec(m->H.R, delta.v));
        dE->f = vec3_axpy(lambda[0] / m->length, mat3_tmul_vec(m->H.R, turned), dE->f);
    }
    *dO = wrench_scale(-1, pose_ad_dual(m->H, wrench_add(*dE, twist_cross_dual(delta, F))));
}

void hmli_loop_turn(const hml_loop *c, const loop_motion *m, const double *lambda, int32_t n, const double *J_e,
                    const double *J_o, double *dq)
{
    for (int32_t k = 0; k < n; k++) {
        const twist delta = twist_sub(matrix_column(J_e, n, k), pose_ad_inverse(m->H, matrix_column(J_o, n, k)));
        wrench dE, dO;
        turn_wrenches(c, m, lambda, delta, &dE, &dO);
        for (int32_t r = 0; r < n; r++) {
            dq[(size_t)r * (size_t)n + (size_t)k] -=
                wrench_dot(dE, matrix_column(J_e, n, r)) + wrench_dot(dO, matrix_column(J_o, n, r));
        }
    }
}

/* ---- rows ---- */

/* the positions that a loop is the difference of, from the root body: of the digits that it may lose */
static double reach_of(const constraint_system *s, const hml_loop *c, const double *q)
{
    const state_series state = {.q = q};
    path_walk e, o;
    walk_start(&e, 0);
    walk_to(&e, s->model, c->frame, &state, 1, NULL);
    walk_start_beside(&o, &e);
    walk_to(&o, s->model, c->other, &state, 1, NULL);
    return sqrt(vec3_dot(e.H.p, e.H.p)) + sqrt(vec3_dot(o.H.p, o.H.p));
}

void hmli_loop_drift(const hml_loop *c, const loop_motion *m, double *out)
{
    const vec3 rate = mat3_mul_vec(m->H.R, m->V.v);
    double e[6] = {0};
    if (c->kind == HML_HOLD_FRAME) {
        put_twist(twist_axpy(c->damping, m->V, m->A), 1, out);
    } else {
        const vec3 b = mat3_mul_vec(m->H.R, vec3_add(m->A.v, vec3_cross(m->V.w, m->V.v)));
        put_vector(c, m, vec3_axpy(c->damping, rate, b), 1, out);
    }
    if (c->kind == HML_HOLD_DISTANCE) out[0] += vec3_dot(rate, across(m->u, rate)) / m->length;
    if (!(c->stiffness > 0)) return;
    hmli_loop_error(c, m, e);
    for (int32_t i = 0; i < hmli_loop_kind_rows(c->kind); i++) out[i] += c->stiffness * e[i];
}

/* does a body carry this frame? */
static int carries(const hml_model *m, int32_t body, int32_t frame)
{
    const int32_t end = frame == HML_WORLD ? -1 : model_frames(m)[frame].body;
    return body <= end && end < model_bodies(m)[body].subtree_end;
}

/* does coordinate k turn or slide a joint that carries one of the two frames and not the other? */
static int moves_apart(const hml_model *m, const hml_loop *c, int32_t k)
{
    for (int32_t i = 0; i < m->nbodies; i++) {
        const int32_t first = coordinates_of(m, i).v;
        if (k < first || k >= first + model_bodies(m)[i].nv) continue;
        if (carries(m, i, c->frame) != carries(m, i, c->other)) return 1;
    }
    return 0;
}

/*
 * Joints that carry both frames do not move them apart. Their columns cancel to the last bit, but those of a leader and of
 * its followers are added up first: then last bits are left, which would be a row like any other.
 */
static void clear_common(const constraint_system *s, const hml_loop *c, twist V[2])
{
    const size_t n = s->n;
    int apart = 0;
    for (int32_t k = 0; k < s->model->nv; k++) {
        const int moves = moves_apart(s->model, c, k);
        for (size_t r = 0; !moves && r < 6; r++) s->block[r * n + (size_t)k] = 0;
        apart |= moves;
    }
    if (!apart) V[0] = V[1] = twist_zero();
}

hml_status hmli_loop_evaluate(constraint_system *s, const double *q, const double *v, int drift, size_t row)
{
    for (int32_t i = 0; i < s->set->loop_count; i++) {
        const hml_loop *c = &s->set->loops[i];
        loop_motion m;
        TRY(hmli_loop_motion(s->model, c, q, drift ? v : NULL, NULL, s->block, &m));
        twist V[2] = {m.V, m.A};
        if (s->model->nfollowers) clear_common(s, c, V);
        const double reach = reach_of(s, c, q);
        hmli_constraint_clear_rounding(s, reach, v, drift ? V : NULL);
        m.V = V[0], m.A = V[1];
        for (int32_t k = 0; k < s->model->nv; k++) {
            double *entry = s->J + row * s->n + k;
            const twist column = matrix_column(s->block, s->model->nv, k);
            hmli_loop_put(c, &m, column, s->n, entry);
            if (hmli_loop_kind_rows(c->kind) == 1) *entry = constraint_entry(*entry, column, reach);
        }
        if (drift) hmli_loop_drift(c, &m, s->drift + row);
        row += (size_t)hmli_loop_kind_rows(c->kind);
    }
    return HML_OK;
}
