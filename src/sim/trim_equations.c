/*
 * The equations of hml_trim and their exact derivatives.
 *
 *   c₁ = (τ̂(q, ν, 0, W) − S τ) / force_scale      W: the caller's wrenches, thrusts and the forces of the holds
 *   c₂ = e(q)                                      log(H*⁻¹ H) of a frame, p − p* of a point, n·(p − p*) of a plane
 *
 *   ∂c₁/∂z: the derivative of inverse dynamics with wrenches that move with their bodies; a force at a held point keeps
 *   its direction in the world instead, which adds −J_linᵀ (f × J_ang), as in constraint_linearize.c
 *   ∂c₁/∂τ = −S,  ∂c₁/∂u = −Jᵀw,  ∂c₁/∂λ = −Jᵀ
 */
#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "group/se3.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "model/limits.h"
#include "sim/trim.h"

static hml_status gather_wrenches(trim_system *s, const trim_point *x)
{
    const double *given = s->problem->wrenches, *lambda = x->f + trim_lambda_at(s);
    double F[6];
    for (size_t i = 0; i < 6 * (size_t)s->model->nbodies; i++) s->wrenches[i] = given ? given[i] : 0;
    for (size_t t = 0; t < s->nt; t++) {
        const hml_thruster *thruster = &s->problem->thrusters[t];
        for (int k = 0; k < 6; k++) F[k] = x->f[s->na + t] * thruster->wrench[k];
        TRY(hml_wrench_add(s->model, s->work, x->q, thruster->frame, 0, F, s->wrenches));
    }
    for (int32_t i = 0; i < s->holds->count; i++) {
        const hml_constraint *c = &s->holds->items[i];
        write_wrench(constraint_wrench(c, lambda), F);
        TRY(hml_wrench_add(s->model, s->work, x->q, c->frame, c->kind != HML_HOLD_FRAME, F, s->wrenches));
        lambda += hmli_constraint_kind_rows(c->kind);
    }
    for (int32_t i = 0; i < s->holds->loop_count; i++) {
        const hml_loop *c = &s->holds->loops[i];
        loop_motion m;
        TRY(hmli_loop_motion(s->model, c, x->q, NULL, NULL, NULL, &m));
        TRY(hmli_loop_push(s->model, s->work, c, x->q, &m, lambda, s->wrenches));
        lambda += hmli_loop_kind_rows(c->kind);
    }
    return HML_OK;
}

/* e of a hold at the frame's pose, as a twist of which its rows are taken */
static twist hold_error(const trim_system *s, int32_t i, pose H)
{
    const pose goal = pose_at(s->goal + 16 * i);
    if (s->holds->items[i].kind == HML_HOLD_FRAME) return se3_log(pose_between(goal, H));
    return twist_of(vec3_sub(H.p, goal.p), vec3_zero());
}

/* the rows of a hold, of a twist, with a distance from one row to the next */
static void put_rows(const hml_constraint *c, twist V, size_t distance, double *out)
{
    if (constraint_is_plane(c)) {
        out[0] = vec3_dot(constraint_normal(c), V.v);
        return;
    }
    out[0] = V.v.x, out[distance] = V.v.y, out[2 * distance] = V.v.z;
    if (c->kind == HML_HOLD_FRAME) out[3 * distance] = V.w.x, out[4 * distance] = V.w.y, out[5 * distance] = V.w.z;
}

/* by how much cones and the limits of positions are missed; forces relative to the scale */
static double miss_sides(const trim_system *s, const trim_point *x)
{
    const double *lambda = x->f + trim_lambda_at(s);
    double most = 0;
    for (int32_t i = 0; i < s->holds->count; i++) {
        const hml_constraint *c = &s->holds->items[i];
        if (trim_is_contact(s, i)) {
            const vec3 n = constraint_normal(c), f = vec3_at(lambda);
            const double push = vec3_dot(n, f),
                         slide = sqrt(vec3_dot(f, f) - push * push > 0 ? vec3_dot(f, f) - push * push : 0);
            most = fmax(most, (slide - s->problem->friction[i] * push) / s->force_scale);
        }
        lambda += hmli_constraint_kind_rows(c->kind);
    }
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j)) {
        for (int32_t k = 0; k < j->nv && limit_has_number(j, k); k++) {
            const double q = x->q[j->q + k];
            most = fmax(most, fmax(s->lower[j->v + k] - q, q - s->upper[j->v + k]));
        }
    }
    return most;
}

