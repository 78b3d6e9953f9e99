/*
 * Derivatives of loops: constraint_loop.h. With the left twists V_E, V_O of both frames, their derivatives A_E, A_O, and
 * W = X_EO V_O,
 *
 *   V = V_E − W,      A = A_E − X_EO A_O + V × W
 *
 * While the configuration moves along coordinate k, E moves by δ = J_E − X_EO J_O relative to O, X_EO by −δ × X_EO:
 *
 *   ∂V/∂q = ∂V_E − X_EO ∂V_O + δ × W                                       ∂V/∂ν = δ
 *   ∂W/∂q = X_EO ∂V_O − δ × W                                              ∂W/∂ν = X_EO J_O
 *   ∂A/∂q = ∂A_E − X_EO ∂A_O + δ × X_EO A_O + ∂V × W + V × ∂W              ∂A/∂ν: the same without the third term
 */
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "group/arrays.h"
#include "hamel/kinematics_derivatives.h"
#include "sim/constraint_loop.h"

/* how the motion changes along a direction of q or ν; `placement`: by how far E moves relative to O */
typedef struct loop_change {
    twist placement, V, A;
} loop_change;

/* 6 × n of a frame: zero where it is the world */
static hml_status frame_partials(const constraint_system *s, int32_t frame, const double *q, const double *v,
                                 const double *a, const loop_partials *d)
{
    const size_t bytes = 6 * s->n * sizeof(double);
    if (frame == HML_WORLD) {
        memset(d->J, 0, bytes), memset(d->twist_q, 0, bytes);
        memset(d->motion_q, 0, bytes), memset(d->motion_v, 0, bytes);
        return HML_OK;
    }
    hml_frame_derivative x = {.struct_size = sizeof x, .placement_q = d->J, .twist_q = d->twist_q};
    if (a) x.acceleration_q = d->motion_q, x.acceleration_v = d->motion_v;
    return hml_frame_derivatives(s->model, s->work, frame, HML_LEFT, q, v, a, &x);
}

/* a vector less its part along u */
static vec3 across(vec3 u, vec3 a) { return vec3_axpy(-vec3_dot(u, a), u, a); }

/* |r|: what turning and growing add to the rows of r̈, ṙ and r that are taken along u */
static double distance_change(const hml_loop *c, const loop_motion *m, vec3 moved, vec3 rate_change, int impulse)
{
    const vec3 rate = mat3_mul_vec(m->H.R, m->V.v), off = across(m->u, rate);
    const vec3 turned = vec3_scale(1 / m->length, across(m->u, moved));
    const double along = vec3_dot(m->u, rate);
    if (impulse) return vec3_dot(turned, rate);
    const vec3 b = mat3_mul_vec(m->H.R, vec3_add(m->A.v, vec3_cross(m->V.w, m->V.v)));
    double sum = vec3_dot(turned, vec3_axpy(c->damping, rate, b));
    sum += 2 * (vec3_dot(off, rate_change) - along * vec3_dot(turned, rate)) / m->length;
    return sum - vec3_dot(rate, off) / (m->length * m->length) * vec3_dot(m->u, moved);
}

/* a column of ∂c */
static void put_change(const hml_loop *c, const loop_motion *m, const loop_change *x, int impulse, size_t apart,
                       double *out)
{
    const twist V = m->V, zero = twist_zero();
    twist sum;
    double e[6] = {0};
    if (c->kind == HML_HOLD_FRAME) {
        sum = impulse ? x->V : twist_axpy(c->damping, x->V, x->A);
        hmli_loop_put(c, m, sum, apart, out);
    } else {
        const vec3 rate = vec3_add(vec3_cross(x->placement.w, V.v), x->V.v); /* ∂ṙ in axes of E */
        vec3 b = vec3_cross(x->placement.w, vec3_add(m->A.v, vec3_cross(V.w, V.v)));
        b = vec3_add(b, vec3_add(x->A.v, vec3_add(vec3_cross(x->V.w, V.v), vec3_cross(V.w, x->V.v))));
        sum = twist_of(impulse ? rate : vec3_axpy(c->damping, rate, b), zero.w);
        hmli_loop_put(c, m, sum, apart, out);
        if (c->kind == HML_HOLD_DISTANCE)
            out[0] += distance_change(c, m, mat3_mul_vec(m->H.R, x->placement.v), mat3_mul_vec(m->H.R, rate), impulse);
    }
    if (impulse || !(c->stiffness > 0)) return;
    hmli_loop_put_error(c, m, x->placement, 1, e);
    for (int32_t i = 0; i < hmli_loop_kind_rows(c->kind); i++) out[(size_t)i * apart] += c->stiffness * e[i];
}

