/*
 * The exact derivatives of a variational step (motion_variational.c), by the implicit function theorem.
 *
 * The two lines of the scheme are those of the momenta from the left at both ends, μ and μ⁺:
 *
 *   μ⁺ = Ad(g)ᵀ (μ + h Ad(m)⁻ᵀ D)                 Tᵀ μ⁺ = p + h Nᵀ D
 *
 * with p and D at q_m = q₀ ∘ m and ξ = θ/h. Then q⁺ = q₀ ∘ g, ν⁺ = M(q⁺)⁻¹ μ⁺, and μ = M(q₀) ν₀: (q, ν) is the whole
 * state. With z_m = Ad(m)⁻¹ z_q + N dθ the motion of the middle,
 *
 *   dp = P z_m + M dθ/h,   dD = D_q z_m + D_ν dθ/h + w
 *   dμ⁺ = Ad(g)ᵀ dμ + h Ad(m⁻¹g)ᵀ dD + turn dθ
 *   0 = Tᵀ dμ⁺ − dp − h Nᵀ dD + bend dθ                                     solved for dθ
 *   z_q⁺ = Ad(g)⁻¹ z_q + T dθ,   M(q⁺) dν⁺ = dμ⁺ − ∂(M ν⁺)/∂q z_q⁺
 *
 * turn and bend are those of motion_chord.h. Everything is linear in (dθ, z_q, z_ν, w), and a table has the factors of
 * these in its columns.
 *
 * A robot that floats has all this in the frame of its centre of mass. In axes of the base that frame begins with the
 * velocity υ = (M ν)_v / m; its acceleration is, in axes of the middle, α = D_v / m of the D above, of which M (α, 0) is
 * taken off. Where the frame goes depends on the state, too: `drift` is the change of its velocity in axes of the start,
 * and dρ, that of its acceleration in axes of the middle, are three more unknowns: springs at the base push differently
 * where the frame has gone to. The centre of mass ends at c + h u + h²a/2, whatever g is; that is the last line of q⁺.
 */
#include <string.h>

#include "base/dense.h"
#include "base/layout.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "sim/motion_floating.h"
#include "sim/motion_tables.h"

static size_t lay_out(const hml_model *model, double *at, variational_tangent *t)
{
    const size_t n = (size_t)model->nv, unknowns = n + 3, columns = unknowns + 3 * n;
    layout_cursor c = layout_begin(at);
    t->joints = layout_array(&c, (size_t)model->njoints, sizeof *t->joints);
    t->M = layout_doubles(&c, n * n);
    t->table = layout_doubles(&c, unknowns * columns);
    t->middle = layout_doubles(&c, n * columns);
    t->D = layout_doubles(&c, n * columns);
    t->mu = layout_doubles(&c, n * columns);
    t->drift = layout_doubles(&c, 3 * columns);
    t->gain = layout_doubles(&c, 3 * columns);
    t->shift = layout_doubles(&c, 3 * columns);
    t->left = layout_doubles(&c, unknowns * unknowns);
    t->right = layout_doubles(&c, unknowns * 3 * n);
    return layout_count(&c);
}

size_t hmli_motion_variational_scratch(const hml_model *model)
{
    variational_tangent t;
    return lay_out(model, NULL, &t);
}

/* ---- the tables of the step ---- */

/* P at q and ν in dq of the motion; x is scratch */
static void momentum_tangent(const variational_tangent *t, const double *q, const double *v)
{
    hml_motion *m = t->m;
    hmli_motion_momentum(m, q, v, m->x, m->x + t->n);
    hmli_motion_momentum_tangent(m, q, m->dq, NULL, NULL);
}

/* v less the velocity of the frame */
static void less_frame(const variational_tangent *t, vec3 velocity, const double *v, double *out)
{
    memcpy(out, v, t->n * sizeof *v);
    if (t->floating) vec3_put(vec3_sub(vec3_at(v), velocity), out);
}

