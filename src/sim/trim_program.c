/*
 * One step of hml_trim: with s the vector of z and of the forces after the step,
 *
 *   min ½ Σ D_i (s_i − centre_i)²   with   c + C (s − s₀) = 0   and the limits, linearized at the point
 *
 * In x = D^½ (s − centre) that is the shortest vector of a polyhedron: shortest.h. D is posture + damping for z and the
 * weight of each force. The elastic form gives every equation a slack of its own, with the weight `stiff`: where the
 * equations cannot be solved it finds the least sum of squares.
 *
 * A friction cone is cut by SIDES planes that touch it, of which the first touches it at the present direction of the
 * force: once that direction does not change any more the cone is exact.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "group/arrays.h"
#include "hamel/configuration.h"
#include "model/limits.h"
#include "sim/constraint.h"
#include "sim/trim.h"

enum { SIDES = 8 };
static const double stiff = 1e10;
static const double hardly = 1e4; /* weight of z² where forces alone matter: they cost about 1 */
static const double two_pi = 6.283185307179586;

size_t hmli_trim_most_rows(const trim_system *s)
{
    return 2 * (s->n + s->na + s->nt) + SIDES * (size_t)s->holds->count;
}

/* centre and root: where the cost is least, and the square roots of its weights */
static hml_status weigh(trim_system *s, const trim_point *x, trim_aim aim, double damping)
{
    const double D = aim == TRIM_COST ? s->posture + damping : aim == TRIM_NEAR ? 1 : hardly;
    memset(s->pull, 0, s->nz * sizeof(double));
    if (aim == TRIM_COST) { /* the gradient of ½ posture |q ⊖ guess|² */
        TRY(hml_configuration_difference(s->model, s->guess, x->q, s->way));
        TRY(hml_configuration_difference_jacobians(s->model, s->guess, x->q, NULL, s->dq));
        for (size_t k = 0; k < s->nz; k++) {
            for (size_t r = 0; r < s->n; r++)
                s->pull[k] += s->posture * s->dq[r * s->n + (size_t)s->free_at[k]] * s->way[r];
        }
    }
    for (size_t k = 0; k < s->nz; k++) s->centre[k] = -s->pull[k] / D, s->root[k] = sqrt(D);
    for (size_t i = 0; i < s->nf; i++) {
        s->centre[s->nz + i] = aim == TRIM_NEAR ? x->f[i] : 0;
        s->root[s->nz + i] = sqrt(s->weight[i]);
    }
    return HML_OK;
}

/* the equations; the last ne columns are slacks, where there are any */
static void put_equations(trim_system *s, const trim_point *x)
{
    shortest *p = &s->program;
    for (size_t r = 0; r < s->ne; r++) {
        const double *C = s->C + r * s->nx;
        double *row = p->G + r * p->n, b = -x->c[r];
        for (size_t k = 0; k < s->nx; k++) {
            const double here = k < s->nz ? 0 : x->f[k - s->nz];
            row[k] = C[k] / s->root[k];
            b -= C[k] * (s->centre[k] - here);
        }
        if (p->n > s->nx) {
            memset(row + s->nx, 0, s->ne * sizeof *row);
            row[s->nx + r] = 1 / sqrt(stiff);
        }
        p->b[r] = b;
        p->one_sided[r] = 0;
    }
    p->m = s->ne;
    s->nrows = 0;
}

/* a new inequality, all zeros */
static double *new_row(trim_system *s, trim_row_kind kind, int32_t item, double b)
{
    shortest *p = &s->program;
    double *row = p->G + p->m * p->n;
    memset(row, 0, p->n * sizeof *row);
    p->b[p->m] = b;
    p->one_sided[p->m++] = 1;
    s->rows[s->nrows++] = (trim_row){kind, item};
    return row;
}

/* lower <= s_k <= upper of one unknown, in units of its root */
static void put_bounds(trim_system *s, size_t k, double lower, double upper, trim_row row)
{
    if (isfinite(lower)) new_row(s, row.kind, row.item, s->root[k] * (lower - s->centre[k]))[k] = 1;
    if (isfinite(upper)) new_row(s, row.kind, row.item, s->root[k] * (s->centre[k] - upper))[k] = -1;
}

/* where a coordinate is among the free ones; nz: it is not */
static size_t find_free(const trim_system *s, int32_t coordinate)
{
    size_t k = 0;
    while (k < s->nz && s->free_at[k] != coordinate) k++;
    return k;
}

