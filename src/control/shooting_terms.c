/* The residuals of hml_term_kind and their derivatives by perturbations (q ⊕ z, ν + z_ν) and inputs, exact. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "control/shooting.h"
#include "group/arrays.h"
#include "group/se3.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"

/* the term's reference at this knot; NULL: none */
static const double *reference_of(const hml_term *t, size_t knot)
{
    return t->reference.data ? t->reference.data + (knot - t->first) * t->reference.stride : NULL;
}

static void subtract(size_t n, const double *x, const double *reference, double *r)
{
    for (size_t i = 0; i < n; i++) r[i] = x[i] - (reference ? reference[i] : 0);
}

/* n columns of a Jacobian with packed rows into J */
static void put_q(const hml_solver *s, size_t rows, const double *from, double *J)
{
    for (size_t i = 0; i < rows; i++) memcpy(J + i * s->size.ld, from + i * s->n, s->n * sizeof *J);
}

static hml_status position(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    double H[16];
    const hml_frame_motion x = HML_STRUCT(hml_frame_motion, .pose = H, .J = at->derivatives ? w->frame : NULL);
    const hml_status status = hml_frame(s->model, w->work, t->frame, HML_MIXED, at->q, NULL, NULL, &x);
    if (status) return status;
    subtract(3, (const double[]){H[3], H[7], H[11]}, reference_of(t, at->knot), w->r);
    if (at->derivatives) put_q(s, 3, w->frame, w->J);
    return HML_OK;
}

/* log(reference⁻¹ H), and S⁻¹ J; orientation: the angular part alone, of the rotations alone */
static hml_status pose_error(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    const int turn = t->kind == HML_TERM_ORIENTATION;
    const double *reference = reference_of(t, at->knot);
    double H[16];
    const hml_frame_motion x = HML_STRUCT(hml_frame_motion, .pose = H, .J = at->derivatives ? w->frame : NULL);
    const hml_status status = hml_frame(s->model, w->work, t->frame, HML_LEFT, at->q, NULL, NULL, &x);
    if (status) return status;
    pose goal = pose_of(mat3_identity(), vec3_zero()), here = pose_at(H);
    if (reference && turn) goal.R = mat3_at(reference, 3);
    if (reference && !turn) goal = pose_at(reference);
    if (turn) here.p = vec3_zero(), goal.p = vec3_zero();
    const twist e = se3_log(pose_between(goal, here));
    const double all[6] = {e.v.x, e.v.y, e.v.z, e.w.x, e.w.y, e.w.z};
    memcpy(w->r, turn ? all + 3 : all, (turn ? 3 : 6) * sizeof *all);
    for (size_t k = 0; at->derivatives && k < s->n; k++) {
        twist V = twist_of(vec3_of(w->frame[k], w->frame[s->n + k], w->frame[2 * s->n + k]),
                           vec3_of(w->frame[3 * s->n + k], w->frame[4 * s->n + k], w->frame[5 * s->n + k]));
        if (turn) V.v = vec3_zero();
        V = se3_dexp_right_inverse_apply(e, V);
        const double d[6] = {V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z};
        for (size_t i = 0; i < (turn ? 3 : 6); i++) w->J[i * s->size.ld + k] = d[turn ? i + 3 : i];
    }
    return HML_OK;
}

static hml_status twist_error(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    double V[6];
    const hml_frame_motion x = HML_STRUCT(hml_frame_motion, .twist = V);
    hml_status status = hml_frame(s->model, w->work, t->frame, t->representation, at->q, at->v, NULL, &x);
    if (status) return status;
    subtract(6, V, reference_of(t, at->knot), w->r);
    if (!at->derivatives) return HML_OK;
    const hml_frame_derivative d = HML_STRUCT(hml_frame_derivative, .twist_q = w->frame, .twist_v = w->frame2);
    status = hml_frame_derivatives(s->model, w->work, t->frame, t->representation, at->q, at->v, NULL, &d);
    if (status) return status;
    put_q(s, 6, w->frame, w->J);
    put_q(s, 6, w->frame2, w->J + s->n);
    return HML_OK;
}

static hml_status com(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    double c[3];
    const hml_centroidal_motion x =
        HML_STRUCT(hml_centroidal_motion, .com = c, .com_J = at->derivatives ? w->frame : NULL);
    const hml_status status = hml_centroidal(s->model, w->work, at->q, NULL, NULL, &x);
    if (status) return status;
    subtract(3, c, reference_of(t, at->knot), w->r);
    if (at->derivatives) put_q(s, 3, w->frame, w->J);
    return HML_OK;
}