/* (M x)_v / m */
static vec3 linear_velocity(const variational_tangent *t, const double *M, const double *x)
{
    const size_t n = t->n;
    const vec3 P = vec3_of(dense_dot(n, M, x), dense_dot(n, M + n, x), dense_dot(n, M + 2 * n, x));
    return vec3_scale(1 / t->m->mass, P);
}

/* dμ in mu, (M₀ z_q)_v / m in shift, and drift */
static hml_status start(variational_tangent *t)
{
    hml_motion *m = t->m;
    const hml_status status = hml_mass_matrix(m->model, m->work, m->q0, t->M);
    if (status) return status;
    if (t->floating) t->velocity = linear_velocity(t, t->M, m->v0);
    less_frame(t, t->velocity, m->v0, m->v1);
    momentum_tangent(t, m->q0, m->v1);
    tangent_clear(t, t->n, t->mu);
    tangent_add_matrix(t, 1, m->dq, t->q, t->mu);
    tangent_add_matrix(t, 1, t->M, t->v, t->mu);
    if (!t->floating) return HML_OK;
    tangent_clear(t, 3, t->drift), tangent_clear(t, 3, t->shift);
    for (size_t i = 0; i < 3 * t->columns; i++) t->drift[i] = t->mu[i] / m->mass;
    tangent_add_linear(t, -1, t->M, t->drift, t->mu);
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < t->n; c++) t->shift[r * t->columns + t->q + c] = t->M[r * t->n + c] / m->mass;
    }
    for (size_t k = 0; k < 3; k++) {
        const vec3 axis = vec3_of(k == 0, k == 1, k == 2);
        tangent_add_to_column(t, t->q + 3 + k, vec3_cross(axis, t->velocity), t->drift);
    }
    return HML_OK;
}

/* q1: the middle; v1: ξ. p and D there in x, their derivatives in dq, dv and J; M there */
static hml_status middle(variational_tangent *t)
{
    hml_motion *m = t->m;
    const size_t n = t->n;
    const double h = t->h;
    chord_coordinates(m->model, m->a, 1, m->s);
    hml_status status = hml_configuration_integrate(m->model, m->q0, m->s, m->q1);
    if (t->floating) {
        const vec3 u = vec3_axpy(0.25 * h, vec3_at(m->pushed), motion_turned(m->q0, t->velocity));
        vec3_put(vec3_axpy(0.5 * h, u, vec3_at(m->q1)), m->q1);
    }
    for (size_t i = 0; i < n; i++) m->v1[i] = m->a[i] / h;
    if (!status) status = hmli_motion_forces(m, 0, m->q1, m->v1, 0);
    if (!status) status = hml_mass_matrix(m->model, m->work, m->q1, t->M);
    if (status) return status;
    hmli_motion_momentum(m, m->q1, m->v1, m->x, m->x + n);
    hmli_motion_momentum_tangent(m, m->q1, m->dq, m->dv, m->J);
    return HML_OK;
}

/* where the frame of a robot that floats turns to; D of it in x; α */
static void find_frame(variational_tangent *t)
{
    hml_motion *m = t->m;
    double *D = m->x + t->n;
    const mat3 start = quat_to_mat3(quat_at(m->q0 + 3)), half = quat_to_mat3(quat_at(m->q1 + 3)),
               end = quat_to_mat3(quat_at(m->q + 3));
    t->start_to_middle = mat3_tmul(half, start);
    t->start_to_end = mat3_tmul(end, start);
    t->middle_to_end = mat3_tmul(end, half);
    t->acceleration = vec3_scale(1 / m->mass, vec3_at(D));
    for (size_t i = 0; i < t->n; i++) D[i] -= vec3_dot(vec3_at(t->M + i * t->n), t->acceleration);
}

