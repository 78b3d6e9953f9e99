/*
 * Rows of a step of contact, differentiated by a motion z of the robot from q_M.
 *
 * All twists are those of the world, V_b that of body b with the velocity x, J_k the column of coordinate k. A motion of
 * coordinate j turns what it carries, δJ_k = J_j × J_k, so that
 *
 *   δV_b = J_j × (V_b − V_before),      V_before: of the body that joint j hangs on
 *
 * Where a plane touches a corner, that moves with the body; where it touches a ball or a capsule, the ball's centre does,
 * and the point stays below it, δp = δcentre. So a row d·(V.v + V.w × p) changes by d·(δV.v + δV.w × p + V.w × δp), d
 * being constant; and the force F at p that a coordinate feels, F·(J_k.v + J_k.w × p), by the same with J_k.
 *
 * What slides has P_t = −μ P_n s, s = w_t/|w_t|. Along s that makes one impulse of two, with the direction n − μ s; across
 * s the impulse changes with the velocity there, (|w_t| / μ P_n) dP = −dw.
 */
#include "sim/contact_linearize.h"

#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "sim/contact_local.h"

/* how near to its bound an impulse is on it */
static const double on_bound = 1 - 1e-9;

static const touch *touch_of(const hml_contact *c, int32_t row) { return &c->last.items[c->rows[row].index]; }

hml_status hmli_contact_tangent_check(const hml_contact *c, const double *P)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind != ROW_CONTACT || (P[i] == 0 && P[i + 1] == 0 && P[i + 2] == 0)) continue;
        const touch *t = touch_of(c, i);
        if (t->other >= 0 || t->other < -c->nplanes) return HML_UNSUPPORTED;
        if (c->shapes[t->shape].kind == HML_SHAPE_CYLINDER) return HML_UNSUPPORTED;
    }
    return HML_OK;
}

/* what moves with the body: the centre of a ball, or the point itself */
static vec3 carried(const hml_contact *c, const touch *t)
{
    const collision_shape *s = &c->shapes[t->shape];
    const int round = s->kind == HML_SHAPE_SPHERE || s->kind == HML_SHAPE_CAPSULE;
    return round ? vec3_axpy(s->size[0], t->normal, t->point) : t->point;
}

static twist column(const hml_contact *c, int32_t k) { return matrix_column(c->columns, c->model->tree_nv, k); }

static vec3 velocity_at(twist V, vec3 p) { return vec3_add(V.v, vec3_cross(V.w, p)); }

/* twists of all bodies with the velocity x, in c->V */
static void find_twists(const hml_contact *c, const double *x)
{
    const model_body *b = model_bodies(c->model);
    for (int32_t i = 0; i < c->model->nbodies; i++) {
        twist V = b[i].parent < 0 ? twist_zero() : twist_at(c->V + 6 * (size_t)b[i].parent);
        for (int32_t k = b[i].v; k < b[i].v + b[i].nv; k++) {
            V = twist_axpy(c->factor[k] * x[c->user[k]], column(c, k), V);
        }
        twist_put(V, c->V + 6 * (size_t)i);
    }
}

/* ---- forces ---- */

/* the force F of a contact: what coordinate k feels of it changes by a motion of j */
static double force_change(const hml_contact *c, const touch *t, vec3 F, int32_t k, int32_t j, int carries)
{
    const twist Jk = column(c, k), Jj = column(c, j);
    const double moved = vec3_dot(F, vec3_cross(Jk.w, velocity_at(Jj, carried(c, t))));
    return carries ? moved + vec3_dot(F, velocity_at(twist_cross(Jj, Jk), t->point)) : moved;
}

/* body: of k; all coordinates j on the way to the touch */
static void add_force_changes(const contact_tangent *t, const touch *at, vec3 F, int32_t body, int32_t k)
{
    const hml_contact *c = t->c;
    const model_body *b = model_bodies(c->model);
    double *row = t->force + (size_t)c->user[k] * t->n;
    for (int32_t other = at->body; other >= 0; other = b[other].parent) {
        for (int32_t j = b[other].v; j < b[other].v + b[other].nv; j++) {
            row[c->user[j]] += c->factor[k] * c->factor[j] * force_change(c, at, F, k, j, other <= body);
        }
    }
}

void hmli_contact_tangent_force(const contact_tangent *t, const double *P)
{
    const hml_contact *c = t->c;
    const model_body *b = model_bodies(c->model);
    memset(t->force, 0, t->n * t->n * sizeof(double));
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind != ROW_CONTACT || (P[i] == 0 && P[i + 1] == 0 && P[i + 2] == 0)) continue;
        const touch *at = touch_of(c, i);
        const vec3 F = vec3_axpy(P[i], at->normal, vec3_axpy(P[i + 1], at->t1, vec3_scale(P[i + 2], at->t2)));
        for (int32_t body = at->body; body >= 0; body = b[body].parent) {
            for (int32_t k = b[body].v; k < b[body].v + b[body].nv; k++) add_force_changes(t, at, F, body, k);
        }
    }
}