static hml_status momentum(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    double h[6];
    const hml_centroidal_motion x =
        HML_STRUCT(hml_centroidal_motion, .momentum = h, .A = at->derivatives ? w->frame2 : NULL);
    hml_status status = hml_centroidal(s->model, w->work, at->q, at->v, NULL, &x);
    if (status) return status;
    subtract(6, h, reference_of(t, at->knot), w->r);
    if (!at->derivatives) return HML_OK;
    const hml_centroidal_derivative d = HML_STRUCT(hml_centroidal_derivative, .momentum_q = w->frame);
    status = hml_centroidal_derivatives(s->model, w->work, at->q, at->v, NULL, &d);
    if (status) return status;
    put_q(s, 6, w->frame, w->J);
    put_q(s, 6, w->frame2, w->J + s->n);
    return HML_OK;
}

/* |p − p'|, and the unit vector between them times the difference of the Jacobians */
static hml_status distance(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    double H[2][16], e[3], length = 0;
    for (int i = 0; i < 2; i++) {
        const hml_frame_motion x = HML_STRUCT(hml_frame_motion, .pose = H[i],
                                              .J = !at->derivatives ? NULL
                                                   : i              ? w->frame2
                                                                    : w->frame);
        const hml_status status =
            hml_frame(s->model, w->work, i ? t->other : t->frame, HML_MIXED, at->q, NULL, NULL, &x);
        if (status) return status;
    }
    for (int i = 0; i < 3; i++) e[i] = H[0][4 * i + 3] - H[1][4 * i + 3], length = hypot(length, e[i]);
    if (!(length > 0)) return HML_SINGULAR;
    subtract(1, &length, reference_of(t, at->knot), w->r);
    for (size_t k = 0; at->derivatives && k < s->n; k++) {
        w->J[k] = 0;
        for (size_t i = 0; i < 3; i++) w->J[k] += e[i] / length * (w->frame[i * s->n + k] - w->frame2[i * s->n + k]);
    }
    return HML_OK;
}

/* rows of ∂λ, from row `first` of the phase's on, into J; `map`: rows × 3 or NULL: the identity */
static void force_rows(const hml_solver *s, shooting_worker *w, const term_place *at, size_t first, size_t rows,
                       const double *map)
{
    const hml_phase *phase = &s->problem.phases[s->phase_of[at->knot]];
    const size_t all = hmli_phase_forces(phase), n = s->n, m = s->m, ld = s->size.ld, depth = map ? 3 : 1;
    const size_t in_chunk = at->in_chunk * all;
    for (size_t i = 0; i < rows; i++) {
        double *row = w->J + i * ld;
        for (size_t e = 0; e < depth; e++) {
            const size_t from = in_chunk + first + (map ? e : i);
            const double f = map ? map[i * 3 + e] : 1;
            for (size_t k = 0; k < n; k++) {
                row[k] += f * w->force_q[from * n + k];
                row[n + k] += f * w->force_v[from * n + k];
            }
            for (size_t k = 0; !phase->impact && k < m; k++) row[2 * n + k] += f * w->force_u[from * m + k];
        }
    }
}

static void force(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    const hml_phase *phase = &s->problem.phases[s->phase_of[at->knot]];
    const double *cone = s->terms[at->term].cone;
    size_t rows;
    const int32_t hold = s->hold_of[at->term * s->problem.nphases + s->phase_of[at->knot]];
    const size_t first = hmli_hold_row(phase->holds, hold, &rows);
    const double *f = at->lambda + first;
    if (cone) rows = s->terms[at->term].rows;
    if (at->derivatives) memset(w->J, 0, rows * s->size.ld * sizeof *w->J);
    if (!cone) subtract(rows, f, reference_of(t, at->knot), w->r);
    for (size_t i = 0; cone && i < rows; i++)
        w->r[i] = cone[i * 3] * f[0] + cone[i * 3 + 1] * f[1] + cone[i * 3 + 2] * f[2];
    if (at->derivatives) force_rows(s, w, at, first, rows, cone);
}

/* how many of the term's knots have an input */
static size_t knots_with_input(const hml_solver *s, const hml_term *t)
{
    return (t->last < s->N ? t->last + 1 : s->N) - (t->first < s->N ? t->first : s->N);
}

hml_status hmli_terms_own(hml_solver *s, const shooting_motion *x, int derivatives)
{
    for (size_t i = 0; i < s->problem.nterms; i++) {
        const hml_term *t = &s->problem.terms[i];
        const shooting_term *to = &s->terms[i];
        if (!to->all_r) continue;
        const size_t inputs = knots_with_input(s, t);
        const double *u = inputs ? x->u + t->first * s->m : NULL;
        const hml_status status = t->knots_function(
            t->context, t->first, t->last - t->first + 1, x->q + t->first * s->nq, x->v + t->first * s->n, u, to->all_r,
            derivatives ? to->all_x : NULL, derivatives && u ? to->all_u : NULL);
        if (status) return status;
    }
    return HML_OK;
}