/* μ⁺ in r and ν⁺ of the frame in s; the blocks of the joints */
static void find_blocks(const variational_tangent *t)
{
    hml_motion *m = t->m;
    const size_t n = t->n;
    if (t->floating)
        less_frame(t, linear_velocity(t, m->M, m->v), m->v, m->s);
    else
        memcpy(m->s, m->v, n * sizeof *m->s);
    for (size_t i = 0; i < n; i++) m->r[i] = dense_dot(n, m->M + i * n, m->s);
    for (const model_joint *j = first_joint(m->model); j; j = next_joint(m->model, j)) {
        hmli_chord_tangent(j->type, t->h, m->a + j->v, m->r + j->v, m->x + n + j->v,
                           t->joints + (j - model_joints(m->model)));
    }
}

/* z_m, dD of a frame at rest, and −dp in the table */
static void middle_tables(const variational_tangent *t)
{
    hml_motion *m = t->m;
    const double h = t->h;
    tangent_clear(t, t->n, t->middle), tangent_clear(t, t->n, t->D), tangent_clear(t, t->unknowns, t->table);
    tangent_place(t, CHORD(middle), t->q, t->middle);
    tangent_place(t, CHORD(N), 0, t->middle);
    if (t->floating) {
        tangent_add_turned(t, 0.5 * h, t->start_to_middle, t->drift, t->middle);
        tangent_add_acceleration(t, 0.125 * h * h, mat3_identity(), t->middle);
    }
    tangent_add_product(t, 1, m->dv, t->middle, t->D);
    tangent_add_matrix(t, 1 / h, m->J, 0, t->D);
    for (size_t i = 0; i < t->n; i++) t->D[i * t->columns + t->w + i] += 1;
    tangent_add_product(t, -1, m->dq, t->middle, t->table);
    tangent_add_matrix(t, -1 / h, t->M, 0, t->table);
}

/* dD of the accelerated frame, and the equations of its acceleration, dρ = z_m × α + dD_v / m */
static void take_off_acceleration(const variational_tangent *t)
{
    hml_motion *m = t->m;
    double *equations = t->table + t->n * t->columns, *v = m->v1;
    tangent_clear(t, 3, t->gain);
    for (size_t i = 0; i < 3 * t->columns; i++) t->gain[i] = equations[i] = t->D[i] / m->mass;
    tangent_add_cross(t, t->middle, t->acceleration, equations);
    tangent_add_acceleration(t, -1, mat3_identity(), equations);
    tangent_add_linear(t, -1, t->M, t->gain, t->D);
    memset(v, 0, t->n * sizeof *v);
    vec3_put(t->acceleration, v);
    momentum_tangent(t, m->q1, v);
    tangent_add_product(t, -1, m->dq, t->middle, t->D);
}

/* dμ⁺ in mu, and the equations for dθ */
static void balance(const variational_tangent *t)
{
    double *pulled = t->middle;
    tangent_clear(t, t->n, pulled);
    tangent_add_pulled(t, 1, CHORD(step), t->mu, pulled);
    tangent_add_pulled(t, t->h, CHORD(rest), t->D, pulled);
    tangent_place(t, CHORD(turn), 0, pulled);
    memcpy(t->mu, pulled, t->n * t->columns * sizeof *pulled);
    tangent_add_pulled(t, 1, CHORD(T), t->mu, t->table);
    tangent_add_pulled(t, -t->h, CHORD(N), t->D, t->table);
    tangent_place(t, CHORD(bend), 0, t->table);
}

/* the unknowns, unknowns × 3n, in right */
static hml_status solve(const variational_tangent *t)
{
    const size_t u = t->unknowns, w = t->columns - u;
    for (size_t r = 0; r < u; r++) {
        memcpy(t->left + r * u, t->table + r * t->columns, u * sizeof(double));
        for (size_t c = 0; c < w; c++) t->right[r * w + c] = -t->table[r * t->columns + u + c];
    }
    return dense_eliminate(u, t->left, 0, w, t->right) ? HML_SINGULAR : HML_OK;
}