/* one side of a limit of number k of a joint: sign · (q + F z) >= sign · limit */
static void put_limit(trim_system *s, const trim_point *x, const model_joint *j, int32_t k, double sign, double limit)
{
    double F[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV], b = sign * (limit - x->q[j->q + k]);
    if (!isfinite(limit)) return;
    hmli_rate_block(j->type, x->q + j->q, F);
    double *row = new_row(s, TRIM_POSITION, j->v + k, 0);
    for (int32_t i = 0; i < j->nv; i++) {
        const size_t at = find_free(s, j->v + i);
        if (at == s->nz) continue;
        row[at] = sign * F[k * j->nv + i];
        b -= row[at] * s->centre[at];
    }
    s->program.b[s->program.m - 1] = b * (s->nz ? s->root[0] : 1);
}

static void put_positions(trim_system *s, const trim_point *x)
{
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j)) {
        for (int32_t k = 0; k < j->nv && limit_has_number(j, k); k++) {
            if (find_free(s, j->v + k) == s->nz) continue;
            put_limit(s, x, j, k, 1, s->lower[j->v + k]);
            put_limit(s, x, j, k, -1, s->upper[j->v + k]);
        }
    }
}

/* μ n·λ >= t·λ for SIDES directions t along the plane */
static void put_cone(trim_system *s, const hml_constraint *c, int32_t hold, const double *lambda, size_t at)
{
    vec3 n = vec3_at(c->normal), f = vec3_at(lambda);
    n = vec3_scale(1 / sqrt(vec3_dot(n, n)), n);
    vec3 t = vec3_axpy(-vec3_dot(n, f), n, f), e = fabs(n.x) < 0.6 ? vec3_of(1, 0, 0) : vec3_of(0, 1, 0);
    if (!(vec3_dot(t, t) > 1e-24 * s->force_scale * s->force_scale)) t = vec3_cross(n, e);
    t = vec3_scale(1 / sqrt(vec3_dot(t, t)), t);
    e = vec3_cross(n, t);
    for (int side = 0; side < SIDES; side++) {
        const double angle = two_pi * side / SIDES;
        vec3 d = vec3_axpy(sin(angle), e, vec3_scale(cos(angle), t));
        double *row = new_row(s, TRIM_CONTACT, hold, 0) + at;
        d = vec3_axpy(s->problem->friction[hold], n, vec3_scale(-1, d));
        vec3_put(d, row);
        s->program.b[s->program.m - 1] = -s->root[at] * vec3_dot(d, vec3_at(s->centre + at));
    }
}

static void put_forces(trim_system *s, const trim_point *x)
{
    const int limits = !s->problem->ignore_limits;
    size_t at = trim_lambda_at(s);
    for (size_t i = 0; limits && i < s->na; i++)
        put_bounds(s, s->nz + i, -s->effort[i], s->effort[i], (trim_row){TRIM_TORQUE, s->motor_at[i]});
    for (size_t t = 0; limits && t < s->nt; t++) {
        const hml_thruster *thruster = &s->problem->thrusters[t];
        put_bounds(s, s->nz + s->na + t, thruster->lower, thruster->upper, (trim_row){TRIM_THRUST, (int32_t)t});
    }
    for (int32_t i = 0; i < s->holds->count; i++) {
        const hml_constraint *c = &s->holds->items[i];
        if (c->kind == HML_TOUCH_PLANE) put_bounds(s, s->nz + at, 0, HUGE_VAL, (trim_row){TRIM_CONTACT, i});
        if (trim_is_contact(s, i)) put_cone(s, c, i, x->f + at, s->nz + at);
        at += (size_t)hmli_constraint_kind_rows(c->kind);
    }
}

hml_status hmli_trim_step(trim_system *s, const trim_point *x, trim_aim aim, double damping, int elastic)
{
    shortest *p = &s->program;
    TRY(weigh(s, x, aim, damping));
    p->n = s->nx + (elastic ? s->ne : 0);
    put_equations(s, x);
    put_positions(s, x);
    put_forces(s, x);
    p->scale = 1;
    for (size_t i = 0; i < p->m; i++) p->scale = fmax(p->scale, fabs(p->b[i]));
    s->budget--;
    TRY(hmli_shortest(p));
    for (size_t k = 0; k < s->nx; k++) s->step[k] = s->centre[k] + p->x[k] / s->root[k];
    return HML_OK;
}

int hmli_trim_at_limit(const trim_system *s, size_t i)
{
    const shortest *p = &s->program;
    const size_t row = s->ne + i;
    return p->lambda[row] > 0 || dense_dot(p->n, p->G + row * p->n, p->x) - p->b[row] <= 1e-9 * p->scale;
}