hml_status hmli_trim_evaluate(trim_system *s, trim_point *x)
{
    const state_series state = {.q = x->q};
    double *e = x->c + s->n;
    TRY(gather_wrenches(s, x));
    TRY(hml_inverse_dynamics(s->model, s->work, x->q, s->v, s->zero, s->wrenches, x->c));
    for (size_t i = 0; i < s->na; i++) x->c[s->motor_at[i]] -= x->f[i];
    for (size_t i = 0; i < s->n; i++) x->c[i] /= s->force_scale;
    for (int32_t i = 0; s->ne > s->n && i < s->holds->count; i++) {
        const hml_constraint *c = &s->holds->items[i];
        twist V[SERIES_LENGTH];
        pose H = frame_series(s->model, c->frame, HML_WORLD, HML_LEFT, &state, 0, V, NULL);
        put_rows(c, hold_error(s, i, H), 1, e);
        e += hmli_constraint_kind_rows(c->kind);
    }
    for (int32_t i = 0; s->ne > s->n && i < s->holds->loop_count; i++) {
        const hml_loop *c = &s->holds->loops[i];
        loop_motion m;
        TRY(hmli_loop_motion(s->model, c, x->q, NULL, NULL, NULL, &m));
        hmli_loop_error(c, &m, e);
        e += hmli_loop_kind_rows(c->kind);
    }
    x->size = x->worst = 0;
    for (size_t i = 0; i < s->ne; i++) x->size += x->c[i] * x->c[i], x->worst = fmax(x->worst, fabs(x->c[i]));
    x->size = sqrt(x->size);
    x->side = miss_sides(s, x);
    return FINITE_STATUS({x->c, s->ne}, {&x->size, 1});
}

/* what keeping its direction in the world adds to ∂τ̂/∂q; s->J: the frame's, mixed */
static void keep_direction(trim_system *s, vec3 f)
{
    const int32_t n = s->model->nv;
    for (int32_t k = 0; k < n; k++) {
        vec3 turned = vec3_cross(f, matrix_column(s->J, n, k).w);
        for (int32_t r = 0; r < n; r++) s->dq[r * n + k] -= vec3_dot(matrix_column(s->J, n, r).v, turned);
    }
}

/* columns of thrusters */
static void thruster_columns(trim_system *s, const trim_point *x)
{
    const state_series state = {.q = x->q};
    const int32_t n = s->model->nv;
    const jacobian_series j = {.order = 0, .nv = n, .J = {s->J}};
    for (size_t t = 0; t < s->nt; t++) {
        const hml_thruster *thruster = &s->problem->thrusters[t];
        double *column = s->C + s->nz + s->na + t;
        twist V[SERIES_LENGTH];
        frame_series(s->model, thruster->frame, HML_WORLD, HML_LEFT, &state, 0, V, &j);
        for (int32_t r = 0; r < n; r++) {
            double sum = 0;
            for (int32_t k = 0; k < 6; k++) sum += s->J[k * n + r] * thruster->wrench[k];
            column[(size_t)r * s->nx] = -sum / s->force_scale;
        }
    }
}

/* columns of a hold's λ, rows of its positions, and its part in ∂τ̂/∂q; first: its first row */
static void hold_derivatives(trim_system *s, const trim_point *x, int32_t i, size_t first)
{
    const state_series state = {.q = x->q};
    const int32_t n = s->model->nv;
    const jacobian_series j = {.order = 0, .nv = n, .J = {s->J}};
    const hml_constraint *c = &s->holds->items[i];
    const int frame = c->kind == HML_HOLD_FRAME;
    const size_t rows = (size_t)hmli_constraint_kind_rows(c->kind), at = s->nz + trim_lambda_at(s) + first;
    twist V[SERIES_LENGTH], error;
    pose H = frame_series(s->model, c->frame, HML_WORLD, frame ? HML_LEFT : HML_MIXED, &state, 0, V, &j);
    for (int32_t r = 0; r < n; r++) {
        double *out = s->C + (size_t)r * s->nx + at;
        put_rows(c, matrix_column(s->J, n, r), 1, out);
        for (size_t k = 0; k < rows; k++) out[k] /= -s->force_scale;
    }
    if (!frame) keep_direction(s, constraint_wrench(c, x->f + trim_lambda_at(s) + first).f);
    if (s->ne == s->n) return;
    error = hold_error(s, i, H);
    for (size_t k = 0; k < s->nz; k++) {
        twist U = matrix_column(s->J, n, s->free_at[k]);
        if (frame) U = se3_dexp_right_inverse_apply(error, U);
        put_rows(c, U, s->nx, s->C + (s->n + first) * s->nx + k);
    }
}