/* ---- conditions ---- */

/* J and J_q of a contact along d, with the twists that were found */
static void fill_contact(const contact_tangent *t, const touch *at, vec3 d, double *J, double *Jq)
{
    const hml_contact *c = t->c;
    const model_body *b = model_bodies(c->model);
    const twist V = twist_at(c->V + 6 * (size_t)at->body);
    for (int32_t body = at->body; body >= 0; body = b[body].parent) {
        const twist before = b[body].parent < 0 ? twist_zero() : twist_at(c->V + 6 * (size_t)b[body].parent);
        for (int32_t k = b[body].v; k < b[body].v + b[body].nv; k++) {
            const twist Jk = column(c, k), turned = twist_cross(Jk, twist_sub(V, before));
            const vec3 moved = vec3_cross(V.w, velocity_at(Jk, carried(c, at)));
            J[c->user[k]] += c->factor[k] * vec3_dot(d, velocity_at(Jk, at->point));
            Jq[c->user[k]] += c->factor[k] * vec3_dot(d, vec3_add(velocity_at(turned, at->point), moved));
        }
    }
}

/* a new condition: J, F and J_q are zero */
static size_t add_condition(contact_tangent *t, double soft)
{
    const size_t r = t->rows.count++, bytes = t->n * sizeof(double);
    memset(t->rows.J + r * t->n, 0, bytes);
    memset(t->rows.F + r * t->n, 0, bytes);
    memset(t->rows.Jq + r * t->n, 0, bytes);
    t->rows.soft[r] = soft;
    return r;
}

/* a contact along d, which pushes along `push` */
static void add_contact(contact_tangent *t, const touch *at, vec3 d, vec3 push, double soft)
{
    const size_t at_row = add_condition(t, soft) * t->n;
    double *unused = t->x;
    fill_contact(t, at, push, t->rows.F + at_row, unused);
    fill_contact(t, at, d, t->rows.J + at_row, t->rows.Jq + at_row);
}

static void add_coordinate(contact_tangent *t, int32_t coordinate, double sign)
{
    const size_t at = add_condition(t, 0) * t->n + (size_t)coordinate;
    t->rows.J[at] = t->rows.F[at] = sign;
}

static void add_rows_of_contact(contact_tangent *t, const touch *at, const double P[3])
{
    const double most = at->friction * P[0], size = local_length(P[1], P[2]);
    if (!(at->friction > 0)) {
        add_contact(t, at, at->normal, at->normal, 0);
    } else if (size * size < on_bound * most * most) {
        add_contact(t, at, at->normal, at->normal, 0);
        add_contact(t, at, at->t1, at->t1, 0);
        add_contact(t, at, at->t2, at->t2, 0);
    } else {
        const vec3 s = vec3_axpy(-P[1] / size, at->t1, vec3_scale(-P[2] / size, at->t2));
        const vec3 across = vec3_cross(at->normal, s);
        const vec3 velocity = velocity_at(twist_at(t->c->V + 6 * (size_t)at->body), at->point);
        add_contact(t, at, at->normal, vec3_axpy(-at->friction, s, at->normal), 0);
        add_contact(t, at, across, across, fabs(vec3_dot(s, velocity)) / most);
    }
}

void hmli_contact_tangent_rows(contact_tangent *t, const double *after)
{
    const hml_contact *c = t->c;
    t->rows.count = 0;
    find_twists(c, after);
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        const double *P = c->P + i;
        if (row->kind == ROW_CONTACT && *P > 0) add_rows_of_contact(t, touch_of(c, i), P);
        if (row->kind == ROW_LIMIT && *P > 0) add_coordinate(t, c->limits[row->index].v, row->sign);
        if (row->kind == ROW_FRICTION && fabs(*P) < on_bound * row->bound) add_coordinate(t, row->index, 1);
    }
}

int hmli_contact_tangent_gaps(contact_tangent *t, const double *y, const double *x)
{
    const hml_contact *c = t->c;
    double most = 0, off = 0;
    t->rows.count = 0;
    find_twists(c, x);
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        const double asked = -c->correction * (row->gap + c->slop);
        const size_t r = t->rows.count * t->n;
        if ((row->kind != ROW_CONTACT && row->kind != ROW_LIMIT) || !(y[i] > 0)) continue;
        if (row->kind == ROW_LIMIT)
            add_coordinate(t, c->limits[row->index].v, row->sign);
        else
            add_contact(t, touch_of(c, i), touch_of(c, i)->normal, touch_of(c, i)->normal, 0);
        most = fmax(most, asked);
        off = fmax(off, fabs(contact_dot(t->n, t->rows.J + r, x) - asked));
        for (size_t k = 0; k < t->n; k++) t->rows.Jq[r + k] += c->correction * t->rows.J[r + k];
    }
    return off <= 1e-9 * most;
}