/* both frames' motions of a loop, and what is made of them */
typedef struct loop_pair {
    loop_motion m;
    twist W, XA; /* V_O and A_O in axes of E */
} loop_pair;

static loop_change change_by_q(const loop_pair *p, const loop_partials *e, const loop_partials *o, int32_t n, int32_t k,
                               int impulse)
{
    const pose H = p->m.H;
    loop_change x;
    const twist other = pose_ad_inverse(H, matrix_column(o->twist_q, n, k));
    x.placement = twist_sub(matrix_column(e->J, n, k), pose_ad_inverse(H, matrix_column(o->J, n, k)));
    const twist turned = twist_cross(x.placement, p->W);
    x.V = twist_add(twist_sub(matrix_column(e->twist_q, n, k), other), turned);
    x.A = twist_zero();
    if (impulse) return x;
    x.A = twist_sub(matrix_column(e->motion_q, n, k), pose_ad_inverse(H, matrix_column(o->motion_q, n, k)));
    x.A = twist_add(x.A, twist_cross(x.placement, p->XA));
    x.A = twist_add(x.A, twist_cross(x.V, p->W));
    x.A = twist_add(x.A, twist_cross(p->m.V, twist_sub(other, turned)));
    return x;
}

static loop_change change_by_v(const loop_pair *p, const loop_partials *e, const loop_partials *o, int32_t n, int32_t k)
{
    const pose H = p->m.H;
    loop_change x;
    const twist other = pose_ad_inverse(H, matrix_column(o->J, n, k));
    x.placement = twist_zero();
    x.V = twist_sub(matrix_column(e->J, n, k), other);
    x.A = twist_sub(matrix_column(e->motion_v, n, k), pose_ad_inverse(H, matrix_column(o->motion_v, n, k)));
    x.A = twist_add(x.A, twist_add(twist_cross(x.V, p->W), twist_cross(p->m.V, other)));
    return x;
}

static hml_status move_pair(const constraint_system *s, const hml_loop *c, const double *q, const double *v,
                            const double *a, loop_pair *p)
{
    const state_series state = {.q = q, .rates = {v, a}};
    twist V[SERIES_LENGTH];
    TRY(hmli_loop_motion(s->model, c, q, v, a, NULL, &p->m));
    p->W = p->XA = twist_zero();
    if (c->other == HML_WORLD) return HML_OK;
    frame_series(s->model, c->other, HML_WORLD, HML_LEFT, &state, 1, V, NULL);
    p->W = pose_ad_inverse(p->m.H, V[0]);
    p->XA = pose_ad_inverse(p->m.H, V[1]);
    return HML_OK;
}

hml_status hmli_loop_derivatives(const constraint_system *s, const double *q, const double *v, const double *a,
                                 size_t row)
{
    const constraint_partials *d = &s->partials;
    const loop_partials e = {d->J, d->twist_q, d->motion_q, d->motion_v};
    const int32_t n = s->model->nv;
    for (int32_t i = 0; i < s->set->loop_count; i++) {
        const hml_loop *c = &s->set->loops[i];
        loop_pair p;
        TRY(move_pair(s, c, q, v, a, &p));
        TRY(frame_partials(s, c->frame, q, v, a, &e));
        TRY(frame_partials(s, c->other, q, v, a, &d->other));
        hmli_loop_turn(c, &p.m, s->lambda + row, n, e.J, d->other.J, d->dq);
        for (int32_t k = 0; k < n; k++) {
            const loop_change by_q = change_by_q(&p, &e, &d->other, n, k, !a);
            put_change(c, &p.m, &by_q, !a, s->n, d->cq + row * s->n + k);
            if (!a) continue;
            const loop_change by_v = change_by_v(&p, &e, &d->other, n, k);
            put_change(c, &p.m, &by_v, 0, s->n, d->cv + row * s->n + k);
        }
        row += (size_t)hmli_loop_kind_rows(c->kind);
    }
    return HML_OK;
}