/* z_q⁺ of a base that floats: its centre of mass is where the frame has gone to; and gain, of the frame's velocity */
static void end_of_frame(const variational_tangent *t, double *z)
{
    const hml_motion *m = t->m;
    const double h = t->h;
    double *way = t->D;
    tangent_clear(t, 3, z), tangent_clear(t, 3, way), tangent_clear(t, 3, t->gain);
    tangent_add_turned(t, 1, t->start_to_end, t->shift, way);
    tangent_add_turned(t, h, t->start_to_end, t->drift, way);
    tangent_add_acceleration(t, 0.5 * h * h, t->middle_to_end, way);
    tangent_clear(t, 3, t->shift);
    for (size_t r = 0; r < 3; r++) {
        for (size_t k = 3; k < t->n; k++) {
            const double a = m->M[r * t->n + k] / m->mass;
            for (size_t c = 0; a != 0 && c < t->columns; c++) t->shift[r * t->columns + c] += a * z[k * t->columns + c];
        }
    }
    for (size_t i = 0; i < 3 * t->columns; i++) z[i] = way[i] - t->shift[i];
    tangent_add_cross(t, z, vec3_neg(linear_velocity(t, m->M, m->v)), t->gain);
    tangent_add_turned(t, 1, t->start_to_end, t->drift, t->gain);
    tangent_add_acceleration(t, h, t->middle_to_end, t->gain);
}

/* z_q⁺ in the table, M dν⁺ in mu */
static void end_tables(const variational_tangent *t)
{
    hml_motion *m = t->m;
    tangent_clear(t, t->n, t->table);
    tangent_place(t, CHORD(end), t->q, t->table);
    tangent_place(t, CHORD(T), 0, t->table);
    if (t->floating) end_of_frame(t, t->table);
    memcpy(m->v1, m->s, t->n * sizeof *m->s);
    momentum_tangent(t, m->q, m->v1);
    tangent_add_product(t, -1, m->dq, t->table, t->mu);
    if (t->floating) tangent_add_linear(t, 1, m->M, t->gain, t->mu);
}

/* out = the table with the unknowns put in, n × 3n */
static void substitute(const variational_tangent *t, const double *table, double *out)
{
    const size_t u = t->unknowns, w = t->columns - u;
    for (size_t r = 0; r < t->n; r++) {
        const double *from = table + r * t->columns;
        memcpy(out + r * w, from + u, w * sizeof *out);
        for (size_t k = 0; k < u; k++) {
            for (size_t c = 0; from[k] != 0 && c < w; c++) out[r * w + c] += from[k] * t->right[k * w + c];
        }
    }
}

static hml_status finish(const variational_tangent *t, double *Ad, double *Bd)
{
    const size_t n = t->n, two = 2 * n;
    double *rows[2] = {t->middle, t->D}; /* z_q⁺ and dν⁺ */
    substitute(t, t->table, rows[0]);
    substitute(t, t->mu, rows[1]);
    memcpy(t->M, t->m->M, n * n * sizeof *t->M);
    if (dense_eliminate(n, t->M, 0, 3 * n, rows[1])) return HML_SINGULAR;
    for (size_t half = 0; half < 2; half++) {
        for (size_t i = 0, r = half * n; i < n; i++, r++) {
            memcpy(Ad + r * two, rows[half] + i * 3 * n, two * sizeof *Ad);
            memcpy(Bd + r * n, rows[half] + i * 3 * n + two, n * sizeof *Bd);
        }
    }
    return HML_OK;
}

hml_status hmli_motion_variational_linearize(hml_motion *m, double *scratch, double *Ad, double *Bd)
{
    variational_tangent t = {.m = m, .n = m->n, .h = m->h, .floating = m->mass > 0};
    lay_out(m->model, scratch, &t);
    t.unknowns = t.n + (t.floating ? 3 : 0);
    t.q = t.unknowns, t.v = t.q + t.n, t.w = t.v + t.n, t.columns = t.w + t.n;
    hml_status status = start(&t);
    if (!status) status = middle(&t);
    if (status) return status;
    if (t.floating) find_frame(&t);
    find_blocks(&t);
    middle_tables(&t);
    if (t.floating) take_off_acceleration(&t);
    balance(&t);
    status = solve(&t);
    if (status) return status;
    end_tables(&t);
    return finish(&t, Ad, Bd);
}