/* r, and where they are wanted r_x and r_u, which may be those of all knots */
static hml_status own_answer(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at,
                             const double **r_x, const double **r_u)
{
    const shooting_term *all = &s->terms[at->term];
    const size_t k = at->knot - t->first;
    double *by_x = at->derivatives ? w->own_x : NULL, *by_u = at->derivatives && at->u ? w->own_u : NULL;
    *r_x = by_x, *r_u = by_u;
    if (t->function) return t->function(t->context, at->knot, at->q, at->v, at->u, w->r, by_x, by_u);
    if (!s->own_ready) return t->knots_function(t->context, at->knot, 1, at->q, at->v, at->u, w->r, by_x, by_u);
    memcpy(w->r, all->all_r + k * t->rows, t->rows * sizeof *w->r);
    *r_x = all->all_x + k * t->rows * 2 * s->n, *r_u = all->all_u + k * t->rows * s->m;
    return HML_OK;
}

static hml_status own(const hml_solver *s, shooting_worker *w, const hml_term *t, const term_place *at)
{
    const size_t n = s->n, m = s->m, ld = s->size.ld;
    const double *r_x, *r_u;
    const hml_status status = own_answer(s, w, t, at, &r_x, &r_u);
    if (status || !at->derivatives) return status;
    if (!all_finite(r_x, t->rows * 2 * n) || (at->u && !all_finite(r_u, t->rows * m))) return HML_NOT_FINITE;
    for (size_t i = 0; i < t->rows; i++) {
        double *row = w->J + i * ld;
        memset(row, 0, ld * sizeof *row);
        memcpy(row, r_x + i * 2 * n, 2 * n * sizeof *row);
        if (at->u) memcpy(row + 2 * n, r_u + i * m, m * sizeof *row);
    }
    return status;
}

/* nothing but rows of zeros, for columns that a kind does not fill */
static void clear(const hml_solver *s, shooting_worker *w, size_t rows)
{
    memset(w->J, 0, rows * s->size.ld * sizeof *w->J);
}

static hml_status residual(const hml_solver *s, shooting_worker *w, const term_place *at, term_shape *shape)
{
    const hml_term *t = &s->problem.terms[at->term];
    const double *reference = reference_of(t, at->knot);
    *shape = TERM_DIAGONAL;
    switch (t->kind) {
    case HML_TERM_CONFIGURATION:
        *shape = TERM_BLOCKS;
        return hml_configuration_difference(s->model, reference ? reference : s->neutral, at->q, w->r);
    case HML_TERM_VELOCITY: subtract(s->n, at->v, reference, w->r); return HML_OK;
    case HML_TERM_INPUT:
        if (s->problem.phases[s->phase_of[at->knot]].impact) *shape = TERM_NONE;
        subtract(s->m, at->u, reference, w->r);
        return HML_OK;
    case HML_TERM_LIMITS:
        for (size_t i = 0; i < s->nlimited; i++) w->r[i] = at->q[s->limited[i].q];
        return HML_OK;
    case HML_TERM_POSITION: *shape = TERM_BY_Q; return position(s, w, t, at);
    case HML_TERM_ORIENTATION:
    case HML_TERM_POSE: *shape = TERM_BY_Q; return pose_error(s, w, t, at);
    case HML_TERM_COM: *shape = TERM_BY_Q; return com(s, w, t, at);
    case HML_TERM_TWIST:
        *shape = TERM_BY_ALL;
        if (at->derivatives) clear(s, w, 6);
        return twist_error(s, w, t, at);
    case HML_TERM_MOMENTUM:
        *shape = TERM_BY_ALL;
        if (at->derivatives) clear(s, w, 6);
        return momentum(s, w, t, at);
    case HML_TERM_DISTANCE: *shape = TERM_BY_Q; return distance(s, w, t, at);
    case HML_TERM_FORCE:
    case HML_TERM_CONE:
        *shape = TERM_NONE; /* nothing is held there */
        if (s->hold_of[at->term * s->problem.nphases + s->phase_of[at->knot]] < 0) return HML_OK;
        *shape = TERM_BY_ALL;
        force(s, w, t, at);
        return HML_OK;
    default: *shape = TERM_BY_ALL; return own(s, w, t, at);
    }
}

/* no rule may take a residual that is not a number for one within its bounds */
hml_status hmli_term_residual(const hml_solver *s, shooting_worker *w, const term_place *at, term_shape *shape)
{
    const hml_status status = residual(s, w, at, shape);
    if (status || *shape == TERM_NONE) return status;
    return all_finite(w->r, s->terms[at->term].rows) ? HML_OK : HML_NOT_FINITE;
}