/* the same of a loop */
static hml_status loop_derivatives(trim_system *s, const trim_point *x, const hml_loop *c, size_t first)
{
    const state_series state = {.q = x->q};
    const int32_t n = s->model->nv;
    const jacobian_series e = {.order = 0, .nv = n, .J = {s->J_e}}, o = {.order = 0, .nv = n, .J = {s->J_o}};
    const size_t rows = (size_t)hmli_loop_kind_rows(c->kind), at = s->nz + trim_lambda_at(s) + first;
    twist V[SERIES_LENGTH];
    loop_motion m;
    TRY(hmli_loop_motion(s->model, c, x->q, NULL, NULL, s->J, &m));
    frame_series(s->model, c->frame, HML_WORLD, HML_LEFT, &state, 0, V, &e);
    memset(s->J_o, 0, 6 * s->n * sizeof(double));
    if (c->other != HML_WORLD) frame_series(s->model, c->other, HML_WORLD, HML_LEFT, &state, 0, V, &o);
    hmli_loop_turn(c, &m, x->f + trim_lambda_at(s) + first, n, s->J_e, s->J_o, s->dq);
    for (int32_t r = 0; r < n; r++) {
        double *out = s->C + (size_t)r * s->nx + at;
        hmli_loop_put(c, &m, matrix_column(s->J, n, r), 1, out);
        for (size_t k = 0; k < rows; k++) out[k] /= -s->force_scale;
    }
    for (size_t k = 0; s->ne > s->n && k < s->nz; k++)
        hmli_loop_put_error(c, &m, matrix_column(s->J, n, s->free_at[k]), s->nx, s->C + (s->n + first) * s->nx + k);
    return HML_OK;
}

hml_status hmli_trim_differentiate(trim_system *s, const trim_point *x)
{
    size_t row = 0;
    memset(s->C, 0, s->ne * s->nx * sizeof(double));
    TRY(gather_wrenches(s, x));
    TRY(hml_inverse_dynamics_derivatives(s->model, s->work, x->q, s->v, s->zero, s->wrenches, s->dq, NULL, NULL));
    for (int32_t i = 0; i < s->holds->count; i++) {
        hold_derivatives(s, x, i, row);
        row += (size_t)hmli_constraint_kind_rows(s->holds->items[i].kind);
    }
    for (int32_t i = 0; i < s->holds->loop_count; i++) {
        TRY(loop_derivatives(s, x, &s->holds->loops[i], row));
        row += (size_t)hmli_loop_kind_rows(s->holds->loops[i].kind);
    }
    thruster_columns(s, x);
    for (size_t r = 0; r < s->n; r++) {
        for (size_t k = 0; k < s->nz; k++)
            s->C[r * s->nx + k] = s->dq[r * s->n + (size_t)s->free_at[k]] / s->force_scale;
    }
    for (size_t i = 0; i < s->na; i++) s->C[(size_t)s->motor_at[i] * s->nx + s->nz + i] = -1 / s->force_scale;
    return FINITE_STATUS({s->C, s->ne * s->nx});
}

double hmli_trim_slip(const trim_system *s, const trim_point *x, int32_t *hold)
{
    const state_series state = {.q = x->q, .rates = {s->v, s->zero}};
    double most = 0;
    for (int32_t i = 0; i < s->holds->count; i++) {
        const hml_constraint *c = &s->holds->items[i];
        const hml_representation rep = c->kind == HML_HOLD_FRAME ? HML_LEFT : HML_MIXED;
        twist V[SERIES_LENGTH];
        double rows[2][6] = {{0}};
        frame_series(s->model, c->frame, HML_WORLD, rep, &state, 1, V, NULL);
        for (int order = 0; order < 2; order++) {
            put_rows(c, V[order], 1, rows[order]);
            for (int k = 0; k < 6; k++) {
                if (fabs(rows[order][k]) > most) most = fabs(rows[order][k]), *hold = i;
            }
        }
    }
    for (int32_t i = 0; i < s->holds->loop_count; i++) {
        hml_loop c = s->holds->loops[i];
        loop_motion m;
        double rows[2][6] = {{0}};
        c.damping = c.stiffness = 0;
        if (hmli_loop_motion(s->model, &c, x->q, s->v, s->zero, NULL, &m)) continue;
        hmli_loop_put(&c, &m, m.V, 1, rows[0]);
        hmli_loop_drift(&c, &m, rows[1]);
        for (int k = 0; k < 12; k++) {
            if (fabs(rows[k / 6][k % 6]) > most) most = fabs(rows[k / 6][k % 6]), *hold = s->holds->count + i;
        }
    }
    return most;
}

double hmli_trim_cost(trim_system *s, const trim_point *x)
{
    double cost = 0;
    hml_configuration_difference(s->model, s->guess, x->q, s->way);
    for (size_t i = 0; i < s->n; i++) cost += s->posture * s->way[i] * s->way[i];
    for (size_t i = 0; i < s->nf; i++) cost += s->weight[i] * x->f[i] * x->f[i];
    return cost / 2;
}
